//===-- CompileCommand.cpp - The command that a file is parsed with -------===//
#include "analyzer/frontend/BuiltinCuda.h"
#include "analyzer/frontend/Database.h"
#include "analyzer/frontend/Frontend.h"
#include "analyzer/frontend/Includers.h"
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
  std::string unit; ///< what is parsed: the file itself, or one that includes it
  std::string directory;
  std::vector<std::string> words; ///< with the program first, when hasProgram
  bool hasProgram = false;
  std::vector<std::string> notes;
};

/// More would cost a parse each, and rarely find what the first ones did not.
constexpr size_t MaxIncluders = 3;

/// The name in the same folder that was probably meant; "" when none is near.
std::string nearName(StringRef File) {
  StringRef Name = path::filename(File);
  std::string Best;
  unsigned Least = unsigned(path::stem(Name).size()) / 3 + 1;
  std::error_code Problem;
  unsigned Seen = 0;
  for (fs::directory_iterator At(path::parent_path(File), Problem), End;
       At != End && !Problem && ++Seen < 10000; At.increment(Problem)) {
    StringRef Other = path::filename(At->path());
    if (!isCudaSourceName(Other) && !isHeaderName(Other) && path::extension(Other) != path::extension(Name))
      continue;
    // "K.cu" for "k.cu" is the nearest there can be.
    unsigned Distance = Other.equals_insensitive(Name) ? 0 : Name.edit_distance(Other, true, Least + 1);
    if (Distance < Least || (Distance == Least && (Best.empty() || At->path() < Best))) {
      Least = Distance;
      Best = At->path();
    }
  }
  return Best;
}

/// An entry of the file's database with this file's name, in another folder.
std::string namesake(StringRef File, const Options &Opts) {
  std::string Folder = !Opts.buildPath.empty() ? Opts.buildPath : Database::folderAbove(File);
  if (Folder.empty())
    return "";
  Expected<std::shared_ptr<const Database>> Loaded = Database::load(Folder);
  if (!Loaded) {
    consumeError(Loaded.takeError());
    return "";
  }
  for (const DatabaseEntry &Entry : (*Loaded)->entries())
    if (path::filename(Entry.file) == path::filename(File) && Entry.file != File)
      return Entry.file;
  return "";
}

Error checkFile(StringRef File, StringRef Spelled, const Options &Opts) {
  if (Opts.overlay.contains(File.str()))
    return Error::success();
  fs::file_status Status;
  if (fs::status(File, Status)) {
    std::string Meant = nearName(File);
    if (Meant.empty())
      Meant = namesake(File, Opts);
    return failure(std::errc::no_such_file_or_directory, "no such file: '", Spelled, "'",
                   Meant.empty() ? "" : "; did you mean '" + Meant + "'?");
  }
  if (fs::is_directory(Status))
    return failure(std::errc::is_a_directory, "'", Spelled,
                   "' is a folder; name files, or give -p and no file to analyse a whole project");
  return Error::success();
}

/// Could another file's command be this one's too?
bool mayBeIncluded(StringRef File) { return isHeaderName(File) || isCudaSourceName(File); }

SearchPath searchPath(ArrayRef<std::string> Words, bool HasProgram, StringRef Directory,
                      const Options &Opts) {
  std::vector<std::string> All;
  append_range(All, translate(Opts.extraArgsBefore, /*HasProgram=*/false, Directory).options);
  append_range(All, translate(Words, HasProgram, Directory).options);
  append_range(All, translate(Opts.extraArgs, /*HasProgram=*/false, Directory).options);
  return searchPathOf(All, Directory);
}

Source sourceOf(const DatabaseEntry &Entry, StringRef Unit) {
  Source Result;
  Result.unit = Unit.str();
  Result.directory = Entry.directory;
  Result.words = Entry.words;
  Result.hasProgram = !Entry.words.empty();
  return Result;
}

