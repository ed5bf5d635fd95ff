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

TEST(Command, FixedCommandIsTheFilesOwn) {
  Scratch Dir;
  std::string File = Dir.write("k.cu", "");
  Dir.write("main.cu", "#include \"k.cu\"\n");
  Options Opts = withoutToolkit();
  Opts.hasFixedFlags = true;
  Opts.fixedFlags = {"-DFLAG"};
  EXPECT_NE(llvm::cantFail(commandFor(File, Opts)).file,
            File); // flags alone: through the file that includes it
  Opts.fixedFlags = {"/opt/bin/nvcc", "-DFLAG", "-arch=sm_90", "-c", File};
  Opts.fixedFlagsAreCommand = true;
  Command Result = llvm::cantFail(commandFor(File, Opts));
  EXPECT_EQ(Result.file, File);
  EXPECT_EQ(Result.arch, "sm_90");
  EXPECT_THAT(llvm::join(Result.arguments, " "), HasSubstr("-DFLAG"));
  EXPECT_THAT(Result.notes, IsEmpty());
}

TEST(Command, ArchitectureThatIsNotNamed) {
  Scratch Dir;
  std::string File = Dir.write("k.cu", "");
  Options Opts = withoutToolkit();
  Opts.hasFixedFlags = true;
  for (std::string Word : {"native", "all", "all-major"}) {
    Opts.fixedFlags = {"-arch=" + Word};
    Command Result = llvm::cantFail(commandFor(File, Opts));
    EXPECT_EQ(Result.arch, "sm_80");
    EXPECT_THAT(Result.notes, ElementsAre(AllOf(HasSubstr("-arch=" + Word), HasSubstr("using sm_80"))));
  }
  // Named elsewhere, or by the user: nothing to say.
  Opts.fixedFlags.push_back("-gencode=arch=compute_90,code=sm_90");
  EXPECT_THAT(llvm::cantFail(commandFor(File, Opts)).notes, IsEmpty());
  Opts.fixedFlags = {"-arch=native"};
  Opts.arch = "sm_75";
  EXPECT_THAT(llvm::cantFail(commandFor(File, Opts)).notes, IsEmpty());
}

