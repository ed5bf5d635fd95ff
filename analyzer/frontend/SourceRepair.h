//===-- SourceRepair.h - Text that nvcc reads and Clang does not -----*- C++ -*-===//
//
// nvcc takes launches whose brackets are torn apart (`<< <grid, block>> >`, as some editors format them),
// launches whose dimensions are braced lists (`<<<g, {16, 16}>>>`), and registers with one percent sign in
// assembly with operands (`asm("mov.u32 %0, %laneid;" : "=r"(l))`). For Clang the text is rewritten in place:
// what stands outside these brackets and strings keeps its offset, so places, fixes and text shown to people
// are those of the file as it is.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_FRONTEND_SOURCEREPAIR_H
#define WARPLINT_ANALYZER_FRONTEND_SOURCEREPAIR_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace warplint::frontend {

struct Repair {
  std::string text;            ///< as long as the original
  std::vector<unsigned> lists; ///< offsets of '(' that stand for the '{' of a list
  std::vector<unsigned> dimensions; ///< those of a grid or a block, in order
};

/// Nothing when the text needs no repair, which is found out cheaply.
std::optional<Repair> repairSource(llvm::StringRef Text);

} // namespace warplint::frontend

#endif
