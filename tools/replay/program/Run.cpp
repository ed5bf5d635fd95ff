//===-- Run.cpp - Runs a replayable program ----------------------------------------===//
#include "tools/replay/program/Run.h"
#include "tools/replay/runtime/RuntimeOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Program.h"
#include <unistd.h>

using namespace llvm;
using namespace warplint::replay;

namespace {

/// Lets children write to stderr where they would write to stdout.
class StdoutToStderr {
public:
  explicit StdoutToStderr(bool Wanted) : Saved(Wanted ? dup(STDOUT_FILENO) : -1) {
    if (Saved >= 0)
      dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~StdoutToStderr() {
    if (Saved < 0)
      return;
    dup2(Saved, STDOUT_FILENO);
    close(Saved);
  }
  StdoutToStderr(const StdoutToStderr &) = delete;

private:
  int Saved;
};

/// The user's environment with what the runtime is to know.
std::vector<std::string> environmentFor(const RunJob &Job) {
  std::vector<std::string> Result;
  for (char **Each = environ; *Each; ++Each)
    if (!StringRef(*Each).starts_with("WARPLINT_REPLAY_"))
      Result.push_back(*Each);
  auto Set = [&](const char *Name, const std::string &Value) {
    Result.push_back(std::string(Name) + "=" + Value);
  };
  Set(environment::Output, Job.output);
  if (Job.maxWarps) {
    Set(environment::MaxWarps, utostr(*Job.maxWarps));
    // Who asks for more of one launch wants more of all.
    const uint64_t Usual = RuntimeOptions().maxTotalWarps;
    Set(environment::MaxTotalWarps, utostr(*Job.maxWarps ? std::max(Usual, 16 * *Job.maxWarps) : 0));
    if (!*Job.maxWarps)
      Set(environment::FirstLaunches, "0");
  }
  if (Job.timeLimitSeconds)
    Set(environment::TimeLimit, utostr(Job.timeLimitSeconds));
  if (!Job.gpu.empty())
    Set(environment::Gpu, Job.gpu);
  return Result;
}

} // namespace

RunResult warplint::replay::run(const RunJob &Job) {
  std::vector<StringRef> Arguments{Job.program};
  append_range(Arguments, Job.arguments);
  const std::vector<std::string> Environment = environmentFor(Job);
  const std::vector<StringRef> Words(Environment.begin(), Environment.end());
  // The runtime keeps the limit and writes what it has; this is for a program that blocks signals.
  const unsigned Patience = Job.timeLimitSeconds ? Job.timeLimitSeconds + Job.timeLimitSeconds / 4 + 5 : 0;
  RunResult Result;
  bool Failed = false;
  const StdoutToStderr Moved(Job.outputToStderr);
  Result.status = sys::ExecuteAndWait(Job.program, Arguments, ArrayRef<StringRef>(Words), {}, Patience, 0,
                                      &Result.problem, &Failed);
  if (Result.status == TimeLimitStatus)
    Result.problem = "it was ended after " + utostr(Job.timeLimitSeconds) + " s (--time-limit)";
  return Result;
}
