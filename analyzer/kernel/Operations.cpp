#include "analyzer/kernel/Operations.h"
#include "analyzer/kernel/Ptx.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::kernel;

Operations &Operations::operator+=(const Operations &O) {
  fp32 += O.fp32, fp64 += O.fp64, fp16 += O.fp16;
  tensor += O.tensor, special += O.special, integer += O.integer, data += O.data;
  return *this;
}

Operations Operations::operator*(double Factor) const {
  return {fp32 * Factor,    fp64 * Factor,    fp16 * Factor, tensor * Factor,
          special * Factor, integer * Factor, data * Factor};
}

static constexpr unsigned LanesPerWarp = 32;

static unsigned elementsOf(const Type *T) {
  const auto *Vector = dyn_cast<FixedVectorType>(T);
  return Vector ? Vector->getNumElements() : 1;
}

/// That many floating-point operations of a type.
static Operations flops(const Type *T, double Count) {
  Operations O;
  const Type *Scalar = T->getScalarType();
  Count *= elementsOf(T);
  if (Scalar->isFloatTy())
    O.fp32 = Count;
  else if (Scalar->isDoubleTy())
    O.fp64 = Count;
  else if (Scalar->isHalfTy() || Scalar->isBFloatTy())
    O.fp16 = Count;
  return O;
}

static Operations special(double Count) {
  Operations O;
  O.special = Count;
  return O;
}

static Operations integer(double Count) {
  Operations O;
  O.integer = O.data = Count;
  return O;
}

SmallPtrSet<const Value *, 32> kernel::addressArithmetic(const Function &F) {
  SmallPtrSet<const Value *, 32> Found;
  // All are, until one is used otherwise.
  for (const Instruction &I : instructions(F))
    if (I.getType()->isIntegerTy() || I.getType()->isPointerTy())
      Found.insert(&I);
  const auto Uses = [&](const Use &U) {
    const auto *User = cast<Instruction>(U.getUser());
    if (const auto *Store = dyn_cast<StoreInst>(User))
      return U.getOperandNo() == Store->getPointerOperandIndex();
    if (isa<LoadInst, GetElementPtrInst, BranchInst, SwitchInst>(User))
      return true;
    if (isa<AtomicRMWInst, AtomicCmpXchgInst>(User))
      return U.getOperandNo() == 0;
    return isa<BinaryOperator, CastInst, PHINode, SelectInst, ICmpInst, FreezeInst>(User) && Found.contains(User);
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const Instruction &I : instructions(F))
      if (Found.contains(&I) && !all_of(I.uses(), Uses)) {
        Found.erase(&I);
        Changed = true;
      }
  }
  return Found;
}

/// Additions, products and fused ones, by the name that instructions of PTX and NVVM have for them.
static std::optional<double> flopsOfName(StringRef Name) {
  return StringSwitch<std::optional<double>>(Name)
      .Cases({"add", "sub", "mul"}, 1)
      .Cases({"fma", "mad"}, 2)
      .Default(std::nullopt);
}

static bool isSpecialName(StringRef Name) {
  return is_contained({"sqrt", "rsqrt", "rcp", "div", "sin", "cos", "tan", "tanh", "ex2", "lg2"}, Name);
}

/// By the type's name: f32, f16x2, d ...
static Operations flopsOfType(ArrayRef<StringRef> Parts, double Count) {
  Operations O;
  for (StringRef Part : Parts) {
    if (Part == "f32" || Part == "f")
      O.fp32 = Count;
    else if (Part == "f32x2")
      O.fp32 = 2 * Count;
    else if (Part == "f64" || Part == "d")
      O.fp64 = Count;
    else if (Part == "f16" || Part == "bf16")
      O.fp16 = Count;
    else if (Part == "f16x2" || Part == "bf16x2")
      O.fp16 = 2 * Count;
  }
  return O;
}

/// m16n8k16: the FLOP of the product of two tiles of these edges, for one of the lanes that do it together.
static std::optional<double> tileFlops(StringRef Shape, unsigned Lanes) {
  unsigned M = 0, N = 0, K = 0;
  if (!Shape.consume_front("m") || Shape.consumeInteger(10, M) || !Shape.consume_front("n") ||
      Shape.consumeInteger(10, N) || !Shape.consume_front("k") || Shape.consumeInteger(10, K) || !Shape.empty())
    return std::nullopt;
  return 2.0 * M * N * K / Lanes;
}

static Operations tensorWork(ArrayRef<StringRef> Parts, unsigned Lanes) {
  Operations O;
  const bool Integers = any_of(Parts, [](StringRef Part) { return is_contained({"s8", "u8", "s4", "u4", "b1"}, Part); });
  for (StringRef Part : Parts)
    if (const auto Flops = tileFlops(Part, Lanes))
      (Integers ? O.integer : O.tensor) = *Flops;
  return O;
}

