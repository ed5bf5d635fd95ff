//===-- UnifiedDiff.h - Edits as a unified diff -------------------------*- C++ -*-===//
//
// What 'git apply' and 'patch -p1' take. The edits are known, so that nothing has to be searched for: their
// lines are the changes.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_REPORT_UNIFIEDDIFF_H
#define WARPLINT_ANALYZER_REPORT_UNIFIEDDIFF_H

#include "analyzer/result/Result.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace warplint::report {

/// Writes what the edits make of a file, with three lines of context; nothing where they change nothing.
/// `Name` is relative, with '/'. The edits lie in the text, in ascending order, and do not overlap.
void writeUnifiedDiff(llvm::raw_ostream &, llvm::StringRef Name, llvm::StringRef Text,
                      llvm::ArrayRef<result::Edit>);

} // namespace warplint::report

#endif
