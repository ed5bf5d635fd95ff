#include "analyzer/kernel/Sources.h"
#include "DeviceUnit.h"
#include "clang/AST/Decl.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplint::kernel {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

const std::string Prelude =
    "struct P { float x, y, z; int v[2]; };\n"
    "struct Q { P a; float w; };\n"
    "struct Acc { float *p; __device__ float &operator[](int i) const { return p[i]; } };\n"
    "struct Cells { double *x; float *pos3; float own[4]; };\n";

bool isPrivate(const llvm::Value *Pointer) {
  Pointer = Pointer->stripPointerCasts();
  while (const auto *Gep = llvm::dyn_cast<llvm::GetElementPtrInst>(Pointer))
    Pointer = Gep->getPointerOperand()->stripPointerCasts();
  return llvm::isa<llvm::AllocaInst>(Pointer);
}

std::string words(char Kind, const SourceAccess &A, bool WithPlace) {
  std::string Line = std::string(1, Kind) + " " + A.expression + " | " + A.base;
  if (A.field)
    Line += " | " + A.field->structName + "::" + A.field->field + " @" +
            std::to_string(A.field->fieldOffset) + "+" + std::to_string(A.field->fieldSize) + " of " +
            std::to_string(A.field->structSize) + "/" + std::to_string(A.field->fieldCount);
  if (WithPlace)
    Line += " " + std::to_string(A.place.line) + ":" + std::to_string(A.place.column) + "-" +
            std::to_string(A.place.endColumn);
  return Line;
}

/// Every access to memory that is not private, of the functions whose names hold `Function`: "L in[i] | in".
std::vector<std::string> accesses(const std::string &Code, const std::string &Function,
                                  bool WithPlace = false) {
  std::vector<std::string> Lines;
  EXPECT_TRUE(test::withDeviceUnit(Code, [&](test::DeviceUnit &Unit) {
    const Sources S(Unit.ast);
    for (const llvm::Function &F : Unit.module) {
      if (F.getName().find(Function) == llvm::StringRef::npos)
        continue;
      for (const llvm::Instruction &I : llvm::instructions(F)) {
        if (const auto *Load = llvm::dyn_cast<llvm::LoadInst>(&I)) {
          if (!isPrivate(Load->getPointerOperand()))
            Lines.push_back(words('L', S.describe(I, false), WithPlace));
        } else if (const auto *Store = llvm::dyn_cast<llvm::StoreInst>(&I)) {
          if (!isPrivate(Store->getPointerOperand()))
            Lines.push_back(words('S', S.describe(I, true), WithPlace));
        } else if (const auto *Copy = llvm::dyn_cast<llvm::MemTransferInst>(&I)) {
          if (!isPrivate(Copy->getRawSource()))
            Lines.push_back(words('L', S.describe(I, false), WithPlace));
          if (!isPrivate(Copy->getRawDest()))
            Lines.push_back(words('S', S.describe(I, true), WithPlace));
        } else if (llvm::isa<llvm::AtomicRMWInst>(I)) {
          Lines.push_back(words('A', S.describe(I, true), WithPlace));
        } else if (const auto *Call = llvm::dyn_cast<llvm::CallInst>(&I);
                   Call && Call->getCalledFunction() && !Call->getCalledFunction()->isIntrinsic()) {
          Lines.push_back(words('C', S.describe(I, true), WithPlace));
        } else if (Call && Call->isInlineAsm()) {
          Lines.push_back(words('C', S.describe(I, true), WithPlace));
        }
      }
    }
  })) << Code;
  return Lines;
}

/// The accesses of one kernel body.
std::vector<std::string> inKernel(const std::string &Body, bool WithPlace = false,
                                  const std::string &Before = "") {
  return accesses(
      Prelude + Before +
          "__global__ void k(float *out, const float *in, P *p, int n, Acc acc, float4 *v, bool c,\n"
          "                  Cells s, float **pp, int i, Q *q, const int *idx) {\n" +
          Body + "\n}\n",
      "_Z1k", WithPlace);
}

