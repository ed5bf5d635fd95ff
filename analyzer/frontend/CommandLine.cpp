//===-- CommandLine.cpp - Words of a command line -------------------------===//
#include "analyzer/frontend/CommandLine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;
namespace path = llvm::sys::path;

namespace warplint::frontend {

std::vector<std::string> splitForShell(StringRef Text) {
  std::vector<std::string> Result;
  std::string Word;
  bool InWord = false;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    if (C == '\'') {
      InWord = true;
      for (++I; I < Text.size() && Text[I] != '\''; ++I)
        Word += Text[I];
    } else if (C == '"') {
      InWord = true;
      for (++I; I < Text.size() && Text[I] != '"'; ++I) {
        if (Text[I] == '\\' && I + 1 < Text.size() && StringRef("\\\"$`").contains(Text[I + 1]))
          ++I;
        Word += Text[I];
      }
    } else if (C == '\\' && I + 1 < Text.size()) {
      ++I;
      if (Text[I] != '\n') {
        InWord = true;
        Word += Text[I];
      }
    } else if (isSpace(C)) {
      if (InWord)
        Result.push_back(std::move(Word));
      Word.clear();
      InWord = false;
    } else {
      InWord = true;
      Word += C;
    }
  }
  if (InWord)
    Result.push_back(std::move(Word));
  return Result;
}

std::vector<std::string> splitForWindows(StringRef Line) {
  BumpPtrAllocator Memory;
  StringSaver Saver(Memory);
  SmallVector<const char *> Tokens;
  cl::TokenizeWindowsCommandLine(Line, Saver, Tokens);
  return std::vector<std::string>(Tokens.begin(), Tokens.end());
}

bool isWindowsPath(StringRef Path) {
  return (Path.size() > 2 && Path.starts_with("\\\\") && Path[2] != '\\') ||
         (Path.size() > 2 && isAlpha(Path[0]) && Path[1] == ':' && (Path[2] == '\\' || Path[2] == '/'));
}

bool isWindowsCommand(StringRef Line, StringRef Directory) {
  if (Line.ltrim().starts_with("'")) // quotes a word for POSIX shells alone
    return isWindowsPath(Directory);
  Line = Line.ltrim(" \"");
  return isWindowsPath(Directory) || isWindowsPath(Line) ||
         Line.take_until([](char C) { return isSpace(C) || C == '"'; }).ends_with_insensitive(".exe");
}

std::string programName(StringRef Word) {
  // Backslashes are rare in POSIX names, and no compiler has one.
  StringRef Name = path::filename(Word, Word.contains('\\') ? path::Style::windows : path::Style::native);
  std::string Lower = Name.lower();
  return StringRef(Lower).ends_with(".exe") ? Lower.substr(0, Lower.size() - 4) : Name.str();
}

