#include "analyzer/kernel/Recorder.h"
#include "analyzer/model/RequestCost.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

using namespace llvm;
using namespace warplint;
using namespace warplint::kernel;
using result::Space;

/// Lines, sectors and banks repeat every 128 bytes.
static constexpr int64_t Period = 128;
/// Bytes from an object's begin: far beyond any memory, and such that distances of lanes do not overflow.
static constexpr int64_t Furthest = int64_t(1) << 61;

static int64_t modPeriod(int64_t V) { return V & (Period - 1); }

Site &Recorder::site(const SiteKey &Key, ArrayRef<const CallBase *> Path) {
  auto &List = ByKey[{Key.instruction, Key.path}];
  for (Site *S : List)
    if (S->key.component == Key.component)
      return *S;
  auto &S = sites.emplace_back(std::make_unique<Site>());
  S->key = Key;
  S->path.assign(Path.begin(), Path.end());
  List.push_back(S.get());
  return *S;
}

void Recorder::record(Site &S, const Event &E, function_ref<std::string()> Iteration) {
  if (!S.reached && S.executions == 0 && S.patterns.empty())
    S.first = E;
  ++S.executions;
  S.valueVaries |= E.valueVaries;
  S.severalLanes |= !E.byOneLane;
  S.dataIndex |= E.dataIndex;
  if (E.parted) {
    S.partedReason = E.unknownReason;
    S.runUnknownLanes += unsigned(std::popcount(E.mask));
    S.control |= E.control | E.parted;
    return;
  }
  if (!E.unknownReason.empty()) {
    if (!S.why)
      S.why = E.why;
    if (S.runReason.empty())
      S.runReason = E.unknownReason;
    S.runUnknownLanes += unsigned(std::popcount(E.mask));
    S.control |= E.control;
    return;
  }
  if (S.first.space == Space::Unknown)
    S.first = E;
  if (E.space != S.first.space) {
    S.runReason = "the address points into several memory spaces";
    return;
  }
  Pattern P;
  int64_t Least = std::numeric_limits<int64_t>::max();
  int64_t Most = std::numeric_limits<int64_t>::min();
  forLanes(E.mask, [&](unsigned L) {
    Least = std::min(Least, E.offset.at(L));
    Most = std::max(Most, E.offset.at(L));
  });
  if (Least < -Furthest || Most > Furthest) {
    S.runReason = "the index leads out of any memory";
    return;
  }
  P.origin = Least & ~(Period - 1);
  forLanes(E.mask, [&](unsigned L) { P.lanes[L] = E.offset.at(L) - P.origin; });
  P.mask = E.mask;
  P.shift = E.offset.shift;
  P.soft = E.offset.soft;
  P.control = E.control;
  uint64_t Hash = hash_combine(hash_combine_range(P.lanes.begin(), P.lanes.end()), P.mask, P.shift.key(),
                               P.soft, P.control);
  auto [It, New] = S.patternByHash.try_emplace(Hash, unsigned(S.patterns.size()));
  if (!New) {
    ++S.patterns[It->second].count;
    return;
  }
  P.count = 1;
  P.iteration = Iteration();
  P.unrolled = E.unrolled;
  S.patterns.push_back(std::move(P));
}

static model::Memory memoryOf(Space Where) {
  switch (Where) {
  case Space::Shared:
    return model::Memory::Shared;
  case Space::Constant:
    return model::Memory::Constant;
  case Space::Local:
    return model::Memory::Local;
  default:
    return model::Memory::Global;
  }
}

result::Cost kernel::costOf(Space Where, bool IsLoad, unsigned Width, const std::array<int64_t, 32> &Lanes,
                            LaneMask Mask, int64_t Residue) {
  model::Request R;
  R.active = Mask;
  R.width = Width;
  for (unsigned L = 0; L < 32; ++L)
    R.address[L] = Lanes[L] + Residue;
  return model::costOf<result::Cost>(memoryOf(Where), R, IsLoad);
}

bool kernel::worseThan(Space Where, const result::Cost &A, unsigned LanesA, const result::Cost &B,
                       unsigned LanesB) {
  return model::worseThan(memoryOf(Where), A, LanesA, B, LanesB);
}

