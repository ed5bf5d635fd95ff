//===-- Ptx.h - The text of inline assembly, taken apart -----------------------*- C++ -*-===//
//
// Inline PTX is text with $0, $1 ... for the operands of the asm statement. Takes it apart into instructions,
// and says which of them touch memory, with how many bytes per lane.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_KERNEL_PTX_H
#define WARPLINT_ANALYZER_KERNEL_PTX_H

#include "analyzer/result/Result.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace warplint::kernel {

struct PtxOperand {
  bool address = false;                        ///< in [brackets]
  llvm::SmallVector<llvm::StringRef, 2> names; ///< registers, $ operands, numbers; several in {braces}
  int64_t offset = 0;                          ///< of an address: [r + 16]
};

/// "@!p ld.global.v2.f32 {a, b}, [$2+8];"
struct PtxInstruction {
  llvm::StringRef predicate; ///< empty: none
  bool predicateNegated = false;
  llvm::SmallVector<llvm::StringRef, 8> opcode; ///< "ld", "global", "v2", "f32"
  std::vector<PtxOperand> operands;

  llvm::StringRef name() const { return opcode.empty() ? llvm::StringRef() : opcode[0]; }
  bool has(llvm::StringRef Part) const;
};

/// How the lanes of an instruction reach memory.
struct PtxAccess {
  enum Kind {
    Plain,  ///< ld, st, atom, red: every lane one address
    Copy,   ///< cp.async: two addresses
    Matrix, ///< ldmatrix, stmatrix: the rows' addresses come from the first lanes
    Opaque  ///< which bytes a lane moves is not said by an address
  };
  Kind kind = Plain;
  result::Operation operation = result::Operation::Load;
  result::Space space = result::Space::Unknown; ///< as far as the opcode says it
  unsigned width = 0;                           ///< bytes per lane; 0: not said by the opcode
  unsigned address = 0;                         ///< which operand
  unsigned lanes = 32;                          ///< Matrix: how many of them give addresses
  std::string reason;                           ///< Opaque: why
};

/// The instructions of a text; declarations, labels and comments are left out.
std::vector<PtxInstruction> parsePtx(llvm::StringRef Text);
/// Nothing for instructions that do not touch memory that users know (barrier objects and parameters are
/// not).
std::optional<PtxAccess> accessOf(const PtxInstruction &);
/// The bits of the last type in the opcode ("f32", "b128", "f16x2"); 0: none.
unsigned typeBits(const PtxInstruction &);

} // namespace warplint::kernel

#endif
