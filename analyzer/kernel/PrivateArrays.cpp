#include "analyzer/kernel/PrivateArrays.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace warplint::kernel;

/// Names an array across inlining and unrolling.
static constexpr const char *Mark = "warplint.array";
/// Longer code is not looked at: it would take longer than all the rest.
static constexpr unsigned MaxInstructions = 20'000;
/// nvcc unrolls loops of constant trip counts as long as what comes out is no longer than about this.
static constexpr unsigned MaxUnrolled = 8'192;
/// Loops inside unrolled loops have constant trip counts only then; so deep.
static constexpr unsigned MaxRounds = 4;

static const Function *calledFunction(const CallBase &Call) {
  return dyn_cast<Function>(Call.getCalledOperand()->stripPointerCasts());
}

//===-- Candidates --------------------------------------------------------------===//

static bool hasArray(const Type *T) {
  if (const auto *A = dyn_cast<ArrayType>(T))
    return A->getNumElements() > 1;
  return isa<StructType>(T) && any_of(T->subtypes(), hasArray);
}

/// The constant that an array is a copy of from the start.
static const GlobalVariable *initialValue(const AllocaInst &A) {
  for (const User *U : A.users())
    if (const auto *Copy = dyn_cast<MemCpyInst>(U); Copy && Copy->getRawDest() == &A)
      if (const auto *G = dyn_cast<GlobalVariable>(Copy->getRawSource()->stripPointerCasts());
          G && G->isConstant())
        return G;
  return nullptr;
}

/// The functions that a kernel reaches by direct calls, itself included.
static SmallVector<Function *, 16> reachable(Function &Kernel) {
  SmallVector<Function *, 16> Order{&Kernel};
  SmallPtrSet<Function *, 16> Seen{&Kernel};
  for (size_t I = 0; I < Order.size(); ++I)
    for (Instruction &Inst : instructions(*Order[I]))
      if (auto *Call = dyn_cast<CallBase>(&Inst))
        if (auto *Callee = const_cast<Function *>(calledFunction(*Call));
            Callee && !Callee->isDeclaration() && Seen.insert(Callee).second)
          Order.push_back(Callee);
  return Order;
}

//===-- A copy of the kernel, optimised ---------------------------------------------===//

namespace {

/// Marks on the candidates; taken off at the end of its life.
class Marks {
public:
  explicit Marks(ArrayRef<AllocaInst *> Arrays) : Arrays(Arrays) {
    for (auto [Number, A] : enumerate(Arrays)) {
      LLVMContext &C = A->getContext();
      A->setMetadata(Mark, MDNode::get(C, ConstantAsMetadata::get(
                                              ConstantInt::get(Type::getInt32Ty(C), unsigned(Number)))));
    }
  }
  ~Marks() {
    for (AllocaInst *A : Arrays)
      A->setMetadata(Mark, nullptr);
  }
  Marks(const Marks &) = delete;
  Marks &operator=(const Marks &) = delete;

  static std::optional<unsigned> numberOf(const AllocaInst &A) {
    const MDNode *Node = A.getMetadata(Mark);
    if (!Node)
      return std::nullopt;
    return unsigned(mdconst::extract<ConstantInt>(Node->getOperand(0))->getZExtValue());
  }

private:
  ArrayRef<AllocaInst *> Arrays;
};

/// A copy of a kernel beside it in its module, gone at the end of its life.
class Scratch {
public:
  explicit Scratch(Function &Kernel) {
    ValueToValueMapTy Map;
    Copy = CloneFunction(&Kernel, Map);
    Copy->setLinkage(GlobalValue::InternalLinkage);
  }
  ~Scratch() { Copy->eraseFromParent(); }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  /// Inlines all that may be. False when that is too much.
  bool inlineCalls() {
    for (bool Again = true; Again;) {
      Again = false;
      SmallVector<CallBase *, 16> Calls;
      for (Instruction &I : instructions(*Copy))
        if (auto *Call = dyn_cast<CallBase>(&I); Call && mayInline(*Call))
          Calls.push_back(Call);
      for (CallBase *Call : Calls) {
        if (Copy->getInstructionCount() > MaxInstructions || ++Inlined > 2000)
          return false; // recursion ends here as well
        InlineFunctionInfo Info;
        Again |= InlineFunction(*Call, Info, /*MergeAttributes=*/false, /*CalleeAAR=*/nullptr,
                                /*InsertLifetime=*/false)
                     .isSuccess();
      }
    }
    for (Instruction &I : instructions(*Copy))
      I.dropDbgRecords(); // only places are wanted
    return Copy->getInstructionCount() <= MaxInstructions;
  }

