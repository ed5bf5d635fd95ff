//===-- Launcher.cpp - warplint in front of a compiler --------------------------===//
#include "tools/warplint/Launcher.h"
#include "analyzer/frontend/Database.h"
#include "analyzer/frontend/NvccOptions.h"
#include "tools/options/Options.h"
#include "tools/warplint/ReportOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/WithColor.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace warplint;
using namespace warplint::options;

extern char **environ;

namespace {

Opt<bool> Launcher("launcher",
                   cl::desc("Run the compile command that follows, then analyse what it compiled"),
                   cl::cat(Category));

/// Options whose result is something else than a report on stderr, or one for several files at once.
constexpr StringLiteral Unfit[] = {
    "completion",     "dependency-file", "diff", "dump-config", "explain",
    "explain-access", "export-fixes",    "fix",  "fix-diff",    "list-checks",
    "list-gpus",      "output",          "p",    "shard",       "unsafe-fixes",
    "verify-config",  "write-baseline",
};

/// Does an option's value stand in the next word?
bool takesNextWord(StringRef Word) {
  const StringRef Name = Word.ltrim('-');
  const auto &Known = cl::getRegisteredOptions();
  const auto At = Known.find(Name);
  return At != Known.end() && At->second->getValueExpectedFlag() == cl::ValueRequired;
}

pid_t Child = 0;

/// What is sent to us is meant for the compiler; we end when it has.
void forward(int Signal) { kill(Child, Signal); }

constexpr int Forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/// As shells say it.
int cannotRun(const std::string &Program, int Code) {
  fail("--launcher: cannot run '" + Program + "': " + std::strerror(Code));
  return Code == ENOENT ? 127 : 126;
}

std::vector<char *> pointersTo(const std::vector<std::string> &Command) {
  std::vector<char *> Words;
  for (const std::string &Word : Command)
    Words.push_back(const_cast<char *>(Word.c_str())); // POSIX's promise: not written to
  Words.push_back(nullptr);
  return Words;
}

/// Starts the command with the signals blocked until they can be forwarded; its own mask is the one we were
/// started with.
int start(const std::vector<std::string> &Command) {
  sigset_t Blocked, Before;
  sigemptyset(&Blocked);
  for (int Signal : Forwarded)
    sigaddset(&Blocked, Signal);
  sigprocmask(SIG_BLOCK, &Blocked, &Before);
  posix_spawnattr_t Attributes;
  posix_spawnattr_init(&Attributes);
  posix_spawnattr_setflags(&Attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&Attributes, &Before);
  std::vector<char *> Words = pointersTo(Command);
  const int Code = posix_spawnp(&Child, Words[0], nullptr, &Attributes, Words.data(), environ);
  posix_spawnattr_destroy(&Attributes);
  if (!Code)
    for (int Signal : Forwarded) {
      struct sigaction Action = {}, Old = {};
      sigaction(Signal, nullptr, &Old);
      Action.sa_handler = forward;
      Action.sa_flags = SA_RESTART;
      if (Old.sa_handler != SIG_IGN) // under nohup, say: the compiler ignores it, too
        sigaction(Signal, &Action, nullptr);
    }
  sigprocmask(SIG_SETMASK, &Before, nullptr);
  return Code;
}

void stopForwarding() {
  for (int Signal : Forwarded) {
    struct sigaction Now = {};
    sigaction(Signal, nullptr, &Now);
    if (Now.sa_handler == forward)
      std::signal(Signal, SIG_DFL);
  }
}

/// Ends this process as another one did.
[[noreturn]] void endLike(int WaitStatus) {
  if (WIFSIGNALED(WaitStatus)) {
    const rlimit None = {0, 0}; // the command has left its core already
    setrlimit(RLIMIT_CORE, &None);
    std::signal(WTERMSIG(WaitStatus), SIG_DFL);
    raise(WTERMSIG(WaitStatus));
    _exit(128 + WTERMSIG(WaitStatus)); // where it is blocked
  }
  _exit(WEXITSTATUS(WaitStatus));
}

} // namespace

