#include "Builders.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace warplint::rules;
using namespace warplint::rules::test;
using testing::HasSubstr;
using testing::Not;

//===-- constant-divergent ----------------------------------------------------------===//

static Access constant(double Addresses) {
  Access A = global([](int L) { return 4 * L; }, {});
  A.expression = "taps[threadIdx.x % 16]";
  A.space = Space::Constant;
  A.base = "taps";
  A.offset = "4*(threadIdx.x % 16)";
  A.worst = {};
  A.worst.distinctAddresses = Addresses;
  A.mean = A.worst;
  for (int L = 0; L != 32; ++L)
    A.laneOffsets[L] = 4 * (L % int(Addresses));
  return A;
}

TEST(ConstantDivergent, CountsTheAddresses) {
  EXPECT_EQ(
      text(findingsOf(constant(16))),
      "warning: constant load of 16 different addresses by the lanes of a warp: 16 requests where 1 would "
      "do [constant-divergent]\n"
      "9: each thread reads taps + 4*(threadIdx.x % 16) (block 256 from the launch at line 12)\n"
      "9: let all lanes read the same element at a time, or keep what lanes index freely in shared memory");
}

TEST(ConstantDivergent, ImpactGrowsWithTheAddresses) {
  EXPECT_EQ(findingsOf(constant(2)).at(0).impact, Impact::Low);
  EXPECT_EQ(findingsOf(constant(4)).at(0).severity, Severity::Note);
  EXPECT_EQ(findingsOf(constant(5)).at(0).impact, Impact::Medium);
  EXPECT_EQ(findingsOf(constant(8)).at(0).impact, Impact::High);
}

TEST(ConstantDivergent, IsSilentForOneAddressAndForUnknownOnes) {
  EXPECT_EQ(rulesOf(findingsOf(constant(1))), "");
  Access A = constant(16);
  A.confidence = Confidence::Unknown;
  EXPECT_EQ(rulesOf(findingsOf(A)), "");
  A = constant(16);
  A.removed = true;
  EXPECT_EQ(rulesOf(findingsOf(A)), "");
}

TEST(ConstantDivergent, SaysTheMeanWhereTheWorstIsRare) {
  Access A = constant(16);
  A.mean.distinctAddresses = 2;
  EXPECT_THAT(findingsOf(A).at(0).notes[0].message, HasSubstr("2 addresses on average"));
}

TEST(ConstantDivergent, TheWorstInstanceIsNamed) {
  Kernel Few = kernel("few"), Many = kernel("many");
  Few.accesses = {constant(8)};
  Many.accesses = {constant(32)};
  const auto F = run({Few, Many}, Selection(""));
  ASSERT_EQ(F.size(), 1u);
  EXPECT_EQ(F[0].cost.distinctAddresses, 32);
}

//===-- atomic-contention -----------------------------------------------------------===//

static Access atomic(std::string Name, unsigned Lanes = 32, unsigned Addresses = 1) {
  Access A = global([=](int L) { return 4 * (L / int(Lanes)); }, {1, 1, 4, 0.125});
  A.expression = "atomicAdd(sum, v)";
  A.operation = Operation::Atomic;
  A.base = "sum";
  A.offset = "0";
  A.atomic = AtomicInfo{Name, Lanes, Addresses, false, true, false};
  return A;
}

TEST(AtomicContention, CountsTheLanesThatMeet) {
  EXPECT_EQ(
      text(findingsOf(atomic("fadd"))),
      "warning: global atomic of 32 lanes on one address: 32 updates one after another where 1 would do "
      "[atomic-contention]\n"
      "9: all lanes update sum (block 256 from the launch at line 12)\n"
      "9: reduce within the warp first (shuffles or cooperative_groups::reduce) and let one lane update, or "
      "collect per block in shared memory");
}

TEST(AtomicContention, ImpactGrowsWithTheLanesAndInLoops) {
  EXPECT_EQ(findingsOf(atomic("fadd")).at(0).impact, Impact::Medium);
  Access Few = atomic("fadd", 4, 8);
  EXPECT_EQ(findingsOf(Few).at(0).impact, Impact::Low);
  Access Repeated = atomic("fadd");
  Repeated.loop = 0;
  EXPECT_EQ(findingsOf(Repeated).at(0).impact, Impact::High);
  Few.loop = 0;
  EXPECT_EQ(findingsOf(Few).at(0).impact, Impact::Medium);
  EXPECT_EQ(findingsOf(Few).at(0).message,
            "global atomic of 4 lanes on each of 8 addresses: 4 updates one after another where 1 would do");
}

