//===-- HtmlSource.cpp - Source lines inside a page of HTML --------------------------===//
#include "analyzer/report/HtmlSource.h"
#include "analyzer/report/HtmlText.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <map>

using namespace warplint;
using namespace warplint::report;
using namespace warplint::result;
using llvm::StringRef;

static constexpr StringRef ByteOrderMark = "\xef\xbb\xbf";
static constexpr size_t LongestLine = 1000; // bytes; longer ones are data, not code
static constexpr unsigned MostLines = 12;   // of a place

static StringRef withoutEnd(StringRef Line) { return Line.rtrim("\r\n"); }

//===-- A place --------------------------------------------------------------===//

/// The bytes of line `Number` that belong to the place, from 0 on; empty where none do.
static std::pair<size_t, size_t> markedIn(StringRef Line, unsigned Number, const Place &P) {
  const unsigned Last = std::max(P.line, P.endLine);
  if (Number < P.line || Number > Last || !P.column)
    return {0, 0};
  const size_t First = Number == P.line ? P.column - 1 : Line.find_first_not_of(" \t");
  size_t End = Line.size();
  if (Number == P.endLine)
    End = P.endColumn ? P.endColumn - 1 : 0;
  if (Number == P.line && Last == P.line && End <= First)
    End = First + 1; // the end is not known
  End = std::min(End, Line.size());
  return First < End ? std::pair(First, End) : std::pair<size_t, size_t>(0, 0);
}

static std::string numbered(unsigned Number, StringRef Html) {
  const std::string Digits = std::to_string(Number);
  const std::string Gutter(Digits.size() < 5 ? 5 - Digits.size() : 0, ' ');
  return "<span class=\"line\">" + Gutter + Digits + "  </span>" + Html.str() + "\n";
}

static std::string lineOf(const SourceText &Text, unsigned Number, const Place &P) {
  const StringRef Line = withoutEnd(Text.line(Number));
  if (Line.size() > LongestLine)
    return "<span class=\"faint\">(a line of " + std::to_string(Line.size()) + " bytes)</span>";
  const auto [First, End] = markedIn(Line, Number, P);
  StringRef Before = Line.take_front(First);
  if (Number == 1)
    Before.consume_front(ByteOrderMark);
  StringRef After = Line.drop_front(End);
  if (First == End) {
    if (Number == 1)
      After.consume_front(ByteOrderMark);
    return htmlText(After);
  }
  return htmlText(Before) + "<mark>" + htmlText(Line.slice(First, End)) + "</mark>" + htmlText(After);
}

std::string report::htmlOfSource(SourceTexts &Sources, const Place &P, unsigned Around) {
  const SourceText *Text = P.valid() ? Sources.find(P.file) : nullptr;
  if (!Text || P.line > Text->lines())
    return "";
  const unsigned First = P.line > Around ? P.line - Around : 1;
  const unsigned Last =
      std::min({std::max(P.line, P.endLine) + Around, Text->lines(), First + MostLines - 1});
  std::string Html = "<pre>";
  for (unsigned Number = First; Number <= Last; ++Number)
    Html += numbered(Number, lineOf(*Text, Number, P));
  return Html + "</pre>\n";
}

//===-- A fix ----------------------------------------------------------------===//

static std::string diffLines(StringRef Text, const char *Tag, char Sign) {
  llvm::SmallVector<StringRef, 16> Lines;
  withoutEnd(Text).split(Lines, '\n');
  std::string Html;
  for (StringRef Line : Lines)
    Html += std::string("<") + Tag + ">" + Sign + " " + htmlText(Line.rtrim('\r').take_front(LongestLine)) +
            "</" + Tag + ">\n";
  return Html;
}

/// The lines that edits touch, of one file. The edits are sorted and do not overlap.
static std::string diffOf(StringRef Text, llvm::ArrayRef<Edit> Edits) {
  std::string Html;
  for (size_t I = 0; I < Edits.size();) {
    const size_t NewLine = Text.take_front(Edits[I].offset).rfind('\n');
    const size_t Start = NewLine == StringRef::npos ? 0 : NewLine + 1;
    std::string After;
    size_t At = Start, End = Start;
    do {
      After += Text.slice(At, Edits[I].offset).str() + Edits[I].text;
      At = size_t(Edits[I].offset) + Edits[I].length;
      End = std::min(Text.find('\n', At), Text.size());
    } while (++I < Edits.size() && Edits[I].offset <= End);
    After += Text.slice(At, End);
    Html += diffLines(Text.slice(Start, End), "del", '-') + diffLines(After, "ins", '+');
  }
  return Html;
}

std::string report::htmlOfEdits(SourceTexts &Sources, const std::vector<Edit> &Edits) {
  std::map<std::string, std::vector<Edit>> ByFile;
  for (const Edit &E : Edits)
    ByFile[E.file].push_back(E);
  std::string Html;
  for (auto &[File, OfFile] : ByFile) {
    const SourceText *Text = Sources.find(File);
    std::stable_sort(OfFile.begin(), OfFile.end(),
                     [](const Edit &A, const Edit &B) { return A.offset < B.offset; });
    size_t Least = 0; // where the next edit may start
    for (const Edit &E : OfFile) {
      if (!Text || E.offset < Least || size_t(E.offset) + E.length > Text->text().size())
        return "";
      Least = size_t(E.offset) + E.length;
    }
    Html += diffOf(Text->text(), OfFile);
  }
  return Html.empty() ? "" : "<pre>" + Html + "</pre>\n";
}