  Function &function() { return *Copy; }

private:
  bool mayInline(const CallBase &Call) const {
    const Function *Callee = calledFunction(Call);
    return Callee && !Callee->isDeclaration() && !Callee->hasFnAttribute(Attribute::NoInline) &&
           !Call.isNoInline() && Callee != Copy;
  }

  Function *Copy;
  unsigned Inlined = 0;
};

/// LLVM's function passes with their analyses.
class Optimizer {
public:
  Optimizer() {
    Builder.registerModuleAnalyses(Modules);
    Builder.registerCGSCCAnalyses(SCCs);
    Builder.registerFunctionAnalyses(Functions);
    Builder.registerLoopAnalyses(Loops);
    Builder.crossRegisterProxies(Loops, Functions, SCCs, Modules);
  }

  void simplify(Function &F) {
    FunctionPassManager Passes;
    Passes.addPass(SROAPass(SROAOptions::ModifyCFG));
    Passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
    Passes.addPass(SimplifyCFGPass());
    Passes.addPass(InstCombinePass());
    run(Passes, F);
  }

  /// Unrolls loops of constant trip counts whole. False when there was none.
  bool unroll(Function &F) {
    FunctionPassManager Prepare;
    LoopPassManager Canonical;
    Canonical.addPass(LoopRotatePass());
    Canonical.addPass(IndVarSimplifyPass());
    Prepare.addPass(createFunctionToLoopPassAdaptor(std::move(Canonical), /*UseMemorySSA=*/false));
    run(Prepare, F);
    if (!requestUnrolling(F))
      return false;
    FunctionPassManager Unroll;
    Unroll.addPass(createFunctionToLoopPassAdaptor(LoopFullUnrollPass(3, /*OnlyWhenForced=*/true)));
    run(Unroll, F);
    simplify(F);
    return true;
  }

  FunctionAnalysisManager &analyses() { return Functions; }

private:
  void run(FunctionPassManager &Passes, Function &F) { Functions.invalidate(F, Passes.run(F, Functions)); }

  static unsigned sizeOf(const Loop &L) {
    unsigned Size = 0;
    for (const BasicBlock *B : L.blocks())
      Size += unsigned(B->size());
    return Size;
  }

  /// Asks for what nvcc unrolls of its own accord: every loop of a constant trip count within its limit,
  /// unless the source says something else.
  bool requestUnrolling(Function &F) {
    auto &Evolution = Functions.getResult<ScalarEvolutionAnalysis>(F);
    bool Any = false;
    for (Loop *L : Functions.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
      const unsigned Trips = Evolution.getSmallConstantTripCount(L);
      const TransformationMode Asked = hasUnrollTransformation(L);
      if (Trips == 0 || (Asked & TM_Disable))
        continue;
      if (Asked != TM_Unspecified)
        Any = true;
      else if (uint64_t(Trips) * sizeOf(*L) <= MaxUnrolled) {
        addStringMetadataToLoop(L, "llvm.loop.unroll.full", /*V=*/1);
        Any = true;
      }
    }
    return Any;
  }

  PassBuilder Builder;
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager SCCs;
  ModuleAnalysisManager Modules;
};

//===-- What is left of an array -----------------------------------------------------===//

/// The accesses of an array whose place in it the compiler does not know.
struct OpenAccesses {
  unsigned loads = 0, stores = 0; ///< outside loops
  double inLoops = 0;             ///< accesses there, weighed by what they are in machine code
  bool words = true;                              ///< all of 4 bytes
  const Value *index = nullptr;                   ///< of the first one
  DenseSet<std::pair<unsigned, unsigned>> places; ///< line and column
  bool any() const { return index; }
};

/// The few values that an integer can have, where it chooses among constants: `m = i` under a condition,
/// `half ^= 1` in a loop.
class ChoiceOfConstants {
public:
  explicit ChoiceOfConstants(const Value &V) : Few(settle(V)) {}
  bool isOne() const { return Few; }

private:
  static constexpr size_t Most = 4; ///< the compiler chooses among so many elements rather than index them
  using Values = SmallPtrSet<Constant *, 8>;

