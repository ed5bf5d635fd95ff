//===-- Cache.cpp - A folder of entries that runs share -------------------===//
#include "analyzer/frontend/Cache.h"
#include "clang/Basic/Version.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include "llvm/TargetParser/Host.h"
#include <atomic>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;
namespace path = llvm::sys::path;
namespace fs = llvm::sys::fs;

namespace warplint::frontend {

namespace {

/// Closes every entry, behind its checksum; changes with the layout.
constexpr uint64_t Mark = 0x31746e696c707277; // "wrplint1"
constexpr size_t TrailerSize = 16;

/// A file on disk, and when it was made.
std::string identityOf(const std::string &File) {
  fs::file_status Status;
  if (fs::status(File, Status))
    return File + '\0';
  return File + '\0' + utostr(Status.getSize()) + '\0' +
         itostr(Status.getLastModificationTime().time_since_epoch().count()) + '\0';
}

/// This build, and the shared libraries of Clang and LLVM that it runs with: they are updated on their own.
std::string toolIdentity() {
  static int Anchor;
  std::string Result = identityOf(fs::getMainExecutable("warplint", &Anchor));
  for (void *Place : {reinterpret_cast<void *>(&clang::getClangFullVersion),
                      reinterpret_cast<void *>(&sys::getDefaultTargetTriple)})
    if (Dl_info Library; dladdr(Place, &Library) && Library.dli_fname)
      Result += identityOf(Library.dli_fname);
  return Result + clang::getClangFullRepositoryVersion();
}

} // namespace

std::string Cache::defaultFolder() {
  SmallString<128> Folder;
  // The XDG specification: "if an implementation encounters a relative path [...] it should consider the path
  // invalid and ignore it". The working folder is no place for it.
  if (!path::cache_directory(Folder) || !path::is_absolute(Folder)) {
    if (!path::home_directory(Folder) || !path::is_absolute(Folder))
      return "";
    path::append(Folder, ".cache");
  }
  path::append(Folder, "warplint");
  return std::string(Folder);
}

std::string Cache::key(ArrayRef<StringRef> Parts) {
  static const std::string Tool = toolIdentity();
  std::string Text = Tool;
  for (StringRef Part : Parts)
    // With its length: "ab","c" is not "a","bc".
    ((Text += '\0') += utostr(Part.size()) + ":") += Part;
  XXH128_hash_t Hash = xxh3_128bits(arrayRefFromStringRef(Text));
  return utohexstr(Hash.high64, /*LowerCase=*/true, 16) + utohexstr(Hash.low64, /*LowerCase=*/true, 16);
}

std::string Cache::pathOf(StringRef Key) const {
  SmallString<256> File(Folder);
  path::append(File, "llvmcache-" + Key); // pruneCache() touches files of this name alone
  return std::string(File);
}

Cache::Entry Cache::load(StringRef Key) const {
  const std::string File = pathOf(Key);
  ErrorOr<std::unique_ptr<MemoryBuffer>> Found =
      MemoryBuffer::getFile(File, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!Found)
    return {};
  StringRef All = (*Found)->getBuffer();
  if (All.size() >= TrailerSize) {
    StringRef Bytes = All.drop_back(TrailerSize);
    const char *Trailer = Bytes.end();
    if (support::endian::read64le(Trailer) == xxh3_64bits(Bytes) &&
        support::endian::read64le(Trailer + 8) == Mark)
      return {std::move(*Found), Bytes};
  }
  fs::remove(File); // its next user makes it anew
  return {};
}

bool Cache::store(StringRef Key, StringRef Bytes) const {
  if (fs::create_directories(Folder))
    return false;
  // Not llvm::writeToOutput(): it would take a '%' of the folder's name for a wildcard. pruneCache() removes
  // what a killed process left.
  static std::atomic<unsigned> Count = 0;
  const std::string Temporary =
      pathOf("new-" + utostr(sys::Process::getProcessId()) + "-" + utostr(++Count));
  int Handle = -1;
  if (fs::openFileForWrite(Temporary, Handle, fs::CD_CreateNew, fs::OF_None))
    return false;
  FileRemover Remover(Temporary);
  raw_fd_ostream OS(Handle, /*shouldClose=*/true);
  char Trailer[TrailerSize];
  support::endian::write64le(Trailer, xxh3_64bits(Bytes));
  support::endian::write64le(Trailer + 8, Mark);
  OS << Bytes << StringRef(Trailer, TrailerSize);
  OS.close();
  const bool Written = !OS.has_error();
  OS.clear_error();
  if (!Written || fs::rename(Temporary, pathOf(Key)))
    return false;
  Remover.releaseFile();
  return true;
}

void Cache::prune(uint64_t MaxBytes) const {
  CachePruningPolicy Policy;
  Policy.Expiration = std::chrono::hours(24 * 30);
  Policy.MaxSizeBytes = MaxBytes;
  // LLVM gives up the program where the folder is gone, and somebody may be emptying it: a folder that is held
  // open is there until it is closed.
  const int Handle = open(Folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (Handle < 0)
    return;
  const std::string Held = "/proc/self/fd/" + itostr(Handle);
  if (fs::disk_space(Held)) // a system without that name prunes nothing
    pruneCache(Held, Policy);
  close(Handle);
}

} // namespace warplint::frontend
