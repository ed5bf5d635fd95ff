#include "tools/warplint/ReportOptions.h"
#include "analyzer/driver/Explain.h"
#include "analyzer/driver/WriteFile.h"
#include "analyzer/report/CodeHosts.h"
#include "analyzer/report/Html.h"
#include "rules/Rules.h"
#include "tools/options/Printable.h"
#include "tools/warplint/VerdictOptions.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::options;

cl::SubCommand &options::mergeCommand() {
  static cl::SubCommand Command("merge",
                                "Put the reports of several runs, or of the shards of one, together");
  return Command;
}

Opt<bool> options::Quiet("quiet", cl::desc("No summary, no notes about compile commands"), cl::cat(Category),
                         cl::sub(cl::SubCommand::getTopLevel()), cl::sub(mergeCommand()));

Opt<bool>
    options::FailOnErrors("fail-on-errors",
                          cl::desc("Exit with 2 for any error in the code, not only where no kernel is left"),
                          cl::cat(Category), cl::sub(cl::SubCommand::getTopLevel()), cl::sub(mergeCommand()));

namespace {

cl::opt<Format, false, FormatParser>
    OutputFormat("format", cl::desc("Form of the report"), cl::init(Format::Text),
                 cl::values(clEnumValN(Format::Text, "text", "as clang's diagnostics (default)"),
                            clEnumValN(Format::Json, "json", "schema warplint-report/1"),
                            clEnumValN(Format::Sarif, "sarif", "SARIF 2.1.0, for code scanning and editors"),
                            clEnumValN(Format::GitHub, "github", "annotations of a GitHub workflow"),
                            clEnumValN(Format::GitLab, "gitlab", "GitLab's code quality report"),
                            clEnumValN(Format::Html, "html", "one page for people, with pictures")),
                 cl::cat(Category), cl::sub(cl::SubCommand::getTopLevel()), cl::sub(mergeCommand()));
Opt<std::string> OutputFile("output", cl::desc("Write the report to a file"), cl::value_desc("FILE"),
                            cl::cat(Category), cl::sub(cl::SubCommand::getTopLevel()),
                            cl::sub(mergeCommand()));
Opt<cl::boolOrDefault> UseColor("use-color",
                                cl::desc("Colour the report; =0: do not. Default: on a terminal"),
                                cl::cat(Category), cl::sub(cl::SubCommand::getTopLevel()),
                                cl::sub(mergeCommand()));

raw_fd_ostream *Stream = nullptr;

/// Where the report goes without --output.
raw_fd_ostream &stream() { return Stream ? *Stream : outs(); }

/// The nearest folder upward of a file that is a repository; where there is none, or no file, the current
/// folder.
std::string repositoryRoot(StringRef File) {
  SmallString<256> Here;
  (void)sys::fs::current_path(Here);
  SmallString<256> Folder(File);
  if (File.empty())
    Folder = Here;
  else
    sys::path::remove_filename(Folder);
  (void)sys::fs::make_absolute(Folder);
  sys::path::remove_dots(Folder, /*remove_dot_dot=*/true);
  for (StringRef At = Folder; !At.empty(); At = sys::path::parent_path(At)) {
    SmallString<256> Mark(At);
    sys::path::append(Mark, ".git");
    if (sys::fs::exists(Mark)) // a folder, or a file in a work tree
      return At.str();
  }
  return Here.str().str();
}

std::vector<report::RuleText> ruleTexts() {
  std::vector<report::RuleText> Texts;
  for (const rules::Rule &R : rules::all())
    Texts.push_back({R.name, R.summary, std::string(rules::explanation(R)), R.severity, R.onByDefault});
  return Texts;
}

std::vector<report::RunNote> notesOf(const driver::RunOutcome &Outcome) {
  std::vector<report::RunNote> Notes;
  for (const std::string &Failure : Outcome.failures)
    Notes.push_back({result::Severity::Error, Failure});
  for (const std::string &Note : Outcome.notes)
    Notes.push_back({result::Severity::Note, Note});
  return Notes;
}

report::SarifOptions sarifOptions(const driver::RunOutcome &Outcome, std::string Root) {
  report::SarifOptions Options;
  Options.version = WARPLINT_VERSION;
  Options.informationUri = WARPLINT_URL;
  Options.root = std::move(Root);
  Options.rules = ruleTexts();
  Options.notes = notesOf(Outcome);
  Options.successful = Outcome.failures.empty() && !Outcome.interrupted;
  Options.exitCode = statusOf(Outcome);
  return Options;
}

/// "" where there is none.
std::string currentFolder() {
  SmallString<128> Here;
  return sys::fs::current_path(Here) ? std::string() : Here.str().str();
}

report::HtmlOptions htmlOptions(const driver::RunOutcome &Outcome) {
  report::HtmlOptions Options;
  Options.version = WARPLINT_VERSION;
  Options.relativeTo = currentFolder();
  Options.rules = ruleTexts();
  Options.notes = notesOf(Outcome);
  // JSON reports hold no lane's address.
  if (none_of(Outcome.report.kernels, [](const result::Kernel &K) { return !K.written.empty(); }))
    Options.explain = driver::explained;
  return Options;
}

void writeTo(raw_ostream &OS, const driver::RunOutcome &Outcome, StringRef FirstFile, bool Color) {
  switch (OutputFormat) {
  case Format::Json:
    return report::writeJson(OS, Outcome.report, WARPLINT_VERSION);
  case Format::Sarif:
    return report::writeSarif(OS, Outcome.report, readFile, sarifOptions(Outcome, repositoryRoot(FirstFile)));
  case Format::GitHub:
    return report::writeGitHub(OS, Outcome.report, readFile, repositoryRoot(FirstFile));
  case Format::GitLab:
    return report::writeGitLab(OS, Outcome.report, repositoryRoot(FirstFile));
  case Format::Html:
    return report::writeHtml(OS, Outcome.report, readFile, htmlOptions(Outcome));
  case Format::Text:
    break;
  }
  report::TextOptions Text;
  Text.color = Color;
  Text.quiet = Quiet;
  Text.relativeTo = currentFolder();
  report::writeText(OS, Outcome.report, readFile, Text);
  if (tablesAreAsked())
    report::writeTables(OS, Outcome.report, {tableWidth(), Text.relativeTo});
}

} // namespace

