//===-- Concrete.h - Runs a kernel thread by thread, with plain numbers ------*- C++ -*-===//
//
// The reference for the abstract machine: every thread runs alone. Accesses of a warp's lanes are one request when they come
// from the same instruction, on the same call path, in the same iteration of every loop around it.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TEST_UNIT_KERNEL_CONCRETE_H
#define WARPLINT_TEST_UNIT_KERNEL_CONCRETE_H

#include "analyzer/kernel/Operations.h"
#include "analyzer/model/Model.h"
#include "analyzer/result/Result.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

namespace warplint::test {

/// Loads, stores and calls by number, in the order of the module's text.
inline llvm::DenseMap<const llvm::Instruction *, unsigned> numberInstructions(const llvm::Module &M) {
  llvm::DenseMap<const llvm::Instruction *, unsigned> Number;
  for (const llvm::Function &F : M)
    for (const llvm::BasicBlock &B : F)
      for (const llvm::Instruction &I : B)
        if (llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::CallBase>(I)) {
          unsigned N = unsigned(Number.size());
          Number[&I] = N;
        }
  return Number;
}

/// A call path (numbers of calls, outermost first) and an access.
using AccessKey = std::pair<std::vector<unsigned>, unsigned>;

/// The costs of all requests of one access.
struct AccessCost {
  bool inefficient = false;
  unsigned sectors = 0, lines = 0, lanes = 0, ways = 0, wavefronts = 0; ///< of the worst request
  uint64_t requests = 0, allSectors = 0, allIdeal = 0, allWavefronts = 0;
  bool severalSpaces = false;
  bool shared = false;

  auto rank() const {
    return shared ? std::tuple(false, ways, wavefronts, 0) : std::tuple(inefficient, sectors, lines, -int(lanes));
  }
  auto all() const {
    return std::tuple(sectors, lines, ways, wavefronts, requests, allSectors, allIdeal, allWavefronts);
  }
  std::string text() const {
    return "sectors " + std::to_string(sectors) + " lines " + std::to_string(lines) + " ways " + std::to_string(ways) +
           " wavefronts " + std::to_string(wavefronts) + "; all: requests " + std::to_string(requests) + " sectors " +
           std::to_string(allSectors) + " ideal " + std::to_string(allIdeal) + " wavefronts " +
           std::to_string(allWavefronts);
  }
};

class Concrete {
public:
  Concrete(llvm::Module &M, std::array<unsigned, 3> Block, std::array<unsigned, 3> Grid)
      : Layout(M.getDataLayout()), Block(Block), Grid(Grid), Number(numberInstructions(M)) {}

  double IntegerWork = 0, FloatWork = 0; ///< operations of all threads

  /// Nothing when the program does something that has no defined result, or takes too long.
  std::optional<std::map<AccessKey, AccessCost>> run(llvm::Function &Kernel, const std::vector<int64_t> &Integers) {
    const unsigned Threads = Block[0] * Block[1] * Block[2];
    for (unsigned B = 0; B < Grid[0] * Grid[1] * Grid[2]; ++B) {
      Cta = {B % Grid[0], B / Grid[0] % Grid[1], B / (Grid[0] * Grid[1])};
      for (unsigned First = 0; First < Threads; First += 32) {
        Events.clear();
        for (Lane = 0; Lane < 32 && First + Lane < Threads; ++Lane) {
          unsigned T = First + Lane;
          Tid = {T % Block[0], T / Block[0] % Block[1], T / (Block[0] * Block[1])};
          Memory.clear();
          Steps = 0;
          std::vector<Value> Arguments;
          for (const llvm::Argument &A : Kernel.args())
            Arguments.push_back(A.getType()->isPointerTy()
                                    ? Value{0, GlobalObject}
                                    : Value{low(uint64_t(Integers[A.getArgNo()]), width(A.getType())), 0});
          call(Kernel, Arguments, 0, 0, 0);
          if (Failed)
            return std::nullopt;
        }
        fold();
      }
    }
    std::map<AccessKey, AccessCost> Result;
    for (auto &[Key, Index] : SiteIndex) {
      std::vector<unsigned> Path;
      for (unsigned P = Key.first; P; P = Paths[P - 1].first)
        Path.insert(Path.begin(), Paths[P - 1].second);
      Result[{Path, Key.second}] = Costs[Index];
    }
    return Result;
  }

private:
  static constexpr uint32_t GlobalObject = 1, SharedObject = 2, TableObject = 3, FirstLocal = 4;
  struct Value {
    uint64_t bits = 0; ///< zero-extended
    uint32_t object = 0;
  };
  struct Operand {
    int slot = -1;
    Value value;
  };
  struct Op {
    const llvm::Instruction *instruction;
    unsigned opcode, bits;
    int slot = -1;
    std::vector<Operand> operands;
    std::vector<unsigned> targets; ///< block numbers of successors, or of a phi's predecessors
    kernel::Operations work;
  };
  struct Code {
    unsigned slots = 0;
    std::vector<std::vector<Op>> blocks;
    std::vector<std::vector<unsigned>> loopsOf; ///< by block, outermost first
    std::vector<std::vector<bool>> inLoop;      ///< by loop and block
    std::vector<unsigned> header;
  };
  struct Event {
    uint64_t key;
    unsigned site, lane;
    int64_t address;
    bool shared, load;
    unsigned width;
  };
  struct Bytes {
    std::vector<uint8_t> data;
    std::vector<bool> written;
  };

