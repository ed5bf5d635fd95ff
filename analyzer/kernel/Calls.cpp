//===-- Calls.cpp - Calls, intrinsics and inline PTX --------------------------===//

#include "analyzer/kernel/Machine.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::kernel;
using result::Mechanism;
using result::Operation;

static unsigned widthOf(const Type *T) { return T->isIntegerTy() ? T->getIntegerBitWidth() : 64; }

WarpValue Machine::thread(unsigned Axis) {
  WarpValue V = WarpValue::lanes(Shape->thread[Axis]);
  V.compress();
  if (Shape->scale[Axis])
    V = W.add(V, W.dimension(Dimension(WarpX + Axis), Shape->scale[Axis]), 64, true);
  return V;
}

WarpValue Machine::blockIndex(unsigned Axis) { return W.dimension(Dimension(BlockX + Axis), 1); }

WarpValue Machine::laneId() {
  std::array<int64_t, 32> L;
  for (unsigned I = 0; I < 32; ++I)
    L[I] = I;
  return WarpValue::lanes(L);
}

WarpValue Machine::atomic(Frame &F, const Instruction &I, const llvm::Value *Pointer,
                          const llvm::Value *Operand, Type *T) {
  WarpValue P = operand(F, Pointer);
  if (P.object && Objects[P.object].kind == Object::Local) {
    Objects[P.object].cells.clear();
    Objects[P.object].clobbered = true;
    return WarpValue::unknownLanes();
  }
  recordAccess(F, I, P, unsigned(Layout.getTypeStoreSize(T).getFixedValue()), Operation::Atomic,
               Mechanism::Plain, 0, Operand && !operand(F, Operand).uniform);
  ++Epoch;
  return WarpValue::unknownLanes();
}

/// Pure integer functions, by the name that LLVM, libdevice or the CUDA headers give them.
static std::optional<int64_t> integerFunction(StringRef Name, unsigned Bits, int64_t A, int64_t B) {
  uint64_t U = lowBits(A, Bits), V = lowBits(B, Bits);
  if (Name == "abs")
    return A < 0 ? signExtend(int64_t(-uint64_t(A)), Bits) : A;
  if (Name == "ctpop")
    return popcount(U);
  if (Name == "ctlz")
    return U ? int64_t(countl_zero(U)) - (64 - int64_t(Bits)) : int64_t(Bits);
  if (Name == "cttz")
    return U ? int64_t(countr_zero(U)) : int64_t(Bits);
  if (Name == "ffs")
    return U ? int64_t(countr_zero(U)) + 1 : 0;
  if (Name == "brev")
    return signExtend(int64_t(reverseBits(U) >> (64 - Bits)), Bits);
  if (Name == "mulhi")
    return Bits == 32 ? std::optional((A * B) >> 32) : std::nullopt;
  if (Name == "umulhi")
    return Bits == 32 ? std::optional(signExtend(int64_t((U * V) >> 32), 32)) : std::nullopt;
  if (Name == "mul24")
    return signExtend(SignExtend64<24>(U) * SignExtend64<24>(V), 32);
  if (Name == "umul24")
    return signExtend(int64_t((U & 0xffffff) * (V & 0xffffff)), 32);
  return std::nullopt;
}

static StringRef integerFunctionName(StringRef Callee) {
  return StringSwitch<StringRef>(Callee)
      .StartsWith("llvm.abs.", "abs")
      .StartsWith("llvm.ctpop.", "ctpop")
      .StartsWith("llvm.ctlz.", "ctlz")
      .StartsWith("llvm.cttz.", "cttz")
      .StartsWith("llvm.bitreverse.", "brev")
      .Cases({"__nv_abs", "__nv_llabs"}, "abs")
      .Cases({"__nv_popc", "__nv_popcll"}, "ctpop")
      .Cases({"__nv_clz", "__nv_clzll"}, "ctlz")
      .Cases({"__nv_ffs", "__nv_ffsll"}, "ffs")
      .Cases({"__nv_brev", "__nv_brevll"}, "brev")
      .Cases({"llvm.nvvm.mulhi.i", "__nv_mulhi"}, "mulhi")
      .Cases({"llvm.nvvm.mulhi.ui", "__nv_umulhi"}, "umulhi")
      .Cases({"llvm.nvvm.mul24.i", "__nv_mul24"}, "mul24")
      .Cases({"llvm.nvvm.mul24.ui", "__nv_umul24"}, "umul24")
      .Default("");
}

