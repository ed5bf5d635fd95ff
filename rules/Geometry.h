//===-- Geometry.h - How the lanes of a request lie in memory --------*- C++ -*-===//
//
// What several rules ask of an access: is there waste at all, are the lanes scattered, in rows or in one run,
// what would the cost be if they lay otherwise. Reads the lane offsets that the result carries; words are in
// Wording.h.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_RULES_GEOMETRY_H
#define WARPLINT_RULES_GEOMETRY_H

#include "analyzer/result/Result.h"
#include <vector>

namespace warplint::rules {

inline constexpr int64_t SectorBytes = 32;
inline constexpr int64_t LineBytes = 128;
inline constexpr int64_t WordBytes = 4;

/// The shape of the worst request: its lanes' bytes as maximal contiguous runs.
struct Pattern {
  unsigned lanes = 0;
  unsigned runs = 0;
  double meanRun = 0;       ///< bytes
  int64_t shortestRun = 0;  ///< bytes
  unsigned alignedRuns = 0; ///< sectors that the runs would take if each started on a sector
  bool lanesInRow = false;  ///< most neighbouring active lanes touch the same or the next element
  bool fullMask = false;    ///< the active lanes are neighbours: no gaps in the mask
  /// Bytes from lane l to lane l + 1, taken over gaps in the mask too, where that is one number.
  std::optional<int64_t> perLane;
  /// The same for at least three of four pairs of neighbours: within the rows of a two-dimensional block.
  std::optional<int64_t> withinRows;
};
Pattern patternOf(const result::Access &);

/// An access of which global geometry rules may speak: more than one lane, a known cost, not removed.
bool isGlobal(const result::Access &);
/// isGlobal, and it touches more sectors than it need.
bool hasExcess(const result::Access &);
/// hasExcess, because the lanes' bytes come in pieces shorter than a sector.
bool isScattered(const result::Access &);
/// The pieces are rows of the warp: neighbouring lanes are neighbours in memory, but the row ends too early.
bool isNarrowRows(const result::Access &);
/// The gaps between the lanes are read by straight-line companions of the same thread, so that one aligned
/// access of 4 (for elements below 4 bytes), 8 or 16 bytes would do.
bool hasVectorNeighbours(const result::Access &);
/// threadIdx.x scales an index and something else runs faster than it.
bool isRowPerThread(const result::Access &);
/// Only the mask makes gaps: lane l touches element l, or nothing.
bool isUnitStrideWithGaps(const result::Access &);

/// Lines and sectors of the worst request if lane l touched [offset[l], offset[l] + width).
struct GlobalNumbers {
  unsigned lines = 0, sectors = 0;
};
GlobalNumbers globalNumbers(const std::array<int64_t, 32> &Offsets, uint32_t Mask, unsigned Width);

/// Bank conflicts, likewise: the phases of 8- and 16-byte accesses and their merges as the model has them.
struct SharedNumbers {
  unsigned wavefronts = 0, ways = 0;
};
SharedNumbers sharedNumbers(const std::array<int64_t, 32> &Offsets, uint32_t Mask, unsigned Width,
                            bool IsLoad);

/// Is a distance between lanes made of the value that was taken for an unknown size? No number to show.
bool isOfSample(const result::Access &, int64_t Distance);

/// May a condition on data keep some of the lanes away?
bool dependsOnData(const result::Access &);

/// An access with a bank conflict that a rule may speak of: a known cost that rests on no assumed pitch.
bool hasConflict(const result::Access &);
/// A column of a declared two-dimensional tile.
bool isTileColumn(const result::Access &);

/// The offset expression's terms at the top level, e.g. {"128*threadIdx.x", "4*j"}.
std::vector<std::string> terms(const std::string &Offset);

} // namespace warplint::rules

#endif
