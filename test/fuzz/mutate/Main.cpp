//===-- Main.cpp - Mutants of the test inputs through the whole analysis ------===//
//
// Every mutant is parsed with the built-in CUDA declarations, analysed, linted and written as text and JSON.
// What must not happen, however broken the source: a crash, 20 seconds of CPU, a report that cannot be true.
//
//   warplint_mutate --count 5000 --seed 7 test/inputs       run mutants 0 to 4999
//   warplint_mutate --seed 7 --only 123 --write x.cu test/inputs   write that one, and run it
//
//===----------------------------------------------------------------------===//
#include "analyzer/driver/Run.h"
#include "analyzer/frontend/HeaderCache.h"
#include "analyzer/report/Report.h"
#include "test/fuzz/mutate/Mutator.h"
#include "test/fuzz/mutate/ReportCheck.h"
#include "test/fuzz/mutate/Workers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <csignal>

using namespace llvm;
using namespace warplint;
using namespace warplint::fuzz;

namespace {

cl::OptionCategory Category("warplint_mutate options");
cl::opt<std::string> Folder(cl::Positional, cl::desc("FOLDER"), cl::Required, cl::cat(Category));
cl::opt<uint64_t> Seed("seed", cl::desc("Which mutants (1)"), cl::init(1), cl::cat(Category));
cl::opt<uint64_t> First("first", cl::desc("The first mutant's number (0)"), cl::init(0), cl::cat(Category));
cl::opt<uint64_t> Count("count", cl::desc("How many mutants (100)"), cl::init(100), cl::cat(Category));
cl::opt<uint64_t> Only("only", cl::desc("Run this mutant alone, in this process"), cl::cat(Category));
cl::opt<std::string> Write("write", cl::desc("With --only: write the mutant's source here"),
                           cl::cat(Category));
cl::opt<std::string> Reports("reports", cl::desc("Folder for every mutant's JSON report"), cl::cat(Category));
cl::opt<unsigned> Jobs("j", cl::desc("Processes (1)"), cl::init(1), cl::cat(Category));
cl::opt<bool> SelfTest("self-test", cl::desc("Check that crashes, hangs and bad reports are noticed"),
                       cl::cat(Category));

/// No such file is on disk: its text is in memory.
constexpr StringLiteral MutantFile = "/warplint-mutant/mutant.cu";
/// Fixes cost another parse each.
constexpr uint64_t VerifyFixesOfOneIn = 8;
/// So does parsing CUDA's declarations anew, which must change nothing.
constexpr uint64_t FullParseOfOneIn = 32;

/// Made by the first parse, in memory; worker processes inherit it.
std::shared_ptr<frontend::HeaderCache> headers() {
  static const auto Cache = std::make_shared<frontend::HeaderCache>(
      /*Disk=*/nullptr, std::make_shared<frontend::DependencyChecker>());
  return Cache;
}

Mutator readInputs() {
  std::vector<std::string> Names;
  std::error_code Problem;
  for (sys::fs::recursive_directory_iterator It(Folder, Problem), End; It != End && !Problem;
       It.increment(Problem))
    if (StringRef(It->path()).ends_with(".cu"))
      Names.push_back(It->path());
  llvm::sort(Names); // the order of a folder is no order
  Mutator Result;
  for (const std::string &Name : Names)
    if (auto Buffer = MemoryBuffer::getFile(Name))
      Result.addInput(StringRef(Name).drop_front(Folder.size()).ltrim('/'), (*Buffer)->getBuffer());
  return Result;
}

driver::RunOutcome run(const Mutant &M, uint64_t Number, bool Precompiled) {
  driver::RunOptions Options;
  Options.frontend.noCuda = true;
  Options.frontend.hasFixedFlags = true;
  Options.frontend.overlay[MutantFile.str()] = M.text;
  if (Precompiled)
    Options.frontend.headers = headers();
  Options.checks = "*";
  Options.verifyFixes = Number % VerifyFixesOfOneIn == 0;
  return driver::run({MutantFile.str()}, Options);
}

std::string jsonOf(const result::Report &Report) {
  std::string Text;
  raw_string_ostream Stream(Text);
  report::writeJson(Stream, Report, "fuzz");
  return Text;
}

std::string factsOf(const result::Report &Report) {
  size_t Known = 0, Accesses = 0;
  for (const result::Kernel &K : Report.kernels)
    for (const result::Access &A : K.accesses)
      ++Accesses, Known += A.confidence != result::Confidence::Unknown;
  return formatv("{0} {1} {2} {3} {4}", Report.kernels.size(), Accesses, Known, Report.findings.size(),
                 Report.errors.size());
}

/// What is wrong with a mutant's report; "" when nothing is.
std::string problemOf(const Mutant &M, uint64_t Number, const driver::RunOutcome &Outcome,
                      const std::string &Json) {
  if (Outcome.crashes)
    return "crash: caught by the front end";
  std::string Text;
  raw_string_ostream Stream(Text);
  report::writeText(Stream, Outcome.report, [&](const std::string &) { return std::optional(M.text); }, {});
  if (std::string Problem = fuzz::problemOf(Outcome.report, M.text); !Problem.empty())
    return Problem;
  if (std::string Problem = problemOfJson(Json, Outcome.report); !Problem.empty())
    return Problem;
  if (Number % FullParseOfOneIn == 0) {
    result::Report With = Outcome.report, Without = run(M, Number, /*Precompiled=*/false).report;
    // Clang's guesses at misspelt names look at other names in a precompiled header.
    With.errors.clear();
    Without.errors.clear();
    if (jsonOf(With) != jsonOf(Without))
      return "another report when CUDA's declarations are not precompiled";
  }
  return "";
}

TaskReport analyze(const Mutant &M, uint64_t Number) {
  const driver::RunOutcome Outcome = run(M, Number, /*Precompiled=*/true);
  const std::string Json = jsonOf(Outcome.report);
  if (!Reports.empty()) {
    std::error_code Problem;
    raw_fd_ostream(formatv("{0}/{1}.json", Reports, Number).str(), Problem) << Json;
    if (Problem)
      return {"cannot write to " + Reports + ": " + Problem.message(), ""};
  }
  return {problemOf(M, Number, Outcome, Json), factsOf(Outcome.report)};
}

/// Sums over a run.
struct Tally {
  uint64_t mutants = 0, whole = 0, problems = 0;
  std::array<uint64_t, 5> facts{};
  std::pair<double, uint64_t> slowest{0, 0};
  double cpuSeconds = 0;

