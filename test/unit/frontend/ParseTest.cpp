//===-- ParseTest.cpp - Kernels of sound, odd and broken sources ----------===//
#include "Parsed.h"
#include "Scratch.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Verifier.h"
#include "gmock/gmock.h"
#include <sys/stat.h>

using namespace warplint;
using namespace warplint::frontend;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

/// With the built-in declarations, and with the toolkit where there is one.
class Parse : public testing::TestWithParam<bool> {
protected:
  void SetUp() override {
    if (GetParam() && !haveToolkit())
      GTEST_SKIP() << "no CUDA toolkit";
  }
  std::vector<std::string> kernels(llvm::StringRef Text, ParseOutcome *Outcome = nullptr) {
    return kernelsOf(Text, GetParam(), Outcome);
  }
};

std::vector<std::string> messages(const ParseOutcome &Outcome) {
  std::vector<std::string> Result;
  for (const result::Error &Each : Outcome.errors)
    Result.push_back(std::to_string(Each.place.line) + ": " + Each.message);
  return Result;
}

std::string leftOut(unsigned Line, const std::string &Kernel) {
  return std::to_string(Line) + ": kernel '" + Kernel +
         "' is not analysed because of the errors in it or in what it uses";
}

} // namespace

INSTANTIATE_TEST_SUITE_P(BuiltinAndToolkit, Parse, testing::Bool(),
                         [](const auto &Info) { return Info.param ? "Toolkit" : "Builtin"; });

TEST_P(Parse, KindsOfKernels) {
  EXPECT_THAT(kernels(R"cuda(
    __global__ void plain(float *a) { a[threadIdx.x] = 0; }
    extern "C" __global__ void c(float *a) { a[threadIdx.x] = 0; }
    static __global__ void internal(float *a) { a[threadIdx.x] = 0; }
    namespace { __global__ void unnamed(float *a) { a[threadIdx.x] = 0; } }
    namespace outer { namespace inner { template <int N> __global__ void t(float *a) { a[threadIdx.x * N] = 0; } } }
    template <class T> __global__ void launched(T *a) { a[threadIdx.x] = T(); }
    template <class T> __global__ void neverLaunched(T *a) { a[threadIdx.x] = T(); }
    template <class T> __global__ void explicitly(T *a) { a[threadIdx.x] = T(); }
    template __global__ void explicitly<double>(double *);
    template <> __global__ void explicitly<char>(char *a) { *a = 0; }
    __global__ void declaredOnly(float *);
    void host(float *a, int *b) {
      outer::inner::t<4><<<1, 32>>>(a);
      launched<float><<<1, 32>>>(a);
      launched<<<1, 32>>>(b);
    })cuda"),
              ElementsAre("plain", "c", "internal", "(anonymous namespace)::unnamed", "outer::inner::t",
                          "launched", "launched", "explicitly", "explicitly"));
}

TEST_P(Parse, BodiesOfHelpersAreThere) {
  std::vector<std::string> Callees;
  ParseOutcome Outcome = parseText(R"cuda(
    constexpr int twice(int x) { return 2 * x; }
    template <class T> struct View {
      T *p;
      __device__ View(T *q) : p(q) {}
      __device__ T &operator[](int i) const { return p[i]; }
      __device__ T *at(int i) const;
    };
    template <class T> __device__ T *View<T>::at(int i) const { return p + i; }
    struct Base { __device__ static int lane() { return threadIdx.x & 31; } };
    __device__ int recursive(int n) { return n ? recursive(n - 1) : Base::lane(); }
    template <class F> __global__ void apply(F f, float *a) { f(a, recursive(2)); }
    template <class F> __device__ void each(F f) { f(1); }
    __device__ __forceinline__ float &ref(float *a, int i) { return a[i]; }
    __global__ void all(float *a) {
      View<float> v(a);
      v[twice(threadIdx.x)] = *v.at(3);
      each([=](int i) { ref(a, i) = 1; });
      struct Local { __device__ int f() { return 1; } } l;
      a[l.f()] = 2;
    }
    void host(float *a) {
      apply<<<1, 32>>>([] __device__(float *p, int i) { p[i] = 1; }, a);
      apply<<<1, 32>>>([] __device__(auto *p, auto i) { p[i] = 2; }, a);
    })cuda",
                                   [&](Unit &U) {
                                     EXPECT_THAT(U.kernels, SizeIs(3));
                                     for (const llvm::Function &Each : U.module)
                                       if (Each.isDeclaration() && !Each.isIntrinsic())
                                         Callees.push_back(Each.getName().str());
                                     EXPECT_FALSE(llvm::verifyModule(U.module, &llvm::errs()));
                                   },
                                   GetParam());
  EXPECT_THAT(messages(Outcome), IsEmpty());
  EXPECT_THAT(Callees, IsEmpty());
}

