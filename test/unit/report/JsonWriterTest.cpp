//===-- JsonWriterTest.cpp - The JSON report, parsed back --------------------===//
#include "Sample.h"
#include "analyzer/report/Report.h"
#include "llvm/Support/JSON.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <limits>

using namespace warplint::result;
using warplint::test::place;
using warplint::test::sampleReport;
namespace json = llvm::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// What a failing comparison shows.
namespace llvm::json {
static void PrintTo(const Value &V, std::ostream *OS) {
  std::string Text;
  raw_string_ostream(Text) << V;
  *OS << Text;
}
} // namespace llvm::json

namespace {

std::string text(const Report &R) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  warplint::report::writeJson(OS, R, "1.2.3");
  return Text;
}

json::Value written(const Report &R) {
  llvm::Expected<json::Value> Value = json::parse(text(R));
  if (!Value) {
    ADD_FAILURE() << llvm::toString(Value.takeError());
    return json::Object();
  }
  return std::move(*Value);
}

/// Reads along a path of keys and indices: "kernels.0.accesses.1.mean".
const json::Value &at(const json::Value &Top, llvm::StringRef Path) {
  static const json::Value Missing = "<missing>";
  const json::Value *Value = &Top;
  while (!Path.empty()) {
    llvm::StringRef Key;
    std::tie(Key, Path) = Path.split('.');
    size_t Index;
    const json::Value *Next = nullptr;
    if (const json::Array *Array = Value->getAsArray()) {
      if (!Key.getAsInteger(10, Index) && Index < Array->size())
        Next = &(*Array)[Index];
    } else if (const json::Object *Object = Value->getAsObject()) {
      Next = Object->get(Key);
    }
    if (!Next) {
      ADD_FAILURE() << "no key " << Key.str();
      return Missing;
    }
    Value = Next;
  }
  return *Value;
}

/// The keys of an object in the order in which they are written; llvm::json sorts what it parses.
std::vector<std::string> keysInOrder(llvm::StringRef Json) {
  std::vector<std::string> Keys;
  int Depth = 0;
  for (size_t I = 0; I < Json.size(); ++I)
    if (Json[I] == '{' || Json[I] == '[') {
      ++Depth;
    } else if (Json[I] == '}' || Json[I] == ']') {
      if (--Depth == 0)
        break;
    } else if (Json[I] == '"') {
      size_t End = I + 1;
      while (Json[End] != '"')
        End += Json[End] == '\\' ? 2 : 1;
      if (Depth == 1 && Json[End + 1] == ':')
        Keys.push_back(Json.slice(I + 1, End).str());
      I = End;
    }
  return Keys;
}

/// From the nth '{' after `"Key": [` on.
llvm::StringRef element(llvm::StringRef Json, llvm::StringRef Key) {
  const size_t At = Json.find(("\"" + Key + "\": [").str());
  return At == llvm::StringRef::npos ? "" : Json.drop_front(Json.find('{', At));
}

TEST(JsonReport, KeysInTheOrderOfTheSchema) {
  const std::string Text = text(sampleReport());
  EXPECT_THAT(keysInOrder(Text),
              ElementsAre("schema", "version", "kernels", "findings", "errors", "summary"));
  EXPECT_THAT(keysInOrder(element(Text, "kernels")),
              ElementsAre("name", "signature", "file", "line", "block", "grid", "blockOrigin",
                          "dynamicShared", "arguments", "arch", "accesses", "roofline", "occupancy", "eta"));
  EXPECT_THAT(keysInOrder(element(Text, "accesses")),
              ElementsAre("file", "line", "column", "expression", "operation", "instruction", "removed",
                          "space", "base", "width", "offset", "confidence", "assumptions", "activeLanes",
                          "iterations", "lines", "sectors", "idealSectors", "efficiency", "sectorEfficiency",
                          "mean", "total"));
  EXPECT_THAT(keysInOrder(element(Text, "findings")),
              ElementsAre("rule", "severity", "impact", "message", "file", "line", "column", "endLine",
                          "endColumn", "kernel", "confidence", "notes", "fixes", "fingerprint"));
  EXPECT_THAT(keysInOrder(element(Text, "notes")), ElementsAre("message", "file", "line", "column"));
  EXPECT_THAT(keysInOrder(element(Text, "fixes")),
              ElementsAre("title", "safety", "edits", "before", "after"));
  EXPECT_THAT(keysInOrder(element(Text, "edits")), ElementsAre("file", "offset", "length", "text"));
  EXPECT_THAT(keysInOrder(element(Text, "errors")), ElementsAre("file", "line", "column", "message"));
  EXPECT_TRUE(llvm::StringRef(Text).ends_with("}\n"));
}

