//===-- NvccOptionsTest.cpp - Command lines in, Clang's options out -------===//
#include "analyzer/frontend/NvccOptions.h"
#include "Scratch.h"
#include "analyzer/frontend/CommandLine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
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

TEST(NvccOptions, TheLastWordAboutAnOptionCounts) {
  EXPECT_EQ(options("nvcc -rdc=true -rdc=false a.cu"), "");
  EXPECT_EQ(options("nvcc -rdc=false -rdc=true a.cu"), "-D__CUDACC_RDC__");
}

// What nvcc 13 hands to the host compiler for these values, read off with --dryrun and a shell.
TEST(NvccOptions, QuotesInValues) {
  auto Of = [](std::vector<std::string> Words) {
    Words.insert(Words.begin(), "nvcc");
    return translate(Words, true, "/work").options;
  };
  EXPECT_THAT(Of({"-Xcompiler", "-DQ=\"a b\""}), ElementsAre("-DQ=a b"));
  EXPECT_THAT(Of({"-Xcompiler=-fPIC,-DQ=\"y\""}), ElementsAre("-DQ=y"));
  EXPECT_THAT(Of({"-Xcompiler=-DQ=\\\"a b\\\""}), ElementsAre("-DQ=a b"));
  EXPECT_THAT(Of({"-Xcompiler=-DQ=\\\\\\\"y\\\\\\\""}), ElementsAre("-DQ=\"y\""));
  EXPECT_THAT(Of({"-Xcompiler", "'-DQ=a b',-DR"}), ElementsAre("-DQ=a b", "-DR"));
  EXPECT_THAT(Of({"-Xcompiler=\"-DQ=q,-DR\""}), ElementsAre("-DQ=q,-DR"));
  EXPECT_THAT(Of({"-Xcompiler", "-DA -DB"}), ElementsAre("-DA", "-DB"));
  EXPECT_THAT(Of({"-Xcompiler", "-D", "-Xcompiler=A,-include", "-Xcompiler", "a.h", "-DB"}),
              ElementsAre("-D", "A", "-include", "a.h", "-DB"));
  EXPECT_THAT(Of({"-DQ=\"a b\""}), ElementsAre("-DQ=\"a b\""));
  EXPECT_THAT(Of({"-DQ=\"a,b\",R"}), ElementsAre("-DQ=\"a,b\"", "-DR"));
  EXPECT_THAT(Of({"-DQ=\\\"s\\\""}), ElementsAre("-DQ=\"s\""));
  EXPECT_THAT(Of({"-DQ=a\\,b"}), ElementsAre("-DQ=a,b"));
  EXPECT_THAT(Of({"-DQ='a,b'"}), ElementsAre("-DQ='a", "-Db'"));
}

TEST(NvccOptions, HostOptions) {
  EXPECT_EQ(options("nvcc -Xcompiler -Wall,-fPIC,-DHOST -Xcompiler=-march=native a.cu"), "-DHOST");
  EXPECT_EQ(options("nvcc -forward-unknown-to-host-compiler -Wall -Wextra -march=native -fopenmp a.cu"), "");
  // nvcc's own standard comes later on the host compiler's command line, and wins.
  EXPECT_EQ(options("nvcc -std=c++17 -Xcompiler -std=c++14 a.cu"), "-std=c++14 -std=c++17");
  // A value whose option the host compiler does not know is no input file.
  EXPECT_THAT(translate(split("nvcc -Xcompiler --param,x=1,stray a.cu"), true, "/work").inputs,
              ElementsAre("a.cu"));
}

