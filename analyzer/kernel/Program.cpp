#include "analyzer/kernel/Program.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include <functional>

using namespace llvm;
using namespace warplint::kernel;

static void promoteScalars(Function &F, DominatorTree &Tree) {
  SmallVector<AllocaInst *> Scalars;
  for (Instruction &I : F.getEntryBlock())
    if (auto *A = dyn_cast<AllocaInst>(&I); A && isAllocaPromotable(A))
      Scalars.push_back(A);
  PromoteMemToReg(Scalars, Tree);
}

/// Blocks in topological order of the loop-collapsed graph: every loop is one stretch, and a loop's blocks
/// come before its exits.
static std::vector<const BasicBlock *> executionOrder(const Function &F, const llvm::LoopInfo &Loops) {
  std::vector<const BasicBlock *> Order;
  // Orders the blocks of one region (a loop, or the function when L is null), nested loops as single units.
  std::function<void(const Loop *, const BasicBlock *)> Region = [&](const Loop *L, const BasicBlock *Entry) {
    auto UnitOf = [&](const BasicBlock *B) -> const Loop * { // the child loop of L that holds B, or null
      const Loop *Inner = Loops.getLoopFor(B);
      while (Inner && Inner->getParentLoop() != L)
        Inner = Inner->getParentLoop();
      return Inner;
    };
    std::vector<const BasicBlock *> PostOrder; // a unit by its header
    SmallPtrSet<const BasicBlock *, 16> Seen;
    struct Visit {
      const BasicBlock *head;
      std::vector<const BasicBlock *> successors;
      size_t next = 0;
    };
    std::vector<Visit> Stack;
    auto Push = [&](const BasicBlock *Head) {
      Visit V{Head, {}, 0};
      auto AddSuccessors = [&](const BasicBlock *B, const Loop *Unit) {
        for (const BasicBlock *S : successors(B)) {
          if ((Unit && Unit->contains(S)) || (L && (!L->contains(S) || S == L->getHeader())))
            continue;
          const Loop *Target = UnitOf(S);
          V.successors.push_back(Target ? Target->getHeader() : S);
        }
      };
      if (const Loop *Unit = UnitOf(Head))
        for (const BasicBlock *B : Unit->blocks())
          AddSuccessors(B, Unit);
      else
        AddSuccessors(Head, nullptr);
      Stack.push_back(std::move(V));
    };
    Seen.insert(Entry);
    Push(Entry);
    while (!Stack.empty()) {
      Visit &V = Stack.back();
      if (V.next < V.successors.size()) {
        const BasicBlock *S = V.successors[V.next++];
        if (Seen.insert(S).second)
          Push(S);
        continue;
      }
      PostOrder.push_back(V.head);
      Stack.pop_back();
    }
    for (auto It = PostOrder.rbegin(); It != PostOrder.rend(); ++It) {
      if (const Loop *Unit = UnitOf(*It))
        Region(Unit, *It);
      else
        Order.push_back(*It);
    }
  };
  Region(nullptr, &F.getEntryBlock());
  return Order;
}

/// The pointer that an integer handed to inline assembly was made of, or the value itself.
static const Value *withoutCasts(const Value *V) {
  while (auto *C = dyn_cast<CastInst>(V))
    V = C->getOperand(0);
  return V;
}

/// Calls F with each pointer through which the instruction may write, the bytes from there on (0: any), and
/// whether it is handed to a call.
static void forWrittenPointers(const Instruction &I, function_ref<void(const Value &, uint64_t, bool)> F) {
  const DataLayout &Layout = I.getDataLayout();
  if (auto *S = dyn_cast<StoreInst>(&I))
    return F(*S->getPointerOperand(),
             Layout.getTypeStoreSize(S->getValueOperand()->getType()).getFixedValue(), false);
  if (auto *X = dyn_cast<AtomicRMWInst>(&I))
    return F(*X->getPointerOperand(), Layout.getTypeStoreSize(X->getType()).getFixedValue(), false);
  if (auto *X = dyn_cast<AtomicCmpXchgInst>(&I))
    return F(*X->getPointerOperand(),
             Layout.getTypeStoreSize(X->getNewValOperand()->getType()).getFixedValue(), false);
  if (auto *M = dyn_cast<MemIntrinsic>(&I)) {
    auto *Length = dyn_cast<ConstantInt>(M->getLength());
    return F(*M->getRawDest(), Length ? Length->getZExtValue() : 0, false);
  }
  if (auto *Call = dyn_cast<CallBase>(&I))
    for (const Use &Argument : Call->args())
      F(Call->isInlineAsm() ? *withoutCasts(Argument) : *Argument, 0, true);
}

