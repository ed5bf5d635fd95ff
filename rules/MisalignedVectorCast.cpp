//===-- MisalignedVectorCast.cpp - Accesses that fault ---------------------------------===//
// # misaligned-vector-cast
//
// ## What it finds
// Loads and stores of 2 to 16 bytes at an address that is not a multiple of the access's size, typically a
// `reinterpret_cast<float4 *>` of a scalar array at an offset that is not a multiple of four elements.
//
// ## Why it costs
// It does not cost, it fails: the GPU needs naturally aligned addresses and stops the kernel with "misaligned
// address". Often only some rows or blocks are hit, so that it shows late.
//
// ## Example
// ```cuda
// __shared__ float tile[32][33];
// float4 v = *reinterpret_cast<float4 *>(&tile[row][4 * col]); // odd rows start at a multiple of 4 bytes only
// ```
//
// ## Write instead
// ```cuda
// __shared__ __align__(16) float tile[32][36]; // rows are a multiple of 16 bytes apart
// ```
// or take the vector path only where the row's start is aligned, and scalars elsewhere.
//
// ## When it stays silent
// Where the alignment depends on a size that is not known, and for members of packed types, which the compiler
// reads in pieces.
//
// ## Options
// - `Severity`: note, warning or error; `default`: error.
//===----------------------------------------------------------------------===//
#include "rules/AllRules.h"
#include "rules/Wording.h"
#include "llvm/Support/FormatVariadic.h"

namespace warplint::rules {

using namespace result;

static std::optional<Finding> inspect(const Kernel &K, const Access &A, const Values &) {
  if (!A.faultOffset || A.removed || A.confidence == Confidence::Unknown)
    return std::nullopt;
  Finding F = finding("misaligned-vector-cast", K, A, Impact::High,
                      llvm::formatv("{0} of {1} bytes at an address that is not a multiple of {1} faults at run time",
                                    what(A), A.width));
  F.severity = Severity::Error;
  F.notes.front().message += llvm::formatv("; byte {0} of '{1}' is not aligned", *A.faultOffset, A.base);
  remedy(F, llvm::formatv("keep every row a multiple of {0} bytes long, or read scalars where the start is not aligned",
                          A.width));
  return F;
}

const Rule MisalignedVectorCast = {"misaligned-vector-cast",
                                   "An access wider than its address is aligned: it faults at run time",
                                   /*onByDefault=*/true,
                                   /*globalGeometry=*/false,
                                   inspect,
                                   nullptr,
                                   {},
                                   Severity::Error};

} // namespace warplint::rules
