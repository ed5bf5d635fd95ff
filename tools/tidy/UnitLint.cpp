#include "tools/tidy/UnitLint.h"
#include "analyzer/frontend/FinishedParse.h"
#include "tools/tidy/VerifiedFixes.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/Diagnostic.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::tidy;

void UnitLint::enable(const rules::Rule &R) { Enabled += std::string(",") + R.name; }

const std::vector<result::Finding> &UnitLint::findings() {
  if (!Done && Tree && Macros) {
    Done = true;
    if (isFitForAnalysis())
      analyze();
  }
  return Findings;
}

std::vector<result::Error> UnitLint::takeProblems() { return std::exchange(Problems, {}); }

bool UnitLint::isFitForAnalysis() {
  if (!Tree->getLangOpts().CUDAIsDevice) {
    Problems.push_back({{},
                        "warplint's checks need the device side of CUDA code, and this is the host side; take "
                        "--cuda-host-only out of the flags, or add --extra-arg=--cuda-device-only"});
    return false;
  }
  // A statement that an error dropped would make numbers wrong; what the errors touch, only the parse knew.
  if (Tree->getDiagnostics().hasUncompilableErrorOccurred()) {
    Problems.push_back({{},
                        "warplint's checks do not look at code with errors; fix them, or run warplint, which "
                        "analyses the kernels that no error touches"});
    return false;
  }
  return true;
}

void UnitLint::analyze() {
  constexpr unsigned TimeLimitSeconds = 300;
  std::vector<result::Kernel> Kernels;
  frontend::ParseOutcome Outcome =
      frontend::useFinished(*Tree, *Macros, TimeLimitSeconds,
                            [&](frontend::Unit &Unit) { Kernels = kernel::analyze(Unit, Facts); });
  Problems = std::move(Outcome.errors);
  if (Outcome.crashed)
    return;
  // NOLINT comments and warnings as errors are clang-tidy's own business.
  Findings = rules::run(Kernels, rules::Selection(Enabled));
  if (VerifyFixes)
    takeVerifiedFixes(Findings, *Tree, *Macros, Facts, Enabled);
  else
    for (result::Finding &F : Findings)
      F.fixes.clear();
}
