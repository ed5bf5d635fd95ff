#include "analyzer/driver/ContractComments.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace warplint;
using namespace warplint::driver;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Each as "3-4: [tile] sectors<=4", with "kernel" and "#if" where so.
static std::vector<std::string> contracts(const char *Text) {
  std::vector<std::string> Result;
  for (const rules::Contract &C : contractsIn(Text, "/p/a.cu").contracts)
    Result.push_back(std::to_string(C.firstLine) + "-" + std::to_string(C.lastLine) + ": " +
                     rules::spelling(C.terms) + (C.beforeKernel ? " kernel" : "") + (C.conditional ? " #if" : ""));
  return Result;
}

static std::vector<std::string> problems(const char *Text) {
  std::vector<std::string> Result;
  for (const result::Finding &F : contractsIn(Text, "/p/a.cu").problems)
    Result.push_back(std::to_string(F.place.line) + ":" + std::to_string(F.place.column) + ": " + F.message);
  return Result;
}

TEST(ContractComments, BehindCodeTheLineIsMeant) {
  EXPECT_THAT(contracts("a[i] = 1; // warplint: expect sectors<=4\nb[i] = 2;\n"), ElementsAre("1-1: sectors<=4"));
  EXPECT_THAT(contracts("a[i] = 1; /* warplint: expect sectors <= 4 , lines==1 */ b[i] = 2;\n"),
              ElementsAre("1-1: sectors<=4, lines==1"));
}

TEST(ContractComments, OnALineOfItsOwnTheStatementAfterIt) {
  EXPECT_THAT(contracts("// warplint: expect sectors<=4\n"
                        "// another remark\n"
                        "\n"
                        "a[f(i, j)] =\n"
                        "    b[i];\n"
                        "c[i] = 2;\n"),
              ElementsAre("4-5: sectors<=4"));
  EXPECT_THAT(contracts("// warplint: expect sectors<=4\nfor (int i = 0; i < n; ++i)\n  a[i] = 0;\nb[i] = 0;\n"),
              ElementsAre("2-3: sectors<=4"));
}

TEST(ContractComments, OfArgumentsEachHasItsOwn) {
  EXPECT_THAT(contracts("f(\n"
                        "  // warplint: expect lines==1\n"
                        "  a[i],\n"
                        "  // warplint: expect lines==2\n"
                        "  b[i]\n"
                        "); c[i];\n"),
              ElementsAre("3-3: lines==1", "5-5: lines==2"));
}

TEST(ContractComments, BeforeKernels) {
  EXPECT_THAT(contracts("// warplint: expect efficiency>=0.9\n"
                        "// warplint: expect conflictWays==1\n"
                        "template <int N>\n"
                        "__global__ void __launch_bounds__(256)\n"
                        "k(float *a, int n = f(3))\n"
                        "{\n"
                        "  a[0] = 1;\n"
                        "}\n"),
              ElementsAre("3-6: efficiency>=0.9 kernel", "3-6: conflictWays==1 kernel"));
  EXPECT_THAT(contracts("// warplint: expect efficiency>=0.9\n__device__ float f(float *a) {\n}\n"), ElementsAre("2-2: efficiency>=0.9"));
}

TEST(ContractComments, DirectivesAreNoCode) {
  EXPECT_THAT(contracts("// warplint: expect sectors<=4\n#pragma unroll\nfor (;;) a[i] = 0;\n"), ElementsAre("3-3: sectors<=4"));
}

TEST(ContractComments, ConditionsAreNoted) {
  EXPECT_THAT(contracts("#ifdef FAST\na[i]; // warplint: expect sectors<=4\n#else\nb; // warplint: expect lines<=4\n#endif\nc; // warplint: expect sectors<=1\n"),
              ElementsAre("2-2: sectors<=4 #if", "4-4: lines<=4 #if", "6-6: sectors<=1"));
  EXPECT_THAT(contracts("/* licence */\n#ifndef A_CUH\n#define A_CUH\na[i]; // warplint: expect sectors<=4\n#if 1\nb; // warplint: expect lines<=4\n#endif\n#endif\n"),
              ElementsAre("4-4: sectors<=4", "6-6: lines<=4 #if")) << "a header's guard is no condition";
}

TEST(ContractComments, NotInStringsNorWhereTheyAreSpokenOf) {
  EXPECT_THAT(contracts("const char *s = \"// warplint: expect sectors<=4\";\n"
                        "const char *r = R\"(\n// warplint: expect sectors<=4\n)\";\n"
                        "// write `warplint: expect sectors<=4` there\n"
                        "// warplint: has a page about this\n"
                        "x; // notwarplint: expect sectors<=4\n"),
              IsEmpty());
  EXPECT_THAT(problems("// warplint: has a page\n// `warplint: expect nonsense`\nchar c = '\"'; // warplint: see above\n"), IsEmpty());
}

TEST(ContractComments, InBlocksAndBehindOtherWords) {
  EXPECT_THAT(contracts("/**\n * Copies.\n * warplint: expect efficiency>=0.5\n */\n__global__ void k() {}\n"),
              ElementsAre("5-5: efficiency>=0.5 kernel"));
  EXPECT_THAT(contracts("a[i]; // NOLINT(global-stride) warplint: expect sectors<=8\n"), ElementsAre("1-1: sectors<=8"));
  EXPECT_THAT(contracts("a[i]; //warplint:expect sectors<=8\r\n"), ElementsAre("1-1: sectors<=8"));
}

TEST(ContractComments, SubjectsMayHaveBrackets) {
  EXPECT_THAT(contracts("x; // warplint: expect[tile[ty] [tx + 1]] conflictWays==1\n"),
              ElementsAre("1-1: [tile[ty][tx+1]] conflictWays==1"));
}

TEST(ContractComments, ProblemsHaveAColumnAndARemedy) {
  EXPECT_THAT(problems("a; // warplint: expect sector<=4\n"), ElementsAre(HasSubstr("1:24: this contract is not understood: unknown key 'sector'; did you mean 'sectors'?")));
  EXPECT_THAT(problems("a; // warplint: expect sectors=4\n"), ElementsAre(HasSubstr("1:31: this contract is not understood: expected <=, >=, ==, < or > after 'sectors'")));
  EXPECT_THAT(problems("a; // warplint: expect sectors<=four\n"), ElementsAre(HasSubstr("1:33: this contract is not understood: expected a number")));
  EXPECT_THAT(problems("a; // warplint: expect sectors<=4.\n"), IsEmpty());
  EXPECT_THAT(problems("a; // warplint: expect sectors<=1.2.3\n"), ElementsAre(HasSubstr("expected a number")));
  EXPECT_THAT(problems("a; // warplint: expect sectors<=4 always\n"), ElementsAre(HasSubstr("1:35: this contract is not understood: expected ','")));
  EXPECT_THAT(problems("a; // warplint: expect sectors<=4,\n"), ElementsAre(HasSubstr("expected one of lines, sectors")));
  EXPECT_THAT(problems("a; // warplint: expect\n"), ElementsAre(HasSubstr("expected one of lines, sectors")));
  EXPECT_THAT(problems("a; // warplint: expect[tile conflictWays==1\n"), ElementsAre(HasSubstr("expected ']'")));
  EXPECT_THAT(problems("a; // warplint: expects sectors<=4\n"), ElementsAre(HasSubstr("1:7: this contract is not understood: it begins with")));
  EXPECT_THAT(problems("/* one\n  two warplint: expect sector<=4 */\n"), ElementsAre(HasSubstr("2:24: ")));
}
