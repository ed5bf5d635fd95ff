//===-- Assembly.cpp - Inline PTX in terms of the host --------------------------===//
//
// Registers are integers of the width of what was put into them. An instruction that is not known ends the
// program when it is reached, and says so: nothing is left out in silence.
//
//===----------------------------------------------------------------------===//

#include "analyzer/kernel/Ptx.h"
#include "tools/replay/device/Emitter.h"
#include "tools/replay/device/Floats.h"
#include "tools/replay/device/Warp.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <optional>

using namespace llvm;
using namespace warplint::replay;
using warplint::kernel::PtxInstruction;
using warplint::kernel::PtxOperand;

namespace {

/// "f16x2", "s32", "pred".
struct PtxType {
  char kind = 0; ///< u s b f, h for bf, p
  unsigned bits = 0, lanes = 1;

  unsigned whole() const { return bits * lanes; }
  bool isFloat() const { return kind == 'f' || kind == 'h'; }
  bool isSigned() const { return kind == 's'; }
};

std::optional<PtxType> typeOf(StringRef Part) {
  if (Part == "pred")
    return PtxType{'p', 1, 1};
  PtxType T;
  T.kind = Part.empty() ? 0 : Part[0];
  if (Part.consume_front("bf"))
    T.kind = 'h';
  else if (StringRef("usbf").contains(T.kind) && T.kind)
    Part = Part.drop_front();
  else
    return std::nullopt;
  auto [Bits, Lanes] = Part.split('x');
  if (Bits.getAsInteger(10, T.bits) || (!Lanes.empty() && Lanes.getAsInteger(10, T.lanes)))
    return std::nullopt;
  if (!is_contained({8u, 16u, 32u, 64u, 128u}, T.bits))
    return std::nullopt;
  return T;
}

class Statement {
public:
  Statement(Emitter &E, CallInst &C)
      : E(E), C(C), Asm(*cast<InlineAsm>(C.getCalledOperand())), B(&C), F(E, B), W(E, B) {
    numberOperands();
  }

  void run() {
    const StringRef Text = Asm.getAsmString();
    const std::vector<PtxInstruction> Instructions = warplint::kernel::parsePtx(Text);
    if (!barrierWait(Instructions))
      for (const PtxInstruction &I : Instructions)
        predicated(I);
    finish();
  }

private:
  Emitter &E;
  CallInst &C;
  const InlineAsm &Asm;
  IRBuilder<> B;
  Floats F;
  Warp W;
  StringMap<Value *> Registers;
  std::vector<int> Argument, Output; ///< by $ number; -1: none
  unsigned Outputs = 0;
  Value *Carry = nullptr;

  //--- Operands -------------------------------------------------------------------
  void numberOperands() {
    unsigned Arguments = 0;
    const InlineAsm::ConstraintInfoVector Constraints = Asm.ParseConstraints();
    for (const InlineAsm::ConstraintInfo &Each : Constraints) {
      if (Each.Type == InlineAsm::isClobber || Each.Type == InlineAsm::isLabel)
        continue;
      const bool IsOutput = Each.Type == InlineAsm::isOutput && !Each.isIndirect;
      Output.push_back(IsOutput ? int(Outputs++) : -1);
      Argument.push_back(IsOutput ? -1 : int(Arguments++));
    }
    for (auto [Number, Each] : enumerate(Constraints)) // "+r": the value that goes in is another argument
      if (Number < Argument.size() && Each.hasMatchingInput() && size_t(Each.MatchingInput) < Argument.size())
        Argument[Number] = Argument[size_t(Each.MatchingInput)];
  }

  Type *outputType(unsigned Number) const {
    return C.getType()->isStructTy() ? C.getType()->getStructElementType(Number) : C.getType();
  }

  /// The bits of a value as an integer.
  Value *bits(Value *V) {
    Type *T = V->getType();
    if (T->isPointerTy()) // of shared memory: an offset; lowerSharedPointers
      return B.CreatePtrToInt(V, E.i64);
    return T->isIntegerTy() ? V : B.CreateBitCast(V, B.getIntNTy(unsigned(T->getPrimitiveSizeInBits())));
  }

  Value *sized(Value *V, unsigned Bits) {
    return V->getType()->getIntegerBitWidth() == Bits ? V : B.CreateZExtOrTrunc(V, B.getIntNTy(Bits));
  }

  std::optional<unsigned> operandNumber(StringRef Name) const {
    unsigned Number = 0;
    if (!Name.consume_front("$"))
      return std::nullopt;
    Name = Name.trim("{}");
    Name = Name.split(':').first;
    if (Name.getAsInteger(10, Number) || Number >= Argument.size())
      return std::nullopt;
    return Number;
  }

  /// Null: no such register. Numbers come with 64 bits.
  Value *read(StringRef Name) {
    if (auto It = Registers.find(Name); It != Registers.end())
      return It->second;
    if (auto Number = operandNumber(Name)) {
      if (Argument[*Number] >= 0)
        return bits(C.getArgOperand(unsigned(Argument[*Number])));
      return B.getInt64(0); // an output that nothing was put into yet
    }
    int64_t Signed = 0;
    uint64_t Unsigned = 0;
    if (Name.starts_with("0f") || Name.starts_with("0F") || Name.starts_with("0d") || Name.starts_with("0D"))
      return Name.drop_front(2).getAsInteger(16, Unsigned)
                 ? nullptr
                 : static_cast<Value *>(B.getIntN(Name[1] == 'f' || Name[1] == 'F' ? 32 : 64, Unsigned));
    StringRef Digits = Name;
    Digits.consume_back("U");
    if (!Digits.getAsInteger(0, Signed))
      return B.getInt64(uint64_t(Signed));
    if (!Digits.getAsInteger(0, Unsigned))
      return B.getInt64(Unsigned);
    if (Name == "WARP_SZ")
      return B.getInt32(32);
    if (Name.consume_front("%")) {
      if (unsigned Number; Name.starts_with("envreg") && !Name.drop_front(6).getAsInteger(10, Number))
        return E.call(B, "warplintReplayEnvironmentRegister", E.i32, {B.getInt32(Number)});
      std::string Dotted = Name.str();
      return W.specialRegister(Dotted);
    }
    return nullptr;
  }

  static StringRef nameOf(const PtxInstruction &I, unsigned Number, unsigned Element = 0) {
    return Number < I.operands.size() && Element < I.operands[Number].names.size()
               ? I.operands[Number].names[Element]
               : StringRef();
  }

  Value *in(const PtxInstruction &I, unsigned Number, unsigned Bits) {
    StringRef Name = nameOf(I, Number);
    const bool Not = Name.consume_front("!");
    Value *V = Name.empty() ? nullptr : read(Name);
    if (!V)
      return nullptr;
    V = Bits == 1 && V->getType()->getIntegerBitWidth() > 1 ? B.CreateIsNotNull(V) : sized(V, Bits);
    return Not ? B.CreateNot(V) : V;
  }

