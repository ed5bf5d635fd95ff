//===-- NvccOptions.cpp - Compile commands in clang's words ---------------===//
#include "analyzer/frontend/NvccOptions.h"
#include "analyzer/frontend/CommandLine.h"
#include "clang/Basic/LangStandard.h"
#include "clang/Basic/OffloadArch.h"
#include "clang/Options/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;
namespace path = llvm::sys::path;

namespace warplint::frontend {

namespace {

enum class Value {
  None,
  Word,   ///< the next word, or joined by =
  Letter, ///< as Word, or joined by nothing: -Idir, -O3
  Kinds,  ///< as Word, but a separate word belongs to it only if it is one of -Werror's kinds
};

enum class Action {
  Drop,          ///< decides nothing about parsing
  Macro,         ///< stands for the macro in `text`
  MacroIfTrue,   ///< likewise if its value is "true"
  MacroOfStream, ///< likewise if its value is "per-thread"
  Each,          ///< `text` and each item of the list
  EachFolder,    ///< likewise, the item being a folder
  Std,
  Arch,
  Language,
  Host, ///< the value is a list of the host compiler's options
  ResponseFiles,
  NoCompilation, ///< the compiler does something else with its inputs
};

struct Row {
  StringLiteral name;      ///< without hyphens: nvcc takes one or two before either spelling
  StringLiteral shortName; ///< "" when there is none
  Value value;
  Action action = Action::Drop;
  StringLiteral text = "";
};

constexpr StringLiteral No = "";

// nvcc 13.0's options, in the order of its --help.
constexpr Row Rows[] = {
    {"cuda", No, Value::None},
    {"cubin", No, Value::None},
    {"fatbin", No, Value::None},
    {"ptx", No, Value::None},
    {"optix-ir", No, Value::None},
    {"ltoir", No, Value::None},
    {"preprocess", "E", Value::None, Action::NoCompilation},
    {"generate-dependencies", "M", Value::None, Action::NoCompilation},
    {"generate-nonsystem-dependencies", "MM", Value::None, Action::NoCompilation},
    {"generate-dependencies-with-compile", "MD", Value::None},
    {"generate-nonsystem-dependencies-with-compile", "MMD", Value::None},
    {"dependency-output", "MF", Value::Word},
    {"generate-dependency-targets", "MP", Value::None},
    {"compile", "c", Value::None},
    {"device-c", "dc", Value::None, Action::Macro, "__CUDACC_RDC__"},
    {"device-w", "dw", Value::None},
    {"device-link", "dlink", Value::None, Action::NoCompilation},
    {"link", No, Value::None},
    {"lib", No, Value::None},
    {"run", No, Value::None},
    {"output-file", "o", Value::Letter},
    {"pre-include", "include", Value::Word, Action::Each, "-include"},
    {"objdir-as-tempdir", "objtemp", Value::None},
    {"library", "l", Value::Letter},
    {"define-macro", "D", Value::Letter, Action::Each, "-D"},
    {"undefine-macro", "U", Value::Letter, Action::Each, "-U"},
    {"include-path", "I", Value::Letter, Action::EachFolder, "-I"},
    {"system-include", "isystem", Value::Letter, Action::EachFolder, "-isystem"},
    {"library-path", "L", Value::Letter},
    {"output-directory", "odir", Value::Word},
    {"compiler-bindir", "ccbin", Value::Word},
    {"allow-unsupported-compiler", No, Value::None},
    {"archiver-binary", "arbin", Value::Word},
    {"cudart", No, Value::Word},
    {"cudadevrt", No, Value::Word},
    {"libdevice-directory", "ldir", Value::Word},
    {"target-directory", "target-dir", Value::Word},
    {"use-local-env", No, Value::None},
    {"force-cl-env-setup", No, Value::None},
    {"profile", "pg", Value::None},
    {"debug", "g", Value::None},
    {"device-debug", "G", Value::None, Action::Macro, "__CUDACC_DEBUG__"},
    {"generate-line-info", "lineinfo", Value::None},
    {"optimization-info", "opt-info", Value::Word},
    {"optimize", "O", Value::Letter},
    {"Ofast-compile", "Ofc", Value::Word},
    {"dopt", No, Value::Word},
    {"dlink-time-opt", "dlto", Value::None},
    {"lto", No, Value::None},
    {"gen-opt-lto", No, Value::None},
    {"ftemplate-backtrace-limit", No, Value::Word},
    {"ftemplate-depth", No, Value::Word, Action::Each, "-ftemplate-depth="},
    {"no-exceptions", "noeh", Value::None},
    {"shared", No, Value::None},
    {"x", No, Value::Letter, Action::Language},
    {"std", No, Value::Word, Action::Std},
    {"no-host-device-initializer-list", "nohdinitlist", Value::None},
    {"no-host-device-move-forward", "nohdmoveforward", Value::None},
    {"expt-relaxed-constexpr", No, Value::None, Action::Macro, "__CUDACC_RELAXED_CONSTEXPR__"},
    {"extended-lambda", No, Value::None, Action::Macro, "__CUDACC_EXTENDED_LAMBDA__"},
    {"expt-extended-lambda", No, Value::None, Action::Macro, "__CUDACC_EXTENDED_LAMBDA__"},
    {"machine", "m", Value::Word},
    {"m64", No, Value::None},
    {"compiler-options", "Xcompiler", Value::Word, Action::Host},
    {"linker-options", "Xlinker", Value::Word},
    {"archive-options", "Xarchive", Value::Word},
    {"ptxas-options", "Xptxas", Value::Word},
    {"nvlink-options", "Xnvlink", Value::Word},
    {"static-global-template-stub", No, Value::Word},
    {"device-entity-has-hidden-visibility", No, Value::Word},
    {"forward-unknown-to-host-compiler", No, Value::None},
    {"forward-unknown-to-host-linker", No, Value::None},
    {"forward-unknown-opts", No, Value::None},
    {"dont-use-profile", "noprof", Value::None},
    {"dryrun", No, Value::None, Action::NoCompilation},
    {"verbose", "v", Value::None},
    {"threads", "t", Value::Word},
    {"split-compile", No, Value::Word},
    {"split-compile-extended", No, Value::Word},
    {"fdevice-syntax-only", No, Value::None},
    {"fdevice-time-trace", No, Value::Word},
    {"keep", No, Value::None},
    {"keep-dir", No, Value::Word},
    {"save-temps", No, Value::None},
    {"clean-targets", "clean", Value::None, Action::NoCompilation},
    {"time", No, Value::Word},
    {"run-args", No, Value::Word},
    {"input-drive-prefix", "idp", Value::Word},
    {"dependency-drive-prefix", "ddp", Value::Word},
    {"drive-prefix", "dp", Value::Word},
    {"dependency-target-name", "MT", Value::Word},
    {"no-device-link", "nodlink", Value::None},
    {"gpu-architecture", "arch", Value::Word, Action::Arch},
    {"gpu-code", "code", Value::Word, Action::Arch},
    {"generate-code", "gencode", Value::Word, Action::Arch},
    {"relocatable-device-code", "rdc", Value::Word, Action::MacroIfTrue, "__CUDACC_RDC__"},
    {"entries", "e", Value::Word},
    {"maxrregcount", No, Value::Word},
    {"use_fast_math", No, Value::None},
    {"ftz", No, Value::Word},
    {"prec-div", No, Value::Word},
    {"prec-sqrt", No, Value::Word},
    {"fmad", No, Value::Word},
    {"extra-device-vectorization", No, Value::None},
    {"default-stream", No, Value::Word, Action::MacroOfStream, "CUDA_API_PER_THREAD_DEFAULT_STREAM=1"},
    {"disable-warnings", "w", Value::None},
    {"keep-device-functions", No, Value::None},
    {"source-in-ptx", "src-in-ptx", Value::None},
    {"restrict", No, Value::None},
    {"Wreorder", No, Value::None},
    {"Wdefault-stream-launch", No, Value::None},
    {"Wmissing-launch-bounds", No, Value::None},
    {"Wext-lambda-captures-this", No, Value::None},
    {"Wno-deprecated-declarations", No, Value::None},
    {"Wno-deprecated-gpu-targets", No, Value::None},
    {"Werror", No, Value::Kinds},
    {"resource-usage", "res-usage", Value::None},
    {"extensible-whole-program", "ewp", Value::None},
    {"no-compress", No, Value::None},
    {"qpp-config", No, Value::None},
    {"compile-as-tools-patch", "astoolspatch", Value::None},
    {"list-gpu-code", "code-ls", Value::None, Action::NoCompilation},
    {"list-gpu-arch", "arch-ls", Value::None, Action::NoCompilation},
    {"display-error-number", "err-no", Value::None},
    {"no-display-error-number", "no-err-no", Value::None},
    {"diag-error", No, Value::Word},
    {"diag-suppress", No, Value::Word},
    {"diag-warn", No, Value::Word},
    {"host-linker-script", "hls", Value::Word},
    {"augment-host-linker-script", "aug-hls", Value::None},
    {"relocatable-link", "r", Value::None},
    {"brief-diagnostics", "brief-diag", Value::Word},
    {"jump-table-density", "jtd", Value::Word},
    {"relocatable-ptx", "reloc-ptx", Value::None},
    {"device-stack-protector", No, Value::Word},
    {"compress-mode", No, Value::Word},
    {"frandom-seed", No, Value::Word},
    {"sanitize", No, Value::Word},
    {"jobserver", No, Value::None},
    {"help", "h", Value::None, Action::NoCompilation},
    {"version", "V", Value::None, Action::NoCompilation},
    {"options-file", "optf", Value::Word, Action::ResponseFiles},
    // Accepted, though --help is silent about them.
    {"cudafe-options", "Xcudafe", Value::Word},
    {"fatbin-options", "Xfatbin", Value::Word},
    {"cicc-options", "Xcicc", Value::Word},
    {"opencc-options", "Xopencc", Value::Word},
    {"nvasm-options", "Xnvasm", Value::Word},
    {"nvdisasm-options", "Xnvdisasm", Value::Word},
    {"no-device-inline", "nodinline", Value::None},
    {"aggressive-inline", No, Value::None},
    {"no-align-double", No, Value::None},
    {"no-lineinfo-ia", No, Value::None},
    {"fassociative-math", No, Value::None},
    {"legacy-launch-seq", No, Value::None},
    {"no-shadow-functions", No, Value::None},
    {"host-relocatable-link", "host-r", Value::None},
    {"cuda-api-version", No, Value::Word},
    {"nvvm-version", No, Value::Word},
};

const StringMap<const Row *> &rowsByName() {
  static const StringMap<const Row *> Map = [] {
    StringMap<const Row *> Result;
    for (const Row &R : Rows) {
      Result[R.name] = &R;
      if (!R.shortName.empty())
        Result[R.shortName] = &R;
    }
    return Result;
  }();
  return Map;
}

bool isErrorKind(StringRef Word) {
  SmallVector<StringRef> Kinds;
  Word.split(Kinds, ',');
  return all_of(Kinds, [](StringRef Kind) {
    return StringSwitch<bool>(Kind)
        .Cases({"all-warnings", "cross-execution-space-call", "reorder", "default-stream-launch"}, true)
        .Cases({"ext-lambda-captures-this", "deprecated-declarations", "missing-launch-bounds"}, true)
        .Case("deprecated-gpu-targets", true)
        .Default(false);
  });
}

/// The items of nvcc's list values: separated by commas unless these stand in double quotes, which stay part
/// of the item (-DNAME="a,b"). A backslash hides what follows; on Windows it mostly is one of a path.
std::vector<std::string> items(StringRef List, bool Windows) {
  std::vector<std::string> Result;
  std::string Item;
  bool Quoted = false;
  auto Close = [&] {
    std::string Trimmed = StringRef(Item).ltrim().str();
    if (!Trimmed.empty())
      Result.push_back(std::move(Trimmed));
    Item.clear();
  };
  for (size_t I = 0; I < List.size(); ++I) {
    char C = List[I];
    if (C == '\\' && I + 1 < List.size() && (!Windows || StringRef(",\"").contains(List[I + 1]))) {
      Item += List[++I];
      continue;
    }
    if (C == '"')
      Quoted = !Quoted;
    if (C == ',' && !Quoted)
      Close();
    else
      Item += C;
  }
  Close();
  return Result;
}

/// How an option of clang or gcc bears on parsing.
enum class Bearing { None, Keep, Folder, Standard };

Bearing bearing(unsigned ID) {
  namespace o = clang::options;
  switch (ID) {
  case o::OPT_I:
  case o::OPT_isystem:
  case o::OPT_isystem_after:
  case o::OPT_iquote:
  case o::OPT_idirafter:
  case o::OPT_cxx_isystem:
  case o::OPT_isysroot:
  case o::OPT__sysroot_EQ:
  case o::OPT_stdlibxx_isystem:
  case o::OPT_gcc_toolchain:
  case o::OPT_gcc_install_dir_EQ:
    return Bearing::Folder;
  case o::OPT_std_EQ:
    return Bearing::Standard;
  case o::OPT_D:
  case o::OPT_U:
  case o::OPT_include:
  case o::OPT_imacros:
  case o::OPT_iprefix:
  case o::OPT_iwithprefix:
  case o::OPT_iwithprefixbefore:
  case o::OPT_stdlib_EQ:
  case o::OPT_nostdinc:
  case o::OPT_nostdincxx:
  case o::OPT_target:
  case o::OPT_pthread:
  case o::OPT_fchar8__t:
  case o::OPT_fno_char8__t:
  case o::OPT_fsigned_char:
  case o::OPT_fno_signed_char:
  case o::OPT_funsigned_char:
  case o::OPT_fno_unsigned_char:
  case o::OPT_fshort_enums:
  case o::OPT_fno_short_enums:
  case o::OPT_fshort_wchar:
  case o::OPT_fms_extensions:
  case o::OPT_fno_ms_extensions:
  case o::OPT_fdeclspec:
  case o::OPT_fno_operator_names:
  case o::OPT_fgnu_keywords:
  case o::OPT_fpack_struct_EQ:
  case o::OPT_ftemplate_depth_EQ:
  case o::OPT_fconstexpr_depth_EQ:
  case o::OPT_fconstexpr_steps_EQ:
  case o::OPT_fbracket_depth_EQ:
  case o::OPT_fgpu_default_stream_EQ:
  case o::OPT_fgpu_rdc:
  case o::OPT_ffast_math:
    return Bearing::Keep;
  default:
    return Bearing::None;
  }
}

/// Options of gcc that Clang's table lacks, joined values with their '='.
constexpr StringLiteral GccOptions[] = {
#include "analyzer/frontend/GccOptions.inc"
};

bool isGccOption(StringRef Word) {
  std::string Name = Word.take_front(Word.find('=')).str() + (Word.contains('=') ? "=" : "");
  // "-fno-x" negates "-fx".
  std::string Positive = Name;
  if (StringRef(Name).drop_front(2).starts_with("no-"))
    Positive.erase(2, 3);
  return Word.starts_with("-fdump-") || binary_search(GccOptions, StringRef(Name)) ||
         binary_search(GccOptions, StringRef(Positive));
}

/// Clang's table has letters of linkers and assemblers that swallow whatever follows them: "-bogus" is
/// "-b ogus" there. Is that reading one that somebody can have meant?
bool isLikelyReading(StringRef Spelling, StringRef Word) {
  if (Spelling.size() != 2 || Word.size() == 2)
    return true;
  StringRef Rest = Word.drop_front(2);
  switch (Spelling[1]) {
  case 'D':
  case 'U':
  case 'I':
  case 'L':
  case 'l':
  case 'F':
  case 'B':
  case 'W':
    return true;
  case 'O':
    return all_of(Rest, isDigit) || Rest == "s" || Rest == "z" || Rest == "g" || Rest == "fast";
  case 'x':
    return StringSwitch<bool>(Rest).Cases({"cu", "cuda", "hip", "c", "c++", "none"}, true).Default(false);
  case 'd':
    return all_of(Rest, [](char C) { return C >= 'A' && C <= 'Z'; });
  case 'G':
    return all_of(Rest, isDigit);
  case 'R':
    return Rest.starts_with("pass");
  case 'o':
  case 'T':
    return Rest.contains('.') || Rest.contains('/');
  case 'u':
    return Rest.starts_with("_");
  case 'A':
    return Rest.contains('=');
  default:
    return false;
  }
}

/// Whose reading of a word counts first; some spellings mean different things to different compilers.
enum class Dialect { Nvcc, Gnu, Msvc };

class Translator {
public:
  Translator(StringRef Directory) : Directory(Directory) {}

