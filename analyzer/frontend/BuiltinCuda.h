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
/// Searched after all other folders, with a toolkit and without: stand-ins for headers that are not
/// installed.
inline constexpr llvm::StringLiteral FallbackIncludeFolder = "/__warplint/fallback";
/// Includes the CUDA headers of a toolkit, as Clang's wrapper orders them.
inline constexpr llvm::StringLiteral ToolkitHeader = "/__warplint/toolkit.h";
/// Included before CUDA's declarations, whatever their source.
inline constexpr llvm::StringLiteral BeforeHeader = "/__warplint/before.h";
/// What nvcc's headers have and Clang's lack; included after CUDA's declarations, whatever their source.
inline constexpr llvm::StringLiteral SupplementHeader = "/__warplint/supplement.h";

void addToolkitHeader(llvm::vfs::InMemoryFileSystem &);
/// What every parse needs: the headers before and after CUDA's, and the fallback folder.
void addSupplement(llvm::vfs::InMemoryFileSystem &);
/// What takes the toolkit's place.
void addBuiltinCuda(llvm::vfs::InMemoryFileSystem &);

} // namespace warplint::frontend

#endif
