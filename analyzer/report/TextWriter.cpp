//===-- TextWriter.cpp - Clang's text form -----------------------------------===//
//
// Editors, CI systems and people know clang's diagnostics; this prints the same form over source that may
// hold anything. Nothing of the source, of a message or of a file name reaches the terminal as a control
// sequence.
//
//===----------------------------------------------------------------------===//
#include "analyzer/report/Counts.h"
#include "analyzer/report/Report.h"
#include "analyzer/report/ShownText.h"
#include "llvm/Support/Format.h"
#include <algorithm>
#include <map>
#include <vector>

using namespace warplint;
using namespace warplint::result;
using llvm::raw_ostream;
using llvm::StringRef;
using report::Character;
using report::escaped;
using report::firstCharacter;
using report::shownName;
using report::words;

namespace {

constexpr unsigned TabStop = 8;            // clang's -ftabstop default
constexpr size_t MaxSnippetColumns = 4096; // clang's limit too: such lines are data, not code
constexpr unsigned LineNumberWidth = 4;    // of clang's gutter: "    9 | "

/// A source line as it is shown, with tabs expanded.
struct ShownLine {
  std::string Text;
  std::vector<unsigned> Column; ///< of each byte of the source line, from 0 on, and of its end

  explicit ShownLine(StringRef Source) {
    unsigned At = 0;
    while (!Source.empty()) {
      Character C;
      if (Source[0] == '\t') {
        C.Columns = TabStop - At % TabStop;
        C.Shown.assign(C.Columns, ' ');
        C.Bytes = 1;
      } else if (Column.empty() && Source.starts_with("\xef\xbb\xbf")) {
        C = {"", 0, 3}; // the byte order mark: columns count it, nobody sees it
      } else {
        C = firstCharacter(Source);
      }
      Text += C.Shown;
      Column.insert(Column.end(), C.Bytes, At);
      At += C.Columns;
      Source = Source.drop_front(C.Bytes);
    }
    Column.push_back(At);
  }

  /// Terminal column, from 0 on, of the byte at a source column, which counts from 1.
  unsigned columnOf(unsigned SourceColumn) const {
    return Column[std::min<size_t>(SourceColumn ? SourceColumn - 1 : 0, Column.size() - 1)];
  }
};

//===-- Source lines ---------------------------------------------------------===//

/// The lines of the files that places speak of; each file is read once.
class Sources {
  struct File {
    std::string Text;
    std::vector<size_t> LineStarts;
  };
  const report::SourceReader &Read;
  std::map<std::string, File> Files;

  const File &file(const std::string &Name) {
    auto [It, New] = Files.try_emplace(Name);
    File &F = It->second;
    if (!New || !Read)
      return F;
    std::optional<std::string> Text = Read(Name);
    if (!Text)
      return F;
    F.Text = std::move(*Text);
    F.LineStarts.push_back(0);
    for (size_t At = F.Text.find('\n'); At != std::string::npos; At = F.Text.find('\n', At + 1))
      F.LineStarts.push_back(At + 1);
    return F;
  }

public:
  explicit Sources(const report::SourceReader &Reader) : Read(Reader) {}

  /// Line `Number`, from 1 on, without its end; nothing when the file has no such line.
  std::optional<StringRef> line(const std::string &Name, unsigned Number) {
    const File &F = file(Name);
    if (Number == 0 || Number > F.LineStarts.size())
      return std::nullopt;
    const size_t Start = F.LineStarts[Number - 1];
    StringRef Line = StringRef(F.Text).drop_front(Start);
    return Line.take_front(Line.find('\n')).rtrim("\r");
  }
};

/// Errors beyond this many of one file are counted: the first tell what is wrong.
constexpr size_t MaxErrorsOfFile = 20;

//===-- Diagnostics ----------------------------------------------------------===//

class TextWriter {
  raw_ostream &OS;
  Sources Files;
  const report::TextOptions &Options;

public:
  TextWriter(raw_ostream &Stream, const report::SourceReader &Read, const report::TextOptions &TheOptions)
      : OS(Stream), Files(Read), Options(TheOptions) {}

  void error(const Error &E) {
    headline(E.place, Severity::Error, E.message, "");
    snippet(E.place);
  }

  void finding(const Finding &F) {
    headline(F.place, F.severity, F.message, F.rule);
    snippet(F.place);
    for (const Note &N : F.notes) {
      headline(N.place, Severity::Note, N.message, "");
      if (!samePlace(N.place, F.place))
        snippet(N.place);
    }
    for (const Fix &X : F.fixes)
      if (X.verified)
        headline(Place(), Severity::Note,
                 "fix available" + std::string(X.safety == FixSafety::Unsafe ? " (unsafe)" : "") + ": " + X.title, "");
  }

private:
  static bool samePlace(const Place &A, const Place &B) {
    return A.file == B.file && A.line == B.line && A.column == B.column;
  }

