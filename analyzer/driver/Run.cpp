#include "analyzer/driver/Run.h"
#include "analyzer/driver/Fixes.h"
#include "analyzer/driver/Header.h"
#include "analyzer/driver/Suppression.h"
#include "rules/Rules.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ThreadPool.h"
#include <chrono>
#include <map>
#include <mutex>
#include <set>

using namespace llvm;
using namespace warplint;
using namespace warplint::driver;

namespace {

using Clock = std::chrono::steady_clock;
double secondsSince(Clock::time_point Start) {
  return std::chrono::duration<double>(Clock::now() - Start).count();
}

/// What the analysis of one file gives.
struct FileOutcome {
  std::vector<result::Kernel> kernels;
  std::vector<result::Error> errors;
  std::vector<std::string> notes;
  std::string failure;
  double parseSeconds = 0, analysisSeconds = 0;
  kernel::Statistics statistics;
};

FileOutcome analyzeFile(const std::string &File, const frontend::Options &Front,
                        const kernel::AnalysisOptions &Options) {
  FileOutcome Outcome;
  Expected<frontend::Command> Command = frontend::commandFor(File, Front);
  if (!Command) {
    Outcome.failure = toString(Command.takeError());
    return Outcome;
  }
  Shown Result = throughIncluders(*Command, Front, [&](const frontend::Command &Each) {
    Shown One;
    auto Start = Clock::now();
    double Analysis = 0;
    frontend::ParseOutcome Parsed = frontend::parse(Each, Front, [&](frontend::Unit &Unit) {
      auto Begin = Clock::now();
      One.unitHasKernels = keepRequestedKernels(Unit);
      One.kernels = kernel::analyze(Unit, Options, &Outcome.statistics);
      Analysis = secondsSince(Begin);
    });
    Outcome.analysisSeconds += Analysis + Parsed.codegenSeconds;
    Outcome.parseSeconds += secondsSince(Start) - Analysis - Parsed.codegenSeconds;
    One.errors = std::move(Parsed.errors);
    return One;
  });
  Outcome.kernels = std::move(Result.kernels);
  Outcome.errors = std::move(Result.errors);
  Outcome.notes = std::move(Result.notes);
  if (Outcome.kernels.empty() && !Outcome.errors.empty() && !Result.hasNoKernels)
    Outcome.failure = File +
                      ": no kernel could be analysed because of errors; fix them, or pass the build's flags "
                      "with -p DIR or after --";
  return Outcome;
}

std::string keyOf(const result::Kernel &K) {
  std::string Key = K.place.file + ":" + utostr(K.place.line) + ":" + K.signature + "|";
  for (unsigned B : K.block)
    Key += utostr(B) + ",";
  if (K.grid)
    for (uint64_t G : *K.grid)
      Key += utostr(G) + ",";
  for (auto &[Name, Value] : K.arguments)
    Key += Name + "=" + itostr(Value) + ",";
  return Key + K.launch.file + utostr(K.launch.line);
}

} // namespace

std::string warplint::driver::readSource(const std::string &File, const frontend::Options &Front) {
  if (auto It = Front.overlay.find(File); It != Front.overlay.end())
    return It->second;
  auto Buffer = MemoryBuffer::getFile(File);
  return Buffer ? (*Buffer)->getBuffer().str() : std::string();
}

/// Takes away what NOLINT comments silence; unmatched NOLINTBEGIN and NOLINTEND become errors of the report.
static unsigned suppress(result::Report &Report, const frontend::Options &Front) {
  std::map<std::string, Suppressions> ByFile;
  auto Of = [&](const std::string &File) -> const Suppressions & {
    auto It = ByFile.find(File);
    if (It == ByFile.end())
      It = ByFile.try_emplace(File, readSource(File, Front)).first;
    return It->second;
  };
  for (const result::Kernel &K : Report.kernels)
    if (K.place.valid())
      Of(K.place.file);
  erase_if(Report.findings, [&](const result::Finding &F) {
    return F.place.valid() && Of(F.place.file).suppressed(F.rule, F.place.line, F.place.column);
  });
  unsigned Bad = 0;
  for (auto &[File, S] : ByFile)
    for (const Suppressions::Error &E : S.errors()) {
      Report.errors.push_back({{File, E.line, E.column, E.line, E.column + 1}, E.message});
      ++Bad;
    }
  return Bad;
}

unsigned warplint::driver::lint(result::Report &Report, const RunOptions &Options) {
  Report.findings = rules::run(Report.kernels, rules::Selection(Options.checks));
  const unsigned Bad = suppress(Report, Options.frontend);
  if (Options.warningsAsErrors.empty())
    return Bad;
  // Only what the list names: the selection starts from nothing.
  rules::Selection Errors("-*," + Options.warningsAsErrors);
  for (result::Finding &F : Report.findings)
    if (const rules::Rule *R = rules::find(F.rule);
        R && F.severity == result::Severity::Warning && Errors.contains(*R))
      F.severity = result::Severity::Error;
  return Bad;
}

RunOutcome warplint::driver::run(const std::vector<std::string> &Files, const RunOptions &Options,
                                 std::function<void(const std::string &)> Progress) {
  std::vector<FileOutcome> Outcomes(Files.size());
  std::mutex Lock;
  auto Analyze = [&](size_t I) {
    if (Progress) {
      std::lock_guard<std::mutex> Guard(Lock);
      Progress(Files[I]);
    }
    Outcomes[I] = analyzeFile(Files[I], Options.frontend, Options.analysis);
  };
  if (Options.jobs > 1 && Files.size() > 1) {
    DefaultThreadPool Pool(hardware_concurrency(Options.jobs));
    for (size_t I = 0; I < Files.size(); ++I)
      Pool.async(Analyze, I);
    Pool.wait();
  } else {
    for (size_t I = 0; I < Files.size(); ++I)
      Analyze(I);
  }

  RunOutcome Result;
  std::set<std::string> KernelsSeen, ErrorsSeen, NotesSeen, FailuresSeen;
  for (FileOutcome &O : Outcomes) {
    Result.parseSeconds += O.parseSeconds;
    Result.analysisSeconds += O.analysisSeconds;
    Result.statistics.steps += O.statistics.steps;
    Result.statistics.runs += O.statistics.runs;
    Result.statistics.wordDisagreements += O.statistics.wordDisagreements;
    if (!O.failure.empty() && FailuresSeen.insert(O.failure).second)
      Result.failures.push_back(O.failure);
    ++Result.report.files;
    for (std::string &Note : O.notes)
      if (NotesSeen.insert(Note).second)
        Result.notes.push_back(Note);
    for (result::Error &E : O.errors)
      if (ErrorsSeen
              .insert(E.place.file + ":" + utostr(E.place.line) + ":" + utostr(E.place.column) + E.message)
              .second)
        Result.report.errors.push_back(std::move(E));
    for (result::Kernel &K : O.kernels)
      if (KernelsSeen.insert(keyOf(K)).second)
        Result.report.kernels.push_back(std::move(K));
  }
  Result.badSuppressions = lint(Result.report, Options);
  if (Options.verifyFixes)
    warplint::driver::verifyFixes(Result.report, Files, Options);
  return Result;
}
