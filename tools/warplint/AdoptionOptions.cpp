//===-- AdoptionOptions.cpp - Filters, baselines and contracts on the command line ---===//

#include "tools/warplint/AdoptionOptions.h"
#include "analyzer/driver/Git.h"
#include "analyzer/driver/WriteFile.h"
#include "tools/options/Options.h"
#include "tools/options/Printable.h"
#include "tools/warplint/ReportOptions.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::options;

namespace {

Opt<std::string>
    HeaderFilter("header-filter",
                 cl::desc("Show findings in headers whose path has a match; default: in all\nthat are no "
                          "system headers"),
                 cl::value_desc("REGEX"), cl::cat(Category));
Opt<std::string> ExcludeHeaderFilter("exclude-header-filter",
                                     cl::desc("Show no findings in headers whose path this is found in"),
                                     cl::value_desc("REGEX"), cl::cat(Category));
Opt<std::string> LineFilter("line-filter",
                            cl::desc("Show findings on these lines of files, whose names end so:\n"
                                     "[{\"name\":\"a.cu\",\"lines\":[[1,3],[5,7]]},{\"name\":\"b.cuh\"}]"),
                            cl::value_desc("JSON"), cl::cat(Category));
Opt<std::string>
    Diff("diff",
         cl::desc("Show findings on lines changed since a git revision (REV...: since the\nbranch left it); "
                  "with -p and no FILE, analyse what that touches"),
         cl::value_desc("REV"), cl::cat(Category));
Opt<std::string> Baseline("baseline", cl::desc("Show findings that are not in this file; new warnings fail"),
                          cl::value_desc("FILE"), cl::cat(Category), cl::sub(cl::SubCommand::getTopLevel()),
                          cl::sub(mergeCommand()));
Opt<std::string> WriteBaseline("write-baseline", cl::desc("Write the findings as a baseline"),
                               cl::value_desc("FILE"), cl::cat(Category),
                               cl::sub(cl::SubCommand::getTopLevel()), cl::sub(mergeCommand()));
cl::list<std::string> Expect("expect",
                             cl::desc("What a kernel must keep to, e.g. --expect='KERNEL: efficiency>=0.9'\n"
                                      "(--explain=cost-contract)"),
                             cl::value_desc("'KERNEL: TERMS'"), cl::cat(Category));

/// "--NAME=VALUE: "
std::string prefix(StringRef Name, StringRef Value) { return ("--" + Name + "=" + Value + ": ").str(); }

std::string readFilter(driver::FindingFilter &Filter) {
  if (HeaderFilter.getNumOccurrences())
    Filter.headers = HeaderFilter;
  Filter.excludedHeaders = ExcludeHeaderFilter;
  for (const Opt<std::string> *Each : {&HeaderFilter, &ExcludeHeaderFilter})
    if (Error E = driver::checkRegex(Each->getValue()))
      return prefix(Each->ArgStr, Each->getValue()) + "not a regular expression: " + toString(std::move(E));
  Expected<std::vector<driver::FileLines>> Lines = driver::parseLineFilter(LineFilter);
  if (!Lines)
    return prefix("line-filter", LineFilter) + toString(Lines.takeError()) +
           "; expected e.g. [{\"name\":\"a.cu\",\"lines\":[[1,3],[5,7]]},{\"name\":\"b.cuh\"}]";
  Filter.lines = std::move(*Lines);
  return "";
}

/// The same from the database's files, should they be in a repository; else `Before`.
Expected<driver::ChangedLines> changedInDatabase(const frontend::Options &Front,
                                                 Expected<driver::ChangedLines> Before,
                                                 function_ref<std::string(StringRef)> FolderOf) {
  Expected<std::vector<std::string>> All = frontend::filesOfDatabase(Front);
  if (!All) {
    consumeError(All.takeError());
    return Before;
  }
  Expected<driver::ChangedLines> Changed = driver::changedSince(Diff, FolderOf(All->front()));
  if (!Changed) {
    consumeError(Changed.takeError());
    return Before;
  }
  consumeError(Before.takeError());
  return Changed;
}

/// The repository is that of the first file, else of the folder where warplint runs, else of the database's
/// files.
std::string readDiff(driver::RunOptions &Options, const std::vector<std::string> &Files) {
  if (!Diff.getNumOccurrences())
    return "";
  auto FolderOf = [](StringRef File) {
    SmallString<256> Folder(File);
    (void)sys::fs::make_absolute(Folder);
    sys::path::remove_filename(Folder);
    return std::string(Folder);
  };
  Expected<driver::ChangedLines> Changed =
      driver::changedSince(Diff, Files.empty() ? "." : FolderOf(Files.front()));
  if (!Changed && Files.empty())
    Changed = changedInDatabase(Options.frontend, std::move(Changed), FolderOf);
  if (!Changed)
    return toString(Changed.takeError());
  Options.adoption.filter.changed = std::move(*Changed);
  return "";
}

/// KERNEL and TERMS. Both may hold colons: of a namespace, or in a base or expression in brackets.
std::pair<StringRef, StringRef> splitExpectation(StringRef Item) {
  for (size_t At = Item.find(':'); At != StringRef::npos; At = Item.find(':', At + 1))
    if (std::holds_alternative<rules::CostTerms>(rules::parseCostTerms(Item.drop_front(At + 1))))
      return {Item.take_front(At), Item.drop_front(At + 1)};
  return Item.rsplit(':');
}

std::string readExpectations(std::vector<rules::Contract> &Expectations) {
  for (const std::string &Item : Expect) {
    const auto [Kernel, Terms] = splitExpectation(Item);
    if (Kernel.trim().empty() || Kernel.size() == Item.size())
      return prefix("expect", Item) + "expected KERNEL: TERMS, e.g. --expect='transpose: conflictWays==1'";
    auto Parsed = rules::parseCostTerms(Terms);
    if (const auto *Problem = std::get_if<rules::ContractProblem>(&Parsed))
      return prefix("expect", Item) + "column " + utostr(Kernel.size() + 2 + Problem->offset) + ": " +
             Problem->message;
    rules::Contract C;
    C.terms = std::move(std::get<rules::CostTerms>(Parsed));
    C.kernel = Kernel.trim().str();
    Expectations.push_back(std::move(C));
  }
  return "";
}

} // namespace

