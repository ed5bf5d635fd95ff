#include "tools/tidy/UnitLint.h"
#include "analyzer/driver/Configuration.h"
#include "analyzer/driver/ContractComments.h"
#include "analyzer/driver/Fixes.h"
#include "analyzer/frontend/FinishedParse.h"
#include "tools/tidy/VerifiedFixes.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::tidy;

void UnitLint::enable(const rules::Rule &R) { Enabled += std::string(",") + R.name; }

const std::vector<result::Finding> &UnitLint::findings() {
  if (!Done && Tree && Macros) {
    Done = true;
    if (isFitForAnalysis())
      analyze();
  }
  return Findings;
}

std::vector<result::Error> UnitLint::takeProblems() {
  constexpr size_t MostShown = 20;
  std::vector<result::Error> Shown = std::exchange(Problems, {});
  if (Shown.size() > MostShown) {
    Shown[MostShown] = {{},
                        utostr(Shown.size() - MostShown) +
                            " more kernels are not analysed; warplint --format=json names them"};
    Shown.resize(MostShown + 1);
  }
  return Shown;
}

bool UnitLint::isFitForAnalysis() {
  if (!Tree->getLangOpts().CUDAIsDevice) {
    Problems.push_back(
        {{},
         "warplint's checks need the device side of CUDA code, and this is the host side; take "
         "--cuda-host-only out of the flags, or add --extra-arg=--cuda-device-only"});
    return false;
  }
  // A statement that an error dropped would make numbers wrong; what the errors touch, only the parse knew.
  if (Tree->getDiagnostics().hasUncompilableErrorOccurred()) {
    Problems.push_back({{},
                        "warplint's checks do not look at code with errors; fix them, or run warplint, which "
                        "analyses the kernels that no error touches"});
    return false;
  }
  return true;
}

static std::string mainFileOf(const clang::ASTContext &Tree) {
  const clang::SourceManager &Sources = Tree.getSourceManager();
  clang::OptionalFileEntryRef Main = Sources.getFileEntryRefForID(Sources.getMainFileID());
  if (!Main)
    return "";
  SmallString<256> File(Main->getName());
  Sources.getFileManager().makeAbsolutePath(File);
  return File.str().str();
}

/// What is known of launches and the GPU is the project's, and written in .warplint files; what is to be
/// reported is .clang-tidy's business.
driver::RunOptions UnitLint::runOptions() {
  driver::Configurations Files(std::nullopt, {});
  const driver::Configuration &Project = Files.of(mainFileOf(*Tree));
  for (const std::string &Wrong : Files.errors())
    Problems.push_back({{}, Wrong});

  driver::Configuration All;
  All.checks = Enabled;
  All.checkOptions = RuleOptions;
  All.kernels = Project.kernels;
  All.assume = Project.assume;
  for (const auto &[Name, Value] : Given.assume)
    All.assume[Name] = Value;
  All.gpu = Given.gpu ? Given.gpu : Project.gpu;

  driver::RunOptions Options;
  Options.analysis.block = Given.block;
  Options.analysis.kernels = All.kernels;
  Options.analysis.assume = All.assume;
  Options.configurations = std::make_shared<driver::Configurations>(std::move(All), driver::Configuration());
  return Options;
}

/// Comments of the sources as they were parsed.
void UnitLint::holdToContracts(result::Report &Report, const driver::RunOptions &Options) {
  const rules::Rule &R = *rules::find(rules::CostContractName);
  const std::string File = mainFileOf(*Tree);
  const rules::Settings &Settings = Options.configurations->settingsOf(File);
  if (!Settings.selected.contains(R))
    return;
  const size_t Before = Report.findings.size();
  driver::checkContracts(Report, {File}, {}, [&](const std::string &Name) {
    auto Text = Tree->getSourceManager().getFileManager().getBufferForFile(Name);
    return Text ? (*Text)->getBuffer().str() : std::string();
  });
  for (result::Finding &F : drop_begin(Report.findings, Before))
    F.severity = Settings.options.of(R).severity.value_or(F.severity);
}

void UnitLint::analyze() {
  const driver::RunOptions Options = runOptions();
  result::Report Report;
  frontend::ParseOutcome Outcome =
      frontend::useFinished(*Tree, *Macros, Given.timeLimitSeconds, [&](frontend::Unit &Unit) {
        Report.kernels = kernel::analyze(Unit, Options.analysis);
      });
  for (result::Error &E : Outcome.errors) {
    // The tool's option has another name here.
    if (size_t At = E.message.find("--file-time-limit=SECONDS"); At != std::string::npos)
      E.message.replace(At, strlen("--file-time-limit=SECONDS"), "the option warplint.FileTimeLimit");
    Problems.push_back(std::move(E));
  }
  if (Outcome.crashed)
    return;
  // NOLINT comments and warnings as errors are clang-tidy's own business.
  driver::applyRules(Report, Options);
  holdToContracts(Report, Options);
  Findings = std::move(Report.findings);
  if (Given.verifyFixes)
    takeVerifiedFixes(Findings, mainFileOf(*Tree), *Tree, *Macros, Options);
  else
    for (result::Finding &F : Findings)
      F.fixes.clear();
}