TEST(JsonReport, Kernel) {
  const json::Value Top = written(sampleReport());
  EXPECT_EQ(at(Top, "schema"), "warplint-report/1");
  EXPECT_EQ(at(Top, "version"), "1.2.3");
  const json::Value &Kernel = at(Top, "kernels.0");
  EXPECT_EQ(at(Kernel, "name"), "transpose");
  EXPECT_EQ(at(Kernel, "signature"), "transpose(const float *, float *, int)");
  EXPECT_EQ(at(Kernel, "file"), "/src/transpose.cu");
  EXPECT_EQ(at(Kernel, "line"), 1);
  EXPECT_EQ(at(Kernel, "block"), json::Value(json::Array{32, 8, 1}));
  EXPECT_EQ(at(Kernel, "grid"), json::Value(json::Array{4, 4, 1}));
  EXPECT_EQ(at(Kernel, "blockOrigin"), "launch");
  EXPECT_EQ(at(Kernel, "dynamicShared"), 0);
  EXPECT_EQ(at(Kernel, "arguments"), json::Value(json::Object{{"n", 1024}}));
  EXPECT_EQ(at(Kernel, "arch"), "sm_80");
}

TEST(JsonReport, WhatIsNotKnownOfAKernelIsNull) {
  const json::Value Top = written(sampleReport());
  const json::Value &Kernel = at(Top, "kernels.1");
  EXPECT_EQ(at(Kernel, "grid"), nullptr);
  EXPECT_EQ(at(Kernel, "dynamicShared"), nullptr);
  EXPECT_EQ(at(Kernel, "arguments"), json::Value(json::Object()));
  EXPECT_EQ(at(Kernel, "accesses"), json::Value(json::Array()));
  EXPECT_EQ(at(Kernel, "partial"), true);
  EXPECT_EQ(at(Kernel, "partialReason"), "more than 1000000 steps");
}

TEST(JsonReport, AccessesHaveTheKeysOfTheirSpace) {
  const json::Value Top = written(sampleReport());
  EXPECT_EQ(
      at(Top, "kernels.0.accesses.0"),
      json::Value(json::Object{
          {"file", "/src/transpose.cu"},
          {"line", 5},
          {"column", 42},
          {"expression", "in[(y + j) * n + x]"},
          {"operation", "load"},
          {"instruction", "plain"},
          {"removed", false},
          {"space", "global"},
          {"base", "in"},
          {"width", 4},
          {"offset", "4*threadIdx.x + 4096*threadIdx.y"},
          {"confidence", "exact"},
          {"assumptions", json::Array()},
          {"activeLanes", 32},
          {"iterations", 4},
          {"lines", 2},
          {"sectors", 5},
          {"idealSectors", 4},
          {"efficiency", 0.5},
          {"sectorEfficiency", 0.8},
          {"mean", json::Object{{"lines", 1.1},
                                {"sectors", 4.5},
                                {"idealSectors", 4},
                                {"efficiency", 1.0 / 3},
                                {"sectorEfficiency", 1}}},
          {"total",
           json::Object{{"requests", 512}, {"sectors", 2048}, {"idealSectors", 2048}, {"wavefronts", 0}}}}));
  const json::Object SharedCost{{"wavefronts", 32}, {"idealWavefronts", 1}, {"conflictWays", 32}};
  EXPECT_EQ(at(Top, "kernels.0.accesses.1"),
            json::Value(json::Object{{"file", "/src/transpose.cu"},
                                     {"line", 8},
                                     {"column", 28},
                                     {"expression", "tile[threadIdx.x][threadIdx.y + j]"},
                                     {"operation", "load"},
                                     {"instruction", "plain"},
                                     {"removed", false},
                                     {"space", "shared"},
                                     {"base", "tile"},
                                     {"width", 4},
                                     {"offset", "128*threadIdx.x + 4*threadIdx.y + 4*j"},
                                     {"confidence", "assumed"},
                                     {"assumptions", json::Array{"blocks are 32x8", "n is a multiple of 32"}},
                                     {"activeLanes", 32},
                                     {"iterations", nullptr},
                                     {"wavefronts", 32},
                                     {"idealWavefronts", 1},
                                     {"conflictWays", 32},
                                     {"mean", json::Object(SharedCost)},
                                     {"total", nullptr}}));
  const json::Object &Constant = *at(Top, "kernels.0.accesses.2").getAsObject();
  EXPECT_EQ(*Constant.get("distinctAddresses"), 3);
  EXPECT_EQ(*Constant.get("mean"), json::Value(json::Object{{"distinctAddresses", 2.5}}));
  EXPECT_FALSE(Constant.get("lines") || Constant.get("wavefronts"));
  const json::Object &Local = *at(Top, "kernels.0.accesses.3").getAsObject();
  EXPECT_EQ(*Local.get("sectors"), 32);
  EXPECT_EQ(*Local.get("mean"),
            json::Value(json::Object{{"sectors", 18.5}, {"idealSectors", 4}, {"sectorEfficiency", 0.125}}));
  EXPECT_EQ(*Local.get("removed"), true);
  EXPECT_FALSE(Local.get("lines") || Local.get("wavefronts") || Local.get("distinctAddresses"));
}

