#include "analyzer/driver/Shard.h"
#include "analyzer/driver/Adoption.h"
#include "analyzer/driver/Fixes.h"
#include "analyzer/driver/KernelMerge.h"
#include "rules/Rules.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

using namespace llvm;
using namespace warplint;
using namespace warplint::driver;

//===-- Which files ------------------------------------------------------------===//

static std::string plainAbsolute(StringRef Name) {
  SmallString<256> Path(Name);
  (void)sys::fs::make_absolute(Path);
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path.str().str();
}

/// "../src/a.cu": the same wherever the project lies.
static std::string relativeTo(StringRef Base, StringRef File) {
  const std::string From = plainAbsolute(Base), To = plainAbsolute(File);
  auto B = sys::path::begin(From), BEnd = sys::path::end(From);
  auto F = sys::path::begin(To), FEnd = sys::path::end(To);
  while (B != BEnd && F != FEnd && *B == *F)
    ++B, ++F;
  std::string Relative;
  for (; B != BEnd; ++B)
    Relative += "../";
  for (; F != FEnd; ++F)
    Relative += (*F + "/").str();
  return Relative;
}

std::vector<unsigned> warplint::driver::filesOfShard(const std::vector<std::string> &Files,
                                                     const ShardRequest &Request) {
  std::vector<std::pair<uint64_t, std::string>> Keys;
  for (const std::string &File : Files) {
    std::string Name = relativeTo(Request.base, File);
    const uint64_t Hash = xxh3_64bits(Name);
    Keys.emplace_back(Hash, std::move(Name));
  }
  std::vector<unsigned> Row(Files.size());
  std::iota(Row.begin(), Row.end(), 0u);
  llvm::sort(Row, [&](unsigned L, unsigned R) { return std::tie(Keys[L], L) < std::tie(Keys[R], R); });

  const auto Cut = [&](uint64_t Number) { return ptrdiff_t(Number * Row.size() / Request.count); };
  std::vector<unsigned> Mine(Row.begin() + Cut(Request.index - 1), Row.begin() + Cut(Request.index));
  llvm::sort(Mine);
  return Mine;
}

//===-- What a part says of itself ---------------------------------------------===//

void warplint::driver::describeShard(RunOutcome &Outcome, const std::vector<std::string> &Files,
                                     const std::vector<unsigned> &Mine, const RunOptions &Options) {
  result::Report &Report = Outcome.report;
  result::Shard &Shard = Report.shard.emplace();
  Shard.index = Options.shard->index;
  Shard.count = Options.shard->count;
  Shard.files = unsigned(Files.size());
  for (unsigned Position : Mine)
    Shard.units.push_back({Position, plainAbsolute(Files[Position])});
  if (Mine.empty())
    Outcome.notes.push_back("shard " + utostr(Shard.index) + "/" + utostr(Shard.count) + " has none of the " +
                            utostr(Files.size()) + (Files.size() == 1 ? " file" : " files"));
  for (result::Kernel &K : Report.kernels)
    K.unit = Mine[*K.unit];
  for (result::Error &E : Report.errors)
    if (E.unit)
      E.unit = Mine[*E.unit];
  Shard.failures = Outcome.failures;
  if (Outcome.interrupted)
    Shard.failures.push_back("shard " + utostr(Shard.index) + "/" + utostr(Shard.count) +
                             " was interrupted; run it again");
  Shard.wholeProject = Options.adoption.wholeProject;
  const FindingFilter &Asked = Options.adoption.filter;
  Shard.filtered = Asked.selectsLines() || Asked.headers || !Asked.excludedHeaders.empty();
  Shard.checks = Options.checks;
  Shard.configuration = Options.configurationText;
  Shard.badSuppressions = Outcome.badSuppressions;

  Shard.candidates = candidatesOf(Report, Options);
  // What becomes of each, whichever of a place's candidates it is that speaks for all.
  result::Report Each;
  for (const result::Candidate &C : Shard.candidates) {
    Each.findings.push_back(C.finding);
    Each.findings.back().fingerprint = utostr(Each.findings.size() - 1);
  }
  Each.kernels.swap(Report.kernels);
  silence(Each, Options);
  std::vector<std::string> Names;
  for (unsigned Position : Mine)
    Names.push_back(Files[Position]);
  const FindingFilter Filter = filterOf(Options, Names);
  keepHeaders(Each.findings, Filter, Names);
  keepLines(Each.findings, Filter);
  Each.kernels.swap(Report.kernels);
  for (const result::Finding &F : Each.findings) {
    size_t Index = 0;
    if (!StringRef(F.fingerprint).getAsInteger(10, Index))
      Shard.candidates[Index].reported = F.severity;
  }
}

