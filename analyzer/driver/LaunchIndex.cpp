#include "analyzer/driver/LaunchIndex.h"
#include "analyzer/driver/Fixes.h"
#include "analyzer/driver/ResultCache.h"
#include "analyzer/kernel/Launches.h"
#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::driver;

namespace {

// A look elsewhere is a help, not the job.
constexpr size_t MaxParsed = 4;      ///< for one file
constexpr unsigned MostSeconds = 20; ///< of processor time for one of them
constexpr uint64_t MaxTextBytes = 8 << 20;

/// Identifiers of a text, comments and strings included, as sorted lists of hashes.
struct Identifiers {
  std::vector<uint64_t> all, called; ///< called: those before a bracket

  static bool has(const std::vector<uint64_t> &List, StringRef Name) {
    return std::binary_search(List.begin(), List.end(), xxh3_64bits(Name));
  }
};

void sortOnce(std::vector<uint64_t> &Hashes) {
  sort(Hashes);
  Hashes.erase(llvm::unique(Hashes), Hashes.end());
}

Identifiers identifiersIn(StringRef Text) {
  Identifiers Result;
  for (size_t At = 0; At < Text.size();) {
    if (!isAlnum(Text[At]) && Text[At] != '_') {
      ++At;
      continue;
    }
    const StringRef Word = Text.substr(At).take_while([](char C) { return isAlnum(C) || C == '_'; });
    At += Word.size();
    Result.all.push_back(xxh3_64bits(Word));
    const StringRef Rest = Text.substr(At).ltrim();
    if (Rest.starts_with("(") || Rest.starts_with("<"))
      Result.called.push_back(Result.all.back());
  }
  sortOnce(Result.all);
  sortOnce(Result.called);
  return Result;
}

std::string realName(StringRef File) {
  SmallString<256> Real;
  return sys::fs::real_path(File, Real) ? File.str() : std::string(Real);
}

} // namespace

/// A file of the project, with what was found out about it so far.
struct LaunchIndex::Source {
  std::string file;
  std::once_flag scanned, parsed;
  Identifiers identifiers;
  bool launches = false; ///< the text has a launch in it
  kernel::OutsideUses found;

  bool mentions(const kernel::WantedFunction &Function) const {
    return Function.kernel ? launches && Identifiers::has(identifiers.all, Function.name)
                           : Identifiers::has(identifiers.called, Function.name);
  }
};

LaunchIndex::LaunchIndex(std::vector<std::string> Names, frontend::Options Front,
                         std::shared_ptr<const frontend::Cache> TheDisk,
                         std::shared_ptr<frontend::DependencyChecker> TheChecker)
    : Files(std::move(Names)), Options(std::move(Front)), Disk(std::move(TheDisk)),
      Checker(std::move(TheChecker)) {}

LaunchIndex::~LaunchIndex() = default;

LaunchIndex::Source &LaunchIndex::sourceOf(const std::string &File) {
  std::lock_guard<std::mutex> Guard(Lock);
  std::unique_ptr<Source> &Slot = Sources[File];
  if (!Slot) {
    Slot = std::make_unique<Source>();
    Slot->file = File;
  }
  return *Slot;
}

void LaunchIndex::scan(Source &S) const {
  uint64_t Size = 0;
  if (!Options.overlay.contains(S.file) && (sys::fs::file_size(S.file, Size) || Size > MaxTextBytes))
    return;
  const std::string Text = readSource(S.file, Options);
  S.identifiers = identifiersIn(Text);
  S.launches = StringRef(Text).contains("<<") || StringRef(Text).contains("cudaLaunch");
}

