#include "analyzer/driver/FindingFilter.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace warplint;
using namespace warplint::driver;
using testing::ElementsAre;
using testing::HasSubstr;

static result::Finding at(const char *File, unsigned Line, unsigned EndLine = 0) {
  result::Finding F;
  F.rule = "global-stride";
  F.place = {File, Line, 1, EndLine ? EndLine : Line, 2};
  return F;
}

static std::vector<std::string> kept(std::vector<result::Finding> Findings, const FindingFilter &Filter,
                                     const std::vector<std::string> &Main = {"/p/a.cu"}) {
  keepHeaders(Findings, Filter, Main);
  keepLines(Findings, Filter);
  std::vector<std::string> Result;
  for (const result::Finding &F : Findings)
    Result.push_back(F.place.file + ":" + std::to_string(F.place.line));
  return Result;
}

static FindingFilter lineFilter(const char *Json) {
  FindingFilter Filter;
  auto Lines = parseLineFilter(Json);
  EXPECT_TRUE(bool(Lines));
  Filter.lines = std::move(*Lines);
  return Filter;
}

static std::string problem(const char *Json) {
  auto Lines = parseLineFilter(Json);
  return Lines ? "none" : toString(Lines.takeError());
}

TEST(LineFilter, ShowsTheLinesOfTheFilesThatItNames) {
  const FindingFilter Filter = lineFilter(R"([{"name":"a.cu","lines":[[1,3],[5,7]]},{"name":"b.cuh"}])");
  EXPECT_THAT(kept({at("/p/a.cu", 3), at("/p/a.cu", 4), at("/p/a.cu", 7), at("/p/b.cuh", 99), at("/p/c.cu", 1)}, Filter),
              ElementsAre("/p/a.cu:3", "/p/a.cu:7", "/p/b.cuh:99"));
}

TEST(LineFilter, TheFirstNameThatFitsDecides) {
  const FindingFilter Filter = lineFilter(R"([{"name":"a.cu","lines":[[1,1]]},{"name":"a.cu"}])");
  EXPECT_THAT(kept({at("/p/a.cu", 1), at("/p/a.cu", 2)}, Filter), ElementsAre("/p/a.cu:1"));
}

TEST(LineFilter, AFindingOverSeveralLinesNeedsOneOfThem) {
  const FindingFilter Filter = lineFilter(R"([{"name":"a.cu","lines":[[5,5]]}])");
  EXPECT_THAT(kept({at("/p/a.cu", 4, 5), at("/p/a.cu", 3, 4)}, Filter), ElementsAre("/p/a.cu:4"));
}

TEST(LineFilter, ContractsStay) {
  result::Finding Contract = at("/p/z.cu", 4);
  Contract.rule = "cost-contract";
  EXPECT_THAT(kept({Contract, at("/p/z.cu", 5)}, lineFilter(R"([{"name":"a.cu"}])")), ElementsAre("/p/z.cu:4"));
}

TEST(LineFilter, NothingFiltersNothing) {
  EXPECT_THAT(kept({at("/p/a.cu", 1)}, lineFilter("")), ElementsAre("/p/a.cu:1"));
  EXPECT_THAT(kept({at("/p/a.cu", 1)}, lineFilter("[]")), ElementsAre("/p/a.cu:1"));
}

TEST(LineFilter, SaysWhereItIsWrong) {
  EXPECT_THAT(problem("[{\"name\":\"a.cu\",]"), HasSubstr("1:17"));
  EXPECT_THAT(problem("{}"), HasSubstr("expected a list of files"));
  EXPECT_THAT(problem(R"([{"name":"a"},{"name":"b","lines":[[1,2],[3]]}])"), HasSubstr("filter[1].lines[1]"));
  EXPECT_THAT(problem(R"([{"name":"a","lines":[[0,2]]}])"), HasSubstr("from 1 on"));
  EXPECT_THAT(problem(R"([{"name":"a","lines":[[3,2]]}])"), HasSubstr("first not after the last"));
  EXPECT_THAT(problem(R"([{"name":"a","line":[[3,4]]}])"), HasSubstr("unknown key"));
  EXPECT_THAT(problem(R"([{"lines":[[3,4]]}])"), HasSubstr("expected a name"));
  EXPECT_THAT(problem(R"([{"name":7}])"), HasSubstr("expected a string"));
  EXPECT_EQ(problem(R"([{"name":"a","lines":[[3,4]]}])"), "none");
}

TEST(HeaderFilter, SpeaksOfHeadersAlone) {
  const std::vector<result::Finding> All = {at("/p/a.cu", 1), at("/p/lib/x.cuh", 1), at("/p/own/y.cuh", 1)};
  FindingFilter Filter;
  EXPECT_THAT(kept(All, Filter), ElementsAre("/p/a.cu:1", "/p/lib/x.cuh:1", "/p/own/y.cuh:1"));
  Filter.headers = "own/.*";
  EXPECT_THAT(kept(All, Filter), ElementsAre("/p/a.cu:1", "/p/own/y.cuh:1"));
  Filter.headers = "";
  EXPECT_THAT(kept(All, Filter), ElementsAre("/p/a.cu:1"));
  Filter.headers = ".*";
  Filter.excludedHeaders = "/own/|\\.cu$";
  EXPECT_THAT(kept(All, Filter), ElementsAre("/p/a.cu:1", "/p/lib/x.cuh:1"));
  EXPECT_THAT(kept(All, Filter, {"/p/own/y.cuh"}), ElementsAre("/p/lib/x.cuh:1", "/p/own/y.cuh:1"))
      << "what is named is no header";
}

TEST(HeaderFilter, BadExpressionsAreErrors) {
  EXPECT_TRUE(llvm::errorToBool(checkRegex("a(b")));
  EXPECT_FALSE(llvm::errorToBool(checkRegex("a(b)|c*")));
  EXPECT_FALSE(llvm::errorToBool(checkRegex("")));
}

TEST(ChangedLines, AFindingOrOneOfItsNotesTouchesThem) {
  FindingFilter Filter;
  Filter.changed = {{"/p/a.cu", {false, {{3, 4}}}}, {"/p/new.cu", {true, {}}}};
  result::Finding OfTile = at("/p/a.cu", 9);
  OfTile.notes.push_back({"pad it", {"/p/a.cu", 4, 1, 4, 2}});
  result::Finding OfElse = at("/p/a.cu", 10);
  OfElse.notes.push_back({"no place", {}});
  OfElse.notes.push_back({"other lines", {"/p/a.cu", 5, 1, 5, 2}});
  EXPECT_THAT(kept({at("/p/a.cu", 2), at("/p/a.cu", 2, 3), OfTile, OfElse, at("/p/new.cu", 70), at("/p/b.cu", 3)}, Filter),
              ElementsAre("/p/a.cu:2", "/p/a.cu:9", "/p/new.cu:70"));
}