//===-- Parts as one ------------------------------------------------------------===//

namespace {

using Reports = std::vector<NamedReport>;

Error refuse(const NamedReport &Of, const Twine &Why) { return createStringError(Of.name + ": " + Why); }

/// Are these all parts of one run?
Error checkParts(const Reports &Parts) {
  const result::Shard &First = *Parts.front().report.shard;
  std::map<unsigned, const NamedReport *> ByIndex;
  for (const NamedReport &Part : Parts) {
    const result::Shard &S = *Part.report.shard;
    if (S.count != First.count || S.files != First.files)
      return refuse(Part, "shard " + Twine(S.index) + "/" + Twine(S.count) + " of " + Twine(S.files) +
                              " files is of another run than " + Parts.front().name + ", a shard of " +
                              Twine(First.count) + ", of " + Twine(First.files) + " files");
    auto [At, New] = ByIndex.try_emplace(S.index, &Part);
    if (!New)
      return refuse(Part,
                    "shard " + Twine(S.index) + "/" + Twine(S.count) + ", as " + At->second->name + " is");
  }
  std::string Missing;
  for (unsigned I = 1; I <= First.count; ++I)
    if (!ByIndex.count(I))
      Missing += (Missing.empty() ? "" : ", ") + utostr(I) + "/" + utostr(First.count);
  if (!Missing.empty())
    return createStringError("the report of shard " + Missing +
                             " is missing; what is merged without it would look complete");
  std::map<unsigned, const NamedReport *> ByPosition;
  for (const NamedReport &Part : Parts)
    for (const result::Shard::Unit &U : Part.report.shard->units)
      if (auto [At, New] = ByPosition.try_emplace(U.position, &Part); !New || U.position >= First.files)
        return refuse(Part, U.file + " has the place of a file of " + At->second->name +
                                ": the shards were not given the same list of files");
  return Error::success();
}

bool isAsked(const AdoptionOptions &Baseline) { return Baseline.known || !Baseline.newBaseline.empty(); }

/// Does the merged report tell what the baselines are to be about?
Error checkBaselines(const Reports &Parts, bool Shards, const AdoptionOptions &Baseline) {
  for (const NamedReport &Part : Parts) {
    if (!Shards && (Part.report.baseline || isAsked(Baseline)))
      return refuse(Part, "the report of a whole run does not have all that a baseline needs: runs with "
                          "--baseline are merged as shards alone (--shard=I/N)");
    if (Part.report.baseline && !isAsked(Baseline))
      return refuse(Part,
                    "was held against a baseline, as the whole is to be: give --baseline=FILE to 'warplint "
                    "merge', too");
    if (!isAsked(Baseline))
      continue;
    const result::Shard &S = *Part.report.shard, &First = *Parts.front().report.shard;
    if (S.filtered)
      return refuse(Part,
                    "--line-filter, --diff or a header filter has left findings out that may be in the "
                    "baseline; leave these options out (HeaderFilterRegex of a .warplint file may stay)");
    if (std::tie(S.checks, S.configuration, S.wholeProject) !=
        std::tie(First.checks, First.configuration, First.wholeProject))
      return refuse(Part, "the run had other --checks, another configuration or other files than that of " +
                              Parts.front().name);
    // Configurations are looked for above the sources, too.
    for (const result::Shard::Unit &U : S.units)
      if (!sys::fs::exists(U.file))
        return refuse(Part,
                      "there is no " + U.file +
                          " here; to hold shards against a baseline takes the sources where they had them");
  }
  return Error::success();
}

/// Holds the merged report against the baseline, as one run would have.
void useBaselines(const Reports &Parts, AdoptionOptions Baseline, RunOutcome &Outcome) {
  const result::Shard &First = *Parts.front().report.shard;
  std::vector<std::string> Files;
  for (const NamedReport &Part : Parts)
    for (const result::Shard::Unit &U : Part.report.shard->units)
      Files.push_back(U.file);
  std::optional<Configuration> Given;
  std::vector<std::string> Known; // was said by the shards
  if (First.configuration)
    Given = readConfiguration(*First.configuration, "", Known);
  Configuration CommandLine;
  CommandLine.checks = First.checks;
  RunOptions Options;
  Options.configurations = std::make_shared<Configurations>(std::move(Given), std::move(CommandLine));
  Options.adoption = std::move(Baseline);
  Options.adoption.wholeProject = First.wholeProject;
  useBaseline(Outcome, Files, Options);
  append_range(Outcome.failures, Options.configurations->errors());
}

/// A kernel, error or finding of one of the reports.
struct Origin {
  size_t report, index;
};

/// The items of all reports in the order of the files that they are of; without such, in the order of the
/// reports.
template <typename Of> std::vector<Origin> inOrderOfFiles(const Reports &Parts, Of Items) {
  std::vector<Origin> Origins;
  for (size_t R = 0; R < Parts.size(); ++R)
    for (size_t I = 0; I < Items(Parts[R].report).size(); ++I)
      Origins.push_back({R, I});
  std::stable_sort(Origins.begin(), Origins.end(), [&](const Origin &L, const Origin &R) {
    return Items(Parts[L.report].report)[L.index].unit < Items(Parts[R.report].report)[R.index].unit;
  });
  return Origins;
}

/// Counts what one report has several times: it does so for a reason that cannot be seen in it.
class Occurrences {
public:
  std::string keyOf(size_t Report, const std::string &Key) {
    return Key + "#" + utostr(Seen[{Report, Key}]++);
  }

private:
  std::map<std::pair<size_t, std::string>, unsigned> Seen;
};

void mergeErrors(const Reports &Parts, result::Report &Into) {
  std::set<std::string> Seen;
  std::vector<result::Error> OfRun;
  for (const Origin &O : inOrderOfFiles(Parts, [](auto &R) -> auto & { return R.errors; })) {
    const NamedReport &Part = Parts[O.report];
    const result::Error &E = Part.report.errors[O.index];
    if (!Seen.insert(keyOf(E)).second)
      continue;
    // What is said of comments comes last, by file.
    (Part.report.shard && !E.unit ? OfRun : Into.errors).push_back(E);
  }
  std::stable_sort(OfRun.begin(), OfRun.end(), [](const result::Error &L, const result::Error &R) {
    return L.place.file < R.place.file;
  });
  Into.errors.insert(Into.errors.end(), OfRun.begin(), OfRun.end());
}

/// Merges the kernels; where each came from.
std::vector<Origin> mergeKernels(const Reports &Parts, bool Shards, result::Report &Into) {
  KernelMerge Merge;
  Occurrences Count;
  std::set<std::string> Seen;
  std::vector<Origin> First, Kept;
  for (const Origin &O : inOrderOfFiles(Parts, [](auto &R) -> auto & { return R.kernels; })) {
    const result::Kernel &K = Parts[O.report].report.kernels[O.index];
    bool New = Merge.add(K);
    // A report does not say where kernels are launched: those that look alike differ in that.
    if (!Shards)
      New = Seen.insert(Count.keyOf(O.report, keyOf(K))).second;
    if (New)
      First.push_back(O);
  }
  for (const Origin &O : First)
    if (const result::Kernel &K = Parts[O.report].report.kernels[O.index]; Merge.isNeeded(K)) {
      Kept.push_back(O);
      Into.kernels.push_back(K);
    }
  return Kept;
}

/// A finding's rule and place: what its report has at most one of.
std::string keyOf(const result::Finding &F) {
  return F.rule + "|" + F.place.file + ":" + utostr(F.place.line) + ":" + utostr(F.place.column) + ":" +
         utostr(F.place.endLine) + ":" + utostr(F.place.endColumn);
}

bool hasFix(const result::Finding &F, const result::Fix &Wanted) {
  const auto Same = [](const result::Edit &L, const result::Edit &R) {
    return std::tie(L.file, L.offset, L.length, L.text) == std::tie(R.file, R.offset, R.length, R.text);
  };
  return any_of(F.fixes, [&](const result::Fix &X) {
    return std::equal(X.edits.begin(), X.edits.end(), Wanted.edits.begin(), Wanted.edits.end(), Same);
  });
}

/// The findings of all reports by keyOf, each with the index of its report.
using FindingsByPlace = std::map<std::string, std::vector<std::pair<size_t, const result::Finding *>>>;

/// The fixes of a merged finding: those of the report it comes from that all others found good, too.
std::vector<result::Fix> fixesOf(const result::Finding &F, size_t From, const FindingsByPlace &Known) {
  std::vector<result::Fix> Fixes;
  const auto At = Known.find(keyOf(F));
  if (At == Known.end())
    return Fixes;
  for (const auto &[Report, Source] : At->second)
    if (Report == From && Fixes.empty())
      Fixes = Source->fixes;
  erase_if(Fixes, [&](const result::Fix &X) {
    return any_of(At->second, [&](const auto &Other) { return !hasFix(*Other.second, X); });
  });
  return Fixes;
}

/// Where a part's baseline has held a finding back: its fixes were not tried out there.
std::set<std::string> placesHeldBack(const Reports &Parts, const FindingsByPlace &Known) {
  std::set<std::string> Places;
  for (size_t R = 0; R < Parts.size(); ++R)
    if (Parts[R].report.baseline)
      for (const result::Candidate &C : Parts[R].report.shard->candidates) {
        const std::string Key = keyOf(C.finding);
        const auto At = Known.find(Key);
        if (At == Known.end() || none_of(At->second, [&](const auto &Of) { return Of.first == R; }))
          Places.insert(Key);
      }
  return Places;
}

/// The findings of parts, from what the rules said of each kernel.
void mergeCandidates(const Reports &Parts, const std::vector<Origin> &Kernels, result::Report &Into) {
  std::map<std::pair<size_t, size_t>, size_t> NewIndex;
  for (size_t I = 0; I < Kernels.size(); ++I)
    NewIndex[{Kernels[I].report, Kernels[I].index}] = I;
  std::vector<result::Candidate> All;
  std::vector<size_t> ReportOf;
  for (size_t R = 0; R < Parts.size(); ++R)
    for (const result::Candidate &C : Parts[R].report.shard->candidates)
      if (auto At = NewIndex.find({R, C.kernel}); At != NewIndex.end()) {
        All.push_back(C);
        All.back().kernel = At->second;
        ReportOf.push_back(R);
      }
  std::vector<size_t> Order(All.size());
  std::iota(Order.begin(), Order.end(), size_t(0));
  std::stable_sort(Order.begin(), Order.end(),
                   [&](size_t L, size_t R) { return All[L].kernel < All[R].kernel; });
  std::vector<result::Candidate> Sorted;
  for (size_t I : Order)
    Sorted.push_back(All[I]);

  FindingsByPlace Known;
  for (size_t R = 0; R < Parts.size(); ++R)
    for (const result::Finding &F : Parts[R].report.findings)
      Known[keyOf(F)].emplace_back(R, &F);
  const std::set<std::string> Untried = placesHeldBack(Parts, Known);
  for (rules::Merged &M : rules::merge(Into.kernels, Sorted)) {
    if (!Sorted[M.candidate].reported)
      continue;
    M.finding.severity = *Sorted[M.candidate].reported;
    if (!Untried.contains(keyOf(M.finding)))
      M.finding.fixes = fixesOf(M.finding, ReportOf[Order[M.candidate]], Known);
    Into.findings.push_back(std::move(M.finding));
  }
  // Contracts are no candidates: each part holds to those of its files.
  std::set<std::string> Seen;
  for (const NamedReport &Part : Parts)
    for (const result::Finding &F : Part.report.findings)
      if (F.rule == rules::CostContractName && Seen.insert(keyOf(F) + F.message).second)
        Into.findings.push_back(F);
  std::stable_sort(Into.findings.begin(), Into.findings.end(), [](const auto &L, const auto &R) {
    return std::tie(L.place.file, L.place.line, L.place.column) <
           std::tie(R.place.file, R.place.line, R.place.column);
  });
}

/// The findings of whole runs: their words stay as they are.
void mergeFindings(const Reports &Parts, result::Report &Into) {
  Occurrences Count;
  std::map<std::string, size_t> Seen;
  for (size_t R = 0; R < Parts.size(); ++R)
    for (const result::Finding &F : Parts[R].report.findings) {
      auto [At, New] = Seen.try_emplace(Count.keyOf(R, keyOf(F)), Into.findings.size());
      if (New) {
        Into.findings.push_back(F);
        continue;
      }
      result::Finding &Known = Into.findings[At->second];
      if (std::pair(F.severity, F.impact) > std::pair(Known.severity, Known.impact))
        Known = F;
    }
  std::stable_sort(
      Into.findings.begin(), Into.findings.end(), [](const result::Finding &L, const result::Finding &R) {
        const auto Key = [](const result::Finding &F) {
          return std::tie(F.place.file, F.place.line, F.place.column, F.place.endLine, F.place.endColumn);
        };
        return std::pair(Key(L), rules::find(L.rule)) < std::pair(Key(R), rules::find(R.rule));
      });
}

} // namespace

