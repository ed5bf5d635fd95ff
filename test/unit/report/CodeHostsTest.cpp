//===-- CodeHostsTest.cpp - SARIF, GitHub's annotations, GitLab's report ------===//
#include "analyzer/report/CodeHosts.h"
#include "Sample.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace warplint::result;
using namespace warplint::report;
using warplint::test::place;
using warplint::test::sampleReport;
namespace json = llvm::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

std::optional<std::string> source(const std::string &File) {
  return File == "/src/transpose.cu" ? std::optional<std::string>(warplint::test::sampleSource())
                                     : std::nullopt;
}

SarifOptions options() {
  SarifOptions Options;
  Options.version = "1.2.3";
  Options.root = "/src";
  Options.rules = {{"global-misaligned", "Starts off",
                    "# global-misaligned\n\n## What it finds\nLanes {0}\noff.\n\n## Why\n```cuda\nx;\n```\n"},
                   {"shared-tile-column", "A column", ""}};
  return Options;
}

json::Value sarif(const Report &R, const SarifOptions &Options) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  writeSarif(OS, R, source, Options);
  llvm::Expected<json::Value> Value = json::parse(Text);
  EXPECT_TRUE(bool(Value)) << Text;
  return Value ? std::move(*Value) : json::Value(nullptr);
}

const json::Object &runOf(const json::Value &Log) {
  return *(*Log.getAsObject()->getArray("runs"))[0].getAsObject();
}
const json::Array &resultsOf(const json::Value &Log) { return *runOf(Log).getArray("results"); }
std::string text(const json::Value &Value) {
  std::string Text;
  llvm::raw_string_ostream(Text) << Value;
  return Text;
}
std::string result(const Finding &F) {
  Report R;
  R.findings = {F};
  return text(resultsOf(sarif(R, options()))[0]);
}

TEST(Sarif, Result) {
  const std::string Text = text(resultsOf(sarif(sampleReport(), options()))[0]);
  EXPECT_THAT(Text, HasSubstr(R"("ruleId":"shared-tile-column","ruleIndex":1)"));
  EXPECT_THAT(Text, HasSubstr(R"("level":"warning")"));
  EXPECT_THAT(Text, HasSubstr(R"("artifactLocation":{"uri":"transpose.cu","uriBaseId":"%SRCROOT%"})"));
  EXPECT_THAT(Text, HasSubstr(R"("region":{"endColumn":62,"endLine":8,"startColumn":28,"startLine":8})"));
  EXPECT_THAT(Text, HasSubstr(R"("conflictWays":32)"));
  // The fix that was verified, and that alone. The first line has 64 bytes.
  EXPECT_THAT(
      Text,
      HasSubstr(
          R"("deletedRegion":{"byteLength":2,"byteOffset":93,"endColumn":32,"endLine":2,"startColumn":30,"startLine":2})"));
  EXPECT_THAT(Text, HasSubstr(R"("insertedContent":{"text":"33"})"));
  EXPECT_THAT(Text, Not(HasSubstr("swizzle")));
  EXPECT_THAT(Text, HasSubstr("primaryLocationLineHash"));
}

TEST(Sarif, NotesAreLinked) {
  const std::string Text = text(resultsOf(sarif(sampleReport(), options()))[0]);
  // JSON doubles each backslash.
  EXPECT_THAT(
      Text,
      HasSubstr(
          R"-(\n[rows of 'tile' are 32 words apart, so a column stays in one bank; pad to \\[32\\]\\[33\\]](1)\nlane t reads)-"));
  EXPECT_THAT(Text, HasSubstr(R"("relatedLocations":[{"id":1,)"));
}

