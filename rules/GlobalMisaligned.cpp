//===-- GlobalMisaligned.cpp - Requests that start off a boundary --------------------===//
// # global-misaligned
//
// ## What it finds
// Requests whose bytes are contiguous but start off a 32-byte sector, so that one more sector is touched than
// the bytes fill; and requests that start on a sector but off a 128-byte line, so that one more transaction
// is needed.
//
// ## Why it costs
// A warp of floats takes 5 sectors instead of 4, or 2 transactions instead of 1. The neighbouring warp uses
// the rest of the shared line, so with caches the measured loss is about a tenth: always a note, never a
// warning.
//
// ## Example
// ```cuda
// out[i] = in[i + 1]; // 5 sectors: the run starts 4 bytes into a sector
// ```
//
// ## Write instead
// ```cuda
// // Allocate rows with a pitch (cudaMallocPitch) or pad their length to a multiple of 32 elements, and read
// // shifted neighbours from a shared tile that was loaded aligned.
// ```
//
// ## When it stays silent
// When the start is aligned and only boundary checks cut lanes off. For the neighbours that a stencil reads
// beside its own element: the other reads fetch those sectors anyway. Where less than half a line is wanted
// (a broadcast), the line's boundary does not matter. When the lanes are scattered: other rules speak of
// that.
//
// ## Options
// - `IgnoreLines` (false): true: silent where only a line's boundary is crossed, at no more sectors.
// - `Severity`: note, warning or error; `default`: by impact.
//===----------------------------------------------------------------------===//
#include "rules/AllRules.h"
#include "rules/Geometry.h"
#include "rules/Wording.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cstdlib>
#include <set>

namespace warplint::rules {

using namespace result;

/// Would the full warp start on a boundary of `Bytes`? Then only a boundary check shifts this request's first
/// lane.
static bool fullWarpIsAligned(const Access &A, const Pattern &P, int64_t Bytes) {
  if (!P.perLane || std::abs(*P.perLane) != int64_t(A.width) || P.lanes == 32)
    return false;
  const unsigned Lane = __builtin_ctz(A.activeMask);
  const int64_t First = A.laneOffsets[Lane] - int64_t(Lane) * *P.perLane;
  const int64_t Lowest = std::min(First, First + 31 * *P.perLane);
  return Lowest % Bytes == 0;
}

/// Do all contiguous runs start equally far into a sector? Then rows are whole sectors apart, and the access is
/// shifted from their starts.
static bool runsShiftAlike(const Access &A) {
  std::set<int64_t> Starts, Ends, Shifts;
  for (unsigned Lane = 0; Lane != 32; ++Lane)
    if (A.activeMask >> Lane & 1) {
      Starts.insert(A.laneOffsets[Lane]);
      Ends.insert(A.laneOffsets[Lane] + A.width);
    }
  for (int64_t Start : Starts)
    if (!Ends.contains(Start))
      Shifts.insert(Start & (SectorBytes - 1));
  return Shifts.size() == 1;
}

/// Do other reads of the same straight line overlap this one: the neighbours of a stencil? Then all of them
/// together touch no more sectors than that many aligned ones would, and the L1 cache has the rest.
static bool isHalo(const Access &A) {
  return A.operation == Operation::Load && A.companions && A.companions->sameRegion &&
         A.companions->accesses != 0 &&
         A.companions->sectors <= (A.companions->accesses + 1) * A.worst.idealSectors;
}

static std::optional<Finding> inspect(const Kernel &K, const Access &A, const Values &Set) {
  const bool MoreSectors = hasExcess(A);
  const bool MoreLines = !Set["IgnoreLines"] && isGlobal(A) && A.alignedLines > 0 && A.worst.lines > A.alignedLines;
  if ((!MoreSectors && !MoreLines) || isScattered(A))
    return std::nullopt;
  const Pattern P = patternOf(A);
  // Gaps in the mask cost sectors too: not the start's fault.
  if (P.runs == 0 || isUnitStrideWithGaps(A) || isHalo(A))
    return std::nullopt;

  if (MoreSectors) {
    if (P.alignedRuns > A.worst.idealSectors || fullWarpIsAligned(A, P, SectorBytes))
      return std::nullopt;
    Finding F = finding("global-misaligned", K, A, Impact::Low,
                        llvm::formatv("{0} starts off a 32-byte sector: {1}", what(A), globalCost(A)));
    remedy(F, P.runs > 1 && runsShiftAlike(A)
                  ? A.operation == Operation::Load
                        ? "the rows start on sectors and this access beside them: read shifted neighbours (a halo) "
                          "from a shared tile that was loaded aligned"
                        : "the rows start on sectors and this access beside them: let the threads start where rows do"
              : P.runs > 1
                  ? "pad the length of the rows to whole sectors (a pitch), so that each row starts on one"
                  : "start each warp on a multiple of 128 bytes; neighbouring warps share the sector at the "
                    "seam, so the cache takes back most of the loss");
    return F;
  }

  if (P.runs != 1 || 2 * P.meanRun < LineBytes || fullWarpIsAligned(A, P, LineBytes))
    return std::nullopt;
  Finding F = finding(
      "global-misaligned", K, A, Impact::Low,
      llvm::formatv("{0} starts off a 128-byte line: {1} where {2} would do, though no sector too many",
                    what(A), count(A.worst.lines, "transaction"), number(A.alignedLines)));
  remedy(F, "start each warp on a multiple of 128 bytes");
  return F;
}

static constexpr OptionInfo MisalignedOptions[] = {{"IgnoreLines", false, false, true, /*isFlag=*/true}};

const Rule GlobalMisaligned = {"global-misaligned",
                               "Contiguous lanes that start off a sector or a line",
                               /*onByDefault=*/true,
                               /*globalGeometry=*/true,
                               inspect,
                               nullptr,
                               MisalignedOptions};

} // namespace warplint::rules
