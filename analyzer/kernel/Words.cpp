//===-- Words.cpp - Index expressions for people --------------------------------===//
//
// The machine's numbers need no formula. For what users read, and to name what an assumption is about, the
// same offset is written as an index expression, from the SSA graph, on demand. Loop variables stay symbols,
// so one expression serves all iterations. The expression is then evaluated and compared with the lanes: two
// roads to the same numbers.
//
//===----------------------------------------------------------------------===//

#include "analyzer/kernel/Machine.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::kernel;
using index::AtomSort;
using index::Expr;
using index::Op;

/// Addresses are taken not to wrap, so words need no width: all operations are written as 32-bit ones, the
/// ones that print without a mark, and agrees() drops what that makes wrong.
static constexpr unsigned Bits = 32;

std::optional<unsigned> kernel::axisOf(StringRef Name, StringRef Prefix) {
  if (!Name.consume_front(Prefix) || Name.size() != 1 || Name[0] < 'x' || Name[0] > 'z')
    return std::nullopt;
  return unsigned(Name[0] - 'x');
}

const std::string &Machine::nameOfValue(const llvm::Value &V) {
  auto [It, New] = ValueNames.try_emplace(&V);
  if (!New)
    return It->second;
  SmallVector<DbgVariableRecord *, 4> Found;
  findDbgValues(const_cast<llvm::Value *>(&V), Found);
  for (DbgVariableRecord *R : Found)
    if (R->getVariable() && !R->getVariable()->getName().empty())
      return It->second = R->getVariable()->getName().str();
  StringRef Name = V.getName();
  return It->second = Name.substr(0, Name.find('.')).str();
}

Expr Machine::threadWords(unsigned Axis) {
  unsigned Extent = TheSetting.block[Axis];
  if (Extent == 1)
    return W.context.constant(0);
  return W.context.atom(std::string("threadIdx.") + "xyz" [Axis], AtomSort::LaneVarying,
                        { 0, int64_t(Extent) - 1, 1 });
}

Expr Machine::uniformWords(const WarpValue &V) {
  if (!V.uniform || V.unknown || V.object)
    return {};
  if (V.shift)
    for (Dimension D : {WarpX, WarpY, WarpZ})
      for (const index::Term &T : W.context.terms(V.shift))
        for (Expr Factor : T.factors)
          if (W.dimensionOf(Factor.key()) == D)
            return {};
  return W.polynomial(V);
}

Expr Machine::atomFor(Frame &F, const std::string &Name, unsigned Slot) {
  const WarpValue &V = F.slots[Slot];
  if (Name.empty() || (V.unknown & F.mask))
    return {};
  bool Uniform = W.isUniform(V, F.mask);
  F.atoms.push_back({Name, Slot});
  return W.context.atom(Name, Uniform ? AtomSort::Uniform : AtomSort::LaneVarying);
}

/// An atom that moves with a loop.
void Machine::noteLoopAtom(Frame &F, int Loop, const std::string &Name, std::optional<int64_t> Step) {
  if (const int Id = F.loopIds[unsigned(Loop)]; Id >= 0)
    Records.loops[unsigned(Id)].atoms.try_emplace(Name, Step);
}

