#include "tools/replay/device/Shared.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Support/MathExtras.h"
#include <cstddef>

using namespace llvm;
using namespace warplint::replay;

constexpr unsigned SharedSpace = 3;
/// As the analysis assumes it: a variable starts where the banks do.
constexpr uint64_t SharedAlignment = 128;

/// Functions that run when a kernel does. A call through a pointer may reach whatever has its address taken.
static SmallPtrSet<const Function *, 16> reachableFrom(const Function &Kernel) {
  SmallPtrSet<const Function *, 16> Seen;
  SmallVector<const Function *, 16> Work{&Kernel};
  auto Add = [&](const Function &F) {
    if (!F.isDeclaration() && Seen.insert(&F).second)
      Work.push_back(&F);
  };
  Seen.insert(&Kernel);
  bool Indirect = false;
  while (!Work.empty()) {
    const Function *F = Work.pop_back_val();
    for (const Instruction &I : instructions(*F))
      if (const auto *C = dyn_cast<CallBase>(&I)) {
        if (const auto *Callee = dyn_cast<Function>(C->getCalledOperand()->stripPointerCasts()))
          Add(*Callee);
        else if (!Indirect && !C->isInlineAsm()) {
          Indirect = true;
          for (const Function &Other : *Kernel.getParent())
            if (Other.hasAddressTaken())
              Add(Other);
        }
      }
  }
  return Seen;
}

DenseMap<const Function *, uint64_t> warplint::replay::layOutShared(Emitter &E,
                                                                    ArrayRef<Function *> Kernels) {
  llvm::Module &M = E.module;
  SmallVector<GlobalVariable *, 8> Variables;
  SmallVector<Constant *, 8> Constants;
  for (GlobalVariable &G : M.globals())
    if (G.getAddressSpace() == SharedSpace) {
      Variables.push_back(&G);
      Constants.push_back(&G);
    }
  convertUsersOfConstantsToInstructions(Constants);

  DenseMap<const Function *, uint64_t> Ends;
  DenseMap<const GlobalVariable *, SmallVector<const Function *, 4>> Users;
  for (const Function *Kernel : Kernels) {
    Ends[Kernel] = 0;
    const auto Reached = reachableFrom(*Kernel);
    for (const GlobalVariable *G : Variables)
      if (any_of(G->users(), [&](const User *U) {
            const auto *I = dyn_cast<Instruction>(U);
            return I && Reached.contains(I->getFunction());
          }))
        Users[G].push_back(Kernel);
  }
  // Those of several kernels first: they need one place that is free in each.
  SmallVector<GlobalVariable *, 8> Order(Variables);
  stable_sort(Order, [&](const GlobalVariable *A, const GlobalVariable *B) {
    return Users.lookup(A).size() > Users.lookup(B).size();
  });
  const DataLayout &Layout = M.getDataLayout();
  for (GlobalVariable *G : Order) {
    const uint64_t Size = Layout.getTypeAllocSize(G->getValueType()).getFixedValue();
    // `extern __shared__ float s[];` has no size of its own.
    const bool Dynamic = G->isDeclaration() || Size == 0;
    uint64_t Offset = 0;
    if (!Dynamic) {
      for (const Function *Kernel : Users[G])
        Offset = std::max(Offset, Ends[Kernel]);
      const uint64_t End = Offset + alignTo(Size, SharedAlignment);
      for (const Function *Kernel : Users[G])
        Ends[Kernel] = End;
    }
    SmallSetVector<Function *, 4> Functions;
    for (User *U : G->users())
      if (auto *I = dyn_cast<Instruction>(U))
        Functions.insert(I->getFunction());
    for (Function *F : Functions) {
      IRBuilder<> B(&*F->getEntryBlock().getFirstInsertionPt());
      Value *Base = E.field(B, offsetof(Thread, shared), E.pointer);
      Value *Distance =
          Dynamic ? E.field(B, offsetof(Thread, dynamicSharedOffset), E.i64) : B.getInt64(Offset);
      Value *Address =
          B.CreateAddrSpaceCast(B.CreateInBoundsGEP(E.i8, Base, Distance), G->getType(), G->getName());
      G->replaceUsesWithIf(Address, [&](Use &U) {
        const auto *I = dyn_cast<Instruction>(U.getUser());
        return I && I->getFunction() == F;
      });
    }
    if (G->use_empty())
      G->eraseFromParent();
  }
  return Ends;
}
