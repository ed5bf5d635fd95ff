#include "analyzer/driver/Run.h"
#include "analyzer/driver/Adoption.h"
#include "analyzer/driver/Fixes.h"
#include "analyzer/driver/Header.h"
#include "analyzer/driver/KernelMerge.h"
#include "analyzer/driver/LaunchIndex.h"
#include "analyzer/driver/ResultCache.h"
#include "analyzer/driver/Shard.h"
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
  std::set<std::string> dependencies; ///< where they are asked for
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

/// `Looked`: other files whose launches counted, or would have.
void addDependencies(const UnitResult &Result, ArrayRef<std::string> Looked, FileOutcome &Outcome) {
  for (const frontend::Dependency &D : Result.dependencies)
    if (D.exists && D.read)
      Outcome.dependencies.insert(D.path);
  Outcome.dependencies.insert(Looked.begin(), Looked.end());
}

/// The same with what other files say of the unit's kernels, where its own launches leave something open.
UnitResult resultOf(const frontend::Command &Command, const RunOptions &Options, const Company &With,
                    FileOutcome &Outcome) {
  UnitResult Alone = cachedResult(Command, Options, With.results.get(), Outcome);
  if (Options.listDependencies)
    addDependencies(Alone, Alone.wanted.empty() ? std::vector<std::string>() : With.launches->filesFor(Command),
                    Outcome);
  if (Alone.wanted.empty())
    return Alone;
  RunOptions Informed = Options;
  Informed.analysis.outside = With.launches->find(Command, Alone.wanted);
  if (Informed.analysis.outside.empty())
    return Alone;
  return cachedResult(Command, Informed, With.results.get(), Outcome);
}

/// Of a file's calls that are not followed, the first: what their functions access is in no report.
void noteUnknownCalls(const std::vector<result::Kernel> &Kernels, std::vector<std::string> &Notes) {
  const result::Access *First = nullptr;
  std::set<std::string> Places;
  for (const result::Kernel &K : Kernels)
    for (const result::Access &A : K.accesses)
      if (A.unknownCall) {
        Places.insert(A.place.file + ":" + utostr(A.place.line) + ":" + utostr(A.place.column));
        First = First ? First : &A;
      }
  if (!First)
    return;
  std::string Note = First->place.file + ":" + utostr(First->place.line) + ":" + utostr(First->place.column) +
                     ": " + First->reason;
  if (Places.size() > 1)
    Note += " (and so for " + utostr(Places.size() - 1) + " more, which the JSON report lists)";
  Notes.push_back(std::move(Note));
}

/// What the analysis of one file goes by: the options of the run with what its configuration adds.
RunOptions optionsFor(const std::string &File, const RunOptions &Options) {
  RunOptions Own; // not the list of all files, which every file would copy
  Own.frontend = Options.frontend;
  Own.analysis = Options.analysis;
  Own.listDependencies = Options.listDependencies;
  if (!Options.configurations)
    return Own;
  const Configuration &Its = Options.configurations->of(File);
  Own.analysis.kernels = Its.kernels;
  Own.analysis.assume.insert(Its.assume.begin(), Its.assume.end()); // the command line's stay
  return Own;
}

/// What a configuration adds to a file's compile command. The last flag on a matter wins: the command line's.
void addArguments(const std::string &File, Configurations &All, frontend::Options &Front) {
  const Configuration &Its = All.of(File);
  Front.extraArgs.insert(Front.extraArgs.begin(), Its.extraArgs.begin(), Its.extraArgs.end());
  Front.extraArgsBefore.insert(Front.extraArgsBefore.begin(), Its.extraArgsBefore.begin(),
                               Its.extraArgsBefore.end());
}

FileOutcome analyzeFile(const std::string &File, const RunOptions &Given, const Company &With) {
  const RunOptions Options = optionsFor(File, Given);
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
  noteUnknownCalls(Outcome.kernels, Outcome.notes);
  if (Outcome.kernels.empty() && !Outcome.errors.empty() && !Result.hasNoKernels)
    Outcome.failure = File +
                      ": no kernel could be analysed because of errors; fix them, or pass the build's flags "
                      "with -p DIR or after --";
  return Outcome;
}

} // namespace

std::string warplint::driver::readSource(const std::string &File, const frontend::Options &Front) {
  if (auto It = Front.overlay.find(File); It != Front.overlay.end())
    return It->second;
  auto Buffer = MemoryBuffer::getFile(File);
  return Buffer ? (*Buffer)->getBuffer().str() : std::string();
}

SettingsOf warplint::driver::settingsOf(const RunOptions &Options) {
  if (Options.configurations)
    return [All = Options.configurations](const std::string &File) -> const rules::Settings & {
      return All->settingsOf(File);
    };
  auto Same = std::make_shared<rules::Settings>();
  Same->selected = rules::Selection(Options.checks);
  Same->errors = rules::Selection("-*," + Options.warningsAsErrors); // only what the list names
  return [Same](const std::string &) -> const rules::Settings & { return *Same; };
}