Expr Machine::phiWords(Frame &F, const PHINode &Phi) {
  unsigned Slot = F.info->slot.lookup(&Phi);
  const WarpValue &V = F.slots[Slot];
  unsigned Number = F.info->number.lookup(Phi.getParent());
  const Block &B = F.info->blocks[Number];
  std::string Name = nameOfValue(Phi);
  if (B.loopHeader) {
    const LoopInfo &L = F.info->loops[unsigned(B.loop)];
    const llvm::Value *Init = nullptr, *Next = nullptr;
    for (unsigned I = 0; I < Phi.getNumIncomingValues(); ++I)
      (L.blocks.test(F.info->number.lookup(Phi.getIncomingBlock(I))) ? Next : Init) = Phi.getIncomingValue(I);
    bool Integer = Phi.getType()->isIntegerTy();
    if (Integer && W.isUniform(V, F.mask)) {
      const auto *Sum = dyn_cast_or_null<BinaryOperator>(Next);
      const auto *By = Sum ? dyn_cast<ConstantInt>(Sum->getOperand(1)) : nullptr;
      const bool Steps = By && Sum->getOperand(0) == &Phi &&
                         (Sum->getOpcode() == Instruction::Add || Sum->getOpcode() == Instruction::Sub);
      noteLoopAtom(F, B.loop, Name, Steps ? std::optional(By->getSExtValue()) : std::nullopt);
      return atomFor(F, Name, Slot);
    }
    // init + step * iteration, where the step does not change in the loop.
    Expr Step;
    std::function<bool(const llvm::Value *)> Invariant = [&](const llvm::Value *X) {
      auto *I = dyn_cast<Instruction>(X);
      if (!I || !L.blocks.test(F.info->number.lookup(I->getParent())))
        return true;
      if (isa<PHINode>(I) || I->mayReadOrWriteMemory())
        return false;
      return all_of(I->operands(), [&](const Use &U) { return Invariant(U); });
    };
    if (auto *Add = dyn_cast_or_null<BinaryOperator>(Next)) {
      bool Sub = Add->getOpcode() == Instruction::Sub;
      if (Add->getOpcode() == Instruction::Add || Sub)
        for (unsigned I : {0u, 1u})
          if (Add->getOperand(I) == &Phi && Invariant(Add->getOperand(1 - I)) && (!Sub || I == 0)) {
            Step = wordsOf(F, Add->getOperand(1 - I));
            if (Sub && Step)
              Step = W.context.neg(Step);
          }
    } else if (auto *G = dyn_cast_or_null<GEPOperator>(Next)) {
      if (G->getPointerOperand() == &Phi) {
        bool AllInvariant = true;
        for (const Use &U : G->indices())
          AllInvariant &= Invariant(U);
        APInt Constant(64, 0);
        SmallMapVector<llvm::Value *, APInt, 4> Variable;
        if (AllInvariant && G->collectOffset(Layout, 64, Variable, Constant)) {
          Step = W.context.constant(Constant.getSExtValue());
          for (auto &[Index, Scale] : Variable)
            Step = W.context.add(Step, W.context.scale(wordsOf(F, Index), Scale.getSExtValue()));
        }
      }
    }
    if (Step && Init) {
      Expr Start = wordsOf(F, Init);
      if (Start) {
        std::string Counter = (Name.empty() ? std::string("loop") : Name) + ".iteration";
        F.atoms.push_back({Counter, ~unsigned(B.loop)});
        noteLoopAtom(F, B.loop, Counter, 1);
        return W.context.add(Start, W.context.mul(Step, W.context.atom(Counter, AtomSort::Uniform)));
      }
    }
    return Integer ? atomFor(F, Name, Slot) : Expr();
  }
  // A join: the arm that these lanes came from, when it gives all of them.
  for (const Use &In : Phi.incoming_values()) {
    if (auto *I = dyn_cast<Instruction>(In); I && !executed.contains(I->getParent()))
      continue;
    Expr E = wordsOf(F, In);
    if (E && agrees(F, E, V, F.mask))
      return E;
  }
  if (Expr E = uniformWords(V); E && !E.constant())
    return E;
  return Phi.getType()->isIntegerTy() ? atomFor(F, Name, Slot) : Expr();
}

Expr Machine::wordsOf(Frame &F, const llvm::Value *V) {
  if (auto *C = dyn_cast<Constant>(V)) {
    WarpValue K = constantValue(C);
    return K.uniform && !K.unknown ? W.context.constant(K.lane[0]) : Expr();
  }
  if (auto It = F.words.find(V); It != F.words.end())
    return It->second;
  F.words[V] = {}; // cuts cycles
  Expr E = computeWords(F, V);
  F.words[V] = E;
  return E;
}

