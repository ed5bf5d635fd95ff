//===-- Shard.h - A run in parts, and the parts as one ------------------*- C++ -*-===//
//
// A large project is analysed in parts, on several machines at the same time. What their reports say together
// is what one run would have said.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_DRIVER_SHARD_H
#define WARPLINT_ANALYZER_DRIVER_SHARD_H

#include "analyzer/driver/Run.h"
#include "llvm/Support/Error.h"

namespace warplint::driver {

/// The indices, in their order, of the files that one part of a run analyses. Each file is in exactly one
/// part.
///
/// Files are put in the order of a hash of their names relative to `Base`, and that row is cut into pieces of
/// the same length, give or take one. So all parts get as many files as the others, neighbours in a folder
/// are spread, and a file that comes or goes moves at most one other across each cut: the parts' caches stay
/// of use.
std::vector<unsigned> filesOfShard(const std::vector<std::string> &Files, const ShardRequest &);

/// Adds to the report of one part what it takes to put it together with the others. `Files` are those of all
/// parts.
void describeShard(RunOutcome &, const std::vector<std::string> &Files, const std::vector<unsigned> &Mine,
                   const RunOptions &);

/// A report with the name of its file, for messages.
struct NamedReport {
  std::string name;
  result::Report report;
};

/// Several reports as one. Of the parts of one run: all of them, and the result is that run's. Of whole runs:
/// what several have is there once, a finding as the worst of them.
///
/// `Baseline` has the baselines to read and to write, which are about a whole run: what is known, and even more so
/// what is fixed, of a header can only be told from the findings of all parts. So parts are merged as if they had
/// been run without one, and the result is held against it.
llvm::Expected<RunOutcome> mergeReports(std::vector<NamedReport>, AdoptionOptions Baseline = {});

} // namespace warplint::driver

#endif