/// By branch: the locals whose contents it decides on. A pointer that is computed once, before the branch, is
/// what it is in the branch; of any other nothing is known there.
static void findControlledWrites(FunctionInfo &Info) {
  auto IsFixed = [&](const Value &V, unsigned Branch) {
    auto *I = dyn_cast<Instruction>(&V);
    if (!I)
      return true;
    const unsigned At = Info.number.lookup(I->getParent());
    return At <= Branch && Info.blocks[At].loop < 0;
  };
  const DataLayout &Layout = Info.function->getDataLayout();
  for (const Block &B : Info.blocks) {
    if (B.controllers.empty())
      continue;
    for (const Instruction &I : *B.block) {
      if (!I.mayWriteToMemory())
        continue;
      forWrittenPointers(I, [&](const Value &Operand, uint64_t Size, bool HandedOn) {
        if (!Operand.getType()->isPointerTy()) {
          if (Operand.getType()->isAggregateType())
            for (unsigned C : B.controllers)
              Info.blocks[C].writesAnywhere = true;
          return;
        }
        const Value *Object = getUnderlyingObject(&Operand, /*MaxLookup=*/0);
        if (isa<Constant>(Object))
          return;
        APInt Offset(Layout.getIndexTypeSizeInBits(Operand.getType()), 0);
        ControlledWrite W{Object, 0, 0};
        if (Operand.stripAndAccumulateConstantOffsets(Layout, Offset, /*AllowNonInbounds=*/true) == Object)
          W.offset = Offset.getSExtValue(), W.size = Size;
        for (unsigned C : B.controllers) {
          Block &Branch = Info.blocks[C];
          if (!IsFixed(*Object, C)) {
            Branch.writesAnywhere = true;
          } else if (HandedOn) {
            if (!is_contained(Branch.handedOn, Object))
              Branch.handedOn.push_back(Object);
          } else if (!is_contained(Branch.writes, W)) {
            Branch.writes.push_back(W);
          }
        }
      });
    }
  }
}