  bool settle(const Value &V) {
    // Each round follows loops once more; sets only grow, so few rounds settle them or show that they are
    // large.
    for (size_t Round = 0; Round <= Most + 1; ++Round) {
      Changed = false;
      Visiting.clear();
      if (!add(V))
        return false;
      if (!Changed)
        return true;
    }
    return false;
  }

  /// Adds what the operands' values give. False when it is not such a choice.
  bool add(const Value &V) {
    if (isa<ConstantInt>(V))
      return true;
    if (!Visiting.insert(&V).second)
      return true;
    if (Visiting.size() > 64)
      return false;
    SmallVector<Constant *, 8> New;
    const auto Take = [&](const Value &From) {
      if (!add(From))
        return false;
      forValues(From, [&](Constant *C) { New.push_back(C); });
      return true;
    };
    const auto *I = dyn_cast<Instruction>(&V);
    if (V.getType()->isIntegerTy(1)) {
      New.append({ConstantInt::getFalse(V.getType()), ConstantInt::getTrue(V.getType())});
    } else if (const auto *Phi = dyn_cast_or_null<PHINode>(I)) {
      for (const Use &Incoming : Phi->incoming_values())
        if (!Take(*Incoming))
          return false;
    } else if (const auto *Select = dyn_cast_or_null<SelectInst>(I)) {
      if (!Take(*Select->getTrueValue()) || !Take(*Select->getFalseValue()))
        return false;
    } else if (const auto *Cast = dyn_cast_or_null<CastInst>(I)) {
      if (!add(*Cast->getOperand(0)))
        return false;
      forValues(*Cast->getOperand(0), [&](Constant *C) {
        New.push_back(ConstantFoldCastOperand(Cast->getOpcode(), C, Cast->getType(), Cast->getDataLayout()));
      });
    } else if (const auto *Binary = dyn_cast_or_null<BinaryOperator>(I)) {
      const Value &A = *Binary->getOperand(0), &B = *Binary->getOperand(1);
      if (!add(A) || !add(B))
        return false;
      forValues(A, [&](Constant *L) {
        forValues(B, [&](Constant *R) {
          New.push_back(ConstantFoldBinaryOpOperands(Binary->getOpcode(), L, R, Binary->getDataLayout()));
        });
      });
    } else {
      return false;
    }
    Values &Known = Sets[&V];
    for (Constant *C : New) {
      if (!isa_and_nonnull<ConstantInt>(C))
        return false;
      Changed |= Known.insert(C).second;
    }
    return Known.size() <= Most;
  }

  template <typename Function> void forValues(const Value &V, Function Do) {
    if (auto *C = dyn_cast<ConstantInt>(&V))
      return Do(const_cast<ConstantInt *>(C));
    const Values Copy = Sets[&V]; // may grow meanwhile
    for (Constant *C : Copy)
      Do(C);
  }

  DenseMap<const Value *, Values> Sets;
  SmallPtrSet<const Value *, 16> Visiting;
  bool Changed = false;
  bool Few;
};

class ArrayUses {
public:
  /// `Array`: a variable of F, or the constant that it became.
  ArrayUses(const Value &Array, const Function &F, const llvm::LoopInfo &Loops, ScalarEvolution &Evolution,
            const DominatorTree &Dominators)
      : F(F), Loops(Loops), Evolution(Evolution), Dominators(Dominators) {
    visit(Array, nullptr);
  }
  OpenAccesses open;

private:
  void visit(const Value &Pointer, const Value *Index) {
    for (const User *U : Pointer.users()) {
      if (const auto *I = dyn_cast<Instruction>(U); I && I->getFunction() != &F)
        continue; // of a constant that others read as well
      if (const auto *G = dyn_cast<GEPOperator>(U)) {
        visit(*G, Index ? Index : openIndex(*G));
      } else if (isa<CastInst>(U)) {
        visit(*U, Index);
      } else if (isa<PHINode>(U) || isa<SelectInst>(U)) {
        // A choice between places is made with selections; a pointer that walks is an index.
        const auto *Phi = dyn_cast<PHINode>(U);
        const bool Walks = Phi && Loops.isLoopHeader(Phi->getParent());
        if (Seen.insert(U).second)
          visit(*U, Index || !Walks ? Index : U);
      } else if (const auto *L = dyn_cast<LoadInst>(U); L && Index) {
        count(*L, open.loads);
        note(*L, L->getType(), Index);
      } else if (const auto *S = dyn_cast<StoreInst>(U); S && Index && S->getPointerOperand() == &Pointer) {
        count(*S, open.stores);
        note(*S, S->getValueOperand()->getType(), Index);
      }
    }
  }

