//===-- Includers.cpp - Which translation units include a file ------------===//
#include "analyzer/frontend/Includers.h"
#include "clang/Basic/TokenKinds.h"
#include "clang/Lex/DependencyDirectivesScanner.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <memory>
#include <mutex>

using namespace llvm;
namespace path = llvm::sys::path;
namespace fs = llvm::sys::fs;

namespace warplint::frontend {

namespace {

using Overlay = std::map<std::string, std::string>;
using Clock = std::chrono::steady_clock;

struct Include {
  std::string name;
  bool angled;
};
using Includes = std::vector<Include>;

// A scan is a help, not the job: beyond these it gives up quietly. Generated tables are large files without
// includes worth following.
constexpr uint64_t MaxFileSize = 8 << 20;
constexpr size_t MaxFiles = 50'000;
constexpr size_t MaxVisits = 2'000'000;
// Long-lived tools see files come and go.
constexpr std::chrono::seconds MaxAge(30);

std::string normal(StringRef Folder, StringRef Name) {
  SmallString<256> Result(Name);
  path::make_absolute(Folder, Result);
  path::remove_dots(Result, /*remove_dot_dot=*/true);
  return std::string(Result);
}

Includes includesIn(StringRef Text) {
  namespace scan = clang::dependency_directives_scan;
  SmallVector<scan::Token> Tokens;
  SmallVector<scan::Directive> Directives;
  // An error leaves what came before it.
  (void)clang::scanSourceForDependencyDirectives(Text, Tokens, Directives);
  Includes Result;
  for (const scan::Directive &D : Directives) {
    if (D.Kind != scan::pp_include && D.Kind != scan::pp_import && D.Kind != scan::pp_include_next)
      continue;
    for (const scan::Token &T : D.Tokens) {
      if (!T.isOneOf(clang::tok::string_literal, clang::tok::header_name) || T.getEnd() > Text.size())
        continue;
      StringRef Spelled = Text.substr(T.Offset, T.Length);
      if (Spelled.size() > 2)
        Result.push_back({Spelled.drop_front().drop_back().str(), Spelled[0] == '<'});
    }
  }
  return Result;
}

/// Everything that was read, kept for the next header.
class Scanner {
public:
  std::vector<size_t> find(StringRef File, ArrayRef<std::string> Units,
                           function_ref<SearchPath(size_t)> PathOf, const Overlay &Buffers, size_t Most) {
    std::lock_guard<std::mutex> Guard(Lock);
    if (Clock::now() - Born > MaxAge)
      forget();
    std::string Target = identity(File);
    Visits = 0;
    std::vector<size_t> Result;
    for (size_t I = 0; I < Units.size() && Result.size() < Most && Visits < MaxVisits; ++I) {
      if (identity(Units[I]) == Target)
        continue;
      if (reachedFrom(Units[I], PathOf(I), Buffers).contains(Target))
        Result.push_back(I);
    }
    return Result;
  }

private:
  void forget() {
    Born = Clock::now();
    Read.clear();
    Found.clear();
    Identities.clear();
    Reached.clear();
    Paths.clear();
  }

  /// One name per file, whatever links lead to it.
  std::string identity(StringRef File) {
    auto [At, New] = Identities.try_emplace(File);
    if (New) {
      SmallString<256> Real;
      At->second = fs::real_path(File, Real) ? File.str() : std::string(Real);
    }
    return At->second;
  }

  bool exists(const std::string &File, const Overlay &Buffers) {
    return Buffers.contains(File) || fs::is_regular_file(File);
  }

  const Includes &includesOf(const std::string &File, const Overlay &Buffers, Includes &Temporary) {
    if (auto At = Buffers.find(File); At != Buffers.end())
      return Temporary = includesIn(At->second);
    auto [At, New] = Read.try_emplace(File);
    fs::file_status Status;
    if (!New || Read.size() > MaxFiles || fs::status(File, Status) || !fs::is_regular_file(Status) ||
        Status.getSize() > MaxFileSize)
      return At->second;
    if (auto Buffer = MemoryBuffer::getFile(File))
      At->second = includesIn((*Buffer)->getBuffer());
    return At->second;
  }