TEST_P(Parse, BrokenCodeKeepsSoundKernels) {
  ParseOutcome Outcome;
  EXPECT_THAT(kernels(R"cuda(#include "not_there.h"
struct Bad { Unknown a; float b; };
struct Holder { Bad inner[2]; int n; };
struct Mixed {
  float *p;
  __device__ float good(int i) const { return p[i]; }
  __device__ float bad(int i) const { return p[undeclared + i]; }
};
__global__ void sound(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] *= 2; }
__global__ void hole(float *a) { a[threadIdx.x] = nothing(a); }
__global__ void syntax(float *a) { a[threadIdx.x] = 1 a[0] = 2; }
__global__ void wrongLayout(Bad *a, float *o) { o[threadIdx.x] = a[threadIdx.x].b; }
__global__ void wrongLayoutInside(Holder *a, int *o) { o[threadIdx.x] = a[threadIdx.x].n; }
__global__ void unknownParameter(Nowhere *a) {}
__global__ void goodMember(Mixed m, float *o) { o[threadIdx.x] = m.good(threadIdx.x); }
__global__ void badMember(Mixed m, float *o) { o[threadIdx.x] = m.bad(threadIdx.x); }
template <class T> __global__ void member(T *a) { a[threadIdx.x].x = 1; }
template <class T> __global__ void neverSound(T *a) { a[threadIdx.x] = gone; }
void host(float *a, float3 *v) {
  member<<<1, 32>>>(v);
  member<<<1, 32>>>(a);
  neverSound<<<1, 32>>>(a);
  sound<<<nowhere, 32>>>(a, 2);
}
__global__ void last(float *a) { a[threadIdx.x] = 0; }
)cuda",
                      &Outcome),
              ElementsAre("sound", "goodMember", "badMember", "member", "last"));
  EXPECT_THAT(messages(Outcome),
              testing::UnorderedElementsAre(
                  "1: 'not_there.h' file not found", "2: unknown type name 'Unknown'",
                  "7: use of undeclared identifier 'undeclared'",
                  "10: use of undeclared identifier 'nothing'", "11: expected ';' after expression",
                  "14: unknown type name 'Nowhere'", "18: use of undeclared identifier 'gone'",
                  "17: member reference base type 'float' is not a structure or union",
                  "23: use of undeclared identifier 'nowhere'", leftOut(10, "hole"), leftOut(11, "syntax"),
                  leftOut(12, "wrongLayout"), leftOut(13, "wrongLayoutInside"),
                  leftOut(14, "unknownParameter"), leftOut(17, "member<float>"), leftOut(18, "neverSound")));
  EXPECT_EQ(messages(Outcome).front(), "1: 'not_there.h' file not found");
  for (const result::Error &Each : Outcome.errors) {
    EXPECT_EQ(Each.place.file, TestFile);
    EXPECT_NE(Each.place.column, 0u);
  }
}