bool Machine::intrinsic(Frame &F, const CallBase &C, StringRef Name, WarpValue &Result) {
  auto Argument = [&](unsigned I) { return operand(F, C.getArgOperand(I)); };
  auto Axis = [&](StringRef Register) { return unsigned(Register.back() - 'x'); };
  StringRef Register = Name;
  if (Register.consume_front("llvm.nvvm.read.ptx.sreg.")) {
    if (Register.starts_with("tid."))
      Result = thread(Axis(Register));
    else if (Register.starts_with("ctaid."))
      Result = blockIndex(Axis(Register));
    else if (Register.starts_with("ntid."))
      Result = WarpValue::constant(TheSetting.block[Axis(Register)]);
    else if (Register.starts_with("nctaid."))
      Result = TheSetting.grid ? WarpValue::constant(int64_t((*TheSetting.grid)[Axis(Register)]))
                               : W.valueOf(W.symbol("gridDim." + Register.substr(7).str()));
    else if (Register == "laneid")
      Result = laneId();
    else if (Register == "warpsize")
      Result = WarpValue::constant(32);
    else if (Register.starts_with("lanemask.")) {
      std::array<int64_t, 32> L;
      for (unsigned I = 0; I < 32; ++I) {
        uint64_t Bit = uint64_t(1) << I;
        uint64_t M = StringSwitch<uint64_t>(Register.substr(9))
                         .Case("eq", Bit)
                         .Case("lt", Bit - 1)
                         .Case("le", Bit | (Bit - 1))
                         .Case("gt", ~(Bit | (Bit - 1)))
                         .Default(~(Bit - 1));
        L[I] = SignExtend64<32>(M);
      }
      Result = WarpValue::lanes(L);
    } else
      Result = WarpValue::unknownUniform(); // clocks, SM ids
    return true;
  }
  if (Name.starts_with("llvm.smin.") || Name.starts_with("llvm.smax.") || Name.starts_with("llvm.umin.") ||
      Name.starts_with("llvm.umax.")) {
    if (!C.getType()->isIntegerTy())
      return false;
    Result = W.minimumMaximum(Name[7] == 'a', Name[5] == 's', Argument(0), Argument(1), widthOf(C.getType()));
    return true;
  }
  if (Name == "__nv_min" || Name == "__nv_max" || Name == "__nv_umin" || Name == "__nv_umax" ||
      Name == "__nv_llmin" || Name == "__nv_llmax") {
    Result = W.minimumMaximum(Name.ends_with("max"), !Name.contains("_um"), Argument(0), Argument(1),
                              widthOf(C.getType()));
    return true;
  }
  if (StringRef Function = integerFunctionName(Name); !Function.empty() && C.getType()->isIntegerTy()) {
    unsigned Bits = widthOf(C.getArgOperand(0)->getType());
    bool Two = C.arg_size() > 1 && !Name.starts_with("llvm.ct") && !Name.starts_with("llvm.abs");
    WarpValue A = Argument(0), B = Two ? Argument(1) : WarpValue::constant(0);
    if (Function == "umul24" || Function == "mul24") { // a product like any other while its factors are small
      WarpValue Product = W.mul(A, B, 32, true);
      bool Small = true;
      auto Fits = [&](const WarpValue &V) {
        Interval I = W.range(V.shift);
        forLanes(F.mask & ~V.unknown,
                 [&](unsigned L) { Small &= V.at(L) + I.low >= 0 && V.at(L) + I.high < (1 << 24); });
      };
      Fits(A), Fits(B);
      if (Small) {
        Result = Product;
        return true;
      }
    }
    Result = W.map(
        A, B, [&](int64_t X, int64_t Y) { return integerFunction(Function, Bits, X, Y); },
        [&] {
          return Function.str() + "(" + W.context.print(W.polynomial(A)) +
                 (Two ? ", " + W.context.print(W.polynomial(B)) : "") + ")";
        });
    return true;
  }
  if (auto *M = dyn_cast<MemTransferInst>(&C)) {
    WarpValue Size = Argument(2);
    if (Size.known() && Size.uniform && Size.lane[0] >= 0 && !Size.soft && !Size.shift) {
      if (Size.lane[0])
        copy(F, C, operand(F, M->getRawDest()), operand(F, M->getRawSource()), uint64_t(Size.lane[0]));
    } else {
      WarpValue To = Argument(0);
      if (To.object && Objects[To.object].kind == Object::Local) {
        Objects[To.object].cells.clear();
        Objects[To.object].clobbered = true;
      } else {
        recordAccess(F, C, WarpValue::unknownLanes(), 1, Operation::Store, Mechanism::Memcpy, 1000);
      }
      WarpValue From = Argument(1);
      if (!(From.object && Objects[From.object].kind == Object::Local))
        recordAccess(F, C, WarpValue::unknownLanes(), 1, Operation::Load, Mechanism::Memcpy, 0);
    }
    return true;
  }
  if (isa<MemSetInst>(C)) {
    WarpValue Size = Argument(2);
    fill(F, C, Argument(0), Argument(1),
         Size.known() && Size.uniform && !Size.soft && !Size.shift ? std::optional(uint64_t(Size.lane[0]))
                                                                   : std::nullopt);
    return true;
  }
  if (Name.starts_with("llvm.nvvm.shfl.")) {
    // shfl.sync.{idx,up,down,bfly}.{i32,f32}(mask, value, lane, segment and clamp)
    bool Sync = Name.contains(".sync.");
    WarpValue V = Argument(Sync ? 1 : 0), Lane = Argument(Sync ? 2 : 1), Segment = Argument(Sync ? 3 : 2);
    if (Name.ends_with("p") && !C.getType()->isIntegerTy() && !C.getType()->isFloatTy()) { // with predicate
      F.aggregates[F.info->slot.lookup(&C)] = {WarpValue::unknownLanes(), WarpValue::unknownLanes()};
      return true;
    }
    bool Index = Name.contains(".idx.");
    if (!C.getType()->isIntegerTy() || V.unknown) {
      bool OneSource = Index && Lane.uniform && Lane.known() && Segment.uniform && Segment.known() &&
                       (Segment.lane[0] >> 8 & 31) == 0;
      Result = V.uniform || OneSource ? WarpValue::unknownUniform() : WarpValue::unknownLanes();
      return true;
    }
    WarpValue PinnedLane = W.pin(Lane), PinnedSegment = W.pin(Segment);
    if (PinnedLane.unknown || PinnedSegment.unknown) {
      Result = V.uniform ? V : WarpValue::unknownLanes();
      return true;
    }
    WarpValue R = V;
    R.words = {};
    R.spread();
    WarpValue Source = V;
    Source.spread();
    R.soft |= PinnedLane.soft | PinnedSegment.soft;
    for (unsigned L = 0; L < 32; ++L) { // [PTX ISA, shfl.sync]
      int64_t B = PinnedLane.at(L) & 31, ClampField = PinnedSegment.at(L) & 31,
              SegmentMask = PinnedSegment.at(L) >> 8 & 31;
      int64_t MaxLane = (int64_t(L) & SegmentMask) | (ClampField & ~SegmentMask);
      int64_t MinLane = int64_t(L) & SegmentMask, J;
      bool Valid;
      if (Name.contains(".up."))
        J = int64_t(L) - B, Valid = J >= MaxLane;
      else if (Name.contains(".down."))
        J = int64_t(L) + B, Valid = J <= MaxLane;
      else if (Name.contains(".bfly."))
        J = int64_t(L) ^ B, Valid = J <= MaxLane;
      else
        J = MinLane | (B & ~SegmentMask), Valid = J <= MaxLane;
      unsigned From = Valid ? unsigned(J) & 31 : L;
      R.lane[L] = Source.lane[From];
      if (!(F.mask >> From & 1))
        R.unknown |= LaneMask(1) << L;
    }
    R.compress();
    Result = R;
    return true;
  }
  if (Name == "llvm.nvvm.activemask") {
    // The lanes that are here. What their being here rests on, the control flow carries.
    Result = WarpValue::constant(signExtend(int64_t(F.mask), 32));
    return true;
  }
  if (Name.starts_with("llvm.nvvm.vote.") || Name.starts_with("llvm.nvvm.match.")) {
    Result = Name.starts_with("llvm.nvvm.match.") ? WarpValue::unknownLanes() : WarpValue::unknownUniform();
    return true;
  }
  if (Name.starts_with("llvm.nvvm.isspacep.")) {
    WarpValue P = Argument(0);
    if (P.object) {
      result::Space S = Objects[P.object].space;
      Result = WarpValue::constant(Name.ends_with("shared")  ? S == result::Space::Shared
                                   : Name.ends_with("const") ? S == result::Space::Constant
                                   : Name.ends_with("local") ? S == result::Space::Local
                                                             : S == result::Space::Global);
    }
    return true;
  }
  if (Name.starts_with("llvm.nvvm.ptr.")) {
    Result = Argument(0);
    return true;
  }
  if (Name.starts_with("llvm.nvvm.atomic.") || Name.starts_with("llvm.nvvm.atom.")) {
    Result = atomic(F, C, C.getArgOperand(0), C.arg_size() > 1 ? C.getArgOperand(1) : nullptr, C.getType());
    return true;
  }
  if (Name.starts_with("llvm.nvvm.ldg.") || Name.starts_with("llvm.nvvm.ldu.")) {
    Result = load(F, C, Argument(0), C.getType());
    return true;
  }
  if (Name.starts_with("llvm.nvvm.cp.async.") && Name.contains(".shared.global.") && C.arg_size() >= 2) {
    unsigned Bytes = Name.contains(".16") ? 16 : Name.contains(".8") ? 8 : 4;
    recordAccess(F, C, Argument(1), Bytes, Operation::Load, Mechanism::CpAsync, 0);
    recordAccess(F, C, Argument(0), Bytes, Operation::Store, Mechanism::CpAsync, 1000);
    ++Epoch;
    return true;
  }
  if (Name.starts_with("llvm.expect.") || Name.starts_with("llvm.launder.") ||
      Name.starts_with("llvm.strip.")) {
    Result = Argument(0);
    return true;
  }
  if (Name.starts_with("llvm.is.constant")) {
    Result = WarpValue::constant(0);
    return true;
  }
  return false;
}

