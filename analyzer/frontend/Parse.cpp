//===-- Parse.cpp - One parse: syntax tree, device code, errors -----------===//
#include "analyzer/frontend/BuiltinCuda.h"
#include "analyzer/frontend/DeviceCode.h"
#include "analyzer/frontend/Frontend.h"
#include "analyzer/frontend/HeaderCache.h"
#include "analyzer/frontend/Soundness.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/Stack.h"
#include "clang/Driver/CreateInvocationFromArgs.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <set>

using namespace clang;

namespace warplint::frontend {

namespace {

/// Errors beyond this many are counted, not kept: they help nobody and a missing header can give thousands.
constexpr size_t MaxErrors = 200;

/// Errors after which the tree is whole: they say that code is forbidden, not that it was lost.
bool leavesTreeWhole(unsigned ID) {
  switch (ID) {
  case diag::err_ref_bad_target:
  case diag::err_ref_bad_target_global_initializer:
  case diag::err_cuda_device_exceptions:
  case diag::err_static_assert_failed:
  case diag::err_static_assert_requirement_failed:
    return true;
  default:
    return false;
  }
}

/// Collects errors, each once, and tells Soundness about them.
class ErrorCollector : public DiagnosticConsumer {
public:
  ErrorCollector(const Command &Cmd, std::vector<result::Error> &Errors) : Cmd(Cmd), Errors(Errors) {}

  void start(CompilerInstance &Instance, Soundness &S) {
    CI = &Instance;
    Sound = &S;
  }
  void stop() { Stopped = true; }

  /// The line that stands for the errors beyond the limit.
  void close() {
    if (Dropped)
      Errors.push_back({{}, "too many errors: " + std::to_string(Dropped) + " more are not shown"});
  }

  void HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic &Info) override {
    if (Stopped || Level < DiagnosticsEngine::Error)
      return;
    DiagnosticConsumer::HandleDiagnostic(Level, Info);
    bool HasPlace = Info.hasSourceManager() && Info.getLocation().isValid();
    if (Sound && !leavesTreeWhole(Info.getID()))
      Sound->note(HasPlace ? Info.getLocation() : SourceLocation(), instanceBeingBuilt());

    result::Error Error;
    SmallString<256> Message;
    Info.FormatDiagnostic(Message);
    Error.message = std::string(Message);
    if (HasPlace)
      Error.place = placeOf(Info.getSourceManager(), Info.getLocation());
    if (!Seen.insert({Error.place.file, Error.place.line, Error.place.column, Error.message}).second)
      return;
    if (Errors.size() < MaxErrors)
      Errors.push_back(std::move(Error));
    else
      ++Dropped;
  }

private:
  const FunctionDecl *instanceBeingBuilt() const {
    if (!CI || !CI->hasSema())
      return nullptr;
    for (const Sema::CodeSynthesisContext &Context : llvm::reverse(CI->getSema().CodeSynthesisContexts))
      if (Context.Kind == Sema::CodeSynthesisContext::TemplateInstantiation)
        if (const auto *Function = dyn_cast_or_null<FunctionDecl>(Context.Entity))
          return Function;
    return nullptr;
  }

  result::Place placeOf(const SourceManager &Sources, SourceLocation Location) const {
    result::Place Place;
    PresumedLoc Presumed = Sources.getPresumedLoc(Sources.getExpansionLoc(Location));
    if (Presumed.isInvalid())
      return Place;
    SmallString<256> File(Presumed.getFilename());
    llvm::sys::path::make_absolute(Cmd.directory, File);
    llvm::sys::path::remove_dots(File, /*remove_dot_dot=*/true);
    Place.file = std::string(File);
    Place.line = Presumed.getLine();
    Place.column = Presumed.getColumn();
    return Place;
  }

  const Command &Cmd;
  std::vector<result::Error> &Errors;
  CompilerInstance *CI = nullptr;
  Soundness *Sound = nullptr;
  std::set<std::tuple<std::string, unsigned, unsigned, std::string>> Seen;
  size_t Dropped = 0;
  bool Stopped = false;
};

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point Start) {
  return std::chrono::duration<double>(Clock::now() - Start).count();
}

