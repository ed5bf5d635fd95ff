//===-- Options.cpp - Fuzz target: any words into clang's options ---------===//
//
// The input: a first line that names the program, or is empty for flags alone; then one word per line.
//
//===----------------------------------------------------------------------===//
#include "clang/Options/Options.h"
#include "analyzer/frontend/CommandLine.h"
#include "analyzer/frontend/NvccOptions.h"
#include "test/fuzz/targets/Target.h"
#include "clang/Basic/OffloadArch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::fuzz;
namespace o = clang::options;

namespace {

/// A folder with response files, among them those that name themselves and one another.
const std::string &folder() {
  static const std::string Folder = [] {
    SmallString<128> Path;
    require(!sys::fs::createUniqueDirectory("warplint-fuzz", Path), "a folder for response files");
    static const std::pair<StringRef, StringRef> Files[] = {
        {"plain", "-I include -DA=1 '-DB=\"x y\"' -arch sm_90\n"},
        {"self", "-DSELF @self"},
        {"twice", "@twice @twice"},
        {"ping", "-Iping @pong"},
        {"pong", "--options-file ping"},
        {"nested", "@plain -optf=plain,plain"},
        {"broken", "\\\n\"unfinished 'word \\"},
        {"binary", StringRef("\0\xff\xfe-D\0X", 8)},
        {"empty", ""},
    };
    for (auto &[Name, Text] : Files) {
      SmallString<128> File(Path);
      sys::path::append(File, Name);
      std::error_code Problem;
      raw_fd_ostream(File, Problem) << Text;
    }
    return std::string(Path);
  }();
  return Folder;
}

bool namesResponseFile(StringRef Word) { return Word.contains("optf") || Word.contains("options-file"); }

/// Response files come from the folder above, and from nowhere else on this machine.
void confine(std::vector<std::string> &Words) {
  bool NamesFile = false;
  for (std::string &Word : Words) {
    const bool Option = namesResponseFile(Word);
    if (NamesFile || Option || StringRef(Word).contains('@'))
      llvm::erase(Word, '/');
    NamesFile = Option;
  }
}

/// Options whose value is a folder or file that must not depend on where warplint runs.
constexpr unsigned Folders[] = {o::OPT_I,         o::OPT_isystem,     o::OPT_isystem_after, o::OPT_iquote,
                                o::OPT_idirafter, o::OPT_cxx_isystem, o::OPT_isysroot};

/// What a parse may be told: nothing that loads code, writes a file, or makes clang start something.
void checkOption(const opt::Arg &Arg, const Twine &Where) {
  const opt::Option Option = Arg.getOption().getUnaliasedOption();
  const unsigned ID = Option.getID();
  require(ID != o::OPT_INPUT, "no input file among options: " + Where);
  require(ID != o::OPT_UNKNOWN, "clang knows '" + Arg.getSpelling() + "': " + Where);
  for (const unsigned Harmful : {o::OPT_o,
                                 o::OPT_Xclang,
                                 o::OPT_mllvm,
                                 o::OPT_fplugin_EQ,
                                 o::OPT_fpass_plugin_EQ,
                                 o::OPT_MF,
                                 o::OPT_MD,
                                 o::OPT_MMD,
                                 o::OPT_config,
                                 o::OPT_B,
                                 o::OPT_ccc_gcc_name,
                                 o::OPT_save_temps_EQ,
                                 o::OPT_c,
                                 o::OPT_S,
                                 o::OPT_E,
                                 o::OPT_x,
                                 o::OPT_Xcuda_ptxas,
                                 o::OPT_Wp_COMMA,
                                 o::OPT_Wa_COMMA,
                                 o::OPT_Wl_COMMA,
                                 o::OPT_Xlinker,
                                 o::OPT_v,
                                 o::OPT_fopenmp_EQ,
                                 o::OPT_ivfsoverlay})
    require(ID != Harmful, "harmless options only, not '" + Arg.getSpelling() + "': " + Where);
  if (is_contained(Folders, ID))
    require(sys::path::is_absolute(Arg.getValue()) || frontend::isWindowsPath(Arg.getValue()), // those stay as they are
            "folders are absolute, not '" + Twine(Arg.getValue()) + "': " + Where);
}

void checkOptions(const std::vector<std::string> &Options, const Twine &Where) {
  SmallVector<const char *> Raw;
  for (const std::string &Word : Options)
    Raw.push_back(Word.c_str());
  unsigned MissingIndex = 0, MissingCount = 0;
  const opt::InputArgList List =
      clang::getDriverOptTable().ParseArgs(Raw, MissingIndex, MissingCount, opt::Visibility(o::ClangOption));
  require(MissingCount == 0, "every option has its value: " + Where);
  for (const opt::Arg *Arg : List)
    checkOption(*Arg, Where);
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::vector<std::string> Words = wordsOf(textOf(Data, Size));
  confine(Words);
  const bool HasProgram = !Words.front().empty();
  if (!HasProgram)
    Words.erase(Words.begin());

  const frontend::Translation Once = frontend::translate(Words, HasProgram, folder());
  const std::string Where = shown(Words) + " became " + shown(Once.options);
  require(Once.options == frontend::translate(Words, HasProgram, folder()).options,
          "always the same: " + Where);
  checkOptions(Once.options, Where);

  // A value may look like a response file: nothing to the driver, but not to who reads a command.
  if (any_of(Once.options, [](StringRef Word) { return Word.starts_with("@") || namesResponseFile(Word); }))
    return 0;
  // What clang is given means the same when it comes from a compile command of clang.
  std::vector<std::string> Again = {"clang++"};
  llvm::append_range(Again, Once.options);
  const frontend::Translation Twice = frontend::translate(Again, /*HasProgram=*/true, folder());
  require(Twice.options == Once.options,
          "clang's options stay: " + Where + " and then " + shown(Twice.options));
  require(Twice.inputs.empty() && Twice.notes.empty(), "clang's options are options: " + Where);

  const std::string Arch = frontend::highestArch(Once.archs);
  require(Arch.empty() || clang::IsNVIDIAOffloadArch(clang::StringToOffloadArch(Arch)),
          "a known architecture: " + Arch);
  return 0;
}
