//===-- FinishedParse.cpp - Device code of a parse that is not ours -------===//
#include "analyzer/frontend/FinishedParse.h"
#include "analyzer/frontend/DeviceCode.h"
#include "analyzer/frontend/ErrorCollector.h"
#include "analyzer/frontend/Limits.h"
#include "analyzer/frontend/Soundness.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/TargetInfo.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace clang;

namespace warplint::frontend {

namespace {

/// What is asked of the tree from here on is not about the user's code.
class Quiet {
public:
  explicit Quiet(DiagnosticsEngine &Engine) : Engine(Engine), Before(Engine.getSuppressAllDiagnostics()) {
    Engine.setSuppressAllDiagnostics(true);
  }
  ~Quiet() { Engine.setSuppressAllDiagnostics(Before); }

private:
  DiagnosticsEngine &Engine;
  const bool Before;
};

/// As far as later stages ask for it.
Command commandOf(const ASTContext &Context) {
  const SourceManager &Sources = Context.getSourceManager();
  Command Result;
  if (OptionalFileEntryRef Main = Sources.getFileEntryRefForID(Sources.getMainFileID())) {
    llvm::SmallString<256> File(Main->getName());
    Sources.getFileManager().makeAbsolutePath(File);
    Result.file = Result.requested = File.str().str();
  }
  if (auto Folder = Sources.getFileManager().getVirtualFileSystem().getCurrentWorkingDirectory())
    Result.directory = *Folder;
  Result.arch = Context.getTargetInfo().getTargetOpts().CPU;
  return Result;
}

/// What the driver's own commands give. The members' initial values are no compilation's: they merge
/// constants.
CodeGenOptions presetsFor(const TargetInfo &Target) {
  const std::string Triple = Target.getTriple().str();
  const char *Arguments[] = {"-triple", Triple.c_str(),        "-fcuda-is-device",       "-mrelocation-model",
                             "static",  "-mframe-pointer=all", "-fno-threadsafe-statics"};
  DiagnosticOptions NoOptions;
  IgnoringDiagConsumer Nobody;
  DiagnosticsEngine Diagnostics(DiagnosticIDs::create(), NoOptions, &Nobody, /*ShouldOwnClient=*/false);
  CompilerInvocation Plain;
  CompilerInvocation::CreateFromArgs(Plain, Arguments, Diagnostics);
  return Plain.getCodeGenOpts();
}

void useInto(ParseOutcome &Outcome, ASTContext &Context, Preprocessor &Macros, unsigned TimeLimit,
             llvm::function_ref<void(Unit &)> Use) {
  const Quiet Silence(Context.getDiagnostics());
  const Deadline Limit(TimeLimit);
  const Command Cmd = commandOf(Context);
  const SourceManager &Sources = Context.getSourceManager();

  CodeGenOptions How = presetsFor(Context.getTargetInfo());
  settleCode(How, Cmd.directory);
  llvm::LLVMContext LLVM;
  LLVM.setDiscardValueNames(false);
  Soundness Sound(Sources);
  PrecompiledDecls Precompiled;
  DeviceCode Code =
      emitDeviceCode({Cmd.file, Sources.getFileManager().getVirtualFileSystemPtr(),
                      Macros.getHeaderSearchInfo().getHeaderSearchOpts(), Macros.getPreprocessorOpts(), How},
                     Context, Sound, Precompiled, LLVM, Limit);
  if (!Code.module)
    Code.module = std::make_unique<llvm::Module>("", LLVM);
  const ErrorCollector Places(Cmd, Outcome.errors);
  for (const DeviceCode::Omission &Each : Code.omitted)
    Outcome.errors.push_back({Places.placeOf(Sources, Each.kernel->getLocation()), Each.message});
  Unit Result{Cmd, Context, Macros, *Code.module, std::move(Code.kernels), Outcome.errors, &Limit,
              // Others read the files as they are: what only nvcc takes is an error of theirs.
              [](SourceLocation) { return false; }};
  Outcome.parsed = true;
  Use(Result);
}

} // namespace

ParseOutcome useFinished(ASTContext &Context, Preprocessor &Macros, unsigned TimeLimitSeconds,
                         llvm::function_ref<void(Unit &)> Use) {
  ParseOutcome Outcome;
  // Whoever parsed waits for as long as it takes: the tree is theirs.
  std::string Why = Guarded::run([&](Guarded &) { useInto(Outcome, Context, Macros, TimeLimitSeconds, Use); },
                                 /*Patience=*/0);
  if (!Why.empty()) {
    Outcome = {};
    Outcome.errors.push_back({{}, Why});
    Outcome.crashed = true;
  }
  return Outcome;
}

} // namespace warplint::frontend