Expr Machine::computeWords(Frame &F, const llvm::Value *V) {
  auto SlotIt = F.info->slot.find(V);
  if (SlotIt == F.info->slot.end())
    return {};
  const WarpValue &Current = F.slots[SlotIt->second];
  if (auto *A = dyn_cast<Argument>(V)) {
    if (F.call && F.parent && A->getArgNo() < F.call->arg_size() && !F.call->isByValArgument(A->getArgNo()))
      return wordsOf(*F.parent, F.call->getArgOperand(A->getArgNo()));
    return A->getType()->isPointerTy() ? W.context.constant(0) : uniformWords(Current);
  }
  auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return {};
  auto Words = [&](unsigned Operand) { return wordsOf(F, I->getOperand(Operand)); };
  auto Fallback = [&]() -> Expr {
    if (Current.words)
      return Current.words;
    if (Expr E = uniformWords(Current))
      return E;
    if (I->getType()->isIntegerTy() && !(Current.unknown & F.mask))
      return atomFor(F, nameOfValue(*I), SlotIt->second);
    return {};
  };
  if (isa<AllocaInst>(I))
    return W.context.constant(0);
  if (auto *Phi = dyn_cast<PHINode>(I))
    return phiWords(F, *Phi);
  if (auto *B = dyn_cast<BinaryOperator>(I)) {
    if (!I->getType()->isIntegerTy())
      return {};
    Expr X = Words(0), Y = Words(1);
    if (!X || !Y)
      return Fallback();
    // The quotient of two sizes is a size of its own: what their samples make of it is not its sample.
    auto Quotient = [&](Op Kind) {
      Expr E = W.context.apply(Kind, Bits, {X, Y});
      return E && Current.shift && !agrees(F, E, Current, F.mask) ? Fallback() : E;
    };
    switch (B->getOpcode()) {
    case Instruction::Add:
      return W.context.add(X, Y);
    case Instruction::Sub:
      return W.context.sub(X, Y);
    case Instruction::Mul:
      return W.context.mul(X, Y);
    case Instruction::SDiv:
    case Instruction::UDiv:
      return Quotient(Op::DivTrunc);
    case Instruction::SRem:
    case Instruction::URem:
      return Quotient(Op::RemTrunc);
    case Instruction::Shl:
      return W.context.apply(Op::Shl, Bits, {X, Y});
    case Instruction::AShr:
      return W.context.apply(Op::AShr, Bits, {X, Y});
    case Instruction::LShr:
      return W.context.apply(Op::LShr, Bits, {X, Y});
    case Instruction::And:
      return W.context.apply(Op::And, Bits, {X, Y});
    case Instruction::Or:
      return W.context.apply(Op::Or, Bits, {X, Y});
    case Instruction::Xor:
      return W.context.apply(Op::Xor, Bits, {X, Y});
    default:
      return {};
    }
  }
  if (auto *C = dyn_cast<CastInst>(I)) {
    // Addresses are taken not to wrap, so extensions change nothing; agrees() finds where they do.
    if (C->getSrcTy()->isIntegerTy(1) || !(C->getSrcTy()->isIntegerTy() || C->getSrcTy()->isPointerTy()))
      return Fallback();
    return Words(0);
  }
  if (auto *G = dyn_cast<GEPOperator>(I)) {
    Expr E = Words(0);
    APInt Constant(64, 0);
    SmallMapVector<llvm::Value *, APInt, 4> Variable;
    if (!E || !G->collectOffset(Layout, 64, Variable, Constant))
      return {};
    for (auto &[Index, Scale] : Variable) {
      Expr Step = wordsOf(F, Index);
      if (!Step)
        return {};
      E = W.context.add(E, W.context.scale(Step, Scale.getSExtValue()));
    }
    return W.context.add(E, W.context.constant(Constant.getSExtValue()));
  }
  if (isa<SelectInst>(I)) {
    Expr C = Words(0), A = Words(1), B = Words(2);
    if (C && A && B)
      return W.context.apply(Op::Select, Bits, {C, A, B});
    return Fallback();
  }
  if (auto *C = dyn_cast<ICmpInst>(I)) {
    Expr X = Words(0), Y = Words(1);
    if (!X || !Y)
      return {};
    switch (C->getPredicate()) {
    case CmpInst::ICMP_EQ:
      return W.context.apply(Op::Eq, Bits, {X, Y});
    case CmpInst::ICMP_NE:
      return W.context.apply(Op::Ne, Bits, {X, Y});
    case CmpInst::ICMP_ULT:
    case CmpInst::ICMP_SLT:
      return W.context.apply(Op::Lt, Bits, {X, Y});
    case CmpInst::ICMP_ULE:
    case CmpInst::ICMP_SLE:
      return W.context.apply(Op::Le, Bits, {X, Y});
    case CmpInst::ICMP_UGT:
    case CmpInst::ICMP_SGT:
      return W.context.apply(Op::Lt, Bits, {Y, X});
    case CmpInst::ICMP_UGE:
    case CmpInst::ICMP_SGE:
      return W.context.apply(Op::Le, Bits, {Y, X});
    default:
      return {};
    }
  }
  if (auto *Call = dyn_cast<CallBase>(I)) {
    auto *Callee = dyn_cast<Function>(Call->getCalledOperand()->stripPointerCasts());
    if (Callee) {
      StringRef Name = Callee->getName();
      auto Axis = [&] { return unsigned(Name.back() - 'x'); };
      if (Name.starts_with("llvm.nvvm.read.ptx.sreg.tid."))
        return threadWords(Axis());
      if (Name.starts_with("llvm.nvvm.read.ptx.sreg.ctaid.")) {
        uint64_t Extent = TheSetting.grid ? (*TheSetting.grid)[Axis()] : uint64_t(1) << 31;
        return Extent == 1 ? W.context.constant(0)
                           : W.context.atom(std::string("blockIdx.") + "xyz" [Axis()], AtomSort::Uniform,
                                            { 0, int64_t(Extent) - 1, 1 });
      }
      // Known before they run: a loop's step is asked for before its first iteration has computed it.
      if (Name.starts_with("llvm.nvvm.read.ptx.sreg.ntid."))
        return W.context.constant(TheSetting.block[Axis()]);
      if (Name.starts_with("llvm.nvvm.read.ptx.sreg.nctaid."))
        return TheSetting.grid ? W.context.constant(int64_t((*TheSetting.grid)[Axis()]))
                               : W.symbol(std::string("gridDim.") + "xyz"[Axis()]).atom;
      if (Name == "llvm.nvvm.read.ptx.sreg.laneid") {
        Expr Thread = threadWords(0);
        return TheSetting.block[1] == 1 && TheSetting.block[2] == 1 && Thread
                   ? W.context.apply(Op::And, Bits, {Thread, W.context.constant(31)})
                   : W.context.atom("laneid", AtomSort::LaneVarying, {0, 31, 1});
      }
      if (is_contained({"__nv_mul24", "__nv_umul24", "llvm.nvvm.mul24.i", "llvm.nvvm.mul24.ui"}, Name))
        if (Expr X = Words(0), Y = Words(1); X && Y)
          return W.context.mul(X, Y);
      if (Name.starts_with("llvm.smin.") || Name.starts_with("llvm.umin.") ||
          is_contained({"__nv_min", "__nv_umin", "__nv_llmin"}, Name))
        if (Expr X = Words(0), Y = Words(1); X && Y)
          return W.context.apply(Op::Min, Bits, {X, Y});
      if (Name.starts_with("llvm.smax.") || Name.starts_with("llvm.umax.") ||
          is_contained({"__nv_max", "__nv_umax", "__nv_llmax"}, Name))
        if (Expr X = Words(0), Y = Words(1); X && Y)
          return W.context.apply(Op::Max, Bits, {X, Y});
    }
    return Fallback();
  }
  if (isa<LoadInst>(I) && I->getType()->isPointerTy() && !Current.words && Current.object &&
      Current.uniform && !Current.unknown && !Current.shift)
    return W.context.constant(Current.lane[0]);
  if (isa<FreezeInst>(I))
    return Words(0);
  return Fallback();
}