static bool sameCost(const result::Cost &A, const result::Cost &B) {
  return A.lines == B.lines && A.sectors == B.sectors && A.wavefronts == B.wavefronts &&
         A.conflictWays == B.conflictWays && A.distinctAddresses == B.distinctAddresses;
}

static void addScaled(result::Cost &Sum, const result::Cost &C, double Factor) {
  Sum.lines += Factor * C.lines;
  Sum.sectors += Factor * C.sectors;
  Sum.idealSectors += Factor * C.idealSectors;
  Sum.efficiency += Factor * C.efficiency;
  Sum.sectorEfficiency += Factor * C.sectorEfficiency;
  Sum.wavefronts += Factor * C.wavefronts;
  Sum.idealWavefronts += Factor * C.idealWavefronts;
  Sum.conflictWays += Factor * C.conflictWays;
  Sum.distinctAddresses += Factor * C.distinctAddresses;
}

/// How often each residue modulo 128 occurs for c * d, d over an interval, as shares that add up to 1.
static std::array<double, Period> distribution(int64_t C, Interval I) {
  std::array<double, Period> Share{};
  int64_t Cycle = Period / std::gcd(modPeriod(C), Period);
  double Size = I.size();
  for (int64_t K = 0; K < Cycle && double(K) < Size; ++K) {
    // The members of the interval that are low + K, low + K + Cycle, ...
    double Members = std::floor((Size - 1 - double(K)) / double(Cycle)) + 1;
    Share[size_t(modPeriod(int64_t(uint64_t(C) * uint64_t(I.low + K))))] += Members / Size;
  }
  return Share;
}

/// Keeps the most lanes of one request that update the same address.
static void countContention(Site &S, const Pattern &P) {
  std::map<int64_t, unsigned> LanesOf;
  forLanes(P.mask, [&](unsigned L) { ++LanesOf[P.lanes[L]]; });
  unsigned Most = 0;
  for (const auto &[Address, Lanes] : LanesOf)
    Most = std::max(Most, Lanes);
  if (Most <= S.lanesPerAddress)
    return;
  S.lanesPerAddress = Most;
  S.atomicAddresses = unsigned(LanesOf.size());
}

