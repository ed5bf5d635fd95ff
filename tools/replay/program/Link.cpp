//===-- Link.cpp - Objects and the runtime into a program ------------------------===//
#include "tools/replay/program/Link.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace warplint::replay;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

template <typename... Ts> Error failure(const Ts &...Parts) {
  std::string Text;
  ((Text += StringRef(Parts)), ...);
  return createStringError(inconvertibleErrorCode(), Twine(Text));
}

/// Clang's driver knows where the system keeps its start files; any C++ compiler's does.
std::string findLinker() {
  if (fs::can_execute(WARPLINT_REPLAY_LINKER))
    return WARPLINT_REPLAY_LINKER;
  for (const char *Name : {"clang++-22", "clang++", "c++", "g++"})
    if (ErrorOr<std::string> Found = sys::findProgramByName(Name))
      return *Found;
  return "";
}

std::string findRuntime(const std::string &ToolPath) {
  static int Anchor;
  const std::string Tool = fs::getMainExecutable(ToolPath.c_str(), &Anchor);
  SmallString<256> Installed(path::parent_path(path::parent_path(Tool)));
  path::append(Installed, "lib", "libwarplint_replay_runtime.a");
  if (fs::exists(Installed))
    return std::string(Installed);
  return fs::exists(WARPLINT_REPLAY_RUNTIME) ? WARPLINT_REPLAY_RUNTIME : "";
}

bool isCudas(StringRef Name) {
  return Name.starts_with("cuda") || Name.starts_with("__cuda") ||
         (Name.size() > 2 && Name.starts_with("cu") && isUpper(Name[2]));
}

std::string unresolved(ArrayRef<std::string> Names) {
  constexpr size_t MaxNames = 12;
  std::string Text = "the program calls what is not there: " + join(Names.take_front(MaxNames), ", ");
  if (Names.size() > MaxNames)
    Text += " and " + utostr(Names.size() - MaxNames) + " more";
  if (is_contained(Names, "main"))
    return "no file of the program has a function main; name the one that has, too";
  if (all_of(Names, isCudas))
    return Text + "; these parts of CUDA cannot be replayed";
  return Text + "; name the other files of the program too, or its libraries with --link=-lNAME";
}

} // namespace

std::vector<std::string> warplint::replay::undefinedNames(StringRef Messages) {
  std::vector<std::string> Names;
  while (!Messages.empty()) {
    StringRef Line;
    std::tie(Line, Messages) = Messages.split('\n');
    // GNU's words, gold's and lld's.
    for (StringRef Words : {"undefined reference to ", "undefined symbol: "}) {
      const size_t At = Line.find(Words);
      if (At == StringRef::npos)
        continue;
      StringRef Name = Line.drop_front(At + Words.size()).trim(" `'\"\r");
      std::string Readable = demangle(Name);
      if (!is_contained(Names, Readable))
        Names.push_back(std::move(Readable));
    }
  }
  return Names;
}

Error warplint::replay::link(const LinkJob &Job) {
  const std::string Linker = findLinker();
  if (Linker.empty())
    return failure("no linker: neither '" WARPLINT_REPLAY_LINKER
                   "' nor clang++, c++ or g++ in PATH; install clang-22");
  const std::string Runtime = findRuntime(Job.toolPath);
  if (Runtime.empty())
    return failure("the runtime library '" WARPLINT_REPLAY_RUNTIME
                   "' is missing; build or install warplint-replay again");

  std::vector<StringRef> Arguments{Linker};
  append_range(Arguments, Job.objects);
  Arguments.insert(Arguments.end(), {"-o", Job.program, Runtime});
  append_range(Arguments, Job.flags);
  Arguments.insert(Arguments.end(), {"-lpthread", "-ldl", "-lm"});
  SmallString<256> Messages(Job.folder);
  path::append(Messages, "linker-messages");
  const std::optional<StringRef> Redirects[] = {std::nullopt, StringRef(Messages), StringRef(Messages)};
  std::string Problem;
  const int Status = sys::ExecuteAndWait(Linker, Arguments, std::nullopt, Redirects, 0, 0, &Problem);
  if (Status == 0)
    return Error::success();
  if (!Problem.empty())
    return failure("the linker '", Linker, "' did not run: ", Problem);
  auto Text = MemoryBuffer::getFile(Messages);
  const StringRef Said = Text ? (*Text)->getBuffer() : StringRef();
  if (const std::vector<std::string> Names = undefinedNames(Said); !Names.empty())
    return failure(unresolved(Names));
  return failure("the program cannot be linked:\n", Said.rtrim());
}
