//===-- Machine.cpp - Control flow and plain instructions -------------------------===//

#include "analyzer/kernel/Machine.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::kernel;

static unsigned widthOf(const Type *T) { return T->isIntegerTy() ? T->getIntegerBitWidth() : 64; }
static bool isTracked(const Type *T) {
  return (T->isIntegerTy() && T->getIntegerBitWidth() <= 64) || T->isPointerTy();
}

//===----------------------------------------------------------------------===//
// Runs and calls
//===----------------------------------------------------------------------===//

/// Is a by-value parameter only read, by its own name? Where its address is handed on (to a member function,
/// say) or it is written, the compiler makes a copy.
static bool isReadInPlace(const Value &Address) {
  return all_of(Address.users(),
                [](const User *U) { return isa<LoadInst>(U) || (isa<GEPOperator>(U) && isReadInPlace(*U)); });
}

void Machine::run(Function &Kernel, const WarpShape &TheShape) {
  Shape = &TheShape;
  Objects.clear();
  FreeObjects.clear();
  Objects.emplace_back();
  VariableObject.clear();
  PointedObject.clear();
  TextKeys.clear();
  Constants.clear();
  AtomValues.clear();
  FreshCounts.clear();
  ActiveCalls.clear();
  MixedGlobal = 0;
  RootFunction = &Kernel;
  for (const std::string &Name : TheSetting.parameterNames)
    TextKeys[Name].push_back("parameter"); // a variable of that name is something else
  Path.clear();
  PathHash = 0;
  Epoch = 0;

  if (Kernel.size() <= TheBudget.blocks)
    TheProgram.prepare(Kernel); // before its parameters' uses are looked at: locals are values from then on
  std::vector<WarpValue> Arguments;
  for (const Argument &A : Kernel.args()) {
    unsigned N = A.getArgNo();
    std::string Name = N < TheSetting.parameterNames.size() && !TheSetting.parameterNames[N].empty()
                           ? TheSetting.parameterNames[N]
                           : "argument" + utostr(N);
    if (A.hasByValAttr()) {
      Object O;
      O.kind = Object::ByValue;
      O.space = result::Space::Constant;
      O.name = Name;
      O.parameter = N;
      O.size = Layout.getTypeAllocSize(A.getParamByValType()).getFixedValue();
      O.readInPlace = isReadInPlace(A);
      Arguments.push_back(pointerTo(newObject(std::move(O))));
    } else if (A.getType()->isPointerTy()) {
      Object O;
      O.name = Name;
      Arguments.push_back(pointerTo(newObject(std::move(O))));
    } else if (A.getType()->isIntegerTy() && A.getType()->getIntegerBitWidth() <= 64) {
      if (N < TheSetting.arguments.size() && TheSetting.arguments[N])
        Arguments.push_back(WarpValue::constant(signExtend(*TheSetting.arguments[N], widthOf(A.getType()))));
      else if (A.getType()->getIntegerBitWidth() <= 8)
        Arguments.push_back(W.valueOf(W.symbol(Name, 1))); // a flag, not a size
      else
        Arguments.push_back(W.valueOf(W.symbol(Name)));
    } else {
      Arguments.push_back(WarpValue::unknownUniform());
    }
  }
  work.start(Shape->lanes);
  callFunction(Kernel, nullptr, nullptr, std::move(Arguments), {}, nullptr);
}

std::vector<WarpValue> Machine::freshValues(unsigned Count) {
  std::vector<WarpValue> Values;
  if (!SpareValues.empty()) {
    Values = std::move(SpareValues.back());
    SpareValues.pop_back();
    Values.clear();
  }
  Values.resize(Count);
  return Values;
}

/// A call that is not followed: what comes after it is, with nothing known of what the call does.
WarpValue Machine::refuseCall(const Function &Callee, const CallBase *Call, ArrayRef<WarpValue> Arguments,
                              std::string Reason) {
  budgetReason = Reason;
  if (!Call) { // the kernel itself
    outOfBudget = true;
    entered.insert(&Callee);
    return WarpValue::unknownLanes();
  }
  for (auto [Number, Argument] : enumerate(Arguments))
    if (Number < Callee.arg_size() && Callee.getArg(unsigned(Number))->getType()->isPointerTy())
      clobber(Argument);
  ++Epoch;
  return WarpValue::unknownLanes(causeOf(*Call, Cause::Recursion, 0, std::move(Reason)));
}

WarpValue Machine::callFunction(Function &Callee, Frame *Parent, const CallBase *Call,
                                std::vector<WarpValue> Arguments,
                                std::vector<std::vector<WarpValue>> ArgumentParts,
                                std::vector<WarpValue> *Parts) {
  if (Callee.size() > TheBudget.blocks)
    return refuseCall(Callee, Call, Arguments, "a function has more branches than are allowed");
  // Functions that call themselves twice would take every step that there is before they reach the depth.
  auto &Activations = ActiveCalls[&Callee];
  if (Path.size() >= TheBudget.callDepth ||
      (Activations.first && steps - Activations.second > TheBudget.recursionSteps))
    return refuseCall(Callee, Call, Arguments, "calls are nested too deeply");
  if (Activations.first++ == 0)
    Activations.second = steps;
  entered.insert(&Callee);
  const FunctionInfo &Info = TheProgram.prepare(Callee);
  Frame F;
  F.info = &Info;
  F.parent = Parent;
  F.call = Call;
  F.slots = freshValues(Info.slots);
  F.next = freshValues(Info.phiSlots);
  F.pending.assign(Info.blocks.size(), 0);
  F.pendingForced.assign(Info.blocks.size(), 0);
  F.waiting.resize(unsigned(Info.blocks.size()));
  F.branchSoft.assign(Info.blocks.size(), 0);
  F.branchData.assign(Info.blocks.size(), 0);
  F.branchVaries.assign(Info.blocks.size(), false);
  F.branchStamp.assign(Info.blocks.size(), 0);
  F.iteration.assign(Info.loops.size(), 0);
  F.loopEntered.assign(Info.loops.size(), 0);
  F.loopSteps.assign(Info.loops.size(), 0);
  F.loopIds.assign(Info.loops.size(), -1);
  for (auto [I, V] : enumerate(Arguments))
    if (I < Callee.arg_size()) {
      F.slots[I] = V;
      if (const Object::Kind Kind = Objects[V.object].kind;
          !V.object || (Kind != Object::Local && Kind != Object::ByValue))
        memoryArguments.insert(Callee.getArg(unsigned(I)));
    }
  for (auto [I, P] : enumerate(ArgumentParts))
    if (!P.empty())
      F.aggregates[unsigned(I)] = P;
  if (Parent) {
    F.entrySoft = Parent->control;
    F.entryMaybe = Parent->maybe;
    F.entryRegion = Parent->region;
    F.outerLoop = recorderLoop(*Parent, Parent->info->blocks[Parent->block].loop);
    if (F.outerLoop < 0)
      F.outerLoop = Parent->outerLoop;
  }
  uint64_t SavedHash = PathHash;
  if (Call) {
    Path.push_back(Call);
    PathHash = hash_combine(PathHash, Call);
  }
  F.pathHash = PathHash;
  F.alive = Parent ? Parent->mask : Shape->lanes;
  F.pending[0] = F.alive;
  F.waiting.set(0);
  const auto Half = operationsOfHalf(Callee);
  if (Half && Parent)
    work.enterWhole(F.outerLoop, *Half, F.alive);
  execute(F);
  if (Half && Parent)
    work.leaveWhole();
  --ActiveCalls[&Callee].first;
  freeLocals(F.locals);
  SpareValues.push_back(std::move(F.next));
  SpareValues.push_back(std::move(F.slots)); // the larger one: the next call takes it for its own slots
  if (Call)
    Path.pop_back();
  PathHash = SavedHash;
  if (Parent)
    W.active = Parent->mask;
  if (Parts)
    *Parts = std::move(F.resultParts);
  return F.result;
}

