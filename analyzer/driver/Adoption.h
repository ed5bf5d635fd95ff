//===-- Adoption.h - What a project has accepted, and what it insists on --------------*- C++ -*-===//
//
// What stands between the findings of a run and those that are shown: contracts that the code is held to,
// filters of files and lines, and a baseline of findings that are known.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_DRIVER_ADOPTION_H
#define WARPLINT_ANALYZER_DRIVER_ADOPTION_H

#include "analyzer/driver/FindingFilter.h"
#include "analyzer/frontend/Frontend.h"
#include "analyzer/report/Baseline.h"
#include "rules/CostContract.h"

namespace warplint::driver {

struct RunOptions;
struct RunOutcome;

/// A baseline as it was read.
struct KnownFindings {
  std::string file;
  std::vector<report::BaselineEntry> entries;
};

struct AdoptionOptions {
  FindingFilter filter;
  std::vector<rules::Contract> expectations; ///< of the command line
  std::optional<KnownFindings> known;
  std::string newBaseline;   ///< the file that is to hold the findings of this run; "": none
  bool wholeProject = false; ///< the files are all that there are
  bool isShard = false;      ///< other runs have others of the project's files
};

/// Reads a baseline. Errors name the file and say what to do.
llvm::Expected<KnownFindings> loadBaseline(const std::string &File);

/// Of `Files`, a project's, those that have changed lines or include a file that has.
std::vector<std::string> touchedFiles(const std::vector<std::string> &Files, const ChangedLines &,
                                      const frontend::Options &);

/// Which findings are asked for: by options, else by the configuration of the first file.
FindingFilter filterOf(const RunOptions &, const std::vector<std::string> &Files);

/// Takes away what is known of the baseline, makes the new one, and counts: of the findings of a run over `Files`
/// that were not held against it yet.
void useBaseline(RunOutcome &, const std::vector<std::string> &Files, const RunOptions &);

/// From all findings of a run over `Files` to those that are to be shown, with notes about the baseline.
void adopt(RunOutcome &, const std::vector<std::string> &Files, const RunOptions &);

} // namespace warplint::driver

#endif
