//===-- Memory.cpp - Objects, loads and stores --------------------------------===//

#include "analyzer/kernel/Machine.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include <algorithm>

using namespace llvm;
using namespace warplint;
using namespace warplint::kernel;
using result::Mechanism;
using result::Operation;
using result::Space;

/// Copies of more instructions than this are loops in the compiled code, whose shape is not known here.
static constexpr uint64_t MaxPieces = 256;

/// NVPTX address spaces [NVPTX User Guide].
static Space spaceOf(unsigned AddressSpace) {
  switch (AddressSpace) {
  case 3:
    return Space::Shared;
  case 4:
    return Space::Constant;
  case 5:
    return Space::Local;
  default:
    return Space::Global;
  }
}

static bool isTracked(const Type *T) {
  return (T->isIntegerTy() && T->getIntegerBitWidth() <= 64) || T->isPointerTy();
}

void Machine::freeLocals(ArrayRef<uint32_t> Locals) {
  for (uint32_t Local : Locals) {
    Objects[Local] = Object();
    FreeObjects.push_back(Local);
  }
}

void Machine::escape(const WarpValue &Pointer) {
  if (Pointer.object && Objects[Pointer.object].kind == Object::Local)
    Objects[Pointer.object].escaped = true;
}

void Machine::clobber(const WarpValue &Pointer) {
  SmallVector<uint32_t, 8> Work{Pointer.object};
  while (!Work.empty()) {
    uint32_t Id = Work.pop_back_val();
    if (!Id || (Objects[Id].kind != Object::Local && Objects[Id].kind != Object::ByValue))
      continue;
    Object &O = Objects[Id];
    for (const auto &[Offset, Cell] : O.cells)
      Work.push_back(Cell.value.object);
    O.cells.clear(); // and with them the way back, should the objects point at each other
    O.clobbered = true;
  }
}

void Machine::materialize(Object &O) {
  if (O.kind != Object::ByValue || O.hasContents())
    return;
  Object Passed = O;
  Object::Cell Whole;
  Whole.size = unsigned(O.size);
  Whole.reference = true;
  Whole.value = pointerTo(newObject(std::move(Passed))); // a deque: O stays where it is
  O.cells[0] = std::move(Whole);
}

uint32_t Machine::newLocal(std::string Name) {
  Object O;
  O.kind = Object::Local;
  O.space = Space::Local;
  O.name = std::move(Name);
  return newObject(std::move(O));
}

uint32_t Machine::newObject(Object O) {
  if (!FreeObjects.empty()) {
    uint32_t Id = FreeObjects.back();
    FreeObjects.pop_back();
    Objects[Id] = std::move(O);
    return Id;
  }
  Objects.push_back(std::move(O));
  return uint32_t(Objects.size() - 1);
}

/// "tile" of "kernel(float*)::tile".
static std::string lastName(StringRef Mangled) {
  std::string Full = demangle(Mangled);
  unsigned Depth = 0;
  size_t Start = 0;
  for (size_t I = 0; I < Full.size(); ++I) {
    char C = Full[I];
    if (C == '<' || C == '(' || C == '{')
      ++Depth;
    else if ((C == '>' || C == ')' || C == '}') && Depth)
      --Depth;
    else if (!Depth && C == ':' && I + 1 < Full.size() && Full[I + 1] == ':')
      Start = I + 2;
  }
  return Full.substr(Start);
}

uint32_t Machine::objectOf(const GlobalVariable &G) {
  uint32_t &Id = VariableObject[&G];
  if (!Id) {
    Object O;
    O.kind = Object::Variable;
    O.space = spaceOf(G.getAddressSpace());
    O.name = lastName(G.getName());
    O.variable = &G;
    uint32_t New = newObject(std::move(O));
    VariableObject[&G] = New;
    return New;
  }
  return Id;
}

uint32_t Machine::objectOf(const Function &Code) {
  uint32_t Id = FunctionObject.lookup(&Code);
  if (!Id) {
    Object O;
    O.kind = Object::Code;
    O.space = Space::Unknown;
    O.name = lastName(Code.getName());
    O.function = const_cast<Function *>(&Code);
    Id = newObject(std::move(O));
    FunctionObject[&Code] = Id;
  }
  return Id;
}

constexpr unsigned MixedShift = 40;

/// Can the pointer be one of several in global memory?
bool Machine::isGlobal(const WarpValue &Pointer) const {
  constexpr uint32_t Most = 1u << 18; // numbers above MixedShift
  return Pointer.object && Pointer.object < Most && Objects[Pointer.object].space == Space::Global;
}

