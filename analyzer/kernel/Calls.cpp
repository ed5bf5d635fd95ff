//===-- Calls.cpp - Calls, intrinsics and inline PTX --------------------------===//

#include "analyzer/frontend/Frontend.h"
#include "analyzer/kernel/Machine.h"
#include "analyzer/kernel/VirtualCalls.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>
#include <memory>

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

WarpValue Machine::laneMask(StringRef Relation) {
  std::array<int64_t, 32> L;
  for (unsigned I = 0; I < 32; ++I) {
    const uint64_t Bit = uint64_t(1) << I;
    const uint64_t M = StringSwitch<uint64_t>(Relation)
                           .Case("eq", Bit)
                           .Case("lt", Bit - 1)
                           .Case("le", Bit | (Bit - 1))
                           .Case("gt", ~(Bit | (Bit - 1)))
                           .Default(~(Bit - 1));
    L[I] = SignExtend64<32>(M);
  }
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
  Knowledge Known;
  Known.valueVaries = Operand && !operand(F, Operand).uniform;
  recordAccess(F, I, P, unsigned(Layout.getTypeStoreSize(T).getFixedValue()), Operation::Atomic,
               Mechanism::Plain, 0, Known);
  ++Epoch;
  return WarpValue::unknownLanes(causeOf(I, Cause::Atomic));
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
    return int64_t(__int128(A) * B >> Bits);
  if (Name == "umulhi")
    return signExtend(int64_t(static_cast<unsigned __int128>(U) * V >> Bits), Bits);
  if (Name == "distance")
    return signExtend(A > B ? A - B : B - A, Bits);
  if (Name == "udistance")
    return signExtend(int64_t(U > V ? U - V : V - U), Bits);
  if (Name == "hadd" || Name == "rhadd") // 32 bits: sums do not wrap here
    return (A + B + (Name == "rhadd")) >> 1;
  if (Name == "uhadd" || Name == "urhadd")
    return signExtend(int64_t((U + V + (Name == "urhadd")) >> 1), Bits);
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
      .Cases({"llvm.nvvm.mulhi.i", "llvm.nvvm.mulhi.ll", "__nv_mulhi", "__nv_mul64hi"}, "mulhi")
      .Cases({"llvm.nvvm.mulhi.ui", "llvm.nvvm.mulhi.ull", "__nv_umulhi", "__nv_umul64hi"}, "umulhi")
      .Cases({"llvm.nvvm.sad.i", "__nv_sad"}, "distance")
      .Cases({"llvm.nvvm.sad.ui", "__nv_usad"}, "udistance")
      .Case("__nv_hadd", "hadd")
      .Case("__nv_rhadd", "rhadd")
      .Case("__nv_uhadd", "uhadd")
      .Case("__nv_urhadd", "urhadd")
      .Cases({"llvm.nvvm.mul24.i", "__nv_mul24"}, "mul24")
      .Cases({"llvm.nvvm.mul24.ui", "__nv_umul24"}, "umul24")
      .Default("");
}

void Machine::unknownLength(Frame &F, const CallBase &C, const WarpValue &Pointer, const WarpValue &Size,
                            Operation Does, unsigned Component) {
  if (Pointer.object && Objects[Pointer.object].kind == Object::Local) {
    if (Does == Operation::Store) {
      Objects[Pointer.object].cells.clear();
      Objects[Pointer.object].clobbered = true;
    }
    return;
  }
  if (Does == Operation::Store)
    ++Epoch;
  const AssumptionSet Sizes = Size.soft | W.symbolsOf(Size.shift);
  std::string Length;
  for (unsigned N : W.members(Sizes))
    if (Length.empty() && W.assumptions()[N].isSize())
      Length = ", " + forPeople(W.assumptions()[N].text) + ",";
  Knowledge Known;
  Known.reason = "the length of the copy" + Length + " is not known" +
                 (Size.unknown && Size.why ? ": it depends on " + causeText(Size.why) : "");
  recordAccess(F, C, Pointer, 1, Does, Mechanism::Memcpy, Component, Known);
}

