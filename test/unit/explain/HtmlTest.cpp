//===-- HtmlTest.cpp - The page for people: limits, escapes, pictures -------------===//
//
// What a page of a real run shows is test/e2e/html_test.py's business; here is what takes thousands of
// accesses there, and pictures whose boxes can be counted by hand.
//
//===----------------------------------------------------------------------===//
#include "analyzer/report/Html.h"
#include "analyzer/driver/Explain.h"
#include "analyzer/report/HtmlPicture.h"
#include "analyzer/report/HtmlText.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace warplint;
using namespace warplint::result;
using testing::HasSubstr;
using testing::Not;

namespace {

/// `Stride` bytes from lane to lane.
Access strided(Space Where, int64_t Stride, unsigned Line = 3) {
  Access A;
  A.place = {"/a.cu", Line, 5, Line, 9};
  A.expression = "a[" + std::to_string(Line) + "]";
  A.base = "a";
  A.space = Where;
  A.operation = Operation::Load;
  A.width = 4;
  A.confidence = Confidence::Exact;
  A.activeMask = ~uint32_t(0);
  A.activeLanes = A.maxActiveLanes = 32;
  for (unsigned Lane = 0; Lane < 32; ++Lane)
    A.laneOffsets[Lane] = Stride * Lane;
  A.worst.sectors = A.mean.sectors = double(std::max<int64_t>(1, Stride));
  A.worst.idealSectors = A.mean.idealSectors = 4;
  return A;
}

/// `Count` kernels, each with an access and a finding about it on a line of its own.
Report reportOf(unsigned Count) {
  Report R;
  R.files = 1;
  for (unsigned I = 0; I < Count; ++I) {
    Kernel K;
    K.name = "k" + std::to_string(I);
    K.signature = K.name + "(float *)";
    K.place = {"/a.cu", 100 + I, 1, 100 + I, 9};
    K.block = {256, 1, 1};
    K.arch = "sm_80";
    K.accesses.push_back(strided(Space::Global, 8, 200 + I));
    Finding F;
    F.rule = "global-stride";
    F.message = "finding " + std::to_string(I);
    F.place = K.accesses[0].place;
    F.kernel = K.signature;
    F.expression = K.accesses[0].expression;
    R.kernels.push_back(K);
    R.findings.push_back(F);
  }
  return R;
}

report::HtmlOptions options() {
  report::HtmlOptions Options;
  Options.version = "1.2.3";
  Options.explain = [](const Kernel &K, const Access &A) { return driver::explained(K, A); };
  return Options;
}

std::string page(const Report &R, const report::HtmlOptions &Options = options()) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  report::writeHtml(OS, R, [](const std::string &) { return std::nullopt; }, Options);
  return Text;
}

size_t count(const std::string &Text, llvm::StringRef What) { return llvm::StringRef(Text).count(What); }

// The style and the script name some of these words, too.
constexpr const char *Card = "<details class=\"finding\"", *Picture = "<svg class=\"lines\"";

TEST(Html, NothingIsLeftOutOfASmallReport) {
  const std::string Text = page(reportOf(5));
  EXPECT_EQ(count(Text, Card), 5u);
  EXPECT_EQ(count(Text, Picture), 5u);
  EXPECT_THAT(Text, Not(HasSubstr("left out")));
  EXPECT_THAT(Text, Not(HasSubstr("Not drawn")));
}

TEST(Html, WhatIsLeftOutIsCounted) {
  report::HtmlOptions Options = options();
  Options.maxFindings = 4;
  Options.maxKernels = 3;
  Options.maxAccesses = 2;
  const std::string Text = page(reportOf(9), Options);
  EXPECT_EQ(count(Text, Card), 4u);
  EXPECT_THAT(Text, HasSubstr("<b>5 more</b> findings, of the least impact, are left out"));
  EXPECT_THAT(Text, HasSubstr("<b>6 more</b> kernels, of the least waste, are left out"));
  EXPECT_THAT(Text, HasSubstr("<b>7 more</b> accesses, of the least waste, are left out"));
}

TEST(Html, CardsWithoutTheirPictureSaySo) {
  report::HtmlOptions Options = options();
  Options.maxPictures = 2;
  Options.maxOtherPictures = 1;
  const std::string Text = page(reportOf(7), Options);
  EXPECT_EQ(count(Text, Card), 7u);
  EXPECT_EQ(count(Text, Picture), 3u);
  EXPECT_EQ(count(Text, "Not drawn: "), 4u);
}

TEST(Html, WithoutAddressesThereAreNoPictures) {
  report::HtmlOptions Options = options();
  Options.explain = nullptr;
  const std::string Text = page(reportOf(2), Options);
  EXPECT_EQ(count(Text, Picture), 0u);
  EXPECT_THAT(Text, HasSubstr("made from JSON reports"));
}

TEST(Html, TextIsText) {
  Report R = reportOf(1);
  R.findings[0].message = "</b><script>alert(1)</script>&\x01\xff\xe2\x80\xae";
  const std::string Text = page(R);
  EXPECT_THAT(Text, HasSubstr("&lt;/b&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;"));
  EXPECT_EQ(count(Text, "<script"), 1u) << "the page's own";
  for (const char *Unsafe : {"\x01", "\xff", "\xe2\x80\xae"})
    EXPECT_THAT(Text, Not(HasSubstr(Unsafe)));
}

TEST(Html, SameReportSameBytes) { EXPECT_EQ(page(reportOf(3)), page(reportOf(3))); }

/// Boxes of a colour: each is a path that goes right, down and back.
size_t boxes(const std::string &Drawing, llvm::StringRef Class) {
  const llvm::StringRef From =
      llvm::StringRef(Drawing).split(("<path class=\"" + Class + "\" d=\"").str()).second;
  return From.take_until([](char C) { return C == '"'; }).count('z');
}

std::string drawn(Space Where, int64_t Stride) {
  Kernel K;
  return report::pictureOf(driver::explained(K, strided(Where, Stride)));
}

TEST(HtmlPicture, LinesAndSectors) {
  // Lanes 8 bytes apart: 256 bytes are two lines of four sectors each, all of them moved.
  const std::string Two = drawn(Space::Global, 8);
  EXPECT_EQ(boxes(Two, "o"), 2u);
  EXPECT_EQ(boxes(Two, "w"), 8u);
  EXPECT_EQ(boxes(Two, "u"), 32u);
  // Every lane has a line and a sector of its own.
  const std::string Each = drawn(Space::Global, 128);
  EXPECT_EQ(boxes(Each, "o"), 32u);
  EXPECT_EQ(boxes(Each, "w"), 32u);
  // One element for all of them.
  const std::string One = drawn(Space::Global, 0);
  EXPECT_EQ(boxes(One, "w"), 1u);
  EXPECT_EQ(boxes(One, "s"), 1u);
  EXPECT_EQ(boxes(One, "u"), 0u);
}

TEST(HtmlPicture, LongDistancesKeepToTheirColumn) {
  // The widest label is "+1015808", of 8 signs: the boxes begin behind it.
  const std::string Far = drawn(Space::Global, 32768);
  EXPECT_THAT(Far, HasSubstr(">+1015808<"));
  EXPECT_THAT(Far, Not(HasSubstr("x=\"40\"")));
}

} // namespace