TEST(Command, RelativeDirectory) {
  Scratch Dir;
  std::string K = Dir.write("sub/k.cu", "");
  Dir.write("compile_commands.json", "[" + entry("./sub/../sub", "nvcc -Iinc -c k.cu", "k.cu") + "]");
  Command Result = llvm::cantFail(commandFor(K, withoutToolkit()));
  EXPECT_EQ(Result.directory, Dir.path("sub"));
  EXPECT_THAT(Result.arguments, Contains("-I" + Dir.path("sub/inc")));
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
               {"place", "[\n  {\"file\": \"k.cu\"\n  \"command\": \"nvcc\"}]", "line 3, column 3: Expected"},
               {"remedy", "[", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON; make: bear -- make"},
               {"object", "{}", "is not a compilation database"},
               {"strings", "[\"nvcc -c k.cu\"]", "entry 0 names no file"},
               {"nameless", "[{\"file\": \"\", \"command\": \"nvcc\"}]", "entry 0 names no file"},
               {"wrongTypes", "[{\"file\": 3, \"command\": []}]", "entry 0 names no file"},
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

TEST(Command, DatabaseElsewhere) {
  Scratch Dir;
  std::string K = Dir.write("src/k.cu", "");
  Dir.write("build/compile_commands.json", "[" + entry(Dir.folder(), "nvcc -c src/k.cu", "src/k.cu") + "]");
  Options Opts = withoutToolkit();
  for (std::string Folder : {Dir.folder(), Dir.path("src")}) {
    Opts.buildPath = Folder;
    EXPECT_THAT(errorOf(filesOfDatabase(Opts)),
                AllOf(HasSubstr("'" + Folder + "' has no compile_commands.json"),
                      HasSubstr("but '" + Dir.path("build") + "' has"), HasSubstr("bear -- make")));
  }
  Scratch Empty;
  Opts.buildPath = Empty.folder();
  EXPECT_THAT(errorOf(filesOfDatabase(Opts)),
              AllOf(HasSubstr("has no compile_commands.json;"), Not(HasSubstr("but"))));
  Opts.buildPath = "/dev/zero";
  EXPECT_THAT(errorOf(filesOfDatabase(Opts)), HasSubstr("no regular file"));
}

TEST(Command, EntriesThatSayTooLittleAreLeftOut) {
  Scratch Dir;
  std::string K = Dir.write("k.cu", "");
  Dir.write("compile_commands.json", "[{}, null, {\"file\": \"q.cu\"}, " +
                                         entry(Dir.folder(), "nvcc -DGOOD -c k.cu", "k.cu") +
                                         ", {\"file\": \"bare.cu\", \"arguments\": []}]");
  Dir.write("bare.cu", "");
  Options Opts = withoutToolkit();
  Opts.buildPath = Dir.folder();
  EXPECT_THAT(llvm::cantFail(filesOfDatabase(Opts)), ElementsAre(K, Dir.path("bare.cu")));
  Command Result = llvm::cantFail(commandFor(K, Opts));
  EXPECT_THAT(Result.arguments, Contains("-DGOOD"));
  EXPECT_THAT(Result.notes,
              ElementsAre(HasSubstr("entry 0 names no file; it is left out"),
                          HasSubstr("entry 1 names no file"), HasSubstr("entry 2 has no command")));
  // No folder: the database's own. No words: defaults.
  EXPECT_EQ(llvm::cantFail(commandFor(Dir.path("bare.cu"), Opts)).directory, Dir.folder());
}

TEST(Command, HostileDatabases) {
  Scratch Dir;
  std::string K = Dir.write("k.cu", ""), Good = entry(Dir.folder(), "nvcc -DGOOD -c k.cu", "k.cu");
  Options Opts = withoutToolkit();
  Opts.buildPath = Dir.folder();
  unsigned Count = 0;
  auto With = [&](std::string Text, const std::string &Blank = " ") {
    // Databases are read anew when their size or time is another.
    for (unsigned I = 0; I <= Count; ++I)
      Text += Blank;
    ++Count;
    Dir.write("compile_commands.json", Text);
    return errorOf(commandFor(K, Opts));
  };
  EXPECT_THAT(With(std::string(2'000'000, '[')), HasSubstr("nested too deeply"));
  EXPECT_THAT(With("[" + Good + ", {\"x\": " + std::string(200'000, '[')), HasSubstr("nested too deeply"));
  EXPECT_EQ(With("[" + Good + ", {\"x\": \"" + std::string(200'000, '[') + "\"}]"), "no error")
      << "in a string";
  EXPECT_EQ(With("[{\"file\": \"caf\xe9.cu\", \"command\": \"nvcc\"}," + Good + "]"), "no error")
      << "Latin-1";
  EXPECT_EQ(With("\xef\xbb\xbf[" + Good + "]"), "no error") << "a byte order mark";
  std::string Wide = "\xff\xfe";
  for (char C : "[" + Good + "]")
    Wide += {C, '\0'};
  EXPECT_EQ(With(Wide, std::string(" \0", 2)), "no error") << "UTF-16, as PowerShell writes it";
  EXPECT_THAT(With(std::string("[\0]", 3)), HasSubstr("line 1, column 2"));
  EXPECT_EQ(With("[" + entry(Dir.folder(), "nvcc 'open -c k.cu", "k.cu") + "]"), "no error")
      << "an open quote";
  EXPECT_EQ(With("[" + entry(Dir.folder(), "-DX -c k.cu", "k.cu") + "]"), "no error") << "no program";
  EXPECT_EQ(With("[" + entry(Dir.folder(), std::string(100'000, '-'), "k.cu") + "]"), "no error");
  std::string Long = "nvcc";
  for (unsigned I = 0; I < 20'000; ++I)
    Long += " -DX" + std::to_string(I);
  EXPECT_EQ(With("[" + entry(Dir.folder(), Long, "k.cu") + "]"), "no error");
  EXPECT_THAT(llvm::cantFail(commandFor(K, Opts)).arguments, Contains("-DX19999"));
}

TEST(Command, EveryFileOnce) {
  Scratch Dir;
  std::string K = Dir.write("src/k.cu", "");
  ASSERT_FALSE(llvm::sys::fs::create_link(Dir.path("src"), Dir.path("link")));
  auto Line = [&](const char *Words, const char *File) { return entry(Dir.folder(), Words, File); };
  Dir.write("compile_commands.json", "[" + Line("g++ -DHOST -c src/k.cu", "src/k.cu") + "," +
                                         Line("nvcc -DTWO -c src/k.cu", "src/../src/k.cu") + "," +
                                         Line("nvcc -DTHREE -c link/k.cu", "link/k.cu") + "," +
                                         Line("nvcc -c gone.cu", "gone.cu") + "]");
  Options Opts = withoutToolkit();
  Opts.buildPath = Dir.folder();
  EXPECT_THAT(llvm::cantFail(filesOfDatabase(Opts)), ElementsAre(K, Dir.path("gone.cu")));
  EXPECT_THAT(llvm::cantFail(commandFor(Dir.path("link/k.cu"), Opts)).arguments, Contains("-DTHREE"));
  EXPECT_THAT(errorOf(commandFor(Dir.path("gone.cu"), Opts)), HasSubstr("no such file"));
}

TEST(Command, NearNames) {
  Scratch Dir;
  std::string K = Dir.write("src/Softmax.cu", "");
  Dir.write("src/unrelated.cu", "");
  EXPECT_THAT(errorOf(commandFor(Dir.path("src/sotfmax.cu"), withoutToolkit())),
              HasSubstr("did you mean '" + K + "'?"));
  EXPECT_THAT(errorOf(commandFor(Dir.path("src/softmax.cu"), withoutToolkit())),
              HasSubstr("did you mean '" + K + "'?"));
  EXPECT_THAT(errorOf(commandFor(Dir.path("src/gemm.cu"), withoutToolkit())), Not(HasSubstr("did you mean")));
  // The database knows where the file is.
  Dir.write("compile_commands.json", "[" + entry(Dir.folder(), "nvcc -c deep/gemm.cu", "deep/gemm.cu") + "]");
  EXPECT_THAT(errorOf(commandFor(Dir.path("gemm.cu"), withoutToolkit())),
              HasSubstr("did you mean '" + Dir.path("deep/gemm.cu") + "'?"));
}

namespace {

/// A project whose headers are reached in several ways.
class Headers : public testing::Test {
protected:
  Headers() {
    Dir.write("inc/deep/far.cuh", "");
    Dir.write("inc/middle.h", "#pragma once\n#include <deep/far.cuh>\n");
    Dir.write("sys/s.cuh", "");
    Dir.write("src/k.cuh", "");
    Dir.write("src/k.cu", "// #include \"commented.cuh\"\n/* #include \"commented.cuh\" */\n#if 0\n"
                          "#  include \"k.cuh\" // a condition\n#endif\n#include \"middle.h\"\n");
    Dir.write("src/a.cu", "#include \"k.cuh\"\n#include <s.cuh>\n#include \"host.h\"\n");
    Dir.write("src/b.cu",
              "const char *x = R\"(\n#include \"commented.cuh\"\n)\";\n#include \"part_kernel.cu\"\n");
    Dir.write("src/part_kernel.cu", "");
    Dir.write("src/commented.cuh", "");
    Dir.write("src/host.h", "");
    Dir.write("src/only.h", "");
    Dir.write("src/main.cpp", "#include \"only.h\"\n");
    Dir.write("src/forced.cuh", "");
    Opts.noCuda = true;
  }
  void database() {
    auto Line = [&](const std::string &Words, const std::string &File) {
      return entry(Dir.path("build"), Words + " -c ../src/" + File, "../src/" + File);
    };
    Dir.write("build/inc.rsp", "-I../inc -isystem=../sys");
    Dir.write("build/compile_commands.json",
              "[" + Line("g++ -DMAIN", "main.cpp") + "," + Line("nvcc -DB", "b.cu") + "," +
                  Line("nvcc -DA --options-file inc.rsp", "a.cu") + "," +
                  Line("nvcc -DK -I../inc -include ../src/forced.cuh", "k.cu") + "]");
    Opts.buildPath = Dir.path("build");
  }
  /// The unit that a file is analysed through, relative to the project.
  std::string unitOf(const std::string &File) {
    llvm::Expected<Command> Result = commandFor(Dir.path(File), Opts);
    if (!Result)
      return llvm::toString(Result.takeError());
    EXPECT_EQ(Result->requested, Dir.path(File));
    EXPECT_EQ(Result->arguments.back(), Result->file);
    Last = *Result;
    return Result->file.substr(Dir.folder().size() + 1);
  }

  Scratch Dir;
  Options Opts;
  Command Last;
};

} // namespace

TEST_F(Headers, ThroughTheDatabase) {
  database();
  EXPECT_EQ(unitOf("src/k.cuh"), "src/k.cu") << "the same stem before the database's order";
  EXPECT_THAT(Last.arguments, Contains("-DK"));
  ASSERT_EQ(Last.others.size(), 1u);
  EXPECT_EQ(Last.others[0].file, Dir.path("src/a.cu"));
  EXPECT_THAT(Last.others[0].arguments, Contains("-DA"));
  EXPECT_THAT(Last.notes,
              ElementsAre(AllOf(HasSubstr("k.cuh' is analysed through '"), HasSubstr("src/k.cu'"))));
  EXPECT_EQ(unitOf("inc/deep/far.cuh"), "src/k.cu") << "through another header";
  EXPECT_EQ(unitOf("sys/s.cuh"), "src/a.cu") << "by a response file's -isystem";
  EXPECT_EQ(unitOf("src/forced.cuh"), "src/k.cu") << "by -include";
  EXPECT_EQ(unitOf("src/part_kernel.cu"), "src/b.cu") << "a fragment without an entry of its own";
  EXPECT_EQ(unitOf("src/k.cu"), "src/k.cu") << "an entry of its own";
  EXPECT_THAT(Last.others, IsEmpty());
}

TEST_F(Headers, WithEntriesOfTheirOwn) {
  auto Line = [&](const std::string &Words, const std::string &File) {
    return entry(Dir.path("src"), Words + " -c " + File, File);
  };
  Dir.write("src/lonely.cuh", "#include \"k.cuh\"\n");
  Dir.write("build/compile_commands.json", "[" + Line("nvcc -DLONELY -x cu", "lonely.cuh") + "," +
                                               Line("nvcc -DHEADER -x cu", "k.cuh") + "," +
                                               Line("nvcc -DUNIT", "k.cu") + "]");
  Opts.buildPath = Dir.path("build");
  EXPECT_EQ(unitOf("src/k.cuh"), "src/k.cu") << "as compdb lists them";
  EXPECT_THAT(Last.arguments, Contains("-DUNIT"));
  EXPECT_EQ(unitOf("src/lonely.cuh"), "src/lonely.cuh");
  EXPECT_THAT(Last.arguments, Contains("-DLONELY"));
  EXPECT_THAT(Last.notes, IsEmpty());
}

TEST_F(Headers, ThatNobodyIncludes) {
  database();
  EXPECT_EQ(unitOf("src/commented.cuh"), "src/commented.cuh") << "comments and strings include nothing";
  EXPECT_THAT(Last.notes, ElementsAre(HasSubstr("is not in")));
  EXPECT_EQ(unitOf("src/only.h"), "src/only.h") << "a host unit is not parsed as CUDA";
  EXPECT_THAT(Last.arguments, Contains("-DMAIN"));
  EXPECT_THAT(Last.notes, ElementsAre(HasSubstr("using the command of '" + Dir.path("src/main.cpp"))));
  Dir.write("src/stray.cu", "");
  EXPECT_THAT(unitOf("src/stray.cu"), HasSubstr("is not in the compilation database"));
}

TEST_F(Headers, ThroughNeighbours) {
  EXPECT_EQ(unitOf("src/k.cuh"), "src/k.cu");
  ASSERT_EQ(Last.others.size(), 1u);
  EXPECT_EQ(unitOf("src/part_kernel.cu"), "src/b.cu");
  EXPECT_EQ(unitOf("src/commented.cuh"), "src/commented.cuh");
  EXPECT_THAT(Last.notes, IsEmpty());
  EXPECT_EQ(unitOf("src/b.cu"), "src/b.cu");
  Dir.write("src/detail/impl/d.cuh", "");
  Dir.write("src/up.cu", "#include \"detail/impl/d.cuh\"\n");
  EXPECT_EQ(unitOf("src/detail/impl/d.cuh"), "src/up.cu") << "two folders up";
  EXPECT_EQ(unitOf("inc/deep/far.cuh"), "inc/deep/far.cuh") << "not a neighbour";
  Opts.hasFixedFlags = true;
  Opts.fixedFlags = {"-DFIXED", "-I" + Dir.folder()};
  Dir.write("inc/flag.cuh", "");
  Dir.write("inc/flag_user.cu", "#include <inc/flag.cuh>\n");
  EXPECT_EQ(unitOf("inc/flag.cuh"), "inc/flag_user.cu");
  EXPECT_THAT(Last.arguments, Contains("-DFIXED"));
}

TEST_F(Headers, UnsavedUnits) {
  database();
  EXPECT_EQ(unitOf("src/commented.cuh"), "src/commented.cuh");
  Opts.overlay[Dir.path("src/b.cu")] = "#include \"commented.cuh\"\n";
  EXPECT_EQ(unitOf("src/commented.cuh"), "src/b.cu");
  EXPECT_THAT(unitOf("src/part_kernel.cu"), HasSubstr("is not in the compilation database"));
  Opts.overlay.clear();
  EXPECT_EQ(unitOf("src/part_kernel.cu"), "src/b.cu") << "an overlay is forgotten with its call";
}

TEST_F(Headers, CyclesAndLinks) {
  Dir.write("src/loop1.cuh", "#include \"loop2.cuh\"\n");
  Dir.write("src/loop2.cuh", "#include \"loop1.cuh\"\n");
  Dir.write("src/looping.cu", "#include \"loop1.cuh\"\n#include \"looping.cu\"\n#include \"missing.cuh\"\n");
  EXPECT_EQ(unitOf("src/loop2.cuh"), "src/looping.cu");
  EXPECT_EQ(unitOf("src/looping.cu"), "src/looping.cu");
  ASSERT_FALSE(llvm::sys::fs::create_link(Dir.path("src/loop2.cuh"), Dir.path("src/alias.cuh")));
  EXPECT_EQ(unitOf("src/alias.cuh"), "src/looping.cu");
  // Not worth reading, and no reason to hang.
  Dir.write("src/big.cu", std::string(9 << 20, ' ') + "\n#include \"only.h\"\n");
  ASSERT_FALSE(llvm::sys::fs::create_link("/dev/zero", Dir.path("src/zero.cu")));
  EXPECT_EQ(unitOf("src/only.h"), "src/only.h");
}

TEST_F(Headers, Alone) {
  database();
  ASSERT_EQ(unitOf("src/k.cuh"), "src/k.cu");
  Command Own = alone(Last);
  EXPECT_EQ(Own.file, Dir.path("src/k.cuh"));
  EXPECT_EQ(Own.arguments.back(), Own.file);
  EXPECT_THAT(Own.arguments, Contains("-DK"));
  EXPECT_THAT(Own.notes, ElementsAre(HasSubstr("is analysed by itself")));
}

TEST(Command, HipIsNotCuda) {
  Scratch Dir;
  std::string K = Dir.write("k.cu", "");
  Dir.write("compile_commands.json", "[" + entry(Dir.folder(), "/opt/rocm/bin/hipcc -c k.cu", "k.cu") + "]");
  EXPECT_THAT(errorOf(commandFor(K, withoutToolkit())), HasSubstr("by hipcc: HIP is not CUDA"));
  for (const char *Line : {"clang++ -x hip -c k.cu", "amdclang++ --offload-arch=gfx90a -c k.cu"}) {
    Dir.write("compile_commands.json", "[" + entry(Dir.folder(), Line, "k.cu") + "]");
    EXPECT_THAT(errorOf(commandFor(K, withoutToolkit())), HasSubstr("as HIP, which is not CUDA")) << Line;
  }
}

TEST(Command, EnvironmentOfNvccIsNotRead) {
  Scratch Dir;
  std::string K = Dir.write("k.cu", "");
  setenv("NVCC_PREPEND_FLAGS", "-DPREPENDED", 1);
  setenv("NVCC_APPEND_FLAGS", "-DAPPENDED", 1);
  Command Result = llvm::cantFail(commandFor(K, withoutToolkit()));
  unsetenv("NVCC_PREPEND_FLAGS");
  unsetenv("NVCC_APPEND_FLAGS");
  EXPECT_THAT(Result.arguments, AllOf(Not(Contains("-DPREPENDED")), Not(Contains("-DAPPENDED"))));
}

// As "ninja -t compdb" writes them.
TEST(Command, OneCommandOfALine) {
  Scratch Dir;
  std::string K = Dir.write("k.cu", "");
  for (const char *Line :
       {": && ccache nvcc -DA -Iinc -c k.cu -o k.o && :", "cd sub/.. && nvcc -DA -Iinc -c k.cu ; touch x",
        "nvcc -DA -Iinc -M k.cu -o k.d && nvcc -DA -Iinc -c k.cu"}) {
    Dir.write("compile_commands.json", "[" + entry(Dir.folder(), Line, "k.cu") + "]");
    Command Result = llvm::cantFail(commandFor(K, withoutToolkit()));
    EXPECT_THAT(Result.arguments, AllOf(Contains("-DA"), Contains("-I" + Dir.path("inc")))) << Line;
    EXPECT_THAT(Result.notes, IsEmpty()) << Line;
    EXPECT_EQ(Result.directory, Dir.folder());
  }
  Dir.write("compile_commands.json",
            "[" + entry(Dir.folder(), "cd sub && nvcc -Iinc -c ../k.cu", "k.cu") + "]");
  EXPECT_THAT(llvm::cantFail(commandFor(K, withoutToolkit())).arguments,
              Contains("-I" + Dir.path("sub/inc")));
}

TEST(Command, NvcPlusPlusCompilesCuda) {
  Scratch Dir;
  std::string K = Dir.write("k.cpp", ""), H = Dir.write("h.cpp", "");
  Dir.write("compile_commands.json", "[" +
                                         entry(Dir.folder(), "nvc++ -cuda -DNV -gpu=cc90 -c k.cpp", "k.cpp") +
                                         "," + entry(Dir.folder(), "nvc++ -c h.cpp", "h.cpp") + "]");
  Options Opts = withoutToolkit();
  Opts.buildPath = Dir.folder();
  EXPECT_THAT(llvm::cantFail(filesOfDatabase(Opts)), ElementsAre(K));
  EXPECT_EQ(llvm::cantFail(commandFor(K, Opts)).arch, "sm_90");
}

TEST(Command, WindowsDatabase) {
  Scratch Dir;
  std::string K = Dir.write("k.cu", "");
  Dir.write(
      "compile_commands.json",
      "[{\"directory\": \"C:/build\", \"file\": \"" + K +
          "\", \"command\": \"C:\\\\PROGRA~1\\\\CUDA\\\\bin\\\\nvcc.exe -IC:\\\\inc\\\\x \\\"-IC:\\\\a b\\\" "
          "-DN=\\\\\\\"q\\\\\\\" -Xcompiler=\\\"/EHsc /DHOST\\\" -x cu -c k.cu\"}]");
  Command Result = llvm::cantFail(commandFor(K, withoutToolkit()));
  EXPECT_THAT(Result.arguments, AllOf(Contains("-IC:\\inc\\x"), Contains("-IC:\\a b"), Contains("-DN=\"q\""),
                                      Contains("-DHOST")));
  EXPECT_THAT(Result.notes, IsEmpty());
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
