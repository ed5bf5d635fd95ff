//===-- TextWriterTest.cpp - Clang's text form, line by line -----------------===//
#include "Sample.h"
#include "analyzer/report/Report.h"
#include "gtest/gtest.h"
#include <map>

using namespace warplint::result;
using warplint::report::TextOptions;
using warplint::test::place;
using warplint::test::sampleReport;

namespace {

using FileMap = std::map<std::string, std::string>;

std::string text(const Report &R, const FileMap &Files, const TextOptions &Options = {}) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  auto Read = [&](const std::string &Name) -> std::optional<std::string> {
    auto Found = Files.find(Name);
    return Found == Files.end() ? std::nullopt : std::optional(Found->second);
  };
  warplint::report::writeText(OS, R, Read, Options);
  EXPECT_FALSE(OS.colors_enabled());
  return Text;
}

Report oneFinding(Place P, std::string Message = "message", Severity Level = Severity::Warning) {
  Finding F;
  F.rule = "rule";
  F.severity = Level;
  F.message = std::move(Message);
  F.place = std::move(P);
  Report R;
  R.findings = {F};
  return R;
}

/// The text of a finding at a place of a file with this source.
std::string shown(const std::string &Source, unsigned Line, unsigned Column, unsigned EndLine = 0,
                  unsigned EndColumn = 0) {
  return text(oneFinding(place("a.cu", Line, Column, EndLine, EndColumn)), {{"a.cu", Source}});
}

TEST(Text, WholeReport) {
  EXPECT_EQ(text(sampleReport(), {{"/src/transpose.cu", warplint::test::sampleSource()}}),
            R"(/src/transpose.cu:3:7: error: unknown type name 'half'
    3 |   int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
      |       ^
error: no such file: missing.h
/src/transpose.cu:8:28: warning: shared load of a tile column is a 32-way bank conflict: 32 wavefronts where 1 would do [shared-tile-column]
    8 |     out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
      |                            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
/src/transpose.cu:2:20: note: rows of 'tile' are 32 words apart, so a column stays in one bank; pad to [32][33]
    2 |   __shared__ float tile[32][32];
      |                    ^~~~
note: lane t reads tile + 128*t (block 32x8 from the launch at line 12)
note: fix available: pad the rows of 'tile' to 33 elements
/src/transpose.cu:5:42: note: 5 sectors where 4 would do [global-misaligned]
    5 |     tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
      |                                          ^~~~~~~~~~~~~~~~~~~
note: fix available: start at a multiple of 8 elements
)");
  EXPECT_EQ(text(Report(), {}), "");
}

TEST(Text, Severities) {
  EXPECT_EQ(text(oneFinding(place("a.cu", 1, 1), "m", Severity::Error), {}), "a.cu:1:1: error: m [rule]\n");
  EXPECT_EQ(text(oneFinding(place("a.cu", 1, 1), "m", Severity::Note), {}), "a.cu:1:1: note: m [rule]\n");
}

TEST(Text, PlacesThatAreKnownInPart) {
  EXPECT_EQ(text(oneFinding(Place()), {}), "warning: message [rule]\n");
  EXPECT_EQ(text(oneFinding(place("a.cu", 0, 0)), {{"a.cu", "x\n"}}), "a.cu: warning: message [rule]\n");
  EXPECT_EQ(text(oneFinding(place("a.cu", 1, 0)), {{"a.cu", "x\n"}}), "a.cu:1: warning: message [rule]\n");
  // The file may have changed since, or be gone.
  EXPECT_EQ(shown("x\n", 9, 1), "a.cu:9:1: warning: message [rule]\n");
  EXPECT_EQ(text(oneFinding(place("b.cu", 1, 1)), {}), "b.cu:1:1: warning: message [rule]\n");
}

TEST(Text, WithoutReader) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  warplint::report::writeText(OS, oneFinding(place("a.cu", 1, 1)), nullptr, {});
  EXPECT_EQ(Text, "a.cu:1:1: warning: message [rule]\n");
}

TEST(Text, NoteAtItsFindingsPlaceDoesNotRepeatTheSnippet) {
  Report R = oneFinding(place("a.cu", 1, 3, 1, 4));
  R.findings[0].notes = {{"why", place("a.cu", 1, 3)}, {"where", place("a.cu", 1, 1)}};
  EXPECT_EQ(text(R, {{"a.cu", "a[i];\n"}}), "a.cu:1:3: warning: message [rule]\n"
                                            "    1 | a[i];\n"
                                            "      |   ^\n"
                                            "a.cu:1:3: note: why\n"
                                            "a.cu:1:1: note: where\n"
                                            "    1 | a[i];\n"
                                            "      | ^\n");
}

TEST(Text, UnverifiedFixesAreNotOffered) {
  Report R = oneFinding(Place());
  R.findings[0].fixes.resize(1);
  R.findings[0].fixes[0].title = "pad";
  EXPECT_EQ(text(R, {}), "warning: message [rule]\n");
  R.findings[0].fixes[0].verified = true;
  EXPECT_EQ(text(R, {}), "warning: message [rule]\nnote: fix available: pad\n");
}

