//===-- GlobalGather.cpp - The index comes from memory --------------------------------===//
// # global-gather
//
// ## What it finds
// Accesses to global memory whose index was read from memory (or came from an atomic or another lane), so
// that which lines the lanes touch is known at run time only.
//
// ## Why it costs
// It may cost nothing extra, when neighbouring lanes get neighbouring indices, or 32 sectors per request,
// when the indices are scattered. The rule is off by default because nothing can be said from the source; it
// lists the places that a profiler should be asked about.
//
// ## Example
// ```cuda
// sum += value[k] * x[column[k]]; // which element of x is up to the data
// ```
//
// ## Write instead
// Sort or group the indices so that neighbouring lanes get neighbouring ones, reorder the data that they
// point to, or load the part that a block needs into shared memory and gather there.
//
// ## When it stays silent
// When the index is an expression of thread, block and sizes, however scattered it is: the other rules speak
// of those.
//
// ## Options
// - `Severity`: note, warning or error; `default`: by impact.
//===----------------------------------------------------------------------===//
#include "rules/AllRules.h"
#include "rules/Wording.h"
#include "llvm/Support/FormatVariadic.h"

namespace warplint::rules {

using namespace result;

static std::optional<Finding> inspect(const Kernel &K, const Access &A, const Values &) {
  if (A.space != Space::Global || A.removed || A.confidence != Confidence::Unknown || !A.indexSource)
    return std::nullopt;
  const IndexSource &Source = *A.indexSource;
  const std::string From = Source.expression.empty() ? "data" : "'" + Source.expression + "'";
  Finding F = finding(
      "global-gather", K, A, Impact::Low,
      llvm::formatv("{0} at an index that comes from {1}: what it costs depends on the data", what(A), From));
  F.notes.clear(); // there is no lane pattern to explain
  if (Source.place.valid() && !Source.expression.empty())
    F.notes.push_back({"the index is read here", Source.place});
  remedy(
      F,
      "sort or group the indices so that neighbouring lanes get neighbouring elements, or gather from shared "
      "memory");
  return F;
}

const Rule GlobalGather = {"global-gather",
                           "The index comes from memory: the cost depends on the data",
                           /*onByDefault=*/false,
                           /*globalGeometry=*/false,
                           inspect,
                           nullptr};

} // namespace warplint::rules
