//===-- NvccOptions.cpp - Compile commands in clang's words ---------------===//
#include "analyzer/frontend/NvccOptions.h"
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
    {"preprocess", "E", Value::None},
    {"generate-dependencies", "M", Value::None},
    {"generate-nonsystem-dependencies", "MM", Value::None},
    {"generate-dependencies-with-compile", "MD", Value::None},
    {"generate-nonsystem-dependencies-with-compile", "MMD", Value::None},
    {"dependency-output", "MF", Value::Word},
    {"generate-dependency-targets", "MP", Value::None},
    {"compile", "c", Value::None},
    {"device-c", "dc", Value::None, Action::Macro, "__CUDACC_RDC__"},
    {"device-w", "dw", Value::None},
    {"device-link", "dlink", Value::None},
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
    {"dryrun", No, Value::None},
    {"verbose", "v", Value::None},
    {"threads", "t", Value::Word},
    {"split-compile", No, Value::Word},
    {"split-compile-extended", No, Value::Word},
    {"fdevice-syntax-only", No, Value::None},
    {"fdevice-time-trace", No, Value::Word},
    {"keep", No, Value::None},
    {"keep-dir", No, Value::Word},
    {"save-temps", No, Value::None},
    {"clean-targets", "clean", Value::None},
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
    {"list-gpu-code", "code-ls", Value::None},
    {"list-gpu-arch", "arch-ls", Value::None},
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
    {"help", "h", Value::None},
    {"version", "V", Value::None},
    {"options-file", "optf", Value::Word, Action::ResponseFiles},
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

/// The items of nvcc's list values: separated by commas, unless quoted or escaped; `Blanks` separate too
/// where nvcc hands the value to a shell. Quotes are kept where they are part of an item (-DNAME="a,b").
std::vector<std::string> items(StringRef List, bool Blanks) {
  std::vector<std::string> Result;
  std::string Item;
  char Quote = 0;
  for (size_t I = 0; I < List.size(); ++I) {
    char C = List[I];
    if (C == '\\' && I + 1 < List.size()) {
      // Only what would end an item needs the escape, and loses it.
      if (char Next = List[++I]; Next != ',' && !(Blanks && (Next == ' ' || Next == '"' || Next == '\'')))
        Item += C;
      Item += List[I];
      continue;
    }
    if (Quote) {
      if (C == Quote)
        Quote = 0;
      if (Quote || !Blanks)
        Item += C;
      continue;
    }
    if (C == '"' || C == '\'') {
      Quote = C;
      if (!Blanks)
        Item += C;
      continue;
    }
    if (C == ',' || (Blanks && isSpace(C))) {
      if (!Item.empty())
        Result.push_back(std::move(Item));
      Item.clear();
      continue;
    }
    Item += C;
  }
  if (!Item.empty())
    Result.push_back(std::move(Item));
  return Result;
}

/// How an option of clang or gcc bears on parsing.
enum class Bearing { None, Keep, Folder };

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
  case o::OPT_D:
  case o::OPT_U:
  case o::OPT_include:
  case o::OPT_imacros:
  case o::OPT_iprefix:
  case o::OPT_iwithprefix:
  case o::OPT_iwithprefixbefore:
  case o::OPT_std_EQ:
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

class Translator {
public:
  Translator(StringRef Directory) : Directory(Directory) {}

  Translation run(ArrayRef<std::string> Words, bool HasProgram) {
    size_t First = HasProgram ? findCompiler(Words) : 0;
    std::vector<std::string> Rest;
    expand(Words.drop_front(First), Rest, 0);
    // Spellings that both compilers have mean what the command's own compiler takes them for.
    StringRef Program = path::filename(Result.compiler);
    bool ClangFirst = Program.contains("clang") && !Program.contains("nvcc");
    words(Rest, ClangFirst);
    if (!Unknown.empty())
      Result.notes.push_back("options without meaning for a parse were dropped: " + llvm::join(Unknown, " "));
    return std::move(Result);
  }

private:
  static bool isLauncher(StringRef Word) {
    StringRef Name = path::filename(Word);
    Name.consume_back(".exe");
    return StringSwitch<bool>(Name)
        .Cases({"ccache", "sccache", "distcc", "icecc", "gomacc", "buildcache", "fastbuild", "reclient"},
               true)
        .Cases({"rewrapper", "env", "time", "nice", "ionice", "cccache", "ccache-swig", "pump", "recc"}, true)
        .Default(false);
  }

  static bool isCompiler(StringRef Word) {
    StringRef Name = path::filename(Word);
    Name.consume_back(".exe");
    return Name.contains("nvcc") || Name.contains("clang") || Name.contains("hipcc") || Name == "g++" ||
           Name == "gcc" || Name == "c++" || Name == "cc" || Name.ends_with("-g++") ||
           Name.ends_with("-gcc") || Name.contains("crosstool_wrapper");
  }