  Translation run(ArrayRef<std::string> Words, bool HasProgram) {
    if (HasProgram)
      if (size_t At = findCompiler(Words); At < Words.size()) {
        Result.compiler = Words[At];
        Words = Words.drop_front(At + 1);
      }
    Windows = isWindowsCommand(Result.compiler, Directory);
    std::string Program = programName(Result.compiler);
    Nvhpc = StringRef(Program).starts_with("nvc++") || Program == "nvc";
    std::vector<std::string> Rest;
    expand(Words, Rest);
    words(Rest, dialectOf(Program));
    hostOptions();
    if (!Unknown.empty())
      Result.notes.push_back("unknown options were dropped: " + llvm::join(Unknown, " "));
    return std::move(Result);
  }

private:
  static Dialect dialectOf(StringRef Program) {
    if (Program.contains("nvcc") || Program.empty())
      return Dialect::Nvcc;
    if (Program == "cl" || Program.contains("clang-cl"))
      return Dialect::Msvc;
    bool Gnu = any_of(ArrayRef<StringRef>{"clang", "g++", "gcc", "c++", "cc", "icp", "icx", "mpi"},
                      [&](StringRef Part) { return Program.contains(Part); });
    return Gnu ? Dialect::Gnu : Dialect::Nvcc;
  }

