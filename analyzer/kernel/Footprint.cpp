#include "analyzer/kernel/Footprint.h"
#include "analyzer/kernel/Machine.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace warplint;
using namespace warplint::kernel;
using result::Amount;
using result::Space;

namespace {

/// What an address moves by beside the threads: so many steps of so many bytes.
struct Walk {
  double step = 0;
  Amount count;
};

/// The part of an index that one product of unknown sizes is multiplied with: of 4*n*row + 4*k, row for "n" and
/// k for "". What only that knows is how many values it takes.
struct Part {
  index::Expr threads; ///< what threadIdx makes of it
  std::vector<Walk> walks;
};

struct Index {
  std::map<Amount::Product, Part> parts;
  std::string start; ///< unknown sizes that move all of it
  int64_t offset = 0;
};

class Footprints {
public:
  Footprints(World &W, const Recorder &R, WorkCounter &Work, const std::array<unsigned, 3> &Block,
             const std::array<Amount, 3> &Grid)
      : W(W), Records(R), Work(Work), Block(Block), Grid(Grid) {}

  Footprint run(function_ref<Amount(const Site &)> RequestedPerThread);

private:
  World &W;
  const Recorder &Records;
  WorkCounter &Work;
  const std::array<unsigned, 3> &Block;
  const std::array<Amount, 3> &Grid;

  using Members = std::vector<std::pair<const Site *, Index>>;

  std::optional<Index> indexOf(const Site &S);
  std::optional<std::pair<int, std::optional<int64_t>>> loopOf(const Site &S, StringRef Atom) const;
  bool ofThreadsAlone(index::Expr Factor);
  std::pair<double, double> stretch(const Members &Same);
  static void walk(Amount &Count, Amount &Reach, double Step, const Amount &Times);
  Amount bytes(const Members &Same);
  std::optional<Footprint::Read> read(const Members &Same);
  /// By thread, x fastest: many accesses have the same.
  const std::vector<int64_t> &valuesOf(index::Expr Threads);
  std::vector<int64_t> differentValuesOf(index::Expr Threads);

