//===-- Run.h - One run over files: parse, analyse, lint, fix ----------------------*- C++ -*-===//
//
// Ties the layers together for the command line and other tools. Nothing here prints.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_DRIVER_RUN_H
#define WARPLINT_ANALYZER_DRIVER_RUN_H

#include "analyzer/driver/Adoption.h"
#include "analyzer/driver/Configuration.h"
#include "analyzer/driver/Verdict.h"
#include "analyzer/frontend/Frontend.h"
#include "analyzer/kernel/Analysis.h"
#include "analyzer/result/Result.h"
#include <functional>
#include <string>
#include <vector>

namespace warplint::driver {

/// One of several parts of a run.
struct ShardRequest {
  unsigned index = 1, count = 1; ///< from 1 on
  std::string base;              ///< folder that the files' names are relative to
};

struct RunOptions {
  frontend::Options frontend;
  kernel::AnalysisOptions analysis;
  std::string checks;           ///< globs added to the defaults
  std::string warningsAsErrors; ///< globs: findings of these rules become errors
  std::optional<std::string> configurationText;   ///< YAML of --config or --config-file
  std::shared_ptr<Configurations> configurations; ///< .warplint files, with the two above in them; null: none
  bool reportUnusedSuppressions = false;
  Machine machine;              ///< what kernels as a whole are rated for
  bool verifyFixes = false;     ///< re-analyse fixes, so that they can be offered
  unsigned jobs = 1;            ///< files analysed at the same time; 0: one per core
  std::string cacheFolder;      ///< what later runs can use; "": nothing is kept or used
  std::vector<std::string> project; ///< beside the database's files, those whose launches count
  bool resultCache = true;      ///< with a cache folder: results too, not CUDA's headers alone
  bool listDependencies = false;     ///< fill RunOutcome::dependencies
  AdoptionOptions adoption;     ///< what is asked for, accepted and insisted on
  std::optional<ShardRequest> shard; ///< analyse these of the files alone
};

struct RunOutcome {
  result::Report report;
  std::vector<std::string> notes;    ///< for stderr: options dropped, assumptions about compile commands
  std::vector<std::string> failures; ///< files that could not be analysed at all, each with its remedy
  unsigned crashes = 0;              ///< files whose analysis was left by a crash or for its time
  unsigned badSuppressions = 0;      ///< unmatched NOLINTBEGIN and NOLINTEND, which are errors of the report
  std::vector<std::string> unusedSuppressions; ///< NOLINT comments that silence nothing, where asked for
  double parseSeconds = 0;           ///< Clang's parse, summed over files
  double analysisSeconds = 0;        ///< everything after it
  kernel::Statistics statistics;
  /// The files on disk that any of this rests on, by name: sources, headers, configurations, and where a kernel's
  /// launches are looked for in other files, these.
  std::vector<std::string> dependencies;
  unsigned fromCache = 0;   ///< files that were not parsed because nothing they rest on had changed
  bool interrupted = false; ///< the report is of the files that were done
  std::optional<std::string> newBaseline; ///< text of the file that was asked for
  size_t findingsInBaseline = 0;          ///< how many that holds
};

/// After each file.
struct Progress {
  size_t done = 0, total = 0; ///< files
  std::string file;
  size_t kernels = 0, findings = 0; ///< of this file
};

/// Analyses the files, in parallel where allowed; results come in the order of `Files`, each file once. A kernel
/// or finding that several files include is reported once. `OnProgress` is called by one thread at a time.
/// `Interrupted` is asked several times a second; once it says so, the run ends with the files that are done,
/// while threads may be at work on others: the process is not to go on for long.
RunOutcome run(const std::vector<std::string> &Files, const RunOptions &,
               std::function<void(const Progress &)> OnProgress = nullptr,
               std::function<bool()> Interrupted = nullptr);

} // namespace warplint::driver

#endif