bool Machine::matrixIntrinsic(Frame &F, const CallBase &C, StringRef Name) {
  const bool Matrix = Name.starts_with("llvm.nvvm.ldmatrix.") || Name.starts_with("llvm.nvvm.stmatrix.");
  const bool Fragment =
      Name.starts_with("llvm.nvvm.wmma.") && (Name.contains(".load.") || Name.contains(".store."));
  const bool Bulk = Name.starts_with("llvm.nvvm.cp.async.bulk.") && !Name.contains(".commit") &&
                    !Name.contains(".wait") && !Name.contains(".prefetch");
  const bool Texture = Name.starts_with("llvm.nvvm.tex.") || Name.starts_with("llvm.nvvm.tld4.");
  const bool Surface = Name.starts_with("llvm.nvvm.suld.") || Name.starts_with("llvm.nvvm.sust.");
  if (!(Matrix || Fragment || Bulk || Texture || Surface) || !C.arg_size())
    return false;
  const Operation Does = Name.contains(".stmatrix.") || Name.contains(".store.") || Name.contains(".sust.")
                             ? Operation::Store
                             : Operation::Load;
  Knowledge Known;
  if (Matrix && Name.contains(".m8n8.")) {
    const unsigned Rows = Name.contains(".x4.") ? 32 : Name.contains(".x2.") ? 16 : 8;
    const LaneMask All = std::exchange(F.mask, F.mask & (Rows == 32 ? AllLanes : (LaneMask(1) << Rows) - 1));
    if (F.mask)
      recordAccess(F, C, operand(F, C.getArgOperand(0)), 16, Does, Mechanism::Ldmatrix, 0);
    F.mask = All;
  } else if (Bulk) {
    Known.reason = "bulk copies (TMA) are not analysed: one lane moves a whole tile";
    recordAccess(F, C, operand(F, C.getArgOperand(0)), 0, Operation::Store, Mechanism::Plain, WrittenSide,
                 Known);
  } else {
    Known.reason =
        Texture    ? "texture fetches are not analysed: the layout of a texture in memory is not known"
        : Surface  ? "surface accesses are not analysed: the layout of a surface in memory is not known"
        : Fragment ? "matrix fragments are not analysed: which lane moves which element is not specified"
                   : "matrices of this shape are not analysed";
    recordAccess(F, C, operand(F, C.getArgOperand(0)), 0, Does, Mechanism::Plain, 0, Known);
  }
  if (Does == Operation::Store || Bulk)
    ++Epoch;
  if (C.getType()->isAggregateType())
    F.aggregates[F.info->slot.lookup(&C)] = std::vector<WarpValue>(
        scalarsOf(Layout, C.getType()).size(), WarpValue::unknownLanes(causeOf(C, Cause::Memory)));
  return true;
}

