//===-- WriteHeaders.cpp - CUDA's declarations as files, for clang-tidy -----------------------===//
//
// warplint holds what it knows of CUDA's headers in memory. clang-tidy parses by itself and needs them on
// disk: build time writes them to the folder that is the only argument, beside the flags that use them.
//
//===----------------------------------------------------------------------===//
#include "analyzer/frontend/BuiltinCuda.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
namespace frontend = warplint::frontend;

static constexpr StringLiteral Root = "/__warplint/";

/// The text with includes that name a file in memory relative to their own place.
static std::string onDisk(StringRef Text) {
  std::string Result;
  for (size_t At; (At = Text.find(Root)) != StringRef::npos; Text = Text.drop_front(At + Root.size()))
    Result += Text.take_front(At);
  return Result + Text.str();
}

static std::error_code write(StringRef File, StringRef Text) {
  if (std::error_code Error = sys::fs::create_directories(sys::path::parent_path(File),
                                                          /*IgnoreExisting=*/true, sys::fs::perms::all_all))
    return Error;
  std::error_code Error;
  raw_fd_ostream OS(File, Error);
  if (Error)
    return Error;
  OS << Text;
  OS.close();
  return OS.error();
}

int main(int argc, const char **argv) {
  if (argc != 2) {
    errs() << "usage: " << argv[0] << " FOLDER\n";
    return 2;
  }
  vfs::InMemoryFileSystem Files;
  frontend::addSupplement(Files);
  frontend::addBuiltinCuda(Files);
  std::error_code Error;
  for (vfs::recursive_directory_iterator At(Files, Root.drop_back(), Error), End; At != End && !Error;
       At.increment(Error)) {
    const StringRef Name = At->path();
    if (At->type() == sys::fs::file_type::directory_file)
      continue;
    auto Text = Files.getBufferForFile(Name);
    SmallString<256> File(argv[1]);
    sys::path::append(File, Name.drop_front(Root.size()));
    if (std::error_code Problem = Text ? write(File, onDisk((*Text)->getBuffer())) : Text.getError()) {
      errs() << File << ": " << Problem.message() << '\n';
      return 1;
    }
  }
  return 0;
}
