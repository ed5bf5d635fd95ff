#include "Builders.h"
#include "rules/Glob.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace warplint::rules;
using namespace warplint::rules::test;
using testing::ElementsAre;
using testing::IsEmpty;

static Access strided(int64_t Bytes, Numbers N, unsigned Line = 9) {
  return global([=](int L) { return Bytes * L; }, N, Line);
}
static Access strideTwo(unsigned Line = 9) { return strided(8, {2, 8, 4, 0.5}, Line); }
static Access strideEight(unsigned Line = 9) { return strided(32, {8, 32, 4, 0.125}, Line); }

static Kernel with(Kernel K, std::vector<Access> Accesses) {
  K.accesses = std::move(Accesses);
  return K;
}

//===-- Globs and selection --------------------------------------------------------===//

TEST(Glob, StarsMatchAnything) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("global-*", "global-stride"));
  EXPECT_TRUE(matches("*-s*e", "global-stride"));
  EXPECT_TRUE(matches("a*b*c", "aXbYbZc"));
  EXPECT_FALSE(matches("global-*", "shared-global-stride"));
  EXPECT_FALSE(matches("global", "global-stride"));
  EXPECT_FALSE(matches("", "x"));
}

static std::string selected(const char *Globs, std::vector<std::string> *Unmatched = nullptr) {
  const Selection S(Globs, Unmatched);
  std::string Names;
  for (const Rule &R : all())
    if (S.contains(R))
      Names += (Names.empty() ? "" : " ") + std::string(R.name);
  return Names;
}

TEST(Selection, StartsFromTheDefaults) {
  EXPECT_EQ(
      selected(""),
      "global-aos global-row-per-thread global-stride global-narrow global-misaligned "
      "global-few-lanes shared-tile-column shared-bank-conflict misaligned-vector-cast constant-divergent "
      "local-indexed-array atomic-contention launch-partial-warp cost-contract");
}

TEST(Selection, LaterGlobsWin) {
  EXPECT_EQ(selected("-*,shared-*"), "shared-tile-column shared-bank-conflict");
  EXPECT_EQ(selected("-*,shared-*,-shared-tile*"), "shared-bank-conflict");
  EXPECT_EQ(selected("-shared-*,-*,global-broadcast"), "global-broadcast");
  EXPECT_EQ(selected("global-stride,-*"), "");
}

TEST(Selection, ToleratesBlanksAndLines) {
  EXPECT_EQ(selected(" -* ,\n  shared-tile-column\n, ,global-aos "), "global-aos shared-tile-column");
}

TEST(Selection, AcceptsThePrefix) { EXPECT_EQ(selected("-*,warplint-global-aos"), "global-aos"); }

TEST(Selection, ReportsGlobsThatMatchNothing) {
  std::vector<std::string> Unmatched;
  selected("-*,global-*,global-strid,-cert-*", &Unmatched);
  EXPECT_THAT(Unmatched, ElementsAre("global-strid", "-cert-*"));
}

TEST(Table, FindsRulesByName) {
  ASSERT_NE(find("global-stride"), nullptr);
  EXPECT_STREQ(find("warplint-global-stride")->name, "global-stride");
  EXPECT_EQ(find("global-strid"), nullptr);
}

//===-- Precedence -------------------------------------------------------------------===//

TEST(Run, AnAccessGetsOneGeometryFinding) {
  // A field of a structure whose index threadIdx.x scales by a row: three rules hold.
  Access A = strided(2048, {32, 32, 4, 0.125});
  A.field = FieldInfo{"R", "f", 2048, 0, 4, 9};
  A.laneIsSlowIndex = true;
  A.offset = "2048*threadIdx.x + 4*iteration";
  EXPECT_EQ(rulesOf(findingsOf(A)), "global-aos");
  EXPECT_EQ(rulesOf(findingsOf(A, kernel(), "-global-aos")), "global-row-per-thread");
  EXPECT_EQ(rulesOf(findingsOf(A, kernel(), "-global-aos,-global-row-per-thread")), "global-stride");
  EXPECT_EQ(rulesOf(findingsOf(A, kernel(), "-*")), "");
}

TEST(Run, DetectGivesUnmergedFindingsOfOneRule) {
  std::vector<Finding> Found;
  find("global-stride")->detect(with(kernel(), {strideTwo(9), strideTwo(9), strideTwo(10)}), Found);
  EXPECT_EQ(Found.size(), 3u);
  EXPECT_EQ(Found[0].fingerprint, "");
}