std::optional<std::string> options::readFile(const std::string &File) {
  auto Buffer = MemoryBuffer::getFile(File);
  return Buffer ? std::optional((*Buffer)->getBuffer().str()) : std::nullopt;
}

int options::fail(const Twine &Message) {
  WithColor::error(errs(), "warplint") << printable(Message) << '\n';
  return Failed;
}

int options::finish(int Status) {
  outs().flush();
  if (!outs().has_error())
    return Status;
  const std::error_code Code = outs().error();
  outs().clear_error();
  return fail("cannot write to stdout: " + Code.message());
}

int options::statusOf(const driver::RunOutcome &Outcome) {
  if (!Outcome.failures.empty() || (FailOnErrors && !Outcome.report.errors.empty()))
    return Failed;
  // With a baseline, a new finding from a warning on decides.
  const auto IsError = [&](const result::Finding &F) {
    return F.severity == result::Severity::Error ||
           (Outcome.report.baseline && F.severity != result::Severity::Note);
  };
  return Outcome.badSuppressions || any_of(Outcome.report.findings, IsError) ? Findings : Clean;
}

const std::string &options::outputFile() { return OutputFile.getValue(); }

std::optional<Format> options::givenFormat() {
  return OutputFormat.getNumOccurrences() ? std::optional<Format>(OutputFormat) : std::nullopt;
}

std::vector<std::string> options::formatNames() {
  std::vector<std::string> Names;
  for (unsigned I = 0; I < OutputFormat.getParser().getNumOptions(); ++I)
    Names.push_back(OutputFormat.getParser().getOption(I).str());
  return Names;
}

void options::setFormat(Format Value) { OutputFormat = Value; }

int options::writeText(StringRef Text) {
  if (OutputFile.empty()) {
    stream() << Text;
    return finish(Clean);
  }
  if (Error E = driver::writeFile(OutputFile, Text))
    return fail(OutputFile + ": cannot write the report: " + toString(std::move(E)));
  return Clean;
}

void options::reportToStderr() { Stream = &errs(); }

int options::writeReport(const driver::RunOutcome &Outcome, StringRef FirstFile,
                         std::optional<bool> Configured) {
  const bool ToStdout = OutputFile.empty();
  if (UseColor != cl::BOU_UNSET)
    Configured = UseColor == cl::BOU_TRUE;
  const bool Color = Configured.value_or(ToStdout && stream().has_colors());
  if (!ToStdout) {
    std::string Text;
    raw_string_ostream OS(Text);
    writeTo(OS, Outcome, FirstFile, Color);
    return writeText(Text);
  }
  if (Color)
    stream().enable_colors(true);
  writeTo(stream(), Outcome, FirstFile, Color);
  return finish(Clean);
}
