//===-- HostCode.cpp - The host side of a program, compiled ---------------===//
#include "analyzer/frontend/BuiltinCuda.h"
#include "analyzer/frontend/HostCode.h"
#include "analyzer/frontend/Invocation.h"
#include "analyzer/frontend/Limits.h"
#include "analyzer/frontend/MissingNames.h"
#include "analyzer/frontend/SharedObjects.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Sema/SemaConsumer.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TargetSelect.h"

using namespace clang;

namespace warplint::frontend {

namespace {

/// Where the text of HostOptions::deviceId stands; in memory alone.
constexpr llvm::StringLiteral DeviceIdFile = "/__warplint/device-id";

/// The device side's command turned to the host side.
Command hostCommand(const Command &Device, const HostOptions &How) {
  Command Result = Device;
  Result.arguments.clear();
  for (auto It = Device.arguments.begin(); It != Device.arguments.end(); ++It) {
    llvm::StringRef Argument = *It;
    if (Argument.starts_with("--cuda-feature="))
      continue;
    if (Argument == "--") // the file alone comes after it
      for (const auto &[Name, Text] : How.headers) {
        // Before `-x cuda`, which Clang takes for what follows it; forced headers are no inputs.
        Result.arguments.push_back("-include");
        Result.arguments.push_back(Name);
      }
    Result.arguments.push_back(Argument == "--cuda-device-only" ? "--cuda-host-only"
                               : Argument == "-fsyntax-only"    ? "-c"
                                                                : Argument.str());
  }
  for (const auto &[Name, Text] : How.headers)
    Result.preamble.push_back(Name);
  return Result;
}

void settle(CompilerInvocation &Invocation, const HostOptions &How) {
  settleCommon(Invocation);
  Invocation.getFrontendOpts().ProgramAction = clang::frontend::EmitObj;
  CodeGenOptions &CodeGen = Invocation.getCodeGenOpts();
  // Enough for host loops that fill arrays; little of a compilation's time.
  CodeGen.OptimizationLevel = 1;
  CodeGen.DisableO0ImplyOptNone = false;
  CodeGen.DisableLLVMPasses = false;
  CodeGen.setInlining(CodeGenOptions::NormalInlining);
  CodeGen.setDebugInfo(llvm::codegenoptions::NoDebugInfo);
  // What host compilers let pass at the levels that programs are built and tested with.
  CodeGen.RelaxedAliasing = true;
  Invocation.getLangOpts().setSignedOverflowBehavior(LangOptions::SOB_Defined);
  CodeGen.CudaGpuBinaryFileName = How.deviceId.empty() ? "" : DeviceIdFile.str();
  // Each unit registers its own, whose names the linker must not see: the tables say which kernels are whose.
  Invocation.getLangOpts().GPURelocatableDeviceCode = false;
}

/// What the device side's parse does to Sema, for the host side's.
class HostParse : public SemaConsumer {
public:
  HostParse(CompilerInstance &CI, SharedObjects &Shared, const Deadline &Limit)
      : CI(CI), Shared(Shared), Limit(Limit) {}
  void InitializeSema(Sema &S) override {
    supplyMissingNames(S);
    Shared.watch(S);
    watchParse(CI, S, Limit);
  }
  bool HandleTopLevelDecl(DeclGroupRef) override {
    Shared.outermostDone();
    return true;
  }
  void HandleTranslationUnit(ASTContext &) override { Shared.restore(); }

private:
  CompilerInstance &CI;
  SharedObjects &Shared;
  const Deadline &Limit;
};

class HostAction : public EmitObjAction {
public:
  HostAction(SharedObjects &Shared, const Deadline &Limit) : Shared(Shared), Limit(Limit) {}

protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, StringRef File) override {
    std::unique_ptr<ASTConsumer> Generator = EmitObjAction::CreateASTConsumer(CI, File);
    if (!Generator)
      return nullptr;
    std::vector<std::unique_ptr<ASTConsumer>> Both;
    Both.push_back(std::make_unique<HostParse>(CI, Shared, Limit));
    Both.push_back(std::move(Generator));
    return std::make_unique<MultiplexConsumer>(std::move(Both));
  }

private:
  SharedObjects &Shared;
  const Deadline &Limit;
};

/// What a compilation works on; its own, as a parse's.
struct Job {
  Job(const Command &TheCommand, const Options &TheOptions, const HostOptions &TheHow)
      : command(hostCommand(TheCommand, TheHow)), options(TheOptions), how(TheHow),
        collector(command, code.errors) {}
  Command command;
  Options options;
  HostOptions how;
  HostCode code;
  ErrorCollector collector;
};

void compile(Job &J) {
  const Deadline Limit(J.options.timeLimitSeconds);
  Files Names = filesFor(J.command, J.options, LaunchLists::Constructors);
  for (const auto &[Name, Text] : J.how.headers)
    Names.headers->addFile(Name, 0, llvm::MemoryBuffer::getMemBuffer(Text, Name));
  // With the zero at its end: what registers gets a pointer alone.
  Names.headers->addFile(
      DeviceIdFile, 0,
      llvm::MemoryBuffer::getMemBufferCopy(J.how.deviceId + llvm::StringRef("\0", 1).str(), DeviceIdFile));
  std::shared_ptr<CompilerInvocation> Invocation = invocationFor(J.command, Names, J.collector);
  if (!Invocation) {
    J.collector.close();
    if (J.code.errors.empty())
      J.code.errors.push_back({{}, notUnderstood(J.command)});
    return;
  }
  settle(*Invocation, J.how);

  CompilerInstance CI(Invocation);
  CI.setVirtualFileSystem(Names.all);
  CI.createDiagnostics(&J.collector, /*ShouldOwnClient=*/false);
  CI.createFileManager();
  CI.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(J.code.object));
  {
    SharedObjects Shared(CI.getLangOpts());
    HostAction Action(Shared, Limit);
    if (!CI.ExecuteAction(Action))
      J.code.object.clear();
  }
  J.collector.close();
  noteRefused(J.code.errors, J.command, Names);
  if (!J.code.errors.empty())
    J.code.object.clear();
  else if (J.code.object.empty())
    J.code.errors.push_back({{}, "no host code came of '" + J.command.file + "'"});
}

} // namespace