void Recorder::weigh(Site &S, const Pattern &P, double Volume, double WorkVolume) {
  const Space Where = S.first.space;
  const bool IsLoad = S.first.operation == result::Operation::Load;
  const unsigned Lanes = unsigned(std::popcount(P.mask));
  // Rows of ldmatrix are read as they are given: no merging of phases.
  const bool Merges = IsLoad && S.first.mechanism != result::Mechanism::Ldmatrix;
  auto Cost = [&](int64_t Residue) { return costOf(Where, Merges, S.first.width, P.lanes, P.mask, Residue); };

  // Where the box may move the request to, modulo 128 bytes; the symbols' terms come after it.
  std::array<double, Period> Share{};
  Share[0] = 1;
  AssumptionSet Soft = P.soft | P.control;
  SmallVector<std::pair<const Symbol *, int64_t>, 4>
      SymbolTerms; ///< the last symbol of a term, its coefficient
  if (P.shift) {
    for (const index::Term &T : W.context.terms(P.shift)) {
      std::array<double, Period> Part{};
      SmallVector<const Symbol *, 2> Symbols;
      int64_t Coefficient = T.coefficient, AtSample = T.coefficient;
      SmallVector<Dimension, 2> Dims;
      for (index::Expr F : T.factors) {
        if (auto D = W.dimensionOf(F.key())) {
          Dims.push_back(*D);
          AtSample = wrapMul(AtSample, W.sample[*D]);
        } else if (const Symbol *Sym = W.symbolOf(F.key())) {
          Symbols.push_back(Sym);
          AtSample = wrapMul(AtSample, Sym->sample);
        }
      }
      // What the sample already put into the lanes.
      int64_t Back = modPeriod(-modPeriod(AtSample));
      if (!Symbols.empty()) {
        // One factor that is a multiple suffices: blame the last, the row length rather than the row.
        SymbolTerms.push_back({Symbols.back(), Coefficient});
        continue;
      }
      if (Dims.size() == 1) {
        Part = distribution(Coefficient, W.box[Dims[0]]);
      } else {
        // A product of dimensions: every multiple of the coefficient that it can be.
        bool Fixed = true;
        for (Dimension D : Dims)
          Fixed &= W.box[D].point();
        if (Fixed || modPeriod(Coefficient) == 0) {
          Part[size_t(modPeriod(AtSample))] = 1;
        } else {
          Soft |= W.bit(
              W.assume({Assumption::Sentence, "blocks and warps differ, a sample of them was followed"}));
          Part[size_t(modPeriod(AtSample))] = 1;
        }
      }
      std::array<double, Period> Sum{};
      for (int64_t A = 0; A < Period; ++A)
        if (Share[size_t(A)] > 0)
          for (int64_t B = 0; B < Period; ++B)
            if (Part[size_t(B)] > 0)
              Sum[size_t(modPeriod(A + B + Back))] += Share[size_t(A)] * Part[size_t(B)];
      Share = Sum;
    }
  }

  if (!SymbolTerms.empty()) {
    std::array<std::optional<result::Cost>, Period> Known;
    auto CostAt = [&](int64_t R) -> const result::Cost & {
      auto &C = Known[size_t(R)];
      return C ? *C : C.emplace(Cost(R));
    };
    std::array<bool, Period> Reached;
    for (int64_t R = 0; R < Period; ++R)
      Reached[size_t(R)] = Share[size_t(R)] > 0;
    for (auto [Sym, Coefficient] : SymbolTerms) {
      // The weakest fact about the symbol under which the numbers stay: a multiple of 1, 2, 4, ...
      uint64_t Needed = 1;
      for (;; Needed *= 2) {
        bool Stays = true;
        int64_t Step = modPeriod(int64_t(uint64_t(Coefficient) * Needed));
        for (int64_t From = 0; From < Period && Step; ++From)
          if (Reached[size_t(From)])
            for (int64_t R = modPeriod(From + Step); R != From && Stays; R = modPeriod(R + Step))
              Stays = sameCost(CostAt(R), CostAt(From));
        if (Stays)
          break;
      }
      if (Needed > 1) {
        uint64_t &M = S.multiples[Sym->assumption];
        M = std::max<uint64_t>(M, Needed);
        Soft |= W.bit(Sym->assumption);
      }
      // Further symbols move the request from wherever this one may put it.
      std::array<bool, Period> Before = Reached;
      int64_t Step = modPeriod(int64_t(uint64_t(Coefficient) * Needed));
      for (int64_t From = 0; From < Period && Step; ++From)
        if (Before[size_t(From)])
          for (int64_t R = modPeriod(From + Step); R != From; R = modPeriod(R + Step))
            Reached[size_t(R)] = true;
    }
  }

  S.soft |= Soft;
  S.patternSoft |= P.soft;
  if (S.first.operation == result::Operation::Atomic)
    countContention(S, P);
  S.maxLanes = std::max(S.maxLanes, Lanes);
  double Weight = Volume * double(P.count);
  for (int64_t R = 0; R < Period; ++R) {
    if (Share[size_t(R)] <= 0)
      continue;
    result::Cost C = Cost(R);
    double Part = Weight * Share[size_t(R)];
    forLanes(P.mask, [&](unsigned L) {
      if ((P.lanes[L] + R) % int64_t(S.first.width) && !S.misaligned)
        S.misaligned = P.lanes[L] + P.origin + R;
    });
    S.weight += Part;
    S.weightedLanes += Part * Lanes;
    addScaled(S.sum, C, Part);
    const double Requests = WorkVolume * double(P.count) * Share[size_t(R)];
    S.traffic.lanes += Requests * Lanes;
    S.traffic.sectors += Requests * C.sectors;
    S.traffic.lines += Requests * C.lines;
    S.traffic.usefulBytes += Requests * C.efficiency * C.lines * double(Period);
    if (S.haveWorst && !sameCost(C, S.worst))
      S.variesOverIterations = true;
    unsigned WorstLanes = unsigned(std::popcount(S.worstPattern.mask));
    if (!S.haveWorst || worseThan(Where, C, Lanes, S.worst, WorstLanes)) {
      S.haveWorst = S.worstIsNew = true;
      S.worst = C;
      S.worstPattern = P;
      S.worstResidue = R;
    }
  }
}