  std::string absolute(StringRef Name) const {
    if (path::is_absolute(Name) || isWindowsPath(Name))
      return Name.str();
    SmallString<256> Folder(Name);
    path::make_absolute(Directory, Folder);
    path::remove_dots(Folder, /*remove_dot_dot=*/false);
    return std::string(Folder);
  }

  /// Puts the contents of response files in place of their names.
  void expand(ArrayRef<std::string> Words, std::vector<std::string> &Into) {
    for (size_t I = 0; I < Words.size(); ++I) {
      StringRef Word = Words[I];
      if (Word.size() > 1 && Word.starts_with("@")) {
        expandFile(Word.drop_front(), Into);
        continue;
      }
      StringRef Name = Word.ltrim('-');
      auto [Stem, Joined] = Name.split('=');
      bool IsOption = Word.starts_with("-") && (Stem == "options-file" || Stem == "optf");
      if (IsOption && (Name.contains('=') || I + 1 < Words.size())) {
        for (const std::string &File : items(Name.contains('=') ? Joined : StringRef(Words[++I]), Windows))
          expandFile(StringRef(File).trim('"'), Into);
        continue;
      }
      Into.push_back(Word.str());
    }
  }

  void expandFile(StringRef Name, std::vector<std::string> &Into) {
    // Far beyond what build systems write; a file of many names of files must not fill the memory.
    constexpr unsigned MaxFiles = 256;
    constexpr uint64_t MaxSize = 16 << 20;
    std::string File = absolute(Name);
    auto Say = [&](const Twine &What) {
      std::string Note = ("response file '" + File + "' " + What).str();
      if (!is_contained(Result.notes, Note))
        Result.notes.push_back(std::move(Note));
    };
    if (is_contained(OpenFiles, File))
      return Say("names itself");
    if (++FilesRead > MaxFiles)
      return FilesRead == MaxFiles + 1 ? Say("is one of too many") : void();
    sys::fs::file_status Status;
    if (std::error_code Problem = sys::fs::status(File, Status))
      return Say("cannot be read: " + Problem.message());
    if (!sys::fs::is_regular_file(Status) || Status.getSize() > MaxSize)
      return Say("cannot be read: it is no file of a sensible size");
    auto Buffer = MemoryBuffer::getFile(File);
    if (!Buffer)
      return Say("cannot be read: " + Buffer.getError().message());
    StringRef Text = (*Buffer)->getBuffer();
    Text.consume_front("\xef\xbb\xbf");
    BumpPtrAllocator Memory;
    StringSaver Saver(Memory);
    SmallVector<const char *> Tokens;
    if (Windows)
      cl::TokenizeWindowsCommandLine(Text, Saver, Tokens);
    else
      cl::TokenizeGNUCommandLine(Text, Saver, Tokens);
    OpenFiles.push_back(File);
    expand(std::vector<std::string>(Tokens.begin(), Tokens.end()), Into);
    OpenFiles.pop_back();
  }