/// Through the units of the database that include the file. A host compiler's unit is not parsed, but has the
/// folders and macros that the file needs.
std::vector<Source> includersIn(const Database &Commands, StringRef File, StringRef Spelled,
                                const Options &Opts) {
  for (bool Cuda : {true, false}) {
    if (!Cuda && isCudaSourceName(File) && path::extension(File) != ".cuh")
      break; // no host file includes a CUDA source
    std::vector<const DatabaseEntry *> Entries = Commands.likelyIncluders(File, Cuda);
    std::vector<std::string> Units;
    for (const DatabaseEntry *Entry : Entries)
      Units.push_back(Entry->file);
    auto PathOf = [&](size_t I) {
      const DatabaseEntry &Entry = *Entries[I];
      return searchPath(Entry.words, !Entry.words.empty(), Entry.directory, Opts);
    };
    std::vector<Source> Result;
    for (size_t I : findIncluders(File, Units, PathOf, Opts.overlay, Cuda ? MaxIncluders : 1)) {
      Result.push_back(sourceOf(*Entries[I], Cuda ? StringRef(Units[I]) : File));
      Result.back().notes.push_back(
          Cuda ? "'" + Spelled.str() + "' is analysed through '" + Units[I] + "', which includes it"
               : "using the command of '" + Units[I] + "' for '" + Spelled.str() + "', which it includes");
    }
    if (!Result.empty())
      return Result;
  }
  return {};
}

/// CUDA files in the file's folder and the two above, those with its stem first in each.
std::vector<std::string> neighbours(StringRef File, const Options &Opts) {
  constexpr unsigned Levels = 3, MaxEntries = 4096, MaxUnits = 512;
  std::vector<std::string> Result;
  StringRef Folder = path::parent_path(File);
  for (unsigned Level = 0; Level < Levels && !Folder.empty(); ++Level, Folder = path::parent_path(Folder)) {
    std::vector<std::string> Here;
    for (const auto &[Name, Contents] : Opts.overlay)
      if (path::parent_path(Name) == Folder)
        Here.push_back(Name);
    std::error_code Problem;
    unsigned Seen = 0;
    for (fs::directory_iterator At(Folder, Problem), End; At != End && !Problem && ++Seen < MaxEntries;
         At.increment(Problem))
      Here.push_back(At->path());
    erase_if(Here, [&](StringRef Name) {
      return !isCudaSourceName(Name) || path::extension(Name) == ".cuh" || Name == File;
    });
    sort(Here); // folders are listed in any order
    Here.erase(llvm::unique(Here), Here.end());
    stable_sort(Here, [&](StringRef A, StringRef B) {
      return (path::stem(A) == path::stem(File)) > (path::stem(B) == path::stem(File));
    });
    append_range(Result, Here);
  }
  Result.resize(std::min<size_t>(Result.size(), MaxUnits));
  return Result;
}

/// The file itself and, in front of it, neighbours that include it; all with the same flags.
std::vector<Source> withNeighbours(const Source &Own, StringRef File, StringRef Spelled,
                                   const Options &Opts) {
  std::vector<Source> Result;
  if (mayBeIncluded(File)) {
    std::vector<std::string> Units = neighbours(File, Opts);
    SearchPath Path = searchPath(Own.words, Own.hasProgram, Own.directory, Opts);
    for (size_t I : findIncluders(
             File, Units, [&](size_t) { return Path; }, Opts.overlay, MaxIncluders)) {
      Result.push_back(Own);
      Result.back().unit = Units[I];
      Result.back().notes.push_back("'" + Spelled.str() + "' is analysed through '" + Units[I] +
                                    "', which includes it");
    }
  }
  if (Result.empty())
    Result.push_back(Own);
  return Result;
}

/// What to do about a file that the database does not list; `Nearest` is the one most like it.
std::string remedyForUnlisted(StringRef File, const DatabaseEntry *Nearest) {
  if (!Nearest)
    return "; it lists no CUDA file";
  // Another file altogether is no help.
  constexpr unsigned MaxTypos = 2;
  std::string Remedy;
  if (path::filename(File).edit_distance(path::filename(Nearest->file)) <= MaxTypos)
    Remedy = "; did you mean '" + Nearest->file + "'? Else";
  else
    Remedy = ";";
  return Remedy + " leave out -p, or give the file's flags after --";
}

