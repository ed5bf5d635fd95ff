#include "analyzer/driver/Footprint.h"
#include "analyzer/model/Phases.h"
#include <algorithm>
#include <bit>
#include <map>

using namespace warplint;
using namespace warplint::result;

namespace {

int64_t floorDiv(int64_t A, int64_t B) { return A / B - (A % B < 0); }

template <typename Callback> void forLanes(uint32_t Mask, Callback Do) {
  for (; Mask; Mask &= Mask - 1)
    Do(unsigned(std::countr_zero(Mask)));
}

uint32_t bit(unsigned Lane) { return uint32_t(1) << Lane; }

/// Notes that a lane touches a byte; true when it is the first to do so.
bool touch(TouchedSector &Sector, unsigned Byte, unsigned Lane) {
  Sector.lanes |= bit(Lane);
  uint8_t &Owner = Sector.owner[Byte];
  const bool First = Owner == TouchedSector::Nobody;
  Owner = First ? uint8_t(Lane) : Owner == Lane ? Owner : TouchedSector::Several;
  Sector.usedBytes += First;
  return First;
}

void addSectors(Footprint &Into, const model::Request &R) {
  constexpr int64_t Bytes = model::SectorBytes, PerLine = model::LineBytes / model::SectorBytes;
  std::map<int64_t, TouchedSector> ByNumber;
  forLanes(R.active, [&](unsigned Lane) {
    for (int64_t At = R.address[Lane], End = At + int64_t(R.width); At < End; ++At) {
      auto [Found, New] = ByNumber.try_emplace(floorDiv(At, Bytes));
      if (New)
        Found->second.owner.fill(TouchedSector::Nobody);
      Into.usedBytes += touch(Found->second, unsigned(At - Found->first * Bytes), Lane);
    }
  });
  for (auto &[Number, Sector] : ByNumber) {
    const int64_t Line = floorDiv(Number, PerLine);
    Sector.line = Line - floorDiv(ByNumber.begin()->first, PerLine);
    Sector.number = unsigned(Number - Line * PerLine);
    Into.sectors.push_back(Sector);
  }
}

/// The words that the lanes of one phase touch; nothing when none of them is active.
TouchedPhase phaseOf(const model::Request &R, uint32_t Lanes, int64_t LowestWord) {
  constexpr int64_t Bytes = model::BankBytes;
  TouchedPhase Phase;
  Phase.lanes = Lanes & R.active;
  std::map<std::pair<unsigned, int64_t>, uint32_t> LanesOf; // of a bank's word
  forLanes(Phase.lanes, [&](unsigned Lane) {
    const int64_t First = floorDiv(R.address[Lane], Bytes);
    const int64_t Last = floorDiv(R.address[Lane] + int64_t(R.width) - 1, Bytes);
    for (int64_t Word = First; Word <= Last; ++Word)
      LanesOf[{model::bankOf(Word * Bytes), Word}] |= bit(Lane);
  });
  std::array<unsigned, model::Banks> WordsOf{};
  for (const auto &[Where, Touching] : LanesOf) {
    const auto [Bank, Word] = Where;
    Phase.words.push_back({Word - LowestWord, Bank, Touching});
    Phase.wavefronts = std::max(Phase.wavefronts, ++WordsOf[Bank]);
  }
  return Phase;
}

void addPhases(Footprint &Into, const model::Request &R, bool Merges) {
  int64_t Lowest = INT64_MAX;
  forLanes(R.active, [&](unsigned Lane) { Lowest = std::min(Lowest, R.address[Lane]); });
  const model::Phases All = model::sharedPhases(R, Merges);
  Into.mergedPhases = All.count < model::sharedPhases(R, false).count;
  for (unsigned Phase = 0; Phase < All.count; ++Phase)
    if (All.lanes[Phase] & R.active)
      Into.phases.push_back(phaseOf(R, All.lanes[Phase], floorDiv(Lowest, model::BankBytes)));
}

void addAddresses(Footprint &Into, const model::Request &R) {
  std::map<int64_t, uint32_t> LanesAt;
  forLanes(R.active, [&](unsigned Lane) { LanesAt[R.address[Lane]] |= bit(Lane); });
  for (const auto &[Address, Lanes] : LanesAt)
    Into.addresses.push_back({Address - LanesAt.begin()->first, Lanes});
}

} // namespace

Footprint warplint::driver::footprintOf(const Access &A) {
  Footprint Result;
  if (A.confidence == Confidence::Unknown || !A.activeMask || !A.width)
    return Result;
  model::Request R;
  R.address = A.laneOffsets;
  R.active = A.activeMask;
  R.width = A.width;
  addAddresses(Result, R);
  if (A.space == Space::Global)
    addSectors(Result, R);
  // Rows of ldmatrix are served as they are given.
  else if (A.space == Space::Shared)
    addPhases(Result, R, A.operation == Operation::Load && A.mechanism != Mechanism::Ldmatrix);
  return Result;
}
