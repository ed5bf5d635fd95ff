//===-- main.cpp - The warplint command line -------------------------------------===//

#include "analyzer/driver/Fixes.h"
#include "analyzer/driver/Run.h"
#include "analyzer/driver/WriteFile.h"
#include "analyzer/frontend/Limits.h"
#include "analyzer/report/Report.h"
#include "rules/Rules.h"
#include "tools/options/Options.h"
#include "tools/options/Printable.h"
#include "tools/warplint/AdoptionOptions.h"
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

enum Exit { Clean = 0, Findings = 1, Failed = 2 };
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
Opt<bool> ApplyFixes("fix", cl::desc("Apply safe fixes to the files"), cl::cat(Category));
Opt<bool> UnsafeFixes("unsafe-fixes", cl::desc("With --fix or --export-fixes: unsafe fixes too"),
                      cl::cat(Category));
Opt<std::string> ExportFixes("export-fixes", cl::desc("Write fixes for clang-apply-replacements"),
                             cl::value_desc("FILE"), cl::cat(Category));
Opt<bool> ShowFixes("show-fixes", cl::desc("Re-analyse fixes and include them in the report"),
                    cl::cat(Category));
cl::opt<Format, false, FormatParser>
    OutputFormat("format", cl::desc("Form of the report"), cl::init(Format::Text),
                 cl::values(clEnumValN(Format::Text, "text", "as clang's diagnostics (default)"),
                            clEnumValN(Format::Json, "json", "schema warplint-report/1")),
                 cl::cat(Category));
Opt<std::string> OutputFile("output", cl::desc("Write the report to a file"), cl::value_desc("FILE"),
                            cl::cat(Category));
Opt<std::string> Block("block", cl::desc("Threads per block, for every kernel"), cl::value_desc("X[,Y[,Z]]"),
                       cl::cat(Category));
cl::list<std::string> Assume("assume", cl::desc("Value of a kernel parameter: NAME=V or KERNEL:NAME=V"),
                             cl::value_desc("NAME=V"), cl::cat(Category));
NumberOpt Jobs("j", cl::desc("Files to analyse at the same time; default: one per core"), cl::value_desc("N"),
               cl::init(0), cl::Prefix, cl::cat(Category));
Opt<bool> NoResultCache("no-result-cache", cl::desc("Use the cache for CUDA's headers alone"),
                        cl::cat(Category));
Opt<bool> Quiet("quiet", cl::desc("No summary, no notes about compile commands"), cl::cat(Category));
Opt<cl::boolOrDefault> UseColor("use-color",
                                cl::desc("Colour the report; =0: do not. Default: on a terminal"),
                                cl::cat(Category));

/// A message on stderr, clang's way, and the exit status for it.
int fail(const Twine &Message) {
  WithColor::error(errs(), "warplint") << printable(Message) << '\n';
  return Failed;
}