  void write(StringRef Name, Value *V) {
    if (Name.empty() || Name == "_")
      return;
    if (auto Number = operandNumber(Name); Number && Output[*Number] >= 0) {
      // Known by its own width, so that it can be read again.
      const unsigned Bits =
          unsigned(E.module.getDataLayout().getTypeSizeInBits(outputType(unsigned(Output[*Number]))));
      V = sized(V, Bits);
    }
    Registers[Name] = V;
  }

  /// The statement's results in place of the call.
  void finish() {
    SmallVector<Value *, 4> Results(Outputs, nullptr);
    for (auto [Number, Which] : enumerate(Output))
      if (Which >= 0) {
        Type *T = outputType(unsigned(Which));
        const unsigned Bits = unsigned(E.module.getDataLayout().getTypeSizeInBits(T));
        Value *V = sized(read("$" + utostr(Number)), Bits);
        Results[size_t(Which)] = T->isPointerTy() ? B.CreateIntToPtr(V, T) : B.CreateBitCast(V, T);
      }
    if (C.getType()->isStructTy()) {
      Value *R = PoisonValue::get(C.getType());
      for (auto [Index, V] : enumerate(Results))
        R = B.CreateInsertValue(R, V, unsigned(Index));
      C.replaceAllUsesWith(R);
    } else if (Outputs) {
      C.replaceAllUsesWith(Results[0]);
    }
    C.eraseFromParent();
  }

  //--- One instruction --------------------------------------------------------------
  void predicated(const PtxInstruction &I) {
    if (I.predicate.empty())
      return instruction(I);
    Value *Take = read(I.predicate);
    if (!Take)
      return unknown(I);
    if (Take->getType()->getIntegerBitWidth() > 1)
      Take = B.CreateIsNotNull(Take);
    if (I.predicateNegated)
      Take = B.CreateNot(Take);
    StringMap<Value *> Before = Registers;
    BasicBlock *Skip = C.getParent();
    Instruction *Then = SplitBlockAndInsertIfThen(Take, &C, false);
    B.SetInsertPoint(Then);
    instruction(I);
    BasicBlock *Taken = B.GetInsertBlock();
    B.SetInsertPoint(&C);
    for (auto &Entry : Registers) {
      Value *Old = Before.lookup(Entry.first()), *New = Entry.second;
      if (Old == New)
        continue;
      PHINode *Either = PHINode::Create(New->getType(), 2, "", C.getParent()->begin());
      if (!Old) {
        IRBuilder<> Early(Skip->getTerminator());
        Old = Constant::getNullValue(New->getType());
        if (auto Number = operandNumber(Entry.first()); Number && Argument[*Number] >= 0) {
          Value *Given = C.getArgOperand(unsigned(Argument[*Number]));
          Old = Given->getType()->isPointerTy() ? Early.CreatePtrToInt(Given, New->getType())
                                                : Early.CreateBitCast(Given, New->getType());
        }
      } else if (Old->getType() != New->getType()) {
        Old = IRBuilder<>(Skip->getTerminator()).CreateZExtOrTrunc(Old, New->getType());
      }
      Either->addIncoming(Old, Skip);
      Either->addIncoming(New, Taken);
      Registers[Entry.first()] = Either;
    }
  }

  void unknown(const PtxInstruction &I) {
    E.unsupported(B, "the PTX instruction " + join(I.opcode, "."), C.getDebugLoc());
    if (!I.operands.empty() && !I.operands[0].address)
      for (StringRef Name : I.operands[0].names)
        for (StringRef Part : {Name.split('|').first, Name.split('|').second})
          if (!Registers.count(Part))
            write(Part, B.getInt64(0));
  }

  void instruction(const PtxInstruction &I) {
    using Handler = bool (Statement::*)(const PtxInstruction &);
    for (Handler Each :
         {&Statement::nothing, &Statement::memory, &Statement::together, &Statement::barrierObject,
          &Statement::moves, &Statement::compare, &Statement::conversion, &Statement::carrying,
          &Statement::floats, &Statement::simd, &Statement::integers})
      if ((this->*Each)(I))
        return;
    unknown(I);
  }

  static PtxType lastType(const PtxInstruction &I) {
    for (StringRef Part : reverse(I.opcode))
      if (auto T = typeOf(Part))
        return *T;
    return {};
  }

  bool nothing(const PtxInstruction &I) {
    const StringRef Name = I.name();
    if (Name == "cp" && (I.has("commit_group") || I.has("wait_group") || I.has("wait_all")))
      return true; // copies are made at once
    return Name == "fence" || Name == "membar" || Name == "prefetch" || Name == "prefetchu" ||
           Name == "applypriority" || Name == "discard" || Name == "griddepcontrol" || Name == "setmaxnreg" ||
           Name == "pragma" || Name == "pmevent" || (Name == "wgmma" && I.has("fence"));
  }

  //--- Memory -----------------------------------------------------------------------
  /// Of [register + offset]; shared addresses are offsets, others are the host's own.
  Value *address(const PtxInstruction &I, unsigned Number) {
    if (Number >= I.operands.size())
      return nullptr;
    const PtxOperand &O = I.operands[Number];
    Value *V = O.names.empty() ? nullptr : read(O.names[0]);
    if (!V)
      return nullptr;
    const bool Shared = any_of(I.opcode, [](StringRef Part) { return Part.starts_with("shared"); });
    if (Shared) {
      Value *Offset = B.CreateAdd(sized(V, 32), B.getInt32(uint32_t(O.offset)));
      return E.call(B, "warplintReplaySharedPointer", E.pointer, {Offset});
    }
    return B.CreateIntToPtr(B.CreateAdd(sized(V, 64), B.getInt64(uint64_t(O.offset))), E.pointer);
  }

  static bool spins(const PtxInstruction &I) {
    return I.has("volatile") || I.has("acquire") || I.has("relaxed") || I.has("cv") || I.has("mmio");
  }

