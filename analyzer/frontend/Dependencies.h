//===-- Dependencies.h - The files that an answer rests on ---------*- C++ -*-===//
//
// Records what a parse reads and what it looks for in vain, and tells later whether all of that is still so.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_FRONTEND_DEPENDENCIES_H
#define WARPLINT_ANALYZER_FRONTEND_DEPENDENCIES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <mutex>
#include <string>
#include <vector>

namespace warplint::frontend {

/// A file as a parse saw it. Without `exists`: a place where an #include was searched and nothing was, which
/// matters as much: a file put there would be found first.
struct Dependency {
  std::string path; ///< absolute
  bool exists = false;
  bool read = false;  ///< its contents matter, not only that it is there
  uint64_t hash = 0;  ///< of the contents; of a folder, its files' names
  /// Size, times, inode and device; 0 when the file changed so recently that they prove nothing.
  uint64_t stamp = 0;
};

/// Remembers every file that is asked for through it. For one parse: not thread-safe.
class DependencyRecorder : public llvm::vfs::ProxyFileSystem {
public:
  explicit DependencyRecorder(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Disk)
      : ProxyFileSystem(std::move(Disk)) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &Path) override;
  bool exists(const llvm::Twine &Path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &Path) override;

  llvm::vfs::directory_iterator dir_begin(const llvm::Twine &Folder, std::error_code &Problem) override;

  /// By path.
  std::vector<Dependency> dependencies() const;

private:
  Dependency &note(const llvm::Twine &Path);

  llvm::StringMap<Dependency> Seen;
};

/// Compares files with what was recorded about them; looks at each file once in its life, so that files of
/// one run that share headers share the work.
class DependencyChecker {
public:
  bool unchanged(llvm::ArrayRef<Dependency>);

private:
  struct State {
    bool exists = false;
    uint64_t stamp = 0;
    std::optional<uint64_t> hash; ///< computed when a stamp does not settle it
  };
  bool unchanged(const Dependency &);

  std::mutex Lock;
  llvm::StringMap<State> Now;
};

} // namespace warplint::frontend

#endif
