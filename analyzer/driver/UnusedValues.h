//===-- UnusedValues.h - Given values that met no kernel ----------------------------*- C++ -*-===//
//
// A misspelt name in --assume, Assume: or Kernels: changes no number, and that is all that can be seen of it.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_DRIVER_UNUSEDVALUES_H
#define WARPLINT_ANALYZER_DRIVER_UNUSEDVALUES_H

#include "analyzer/driver/Run.h"

namespace warplint::driver {

/// What was said of kernels and parameters and met none of those that were analysed. Of configurations only
/// where these are all that the project has, each analysed without errors: else they may speak of the others.
std::vector<std::string> unusedValues(const RunOutcome &, const RunOptions &);

} // namespace warplint::driver

#endif