  bool memory(const PtxInstruction &I) {
    const StringRef Name = I.name();
    if (any_of(I.opcode, [](StringRef Part) {
          return Part.starts_with("param") || Part == "bulk" || Part == "reduce";
        }))
      return false;
    if (I.has("shared::cluster") && Name != "mapa")
      return false;
    if (Name == "ld" || Name == "ldu")
      return load(I);
    if (Name == "st")
      return store(I);
    if (Name == "atom" || Name == "red")
      return atomic(I);
    if (Name == "cp" && I.has("async") && I.operands.size() >= 3)
      return copyAsync(I);
    if (Name == "ldmatrix" && I.has("m8n8"))
      return loadMatrix(I);
    if (Name == "cvta")
      return convertAddress(I);
    if (Name == "isspacep") {
      Value *V = in(I, 1, 64);
      const unsigned Space = I.has("global") ? 1 : I.has("const") ? 4 : I.has("local") ? 5 : 3;
      if (!V)
        return false;
      Value *Is =
          E.call(B, "warplintReplayIsSpace", E.i32, {B.getInt32(Space), B.CreateIntToPtr(V, E.pointer)});
      write(nameOf(I, 0), B.CreateIsNotNull(Is));
      return true;
    }
    return false;
  }

  /// Elements of a vector are one access, like the GPU's.
  bool load(const PtxInstruction &I) {
    const PtxType T = lastType(I);
    Value *From = address(I, 1);
    if (!From || !T.bits || I.operands[0].names.empty())
      return false;
    const unsigned Count = unsigned(I.operands[0].names.size());
    Type *Element = B.getIntNTy(T.whole());
    Type *Whole = Count == 1 ? Element : FixedVectorType::get(Element, Count);
    LoadInst *L = B.CreateAlignedLoad(Whole, From, Align(T.whole() / 8 * Count), spins(I));
    for (auto [Number, Name] : enumerate(I.operands[0].names)) {
      Value *V = Count == 1 ? static_cast<Value *>(L) : B.CreateExtractElement(L, uint64_t(Number));
      if (auto Out = operandNumber(Name);
          T.isSigned() && Out && Output[*Out] >= 0) { // .s8 into a wider register
        const unsigned Bits =
            unsigned(E.module.getDataLayout().getTypeSizeInBits(outputType(unsigned(Output[*Out]))));
        V = B.CreateSExtOrTrunc(V, B.getIntNTy(Bits));
      }
      write(Name, V);
    }
    return true;
  }

  bool store(const PtxInstruction &I) {
    const PtxType T = lastType(I);
    Value *To = address(I, 0);
    if (!To || !T.bits || I.operands.size() < 2)
      return false;
    const unsigned Count = unsigned(I.operands[1].names.size());
    Type *Element = B.getIntNTy(T.whole());
    Value *Whole = Count == 1 ? nullptr : PoisonValue::get(FixedVectorType::get(Element, Count));
    for (auto [Number, Name] : enumerate(I.operands[1].names)) {
      Value *V = read(Name);
      if (!V)
        return false;
      V = sized(V, T.whole());
      Whole = Count == 1 ? V : B.CreateInsertElement(Whole, V, uint64_t(Number));
    }
    B.CreateAlignedStore(Whole, To, Align(T.whole() / 8 * Count),
                         I.has("volatile") || I.has("release") || I.has("relaxed"));
    return true;
  }

  /// The type that the operation computes in.
  Type *computing(const PtxType &T) {
    Type *Scalar = T.kind == 'h'   ? B.getBFloatTy()
                   : T.kind != 'f' ? static_cast<Type *>(B.getIntNTy(T.bits))
                   : T.bits == 16  ? B.getHalfTy()
                   : T.bits == 32  ? B.getFloatTy()
                                   : B.getDoubleTy();
    return T.lanes == 1 ? Scalar : FixedVectorType::get(Scalar, T.lanes);
  }

  bool atomic(const PtxInstruction &I) {
    const PtxType T = lastType(I);
    const bool Returns = I.name() == "atom";
    const unsigned At = Returns ? 1 : 0;
    Value *Pointer = address(I, At);
    Value *Operand = T.bits ? in(I, At + 1, T.whole()) : nullptr;
    if (!Pointer || !Operand)
      return false;
    Value *Old = nullptr;
    if (I.has("cas")) {
      Value *New = in(I, At + 2, T.whole());
      if (!New)
        return false;
      Old = B.CreateExtractValue(B.CreateAtomicCmpXchg(Pointer, Operand, New, Align(T.whole() / 8),
                                                       AtomicOrdering::SequentiallyConsistent,
                                                       AtomicOrdering::SequentiallyConsistent),
                                 0);
    } else {
      std::optional<AtomicRMWInst::BinOp> Operation;
      for (StringRef Part : drop_begin(I.opcode))
        if (!Operation)
          Operation = atomicOperation(Part, T.isFloat(), T.isSigned());
      if (!Operation)
        return false;
      Type *Computing = *Operation == AtomicRMWInst::Xchg ? Operand->getType() : computing(T);
      Old = bits(B.CreateAtomicRMW(*Operation, Pointer, B.CreateBitCast(Operand, Computing),
                                   Align(T.whole() / 8), AtomicOrdering::SequentiallyConsistent));
    }
    if (Returns)
      write(nameOf(I, 0), Old);
    return true;
  }

  bool copyAsync(const PtxInstruction &I) { // cp.async.ca.shared.global [to], [from], 16, source bytes
    if (!I.operands[0].address || !I.operands[1].address)
      return false;
    PtxInstruction To = I, From = I; // the spaces are in one opcode
    erase_if(From.opcode, [](StringRef Part) { return Part.starts_with("shared"); });
    Value *Target = address(To, 0), *Source = address(From, 1);
    const auto *Size = dyn_cast_or_null<ConstantInt>(in(I, 2, 32));
    if (!Target || !Source || !Size || !is_contained({4u, 8u, 16u}, Size->getZExtValue()))
      return false;
    const bool Hint = I.has("L2::cache_hint");
    Value *Bytes = I.operands.size() > (Hint ? 4u : 3u) ? in(I, 3, 32) : nullptr;
    W.copyAsync(Target, Source, unsigned(Size->getZExtValue()), Bytes);
    return true;
  }

  bool loadMatrix(const PtxInstruction &I) {
    Value *Row = address(I, 1);
    if (!Row || !I.has("b16"))
      return false;
    const unsigned Count = I.has("x4") ? 4 : I.has("x2") ? 2 : 1;
    if (I.operands[0].names.size() != Count)
      return false;
    SmallVector<Value *, 4> Words = W.loadMatrix(Row, Count, I.has("trans"));
    for (auto [Name, Word] : zip(I.operands[0].names, Words))
      write(Name, Word);
    return true;
  }

  bool convertAddress(const PtxInstruction &I) {
    Value *V = in(I, 1, 64);
    if (!V)
      return false;
    if (I.has("shared"))
      V = I.has("to")
              ? B.CreateZExt(
                    E.call(B, "warplintReplaySharedAddress", E.i32, {B.CreateIntToPtr(V, E.pointer)}), E.i64)
              : B.CreatePtrToInt(
                    E.call(B, "warplintReplaySharedPointer", E.pointer, {B.CreateTrunc(V, E.i32)}), E.i64);
    write(nameOf(I, 0), V);
    return true;
  }