/// The earliest waiting block. A loop's header waits for lanes that are still in the loop: the next iteration
/// starts with all of them, also those that skip the rest of the body.
int Machine::nextBlock(const Frame &F) const {
  int B = F.waiting.find_first();
  for (; B >= 0; B = F.waiting.find_next(unsigned(B))) {
    const Block &Info = F.info->blocks[unsigned(B)];
    if (!Info.loopHeader)
      break;
    int Other = F.waiting.find_next(unsigned(B)); // the header is the first of its loop
    while (Other >= 0 && !F.info->loops[unsigned(Info.loop)].blocks.test(unsigned(Other)))
      Other = F.waiting.find_next(unsigned(Other));
    if (Other < 0)
      break;
  }
  return B;
}

void Machine::execute(Frame &F) {
  for (int B = nextBlock(F); B >= 0; B = nextBlock(F)) {
    if (outOfBudget) {
      for (unsigned Waiting : F.waiting.set_bits()) // what they were going to do is not known
        unfinished.insert(F.info->blocks[Waiting].block);
      return;
    }
    F.waiting.reset(unsigned(B));
    F.block = unsigned(B);
    F.mask = std::exchange(F.pending[unsigned(B)], 0);
    F.forced = std::exchange(F.pendingForced[unsigned(B)], 0);
    executeBlock(F);
  }
  if (F.anySoft)
    noteControl(F);
}

/// Locals may be written, or not, in what a branch controls: what is in them now rests on it.
void Machine::noteWrites(Frame &F, AssumptionSet Soft) {
  const Block &B = F.info->blocks[F.block];
  bool Anywhere = B.writesAnywhere;
  for (const ControlledWrite &Each : B.writes) {
    const WarpValue Pointer = operand(F, Each.pointer);
    Anywhere |= !Pointer.object; // a pointer that leads nowhere known may lead anywhere
    const bool Known = Each.size && Pointer.uniform && Pointer.known() && !Pointer.shift;
    noteWrite(Objects[Pointer.object], Soft,
              Known ? std::optional(Interval{Pointer.lane[0] + Each.offset,
                                             Pointer.lane[0] + Each.offset + int64_t(Each.size) - 1})
                    : std::nullopt);
  }
  for (uint32_t Id : reachable(F, B.handedOn)) {
    Anywhere |= !Id;
    noteWrite(Objects[Id], Soft, std::nullopt);
  }
  if (Anywhere)
    for (Object &O : Objects)
      if (O.kind == Object::Local || O.kind == Object::ByValue)
        O.contents |= Soft;
}

/// What is there now, in those bytes or anywhere, may be overwritten.
void Machine::noteWrite(Object &O, AssumptionSet Soft, std::optional<Interval> Bytes) {
  materialize(O);
  for (auto &[At, Cell] : O.cells)
    if (!Bytes || (At <= Bytes->high && At + int64_t(Cell.size) > Bytes->low))
      Cell.rests(Soft);
}

/// What code may reach that is handed these pointers, through pointers that are kept there too.
std::vector<uint32_t> Machine::reachable(Frame &F, ArrayRef<const llvm::Value *> Pointers) {
  std::vector<uint32_t> Found;
  auto Add = [&](uint32_t Id) {
    if (!is_contained(Found, Id))
      Found.push_back(Id);
  };
  for (const llvm::Value *V : Pointers)
    Add(operand(F, V).object);
  for (size_t Next = 0; Next < Found.size(); ++Next)
    for (const auto &[Offset, Cell] : Objects[Found[Next]].cells)
      if (Cell.value.object)
        Add(Cell.value.object);
  return Found;
}

/// A branch that came to rest on assumptions in a later iteration decides too how often what it controls was
/// executed, and in another run whether it was.
void Machine::noteControl(const Frame &F) {
  const bool Forced = !forced.empty();
  std::vector<AssumptionSet> Control(F.info->blocks.size());
  for (unsigned B = 0; B < Control.size(); ++B) {
    Control[B] = controlOf(F, B);
    if (Control[B] && !Forced)
      ControlOfRuns[{PathHash, F.info->blocks[B].block}] |= Control[B];
  }
  for (auto &S : Records.sites) {
    if ((S->executions == 0 && Forced) || S->path.size() < Path.size() ||
        !std::equal(Path.begin(), Path.end(), S->path.begin()))
      continue;
    const Instruction *I = S->path.size() > Path.size() ? S->path[Path.size()] : S->key.instruction;
    if (I->getFunction() == F.info->function)
      (S->executions ? S->control : S->soft) |= Control[F.info->number.lookup(I->getParent())];
  }
}

AssumptionSet Machine::controlInOtherRuns(const Frame &F) const {
  AssumptionSet Set = 0;
  if (!ControlOfRuns.empty())
    for (const Frame *At = &F; At; At = At->parent)
      Set |= ControlOfRuns.lookup({At->pathHash, At->info->blocks[At->block].block});
  return Set;
}

AssumptionSet Machine::controlOf(const Frame &F, unsigned B) const {
  AssumptionSet Set = F.entrySoft;
  if (F.anySoft)
    for (unsigned C : F.info->blocks[B].controllers)
      Set |= F.branchSoft[C];
  return Set;
}

LaneMask Machine::maybeOf(const Frame &F, unsigned B) const {
  LaneMask M = F.entryMaybe;
  if (F.anySoft)
    for (unsigned C : F.info->blocks[B].controllers)
      M |= F.branchData[C];
  return M;
}

uint64_t Machine::regionOf(const Frame &F, unsigned B) const {
  uint64_t Region = F.entryRegion;
  bool Own = false;
  if (F.anySoft)
    for (unsigned C : F.info->blocks[B].controllers)
      if (F.branchData[C]) {
        Region = hash_combine(Region, F.branchStamp[C]);
        Own = true;
      }
  return Own ? uint64_t(hash_combine(Region, F.info->blocks[B].conditions)) : Region;
}

/// Is the block being executed the one that decides whether its loop has another iteration, before it has?
bool Machine::isLoopTest(const Frame &F) const {
  const Block &B = F.info->blocks[F.block];
  return B.loopHeader && any_of(B.successors, [&](unsigned S) {
           return !F.info->loops[unsigned(B.loop)].blocks.test(S);
         }) && !is_contained(B.successors, F.block);
}