/// Fetches that the built-in declarations, or separately compiled code, leave without a body.
static const char *fetchReason(StringRef Mangled, Operation &Does) {
  const std::string Name = Mangled.str(); // the parts point into it
  ItaniumPartialDemangler Parts;
  if (Parts.partialDemangle(Name.c_str()) || !Parts.isFunction())
    return nullptr;
  size_t Size = 0;
  const std::unique_ptr<char, decltype(&std::free)> Text(Parts.getFunctionBaseName(nullptr, &Size),
                                                         &std::free);
  const StringRef Base = Text ? Text.get() : "";
  Does = Base.contains("write") ? Operation::Store : Operation::Load;
  if (Base.starts_with("tex1D") || Base.starts_with("tex2D") || Base.starts_with("tex3D") ||
      Base.starts_with("texCubemap"))
    return "texture fetches are not analysed: the layout of a texture in memory is not known";
  if (Base.starts_with("surf1D") || Base.starts_with("surf2D") || Base.starts_with("surf3D") ||
      Base.starts_with("surfCubemap"))
    return "surface accesses are not analysed: the layout of a surface in memory is not known";
  if (Base == "load_matrix_sync" || Base == "store_matrix_sync") {
    Does = Base.contains("store") ? Operation::Store : Operation::Load;
    return "matrix fragments are not analysed: which lane moves which element is not specified";
  }
  return nullptr;
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
      Result = laneMask(Register.drop_front(StringRef("lanemask.").size()));
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
    if (Function == "ctpop" && A.relation == Relation::Below)
      Result.relation = Relation::Rank;
    if (Function.ends_with("distance")) // the third operand of a sum of differences
      Result = W.add(Result, Argument(2), Bits, false);
    return true;
  }
  if ((Name.starts_with("llvm.fshl.") || Name.starts_with("llvm.fshr.")) && C.getType()->isIntegerTy()) {
    const bool Left = Name[8] == 'l';
    const unsigned Bits = widthOf(C.getType());
    WarpValue By = Argument(2);
    if (!By.uniform || !By.known() || By.shift || By.soft || Bits > 64)
      return false;
    const unsigned Amount = unsigned(lowBits(By.lane[0], Bits) % Bits);
    Result = W.map(
        Argument(0), Argument(1),
        [&](int64_t High, int64_t Low) -> std::optional<int64_t> {
          if (Amount == 0)
            return Left ? High : Low;
          const unsigned Up = Left ? Amount : Bits - Amount;
          return signExtend(int64_t(uint64_t(High) << Up | lowBits(Low, Bits) >> (Bits - Up)), Bits);
        },
        [&] {
          return (Left ? "fshl(" : "fshr(") + W.context.print(W.polynomial(Argument(0))) + ", " +
                 W.context.print(W.polynomial(Argument(1))) + ", " + utostr(Amount) + ")";
        });
    return true;
  }
  if (auto Converted = convertedByCall(F, C, Name)) {
    Result = *Converted;
    return true;
  }
  if (auto *M = dyn_cast<MemTransferInst>(&C)) {
    WarpValue Size = Argument(2);
    if (Size.known() && Size.uniform && Size.lane[0] >= 0 && !Size.soft && !Size.shift) {
      if (Size.lane[0])
        copy(F, C, operand(F, M->getRawDest()), operand(F, M->getRawSource()), uint64_t(Size.lane[0]));
    } else {
      unknownLength(F, C, Argument(0), Size, Operation::Store, WrittenSide);
      unknownLength(F, C, Argument(1), Size, Operation::Load, 0);
    }
    return true;
  }
  if (isa<MemSetInst>(C)) {
    WarpValue Size = Argument(2);
    if (Size.known() && Size.uniform && !Size.soft && !Size.shift)
      fill(F, C, Argument(0), Argument(1), uint64_t(Size.lane[0]));
    else
      unknownLength(F, C, Argument(0), Size, Operation::Store, WrittenSide);
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
    const LaneMask Known = F.mask & ~V.unknown;
    bool OneSource = Index && Lane.uniform && Lane.known() && Segment.uniform && Segment.known() &&
                     (Segment.lane[0] >> 8 & 31) == 0;
    const bool SourceUnknown = OneSource && !(Known >> (Lane.lane[0] & 31) & 1);
    if (!C.getType()->isIntegerTy() || !Known || (V.uniform && V.unknown) || SourceUnknown) {
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
      const LaneMask Bit = LaneMask(1) << L;
      R.unknown =
          Known >> From & 1 ? R.unknown & ~Bit : R.unknown | Bit; // lanes that are not here give nothing
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
  if (Name.starts_with("llvm.nvvm.redux.sync.")) {
    Result = WarpValue::unknownUniform();
    return true;
  }
  if (Name.starts_with("llvm.nvvm.elect.")) { // one lane of those that are there
    F.aggregates[F.info->slot.lookup(&C)] = {WarpValue::unknownUniform(), WarpValue::unknownLanes()};
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
  if (matrixIntrinsic(F, C, Name)) {
    Result = WarpValue::unknownLanes(causeOf(C, Cause::Memory));
    return true;
  }
  if (Name.starts_with("llvm.nvvm.cp.async.") && Name.contains(".shared.global.") && C.arg_size() >= 2) {
    unsigned Bytes = Name.contains(".16") ? 16 : Name.contains(".8") ? 8 : 4;
    Knowledge From, To;
    From.address = C.getArgOperand(1), To.address = C.getArgOperand(0);
    recordAccess(F, C, Argument(1), Bytes, Operation::Load, Mechanism::CpAsync, 0, From);
    recordAccess(F, C, Argument(0), Bytes, Operation::Store, Mechanism::CpAsync, WrittenSide, To);
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

Function *Machine::resolveCallee(Frame &F, const CallBase &C) {
  if (auto *Named = dyn_cast<Function>(C.getCalledOperand()->stripPointerCasts()))
    return Named;
  const WarpValue V = operand(F, C.getCalledOperand());
  Function *Found = Objects[V.object].function;
  const bool Known = Found && !(V.unknown & F.mask) && !V.soft && !V.shift && W.isUniform(V, F.mask) &&
                     V.at(unsigned(std::countr_zero(F.mask))) == 0;
  // A cast may have made the pointer one of another type.
  return Known && Found->getFunctionType() == C.getFunctionType() ? Found : nullptr;
}

/// What the called function accesses is not known; that it may, the result says.
void Machine::recordUnknownCall(Frame &F, const CallBase &C, const Twine &Why) {
  Knowledge Known;
  Known.unknownCall = true;
  Known.reason = (Why + "; what the called function accesses is missing here").str();
  recordAccess(F, C, WarpValue::unknownLanes(), 0, Operation::Load, Mechanism::Plain, 0, Known);
}

void Machine::call(Frame &F, const CallBase &C) {
  WarpValue Result = WarpValue::unknownLanes();
  auto Finish = [&](WarpValue V) {
    if (C.getType()->isVoidTy())
      return;
    if ((V.unknown & F.mask) && !V.why)
      V.why = whyUnknown(F, C);
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
  Function *Callee = resolveCallee(F, C);
  if (!Callee) {
    const auto *Entry = dyn_cast<LoadInst>(C.getCalledOperand());
    recordUnknownCall(F, C,
                      Entry && virtualCallOf(*Entry)
                          ? "the virtual call is not followed: the class of the object is not known"
                          : "the call is not followed: which function the pointer leads to is not known");
    Clobber();
    return Finish(Result);
  }
  if (Callee->isIntrinsic() || Callee->isDeclaration()) {
    StringRef Name = Callee->getName();
    bool Uniform = true; // pure functions and conversions: as their operands are
    for (const Use &U : C.args())
      Uniform &= operand(F, U).uniform;
    Result = Uniform ? WarpValue::unknownUniform() : WarpValue::unknownLanes();
    if (!intrinsic(F, C, Name, Result) && !Callee->isIntrinsic() && !Name.starts_with("__nv_")) {
      Clobber();
      Result = WarpValue::unknownLanes(); // it may ask for its thread
      Operation Does = Operation::Load;
      const char *Reason = fetchReason(Name, Does);
      // What clang's header makes of the function that the user called.
      if (Name.contains("10__cuda_tex") || Name.contains("__nv_tex_surf_handler"))
        for (const CallBase *Outer : Path)
          if (auto *Caller = dyn_cast<Function>(Outer->getCalledOperand()->stripPointerCasts());
              Caller && !Reason)
            Reason = fetchReason(Caller->getName(), Does);
      if (Reason) {
        Knowledge Known;
        Known.reason = Reason;
        // Of fragments, the pointer is the one that is not the fragment.
        WarpValue Pointer = WarpValue::unknownLanes();
        for (const Use &U : C.args())
          if (WarpValue V = operand(F, U);
              V.object && Objects[V.object].kind != Object::Local && !Pointer.object)
            Pointer = V;
        recordAccess(F, C, Pointer, 0, Does, Mechanism::Plain, 0, Known);
      } else if (Callee->hasFnAttribute(frontend::DefinedElsewhere) && !C.doesNotAccessMemory()) {
        recordUnknownCall(F, C,
                          "the call of '" + demangle(Name) +
                              "' is not followed: no body of it is in what is compiled here");
      }
    } else if (C.mayWriteToMemory())
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
