#include "tools/warplint/FixOptions.h"
#include "analyzer/driver/Fixes.h"
#include "tools/options/Options.h"
#include "tools/options/Printable.h"
#include "tools/warplint/ReportOptions.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::options;

namespace {

Opt<bool> ApplyFixes("fix", cl::desc("Apply safe fixes to the files"), cl::cat(Category));
Opt<bool> PrintFixes("fix-diff",
                     cl::desc("Print what --fix would change, for git apply and patch -p1; the report goes\n"
                              "to stderr"),
                     cl::cat(Category));
Opt<bool> UnsafeFixes("unsafe-fixes", cl::desc("With --fix, --fix-diff or --export-fixes: unsafe fixes too"),
                      cl::cat(Category));
Opt<std::string> ExportFixes("export-fixes", cl::desc("Write fixes for clang-apply-replacements"),
                             cl::value_desc("FILE"), cl::cat(Category));
Opt<bool> ShowFixes("show-fixes", cl::desc("Re-analyse fixes and include them in the report"),
                    cl::cat(Category));

bool hasOnlyUnsafeFixes(const result::Finding &F) {
  auto Is = [](result::FixSafety Safety) {
    return [Safety](const result::Fix &X) { return X.verified && X.safety == Safety; };
  };
  return any_of(F.fixes, Is(result::FixSafety::Unsafe)) && none_of(F.fixes, Is(result::FixSafety::Safe));
}

/// "warplint: applied 2 fixes; --unsafe-fixes would fix 1 more finding"
void tell(StringRef What, unsigned Count, const result::Report &Report) {
  if (Quiet)
    return;
  errs() << "warplint: " << What << ' ' << Count << (Count == 1 ? " fix" : " fixes");
  const size_t Held = UnsafeFixes ? 0 : count_if(Report.findings, hasOnlyUnsafeFixes);
  if (Held)
    errs() << "; --unsafe-fixes would fix " << Held << (Held == 1 ? " more finding" : " more findings");
  errs() << '\n';
}

int printDiff(const driver::RunOutcome &Outcome, const frontend::Options &Front) {
  Expected<driver::FixDiff> Diff = driver::diffOfFixes(Outcome.report, UnsafeFixes, Front);
  if (!Diff)
    return fail(toString(Diff.takeError()));
  outs() << Diff->text;
  tell("the diff has", Diff->fixes, Outcome.report);
  SmallString<256> Here, RealHere;
  (void)sys::fs::current_path(Here);
  (void)sys::fs::real_path(Here, RealHere);
  if (RealHere != Diff->folder) // a diff that is not applied there fails in words that do not say so
    WithColor::note(errs(), "warplint")
        << printable("the names in the diff are relative to " + Diff->folder)
        << ", since some files are not below the current folder: apply it there\n";
  return finish(Clean);
}

} // namespace

bool options::asksForFixes() {
  return ApplyFixes || PrintFixes || ShowFixes || ExportFixes.getNumOccurrences();
}

std::string options::readFixOptions() {
  if (!PrintFixes)
    return "";
  if (ApplyFixes)
    return "--fix-diff prints what --fix would change, which is then no longer there to print: give one of "
           "them";
  if (outputFile() == "-" || ExportFixes == "-")
    return "--fix-diff has stdout for itself: write the report and exported fixes to files";
  reportToStderr();
  return "";
}

int options::useFixes(const driver::RunOutcome &Outcome, const std::vector<std::string> &Inputs,
                      const driver::RunOptions &Options) {
  if (Outcome.interrupted)
    return Clean;
  if (ExportFixes.getNumOccurrences())
    if (Error E = driver::exportFixes(Outcome.report, UnsafeFixes, Inputs.empty() ? "" : Inputs.front(),
                                      ExportFixes, Options.frontend))
      return fail(ExportFixes + ": cannot write the fixes: " + toString(std::move(E)));
  if (PrintFixes)
    return printDiff(Outcome, Options.frontend);
  if (ApplyFixes) {
    Expected<unsigned> Applied = driver::applyFixes(Outcome.report, UnsafeFixes, Options.frontend);
    if (!Applied)
      return fail(toString(Applied.takeError()));
    tell("applied", *Applied, Outcome.report);
  }
  return Clean;
}
