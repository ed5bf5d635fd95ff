//===-- Database.h - compile_commands.json -------------------------*- C++ -*-===//
//
// Reads a compilation database once per process and finds entries by file.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_FRONTEND_DATABASE_H
#define WARPLINT_ANALYZER_FRONTEND_DATABASE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm::json {
class Value;
}

namespace warplint::frontend {

struct DatabaseEntry {
  std::string directory;          ///< absolute
  std::string file;               ///< absolute, without "." and ".."
  std::vector<std::string> words; ///< the command, program first
  bool cuda = false;              ///< by the file's name or the command's language
};

class Database {
public:
  /// `Folder` holds compile_commands.json, or is that file. Reads it again only when it has changed.
  static llvm::Expected<std::shared_ptr<const Database>> load(llvm::StringRef Folder);
  /// The database of that text, as if read from the file `Path` (absolute).
  static llvm::Expected<std::shared_ptr<const Database>> read(llvm::StringRef Text, llvm::StringRef Path);
  /// The nearest folder upward from `File` that has a database; "" when there is none.
  static std::string folderAbove(llvm::StringRef File);

  const std::vector<DatabaseEntry> &entries() const { return Entries; }
  const std::string &path() const { return Path; }
  /// Entries that say too little to be used, in words.
  const std::vector<std::string> &problems() const { return Problems; }
  /// The entry of an absolute file, one that compiles CUDA first; links are looked through. Null: not listed.
  const DatabaseEntry *find(llvm::StringRef File) const;
  /// All of them: several targets and configurations may compile a file. find()'s comes first.
  std::vector<const DatabaseEntry *> findAll(llvm::StringRef File) const;
  /// The CUDA entry whose name and folder are most like `File`'s; null without CUDA entries.
  const DatabaseEntry *nearest(llvm::StringRef File) const;
  /// The entries that compile CUDA, or those that do not, each file once; those most likely to include `File`
  /// first: by its name, then by its folder.
  std::vector<const DatabaseEntry *> likelyIncluders(llvm::StringRef File, bool Cuda) const;

private:
  llvm::Error parse(llvm::StringRef Text);
  bool add(const llvm::json::Value &Item, std::string &Problem);

  std::string Path;
  std::vector<DatabaseEntry> Entries;
  std::vector<std::string> Problems;
  llvm::StringMap<size_t> ByFile;
};

/// Extensions that are CUDA whatever the command says.
bool isCudaSourceName(llvm::StringRef File);
/// Extensions of headers, which are CUDA when CUDA files include them.
bool isHeaderName(llvm::StringRef File);

} // namespace warplint::frontend

#endif