Operations kernel::operationsOfPtx(StringRef Text) {
  Operations Sum;
  for (const PtxInstruction &I : parsePtx(Text)) {
    const StringRef Name = I.name();
    const bool Floating = any_of(I.opcode, [](StringRef Part) {
      return (Part.consume_front("bf") || Part.consume_front("f")) && !Part.empty() && isDigit(Part.front());
    });
    constexpr unsigned LanesPerWarpGroup = 128;
    if (Name == "mma" || Name == "wmma")
      Sum += tensorWork(I.opcode, LanesPerWarp);
    else if (Name == "wgmma")
      Sum += tensorWork(I.opcode, LanesPerWarpGroup);
    else if (isSpecialName(Name) && Floating)
      Sum += special(1);
    else if (const auto Count = flopsOfName(Name))
      Sum += Floating ? flopsOfType(I.opcode, *Count) : integer(1);
    else if (is_contained({"and", "or", "xor", "not", "shl", "shr", "div", "rem", "setp", "shf", "bfe", "bfi", "lop3"},
                          Name))
      Sum += integer(1);
  }
  return Sum;
}

/// llvm.nvvm.fma.rn.f, llvm.nvvm.wmma.m16n16k16.mma ...
static Operations operationsOfNvvm(StringRef Name) {
  SmallVector<StringRef, 8> Parts;
  Name.split(Parts, '.');
  if (Parts.empty())
    return {};
  if (Parts[0] == "wmma" || Parts[0] == "mma")
    return is_contained(Parts, "mma") ? tensorWork(Parts, LanesPerWarp) : Operations();
  if (isSpecialName(Parts[0]))
    return special(1);
  if (const auto Count = flopsOfName(Parts[0]))
    return flopsOfType(Parts, *Count);
  if (Parts[0].starts_with("mul24") || Parts[0].starts_with("mulhi") || Parts[0].starts_with("idp") ||
      Parts[0] == "sad")
    return integer(1);
  return {};
}

/// Functions of libdevice, which implements CUDA's.
static Operations operationsOfLibdevice(StringRef Name, const Type *Result) {
  // __nv_fadd_rn, __nv_dmul_rz, __nv_fmaf_rn ...
  const bool Rounded = Name.ends_with("_rn") || Name.ends_with("_rz") || Name.ends_with("_ru") || Name.ends_with("_rd");
  const StringRef Base = Rounded ? Name.drop_back(3) : Name;
  if (is_contained({"fadd", "fsub", "fmul", "dadd", "dsub", "dmul"}, Base))
    return flops(Result, 1);
  if (Base == "fma" || Base == "fmaf" || Base == "fmaf_ieee")
    return flops(Result, 2);
  if (!Result->isFloatingPointTy() && !Result->isVoidTy()) // void: sincos, which gives two by pointer
    return StringSwitch<Operations>(Base)
        .Cases({"mulhi", "umulhi", "mul64hi", "umul64hi", "mul24", "umul24", "sad", "usad", "clz", "clzll"}, integer(1))
        .Cases({"popc", "popcll", "brev", "brevll", "ffs", "ffsll", "byte_perm"}, integer(1))
        .Default({});
  // What is no more than a move, a comparison or a conversion.
  static constexpr StringLiteral Plain[] = {
      "fabs", "fabsf", "fmin", "fminf", "fmax", "fmaxf", "floor", "floorf", "ceil", "ceilf", "trunc", "truncf", "rint",
      "rintf", "nearbyint", "nearbyintf", "round", "roundf", "copysign", "copysignf", "saturatef", "nan", "nanf"};
  if (is_contained(Plain, Base) || Name.contains("2float") || Name.contains("2double") || Name.contains("_as_") ||
      Name.contains("2half") || Name == "half2float")
    return {};
  return special(1);
}

/// "__hadd" of "_Z6__hadd6__halfS_"; "" of names of another form.
static StringRef unqualifiedName(StringRef Mangled) {
  unsigned Length = 0;
  if (!Mangled.consume_front("_Z"))
    return "";
  Mangled.consume_front("L"); // of internal linkage
  if (Mangled.consumeInteger(10, Length) || Length > Mangled.size())
    return "";
  return Mangled.take_front(Length);
}

