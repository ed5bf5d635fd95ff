//===-- AccessPicture.cpp - One access, drawn --------------------------------===//
//
// A page per access: what it is, where its lanes go, the picture, and the arithmetic from the picture to the
// counts. The counts are those of the picture, so that a reader can check one against the other.
//
//===----------------------------------------------------------------------===//
#include "analyzer/report/AccessPicture.h"
#include "analyzer/report/ShownText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Unicode.h"
#include <algorithm>
#include <array>
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

constexpr unsigned LineBytes = 128, SectorBytes = 32, SectorsOfLine = LineBytes / SectorBytes;
constexpr unsigned Banks = 32, BankBytes = 4;
constexpr unsigned Margin = 2, LabelColumns = 9; // where the text of a labelled line starts

// Rows of a picture beyond the most are cut down to the first ones and the last.
constexpr size_t MostRows = 6, FirstRows = 3;
constexpr unsigned MostTextColumns =
    100; // longer lines are hard to read; pictures are as wide as they can be
constexpr size_t MostKernels = 4, MostPhases = 4, MostAddresses = 8;

//===-- Words and numbers ----------------------------------------------------===//

std::string unit(bool Single, StringRef One) {
  return " " + One.str() + (Single ? "" : One.ends_with("s") ? "es" : "s");
}

std::string counted(uint64_t Count, StringRef One) { return utostr(Count) + unit(Count == 1, One); }

/// "4", "4.5", "0.03".
std::string number(double Value) {
  std::string Text;
  llvm::raw_string_ostream(Text) << llvm::format(Value < 1 ? "%.2f" : "%.1f", Value);
  if (StringRef(Text).contains('.'))
    Text = StringRef(Text).rtrim('0').rtrim('.').str();
  return Text;
}

std::string amount(double Value, StringRef One) { return number(Value) + unit(Value == 1, One); }

std::string percent(double Fraction) { return number(std::round(Fraction * 1000) / 10) + " %"; }

/// "0-7,9": the lanes of a mask.
std::string lanesText(uint32_t Mask) {
  std::string Text;
  for (unsigned Lane = 0; Lane < 32;) {
    if (!(Mask >> Lane & 1)) {
      ++Lane;
      continue;
    }
    const unsigned Length = unsigned(std::countr_one(Mask >> Lane));
    Text += (Text.empty() ? "" : ",") + utostr(Lane);
    if (Length > 1)
      Text += (Length == 2 ? "," : "-") + utostr(Lane + Length - 1);
    Lane += Length;
  }
  return Text;
}

std::string lanesNamed(uint32_t Mask) {
  return (std::popcount(Mask) == 1 ? "lane " : "lanes ") + lanesText(Mask);
}

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

/// An offset as it stands behind a "+": in brackets where something in it binds weaker.
std::string summand(StringRef Offset) {
  unsigned Depth = 0;
  for (const char C : Offset) {
    Depth += C == '(' || C == '[';
    Depth -= C == ')' || C == ']';
    if (!Depth && StringRef("?:<>=!&|^").contains(C))
      return ("(" + Offset + ")").str();
  }
  return Offset.str();
}

std::string placeText(const Place &P, const PictureOptions &Options) {
  return escaped(shownName(P.file, Options.relativeTo)) + ":" + utostr(P.line) + ":" + utostr(P.column);
}

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

/// The touched sectors of one line, by their number; null where one is not touched.
struct TouchedLine {
  int64_t Number = 0;
  std::array<const TouchedSector *, SectorsOfLine> Sectors{};

  unsigned sectors() const {
    return unsigned(llvm::count_if(Sectors, [](auto *S) { return S != nullptr; }));
  }
  unsigned usedBytes() const {
    unsigned Bytes = 0;
    for (const TouchedSector *S : Sectors)
      Bytes += S ? S->usedBytes : 0;
    return Bytes;
  }
};