/// A load or store written in PTX: "ld.global.cs.v4.f32 {$0, $1, $2, $3}, [$4];".
struct PtxAccess {
  Operation operation = Operation::Load;
  unsigned width = 0;   ///< bytes
  unsigned operand = 0; ///< the $ number of the address
  int64_t offset = 0;   ///< added to it
};

static std::optional<PtxAccess> ptxAccess(StringRef Text) {
  Text = Text.trim(" \t\n{");
  PtxAccess A;
  size_t At = StringRef::npos;
  for (auto [Mnemonic, Operation] :
       {std::pair("ld.", Operation::Load), std::pair("st.", Operation::Store),
        std::pair("red.", Operation::Atomic), std::pair("atom.", Operation::Atomic)})
    for (size_t I = Text.find(Mnemonic); I != StringRef::npos && At == StringRef::npos;
         I = Text.find(Mnemonic, I + 1))
      if (I == 0 || !(isAlnum(Text[I - 1]) || Text[I - 1] == '_' || Text[I - 1] == '.')) {
        At = I;
        A.operation = Operation;
      }
  if (At == StringRef::npos)
    return std::nullopt;
  StringRef Instruction = Text.substr(At).take_until([](char C) { return C == ';'; });
  SmallVector<StringRef, 8> Parts;
  Instruction.take_until([](char C) { return isSpace(C); }).split(Parts, '.');
  unsigned Bits = 0, Count = 1;
  for (StringRef Part : Parts) {
    unsigned Number = 0;
    if (is_contained({"param", "shared::cluster", "local"}, Part))
      return std::nullopt;
    if (Part.size() == 2 && Part[0] == 'v' && !Part.drop_front().getAsInteger(10, Number))
      Count = Number;
    else if (Part.size() >= 2 && StringRef("bsuf").contains(Part[0]) &&
             !Part.drop_front().getAsInteger(10, Number))
      Bits = Number;
  }
  StringRef Address =
      Instruction.substr(Instruction.find('[')).drop_front(1).take_until([](char C) { return C == ']'; });
  Address = Address.trim();
  auto [Register, Offset] = Address.split('+');
  if (!Register.trim().consume_front("$"))
    return std::nullopt;
  Register = Register.trim().drop_front(1);
  if (!Bits || Register.getAsInteger(10, A.operand) ||
      (!Offset.empty() && Offset.trim().getAsInteger(0, A.offset)))
    return std::nullopt;
  A.width = Bits / 8 * Count;
  return A;
}

