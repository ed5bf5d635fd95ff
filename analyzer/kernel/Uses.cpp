#include "analyzer/kernel/Uses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include <optional>

using namespace llvm;
using namespace warplint;
using namespace warplint::kernel;

/// The same number, computed the same way: unoptimised code computes p + i anew for each access.
static bool sameValue(const Value *A, const Value *B, unsigned Depth = 0) {
  constexpr unsigned Deepest = 12;
  if (A == B)
    return true;
  const auto *X = dyn_cast<Instruction>(A), *Y = dyn_cast<Instruction>(B);
  if (!X || !Y || Depth > Deepest || isa<PHINode, AllocaInst>(X) || X->mayReadOrWriteMemory() ||
      !X->isSameOperationAs(Y))
    return false;
  return all_of(zip(X->operands(), Y->operands()),
                [&](auto Pair) { return sameValue(std::get<0>(Pair), std::get<1>(Pair), Depth + 1); });
}

static bool isLocal(const Value *Pointer) { return isa<AllocaInst>(getUnderlyingObject(Pointer)); }

/// p[i] = p[i], nothing written to memory in between.
static bool isWriteBack(const StoreInst &S) {
  const auto *L = dyn_cast<LoadInst>(S.getValueOperand());
  if (!L || !S.isSimple() || !L->isSimple() || L->getParent() != S.getParent() ||
      isLocal(S.getPointerOperand()) || !sameValue(L->getPointerOperand(), S.getPointerOperand()))
    return false;
  for (const Instruction *I = L->getNextNode(); I && I != &S; I = I->getNextNode())
    if (I->mayWriteToMemory()) {
      const auto *Other = dyn_cast<StoreInst>(I);
      if (!Other || !isLocal(Other->getPointerOperand()))
        return false;
    }
  return true;
}

/// The same of a structure: a local is filled from where it then goes, and nothing is written in between.
static bool isWriteBack(const MemTransferInst &Out) {
  const auto *Local = dyn_cast<AllocaInst>(Out.getRawSource());
  if (!Local || Out.isVolatile() || isLocal(Out.getRawDest()))
    return false;
  for (const Instruction *I = Out.getPrevNode(); I; I = I->getPrevNode())
    if (I->mayWriteToMemory()) {
      const auto *In = dyn_cast<MemTransferInst>(I);
      return In && !In->isVolatile() && In->getRawDest() == Local && In->getLength() == Out.getLength() &&
             sameValue(In->getRawSource(), Out.getRawDest());
    }
  return false;
}

/// Does the thread have the value already: from an earlier load or store of the same place on the only way
/// here, with no write in between? The compiler keeps it in a register.
static bool isReadAgain(const LoadInst &L) {
  if (!L.isSimple() || isLocal(L.getPointerOperand()))
    return false;
  constexpr unsigned Farthest = 256; // instructions
  const BasicBlock *B = L.getParent();
  const Instruction *I = L.getPrevNode();
  for (unsigned Steps = 0; Steps < Farthest; ++Steps) {
    while (!I) {
      B = B->getSinglePredecessor();
      if (!B || B == L.getParent())
        return false;
      I = &B->back();
    }
    const auto *Read = dyn_cast<LoadInst>(I);
    const auto *Written = dyn_cast<StoreInst>(I);
    const Type *T = Read ? Read->getType() : Written ? Written->getValueOperand()->getType() : nullptr;
    const bool Simple = Read ? Read->isSimple() : Written && Written->isSimple();
    if (Simple && T == L.getType() && sameValue(getLoadStorePointerOperand(I), L.getPointerOperand()))
      return true;
    const auto *Intrinsic = dyn_cast<IntrinsicInst>(I);
    if (I->mayWriteToMemory() && !(Written && isLocal(Written->getPointerOperand())) &&
        !(Intrinsic && Intrinsic->isAssumeLikeIntrinsic()))
      return false;
    I = I->getPrevNode();
  }
  return false;
}

namespace {

/// The parts of a local that live code reads.
class LocalReads {
public:
  LocalReads(const DataLayout &Layout, const DenseSet<const Instruction *> &Live)
      : Layout(Layout), Live(Live) {}