TEST_P(Parse, BodiesOfBrokenHelpersAreNotInvented) {
  parseText(
      R"cuda(
    __device__ float helper(float x) { return x + lost; }
    struct S { __device__ float method(float x) { return x + lost; } };
    __global__ void k(float *a) { S s; *a = helper(*a) + s.method(*a); })cuda",
      [](Unit &U) {
        ASSERT_THAT(U.kernels, SizeIs(1));
        for (llvm::Function &Each : U.module)
          if (Each.getName().contains("helper") || Each.getName().contains("method"))
            EXPECT_TRUE(Each.isDeclaration()) << Each.getName().str();
        // The tree itself is as it was parsed.
        for (clang::Decl *D : U.ast.getTranslationUnitDecl()->decls())
          if (auto *Function = llvm::dyn_cast<clang::FunctionDecl>(D))
            if (Function->getNameAsString() == "helper")
              EXPECT_TRUE(Function->hasBody());
      },
      GetParam());
}

TEST_P(Parse, ErrorsThatLoseNothing) {
  ParseOutcome Outcome;
  EXPECT_THAT(
      kernels("__global__ void k(float *a) { static_assert(sizeof(*a) == 8, \"no\"); a[threadIdx.x] = 0; }",
              &Outcome),
      ElementsAre("k"));
  EXPECT_THAT(Outcome.errors, SizeIs(1));
}

/// No table of virtual functions can be made of a class that overrides one with another type.
TEST_P(Parse, VirtualFunctionsThatDoNotOverride) {
  const std::string Classes = R"(
struct Shape { __device__ virtual float area() const = 0; };
struct Square : Shape { __device__ double area() const override { return 2; } };
struct Circle : Shape { __device__ float area() const override { return 3; } };
)";
  ParseOutcome Outcome;
  EXPECT_THAT(kernels(Classes + "__global__ void square(float *a) { Square s; a[threadIdx.x] = s.area(); }\n"
                                "__global__ void circle(float *a) { Circle c; a[threadIdx.x] = c.area(); }\n",
                      &Outcome),
              ElementsAre("circle"));
  EXPECT_THAT(Outcome.errors, SizeIs(2));
}

TEST(ParseErrors, NoWarningsAndNoMoreThanTheLimit) {
  ParseOutcome Outcome;
  std::string Text = "__global__ void ok(float *a) { int unused; a[threadIdx.x] = 0; }\n";
  for (unsigned I = 0; I < 300; ++I)
    Text += "int v" + std::to_string(I) + " = missing" + std::to_string(I) + ";\n";
  EXPECT_THAT(kernelsOf(Text, false, &Outcome), ElementsAre("ok"));
  ASSERT_THAT(Outcome.errors, SizeIs(101));
  EXPECT_THAT(Outcome.errors.back().message, HasSubstr("200 more"));
}

TEST(ParseErrors, OneMessageForManyPlaces) {
  ParseOutcome Outcome;
  std::string Text = "__global__ void ok(float *a) { a[threadIdx.x] = 0; }\nvoid f(Other *);\n";
  for (unsigned I = 0; I < 300; ++I)
    Text += "void f" + std::to_string(I) + "(Thing *);\n";
  Text += "void g(Other *);\n#include \"thing.h\"\n";
  EXPECT_THAT(kernelsOf(Text, false, &Outcome), ElementsAre("ok"));
  EXPECT_THAT(messages(Outcome),
              ElementsAre("304: 'thing.h' file not found", "2: unknown type name 'Other' (and 1 more place)",
                          "3: unknown type name 'Thing' (and 299 more places)"));
}

TEST(ParseErrors, TemplatesThatCannotBeBuilt) {
  ParseOutcome Outcome;
  EXPECT_THAT(kernelsOf(R"cuda(template <class T> __global__ void all(T *a) { a->x = 1; }
template <class T> __global__ void some(T *a) { a[threadIdx.x].x = 1; }
template <class T> __global__ void text(T *a) { a[threadIdx.x] = lost; }
template <class T> __global__ void never(T *a) { a[threadIdx.x] = lost; }
template <class T> __global__ void asked(T *a) { a->x = 1; }
using Type = decltype(&asked<int>);
void host(float *a, int *b, float3 *v) {
  all<<<1, 32>>>(a); all<<<1, 32>>>(b);
  some<<<1, 32>>>(a); some<<<1, 32>>>(v);
  text<<<1, 32>>>(a);
})cuda",
                        false, &Outcome),
              ElementsAre("some"));
  std::vector<std::string> Kernels;
  for (const std::string &Each : messages(Outcome))
    if (Each.find("kernel '") != std::string::npos)
      Kernels.push_back(Each);
  EXPECT_THAT(Kernels, ElementsAre(leftOut(1, "all"), leftOut(2, "some<float>"), leftOut(3, "text")));
}