  const llvm::DataLayout &Layout;
  std::array<unsigned, 3> Block, Grid, Cta{}, Tid{};
  llvm::DenseMap<const llvm::Instruction *, unsigned> Number;
  llvm::DenseMap<const llvm::Function *, std::unique_ptr<Code>> Codes;
  std::vector<Event> Events;
  std::vector<Bytes> Memory; ///< locals of the thread
  std::vector<std::pair<unsigned, unsigned>> Paths; ///< path number - 1 -> parent, call
  std::map<std::pair<unsigned, unsigned>, unsigned> PathIndex, SiteIndex;
  std::vector<AccessCost> Costs;
  unsigned Lane = 0, Steps = 0;
  bool Failed = false;
  const llvm::ConstantDataArray *Table = nullptr; ///< the module's one table of constants

  static uint64_t low(uint64_t V, unsigned Bits) { return Bits >= 64 ? V : V & ((uint64_t(1) << Bits) - 1); }
  static int64_t sign(uint64_t V, unsigned Bits) {
    return Bits >= 64 ? int64_t(V) : int64_t(V << (64 - Bits)) >> (64 - Bits);
  }
  static unsigned width(const llvm::Type *T) { return T->isIntegerTy() ? T->getIntegerBitWidth() : 64; }
  static uint64_t mix(uint64_t H, uint64_t V) {
    H ^= V + 0x9e3779b97f4a7c15 + (H << 12) + (H >> 4);
    H *= 0xff51afd7ed558ccd;
    return H ^ H >> 33;
  }
  Value fail() {
    Failed = true;
    return {};
  }

  Value constant(const llvm::Constant *C) {
    if (auto *I = llvm::dyn_cast<llvm::ConstantInt>(C))
      return {I->getZExtValue(), 0};
    if (auto *X = llvm::dyn_cast<llvm::ConstantFP>(C))
      return {X->getValueAPF().bitcastToAPInt().getZExtValue(), 0};
    if (auto *G = llvm::dyn_cast<llvm::GlobalVariable>(C)) {
      if (G->isConstant())
        Table = llvm::cast<llvm::ConstantDataArray>(G->getInitializer());
      if (G->isConstant())
        return {0, TableObject};
      return {0, G->getAddressSpace() == 3 ? SharedObject : GlobalObject};
    }
    if (auto *E = llvm::dyn_cast<llvm::ConstantExpr>(C); E && E->getOpcode() == llvm::Instruction::AddrSpaceCast)
      return constant(E->getOperand(0));
    return {};
  }

