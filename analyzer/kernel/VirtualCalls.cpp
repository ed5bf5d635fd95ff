#include "analyzer/kernel/VirtualCalls.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace warplint;

/// The pointer that constant distances are added to.
static const Value *baseOf(const Value *Pointer) {
  while (const auto *Step = dyn_cast<GEPOperator>(Pointer)) {
    if (!Step->hasAllConstantIndices())
      break;
    Pointer = Step->getPointerOperand();
  }
  return Pointer;
}

/// The call whose function this load reads from the table that Table is the address of. A table of functions
/// that the program made itself is read by member names, which have places of their own.
static const CallBase *callOfEntry(const LoadInst &Entry, const LoadInst &Table) {
  if (baseOf(Entry.getPointerOperand()) != &Table || Entry.getDebugLoc() != Table.getDebugLoc())
    return nullptr;
  for (const User *U : Entry.users()) {
    const auto *Call = dyn_cast<CallBase>(U);
    // The object is an argument: `this`.
    if (Call && Call->getCalledOperand() == &Entry && is_contained(Call->args(), Table.getPointerOperand()))
      return Call;
  }
  return nullptr;
}

static const CallBase *callOfTable(const Value &Pointer, const LoadInst &Table) {
  for (const User *U : Pointer.users()) {
    if (const auto *Entry = dyn_cast<LoadInst>(U)) {
      if (const CallBase *Call = callOfEntry(*Entry, Table))
        return Call;
    } else if (const auto *Step = dyn_cast<GetElementPtrInst>(U)) {
      if (const CallBase *Call = callOfTable(*Step, Table))
        return Call;
    }
  }
  return nullptr;
}

const CallBase *kernel::virtualCallOf(const Instruction &I) {
  const auto *Load = dyn_cast<LoadInst>(&I);
  if (!Load || !Load->getType()->isPointerTy())
    return nullptr;
  if (const auto *Table = dyn_cast<LoadInst>(baseOf(Load->getPointerOperand())))
    if (const CallBase *Call = callOfEntry(*Load, *Table))
      return Call;
  return callOfTable(*Load, *Load);
}

const DILocation *kernel::locationOf(const Instruction &I) {
  const CallBase *Call = virtualCallOf(I);
  return (Call && Call->getDebugLoc() ? *Call : I).getDebugLoc().get();
}
