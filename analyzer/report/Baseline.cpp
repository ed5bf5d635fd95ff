//===-- Baseline.cpp - Findings that are known and accepted ---------------------------===//
//
// The file's form is read key by key: an unknown one is an error, since what is not understood cannot be
// kept.
//
//===----------------------------------------------------------------------===//
#include "analyzer/report/Baseline.h"
#include "analyzer/report/ParseJson.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include <cmath>
#include <map>
#include <tuple>

using namespace warplint;
using namespace warplint::result;
using namespace warplint::report;
using llvm::StringRef;
namespace json = llvm::json;

static constexpr llvm::StringLiteral Schema = "warplint-baseline/1";

std::vector<BaselineEntry> warplint::report::baselineOf(const std::vector<Finding> &Findings,
                                                        NameInBaseline Name) {
  std::vector<BaselineEntry> Entries;
  for (const Finding &F : Findings)
    Entries.push_back({Name(F.place.file), F.rule, F.identity, F.kernel, F.expression, F.impact, F.most});
  return Entries;
}

//===-- Writing -----------------------------------------------------------------===//

void warplint::report::writeBaseline(llvm::raw_ostream &OS, std::vector<BaselineEntry> Entries) {
  // No line numbers: they move with every edit. What is equal in all of this may stand in any order.
  llvm::sort(Entries, [](const BaselineEntry &A, const BaselineEntry &B) {
    return std::tie(A.file, A.rule, A.kernel, A.expression, A.identity, A.impact, A.cost) <
           std::tie(B.file, B.rule, B.kernel, B.expression, B.identity, B.impact, B.cost);
  });
  OS << "{\n\"schema\": \"" << Schema << "\",\n\"findings\": [\n";
  for (const BaselineEntry &E : Entries) {
    {
      json::OStream J(OS);
      J.object([&] {
        J.attribute("file", json::fixUTF8(E.file));
        J.attribute("rule", json::fixUTF8(E.rule));
        J.attribute("kernel", json::fixUTF8(E.kernel));
        J.attribute("expression", json::fixUTF8(E.expression));
        J.attribute("impact", spelling(E.impact));
        J.attribute("cost", E.cost);
        J.attribute("fingerprint", E.identity);
      });
    }
    OS << (&E == &Entries.back() ? "\n" : ",\n");
  }
  OS << "]\n}\n";
}

//===-- Reading -----------------------------------------------------------------===//

static bool readImpact(const json::Value &Value, Impact &Into) {
  for (Impact I : {Impact::Low, Impact::Medium, Impact::High})
    if (Value.getAsString() == StringRef(spelling(I)))
      return Into = I, true;
  return false;
}

static bool readEntry(const json::Value &Value, BaselineEntry &E, json::Path Where) {
  const json::Object *Object = Value.getAsObject();
  if (!Object)
    return Where.report("expected a finding"), false;
  bool HasImpact = false, HasCost = false;
  for (const auto &[Key, Each] : *Object) {
    const StringRef Name = Key;
    json::Path Here = Where.field(Name);
    std::string *Text = Name == "file"          ? &E.file
                        : Name == "rule"        ? &E.rule
                        : Name == "kernel"      ? &E.kernel
                        : Name == "expression"  ? &E.expression
                        : Name == "fingerprint" ? &E.identity
                                                : nullptr;
    if (Text) {
      if (!Each.getAsString())
        return Here.report("expected a string"), false;
      *Text = Each.getAsString()->str();
    } else if (Name == "impact") {
      if (!(HasImpact = readImpact(Each, E.impact)))
        return Here.report("expected low, medium or high"), false;
    } else if (Name == "cost") {
      if (!(HasCost = Each.getAsNumber().has_value()))
        return Here.report("expected a number"), false;
      E.cost = *Each.getAsNumber();
    } else {
      return Here.report("unknown key"), false;
    }
  }
  if (E.file.empty() || E.rule.empty() || E.identity.empty() || !HasImpact || !HasCost)
    return Where.report("expected the keys file, rule, fingerprint, impact and cost"), false;
  return true;
}

llvm::Expected<std::vector<BaselineEntry>> warplint::report::readBaseline(StringRef Text) {
  Text.consume_front("\xef\xbb\xbf"); // as editors put in front
  llvm::Expected<json::Value> Value = parseJson(Text);
  if (!Value)
    return Value.takeError();
  const json::Object *Object = Value->getAsObject();
  const std::optional<StringRef> Version = Object ? Object->getString("schema") : std::nullopt;
  if (!Version || !Version->starts_with("warplint-baseline/"))
    return llvm::createStringError("no baseline: expected \"schema\": \"" + Schema + "\"");
  if (*Version != Schema)
    return llvm::createStringError("a baseline of the form '" + *Version + "'; this warplint reads '" +
                                   Schema + "'");
  json::Path::Root Root("baseline");
  const json::Array *Findings = Object->getArray("findings");
  if (!Findings || Object->size() != 2) {
    json::Path(Root).report("expected the keys schema and findings, a list");
    return Root.getError();
  }
  std::vector<BaselineEntry> Entries;
  for (size_t I = 0; I < Findings->size(); ++I) {
    BaselineEntry E;
    if (!readEntry((*Findings)[I], E, json::Path(Root).field("findings").index(unsigned(I))))
      return Root.getError();
    Entries.push_back(std::move(E));
  }
  return Entries;
}