TEST_P(Parse, EditorsText) {
  ParseOutcome Outcome;
  const char *Sound = "__global__ void sound(float *a) { a[threadIdx.x] = 0; }\n";
  EXPECT_THAT(kernels(std::string(Sound) + "#if 1\n__global__ void open(float *a) { a[0] = 1;\n", &Outcome),
              ElementsAre("sound"));
  EXPECT_THAT(messages(Outcome), testing::Contains(HasSubstr("unterminated conditional")));
  EXPECT_THAT(kernels(std::string("__global__ void merged(float *a) {\n<<<<<<< HEAD\n  a[0] = 1;\n=======\n"
                                  "  a[1] = 1;\n>>>>>>> theirs\n}\n") +
                          Sound,
                      &Outcome),
              ElementsAre("sound"));
  EXPECT_THAT(messages(Outcome), testing::Contains(HasSubstr("version control conflict marker")));
}

TEST(ParseErrors, OncePerPlace) {
  ParseOutcome Outcome;
  kernelsOf("template <class T> void f() { T::x(); }\nvoid g() { f<int>(); f<float>(); f<int>(); bad(); }",
            false, &Outcome);
  EXPECT_THAT(messages(Outcome),
              testing::UnorderedElementsAre("2: use of undeclared identifier 'bad'",
                                            HasSubstr("1: type 'int'"), HasSubstr("1: type 'float'")));
}

TEST_P(Parse, CodeIsAsTheFrontEndEmitsIt) {
  parseText(
      "__global__ void k(float *in, float *out, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  out[i] = in[i * n];\n"
      "}\n",
      [](Unit &U) {
        ASSERT_THAT(U.kernels, SizeIs(1));
        llvm::Function &Kernel = *U.kernels[0].first;
        EXPECT_EQ(Kernel.getName(), "_Z1kPfS_i");
        EXPECT_FALSE(Kernel.hasOptNone());
        EXPECT_EQ(Kernel.getArg(0)->getName(), "in");
        bool Seen = false;
        for (llvm::BasicBlock &Block : Kernel)
          for (llvm::Instruction &Each : Block)
            if (auto *Load = llvm::dyn_cast<llvm::LoadInst>(&Each); Load && Load->getType()->isFloatTy()) {
              ASSERT_TRUE(Load->getDebugLoc());
              EXPECT_EQ(Load->getDebugLoc().getLine(), 3u);
              EXPECT_EQ(Load->getDebugLoc().getCol(), 12u);
              EXPECT_EQ(Load->getDebugLoc()->getFilename(), TestFile);
              Seen = true;
            }
        EXPECT_TRUE(Seen);
      },
      GetParam());
}

TEST(ParseFiles, OverlayReplacesDisk) {
  Scratch Dir;
  std::string Header = Dir.write("tile.h", "#define EDGE 32\n");
  std::string File =
      Dir.write("k.cu", "#include \"tile.h\"\n__global__ void onDisk(float *a) { a[EDGE] = 0; }\n");
  auto Kernels = [&](const Options &Opts) {
    std::string Result;
    Command Cmd = llvm::cantFail(commandFor(File, Opts));
    EXPECT_THAT(parse(Cmd, Opts,
                      [&](Unit &U) {
                        for (auto &[Function, Source] : U.kernels)
                          Result += Source->getNameAsString() + " ";
                      })
                    .errors,
                IsEmpty());
    return Result;
  };
  Options Opts;
  Opts.noCuda = true;
  EXPECT_EQ(Kernels(Opts), "onDisk ");
  Opts.overlay[File] = "#include \"tile.h\"\n__global__ void edited(float *a) { a[MORE] = 0; }\n";
  Opts.overlay[Header] = "#define EDGE 33\n#define MORE 1\n";
  EXPECT_EQ(Kernels(Opts), "edited ");
}

