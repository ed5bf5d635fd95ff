//===-- CommandTest.cpp - Databases, defaults, toolkits and their errors --===//
#include "Scratch.h"
#include "analyzer/frontend/Frontend.h"
#include "analyzer/frontend/Toolkit.h"
#include "llvm/ADT/StringExtras.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace warplint::frontend;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

std::string errorOf(llvm::Expected<Command> Result) {
  return Result ? "no error" : llvm::toString(Result.takeError());
}
std::string errorOf(llvm::Expected<std::vector<std::string>> Result) {
  return Result ? "no error" : llvm::toString(Result.takeError());
}

Options withoutToolkit() {
  Options Opts;
  Opts.noCuda = true;
  return Opts;
}

std::string entry(llvm::StringRef Folder, llvm::StringRef Command, llvm::StringRef File) {
  return ("{\"directory\": \"" + Folder + "\", \"command\": \"" + Command + "\", \"file\": \"" + File + "\"}")
      .str();
}

} // namespace

TEST(Command, DefaultsWithoutDatabase) {
  Scratch Dir;
  std::string File = Dir.write("k.cu", "");
  llvm::Expected<Command> Result = commandFor(File, withoutToolkit());
  ASSERT_TRUE(static_cast<bool>(Result)) << errorOf(std::move(Result));
  EXPECT_EQ(Result->file, File);
  EXPECT_EQ(Result->arch, "sm_80");
  EXPECT_EQ(Result->toolkit, "");
  EXPECT_THAT(Result->notes, IsEmpty());
  EXPECT_EQ(Result->arguments.back(), File);
}

TEST(Command, FixedFlagsAndExtraArguments) {
  Scratch Dir;
  std::string File = Dir.write("k.cpp", "");
  Options Opts = withoutToolkit();
  Opts.hasFixedFlags = true;
  Opts.fixedFlags = {"-x", "cuda", "-DFIXED", "-arch=sm_90"};
  Opts.extraArgsBefore = {"-DBEFORE"};
  Opts.extraArgs = {"-DAFTER", "--expt-relaxed-constexpr"};
  llvm::Expected<Command> Result = commandFor(File, Opts);
  ASSERT_TRUE(static_cast<bool>(Result)) << errorOf(std::move(Result));
  EXPECT_EQ(Result->arch, "sm_90");
  std::string All = llvm::join(Result->arguments, " ");
  EXPECT_THAT(All, HasSubstr("-DBEFORE -DFIXED -DAFTER -D__CUDACC_RELAXED_CONSTEXPR__"));
  Opts.arch = "sm_75";
  EXPECT_EQ(llvm::cantFail(commandFor(File, Opts)).arch, "sm_75");
  Opts.arch = "pascal";
  EXPECT_THAT(errorOf(commandFor(File, Opts)), HasSubstr("unknown architecture 'pascal'"));
}

TEST(Command, FilesThatCannotBeAnalysed) {
  Scratch Dir;
  Options Opts = withoutToolkit();
  EXPECT_THAT(errorOf(commandFor(Dir.path("none.cu"), Opts)),
              AllOf(HasSubstr("no such file"), HasSubstr("none.cu")));
  EXPECT_THAT(errorOf(commandFor(Dir.folder(), Opts)), HasSubstr("is a folder"));
  for (const char *Name : {"a.cpp", "a.c", "notes.txt", "Makefile"})
    EXPECT_THAT(errorOf(commandFor(Dir.write(Name, ""), Opts)), HasSubstr("not a CUDA file")) << Name;
  for (const char *Name : {"a.cu", "a.cuh", "a.h", "a.hpp", "a.inl", "a.cuda", "a.cu.cc"})
    EXPECT_EQ(errorOf(commandFor(Dir.write(Name, ""), Opts)), "no error") << Name;
}

TEST(Command, UnsavedFilesNeedNotExist) {
  Scratch Dir;
  Options Opts = withoutToolkit();
  Opts.overlay[Dir.path("new.cu")] = "__global__ void k() {}";
  EXPECT_EQ(errorOf(commandFor(Dir.path("new.cu"), Opts)), "no error");
}

TEST(Command, Database) {
  Scratch Dir;
  std::string K = Dir.write("src/k.cu", ""), M = Dir.write("src/m.cpp", ""), H = Dir.write("src/h.cpp", "");
  Dir.write("build/compile_commands.json",
            "[" +
                entry(Dir.path("build"), "ccache nvcc -DONE -I../inc -arch=sm_90 -x cu -c ../src/k.cu",
                      "../src/k.cu") +
                "," + entry(Dir.path("build"), "g++ -c ../src/h.cpp", "../src/h.cpp") + "," +
                entry(Dir.path("build"), "nvcc -x cu -DTWO -c ../src/m.cpp", "../src/m.cpp") + "," +
                entry(Dir.path("build"), "nvcc -DTWICE -c ../src/k.cu", "../src/k.cu") + "]");
  Options Opts = withoutToolkit();
  Opts.buildPath = Dir.path("build");
  EXPECT_THAT(llvm::cantFail(filesOfDatabase(Opts)), ElementsAre(K, M));
  Command Kernel = llvm::cantFail(commandFor(K, Opts));
  EXPECT_EQ(Kernel.directory, Dir.path("build"));
  EXPECT_EQ(Kernel.arch, "sm_90");
  EXPECT_THAT(Kernel.arguments, Contains("-DONE"));
  EXPECT_THAT(Kernel.arguments, Not(Contains("-DTWICE")));
  EXPECT_THAT(llvm::cantFail(commandFor(M, Opts)).arguments, Contains("-DTWO"));
  EXPECT_THAT(errorOf(commandFor(H, Opts)), HasSubstr("not a CUDA file"));

  // A file that is not listed: an error that names the nearest one. Headers borrow a neighbour's command.
  EXPECT_THAT(errorOf(commandFor(Dir.write("src/kk.cu", ""), Opts)),
              AllOf(HasSubstr("kk.cu' is not in the compilation database"), HasSubstr("did you mean '" + K)));
  Command Header = llvm::cantFail(commandFor(Dir.write("src/k.cuh", ""), Opts));
  EXPECT_THAT(Header.arguments, Contains("-DONE"));
  EXPECT_THAT(Header.notes, ElementsAre(HasSubstr("using the command of '" + K)));
}

