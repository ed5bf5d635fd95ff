//===-- Launches.h - Kernel launches in the host code --------------*- C++ -*-===//
//
// Reads the launches of a translation unit, by <<<grid, block, shared>>> and by the runtime's functions:
// shapes from constants, macros, dim3 variables, template arguments and constexpr values, also where they
// come through the parameters of functions that launch; arguments that fold to constants.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_KERNEL_LAUNCHES_H
#define WARPLINT_ANALYZER_KERNEL_LAUNCHES_H

#include "analyzer/kernel/OutsideUses.h"
#include "analyzer/result/Result.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class FunctionDecl;
class SourceLocation;
} // namespace clang

namespace warplint::kernel {

struct Launch {
  const clang::FunctionDecl *kernel = nullptr; ///< the instance launched (a template's specialisation)
  result::Place place;
  std::optional<std::array<unsigned, 3>> block;
  std::optional<std::array<uint64_t, 3>> grid;
  std::optional<uint64_t> dynamicShared;         ///< bytes; 0 when the launch names none
  std::vector<std::optional<int64_t>> arguments; ///< one per parameter; integers that fold
  result::Place caller; ///< the call that gave the function around the launch its arguments, if that matters
  std::string reason;   ///< without a block: why it is not certain, in words
  std::optional<std::array<unsigned, 3>> likelyBlock; ///< without a block: one that it may well be
  std::array<std::optional<unsigned>, 3> extents;     ///< without a block: those of its extents that are certain
};

/// Every launch whose kernel is known, template instantiations of host code included, in source order; one
/// that runs with several shapes (called from several places, say) once for each. A shape or argument is
/// given only when it is certain: of a variable, every assignment that may be the last before the launch is
/// known, and nothing else can write it.
/// `IsList` says which '(' stand for the '{' of a list of dimensions. `Outside` is what other files say; a
/// kernel that they launch must be looked for among them. `Wanted` takes the functions of which other files
/// might say what is missing.
std::vector<Launch> findLaunches(clang::ASTContext &,
                                 std::function<bool(clang::SourceLocation)> IsList = nullptr,
                                 llvm::ArrayRef<OutsideUse> Outside = {},
                                 std::vector<WantedFunction> *Wanted = nullptr);

/// What a translation unit says of functions that others define.
OutsideUses findOutsideUses(clang::ASTContext &, std::function<bool(clang::SourceLocation)> IsList = nullptr);

/// A function as other files may ask for it; nothing when they cannot call it.
std::optional<WantedFunction> wanted(const clang::FunctionDecl &);

} // namespace warplint::kernel

#endif
