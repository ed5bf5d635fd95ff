#include "analyzer/kernel/Work.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::kernel;
using result::Amount;

Amount kernel::amountOfSize(StringRef Name) {
  const auto [Left, Right] = Name.rsplit(" / ");
  unsigned Divisor = 0;
  if (Right.empty() || Right.getAsInteger(10, Divisor) || !Divisor)
    return Amount::symbol(Name.str());
  StringRef Size = Left;
  if (Size.consume_front("(")) {
    if (!Size.consume_back(")"))
      return Amount::symbol(Name.str());
    const size_t Sign = Size.find_first_of("+-");
    int64_t Constant = 0;
    if (Sign != StringRef::npos && !Size.drop_front(Sign + 1).trim().getAsInteger(10, Constant))
      Size = Size.take_front(Sign).trim();
  }
  const bool Plain = all_of(Size, [](char C) { return isAlnum(C) || C == '_' || C == '.'; });
  return Plain && !Size.empty() ? Amount::symbol(Size.str()) * (1.0 / Divisor) : Amount::symbol(Name.str());
}

WorkCounter::Loop &WorkCounter::loop(int Number) {
  if (Number < 0)
    return Outside;
  if (size_t(Number) >= Loops.size())
    Loops.resize(size_t(Number) + 1);
  return Loops[size_t(Number)];
}

const Operations &WorkCounter::operationsIn(const BasicBlock &B) {
  auto [It, New] = Known.try_emplace(&B);
  if (!New)
    return It->second;
  auto [Addresses, NewFunction] = AddressesOf.try_emplace(B.getParent());
  if (NewFunction)
    Addresses->second = addressArithmetic(*B.getParent());
  for (const Instruction &I : B) {
    Operations Its = operationsOf(I);
    if (Addresses->second.contains(&I))
      Its.data = 0;
    It->second += Its;
  }
  return It->second;
}

static double lanesOf(LaneMask Mask) { return double(std::popcount(Mask)); }

void WorkCounter::start(LaneMask Lanes) {
  RunThreads = lanesOf(Lanes);
  Whole = 0;
}

void WorkCounter::execute(int Number, bool Test, const BasicBlock &B, LaneMask Mask) {
  if (counts && !Whole)
    (Test ? loop(Number).doneInTest : loop(Number).done) += operationsIn(B) * lanesOf(Mask);
}

void WorkCounter::enterWhole(int Number, const Operations &Done, LaneMask Mask) {
  if (!Whole++ && counts)
    loop(Number).done += Done * lanesOf(Mask);
}

void WorkCounter::iterate(int Number, bool First, LaneMask Mask) {
  if (!counts)
    return;
  Loop &L = loop(Number);
  L.visits += lanesOf(Mask);
  L.iterations += lanesOf(Mask);
  if (First)
    L.entries += lanesOf(Mask);
}

void WorkCounter::leaveByHeader(int Number, LaneMask Mask) {
  if (counts)
    loop(Number).iterations -= lanesOf(Mask);
}

void WorkCounter::leave(int Number, uint64_t Iterations) {
  if (!counts)
    return;
  Loop &L = loop(Number);
  L.followedDiffers |= L.followed && *L.followed != Iterations;
  L.followed = Iterations;
}

std::optional<WorkCounter::Distance> WorkCounter::distance(const WarpValue &Left, const WarpValue &Right,
                                                           LaneMask Mask) {
  if (((Left.unknown | Right.unknown) & Mask) || Left.object != Right.object || !Mask)
    return std::nullopt;
  Distance D;
  forLanes(Mask, [&](unsigned L) { D.mean += double(Right.at(L)) - double(Left.at(L)); });
  D.mean /= lanesOf(Mask);
  const auto Shift = [&](const WarpValue &V) { return V.shift ? V.shift : W.context.constant(0); };
  D.shift = W.context.sub(Shift(Right), Shift(Left));
  return D.shift ? std::optional(D) : std::nullopt;
}

