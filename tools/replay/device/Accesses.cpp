#include "tools/replay/device/Accesses.h"
#include "analyzer/kernel/VirtualCalls.h"
#include "tools/replay/device/Retarget.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <algorithm>
#include <cstddef>

using namespace llvm;
using namespace warplint;
using namespace warplint::replay;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

namespace {

/// Copies of more pieces than this are a loop of the compiled code: pieces are told to the runtime in a loop,
/// too.
constexpr uint64_t MostUnrolled = 256;

class Recording {
public:
  Recording(Emitter &E, Function &F, const kernel::Uses &Uses,
            const DenseSet<const AllocaInst *> &LocalArrays)
      : E(E), F(F), Uses(Uses), LocalArrays(LocalArrays), Layout(F.getDataLayout()) {}

  void run() {
    SmallVector<Instruction *, 64> Work;
    for (Instruction &I : instructions(F))
      if ((I.mayReadOrWriteMemory() || isa<CallBase>(I)) && !I.hasMetadata(Emitter::SilentNode))
        Work.push_back(&I);
    for (Instruction *I : Work)
      instruction(*I);
  }

private:
  Emitter &E;
  Function &F;
  const kernel::Uses &Uses;
  const DenseSet<const AllocaInst *> &LocalArrays;
  const DataLayout &Layout;

  /// Memory of the thread's own.
  static bool isPrivate(const Value *Pointer) {
    const Value *Object = getUnderlyingObject(Pointer, 0);
    const auto *A = dyn_cast<Argument>(Object);
    return isa<AllocaInst>(Object) || (A && A->hasByValAttr());
  }

  /// Memory of the thread's own that the GPU has in registers.
  bool isRegister(const Value *Pointer) const {
    const auto *Array = dyn_cast<AllocaInst>(getUnderlyingObject(Pointer, 0));
    return isPrivate(Pointer) && !(Array && LocalArrays.contains(Array));
  }

  unsigned alignmentOf(const Instruction &I) const {
    return E.options.typeAlignment ? E.options.typeAlignment(I) : 0;
  }

  /// One request per lane.
  void record(IRBuilder<> &B, const Instruction &I, Value *Pointer, SiteOperation Operation,
              SiteMechanism Mechanism, unsigned Width, bool Volatile) {
    Constant *Site = E.site(E.placeOf(DebugLoc(kernel::locationOf(I))), Operation, Mechanism, Width, Volatile,
                            !isPrivate(Pointer));
    E.call(B, "warplintReplayAccess", B.getVoidTy(), {Site, E.key(B), generic(B, Pointer)});
  }

  Value *generic(IRBuilder<> &B, Value *Pointer) {
    return Pointer->getType()->getPointerAddressSpace() ? B.CreateAddrSpaceCast(Pointer, E.pointer) : Pointer;
  }

  Value *at(IRBuilder<> &B, Value *Pointer, uint64_t Offset) {
    return Offset ? B.CreateConstGEP1_64(E.i8, Pointer, Offset) : Pointer;
  }

  static SiteMechanism mechanismOf(const Instruction &I, SiteMechanism Otherwise) {
    const MDNode *Node = I.getMetadata(Emitter::MechanismNode);
    return Node ? SiteMechanism(mdconst::extract<ConstantInt>(Node->getOperand(0))->getZExtValue())
                : Otherwise;
  }

  void instruction(Instruction &I) {
    if (auto *L = dyn_cast<LoadInst>(&I))
      return plain(I, L->getPointerOperand(), L->getType(), L->getAlign(), SiteOperation::Load,
                   isSpinning(*L));
    if (auto *S = dyn_cast<StoreInst>(&I))
      return plain(I, S->getPointerOperand(), S->getValueOperand()->getType(), S->getAlign(),
                   SiteOperation::Store, S->isVolatile() || S->isAtomic());
    if (auto *A = dyn_cast<AtomicRMWInst>(&I)) {
      if (isPrivate(A->getPointerOperand()))
        return;
      atomic(I, A->getPointerOperand(), A->getType());
      IRBuilder<> B(A->getNextNode());
      B.SetCurrentDebugLocation(I.getDebugLoc());
      // What changed nothing may be a thread that waits: a lock that is taken, a flag that is read by adding
      // zero.
      return after(B, A->getPointerOperand(), isUnchanged(B, *A));
    }
    if (auto *X = dyn_cast<AtomicCmpXchgInst>(&I)) {
      if (isPrivate(X->getPointerOperand()))
        return;
      atomic(I, X->getPointerOperand(), X->getNewValOperand()->getType());
      IRBuilder<> B(X->getNextNode());
      B.SetCurrentDebugLocation(I.getDebugLoc());
      return after(B, X->getPointerOperand(), B.CreateNot(B.CreateExtractValue(X, 1)));
    }
    if (auto *M = dyn_cast<MemTransferInst>(&I))
      return copy(*M);
    if (auto *M = dyn_cast<MemSetInst>(&I))
      return fill(*M);
  }