  //--- Threads together -----------------------------------------------------------
  bool together(const PtxInstruction &I) {
    const StringRef Name = I.name();
    if (Name == "bar" || Name == "barrier")
      return barrier(I);
    if (Name == "nanosleep") {
      E.call(B, "warplintReplayYield", B.getVoidTy(), {});
      return true;
    }
    if (Name == "trap") {
      E.call(B, "warplintReplayTrap", B.getVoidTy(), {});
      return true;
    }
    if (Name == "activemask") {
      write(nameOf(I, 0), W.activeMask());
      return true;
    }
    if (Name == "mapa") {
      Value *V = in(I, 1, 64), *Rank = in(I, 2, 32);
      if (!V || !Rank || any_of(I.opcode, [](StringRef Part) { return Part.starts_with("shared"); }))
        return false;
      write(nameOf(I, 0), B.CreatePtrToInt(W.mapa(B.CreateIntToPtr(V, E.pointer), Rank), E.i64));
      return true;
    }
    if (Name == "shfl" || Name == "vote" || Name == "match" || Name == "redux" || Name == "elect")
      return warpWide(I);
    return false;
  }

  bool barrier(const PtxInstruction &I) {
    if (I.has("cluster")) {
      E.call(B, I.has("arrive") ? "warplintReplayClusterArrive" : "warplintReplayClusterWait", B.getVoidTy(),
             {});
      return true;
    }
    if (I.has("warp")) {
      Value *Mask = in(I, 0, 32);
      if (Mask)
        W.sync(Mask);
      return Mask;
    }
    if (I.has("red")) {
      const unsigned Kind = I.has("popc") ? 0 : I.has("and") ? 1 : 2;
      const bool Count = I.operands.size() > 3;
      Value *Number = in(I, 1, 32), *Threads = Count ? in(I, 2, 32) : B.getInt32(0),
            *P = in(I, Count ? 3 : 2, 1);
      if (!Number || !Threads || !P)
        return false;
      Value *R = W.barrierReduce(Kind, Number, Threads, P);
      write(nameOf(I, 0), Kind ? B.CreateIsNotNull(R) : R);
      return true;
    }
    Value *Number = in(I, 0, 32), *Threads = I.operands.size() > 1 ? in(I, 1, 32) : B.getInt32(0);
    if (!Number || !Threads || !(I.has("sync") || I.has("arrive")))
      return false;
    W.barrier(I.has("arrive"), Number, Threads);
    return true;
  }

  bool warpWide(const PtxInstruction &I) {
    const StringRef Name = I.name();
    const auto [Result, Predicate] = nameOf(I, 0).split('|');
    const bool Sync = I.has("sync");
    auto Finish = [&](Value *V, Value *P) {
      write(Result, V);
      if (!Predicate.empty())
        write(Predicate, P);
      return true;
    };
    if (Name == "shfl") {
      Value *V = in(I, 1, 32), *Lane = in(I, 2, 32), *Clamp = in(I, 3, 32),
            *Mask = Sync ? in(I, 4, 32) : B.getInt32(~0u);
      if (!V || !Lane || !Clamp || !Mask)
        return false;
      const StringRef Mode = I.opcode[Sync ? 2 : 1];
      auto [Value, Valid] = W.shuffle(Mode, Mask, V, Lane, Clamp);
      return Finish(Value, Valid);
    }
    if (Name == "elect") {
      Value *Mask = in(I, 1, 32);
      if (!Mask)
        return false;
      auto [Leader, Elected] = W.elect(Mask);
      return Finish(Leader, Elected);
    }
    const StringRef Kind = I.opcode.size() > (Sync ? 2u : 1u) ? I.opcode[Sync ? 2 : 1] : StringRef();
    if (Name == "vote") {
      Value *P = in(I, 1, 1), *Mask = Sync ? in(I, 2, 32) : B.getInt32(~0u);
      if (!P || !Mask)
        return false;
      Value *V = W.vote(Kind, Mask, P);
      return Finish(Kind == "ballot" ? V : B.CreateIsNotNull(V), nullptr);
    }
    if (Name == "match") { // match.any.sync.b32 d, a, mask
      const PtxType T = lastType(I);
      Value *V = in(I, 1, T.bits ? T.bits : 32), *Mask = in(I, 2, 32);
      if (!V || !Mask)
        return false;
      if (I.has("any"))
        return Finish(W.matchAny(Mask, V), nullptr);
      auto [Equal, All] = W.matchAll(Mask, V);
      return Finish(Equal, All);
    }
    const PtxType T = lastType(I);
    Value *V = in(I, 1, 32), *Mask = in(I, 2, 32);
    if (!V || !Mask || T.isFloat())
      return false;
    const bool Ordered = Kind == "min" || Kind == "max";
    Value *R = W.redux(Ordered && !T.isSigned() ? "u" + Kind.str() : Kind.str(), Mask, V);
    return R && Finish(R, nullptr);
  }

  //--- Barrier objects ------------------------------------------------------------
  /// A loop around mbarrier.try_wait, whose labels the parser leaves out: waits.
  bool barrierWait(ArrayRef<PtxInstruction> Instructions) {
    const bool Jumps = any_of(Instructions, [](const PtxInstruction &I) { return I.name() == "bra"; });
    const auto *Wait = find_if(Instructions, [](const PtxInstruction &I) {
      return I.name() == "mbarrier" && (I.has("try_wait") || I.has("test_wait"));
    });
    if (!Jumps || Wait == Instructions.end())
      return false;
    for (const PtxInstruction &I : Instructions)
      if (I.name() != "bra" && I.name() != "mbarrier")
        return false;
    const bool Parity = Wait->has("parity");
    Value *Object = address(*Wait, 1), *State = in(*Wait, 2, Parity ? 32 : 64);
    if (!Object || !State)
      return false;
    E.call(B, Parity ? "warplintReplayObjectWaitParity" : "warplintReplayObjectWait", B.getVoidTy(),
           {Object, State});
    return true;
  }