TEST(Accesses, PlainForms) {
  EXPECT_THAT(inKernel("out[i] = in[i + n];"), ElementsAre("L in[i + n] | in", "S out[i] | out"));
  EXPECT_THAT(inKernel("out[i] += in[i];"), ElementsAre("L in[i] | in", "L out[i] | out", "S out[i] | out"));
  EXPECT_THAT(inKernel("out[i]++;"), ElementsAre("L out[i] | out", "S out[i] | out"));
  EXPECT_THAT(inKernel("*out = 3; *(out + i) = 4; (out + 4)[i] = 5;"),
              ElementsAre("S *out | out", "S *(out + i) | out", "S (out + 4)[i] | out"));
  EXPECT_THAT(inKernel("*out++ = *in++;"), ElementsAre("L *in++ | in", "S *out++ | out"));
  EXPECT_THAT(
      inKernel("out[idx[i]] = in[idx[i + 1]];"),
      ElementsAre("L idx[i + 1] | idx", "L in[idx[i + 1]] | in", "L idx[i] | idx", "S out[idx[i]] | out"));
  EXPECT_THAT(inKernel("out[i] = c ? in[i] : out[n];"),
              ElementsAre("L in[i] | in", "L out[n] | out", "S out[i] | out"));
  EXPECT_THAT(inKernel("if (in[i] > 0 && out[i] < 1) out[n] = 0;"),
              ElementsAre("L in[i] | in", "L out[i] | out", "S out[n] | out"));
  EXPECT_THAT(inKernel("out[i] = pp[n][i];"),
              ElementsAre("L pp[n] | pp", "L pp[n][i] | pp[n]", "S out[i] | out"));
  EXPECT_THAT(inKernel("out[i] =\n  in[ i  +\n n ];"), ElementsAre("L in[ i + n ] | in", "S out[i] | out"));
}

TEST(Accesses, Places) {
  EXPECT_THAT(inKernel("  out[i] = in[i] + (in + 1)[i];", true),
              ElementsAre("L in[i] | in 7:12-17", "L (in + 1)[i] | in 7:20-31", "S out[i] | out 7:3-9"));
  EXPECT_THAT(inKernel("  p[i].v[1] += 2;", true),
              ElementsAre("L p[i].v[1] | p | P::v @12+8 of 20/4 7:3-12",
                          "S p[i].v[1] | p | P::v @12+8 of 20/4 7:3-12"));
}

TEST(Accesses, StructuresAndTheirFields) {
  EXPECT_THAT(inKernel("p[i].x = 1; p->y = 2; (p + i)->z = 3; (*p).z = 4;"),
              ElementsAre("S p[i].x | p | P::x @0+4 of 20/4", "S p->y | p | P::y @4+4 of 20/4",
                          "S (p + i)->z | p | P::z @8+4 of 20/4", "S (*p).z | p | P::z @8+4 of 20/4"));
  EXPECT_THAT(inKernel("q[i].a.y = 1; q[i].w = 2;"),
              ElementsAre("S q[i].a.y | q | Q::a.y @4+4 of 24/2", "S q[i].w | q | Q::w @20+4 of 24/2"));
  EXPECT_THAT(inKernel("P e = p[i]; out[i] = e.x;"), ElementsAre("L p[i] | p", "S out[i] | out"));
  EXPECT_THAT(inKernel("p[i] = p[n];"), ElementsAre("L p[n] | p", "S p[i] | p"));
  EXPECT_THAT(inKernel("v[i] = v[i + 1]; v[i].y = 1;"),
              ElementsAre("L v[i + 1] | v", "S v[i] | v", "S v[i].y | v | float4::y @4+4 of 16/4"));
  EXPECT_THAT(inKernel("const P &e = p[i]; out[i] = e.z;"),
              ElementsAre("L e.z | p | P::z @8+4 of 20/4", "S out[i] | out"));
  EXPECT_THAT(
      inKernel("d[i].own = 1; d[i].y = 2;", false, "struct D : P { float own; }; __device__ D *d;"),
      testing::IsSupersetOf({"S d[i].own | d | D::own @20+4 of 24/1", "S d[i].y | d | D::y @4+4 of 24/1"}));
}

TEST(Accesses, ObjectsOfTheKernel) {
  EXPECT_THAT(inKernel("out[i] = s.pos3[3 * i];"), Contains("L s.pos3[3 * i] | s.pos3"));
  EXPECT_THAT(inKernel("out[i] = s.own[i & 3];"), Contains("L s.own[i & 3] | s.own"));
  EXPECT_THAT(inKernel("__shared__ P one; one.x = in[i];"), Contains("S one.x | one.x"));
  EXPECT_THAT(inKernel("__shared__ float one; one = in[i];"), Contains("S one | one"));
}