  void words(ArrayRef<std::string> Words, Dialect First) {
    for (size_t I = 0; I < Words.size();) {
      StringRef Word = Words[I];
      bool IsOption = Word.size() > 1 && (Word[0] == '-' || (Word[0] == '/' && First == Dialect::Msvc));
      if (Word == "--") { // what follows are inputs
        for (++I; I < Words.size(); ++I)
          addInput(Words[I]);
        return;
      }
      if (!IsOption) {
        addInput(Word);
        ++I;
        continue;
      }
      size_t Used = option(Words.drop_front(I), First);
      if (!Used && !is_contained(Unknown, Word))
        Unknown.push_back(Word.str());
      I += std::max<size_t>(Used, 1);
    }
  }

  /// Words that are the value of an option: none of them is an input, whatever it looks like.
  void innerWords(ArrayRef<std::string> Words, Dialect First) {
    std::vector<std::string> Inputs = Result.inputs;
    const bool Compiles = Result.compiles;
    words(Words, First);
    Result.inputs = std::move(Inputs);
    Result.compiles = Compiles;
  }

  void addInput(StringRef Word) {
    if (!Word.empty())
      Result.inputs.push_back(Word.str());
  }

  /// Takes an option from the front of `Words`; returns how many words it was, 0 if nobody knows it.
  size_t option(ArrayRef<std::string> Words, Dialect First) {
    size_t Used = Nvhpc ? nvhpc(Words) : 0;
    switch (First) {
    case Dialect::Nvcc:
      Used = Used ? Used : nvcc(Words);
      return Used ? Used : gnu(Words);
    case Dialect::Gnu:
      Used = Used ? Used : gnu(Words);
      return Used ? Used : nvcc(Words);
    case Dialect::Msvc:
      Used = gnu(Words); // its spellings with a hyphen mean the same here
      Used = Used ? Used : msvc(Words);
      // Whatever else MSVC knows is about code, not about parsing.
      return Used ? Used : StringRef(Words[0]).starts_with("/");
    }
    llvm_unreachable("no such dialect");
  }

