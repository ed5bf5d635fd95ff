//===-- SourceRepairTest.cpp - Text that nvcc reads and Clang does not ----===//
#include "analyzer/frontend/SourceRepair.h"
#include "gmock/gmock.h"

using namespace warplint::frontend;
using testing::ElementsAre;

namespace {

/// The repaired text, or "" where nothing is repaired. Whatever happens, no byte moves in or out.
std::string repaired(llvm::StringRef Text) {
  std::optional<Repair> Result = repairSource(Text);
  if (!Result)
    return "";
  EXPECT_EQ(Result->text.size(), Text.size());
  return Result->text;
}

} // namespace

TEST(SourceRepair, TornBrackets) {
  EXPECT_EQ(repaired("k<< <1, 2>> >(a);"), "k<<< 1, 2>>> (a);");
  EXPECT_EQ(repaired("k << < 1, 2 > >>(a);"), "k <<<  1, 2 >>> (a);");
  EXPECT_EQ(repaired("k< <<1, 2>>>(a);"), "k<<< 1, 2>>>(a);");
  EXPECT_EQ(repaired("k<<<1, 2>> >(a);"), "k<<<1, 2>>> (a);");
  EXPECT_EQ(repaired("k<<\n  <1, 2>>\n  >(a);"), "k<<<\n  1, 2>>>\n  (a);");
  EXPECT_EQ(repaired("ns::k<T, 3><< <f(1, 2), A<3>::b>> >(a);"), "ns::k<T, 3><<< f(1, 2), A<3>::b>>> (a);");
  EXPECT_EQ(repaired("(*k)<< <1, 2>> >(a);"), "(*k)<<< 1, 2>>> (a);");
  EXPECT_EQ(repaired("k<<<1, A<B<3>>>>>(a);"), ""); // nothing is torn
  EXPECT_EQ(repaired("k<<<1, A<B<3>> >> >(a);"), "k<<<1, A<B<3>> >>> (a);");
}

TEST(SourceRepair, BracedLists) {
  std::optional<Repair> Result = repairSource("k<<<{1, n}, {f(2), 3, 4,}>>>(a, {1, 2});");
  ASSERT_TRUE(Result);
  EXPECT_EQ(Result->text, "k<<<(1, n), (f(2), 3, 4 )>>>(a, {1, 2});");
  EXPECT_THAT(Result->lists, ElementsAre(4u, 12u));
  EXPECT_EQ(repaired("k<<<{}, { }, {}>>>(a);"), "k<<< 1,   1,  0>>>(a);");
  EXPECT_EQ(repaired("k << <{1, 2}, 3>> >(a);"), "k <<< (1, 2), 3>>> (a);");
  EXPECT_EQ(repaired("#define RUN(k, ...) k<<<{1, 2}, 3>>>(__VA_ARGS__)\n"),
            "#define RUN(k, ...) k<<<(1, 2), 3>>>(__VA_ARGS__)\n");
}

TEST(SourceRepair, LeavesTheRestAlone) {
  for (llvm::StringRef Text : {"k<<<1, 2>>>(a);",
                               "k<<<dim3{1, 2}, 3>>>(a);",
                               "A<B<C<int> > > x; y << z;",
                               "a << b; c < d; e >> f; g > h;",
                               "template <> S &operator<< <int>(S &, int);",
                               "S &operator<<<int>(S &);",
                               "std::cout << \"k<< <1, {2}>> >(a)\";",
                               "// k<< <1, {2}>> >(a);\n",
                               "/* k<< <1, {2}>> >(a); */",
                               "R\"(k<< <1, {2}>> >(a);)\"",
                               "<<<<<<< ours\na {\n=======\n",
                               "k<< <1, 2; >> >(a);",
                               "k<< <1, 2",
                               "k<< <1, (2>> >(a);",
                               "< < <",
                               "",
                               "<<",
                               "a = b << < c;",
                               "asm(\"mov.u32 %%r1, %laneid;\");",
                               "printf(\"%d, %s\", asmLike, 2);"})
    EXPECT_EQ(repaired(Text), "") << Text.str();
}

TEST(SourceRepair, AssemblyRegisters) {
  EXPECT_EQ(repaired("asm(\"mov.u32 %0, %laneid;\" : \"=r\"(l));"),
            "asm(\"mov.u32 %0,%%laneid;\" : \"=r\"(l));");
  EXPECT_EQ(repaired("asm volatile (\"add %0,  %laneid, %smid;\" :: \"r\"(l));"),
            "asm volatile (\"add %0, %%laneid,%%smid;\" :: \"r\"(l));");
  EXPECT_EQ(repaired("asm(\"mov.u32 %0,%laneid; \" : \"=r\"(l));"),
            "asm(\"mov.u32 %0,%%laneid;\" : \"=r\"(l));");
  EXPECT_EQ(repaired("asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(l));"), "");
  EXPECT_EQ(repaired("asm(\"mov.u32 %0,%laneid;\" : \"=r\"(l));"), ""); // no blank to give up
}
