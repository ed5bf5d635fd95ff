#include "tools/replay/device/Floats.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;
using namespace warplint::replay;

bool FloatModifiers::take(StringRef Part) {
  if (Part == "rn" || Part == "rni" || Part == "rna")
    rounding = Rounding::Nearest;
  else if (Part == "rz" || Part == "rzi")
    rounding = Rounding::Zero;
  else if (Part == "rm" || Part == "rmi")
    rounding = Rounding::Down;
  else if (Part == "rp" || Part == "rpi")
    rounding = Rounding::Up;
  else if (Part == "sat")
    saturate = true;
  else if (Part == "relu")
    relu = true;
  else if (Part == "NaN" || Part == "nan")
    nan = true;
  else if (Part == "xorsign" || Part == "abs")
    xorsign = true;
  else
    return Part == "ftz" || Part == "noftz" || Part == "approx" || Part == "full" || Part == "satfinite";
  return true;
}

Value *Floats::saturate(Value *V) {
  // Not a number becomes zero.
  Type *T = V->getType();
  return B.CreateMinNum(B.CreateMaxNum(V, ConstantFP::get(T, 0.0)), ConstantFP::get(T, 1.0));
}

Value *Floats::relu(Value *V) {
  return B.CreateBinaryIntrinsic(Intrinsic::maximum, V, ConstantFP::get(V->getType(), 0.0));
}

Value *Floats::extreme(bool Maximum, Value *A, Value *Other, const FloatModifiers &How) {
  Value *Sign = nullptr;
  Type *T = A->getType();
  if (How.xorsign) {
    Type *Bits = T->getWithNewType(B.getIntNTy(T->getScalarSizeInBits()));
    Sign = B.CreateBitCast(B.CreateXor(B.CreateBitCast(A, Bits), B.CreateBitCast(Other, Bits)), T);
    A = B.CreateUnaryIntrinsic(Intrinsic::fabs, A);
    Other = B.CreateUnaryIntrinsic(Intrinsic::fabs, Other);
  }
  const Intrinsic::ID Id = How.nan ? (Maximum ? Intrinsic::maximum : Intrinsic::minimum)
                                   : (Maximum ? Intrinsic::maxnum : Intrinsic::minnum);
  Value *R = B.CreateBinaryIntrinsic(Id, A, Other);
  return Sign ? B.CreateBinaryIntrinsic(Intrinsic::copysign, R, Sign) : R;
}

Value *Floats::nearest(StringRef Name, ArrayRef<Value *> V, const FloatModifiers &How) {
  auto Unary = [&](Intrinsic::ID Id) { return B.CreateUnaryIntrinsic(Id, V[0]); };
  auto One = [&] { return ConstantFP::get(V[0]->getType(), 1.0); };
  if (Name == "add" && V.size() == 2)
    return B.CreateFAdd(V[0], V[1]);
  if (Name == "sub" && V.size() == 2)
    return B.CreateFSub(V[0], V[1]);
  if (Name == "mul" && V.size() == 2)
    return B.CreateFMul(V[0], V[1]);
  if (Name == "div" && V.size() == 2)
    return B.CreateFDiv(V[0], V[1]);
  if ((Name == "fma" || Name == "mad") && V.size() == 3)
    return B.CreateIntrinsic(Intrinsic::fma, {V[0]->getType()}, {V[0], V[1], V[2]});
  if ((Name == "min" || Name == "max" || Name == "fmin" || Name == "fmax") && V.size() >= 2) {
    Value *R = V[0];
    for (Value *Next : V.drop_front())
      R = extreme(Name.ends_with("max"), R, Next, How);
    return R;
  }
  if (Name == "copysign" && V.size() == 2)
    return B.CreateBinaryIntrinsic(Intrinsic::copysign, V[1], V[0]); // PTX: the sign of the first
  if (V.size() != 1)
    return nullptr;
  if (Name == "rcp")
    return B.CreateFDiv(One(), V[0]);
  if (Name == "rsqrt")
    return B.CreateFDiv(One(), Unary(Intrinsic::sqrt));
  if (Name == "neg")
    return B.CreateFNeg(V[0]);
  const Intrinsic::ID Id = StringSwitch<Intrinsic::ID>(Name)
                               .Case("sqrt", Intrinsic::sqrt)
                               .Case("ex2", Intrinsic::exp2)
                               .Case("lg2", Intrinsic::log2)
                               .Case("sin", Intrinsic::sin)
                               .Case("cos", Intrinsic::cos)
                               .Case("tanh", Intrinsic::tanh)
                               .Cases({"abs", "fabs"}, Intrinsic::fabs)
                               .Default(Intrinsic::not_intrinsic);
  return Id == Intrinsic::not_intrinsic ? nullptr : Unary(Id);
}

