#include "analyzer/driver/Suppression.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using warplint::driver::Suppressions;

static bool silences(const char *Line, const char *Rule) { return Suppressions(Line).suppressed(Rule, 1); }

TEST(Suppression, AloneItSilencesEveryRuleOfItsLine) {
  const Suppressions S("a[i * 2] = 1; // NOLINT\n"
                       "b[i * 2] = 1;\n");
  EXPECT_TRUE(S.suppressed("global-stride", 1));
  EXPECT_TRUE(S.suppressed("shared-bank-conflict", 1, 40));
  EXPECT_FALSE(S.suppressed("global-stride", 2));
  EXPECT_TRUE(S.errors().empty());
}

TEST(Suppression, AListSilencesWhatItNames) {
  EXPECT_TRUE(silences("x; // NOLINT(global-stride)", "global-stride"));
  EXPECT_FALSE(silences("x; // NOLINT(global-stride)", "global-aos"));
  EXPECT_TRUE(silences("x; // NOLINT(cert-*, global-*)", "global-aos"));
  EXPECT_TRUE(silences("x; // NOLINT( shared-* , global-aos )", "global-aos"));
  EXPECT_FALSE(silences("x; // NOLINT(cert-*)", "global-aos"));
  EXPECT_FALSE(silences("x; // NOLINT(global)", "global-aos"));
}

TEST(Suppression, NamesMayCarryThePrefix) {
  EXPECT_TRUE(silences("x; // NOLINT(warplint-global-stride)", "global-stride"));
  EXPECT_TRUE(silences("x; // NOLINT(warplint-*)", "global-stride"));
  EXPECT_FALSE(silences("x; // NOLINT(warplint-global-aos)", "global-stride"));
}

TEST(Suppression, FollowsClangTidyAtTheEdges) {
  EXPECT_FALSE(silences("x; // NOLINT()", "global-stride")) << "empty parentheses name no rule";
  EXPECT_FALSE(silences("x; // NOLINT(-global-stride)", "global-stride")) << "negative globs are ignored";
  EXPECT_TRUE(silences("x; // NOLINT(*, -global-stride)", "global-stride"));
  EXPECT_TRUE(silences("x; // NOLINT(global-aos", "global-stride")) << "an open parenthesis is no list";
  EXPECT_TRUE(silences("x; // NOLINT (global-aos)", "global-stride"))
      << "a space before it is no list either";
  EXPECT_FALSE(silences("x; // NOLINTER", "global-stride")) << "another word";
  EXPECT_FALSE(silences("x; // nolint", "global-stride")) << "upper case only";
  EXPECT_FALSE(silences("", "global-stride"));
}

TEST(Suppression, NextLineIsExactlyTheNextLine) {
  const Suppressions S("// NOLINTNEXTLINE(global-stride)\n"
                       "a[i * 2] = 1;\n"
                       "b[i * 2] = 1;\n");
  EXPECT_FALSE(S.suppressed("global-stride", 1));
  EXPECT_TRUE(S.suppressed("global-stride", 2));
  EXPECT_FALSE(S.suppressed("global-aos", 2));
  EXPECT_FALSE(S.suppressed("global-stride", 3));
}

TEST(Suppression, BlocksReachFromCommentToComment) {
  const Suppressions S("before; // NOLINTBEGIN(global-*)\n"
                       "inside;\n"
                       "after; // NOLINTEND(global-*)\n"
                       "outside;\n");
  EXPECT_TRUE(S.errors().empty());
  EXPECT_FALSE(S.suppressed("global-stride", 1)) << "code before the comment";
  EXPECT_TRUE(S.suppressed("global-stride", 1, 60));
  EXPECT_TRUE(S.suppressed("global-stride", 2));
  EXPECT_FALSE(S.suppressed("shared-tile-column", 2));
  EXPECT_TRUE(S.suppressed("global-stride", 3)) << "code before the closing comment";
  EXPECT_FALSE(S.suppressed("global-stride", 4));
}

TEST(Suppression, BlocksNest) {
  const Suppressions S("// NOLINTBEGIN\n"
                       "// NOLINTBEGIN(global-aos)\n"
                       "// NOLINTEND(global-aos)\n"
                       "x;\n"
                       "// NOLINTEND\n");
  EXPECT_TRUE(S.errors().empty());
  EXPECT_TRUE(S.suppressed("global-aos", 4));
}

TEST(Suppression, UnmatchedBlocksAreErrorsWithoutEffect) {
  const Suppressions S("// NOLINTBEGIN\n"
                       "x;\n");
  ASSERT_EQ(S.errors().size(), 1u);
  EXPECT_EQ(S.errors()[0].line, 1u);
  EXPECT_EQ(S.errors()[0].column, 4u);
  EXPECT_EQ(S.errors()[0].message,
            "unmatched 'NOLINTBEGIN' comment without a subsequent 'NOLINTEND' comment");
  EXPECT_FALSE(S.suppressed("global-aos", 2));
}

TEST(Suppression, BeginAndEndMustAgreeInTheirLists) {
  const Suppressions S("// NOLINTBEGIN(global-aos)\n"
                       "x;\n"
                       "// NOLINTEND(global-stride)\n");
  ASSERT_EQ(S.errors().size(), 2u);
  EXPECT_EQ(S.errors()[0].line, 1u);
  EXPECT_EQ(S.errors()[1].line, 3u);
  EXPECT_EQ(S.errors()[1].message, "unmatched 'NOLINTEND' comment without a previous 'NOLINTBEGIN' comment");
  EXPECT_FALSE(S.suppressed("global-aos", 2));
}
