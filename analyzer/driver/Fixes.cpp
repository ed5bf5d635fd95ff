#include "analyzer/driver/Fixes.h"
#include "analyzer/driver/Suppression.h"
#include "analyzer/driver/WriteFile.h"
#include "analyzer/report/UnifiedDiff.h"
#include "clang/Tooling/DiagnosticsYaml.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/YAMLTraits.h"
#include <algorithm>
#include <map>
#include <set>

using namespace llvm;
using namespace warplint;
using namespace warplint::driver;
using result::Edit;
using result::Fix;

namespace {

auto position(const Edit &E) { return std::tie(E.file, E.offset, E.length, E.text); }
bool sameEdits(const Fix &A, const Fix &B) {
  return std::equal(A.edits.begin(), A.edits.end(), B.edits.begin(), B.edits.end(),
                    [](const Edit &X, const Edit &Y) { return position(X) == position(Y); });
}

/// The edits of several fixes, each once, per file in descending order of offset; nothing when two overlap.
std::optional<std::map<std::string, std::vector<Edit>>> combined(const std::vector<const Fix *> &Fixes) {
  std::map<std::string, std::vector<Edit>> ByFile;
  for (const Fix *F : Fixes)
    for (const Edit &E : F->edits) {
      auto &Edits = ByFile[E.file];
      if (none_of(Edits, [&](const Edit &Known) { return position(Known) == position(E); }))
        Edits.push_back(E);
    }
  for (auto &[File, Edits] : ByFile) {
    std::sort(Edits.begin(), Edits.end(), [](const Edit &A, const Edit &B) { return A.offset > B.offset; });
    for (size_t I = 1; I < Edits.size(); ++I)
      if (Edits[I].offset + Edits[I].length > Edits[I - 1].offset)
        return std::nullopt;
  }
  return ByFile;
}

std::optional<std::string> edited(std::string Text, const std::vector<Edit> &Descending) {
  for (const Edit &E : Descending) {
    if (E.offset > Text.size() || E.length > Text.size() - E.offset)
      return std::nullopt; // the file changed under us
    Text.replace(E.offset, E.length, E.text);
  }
  return Text;
}

/// Edits stay within a line, so an access keeps its line and its order in it.
std::string accessKey(const result::Kernel &K, const result::Access &A) {
  return K.name + "|" + A.place.file + ":" + utostr(A.place.line) + "|" + A.expression + "|" +
         spelling(A.operation);
}

struct Candidate {
  std::vector<std::pair<size_t, size_t>> owners; ///< finding and fix numbers that share the edits
  const Fix *fix = nullptr;
};

class Verifier {
public:
  Verifier(result::Report &R, const std::vector<std::string> &Files, const RunOptions &O,
           const std::function<bool()> &Interrupted)
      : Report(R), Files(Files), Options(O), Interrupted(Interrupted) {
    this->Options.verifyFixes = false;
    for (const result::Kernel &K : R.kernels)
      remember(K, Before);
  }

  /// Tries the candidates together, and halves of them when something is wrong.
  void verify(ArrayRef<Candidate> Candidates) {
    if (Stopped || Candidates.empty() || tryTogether(Candidates) || Candidates.size() == 1)
      return;
    size_t Half = Candidates.size() / 2;
    verify(Candidates.take_front(Half));
    verify(Candidates.drop_front(Half));
  }

  bool stopped() const { return Stopped; }

private:
  result::Report &Report;
  const std::vector<std::string> &Files;
  RunOptions Options;
  const std::function<bool()> &Interrupted;
  bool Stopped = false;
  using Costs = std::map<std::string, std::vector<const result::Access *>>;
  Costs Before;

  static void remember(const result::Kernel &K, Costs &Into) {
    for (const result::Access &A : K.accesses)
      Into[accessKey(K, A)].push_back(&A);
  }

  static double badness(const result::Access &A) {
    if (A.confidence == result::Confidence::Unknown)
      return -1;
    return A.space == result::Space::Shared ? A.worst.wavefronts : A.worst.sectors;
  }
  static bool alignedVector(const result::Access &A) {
    if (A.width < 8 || A.confidence == result::Confidence::Unknown)
      return true;
    for (unsigned L = 0; L < 32; ++L)
      if (A.activeMask >> L & 1 && A.laneOffsets[L] % int64_t(A.width))
        return false;
    return true;
  }

