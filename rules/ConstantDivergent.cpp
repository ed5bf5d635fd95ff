//===-- ConstantDivergent.cpp - Lanes read different constants -------------------------===//
// # constant-divergent
//
// ## What it finds
// Loads from `__constant__` memory, or from an array in a kernel parameter, in which the lanes of a warp read
// different addresses.
//
// ## Why it costs
// The constant cache hands out one address per request, to all lanes at once. A warp whose lanes read n
// different addresses makes n requests, one after another. Up to about 4 hardly matter; more do.
//
// ## Example
// ```cuda
// __constant__ float taps[16];
// sum += taps[threadIdx.x % 16]; // 16 addresses: 16 requests
// ```
//
// ## Write instead
// ```cuda
// __shared__ float taps_s[16]; // filled once per block
// sum += taps_s[threadIdx.x % 16]; // different words lie in different banks: one wavefront
// ```
// or let the loop counter, the same in all lanes, pick the element.
//
// ## When it stays silent
// When all lanes read one address, and when the index comes from memory, so that nothing is known of it. Up
// to 4 addresses are a note. Parameters are looked at only where the compiler leaves them in the constant
// bank: where their members are read by name and nothing takes their address.
//
// ## Options
// - `MinAddresses` (2): silent about fewer different addresses.
// - `HighImpactAddresses` (8), `MediumImpactAddresses` (5): the impact is high or medium from so many addresses
//   on; otherwise low.
// - `Severity`: note, warning or error; `default`: by impact.
//===----------------------------------------------------------------------===//
#include "rules/AllRules.h"
#include "rules/Wording.h"
#include "llvm/Support/FormatVariadic.h"

namespace warplint::rules {

using namespace result;

/// Few addresses hide behind the other work of a kernel; from 8 on it is the request that counts.
static Impact impactOf(const Access &A, const Values &Set) {
  if (A.forced)
    return Impact::Low;
  return A.worst.distinctAddresses >= double(Set["HighImpactAddresses"])     ? Impact::High
         : A.worst.distinctAddresses >= double(Set["MediumImpactAddresses"]) ? Impact::Medium
                                                                             : Impact::Low;
}

static std::optional<Finding> inspect(const Kernel &K, const Access &A, const Values &Set) {
  if (A.space != Space::Constant || A.removed || A.confidence == Confidence::Unknown ||
      A.worst.distinctAddresses < 2)
    return std::nullopt;
  const std::string Addresses = number(A.worst.distinctAddresses);
  Finding F =
      finding("constant-divergent", K, A, impactOf(A, Set),
              llvm::formatv("{0} of {1} different addresses by the lanes of a warp: {1} requests where 1 "
                            "would do",
                            what(A), Addresses));
  remedy(F,
         "let all lanes read the same element at a time, or keep what lanes index freely in shared memory");
  return F;
}

static constexpr OptionInfo DivergentOptions[] = {
    {"MinAddresses", 2, 2, 32}, {"HighImpactAddresses", 8, 1, 33}, {"MediumImpactAddresses", 5, 1, 33}};

const Rule ConstantDivergent = {"constant-divergent",
                                "Lanes of a warp read different addresses of constant memory",
                                /*onByDefault=*/true,
                                /*globalGeometry=*/false,
                                inspect,
                                nullptr,
                                DivergentOptions};

} // namespace warplint::rules
