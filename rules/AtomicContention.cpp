//===-- AtomicContention.cpp - Many lanes update one address ----------------------------===//
// # atomic-contention
//
// ## What it finds
// Atomics on global or shared memory with which several lanes of a warp update the same address.
//
// ## Why it costs
// Updates of one address are made one after another, and every other warp that updates it waits as well. 8
// and more lanes per address are a medium impact, high in a loop, where each thread pays again and again;
// fewer are low, medium in a loop. A condition on data that may keep lanes away lowers it by one step.
//
// The compiler merges some of them: 32-bit integer atomics (add, and, unless the old value is used, min, max,
// and, or, xor) whose address is the same for the whole warp whatever the lane, and 64-bit additions of one
// value. One lane then makes one update per warp, and the finding is a note. It does not merge floating
// point, other 64-bit values, compare-and-swap, exchange, `atomicInc` and `atomicDec`, nor addresses that
// only happen to agree (`c[threadIdx.x / 32]`). Floating-point and 64-bit additions in shared memory become
// loops of compare-and-swap that run once per lane: high from 8 lanes on.
//
// ## Example
// ```cuda
// atomicAdd(&sum, x[i]); // 32 lanes, one address
// ```
//
// ## Write instead
// ```cuda
// float v = x[i];
// for (int d = 16; d > 0; d /= 2)
//   v += __shfl_down_sync(0xffffffff, v, d);
// if (threadIdx.x % 32 == 0)
//   atomicAdd(&sum, v); // one lane per warp; better still one thread per block
// ```
// `__reduce_add_sync` and `cooperative_groups::reduce` do the same.
//
// ## When it stays silent
// When a single lane makes the update (a leader), when each lane has an address of its own, when the address
// comes from memory, as in a histogram, so that nothing is known of how many lanes meet, and in shared memory
// where the compiler merges the updates.
//
// ## Options
// - `MinLanes` (2): silent where fewer lanes update one address.
// - `ManyLanes` (8): from so many lanes per address on the impact is one step higher.
// - `Severity`: note, warning or error; `default`: by impact.
//===----------------------------------------------------------------------===//
#include "rules/AllRules.h"
#include "rules/Geometry.h"
#include "rules/Wording.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

namespace warplint::rules {

using namespace result;

namespace {
enum class Kind {
  Sum,       ///< add, sub
  Selection, ///< min, max, and, or, xor: reductions as well
  Other      ///< exchange, compare-and-swap, counters that wrap; unknown ones
};
} // namespace

static bool isFloating(const AtomicInfo &A) {
  return A.operation.size() > 1 && A.operation[0] == 'f'; // as LLVM names them: fadd, fsub, fmax, fmin
}

static Kind kindOf(const AtomicInfo &A) {
  return llvm::StringSwitch<Kind>(A.operation)
      .Cases({"add", "sub", "fadd", "fsub"}, Kind::Sum)
      .Cases({"min", "max", "umin", "umax", "fmin", "fmax", "and", "or", "xor"}, Kind::Selection)
      .Default(Kind::Other);
}

/// Does the compiler let one lane update for the warp? Read off what ptxas of CUDA 13 makes for sm_75 to
/// sm_90.
static bool isMerged(const Access &A) {
  const AtomicInfo &Info = *A.atomic;
  if (Info.addressVaries || isFloating(Info))
    return false;
  if (A.width == 8)
    return A.space == Space::Global && kindOf(Info) == Kind::Sum && !Info.valueVaries;
  return A.width == 4 && (kindOf(Info) == Kind::Sum || (kindOf(Info) == Kind::Selection && !Info.resultUsed));
}

/// Shared memory adds 32-bit integers only.
static bool isSwapLoop(const Access &A) {
  return A.space == Space::Shared && kindOf(*A.atomic) == Kind::Sum &&
         (isFloating(*A.atomic) || A.width == 8);
}

static Impact impactOf(const Access &A, const Values &Set) {
  if (A.forced || isMerged(A))
    return Impact::Low;
  const bool Repeated = A.loop >= 0 || isSwapLoop(A);
  const int Steps = (A.atomic->lanesPerAddress >= Set["ManyLanes"]) + Repeated - dependsOnData(A);
  return Steps >= 2 ? Impact::High : Steps == 1 ? Impact::Medium : Impact::Low;
}

static std::string messageOf(const Access &A) {
  const AtomicInfo &Info = *A.atomic;
  std::string Text = llvm::formatv(
      "{0} of {1}{2} lanes on {3}", what(A), dependsOnData(A) ? "up to " : "", Info.lanesPerAddress,
      Info.addresses == 1 ? "one address" : "each of " + std::to_string(Info.addresses) + " addresses");
  if (isMerged(A))
    return Text + ": the compiler merges them into one update per warp";
  return Text + llvm::formatv(": {0} updates one after another where 1 would do", Info.lanesPerAddress).str();
}

static std::string remedyFor(const Access &A) {
  const AtomicInfo &Info = *A.atomic;
  if (isMerged(A))
    return "fewer still are made when the block collects in shared memory first and one thread updates for "
           "all";
  if (kindOf(Info) == Kind::Other)
    return "let one lane of the warp do it for all, and hand the outcome on with a shuffle";
  if (Info.addresses > 1)
    return "combine the lanes that share an address first (shuffles among them, or __match_any_sync) and let "
           "one of "
           "them update it";
  const std::string By = isFloating(Info) || A.width == 8 ? "shuffles or cooperative_groups::reduce"
                         : kindOf(Info) == Kind::Sum
                             ? "__reduce_add_sync, cooperative_groups::reduce or shuffles"
                             : "__reduce_*_sync, cooperative_groups::reduce or shuffles";
  return "reduce within the warp first (" + By +
         ") and let one lane update, or collect per block in shared memory" +
         (isSwapLoop(A) ? "; in shared memory this one is a loop of compare-and-swap that runs once per lane"
                        : "");
}

static std::optional<Finding> inspect(const Kernel &K, const Access &A, const Values &Set) {
  if (!A.atomic || A.atomic->lanesPerAddress < Set["MinLanes"] || A.removed || A.confidence == Confidence::Unknown)
    return std::nullopt;
  if (A.space == Space::Shared && isMerged(A))
    return std::nullopt; // one update per warp in shared memory is what the remedy would be
  Finding F = finding("atomic-contention", K, A, impactOf(A, Set), messageOf(A));
  if (!isMerged(A))
    F.excess = double(A.atomic->lanesPerAddress - 1) * double(A.iterations.value_or(1));
  remedy(F, remedyFor(A));
  return F;
}

static constexpr OptionInfo ContentionOptions[] = {{"MinLanes", 2, 2, 32}, {"ManyLanes", 8, 2, 33}};

const Rule AtomicContention = {"atomic-contention",
                               "Several lanes of a warp update one address with atomics",
                               /*onByDefault=*/true,
                               /*globalGeometry=*/false,
                               inspect,
                               nullptr,
                               ContentionOptions};

} // namespace warplint::rules
