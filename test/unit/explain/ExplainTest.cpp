//===-- ExplainTest.cpp - What pictures of accesses are made of -----------------===//
//
// Requests that no kernel need be written for: footprints against the model's counts, and pictures at every
// width.
//
//===----------------------------------------------------------------------===//
#include "analyzer/driver/Explain.h"
#include "analyzer/driver/Footprint.h"
#include "analyzer/model/Phases.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <bit>
#include <functional>
#include <random>

using namespace warplint;
using namespace warplint::result;
using testing::HasSubstr;
using testing::Not;

namespace {

constexpr uint32_t AllLanes = ~uint32_t(0);

Access access(Space Where, unsigned Width, const std::function<int64_t(unsigned)> &Offset,
              uint32_t Mask = AllLanes, Operation Does = Operation::Load) {
  Access A;
  A.place = {"/a.cu", 3, 5, 3, 9};
  A.expression = "a[i]";
  A.base = "a";
  A.space = Where;
  A.operation = Does;
  A.width = Width;
  A.confidence = Confidence::Exact;
  A.activeMask = Mask;
  A.activeLanes = A.maxActiveLanes = unsigned(std::popcount(Mask));
  for (unsigned Lane = 0; Lane < 32; ++Lane)
    A.laneOffsets[Lane] = Offset(Lane);
  return A;
}

Access strided(Space Where, unsigned Width, int64_t Stride, int64_t Base = 0, uint32_t Mask = AllLanes) {
  return access(
      Where, Width, [=](unsigned Lane) { return Base + Stride * Lane; }, Mask);
}

model::Request requestOf(const Access &A) {
  model::Request R;
  R.address = A.laneOffsets;
  R.active = A.activeMask;
  R.width = A.width;
  return R;
}

/// A request like those of code, and some like those of none.
Access randomAccess(std::mt19937 &Random) {
  const auto Below = [&](unsigned Bound) { return unsigned(Random() % Bound); };
  constexpr unsigned Widths[] = {1, 2, 3, 4, 8, 12, 16, 24, 32};
  const unsigned Width = Widths[Below(std::size(Widths))], Scale = 1u << Below(8), Start = Below(512);
  const bool Scattered = Below(2);
  const Space Where = Below(2) ? Space::Global : Space::Shared;
  std::array<int64_t, 32> Offsets{};
  for (unsigned Lane = 0; Lane < 32; ++Lane)
    Offsets[Lane] = int64_t(Start) - 256 + int64_t(Scale) * (Scattered ? Below(64) : Lane);
  const uint32_t Mask = Below(3) ? AllLanes : uint32_t(Random()) | 1;
  return access(
      Where, Width, [&](unsigned Lane) { return Offsets[Lane]; }, Mask,
      Below(2) ? Operation::Load : Operation::Store);
}

void expectModelsCounts(const Access &A, const Footprint &F) {
  const model::Request R = requestOf(A);
  EXPECT_EQ(F.addresses.size(), model::constantCost(R));
  if (A.space == Space::Global) {
    const model::GlobalCost Cost = model::globalCost(R);
    EXPECT_EQ(F.sectors.size(), Cost.sectors);
    EXPECT_EQ(F.usedBytes, Cost.distinctBytes);
    unsigned Bytes = 0, Lines = 0;
    uint32_t Lanes = 0;
    int64_t Last = -1;
    for (const TouchedSector &S : F.sectors) {
      Bytes += S.usedBytes;
      Lanes |= S.lanes;
      Lines += S.line != Last;
      Last = S.line;
      EXPECT_EQ(S.usedBytes, 32 - std::count(S.owner.begin(), S.owner.end(), TouchedSector::Nobody));
    }
    EXPECT_EQ(Bytes, Cost.distinctBytes);
    EXPECT_EQ(Lines, Cost.lines);
    EXPECT_EQ(Lanes, A.activeMask);
    return;
  }
  const model::SharedCost Cost = model::sharedCost(R, A.operation == Operation::Load);
  unsigned Wavefronts = 0, Ways = 0;
  uint32_t Lanes = 0;
  for (const TouchedPhase &P : F.phases) {
    Wavefronts += P.wavefronts;
    Ways = std::max(Ways, P.wavefronts);
    EXPECT_EQ(Lanes & P.lanes, 0u);
    Lanes |= P.lanes;
  }
  EXPECT_EQ(F.phases.size(), Cost.phases);
  EXPECT_EQ(Wavefronts, Cost.wavefronts);
  EXPECT_EQ(Ways, Cost.conflictWays);
  EXPECT_EQ(Lanes, A.activeMask);
}

/// The whole explanation of one access of a kernel without a launch.
std::string explained(const Access &A, unsigned Width = 80) {
  Report R;
  R.kernels.emplace_back();
  R.kernels.front().signature = "k(float *)";
  R.kernels.front().accesses = {A};
  const driver::ExplainOutcome Outcome = driver::explain(R, {A.place.file, A.place.line, {}}, 0);
  EXPECT_TRUE(Outcome.problem.empty());
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  report::PictureOptions Options;
  Options.width = Width;
  report::writeExplanation(OS, Outcome.explanation, nullptr, Options);
  return Text;
}

std::vector<std::string> linesOf(const std::string &Text) {
  std::vector<std::string> Lines;
  for (size_t At = 0; At < Text.size();) {
    const size_t End = Text.find('\n', At);
    Lines.push_back(Text.substr(At, End - At));
    At = End + 1;
  }
  return Lines;
}

TEST(Footprint, CountsAreTheModels) {
  std::mt19937 Random(20240601);
  for (unsigned I = 0; I < 4000 && !HasFailure(); ++I) {
    const Access A = randomAccess(Random);
    SCOPED_TRACE(I);
    expectModelsCounts(A, driver::footprintOf(A));
  }
}

TEST(Footprint, OwnersOfBytes) {
  // Lanes 0 and 1 overlap in bytes 2 and 3; lane 2 lies below zero, in the line before.
  const Access A = access(
      Space::Global, 4, [](unsigned Lane) { return Lane == 0   ? 0
                                                   : Lane == 1 ? 2
                                                               : -4; }, 0b111);
  const Footprint F = driver::footprintOf(A);
  ASSERT_EQ(F.sectors.size(), 2u);
  EXPECT_EQ(F.usedBytes, 10u);
  EXPECT_EQ(std::pair(F.sectors[0].line, F.sectors[0].number), std::pair(int64_t(0), 3u));
  EXPECT_EQ(std::pair(F.sectors[1].line, F.sectors[1].number), std::pair(int64_t(1), 0u));
  const auto &Owner = F.sectors[1].owner;
  EXPECT_EQ(Owner[1], 0u);
  EXPECT_EQ(Owner[2], TouchedSector::Several);
  EXPECT_EQ(Owner[3], TouchedSector::Several);
  EXPECT_EQ(Owner[4], 1u);
  EXPECT_EQ(Owner[6], TouchedSector::Nobody);
  EXPECT_EQ(F.sectors[0].owner[28], 2u);
  EXPECT_EQ(F.sectors[0].owner[27], TouchedSector::Nobody);
}

TEST(Footprint, Phases) {
  // float4, neighbours on neighbours: four phases that do not merge; in pairs on one address: two that do.
  EXPECT_EQ(driver::footprintOf(strided(Space::Shared, 16, 16)).phases.size(), 4u);
  EXPECT_FALSE(driver::footprintOf(strided(Space::Shared, 16, 16)).mergedPhases);
  const auto Paired = [](unsigned Lane) { return int64_t(16 * (Lane / 2)); };
  const Footprint Merged = driver::footprintOf(access(Space::Shared, 16, Paired));
  EXPECT_EQ(Merged.phases.size(), 2u);
  EXPECT_TRUE(Merged.mergedPhases);
  EXPECT_EQ(Merged.phases[1].lanes, 0xffff0000u);
  // Stores do not merge, nor do the rows of ldmatrix.
  EXPECT_EQ(driver::footprintOf(access(Space::Shared, 16, Paired, AllLanes, Operation::Store)).phases.size(),
            4u);
  Access Rows = access(Space::Shared, 16, Paired);
  Rows.mechanism = Mechanism::Ldmatrix;
  EXPECT_EQ(driver::footprintOf(Rows).phases.size(), 4u);
  EXPECT_FALSE(driver::footprintOf(Rows).mergedPhases);
}

TEST(Footprint, NothingOfUnknownAccesses) {
  Access A = strided(Space::Global, 4, 4);
  A.confidence = Confidence::Unknown;
  EXPECT_TRUE(driver::footprintOf(A).sectors.empty());
  EXPECT_TRUE(driver::footprintOf(A).addresses.empty());
}

TEST(Picture, FitsEveryWidth) {
  std::mt19937 Random(7);
  for (unsigned Width : {40, 60, 75, 79, 80, 100, 143, 144, 300})
    for (unsigned I = 0; I < 40; ++I) {
      SCOPED_TRACE(std::to_string(Width) + ", " + std::to_string(I));
      const std::vector<std::string> Lines = linesOf(explained(randomAccess(Random), Width));
      for (size_t Line = 1; Line < Lines.size(); ++Line) // the first names the file
        ASSERT_LE(Lines[Line].size(), Width) << Lines[Line];
    }
}

TEST(Picture, BoxesFromTheirWidthOn) {
  const Access A = strided(Space::Global, 4, 4);
  EXPECT_THAT(explained(A, 79), Not(HasSubstr("+---")));
  EXPECT_THAT(explained(A, 79), HasSubstr("  +0       sector 0: 32 of 32 bytes, lanes 0-7\n"));
  EXPECT_THAT(explained(A, 80), HasSubstr("  +0       |0011223344556677|8899aabbccddeeff|"));
  EXPECT_THAT(explained(A, 144), HasSubstr("  +0       |00001111222233334444555566667777|"));
  EXPECT_THAT(explained(strided(Space::Shared, 4, 4), 74), Not(HasSubstr("turn 1")));
  EXPECT_THAT(explained(strided(Space::Shared, 4, 4), 75), HasSubstr("turn 1   0 1 2 3"));
}

TEST(Picture, RowsAreCut) {
  EXPECT_THAT(explained(strided(Space::Global, 4, 24)), Not(HasSubstr("more lines")));
  EXPECT_THAT(explained(strided(Space::Global, 4, 32)),
              HasSubstr("... 4 more lines like these: 4 sectors each, 16 bytes used ..."));
  // Every second line has two lanes in it.
  const auto Uneven = [](unsigned Lane) {
    return int64_t(Lane % 3 == 2 ? 256 * (Lane / 3) + 128 : 256 * (Lane / 3) + 4 * (Lane % 3));
  };
  EXPECT_THAT(explained(access(Space::Global, 4, Uneven)),
              HasSubstr("more lines: 1 sector each, 4 to 8 bytes used"));
}

TEST(Picture, UnknownDistances) {
  Access A = strided(Space::Global, 4, 4096 * 4);
  A.confidence = Confidence::Assumed;
  A.laneStrideText = "n";
  A.strideIsSymbolic = true;
  A.assumptions = {"n is large"};
  const std::string Text = explained(A);
  EXPECT_THAT(Text, HasSubstr("neighbours are n elements apart"));
  EXPECT_THAT(Text, HasSubstr("  line 2   |11"));
  EXPECT_THAT(Text, Not(HasSubstr("+16384")));
  EXPECT_THAT(Text, HasSubstr("--assume=n=VALUE"));
}

TEST(Picture, SafeOnTerminals) {
  Access A = strided(Space::Global, 4, 4);
  A.base = "a\x1b[31m";
  A.offset = "4*\xe2\x80\xae";
  A.confidence = Confidence::Assumed;
  A.assumptions = {"line\nbreak \xff"};
  const std::string Text = explained(A);
  for (const char *Bad : {"\x1b", "\xe2\x80\xae", "\xff"})
    EXPECT_THAT(Text, Not(HasSubstr(Bad)));
  EXPECT_THAT(Text, HasSubstr("<U+001B>"));
  EXPECT_THAT(Text, HasSubstr("line break"));
}

TEST(Explain, NearestAccesses) {
  Report R;
  R.kernels.emplace_back();
  for (unsigned Line : {10, 20, 30, 40, 50, 60, 70}) {
    Access A = strided(Space::Global, 4, 4);
    A.place = {"/a.cu", Line, 5, Line, 9};
    R.kernels.front().accesses.push_back(A);
  }
  const driver::ExplainOutcome Outcome = driver::explain(R, {"/a.cu", 46, {}}, 80);
  ASSERT_EQ(Outcome.problem.size(), 6u);
  EXPECT_EQ(Outcome.problem[0], "/a.cu:46: no kernel that was analysed reads or writes memory here");
  EXPECT_EQ(Outcome.problem[1], "an access is at /a.cu:30:5: a[i]");
  EXPECT_EQ(Outcome.problem[5], "an access is at /a.cu:70:5: a[i]");
  EXPECT_THAT(driver::explain(R, {"/a.cu", 46, {}}, 40).problem[0], HasSubstr("the file has 40 lines"));
}

} // namespace