  const Code &code(llvm::Function &F) {
    auto &Entry = Codes[&F];
    if (Entry)
      return *Entry;
    Entry = std::make_unique<Code>();
    Code &C = *Entry;
    llvm::DenseMap<const llvm::Value *, int> Slot;
    llvm::DenseMap<const llvm::BasicBlock *, unsigned> Index;
    for (const llvm::Argument &A : F.args())
      Slot[&A] = int(C.slots++);
    for (const llvm::BasicBlock &B : F) {
      unsigned N = unsigned(Index.size());
      Index[&B] = N;
      for (const llvm::Instruction &I : B)
        if (!I.getType()->isVoidTy())
          Slot[&I] = int(C.slots++);
    }
    llvm::DominatorTree Tree(F);
    llvm::LoopInfo Loops(Tree);
    auto Preorder = Loops.getLoopsInPreorder();
    for (const llvm::BasicBlock &B : F) {
      C.loopsOf.emplace_back();
      for (unsigned L = 0; L < Preorder.size(); ++L)
        if (Preorder[L]->contains(&B))
          C.loopsOf.back().push_back(L);
      C.blocks.emplace_back();
      for (const llvm::Instruction &I : B) {
        Op O{&I, I.getOpcode(), width(I.getType()), I.getType()->isVoidTy() ? -1 : Slot[&I], {}, {},
             kernel::operationsOf(I)};
        for (const llvm::Use &U : I.operands()) {
          Operand X;
          if (auto *K = llvm::dyn_cast<llvm::Constant>(U))
            X.value = constant(K);
          else if (auto It = Slot.find(U); It != Slot.end())
            X.slot = It->second;
          O.operands.push_back(X);
        }
        if (auto *Phi = llvm::dyn_cast<llvm::PHINode>(&I))
          for (const llvm::BasicBlock *P : Phi->blocks())
            O.targets.push_back(Index[P]);
        else if (I.isTerminator())
          for (const llvm::BasicBlock *S : llvm::successors(&I))
            O.targets.push_back(Index[S]);
        C.blocks.back().push_back(std::move(O));
      }
    }
    for (const llvm::Loop *L : Preorder) {
      C.header.push_back(Index[L->getHeader()]);
      C.inLoop.emplace_back();
      for (const llvm::BasicBlock &B : F)
        C.inLoop.back().push_back(L->contains(&B));
    }
    return C;
  }

  uint64_t dataAt(uint32_t Object, int64_t Address, unsigned Bits) {
    return low(mix(mix(Object, uint64_t(Address)), 77), Bits);
  }

  Value call(llvm::Function &F, const std::vector<Value> &Arguments, unsigned Path, uint64_t PathHash, unsigned Depth) {
    const Code &C = code(F);
    std::vector<Value> Slots(C.slots);
    std::copy(Arguments.begin(), Arguments.end(), Slots.begin());
    std::vector<uint64_t> Iteration(C.header.size(), 0);
    unsigned At = 0, From = 0;
    if (Depth > 8)
      return fail();
    std::vector<Value> PhiValues;
    while (true) {
      const std::vector<Op> &Ops = C.blocks[At];
      auto Get = [&](const Operand &O) { return O.slot < 0 ? O.value : Slots[unsigned(O.slot)]; };
      uint64_t Here = PathHash;
      for (unsigned L : C.loopsOf[At])
        Here = mix(Here, Iteration[L] * 64 + L);
      size_t I = 0;
      PhiValues.clear();
      for (; Ops[I].opcode == llvm::Instruction::PHI; ++I)
        for (size_t P = 0; P < Ops[I].targets.size(); ++P)
          if (Ops[I].targets[P] == From) {
            PhiValues.push_back(Get(Ops[I].operands[P]));
            break;
          }
      for (size_t P = 0; P < I; ++P)
        Slots[unsigned(Ops[P].slot)] = PhiValues[P];
      unsigned Next = 0;
      for (; I < Ops.size(); ++I) {
        const Op &O = Ops[I];
        IntegerWork += O.work.integer;
        FloatWork += O.work.fp32 + O.work.fp64;
        if (++Steps > 20000)
          return fail();
        auto A = [&](unsigned N) { return Get(O.operands[N]); };
        if (O.opcode == llvm::Instruction::Ret)
          return O.operands.empty() ? Value{} : A(0);
        if (O.opcode == llvm::Instruction::Br) {
          Next = O.operands.size() == 1 ? O.targets[0] : A(0).bits ? O.targets[0] : O.targets[1];
          break;
        }
        if (O.opcode == llvm::Instruction::Switch) {
          auto *S = llvm::cast<llvm::SwitchInst>(O.instruction);
          Next = O.targets[0];
          for (const auto &Case : S->cases())
            if (Case.getCaseValue()->getZExtValue() == A(0).bits)
              Next = O.targets[Case.getSuccessorIndex()];
          break;
        }
        Value R = execute(O, A, Path, Here, Depth);
        if (Failed)
          return {};
        if (O.slot >= 0)
          Slots[unsigned(O.slot)] = R;
      }
      for (unsigned L : C.loopsOf[Next]) {
        if (!C.inLoop[L][At])
          Iteration[L] = 0;
        else if (C.header[L] == Next)
          ++Iteration[L];
      }
      From = At;
      At = Next;
    }
  }