  /// Finds the compiler behind launchers ("ccache nvcc", "env X=Y nvcc", "cmake -E env nvcc") and returns the
  /// index of its first argument.
  size_t findCompiler(ArrayRef<std::string> Words) {
    if (Words.empty())
      return 0;
    bool Launched = isLauncher(Words[0]) || StringRef(Words[0]).contains('=') ||
                    path::stem(Words[0]) == "cmake" || path::stem(Words[0]).starts_with("python");
    if (Launched || !isCompiler(Words[0]))
      for (size_t I = Launched ? 1 : 0; I < Words.size(); ++I) {
        if (isCompiler(Words[I]) && !StringRef(Words[I]).starts_with("-")) {
          Result.compiler = Words[I];
          return I + 1;
        }
        // Options in front of a compiler are a launcher's; without a launcher they end the search.
        if (!Launched && StringRef(Words[I]).starts_with("-"))
          break;
      }
    Result.compiler = Words[0];
    return 1;
  }

  std::string absolute(StringRef Name) const {
    if (path::is_absolute(Name))
      return Name.str();
    SmallString<256> Folder(Name);
    path::make_absolute(Directory, Folder);
    path::remove_dots(Folder, /*remove_dot_dot=*/false);
    return std::string(Folder);
  }

  /// Puts the contents of response files in place of their names.
  void expand(ArrayRef<std::string> Words, std::vector<std::string> &Into, unsigned Depth) {
    for (size_t I = 0; I < Words.size(); ++I) {
      StringRef Word = Words[I];
      if (Word.size() > 1 && Word.starts_with("@")) {
        expandFile(Word.drop_front(), Into, Depth);
        continue;
      }
      StringRef Name = Word.ltrim('-');
      auto [Stem, Joined] = Name.split('=');
      bool IsOption = Word.starts_with("-") && (Stem == "options-file" || Stem == "optf");
      if (IsOption && (Name.contains('=') || I + 1 < Words.size())) {
        for (const std::string &File : items(Name.contains('=') ? Joined : StringRef(Words[++I]), false))
          expandFile(File, Into, Depth);
        continue;
      }
      Into.push_back(Word.str());
    }
  }

  void expandFile(StringRef Name, std::vector<std::string> &Into, unsigned Depth) {
    // Deeper nesting is a file that names itself.
    constexpr unsigned MaxDepth = 16;
    std::string File = absolute(Name);
    if (Depth == MaxDepth) {
      Result.notes.push_back("response file '" + File + "' is nested too deeply");
      return;
    }
    auto Buffer = MemoryBuffer::getFile(File);
    if (!Buffer) {
      Result.notes.push_back("response file '" + File + "' cannot be read: " + Buffer.getError().message());
      return;
    }
    BumpPtrAllocator Memory;
    StringSaver Saver(Memory);
    SmallVector<const char *> Tokens;
    cl::TokenizeGNUCommandLine((*Buffer)->getBuffer(), Saver, Tokens);
    std::vector<std::string> Words(Tokens.begin(), Tokens.end());
    expand(Words, Into, Depth + 1);
  }

  void words(ArrayRef<std::string> Words, bool ClangFirst) {
    for (size_t I = 0; I < Words.size();) {
      StringRef Word = Words[I];
      if (Word.empty()) {
        ++I;
        continue;
      }
      if (!Word.starts_with("-") || Word == "-") {
        Result.inputs.push_back(Word.str());
        ++I;
        continue;
      }
      if (Word == "--") { // what follows are inputs
        for (++I; I < Words.size(); ++I)
          Result.inputs.push_back(Words[I]);
        return;
      }
      size_t Used = ClangFirst ? clang(Words.drop_front(I)) : nvcc(Words.drop_front(I));
      if (!Used)
        Used = ClangFirst ? nvcc(Words.drop_front(I)) : clang(Words.drop_front(I));
      if (!Used) {
        if (!is_contained(Unknown, Word))
          Unknown.push_back(Word.str());
        Used = 1;
      }
      I += Used;
    }
  }

