//===-- Baseline.h - Findings that are known and accepted ---------------------------*- C++ -*-===//
//
// A team's existing findings, kept in a file beside its code: JSON, sorted, one finding a line, so that it
// merges like code. Files are named relative to the baseline's folder.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_REPORT_BASELINE_H
#define WARPLINT_ANALYZER_REPORT_BASELINE_H

#include "analyzer/result/Result.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace warplint::report {

/// One finding of a baseline. Equal ones stand as often as there are findings.
struct BaselineEntry {
  std::string file; ///< relative to the baseline's folder, with '/'
  std::string rule;
  std::string identity;           ///< Finding::identity
  std::string kernel, expression; ///< for people
  result::Impact impact = result::Impact::Low;
  double cost = 0; ///< Finding::most
};

/// How a file of the report is named in the baseline.
using NameInBaseline = llvm::function_ref<std::string(const std::string &)>;

std::vector<BaselineEntry> baselineOf(const std::vector<result::Finding> &, NameInBaseline);
/// Sorts.
void writeBaseline(llvm::raw_ostream &, std::vector<BaselineEntry>);
/// An error says what is wrong, and where, when it is JSON at all.
llvm::Expected<std::vector<BaselineEntry>> readBaseline(llvm::StringRef Text);

/// A file of the baseline that is gone, and the one that has its findings now.
struct MovedFile {
  std::string from, to;
  unsigned findings = 0; ///< that both have
};

/// Finds files that have moved, and gives their entries the new name: where `IsGone`, a file that the baseline does not
/// know may have more than half of the findings, each with the same rule, kernel and expression.
std::vector<MovedFile> followMoves(std::vector<BaselineEntry> &, const std::vector<result::Finding> &, NameInBaseline,
                                   llvm::function_ref<bool(const std::string &)> IsGone);

struct BaselineComparison {
  std::vector<size_t> known;                           ///< indices of findings, in order
  std::vector<std::pair<size_t, BaselineEntry>> worse; ///< those that cost more than their entry, by index
  std::vector<BaselineEntry> left;                     ///< entries that no finding stands for
};

/// Holds findings against entries. A finding is known when an entry of the same identity and file has at
/// least its impact and cost; each entry serves one finding.
BaselineComparison compare(const std::vector<result::Finding> &, std::vector<BaselineEntry>, NameInBaseline);

} // namespace warplint::report

#endif
