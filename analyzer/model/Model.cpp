//===-- Model.cpp - What one warp's request costs ----------------------------===//
//
// Every count is one sweep over the sorted lane addresses: all lanes touch the same number of bytes, so
// sorted starts have sorted ends, and a unit (byte, word, sector, line) is new exactly when it lies beyond
// the last unit of the lane before. No heap: this runs for every request of every iteration that is followed.
//
//===----------------------------------------------------------------------===//
#include "analyzer/model/Phases.h"
#include <algorithm>
#include <bit>

using namespace warplint::model;

namespace {

/// Moves the address range to unsigned, keeping order and the alignment to every unit: flooring a negative
/// address to its line becomes a plain division.
constexpr uint64_t Bias = uint64_t(1) << 63;
uint64_t biased(int64_t Address) { return uint64_t(Address) + Bias; }

uint64_t ceilDiv(uint64_t A, uint64_t B) { return A / B + (A % B != 0); }

/// The biased addresses of the active lanes of `Lanes`, ascending.
struct SortedLanes {
  std::array<uint64_t, WarpLanes> Start;
  unsigned Size = 0;

  SortedLanes(const Request &R, uint32_t Lanes) {
    const uint32_t Taken = Lanes & R.active;
    if (!Taken)
      return;
    // Insertion, from the end that is lower: lanes come ascending or descending nearly always.
    const unsigned First = unsigned(std::countr_zero(Taken)),
                   Last = WarpLanes - 1 - unsigned(std::countl_zero(Taken));
    if (R.address[First] <= R.address[Last])
      for (uint32_t Left = Taken; Left; Left &= Left - 1)
        insert(biased(R.address[std::countr_zero(Left)]));
    else
      for (unsigned Lane = Last + 1; Lane-- > First;)
        if (Taken >> Lane & 1)
          insert(biased(R.address[Lane]));
  }

private:
  void insert(uint64_t Address) {
    unsigned At = Size++;
    for (; At > 0 && Start[At - 1] > Address; --At)
      Start[At] = Start[At - 1];
    Start[At] = Address;
  }
};

/// The last byte that a lane touches; an address at the end of the range does not wrap.
uint64_t lastByte(uint64_t Start, unsigned Width) {
  return Start > UINT64_MAX - (Width - 1) ? UINT64_MAX : Start + (Width - 1);
}

/// Counts distinct aligned units of `Unit` bytes, fed with ascending intervals.
template <uint64_t Unit> class DistinctUnits {
  uint64_t Next = 0; // the first unit that is not counted yet
public:
  uint64_t Count = 0;
  /// Calls New(first, last) for the units of [FirstByte, LastByte] not seen before, if any.
  template <typename Callback> void add(uint64_t FirstByte, uint64_t LastByte, Callback New) {
    const uint64_t First = std::max(FirstByte / Unit, Next), Last = LastByte / Unit;
    if (First > Last || (Next == 0 && Count != 0)) // the second: Next wrapped, so all units are counted
      return;
    New(First, Last);
    Count += Last - First + 1;
    Next = Last + 1;
  }
  void add(uint64_t FirstByte, uint64_t LastByte) {
    add(FirstByte, LastByte, [](uint64_t, uint64_t) {});
  }
};

/// Lanes that the hardware serves together: as many as fill 128 bytes, from lane 0 on, and all for widths up
/// to one word. 8 bytes: half-warps; 16 bytes: quarter-warps.
unsigned lanesPerPhase(unsigned Width) {
  if (Width <= BankBytes)
    return WarpLanes;
  if (Width >= LineBytes)
    return 1;
  return LineBytes / std::bit_ceil(Width);
}

/// Whether each active lane's partner (lane xor Distance) is inactive or has the same address.
bool partnersAgree(const Request &R, unsigned Distance) {
  for (unsigned Lane = 0; Lane < WarpLanes; ++Lane) {
    const unsigned Partner = Lane ^ Distance;
    if (Partner > Lane && (R.active >> Lane & 1) && (R.active >> Partner & 1) &&
        R.address[Lane] != R.address[Partner])
      return false;
  }
  return true;
}

/// Wavefronts of one phase: the most distinct words that one bank has to give. 0 when no lane takes part.
unsigned phaseWavefronts(const Request &R, uint32_t Lanes) {
  const SortedLanes Sorted(R, Lanes);
  std::array<unsigned, Banks> WordsOfBank{};
  unsigned Most = 0;
  DistinctUnits<BankBytes> Words;
  for (unsigned I = 0; I < Sorted.Size; ++I)
    Words.add(Sorted.Start[I], lastByte(Sorted.Start[I], R.width), [&](uint64_t First, uint64_t Last) {
      for (uint64_t Word = First; Word <= Last; ++Word)
        Most = std::max(Most, ++WordsOfBank[Word % Banks]);
    });
  return Most;
}

} // namespace

double GlobalCost::efficiency() const { return lines ? double(distinctBytes) / (lines * LineBytes) : 1.0; }

