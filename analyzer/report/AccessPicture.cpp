//===-- AccessPicture.cpp - One access, drawn --------------------------------===//
//
// A page per access: what it is, where its lanes go, the picture, and the arithmetic from the picture to the
// counts. The counts are those of the picture, so that a reader can check one against the other.
//
//===----------------------------------------------------------------------===//
#include "analyzer/report/AccessPicture.h"
#include "analyzer/report/AccessFacts.h"
#include "analyzer/report/ShownText.h"
#include "analyzer/report/Touched.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Unicode.h"
#include <algorithm>
#include <bit>
#include <cmath>

using namespace warplint;
using namespace warplint::report;
using namespace warplint::result;
using llvm::raw_ostream;
using llvm::StringRef;
using llvm::Twine;
using llvm::utostr;

namespace {

constexpr unsigned Margin = 2, LabelColumns = 9; // where the text of a labelled line starts

// Rows of a picture beyond the most are cut down to the first ones and the last.
constexpr size_t MostRows = 6, FirstRows = 3;
constexpr unsigned MostTextColumns =
    100; // longer lines are hard to read; pictures are as wide as they can be
constexpr size_t MostKernels = 4;

//===-- Words and numbers ----------------------------------------------------===//

/// One character for a lane: 0-9, a-v.
char laneDigit(unsigned Lane) { return "0123456789abcdefghijklmnopqrstuv"[Lane % 32]; }

/// "1", or "1 to 4".
struct Range {
  uint64_t Least = UINT64_MAX, Most = 0;
  void add(uint64_t Value) {
    Least = std::min(Least, Value);
    Most = std::max(Most, Value);
  }
  std::string text() const { return utostr(Least) + (Least == Most ? "" : " to " + utostr(Most)); }
};

/// Filled up with blanks behind or before the text.
std::string leftIn(size_t Columns, const std::string &Text) {
  return Text.size() < Columns ? Text + std::string(Columns - Text.size(), ' ') : Text;
}
std::string rightIn(size_t Columns, const std::string &Text) {
  return Text.size() < Columns ? std::string(Columns - Text.size(), ' ') + Text : Text;
}

/// The start of a labelled line.
std::string labelled(StringRef Label) { return std::string(Margin, ' ') + leftIn(LabelColumns, Label.str()); }

//===-- A page of text -------------------------------------------------------===//

/// Text in labelled lines that fit into a width.
class Page {
  std::string Text;
  unsigned Width;

  static size_t columns(StringRef Word) {
    const int Columns = llvm::sys::unicode::columnWidthUTF8(Word);
    return Columns < 0 ? Word.size() : size_t(Columns);
  }

  /// Words; those that are too long for a line, lists of lanes say, are taken apart behind commas.
  static llvm::SmallVector<StringRef, 32> pieces(StringRef Safe, size_t Room) {
    llvm::SmallVector<StringRef, 32> Words, Pieces;
    Safe.split(Words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (StringRef Word : Words) {
      while (columns(Word) > Room) {
        const size_t Comma = Word.take_front(Room).rfind(',');
        if (Comma == StringRef::npos)
          break;
        Pieces.push_back(Word.take_front(Comma + 1));
        Word = Word.drop_front(Comma + 1);
      }
      if (!Word.empty())
        Pieces.push_back(Word);
    }
    return Pieces;
  }

public:
  explicit Page(unsigned Columns) : Width(std::min(Columns, MostTextColumns)) {}
  const std::string &text() const { return Text; }

  void line(const Twine &Line) { Text += (StringRef(Line.str()).rtrim(' ') + "\n").str(); }

  /// "  label    words that go on\n           below": broken at blanks.
  void field(StringRef Label, StringRef Value) {
    constexpr size_t Indent = Margin + LabelColumns;
    std::string Line = labelled(Label);
    if (Label.size() >= LabelColumns)
      Line += ' ';
    size_t At = columns(Line);
    bool First = true;
    const std::string Safe = words(Value);
    for (StringRef Part : pieces(Safe, Width - Indent)) {
      if (!First && At + 1 + columns(Part) > Width) {
        line(Line);
        Line.assign(Indent, ' ');
        At = Indent;
        First = true;
      }
      if (!First) {
        Line += ' ';
        ++At;
      }
      Line += Part;
      At += columns(Part);
      First = false;
    }
    line(Line);
  }

  /// Rows of a picture, numbered from 0 on; what is left out is said in `Cut`'s words, given first and count.
  void rows(size_t Count, llvm::function_ref<void(size_t)> Row,
            llvm::function_ref<std::string(size_t, size_t)> Cut) {
    const bool All = Count <= MostRows;
    const size_t Before = All ? Count : FirstRows;
    for (size_t I = 0; I < Before; ++I)
      Row(I);
    if (All)
      return;
    field("", "... " + Cut(Before, Count - Before - 1) + " ...");
    Row(Count - 1);
  }
};

//===-- Global memory --------------------------------------------------------===//

/// The 128-byte lines as rows of four boxes, each byte with the lane that touches it.
class LinesPicture {
  Page &To;
  const std::vector<TouchedLine> Lines;
  const bool Distances;
  const unsigned BytesPerColumn; ///< 0: there is no room for boxes
  const unsigned CellColumns = BytesPerColumn ? SectorBytes / BytesPerColumn : 0;