  static bool isSpinning(const LoadInst &L) { return L.isVolatile() || L.isAtomic(); }

  Value *isUnchanged(IRBuilder<> &B, AtomicRMWInst &A) {
    Value *Operand = A.getValOperand();
    Type *Bits = B.getIntNTy(unsigned(Layout.getTypeSizeInBits(A.getType()).getFixedValue()));
    auto AsBits = [&](Value *V) {
      return V->getType()->isPointerTy() ? B.CreatePtrToInt(V, Bits) : B.CreateBitCast(V, Bits);
    };
    if (A.getOperation() == AtomicRMWInst::Xchg)
      return B.CreateICmpEQ(AsBits(&A), AsBits(Operand));
    if (A.getOperation() == AtomicRMWInst::Add || A.getOperation() == AtomicRMWInst::Or)
      return B.CreateICmpEQ(AsBits(Operand), Constant::getNullValue(Bits));
    return B.getFalse();
  }

  void after(IRBuilder<> &B, Value *Pointer, Value *Failed) {
    E.call(B, "warplintReplayAtomic", B.getVoidTy(), {generic(B, Pointer), B.CreateZExt(Failed, E.i32)});
  }

  void atomic(Instruction &I, Value *Pointer, Type *T) {
    IRBuilder<> B(&I);
    record(B, I, Pointer, SiteOperation::Atomic, SiteMechanism::Plain,
           unsigned(Layout.getTypeStoreSize(T).getFixedValue()), false);
  }

  /// Scalars of an aggregate each by themselves; what is not aligned in pieces.
  void plain(Instruction &I, Value *Pointer, Type *T, Align Alignment, SiteOperation Operation,
             bool Volatile) {
    if (isRegister(Pointer))
      return;
    IRBuilder<> B(&I);
    if (Volatile)
      E.call(B, "warplintReplayVolatile", B.getVoidTy(), {generic(B, Pointer), E.key(B)});
    if (Uses.dropped.contains(&I))
      return;
    scalars(B, I, Pointer, T, 0, Alignment, Operation, Volatile);
  }

  void scalars(IRBuilder<> &B, Instruction &I, Value *Pointer, Type *T, uint64_t Base, Align Alignment,
               SiteOperation Operation, bool Volatile) {
    if (auto *S = dyn_cast<StructType>(T)) {
      const StructLayout *L = Layout.getStructLayout(S);
      for (unsigned Field = 0; Field < S->getNumElements(); ++Field)
        scalars(B, I, Pointer, S->getElementType(Field), Base + L->getElementOffset(Field).getFixedValue(),
                Alignment, Operation, Volatile);
      return;
    }
    if (auto *A = dyn_cast<ArrayType>(T)) {
      const uint64_t Stride = Layout.getTypeAllocSize(A->getElementType()).getFixedValue();
      for (uint64_t Element = 0; Element < A->getNumElements(); ++Element)
        scalars(B, I, Pointer, A->getElementType(), Base + Element * Stride, Alignment, Operation, Volatile);
      return;
    }
    const unsigned Size = unsigned(Layout.getTypeStoreSize(T).getFixedValue());
    unsigned Piece = Size;
    if (!Base && Alignment.value() < Size) {
      unsigned Promised = alignmentOf(I);
      if (!Promised && !E.options.typeAlignment)
        Promised = unsigned(Alignment.value());
      if (Promised && Size % Promised == 0)
        Piece = std::min(Size, Promised);
    }
    for (unsigned Done = 0; Done < Size; Done += Piece)
      record(B, I, at(B, Pointer, Base + Done), Operation, mechanismOf(I, SiteMechanism::Plain), Piece,
             Volatile);
  }

  //--- Copies ---------------------------------------------------------------------
  unsigned pieceOf(const MemTransferInst &M) const {
    unsigned Alignment = alignmentOf(M);
    if (!Alignment) {
      Alignment =
          unsigned(std::max(M.getDestAlign().valueOrOne().value(), M.getSourceAlign().valueOrOne().value()));
      if (const auto *To = dyn_cast<AllocaInst>(M.getRawDest()->stripPointerCasts()))
        Alignment = unsigned(To->getAlign().value());
      else if (const auto *From = dyn_cast<AllocaInst>(M.getRawSource()->stripPointerCasts()))
        Alignment = unsigned(From->getAlign().value());
    }
    return std::clamp(Alignment, 1u, 16u);
  }