  bool barrierObject(const PtxInstruction &I) {
    if (I.name() != "mbarrier" || I.has("expect_tx") || I.has("complete_tx"))
      return false;
    if (I.has("init")) {
      Value *Object = address(I, 0), *Count = in(I, 1, 32);
      if (!Object || !Count)
        return false;
      E.call(B, "warplintReplayObjectInit", B.getVoidTy(), {Object, Count});
      return true;
    }
    if (I.has("inval"))
      return true;
    if (I.has("arrive") || I.has("arrive_drop")) {
      const bool Result = !I.operands.empty() && !I.operands[0].address;
      const unsigned At = Result ? 1 : 0;
      Value *Object = address(I, At), *Count = I.operands.size() > At + 1 ? in(I, At + 1, 32) : B.getInt32(1);
      if (!Object || !Count)
        return false;
      Value *State =
          E.call(B, I.has("arrive_drop") ? "warplintReplayObjectDrop" : "warplintReplayObjectArrive", E.i64,
                 {Object, Count});
      if (Result)
        write(nameOf(I, 0), State);
      return true;
    }
    if (I.has("test_wait") || I.has("try_wait")) {
      const bool Parity = I.has("parity");
      Value *Object = address(I, 1), *State = in(I, 2, Parity ? 32 : 64);
      if (!Object || !State)
        return false;
      write(nameOf(I, 0), B.CreateIsNotNull(E.call(
                              B, Parity ? "warplintReplayObjectTestParity" : "warplintReplayObjectTest",
                              E.i32, {Object, State})));
      return true;
    }
    if (I.has("pending_count")) {
      Value *State = in(I, 1, 64);
      if (!State)
        return false;
      write(nameOf(I, 0), B.CreateTrunc(B.CreateLShr(State, 44), E.i32));
      return true;
    }
    return false;
  }

  //--- Moves, comparisons, conversions ----------------------------------------------
  bool moves(const PtxInstruction &I) {
    if (I.name() != "mov" || I.operands.size() < 2)
      return false;
    const PtxType T = lastType(I);
    const PtxOperand &To = I.operands[0], &From = I.operands[1];
    if (!T.bits)
      return false;
    if (From.names.size() > 1) { // packs
      const unsigned Part = T.whole() / unsigned(From.names.size());
      Value *Whole = B.getIntN(T.whole(), 0);
      for (auto [Number, Name] : enumerate(From.names)) {
        Value *V = read(Name);
        if (!V)
          return false;
        Whole = B.CreateOr(Whole, B.CreateShl(sized(sized(V, Part), T.whole()), Part * unsigned(Number)));
      }
      write(To.names[0], Whole);
      return true;
    }
    Value *V = in(I, 1, T.whole());
    if (!V)
      return false;
    const unsigned Part = T.whole() / unsigned(std::max<size_t>(To.names.size(), 1));
    for (auto [Number, Name] : enumerate(To.names))
      write(Name, To.names.size() == 1 ? V : sized(B.CreateLShr(V, Part * unsigned(Number)), Part));
    return true;
  }

  static std::optional<CmpInst::Predicate> integerPredicate(StringRef Test, const PtxType &T) {
    const bool S = T.isSigned();
    const int P = StringSwitch<int>(Test)
                      .Case("eq", CmpInst::ICMP_EQ)
                      .Case("ne", CmpInst::ICMP_NE)
                      .Case("lt", S ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT)
                      .Case("le", S ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE)
                      .Case("gt", S ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT)
                      .Case("ge", S ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE)
                      .Case("lo", CmpInst::ICMP_ULT)
                      .Case("ls", CmpInst::ICMP_ULE)
                      .Case("hi", CmpInst::ICMP_UGT)
                      .Case("hs", CmpInst::ICMP_UGE)
                      .Default(-1);
    return P < 0 ? std::nullopt : std::optional(CmpInst::Predicate(P));
  }

  static std::optional<CmpInst::Predicate> floatPredicate(StringRef Test) {
    const int P = StringSwitch<int>(Test)
                      .Case("eq", CmpInst::FCMP_OEQ)
                      .Case("ne", CmpInst::FCMP_ONE)
                      .Case("lt", CmpInst::FCMP_OLT)
                      .Case("le", CmpInst::FCMP_OLE)
                      .Case("gt", CmpInst::FCMP_OGT)
                      .Case("ge", CmpInst::FCMP_OGE)
                      .Case("equ", CmpInst::FCMP_UEQ)
                      .Case("neu", CmpInst::FCMP_UNE)
                      .Case("ltu", CmpInst::FCMP_ULT)
                      .Case("leu", CmpInst::FCMP_ULE)
                      .Case("gtu", CmpInst::FCMP_UGT)
                      .Case("geu", CmpInst::FCMP_UGE)
                      .Case("num", CmpInst::FCMP_ORD)
                      .Case("nan", CmpInst::FCMP_UNO)
                      .Default(-1);
    return P < 0 ? std::nullopt : std::optional(CmpInst::Predicate(P));
  }

  /// i1, or a vector of them.
  Value *compared(const PtxInstruction &I, const PtxType &T) {
    const StringRef Test = I.opcode.size() > 1 ? I.opcode[1] : StringRef();
    Value *A = in(I, 1, T.whole()), *Other = in(I, 2, T.whole());
    if (!A || !Other)
      return nullptr;
    if (T.isFloat()) {
      const auto P = floatPredicate(Test);
      return P ? B.CreateFCmp(*P, B.CreateBitCast(A, computing(T)), B.CreateBitCast(Other, computing(T)))
               : nullptr;
    }
    const auto P = integerPredicate(Test, T);
    return P ? B.CreateICmp(*P, A, Other) : nullptr;
  }

  /// setp.lt.and.s32 p|q, a, b, c
  Value *combined(const PtxInstruction &I, Value *V) {
    if (I.operands.size() <= 3)
      return V;
    Value *Third = in(I, 3, 1);
    if (!Third || V->getType()->isVectorTy())
      return nullptr;
    return I.has("and")   ? B.CreateAnd(V, Third)
           : I.has("or")  ? B.CreateOr(V, Third)
           : I.has("xor") ? B.CreateXor(V, Third)
                          : nullptr;
  }