TEST(Accesses, TilesAndCasts) {
  EXPECT_THAT(
      inKernel("__shared__ float tile[32][33]; tile[i][n] = in[i]; out[i] = tile[n][i + 1];"),
      ElementsAre("L in[i] | in", "S tile[i][n] | tile", "L tile[n][i + 1] | tile", "S out[i] | out"));
  EXPECT_THAT(inKernel("__shared__ float t[32][36]; reinterpret_cast<float4 *>(&t[i][4])[0] = v[i];"),
              ElementsAre("L v[i] | v", "S reinterpret_cast<float4 *>(&t[i][4])[0] | t"));
  EXPECT_THAT(inKernel("float4 e = *reinterpret_cast<const float4 *>(in + i); out[i] = e.x;"),
              ElementsAre("L *reinterpret_cast<const float4 *>(in + i) | in", "S out[i] | out"));
  EXPECT_THAT(inKernel("v[i].x = ((const float4 *)in)[i].y;"),
              ElementsAre("L ((const float4 *)in)[i].y | in | float4::y @4+4 of 16/4",
                          "S v[i].x | v | float4::x @0+4 of 16/4"));
}

TEST(Accesses, ReferencesAndAccessors) {
  EXPECT_THAT(inKernel("float &r = out[i]; r += 1;"), ElementsAre("L r | out", "S r | out"));
  EXPECT_THAT(
      inKernel("acc[i] = 3; out[i] = acc[n];"),
      ElementsAre("C acc[i] | acc", "S acc[i] | acc", "C acc[n] | acc", "L acc[n] | acc", "S out[i] | out"));
}

TEST(Accesses, CopyConstructors) {
  EXPECT_THAT(inKernel("C e = d[i];", false,
                       "struct C { float f; __device__ C(const C &o) : f(o.f) {} }; __device__ C *d;"),
              Contains("C d[i] | d"));
}

TEST(Accesses, Macros) {
  const std::string At = "#define AT(a, i) a[i]\n#define BODY out[i] = in[i]\n#define ONE 1\n";
  EXPECT_THAT(inKernel("  AT(out, i) = AT(in, i);", true, At),
              ElementsAre("L AT(in, i) | in 10:16-25", "S AT(out, i) | out 10:3-13"));
  EXPECT_THAT(inKernel("  BODY;", true, At), ElementsAre("L BODY | in 10:3-7", "S BODY | out 10:3-7"));
  EXPECT_THAT(inKernel("#define SAME(x) x\n  SAME(out[i + ONE] = in[ONE]);", true, At),
              ElementsAre("L in[ONE] | in 11:23-30", "S out[i + ONE] | out 11:8-20"));
}

TEST(Accesses, Calls) {
  EXPECT_THAT(inKernel("out[i] = __ldg(&in[i]);"), ElementsAre("C __ldg(&in[i]) | in", "S out[i] | out"));
  EXPECT_THAT(inKernel("out[i] = __ldg(in + i * 64);"), Contains("C __ldg(in + i * 64) | in"));
  EXPECT_THAT(inKernel("atomicAdd(&p[i].x, 1.f);"), Contains("C atomicAdd(&p[i].x, 1.f) | p"));
  EXPECT_THAT(inKernel("__nvvm_atom_add_gen_f(&out[i], 1.f);"),
              Contains("A __nvvm_atom_add_gen_f(&out[i], 1.f) | out"));
  EXPECT_THAT(inKernel("__builtin_memcpy(out + i, &in[i], 16);"),
              ElementsAre("L __builtin_memcpy(out + i, &in[i], 16) | in",
                          "S __builtin_memcpy(out + i, &in[i], 16) | out"));
  EXPECT_THAT(inKernel("asm(\"st.global.f32 [%0], 0f00000000;\" :: \"l\"(out + i));"),
              Contains(testing::AllOf(testing::StartsWith("C asm("), testing::EndsWith("| out"))));
}

