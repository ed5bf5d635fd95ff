//===-- Intrinsics.cpp - llvm.nvvm intrinsics in terms of the host --------------===//

#include "tools/replay/device/Emitter.h"
#include "tools/replay/device/Floats.h"
#include "tools/replay/device/Warp.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include <optional>

using namespace llvm;
using namespace warplint::replay;

namespace {

class IntrinsicLowering {
public:
  IntrinsicLowering(Emitter &E, CallInst &C) : E(E), C(C), B(&C), F(E, B), W(E, B) {
    Name = C.getCalledFunction()->getName();
    Name.consume_front("llvm.nvvm.");
    Name.split(Parts, '.');
  }

  void run() {
    std::optional<Value *> Result = lower();
    if (!Result) {
      E.unsupported(B, C.getCalledFunction()->getName(), C.getDebugLoc());
      Result = C.getType()->isVoidTy() ? nullptr : Constant::getNullValue(C.getType());
    }
    if (*Result)
      C.replaceAllUsesWith(adapted(*Result));
    C.eraseFromParent();
  }

private:
  Emitter &E;
  CallInst &C;
  IRBuilder<> B;
  Floats F;
  Warp W;
  StringRef Name;
  SmallVector<StringRef, 8> Parts;

  Value *arg(unsigned I) { return C.getArgOperand(I); }
  bool has(StringRef Part) const { return is_contained(Parts, Part); }
  static std::optional<Value *> nothing() { return std::optional<Value *>(nullptr); }

  /// i1 of a 32-bit answer, and the like.
  Value *adapted(Value *V) {
    Type *T = C.getType();
    if (V->getType() == T)
      return V;
    if (T->isIntegerTy(1))
      return B.CreateIsNotNull(V);
    if (T->isIntegerTy() && V->getType()->isIntegerTy())
      return B.CreateZExtOrTrunc(V, T);
    if (T->isPointerTy() && V->getType()->isPointerTy())
      return B.CreateAddrSpaceCast(V, T);
    return B.CreateBitCast(V, T);
  }

  std::optional<Value *> lower() {
    if (Name.starts_with("read.ptx.sreg."))
      return some(W.specialRegister(Name.drop_front(StringRef("read.ptx.sreg.").size())));
    using Handler = std::optional<Value *> (IntrinsicLowering::*)();
    for (Handler Each :
         {&IntrinsicLowering::synchronisation, &IntrinsicLowering::warpWide, &IntrinsicLowering::memory,
          &IntrinsicLowering::asynchronous, &IntrinsicLowering::integers, &IntrinsicLowering::conversions,
          &IntrinsicLowering::floats})
      if (auto Result = (this->*Each)())
        return Result;
    return std::nullopt;
  }

  static std::optional<Value *> some(Value *V) { return V ? std::optional(V) : std::nullopt; }

  //--- Threads together -----------------------------------------------------------
  std::optional<Value *> synchronisation() {
    if (Name.starts_with("barrier.cta.sync") || Name.starts_with("barrier.cta.arrive")) {
      W.barrier(has("arrive"), arg(0), C.arg_size() > 1 ? arg(1) : B.getInt32(0));
      return nothing();
    }
    if (Name.starts_with("barrier.cta.red.")) {
      const unsigned Kind = Parts[3] == "popc" ? 0 : Parts[3] == "and" ? 1 : 2;
      const bool Count = Parts.back() == "count";
      return W.barrierReduce(Kind, arg(0), Count ? arg(1) : B.getInt32(0), arg(Count ? 2 : 1));
    }
    if (Name == "barrier0" || Name == "barrier" || Name == "barrier.sync" || Name == "barrier.n") {
      W.barrier(false, C.arg_size() ? arg(0) : B.getInt32(0), B.getInt32(0));
      return nothing();
    }
    if (Name.starts_with("barrier.cluster.")) {
      E.call(B, has("arrive") ? "warplintReplayClusterArrive" : "warplintReplayClusterWait", B.getVoidTy(),
             {});
      return nothing();
    }
    if (Name == "bar.warp.sync") {
      W.sync(arg(0));
      return nothing();
    }
    if (Name.starts_with("membar.") || Name.starts_with("fence.") || Name.starts_with("prefetch") ||
        Name.starts_with("applypriority") || Name.starts_with("discard") ||
        Name.starts_with("griddepcontrol") || Name.starts_with("setmaxnreg") ||
        Name.starts_with("pm.event") || Name.starts_with("compiler."))
      return nothing(); // one thread of the host's: what was written is seen
    if (Name == "nanosleep") {
      E.call(B, "warplintReplayYield", B.getVoidTy(), {});
      return nothing();
    }
    return std::nullopt;
  }

