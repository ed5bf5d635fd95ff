//===-- WriteFile.h - Writing a file as a whole ------------------------*- C++ -*-===//
#ifndef WARPLINT_ANALYZER_DRIVER_WRITEFILE_H
#define WARPLINT_ANALYZER_DRIVER_WRITEFILE_H

#include "llvm/Support/Error.h"

namespace warplint::driver {

/// Writes a file as a whole or not at all: readers never see half of it. A file that is there keeps its
/// permissions and owner, a symbolic link stays one, a device or pipe is written to; "-" is stdout.
llvm::Error writeFile(llvm::StringRef File, llvm::StringRef Text);

} // namespace warplint::driver

#endif