TEST(Accesses, HelpersLambdasAndInstances) {
  const std::string Code =
      "__device__ float helper(float *t, int r, int pitch, int l) { return t[r * pitch + l]; }\n"
      "template <class T> __device__ void copy(T *a, const T *b, int i) { a[i] = b[i]; }\n"
      "__global__ void k(float *o, const float *n, double *d, const double *e, int i) {\n"
      "  o[i] = helper(o, i, 32, i);\n"
      "  copy(o, n, i); copy(d, e, i);\n"
      "  auto f = [=](int j) { o[j] = n[j]; };\n"
      "  auto g = [=](auto j) { o[j + 1] = n[j]; };\n"
      "  f(i); g(i);\n"
      "}\n";
  EXPECT_THAT(accesses(Code, "helper"), ElementsAre("L t[r * pitch + l] | t"));
  EXPECT_THAT(accesses(Code, "copyIf"), ElementsAre("L b[i] | b", "S a[i] | a"));
  EXPECT_THAT(accesses(Code, "copyId"), ElementsAre("L b[i] | b", "S a[i] | a"));
  EXPECT_THAT(accesses(Code, "UliE"), ElementsAre("L n | n", "L n[j] | n", "L o | o", "S o[j] | o"));
  EXPECT_THAT(accesses(Code, "UlT_E"), Contains("S o[j + 1] | o"));
}

TEST(Accesses, AlignmentIsThatOfTheInstance) {
  test::withDeviceUnit("template <class T> __device__ void put(T *a, int i) { a[i] = T(); }\n"
                       "__global__ void k(float *o, double *d) { put(o, 1); put(d, 1); }\n",
                       [](test::DeviceUnit &Unit) {
                         const Sources S(Unit.ast);
                         unsigned Stores = 0;
                         for (const llvm::Function &F : Unit.module)
                           for (const llvm::Instruction &I : llvm::instructions(F))
                             if (const auto *Store = llvm::dyn_cast<llvm::StoreInst>(&I)) {
                               ++Stores;
                               EXPECT_EQ(S.describe(I, true).typeAlignment,
                                         Store->getValueOperand()->getType()->isDoubleTy() ? 8u : 4u);
                             }
                         EXPECT_EQ(Stores, 2u);
                       });
}

TEST(Accesses, SystemHeaders) {
  test::withDeviceUnit("__global__ void k(const float *in, float *out) { *out = __ldg(in); }\n",
                       [](test::DeviceUnit &Unit) {
                         const Sources S(Unit.ast);
                         for (const llvm::Function &F : Unit.module)
                           for (const llvm::Instruction &I : llvm::instructions(F)) {
                             if (!I.getDebugLoc())
                               continue;
                             EXPECT_EQ(S.inSystemHeader(I.getDebugLoc().get()), F.getName().contains("ldg"));
                             EXPECT_EQ(S.place(I.getDebugLoc().get()).file,
                                       F.getName().contains("ldg") ? "/mock/cuda.h" : "/src/test.cu");
                           }
                       });
}

//===-- Tiles
//----------------------------------------------------------------------------------------------===//

std::string tileWords(const result::TileInfo &T, const std::string &Code) {
  std::string Line = T.name + " ";
  for (uint64_t Extent : T.extents)
    Line += std::to_string(Extent) + ",";
  Line += " " + std::to_string(T.elementSize) + " " + T.declarationText;
  if (T.innermostExtent) {
    Line += " <" + T.innermostText + ">";
    EXPECT_EQ(Code.substr(T.innermostOffset, T.innermostText.size()), T.innermostText);
    EXPECT_EQ(T.innermostExtent->endColumn - T.innermostExtent->column, T.innermostText.size());
  }
  return Line + (T.usedFlat ? " flat" : "");
}

std::vector<std::string> tiles(const std::string &Code) {
  std::vector<std::string> Lines;
  EXPECT_TRUE(test::withDeviceUnit(Code, [&](test::DeviceUnit &Unit) {
    const Sources S(Unit.ast);
    for (const llvm::GlobalVariable &G : Unit.module.globals())
      if (G.getAddressSpace() == 3)
        Lines.push_back(S.tile(G) ? tileWords(*S.tile(G), Code) : "none");
  })) << Code;
  return Lines;
}

TEST(Tiles, DeclaredExtents) {
  EXPECT_THAT(tiles("#define EDGE 32\n__global__ void k(float *o, int i) {\n"
                    "  __shared__ float tile[EDGE][ EDGE + 1 ];\n  o[i] = tile[i][1];\n}\n"),
              ElementsAre("tile 32,33, 4 [EDGE][ EDGE + 1 ] <EDGE + 1>"));
  EXPECT_THAT(tiles("__global__ void k(float *o, int i) { __shared__ double t[64]; o[i] = t[i]; }"),
              ElementsAre("t 64, 8 [64] <64>"));
  EXPECT_THAT(tiles("__global__ void k(float *o, int i) { __shared__ float t; t = i; o[i] = t; }"),
              ElementsAre("none"));
  EXPECT_THAT(tiles("extern __shared__ float s[];\n__global__ void k(float *o, int i) { o[i] = s[i]; }"),
              ElementsAre("s  4 []"));
  EXPECT_THAT(tiles("template <int N> __global__ void k(float *o, int i) { __shared__ float t[N][N]; o[i] = "
                    "t[i][0]; }\n"
                    "void f() { k<8><<<1, 1>>>(0, 0); k<16><<<1, 1>>>(0, 0); }"),
              testing::UnorderedElementsAre("t 8,8, 4 [N][N] <N>", "t 16,16, 4 [N][N] <N>"));
}

