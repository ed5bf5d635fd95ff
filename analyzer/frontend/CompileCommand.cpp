//===-- CompileCommand.cpp - The command that a file is parsed with -------===//
#include "analyzer/frontend/BuiltinCuda.h"
#include "analyzer/frontend/Database.h"
#include "analyzer/frontend/Frontend.h"
#include "analyzer/frontend/NvccOptions.h"
#include "analyzer/frontend/Toolkit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
namespace path = llvm::sys::path;
namespace fs = llvm::sys::fs;

namespace warplint::frontend {

namespace {

constexpr StringLiteral DefaultArch = "sm_80";

template <typename... Ts> Error failure(std::errc Code, const Ts &...Parts) {
  std::string Text;
  ((Text += StringRef(Parts)), ...);
  return createStringError(std::make_error_code(Code), Twine(Text));
}

/// What a command line contributes before toolkit and defaults are added.
struct Source {
  std::string directory;
  std::vector<std::string> words; ///< with the program first, when hasProgram
  bool hasProgram = false;
  std::vector<std::string> notes;
};

Error checkFile(StringRef File, StringRef Spelled, const Options &Opts) {
  if (Opts.overlay.contains(File.str()))
    return Error::success();
  fs::file_status Status;
  if (fs::status(File, Status))
    return failure(std::errc::no_such_file_or_directory, "no such file: '", Spelled, "'");
  if (fs::is_directory(Status))
    return failure(std::errc::is_a_directory, "'", Spelled,
                   "' is a folder; name files, or give -p and no file to analyse a whole project");
  return Error::success();
}

Expected<Source> sourceFor(StringRef File, StringRef Spelled, const Options &Opts) {
  Source Result;
  SmallString<256> Here;
  (void)fs::current_path(Here);
  Result.directory = std::string(Here);
  if (Opts.hasFixedFlags) {
    Result.words = Opts.fixedFlags;
    return Result;
  }

  bool Explicit = !Opts.buildPath.empty();
  std::string Folder = Explicit ? Opts.buildPath : Database::folderAbove(File);
  if (Folder.empty())
    return Result;
  Expected<std::shared_ptr<const Database>> Loaded = Database::load(Folder);
  if (!Loaded) {
    if (Explicit)
      return Loaded.takeError();
    // A database nobody asked for is no reason to refuse the file.
    Result.notes.push_back(toString(Loaded.takeError()) + "; using defaults");
    return Result;
  }
  const Database &Commands = **Loaded;
  const DatabaseEntry *Entry = Commands.find(File);
  if (!Entry) {
    const DatabaseEntry *Nearest = Commands.nearest(File);
    // Headers have no command of their own; a neighbour's has the folders and macros they need.
    if (Nearest && isHeaderName(File)) {
      Entry = Nearest;
      Result.notes.push_back("'" + Spelled.str() + "' is not in '" + Commands.path() +
                             "'; using the command of '" + Nearest->file + "'");
    } else if (Explicit) {
      return failure(std::errc::invalid_argument, "'", Spelled, "' is not in the compilation database '",
                     Commands.path(), "'",
                     Nearest ? "; did you mean '" + Nearest->file + "'?"
                             : std::string("; it lists no CUDA file"));
    } else {
      Result.notes.push_back("'" + Spelled.str() + "' is not in '" + Commands.path() + "'; using defaults");
      return Result;
    }
  }
  Result.directory = Entry->directory;
  Result.words = Entry->words;
  Result.hasProgram = !Entry->words.empty();
  return Result;
}

} // namespace

Expected<Command> commandFor(StringRef Spelled, const Options &Opts) {
  SmallString<256> Absolute(Spelled);
  if (std::error_code Problem = fs::make_absolute(Absolute))
    return createStringError(Problem, "cannot find the working directory");
  path::remove_dots(Absolute, /*remove_dot_dot=*/true);
  std::string File(Absolute);
  if (Error Problem = checkFile(File, Spelled, Opts))
    return std::move(Problem);

  Expected<Source> Found = sourceFor(File, Spelled, Opts);
  if (!Found)
    return Found.takeError();

  Translation Before = translate(Opts.extraArgsBefore, /*HasProgram=*/false, Found->directory);
  Translation Main = translate(Found->words, Found->hasProgram, Found->directory);
  Translation After = translate(Opts.extraArgs, /*HasProgram=*/false, Found->directory);
  if (path::filename(Main.compiler).contains("hipcc"))
    return failure(std::errc::not_supported, "'", Spelled,
                   "' is compiled by hipcc: HIP is not CUDA, and is not analysed");

  // The last word on each matter wins, as on a command line.
  std::string Language = !After.language.empty()  ? After.language
                         : !Main.language.empty() ? Main.language
                                                  : Before.language;
  if (Language == "hip")
    return failure(std::errc::not_supported, "'", Spelled,
                   "' is compiled as HIP, which is not CUDA, and is not analysed");
  if (!isCudaSourceName(File) && !isHeaderName(File) && Language != "cuda" && Language != "cu")
    return failure(std::errc::invalid_argument, "not a CUDA file: '", Spelled,
                   "'; if it is one, say so with -- -x cuda");

  Command Result;
  Result.directory = Found->directory;
  Result.file = File;
  Result.notes = std::move(Found->notes);
  std::vector<std::string> Architectures;
  for (Translation *Part : {&Before, &Main, &After}) {
    append_range(Architectures, Part->archs);
    append_range(Result.notes, Part->notes);
  }

  if (!Opts.arch.empty()) {
    Result.arch = highestArch(Opts.arch);
    if (Result.arch.empty())
      return failure(std::errc::invalid_argument, "unknown architecture '", Opts.arch,
                     "'; name one as --arch=sm_80");
  } else {
    Result.arch = highestArch(Architectures);
    if (Result.arch.empty()) {
      if (!Architectures.empty())
        Result.notes.push_back("no architecture that is known among " + join(Architectures, ", ") +
                               "; using " + DefaultArch.str());
      Result.arch = DefaultArch.str();
    }
  }

  Toolkit Cuda;
  if (!Opts.noCuda) {
    StringRef Named = !After.cudaPath.empty() ? After.cudaPath : Main.cudaPath;
    Expected<Toolkit> Search = findToolkit(Opts, Main.compiler, Named, Result.directory);
    if (!Search)
      return Search.takeError();
    Cuda = std::move(*Search);
    if (!Cuda.found())
      Result.notes.push_back(
          "no CUDA toolkit found: using built-in declarations (--cuda-path names a toolkit)");
  }
  Result.toolkit = Cuda.folder;
  Expected<std::string> Resources = resourceDirectory(Opts);
  if (!Resources)
    return Resources.takeError();

  // The headers are named here rather than by Clang's own search, which wants folders (bin, libdevice) that a
  // parse does not need. The newest PTX lets every builtin through; --no-cuda-version-check the newest GPUs.
  std::vector<std::string> &Arguments = Result.arguments;
  Arguments = {"clang++",
               "--cuda-device-only",
               "--cuda-gpu-arch=" + Result.arch,
               "--cuda-feature=+ptx88",
               "-nocudainc",
               "-nocudalib",
               "--no-cuda-version-check",
               "-resource-dir",
               *Resources,
               "-fsyntax-only",
               "-w",
               "-Wno-everything"};
  append_range(Arguments, ArrayRef<std::string>{"-include", BeforeHeader.str()});
  append_range(Arguments, ArrayRef<std::string>{"-include", Cuda.found() ? "__clang_cuda_runtime_wrapper.h"
                                                                         : BuiltinHeader.str()});
  append_range(Arguments, ArrayRef<std::string>{"-include", SupplementHeader.str()});
  append_range(Arguments, Before.options);
  append_range(Arguments, Main.options);
  append_range(Arguments, After.options);
  if (Cuda.found()) {
    for (const std::string &Folder : Cuda.includes)
      append_range(Arguments, ArrayRef<std::string>{"-isystem", Folder});
  } else {
    append_range(Arguments, ArrayRef<std::string>{"-isystem", BuiltinIncludeFolder.str()});
  }
  append_range(Arguments, ArrayRef<std::string>{"-idirafter", FallbackIncludeFolder.str()});
  append_range(Arguments, ArrayRef<std::string>{"-x", "cuda", "--", File});
  return Result;
}

Expected<std::vector<std::string>> filesOfDatabase(const Options &Opts) {
  Expected<std::shared_ptr<const Database>> Loaded =
      Database::load(Opts.buildPath.empty() ? "." : Opts.buildPath);
  if (!Loaded)
    return Loaded.takeError();
  std::vector<std::string> Result;
  StringSet<> Seen;
  for (const DatabaseEntry &Entry : (*Loaded)->entries())
    if (Entry.cuda && Seen.insert(Entry.file).second)
      Result.push_back(Entry.file);
  if (Result.empty())
    return failure(std::errc::invalid_argument, "the compilation database '", (*Loaded)->path(),
                   "' lists no CUDA file");
  return Result;
}

} // namespace warplint::frontend
