//===-- AdoptionOptions.h - Filters, baselines and contracts on the command line ------*- C++ -*-===//
#ifndef WARPLINT_TOOLS_WARPLINT_ADOPTIONOPTIONS_H
#define WARPLINT_TOOLS_WARPLINT_ADOPTIONOPTIONS_H

#include "analyzer/driver/Run.h"
#include <string>
#include <vector>

namespace warplint::options {

/// Reads --header-filter, --exclude-header-filter, --line-filter, --diff, --baseline, --write-baseline and
/// --expect. `Files` were named on the command line. Returns what is wrong and what to do; "" when nothing
/// is.
std::string readAdoptionOptions(driver::RunOptions &, const std::vector<std::string> &Files);

/// The part of that which is about --baseline and --write-baseline.
std::string readBaselines(driver::AdoptionOptions &, bool IsShard);

/// Of all files of a database, those that --diff leaves; all of them without it.
std::vector<std::string> withChanges(std::vector<std::string> Files, const driver::RunOptions &);

/// Writes the baseline that was asked for, and tells of it unless --quiet. Returns what went wrong.
std::string writeNewBaseline(const driver::RunOutcome &, const driver::RunOptions &);

} // namespace warplint::options

#endif
