#include "analyzer/driver/Header.h"
#include "analyzer/driver/Fixes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::driver;

namespace {

/// Keeps what lies in the requested file, whatever links lead to it.
void keepOnly(Shown &Result, const std::string &File) {
  StringMap<bool> Known;
  auto Elsewhere = [&](const result::Place &Place) {
    auto [At, New] = Known.try_emplace(Place.file, false);
    if (New)
      At->second = Place.file == File || sys::fs::equivalent(Place.file, File);
    return !At->second;
  };
  erase_if(Result.kernels, [&](const result::Kernel &K) { return Elsewhere(K.place); });
  erase_if(Result.errors, [&](const result::Error &E) { return Elsewhere(E.place); });
}

} // namespace

Shown warplint::driver::throughIncluders(const frontend::Command &First, const frontend::Options &Front,
                                         function_ref<Shown(const frontend::Command &)> Analyze) {
  auto Run = [&](const frontend::Command &Each) {
    Shown Result = Analyze(Each);
    Result.notes = Each.notes;
    return Result;
  };
  Shown Result = Run(First);
  if (First.file == First.requested)
    return Result;
  const std::vector<result::Error> AllErrors = Result.errors;
  const bool UnitHasKernels = !Result.kernels.empty();
  keepOnly(Result, First.requested);
  if (!Result.kernels.empty())
    return Result;

  // Helpers and declarations: no unit will show a kernel that is not written.
  const bool MayHaveKernels = StringRef(readSource(First.requested, Front)).contains("__global__");
  if (MayHaveKernels) {
    auto Try = [&](const frontend::Command &Next) {
      Shown Another = Run(Next);
      if (Next.file != Next.requested)
        keepOnly(Another, Next.requested);
      if (Another.kernels.empty())
        return false;
      Result = std::move(Another);
      return true;
    };
    if (any_of(First.others, Try) || Try(frontend::alone(First)))
      return Result;
  }
  // A header without kernels is fine. One whose units are too broken to tell is not.
  Result.hasNoKernels = UnitHasKernels || !MayHaveKernels;
  if (!Result.hasNoKernels)
    Result.errors = AllErrors;
  return Result;
}
