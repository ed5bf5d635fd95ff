#include "analyzer/driver/Run.h"
#include "analyzer/driver/Adoption.h"
#include "analyzer/driver/Fixes.h"
#include "analyzer/driver/Header.h"
#include "analyzer/driver/LaunchIndex.h"
#include "analyzer/driver/ResultCache.h"
#include "analyzer/driver/Suppression.h"
#include "analyzer/frontend/HeaderCache.h"
#include "rules/Rules.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Threading.h"
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>

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
  bool crashed = false;
  double parseSeconds = 0, analysisSeconds = 0;
  kernel::Statistics statistics;
  unsigned parses = 0; ///< none when the cache knew it all
  bool done = false;
};

/// Parses and analyses one translation unit.
UnitResult analyzeUnit(const frontend::Command &Command, const RunOptions &Options, FileOutcome &Outcome) {
  UnitResult Result;
  auto Start = Clock::now();
  double Analysis = 0;
  frontend::ParseOutcome Parsed = frontend::parse(Command, Options.frontend, [&](frontend::Unit &Unit) {
    auto Begin = Clock::now();
    Result.hasKernels = keepRequestedKernels(Unit);
    Result.kernels = kernel::analyze(Unit, Options.analysis, &Outcome.statistics, &Result.wanted);
    Analysis = secondsSince(Begin);
  });
  Outcome.analysisSeconds += Analysis + Parsed.codegenSeconds;
  Outcome.parseSeconds += secondsSince(Start) - Analysis - Parsed.codegenSeconds;
  ++Outcome.parses;
  Outcome.crashed |= Parsed.crashed;
  Result.errors = std::move(Parsed.errors);
  // A file that brought the parse down may do so for reasons of the moment.
  if (Parsed.parsed)
    Result.dependencies = std::move(Parsed.dependencies);
  return Result;
}

/// What the files of a run share.
struct Company {
  std::shared_ptr<const ResultCache> results; ///< null: nothing is kept
  std::shared_ptr<LaunchIndex> launches;
};

/// The same from the cache, where that has it.
UnitResult cachedResult(const frontend::Command &Command, const RunOptions &Options,
                        const ResultCache *Results, FileOutcome &Outcome) {
  if (!Results)
    return analyzeUnit(Command, Options, Outcome);
  const std::string Key = ResultCache::key(Command, Options.analysis);
  if (std::optional<UnitResult> Known = Results->load(Key))
    return std::move(*Known);
  UnitResult Result = analyzeUnit(Command, Options, Outcome);
  if (!Result.dependencies.empty())
    Results->store(Key, Result);
  return Result;
}

/// The same with what other files say of the unit's kernels, where its own launches leave something open.
UnitResult resultOf(const frontend::Command &Command, const RunOptions &Options, const Company &With,
                    FileOutcome &Outcome) {
  UnitResult Alone = cachedResult(Command, Options, With.results.get(), Outcome);
  if (Alone.wanted.empty())
    return Alone;
  RunOptions Informed = Options;
  Informed.analysis.outside = With.launches->find(Command, Alone.wanted);
  if (Informed.analysis.outside.empty())
    return Alone;
  return cachedResult(Command, Informed, With.results.get(), Outcome);
}

