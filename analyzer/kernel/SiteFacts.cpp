#include "analyzer/kernel/SiteFacts.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

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