/// The NOLINT comments that name a check which is on, and silence nothing: in the files of accesses, as far as
/// these could be analysed.
static std::vector<std::string>
unusedSuppressions(const result::Report &Report, function_ref<const Suppressions &(const std::string &)> Of,
                   const std::map<std::string, std::set<size_t>> &Used, const SettingsOf &Settings) {
  std::set<std::string> Files;
  for (const result::Kernel &K : Report.kernels) {
    if (K.place.valid())
      Files.insert(K.place.file);
    for (const result::Access &A : K.accesses)
      if (A.place.valid())
        Files.insert(A.place.file);
  }
  for (const result::Error &E : Report.errors)
    Files.erase(E.place.file);
  std::vector<std::string> Result;
  for (const std::string &File : Files) {
    const std::vector<Suppressions::Comment> &Comments = Of(File).comments();
    const auto UsedHere = Used.find(File);
    for (size_t I = 0; I != Comments.size(); ++I)
      if ((UsedHere == Used.end() || !UsedHere->second.contains(I)) &&
          Comments[I].names([&](const rules::Rule &R) { return Settings(File).selected.contains(R); }))
        Result.push_back(File + ":" + utostr(Comments[I].line) + ":" + utostr(Comments[I].column) + ": " +
                         Comments[I].text + " silences nothing of what was analysed");
  }
  return Result;
}

/// Takes away what NOLINT comments silence; unmatched NOLINTBEGIN and NOLINTEND become errors of the report.
static unsigned suppress(result::Report &Report, const frontend::Options &Front, const SettingsOf &Settings,
                         std::vector<std::string> *Unused) {
  std::map<std::string, Suppressions> ByFile;
  auto Of = [&](const std::string &File) -> const Suppressions & {
    auto It = ByFile.find(File);
    if (It == ByFile.end())
      It = ByFile.try_emplace(File, readSource(File, Front)).first;
    return It->second;
  };
  std::set<std::string> Users; // files that are answered for: macros may come from the system's
  for (const result::Kernel &K : Report.kernels)
    if (K.place.valid())
      Users.insert(K.place.file);
  for (const result::Finding &F : Report.findings)
    if (F.place.valid())
      Users.insert(F.place.file);
  std::map<std::string, std::set<size_t>> Used; // comments, by file
  erase_if(Report.findings, [&](const result::Finding &F) {
    // As in clang-tidy, a comment in a macro's definition counts like one where the macro is used.
    std::vector<result::Place> Places = F.macros;
    Places.push_back(F.place);
    bool Silenced = false;
    for (const result::Place &P : Places) {
      if (!P.valid())
        continue;
      const std::vector<size_t> By = Of(P.file).silencing(F.rule, P.line, P.column);
      Used[P.file].insert(By.begin(), By.end());
      Silenced |= !By.empty();
    }
    return Silenced;
  });
  if (Unused)
    *Unused = unusedSuppressions(Report, Of, Used, Settings);
  unsigned Bad = 0;
  for (const std::string &File : Users)
    for (const Suppressions::Error &E : Of(File).errors()) {
      Report.errors.push_back({{File, E.line, E.column, E.line, E.column + 1}, E.message});
      ++Bad;
    }
  return Bad;
}

std::vector<result::Candidate> warplint::driver::candidatesOf(const result::Report &Report,
                                                              const RunOptions &Options) {
  // By the file that a kernel stands in, so that a kernel of a header has one answer whoever includes it.
  const SettingsOf Settings = settingsOf(Options);
  return rules::candidates(Report.kernels, [&](const result::Kernel &K) -> const rules::Settings & {
    return Settings(K.place.file);
  });
}

/// The machine that a kernel is rated for: what the options leave open is its configuration's.
static Machine machineFor(const result::Kernel &K, const RunOptions &Options) {
  Machine Its = Options.machine;
  if (!Options.configurations)
    return Its;
  const Configuration &Configured = Options.configurations->of(K.place.file);
  if (!Its.gpu && Configured.gpu) {
    auto Gpu = model::parseGpu(*Configured.gpu);
    if (Gpu)
      Its.gpu = *Gpu;
    else
      consumeError(Gpu.takeError()); // the configuration was refused for it
  }
  if (!Its.registers)
    for (const kernel::GivenLaunch &Given : Configured.kernels)
      if (Given.matches(K.name, K.signature)) {
        Its.registers = Given.registers;
        break;
      }
  return Its;
}

unsigned warplint::driver::silence(result::Report &Report, const RunOptions &Options,
                                   std::vector<std::string> *Unused) {
  return suppress(Report, Options.frontend, settingsOf(Options), Unused);
}

void warplint::driver::applyRules(result::Report &Report, const RunOptions &Options) {
  for (result::Kernel &K : Report.kernels)
    judge(K, machineFor(K, Options));
  Report.findings.clear();
  for (rules::Merged &M : rules::merge(Report.kernels, candidatesOf(Report, Options)))
    Report.findings.push_back(std::move(M.finding));
}