  static unsigned bytesPerColumn(unsigned Width) {
    for (const unsigned Bytes : {1u, 2u})
      if (Width >= Margin + LabelColumns + 1 + SectorsOfLine * (SectorBytes / Bytes + 1))
        return Bytes;
    return 0;
  }

public:
  LinesPicture(Page &To, std::vector<TouchedLine> Touched, bool Distances, unsigned Width)
      : To(To), Lines(std::move(Touched)), Distances(Distances), BytesPerColumn(bytesPerColumn(Width)) {}

  void draw() {
    if (BytesPerColumn)
      To.field("", std::string("rows: 128-byte lines") +
                       (Distances ? ", by their distance from the first" : ", some unknown distances apart") +
                       "; boxes: the 32-byte sectors that are moved; 0-9 and a-v are bytes of lanes 0-31, "
                       "* of several lanes, . of none");
    border();
    To.rows(
        Lines.size(), [&](size_t I) { BytesPerColumn ? boxes(I) : list(I); },
        [&](size_t From, size_t Count) { return left(From, Count); });
  }

private:
  std::string label(size_t I) const {
    const std::string Start = "+" + std::to_string(Lines[I].Number * int64_t(LineBytes));
    return Distances && Start.size() < LabelColumns ? Start : "line " + utostr(I + 1);
  }

  void border() {
    if (BytesPerColumn)
      To.line(frame());
  }
  std::string frame() const {
    std::string Text = labelled("");
    for (unsigned S = 0; S < SectorsOfLine; ++S)
      Text += "+" + std::string(CellColumns, '-');
    return Text + "+";
  }

  void boxes(size_t I) {
    std::string Bytes = labelled(label(I)), Names = labelled("");
    for (const TouchedSector *S : Lines[I].Sectors) {
      Bytes += "|" + (S ? map(*S) : std::string(CellColumns, ' '));
      Names += "|" + (S ? names(*S) : std::string(CellColumns, ' '));
    }
    To.line(Bytes + "|");
    To.line(Names + "|");
    border();
  }

  std::string map(const TouchedSector &S) const {
    std::string Text;
    for (unsigned From = 0; From < SectorBytes; From += BytesPerColumn) {
      uint8_t Owner = TouchedSector::Nobody;
      for (const uint8_t Next : llvm::ArrayRef(S.owner).slice(From, BytesPerColumn))
        if (Next != TouchedSector::Nobody)
          Owner = Owner == TouchedSector::Nobody || Owner == Next ? Next : TouchedSector::Several;
      Text += Owner == TouchedSector::Nobody ? '.' : Owner == TouchedSector::Several ? '*' : laneDigit(Owner);
    }
    return Text;
  }

  /// "0-3     16/32 B": the lanes, and how much of the sector they use.
  std::string names(const TouchedSector &S) const {
    const std::string Used = utostr(S.usedBytes) + "/32 B";
    std::string Lanes = lanesText(S.lanes);
    if (Lanes.size() + 1 + Used.size() > CellColumns)
      Lanes = utostr(unsigned(std::popcount(S.lanes))) + " lanes";
    return Lanes + rightIn(CellColumns - Lanes.size(), Used);
  }

  /// Where boxes do not fit: a line for each sector.
  void list(size_t I) {
    std::string Label = label(I);
    for (const TouchedSector *S : Lines[I].Sectors) {
      if (!S)
        continue;
      To.field(Label, "sector " + utostr(S->number) + ": " + utostr(S->usedBytes) + " of 32 bytes, " +
                          lanesNamed(S->lanes));
      Label.clear();
    }
  }