Expected<RunOutcome> warplint::driver::mergeReports(Reports Parts, AdoptionOptions Baseline) {
  const auto IsShard = [](const NamedReport &Part) { return Part.report.shard.has_value(); };
  const bool Shards = all_of(Parts, IsShard);
  if (!Shards)
    if (auto At = find_if(Parts, IsShard); At != Parts.end())
      return refuse(*At, "a shard's report, which is merged with those of the other shards alone");
  for (const NamedReport &Part : Parts)
    for (const result::Finding &F : Part.report.findings)
      if (!rules::find(F.rule))
        return refuse(Part, "there is no check '" + F.rule + "' in this version of warplint");
  if (Shards) {
    if (Error E = checkParts(Parts))
      return std::move(E);
    llvm::sort(Parts, [](const NamedReport &L, const NamedReport &R) {
      return L.report.shard->index < R.report.shard->index;
    });
  }
  if (Error E = checkBaselines(Parts, Shards, Baseline))
    return std::move(E);

  RunOutcome Outcome;
  const std::vector<Origin> Kernels = mergeKernels(Parts, Shards, Outcome.report);
  mergeErrors(Parts, Outcome.report);
  if (Shards)
    mergeCandidates(Parts, Kernels, Outcome.report);
  else
    mergeFindings(Parts, Outcome.report);
  for (const NamedReport &Part : Parts) {
    Outcome.report.files += Part.report.files;
    if (!Part.report.shard)
      continue;
    Outcome.badSuppressions += Part.report.shard->badSuppressions;
    for (const std::string &Failure : Part.report.shard->failures)
      Outcome.failures.push_back(Failure);
  }
  if (isAsked(Baseline))
    useBaselines(Parts, std::move(Baseline), Outcome);
  return Outcome;
}
