//===-- Dependencies.cpp - The files that an answer rests on --------------===//
#include "analyzer/frontend/Dependencies.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <chrono>
#include <sys/stat.h>

using namespace llvm;

namespace warplint::frontend {

namespace {

/// What tells a changed file without reading it. llvm::sys::fs leaves out the change time, the one that
/// programs cannot set.
std::optional<uint64_t> stampOf(const char *Path) {
  struct stat S;
  if (::stat(Path, &S))
    return std::nullopt;
  const uint64_t Parts[] = {uint64_t(S.st_size),         uint64_t(S.st_mtim.tv_sec), uint64_t(S.st_mtim.tv_nsec),
                            uint64_t(S.st_ctim.tv_sec),  uint64_t(S.st_ctim.tv_nsec), uint64_t(S.st_ino),
                            uint64_t(S.st_dev),          uint64_t(S.st_mode)};
  uint64_t Stamp = xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(Parts), sizeof Parts));
  return Stamp ? Stamp : 1;
}

/// A file written to within the clock's granularity of being read may change once more and keep its times.
bool isFresh(const char *Path) {
  using namespace std::chrono;
  struct stat S;
  if (::stat(Path, &S))
    return true;
  auto Changed = seconds(S.st_ctim.tv_sec) + nanoseconds(S.st_ctim.tv_nsec);
  return system_clock::now().time_since_epoch() - Changed < seconds(1);
}

uint64_t hashOf(StringRef Contents) { return xxh3_64bits(Contents); }

/// What is in a folder, by name. Clang's driver looks there for the newest GCC.
uint64_t hashOfFolder(const Twine &Path) {
  std::vector<std::string> Names;
  std::error_code Problem;
  for (sys::fs::directory_iterator At(Path, Problem), End; At != End && !Problem; At.increment(Problem))
    Names.push_back(sys::path::filename(At->path()).str());
  llvm::sort(Names);
  return hashOf(join(Names, "/"));
}

/// Passes everything through; hashes what is read.
class RecordedFile : public vfs::File {
public:
  RecordedFile(std::unique_ptr<vfs::File> Inner, Dependency &Seen) : Inner(std::move(Inner)), Seen(Seen) {}

  ErrorOr<vfs::Status> status() override { return Inner->status(); }
  ErrorOr<std::string> getName() override { return Inner->getName(); }
  ErrorOr<std::unique_ptr<MemoryBuffer>> getBuffer(const Twine &Name, int64_t Size, bool Terminated,
                                                   bool Volatile) override {
    auto Buffer = Inner->getBuffer(Name, Size, Terminated, Volatile);
    if (Buffer) {
      Seen.read = true;
      Seen.hash = hashOf((*Buffer)->getBuffer());
    }
    return Buffer;
  }
  std::error_code close() override { return Inner->close(); }

private:
  std::unique_ptr<vfs::File> Inner;
  Dependency &Seen; // StringMap keeps its values in place
};

} // namespace

Dependency &DependencyRecorder::note(const Twine &Path) {
  SmallString<256> Absolute;
  Path.toVector(Absolute);
  (void)makeAbsolute(Absolute);
  auto [At, New] = Seen.try_emplace(Absolute);
  Dependency &D = At->second;
  if (New) {
    // Before the contents are read: a change in between shows as a change.
    D.path = std::string(Absolute);
    std::optional<uint64_t> Stamp = stampOf(Absolute.c_str());
    D.exists = Stamp.has_value();
    D.stamp = Stamp && !isFresh(Absolute.c_str()) ? *Stamp : 0;
  }
  return D;
}

ErrorOr<vfs::Status> DependencyRecorder::status(const Twine &Path) {
  note(Path);
  return ProxyFileSystem::status(Path);
}

bool DependencyRecorder::exists(const Twine &Path) {
  note(Path);
  return ProxyFileSystem::exists(Path);
}

ErrorOr<std::unique_ptr<vfs::File>> DependencyRecorder::openFileForRead(const Twine &Path) {
  Dependency &D = note(Path);
  auto File = ProxyFileSystem::openFileForRead(Path);
  if (!File)
    return File;
  return std::unique_ptr<vfs::File>(std::make_unique<RecordedFile>(std::move(*File), D));
}

vfs::directory_iterator DependencyRecorder::dir_begin(const Twine &Folder, std::error_code &Problem) {
  Dependency &D = note(Folder);
  if (D.exists) {
    D.read = true;
    D.hash = hashOfFolder(D.path);
  }
  return ProxyFileSystem::dir_begin(Folder, Problem);
}

std::vector<Dependency> DependencyRecorder::dependencies() const {
  std::vector<Dependency> Result;
  for (const auto &Entry : Seen)
    Result.push_back(Entry.second);
  llvm::sort(Result, [](const Dependency &L, const Dependency &R) { return L.path < R.path; });
  return Result;
}

bool DependencyChecker::unchanged(ArrayRef<Dependency> All) {
  return all_of(All, [&](const Dependency &D) { return unchanged(D); });
}

bool DependencyChecker::unchanged(const Dependency &D) {
  std::lock_guard<std::mutex> Guard(Lock);
  auto [At, New] = Now.try_emplace(D.path);
  State &S = At->second;
  if (New)
    if (std::optional<uint64_t> Stamp = stampOf(D.path.c_str()))
      S.exists = true, S.stamp = *Stamp;
  if (S.exists != D.exists)
    return false;
  if (!D.exists || !D.read || S.stamp == D.stamp)
    return true;
  if (!S.hash && sys::fs::is_directory(D.path))
    S.hash = hashOfFolder(D.path);
  if (!S.hash) {
    auto Buffer = MemoryBuffer::getFile(D.path);
    if (!Buffer)
      return false;
    S.hash = hashOf((*Buffer)->getBuffer());
  }
  return *S.hash == D.hash;
}

} // namespace warplint::frontend
