//===-- Annotations.cpp - GitHub's workflow commands, GitLab's code quality ------===//
#include "analyzer/report/CodeHosts.h"
#include "analyzer/report/Paths.h"
#include "analyzer/report/SourceText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace warplint;
using namespace warplint::result;
using namespace warplint::report;
using llvm::StringRef;
namespace json = llvm::json;

//===-- GitHub ---------------------------------------------------------------===//

namespace {

/// Text as a workflow command's message, or as the value of one of its properties. A log is no place for what
/// a terminal would obey.
std::string escaped(StringRef Text, bool Property) {
  std::string Escaped;
  for (const char C : json::fixUTF8(Text)) {
    const auto Byte = static_cast<unsigned char>(C);
    if (C == '%' || C == '\r' || C == '\n' || (Property && (C == ':' || C == ',')))
      Escaped += "%" + llvm::utohexstr(Byte, /*LowerCase=*/false, /*Width=*/2);
    else if (Byte == 0x7f || (Byte < 0x20 && C != '\t'))
      Escaped += "<U+" + llvm::utohexstr(Byte, /*LowerCase=*/false, /*Width=*/4) + ">";
    else
      Escaped += C;
  }
  return Escaped;
}

class GitHubWriter {
public:
  GitHubWriter(llvm::raw_ostream &Stream, const SourceReader &Read, const std::string &Root)
      : OS(Stream), Sources(Read), Paths(Root) {}

  void error(const Error &E) { command("error", E.place, "warplint", E.message); }

  void finding(const Finding &F) {
    std::string Message = F.message;
    for (const Note &N : F.notes)
      Message += "\n" + N.message;
    const char *Command = F.severity == Severity::Note ? "notice" : spelling(F.severity);
    command(Command, F.place, "warplint (" + F.rule + ")", Message);
  }

private:
  void command(StringRef Name, const Place &P, StringRef Title, StringRef Message) {
    OS << "::" << Name << ' ';
    if (!P.file.empty())
      OS << "file=" << escaped(Paths.shown(P.file), /*Property=*/true) << ',';
    if (P.valid())
      place(P);
    OS << "title=" << escaped(Title, /*Property=*/true) << "::" << escaped(Message, /*Property=*/false)
       << '\n';
  }

  /// GitHub takes columns of a single line alone.
  void place(const Place &P) {
    OS << "line=" << P.line << ',';
    if (P.endLine >= P.line)
      OS << "endLine=" << P.endLine << ',';
    if (!P.column || P.endLine > P.line)
      return;
    OS << "col=" << column(P, P.column) << ',';
    if (P.endLine && P.endColumn)
      OS << "endColumn=" << column(P, P.endColumn) << ',';
  }

  unsigned column(const Place &P, unsigned Column) {
    const SourceText *Text = Sources.find(P.file);
    return Text ? Text->utf16Column(P.line, Column) : Column;
  }

  llvm::raw_ostream &OS;
  SourceTexts Sources;
  RepositoryPaths Paths;
};

} // namespace

void warplint::report::writeGitHub(llvm::raw_ostream &OS, const result::Report &Report,
                                   const SourceReader &Read, const std::string &Root) {
  GitHubWriter Writer(OS, Read, Root);
  for (const Error &E : firstErrors(Report))
    Writer.error(E);
  for (size_t I : worstFirst(Report.findings))
    Writer.finding(Report.findings[I]);
}

//===-- GitLab ---------------------------------------------------------------===//

namespace {

const char *gitLabSeverity(const Finding &F) {
  switch (F.severity) {
  case Severity::Note:
    return "info";
  case Severity::Warning:
    return F.impact == Impact::High ? "major" : "minor";
  case Severity::Error:
    return "critical";
  }
  return "minor";
}

class GitLabWriter {
public:
  explicit GitLabWriter(const std::string &Root) : Paths(Root) {}

  /// `Body` is what tools show that show more than a line.
  void add(StringRef Check, StringRef Severity, StringRef Description, StringRef Body, const Place &P,
           StringRef Identity) {
    const std::string Path = Paths.shown(P.file);
    // GitLab drops what has the fingerprint of another.
    std::string Key = (Check + "\n" + Path + "\n" + Identity).str();
    Key += "\n" + std::to_string(Seen[Key]++);
    json::Object Lines{{"begin", std::max(P.line, 1u)}};
    if (P.endLine > P.line)
      Lines["end"] = P.endLine;
    json::Object Issue{
        {"type", "issue"},
        {"description", json::fixUTF8(Description)},
        {"check_name", Check},
        {"fingerprint", llvm::utohexstr(llvm::xxh3_64bits(Key), /*LowerCase=*/true, /*Width=*/16)},
        {"severity", Severity},
        {"location", json::Object{{"path", json::fixUTF8(Path)}, {"lines", std::move(Lines)}}}};
    if (!Body.empty())
      Issue["content"] = json::Object{{"body", json::fixUTF8(Body)}};
    Issues.push_back(std::move(Issue));
  }

  json::Array Issues;

private:
  RepositoryPaths Paths;
  std::map<std::string, unsigned> Seen;
};

} // namespace

void warplint::report::writeGitLab(llvm::raw_ostream &OS, const result::Report &Report,
                                   const std::string &Root) {
  GitLabWriter Writer(Root);
  for (const Error &E : firstErrors(Report))
    if (!E.place.file.empty())
      Writer.add("compile-error", "critical", E.message, "", E.place, E.message);
  for (const Finding &F : Report.findings) {
    std::string Body;
    for (const Note &N : F.notes)
      Body += N.message + "\n";
    Writer.add(F.rule, gitLabSeverity(F), F.message, Body, F.place, F.fingerprint);
  }
  json::OStream J(OS, /*IndentSize=*/2);
  J.value(std::move(Writer.Issues));
  OS << '\n';
}