  /// Follows the uses of a pointer to byte `At` of the copy; false when one leaves sight.
  bool follow(const Value &Pointer, int64_t At) {
    for (const User *U : Pointer.users()) {
      if (auto *L = dyn_cast<LoadInst>(U)) {
        if (Live.contains(L) && !add(At, Layout.getTypeStoreSize(L->getType()).getFixedValue()))
          return false;
      } else if (auto *S = dyn_cast<StoreInst>(U)) {
        if (S->getValueOperand() == &Pointer)
          return false;
      } else if (auto *G = dyn_cast<GetElementPtrInst>(U)) {
        APInt Offset(64, 0);
        if (!G->accumulateConstantOffset(Layout, Offset) || !follow(*G, At + Offset.getSExtValue()))
          return false;
      } else if (isa<AddrSpaceCastInst, BitCastInst>(U)) {
        if (!follow(*U, At))
          return false;
      } else if (auto *M = dyn_cast<MemTransferInst>(U)) {
        if (M->getRawSource() == &Pointer && Live.contains(M) && !copyOut(*M, At))
          return false;
      } else if (auto *II = dyn_cast<IntrinsicInst>(U); !II || !II->isLifetimeStartOrEnd()) {
        return false;
      }
    }
    return true;
  }

  unsigned size = 0; ///< of the copy
  UsedParts parts;

private:
  const DataLayout &Layout;
  const DenseSet<const Instruction *> &Live;
  SmallPtrSet<const Value *, 4> Followed;

  bool add(int64_t At, uint64_t Size) {
    if (At >= int64_t(size) || At + int64_t(Size) <= 0)
      return true; // of something else in the same local
    if (At < 0 || At + int64_t(Size) > int64_t(size))
      return false;
    const std::pair<unsigned, unsigned> Part{unsigned(At), unsigned(Size)};
    if (!is_contained(parts, Part))
      parts.push_back(Part);
    return true;
  }
  /// The bytes go on into another local, or out into memory.
  bool copyOut(const MemTransferInst &M, int64_t At) {
    const auto *Length = dyn_cast<ConstantInt>(M.getLength());
    const auto *Target = dyn_cast<AllocaInst>(M.getRawDest());
    if (!Length)
      return false;
    if (!Target)
      return add(At, Length->getZExtValue());
    return !Followed.insert(Target).second || follow(*Target, At);
  }
};

} // namespace

Uses kernel::findUses(const Function &F, bool ReadAgain) {
  Uses Result;
  DenseSet<const Instruction *> Live;
  SmallVector<const Instruction *, 64> Work;
  for (const Instruction &I : instructions(F)) {
    const auto *S = dyn_cast<StoreInst>(&I);
    const auto *M = dyn_cast<MemTransferInst>(&I);
    if ((S && isWriteBack(*S)) || (M && isWriteBack(*M)))
      Result.dropped.insert(&I);
    else if (I.isTerminator() || I.mayHaveSideEffects())
      Work.push_back(&I);
  }
  while (!Work.empty()) {
    const Instruction *I = Work.pop_back_val();
    if (!Live.insert(I).second)
      continue;
    for (const Use &U : I->operands())
      if (const auto *Operand = dyn_cast<Instruction>(U))
        Work.push_back(Operand);
  }
  const DataLayout &Layout = F.getDataLayout();
  for (const Instruction &I : instructions(F)) {
    if (const auto *L = dyn_cast<LoadInst>(&I); L && (!Live.contains(L) || (ReadAgain && isReadAgain(*L))))
      Result.dropped.insert(L);
    const auto *M = dyn_cast<MemTransferInst>(&I);
    const auto *Target = M ? dyn_cast<AllocaInst>(M->getRawDest()) : nullptr;
    const auto *Length = M ? dyn_cast<ConstantInt>(M->getLength()) : nullptr;
    constexpr uint64_t Longest = 64;
    if (!Target || !Length || Length->getZExtValue() > Longest || M->isVolatile() ||
        isLocal(M->getRawSource()))
      continue;
    LocalReads Reads(Layout, Live);
    Reads.size = unsigned(Length->getZExtValue());
    if (Reads.follow(*Target, 0))
      Result.copies[M] = std::move(Reads.parts);
  }
  return Result;
}