  std::string left(size_t From, size_t Count) const {
    Range Sectors, Bytes, ShownSectors, ShownBytes;
    for (size_t I = 0; I < Lines.size(); ++I) {
      const bool Left = I >= From && I < From + Count;
      (Left ? Sectors : ShownSectors).add(Lines[I].sectors());
      (Left ? Bytes : ShownBytes).add(Lines[I].usedBytes());
    }
    const bool Alike = Sectors.Least == Sectors.Most && Bytes.Least == Bytes.Most &&
                       Sectors.text() == ShownSectors.text() && Bytes.text() == ShownBytes.text();
    return utostr(Count) + " more lines" + (Alike ? " like these: " : ": ") + Sectors.text() +
           (Sectors.Most == 1 ? " sector" : " sectors") + " each, " + Bytes.text() + " bytes used";
  }
};

//===-- Shared memory --------------------------------------------------------===//

/// The words of one phase over the banks: a row for each turn in which every bank gives one.
class BanksPicture {
  Page &To;
  const TouchedPhase &Phase;
  const WordsOfBanks Of;

public:
  BanksPicture(Page &To, const TouchedPhase &Phase) : To(To), Phase(Phase), Of(wordsOf(Phase)) {}

  static bool fits(unsigned Width) { return Width >= Margin + LabelColumns + 2 * Banks; }

  static void head(Page &To) {
    std::string Numbers;
    for (unsigned Bank = 0; Bank < Banks; Bank += 4)
      Numbers += leftIn(8, utostr(Bank));
    To.field(
        "", "rows: turns, in each of which a bank gives one 4-byte word; 0-9 and a-v are the lanes 0-31 that "
            "take it, * are several lanes, . is a bank with nothing to do");
    To.line(labelled("bank") + Numbers);
  }

  void draw() {
    To.rows(
        Phase.wavefronts, [&](size_t I) { turn(I); },
        [&](size_t From, size_t Count) {
          Range Working;
          for (size_t I = From; I < From + Count; ++I)
            Working.add(uint64_t(llvm::count_if(Of, [&](auto &Words) { return Words.size() > I; })));
          return utostr(Count) + " more turns with " + Working.text() +
                 (Working.Most == 1 ? " bank at work" : " banks at work");
        });
  }

private:
  void turn(size_t I) {
    std::string Row = labelled("turn " + utostr(I + 1));
    for (const auto &Words : Of) {
      char Shown = '.';
      if (I < Words.size()) {
        const uint32_t Lanes = Words[I]->lanes;
        Shown = std::popcount(Lanes) == 1 ? laneDigit(unsigned(std::countr_zero(Lanes))) : '*';
      }
      Row += {Shown, ' '};
    }
    To.line(Row);
  }
};

//===-- One access -----------------------------------------------------------===//

/// The page of one access in one kernel instance, without the instance's name.
class AccessPage {
  Page To;
  const ExplainedAccess &E;
  const Access &A;
  const Footprint &F;
  const PictureOptions &Options;

public:
  AccessPage(const ExplainedAccess &Explained, const PictureOptions &TheOptions)
      : To(TheOptions.width), E(Explained), A(*Explained.access), F(Explained.footprint),
        Options(TheOptions) {}

  std::string write() {
    fields(addressFacts(E, Options.relativeTo));
    fields(resultFacts(E));
    if (const std::vector<Fact> Costs = costFacts(E); !Costs.empty()) {
      picture();
      To.line("");
      fields(Costs);
    }
    for (const std::string &Remedy : E.remedies)
      To.field("try", Remedy);
    return To.text();
  }

private:
  void fields(const std::vector<Fact> &Facts) {
    for (const Fact &Each : Facts)
      To.field(Each.label, Each.text);
  }

  void picture() {
    To.line("");
    switch (A.space) {
    case Space::Global:
      LinesPicture(To, linesOf(F), E.distancesKnown, Options.width).draw();
      break;
    case Space::Shared:
      banks();
      break;
    case Space::Constant:
    case Space::Local:
      addresses();
      break;
    case Space::Unknown:
      break;
    }
  }

  void banks() {
    const bool Drawn = BanksPicture::fits(Options.width);
    if (Drawn)
      BanksPicture::head(To);
    const size_t Shown = std::min(F.phases.size(), MostPhases);
    for (size_t I = 0; I < Shown; ++I) {
      const TouchedPhase &Phase = F.phases[I];
      if (F.phases.size() > 1)
        To.field("phase " + utostr(I + 1), "of " + utostr(F.phases.size()) + ": " + lanesNamed(Phase.lanes));
      if (Drawn)
        BanksPicture(To, Phase).draw();
      if (const std::string Conflict = conflictText(Phase); !Conflict.empty())
        To.field("conflict", Conflict);
    }
    if (Shown < F.phases.size())
      To.field("", "... " + counted(F.phases.size() - Shown, "more phase") + " ...");
  }