  /// Takes an option of nvcc from the front of `Words`; returns how many words it was, 0 if it is none.
  size_t nvcc(ArrayRef<std::string> Words) {
    StringRef Word = Words[0];
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
        else if (Joined != "false") // nvcc takes "=true" after switches too
          act(*At->second, "");
        return 1;
      }
    if (Word.starts_with("--"))
      return 0;
    // -fPIC, -Wall and -march are the host compiler's; none of nvcc's letters starts like them.
    for (StringRef Letter : {"isystem", "I", "D", "U", "L", "l", "O", "x", "o"})
      if (Name.starts_with(Letter) && (Letter != "o" || Name.contains('.') || Name.contains('/'))) {
        act(*Map.find(Letter)->second, Name.drop_front(Letter.size()));
        return 1;
      }
    if (Name.starts_with("t") && Name.size() > 1 && all_of(Name.drop_front(), isDigit))
      return 1;
    return 0;
  }

  void act(const Row &R, StringRef Val) {
    auto Emit = [&](bool Folder) {
      for (const std::string &Item : items(Val, false)) {
        std::string Text = Folder ? absolute(Item) : Item;
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
      if (Val != "true")
        return;
      break;
    case Action::MacroOfStream:
      if (Val != "per-thread")
        return;
      break;
    case Action::Macro:
      break;
    case Action::Each:
      return Emit(false);
    case Action::EachFolder:
      return Emit(true);
    case Action::Std:
      Result.options.push_back("-std=" + Val.str());
      return;
    case Action::Arch:
      addArchs(Val);
      return;
    case Action::Language:
      Result.language = Val.str();
      return;
    case Action::Host:
      words(items(Val, /*Blanks=*/true), /*ClangFirst=*/true);
      return;
    case Action::ResponseFiles:
      return; // expanded beforehand
    }
    std::string Macro = "-D" + R.text.str();
    if (!is_contained(Result.options, Macro))
      Result.options.push_back(std::move(Macro));
  }

  /// "sm_80", "arch=compute_80,code=[compute_80,sm_80]", "all", "native".
  void addArchs(StringRef Text) {
    SmallVector<StringRef> Parts;
    StringRef Rest = Text;
    while (!Rest.empty()) {
      size_t End = Rest.find_first_of(",=[]\"' ");
      Parts.push_back(Rest.take_front(End));
      Rest = End == StringRef::npos ? "" : Rest.drop_front(End + 1);
    }
    for (StringRef Part : Parts) {
      if (Part.starts_with("sm_") || Part.starts_with("compute_") || Part.starts_with("lto_"))
        Result.archs.push_back(Part.str());
      else if (Part == "native" || Part == "all" || Part == "all-major")
        Result.notes.push_back("-arch=" + Part.str() + " names no architecture; give one with --arch");
    }
  }

  /// Takes an option of clang or gcc from the front of `Words`; returns how many words it was, 0 if it is
  /// none.
  size_t clang(ArrayRef<std::string> Words) {
    namespace o = clang::options;
    SmallVector<const char *, 4> Raw;
    for (const std::string &Word : Words.take_front(4))
      Raw.push_back(Word.c_str());
    opt::InputArgList List(Raw.begin(), Raw.end());
    unsigned Index = 0;
    std::unique_ptr<opt::Arg> Arg =
        ::clang::getDriverOptTable().ParseOneArg(List, Index, opt::Visibility(o::ClangOption));
    if (!Arg || Index > Words.size()) // the value is missing
      return Arg ? 1 : 0;
    unsigned ID = Arg->getOption().getUnaliasedOption().getID();
    if (ID == o::OPT_UNKNOWN || ID == o::OPT_INPUT)
      // Options of gcc alone; their letters say that they are about warnings and code.
      return Words[0].size() > 2 && StringRef("fWm").contains(Words[0][1]) &&
             !StringRef(Words[0]).contains(' ');
    StringRef Val = Arg->getNumValues() ? Arg->getValue() : "";
    switch (ID) {
    case o::OPT_x:
      Result.language = Val.str();
      return Index;
    case o::OPT_offload_arch_EQ:
      addArchs(Val);
      return Index;
    case o::OPT_cuda_path_EQ:
      Result.cudaPath = Val.str();
      return Index;
    case o::OPT_Xclang:
      // -Xclang passes on words that only the command's own clang may know, save the harmless ones.
      return Index;
    default:
      break;
    }
    // The linker's options look like separate letters here ("-lineinfo" is one): nothing to keep.
    switch (bearing(ID)) {
    case Bearing::None:
      break;
    case Bearing::Keep:
      for (unsigned I = 0; I < Index; ++I)
        Result.options.push_back(Words[I]);
      break;
    case Bearing::Folder: {
      const opt::Option &Option = Arg->getOption().getUnaliasedOption();
      std::string Spelling = Option.getPrefixedName().str();
      if (Spelling.ends_with("=") || ID == o::OPT_I)
        Result.options.push_back(Spelling + absolute(Val));
      else
        Result.options.insert(Result.options.end(), {Spelling, absolute(Val)});
      break;
    }
    }
    return Index;
  }

  StringRef Directory;
  Translation Result;
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
