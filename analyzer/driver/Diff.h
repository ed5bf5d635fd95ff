//===-- Diff.h - Which lines of which files a diff changes --------------------------*- C++ -*-===//
//
// Reads what `git diff -U0` prints. Content is skipped by the counts of its hunk, so that no line of a file
// can pass for a line of the diff.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_DRIVER_DIFF_H
#define WARPLINT_ANALYZER_DRIVER_DIFF_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>
#include <vector>

namespace warplint::driver {

/// Lines of one file, from 1 on, both ends included.
struct LineRange {
  unsigned first = 0, last = 0;
};

/// The changed lines of a file.
struct LineSet {
  bool whole = false; ///< all of them: a file that is new, or whose lines cannot be told apart
  std::vector<LineRange> ranges;

  bool overlaps(unsigned First, unsigned Last) const;
};

/// By the file's name in the diff, without its prefix `b/`; of a renamed file the new one. Files that are
/// deleted are left out; so are those without a changed line (a new name, another mode), and lines that were
/// taken away.
using ChangedLines = std::map<std::string, LineSet>;

/// Of a unified diff with git's headers and the prefixes `a/` and `b/`.
llvm::Expected<ChangedLines> parseDiff(llvm::StringRef Text);

} // namespace warplint::driver

#endif