void WorkCounter::compareAtExit(int Number, const Instruction &Branch, uint64_t Entry, const WarpValue &Left,
                                const WarpValue &Right, bool Inclusive, LaneMask Mask) {
  if (!counts)
    return;
  Exit &E = loop(Number).exits[&Branch];
  if (E.entry != Entry)
    E = {Entry, 0, std::nullopt, std::nullopt, Inclusive};
  ++E.visits;
  if (E.visits == 1)
    E.first = distance(Left, Right, Mask);
  else if (E.visits == 2)
    E.second = distance(Left, Right, Mask);
}

/// The value, at the middle of the blocks and warps that the run stands for. Of a grid that is not known, what
/// blocks begin with is left out: beside an unknown size it does not matter.
std::optional<Amount> WorkCounter::amount(const Distance &D) {
  Amount Result(D.mean);
  bool LeftOut = false;
  for (const index::Term &T : W.context.terms(D.shift)) {
    double AtSample = double(T.coefficient);
    Amount Moved(double(T.coefficient));
    bool Blocks = false, Sizes = false;
    for (index::Expr Factor : T.factors) {
      if (const auto Dim = W.dimensionOf(Factor.key())) {
        Blocks |= *Dim <= BlockZ && Records.likelyBlocks;
        const Interval &I = W.box[*Dim];
        AtSample *= double(W.sample[*Dim]);
        Moved = Moved * ((double(I.low) + double(I.high)) / 2);
      } else if (const Symbol *S = W.symbolOf(Factor.key())) {
        Sizes = true;
        AtSample *= double(S->sample);
        Moved = Moved * amountOfSize(forPeople(S->name));
      } else {
        return std::nullopt;
      }
    }
    if (Blocks && Sizes)
      return std::nullopt;
    LeftOut |= Blocks;
    if (!Blocks)
      Result += Moved;
    Result += Amount(-AtSample);
  }
  return LeftOut && Result.number() ? std::nullopt : std::optional(Result);
}

std::optional<Amount> WorkCounter::trips(const Exit &E) {
  if (!E.first || !E.second)
    return std::nullopt;
  const Distance Lost{E.first->mean - E.second->mean, W.context.sub(E.first->shift, E.second->shift)};
  const auto Step = Lost.shift ? amount(Lost) : std::nullopt;
  auto Length = amount(*E.first);
  if (!Step || !Length || Step->isZero())
    return std::nullopt;
  if (E.inclusive)
    *Length += *Step;
  const auto Trips = *Length / *Step;
  if (!Trips || Trips->isZero() || Trips->dominant().terms.begin()->second <= 0)
    return std::nullopt;
  return Trips;
}

/// What a lane begins with does not matter beside a size that is not known; that entries of one run differ in it
/// does: the loop's mean is another then.
void WorkCounter::note(Loop &L, const Amount &Trips) {
  const Amount Rounded = Trips.number() ? Trips : Trips.dominant();
  L.unclear |= (L.runTrips && L.runTrips->terms != Trips.terms) || (L.trips && L.trips->terms != Rounded.terms);
  L.runTrips = Trips;
  L.trips = Rounded;
}

void WorkCounter::cutShort(int Number, const Instruction &Branch, bool ByData) {
  if (!counts)
    return;
  Loop &L = loop(Number);
  L.cut = true;
  const auto Found = L.exits.find(&Branch);
  if (const auto Trips = ByData || Found == L.exits.end() ? std::nullopt : trips(Found->second))
    note(L, *Trips);
  else
    L.unclear = true;
}

void WorkCounter::leaveBySize(int Number, const Instruction &Branch) {
  Loop &L = loop(Number);
  const auto Found = counts ? L.exits.find(&Branch) : L.exits.end();
  const auto Trips = Found == L.exits.end() ? std::nullopt : trips(Found->second);
  if (!Trips || Trips->number())
    return; // as often as it was followed, under what is assumed of the size
  L.cut = true;
  note(L, *Trips);
}

