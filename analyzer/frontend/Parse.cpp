//===-- Parse.cpp - One parse: syntax tree, device code, errors -----------===//
#include "analyzer/frontend/BuiltinCuda.h"
#include "analyzer/frontend/DeviceCode.h"
#include "analyzer/frontend/ErrorCollector.h"
#include "analyzer/frontend/Frontend.h"
#include "analyzer/frontend/Limits.h"
#include "analyzer/frontend/SharedObjects.h"
#include "analyzer/frontend/Soundness.h"
#include "analyzer/frontend/UserFiles.h"
#include "clang/Driver/CreateInvocationFromArgs.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Sema/SemaConsumer.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <chrono>

using namespace clang;

namespace warplint::frontend {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point Start) {
  return std::chrono::duration<double>(Clock::now() - Start).count();
}

/// What accompanies a parse.
struct Company {
  ErrorCollector &collector;
  const Deadline &deadline;
  const UserFiles &files;
  SharedObjects &shared;
};

/// Hands out the finished tree and its code.
class UnitConsumer : public SemaConsumer {
public:
  UnitConsumer(CompilerInstance &CI, const Command &Cmd, const Company &With, ParseOutcome &Outcome,
               Clock::time_point Start, llvm::function_ref<void(Unit &)> Use)
      : CI(CI), Cmd(Cmd), With(With), Outcome(Outcome), Start(Start), Use(Use), Sound(CI.getSourceManager()) {
    With.collector.start(CI, Sound);
  }
  ~UnitConsumer() override { With.collector.stop(); }

  void InitializeSema(Sema &S) override {
    With.shared.watch(S);
    watchParse(CI, S, With.deadline);
  }

  bool HandleTopLevelDecl(DeclGroupRef) override {
    With.shared.outermostDone();
    return true;
  }

  void HandleTranslationUnit(ASTContext &Context) override {
    Outcome.parseSeconds = secondsSince(Start);
    // What later stages ask of the tree (constant folding, say) may report; that is not about the user's
    // code.
    With.collector.stop();
    With.collector.close();
    With.shared.restore();
    Clock::time_point CodegenStart = Clock::now();
    llvm::LLVMContext LLVM;
    LLVM.setDiscardValueNames(false);
    DeviceCode Code = emitDeviceCode(CI, Context, Sound, LLVM, With.deadline);
    if (!Code.module)
      Code.module = std::make_unique<llvm::Module>("", LLVM);
    if (SharedObjects::leftOver(*Code.module)) {
      abandonFile("a __shared__ object with a constructor stands where warplint cannot follow it");
      Code.kernels.clear(); // where nothing guards
    }
    for (const DeviceCode::Omission &Each : Code.omitted)
      Outcome.errors.push_back(
          {With.collector.placeOf(CI.getSourceManager(), Each.kernel->getLocation()), Each.message});
    Outcome.codegenSeconds = secondsSince(CodegenStart);
    Unit Result{Cmd,
                Context,
                CI.getPreprocessor(),
                *Code.module,
                std::move(Code.kernels),
                Outcome.errors,
                &With.deadline,
                [this](SourceLocation Where) { return isLaunchList(Where); }};
    Outcome.parsed = true;
    Use(Result);
  }

private:
  bool isLaunchList(SourceLocation Where) const {
    const SourceManager &Sources = CI.getSourceManager();
    auto [File, Offset] = Sources.getDecomposedSpellingLoc(Where);
    OptionalFileEntryRef Entry = Sources.getFileEntryRefForID(File);
    return Entry && With.files.isList(Entry->getUniqueID(), Offset);
  }

  CompilerInstance &CI;
  const Command &Cmd;
  Company With;
  ParseOutcome &Outcome;
  Clock::time_point Start;
  llvm::function_ref<void(Unit &)> Use;
  Soundness Sound;
};

class UnitAction : public ASTFrontendAction {
public:
  UnitAction(const Command &Cmd, const Company &With, ParseOutcome &Outcome, Clock::time_point Start,
             llvm::function_ref<void(Unit &)> Use)
      : Cmd(Cmd), With(With), Outcome(Outcome), Start(Start), Use(Use) {}

protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, StringRef) override {
    return std::make_unique<UnitConsumer>(CI, Cmd, With, Outcome, Start, Use);
  }

private:
  const Command &Cmd;
  Company With;
  ParseOutcome &Outcome;
  Clock::time_point Start;
  llvm::function_ref<void(Unit &)> Use;
};

IntrusiveRefCntPtr<UserFiles> fileSystemFor(const Command &Cmd, const Options &Opts) {
  // Not getRealFileSystem(): that one shares the process's working directory, and files are parsed in
  // parallel.
  IntrusiveRefCntPtr<llvm::vfs::FileSystem> Disk(llvm::vfs::createPhysicalFileSystem().release());
  auto Overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(Disk);
  auto Memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const auto &[Name, Contents] : Opts.overlay)
    Memory->addFile(Name, 0, llvm::MemoryBuffer::getMemBufferCopy(Contents, Name));
  addSupplement(*Memory);
  if (Cmd.toolkit.empty())
    addBuiltinCuda(*Memory);
  Overlay->pushOverlay(Memory);
  auto Files = llvm::makeIntrusiveRefCnt<UserFiles>(Overlay, Cmd.toolkit, Opts.sizeLimitBytes);
  (void)Files->setCurrentWorkingDirectory(Cmd.directory);
  return Files;
}

