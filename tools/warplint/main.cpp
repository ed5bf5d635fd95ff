//===-- main.cpp - The warplint command line -------------------------------------===//

#include "analyzer/driver/GivenValues.h"
#include "analyzer/driver/Run.h"
#include "analyzer/driver/UnusedValues.h"
#include "analyzer/report/Report.h"
#include "rules/Rules.h"
#include "tools/options/Options.h"
#include "tools/options/Printable.h"
#include "tools/warplint/AdoptionOptions.h"
#include "tools/warplint/ConfigurationOptions.h"
#include "tools/warplint/DependencyOptions.h"
#include "tools/warplint/ExplainOptions.h"
#include "tools/warplint/FixOptions.h"
#include "tools/warplint/Help.h"
#include "tools/warplint/Launcher.h"
#include "tools/warplint/ReportOptions.h"
#include "tools/warplint/VerdictOptions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/WithColor.h"
#include <atomic>
#include <csignal>
#include <cstdlib>

using namespace llvm;
using namespace warplint;
using namespace warplint::options;

namespace {

std::atomic<bool> Interrupted = false;

cl::list<std::string> Files(cl::Positional, cl::desc("FILE... [-- compiler flags]"), cl::cat(Category));
Opt<std::string> Checks("checks",
                        cl::desc("Globs of checks to run, added to the defaults; '-' in front takes away"),
                        cl::value_desc("GLOBS"), cl::cat(Category));
Opt<std::string> WarningsAsErrors("warnings-as-errors", cl::desc("Globs of checks whose warnings are errors"),
                                  cl::value_desc("GLOBS"), cl::cat(Category));
Opt<bool> ListChecks("list-checks", cl::desc("List the checks; with --checks, those that are on"),
                     cl::cat(Category));
Opt<std::string> Explain("explain", cl::desc("Print a check's page"), cl::value_desc("CHECK"),
                         cl::cat(Category));
Opt<std::string> Block("block", cl::desc("Threads per block, for every kernel"), cl::value_desc("X[,Y[,Z]]"),
                       cl::cat(Category));
cl::list<std::string> Assume("assume", cl::desc("Value of a kernel parameter: NAME=V or KERNEL:NAME=V"),
                             cl::value_desc("NAME=V"), cl::cat(Category));
NumberOpt Jobs("j", cl::desc("Files to analyse at the same time; default: one per core"), cl::value_desc("N"),
               cl::init(0), cl::Prefix, cl::cat(Category));
Opt<bool> NoResultCache("no-result-cache", cl::desc("Use the cache for CUDA's headers alone"),
                        cl::cat(Category));

/// The same for several.
int failAll(const std::vector<std::string> &Messages) {
  for (const std::string &Message : Messages)
    fail(Message);
  return Messages.empty() ? Clean : Failed;
}

/// The known name nearest to a misspelt one, in words; "" when none is near.
std::string suggestion(StringRef Name) {
  StringRef Best;
  unsigned Least = unsigned(Name.size()) / 2 + 1;
  for (const rules::Rule &R : rules::all())
    if (unsigned Distance = Name.edit_distance(R.name); Distance < Least)
      Least = Distance, Best = R.name;
  return Best.empty() ? "; --list-checks shows all" : ("; did you mean '" + Best + "'?").str();
}

int checkGlobs(StringRef Option, const std::string &Globs) {
  std::vector<std::string> Unmatched;
  rules::Selection(Globs, &Unmatched);
  if (Unmatched.empty())
    return Clean;
  StringRef Name = StringRef(Unmatched.front()).trim().ltrim('-');
  return fail("unknown check '" + Name + "' in --" + Option + suggestion(Name));
}

int listChecks(warplint::driver::Configurations &Configured) {
  const rules::Selection &Selected =
      Configured.settingsOf(Files.empty() ? std::string() : Files.front()).selected;
  if (int Status = failAll(Configured.errors()))
    return Status;
  outs() << "Checks that are on:\n";
  for (const rules::Rule &R : rules::all())
    if (Selected.contains(R))
      outs() << "    " << left_justify(R.name, 24) << R.summary << '\n';
  bool Header = false;
  for (const rules::Rule &R : rules::all())
    if (!Selected.contains(R)) {
      outs() << (Header ? "" : "Checks that are off (turn on with --checks=NAME):\n");
      Header = true;
      outs() << "    " << left_justify(R.name, 24) << R.summary << '\n';
    }
  return Clean;
}

int explain() {
  StringRef Name = StringRef(Explain);
  Name.consume_front("warplint-");
  const rules::Rule *R = rules::find(Name);
  if (!R)
    return fail("unknown check '" + Name + "'" + suggestion(Name));
  outs() << StringRef(rules::explanation(*R)).trim() << '\n';
  return Clean;
}

int readOptions(warplint::driver::RunOptions &Options) {
  Options.checks = Checks;
  Options.warningsAsErrors = WarningsAsErrors;
  Options.verifyFixes = asksForFixes();
  Options.jobs = Jobs;
  Options.cacheFolder = cacheFolder();
  Options.resultCache = !NoResultCache;
  if (!readShard(Options))
    return Failed;
  if (int Status = checkGlobs("checks", Checks))
    return Status;
  if (int Status = checkGlobs("warnings-as-errors", WarningsAsErrors))
    return Status;
  if (Block.getNumOccurrences()) {
    auto Shape = warplint::driver::blockOf(Block);
    if (!Shape)
      return fail("--block=" + Block + ": " + toString(Shape.takeError()) + ", e.g. --block=32,8");
    Options.analysis.block = *Shape;
  }
  for (const std::string &Item : Assume)
    if (Error Bad = warplint::driver::addAssumption(Item, Options.analysis.assume))
      return fail("--assume=" + Item + ": " + toString(std::move(Bad)) + ", e.g. --assume=n=1024");
  Expected<warplint::driver::Machine> Machine = machineOfOptions();
  if (!Machine)
    return fail(toString(Machine.takeError()));
  Options.machine = std::move(*Machine);
  return Clean;
}

/// With --explain-access, in place of the report.
int conclude(const warplint::driver::RunOutcome &Outcome, const warplint::driver::AccessQuery &Query,
             int Status) {
  std::string Text;
  raw_string_ostream OS(Text);
  const std::vector<std::string> Problem = explainAccess(OS, Outcome.report, Query);
  if (!Quiet || !Problem.empty()) { // errors may be why it is not there
    result::Report Errors;
    Errors.errors = Outcome.report.errors;
    report::writeText(errs(), Errors, readFile, {});
  }
  if (!Problem.empty()) {
    fail(Problem.front());
    for (const std::string &Note : ArrayRef(Problem).drop_front())
      WithColor::note(errs(), "warplint") << printable(Note) << '\n';
    return Failed;
  }
  return writeText(Text) == Clean ? Status : Failed;
}

/// Prints and writes everything that a run has to say; the exit status.
int conclude(const warplint::driver::RunOutcome &Outcome, const std::vector<std::string> &Inputs,
             const warplint::driver::RunOptions &Options,
             const std::optional<warplint::driver::AccessQuery> &Query) {
  if (!Quiet)
    for (const std::string &Note : Outcome.notes)
      WithColor::note(errs(), "warplint") << printable(Note) << '\n';
  if (!Quiet && !Outcome.report.kernels.empty()) {
    std::vector<std::string> Notes = warplint::driver::unusedValues(Outcome, Options);
    append_range(Notes, warplint::driver::notesOn(Options.machine, Outcome.report.kernels));
    for (const std::string &Note : Notes)
      WithColor::note(errs(), "warplint") << printable(Note) << '\n';
  }
  for (const std::string &Unused : Outcome.unusedSuppressions)
    WithColor::note(errs(), "warplint") << printable(Unused) << '\n';
  failAll(Outcome.failures);

  const int Status = statusOf(Outcome);
  if (Query)
    return conclude(Outcome, *Query, Status == Failed ? Failed : Clean);
  const std::string First = Inputs.empty() ? "" : Inputs.front();
  if (writeReport(Outcome, First, Options.configurations->of(First).useColor) != Clean)
    return Failed;
  if (writeDependencies(Outcome) != Clean)
    return Failed;
  if (std::string Problem = writeNewBaseline(Outcome, Options); !Problem.empty())
    return fail(Problem);
  if (useFixes(Outcome, Inputs, Options) != Clean)
    return Failed;
  // Where nothing could be analysed, "0 findings" would read as a result.
  if (!Quiet && (Status != Failed || !Outcome.report.kernels.empty())) {
    errs() << "warplint: " << report::summaryLine(Outcome.report) << '\n';
    if (sys::Process::GetEnv("WARPLINT_TIMES"))
      errs() << formatv(
          "warplint: parse {0:f3} s, analysis {1:f3} s, {2} steps in {3} runs, {4} disagreements, {5} from the cache\n",
          Outcome.parseSeconds, Outcome.analysisSeconds, Outcome.statistics.steps, Outcome.statistics.runs,
          Outcome.statistics.wordDisagreements, Outcome.fromCache);
  }
  return Status;
}

} // namespace