/// The exit status once what was written to stdout has arrived there.
int finish(int Status) {
  outs().flush();
  if (!outs().has_error())
    return Status;
  const std::error_code Code = outs().error();
  outs().clear_error();
  return fail("cannot write to stdout: " + Code.message());
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

int listChecks() {
  rules::Selection Selected(Checks);
  outs() << "Checks that are on:\n";
  for (const rules::Rule &R : rules::all())
    if (Selected.contains(R))
      outs() << "    " << left_justify(R.name, 22) << R.summary << '\n';
  bool Header = false;
  for (const rules::Rule &R : rules::all())
    if (!Selected.contains(R)) {
      outs() << (Header ? "" : "Checks that are off (turn on with --checks=NAME):\n");
      Header = true;
      outs() << "    " << left_justify(R.name, 22) << R.summary << '\n';
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
  Options.verifyFixes = ApplyFixes || ShowFixes || ExportFixes.getNumOccurrences();
  Options.jobs = Jobs;
  Options.cacheFolder = cacheFolder();
  Options.resultCache = !NoResultCache;
  if (int Status = checkGlobs("checks", Checks))
    return Status;
  if (int Status = checkGlobs("warnings-as-errors", WarningsAsErrors))
    return Status;
  if (Block.getNumOccurrences()) {
    SmallVector<StringRef, 3> Items;
    StringRef(Block).split(Items, ',');
    std::array<unsigned, 3> Shape{1, 1, 1};
    bool Bad = Items.size() > 3;
    for (size_t I = 0; I < Items.size() && !Bad; ++I)
      Bad = Items[I].getAsInteger(10, Shape[I]) || Shape[I] == 0 || Shape[I] > 1024;
    if (Bad || uint64_t(Shape[0]) * Shape[1] * Shape[2] > 1024)
      return fail("--block=" + Block +
                  ": expected X, X,Y or X,Y,Z with at most 1024 threads, e.g. --block=32,8");
    Options.analysis.block = Shape;
  }
  for (const std::string &Item : Assume) {
    auto [Name, Text] = StringRef(Item).rsplit('=');
    int64_t Value = 0;
    if (Name.empty() || Name.starts_with(':') || Name.ends_with(':') || Text.getAsInteger(0, Value))
      return fail("--assume=" + Item +
                  ": expected NAME=V or KERNEL:NAME=V with an integer, e.g. --assume=n=1024");
    Options.analysis.assume[Name.str()] = Value;
  }
  return Clean;
}

/// Given values that met no parameter, e.g. because of a misspelt name.
std::vector<std::string> unusedAssumptions(const result::Report &Report,
                                           const kernel::AnalysisOptions &Options) {
  std::vector<std::string> Unused;
  for (auto &[Key, Value] : Options.assume) {
    auto [Kernel, Name] = StringRef(Key).rsplit(':');
    if (Name.empty())
      std::swap(Kernel, Name); // no kernel is named
    // A member of a structure is no argument of its own.
    if (!Name.contains('.') && none_of(Report.kernels, [&](const result::Kernel &K) {
          return (Kernel.empty() || Kernel == K.name) && K.arguments.contains(Name.str());
        }))
      Unused.push_back("--assume=" + Key + "=" + itostr(Value) +
                       ": no kernel that was analysed has such an integer parameter");
  }
  return Unused;
}

bool hasOnlyUnsafeFixes(const result::Finding &F) {
  auto Is = [](result::FixSafety Safety) {
    return [Safety](const result::Fix &X) { return X.verified && X.safety == Safety; };
  };
  return any_of(F.fixes, Is(result::FixSafety::Unsafe)) && none_of(F.fixes, Is(result::FixSafety::Safe));
}

/// The text of a file on disk, for snippets.
std::optional<std::string> readFile(const std::string &File) {
  auto Buffer = MemoryBuffer::getFile(File);
  return Buffer ? std::optional((*Buffer)->getBuffer().str()) : std::nullopt;
}

void writeReport(raw_ostream &OS, const result::Report &Report, bool Color) {
  if (OutputFormat == Format::Json)
    return report::writeJson(OS, Report, WARPLINT_VERSION);
  report::TextOptions Text;
  Text.color = Color;
  Text.quiet = Quiet;
  SmallString<128> Here;
  if (!sys::fs::current_path(Here))
    Text.relativeTo = Here.str().str();
  report::writeText(OS, Report, readFile, Text);
}

/// Prints and writes everything that a run has to say; the exit status.
int conclude(const warplint::driver::RunOutcome &Outcome, const std::vector<std::string> &Inputs,
             const warplint::driver::RunOptions &Options) {
  if (!Quiet)
    for (const std::string &Note : Outcome.notes)
      WithColor::note(errs(), "warplint") << printable(Note) << '\n';
  if (!Quiet && !Outcome.report.kernels.empty())
    for (const std::string &Note : unusedAssumptions(Outcome.report, Options.analysis))
      WithColor::note(errs(), "warplint") << printable(Note) << '\n';
  for (const std::string &Failure : Outcome.failures)
    fail(Failure);

  int Status = Outcome.failures.empty() ? Clean : Failed;
  if (OutputFile.empty()) {
    bool Color = UseColor == cl::BOU_TRUE || (UseColor == cl::BOU_UNSET && outs().has_colors());
    if (Color)
      outs().enable_colors(true);
    writeReport(outs(), Outcome.report, Color);
    if (finish(Clean) != Clean)
      return Failed;
  } else {
    std::string Text;
    raw_string_ostream OS(Text);
    writeReport(OS, Outcome.report, UseColor == cl::BOU_TRUE);
    if (Error E = warplint::driver::writeFile(OutputFile, Text))
      return fail(OutputFile + ": cannot write the report: " + toString(std::move(E)));
  }
  if (std::string Problem = writeNewBaseline(Outcome, Options, Quiet); !Problem.empty())
    return fail(Problem);
  if (ExportFixes.getNumOccurrences() && !Outcome.interrupted)
    if (Error E = warplint::driver::exportFixes(Outcome.report, UnsafeFixes, Inputs.empty() ? "" : Inputs.front(), ExportFixes,
                                                Options.frontend))
      return fail(ExportFixes + ": cannot write the fixes: " + toString(std::move(E)));
  if (ApplyFixes && !Outcome.interrupted) {
    auto Applied = warplint::driver::applyFixes(Outcome.report, UnsafeFixes, Options.frontend);
    if (!Applied)
      return fail(toString(Applied.takeError()));
    if (!Quiet) {
      errs() << "warplint: applied " << *Applied << (*Applied == 1 ? " fix" : " fixes");
      const size_t Held = UnsafeFixes ? 0 : count_if(Outcome.report.findings, hasOnlyUnsafeFixes);
      if (Held)
        errs() << "; --unsafe-fixes would fix " << Held << (Held == 1 ? " more finding" : " more findings");
      errs() << '\n';
    }
  }
  // Where nothing could be analysed, "0 findings" would read as a result.
  if (!Quiet && (Status == Clean || !Outcome.report.kernels.empty())) {
    errs() << "warplint: " << report::summaryLine(Outcome.report) << '\n';
    if (sys::Process::GetEnv("WARPLINT_TIMES"))
      errs() << formatv(
          "warplint: parse {0:f3} s, analysis {1:f3} s, {2} steps in {3} runs, {4} disagreements, {5} from the cache\n",
          Outcome.parseSeconds, Outcome.analysisSeconds, Outcome.statistics.steps, Outcome.statistics.runs,
          Outcome.statistics.wordDisagreements, Outcome.fromCache);
  }
  if (Status == Clean && (Outcome.badSuppressions || baselineGates(Outcome, Options)))
    Status = Findings;
  if (Status == Clean)
    for (const result::Finding &F : Outcome.report.findings)
      if (F.severity == result::Severity::Error)
        Status = Findings;
  return Status;
}

} // namespace

static int work(int argc, const char **argv) {
  warplint::driver::RunOptions Options;

  // Everything after "--" is the compiler's.
  int Own = argc;
  for (int I = 1; I < argc; ++I)
    if (StringRef(argv[I]) == "--") {
      Own = I;
      break;
    }
  cl::HideUnrelatedOptions(Category);
  cl::SetVersionPrinter(
      [](raw_ostream &OS) { OS << "warplint " WARPLINT_VERSION " (LLVM " LLVM_VERSION_STRING ")\n"; });
  if (!cl::ParseCommandLineOptions(
          Own, argv, "warplint: what each memory access of a CUDA kernel costs, without a GPU\n", &errs()))
    return Failed;
  if (Explain.getNumOccurrences())
    return finish(explain());
  Options.frontend = frontendOptions(argv[0]);
  Options.frontend.hasFixedFlags = Own < argc;
  if (Own < argc)
    Options.frontend.fixedFlags.assign(argv + Own + 1, argv + argc);
  if (int Status = readOptions(Options))
    return Status;
  if (ListChecks)
    return finish(listChecks());

  std::vector<std::string> Inputs = Files;
  if (Inputs.empty() && BuildPath.empty())
    return fail("no input files; give FILE..., or -p DIR for every CUDA file of a compile_commands.json");
  if (std::string Problem = readAdoptionOptions(Options, Inputs); !Problem.empty())
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
  // The first Ctrl-C asks for the report of what is done; LLVM lets a second one through.
  sys::SetInterruptFunction([] { Interrupted = true; });
  warplint::driver::RunOutcome Outcome =
      warplint::driver::run(Inputs, Options, OnProgress, [] { return Interrupted.load(); });
  const int Status = conclude(Outcome, Inputs, Options);
  if (Outcome.interrupted) {
    // Threads are still at work on files that nobody waits for any more.
    outs().flush();
    errs().flush();
    std::_Exit(128 + SIGINT);
  }
  return Status;
}

int main(int argc, const char **argv) {
  InitLLVM Init(argc, argv);
  const int Status = work(argc, argv);
  if (frontend::anyFileLeft()) {
    outs().flush();
    errs().flush();
    std::_Exit(Status);
  }
  return Status;
}
