//===-- Parse.cpp - One parse: syntax tree, device code, errors -----------===//
#include "analyzer/frontend/DeviceCode.h"
#include "analyzer/frontend/ErrorCollector.h"
#include "analyzer/frontend/Frontend.h"
#include "analyzer/frontend/HeaderCache.h"
#include "analyzer/frontend/Invocation.h"
#include "analyzer/frontend/Limits.h"
#include "analyzer/frontend/MissingNames.h"
#include "analyzer/frontend/SharedObjects.h"
#include "analyzer/frontend/SkippedBodies.h"
#include "analyzer/frontend/Soundness.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/PreprocessorOptions.h"
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

/// Notes when the program asks what time it is.
class ClockReader : public PPCallbacks {
public:
  ClockReader(const PreprocessorOptions &Options, bool &Asked)
      : TimeIsGiven(Options.SourceDateEpoch.has_value()), Asked(Asked) {}
  void MacroExpands(const Token &Name, const MacroDefinition &, SourceRange, const MacroArgs *) override {
    StringRef Macro = Name.getIdentifierInfo()->getName();
    // The last one is about the file, whatever time is given.
    Asked |= (!TimeIsGiven && (Macro == "__DATE__" || Macro == "__TIME__")) || Macro == "__TIMESTAMP__";
  }

private:
  const bool TimeIsGiven;
  bool &Asked;
};

/// Hands out the finished tree and its code.
class UnitConsumer : public SemaConsumer {
public:
  UnitConsumer(CompilerInstance &CI, const Command &Cmd, const Company &With, ParseOutcome &Outcome,
               Clock::time_point Start, llvm::function_ref<void(Unit &)> Use)
      : CI(CI), Cmd(Cmd), With(With), Outcome(Outcome), Start(Start), Use(Use), Sound(CI.getSourceManager()),
        Skipped(CI.getSourceManager(), Cmd.toolkit) {
    With.collector.start(CI, Sound);
    CI.getPreprocessor().addPPCallbacks(
        std::make_unique<ClockReader>(CI.getPreprocessorOpts(), Outcome.restsOnTime));
  }
  ~UnitConsumer() override { With.collector.stop(); }

  void InitializeSema(Sema &S) override {
    supplyMissingNames(S);
    With.shared.watch(S);
    watchParse(CI, S, With.deadline);
  }

  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    With.shared.outermostDone();
    Precompiled.parsed(Group);
    return true;
  }

  void HandleInterestingDecl(DeclGroupRef Group) override { Precompiled.loaded(Group); }

  bool shouldSkipFunctionBody(Decl *D) override { return Skipped.skip(D); }

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
    DeviceCode Code = emitDeviceCode({CI.getFrontendOpts().Inputs.front().getFile(),
                                      CI.getVirtualFileSystemPtr(), CI.getHeaderSearchOpts(),
                                      CI.getPreprocessorOpts(), CI.getCodeGenOpts()},
                                     Context, Sound, Precompiled, LLVM, With.deadline);
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
  PrecompiledDecls Precompiled;
  SkippedBodies Skipped;
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

/// Lets the parse start from precompiled headers where there are any. They must outlive it.
std::shared_ptr<const PrecompiledHeader> usePrecompiled(CompilerInvocation &Invocation, const Command &Cmd,
                                                        const Options &Opts, Files &Names) {
  if (!Opts.headers)
    return nullptr;
  // A file system of its own: the parse's is in use, and remembers a folder.
  std::shared_ptr<const PrecompiledHeader> Headers =
      Opts.headers->get(Invocation, Cmd, llvm::vfs::createPhysicalFileSystem(), Names.headers);
  if (!Headers || llvm::any_of(Headers->dependencies,
                               [&](const Dependency &D) { return Opts.overlay.contains(D.path); }))
    return nullptr;
  constexpr llvm::StringLiteral Name = "/__warplint/headers.pch";
  Names.overlay->addFileNoOwn(Name, 0, llvm::MemoryBufferRef(Headers->bytes, Name));
  PreprocessorOptions &Preprocessing = Invocation.getPreprocessorOpts();
  Preprocessing.ImplicitPCHInclude = Name.str();
  // The cache knows better than Clang whether the header still holds: a file of other times but the same
  // contents is no reason to reject it.
  Preprocessing.DisablePCHOrModuleValidation = DisableValidationForModuleKind::PCH;
  Preprocessing.Includes.erase(Preprocessing.Includes.begin(),
                               Preprocessing.Includes.begin() + Cmd.preamble.size());
  return Headers;
}

/// What must hold whatever the command says: errors only, nothing written, debug places for every access.
void settle(CompilerInvocation &Invocation, const Command &Cmd) {
  settleCommon(Invocation);
  FrontendOptions &Frontend = Invocation.getFrontendOpts();
  Frontend.SkipFunctionBodies = true; // those that the consumer names
  Frontend.ProgramAction = clang::frontend::ParseSyntaxOnly;

  settleCode(Invocation.getCodeGenOpts(), Cmd.directory);
  // Kernels may launch kernels; only linking tells whether that is allowed.
  Invocation.getLangOpts().GPURelocatableDeviceCode = true;
}

void parseInto(ParseOutcome &Outcome, ErrorCollector &Collector, const Command &Cmd, const Options &Opts,
               llvm::function_ref<void(Unit &)> Use) {
  Clock::time_point Start = Clock::now();
  const Deadline Limit(Opts.timeLimitSeconds);
  Files Names = filesFor(Cmd, Opts);

  std::shared_ptr<CompilerInvocation> Invocation = invocationFor(Cmd, Names, Collector);
  if (!Invocation) {
    Collector.close();
    if (Outcome.errors.empty())
      Outcome.errors.push_back({{}, notUnderstood(Cmd)});
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

  SharedObjects Shared(CI.getLangOpts());
  UnitAction Action(Cmd, {Collector, Limit, *Names.all, Shared}, Outcome, Start, Use);
  CI.ExecuteAction(Action);
  Collector.close(); // when the tree was never finished
  noteRefused(Outcome.errors, Cmd, Names);
  if (Limit.passed() || Outcome.restsOnTime)
    return; // a matter of the moment, not of the files
  Outcome.dependencies = Names.recorder->dependencies();
  if (Headers)
    llvm::append_range(Outcome.dependencies, Headers->dependencies);
}

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
    Outcome.crashed = true;
  }
  return Outcome;
}

} // namespace warplint::frontend
