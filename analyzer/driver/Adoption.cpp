#include "analyzer/driver/Adoption.h"
#include "analyzer/driver/ContractComments.h"
#include "analyzer/driver/Fixes.h"
#include "analyzer/driver/Run.h"
#include "rules/Rules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <map>
#include <tuple>

using namespace llvm;
using namespace warplint;
using namespace warplint::driver;

namespace {

namespace path = llvm::sys::path;

/// The absolute name, links resolved where the file is there.
std::string realName(StringRef File) {
  SmallString<256> Name(File);
  if (!sys::fs::real_path(File, Name))
    return std::string(Name);
  Name = File;
  (void)sys::fs::make_absolute(Name);
  path::remove_dots(Name, /*remove_dot_dot=*/true);
  return std::string(Name);
}

/// From the names of the report to those of a baseline and back.
class BaselineNames {
public:
  explicit BaselineNames(StringRef Baseline) {
    SmallString<256> Absolute(Baseline);
    (void)sys::fs::make_absolute(Absolute);
    path::remove_filename(Absolute);
    Folder = realName(Absolute);
  }

  std::string relative(const std::string &File) {
    auto [At, New] = Known.try_emplace(File);
    if (New)
      At->second = relativeTo(realName(File), Folder);
    return At->second;
  }

  std::string absolute(StringRef Name) const {
    SmallString<256> File(Folder);
    path::append(File, Name);
    path::remove_dots(File, /*remove_dot_dot=*/true);
    return realName(File);
  }

private:
  static std::string relativeTo(StringRef File, StringRef Folder) {
    auto FilePart = path::begin(File), FileEnd = path::end(File);
    auto FolderPart = path::begin(Folder), FolderEnd = path::end(Folder);
    while (FilePart != FileEnd && FolderPart != FolderEnd && *FilePart == *FolderPart)
      ++FilePart, ++FolderPart;
    SmallString<256> Result;
    for (; FolderPart != FolderEnd; ++FolderPart)
      path::append(Result, path::Style::posix, "..");
    for (; FilePart != FileEnd; ++FilePart)
      path::append(Result, path::Style::posix, *FilePart);
    return std::string(Result);
  }

  std::string Folder;
  std::map<std::string, std::string> Known;
};

bool isContract(const result::Finding &F) { return F.rule == rules::CostContractName; }

const char *unitOf(result::Space S) {
  return S == result::Space::Shared     ? "conflict ways"
         : S == result::Space::Constant ? "addresses"
                                        : "sectors";
}

/// The findings of a run against its baseline.
class AgainstBaseline {
public:
  AgainstBaseline(RunOutcome &Outcome, const std::vector<std::string> &Files, const RunOptions &Options)
      : Outcome(Outcome), Findings(Outcome.report.findings), Adoption(Options.adoption),
        Settings(settingsOf(Options)), Filter(filterOf(Options, Files)),
        Names(Adoption.known ? Adoption.known->file : Adoption.newBaseline) {
    for (const std::string &File : Files)
      Main.insert(realName(File));
    for (const result::Error &E : Outcome.report.errors)
      Broken.insert(realName(E.place.file));
    WithoutErrors = Outcome.failures.empty() && !Outcome.interrupted;
  }

  /// Takes away what is known; counts.
  void compare() {
    std::vector<result::Finding> Contracts;
    takeContracts(Contracts);
    auto Name = [this](const std::string &File) { return Names.relative(File); };
    std::vector<report::BaselineEntry> Entries = Adoption.known->entries;
    const auto IsGone = [this](const std::string &File) { return !sys::fs::exists(Names.absolute(File)); };
    for (const report::MovedFile &Moved : report::followMoves(Entries, Findings, Name, IsGone))
      Outcome.notes.push_back("moved since the baseline: " + Moved.from + " -> " + Moved.to + ", with " +
                              utostr(Moved.findings) + (Moved.findings == 1 ? " finding" : " findings"));
    report::BaselineComparison Result = report::compare(Findings, std::move(Entries), Name);
    for (const auto &[I, Entry] : Result.worse)
      Findings[I].notes.push_back({worse(Findings[I], Entry), Findings[I].place});
    std::vector<report::BaselineEntry> Fixed;
    for (report::BaselineEntry &E : Result.left)
      (wasLookedFor(E) ? Fixed : Kept).push_back(std::move(E));
    nameFixed(Fixed);
    Outcome.report.baseline = {0, unsigned(Fixed.size()), unsigned(Result.known.size())};
    if (Adoption.newBaseline.empty())
      for (size_t I : reverse(Result.known))
        Findings.erase(Findings.begin() + ptrdiff_t(I));
    append_range(Findings, std::move(Contracts));
  }