namespace {

/// A set of bytes, as bit masks of the lines they lie in: long unrolled code compares every access with every
/// other.
class TouchedBytes {
public:
  void add(int64_t From, unsigned Width) {
    for (const int64_t End = From + Width; From < End;) {
      const unsigned Start = unsigned(From & 31), Count = unsigned(std::min<int64_t>(End - From, 32 - Start));
      Masks[From >> 7][unsigned(From >> 5) & 3] |= maskTrailingOnes<uint32_t>(Count) << Start;
      From += Count;
    }
  }
  unsigned lines() const { return Masks.size(); }
  unsigned sectors() const {
    return sum([](uint32_t Sector) { return Sector != 0; });
  }
  unsigned bytes() const {
    return sum([](uint32_t Sector) { return std::popcount(Sector); });
  }

private:
  template <typename Function> unsigned sum(Function Of) const {
    unsigned Result = 0;
    for (const auto &[Line, Sectors] : Masks)
      for (const uint32_t Sector : Sectors)
        Result += unsigned(Of(Sector));
    return Result;
  }

  DenseMap<int64_t, std::array<uint32_t, 4>> Masks; ///< by line; a sector's 32 bytes are 32 bits
};

/// What the other accesses of an access's straight-line region do to the same lines, in one run.
class RegionNeighbours {
public:
  void add(const Site &S) {
    for (const Pattern &P : S.patterns)
      Groups[keyOf(S, P)].push_back({&S, &P});
  }
  void sort() {
    for (auto &[Key, Members] : Groups)
      stable_sort(Members,
                  [](const Member &L, const Member &R) { return L.pattern->origin < R.pattern->origin; });
  }

  std::optional<result::Companions> of(const Site &S) const {
    const Pattern &Worst = S.worstPattern;
    const auto Group = Groups.find(keyOf(S, Worst));
    if (Group == Groups.end())
      return std::nullopt;
    constexpr int64_t Reach = 1024; // bytes between starts; further away no line is shared
    TouchedBytes Bytes;
    const auto AddBytes = [&](const Site &Of, const Pattern &P) {
      forLanes(P.mask,
               [&](unsigned L) { Bytes.add(P.lanes[L] + P.origin + S.worstResidue, Of.first.width); });
    };
    SmallPtrSet<const Site *, 8> Others;
    for (auto At = partition_point(Group->second,
                                   [&](const Member &M) { return M.pattern->origin < Worst.origin - Reach; });
         At != Group->second.end() && At->pattern->origin <= Worst.origin + Reach; ++At)
      if (At->site != &S && At->pattern->shift == Worst.shift && areOfOneTime(S, *At)) {
        Others.insert(At->site);
        AddBytes(*At->site, *At->pattern);
      }
    if (Others.empty())
      return std::nullopt;
    AddBytes(S, Worst);
    return result::Companions{unsigned(Others.size()), double(Bytes.lines()), double(Bytes.sectors()),
                              double(Bytes.bytes()) / (double(Bytes.sectors()) * 32), true};
  }

private:
  struct Member {
    const Site *site;
    const Pattern *pattern;
  };
  using Key = std::tuple<uint64_t, Space, std::string, LaneMask>;
  static Key keyOf(const Site &S, const Pattern &P) {
    return {S.region, S.first.space, S.first.base, P.mask};
  }
  /// In the same iteration; what has one pattern is alike in all.
  static bool areOfOneTime(const Site &S, const Member &Other) {
    return Other.site->patterns.size() == 1 || Other.pattern->iteration == S.worstPattern.iteration;
  }

  std::map<Key, std::vector<Member>> Groups;
};

} // namespace