std::vector<TouchedLine> linesOf(const Footprint &F) {
  std::vector<TouchedLine> Lines;
  for (const TouchedSector &S : F.sectors) {
    if (Lines.empty() || Lines.back().Number != S.line)
      Lines.push_back({S.line, {}});
    Lines.back().Sectors[S.number] = &S;
  }
  return Lines;
}

/// The 128-byte lines as rows of four boxes, each byte with the lane that touches it.
class LinesPicture {
  Page &To;
  const std::vector<TouchedLine> &Lines;
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
  LinesPicture(Page &To, const std::vector<TouchedLine> &Lines, bool Distances, unsigned Width)
      : To(To), Lines(Lines), Distances(Distances), BytesPerColumn(bytesPerColumn(Width)) {}

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
  std::array<std::vector<const TouchedWord *>, Banks> Of;

public:
  BanksPicture(Page &To, const TouchedPhase &Phase) : To(To), Phase(Phase) {
    for (const TouchedWord &W : Phase.words)
      Of[W.bank].push_back(&W);
  }

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

  /// What the busiest bank has to do, in words; nothing where no bank has more than one word.
  void conflict() {
    if (Phase.wavefronts < 2)
      return;
    const auto Busiest = [&](const auto &Words) { return Words.size() == Phase.wavefronts; };
    const size_t Bank = size_t(llvm::find_if(Of, Busiest) - Of.begin()),
                 Others = llvm::count_if(Of, Busiest) - 1;
    const auto &Words = Of[Bank];
    uint32_t Lanes = 0;
    for (const TouchedWord *W : Words)
      Lanes |= W->lanes;
    const int64_t Step = Words[1]->word - Words[0]->word;
    bool Even = true;
    for (size_t I = 1; I < Words.size(); ++I)
      Even &= Words[I]->word - Words[I - 1]->word == Step;
    To.field("conflict",
             "bank " + utostr(Bank) + " has " + counted(Words.size(), "different word") + " to give" +
                 (Even ? ", " + utostr(uint64_t(Step)) + " words apart," : "") + " to " + lanesNamed(Lanes) +
                 (Others ? (Others == 1 ? "; so has " : "; so have ") + counted(Others, "other bank")
                         : std::string()));
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
    address();
    confidence();
    if (A.removed)
      To.field("removed",
               "the compiler removes this access: nothing uses it, or a neighbour moves its bytes");
    if (A.confidence != Confidence::Unknown && !F.addresses.empty())
      cost();
    for (const std::string &Remedy : E.remedies)
      To.field("try", Remedy);
    return To.text();
  }

private:
  void address() {
    std::string Text = A.base.empty() ? "base" : A.base;
    if (!A.offset.empty() && A.offset != "0")
      Text += " + " + summand(A.offset);
    if (!A.offset.empty())
      To.field("address", Text + (A.offset == "0" ? "" : " (bytes)"));
    if (A.calledFrom.valid())
      To.field("called", "from " + placeText(A.calledFrom, Options));
    if (A.confidence == Confidence::Unknown || F.addresses.empty())
      return;
    To.field("lanes", lanes());
    if (!A.worstIteration.empty())
      To.field("worst", "of several different requests this is the worst: at " + A.worstIteration);
    if (A.faultOffset)
      To.field("fault", "a lane's offset of " + std::to_string(*A.faultOffset) +
                            " bytes is not a multiple of the access's size: this fails at run time");
  }

  std::string lanes() const {
    std::string Text = A.activeLanes == 32
                           ? "all 32 active"
                           : utostr(A.activeLanes) + " of 32 active: " + lanesText(A.activeMask);
    return E.spacing.empty() ? Text : Text + "; " + E.spacing;
  }

  void confidence() {
    std::string Text = spelling(A.confidence);
    if (A.confidence == Confidence::Unknown)
      return To.field("result", Text + ": " + (A.reason.empty() ? "no reason is known" : A.reason));
    const char *Lead = A.confidence == Confidence::Assumed ? ": " : ", with ";
    for (const std::string &Assumption : A.assumptions) {
      Text += Lead + Assumption;
      Lead = "; ";
    }
    To.field("result", Text);
  }

