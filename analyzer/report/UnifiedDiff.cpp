#include "analyzer/report/UnifiedDiff.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace warplint;
using result::Edit;

namespace {

constexpr size_t Context = 3;

/// Each with its line end; the last one of a text may be without.
std::vector<StringRef> linesOf(StringRef Text) {
  std::vector<StringRef> Lines;
  while (!Text.empty()) {
    const size_t End = Text.find('\n');
    Lines.push_back(Text.take_front(End == StringRef::npos ? Text.size() : End + 1));
    Text = Text.drop_front(Lines.back().size());
  }
  return Lines;
}

/// The lines [begin, end) of the old text, and what stands in their place.
struct Change {
  size_t begin, end;
  std::vector<std::string> lines;
};

class Differ {
public:
  Differ(StringRef Text, ArrayRef<Edit> Edits) : Text(Text), Old(linesOf(Text)) {
    size_t Offset = 0;
    for (StringRef Line : Old) {
      Starts.push_back(Offset);
      Offset += Line.size();
    }
    Starts.push_back(Offset);
    collect(Edits);
  }

  bool changesNothing() const { return Changes.empty(); }

  void writeHunks(raw_ostream &OS) const {
    ptrdiff_t Shift = 0; // of line numbers, by the hunks before
    for (ArrayRef<Change> Rest = Changes; !Rest.empty();) {
      size_t Count = 1;
      // Where contexts would meet, it is one hunk.
      while (Count < Rest.size() && Rest[Count].begin - Rest[Count - 1].end <= 2 * Context)
        ++Count;
      writeHunk(OS, Rest.take_front(Count), Shift);
      Rest = Rest.drop_front(Count);
    }
  }

private:
  /// The line that an offset is in. What follows the last line end is none.
  size_t lineAt(size_t Offset) const {
    if (Offset == Text.size() && !Text.empty() && Text.back() != '\n')
      return Old.size() - 1;
    return size_t(llvm::upper_bound(Starts, Offset) - Starts.begin()) - 1;
  }

  /// Whole lines: an edit's end is in its last one, so that what it leaves of a line end's line is there,
  /// too.
  void collect(ArrayRef<Edit> Edits) {
    for (size_t I = 0; I < Edits.size();) {
      const size_t Begin = lineAt(Edits[I].offset);
      size_t End = Begin, Next = I;
      while (Next < Edits.size() && (Next == I || lineAt(Edits[Next].offset) < End)) {
        const size_t Last = lineAt(Edits[Next].offset + Edits[Next].length);
        End = std::min(std::max(End, Last + 1), Old.size());
        ++Next;
      }
      add(Begin, End, Edits.slice(I, Next - I));
      I = Next;
    }
  }

  void add(size_t Begin, size_t End, ArrayRef<Edit> Edits) {
    std::string New = Text.slice(Starts[Begin], Starts[End]).str();
    for (const Edit &E : reverse(Edits))
      New.replace(E.offset - Starts[Begin], E.length, E.text);
    const std::vector<StringRef> Lines = linesOf(New);
    Change C = {Begin, End, {Lines.begin(), Lines.end()}};
    trim(C);
    if (C.begin < C.end || !C.lines.empty())
      Changes.push_back(std::move(C));
  }

  /// Takes away the lines that stay as they are.
  void trim(Change &C) const {
    while (C.begin < C.end && !C.lines.empty() && Old[C.begin] == C.lines.front()) {
      ++C.begin;
      C.lines.erase(C.lines.begin());
    }
    while (C.begin < C.end && !C.lines.empty() && Old[C.end - 1] == C.lines.back()) {
      --C.end;
      C.lines.pop_back();
    }
  }

  template <typename T> static void writeLines(raw_ostream &OS, char Mark, ArrayRef<T> Lines) {
    for (StringRef Line : Lines)
      OS << Mark << Line << (Line.ends_with("\n") ? "" : "\n\\ No newline at end of file\n");
  }

  /// "12,3": where there are no lines, the one before.
  static void writeRange(raw_ostream &OS, size_t Begin, size_t Count) {
    OS << (Count ? Begin + 1 : Begin) << ',' << Count;
  }

  void writeHunk(raw_ostream &OS, ArrayRef<Change> Of, ptrdiff_t &Shift) const {
    const size_t Begin = Of.front().begin - std::min(Context, Of.front().begin);
    const size_t End = std::min(Of.back().end + Context, Old.size());
    ptrdiff_t Growth = 0;
    for (const Change &C : Of)
      Growth += ptrdiff_t(C.lines.size()) - ptrdiff_t(C.end - C.begin);
    OS << "@@ -";
    writeRange(OS, Begin, End - Begin);
    OS << " +";
    writeRange(OS, size_t(ptrdiff_t(Begin) + Shift), size_t(ptrdiff_t(End - Begin) + Growth));
    OS << " @@\n";
    Shift += Growth;
    const ArrayRef<StringRef> All(Old);
    size_t At = Begin;
    for (const Change &C : Of) {
      writeLines(OS, ' ', All.slice(At, C.begin - At));
      writeLines(OS, '-', All.slice(C.begin, C.end - C.begin));
      writeLines(OS, '+', ArrayRef(C.lines));
      At = C.end;
    }
    writeLines(OS, ' ', All.slice(At, End - At));
  }

  const StringRef Text;
  const std::vector<StringRef> Old;
  std::vector<size_t> Starts; ///< of the lines; the text's end
  std::vector<Change> Changes;
};

/// As git writes names: in quotes where a byte would not survive; what has a blank ends at a tab, since a
/// date could follow.
void writeName(raw_ostream &OS, const std::string &Name) {
  const bool Quotes =
      any_of(Name, [](unsigned char C) { return C < ' ' || C == 127 || C == '"' || C == '\\'; });
  if (!Quotes) {
    OS << Name << (StringRef(Name).contains(' ') ? "\t" : "") << '\n';
    return;
  }
  OS << '"';
  for (unsigned char C : Name)
    if (C == '"' || C == '\\')
      OS << '\\' << char(C);
    else if (C < ' ' || C == 127)
      OS << '\\' << char('0' + (C >> 6)) << char('0' + (C >> 3 & 7)) << char('0' + (C & 7));
    else
      OS << char(C);
  OS << "\"\n";
}

} // namespace

void warplint::report::writeUnifiedDiff(raw_ostream &OS, StringRef Name, StringRef Text,
                                        ArrayRef<Edit> Edits) {
  const Differ D(Text, Edits);
  if (D.changesNothing())
    return;
  OS << "--- ";
  writeName(OS, ("a/" + Name).str());
  OS << "+++ ";
  writeName(OS, ("b/" + Name).str());
  D.writeHunks(OS);
}