  void copy(MemTransferInst &M) {
    const unsigned Piece = pieceOf(M);
    const SiteMechanism How = mechanismOf(M, SiteMechanism::Memcpy);
    const bool ToPrivate = isPrivate(M.getRawDest());
    const auto *Source = dyn_cast<GlobalVariable>(getUnderlyingObject(M.getRawSource()));
    // What a local variable starts with is written into the code: the compiler's own constant is never read.
    const bool Initializer = Source && Source->hasPrivateLinkage() && ToPrivate;
    if (!isPrivate(M.getRawSource()) && !Initializer)
      side(M, M.getRawSource(), Piece, SiteOperation::Load, How);
    if (!ToPrivate && !Uses.dropped.contains(&M))
      side(M, M.getRawDest(), Piece, SiteOperation::Store, How);
  }

  void fill(MemSetInst &M) {
    if (isPrivate(M.getRawDest()))
      return;
    unsigned Alignment = alignmentOf(M);
    if (!Alignment)
      Alignment = unsigned(M.getDestAlign().valueOrOne().value());
    side(M, M.getRawDest(), std::clamp(Alignment, 1u, 16u), SiteOperation::Store, SiteMechanism::Memcpy);
  }

  void side(MemIntrinsic &M, Value *Pointer, unsigned Piece, SiteOperation Operation, SiteMechanism How) {
    IRBuilder<> B(&M);
    const auto *Length = dyn_cast<ConstantInt>(M.getLength());
    if (!Length || Length->getZExtValue() > MostUnrolled * Piece)
      return loop(M, Pointer, Piece, Operation, How);
    const uint64_t Size = Length->getZExtValue();
    const auto Used = Uses.copies.find(&M);
    for (uint64_t Done = 0; Done < Size; Done += Piece) {
      uint64_t Start = Done, Width = std::min<uint64_t>(Piece, Size - Done);
      if (Operation == SiteOperation::Load && Used != Uses.copies.end()) {
        SmallVector<std::pair<unsigned, unsigned>, 4> Here;
        copy_if(Used->second, std::back_inserter(Here), [&](auto Part) {
          return Part.first < Start + Width && Start < Part.first + uint64_t(Part.second);
        });
        if (Here.empty())
          continue;
        if (Here.size() == 1 && Here[0].first >= Start && Here[0].first + Here[0].second <= Start + Width)
          Start = Here[0].first, Width = Here[0].second; // one component alone is read alone
      }
      record(B, M, at(B, Pointer, Start), Operation, How, unsigned(Width), M.isVolatile());
    }
  }

  /// Piece by piece as the program counts them; the last, shorter one in bytes.
  void loop(MemIntrinsic &M, Value *Pointer, unsigned Piece, SiteOperation Operation, SiteMechanism How) {
    IRBuilder<> B(&M);
    Value *Length = B.CreateZExtOrTrunc(M.getLength(), E.i64);
    Value *Whole = B.CreateAnd(Length, ~uint64_t(Piece - 1));
    if (Piece & (Piece - 1))
      Whole = B.CreateSub(Length, B.CreateURem(Length, B.getInt64(Piece)));
    countedLoop(M, Pointer, B.getInt64(0), Whole, Piece, Operation, How);
    if (Piece > 1)
      countedLoop(M, Pointer, Whole, Length, 1, Operation, How);
  }

  void countedLoop(MemIntrinsic &M, Value *Pointer, Value *From, Value *To, unsigned Step,
                   SiteOperation Operation, SiteMechanism How) {
    BasicBlock *Before = M.getParent(), *After = SplitBlock(Before, &M);
    BasicBlock *Head = BasicBlock::Create(F.getContext(), "warplint.copy", &F, After);
    BasicBlock *Body = BasicBlock::Create(F.getContext(), "warplint.piece", &F, After);
    Before->getTerminator()->setSuccessor(0, Head);
    IRBuilder<> B(Head);
    B.SetCurrentDebugLocation(M.getDebugLoc());
    PHINode *Done = B.CreatePHI(E.i64, 2);
    B.CreateCondBr(B.CreateICmpULT(Done, To), Body, After);
    B.SetInsertPoint(Body);
    record(B, M, B.CreateGEP(E.i8, Pointer, Done), Operation, How, Step, M.isVolatile());
    Value *Next = B.CreateAdd(Done, B.getInt64(Step));
    B.CreateBr(Head);
    Done->addIncoming(From, Before);
    Done->addIncoming(Next, Body);
  }
};

} // namespace

