//===-- HtmlPicture.cpp - Pictures of accesses and kernels as SVG -------------------===//
//
// One path for each colour of a picture: reports hold hundreds of them.
//
//===----------------------------------------------------------------------===//
#include "analyzer/report/HtmlPicture.h"
#include "analyzer/report/AccessFacts.h"
#include "analyzer/report/HtmlText.h"
#include "analyzer/report/KernelWords.h"
#include "analyzer/report/Touched.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

using namespace warplint;
using namespace warplint::report;
using namespace warplint::result;
using llvm::StringRef;
using llvm::utostr;

namespace {

//===-- Shapes ---------------------------------------------------------------===//

/// "12.5", "3": hundredths are finer than any screen.
std::string coordinate(double Value) {
  std::string Text;
  llvm::raw_string_ostream(Text) << llvm::format("%.2f", Value);
  Text = StringRef(Text).rtrim('0').rtrim('.').str();
  return Text == "-0" ? "0" : Text;
}

std::string attribute(StringRef Name, double Value) {
  return " " + Name.str() + "=\"" + coordinate(Value) + "\"";
}

/// Lines and boxes of one colour.
class Shapes {
  std::string Data;

public:
  void move(double X, double Y) { Data += "M" + coordinate(X) + " " + coordinate(Y); }
  void right(double By) { Data += "h" + coordinate(By); }
  void down(double By) { Data += "v" + coordinate(By); }
  void to(double X, double Y) { Data += "L" + coordinate(X) + " " + coordinate(Y); }
  void box(double X, double Y, double Width, double Height) {
    move(X, Y);
    right(Width);
    down(Height);
    right(-Width);
    Data += "z";
  }
  std::string path(StringRef Class) const {
    return Data.empty() ? "" : "<path class=\"" + Class.str() + "\" d=\"" + Data + "\"/>";
  }
};

std::string textAt(StringRef Class, double X, double Y, StringRef Text) {
  return "<text class=\"" + Class.str() + "\"" + attribute("x", X) + attribute("y", Y) + ">" +
         htmlWords(Text) + "</text>";
}

constexpr double Width = 640;

std::string picture(StringRef Class, double Height, StringRef Name, StringRef Content) {
  return ("<svg class=\"" + Class + "\" viewBox=\"0 0 " + coordinate(Width) + " " + coordinate(Height) +
          "\" role=\"img\" aria-label=\"" + htmlWords(Name) + "\">" + Content + "</svg>\n")
      .str();
}

//===-- Global memory --------------------------------------------------------===//

/// Lines as boxes of four sectors, few of them at full width with the lanes' numbers, many side by side.
class LinesDrawing {
  const std::vector<TouchedLine> Lines;
  const bool Distances;
  const size_t Columns, Rows;
  const double Label, ColumnWidth = Width / double(Columns), Byte, RowHeight, BoxHeight = RowHeight - 4;
  Shapes Frame, Moved, Used, Several;
  std::string Texts;

public:
  LinesDrawing(const Footprint &F, bool Known)
      : Lines(linesOf(F)), Distances(Known), Columns(Lines.size() <= 8    ? 1
                                                     : Lines.size() <= 16 ? 2
                                                                          : 4),
        Rows((Lines.size() + Columns - 1) / Columns), Label(Columns == 1 ? 56 : 54),
        Byte((ColumnWidth - Label - 6) / LineBytes), RowHeight(Columns == 1 ? 24 : 16) {}

  std::string draw() {
    for (size_t I = 0; I < Lines.size(); ++I)
      line(I, double(I / Rows) * ColumnWidth, double(I % Rows) * RowHeight + 2);
    const std::string Name = counted(Lines.size(), "128-byte line") + " that the request touches";
    return picture("lines", double(Rows) * RowHeight + 2, Name,
                   Moved.path("w") + Used.path("u") + Several.path("s") + Frame.path("o") + Texts);
  }

private:
  void line(size_t I, double X, double Y) {
    const std::string Start = "+" + std::to_string(Lines[I].Number * int64_t(LineBytes));
    Texts += textAt("l", X + Label - 4, Y + BoxHeight / 2 + 4,
                    Distances && Start.size() <= 8 ? Start : "line " + utostr(I + 1));
    X += Label;
    Frame.box(X, Y, LineBytes * Byte, BoxHeight);
    for (unsigned S = 0; S < SectorsOfLine; ++S) {
      const double Left = X + S * SectorBytes * Byte;
      if (S) {
        Frame.move(Left, Y);
        Frame.down(BoxHeight);
      }
      if (Lines[I].Sectors[S]) {
        Moved.box(Left, Y, SectorBytes * Byte, BoxHeight);
        owners(*Lines[I].Sectors[S], Left, Y);
      }
    }
  }

  /// Bytes side by side that the same lane touches are one box.
  void owners(const TouchedSector &S, double X, double Y) {
    for (unsigned From = 0; From < SectorBytes;) {
      const uint8_t Owner = S.owner[From];
      unsigned To = From + 1;
      while (To < SectorBytes && S.owner[To] == Owner)
        ++To;
      if (Owner != TouchedSector::Nobody)
        owned(Owner, X + From * Byte, Y, (To - From) * Byte);
      From = To;
    }
  }