//===-- Comparing ----------------------------------------------------------------===//

/// Does the entry stand for the finding: for the same cost, or for at most as much?
static bool covers(const BaselineEntry &E, const Finding &F, bool Equal) {
  constexpr double Rounding = 1e-9;
  const double Less = E.cost - F.most;
  return Equal ? std::fabs(Less) <= Rounding && E.impact == F.impact
               : Less >= -Rounding && E.impact >= F.impact;
}

namespace {

/// What stays of a finding when its file gets another name: its identity does not, which has that name in it.
using Trace = std::tuple<std::string, std::string, std::string>;
template <typename T> Trace traceOf(const T &Of) { return {Of.rule, Of.kernel, Of.expression}; }

/// The identities of a file's findings.
using Traces = std::map<Trace, std::vector<std::string>>;

unsigned sharedBy(const std::vector<BaselineEntry *> &Entries, const Traces &File) {
  std::map<Trace, unsigned> Wanted;
  for (const BaselineEntry *E : Entries)
    ++Wanted[traceOf(*E)];
  unsigned Shared = 0;
  for (const auto &[Key, Count] : Wanted)
    if (const auto At = File.find(Key); At != File.end())
      Shared += std::min(Count, unsigned(At->second.size()));
  return Shared;
}

} // namespace

std::vector<MovedFile> warplint::report::followMoves(std::vector<BaselineEntry> &Entries,
                                                     const std::vector<Finding> &Findings, NameInBaseline Name,
                                                     llvm::function_ref<bool(const std::string &)> IsGone) {
  std::map<std::string, std::vector<BaselineEntry *>> EntriesOf;
  for (BaselineEntry &E : Entries)
    EntriesOf[E.file].push_back(&E);
  std::map<std::string, Traces> NewFiles;
  for (const Finding &F : Findings)
    if (const std::string File = Name(F.place.file); !EntriesOf.count(File))
      NewFiles[File][traceOf(F)].push_back(F.identity);

  std::vector<MovedFile> Moved;
  for (auto &[From, Its] : EntriesOf) {
    if (NewFiles.empty() || !IsGone(From))
      continue;
    const auto Best = llvm::max_element(NewFiles, [&, Of = &Its](const auto &A, const auto &B) {
      return sharedBy(*Of, A.second) < sharedBy(*Of, B.second);
    });
    const unsigned Shared = sharedBy(Its, Best->second);
    if (2 * size_t(Shared) <= Its.size())
      continue;
    for (BaselineEntry *E : Its) {
      E->file = Best->first;
      const auto At = Best->second.find(traceOf(*E));
      if (At == Best->second.end() || At->second.empty())
        continue;
      E->identity = At->second.back();
      At->second.pop_back();
    }
    Moved.push_back({From, Best->first, Shared});
    NewFiles.erase(Best);
  }
  return Moved;
}

BaselineComparison warplint::report::compare(const std::vector<Finding> &Findings,
                                             std::vector<BaselineEntry> Entries, NameInBaseline Name) {
  using Key = std::pair<std::string, std::string>;
  std::map<Key, std::vector<size_t>> FindingsOf, EntriesOf;
  for (size_t I = 0; I < Findings.size(); ++I)
    FindingsOf[{Name(Findings[I].place.file), Findings[I].identity}].push_back(I);
  for (size_t I = 0; I < Entries.size(); ++I)
    EntriesOf[{Entries[I].file, Entries[I].identity}].push_back(I);

  BaselineComparison Result;
  for (auto &[K, List] : FindingsOf) {
    std::vector<size_t> &Open = EntriesOf[K];
    // The cheapest first, each to the cheapest entry that covers it: so that as many as can be are known.
    llvm::sort(Open, [&](size_t A, size_t B) {
      return std::tuple(Entries[A].cost, Entries[A].impact, A) <
             std::tuple(Entries[B].cost, Entries[B].impact, B);
    });
    llvm::sort(List, [&](size_t A, size_t B) {
      return std::tuple(Findings[A].most, Findings[A].impact, A) <
             std::tuple(Findings[B].most, Findings[B].impact, B);
    });
    // Equal ones first: of several repeats that one is new which is another.
    std::vector<size_t> Uncovered;
    for (const bool Equal : {true, false}) {
      Uncovered.clear();
      for (size_t I : List) {
        const auto At = llvm::find_if(Open, [&](size_t E) { return covers(Entries[E], Findings[I], Equal); });
        if (At == Open.end()) {
          Uncovered.push_back(I);
          continue;
        }
        Result.known.push_back(I);
        Open.erase(At);
      }
      List = Uncovered;
    }
    // What is left of both is the same access at another cost.
    for (size_t I : Uncovered) {
      if (Open.empty())
        break;
      Result.worse.emplace_back(I, Entries[Open.back()]);
      Open.pop_back();
    }
  }
  llvm::sort(Result.known);
  for (const auto &[K, Open] : EntriesOf)
    for (size_t E : Open)
      Result.left.push_back(Entries[E]);
  return Result;
}
