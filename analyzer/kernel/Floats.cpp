//===-- Floats.cpp - Indices that were computed as floating-point numbers ------------===//
//
// Nearly all floating-point numbers of a kernel are data, and none is followed. Where one becomes an integer, what it was
// computed from is walked back, and computed if nothing but constants and known integers is found there: (int)(x * 0.5f).
//
//===----------------------------------------------------------------------===//

#include "analyzer/kernel/Machine.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include <cmath>

using namespace llvm;
using namespace warplint;
using namespace warplint::kernel;

static constexpr RoundingMode Nearest = APFloat::rmNearestTiesToEven;

/// Functions that give one number for one number, exactly as IEEE 754 says.
static std::optional<APFloat> exactFunction(StringRef Name, APFloat X) {
  if (Name.starts_with("llvm.sqrt.") || Name == "__nv_sqrt" || Name == "__nv_sqrtf") { // correctly rounded
    if (X.isNegative())
      return std::nullopt;
    return &X.getSemantics() == &APFloat::IEEEsingle() ? APFloat(std::sqrt(X.convertToFloat()))
                                                       : APFloat(std::sqrt(X.convertToDouble()));
  }
  if (Name.starts_with("llvm.fabs.") || Name == "__nv_fabs" || Name == "__nv_fabsf") {
    X.clearSign();
    return X;
  }
  auto Rounding = StringSwitch<std::optional<RoundingMode>>(Name)
                      .StartsWith("llvm.floor.", RoundingMode::TowardNegative)
                      .StartsWith("llvm.ceil.", RoundingMode::TowardPositive)
                      .StartsWith("llvm.trunc.", RoundingMode::TowardZero)
                      .StartsWith("llvm.rint.", Nearest)
                      .Cases({"__nv_floor", "__nv_floorf"}, RoundingMode::TowardNegative)
                      .Cases({"__nv_ceil", "__nv_ceilf"}, RoundingMode::TowardPositive)
                      .Cases({"__nv_trunc", "__nv_truncf"}, RoundingMode::TowardZero)
                      .Cases({"__nv_rint", "__nv_rintf"}, Nearest)
                      .Default(std::nullopt);
  if (!Rounding)
    return std::nullopt;
  X.roundToIntegral(*Rounding);
  return X;
}

static const Function *calledFunction(const CallBase &C) {
  return dyn_cast<Function>(C.getCalledOperand()->stripPointerCasts());
}

/// What a function without branches returns: floorf and its like call one another. The machine has run it, so its locals are
/// promoted.
static const llvm::Value *returnedBy(const Function &Callee) {
  if (Callee.isDeclaration() || Callee.size() != 1)
    return nullptr;
  auto *Return = dyn_cast<ReturnInst>(Callee.front().getTerminator());
  return Return ? Return->getReturnValue() : nullptr;
}

/// May the compiler compute it in another way than it is written?
static bool isLoose(const Instruction &I) {
  auto *Op = dyn_cast<FPMathOperator>(&I);
  return Op && (Op->hasAllowReassoc() || Op->hasAllowReciprocal() || Op->hasApproxFunc());
}

/// Stands for a call that has returned: only its arguments can be asked for.
Machine::Frame Machine::overFrame(Frame &F, const CallBase &C) {
  Frame Over;
  Over.parent = &F;
  Over.call = &C;
  return Over;
}

bool Machine::floatLeaves(Frame &F, const llvm::Value *V, FloatLeaves &Leaves, unsigned Depth) {
  constexpr unsigned MaxDepth = 12;
  if (Depth > MaxDepth || !(V->getType()->isFloatTy() || V->getType()->isDoubleTy()))
    return false;
  if (isa<ConstantFP>(V))
    return true;
  if (auto *A = dyn_cast<Argument>(V))
    return F.call && F.parent && A->getArgNo() < F.call->arg_size() &&
           floatLeaves(*F.parent, F.call->getArgOperand(A->getArgNo()), Leaves, Depth + 1);
  auto *I = dyn_cast<Instruction>(V);
  if (!I || isLoose(*I))
    return false;
  switch (I->getOpcode()) {
  case Instruction::SIToFP:
  case Instruction::UIToFP: {
    if (!F.info) // of a call that is over
      return false;
    WarpValue X = operand(F, I->getOperand(0));
    if (!I->getOperand(0)->getType()->isIntegerTy() || I->getOperand(0)->getType()->getIntegerBitWidth() > 64 || X.object ||
        (X.unknown & F.mask))
      return false;
    Leaves[{&F, I}] = X;
    return true;
  }
  case Instruction::FPExt:
  case Instruction::FPTrunc:
  case Instruction::FNeg:
    return floatLeaves(F, I->getOperand(0), Leaves, Depth + 1);
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FDiv:
    return floatLeaves(F, I->getOperand(0), Leaves, Depth + 1) && floatLeaves(F, I->getOperand(1), Leaves, Depth + 1);
  case Instruction::Call: {
    auto *C = cast<CallBase>(I);
    const Function *Callee = calledFunction(*C);
    if (const llvm::Value *Returned = Callee ? returnedBy(*Callee) : nullptr) {
      Frame Over = overFrame(F, *C);
      return floatLeaves(Over, Returned, Leaves, Depth + 1);
    }
    return Callee && C->arg_size() >= 1 && exactFunction(Callee->getName(), APFloat(1.0)) &&
           floatLeaves(F, C->getArgOperand(0), Leaves, Depth + 1);
  }
  default:
    return false;
  }
}