  bool tryTogether(ArrayRef<Candidate> Candidates) {
    std::vector<const Fix *> Fixes;
    for (const Candidate &C : Candidates)
      Fixes.push_back(C.fix);
    auto Edits = combined(Fixes);
    if (!Edits)
      return false;
    RunOptions Copy = Options;
    for (auto &[File, List] : *Edits) {
      auto Text = edited(readSource(File, Options.frontend), List);
      if (!Text)
        return false;
      Copy.frontend.overlay[File] = *Text;
    }
    RunOutcome After = run(Files, Copy, nullptr, Interrupted);
    Stopped = After.interrupted;
    if (Stopped)
      return false;
    if (After.report.errors.size() > Report.errors.size() ||
        After.report.kernels.size() != Report.kernels.size())
      return false;
    constexpr uint64_t DefaultShared = 48 * 1024; // what a block may declare without opting in
    for (auto [Old, New] : zip(Report.kernels, After.report.kernels))
      if (New.staticShared + New.dynamicShared.value_or(0) > DefaultShared &&
          New.staticShared > Old.staticShared)
        return false;
    Costs Now;
    for (const result::Kernel &K : After.report.kernels)
      remember(K, Now);
    for (auto &[Key, Olds] : Before) {
      auto It = Now.find(Key);
      if (It == Now.end() || It->second.size() != Olds.size())
        return false;
      for (auto [Old, New] : zip(Olds, It->second)) {
        if (badness(*New) > badness(*Old) && badness(*Old) >= 0)
          return false;
        if (alignedVector(*Old) && !alignedVector(*New))
          return false;
      }
    }
    // Nothing that was silent may speak up.
    std::multiset<std::string> Known;
    for (const result::Finding &F : Report.findings)
      Known.insert(F.rule + utostr(F.place.line) + F.expression);
    for (const result::Finding &F : After.report.findings)
      if (auto At = Known.find(F.rule + utostr(F.place.line) + F.expression); At != Known.end())
        Known.erase(At);
      else
        return false;

    bool AllFell = true;
    std::vector<std::pair<std::pair<size_t, size_t>, result::Cost>> Costs;
    for (const Candidate &C : Candidates)
      for (auto Owner : C.owners) {
        const result::Finding &F = Report.findings[Owner.first];
        // The worst among the instances of this access, before and after.
        const result::Access *Worst = nullptr;
        for (const result::Kernel &K : After.report.kernels)
          for (const result::Access &A : K.accesses)
            if (A.place.file == F.place.file && A.place.line == F.place.line &&
                A.expression == F.expression && A.space == F.space &&
                (!Worst || badness(A) > badness(*Worst)))
              Worst = &A;
        double Was = F.space == result::Space::Shared ? F.cost.wavefronts : F.cost.sectors;
        if (!Worst || badness(*Worst) < 0 || badness(*Worst) >= Was) {
          AllFell = false;
          continue;
        }
        Costs.push_back({Owner, Worst->worst});
      }
    if (!AllFell)
      return false;
    for (auto &[Owner, Cost] : Costs) {
      Fix &X = Report.findings[Owner.first].fixes[Owner.second];
      X.before = Report.findings[Owner.first].cost;
      X.after = Cost;
      X.verified = true;
    }
    return true;
  }
};

/// The byte offset of a place in its file's text; 0 when the text has no such line.
unsigned offsetOf(StringRef Text, const result::Place &At) {
  size_t Line = 0;
  for (unsigned N = 1; N < At.line; ++N) {
    Line = Text.find('\n', Line);
    if (Line == StringRef::npos)
      return 0;
    ++Line;
  }
  return unsigned(Line + (At.column ? At.column - 1 : 0));
}

bool isBelow(StringRef File, StringRef Folder) {
  return File.consume_front(Folder) && (Folder.ends_with("/") || File.starts_with("/"));
}

/// The verified fixes to apply, each set of edits once, overlapping ones left out.
std::vector<const Fix *> chosen(const result::Report &R, bool Unsafe) {
  std::vector<const Fix *> List;
  for (const result::Finding &F : R.findings)
    for (const Fix &X : F.fixes) {
      if (!X.verified || X.safety == result::FixSafety::Display ||
          (X.safety == result::FixSafety::Unsafe && !Unsafe) ||
          any_of(List, [&](const Fix *Known) { return sameEdits(*Known, X); }))
        continue;
      List.push_back(&X);
      if (!combined(List))
        List.pop_back();
      else
        break; // one fix per finding
    }
  return List;
}

} // namespace

bool warplint::driver::verifyFixes(result::Report &Report, const std::vector<std::string> &Files,
                                   const RunOptions &Options, const std::function<bool()> &Interrupted) {
  std::vector<Candidate> Candidates;
  for (auto [I, F] : enumerate(Report.findings))
    for (auto [J, X] : enumerate(F.fixes)) {
      if (X.edits.empty())
        continue;
      auto Same = find_if(Candidates, [&](const Candidate &C) { return sameEdits(*C.fix, X); });
      if (Same == Candidates.end()) {
        Candidates.push_back({{}, &X});
        Same = std::prev(Candidates.end());
      }
      Same->owners.push_back({I, J});
    }
  // Alternatives that overlap are tried one after the other.
  std::vector<Candidate> Together, Alone;
  std::vector<const Fix *> Fixes;
  for (const Candidate &C : Candidates) {
    Fixes.push_back(C.fix);
    if (combined(Fixes)) {
      Together.push_back(C);
    } else {
      Fixes.pop_back();
      Alone.push_back(C);
    }
  }
  Verifier V(Report, Files, Options, Interrupted);
  V.verify(Together);
  for (const Candidate &C : Alone)
    V.verify(C);
  for (result::Finding &F : Report.findings)
    erase_if(F.fixes, [](const Fix &X) { return !X.verified && !X.edits.empty(); });
  return !V.stopped();
}