TEST(Tiles, ExtentsOutOfSight) {
  EXPECT_THAT(tiles("typedef float Row[32];\n__global__ void k(float *o, int i) { __shared__ Row t[8]; o[i] "
                    "= t[i][0]; }"),
              ElementsAre("t 8,32, 4 [8][32]"));
  EXPECT_THAT(tiles("#define TILE(n) __shared__ float n[8][32]\n"
                    "__global__ void k(float *o, int i) { TILE(t); o[i] = t[i][0]; }"),
              ElementsAre("t 8,32, 4 [8][32]"));
}

TEST(Tiles, UsedFlat) {
  auto flat = [](const std::string &Use) {
    const auto Lines =
        tiles("__device__ float sum(float *p) { return p[0]; }\n"
              "__device__ void add(float &r) { r += 1; }\n"
              "__global__ void k(float *o, int i) {\n  __shared__ float t[8][32];\n  t[i][0] = 1;\n  " +
              Use + "\n}\n");
    return Lines.size() == 1 && Lines.front().find(" flat") != std::string::npos;
  };
  EXPECT_FALSE(flat("o[i] = t[i][1] + (t[i])[2];"));
  EXPECT_FALSE(flat("add(t[i][1]);"));
  EXPECT_TRUE(flat("o[i] = sum(t[i]);"));
  EXPECT_TRUE(flat("o[i] = sum(&t[i][1]);"));
  EXPECT_TRUE(flat("o[i] = sum(&t[0][0]);"));
  EXPECT_TRUE(flat("o[i] = sizeof(t);"));
  EXPECT_TRUE(flat("o[i] = ((float *)t)[i];"));
  EXPECT_TRUE(flat("o[i] = (*t)[i];"));
}

//===-- By-value parameters
//----------------------------------------------------------------------------------===//

TEST(MemberPath, RecordsAndClosures) {
  EXPECT_TRUE(test::withDeviceUnit(
      "struct In { int n; float *p; };\n"
      "struct Cells : In { double *x; float *pos3; In in; int a[3]; };\n"
      "template <class F> __global__ void k(Cells c, F f, const float *q) { f(); }\n"
      "void run(Cells c, float *o) { auto f = [=] __device__() { o[0] = c.pos3[0]; }; k<<<1, 1>>>(c, f, o); "
      "}\n",
      [](test::DeviceUnit &Unit) {
        const Sources S(Unit.ast);
        const clang::FunctionDecl *Kernel = nullptr;
        for (const clang::Decl *D : Unit.ast.getTranslationUnitDecl()->decls())
          if (const auto *T = llvm::dyn_cast<clang::FunctionTemplateDecl>(D); T && T->getName() == "k")
            Kernel = *T->spec_begin();
        ASSERT_TRUE(Kernel);
        EXPECT_EQ(S.memberPath(*Kernel, 0, 8), "c.p");
        EXPECT_EQ(S.memberPath(*Kernel, 0, 16), "c.x");
        EXPECT_EQ(S.memberPath(*Kernel, 0, 24), "c.pos3");
        EXPECT_EQ(S.memberPath(*Kernel, 0, 40), "c.in.p");
        EXPECT_EQ(S.memberPath(*Kernel, 0, 56), "c.a[2]");
        EXPECT_EQ(S.memberPath(*Kernel, 0, 4), "");
        EXPECT_EQ(S.memberPath(*Kernel, 1, 0), "o");
        EXPECT_EQ(S.memberPath(*Kernel, 1, 32), "c.pos3");
        EXPECT_EQ(S.memberPath(*Kernel, 2, 0), "q");
        EXPECT_EQ(S.memberPath(*Kernel, 2, 8), "");
        EXPECT_EQ(S.memberPath(*Kernel, 3, 0), "");
      }));
}

} // namespace
} // namespace warplint::kernel
