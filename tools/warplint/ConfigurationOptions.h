//===-- ConfigurationOptions.h - --config and its kin -------------------------------*- C++ -*-===//
#ifndef WARPLINT_TOOLS_WARPLINT_CONFIGURATIONOPTIONS_H
#define WARPLINT_TOOLS_WARPLINT_CONFIGURATIONOPTIONS_H

#include "analyzer/driver/Run.h"
#include <optional>
#include <string>
#include <vector>

namespace warplint::options {

/// Takes --config, --config-file and --report-unused-suppressions into the run, and adds to every
/// configuration what the options of the run say already. Returns what is wrong; nothing is fine.
std::vector<std::string> readConfigurationOptions(driver::RunOptions &);

/// Does --dump-config or --verify-config ask for something else than a run?
bool asksForConfiguration();
/// Of --config-file; "" where none is given.
const std::string &configurationFile();
/// Does what they ask: for `Files`, or for the current folder when there are none. Returns what is wrong.
std::vector<std::string> showConfiguration(driver::Configurations &, const std::vector<std::string> &Files);

} // namespace warplint::options

#endif