  template <typename Printer> void colored(raw_ostream::Colors Color, bool Bold, Printer Print) {
    if (Options.color)
      OS.changeColor(Color, Bold);
    Print();
    if (Options.color)
      OS.resetColor();
  }

  /// `file:line:col: warning: message [rule]`, without what is not known.
  void headline(const Place &P, Severity Level, StringRef Message, StringRef Rule) {
    // Clang's colours.
    raw_ostream::Colors Color = raw_ostream::MAGENTA;
    if (Level == Severity::Error)
      Color = raw_ostream::RED;
    else if (Level == Severity::Note)
      Color = raw_ostream::CYAN;

    if (!P.file.empty())
      colored(raw_ostream::SAVEDCOLOR, /*Bold=*/true, [&] {
        OS << escaped(shownName(P.file, Options.relativeTo)) << ':';
        if (P.valid()) {
          OS << P.line << ':';
          if (P.column)
            OS << P.column << ':';
        }
        OS << ' ';
      });
    colored(Color, /*Bold=*/true, [&] { OS << spelling(Level) << ": "; });
    auto PrintMessage = [&] {
      OS << words(Message);
      if (!Rule.empty())
        OS << " [" << words(Rule) << ']';
    };
    // The notes of a finding stand back behind it.
    if (Level == Severity::Note && Rule.empty())
      PrintMessage();
    else
      colored(raw_ostream::SAVEDCOLOR, /*Bold=*/true, PrintMessage);
    OS << '\n';
  }

  /// The source line of a place, and below it the caret and the underlined range.
  void snippet(const Place &P) {
    if (!P.valid() || !P.column)
      return;
    const std::optional<StringRef> Source = Files.line(P.file, P.line);
    if (!Source)
      return;
    const ShownLine Line(*Source);
    if (Line.Column.back() > MaxSnippetColumns)
      return;

    const std::string Number = std::to_string(P.line);
    const size_t Gutter = std::max<size_t>(LineNumberWidth, Number.size());
    OS.indent(unsigned(Gutter - Number.size() + 1)) << Number << " | " << Line.Text << '\n';

    // A range over several lines ends where the text of its first line does.
    const unsigned Caret = Line.columnOf(P.column);
    unsigned End = Caret;
    if (P.endLine > P.line)
      End = Line.columnOf(unsigned(Source->rtrim(" \t").size()) + 1);
    else if (P.endLine == P.line && P.endColumn > P.column)
      End = Line.columnOf(P.endColumn);
    OS.indent(unsigned(Gutter + 2)) << "| ";
    colored(raw_ostream::GREEN, /*Bold=*/true, [&] {
      OS.indent(Caret) << '^';
      for (unsigned Column = Caret + 1; Column < End; ++Column)
        OS << '~';
    });
    OS << '\n';
  }
};

std::string counted(uint64_t Count, const char *One, const char *Many) {
  return std::to_string(Count) + " " + (Count == 1 ? One : Many);
}

} // namespace

void warplint::report::writeText(raw_ostream &OS, const result::Report &Report, const SourceReader &Read,
                                 const TextOptions &Options) {
  // Streams that are no terminal drop colours unless told otherwise; whether to colour is the caller's
  // choice.
  const bool Colors = OS.colors_enabled();
  if (Options.color)
    OS.enable_colors(true);
  TextWriter Writer(OS, Read, Options);
  std::map<StringRef, size_t> ErrorsOf;
  for (const Error &E : Report.errors)
    if (++ErrorsOf[E.place.file] <= MaxErrorsOfFile)
      Writer.error(E);
  for (const auto &[File, Count] : ErrorsOf)
    if (Count > MaxErrorsOfFile)
      Writer.error({{File.str()}, std::to_string(Count - MaxErrorsOfFile) +
                                      " more errors are not shown; --format=json has them"});
  for (const Finding &F : Report.findings)
    Writer.finding(F);
  OS.enable_colors(Colors);
}

std::string warplint::report::summaryLine(const result::Report &Report) {
  const Counts Counts(Report);
  return counted(Report.findings.size(), "finding", "findings") + " in " +
         counted(Report.kernels.size(), "kernel", "kernels") + " (" +
         counted(Counts.accesses, "access", "accesses") + ": " + std::to_string(Counts.exact) + " exact, " +
         std::to_string(Counts.assumed) + " assumed, " + std::to_string(Counts.unknown) + " unknown)" +
         // Few findings may mean that few kernels were left.
         (Report.errors.empty() ? "" : ", " + counted(Report.errors.size(), "error", "errors")) +
         (Report.baseline ? "; against the baseline: " + std::to_string(Report.baseline->added) + " new, " +
                                std::to_string(Report.baseline->fixed) + " fixed, " +
                                std::to_string(Report.baseline->remaining) + " remaining"
                          : "");
}
