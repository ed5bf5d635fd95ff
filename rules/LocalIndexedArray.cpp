//===-- LocalIndexedArray.cpp - Private arrays in local memory --------------------------===//
// # local-indexed-array
//
// ## What it finds
// Private arrays (variables of one thread) that the compiler keeps in local memory, because an index is known
// at run time only: it depends on `threadIdx`, on a parameter, on data, or counts a loop that is not
// unrolled. One finding per array, at its worst access.
//
// ## Why it costs
// Registers have no addresses. An array with an index that the compiler does not know lies in local memory,
// which is memory of the device behind the L1 cache. Element i of neighbouring threads is neighbouring there:
// when all lanes use the same index, a request of 4-byte elements moves 4 sectors; when their indices differ,
// up to 32.
//
// ## Example
// ```cuda
// float best[32];
// for (int k = 0; k < n; ++k)
//   best[key[k * 256 + threadIdx.x]] += x[k]; // an index that is read from memory
// ```
//
// ## Write instead
// Loops of constant bounds with `#pragma unroll`, so that every index is a constant; a `switch` or selections
// for a few elements; or an array in shared memory, `best[element][threadIdx.x]`, where each thread has a
// column.
//
// ## When it stays silent
// When all indices are constants once loops are unrolled and functions inlined; the compiler is asked, by
// running LLVM's passes over a copy of the kernel. Small arrays of 4-byte elements that ptxas turns into
// selections among registers (up to about 20 elements read by one access in a loop, 95 outside). Arrays whose
// address goes to a function that is not inlined, and register spills, are not looked at.
//
// ## Options
// - `MinBytes` (1): silent about arrays of fewer bytes.
// - `HighImpactPercent` (25), `MediumImpactPercent` (50): where the lanes use different elements, the impact is
//   high or medium when one element for all would take at most this share of the sectors; otherwise low.
// - `Severity`: note, warning or error; `default`: by impact.
//===----------------------------------------------------------------------===//
#include "rules/AllRules.h"
#include "rules/Geometry.h"
#include "rules/Wording.h"
#include "llvm/Support/FormatVariadic.h"

namespace warplint::rules {

using namespace result;

static bool isKnown(const Access &A) { return A.confidence != Confidence::Unknown; }

/// Do the lanes use different elements?
static bool isDivergent(const Access &A) { return isKnown(A) && A.worst.sectors > A.worst.idealSectors; }

static Impact impactOf(const Access &A, const Values &Set) {
  if (A.forced)
    return Impact::Low;
  if (isDivergent(A)) {
    // Of the bytes that one index for all would move.
    const double Share = A.worst.idealSectors / A.worst.sectors;
    return impactOfShare(Share, Set);
  }
  return A.loop >= 0 ? Impact::Medium : Impact::Low;
}

/// Which of an array's accesses to speak of: one whose index makes the trouble, then the costliest.
static auto rank(const Access &A, const Values &Set) {
  return std::tuple(A.privateArray->open, impactOf(A, Set), !isKnown(A), isKnown(A) ? A.worst.sectors : 0);
}

static bool isOfSameArray(const Access &A, const Access &B) {
  const Place &P = A.privateArray->declaration, &Q = B.privateArray->declaration;
  return A.base == B.base && P.file == Q.file && P.line == Q.line && P.column == Q.column;
}

static std::string costOf(const Access &A) {
  if (!isKnown(A))
    return "what each access moves depends on the data";
  if (isDivergent(A))
    return llvm::formatv("the lanes use different elements, {0} where one index for all would take {1}",
                         count(A.worst.sectors, "sector"), number(A.worst.idealSectors));
  return llvm::formatv("each access moves {0}{1} instead of using a register",
                       count(A.worst.sectors, "sector"), dependsOnData(A) ? " or more" : "");
}

static std::optional<Finding> inspect(const Kernel &K, const Access &A, const Values &Set) {
  if (!A.privateArray || A.removed || A.privateArray->size < uint64_t(Set["MinBytes"]))
    return std::nullopt;
  for (const Access &Other : K.accesses) // the first of the worst
    if (Other.privateArray && !Other.removed && isOfSameArray(A, Other) &&
        (rank(Other, Set) > rank(A, Set) || (rank(Other, Set) == rank(A, Set) && &Other < &A)))
      return std::nullopt;

  Finding F = finding("local-indexed-array", K, A, impactOf(A, Set),
                      llvm::formatv("private array '{0}' lives in local memory, since {1}: {2}", A.base,
                                    A.privateArray->cause, costOf(A)));
  if (!isKnown(A)) {
    F.notes.clear();                      // there is no lane pattern to explain
    F.confidence = Confidence::Assumed; // where the array lives is the compiler's choice, whatever the access costs
  }
  if (A.privateArray->declaration.valid())
    F.notes.push_back(
        {llvm::formatv("'{0}' takes {1} of each thread", A.base, count(A.privateArray->size, "byte")),
         A.privateArray->declaration});
  remedy(F, "make every index a constant (constant loop bounds and #pragma unroll, or a switch), or keep the "
            "array in shared memory with one column per thread");
  return F;
}

static constexpr OptionInfo ArrayOptions[] = {
    {"MinBytes", 1, 1, 1 << 30}, HighImpactPercent, MediumImpactPercent};

const Rule LocalIndexedArray = {
    "local-indexed-array",
    "A private array whose index is not known to the compiler: it lives in local memory",
    /*onByDefault=*/true,
    /*globalGeometry=*/false,
    inspect,
    nullptr,
    ArrayOptions};

} // namespace warplint::rules
