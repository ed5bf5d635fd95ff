//===-- GlobalStride.cpp - Lanes several elements apart ---------------------------===//
// # global-stride
//
// ## What it finds
// Accesses whose neighbouring lanes lie several elements apart, by a constant or by a run-time value, or are
// spread over separate pieces of memory without any one stride.
//
// ## Why it costs
// A request moves whole 32-byte sectors. At a stride of 2 floats half of every sector is moved for nothing;
// from 8 floats on each lane has its own sector, and from 32 its own transaction: 32 where 1 would do.
//
// ## Example
// ```cuda
// int i = blockIdx.x * blockDim.x + threadIdx.x;
// out[i] = in[i * 32]; // 32 transactions
// ```
//
// ## Write instead
// ```cuda
// out[i] = in[i]; // lay the wanted elements out next to each other: 1 transaction
// ```
// If the elements between are wanted too, load them together with neighbouring lanes on neighbouring elements
// and exchange them through shared memory.
//
// ## When it stays silent
// When the request needs no more sectors than its bytes fill: unit stride at every width, reversed or
// permuted order, broadcasts, and rows of at least 32 bytes. When only inactive lanes make the gaps. When the
// thread itself reads the elements between, so that one wide access would do (that is `global-narrow`).
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
  if (!isScattered(A) || isNarrowRows(A) || hasVectorNeighbours(A))
    return std::nullopt;
  const Pattern P = patternOf(A);
  const std::string Stride = stride(A);
  std::string Message;
  if (Stride.empty() && P.withinRows && P.fullMask && *P.withinRows % A.width == 0 &&
      !isOfSample(A, *P.withinRows))
    Message = llvm::formatv("{0} strides {1} between most neighbouring lanes: {2}", what(A),
                            count(std::abs(*P.withinRows) / A.width, "element"), globalCost(A));
  else if (Stride.empty())
    Message = llvm::formatv("{0} spreads {1} lanes over {2} separate places: {3}", what(A), P.lanes, P.runs,
                            globalCost(A));
  else
    Message = llvm::formatv("{0} strides {1} between {2}: {3}", what(A), Stride,
                            P.fullMask ? "lanes" : "active lanes", globalCost(A));
  Finding F = finding("global-stride", K, A, globalImpact(A, Set), Message);
  if (Stride.empty())
    remedy(F, "let neighbouring lanes take neighbouring elements");
  else if (A.loop >= 0)
    remedy(F,
           "let neighbouring lanes take neighbouring elements: start at threadIdx.x and step by blockDim.x");
  else
    remedy(F, "lay the elements that a warp wants next to each other, or load all of them with neighbouring "
              "lanes on "
              "neighbouring elements and exchange them through shared memory");
  noteReuse(F, A);
  return F;
}

const Rule GlobalStride = {"global-stride",
                           "Neighbouring lanes are several elements apart",
                           /*onByDefault=*/true,
                           /*globalGeometry=*/true,
                           inspect,
                           nullptr,
                           GlobalOptions};

} // namespace warplint::rules
