//===-- BuiltinCuda.h - CUDA's declarations without a toolkit ------*- C++ -*-===//
//
// What kernels need of CUDA's headers, held in memory: used with --no-cuda and where no toolkit is installed.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_FRONTEND_BUILTINCUDA_H
#define WARPLINT_ANALYZER_FRONTEND_BUILTINCUDA_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace warplint::frontend {

/// The folder under which the headers appear. It exists in memory alone.
inline constexpr llvm::StringLiteral BuiltinIncludeFolder = "/__warplint/include";
/// Includes everything; the parse includes it before the file.
inline constexpr llvm::StringLiteral BuiltinHeader = "/__warplint/include/__warplint_cuda.h";
/// Includes the CUDA headers of a toolkit, as Clang's wrapper orders them.
inline constexpr llvm::StringLiteral ToolkitHeader = "/__warplint/toolkit.h";
/// What nvcc's headers have and Clang's lack; included after CUDA's declarations, whatever their source.
inline constexpr llvm::StringLiteral SupplementHeader = "/__warplint/supplement.h";

void addToolkitHeader(llvm::vfs::InMemoryFileSystem &);
void addSupplement(llvm::vfs::InMemoryFileSystem &);
void addBuiltinCuda(llvm::vfs::InMemoryFileSystem &);

} // namespace warplint::frontend

#endif