TEST(JsonReport, UnknownAccessesHaveAReasonAndNoNumbers) {
  const json::Value Top = written(sampleReport());
  const json::Object &Unknown = *at(Top, "kernels.0.accesses.4").getAsObject();
  EXPECT_EQ(*Unknown.get("confidence"), "unknown");
  EXPECT_EQ(*Unknown.get("operation"), "atomic");
  EXPECT_EQ(*Unknown.get("reason"), "the index is read from memory: order[x]");
  for (const char *Key :
       {"lines", "sectors", "idealSectors", "efficiency", "sectorEfficiency", "mean", "total"})
    EXPECT_EQ(Unknown.get(Key), nullptr) << Key;
  EXPECT_EQ(at(Top, "kernels.0.accesses.5.instruction"), "cp.async");
}

TEST(JsonReport, TheKernelAsAWhole) {
  const json::Value Top = written(sampleReport());
  EXPECT_EQ(at(Top, "kernels.0.roofline"),
            json::Value(json::Object{
                {"gpu", "seed-20-1"},
                {"flopsPerThread", "2*n"},
                {"operationsPerThread", json::Object{{"fp32", "2*n"},
                                                     {"fp64", 0},
                                                     {"fp16", 0},
                                                     {"tensor", 0},
                                                     {"special", 1},
                                                     {"integer", "10*n"}}},
                {"bytesPerThread", "8*n + 4"},
                {"hauledPerThread", "16*n"},
                {"distinctPerThread", "2*n"},
                {"launch", json::Object{{"threads", 4096},
                                        {"flops", "8192*n"},
                                        {"bytes", "32768*n + 16384"},
                                        {"hauled", "65536*n"},
                                        {"distinct", "8192*n"}}},
                {"intensity", 0.25},
                {"intensityText", "0.25"},
                {"machineBalance", 20},
                {"boundBy", "memory"},
                {"evenWhenCached", true},
                {"crossoverTile", 80},
                {"attainableFlopsPerSecond", 250000000000},
                {"secondsFloor", 1.5e-6},
                {"reason", nullptr},
                {"assumptions", json::Array{"both sides of conditions on data count"}},
                {"reuse", json::Array{json::Object{{"file", "/src/transpose.cu"},
                                                   {"line", 5},
                                                   {"column", 42},
                                                   {"base", "in"},
                                                   {"expression", "in[(y + j) * n + x]"},
                                                   {"threads", 32},
                                                   {"sameFor", "threadIdx.x"},
                                                   {"inLoop", true},
                                                   {"elementSize", 4}},
                                      json::Object{{"file", "/src/transpose.cu"},
                                                   {"line", 6},
                                                   {"column", 4},
                                                   {"base", "other"},
                                                   {"expression", "other[x]"},
                                                   {"threads", 8},
                                                   {"sameFor", "threadIdx.y"},
                                                   {"inLoop", true},
                                                   {"elementSize", 4}}}},
                {"suggestedTile", json::Object{{"arrays", json::Array{"in", "other"}},
                                               {"elementSize", 4},
                                               {"edge", 32},
                                               {"bytes", 8192},
                                               {"budget", 49152},
                                               {"intensity", 8},
                                               {"largerEdge", 64},
                                               {"largerBytes", 32768},
                                               {"resultsPerThread", 4}}}}));
  EXPECT_EQ(at(Top, "kernels.0.occupancy"),
            json::Value(json::Object{
                {"gpu", "sm_80"},
                {"blocksPerSm", 8},
                {"warpsPerSm", 64},
                {"maxWarps", 64},
                {"fraction", 1},
                {"atMost", true},
                {"leastBlocksPerSm", 4},
                {"leastFraction", 0.5},
                {"limiters", json::Array{"warps", "shared memory"}},
                {"registers", nullptr},
                {"registerLimit", 64},
                {"registersOrigin", "__launch_bounds__"},
                {"sharedBytes", 4096},
                {"assumptions", json::Array{"no dynamic shared memory: how much a launch gives is not known"}}}));
  EXPECT_EQ(at(Top, "kernels.0.eta"),
            json::Value(json::Object{
                {"coalesce", 0.5}, {"cache", nullptr}, {"occupancy", nullptr}, {"total", nullptr}, {"atMost", 0.5}}));
  for (const char *Key : {"roofline", "occupancy", "eta"})
    EXPECT_EQ(at(Top, std::string("kernels.1.") + Key), nullptr) << Key;
}