  std::optional<Value *> warpWide() {
    if (Parts[0] == "shfl") {
      const bool Sync = Parts[1] == "sync", Predicate = Parts.back().ends_with("p");
      const StringRef Mode = Parts[Sync ? 2 : 1];
      const unsigned First = Sync ? 1 : 0;
      Value *Mask = Sync ? arg(0) : B.getInt32(~0u);
      auto [Value, Valid] =
          W.shuffle(Mode, Mask, B.CreateBitCast(arg(First), E.i32), arg(First + 1), arg(First + 2));
      if (!Predicate)
        return Value;
      Type *T = C.getType();
      llvm::Value *R =
          B.CreateInsertValue(PoisonValue::get(T), B.CreateBitCast(Value, T->getStructElementType(0)), 0);
      return B.CreateInsertValue(R, Valid, 1);
    }
    if (Parts[0] == "vote") {
      const bool Sync = Parts.back() == "sync";
      return W.vote(Parts[1], Sync ? arg(0) : B.getInt32(~0u), arg(Sync ? 1 : 0));
    }
    if (Name.starts_with("match.any.sync"))
      return W.matchAny(arg(0), arg(1));
    if (Name.starts_with("match.all.sync")) {
      auto [Mask, Valid] = W.matchAll(arg(0), arg(1));
      return B.CreateInsertValue(B.CreateInsertValue(PoisonValue::get(C.getType()), Mask, 0), Valid, 1);
    }
    if (Name.starts_with("redux.sync.") && C.getType()->isIntegerTy())
      return some(W.redux(Parts[2], arg(1), arg(0)));
    if (Name == "activemask")
      return W.activeMask();
    if (Name == "elect.sync") {
      auto [Leader, Elected] = W.elect(arg(0));
      return B.CreateInsertValue(B.CreateInsertValue(PoisonValue::get(C.getType()), Leader, 0), Elected, 1);
    }
    return std::nullopt;
  }

  //--- Memory -----------------------------------------------------------------------
  std::optional<Value *> memory() {
    if (Parts[0] == "ldg" || Parts[0] == "ldu") {
      MaybeAlign Alignment;
      if (C.arg_size() > 1)
        Alignment = cast<ConstantInt>(arg(1))->getMaybeAlignValue();
      return B.CreateAlignedLoad(C.getType(), arg(0), Alignment);
    }
    if (Parts[0] == "isspacep") {
      const unsigned Space =
          StringSwitch<unsigned>(Parts[1]).Case("global", 1).Case("shared", 3).Case("const", 4).Default(5);
      return E.call(B, "warplintReplayIsSpace", E.i32, {B.getInt32(Space), arg(0)});
    }
    if (Parts[0] == "mapa")
      return W.mapa(arg(0), arg(1));
    if (Parts[0] == "getctarank")
      return some(W.specialRegister("cluster.ctarank")); // of pointers of its own block
    if (Parts[0] == "ptr" || Parts[0] == "move" || Name == "internal.addrspace.wrap")
      return arg(0);
    if (Parts[0] == "atomic")
      return atomic();
    return std::nullopt;
  }

  std::optional<Value *> atomic() { // atomic.add.gen.i.cta
    const StringRef Does = Parts[1];
    if (Does == "cas") {
      Value *X = B.CreateAtomicCmpXchg(arg(0), arg(1), arg(2), {}, AtomicOrdering::Monotonic,
                                       AtomicOrdering::Monotonic);
      return B.CreateExtractValue(X, 0);
    }
    const auto Operation = atomicOperation(Does, arg(1)->getType()->isFloatingPointTy(), false);
    if (!Operation)
      return std::nullopt;
    return B.CreateAtomicRMW(*Operation, arg(0), arg(1), {}, AtomicOrdering::Monotonic);
  }

