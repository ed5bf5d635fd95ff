#include "analyzer/result/Amount.h"
#include <gtest/gtest.h>

using namespace warplint::result;

namespace {

const Amount N = Amount::symbol("n"), M = Amount::symbol("m");

TEST(Amount, PrintsTermsOfHighestDegreeFirst) {
  EXPECT_EQ(text(Amount()), "0");
  EXPECT_EQ(text(Amount(0.5)), "0.5");
  EXPECT_EQ(text(Amount(8) + N * M * 2 + N), "2*m*n + n + 8");
  EXPECT_EQ(text(N * M * -1 + N + Amount(-4)), "-m*n + n - 4");
  EXPECT_EQ(text(Amount::symbol("iterations of the loop at line 3") * 4),
            "4*(iterations of the loop at line 3)");
}

TEST(Amount, DividesByOneProduct) {
  EXPECT_EQ(text(*((N * M * 6) / (N * 2))), "3*m");
  EXPECT_EQ(text(*(Amount(6) / (N * 2))), "3/n");
  EXPECT_EQ(text(*(Amount(6) / (N * M))), "6/(m*n)");
  EXPECT_FALSE(N / (N + Amount(1)));
  EXPECT_FALSE(N / Amount());
}

TEST(Amount, TermsThatCancelAreGone) {
  EXPECT_TRUE((N + N * -1).isZero());
  EXPECT_EQ((N * 0).number(), 0);
  EXPECT_EQ((Amount(2) * 3).number(), 6);
  EXPECT_FALSE(N.number());
}

TEST(Amount, RatioOfDominantTerms) {
  EXPECT_EQ(dominantRatio(N * 2, N * 8 + 4), 0.25); // the naive matrix product
  EXPECT_EQ(dominantRatio(Amount(2), N * 8), 0);
  EXPECT_EQ(dominantRatio(N * 2 + M * 4, N + M * 2), 2);
  EXPECT_EQ(dominantRatio(Amount(), N), 0);
}

TEST(Amount, ShareOfASizeIsLarge) {
  const Amount Share = *(N / M);
  EXPECT_EQ(dominantRatio(Share * 2 + 7, Share * 8 + 4), 0.25);
  EXPECT_EQ(dominantRatio(Amount(4), Share), 0);
  EXPECT_EQ(dominantRatio(*(Amount(1) / N), Amount(2)), 0);
}

TEST(Amount, NoRatioWhereItDependsOnTheSizes) {
  EXPECT_FALSE(dominantRatio(N, M));
  EXPECT_FALSE(dominantRatio(N + M, N));
  EXPECT_FALSE(dominantRatio(N + M, N + M * 2));
  EXPECT_FALSE(dominantRatio(N * N, N));
  EXPECT_FALSE(dominantRatio(N, Amount()));
}

} // namespace