TEST(NvccOptions, BuildSystems) {
  const char *Lines[] = {
      // Bazel
      "external/cuda/bin/nvcc -x cu -c --compiler-options=-Wall -Xcompiler=-fPIC --compiler-options "
      "-DBZL=\\\"r\\\" -DA -Ia src/k.cu -o bazel-out/k.pic.o",
      // Meson
      "nvcc -Isub/k.p -DA -Ia -gencode=arch=compute_80,code=\"sm_80,compute_80\" -std=c++17 -m64 "
      "-Xcompiler=-fPIC "
      "-MD -MQ k.o -MF k.o.d -o k.o -c src/k.cu",
      // xmake
      "/opt/cuda/bin/nvcc -c -Xcompiler -fPIE -O3 -DA -Ia -I=a --std c++17 -m64 -rdc=true "
      "-gencode arch=compute_80,code=sm_80 -MMD -MF x.d -o k.o src/k.cu",
      // make
      "nvcc -ccbin g++ -m64 --threads 0 -Xptxas -v,-O3 -Xcudafe --diag_suppress=177 -DA -Ia -lineinfo -o k "
      "src/k.cu "
      "-L/opt/lib -lcudart -lm",
  };
  for (const char *Line : Lines) {
    Translation T = translate(split(Line), true, "/work");
    EXPECT_THAT(T.options, testing::AllOf(testing::Contains("-DA"), testing::Contains("-I/work/a"))) << Line;
    EXPECT_THAT(T.inputs, ElementsAre("src/k.cu")) << Line;
    EXPECT_THAT(T.notes, IsEmpty()) << Line;
  }
  EXPECT_EQ(arch(Lines[1]), "sm_80");
}

TEST(NvccOptions, Windows) {
  for (const char *Line :
       {"\"C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v12.4\\bin\\nvcc.exe\" "
        "--use-local-env -ccbin \"C:\\VS\\bin\\HostX64\\x64\" -x cu -I\"C:\\x y\" "
        "-gencode=arch=compute_86,code=\\\"sm_86,compute_86\\\" -std=c++17 -D_WINDOWS -DS=\\\"q\\\" "
        "-Xcompiler \"/EHsc /W3 /nologo /O2 /FS /MD /DA /D B=1 /I C:\\h /std:c++14\" -o k.obj C:\\src\\k.cu",
        "C:/CUDA/bin/nvcc.exe --compiler-bindir \"C:/VS/bin\" -x cu -I\"C:\\x y\" -std=c++17 -D_WINDOWS "
        "-DS=\\\"q\\\" -Xcompiler=\"/DA,/D,B=1,/IC:\\h,-std:c++14,-EHsc,-Zi,/Zc:preprocessor\" -arch=sm_86 "
        "-c C:\\src\\k.cu"}) {
    std::vector<std::string> Words = splitForWindows(Line);
    Translation T = translate(Words, true, "C:\\build");
    EXPECT_EQ(programName(T.compiler), "nvcc");
    EXPECT_THAT(T.options, ElementsAre("-DA", "-DB=1", "-IC:\\h", "-std=c++14", "-IC:\\x y", "-std=c++17",
                                       "-D_WINDOWS", "-DS=\"q\""))
        << Line;
    EXPECT_THAT(T.inputs, ElementsAre("C:\\src\\k.cu"));
    EXPECT_EQ(highestArch(T.archs), "sm_86");
    EXPECT_THAT(T.notes, IsEmpty());
  }
  // MSVC's letters are none of a POSIX host compiler's: there a '/' begins a path.
  EXPECT_EQ(options("nvcc -Xcompiler -include,/a.h -DA a.cu"), "-include /a.h -DA");
}

TEST(NvccOptions, CompilerProper) {
  Translation T = translate(
      split("clang++ -Xclang -fcuda-allow-variadic-functions -Xclang -load -Xclang evil.so -Xclang "
            "-include -Xclang a.h -Xclang -DX -Xclang -std=c++20 -Xclang -fcuda-is-device -Xpreprocessor "
            "-DP -Wp,-DQ,-MD,x.d -Xarch_device -DDEV -Xarch_host -DHOST -x cuda a.cu"),
      true, "/work");
  EXPECT_EQ(llvm::join(T.options, " "), "-Xclang -fcuda-allow-variadic-functions -include a.h -DX -std=c++20 "
                                        "-DP -DQ -DDEV");
  EXPECT_THAT(T.inputs, ElementsAre("a.cu"));
  EXPECT_THAT(T.notes, IsEmpty());
}

TEST(NvccOptions, NvcPlusPlus) {
  Translation T =
      translate(split("/opt/nvidia/hpc_sdk/bin/nvc++ -cuda -gpu=cc80,cc90,cuda12.4 -stdpar=gpu -fast -DA "
                      "-Minfo=all -target=gpu --c++17 -MD -MF x.d -Ia -c k.cpp -o k.o"),
                true, "/work");
  EXPECT_EQ(llvm::join(T.options, " "), "-DA -std=c++17 -I/work/a");
  EXPECT_EQ(T.language, "cu");
  EXPECT_EQ(highestArch(T.archs), "sm_90");
  EXPECT_THAT(T.inputs, ElementsAre("k.cpp"));
  EXPECT_THAT(T.notes, IsEmpty());
}

