#include "tools/replay/device/Device.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;

static Error failure(const Twine &Message) { return createStringError(inconvertibleErrorCode(), Message); }

static void optimise(Module &M, TargetMachine &Machine) {
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager Components;
  ModuleAnalysisManager Modules;
  PassBuilder Builder(&Machine);
  Builder.registerModuleAnalyses(Modules);
  Builder.registerCGSCCAnalyses(Components);
  Builder.registerFunctionAnalyses(Functions);
  Builder.registerLoopAnalyses(Loops);
  Builder.crossRegisterProxies(Loops, Functions, Components, Modules);
  Builder.buildPerModuleDefaultPipeline(OptimizationLevel::O1).run(M, Modules);
}

Error warplint::replay::emitObject(Module &Host, StringRef Path) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  std::string Problem;
  const Triple Triple = Host.getTargetTriple();
  const Target *Target = TargetRegistry::lookupTarget(Triple, Problem);
  if (!Target)
    return failure(Problem);
  std::unique_ptr<TargetMachine> Machine(Target->createTargetMachine(Triple, sys::getHostCPUName(), "", {},
                                                                     Reloc::PIC_, {}, CodeGenOptLevel::Less));
  Host.setDataLayout(Machine->createDataLayout());
  optimise(Host, *Machine);
  std::error_code Code;
  ToolOutputFile Out(Path, Code, sys::fs::OF_None);
  if (Code)
    return failure(Path + ": " + Code.message());
  legacy::PassManager Passes;
  if (Machine->addPassesToEmitFile(Passes, Out.os(), nullptr, CodeGenFileType::ObjectFile))
    return failure("no object files for " + Triple.str());
  Passes.run(Host);
  Out.keep();
  return Error::success();
}