  void cost() {
    switch (A.space) {
    case Space::Global:
      global();
      break;
    case Space::Shared:
      shared();
      break;
    case Space::Constant:
      To.line("");
      addresses("each is a request of its own");
      mean(amount(A.mean.distinctAddresses, "address"));
      break;
    case Space::Local:
      local();
      break;
    case Space::Unknown:
      break;
    }
    if (A.operation == Operation::Atomic)
      atomic();
  }

  std::string product() const { return counted(A.activeLanes, "lane") + " x " + counted(A.width, "byte"); }

  void global() {
    const std::vector<TouchedLine> Lines = linesOf(F);
    const uint64_t Sectors = F.sectors.size();
    To.line("");
    LinesPicture(To, Lines, E.distancesKnown, Options.width).draw();
    To.line("");
    To.field("lines", efficiency(Lines.size(), LineBytes));
    To.field("sectors", efficiency(Sectors, SectorBytes));
    ideal(SectorBytes, A.worst.idealSectors, double(Sectors), "sector");
    if (A.companions && A.companions->accesses)
      To.field("beside", counted(A.companions->accesses,
                                 A.companions->sameRegion ? "other access" : "other iteration") +
                             (A.companions->accesses == 1 ? " uses" : " use") + " these sectors too: " +
                             percent(A.companions->sectorEfficiency) + " of their bytes together");
    mean(amount(A.mean.lines, "line") + " and " + amount(A.mean.sectors, "sector"));
  }

  std::string efficiency(uint64_t Count, unsigned Bytes) const {
    const double Fraction = double(F.usedBytes) / double(Count * Bytes);
    return utostr(Count) + ": useful " + counted(F.usedBytes, "byte") + " / hauled " + utostr(Count) + " x " +
           utostr(Bytes) + " = " + percent(Fraction);
  }

  void ideal(unsigned Bytes, double Ideal, double Needed, StringRef Unit) {
    To.field("ideal", product() + " / " + utostr(Bytes) +
                          (A.activeLanes * A.width % Bytes ? ", rounded up, = " : " = ") +
                          counted(uint64_t(Ideal), Unit) +
                          (Needed < Ideal ? "; fewer do, since lanes share bytes" : ""));
  }

  void shared() {
    const bool Drawn = BanksPicture::fits(Options.width);
    To.line("");
    if (Drawn)
      BanksPicture::head(To);
    const size_t Shown = std::min(F.phases.size(), MostPhases);
    for (size_t I = 0; I < Shown; ++I) {
      const TouchedPhase &Phase = F.phases[I];
      if (F.phases.size() > 1)
        To.field("phase " + utostr(I + 1), "of " + utostr(F.phases.size()) + ": " + lanesNamed(Phase.lanes));
      BanksPicture Picture(To, Phase);
      if (Drawn)
        Picture.draw();
      Picture.conflict();
    }
    if (Shown < F.phases.size())
      To.field("", "... " + counted(F.phases.size() - Shown, "more phase") + " ...");

    std::string Sum;
    unsigned Wavefronts = 0, Ways = 0;
    for (const TouchedPhase &Phase : F.phases) {
      Sum += (Sum.empty() ? "" : " + ") + utostr(Phase.wavefronts);
      Wavefronts += Phase.wavefronts;
      Ways = std::max(Ways, Phase.wavefronts);
    }
    const bool SumShown = F.phases.size() > 1 && F.phases.size() <= MostPhases;
    To.line("");
    if (F.mergedPhases)
      To.field("merged", "neighbouring phases go together, since lanes in pairs read the same address");
    To.field("waves", (SumShown ? Sum + " = " : std::string()) + counted(Wavefronts, "wavefront"));
    ideal(Banks * BankBytes, A.worst.idealWavefronts, Wavefronts, "wavefront");
    To.field("ways", Ways < 2 ? "1: no bank has more than one word to give at a time"
                              : utostr(Ways) + ": the most different words of one bank at a time");
    mean(amount(A.mean.wavefronts, "wavefront"));
  }

