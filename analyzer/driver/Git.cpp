#include "analyzer/driver/Git.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <unistd.h>

using namespace llvm;
using namespace warplint;
using namespace warplint::driver;

namespace {

/// A file for what a program prints, gone with the object.
class TemporaryFile {
public:
  TemporaryFile() { Problem = sys::fs::createTemporaryFile("warplint-git", "txt", Name); }
  ~TemporaryFile() {
    if (!Problem)
      (void)sys::fs::remove(Name);
  }
  TemporaryFile(const TemporaryFile &) = delete;
  StringRef name() const { return Name; }
  std::error_code problem() const { return Problem; }
  std::string text() const {
    auto Buffer = MemoryBuffer::getFile(Name);
    return Buffer ? (*Buffer)->getBuffer().str() : std::string();
  }

private:
  SmallString<128> Name;
  std::error_code Problem;
};

/// The git program over one repository, with everything off that a repository could have run.
class Git {
public:
  static Expected<Git> inFolder(StringRef Folder) {
    ErrorOr<std::string> Program = sys::findProgramByName("git");
    if (!Program || !sys::path::is_absolute(*Program))
      return createStringError("--diff needs git, which is not in PATH");
    Git Result(std::move(*Program), Folder.str());
    if (Error E = Result.switchFiltersOff())
      return std::move(E);
    return Result;
  }

  /// What a command prints; an error with git's own words otherwise.
  Expected<std::string> output(ArrayRef<std::string> Arguments) const {
    TemporaryFile Out, Err;
    for (const TemporaryFile *File : {&Out, &Err})
      if (File->problem())
        return createStringError(File->problem(), "cannot write a temporary file");
    std::vector<StringRef> Words{"git", "--no-pager", "--literal-pathspecs", "-C", Folder};
    append_range(Words, Arguments);
    const std::vector<std::string> Variables = environment();
    const std::vector<StringRef> Environment(Variables.begin(), Variables.end());
    std::string Problem;
    const int Status =
        sys::ExecuteAndWait(Program, Words, ArrayRef(Environment), {StringRef(""), Out.name(), Err.name()},
                            MostSeconds, /*MemoryLimit=*/0, &Problem);
    if (Status == 0)
      return Out.text();
    std::string Said = StringRef(Err.text()).split('\n').first.trim().str();
    StringRef Plain(Said);
    Plain.consume_front("fatal: ");
    return createStringError(!Problem.empty() ? Problem : Plain.empty() ? "git failed" : Plain.str());
  }

private:
  static constexpr unsigned MostSeconds = 300;

  Git(std::string Program, std::string Folder) : Program(std::move(Program)), Folder(std::move(Folder)) {}

  /// The caller's, without what changes git's output or has it run something, and with our settings: these
  /// stand above every configuration file. A pre-commit hook's GIT_DIR and GIT_INDEX_FILE stay.
  std::vector<std::string> environment() const {
    std::vector<std::string> Result;
    for (char **Each = environ; *Each; ++Each) {
      const StringRef Name = StringRef(*Each).split('=').first;
      if (!Name.starts_with("GIT_CONFIG") && !Name.starts_with("GIT_TRACE") &&
          !is_contained({"GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_PAGER", "GIT_OPTIONAL_LOCKS",
                         "GIT_ALLOW_PROTOCOL", "GIT_NO_LAZY_FETCH", "GIT_LITERAL_PATHSPECS",
                         "GIT_TERMINAL_PROMPT", "LC_ALL", "LANGUAGE"},
                        Name))
        Result.push_back(*Each);
    }
    append_range(Result,
                 ArrayRef<std::string>{
                     "GIT_OPTIONAL_LOCKS=0",    // nothing is written, so that no hook hears of it
                     "GIT_ALLOW_PROTOCOL=none", // a partial clone fetches what is missing: by programs
                     "GIT_NO_LAZY_FETCH=1",     //
                     "GIT_TERMINAL_PROMPT=0",   //
                     "LC_ALL=C",                // the words that are read here
                 });
    Result.push_back("GIT_CONFIG_COUNT=" + utostr(Settings.size()));
    for (const auto &[I, Setting] : enumerate(Settings)) {
      Result.push_back("GIT_CONFIG_KEY_" + utostr(I) + "=" + Setting.first);
      Result.push_back("GIT_CONFIG_VALUE_" + utostr(I) + "=" + Setting.second);
    }
    return Result;
  }