TEST(AtomicContention, AConditionOnDataLowersIt) {
  Access A = atomic("fadd");
  A.confidence = Confidence::Assumed;
  A.assumptions = {
      "the condition at line 4 depends on data: it is taken to hold and not to hold in every lane"};
  const auto F = findingsOf(A);
  EXPECT_EQ(F.at(0).impact, Impact::Low);
  EXPECT_THAT(F[0].message, HasSubstr("of up to 32 lanes"));
}

TEST(AtomicContention, SaysWhatTheCompilerMerges) {
  const auto Merged = [](const Access &A) {
    const auto F = findingsOf(A);
    EXPECT_EQ(rulesOf(F), "atomic-contention");
    const bool IsMerged =
        F[0].message.find("the compiler merges them into one update per warp") != std::string::npos;
    EXPECT_EQ(IsMerged, F[0].severity == Severity::Note);
    return IsMerged;
  };
  for (const char *Integer : {"add", "sub", "max", "umin", "and", "or", "xor"})
    EXPECT_TRUE(Merged(atomic(Integer))) << Integer;
  for (const char *Other : {"fadd", "fmax", "xchg", "cas", "inc", "uinc_wrap", ""})
    EXPECT_FALSE(Merged(atomic(Other))) << Other;

  Access Used = atomic("add");
  Used.atomic->resultUsed = true;
  EXPECT_TRUE(Merged(Used)) << "the others get their share by a shuffle";
  Used.atomic->operation = "max";
  EXPECT_FALSE(Merged(Used));

  Access Varies = atomic("add");
  Varies.atomic->addressVaries = true;
  EXPECT_FALSE(Merged(Varies)) << "sum[threadIdx.x / 32]";

  Access Wide = atomic("add");
  Wide.width = 8;
  EXPECT_FALSE(Merged(Wide));
  Wide.atomic->valueVaries = false;
  EXPECT_TRUE(Merged(Wide));
}

TEST(AtomicContention, InSharedMemory) {
  Access A = atomic("add");
  A.space = Space::Shared;
  EXPECT_EQ(rulesOf(findingsOf(A)), "") << "one update per warp is what the remedy would be";
  A.atomic->addressVaries = true;
  EXPECT_EQ(rulesOf(findingsOf(A)), "atomic-contention");
  Access Floating = atomic("fadd");
  Floating.space = Space::Shared;
  const auto F = findingsOf(Floating);
  EXPECT_EQ(F.at(0).impact, Impact::High);
  EXPECT_THAT(F[0].notes.back().message, HasSubstr("a loop of compare-and-swap"));
  EXPECT_THAT(findingsOf(atomic("fadd")).at(0).notes.back().message, Not(HasSubstr("compare-and-swap")));
}

TEST(AtomicContention, IsSilentForLeadersForDistinctAndForUnknownAddresses) {
  Access Leader = masked(atomic("fadd", 1), 1);
  EXPECT_EQ(rulesOf(findingsOf(Leader)), "");
  EXPECT_EQ(rulesOf(findingsOf(atomic("fadd", 1, 32))), "");
  Access Unknown = atomic("fadd");
  Unknown.confidence = Confidence::Unknown;
  EXPECT_EQ(rulesOf(findingsOf(Unknown)), "");
}

TEST(AtomicContention, LeavesOtherRulesTheirFindings) {
  // Scattered and contended are two faults: four lanes on each of eight lines.
  Access A = atomic("fadd", 4, 8);
  A.worst.lines = A.worst.sectors = 8;
  for (int L = 0; L != 32; ++L)
    A.laneOffsets[L] = L / 4 * 128;
  A.laneStride.reset();
  EXPECT_EQ(rulesOf(findingsOf(A)), "global-narrow atomic-contention");
}

//===-- local-indexed-array ---------------------------------------------------------===//

static Access privateAccess(double Sectors, double Ideal, bool Open, unsigned Line = 9) {
  Access A = global([](int) { return 8; }, {}, Line);
  A.expression = "best[k]";
  A.space = Space::Local;
  A.base = "best";
  A.offset = "4*k";
  A.worst = {};
  A.worst.sectors = Sectors;
  A.worst.idealSectors = Ideal;
  A.mean = A.worst;
  A.privateArray = PrivateArray{{"/src/a.cu", 5, 9, 0, 0}, 128, "its index depends on threadIdx", Open};
  return A;
}

