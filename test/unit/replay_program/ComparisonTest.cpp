//===-- ComparisonTest.cpp - The analysis held against what a program did -------------===//
#include "tools/replay/program/Comparison.h"
#include "gmock/gmock.h"

using namespace warplint;
using namespace warplint::replay;
using result::Confidence;
using result::Operation;
using result::Space;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

constexpr std::array<uint64_t, 3> Grid{4, 1, 1};

/// A kernel with one load of 4 sectors; both sides alike until a test changes one.
class Compare : public testing::Test {
protected:
  Compare() {
    result::Access A;
    A.place = {"/k.cu", 4, 3, 4, 9};
    A.space = Space::Global;
    A.width = 4;
    A.confidence = Confidence::Exact;
    A.worst.lines = 1;
    A.worst.sectors = A.worst.idealSectors = 4;
    A.total = result::Total{8, 32, 32, 0};
    result::Kernel K;
    K.name = "k";
    K.signature = "k(int *, int)";
    K.place = {"/k.cu", 3, 1, 3, 2};
    K.block = {64, 1, 1};
    K.blockOrigin = result::BlockOrigin::Launch;
    K.grid = Grid;
    MeasuredKernel M;
    M.kernel = K;
    M.kernel.arguments = {{"n", 100}};
    M.launches = M.recordedLaunches = 1;
    M.complete = true;
    MeasuredAccess Happened;
    Happened.access = A;
    Happened.access.confidence = Confidence::Unknown;
    Happened.access.total.reset();
    Happened.sums = {8, 8, 32, 32, 0, 0};
    M.accesses.push_back(Happened);
    K.accesses.push_back(A);
    Report.kernels.push_back(K);
    Run.kernels.push_back(M);
  }

  result::Access &said() { return Report.kernels[0].accesses[0]; }
  MeasuredAccess &happened() { return Run.kernels[0].accesses[0]; }
  std::vector<Verdict> verdicts() {
    std::vector<Verdict> Result;
    for (const Comparison &C : compare(Report, Run).all)
      Result.push_back(C.verdict);
    return Result;
  }

  result::Report Report;
  Measurement Run;
};

TEST_F(Compare, Alike) { EXPECT_THAT(verdicts(), ElementsAre(Verdict::AgreedExact)); }

TEST_F(Compare, ExactAndExceeded) {
  happened().access.worst.sectors = 5;
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::ExactWrong));
  // Even where little is known of the launch.
  Report.kernels[0].grid.reset();
  said().total.reset();
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::ExactWrong));
}

TEST_F(Compare, PointersThatNoAllocationGives) {
  happened().access.worst.sectors = 5;
  Run.kernels[0].unalignedPointers = true;
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::NotFulfilled));
  happened().access.space = said().space = Space::Shared;
  happened().access.worst.conflictWays = 2;
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::ExactWrong));
}

TEST_F(Compare, ExactAndNotReached) {
  said().worst.sectors = 32;
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::ExactWrong));
  // Of other launches it may be so.
  Report.kernels[0].grid.reset();
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::AgreedWithin));
}

TEST_F(Compare, NotReachedInASample) {
  said().worst.sectors = 32;
  Run.kernels[0].complete = false;
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::AgreedWithin));
}

TEST_F(Compare, ASmallExcessIsWorseThanManySectorsWithoutOne) {
  said().worst.sectors = 2;
  said().worst.idealSectors = 1;
  Report.kernels[0].grid.reset();
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::AgreedWithin));
}

TEST_F(Compare, Totals) {
  happened().sums.requests = 9;
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::ExactWrong));
}

TEST_F(Compare, TotalsOfSeveralLaunches) {
  Run.kernels[0].launches = Run.kernels[0].recordedLaunches = 2;
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::ExactWrong));
  happened().sums = {16, 16, 64, 64, 0, 0};
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::AgreedExact));
}

TEST_F(Compare, AssumptionsThatHold) {
  said().confidence = Confidence::Assumed;
  said().assumptions = {"n is a multiple of 4"};
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::AgreedAssumed));
  happened().access.worst.sectors = 5;
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::AssumedWrong));
}

TEST_F(Compare, AssumptionsThatDoNotHold) {
  said().confidence = Confidence::Assumed;
  said().assumptions = {"n is a multiple of 32"};
  happened().access.worst.sectors = 5;
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::NotFulfilled));
}

