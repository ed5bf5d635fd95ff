//===-- Builtins.cpp - What translated device code calls of its own -------------===//
//
// Part of replayed programs, not of the translator: arithmetic with rounding modes, byte permutation, matrix loads, barrier
// objects, libdevice's functions. No LLVM here.
//
//===----------------------------------------------------------------------===//

#include "tools/replay/runtime/Abi.h"
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>

extern "C" {
float warplintReplayRounded32(uint32_t Operation, uint32_t Mode, float A, float B, float C);
double warplintReplayRounded64(uint32_t Operation, uint32_t Mode, double A, double B, double C);
double warplintReplayFromInteger(uint64_t Value, uint32_t IsSigned, uint32_t Kind, uint32_t Mode);
double warplintReplayNarrow(double, uint32_t Kind, uint32_t Mode);
uint32_t warplintReplayNarrow16(double, uint32_t Brain, uint32_t Mode);
uint32_t warplintReplayPermute(uint32_t A, uint32_t B, uint32_t Selector);
uint32_t warplintReplayDot(uint32_t Elements, uint32_t SignedA, uint32_t SignedB, uint32_t A, uint32_t B, uint32_t C,
                           uint32_t High);
uint32_t warplintReplayFindNth(uint32_t Mask, uint32_t Base, int32_t Offset);
uint32_t warplintReplaySimd(uint32_t Operation, uint32_t Parts, uint32_t Flags, uint32_t A, uint32_t B, uint32_t C);
void warplintReplayLoadMatrix(uint32_t *Words, const void *Row, uint32_t Matrices, uint32_t Transposed, uint64_t KeyLow,
                              uint64_t KeyHigh);
void warplintReplayObjectInit(uint64_t *Object, uint32_t Count);
uint64_t warplintReplayObjectArrive(uint64_t *Object, uint32_t Count);
uint64_t warplintReplayObjectDrop(uint64_t *Object, uint32_t Count);
uint32_t warplintReplayObjectTest(const uint64_t *Object, uint64_t State);
uint32_t warplintReplayObjectTestParity(const uint64_t *Object, uint32_t Parity);
void warplintReplayObjectWait(const uint64_t *Object, uint64_t State);
void warplintReplayObjectWaitParity(const uint64_t *Object, uint32_t Parity);
}