TEST(Command, DatabaseFoundUpward) {
  Scratch Dir;
  std::string K = Dir.write("a/b/k.cu", ""), Other = Dir.write("a/b/other.cu", "");
  Dir.write("a/compile_commands.json",
            "[" + entry(Dir.folder(), "nvcc -DFOUND -c a/b/k.cu", "a/b/k.cu") + "]");
  EXPECT_THAT(llvm::cantFail(commandFor(K, withoutToolkit())).arguments, Contains("-DFOUND"));
  Command Unlisted = llvm::cantFail(commandFor(Other, withoutToolkit()));
  EXPECT_THAT(Unlisted.arguments, Not(Contains("-DFOUND")));
  EXPECT_THAT(Unlisted.notes, ElementsAre(HasSubstr("using defaults")));
}

TEST(Command, DatabaseErrors) {
  Scratch Dir;
  std::string K = Dir.write("k.cu", "");
  Options Opts = withoutToolkit();
  Opts.buildPath = Dir.path("nowhere");
  EXPECT_THAT(errorOf(commandFor(K, Opts)), HasSubstr("does not exist"));
  EXPECT_THAT(errorOf(filesOfDatabase(Opts)), HasSubstr("does not exist"));
  Opts.buildPath = Dir.folder();
  EXPECT_THAT(errorOf(commandFor(K, Opts)), HasSubstr("has no compile_commands.json"));
  struct {
    const char *folder, *text, *message;
  } Cases[] = {{"broken", "[{\"file\": ", "is not a compilation database"},
               {"object", "{}", "is not a compilation database"},
               {"noFile", "[{\"directory\": \"/\"}]", "entry 0 names no file"},
               {"noCommand", "[{\"file\": \"k.cu\"}]", "entry 0 has no command"},
               {"empty", "[]", "is empty"}};
  for (const auto &Case : Cases) {
    Dir.write(std::string(Case.folder) + "/compile_commands.json", Case.text);
    Opts.buildPath = Dir.path(Case.folder);
    EXPECT_THAT(errorOf(commandFor(K, Opts)), HasSubstr(Case.message));
    EXPECT_THAT(errorOf(filesOfDatabase(Opts)), HasSubstr(Case.message));
  }
  Dir.write("host/compile_commands.json", "[" + entry("/", "g++ -c a.cpp", "a.cpp") + "]");
  Opts.buildPath = Dir.path("host");
  EXPECT_THAT(errorOf(filesOfDatabase(Opts)), HasSubstr("lists no CUDA file"));
  // A database that nobody asked for does not stop an analysis.
  EXPECT_EQ(errorOf(commandFor(Dir.write("broken/k.cu", ""), withoutToolkit())), "no error");
}

TEST(Command, HipIsNotCuda) {
  Scratch Dir;
  std::string K = Dir.write("k.cu", "");
  Dir.write("compile_commands.json", "[" + entry(Dir.folder(), "/opt/rocm/bin/hipcc -c k.cu", "k.cu") + "]");
  EXPECT_THAT(errorOf(commandFor(K, withoutToolkit())), HasSubstr("HIP"));
}

TEST(Toolkit, ExplicitPath) {
  Scratch Dir;
  std::string K = Dir.write("k.cu", "");
  Options Opts;
  Opts.cudaPath = Dir.path("cuda");
  EXPECT_THAT(errorOf(commandFor(K, Opts)), AllOf(HasSubstr(Dir.path("cuda")), HasSubstr("--no-cuda")));
  Dir.write("cuda/include/cuda_runtime.h", "");
  Dir.write("cuda/include/cccl/cub/cub.cuh", "");
  Command Result = llvm::cantFail(commandFor(K, Opts));
  EXPECT_EQ(Result.toolkit, Dir.path("cuda"));
  EXPECT_THAT(Result.arguments,
              AllOf(Contains(Dir.path("cuda/include")), Contains(Dir.path("cuda/include/cccl"))));
}

TEST(Toolkit, OfTheCommandsNvcc) {
  Scratch Dir;
  std::string K = Dir.write("k.cu", ""), Nvcc = Dir.write("kit/bin/nvcc", "");
  Dir.write("kit/targets/x86_64-linux/include/cuda_runtime.h", "");
  ASSERT_FALSE(llvm::sys::fs::create_link(Nvcc, Dir.path("nvcc")));
  for (std::string Program : {Nvcc, Dir.path("nvcc"), std::string("kit/bin/nvcc")}) {
    Dir.write("compile_commands.json", "[" + entry(Dir.folder(), Program + " -c k.cu", "k.cu") + "]");
    Command Result = llvm::cantFail(commandFor(K, Options()));
    EXPECT_EQ(Result.toolkit, Dir.path("kit")) << Program;
  }
}

TEST(Toolkit, ResourceDirectory) {
  llvm::Expected<std::string> Result = resourceDirectory(Options());
  ASSERT_TRUE(static_cast<bool>(Result)) << llvm::toString(Result.takeError());
  EXPECT_TRUE(llvm::sys::fs::exists(*Result + "/include/__clang_cuda_builtin_vars.h"));
}