TEST(Sarif, ANoteAtItsFindingIsNoLink) {
  Finding F = sampleReport().findings[0];
  F.notes = {{"lane t reads", F.place}};
  EXPECT_THAT(result(F), HasSubstr(R"-(would do\nlane t reads")-"));
  EXPECT_THAT(result(F), Not(HasSubstr("relatedLocations")));
}

TEST(Sarif, MessagesAreNoTemplatesAndNoLinks) {
  Finding F = sampleReport().findings[0];
  F.notes.clear();
  F.message = "a{0}[i](x)";
  EXPECT_THAT(result(F), HasSubstr(R"-("message":{"text":"a{{0}}[i] (x)"})-"));
}

TEST(Sarif, ColumnsAreUtf16) {
  Finding F = sampleReport().findings[0];
  F.place = place("/src/u.cu", 1, 7, 1, 9);
  Report R;
  R.findings = {F};
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  writeSarif(
      OS, R,
      [](const std::string &) {
        return std::optional<std::string>("\xf0\x9f\x98\x80\xc3\xa9"
                                          "ab\n");
      },
      options());
  llvm::Expected<json::Value> Value = json::parse(Text);
  ASSERT_TRUE(bool(Value));
  EXPECT_THAT(text(resultsOf(*Value)[0]),
              HasSubstr(R"("region":{"endColumn":6,"endLine":1,"startColumn":4,"startLine":1})"));
}

TEST(Sarif, FilesElsewhereAndUnreadable) {
  Finding F = sampleReport().findings[0];
  F.place = place("/usr/include/a b.h", 3, 4, 3, 5);
  const std::string Text = result(F);
  EXPECT_THAT(Text, HasSubstr(R"("artifactLocation":{"uri":"file:///usr/include/a%20b.h"})"));
  EXPECT_THAT(Text, Not(HasSubstr("primaryLocationLineHash")));
}

TEST(Sarif, InvalidTextIsRepaired) {
  Finding F = sampleReport().findings[0];
  F.message = "bad \xff byte";
  EXPECT_THAT(result(F), HasSubstr("bad \xef\xbf\xbd byte"));
}

TEST(Sarif, Rules) {
  const json::Value Log = sarif({}, options());
  const std::string Driver = text(*runOf(Log).getObject("tool")->get("driver"));
  EXPECT_THAT(Driver, HasSubstr(R"("name":"GlobalMisaligned")"));
  EXPECT_THAT(Driver, HasSubstr(R"("fullDescription":{"text":"Lanes {{0}} off."})"));
  EXPECT_THAT(Driver, HasSubstr(R"("fullDescription":{"text":"A column"})"));
  EXPECT_THAT(Driver, HasSubstr("What it finds\\nLanes {0}\\noff."));
  EXPECT_THAT(Driver, Not(HasSubstr("informationUri")));
}

TEST(Sarif, Notifications) {
  Report R = sampleReport();
  for (int I = 0; I < 30; ++I)
    R.errors.push_back({place("/src/many.cu", 1 + I, 1), "unknown type"});
  SarifOptions Options = options();
  Options.notes = {{Severity::Error, "no kernel"}};
  Options.successful = false;
  Options.exitCode = 2;
  const std::string Text = text(*runOf(sarif(R, Options)).get("invocations"));
  EXPECT_THAT(Text, HasSubstr(R"("executionSuccessful":false,"exitCode":2)"));
  EXPECT_THAT(Text, HasSubstr("unknown type name 'half'"));
  EXPECT_THAT(Text, HasSubstr("10 more errors"));
  EXPECT_THAT(Text, HasSubstr(R"({"level":"error","message":{"text":"no kernel"}})"));
}

TEST(Sarif, NoMoreResultsThanAreTaken) {
  Report R;
  for (int I = 0; I < 50; ++I) {
    Finding F = sampleReport().findings[0];
    F.place.line = unsigned(I + 1);
    F.impact = I % 2 ? Impact::High : Impact::Medium;
    R.findings.push_back(F);
  }
  SarifOptions Options = options();
  Options.maxResults = 25;
  const json::Value Log = sarif(R, Options);
  ASSERT_EQ(resultsOf(Log).size(), 25u);
  for (const json::Value &Result : resultsOf(Log)) // the important ones, in their order
    EXPECT_THAT(text(Result), HasSubstr(R"("impact":"high")"));
  EXPECT_THAT(text(*runOf(Log).get("invocations")), HasSubstr("25 of 50 findings"));

  Options.maxResults = 1000;
  const size_t All = text(sarif(R, Options)).size();
  EXPECT_EQ(resultsOf(sarif(R, Options)).size(), 50u);
  Options.maxBytes = 2000; // compressed
  const json::Value Small = sarif(R, Options);
  EXPECT_LT(resultsOf(Small).size(), 50u);
  EXPECT_LT(text(Small).size(), All);
  EXPECT_THAT(text(*runOf(Small).get("invocations")), HasSubstr("are left out"));
}

TEST(SarifMerge, ResultsOnce) {
  Report A = sampleReport(), B = sampleReport();
  B.findings[0].severity = Severity::Error; // the same place, worse
  B.findings[1].place.line = 4;
  std::vector<std::pair<std::string, json::Value>> Logs;
  Logs.emplace_back("a.sarif", sarif(A, options()));
  Logs.emplace_back("b.sarif", sarif(B, options()));
  llvm::Expected<json::Value> Merged = mergeSarif(std::move(Logs));
  ASSERT_TRUE(bool(Merged));
  const json::Array &Results = resultsOf(*Merged);
  ASSERT_EQ(Results.size(), 3u);
  EXPECT_THAT(text(Results[0]), HasSubstr(R"("startLine":4)"));
  EXPECT_THAT(text(Results[2]), HasSubstr(R"("level":"error")"));
  EXPECT_EQ(runOf(*Merged).getArray("invocations")->size(), 1u);
}

TEST(SarifMerge, OneOfOneIsItself) {
  const json::Value Log = sarif(sampleReport(), options());
  std::vector<std::pair<std::string, json::Value>> Logs;
  Logs.emplace_back("a.sarif", Log);
  llvm::Expected<json::Value> Merged = mergeSarif(std::move(Logs));
  ASSERT_TRUE(bool(Merged));
  // Sorted by place, as a run sorts them; the sample is not.
  EXPECT_EQ(resultsOf(*Merged).size(), resultsOf(Log).size());
  EXPECT_EQ(text(*runOf(*Merged).get("properties")), text(*runOf(Log).get("properties")));
  EXPECT_EQ(text(*runOf(*Merged).get("invocations")), text(*runOf(Log).get("invocations")));
}

TEST(SarifMerge, OtherToolsAreRefused) {
  const auto Fails = [](json::Value Other) {
    std::vector<std::pair<std::string, json::Value>> Logs;
    Logs.emplace_back("a.sarif", sarif({}, options()));
    Logs.emplace_back("b.sarif", std::move(Other));
    llvm::Expected<json::Value> Merged = mergeSarif(std::move(Logs));
    return Merged ? std::string("merged") : llvm::toString(Merged.takeError());
  };
  EXPECT_EQ(Fails(sarif({}, options())), "merged");
  EXPECT_THAT(Fails(json::Object{{"version", "2.0.0"}, {"runs", json::Array{}}}),
              StartsWith("b.sarif: no SARIF 2.1.0"));
  EXPECT_THAT(Fails(json::Object{{"version", "2.1.0"}, {"runs", json::Array{}}}), HasSubstr("not one run"));
  EXPECT_THAT(Fails(json::Object{
                  {"version", "2.1.0"},
                  {"runs", json::Array{json::Object{
                               {"tool", json::Object{{"driver", json::Object{{"name", "CodeQL"}}}}}}}}}),
              HasSubstr("another tool"));
  SarifOptions Newer = options();
  Newer.version = "9";
  EXPECT_THAT(Fails(sarif({}, Newer)), HasSubstr("another version"));
}

std::string github(const Report &R) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  writeGitHub(OS, R, source, "/src");
  return Text;
}

TEST(GitHub, Commands) {
  EXPECT_EQ(
      github(sampleReport()),
      "::error file=transpose.cu,line=3,col=7,title=warplint::unknown type name 'half'\n"
      "::error title=warplint::no such file: missing.h\n"
      "::warning file=transpose.cu,line=8,endLine=8,col=28,endColumn=62,title=warplint (shared-tile-column)::"
      "shared load of a tile column is a 32-way bank conflict: 32 wavefronts where 1 would do%0A"
      "rows of 'tile' are 32 words apart, so a column stays in one bank; pad to [32][33]%0A"
      "lane t reads tile + 128*t (block 32x8 from the launch at line 12)\n"
      "::notice file=transpose.cu,line=5,endLine=5,col=42,endColumn=61,title=warplint (global-misaligned)::"
      "5 sectors where 4 would do\n");
}

TEST(GitHub, Escaping) {
  Report R;
  R.findings = {sampleReport().findings[1]};
  R.findings[0].message = "50 %, a:b\r\n\x1b[31m\xff";
  R.findings[0].place = place("/src/a,b:c%.cu", 1, 2, 3, 4); // several lines: no columns
  EXPECT_EQ(github(R), "::notice file=a%2Cb%3Ac%25.cu,line=1,endLine=3,title=warplint (global-misaligned)::"
                       "50 %25, a:b%0D%0A<U+001B>[31m\xef\xbf\xbd\n");
}

TEST(GitHub, ErrorsOfOneFileAreLimited) {
  Report R;
  for (unsigned I = 1; I <= 25; ++I)
    R.errors.push_back({place("/src/a.cu", I, 1), "unknown type"});
  const std::string Text = github(R);
  EXPECT_EQ(llvm::StringRef(Text).count('\n'), 21u);
  EXPECT_THAT(Text, HasSubstr("\n::error file=a.cu,title=warplint::5 more errors; --format=json has them\n"));
}

TEST(GitHub, WorstFirst) {
  Report R;
  R.findings = {sampleReport().findings[0], sampleReport().findings[0], sampleReport().findings[0]};
  R.findings[0].message = "second";
  R.findings[0].impact = Impact::Medium;
  R.findings[0].excess = 8;
  R.findings[1].message = "third";
  R.findings[1].impact = Impact::Medium;
  R.findings[2].message = "first";
  const std::string Text = github(R);
  EXPECT_LT(Text.find("::first"), Text.find("::second"));
  EXPECT_LT(Text.find("::second"), Text.find("::third"));
}

json::Array gitlab(const Report &R) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  writeGitLab(OS, R, "/src");
  llvm::Expected<json::Value> Value = json::parse(Text);
  EXPECT_TRUE(bool(Value)) << Text;
  return Value ? *Value->getAsArray() : json::Array();
}

TEST(GitLab, Issues) {
  const json::Array Issues = gitlab(sampleReport());
  ASSERT_EQ(Issues.size(), 3u); // the error without a place is none
  EXPECT_THAT(text(Issues[0]), HasSubstr(R"("check_name":"compile-error")"));
  EXPECT_THAT(text(Issues[1]), HasSubstr(R"("check_name":"shared-tile-column")"));
  EXPECT_THAT(text(Issues[1]), HasSubstr(R"("location":{"lines":{"begin":8},"path":"transpose.cu"})"));
  EXPECT_THAT(text(Issues[1]), HasSubstr(R"("severity":"major")"));
  EXPECT_THAT(text(Issues[1]), HasSubstr(R"-(32 wavefronts where 1 would do")-"));
  EXPECT_THAT(text(Issues[1]), HasSubstr("pad to [32][33]\\nlane t"));
  EXPECT_THAT(text(Issues[2]), HasSubstr(R"("severity":"info")"));
}

TEST(GitLab, FingerprintsAreUniqueAndStable) {
  Report R;
  R.findings = {sampleReport().findings[0], sampleReport().findings[0], sampleReport().findings[0]};
  R.findings[2].place.file = "/src/other/transpose.cu"; // our own fingerprint has no folder
  const json::Array Issues = gitlab(R);
  std::set<std::string> Seen;
  for (const json::Value &Issue : Issues)
    Seen.insert(Issue.getAsObject()->getString("fingerprint")->str());
  EXPECT_EQ(Seen.size(), 3u);
  R.findings[0].place.line += 7; // an edit elsewhere
  EXPECT_EQ(gitlab(R)[0].getAsObject()->getString("fingerprint"),
            Issues[0].getAsObject()->getString("fingerprint"));
}

} // namespace
