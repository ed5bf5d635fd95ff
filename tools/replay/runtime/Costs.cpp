#include "tools/replay/runtime/Costs.h"
#include <algorithm>
#include <bit>

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
