//===-- SarifWriter.cpp - SARIF 2.1.0 ----------------------------------------===//
//
// The static analysis results interchange format, with what GitHub's code scanning asks for beyond the
// standard: names relative to the repository, the fingerprints of lines, help pages, no more results than it
// takes. Written by hand, since Clang's SARIF writer has no help pages, fingerprints or fixes.
//
//===----------------------------------------------------------------------===//
#include "analyzer/report/CodeHosts.h"
#include "analyzer/report/CostKeys.h"
#include "analyzer/report/Counts.h"
#include "analyzer/report/Paths.h"
#include "analyzer/report/SourceText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include <algorithm>
#include <numeric>
#include <set>

using namespace warplint;
using namespace warplint::result;
using namespace warplint::report;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

constexpr const char *RootId = "%SRCROOT%";

//===-- Text -----------------------------------------------------------------===//

/// A message's text. Braces stand for arguments in SARIF, and are doubled.
std::string escapedBraces(StringRef Text) {
  std::string Escaped;
  for (const char C : json::fixUTF8(Text)) {
    Escaped += C;
    if (C == '{' || C == '}')
      Escaped += C;
  }
  return Escaped;
}

/// Text that does not look like an embedded link, which is [text](destination).
std::string plainText(StringRef Text) {
  std::string Plain = escapedBraces(Text);
  for (size_t At = Plain.find("]("); At != std::string::npos; At = Plain.find("](", At))
    Plain.insert(At + 1, " ");
  return Plain;
}

/// A link to the location with that id.
std::string embeddedLink(StringRef Text, size_t Id) {
  std::string Link = "[";
  for (const char C : escapedBraces(Text)) {
    if (C == '[' || C == ']' || C == '\\')
      Link += '\\';
    Link += C;
  }
  return Link + "](" + std::to_string(Id) + ")";
}

json::Object message(std::string Text) { return json::Object{{"text", std::move(Text)}}; }

/// "shared-tile-column" as SARIF likes names: "SharedTileColumn".
std::string pascalCase(StringRef Name) {
  std::string Pascal;
  for (StringRef Word : llvm::split(Name, '-'))
    if (!Word.empty())
      Pascal += llvm::toUpper(Word.front()) + Word.drop_front().str();
  return Pascal;
}

/// A page without Markdown's headings and fences.
std::string withoutMarkup(StringRef Page) {
  std::string Text;
  for (StringRef Line : llvm::split(Page.trim(), '\n')) {
    if (Line.starts_with("```"))
      continue;
    Text += Line.starts_with("#") ? Line.ltrim("# ") : Line;
    Text += '\n';
  }
  return Text;
}

/// The words under the heading "What it finds".
std::string whatItFinds(StringRef Page) {
  StringRef Section = Page.split("## What it finds\n").second;
  Section = Section.take_front(Section.find("\n#")).trim();
  std::string Words = Section.str();
  std::replace(Words.begin(), Words.end(), '\n', ' ');
  return Words;
}

//===-- The log ----------------------------------------------------------------===//

class SarifWriter {
public:
  SarifWriter(const Report &R, const SourceReader &Read, const SarifOptions &Options)
      : R(R), Options(Options), Sources(Read), Paths(Options.root) {}