/// Hands out the finished tree and its code.
class UnitConsumer : public ASTConsumer {
public:
  UnitConsumer(CompilerInstance &CI, const Command &Cmd, ErrorCollector &Collector, ParseOutcome &Outcome,
               Clock::time_point Start, llvm::function_ref<void(Unit &)> Use)
      : CI(CI), Cmd(Cmd), Collector(Collector), Outcome(Outcome), Start(Start), Use(Use),
        Sound(CI.getSourceManager()) {
    Collector.start(CI, Sound);
  }
  ~UnitConsumer() override { Collector.stop(); }

  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    Precompiled.parsed(Group);
    return true;
  }
  void HandleInterestingDecl(DeclGroupRef Group) override { Precompiled.loaded(Group); }

  void HandleTranslationUnit(ASTContext &Context) override {
    Outcome.parseSeconds = secondsSince(Start);
    // What later stages ask of the tree (constant folding, say) may report; that is not about the user's
    // code.
    Collector.stop();
    Collector.close();
    Clock::time_point CodegenStart = Clock::now();
    llvm::LLVMContext LLVM;
    LLVM.setDiscardValueNames(false);
    DeviceCode Code = emitDeviceCode(CI, Context, Sound, Precompiled, LLVM);
    if (!Code.module)
      Code.module = std::make_unique<llvm::Module>("", LLVM);
    Outcome.codegenSeconds = secondsSince(CodegenStart);
    Unit Result{Cmd, Context, CI.getPreprocessor(), *Code.module, std::move(Code.kernels), Outcome.errors};
    Outcome.parsed = true;
    Use(Result);
  }

private:
  CompilerInstance &CI;
  const Command &Cmd;
  ErrorCollector &Collector;
  ParseOutcome &Outcome;
  Clock::time_point Start;
  llvm::function_ref<void(Unit &)> Use;
  Soundness Sound;
  PrecompiledDecls Precompiled;
};

class UnitAction : public ASTFrontendAction {
public:
  UnitAction(const Command &Cmd, ErrorCollector &Collector, ParseOutcome &Outcome, Clock::time_point Start,
             llvm::function_ref<void(Unit &)> Use)
      : Cmd(Cmd), Collector(Collector), Outcome(Outcome), Start(Start), Use(Use) {}

protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, StringRef) override {
    return std::make_unique<UnitConsumer>(CI, Cmd, Collector, Outcome, Start, Use);
  }

private:
  const Command &Cmd;
  ErrorCollector &Collector;
  ParseOutcome &Outcome;
  Clock::time_point Start;
  llvm::function_ref<void(Unit &)> Use;
};

/// The files of one parse: what is held in memory before what is on disk.
struct Files {
  IntrusiveRefCntPtr<llvm::vfs::FileSystem> disk;
  IntrusiveRefCntPtr<DependencyRecorder> recorder; ///< of `disk`
  IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> headers; ///< CUDA's, as far as they are ours
  IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> overlay;
  IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> all;
};

Files filesFor(const Command &Cmd, const Options &Opts) {
  Files Result;
  // Not getRealFileSystem(): that one shares the process's working directory, and files are parsed in
  // parallel.
  Result.disk = llvm::vfs::createPhysicalFileSystem();
  Result.recorder = llvm::makeIntrusiveRefCnt<DependencyRecorder>(Result.disk);
  Result.headers = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  Result.headers->addFile(PreambleFile, 0, llvm::MemoryBuffer::getMemBuffer("", PreambleFile));
  addSupplement(*Result.headers);
  if (Cmd.toolkit.empty())
    addBuiltinCuda(*Result.headers);
  else
    addToolkitHeader(*Result.headers);
  Result.overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const auto &[Name, Contents] : Opts.overlay)
    Result.overlay->addFile(Name, 0, llvm::MemoryBuffer::getMemBufferCopy(Contents, Name));
  Result.all = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(Result.recorder);
  Result.all->pushOverlay(Result.headers);
  Result.all->pushOverlay(Result.overlay);
  (void)Result.all->setCurrentWorkingDirectory(Cmd.directory);
  return Result;
}