  /// nvcc makes four copies of the body of a short loop, and one for what is left over.
  bool isMultiplied(const Loop &L) {
    constexpr size_t Short = 12; // instructions here; longer bodies it leaves alone
    return L.getNumBlocks() == 1 && L.getHeader()->size() <= Short &&
           Evolution.getSmallConstantTripCount(&L) == 0 && !(hasUnrollTransformation(&L) & TM_Disable);
  }

  void count(const Instruction &I, unsigned &OutsideLoops) {
    const Loop *L = Loops.getLoopFor(I.getParent());
    if (!L) {
      ++OutsideLoops;
      return;
    }
    double Weight = 1;
    const Value *Pointer = getLoadStorePointerOperand(&I);
    if (isa<StoreInst>(I) && any_of(Pointer->users(), [&](const User *U) {
          return isa<LoadInst>(U) && cast<LoadInst>(U)->getParent() == I.getParent();
        }))
      Weight += 2.3; // an update in place: the store waits for the load's selection
    if (const BasicBlock *Latch = L->getLoopLatch(); Latch && !Dominators.dominates(I.getParent(), Latch))
      Weight *= 0.7; // not in each iteration
    open.inLoops += isMultiplied(*L) ? 5 * Weight : Weight;
  }

  void note(const Instruction &I, Type *T, const Value *Index) {
    open.words &= I.getDataLayout().getTypeStoreSize(T) == 4;
    if (!open.index)
      open.index = Index;
    if (const DILocation *Location = I.getDebugLoc().get())
      open.places.insert({Location->getLine(), Location->getColumn()});
  }

  /// The index of which the value is not known; null where all are, or where it only counts a loop that nvcc
  /// may unroll although this copy's was not.
  const Value *openIndex(const GEPOperator &G) {
    for (const Use &Index : G.indices())
      if (!isa<Constant>(Index) && !countsUnrollableLoop(*Index) && !ChoiceOfConstants(*Index).isOne())
        return Index;
    return nullptr;
  }

  bool countsUnrollableLoop(Value &Index) {
    return Evolution.isSCEVable(Index.getType()) &&
           !SCEVExprContains(Evolution.getSCEV(&Index), [&](const SCEV *S) {
             if (const auto *Step = dyn_cast<SCEVAddRecExpr>(S))
               return Evolution.getSmallConstantTripCount(Step->getLoop()) == 0 ||
                      (hasUnrollTransformation(Step->getLoop()) & TM_Disable);
             return isa<SCEVUnknown>(S);
           });
  }

  const Function &F;
  const llvm::LoopInfo &Loops;
  ScalarEvolution &Evolution;
  const DominatorTree &Dominators;
  SmallPtrSet<const User *, 8> Seen;
};

} // namespace

/// The bytes from one element to the next; an array of small structures becomes one array per member.
static uint64_t elementSize(const AllocaInst &A) {
  Type *T = A.getAllocatedType();
  if (!T->isArrayTy())
    return 4;
  while (T->isArrayTy())
    T = T->getArrayElementType();
  return hasArray(T) ? 4 : A.getDataLayout().getTypeAllocSize(T).getFixedValue();
}

/// Does ptxas turn the accesses into selections among registers? Read off the stack frames that ptxas of
/// CUDA 13 makes for sm_80 of 900 kernels: arrays of 2 to 160 elements, 1 to 8 loads or stores outside loops
/// and in them, also both, under conditions, by counted indices and remainders. The limits differ a little
/// between those: in doubt, yes. What is not accessed 4 bytes at a time it leaves in memory.
static bool becomesSelections(const OpenAccesses &Open, uint64_t Bytes, uint64_t ElementSize) {
  const double Elements = double(Bytes) / double(ElementSize);
  if (!Open.words || Elements >= 96)
    return false;
  if (Open.inLoops > 0 && Elements >= 4.2 + 16 / Open.inLoops)
    return false;
  // A few selections are made whatever they take; a store is cheaper, no value comes back from it.
  return (Open.loads < 3 || Elements * Open.loads < 100) && (Open.stores < 4 || Elements * Open.stores < 120);
}