TEST(NvccOptions, Standards) {
  // A header may be opened through a C file's command; C is no dialect of CUDA.
  EXPECT_EQ(options("gcc -std=c11 -DA a.c"), "-DA");
  EXPECT_EQ(options("g++ -std=gnu++20 a.cc"), "-std=gnu++20");
  Translation T = translate(split("nvcc -std=c++99 a.cu"), true, "/work");
  EXPECT_THAT(T.options, IsEmpty());
  EXPECT_THAT(T.notes, ElementsAre(testing::HasSubstr("-std=c++99")));
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
  EXPECT_EQ(arch("nvcc -gencode=arch=compute_80,code=\\\"sm_80,compute_80\\\" a.cu"), "sm_80");
  EXPECT_EQ(arch("nvcc -arch=compute_80 -code=sm_80,sm_86 a.cu"), "sm_86");
  EXPECT_EQ(arch("nvcc -arch=sm_90a -gencode arch=compute_90,code=sm_90 a.cu"), "sm_90a");
  EXPECT_EQ(arch("nvcc -gencode arch=compute_100f,code=sm_100f a.cu"), "sm_100");
  EXPECT_EQ(arch("clang++ -x cuda --offload-arch=sm_80,sm_90a a.cu"), "sm_90a");
  EXPECT_EQ(arch("nvcc -arch=native a.cu"), "");
  for (const char *Unnamed : {"native", "all", "all-major"}) {
    std::string Line = std::string("nvcc -arch=") + Unnamed;
    Translation Alone = translate(split(Line + " a.cu"), true, "/work");
    EXPECT_EQ(Alone.unnamedArch, Unnamed);
    EXPECT_THAT(Alone.archs, IsEmpty());
    Translation Named = translate(split(Line + " -gencode arch=compute_80,code=sm_80 a.cu"), true, "/work");
    EXPECT_THAT(Named.archs, testing::Contains("sm_80"));
  }
  EXPECT_EQ(arch("nvcc a.cu"), "");
}

TEST(NvccOptions, Launchers) {
  for (const char *Prefix : {"",
                             "ccache ",
                             "/usr/bin/sccache ",
                             "distcc ",
                             "icecc ",
                             "env A=B C=D ",
                             "ccache env X=1 ",
                             "A=B ",
                             "cmake -E env X=Y ",
                             "/usr/bin/cmake -E env --unset=Q A=B -- ",
                             "cmake -E time ",
                             "time ",
                             "/usr/bin/time -v ",
                             "time -f %e ",
                             "nice -n 5 ",
                             "nice -5 ",
                             "env -u CC -C /tmp -i A=B ",
                             "/usr/bin/env ",
                             "taskset -c 0 ",
                             "timeout -k 5 60 ",
                             "env CC=/usr/bin/gcc CXX=g++ ",
                             "nice -n 5 cmake -E env A=clang ccache ",
                             "python3 -u tools/wrap.py ",
                             "tools/wrap.sh ",
                             "warplint --launcher ",
                             "/opt/bin/warplint --launcher --checks=-global-gather -j 1 -- ccache ",
                             "libtool --mode=compile "}) {
    Translation T = translate(split(std::string(Prefix) + "/opt/bin/nvcc -DA -c k.cu"), true, "/work");
    EXPECT_EQ(T.compiler, "/opt/bin/nvcc") << Prefix;
    EXPECT_THAT(T.options, ElementsAre("-DA")) << Prefix;
    EXPECT_THAT(T.inputs, ElementsAre("k.cu")) << Prefix;
    EXPECT_THAT(T.notes, IsEmpty()) << Prefix;
  }
  // A compiler that nobody knows is still the program, not an input; flags alone have none.
  EXPECT_EQ(translate(split("ccache mycc -DA k.cu"), true, "/work").compiler, "mycc");
  Translation Flags = translate(split("-DA k.cu"), true, "/work");
  EXPECT_EQ(Flags.compiler, "");
  EXPECT_THAT(Flags.options, ElementsAre("-DA"));
}