TEST(JsonReport, WorkThatIsNotAllThereIsIsNull) {
  Report R = sampleReport();
  Kernel &K = R.kernels[0];
  K.work.unknownIndex = "the index of x[col[j]] is not known";
  json::Value Top = written(R);
  EXPECT_EQ(at(Top, "kernels.0.roofline.flopsPerThread"), "2*n");
  for (const char *Key : {"hauledPerThread", "distinctPerThread", "launch.hauled", "launch.distinct"})
    EXPECT_EQ(at(Top, std::string("kernels.0.roofline.") + Key), nullptr) << Key;
  K.work.incomplete = "what p[i] touches is not known";
  K.roofline = Roofline();
  Top = written(R);
  for (const char *Key : {"flopsPerThread", "bytesPerThread", "operationsPerThread.fp64", "launch.flops", "launch.bytes",
                          "intensity", "gpu", "boundBy", "suggestedTile"})
    EXPECT_EQ(at(Top, std::string("kernels.0.roofline.") + Key), nullptr) << Key;
  EXPECT_EQ(at(Top, "kernels.0.roofline.launch.threads"), 4096);
}

TEST(JsonReport, Findings) {
  const json::Value Top = written(sampleReport());
  ASSERT_EQ(at(Top, "findings").getAsArray()->size(), 2u);
  const json::Value &Finding = at(Top, "findings.0");
  EXPECT_EQ(at(Finding, "rule"), "shared-tile-column");
  EXPECT_EQ(at(Finding, "severity"), "warning");
  EXPECT_EQ(at(Finding, "impact"), "high");
  EXPECT_EQ(at(Finding, "line"), 8);
  EXPECT_EQ(at(Finding, "column"), 28);
  EXPECT_EQ(at(Finding, "endLine"), 8);
  EXPECT_EQ(at(Finding, "endColumn"), 62);
  EXPECT_EQ(at(Finding, "kernel"), "transpose(const float *, float *, int)");
  EXPECT_EQ(at(Finding, "confidence"), "exact");
  EXPECT_EQ(at(Finding, "notes.0.line"), 2);
  EXPECT_EQ(at(Finding, "notes.1"),
            json::Value(
                json::Object{{"message", "lane t reads tile + 128*t (block 32x8 from the launch at line 12)"},
                             {"file", ""},
                             {"line", 0},
                             {"column", 0}}));
  EXPECT_EQ(at(Finding, "fingerprint"), "5f1c9e0aa2b34d77");
}

TEST(JsonReport, OnlyVerifiedFixes) {
  const json::Value Top = written(sampleReport());
  EXPECT_EQ(at(Top, "findings.0.fixes"),
            json::Value(json::Array{json::Object{
                {"title", "pad the rows of 'tile' to 33 elements"},
                {"safety", "safe"},
                {"edits", json::Array{json::Object{
                              {"file", "/src/transpose.cu"}, {"offset", 93}, {"length", 2}, {"text", "33"}}}},
                {"before", json::Object{{"wavefronts", 32}, {"idealWavefronts", 1}, {"conflictWays", 32}}},
                {"after", json::Object{{"wavefronts", 1}, {"idealWavefronts", 1}, {"conflictWays", 1}}}}}));
  EXPECT_EQ(at(Top, "findings.1.fixes.0.before.sectors"), 5);
  EXPECT_EQ(at(Top, "findings.1.fixes.0.edits"), json::Value(json::Array()));
}

TEST(JsonReport, ErrorsAndSummary) {
  const json::Value Top = written(sampleReport());
  EXPECT_EQ(at(Top, "errors.0"), json::Value(json::Object{{"file", "/src/transpose.cu"},
                                                          {"line", 3},
                                                          {"column", 7},
                                                          {"message", "unknown type name 'half'"}}));
  EXPECT_EQ(at(Top, "summary"), json::Value(json::Object{{"files", 1},
                                                         {"kernels", 2},
                                                         {"accesses", 6},
                                                         {"exact", 4},
                                                         {"assumed", 1},
                                                         {"unknown", 1},
                                                         {"findings", 2}}));
}

