//===-- GlobalFewLanes.cpp - Loops that only a few lanes work in ----------------------===//
// # global-few-lanes
//
// ## What it finds
// Accesses in a loop that at most half of the lanes ever reach, with gaps between the active ones, when
// nothing else in the loop (or in the loops inside it) is done by a full warp.
//
// ## Why it costs
// A sector of 32 bytes is moved however few of its bytes are wanted. With every fourth lane active a warp of
// floats still moves 4 sectors for 32 useful bytes, and the other lanes wait.
//
// ## Example
// ```cuda
// for (int s = 1; s < blockDim.x; s *= 2)
//   if (threadIdx.x % (2 * s) == 0)
//     data[i] += data[i + s]; // the active lanes drift apart
// ```
//
// ## Write instead
// ```cuda
// for (int s = blockDim.x / 2; s > 0; s /= 2)
//   if (threadIdx.x < s)
//     data[i] += data[i + s]; // the active lanes stay neighbours
// ```
//
// ## When it stays silent
// Outside loops, at boundary checks, for a single lane (a leader that stores its warp's or block's result),
// when some access of the loop is made by a full warp, and for blocks of fewer than 32 threads
// (`launch-partial-warp` speaks of those).
//
// ## Options
// - `MaxActiveLanes` (16): silent about loops that more lanes work in.
// - `MinExcessSectors` (1): silent where the worst request takes fewer sectors than this beyond the ideal.
// - `HighImpactPercent` (25), `MediumImpactPercent` (50): the impact is high or medium when at most this share
//   of the moved bytes is used; otherwise low.
// - `Severity`: note, warning or error; `default`: by impact.
//===----------------------------------------------------------------------===//
#include "rules/AllRules.h"
#include "rules/Geometry.h"
#include "rules/Wording.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

namespace warplint::rules {

using namespace result;

/// Is loop `Inner` the loop `Outer`, or inside it?
static bool isWithin(const Kernel &K, int Inner, int Outer) {
  // Bounded by the number of loops, so that broken parent links cannot hang.
  for (size_t Steps = 0; Inner >= 0 && size_t(Inner) < K.loops.size() && Steps <= K.loops.size(); ++Steps) {
    if (Inner == Outer)
      return true;
    Inner = K.loops[Inner].parent;
  }
  return false;
}

static std::optional<Finding> inspect(const Kernel &K, const Access &A, const Values &Set) {
  if (!hasExcess(A) || isScattered(A) || A.loop < 0 || A.maxActiveLanes > Set["MaxActiveLanes"])
    return std::nullopt;
  if (A.blockSize != 0 && A.blockSize < 32)
    return std::nullopt;
  if (!isUnitStrideWithGaps(A))
    return std::nullopt;
  if (std::any_of(K.accesses.begin(), K.accesses.end(), [&](const Access &Other) {
        return Other.maxActiveLanes == 32 && isWithin(K, Other.loop, A.loop);
      }))
    return std::nullopt;

  Finding F = finding("global-few-lanes", K, A, globalImpact(A, Set),
                      llvm::formatv("{0} in a loop that at most {1} of 32 lanes work in: {2}", what(A),
                                    A.maxActiveLanes, globalCost(A)));
  remedy(F, "let neighbouring lanes do the work (threadIdx.x < s instead of threadIdx.x % (2*s) == 0), so "
            "that whole "
            "warps are busy or done");
  return F;
}

static constexpr OptionInfo FewLanesOptions[] = {
    {"MaxActiveLanes", 16, 2, 31}, MinExcessSectors, HighImpactPercent, MediumImpactPercent};

const Rule GlobalFewLanes = {"global-few-lanes",
                             "A loop in which few and scattered lanes of the warp are active",
                             /*onByDefault=*/true,
                             /*globalGeometry=*/true,
                             inspect,
                             nullptr,
                             FewLanesOptions};

} // namespace warplint::rules
