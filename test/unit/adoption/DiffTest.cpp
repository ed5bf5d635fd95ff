#include "analyzer/driver/Diff.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <random>

using namespace warplint::driver;
using testing::HasSubstr;

/// "a.cu:1-3,7-7 b.cu:*"
static std::string shown(llvm::StringRef Text) {
  llvm::Expected<ChangedLines> Changed = parseDiff(Text);
  if (!Changed)
    return "error: " + toString(Changed.takeError());
  std::string Result;
  for (const auto &[Name, Lines] : *Changed) {
    Result += (Result.empty() ? "" : " ") + Name + ":" + (Lines.whole ? "*" : "");
    for (const LineRange &R : Lines.ranges)
      Result += (&R == Lines.ranges.data() ? "" : ",") + std::to_string(R.first) + "-" + std::to_string(R.last);
  }
  return Result;
}

TEST(Diff, LinesThatAreNewOrOther) {
  EXPECT_EQ(shown("diff --git a/k.cu b/k.cu\n"
                  "index 1..2 100644\n"
                  "--- a/k.cu\n"
                  "+++ b/k.cu\n"
                  "@@ -1 +1,3 @@\n-a\n+b\n+c\n+d\n"
                  "@@ -9,2 +11 @@ __global__ void k() {\n-a\n-b\n+c\n"),
            "k.cu:1-3,11-11");
}

TEST(Diff, LinesThatAreGoneAreNoneOfTheFile) {
  EXPECT_EQ(shown("diff --git a/k.cu b/k.cu\n--- a/k.cu\n+++ b/k.cu\n@@ -3,2 +2,0 @@\n-a\n-b\n"), "");
}

TEST(Diff, FilesThatAreNewRenamedOrDeleted) {
  EXPECT_EQ(shown("diff --git a/new.cu b/new.cu\nnew file mode 100644\n--- /dev/null\n+++ b/new.cu\n@@ -0,0 +1,2 @@\n+a\n+b\n"
                  "diff --git a/old.cu b/old.cu\ndeleted file mode 100644\n--- a/old.cu\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n"
                  "diff --git a/was.cu b/is.cu\nsimilarity index 90%\nrename from was.cu\nrename to is.cu\n"
                  "--- a/was.cu\n+++ b/is.cu\n@@ -4 +4 @@\n-a\n+b\n"
                  "diff --git a/x.cu b/y.cu\nsimilarity index 100%\nrename from x.cu\nrename to y.cu\n"
                  "diff --git a/mode.cu b/mode.cu\nold mode 100644\nnew mode 100755\n"),
            "is.cu:4-4 new.cu:1-2");
}

TEST(Diff, ContentThatLooksLikeADiffIsContent) {
  EXPECT_EQ(shown("diff --git a/k.cu b/k.cu\n--- a/k.cu\n+++ b/k.cu\n@@ -1,2 +1,3 @@\n"
                  "--- a/other.cu\n-@@ -1 +1 @@\n"
                  "+++ b/other.cu\n+@@ -1 +77 @@\n+diff --git a/z b/z\n"
                  "@@ -9 +10 @@\n-x\n+y\n"),
            "k.cu:1-3,10-10");
}

TEST(Diff, FilesWithoutANewlineAtTheirEnd) {
  EXPECT_EQ(shown("diff --git a/k.cu b/k.cu\n--- a/k.cu\n+++ b/k.cu\n@@ -5 +5 @@\n-a\n\\ No newline at end of file\n"
                  "+b\n\\ No newline at end of file\n@@ -8 +8 @@\n-a\n+b\n"),
            "k.cu:5-5,8-8");
}

TEST(Diff, CarriageReturnsBelongToLines) {
  EXPECT_EQ(shown("diff --git a/k.cu b/k.cu\n--- a/k.cu\n+++ b/k.cu\n@@ -5 +5,2 @@\n-a\r\n+b\r\n+\r\n"), "k.cu:5-6");
}

