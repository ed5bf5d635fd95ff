//===-- KernelRulesTest.cpp - Rules about a kernel as a whole ----------------===//
#include "Builders.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace warplint::rules;
using namespace warplint::rules::test;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

/// The naive product of the worked example on its GPU.
Kernel product() {
  Kernel K = kernel("product", {32, 32, 1});
  Roofline R;
  R.gpu = "seed-20-1";
  R.intensity = 0.25;
  R.machineBalance = 20;
  R.boundBy = "memory";
  R.crossoverTile = 80;
  R.suggestedTile = TileSuggestion{{"a", "b"}, 4, 32, 8192, 49152, 8, 64, 32768, 4};
  K.roofline = R;
  return K;
}

std::vector<Finding> findings(const Kernel &K, const char *Checks = "kernel-bandwidth-bound") {
  return run({K}, Selection(Checks));
}

TEST(BandwidthBound, NaiveProduct) {
  EXPECT_EQ(text(findings(product())), "warning: 'product' is bound by memory on seed-20-1: it does 0.25 "
                                       "FLOP for each byte it asks for, 20 would "
                                       "keep the arithmetic busy [kernel-bandwidth-bound]\n"
                                       "3: threads of a block read the same elements of 'a' and 'b': tiles "
                                       "of 32 x 32 in shared memory, 8192 of "
                                       "49152 bytes, would be read once: 8 FLOP for each byte\n"
                                       "3: from tiles of 80 x 80 on, it is bound by arithmetic; a block has "
                                       "no room or no threads for one result each: let "
                                       "each thread compute several results from registers (register "
                                       "blocking), which counts like a larger tile");
}

TEST(BandwidthBound, IsOffByDefault) { EXPECT_THAT(findings(product(), ""), IsEmpty()); }

TEST(BandwidthBound, TilesThatAreTooSmall) {
  Kernel K = product();
  K.roofline->suggestedTile.reset();
  K.roofline->intensity = 8;
  K.work.tileEdge = 32;
  const std::vector<Finding> Found = findings(K);
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].impact, Impact::Medium);
  EXPECT_THAT(text(Found[0]), HasSubstr("register blocking"));
  // As large as it takes.
  K.work.tileEdge = 80;
  EXPECT_THAT(findings(K), IsEmpty());
}

TEST(BandwidthBound, SilentWhereNothingIsShared) {
  Kernel K = product();
  K.roofline->suggestedTile.reset();
  EXPECT_THAT(findings(K), IsEmpty());
}

TEST(BandwidthBound, SilentWithoutAVerdict) {
  for (const char *Bound : {"", "compute"}) {
    Kernel K = product();
    K.roofline->boundBy = Bound;
    EXPECT_THAT(findings(K), IsEmpty()) << Bound;
  }
  Kernel K = product();
  K.roofline.reset();
  EXPECT_THAT(findings(K), IsEmpty());
}

TEST(BandwidthBound, ATileThatIsEnoughAsksForNothingMore) {
  Kernel K = product();
  K.roofline->crossoverTile = 16;
  EXPECT_THAT(text(findings(K)), Not(HasSubstr("register blocking")));
  EXPECT_THAT(text(findings(K)), HasSubstr("from tiles of 16 x 16 on"));
}

TEST(BandwidthBound, RestsOnWhatTheWorkRestsOn) {
  Kernel K = product();
  EXPECT_EQ(findings(K)[0].confidence, Confidence::Exact);
  K.work.requested = Amount::symbol("n") * 8;
  EXPECT_EQ(findings(K)[0].confidence, Confidence::Assumed);
  K.work.requested = 8;
  K.work.assumptions = {"both sides of conditions on data count"};
  EXPECT_EQ(findings(K)[0].confidence, Confidence::Assumed);
  K.work.assumptions.clear();
  K.blockOrigin = BlockOrigin::Assumed;
  EXPECT_EQ(findings(K)[0].confidence, Confidence::Assumed);
}

TEST(BandwidthBound, ImpactIsTheDistanceFromTheBalance) {
  Kernel K = product();
  K.roofline->intensity = 9;
  EXPECT_EQ(findings(K)[0].impact, Impact::Medium);
  K.roofline->intensity = 15;
  EXPECT_EQ(findings(K)[0].severity, Severity::Note);
}

} // namespace
