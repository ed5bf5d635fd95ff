//===-- NvccOptionsTest.cpp - Command lines in, Clang's options out -------===//
#include "analyzer/frontend/NvccOptions.h"
#include "Scratch.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace warplint::frontend;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

namespace {

std::vector<std::string> split(llvm::StringRef Line) {
  llvm::SmallVector<llvm::StringRef> Words;
  Line.split(Words, ' ', -1, /*KeepEmpty=*/false);
  return std::vector<std::string>(Words.begin(), Words.end());
}

/// "nvcc -O3 a.cu" as Clang's options, in one line.
std::string options(llvm::StringRef Line, llvm::StringRef Directory = "/work") {
  return llvm::join(translate(split(Line), /*HasProgram=*/true, Directory).options, " ");
}

std::string arch(llvm::StringRef Line) {
  return highestArch(translate(split(Line), /*HasProgram=*/true, "/work").archs);
}

} // namespace

TEST(NvccOptions, CMakesCommand) {
  Scratch Dir;
  Dir.write("CMakeFiles/x.dir/includes_CUDA.rsp", "-I/abs -isystem=/sys --options-file more.rsp");
  Dir.write("more.rsp", "-DNESTED=1");
  Translation T =
      translate(split("/usr/local/cuda/bin/nvcc -forward-unknown-to-host-compiler -ccbin=/usr/bin/g++ "
                      "-DA=1 --options-file CMakeFiles/x.dir/includes_CUDA.rsp -O3 -DNDEBUG "
                      "-std=c++17 --generate-code=arch=compute_80,code=[compute_80,sm_80] "
                      "-Xcompiler=-fPIC -MD -MT k.o -MF k.o.d -x cu -rdc=true -c k.cu -o k.o"),
                true, Dir.folder());
  EXPECT_EQ(llvm::join(T.options, " "),
            "-DA=1 -I/abs -isystem /sys -DNESTED=1 -DNDEBUG -std=c++17 -D__CUDACC_RDC__");
  EXPECT_THAT(T.inputs, ElementsAre("k.cu"));
  EXPECT_EQ(T.compiler, "/usr/local/cuda/bin/nvcc");
  EXPECT_EQ(T.language, "cu");
  EXPECT_THAT(T.archs, testing::Contains("sm_80"));
  EXPECT_THAT(T.notes, IsEmpty());
}

TEST(NvccOptions, SpellingsThatClangMisreads) {
  EXPECT_EQ(options("nvcc -isystem=inc -I=dir -I a,b a.cu"),
            "-isystem /work/inc -I/work/dir -I/work/a -I/work/b");
  EXPECT_EQ(options("nvcc -use_fast_math -lineinfo -link -lib -odir out -dw -dlink a.cu"), "");
  EXPECT_EQ(options("nvcc -std c++17 -t 4 -ccbin g++ -O 3 a.cu"), "-std=c++17");
  EXPECT_EQ(options("nvcc -D=A -D B,C=2 -DD -U E --define-macro F a.cu"), "-DA -DB -DC=2 -DD -UE -DF");
  EXPECT_EQ(options("nvcc -include=a.h --pre-include b.h a.cu"), "-include a.h -include b.h");
}

