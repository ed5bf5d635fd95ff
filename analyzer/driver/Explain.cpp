#include "analyzer/driver/Explain.h"
#include "analyzer/driver/Footprint.h"
#include "rules/Geometry.h"
#include "rules/Wording.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include <algorithm>
#include <cstdlib>
#include <tuple>

using namespace llvm;
using namespace warplint;
using namespace warplint::driver;
using result::Access;
using result::Confidence;
using result::Kernel;
using result::Place;

namespace {

//===-- Which accesses -------------------------------------------------------===//

/// Is a name one of the file that was asked for? Links and ".." may lead to it.
class AskedFor {
public:
  explicit AskedFor(StringRef Name) : File(Name) {
    (void)sys::fs::make_absolute(File);
    sys::path::remove_dots(File, /*remove_dot_dot=*/true);
  }
  bool operator()(StringRef Name) {
    auto [At, New] = Known.try_emplace(Name, false);
    if (New)
      At->second = Name == File || sys::fs::equivalent(Name, File);
    return At->second;
  }

private:
  SmallString<256> File;
  StringMap<bool> Known;
};

/// An access and the kernel instance that it is of.
struct Found {
  const Kernel *kernel;
  const Access *access;
  const Place &place() const { return access->place; }
};

bool holdsLine(const Place &P, unsigned Line) {
  return P.line <= Line && Line <= std::max(P.line, P.endLine);
}

bool holds(const Place &P, unsigned Line, unsigned Column) {
  if (!holdsLine(P, Line) || (Line == P.line && Column < P.column))
    return false;
  if (P.endLine < P.line || (P.endLine == P.line && P.endColumn <= P.column))
    return Column == P.column; // its end is not known
  return Line < P.endLine || Column < P.endColumn;
}

/// Of nested accesses, a[b[i]], the column of the inner one means that one.
std::pair<unsigned, unsigned> extent(const Place &P) {
  return {P.endLine - std::min(P.line, P.endLine), P.endColumn - std::min(P.column, P.endColumn)};
}

std::vector<Found> atColumn(ArrayRef<Found> All, unsigned Line, unsigned Column) {
  std::vector<Found> Result;
  for (const Found &F : All)
    if (holds(F.place(), Line, Column))
      Result.push_back(F);
  if (Result.empty())
    return Result;
  const auto Least = extent(llvm::min_element(Result, [](auto &L, auto &R) {
                              return extent(L.place()) < extent(R.place());
                            })->place());
  erase_if(Result, [&](const Found &F) { return extent(F.place()) != Least; });
  return Result;
}

/// Those that start at the line; else those that reach over it.
std::vector<Found> atLine(ArrayRef<Found> All, unsigned Line) {
  std::vector<Found> Start, Over;
  for (const Found &F : All) {
    if (F.place().line == Line)
      Start.push_back(F);
    else if (holdsLine(F.place(), Line))
      Over.push_back(F);
  }
  return Start.empty() ? Over : Start;
}

//===-- What would make more of it known -------------------------------------===//

/// The sizes that a text says not to know: names as a kernel's parameters have them.
void addSizes(StringRef Text, std::vector<std::string> &Names) {
  static constexpr const char *Patterns[] = {
      "^([A-Za-z_][A-Za-z0-9_.]*) is (a multiple of|large|-?[0-9])",
      "depends on ([A-Za-z_][A-Za-z0-9_.]*), which is not known",
      "with '([A-Za-z_][A-Za-z0-9_.]*)', whose value is not known",
      "made of '([A-Za-z_][A-Za-z0-9_.]*)', which is not known",
      "parts the lanes of a warp by ([A-Za-z_][A-Za-z0-9_.]*), which is not known",
      "comparison with ([A-Za-z_][A-Za-z0-9_.]*)$"};
  for (const char *Pattern : Patterns) {
    SmallVector<StringRef, 3> Groups;
    if (!Regex(Pattern).match(Text, &Groups))
      continue;
    const StringRef Name = Groups[1];
    // What the launch gives is no parameter.
    if (!Name.starts_with("gridDim") && !Name.starts_with("blockDim") && !Name.starts_with("blockIdx") &&
        !is_contained(Names, Name))
      Names.push_back(Name.str());
  }
}

std::vector<std::string> remediesFor(const Kernel &K, const Access &A) {
  std::vector<std::string> Remedies;
  if (K.blockOrigin == result::BlockOrigin::Assumed)
    Remedies.push_back("--block=X[,Y[,Z]] gives the block that it is really launched with");
  std::vector<std::string> Sizes;
  addSizes(A.reason, Sizes);
  for (const std::string &Assumption : A.assumptions)
    if (A.confidence == Confidence::Assumed)
      addSizes(Assumption, Sizes);
  if (!Sizes.empty()) {
    const std::vector<std::string> Others(Sizes.begin() + 1, Sizes.end());
    Remedies.push_back("--assume=" + Sizes.front() + "=VALUE gives " + Sizes.front() +
                       " its real value, where it is a parameter of the kernel" +
                       (Others.empty() ? "" : "; so for " + join(Others, ", ")));
  }
  if (A.confidence != Confidence::Unknown)
    return Remedies;
  const StringRef Reason = A.reason;
  if (Reason.starts_with("never executed") || Reason.starts_with("not reached"))
    Remedies.push_back(
        "--block=X[,Y[,Z]] and --assume=NAME=VALUE with values for which the conditions around it "
        "hold");
  else if (Reason.contains("budget"))
    Remedies.push_back("--assume=NAME=VALUE with small sizes makes for shorter loops");
  if (A.indexSource || Reason.contains("read from memory"))
    Remedies.push_back(
        "the index is data that only the program's run has: warplint-replay runs the program on the CPU and "
        "counts what it does");
  return Remedies;
}

/// Or are the lanes apart by what was taken for sizes that are not known?
bool hasKnownDistances(const Access &A) {
  if (A.strideIsSymbolic)
    return false;
  for (unsigned I = 0; I < 32; ++I)
    for (unsigned J = 0; J < I; ++J)
      if ((A.activeMask >> I & 1) && (A.activeMask >> J & 1) &&
          rules::isOfSample(A, A.laneOffsets[I] - A.laneOffsets[J]))
        return false;
  return true;
}

/// How the active lanes follow each other.
std::string spacingOf(const Access &A) {
  if (A.activeLanes < 2 || A.confidence == Confidence::Unknown || !A.width)
    return "";
  const rules::Pattern P = rules::patternOf(A);
  if (P.perLane == 0)
    return "all at the same address";
  if (const std::string Stride = rules::stride(A); !Stride.empty())
    return P.fullMask ? "neighbours are " + Stride + " apart"
                      : Stride + " for each step in the lane's number";
  if (P.withinRows == 0)
    return "most neighbours are at the same address";
  if (!P.withinRows || rules::isOfSample(A, *P.withinRows))
    return "not evenly spaced";
  const uint64_t Bytes = uint64_t(std::abs(*P.withinRows)), Elements = Bytes / A.width;
  return "most neighbours are " +
         (Bytes % A.width ? rules::count(double(Bytes), "byte") : rules::count(double(Elements), "element")) +
         " apart";
}

/// The findings at the accesses, without the notes that say of the lanes what the explanation says anyway.
std::vector<result::Finding> findingsAbout(ArrayRef<Found> There, const result::Report &Report) {
  std::vector<result::Finding> Findings;
  for (const result::Finding &F : Report.findings) {
    std::vector<std::string> Known;
    for (const Found &At : There)
      if (F.expression == At.access->expression && F.place.file == At.place().file &&
          F.place.line == At.place().line && F.place.column == At.place().column)
        Known.push_back(rules::lanes(*At.kernel, *At.access));
    if (Known.empty())
      continue;
    Findings.push_back(F);
    erase_if(Findings.back().notes, [&](const result::Note &N) { return is_contained(Known, N.message); });
  }
  return Findings;
}

//===-- Nothing there --------------------------------------------------------===//

unsigned distance(unsigned A, unsigned B) { return A < B ? B - A : A - B; }

std::vector<std::string> nearest(ArrayRef<Found> InFile, const AccessQuery &Query) {
  using Spot = std::tuple<unsigned, unsigned, std::string>; // line, column, expression
  std::vector<Spot> Spots;
  for (const Found &F : InFile)
    if (F.place().valid())
      Spots.emplace_back(F.place().line, F.place().column, F.access->expression);
  llvm::sort(Spots);
  Spots.erase(llvm::unique(Spots), Spots.end());
  const unsigned Column = Query.column.value_or(1);
  llvm::stable_sort(Spots, [&](const Spot &L, const Spot &R) {
    const auto Rank = [&](const Spot &S) {
      return std::pair(distance(std::get<0>(S), Query.line), distance(std::get<1>(S), Column));
    };
    return Rank(L) < Rank(R);
  });
  constexpr size_t Most = 5;
  Spots.resize(std::min(Spots.size(), Most));
  llvm::sort(Spots);
  std::vector<std::string> Lines;
  for (const auto &[Line, At, Expression] : Spots)
    Lines.push_back("an access is at " + Query.file + ":" + utostr(Line) + ":" + utostr(At) +
                    (Expression.empty() ? "" : ": " + Expression));
  return Lines;
}

std::vector<std::string> problemOf(ArrayRef<Found> InFile, const AccessQuery &Query, unsigned LinesOfFile) {
  const std::string Place =
      Query.file + ":" + utostr(Query.line) + (Query.column ? ":" + utostr(*Query.column) : std::string());
  if (InFile.empty())
    return {Place +
            ": no kernel that was analysed reads or writes memory in this file; where other files "
            "include it, name one of them too: --explain-access=" +
            Place + " FILE.cu, or -p DIR"};
  std::string Text = Place + ": no kernel that was analysed reads or writes memory here";
  if (LinesOfFile && Query.line > LinesOfFile)
    Text += "; the file has " + utostr(LinesOfFile) + " lines";
  std::vector<std::string> Lines = nearest(InFile, Query);
  Lines.insert(Lines.begin(), Text);
  return Lines;
}

} // namespace