/// The $ numbers of the first two addresses of "cp.async.cg.shared.global [$0], [$1], 16;", and the size: a
/// number, or a $ too.
struct PtxCopy {
  unsigned to = 0, from = 0;
  std::optional<unsigned> bytes, bytesOperand;
};

static std::optional<PtxCopy> ptxCopy(StringRef Text) {
  size_t At = Text.find("cp.async.");
  if (At == StringRef::npos)
    return std::nullopt;
  StringRef Instruction = Text.substr(At).take_until([](char C) { return C == ';'; });
  StringRef Mnemonic = Instruction.take_until([](char C) { return isSpace(C); });
  if (!Mnemonic.contains(".shared") || !Mnemonic.contains(".global") || Mnemonic.contains(".bulk"))
    return std::nullopt;
  SmallVector<StringRef, 4> Operands;
  Instruction.drop_front(Mnemonic.size()).split(Operands, ',');
  auto Number = [](StringRef Operand, unsigned &Into) {
    Operand = Operand.trim(" \t[]");
    return Operand.consume_front("$") && !Operand.getAsInteger(10, Into);
  };
  PtxCopy Copy;
  unsigned Value = 0;
  if (Operands.size() < 3 || !Number(Operands[0], Copy.to) || !Number(Operands[1], Copy.from))
    return std::nullopt;
  if (Number(Operands[2], Value))
    Copy.bytesOperand = Value;
  else if (!Operands[2].trim().getAsInteger(0, Value))
    Copy.bytes = Value;
  return Copy;
}