/// What the file can be parsed with, the best first; never empty.
Expected<std::vector<Source>> sourcesFor(StringRef File, StringRef Spelled, const Options &Opts) {
  Source Own;
  Own.unit = File.str();
  SmallString<256> Here;
  (void)fs::current_path(Here);
  Own.directory = std::string(Here);
  if (Opts.hasFixedFlags) {
    Own.words = Opts.fixedFlags;
    Own.hasProgram = Opts.fixedFlagsAreCommand;
    if (Opts.fixedFlagsAreCommand)
      return std::vector<Source>{Own}; // what is compiled by itself is analysed by itself
    return withNeighbours(Own, File, Spelled, Opts);
  }

  bool Explicit = !Opts.buildPath.empty();
  std::string Folder = Explicit ? Opts.buildPath : Database::folderAbove(File);
  if (Folder.empty())
    return withNeighbours(Own, File, Spelled, Opts);
  Expected<std::shared_ptr<const Database>> Loaded = Database::load(Folder);
  if (!Loaded) {
    if (Explicit)
      return Loaded.takeError();
    // A database nobody asked for is no reason to refuse the file.
    Own.notes.push_back(toString(Loaded.takeError()) + "; using defaults");
    return withNeighbours(Own, File, Spelled, Opts);
  }
  const Database &Commands = **Loaded;
  std::vector<Source> Result;
  const std::vector<const DatabaseEntry *> Listed = Commands.findAll(File);
  // Some tools write entries for headers too; such a command has no instances and launches to offer.
  if (mayBeIncluded(File) && (Listed.empty() || isHeaderName(File)))
    Result = includersIn(Commands, File, Spelled, Opts);
  if (Result.empty())
    for (const DatabaseEntry *Entry : Listed)
      Result.push_back(sourceOf(*Entry, File));
  if (Result.empty()) {
    std::string NotIn = "'" + Spelled.str() + "' is not in '" + Commands.path() + "'";
    const DatabaseEntry *Nearest = Commands.nearest(File);
    // Headers have no command of their own; a neighbour's has the folders and macros they need.
    if (Nearest && isHeaderName(File)) {
      Result.push_back(sourceOf(*Nearest, File));
      Result.back().notes.push_back(NotIn + "; using the command of '" + Nearest->file + "'");
    } else if (Explicit) {
      return failure(std::errc::invalid_argument, "'", Spelled, "' is not in the compilation database '",
                     Commands.path(), "'", remedyForUnlisted(File, Nearest));
    } else {
      Own.notes.push_back(NotIn + "; using defaults");
      Result = withNeighbours(Own, File, Spelled, Opts);
    }
  }
  constexpr size_t MaxProblems = 3;
  for (const std::string &Problem : ArrayRef(Commands.problems()).take_front(MaxProblems))
    Result.front().notes.push_back("'" + Commands.path() + "': " + Problem + "; it is left out");
  return Result;
}

/// The headers are named here rather than by Clang's own search, which wants folders (bin, libdevice) that a
/// parse does not need. The newest PTX lets every builtin through; --no-cuda-version-check the newest GPUs.
std::vector<std::string> argumentsFor(const Command &Cmd, ArrayRef<std::string> Options, const Toolkit &Cuda,
                                      const std::string &Resources) {
  std::vector<std::string> Result = {"clang++",
                                     "--cuda-device-only",
                                     "--cuda-gpu-arch=" + Cmd.arch,
                                     "--cuda-feature=+ptx88",
                                     "-nocudainc",
                                     "-nocudalib",
                                     "--no-cuda-version-check",
                                     "-resource-dir",
                                     Resources,
                                     "-fsyntax-only",
                                     "-w",
                                     "-Wno-everything"};
  for (const std::string &Header : Cmd.preamble)
    append_range(Result, ArrayRef<std::string>{"-include", Header});
  append_range(Result, Options);
  if (Cuda.found()) {
    for (const std::string &Folder : Cuda.includes)
      append_range(Result, ArrayRef<std::string>{"-isystem", Folder});
  } else {
    append_range(Result, ArrayRef<std::string>{"-isystem", BuiltinIncludeFolder.str()});
  }
  append_range(Result, ArrayRef<std::string>{"-idirafter", FallbackIncludeFolder.str()});
  append_range(Result, ArrayRef<std::string>{"-x", "cuda", "--", Cmd.file});
  return Result;
}

