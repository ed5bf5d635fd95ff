//===-- LaunchPartialWarp.cpp - Blocks that are no whole number of warps ------------------===//
// # launch-partial-warp
//
// ## What it finds
// Launches whose block size is not a multiple of 32.
//
// ## Why it costs
// Threads run in warps of 32. The last warp of such a block has idle lanes in every instruction and every
// request: a block of 16 threads wastes half of its only warp, one of 100 threads 28 lanes of 128.
//
// ## Example
// ```cuda
// kernel<<<n / 16, 16>>>(data);
// ```
//
// ## Write instead
// ```cuda
// kernel<<<n / 128, 128>>>(data);
// ```
//
// ## When it stays silent
// When the block shape is only assumed. It is a note unless fewer than half of the lanes have a thread, and
// always a note for a block of one thread, which is serial on purpose.
//
// ## Options
// - `MinIdleLanes` (1): silent where fewer lanes of the last warp are idle.
// - `HighImpactPercent` (25), `MediumImpactPercent` (50): the impact is high when at most, medium when less than
//   this share of all lanes has a thread; otherwise low.
// - `Severity`: note, warning or error; `default`: by impact.
//===----------------------------------------------------------------------===//
#include "rules/AllRules.h"
#include "rules/Wording.h"
#include "llvm/Support/FormatVariadic.h"

namespace warplint::rules {

using namespace result;

static std::optional<Finding> inspect(const Kernel &K, const Values &Set) {
  const uint64_t Threads = uint64_t(K.block[0]) * K.block[1] * K.block[2];
  if (K.blockOrigin == BlockOrigin::Assumed || Threads == 0 || Threads % 32 == 0)
    return std::nullopt;
  const uint64_t Warps = (Threads + 31) / 32, Idle = Warps * 32 - Threads;
  if (Idle < uint64_t(Set["MinIdleLanes"]))
    return std::nullopt;
  const double Used = double(Threads) / double(Warps * 32);

  Finding F;
  F.rule = "launch-partial-warp";
  F.impact = Threads == 1                                             ? Impact::Low
             : 100 * Used <= double(Set["HighImpactPercent"])  ? Impact::High
             : 100 * Used < double(Set["MediumImpactPercent"]) ? Impact::Medium
                                                               : Impact::Low;
  F.severity = severityOf(F.impact);
  F.message =
      llvm::formatv("block of {0} for '{1}' leaves {2} of the 32 lanes of its {3} idle, {4} of all lanes",
                    count(double(Threads), "thread"), K.name, Idle, Warps == 1 ? "only warp" : "last warp",
                    percent(1 - Used));
  F.place = K.launch.valid() ? K.launch : K.place;
  F.kernel = K.signature;
  F.confidence = Confidence::Exact;
  F.expression = K.name;
  F.notes.push_back(
      {Threads == 1
           ? "a single thread runs at a small part of the speed of a processor's core: share the work "
             "among a warp's lanes where it is not serial"
           : llvm::formatv("choose a block size that is a multiple of 32: {0} instead of {1} threads",
                           Warps * 32, Threads)
                 .str(),
       F.place});
  return F;
}

static constexpr OptionInfo PartialOptions[] = {
    {"MinIdleLanes", 1, 1, 31}, HighImpactPercent, MediumImpactPercent};

const Rule LaunchPartialWarp = {"launch-partial-warp",
                                "The block size is not a multiple of 32",
                                /*onByDefault=*/true,
                                /*globalGeometry=*/false,
                                nullptr,
                                inspect,
                                PartialOptions};

} // namespace warplint::rules
