#include "analyzer/kernel/SiteFacts.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include <deque>

using namespace llvm;
using namespace warplint::kernel;

static const Function *calledFunction(const CallBase &Call) {
  return dyn_cast<Function>(Call.getCalledOperand()->stripPointerCasts());
}

//===-- Atomics ---------------------------------------------------------------===//

std::string warplint::kernel::atomicOperation(const Instruction &I) {
  if (const auto *Update = dyn_cast<AtomicRMWInst>(&I))
    return AtomicRMWInst::getOperationName(Update->getOperation()).str();
  if (isa<AtomicCmpXchgInst>(I))
    return "cas";
  const auto *Call = dyn_cast<CallBase>(&I);
  const Function *Callee = Call ? calledFunction(*Call) : nullptr;
  if (!Callee || !Callee->isIntrinsic())
    return "";
  // "llvm.nvvm.atomic.load.inc.32", "llvm.nvvm.atomic.add.gen.f.cta"
  StringRef Name = Callee->getName();
  if (!Name.consume_front("llvm.nvvm.atomic."))
    return "";
  Name.consume_front("load.");
  return Name.split('.').first.str();
}

bool warplint::kernel::isResultUsed(const Instruction &I, ArrayRef<const CallBase *> Path) {
  for (const User *U : I.users()) {
    const auto *Next = dyn_cast<Instruction>(U);
    if (!Next)
      return true;
    const bool HandsOn = isa<CastInst>(Next) || isa<ExtractValueInst>(Next);
    if (isa<ReturnInst>(Next) ? Path.empty() || isResultUsed(*Path.back(), Path.drop_back())
                              : !HandsOn || isResultUsed(*Next, Path))
      return true;
  }
  return false;
}

//===-- Where an index came from ------------------------------------------------===//

namespace {

/// Walks backwards from an address, breadth first, through the functions that hand values on.
class SourceSearch {
public:
  SmallVector<PlacedInstruction, 4> from(const Value *Address, ArrayRef<const CallBase *> Path) {
    push(Address, Path);
    constexpr unsigned MaxSteps = 512; // an index is a short computation: what is longer names nothing
    for (unsigned Steps = 0; !Work.empty() && Steps < MaxSteps; ++Steps) {
      const Place At = std::move(Work.front());
      Work.pop_front();
      visit(At);
    }
    return std::move(Found);
  }

private:
  using Calls = SmallVector<const CallBase *, 4>;
  struct Place {
    const Value *value;
    Calls path;
  };

  void push(const Value *V, ArrayRef<const CallBase *> Path) {
    if ((isa<Instruction>(V) || isa<Argument>(V)) && Seen.insert(V).second)
      Work.push_back({V, Calls(Path)});
  }

  void visit(const Place &At) {
    if (const auto *A = dyn_cast<Argument>(At.value)) {
      if (!At.path.empty() && A->getArgNo() < At.path.back()->arg_size())
        push(At.path.back()->getArgOperand(A->getArgNo()), ArrayRef(At.path).drop_back());
      return;
    }
    const auto *I = cast<Instruction>(At.value);
    if (const auto *Load = dyn_cast<LoadInst>(I)) {
      // A pointer that was loaded is a base, not an index.
      if (!Load->getType()->isPointerTy() && !isa<AllocaInst>(getUnderlyingObject(Load->getPointerOperand())))
        Found.push_back({I, At.path});
      return;
    }
    if (isa<AtomicRMWInst>(I) || isa<AtomicCmpXchgInst>(I)) {
      Found.push_back({I, At.path});
      return;
    }
    if (const auto *Call = dyn_cast<CallBase>(I))
      return visitCall(*Call, At);
    for (const Use &Operand : I->operands())
      push(Operand.get(), At.path);
  }

  void visitCall(const CallBase &Call, const Place &At) {
    const Function *Callee = calledFunction(Call);
    if (Callee && !Callee->isDeclaration()) {
      Calls Inner = At.path;
      Inner.push_back(&Call);
      for (const Instruction &I : instructions(*Callee))
        if (const auto *Return = dyn_cast<ReturnInst>(&I); Return && Return->getReturnValue())
          push(Return->getReturnValue(), Inner);
      return;
    }
    const StringRef Name = Callee ? Callee->getName() : "";
    if (Name.starts_with("llvm.nvvm.shfl.") || Name.starts_with("llvm.nvvm.ldg.") ||
        Name.starts_with("llvm.nvvm.atomic.") || Call.isInlineAsm()) {
      Found.push_back({&Call, At.path});
      return;
    }
    for (const Use &Argument : Call.args())
      push(Argument.get(), At.path);
  }

  std::deque<Place> Work;
  SmallPtrSet<const Value *, 32> Seen;
  SmallVector<PlacedInstruction, 4> Found;
};

} // namespace

SmallVector<PlacedInstruction, 4> warplint::kernel::indexSources(const Instruction &Access,
                                                                 ArrayRef<const CallBase *> Path) {
  const Value *Address = getLoadStorePointerOperand(&Access);
  if (const auto *Update = dyn_cast<AtomicRMWInst>(&Access))
    Address = Update->getPointerOperand();
  else if (const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&Access))
    Address = Exchange->getPointerOperand();
  if (!Address)
    return {};
  return SourceSearch().from(Address, Path);
}
