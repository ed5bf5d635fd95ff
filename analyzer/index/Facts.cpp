//===-- Facts.cpp - Values, ranges and divisors of index expressions ------===//
//
// What an operation computes, and what follows for its result from what is known of its operands. A bound
// at the end of the 64-bit range stands for "unbounded" and stays there through sums and products.
//
//===----------------------------------------------------------------------===//
#include "analyzer/index/Storage.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace llvm;

namespace warplint::index {

using Wide = __int128;
static constexpr int64_t Lowest = std::numeric_limits<int64_t>::min();
static constexpr int64_t Highest = std::numeric_limits<int64_t>::max();

//===-- Values -------------------------------------------------------------===//

// The semantics of the operations. Operands are taken modulo 2^Bits and read
//   as signed    by DivTrunc, RemTrunc, DivFloor, Mod, AShr, And, Or, Xor, Min, Max, Lt, Le, SExt, and by Shl
//                for the value shifted,
//   as unsigned  by LShr, ULt, ULe, ZExt, and by all shifts for the amount.
// Eq and Ne compare modulo 2^Bits. Results of comparisons are 0 or 1. ZExt gives the unsigned value; every
// other result is taken modulo 2^Bits and given as the signed value - except that at width 1 a result is
// 0 or 1, not 0 or -1, so that conditions joined by And, Or, Xor stay conditions (SExt at width 1 does give
// -1). At width 64 ZExt changes nothing. The quotient of the smallest value by -1 wraps around to the
// smallest value, its remainder is 0. A zero divisor and a shift by Bits or more have no value. Select picks
// an operand unchanged, whatever Bits says, and needs a value of the picked one alone.
std::optional<int64_t> evaluateOperation(Op Operation, unsigned Bits, ArrayRef<int64_t> Values) {
  auto Signed = [&](int64_t V) { return SignExtend64(uint64_t(V), Bits); };
  auto Unsigned = [&](int64_t V) { return uint64_t(V) & maskTrailingOnes<uint64_t>(Bits); };
  auto Result = [&](uint64_t V) { return Bits == 1 ? int64_t(V & 1) : SignExtend64(V, Bits); };
  int64_t A = Signed(Values[0]);
  int64_t B = Values.size() > 1 ? Signed(Values[1]) : 0;
  uint64_t Amount = Values.size() > 1 ? Unsigned(Values[1]) : 0;
  switch (Operation) {
  case Op::DivTrunc:
  case Op::DivFloor: {
    if (B == 0)
      return std::nullopt;
    if (B == -1)
      return Result(-uint64_t(A));
    int64_t Quotient = A / B;
    if (Operation == Op::DivFloor && A % B != 0 && (A < 0) != (B < 0))
      --Quotient;
    return Result(uint64_t(Quotient));
  }
  case Op::RemTrunc:
  case Op::Mod: {
    if (B == 0)
      return std::nullopt;
    if (B == -1)
      return 0;
    int64_t Remainder = A % B;
    if (Operation == Op::Mod && Remainder != 0 && (A < 0) != (B < 0))
      Remainder += B;
    return Result(uint64_t(Remainder));
  }
  case Op::Shl:
    return Amount < Bits ? std::optional(Result(uint64_t(A) << Amount)) : std::nullopt;
  case Op::AShr:
    return Amount < Bits ? std::optional(Result(uint64_t(A >> Amount))) : std::nullopt;
  case Op::LShr:
    return Amount < Bits ? std::optional(Result(Unsigned(Values[0]) >> Amount)) : std::nullopt;
  case Op::And:
    return Result(uint64_t(A & B));
  case Op::Or:
    return Result(uint64_t(A | B));
  case Op::Xor:
    return Result(uint64_t(A ^ B));
  case Op::Min:
    return Result(uint64_t(std::min(A, B)));
  case Op::Max:
    return Result(uint64_t(std::max(A, B)));
  case Op::Eq:
    return A == B;
  case Op::Ne:
    return A != B;
  case Op::Lt:
    return A < B;
  case Op::Le:
    return A <= B;
  case Op::ULt:
    return Unsigned(Values[0]) < Unsigned(Values[1]);
  case Op::ULe:
    return Unsigned(Values[0]) <= Unsigned(Values[1]);
  case Op::Select:
    return Values[0] ? Values[1] : Values[2];
  case Op::SExt:
    return A;
  case Op::ZExt:
    return int64_t(Unsigned(Values[0]));
  }
  llvm_unreachable("all operations are listed");
}

//===-- Sums and products --------------------------------------------------===//

namespace {
constexpr Wide Infinity = Wide(1) << 126;

struct Interval {
  Wide Low, High;
};

Interval intervalOf(const Facts &F) {
  return {F.minimum == Lowest ? -Infinity : Wide(F.minimum),
          F.maximum == Highest ? Infinity : Wide(F.maximum)};
}

int64_t saturate(Wide V) { return V < Lowest ? Lowest : V > Highest ? Highest : int64_t(V); }

Wide times(Wide A, Wide B) {
  if (A == 0 || B == 0)
    return 0;
  bool Negative = (A < 0) != (B < 0);
  if (A <= -Infinity || A >= Infinity || B <= -Infinity || B >= Infinity)
    return Negative ? -Infinity : Infinity;
  return A * B;
}

/// Bounds that leave 64 bits: unbounded on the outside, and on the inside the nearest 64-bit value.
Interval clamp(Interval I) {
  return {I.Low < Lowest ? -Infinity : std::min(I.Low, Wide(Highest)),
          I.High > Highest ? Infinity : std::max(I.High, Wide(Lowest))};
}

Interval times(Interval A, Interval B) {
  Wide Corners[] = {times(A.Low, B.Low), times(A.Low, B.High), times(A.High, B.Low), times(A.High, B.High)};
  return clamp({*std::min_element(std::begin(Corners), std::end(Corners)),
                *std::max_element(std::begin(Corners), std::end(Corners))});
}

Interval magnitude(Interval I) {
  Wide Low = I.Low > 0 ? I.Low : I.High < 0 ? -I.High : 0;
  return {Low, std::max(-I.Low, I.High)};
}

uint64_t magnitude(int64_t V) { return V < 0 ? -uint64_t(V) : uint64_t(V); }

uint64_t productOrFirst(uint64_t A, uint64_t B) {
  bool Overflow = false;
  uint64_t Product = SaturatingMultiply(A, B, &Overflow);
  return Overflow ? A : Product;
}

Facts factsOf(Interval I, uint64_t MultipleOf) { return {saturate(I.Low), saturate(I.High), MultipleOf}; }
} // namespace

Facts termFacts(const Term &T) {
  Interval Range{T.coefficient, T.coefficient};
  uint64_t MultipleOf = magnitude(T.coefficient);
  for (size_t I = 0; I < T.factors.size();) {
    const Facts &F = Node::of(T.factors[I]).Known;
    size_t Power = 0;
    for (Expr Factor = T.factors[I]; I < T.factors.size() && T.factors[I] == Factor; ++I)
      ++Power;
    Interval One = intervalOf(F), Size = clamp(magnitude(One));
    for (size_t P = 0; P < Power; ++P) {
      // An even power is not negative, even if its base may be.
      Range = times(Range, P + 1 == Power && Power % 2 ? One : Size);
      MultipleOf = productOrFirst(MultipleOf, F.multipleOf);
    }
  }
  return factsOf(Range, MultipleOf);
}

Facts sumFacts(ArrayRef<Term> Terms) {
  Interval Range{0, 0};
  uint64_t MultipleOf = 0;
  bool NoLow = false, NoHigh = false;
  for (const Term &T : Terms) {
    Facts F = termFacts(T);
    Interval I = intervalOf(F);
    NoLow |= I.Low <= -Infinity && !T.factors.empty();
    NoHigh |= I.High >= Infinity && !T.factors.empty();
    // A constant at the end of the range is a value.
    Range.Low += F.minimum;
    Range.High += F.maximum;
    MultipleOf = std::gcd(MultipleOf, F.multipleOf);
  }
  if (NoLow)
    Range.Low = -Infinity;
  if (NoHigh)
    Range.High = Infinity;
  return factsOf(Range, MultipleOf);
}

//===-- Operations ---------------------------------------------------------===//

namespace {
int64_t lowestOf(unsigned Bits) { return minIntN(Bits); }
int64_t highestOf(unsigned Bits) { return maxIntN(Bits); }
uint64_t lowBit(uint64_t V) { return V & -V; }

/// What is known of the operand as the machine reads it.
Facts asSigned(Expr E, unsigned Bits) {
  Facts F = E.facts();
  if (F.minimum >= lowestOf(Bits) && F.maximum <= highestOf(Bits))
    return F;
  uint64_t Step = F.multipleOf ? lowBit(F.multipleOf) : 0;
  if (Bits < 64 && (Step >> Bits || !Step))
    return {0, 0, 0};
  return {lowestOf(Bits), highestOf(Bits), Step};
}

int64_t allOnesUpTo(int64_t V) {
  return V <= 0 ? 0 : int64_t(maskTrailingOnes<uint64_t>(64 - countl_zero(uint64_t(V))));
}

Facts quotientFacts(Op Operation, unsigned Bits, const Facts &A, const Facts &B) {
  auto Quotient = [&](int64_t X, int64_t Y) { return *evaluateOperation(Operation, 64, {X, Y}); };
  Facts Result{lowestOf(Bits), highestOf(Bits), 1};
  if (B.minimum > 0) {
    int64_t Corners[] = {Quotient(A.minimum, B.minimum), Quotient(A.minimum, B.maximum),
                         Quotient(A.maximum, B.minimum), Quotient(A.maximum, B.maximum)};
    Result.minimum = *std::min_element(std::begin(Corners), std::end(Corners));
    Result.maximum = *std::max_element(std::begin(Corners), std::end(Corners));
    if (B.minimum == B.maximum && A.multipleOf % uint64_t(B.minimum) == 0)
      Result.multipleOf = A.multipleOf / uint64_t(B.minimum);
  } else if (A.minimum > lowestOf(Bits)) {
    int64_t Size = std::max(std::max(A.maximum, -A.maximum), -A.minimum);
    Result.minimum = -Size;
    Result.maximum = Size;
  }
  return Result;
}

Facts remainderFacts(Op Operation, unsigned Bits, const Facts &A, const Facts &B) {
  Facts Result{lowestOf(Bits), highestOf(Bits), std::gcd(A.multipleOf, B.multipleOf)};
  if (B.minimum == Lowest)
    return Result;
  int64_t Size = std::max(std::max(B.maximum, -B.maximum), -B.minimum);
  int64_t Largest = Size ? Size - 1 : 0;
  if (Operation == Op::RemTrunc) {
    // Of the dividend's sign, and no larger than it.
    Result.minimum = A.minimum >= 0 ? 0 : std::max(A.minimum, -Largest);
    Result.maximum = A.maximum <= 0 ? 0 : std::min(A.maximum, Largest);
  } else {
    Result.minimum = B.minimum > 0 ? 0 : -Largest;
    Result.maximum = B.maximum < 0 ? 0 : Largest;
    if (A.minimum >= 0 && B.minimum > 0)
      Result.maximum = std::min(Result.maximum, A.maximum);
  }
  return Result;
}

Facts shiftFacts(Op Operation, unsigned Bits, const Facts &A, const Facts &Amount) {
  Facts Result{lowestOf(Bits), highestOf(Bits), 1};
  // Larger or negative amounts have no value.
  bool Known = Amount.minimum >= 0 && Amount.minimum < Bits;
  unsigned Least = Known ? unsigned(Amount.minimum) : 0;
  unsigned Most = Known ? unsigned(std::min<int64_t>(Amount.maximum, Bits - 1)) : Bits - 1;
  if (Operation == Op::Shl) {
    Result.multipleOf = lowBit(A.multipleOf);
    Result.multipleOf = Result.multipleOf << std::min<unsigned>(Least, countl_zero(Result.multipleOf));
    if (Bits < 64 && Result.multipleOf >> Bits)
      return {0, 0, 0};
    Wide Low = Wide(A.minimum) << (A.minimum < 0 ? Most : Least), High = Wide(A.maximum)
                                                                         << (A.maximum < 0 ? Least : Most);
    if (Low >= lowestOf(Bits) && High <= highestOf(Bits)) {
      Result.minimum = int64_t(Low);
      Result.maximum = int64_t(High);
    }
    return Result;
  }
  if (Least == Most && A.multipleOf % (uint64_t(1) << Least) == 0)
    Result.multipleOf = A.multipleOf >> Least;
  if (Operation == Op::AShr || A.minimum >= 0) {
    Result.minimum = A.minimum >> (A.minimum < 0 ? Least : Most);
    Result.maximum = A.maximum >> (A.maximum < 0 ? Most : Least);
    return Result;
  }
  // A negative value counts as a large one; 2^Bits need not be a multiple of what its low bits show.
  Result.multipleOf = 1;
  if (Least > 0) {
    Result.minimum = 0;
    Result.maximum = int64_t(maskTrailingOnes<uint64_t>(Bits - Least));
  }
  return Result;
}

Facts bitFacts(Op Operation, unsigned Bits, const Facts &A, const Facts &B) {
  uint64_t StepA = lowBit(A.multipleOf), StepB = lowBit(B.multipleOf);
  Facts Result{lowestOf(Bits), highestOf(Bits), 1};
  bool NonNegative = A.minimum >= 0 && B.minimum >= 0;
  int64_t Ones = std::max(allOnesUpTo(A.maximum), allOnesUpTo(B.maximum));
  switch (Operation) {
  case Op::And:
    // Zero is a multiple of everything, and lowBit(0) is 0.
    Result.multipleOf = !StepA || !StepB ? 0 : std::max(StepA, StepB);
    if (A.minimum >= 0 || B.minimum >= 0) {
      Result.minimum = 0;
      Result.maximum = std::min(A.minimum >= 0 ? A.maximum : Highest, B.minimum >= 0 ? B.maximum : Highest);
    }
    break;
  case Op::Or:
    Result.multipleOf = std::gcd(StepA, StepB);
    if (NonNegative) {
      Result.minimum = std::max(A.minimum, B.minimum);
      Result.maximum = Ones;
    }
    break;
  default:
    Result.multipleOf = std::gcd(StepA, StepB);
    if (NonNegative) {
      Result.minimum = 0;
      Result.maximum = Ones;
    }
    break;
  }
  return Result;
}
} // namespace

Facts operationFacts(Op Operation, unsigned Bits, ArrayRef<Expr> Operands) {
  switch (Operation) {
  case Op::Eq:
  case Op::Ne:
  case Op::Lt:
  case Op::Le:
  case Op::ULt:
  case Op::ULe:
    return {0, 1, 1};
  case Op::Select: {
    Facts A = Operands[1].facts(), B = Operands[2].facts();
    return {std::min(A.minimum, B.minimum), std::max(A.maximum, B.maximum),
            std::gcd(A.multipleOf, B.multipleOf)};
  }
  case Op::ZExt: {
    Facts A = Operands[0].facts();
    if (Bits == 64)
      return A;
    int64_t Most = int64_t(maskTrailingOnes<uint64_t>(Bits));
    if (A.minimum >= 0 && A.maximum <= Most)
      return A;
    uint64_t Step = lowBit(A.multipleOf);
    return !Step || Step >> Bits ? Facts{0, 0, 0} : Facts{0, Most, Step};
  }
  case Op::SExt:
    return asSigned(Operands[0], Bits);
  default:
    break;
  }
  if (Bits == 1)
    return {0, 1, 1};
  Facts A = asSigned(Operands[0], Bits), B = asSigned(Operands[1], Bits);
  switch (Operation) {
  case Op::DivTrunc:
  case Op::DivFloor:
    return quotientFacts(Operation, Bits, A, B);
  case Op::RemTrunc:
  case Op::Mod:
    return remainderFacts(Operation, Bits, A, B);
  case Op::Shl:
  case Op::AShr:
  case Op::LShr:
    return shiftFacts(Operation, Bits, A, B);
  case Op::Min:
    return {std::min(A.minimum, B.minimum), std::min(A.maximum, B.maximum),
            std::gcd(A.multipleOf, B.multipleOf)};
  case Op::Max:
    return {std::max(A.minimum, B.minimum), std::max(A.maximum, B.maximum),
            std::gcd(A.multipleOf, B.multipleOf)};
  default:
    return bitFacts(Operation, Bits, A, B);
  }
}

} // namespace warplint::index