//===-- Merging ------------------------------------------------------------------------===//

TEST(Run, MergesInstancesAndNamesTheWorst) {
  Kernel Two = with(kernel("pick"), {strideTwo()}), Eight = with(kernel("pick"), {strideEight()});
  Two.signature = "pick<2>(const float *)";
  Eight.signature = "pick<8>(const float *)";
  for (const auto &Kernels : {std::vector{Two, Eight}, std::vector{Eight, Two}}) {
    const auto F = run(Kernels, Selection(""));
    ASSERT_EQ(F.size(), 1u);
    EXPECT_EQ(F[0].kernel, "pick<8>(const float *)");
    EXPECT_EQ(F[0].message,
              "global load strides 8 elements between lanes: 8 transactions and 32 sectors where 4 "
              "sectors would do");
    EXPECT_EQ(F[0].notes.back().message, "worst of 2 kernel instances: pick<8>(const float *)");
  }
}

TEST(Run, MergesLaunchesWithoutSayingSo) {
  const Kernel K = with(kernel(), {strideTwo()});
  const auto F = run({K, K}, Selection(""));
  ASSERT_EQ(F.size(), 1u);
  EXPECT_EQ(F[0].notes.size(), 2u);
  EXPECT_EQ(F[0].excess, 8) << "4 excess sectors in each of two launches";
}

TEST(Run, InstancesOfDifferentRulesGiveOneFinding) {
  // A stride of 2 in one instance, a row per thread in the other.
  Access Row = strided(128, {32, 32, 4, 0.125});
  Row.laneIsSlowIndex = true;
  Row.offset = "128*threadIdx.x + 4*iteration";
  EXPECT_EQ(rulesOf(run({with(kernel(), {strideTwo()}), with(kernel(), {Row})}, Selection(""))),
            "global-row-per-thread");
}

TEST(Run, KeepsDifferentExpressionsAtOnePlaceApart) {
  Access Other = strideTwo();
  Other.expression = "out[i]"; // both from one macro
  EXPECT_EQ(run({with(kernel(), {strideTwo(), Other})}, Selection("")).size(), 2u);
}

TEST(Run, UsesTotalsForTheExcess) {
  Access A = strideTwo();
  A.total = Total{100, 800, 400, 0};
  EXPECT_EQ(findingsOf(A).at(0).excess, 400);
  Access B = strideTwo();
  B.iterations = 10;
  EXPECT_EQ(findingsOf(B).at(0).excess, 40);
}

//===-- Order and fingerprints ---------------------------------------------------------===//

TEST(Run, SortsByPlace) {
  Access Early = strideTwo(5), Left = strideTwo(9), Right = strideTwo(9), Header = strideTwo(70);
  Right.place.column = 40;
  Header.place.file = "/src/a.cuh"; // sorts after a.cu
  const auto F = run({with(kernel(), {Header, Right, Left, Early})}, Selection(""));
  std::vector<std::string> Places;
  for (const Finding &Found : F)
    Places.push_back(Found.place.file + ":" + std::to_string(Found.place.line) + ":" +
                     std::to_string(Found.place.column));
  EXPECT_THAT(Places, ElementsAre("/src/a.cu:5:11", "/src/a.cu:9:11", "/src/a.cu:9:40", "/src/a.cuh:70:11"));
}

static std::vector<std::string> fingerprints(const std::vector<Kernel> &Kernels) {
  std::vector<std::string> Prints;
  for (const Finding &F : run(Kernels, Selection("")))
    Prints.push_back(F.fingerprint);
  return Prints;
}

TEST(Fingerprints, SurviveUnrelatedEdits) {
  const auto Before = fingerprints({with(kernel(), {strideTwo(9)})});
  ASSERT_EQ(Before.size(), 1u);
  EXPECT_EQ(Before[0].size(), 16u);
  Access Moved = strideTwo(90);
  Moved.place.file = "/elsewhere/a.cu";
  Moved.place.column = 1;
  EXPECT_EQ(fingerprints({with(kernel(), {Moved})}), Before);
  EXPECT_EQ(fingerprints({with(kernel(), {strideEight(9)})}), Before) << "the numbers are not part of it";
}

