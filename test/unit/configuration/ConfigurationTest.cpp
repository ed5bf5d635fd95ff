#include "analyzer/driver/Configuration.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace warplint;
using namespace warplint::driver;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

namespace {

struct Read {
  Configuration configuration;
  std::vector<std::string> errors;
};

Read read(std::string_view Text) {
  Read Result;
  Result.configuration =
      readConfiguration(llvm::StringRef(Text.data(), Text.size()), "/p/.warplint", Result.errors);
  return Result;
}

Configuration sound(std::string_view Text) {
  Read Result = read(Text);
  EXPECT_THAT(Result.errors, IsEmpty()) << Text;
  return Result.configuration;
}

std::string error(std::string_view Text) {
  const Read Result = read(Text);
  EXPECT_EQ(Result.errors.size(), 1u) << Text;
  return Result.errors.empty() ? "" : Result.errors.front();
}

} // namespace

TEST(Configuration, NothingIsFine) {
  for (const char *Text :
       {"", "\n", "---\n", "---\n...\n", "# only a comment\n", "{}", "Checks:\n", "\xef\xbb\xbf"})
    EXPECT_FALSE(sound(Text).checks) << Text;
}

TEST(Configuration, ChecksAreAStringOrAList) {
  EXPECT_EQ(sound("Checks: '-*,global-stride'").checks, "-*,global-stride");
  EXPECT_EQ(sound("Checks: ['-*', global-stride]").checks, "-*,global-stride");
  EXPECT_EQ(sound("Checks:\n  - '-*'\n  - global-stride\n").checks, "-*,global-stride");
  EXPECT_EQ(sound("WarningsAsErrors: '*'").warningsAsErrors, "*");
  // Folded as .clang-tidy files have it: which checks are on is what counts.
  const Configuration Folded = sound("Checks: >\n  -*,\n  global-stride\n");
  const rules::Selection Selected(*Folded.checks);
  EXPECT_TRUE(Selected.contains(*rules::find("global-stride")));
  EXPECT_FALSE(Selected.contains(*rules::find("global-aos")));
}

TEST(Configuration, UnknownNamesAreErrorsWithTheirPlace) {
  EXPECT_EQ(error("Cheks: '*'"), "/p/.warplint:1:1: unknown key 'Cheks'; did you mean 'Checks'?");
  EXPECT_EQ(error("\n\nChecks: '-*,global-strid'"),
            "/p/.warplint:3:13: unknown check 'global-strid'; did you mean 'global-stride'?");
  EXPECT_EQ(error("Checks:\n  - '-*'\n  - -shared-tile-colum\n"),
            "/p/.warplint:3:6: unknown check 'shared-tile-colum'; did you mean 'shared-tile-column'?");
  EXPECT_THAT(error("FormatStyle: llvm"), HasSubstr("1:1: 'FormatStyle' is a key of clang-tidy"));
  EXPECT_EQ(error("CheckOptions:\n  shared-bank-conflict.MinWay: 4\n"),
            "/p/.warplint:2:3: check 'shared-bank-conflict' has no option 'MinWay'; did you mean 'MinWays'?");
  EXPECT_THAT(error("CheckOptions: {shared-bank-conflic.MinWays: 4}"),
              HasSubstr("1:16: unknown check 'shared-bank-conflic' in option "));
  EXPECT_THAT(error("Kernels: [{name: a, blok: 32}]"),
              HasSubstr("1:21: unknown key 'blok'; did you mean 'block'?"));
  // Every mistake of a file is told, as far as they are no mistakes of structure.
  EXPECT_EQ(read("Cheks: a\nUseColour: true\nGPU: A100\n").errors.size(), 2u);
}

TEST(Configuration, WrongTypesAreErrorsWithTheirPlace) {
  EXPECT_THAT(error("[a, b]"), HasSubstr("1:1: a configuration is a mapping"));
  EXPECT_THAT(error("Checks: {a: b}"), HasSubstr("1:9: 'Checks' is a string of globs"));
  EXPECT_THAT(error("ExtraArgs: -DX"), HasSubstr("1:12: 'ExtraArgs' is a list of strings"));
  EXPECT_THAT(error("UseColor: maybe"), HasSubstr("1:11: 'UseColor' is true or false, not 'maybe'"));
  EXPECT_THAT(error("Kernels: {name: a}"), HasSubstr("1:10: 'Kernels' is a list"));
  EXPECT_THAT(error("Kernels: [a]"), HasSubstr("1:11: each of the list 'Kernels' is a mapping"));
  EXPECT_THAT(error("Kernels: [{block: 32}]"), HasSubstr("a kernel has no 'name'"));
  EXPECT_THAT(error("Assume: {n: many}"), HasSubstr("1:13: the value of 'n' is a whole number"));
  EXPECT_THAT(error("Assume: {'n:': 1}"), HasSubstr("1:10: 'n:' names no parameter"));
  EXPECT_THAT(
      error("CheckOptions: {shared-bank-conflict.MinWays: several}"),
      HasSubstr("1:46: 'several' is no value for 'shared-bank-conflict.MinWays'; expected a number from 2"));
  EXPECT_THAT(error("CheckOptions: [{key: global-stride.Severity}]"), HasSubstr("is {key: ..., value: ...}"));
  EXPECT_THAT(error("HeaderFilterRegex: '('"), HasSubstr("1:20: '(' is no regular expression"));
  EXPECT_THAT(error("GPU: A1000"), HasSubstr("1:6: "));
  EXPECT_THAT(error("UseColor: true\nUseColor: false\n"), HasSubstr("2:1: 'UseColor' is there twice"));
}

