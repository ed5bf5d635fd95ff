#include "analyzer/driver/WriteFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
namespace fs = llvm::sys::fs;

namespace {

Error failed(std::error_code Code) { return createStringError(Code, Code.message()); }

/// Writes to what is there, and closes it where it was opened here.
Error writeTo(raw_fd_ostream &OS, StringRef Text, bool Close) {
  OS << Text;
  if (Close)
    OS.close();
  else
    OS.flush();
  std::error_code Code = OS.error();
  OS.clear_error(); // said once, by the caller
  return Code ? failed(Code) : Error::success();
}

} // namespace

Error warplint::driver::writeFile(StringRef File, StringRef Text) {
  if (File == "-")
    return writeTo(outs(), Text, /*Close=*/false);
  fs::file_status Status;
  const bool Exists = !fs::status(File, Status);
  if (Exists && !fs::is_regular_file(Status)) {
    std::error_code Code;
    raw_fd_ostream OS(File, Code, fs::OF_None);
    return Code ? failed(Code) : writeTo(OS, Text, /*Close=*/true);
  }

  SmallString<256> Target(File);
  if (Exists) {
    if (std::error_code Code = fs::real_path(File, Target))
      return failed(Code);
    // The folder's permissions would allow to replace a file that its owner protects.
    if (!fs::can_write(Target))
      return failed(std::make_error_code(std::errc::permission_denied));
  }
  // Not fs::TempFile: it would take a '%' of the folder's name for a wildcard.
  const std::string Temporary = (Target + ".tmp-" + Twine(sys::Process::getProcessId())).str();
  int Handle = -1;
  if (std::error_code Code = fs::openFileForWrite(Temporary, Handle, fs::CD_CreateNew, fs::OF_None))
    return failed(Code);
  FileRemover Remover(Temporary);
  sys::RemoveFileOnSignal(Temporary);
  raw_fd_ostream OS(Handle, /*shouldClose=*/true);
  if (Exists) {
    // Only root may give a file away; for everybody else it is theirs already.
    (void)fs::changeFileOwnership(Handle, Status.getUser(), Status.getGroup());
    if (std::error_code Code = fs::setPermissions(Handle, Status.permissions()))
      return failed(Code);
  }
  if (Error Problem = writeTo(OS, Text, /*Close=*/true))
    return Problem;
  if (std::error_code Code = fs::rename(Temporary, Target))
    return failed(Code);
  Remover.releaseFile();
  sys::DontRemoveFileOnSignal(Temporary);
  return Error::success();
}
