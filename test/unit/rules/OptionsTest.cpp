#include "rules/Options.h"
#include "rules/Rules.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace warplint::rules;
using testing::HasSubstr;
using testing::StartsWith;

static std::string problem(const char *Key, const char *Value) {
  Options All;
  return llvm::toString(All.set(Key, Value));
}

TEST(Options, PresetsAreInsideWhatMayBeSet) {
  for (const Rule &R : all())
    for (const OptionInfo &Option : R.options) {
      EXPECT_LE(Option.least, Option.preset) << R.name << Option.name;
      EXPECT_LE(Option.preset, Option.most) << R.name << Option.name;
    }
}

TEST(Options, AreSetByRule) {
  Options All;
  const Rule &Column = *find("shared-tile-column"), &Conflict = *find("shared-bank-conflict");
  EXPECT_EQ(All.of(Column)["MinWays"], 2);
  EXPECT_EQ(llvm::toString(All.set("shared-tile-column.MinWays", "4")), "");
  EXPECT_EQ(All.of(Column)["MinWays"], 4);
  EXPECT_EQ(All.of(Conflict)["MinWays"], 2);
  EXPECT_EQ(llvm::toString(All.set("warplint-shared-bank-conflict.Severity", "error")), "");
  EXPECT_EQ(All.of(Conflict).severity, warplint::result::Severity::Error);
  EXPECT_FALSE(All.of(Column).severity);
  EXPECT_EQ(llvm::toString(All.set("shared-bank-conflict.Severity", "default")), "");
  EXPECT_FALSE(All.of(Conflict).severity);
}

TEST(Options, FlagsAreWordsOrNumbers) {
  for (const char *Yes : {"true", "1", "yes", "on"}) {
    Options All;
    EXPECT_EQ(llvm::toString(All.set("global-misaligned.IgnoreLines", Yes)), "");
    EXPECT_TRUE(All.of(*find("global-misaligned"))["IgnoreLines"]) << Yes;
  }
  EXPECT_THAT(problem("global-misaligned.IgnoreLines", "2"), HasSubstr("expected true or false"));
}

TEST(Options, ErrorsSayWhatWouldBeRight) {
  EXPECT_THAT(problem("shared-bank-conflict.MinWay", "4"), HasSubstr("did you mean 'MinWays'?"));
  EXPECT_THAT(problem("global-gather.Something", "4"), HasSubstr("it has Severity"));
  EXPECT_THAT(problem("shared-bank-conflic.MinWays", "4"), HasSubstr("did you mean 'shared-bank-conflict'?"));
  EXPECT_THAT(problem("qqqqqqqqq.MinWays", "4"), HasSubstr("--list-checks shows all"));
  EXPECT_THAT(problem("global-stride", "4"), HasSubstr("expected CHECK.OPTION"));
  EXPECT_THAT(problem("", "4"), StartsWith("unknown check ''"));
  for (const char *Bad : {"", "1", "33", "4x", "-4", "4.5", "99999999999999999999"})
    EXPECT_THAT(problem("shared-bank-conflict.MinWays", Bad), HasSubstr("expected a number from 2 to 32"))
        << Bad;
  EXPECT_THAT(problem("global-stride.Severity", "warn"),
              HasSubstr("expected note, warning, error or default"));
}

TEST(Options, ListHasAllWithTheirValues) {
  Options All;
  size_t Count = 0;
  for (const Rule &R : all())
    Count += R.options.size() + 1;
  EXPECT_EQ(All.list().size(), Count);
  llvm::cantFail(All.set("global-stride.Severity", "note"));
  EXPECT_THAT(All.list(), testing::Contains(testing::Pair("global-stride.Severity", "note")));
}