TEST(JsonReport, EmptyReportHasAllKeys) {
  const json::Value Top = written(Report());
  for (const char *Key : {"kernels", "findings", "errors"})
    EXPECT_EQ(at(Top, Key), json::Value(json::Array())) << Key;
  EXPECT_EQ(at(Top, "summary.files"), 0);
}

TEST(JsonReport, NumbersAreShort) {
  Report R = sampleReport();
  R.kernels[0].accesses[0].mean.lines = 0.1;
  R.kernels[0].accesses[0].mean.sectors = 1e20;
  R.kernels[0].accesses[0].total->requests = std::numeric_limits<uint64_t>::max();
  R.kernels[0].arguments["lowest"] = std::numeric_limits<int64_t>::min();
  const std::string Text = text(R);
  EXPECT_THAT(Text, HasSubstr("\"lines\": 2,"));
  EXPECT_THAT(Text, HasSubstr("\"lines\": 0.1,"));
  EXPECT_THAT(Text, HasSubstr("\"sectors\": 1e+20,"));
  EXPECT_THAT(Text, HasSubstr("\"efficiency\": 0.3333333333333333,"));
  EXPECT_THAT(Text, HasSubstr("\"requests\": 18446744073709551615,"));
  EXPECT_THAT(Text, HasSubstr("\"lowest\": -9223372036854775808"));
}

TEST(JsonReport, NoNumberIsStillJson) {
  Report R = sampleReport();
  R.kernels[0].accesses[0].worst.efficiency = std::numeric_limits<double>::quiet_NaN();
  R.kernels[0].accesses[0].mean.lines = std::numeric_limits<double>::infinity();
  const json::Value Top = written(R);
  EXPECT_EQ(at(Top, "kernels.0.accesses.0.efficiency"), nullptr);
  EXPECT_EQ(at(Top, "kernels.0.accesses.0.mean.lines"), nullptr);
}

TEST(JsonReport, AnyTextIsUtf8) {
  Report R = sampleReport();
  const std::string Bad = "a\xff\x1b\"\n\xc3\xa9";
  R.kernels[0].name = R.kernels[0].signature = R.kernels[0].arch = R.kernels[0].place.file = Bad;
  R.kernels[0].arguments = {{Bad, 1}};
  R.kernels[1].partialReason = Bad;
  R.kernels[0].work.fp32 = Amount::symbol(Bad);
  R.kernels[0].roofline->gpu = R.kernels[0].roofline->intensityText = R.kernels[0].roofline->reason = Bad;
  R.kernels[0].reuse[0].base = R.kernels[0].roofline->suggestedTile->arrays[0] = R.kernels[0].occupancy->gpu = Bad;
  for (Access &A : R.kernels[0].accesses) {
    A.expression = A.base = A.offset = A.reason = A.place.file = Bad;
    A.assumptions = {Bad};
  }
  Finding &F = R.findings[0];
  F.rule = F.message = F.kernel = F.fingerprint = F.place.file = Bad;
  F.notes[0].message = F.fixes[0].title = F.fixes[0].edits[0].text = F.fixes[0].edits[0].file = Bad;
  R.errors[0].message = Bad;
  const std::string Text = text(R);
  EXPECT_TRUE(json::isUTF8(Text));
  EXPECT_THAT(Text, Not(HasSubstr("\x1b")));
  const json::Value Top = written(R);
  EXPECT_EQ(at(Top, "findings.0.message"), "a\xef\xbf\xbd\x1b\"\n\xc3\xa9");
}

TEST(Summary, Line) {
  EXPECT_EQ(warplint::report::summaryLine(sampleReport()),
            "2 findings in 2 kernels (6 accesses: 4 exact, 1 assumed, 1 unknown), 2 errors");
  EXPECT_EQ(warplint::report::summaryLine(Report()),
            "0 findings in 0 kernels (0 accesses: 0 exact, 0 assumed, 0 unknown)");
  Report One = sampleReport();
  One.kernels.resize(1);
  One.kernels[0].accesses.resize(1);
  One.findings.resize(1);
  One.errors.resize(1);
  EXPECT_EQ(warplint::report::summaryLine(One),
            "1 finding in 1 kernel (1 access: 1 exact, 0 assumed, 0 unknown), 1 error");
}

} // namespace