/// How the site's other iterations in this run use the sectors of its worst request; nothing where they do
/// not.
static std::optional<result::Companions> reuseOf(const Site &S) {
  constexpr int64_t SectorBytes = 32;
  const Pattern &Worst = S.worstPattern;
  auto Union = [&](bool Straight) {
    DenseMap<int64_t, uint32_t> Bytes; // of each sector that the worst request touches
    auto Touch = [&](const Pattern &P, bool Add) {
      bool Any = false;
      forLanes(P.mask, [&](unsigned L) {
        const int64_t From = P.lanes[L] + P.origin + S.worstResidue;
        for (int64_t At = From; At < From + int64_t(S.first.width); ++At) {
          const int64_t Sector = At >> Log2_64(SectorBytes);
          auto It = Add ? Bytes.try_emplace(Sector).first : Bytes.find(Sector);
          if (It == Bytes.end())
            continue;
          It->second |= uint32_t(1) << (At & (SectorBytes - 1));
          Any = true;
        }
      });
      return Any;
    };
    Touch(Worst, true);
    unsigned Others = 0;
    for (const Pattern &P : S.patterns)
      if (P.shift == Worst.shift && (!Straight || P.unrolled == Worst.unrolled))
        Others += Touch(P, false);
    unsigned Used = 0;
    for (const auto &[Sector, Mask] : Bytes)
      Used += unsigned(std::popcount(Mask));
    // The worst request is one of the patterns.
    return result::Companions{Others - std::min(Others, 1u), S.worst.lines, double(Bytes.size()),
                              Used / (double(Bytes.size()) * double(SectorBytes)), Straight};
  };
  constexpr size_t Most = 256; // iterations that differ so much share few sectors
  if (S.patterns.size() < 2 || S.patterns.size() > Most)
    return std::nullopt;
  constexpr double Noticeable = 0.005;
  for (bool Straight : {true, false}) {
    if (Straight && !Worst.unrolled)
      continue;
    if (const result::Companions C = Union(Straight);
        C.accesses && C.sectorEfficiency > S.worst.sectorEfficiency + Noticeable)
      return C;
  }
  return std::nullopt;
}

/// Does the current run count for the site?
static bool counts(const Site &S, unsigned Attempt) {
  return S.executions != 0 && (!S.reached || S.attempt == Attempt);
}

void Recorder::joinFields(unsigned Attempt) {
  if (!fieldOf)
    return;
  SmallPtrSet<Site *, 16> JoinedBefore, JoinedNow;
  std::map<std::tuple<uint64_t, std::string, result::Operation, unsigned>, SmallVector<Site *, 4>> Groups;
  for (auto &S : sites) {
    if (!counts(*S, Attempt) || S->first.mechanism != result::Mechanism::Plain || !S->unknownReason.empty() ||
        !S->runReason.empty() || S->first.operation == result::Operation::Atomic || S->removed)
      continue;
    if (!S->field)
      S->field = fieldOf(*S);
    if (S->leadsJoin || S->joined)
      JoinedBefore.insert(S.get());
    if (S->field->structSize)
      Groups[{S->region, S->first.base, S->first.operation, S->field->structSize}].push_back(S.get());
  }
  for (auto &[Key, All] : Groups) {
    const bool Loads = std::get<2>(Key) == result::Operation::Load;
    const unsigned Size = std::get<3>(Key);
    // Sites of one element: every pattern the same but for the field's offset, and nothing written in
    // between.
    auto SameLanes = [](const Site &A, const Site &B) {
      if (A.executions != B.executions || A.patterns.size() != B.patterns.size())
        return false;
      for (auto [P, Q] : zip(A.patterns, B.patterns)) {
        if (P.mask != Q.mask || !(P.shift == Q.shift) || P.count != Q.count)
          return false;
        bool Same = true;
        forLanes(P.mask, [&, &P = P, &Q = Q](unsigned L) {
          Same &= P.lanes[L] + P.origin - A.field->offset == Q.lanes[L] + Q.origin - B.field->offset;
        });
        if (!Same)
          return false;
      }
      return true;
    };
    // Writes to other fields of the element leave a load's alone: p.x = p.x * f; p.y = p.y * f;
    const auto Written = Groups.find({std::get<0>(Key), std::get<1>(Key), result::Operation::Store, Size});
    auto WrittenBeside = [&](const Site &A, const Site &B) {
      if (!Loads || Written == Groups.end())
        return 0u;
      return unsigned(count_if(Written->second, [&](const Site *S) {
        return S->first.epoch >= A.first.epoch && S->first.epoch < B.first.epoch && SameLanes(A, *S) &&
               (S->field->offset + S->field->size <= B.field->offset ||
                B.field->offset + B.field->size <= S->field->offset);
      }));
    };
    auto SameElement = [&](const Site &A, const Site &B) {
      const unsigned Between = B.first.epoch - A.first.epoch;
      return (Loads ? Between == WrittenBeside(A, B) : Between <= 4) && SameLanes(A, B);
    };
    SmallPtrSet<Site *, 8> Done;
    for (Site *Leader : All) {
      if (Done.contains(Leader))
        continue;
      SmallVector<Site *, 4> Members{Leader};
      uint64_t Bytes = 0; // of the structure, one bit each
      auto Cover = [&](const Site &S) { Bytes |= ((uint64_t(1) << S.field->size) - 1) << S.field->offset; };
      Cover(*Leader);
      const uint64_t LeaderBytes = Bytes;
      for (Site *S : All)
        if (S != Leader && !Done.contains(S) && SameElement(*Leader, *S)) {
          Members.push_back(S);
          Cover(*S);
        }
      const bool Whole = Bytes == (uint64_t(1) << Size) - 1;
      if (Members.size() < 2 || Bytes == LeaderBytes || (!Loads && !Whole))
        continue;
      for (Site *S : Members) {
        Done.insert(S);
        JoinedNow.insert(S);
        S->leadsJoin = S == Leader;
        S->joined = S != Leader;
        S->first.width = Size;
        for (Pattern &P : S->patterns)
          forLanes(P.mask, [&](unsigned L) { P.lanes[L] -= S->field->offset; });
      }
    }
  }
  // One width serves all runs of a site.
  for (auto &[Key, All] : Groups)
    for (Site *S : All)
      if (S->weight > 0 && JoinedBefore.contains(S) != JoinedNow.contains(S))
        S->unknownReason = "the compiler joins it with its neighbours in some blocks only";
}

