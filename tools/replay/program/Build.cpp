//===-- Build.cpp - From sources to a program that can be replayed ----------------===//
#include "tools/replay/program/Build.h"
#include "analyzer/frontend/HostCode.h"
#include "analyzer/kernel/Sources.h"
#include "tools/replay/device/Device.h"
#include "tools/replay/program/Link.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::replay;
namespace path = llvm::sys::path;

namespace {

/// Included into host code after CUDA's headers: tells the runtime how the program's own are laid out.
constexpr StringLiteral HostSupportName = "/__warplint/replay-host.h";
constexpr StringLiteral HostSupportText =
#include "HostSupportText.inc"
    ;
/// nvcc hands plain files to the host's compiler, which knows nothing of CUDA's language. Without a toolkit
/// they get the built-in declarations, which are CUDA's, but are not to notice.
constexpr StringLiteral PlainSupportText = "#undef __CUDACC__\n";

/// What host code includes before anything of its own; "" for nothing.
std::string hostSupport(const frontend::Command &Command, bool Plain) {
  if (!Plain)
    return HostSupportText.str();
  std::string Text = Command.toolkit.empty() ? PlainSupportText.str() : "";
  // The structure that needs support is not declared in each plain file, nor need CUDA's names be free there.
  if (ErrorOr<std::unique_ptr<MemoryBuffer>> Source = MemoryBuffer::getFile(Command.file))
    if ((*Source)->getBuffer().contains("cudaGetDeviceProperties"))
      Text += "#include <cuda_runtime.h>\n#undef persistingL2CacheMaxSize // which brought more fields\n" +
              HostSupportText.str();
  return Text;
}

/// The mathematics of device code, as a toolkit has it; "" without one.
std::string libdeviceOf(const frontend::Command &Command) {
  if (Command.toolkit.empty())
    return "";
  SmallString<256> File(Command.toolkit);
  path::append(File, "nvvm", "libdevice", "libdevice.10.bc");
  return sys::fs::exists(File) ? std::string(File) : "";
}

unsigned numberOf(StringRef Arch) {
  unsigned Number = 0;
  return !Arch.consume_front("sm_") || Arch.consumeInteger(10, Number) ? 80 : Number;
}

/// What LLVM has to say of code is about its own making, unless it is an error; those go to a text.
void keepErrors(LLVMContext &Context, std::string &Errors) {
  Context.setDiagnosticHandlerCallBack(
      [](const DiagnosticInfo *Said, void *To) {
        if (Said->getSeverity() != DS_Error)
          return;
        raw_string_ostream OS(*static_cast<std::string *>(To));
        DiagnosticPrinterRawOStream Printer(OS);
        Said->print(Printer);
      },
      &Errors);
}

/// One build: its files one after the other, each with a name of its own for objects and tables.
class Builder {
public:
  explicit Builder(const BuildOptions &Options) : Options(Options) {}

  BuildOutcome run() {
    compileAll();
    // As with nvcc -rdc=true, which a database may say and a list of files does not.
    if (!failed() && callsAcrossUnits()) {
      Result = BuildOutcome();
      Objects.clear();
      Units = 0;
      Relocatable = true;
      compileAll();
    }
    if (!failed())
      link();
    return std::move(Result);
  }

private:
  bool failed() const { return !Result.failures.empty() || !Result.errors.empty(); }

  void compileAll() {
    for (const std::string &File : Options.files)
      compile(File);
  }

  bool callsAcrossUnits() const {
    return any_of(Wanted.keys(), [&](StringRef Name) { return Defined.contains(Name); });
  }

  /// Names of device code that other units may define, or want.
  void noteNames(const Module &M) {
    for (const GlobalObject &Each : M.global_objects()) {
      const auto *F = dyn_cast<Function>(&Each);
      if (F && F->isIntrinsic())
        continue;
      if (Each.isDeclaration() && !Each.use_empty())
        Wanted.insert(Each.getName());
      else if (!Each.isDeclaration() && !Each.hasLocalLinkage())
        Defined.insert(Each.getName());
    }
  }