std::string options::readBaselines(driver::AdoptionOptions &Adoption, bool IsShard) {
  for (const Opt<std::string> *Each : {&Baseline, &WriteBaseline})
    if (Each->getNumOccurrences() && Each->empty())
      return ("--" + Each->ArgStr + "=: expected the name of a file").str();
  Adoption.newBaseline = WriteBaseline;
  if (IsShard && WriteBaseline.getNumOccurrences())
    return "--write-baseline is about a whole run: give it to 'warplint merge', with the reports of all "
           "shards";
  if (!WriteBaseline.empty() && (LineFilter.getNumOccurrences() || Diff.getNumOccurrences()))
    return "--write-baseline with --line-filter or --diff would leave findings out of the baseline; leave "
           "these out";
  // Of the first time there is nothing to read.
  if (Baseline.empty() || (Baseline == WriteBaseline && !sys::fs::exists(Baseline)))
    return "";
  Expected<driver::KnownFindings> Known = driver::loadBaseline(Baseline);
  if (!Known)
    return toString(Known.takeError());
  Adoption.known = std::move(*Known);
  return "";
}

std::string options::readAdoptionOptions(driver::RunOptions &Options, const std::vector<std::string> &Files) {
  driver::AdoptionOptions &Adoption = Options.adoption;
  Adoption.wholeProject = Files.empty() && !Diff.getNumOccurrences();
  std::string Problem = readFilter(Adoption.filter);
  if (Problem.empty())
    Problem = readBaselines(Adoption, Options.shard.has_value());
  if (Problem.empty())
    Problem = readExpectations(Adoption.expectations);
  if (Problem.empty())
    Problem = readDiff(Options, Files);
  return Problem;
}

std::vector<std::string> options::withChanges(std::vector<std::string> Files,
                                              const driver::RunOptions &Options) {
  const driver::FindingFilter &Filter = Options.adoption.filter;
  return Filter.changed ? driver::touchedFiles(Files, *Filter.changed, Options.frontend) : std::move(Files);
}

std::string options::writeNewBaseline(const driver::RunOutcome &Outcome, const driver::RunOptions &Options) {
  if (!Outcome.newBaseline || Outcome.interrupted)
    return "";
  const std::string &File = Options.adoption.newBaseline;
  if (Error E = driver::writeFile(File, *Outcome.newBaseline))
    return File + ": cannot write the baseline: " + toString(std::move(E));
  if (!Quiet)
    errs() << "warplint: wrote " << Outcome.findingsInBaseline
           << (Outcome.findingsInBaseline == 1 ? " finding" : " findings") << " to the baseline "
           << printable(File) << '\n';
  return "";
}