bool Machine::assembly(Frame &F, const CallBase &C, WarpValue &Result) {
  StringRef Text = cast<InlineAsm>(C.getCalledOperand())->getAsmString();
  if (auto Copy = ptxCopy(Text);
      Copy && C.getType()->isVoidTy() && Copy->to < C.arg_size() && Copy->from < C.arg_size()) {
    if (Copy->bytesOperand && *Copy->bytesOperand < C.arg_size()) {
      WarpValue Size = operand(F, C.getArgOperand(*Copy->bytesOperand));
      if (Size.uniform && Size.known() && !Size.soft && !Size.shift)
        Copy->bytes = unsigned(Size.lane[0]);
    }
    if (Copy->bytes && (*Copy->bytes == 4 || *Copy->bytes == 8 || *Copy->bytes == 16)) {
      recordAccess(F, C, operand(F, C.getArgOperand(Copy->from)), *Copy->bytes, Operation::Load,
                   Mechanism::CpAsync, 0);
      recordAccess(F, C, operand(F, C.getArgOperand(Copy->to)), *Copy->bytes, Operation::Store,
                   Mechanism::CpAsync, 1000);
      ++Epoch;
      return true;
    }
  }
  if (auto Access = ptxAccess(Text)) {
    // Operands count outputs first; one output is the result, several are its members.
    unsigned Outputs = C.getType()->isVoidTy()     ? 0
                       : C.getType()->isStructTy() ? C.getType()->getStructNumElements()
                                                   : 1;
    if (Access->operand >= Outputs && Access->operand - Outputs < C.arg_size() && Access->width &&
        Access->width <= 32) {
      WarpValue Pointer = operand(F, C.getArgOperand(Access->operand - Outputs));
      WarpValue At = W.add(Pointer, WarpValue::constant(Access->offset), 64, true);
      recordAccess(F, C, At, Access->width, Access->operation, Mechanism::Plain, 0);
      Result = W.isUniform(At, F.mask) && Access->operation == Operation::Load ? WarpValue::unknownUniform()
                                                                               : WarpValue::unknownLanes();
      if (Access->operation != Operation::Load)
        ++Epoch;
      return true;
    }
  }
  if (Text.contains("%laneid")) {
    Result = laneId();
    return true;
  }
  if (Text.contains("%nwarpid")) {
    Result = WarpValue::unknownUniform();
    return true;
  }
  if (Text.contains("%lanemask_lt") && Text.trim().starts_with("mov")) {
    std::array<int64_t, 32> L;
    for (unsigned I = 0; I < 32; ++I)
      L[I] = SignExtend64<32>((uint64_t(1) << I) - 1);
    Result = WarpValue::lanes(L);
    return true;
  }
  // Special registers are the same in all lanes; anything else is as its operands are.
  bool Uniform = !Text.contains("%lanemask") && !Text.contains("%clock");
  for (const Use &U : C.args())
    Uniform &= operand(F, U).uniform;
  Result = Uniform ? WarpValue::unknownUniform() : WarpValue::unknownLanes();
  return false;
}