/// What must hold whatever the command says: errors only, nothing written, debug places for every access.
void settle(CompilerInvocation &Invocation, const Command &Cmd) {
  DiagnosticOptions &Diagnostics = Invocation.getDiagnosticOpts();
  Diagnostics.ErrorLimit = 0;
  // Nobody sees warnings; looking for them takes time, quadratic in the depth of an expression.
  Diagnostics.IgnoreWarnings = true;
  llvm::erase_if(Diagnostics.Warnings, [](StringRef Name) { return Name.starts_with("error"); });
  Diagnostics.ShowCarets = false;
  Diagnostics.DiagnosticLogFile.clear();
  Diagnostics.DiagnosticSerializationFile.clear();
  Diagnostics.VerifyDiagnostics = false;
  Invocation.getDependencyOutputOpts() = DependencyOutputOptions();

  FrontendOptions &Frontend = Invocation.getFrontendOpts();
  Frontend.Plugins.clear();
  Frontend.PluginArgs.clear();
  Frontend.AddPluginActions.clear();
  Frontend.OutputFile.clear();
  Frontend.ShowStats = false;
  // Clang leaves the tree to the end of the process; a tool that parses many files cannot.
  Frontend.DisableFree = false;
  Frontend.ProgramAction = clang::frontend::ParseSyntaxOnly;

  CodeGenOptions &CodeGen = Invocation.getCodeGenOpts();
  CodeGen.OptimizationLevel = 0;
  CodeGen.DisableO0ImplyOptNone = true;
  CodeGen.setInlining(CodeGenOptions::NormalInlining); // or every function is marked noinline
  CodeGen.DiscardValueNames = false;
  CodeGen.setDebugInfo(llvm::codegenoptions::FullDebugInfo);
  CodeGen.DebugColumnInfo = true;
  CodeGen.DwarfVersion = 5;
  CodeGen.DebugCompilationDir = Cmd.directory;
  CodeGen.ClearASTBeforeBackend = false;

  LangOptions &Language = Invocation.getLangOpts();
  // Names of static kernels get this suffix; without one Clang hashes the file on disk, which may not exist.
  Language.CUID = "0";
  // Kernels may launch kernels; only linking tells whether that is allowed.
  Language.GPURelocatableDeviceCode = true;
  // Launches by <<<>>> through the functions of CUDA 9.2 and later.
  Invocation.getTargetOpts().SDKVersion = llvm::VersionTuple(12, 8);
}

void parseInto(ParseOutcome &Outcome, ErrorCollector &Collector, const Command &Cmd, const Options &Opts,
               llvm::function_ref<void(Unit &)> Use) {
  Clock::time_point Start = Clock::now();
  const Deadline Limit(Opts.timeLimitSeconds);
  IntrusiveRefCntPtr<UserFiles> Files = fileSystemFor(Cmd, Opts);

  DiagnosticOptions DriverOptions;
  auto DriverDiagnostics = llvm::makeIntrusiveRefCnt<DiagnosticsEngine>(
      DiagnosticIDs::create(), DriverOptions, &Collector, /*ShouldOwnClient=*/false);
  std::vector<const char *> Arguments;
  for (const std::string &Argument : Cmd.arguments)
    Arguments.push_back(Argument.c_str());
  CreateInvocationOptions HowTo;
  HowTo.Diags = DriverDiagnostics;
  HowTo.VFS = Files;
  HowTo.RecoverOnError = true;
  std::shared_ptr<CompilerInvocation> Invocation = createInvocation(Arguments, HowTo);
  if (!Invocation) {
    Collector.close();
    if (Outcome.errors.empty())
      Outcome.errors.push_back({{}, "the compile command of '" + Cmd.file + "' cannot be understood"});
    return;
  }
  settle(*Invocation, Cmd);

  CompilerInstance CI(Invocation);
  CI.setVirtualFileSystem(Files);
  CI.createDiagnostics(&Collector, /*ShouldOwnClient=*/false);
  // A missing header is a reason to go on, not to stop.
  CI.getDiagnostics().setFatalsAsError(true);
  CI.createFileManager();

  SharedObjects Shared(CI.getLangOpts());
  UnitAction Action(Cmd, {Collector, Limit, *Files, Shared}, Outcome, Start, Use);
  CI.ExecuteAction(Action);
  Collector.close(); // when the tree was never finished
  for (const auto &[Name, Why] : Files->refused()) {
    if (Name == Cmd.file) // what Clang says about it is no news
      Outcome.errors.clear();
    result::Error Refused;
    Refused.place.file = Name;
    Refused.message = "this file is not read: " + Why;
    Outcome.errors.insert(Outcome.errors.begin(), std::move(Refused));
  }
}

} // namespace

namespace {

/// What a parse works on. It is the parse's own: a parse that is left behind may go on with it.
struct Job {
  Job(const Command &TheCommand, const Options &TheOptions)
      : command(TheCommand), options(TheOptions), collector(command, outcome.errors) {}
  Command command;
  Options options;
  ParseOutcome outcome;
  ErrorCollector collector;
};

} // namespace

ParseOutcome parse(const Command &Cmd, const Options &Opts, llvm::function_ref<void(Unit &)> Use) {
  auto TheJob = std::make_shared<Job>(Cmd, Opts);
  // The parse looks at its deadline itself; this is for where it cannot.
  double Patience = Opts.timeLimitSeconds ? 1.25 * Opts.timeLimitSeconds + 5 : 0;
  std::string Why = Guarded::run(
      [TheJob, Use](Guarded &Guard) {
        parseInto(TheJob->outcome, TheJob->collector, TheJob->command, TheJob->options,
                  [&](Unit &U) { Guard.enterCaller([&] { Use(U); }); });
      },
      Patience);
  ParseOutcome Outcome;
  if (Why.empty()) {
    Outcome = std::move(TheJob->outcome);
  } else {
    Outcome.errors.push_back({{}, Why});
    Outcome.errors.back().place.file = Cmd.file;
  }
  return Outcome;
}

} // namespace warplint::frontend
