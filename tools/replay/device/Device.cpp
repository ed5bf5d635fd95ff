#include "tools/replay/device/Device.h"
#include "analyzer/kernel/PrivateArrays.h"
#include "analyzer/kernel/Program.h"
#include "analyzer/kernel/Uses.h"
#include "tools/replay/device/Accesses.h"
#include "tools/replay/device/Emitter.h"
#include "tools/replay/device/Retarget.h"
#include "tools/replay/device/Shared.h"
#include "tools/replay/device/Tables.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/Utils/FixIrreducible.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::replay;

namespace {

/// The analyses that LLVM's passes ask for.
struct Passes {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;

  Passes() {
    PassBuilder Builder;
    Builder.registerModuleAnalyses(modules);
    Builder.registerCGSCCAnalyses(components);
    Builder.registerFunctionAnalyses(functions);
    Builder.registerLoopAnalyses(loops);
    Builder.crossRegisterProxies(loops, functions, components, modules);
  }
};

} // namespace

static bool mayAccess(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    return I.isAtomic() || isa<LoadInst, StoreInst, MemIntrinsic>(I) || isa<CallBase>(I);
  });
}

/// An access in a header of CUDA's is the user's call, each call a place of its own.
static void inlineForeignFunctions(Emitter &E) {
  bool Any = false;
  for (Function &F : E.module) {
    const DISubprogram *Source = F.getSubprogram();
    if (F.isDeclaration() || !Source || isKernel(F) || F.isVarArg() || !mayAccess(F))
      continue;
    const Place At =
        E.placeOf(DILocation::get(F.getContext(), Source->getLine(), 0, const_cast<DISubprogram *>(Source)));
    if (E.isUserFile(At.file))
      continue;
    F.removeFnAttr(Attribute::NoInline);
    F.removeFnAttr(Attribute::OptimizeNone);
    F.addFnAttr(Attribute::AlwaysInline);
    Any = true;
  }
  if (!Any)
    return;
  Passes P;
  ModulePassManager Manager;
  Manager.addPass(AlwaysInlinerPass(false));
  Manager.run(E.module, P.modules);
}

/// As the analysis does: scalars become values, everything else stays as the source has it.
static void promoteScalars(Function &F) {
  removeUnreachableBlocks(F);
  DominatorTree Tree(F);
  SmallVector<AllocaInst *> Scalars;
  for (Instruction &I : F.getEntryBlock())
    if (auto *A = dyn_cast<AllocaInst>(&I); A && isAllocaPromotable(A))
      Scalars.push_back(A);
  PromoteMemToReg(Scalars, Tree);
}

/// Jumps into the middle of a loop: iterations are counted of natural loops only.
static void makeReducible(Function &F, Passes &P) {
  const DominatorTree Tree(F);
  const LoopInfo Loops(Tree);
  ReversePostOrderTraversal<const Function *> Order(&F);
  if (!containsIrreducibleCFG<const BasicBlock *>(Order, Loops))
    return;
  FunctionPassManager Manager;
  Manager.addPass(LowerSwitchPass());
  Manager.addPass(FixIrreduciblePass());
  Manager.run(F, P.functions);
  P.functions.invalidate(F, PreservedAnalyses::none());
}

Error warplint::replay::toHostModule(llvm::Module &M, const DeviceOptions &Options) {
  Emitter E(M, Options);
  const std::vector<Function *> Kernels = kernelsOf(M);
  DenseSet<const Function *> Own;
  for (const Function &F : M)
    if (!F.isDeclaration())
      Own.insert(&F);
  if (Error Problem = linkLibdevice(E))
    return Problem;
  kernel::exposeBuiltinVariables(M);
  // What the analysis finds that a thread has read before, it finds with the headers' functions as calls: more is in sight
  // behind the inliner. The tables of mathematical functions are no accesses of the program's.
  constexpr StringLiteral Dropped = "warplint.dropped"; // copies of the instruction have it too
  for (Function &F : M)
    if (!F.isDeclaration()) {
      promoteScalars(F);
      const kernel::Uses Found = kernel::findUses(F);
      for (Instruction &I : instructions(F))
        if (Found.dropped.contains(&I) || !Own.contains(&F))
          I.setMetadata(Dropped, MDNode::get(M.getContext(), {}));
    }
  inlineForeignFunctions(E);

  DenseMap<const Function *, kernel::Uses> Uses;
  for (Function &F : M)
    if (!F.isDeclaration()) {
      promoteScalars(F);
      kernel::Uses &Of = Uses[&F] = kernel::findUses(F, /*ReadAgain=*/false);
      for (const Instruction &I : instructions(F))
        if (I.hasMetadata(Dropped))
          Of.dropped.insert(&I);
    }
  DenseSet<const AllocaInst *> LocalArrays;
  for (Function *Kernel : Kernels)
    for (const auto &[Array, Found] : kernel::findLocalArrays(*Kernel, [] { return false; }))
      LocalArrays.insert(Array);
  lowerAssembly(E);
  lowerIntrinsics(E);
  resolveFunctions(E);
  lowerSharedPointers(E);

  Passes P;
  for (Function &F : M)
    if (!F.isDeclaration()) {
      makeReducible(F, P);
      if (!isSilent(F))
        recordAccesses(E, F, Uses[&F], LocalArrays);
    }
  for (Function &F : M)
    if (!F.isDeclaration())
      fillKeys(E, F);
  if (Function *Key = M.getFunction(Emitter::KeyName); Key && Key->use_empty())
    Key->eraseFromParent();
  const auto Shared = layOutShared(E, Kernels);
  const std::vector<KernelNames> Names = namesOf(E, Kernels);
  const std::vector<VariableNames> Variables = variablesOf(M);
  retarget(E);
  addTables(E, Names, Variables, Shared);

  std::string Problem;
  raw_string_ostream Stream(Problem);
  if (verifyModule(M, &Stream))
    return createStringError(inconvertibleErrorCode(),
                             "the translated device code is not well formed: " + Problem);
  return Error::success();
}
