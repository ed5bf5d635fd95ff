//===-- GlobalNarrow.cpp - Rows or elements too short for a sector ------------------===//
// # global-narrow
//
// ## What it finds
// Two kinds of requests that use too little of each sector although neighbouring data is near: rows of a warp
// that end before a sector is full (a 16-wide block over bytes), and a thread that reads neighbouring
// elements one by one where a single aligned access would do.
//
// ## Why it costs
// A request moves whole 32-byte sectors. A row of 16 bytes leaves half of its sector unused. Two `half`
// values that are loaded one after the other ask for the same sectors twice, with half of them wasted each
// time.
//
// ## Example
// ```cuda
// float a = __half2float(x[2 * i]);
// float b = __half2float(x[2 * i + 1]);
// ```
//
// ## Write instead
// ```cuda
// half2 v = reinterpret_cast<const half2 *>(x)[i]; // one access, every sector full
// ```
// For short rows, make the block wider (32 threads in x), or let each thread take several neighbouring
// elements.
//
// ## When it stays silent
// At unit stride, at every width. When the rows are at least 32 bytes long, whatever the shape of the block.
// When the request needs no more sectors than its bytes fill.
//
// ## Options
// - `MinExcessSectors` (1): silent where the worst request takes fewer sectors than this beyond the ideal.
// - `HighImpactPercent` (25), `MediumImpactPercent` (50): the impact is high or medium when at most this share
//   of the moved bytes is used; otherwise low.
// - `Severity`: note, warning or error; `default`: by impact.
//===----------------------------------------------------------------------===//
#include "rules/AllRules.h"
#include "rules/Geometry.h"
#include "rules/Wording.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstdlib>

namespace warplint::rules {

using namespace result;

static std::optional<Finding> inspect(const Kernel &K, const Access &A, const Values &Set) {
  if (!isScattered(A))
    return std::nullopt;
  const Pattern P = patternOf(A);
  if (hasVectorNeighbours(A)) {
    const int64_t Step = std::abs(*P.withinRows);
    Finding F = finding("global-narrow", K, A, globalImpact(A, Set),
                        llvm::formatv("{0} takes {1} of every {2} bytes that the thread uses: {3}", what(A),
                                      A.width, Step, globalCost(A)));
    remedy(F, llvm::formatv(
                  "one aligned {0}-byte access would fetch all of the thread's neighbouring elements", Step));
    return F;
  }
  if (!isNarrowRows(A))
    return std::nullopt;
  Finding F = finding("global-narrow", K, A, globalImpact(A, Set),
                      llvm::formatv("{0} touches rows of {1} only, shorter than a sector: {2}", what(A),
                                    count(P.meanRun, "byte"), globalCost(A)));
  remedy(F, "make the block wider in x, so that the rows of a warp fill whole sectors of 32 bytes, or let "
            "each thread "
            "take several neighbouring elements");
  noteReuse(F, A);
  return F;
}

const Rule GlobalNarrow = {"global-narrow",
                           "Rows of the warp shorter than a sector, or neighbouring elements read one by one",
                           /*onByDefault=*/true,
                           /*globalGeometry=*/true,
                           inspect,
                           nullptr,
                           GlobalOptions};

} // namespace warplint::rules