  template <typename Fn> Value execute(const Op &O, Fn A, unsigned Path, uint64_t Here, unsigned Depth) {
    using I = llvm::Instruction;
    const unsigned Bits = O.bits;
    auto Number64 = [&](unsigned N) { return A(N).bits; };
    auto Fits = [&](__int128 V) { return V == sign(low(uint64_t(V), Bits), Bits); };
    auto *Flags = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(O.instruction);
    const bool Nsw = Flags && Flags->hasNoSignedWrap();
    auto Signed = [&](unsigned N) { return sign(A(N).bits, Bits); };
    auto Wrapped = [&](__int128 V) -> Value { return Nsw && !Fits(V) ? fail() : Value{low(uint64_t(V), Bits), 0}; };
    switch (O.opcode) {
    case I::Add: return Wrapped(__int128(Signed(0)) + Signed(1));
    case I::Sub: return Wrapped(__int128(Signed(0)) - Signed(1));
    case I::Mul: return Wrapped(__int128(Signed(0)) * Signed(1));
    case I::Shl: return Number64(1) >= Bits ? fail() : Wrapped(__int128(Signed(0)) * (__int128(1) << Number64(1)));
    case I::LShr: return Number64(1) >= Bits ? fail() : Value{Number64(0) >> Number64(1), 0};
    case I::AShr: return Number64(1) >= Bits ? fail() : Value{low(uint64_t(Signed(0) >> Number64(1)), Bits), 0};
    case I::UDiv: return Number64(1) ? Value{Number64(0) / Number64(1), 0} : fail();
    case I::URem: return Number64(1) ? Value{Number64(0) % Number64(1), 0} : fail();
    case I::SDiv:
    case I::SRem:
      if (Signed(1) == 0 || (Signed(1) == -1 && Signed(0) == sign(uint64_t(1) << (Bits - 1), Bits)))
        return fail();
      return {low(uint64_t(O.opcode == I::SDiv ? Signed(0) / Signed(1) : Signed(0) % Signed(1)), Bits), 0};
    case I::And: return {Number64(0) & Number64(1), 0};
    case I::Or: return {Number64(0) | Number64(1), 0};
    case I::Xor: return {Number64(0) ^ Number64(1), 0};
    case I::ZExt: return {Number64(0), 0};
    case I::SExt: return {low(uint64_t(sign(Number64(0), width(O.instruction->getOperand(0)->getType()))), Bits), 0};
    case I::Trunc: return {low(Number64(0), Bits), 0};
    case I::Select: return Number64(0) & 1 ? A(1) : A(2);
    case I::AddrSpaceCast:
    case I::Freeze: return A(0);
    case I::ICmp: {
      unsigned W = width(O.instruction->getOperand(0)->getType());
      uint64_t U = Number64(0), V = Number64(1);
      int64_t X = sign(U, W), Y = sign(V, W);
      using P = llvm::CmpInst;
      bool R = false;
      switch (llvm::cast<llvm::ICmpInst>(O.instruction)->getPredicate()) {
      case P::ICMP_EQ: R = U == V; break;
      case P::ICMP_NE: R = U != V; break;
      case P::ICMP_SLT: R = X < Y; break;
      case P::ICMP_SLE: R = X <= Y; break;
      case P::ICMP_SGT: R = X > Y; break;
      case P::ICMP_SGE: R = X >= Y; break;
      case P::ICMP_ULT: R = U < V; break;
      case P::ICMP_ULE: R = U <= V; break;
      case P::ICMP_UGT: R = U > V; break;
      default: R = U >= V; break;
      }
      return {R, 0};
    }
    case I::Alloca: {
      auto *T = llvm::cast<llvm::AllocaInst>(O.instruction)->getAllocatedType();
      size_t Size = Layout.getTypeAllocSize(T).getFixedValue();
      Memory.push_back({std::vector<uint8_t>(Size), std::vector<bool>(Size)});
      return {0, FirstLocal + uint32_t(Memory.size()) - 1};
    }
    case I::GetElementPtr: {
      Value P = A(0);
      auto *G = llvm::cast<llvm::GetElementPtrInst>(O.instruction);
      int64_t Index = sign(Number64(1), width(G->getOperand(1)->getType()));
      int64_t Size = int64_t(Layout.getTypeAllocSize(G->getSourceElementType()).getFixedValue());
      if (Index > (int64_t(1) << 44) || Index < -(int64_t(1) << 44))
        return fail();
      P.bits += uint64_t(Index * Size);
      return P;
    }
    case I::Load: {
      const llvm::Type *T = O.instruction->getType();
      unsigned Size = unsigned(Layout.getTypeStoreSize(O.instruction->getType()).getFixedValue());
      Value P = A(0);
      if (P.object >= FirstLocal) {
        Bytes &B = Memory[P.object - FirstLocal];
        uint64_t V = 0;
        for (unsigned N = 0; N < Size; ++N) {
          uint64_t Address = P.bits + N;
          if (Address >= B.data.size() || !B.written[Address])
            return fail();
          V |= uint64_t(B.data[Address]) << (8 * N);
        }
        return {V, 0};
      }
      if (P.object == TableObject) {
        if (P.bits % 4 || P.bits / 4 >= Table->getNumElements() || Size != 4)
          return fail();
        return {Table->getElementAsInteger(unsigned(P.bits / 4)), 0};
      }
      event(O, P, Size, true, Path, Here);
      return T->isIntegerTy() ? Value{dataAt(P.object, int64_t(P.bits), width(T)), 0} : Value{};
    }
    case I::Store: {
      Value V = A(0), P = A(1);
      unsigned Size =
          unsigned(Layout.getTypeStoreSize(O.instruction->getOperand(0)->getType()).getFixedValue());
      if (P.object == TableObject)
        return fail();
      if (P.object >= FirstLocal) {
        Bytes &B = Memory[P.object - FirstLocal];
        for (unsigned N = 0; N < Size; ++N) {
          uint64_t Address = P.bits + N;
          if (Address >= B.data.size())
            return fail();
          B.data[Address] = uint8_t(V.bits >> (8 * N));
          B.written[Address] = true;
        }
        return {};
      }
      event(O, P, Size, false, Path, Here);
      return {};
    }
    case I::Call: {
      auto *C = llvm::cast<llvm::CallBase>(O.instruction);
      llvm::Function &F = *C->getCalledFunction();
      llvm::StringRef Name = F.getName();
      if (!F.isDeclaration()) {
        std::vector<Value> Arguments;
        for (unsigned N = 0; N < C->arg_size(); ++N)
          Arguments.push_back(A(N));
        unsigned Id = Number.lookup(C);
        auto [It, New] = PathIndex.try_emplace({Path, Id}, 0);
        if (New) {
          Paths.push_back({Path, Id});
          It->second = unsigned(Paths.size());
        }
        return call(F, Arguments, It->second, mix(Here, 1000 + Id), Depth + 1);
      }
      unsigned Axis = unsigned(Name.back() - 'x');
      if (Name.contains(".tid."))
        return {Tid[Axis], 0};
      if (Name.contains(".ctaid."))
        return {Cta[Axis], 0};
      if (Name.contains(".ntid."))
        return {Block[Axis], 0};
      if (Name.contains(".nctaid."))
        return {Grid[Axis], 0};
      if (Name.contains(".laneid"))
        return {Lane, 0};
      if (Name.starts_with("llvm.smin."))
        return Signed(0) < Signed(1) ? A(0) : A(1);
      if (Name.starts_with("llvm.smax."))
        return Signed(0) < Signed(1) ? A(1) : A(0);
      if (Name.starts_with("llvm.umin."))
        return Number64(0) < Number64(1) ? A(0) : A(1);
      if (Name.starts_with("llvm.umax."))
        return Number64(0) < Number64(1) ? A(1) : A(0);
      if (Name.starts_with("llvm.abs."))
        return {low(uint64_t(Signed(0) < 0 ? -uint64_t(Signed(0)) : Signed(0)), Bits), 0};
      if (Name.starts_with("llvm.ctpop."))
        return {uint64_t(std::popcount(Number64(0))), 0};
      if (Name.starts_with("llvm.nvvm.mulhi."))
        return highProduct(Name.substr(16), Number64(0), Number64(1));
      return function(Name, Number64(0), C->arg_size() > 1 ? Number64(1) : 0, C->arg_size() > 2 ? Number64(2) : 0, Bits);
    }
    case I::UIToFP:
    case I::SIToFP: {
      unsigned W = width(O.instruction->getOperand(0)->getType());
      bool IsSigned = O.opcode == I::SIToFP;
      int64_t X = sign(Number64(0), W);
      if (O.instruction->getType()->isFloatTy())
        return {std::bit_cast<uint32_t>(IsSigned ? float(X) : float(Number64(0))), 0};
      return {std::bit_cast<uint64_t>(IsSigned ? double(X) : double(Number64(0))), 0};
    }
    case I::FAdd:
    case I::FSub:
    case I::FMul:
    case I::FDiv:
      if (O.instruction->getType()->isFloatTy())
        return {std::bit_cast<uint32_t>(arithmetic(O.opcode, std::bit_cast<float>(uint32_t(Number64(0))),
                                                   std::bit_cast<float>(uint32_t(Number64(1))))),
                0};
      return {std::bit_cast<uint64_t>(
                  arithmetic(O.opcode, std::bit_cast<double>(Number64(0)), std::bit_cast<double>(Number64(1)))),
              0};
    case I::FPExt: return {std::bit_cast<uint64_t>(double(std::bit_cast<float>(uint32_t(Number64(0))))), 0};
    case I::FPTrunc: return {std::bit_cast<uint32_t>(float(std::bit_cast<double>(Number64(0)))), 0};
    case I::FPToSI:
    case I::FPToUI: {
      double X = O.instruction->getOperand(0)->getType()->isFloatTy() ? std::bit_cast<float>(uint32_t(Number64(0)))
                                                                      : std::bit_cast<double>(Number64(0));
      double T = std::trunc(X), Limit = std::ldexp(1.0, int(Bits) - (O.opcode == I::FPToSI));
      if (!(T < Limit && T >= (O.opcode == I::FPToSI ? -Limit : 0.0)))
        return fail();
      return {low(O.opcode == I::FPToSI ? uint64_t(int64_t(T)) : uint64_t(T), Bits), 0};
    }
    default: return fail();
    }
  }