  bool compare(const PtxInstruction &I) {
    const PtxType T = lastType(I);
    const StringRef Name = I.name();
    if (Name == "setp" && T.bits) {
      Value *V = compared(I, T), *Result = V ? combined(I, V) : nullptr;
      if (!Result)
        return false;
      const auto [First, Second] = nameOf(I, 0).split('|');
      if (V->getType()->isVectorTy()) {
        write(First, B.CreateExtractElement(V, uint64_t(0)));
        write(Second, B.CreateExtractElement(V, uint64_t(1)));
        return true;
      }
      write(First, Result);
      if (!Second.empty()) {
        Value *Opposite = combined(I, B.CreateNot(V));
        write(Second, Opposite);
      }
      return true;
    }
    if (Name == "set" && T.bits && I.opcode.size() >= 4) { // set.eq.ftz.f16x2.f16x2: ones, 1.0 or 0
      const auto To = typeOf(I.opcode[I.opcode.size() - 2]);
      Value *V = compared(I, T);
      if (!V || !To || I.operands.size() > 3)
        return false;
      if (To->lanes != T.lanes) { // packed halves into one integer: ones by half
        Type *Each = FixedVectorType::get(B.getIntNTy(To->whole() / T.lanes), T.lanes);
        write(nameOf(I, 0), B.CreateBitCast(B.CreateSExt(V, Each), B.getIntNTy(To->whole())));
        return true;
      }
      Type *Result = computing(*To);
      Value *One = To->isFloat() ? ConstantFP::get(Result, 1.0) : Constant::getAllOnesValue(Result);
      write(nameOf(I, 0), bits(B.CreateSelect(V, One, Constant::getNullValue(Result))));
      return true;
    }
    if (Name == "selp" && T.bits) {
      Value *A = in(I, 1, T.whole()), *Other = in(I, 2, T.whole()), *P = in(I, 3, 1);
      if (!A || !Other || !P)
        return false;
      write(nameOf(I, 0), B.CreateSelect(P, A, Other));
      return true;
    }
    if (Name == "slct" && I.opcode.size() >= 3) {
      const auto Data = typeOf(I.opcode[I.opcode.size() - 2]);
      Value *A = Data ? in(I, 1, Data->whole()) : nullptr, *Other = Data ? in(I, 2, Data->whole()) : nullptr,
            *Sign = in(I, 3, 32);
      if (!A || !Other || !Sign)
        return false;
      Value *Take = T.isFloat() ? B.CreateFCmpOGE(B.CreateBitCast(Sign, B.getFloatTy()),
                                                  ConstantFP::get(B.getFloatTy(), 0.0))
                                : B.CreateICmpSGE(Sign, B.getInt32(0));
      write(nameOf(I, 0), B.CreateSelect(Take, A, Other));
      return true;
    }
    if (Name == "testp" && T.isFloat() && T.lanes == 1) {
      Value *A = in(I, 1, T.bits);
      const StringRef Test = I.opcode[1];
      const int Classes = StringSwitch<int>(Test)
                              .Case("finite", fcFinite)
                              .Case("infinite", fcInf)
                              .Case("number", fcFinite | fcInf)
                              .Case("notanumber", fcNan)
                              .Case("normal", fcNormal)
                              .Case("subnormal", fcSubnormal)
                              .Default(-1);
      if (!A || Classes < 0)
        return false;
      write(nameOf(I, 0), B.createIsFPClass(B.CreateBitCast(A, computing(T)), unsigned(Classes)));
      return true;
    }
    return false;
  }

  bool conversion(const PtxInstruction &I) { // cvt.rn.relu.f16x2.f32
    if (I.name() != "cvt" || I.opcode.size() < 3)
      return false;
    const auto From = typeOf(I.opcode.back()), To = typeOf(I.opcode[I.opcode.size() - 2]);
    if (!From || !To || I.has("tf32") || From->kind == 'p')
      return false;
    FloatModifiers How;
    bool ToInteger = false; // "rzi" between floating types: to a whole number
    for (StringRef Part : drop_begin(drop_end(I.opcode, 2))) {
      if (!How.take(Part))
        return false;
      ToInteger |= Part.size() == 3 && Part.starts_with("r") && Part.ends_with("i");
    }
    auto Number = [&](Value *V) { return How.relu ? F.relu(V) : How.saturate ? F.saturate(V) : V; };
    if (To->lanes == 2 && From->lanes == 1 && I.operands.size() == 3) { // the first is the upper half
      Value *High = in(I, 1, From->bits), *Low = in(I, 2, From->bits);
      if (!High || !Low || !From->isFloat() || !To->isFloat())
        return false;
      Type *Element = computing(*To)->getScalarType();
      auto Convert = [&](Value *V) {
        return sized(bits(Number(F.convert(B.CreateBitCast(V, computing(*From)), Element, How.rounding))),
                     32);
      };
      write(nameOf(I, 0), B.CreateOr(Convert(Low), B.CreateShl(Convert(High), 16)));
      return true;
    }
    Value *V = From->lanes == 1 && To->lanes == 1 ? in(I, 1, From->bits) : nullptr;
    if (!V)
      return false;
    Value *R = nullptr;
    if (From->isFloat() && To->isFloat()) {
      V = B.CreateBitCast(V, computing(*From));
      if (ToInteger || (*&From->bits == To->bits && From->kind == To->kind))
        V = ToInteger ? F.integral(V, How.rounding) : V;
      R = Number(F.convert(V, computing(*To), ToInteger ? Rounding::Nearest : How.rounding));
    } else if (From->isFloat()) {
      R = F.toInteger(B.CreateBitCast(V, computing(*From)), computing(*To), To->isSigned(), How.rounding);
    } else if (To->isFloat()) {
      R = Number(F.fromInteger(V, computing(*To), From->isSigned(), How.rounding));
    } else {
      R = integerConversion(V, *From, *To, How.saturate);
    }
    // A register may be wider than the type: the sign goes on.
    Value *Result = bits(R);
    if (auto Out = operandNumber(nameOf(I, 0)); To->isSigned() && Out && Output[*Out] >= 0)
      Result = B.CreateSExtOrTrunc(Result, B.getIntNTy(unsigned(E.module.getDataLayout().getTypeSizeInBits(
                                               outputType(unsigned(Output[*Out]))))));
    write(nameOf(I, 0), Result);
    return true;
  }

  Value *integerConversion(Value *V, const PtxType &From, const PtxType &To, bool Saturate) {
    Type *T = B.getIntNTy(To.bits);
    if (!Saturate)
      return From.isSigned() ? B.CreateSExtOrTrunc(V, T) : B.CreateZExtOrTrunc(V, T);
    // In a type that holds both.
    Type *Wide = B.getIntNTy(128);
    Value *W128 = From.isSigned() ? B.CreateSExt(V, Wide) : B.CreateZExt(V, Wide);
    const APInt Most =
        To.isSigned() ? APInt::getSignedMaxValue(To.bits).zext(128) : APInt::getMaxValue(To.bits).zext(128);
    const APInt Least = To.isSigned() ? APInt::getSignedMinValue(To.bits).sext(128) : APInt(128, 0);
    W128 = B.CreateBinaryIntrinsic(Intrinsic::smin, W128, ConstantInt::get(Wide, Most));
    W128 = B.CreateBinaryIntrinsic(Intrinsic::smax, W128, ConstantInt::get(Wide, Least));
    return B.CreateTrunc(W128, T);
  }

