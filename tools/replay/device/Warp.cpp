#include "tools/replay/device/Warp.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <cstddef>

using namespace llvm;
using namespace warplint::replay;

std::optional<AtomicRMWInst::BinOp> warplint::replay::atomicOperation(StringRef Name, bool Float,
                                                                      bool Signed) {
  using Op = AtomicRMWInst;
  const int Result = StringSwitch<int>(Name)
                         .Case("add", Float ? Op::FAdd : Op::Add)
                         .Case("and", Op::And)
                         .Case("or", Op::Or)
                         .Case("xor", Op::Xor)
                         .Case("exch", Op::Xchg)
                         .Case("max", Float    ? Op::FMax
                                      : Signed ? Op::Max
                                               : Op::UMax)
                         .Case("min", Float    ? Op::FMin
                                      : Signed ? Op::Min
                                               : Op::UMin)
                         .Case("inc", Op::UIncWrap)
                         .Case("dec", Op::UDecWrap)
                         .Default(-1);
  return Result < 0 ? std::nullopt : std::optional(AtomicRMWInst::BinOp(Result));
}

//===----------------------------------------------------------------------===//
// Special registers
//===----------------------------------------------------------------------===//

static constexpr uint64_t ReservedShared = 1024;

static GlobalVariable *reservedShared(Emitter &E) {
  constexpr StringLiteral Name = "warplint.reserved";
  if (GlobalVariable *Known = E.module.getNamedGlobal(Name))
    return Known;
  constexpr unsigned SharedSpace = 3;
  Type *T = ArrayType::get(E.i8, ReservedShared);
  return new GlobalVariable(E.module, T, false, GlobalValue::ExternalLinkage, UndefValue::get(T), Name,
                            nullptr, GlobalValue::NotThreadLocal, SharedSpace);
}

Value *Warp::axis(uint64_t Base, StringRef Register) {
  const char Axis = Register.back();
  return Axis >= 'x' && Axis <= 'z' ? E.field(B, Base + 4 * uint64_t(Axis - 'x'), E.i32) : B.getInt32(0);
}