  /// Takes an option of nvcc from the front of `Words`; returns how many words it was, 0 if it is none.
  size_t nvcc(ArrayRef<std::string> Words) {
    StringRef Word = Words[0];
    if (!Word.starts_with("-"))
      return 0;
    StringRef Name = Word.drop_front(Word.starts_with("--") ? 2 : 1);
    const StringMap<const Row *> &Map = rowsByName();

    if (auto At = Map.find(Name); At != Map.end()) {
      const Row &R = *At->second;
      if (R.value == Value::None) {
        act(R, "");
        return 1;
      }
      if (R.value == Value::Kinds && (Words.size() < 2 || !isErrorKind(Words[1])))
        return 1;
      if (Words.size() > 1)
        act(R, Words[1]);
      return std::min<size_t>(2, Words.size());
    }
    auto [Stem, Joined] = Name.split('=');
    if (Name.contains('='))
      if (auto At = Map.find(Stem); At != Map.end()) {
        if (At->second->value != Value::None)
          act(*At->second, Joined);
        else if (Joined != "false")
          act(*At->second, "");
        return 1;
      }
    if (Word.starts_with("--"))
      return 0;
    // -fPIC, -Wall and -march are the host compiler's; none of nvcc's letters starts like them.
    for (StringRef Letter : {"isystem", "I", "D", "U", "L", "l", "O", "x", "o"})
      if (Name.starts_with(Letter) && (Letter.size() > 1 || isLikelyReading(Word.take_front(2), Word))) {
        act(*Map.find(Letter)->second, Name.drop_front(Letter.size()));
        return 1;
      }
    if (Name.starts_with("t") && Name.size() > 1 && all_of(Name.drop_front(), isDigit))
      return 1;
    return 0;
  }