/// The number in one lane; nothing where the compiler may round it in more than one way.
std::optional<APFloat> Machine::floatAt(Frame &F, const llvm::Value *V, const FloatLeaves &Leaves, unsigned Lane) {
  if (auto *C = dyn_cast<ConstantFP>(V))
    return C->getValueAPF();
  if (auto *A = dyn_cast<Argument>(V))
    return floatAt(*F.parent, F.call->getArgOperand(A->getArgNo()), Leaves, Lane);
  auto *I = llvm::cast<Instruction>(V);
  const fltSemantics &Semantics = I->getType()->getFltSemantics();
  if (I->getOpcode() == Instruction::SIToFP || I->getOpcode() == Instruction::UIToFP) {
    APFloat R(Semantics);
    APInt X(I->getOperand(0)->getType()->getIntegerBitWidth(), uint64_t(Leaves.find({&F, I})->second.at(Lane)), false,
            /*implicitTrunc=*/true);
    R.convertFromAPInt(X, I->getOpcode() == Instruction::SIToFP, Nearest);
    return R;
  }
  auto *Call = dyn_cast<CallBase>(I);
  if (const llvm::Value *Returned = Call ? returnedBy(*calledFunction(*Call)) : nullptr) {
    Frame Over = overFrame(F, *Call);
    return floatAt(Over, Returned, Leaves, Lane);
  }
  std::optional<APFloat> A = floatAt(F, I->getOperand(0), Leaves, Lane);
  if (!A)
    return std::nullopt;
  switch (I->getOpcode()) {
  case Instruction::FPExt:
  case Instruction::FPTrunc: {
    bool Loses;
    A->convert(Semantics, Nearest, &Loses);
    return A;
  }
  case Instruction::FNeg:
    A->changeSign();
    return A;
  case Instruction::Call:
    return exactFunction(calledFunction(*Call)->getName(), *A);
  default:
    break;
  }
  std::optional<APFloat> B = floatAt(F, I->getOperand(1), Leaves, Lane);
  if (!B)
    return std::nullopt;
  if (I->getOpcode() == Instruction::FMul) {
    A->multiply(*B, Nearest);
    return A;
  }
  if (I->getOpcode() == Instruction::FDiv) {
    A->divide(*B, Nearest);
    return A;
  }
  const bool Subtract = I->getOpcode() == Instruction::FSub;
  APFloat Sum = *A;
  Subtract ? Sum.subtract(*B, Nearest) : Sum.add(*B, Nearest);
  // A product that is added is rounded once or twice, as the compiler likes.
  for (unsigned Side : {0u, 1u}) {
    auto *Product = dyn_cast<BinaryOperator>(I->getOperand(Side));
    if (!Product || Product->getOpcode() != Instruction::FMul)
      continue;
    std::optional<APFloat> X = floatAt(F, Product->getOperand(0), Leaves, Lane),
                           Y = floatAt(F, Product->getOperand(1), Leaves, Lane);
    APFloat Addend = Side == 0 ? *B : *A;
    if (Subtract)
      Side == 0 ? Addend.changeSign() : X->changeSign();
    X->fusedMultiplyAdd(*Y, Addend, Nearest);
    if (!X->bitwiseIsEqual(Sum))
      return std::nullopt;
  }
  return Sum;
}

std::optional<WarpValue> Machine::converted(Frame &F, const llvm::Value *From, RoundingMode Rounding, unsigned Bits,
                                            bool Signed) {
  FloatLeaves Leaves;
  if (!floatLeaves(F, From, Leaves, 0))
    return std::nullopt;
  // Following every block on its own would cost more than the number is worth.
  constexpr double FewPlaces = 32;
  WarpValue R;
  R.unknown = ~F.mask;
  bool Sizes = false;
  for (auto &[Key, V] : Leaves) {
    V = W.pin(V, W.places(V.shift) > FewPlaces ? ~AssumptionSet(0) : 0);
    R.uniform &= V.uniform;
    R.soft |= V.soft;
  }
  Sizes = R.soft != 0;
  if (R.uniform && Sizes) // a size like any other: what the sample makes of it means nothing
    return std::nullopt;
  if (R.uniform)
    R.unknown = 0;
  else
    R.spread();
  bool Defined = true;
  forLanes(R.uniform ? 1 : F.mask, [&](unsigned Lane) {
    const unsigned At = R.uniform ? unsigned(std::countr_zero(F.mask)) : Lane;
    std::optional<APFloat> X = Defined ? floatAt(F, From, Leaves, At) : std::nullopt;
    APSInt Integer(Bits, !Signed);
    bool Exact;
    Defined = X && X->convertToInteger(Integer, Rounding, &Exact) != APFloat::opInvalidOp;
    if (Defined)
      R.lane[Lane] = signExtend(int64_t(Integer.extOrTrunc(64).getZExtValue()), Bits);
  });
  if (!Defined)
    return std::nullopt;
  return R;
}

/// "__nv_float2int_rd" and its like.
std::optional<WarpValue> Machine::convertedByCall(Frame &F, const CallBase &C, StringRef Name) {
  if (!C.getType()->isIntegerTy() || C.arg_size() != 1 ||
      !(Name.consume_front("__nv_float2") || Name.consume_front("__nv_double2")))
    return std::nullopt;
  auto [Target, Mode] = Name.split('_');
  auto Rounding = StringSwitch<std::optional<RoundingMode>>(Mode)
                      .Case("rn", Nearest)
                      .Case("rz", RoundingMode::TowardZero)
                      .Case("rd", RoundingMode::TowardNegative)
                      .Case("ru", RoundingMode::TowardPositive)
                      .Default(std::nullopt);
  if (!Rounding || !is_contained({"int", "uint", "ll", "ull"}, Target))
    return std::nullopt;
  return converted(F, C.getArgOperand(0), *Rounding, C.getType()->getIntegerBitWidth(), !Target.starts_with("u"));
}