  std::optional<Value *> asynchronous() {
    if (Name.starts_with("cp.async.commit") || Name.starts_with("cp.async.wait") ||
        Name.starts_with("cp.async.bulk.commit") || Name.starts_with("cp.async.bulk.wait"))
      return nothing(); // the copy was made at once
    if ((Name.starts_with("cp.async.ca.shared.global.") || Name.starts_with("cp.async.cg.shared.global."))) {
      unsigned Bytes = 0;
      Parts[5].getAsInteger(10, Bytes);
      W.copyAsync(arg(0), arg(1), Bytes, Parts.back() == "s" && C.arg_size() > 2 ? arg(2) : nullptr);
      return nothing();
    }
    if (Name.starts_with("ldmatrix.sync.aligned.m8n8.") && Parts.back() == "b16") {
      const unsigned Count = Parts[4] == "x4" ? 4 : Parts[4] == "x2" ? 2 : 1;
      SmallVector<Value *, 4> Words = W.loadMatrix(arg(0), Count, has("trans"));
      if (Count == 1)
        return Words[0];
      Value *R = PoisonValue::get(C.getType());
      for (unsigned I = 0; I < Count; ++I)
        R = B.CreateInsertValue(R, Words[I], I);
      return R;
    }
    if (Parts[0] == "mbarrier")
      return barrierObject();
    return std::nullopt;
  }

  /// The object is 64 bits of shared memory, of a form of its own (Builtins.cpp).
  std::optional<Value *> barrierObject() {
    Value *Object = C.arg_size() ? W.generic(arg(0)) : nullptr;
    const StringRef Does = Parts[1];
    if (Does == "init")
      return E.call(B, "warplintReplayObjectInit", B.getVoidTy(), {Object, arg(1)}), nothing();
    if (Does == "inval")
      return nothing();
    if (Does == "arrive") {
      Value *Count = C.arg_size() > 1 ? arg(1) : B.getInt32(1);
      return E.call(B, has("drop") ? "warplintReplayObjectDrop" : "warplintReplayObjectArrive", E.i64,
                    {Object, Count});
    }
    if (Does == "test" && has("wait"))
      return E.call(B, "warplintReplayObjectTest", E.i32, {Object, arg(1)});
    if (Does == "pending")
      return B.CreateTrunc(B.CreateLShr(arg(0), 44), E.i32);
    return std::nullopt;
  }

  //--- Integers ---------------------------------------------------------------------
  std::optional<Value *> integers() {
    const StringRef Does = Parts[0], Type = Parts.back();
    const bool Unsigned = Type.starts_with("u");
    if (Does == "mulhi")
      return W.high(arg(0), arg(1), !Unsigned);
    if (Does == "mul24") {
      auto Low = [&](Value *V) {
        return Unsigned ? B.CreateAnd(V, 0xffffff) : B.CreateAShr(B.CreateShl(V, 8), 8);
      };
      return B.CreateMul(Low(arg(0)), Low(arg(1)));
    }
    if (Does == "sad") {
      Value *Less = Unsigned ? B.CreateICmpULT(arg(0), arg(1)) : B.CreateICmpSLT(arg(0), arg(1));
      Value *Difference = B.CreateSelect(Less, B.CreateSub(arg(1), arg(0)), B.CreateSub(arg(0), arg(1)));
      return B.CreateAdd(Difference, arg(2));
    }
    if (Name == "prmt")
      return W.permute(arg(0), arg(1), arg(2));
    if (Does == "idp4a" || Does == "idp2a") {
      // idp2a.s.u(a, b, i1 high, c)
      const bool Two = Does == "idp2a";
      Value *High = Two ? B.CreateZExt(arg(2), E.i32) : B.getInt32(0);
      return E.call(B, "warplintReplayDot", E.i32,
                    {B.getInt32(Two ? 2 : 4), B.getInt32(Parts[1] == "s"), B.getInt32(Parts[2] == "s"),
                     arg(0), arg(1), arg(Two ? 3 : 2), High});
    }
    if (Does == "fns")
      return E.call(B, "warplintReplayFindNth", E.i32, {arg(0), arg(1), arg(2)});
    if (Does == "fshl" || Does == "fshr") // the amount is at most 32
      return W.funnel(Does == "fshl", true, arg(1), arg(0), arg(2));
    if (Does == "bmsk" || Does == "sext" || Does == "zext")
      return std::nullopt;
    return std::nullopt;
  }

  //--- Conversions -------------------------------------------------------------------
  static std::optional<std::pair<StringRef, StringRef>> conversionOf(StringRef Part) {
    auto [From, To] = Part.split('2');
    auto IsType = [](StringRef T) {
      return StringSwitch<bool>(T)
          .Cases({"d", "f", "i", "ui", "ll", "ull", "h", "bf16", "f16", "bf", "ff"}, true)
          .Default(false);
    };
    const StringRef Plain = To;
    if (!IsType(From) || !(IsType(Plain) || Plain == "bf16x2" || Plain == "f16x2"))
      return std::nullopt;
    return std::pair(From, To);
  }

