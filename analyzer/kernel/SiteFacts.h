//===-- SiteFacts.h - What the code around an access says of it ---------*- C++ -*-===//
//
// Facts that do not come from running the code but from looking at it: what an atomic does and whether its
// result is wanted. Followed through calls along the access's call path.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_KERNEL_SITEFACTS_H
#define WARPLINT_ANALYZER_KERNEL_SITEFACTS_H

#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace llvm {
class CallBase;
class Instruction;
} // namespace llvm

namespace warplint::kernel {

/// "add", "fadd", "umax", "xchg", "cas", "inc": what an atomic does; "" when that is not known.
std::string atomicOperation(const llvm::Instruction &);

/// Is the value of an instruction on a call path used, by a caller where functions only hand it on?
bool isResultUsed(const llvm::Instruction &, llvm::ArrayRef<const llvm::CallBase *> Path);

} // namespace warplint::kernel

#endif