/// Of requests that became the worst in this run, what happens beside them.
void Recorder::noteCompanions(unsigned Attempt) {
  const auto IsWanted = [](const std::unique_ptr<Site> &S) {
    return S->worstIsNew && S->first.space == Space::Global;
  };
  if (none_of(sites, IsWanted))
    return;
  RegionNeighbours Neighbours;
  for (const auto &S : sites)
    if (counts(*S, Attempt) && S->first.space == Space::Global && S->unknownReason.empty() && !S->joined &&
        !S->removed)
      Neighbours.add(*S);
  Neighbours.sort();
  for (const auto &S : sites)
    if (IsWanted(S)) {
      S->companions = Neighbours.of(*S);
      S->reuse = reuseOf(*S);
    }
}

double Recorder::workVolume() const {
  double Volume = 1;
  for (unsigned D = 0; D < DimensionCount; ++D) {
    Interval I = W.box[D];
    if (likelyBlocks && D <= BlockZ) {
      I.low = std::max<int64_t>(I.low, 1);
      I.high = std::min(I.high, (*likelyBlocks)[D]);
    }
    Volume *= std::max(I.size(), 0.0);
  }
  return Volume;
}

void Recorder::endRun(unsigned Attempt) {
  joinFields(Attempt);
  double Volume = 1;
  for (const Interval &I : W.box)
    Volume *= I.size();
  for (auto &S : sites) {
    S->worstIsNew = false;
    if (S->executions == 0)
      continue;
    if (counts(*S, Attempt)) {
      S->attempt = Attempt;
      S->reached = true;
      if (S->unknownReason.empty())
        S->unknownReason = S->runReason;
      S->soft |= S->control;
      const double OfWork = Attempt == 0 ? workVolume() : 0;
      S->traffic.unknownLanes += double(S->runUnknownLanes) * OfWork;
      S->traffic.lanes += double(S->runUnknownLanes) * OfWork;
      for (const Pattern &P : S->patterns)
        weigh(*S, P, Volume, OfWork);
      if (S->executionsPerWarp && *S->executionsPerWarp != S->executions)
        S->executionsDiffer = true;
      S->executionsPerWarp = std::max(S->executionsPerWarp.value_or(0), S->executions);
    }
  }
  noteCompanions(Attempt);
  for (auto &S : sites) {
    S->patterns.clear();
    S->patternByHash.clear();
    S->runReason.clear();
    S->runUnknownLanes = 0;
    S->executions = 0;
    S->control = 0;
  }
}