TEST(NvccOptions, MacrosThatNvccDefines) {
  EXPECT_EQ(options("nvcc -rdc=true a.cu"), "-D__CUDACC_RDC__");
  EXPECT_EQ(options("nvcc -rdc=false a.cu"), "");
  EXPECT_EQ(options("nvcc -dc a.cu"), "-D__CUDACC_RDC__");
  EXPECT_EQ(options("nvcc --expt-relaxed-constexpr --extended-lambda a.cu"),
            "-D__CUDACC_RELAXED_CONSTEXPR__ -D__CUDACC_EXTENDED_LAMBDA__");
  EXPECT_EQ(options("nvcc -G a.cu"), "-D__CUDACC_DEBUG__");
  EXPECT_EQ(options("nvcc --default-stream per-thread a.cu"), "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
  EXPECT_EQ(options("nvcc --default-stream legacy a.cu"), "");
}

TEST(NvccOptions, HostOptions) {
  EXPECT_EQ(options("nvcc -Xcompiler -Wall,-fPIC,-DHOST -Xcompiler=-march=native a.cu"), "-DHOST");
  EXPECT_EQ(options("nvcc -forward-unknown-to-host-compiler -Wall -Wextra -march=native -fopenmp a.cu"), "");
}

TEST(NvccOptions, Architecture) {
  EXPECT_EQ(arch("nvcc -arch=sm_86 a.cu"), "sm_86");
  EXPECT_EQ(arch("nvcc -arch sm_75 a.cu"), "sm_75");
  EXPECT_EQ(arch("nvcc -gencode arch=compute_70,code=sm_70 "
                 "--generate-code=arch=compute_90a,code=[compute_90a,sm_90a] "
                 "-gencode=arch=compute_80,code=sm_80 a.cu"),
            "sm_90a");
  EXPECT_EQ(arch("clang++ -x cuda --cuda-gpu-arch=sm_80 --offload-arch=sm_70 a.cu"), "sm_80");
  EXPECT_EQ(arch("nvcc -arch=sm_120f a.cu"), "sm_120");
  EXPECT_EQ(arch("nvcc -arch=sm_999 -arch=sm_80 a.cu"), "sm_80");
  EXPECT_EQ(arch("nvcc -arch=native a.cu"), "");
  EXPECT_EQ(arch("nvcc a.cu"), "");
}

TEST(NvccOptions, Launchers) {
  for (const char *Prefix : {"", "ccache ", "sccache ", "distcc ", "env A=B C=D ", "ccache env X=1 ", "A=B ",
                             "cmake -E env X=Y ", "/usr/bin/time -v "}) {
    Translation T = translate(split(std::string(Prefix) + "/opt/bin/nvcc -DA -c k.cu"), true, "/work");
    EXPECT_EQ(T.compiler, "/opt/bin/nvcc") << Prefix;
    EXPECT_THAT(T.options, ElementsAre("-DA")) << Prefix;
    EXPECT_THAT(T.inputs, ElementsAre("k.cu")) << Prefix;
  }
}

TEST(NvccOptions, ClangsOwnCommands) {
  Translation T =
      translate(split("clang++-22 -x cuda --cuda-gpu-arch=sm_80 --cuda-path=/opt/cuda -O -Werror -Idir "
                      "-isystem sys -fsyntax-only -c k.cpp -o k.o -lfoo -Wl,-rpath,x"),
                true, "/work");
  EXPECT_THAT(T.options, ElementsAre("-I/work/dir", "-isystem", "/work/sys"));
  EXPECT_THAT(T.inputs, ElementsAre("k.cpp"));
  EXPECT_EQ(T.language, "cuda");
  EXPECT_EQ(T.cudaPath, "/opt/cuda");
}

TEST(NvccOptions, UnknownOptionsAreNamedOnce) {
  Translation T = translate(split("nvcc --no-such-thing --no-such-thing --nor-this=1 k.cu"), true, "/work");
  ASSERT_EQ(T.notes.size(), 1u);
  EXPECT_THAT(T.notes[0],
              testing::AllOf(testing::HasSubstr("--no-such-thing"), testing::HasSubstr("--nor-this")));
  EXPECT_THAT(T.inputs, ElementsAre("k.cu"));
}

TEST(NvccOptions, ResponseFiles) {
  Scratch Dir;
  Dir.write("loop.rsp", "-DA @loop.rsp");
  Translation Loop = translate(split("nvcc @loop.rsp k.cu"), true, Dir.folder());
  EXPECT_THAT(Loop.inputs, ElementsAre("k.cu"));
  EXPECT_EQ(Loop.notes.size(), 1u);
  Translation Missing = translate(split("nvcc -optf none.rsp k.cu"), true, Dir.folder());
  ASSERT_EQ(Missing.notes.size(), 1u);
  EXPECT_THAT(Missing.notes[0], testing::HasSubstr("none.rsp"));
}

// Every spelling that nvcc 13 accepts: nothing is left over as an input, and nothing is unknown.
TEST(NvccOptions, EverySpellingOfNvcc) {
  Scratch Dir;
  Dir.write("x.rsp", "-DFROM_FILE");
  auto Table = llvm::MemoryBuffer::getFile(WARPLINT_SOURCE_DIR "/test/unit/frontend/data/nvcc-options.tsv");
  ASSERT_TRUE(static_cast<bool>(Table));
  llvm::SmallVector<llvm::StringRef> Lines;
  (*Table)->getBuffer().split(Lines, '\n', -1, /*KeepEmpty=*/false);
  unsigned Rows = 0, Handled = 0;
  for (llvm::StringRef Line : Lines) {
    llvm::SmallVector<llvm::StringRef> Cells;
    Line.split(Cells, '\t');
    if (Cells.size() < 5 || Cells[4] != "ok")
      continue;
    ++Rows;
    Translation T = translate(split(("nvcc " + Cells[3] + " kernel.cu").str()), true, Dir.folder());
    EXPECT_THAT(T.inputs, ElementsAre("kernel.cu")) << Cells[3].str();
    EXPECT_THAT(T.notes, IsEmpty()) << Cells[3].str();
    Handled += T.inputs.size() == 1 && T.notes.empty();
  }
  EXPECT_GT(Rows, 350u);
  RecordProperty("rows", Rows);
  RecordProperty("handled", Handled);
  EXPECT_EQ(Handled, Rows);
}
