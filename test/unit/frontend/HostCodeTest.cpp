//===-- HostCodeTest.cpp - The host side of a program, compiled -----------===//
#include "Parsed.h"
#include "analyzer/frontend/HostCode.h"
#include "llvm/Object/ObjectFile.h"
#include "gmock/gmock.h"
#include <set>

using namespace warplint;
using namespace warplint::frontend;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

/// With the built-in declarations, and with the toolkit where there is one.
class CompileHost : public testing::TestWithParam<bool> {
protected:
  void SetUp() override {
    if (GetParam() && !haveToolkit())
      GTEST_SKIP() << "no CUDA toolkit";
  }

  HostCode compile(llvm::StringRef Text, HostOptions How = {"the-unit", {}}, std::string File = TestFile) {
    Options Opts;
    Opts.noCuda = !GetParam();
    Opts.hasFixedFlags = true;
    Opts.overlay[File] = Text.str();
    llvm::Expected<Command> Cmd = isPlainCxxName(File) ? plainCommandFor(File, Opts) : commandFor(File, Opts);
    if (!Cmd) {
      ADD_FAILURE() << llvm::toString(Cmd.takeError());
      return {};
    }
    return compileHost(*Cmd, Opts, How);
  }

  /// Every symbol of the object file; what it defines and what it wants.
  static std::set<std::string> symbols(const HostCode &Code) {
    std::set<std::string> Names;
    auto Object = llvm::object::ObjectFile::createObjectFile(
        llvm::MemoryBufferRef(llvm::StringRef(Code.object.data(), Code.object.size()), "object"));
    if (!Object) {
      ADD_FAILURE() << llvm::toString(Object.takeError());
      return Names;
    }
    for (const llvm::object::SymbolRef &Each : (*Object)->symbols())
      if (llvm::Expected<llvm::StringRef> Name = Each.getName())
        Names.insert(Name->str());
    return Names;
  }
  static std::string contents(const HostCode &Code) { return {Code.object.begin(), Code.object.end()}; }
  static std::vector<std::string> messages(const HostCode &Code) {
    std::vector<std::string> Result;
    for (const result::Error &Each : Code.errors)
      Result.push_back(std::to_string(Each.place.line) + ": " + Each.message);
    return Result;
  }
};

TEST_P(CompileHost, RegistersKernelsUnderTheId) {
  HostCode Code = compile("__global__ void k(int *p) { *p = 1; }\n"
                          "int main() { k<<<1, 32>>>(nullptr); return max(0, -1); }\n");
  EXPECT_THAT(messages(Code), IsEmpty());
  EXPECT_THAT(symbols(Code), Contains("main"));
  EXPECT_THAT(symbols(Code), Contains("cudaLaunchKernel"));
  EXPECT_THAT(symbols(Code), Contains("__cudaRegisterFunction"));
  EXPECT_THAT(contents(Code), HasSubstr(std::string("the-unit\0", 9))); // the zero ends it
}

TEST_P(CompileHost, RegistersNothingWithoutAnId) {
  HostCode Code = compile("int main() { return 0; }\n", HostOptions());
  EXPECT_THAT(symbols(Code), Contains("main"));
  EXPECT_THAT(symbols(Code), Not(Contains("__cudaRegisterFatBinary")));
}

TEST_P(CompileHost, BracedExtentsAreConstructed) {
  // As an operand in brackets the first number would be lost.
  HostCode Code = compile("__global__ void k();\n"
                          "constexpr int one(dim3 d) { return d.x == 8 && d.y == 4 ? 1 : 0; }\n"
                          "void launch() { k<<<{8, 4}, {16, 2}, {0}>>>(); }\n");
  EXPECT_THAT(messages(Code), IsEmpty());
  const std::string Machine = contents(Code);
  // dim3(8, 4) and dim3(16, 2) as the two words that are passed.
  EXPECT_THAT(Machine, HasSubstr(std::string("\x08\0\0\0\x04\0\0\0", 8)));
  EXPECT_THAT(Machine, HasSubstr(std::string("\x10\0\0\0\x02\0\0\0", 8)));
}

TEST_P(CompileHost, ErrorsAreClangsAndNoObjectIsMade) {
  HostCode Code = compile("int main() {\n  return undeclared;\n}\n");
  EXPECT_FALSE(Code.compiled());
  EXPECT_THAT(messages(Code), Contains("2: use of undeclared identifier 'undeclared'"));
}

TEST_P(CompileHost, OldNamesAreSupplied) {
  HostCode Code = compile("void wait() { cudaThreadSynchronize(); }\n");
  EXPECT_THAT(messages(Code), IsEmpty());
  EXPECT_TRUE(Code.compiled());
}

TEST_P(CompileHost, SharedObjectsWithConstructors) {
  HostCode Code = compile("struct S { __device__ S() {} int x; };\n"
                          "__global__ void k(int *p) { __shared__ S s; s.x = 1; *p = s.x; }\n");
  EXPECT_THAT(messages(Code), IsEmpty());
}

TEST_P(CompileHost, IncludesWhatIsGiven) {
  HostOptions How{"u", {{"/__warplint/extra.h", "extern \"C\" int extra(dim3 d) { return d.x; }\n"}}};
  EXPECT_THAT(symbols(compile("", How)), Contains("extra"));
}

TEST_P(CompileHost, PlainFilesAreNoCuda) {
  HostOptions How;
  if (!GetParam()) // as tools do it that give them the built-in declarations
    How.headers.push_back({"/__warplint/plain.h", "#undef __CUDACC__\n"});
  HostCode Code = compile("#include <cuda_runtime.h>\n#ifdef __CUDACC__\n#error CUDA\n#endif\n"
                          "extern \"C\" int use(float **p) { return cudaMalloc((void **)p, 4); }\n",
                          How, "/warplint-test/p.cpp");
  EXPECT_THAT(messages(Code), IsEmpty());
  EXPECT_THAT(symbols(Code), Contains("cudaMalloc"));
  EXPECT_FALSE(isPlainCxxName("k.cu"));
}

INSTANTIATE_TEST_SUITE_P(Headers, CompileHost, testing::Bool(),
                         [](const auto &Info) { return Info.param ? "Toolkit" : "Builtin"; });

} // namespace
