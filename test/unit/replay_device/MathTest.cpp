//===-- MathTest.cpp - What instructions compute --------------------------------===//
#include "Replayed.h"
#include "llvm/ADT/StringExtras.h"
#include "gmock/gmock.h"
#include <cmath>

namespace {

/// Runs statements that write to `u` (unsigned), `l` (long long) or `f` (float); inputs a, b of int, x of
/// float.
struct Result {
  unsigned u = 0;
  long long l = 0;
  float f = 0;
};

std::vector<Result> compute(const std::vector<std::string> &Statements, int A, int B, float X) {
  std::string Text = "struct Result { unsigned u; long long l; float f; };\n"
                     "__global__ void k(Result *r, int a, int b, float x) {\n  unsigned u = 0; long long l = "
                     "0; float f = 0;\n";
  for (auto [Number, Each] : llvm::enumerate(Statements))
    Text += "  { " + Each + " }\n  r[" + std::to_string(Number) + "].u = u; r[" + std::to_string(Number) +
            "].l = l; r[" + std::to_string(Number) + "].f = f;\n";
  Replayed R(Text + "}\n");
  std::vector<Result> Results(Statements.size());
  EXPECT_EQ(R.problem, "");
  void *Pointer = Results.data();
  if (R.problem.empty())
    R.run("k", {&Pointer, &A, &B, &X}, 1);
  EXPECT_THAT(told.unsupported, testing::IsEmpty());
  return Results;
}

TEST(Math, IntegerAssembly) {
  struct Case {
    const char *statement;
    unsigned value; ///< a = 0xabcd, b = 8
  };
  const std::vector<Case> Cases = {
      {R"(asm("bfe.u32 %0, %1, 4, %2;" : "=r"(u) : "r"(a), "r"(b));)", 0xbc},
      {R"(asm("bfe.s32 %0, %1, 8, %2;" : "=r"(u) : "r"(a), "r"(b));)", 0xffffffab},
      {R"(asm("bfe.u32 %0, %1, 4, 0;" : "=r"(u) : "r"(a));)", 0},
      {R"(asm("bfi.b32 %0, %1, %2, 4, 8;" : "=r"(u) : "r"(a), "r"(b));)", 0xcd8},
      {R"(asm("lop3.b32 %0, %1, %2, 3, 0x96;" : "=r"(u) : "r"(a), "r"(b));)", 0xabcd ^ 8 ^ 3},
      {R"(asm("shl.b32 %0, %1, 40;" : "=r"(u) : "r"(a));)", 0},
      {R"(asm("shr.s32 %0, %1, 40;" : "=r"(u) : "r"(-a));)", ~0u},
      {R"(asm("prmt.b32 %0, %1, %2, 0x4501;" : "=r"(u) : "r"(a), "r"(b));)", 0x0800cdab},
      {R"(asm("popc.b32 %0, %1;" : "=r"(u) : "r"(a));)", 10},
      {R"(asm("clz.b32 %0, %1;" : "=r"(u) : "r"(a));)", 16},
      {R"(asm("bfind.u32 %0, %1;" : "=r"(u) : "r"(a));)", 15},
      {R"(asm("mul.hi.u32 %0, %1, %2;" : "=r"(u) : "r"(a << 16), "r"(b));)", 5},
      {R"(asm("shf.r.wrap.b32 %0, %1, %2, 4;" : "=r"(u) : "r"(a), "r"(b));)", 0x80000abc},
      {R"({ unsigned h; asm("add.cc.u32 %0, %2, %3; addc.u32 %1, 1, 2;" : "=r"(u), "=r"(h) : "r"(~0u), "r"(b)); u = u * 16 + h; })",
       7 * 16 + 4},
      {R"({ unsigned h; asm("sub.cc.u32 %0, %2, %3; subc.u32 %1, 9, 2;" : "=r"(u), "=r"(h) : "r"(7), "r"(b)); u = u + h; })",
       5},
      {R"(asm("{.reg .pred p; setp.lt.s32 p, %1, %2; selp.u32 %0, 11, 22, p;}" : "=r"(u) : "r"(-1), "r"(b));)",
       11},
      {R"(asm("{.reg .pred p; setp.lt.u32 p, %1, %2; selp.u32 %0, 11, 22, p;}" : "=r"(u) : "r"(-1), "r"(b));)",
       22},
      {R"(u = 4; asm("{.reg .pred p; setp.eq.s32 p, %1, 8; @!p mov.u32 %0, 9;}" : "+r"(u) : "r"(b));)", 4},
      {R"(u = 4; asm("{.reg .pred p; setp.eq.s32 p, %1, 8; @p mov.u32 %0, 9;}" : "+r"(u) : "r"(b));)", 9},
      {R"(asm("{.reg .b16 lo, hi; mov.b32 {lo, hi}, %1; mov.b32 %0, {hi, lo};}" : "=r"(u) : "r"(a));)",
       0xabcd0000},
      {R"(asm("vadd4.u32.u32.u32 %0, %1, %2, 0;" : "=r"(u) : "r"(0x010203ff), "r"(0x01010101));)",
       0x02030400},
      {R"(asm("vadd4.u32.u32.u32.sat %0, %1, %2, 0;" : "=r"(u) : "r"(0x010203ff), "r"(0x01010101));)",
       0x020304ff},
      {R"(asm("vset4.u32.u32.eq %0, %1, %2, 0;" : "=r"(u) : "r"(0x01020304), "r"(0x01020300));)", 0x01010100},
      {R"(asm("vabsdiff4.s32.s32.s32.add %0, %1, %2, %3;" : "=r"(u) : "r"(0x01ff0304), "r"(0x02010304), "r"(10));)",
       13},
      {R"(asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(u) : "r"(0x01020304), "r"(0x010101ff), "r"(5));)", 7},
      {R"(u = __dp4a(0x01020304, 0x01010101, 5);)", 15},
      {R"(u = __byte_perm(0x01020304, 0x05060708, 0x7531);)", 0x05070103},
      {R"(u = __popc(a) + __clz(b) + __ffs(b) + __brev(1);)", 10 + 28 + 4 + 0x80000000},
  };
  std::vector<std::string> Statements;
  for (const Case &Each : Cases)
    Statements.push_back(Each.statement);
  const auto Results = compute(Statements, 0xabcd, 8, 1.5f);
  for (auto [Each, Got] : llvm::zip(Cases, Results))
    EXPECT_EQ(Got.u, Each.value) << Each.statement;
}

TEST(Math, WideAssembly) {
  const auto Results =
      compute({R"(asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(l) : "r"(a), "r"(1 << 30), "l"(5ll));)",
               R"(asm("mul.wide.u32 %0, %1, %2;" : "=l"(l) : "r"(a), "r"(2));)",
               R"(asm("cvt.s64.s32 %0, %1;" : "=l"(l) : "r"(a));)",
               R"(asm("cvt.u64.u32 %0, %1;" : "=l"(l) : "r"(a));)"},
              -2, 0, 0);
  EXPECT_EQ(Results[0].l, -2147483643ll);
  EXPECT_EQ(Results[1].l, 2ll * 0xfffffffe);
  EXPECT_EQ(Results[2].l, -2ll);
  EXPECT_EQ(Results[3].l, 0xfffffffell);
}

TEST(Math, Floats) {
  struct Case {
    const char *statement;
    float value; ///< x = 1.5
  };
  const std::vector<Case> Cases = {
      {R"(asm("fma.rn.f32 %0, %1, 0f40000000, %1;" : "=f"(f) : "f"(x));)", 4.5f},
      {R"(asm("max.f32 %0, %1, 0f40400000;" : "=f"(f) : "f"(x));)", 3},
      {R"(asm("cvt.rmi.f32.f32 %0, %1;" : "=f"(f) : "f"(-x));)", -2},
      {R"({ int i; asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(i) : "f"(-x)); f = i; })", -1},
      {R"({ int i; asm("cvt.rni.s32.f32 %0, %1;" : "=r"(i) : "f"(2.5f)); f = i; })", 2},
      {R"({ unsigned short h; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x)); asm("{add.f16 %0, %0, %0;}" : "+h"(h)); asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h)); })",
       3},
      {R"({ unsigned w; asm("cvt.rn.f16x2.f32 %0, %2, %1;" : "=r"(w) : "f"(x), "f"(4.0f)); asm("{mul.f16x2 %0, %0, %0;}" : "+r"(w)); unsigned short h = w >> 16; asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h)); })",
       16},
      {R"({ unsigned short h; asm("cvt.rz.f16.f32 %0, %1;" : "=h"(h) : "f"(1.9999f)); asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h)); })",
       1.9990234375f},
      {R"(asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(f) : "f"(x * 2));)", 8},
      {R"(asm("rcp.approx.f32 %0, %1;" : "=f"(f) : "f"(4.0f));)", 0.25f},
      {R"(f = __fadd_rz(1.0f, 1e-10f * x);)", 1},
      {R"(f = __fadd_ru(1.0f, 1e-10f * x);)", std::nextafter(1.0f, 2.0f)},
      {R"(f = __int2float_rn(16777217);)", 16777216},
      {R"(f = __int2float_ru(16777217);)", 16777218},
      {R"(f = __float2int_rn(2.5f) + __float2int_ru(x) + __float2int_rd(-x);)", 2},
      {R"(f = __saturatef(x) + fminf(x, 2.0f) + floorf(x);)", 3.5f},
      {R"(f = rsqrtf(4.0f) + sqrtf(4.0f) + expf(0.0f) + powf(2.0f, 3.0f);)", 11.5f},
      {R"(f = sinpif(0.5f) + cospif(1.0f) + normcdff(0.0f);)", 0.5f},
  };
  std::vector<std::string> Statements;
  for (const Case &Each : Cases)
    Statements.push_back(Each.statement);
  const auto Results = compute(Statements, 0, 0, 1.5f);
  for (auto [Each, Got] : llvm::zip(Cases, Results))
    EXPECT_FLOAT_EQ(Got.f, Each.value) << Each.statement;
}

} // namespace