  /// Comparing a file of the working tree runs the filter that its attributes name. Attributes come from many
  /// places; the filters all from the configuration, and reading that runs nothing.
  Error switchFiltersOff() {
    Expected<std::string> Names = output({"config", "--null", "--name-only", "--list"});
    if (!Names)
      return Names.takeError();
    SmallVector<StringRef> Keys;
    StringRef(*Names).split(Keys, '\0', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (StringRef Key : Keys) {
      const auto [Section, Last] = Key.rsplit('.');
      if (Section.starts_with("filter."))
        for (const char *Part : {"clean", "smudge", "process", "required"})
          Settings.emplace_back((Section + "." + Part).str(), StringRef(Part) == "required" ? "false" : "");
    }
    sort(Settings);
    Settings.erase(llvm::unique(Settings), Settings.end());
    return Error::success();
  }

  std::string Program, Folder;
  std::vector<std::pair<std::string, std::string>> Settings{
      {"core.fsmonitor", "false"}, {"core.hooksPath", "/dev/null"}, {"core.quotePath", "true"},
      {"diff.external", ""},       {"core.pager", "cat"},           {"core.sshCommand", "false"},
  };
};

std::string realName(const Twine &File) {
  SmallString<256> Real;
  const std::string Given = File.str();
  return sys::fs::real_path(Given, Real) ? Given : std::string(Real);
}

/// The commit that a user's words stand for.
Expected<std::string> commitOf(const Git &Repository, StringRef Revision) {
  StringRef Name = Revision;
  const bool SinceBranching = Name.consume_back("...");
  const std::string Remedy = "; name a commit, branch or tag, as in --diff=HEAD or --diff=origin/main... "
                             "(in a shallow clone, fetch it first)";
  // An option, or a range.
  if (Name.empty() || Name.starts_with("-") || Name.contains(".."))
    return createStringError("--diff=" + Revision + ": not a revision" + Remedy);
  Expected<std::string> Commit =
      Repository.output({"rev-parse", "--verify", "--quiet", Name.str() + "^{commit}"});
  if (!Commit) {
    consumeError(Commit.takeError());
    return createStringError("--diff=" + Revision + ": the repository has no such revision" + Remedy);
  }
  std::string Hash = StringRef(*Commit).trim().str();
  if (!SinceBranching)
    return Hash;
  Expected<std::string> Base = Repository.output({"merge-base", Hash, "HEAD"});
  if (!Base) {
    consumeError(Base.takeError());
    return createStringError("--diff=" + Revision + ": it has no commit in common with HEAD" + Remedy);
  }
  return StringRef(*Base).trim().str();
}

} // namespace

Expected<ChangedLines> warplint::driver::changedSince(StringRef Revision, StringRef Folder) {
  Expected<Git> Here = Git::inFolder(Folder);
  if (!Here)
    return Here.takeError();
  Expected<std::string> Top = Here->output({"rev-parse", "--show-toplevel"});
  if (!Top)
    return createStringError("--diff=" + Revision + ": '" + Folder +
                             "' is not in the working tree of a git repository (" +
                             toString(Top.takeError()) + "); leave out --diff, or run in a checkout");
  Top->erase(Top->find_last_not_of('\n') + 1);
  Expected<std::string> Commit = commitOf(*Here, Revision);
  if (!Commit)
    return Commit.takeError();
  Expected<Git> Repository = Git::inFolder(*Top);
  if (!Repository)
    return Repository.takeError();

  auto Failed = [&](Error E) {
    return createStringError("--diff=" + Revision + ": cannot compare with '" + *Top +
                             "': " + toString(std::move(E)));
  };
  Expected<std::string> Text =
      Repository->output({"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-relative",
                          "--ignore-submodules=all", "--find-renames", "--unified=0",
                          "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/", *Commit, "--"});
  if (!Text)
    return Failed(Text.takeError());
  Expected<ChangedLines> InDiff = parseDiff(*Text);
  if (!InDiff)
    return Failed(InDiff.takeError());
  Expected<std::string> Unknown =
      Repository->output({"ls-files", "--others", "--exclude-standard", "-z", "--"});
  if (!Unknown)
    return Failed(Unknown.takeError());

  ChangedLines Result;
  for (auto &[Name, Lines] : *InDiff)
    Result[realName(*Top + "/" + Name)] = std::move(Lines);
  SmallVector<StringRef> Names;
  StringRef(*Unknown).split(Names, '\0', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Name : Names)
    if (!Name.ends_with("/")) // a repository of its own
      Result[realName(*Top + "/" + Name)].whole = true;
  return Result;
}
