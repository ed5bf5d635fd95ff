//===-- SharedTileColumn.cpp - Columns of a shared tile ----------------------------------===//
// # shared-tile-column
//
// ## What it finds
// Accesses in which threadIdx.x picks the row of a declared two-dimensional `__shared__` array, so that a
// warp touches a column, when the rows are so far apart that the column falls into few banks.
//
// ## Why it costs
// Shared memory has 32 banks of 4 bytes. In `float tile[32][32]` rows are 32 words apart, so all elements of
// a column are in one bank and are served one after the other: 32 wavefronts where 1 would do.
//
// ## Example
// ```cuda
// __shared__ float tile[32][32];
// out[i] = tile[threadIdx.x][threadIdx.y]; // 32-way bank conflict
// ```
//
// ## Write instead
// ```cuda
// __shared__ float tile[32][33]; // rows are 33 words apart: a column is spread over all banks
// out[i] = tile[threadIdx.x][threadIdx.y];
// ```
// Where padding would make row accesses worse, permute the columns instead (`tile[r][c ^ r]`).
//
// ## Fix
// `--fix` pads the rows by as few elements as help and keeps rows that are read as `float4` aligned. Safe where
// the tile is only indexed. Where its address goes elsewhere as a pointer, or `sizeof` is taken of it, padding
// may change what the program does: unsafe, and applied with `--unsafe-fixes` only. Not offered where row
// accesses would get worse, or where the length of a row is not written in the declaration.
//
// ## When it stays silent
// For padded and swizzled tiles, for lanes that read the same word, and when the pitch is only assumed.
//
// ## Options
// - `MinWays` (2): silent about conflicts of fewer ways.
// - `HighImpactWays` (8), `MediumImpactWays` (2): the impact is high or medium from so many ways on; otherwise
//   low.
// - `Severity`: note, warning or error; `default`: by impact.
//===----------------------------------------------------------------------===//
#include "rules/AllRules.h"
#include "rules/Fixes.h"
#include "rules/Geometry.h"
#include "rules/Wording.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <set>

namespace warplint::rules {

using namespace result;

static constexpr uint64_t StaticSharedLimit =
    48 * 1024; ///< bytes a block may declare without opting in to more

static int64_t rowBytes(const TileInfo &T) { return int64_t(T.extents.back()) * T.elementSize; }

/// The conflict with rows `Pad` elements longer: every row moves by the pads of the rows before it.
static SharedNumbers padded(const Access &A, unsigned Pad) {
  std::array<int64_t, 32> Offsets = A.laneOffsets;
  const int64_t Row = rowBytes(*A.tile);
  for (int64_t &O : Offsets) {
    const int64_t Index = O >= 0 ? O / Row : -((-O + Row - 1) / Row);
    O += Index * Pad * A.tile->elementSize;
  }
  return sharedNumbers(Offsets, A.activeMask, A.width, A.operation == Operation::Load);
}

static bool isSameTile(const Access &A, const Access &B) {
  return B.space == Space::Shared && B.tile && B.tile->name == A.tile->name &&
         B.tile->declaration.file == A.tile->declaration.file &&
         B.tile->declaration.line == A.tile->declaration.line && B.tile->extents == A.tile->extents;
}

/// The smallest pad that leaves the fewest conflicts here and makes no other access of the tile worse.
static std::optional<unsigned> padOf(const Kernel &K, const Access &A) {
  const TileInfo &T = *A.tile;
  if (T.elementSize == 0 || T.extents.back() == 0)
    return std::nullopt;
  std::vector<const Access *> Others;
  unsigned Widest = std::max(A.width, T.elementSize);
  for (const Access &B : K.accesses) {
    if (!isSameTile(A, B) || B.removed)
      continue;
    Widest = std::max(Widest, B.width);
    if (B.confidence != Confidence::Unknown)
      Others.push_back(&B);
  }
  uint64_t Rows = 1;
  for (size_t I = 0; I + 1 < T.extents.size(); ++I)
    Rows *= T.extents[I];
  // Wide accesses need every row to start on a multiple of their width.
  const unsigned Step = (Widest + T.elementSize - 1) / T.elementSize;
  std::optional<unsigned> Best;
  unsigned BestWays = unsigned(A.worst.conflictWays);
  for (unsigned Pad = Step; Pad <= std::max(32u, Step); Pad += Step) {
    if (K.staticShared + Rows * Pad * T.elementSize > StaticSharedLimit)
      break;
    const unsigned Ways = padded(A, Pad).ways;
    if (Ways >= BestWays)
      continue;
    if (std::any_of(Others.begin(), Others.end(), [&](const Access *B) {
          return padded(*B, Pad).ways > std::max(1.0, B->worst.conflictWays);
        }))
      continue;
    Best = Pad;
    BestWays = Ways;
    if (Ways <= 1)
      break;
  }
  return Best;
}

/// "32 words apart, so a column stays in one bank".
static std::string rowsText(const Access &A) {
  const int64_t Row = rowBytes(*A.tile);
  std::set<int64_t> Banks;
  for (unsigned Lane = 0; Lane != 32; ++Lane)
    if (A.activeMask >> Lane & 1)
      Banks.insert(A.laneOffsets[Lane] / WordBytes & 31);
  std::string Text = Row % WordBytes == 0 ? count(Row / WordBytes, "word") : count(Row, "byte");
  Text += " apart, so ";
  if (Banks.size() == 1)
    return Text + "a column stays in one bank";
  return Text + "the lanes of a warp start in only " + count(Banks.size(), "bank");
}

static std::optional<Finding> inspect(const Kernel &K, const Access &A, const Values &Set) {
  if (!isTileColumn(A))
    return std::nullopt;
  const TileInfo &T = *A.tile;
  Finding F = finding("shared-tile-column", K, A, conflictImpact(A, Set),
                      llvm::formatv("{0} of a tile column is {1}", what(A), conflictCost(A)));
  const std::optional<unsigned> Pad = padOf(K, A);
  std::string Why = llvm::formatv("rows of '{0}' are {1}", T.name, rowsText(A));
  if (Pad) {
    std::vector<uint64_t> Extents = T.extents;
    Extents.back() += *Pad;
    const SharedNumbers After = padded(A, *Pad);
    Why += "; pad to " + extentsText(Extents);
    if (After.ways > 1)
      Why += llvm::formatv(", which leaves {0} conflict", nWay(After.ways));
    if (std::optional<Fix> Padding = padRows(T, *Pad)) {
      Padding->before = A.worst;
      Padding->after = A.worst;
      Padding->after.wavefronts = After.wavefronts;
      Padding->after.conflictWays = After.ways;
      F.fixes.push_back(std::move(*Padding));
    }
  } else {
    Why += "; padding does not help without harm, so permute the columns instead: column c of row r at c ^ r";
  }
  F.notes.insert(F.notes.begin(), Note{Why, T.declaration.valid() ? T.declaration : A.place});
  return F;
}

const Rule SharedTileColumn = {"shared-tile-column",
                               "A warp touches a column of a shared tile whose rows fall into the same banks",
                               /*onByDefault=*/true,
                               /*globalGeometry=*/false,
                               inspect,
                               nullptr,
                               ConflictOptions};

} // namespace warplint::rules