  void act(const Row &R, StringRef Val) {
    auto Emit = [&](bool Folder) {
      for (const std::string &Item : items(Val, Windows)) {
        std::string Text = Folder ? absolute(StringRef(Item).trim('"')) : Item;
        if (R.text.ends_with("=") || R.text.size() == 2)
          Result.options.push_back(R.text.str() + Text);
        else
          Result.options.insert(Result.options.end(), {R.text.str(), Text});
      }
    };
    switch (R.action) {
    case Action::Drop:
      return;
    case Action::MacroIfTrue:
      return setMacro(R.text, Val == "true");
    case Action::MacroOfStream:
      return setMacro(R.text, Val == "per-thread");
    case Action::Macro:
      return setMacro(R.text, true);
    case Action::Each:
      return Emit(false);
    case Action::EachFolder:
      return Emit(true);
    case Action::Std:
      return addStandard(Val);
    case Action::Arch:
      return addArchs(Val);
    case Action::Language:
      Result.language = Val.str();
      return;
    case Action::Host:
      append_range(HostOptions, items(Val, Windows));
      return;
    case Action::ResponseFiles:
      return; // expanded beforehand
    case Action::NoCompilation:
      Result.compiles = false;
      return;
    }
  }

  /// Macros that stand for an option: the last word about the option counts.
  void setMacro(StringRef Text, bool Defined) {
    std::string Macro = "-D" + Text.str();
    auto At = find(Result.options, Macro);
    if (Defined && At == Result.options.end())
      Result.options.push_back(std::move(Macro));
    else if (!Defined && At != Result.options.end())
      Result.options.erase(At);
  }

  /// What -Xcompiler collected: nvcc puts all of it in one line, which a shell takes apart once more. It
  /// comes before nvcc's own options, which therefore win.
  void hostOptions() {
    if (HostOptions.empty())
      return;
    std::string Line = llvm::join(HostOptions, " ");
    std::vector<std::string> Own = std::move(Result.options);
    Result.options.clear();
    std::vector<std::string> Words = Windows ? splitForWindows(Line) : splitForShell(Line);
    // MSVC's options need no Windows here to be recognised: other compilers have none that begin with '/'.
    bool Msvc = Windows || any_of(Words, [](StringRef Word) { return Word.starts_with("/"); });
    innerWords(Words, Msvc ? Dialect::Msvc : Dialect::Gnu);
    append_range(Result.options, Own);
  }

  void addStandard(StringRef Name) {
    if (Name == "c++latest")
      Name = "c++23";
    ::clang::LangStandard::Kind Kind = ::clang::LangStandard::getLangKind(Name);
    if (Kind == ::clang::LangStandard::lang_unspecified)
      Unknown.push_back("-std=" + Name.str());
    else if (::clang::LangStandard::getLangStandardForKind(Kind).isCPlusPlus()) // C's are for other files
      Result.options.push_back("-std=" + Name.str());
  }

  /// "sm_80", "arch=compute_80,code=[compute_80,sm_80]", "all", "native".
  void addArchs(StringRef Text) {
    SmallVector<StringRef> Parts;
    SplitString(Text, Parts, ",=[]\"' \\");
    for (StringRef Part : Parts) {
      if (Part.starts_with("sm_") || Part.starts_with("compute_") || Part.starts_with("lto_"))
        Result.archs.push_back(Part.str());
      else if (Part.starts_with("gfx"))
        Result.language = "hip";
      else if (Part == "native" || Part == "all" || Part == "all-major")
        Result.unnamedArch = Part.str();
    }
  }