void LaunchIndex::parse(Source &S) const {
  frontend::Options Front = Options;
  // Host files that launch through the runtime's functions, or call those that do.
  Front.extraArgs.insert(Front.extraArgs.end(), {"-x", "cuda"});
  if (!Front.timeLimitSeconds || Front.timeLimitSeconds > MostSeconds)
    Front.timeLimitSeconds = MostSeconds;
  Expected<frontend::Command> Command = frontend::commandFor(S.file, Front);
  if (!Command) {
    consumeError(Command.takeError());
    return;
  }
  const UsesCache Cache(Disk, Checker);
  if (std::optional<kernel::OutsideUses> Known = Cache.load(*Command)) {
    S.found = std::move(*Known);
    return;
  }
  const frontend::ParseOutcome Outcome = frontend::parse(*Command, Front, [&](frontend::Unit &Unit) {
    S.found = kernel::findOutsideUses(Unit.ast, Unit.isLaunchList);
  });
  if (Outcome.parsed && !Outcome.crashed && !Outcome.dependencies.empty())
    Cache.store(*Command, S.found, Outcome.dependencies);
}

/// The files that mention what is wanted; those of the unit's folder first.
std::vector<std::string> LaunchIndex::filesFor(const frontend::Command &Unit) const {
  std::vector<std::string> Names = frontend::unitsOfDatabase(Unit.requested, Options);
  // The database of a project that the unit is no part of says nothing of its launches.
  const std::string Itself = realName(Unit.file);
  if (none_of(Names, [&](const std::string &Name) { return realName(Name) == Itself; }))
    Names.clear();
  for (const std::string &File : Files) {
    SmallString<256> Absolute(File);
    (void)sys::fs::make_absolute(Absolute);
    sys::path::remove_dots(Absolute, /*remove_dot_dot=*/true);
    Names.emplace_back(Absolute);
  }
  return Names;
}

std::vector<LaunchIndex::Source *> LaunchIndex::candidates(const frontend::Command &Unit,
                                                           ArrayRef<kernel::WantedFunction> Wanted) {
  StringSet<> Seen;
  Seen.insert(realName(Unit.file));
  std::vector<Source *> Result;
  for (const std::string &Name : filesFor(Unit)) {
    if (!Seen.insert(realName(Name)).second)
      continue;
    Source &S = sourceOf(Name);
    std::call_once(S.scanned, [&] { scan(S); });
    if (any_of(Wanted, [&](const kernel::WantedFunction &W) { return S.mentions(W); }))
      Result.push_back(&S);
  }
  const StringRef Folder = sys::path::parent_path(Unit.file);
  stable_sort(Result, [&](const Source *A, const Source *B) {
    return (sys::path::parent_path(A->file) == Folder) > (sys::path::parent_path(B->file) == Folder);
  });
  return Result;
}

std::vector<kernel::OutsideUse> LaunchIndex::find(const frontend::Command &Unit,
                                                  ArrayRef<kernel::WantedFunction> Wanted) {
  std::vector<Source *> From = candidates(Unit, Wanted);
  const StringRef Folder = sys::path::parent_path(Unit.file);
  const auto IsNear = [&](const Source *S) { return sys::path::parent_path(S->file) == Folder; };
  // A project may hold several programs with functions of one name: what another folder says counts only when
  // there is no other function that it can mean.
  const bool OnlyNear = From.size() > MaxParsed;
  if (OnlyNear)
    erase_if(From, [&](const Source *S) { return !IsNear(S); });
  From.resize(std::min(From.size(), MaxParsed));
  for (Source *S : From)
    std::call_once(S->parsed, [&] { parse(*S); });
  std::vector<kernel::OutsideUse> Result;
  for (const kernel::WantedFunction &W : Wanted) {
    const auto Defines = [&](const Source *S) {
      return std::binary_search(S->found.defined.begin(), S->found.defined.end(), W.symbol);
    };
    if (any_of(From, [&](const Source *S) { return IsNear(S) && Defines(S); }))
      continue;
    const bool Near = OnlyNear || any_of(From, Defines);
    for (const Source *S : From)
      if (!Near || IsNear(S))
        copy_if(S->found.uses, std::back_inserter(Result),
                [&](const kernel::OutsideUse &Use) { return Use.symbol == W.symbol; });
  }
  return Result;
}
