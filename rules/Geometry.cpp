#include "rules/Geometry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

namespace warplint::rules {

using namespace result;

static bool isActive(uint32_t Mask, unsigned Lane) { return Mask >> Lane & 1; }

static int64_t floorDiv(int64_t A, int64_t B) { return A >= 0 ? A / B : -((-A + B - 1) / B); }

Pattern patternOf(const Access &A) {
  Pattern P;
  std::vector<std::pair<int64_t, int64_t>> Pieces;
  unsigned Neighbours = 0, InRow = 0;
  std::map<int64_t, unsigned> Steps;
  int Last = -1;
  bool OneStep = true;
  P.fullMask = true;
  for (unsigned Lane = 0; Lane != 32; ++Lane) {
    if (!isActive(A.activeMask, Lane))
      continue;
    ++P.lanes;
    const int64_t At = A.laneOffsets[Lane];
    Pieces.push_back({At, At + A.width});
    if (Last >= 0) {
      const int64_t Step = At - A.laneOffsets[Last], Gap = int64_t(Lane) - Last;
      P.fullMask &= Gap == 1;
      ++Steps[Step];
      ++Neighbours;
      InRow += Step == 0 || std::abs(Step) == int64_t(A.width);
      if (Step % Gap != 0 || (P.perLane && *P.perLane != Step / Gap))
        OneStep = false;
      else
        P.perLane = Step / Gap;
    }
    Last = int(Lane);
  }
  if (!OneStep)
    P.perLane.reset();
  for (auto [Step, Count] : Steps)
    if (4 * Count >= 3 * Neighbours)
      P.withinRows = Step;
  P.lanesInRow = Neighbours != 0 && 2 * InRow >= Neighbours;

  std::sort(Pieces.begin(), Pieces.end());
  std::vector<std::pair<int64_t, int64_t>> Runs;
  for (auto [Begin, End] : Pieces) {
    if (!Runs.empty() && Begin <= Runs.back().second)
      Runs.back().second = std::max(Runs.back().second, End);
    else
      Runs.push_back({Begin, End});
  }
  P.runs = Runs.size();
  int64_t Bytes = 0;
  for (auto [Begin, End] : Runs) {
    const int64_t Length = End - Begin;
    Bytes += Length;
    P.shortestRun = P.shortestRun == 0 ? Length : std::min(P.shortestRun, Length);
    P.alignedRuns += (Length + SectorBytes - 1) / SectorBytes;
  }
  if (P.runs)
    P.meanRun = double(Bytes) / P.runs;
  return P;
}

bool isGlobal(const Access &A) {
  return A.space == Space::Global && !A.removed && A.confidence != Confidence::Unknown && A.activeLanes > 1 &&
         A.width != 0;
}

bool hasExcess(const Access &A) { return isGlobal(A) && A.worst.sectors > A.worst.idealSectors; }

bool isScattered(const Access &A) {
  if (!hasExcess(A))
    return false;
  const Pattern P = patternOf(A);
  return P.runs > 1 && P.meanRun < SectorBytes && !isUnitStrideWithGaps(A);
}

bool isNarrowRows(const Access &A) { return isScattered(A) && patternOf(A).lanesInRow; }

bool hasVectorNeighbours(const Access &A) {
  if (!isScattered(A) || !A.companions || !A.companions->sameRegion || A.companions->sectorEfficiency < 0.99)
    return false;
  const Pattern P = patternOf(A);
  if (!P.withinRows || !P.fullMask)
    return false;
  const int64_t Step = std::abs(*P.withinRows);
  if (Step <= A.width || (Step != 4 && Step != 8 && Step != 16))
    return false;
  return (A.companions->accesses + 1) * A.width >= Step;
}

bool isUnitStrideWithGaps(const Access &A) {
  const Pattern P = patternOf(A);
  return P.perLane && std::abs(*P.perLane) == int64_t(A.width) && !P.fullMask;
}

//===-- Terms of the offset expression --------------------------------------===//

/// Splits at `Separators` outside parentheses and brackets; a leading sign stays with its term.
static std::vector<std::string> split(llvm::StringRef Text, llvm::StringRef Separators) {
  std::vector<std::string> Parts;
  std::string Part;
  int Depth = 0;
  for (char C : Text) {
    Depth += (C == '(' || C == '[') - (C == ')' || C == ']');
    if (Depth == 0 && Separators.contains(C) && !llvm::StringRef(Part).trim().empty()) {
      Parts.push_back(llvm::StringRef(Part).trim().str());
      Part.clear();
    } else {
      Part += C;
    }
  }
  if (!llvm::StringRef(Part).trim().empty())
    Parts.push_back(llvm::StringRef(Part).trim().str());
  return Parts;
}

std::vector<std::string> terms(const std::string &Offset) { return split(Offset, "+-"); }

namespace {
struct Term {
  int64_t number = 1;
  std::set<std::string> symbols;
  bool ofLane = false; ///< has threadIdx.x in it
};
} // namespace

static Term parseTerm(const std::string &Text) {
  Term T;
  for (const std::string &Factor : split(Text, "*")) {
    int64_t Number;
    if (llvm::to_integer(Factor, Number))
      T.number *= Number;
    else if (llvm::StringRef(Factor).contains("threadIdx.x"))
      T.ofLane = true;
    else
      T.symbols.insert(Factor);
  }
  T.number = std::abs(T.number);
  return T;
}

/// Does a term of the offset run faster than the one that threadIdx.x scales: with fewer symbols, or less?
static bool hasFasterIndex(const std::string &Offset) {
  std::vector<Term> Terms;
  for (const std::string &Text : terms(Offset))
    Terms.push_back(parseTerm(Text));
  const auto Lane = std::find_if(Terms.begin(), Terms.end(), [](const Term &T) { return T.ofLane; });
  if (Lane == Terms.end())
    return true; // not a polynomial in threadIdx.x: nothing speaks against what the analysis found
  return std::any_of(Terms.begin(), Terms.end(), [&](const Term &T) {
    if (T.ofLane || T.symbols.empty())
      return false;
    if (Lane->symbols.empty())
      return T.number < Lane->number;
    return !std::includes(T.symbols.begin(), T.symbols.end(), Lane->symbols.begin(), Lane->symbols.end());
  });
}

bool isRowPerThread(const Access &A) {
  if (!A.laneIsSlowIndex || !isScattered(A))
    return false;
  return A.offset.empty() ? A.loop >= 0 : hasFasterIndex(A.offset);
}

//===-- What the cost would be ------------------------------------------------===//

GlobalNumbers globalNumbers(const std::array<int64_t, 32> &Offsets, uint32_t Mask, unsigned Width) {
  std::set<int64_t> Lines, Sectors;
  for (unsigned Lane = 0; Lane != 32; ++Lane) {
    if (!isActive(Mask, Lane))
      continue;
    const int64_t First = Offsets[Lane], Last = First + Width - 1;
    for (int64_t S = floorDiv(First, SectorBytes); S <= floorDiv(Last, SectorBytes); ++S) {
      Sectors.insert(S);
      Lines.insert(floorDiv(S, LineBytes / SectorBytes));
    }
  }
  return {unsigned(Lines.size()), unsigned(Sectors.size())};
}

/// Is every active lane's partner (lane xor `Bit`) inactive or at the same address?
static bool partnersAgree(const std::array<int64_t, 32> &Offsets, uint32_t Mask, unsigned Bit) {
  for (unsigned Lane = 0; Lane != 32; ++Lane)
    if (isActive(Mask, Lane) && isActive(Mask, Lane ^ Bit) && Offsets[Lane] != Offsets[Lane ^ Bit])
      return false;
  return true;
}

SharedNumbers sharedNumbers(const std::array<int64_t, 32> &Offsets, uint32_t Mask, unsigned Width,
                            bool IsLoad) {
  unsigned Phases = Width <= 4 ? 1 : Width <= 8 ? 2 : 4;
  if (IsLoad && Phases > 1 && (partnersAgree(Offsets, Mask, 1) || partnersAgree(Offsets, Mask, 2)))
    Phases /= 2;
  const unsigned LanesPerPhase = 32 / Phases;
  SharedNumbers N;
  for (unsigned Phase = 0; Phase != Phases; ++Phase) {
    std::map<int64_t, std::set<int64_t>> WordsOfBank;
    for (unsigned Lane = Phase * LanesPerPhase; Lane != (Phase + 1) * LanesPerPhase; ++Lane) {
      if (!isActive(Mask, Lane))
        continue;
      const int64_t First = floorDiv(Offsets[Lane], WordBytes);
      const int64_t Last = floorDiv(Offsets[Lane] + Width - 1, WordBytes);
      for (int64_t Word = First; Word <= Last; ++Word)
        WordsOfBank[Word & 31].insert(Word);
    }
    unsigned Most = 0;
    for (const auto &[Bank, Words] : WordsOfBank)
      Most = std::max(Most, unsigned(Words.size()));
    N.wavefronts += Most;
    N.ways = std::max(N.ways, Most);
  }
  return N;
}

bool isOfSample(const Access &A, int64_t Distance) {
  constexpr int64_t Least = 4096; // bytes: sizes are taken as multiples of so many
  return A.confidence == Confidence::Assumed && !A.laneStride && std::abs(Distance) >= Least;
}

bool dependsOnData(const Access &A) {
  return llvm::any_of(A.assumptions, [](llvm::StringRef Text) {
    return Text.starts_with("the condition at ") && Text.contains("on data");
  });
}

bool hasConflict(const Access &A) {
  if (A.space != Space::Shared || A.removed || A.confidence == Confidence::Unknown ||
      A.worst.conflictWays < 2)
    return false;
  // The bank depends on every bit of the pitch: an assumed one proves nothing.
  return !(A.strideIsSymbolic && A.confidence == Confidence::Assumed);
}

bool isTileColumn(const Access &A) {
  return hasConflict(A) && A.tile && A.tile->extents.size() >= 2 && A.laneSelectsRow;
}

} // namespace warplint::rules