TEST(Fingerprints, TellRepeatsAndNeighboursApart) {
  const auto Two = fingerprints({with(kernel(), {strideTwo(9), strideTwo(10)})});
  ASSERT_EQ(Two.size(), 2u);
  EXPECT_NE(Two[0], Two[1]);
  EXPECT_EQ(Two[0], fingerprints({with(kernel(), {strideTwo(9)})})[0]);
  EXPECT_NE(Two[0], fingerprints({with(kernel("other"), {strideTwo(9)})})[0]);
  Access Renamed = strideTwo(9);
  Renamed.expression = "in[j]";
  EXPECT_NE(Two[0], fingerprints({with(kernel(), {Renamed})})[0]);
}

TEST(Fingerprints, SurviveReformatting) {
  const auto Of = [](const char *Expression) {
    Access A = strideTwo(9);
    A.expression = Expression;
    return run({with(kernel(), {A})}, Selection("")).at(0).identity;
  };
  EXPECT_EQ(Of("in[ (unsigned int) i *2 ]"), Of("in[(unsigned int)i * 2]"));
  EXPECT_EQ(Of("in[/* row */ i]"), Of("in[i]"));
  EXPECT_NE(Of("in[unsignedint]"), Of("in[unsigned int]"));
  EXPECT_NE(Of("in[f(\"a b\")]"), Of("in[f(\"ab\")]"));
  EXPECT_NE(Of("in[i]"), Of("in[j]"));
}

TEST(Fingerprints, RestOnRuleAndBase) {
  Access A = strideTwo(9), Other = strideTwo(9);
  Other.base = "out";
  EXPECT_NE(fingerprints({with(kernel(), {A})}), fingerprints({with(kernel(), {Other})}));
}

TEST(Fingerprints, RepeatsAreCountedByFile) {
  Access Here = strideTwo(9), There = strideTwo(9);
  There.place.file = "/other/a.cu";
  const auto F = run({with(kernel(), {Here, There, strideTwo(10)})}, Selection(""));
  ASSERT_EQ(F.size(), 3u);
  EXPECT_EQ(F[0].fingerprint, F[1].fingerprint) << "/other/a.cu and the first of /src/a.cu";
  EXPECT_NE(F[1].fingerprint, F[2].fingerprint);
  EXPECT_EQ(F[1].identity, F[2].identity);
}

TEST(Fingerprints, HelpersBelongToNoKernel) {
  Access A = strideTwo(9);
  EXPECT_NE(fingerprints({with(kernel("a"), {A})}), fingerprints({with(kernel("b"), {A})}));
  A.calledFrom = {"/src/a.cu", 30, 1, 30, 5};
  EXPECT_EQ(fingerprints({with(kernel("a"), {A})}), fingerprints({with(kernel("b"), {A})}));
}

TEST(Fingerprints, IdentityIsThatOfTheAccessWhicheverGeometryRuleSpeaks) {
  Access Row = strided(128, {32, 32, 4, 0.125});
  Row.laneIsSlowIndex = true;
  Row.offset = "128*threadIdx.x + 4*iteration";
  const auto Stride = run({with(kernel(), {strideEight(9)})}, Selection("")), Rows = run({with(kernel(), {Row})}, Selection(""));
  ASSERT_NE(rulesOf(Stride), rulesOf(Rows));
  EXPECT_EQ(Stride[0].identity, Rows[0].identity);
  EXPECT_NE(Stride[0].fingerprint, Rows[0].fingerprint);
  Access Shared = shared([](int L) { return 128 * L; }, 32, 1, 32);
  Shared.expression = strideEight().expression;
  Shared.base = strideEight().base;
  EXPECT_NE(run({with(kernel(), {Shared})}, Selection(""))[0].identity, Stride[0].identity);
}

TEST(Run, TheMostOfAllInstancesIsKept) {
  // The worst by impact need not be the one with the most sectors.
  Access Wasteful = strided(32, {8, 16, 2, 0.125}), Wide = strided(8, {2, 20, 10, 0.5});
  const auto F = run({with(kernel("a"), {Wasteful}), with(kernel("b"), {Wide})}, Selection(""));
  ASSERT_EQ(F.size(), 1u);
  EXPECT_EQ(F[0].cost.sectors, 16);
  EXPECT_EQ(F[0].most, 20);
}

TEST(Fingerprints, DoNotDependOnTheOrderOfKernels) {
  // A helper of two kernels: one finding, whichever kernel comes first.
  const Kernel A = with(kernel("a"), {strideTwo()}), B = with(kernel("b"), {strideTwo()});
  EXPECT_EQ(fingerprints({A, B}), fingerprints({B, A}));
}

TEST(Run, NothingGivesNothing) { EXPECT_THAT(run({}, Selection("")), IsEmpty()); }