  /// Makes all findings of the run known, in a new baseline. Of the old one that stays which this run could
  /// not see.
  void rewrite() {
    std::vector<result::Finding> Contracts;
    takeContracts(Contracts);
    BaselineNames NewNames(Adoption.newBaseline);
    std::vector<report::BaselineEntry> Entries =
        report::baselineOf(Findings, [&](const std::string &File) { return NewNames.relative(File); });
    for (report::BaselineEntry &E : Kept) {
      E.file = NewNames.relative(Names.absolute(E.file));
      Entries.push_back(std::move(E));
    }
    Outcome.findingsInBaseline = Entries.size();
    raw_string_ostream OS(Outcome.newBaseline.emplace());
    report::writeBaseline(OS, std::move(Entries));
    Findings = std::move(Contracts);
  }

private:
  /// Contracts are in the source and changed there: no baseline has them.
  void takeContracts(std::vector<result::Finding> &Into) {
    copy_if(Findings, std::back_inserter(Into), isContract);
    erase_if(Findings, isContract);
  }

  static std::string worse(const result::Finding &F, const report::BaselineEntry &E) {
    if (F.most > E.cost) {
      std::string Text;
      raw_string_ostream(Text) << "worse than in the baseline: " << format("%g ", F.most) << unitOf(F.space)
                               << format(", %g there", E.cost);
      return Text;
    }
    return formatv("worse than in the baseline: the impact is {0}, {1} there", result::spelling(F.impact),
                   result::spelling(E.impact));
  }

  /// Could this run have found it? It may have left out the file, the check, the header, or a kernel that has
  /// errors; of a header some files show what others do not.
  bool wasLookedFor(const report::BaselineEntry &E) const {
    const rules::Rule *R = rules::find(E.rule);
    const std::string File = Names.absolute(E.file);
    if (!WithoutErrors || (R && !Settings(File).selected.contains(*R)))
      return false;
    if (Main.contains(File))
      return !Broken.contains(File);
    return Adoption.wholeProject && !Adoption.isShard && Broken.empty() && showsHeader(Filter, File);
  }

  void nameFixed(const std::vector<report::BaselineEntry> &Fixed) {
    constexpr size_t Most = 10;
    if (!Adoption.newBaseline.empty())
      return;
    for (const report::BaselineEntry &E : ArrayRef(Fixed).take_front(Most))
      Outcome.notes.push_back("fixed since the baseline: " + E.file + ": " + E.rule + " of '" + E.expression +
                              "' in '" + E.kernel + "'");
    if (Fixed.size() > Most)
      Outcome.notes.push_back("fixed since the baseline: " + utostr(Fixed.size() - Most) + " more");
    if (!Fixed.empty() && !Adoption.isShard)
      Outcome.notes.push_back("the baseline can be made shorter: add --write-baseline=" +
                              Adoption.known->file);
  }

  RunOutcome &Outcome;
  std::vector<result::Finding> &Findings;
  const AdoptionOptions &Adoption;
  SettingsOf Settings;
  FindingFilter Filter;
  BaselineNames Names;
  StringSet<> Main, Broken;
  bool WithoutErrors;
  std::vector<report::BaselineEntry> Kept; ///< of the baseline, of what this run did not look for
};

/// As the parse reads it: pipes, which never end, and files beyond the limit are not opened.
std::string sourceOf(const std::string &File, const frontend::Options &Front) {
  if (Front.overlay.contains(File))
    return readSource(File, Front);
  sys::fs::file_status Status;
  if (sys::fs::status(File, Status) || !sys::fs::is_regular_file(Status) ||
      (Front.sizeLimitBytes && Status.getSize() > Front.sizeLimitBytes))
    return "";
  return readSource(File, Front);
}

void holdToContracts(RunOutcome &Outcome, const std::vector<std::string> &Files, const RunOptions &Options) {
  const rules::Rule &R = *rules::find(rules::CostContractName);
  const SettingsOf Settings = settingsOf(Options);
  const size_t Before = Outcome.report.findings.size();
  warplint::driver::checkContracts(Outcome.report, Files, Options.adoption.expectations,
                                   [&](const std::string &File) { return sourceOf(File, Options.frontend); });
  std::vector<result::Finding> &All = Outcome.report.findings;
  for (size_t I = All.size(); I-- > Before;) {
    const rules::Settings &Its = Settings(All[I].place.file);
    if (!Its.selected.contains(R))
      All.erase(All.begin() + ptrdiff_t(I));
    else
      All[I].severity = Its.options.of(R).severity.value_or(All[I].severity);
  }
  // A part of the project may well be without the kernel.
  if (Options.adoption.filter.changed || Options.adoption.isShard)
    return;
  for (const rules::Contract &C : Options.adoption.expectations)
    if (none_of(Outcome.report.kernels, [&](const result::Kernel &K) { return rules::namesKernel(C, K); }))
      Outcome.failures.push_back("--expect='" + C.kernel + ": " + rules::spelling(C.terms) +
                                 "': no kernel of that name was analysed; --format=json lists their names");
}

} // namespace

