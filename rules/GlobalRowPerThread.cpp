//===-- GlobalRowPerThread.cpp - threadIdx.x as the slow index -------------------===//
// # global-row-per-thread
//
// ## What it finds
// Accesses in which threadIdx.x picks the row of a matrix (or the start of the thread's own chunk) while
// another index runs along the row: neighbouring lanes are a whole row apart.
//
// ## Why it costs
// Every lane touches a line of its own: 32 transactions and 32 sectors where 4 sectors would do, an eighth of
// the bandwidth at best. Later iterations of a thread may find the rest of its lines in the cache, but 32
// rows at a time rarely fit.
//
// ## Example
// ```cuda
// int row = blockIdx.x * blockDim.x + threadIdx.x;
// int col = blockIdx.y * blockDim.y + threadIdx.y;
// float a = A[row * n + col]; // lane t reads row t
// ```
//
// ## Write instead
// ```cuda
// int col = blockIdx.x * blockDim.x + threadIdx.x;
// int row = blockIdx.y * blockDim.y + threadIdx.y;
// float a = A[row * n + col]; // neighbouring lanes read neighbouring columns
// ```
// Where a thread has to own a row, let the warp walk the row together (`for (int j = lane; j < n; j += 32)`),
// or turn the matrix through a shared tile.
//
// ## When it stays silent
// When the request needs no more sectors than its bytes fill, when the lanes' pieces are whole sectors, and
// when the row is shorter than 32 elements (that is `global-stride`).
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

namespace warplint::rules {

using namespace result;

static std::optional<Finding> inspect(const Kernel &K, const Access &A, const Values &Set) {
  if (!isRowPerThread(A))
    return std::nullopt;
  const std::string Stride = stride(A);
  Finding F = finding("global-row-per-thread", K, A, globalImpact(A, Set),
                      llvm::formatv("{0} gives each lane a row of its own{1}: {2}", what(A),
                                    Stride.empty() ? "" : ", " + Stride + " from the next", globalCost(A)));
  if (K.block[1] > 1 || K.block[2] > 1)
    remedy(F,
           "swap the roles of threadIdx.x and the index that runs along the row, or turn the block through a "
           "shared tile");
  else if (A.loop >= 0)
    remedy(F, "let neighbouring lanes take neighbouring elements: walk the row with the lanes of a warp, or "
              "give each "
              "thread a column");
  else
    remedy(F, "let threadIdx.x run along the row, or turn the data through a shared tile");
  noteReuse(F, A);
  return F;
}

const Rule GlobalRowPerThread = {"global-row-per-thread",
                                 "threadIdx.x picks the row: neighbouring lanes are a whole row apart",
                                 /*onByDefault=*/true,
                                 /*globalGeometry=*/true,
                                 inspect,
                                 nullptr,
                                 GlobalOptions};

} // namespace warplint::rules