  template <typename T> static T arithmetic(unsigned Opcode, T A, T B) {
    using I = llvm::Instruction;
    return Opcode == I::FAdd ? A + B : Opcode == I::FSub ? A - B : Opcode == I::FMul ? A * B : A / B;
  }

  Value highProduct(llvm::StringRef Kind, uint64_t A, uint64_t B) {
    if (Kind == "i")
      return {low(uint64_t(sign(A, 32) * sign(B, 32) >> 32), 32), 0};
    if (Kind == "ui")
      return {A * B >> 32, 0};
    if (Kind == "ll")
      return {uint64_t(__int128(int64_t(A)) * int64_t(B) >> 64), 0};
    return {uint64_t(static_cast<unsigned __int128>(A) * B >> 64), 0};
  }

  Value function(llvm::StringRef Name, uint64_t A, uint64_t B, uint64_t C, unsigned Bits) {
    if (Name.starts_with("llvm.fshl.") || Name.starts_with("llvm.fshr.")) { // 32 bits
      uint64_t Both = A << 32 | B, N = C & 31;
      return {low(Name.starts_with("llvm.fshl.") ? Both << N >> 32 : Both >> N, 32), 0};
    }
    if (Name.starts_with("llvm.bitreverse.")) {
      uint64_t R = 0;
      for (unsigned N = 0; N < Bits; ++N)
        R |= (A >> N & 1) << (Bits - 1 - N);
      return {R, 0};
    }
    if (Name.starts_with("llvm.ctlz."))
      return {uint64_t(std::countl_zero(A)) - (64 - Bits), 0};
    if (Name.starts_with("llvm.cttz."))
      return {std::min<uint64_t>(uint64_t(std::countr_zero(A)), Bits), 0};
    if (Name == "__nv_mul24")
      return {low(uint64_t(sign(A, 24) * sign(B, 24)), 32), 0};
    if (Name == "__nv_umul24")
      return {low(low(A, 24) * low(B, 24), 32), 0};
    if (Name == "__nv_sad")
      return {low(uint64_t(std::abs(sign(A, 32) - sign(B, 32))) + C, 32), 0};
    if (Name == "__nv_usad")
      return {low((A > B ? A - B : B - A) + C, 32), 0};
    if (Name == "__nv_hadd" || Name == "__nv_rhadd")
      return {low(uint64_t((sign(A, 32) + sign(B, 32) + (Name == "__nv_rhadd")) >> 1), 32), 0};
    if (Name == "__nv_uhadd" || Name == "__nv_urhadd")
      return {(A + B + (Name == "__nv_urhadd")) >> 1, 0};
    return fail();
  }