report::ExplainedAccess warplint::driver::explained(const Kernel &K, const Access &A) {
  report::ExplainedAccess E;
  E.kernel = &K;
  E.access = &A;
  E.footprint = footprintOf(A);
  E.block = rules::block(K);
  E.spacing = spacingOf(A);
  E.distancesKnown = hasKnownDistances(A);
  E.remedies = remediesFor(K, A);
  return E;
}

ExplainOutcome warplint::driver::explain(const result::Report &Report, const AccessQuery &Query,
                                         unsigned LinesOfFile) {
  AskedFor Is(Query.file);
  std::vector<Found> InFile;
  for (const Kernel &K : Report.kernels)
    for (const Access &A : K.accesses)
      if (Is(A.place.file))
        InFile.push_back({&K, &A});
  const std::vector<Found> There =
      Query.column ? atColumn(InFile, Query.line, *Query.column) : atLine(InFile, Query.line);
  ExplainOutcome Outcome;
  if (There.empty()) {
    Outcome.problem = problemOf(InFile, Query, LinesOfFile);
    return Outcome;
  }
  Outcome.explanation.accesses.reserve(There.size());
  for (const Found &F : There)
    Outcome.explanation.accesses.push_back(explained(*F.kernel, *F.access));
  // Instances are side by side; accesses of a line come as they stand in it.
  stable_sort(Outcome.explanation.accesses, [](const auto &L, const auto &R) {
    const Place &P = L.access->place, &Q = R.access->place;
    return std::tie(P.line, P.column, L.access->expression) <
           std::tie(Q.line, Q.column, R.access->expression);
  });
  Outcome.explanation.findings = findingsAbout(There, Report);
  return Outcome;
}
