//===-- main.cpp - The warplint-replay command line --------------------------------===//

#include "analyzer/driver/Run.h"
#include "analyzer/frontend/HostCode.h"
#include "tools/options/ManualOptions.h"
#include "tools/options/Options.h"
#include "tools/options/Printable.h"
#include "tools/replay/program/Build.h"
#include "tools/replay/program/Comparison.h"
#include "tools/replay/program/GpuFields.h"
#include "tools/replay/program/Measurement.h"
#include "tools/replay/program/Output.h"
#include "tools/replay/program/Run.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::options;
using namespace warplint::replay;

namespace {

enum Exit { Good = 0, Wrong = 1, Failed = 2 };

cl::list<std::string> Files(cl::Positional, cl::desc("FILE.cu [FILE...] [-- program arguments]"),
                            cl::cat(Category));
cl::opt<Format, false, FormatParser> OutputFormat("format", cl::desc("Form of the result"), cl::init(Format::Text),
                 cl::values(clEnumValN(Format::Text, "text", "tables (default)"),
                            clEnumValN(Format::Json, "json",
                                       "warplint's report, measured; the program's output goes to stderr")),
                 cl::cat(Category));
Opt<bool> Compare("compare", cl::desc("Hold warplint's analysis against what the program did"),
                  cl::cat(Category));
Opt<bool> Verbose("verbose", cl::desc("With --compare: what agrees, too; notes about compile commands"),
                  cl::cat(Category));
NumberOpt MaxWarps("max-warps",
             cl::desc("Warps of one launch that are recorded; blocks between first and last are left out "
                      "beyond. 0: all, of every launch; default: 4096"),
             cl::value_desc("N"), cl::cat(Category));
NumberOpt TimeLimit("time-limit",
                        cl::desc("Seconds after which the program is ended; 0: no limit; default: 300"),
                        cl::value_desc("SECONDS"), cl::init(300), cl::cat(Category));
Opt<std::string> Gpu("gpu",
                     cl::desc("The GPU that the program is told of: a name, e.g. h100-sxm, or fields of "
                              "cudaDeviceProp, e.g. \"major=9;minor=0\"; default: an A100"),
                     cl::value_desc("NAME|FIELDS"), cl::cat(Category));
Opt<std::string> Keep("keep", cl::desc("Keep objects, program and measurement in a folder"),
                      cl::value_desc("DIR"), cl::cat(Category));
cl::list<std::string> Link("link", cl::desc("Flag for the linker, e.g. --link=-lpng"), cl::value_desc("FLAG"),
                           cl::cat(Category));
int fail(const Twine &Message) {
  WithColor::error(errs(), "warplint-replay") << printable(Message) << '\n';
  return Failed;
}

void remark(const Twine &Message) {
  WithColor::note(errs(), "warplint-replay") << printable(Message) << '\n';
}

/// What the compiler said, as warplint prints it.
void printErrors(const std::vector<result::Error> &Errors) {
  constexpr size_t MaxErrors = 20;
  for (const result::Error &E : ArrayRef(Errors).take_front(MaxErrors)) {
    if (E.place.valid())
      errs() << printable(E.place.file) << ':' << E.place.line << ':' << E.place.column << ": ";
    else if (!E.place.file.empty())
      errs() << printable(E.place.file) << ": ";
    WithColor::error(errs()) << printable(E.message) << '\n';
  }
  if (Errors.size() > MaxErrors)
    errs() << Errors.size() - MaxErrors << " more errors are not shown\n";
}

OutputOptions outputOptions() {
  OutputOptions How;
  SmallString<128> Here;
  if (!sys::fs::current_path(Here))
    How.relativeTo = Here.str().str();
  if (sys::Process::StandardOutIsDisplayed())
    How.width = sys::Process::StandardOutColumns();
  How.verbose = Verbose;
  return How;
}

/// What the analysis says of the same files.
result::Report analyze(const frontend::Options &Front, std::optional<std::array<unsigned, 3>> Block = {}) {
  driver::RunOptions Options;
  Options.analysis.block = Block;
  Options.frontend = Front;
  Options.checks = "-*";
  Options.jobs = 0;
  Options.cacheFolder = cacheFolder();
  std::vector<std::string> Cuda;
  copy_if(Files, std::back_inserter(Cuda),
          [](const std::string &File) { return !frontend::isPlainCxxName(File); });
  return driver::run(Cuda, Options).report;
}

/// The analysis, also for block shapes that only the run knows.
result::Report analyzeAs(const Measurement &Measured, const frontend::Options &Front) {
  constexpr unsigned MostShapes = 16; // each is an analysis of its own
  result::Report Report = analyze(Front);
  unsigned Count = 0;
  for (const std::array<unsigned, 3> &Shape : shapesToAnalyse(Report, Measured)) {
    if (++Count > MostShapes)
      break;
    for (result::Kernel &Kernel : analyze(Front, Shape).kernels)
      if (Kernel.blockOrigin == result::BlockOrigin::Option)
        Report.kernels.push_back(std::move(Kernel));
  }
  return Report;
}

/// Builds, runs and reports, with everything that is made along the way in `Folder`.
int replayIn(const std::string &Folder, const frontend::Options &Front, std::vector<std::string> Arguments) {
  Expected<std::string> Seen = gpuFields(Gpu);
  if (!Seen)
    return fail("--gpu: " + toString(Seen.takeError()));

  BuildOptions Options;
  Options.frontend = Front;
  Options.files = Files;
  Options.linkFlags = Link;
  Options.folder = Folder;
  BuildOutcome Built = build(Options);
  if (Verbose)
    for (const std::string &Note : Built.notes)
      remark(Note);
  printErrors(Built.errors);
  for (const std::string &Failure : Built.failures)
    fail(Failure);
  if (Built.program.empty())
    return Failed;

  RunJob Job;
  Job.program = Built.program;
  Job.arguments = std::move(Arguments);
  Job.output = Folder + "/measurement.json";
  if (MaxWarps.getNumOccurrences())
    Job.maxWarps = MaxWarps;
  Job.timeLimitSeconds = TimeLimit;
  Job.gpu = *Seen;
  Job.outputToStderr = OutputFormat == Format::Json;
  const RunResult Ran = run(Job);
  if (!Ran.problem.empty())
    remark("the program did not come to its end: " + Ran.problem);
  else if (Ran.status)
    remark("the program exited with status " + Twine(Ran.status));

  Expected<Measurement> Measured = readMeasurement(Job.output, Built.facts);
  if (!Measured)
    return fail(toString(Measured.takeError()));
  for (const std::string &Warning : Measured->warnings)
    remark(Warning);
  std::optional<ComparisonResult> Compared;
  if (Compare)
    Compared = compare(analyzeAs(*Measured, Front), *Measured);

  if (OutputFormat == Format::Json) {
    writeJson(outs(), *Measured, Compared ? &*Compared : nullptr, {Ran.status, Ran.problem},
              WARPLINT_VERSION);
  } else {
    if (!Compare || Verbose)
      writeTables(outs(), *Measured, outputOptions());
    if (Compared)
      writeComparison(outs(), *Compared, outputOptions());
  }
  outs().flush();
  if (outs().has_error()) {
    const std::error_code Code = outs().error();
    outs().clear_error();
    return fail("cannot write to stdout: " + Code.message());
  }

  if (any_of(Measured->errors, [](const ReplayError &E) { return E.kind == "unsupported"; }))
    return Failed;
  if (any_of(Measured->errors, [](const ReplayError &E) { return E.outOfBounds(); }))
    return Wrong;
  if (!Ran.problem.empty())
    return Failed;
  return Compared && Compared->counts.count(Verdict::ExactWrong) ? Wrong : Good;
}

int work(int argc, const char **argv) {
  // Everything after "--" is the program's.
  int Own = argc;
  std::vector<std::string> Arguments;
  for (int I = 1; I < argc; ++I)
    if (StringRef(argv[I]) == "--") {
      Own = I;
      Arguments.assign(argv + I + 1, argv + argc);
      break;
    }
  cl::HideUnrelatedOptions(Category);
  cl::SetVersionPrinter(
      [](raw_ostream &OS) { OS << "warplint-replay " WARPLINT_VERSION " (LLVM " LLVM_VERSION_STRING ")\n"; });
  if (!cl::ParseCommandLineOptions(
          Own, argv,
          "warplint-replay: runs a CUDA program on the CPU and counts what its memory accesses cost\n\n"
          "The program is compiled and then run, with your rights: replay what you trust. Flags of a "
          "compile\n"
          "command are read, nothing of it is run.\n",
          &errs()))
    return Failed;
  if (writeManualOptions(outs(), [](StringRef Name) {
        return Name == "format" ? std::vector<std::string>{"text", "json"} : std::vector<std::string>();
      }))
    return Good;
  if (Files.empty())
    return fail(
        "no input files; name every file of the program, e.g. warplint-replay main.cu kernels.cu -- 1024");

  const frontend::Options Front = frontendOptions(argv[0]);
  SmallString<128> Folder;
  if (Keep.getNumOccurrences()) {
    Folder = Keep;
    if (std::error_code Problem = sys::fs::create_directories(Folder))
      return fail("--keep=" + Keep + ": " + Problem.message());
    (void)sys::fs::make_absolute(Folder);
    return replayIn(std::string(Folder), Front, std::move(Arguments));
  }
  if (std::error_code Problem = sys::fs::createUniqueDirectory("warplint-replay", Folder))
    return fail("cannot make a folder for temporary files: " + Problem.message());
  auto Remove = scope_exit([&] { (void)sys::fs::remove_directories(Folder); });
  return replayIn(std::string(Folder), Front, std::move(Arguments));
}

} // namespace

int main(int argc, const char **argv) {
  InitLLVM Init(argc, argv);
  return options::leaveMain(work(argc, argv));
}
