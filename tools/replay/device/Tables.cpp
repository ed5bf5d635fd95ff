#include "tools/replay/device/Tables.h"
#include "tools/replay/device/Retarget.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <cstddef>

using namespace llvm;
using namespace warplint::replay;

std::vector<KernelNames> warplint::replay::namesOf(Emitter &E, ArrayRef<Function *> Kernels) {
  std::vector<KernelNames> Result;
  for (Function *F : Kernels) {
    Place At;
    if (DISubprogram *Source = F->getSubprogram())
      At = E.placeOf(DILocation::get(F->getContext(), Source->getLine(), 0, Source));
    Result.push_back({F, F->getName().str(), At});
  }
  return Result;
}

std::vector<VariableNames> warplint::replay::variablesOf(llvm::Module &M) {
  std::vector<VariableNames> Result;
  for (GlobalVariable &G : M.globals())
    if ((G.getAddressSpace() == unsigned(VariableSpace::Global) ||
         G.getAddressSpace() == unsigned(VariableSpace::Constant)) &&
        !G.isDeclaration() && !G.hasPrivateLinkage() && !G.hasExternalWeakLinkage())
      Result.push_back({&G, G.getName().str()});
  return Result;
}

//===----------------------------------------------------------------------===//
// Code that records nothing
//===----------------------------------------------------------------------===//

/// void(Site *, i64 address): asks the runtime only where the site has not been allowed to touch before.
/// Inlined, since the blocks that are not sampled are most of a large program.
static Function *makeCheck(Emitter &E) {
  LLVMContext &C = E.module.getContext();
  auto *Check = Function::Create(FunctionType::get(Type::getVoidTy(C), {E.pointer, E.i64}, false),
                                 GlobalValue::InternalLinkage, "warplint.check", E.module);
  Check->addFnAttr(Attribute::AlwaysInline);
  auto *Entry = BasicBlock::Create(C, "entry", Check), *Ask = BasicBlock::Create(C, "ask", Check),
       *Done = BasicBlock::Create(C, "done", Check);
  Argument *Site = Check->getArg(0), *Address = Check->getArg(1);
  IRBuilder<> B(Entry);
  auto Known = [&](uint64_t Member) {
    return B.CreateLoad(
        E.i64, B.CreateConstInBoundsGEP1_64(E.i8, Site, offsetof(warplint::replay::Site, checked) + Member));
  };
  Value *Inside = B.CreateICmpULT(B.CreateSub(Address, Known(offsetof(CheckedRange, begin))),
                                  Known(offsetof(CheckedRange, starts)));
  Value *Aligned =
      B.CreateICmpEQ(B.CreateAnd(Address, Known(offsetof(CheckedRange, misaligned))), B.getInt64(0));
  B.CreateCondBr(B.CreateAnd(Inside, Aligned), Done, Ask, MDBuilder(C).createLikelyBranchWeights());
  B.SetInsertPoint(Ask);
  CallInst *Slow = E.call(B, "warplintReplayCheck", B.getVoidTy(), {Site, Address});
  // The program's memory is not touched: its values may stay in registers.
  Slow->getCalledFunction()->setMemoryEffects(MemoryEffects::inaccessibleOrArgMemOnly());
  Slow->getCalledFunction()->setDoesNotThrow();
  Slow->getCalledFunction()->addFnAttr(Attribute::Cold);
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
  B.CreateRetVoid();
  return Check;
}

/// In code that records nothing: a hook is replaced by one that only checks. False where the call is none.
static bool checkInstead(Emitter &E, CallBase &C, Function *Check) {
  const Function *Callee = C.getCalledFunction();
  if (!Callee)
    return false;
  IRBuilder<> B(&C);
  if (Callee->getName() == "warplintReplayAccess")
    B.CreateCall(Check, {C.getArgOperand(0), B.CreatePtrToInt(C.getArgOperand(2), E.i64)});
  else if (Callee->getName() == "warplintReplayMatrixRows")
    E.call(B, "warplintReplayCheckRows", B.getVoidTy(),
           {C.getArgOperand(0), C.getArgOperand(2), C.getArgOperand(3)});
  else
    return false;
  C.eraseFromParent();
  return true;
}

