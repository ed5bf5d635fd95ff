//===-- FixOptions.h - Fixes on the command line -----------------------*- C++ -*-===//
#ifndef WARPLINT_TOOLS_WARPLINT_FIXOPTIONS_H
#define WARPLINT_TOOLS_WARPLINT_FIXOPTIONS_H

#include "analyzer/driver/Run.h"
#include <string>
#include <vector>

namespace warplint::options {

/// Is anything asked for that needs fixes to be tried out: --fix, --fix-diff, --show-fixes or --export-fixes?
bool asksForFixes();
/// What is wrong with these options together, and what to do; "" when nothing is. Where stdout is to have the
/// diff alone, the report goes to stderr from here on.
std::string readFixOptions();

/// Exports, applies or prints the fixes, and tells of it. The exit status for what went wrong.
int useFixes(const driver::RunOutcome &, const std::vector<std::string> &Inputs, const driver::RunOptions &);

} // namespace warplint::options

#endif
