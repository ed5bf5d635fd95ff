#include "analyzer/driver/Header.h"
#include "analyzer/driver/Fixes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::driver;

namespace {

/// Names that lead to one file, links included.
class SameFile {
public:
  SameFile(StringRef File) : File(File) {}
  bool operator()(const std::string &Other) {
    auto [At, New] = Known.try_emplace(Other, false);
    if (New)
      At->second = Other == File || sys::fs::equivalent(Other, File);
    return At->second;
  }

private:
  std::string File;
  StringMap<bool> Known;
};

/// Keeps what lies in the requested file.
void restrict(FileOutcome &Outcome, StringRef File) {
  SameFile Is(File);
  erase_if(Outcome.kernels, [&](const result::Kernel &K) { return !Is(K.place.file); });
  erase_if(Outcome.errors, [&](const result::Error &E) { return !Is(E.place.file); });
}

void addCosts(FileOutcome &To, const FileOutcome &From) {
  To.parseSeconds += From.parseSeconds;
  To.analysisSeconds += From.analysisSeconds;
  To.statistics.steps += From.statistics.steps;
  To.statistics.runs += From.statistics.runs;
  To.statistics.wordDisagreements += From.statistics.wordDisagreements;
}

} // namespace

FileOutcome warplint::driver::throughIncluders(const frontend::Command &First, const frontend::Options &Front,
                                               function_ref<FileOutcome(const frontend::Command &)> Analyze) {
  FileOutcome Outcome = Analyze(First);
  if (First.file == First.requested)
    return Outcome;
  const std::vector<result::Error> AllErrors = Outcome.errors;
  const bool UnitHasKernels = !Outcome.kernels.empty();
  restrict(Outcome, First.requested);
  if (!Outcome.kernels.empty())
    return Outcome;

  FileOutcome Spent = Outcome;
  // Helpers and declarations: no unit will show a kernel that is not written.
  const bool MayHaveKernels = StringRef(readSource(First.requested, Front)).contains("__global__");
  auto Try = [&](const frontend::Command &Next) {
    FileOutcome Another = Analyze(Next);
    addCosts(Spent, Another);
    if (Next.file != Next.requested)
      restrict(Another, Next.requested);
    if (Another.kernels.empty())
      return false;
    Outcome = std::move(Another);
    return true;
  };
  bool Found = false;
  if (MayHaveKernels) {
    Found = any_of(First.others, Try) || Try(frontend::alone(First));
  }
  if (!Found) {
    // A header without kernels is fine. One whose units are too broken to tell is not.
    Outcome.hasNoKernels = UnitHasKernels || !MayHaveKernels;
    if (!Outcome.hasNoKernels)
      Outcome.errors = AllErrors;
  }
  Outcome.parseSeconds = Spent.parseSeconds;
  Outcome.analysisSeconds = Spent.analysisSeconds;
  Outcome.statistics = Spent.statistics;
  return Outcome;
}
