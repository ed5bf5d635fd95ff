//===-- Includers.h - Which translation units include a file -------*- C++ -*-===//
//
// A header has no command of its own, and its templates have no instances by themselves: both come from a
// translation unit that includes it. This looks for #include lines, without preprocessing: macros and
// conditions are ignored, so that a unit found may still turn out not to include the file.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_FRONTEND_INCLUDERS_H
#define WARPLINT_ANALYZER_FRONTEND_INCLUDERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <string>
#include <vector>

namespace warplint::frontend {

/// Where a translation unit's #include lines are looked up.
struct SearchPath {
  std::vector<std::string> quoted; ///< -iquote: for "..." alone
  std::vector<std::string> all;    ///< -I, -isystem, -idirafter, in the order of search
  std::vector<std::string> forced; ///< -include: as if the unit began with them
};

/// The folders that Clang's `Options` name, all of them absolute already; names given by -include are taken
/// from `Directory`.
SearchPath searchPathOf(llvm::ArrayRef<std::string> Options, llvm::StringRef Directory);

/// The first `Most` of `Units` that include `File`, directly or not, as indices. `PathOf` is asked once for
/// each unit that is looked at. Files are read once per process; `Overlay` stands before what is on disk.
std::vector<size_t> findIncluders(llvm::StringRef File, llvm::ArrayRef<std::string> Units,
                                  llvm::function_ref<SearchPath(size_t)> PathOf,
                                  const std::map<std::string, std::string> &Overlay, size_t Most);

} // namespace warplint::frontend

#endif
