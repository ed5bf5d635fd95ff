//===-- UserFiles.h - The files of a parse, as Clang gets to see them -*- C++ -*-===//
//
// Stands between Clang and the files: rewrites launches that only nvcc reads, and refuses what would hang or
// exhaust a run (pipes, devices, files beyond the size limit), with words for people.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_FRONTEND_USERFILES_H
#define WARPLINT_ANALYZER_FRONTEND_USERFILES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <map>
#include <set>
#include <string>
#include <vector>

namespace warplint::frontend {

/// What a launch's list of dimensions becomes, `<<<{8, 8}, n>>>`.
enum class LaunchLists {
  Parentheses, ///< every place stays as it is; the dimensions are read from the tree
  Constructors ///< `dim3(8, 8)`, for code that is to run
};

class UserFiles : public llvm::vfs::ProxyFileSystem {
public:
  /// `Toolkit`: the folder whose files are as they should be; "" when there is none. `SizeLimit`: in bytes of
  /// one file; 0 for none.
  UserFiles(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Disk, std::string Toolkit, uint64_t SizeLimit,
            LaunchLists How = LaunchLists::Parentheses)
      : ProxyFileSystem(std::move(Disk)), Toolkit(std::move(Toolkit)), SizeLimit(SizeLimit), How(How) {}

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &Path) override;

  /// Files that were not read, with the reason and what to do.
  const std::map<std::string, std::string> &refused() const { return Refused; }
  /// Does a '(' at this offset of a file stand for the '{' of a launch's list of dimensions?
  bool isList(llvm::sys::fs::UniqueID File, unsigned Offset) const {
    auto It = Lists.find(File);
    return It != Lists.end() && It->second.count(Offset);
  }

private:
  std::string whyRefused(const llvm::vfs::Status &) const;

  std::string Toolkit;
  uint64_t SizeLimit;
  LaunchLists How;
  std::map<std::string, std::string> Refused;
  std::map<llvm::sys::fs::UniqueID, std::set<unsigned>> Lists;
};

} // namespace warplint::frontend

#endif
