//===-- SarifMerge.cpp - Several SARIF logs as one ------------------------------===//
//
// Code scanning takes one run of a tool and category: logs of shards become one run, not several.
//
//===----------------------------------------------------------------------===//
#include "analyzer/report/CodeHosts.h"
#include <algorithm>
#include <map>
#include <set>

using namespace warplint;
using namespace warplint::report;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

std::string text(const json::Value &Value) {
  std::string Text;
  llvm::raw_string_ostream(Text) << Value;
  return Text;
}

llvm::Error refuse(StringRef Name, StringRef Why) { return llvm::createStringError(Name + ": " + Why); }

/// The one run of a log that warplint wrote.
llvm::Expected<json::Object *> runOf(StringRef Name, json::Value &Log) {
  json::Object *Top = Log.getAsObject();
  json::Array *Runs = Top ? Top->getArray("runs") : nullptr;
  if (!Runs || Top->getString("version") != StringRef("2.1.0"))
    return refuse(Name, "no SARIF 2.1.0 log");
  if (Runs->size() != 1 || !Runs->front().getAsObject())
    return refuse(Name, "not one run, as warplint writes it, but " + std::to_string(Runs->size()));
  json::Object *Run = Runs->front().getAsObject();
  const json::Object *Tool = Run->getObject("tool");
  const json::Object *Driver = Tool ? Tool->getObject("driver") : nullptr;
  if (!Driver || Driver->getString("name") != StringRef("warplint"))
    return refuse(Name, "the SARIF log of another tool; only warplint's are merged");
  return Run;
}

/// What two logs of one project have in common: the tool's version and its rules.
std::string toolOf(const json::Object &Run) { return text(*Run.get("tool")); }

/// Where a result is, for order and identity.
struct Place {
  std::string file;
  int64_t line = 0, column = 0, endLine = 0, endColumn = 0;
  auto tie() const { return std::tie(file, line, column, endLine, endColumn); }
};

Place placeOf(const json::Object &Result) {
  Place P;
  const json::Array *Locations = Result.getArray("locations");
  const json::Object *Location =
      Locations && !Locations->empty() ? Locations->front().getAsObject() : nullptr;
  const json::Object *Physical = Location ? Location->getObject("physicalLocation") : nullptr;
  if (!Physical)
    return P;
  if (const json::Object *Artifact = Physical->getObject("artifactLocation"))
    P.file = Artifact->getString("uri").value_or("").str();
  if (const json::Object *Region = Physical->getObject("region")) {
    P.line = Region->getInteger("startLine").value_or(0);
    P.column = Region->getInteger("startColumn").value_or(0);
    P.endLine = Region->getInteger("endLine").value_or(0);
    P.endColumn = Region->getInteger("endColumn").value_or(0);
  }
  return P;
}

int weight(const json::Object &Result) {
  const StringRef Level = Result.getString("level").value_or("warning");
  return Level == "error" ? 3 : Level == "warning" ? 2 : 1;
}

/// Results, each once. Those of one log are apart: it has them for different expressions.
class Results {
public:
  void add(json::Array &Of) {
    std::map<std::string, unsigned> Before;
    for (json::Value &Value : Of) {
      json::Object *Result = Value.getAsObject();
      if (!Result)
        continue;
      const Place P = placeOf(*Result);
      Entry New{P, Result->getInteger("ruleIndex").value_or(-1), weight(*Result),
                Result->getInteger("rank").value_or(0), std::move(Value)};
      std::string Key = P.file + ":" + std::to_string(P.line) + ":" + std::to_string(P.column) + ":" +
                        std::to_string(P.endLine) + ":" + std::to_string(P.endColumn) + ":" +
                        std::to_string(New.rule);
      Key += "#" + std::to_string(Before[Key]++);
      auto [At, First] = Seen.try_emplace(Key, All.size());
      if (First)
        All.push_back(std::move(New));
      else if (Entry &Known = All[At->second];
               std::pair(New.weight, New.rank) > std::pair(Known.weight, Known.rank))
        Known = std::move(New);
    }
  }

