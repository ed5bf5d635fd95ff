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
  bool unitHasKernels = false;    ///< here or elsewhere: errors did not take all of them
  bool hasNoKernels = false;      ///< the file has none, whatever the errors
};

/// Takes the kernels away that lie outside the requested file, before work is done on them; says whether the
/// unit had any.
bool keepRequestedKernels(frontend::Unit &);

/// Calls `Analyze` with the command, which says what the unit has. Where its unit is not the requested file,
/// only what lies in the latter is kept; a unit that shows no kernel of it gives way to the command's others,
/// and these to the file by itself. A file with several commands of its own has what all of them show.
Shown throughIncluders(const frontend::Command &, const frontend::Options &,
                       llvm::function_ref<Shown(const frontend::Command &)> Analyze);

} // namespace warplint::driver

#endif
