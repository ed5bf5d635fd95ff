//===-- Invocation.h - From a command to what Clang is run with ------*- C++ -*-===//
//
// What a parse of the device side and a compilation of the host side share: the files that Clang gets to see,
// its driver's reading of the command, and what holds whatever the command says.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_FRONTEND_INVOCATION_H
#define WARPLINT_ANALYZER_FRONTEND_INVOCATION_H

#include "analyzer/frontend/ErrorCollector.h"
#include "analyzer/frontend/Frontend.h"
#include "analyzer/frontend/UserFiles.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <memory>

namespace clang {
class CompilerInvocation;
}

namespace warplint::frontend {

/// The files of one parse: what is held in memory before what is on disk.
struct Files {
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> disk;
  llvm::IntrusiveRefCntPtr<DependencyRecorder> recorder;           ///< of `disk`
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> headers; ///< CUDA's, as far as they are ours
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> overlay;
  llvm::IntrusiveRefCntPtr<UserFiles> all; ///< as Clang gets to see them
};
Files filesFor(const Command &, const Options &, LaunchLists = LaunchLists::Parentheses);

/// The driver's reading of the command; null when there is none, which errors at the collector may explain.
std::shared_ptr<clang::CompilerInvocation> invocationFor(const Command &, const Files &, ErrorCollector &);
/// Why there is none, when nothing else explains it.
std::string notUnderstood(const Command &);

/// Errors only, nothing written that was not asked for, no code of others run, the names of static kernels.
void settleCommon(clang::CompilerInvocation &);

/// Files that were refused come before the errors that this made.
void noteRefused(std::vector<result::Error> &Errors, const Command &, const Files &);

} // namespace warplint::frontend

#endif
