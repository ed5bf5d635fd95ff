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

// Each of these was held against what clang-tidy 22 does.
TEST(Suppression, ListsAreComparedItemByItem) {
  EXPECT_TRUE(Suppressions("// NOLINTBEGIN(a, b)\n// NOLINTEND(a,b)\n").errors().empty());
  EXPECT_TRUE(Suppressions("// NOLINTBEGIN( a )\n// NOLINTEND(a)\n").errors().empty());
  EXPECT_EQ(Suppressions("// NOLINTBEGIN(a,b)\n// NOLINTEND(b,a)\n").errors().size(), 2u);
  EXPECT_EQ(Suppressions("// NOLINTBEGIN(*)\n// NOLINTEND\n").errors().size(), 2u) << "no list is another list";
  EXPECT_EQ(Suppressions("// NOLINTBEGIN\n// NOLINTEND(*)\n").errors().size(), 2u);
  EXPECT_EQ(Suppressions("// NOLINTBEGIN\n// NOLINTBEGIN(a)\n// NOLINTEND\n// NOLINTEND(a)\n").errors().size(), 2u)
      << "the one opened last is closed first";
}

TEST(Suppression, SeveralOnALineAndOtherWords) {
  EXPECT_TRUE(silences("x; // NOLINT(cert-x) NOLINT(global-aos)", "global-aos"));
  EXPECT_TRUE(silences("x; // NOLINT(cert-x)(global-aos) NOLINT", "global-aos"));
  EXPECT_TRUE(silences("x; // XNOLINT(global-aos)", "global-aos"));
  EXPECT_TRUE(silences("x; // NOLINTXYZ(NOLINT)", "global-aos")) << "what follows another word is read";
  EXPECT_FALSE(silences("x; // NOLINTXYZ(global-aos)", "global-aos"));
  EXPECT_TRUE(silences("char *s = \"NOLINT\"; x;", "global-aos")) << "in a string as well";
  EXPECT_FALSE(silences("x; // NOLINT(global-aos *)", "global-aos"));
  EXPECT_TRUE(silences("x; // NOLINT(.*, **-aos)", "global-aos"));
  EXPECT_FALSE(silences("x; // NOLINT(.*)", "global-aos")) << "globs, not regular expressions";
}

TEST(Suppression, ALineThatGoesOnIsStillALine) {
  const Suppressions S("// NOLINTNEXTLINE(global-aos) \\\n"
                       "more\n"
                       "x;\n");
  EXPECT_TRUE(S.suppressed("global-aos", 2));
  EXPECT_FALSE(S.suppressed("global-aos", 3));
}

TEST(Suppression, BlocksReachFromWordToWord) {
  const Suppressions S("x; // NOLINTBEGIN\n/* NOLINTEND */ y;\n/* NOLINTBEGIN NOLINTEND NOLINTBEGIN */ z;\n// NOLINTEND");
  EXPECT_FALSE(S.suppressed("global-aos", 1, 1));
  EXPECT_FALSE(S.suppressed("global-aos", 2, 17));
  EXPECT_TRUE(S.suppressed("global-aos", 3, 41));
}

TEST(Suppression, SaysWhichCommentsSilence) {
  const Suppressions S("// NOLINTBEGIN(global-*)\n"
                       "x; // NOLINT(global-aos) NOLINT\n"
                       "// NOLINTEND(global-*)\n");
  ASSERT_EQ(S.comments().size(), 3u);
  EXPECT_EQ(S.silencing("global-aos", 2, 1).size(), 3u);
  EXPECT_EQ(S.silencing("shared-bank-conflict", 2, 1).size(), 1u);
  std::vector<std::string> Named;
  for (const Suppressions::Comment &C : S.comments())
    if (C.names([](const warplint::rules::Rule &R) { return std::string_view(R.name) == "global-aos"; }))
      Named.push_back(C.text);
  EXPECT_THAT(Named, testing::UnorderedElementsAre("NOLINTBEGIN(global-*)", "NOLINT(global-aos)"));
}
