//===-- CodeHosts.h - Reports for CI systems and code hosts ------------*- C++ -*-===//
//
// SARIF for code scanning, GitHub's workflow commands, GitLab's code quality report. All name files relative
// to the repository's root, and count columns in UTF-16 code units.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_REPORT_CODEHOSTS_H
#define WARPLINT_ANALYZER_REPORT_CODEHOSTS_H

#include "analyzer/report/Report.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace warplint::report {

/// What a rule is, for readers that show its page beside a finding.
struct RuleText {
  std::string name, summary;
  std::string page; ///< Markdown
  result::Severity level = result::Severity::Warning;
  bool onByDefault = true;
};

/// What a run said beside its report.
struct RunNote {
  result::Severity level = result::Severity::Note;
  std::string message;
};

struct SarifOptions {
  std::string version;         ///< of warplint
  std::string informationUri;  ///< where warplint is at home; "": not said
  std::string root;            ///< of the repository, absolute
  std::vector<RuleText> rules; ///< all there are
  std::vector<RunNote> notes;
  bool successful = true; ///< did every file get its analysis?
  int exitCode = 0;
  /// What GitHub takes: more is cut, the least important results first, and said so.
  size_t maxResults = 25000;
  size_t maxBytes = 10 << 20; ///< compressed
};

/// SARIF 2.1.0, with all that GitHub's code scanning reads. Verified fixes are part of it where their files
/// can be read.
void writeSarif(llvm::raw_ostream &, const result::Report &, const SourceReader &, const SarifOptions &);

/// One SARIF log of those that writeSarif wrote, each with its name for messages. A result that several have
/// is there once, as the worst of them.
llvm::Expected<llvm::json::Value> mergeSarif(std::vector<std::pair<std::string, llvm::json::Value>>,
                                             size_t MaxResults = SarifOptions().maxResults);
void writeSarifLog(llvm::raw_ostream &, const llvm::json::Value &);

/// A line `::warning file=...,line=...::message` for each error and finding, the worst findings first: GitHub
/// shows ten of a kind for each step.
void writeGitHub(llvm::raw_ostream &, const result::Report &, const SourceReader &, const std::string &Root);

/// GitLab's code quality report. An error without a place is not part of it.
void writeGitLab(llvm::raw_ostream &, const result::Report &, const std::string &Root);

/// The errors, of each file at most 20 and how many more there are: the first tell what is wrong.
std::vector<result::Error> firstErrors(const result::Report &);

/// Indices of the findings, the worst first: by severity, impact, excess.
std::vector<size_t> worstFirst(const std::vector<result::Finding> &);

} // namespace warplint::report

#endif