TEST(ParseFiles, RelativeIncludesFollowTheCommand) {
  Scratch Dir;
  Dir.write("inc/shape.h", "__device__ inline int at(int i) { return 2 * i; }\n");
  std::string File =
      Dir.write("src/k.cu", "#include \"shape.h\"\n__global__ void k(float *a) { a[at(1)] = 0; }\n");
  Dir.write("compile_commands.json", "[{\"directory\": \"" + Dir.path("src") +
                                         "\", \"file\": \"k.cu\", \"command\": \"nvcc -I../inc -c k.cu\"}]");
  Options Opts;
  Opts.noCuda = true;
  Command Cmd = llvm::cantFail(commandFor(File, Opts));
  ParseOutcome Outcome = parse(Cmd, Opts, [&](Unit &U) {
    ASSERT_THAT(U.kernels, SizeIs(1));
    for (const llvm::Function &Each : U.module)
      if (Each.getName().contains("at"))
        if (const llvm::DISubprogram *Program = Each.getSubprogram()) {
          llvm::SmallString<128> Name(Program->getFilename());
          llvm::sys::path::make_absolute(Program->getDirectory(), Name);
          EXPECT_TRUE(llvm::sys::fs::exists(Name)) << Name.str().str();
        }
  });
  EXPECT_THAT(messages(Outcome), IsEmpty());
}

TEST(ParseFiles, NothingIsWritten) {
  Scratch Dir;
  std::string File = Dir.write("k.cu", "__global__ void k() {}\n");
  Options Opts;
  Opts.noCuda = true;
  Opts.hasFixedFlags = true;
  Opts.fixedFlags = {"-o",
                     Dir.path("o.o"),
                     "-MD",
                     "-MF",
                     Dir.path("d.d"),
                     "--serialize-diagnostics",
                     Dir.path("s.dia"),
                     "-save-temps",
                     "-ftime-trace",
                     "-fplugin=/nowhere/plugin.so"};
  ParseOutcome Outcome = parse(llvm::cantFail(commandFor(File, Opts)), Opts, [](Unit &) {});
  EXPECT_TRUE(Outcome.parsed);
  EXPECT_THAT(messages(Outcome), IsEmpty());
  std::error_code Problem;
  unsigned Files = 0;
  for (llvm::sys::fs::directory_iterator I(Dir.folder(), Problem), E; I != E; I.increment(Problem))
    ++Files;
  EXPECT_EQ(Files, 1u);
}

TEST_P(Parse, TypesAndConstantsThatGotLost) {
  ParseOutcome Outcome;
  EXPECT_THAT(kernels(R"cuda(
    typedef Unknown real;
    struct A { float a; int b[UNDEFINED]; };
    struct B { float a; MACRO(int) b; float c; };
    struct C : Unknown { float x; };
    template <class T> struct D { T a; Unknown b; };
    struct Ok { float x, y; };
    struct Node { Node *next; float v; };
    enum { E = UNDEFINED };
    constexpr int F = UNDEFINED + 4;
    __global__ void k1(real *a) { a[threadIdx.x] = 0; }
    __global__ void k2(A *a) { a[threadIdx.x].a = 0; }
    __global__ void k3(B *a) { a[threadIdx.x].c = 0; }
    __global__ void k4(C *a) { a[threadIdx.x].x = 0; }
    __global__ void k5(D<float> *a) { a[threadIdx.x].a = 0; }
    __global__ void k6(float *a) { __shared__ float t[UNDEFINED][33]; a[threadIdx.x] = t[0][threadIdx.x]; }
    __global__ void k7(float *a) { a[threadIdx.x * E] = 0; }
    __global__ void k8(void *a) { ((real *)a)[threadIdx.x] = 0; }
    __global__ void k9(char *a) { a[threadIdx.x * sizeof(A)] = 0; }
    __global__ void k10(char *a) { a[threadIdx.x * F] = 0; }
    __global__ void ok1(Ok *a, Node *n) { a[threadIdx.x].x = n->v; }
    __global__ void ok2(char *a) { a[threadIdx.x * sizeof(Ok)] = 0; })cuda",
                      &Outcome),
              ElementsAre("ok1", "ok2"));
}

