//===-- JsonReaderTest.cpp - Reports written and read back -------------------===//
#include "Sample.h"
#include "analyzer/report/Report.h"
#include "llvm/Support/JSON.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <set>

using namespace warplint::result;
using warplint::test::sampleReport;
using warplint::test::sampleShard;
namespace json = llvm::json;
using testing::HasSubstr;

namespace {

std::string text(const Report &R) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  warplint::report::writeJson(OS, R, "1.2.3");
  return Text;
}

json::Value parsed(llvm::StringRef Text) {
  llvm::Expected<json::Value> Value = json::parse(Text);
  return Value ? std::move(*Value) : json::Value(nullptr);
}

/// The report's text again, or what is wrong with it. Kernels are written from their members, where asked.
std::string again(llvm::StringRef Text, bool FromMembers = false) {
  std::string Version;
  llvm::Expected<Report> Read = warplint::report::readJson(Text, Version);
  if (!Read)
    return "error: " + llvm::toString(Read.takeError());
  EXPECT_EQ(Version, "1.2.3");
  if (FromMembers)
    for (Kernel &K : Read->kernels)
      K.written.clear();
  return text(*Read);
}
std::string againOf(const json::Value &Value) {
  std::string Text;
  llvm::raw_string_ostream(Text) << Value;
  return again(Text);
}

TEST(JsonReader, ReadsWhatIsWritten) {
  for (const Report &R : {sampleReport(), Report(), sampleShard()}) {
    const std::string Text = text(R);
    EXPECT_EQ(again(Text), Text);
    // A kernel's rating is not read: it is there in what was written.
    Report Unrated = R;
    for (Kernel &K : Unrated.kernels) {
      K.roofline.reset();
      K.occupancy.reset();
      K.eta.reset();
    }
    EXPECT_EQ(again(Text, /*FromMembers=*/true), text(Unrated));
  }
}

TEST(JsonReader, LargeAndSmallNumbers) {
  Report R = sampleReport();
  R.kernels[0].roofline.reset();
  R.kernels[0].occupancy.reset();
  R.kernels[0].eta.reset();
  R.kernels[0].arguments = {{"least", INT64_MIN}, {"most", INT64_MAX}};
  R.kernels[0].grid = {UINT64_MAX, 1, 1};
  R.kernels[0].accesses[0].total->sectors = UINT64_MAX;
  R.kernels[0].accesses[0].mean.lines = 1.0 / 3;
  const std::string Text = text(R);
  EXPECT_EQ(again(Text), Text);
  EXPECT_EQ(again(Text, /*FromMembers=*/true), Text);
}

TEST(JsonReader, ErrorsHaveAPath) {
  json::Value Value = parsed(text(sampleReport()));
  (*(*Value.getAsObject()->getArray("kernels"))[0].getAsObject()->getArray("accesses"))[2]
      .getAsObject()
      ->erase("width");
  EXPECT_THAT(againOf(Value), HasSubstr("report.kernels[0].accesses[2].width"));
  EXPECT_THAT(againOf(Value), HasSubstr("missing"));
  EXPECT_THAT(againOf(json::Array{}), HasSubstr("expected an object"));
}

/// Every object of a report, for tests that break each.
void objectsOf(json::Value &Value, std::vector<json::Object *> &Found) {
  if (json::Object *Object = Value.getAsObject()) {
    Found.push_back(Object);
    for (auto &[Key, Member] : *Object)
      objectsOf(Member, Found);
  } else if (json::Array *Array = Value.getAsArray()) {
    for (json::Value &Item : *Array)
      objectsOf(Item, Found);
  }
}

TEST(JsonReader, RefusesWhatItWouldLose) {
  json::Value Value = parsed(text(sampleShard()));
  std::vector<json::Object *> Objects;
  objectsOf(Value, Objects);
  ASSERT_GT(Objects.size(), 30u);
  std::vector<json::Object *> OfKernels;
  objectsOf(*Value.getAsObject()->get("kernels"), OfKernels);
  const std::set<json::Object *> Kernels(OfKernels.begin(), OfKernels.end());
  unsigned Refused = 0;
  for (json::Object *Object : Objects) {
    // The text of kernels is kept, with all they have.
    if (Kernels.count(Object))
      continue;
    Object->try_emplace("surprise", 1);
    EXPECT_THAT(againOf(Value), HasSubstr("surprise"));
    Object->erase("surprise");
    ++Refused;
  }
  EXPECT_GT(Refused, 10u);
}

TEST(JsonReader, KeepsTheTextOfKernels) {
  std::string Text = text(sampleShard());
  const size_t At = Text.find("\"accesses\"");
  ASSERT_NE(At, std::string::npos);
  Text.insert(At, "\"roofline\": {\"kernels\": [1, \"]}\\\"\", {}], \"intensity\": \"T/4\"},\n      ");
  EXPECT_EQ(again(Text), Text);
}

TEST(JsonReader, RefusesWrongValues) {
  const std::string Text = text(sampleShard());
  const auto With = [&](llvm::StringRef Old, llvm::StringRef New) {
    std::string Changed = Text;
    const size_t At = Changed.find(Old);
    EXPECT_NE(At, std::string::npos) << Old.str();
    return again(Changed.replace(At, Old.size(), New));
  };
  EXPECT_THAT(With("\"exact\"", "\"certain\""), HasSubstr("confidence"));
  EXPECT_THAT(With("\"width\": 4", "\"width\": -4"), HasSubstr("width"));
  EXPECT_THAT(With("\"width\": 4", "\"width\": 4294967296"), HasSubstr("too large"));
  EXPECT_THAT(With("\"removed\": false", "\"removed\": 0"), HasSubstr("true or false"));
  EXPECT_THAT(With("\"kernel\": 1", "\"kernel\": 2"), HasSubstr("no such kernel"));
}

} // namespace
