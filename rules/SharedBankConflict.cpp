//===-- SharedBankConflict.cpp - Any other bank conflict --------------------------------===//
// # shared-bank-conflict
//
// ## What it finds
// Accesses to shared memory in which lanes want different words of one bank: strided indices, reductions with
// interleaved addressing, structures in shared memory, flat and dynamic tiles, wide elements. Columns of
// declared two-dimensional tiles are `shared-tile-column`.
//
// ## Why it costs
// Shared memory has 32 banks of 4 bytes, and each hands out one word per cycle. When k lanes want different
// words of one bank, the request takes k wavefronts. Accesses of 8 and 16 bytes are served in 2 and 4 phases
// anyway; only conflicts inside a phase count.
//
// ## Example
// ```cuda
// __shared__ float x[256];
// for (int s = 1; s < 256; s *= 2) {
//   int k = 2 * s * threadIdx.x;
//   if (k < 256) x[k] += x[k + s]; // lanes are 2*s words apart: up to 8-way
// }
// ```
//
// ## Write instead
// ```cuda
// for (int s = 128; s > 0; s /= 2)
//   if (threadIdx.x < s) x[threadIdx.x] += x[threadIdx.x + s]; // neighbouring lanes, neighbouring words
// ```
// For rows, use a pitch with an odd number of words; for 16-byte elements permute the chunks (`chunk ^ (lane
// & 7)`); for structures, use separate arrays or pad to an odd number of words.
//
// ## When it stays silent
// For broadcasts (lanes that read the same word), for the phases that wide types need anyway, and when the
// pitch is only assumed.
//
// ## Options
// - `MinWays` (2): silent about conflicts of fewer ways.
// - `HighImpactWays` (8), `MediumImpactWays` (2): the impact is high or medium from so many ways on; otherwise
//   low.
// - `Severity`: note, warning or error; `default`: by impact.
//===----------------------------------------------------------------------===//
#include "rules/AllRules.h"
#include "rules/Geometry.h"
#include "rules/Wording.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cstdlib>
#include <set>

