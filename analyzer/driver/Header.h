//===-- Header.h - Headers, through the units that include them --------------------*- C++ -*-===//
//
// A header's templates have no instances, and its kernels no launches, unless a translation unit that
// includes it is parsed. What that unit says about other files is not what was asked for.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_DRIVER_HEADER_H
#define WARPLINT_ANALYZER_DRIVER_HEADER_H

#include "analyzer/frontend/Frontend.h"
#include "analyzer/kernel/Analysis.h"
#include "analyzer/result/Result.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <vector>

namespace warplint::driver {

/// What the analysis of one file gives.
struct FileOutcome {
  std::vector<result::Kernel> kernels;
  std::vector<result::Error> errors;
  std::vector<std::string> notes;
  std::string failure;
  bool hasNoKernels = false; ///< the unit's errors are not why there is none
  double parseSeconds = 0, analysisSeconds = 0;
  kernel::Statistics statistics;
};

/// Analyses the command's unit. Where that is not the requested file, only what lies in the latter is kept; a
/// unit that shows no kernel of it gives way to the command's others, and these to the file by itself.
FileOutcome throughIncluders(const frontend::Command &, const frontend::Options &,
                             llvm::function_ref<FileOutcome(const frontend::Command &)> Analyze);

} // namespace warplint::driver

#endif