  //--- Arithmetic ---------------------------------------------------------------------
  /// add.cc, addc, sub.cc, subc, mad.lo.cc, madc.hi ...: Carry is what the last of them left (for sums; for
  /// differences the borrow).
  bool carrying(const PtxInstruction &I) {
    const StringRef Name = I.name();
    const bool Takes = Name == "addc" || Name == "subc" || Name == "madc", Leaves = I.has("cc");
    const PtxType T = lastType(I);
    if ((!Takes && !Leaves) || T.isFloat() || !T.bits || T.bits > 64)
      return false;
    Value *A = in(I, 1, T.bits), *Other = in(I, 2, T.bits);
    if (!A || !Other)
      return false;
    Type *Wide = B.getIntNTy(T.bits + 2);
    if (Name.starts_with("mad")) {
      Value *Third = in(I, 3, T.bits);
      if (!Third)
        return false;
      A = I.has("hi") ? W.high(A, Other, T.isSigned()) : B.CreateMul(A, Other);
      Other = Third;
    }
    Value *In =
        Takes ? (Carry ? B.CreateZExt(Carry, Wide) : ConstantInt::get(Wide, 0)) : ConstantInt::get(Wide, 0);
    const bool Minus = Name.starts_with("sub");
    Value *X = B.CreateZExt(A, Wide), *Y = B.CreateZExt(Other, Wide);
    Value *Sum = Minus ? B.CreateSub(B.CreateSub(X, Y), In) : B.CreateAdd(B.CreateAdd(X, Y), In);
    if (Leaves)
      Carry = B.CreateTrunc(B.CreateLShr(Sum, T.bits), E.i1);
    write(nameOf(I, 0), B.CreateTrunc(Sum, B.getIntNTy(T.bits)));
    return true;
  }

  bool floats(const PtxInstruction &I) {
    const PtxType T = lastType(I);
    if (!T.isFloat())
      return false;
    FloatModifiers How;
    for (StringRef Part : drop_begin(drop_end(I.opcode)))
      if (!How.take(Part) || (Part == "abs" && !I.has("xorsign")))
        return false;
    SmallVector<Value *, 3> Operands;
    for (unsigned Number = 1; Number < I.operands.size(); ++Number) {
      Value *V = in(I, Number, T.whole());
      if (!V)
        return false;
      Operands.push_back(B.CreateBitCast(V, computing(T)));
    }
    Value *R = F.operation(I.name(), Operands, How);
    if (!R)
      return false;
    write(nameOf(I, 0), bits(R));
    return true;
  }

  /// vadd4.u32.s32.s32.sat, vset2.u32.u32.eq: parts of a word.
  bool simd(const PtxInstruction &I) {
    StringRef Name = I.name();
    const unsigned Parts = Name.ends_with("4") ? 4 : Name.ends_with("2") ? 2 : 0;
    if (!Name.consume_front("v") || !Parts)
      return false;
    Name = Name.drop_back();
    SmallVector<PtxType, 3> Types;
    StringRef Test;
    for (StringRef Part : drop_begin(I.opcode)) {
      if (auto T = typeOf(Part))
        Types.push_back(*T);
      else if (Part != "sat" && Part != "add")
        Test = Part;
    }
    const int Operation = StringSwitch<int>(Name == "set" ? Test : Name)
                              .Case("add", 0)
                              .Case("sub", 1)
                              .Case("avrg", 2)
                              .Case("absdiff", 3)
                              .Case("min", 4)
                              .Case("max", 5)
                              .Case("eq", 6)
                              .Case("ne", 7)
                              .Case("lt", 8)
                              .Case("le", 9)
                              .Case("gt", 10)
                              .Case("ge", 11)
                              .Default(-1);
    Value *A = in(I, 1, 32), *Second = in(I, 2, 32),
          *Third = I.operands.size() > 3 ? in(I, 3, 32) : B.getInt32(0);
    const bool Sums = I.has("add"), Named = Name == "set" || Test.empty();
    if (Operation < 0 || !Named || !A || !Second || !Third || Types.size() < 2)
      return false;
    const bool ThreeTypes = Types.size() == 3; // vset has none for its result
    const unsigned Flags =
        Types[ThreeTypes ? 1 : 0].isSigned() | unsigned(Types[ThreeTypes ? 2 : 1].isSigned()) << 1 |
        unsigned(ThreeTypes && Types[0].isSigned()) << 2 | unsigned(I.has("sat")) << 3 | unsigned(Sums) << 4;
    write(nameOf(I, 0),
          E.call(B, "warplintReplaySimd", E.i32,
                 {B.getInt32(unsigned(Operation)), B.getInt32(Parts), B.getInt32(Flags), A, Second, Third}));
    return true;
  }

  /// PTX: amounts beyond the width shift everything out.
  Value *shift(bool Left, bool Arithmetic, Value *V, Value *Amount) {
    const unsigned Bits = V->getType()->getIntegerBitWidth();
    Value *Beyond = B.CreateICmpUGE(Amount, B.getInt32(Bits));
    Value *By = sized(B.CreateSelect(Beyond, B.getInt32(Arithmetic ? Bits - 1 : 0), Amount), Bits);
    if (Arithmetic)
      return B.CreateAShr(V, By);
    return B.CreateSelect(Beyond, B.getIntN(Bits, 0), Left ? B.CreateShl(V, By) : B.CreateLShr(V, By));
  }

  bool integers(const PtxInstruction &I) {
    const PtxType T = lastType(I);
    if (T.isFloat() || !T.bits || T.whole() > 64 || T.lanes > 1)
      return false;
    Value *R = integerValue(I, T);
    if (!R)
      return false;
    write(nameOf(I, 0), R);
    return true;
  }

  Value *integerValue(const PtxInstruction &I, const PtxType &T) {
    const StringRef Name = I.name();
    const unsigned Bits = T.bits;
    Value *A = in(I, 1, Bits);
    if (!A)
      return nullptr;
    Type *Own = A->getType();
    if (Value *V = unaryValue(I, T, A))
      return V;
    Value *Count = in(I, 2, 32), *Second = in(I, 2, Bits);
    if (!Second)
      return nullptr;
    if (I.has("sat"))
      return Name == "add"   ? B.CreateBinaryIntrinsic(Intrinsic::sadd_sat, A, Second)
             : Name == "sub" ? B.CreateBinaryIntrinsic(Intrinsic::ssub_sat, A, Second)
                             : nullptr;
    if (Name == "add")
      return B.CreateAdd(A, Second);
    if (Name == "sub")
      return B.CreateSub(A, Second);
    if (Name == "and")
      return B.CreateAnd(A, Second);
    if (Name == "or")
      return B.CreateOr(A, Second);
    if (Name == "xor")
      return B.CreateXor(A, Second);
    if (Name == "min" || Name == "max") {
      const bool Maximum = Name == "max";
      const Intrinsic::ID Id = T.isSigned() ? (Maximum ? Intrinsic::smax : Intrinsic::smin)
                                            : (Maximum ? Intrinsic::umax : Intrinsic::umin);
      return B.CreateBinaryIntrinsic(Id, A, Second);
    }
    if (Name == "div")
      return T.isSigned() ? B.CreateSDiv(A, Second) : B.CreateUDiv(A, Second);
    if (Name == "rem")
      return T.isSigned() ? B.CreateSRem(A, Second) : B.CreateURem(A, Second);
    if (Name == "shl")
      return shift(true, false, A, Count);
    if (Name == "shr")
      return shift(false, T.isSigned(), A, Count);
    if (Name == "mul" || Name == "mad") {
      Value *Product = I.has("wide") ? widened(A, Second, T)
                       : I.has("hi") ? W.high(A, Second, T.isSigned())
                                     : B.CreateMul(A, Second);
      if (Name == "mul")
        return Product;
      Value *Third = in(I, 3, Product->getType()->getIntegerBitWidth());
      return Third ? B.CreateAdd(Product, Third) : nullptr;
    }
    return ternaryValue(I, T, A, Second, Own);
  }