/// A toolkit's headers: build systems name their folder as if it were any library's.
bool isToolkitInclude(StringRef Folder) {
  if (path::filename(Folder) == "cccl")
    Folder = path::parent_path(Folder);
  auto Has = [&](StringRef Name) {
    SmallString<256> File(Folder);
    path::append(File, Name);
    return fs::exists(File);
  };
  return Has("cuda_runtime.h") && Has("crt/host_defines.h");
}

/// `Options` without folders of a toolkit's headers, which would mix with the built-in ones.
std::vector<std::string> withoutToolkits(ArrayRef<std::string> Options) {
  std::vector<std::string> Result;
  for (size_t I = 0; I < Options.size(); ++I) {
    StringRef Option = Options[I];
    if (is_contained({"-I", "-isystem", "-idirafter", "-iquote"}, Option) && I + 1 < Options.size()) {
      if (!isToolkitInclude(Options[I + 1]))
        append_range(Result, Options.slice(I, 2));
      ++I;
    } else if (!Option.consume_front("-I") || !isToolkitInclude(Option)) {
      Result.push_back(Options[I]);
    }
  }
  return Result;
}

Error chooseArch(Command &Cmd, ArrayRef<std::string> Named, StringRef Unnamed, const Options &Opts) {
  if (!Opts.arch.empty()) {
    Cmd.arch = highestArch(Opts.arch);
    if (Cmd.arch.empty())
      return failure(std::errc::invalid_argument, "unknown architecture '", Opts.arch,
                     "'; name one as --arch=sm_80");
    return Error::success();
  }
  Cmd.arch = highestArch(Named);
  if (Cmd.arch.empty()) {
    if (Named.empty() && !Unnamed.empty())
      Cmd.notes.push_back("-arch=" + Unnamed.str() + " names no architecture; using " + DefaultArch.str() +
                          " (--arch names another)");
    if (!Named.empty())
      Cmd.notes.push_back("no architecture that is known among " + join(Named, ", ") + "; using " +
                          DefaultArch.str());
    Cmd.arch = DefaultArch.str();
  }
  return Error::success();
}

Expected<Command> commandOf(Source From, StringRef File, StringRef Spelled, const Options &Opts) {
  Translation Before = translate(Opts.extraArgsBefore, /*HasProgram=*/false, From.directory);
  Translation Main = translate(From.words, From.hasProgram, From.directory);
  Translation After = translate(Opts.extraArgs, /*HasProgram=*/false, From.directory);
  // The last word on each matter wins, as on a command line.
  std::string Language = !After.language.empty()  ? After.language
                         : !Main.language.empty() ? Main.language
                                                  : Before.language;
  StringRef Program = path::filename(Main.compiler);
  if (Program.contains("hipcc") || Language == "hip")
    return failure(std::errc::not_supported, "'", Spelled, "' is compiled ",
                   Program.contains("hipcc") ? "by hipcc: HIP" : "as HIP, which",
                   " is not CUDA, and is not analysed");
  if (!isCudaSourceName(From.unit) && !isHeaderName(From.unit) && Language != "cuda" && Language != "cu")
    return failure(std::errc::invalid_argument, "not a CUDA file: '", Spelled,
                   "'; if it is one, say so with -- -x cuda");

  Command Result;
  Result.directory = From.directory;
  Result.file = From.unit;
  Result.requested = File.str();
  Result.notes = std::move(From.notes);
  std::vector<std::string> Architectures, Options;
  for (Translation *Part : {&Before, &Main, &After}) {
    append_range(Architectures, Part->archs);
    append_range(Options, Part->options);
    append_range(Result.notes, Part->notes);
  }
  StringRef Unnamed = !After.unnamedArch.empty() ? After.unnamedArch : Main.unnamedArch;
  if (Error Problem = chooseArch(Result, Architectures, Unnamed, Opts))
    return std::move(Problem);

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
  Result.preamble = {BeforeHeader.str(), Cuda.found() ? ToolkitHeader.str() : BuiltinHeader.str(), SupplementHeader.str()};
  if (!Cuda.found())
    Options = withoutToolkits(Options);
  Result.arguments = argumentsFor(Result, Options, Cuda, *Resources);
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
  if (Opts.configure) {
    Options Own = Opts;
    Own.configure = nullptr;
    Opts.configure(File, Own);
    return commandFor(Spelled, Own);
  }

  Expected<std::vector<Source>> Sources = sourcesFor(File, Spelled, Opts);
  if (!Sources)
    return Sources.takeError();
  Expected<Command> Result = commandOf(Sources->front(), File, Spelled, Opts);
  if (!Result)
    return Result;
  auto IsKnown = [&](const Command &Next) {
    auto Same = [&](const Command &C) {
      return C.arguments == Next.arguments && C.directory == Next.directory;
    };
    return Same(*Result) || any_of(Result->others, Same);
  };
  for (Source &Other : MutableArrayRef(*Sources).drop_front())
    if (Expected<Command> Next = commandOf(std::move(Other), File, Spelled, Opts)) {
      if (!IsKnown(*Next))
        Result->others.push_back(std::move(*Next));
    } else {
      consumeError(Next.takeError());
    }
  return Result;
}