  void add(const TaskResult &Result) {
    ++mutants;
    problems += !Result.problem.empty();
    cpuSeconds += Result.cpuSeconds;
    slowest = std::max(slowest, {Result.cpuSeconds, Result.task});
    SmallVector<StringRef, 5> Fields;
    StringRef(Result.facts).split(Fields, ' ');
    if (Fields.size() != facts.size())
      return;
    for (size_t I = 0; I < facts.size(); ++I) {
      uint64_t Value = 0;
      Fields[I].getAsInteger(10, Value);
      facts[I] += Value;
    }
    whole += Fields.back() == "0";
  }
};

int runMany(const Mutator &Inputs) {
  // The first parse turns crash recovery on. Here a crash shall end the process, with its stack.
  (void)analyze({"", "", ""}, 1);
  CrashRecoveryContext::Disable();
  Limits L;
#if !LLVM_ADDRESS_SANITIZER_BUILD // which reserves terabytes
  L.memory = uint64_t(6) << 30;
#endif
  Tally Sum;
  runTasks(
      First, Count, Jobs, L, [&](uint64_t I) { return analyze(Inputs.mutant(Seed, I), I); },
      [&](const TaskResult &Result) {
        Sum.add(Result);
        if (Sum.mutants % 250 == 0)
          errs() << Sum.mutants << " of " << Count << " mutants, " << Sum.problems << " problems\n";
        if (Result.problem.empty())
          return;
        const Mutant M = Inputs.mutant(Seed, Result.task);
        outs() << "mutant " << Result.task << " of " << M.origin << ": " << Result.problem << "\n    "
               << M.edits << "\n    again: --seed " << Seed << " --only " << Result.task << '\n';
        outs().flush();
      });
  outs() << formatv(
      "{0} mutants of {1} files (seed {2}): {3} problems; {4} without errors, {5} kernels, {6} accesses, "
      "{7} of them known, {8} findings; {9:f0} s of CPU, at most {10:f1} s for one ({11})\n",
      Sum.mutants, Inputs.inputs(), Seed, Sum.problems, Sum.whole, Sum.facts[0], Sum.facts[1], Sum.facts[2],
      Sum.facts[3], Sum.cpuSeconds, Sum.slowest.first, Sum.slowest.second);
  // A run that analyses nothing would find nothing.
  if (Sum.mutants >= 50 && Sum.facts[2] == 0)
    return outs() << "no access of any mutant was analysed\n", 1;
  return Sum.problems ? 1 : 0;
}

int runOne(const Mutator &Inputs) {
  const Mutant M = Inputs.mutant(Seed, Only);
  outs() << M.origin << ": " << M.edits << '\n';
  if (!Write.empty()) {
    std::error_code Problem;
    raw_fd_ostream(Write, Problem) << M.text;
  }
  const TaskReport Report = analyze(M, Only);
  outs() << (Report.problem.empty() ? "no problem" : Report.problem) << " (" << Report.facts << ")\n";
  return Report.problem.empty() ? 0 : 1;
}

[[gnu::noinline]] unsigned exhaustStack(volatile unsigned *Previous) {
  volatile unsigned Frame[1000] = {*Previous};
  return Frame[0] ? exhaustStack(Frame) + Frame[1] : 0;
}

/// Tasks that misbehave in every way that counts, each between two good ones.
int selfTest() {
  Limits L;
  L.cpuSeconds = 1;
  L.wallSeconds = 4;
  auto Misbehave = [](uint64_t I) -> TaskReport {
    signal(SIGABRT, SIG_DFL);
    signal(SIGSEGV, SIG_DFL);
    volatile unsigned Forever = 1;
    switch (I) {
    case 1:
      abort();
    case 3:
      return {"a bad report", ""};
    case 5:
      while (Forever)
        ;
      break;
    case 7:
      while (Forever)
        pause();
      break;
    case 9:
      exhaustStack(&Forever);
      break;
    default:
      break;
    }
    return {"", "fine"};
  };
  std::vector<std::string> Problems(12, "never heard of");
  runTasks(0, Problems.size(), 2, L, Misbehave, [&](const TaskResult &R) { Problems[R.task] = R.problem; });
  int Wrong = 0;
  for (size_t I = 0; I < Problems.size(); ++I) {
    const StringRef Expected = I == 1 || I == 9   ? "crash: "
                               : I == 3           ? "a bad"
                               : I == 5 || I == 7 ? "hang: "
                                                  : "";
    if (!StringRef(Problems[I]).starts_with(Expected) || Problems[I].empty() != Expected.empty()) {
      outs() << "task " << I << ": expected '" << Expected << "', got '" << Problems[I] << "'\n";
      Wrong = 1;
    }
  }
  return Wrong;
}

} // namespace

int main(int Argc, char **Argv) {
  InitLLVM Init(Argc, Argv);
  cl::HideUnrelatedOptions(Category);
  cl::ParseCommandLineOptions(Argc, Argv, "Mutants of CUDA sources through warplint\n");
  if (SelfTest)
    return selfTest();
  if (!Reports.empty())
    if (std::error_code Problem = sys::fs::create_directories(Reports)) {
      errs() << "warplint_mutate: cannot make the folder '" << Reports << "': " << Problem.message() << '\n';
      return 2;
    }
  const Mutator Inputs = readInputs();
  if (!Inputs.inputs()) {
    errs() << "warplint_mutate: no .cu files in '" << Folder << "'\n";
    return 2;
  }
  return Only.getNumOccurrences() ? runOne(Inputs) : runMany(Inputs);
}