namespace {

/// A program that runs another one, which follows its own options.
struct Launcher {
  StringLiteral name;
  StringLiteral valueOptions; ///< options whose value is the next word, blanks around each
  unsigned positional = 0;    ///< words of its own before the other program
};

constexpr Launcher Launchers[] = {
    {"ccache", ""},
    {"ccache-swig", ""},
    {"sccache", ""},
    {"cachepot", ""},
    {"distcc", ""},
    {"icecc", ""},
    {"gomacc", ""},
    {"buildcache", ""},
    {"fastbuild", ""},
    {"reclient", ""},
    {"rewrapper", ""},
    {"recc", ""},
    {"pump", ""},
    {"env", " -u --unset -C --chdir "},
    {"time", " -f --format -o --output "},
    {"nice", " -n --adjustment "},
    {"ionice", " -c --class -n --classdata -p --pid "},
    {"nohup", ""},
    {"stdbuf", " -i -o -e "},
    {"setarch", "", 1},
    {"taskset", "", 1},
    {"timeout", " -s --signal -k --kill-after ", 1},
    {"exec", " -a "},
    {"command", ""},
    {"libtool", ""},
    {"warplint", " -p -j "}, // its --launcher
};

const Launcher *launcher(StringRef Name) {
  const auto *At = find_if(Launchers, [&](const Launcher &L) { return L.name == Name; });
  return At == std::end(Launchers) ? nullptr : At;
}

/// NAME=value in front of a program.
bool isAssignment(StringRef Word) {
  StringRef Name = Word.take_while([](char C) { return isAlnum(C) || C == '_'; });
  return !Name.empty() && !isDigit(Name[0]) && Word.drop_front(Name.size()).starts_with("=");
}

bool isCompiler(StringRef Word) {
  if (Word.starts_with("-") || isAssignment(Word))
    return false;
  std::string Spelling = programName(Word);
  // "g++-12", "clang++-22.1"
  StringRef Name = StringRef(Spelling).rtrim("0123456789.").rtrim('-');
  if (Name.contains("nvcc") || Name.contains("clang") || Name.contains("hipcc") ||
      Name.contains("crosstool_wrapper"))
    return true;
  for (StringRef Known :
       {"g++", "gcc", "c++", "cc", "nvc++", "nvc", "icpx", "icpc", "icx", "mpicxx", "mpic++", "mpicc", "cl"})
    if (Name == Known || (Name.ends_with(Known) && Name.drop_back(Known.size()).ends_with("-")))
      return true;
  return false;
}

/// cmake -E env, cmake -E time, cmake -E __run_co_compile: the words up to the program.
size_t skipCMake(ArrayRef<std::string> Words) {
  size_t I = 1;
  if (I < Words.size() && Words[I] == "-E")
    I += 2;
  while (I < Words.size() && StringRef(Words[I]).starts_with("-"))
    if (Words[I++] == "--")
      break;
  return std::min(I, Words.size());
}

size_t skipLauncher(const Launcher &L, ArrayRef<std::string> Words) {
  size_t I = 1;
  while (I < Words.size() && StringRef(Words[I]).starts_with("-")) {
    StringRef Option = Words[I++];
    if (Option == "--")
      break;
    if (L.valueOptions.contains((" " + Option + " ").str()))
      ++I;
  }
  // "taskset -c 0 nvcc", "timeout 60 nvcc"
  for (unsigned Own = 0; Own < L.positional && I < Words.size() && !isCompiler(Words[I]); ++Own)
    ++I;
  return std::min(I, Words.size());
}

} // namespace

size_t findCompiler(ArrayRef<std::string> Words) {
  size_t I = 0;
  while (I < Words.size()) {
    if (isAssignment(Words[I])) {
      ++I;
      continue;
    }
    std::string Name = programName(Words[I]);
    if (Name == "cmake")
      I += skipCMake(Words.drop_front(I));
    else if (const Launcher *L = launcher(Name))
      I += skipLauncher(*L, Words.drop_front(I));
    else
      break;
  }
  if (I == Words.size() || isCompiler(Words[I]))
    return I;
  // "python3 -u wrapper.py nvcc -c k.cu", "wrapper.sh nvcc": a compiler among the first words is the one.
  StringRef First = Words[I];
  bool Interpreter = StringRef(programName(First)).starts_with("python");
  for (size_t Next = I + 1; Next < Words.size() && Next < I + 8; ++Next) {
    if (isCompiler(Words[Next]))
      return Next;
    if (!Interpreter && StringRef(Words[Next]).starts_with("-"))
      break;
  }
  // Flags alone, from a database without programs.
  return First.starts_with("-") ? Words.size() : I;
}

std::vector<std::string> compilingPart(std::vector<std::string> Words, std::string &Directory) {
  auto IsOperator = [](StringRef Word) { return Word == "&&" || Word == ";" || Word == "||" || Word == "|"; };
  if (none_of(Words, IsOperator))
    return Words;
  SmallString<256> Folder(Directory);
  for (auto At = Words.begin(); At != Words.end();) {
    auto End = std::find_if(At, Words.end(), IsOperator);
    std::vector<std::string> Part(At, End);
    if (size_t Program = findCompiler(Part); Program < Part.size() && isCompiler(Part[Program])) {
      Directory = std::string(Folder);
      return Part;
    }
    if (Part.size() == 2 && Part[0] == "cd") {
      SmallString<256> To(Part[1]);
      path::make_absolute(Folder, To);
      path::remove_dots(To, /*remove_dot_dot=*/true);
      Folder = To;
    }
    At = End == Words.end() ? End : End + 1;
  }
  return Words;
}

} // namespace warplint::frontend