FileOutcome analyzeFile(const std::string &File, const RunOptions &Options, const Company &With) {
  FileOutcome Outcome;
  Expected<frontend::Command> Command = frontend::commandFor(File, Options.frontend);
  if (!Command) {
    Outcome.failure = toString(Command.takeError());
    return Outcome;
  }
  Shown Result = throughIncluders(*Command, Options.frontend, [&](const frontend::Command &Each) {
    UnitResult Unit = resultOf(Each, Options, With, Outcome);
    Shown One;
    One.kernels = std::move(Unit.kernels);
    One.errors = std::move(Unit.errors);
    One.unitHasKernels = Unit.hasKernels;
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

/// What makes two kernels of different files one, whatever they are launched with.
std::string kernelOf(const result::Kernel &K) {
  return K.place.file + ":" + utostr(K.place.line) + ":" + K.signature;
}

/// A kernel and the place that launches it.
std::string launchOf(const result::Kernel &K) {
  return kernelOf(K) + "|" + K.launch.file + ":" + utostr(K.launch.line) + ":" + utostr(K.launch.column);
}

std::string keyOf(const result::Kernel &K) {
  std::string Key = kernelOf(K) + "|";
  for (unsigned B : K.block)
    Key += utostr(B) + ",";
  if (K.grid)
    for (uint64_t G : *K.grid)
      Key += utostr(G) + ",";
  for (auto &[Name, Value] : K.arguments)
    Key += Name + "=" + itostr(Value) + ",";
  return Key + spelling(K.blockOrigin) + launchOf(K);
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

namespace {

/// The files of a run, handed out to threads, largest first so that none is left for last alone.
class Work {
public:
  Work(std::vector<std::string> Names, RunOptions Options, Company With,
       std::function<void(const Progress &)> OnProgress)
      : Names(std::move(Names)), Options(std::move(Options)), With(std::move(With)),
        OnProgress(std::move(OnProgress)), Outcomes(this->Names.size()) {
    std::vector<uint64_t> Sizes(this->Names.size());
    for (size_t I = 0; I < Sizes.size(); ++I) {
      Order.push_back(I);
      (void)sys::fs::file_size(this->Names[I], Sizes[I]);
    }
    stable_sort(Order, [&](size_t L, size_t R) { return Sizes[L] > Sizes[R]; });
  }

  /// What a thread does until nothing is left.
  void help() {
    while (true) {
      size_t I;
      {
        std::lock_guard<std::mutex> Guard(Lock);
        if (Next == Order.size() || Abandoned)
          break;
        I = Order[Next++];
      }
      finish(I, analyzeFile(Names[I], Options, With));
    }
  }

  /// Waits for all files, or until `Interrupted` says so; the outcomes then, in the order of the names.
  std::vector<FileOutcome> wait(const std::function<bool()> &Interrupted) {
    std::unique_lock<std::mutex> Guard(Lock);
    while (Done < Names.size() && !Abandoned) {
      Changed.wait_for(Guard, std::chrono::milliseconds(100));
      Abandoned = Interrupted && Interrupted();
    }
    return std::move(Outcomes);
  }

private:
  void finish(size_t I, FileOutcome Outcome) {
    Progress Report;
    if (OnProgress) {
      RunOutcome Alone;
      Alone.report.kernels = Outcome.kernels;
      lint(Alone.report, Options);
      adopt(Alone, {Names[I]}, Options);
      Report.kernels = Alone.report.kernels.size();
      Report.findings = Alone.report.findings.size();
    }
    std::lock_guard<std::mutex> Guard(Lock);
    if (Abandoned)
      return;
    Outcomes[I] = std::move(Outcome);
    Outcomes[I].done = true;
    ++Done;
    if (OnProgress) {
      Report.done = Done;
      Report.total = Names.size();
      Report.file = Names[I];
      OnProgress(Report);
    }
    Changed.notify_one();
  }

  const std::vector<std::string> Names;
  const RunOptions Options;
  const Company With;
  const std::function<void(const Progress &)> OnProgress;
  std::vector<size_t> Order;

  std::mutex Lock;
  std::condition_variable Changed;
  std::vector<FileOutcome> Outcomes;
  size_t Next = 0, Done = 0;
  bool Abandoned = false;
};

/// Each file once, by the file it is rather than by its spelling.
std::vector<std::string> withoutRepetitions(const std::vector<std::string> &Files) {
  std::vector<std::string> Result;
  StringSet<> Seen;
  for (const std::string &File : Files) {
    SmallString<256> Absolute(File);
    (void)sys::fs::make_absolute(Absolute);
    sys::path::remove_dots(Absolute, /*remove_dot_dot=*/true);
    if (Seen.insert(Absolute).second)
      Result.push_back(File);
  }
  return Result;
}

/// Adds what a file gave to what the files before it gave.
class Merge {
public:
  explicit Merge(RunOutcome &Into) : Into(Into) {}

  void add(FileOutcome Outcome) {
    ++Into.report.files;
    Into.parseSeconds += Outcome.parseSeconds;
    Into.analysisSeconds += Outcome.analysisSeconds;
    Into.statistics.steps += Outcome.statistics.steps;
    Into.statistics.runs += Outcome.statistics.runs;
    Into.statistics.wordDisagreements += Outcome.statistics.wordDisagreements;
    Into.fromCache += Outcome.failure.empty() && !Outcome.parses;
    Into.crashes += Outcome.crashed;
    if (!Outcome.failure.empty() && Failures.insert(Outcome.failure).second)
      Into.failures.push_back(Outcome.failure);
    for (std::string &Note : Outcome.notes)
      if (Notes.insert(Note).second)
        Into.notes.push_back(Note);
    for (result::Error &E : Outcome.errors)
      if (Errors
              .insert(E.place.file + ":" + utostr(E.place.line) + ":" + utostr(E.place.column) + E.message)
              .second)
        Into.report.errors.push_back(std::move(E));
    for (result::Kernel &K : Outcome.kernels) {
      if (K.blockOrigin != result::BlockOrigin::Assumed) {
        WithShape.insert(kernelOf(K));
        WithShape.insert(launchOf(K));
      }
      if (Kernels.insert(keyOf(K)).second)
        Into.report.kernels.push_back(std::move(K));
    }
  }

  /// A kernel of a header is launched in some of the files that include it, or the function of the header
  /// that launches it is called in some: what the others had to assume about its block is of no interest
  /// then.
  void finish() {
    erase_if(Into.report.kernels, [&](const result::Kernel &K) {
      return K.blockOrigin == result::BlockOrigin::Assumed &&
             WithShape.contains(K.launch.valid() ? launchOf(K) : kernelOf(K));
    });
  }

private:
  RunOutcome &Into;
  std::set<std::string> Kernels, WithShape, Errors, Notes, Failures;
};

} // namespace

RunOutcome warplint::driver::run(const std::vector<std::string> &Files, const RunOptions &Given,
                                 std::function<void(const Progress &)> OnProgress,
                                 std::function<bool()> Interrupted) {
  std::vector<std::string> Names = withoutRepetitions(Files);
  if (Names.empty()) {
    RunOutcome Nothing;
    Nothing.notes.push_back(
        "nothing to analyse: no CUDA file of the database has changed lines or includes a file that has");
    return Nothing;
  }
  RunOptions Options = Given;
  std::shared_ptr<frontend::Cache> Disk;
  std::shared_ptr<ResultCache> Results;
  std::shared_ptr<frontend::DependencyChecker> Checker;
  if (!Options.cacheFolder.empty()) {
    Disk = std::make_shared<frontend::Cache>(Options.cacheFolder);
    Checker = std::make_shared<frontend::DependencyChecker>();
    if (!Options.frontend.headers)
      Options.frontend.headers = std::make_shared<frontend::HeaderCache>(Disk, Checker);
    // What is not on disk changes without a trace there.
    if (Options.resultCache && Options.frontend.overlay.empty())
      Results = std::make_shared<ResultCache>(Disk, Checker);
  }

  // A trial of some files' fixes sees the launches of all.
  if (Options.project.empty())
    Options.project = Names;
  auto Launches =
      std::make_shared<LaunchIndex>(Options.project, Options.frontend, Results ? Disk : nullptr, Checker);

  const size_t Threads =
      std::clamp<size_t>(hardware_concurrency(Options.jobs).compute_thread_count(), 1, Names.size());
  auto Shared = std::make_shared<Work>(Names, Options, Company{Results, Launches}, std::move(OnProgress));
  std::vector<std::thread> Helpers;
  for (size_t I = 0; I < Threads; ++I)
    Helpers.emplace_back([Shared] { Shared->help(); });
  std::vector<FileOutcome> Outcomes = Shared->wait(Interrupted);

  RunOutcome Result;
  const size_t Done = count_if(Outcomes, [](const FileOutcome &O) { return O.done; });
  Result.interrupted = Done < Names.size();
  for (std::thread &Helper : Helpers)
    Result.interrupted ? Helper.detach() : Helper.join();
  Merge All(Result);
  for (FileOutcome &Outcome : Outcomes)
    if (Outcome.done)
      All.add(std::move(Outcome));
  All.finish();
  if (Result.interrupted)
    Result.report.errors.push_back({{}, "interrupted: " + utostr(Names.size() - Done) + " of " +
                                            utostr(Names.size()) + " files were not analysed"});
  Result.badSuppressions = lint(Result.report, Options);
  adopt(Result, Names, Options);
  if (Options.verifyFixes && !Result.interrupted &&
      !warplint::driver::verifyFixes(Result.report, Names, Options, Interrupted)) {
    Result.interrupted = true;
    Result.report.errors.push_back({{}, "interrupted: the fixes were not tried out"});
  }
  if (Disk && Result.fromCache < Names.size())
    Disk->prune();
  return Result;
}