  /// With the given findings alone.
  json::Value log(const std::vector<size_t> &Findings) {
    json::Array Results;
    for (size_t I : Findings)
      Results.push_back(result(R.findings[I]));
    json::Array Rules;
    for (const RuleText &Rule : Options.rules)
      Rules.push_back(rule(Rule));
    json::Object Driver{{"name", "warplint"},
                        {"version", Options.version},
                        {"semanticVersion", Options.version},
                        {"rules", std::move(Rules)}};
    if (!Options.informationUri.empty())
      Driver["informationUri"] = Options.informationUri;
    json::Object Run{
        {"tool", json::Object{{"driver", std::move(Driver)}}},
        {"columnKind", "utf16CodeUnits"},
        {"originalUriBaseIds",
         json::Object{{RootId, json::Object{{"uri", "file://" + percentEncoded(folder(Options.root))}}}}},
        {"invocations", json::Array{invocation(R.findings.size() - Findings.size())}},
        {"results", std::move(Results)},
        {"properties", summary()}};
    return json::Object{
        {"$schema",
         "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
        {"version", "2.1.0"},
        {"runs", json::Array{std::move(Run)}}};
  }

private:
  static std::string folder(StringRef Root) { return Root.ends_with("/") ? Root.str() : Root.str() + "/"; }

  //===-- Places -------------------------------------------------------------===//

  json::Object artifact(const std::string &File) {
    if (std::optional<std::string> Name = Paths.relative(File))
      return json::Object{{"uri", percentEncoded(*Name)}, {"uriBaseId", RootId}};
    return json::Object{{"uri", "file://" + percentEncoded(File)}};
  }

  /// Columns of a file that cannot be read stay those of the compiler: the same, but in lines with characters
  /// beyond ASCII.
  unsigned column(const SourceText *Text, unsigned Line, unsigned Column) {
    return Text ? Text->utf16Column(Line, Column) : Column;
  }

  json::Object region(const Place &P) {
    const SourceText *Text = Sources.find(P.file);
    json::Object Region{{"startLine", P.line}};
    if (!P.column)
      return Region;
    Region["startColumn"] = column(Text, P.line, P.column);
    if (P.endLine >= P.line && P.endColumn) {
      Region["endLine"] = P.endLine;
      Region["endColumn"] = column(Text, P.endLine, P.endColumn);
    }
    return Region;
  }

  json::Object physicalLocation(const Place &P) {
    json::Object Location{{"artifactLocation", artifact(P.file)}};
    if (P.valid())
      Location["region"] = region(P);
    return Location;
  }

  json::Array locations(const Place &P) {
    if (P.file.empty())
      return {};
    return json::Array{json::Object{{"physicalLocation", physicalLocation(P)}}};
  }

  /// The hash of a place's line; "" when its file cannot be read.
  std::string lineHash(const Place &P) {
    auto [It, New] = Hashes.try_emplace(P.file);
    if (New)
      if (const SourceText *Text = Sources.find(P.file))
        It->second = lineHashes(Text->text());
    return P.line && P.line <= It->second.size() ? It->second[P.line - 1] : std::string();
  }

  //===-- Rules ----------------------------------------------------------------===//

  json::Object rule(const RuleText &Rule) {
    const std::string Full = whatItFinds(Rule.page);
    return json::Object{
        {"id", Rule.name},
        {"name", pascalCase(Rule.name)},
        {"shortDescription", message(escapedBraces(Rule.summary))},
        {"fullDescription", message(escapedBraces(Full.empty() ? Rule.summary : Full))},
        {"help", json::Object{{"text", json::fixUTF8(withoutMarkup(Rule.page))},
                              {"markdown", json::fixUTF8(StringRef(Rule.page).trim())}}},
        {"defaultConfiguration",
         json::Object{{"level", spelling(Rule.level)}, {"enabled", Rule.onByDefault}}},
        // What is off by default fires on code that may be as good as it can be.
        {"properties",
         json::Object{
             {"precision", Rule.onByDefault ? "high" : "medium"},
             {"problem.severity", Rule.level == Severity::Note ? "recommendation" : spelling(Rule.level)},
             {"tags", json::Array{"performance", "cuda", StringRef(Rule.name).split('-').first}}}}};
  }

  //===-- Results ----------------------------------------------------------------===//

  static bool samePlace(const Place &A, const Place &B) {
    return A.file == B.file && A.line == B.line && A.column == B.column;
  }

  static int rank(Impact I) {
    switch (I) {
    case Impact::High:
      return 90;
    case Impact::Medium:
      return 50;
    case Impact::Low:
      return 10;
    }
    return 50;
  }

  json::Object result(const Finding &F) {
    json::Object Result{{"ruleId", F.rule},
                        {"kind", "fail"},
                        {"level", spelling(F.severity)},
                        {"rank", rank(F.impact)},
                        {"locations", locations(F.place)},
                        {"properties", numbers(F)}};
    const auto Rule = llvm::find_if(Options.rules, [&](const RuleText &T) { return T.name == F.rule; });
    if (Rule != Options.rules.end())
      Result["ruleIndex"] = int64_t(Rule - Options.rules.begin());

    // GitHub shows a related location where the message links to it, and nowhere else.
    std::string Text = plainText(F.message);
    json::Array Related;
    for (const Note &N : F.notes) {
      if (!N.place.valid() || samePlace(N.place, F.place)) {
        Text += "\n" + plainText(N.message);
        continue;
      }
      const size_t Id = Related.size() + 1;
      Text += "\n" + embeddedLink(N.message, Id);
      Related.push_back(json::Object{{"id", int64_t(Id)},
                                     {"physicalLocation", physicalLocation(N.place)},
                                     {"message", message(plainText(N.message))}});
    }
    Result["message"] = message(std::move(Text));
    if (!Related.empty())
      Result["relatedLocations"] = std::move(Related);

    json::Object Fingerprints;
    if (!F.fingerprint.empty())
      Fingerprints["warplint/v1"] = F.fingerprint;
    if (std::string Hash = lineHash(F.place); !Hash.empty())
      Fingerprints["primaryLocationLineHash"] = std::move(Hash);
    if (!Fingerprints.empty())
      Result["partialFingerprints"] = std::move(Fingerprints);

    json::Array Fixes;
    for (const Fix &X : F.fixes)
      if (X.verified && !X.edits.empty())
        if (std::optional<json::Object> Fixed = fix(X))
          Fixes.push_back(std::move(*Fixed));
    if (!Fixes.empty())
      Result["fixes"] = std::move(Fixes);
    return Result;
  }

  static json::Object numbers(const Finding &F) {
    json::Object Numbers{{"impact", spelling(F.impact)},
                         {"confidence", spelling(F.confidence)},
                         {"kernel", json::fixUTF8(F.kernel)}};
    if (F.space == Space::Unknown)
      return Numbers;
    Numbers["space"] = spelling(F.space);
    for (const CostKey &Key : costKeys(F.space))
      Numbers[Key.name] = F.cost.*Key.member;
    return Numbers;
  }

  /// Nothing where a file cannot be read, or is no longer as long as it was.
  std::optional<json::Object> fix(const Fix &X) {
    json::Array Changes;
    std::vector<std::string> Files;
    std::vector<json::Array> Replacements;
    for (const Edit &E : X.edits) {
      const SourceText *Text = Sources.find(E.file);
      const auto Start = Text ? Text->position(E.offset) : std::nullopt;
      const auto End = Text ? Text->position(size_t(E.offset) + E.length) : std::nullopt;
      if (!Start || !End)
        return std::nullopt;
      const size_t At = size_t(llvm::find(Files, E.file) - Files.begin());
      if (At == Files.size()) {
        Files.push_back(E.file);
        Replacements.emplace_back();
      }
      Replacements[At].push_back(json::Object{{"deletedRegion", json::Object{{"startLine", Start->line},
                                                                             {"startColumn", Start->column},
                                                                             {"endLine", End->line},
                                                                             {"endColumn", End->column},
                                                                             {"byteOffset", E.offset},
                                                                             {"byteLength", E.length}}},
                                              {"insertedContent", message(json::fixUTF8(E.text))}});
    }
    for (size_t I = 0; I < Files.size(); ++I)
      Changes.push_back(json::Object{{"artifactLocation", artifact(Files[I])},
                                     {"replacements", std::move(Replacements[I])}});
    const bool Unsafe = X.safety != FixSafety::Safe;
    return json::Object{
        {"description", message(plainText(X.title + (Unsafe ? " (may change what the program does)" : "")))},
        {"artifactChanges", std::move(Changes)}};
  }

  //===-- The run ----------------------------------------------------------------===//

  static json::Object notification(Severity Level, StringRef Text, json::Array Locations = {}) {
    json::Object Notification{{"level", spelling(Level)}, {"message", message(plainText(Text))}};
    if (!Locations.empty())
      Notification["locations"] = std::move(Locations);
    return Notification;
  }

  json::Object invocation(size_t Left) {
    json::Array Notifications;
    for (const Error &E : firstErrors(R))
      Notifications.push_back(notification(Severity::Error, E.message, locations(E.place)));
    for (const RunNote &N : Options.notes)
      Notifications.push_back(notification(N.level, N.message));
    if (Left)
      Notifications.push_back(notification(
          Severity::Warning, std::to_string(Left) + " of " + std::to_string(R.findings.size()) +
                                 " findings, the least important ones, are left out: code scanning takes no "
                                 "more; select with --checks, or upload shards as categories of their own"));
    json::Object Invocation{{"executionSuccessful", Options.successful}, {"exitCode", Options.exitCode}};
    if (!Notifications.empty())
      Invocation["toolExecutionNotifications"] = std::move(Notifications);
    return Invocation;
  }

  json::Object summary() {
    const Counts Count(R);
    return json::Object{{"files", R.files},
                        {"kernels", R.kernels.size()},
                        {"accesses", Count.accesses},
                        {"exact", Count.exact},
                        {"assumed", Count.assumed},
                        {"unknown", Count.unknown},
                        {"findings", R.findings.size()}};
  }

  const Report &R;
  const SarifOptions &Options;
  SourceTexts Sources;
  RepositoryPaths Paths;
  std::map<std::string, std::vector<std::string>> Hashes;
};

std::string printed(const json::Value &Log) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  json::OStream J(OS, /*IndentSize=*/2);
  J.value(Log);
  OS << '\n';
  return Text;
}

