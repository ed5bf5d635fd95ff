//===-- World.h - The blocks, warps and unknowns that a run stands for --------*- C++ -*-===//
//
// One abstract run of a warp stands for a *box* of blocks and warps: all those in which every decision of the
// run falls the same way. A value is 32 known lanes at one sample point of the box plus a polynomial that
// says how the value moves, the same for all lanes, over the box and over the unknown sizes:
//
//     value(lane, p) = lane[l] + shift(p) - shift(sample)
//
// An operation that does not keep this form narrows the box until it does; what is cut off is run on its own
// later. So whatever was not run at a point is proved for the whole box, not sampled.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_KERNEL_WORLD_H
#define WARPLINT_ANALYZER_KERNEL_WORLD_H

#include "analyzer/index/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warplint::kernel {

using LaneMask = uint32_t;
inline constexpr LaneMask AllLanes = ~0u;

/// As machines multiply: modulo 2^64.
inline int64_t wrapMul(int64_t A, int64_t B) { return int64_t(uint64_t(A) * uint64_t(B)); }

/// A set of assumptions, by their number in World; the last bit stands for all that found no room.
using AssumptionSet = uint64_t;

/// The dimensions of a box: the block's index in the grid and the warp's place in the block.
enum Dimension { BlockX, BlockY, BlockZ, WarpX, WarpY, WarpZ, DimensionCount };

struct Interval {
  int64_t low = 0, high = 0; ///< inclusive
  bool operator==(const Interval &) const = default;
  bool point() const { return low == high; }
  double size() const { return double(high) - double(low) + 1; }
};

using Box = std::array<Interval, DimensionCount>;

/// What an `assumed` result can rest on.
struct Assumption {
  enum Kind {
    Symbol,   ///< an unknown size: large, and a multiple of what the result needs
    Decision, ///< a size alone decided a comparison, for all lanes of a warp alike: no lane's value is made
              ///< of it
    Presence, ///< in words, that a pointer is not null: no lane's value is made of it either
    Side,     ///< in words, which side of a condition a whole run takes
    Sentence  ///< anything else, in words
  };
  bool isSize() const { return kind == Symbol || kind == Decision; }
  Kind kind = Sentence;
  std::string text; ///< the symbol's name, or the sentence
};

/// A warp-uniform integer that the analysis does not know: it has a sample value for the run.
struct Symbol {
  index::Expr atom;
  std::string name;
  int64_t sample = 0;
  unsigned assumption = 0;
};

/// How lanes that are not known relate to each other.
enum class Relation : uint8_t {
  None,
  Below,    ///< of the lanes in a mask, those below each lane
  Rank,     ///< how many those are: no two lanes of the mask have the same number
  OneLane,  ///< a condition that holds in one lane at most
  AllButOne ///< one that fails in one lane at most
};

/// A value of one warp. Default: unknown in every lane.
struct WarpValue {
  bool uniform = true;          ///< lane[0] stands for all lanes
  LaneMask unknown = AllLanes;  ///< lanes whose value is not known
  uint32_t object = 0;          ///< the object that the value points into; 0: a plain number
  Relation relation = Relation::None;
  uint32_t why = 0;             ///< what makes lanes unknown, a number of the machine's; 0: not noted
  AssumptionSet soft = 0;       ///< assumptions that the lanes rest on
  index::Expr shift;            ///< how the value moves over the box and the symbols; invalid: not at all
  index::Expr words;            ///< index expression for people, where the SSA graph does not give it
  std::array<int64_t, 32> lane; // deliberately not initialised when uniform: only lane[0] is read