void Machine::executeBlock(Frame &F) {
  const Block &B = F.info->blocks[F.block];
  executed.insert(B.block);
  F.control = controlOf(F, F.block);
  F.maybe = maybeOf(F, F.block);
  F.region = regionOf(F, F.block);
  W.active = F.mask;
  if (B.loopHeader) {
    ++F.iteration[unsigned(B.loop)];
    if (F.iteration[unsigned(B.loop)] > 4 * uint64_t(TheBudget.shortIterations)) {
      outOfBudget = true; // a loop with no exit that could be forced
      budgetReason = "a loop does not end";
      unfinished.insert(B.block);
      return;
    }
  }
  const int Loop = recorderLoop(F, B.loop);
  if (B.loopHeader)
    work.iterate(Loop, F.iteration[unsigned(B.loop)] == 1, F.mask);
  work.execute(Loop, isLoopTest(F), *B.block, F.mask);
  for (const Instruction &I : *B.block) {
    if (auto *Phi = dyn_cast<PHINode>(&I)) {
      unsigned Slot = F.info->slot.lookup(Phi);
      if (F.info->liveOut[Slot])
        F.slots[Slot] = W.merge(F.slots[Slot], F.next[Slot], F.mask);
      else
        F.slots[Slot] = F.next[Slot];
      continue;
    }
    if (++steps > TheBudget.steps) {
      outOfBudget = true;
      budgetReason = "the kernel takes more steps than are allowed";
      unfinished.insert(B.block);
      return;
    }
    if (steps % 1024 == 0 && TheBudget.timeUp && TheBudget.timeUp()) {
      outOfBudget = true;
      budgetReason = "the time for this file is up";
      unfinished.insert(B.block);
      return;
    }
    if (I.isTerminator()) {
      branch(F, I);
      return;
    }
    step(F, I);
    if (outOfBudget) {
      unfinished.insert(B.block);
      return;
    }
  }
}

//===----------------------------------------------------------------------===//
// Branches and loops
//===----------------------------------------------------------------------===//

int Machine::loopCap(Frame &F, int Loop, bool Soft, bool Data) const {
  if (Data)
    return int(TheBudget.dataIterations);
  // The more has been spent, the fewer iterations of further loops are followed.
  if (Soft)
    return int(steps < TheBudget.steps / 16  ? TheBudget.softIterations
               : steps < TheBudget.steps / 4 ? 9u
                                             : 3u);
  if (steps >= TheBudget.steps / 2)
    return 9;
  // Loops over a few thousand elements are common, and short bodies can be followed to their end.
  bool Short = steps - F.loopSteps[unsigned(Loop)] < TheBudget.steps / 8;
  return int(Short ? TheBudget.shortIterations : TheBudget.hardIterations) + 1; // the last one finds the end
}

/// The side of a branch that one lane at most takes.
static std::optional<unsigned> leaderSideOf(const Instruction &T, const WarpValue &Condition) {
  if (!isa<BranchInst>(T) ||
      (Condition.relation != Relation::OneLane && Condition.relation != Relation::AllButOne))
    return std::nullopt;
  return Condition.relation == Relation::OneLane ? 0 : 1;
}

bool Machine::byOneLane(const Frame &F) const {
  const BasicBlock *Here = F.info->blocks[F.block].block;
  for (auto [Number, Side] : F.leaderSide) {
    const Block &B = F.info->blocks[Number];
    const BasicBlock *Others = F.info->blocks[B.successors[1 - Side]].block;
    SmallPtrSet<BasicBlock *, 1> Branch{const_cast<BasicBlock *>(B.block)};
    if (is_contained(F.info->blocks[F.block].controllers, Number) && Others != Here &&
        !isPotentiallyReachable(Others, Here, &Branch))
      return true;
  }
  return F.parent && byOneLane(*F.parent);
}

/// What decides whether a loop goes on, for its trip count.
void Machine::compareAtExit(Frame &F, const Instruction &T, int Loop) {
  auto *Br = dyn_cast<BranchInst>(&T);
  auto *Compare = Br ? dyn_cast<ICmpInst>(Br->getCondition()) : nullptr;
  if (!Compare || !isTracked(Compare->getOperand(0)->getType()))
    return;
  const bool Inclusive = Compare->isRelational() && Compare->isNonStrictPredicate();
  work.compareAtExit(recorderLoop(F, Loop), T, F.loopEntered[unsigned(Loop)], operand(F, Compare->getOperand(0)),
                     operand(F, Compare->getOperand(1)), Inclusive, F.mask);
}

