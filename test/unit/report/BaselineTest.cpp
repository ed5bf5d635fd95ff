#include "analyzer/report/Baseline.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace warplint;
using namespace warplint::report;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

static result::Finding finding(std::string Identity, double Sectors, result::Impact Impact = result::Impact::Medium) {
  result::Finding F;
  F.rule = "global-stride";
  F.identity = Identity;
  F.kernel = "k(float *)";
  F.expression = "in[2 * i]";
  F.place = {"/p/src/a.cu", 3, 1, 3, 5};
  F.space = result::Space::Global;
  F.most = Sectors;
  F.impact = Impact;
  return F;
}

static std::string inProject(const std::string &File) { return llvm::StringRef(File).drop_front(strlen("/p/")).str(); }

static std::vector<BaselineEntry> entries(const std::vector<result::Finding> &Findings) { return baselineOf(Findings, inProject); }

static std::string written(std::vector<BaselineEntry> Entries) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  writeBaseline(OS, std::move(Entries));
  return Text;
}

TEST(Baseline, OneFindingALineInAnyOrderOfFindings) {
  result::Finding Other = finding("bb", 8);
  Other.place.file = "/p/src/Z.cu";
  const std::string Text = written(entries({finding("aa", 4), Other, finding("aa", 32)}));
  EXPECT_EQ(Text, written(entries({finding("aa", 32), finding("aa", 4), Other})));
  const char *Expected = R"json({
"schema": "warplint-baseline/1",
"findings": [
{"file":"src/Z.cu","rule":"global-stride","kernel":"k(float *)","expression":"in[2 * i]","impact":"medium","cost":8,"fingerprint":"bb"},
{"file":"src/a.cu","rule":"global-stride","kernel":"k(float *)","expression":"in[2 * i]","impact":"medium","cost":4,"fingerprint":"aa"},
{"file":"src/a.cu","rule":"global-stride","kernel":"k(float *)","expression":"in[2 * i]","impact":"medium","cost":32,"fingerprint":"aa"}
]
}
)json";
  EXPECT_EQ(Text, Expected);
}

TEST(Baseline, ReadsWhatItWrites) {
  for (const std::string &Text : {written({}), written(entries({finding("aa", 4.5), finding("bb", 8, result::Impact::High)}))}) {
    auto Read = readBaseline(Text);
    ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
    EXPECT_EQ(written(*Read), Text);
  }
}

static std::string problem(llvm::StringRef Text) {
  auto Read = readBaseline(Text);
  return Read ? "none" : toString(Read.takeError());
}

TEST(Baseline, SaysWhatIsWrong) {
  EXPECT_THAT(problem("{"), HasSubstr("[1:1"));
  EXPECT_THAT(problem("[]"), HasSubstr("no baseline"));
  const char *OtherSchema = R"({"schema":"warplint-report/1"})";
  EXPECT_THAT(problem(OtherSchema), HasSubstr("no baseline"));
  const char *Later = R"({"schema":"warplint-baseline/2","findings":[]})";
  EXPECT_THAT(problem(Later), HasSubstr("'warplint-baseline/2'; this warplint reads"));
  const char *NoList = R"({"schema":"warplint-baseline/1"})";
  EXPECT_THAT(problem(NoList), HasSubstr("findings"));
  const char *HalfAFinding = R"({"schema":"warplint-baseline/1","findings":[{"file":"a"}]})";
  EXPECT_THAT(problem(HalfAFinding), HasSubstr("findings[0]"));
  const std::string Good = written(entries({finding("aa", 4)}));
  EXPECT_EQ(problem(Good), "none");
  const auto With = [&](const char *Old, const char *New) {
    std::string Text = Good;
    return Text.replace(Text.find(Old), strlen(Old), New);
  };
  EXPECT_THAT(problem(With("\"medium\"", "\"enormous\"")), HasSubstr("impact"));
  EXPECT_THAT(problem(With(":4,", ":\"4\",")), HasSubstr("cost"));
  EXPECT_THAT(problem(With("\"kernel\"", "\"colonel\"")), HasSubstr("unknown key"));
  EXPECT_THAT(problem(With("\"aa\"", "3")), HasSubstr("fingerprint"));
}

