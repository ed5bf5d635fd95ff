//===-- Header.h - Headers, through the units that include them --------------------*- C++ -*-===//
//
// A header's templates have no instances, and its kernels no launches, unless a translation unit that
// includes it is parsed. What that unit says about other files is not what was asked for.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_DRIVER_HEADER_H
#define WARPLINT_ANALYZER_DRIVER_HEADER_H

#include "analyzer/frontend/Frontend.h"
#include "analyzer/result/Result.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <vector>

namespace warplint::driver {

/// What one unit says about the requested file.
struct Shown {
  std::vector<result::Kernel> kernels;
  std::vector<result::Error> errors;
  std::vector<std::string> notes; ///< of the command that showed it
  bool hasNoKernels = false;      ///< the file has none, whatever the errors
};

/// Calls `Analyze` with the command. Where its unit is not the requested file, only what lies in the latter
/// is kept; a unit that shows no kernel of it gives way to the command's others, and these to the file by
/// itself.
Shown throughIncluders(const frontend::Command &, const frontend::Options &,
                       llvm::function_ref<Shown(const frontend::Command &)> Analyze);

} // namespace warplint::driver

#endif
