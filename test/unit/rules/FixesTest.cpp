#include "rules/Fixes.h"
#include "rules/Geometry.h"
#include "gtest/gtest.h"

using namespace warplint::rules;

TEST(Fixes, EnlargesAnExtentAsAPersonWould) {
  EXPECT_EQ(enlarged("32", 1), "33");
  EXPECT_EQ(enlarged("32u", 4), "36u");
  EXPECT_EQ(enlarged("EDGE", 1), "EDGE + 1");
  EXPECT_EQ(enlarged("EDGE + 1", 1), "EDGE + 2");
  EXPECT_EQ(enlarged("EDGE+1", 1), "EDGE+2");
  EXPECT_EQ(enlarged("2 * EDGE", 1), "2 * EDGE + 1");
  EXPECT_EQ(enlarged("(A + 1)", 1), "(A + 1) + 1");
  EXPECT_EQ(enlarged("Traits::N", 1), "Traits::N + 1");
  EXPECT_EQ(enlarged("0x20", 1), "0x20 + 1");
}

TEST(Fixes, ParenthesesOnlyWhereNeeded) {
  EXPECT_EQ(enlarged("1 << 5", 1), "(1 << 5) + 1");
  EXPECT_EQ(enlarged("W > 32 ? W : 32", 1), "(W > 32 ? W : 32) + 1");
  EXPECT_EQ(enlarged("f(a, b)", 1), "f(a, b) + 1");
}

// The local arithmetic, against numbers read off real hardware elsewhere.
TEST(Geometry, BankConflictsByHand) {
  const auto Ways = [](auto At, unsigned Width, bool IsLoad = true) {
    std::array<int64_t, 32> Offsets;
    for (int L = 0; L != 32; ++L)
      Offsets[L] = At(L);
    const SharedNumbers N = sharedNumbers(Offsets, ~0u, Width, IsLoad);
    return std::pair(N.wavefronts, N.ways);
  };
  EXPECT_EQ(Ways([](int L) { return 128 * L; }, 4), std::pair(32u, 32u));
  EXPECT_EQ(Ways([](int L) { return 132 * L; }, 4), std::pair(1u, 1u));
  EXPECT_EQ(Ways([](int L) { return 66 * L; }, 2), std::pair(1u, 1u));
  EXPECT_EQ(Ways([](int L) { return 256 * L; }, 8), std::pair(32u, 16u));
  EXPECT_EQ(Ways([](int L) { return 16 * L; }, 16), std::pair(4u, 1u));
  EXPECT_EQ(Ways([](int L) { return 256 * L; }, 16), std::pair(32u, 8u));
  EXPECT_EQ(Ways([](int L) { return L / 2 * 8; }, 8), std::pair(1u, 1u)) << "phases merge";
  EXPECT_EQ(Ways([](int L) { return L / 2 * 8; }, 8, false), std::pair(2u, 1u)) << "but not for stores";
}

TEST(Geometry, LinesAndSectorsByHand) {
  const auto Numbers = [](auto At, unsigned Width) {
    std::array<int64_t, 32> Offsets;
    for (int L = 0; L != 32; ++L)
      Offsets[L] = At(L);
    const GlobalNumbers N = globalNumbers(Offsets, ~0u, Width);
    return std::pair(N.lines, N.sectors);
  };
  EXPECT_EQ(Numbers([](int L) { return 4 * L; }, 4), std::pair(1u, 4u));
  EXPECT_EQ(Numbers([](int L) { return 4 * L - 4; }, 4), std::pair(2u, 5u)) << "addresses may be negative";
  EXPECT_EQ(Numbers([](int L) { return 24 * L; }, 4), std::pair(6u, 24u));
  EXPECT_EQ(Numbers([](int L) { return 64 + 4 * L; }, 4), std::pair(2u, 4u));
}

TEST(Geometry, TermsOfAnOffset) {
  EXPECT_EQ(terms("4*n*threadIdx.x + 4*(a - b) - 8"),
            (std::vector<std::string>{"4*n*threadIdx.x", "4*(a - b)", "8"}));
  EXPECT_TRUE(terms("").empty());
}
