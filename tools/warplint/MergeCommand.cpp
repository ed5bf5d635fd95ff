//===-- MergeCommand.cpp - warplint merge -----------------------------------------===//
#include "analyzer/driver/Shard.h"
#include "analyzer/report/CodeHosts.h"
#include "analyzer/report/ParseJson.h"
#include "tools/options/Printable.h"
#include "tools/warplint/AdoptionOptions.h"
#include "tools/warplint/ReportOptions.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::options;

namespace {

cl::list<std::string> Reports(cl::Positional, cl::desc("REPORT..."), cl::cat(Category),
                              cl::sub(mergeCommand()));

struct Input {
  std::string name, text;
  json::Value value;
};

enum class Kind { Json, Sarif, Other };

Kind kindOf(const json::Value &Value) {
  const json::Object *Top = Value.getAsObject();
  if (Top && Top->getString("schema") == StringRef("warplint-report/1"))
    return Kind::Json;
  return Top && Top->getArray("runs") && Top->get("version") ? Kind::Sarif : Kind::Other;
}

/// All of one kind, or an error.
Expected<std::vector<Input>> readInputs() {
  std::vector<Input> Inputs;
  for (const std::string &Name : Reports) {
    auto Buffer = MemoryBuffer::getFile(Name);
    if (!Buffer)
      return createStringError(Name + ": cannot be read: " + Buffer.getError().message());
    Expected<json::Value> Value = report::parseJson((*Buffer)->getBuffer());
    if (!Value)
      return createStringError(Name + ": no JSON: " + toString(Value.takeError()));
    if (kindOf(*Value) == Kind::Other)
      return createStringError(Name + ": neither a JSON report of warplint (--format=json) nor SARIF");
    Inputs.push_back({Name, (*Buffer)->getBuffer().str(), std::move(*Value)});
    if (kindOf(Inputs.back().value) != kindOf(Inputs.front().value))
      return createStringError(Name + ": not of the same form as " + Inputs.front().name +
                               "; reports are all JSON or all SARIF");
  }
  return Inputs;
}

int mergeSarif(std::vector<Input> Inputs) {
  if (givenFormat().value_or(Format::Sarif) != Format::Sarif)
    return fail("SARIF reports are merged to SARIF; for other forms, merge reports of --format=json");
  if (FailOnErrors)
    return fail("--fail-on-errors is for reports of --format=json: a merged SARIF log gives no exit status");
  std::vector<std::pair<std::string, json::Value>> Logs;
  for (Input &I : Inputs)
    Logs.emplace_back(I.name, std::move(I.value));
  Expected<json::Value> Merged = report::mergeSarif(std::move(Logs));
  if (!Merged)
    return fail(toString(Merged.takeError()));
  std::string Text;
  raw_string_ostream OS(Text);
  report::writeSarifLog(OS, *Merged);
  return writeText(Text);
}

Expected<std::vector<driver::NamedReport>> readReports(const std::vector<Input> &Inputs) {
  std::vector<driver::NamedReport> Named;
  for (const Input &I : Inputs) {
    std::string Version;
    Expected<result::Report> Report = report::readJson(I.text, Version);
    if (Version != WARPLINT_VERSION && !Version.empty()) {
      if (!Report)
        consumeError(Report.takeError());
      return createStringError(I.name + ": written by warplint " + Version + ", this is " WARPLINT_VERSION);
    }
    if (!Report)
      return createStringError(I.name + ": " + toString(Report.takeError()));
    Named.push_back({I.name, std::move(*Report)});
  }
  return Named;
}

/// A file of the reports, to find the repository by.
std::string someFile(const std::vector<driver::NamedReport> &Named) {
  const result::Shard::Unit *First = nullptr;
  for (const driver::NamedReport &N : Named)
    if (N.report.shard)
      for (const result::Shard::Unit &U : N.report.shard->units)
        if (!First || U.position < First->position)
          First = &U;
  if (First)
    return First->file;
  for (const driver::NamedReport &N : Named)
    for (const result::Kernel &K : N.report.kernels)
      if (!K.place.file.empty())
        return K.place.file;
  return "";
}

int mergeJson(const std::vector<Input> &Inputs, const driver::RunOptions &Options) {
  if (!givenFormat())
    setFormat(Format::Json);
  Expected<std::vector<driver::NamedReport>> Named = readReports(Inputs);
  if (!Named)
    return fail(toString(Named.takeError()));
  const std::string File = someFile(*Named);
  Expected<driver::RunOutcome> Outcome = driver::mergeReports(std::move(*Named), Options.adoption);
  if (!Outcome)
    return fail(toString(Outcome.takeError()));
  if (!Quiet)
    for (const std::string &Note : Outcome->notes)
      WithColor::note(errs(), "warplint") << printable(Note) << '\n';
  for (const std::string &Failure : Outcome->failures)
    fail(Failure);
  if (int Status = writeReport(*Outcome, File))
    return Status;
  if (std::string Problem = writeNewBaseline(*Outcome, Options); !Problem.empty())
    return fail(Problem);
  const int Status = statusOf(*Outcome);
  if (!Quiet && (Status != Failed || !Outcome->report.kernels.empty()))
    errs() << "warplint: " << report::summaryLine(Outcome->report) << '\n';
  return Status;
}

} // namespace

int options::mergeReports() {
  if (Reports.empty())
    return fail("no reports; give REPORT..., files that --format=json or --format=sarif wrote");
  driver::RunOptions Options;
  if (std::string Problem = readBaselines(Options.adoption, /*IsShard=*/false); !Problem.empty())
    return fail(Problem);
  Expected<std::vector<Input>> Inputs = readInputs();
  if (!Inputs)
    return fail(toString(Inputs.takeError()));
  if (kindOf(Inputs->front().value) == Kind::Json)
    return mergeJson(*Inputs, Options);
  if (Options.adoption.known || !Options.adoption.newBaseline.empty())
    return fail("--baseline and --write-baseline take shards' reports of --format=json, not SARIF");
  return mergeSarif(std::move(*Inputs));
}