void Machine::call(Frame &F, const CallBase &C) {
  WarpValue Result = WarpValue::unknownLanes();
  auto Finish = [&](const WarpValue &V) {
    if (C.getType()->isVoidTy())
      return;
    if (C.getType()->isAggregateType()) {
      if (!F.aggregates.contains(F.info->slot.lookup(&C)))
        F.aggregates[F.info->slot.lookup(&C)] = {};
      return;
    }
    set(F, C, V);
  };
  auto Clobber = [&] { // whatever it may write through its arguments
    for (const Use &U : C.args())
      if (U->getType()->isPointerTy())
        clobber(operand(F, U));
    ++Epoch;
  };
  if (C.isInlineAsm()) {
    if (!assembly(F, C, Result))
      Clobber();
    return Finish(Result);
  }
  Function *Callee = dyn_cast<Function>(C.getCalledOperand()->stripPointerCasts());
  if (!Callee) {
    Clobber();
    return Finish(Result);
  }
  if (Callee->isIntrinsic() || Callee->isDeclaration()) {
    StringRef Name = Callee->getName();
    bool Uniform = true; // pure functions and conversions: as their operands are
    for (const Use &U : C.args())
      Uniform &= operand(F, U).uniform;
    Result = Uniform ? WarpValue::unknownUniform() : WarpValue::unknownLanes();
    if (!intrinsic(F, C, Name, Result) && !Callee->isIntrinsic() && !Name.starts_with("__nv_"))
      Clobber();
    else if (C.mayWriteToMemory())
      ++Epoch; // barriers: what other threads wrote is there afterwards
    return Finish(Result);
  }
  std::vector<WarpValue> Arguments;
  std::vector<std::vector<WarpValue>> ArgumentParts;
  SmallVector<uint32_t, 2> Copies; ///< of arguments passed by value
  for (unsigned I = 0; I < C.arg_size(); ++I) {
    const llvm::Value *A = C.getArgOperand(I);
    WarpValue V = operand(F, A);
    if (C.isByValArgument(I)) {
      uint64_t Size = Layout.getTypeAllocSize(C.getParamByValType(I)).getFixedValue();
      Copies.push_back(newLocal("argument"));
      WarpValue Copy = pointerTo(Copies.back());
      copy(F, C, Copy, V, Size);
      V = Copy;
    }
    Arguments.push_back(V);
    ArgumentParts.push_back(A->getType()->isAggregateType() ? parts(F, A) : std::vector<WarpValue>());
  }
  std::vector<WarpValue> Parts;
  WarpValue Returned = callFunction(*Callee, &F, &C, std::move(Arguments), std::move(ArgumentParts), &Parts);
  freeLocals(Copies);
  if (C.getType()->isAggregateType()) {
    F.aggregates[F.info->slot.lookup(&C)] = std::move(Parts);
    return;
  }
  Finish(Returned);
}