std::optional<Operations> kernel::operationsOfHalf(const Function &F) {
  const StringRef Name = unqualifiedName(F.getName());
  const auto Half = [](double Count) {
    Operations O;
    O.fp16 = Count;
    return O;
  };
  return StringSwitch<std::optional<Operations>>(Name)
      .Cases({"__hadd", "__hadd_rn", "__hadd_sat", "__hsub", "__hsub_rn", "__hsub_sat"}, Half(1))
      .Cases({"__hmul", "__hmul_rn", "__hmul_sat"}, Half(1))
      .Cases({"__hadd2", "__hadd2_rn", "__hadd2_sat", "__hsub2", "__hsub2_rn", "__hsub2_sat"}, Half(2))
      .Cases({"__hmul2", "__hmul2_rn", "__hmul2_sat"}, Half(2))
      .Cases({"__hfma", "__hfma_sat", "__hfma_relu"}, Half(2))
      .Cases({"__hfma2", "__hfma2_sat", "__hfma2_relu"}, Half(4))
      .Cases({"__hdiv", "hsqrt", "hrsqrt", "hrcp", "hlog", "hlog2", "hlog10"}, special(1))
      .Cases({"hexp", "hexp2", "hexp10", "hcos", "hsin", "htanh"}, special(1))
      .Cases({"__h2div", "h2sqrt", "h2rsqrt", "h2rcp", "h2log", "h2log2", "h2log10"}, special(2))
      .Cases({"h2exp", "h2exp2", "h2exp10", "h2cos", "h2sin", "h2tanh"}, special(2))
      .Cases({"__hneg", "__habs", "__hmax", "__hmin", "__hneg2", "__habs2", "__hmax2", "__hmin2"}, Operations())
      .Default(std::nullopt);
}

/// nvcuda::wmma::mma_sync without a body: the edges are arguments of its fragments' types.
static Operations operationsOfFragments(StringRef Mangled) {
  unsigned Edges[3] = {};
  StringRef Rest = Mangled.substr(Mangled.find("8mma_sync"));
  for (unsigned &Edge : Edges) {
    const size_t At = Rest.find("Li");
    if (At == StringRef::npos)
      return {};
    Rest = Rest.drop_front(At + 2);
    if (Rest.consumeInteger(10, Edge) || !Rest.consume_front("E"))
      return {};
  }
  const double Count = 2.0 * Edges[0] * Edges[1] * Edges[2] / LanesPerWarp;
  Operations O;
  (Rest.starts_with("i") ? O.integer : O.tensor) = Count; // of the accumulator: an int, or a float
  return O;
}

static Operations operationsOfCall(const CallBase &Call) {
  if (const auto *Assembly = dyn_cast<InlineAsm>(Call.getCalledOperand()))
    return operationsOfPtx(Assembly->getAsmString());
  const auto *Callee = dyn_cast<Function>(Call.getCalledOperand()->stripPointerCasts());
  if (!Callee || !Callee->isDeclaration())
    return {};
  StringRef Name = Callee->getName();
  if (Name.contains("8mma_sync"))
    return operationsOfFragments(Name);
  if (Name.consume_front("llvm.nvvm."))
    return operationsOfNvvm(Name);
  if (Name.consume_front("__nv_"))
    return operationsOfLibdevice(Name, Call.getType());
  switch (Callee->getIntrinsicID()) {
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
    return flops(Call.getType(), 2);
  case Intrinsic::sqrt:
  case Intrinsic::sin:
  case Intrinsic::cos:
  case Intrinsic::exp:
  case Intrinsic::exp2:
  case Intrinsic::log:
  case Intrinsic::log2:
  case Intrinsic::log10:
  case Intrinsic::pow:
  case Intrinsic::powi:
    return special(elementsOf(Call.getType()));
  case Intrinsic::smin:
  case Intrinsic::smax:
  case Intrinsic::umin:
  case Intrinsic::umax:
  case Intrinsic::ctpop:
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
  case Intrinsic::fshl:
  case Intrinsic::fshr:
    return integer(elementsOf(Call.getType()));
  default:
    return {};
  }
}

Operations kernel::operationsOf(const Instruction &I) {
  if (const auto *Binary = dyn_cast<BinaryOperator>(&I)) {
    const Type *T = I.getType();
    if (!T->isFPOrFPVectorTy())
      return integer(elementsOf(T));
    if (Binary->getOpcode() == Instruction::FDiv || Binary->getOpcode() == Instruction::FRem)
      return special(elementsOf(T));
    return flops(T, 1);
  }
  if (isa<ICmpInst>(I))
    return integer(1);
  if (const auto *Address = dyn_cast<GetElementPtrInst>(&I))
    return integer(double(count_if(Address->indices(), [](const Use &U) { return !isa<Constant>(U); })));
  if (const auto *Atomic = dyn_cast<AtomicRMWInst>(&I)) {
    const bool Adds = Atomic->getOperation() == AtomicRMWInst::FAdd || Atomic->getOperation() == AtomicRMWInst::FSub;
    return Adds ? flops(I.getType(), 1) : Operations();
  }
  if (const auto *Call = dyn_cast<CallBase>(&I))
    return operationsOfCall(*Call);
  return {};
}
