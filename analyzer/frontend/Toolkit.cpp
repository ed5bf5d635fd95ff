//===-- Toolkit.cpp - Where CUDA's and Clang's own headers are ------------===//
#include "analyzer/frontend/Toolkit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <cstdlib>

using namespace llvm;
namespace path = llvm::sys::path;
namespace fs = llvm::sys::fs;

namespace warplint::frontend {

namespace {

std::string join(StringRef Folder, StringRef Rest) {
  SmallString<256> Result(Folder);
  path::append(Result, Rest);
  return std::string(Result);
}

/// The toolkit above an nvcc. Distributions put links to it (and ccache does) into bin folders of their own,
/// so the link is tried as it stands and resolved.
Toolkit toolkitOfNvcc(StringRef Nvcc) {
  SmallString<256> Real;
  std::vector<std::string> Spellings{Nvcc.str()};
  if (!fs::real_path(Nvcc, Real))
    Spellings.push_back(std::string(Real));
  for (StringRef Spelling : Spellings) {
    StringRef Bin = path::parent_path(Spelling);
    if (path::filename(Bin) != "bin")
      continue;
    if (Toolkit Result = toolkitIn(path::parent_path(Bin)); Result.found())
      return Result;
  }
  return {};
}

bool isNvcc(StringRef Program) {
  StringRef Name = path::filename(Program);
  Name.consume_back(".exe");
  return Name == "nvcc";
}

} // namespace

Toolkit toolkitIn(StringRef Folder) {
  Toolkit Result;
  if (Folder.empty())
    return Result;
  // Redistributable archives (conda, pip) keep headers per target platform.
  for (const char *Include : {"include", "targets/x86_64-linux/include", "targets/sbsa-linux/include",
                              "targets/aarch64-linux/include"}) {
    std::string Candidate = join(Folder, Include);
    if (!fs::exists(join(Candidate, "cuda_runtime.h")))
      continue;
    Result.folder = Folder.str();
    Result.includes.push_back(Candidate);
    // From CUDA 13 on Thrust, CUB and libcu++ have a folder of their own, which nvcc searches by itself.
    if (std::string Cccl = join(Candidate, "cccl"); fs::is_directory(Cccl))
      Result.includes.push_back(Cccl);
    break;
  }
  return Result;
}

Expected<Toolkit> findToolkit(const Options &Opts, StringRef CommandCompiler, StringRef CommandPath,
                              StringRef WorkingDirectory) {
  auto Absolute = [&](StringRef Name) {
    SmallString<256> Result(Name);
    if (WorkingDirectory.empty())
      (void)fs::make_absolute(Result);
    else
      path::make_absolute(WorkingDirectory, Result);
    path::remove_dots(Result, /*remove_dot_dot=*/true);
    return std::string(Result);
  };

  if (!Opts.cudaPath.empty()) {
    SmallString<256> Folder(Opts.cudaPath);
    (void)fs::make_absolute(Folder);
    if (Toolkit Result = toolkitIn(Folder); Result.found())
      return Result;
    return createStringError(
        std::errc::no_such_file_or_directory,
        "no CUDA toolkit in '%s': it has no include/cuda_runtime.h; give --cuda-path the "
        "folder that holds bin/nvcc and include/, or use --no-cuda",
        Opts.cudaPath.c_str());
  }

  if (!CommandPath.empty())
    if (Toolkit Result = toolkitIn(Absolute(CommandPath)); Result.found())
      return Result;
  // A bare "nvcc" is looked up on PATH below.
  if (isNvcc(CommandCompiler) && path::has_parent_path(CommandCompiler))
    if (Toolkit Result = toolkitOfNvcc(Absolute(CommandCompiler)); Result.found())
      return Result;
  for (const char *Variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char *Folder = std::getenv(Variable))
      if (Toolkit Result = toolkitIn(Folder); Result.found())
        return Result;
  if (ErrorOr<std::string> Nvcc = sys::findProgramByName("nvcc"))
    if (Toolkit Result = toolkitOfNvcc(Absolute(*Nvcc)); Result.found())
      return Result;
  for (const char *Folder : {"/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda", "/usr/lib/nvidia-cuda-toolkit"})
    if (Toolkit Result = toolkitIn(Folder); Result.found())
      return Result;
  return Toolkit();
}

Expected<std::string> resourceDirectory(const Options &Opts) {
  // Any of Clang's headers that every parse includes tells a resource directory from an empty folder.
  auto Serves = [](StringRef Folder) { return fs::exists(join(Folder, "include/__stddef_max_align_t.h")); };

  static int Anchor;
  std::string Program = fs::getMainExecutable(Opts.programPath.c_str(), &Anchor);
  std::string Tried;
  if (!Program.empty()) {
    SmallString<256> Beside(path::parent_path(path::parent_path(Program)));
    path::append(Beside, "lib", "clang", "22");
    if (Serves(Beside))
      return std::string(Beside);
    Tried = "'" + std::string(Beside) + "'";
  }
#ifdef WARPLINT_RESOURCE_DIRECTORY
  if (Serves(WARPLINT_RESOURCE_DIRECTORY))
    return std::string(WARPLINT_RESOURCE_DIRECTORY);
  Tried += std::string(Tried.empty() ? "" : " and ") + "'" WARPLINT_RESOURCE_DIRECTORY "'";
#endif
  return createStringError(std::errc::no_such_file_or_directory,
                           "Clang's own headers are not in %s; install the package libclang-common-22-dev",
                           Tried.empty() ? "any known place" : Tried.c_str());
}

} // namespace warplint::frontend
