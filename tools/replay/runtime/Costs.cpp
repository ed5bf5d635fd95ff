#include "tools/replay/runtime/Costs.h"
#include <algorithm>
#include <bit>
#include <tuple>

using namespace warplint;
using namespace warplint::replay;

const char *replay::spelling(Space S) {
  switch (S) {
  case Space::Global:
    return "global";
  case Space::Shared:
    return "shared";
  case Space::Constant:
    return "constant";
  case Space::Local:
    break;
  }
  return "local";
}

Cost replay::costOf(Space Where, const Site &S, const model::Request &R) {
  Cost C;
  if (Where == Space::Shared) {
    model::SharedCost M = S.mechanism == SiteMechanism::Ldmatrix
                              ? model::ldmatrixCost(R)
                              : model::sharedCost(R, S.operation == SiteOperation::Load);
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

bool replay::worseThan(Space Where, const Cost &A, unsigned LanesA, const Cost &B, unsigned LanesB) {
  if (Where == Space::Shared)
    return std::pair(A.conflictWays, A.wavefronts) > std::pair(B.conflictWays, B.wavefronts);
  if (Where == Space::Constant)
    return A.distinctAddresses > B.distinctAddresses;
  auto Rank = [](const Cost &C, unsigned Lanes) {
    return std::tuple(C.sectors > C.idealSectors, C.sectors, C.lines, -int(Lanes));
  };
  return Rank(A, LanesA) > Rank(B, LanesB);
}

bool SiteCounts::sameGeometry(const model::Request &R) const {
  if (!requests || R.active != Last.active)
    return false;
  const unsigned First = unsigned(std::countr_zero(R.active));
  const uint64_t Shift = uint64_t(R.address[First]) - uint64_t(Last.address[First]);
  if (Shift % model::LineBytes)
    return false;
  // Lanes that are not active hold 0 in both, so that the loop needs no branch.
  uint32_t Differ = 0;
  for (unsigned L = 0; L < model::WarpLanes; ++L)
    Differ |= uint32_t(uint64_t(R.address[L]) - uint64_t(Last.address[L]) != Shift) << L;
  return !(Differ & R.active);
}

void SiteCounts::countContention(const model::Request &R) {
  std::array<int64_t, model::WarpLanes> Sorted;
  unsigned Count = 0;
  for (uint32_t Left = R.active; Left; Left &= Left - 1)
    Sorted[Count++] = R.address[unsigned(std::countr_zero(Left))];
  std::sort(Sorted.begin(), Sorted.begin() + Count);
  unsigned Most = 0, Run = 0, Addresses = 0;
  for (unsigned I = 0; I < Count; ++I) {
    const bool New = I == 0 || Sorted[I] != Sorted[I - 1];
    Run = New ? 1 : Run + 1;
    Addresses += New;
    Most = std::max(Most, Run);
  }
  if (Most <= lanesPerAddress)
    return;
  lanesPerAddress = Most;
  atomicAddresses = Addresses;
}

unsigned SiteCounts::addToSums(const model::Request &R) {
  const unsigned Lanes = unsigned(std::popcount(R.active));
  ++requests;
  lanes += Lanes;
  maxLanes = std::max(maxLanes, Lanes);
  sum.lines += LastCost.lines;
  sum.sectors += LastCost.sectors;
  sum.idealSectors += LastCost.idealSectors;
  sum.efficiency += LastCost.efficiency;
  sum.sectorEfficiency += LastCost.sectorEfficiency;
  sum.wavefronts += LastCost.wavefronts;
  sum.idealWavefronts += LastCost.idealWavefronts;
  sum.conflictWays += LastCost.conflictWays;
  sum.distinctAddresses += LastCost.distinctAddresses;
  return Lanes;
}