  /// The file that a line includes; "" when it is none of the command's folders.
  std::string resolve(const Include &Line, StringRef Folder, const SearchPath &Path, unsigned PathID,
                      const Overlay &Buffers) {
    if (path::is_absolute(Line.name))
      return exists(Line.name, Buffers) ? normal("/", Line.name) : "";
    if (!Line.angled) {
      std::string Beside = normal(Folder, Line.name);
      if (exists(Beside, Buffers))
        return Beside;
    }
    auto Search = [&]() -> std::string {
      if (!Line.angled)
        for (const std::string &Each : Path.quoted)
          if (std::string File = normal(Each, Line.name); exists(File, Buffers))
            return File;
      for (const std::string &Each : Path.all)
        if (std::string File = normal(Each, Line.name); exists(File, Buffers))
          return File;
      return "";
    };
    if (!Buffers.empty()) // they may come and go between calls
      return Search();
    std::string Key = utostr(PathID) + (Line.angled ? "<" : "\"") + Line.name;
    auto [At, New] = Found.try_emplace(Key);
    if (New)
      At->second = Search();
    return At->second;
  }

  const StringSet<> &reachedFrom(const std::string &Unit, const SearchPath &Path, const Overlay &Buffers) {
    std::string Spelled =
        join(Path.quoted, "\n") + "\n\n" + join(Path.all, "\n") + "\n\n" + join(Path.forced, "\n");
    unsigned PathID = Paths.try_emplace(Spelled, Paths.size()).first->second;
    std::string Key = utostr(PathID) + ":" + Unit;
    if (auto At = Reached.find(Key); At != Reached.end() && Buffers.empty())
      return At->second;
    StringSet<> &Result = Reached[Key];
    Result.clear();
    std::vector<std::string> Pending{Unit};
    append_range(Pending, Path.forced);
    while (!Pending.empty() && Visits < MaxVisits) {
      std::string File = std::move(Pending.back());
      Pending.pop_back();
      if (!Result.insert(identity(File)).second)
        continue;
      ++Visits;
      Includes Temporary;
      StringRef Folder = path::parent_path(File);
      for (const Include &Line : includesOf(File, Buffers, Temporary))
        if (std::string Next = resolve(Line, Folder, Path, PathID, Buffers); !Next.empty())
          Pending.push_back(std::move(Next));
    }
    if (!Buffers.empty() || Visits >= MaxVisits) {
      // Of this call alone.
      Last = std::move(Result);
      Reached.erase(Key);
      return Last;
    }
    return Result;
  }

  std::mutex Lock;
  Clock::time_point Born = Clock::now();
  StringMap<Includes> Read;          ///< by name
  StringMap<std::string> Found;      ///< resolved names, by search path and spelling
  StringMap<std::string> Identities; ///< by name
  StringMap<StringSet<>> Reached;    ///< by search path and unit
  StringMap<unsigned> Paths;         ///< search paths, numbered
  StringSet<> Last;
  size_t Visits = 0;
};

} // namespace

SearchPath searchPathOf(ArrayRef<std::string> Options, StringRef Directory) {
  SearchPath Result;
  std::vector<std::string> System, After;
  for (size_t I = 0; I < Options.size(); ++I) {
    StringRef Option = Options[I];
    bool HasNext = I + 1 < Options.size();
    if (Option.consume_front("-I"))
      Result.all.push_back(Option.str());
    else if (HasNext && (Option == "-isystem" || Option == "-cxx-isystem"))
      System.push_back(Options[++I]);
    else if (HasNext && (Option == "-idirafter" || Option == "-isystem-after"))
      After.push_back(Options[++I]);
    else if (HasNext && Option == "-iquote")
      Result.quoted.push_back(Options[++I]);
    else if (HasNext && (Option == "-include" || Option == "-imacros"))
      Result.forced.push_back(normal(Directory, Options[++I]));
  }
  append_range(Result.all, System);
  append_range(Result.all, After);
  return Result;
}

std::vector<size_t> findIncluders(StringRef File, ArrayRef<std::string> Units,
                                  function_ref<SearchPath(size_t)> PathOf, const Overlay &Buffers,
                                  size_t Most) {
  static Scanner Instance;
  return Instance.find(File, Units, PathOf, Buffers, Most);
}

} // namespace warplint::frontend
