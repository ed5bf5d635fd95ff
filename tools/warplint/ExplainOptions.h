//===-- ExplainOptions.h - --explain-access -------------------------------------------*- C++ -*-===//
#ifndef WARPLINT_TOOLS_WARPLINT_EXPLAINOPTIONS_H
#define WARPLINT_TOOLS_WARPLINT_EXPLAINOPTIONS_H

#include "analyzer/driver/Explain.h"
#include "analyzer/frontend/Frontend.h"
#include "llvm/Support/raw_ostream.h"

namespace warplint::options {

/// The place that --explain-access names; nothing without the option. `Problem` says what is wrong with it.
std::optional<driver::AccessQuery> accessQuery(std::string &Problem);

/// What to analyse where no input is named: the file; with a header the unit that includes it as well, since
/// kernels elsewhere may use what it has.
std::vector<std::string> inputsFor(const driver::AccessQuery &, const frontend::Options &);

/// Prints the accesses at the place. Where there are none: what is wrong, then notes on it.
std::vector<std::string> explainAccess(llvm::raw_ostream &, const result::Report &,
                                       const driver::AccessQuery &);

} // namespace warplint::options

#endif