void Machine::branch(Frame &F, const Instruction &T) {
  const Block &B = F.info->blocks[F.block];
  if (auto *Return = dyn_cast<ReturnInst>(&T)) {
    const llvm::Value *V = Return->getReturnValue();
    if (!V)
      return;
    if (V->getType()->isAggregateType()) {
      std::vector<WarpValue> New = parts(F, V);
      if (!F.returned)
        F.resultParts = std::move(New);
      else
        for (auto [Old, Part] : zip(F.resultParts, New))
          Old = W.merge(Old, Part, F.mask);
    } else {
      WarpValue R = operand(F, V);
      if (isTracked(V->getType()))
        R.words = wordsOf(F, V);
      R.soft |= F.control & ~F.entrySoft;
      if (!F.returned) {
        F.result = R;
      } else {
        LaneMask Again = F.mask & F.returned; // both sides of a condition were followed
        WarpValue Joined = Again ? W.join(F.result, R, Again) : R;
        F.result = W.merge(F.result, W.merge(R, Joined, Again), F.mask);
      }
    }
    F.returned |= F.mask;
    return;
  }
  if (B.successors.empty())
    return;
  if (B.successors.size() == 1) {
    go(F, F.block, B.successors[0], F.mask, 0, F.forced);
    return;
  }

  F.branchStamp[F.block] = ++Stamp;
  // Lanes by successor.
  SmallVector<LaneMask, 8> Take(B.successors.size(), 0);
  WarpValue Condition;
  if (auto *Br = dyn_cast<BranchInst>(&T)) {
    Condition = W.pin(operand(F, Br->getCondition()));
    forLanes(F.mask & ~Condition.unknown,
             [&](unsigned L) { Take[Condition.at(L) ? 0 : 1] |= LaneMask(1) << L; });
  } else if (auto *Switch = dyn_cast<SwitchInst>(&T)) {
    Condition = operand(F, Switch->getCondition());
    LaneMask Rest = F.mask & ~Condition.unknown;
    WarpValue Any = WarpValue::constant(0);
    unsigned Bits = widthOf(Switch->getCondition()->getType());
    for (const auto &Case : Switch->cases()) {
      WarpValue Equal =
          W.compare(index::Op::Eq, Condition, WarpValue::constant(Case.getCaseValue()->getSExtValue()), Bits);
      Any.soft |= Equal.soft;
      LaneMask Here = 0;
      forLanes(Rest & ~Equal.unknown, [&](unsigned L) {
        if (Equal.at(L))
          Here |= LaneMask(1) << L;
      });
      Take[Case.getSuccessorIndex()] |= Here;
      Rest &= ~Here;
    }
    Condition.soft |= Any.soft;
    Take[0] |= Rest;
  } else {
    Condition = WarpValue::unknownLanes();
  }

  AssumptionSet Soft = Condition.soft;
  LaneMask Data = F.mask & Condition.unknown;
  if (const auto Side = leaderSideOf(T, Condition); Side && Data)
    F.leaderSide[F.block] = *Side;
  else
    F.leaderSide.erase(F.block);
  int ExitLoop = -1; // the innermost loop that a successor leaves
  for (int L = B.loop; L >= 0 && ExitLoop < 0; L = F.info->loops[unsigned(L)].parent)
    for (unsigned S : B.successors)
      if (!F.info->loops[unsigned(L)].blocks.test(S))
        ExitLoop = L;
  if (ExitLoop >= 0)
    compareAtExit(F, T, ExitLoop);
  bool Capped = false;
  const bool Enough =
      ExitLoop >= 0 && int(F.iteration[unsigned(ExitLoop)]) >= loopCap(F, ExitLoop, Soft != 0, Data != 0);
  if (Enough) {
    // Enough iterations: all lanes leave.
    LaneMask Stay = Data;
    unsigned Exit = 0;
    for (auto [I, S] : enumerate(B.successors)) {
      if (F.info->loops[unsigned(ExitLoop)].blocks.test(S)) {
        Stay |= Take[I];
        Take[I] = 0;
      } else {
        Exit = unsigned(I);
      }
    }
    if (Stay) {
      Capped = true;
      Take[Exit] |= Stay;
      Data = 0;
      work.cutShort(recorderLoop(F, ExitLoop), T, Condition.unknown & F.mask);
      if (!Soft && !Condition.unknown)
        Soft |= W.bit(W.assume({Assumption::Sentence, "the loop at " + lineOf(T) + " was followed for " +
                                                          itostr(int64_t(F.iteration[unsigned(ExitLoop)])) +
                                                          " iterations only"}));
      else if (Condition.unknown)
        Soft |=
            W.bit(W.assume({Assumption::Sentence, "the loop at " + lineOf(T) + " ends by data: its first " +
                                                      "iterations were followed"}));
    }
  }
  if (Data) {
    if (Condition.why)
      F.branchWhy[F.block] = Condition.why;
    for (LaneMask &M : Take)
      M |= Data;
    const auto Sizes = partingSizes(Condition.why);
    Soft |= W.bit(W.assume(
        {Assumption::Sentence, "the condition at " + lineOf(T) +
                                   (Sizes ? " parts the lanes of a warp by " + *Sizes + ", which is not known"
                                          : std::string(" depends on data")) +
                                   ": it is taken to hold and not to hold in every lane"}));
    F.branchData[F.block] |= Data;
    followedBothSides = true;
    if (!Condition.isUnknownUniform())
      F.branchVaries[F.block] = true;
    F.anySoft = true;
  }
  uint32_t ForcedSides = 0;
  if (Soft && !Capped) {
    for (unsigned I = 0; I < Take.size(); ++I) {
      if (Take[I]) {
        taken.insert({&T, I});
        continue;
      }
      if (!forced.contains({&T, I})) {
        untaken.insert({&T, I});
        continue;
      }
      if (Enough && F.info->loops[unsigned(ExitLoop)].blocks.test(B.successors[I]))
        continue; // forcing lanes to stay would keep them for ever
      if (onlyForced) {
        std::fill(Take.begin(), Take.end(), 0);
      } else {
        ForcedSides |= 1u << std::min(I, 31u);
        F.branchData[F.block] |= F.mask;
        F.branchWhy.try_emplace(F.block, causeOf(T, Cause::Forced));
      }
      Take[I] = F.mask;
      Soft |= W.bit(W.assume({onlyForced ? Assumption::Side : Assumption::Sentence,
                              "the condition at " + lineOf(T) +
                                  " holds the other way than sizes taken as large make it"}));
      if (onlyForced)
        break;
    }
  }
  if (ExitLoop >= 0) {
    LaneMask Staying = 0, Leaving = 0;
    const LoopInfo &Left = F.info->loops[unsigned(ExitLoop)];
    for (auto [I, S] : enumerate(B.successors))
      (Left.blocks.test(S) ? Staying : Leaving) |= Take[I];
    Leaving &= ~Staying;
    if (Leaving && F.block == Left.header && isLoopTest(F))
      work.leaveByHeader(recorderLoop(F, ExitLoop), Leaving);
    if (Leaving && Soft && !Capped && !Data)
      work.leaveBySize(recorderLoop(F, ExitLoop), T);
  }
  if (Soft) {
    noteWrites(F, Soft);
    F.branchSoft[F.block] |= Soft;
    F.anySoft = true;
  }
  // Both ways out of one conditional may be the same block.
  for (unsigned I = 0; I < Take.size(); ++I) {
    LaneMask M = Take[I];
    for (unsigned J = 0; J < I; ++J)
      if (B.successors[J] == B.successors[I])
        M = 0;
    for (unsigned J = I + 1; J < Take.size() && M; ++J)
      if (B.successors[J] == B.successors[I])
        M |= Take[J];
    if (I && !M)
      for (unsigned J = 0; J < I; ++J)
        if (B.successors[J] == B.successors[I] && !Take[J])
          M = Take[I];
    if (M)
      go(F, F.block, B.successors[I], M, Soft, ForcedSides >> std::min(I, 31u) & 1 ? M : M & F.forced);
  }
}