//===-- Carets -----------------------------------------------------------------===//

TEST(Caret, Range) {
  EXPECT_EQ(shown("x = a[i];\n", 1, 5, 1, 9), "a.cu:1:5: warning: message [rule]\n"
                                              "    1 | x = a[i];\n"
                                              "      |     ^~~~\n");
  // No end, or one that is not behind the start: the caret alone.
  EXPECT_EQ(shown("x = a[i];\n", 1, 5), shown("x = a[i];\n", 1, 5, 1, 5));
  EXPECT_EQ(shown("x = a[i];\n", 1, 5), "a.cu:1:5: warning: message [rule]\n"
                                        "    1 | x = a[i];\n"
                                        "      |     ^\n");
}

TEST(Caret, LinesWithoutAnEndOrWithCarriageReturns) {
  EXPECT_EQ(shown("a\r\nb[i]\r\n", 2, 1, 2, 5), shown("a\nb[i]", 2, 1, 2, 5));
  EXPECT_EQ(shown("\n", 1, 1), "a.cu:1:1: warning: message [rule]\n    1 | \n      | ^\n");
}

TEST(Caret, ColumnsBehindTheLineStayAtItsEnd) {
  EXPECT_EQ(shown("abc\n", 1, 40, 1, 50), "a.cu:1:40: warning: message [rule]\n"
                                          "    1 | abc\n"
                                          "      |    ^\n");
  EXPECT_EQ(shown("abc\n", 1, 2, 1, 4000000000u), "a.cu:1:2: warning: message [rule]\n"
                                                  "    1 | abc\n"
                                                  "      |  ^~\n");
}

TEST(Caret, Tabs) {
  EXPECT_EQ(shown("\tx\t= a[i];\n", 1, 6, 1, 10), "a.cu:1:6: warning: message [rule]\n"
                                                  "    1 |         x       = a[i];\n"
                                                  "      |                   ^~~~\n");
  // A range over a tab covers all of its columns.
  EXPECT_EQ(shown("a\tb\n", 1, 1, 1, 4), "a.cu:1:1: warning: message [rule]\n"
                                         "    1 | a       b\n"
                                         "      | ^~~~~~~~~\n");
}

TEST(Caret, WideAndCombiningCharacters) {
  // Two-byte letters of one column, then a three-byte character of two columns.
  EXPECT_EQ(shown("\xc3\xa9\xc3\xa9 \xe4\xb8\xad a[i]\n", 1, 10, 1, 14),
            "a.cu:1:10: warning: message [rule]\n"
            "    1 | \xc3\xa9\xc3\xa9 \xe4\xb8\xad a[i]\n"
            "      |       ^~~~\n");
  // e and a combining accent share a column.
  EXPECT_EQ(shown("e\xcc\x81 a\n", 1, 5), "a.cu:1:5: warning: message [rule]\n"
                                          "    1 | e\xcc\x81 a\n"
                                          "      |   ^\n");
  // A column inside a character is that character's.
  EXPECT_EQ(shown("\xe4\xb8\xad\n", 1, 2), "a.cu:1:2: warning: message [rule]\n"
                                           "    1 | \xe4\xb8\xad\n"
                                           "      | ^\n");
}

TEST(Caret, ByteOrderMark) {
  EXPECT_EQ(shown("\xef\xbb\xbfint a;\n", 1, 8, 1, 9), "a.cu:1:8: warning: message [rule]\n"
                                                       "    1 | int a;\n"
                                                       "      |     ^\n");
}

TEST(Caret, RangeOverSeveralLines) {
  EXPECT_EQ(shown("x = a[i +  \n      1];\n", 1, 5, 2, 9), "a.cu:1:5: warning: message [rule]\n"
                                                           "    1 | x = a[i +  \n"
                                                           "      |     ^~~~~\n");
}

TEST(Caret, WideLineNumbers) {
  EXPECT_EQ(shown(std::string(9999, '\n') + "a[i]\n", 10000, 1, 10000, 5),
            "a.cu:10000:1: warning: message [rule]\n"
            " 10000 | a[i]\n"
            "       | ^~~~\n");
  EXPECT_EQ(shown(std::string(41, '\n') + "a[i]\n", 42, 1), "a.cu:42:1: warning: message [rule]\n"
                                                            "   42 | a[i]\n"
                                                            "      | ^\n");
}

TEST(Caret, HugeLinesHaveNoSnippet) {
  EXPECT_EQ(shown(std::string(5000, 'x') + "\n", 1, 4000), "a.cu:1:4000: warning: message [rule]\n");
  EXPECT_NE(shown(std::string(4000, 'x') + "\n", 1, 4000), "a.cu:1:4000: warning: message [rule]\n");
}

TEST(Caret, AsClangShowsIt) {
  // Clang 22's own words for this line, with the error at the '*'; the range before it is left out.
  EXPECT_EQ(
      shown(
          "int f(int a) {\n"
          "\tint \xc3\xa9\xc3\xa9 = 1; int \xe4\xb8\xad = \"\xe4\xb8\xad\xe2\x80\xae\x1b\xff\" + \"x\" * \n",
          2, 43),
      "a.cu:2:43: warning: message [rule]\n"
      "    2 |         int \xc3\xa9\xc3\xa9 = 1; int \xe4\xb8\xad = \"\xe4\xb8\xad<U+202E><U+001B><FF>\" + "
      "\"x\" * \n"
      "      |                                                             ^\n");
}