Value *Warp::specialRegister(StringRef Name) {
  constexpr uint64_t ThreadIdx = offsetof(Thread, threadIdx), BlockIdx = offsetof(Thread, blockIdx),
                     BlockDim = offsetof(Thread, blockDim), GridDim = offsetof(Thread, gridDim),
                     ClusterDim = offsetof(Thread, clusterDim);
  auto Lane = [&] { return E.field(B, offsetof(Thread, lane), E.i32); };
  if (Name.starts_with("tid."))
    return axis(ThreadIdx, Name);
  if (Name.starts_with("ctaid."))
    return axis(BlockIdx, Name);
  if (Name.starts_with("ntid."))
    return axis(BlockDim, Name);
  if (Name.starts_with("nctaid."))
    return axis(GridDim, Name);
  if (Name.starts_with("cluster.nctaid."))
    return axis(ClusterDim, Name);
  if (Name.starts_with("cluster.ctaid."))
    return B.CreateURem(axis(BlockIdx, Name), axis(ClusterDim, Name));
  if (Name.starts_with("clusterid."))
    return B.CreateUDiv(axis(BlockIdx, Name), axis(ClusterDim, Name));
  if (Name.starts_with("nclusterid."))
    return B.CreateUDiv(axis(GridDim, Name), axis(ClusterDim, Name));
  if (Name == "cluster.ctarank" || Name == "cluster_ctarank")
    return E.field(B, offsetof(Thread, clusterRank), E.i32);
  if (Name == "cluster.nctarank" || Name == "cluster_nctarank")
    return B.CreateMul(B.CreateMul(E.field(B, ClusterDim, E.i32), E.field(B, ClusterDim + 4, E.i32)),
                       E.field(B, ClusterDim + 8, E.i32));
  if (Name == "laneid")
    return Lane();
  if (Name == "warpid")
    return E.field(B, offsetof(Thread, warp), E.i32);
  if (Name == "nwarpid")
    return B.CreateLShr(B.CreateAdd(E.blockThreads(B), B.getInt32(31)), 5);
  if (Name == "warpsize")
    return B.getInt32(32);
  if (Name.starts_with("lanemask")) {
    Value *Own = B.CreateShl(B.getInt32(1), Lane()), *Below = B.CreateSub(Own, B.getInt32(1));
    return StringSwitch<Value *>(Name.take_back(2))
        .Case("eq", Own)
        .Case("lt", Below)
        .Case("le", B.CreateOr(Own, Below))
        .Case("gt", B.CreateNot(B.CreateOr(Own, Below)))
        .Case("ge", B.CreateNot(Below))
        .Default(nullptr);
  }
  if (Name.starts_with("clock") || Name.starts_with("globaltimer")) {
    Value *Now = E.call(B, "warplintReplayClock", E.i64, {});
    if (Name.ends_with("hi"))
      return B.CreateTrunc(B.CreateLShr(Now, 32), E.i32);
    return Name == "clock64" || Name == "globaltimer" ? Now : B.CreateTrunc(Now, E.i32);
  }
  if (Name == "dynamic_smem_size")
    return B.CreateTrunc(E.field(B, offsetof(Thread, dynamicSharedBytes), E.i64), E.i32);
  if (Name == "total_smem_size" || Name == "aggr_smem_size")
    return B.CreateTrunc(B.CreateAdd(E.field(B, offsetof(Thread, dynamicSharedOffset), E.i64),
                                     E.field(B, offsetof(Thread, dynamicSharedBytes), E.i64)),
                         E.i32);
  if (Name == "reserved_smem_offset_cap")
    return B.getInt32(ReservedShared);
  if (Name.starts_with("reserved_smem_offset_")) // the system's part of shared memory: cooperative groups
                                                 // keep barriers there
    return B.CreatePtrToInt(reservedShared(E), E.i32);
  if (Name == "smid" || Name == "gridid")
    return B.getInt32(0);
  if (Name == "nsmid" || Name == "is_explicit_cluster")
    return B.getInt32(1);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Threads together
//===----------------------------------------------------------------------===//

void Warp::barrier(bool Arrive, Value *Number, Value *Threads) {
  E.call(B, Arrive ? "warplintReplayBarrierArrive" : "warplintReplayBarrier", B.getVoidTy(),
         {Number, Threads});
}

Value *Warp::barrierReduce(unsigned Kind, Value *Number, Value *Threads, Value *Predicate) {
  return E.call(B, "warplintReplayBarrierReduce", E.i32,
                {B.getInt32(Kind), Number, Threads, B.CreateZExtOrTrunc(Predicate, E.i32)});
}

void Warp::sync(Value *Mask) { E.call(B, "warplintReplaySyncWarp", B.getVoidTy(), {Mask, E.key(B)}); }

Warp::Pair Warp::split(Value *Both) {
  return {B.CreateTrunc(Both, E.i32), B.CreateTrunc(B.CreateLShr(Both, 32), E.i1)};
}

Warp::Pair Warp::shuffle(StringRef Mode, Value *Mask, Value *Value, llvm::Value *Lane, llvm::Value *Clamp) {
  const unsigned Number =
      StringSwitch<unsigned>(Mode).Case("up", 0).Case("down", 1).Case("bfly", 2).Default(3);
  return split(
      E.call(B, "warplintReplayShuffle", E.i64, {B.getInt32(Number), Mask, Value, Lane, Clamp, E.key(B)}));
}

Value *Warp::vote(StringRef Kind, Value *Mask, Value *Predicate) {
  const unsigned Number =
      StringSwitch<unsigned>(Kind).Case("all", 0).Case("any", 1).Case("uni", 2).Default(3);
  return E.call(B, "warplintReplayVote", E.i32,
                {B.getInt32(Number), Mask, B.CreateZExtOrTrunc(Predicate, E.i32), E.key(B)});
}

Value *Warp::matchAny(Value *Mask, Value *Value) {
  return E.call(B, "warplintReplayMatchAny", E.i32, {Mask, B.CreateZExtOrTrunc(Value, E.i64), E.key(B)});
}

Warp::Pair Warp::matchAll(Value *Mask, Value *Value) {
  return split(
      E.call(B, "warplintReplayMatchAll", E.i64, {Mask, B.CreateZExtOrTrunc(Value, E.i64), E.key(B)}));
}

Value *Warp::redux(StringRef Kind, Value *Mask, Value *Value) {
  const int Number = StringSwitch<int>(Kind)
                         .Case("add", 0)
                         .Case("umin", 1)
                         .Case("umax", 2)
                         .Case("min", 3)
                         .Case("max", 4)
                         .Case("and", 5)
                         .Case("or", 6)
                         .Case("xor", 7)
                         .Default(-1);
  return Number < 0
             ? nullptr
             : E.call(B, "warplintReplayRedux", E.i32, {B.getInt32(unsigned(Number)), Mask, Value, E.key(B)});
}

Value *Warp::activeMask() { return E.call(B, "warplintReplayActiveMask", E.i32, {E.key(B)}); }

Warp::Pair Warp::elect(Value *Mask) {
  sync(Mask);
  Value *Leader = B.CreateIntrinsic(Intrinsic::cttz, {E.i32}, {Mask, B.getFalse()});
  return {Leader, B.CreateICmpEQ(Leader, E.field(B, offsetof(Thread, lane), E.i32))};
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value *Warp::generic(Value *Pointer) {
  return Pointer->getType()->getPointerAddressSpace() ? B.CreateAddrSpaceCast(Pointer, E.pointer) : Pointer;
}

Value *Warp::mapa(Value *Pointer, Value *Rank) {
  return E.call(B, "warplintReplayClusterShared", E.pointer, {generic(Pointer), Rank});
}

void Warp::copyAsync(Value *To, Value *From, unsigned Bytes, Value *SourceBytes) {
  To = generic(To);
  From = generic(From);
  if (!SourceBytes) {
    E.setMechanism(*B.CreateMemCpy(To, Align(Bytes), From, Align(Bytes), Bytes), SiteMechanism::CpAsync);
    return;
  }
  // A lane that reads nothing makes no request, of the others the whole width is one.
  Instruction *After = &*B.GetInsertPoint();
  Value *Reads = B.CreateIsNotNull(SourceBytes);
  Instruction *Zero = SplitBlockAndInsertIfThen(B.CreateNot(Reads), After, false);
  B.SetInsertPoint(Zero);
  E.setMechanism(*B.CreateMemSet(To, B.getInt8(0), Bytes, Align(Bytes)), SiteMechanism::CpAsync);
  Instruction *Some = SplitBlockAndInsertIfThen(Reads, After, false);
  B.SetInsertPoint(Some);
  E.setMechanism(*B.CreateMemCpy(To, Align(Bytes), From, Align(Bytes), Bytes), SiteMechanism::CpAsync);
  Value *Kept =
      B.CreateBinaryIntrinsic(Intrinsic::umin, B.CreateZExtOrTrunc(SourceBytes, E.i64), B.getInt64(Bytes));
  CallInst *Rest = B.CreateMemSet(B.CreateGEP(E.i8, To, Kept), B.getInt8(0),
                                  B.CreateSub(B.getInt64(Bytes), Kept), Align(1));
  E.setSilent(*Rest);
  B.SetInsertPoint(After);
}

SmallVector<Value *, 4> Warp::loadMatrix(Value *Row, unsigned Matrices, bool Transposed) {
  Value *Address = generic(Row);
  Instruction *Here = &*B.GetInsertPoint();
  Constant *Site =
      E.site(E.placeOf(Here->getDebugLoc()), SiteOperation::Load, SiteMechanism::Ldmatrix, 16, false, true);
  E.call(B, "warplintReplayMatrixRows", B.getVoidTy(), {Site, E.key(B), Address, B.getInt32(Matrices * 8)});
  // Two keys for the two halves of the rows' addresses.
  SmallVector<Value *, 4> Words;
  AllocaInst *Result;
  {
    IRBuilderBase::InsertPointGuard Guard(B);
    B.SetInsertPoint(&*Here->getFunction()->getEntryBlock().getFirstInsertionPt());
    Result = B.CreateAlloca(ArrayType::get(E.i32, 4));
  }
  E.call(B, "warplintReplayLoadMatrix", B.getVoidTy(),
         {Result, Address, B.getInt32(Matrices), B.getInt32(Transposed), E.key(B), E.key(B)});
  for (unsigned I = 0; I < Matrices; ++I) {
    LoadInst *Word = B.CreateLoad(E.i32, B.CreateConstInBoundsGEP1_64(E.i32, Result, I));
    E.setSilent(*Word);
    Words.push_back(Word);
  }
  return Words;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Value *Warp::high(Value *A, Value *Other, bool Signed) {
  const unsigned Bits = A->getType()->getIntegerBitWidth();
  Type *Wide = B.getIntNTy(2 * Bits);
  auto Widen = [&](Value *V) { return Signed ? B.CreateSExt(V, Wide) : B.CreateZExt(V, Wide); };
  return B.CreateTrunc(B.CreateLShr(B.CreateMul(Widen(A), Widen(Other)), Bits), A->getType());
}

Value *Warp::permute(Value *A, Value *Other, Value *Selector) {
  return E.call(B, "warplintReplayPermute", E.i32, {A, Other, Selector});
}

Value *Warp::funnel(bool Left, bool Clamp, Value *Low, Value *High, Value *Amount) {
  Amount = Clamp ? B.CreateBinaryIntrinsic(Intrinsic::umin, Amount, B.getInt32(32)) : B.CreateAnd(Amount, 31);
  Value *Both = B.CreateOr(B.CreateZExt(Low, E.i64), B.CreateShl(B.CreateZExt(High, E.i64), 32));
  Value *Wide = B.CreateZExt(Amount, E.i64);
  return B.CreateTrunc(Left ? B.CreateLShr(B.CreateShl(Both, Wide), 32) : B.CreateLShr(Both, Wide), E.i32);
}