  Value *widened(Value *A, Value *Second, const PtxType &T) {
    Type *Wide = B.getIntNTy(2 * T.bits);
    return T.isSigned() ? B.CreateMul(B.CreateSExt(A, Wide), B.CreateSExt(Second, Wide))
                        : B.CreateMul(B.CreateZExt(A, Wide), B.CreateZExt(Second, Wide));
  }

  Value *unaryValue(const PtxInstruction &I, const PtxType &T, Value *A) {
    const StringRef Name = I.name();
    if (Name == "not")
      return B.CreateNot(A);
    if (Name == "neg")
      return B.CreateNeg(A);
    if (Name == "cnot")
      return B.CreateZExt(B.CreateIsNull(A), A->getType());
    if (Name == "abs")
      return B.CreateBinaryIntrinsic(Intrinsic::abs, A, B.getFalse());
    if (Name == "popc")
      return sized(B.CreateUnaryIntrinsic(Intrinsic::ctpop, A), 32);
    if (Name == "brev")
      return B.CreateUnaryIntrinsic(Intrinsic::bitreverse, A);
    if (Name == "clz")
      return sized(B.CreateBinaryIntrinsic(Intrinsic::ctlz, A, B.getFalse()), 32);
    if (Name == "bfind") { // the highest bit that is not the sign; ones when there is none
      Value *V = T.isSigned() ? B.CreateXor(A, B.CreateAShr(A, T.bits - 1)) : A;
      Value *Zeros = sized(B.CreateBinaryIntrinsic(Intrinsic::ctlz, V, B.getFalse()), 32);
      Value *At = I.has("shiftamt") ? Zeros : B.CreateSub(B.getInt32(T.bits - 1), Zeros);
      return B.CreateSelect(B.CreateIsNull(V), B.getInt32(~0u), At);
    }
    return nullptr;
  }

  Value *ternaryValue(const PtxInstruction &I, const PtxType &T, Value *A, Value *Second, Type *Own) {
    const StringRef Name = I.name();
    if (Name == "dp4a" || Name == "dp2a") { // dp2a.lo.s32.u32
      Value *Third = in(I, 3, 32);
      const auto First = typeOf(I.opcode[I.opcode.size() - 2]);
      if (!Third || !First)
        return nullptr;
      return E.call(B, "warplintReplayDot", E.i32,
                    {B.getInt32(Name == "dp4a" ? 4 : 2), B.getInt32(First->isSigned()),
                     B.getInt32(T.isSigned()), A, Second, Third, B.getInt32(I.has("hi"))});
    }
    Value *Third = in(I, 3, Name == "bfe" ? 32 : T.bits);
    if (!Third)
      return nullptr;
    if (Name == "prmt" && I.opcode.size() == 2)
      return W.permute(A, Second, Third);
    if (Name == "shf")
      return W.funnel(I.has("l"), I.has("clamp"), A, Second, Third);
    if (Name == "sad") {
      Value *Less = T.isSigned() ? B.CreateICmpSLT(A, Second) : B.CreateICmpULT(A, Second);
      return B.CreateAdd(B.CreateSelect(Less, B.CreateSub(Second, A), B.CreateSub(A, Second)), Third);
    }
    if (Name == "bfe") { // a, position, length: bytes of each
      Value *Position = B.CreateAnd(in(I, 2, 32), 255), *Length = B.CreateAnd(Third, 255);
      Value *Mask = B.CreateNot(shift(true, false, Constant::getAllOnesValue(Own), Length));
      Value *Field = B.CreateAnd(shift(false, false, A, Position), Mask);
      if (!T.isSigned())
        return Field;
      Value *Last = B.CreateBinaryIntrinsic(
          Intrinsic::umin, B.CreateSub(B.CreateAdd(Position, Length), B.getInt32(1)), B.getInt32(T.bits - 1));
      Value *Sign = B.CreateTrunc(B.CreateLShr(A, sized(Last, T.bits)), E.i1);
      Value *Extended = B.CreateSelect(Sign, B.CreateOr(Field, B.CreateNot(Mask)), Field);
      return B.CreateSelect(B.CreateIsNull(Length), Constant::getNullValue(Own), Extended);
    }
    if (Name == "bfi") { // a into b at a position
      Value *Position = B.CreateAnd(in(I, 3, 32), 255), *Length = in(I, 4, 32);
      if (!Length)
        return nullptr;
      Value *Ones = B.CreateNot(shift(true, false, Constant::getAllOnesValue(Own), B.CreateAnd(Length, 255)));
      Value *Mask = shift(true, false, Ones, Position);
      return B.CreateOr(B.CreateAnd(shift(true, false, A, Position), Mask),
                        B.CreateAnd(Second, B.CreateNot(Mask)));
    }
    if (Name == "lop3") {
      const auto *Table = dyn_cast_or_null<ConstantInt>(in(I, 4, 32));
      return Table ? logic(unsigned(Table->getZExtValue()), A, Second, Third) : nullptr;
    }
    return nullptr;
  }

  /// Bit 4a + 2b + c of the table is the result for these bits.
  Value *logic(unsigned Table, Value *A, Value *Second, Value *Third) {
    Value *R = Constant::getNullValue(A->getType());
    for (unsigned Case = 0; Case < 8; ++Case)
      if (Table >> Case & 1)
        R = B.CreateOr(R, B.CreateAnd(B.CreateAnd(Case & 4 ? A : B.CreateNot(A),
                                                  Case & 2 ? Second : B.CreateNot(Second)),
                                      Case & 1 ? Third : B.CreateNot(Third)));
    return R;
  }
};

} // namespace

void warplint::replay::lowerAssembly(Emitter &E) {
  SmallVector<CallInst *, 16> Work;
  for (Function &F : E.module)
    for (Instruction &I : instructions(F))
      if (auto *C = dyn_cast<CallInst>(&I); C && C->isInlineAsm())
        Work.push_back(C);
  for (CallInst *C : Work)
    Statement(E, *C).run();
}