  /// The HPC SDK's nvc++ has options of its own, some of which read differently elsewhere ("-target=gpu").
  size_t nvhpc(ArrayRef<std::string> Words) {
    StringRef Word = Words[0];
    if (Word == "-cuda" || Word.starts_with("-cuda=")) {
      Result.language = "cu";
      return 1;
    }
    if (Word.consume_front("-gpu=") || Word.consume_front("-ta=") || Word.consume_front("-cuda=")) {
      SmallVector<StringRef> Parts;
      SplitString(Word, Parts, ",:");
      for (StringRef Part : Parts)
        if (Part.consume_front("cc") && !Part.empty() && isDigit(Part[0]))
          Result.archs.push_back("sm_" + Part.str());
      return 1;
    }
    if (Word.starts_with("--c++") || Word.starts_with("--gnu++")) {
      addStandard(Word.drop_front(2));
      return 1;
    }
    for (StringRef Own : {"-acc", "-stdpar", "-mp", "-tp", "-fast", "-cudalib", "-gopt", "-target=", "-Minfo",
                          "-Mcuda", "-Mpreprocess", "-Mnvpl", "-static-nvidia", "-gpu", "-nomp", "-Kieee"})
      if (Word.starts_with(Own))
        return 1;
    // -Mname, but not make's dependencies.
    return Word.size() > 2 && Word.starts_with("-M") && isLower(Word[2]);
  }

  /// The options for which Clang's table is read: with the words that are theirs.
  struct Parsed {
    std::unique_ptr<opt::Arg> arg;
    unsigned id = 0;
    unsigned words = 0;
  };

  static Parsed parse(ArrayRef<std::string> Words, unsigned Visibility) {
    SmallVector<const char *, 4> Raw;
    for (const std::string &Word : Words.take_front(4))
      Raw.push_back(Word.c_str());
    opt::InputArgList List(Raw.begin(), Raw.end());
    Parsed Result;
    Result.arg = ::clang::getDriverOptTable().ParseOneArg(List, Result.words, opt::Visibility(Visibility));
    if (Result.arg)
      Result.id = Result.arg->getOption().getUnaliasedOption().getID();
    return Result;
  }

  static StringRef valueOf(const opt::Arg &Arg) { return Arg.getNumValues() ? Arg.getValue() : ""; }

  /// `Option` in front of each of several words: "-Xclang -include -Xclang a.h" is "-include a.h".
  static std::vector<std::string> passedOn(ArrayRef<std::string> Words, StringRef Option) {
    std::vector<std::string> Result;
    for (size_t I = 0; I + 1 < Words.size() && Words[I] == Option; I += 2)
      Result.push_back(Words[I + 1]);
    return Result;
  }

  /// Takes an option of clang or gcc from the front of `Words`; returns how many words it was, 0 if it is
  /// none.
  size_t gnu(ArrayRef<std::string> Words) {
    namespace o = ::clang::options;
    if (!StringRef(Words[0]).starts_with("-"))
      return 0;
    Parsed P = parse(Words, o::ClangOption);
    if (!P.arg || P.words > Words.size()) // the value is missing
      return P.arg ? 1 : 0;
    if (is_contained({"-dumpbase", "-dumpbase-ext", "-dumpdir", "-aux-info", "-wrapper"},
                     StringRef(Words[0])))
      return std::min<size_t>(2, Words.size()); // gcc's, with a value
    if (P.id == o::OPT_UNKNOWN || P.id == o::OPT_INPUT)
      return isGccOption(Words[0]);
    if (!isLikelyReading(P.arg->getSpelling(), Words[0]))
      return 0;
    StringRef Val = valueOf(*P.arg);
    switch (P.id) {
    case o::OPT_x:
      Result.language = Val.str();
      break;
    case o::OPT_offload_arch_EQ:
      for (const char *Each : P.arg->getValues())
        addArchs(Each);
      break;
    case o::OPT_cuda_path_EQ:
      Result.cudaPath = Val.str();
      break;
    case o::OPT_E:
    case o::OPT_M:
    case o::OPT_MM:
    case o::OPT__HASH_HASH_HASH:
    case o::OPT__version:
    case o::OPT_help:
      Result.compiles = false;
      break;
    case o::OPT_Xclang:
      return cc1Options(Words);
    case o::OPT_Xpreprocessor: {
      std::vector<std::string> Values = passedOn(Words, Words[0]);
      innerWords(Values, Dialect::Gnu);
      return std::max<size_t>(2 * Values.size(), P.words);
    }
    case o::OPT_Wp_COMMA:
      innerWords(std::vector<std::string>(P.arg->getValues().begin(), P.arg->getValues().end()),
                 Dialect::Gnu);
      break;
    case o::OPT_Xarch_device: // the device side is what is parsed
      innerWords(Val.str(), Dialect::Gnu);
      break;
    default:
      keep(P, Words);
    }
    return P.words;
  }

