#include "analyzer/kernel/Recorder.h"
#include "analyzer/model/Model.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
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
  S.dataIndex |= E.dataIndex;
  if (E.parted) {
    S.partedReason = E.unknownReason;
    S.control |= E.control | E.parted;
    return;
  }
  if (!E.unknownReason.empty()) {
    if (S.runReason.empty())
      S.runReason = E.unknownReason;
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
  forLanes(E.mask, [&](unsigned L) { Least = std::min(Least, E.offset.at(L)); });
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
  S.patterns.push_back(std::move(P));
}

result::Cost kernel::costOf(Space Where, bool IsLoad, unsigned Width, const std::array<int64_t, 32> &Lanes,
                            LaneMask Mask, int64_t Residue) {
  model::Request R;
  R.active = Mask;
  R.width = Width;
  for (unsigned L = 0; L < 32; ++L)
    R.address[L] = Lanes[L] + Residue;
  result::Cost C;
  if (Where == Space::Shared) {
    model::SharedCost M = model::sharedCost(R, IsLoad);
    C.wavefronts = M.wavefronts;
    C.idealWavefronts = M.idealWavefronts;
    C.conflictWays = M.conflictWays;
  } else if (Where == Space::Constant) {
    C.distinctAddresses = model::constantCost(R);
  } else {
    model::GlobalCost M = Where == Space::Local ? model::localCost(R) : model::globalCost(R);
    C.lines = M.lines;
    C.sectors = M.sectors;
    C.idealSectors = M.idealSectors;
    C.efficiency = M.efficiency();
    C.sectorEfficiency = M.sectorEfficiency();
  }
  return C;
}

bool kernel::worseThan(Space Where, const result::Cost &A, unsigned LanesA, const result::Cost &B,
                       unsigned LanesB) {
  if (Where == Space::Shared)
    return std::pair(A.conflictWays, A.wavefronts) > std::pair(B.conflictWays, B.wavefronts);
  if (Where == Space::Constant)
    return A.distinctAddresses > B.distinctAddresses;
  auto Rank = [](const result::Cost &C, unsigned Lanes) {
    return std::tuple(C.sectors > C.idealSectors, C.sectors, C.lines, -int(Lanes));
  };
  return Rank(A, LanesA) > Rank(B, LanesB);
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

void Recorder::weigh(Site &S, const Pattern &P, double Volume) {
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
          AtSample *= W.sample[*D];
        } else if (const Symbol *Sym = W.symbolOf(F.key())) {
          Symbols.push_back(Sym);
          AtSample = int64_t(uint64_t(AtSample) * uint64_t(Sym->sample));
        }
      }
      // What the sample already put into the lanes.
      int64_t Back = modPeriod(-AtSample);
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
    if (S.haveWorst && !sameCost(C, S.worst))
      S.variesOverIterations = true;
    unsigned WorstLanes = unsigned(std::popcount(S.worstPattern.mask));
    if (!S.haveWorst || worseThan(Where, C, Lanes, S.worst, WorstLanes)) {
      S.haveWorst = true;
      S.worst = C;
      S.worstPattern = P;
      S.worstResidue = R;
    }
  }
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
    auto SameElement = [&](const Site &A, const Site &B) {
      if (A.executions != B.executions || A.patterns.size() != B.patterns.size())
        return false;
      unsigned Between = B.first.epoch - A.first.epoch;
      if (Loads ? Between != 0 : Between > 4)
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

void Recorder::endRun(unsigned Attempt) {
  joinFields(Attempt);
  double Volume = 1;
  for (const Interval &I : W.box)
    Volume *= I.size();
  for (auto &S : sites) {
    if (S->executions == 0)
      continue;
    if (counts(*S, Attempt)) {
      S->attempt = Attempt;
      S->reached = true;
      if (S->unknownReason.empty())
        S->unknownReason = S->runReason;
      S->soft |= S->control;
      for (const Pattern &P : S->patterns)
        weigh(*S, P, Volume);
      if (S->executionsPerWarp && *S->executionsPerWarp != S->executions)
        S->executionsDiffer = true;
      S->executionsPerWarp = std::max(S->executionsPerWarp.value_or(0), S->executions);
    }
    S->patterns.clear();
    S->patternByHash.clear();
    S->runReason.clear();
    S->executions = 0;
    S->control = 0;
  }
}
