#include "tools/replay/runtime/Runtime.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#ifdef __linux__
#include <csignal>
#include <sys/prctl.h>
#endif

using namespace warplint::replay;

//===-- Options -------------------------------------------------------------===//

static void readNumber(const char *Name, uint64_t &Value) {
  const char *Text = std::getenv(Name);
  if (!Text || !*Text)
    return;
  char *End;
  const unsigned long long Number = std::strtoull(Text, &End, 10);
  if (!*End)
    Value = Number;
}

RuntimeOptions RuntimeOptions::fromEnvironment() {
  RuntimeOptions O;
  O.output = std::getenv(environment::Output);
  readNumber(environment::MaxWarps, O.maxWarps);
  readNumber(environment::MaxTotalWarps, O.maxTotalWarps);
  readNumber(environment::FirstLaunches, O.firstLaunches);
  readNumber(environment::StackBytes, O.stackBytes);
  if (const char *Text = std::getenv(environment::TimeLimit))
    O.timeLimit = std::strtod(Text, nullptr);
  if (const char *Text = std::getenv(environment::Gpu))
    O.gpu = Text;
  return O;
}

//===-- Runtime -------------------------------------------------------------===//

Runtime::Runtime() : options(RuntimeOptions::fromEnvironment()), scheduler(options.stackBytes) {
  memory.add(uint64_t(&gridWorkspace), sizeof gridWorkspace, ObjectKind::Variable, "of the grid's barrier");
  scheduler.warn = [this](const std::string &Text) { warn(Text); };
}

/// A tool that is killed takes the program along; one that was started by hand goes on.
static void endWithParent(const RuntimeOptions &Options) {
#ifdef __linux__
  if (Options.output)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

Runtime &warplint::replay::runtime() {
  static Runtime &R = *[] {
    auto *New = new Runtime;
    // Registered before anything of the program, so that it runs after what the program registers.
    std::atexit([] { writeOutput("exit"); });
    at_quick_exit([] { writeOutput("exit"); });
    installSignals();
    startTimeLimit(New->options.timeLimit);
    endWithParent(New->options);
    return New;
  }();
  return R;
}

Scheduler &warplint::replay::scheduler() {
  static Scheduler &S = runtime().scheduler;
  return S;
}

void Runtime::report(const Failure &F, const Kernel *K) {
  failures.push_back({F, K});
  std::fflush(stdout);
  std::string Text = "warplint-replay: ";
  const char *File = F.site ? F.site->file : F.file.empty() ? nullptr : F.file.c_str();
  if (File) {
    Text += std::string(File) + ":" + std::to_string(F.site ? F.site->line : F.line);
    if (F.site && F.site->column)
      Text += ":" + std::to_string(F.site->column);
    Text += ": ";
  }
  Text += "error: " + F.message;
  if (K)
    Text += std::string(" [kernel ") + K->signature;
  if (F.hasThread) {
    char Where[160];
    std::snprintf(Where, sizeof Where, ", block (%u,%u,%u), thread (%u,%u,%u)", F.block[0], F.block[1],
                  F.block[2], F.thread[0], F.thread[1], F.thread[2]);
    Text += Where;
  }
  Text += K ? "]\n" : "\n";
  std::fputs(Text.c_str(), stderr);
}

void Runtime::warn(const std::string &Text) {
  if (!warnings.insert(Text).second)
    return;
  std::fflush(stdout);
  std::fprintf(stderr, "warplint-replay: warning: %s\n", Text.c_str());
}

//===-- Names ---------------------------------------------------------------===//

const Module *Runtime::moduleOf(const void *Binary) const {
  // The id is all that the binary consists of, but it need not end in a zero.
  const Module *Best = nullptr;
  for (const Module *M : modules)
    if (std::strncmp(static_cast<const char *>(Binary), M->id, std::strlen(M->id)) == 0 &&
        (!Best || std::strlen(M->id) > std::strlen(Best->id)))
      Best = M;
  return Best;
}

/// What has this name: in the preferred module, else in any other (a relocatable device program's).
template <typename Entry>
static const Entry *named(const std::vector<const Module *> &All, const Module *Preferred,
                          const Entry *Module::*Begin, uint64_t Module::*Count, std::string_view Name) {
  auto In = [&](const Module &M) -> const Entry * {
    for (uint64_t I = 0; I < M.*Count; ++I)
      if ((M.*Begin)[I].name == Name)
        return &(M.*Begin)[I];
    return nullptr;
  };
  if (Preferred)
    if (const Entry *Found = In(*Preferred))
      return Found;
  for (const Module *M : All)
    if (const Entry *Found = In(*M))
      return Found;
  return nullptr;
}

const Kernel *Runtime::kernelNamed(const Module *Preferred, std::string_view Name) const {
  return named(modules, Preferred, &Module::kernels, &Module::kernelCount, Name);
}

const Variable *Runtime::variableNamed(const Module *Preferred, std::string_view Name) const {
  return named(modules, Preferred, &Module::variables, &Module::variableCount, Name);
}

extern "C" void warplintReplayRegister(const Module *M) {
  Runtime &R = runtime();
  const std::lock_guard Lock(R.mutex);
  R.modules.push_back(M);
  for (uint64_t I = 0; I < M->variableCount; ++I) {
    const Variable &V = M->variables[I];
    R.memory.add(uint64_t(V.address), V.size,
                 V.space == VariableSpace::Constant ? ObjectKind::Constant : ObjectKind::Variable, V.name);
  }
}