bool Machine::agrees(Frame &F, Expr Words, const WarpValue &V, LaneMask Mask) {
  if (V.unknown & Mask)
    return false;
  // Loop variables have moved on since the expression was made.
  for (Frame *At = &F; At; At = At->parent)
    for (auto &[Name, Slot] : At->atoms) {
      if (int(Slot) < 0)
        AtomValues[Name] = WarpValue::constant(int64_t(At->iteration[~Slot]) - 1);
      else
        AtomValues[Name] = At->slots[Slot];
    }
  bool Same = true;
  forLanes(Mask, [&](unsigned L) {
    if (!Same)
      return;
    std::optional<int64_t> Result = W.context.evaluate(Words, [&](StringRef Name) -> std::optional<int64_t> {
      if (auto Axis = axisOf(Name, "threadIdx."))
        return thread(*Axis).at(L);
      if (auto Axis = axisOf(Name, "blockIdx."))
        return W.sample[BlockX + *Axis];
      if (Name == "laneid")
        return int64_t(L);
      if (auto It = AtomValues.find(Name.str()); It != AtomValues.end())
        return It->second.unknown >> L & 1 ? std::nullopt : std::optional(It->second.at(L));
      Expr Atom = W.context.findAtom(Name);
      const Symbol *S = Atom ? W.symbolOf(Atom.key()) : nullptr;
      return S ? std::optional(S->sample) : std::nullopt;
    });
    Same = Result && *Result == V.at(L);
  });
  return Same;
}
