//===-- GlobalAos.cpp - One field of an array of structures --------------------===//
// # global-aos
//
// ## What it finds
// Lanes that read or write one field of an array of structures, so that neighbouring lanes are a whole
// structure apart and the request moves the other fields too.
//
// ## Why it costs
// A request moves whole 32-byte sectors. With a structure of S bytes a warp spreads over 32 * S bytes: for
// six floats that is 6 transactions and 24 sectors where 1 and 4 would do, and reading all six fields takes
// 36 transactions instead of 6.
//
// ## Example
// ```cuda
// struct Particle { float x, y, z, vx, vy, vz; };
// __global__ void shift(Particle *p) {
//   int i = blockIdx.x * blockDim.x + threadIdx.x;
//   p[i].x += 1.0f; // 6 transactions: lanes are 24 bytes apart
// }
// ```
//
// ## Write instead
// ```cuda
// struct Particles { float *x, *y, *z, *vx, *vy, *vz; };
// __global__ void shift(Particles p) {
//   int i = blockIdx.x * blockDim.x + threadIdx.x;
//   p.x[i] += 1.0f; // 1 transaction
// }
// ```
// A structure of 8 or 16 bytes that is read whole can instead be declared `alignas(8)` or `alignas(16)` and
// copied in one access.
//
// ## When it stays silent
// When the request needs no more sectors than its bytes fill, when the structure is copied whole by an
// aligned access, and when separate arrays would not help because the lanes are many structures apart. When
// other accesses of the same straight line use most of what was moved, the impact is one step lower and both
// numbers are given.
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
#include <algorithm>

namespace warplint::rules {

using namespace result;

static bool isActive(const Access &A, unsigned Lane) { return A.activeMask >> Lane & 1; }

/// In how many accesses the compiler reads an element: members of packed structures come in pieces.
static unsigned piecesOf(const Access &A) {
  const unsigned Scalar = A.field->scalarSize;
  return Scalar > A.width && Scalar % A.width == 0 ? Scalar / A.width : 1;
}

/// The same lanes with the field in an array of its own: the lowest one aligned, structures become elements,
/// pieces one access.
static std::optional<GlobalNumbers> separateArray(const Access &A) {
  const int64_t Size = A.field->structSize;
  const unsigned Width = A.width * piecesOf(A);
  int64_t Lowest = INT64_MAX;
  for (unsigned Lane = 0; Lane != 32; ++Lane)
    if (isActive(A, Lane))
      Lowest = std::min(Lowest, A.laneOffsets[Lane]);
  std::array<int64_t, 32> Offsets{};
  for (unsigned Lane = 0; Lane != 32; ++Lane) {
    if (!isActive(A, Lane))
      continue;
    const int64_t Distance = A.laneOffsets[Lane] - Lowest;
    if (Distance % Size != 0)
      return std::nullopt; // the lanes walk something else than the structures
    Offsets[Lane] = Distance / Size * Width;
  }
  return globalNumbers(Offsets, A.activeMask, Width);
}

/// Transactions of all fields, when they are alike: today, and as separate arrays.
static std::optional<std::pair<unsigned, unsigned>> allFields(const Access &A,
                                                              const GlobalNumbers &Separate) {
  const FieldInfo &F = *A.field;
  if (F.fieldCount < 2 || F.fieldCount > 64 || F.fieldSize != A.width ||
      F.fieldCount * F.fieldSize != F.structSize)
    return std::nullopt;
  unsigned Together = 0;
  for (unsigned Field = 0; Field != F.fieldCount; ++Field) {
    std::array<int64_t, 32> Offsets = A.laneOffsets;
    for (int64_t &O : Offsets)
      O += int64_t(Field) * F.fieldSize - F.fieldOffset;
    Together += globalNumbers(Offsets, A.activeMask, A.width).lines;
  }
  return std::pair{Together, F.fieldCount * Separate.lines};
}

static std::optional<Finding> inspect(const Kernel &K, const Access &A, const Values &Set) {
  if (!A.field || A.field->structSize <= A.width || !isScattered(A))
    return std::nullopt;
  const std::optional<GlobalNumbers> Separate = separateArray(A);
  const unsigned Pieces = piecesOf(A);
  if (!Separate || Separate->sectors >= Pieces * A.worst.sectors)
    return std::nullopt;

  const FieldInfo &Field = *A.field;
  Finding F = finding(
      "global-aos", K, A, globalImpact(A, Set),
      llvm::formatv("{0} of field '{1}' of an array of '{2}' strides {3} bytes between lanes{4}: {5}",
                    what(A), Field.field, Field.structName, Field.structSize,
                    Pieces == 1
                        ? std::string()
                        : llvm::formatv(", in {0} pieces of {1}, each", Pieces, count(A.width, "byte")).str(),
                    globalCost(A)));
  std::string Remedy =
      llvm::formatv("with '{0}' in an array of its own the access takes {1} and {2} instead of {3} and {4}",
                    Field.field, count(Separate->lines, "transaction"), count(Separate->sectors, "sector"),
                    number(Pieces * A.worst.lines), number(Pieces * A.worst.sectors));
  if (const auto All = allFields(A, *Separate); All && All->second < All->first)
    Remedy += llvm::formatv("; all {0} fields take {1} instead of {2}", Field.fieldCount,
                            count(All->second, "transaction"), All->first);
  remedy(F, Remedy);
  if (Field.structSize == 8 || Field.structSize == 16)
    remedy(F, llvm::formatv("where the fields are used together, one {0}-byte access reads the whole of an "
                            "'alignas({0})' structure without waste",
                            Field.structSize));
  noteReuse(F, A);
  return F;
}

const Rule GlobalAos = {"global-aos",
                        "One field of an array of structures: the request moves the other fields too",
                        /*onByDefault=*/true,
                        /*globalGeometry=*/true,
                        inspect,
                        nullptr,
                        GlobalOptions};

} // namespace warplint::rules
