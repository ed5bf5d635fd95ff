#include "rules/Rules.h"
#include "rules/AllRules.h"
#include "rules/Glob.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>
#include <cassert>
#include <map>
#include <set>
#include <tuple>

namespace warplint::rules {

using namespace result;

//===-- The table -------------------------------------------------------------===//

const std::vector<Rule> &all() {
  // The rules about global geometry stand in their order of precedence.
  static const std::vector<Rule> Table = {GlobalAos,          GlobalRowPerThread,   GlobalStride,
                                          GlobalNarrow,       GlobalMisaligned,     GlobalFewLanes,
                                          GlobalBroadcast,    GlobalGather,         SharedTileColumn,
                                          SharedBankConflict, MisalignedVectorCast, ConstantDivergent,
                                          LocalIndexedArray,  AtomicContention,     LaunchPartialWarp,
                                          KernelBandwidthBound, CostContract};
  return Table;
}

const Rule *find(std::string_view Name) {
  const llvm::StringRef Plain = llvm::StringRef(Name).starts_with("warplint-")
                                    ? llvm::StringRef(Name).drop_front(strlen("warplint-"))
                                    : llvm::StringRef(Name);
  for (const Rule &R : all())
    if (Plain == R.name)
      return &R;
  return nullptr;
}

std::string_view explanation(const Rule &R) {
  // Generated from the leading comment of each rule's file (Pages.cmake).
  static constexpr std::pair<std::string_view, std::string_view> Pages[] = {
#include "RulePages.inc"
  };
  for (const auto &[Name, Page] : Pages)
    if (Name == R.name)
      return Page;
  return {};
}

void Rule::detect(const Kernel &K, std::vector<Finding> &Out) const {
  const Values Presets(options);
  if (kernel)
    if (std::optional<Finding> F = kernel(K, Presets))
      Out.push_back(std::move(*F));
  if (access)
    for (const Access &A : K.accesses)
      if (std::optional<Finding> F = access(K, A, Presets))
        Out.push_back(std::move(*F));
}

//===-- Selection -------------------------------------------------------------===//

Selection::Selection(std::string_view Globs, std::vector<std::string> *Unmatched) {
  for (const Rule &R : all())
    On.push_back(R.onByDefault);
  llvm::StringRef Rest(Globs.data(), Globs.size());
  while (!Rest.empty()) {
    // As in clang-tidy, a line's end separates like a comma.
    const size_t End = Rest.find_first_of(",\n");
    const llvm::StringRef Item = Rest.take_front(End).trim();
    Rest = End == llvm::StringRef::npos ? llvm::StringRef() : Rest.drop_front(End + 1);
    if (Item.empty())
      continue;
    const bool Remove = Item.starts_with("-");
    const llvm::StringRef Glob = Remove ? Item.drop_front().trim() : Item;
    bool Any = false;
    for (size_t I = 0; I != all().size(); ++I) {
      if (!matchesRule(Glob, all()[I].name))
        continue;
      On[I] = !Remove;
      Any = true;
    }
    if (!Any && Unmatched)
      Unmatched->push_back(Item.str());
  }
}

bool Selection::contains(const Rule &R) const {
  for (size_t I = 0; I != all().size(); ++I)
    if (llvm::StringRef(all()[I].name) == R.name)
      return On[I];
  return false;
}

//===-- Running ------------------------------------------------------------------===//

namespace {

/// A finding while it is merged.
struct Entry {
  Finding finding;
  size_t candidate;       ///< the one that `finding` is
  size_t rule;            ///< index into all()
  std::string kernelName; ///< unqualified; of all merged ones the first in the alphabet. "" in a helper function
  std::set<std::string> instances;
  unsigned launches = 1;
};

/// A place in the source, for maps.
using Spot = std::tuple<std::string, unsigned, unsigned, unsigned, unsigned, std::string>;

} // namespace

static Spot spotOf(const Finding &F) {
  return {F.place.file, F.place.line, F.place.column, F.place.endLine, F.place.endColumn, F.expression};
}

/// The number that tells how bad an access of its space is.
static double piecesOf(const Finding &F) {
  return F.space == Space::Shared     ? F.cost.conflictWays
         : F.space == Space::Constant ? F.cost.distinctAddresses
                                      : F.cost.sectors;
}

/// Is A worse than B? Equal ones keep their order, so that the first instance in the file is named.
static bool isWorse(const Finding &A, const Finding &B) {
  const auto Rank = [](const Finding &F) {
    const double Waste = F.space == Space::Shared     ? F.cost.conflictWays
                         : F.space == Space::Constant ? F.cost.distinctAddresses
                                                      : F.cost.sectors - F.cost.idealSectors;
    return std::tuple(F.severity, F.impact, Waste, F.excess);
  };
  return Rank(A) > Rank(B);
}

static void merge(Entry &Into, Entry &&From) {
  From.instances.merge(Into.instances);
  From.launches += Into.launches;
  From.kernelName = std::min(From.kernelName, Into.kernelName);
  // All instances waste; reports rank by their sum.
  const double Excess = Into.finding.excess + From.finding.excess;
  const double Most = std::max(Into.finding.most, From.finding.most);
  if (!isWorse(From.finding, Into.finding)) {
    From.finding = std::move(Into.finding);
    From.rule = Into.rule;
    From.candidate = Into.candidate;
  }
  From.finding.excess = Excess;
  From.finding.most = Most;
  Into = std::move(From);
}

/// Merges the entries that agree in `KeyOf`, in order of first appearance.
template <typename Function> static void mergeBy(std::vector<Entry> &Entries, Function KeyOf) {
  std::map<decltype(KeyOf(Entries.front())), size_t> Seen;
  std::vector<Entry> Merged;
  for (Entry &E : Entries) {
    auto [At, New] = Seen.try_emplace(KeyOf(E), Merged.size());
    if (New)
      Merged.push_back(std::move(E));
    else
      merge(Merged[At->second], std::move(E));
  }
  Entries = std::move(Merged);
}

std::string withoutLayout(llvm::StringRef Text) {
  std::string Plain;
  const auto IsWord = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  bool Gap = false;
  while (!Text.empty()) {
    if (Text.starts_with("/*") || Text.starts_with("//")) {
      // The text of an access has no line ends left, so that what follows "//" cannot be told from code: it is
      // kept, without the slashes.
      const size_t End = Text.starts_with("/*") ? Text.find("*/", 2) : 0;
      Text = End == llvm::StringRef::npos ? llvm::StringRef() : Text.drop_front(End + 2);
      Gap = true;
      continue;
    }
    const char C = Text.front();
    if (llvm::isSpace(C)) {
      Gap = true;
      Text = Text.drop_front();
      continue;
    }
    if (Gap && !Plain.empty() && IsWord(Plain.back()) && IsWord(C))
      Plain += ' ';
    Gap = false;
    size_t Length = 1;
    if (C == '"' || C == '\'') {
      while (Length < Text.size() && Text[Length] != C)
        Length += Text[Length] == '\\' ? 2 : 1;
      ++Length;
    }
    Plain += Text.take_front(Length);
    Text = Text.drop_front(std::min(Length, Text.size()));
  }
  return Plain;
}

/// Stable over edits elsewhere and over reformatting: no line numbers, no folder, no blanks. Repeats of the same
/// text in a file are counted.
static void fingerprint(std::vector<Entry> &Entries) {
  const auto Hash = [](const std::string &Key) {
    return llvm::utohexstr(llvm::xxh3_64bits(Key), /*LowerCase=*/true, /*Width=*/16);
  };
  std::map<std::pair<std::string, std::string>, unsigned> Occurrences; // by file and key
  for (Entry &E : Entries) {
    Finding &F = E.finding;
    const std::string Where = llvm::sys::path::filename(F.place.file).str() + '\0' + E.kernelName + '\0' +
                              (E.kernelName.empty() ? "" : withoutLayout(F.base)) + '\0' + // a helper's is its caller's
                              withoutLayout(F.expression);
    const std::string Key = F.rule + '\0' + Where;
    F.identity = Hash((all()[E.rule].globalGeometry ? "global" : F.rule) + '\0' + Where);
    const unsigned Occurrence = Occurrences[{F.place.file, Key}]++;
    F.fingerprint = Hash(Key + '\0' + std::to_string(Occurrence));
  }
}

/// Does the cost reach what the options ask for?
static bool isWorthSaying(const Finding &F, const Rule &R, const Values &Set) {
  return llvm::all_of(R.options, [&](const OptionInfo &Option) {
    const llvm::StringRef Name = Option.name;
    if (Name == "MinExcessSectors")
      return F.cost.sectors - F.cost.idealSectors >= double(Set[Name]);
    if (Name == "MinWays")
      return F.cost.conflictWays >= double(Set[Name]);
    if (Name == "MinAddresses")
      return F.cost.distinctAddresses >= double(Set[Name]);
    return true;
  });
}

static void setSeverity(Finding &F, const Rule &R, const Settings &Wanted) {
  F.severity = Wanted.options.of(R).severity.value_or(F.severity);
  if (F.severity == Severity::Warning && Wanted.errors.contains(R))
    F.severity = Severity::Error;
}

std::vector<Candidate> candidates(const std::vector<Kernel> &Kernels,
                                  llvm::function_ref<const Settings &(const Kernel &)> SettingsOf) {
  std::vector<Candidate> Candidates;
  for (size_t I = 0; I != Kernels.size(); ++I) {
    const Kernel &K = Kernels[I];
    const Settings &Wanted = SettingsOf(K);
    const auto Add = [&](const Rule &R, std::optional<Finding> F, bool InHelper = false) {
      if (!F)
        return false;
      if (isWorthSaying(*F, R, Wanted.options.of(R))) {
        setSeverity(*F, R, Wanted);
        Candidates.push_back({std::move(*F), I, InHelper, std::nullopt});
      }
      // What is too little to be said here is not said by another rule either.
      return true;
    };
    std::vector<const Rule *> Running;
    for (const Rule &R : all())
      if (Wanted.selected.contains(R))
        Running.push_back(&R);
    for (const Rule *R : Running)
      if (R->kernel)
        Add(*R, R->kernel(K, Wanted.options.of(*R)));
    for (const Access &A : K.accesses) {
      bool HasGeometry = false;
      for (const Rule *R : Running) {
        if (!R->access || (R->globalGeometry && HasGeometry))
          continue;
        std::optional<Finding> F = R->access(K, A, Wanted.options.of(*R));
        if (F)
          F->base = A.base;
        const bool Found = Add(*R, std::move(F), A.calledFrom.valid());
        HasGeometry |= Found && R->globalGeometry;
      }
    }
  }
  return Candidates;
}

std::vector<Merged> merge(const std::vector<Kernel> &Kernels, const std::vector<Candidate> &Candidates) {
  std::vector<Entry> Entries;
  for (size_t I = 0; I != Candidates.size(); ++I) {
    const Candidate &C = Candidates[I];
    const Rule *R = find(C.finding.rule);
    assert(R && "a candidate of no rule");
    const Kernel &K = Kernels[C.kernel];
    // A helper's access belongs to no kernel: which ones call it changes, and not every run sees all of them.
    Entries.push_back({C.finding, I, size_t(R - all().data()), C.inHelper ? "" : K.name, {K.signature}});
    Entries.back().finding.most = piecesOf(C.finding);
  }

  mergeBy(Entries, [](const Entry &E) { return std::pair(E.rule, spotOf(E.finding)); });
  // Instances may differ in the rule that holds (a stride of 2 here, of 32 there): one source access, one
  // finding.
  mergeBy(Entries, [](const Entry &E) {
    return std::pair(all()[E.rule].globalGeometry ? -1 : int(E.rule), spotOf(E.finding));
  });

  // After merging, place, expression and rule tell entries apart: the order is total.
  std::sort(Entries.begin(), Entries.end(), [](const Entry &A, const Entry &B) {
    return std::pair(spotOf(A.finding), A.rule) < std::pair(spotOf(B.finding), B.rule);
  });
  fingerprint(Entries);

  std::vector<Merged> Findings;
  for (Entry &E : Entries) {
    if (E.instances.size() > 1)
      E.finding.notes.push_back(
          {llvm::formatv("worst of {0} kernel instances: {1}", E.instances.size(), E.finding.kernel),
           E.finding.place});
    Findings.push_back({std::move(E.finding), E.candidate});
  }
  return Findings;
}

std::vector<Finding> run(const std::vector<Kernel> &Kernels,
                         llvm::function_ref<const Settings &(const Kernel &)> SettingsOf) {
  std::vector<Finding> Findings;
  for (Merged &M : merge(Kernels, candidates(Kernels, SettingsOf)))
    Findings.push_back(std::move(M.finding));
  return Findings;
}

std::vector<Finding> run(const std::vector<Kernel> &Kernels, const Selection &Selected) {
  Settings Wanted;
  Wanted.selected = Selected;
  return run(Kernels, [&](const Kernel &) -> const Settings & { return Wanted; });
}

} // namespace warplint::rules
