//===-- ContractComments.h - `warplint: expect ...` in comments -----------------------*- C++ -*-===//
//
// Finds contracts in a file's comments, with the code that each speaks of: on its own line, the statement or
// declaration after it; behind code, that line.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_DRIVER_CONTRACTCOMMENTS_H
#define WARPLINT_ANALYZER_DRIVER_CONTRACTCOMMENTS_H

#include "rules/CostContract.h"
#include <functional>

namespace warplint::driver {

struct ContractComments {
  std::vector<rules::Contract> contracts;
  std::vector<result::Finding> problems; ///< of their words
};

/// Of one file's text; `File` is its name.
ContractComments contractsIn(llvm::StringRef Text, const std::string &File);

/// Adds to the report what its kernels do to the contracts in the sources that it speaks of, and in `Files`,
/// and to those of the command line. `Read` gives a file's text.
void checkContracts(result::Report &, const std::vector<std::string> &Files,
                    const std::vector<rules::Contract> &OfCommandLine,
                    const std::function<std::string(const std::string &)> &Read);

} // namespace warplint::driver

#endif