Value *Floats::directed(StringRef Name, ArrayRef<Value *> V, Rounding Mode) {
  Type *T = V[0]->getType();
  const int Operation = StringSwitch<int>(Name)
                            .Case("add", 0)
                            .Case("sub", 1)
                            .Case("mul", 2)
                            .Cases({"fma", "mad"}, 3)
                            .Case("div", 4)
                            .Case("rcp", 5)
                            .Case("sqrt", 6)
                            .Default(-1);
  if (Operation < 0 || (!T->isFloatTy() && !T->isDoubleTy()))
    return nullptr;
  SmallVector<Value *, 5> Arguments{B.getInt32(unsigned(Operation)), B.getInt32(unsigned(Mode))};
  for (unsigned I = 0; I < 3; ++I)
    Arguments.push_back(I < V.size() ? V[I] : ConstantFP::get(T, 0.0));
  return E.call(B, T->isFloatTy() ? "warplintReplayRounded32" : "warplintReplayRounded64", T, Arguments);
}

Value *Floats::operation(StringRef Name, ArrayRef<Value *> V, const FloatModifiers &How) {
  if (V.empty() || !V[0]->getType()->isFPOrFPVectorTy())
    return nullptr;
  Value *R = How.rounding == Rounding::Nearest ? nearest(Name, V, How) : directed(Name, V, How.rounding);
  if (R && How.saturate)
    R = saturate(R);
  if (R && How.relu)
    R = relu(R);
  return R;
}

Value *Floats::integral(Value *V, Rounding Mode) {
  switch (Mode) {
  case Rounding::Nearest:
    return B.CreateUnaryIntrinsic(Intrinsic::roundeven, V);
  case Rounding::Zero:
    return B.CreateUnaryIntrinsic(Intrinsic::trunc, V);
  case Rounding::Down:
    return B.CreateUnaryIntrinsic(Intrinsic::floor, V);
  case Rounding::Up:
    return B.CreateUnaryIntrinsic(Intrinsic::ceil, V);
  }
  llvm_unreachable("no other rounding mode");
}

Value *Floats::toInteger(Value *V, Type *To, bool Signed, Rounding Mode) {
  if (V->getType()->isHalfTy() || V->getType()->isBFloatTy())
    V = B.CreateFPExt(V, B.getFloatTy());
  V = integral(V, Mode);
  return B.CreateIntrinsic(Signed ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat, {To, V->getType()}, {V});
}

Value *Floats::fromInteger(Value *V, Type *To, bool Signed, Rounding Mode) {
  if (To->isHalfTy() || To->isBFloatTy() || Mode != Rounding::Nearest) {
    // Exact in 64 bits, then rounded once.
    Value *Wide = Signed ? B.CreateSExtOrTrunc(V, E.i64) : B.CreateZExtOrTrunc(V, E.i64);
    const unsigned Kind = To->isHalfTy() ? 0 : To->isBFloatTy() ? 1 : To->isFloatTy() ? 2 : 3;
    Value *R = E.call(B, "warplintReplayFromInteger", B.getDoubleTy(),
                      {Wide, B.getInt32(Signed), B.getInt32(Kind), B.getInt32(unsigned(Mode))});
    return To->isDoubleTy() ? R : convert(R, To); // exact by now
  }
  return Signed ? B.CreateSIToFP(V, To) : B.CreateUIToFP(V, To);
}

Value *Floats::convert(Value *V, Type *To, Rounding Mode) {
  Type *From = V->getType();
  if (From == To)
    return V;
  const bool Small = To->isHalfTy() || To->isBFloatTy();
  if (!Small && From->getPrimitiveSizeInBits() < To->getPrimitiveSizeInBits())
    return B.CreateFPExt(V, To);
  if (To->isFloatTy() && Mode != Rounding::Nearest)
    return B.CreateFPTrunc(
        E.call(B, "warplintReplayNarrow", B.getDoubleTy(), {V, B.getInt32(2), B.getInt32(unsigned(Mode))}),
        To);
  if (!Small)
    return B.CreateFPTrunc(V, To);
  Value *Wide = From->isDoubleTy() ? V : B.CreateFPExt(V, B.getDoubleTy());
  Value *Bits = E.call(B, "warplintReplayNarrow16", E.i32,
                       {Wide, B.getInt32(To->isBFloatTy()), B.getInt32(unsigned(Mode))});
  return B.CreateBitCast(B.CreateTrunc(Bits, E.i16), To);
}