/// A second version of every function. A call through a pointer reaches the first, whose hooks then check,
/// too.
static DenseMap<const Function *, Function *> plainVersions(Emitter &E) {
  llvm::Module &M = E.module;
  DenseMap<const Function *, Function *> Plain;
  SmallVector<Function *, 16> Originals;
  for (Function &F : M)
    if ((!F.isDeclaration() && !isSilent(F)) || F.hasFnAttribute("warplint-elsewhere"))
      Originals.push_back(&F);
  for (Function *F : Originals) {
    ValueToValueMapTy Map;
    Function *Clone = F->isDeclaration() ? Function::Create(F->getFunctionType(), F->getLinkage(), "", M)
                                         : CloneFunction(F, Map);
    Clone->setName(F->getName() + ".plain");
    Plain[F] = Clone;
  }
  Function *Check = makeCheck(E);
  for (auto &[Original, Clone] : Plain)
    for (Instruction &I : make_early_inc_range(instructions(*Clone)))
      if (auto *C = dyn_cast<CallBase>(&I); C && !checkInstead(E, *C, Check))
        if (Function *Version = Plain.lookup(C->getCalledFunction()))
          C->setCalledFunction(Version);
  return Plain;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// void(void **arguments): one thread of the kernel.
static Function *entryOf(Emitter &E, Function &Kernel) {
  const DataLayout &Layout = E.module.getDataLayout();
  auto *Entry =
      Function::Create(FunctionType::get(Type::getVoidTy(E.module.getContext()), {E.pointer}, false),
                       GlobalValue::InternalLinkage, "warplint.entry." + Kernel.getName(), E.module);
  IRBuilder<> B(BasicBlock::Create(E.module.getContext(), "entry", Entry));
  SmallVector<Value *, 8> Arguments;
  for (Argument &A : Kernel.args()) {
    Value *From =
        B.CreateLoad(E.pointer, B.CreateConstInBoundsGEP1_64(E.pointer, Entry->getArg(0), A.getArgNo()));
    if (Type *Copied = A.getParamByValType()) {
      // A thread may change its copy.
      AllocaInst *Copy = B.CreateAlloca(Copied);
      Copy->setAlignment(A.getParamAlign().value_or(Layout.getABITypeAlign(Copied)));
      B.CreateMemCpy(Copy, Copy->getAlign(), From, Align(1), Layout.getTypeAllocSize(Copied).getFixedValue());
      Arguments.push_back(Copy);
    } else if (A.getType()->isIntegerTy(1)) {
      Arguments.push_back(B.CreateTrunc(B.CreateLoad(E.i8, From), E.i1));
    } else {
      Arguments.push_back(B.CreateAlignedLoad(A.getType(), From, Align(1)));
    }
  }
  B.CreateCall(&Kernel, Arguments);
  B.CreateRetVoid();
  return Entry;
}

/// The entries copy: within the kernel the parameter is an ordinary pointer.
static void dropByVal(Function &Kernel) {
  for (Argument &A : Kernel.args())
    A.removeAttr(Attribute::ByVal);
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static Constant *table(llvm::Module &M, StructType *Type, ArrayRef<Constant *> Rows, const Twine &Name) {
  ArrayType *Array = ArrayType::get(Type, Rows.size());
  return new GlobalVariable(M, Array, false, GlobalValue::InternalLinkage, ConstantArray::get(Array, Rows),
                            Name);
}

static Constant *genericAddress(Emitter &E, Constant *Address) {
  return Address->getType()->getPointerAddressSpace() ? ConstantExpr::getAddrSpaceCast(Address, E.pointer)
                                                      : Address;
}

static Constant *parameterTable(Emitter &E, const Function &Kernel) {
  const DataLayout &Layout = E.module.getDataLayout();
  StructType *Type = StructType::get(E.i32, E.i32);
  std::vector<Constant *> Rows;
  for (const Argument &A : Kernel.args()) {
    llvm::Type *Value = A.getParamByValType() ? A.getParamByValType() : A.getType();
    Rows.push_back(
        ConstantStruct::get(Type, {ConstantInt::get(E.i32, Layout.getTypeAllocSize(Value).getFixedValue()),
                                   ConstantInt::get(E.i32, Value->isPointerTy())}));
  }
  return table(E.module, Type, Rows, "warplint.parameters");
}

void warplint::replay::addTables(Emitter &E, ArrayRef<KernelNames> Kernels, ArrayRef<VariableNames> Variables,
                                 const DenseMap<const Function *, uint64_t> &StaticShared) {
  llvm::Module &M = E.module;
  auto Word = [&](uint64_t Value) { return ConstantInt::get(E.i32, Value); };
  auto Long = [&](uint64_t Value) { return ConstantInt::get(E.i64, Value); };
  const auto Plain = plainVersions(E);

  StructType *KernelType =
      StructType::get(E.pointer, E.pointer, E.pointer, E.i32, E.i32, E.pointer, E.i64, E.pointer, E.pointer);
  std::vector<Constant *> KernelRows;
  for (const KernelNames &K : Kernels) {
    Function &Recorded = *K.function, &Unrecorded = *Plain.lookup(K.function);
    Constant *Parameters = parameterTable(E, Recorded);
    Function *Entry = entryOf(E, Recorded), *PlainEntry = entryOf(E, Unrecorded);
    dropByVal(Recorded);
    dropByVal(Unrecorded);
    KernelRows.push_back(
        ConstantStruct::get(KernelType, {E.text(K.name), E.text(demangle(K.name)), E.text(K.place.file),
                                         Word(K.place.line), Word(Recorded.arg_size()), Parameters,
                                         Long(StaticShared.lookup(K.function)), Entry, PlainEntry}));
  }

  StructType *VariableType = StructType::get(E.pointer, E.pointer, E.i64, E.i32);
  std::vector<Constant *> VariableRows;
  for (const VariableNames &V : Variables)
    VariableRows.push_back(ConstantStruct::get(
        VariableType, {E.text(V.name), genericAddress(E, V.variable),
                       Long(M.getDataLayout().getTypeAllocSize(V.variable->getValueType()).getFixedValue()),
                       Word(V.variable->getAddressSpace())}));

  const uint64_t Sites = E.siteCount();
  StructType *ModuleType = StructType::get(E.pointer, E.pointer, E.i64, E.pointer, E.i64, E.pointer, E.i64);
  Constant *Description = ConstantStruct::get(
      ModuleType, {E.text(E.options.id), E.finishSites(), Long(Sites),
                   table(M, KernelType, KernelRows, "warplint.kernels"), Long(KernelRows.size()),
                   table(M, VariableType, VariableRows, "warplint.variables"), Long(VariableRows.size())});
  auto *Global =
      new GlobalVariable(M, ModuleType, true, GlobalValue::InternalLinkage, Description, "warplint.module");

  auto *Constructor = Function::Create(FunctionType::get(Type::getVoidTy(M.getContext()), false),
                                       GlobalValue::InternalLinkage, "warplint.register", M);
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "entry", Constructor));
  E.call(B, "warplintReplayRegister", B.getVoidTy(), {Global});
  B.CreateRetVoid();
  constexpr int BeforeHostRegistration = 200; // which has the default, 65535
  appendToGlobalCtors(M, Constructor, BeforeHostRegistration);
}