bool isPlainCxxName(llvm::StringRef File) {
  return llvm::StringSwitch<bool>(llvm::sys::path::extension(File))
      .Cases({".cpp", ".cc", ".cxx", ".c++", ".C", ".c"}, true)
      .Default(false);
}

llvm::Expected<Command> plainCommandFor(llvm::StringRef File, const Options &Given) {
  Options Opts = Given;
  Opts.extraArgs.insert(Opts.extraArgs.begin(), {"-x", "cu"}); // else it is refused as no CUDA
  llvm::Expected<Command> Result = commandFor(File, Opts);
  if (!Result || Result->toolkit.empty())
    return Result; // the built-in declarations are CUDA's own language alone
  const bool IsC = llvm::sys::path::extension(File) == ".c";
  std::vector<std::string> &Arguments = Result->arguments;
  for (size_t I = 0; I + 1 < Arguments.size();) {
    auto At = Arguments.begin() + ptrdiff_t(I);
    // Of ours, what CUDA's headers took from structures concerns C++ too.
    if (Arguments[I] == "-include" && llvm::is_contained(Result->preamble, Arguments[I + 1]) &&
        (IsC || Arguments[I + 1] != BeforeHeader))
      Arguments.erase(At, At + 2);
    else if (llvm::StringRef(Arguments[I]).starts_with("--cuda-"))
      Arguments.erase(At);
    else
      ++I;
  }
  *(Arguments.end() - 3) = IsC ? "c" : "c++"; // -x cuda -- FILE
  Result->preamble.clear();
  return Result;
}

HostCode compileHost(const Command &Cmd, const Options &Opts, const HostOptions &How) {
  static const bool Ready = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    return true;
  }();
  (void)Ready;
  auto TheJob = std::make_shared<Job>(Cmd, Opts, How);
  const double Patience = Opts.timeLimitSeconds ? 1.25 * Opts.timeLimitSeconds + 5 : 0;
  const std::string Why = Guarded::run([TheJob](Guarded &) { compile(*TheJob); }, Patience);
  if (Why.empty())
    return std::move(TheJob->code);
  HostCode Failed;
  Failed.errors.push_back({{}, Why});
  Failed.errors.back().place.file = Cmd.file;
  return Failed;
}

} // namespace warplint::frontend