FindingFilter warplint::driver::filterOf(const RunOptions &Options, const std::vector<std::string> &Files) {
  FindingFilter Filter = Options.adoption.filter;
  if (!Options.configurations)
    return Filter;
  const Configuration &Its = Options.configurations->of(Files.empty() ? "" : Files.front());
  if (!Filter.headers)
    Filter.headers = Its.headerFilter;
  if (Filter.excludedHeaders.empty())
    Filter.excludedHeaders = Its.excludeHeaderFilter.value_or("");
  return Filter;
}

Expected<KnownFindings> warplint::driver::loadBaseline(const std::string &File) {
  auto Buffer = MemoryBuffer::getFile(File);
  if (!Buffer)
    return createStringError("cannot read the baseline '" + File + "': " + Buffer.getError().message() +
                             "; --write-baseline=" + File + " makes one");
  Expected<std::vector<report::BaselineEntry>> Entries = report::readBaseline((*Buffer)->getBuffer());
  if (!Entries)
    return createStringError("cannot use the baseline '" + File + "': " + toString(Entries.takeError()) +
                             "; --write-baseline=" + File + " without --baseline makes a new one");
  return KnownFindings{File, std::move(*Entries)};
}

std::vector<std::string> warplint::driver::touchedFiles(const std::vector<std::string> &Files,
                                                        const ChangedLines &Changed,
                                                        const frontend::Options &Front) {
  StringSet<> Main, Touched;
  for (const std::string &File : Files)
    Main.insert(realName(File));
  for (const auto &[File, Lines] : Changed) {
    if (Main.contains(File))
      Touched.insert(File);
    for (const std::string &Includer : frontend::cudaFilesIncluding(File, Front))
      Touched.insert(realName(Includer));
  }
  std::vector<std::string> Result;
  copy_if(Files, std::back_inserter(Result),
          [&](const std::string &File) { return Touched.contains(realName(File)); });
  return Result;
}

static void countNew(RunOutcome &Outcome) {
  if (Outcome.report.baseline)
    Outcome.report.baseline->added =
        unsigned(count_if(Outcome.report.findings, [](const auto &F) { return !isContract(F); }));
}

static void sortByPlace(std::vector<result::Finding> &Findings) {
  stable_sort(Findings, [](const result::Finding &A, const result::Finding &B) {
    return std::tie(A.place.file, A.place.line, A.place.column) <
           std::tie(B.place.file, B.place.line, B.place.column);
  });
}

void warplint::driver::useBaseline(RunOutcome &Outcome, const std::vector<std::string> &Files,
                                   const RunOptions &Options) {
  const AdoptionOptions &Adoption = Options.adoption;
  if (!Adoption.known && Adoption.newBaseline.empty())
    return;
  AgainstBaseline Baseline(Outcome, Files, Options);
  if (Adoption.known)
    Baseline.compare();
  if (!Adoption.newBaseline.empty())
    Baseline.rewrite();
  countNew(Outcome);
  sortByPlace(Outcome.report.findings);
}

void warplint::driver::adopt(RunOutcome &Outcome, const std::vector<std::string> &Files,
                             const RunOptions &Options) {
  std::vector<result::Finding> &Findings = Outcome.report.findings;
  holdToContracts(Outcome, Files, Options);
  keepHeaders(Findings, filterOf(Options, Files), Files);
  useBaseline(Outcome, Files, Options);
  keepLines(Findings, Options.adoption.filter);
  countNew(Outcome);
  sortByPlace(Findings);
}