  void addresses() {
    const size_t Count = F.addresses.size(), Shown = Count <= MostAddresses ? Count : MostAddresses - 1;
    for (size_t I = 0; I < Shown; ++I) {
      const std::string Start = "+" + std::to_string(F.addresses[I].offset);
      const bool Known = E.distancesKnown && Start.size() < LabelColumns;
      To.field(Known ? Start : "address", lanesNamed(F.addresses[I].lanes));
    }
    if (Shown < Count)
      To.field("", "... " + utostr(Count - Shown) + " more addresses ...");
  }
};

//===-- All of them ----------------------------------------------------------===//

bool sameSpot(const Place &P, StringRef Expression, const Place &Q, StringRef Other) {
  return P.file == Q.file && P.line == Q.line && P.column == Q.column && Expression == Other;
}

/// One result that some instances have in common.
struct Outcome {
  std::string body;
  std::vector<const ExplainedAccess *> instances;
};

/// One access of the source.
struct Group {
  std::string title;
  const Access *first = nullptr;
  std::vector<Outcome> outcomes;
};

std::vector<Group> groupsOf(const Explanation &All, const PictureOptions &Options) {
  std::vector<Group> Groups;
  for (const ExplainedAccess &E : All.accesses) {
    const Access &A = *E.access;
    const std::string Title = headline(A);
    auto G = llvm::find_if(Groups, [&](const Group &Each) {
      return Each.title == Title &&
             sameSpot(Each.first->place, Each.first->expression, A.place, A.expression);
    });
    if (G == Groups.end())
      G = Groups.insert(Groups.end(), {Title, &A, {}});
    const std::string Body = AccessPage(E, Options).write();
    auto O = llvm::find_if(G->outcomes, [&](const Outcome &Each) { return Each.body == Body; });
    if (O == G->outcomes.end())
      O = G->outcomes.insert(G->outcomes.end(), {Body, {}});
    O->instances.push_back(&E);
  }
  return Groups;
}

void writeInstances(Page &To, const Outcome &O) {
  // The same access of one instance may come by several calls.
  std::vector<std::string> Names;
  for (const ExplainedAccess *E : O.instances)
    if (std::string Name = instanceText(*E); !llvm::is_contained(Names, Name))
      Names.push_back(std::move(Name));
  for (size_t I = 0; I < std::min(Names.size(), MostKernels); ++I)
    To.field("kernel", Names[I]);
  if (Names.size() > MostKernels)
    To.field("", "... and " + utostr(Names.size() - MostKernels) + " more with the same result");
}

void writeFindings(Page &To, const Explanation &All, const Access &A, const PictureOptions &Options) {
  bool Any = false;
  for (const Finding &F : All.findings) {
    if (!sameSpot(F.place, F.expression, A.place, A.expression))
      continue;
    Any = true;
    To.field("finding", std::string(spelling(F.severity)) + ": " + F.message + " [" + F.rule + "]");
    for (const Note &N : F.notes) {
      const bool Elsewhere =
          N.place.valid() && (N.place.file != A.place.file || N.place.line != A.place.line);
      To.field("", (Elsewhere ? placeText(N.place, Options.relativeTo) + ": " : std::string()) + N.message);
    }
  }
  if (!Any)
    To.field("finding", "none: the checks that are on have nothing to say here");
}

} // namespace

void warplint::report::writeExplanation(raw_ostream &OS, const Explanation &All, const SourceReader &Read,
                                        const PictureOptions &Options) {
  const std::vector<Group> Groups = groupsOf(All, Options);
  TextOptions Text;
  Text.relativeTo = Options.relativeTo;
  for (size_t I = 0; I < Groups.size(); ++I) {
    const Access &A = *Groups[I].first;
    Report Heading;
    Heading.findings.emplace_back();
    Heading.findings.front().severity = Severity::Note;
    Heading.findings.front().message = Groups[I].title;
    Heading.findings.front().place = A.place;
    OS << (I ? "\n" : "");
    writeText(OS, Heading, Read, Text);
    for (const Outcome &O : Groups[I].outcomes) {
      Page Instances(Options.width);
      writeInstances(Instances, O);
      OS << Instances.text() << O.body;
      if (&O != &Groups[I].outcomes.back())
        OS << '\n';
    }
    // Findings speak of all that happens at one spot.
    if (I + 1 < Groups.size() &&
        sameSpot(A.place, A.expression, Groups[I + 1].first->place, Groups[I + 1].first->expression))
      continue;
    Page Findings(Options.width);
    writeFindings(Findings, All, A, Options);
    OS << Findings.text();
  }
}