  void owned(uint8_t Owner, double X, double Y, double Extent) {
    const double Gap = Extent > 4 ? 1 : 0; // neighbours are to be told apart
    const bool Shared = Owner == TouchedSector::Several;
    (Shared ? Several : Used).box(X, Y, Extent - Gap, BoxHeight);
    constexpr double Digits = 13; // width of two
    if (Extent >= Digits)
      Texts += textAt("n", X + (Extent - Gap) / 2, Y + BoxHeight / 2 + 3.5, Shared ? "*" : utostr(Owner));
  }
};

//===-- Shared memory --------------------------------------------------------===//

/// A column for each bank, a row for each turn in which every bank gives one word.
class BanksDrawing {
  static constexpr double Label = 52, Cell = (Width - Label) / Banks;
  double Y = 14; ///< below the banks' numbers
  Shapes Frame, First, More;
  std::string Texts;

public:
  std::string draw(const Footprint &F) {
    Texts += textAt("l", Label - 4, 10, "bank");
    for (unsigned Bank = 0; Bank < Banks; ++Bank)
      Texts += textAt("c", Label + (Bank + 0.5) * Cell, 10, utostr(Bank));
    const size_t Shown = std::min(F.phases.size(), MostPhases);
    for (size_t I = 0; I < Shown; ++I)
      phase(F.phases[I], F.phases.size() > 1 ? "phase " + utostr(I + 1) : "");
    std::string Name = "turns in which the banks give their words";
    if (Shown < F.phases.size())
      Name += ", of the first " + utostr(Shown) + " phases";
    return picture("banks", Y, Name, First.path("u") + More.path("w") + Frame.path("o") + Texts);
  }

private:
  void phase(const TouchedPhase &Phase, StringRef Name) {
    if (!Name.empty()) {
      Texts += textAt("p", Label, Y + 10, (Name + ": " + lanesNamed(Phase.lanes)).str());
      Y += 14;
    }
    const WordsOfBanks Of = wordsOf(Phase);
    const bool Tall = Phase.wavefronts <= 8;
    const double Height = Tall ? 17 : 8;
    for (unsigned Turn = 0; Turn < Phase.wavefronts; ++Turn, Y += Height) {
      if (Tall || Turn % 8 == 0 || Turn + 1 == Phase.wavefronts)
        Texts += textAt("l", Label - 4, Y + Height / 2 + 4, "turn " + utostr(Turn + 1));
      Frame.box(Label, Y, Banks * Cell, Height - 1);
      for (unsigned Bank = 0; Bank < Banks; ++Bank)
        if (Turn < Of[Bank].size())
          word(*Of[Bank][Turn], Turn, Label + Bank * Cell, Height, Tall);
    }
    Y += 4;
  }

  void word(const TouchedWord &W, unsigned Turn, double X, double Height, bool Tall) {
    (Turn ? More : First).box(X + 0.5, Y + 0.5, Cell - 1, Height - 2);
    if (Tall)
      Texts += textAt(Turn ? "n d" : "n", X + Cell / 2, Y + Height / 2 + 3,
                      std::popcount(W.lanes) == 1 ? utostr(unsigned(std::countr_zero(W.lanes))) : "*");
  }
};

//===-- Kernels under the roof -------------------------------------------------===//

/// Positions on two axes, each in powers of ten.
class RooflineDrawing {
  static constexpr double Left = 96, Right = Width - 24, Top = 14, Bottom = 270, Height = 306;
  const std::vector<RooflinePoint> &Points;
  const std::vector<Roof> &Roofs;
  double LowX, HighX, LowY, HighY; ///< powers of ten

  static double floorOf(double Value) { return std::floor(std::log10(Value) - 0.15); }
  static double ceilOf(double Value) { return std::ceil(std::log10(Value) + 0.15); }
  double x(double Intensity) const {
    return Left + (std::log10(Intensity) - LowX) / (HighX - LowX) * (Right - Left);
  }
  double y(double Flops) const {
    return Bottom - (std::log10(Flops) - LowY) / (HighY - LowY) * (Bottom - Top);
  }

public:
  RooflineDrawing(const std::vector<RooflinePoint> &ThePoints, const std::vector<Roof> &TheRoofs)
      : Points(ThePoints), Roofs(TheRoofs) {
    double LeastX = HUGE_VAL, MostX = 0, LeastY = HUGE_VAL, MostY = 0;
    for (const RooflinePoint &P : Points) {
      LeastX = std::min(LeastX, P.intensity);
      MostX = std::max(MostX, P.intensity);
      LeastY = std::min(LeastY, P.flopsPerSecond);
    }
    for (const Roof &R : Roofs) {
      LeastX = std::min(LeastX, R.flopsPerSecond / R.bytesPerSecond);
      MostX = std::max(MostX, R.flopsPerSecond / R.bytesPerSecond);
      MostY = std::max(MostY, R.flopsPerSecond);
    }
    LowX = floorOf(LeastX), HighX = ceilOf(MostX), LowY = floorOf(LeastY), HighY = ceilOf(MostY);
  }