TEST(NvccOptions, WhetherACommandCompiles) {
  for (const char *Compiling :
       {"nvcc -c k.cu", "nvcc -dc k.cu", "nvcc -dw k.cu", "nvcc -ptx k.cu", "nvcc k.cu -o app",
        "nvcc -MD -MF d -c k.cu", "nvcc -Xcompiler -E -c k.cu", "clang++ -c k.cu", "clang++ -S k.cu",
        "clang++ -MMD -c k.cu", "nvcc --dryrun=false -c k.cu"})
    EXPECT_TRUE(translate(split(Compiling), true, "/work").compiles) << Compiling;
  for (const char *Other : {"nvcc -E k.cu", "nvcc -M k.cu", "nvcc --generate-nonsystem-dependencies k.cu",
                            "nvcc -dlink k.o", "nvcc --dryrun -c k.cu", "nvcc --version", "clang++ -E k.cu",
                            "clang++ -MM k.cu", "clang++ -### -c k.cu", "clang++ --version"})
    EXPECT_FALSE(translate(split(Other), true, "/work").compiles) << Other;
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
  Translation T =
      translate(split("nvcc --no-such-thing --no-such-thing --nor-this=1 -bogus -Obad -use_fast_mth "
                      "-dbogus -ybad -fno-such-thing -mno-such k.cu"),
                true, "/work");
  EXPECT_THAT(T.notes, ElementsAre("unknown options were dropped: --no-such-thing --nor-this=1 -bogus -Obad "
                                   "-use_fast_mth -dbogus -ybad -fno-such-thing -mno-such"));
  EXPECT_THAT(T.inputs, ElementsAre("k.cu"));
  EXPECT_THAT(translate(split("clang++ -bogus k.cu"), true, "/work").notes,
              ElementsAre("unknown options were dropped: -bogus"));
}

TEST(NvccOptions, KnownOptionsAreNotNamed) {
  for (const char *Line :
       {"g++ -fmax-errors=5 -fno-tree-loop-im -fdump-tree-all -mpreferred-stack-boundary=4 -Wno-such -pipe "
        "-no-pie",
        "g++ -dM -dumpbase x -O3 -Ofast -Og -ggdb3 -Wl,-rpath,/x -Wa,-q -Lx -lfoo -Ttext.ld -u sym --param "
        "a=b",
        "clang++ -Rpass=x -F/x -B/x -G8 -b x -ofoo.o -fuse-ld=lld -xcuda --no-cuda-version-check",
        "nvcc -Xfatbin -compress-all -Xcudafe --diag_suppress=1 -Xcicc -x --no-device-inline -t8 -lm -O3"})
    EXPECT_THAT(translate(split(Line), true, "/work").notes, IsEmpty()) << Line;
}

TEST(NvccOptions, ResponseFiles) {
  Scratch Dir;
  Dir.write("loop.rsp", "-DA @other.rsp -DB");
  Dir.write("other.rsp", "-DC --options-file=loop.rsp @loop.rsp");
  Translation Loop = translate(split("nvcc @loop.rsp k.cu"), true, Dir.folder());
  EXPECT_THAT(Loop.options, ElementsAre("-DA", "-DC", "-DB"));
  EXPECT_THAT(Loop.inputs, ElementsAre("k.cu"));
  ASSERT_FALSE(Loop.notes.empty());
  EXPECT_THAT(Loop.notes, testing::Each(testing::HasSubstr("loop.rsp' names itself")));
  Translation Missing = translate(split("nvcc -optf none.rsp k.cu"), true, Dir.folder());
  ASSERT_EQ(Missing.notes.size(), 1u);
  EXPECT_THAT(Missing.notes[0], testing::HasSubstr("none.rsp"));

  // Names and what is inside are relative to the command's folder, not to the file's.
  Dir.write("sub/a.rsp", "-Ia --options-file sub/b.rsp \"-DQ=\\\"x y\\\"\"");
  Dir.write("sub/b.rsp", "\xef\xbb\xbf-DB\n-isystem=s\n");
  for (const char *Spelling :
       {"--options-file sub/a.rsp", "--options-file=sub/a.rsp,sub/b.rsp", "-optf sub/a.rsp",
        "-optf=sub/a.rsp", "@sub/a.rsp", "-options-file sub/a.rsp"}) {
    Translation T = translate(split(std::string("nvcc k.cu ") + Spelling), true, Dir.folder());
    EXPECT_THAT(T.options, testing::AllOf(testing::Contains("-I" + Dir.path("a")), testing::Contains("-DB"),
                                          testing::Contains(Dir.path("s")), testing::Contains("-DQ=\"x y\"")))
        << Spelling;
    EXPECT_THAT(T.notes, IsEmpty()) << Spelling;
  }
  // A folder or a device is no response file, and many files end somewhere.
  EXPECT_EQ(translate(split("nvcc @/dev/zero @. k.cu"), true, Dir.folder()).notes.size(), 2u);
  std::string Twice;
  for (unsigned I = 0; I < 20; ++I)
    Dir.write("d" + std::to_string(I), "@d" + std::to_string(I + 1) + " @d" + std::to_string(I + 1));
  Dir.write("d20", "-DEND");
  EXPECT_LT(translate(split("nvcc @d0 k.cu"), true, Dir.folder()).options.size(), 300u);
}