//===-- Hostile text -------------------------------------------------------------===//

TEST(Escapes, NothingReachesTheTerminal) {
  const std::string Hostile = "a\x1b[2J\x07\x7f\xc2\x9b\xe2\x80\xae\xff\xc3";
  const std::string Safe = "a<U+001B>[2J<U+0007><U+007F><U+009B><U+202E><FF><C3>";
  Report R = oneFinding(place(Hostile.c_str(), 1, 1), Hostile);
  R.findings[0].rule = Hostile;
  R.findings[0].notes = {{Hostile, Place()}};
  R.findings[0].fixes.resize(1);
  R.findings[0].fixes[0].title = Hostile;
  R.findings[0].fixes[0].verified = true;
  R.errors = {{Place(), Hostile}};
  EXPECT_EQ(text(R, {{Hostile, Hostile + "\n"}}),
            "error: " + Safe + "\n" + Safe + ":1:1: warning: " + Safe + " [" + Safe + "]\n    1 | " + Safe +
                "\n      | ^\nnote: " + Safe + "\nnote: fix available: " + Safe + "\n");
}

TEST(Escapes, MessagesAreOneLine) {
  EXPECT_EQ(text(oneFinding(Place(), "load of a[i +\n\t\t1]  twice\r\n"), {}),
            "warning: load of a[i + 1]  twice  [rule]\n");
  EXPECT_EQ(text(oneFinding(place("a\nb.cu", 1, 1)), {}), "a<U+000A>b.cu:1:1: warning: message [rule]\n");
}

TEST(Escapes, NulBytes) {
  EXPECT_EQ(shown(std::string("a\0b\n", 4), 1, 3), "a.cu:1:3: warning: message [rule]\n"
                                                   "    1 | a<U+0000>b\n"
                                                   "      |          ^\n");
}

//===-- Options ------------------------------------------------------------------===//

std::string relative(const char *File, const char *Folder) {
  TextOptions Options;
  Options.relativeTo = Folder;
  const std::string Text = text(oneFinding(place(File, 1, 1)), {}, Options);
  return Text.substr(0, Text.find(":1:1"));
}

TEST(RelativeTo, FilesBelowTheFolder) {
  EXPECT_EQ(relative("/home/me/p/src/a.cu", ""), "/home/me/p/src/a.cu");
  EXPECT_EQ(relative("/home/me/p/src/a.cu", "/home/me/p"), "src/a.cu");
  EXPECT_EQ(relative("/home/me/p/src/a.cu", "/home/me/p/"), "src/a.cu");
  EXPECT_EQ(relative("/home/me/p/../q/a.cu", "/home/me/p"), "../q/a.cu");
  EXPECT_EQ(relative("/a.cu", "/"), "a.cu");
  // Elsewhere, or with a name that only begins alike.
  EXPECT_EQ(relative("/home/me/p2/a.cu", "/home/me/p"), "/home/me/p2/a.cu");
  EXPECT_EQ(relative("/usr/include/a.h", "/home/me/p"), "/usr/include/a.h");
  EXPECT_EQ(relative("/home/me/p", "/home/me/p"), "/home/me/p");
}

TEST(RelativeTo, SnippetsAreReadByTheFullName) {
  TextOptions Options;
  Options.relativeTo = "/p";
  EXPECT_EQ(text(oneFinding(place("/p/a.cu", 1, 1)), {{"/p/a.cu", "x\n"}}, Options),
            "a.cu:1:1: warning: message [rule]\n    1 | x\n      | ^\n");
}

TEST(Color, AsClang) {
  TextOptions Options;
  Options.color = true;
  Report R = oneFinding(place("a.cu", 1, 1, 1, 3));
  R.findings[0].notes = {{"why", Place()}};
  R.errors = {{Place(), "broken"}};
  EXPECT_EQ(text(R, {{"a.cu", "ab\n"}}, Options),
            "\x1b[0;1;31merror: \x1b[0m\x1b[1mbroken\x1b[0m\n"
            "\x1b[1ma.cu:1:1: \x1b[0m\x1b[0;1;35mwarning: \x1b[0m\x1b[1mmessage [rule]\x1b[0m\n"
            "    1 | ab\n"
            "      | \x1b[0;1;32m^~\x1b[0m\n"
            "\x1b[0;1;36mnote: \x1b[0mwhy\n");
}

TEST(Reader, EachFileIsReadOnce) {
  unsigned Reads = 0;
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  Report R = oneFinding(place("a.cu", 1, 1));
  R.findings.resize(3, R.findings[0]);
  warplint::report::writeText(OS, R,
                              [&](const std::string &) {
                                ++Reads;
                                return std::optional<std::string>("x\n");
                              },
                              {});
  EXPECT_EQ(Reads, 1u);
}

} // namespace