  std::optional<Value *> conversions() {
    const auto Types = conversionOf(Parts[0]);
    if (!Types)
      return std::nullopt;
    auto [From, To] = *Types;
    if (Name == "d2i.hi")
      return B.CreateTrunc(B.CreateLShr(B.CreateBitCast(arg(0), E.i64), 32), E.i32);
    if (Name == "d2i.lo")
      return B.CreateTrunc(B.CreateBitCast(arg(0), E.i64), E.i32);
    FloatModifiers How;
    for (StringRef Part : drop_begin(Parts))
      if (!How.take(Part))
        return std::nullopt;
    auto Finish = [&](Value *V) { return How.relu ? F.relu(V) : V; };
    if (From == "ff") { // the first is the upper half
      Type *Element = C.getType()->getScalarType();
      Value *R = PoisonValue::get(C.getType());
      R = B.CreateInsertElement(R, Finish(F.convert(arg(1), Element, How.rounding)), uint64_t(0));
      return B.CreateInsertElement(R, Finish(F.convert(arg(0), Element, How.rounding)), uint64_t(1));
    }
    const bool FromInteger = arg(0)->getType()->isIntegerTy() && From != "h" && From != "bf";
    if (FromInteger)
      return F.fromInteger(arg(0), C.getType(), !From.starts_with("u"), How.rounding);
    if (C.getType()->isIntegerTy() && (To == "i" || To == "ui" || To == "ll" || To == "ull"))
      return F.toInteger(arg(0), C.getType(), !To.starts_with("u"), How.rounding);
    Type *Half = Type::getHalfTy(C.getContext()), *Brain = Type::getBFloatTy(C.getContext());
    Value *V = arg(0);
    if (From == "h" && V->getType()->isIntegerTy())
      V = B.CreateBitCast(V, Half);
    Type *Target = To == "h" || To == "f16" ? Half : To == "bf16" ? Brain : C.getType();
    return Finish(F.convert(V, Target, How.rounding));
  }

  //--- Floating point ----------------------------------------------------------------
  std::optional<Value *> floats() {
    const StringRef Does = Parts[0];
    if (Name == "lohi.i2d")
      return B.CreateOr(B.CreateZExt(arg(0), E.i64), B.CreateShl(B.CreateZExt(arg(1), E.i64), 32));
    if (!C.arg_size() || !arg(0)->getType()->isFPOrFPVectorTy())
      return std::nullopt;
    if (Does == "ceil")
      return F.integral(arg(0), Rounding::Up);
    if (Does == "floor")
      return F.integral(arg(0), Rounding::Down);
    if (Does == "trunc")
      return F.integral(arg(0), Rounding::Zero);
    if (Does == "round")
      return F.integral(arg(0), Rounding::Nearest);
    if (Does == "saturate")
      return F.saturate(arg(0));
    FloatModifiers How;
    for (StringRef Part : drop_begin(Parts))
      if (!How.take(Part) &&
          !StringSwitch<bool>(Part)
               .Cases({"f", "d", "f16", "f16x2", "bf16", "bf16x2", "f32", "f64", "v2f16", "v2bf16"}, true)
               .Default(false))
        return std::nullopt;
    SmallVector<Value *, 3> Arguments(C.args());
    return some(F.operation(Does, Arguments, How));
  }
};

} // namespace

static bool isTrap(const CallInst &C) {
  const Intrinsic::ID Id = C.getIntrinsicID();
  return Id == Intrinsic::trap || Id == Intrinsic::debugtrap || Id == Intrinsic::ubsantrap;
}

void warplint::replay::lowerIntrinsics(Emitter &E) {
  SmallVector<CallInst *, 64> Work;
  for (Function &F : E.module)
    for (Instruction &I : instructions(F))
      if (auto *C = dyn_cast<CallInst>(&I))
        if (const Function *Callee = C->getCalledFunction();
            Callee && (Callee->getName().starts_with("llvm.nvvm.") || isTrap(*C)))
          Work.push_back(C);
  for (CallInst *C : Work) {
    if (isTrap(*C)) {
      IRBuilder<> B(C);
      E.call(B, "warplintReplayTrap", B.getVoidTy(), {});
      C->eraseFromParent();
      continue;
    }
    IntrinsicLowering(E, *C).run();
  }
}