/// A pointer that is the one or the other for all lanes alike: another object, of the same offsets.
std::optional<WarpValue> Machine::eitherPointer(const Instruction &I, const WarpValue &A,
                                                const WarpValue &B) {
  if (A.object == B.object || !isGlobal(A) || !isGlobal(B) || A.shift != B.shift || A.unknown != B.unknown ||
      A.uniform != B.uniform)
    return std::nullopt;
  for (unsigned L = 0; L < (A.uniform ? 1u : 32u); ++L)
    if (!(A.unknown >> L & 1) && A.lane[L] != B.lane[L])
      return std::nullopt;
  WarpValue R = A;
  R.words = {};
  R.soft |= B.soft;
  uint32_t &Id = PointedObject["either " + utostr(A.object) + " " + utostr(B.object)];
  if (!Id) {
    Object O;
    O.kind = Object::Pointed;
    O.name = Objects[A.object].name + " or " + Objects[B.object].name;
    O.soft = Objects[A.object].soft | Objects[B.object].soft;
    Id = newObject(std::move(O));
  }
  R.object = Id;
  if (!R.why)
    R.why = causeOf(I, Cause::Pointers);
  return R;
}

WarpValue Machine::mixPointers(const Instruction &I, const WarpValue &Old, LaneMask OldLanes,
                               const WarpValue &New, LaneMask NewLanes) {
  if (!OldLanes)
    return New;
  if (!NewLanes)
    return Old;
  if (Old.object == New.object || !isGlobal(Old) || !isGlobal(New)) {
    WarpValue R = W.merge(Old, New, NewLanes);
    if (R.unknown && !R.why)
      R.why = causeOf(I, Cause::Pointers);
    return R;
  }
  if (!MixedGlobal) {
    Object O;
    O.kind = Object::Mixed;
    O.soft = W.bit(W.assume({Assumption::Sentence, "arrays between which the lanes choose do not overlap"}));
    MixedGlobal = newObject(std::move(O));
  }
  auto Tagged = [&](WarpValue V) {
    if (V.object == MixedGlobal)
      return V;
    Objects[MixedGlobal].soft |= Objects[V.object].soft;
    const WarpValue Base = WarpValue::constant(int64_t(V.object) << MixedShift);
    V.object = 0;
    V = W.add(V, Base, 64, true);
    V.object = MixedGlobal;
    return V;
  };
  WarpValue R = W.merge(Tagged(Old), Tagged(New), NewLanes);
  R.spread();
  R.unknown |= ~(OldLanes | NewLanes);
  return R;
}

/// "a or b"
std::string Machine::mixedName(const WarpValue &Pointer, LaneMask Mask) const {
  std::string Text;
  SmallVector<uint32_t, 4> Named;
  forLanes(Mask & ~Pointer.unknown, [&](unsigned L) {
    const uint64_t Id = uint64_t(Pointer.at(L) + (int64_t(1) << (MixedShift - 1))) >> MixedShift;
    if (Id >= Objects.size() || is_contained(Named, uint32_t(Id)))
      return;
    Named.push_back(uint32_t(Id));
    Text += (Text.empty() ? "" : " or ") + Objects[Id].name;
  });
  return Text;
}

WarpValue Machine::pointerTo(uint32_t Id, int64_t Offset) {
  WarpValue V = WarpValue::constant(Offset);
  V.object = Id;
  return V;
}

//===----------------------------------------------------------------------===//
// Cells of locals and by-value parameters
//===----------------------------------------------------------------------===//

void Object::Cell::rests(AssumptionSet On) {
  value.soft |= On;
  if (!inside)
    return;
  WarpValue Softer = *inside;
  Softer.soft |= On;
  inside = std::make_shared<const WarpValue>(std::move(Softer));
}

Object::Cell Machine::partOf(const Object::Cell &Whole, unsigned Start, unsigned Size) {
  Object::Cell Part;
  Part.size = Size;
  Part.stamp = Whole.stamp;
  Part.region = Whole.region;
  Part.reference = Whole.reference;
  if (Whole.reference)
    Part.value = W.add(Whole.value, WarpValue::constant(Start), 64, true);
  else if (Whole.size <= 8 && !Whole.value.object)
    Part.value = W.truncate(W.shiftRight(W.zeroExtend(Whole.value, Whole.size * 8),
                                         WarpValue::constant(8 * Start), 64, false),
                            Size * 8);
  else
    Part.value = WarpValue::unknownLanes();
  return Part;
}

void Machine::splitCells(Object &O, int64_t Offset, unsigned Size) {
  // Cells that overlap the range only in part become bytes, for lanes too that do not run now.
  LaneMask Active = std::exchange(W.active, AllLanes);
  for (auto It = O.cells.begin(); It != O.cells.end();) {
    int64_t Low = It->first, High = Low + It->second.size;
    bool Overlaps = Low < Offset + int64_t(Size) && Offset < High;
    bool Inside = Offset <= Low && High <= Offset + int64_t(Size);
    if (!Overlaps || Inside || It->second.size == 1) {
      ++It;
      continue;
    }
    Object::Cell Old = It->second;
    It = O.cells.erase(It);
    auto Keep = [&](int64_t From, int64_t To, unsigned Step) {
      for (; From < To; From += Step)
        O.cells[From] = partOf(Old, unsigned(From - Low), Step);
    };
    if (Old.size <= 8) {
      Keep(Low, High, 1);
    } else {
      // Structures may have millions of bytes: what lies before and behind the range stays in one piece.
      const int64_t Begin = std::max(Low, Offset), End = std::min(High, Offset + int64_t(Size));
      Keep(Low, Begin, unsigned(Begin - Low));
      Keep(Begin, End, End - Begin <= 64 ? 1 : unsigned(End - Begin));
      Keep(End, High, unsigned(High - End));
    }
    It = O.cells.begin();
  }
  W.active = Active;
}