void WorkCounter::endRun() {
  const double Volume = Records.workVolume();
  const auto Fold = [&](Loop &L) {
    if (counts) {
      L.allDone += L.done * Volume;
      L.allDoneInTest += L.doneInTest * Volume;
      L.allVisits += L.visits * Volume;
      L.allIterations += L.iterations * Volume;
      L.allEntries += L.entries * Volume;
    }
    L.done = L.doneInTest = {};
    L.iterations = L.entries = L.visits = 0;
    L.exits.clear();
    L.runTrips.reset();
  };
  Fold(Outside);
  for (Loop &L : Loops)
    Fold(L);
  if (counts)
    Threads += RunThreads * Volume;
}

/// Loops around it that were not followed to their end may give it other trip counts than those seen.
bool WorkCounter::isCut(int Number) {
  const Loop &L = loop(Number);
  if (L.cut || !L.followedDiffers)
    return L.cut;
  for (int P = Records.loops[size_t(Number)].parent; P >= 0; P = Records.loops[size_t(P)].parent)
    if (loop(P).cut)
      return true;
  return false;
}

Amount WorkCounter::tripsOf(int Number) {
  const Loop &L = loop(Number);
  if (!isCut(Number))
    return L.allEntries > 0 ? L.allIterations / L.allEntries : 0;
  if (L.trips && !L.unclear)
    return *L.trips;
  std::string Name = "iterations of the loop at " + (lineOf ? lineOf(Records.loops[size_t(Number)]) : "?");
  // Two loops of one line, or one that is reached by two calls, are two unknowns.
  std::vector<int> &Alike = LoopsNamed[Name];
  auto At = find(Alike, Number);
  if (At == Alike.end())
    At = Alike.insert(At, Number);
  if (At != Alike.begin())
    Name += " (" + utostr(uint64_t(At - Alike.begin()) + 1) + ")";
  return Amount::symbol(Name);
}

/// Per thread.
Amount WorkCounter::iterationsOf(int Number) {
  if (Number < 0)
    return 1;
  if (loop(Number).total)
    return *loop(Number).total;
  const int Parent = Records.loops[size_t(Number)].parent;
  const double InParent = Parent < 0 ? Threads : loop(Parent).allIterations;
  Amount Total;
  if (InParent > 0) {
    const Loop &L = loop(Number);
    Total = isCut(Number) ? iterationsOf(Parent) * (L.allEntries / InParent) * tripsOf(Number)
                          : iterationsOf(Parent) * (L.allIterations / InParent);
  }
  loop(Number).total = Total;
  return Total;
}

Amount WorkCounter::factorOf(int Number, bool Test) {
  if (Test && Number >= 0 && isCut(Number) && loop(Number).allVisits > 0) {
    const int Parent = Records.loops[size_t(Number)].parent;
    const double InParent = Parent < 0 ? Threads : loop(Parent).allIterations;
    const Amount Entries = InParent > 0 ? iterationsOf(Parent) * (loop(Number).allEntries / InParent) : Amount();
    return (iterationsOf(Number) + Entries) * (1 / loop(Number).allVisits);
  }
  while (Number >= 0 && loop(Number).allIterations <= 0)
    Number = Records.loops[size_t(Number)].parent; // what its header did before the loop was left at once
  const double Counted = Number < 0 ? Threads : loop(Number).allIterations;
  return Counted > 0 ? iterationsOf(Number) * (1 / Counted) : Amount();
}

result::Work WorkCounter::work() {
  result::Work Sum;
  const auto Add = [&](const Operations &Done, const Amount &Factor) {
    Sum.fp32 += Factor * Done.fp32;
    Sum.fp64 += Factor * Done.fp64;
    Sum.fp16 += Factor * Done.fp16;
    Sum.tensor += Factor * Done.tensor;
    Sum.special += Factor * Done.special;
    Sum.integer += Factor * Done.integer;
    Sum.data += Factor * Done.data;
  };
  Add(Outside.allDone, factorOf(-1, false));
  Loops.resize(Records.loops.size());
  for (size_t L = 0; L < Loops.size(); ++L) {
    Add(Loops[L].allDone, factorOf(int(L), false));
    Add(Loops[L].allDoneInTest, factorOf(int(L), true));
  }
  return Sum;
}