  std::map<const void *, std::vector<int64_t>> Values;
};

/// Those of two amounts of large sizes that is more.
bool isMore(const Amount &A, const Amount &B) {
  const auto Value = [](const Amount &Of) {
    constexpr double Large = 1 << 20;
    double Sum = 0;
    for (const auto &[Product, Coefficient] : Of.terms) {
      double Term = Coefficient;
      for (const auto &[Name, Power] : Product)
        Term *= std::pow(Large, Power);
      Sum += Term;
    }
    return Sum;
  };
  return Value(A) > Value(B);
}

bool Footprints::ofThreadsAlone(index::Expr Factor) {
  return all_of(W.context.atoms(Factor), [](index::Expr Atom) {
    return axisOf(Atom.atomName(), "threadIdx.") || Atom.atomName() == "laneid";
  });
}

/// The loop around a site that an atom steps with, and the step.
std::optional<std::pair<int, std::optional<int64_t>>> Footprints::loopOf(const Site &S, StringRef Atom) const {
  for (int L = S.loop; L >= 0; L = Records.loops[size_t(L)].parent)
    if (auto It = Records.loops[size_t(L)].atoms.find(Atom.str()); It != Records.loops[size_t(L)].atoms.end())
      return std::pair(L, It->second);
  return std::nullopt;
}

/// The index taken apart; nothing when some of it is not understood.
std::optional<Index> Footprints::indexOf(const Site &S) {
  if (!S.words)
    return std::nullopt;
  Index Result;
  for (const index::Term &T : W.context.terms(S.words)) {
    Amount::Product Sizes;
    index::Expr Threads = W.context.constant(T.coefficient);
    std::optional<Walk> Along;
    bool Varies = false;
    for (index::Expr Factor : T.factors) {
      if (ofThreadsAlone(Factor)) {
        Threads = W.context.mul(Threads, Factor);
        Varies = true;
        continue;
      }
      std::optional<Walk> This;
      if (Factor.isAtom()) {
        if (auto Axis = axisOf(Factor.atomName(), "blockIdx.")) {
          This = Walk{double(T.coefficient), Grid[*Axis]};
        } else if (auto Found = loopOf(S, Factor.atomName())) {
          if (!Found->second)
            return std::nullopt;
          This = Walk{double(T.coefficient) * double(*Found->second), Work.tripsOf(Found->first)};
        } else if (const Symbol *Size = W.symbolOf(Factor.key())) {
          for (const auto &[Product, Coefficient] : amountOfSize(forPeople(Size->name)).terms)
            for (const auto &[Name, Power] : Product)
              Sizes[Name] += Power;
          continue;
        }
      } else if (const index::Facts Known = Factor.facts(); Known.maximum - Known.minimum < (1 << 24) &&
                                                            Known.minimum > -(1 << 24)) {
        This = Walk{double(T.coefficient), Amount(double(Known.maximum - Known.minimum) + 1)};
      }
      if (!This || Along || Varies)
        return std::nullopt;
      Along = This;
    }
    if (Along && Varies)
      return std::nullopt; // a product of what differs between threads and between blocks
    if (Along) {
      Along->step = std::abs(Along->step);
      Result.parts[Sizes].walks.push_back(*Along);
    } else if (Varies) {
      Part &P = Result.parts[Sizes];
      P.threads = P.threads ? W.context.add(P.threads, Threads) : Threads;
    } else if (Sizes.empty()) {
      Result.offset += T.coefficient;
    } else {
      Amount Start;
      Start.terms[Sizes] = double(T.coefficient);
      Result.start += text(Start) + "+";
    }
  }
  return Result;
}

const std::vector<int64_t> &Footprints::valuesOf(index::Expr Threads) {
  auto [It, New] = Values.try_emplace(Threads.key());
  if (!New)
    return It->second;
  for (unsigned Z = 0; Z < Block[2]; ++Z)
    for (unsigned Y = 0; Y < Block[1]; ++Y)
      for (unsigned X = 0; X < Block[0]; ++X)
        It->second.push_back(!Threads ? 0
                                      : W.context
                                            .evaluate(Threads,
                                                      [&](StringRef Name) -> std::optional<int64_t> {
                                                        if (auto Axis = axisOf(Name, "threadIdx."))
                                                          return std::array{X, Y, Z}[*Axis];
                                                        return (X + Block[0] * (Y + Block[1] * Z)) % 32; // laneid
                                                      })
                                            .value_or(0));
  return It->second;
}

std::vector<int64_t> Footprints::differentValuesOf(index::Expr Threads) {
  std::vector<int64_t> Result = valuesOf(Threads);
  sort(Result);
  Result.erase(std::unique(Result.begin(), Result.end()), Result.end());
  return Result;
}

/// Bytes that accesses touch that differ in a constant alone, at one place.
std::pair<double, double> Footprints::stretch(const Members &Same) {
  std::vector<std::pair<int64_t, int64_t>> Stretches;
  for (const auto &[S, Index] : Same)
    Stretches.push_back({Index.offset, Index.offset + int64_t(S->first.width)});
  sort(Stretches);
  double Bytes = 0;
  int64_t End = Stretches.front().first;
  for (auto [From, To] : Stretches) {
    Bytes += double(std::max(To, End) - std::max(From, End));
    End = std::max(End, To);
  }
  return {Bytes, double(End - Stretches.front().first)};
}

/// Goes on from what covers `Reach` units, `Count` of them touched, by steps: those that lead out of the reach
/// touch as many again, those within it the share that is new.
void Footprints::walk(Amount &Count, Amount &Reach, double Step, const Amount &Times) {
  const auto Number = Reach.number();
  // From the first to the last: step * (times - 1) more.
  const Amount Further = Times * Step + Amount(-Step) + Reach;
  Count = Count * (Number && *Number > Step ? Further * (1 / *Number) : Times);
  Reach = Further;
}

/// Bytes of one launch that accesses touch that differ in a constant alone.
Amount Footprints::bytes(const Members &Same) {
  Amount Total(1);
  std::map<Amount::Product, Part> Parts = Same.front().second.parts;
  Parts.try_emplace({}); // the bytes themselves
  for (auto &[Sizes, Each] : Parts) {
    Amount Count(1), Reach(1);
    if (Sizes.empty()) {
      const auto [Bytes, Length] = stretch(Same);
      Count = Bytes, Reach = Length;
    }
    // Threads are a walk too, of steps that need not be alike: those within the least of them come before it.
    const std::vector<int64_t> Places = differentValuesOf(Each.threads);
    double Gap = std::numeric_limits<double>::infinity();
    for (size_t I = 1; I < Places.size(); ++I)
      Gap = std::min(Gap, double(Places[I] - Places[I - 1]));
    std::vector<Walk> Walks = Each.walks;
    sort(Walks, [](const Walk &A, const Walk &B) { return A.step < B.step; });
    bool Threads = Places.size() > 1;
    const auto WalkThreads = [&] {
      const auto Number = Reach.number();
      const Amount Further = Reach + Amount(double(Places.back() - Places.front()));
      Count = Count * (Number && *Number > Gap ? Further * (1 / *Number) : Amount(double(Places.size())));
      Reach = Further;
      Threads = false;
    };
    for (const Walk &Along : Walks) {
      if (Threads && Along.step >= Gap)
        WalkThreads();
      walk(Count, Reach, Along.step, Along.count);
    }
    if (Threads)
      WalkThreads();
    Total = Total * Count;
  }
  return Total;
}

/// How often the threads of a block read each element.
std::optional<Footprint::Read> Footprints::read(const Members &Same) {
  const auto &Parts = Same.front().second.parts;
  const size_t Threads = size_t(Block[0]) * Block[1] * Block[2];
  // Where each thread reads, but for what the accesses differ in.
  std::vector<std::pair<uint64_t, int64_t>> Place(Threads);
  for (const auto &[Sizes, Each] : Parts) {
    const std::vector<int64_t> &Of = valuesOf(Each.threads);
    for (size_t T = 0; T < Threads; ++T)
      if (Sizes.empty())
        Place[T].second = Of[T];
      else
        Place[T].first = uint64_t(hash_combine(Place[T].first, Of[T]));
  }
  constexpr size_t MostMembers = 16; // of unrolled code
  std::vector<std::pair<uint64_t, int64_t>> Elements;
  for (size_t M = 0; M < std::min(Same.size(), MostMembers); ++M)
    for (const auto &[Row, Column] : Place)
      Elements.push_back({Row, Column + Same[M].second.offset});
  const double Reads = double(Elements.size());
  sort(Elements);
  Elements.erase(std::unique(Elements.begin(), Elements.end()), Elements.end());

  Footprint::Read R;
  R.site = Same.front().first;
  R.threads = unsigned(Reads / double(Elements.size()));
  size_t Stride = 1;
  for (unsigned Axis = 0; Axis < 3 && Same.size() == 1; Stride *= Block[Axis++]) {
    bool Matters = false;
    for (size_t T = 0; T < Threads; ++T)
      Matters |= T / Stride % Block[Axis] && Place[T] != Place[T - Stride];
    if (Block[Axis] > 1 && !Matters)
      R.sameFor += (R.sameFor.empty() ? "" : ", ") + std::string("threadIdx.") + "xyz"[Axis];
  }
  return R.threads > 1 ? std::optional(R) : std::nullopt;
}

Footprint Footprints::run(function_ref<Amount(const Site &)> RequestedPerThread) {
  // By array, reads and writes apart, and by what moves the address.
  std::map<std::pair<std::string, bool>, std::map<std::string, Members>> Groups;
  std::map<std::pair<std::string, bool>, Amount> Requested;
  bool Everything = true;
  for (const auto &S : Records.sites) {
    if (S->attempt || !S->reached || S->first.space != Space::Global || S->removed || S->joined)
      continue;
    const std::pair Array(S->first.base, S->first.operation != result::Operation::Load);
    Requested[Array] += RequestedPerThread(*S);
    const auto Index = S->unknownReason.empty() ? indexOf(*S) : std::nullopt;
    if (!Index) {
      Everything = false;
      continue;
    }
    std::string Form = Index->start + "|";
    for (const auto &[Sizes, Each] : Index->parts) {
      Amount Unit;
      Unit.terms[Sizes] = 1;
      Form += text(Unit) + ":" + (Each.threads ? W.context.print(Each.threads) : "");
      for (const Walk &Along : Each.walks)
        Form += "," + std::to_string(Along.step) + "*" + text(Along.count);
      Form += ";";
    }
    Groups[Array][Form].push_back({S.get(), *Index});
  }

  Footprint Result;
  Amount Threads(double(Block[0]) * Block[1] * Block[2]);
  for (const Amount &Blocks : Grid)
    Threads = Threads * Blocks;
  Amount Distinct;
  for (const auto &[Array, Forms] : Groups) {
    std::optional<Amount> Most;
    std::optional<Footprint::Read> Read;
    for (const auto &[Form, Same] : Forms) {
      // What one access touches may be what another touches too: at least as much as the larger.
      if (const Amount Bytes = bytes(Same); !Most || isMore(Bytes, *Most))
        Most = Bytes;
      if (!Array.second)
        if (auto Of = read(Same); Of && (!Read || Of->threads > Read->threads))
          Read = Of;
    }
    if (const Amount Asked = Requested[Array] * Threads; isMore(*Most, Asked))
      Most = Asked; // a guard keeps threads from what the grid covers
    Distinct += *Most;
    if (Read)
      Result.reads.push_back(*Read);
  }
  if (Everything)
    Result.distinct = Distinct;
  sort(Result.reads, [](const auto &A, const auto &B) {
    return std::pair(A.threads, B.site->first.base) > std::pair(B.threads, A.site->first.base);
  });
  return Result;
}

} // namespace

Footprint kernel::footprint(World &W, const Recorder &R, WorkCounter &Work, const std::array<unsigned, 3> &Block,
                            const std::array<Amount, 3> &Grid,
                            function_ref<Amount(const Site &)> RequestedPerThread) {
  return Footprints(W, R, Work, Block, Grid).run(RequestedPerThread);
}
