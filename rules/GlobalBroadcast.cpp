//===-- GlobalBroadcast.cpp - All lanes read one word ---------------------------------===//
// # global-broadcast
//
// ## What it finds
// Loads from global memory in which all active lanes of a warp read the same element.
//
// ## Why it costs
// It costs little: 1 transaction and 1 sector serve the whole warp. But only a few of the sector's bytes are
// used, and in a hot loop every warp asks again for what constant or shared memory would hand out from the
// chip.
//
// ## Example
// ```cuda
// for (int k = 0; k < taps; ++k)
//   sum += weight[k] * in[i + k]; // weight[k] is the same for all lanes
// ```
//
// ## Write instead
// ```cuda
// __constant__ float weight[MaxTaps]; // or load it into shared memory once per block
// ```
//
// ## When it stays silent
// It is off by default. When on: outside loops, for stores and atomics, and for a single active lane.
//
// ## Options
// - `Severity`: note, warning or error; `default`: by impact.
//===----------------------------------------------------------------------===//
#include "rules/AllRules.h"
#include "rules/Geometry.h"
#include "rules/Wording.h"
#include "llvm/Support/FormatVariadic.h"

namespace warplint::rules {

using namespace result;

static std::optional<Finding> inspect(const Kernel &K, const Access &A, const Values &) {
  if (!isGlobal(A) || A.operation != Operation::Load || A.loop < 0)
    return std::nullopt;
  const Pattern P = patternOf(A);
  if (!P.perLane || *P.perLane != 0)
    return std::nullopt;
  Finding F =
      finding("global-broadcast", K, A, Impact::Low,
              llvm::formatv("{0} gives all {1} lanes the same element: {2} of the bytes moved are used",
                            what(A), P.lanes, percent(A.worst.sectorEfficiency)));
  F.notes.clear(); // there is no lane pattern to explain
  remedy(F, "put a table that every thread reads in the same order into __constant__ or shared memory");
  return F;
}

const Rule GlobalBroadcast = {
    "global-broadcast",
    "All lanes read one element in a loop: constant or shared memory would serve it",
    /*onByDefault=*/false,
    /*globalGeometry=*/false,
    inspect,
    nullptr};

} // namespace warplint::rules