static int work(int argc, const char **argv) {
  warplint::driver::RunOptions Options;

  const CommandLineParts Parts = partsOf(argc, argv);
  groupOptions();
  cl::SetVersionPrinter(
      [](raw_ostream &OS) { OS << "warplint " WARPLINT_VERSION " (LLVM " LLVM_VERSION_STRING ")\n"; });
  if (!cl::ParseCommandLineOptions(
          Parts.own, argv, "warplint: what each memory access of a CUDA kernel costs, without a GPU\n", &errs()))
    return Failed;
  if (writeOptionTexts(outs()))
    return finish(Clean);
  if (const std::string Problem = launcherProblem(Parts, !Files.empty()); !Problem.empty())
    return fail(Problem);
  if (mergeCommand())
    return mergeReports();
  if (Explain.getNumOccurrences())
    return finish(explain());
  Options.frontend = frontendOptions(argv[0]);
  Options.frontend.hasFixedFlags = Parts.hasCompiler;
  Options.frontend.fixedFlags = Parts.launches ? withEnvironment(Parts.compiler) : Parts.compiler;
  Options.frontend.fixedFlagsAreCommand = Parts.launches;
  if (int Status = readOptions(Options))
    return Status;
  if (int Status = failAll(readConfigurationOptions(Options)))
    return Status;
  if (asksForConfiguration())
    return finish(failAll(showConfiguration(*Options.configurations, Files)));
  if (ListChecks)
    return finish(listChecks(*Options.configurations));
  if (listGpusIsAsked()) {
    outs() << gpuList();
    return finish(Clean);
  }

  std::string Problem;
  const std::optional<warplint::driver::AccessQuery> Query = accessQuery(Problem);
  if (Query && asksForFixes())
    Problem = "--explain-access changes and checks no fixes: leave --fix, --fix-diff, --show-fixes and "
              "--export-fixes out";
  if (Query && givenFormat().value_or(Format::Text) != Format::Text)
    Problem = "--explain-access prints text alone; --format=json without it has every access with its numbers";
  if (Problem.empty())
    Problem = readDependencyOptions(Options);
  if (Problem.empty())
    Problem = readFixOptions();
  if (!Problem.empty())
    return fail(Problem);

  std::vector<std::string> Inputs = Files;
  if (Parts.launches) {
    Inputs = compiledFiles(Parts.compiler);
    if (Inputs.empty())
      return becomeCompiler(Parts.compiler);
  }
  if (Inputs.empty() && Query)
    Inputs = inputsFor(*Query, Options.frontend);
  if (Inputs.empty() && BuildPath.empty())
    return fail("no input files; give FILE..., or -p DIR for every CUDA file of a compile_commands.json");
  Problem = readAdoptionOptions(Options, Inputs);
  if (!Problem.empty())
    return fail(Problem);
  if (Inputs.empty()) {
    auto All = frontend::filesOfDatabase(Options.frontend);
    if (!All)
      return fail(toString(All.takeError()));
    Inputs = withChanges(std::move(*All), Options);
  }

  std::function<void(const warplint::driver::Progress &)> OnProgress;
  if (!Quiet && Inputs.size() > 1 && sys::Process::StandardErrIsDisplayed())
    OnProgress = [](const warplint::driver::Progress &P) {
      errs() << '[' << P.done << '/' << P.total << "] " << printable(P.file) << ": " << P.kernels
             << (P.kernels == 1 ? " kernel, " : " kernels, ") << P.findings
             << (P.findings == 1 ? " finding" : " findings") << '\n';
    };
  if (Parts.launches) {
    runCompiler(Parts.compiler);
    leaveStdout();
    Quiet = true; // in a build, findings alone are worth a line
  }
  // The first Ctrl-C asks for the report of what is done; LLVM lets a second one through.
  sys::SetInterruptFunction([] { Interrupted = true; });
  warplint::driver::RunOutcome Outcome =
      warplint::driver::run(Inputs, Options, OnProgress, [] { return Interrupted.load(); });
  const int Status = conclude(Outcome, Inputs, Options, Query);
  if (Outcome.interrupted) {
    // Threads are still at work on files that nobody waits for any more.
    outs().flush();
    errs().flush();
    std::_Exit(128 + SIGINT);
  }
  if (Parts.launches)
    return launcherStatus(Status, !Options.configurations->errors().empty(), !Outcome.report.errors.empty());
  return Status;
}

int main(int argc, const char **argv) {
  InitLLVM Init(argc, argv);
  return options::leaveMain(work(argc, argv));
}