/// As an upload has it; an upper bound without zlib.
size_t compressedSize(StringRef Text) {
  if (!llvm::compression::zlib::isAvailable())
    return Text.size();
  llvm::SmallVector<uint8_t, 0> Compressed;
  llvm::compression::zlib::compress(llvm::arrayRefFromStringRef(Text), Compressed);
  return Compressed.size();
}

} // namespace

std::vector<Error> warplint::report::firstErrors(const result::Report &Report) {
  constexpr size_t MaxErrorsOfFile = 20;
  std::vector<Error> First;
  std::map<StringRef, size_t> Counts;
  for (const Error &E : Report.errors)
    if (++Counts[E.place.file] <= MaxErrorsOfFile)
      First.push_back(E);
  for (const auto &[File, Count] : Counts)
    if (Count > MaxErrorsOfFile)
      First.push_back(
          {{File.str()}, std::to_string(Count - MaxErrorsOfFile) + " more errors; --format=json has them"});
  return First;
}

std::vector<size_t> warplint::report::worstFirst(const std::vector<Finding> &Findings) {
  std::vector<size_t> Order(Findings.size());
  std::iota(Order.begin(), Order.end(), size_t(0));
  std::stable_sort(Order.begin(), Order.end(), [&](size_t L, size_t R) {
    const Finding &A = Findings[L], &B = Findings[R];
    return std::tuple(A.severity, A.impact, A.excess) > std::tuple(B.severity, B.impact, B.excess);
  });
  return Order;
}

void warplint::report::writeSarifLog(llvm::raw_ostream &OS, const json::Value &Log) { OS << printed(Log); }

void warplint::report::writeSarif(llvm::raw_ostream &OS, const result::Report &Report,
                                  const SourceReader &Read, const SarifOptions &Options) {
  SarifWriter Writer(Report, Read, Options);
  const std::vector<size_t> Order = worstFirst(Report.findings);
  size_t Count = std::min(Order.size(), Options.maxResults);
  while (true) {
    std::vector<size_t> Kept(Order.begin(), Order.begin() + ptrdiff_t(Count));
    llvm::sort(Kept);
    const std::string Text = printed(Writer.log(Kept));
    const size_t Size = Text.size() <= Options.maxBytes ? Text.size() : compressedSize(Text);
    if (Size <= Options.maxBytes || Count == 0) {
      OS << Text;
      return;
    }
    Count = std::min(Count - 1, size_t(double(Count) * double(Options.maxBytes) / double(Size)));
  }
}
