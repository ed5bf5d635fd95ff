//===-- Operations.h - The arithmetic of one instruction ------------------------*- C++ -*-===//
//
// What a roofline counts: floating-point work by type, FMA as two; special functions (division, roots,
// exponentials, ...) one each, whatever their code takes; matrix work of tensor cores by lane. Comparisons,
// minima, sign changes and conversions of floating-point numbers count nothing, as in Nsight Compute's FLOP
// counters.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_KERNEL_OPERATIONS_H
#define WARPLINT_ANALYZER_KERNEL_OPERATIONS_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace llvm {
class Function;
class Instruction;
class Value;
}

namespace warplint::kernel {

/// Of one lane.
struct Operations {
  double fp32 = 0, fp64 = 0, fp16 = 0; ///< FLOP; fp16: half and bfloat16
  double tensor = 0;                   ///< FLOP
  double special = 0;                  ///< functions
  double integer = 0;                  ///< operations as the source writes them, those of addresses included
  double data = 0; ///< of those: whose results go elsewhere than into addresses, conditions and loops

  Operations &operator+=(const Operations &);
  Operations operator*(double Factor) const;
};

/// Of the instruction alone: a call of a function that has a body counts nothing here.
Operations operationsOf(const llvm::Instruction &);
/// The integer values of a function that only say where something is and how often something is done, which
/// compilers fold into accesses and move out of loops. What is handed to other functions is taken for data.
llvm::SmallPtrSet<const llvm::Value *, 32> addressArithmetic(const llvm::Function &);
/// Of a whole call of a function that does half-precision arithmetic in other terms (the built-in headers compute
/// in floats): what it does inside is not counted then.
std::optional<Operations> operationsOfHalf(const llvm::Function &);
/// Of inline PTX.
Operations operationsOfPtx(llvm::StringRef Text);

} // namespace warplint::kernel

#endif
