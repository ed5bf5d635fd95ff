//===-- Launches.h - Kernel launches in the host code --------------*- C++ -*-===//
//
// Reads the <<<grid, block, shared>>> launches of a translation unit: shapes from constants, macros, dim3
// variables (also filled member by member), template arguments and constexpr values; arguments that fold to
// constants.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_KERNEL_LAUNCHES_H
#define WARPLINT_ANALYZER_KERNEL_LAUNCHES_H

#include "analyzer/result/Result.h"
#include <array>
#include <functional>
#include <optional>
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
};

/// Every launch whose kernel is known, template instantiations of host code included, in source order. A
/// shape or argument is given only when it is certain: a variable counts when nothing but its initialiser (or
/// straight-line member assignments before the launch) writes it and its address does not escape.
/// `IsList` says which '(' stand for the '{' of a list of dimensions.
std::vector<Launch> findLaunches(clang::ASTContext &,
                                 std::function<bool(clang::SourceLocation)> IsList = nullptr);

} // namespace warplint::kernel

#endif