void Machine::go(Frame &F, unsigned From, unsigned To, LaneMask Mask, AssumptionSet ExitSoft,
                 LaneMask Forced) {
  const Block &Target = F.info->blocks[To];
  // Whatever decides that lanes come from here, and not whether they come at all, decides a phi's value.
  AssumptionSet Choice = 0;
  bool LanesChoose = false;
  uint32_t ChoiceWhy = 0;
  const bool BackEdge = Target.loopHeader && F.info->loops[unsigned(Target.loop)].blocks.test(From);
  if (F.anySoft) {
    // Whether a loop goes on may be decided together with the way, where several lead back to its header.
    auto ChoosesLatch = [&](unsigned C) {
      const LoopInfo &Loop = F.info->loops[unsigned(Target.loop)];
      return Loop.blocks.test(C) &&
             count_if(F.info->blocks[C].successors, [&](unsigned S) { return Loop.blocks.test(S); }) > 1;
    };
    const bool SeveralWays = BackEdge && F.info->loops[unsigned(Target.loop)].latches > 1;
    auto Decides = [&](unsigned C) {
      return !is_contained(Target.controllers, C) || (SeveralWays && ChoosesLatch(C));
    };
    for (unsigned C : F.info->blocks[From].controllers)
      if (Decides(C)) {
        Choice |= F.branchSoft[C];
        LanesChoose |= F.branchVaries[C];
        ChoiceWhy = ChoiceWhy ? ChoiceWhy : F.branchWhy.lookup(C);
      }
    if (Decides(From)) {
      Choice |= F.branchSoft[From] | ExitSoft;
      LanesChoose |= F.branchVaries[From];
      ChoiceWhy = ChoiceWhy ? ChoiceWhy : F.branchWhy.lookup(From);
    }
  }
  if (!ChoiceWhy) // a loop's header is reached by way of what its own body decides
    ChoiceWhy = branchCause(F, From);
  // Values carried out of a loop rest on when it ended.
  for (int L = F.info->blocks[From].loop; L >= 0; L = F.info->loops[unsigned(L)].parent) {
    const LoopInfo &Loop = F.info->loops[unsigned(L)];
    if (Loop.blocks.test(To))
      break;
    int Id = recorderLoop(F, L);
    work.leave(Id, F.iteration[unsigned(L)]);
    AssumptionSet Rest = ExitSoft | Choice;
    LoopRecord &Record = Records.loops[unsigned(Id)];
    if (Rest) {
      for (unsigned Slot : Loop.liveOut)
        F.slots[Slot].soft |= Rest;
      for (Frame *At = &F; At; At = At->parent)
        for (uint32_t Local : At->locals)
          if (Objects[Local].written > F.loopEntered[unsigned(L)])
            for (auto &[Offset, Cell] : Objects[Local].cells)
              if (Cell.stamp > F.loopEntered[unsigned(L)])
                Cell.rests(Rest);
      Record.tripCountDiffers = true;
    } else if (F.info->blocks[From].block == F.info->blocks[Loop.header].block) {
      uint64_t Trips = F.iteration[unsigned(L)] - 1;
      if (Record.tripCount && *Record.tripCount != Trips)
        Record.tripCountDiffers = true;
      Record.tripCount = Trips;
    }
  }
  if (Target.loopHeader && !BackEdge) {
    F.iteration[unsigned(Target.loop)] = 0;
    F.loopEntered[unsigned(Target.loop)] = ++Stamp;
    F.loopSteps[unsigned(Target.loop)] = steps;
  }

  const BasicBlock *Predecessor = F.info->blocks[From].block;
  LaneMask Waiting = F.pending[To];
  for (const PHINode &Phi : Target.block->phis()) {
    WarpValue In = operand(F, Phi.getIncomingValueForBlock(Predecessor));
    In.soft |= Choice;
    In.words = {};
    unsigned Slot = F.info->slot.lookup(&Phi);
    if (Phi.getType()->isAggregateType()) { // as they are only where all lanes come from one place
      std::vector<WarpValue> &Parts = F.aggregates[Slot];
      Parts = parts(F, Phi.getIncomingValueForBlock(Predecessor));
      for (WarpValue &Part : Parts)
        if (Waiting || Choice || F.info->liveOut[Slot] || Target.loopHeader)
          Part = WarpValue::unknownLanes();
      continue;
    }
    if (!Waiting) {
      // Phis of one block read their operands before any of them changes: they change when the block starts.
      F.next[Slot] = In;
      continue;
    }
    if (In.object != F.next[Slot].object) {
      escape(In);
      escape(F.next[Slot]);
    }
    if (LaneMask Twice = Waiting & Mask) {
      // Forced sides are there for their own accesses: what comes after them goes on with the likely side's
      // values.
      const LaneMask KeepOld = Twice & Forced & ~F.pendingForced[To],
                     TakeNew = Twice & ~Forced & F.pendingForced[To];
      if (KeepOld || TakeNew) {
        WarpValue Likely = W.merge(F.next[Slot], In, TakeNew);
        Likely.soft |= Choice;
        F.next[Slot] = W.merge(F.next[Slot], Likely, KeepOld | TakeNew);
      }
      if ((KeepOld | TakeNew) == Twice) {
        F.next[Slot] = W.merge(F.next[Slot], In, Mask & ~Waiting);
        continue;
      }
      WarpValue Joined = W.join(F.next[Slot], In, Twice & ~(KeepOld | TakeNew));
      // One condition for all lanes chooses between two values that all lanes share: an unknown that all
      // share.
      if (!LanesChoose && (Joined.unknown & Twice) && isTracked(Phi.getType()) && !In.object &&
          !F.next[Slot].object && W.isUniform(In, Twice) && W.isUniform(F.next[Slot], Twice) &&
          !Target.loopHeader) {
        std::string Name = nameOfValue(Phi);
        Joined = W.valueOf(W.symbol((Name.empty() ? "value" : Name) + "'" + utostr(++Stamp)));
        Joined.soft |= Choice;
      }
      if (!LanesChoose && Twice == (Mask | Waiting) && !Target.loopHeader)
        if (auto Either = eitherPointer(Phi, F.next[Slot], In)) {
          Joined = *Either;
          Joined.soft |= Choice;
        }
      if ((Joined.unknown & Twice) && !Joined.why)
        Joined.why = causeOf(Phi, Cause::Choice, ChoiceWhy, nameOfValue(Phi));
      F.next[Slot] = W.merge(F.next[Slot], Joined, Twice);
    }
    if (Waiting && In.object != F.next[Slot].object && (Mask & ~Waiting))
      F.next[Slot] = mixPointers(Phi, F.next[Slot], Waiting, In, Mask & ~Waiting);
    else
      F.next[Slot] = W.merge(F.next[Slot], In, Mask & ~Waiting);
  }
  F.pendingForced[To] = (F.pendingForced[To] & ~Mask) | (Forced & ~Waiting) | (F.pendingForced[To] & Forced);
  F.pending[To] |= Mask;
  F.waiting.set(To);
}

int Machine::recorderLoop(Frame &F, int Loop) {
  if (Loop < 0)
    return F.outerLoop;
  if (F.loopIds[unsigned(Loop)] >= 0)
    return F.loopIds[unsigned(Loop)];
  auto Key = std::pair(uint64_t(hash_combine(PathHash, F.info)), Loop);
  if (auto It = LoopIds.find(Key); It != LoopIds.end())
    return F.loopIds[unsigned(Loop)] = It->second;
  int Parent = recorderLoop(F, F.info->loops[unsigned(Loop)].parent);
  LoopRecord Record;
  Record.path.assign(Path.begin(), Path.end());
  Record.function = F.info->function;
  Record.number = Loop;
  Record.parent = Parent;
  Record.header = &F.info->blocks[F.info->loops[unsigned(Loop)].header].block->back();
  Records.loops.push_back(std::move(Record));
  int Id = int(Records.loops.size()) - 1;
  LoopIds[Key] = Id;
  return F.loopIds[unsigned(Loop)] = Id;
}

uint64_t Machine::unrolledEntry(const Frame &F) const {
  uint64_t Entry = 0;
  for (const Frame *At = &F; At; At = At->parent)
    for (int L = At->info->blocks[At->block].loop; L >= 0; L = At->info->loops[unsigned(L)].parent) {
      if (!At->info->loops[unsigned(L)].unrolled)
        return Entry;
      Entry = At->loopEntered[unsigned(L)];
    }
  return Entry;
}