namespace warplint::rules {

using namespace result;

/// Fewest conflicts that rows (or structures) of `Bytes` reach when each gets `Pad` more bytes.
static SharedNumbers withPitch(const Access &A, int64_t Bytes, int64_t Pad) {
  std::array<int64_t, 32> Offsets = A.laneOffsets;
  for (int64_t &O : Offsets)
    O += (O >= 0 ? O / Bytes : -((-O + Bytes - 1) / Bytes)) * Pad;
  return sharedNumbers(Offsets, A.activeMask, A.width, A.operation == Operation::Load);
}

/// The smallest padding in bytes that removes the conflict, in steps that keep the access aligned.
static std::optional<int64_t> padBytes(const Access &A, int64_t Bytes) {
  const int64_t Step = std::max<int64_t>(A.width, WordBytes);
  if (Bytes <= 0 || Bytes % Step != 0)
    return std::nullopt;
  for (int64_t Pad = Step; Pad <= 8 * Step; Pad += Step)
    if (withPitch(A, Bytes, Pad).ways <= 1)
      return Pad;
  return std::nullopt;
}

static unsigned banksUsed(const Access &A) {
  std::set<int64_t> Banks;
  for (unsigned Lane = 0; Lane != 32; ++Lane)
    if (A.activeMask >> Lane & 1)
      for (int64_t Byte = 0; Byte < A.width; Byte += WordBytes)
        Banks.insert((A.laneOffsets[Lane] + Byte) / WordBytes & 31);
  return unsigned(Banks.size());
}

/// Lanes that each take another row of a tile and another column: longer rows are another distance.
static std::optional<std::string> remedyForDiagonal(const Access &A) {
  const Pattern P = patternOf(A);
  if (!A.tile || A.tile->extents.size() < 2 || !P.perLane)
    return std::nullopt;
  const int64_t Row = int64_t(A.tile->extents.back()) * A.tile->elementSize, Distance = std::abs(*P.perLane);
  if (Distance <= Row / 2 || Distance >= 2 * Row || Distance == Row)
    return std::nullopt;
  const auto Pad = padBytes(A, Distance);
  if (!Pad || *Pad % A.tile->elementSize)
    return std::nullopt;
  const uint64_t Extent = A.tile->extents.back();
  return llvm::formatv("the lanes walk along a diagonal of '{0}': make its rows {1} instead of {2} elements long",
                       A.tile->name, Extent + *Pad / A.tile->elementSize, Extent)
      .str();
}

/// Is the distance between lanes the same number in all iterations: "32*threadIdx.x", and no other term with
/// threadIdx?
static bool hasFixedPitch(const Access &A) {
  unsigned OfLanes = 0;
  bool Fixed = true;
  for (llvm::StringRef Term : terms(A.offset))
    if (Term.contains("threadIdx")) {
      ++OfLanes;
      int64_t Factor;
      Fixed &= Term == "threadIdx.x" ||
               (Term.consume_back("*threadIdx.x") && llvm::to_integer(Term.trim("+- "), Factor));
    }
  return OfLanes == 1 && Fixed;
}

static std::string remedyFor(const Access &A) {
  if (A.field) {
    const FieldInfo &F = *A.field;
    std::string Text = "keep the fields of '" + F.structName + "' in separate shared arrays";
    if (const auto Pad = padBytes(A, F.structSize))
      Text += llvm::formatv(", or pad it from {0} to {1} bytes", F.structSize, F.structSize + *Pad);
    return Text;
  }
  if (auto Text = remedyForDiagonal(A))
    return *Text;
  // A distance between the active lanes that grows with the iterations is a reduction: padding cannot cure
  // all of its steps.
  const Pattern P = patternOf(A);
  const bool SomeIdle = A.activeLanes < 32 || (A.meanActiveLanes > 0 && A.meanActiveLanes < 32);
  const bool Grows = !P.fullMask || !hasFixedPitch(A);
  if (!A.worstIteration.empty() && SomeIdle && Grows) {
    const std::string Neighbours = "let neighbouring lanes take neighbouring words at every step: ";
    // The active lanes are neighbours as they should be, but not their words.
    if (P.fullMask)
      return Neighbours +
             "a reduction adds element t + s to element t for t < s, a scan adds i / 32 to each index i "
             "(or works within warps, by shuffles)";
    return Neighbours + "halve the active lanes (threadIdx.x < s) instead of spreading them";
  }
  if (A.width == 16)
    return "permute the 16-byte chunks of a row, chunk ^ (lane & 7), or pad each row by one chunk";
  // A pitch that is another one in other iterations is the algorithm's, not an array's: a bitonic sort.
  if (P.perLane && *P.perLane != 0 && (A.worstIteration.empty() || !Grows))
    if (const auto Pad = padBytes(A, std::abs(*P.perLane)))
      return llvm::formatv("make the pitch between lanes an odd number of {0}: {1} instead of {2} bytes",
                           A.width == 8 ? "8-byte elements" : "words", std::abs(*P.perLane) + *Pad,
                           std::abs(*P.perLane));
  return "let neighbouring lanes take neighbouring words, or pad or permute the rows so that they start in "
         "different "
         "banks";
}

static std::optional<Finding> inspect(const Kernel &K, const Access &A, const Values &Set) {
  if (!hasConflict(A) || isTileColumn(A))
    return std::nullopt;
  const std::string Of =
      A.field ? " of field '" + A.field->field + "' of an array of '" + A.field->structName + "'" : "";
  Finding F = finding("shared-bank-conflict", K, A, conflictImpact(A, Set),
                      llvm::formatv("{0}{1} is {2}", what(A), Of, conflictCost(A)));
  if (const unsigned Banks = banksUsed(A); Banks < 32)
    F.notes.front().message += llvm::formatv("; the lanes fall into {0} of the 32 banks", Banks);
  remedy(F, remedyFor(A));
  return F;
}

const Rule SharedBankConflict = {"shared-bank-conflict",
                                 "Lanes want different words of one bank of shared memory",
                                 /*onByDefault=*/true,
                                 /*globalGeometry=*/false,
                                 inspect,
                                 nullptr,
                                 ConflictOptions};

} // namespace warplint::rules