const FunctionInfo &Program::prepare(Function &F) {
  std::unique_ptr<FunctionInfo> &Entry = Known[&F];
  if (Entry)
    return *Entry;
  Entry = std::make_unique<FunctionInfo>();
  FunctionInfo &Info = *Entry;
  Info.function = &F;
  removeUnreachableBlocks(F);
  DominatorTree Tree(F);
  promoteScalars(F, Tree);
  llvm::LoopInfo Loops(Tree);
  PostDominatorTree PostTree(F);

  Info.uses = findUses(F);
  for (const BasicBlock *B : executionOrder(F, Loops)) {
    Info.number[B] = unsigned(Info.blocks.size());
    Info.blocks.emplace_back().block = B;
  }

  for (const Argument &A : F.args())
    Info.slot[&A] = Info.slots++;
  for (const Block &B : Info.blocks)
    for (const PHINode &Phi : B.block->phis())
      Info.slot[&Phi] = Info.slots++;
  Info.phiSlots = Info.slots;
  for (const Block &B : Info.blocks)
    for (const Instruction &I : *B.block)
      if (!isa<PHINode>(I) && !I.getType()->isVoidTy())
        Info.slot[&I] = Info.slots++;
  Info.liveOut.assign(Info.slots, false);

  DenseMap<const Loop *, int> LoopNumber;
  for (const Loop *L : Loops.getLoopsInPreorder()) {
    LoopNumber[L] = int(Info.loops.size());
    warplint::kernel::LoopInfo LI;
    LI.parent = L->getParentLoop() ? LoopNumber[L->getParentLoop()] : -1;
    LI.header = Info.number[L->getHeader()];
    LI.location = L->getStartLoc();
    LI.unrolled = hasUnrollTransformation(L) & TM_ForcedByUser;
    LI.blocks.resize(unsigned(Info.blocks.size()));
    for (const BasicBlock *B : L->blocks())
      LI.blocks.set(Info.number[B]);
    Info.loops.push_back(std::move(LI));
  }
  for (auto [I, B] : enumerate(Info.blocks)) {
    if (const Loop *L = Loops.getLoopFor(B.block)) {
      B.loop = LoopNumber[L];
      B.loopHeader = L->getHeader() == B.block;
    }
    for (const BasicBlock *S : successors(B.block))
      B.successors.push_back(Info.number[S]);
  }
  for (const Block &B : Info.blocks)
    for (const Instruction &I : *B.block)
      for (const User *U : I.users()) {
        auto *UseInst = dyn_cast<Instruction>(U);
        if (!UseInst || I.getType()->isVoidTy())
          continue;
        unsigned UseBlock = Info.number.lookup(UseInst->getParent());
        for (int L = B.loop; L >= 0; L = Info.loops[unsigned(L)].parent)
          if (!Info.loops[unsigned(L)].blocks.test(UseBlock)) {
            unsigned Slot = Info.slot[&I];
            Info.liveOut[Slot] = true;
            if (!is_contained(Info.loops[unsigned(L)].liveOut, Slot))
              Info.loops[unsigned(L)].liveOut.push_back(Slot);
          }
      }

  // Control dependence (Ferrante, Ottenstein, Warren): B depends on A when A has a successor from which B is
  // inevitable, and B does not post-dominate A. Then its transitive closure.
  std::vector<BitVector> Depends(Info.blocks.size(), BitVector(unsigned(Info.blocks.size())));
  for (auto [A, B] : enumerate(Info.blocks)) {
    if (B.successors.size() < 2)
      continue;
    auto *Stop = PostTree.getNode(B.block) ? PostTree.getNode(B.block)->getIDom() : nullptr;
    for (auto [Side, S] : enumerate(B.successors))
      for (auto *N = PostTree.getNode(Info.blocks[S].block); N && N != Stop; N = N->getIDom()) {
        if (!N->getBlock())
          continue;
        const unsigned Dependent = Info.number.lookup(N->getBlock());
        Depends[Dependent].set(unsigned(A));
        Info.blocks[Dependent].conditions = hash_combine(Info.blocks[Dependent].conditions, A, Side);
      }
  }
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (BitVector &Set : Depends) {
      BitVector Before = Set;
      for (unsigned A : Before.set_bits())
        Set |= Depends[A];
      Changed |= Set != Before;
    }
  }
  for (auto [I, B] : enumerate(Info.blocks))
    for (unsigned A : Depends[I].set_bits())
      B.controllers.push_back(A);
  for (LoopInfo &L : Info.loops)
    for (unsigned B : L.blocks.set_bits())
      if (is_contained(Info.blocks[B].successors, L.header))
        ++L.latches;
  findControlledWrites(Info);
  return Info;
}

void warplint::kernel::exposeBuiltinVariables(Module &M) {
  for (Function &Getter : M) {
    if (Getter.isDeclaration() || !Getter.getName().contains("__fetch_builtin_"))
      continue;
    Function *Register = nullptr;
    for (const Instruction &I : Getter.getEntryBlock())
      if (auto *C = dyn_cast<CallBase>(&I);
          C && C->getCalledFunction() && C->getCalledFunction()->isIntrinsic() &&
          C->getCalledFunction()->getName().starts_with("llvm.nvvm.read.ptx.sreg."))
        Register = C->getCalledFunction();
    if (!Register || Register->getReturnType() != Getter.getReturnType())
      continue;
    for (User *U : make_early_inc_range(Getter.users())) {
      auto *Read = dyn_cast<CallInst>(U);
      if (!Read || Read->getCalledFunction() != &Getter)
        continue;
      CallInst *Direct = CallInst::Create(Register, {}, "", Read->getIterator());
      Direct->setDebugLoc(Read->getDebugLoc());
      Direct->takeName(Read);
      Read->replaceAllUsesWith(Direct);
      Read->eraseFromParent();
    }
  }
}