  void compile(const std::string &File) {
    const bool Plain = frontend::isPlainCxxName(File);
    Expected<frontend::Command> Command = Plain ? frontend::plainCommandFor(File, Options.frontend)
                                                : frontend::commandFor(File, Options.frontend);
    if (!Command) {
      Result.failures.push_back(toString(Command.takeError()));
      return;
    }
    append_range(Result.notes, Command->notes);
    const std::string Id = "unit" + utostr(++Units);
    frontend::HostOptions Host;
    if (!Plain) {
      // A header is analysed through a unit that includes it; a program consists of units.
      if (Command->file != Command->requested)
        *Command = frontend::alone(*Command);
      if (!compileDevice(*Command, Id))
        return;
      Host.deviceId = Id;
    }
    if (std::string Support = hostSupport(*Command, Plain); !Support.empty())
      Host.headers.push_back({HostSupportName.str(), std::move(Support)});
    frontend::HostCode Code = frontend::compileHost(*Command, Options.frontend, Host);
    append_range(Result.errors, Code.errors);
    if (Code.compiled())
      write(objectName(Id, "host"), StringRef(Code.object.data(), Code.object.size()));
  }

  /// As the analysis asks for them: an access in one is its caller's.
  static StringSet<> systemHeaders(const clang::SourceManager &SM) {
    StringSet<> Result;
    for (auto It = SM.fileinfo_begin(); It != SM.fileinfo_end(); ++It) {
      const clang::FileID Id = SM.translateFile(It->first);
      if (Id.isInvalid() || !SM.isInSystemHeader(SM.getLocForStartOfFile(Id)))
        continue;
      SmallString<256> Name(It->first.getName());
      SM.getFileManager().makeAbsolutePath(Name);
      path::remove_dots(Name, true);
      Result.insert(Name);
    }
    return Result;
  }

  /// Code of which something is left out runs wrong, so unlike in the analysis every error counts.
  bool compileDevice(const frontend::Command &Command, const std::string &Id) {
    std::string Problem;
    frontend::ParseOutcome Parsed = frontend::parse(Command, Options.frontend, [&](frontend::Unit &Unit) {
      if (!Unit.errors.empty())
        return;
      const kernel::Sources Texts(Unit.ast);
      Result.facts.prepare(Unit, Texts);
      noteNames(Unit.module);
      keepErrors(Unit.module.getContext(), Problem);
      DeviceOptions How;
      How.id = Id;
      How.relocatable = Relocatable;
      How.libdevice = libdeviceOf(Command);
      How.architecture = numberOf(Command.arch);
      How.typeAlignment = [&](const Instruction &I) {
        const unsigned Read = Texts.describe(I, false).typeAlignment;
        return Read ? Read : Texts.describe(I, true).typeAlignment;
      };
      const StringSet<> System = systemHeaders(Unit.ast.getSourceManager());
      How.isUserFile = [&](StringRef File) { return !System.contains(File); };
      std::string Object = objectName(Id, "device");
      Error E = toHostModule(Unit.module, How);
      if (!E)
        E = emitObject(Unit.module, Object);
      if (E)
        Problem = toString(std::move(E));
      else
        Objects.push_back(Object);
    });
    append_range(Result.errors, Parsed.errors);
    if (!Problem.empty())
      Result.failures.push_back(Command.file + ": " + Problem);
    return Problem.empty() && Parsed.errors.empty();
  }

  void link() {
    LinkJob Job;
    Job.objects = Objects;
    Job.flags = Options.linkFlags;
    Job.program = inFolder("program");
    Job.folder = Options.folder;
    Job.toolPath = Options.frontend.programPath;
    if (Error E = replay::link(Job))
      Result.failures.push_back(toString(std::move(E)));
    else
      Result.program = Job.program;
  }

  std::string inFolder(const Twine &Name) const {
    SmallString<256> File(Options.folder);
    path::append(File, Name);
    return std::string(File);
  }
  std::string objectName(StringRef Id, StringRef Side) const { return inFolder(Id + "." + Side + ".o"); }

  void write(const std::string &File, StringRef Contents) {
    std::error_code Problem;
    raw_fd_ostream OS(File, Problem);
    if (!Problem) {
      OS << Contents;
      OS.close();
      Problem = OS.error();
    }
    if (Problem) {
      OS.clear_error();
      Result.failures.push_back("cannot write '" + File + "': " + Problem.message());
    } else {
      Objects.push_back(File);
    }
  }

  const BuildOptions &Options;
  BuildOutcome Result;
  std::vector<std::string> Objects; ///< device tables register before the host's names: theirs come first
  StringSet<> Wanted, Defined;        ///< of device code
  bool Relocatable = false;           ///< the units' device code is one program
  unsigned Units = 0;
};

} // namespace

BuildOutcome warplint::replay::build(const BuildOptions &Options) { return Builder(Options).run(); }