void Machine::writeCell(Frame &F, Object &O, int64_t Offset, unsigned Size, const WarpValue &V, LaneMask Mask,
                        bool Reference) {
  materialize(O);
  WarpValue New = V;
  New.soft |= F.control & ~F.entrySoft;
  auto Exact = O.cells.find(Offset);
  bool Lost = O.clobbered; // something else may be there
  if (Exact == O.cells.end() || Exact->second.size != Size) {
    splitCells(O, Offset, Size);
    // What lies inside the range is overwritten; lanes that do not store keep theirs only where the shapes
    // agree.
    for (auto It = O.cells.lower_bound(Offset); It != O.cells.end() && It->first < Offset + int64_t(Size);) {
      It = O.cells.erase(It);
      Lost = true;
    }
  }
  Object::Cell &C = O.cells[Offset];
  const LaneMask InDoubt = Mask & F.maybe; // this store may not happen
  if (C.size == 0 && !Lost)
    C.region = F.region;
  else if (!InDoubt)
    C.region = 0;
  // What is there was written in the same circumstances: when this store does not happen, it was not written
  // either.
  const bool Together = F.region && C.region == F.region;
  std::shared_ptr<const WarpValue> Inside;
  if (F.region && InDoubt && !Reference) {
    WarpValue Here = V;
    if (Mask != Shape->lanes && (C.size != 0 || Lost)) {
      const bool Again = C.inside && C.insideRegion == F.region;
      Here = W.merge(Again                         ? *C.inside
                     : C.size != 0 && !C.reference ? C.value
                                                   : WarpValue::unknownLanes(),
                     Here, Mask);
    }
    Inside = std::make_shared<const WarpValue>(std::move(Here));
  }
  if (C.size != 0 && C.reference == Reference) {
    if (LaneMask Weak = Together ? 0 : InDoubt)
      New = W.merge(New, W.join(C.value, New, Weak), Weak);
    if (Mask != Shape->lanes) // in a function that only some lanes called, the others' contents stay too
      New = W.merge(C.value, New, Mask);
  } else if ((C.size != 0 || Lost) && (Mask != Shape->lanes || InDoubt)) {
    New = W.merge(WarpValue::unknownLanes(), New, Mask & ~F.maybe);
  }
  if ((New.unknown & Mask) && !New.why)
    New.why = branchCause(F, F.block);
  C.size = Size;
  C.reference = Reference;
  C.value = New;
  C.inside = std::move(Inside);
  C.insideRegion = F.region;
  C.stamp = O.written = ++Stamp;
}

/// Where bytes come from that were copied piece by piece from one place.
static std::optional<WarpValue> copiedFrom(const Object &O, int64_t Offset, unsigned Size) {
  auto First = O.cells.find(Offset);
  if (First == O.cells.end())
    return std::nullopt;
  const WarpValue &From = First->second.value;
  if (!From.object || !From.uniform || !From.known())
    return std::nullopt;
  int64_t End = Offset;
  for (auto At = First; At != O.cells.end() && At->first < Offset + int64_t(Size); ++At) {
    const WarpValue &Piece = At->second.value;
    if (!At->second.reference || At->first != End || Piece.object != From.object || !Piece.uniform || !Piece.known() ||
        Piece.shift != From.shift || Piece.soft != From.soft || Piece.lane[0] - From.lane[0] != At->first - Offset)
      return std::nullopt;
    End += At->second.size;
  }
  return End == Offset + int64_t(Size) ? std::optional(From) : std::nullopt;
}