template <typename To, typename From> static To bitsAs(From Value) {
  static_assert(sizeof(To) == sizeof(From));
  To Result;
  std::memcpy(&Result, &Value, sizeof(To));
  return Result;
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

namespace {

/// The host's rounding mode while it lives. Fibers change only in hooks, and none is called in between.
class RoundingMode {
public:
  explicit RoundingMode(uint32_t Mode) : Old(std::fegetround()) {
    constexpr int Modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    std::fesetround(Modes[Mode & 3]);
  }
  ~RoundingMode() { std::fesetround(Old); }

private:
  int Old;
};

} // namespace

/// Computed while the mode is set: volatile keeps the compiler from moving it.
template <typename T> static T rounded(uint32_t Operation, uint32_t Mode, T A, T B, T C) {
  const RoundingMode Set(Mode);
  volatile T X = A, Y = B, Z = C, Result = 0;
  switch (Operation) {
  case 0:
    Result = X + Y;
    break;
  case 1:
    Result = X - Y;
    break;
  case 2:
    Result = X * Y;
    break;
  case 3:
    Result = std::fma(T(X), T(Y), T(Z));
    break;
  case 4:
    Result = X / Y;
    break;
  case 5:
    Result = T(1) / X;
    break;
  case 6:
    Result = std::sqrt(T(X));
    break;
  }
  return Result;
}

float warplintReplayRounded32(uint32_t Operation, uint32_t Mode, float A, float B, float C) {
  return rounded(Operation, Mode, A, B, C);
}

double warplintReplayRounded64(uint32_t Operation, uint32_t Mode, double A, double B, double C) {
  return rounded(Operation, Mode, A, B, C);
}

/// Mantissa bits of half, bfloat16, float, double, and their exponents' ranges.
struct Format {
  int precision, least, greatest; ///< bits with the leading one; exponents of normal numbers
};
static constexpr Format Formats[] = {{11, -14, 15}, {8, -126, 127}, {24, -126, 127}, {53, -1022, 1023}};

/// The number that the format has for it; a double holds each of them exactly.
double warplintReplayNarrow(double Value, uint32_t Kind, uint32_t Mode) {
  const Format F = Formats[Kind & 3];
  if (!std::isfinite(Value) || Value == 0)
    return Value;
  int Exponent = 0;
  std::frexp(Value, &Exponent); // 0.5 <= |m| < 1
  const int Unit = std::max(Exponent - 1, F.least) - (F.precision - 1);
  double Result = 0;
  {
    const RoundingMode Set(Mode);
    volatile double Scaled = std::scalbn(Value, -Unit);
    Result = std::scalbn(std::nearbyint(Scaled), Unit);
  }
  const double Greatest = std::scalbn(2.0 - std::scalbn(1.0, 1 - F.precision), F.greatest);
  if (std::fabs(Result) <= Greatest)
    return std::copysign(Result, Value);
  const bool Stays = Mode == 1 || (Mode == 2 && Value > 0) || (Mode == 3 && Value < 0);
  return std::copysign(Stays ? Greatest : std::numeric_limits<double>::infinity(), Value);
}

double warplintReplayFromInteger(uint64_t Value, uint32_t IsSigned, uint32_t Kind, uint32_t Mode) {
  // 64 bits are exact in x87's format, and in the sum of two doubles.
  const bool Negative = IsSigned && int64_t(Value) < 0;
  const uint64_t Magnitude = Negative ? 0 - Value : Value;
  const Format F = Formats[Kind & 3];
  const int Bits = Magnitude ? 64 - __builtin_clzll(Magnitude) : 0, Drop = Bits > F.precision ? Bits - F.precision : 0;
  uint64_t Kept = Drop ? Magnitude >> Drop : Magnitude;
  const uint64_t Rest = Drop ? Magnitude & ((uint64_t(1) << Drop) - 1) : 0, Half = Drop ? uint64_t(1) << (Drop - 1) : 0;
  const bool Up = Mode == 0   ? Rest > Half || (Rest == Half && Rest && (Kept & 1))
                  : Mode == 1 ? false
                              : Rest && (Mode == 2) == Negative;
  const double Result = std::scalbn(double(Kept + Up), Drop);
  const double Whole = warplintReplayNarrow(Result, Kind, Mode == 0 ? 0 : (Negative ? (Mode == 2 ? 3 : Mode == 3 ? 2 : 1) : Mode));
  return Negative ? -Whole : Whole;
}

uint32_t warplintReplayNarrow16(double Value, uint32_t Brain, uint32_t Mode) {
  if (std::isnan(Value))
    return 0x7fff;
  const double Narrow = warplintReplayNarrow(Value, Brain ? 1 : 0, Mode);
  if (Brain)
    return bitsAs<uint32_t>(float(Narrow)) >> 16;
  const uint32_t Sign = std::signbit(Narrow) ? 0x8000 : 0;
  const double Magnitude = std::fabs(Narrow);
  if (std::isinf(Magnitude))
    return Sign | 0x7c00;
  if (Magnitude < 0x1p-14) // subnormal
    return Sign | uint32_t(std::scalbn(Magnitude, 24));
  int Exponent = 0;
  const double Fraction = std::frexp(Magnitude, &Exponent);
  return Sign | (uint32_t(Exponent - 1 + 15) << 10) | (uint32_t(std::scalbn(Fraction, 11)) & 0x3ff);
}

static float halfToFloat(uint16_t Bits) {
  const int Exponent = Bits >> 10 & 31, Fraction = Bits & 0x3ff;
  const float Magnitude = Exponent == 31 ? (Fraction ? std::numeric_limits<float>::quiet_NaN()
                                                     : std::numeric_limits<float>::infinity())
                          : Exponent ? std::scalbn(float(Fraction | 0x400), Exponent - 25)
                                     : std::scalbn(float(Fraction), -24);
  return Bits & 0x8000 ? -Magnitude : Magnitude;
}

/// As the GPU converts: what is too great is the greatest, not a number is 0.
template <typename To> static To clamped(double Whole) {
  if (std::isnan(Whole))
    return 0;
  if (Whole >= std::scalbn(1.0, std::numeric_limits<To>::digits))
    return std::numeric_limits<To>::max();
  if (Whole <= double(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  return To(Whole);
}

// LLVM's names for conversions, where the compiler's library is too old to have them.
extern "C" {
__attribute__((weak)) __bf16 __truncsfbf2(float Value) {
  return bitsAs<__bf16>(uint16_t(warplintReplayNarrow16(double(Value), 1, 0)));
}
__attribute__((weak)) __bf16 __truncdfbf2(double Value) {
  return bitsAs<__bf16>(uint16_t(warplintReplayNarrow16(Value, 1, 0)));
}
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

uint32_t warplintReplayPermute(uint32_t A, uint32_t B, uint32_t Selector) {
  const uint64_t Bytes = uint64_t(B) << 32 | A;
  uint32_t Result = 0;
  for (unsigned I = 0; I < 4; ++I) {
    const uint32_t Pick = Selector >> (4 * I) & 15;
    uint32_t Byte = uint32_t(Bytes >> (8 * (Pick & 7))) & 255;
    if (Pick & 8) // its sign, everywhere
      Byte = Byte & 128 ? 255 : 0;
    Result |= Byte << (8 * I);
  }
  return Result;
}

uint32_t warplintReplayDot(uint32_t Elements, uint32_t SignedA, uint32_t SignedB, uint32_t A, uint32_t B, uint32_t C,
                           uint32_t High) {
  auto Part = [](uint32_t Word, unsigned Start, unsigned Bits, uint32_t IsSigned) {
    const uint32_t Value = Word >> Start & ((1u << Bits) - 1);
    return IsSigned && Value >> (Bits - 1) ? int64_t(Value) - (int64_t(1) << Bits) : int64_t(Value);
  };
  uint32_t Sum = C;
  for (unsigned I = 0; I < Elements; ++I) // dp2a: halves of A with two bytes of B
    Sum += uint32_t(Elements == 4 ? Part(A, 8 * I, 8, SignedA) * Part(B, 8 * I, 8, SignedB)
                                  : Part(A, 16 * I, 16, SignedA) * Part(B, 8 * I + (High ? 16 : 0), 8, SignedB));
  return Sum;
}

uint32_t warplintReplayFindNth(uint32_t Mask, uint32_t Base, int32_t Offset) {
  if (Offset == 0)
    return Mask >> (Base & 31) & 1 ? Base : ~0u;
  int32_t Left = Offset > 0 ? Offset : -Offset;
  for (int32_t At = int32_t(Base); At >= 0 && At < 32; At += Offset > 0 ? 1 : -1)
    if ((Mask >> At & 1) && --Left == 0)
      return uint32_t(At);
  return ~0u;
}

/// vadd2, vset4 and their like, on the bytes or halves of a word. Flags: 1 A is signed, 2 B, 4 the result; 8 saturates; 16 sums up
/// all results, and C.
uint32_t warplintReplaySimd(uint32_t Operation, uint32_t Parts, uint32_t Flags, uint32_t A, uint32_t B, uint32_t C) {
  const unsigned Bits = 32 / Parts;
  const int64_t Ones = (int64_t(1) << Bits) - 1;
  auto Part = [&](uint32_t Word, unsigned I, bool Signed) {
    const int64_t Value = int64_t(Word >> (I * Bits)) & Ones;
    return Signed && Value >> (Bits - 1) ? Value - Ones - 1 : Value;
  };
  uint32_t Result = Flags & 16 ? C : 0;
  for (unsigned I = 0; I < Parts; ++I) {
    const int64_t X = Part(A, I, Flags & 1), Y = Part(B, I, Flags & 2);
    const int64_t All[] = {X + Y,  X - Y,  (X + Y + 1) >> 1, X > Y ? X - Y : Y - X, std::min(X, Y), std::max(X, Y),
                           X == Y, X != Y, X < Y,            X <= Y,                X > Y,          X >= Y};
    int64_t Value = All[Operation];
    if (Flags & 8)
      Value = Flags & 4 ? std::clamp(Value, -(Ones + 1) / 2, Ones / 2) : std::clamp(Value, int64_t(0), Ones);
    if (Flags & 16)
      Result += uint32_t(Value);
    else
      Result |= uint32_t(Value & Ones) << (I * Bits);
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// Matrix loads
//===----------------------------------------------------------------------===//

/// Lane l gives row l % 8 of matrix l / 8; of each matrix it gets two elements: those of row l / 4, columns
/// 2 (l % 4) and the next [PTX ISA, ldmatrix].
void warplintReplayLoadMatrix(uint32_t *Words, const void *Row, uint32_t Matrices, uint32_t Transposed, uint64_t KeyLow,
                              uint64_t KeyHigh) {
  const auto Own = reinterpret_cast<uint64_t>(Row);
  const uint32_t Lane = warplintReplayThread->lane;
  auto RowOf = [&](uint32_t From, uint64_t Step) {
    constexpr uint32_t Indexed = 3, WholeWarp = 31;
    const uint64_t Low = warplintReplayShuffle(Indexed, ~0u, uint32_t(Own), From, WholeWarp, KeyLow + Step);
    const uint64_t High = warplintReplayShuffle(Indexed, ~0u, uint32_t(Own >> 32), From, WholeWarp, KeyHigh + Step);
    return reinterpret_cast<const uint16_t *>((Low & ~0u) | (High & ~0u) << 32);
  };
  for (uint32_t M = 0; M < Matrices; ++M) {
    if (!Transposed) {
      std::memcpy(&Words[M], RowOf(8 * M + Lane / 4, 2 * M) + 2 * (Lane % 4), 4);
      continue;
    }
    const uint16_t *First = RowOf(8 * M + 2 * (Lane % 4), 2 * M), *Second = RowOf(8 * M + 2 * (Lane % 4) + 1, 2 * M + 1);
    Words[M] = First[Lane / 4] | uint32_t(Second[Lane / 4]) << 16;
  }
}

//===----------------------------------------------------------------------===//
// Barrier objects (mbarrier)
//===----------------------------------------------------------------------===//

/// 64 bits: the phase, arrivals that a phase waits for, arrivals that this one still waits for. A state is the object as it was
/// before the arrival.
namespace {
struct BarrierObject {
  uint64_t phase : 24, expected : 20, pending : 20;
};
} // namespace
static_assert(sizeof(BarrierObject) == 8);

static void store(uint64_t *Object, BarrierObject Value) { std::memcpy(Object, &Value, sizeof(Value)); }

static BarrierObject load(const uint64_t *Object) {
  BarrierObject Value;
  std::memcpy(&Value, Object, sizeof(Value));
  return Value;
}

void warplintReplayObjectInit(uint64_t *Object, uint32_t Count) { store(Object, {0, Count, Count}); }

static uint64_t arrive(uint64_t *Object, uint32_t Count, uint32_t Drop) {
  BarrierObject B = load(Object);
  const uint64_t State = bitsAs<uint64_t>(B);
  B.expected -= Drop;
  B.pending -= Count;
  if (B.pending == 0) {
    ++B.phase;
    B.pending = B.expected;
  }
  store(Object, B);
  return State;
}

uint64_t warplintReplayObjectArrive(uint64_t *Object, uint32_t Count) { return arrive(Object, Count, 0); }
uint64_t warplintReplayObjectDrop(uint64_t *Object, uint32_t Count) { return arrive(Object, Count, Count); }

uint32_t warplintReplayObjectTest(const uint64_t *Object, uint64_t State) {
  if (load(Object).phase != bitsAs<BarrierObject>(State).phase)
    return 1;
  warplintReplayYield();
  return load(Object).phase != bitsAs<BarrierObject>(State).phase;
}

uint32_t warplintReplayObjectTestParity(const uint64_t *Object, uint32_t Parity) {
  // The phase of this parity is over when the running one has the other.
  if ((load(Object).phase & 1) != (Parity & 1))
    return 1;
  warplintReplayYield();
  return (load(Object).phase & 1) != (Parity & 1);
}

void warplintReplayObjectWait(const uint64_t *Object, uint64_t State) {
  while (!warplintReplayObjectTest(Object, State)) {
  }
}

void warplintReplayObjectWaitParity(const uint64_t *Object, uint32_t Parity) {
  while (!warplintReplayObjectTestParity(Object, Parity)) {
  }
}

//===----------------------------------------------------------------------===//
// Mathematics
//===----------------------------------------------------------------------===//

static double sineOfTurns(double A) {
  const double Rest = std::remainder(A, 2.0);
  if (std::trunc(Rest * 2) == Rest * 2) // multiples of a half are exact
    return Rest == 0.5 ? 1 : Rest == -0.5 ? -1 : std::copysign(0.0, A);
  return std::sin(M_PI * Rest);
}

static double cosineOfTurns(double A) {
  const double Rest = std::fabs(std::remainder(A, 2.0));
  return Rest == 0.5 ? 0 : std::cos(M_PI * Rest);
}

/// Newton's method on erfc, from Giles' approximation of the inverse.
static double inverseErfc(double A) {
  if (A <= 0 || A >= 2)
    return A == 0   ? std::numeric_limits<double>::infinity()
           : A == 2 ? -std::numeric_limits<double>::infinity()
                    : std::numeric_limits<double>::quiet_NaN();
  const double Small = A < 1 ? A : 2 - A, T = std::sqrt(-2 * std::log(Small / 2));
  double X = -M_SQRT1_2 * ((2.30753 + T * 0.27061) / (1 + T * (0.99229 + T * 0.04481)) - T);
  for (int Step = 0; Step < 4; ++Step) {
    const double Error = std::erfc(X) - Small;
    X += Error / (2 / std::sqrt(M_PI) * std::exp(-X * X) - X * Error);
  }
  return A < 1 ? X : -X;
}

static double inverseErf(double A) {
  if (std::fabs(A) < 0.5 && A != 0) { // 1 - A would lose digits
    double X = A * std::sqrt(M_PI) / 2;
    for (int Step = 0; Step < 6; ++Step)
      X -= (std::erf(X) - A) / (2 / std::sqrt(M_PI) * std::exp(-X * X));
    return X;
  }
  return A == 0 ? A : inverseErfc(1 - A);
}

static double scaledErfc(double A) {
  if (A < 25)
    return std::exp(A * A) * std::erfc(A);
  const double Square = 1 / (A * A); // asymptotic
  return (1 - Square / 2 * (1 - 1.5 * Square)) / (A * std::sqrt(M_PI));
}

static double besselI(unsigned Order, double A) {
  const double Result = std::cyl_bessel_i(double(Order), std::fabs(A));
  return Order % 2 && A < 0 ? -Result : Result;
}

template <typename T> static T lengthOf(int Count, const T *Values) {
  double Sum = 0;
  for (int I = 0; I < Count; ++I)
    Sum += double(Values[I]) * double(Values[I]);
  return T(std::sqrt(Sum));
}

extern "C" {
// The device's names and the types that libdevice gives them.
#define FUNCTION(result, name, parameters, value)                                                                      \
  result name parameters;                                                                                              \
  result name parameters { return value; }
#include "tools/replay/device/Math.inc"
#undef FUNCTION
}
