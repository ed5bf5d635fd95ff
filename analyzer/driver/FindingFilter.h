//===-- FindingFilter.h - Which findings are asked for -------------------------------*- C++ -*-===//
//
// --header-filter, --exclude-header-filter and --line-filter with clang-tidy's meaning, and the changed lines
// of
// --diff. What a filter leaves out is not shown and does not gate.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_DRIVER_FINDINGFILTER_H
#define WARPLINT_ANALYZER_DRIVER_FINDINGFILTER_H

#include "analyzer/driver/Diff.h"
#include "analyzer/result/Result.h"
#include <optional>
#include <set>

namespace warplint::driver {

/// One file of --line-filter: names that end in `name`; no ranges: all of its lines.
struct FileLines {
  std::string name;
  std::vector<LineRange> ranges;
};

/// [{"name":"a.cu","lines":[[1,3],[5,7]]},{"name":"b.cuh"}]. An error says where and what is wrong.
llvm::Expected<std::vector<FileLines>> parseLineFilter(llvm::StringRef Json);

struct FindingFilter {
  /// Regular expressions that are looked for in the absolute names of files that are no main files. Nothing:
  /// all headers are shown; "" shows none, as in clang-tidy.
  std::optional<std::string> headers;
  std::string excludedHeaders;  ///< "": none
  std::vector<FileLines> lines; ///< none: all lines of all files
  std::optional<ChangedLines> changed;

  bool selectsLines() const { return !lines.empty() || changed; }
};

/// Is that a regular expression? An error says what is wrong with it.
llvm::Error checkRegex(llvm::StringRef);

/// Are findings of a header asked for?
bool showsHeader(const FindingFilter &, llvm::StringRef File);

/// Takes findings away that lie in headers which are not asked for. `MainFiles` were asked for by name.
void keepHeaders(std::vector<result::Finding> &, const FindingFilter &,
                 const std::vector<std::string> &MainFiles);

/// Takes findings away that do not touch the lines which are asked for: --line-filter looks at the finding's
/// place; --diff at that of its notes too, so that a change of a tile's declaration shows what it does
/// elsewhere. Contracts speak of what changes elsewhere do: they stay.
void keepLines(std::vector<result::Finding> &, const FindingFilter &);

} // namespace warplint::driver

#endif