TEST(Configuration, KernelsSayHowTheyAreLaunched) {
  const Configuration C =
      sound("Kernels:\n"
            "  - name: 'turn*'\n"
            "    block: [32, 8]\n"
            "  - {name: 'ns::sum(float *)', block: 256, grid: [10, 20, 30], dynamicShared: 4096, "
            "registers: 40}\n");
  ASSERT_EQ(C.kernels.size(), 2u);
  EXPECT_EQ(C.kernels[0].block, (std::array<unsigned, 3>{32, 8, 1}));
  EXPECT_EQ(C.kernels[0].origin, ".warplint:2");
  EXPECT_FALSE(C.kernels[0].grid);
  EXPECT_EQ(C.kernels[1].block, (std::array<unsigned, 3>{256, 1, 1}));
  EXPECT_EQ(C.kernels[1].grid, (std::array<uint64_t, 3>{10, 20, 30}));
  EXPECT_EQ(C.kernels[1].dynamicShared, 4096u);
  EXPECT_EQ(C.kernels[1].registers, 40u);
  EXPECT_TRUE(C.kernels[0].matches("turn", "turn<32>(float *)"));
  EXPECT_TRUE(C.kernels[0].matches("turned", "turned()"));
  EXPECT_FALSE(C.kernels[0].matches("return", "return()"));
  EXPECT_TRUE(C.kernels[1].matches("sum", "ns::sum(float *)"));
  EXPECT_FALSE(C.kernels[1].matches("sum", "sum(float *)"));
}

TEST(Configuration, BlocksThatNoGpuHasAreErrors) {
  EXPECT_THAT(error("Kernels: [{name: a, block: [0]}]"), HasSubstr("from 1 to 1024, not '0'"));
  EXPECT_THAT(error("Kernels: [{name: a, block: [64, 32]}]"), HasSubstr("at most 1024 threads"));
  EXPECT_THAT(error("Kernels: [{name: a, block: [1, 1, 65]}]"), HasSubstr("from 1 to 64, not '65'"));
  EXPECT_THAT(error("Kernels: [{name: a, block: [1, 1, 1, 1]}]"), HasSubstr("one to three numbers"));
  EXPECT_THAT(error("Kernels: [{name: a, block: []}]"), HasSubstr("one to three numbers"));
  sound("Kernels: [{name: a, block: [16, 1, 64]}]");
}

TEST(Configuration, CheckOptionsAreAMappingOrAList) {
  EXPECT_THAT(sound("CheckOptions: {shared-bank-conflict.MinWays: 4}").checkOptions,
              ElementsAre(Pair("shared-bank-conflict.MinWays", "4")));
  EXPECT_THAT(sound("CheckOptions:\n  - key: warplint-shared-bank-conflict.MinWays\n    value: '4'\n"
                    "  - {value: note, key: global-stride.Severity}\n")
                  .checkOptions,
              ElementsAre(Pair("global-stride.Severity", "note"), Pair("shared-bank-conflict.MinWays", "4")));
}

TEST(Configuration, WhatIsNearerWinsOrIsAdded) {
  Configuration C =
      sound("Checks: '-*'\nExtraArgs: [-DA]\nCheckOptions: {global-stride.Severity: note, "
            "global-aos.Severity: note}\nGPU: A100\nAssume: {n: 1, m: 2}\nKernels: [{name: '*', block: 32}]");
  C.mergeWith(sound("Checks: global-stride\nExtraArgs: [-DB]\nCheckOptions: {global-stride.Severity: error}\n"
                    "GPU: H100\nAssume: {n: 3}\nKernels: [{name: 'a', block: 64}]"));
  EXPECT_EQ(C.checks, "-*,global-stride");
  EXPECT_THAT(C.extraArgs, ElementsAre("-DA", "-DB"));
  EXPECT_EQ(C.gpu, "H100");
  EXPECT_EQ(C.checkOptions.at("global-stride.Severity"), "error");
  EXPECT_EQ(C.checkOptions.at("global-aos.Severity"), "note");
  EXPECT_THAT(C.assume, ElementsAre(Pair("m", 2), Pair("n", 3)));
  ASSERT_EQ(C.kernels.size(), 2u);
  EXPECT_EQ(C.kernels[0].pattern, "a") << "of those that match, the first counts";
}

