//===-- ArchiveTest.cpp - Plain data as bytes and back --------------------===//
#include "analyzer/result/Archive.h"
#include "gtest/gtest.h"
#include <limits>
#include <random>

namespace {

enum class Colour : uint8_t { Red, Green };
struct Inner {
  std::string name;
  int64_t number = 0;
  bool operator==(const Inner &) const = default;
};
struct Outer {
  std::vector<Inner> items;
  std::map<std::string, int64_t> table;
  std::optional<Inner> maybe;
  std::array<unsigned, 3> triple{};
  double ratio = 0;
  Colour colour = Colour::Red;
  std::vector<std::vector<std::string>> nested;
  bool flag = false;
  bool operator==(const Outer &) const = default;
};
auto members(Inner &I) { return std::tie(I.name, I.number); }
auto members(Outer &O) {
  return std::tie(O.items, O.table, O.maybe, O.triple, O.ratio, O.colour, O.nested, O.flag);
}

Outer sample() {
  return {{{"one", 1}, {std::string("\0\n", 2), std::numeric_limits<int64_t>::min()}, {"", -1}},
          {{"n", 5}, {"", 0}},
          Inner{"maybe", 7},
          {1, 2, 3},
          1 / 3.0,
          Colour::Green,
          {{}, {"a", ""}, {}},
          true};
}

std::string bytesOf(const Outer &O) {
  std::string Bytes;
  warplint::result::ArchiveWriter(Bytes).put(O);
  return Bytes;
}

TEST(Archive, RoundTrip) {
  for (const Outer &Before : {Outer(), sample()}) {
    const std::string Bytes = bytesOf(Before);
    warplint::result::ArchiveReader Reader(Bytes);
    Outer After;
    Reader.get(After);
    EXPECT_TRUE(Reader.complete());
    EXPECT_EQ(Before, After);
  }
}

TEST(Archive, CutAnywhere) {
  const std::string Bytes = bytesOf(sample());
  for (size_t Size = 0; Size < Bytes.size(); ++Size) {
    warplint::result::ArchiveReader Reader(std::string_view(Bytes).substr(0, Size));
    Outer After;
    Reader.get(After);
    EXPECT_FALSE(Reader.good()) << Size;
    EXPECT_FALSE(Reader.complete()) << Size;
  }
}

TEST(Archive, MoreThanWasAskedFor) {
  const std::string Bytes = bytesOf(sample()) + '\0';
  warplint::result::ArchiveReader Reader(Bytes);
  Outer After;
  Reader.get(After);
  EXPECT_TRUE(Reader.good());
  EXPECT_FALSE(Reader.complete());
}

/// Nothing worse than a wrong value or a refusal: no crash, and no memory for counts that cannot be.
TEST(Archive, Garbled) {
  const std::string Bytes = bytesOf(sample());
  std::mt19937 Random(1);
  unsigned Refused = 0;
  for (int Round = 0; Round < 20'000; ++Round) {
    std::string Garbled = Bytes;
    for (unsigned Times = 1 + Random() % 4; Times; --Times)
      Garbled[Random() % Garbled.size()] = char(Random());
    warplint::result::ArchiveReader Reader(Garbled);
    Outer After;
    Reader.get(After);
    Refused += !Reader.complete();
    EXPECT_LE(After.items.size() + After.nested.size(), Bytes.size());
  }
  EXPECT_GT(Refused, 0u);
}

TEST(Archive, ImpossibleCounts) {
  for (uint64_t Count : {uint64_t(1), uint64_t(1) << 32, ~uint64_t(0)}) {
    std::string Bytes;
    warplint::result::ArchiveWriter(Bytes).put(Count);
    std::string Text;
    std::vector<Inner> Items;
    std::map<std::string, int64_t> Table;
    warplint::result::ArchiveReader(Bytes).get(Text);
    warplint::result::ArchiveReader(Bytes).get(Items);
    warplint::result::ArchiveReader(Bytes).get(Table);
    EXPECT_TRUE(Text.empty());
    EXPECT_TRUE(Items.empty());
    EXPECT_TRUE(Table.empty());
  }
}

} // namespace