double GlobalCost::sectorEfficiency() const {
  return sectors ? double(distinctBytes) / (sectors * SectorBytes) : 1.0;
}

unsigned GlobalCost::excessSectors() const { return sectors > idealSectors ? sectors - idealSectors : 0; }

GlobalCost warplint::model::globalCost(const Request &R) {
  GlobalCost Cost;
  if (R.width == 0)
    return Cost;
  const SortedLanes Sorted(R, ~uint32_t(0));
  DistinctUnits<1> Bytes;
  DistinctUnits<SectorBytes> Sectors;
  DistinctUnits<LineBytes> Lines;
  for (unsigned I = 0; I < Sorted.Size; ++I) {
    const uint64_t First = Sorted.Start[I], Last = lastByte(First, R.width);
    Bytes.add(First, Last);
    Sectors.add(First, Last);
    Lines.add(First, Last);
  }
  Cost.lines = unsigned(Lines.Count);
  Cost.sectors = unsigned(Sectors.Count);
  Cost.idealSectors = unsigned(ceilDiv(uint64_t(Sorted.Size) * R.width, SectorBytes));
  Cost.distinctBytes = unsigned(Bytes.Count);
  return Cost;
}

Phases warplint::model::sharedPhases(const Request &R, bool isLoad) {
  unsigned Lanes = lanesPerPhase(R.width);
  if (isLoad && (R.width == 8 || R.width == 16) && (partnersAgree(R, 1) || partnersAgree(R, 2)))
    Lanes *= 2;
  const uint32_t PhaseMask = Lanes == WarpLanes ? ~uint32_t(0) : (uint32_t(1) << Lanes) - 1;
  Phases Result;
  for (unsigned First = 0; First < WarpLanes; First += Lanes)
    Result.lanes[Result.count++] = PhaseMask << First;
  return Result;
}

SharedCost warplint::model::sharedCost(const Request &R, bool isLoad) {
  SharedCost Cost;
  if (R.width == 0)
    return Cost;
  const Phases All = sharedPhases(R, isLoad);
  for (unsigned Phase = 0; Phase < All.count; ++Phase) {
    const unsigned Wavefronts = phaseWavefronts(R, All.lanes[Phase]);
    Cost.phases += Wavefronts != 0;
    Cost.wavefronts += Wavefronts;
    Cost.conflictWays = std::max(Cost.conflictWays, Wavefronts);
  }
  Cost.idealWavefronts = unsigned(ceilDiv(uint64_t(std::popcount(R.active)) * R.width, Banks * BankBytes));
  return Cost;
}

SharedCost warplint::model::ldmatrixCost(const Request &R) {
  Request Rows = R;
  Rows.width = 16;
  return sharedCost(Rows, /*isLoad=*/false); // the phases of a store: those that never merge
}

unsigned warplint::model::constantCost(const Request &R) {
  const SortedLanes Sorted(R, ~uint32_t(0));
  unsigned Distinct = 0;
  for (unsigned I = 0; I < Sorted.Size; ++I)
    Distinct += I == 0 || Sorted.Start[I] != Sorted.Start[I - 1];
  return Distinct;
}

GlobalCost warplint::model::localCost(const Request &R) {
  constexpr unsigned LanesPerSector = SectorBytes / BankBytes, SectorsPerWord = WarpLanes / LanesPerSector;
  constexpr unsigned MostWords = 9; // of 32 bytes that start inside a word
  GlobalCost Cost;
  if (R.width == 0 || R.width > 32)
    return Cost;
  // A sector is one word of eight neighbouring threads; a line is one word of the warp.
  std::array<uint64_t, WarpLanes * MostWords> Sectors;
  unsigned Count = 0;
  uint32_t Groups = 0;
  for (unsigned Lane = 0; Lane < WarpLanes; ++Lane) {
    if (!(R.active >> Lane & 1))
      continue;
    Groups |= 1u << Lane / LanesPerSector;
    const uint64_t First = biased(R.address[Lane]) / BankBytes;
    const uint64_t Last = (biased(R.address[Lane]) + R.width - 1) / BankBytes;
    for (uint64_t Word = First; Word <= Last; ++Word)
      Sectors[Count++] = Word * SectorsPerWord + Lane / LanesPerSector;
  }
  std::sort(Sectors.begin(), Sectors.begin() + Count);
  for (unsigned I = 0; I < Count; ++I) {
    Cost.sectors += I == 0 || Sectors[I] != Sectors[I - 1];
    Cost.lines += I == 0 || Sectors[I] / SectorsPerWord != Sectors[I - 1] / SectorsPerWord;
  }
  Cost.idealSectors = unsigned(ceilDiv(R.width, BankBytes)) * unsigned(std::popcount(Groups));
  Cost.distinctBytes = unsigned(std::popcount(R.active)) * R.width;
  return Cost;
}

unsigned warplint::model::bankOf(int64_t Address) { return unsigned(biased(Address) / BankBytes % Banks); }