void warplint::replay::recordAccesses(Emitter &E, Function &F, const kernel::Uses &Uses,
                                      const DenseSet<const AllocaInst *> &LocalArrays) {
  Recording(E, F, Uses, LocalArrays).run();
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// Scatters the bits (the finaliser of SplitMix64).
static uint64_t scatter(uint64_t X) {
  X = (X ^ (X >> 30)) * 0xbf58476d1ce4e5b9ull;
  X = (X ^ (X >> 27)) * 0x94d049bb133111ebull;
  return X ^ (X >> 31);
}

namespace {

/// The sum over the loops around a block of iteration times a constant of the loop, on top of the function's
/// context.
class LoopVector {
public:
  LoopVector(Emitter &E, Function &F) : E(E), Tree(F), Loops(Tree), Seed(xxh3_64bits(F.getName())) {
    IRBuilder<> B(&*F.getEntryBlock().getFirstInsertionPt());
    Context = E.field(B, offsetof(Thread, context), E.i64);
    for (Loop *L : Loops.getLoopsInPreorder())
      count(*L);
  }

  /// A number for the next place of the function.
  uint64_t number() { return scatter(Seed + ++Numbers * 0x9e3779b97f4a7c15ull); }

  Value *of(const BasicBlock *Block) const {
    const Loop *L = Loops.getLoopFor(Block);
    return L ? Counters.lookup(L) : Context;
  }

private:
  Emitter &E;
  DominatorTree Tree;
  LoopInfo Loops;
  uint64_t Seed, Numbers = 0;
  Value *Context;
  DenseMap<const Loop *, Value *> Counters;

  void count(Loop &L) {
    BasicBlock *Header = L.getHeader();
    Value *Outer = L.getParentLoop() ? Counters.lookup(L.getParentLoop()) : Context;
    IRBuilder<> B(Header, Header->begin());
    PHINode *Counter = B.CreatePHI(E.i64, unsigned(pred_size(Header)), "warplint.iteration");
    B.SetInsertPoint(Header, Header->getFirstInsertionPt());
    Value *Next = B.CreateAdd(Counter, ConstantInt::get(E.i64, number() | 1));
    for (BasicBlock *From : predecessors(Header))
      Counter->addIncoming(L.contains(From) ? Next : Outer, From);
    Counters[&L] = Counter;
  }
};

} // namespace

/// Calls of code that has keys of its own.
static bool isContextual(const CallBase &C) {
  if (C.isInlineAsm())
    return false;
  const auto *Callee = dyn_cast<Function>(C.getCalledOperand()->stripPointerCasts());
  return !Callee || (!Callee->isDeclaration() && !Callee->isIntrinsic() && !isSilent(*Callee)) ||
         Callee->hasFnAttribute("warplint-elsewhere");
}

void warplint::replay::fillKeys(Emitter &E, Function &F) {
  SmallVector<CallBase *, 32> Keys, Calls;
  for (Instruction &I : instructions(F))
    if (auto *C = dyn_cast<CallBase>(&I)) {
      const Function *Callee = C->getCalledFunction();
      if (Callee && Callee->getName() == Emitter::KeyName)
        Keys.push_back(C);
      else if (isContextual(*C))
        Calls.push_back(C);
    }
  if (Keys.empty() && Calls.empty())
    return;
  LoopVector Vector(E, F);
  for (CallBase *K : Keys) {
    IRBuilder<> B(K);
    K->replaceAllUsesWith(B.CreateAdd(Vector.of(K->getParent()), B.getInt64(Vector.number())));
    K->eraseFromParent();
  }
  for (CallBase *C : Calls) {
    IRBuilder<> B(C);
    // Not a sum: that of a call and a place within it could be another call's.
    Value *Sum = B.CreateAdd(Vector.of(C->getParent()), B.getInt64(Vector.number()));
    Value *Mixed = B.CreateMul(B.CreateXor(Sum, B.CreateLShr(Sum, 29)), B.getInt64(0xbf58476d1ce4e5b9ull));
    Mixed = B.CreateXor(Mixed, B.CreateLShr(Mixed, 32));
    B.CreateStore(Mixed, B.CreateConstInBoundsGEP1_64(E.i8, E.thread(B), offsetof(Thread, context)));
  }
}