TEST(LocalIndexedArray, SaysWhyAndWhatItCosts) {
  Access A = privateAccess(32, 4, true);
  A.offset = "4*threadIdx.x";
  for (int L = 0; L != 32; ++L)
    A.laneOffsets[L] = 4 * L;
  EXPECT_EQ(text(findingsOf(A)),
            "warning: private array 'best' lives in local memory, since its index depends on threadIdx: the "
            "lanes use "
            "different elements, 32 sectors where one index for all would take 4 [local-indexed-array]\n"
            "9: lane t reads best + 4*t (block 256 from the launch at line 12)\n"
            "5: 'best' takes 128 bytes of each thread\n"
            "9: make every index a constant (constant loop bounds and #pragma unroll, or a switch), or keep "
            "the array "
            "in shared memory with one column per thread");
}

TEST(LocalIndexedArray, ImpactFollowsTheLanesAndTheLoop) {
  EXPECT_EQ(findingsOf(privateAccess(32, 4, true)).at(0).impact, Impact::High);
  EXPECT_EQ(findingsOf(privateAccess(8, 4, true)).at(0).impact, Impact::Medium);
  EXPECT_EQ(findingsOf(privateAccess(5, 4, true)).at(0).impact, Impact::Low);
  EXPECT_EQ(findingsOf(privateAccess(4, 4, true)).at(0).impact, Impact::Low);
  Access Repeated = privateAccess(4, 4, true);
  Repeated.loop = 0;
  EXPECT_EQ(findingsOf(Repeated).at(0).impact, Impact::Medium);
  EXPECT_THAT(findingsOf(Repeated)[0].message,
              HasSubstr("each access moves 4 sectors instead of using a register"));
  Repeated.confidence = Confidence::Unknown;
  EXPECT_EQ(findingsOf(Repeated).at(0).impact, Impact::Medium);
  EXPECT_THAT(findingsOf(Repeated)[0].message, HasSubstr("what each access moves depends on the data"));
}

TEST(LocalIndexedArray, SpeaksOncePerArrayOfTheAccessThatMakesTheTrouble) {
  Kernel K = kernel();
  Access Fill = privateAccess(4, 4, false, 6), Worst = privateAccess(4, 4, true, 8),
         Same = privateAccess(4, 4, true, 9);
  Fill.loop = 0; // dearer, but its index is a constant once the loop is unrolled
  Access Other = privateAccess(8, 4, true, 10);
  Other.base = "other";
  Other.privateArray->declaration.line = 4;
  K.accesses = {Fill, Worst, Same, Other};
  const auto F = run({K}, Selection(""));
  ASSERT_EQ(F.size(), 2u);
  EXPECT_EQ(F[0].place.line, 8u);
  EXPECT_EQ(F[1].place.line, 10u);
}

TEST(LocalIndexedArray, IsSilentForOtherAccesses) {
  Access A = privateAccess(32, 4, true);
  A.privateArray.reset();
  EXPECT_EQ(rulesOf(findingsOf(A)), "");
  A = privateAccess(32, 4, true);
  A.removed = true;
  EXPECT_EQ(rulesOf(findingsOf(A)), "");
}

//===-- global-gather ---------------------------------------------------------------===//

static Access gather() {
  Access A = global([](int) { return 0; }, {});
  A.expression = "x[column[i]]";
  A.confidence = Confidence::Unknown;
  A.reason = "the index depends on data";
  A.indexSource = IndexSource{"column[i]", {"/src/a.cu", 7, 5, 7, 14}};
  return A;
}

TEST(GlobalGather, NamesTheReadThatTheIndexCameFrom) {
  EXPECT_EQ(
      text(findingsOf(gather(), kernel(), "global-gather")),
      "note: global load at an index that comes from 'column[i]': what it costs depends on the data "
      "[global-gather]\n"
      "7: the index is read here\n"
      "9: sort or group the indices so that neighbouring lanes get neighbouring elements, or gather from "
      "shared memory");
  Access Nameless = gather();
  Nameless.indexSource = IndexSource();
  EXPECT_EQ(findingsOf(Nameless, kernel(), "global-gather").at(0).message,
            "global load at an index that comes from data: what it costs depends on the data");
}

TEST(GlobalGather, IsOffByDefaultAndSilentElsewhere) {
  EXPECT_EQ(rulesOf(findingsOf(gather())), "");
  Access Shared = gather();
  Shared.space = Space::Shared;
  EXPECT_EQ(rulesOf(findingsOf(Shared, kernel(), "global-gather")), "");
  Access OtherReason = gather();
  OtherReason.indexSource.reset(); // "never executed", "the object is not known"
  EXPECT_EQ(rulesOf(findingsOf(OtherReason, kernel(), "global-gather")), "");
}