TEST_F(Compare, PointersThatLeadElsewhere) {
  said().confidence = Confidence::Assumed;
  said().assumptions = {std::string("the pointer p is 256-byte aligned") + result::LeadsToGlobal};
  happened().access.space = Space::Shared;
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::NotFulfilled));
  // Of another pointer the space is known: the access is another one.
  said().assumptions = {"the pointer p is 256-byte aligned"};
  EXPECT_THAT(verdicts(), testing::UnorderedElementsAre(Verdict::Missing, Verdict::NotExecuted));
}

TEST_F(Compare, AssumptionsThatNobodyCanCheck) {
  said().confidence = Confidence::Assumed;
  said().assumptions = {"blocks and warps differ, a sample of them was followed"};
  happened().access.worst.sectors = 5;
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::Undecided));
}

TEST_F(Compare, Unknown) {
  said().confidence = Confidence::Unknown;
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::Unknown));
}

TEST_F(Compare, NotInTheReport) {
  Report.kernels[0].accesses.clear();
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::Missing));
  happened().access.space = Space::Local; // registers, for all that the analysis knows
  EXPECT_THAT(verdicts(), IsEmpty());
}

TEST_F(Compare, BehindACallThatIsNotFollowed) {
  Run.kernels[0].function = "k(int*, int)";
  happened().function = "square(int*)";
  said() = result::Access();
  said().place = {"/k.cu", 9, 3, 9, 3};
  said().confidence = Confidence::Unknown;
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::Missing, Verdict::NotExecuted));
  said().unknownCall = true;
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::NotFollowed));
  happened().function = "k(int*, int)"; // the kernel's own body is in the report, or should be
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::Missing));
}

TEST_F(Compare, AnotherSpaceOfTheSamePlaceIsMissing) {
  happened().access.space = Space::Shared;
  Run.kernels[0].complete = false;
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::Missing, Verdict::NotExecuted));
}

TEST_F(Compare, AnotherColumnOfTheLineIsTheSame) {
  happened().access.place.column = 7;
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::AgreedExact));
  happened().access.place.line = 5;
  Run.kernels[0].complete = false;
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::Missing, Verdict::NotExecuted));
}

TEST_F(Compare, NeverHappensThoughProved) {
  Run.kernels[0].accesses.clear();
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::ExactWrong));
  said().removed = true;
  EXPECT_THAT(verdicts(), IsEmpty());
}

TEST_F(Compare, JoinedByTheCompiler) {
  said().width = 8;
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::OtherWidth));
}

TEST_F(Compare, SeveralOfOnePlaceAreOne) {
  Report.kernels[0].accesses.push_back(said());
  said().total = result::Total{6, 24, 24, 0};
  Report.kernels[0].accesses[1].total = result::Total{2, 8, 8, 0};
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::AgreedExact));
}

TEST_F(Compare, OtherConfigurationsAreNotCompared) {
  Run.kernels[0].kernel.block = {32, 1, 1};
  ComparisonResult R = compare(Report, Run);
  EXPECT_THAT(R.all, IsEmpty());
  EXPECT_THAT(R.notAnalysed, testing::SizeIs(1));
  Run.kernels[0].kernel.block = {64, 1, 1};
  Report.kernels[0].arguments = {{"n", 99}};
  EXPECT_THAT(compare(Report, Run).notAnalysed, testing::SizeIs(1));
  Report.kernels[0].arguments = {{"n", 100}};
  EXPECT_THAT(compare(Report, Run).notAnalysed, IsEmpty());
}

TEST_F(Compare, TheNearestConfigurationCounts) {
  Report.kernels.insert(Report.kernels.begin(), Report.kernels[0]);
  Report.kernels[0].grid.reset();
  said().worst.sectors = 32;
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::AgreedExact));
}

TEST_F(Compare, KernelsThatNeverRan) {
  Run.kernels.clear();
  EXPECT_THAT(compare(Report, Run).notRun, ElementsAre("k(int *, int)"));
}

TEST(Fulfilled, OfSizes) {
  EXPECT_EQ(fulfilled({}, {}), true);
  EXPECT_EQ(fulfilled({"n is large"}, {{"n", 5000}}), true);
  EXPECT_EQ(fulfilled({"n is large"}, {{"n", 5}}), false);
  EXPECT_EQ(fulfilled({"n is 7"}, {{"n", 7}}), true);
  EXPECT_EQ(fulfilled({"n is 7"}, {{"n", 8}}), false);
  EXPECT_EQ(fulfilled({"n is large"}, {}), std::nullopt);
  EXPECT_EQ(fulfilled({"the pointer p is 256-byte aligned"}, {{"n", 1}}), std::nullopt);
}

} // namespace