  /// Hands an option on if it bears on parsing.
  void keep(const Parsed &P, ArrayRef<std::string> Words) {
    switch (bearing(P.id)) {
    case Bearing::None:
      return;
    case Bearing::Standard:
      return addStandard(valueOf(*P.arg));
    case Bearing::Keep:
      for (unsigned I = 0; I < P.words; ++I)
        Result.options.push_back(Words[I]);
      return;
    case Bearing::Folder: {
      // GCC has no "-I=dir", but nvcc has, and its options come through -Xcompiler too.
      StringRef Val = valueOf(*P.arg);
      std::string Spelling = P.arg->getOption().getUnaliasedOption().getPrefixedName().str();
      if (Spelling.ends_with("=") || P.id == ::clang::options::OPT_I)
        Result.options.push_back(Spelling + absolute(Val));
      else
        Result.options.insert(Result.options.end(), {Spelling, absolute(Val)});
      return;
    }
    }
  }

  /// The words after -Xclang are for a compiler proper. Those about the language and the preprocessor stay;
  /// others may load plugins or write files.
  size_t cc1Options(ArrayRef<std::string> Words) {
    namespace o = ::clang::options;
    std::vector<std::string> Values = passedOn(Words, "-Xclang");
    for (ArrayRef<std::string> Rest = Values; !Rest.empty();) {
      Parsed P = parse(Rest, o::CC1Option);
      if (!P.arg || P.words > Rest.size())
        break;
      switch (P.id) {
      case o::OPT_fcuda_allow_variadic_functions:
      case o::OPT_fno_cuda_host_device_constexpr:
      case o::OPT_fgpu_allow_device_init:
      case o::OPT_fgpu_exclude_wrong_side_overloads:
      case o::OPT_fgpu_defer_diag:
        Result.options.insert(Result.options.end(), {"-Xclang", Rest[0]});
        break;
      default:
        keep(P, Rest);
      }
      Rest = Rest.drop_front(P.words);
    }
    return std::max<size_t>(2 * Values.size(), 1);
  }

  /// Takes an option of MSVC's compiler from the front of `Words`.
  size_t msvc(ArrayRef<std::string> Words) {
    namespace o = ::clang::options;
    Parsed P = parse(Words, o::CLOption);
    if (!P.arg || P.words > Words.size() || P.id == o::OPT_UNKNOWN || P.id == o::OPT_INPUT)
      return 0;
    StringRef Val = valueOf(*P.arg);
    switch (P.id) {
    case o::OPT_D:
    case o::OPT__SLASH_D:
      Result.options.push_back("-D" + Val.str());
      break;
    case o::OPT_U:
    case o::OPT__SLASH_U:
      Result.options.push_back("-U" + Val.str());
      break;
    case o::OPT_I:
    case o::OPT__SLASH_I:
      Result.options.push_back("-I" + absolute(Val));
      break;
    case o::OPT__SLASH_imsvc:
    case o::OPT__SLASH_external_COLON_I:
      Result.options.insert(Result.options.end(), {"-isystem", absolute(Val)});
      break;
    case o::OPT_include:
    case o::OPT__SLASH_FI:
      Result.options.insert(Result.options.end(), {"-include", Val.str()});
      break;
    case o::OPT__SLASH_std:
      addStandard(Val);
      break;
    default:
      break;
    }
    return P.words;
  }

  StringRef Directory;
  Translation Result;
  bool Windows = false;
  bool Nvhpc = false;
  std::vector<std::string> HostOptions; ///< of -Xcompiler, quotes and all
  std::vector<std::string> OpenFiles;   ///< response files that are being read
  unsigned FilesRead = 0;
  std::vector<std::string> Unknown;
};

} // namespace

Translation translate(ArrayRef<std::string> Words, bool HasProgram, StringRef Directory) {
  return Translator(Directory).run(Words, HasProgram);
}

std::string highestArch(ArrayRef<std::string> Archs) {
  std::string Best;
  unsigned BestNumber = 0;
  for (StringRef Arch : Archs) {
    std::string Name = "sm_" + Arch.split('_').second.str();
    // "sm_120f" and suffixes to come: the plain architecture is the nearest that Clang knows.
    if (::clang::StringToOffloadArch(Name) == ::clang::OffloadArch::UNKNOWN)
      Name = "sm_" + Arch.split('_').second.take_while(isDigit).str();
    if (!::clang::IsNVIDIAOffloadArch(::clang::StringToOffloadArch(Name)))
      continue;
    unsigned Number = 0;
    StringRef Digits = StringRef(Name).drop_front(3);
    Digits.consumeInteger(10, Number);
    // sm_90a has all that sm_90 has, and more.
    if (Number > BestNumber || (Number == BestNumber && !Digits.empty())) {
      BestNumber = Number;
      Best = Name;
    }
  }
  return Best;
}

} // namespace warplint::frontend
