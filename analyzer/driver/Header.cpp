#include "analyzer/driver/Header.h"
#include "analyzer/driver/Fixes.h"
#include "analyzer/frontend/Database.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::driver;

namespace {

/// Is a name one of the requested file's? Links and ".." may lead to it.
class Requested {
public:
  Requested(std::string File) : File(std::move(File)) {}
  bool operator()(StringRef Name) {
    auto [At, New] = Known.try_emplace(Name, false);
    if (New) {
      SmallString<256> Plain(Name);
      sys::path::remove_dots(Plain, /*remove_dot_dot=*/true);
      At->second = Plain == File || sys::fs::equivalent(Name, File);
    }
    return At->second;
  }

private:
  std::string File;
  StringMap<bool> Known;
};

void keepOnly(Shown &Result, const std::string &File) {
  Requested Is(File);
  erase_if(Result.kernels, [&](const result::Kernel &K) { return !Is(K.place.file); });
  erase_if(Result.errors, [&](const result::Error &E) { return !Is(E.place.file); });
}

} // namespace

bool warplint::driver::keepRequestedKernels(frontend::Unit &Unit) {
  const bool Any = !Unit.kernels.empty();
  if (Unit.command.file == Unit.command.requested)
    return Any;
  const clang::SourceManager &Sources = Unit.ast.getSourceManager();
  Requested Is(Unit.command.requested);
  erase_if(Unit.kernels, [&](const auto &Kernel) {
    clang::SourceLocation Place = Sources.getExpansionLoc(Kernel.second->getLocation());
    clang::PresumedLoc Presumed = Sources.getPresumedLoc(Place, /*UseLineDirectives=*/false);
    if (Presumed.isInvalid())
      return true;
    SmallString<256> Name(Presumed.getFilename());
    Sources.getFileManager().makeAbsolutePath(Name);
    return !Is(Name);
  });
  return Any;
}

Shown warplint::driver::throughIncluders(const frontend::Command &First, const frontend::Options &Front,
                                         function_ref<Shown(const frontend::Command &)> Analyze) {
  auto Run = [&](const frontend::Command &Each) {
    Shown Result = Analyze(Each);
    Result.notes = Each.notes;
    return Result;
  };
  Shown Result = Run(First);
  if (First.file == First.requested) {
    // Each of its commands makes a program of its own.
    for (const frontend::Command &Other : First.others) {
      Shown More = Run(Other);
      append_range(Result.kernels, More.kernels);
      append_range(Result.errors, More.errors);
      append_range(Result.notes, More.notes);
    }
    return Result;
  }
  const std::vector<result::Error> AllErrors = Result.errors;
  keepOnly(Result, First.requested);
  if (!Result.kernels.empty())
    return Result;

  // Helpers and declarations: no unit will show a kernel that is not written. A source may have those of the
  // headers that it includes: it may be a program of its own.
  const bool MayHaveKernels = StringRef(readSource(First.requested, Front)).contains("__global__");
  if (MayHaveKernels || !frontend::isHeaderName(First.requested)) {
    auto Try = [&](const frontend::Command &Next) {
      Shown Another = Run(Next);
      if (Next.file != Next.requested)
        keepOnly(Another, Next.requested);
      if (Another.kernels.empty())
        return false;
      Result = std::move(Another);
      return true;
    };
    if ((MayHaveKernels && any_of(First.others, Try)) || Try(frontend::alone(First)))
      return Result;
  }
  // A header without kernels is fine, and so are templates that nobody uses. One that is broken itself is
  // not, nor one whose units are too broken to tell.
  Result.hasNoKernels = !MayHaveKernels || (Result.unitHasKernels && Result.errors.empty());
  if (!Result.hasNoKernels && Result.errors.empty())
    Result.errors = AllErrors;
  return Result;
}