namespace {

/// What a row of nvcc's table means for a parse; the rows that are not here mean nothing.
std::string meaning(llvm::StringRef Option, const std::string &Folder) {
  return llvm::StringSwitch<std::string>(Option)
      .Case("--device-c", "-D__CUDACC_RDC__")
      .Case("--relocatable-device-code", "-D__CUDACC_RDC__")
      .Case("--pre-include", "-include stddef.h")
      .Case("--define-macro", "-DA")
      .Case("--undefine-macro", "-UA")
      .Case("--include-path", "-I" + Folder + "/dir")
      .Case("--system-include", "-isystem " + Folder + "/dir")
      .Case("--device-debug", "-D__CUDACC_DEBUG__")
      .Case("--ftemplate-depth", "-ftemplate-depth=9")
      .Case("--std", "-std=c++17")
      .Case("--expt-relaxed-constexpr", "-D__CUDACC_RELAXED_CONSTEXPR__")
      .Cases({"--extended-lambda", "--expt-extended-lambda"}, "-D__CUDACC_EXTENDED_LAMBDA__")
      .Case("--default-stream", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1")
      .Case("--options-file", "-DFROM_FILE")
      .Default("");
}

} // namespace

// Every spelling that nvcc 13 accepts comes out with its meaning, nothing is left over as an input, and
// nothing is unknown.
TEST(NvccOptions, EverySpellingOfNvcc) {
  Scratch Dir;
  Dir.write("x.rsp", "-DFROM_FILE");
  auto Table = llvm::MemoryBuffer::getFile(WARPLINT_SOURCE_DIR "/test/unit/frontend/data/nvcc-options.tsv");
  ASSERT_TRUE(static_cast<bool>(Table));
  llvm::SmallVector<llvm::StringRef> Lines;
  (*Table)->getBuffer().split(Lines, '\n', -1, /*KeepEmpty=*/false);
  unsigned Rows = 0, WithMeaning = 0;
  for (llvm::StringRef Line : Lines) {
    llvm::SmallVector<llvm::StringRef> Cells;
    Line.split(Cells, '\t');
    if (Cells.size() < 5 || Cells[4] != "ok")
      continue;
    ++Rows;
    std::string Expected = meaning(Cells[0], Dir.folder());
    WithMeaning += !Expected.empty();
    bool Arch = llvm::is_contained({"--gpu-architecture", "--generate-code"}, Cells[0]);
    // In front of the input and behind it, where a value that is missed would be one more.
    for (std::string Words :
         {("nvcc " + Cells[3] + " kernel.cu").str(), ("nvcc kernel.cu " + Cells[3]).str()}) {
      Translation T = translate(split(Words), true, Dir.folder());
      EXPECT_EQ(llvm::join(T.options, " "), Expected) << Words;
      EXPECT_EQ(highestArch(T.archs), Arch ? "sm_80" : "") << Words;
      EXPECT_EQ(T.language, Cells[0] == "--x" ? "cu" : "") << Words;
      EXPECT_THAT(T.inputs, ElementsAre("kernel.cu")) << Words;
      EXPECT_THAT(T.notes, IsEmpty()) << Words;
    }
  }
  EXPECT_GT(Rows, 350u);
  EXPECT_GE(WithMeaning, 40u);
}