/// "known 0 2; worse 1 than 4; left 32"
static std::string compared(const std::vector<result::Finding> &Now, const std::vector<result::Finding> &Before) {
  const BaselineComparison C = compare(Now, entries(Before), inProject);
  std::string Text = "known";
  for (size_t I : C.known)
    Text += " " + std::to_string(I);
  Text += "; worse";
  for (const auto &[I, E] : C.worse)
    Text += " " + std::to_string(I) + " than " + std::to_string(int(E.cost));
  Text += "; left";
  for (const BaselineEntry &E : C.left)
    Text += " " + std::to_string(int(E.cost));
  return Text;
}

TEST(Baseline, KnownIsWhatIsNoWorse) {
  EXPECT_EQ(compared({finding("aa", 4), finding("bb", 4)}, {finding("aa", 4)}), "known 0; worse; left");
  EXPECT_EQ(compared({finding("aa", 4)}, {finding("aa", 32)}), "known 0; worse; left");
  EXPECT_EQ(compared({finding("aa", 32)}, {finding("aa", 4)}), "known; worse 0 than 4; left");
  EXPECT_EQ(compared({}, {finding("aa", 4)}), "known; worse; left 4");
  EXPECT_EQ(compared({finding("aa", 4, result::Impact::High)}, {finding("aa", 4)}), "known; worse 0 than 4; left");
}

TEST(Baseline, RepeatsAreCountedWhicheverIsFixed) {
  const std::vector<result::Finding> Two = {finding("aa", 4), finding("aa", 32)};
  EXPECT_EQ(compared({finding("aa", 32)}, Two), "known 0; worse; left 4");
  EXPECT_EQ(compared({finding("aa", 4)}, Two), "known 0; worse; left 32");
  EXPECT_EQ(compared({finding("aa", 32), finding("aa", 4), finding("aa", 4)}, Two), "known 0 1; worse; left");
  EXPECT_EQ(compared({finding("aa", 32), finding("aa", 32)}, Two), "known 0; worse 1 than 4; left");
}

TEST(Baseline, FilesAreApart) {
  result::Finding Elsewhere = finding("aa", 4);
  Elsewhere.place.file = "/p/other/a.cu";
  EXPECT_EQ(compared({Elsewhere}, {finding("aa", 4)}), "known; worse; left 4");
}

//===-- Files that have moved -------------------------------------------------===//

static result::Finding movedFinding(std::string File, std::string Expression) {
  result::Finding F = finding("identity of " + File, 8);
  F.place.file = "/p/" + File;
  F.expression = Expression;
  return F;
}

TEST(Moves, EntriesFollowTheirFindings) {
  std::vector<BaselineEntry> Entries =
      baselineOf({movedFinding("old.cu", "a"), movedFinding("old.cu", "b"), movedFinding("old.cu", "c")}, inProject);
  const std::vector<result::Finding> Now = {movedFinding("new.cu", "a"), movedFinding("new.cu", "b"),
                                            movedFinding("other.cu", "c")};
  const auto Gone = [](const std::string &File) { return File == "old.cu"; };
  const std::vector<MovedFile> Moved = followMoves(Entries, Now, inProject, Gone);
  ASSERT_EQ(Moved.size(), 1u);
  EXPECT_EQ(Moved[0].from, "old.cu");
  EXPECT_EQ(Moved[0].to, "new.cu");
  EXPECT_EQ(Moved[0].findings, 2u);
  const BaselineComparison Result = compare(Now, Entries, inProject);
  EXPECT_THAT(Result.known, ElementsAre(0u, 1u));
  EXPECT_EQ(Result.left.size(), 1u);
}

TEST(Moves, OnlyWhereTheFileIsGoneAndMostIsThere) {
  const std::vector<BaselineEntry> Entries =
      baselineOf({movedFinding("old.cu", "a"), movedFinding("old.cu", "b")}, inProject);
  const auto Moves = [&](std::vector<result::Finding> Now, bool IsGone) {
    std::vector<BaselineEntry> Copy = Entries;
    return followMoves(Copy, Now, inProject, [&](const std::string &) { return IsGone; });
  };
  EXPECT_EQ(Moves({movedFinding("new.cu", "a"), movedFinding("new.cu", "b")}, true).size(), 1u);
  EXPECT_THAT(Moves({movedFinding("new.cu", "a"), movedFinding("new.cu", "b")}, false), IsEmpty());
  EXPECT_THAT(Moves({movedFinding("new.cu", "a"), movedFinding("new.cu", "x")}, true), IsEmpty());
  EXPECT_THAT(Moves({movedFinding("old.cu", "a"), movedFinding("old.cu", "b")}, true), IsEmpty());
  EXPECT_THAT(Moves({}, true), IsEmpty());
}
