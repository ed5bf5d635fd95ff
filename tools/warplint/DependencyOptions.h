//===-- DependencyOptions.h - What a report rests on, for build systems ---*- C++ -*-===//
#ifndef WARPLINT_TOOLS_WARPLINT_DEPENDENCYOPTIONS_H
#define WARPLINT_TOOLS_WARPLINT_DEPENDENCYOPTIONS_H

#include "analyzer/driver/Run.h"
#include <string>

namespace warplint::options {

/// What is wrong with --dependency-file; "" where nothing is.
std::string readDependencyOptions(driver::RunOptions &);
/// Writes the file of --dependency-file, if that is given; the exit status.
int writeDependencies(const driver::RunOutcome &);

} // namespace warplint::options

#endif
