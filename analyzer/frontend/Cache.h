//===-- Cache.h - A folder of entries that runs share --------------*- C++ -*-===//
//
// Keeps blobs by key between runs. Any number of processes may share the folder: an entry appears as a whole
// or not at all, a damaged one counts as absent, and a folder that cannot be written to only costs time.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_FRONTEND_CACHE_H
#define WARPLINT_ANALYZER_FRONTEND_CACHE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace warplint::frontend {

class Cache {
public:
  /// Bytes that an entry holds, mapped from its file while this lives.
  struct Entry {
    std::shared_ptr<const llvm::MemoryBuffer> file;
    llvm::StringRef bytes; ///< 8-byte aligned
    explicit operator bool() const { return file != nullptr; }
  };

  /// `Folder`: made when first needed.
  explicit Cache(std::string Folder) : Folder(std::move(Folder)) {}

  /// The user's cache folder ($XDG_CACHE_HOME or ~/.cache, say) with "warplint" in it; "" when there is none.
  static std::string defaultFolder();
  /// A name for what depends on all of `Parts` and on this very build of the tool.
  static std::string key(llvm::ArrayRef<llvm::StringRef> Parts);

  /// Nothing when absent or damaged.
  Entry load(llvm::StringRef Key) const;
  /// False when the folder cannot be written to.
  bool store(llvm::StringRef Key, llvm::StringRef Bytes) const;
  /// Removes the entries that were not used for longest when there are too many bytes of them. Looks at the
  /// folder at most every few minutes.
  void prune(uint64_t MaxBytes = DefaultMaxBytes) const;

  static constexpr uint64_t DefaultMaxBytes = uint64_t(2) << 30;
  const std::string &folder() const { return Folder; }

private:
  std::string pathOf(llvm::StringRef Key) const;

  std::string Folder;
};

} // namespace warplint::frontend

#endif