TEST(Configuration, ADumpReadsBackAsTheSame) {
  const Configuration C =
      sound("Checks: '-*,global-stride'\nWarningsAsErrors: '*'\nHeaderFilterRegex: 'it''s \"q\"'\n"
            "ExcludeHeaderFilterRegex: a\nCheckOptions: {shared-bank-conflict.MinWays: 4, "
            "global-misaligned.IgnoreLines: yes, global-aos.Severity: error}\nExtraArgs: ['-DX=\"\\a b\"', "
            "\"tab\\there\"]\n"
            "ExtraArgsBefore: ['-DÄ']\nUseColor: off\nGPU: 'peak=20e12,bw=1e12'\n"
            "Assume: {'turn:n': -5, 'a.b': 7}\n"
            "Kernels: [{name: 'a[b]*', block: [32, 8], grid: [4], dynamicShared: 0, registers: 9}]\n");
  const std::string Text = dump(C);
  const Configuration Again = sound(Text);
  EXPECT_EQ(dump(Again), Text);
  EXPECT_EQ(Again.headerFilter, "it's \"q\"");
  EXPECT_THAT(Again.extraArgs, ElementsAre("-DX=\"\\a b\"", "tab\there"));
  EXPECT_THAT(Again.extraArgsBefore, ElementsAre("-DÄ"));
  EXPECT_EQ(Again.assume, C.assume);
  EXPECT_EQ(Again.useColor, false);
  EXPECT_EQ(Again.kernels.at(0).dynamicShared, 0u);
  EXPECT_THAT(Text, HasSubstr("\n  shared-bank-conflict.MinWays: '4'\n"));
  EXPECT_THAT(Text, HasSubstr("\n  global-misaligned.IgnoreLines: 'true'\n"));
  for (const rules::Rule &R : rules::all())
    EXPECT_THAT(Text, HasSubstr("\n  " + std::string(R.name) + ".Severity: ")) << "every check's, set or not";
}

TEST(Configuration, BrokenTextIsAnErrorAndNoCrash) {
  using namespace std::string_literals;
  const std::string Cases[] = {
      "Checks: a\0b"s,
      "\xff\xfe"
      "C\0h\0"s,
      "Checks: \xc3(",
      "Checks: '-*",
      "Checks: \"\\q\"",
      "Checks: [a",
      "a: b: c",
      "\tChecks: a",
      "? [a]\n: b",
      "Checks: *all",
      "x: &x [*x, *x]",
      "Checks: &a '*'\nWarningsAsErrors: *a",
      "---\nGPU: A100\n---\nGPU: H100\n",
      std::string(100000, '['),
      std::string(100000, '{'),
      "x: " + std::string(100000, '['),
      "Checks: " + std::string(100000, '['),
      "Kernels: [{name: " + std::string(100000, '['),
      "CheckOptions: [{value: " + std::string(100000, '['),
      "Assume: {n: " + std::string(100000, '{'),
      [] {
        std::string Deep;
        for (int I = 0; I != 50000; ++I)
          Deep += "- ";
        return Deep;
      }(),
      "? " + std::string(50000, '['),
      std::string((1 << 20) + 1, '#'),
  };
  for (const std::string &Text : Cases)
    EXPECT_THAT(read(Text).errors, testing::Not(IsEmpty())) << Text.substr(0, 60);
}

TEST(Configuration, WhatWouldTakeForEverIsAnError) {
  EXPECT_THAT(error("HeaderFilterRegex: '(((a{1,255}){1,255}){1,255}){255}'"), HasSubstr("repeats too much"));
  EXPECT_THAT(error("HeaderFilterRegex: '((a{200,}){200,}){200,}'"), HasSubstr("repeats too much"));
  EXPECT_EQ(sound("HeaderFilterRegex: '(a{1,255}){2}[{]x{3}\\{'").headerFilter, "(a{1,255}){2}[{]x{3}\\{");
  std::string Many = "Checks:\n";
  for (int I = 0; I != 1000; ++I)
    Many += "- zzzz\n";
  EXPECT_EQ(read(Many).errors.size(), 20u);
  std::string Long = "Checks: '";
  for (int I = 0; I != 200000; ++I)
    Long += "zzzz,";
  EXPECT_EQ(read(Long + "'").errors.size(), 20u);
}

TEST(Configuration, LineEndsOfWindowsAreFine) {
  const Configuration C = sound("\xef\xbb\xbf"
                                "Checks: '-*'\r\nKernels:\r\n  - name: a\r\n    block: [32]\r\n");
  EXPECT_EQ(C.checks, "-*");
  EXPECT_EQ(C.kernels.at(0).origin, ".warplint:3");
}