  WarpValue() { lane[0] = 0; }
  WarpValue(const WarpValue &Other) { *this = Other; }
  WarpValue &operator=(const WarpValue &Other) {
    uniform = Other.uniform, unknown = Other.unknown, object = Other.object, why = Other.why,
    soft = Other.soft, relation = Other.relation;
    shift = Other.shift, words = Other.words;
    if (uniform)
      lane[0] = Other.lane[0];
    else
      lane = Other.lane;
    return *this;
  }
  static WarpValue constant(int64_t V) {
    WarpValue R;
    R.unknown = 0;
    R.lane[0] = V;
    return R;
  }
  static WarpValue lanes(const std::array<int64_t, 32> &L) {
    WarpValue R;
    R.unknown = 0;
    R.uniform = false;
    R.lane = L;
    return R;
  }
  /// The same unknown value in every lane (data), as opposed to unknown lane by lane.
  static WarpValue unknownUniform() { return {}; }
  static WarpValue unknownLanes(uint32_t Why = 0) {
    WarpValue R;
    R.uniform = false;
    R.why = Why;
    R.lane.fill(0);
    return R;
  }

  bool known() const { return unknown == 0; }
  int64_t at(unsigned L) const { return uniform ? lane[0] : lane[L]; }
  bool isUnknownUniform() const { return uniform && unknown; }
  void spread() {
    if (uniform) {
      lane.fill(lane[0]);
      uniform = false;
    }
  }
  /// Back to the uniform form where all lanes agree.
  void compress() {
    if (uniform)
      return;
    if (unknown)
      return;
    for (unsigned L = 1; L < 32; ++L)
      if (lane[L] != lane[0])
        return;
    uniform = true;
  }
};

/// Calls F for each lane of a mask.
template <typename Fn> void forLanes(LaneMask M, Fn F) {
  for (; M; M &= M - 1)
    F(unsigned(std::countr_zero(M)));
}

class World {
public:
  explicit World(index::Context &Context);

  index::Context &context;
  Box box; ///< what the current run stands for; only ever narrowed during a run
  std::array<int64_t, DimensionCount> sample{}; ///< the point at which lanes are evaluated
  LaneMask active = AllLanes;                   ///< lanes for which decisions count right now

  //--- Symbols and assumptions ---------------------------------------------
  /// The symbol of that name; created on first use with a large sample, or with `Sample` when given.
  const Symbol &symbol(const std::string &Name, std::optional<int64_t> Sample = std::nullopt);
  WarpValue valueOf(const Symbol &);
  unsigned assume(Assumption);
  AssumptionSet bit(unsigned Assumption) const { return AssumptionSet(1) << std::min(Assumption, 63u); }
  /// The assumptions' numbers in a set.
  std::vector<unsigned> members(AssumptionSet) const;
  const std::vector<Assumption> &assumptions() const { return Assumptions; }
  const Symbol *symbolOf(const void *AtomKey) const;
  std::optional<Dimension> dimensionOf(const void *AtomKey) const;
  /// The symbols of a polynomial, as assumptions.
  AssumptionSet symbolsOf(index::Expr Shift);
  bool hasDimensions(index::Expr Shift);
  /// At how many places of the box a shift may differ.
  double places(index::Expr Shift);

