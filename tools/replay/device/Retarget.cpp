#include "tools/replay/device/Retarget.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;
using namespace warplint::replay;

bool warplint::replay::isKernel(const Function &F) { return F.getCallingConv() == CallingConv::PTX_Kernel; }

std::vector<Function *> warplint::replay::kernelsOf(llvm::Module &M) {
  std::vector<Function *> Result;
  for (Function &F : M)
    if (!F.isDeclaration() && isKernel(F))
      Result.push_back(&F);
  return Result;
}

//===----------------------------------------------------------------------===//
// libdevice
//===----------------------------------------------------------------------===//

static constexpr StringLiteral SilentAttribute = "warplint-silent";

bool warplint::replay::isSilent(const Function &F) { return F.hasFnAttribute(SilentAttribute); }

Error warplint::replay::linkLibdevice(Emitter &E) {
  if (E.options.libdevice.empty())
    return Error::success();
  SMDiagnostic Problem;
  std::unique_ptr<llvm::Module> Library = parseIRFile(E.options.libdevice, Problem, E.module.getContext());
  if (!Library)
    return createStringError(inconvertibleErrorCode(), E.options.libdevice + ": " + Problem.getMessage());
  // Both are of the same processor; libdevice's own words for it are older.
  Library->setTargetTriple(E.module.getTargetTriple());
  Library->setDataLayout(E.module.getDataLayout());
  StringSet<> Own;
  for (const Function &F : *Library)
    if (!F.isDeclaration())
      Own.insert(F.getName());
  if (Linker::linkModules(E.module, std::move(Library), Linker::LinkOnlyNeeded))
    return createStringError(inconvertibleErrorCode(),
                             E.options.libdevice + " cannot be linked to the device code");
  for (Function &F : E.module)
    if (!F.isDeclaration() && Own.contains(F.getName())) {
      F.addFnAttr(SilentAttribute);
      F.setLinkage(GlobalValue::InternalLinkage);
    }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Retargeting
//===----------------------------------------------------------------------===//

std::string warplint::replay::deviceName(StringRef Name) { return (Name + ".device").str(); }

static AttributeMask brokenPromises() {
  AttributeMask Mask;
  for (Attribute::AttrKind Kind :
       {Attribute::Memory, Attribute::NoSync, Attribute::WillReturn, Attribute::NoFree, Attribute::NoRecurse,
        Attribute::Convergent, Attribute::NoCallback, Attribute::Speculatable, Attribute::NoInline,
        Attribute::OptimizeNone, Attribute::ReadOnly, Attribute::ReadNone, Attribute::WriteOnly,
        Attribute::NoAlias})
    Mask.addAttribute(Kind);
  Mask.addAttribute("target-cpu");
  Mask.addAttribute("target-features");
  return Mask;
}

static AttributeList without(AttributeList List, const AttributeMask &Mask, LLVMContext &C) {
  for (unsigned Index : List.indexes())
    List = List.removeAttributesAtIndex(C, Index, Mask);
  return List;
}

static void retargetCode(Function &F, const AttributeMask &Mask) {
  LLVMContext &C = F.getContext();
  F.setCallingConv(CallingConv::C);
  if (F.isIntrinsic())
    return;
  F.setAttributes(without(F.getAttributes(), Mask, C));
  for (Instruction &I : instructions(F)) {
    I.dropPoisonGeneratingFlags(); // GPUs wrap around, and programs that rest on it are to show what they do there
    I.setMetadata(LLVMContext::MD_invariant_load, nullptr);
    I.setMetadata(LLVMContext::MD_noalias, nullptr);
    I.setMetadata(LLVMContext::MD_alias_scope, nullptr);
    if (auto *Call = dyn_cast<CallBase>(&I)) {
      Call->setCallingConv(CallingConv::C);
      if (const Function *Callee = Call->getCalledFunction(); !Callee || !Callee->isIntrinsic())
        Call->setAttributes(without(Call->getAttributes(), Mask, C));
    } else if (auto *A = dyn_cast<AtomicRMWInst>(&I)) {
      A->setSyncScopeID(SyncScope::System); // all threads are one of the host's
    } else if (auto *X = dyn_cast<AtomicCmpXchgInst>(&I)) {
      X->setSyncScopeID(SyncScope::System);
    } else if (auto *Fence = dyn_cast<FenceInst>(&I)) {
      Fence->setSyncScopeID(SyncScope::System);
    } else if (auto *L = dyn_cast<LoadInst>(&I); L && L->isAtomic()) {
      L->setSyncScopeID(SyncScope::System);
    } else if (auto *S = dyn_cast<StoreInst>(&I); S && S->isAtomic()) {
      S->setSyncScopeID(SyncScope::System);
    }
  }
}

/// Of the program's own device code: neither the runtime's functions nor our tables.
static bool isDeviceSymbol(const GlobalValue &G) {
  const auto *F = dyn_cast<Function>(&G);
  if (F && (F->isIntrinsic() || (F->isDeclaration() && !F->hasFnAttribute("warplint-elsewhere"))))
    return false;
  return !G.getName().starts_with("warplint") && !G.getName().starts_with("llvm.");
}

static void retargetLinkage(GlobalObject &G, bool Relocatable) {
  G.setComdat(nullptr);
  G.setVisibility(GlobalValue::DefaultVisibility);
  if (!G.hasLocalLinkage())
    G.setDSOLocal(false);
  if (!isDeviceSymbol(G))
    return;
  if (!G.hasLocalLinkage())
    G.setName(deviceName(G.getName()));
  if (G.isDeclaration())
    return;
  if (!Relocatable || G.hasAvailableExternallyLinkage())
    G.setLinkage(GlobalValue::InternalLinkage);
  else if (G.hasLinkOnceLinkage())
    G.setLinkage(GlobalValue::WeakAnyLinkage);
}

void warplint::replay::retarget(Emitter &E) {
  llvm::Module &M = E.module;
  const Triple Host(sys::getProcessTriple());
  M.setTargetTriple(Host);
  M.setDataLayout(Host.computeDataLayout());
  M.setModuleInlineAsm("");
  for (const char *Name : {"nvvm.annotations", "nvvmir.version", "llvm.ident", "opencl.ocl.version"})
    if (NamedMDNode *Node = M.getNamedMetadata(Name))
      Node->eraseFromParent();
  if (NamedMDNode *Flags = M.getModuleFlagsMetadata()) {
    SmallVector<MDNode *> Kept;
    for (MDNode *Flag : Flags->operands())
      if (const auto *Name = dyn_cast<MDString>(Flag->getOperand(1));
          Name && (Name->getString() == "Debug Info Version" || Name->getString() == "Dwarf Version"))
        Kept.push_back(Flag);
    Flags->clearOperands();
    for (MDNode *Flag : Kept)
      Flags->addOperand(Flag);
  }
  for (const char *Name : {"llvm.used", "llvm.compiler.used"})
    if (GlobalVariable *Used = M.getNamedGlobal(Name))
      Used->eraseFromParent();
  const AttributeMask Mask = brokenPromises();
  for (Function &F : M)
    retargetCode(F, Mask);
  for (GlobalVariable &G : make_early_inc_range(M.globals())) {
    G.eraseMetadata(LLVMContext::MD_dbg);
    constexpr unsigned ConstantSpace = 4;
    // __constant__: device code alone never writes it, the host does.
    if (G.isExternallyInitialized() || G.getAddressSpace() == ConstantSpace)
      G.setConstant(false);
    if (G.isDeclaration() && G.use_empty() && !G.getName().starts_with("warplint."))
      G.eraseFromParent();
    else if (G.hasExternalWeakLinkage()) { // threadIdx and its like: of their class, never read
      G.setInitializer(Constant::getNullValue(G.getValueType()));
      G.setLinkage(GlobalValue::InternalLinkage);
    }
  }
  for (GlobalObject &G : M.global_objects())
    retargetLinkage(G, E.options.relocatable);
  stripNonLineTableDebugInfo(M); // gdb's lines stay
}