/// What an index is computed from, in words: the strongest reason that the compiler cannot know it.
static std::string causeOf(const Value &Index) {
  bool Data = false, Lane = false, Parameter = false, Block = false;
  SmallVector<const Value *, 16> Work{&Index};
  SmallPtrSet<const Value *, 16> Seen;
  while (!Work.empty() && Seen.size() < 256) {
    const Value *V = Work.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    Parameter |= isa<Argument>(V);
    const auto *I = dyn_cast<Instruction>(V);
    if (!I)
      continue;
    if (const auto *Call = dyn_cast<CallBase>(I)) {
      const Function *Callee = calledFunction(*Call);
      StringRef Name = Callee ? Callee->getName() : "";
      const bool Register = Name.consume_front("llvm.nvvm.read.ptx.sreg.");
      Lane |= Register && (Name.starts_with("tid.") || Name.starts_with("lane"));
      Block |= Register && !Name.starts_with("tid.") && !Name.starts_with("lane");
      Data |= !Register && !Call->onlyReadsMemory();
    }
    Data |= isa<LoadInst>(I) && !I->getType()->isPointerTy();
    for (const Use &Operand : I->operands())
      Work.push_back(Operand.get());
  }
  if (Data)
    return "its index depends on data";
  if (Lane)
    return "its index depends on threadIdx";
  if (Parameter)
    return "its index depends on a kernel parameter";
  if (Block)
    return "its index depends on the block";
  return "its index changes in a loop that is not unrolled";
}

LocalArrays warplint::kernel::findLocalArrays(Function &Kernel, const std::function<bool()> &TimeUp) {
  LocalArrays Result;
  SmallVector<AllocaInst *, 8> Arrays;
  for (Function *F : reachable(Kernel))
    for (Instruction &I : instructions(*F))
      if (auto *A = dyn_cast<AllocaInst>(&I); A && A->isStaticAlloca() && hasArray(A->getAllocatedType()))
        Arrays.push_back(A);
  if (Arrays.empty())
    return Result;

  const Marks Marked(Arrays);
  Scratch Code(Kernel);
  if (!Code.inlineCalls())
    return Result;
  Function &F = Code.function();
  const auto AnyLeft = [&] {
    return any_of(instructions(F), [](const Instruction &I) {
      const auto *A = dyn_cast<AllocaInst>(&I);
      return A && Marks::numberOf(*A);
    });
  };
  Optimizer Passes;
  Passes.simplify(F);
  for (unsigned Round = 0; Round < MaxRounds && AnyLeft(); ++Round) {
    if (TimeUp && TimeUp())
      return Result;
    if (F.getInstructionCount() > MaxInstructions || !Passes.unroll(F))
      break;
  }

  auto &Loops = Passes.analyses().getResult<LoopAnalysis>(F);
  auto &Evolution = Passes.analyses().getResult<ScalarEvolutionAnalysis>(F);
  const auto &Dominators = Passes.analyses().getResult<DominatorTreeAnalysis>(F);
  const auto Judge = [&](const Value &Left, const AllocaInst &Array) {
    const OpenAccesses Open = ArrayUses(Left, F, Loops, Evolution, Dominators).open;
    const uint64_t Bytes = F.getDataLayout().getTypeAllocSize(Array.getAllocatedType()).getFixedValue();
    if (Open.any() && !becomesSelections(Open, Bytes, elementSize(Array)))
      Result.try_emplace(&Array, LocalArray{causeOf(*Open.index), Open.places});
  };
  for (const Instruction &I : instructions(F))
    if (const auto *A = dyn_cast<AllocaInst>(&I))
      if (const std::optional<unsigned> Number = Marks::numberOf(*A))
        Judge(*A, *Arrays[*Number]);
  // LLVM reads a table that is never written from the constant that it starts as; nvcc keeps the array.
  for (AllocaInst *A : Arrays)
    if (const GlobalVariable *Initial = initialValue(*A))
      Judge(*Initial, *A);
  Passes.analyses().clear();
  return Result;
}
