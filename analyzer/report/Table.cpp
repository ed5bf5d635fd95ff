#include "analyzer/report/Table.h"
#include "analyzer/report/ShownText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>

using llvm::raw_ostream;
using llvm::StringRef;

namespace warplint::report {

static constexpr unsigned Gap = 2; // blanks between columns
// Of the flexible column, before others are dropped.
static constexpr unsigned FewestColumns = 14;
static constexpr unsigned FewestOfNames = 24;

unsigned columnsOf(StringRef Text) {
  unsigned Columns = 0;
  while (!Text.empty()) {
    const Character C = firstCharacter(Text);
    Columns += C.Columns;
    Text = Text.drop_front(C.Bytes);
  }
  return Columns;
}

/// As much from the front as has room.
static StringRef frontOf(StringRef Text, unsigned Most) {
  unsigned Columns = 0;
  size_t Bytes = 0;
  while (Bytes < Text.size()) {
    const Character C = firstCharacter(Text.drop_front(Bytes));
    if (Columns + C.Columns > Most)
      break;
    Columns += C.Columns;
    Bytes += C.Bytes;
  }
  return Text.take_front(Bytes);
}

std::string cutTo(StringRef Text, unsigned Most, bool KeepEnd) {
  const unsigned All = columnsOf(Text);
  if (All <= Most)
    return Text.str();
  const StringRef Mark = StringRef("...").take_front(Most);
  const unsigned Room = Most - unsigned(Mark.size()), End = KeepEnd ? Room / 2 : 0;
  std::string Kept = frontOf(Text, Room - End).str() + Mark.str();
  // From the first character on after which no more than the end is left.
  StringRef Rest = Text;
  for (unsigned Left = All; Left > End;) {
    const Character C = firstCharacter(Rest);
    Left -= C.Columns;
    Rest = Rest.drop_front(C.Bytes);
  }
  return Kept + Rest.str();
}

void printWrapped(raw_ostream &OS, StringRef Text, unsigned Indent, unsigned Width) {
  llvm::SmallVector<StringRef, 32> Words;
  Text.split(Words, ' ', -1, /*KeepEmpty=*/false);
  unsigned At = Indent;
  bool First = true;
  for (StringRef Word : Words) {
    const unsigned Columns = columnsOf(Word);
    if (!First && At + 1 + Columns > Width) {
      OS << '\n';
      OS.indent(Indent);
      At = Indent;
    } else if (!First) {
      OS << ' ';
      ++At;
    }
    OS << Word;
    At += Columns;
    First = false;
  }
  OS << '\n';
}

void Table::print(raw_ostream &OS, unsigned Indent, unsigned Width, std::set<std::string> &LeftOut) const {
  std::vector<unsigned> Widths;
  std::vector<size_t> Shown;
  for (size_t C = 0; C != Columns.size(); ++C) {
    unsigned Widest = columnsOf(Columns[C].heading);
    for (const auto &Row : Rows)
      Widest = std::max(Widest, columnsOf(Row[C].empty() ? "-" : Row[C]));
    Widths.push_back(Widest);
    if (Columns[C].isFlexible || Columns[C].heading.empty() ||
        llvm::any_of(Rows, [&](const auto &Row) { return !Row[C].empty(); }))
      Shown.push_back(C);
  }
  const auto Total = [&](unsigned (*Flexible)(const Column &)) {
    unsigned Sum = Indent;
    for (size_t C : Shown)
      Sum += (Columns[C].isFlexible ? std::min(Widths[C], Flexible(Columns[C])) : Widths[C]) +
             (C == Shown.front() ? 0 : Gap);
    return Sum;
  };
  const auto Rank = [&](size_t C) { return Columns[C].dropRank; };
  while (Total([](const Column &C) { return C.keepsEnd ? FewestOfNames : FewestColumns; }) > Width) {
    const auto Next =
        std::max_element(Shown.begin(), Shown.end(), [&](size_t A, size_t B) { return Rank(A) < Rank(B); });
    if (Next == Shown.end() || Rank(*Next) == 0)
      break;
    LeftOut.insert(Columns[*Next].heading);
    Shown.erase(Next);
  }
  const unsigned Fixed = Total([](const Column &) { return 0u; });
  for (size_t C : Shown)
    if (Columns[C].isFlexible)
      Widths[C] = std::min(Widths[C], std::max(Width > Fixed ? Width - Fixed : 0, 4u));

  const auto Line = [&](const auto &CellOf) {
    std::string Text(Indent, ' ');
    for (size_t C : Shown) {
      const std::string Cell = cutTo(CellOf(C), Widths[C], Columns[C].keepsEnd);
      const std::string Fill(Widths[C] - columnsOf(Cell), ' ');
      Text += (C == Shown.front() ? "" : std::string(Gap, ' ')) +
              (Columns[C].isNumber ? Fill + Cell : Cell + Fill);
    }
    OS << StringRef(Text).rtrim(' ') << '\n';
  };
  Line([&](size_t C) { return Columns[C].heading; });
  for (const auto &Row : Rows)
    Line([&](size_t C) { return Row[C].empty() ? std::string("-") : Row[C]; });
}

} // namespace warplint::report