WarpValue Machine::readCells(Frame &F, const Instruction &I, Object &O, int64_t Offset, unsigned Size,
                             Type *T) {
  if (O.escaped)
    return WarpValue::unknownLanes();
  auto It = O.cells.upper_bound(Offset);
  if (It != O.cells.begin()) {
    auto Before = std::prev(It);
    Object::Cell &C = Before->second;
    int64_t Inside = Offset - Before->first;
    if (Inside + Size <= C.size) {
      if (C.reference)
        return load(F, I, W.add(C.value, WarpValue::constant(Inside), 64, true), T, true);
      if (Inside == 0 && Size == C.size)
        return C.inside && C.insideRegion == F.region ? *C.inside : C.value;
      if (C.size <= 8 && !C.value.object) {
        WarpValue Shifted =
            W.shiftRight(W.zeroExtend(C.value, C.size * 8), WarpValue::constant(8 * Inside), 64, false);
        return W.truncate(Shifted, Size * 8);
      }
      return C.value.uniform ? WarpValue::unknownUniform() : WarpValue::unknownLanes();
    }
  }
  auto First = O.cells.lower_bound(Offset);
  bool Any = First != O.cells.end() && First->first < Offset + int64_t(Size);
  if (!Any) {
    if (O.clobbered)
      return WarpValue::unknownLanes();
    // Never written: reading it has no defined value, so none can be wrong; zero keeps bits beside it apart.
    return isTracked(T) ? WarpValue::constant(0) : WarpValue::unknownUniform();
  }
  if (Size > 8)
    return WarpValue::unknownLanes();
  // Assemble from smaller cells; bytes that were never written count as zero.
  splitCells(O, Offset, Size);
  if (auto Address = copiedFrom(O, Offset, Size))
    return load(F, I, *Address, T, true);
  WarpValue Sum = WarpValue::constant(0);
  unsigned Covered = 0;
  for (auto At = O.cells.lower_bound(Offset); At != O.cells.end() && At->first < Offset + int64_t(Size);
       ++At) {
    WarpValue Piece;
    if (At->second.reference)
      Piece = load(F, I, At->second.value, IntegerType::get(I.getContext(), At->second.size * 8), true);
    else
      Piece = At->second.value;
    if (Piece.object)
      return WarpValue::unknownLanes();
    Covered += At->second.size;
    Piece = W.zeroExtend(Piece, At->second.size * 8);
    Sum = W.add(Sum, W.scale(Piece, int64_t(1) << (8 * (At->first - Offset)), 64, true), 64, true);
  }
  return O.clobbered && Covered < Size ? WarpValue::unknownLanes() : W.truncate(Sum, Size * 8);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// Distinct values among lanes, each with the lanes that have it.
static SmallVector<std::pair<int64_t, LaneMask>, 4> groups(const WarpValue &V, LaneMask Mask) {
  SmallVector<std::pair<int64_t, LaneMask>, 4> Result;
  if (V.uniform) {
    Result.push_back({V.lane[0], Mask});
    return Result;
  }
  forLanes(Mask, [&](unsigned L) {
    for (auto &[Offset, Lanes] : Result)
      if (Offset == V.lane[L]) {
        Lanes |= LaneMask(1) << L;
        return;
      }
    Result.push_back({V.lane[L], LaneMask(1) << L});
  });
  return Result;
}

/// The operand of a plain access or a copy that is its address.
static const llvm::Value *addressOperand(const Instruction &I, unsigned Component) {
  if (auto *L = dyn_cast<LoadInst>(&I))
    return L->getPointerOperand();
  if (auto *St = dyn_cast<StoreInst>(&I))
    return St->getPointerOperand();
  if (auto *X = dyn_cast<AtomicRMWInst>(&I))
    return X->getPointerOperand();
  if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return Exchange->getPointerOperand();
  auto *C = dyn_cast<CallBase>(&I);
  if (!C || C->isInlineAsm())
    return nullptr;
  const unsigned Operand = Component < WrittenSide && isa<MemTransferInst>(C) ? 1 : 0;
  return C->arg_size() > Operand && C->getArgOperand(Operand)->getType()->isPointerTy()
             ? C->getArgOperand(Operand)
             : nullptr;
}

void Machine::recordAccess(Frame &F, const Instruction &I, const WarpValue &Pointer, unsigned Width,
                           Operation Operation, Mechanism Mechanism, unsigned Component,
                           const Knowledge &Known) {
  Event E;
  E.valueVaries = Known.valueVaries;
  E.byOneLane = Operation == Operation::Atomic && byOneLane(F);
  E.unrolled = unrolledEntry(F);
  E.operation = Operation;
  E.mechanism = Mechanism;
  E.width = Width;
  E.mask = F.mask;
  E.control = F.control;
  E.epoch = Epoch;
  E.offset = Pointer;
  if (Pointer.object) {
    const Object &O = Objects[Pointer.object];
    E.space = O.space;
    E.base = O.name;
    E.variable = O.variable;
    E.array = O.array;
    E.offset.soft |= O.soft;
    if (O.kind == Object::Mixed)
      E.base = mixedName(Pointer, F.mask);
  }
  E.dataIndex = Known.reason.empty() && Pointer.object && (Pointer.unknown & F.mask);
  E.why = Pointer.why;
  if (!Known.reason.empty())
    E.unknownReason = Known.reason;
  else if (Pointer.unknown & F.mask)
    E.unknownReason =
        std::string(Pointer.object ? "the index" : "the address") + " depends on " + causeText(Pointer.why);
  if (E.dataIndex)
    if (auto Sizes = partingSizes(Pointer.why))
      E.parted = W.bit(W.assume({Assumption::Sentence, "no warp is parted by a comparison with " + *Sizes}));
  if (E.unknownReason.empty() && !Pointer.object)
    E.unknownReason = "the object that the address points into is not known";
  Site &S = Records.site({&I, PathHash, Component}, Path);
  bool New = !S.reached && S.executions == 0;
  S.removed = Known.removed && (New || S.removed); // each time
  S.unknownCall = Known.unknownCall;
  if (New)
    S.soft |= controlInOtherRuns(F);
  Records.record(S, E, [&] { return iterationText(F); });
  constexpr unsigned MaxWordTrials = 3; // later iterations may give what the first does not
  const bool Wordless = !E.unknownReason.empty() || Objects[Pointer.object].kind == Object::Mixed;
  if (New || (!S.words && !Wordless && S.wordTrials < MaxWordTrials)) {
    ++S.wordTrials;
    S.loop = recorderLoop(F, F.info->blocks[F.block].loop);
    S.inLoopTest = isLoopTest(F);
    S.region = uint64_t(hash_combine(PathHash, F.info->blocks[F.block].block));
    const llvm::Value *Address = Known.address ? Known.address : addressOperand(I, Component);
    if (Address && !Wordless) {
      S.words = wordsOf(F, Address);
      if (S.words && Known.offset)
        S.words = W.context.add(S.words, W.context.constant(Known.offset));
      if (S.words && !agrees(F, S.words, Pointer, F.mask)) {
        ++wordDisagreements;
        S.words = {};
      }
    }
  }
}

/// A plain access: one instruction, or several for a member of a packed structure.
void Machine::recordPieces(Frame &F, const Instruction &I, const WarpValue &Pointer, unsigned Size,
                           Operation Operation, bool Folded) {
  Knowledge Known;
  Known.removed = Folded || F.info->uses.dropped.contains(&I);
  unsigned Piece = Size;
  if (isa<LoadInst, StoreInst>(I) && !getLoadStoreType(&I)->isAggregateType() &&
      getLoadStoreAlignment(&I).value() < Size && TheSetting.typeAlignment)
    if (unsigned Alignment = TheSetting.typeAlignment(I); Alignment && Size % Alignment == 0)
      Piece = std::min(Size, Alignment);
  for (unsigned Done = 0; Done < Size; Done += Piece) {
    Known.offset = Done;
    recordAccess(F, I, Done ? W.add(Pointer, WarpValue::constant(Done), 64, true) : Pointer, Piece, Operation,
                 Mechanism::Plain, Done / Piece, Known);
  }
}

std::optional<WarpValue> Machine::functionInTable(Frame &F, const WarpValue &Pointer, Type *T) {
  const GlobalVariable *Table = Objects[Pointer.object].variable;
  if (!Table || !Table->isConstant() || !Table->hasDefinitiveInitializer() || !T->isPointerTy() ||
      (Pointer.unknown & F.mask) || Pointer.shift || Pointer.soft || !W.isUniform(Pointer, F.mask))
    return std::nullopt;
  const int64_t Offset = Pointer.at(unsigned(std::countr_zero(F.mask)));
  if (Offset < 0)
    return std::nullopt;
  const Constant *C = ConstantFoldLoadFromConst(const_cast<Constant *>(Table->getInitializer()), T,
                                                APInt(64, uint64_t(Offset)), Layout);
  const auto *Code = C ? dyn_cast<Function>(C->stripPointerCasts()) : nullptr;
  return Code ? std::optional(pointerTo(objectOf(*Code))) : std::nullopt;
}

WarpValue Machine::loadedValue(Frame &F, const Instruction &I, const WarpValue &Pointer, Type *T) {
  const Object &O = Objects[Pointer.object];
  const uint32_t Why = causeOf(I, Cause::Memory);
  if (Pointer.unknown & F.mask)
    return WarpValue::unknownLanes(Why);
  unsigned Size = unsigned(Layout.getTypeStoreSize(T).getFixedValue());
  // Tables whose contents the program cannot change.
  if (O.variable && O.variable->isConstant() && O.variable->hasDefinitiveInitializer() && T->isIntegerTy()) {
    WarpValue Index = W.pin(Pointer);
    WarpValue R;
    R.uniform = Index.uniform;
    R.soft = Index.soft;
    R.unknown = 0;
    auto Fetch = [&](int64_t Offset) -> std::optional<int64_t> {
      if (Offset < 0)
        return std::nullopt;
      Constant *C = ConstantFoldLoadFromConst(const_cast<Constant *>(O.variable->getInitializer()), T,
                                              APInt(64, uint64_t(Offset)), Layout);
      auto *Int = dyn_cast_or_null<ConstantInt>(C);
      return Int ? std::optional(Int->getSExtValue()) : std::nullopt;
    };
    for (unsigned L = 0; L < (R.uniform ? 1u : 32u); ++L) {
      auto V = R.uniform || (F.mask >> L & 1) ? Fetch(Index.at(L)) : std::optional<int64_t>(0);
      R.lane[L] = V.value_or(0);
      if (!V)
        R.unknown |= R.uniform ? AllLanes : LaneMask(1) << L;
    }
    return R;
  }
  bool Uniform = W.isUniform(Pointer, F.mask);
  if (!Uniform)
    return WarpValue::unknownLanes(Why); // a gather
  if (!isTracked(T) || T->isIntegerTy(1)) {
    WarpValue Shared = WarpValue::unknownUniform();
    Shared.why = Why;
    return Shared;
  }
  // The same unknown in every lane: a symbol for this address. Memory that the kernel writes is read anew
  // each time it may have changed.
  int64_t Offset = Pointer.at(unsigned(std::countr_zero(F.mask)));
  bool Stable = O.kind == Object::ByValue || O.space == Space::Constant;
  std::string Key = utostr(Pointer.object) + "@" + itostr(Offset) + "/" + utostr(Size) + "/" +
                    utostr(uint64_t(reinterpret_cast<uintptr_t>(Pointer.shift.key()))) +
                    (Stable ? "" : "#" + utostr(Epoch));
  std::string Text;
  if (O.kind == Object::ByValue)
    Text = TheSetting.memberPath ? TheSetting.memberPath(O.parameter, uint64_t(Offset)) : "";
  else if (O.kind == Object::Variable && Offset == 0 && !Pointer.shift)
    Text = O.name;
  else if (TheSetting.textOf)
    Text = TheSetting.textOf(I);
  if (Text.empty())
    Text = O.name + "[" + itostr(Offset) + "]";
  if (O.kind == Object::ByValue)
    if (auto It = TheSetting.members.find(Text); It != TheSetting.members.end())
      return WarpValue::constant(It->second);
  if (T->isPointerTy()) {
    uint32_t &Id = PointedObject[Key];
    if (!Id) {
      Object Pointed;
      Pointed.kind = Object::Pointed;
      Pointed.name = Text;
      if (O.kind != Object::ByValue)
        // What threads keep in shared memory may as well be the address of something there.
        Pointed.soft = W.bit(W.assume({Assumption::Sentence, "the pointer " + Text + " is 256-byte aligned" +
                                                                 (O.space == Space::Shared ? result::LeadsToGlobal : "")}));
      Id = newObject(std::move(Pointed));
    }
    return pointerTo(PointedObject[Key]);
  }
  // Distinct keys may have one text (the same expression at another time): number those.
  static const char *const Ticks[] = {"", "'", "''"};
  auto &Variants = TextKeys[Text];
  size_t Which = size_t(find(Variants, Key) - Variants.begin());
  if (Which == Variants.size())
    Variants.push_back(Key);
  std::string Name = Text + (Which < 3 ? std::string(Ticks[Which]) : "'" + utostr(Which));
  WarpValue V = W.valueOf(W.symbol(Name, Size == 1 ? std::optional<int64_t>(1) : std::nullopt));
  V.soft |= Pointer.soft; // an address that only seems to be the same
  return V;
}

/// Does the load's address have an index that is not a constant?
static bool isIndexed(const Instruction &I) {
  auto *Load = dyn_cast<LoadInst>(&I);
  const llvm::Value *Pointer = Load ? Load->getPointerOperand() : nullptr;
  while (auto *G = dyn_cast_or_null<GEPOperator>(Pointer)) {
    if (!G->hasAllConstantIndices())
      return true;
    Pointer = G->getPointerOperand();
  }
  return false;
}

WarpValue Machine::load(Frame &F, const Instruction &I, const WarpValue &Pointer, Type *T, bool Silent) {
  unsigned Size = unsigned(Layout.getTypeStoreSize(T).getFixedValue());
  if (Pointer.object) {
    Object &O = Objects[Pointer.object];
    if (O.hasContents()) {
      if (O.array && !Silent)
        recordAccess(F, I, Pointer, Size, Operation::Load, Mechanism::Plain, 0);
      auto Contents = [&](WarpValue V) {
        if (!(V.unknown & F.mask) || V.why)
          return V;
        uint32_t Inner = 0; // what was stored there last, if that says it
        for (const auto &[Offset, Cell] : O.cells)
          if (!Inner && Cell.value.unknown)
            Inner = Cell.value.why;
        V.why = causeOf(I, Cause::Contents, Inner, O.name);
        return V;
      };
      if (Pointer.unknown & F.mask)
        return Contents(WarpValue::unknownLanes(Pointer.why));
      WarpValue At = W.pin(Pointer);
      At.soft |= O.contents;
      auto Groups = groups(At, F.mask);
      if (Groups.size() == 1) {
        WarpValue V = readCells(F, I, O, Groups[0].first, Size, T);
        V.soft |= At.soft;
        return Contents(V);
      }
      WarpValue V = WarpValue::unknownLanes();
      for (auto &[Offset, Lanes] : Groups) {
        WarpValue Piece = readCells(F, I, O, Offset, Size, T);
        Piece.words = {};
        V = V.unknown == AllLanes && !V.object ? W.merge(WarpValue::unknownLanes(), Piece, Lanes)
                                               : W.merge(V, Piece, Lanes);
      }
      V.soft |= At.soft;
      return Contents(V);
    }
    // Parameters are in a constant bank. A fixed place in it is an operand of the instruction that uses it,
    // free of cost.
    if (O.kind == Object::ByValue)
      Silent |= !O.readInPlace || !isIndexed(I);
  }
  // A call through it is then a direct one in the compiled code, which reads no table.
  const std::optional<WarpValue> Code = functionInTable(F, Pointer, T);
  if (!Silent)
    recordPieces(F, I, Pointer, Size, Operation::Load, Code.has_value());
  if (Code)
    return *Code;
  if (!Pointer.object) {
    WarpValue V = Pointer.isUnknownUniform() ? WarpValue::unknownUniform() : WarpValue::unknownLanes();
    V.why = causeOf(I, Cause::Memory);
    return V;
  }
  return loadedValue(F, I, Pointer, T);
}

void Machine::store(Frame &F, const Instruction &I, const WarpValue &Pointer, const WarpValue &V, Type *T) {
  unsigned Size = unsigned(Layout.getTypeStoreSize(T).getFixedValue());
  if (Pointer.object) {
    Object &O = Objects[Pointer.object];
    if (O.kind == Object::Local || O.kind == Object::ByValue) {
      if (O.array)
        recordAccess(F, I, Pointer, Size, Operation::Store, Mechanism::Plain, 0);
      if (Pointer.unknown & F.mask) {
        O.cells.clear();
        O.clobbered = true;
        return;
      }
      WarpValue At = W.pin(Pointer);
      O.contents |= At.soft; // it may have been another cell
      for (auto &[Offset, Lanes] : groups(At, F.mask)) {
        WarpValue Stored = V;
        Stored.soft |= At.soft;
        writeCell(F, O, Offset, Size, Stored, Lanes, false);
      }
      return;
    }
  }
  recordPieces(F, I, Pointer, Size, Operation::Store);
  ++Epoch;
}

static void appendScalars(const DataLayout &Layout, Type *T, int64_t Base,
                          std::vector<std::pair<Type *, int64_t>> &Into) {
  if (auto *S = dyn_cast<StructType>(T)) {
    const StructLayout *L = Layout.getStructLayout(S);
    for (unsigned I = 0; I < S->getNumElements(); ++I)
      appendScalars(Layout, S->getElementType(I), Base + int64_t(L->getElementOffset(I).getFixedValue()),
                    Into);
  } else if (auto *A = dyn_cast<ArrayType>(T)) {
    int64_t Stride = int64_t(Layout.getTypeAllocSize(A->getElementType()).getFixedValue());
    for (uint64_t I = 0; I < std::min<uint64_t>(A->getNumElements(), 256); ++I)
      appendScalars(Layout, A->getElementType(), Base + int64_t(I) * Stride, Into);
  } else {
    Into.push_back({T, Base});
  }
}

std::vector<std::pair<Type *, int64_t>> kernel::scalarsOf(const DataLayout &Layout, Type *T) {
  std::vector<std::pair<Type *, int64_t>> Result;
  appendScalars(Layout, T, 0, Result);
  return Result;
}

std::pair<unsigned, unsigned> kernel::scalarRange(const DataLayout &Layout, Type *T,
                                                  ArrayRef<unsigned> Indices) {
  unsigned Begin = 0;
  for (unsigned Index : Indices) {
    for (unsigned I = 0; I < Index; ++I)
      Begin += unsigned(scalarsOf(Layout, ExtractValueInst::getIndexedType(T, I)).size());
    T = ExtractValueInst::getIndexedType(T, Index);
  }
  return {Begin, unsigned(scalarsOf(Layout, T).size())};
}

void Machine::loadAggregate(Frame &F, const Instruction &I, const WarpValue &Pointer, Type *T,
                            std::vector<WarpValue> &Out) {
  for (auto [Scalar, Offset] : scalarsOf(Layout, T))
    Out.push_back(load(F, I, W.add(Pointer, WarpValue::constant(Offset), 64, true), Scalar));
}

void Machine::storeAggregate(Frame &F, const Instruction &I, const WarpValue &Pointer,
                             ArrayRef<WarpValue> Parts, Type *T) {
  for (auto [Index, Scalar] : enumerate(scalarsOf(Layout, T)))
    store(F, I, W.add(Pointer, WarpValue::constant(Scalar.second), 64, true),
          Index < Parts.size() ? Parts[Index] : WarpValue::unknownLanes(), Scalar.first);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static std::string longCopy(uint64_t Size, unsigned Piece) {
  return "the copy of " + utostr(Size) + " bytes in pieces of " + utostr(Piece) +
         " is a loop in the compiled code, which is not followed";
}

void Machine::copy(Frame &F, const Instruction &I, const WarpValue &To, const WarpValue &From,
                   uint64_t Size) {
  Object *Source = From.object ? &Objects[From.object] : nullptr;
  Object *Target = To.object ? &Objects[To.object] : nullptr;
  bool LocalSource = Source && (Source->kind == Object::Local || Source->kind == Object::ByValue);
  bool LocalTarget = Target && (Target->kind == Object::Local || Target->kind == Object::ByValue);

  // A copy is one instruction per piece of the accessed type's alignment, 16 bytes at most.
  unsigned Alignment = TheSetting.typeAlignment ? TheSetting.typeAlignment(I) : 0;
  if (!Alignment)
    if (auto *M = dyn_cast<MemTransferInst>(&I)) {
      Alignment = unsigned(
          std::max(M->getDestAlign().valueOrOne().value(), M->getSourceAlign().valueOrOne().value()));
      if (auto *A = dyn_cast<AllocaInst>(M->getRawDest()->stripPointerCasts()))
        Alignment = unsigned(A->getAlign().value());
      else if (auto *B = dyn_cast<AllocaInst>(M->getRawSource()->stripPointerCasts()))
        Alignment = unsigned(B->getAlign().value());
      Alignment = std::max(Alignment, 1u);
    }
  unsigned Piece = std::clamp(Alignment, 1u, 16u);
  auto Pieces = [&](const WarpValue &Pointer, result::Operation Does, unsigned Base) {
    Knowledge Known;
    if (Size > MaxPieces * Piece) { // a number for a part of it would be wrong
      Known.reason = longCopy(Size, Piece);
      return recordAccess(F, I, Pointer, Piece, Does, Mechanism::Memcpy, Base, Known);
    }
    const auto Used = F.info->uses.copies.find(&I);
    for (uint64_t Done = 0; Done < Size; Done += Piece) {
      uint64_t At = Done, Width = std::min<uint64_t>(Piece, Size - Done);
      Known.removed = Does == Operation::Store && F.info->uses.dropped.contains(&I);
      if (Does == Operation::Load && Used != F.info->uses.copies.end()) {
        SmallVector<std::pair<unsigned, unsigned>, 4> Here;
        copy_if(Used->second, std::back_inserter(Here), [&](auto Part) {
          return Part.first < At + Width && At < Part.first + uint64_t(Part.second);
        });
        Known.removed = Here.empty();
        if (Here.size() == 1 && Here[0].first >= At && Here[0].first + Here[0].second <= At + Width)
          At = Here[0].first, Width = Here[0].second; // one component alone is read alone
      }
      Known.offset = int64_t(At);
      recordAccess(F, I, W.add(Pointer, WarpValue::constant(int64_t(At)), 64, true), unsigned(Width), Does,
                   Mechanism::Memcpy, Base + unsigned(Done / Piece), Known);
    }
  };
  // What a local variable starts with is written into the code: the compiler's own constant is never read.
  bool Initializer = Source && Source->variable && Source->variable->hasPrivateLinkage() && LocalTarget;
  if (!LocalSource && !Initializer)
    Pieces(From, Operation::Load, 0);
  if (!LocalTarget) {
    Pieces(To, Operation::Store, WrittenSide);
    ++Epoch;
    return;
  }
  if ((To.unknown & F.mask) || !W.isUniform(To, F.mask)) {
    Target->cells.clear();
    Target->clobbered = true;
    return;
  }
  int64_t At = W.pin(To).at(unsigned(std::countr_zero(F.mask)));
  if (LocalSource && Source->hasContents()) {
    if ((From.unknown & F.mask) || !W.isUniform(From, F.mask)) {
      writeCell(F, *Target, At, unsigned(Size), WarpValue::unknownLanes(), F.mask, false);
      return;
    }
    int64_t Begin = W.pin(From).at(unsigned(std::countr_zero(F.mask)));
    splitCells(*Source, Begin, unsigned(Size));
    std::vector<std::pair<int64_t, Object::Cell>> Moved;
    for (auto It = Source->cells.lower_bound(Begin);
         It != Source->cells.end() && It->first < Begin + int64_t(Size); ++It)
      Moved.push_back({It->first - Begin + At, It->second});
    Target->contents |= Source->contents;
    if (Source->clobbered && Moved.empty())
      Target->clobbered = true;
    for (auto &[Offset, Cell] : Moved)
      writeCell(F, *Target, Offset, Cell.size, Cell.value, F.mask, Cell.reference);
    return;
  }
  // The bytes are read where they come from when somebody asks for them.
  writeCell(F, *Target, At, unsigned(Size), From, F.mask, true);
}

void Machine::fill(Frame &F, const Instruction &I, const WarpValue &To, const WarpValue &Byte,
                   uint64_t Size) {
  Object *Target = To.object ? &Objects[To.object] : nullptr;
  if (Target && (Target->kind == Object::Local || Target->kind == Object::ByValue)) {
    bool Simple = Size <= 4096 && !(To.unknown & F.mask) && W.isUniform(To, F.mask) && Byte.uniform &&
                  Byte.known() && !Byte.shift;
    if (!Simple) {
      Target->cells.clear();
      Target->clobbered = true;
      return;
    }
    int64_t At = W.pin(To).at(unsigned(std::countr_zero(F.mask)));
    for (uint64_t Done = 0; Done < Size;) {
      unsigned Piece = Size - Done >= 4 ? 4 : 1;
      uint64_t Pattern = lowBits(Byte.lane[0], 8) * (Piece == 4 ? 0x01010101u : 1u);
      writeCell(F, *Target, At + int64_t(Done), Piece,
                WarpValue::constant(signExtend(int64_t(Pattern), Piece * 8)), F.mask, false);
      Done += Piece;
    }
    return;
  }
  ++Epoch;
  unsigned Alignment = TheSetting.typeAlignment ? TheSetting.typeAlignment(I) : 0;
  if (auto *M = dyn_cast<MemSetInst>(&I); M && !Alignment)
    Alignment = unsigned(M->getDestAlign().valueOrOne().value());
  unsigned Piece = std::clamp(Alignment, 1u, 16u);
  Knowledge Known;
  if (Size > MaxPieces * Piece) {
    Known.reason = longCopy(Size, Piece);
    return recordAccess(F, I, To, Piece, Operation::Store, Mechanism::Memcpy, WrittenSide, Known);
  }
  for (uint64_t Done = 0; Done < Size; Done += Piece) {
    Known.offset = int64_t(Done);
    recordAccess(F, I, W.add(To, WarpValue::constant(int64_t(Done)), 64, true),
                 unsigned(std::min<uint64_t>(Piece, Size - Done)), Operation::Store, Mechanism::Memcpy,
                 WrittenSide + unsigned(Done / Piece), Known);
  }
}