Command alone(const Command &Through) {
  Command Result = Through;
  Result.others.clear();
  Result.file = Result.requested;
  Result.arguments.back() = Result.requested;
  Result.notes = {"'" + Through.requested + "' is analysed by itself: '" + Through.file +
                  "', which includes it, shows none of its kernels"};
  return Result;
}

Expected<std::vector<std::string>> filesOfDatabase(const Options &Opts) {
  Expected<std::shared_ptr<const Database>> Loaded =
      Database::load(Opts.buildPath.empty() ? "." : Opts.buildPath);
  if (!Loaded)
    return Loaded.takeError();
  std::vector<std::string> Result;
  StringSet<> Seen;
  for (const DatabaseEntry &Entry : (*Loaded)->entries()) {
    if (!Entry.cuda)
      continue;
    // Several targets and configurations compile a file, some of them through links.
    SmallString<256> Real;
    if (Seen.insert(fs::real_path(Entry.file, Real) ? StringRef(Entry.file) : StringRef(Real)).second)
      Result.push_back(Entry.file);
  }
  if (Result.empty())
    return failure(std::errc::invalid_argument, "the compilation database '", (*Loaded)->path(),
                   "' lists no CUDA file");
  return Result;
}

std::vector<std::string> cudaFilesIncluding(StringRef File, const Options &Opts) {
  if (Opts.buildPath.empty())
    return {};
  Expected<std::shared_ptr<const Database>> Loaded = Database::load(Opts.buildPath);
  if (!Loaded) {
    consumeError(Loaded.takeError());
    return {};
  }
  std::vector<const DatabaseEntry *> Entries = (*Loaded)->likelyIncluders(File, /*Cuda=*/true);
  std::vector<std::string> Units, Result;
  for (const DatabaseEntry *Entry : Entries)
    Units.push_back(Entry->file);
  auto PathOf = [&](size_t I) {
    return searchPath(Entries[I]->words, !Entries[I]->words.empty(), Entries[I]->directory, Opts);
  };
  for (size_t I : findIncluders(File, Units, PathOf, Opts.overlay, Units.size()))
    Result.push_back(Units[I]);
  return Result;
}

std::vector<std::string> unitsOfDatabase(StringRef File, const Options &Opts) {
  if (Opts.hasFixedFlags)
    return {};
  const std::string Folder = Opts.buildPath.empty() ? Database::folderAbove(File) : Opts.buildPath;
  if (Folder.empty())
    return {};
  Expected<std::shared_ptr<const Database>> Loaded = Database::load(Folder);
  if (!Loaded) {
    consumeError(Loaded.takeError());
    return {};
  }
  std::vector<std::string> Result;
  StringSet<> Seen;
  for (const DatabaseEntry &Entry : (*Loaded)->entries())
    if (!isHeaderName(Entry.file) && Seen.insert(Entry.file).second)
      Result.push_back(Entry.file);
  return Result;
}

} // namespace warplint::frontend