/// Lets the parse start from precompiled headers where there are any. They must outlive it.
std::shared_ptr<const PrecompiledHeader> usePrecompiled(CompilerInvocation &Invocation, const Command &Cmd,
                                                        const Options &Opts, Files &Names) {
  if (!Opts.headers)
    return nullptr;
  // A file system of its own: the parse's is in use, and remembers a folder.
  std::shared_ptr<const PrecompiledHeader> Headers =
      Opts.headers->get(Invocation, Cmd.preamble.size(), llvm::vfs::createPhysicalFileSystem(), Names.headers,
                        Cmd.directory);
  if (!Headers || llvm::any_of(Headers->dependencies,
                               [&](const Dependency &D) { return Opts.overlay.contains(D.path); }))
    return nullptr;
  constexpr llvm::StringLiteral Name = "/__warplint/headers.pch";
  Names.overlay->addFileNoOwn(Name, 0, llvm::MemoryBufferRef(Headers->bytes, Name));
  PreprocessorOptions &Preprocessing = Invocation.getPreprocessorOpts();
  Preprocessing.ImplicitPCHInclude = Name.str();
  Preprocessing.Includes.erase(Preprocessing.Includes.begin(),
                               Preprocessing.Includes.begin() + Cmd.preamble.size());
  return Headers;
}

/// What must hold whatever the command says: errors only, nothing written, debug places for every access.
void settle(CompilerInvocation &Invocation, const Command &Cmd) {
  DiagnosticOptions &Diagnostics = Invocation.getDiagnosticOpts();
  Diagnostics.ErrorLimit = 0;
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

void parseInto(ParseOutcome &Outcome, const Command &Cmd, const Options &Opts,
               llvm::function_ref<void(Unit &)> Use) {
  Clock::time_point Start = Clock::now();
  ErrorCollector Collector(Cmd, Outcome.errors);
  Files Names = filesFor(Cmd, Opts);

  DiagnosticOptions DriverOptions;
  auto DriverDiagnostics = llvm::makeIntrusiveRefCnt<DiagnosticsEngine>(
      DiagnosticIDs::create(), DriverOptions, &Collector, /*ShouldOwnClient=*/false);
  std::vector<const char *> Arguments;
  for (const std::string &Argument : Cmd.arguments)
    Arguments.push_back(Argument.c_str());
  CreateInvocationOptions HowTo;
  HowTo.Diags = DriverDiagnostics;
  HowTo.VFS = Names.all;
  HowTo.RecoverOnError = true;
  std::shared_ptr<CompilerInvocation> Invocation = createInvocation(Arguments, HowTo);
  if (!Invocation) {
    if (Outcome.errors.empty())
      Outcome.errors.push_back({{}, "the compile command of '" + Cmd.file + "' cannot be understood"});
    return;
  }
  settle(*Invocation, Cmd);
  std::shared_ptr<const PrecompiledHeader> Headers = usePrecompiled(*Invocation, Cmd, Opts, Names);

  CompilerInstance CI(Invocation);
  CI.setVirtualFileSystem(Names.all);
  CI.createDiagnostics(&Collector, /*ShouldOwnClient=*/false);
  // A missing header is a reason to go on, not to stop.
  CI.getDiagnostics().setFatalsAsError(true);
  CI.createFileManager();

  UnitAction Action(Cmd, Collector, Outcome, Start, Use);
  CI.ExecuteAction(Action);
  if (!Outcome.parsed)
    Collector.close();
  Outcome.dependencies = Names.recorder->dependencies();
  if (Headers)
    llvm::append_range(Outcome.dependencies, Headers->dependencies);
}

} // namespace

ParseOutcome parse(const Command &Cmd, const Options &Opts, llvm::function_ref<void(Unit &)> Use) {
  ParseOutcome Outcome;
  // Deeply nested code needs more stack than a thread has. A crash costs the file, not the run; with a
  // sanitizer its report is worth more.
#if !LLVM_ADDRESS_SANITIZER_BUILD
  static const bool Enabled = (llvm::CrashRecoveryContext::Enable(), true);
  (void)Enabled;
#endif
  constexpr unsigned StackSize = 256 << 20;
  llvm::CrashRecoveryContext Recovery;
  if (!Recovery.RunSafelyOnThread(
          [&] {
            clang::noteBottomOfStack();
            parseInto(Outcome, Cmd, Opts, Use);
          },
          StackSize)) {
    result::Error Crash;
    Crash.place.file = Cmd.file;
    Crash.message = "the analysis of this file crashed; nothing is known about it";
    Outcome.errors.push_back(std::move(Crash));
    Outcome.parsed = false;
    Outcome.crashed = true;
  }
  return Outcome;
}

} // namespace warplint::frontend
