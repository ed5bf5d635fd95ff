//===-- World.cpp - Arithmetic on warp values over a box -------------------------===//

#include "analyzer/kernel/World.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>

using namespace llvm;
using namespace warplint;
using namespace warplint::kernel;

int64_t kernel::signExtend(int64_t V, unsigned Bits) {
  return Bits >= 64 ? V : SignExtend64(uint64_t(V), Bits);
}
uint64_t kernel::lowBits(int64_t V, unsigned Bits) {
  return Bits >= 64 ? uint64_t(V) : uint64_t(V) & maskTrailingOnes<uint64_t>(Bits);
}

std::string kernel::forPeople(StringRef Name) {
  std::string Text;
  for (size_t I = 0; I < Name.size(); ++I) {
    if (Name[I] == '@' && I + 1 < Name.size() && isDigit(Name[I + 1])) {
      while (I + 1 < Name.size() && isDigit(Name[I + 1]))
        ++I;
      continue;
    }
    if (Name[I] == '\'') { // the number of a reading
      while (I + 1 < Name.size() && isDigit(Name[I + 1]))
        ++I;
      continue;
    }
    if (Name[I] != '`')
      Text += Name[I];
  }
  return Text;
}

static int64_t wrapAdd(int64_t A, int64_t B) { return int64_t(uint64_t(A) + uint64_t(B)); }
static int64_t wrapSub(int64_t A, int64_t B) { return int64_t(uint64_t(A) - uint64_t(B)); }
static int64_t floorDiv(int64_t A, int64_t B) {
  int64_t Q = A / B;
  return A % B != 0 && (A < 0) != (B < 0) ? Q - 1 : Q;
}

static const char *const DimensionNames[DimensionCount] = {"blockIdx.x", "blockIdx.y", "blockIdx.z",
                                                           "warp.x",     "warp.y",     "warp.z"};

World::World(index::Context &C) : context(C) {
  for (unsigned D = 0; D < DimensionCount; ++D) {
    DimensionAtom[D] = C.atom(DimensionNames[D], index::AtomSort::Uniform);
    AtomIndex[DimensionAtom[D].key()] = -1 - int(D);
  }
}

//===----------------------------------------------------------------------===//
// Symbols and assumptions
//===----------------------------------------------------------------------===//

unsigned World::assume(Assumption A) {
  for (auto [I, Known] : enumerate(Assumptions))
    if (Known.kind == A.kind && Known.text == A.text)
      return unsigned(I);
  Assumptions.push_back(std::move(A));
  return unsigned(Assumptions.size() - 1);
}

const Symbol &World::symbol(const std::string &Name, std::optional<int64_t> Sample) {
  auto [It, New] = SymbolByName.try_emplace(Name, unsigned(Symbols.size()));
  if (New) {
    // Large, so that guards keep full warps; multiples of 4096, so that rows stay aligned; odd multiples that
    // differ, so that no two unknown sizes are taken for equal; small enough that the product of two fits 31
    // bits.
    static const int64_t Factors[] = {5, 7, 11, 13, 17, 9, 19, 15, 23, 21, 25, 27, 29, 31, 33, 35};
    int64_t Start = Sample ? *Sample : 4096 * Factors[NextSample++ % std::size(Factors)];
    Symbol S;
    S.atom = context.atom(Name, index::AtomSort::Uniform);
    S.name = Name;
    S.sample = Start;
    S.assumption = assume({Assumption::Symbol, Name});
    AtomIndex[S.atom.key()] = int(Symbols.size());
    Symbols.push_back(std::move(S));
  }
  return Symbols[It->second];
}

WarpValue World::valueOf(const Symbol &S) {
  WarpValue V = WarpValue::constant(S.sample);
  V.shift = S.atom;
  return V;
}

const Symbol *World::symbolOf(const void *Key) const {
  auto It = AtomIndex.find(Key);
  return It != AtomIndex.end() && It->second >= 0 ? &Symbols[unsigned(It->second)] : nullptr;
}

std::optional<Dimension> World::dimensionOf(const void *Key) const {
  auto It = AtomIndex.find(Key);
  if (It == AtomIndex.end() || It->second >= 0)
    return std::nullopt;
  return Dimension(-1 - It->second);
}

std::vector<unsigned> World::members(AssumptionSet Set) const {
  std::vector<unsigned> Result;
  for (unsigned I = 0; I < Assumptions.size(); ++I)
    if (Set & bit(I))
      Result.push_back(I);
  return Result;
}

AssumptionSet World::symbolsOf(index::Expr Shift) {
  AssumptionSet Set = 0;
  if (Shift)
    for (const index::Term &T : context.terms(Shift))
      for (index::Expr F : T.factors)
        if (const Symbol *S = symbolOf(F.key()))
          Set |= bit(S->assumption);
  return Set;
}

bool World::hasDimensions(index::Expr Shift) {
  if (Shift)
    for (const index::Term &T : context.terms(Shift))
      for (index::Expr F : T.factors)
        if (dimensionOf(F.key()))
          return true;
  return false;
}

