//===-- Git.h - What has changed since a revision ---------------------------------*- C++ -*-===//
//
// Asks the `git` program. A repository's own configuration can name programs to be run (filters, textconv,
// external diffs, monitors, hooks, the transport of a partial clone); a checkout is no reason to run them, so
// all of these are switched off.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_DRIVER_GIT_H
#define WARPLINT_ANALYZER_DRIVER_GIT_H

#include "analyzer/driver/Diff.h"

namespace warplint::driver {

/// The lines of the working tree that differ from `Revision`, staged or not, and all of the files that git
/// does not know and does not ignore; by absolute name, links resolved. `Revision` with "..." at its end:
/// since the branch left that revision. `Folder` is any folder of the repository. Errors say what is wrong
/// and what to do.
llvm::Expected<ChangedLines> changedSince(llvm::StringRef Revision, llvm::StringRef Folder);

} // namespace warplint::driver

#endif