unsigned warplint::driver::lint(result::Report &Report, const RunOptions &Options,
                                std::vector<std::string> *Unused) {
  applyRules(Report, Options);
  return silence(Report, Options, Unused);
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

/// A rule that was asked for and has nothing to say without a GPU.
void noteMissingGpu(RunOutcome &Outcome, const SettingsOf &Settings) {
  const rules::Rule *Bound = rules::find("kernel-bandwidth-bound");
  if (any_of(Outcome.report.kernels, [&](const result::Kernel &K) {
        return (!K.roofline || K.roofline->gpu.empty()) && Settings(K.place.file).selected.contains(*Bound);
      }))
    Outcome.notes.push_back(std::string(Bound->name) +
                            " needs to know the GPU: --gpu=NAME (--list-gpus names all that are known)");
}

/// Adds what a file gave to what the files before it gave.
class Merge {
public:
  explicit Merge(RunOutcome &Into) : Into(Into) {}

  void add(FileOutcome Outcome, unsigned Unit) {
    append_range(Into.dependencies, Outcome.dependencies);
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
      if (Errors.insert(keyOf(E)).second) {
        E.unit = Unit;
        Into.report.errors.push_back(std::move(E));
      }
    for (result::Kernel &K : Outcome.kernels)
      if (Kernels.add(K)) {
        K.unit = Unit;
        Into.report.kernels.push_back(std::move(K));
      }
  }

  void finish() {
    erase_if(Into.report.kernels, [&](const result::Kernel &K) { return !Kernels.isNeeded(K); });
  }

private:
  RunOutcome &Into;
  KernelMerge Kernels;
  std::set<std::string> Errors, Notes, Failures;
};

} // namespace

RunOutcome warplint::driver::run(const std::vector<std::string> &Files, const RunOptions &Given,
                                 std::function<void(const Progress &)> OnProgress,
                                 std::function<bool()> Interrupted) {
  const std::vector<std::string> Whole = withoutRepetitions(Files);
  std::vector<std::string> Names = Whole;
  std::vector<unsigned> Mine;
  if (Whole.empty() && !Given.shard) {
    RunOutcome Nothing;
    Nothing.notes.push_back(
        "nothing to analyse: no CUDA file of the database has changed lines or includes a file that has");
    return Nothing;
  }
  RunOptions Options = Given;
  if (const auto &Configured = Options.configurations) {
    for (const std::string &File : Names)
      (void)Configured->of(File);
    RunOutcome Refused;
    Refused.failures = Configured->errors();
    if (!Refused.failures.empty())
      return Refused;
    Options.frontend.configure = [Configured](StringRef File, frontend::Options &Front) {
      addArguments(File.str(), *Configured, Front);
    };
  }
  if (Given.shard) {
    Options.shard.reset(); // a trial of fixes takes the files it is given
    Options.adoption.isShard = true;
    Names.clear();
    Mine = filesOfShard(Whole, *Given.shard);
    for (unsigned I : Mine)
      Names.push_back(Whole[I]);
  }
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
    Options.project = Whole;
  auto Launches =
      std::make_shared<LaunchIndex>(Options.project, Options.frontend, Results ? Disk : nullptr, Checker);

  const size_t Threads =
      std::clamp<size_t>(hardware_concurrency(Options.jobs).compute_thread_count(), 1,
                         std::max<size_t>(1, Names.size()));
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
  for (size_t I = 0; I < Outcomes.size(); ++I)
    if (Outcomes[I].done)
      All.add(std::move(Outcomes[I]), unsigned(I));
  All.finish();
  if (Options.listDependencies && Options.configurations)
    append_range(Result.dependencies, Options.configurations->files());
  sort(Result.dependencies);
  Result.dependencies.erase(llvm::unique(Result.dependencies), Result.dependencies.end());
  if (Result.interrupted)
    Result.report.errors.push_back({{}, "interrupted: " + utostr(Names.size() - Done) + " of " +
                                            utostr(Names.size()) + " files were not analysed"});
  Result.badSuppressions =
      lint(Result.report, Options, Options.reportUnusedSuppressions ? &Result.unusedSuppressions : nullptr);
  adopt(Result, Names, Options);
  noteMissingGpu(Result, settingsOf(Options));
  if (Options.configurations) // of folders of headers
    append_range(Result.failures, Options.configurations->errors());
  if (Options.verifyFixes && !Result.interrupted &&
      !warplint::driver::verifyFixes(Result.report, Names, Options, Interrupted)) {
    Result.interrupted = true;
    Result.report.errors.push_back({{}, "interrupted: the fixes were not tried out"});
  }
  if (Given.shard)
    describeShard(Result, Whole, Mine, Given);
  if (Disk && Result.fromCache < Names.size())
    Disk->prune();
  return Result;
}