std::string Machine::iterationText(Frame &F) {
  std::string Text;
  for (Frame *At = &F; At; At = At->parent)
    for (int L = At->info->blocks[At->block].loop; L >= 0; L = At->info->loops[unsigned(L)].parent)
      for (const PHINode &Phi : At->info->blocks[At->info->loops[unsigned(L)].header].block->phis()) {
        const WarpValue &V = At->slots[At->info->slot.lookup(&Phi)];
        std::string Name = nameOfValue(Phi);
        if (!Phi.getType()->isIntegerTy() || Name.empty() || !V.known() || !W.isUniform(V, F.mask) || V.shift)
          continue;
        std::string Item = Name + " = " + itostr(V.at(unsigned(std::countr_zero(F.mask))));
        Text = Text.empty() ? Item : Item + ", " + Text;
        break;
      }
  return Text;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

WarpValue Machine::constantValue(const Constant *C) {
  if (auto It = Constants.find(C); It != Constants.end())
    return It->second;
  WarpValue V = WarpValue::unknownUniform();
  if (auto *I = dyn_cast<ConstantInt>(C)) {
    if (I->getBitWidth() <= 64)
      V = WarpValue::constant(I->getBitWidth() == 1 ? int64_t(I->getZExtValue()) : I->getSExtValue());
  } else if (isa<ConstantPointerNull>(C) || isa<UndefValue>(C)) {
    V = isTracked(C->getType()) ? WarpValue::constant(0) : WarpValue::unknownUniform();
  } else if (auto *G = dyn_cast<GlobalVariable>(C)) {
    V = pointerTo(objectOf(*G));
  } else if (auto *Code = dyn_cast<Function>(C)) {
    V = pointerTo(objectOf(*Code));
  } else if (auto *E = dyn_cast<ConstantExpr>(C)) {
    switch (E->getOpcode()) {
    case Instruction::AddrSpaceCast:
    case Instruction::BitCast:
    case Instruction::PtrToInt:
    case Instruction::IntToPtr:
      V = constantValue(E->getOperand(0));
      break;
    case Instruction::GetElementPtr: {
      V = constantValue(E->getOperand(0));
      APInt Offset(64, 0);
      if (cast<GEPOperator>(E)->accumulateConstantOffset(Layout, Offset))
        V = W.add(V, WarpValue::constant(Offset.getSExtValue()), 64, true);
      else
        V = WarpValue::unknownUniform();
      break;
    }
    case Instruction::Add:
      V = W.add(constantValue(E->getOperand(0)), constantValue(E->getOperand(1)), widthOf(E->getType()),
                false);
      break;
    case Instruction::Sub:
      V = W.sub(constantValue(E->getOperand(0)), constantValue(E->getOperand(1)), widthOf(E->getType()),
                false);
      break;
    default:
      break;
    }
  }
  Constants[C] = V;
  return V;
}

WarpValue Machine::operand(Frame &F, const llvm::Value *V) {
  if (auto *C = dyn_cast<Constant>(V))
    return constantValue(C);
  auto It = F.info->slot.find(V);
  return It == F.info->slot.end() ? WarpValue::unknownUniform() : F.slots[It->second];
}

std::vector<WarpValue> Machine::parts(Frame &F, const llvm::Value *V) {
  if (auto *C = dyn_cast<Constant>(V)) {
    std::vector<WarpValue> Result;
    if (!C->getType()->isAggregateType())
      return {constantValue(C)};
    for (unsigned I = 0; const Constant *Element = C->getAggregateElement(I); ++I)
      append_range(Result, parts(F, Element));
    return Result;
  }
  auto It = F.info->slot.find(V);
  return It == F.info->slot.end() ? std::vector<WarpValue>() : F.aggregates.lookup(It->second);
}

void Machine::set(Frame &F, const Instruction &I, WarpValue V) {
  if ((V.unknown & F.mask) && !V.why)
    V.why = whyUnknown(F, I);
  unsigned Slot = F.info->slot.lookup(&I);
  if (F.info->liveOut[Slot])
    V = W.merge(F.slots[Slot], V, F.mask);
  F.slots[Slot] = std::move(V);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

WarpValue Machine::address(Frame &F, const GEPOperator &G) {
  WarpValue V = operand(F, G.getPointerOperand());
  APInt Constant(64, 0);
  SmallMapVector<llvm::Value *, APInt, 4> Variable;
  if (!G.collectOffset(Layout, 64, Variable, Constant))
    return WarpValue::unknownLanes();
  V.words = {};
  for (auto &[Index, Scale] : Variable) {
    WarpValue Step = operand(F, Index);
    if (Step.isUnknownUniform() && V.object && !(V.unknown & F.mask)) {
      if (Objects[V.object].kind == Object::Local) {
        WarpValue Somewhere = WarpValue::unknownLanes(Step.why);
        Somewhere.object = V.object;
        return Somewhere;
      }
      Step = named(*Index, Step); // the same unknown distance in every lane moves the request as a whole
    }
    V = W.add(V, W.scale(Step, Scale.getSExtValue(), 64, true), 64, true);
  }
  if (!Constant.isZero())
    V = W.add(V, WarpValue::constant(Constant.getSExtValue()), 64, true);
  return V;
}

/// What a user would call a value: its variable, or the source of what computes it.
std::string Machine::sourceName(const llvm::Value &V, unsigned Depth) {
  if (auto *C = dyn_cast<ConstantInt>(&V))
    return itostr(C->getSExtValue());
  auto *I = dyn_cast<Instruction>(&V);
  if (!I)
    return nameOfValue(V);
  if (isa<PHINode>(I))
    return nameOfValue(V);
  SmallVector<DbgVariableRecord *, 4> Variables;
  findDbgValues(const_cast<llvm::Value *>(&V), Variables);
  for (const DbgVariableRecord *R : Variables)
    if (R->getVariable() && !R->getVariable()->getName().empty())
      return R->getVariable()->getName().str();
  if (isa<CastInst>(I))
    return sourceName(*I->getOperand(0), Depth);
  if (isa<LoadInst>(I) && TheSetting.textOf)
    return TheSetting.textOf(*I);
  const char *Sign = I->getOpcode() == Instruction::Add   ? " + "
                     : I->getOpcode() == Instruction::Sub ? " - "
                     : I->getOpcode() == Instruction::Mul ? " * "
                                                          : nullptr;
  if (!Sign || Depth >= 3)
    return "";
  const std::string Left = sourceName(*I->getOperand(0), Depth + 1),
                    Right = sourceName(*I->getOperand(1), Depth + 1);
  return Left.empty() || Right.empty() ? "" : Left + Sign + Right;
}

WarpValue Machine::named(const llvm::Value &Of, const WarpValue &V) {
  std::string Name = sourceName(Of);
  if (Name.empty())
    Name = "a value that all lanes share";
  WarpValue Result = W.valueOf(W.symbol(Name + "'" + utostr(1000 + FreshCounts[Name]++)));
  Result.soft |= V.soft;
  return Result;
}

void Machine::nameShared(Frame &F, const Instruction &I, WarpValue &A, WarpValue &B) {
  auto Shared = [&](const WarpValue &V) { return V.isUnknownUniform() && !V.object; };
  auto Lanes = [&](const WarpValue &V) { return !V.uniform && !(V.unknown & F.mask); };
  if (Shared(A) && Lanes(B))
    A = named(*I.getOperand(0), A);
  else if (Shared(B) && Lanes(A))
    B = named(*I.getOperand(1), B);
}

WarpValue Machine::binary(Frame &F, const BinaryOperator &I) {
  if (!isTracked(I.getType())) {
    WarpValue A = operand(F, I.getOperand(0)), B = operand(F, I.getOperand(1));
    return A.uniform && B.uniform ? WarpValue::unknownUniform() : WarpValue::unknownLanes();
  }
  WarpValue A = operand(F, I.getOperand(0)), B = operand(F, I.getOperand(1));
  A.words = B.words = {};
  unsigned Bits = widthOf(I.getType());
  auto *Overflow = dyn_cast<OverflowingBinaryOperator>(&I);
  bool NoWrap = Overflow && Overflow->hasNoSignedWrap();
  if (Bits > 1 && (I.getOpcode() == Instruction::Add || I.getOpcode() == Instruction::Sub ||
                   I.getOpcode() == Instruction::Mul))
    nameShared(F, I, A, B);
  switch (I.getOpcode()) {
  case Instruction::Add:
    return W.add(A, B, Bits, NoWrap);
  case Instruction::Sub:
    return W.sub(A, B, Bits, NoWrap);
  case Instruction::Mul:
    return W.mul(A, B, Bits, NoWrap);
  case Instruction::SDiv:
    return W.divide(A, B, Bits, true, false);
  case Instruction::UDiv:
    return W.divide(A, B, Bits, false, false);
  case Instruction::SRem:
    return W.divide(A, B, Bits, true, true);
  case Instruction::URem:
    return W.divide(A, B, Bits, false, true);
  case Instruction::Shl:
    return W.shiftLeft(A, B, Bits, NoWrap);
  case Instruction::LShr:
    return W.shiftRight(A, B, Bits, false);
  case Instruction::AShr:
    return W.shiftRight(A, B, Bits, true);
  case Instruction::And:
    return W.bitwise(index::Op::And, A, B, Bits);
  case Instruction::Or:
    return W.bitwise(index::Op::Or, A, B, Bits);
  case Instruction::Xor: {
    WarpValue V = W.bitwise(index::Op::Xor, A, B, Bits);
    if (Bits == 1 && V.known()) // booleans are 0 or 1 here
      V = W.bitwise(index::Op::And, V, WarpValue::constant(1), 1);
    return V;
  }
  default:
    return A.uniform && B.uniform ? WarpValue::unknownUniform() : WarpValue::unknownLanes();
  }
}

/// Are the lanes of a mask all different?
static bool areApart(const WarpValue &V, LaneMask Mask) {
  SmallDenseSet<int64_t, 32> Seen;
  bool Apart = !V.uniform && !(V.unknown & Mask);
  forLanes(Mask, [&](unsigned L) { Apart &= Seen.insert(V.at(L)).second; });
  return Apart;
}

/// The lanes' bits of %lanemask_lt, however they are computed.
static bool isMaskOfLower(const WarpValue &V, LaneMask Mask) {
  bool Is = !V.uniform && !V.shift && !(V.unknown & Mask);
  forLanes(Mask, [&](unsigned L) { Is &= lowBits(V.at(L), 32) == maskTrailingOnes<uint32_t>(L); });
  return Is;
}

Relation Machine::relationOf(Frame &F, const BinaryOperator &I) {
  const WarpValue A = operand(F, I.getOperand(0)), B = operand(F, I.getOperand(1));
  const bool Boolean = I.getType()->isIntegerTy(1);
  switch (I.getOpcode()) {
  case Instruction::And:
    if (Boolean && (A.relation == Relation::OneLane || B.relation == Relation::OneLane))
      return Relation::OneLane;
    return !Boolean && (isMaskOfLower(A, F.mask) || isMaskOfLower(B, F.mask)) ? Relation::Below
                                                                              : Relation::None;
  case Instruction::Xor:
    if (auto *C = dyn_cast<ConstantInt>(I.getOperand(1)); Boolean && C && C->isOne())
      return A.relation == Relation::OneLane     ? Relation::AllButOne
             : A.relation == Relation::AllButOne ? Relation::OneLane
                                                 : Relation::None;
    return Relation::None;
  default:
    return Relation::None;
  }
}

/// One number equals what is different in each lane in one of them at most.
Relation Machine::relationOf(Frame &F, const CmpInst &I) {
  if (!I.isEquality() || !I.getOperand(0)->getType()->isIntegerTy())
    return Relation::None;
  const WarpValue A = operand(F, I.getOperand(0)), B = operand(F, I.getOperand(1));
  const auto Apart = [&](const WarpValue &V) { return V.relation == Relation::Rank || areApart(V, F.mask); };
  if (!(A.uniform && Apart(B)) && !(B.uniform && Apart(A)))
    return Relation::None;
  return I.getPredicate() == CmpInst::ICMP_EQ ? Relation::OneLane : Relation::AllButOne;
}

WarpValue Machine::cast(Frame &F, const CastInst &I) {
  WarpValue V = operand(F, I.getOperand(0));
  V.words = {};
  Type *From = I.getSrcTy(), *To = I.getDestTy();
  switch (I.getOpcode()) {
  case Instruction::ZExt:
    return isTracked(To) && From->getIntegerBitWidth() > 1 ? W.zeroExtend(V, widthOf(From)) : V;
  case Instruction::SExt:
    if (From->isIntegerTy(1))
      return W.sub(WarpValue::constant(0), V, widthOf(To), true);
    return V;
  case Instruction::Trunc:
    if (!To->isIntegerTy(1))
      return W.truncate(V, widthOf(To));
    // Booleans are 0 or 1, and do not move.
    return W.compare(index::Op::Ne, W.bitwise(index::Op::And, V, WarpValue::constant(1), 64),
                     WarpValue::constant(0), 64);
  case Instruction::PtrToInt:
    return widthOf(To) >= 64 ? V : W.truncate(V, widthOf(To));
  case Instruction::IntToPtr:
  case Instruction::AddrSpaceCast:
  case Instruction::BitCast:
    if (isTracked(From) && isTracked(To))
      return V;
    break;
  case Instruction::FPToSI:
  case Instruction::FPToUI:
    if (isTracked(To))
      if (auto Known = converted(F, I.getOperand(0), RoundingMode::TowardZero, widthOf(To),
                                 I.getOpcode() == Instruction::FPToSI))
        return *Known;
    if (V.isUnknownUniform() && isTracked(To)) {
      std::string Name = TheSetting.textOf ? TheSetting.textOf(I) : "";
      // Each conversion is another unknown: the same text may give another number in the next iteration.
      return W.valueOf(W.symbol((Name.empty() ? "converted" : Name) + "'" + utostr(++Stamp)));
    }
    break;
  default:
    break;
  }
  return V.uniform ? WarpValue::unknownUniform() : WarpValue::unknownLanes();
}

WarpValue Machine::comparison(Frame &F, const CmpInst &I) {
  WarpValue A = operand(F, I.getOperand(0)), B = operand(F, I.getOperand(1));
  A.words = B.words = {};
  if (!isTracked(I.getOperand(0)->getType()))
    return A.uniform && B.uniform ? WarpValue::unknownUniform() : WarpValue::unknownLanes();
  unsigned Bits = widthOf(I.getOperand(0)->getType());
  using P = CmpInst::Predicate;
  P Predicate = I.getPredicate();
  // A pointer that was passed or declared is taken not to be null.
  auto IsNull = [&](const WarpValue &V) {
    return !V.object && V.uniform && V.known() && V.lane[0] == 0 && !V.shift;
  };
  if (I.getOperand(0)->getType()->isPointerTy() && (A.object != 0) != (B.object != 0) &&
      (IsNull(A) || IsNull(B)) && (Predicate == P::ICMP_EQ || Predicate == P::ICMP_NE)) {
    WarpValue R = WarpValue::constant(Predicate == P::ICMP_NE);
    const Object &O = Objects[A.object ? A.object : B.object];
    if (O.kind == Object::Parameter || O.kind == Object::Pointed)
      R.soft = W.bit(W.assume({Assumption::Presence, O.name + " is not null"}));
    return R;
  }
  switch (Predicate) {
  case P::ICMP_EQ:
    return W.compare(index::Op::Eq, A, B, Bits);
  case P::ICMP_NE:
    return W.compare(index::Op::Ne, A, B, Bits);
  case P::ICMP_SLT:
    return W.compare(index::Op::Lt, A, B, Bits);
  case P::ICMP_SLE:
    return W.compare(index::Op::Le, A, B, Bits);
  case P::ICMP_SGT:
    return W.compare(index::Op::Lt, B, A, Bits);
  case P::ICMP_SGE:
    return W.compare(index::Op::Le, B, A, Bits);
  case P::ICMP_ULT:
    return W.compare(index::Op::ULt, A, B, Bits);
  case P::ICMP_ULE:
    return W.compare(index::Op::ULe, A, B, Bits);
  case P::ICMP_UGT:
    return W.compare(index::Op::ULt, B, A, Bits);
  case P::ICMP_UGE:
    return W.compare(index::Op::ULe, B, A, Bits);
  default:
    return A.uniform && B.uniform ? WarpValue::unknownUniform() : WarpValue::unknownLanes();
  }
}

void Machine::step(Frame &F, const Instruction &I) {
  // Only of what is not known, how the lanes relate tells more than they do.
  const auto Set = [&](WarpValue V, auto RelationOf) {
    V.relation = V.unknown & F.mask ? RelationOf() : Relation::None;
    set(F, I, std::move(V));
  };
  if (auto *B = dyn_cast<BinaryOperator>(&I))
    return Set(binary(F, *B), [&] { return relationOf(F, *B); });
  if (auto *C = dyn_cast<CastInst>(&I))
    return Set(cast(F, *C), [&] { return operand(F, C->getOperand(0)).relation; });
  if (auto *C = dyn_cast<CmpInst>(&I))
    return Set(comparison(F, *C), [&] { return relationOf(F, *C); });
  if (auto *G = dyn_cast<GetElementPtrInst>(&I))
    return set(F, I, address(F, cast<GEPOperator>(*G)));
  if (auto *L = dyn_cast<LoadInst>(&I)) {
    WarpValue Pointer = operand(F, L->getPointerOperand());
    if (L->getType()->isAggregateType()) {
      std::vector<WarpValue> Parts;
      loadAggregate(F, I, Pointer, L->getType(), Parts);
      F.aggregates[F.info->slot.lookup(&I)] = std::move(Parts);
      return;
    }
    return set(F, I, load(F, I, Pointer, L->getType()));
  }
  if (auto *S = dyn_cast<StoreInst>(&I)) {
    WarpValue Pointer = operand(F, S->getPointerOperand());
    Type *T = S->getValueOperand()->getType();
    if (T->isAggregateType())
      return storeAggregate(F, I, Pointer, parts(F, S->getValueOperand()), T);
    WarpValue V = operand(F, S->getValueOperand());
    if (isTracked(T) && Pointer.object && Objects[Pointer.object].kind == Object::Local)
      V.words = wordsOf(F, S->getValueOperand());
    return store(F, I, Pointer, V, T);
  }
  if (auto *C = dyn_cast<CallBase>(&I))
    return call(F, *C);
  if (auto *A = dyn_cast<AllocaInst>(&I)) {
    F.locals.push_back(newLocal(A->getName().str()));
    if (TheSetting.localArrays && TheSetting.localArrays->contains(A))
      Objects[F.locals.back()].array = A;
    return set(F, I, pointerTo(F.locals.back()));
  }
  if (auto *S = dyn_cast<SelectInst>(&I)) {
    if (S->getType()->isAggregateType())
      return;
    WarpValue C = W.pin(operand(F, S->getCondition())), A = operand(F, S->getTrueValue()),
              B = operand(F, S->getFalseValue());
    A.words = B.words = {};
    if (A.object != B.object && !(C.uniform && C.known())) {
      escape(A);
      escape(B);
      if (A.object && B.object && !(C.unknown & F.mask)) {
        LaneMask True = 0;
        forLanes(F.mask, [&](unsigned L) { True |= LaneMask(C.at(L) != 0) << L; });
        WarpValue Mixed = mixPointers(I, B, F.mask & ~True, A, True);
        Mixed.soft |= C.soft;
        return set(F, I, Mixed);
      }
      if (C.isUnknownUniform())
        if (auto Either = eitherPointer(I, A, B))
          return set(F, I, *Either);
    }
    return set(F, I, W.select(C, A, B));
  }
  if (auto *E = dyn_cast<ExtractValueInst>(&I)) {
    std::vector<WarpValue> Whole = parts(F, E->getAggregateOperand());
    auto [Begin, Count] = scalarRange(Layout, E->getAggregateOperand()->getType(), E->getIndices());
    Whole.resize(std::max<size_t>(Whole.size(), Begin + Count), WarpValue::unknownLanes());
    if (I.getType()->isAggregateType())
      F.aggregates[F.info->slot.lookup(&I)].assign(Whole.begin() + Begin, Whole.begin() + Begin + Count);
    else
      set(F, I, Whole[Begin]);
    return;
  }
  if (auto *E = dyn_cast<InsertValueInst>(&I)) {
    std::vector<WarpValue> Whole = parts(F, E->getAggregateOperand());
    auto [Begin, Count] = scalarRange(Layout, E->getType(), E->getIndices());
    Whole.resize(scalarsOf(Layout, E->getType()).size(), WarpValue::unknownUniform());
    const llvm::Value *Inserted = E->getInsertedValueOperand();
    if (Inserted->getType()->isAggregateType()) {
      std::vector<WarpValue> New = parts(F, Inserted);
      std::copy_n(New.begin(), std::min<size_t>(Count, New.size()), Whole.begin() + Begin);
    } else if (Begin < Whole.size()) {
      Whole[Begin] = operand(F, Inserted);
      if (isTracked(Inserted->getType()))
        Whole[Begin].words = wordsOf(F, Inserted);
    }
    F.aggregates[F.info->slot.lookup(&I)] = std::move(Whole);
    return;
  }
  if (auto *X = dyn_cast<AtomicRMWInst>(&I))
    return set(F, I, atomic(F, I, X->getPointerOperand(), X->getValOperand(), X->getType()));
  if (auto *X = dyn_cast<AtomicCmpXchgInst>(&I)) {
    WarpValue V =
        atomic(F, I, X->getPointerOperand(), X->getNewValOperand(), X->getCompareOperand()->getType());
    F.aggregates[F.info->slot.lookup(&I)] = {V, WarpValue::unknownLanes()};
    return;
  }
  if (isa<FreezeInst>(I))
    return set(F, I, operand(F, I.getOperand(0)));
  if (I.getType()->isVoidTy())
    return;
  // Floating point, vectors: only whether the lanes agree matters.
  bool Uniform = true;
  for (const Use &U : I.operands())
    Uniform &= operand(F, U).uniform;
  if (!I.getType()->isAggregateType())
    set(F, I, Uniform ? WarpValue::unknownUniform() : WarpValue::unknownLanes());
}
