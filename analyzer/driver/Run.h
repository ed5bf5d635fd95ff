//===-- Run.h - One run over files: parse, analyse, lint, fix ----------------------*- C++ -*-===//
//
// Ties the layers together for the command line and other tools. Nothing here prints.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_DRIVER_RUN_H
#define WARPLINT_ANALYZER_DRIVER_RUN_H

#include "analyzer/frontend/Frontend.h"
#include "analyzer/kernel/Analysis.h"
#include "analyzer/result/Result.h"
#include <functional>
#include <string>
#include <vector>

namespace warplint::driver {

struct RunOptions {
  frontend::Options frontend;
  kernel::AnalysisOptions analysis;
  std::string checks;           ///< globs added to the defaults
  std::string warningsAsErrors; ///< globs: findings of these rules become errors
  bool verifyFixes = false;     ///< re-analyse fixes, so that they can be offered
  unsigned jobs = 1;            ///< files analysed at the same time
};

struct RunOutcome {
  result::Report report;
  std::vector<std::string> notes;    ///< for stderr: options dropped, assumptions about compile commands
  std::vector<std::string> failures; ///< files that could not be analysed at all, each with its remedy
  unsigned badSuppressions = 0;      ///< unmatched NOLINTBEGIN and NOLINTEND, which are errors of the report
  double parseSeconds = 0;           ///< Clang's parse, summed over files
  double analysisSeconds = 0;        ///< everything after it
  kernel::Statistics statistics;
};

/// Analyses the files, in parallel where allowed; results come in the order of `Files`. A kernel or finding
/// that several files include is reported once.
RunOutcome run(const std::vector<std::string> &Files, const RunOptions &,
               std::function<void(const std::string &File)> Progress = nullptr);

} // namespace warplint::driver

#endif