Expected<FixedFiles> warplint::driver::fixedFiles(const result::Report &Report, bool Unsafe,
                                                  const frontend::Options &Front) {
  const std::vector<const Fix *> Fixes = chosen(Report, Unsafe);
  FixedFiles Result;
  Result.fixes = unsigned(Fixes.size());
  Fix All; // a file may have been analysed under several names
  for (const Fix *F : Fixes)
    for (const Edit &E : F->edits) {
      All.edits.push_back(E);
      SmallString<256> Real;
      if (!sys::fs::real_path(E.file, Real))
        All.edits.back().file = Real.str().str();
    }
  const auto Edits = combined({&All});
  if (!Edits)
    return createStringError(
        "the fixes of a file that was analysed under several names differ; name it once");
  for (const auto &[File, List] : *Edits) {
    FixedFile Fixed;
    Fixed.name = File;
    Fixed.before = readSource(File, Front);
    auto Text = edited(Fixed.before, List);
    if (!Text)
      return createStringError(File + ": the file changed while it was analysed; run again");
    Fixed.after = std::move(*Text);
    Fixed.edits.assign(List.rbegin(), List.rend());
    Result.files.push_back(std::move(Fixed));
  }
  return Result;
}

Expected<unsigned> warplint::driver::applyFixes(const result::Report &Report, bool Unsafe,
                                                const frontend::Options &Front) {
  Expected<FixedFiles> Fixed = fixedFiles(Report, Unsafe, Front);
  if (!Fixed)
    return Fixed.takeError();
  for (const FixedFile &File : Fixed->files)
    if (Error E = writeFile(File.name, File.after))
      return createStringError(File.name + ": cannot write the fixes: " + toString(std::move(E)));
  return Fixed->fixes;
}

Expected<FixDiff> warplint::driver::diffOfFixes(const result::Report &Report, bool Unsafe,
                                                const frontend::Options &Front) {
  Expected<FixedFiles> Fixed = fixedFiles(Report, Unsafe, Front);
  if (!Fixed)
    return Fixed.takeError();
  SmallString<256> Folder;
  if (std::error_code Code = sys::fs::real_path(".", Folder))
    return createStringError(Code, "cannot tell the current folder: " + Code.message());
  // Tools that apply diffs do not leave the folder that they work in.
  for (const FixedFile &File : Fixed->files)
    while (!Folder.empty() && !isBelow(File.name, Folder))
      sys::path::remove_filename(Folder);
  FixDiff Result;
  Result.fixes = Fixed->fixes;
  Result.folder = Folder.str().str();
  raw_string_ostream OS(Result.text);
  for (const FixedFile &File : Fixed->files)
    report::writeUnifiedDiff(OS, StringRef(File.name).drop_front(Folder.size()).ltrim('/'), File.before,
                             File.edits);
  return Result;
}

Error warplint::driver::exportFixes(const result::Report &Report, bool Unsafe, StringRef MainFile,
                                    StringRef OutputFile, const frontend::Options &Front) {
  std::vector<const Fix *> Fixes = chosen(Report, Unsafe);
  clang::tooling::TranslationUnitDiagnostics Unit;
  SmallString<128> Main(MainFile), Directory;
  sys::fs::make_absolute(Main);
  sys::fs::current_path(Directory);
  Unit.MainSourceFile = Main.str().str();
  std::vector<const Fix *> Written;
  for (const result::Finding &F : Report.findings) {
    clang::tooling::Diagnostic D("warplint-" + F.rule,
                                 F.severity == result::Severity::Error ? clang::tooling::Diagnostic::Error
                                                                       : clang::tooling::Diagnostic::Warning,
                                 "");
    D.Message.Message = F.message;
    D.Message.FilePath = F.place.file;
    D.Message.FileOffset = offsetOf(readSource(F.place.file, Front), F.place);
    D.BuildDirectory = Directory.str().str();
    for (const Fix &X : F.fixes) {
      if (none_of(Fixes, [&](const Fix *C) { return sameEdits(*C, X); }) ||
          any_of(Written, [&](const Fix *C) { return sameEdits(*C, X); }))
        continue;
      Written.push_back(&X);
      for (const Edit &E : X.edits)
        if (Error Failed =
                D.Message.Fix[E.file].add(clang::tooling::Replacement(E.file, E.offset, E.length, E.text)))
          return Failed;
    }
    if (!D.Message.Fix.empty())
      Unit.Diagnostics.push_back(std::move(D));
  }
  std::string Text;
  raw_string_ostream OS(Text);
  yaml::Output Yaml(OS);
  Yaml << Unit;
  return writeFile(OutputFile, Text);
}
