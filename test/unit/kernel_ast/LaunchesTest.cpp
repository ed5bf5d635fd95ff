#include "analyzer/kernel/Launches.h"
#include "DeviceUnit.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplint::kernel {
namespace {

/// "32,8,1" or "?"
template <class Shape> std::string words(const std::optional<Shape> &S) {
  if (!S)
    return "?";
  return std::to_string((*S)[0]) + "," + std::to_string((*S)[1]) + "," + std::to_string((*S)[2]);
}

std::string words(const std::optional<uint64_t> &N) { return N ? std::to_string(*N) : "?"; }

/// One line per launch: kernel, grid, block, shared bytes, arguments.
std::vector<std::string> launches(const std::string &Code) {
  std::vector<std::string> Lines;
  const bool Parsed = test::withDeviceUnit(
      "__global__ void k(int n, const float *p) {}\n" + Code, [&](test::DeviceUnit &Unit) {
        for (const Launch &L : findLaunches(Unit.ast)) {
          std::string Line = L.kernel->getNameAsString() + " " + words(L.grid) + " " + words(L.block) + " " +
                             words(L.dynamicShared);
          for (const auto &Argument : L.arguments)
            Line += Argument ? " " + std::to_string(*Argument) : " -";
          Lines.push_back(Line);
        }
      });
  EXPECT_TRUE(Parsed) << Code;
  return Lines;
}

/// The block's x of the launches in a host function body, "32|64"; "?" when one is not certain.
std::string blockX(const std::string &Body, const std::string &Before = "",
                   const std::string &Parameters = "int m") {
  std::string Text;
  for (const std::string &Line : launches(Before + "\nvoid host(" + Parameters + ") {\n" + Body + "\n}")) {
    const std::string Block = Line.substr(Line.find(' ', 2) + 1);
    Text += (Text.empty() ? "" : "|") + Block.substr(0, Block.find_first_of(", "));
  }
  return Text.empty() ? "none" : Text;
}

/// Why the one launch of a host function body has no certain block.
std::string reason(const std::string &Body, const std::string &Before = "") {
  std::string Text = "no launch";
  test::withDeviceUnit("__global__ void k(int n, const float *p) {}\n" + Before + "\nvoid host(int m) {\n" +
                           Body + "\n}",
                       [&](test::DeviceUnit &Unit) {
                         for (const Launch &L : findLaunches(Unit.ast))
                           Text = L.block ? "certain" : L.reason;
                       });
  return Text;
}

/// The block that a launch without a certain one may well have.
std::string likely(const std::string &Body, const std::string &Before = "") {
  std::string Text = "no launch";
  test::withDeviceUnit("__global__ void k(int n, const float *p) {}\n" + Before + "\nvoid host(int m) {\n" +
                           Body + "\n}",
                       [&](test::DeviceUnit &Unit) {
                         for (const Launch &L : findLaunches(Unit.ast))
                           Text = L.block ? "certain" : words(L.likelyBlock);
                       });
  return Text;
}

using testing::ElementsAre;

TEST(Launches, ShapesFromConstants) {
  EXPECT_THAT(launches("#define T 256\nvoid f() { k<<<4, T>>>(7, nullptr); }"),
              ElementsAre("k 4,1,1 256,1,1 0 7 -"));
  EXPECT_THAT(launches("void f(int n) { k<<<n / 256, dim3(32, 8), 1024>>>(n, nullptr); }"),
              ElementsAre("k ? 32,8,1 1024 - -"));
  EXPECT_THAT(launches("enum { W = 16 }; constexpr int H = W / 2; void f() {\n"
                       "  dim3 b{W, H}; dim3 g = dim3(W * 2, (1000 + H - 1) / H, 3);\n"
                       "  k<<<g, b, b.x * b.y * sizeof(float)>>>(sizeof(double), nullptr); }"),
              ElementsAre("k 32,125,3 16,8,1 512 8 -"));
  EXPECT_THAT(launches("void f(int n) { k<<<1, n>>>(1, nullptr); }"), ElementsAre("k 1,1,1 ? 0 1 -"));
}

TEST(Launches, MemberAssignments) {
  EXPECT_THAT(launches("void f() { dim3 b, g(3, 4); b.x = 32; b.y = 4; g.x = 5; k<<<g, b>>>(0, nullptr); }"),
              ElementsAre("k 5,4,1 32,4,1 0 0 -"));
  EXPECT_THAT(launches("void f() { dim3 b; b = dim3(64, 2); k<<<1, b>>>(0, nullptr); }"),
              ElementsAre("k 1,1,1 64,2,1 0 0 -"));
  EXPECT_EQ(blockX("dim3 b; if (m) b.x = 32; k<<<1, b>>>(0, nullptr);"), "1|32");
  EXPECT_EQ(blockX("dim3 b; b.x = 32; b.x = 64; k<<<1, b>>>(0, nullptr);"), "64");
  EXPECT_EQ(blockX("dim3 b(8); k<<<1, b>>>(0, nullptr); b.x = 32;"), "8");
  EXPECT_EQ(blockX("dim3 b(8); for (int i = 0; i < 3; ++i) { b.x = 32; k<<<1, b>>>(0, nullptr); }"), "32");
  EXPECT_EQ(blockX("dim3 b(8); for (int i = 0; i < 3; ++i) { k<<<1, b>>>(0, nullptr); b.x = 32; }"), "?");
  EXPECT_EQ(blockX("dim3 b(8); void change(dim3 &); change(b); k<<<1, b>>>(0, nullptr);"), "?");
  EXPECT_EQ(blockX("dim3 b(8); void look(const dim3 &); look(b); k<<<1, b>>>(0, nullptr);"), "8");
  EXPECT_EQ(blockX("dim3 b(8); switch (m) { case 0: b.x = 4; break; default: k<<<1, b>>>(0, nullptr); }"),
            "8");
}

TEST(Launches, PlainVariables) {
  EXPECT_EQ(blockX("int n = 1 << 7; k<<<1, n>>>(0, nullptr);"), "128");
  EXPECT_EQ(blockX("int n; n = 64; k<<<1, n>>>(0, nullptr);"), "64");
  EXPECT_EQ(blockX("int n = 64; int t = n / 2; k<<<1, t>>>(0, nullptr);"), "32");
  EXPECT_EQ(blockX("int n = 64; n = 32; k<<<1, n>>>(0, nullptr);"), "32");
  EXPECT_EQ(blockX("int n; if (m) n = 64; k<<<1, n>>>(0, nullptr);"), "64");
  EXPECT_EQ(blockX("int n; n = 64; n = 32; k<<<1, n>>>(0, nullptr);"), "32");
  EXPECT_EQ(blockX("int n = 64; n *= 2; k<<<1, n>>>(0, nullptr);"), "?");
  EXPECT_EQ(blockX("int n = 64; int *p = &n; k<<<1, n>>>(0, nullptr);"), "?");
  EXPECT_EQ(blockX("int n = 64; int &r = n; k<<<1, n>>>(0, nullptr);"), "?");
  EXPECT_EQ(blockX("int n = 64; const int &r = n; k<<<1, r>>>(0, nullptr);"), "64");
  EXPECT_EQ(blockX("int n = 64; cudaMemcpyToSymbol(nullptr, &n, sizeof(n)); k<<<1, n>>>(0, nullptr);"), "64");
  EXPECT_EQ(blockX("int n = 64; auto f = [&] { n = 1; }; k<<<1, n>>>(0, nullptr);"), "?");
  EXPECT_EQ(blockX("int n = 64; auto f = [&](auto v) { n = v; }; f(2); k<<<1, n>>>(0, nullptr);"), "?");
  EXPECT_EQ(blockX("int n = 64; auto f = [=] { k<<<1, n>>>(0, nullptr); };"), "64");
  EXPECT_EQ(blockX("for (int n = 32; n < 64; n *= 2) k<<<1, n>>>(0, nullptr);"), "?");
  EXPECT_EQ(blockX("again: int n; n = 64; k<<<1, n>>>(0, nullptr); goto again;"), "64");
  EXPECT_EQ(blockX("int n = 64; again: k<<<1, n>>>(0, nullptr); n = 32; goto again;"), "?");
  EXPECT_EQ(blockX("volatile int n = 64; k<<<1, n>>>(0, nullptr);"), "?");
}

TEST(Launches, GlobalsAndStatics) {
  EXPECT_EQ(blockX("k<<<1, N>>>(0, nullptr);", "static const int N = 96;"), "96");
  EXPECT_EQ(blockX("k<<<1, N>>>(0, nullptr);", "static int N = 96;"), "96");
  EXPECT_EQ(blockX("k<<<1, N>>>(0, nullptr);", "static int N = 96; void set(int v) { N = v; }"), "?");
  EXPECT_EQ(blockX("k<<<1, N>>>(0, nullptr);", "int N = 96;"), "?");
  EXPECT_EQ(blockX("k<<<1, N>>>(0, nullptr);", "extern const int N;"), "?");
  EXPECT_EQ(blockX("static int n = 96; k<<<1, n>>>(0, nullptr);"), "96");
  EXPECT_EQ(blockX("static int n = 96; k<<<1, n>>>(0, nullptr); n = 4;"), "?");
  EXPECT_EQ(blockX("k<<<1, C::N>>>(0, nullptr);", "struct C { static const int N = 48; };"), "48");
  EXPECT_EQ(blockX("k<<<1, B>>>(0, nullptr);", "static constexpr dim3 B(24, 2);"), "24");
  EXPECT_EQ(blockX("k<<<1, N>>>(0, nullptr);", "__device__ int N = 48;"), "?");
  EXPECT_EQ(blockX("const dim3 b(m); k<<<1, b>>>(0, nullptr);"), "?");
}

TEST(Launches, Arithmetic) {
  EXPECT_EQ(blockX("int n = 1000; k<<<1, (n + 31) / 32>>>(0, nullptr);"), "32");
  EXPECT_EQ(blockX("int n = 1000; k<<<1, ceil(n / 32.0)>>>(0, nullptr);"), "32");
  EXPECT_EQ(blockX("int n = 1000; k<<<1, (int)ceil(n / (float)64)>>>(0, nullptr);"), "16");
  EXPECT_EQ(blockX("int n = 1000; k<<<1, std::min(n, 512)>>>(0, nullptr);"), "512");
  EXPECT_EQ(blockX("k<<<1, std::min(m, 512)>>>(0, nullptr);"), "?");
  EXPECT_EQ(blockX("int n = 100; k<<<1, n > 64 ? 64 : n>>>(0, nullptr);"), "64");
  EXPECT_EQ(blockX("k<<<1, m > 64 ? 64 : m>>>(0, nullptr);"), "?");
  EXPECT_EQ(blockX("int z = 0; k<<<1, 64 / z>>>(0, nullptr);"), "?");
  EXPECT_EQ(blockX("int z = 0; k<<<1, z>>>(0, nullptr);"), "?");
  EXPECT_EQ(blockX("int z = 2048; k<<<1, z>>>(0, nullptr);"), "?");
}

TEST(Launches, Functions) {
  EXPECT_EQ(blockX("int n = 1000; k<<<1, up(n, 32)>>>(0, nullptr);",
                   "int up(int a, int b) { return (a + b - 1) / b; }"),
            "32");
  EXPECT_EQ(blockX("int n = 1000; k<<<1, log(n)>>>(0, nullptr);",
                   "constexpr int log(int a) { int r = 0; while (a >>= 1) ++r; return r; }"),
            "9");
  EXPECT_EQ(blockX("int n = 1000; k<<<1, log(n)>>>(0, nullptr);", "int log(int a);"), "?");
  EXPECT_EQ(blockX("k<<<1, up(m, 32)>>>(0, nullptr);", "int up(int a, int b) { return (a + b - 1) / b; }"),
            "?");
  EXPECT_EQ(blockX("k<<<1, shape(8)>>>(0, nullptr);", "dim3 shape(int e) { return dim3(e * 2, e); }"), "16");
}

TEST(Launches, RecordsOfTheUser) {
  EXPECT_EQ(blockX("Config c; k<<<1, c.threads>>>(0, nullptr);",
                   "struct Config { int blocks = 2, threads = 32; };"),
            "32");
  EXPECT_EQ(blockX("Config c{4, 64}; k<<<1, c.threads>>>(0, nullptr);",
                   "struct Config { int blocks = 2, threads = 32; };"),
            "64");
  EXPECT_EQ(blockX("Config c; c.block.x = 16; k<<<1, c.block>>>(0, nullptr);",
                   "struct Config { dim3 block = dim3(8, 8); };"),
            "16");
  EXPECT_EQ(blockX("Config c = load(); k<<<1, c.threads>>>(0, nullptr);",
                   "struct Config { int blocks = 2, threads = 32; }; Config load();"),
            "?");
}

TEST(Launches, TemplatesAreTheirInstances) {
  EXPECT_THAT(launches("template <int N> __global__ void t() {}\n"
                       "template <int N> void f() { t<N><<<1, N>>>(); }\n"
                       "void g() { f<32>(); f<64>(); }\n"
                       "template <int N> void never() { k<<<1, 32>>>(0, nullptr); }"),
              ElementsAre("t 1,1,1 32,1,1 0", "t 1,1,1 64,1,1 0"));
  EXPECT_THAT(launches("template <class T> struct S { static constexpr int N = sizeof(T) * 8;\n"
                       "  void run() { k<<<1, N>>>(0, nullptr); } };\n"
                       "void g() { S<float>().run(); }"),
              ElementsAre("k 1,1,1 32,1,1 0 0 -"));
  EXPECT_THAT(launches("template <class F> void with(F f) { f(32); }\n"
                       "void g() { with([](auto n) { k<<<1, sizeof(n) * 8>>>(0, nullptr); }); }"),
              ElementsAre("k 1,1,1 32,1,1 0 0 -"));
}

TEST(Launches, ParametersOfFunctionsThatLaunch) {
  const std::string Static = "static void f(int t) { k<<<1, t>>>(t, nullptr); }\n";
  EXPECT_THAT(launches(Static + "void g() { f(64); }"), ElementsAre("k 1,1,1 64,1,1 0 64 -"));
  EXPECT_THAT(launches(Static + "void g() { f(64); f(32); f(64); }"),
              ElementsAre("k 1,1,1 64,1,1 0 64 -", "k 1,1,1 32,1,1 0 32 -"));
  EXPECT_THAT(launches(Static + "void g(int n) { f(64); f(n); }"),
              ElementsAre("k 1,1,1 64,1,1 0 64 -", "k 1,1,1 ? 0 - -"));
  EXPECT_THAT(launches("void f(int t) { k<<<1, t>>>(t, nullptr); } void g() { f(64); }"),
              ElementsAre("k 1,1,1 64,1,1 0 64 -"));
  // Other files can call it too: an argument is certain for a launch that a call decides, not for all.
  EXPECT_THAT(launches("void f(int t) { k<<<1, 32>>>(t, nullptr); } void g() { f(64); }"),
              ElementsAre("k 1,1,1 32,1,1 0 - -"));
  EXPECT_THAT(launches("static void f(int t) { t = 2; k<<<1, t>>>(t, nullptr); } void g() { f(64); }"),
              ElementsAre("k 1,1,1 2,1,1 0 2 -"));
  // Through several functions, default arguments included.
  EXPECT_THAT(launches("void f(dim3 b, int n) { k<<<2, b>>>(n, nullptr); }\n"
                       "void g(int x, int y = 4) { f(dim3(x, y), x); }\n"
                       "void h() { g(8); g(16, 2); }"),
              ElementsAre("k 2,1,1 8,4,1 0 8 -", "k 2,1,1 16,2,1 0 16 -"));
  // A function that calls itself with another value.
  EXPECT_THAT(launches("void f(int t) { if (t > 1) f(t / 2); k<<<1, t>>>(1, nullptr); } void g() { f(64); }"),
              ElementsAre("k 1,1,1 ? 0 1 -", "k 1,1,1 64,1,1 0 1 -"));
  EXPECT_THAT(
      launches("struct S { void run(int t) { k<<<1, t>>>(1, nullptr); } }; void g(S s) { s.run(96); }"),
      ElementsAre("k 1,1,1 96,1,1 0 1 -"));
  EXPECT_THAT(launches("void g() { auto f = [](int t) { k<<<1, t>>>(1, nullptr); }; f(96); f(32); }"),
              ElementsAre("k 1,1,1 96,1,1 0 1 -", "k 1,1,1 32,1,1 0 1 -"));
}

TEST(Launches, FunctionsThatLaunchWhatTheyAreGiven) {
  const std::string Other = "__global__ void other(int n) {}\n";
  EXPECT_THAT(launches(Other + "template <class F, class... A> void run(F f, dim3 g, dim3 b, A... a) {\n"
                               "  f<<<g, b>>>(a...); }\n"
                               "void g() { run(k, 3, 64, 7, nullptr); run(other, 2, dim3(8, 8), 9); }"),
              ElementsAre("k 3,1,1 64,1,1 0 7 -", "other 2,1,1 8,8,1 0 9"));
  EXPECT_THAT(launches(Other +
                       "template <class F, class... A> void run(F &&f, const dim3 &b, A &&...a) {\n"
                       "  f<<<1, b>>>(std::forward<A>(a)...); }\n"
                       "void g() { int n = 5; dim3 b(16, 2); run(other, b, n); k<<<1, b>>>(n, nullptr); }"),
              ElementsAre("other 1,1,1 16,2,1 0 5", "k 1,1,1 16,2,1 0 5 -"));
  // A configuration handed on by reference to const, whatever else reads it.
  EXPECT_THAT(
      launches("struct P { dim3 grid, block; }; struct Q { Q(const P &p) : x(p.block.x) {} unsigned x; };\n"
               "template <class F, class... A> void run(F f, const P &p, A &&...a) {\n"
               "  auto q = Q(p); f<<<p.grid, p.block>>>(std::forward<A>(a)...); }\n"
               "void g(int n) { const P p = {dim3(n), dim3(8, 4)}; run(k, p, 7, nullptr); }"),
      ElementsAre("k ? 8,4,1 0 7 -"));
  EXPECT_THAT(launches("struct P { dim3 grid, block; }; void set(P &);\n"
                       "template <class F> void run(F f, P &p) { f<<<p.grid, p.block>>>(1, nullptr); }\n"
                       "void g() { P p = {dim3(2), dim3(8, 4)}; set(p); run(k, p); }"),
              ElementsAre("k ? ? 0 1 -"));
  EXPECT_THAT(launches("void run(void (*f)(int, const float *), int t) { f<<<1, t>>>(1, nullptr); }\n"
                       "void g() { run(k, 32); run(&k, 64); }"),
              ElementsAre("k 1,1,1 32,1,1 0 1 -", "k 1,1,1 64,1,1 0 1 -"));
}

TEST(Launches, SeveralShapesAreSeveralLaunches) {
  EXPECT_EQ(blockX("k<<<1, m ? 32 : 64>>>(0, nullptr);"), "32|64");
  EXPECT_EQ(blockX("k<<<1, m ? 32 : m > 4 ? 64 : 128>>>(0, nullptr);"), "32|64|128");
  EXPECT_EQ(blockX("k<<<1, m ? 32 : 32>>>(0, nullptr);"), "32");
  EXPECT_EQ(blockX("k<<<1, m ? dim3(32, 2) : dim3(8, 2)>>>(0, nullptr);"), "32|8");
  EXPECT_EQ(blockX("k<<<1, m ? 32 : m>>>(0, nullptr);"), "?");
  // A launch with 0 threads does not run.
  EXPECT_EQ(
      blockX("int t = 0; switch (m) { case 0: t = 32; break; case 1: t = 64; } k<<<1, t>>>(0, nullptr);"),
      "32|64");
  EXPECT_EQ(blockX("int t = 256; if (m) t = m; k<<<1, t>>>(0, nullptr);"), "?");
  // What is set together goes together, what is not may exclude each other.
  EXPECT_THAT(launches("void f(int m) { dim3 b(16, 16), g(m); if (m < 16) { b.x = 8; b.y = 4; g.x = 3; }\n"
                       "  k<<<g, b>>>(0, nullptr); }"),
              ElementsAre("k ? 16,16,1 0 0 -", "k 3,1,1 8,4,1 0 0 -"));
  EXPECT_EQ(
      blockX("int x = 16, y = 16; if (m < 16) x = 8; if (m > 3) y = 4; k<<<1, dim3(x, y)>>>(0, nullptr);"),
      "?");
  EXPECT_EQ(blockX("k<<<1, dim3(m ? 32 : 16, m ? 1 : 2)>>>(0, nullptr);"), "?");
  // In a loop, two values may be of different rounds.
  EXPECT_EQ(blockX("int t = 32; for (int i = 0; i < m; ++i) { k<<<1, t>>>(0, nullptr); t = 64; }"), "?");
  EXPECT_EQ(blockX("for (int i = 0; i < m; ++i) { int t = 32; if (i) t = 64; k<<<1, t>>>(0, nullptr); }"),
            "32|64");
}

TEST(Launches, ElementsOfConstantArrays) {
  EXPECT_EQ(
      blockX(
          "int s[] = {32, 64, 128}; for (int j = 0; j < 3; ++j) { int t = s[j]; k<<<1, t>>>(0, nullptr); }"),
      "32|64|128");
  EXPECT_EQ(blockX("for (int j = 0; j < 2; ++j) run(s[j]);",
                   "static const int s[] = {32, 64}; void run(int t) { k<<<1, t>>>(0, nullptr); }"),
            "32|64");
  EXPECT_EQ(blockX("int s[] = {32, 64, 128}; k<<<1, s[1]>>>(0, nullptr);"), "64");
  EXPECT_EQ(blockX("dim3 s[] = {dim3(8, 8), dim3(16, 2)}; k<<<1, s[m]>>>(0, nullptr);"), "8|16");
  EXPECT_EQ(blockX("int s[] = {32, m}; k<<<1, s[m]>>>(0, nullptr);"), "?");
  EXPECT_EQ(blockX("int s[] = {32, 64}; s[1] = m; k<<<1, s[m]>>>(0, nullptr);"), "?");
  EXPECT_EQ(blockX("int s[] = {32, 64}; set(s); k<<<1, s[m]>>>(0, nullptr);", "void set(int *);"), "?");
  EXPECT_EQ(blockX("k<<<1, s[m]>>>(0, nullptr);", "int s[] = {32, 64};"), "?");
  EXPECT_EQ(blockX("int s[4] = {32}; k<<<1, s[m]>>>(0, nullptr);"), "?");
  EXPECT_EQ(blockX("int s[] = {32, 64}; k<<<1, dim3(s[m], s[m + 1])>>>(0, nullptr);"), "?");
}

TEST(Launches, WhatIsReadLaterThanNamed) {
  EXPECT_EQ(blockX("int n = 64; const int &r = n; n = 32; k<<<1, r>>>(0, nullptr);"), "?");
  EXPECT_EQ(blockX("int n = 64; int c = n; n = 32; k<<<1, c>>>(0, nullptr);"), "64");
  EXPECT_EQ(blockX("int n = 64; auto f = [&] { k<<<1, n>>>(0, nullptr); }; n = 32; f();"), "?");
  EXPECT_EQ(blockX("int n = 64; set(n); k<<<1, n>>>(0, nullptr);", "void set(int &a) { a = 2; }"), "?");
  EXPECT_EQ(blockX("int n = 64; set(n); k<<<1, n>>>(0, nullptr);", "void set(int &a);"), "?");
  EXPECT_EQ(blockX("int n = 64; set(n); k<<<1, n>>>(0, nullptr);", "int *p; void set(int &a) { p = &a; }"),
            "?");
  EXPECT_EQ(blockX("int n = 64; look(n); k<<<1, n>>>(0, nullptr);", "int look(int &a) { return a; }"), "64");
  EXPECT_EQ(blockX("int n = 64; if (m > 1) n = 32; int c = n; n = 96; k<<<c, n>>>(0, nullptr);"), "96");
}

TEST(Launches, ThroughALaunchConfiguration) {
  const std::string Set = "void f() { cudaLaunchConfig_t c = {}; c.gridDim = 3; c.blockDim = dim3(48, 2);\n"
                          "  c.dynamicSmemBytes = 100; ";
  EXPECT_THAT(launches(Set + "cudaLaunchKernelEx(&c, k, 4, (const float *)nullptr); }"),
              ElementsAre("k 3,1,1 48,2,1 100 4 -"));
  EXPECT_THAT(launches(Set + "int n = 7; const float *p = nullptr; void *args[] = {&n, &p};\n"
                             "  cudaLaunchKernelExC(&c, (const void *)k, args); }"),
              ElementsAre("k 3,1,1 48,2,1 100 7 -"));
  EXPECT_THAT(launches("void f() { cudaLaunchConfig_t c{dim3(2), dim3(32, 4), 0, nullptr};\n"
                       "  cudaLaunchKernelEx(&c, k, 4, (const float *)nullptr); }"),
              ElementsAre("k 2,1,1 32,4,1 0 4 -"));
  EXPECT_THAT(
      launches("void fill(cudaLaunchConfig_t *); void f() { cudaLaunchConfig_t c = {};\n"
               "  c.blockDim = 32; fill(&c); cudaLaunchKernelEx(&c, k, 4, (const float *)nullptr); }"),
      ElementsAre("k ? ? ? 4 -"));
}

TEST(Launches, OfKernelsByKernels) {
  EXPECT_THAT(launches("__global__ void parent() { k<<<2, dim3(32, 2)>>>(5, nullptr); }"),
              ElementsAre("k 2,1,1 32,2,1 0 5 -"));
}

TEST(Launches, SayWhyABlockIsNotCertain) {
  EXPECT_EQ(reason("k<<<1, m>>>(0, nullptr);"), "'m' is a parameter of 'host', which nothing here calls");
  EXPECT_EQ(reason("int t; choose(&t); k<<<1, t>>>(0, nullptr);", "void choose(int *);"),
            "'t' is set by 'choose'");
  EXPECT_EQ(reason("int t = 64; if (m) t = get(); k<<<1, t>>>(0, nullptr);", "int get();"),
            "what 'get' returns is not known");
  EXPECT_EQ(reason("int t = 64; if (m) t += 32; k<<<1, t>>>(0, nullptr);"), "'t' is computed step by step");
  EXPECT_EQ(reason("k<<<1, get()>>>(0, nullptr);", "int get();"), "what 'get' returns is not known");
  EXPECT_EQ(reason("k<<<1, 2048>>>(0, nullptr);"), "no block can have that size");
  EXPECT_EQ(reason("k<<<1, 32>>>(0, nullptr);"), "certain");
}

TEST(Launches, LikelyBlocks) {
  EXPECT_EQ(likely("k<<<1, std::min(m, 512)>>>(0, nullptr);"), "512,1,1");
  EXPECT_EQ(likely("int t = 128; if (m) t = get(); k<<<1, dim3(t, 2)>>>(0, nullptr);", "int get();"),
            "128,2,1");
  EXPECT_EQ(likely("k<<<1, N>>>(0, nullptr);", "int N = 96;"), "96,1,1");
  EXPECT_EQ(likely("k<<<1, m>>>(0, nullptr);"), "?");
  EXPECT_EQ(likely("int t = 0; if (m) t = get(); k<<<1, t>>>(0, nullptr);", "int get();"), "?");
  EXPECT_EQ(likely("k<<<1, 32>>>(0, nullptr);"), "certain");
}

TEST(Launches, KernelsBehindPointers) {
  EXPECT_THAT(launches("void f() { auto *p = k; p<<<1, 32>>>(1, nullptr); }"),
              ElementsAre("k 1,1,1 32,1,1 0 1 -"));
  // Whatever the pointer may hold is launched this way at some time.
  EXPECT_THAT(launches("void f(int m) { auto *p = k; if (m) p = nullptr; p<<<1, 32>>>(1, nullptr); }"),
              ElementsAre("k 1,1,1 32,1,1 0 1 -"));
  EXPECT_THAT(launches("__global__ void other(int, const float *) {}\n"
                       "void f(int m) { void (*p)(int, const float *); switch (m) { case 0: p = &k; break;\n"
                       "  case 1: p = &other; break; default: return; } p<<<1, 32>>>(m, nullptr); }"),
              ElementsAre("k 1,1,1 32,1,1 0 - -", "other 1,1,1 32,1,1 0 - -"));
  EXPECT_THAT(launches("void f(void (*p)(int, const float *)) { p<<<1, 32>>>(1, nullptr); }"), ElementsAre());
  EXPECT_THAT(launches("void f() { int n = 9; const float *p = nullptr; void *args[] = {&n, &p};\n"
                       "  cudaLaunchKernel((void *)k, dim3(2), dim3(32, 2), args, 64, 0); }"),
              ElementsAre("k 2,1,1 32,2,1 64 9 -"));
  EXPECT_THAT(launches("void change(void **); void f() { int n = 9; void *args[] = {&n, &n}; change(args);\n"
                       "  cudaLaunchKernel((void *)k, dim3(2), dim3(32, 2), args, 64, 0); }"),
              ElementsAre("k 2,1,1 32,2,1 64 - -"));
}

TEST(Launches, PlaceAndOrder) {
  test::withDeviceUnit("__global__ void a() {}\n"
                       "void f() {\n"
                       "  a<<<1, 2>>>();\n"
                       "}\n"
                       "#define RUN(n) a<<<n, 3>>>()\n"
                       "void g() { RUN(1); }\n",
                       [](test::DeviceUnit &Unit) {
                         const auto Launches = findLaunches(Unit.ast);
                         ASSERT_EQ(Launches.size(), 2u);
                         EXPECT_EQ(Launches[0].place.file, "/src/test.cu");
                         EXPECT_EQ(Launches[0].place.line, 3u);
                         EXPECT_EQ(Launches[0].place.column, 3u);
                         EXPECT_EQ(Launches[0].place.endColumn, 16u);
                         EXPECT_EQ(Launches[1].place.line, 6u);
                         EXPECT_EQ(Launches[1].place.column, 12u);
                       });
}

} // namespace
} // namespace warplint::kernel