  void local() {
    To.line("");
    addresses("word i of neighbouring threads lies side by side, so one index for all lanes is coalesced");
    To.field("sectors", number(A.worst.sectors) + " of 32 bytes; ideal: " + number(A.worst.idealSectors) +
                            "; " + percent(A.worst.sectorEfficiency) + " of their bytes are used");
    mean(amount(A.mean.sectors, "sector"));
  }

  void addresses(StringRef Why) {
    const size_t Count = F.addresses.size(), Shown = Count <= MostAddresses ? Count : MostAddresses - 1;
    for (size_t I = 0; I < Shown; ++I) {
      const std::string Start = "+" + std::to_string(F.addresses[I].offset);
      const bool Known = E.distancesKnown && Start.size() < LabelColumns;
      To.field(Known ? Start : "address", lanesNamed(F.addresses[I].lanes));
    }
    if (Shown < Count)
      To.field("", "... " + utostr(Count - Shown) + " more addresses ...");
    To.line("");
    To.field("distinct", counted(Count, "address") + ": " + Why.str());
  }

  void atomic() {
    unsigned Most = 0;
    for (const TouchedAddress &Each : F.addresses)
      Most = std::max(Most, unsigned(std::popcount(Each.lanes)));
    std::string Text =
        counted(F.addresses.size(), "address") + " for " + counted(A.activeLanes, "lane") + "; " +
        (Most == 1 ? "no two lanes share one" : "up to " + utostr(Most) + " lanes share one and take turns");
    if (A.atomic && A.atomic->lanesPerAddress > Most)
      Text += "; in another request up to " + utostr(A.atomic->lanesPerAddress);
    To.field("atomic", Text);
  }

  void mean(const std::string &Amount) { To.field("mean", Amount + " per request"); }
};

//===-- All of them ----------------------------------------------------------===//

std::string headline(const Access &A) {
  std::string Text = std::string(spelling(A.space)) + " " + spelling(A.operation);
  if (A.space == Space::Unknown)
    Text = std::string(spelling(A.operation)) + " in a memory space that is not known";
  if (A.mechanism != Mechanism::Plain)
    Text += std::string(" (") + spelling(A.mechanism) + ")";
  if (A.width)
    Text += ", " + counted(A.width, "byte") + " per lane";
  if (!A.base.empty())
    Text += std::string(A.operation == Operation::Load ? ", from '" : ", to '") + A.base + "'";
  return Text;
}

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

/// "512 requests, 4096 sectors (ideal 2048)"
std::string totalText(const Access &A) {
  std::string Text = counted(A.total->requests, "request");
  if (A.space == Space::Global || A.space == Space::Local)
    Text += ", " + counted(A.total->sectors, "sector") + " (ideal " + utostr(A.total->idealSectors) + ")";
  else if (A.space == Space::Shared)
    Text += ", " + counted(A.total->wavefronts, "wavefront");
  return Text;
}

/// The instance and what it comes to in all: the only things in which instances of one outcome differ.
std::string instanceText(const ExplainedAccess &E) {
  const Kernel &K = *E.kernel;
  std::string Text = K.signature + ": " + E.block;
  if (K.grid) {
    Text += ", grid ";
    const size_t Extents = (*K.grid)[2] > 1 ? 3 : (*K.grid)[1] > 1 ? 2 : 1;
    for (size_t I = 0; I < Extents; ++I)
      Text += (I ? "x" : "") + utostr((*K.grid)[I]);
  }
  for (const auto &[Name, Value] : K.arguments)
    Text += ", " + Name + " = " + std::to_string(Value);
  if (E.access->total)
    Text += "; in all " + totalText(*E.access);
  return Text;
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
      To.field("", (Elsewhere ? placeText(N.place, Options) + ": " : std::string()) + N.message);
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