  /// The worst ones, sorted; how many were left out.
  json::Array take(size_t Most, size_t &Left) {
    Left = All.size() > Most ? All.size() - Most : 0;
    if (Left) {
      std::stable_sort(All.begin(), All.end(), [](const Entry &A, const Entry &B) {
        return std::pair(A.weight, A.rank) > std::pair(B.weight, B.rank);
      });
      All.erase(All.begin() + ptrdiff_t(Most), All.end());
    }
    std::stable_sort(All.begin(), All.end(), [](const Entry &A, const Entry &B) {
      return std::pair(A.place.tie(), A.rule) < std::pair(B.place.tie(), B.rule);
    });
    json::Array Sorted;
    for (Entry &E : All)
      Sorted.push_back(std::move(E.value));
    return Sorted;
  }

private:
  struct Entry {
    Place place;
    int64_t rule;
    int weight;
    int64_t rank;
    json::Value value;
  };
  std::vector<Entry> All;
  std::map<std::string, size_t> Seen;
};

/// Several invocations as one: it went well where all did.
class Invocations {
public:
  void add(json::Object &Run) {
    json::Array *Of = Run.getArray("invocations");
    if (!Of)
      return;
    for (json::Value &Value : *Of) {
      json::Object *One = Value.getAsObject();
      if (!One)
        continue;
      Successful &= One->getBoolean("executionSuccessful").value_or(true);
      ExitCode = std::max(ExitCode, One->getInteger("exitCode").value_or(0));
      if (json::Array *Those = One->getArray("toolExecutionNotifications"))
        for (json::Value &Notification : *Those)
          if (Seen.insert(text(Notification)).second)
            Notifications.push_back(std::move(Notification));
    }
  }
  json::Object take(size_t Left) {
    if (Left)
      Notifications.push_back(json::Object{
          {"level", "warning"},
          {"message",
           json::Object{{"text", std::to_string(Left) + " findings, the least important ones, are left "
                                                        "out: code scanning takes no more"}}}});
    json::Object One{{"executionSuccessful", Successful}, {"exitCode", ExitCode}};
    if (!Notifications.empty())
      One["toolExecutionNotifications"] = std::move(Notifications);
    return One;
  }

private:
  bool Successful = true;
  int64_t ExitCode = 0;
  json::Array Notifications;
  std::set<std::string> Seen;
};

} // namespace

llvm::Expected<json::Value>
warplint::report::mergeSarif(std::vector<std::pair<std::string, json::Value>> Logs, size_t MaxResults) {
  Results All;
  Invocations Runs;
  std::map<std::string, int64_t> Sums;
  json::Object *First = nullptr;
  std::string Tool;
  for (auto &[Name, Log] : Logs) {
    llvm::Expected<json::Object *> Run = runOf(Name, Log);
    if (!Run)
      return Run.takeError();
    if (!First) {
      First = *Run;
      Tool = toolOf(**Run);
    } else if (toolOf(**Run) != Tool) {
      return refuse(Name, "written by another version of warplint than " + Logs.front().first);
    }
    if (json::Array *Of = (*Run)->getArray("results"))
      All.add(*Of);
    Runs.add(**Run);
    if (const json::Object *Of = (*Run)->getObject("properties"))
      for (const auto &[Key, Value] : *Of)
        Sums[Key.str()] += Value.getAsInteger().value_or(0);
  }
  size_t Left = 0;
  json::Array Sorted = All.take(MaxResults, Left);
  // Kernels and accesses of headers that several logs have count for each of them: a log does not say which.
  Sums["findings"] = int64_t(Sorted.size() + Left);
  json::Object Properties;
  for (const auto &[Key, Sum] : Sums)
    Properties[Key] = Sum;
  (*First)["results"] = std::move(Sorted);
  (*First)["invocations"] = json::Array{Runs.take(Left)};
  (*First)["properties"] = std::move(Properties);
  return std::move(Logs.front().second);
}