  //--- Arithmetic on values, at the width of the machine operation ------------
  /// A dimension's current value: a constant once the box is a point there.
  WarpValue dimension(Dimension, int64_t Scale);
  WarpValue add(const WarpValue &, const WarpValue &, unsigned Bits, bool NoWrap);
  WarpValue sub(const WarpValue &, const WarpValue &, unsigned Bits, bool NoWrap);
  WarpValue mul(const WarpValue &, const WarpValue &, unsigned Bits, bool NoWrap);
  WarpValue scale(const WarpValue &, int64_t Factor, unsigned Bits, bool NoWrap);
  WarpValue divide(const WarpValue &, const WarpValue &, unsigned Bits, bool Signed, bool Remainder);
  WarpValue bitwise(index::Op, const WarpValue &, const WarpValue &, unsigned Bits);
  WarpValue shiftLeft(const WarpValue &, const WarpValue &, unsigned Bits, bool NoWrap);
  WarpValue shiftRight(const WarpValue &, const WarpValue &, unsigned Bits, bool Arithmetic);
  WarpValue compare(index::Op, const WarpValue &, const WarpValue &,
                    unsigned Bits); ///< Eq, Ne, Lt, Le, ULt, ULe: 0 or 1
  WarpValue minimumMaximum(bool Maximum, bool Signed, const WarpValue &, const WarpValue &, unsigned Bits);
  WarpValue select(const WarpValue &Condition, const WarpValue &, const WarpValue &);
  WarpValue truncate(const WarpValue &, unsigned Bits);
  WarpValue zeroExtend(const WarpValue &, unsigned FromBits);
  /// Lanes of `Mask` from New, the others from Old.
  WarpValue merge(const WarpValue &Old, const WarpValue &New, LaneMask Mask);
  /// What is known when each lane of `Mask` may hold either value.
  WarpValue join(const WarpValue &A, const WarpValue &B, LaneMask Mask);
  /// Any pure function of lanes. Uniform results that rest on symbols become symbols of their own, named by
  /// `Name`.
  WarpValue map(const WarpValue &A, const WarpValue &B,
                llvm::function_ref<std::optional<int64_t>(int64_t, int64_t)> F,
                llvm::function_ref<std::string()> Name);
  /// Makes the lanes alone the value: narrows the box to the sample where the value moves, and
  /// turns symbols into assumptions. What is assumed anyway (`Soft`, or the value itself) narrows nothing:
  /// following every block would cost and prove nothing.
  WarpValue pin(WarpValue, AssumptionSet Soft = 0);
  bool isUniform(const WarpValue &, LaneMask) const;
  /// The value as one polynomial (lane l at the sample plus its shift); for uniform values.
  index::Expr polynomial(const WarpValue &);

  /// Least and greatest of shift(p) - shift(sample) over the box, symbols at their samples.
  Interval range(index::Expr Shift);

private:
  std::vector<Symbol> Symbols;
  std::vector<Assumption> Assumptions;
  std::map<unsigned, unsigned> DecisionOf;     ///< by the symbol's assumption
  llvm::DenseMap<const void *, int> AtomIndex; ///< atom -> dimension d as -1-d, or symbol s
  std::map<std::string, unsigned> SymbolByName;
  std::array<index::Expr, DimensionCount> DimensionAtom;
  unsigned NextSample = 0;
  std::map<std::string, unsigned> LongNames; ///< names that were shortened, numbered

  /// The name itself, or its beginning and a number of its own: names of unknowns made from unknowns would double each time.
  std::string shortened(std::string Name);

  index::Expr addShift(index::Expr A, index::Expr B, int Sign);
  index::Expr scaleShift(index::Expr A, int64_t Factor);
  int64_t atSample(index::Expr Shift);
  void narrow(Dimension D, int64_t Low, int64_t High);
  /// Narrows the box so that shift(p) - shift(sample) stays within [Low, High] (Low <= 0 <= High).
  void confine(index::Expr Shift, int64_t Low, int64_t High);
  /// Does the value, with its shift, rest on no assumption?
  bool isHard(const WarpValue &V) { return !V.soft && !symbolsOf(V.shift); }
  /// Confines so that every active lane keeps its sign.
  void keepSign(const WarpValue &);
  /// The value of a machine operation whose mathematical result this is: lanes taken modulo 2^Bits as signed
  /// numbers, the box confined so that no active lane leaves the width elsewhere. Assumed values do not wrap.
  WarpValue wrap(WarpValue, unsigned Bits);
  /// The shift divided by a number, if that divides each coefficient (dropped when zero).
  std::optional<index::Expr> quotient(index::Expr Shift, int64_t Divisor);
  /// Confines so that no active lane of a hard value leaves the stretch of `Length` (a multiple of it on)
  /// that it is in.
  void keepStretch(const WarpValue &, int64_t Length);
  AssumptionSet sampledBlocks();
  /// What the outcome of a comparison rests on, of what its operands rest on.
  AssumptionSet decisions(AssumptionSet);
};

/// A symbol's name without the marks that tell apart operations of different widths ("a /@64 b") and readings
/// of one text ("size'2").
std::string forPeople(llvm::StringRef Name);

int64_t signExtend(int64_t V, unsigned Bits);
uint64_t lowBits(int64_t V, unsigned Bits);

} // namespace warplint::kernel

#endif
