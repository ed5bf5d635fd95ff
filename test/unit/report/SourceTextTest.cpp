//===-- SourceTextTest.cpp - Columns, hashes of lines, names in URIs --------===//
#include "analyzer/report/SourceText.h"
#include "analyzer/report/Paths.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace warplint::report;
using testing::ElementsAre;

namespace {

TEST(SourceText, ColumnsInUtf16) {
  //                        a  é      中         😀             b
  const SourceText Text("x\na\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80"
                        "b\n");
  EXPECT_EQ(Text.utf16Column(2, 1), 1u);
  EXPECT_EQ(Text.utf16Column(2, 2), 2u);  // é
  EXPECT_EQ(Text.utf16Column(2, 4), 3u);  // 中
  EXPECT_EQ(Text.utf16Column(2, 7), 4u);  // 😀, two units
  EXPECT_EQ(Text.utf16Column(2, 11), 6u); // b
  EXPECT_EQ(Text.utf16Column(2, 12), 7u);
  EXPECT_EQ(Text.utf16Column(9, 5), 1u) << "no such line";
}

TEST(SourceText, ByteOrderMarkCountsForNothing) {
  const SourceText Text("\xef\xbb\xbf"
                        "ab\n\xef\xbb\xbf"
                        "c");
  EXPECT_EQ(Text.utf16Column(1, 4), 1u);
  EXPECT_EQ(Text.utf16Column(1, 5), 2u);
  EXPECT_EQ(Text.utf16Column(2, 4), 2u) << "elsewhere it is a character";
}

TEST(SourceText, InvalidBytesAreCharacters) {
  const SourceText Text("a\xff\xc3(b");
  EXPECT_EQ(Text.utf16Column(1, 5), 5u);
}

TEST(SourceText, Positions) {
  const SourceText Text("ab\r\nc\xc3\xa9\rd\n");
  const auto At = [&](size_t Offset) {
    const auto P = Text.position(Offset);
    return P ? std::pair(P->line, P->column) : std::pair(0u, 0u);
  };
  EXPECT_EQ(At(0), std::pair(1u, 1u));
  EXPECT_EQ(At(4), std::pair(2u, 1u));
  EXPECT_EQ(At(7), std::pair(2u, 3u)); // the CR
  EXPECT_EQ(At(8), std::pair(3u, 1u));
  EXPECT_EQ(At(10), std::pair(4u, 1u)); // the end
  EXPECT_EQ(At(11), std::pair(0u, 0u));
}

// The vectors of github/codeql-action, src/fingerprints.test.ts.
TEST(LineHashes, EmptyFile) { EXPECT_THAT(lineHashes(""), ElementsAre("c129715d7a2bc9a3:1")); }

TEST(LineHashes, BlanksCountForNothing) {
  EXPECT_THAT(lineHashes(" a\nb\n  \t\tc\n d"), ElementsAre("271789c17abda88f:1", "54703d4cd895b18:1",
                                                            "180aee12dab6264:1", "a23a3dc5e078b07b:1"));
  EXPECT_THAT(lineHashes(" hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End"),
              ElementsAre("8b7cf3e952e7aeb2:1", "b1ae1287ec4718d9:1", "bff680108adb0fcc:1",
                          "c6805c5e1288b612:1", "b86d3392aea1be30:1", "e6ceba753e1a442:1"));
}

TEST(LineHashes, LineEndsAreAlike) {
  const auto Expected =
      ElementsAre("e9496ae3ebfced30:1", "fb7c023a8b9ccb3f:1", "ce8ba1a563dcdaca:1", "e20e36e16fcb0cc8:1",
                  "b3edc88f2938467e:1", "c8e28b0b4002a3a0:1", "c129715d7a2bc9a3:1");
  EXPECT_THAT(lineHashes(" hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n"), Expected);
  EXPECT_THAT(lineHashes(" hello; \t\nworld!!!\r\r\r  \t\tGreetings\r End\r"), Expected);
  EXPECT_THAT(lineHashes(" hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n"), Expected);
  EXPECT_THAT(lineHashes(" hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n"), Expected);
}

TEST(LineHashes, RepeatsAreCounted) {
  std::string Text;
  for (int I = 0; I < 10; ++I)
    Text += "Lorem ipsum dolor sit amet.\n";
  EXPECT_THAT(lineHashes(Text), ElementsAre("a7f2ff13bc495cf2:1", "a7f2ff13bc495cf2:2", "a7f2ff13bc495cf2:3",
                                            "a7f2ff13bc495cf2:4", "a7f2ff13bc495cf2:5", "a7f2ff13bc495cf2:6",
                                            "a7f2ff1481e87703:1", "a9cf91f7bbf1862b:1", "55ec222b86bcae53:1",
                                            "cc97dc7b1d7d8f7b:1", "c129715d7a2bc9a3:1"));
  EXPECT_THAT(lineHashes("x = 2\nx = 1\nprint(x)\nx = 3\nprint(x)\nx = 4\nprint(x)\n"),
              ElementsAre("e54938cc54b302f1:1", "bb609acbe9138d60:1", "1131fd5871777f34:1",
                          "5c482a0f8b35ea28:1", "54517377da7028d2:1", "2c644846cb18d53e:1",
                          "f1b89f20de0d133:1", "c129715d7a2bc9a3:1"));
}

TEST(LineHashes, InvalidTextIsReplaced) { // as by JavaScript's decoder: one U+FFFD for each broken sequence
  EXPECT_EQ(lineHashes("a\xff"), lineHashes("a\xef\xbf\xbd"));
  EXPECT_EQ(lineHashes("a\xe4\xb8z"), lineHashes("a\xef\xbf\xbdz"));
  EXPECT_NE(lineHashes("\xf0\x9f\x98\x80"), lineHashes("\xef\xbf\xbd"));
}

TEST(Paths, PercentEncoding) {
  EXPECT_EQ(percentEncoded("src/a b%c#d?.cu"), "src/a%20b%25c%23d%3F.cu");
  EXPECT_EQ(percentEncoded("a:\xc3\xa9\xff-._~/"), "a%3A%C3%A9%FF-._~/");
}

TEST(Paths, RelativeToTheRepository) {
  RepositoryPaths Paths("/no/such/root");
  EXPECT_EQ(Paths.relative("/no/such/root/src/a.cu"), "src/a.cu");
  EXPECT_EQ(Paths.relative("/no/such/root/./src/../b.cu"), "b.cu");
  EXPECT_EQ(Paths.relative("/no/such/root/../other.cu"), std::nullopt);
  EXPECT_EQ(Paths.relative("/no/such/roots/a.cu"), std::nullopt);
  EXPECT_EQ(Paths.shown("/elsewhere/a.cu"), "/elsewhere/a.cu");
  EXPECT_EQ(RepositoryPaths("/").relative("/a.cu"), "a.cu");
}

} // namespace
