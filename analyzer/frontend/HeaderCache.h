//===-- HeaderCache.h - CUDA's headers, parsed once ----------------*- C++ -*-===//
//
// Every parse begins with the same forced headers (Command::preamble), most of whose time they are. They are
// precompiled once per set of flags, in memory for the run and on disk for the next one.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_FRONTEND_HEADERCACHE_H
#define WARPLINT_ANALYZER_FRONTEND_HEADERCACHE_H

#include "analyzer/frontend/Cache.h"
#include "analyzer/frontend/Dependencies.h"
#include "analyzer/frontend/Frontend.h"
#include "llvm/ADT/StringMap.h"
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

namespace clang {
class CompilerInvocation;
}

namespace warplint::frontend {

struct PrecompiledHeader {
  Cache::Entry entry;                   ///< what `bytes` lies in
  llvm::StringRef bytes;                ///< Clang's precompiled header
  std::vector<Dependency> dependencies; ///< of the header itself
};

/// The file that a precompiled header is made from, which Clang looks for when it is used: empty, as the forced
/// includes say it all.
inline constexpr llvm::StringLiteral PreambleFile = "/__warplint/preamble.cu";

/// Thread-safe; threads that need the same header wait for the first one's.
class HeaderCache {
public:
  /// `Disk`: null keeps headers in memory alone.
  HeaderCache(std::shared_ptr<const Cache> Disk, std::shared_ptr<DependencyChecker> Checker)
      : Disk(std::move(Disk)), Checker(std::move(Checker)) {}

  /// The precompiled headers of a command's parse, which starts with the command's preamble. Null when they
  /// cannot be made, by errors in them, say: the parse then reads them itself and reports.
  std::shared_ptr<const PrecompiledHeader> get(const clang::CompilerInvocation &, const Command &,
                                               llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> OnDisk,
                                               llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> InMemoryFiles);

private:
  using Header = std::shared_ptr<const PrecompiledHeader>;
  Header fromDisk(llvm::StringRef Key) const;

  std::shared_ptr<const Cache> Disk;
  std::shared_ptr<DependencyChecker> Checker;
  std::mutex Lock;
  std::condition_variable Changed;
  llvm::StringMap<std::shared_ptr<std::optional<Header>>> Known; ///< nothing inside: somebody is at it
  static constexpr size_t MaxHeld = 8;
  std::deque<std::string> Held; ///< keys of headers that are not on disk, oldest first
};

} // namespace warplint::frontend

#endif