CommandLineParts options::partsOf(int argc, const char *const *argv) {
  CommandLineParts Parts;
  Parts.own = argc;
  for (int I = 1; I < argc; ++I) {
    const StringRef Word = argv[I];
    const bool IsOption = Word.size() > 1 && Word.starts_with("-");
    if (Word == "--" || (Parts.launches && !IsOption)) {
      Parts.own = I;
      Parts.hasCompiler = true;
      Parts.compiler.assign(argv + I + (Word == "--"), argv + argc);
      return Parts;
    }
    if (!IsOption)
      continue;
    Parts.launches |= Word.ltrim('-') == "launcher";
    if (takesNextWord(Word) && I + 1 < argc)
      ++I;
  }
  return Parts;
}

std::string options::launcherProblem(const CommandLineParts &Parts, bool HasFiles) {
  if (!Launcher)
    return "";
  if (!Parts.launches || HasFiles)
    return "--launcher stands before everything that is no option: warplint --launcher [options] nvcc ...";
  if (Parts.compiler.empty())
    return "--launcher: no compile command; expected warplint --launcher [options] nvcc ...";
  const auto &Known = cl::getRegisteredOptions();
  for (StringRef Name : Unfit)
    if (auto At = Known.find(Name); At != Known.end() && At->second->getNumOccurrences())
      return ("--launcher has no use for " + Twine(Name.size() == 1 ? "-" : "--") + Name +
              ": it reports on stderr what one compile command's files have; run warplint by itself for that")
          .str();
  return "";
}

std::vector<std::string> options::withEnvironment(std::vector<std::string> Command) {
  const std::string Compiler = frontend::translate(Command, /*HasProgram=*/true, "").compiler;
  const auto Program = llvm::find(Command, Compiler);
  if (sys::path::stem(Compiler) != "nvcc" || Program == Command.end())
    return Command;
  const auto WordsOf = [](const char *Variable) {
    BumpPtrAllocator Memory;
    StringSaver Saver(Memory);
    SmallVector<const char *> Words;
    if (const char *Text = std::getenv(Variable))
      cl::TokenizeGNUCommandLine(Text, Saver, Words);
    return std::vector<std::string>(Words.begin(), Words.end());
  };
  const std::vector<std::string> First = WordsOf("NVCC_PREPEND_FLAGS");
  Command.insert(Program + 1, First.begin(), First.end());
  append_range(Command, WordsOf("NVCC_APPEND_FLAGS"));
  return Command;
}

std::vector<std::string> options::compiledFiles(ArrayRef<std::string> Command) {
  SmallString<256> Here;
  (void)sys::fs::current_path(Here);
  const frontend::Translation Read = frontend::translate(Command, /*HasProgram=*/true, Here);
  std::vector<std::string> Files;
  if (!Read.compiles || Read.language == "hip")
    return Files;
  const bool AllCuda = Read.language == "cu" || Read.language == "cuda";
  for (const std::string &Input : Read.inputs)
    if ((AllCuda && Input != "-") || (Read.language.empty() && frontend::isCudaSourceName(Input)))
      if (sys::fs::exists(Input))
        Files.push_back(Input);
  return Files;
}

void options::runCompiler(const std::vector<std::string> &Command) {
  sys::unregisterHandlers(); // the command finds the signals as we found them
  if (int Code = start(Command))
    std::exit(cannotRun(Command.front(), Code));
  int Status = 0;
  while (waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  stopForwarding();
  if (!WIFEXITED(Status) || WEXITSTATUS(Status) != 0)
    endLike(Status);
}

int options::becomeCompiler(const std::vector<std::string> &Command) {
  sys::unregisterHandlers();
  std::vector<char *> Words = pointersTo(Command);
  execvp(Words[0], Words.data());
  return cannotRun(Command.front(), errno);
}

void options::leaveStdout() { dup2(STDERR_FILENO, STDOUT_FILENO); }

int options::launcherStatus(int Status, bool Misconfigured, bool HasErrors) {
  if (Misconfigured || Status == Findings || FailOnErrors)
    return Status;
  // A file that the compiler took and we could not analyse is no reason to have no program.
  if (HasErrors || Status == Failed)
    WithColor::note(errs(), "warplint") << "the compile command succeeded; these errors are of warplint's "
                                           "reading alone, and do not fail it\n";
  return Clean;
}