  void event(const Op &O, const Value &P, unsigned Size, bool Load, unsigned Path, uint64_t Here) {
    unsigned Id = Number.lookup(O.instruction);
    auto [It, New] = SiteIndex.try_emplace({Path, Id}, unsigned(Costs.size()));
    if (New)
      Costs.emplace_back();
    Events.push_back({mix(Here, Id), It->second, Lane, int64_t(P.bits), P.object == SharedObject, Load, Size});
  }

  void fold() {
    std::sort(Events.begin(), Events.end(),
              [](const Event &A, const Event &B) { return std::tie(A.key, A.lane) < std::tie(B.key, B.lane); });
    for (size_t Begin = 0; Begin < Events.size();) {
      model::Request R;
      const Event &First = Events[Begin];
      R.width = First.width;
      AccessCost Sum = Costs[First.site], One;
      size_t End = Begin;
      bool Mixed = false;
      for (; End < Events.size() && Events[End].key == First.key; ++End) {
        R.active |= 1u << Events[End].lane;
        R.address[Events[End].lane] = Events[End].address;
        Mixed |= Events[End].shared != First.shared;
      }
      Mixed |= Sum.requests && Sum.shared != First.shared;
      One.shared = First.shared;
      One.lanes = unsigned(std::popcount(R.active));
      if (First.shared) {
        model::SharedCost C = model::sharedCost(R, First.load);
        One.ways = C.conflictWays;
        One.wavefronts = C.wavefronts;
      } else {
        model::GlobalCost C = model::globalCost(R);
        One.sectors = C.sectors;
        One.lines = C.lines;
        One.allIdeal = C.idealSectors;
        One.inefficient = C.sectors > C.idealSectors;
      }
      One.requests = 1, One.allSectors = One.sectors, One.allWavefronts = One.wavefronts;
      AccessCost &Into = Costs[First.site];
      bool Worse = !Sum.requests || One.rank() > Sum.rank();
      Into = Worse ? One : Sum;
      Into.requests = Sum.requests + 1;
      Into.allSectors = Sum.allSectors + One.allSectors;
      Into.allIdeal = Sum.allIdeal + One.allIdeal;
      Into.allWavefronts = Sum.allWavefronts + One.allWavefronts;
      Into.severalSpaces = Sum.severalSpaces | Mixed;
      Begin = End;
    }
  }
};

} // namespace warplint::test

#endif
