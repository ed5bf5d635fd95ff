//===-- Toolkit.h - Where CUDA's and Clang's own headers are -------*- C++ -*-===//
//
// Finds the CUDA toolkit whose headers serve a parse, and Clang's resource directory.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_FRONTEND_TOOLKIT_H
#define WARPLINT_ANALYZER_FRONTEND_TOOLKIT_H

#include "analyzer/frontend/Frontend.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace warplint::frontend {

/// A CUDA installation, as far as a parse needs it.
struct Toolkit {
  std::string folder;                ///< as the user or the search named it; "" when there is none
  std::vector<std::string> includes; ///< absolute, in search order; the first has cuda_runtime.h
  bool found() const { return !folder.empty(); }
};

/// The toolkit in `Folder`, whatever its layout; one that is not found() when cuda_runtime.h is not there.
Toolkit toolkitIn(llvm::StringRef Folder);

/// Searches --cuda-path, `CommandPath` (a folder that the compile command names), the folder above
/// `CommandCompiler` when that is an nvcc, CUDA_PATH, CUDA_HOME, nvcc on PATH, and the usual places.
/// An error only for an explicit --cuda-path that has no toolkit.
llvm::Expected<Toolkit> findToolkit(const Options &, llvm::StringRef CommandCompiler = "",
                                    llvm::StringRef CommandPath = "", llvm::StringRef WorkingDirectory = "");

/// Clang's resource directory: beside an installed tool, else the one warplint was built with.
llvm::Expected<std::string> resourceDirectory(const Options &);

} // namespace warplint::frontend

#endif
