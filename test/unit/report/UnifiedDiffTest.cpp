// Edits as a unified diff. That 'git apply' and 'patch' take them is tested end to end.
#include "analyzer/report/UnifiedDiff.h"
#include "gtest/gtest.h"

using warplint::report::writeUnifiedDiff;
using warplint::result::Edit;

namespace {

Edit edit(unsigned Offset, unsigned Length, const char *Text) {
  Edit E;
  E.offset = Offset;
  E.length = Length;
  E.text = Text;
  return E;
}

std::string diff(llvm::StringRef Text, const std::vector<Edit> &Edits, llvm::StringRef Name = "a.cu") {
  std::string Result;
  llvm::raw_string_ostream OS(Result);
  writeUnifiedDiff(OS, Name, Text, Edits);
  return Result;
}

std::string hunks(llvm::StringRef Text, const std::vector<Edit> &Edits) {
  const std::string All = diff(Text, Edits);
  return All.substr(std::min(All.size(), All.find("@@")));
}

TEST(UnifiedDiff, OneLine) {
  EXPECT_EQ(diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", {edit(8, 1, "five")}),
            "--- a/a.cu\n+++ b/a.cu\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n"
            "+five\n 6\n 7\n 8\n");
}

TEST(UnifiedDiff, NothingChanges) {
  EXPECT_EQ(diff("1\n2\n", {}), "");
  EXPECT_EQ(diff("1\n2\n", {edit(2, 1, "2")}), "");
}

TEST(UnifiedDiff, ContextsThatMeetAreOneHunk) {
  const llvm::StringRef Text = "1\n2\n3\n4\n5\n6\n7\n8\n9\na\nb\n";
  EXPECT_EQ(hunks(Text, {edit(0, 1, "x"), edit(14, 1, "y")}), // six lines between them
            "@@ -1,11 +1,11 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n 9\n a\n b\n");
  EXPECT_EQ(hunks(Text, {edit(0, 1, "x\nz"), edit(16, 1, "y")}), // seven, and the second hunk is further down
            "@@ -1,4 +1,5 @@\n-1\n+x\n+z\n 2\n 3\n 4\n@@ -6,6 +7,6 @@\n 6\n 7\n 8\n-9\n+y\n a\n b\n");
}

TEST(UnifiedDiff, EditsOfOneLine) {
  EXPECT_EQ(hunks("abc\n", {edit(0, 1, "x"), edit(2, 1, "z")}), "@@ -1,1 +1,1 @@\n-abc\n+xbz\n");
}

TEST(UnifiedDiff, LinesThatComeAndGo) {
  EXPECT_EQ(hunks("1\n2\n", {edit(2, 0, "x\n")}), "@@ -1,2 +1,3 @@\n 1\n+x\n 2\n");
  EXPECT_EQ(hunks("1\n2\n", {edit(0, 2, "")}), "@@ -1,2 +1,1 @@\n-1\n 2\n");
  EXPECT_EQ(hunks("1\n2\n", {edit(1, 1, "")}), "@@ -1,2 +1,1 @@\n-1\n-2\n+12\n");
  EXPECT_EQ(hunks("1\n2\n", {edit(4, 0, "3\n")}), "@@ -1,2 +1,3 @@\n 1\n 2\n+3\n");
  EXPECT_EQ(hunks("1\n", {edit(0, 2, "")}), "@@ -1,1 +0,0 @@\n-1\n");
  EXPECT_EQ(hunks("", {edit(0, 0, "1\n")}), "@@ -0,0 +1,1 @@\n+1\n");
}

TEST(UnifiedDiff, NoLineEndAtTheEnd) {
  EXPECT_EQ(hunks("1\n2", {edit(0, 1, "x")}), "@@ -1,2 +1,2 @@\n-1\n+x\n 2\n\\ No newline at end of file\n");
  EXPECT_EQ(hunks("1\n2", {edit(2, 1, "x")}), "@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+x\n"
                                              "\\ No newline at end of file\n");
  EXPECT_EQ(hunks("1\n2", {edit(3, 0, "\n")}), "@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+2\n");
}

TEST(UnifiedDiff, OtherLineEndsStay) {
  EXPECT_EQ(hunks("1\r\n2\r\n", {edit(3, 1, "x")}), "@@ -1,2 +1,2 @@\n 1\r\n-2\r\n+x\r\n");
}

TEST(UnifiedDiff, Names) {
  const auto Header = [](llvm::StringRef Name) {
    const std::string All = diff("1", {edit(0, 1, "2")}, Name);
    return All.substr(0, All.find('\n'));
  };
  EXPECT_EQ(Header("src/a.cu"), "--- a/src/a.cu");
  EXPECT_EQ(Header("my kernels/a.cu"), "--- a/my kernels/a.cu\t");
  EXPECT_EQ(Header("a\"b\\c\td.cu"), "--- \"a/a\\\"b\\\\c\\011d.cu\"");
}

} // namespace