TEST_P(Parse, UnfinishedText) {
  ParseOutcome Outcome;
  EXPECT_THAT(
      kernels("__global__ void a(float *x) { x[threadIdx.x] = 1; }\n__global__ void b(float *x) { x[thr",
              &Outcome),
      ElementsAre("a"));
  EXPECT_THAT(kernels("", &Outcome), IsEmpty());
}

TEST(ParseLimits, DeepNesting) {
  ParseOutcome Outcome;
  std::string Deep = "__global__ void deep(int *x) { x[0] = " + std::string(5000, '(') + "1" +
                     std::string(5000, ')') + "; }\n";
  kernelsOf(Deep, false, &Outcome);
  ASSERT_FALSE(Outcome.errors.empty());
  EXPECT_THAT(Outcome.errors[0].message, HasSubstr("bracket nesting"));
  std::string Long = "__global__ void sum(int *x) { x[0] = 0";
  for (unsigned I = 0; I < 5000; ++I)
    Long += " + x[" + std::to_string(I) + "]";
  EXPECT_THAT(kernelsOf(Long + "; }"), ElementsAre("sum"));
}

TEST(ParseLimits, WhatEndsAFileEndsNoRun) {
#if LLVM_ADDRESS_SANITIZER_BUILD
  GTEST_SKIP() << "the sanitizer reports crashes itself";
#endif
  auto Outcome = [](llvm::StringRef Text) {
    ParseOutcome Result = parseText(Text);
    EXPECT_FALSE(Result.parsed);
    EXPECT_THAT(Result.errors, SizeIs(1));
    EXPECT_EQ(Result.errors.front().place.file, TestFile);
    return Result.errors.front().message;
  };
  EXPECT_THAT(Outcome("#pragma clang __debug crash\n"), HasSubstr("crashed"));
  EXPECT_THAT(Outcome("#pragma clang __debug parser_crash\n"), HasSubstr("crashed"));
  EXPECT_THAT(Outcome("#pragma clang __debug llvm_fatal_error\n"), HasSubstr("Clang gave up"));
  EXPECT_THAT(Outcome("int deep = " + std::string(600'000, '!') + "1;\n"), HasSubstr("very deep nesting"));
  EXPECT_THAT(kernelsOf("__global__ void after(int *a) { *a = 1; }"), ElementsAre("after"));
}

/// A second for each.
TEST(ParseLimits, Time) {
#if LLVM_ADDRESS_SANITIZER_BUILD
  GTEST_SKIP() << "no way out of a parse without crash recovery";
#endif
  std::string Macros = "#define M0 n = n;\n";
  for (unsigned I = 1; I < 40; ++I)
    Macros +=
        "#define M" + std::to_string(I) + " M" + std::to_string(I - 1) + " M" + std::to_string(I - 1) + "\n";
  for (const std::string &Text :
       {std::string(
            "template <int N, unsigned long M> struct X { X<N - 1, 2 * M> a; X<N - 1, 2 * M + 1> b; };\n"
            "template <unsigned long M> struct X<0, M> {};\nX<40, 1> x;\n"),
        Macros + "void f(int n) { M39 }\n"}) {
    ParseOutcome Outcome = parseText(
        Text, [](Unit &) {}, false, {}, /*TimeLimit=*/1);
    EXPECT_FALSE(Outcome.parsed);
    ASSERT_THAT(Outcome.errors, SizeIs(1));
    EXPECT_THAT(Outcome.errors[0].message, HasSubstr("time limit of 1 s; --file-time-limit"));
  }
}

TEST(ParseLimits, FilesThatAreNotRead) {
  Scratch Dir;
  Dir.write("big.h", std::string(1'000'001, ' '));
  Dir.write("small.h", "#define SMALL 1\n");
  ASSERT_EQ(mkfifo(Dir.path("pipe.h").c_str(), 0600), 0);
  std::string File = Dir.write("k.cu", "#include \"small.h\"\n#include \"big.h\"\n#include \"pipe.h\"\n"
                                       "#include \"/dev/zero\"\n"
                                       "__global__ void k(float *a) { a[SMALL] = 0; }\n");
  Options Opts;
  Opts.noCuda = true;
  Opts.sizeLimitBytes = 1'000'000;
  unsigned Kernels = 0;
  ParseOutcome Outcome = parse(llvm::cantFail(commandFor(File, Opts)), Opts,
                               [&](Unit &U) { Kernels = unsigned(U.kernels.size()); });
  EXPECT_EQ(Kernels, 1u);
  std::string All;
  for (const result::Error &Each : Outcome.errors)
    All += Each.place.file + ": " + Each.message + "\n";
  EXPECT_THAT(
      All,
      HasSubstr("big.h: this file is not read: it has 1000001 bytes, and the limit of one file is 1000000"));
  EXPECT_THAT(All, HasSubstr("pipe.h: this file is not read: it is not a regular file"));
  EXPECT_THAT(All, HasSubstr("/dev/zero: this file is not read: it is not a regular file"));
  EXPECT_THAT(All, testing::Not(HasSubstr("small.h")));
}

TEST(ParseLimits, ACrashCostsTheFileAlone) {
#if LLVM_ADDRESS_SANITIZER_BUILD
  GTEST_SKIP() << "the sanitizer reports crashes itself";
#endif
  ParseOutcome Crashed = parseText("__global__ void k() {}", [](Unit &) { __builtin_trap(); });
  EXPECT_FALSE(Crashed.parsed);
  ASSERT_THAT(Crashed.errors, SizeIs(1));
  EXPECT_THAT(Crashed.errors[0].message, HasSubstr("crashed"));
  EXPECT_THAT(kernelsOf("__global__ void k() {}"), ElementsAre("k"));
}

TEST_P(Parse, BrokenLambdasAndLocalClassesHaveNoBody) {
  parseText(
      R"cuda(
    template <class F> __global__ void apply(F f, float *a) { f(a, threadIdx.x); }
    template <class F> void run(F f, float *a) {
      apply<<<1, 32>>>(f, a);
      apply<<<1, 32>>>([=] __device__(float *p, int i) { p[i] = undefined1; }, a);
    }
    void host(float *a) {
      apply<<<1, 32>>>([=] __device__(float *p, int i) { p[i] = 2; }, a);
      apply<<<1, 32>>>([=] __device__(float *p, int i) { p[i] = undefined2; }, a);
      apply<<<1, 32>>>([=] __device__(auto *p, auto i) { p[i] = undefined3; }, a);
      struct Local { __device__ void operator()(float *p, int i) { p[i] = undefined4; } } local;
      apply<<<1, 32>>>(local, a);
      run([=] __device__(float *p, int i) { p[i] = 4; }, a);
    })cuda",
      [](Unit &U) {
        EXPECT_THAT(U.kernels, SizeIs(6));
        unsigned With = 0, Without = 0;
        for (auto &[Function, Source] : U.kernels)
          for (llvm::BasicBlock &Block : *Function)
            for (llvm::Instruction &Each : Block)
              if (auto *Call = llvm::dyn_cast<llvm::CallBase>(&Each))
                if (llvm::Function *Callee = Call->getCalledFunction();
                    Callee && llvm::StringRef(Callee->getName()).contains("cl"))
                  ++(Callee->isDeclaration() ? Without : With);
        EXPECT_EQ(With, 2u);
        EXPECT_EQ(Without, 4u);
      },
      GetParam());
}
