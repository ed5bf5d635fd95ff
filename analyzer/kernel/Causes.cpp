//===-- Causes.cpp - What makes a value unknown --------------------------------===//
//
// An access without numbers says which value stopped it and where that comes from. Values carry the number of
// the first cause on their way; words are made of it when somebody asks.
//
//===----------------------------------------------------------------------===//

#include "analyzer/kernel/Machine.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::kernel;

uint32_t Machine::causeOf(const Instruction &I, Cause::Kind Kind, uint32_t Inner, std::string Name) {
  uint32_t &Number = CauseNumber[{&I, PathHash, unsigned(Kind)}];
  if (!Number) {
    Number = uint32_t(Causes.size());
    Causes.push_back({Kind, &I, {Path.begin(), Path.end()}, Inner, std::move(Name)});
  }
  return Number;
}

uint32_t Machine::whyUnknown(Frame &F, const Instruction &I) {
  for (const Use &U : I.operands()) {
    if (isa<BasicBlock, Constant>(U))
      continue;
    const WarpValue V = operand(F, U);
    if ((V.unknown & F.mask) && V.why)
      return V.why;
  }
  if (isa<ICmpInst, BinaryOperator>(I)) { // of known numbers, that rest on sizes
    std::string Size;
    for (const Use &U : I.operands()) {
      const WarpValue V = operand(F, U);
      for (unsigned N : W.members(V.soft | W.symbolsOf(V.shift)))
        if (Size.empty() && W.assumptions()[N].isSize())
          Size = forPeople(W.assumptions()[N].text);
    }
    if (isa<ICmpInst>(I)) // it parts the lanes
      return causeOf(I, Cause::Comparison, 0, Size);
    if (!Size.empty())
      return causeOf(I, Cause::Operation, 0, Size);
  }
  if (auto *Call = dyn_cast<CallBase>(&I)) {
    if (Call->isInlineAsm())
      return causeOf(I, Cause::Assembly);
    auto *Callee = dyn_cast<Function>(Call->getCalledOperand()->stripPointerCasts());
    const StringRef Name = Callee ? Callee->getName() : "";
    if (Name.starts_with("llvm.nvvm.shfl.") || Name.starts_with("llvm.nvvm.vote.") ||
        Name.starts_with("llvm.nvvm.match.") || Name == "llvm.nvvm.activemask")
      return causeOf(I, Cause::Exchange);
    return causeOf(I, I.getType()->isFloatingPointTy() ? Cause::Floating : Cause::Call);
  }
  if (isa<SelectInst>(I) && I.getType()->isPointerTy())
    return causeOf(I, Cause::Pointers);
  const bool Floating = any_of(I.operands(), [](const Use &U) { return U->getType()->isFPOrFPVectorTy(); });
  return causeOf(I, Floating || I.getType()->isFPOrFPVectorTy() ? Cause::Floating : Cause::Operation);
}

uint32_t Machine::branchCause(const Frame &F, unsigned BlockNumber) const {
  if (uint32_t Why = F.branchWhy.lookup(BlockNumber))
    return Why;
  for (unsigned C : F.info->blocks[BlockNumber].controllers)
    if (uint32_t Why = F.branchWhy.lookup(C))
      return Why;
  return F.parent ? branchCause(*F.parent, F.parent->block) : 0;
}

const Cause *Machine::originOf(uint32_t Why) const {
  while (Causes[Why].inner)
    Why = Causes[Why].inner;
  return Why ? &Causes[Why] : nullptr;
}

std::optional<std::string> Machine::partingSizes(uint32_t Why) const {
  const Cause *Origin = originOf(Why);
  return Origin && Origin->kind == Cause::Comparison && !Origin->name.empty() ? std::optional(Origin->name)
                                                                              : std::nullopt;
}

std::string Machine::placeOf(const Instruction &I, ArrayRef<const CallBase *> Calls) {
  const Instruction *User = TheSetting.userInstruction ? TheSetting.userInstruction(I, Calls) : &I;
  const DILocation *At = User->getDebugLoc().get();
  if (!At || !At->getLine())
    return "an unknown place";
  std::string Text = utostr(At->getLine()) + ":" + utostr(At->getColumn());
  const DISubprogram *Here = RootFunction ? RootFunction->getSubprogram() : nullptr;
  if (Here && Here->getFilename() != At->getFilename())
    Text = sys::path::filename(At->getFilename()).str() + ":" + Text;
  return Text;
}

std::string Machine::lineOf(const Instruction &I) {
  const Instruction *User = TheSetting.userInstruction ? TheSetting.userInstruction(I, Path) : &I;
  const DILocation *At = User->getDebugLoc().get();
  if (!At || !At->getLine())
    return "an unknown line";
  const DISubprogram *Here = RootFunction ? RootFunction->getSubprogram() : nullptr;
  const bool Elsewhere = Here && Here->getFilename() != At->getFilename();
  return "line " + utostr(At->getLine()) +
         (Elsewhere ? " of " + sys::path::filename(At->getFilename()).str() : std::string());
}

std::string Machine::causeText(uint32_t Why) {
  const Cause &C = Causes[Why];
  if (!C.instruction)
    return "a value that is not known";
  const std::string At = " at " + placeOf(*C.instruction, C.path);
  auto Quoted = [](std::string Text, const char *Otherwise) {
    constexpr size_t Longest = 60;
    if (Text.size() > Longest)
      Text = Text.substr(0, Longest - 3) + "...";
    return Text.empty() ? std::string(Otherwise) : "'" + Text + "'";
  };
  auto Source = [&](const char *Otherwise) {
    if (!TheSetting.textOf || !TheSetting.userInstruction)
      return std::string(Otherwise);
    return Quoted(TheSetting.textOf(*TheSetting.userInstruction(*C.instruction, C.path)), Otherwise);
  };
  switch (C.kind) {
  case Cause::Memory:
    return Source("a value") + ", which is read from memory" + At;
  case Cause::Contents:
    return "the contents of " + Quoted(C.name, "a local") + At + ", " +
           (C.inner ? "which depend on " + causeText(C.inner)
                    : "which is written or reached through pointers that are not followed");
  case Cause::Forced:
    return "the condition" + At + ", of which both sides are followed";
  case Cause::Atomic:
    return "the old value of the atomic operation" + At;
  case Cause::Exchange:
    return "what other lanes hold in the shuffle or vote" + At;
  case Cause::Call:
    return "the result of " + Source("a call") + At + ", which is not followed";
  case Cause::Recursion:
    return "the result of " + Source("a call") + At + ": budget, " + C.name;
  case Cause::Assembly:
    return "the inline assembly" + At + ", which is not computed";
  case Cause::Comparison:
    return "a comparison" + At + " with " + Quoted(C.name, "a size") + ", whose value is not known";
  case Cause::Choice: {
    const std::string Chosen = Quoted(C.name, "a value") + ", chosen by ";
    if (!C.inner)
      return Chosen + "a condition" + At + " that is not known";
    const bool Condition = Causes[C.inner].kind == Cause::Forced || Causes[C.inner].kind == Cause::Comparison;
    return Chosen + (Condition ? "" : "a condition on ") + causeText(C.inner);
  }
  case Cause::Pointers:
    return "a choice between pointers" + At + " into different objects";
  case Cause::Floating:
    return "a floating-point value" + At;
  case Cause::Operation:
    return "the value" + At +
           (C.name.empty() ? ", which is not computed" : ", made of '" + C.name + "', which is not known");
  }
  return "";
}