double World::places(index::Expr Shift) {
  std::array<bool, DimensionCount> Moves{};
  if (Shift)
    for (const index::Term &T : context.terms(Shift))
      for (index::Expr F : T.factors)
        if (auto D = dimensionOf(F.key()))
          Moves[*D] = true;
  double Result = 1;
  for (unsigned D = 0; D < DimensionCount; ++D)
    Result *= Moves[D] ? box[D].size() : 1;
  return Result;
}

AssumptionSet World::sampledBlocks() {
  return bit(assume({Assumption::Sentence, "blocks and warps differ, a sample of them was followed"}));
}

AssumptionSet World::decisions(AssumptionSet Set) {
  AssumptionSet Result = 0;
  for (AssumptionSet Rest = Set; Rest; Rest &= Rest - 1) {
    const unsigned Number = unsigned(std::countr_zero(Rest));
    if (Number >= 63 || Assumptions[Number].kind != Assumption::Symbol) {
      Result |= bit(Number);
      continue;
    }
    auto [It, New] = DecisionOf.try_emplace(Number);
    if (New)
      It->second = assume({Assumption::Decision, Assumptions[Number].text});
    Result |= bit(It->second);
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// Shifts
//===----------------------------------------------------------------------===//

static index::Expr dropZero(index::Expr E) { return E && E.constant() ? index::Expr() : E; }

index::Expr World::addShift(index::Expr A, index::Expr B, int Sign) {
  if (!B)
    return A;
  if (!A)
    return Sign > 0 ? B : dropZero(context.neg(B));
  return dropZero(Sign > 0 ? context.add(A, B) : context.sub(A, B));
}

index::Expr World::scaleShift(index::Expr A, int64_t Factor) {
  return A && Factor ? dropZero(context.scale(A, Factor)) : index::Expr();
}

int64_t World::atSample(index::Expr E) {
  int64_t Sum = 0;
  for (const index::Term &T : context.terms(E)) {
    int64_t Product = T.coefficient;
    for (index::Expr F : T.factors) {
      if (auto D = dimensionOf(F.key()))
        Product = wrapMul(Product, sample[*D]);
      else if (const Symbol *S = symbolOf(F.key()))
        Product = wrapMul(Product, S->sample);
    }
    Sum = wrapAdd(Sum, Product);
  }
  return Sum;
}

static int64_t saturate(__int128 V) {
  constexpr __int128 Limit = std::numeric_limits<int64_t>::max() / 4;
  return int64_t(std::clamp(V, -Limit, Limit));
}

Interval World::range(index::Expr Shift) {
  Interval Result;
  if (!Shift)
    return Result;
  for (const index::Term &T : context.terms(Shift)) {
    int64_t Low = T.coefficient, High = T.coefficient, Sample = T.coefficient;
    for (index::Expr F : T.factors) {
      Interval I;
      int64_t At = 0;
      if (auto D = dimensionOf(F.key()))
        I = box[*D], At = sample[*D];
      else if (const Symbol *S = symbolOf(F.key()))
        I = {S->sample, S->sample}, At = S->sample;
      int64_t P[] = {saturate(__int128(Low) * I.low), saturate(__int128(Low) * I.high),
                     saturate(__int128(High) * I.low), saturate(__int128(High) * I.high)};
      Low = *std::min_element(P, P + 4), High = *std::max_element(P, P + 4);
      Sample = saturate(__int128(Sample) * At);
    }
    Result.low = saturate(__int128(Result.low) + Low - Sample);
    Result.high = saturate(__int128(Result.high) + High - Sample);
  }
  return Result;
}

void World::narrow(Dimension D, int64_t Low, int64_t High) {
  box[D].low = std::max(box[D].low, Low);
  box[D].high = std::min(box[D].high, High);
}

void World::confine(index::Expr Shift, int64_t Low, int64_t High) {
  if (!Shift)
    return;
  Interval Whole = range(Shift);
  if (Low <= Whole.low && Whole.high <= High)
    return;
  // Linear coefficients per dimension; a dimension inside a product cannot be solved for and becomes a point.
  std::array<int64_t, DimensionCount> Coefficient{};
  for (const index::Term &T : context.terms(Shift)) {
    if (T.factors.size() == 1) {
      if (auto D = dimensionOf(T.factors[0].key()))
        Coefficient[*D] += T.coefficient;
      continue;
    }
    for (index::Expr F : T.factors)
      if (auto D = dimensionOf(F.key()))
        narrow(*D, sample[*D], sample[*D]);
  }
  auto Moves = [&](unsigned D) { return Coefficient[D] && !box[D].point(); };
  auto Part = [&](unsigned D) {
    int64_t A = saturate(__int128(Coefficient[D]) * (box[D].low - sample[D]));
    int64_t B = saturate(__int128(Coefficient[D]) * (box[D].high - sample[D]));
    return Interval{std::min(A, B), std::max(A, B)};
  };
  while (true) {
    Interval Sum;
    for (unsigned D = 0; D < DimensionCount; ++D)
      if (Moves(D)) {
        Interval P = Part(D);
        Sum = {Sum.low + P.low, Sum.high + P.high};
      }
    if (Low <= Sum.low && Sum.high <= High)
      return;
    // Narrow one dimension while the others keep their extent: the one that loses the least.
    double Best = -1;
    unsigned BestDim = DimensionCount;
    Interval BestInterval;
    for (unsigned D = 0; D < DimensionCount; ++D) {
      if (!Moves(D))
        continue;
      Interval P = Part(D);
      int64_t A = Low - (Sum.low - P.low), B = High - (Sum.high - P.high);
      if (A > 0 || B < 0)
        continue;
      int64_t C = Coefficient[D];
      if (C < 0)
        C = -C, std::swap(A, B), A = -A, B = -B;
      Interval I = {std::max(box[D].low, sample[D] - (-A) / C), std::min(box[D].high, sample[D] + B / C)};
      double Kept = I.size() / box[D].size();
      if (Kept > Best)
        Best = Kept, BestDim = D, BestInterval = I;
    }
    if (BestDim != DimensionCount) {
      box[BestDim] = BestInterval;
      continue;
    }
    // No single dimension suffices: give up the shortest.
    unsigned Shortest = DimensionCount;
    for (unsigned D = 0; D < DimensionCount; ++D)
      if (Moves(D) && (Shortest == DimensionCount || box[D].size() < box[Shortest].size()))
        Shortest = D;
    box[Shortest] = {sample[Shortest], sample[Shortest]};
  }
}

WarpValue World::pin(WarpValue V, AssumptionSet Soft) {
  if (!V.shift)
    return V;
  V.soft |= symbolsOf(V.shift);
  if (hasDimensions(V.shift)) {
    if (V.soft | Soft) {
      if (Interval R = range(V.shift); R.low != 0 || R.high != 0)
        V.soft |= sampledBlocks();
    } else {
      for (const index::Term &T : context.terms(V.shift))
        for (index::Expr F : T.factors)
          if (auto D = dimensionOf(F.key()))
            narrow(*D, sample[*D], sample[*D]);
    }
  }
  V.shift = {};
  return V;
}

void World::keepSign(const WarpValue &V) {
  if (!V.shift)
    return;
  int64_t Low = std::numeric_limits<int64_t>::min() / 4, High = -Low;
  forLanes(active & ~V.unknown, [&](unsigned L) {
    if (V.at(L) < 0)
      High = std::min(High, -1 - V.at(L));
    else
      Low = std::max(Low, -V.at(L));
  });
  confine(V.shift, std::min<int64_t>(Low, 0), std::max<int64_t>(High, 0));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

bool World::isUniform(const WarpValue &V, LaneMask M) const {
  if (V.uniform)
    return true;
  if (V.unknown & M || !M)
    return false;
  int64_t First = V.lane[unsigned(std::countr_zero(M))];
  bool Same = true;
  forLanes(M, [&](unsigned L) { Same &= V.lane[L] == First; });
  return Same;
}

index::Expr World::polynomial(const WarpValue &V) {
  if (!V.shift)
    return context.constant(V.lane[0]);
  return context.add(V.shift, context.constant(wrapSub(V.lane[0], atSample(V.shift))));
}

WarpValue World::dimension(Dimension D, int64_t Scale) {
  WarpValue V = WarpValue::constant(sample[D] * Scale);
  if (!box[D].point())
    V.shift = context.scale(DimensionAtom[D], Scale);
  return V;
}

/// What makes lanes of a value unknown that is made from two.
static uint32_t whyOf(const WarpValue &A, const WarpValue &B) {
  return A.unknown && A.why ? A.why : B.unknown ? B.why : 0;
}

/// Lane by lane; keeps the uniform form where both operands have it.
template <typename Fn> static WarpValue lanewise(const WarpValue &A, const WarpValue &B, Fn F) {
  WarpValue R;
  R.soft = A.soft | B.soft;
  R.unknown = A.unknown | B.unknown;
  R.why = whyOf(A, B);
  R.uniform = A.uniform && B.uniform;
  if (R.uniform)
    R.lane[0] = F(A.lane[0], B.lane[0]);
  else
    for (unsigned L = 0; L < 32; ++L)
      R.lane[L] = F(A.at(L), B.at(L));
  return R;
}

template <typename Fn> static void forValues(WarpValue &V, Fn F) {
  if (V.uniform)
    V.lane[0] = F(V.lane[0]);
  else
    for (int64_t &L : V.lane)
      L = F(L);
}

/// Differences of numbers up to this size, and the box's part in them, stay inside 64 bits.
static constexpr int64_t Huge = int64_t(1) << 60;

WarpValue World::wrap(WarpValue R, unsigned Bits) {
  if (R.object || !isHard(R))
    return R;
  if (Bits < 64)
    forValues(R, [&](int64_t V) { return signExtend(V, Bits); });
  if (!R.shift)
    return R;
  if (Bits >= 64) {
    Interval Moved = range(R.shift);
    bool Fits = Moved.low > -Huge && Moved.high < Huge;
    forLanes(active & ~R.unknown, [&](unsigned L) { Fits &= R.at(L) > -Huge && R.at(L) < Huge; });
    return Fits ? R : pin(std::move(R));
  }
  const int64_t Most = int64_t(maskTrailingOnes<uint64_t>(Bits - 1));
  int64_t Low = -Huge, High = Huge;
  forLanes(active & ~R.unknown, [&](unsigned L) {
    Low = std::max(Low, -Most - 1 - R.at(L));
    High = std::min(High, Most - R.at(L));
  });
  confine(R.shift, Low, High);
  return R;
}

std::optional<index::Expr> World::quotient(index::Expr Shift, int64_t Divisor) {
  index::Expr Sum = context.constant(0);
  for (const index::Term &T : context.terms(Shift)) {
    if (T.coefficient % Divisor)
      return std::nullopt;
    index::Expr Product = context.constant(T.coefficient / Divisor);
    for (index::Expr F : T.factors)
      Product = context.mul(Product, F);
    Sum = context.add(Sum, Product);
  }
  return dropZero(Sum);
}

void World::keepStretch(const WarpValue &V, int64_t Length) {
  int64_t Low = -Huge, High = Huge;
  forLanes(active & ~V.unknown, [&](unsigned L) {
    int64_t Rest = V.at(L) - Length * floorDiv(V.at(L), Length);
    Low = std::max(Low, -Rest);
    High = std::min(High, Length - 1 - Rest);
  });
  confine(V.shift, Low, High);
}

WarpValue World::add(const WarpValue &A, const WarpValue &B, unsigned Bits, bool NoWrap) {
  WarpValue R = lanewise(A, B, wrapAdd);
  R.shift = addShift(A.shift, B.shift, 1);
  R.object = A.object ? (B.object ? 0 : A.object) : B.object;
  if (A.object && B.object)
    return WarpValue::unknownLanes();
  return NoWrap && Bits < 64 ? R : wrap(std::move(R), Bits);
}

WarpValue World::sub(const WarpValue &A, const WarpValue &B, unsigned Bits, bool NoWrap) {
  if (B.object && A.object != B.object)
    return A.uniform && B.uniform ? WarpValue::unknownUniform() : WarpValue::unknownLanes();
  WarpValue R = lanewise(A, B, wrapSub);
  R.shift = addShift(A.shift, B.shift, -1);
  R.object = B.object ? 0 : A.object;
  return NoWrap && Bits < 64 ? R : wrap(std::move(R), Bits);
}

WarpValue World::scale(const WarpValue &A, int64_t Factor, unsigned Bits, bool NoWrap) {
  WarpValue R = A;
  R.words = {};
  if (A.object)
    return WarpValue::unknownLanes();
  index::Expr Shift = scaleShift(A.shift, Factor);
  if (A.shift && Factor && !Shift) // a coefficient left 64 bits
    R = pin(R);
  R.shift = Shift;
  forValues(R, [&](int64_t V) { return wrapMul(V, Factor); });
  return NoWrap && Bits < 64 ? R : wrap(std::move(R), Bits);
}

WarpValue World::mul(const WarpValue &A, const WarpValue &B, unsigned Bits, bool NoWrap) {
  if (A.object || B.object)
    return WarpValue::unknownLanes();
  if (!A.uniform && B.uniform && B.known() && !B.shift) {
    WarpValue R = scale(A, B.lane[0], Bits, NoWrap);
    R.soft |= B.soft;
    return R;
  }
  if (A.uniform && !B.uniform)
    return mul(B, A, Bits, NoWrap);
  if (A.uniform && B.uniform && A.known() && B.known() && (A.shift || B.shift)) {
    index::Expr Product = context.mul(polynomial(A), polynomial(B));
    if (Product) {
      WarpValue R = lanewise(A, B, wrapMul);
      // The constant term belongs to the lanes.
      for (const index::Term &T : context.terms(Product))
        if (T.factors.empty())
          Product = context.sub(Product, context.constant(T.coefficient));
      R.shift = dropZero(Product);
      return NoWrap && Bits < 64 ? R : wrap(std::move(R), Bits);
    }
  }
  // Lanes times something that moves: each lane would move its own way.
  AssumptionSet Either = A.soft | B.soft | symbolsOf(A.shift) | symbolsOf(B.shift);
  WarpValue PinnedB = pin(B, Either);
  if (!A.uniform && PinnedB.uniform && PinnedB.known())
    return mul(A, PinnedB, Bits, NoWrap);
  WarpValue PinnedA = pin(A, Either);
  WarpValue R = lanewise(PinnedA, PinnedB, wrapMul);
  return NoWrap && Bits < 64 ? R : wrap(std::move(R), Bits);
}

std::string World::shortened(std::string Name) {
  constexpr size_t Longest = 200, Kept = 60;
  if (Name.size() <= Longest)
    return Name;
  unsigned Number = LongNames.try_emplace(Name, unsigned(LongNames.size()) + 1).first->second;
  return Name.substr(0, Kept) + "...#" + std::to_string(Number);
}

WarpValue World::map(const WarpValue &A, const WarpValue &B,
                     function_ref<std::optional<int64_t>(int64_t, int64_t)> F,
                     function_ref<std::string()> Name) {
  if (A.uniform && B.uniform) {
    if (A.unknown || B.unknown)
      return WarpValue::unknownUniform();
    std::optional<int64_t> Result = F(A.lane[0], B.lane[0]);
    if (!Result) // no value at the samples, say 1 << n, says nothing: an unknown size
      return (A.soft | B.soft) == 0 && (symbolsOf(A.shift) | symbolsOf(B.shift))
                 ? valueOf(symbol(shortened(Name())))
                 : WarpValue::unknownUniform();
    AssumptionSet Soft = A.soft | B.soft | symbolsOf(A.shift) | symbolsOf(B.shift);
    if (AssumptionSet Lanes = A.soft | B.soft; Soft) {
      // The same in every lane, whatever it is: an unknown of its own. Lanes that rest on assumptions may be
      // another value.
      WarpValue V =
          Soft == Lanes ? WarpValue::constant(*Result) : valueOf(symbol(shortened(Name()), *Result));
      V.lane[0] = *Result;
      V.soft = Lanes;
      return V;
    }
    pin(A), pin(B);
    return WarpValue::constant(*Result);
  }
  AssumptionSet Either = A.soft | B.soft | symbolsOf(A.shift) | symbolsOf(B.shift);
  WarpValue PA = pin(A, Either), PB = pin(B, Either);
  WarpValue R;
  R.soft = PA.soft | PB.soft;
  R.uniform = false;
  R.unknown = PA.unknown | PB.unknown;
  R.lane.fill(0);
  forLanes(~R.unknown, [&](unsigned L) {
    if (auto V = F(PA.at(L), PB.at(L)))
      R.lane[L] = *V;
    else
      R.unknown |= LaneMask(1) << L;
  });
  return R;
}

/// Symbols are known by name, so the name tells operations of different widths apart.
static std::string nameOf(index::Context &C, index::Op Op, unsigned Bits, index::Expr A, index::Expr B) {
  index::Expr E = C.apply(Op, Bits, {A, B});
  return E ? C.print(E)
           : C.print(A) + " op" + std::to_string(unsigned(Op)) + "." + std::to_string(Bits) + " " +
                 C.print(B);
}

WarpValue World::divide(const WarpValue &AIn, const WarpValue &BIn, unsigned Bits, bool Signed,
                        bool Remainder) {
  WarpValue A = AIn, B = BIn;
  if (A.object || B.object)
    return WarpValue::unknownLanes();
  if (!Signed)
    A = zeroExtend(A, Bits), B = zeroExtend(B, Bits);
  auto Exact = [&](int64_t X, int64_t Y) -> std::optional<int64_t> {
    if (Y == 0 || (X == std::numeric_limits<int64_t>::min() && Y == -1))
      return std::nullopt;
    if (!Signed && (X < 0 || Y < 0))
      return Remainder ? int64_t(uint64_t(X) % uint64_t(Y)) : int64_t(uint64_t(X) / uint64_t(Y));
    return Remainder ? X % Y : X / Y;
  };
  auto Name = [&] {
    return nameOf(context, Remainder ? index::Op::RemTrunc : index::Op::DivTrunc, Bits, polynomial(A),
                  polynomial(B));
  };
  bool Movable = A.shift && !A.soft && B.uniform && B.known() && !B.shift && !B.soft && B.lane[0] > 0 &&
                 (A.unknown & active) == 0;
  auto Mapped = [&] {
    WarpValue R = map(A, B, Exact, Name);
    return Signed ? R : truncate(R, Bits);
  };
  // The quotient of two unknown sizes, or of a size by a large number, is a size as well: what the samples
  // make of it (0, 2) means nothing.
  constexpr int64_t SmallQuotient = 1024;
  if (!Remainder && A.uniform && B.uniform && A.known() && B.known() && symbolsOf(A.shift) &&
      !hasDimensions(A.shift) &&
      (symbolsOf(B.shift) || (B.lane[0] > 0 && A.lane[0] >= 0 && A.lane[0] / B.lane[0] < SmallQuotient)))
    return valueOf(symbol(shortened(Name())));
  if (!Movable || (symbolsOf(A.shift) && A.uniform))
    return Mapped();

  const int64_t M = B.lane[0];
  bool NonNegative = true;
  int64_t Least = std::numeric_limits<int64_t>::max();
  forLanes(active & ~A.unknown, [&](unsigned L) { Least = std::min(Least, A.at(L)); });
  NonNegative = Least >= 0 && Least + range(A.shift).low >= 0;
  if (!NonNegative && Least >= 0 && isHard(A)) {
    keepSign(A);
    NonNegative = true;
  }
  if (!NonNegative)
    return Mapped();
  std::optional<index::Expr> Quotient = quotient(A.shift, M);
  if (!Quotient && !isHard(A))
    return Mapped();
  WarpValue R = A;
  R.words = {};
  R.soft |= symbolsOf(A.shift); // the sign at the sample
  if (!Quotient) // keep to the part of the box where every lane has the quotient that it has at the sample
    keepStretch(A, M);
  forValues(R, [&](int64_t V) { return Remainder ? V - M * floorDiv(V, M) : floorDiv(V, M); });
  if (!Remainder)
    R.shift = Quotient.value_or(index::Expr());
  else if (Quotient)
    R.shift = {};
  return Signed ? R : truncate(R, Bits);
}

WarpValue World::bitwise(index::Op Op, const WarpValue &AIn, const WarpValue &BIn, unsigned Bits) {
  WarpValue A = AIn, B = BIn;
  if (A.object && !B.object && Op == index::Op::And && B.uniform && B.known() && B.lane[0] >= 0 &&
      B.lane[0] < 256)
    A.object = 0; // the low bits of an address are those of the offset: objects are 256-byte aligned
  if (A.object && !B.object && Op == index::Op::And && B.uniform && B.known() && B.lane[0] < 0 &&
      B.lane[0] >= -256 && isPowerOf2_64(uint64_t(-B.lane[0])) && !A.shift) {
    WarpValue R = A;
    R.words = {};
    forValues(R, [&](int64_t V) { return V & B.lane[0]; });
    return R;
  }
  if (A.object || B.object)
    return WarpValue::unknownLanes();
  if (!A.shift && B.shift)
    std::swap(A, B);
  if (Op == index::Op::Xor && A.shift && B.uniform && B.known() && !B.shift && !B.soft && B.lane[0] == -1)
    return sub(B, A, Bits, true);
  auto Apply = [&](int64_t X, int64_t Y) -> std::optional<int64_t> {
    return Op == index::Op::And ? X & Y : Op == index::Op::Or ? X | Y : X ^ Y;
  };
  if (!A.shift && !B.shift &&
      (!(A.soft | B.soft) || Bits == 1)) { // booleans stay lanes: conditions ask what they rest on
    WarpValue R = lanewise(A, B, [&](int64_t X, int64_t Y) { return *Apply(X, Y); });
    if (Op == index::Op::And) { // x & 0 is 0 whatever x is
      auto Zero = [&](const WarpValue &V) {
        LaneMask M = 0;
        for (unsigned L = 0; L < 32; ++L)
          if (!(V.unknown >> L & 1) && V.at(L) == 0)
            M |= LaneMask(1) << L;
        return M;
      };
      LaneMask Known = Zero(A) | Zero(B);
      if (Known == AllLanes) {
        WarpValue None = WarpValue::constant(0);
        None.soft = R.soft;
        return None;
      }
      if (Known & R.unknown) {
        R.spread();
        forLanes(Known, [&](unsigned L) { R.lane[L] = 0; });
        R.unknown &= ~Known;
      }
    }
    return R;
  }
  auto Name = [&] { return nameOf(context, Op, Bits, polynomial(A), polynomial(B)); };
  if (A.shift && !B.shift && !B.soft && !(B.unknown & active)) {
    // A mask of low bits is a remainder, and its complement rounds down.
    if (Op == index::Op::And && B.uniform) {
      int64_t Mask = B.lane[0];
      bool Low = Mask > 0,
           Whole = Low ? isPowerOf2_64(uint64_t(Mask) + 1) : isPowerOf2_64(uint64_t(0) - uint64_t(Mask));
      int64_t Length = Low ? wrapAdd(Mask, 1) : wrapSub(0, Mask);
      if (Whole && Length > 0) {
        bool Multiples = quotient(A.shift, Length).has_value();
        if (Multiples || isHard(A)) {
          if (!Multiples)
            keepStretch(A, Length);
          WarpValue R = A;
          R.words = {};
          forValues(R, [&](int64_t V) { return V & Mask; });
          if (Low == Multiples)
            R.shift = {};
          return R;
        }
        // A size rounded down is a multiple, whatever the size is.
        if (!Low && A.uniform && A.known() && !A.soft)
          return scale(shiftRight(A, WarpValue::constant(Log2_64(uint64_t(Length))), Bits, true), Length, Bits, true);
      }
    }
    // B lies below every bit that the shift moves: only the lanes matter.
    uint64_t Bound = 0;
    bool Negative = false;
    forLanes(active, [&](unsigned L) {
      Negative |= B.at(L) < 0;
      Bound = std::max(Bound, uint64_t(B.at(L)));
    });
    if (!Negative) {
      uint64_t Unit = PowerOf2Ceil(Bound + 1);
      bool Multiples = Unit != 0;
      for (const index::Term &T : context.terms(A.shift))
        Multiples &= T.coefficient % int64_t(Unit) == 0;
      if (Multiples) {
        WarpValue R = lanewise(A, B, [&](int64_t X, int64_t Y) { return *Apply(X, Y); });
        if (Op != index::Op::And)
          R.shift = A.shift;
        return R;
      }
    }
  }
  return map(A, B, Apply, Name);
}

WarpValue World::shiftLeft(const WarpValue &A, const WarpValue &B, unsigned Bits, bool NoWrap) {
  if (B.uniform && B.known() && !B.shift && B.lane[0] >= 0 && B.lane[0] < int64_t(Bits) && B.lane[0] < 63) {
    WarpValue R = scale(A, int64_t(1) << B.lane[0], Bits, NoWrap);
    R.soft |= B.soft;
    return R;
  }
  if (A.object || B.object)
    return WarpValue::unknownLanes();
  return map(
      A, B,
      [&](int64_t X, int64_t Y) -> std::optional<int64_t> {
        if (Y < 0 || Y >= int64_t(Bits))
          return std::nullopt;
        return signExtend(int64_t(uint64_t(X) << Y), Bits);
      },
      [&] { return nameOf(context, index::Op::Shl, Bits, polynomial(A), polynomial(B)); });
}

WarpValue World::shiftRight(const WarpValue &AIn, const WarpValue &B, unsigned Bits, bool Arithmetic) {
  WarpValue A = AIn;
  if (A.object || B.object)
    return WarpValue::unknownLanes();
  if (!Arithmetic)
    A = zeroExtend(A, Bits);
  auto Width = [&](WarpValue R) { return Arithmetic ? R : truncate(R, Bits); };
  bool Signed = Arithmetic || Bits < 64; // 64-bit values of 2^63 and more have no place among the lanes
  if (A.shift && !A.soft && B.uniform && B.known() && !B.shift && !B.soft && B.lane[0] >= 0 &&
      B.lane[0] < 60 && Signed && (Arithmetic || isHard(A))) {
    int64_t Length = int64_t(1) << B.lane[0];
    std::optional<index::Expr> Quotient = quotient(A.shift, Length);
    if (Quotient || isHard(A)) {
      if (!Quotient)
        keepStretch(A, Length);
      WarpValue R = A;
      R.words = {};
      R.shift = Quotient.value_or(index::Expr());
      forValues(R, [&](int64_t V) { return V >> B.lane[0]; });
      return Width(R);
    }
  }
  return Width(map(
      A, B,
      [&](int64_t X, int64_t Y) -> std::optional<int64_t> {
        if (Y < 0 || Y >= int64_t(Bits))
          return std::nullopt;
        return Arithmetic || X >= 0 ? X >> Y : int64_t(uint64_t(X) >> Y);
      },
      [&] {
        return nameOf(context, Arithmetic ? index::Op::AShr : index::Op::LShr, Bits, polynomial(A),
                      polynomial(B));
      }));
}

WarpValue World::compare(index::Op Op, const WarpValue &AIn, const WarpValue &BIn, unsigned Bits) {
  WarpValue A = AIn, B = BIn;
  if (A.object != B.object)
    return A.uniform && B.uniform ? WarpValue::unknownUniform() : WarpValue::unknownLanes();
  const bool Unsigned =
      (Op == index::Op::ULt || Op == index::Op::ULe) && !A.object; // offsets from one object have signs
  bool Wide = false; // too far apart for differences, or 2^63 and more as an unsigned number
  if (Unsigned)
    A = zeroExtend(A, Bits), B = zeroExtend(B, Bits);
  if (Bits >= 64 && !A.object) {
    if (Unsigned && isHard(A) && isHard(B))
      keepSign(A), keepSign(B);
    forLanes(active & ~(A.unknown | B.unknown), [&](unsigned L) {
      Wide |= Unsigned && (A.at(L) < 0 || B.at(L) < 0);
      for (int64_t X : {A.at(L), B.at(L)})
        Wide |= X < -Huge || X > Huge;
    });
  }
  if (Wide) {
    AssumptionSet Either = A.soft | B.soft | symbolsOf(A.shift) | symbolsOf(B.shift);
    WarpValue PA = pin(A, Either), PB = pin(B, Either);
    return lanewise(PA, PB, [&](int64_t X, int64_t Y) -> int64_t {
      switch (Op) {
      case index::Op::Eq:
        return X == Y;
      case index::Op::Ne:
        return X != Y;
      case index::Op::Lt:
        return X < Y;
      case index::Op::ULt:
        return uint64_t(X) < uint64_t(Y);
      case index::Op::ULe:
        return uint64_t(X) <= uint64_t(Y);
      default:
        return X <= Y;
      }
    });
  }
  if (Op == index::Op::ULt)
    Op = index::Op::Lt;
  WarpValue D = lanewise(A, B, wrapSub);
  D.shift = addShift(A.shift, B.shift, -1);
  auto Outcome = [&](int64_t X) {
    switch (Op) {
    case index::Op::Eq:
      return X == 0;
    case index::Op::Ne:
      return X != 0;
    case index::Op::Lt:
      return X < 0;
    default:
      return X <= 0;
    }
  };
  AssumptionSet Soft = D.soft | symbolsOf(D.shift);
  if (!Soft && D.shift) {
    // Keep to the part of the box where each lane decides as it does at the sample.
    int64_t Low = std::numeric_limits<int64_t>::min() / 4, High = -Low;
    forLanes(active & ~D.unknown, [&](unsigned L) {
      int64_t X = D.at(L);
      switch (Op) {
      case index::Op::Eq:
      case index::Op::Ne:
        if (X >= 0)
          Low = std::max(Low, X ? 1 - X : 0);
        if (X <= 0)
          High = std::min(High, X ? -1 - X : 0);
        break;
      case index::Op::Lt:
        if (X < 0)
          High = std::min(High, -1 - X);
        else
          Low = std::max(Low, -X);
        break;
      default:
        if (X <= 0)
          High = std::min(High, -X);
        else
          Low = std::max(Low, 1 - X);
      }
    });
    confine(D.shift, std::min<int64_t>(Low, 0), std::max<int64_t>(High, 0));
  }
  D.shift = {};
  D.soft = decisions(Soft);
  forValues(D, [&](int64_t X) { return int64_t(Outcome(X)); });
  // A size taken as large decides for whole warps; where it would part the lanes of one, it decides nothing.
  if (Soft && !D.uniform && !isUniform(D, active & ~D.unknown))
    D.unknown |= active;
  return D;
}

WarpValue World::minimumMaximum(bool Maximum, bool Signed, const WarpValue &A, const WarpValue &B,
                                unsigned Bits) {
  return select(compare(Signed ? index::Op::Lt : index::Op::ULt, A, B, Bits), Maximum ? B : A,
                Maximum ? A : B);
}

WarpValue World::select(const WarpValue &Condition, const WarpValue &A, const WarpValue &B) {
  if (Condition.uniform) {
    if (Condition.unknown)
      return join(A, B, AllLanes);
    WarpValue R = Condition.lane[0] ? A : B;
    R.soft |= Condition.soft;
    return R;
  }
  LaneMask True = 0;
  for (unsigned L = 0; L < 32; ++L)
    if (Condition.lane[L])
      True |= LaneMask(1) << L;
  if (!(Condition.unknown & active)) { // lanes that are not there decide nothing
    if ((True & active) == active)
      True = AllLanes;
    else if (!(True & active))
      True = 0;
  }
  WarpValue R = merge(B, A, True & ~Condition.unknown);
  if (Condition.unknown) {
    WarpValue Either = join(A, B, AllLanes);
    R = merge(R, Either, Condition.unknown);
  }
  R.soft |= Condition.soft;
  return R;
}

WarpValue World::truncate(const WarpValue &A, unsigned Bits) {
  WarpValue R = A;
  R.words = {};
  if (Bits >= 64)
    return R;
  if (A.object)
    return Bits >= 8 && Bits <= 32 ? R : WarpValue::unknownLanes(); // low word of an address
  if (isHard(R))
    return wrap(std::move(R), Bits);
  if (Bits >= 32)
    return R; // an assumed size never wraps
  bool Fits = true;
  forLanes(active & ~A.unknown, [&](unsigned L) { Fits &= signExtend(A.at(L), Bits) == A.at(L); });
  R.soft |= symbolsOf(R.shift);
  if (Fits)
    return R;
  R = pin(R);
  forValues(R, [&](int64_t V) { return signExtend(V, Bits); });
  return R;
}

WarpValue World::zeroExtend(const WarpValue &A, unsigned FromBits) {
  WarpValue R = A;
  R.words = {};
  if (A.object || FromBits >= 64)
    return R;
  bool Negative = false;
  forLanes(active & ~A.unknown, [&](unsigned L) { Negative |= A.at(L) < 0; });
  if (A.shift && isHard(A))
    keepSign(A);
  if (Negative)
    forValues(R, [&](int64_t V) { return V < 0 ? int64_t(lowBits(V, FromBits)) : V; });
  return R;
}

WarpValue World::merge(const WarpValue &Old, const WarpValue &New, LaneMask Mask) {
  if (Mask == AllLanes)
    return New;
  if (Mask == 0)
    return Old;
  WarpValue A = Old, B = New;
  if ((A.unknown | Mask) == AllLanes && !A.isUnknownUniform()) {
    // Nothing is known of the other lanes.
    WarpValue R = B;
    R.spread();
    R.why = whyOf(B, A);
    R.unknown |= ~Mask;
    return R;
  }
  if (A.object != B.object) {
    WarpValue R = B;
    R.spread();
    R.why = whyOf(B, A);
    R.unknown |= ~Mask;
    return R;
  }
  if (A.uniform && B.uniform && A.unknown == B.unknown && A.shift == B.shift &&
      (A.unknown || A.lane[0] == B.lane[0])) {
    WarpValue R = B;
    R.soft |= A.soft;
    return R;
  }
  if (A.shift != B.shift) {
    AssumptionSet Either = A.soft | B.soft | symbolsOf(A.shift) | symbolsOf(B.shift);
    A = pin(A, Either), B = pin(B, Either);
  }
  WarpValue R = A;
  R.words = {};
  R.spread();
  forLanes(Mask, [&](unsigned L) { R.lane[L] = B.at(L); });
  R.unknown = (A.unknown & ~Mask) | (B.unknown & Mask);
  R.why = whyOf(A, B);
  R.soft |= B.soft;
  return R;
}

WarpValue World::join(const WarpValue &A, const WarpValue &B, LaneMask Mask) {
  if (A.object != B.object || A.shift != B.shift)
    return WarpValue::unknownLanes(whyOf(A, B));
  WarpValue R = A;
  R.why = whyOf(A, B);
  R.soft |= B.soft;
  R.unknown |= B.unknown;
  if (A.uniform && B.uniform && !R.unknown && A.lane[0] == B.lane[0])
    return R;
  R.spread();
  forLanes(Mask, [&](unsigned L) {
    if (A.at(L) != B.at(L))
      R.unknown |= LaneMask(1) << L;
  });
  R.words = {};
  return R;
}