  std::string draw() const {
    std::string Content = grid();
    Shapes Lines;
    for (const Roof &R : Roofs)
      Content += roof(R, Lines);
    return picture("roofline", Height, "attainable FLOP/s over FLOP/byte",
                   Content + Lines.path("roof") + points());
  }

private:
  std::string grid() const {
    Shapes Lines;
    std::string Texts;
    for (double Power = LowX; Power <= HighX; ++Power) {
      Lines.move(x(std::pow(10, Power)), Top);
      Lines.down(Bottom - Top);
      Texts += textAt("c", x(std::pow(10, Power)), Bottom + 14, ratio(std::pow(10, Power)));
    }
    for (double Power = LowY; Power <= HighY; ++Power) {
      Lines.move(Left, y(std::pow(10, Power)));
      Lines.right(Right - Left);
      Texts += textAt("l", Left - 6, y(std::pow(10, Power)) + 4, rate(std::pow(10, Power)));
    }
    return Lines.path("o") + Texts +
           textAt("c", (Left + Right) / 2, Bottom + 30, "FLOP per byte of global memory");
  }

  std::string roof(const Roof &R, Shapes &Lines) const {
    const double Corner = R.flopsPerSecond / R.bytesPerSecond;
    const double Start = std::max(std::pow(10, LowX), std::pow(10, LowY) / R.bytesPerSecond);
    Lines.move(x(Start), y(Start * R.bytesPerSecond));
    Lines.to(x(Corner), y(R.flopsPerSecond));
    Lines.to(Right, y(R.flopsPerSecond));
    return textAt("p", std::min(x(Corner), Right - 190), y(R.flopsPerSecond) - 5,
                  rate(R.flopsPerSecond) + " from " + ratio(Corner) + " FLOP/byte on");
  }

  /// Kernels at one spot share a mark.
  std::string points() const {
    std::map<std::pair<long, long>, std::vector<const RooflinePoint *>> At;
    for (const RooflinePoint &P : Points)
      At[{std::lround(x(P.intensity) / 6), std::lround(y(P.flopsPerSecond) / 6)}].push_back(&P);
    std::string Marks;
    double LastLabel = -100, Lift = 0;
    for (const auto &[Spot, Here] : At) {
      const double X = x(Here.front()->intensity), Y = y(Here.front()->flopsPerSecond);
      Lift = X - LastLabel < 40 && Lift < 36 ? Lift + 12 : 0; // labels side by side are to be read
      LastLabel = X;
      Marks += mark(Here, X, Y) + textAt("c b", X, Y + 18 + Lift, numbers(Here));
    }
    return Marks;
  }

  static std::string mark(const std::vector<const RooflinePoint *> &Here, double X, double Y) {
    std::string Names;
    for (size_t I = 0; I < std::min<size_t>(Here.size(), 12); ++I)
      Names += (I ? ", " : "") + Here[I]->number + " " + Here[I]->name;
    const bool Memory = Here.front()->memoryBound;
    Shapes Square;
    Square.box(X - 5, Y - 5, 10, 10);
    std::string Shape =
        Memory ? Square.path("w m")
               : "<circle class=\"u m\" r=\"5.5\"" + attribute("cx", X) + attribute("cy", Y) + "/>";
    return "<g><title>" + htmlWords(Names) + "</title>" + Shape + "</g>";
  }

  static std::string numbers(const std::vector<const RooflinePoint *> &Here) {
    constexpr size_t Most = 3;
    std::string Text;
    for (size_t I = 0; I < std::min(Here.size(), Most); ++I)
      Text += (I ? ", " : "") + Here[I]->number;
    return Here.size() > Most ? Text + " +" + utostr(Here.size() - Most) : Text;
  }
};

} // namespace

std::string warplint::report::pictureOf(const ExplainedAccess &E) {
  if (!E.footprint.sectors.empty())
    return LinesDrawing(E.footprint, E.distancesKnown).draw();
  return E.footprint.phases.empty() ? "" : BanksDrawing().draw(E.footprint);
}

std::string warplint::report::barOf(double Share) {
  constexpr double Length = 48, Thickness = 8;
  const double Full = std::clamp(Share, 0.0, 1.0) * Length;
  Shapes Good, Rest;
  Good.box(0, 0, Full, Thickness);
  Rest.box(Full, 0, Length - Full, Thickness);
  return "<svg class=\"bar\" viewBox=\"0 0 48 8\" aria-hidden=\"true\">" + Rest.path("w") + Good.path("u") +
         "</svg>";
}

std::string warplint::report::rooflineOf(const std::vector<RooflinePoint> &Points,
                                         const std::vector<Roof> &Roofs) {
  return Points.empty() || Roofs.empty() ? "" : RooflineDrawing(Points, Roofs).draw();
}