TEST(Diff, NamesWithBlanksQuotesAndOtherLetters) {
  EXPECT_EQ(shown("diff --git a/my dir/k 1.cu b/my dir/k 1.cu\n--- a/my dir/k 1.cu\t\n+++ b/my dir/k 1.cu\t\n@@ -1 +1 @@\n-a\n+b\n"),
            "my dir/k 1.cu:1-1");
  EXPECT_EQ(shown("diff --git \"a/\\303\\244 \\\"q\\\"\\t.cu\" \"b/\\303\\244 \\\"q\\\"\\t.cu\"\n"
                  "--- \"a/\\303\\244 \\\"q\\\"\\t.cu\"\n+++ \"b/\\303\\244 \\\"q\\\"\\t.cu\"\n@@ -1 +1 @@\n-a\n+b\n"),
            "\xc3\xa4 \"q\"\t.cu:1-1");
}

TEST(Diff, OfBinaryFilesAllLinesCount) {
  EXPECT_EQ(shown("diff --git a/my k.cu b/my k.cu\nindex 1..2 100644\nBinary files a/my k.cu and b/my k.cu differ\n"), "my k.cu:*");
  EXPECT_EQ(shown("diff --git \"a/\\303\\244.cu\" \"b/\\303\\244.cu\"\nindex 1..2\nBinary files \"a/\\303\\244.cu\" and \"b/\\303\\244.cu\" differ\n"),
            "\xc3\xa4.cu:*");
  EXPECT_EQ(shown("diff --git a/a.cu b/b.cu\nsimilarity index 80%\nrename from a.cu\nrename to b.cu\nBinary files a/a.cu and b/b.cu differ\n"),
            "b.cu:*");
  EXPECT_EQ(shown("diff --git a/a.cu b/a.cu\ndeleted file mode 100644\nBinary files a/a.cu and /dev/null differ\n"), "");
}

TEST(Diff, WhatIsNotUnderstoodIsAnError) {
  EXPECT_THAT(shown("diff --git a/k.cu b/k.cu\n--- a/k.cu\n+++ b/k.cu\n@@ -1 +x @@\n-a\n+b\n"), HasSubstr("line 4"));
  EXPECT_THAT(shown("+++ b/k.cu\n@@ -1,2 +1 @@\n-a\n+b\n"), HasSubstr("error: git's diff ends in the middle"));
  EXPECT_THAT(shown("+++ b/k.cu\n@@ -1 +1 @@\n-a\ndiff --git a/k b/k\n"), HasSubstr("line 4"));
}

TEST(Diff, OverlapCountsBothEnds) {
  const LineSet Lines{false, {{3, 5}, {9, 9}}};
  EXPECT_TRUE(Lines.overlaps(5, 7) && Lines.overlaps(1, 3) && Lines.overlaps(4, 4) && Lines.overlaps(8, 10));
  EXPECT_FALSE(Lines.overlaps(6, 8) || Lines.overlaps(1, 2) || Lines.overlaps(10, 11));
  EXPECT_TRUE((LineSet{true, {}}).overlaps(1, 1));
  EXPECT_FALSE((LineSet{}).overlaps(1, 1));
}

TEST(Diff, AnyMutantIsReadOrRefused) {
  const std::string Seed = "diff --git \"a/\\303\\244.cu\" b/k.cu\nrename to k.cu\n--- a/k.cu\n+++ b/k.cu\n"
                           "@@ -1,2 +1,3 @@ f\n-a\n-b\n+c\n+d\n+e\n\\ No newline\nBinary files a/x and b/x differ\n";
  std::mt19937 Random(1);
  unsigned Read = 0, Refused = 0;
  for (int I = 0; I != 20000; ++I) {
    std::string Text = Seed;
    for (int Edits = int(Random() % 4); Edits >= 0; --Edits) {
      const size_t At = Random() % Text.size();
      switch (Random() % 3) {
      case 0:
        Text[At] = "\"\\\n@+-,0 9/a"[Random() % 12];
        break;
      case 1:
        Text.erase(At, 1 + Random() % 8);
        break;
      default:
        Text.insert(At, Seed.substr(Random() % Seed.size(), Random() % 20));
      }
      if (Text.empty())
        Text = "x";
    }
    llvm::Expected<ChangedLines> Changed = parseDiff(Text);
    if (!Changed) {
      consumeError(Changed.takeError());
      ++Refused;
      continue;
    }
    ++Read;
    for (const auto &[Name, Lines] : *Changed)
      for (const LineRange &R : Lines.ranges)
        ASSERT_LE(R.first, R.last) << Text;
  }
  EXPECT_GT(Read, 1000u);
  EXPECT_GT(Refused, 1000u);
}
