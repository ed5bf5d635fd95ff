//===-- AccessFacts.cpp - One access, in words ----------------------------------===//
#include "analyzer/report/AccessFacts.h"
#include "analyzer/report/ShownText.h"
#include "analyzer/report/Touched.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <algorithm>
#include <bit>
#include <cmath>

using namespace warplint;
using namespace warplint::result;
using namespace warplint::report;
using llvm::StringRef;
using llvm::utostr;

//===-- Words and numbers ----------------------------------------------------===//

namespace {

std::string unit(bool Single, StringRef One) {
  return " " + One.str() + (Single ? "" : One.ends_with("s") ? "es" : "s");
}

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

} // namespace

std::string report::counted(uint64_t Count, StringRef One) { return utostr(Count) + unit(Count == 1, One); }

std::string report::lanesText(uint32_t Mask) {
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

std::string report::lanesNamed(uint32_t Mask) {
  return (std::popcount(Mask) == 1 ? "lane " : "lanes ") + lanesText(Mask);
}

std::string report::placeText(const Place &P, StringRef RelativeTo) {
  return escaped(shownName(P.file, RelativeTo)) + ":" + utostr(P.line) + ":" + utostr(P.column);
}

//===-- The access and its result -----------------------------------------------===//

std::string report::headline(const Access &A) {
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

static std::string lanesOf(const ExplainedAccess &E) {
  const Access &A = *E.access;
  const std::string Text = A.activeLanes == 32
                               ? "all 32 active"
                               : utostr(A.activeLanes) + " of 32 active: " + lanesText(A.activeMask);
  return E.spacing.empty() ? Text : Text + "; " + E.spacing;
}

std::vector<Fact> report::addressFacts(const ExplainedAccess &E, StringRef RelativeTo) {
  const Access &A = *E.access;
  std::vector<Fact> Facts;
  std::string Text = A.base.empty() ? "base" : A.base;
  if (!A.offset.empty() && A.offset != "0")
    Text += " + " + summand(A.offset);
  if (!A.offset.empty())
    Facts.push_back({"address", Text + (A.offset == "0" ? "" : " (bytes)")});
  if (A.calledFrom.valid())
    Facts.push_back({"called", "from " + placeText(A.calledFrom, RelativeTo)});
  if (A.confidence == Confidence::Unknown || E.footprint.addresses.empty())
    return Facts;
  Facts.push_back({"lanes", lanesOf(E)});
  if (!A.worstIteration.empty())
    Facts.push_back({"worst", "of several different requests this is the worst: at " + A.worstIteration});
  if (A.faultOffset)
    Facts.push_back({"fault", "a lane's offset of " + std::to_string(*A.faultOffset) +
                                  " bytes is not a multiple of the access's size: this fails at run time"});
  return Facts;
}

std::vector<Fact> report::resultFacts(const ExplainedAccess &E) {
  const Access &A = *E.access;
  std::string Text = spelling(A.confidence);
  if (A.confidence == Confidence::Unknown)
    Text += ": " + (A.reason.empty() ? "no reason is known" : A.reason);
  const char *Lead = A.confidence == Confidence::Assumed ? ": " : ", with ";
  if (A.confidence != Confidence::Unknown)
    for (const std::string &Assumption : A.assumptions) {
      Text += Lead + Assumption;
      Lead = "; ";
    }
  std::vector<Fact> Facts = {{"result", Text}};
  if (A.removed)
    Facts.push_back(
        {"removed", "the compiler removes this access: nothing uses it, or a neighbour moves its bytes"});
  return Facts;
}

//===-- From the picture to the counts ------------------------------------------===//

namespace {

class CostFacts {
  const Access &A;
  const Footprint &F;
  std::vector<Fact> Facts;

public:
  explicit CostFacts(const ExplainedAccess &E) : A(*E.access), F(E.footprint) {}

  std::vector<Fact> list() {
    if (A.confidence == Confidence::Unknown || F.addresses.empty())
      return {};
    switch (A.space) {
    case Space::Global:
      global();
      break;
    case Space::Shared:
      shared();
      break;
    case Space::Constant:
      distinct("each is a request of its own");
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
    return std::move(Facts);
  }

private:
  void add(const char *Label, std::string Text) { Facts.push_back({Label, std::move(Text)}); }

  std::string product() const { return counted(A.activeLanes, "lane") + " x " + counted(A.width, "byte"); }

  void global() {
    const uint64_t Sectors = F.sectors.size();
    add("lines", efficiency(linesOf(F).size(), LineBytes));
    add("sectors", efficiency(Sectors, SectorBytes));
    ideal(SectorBytes, A.worst.idealSectors, double(Sectors), "sector");
    if (A.companions && A.companions->accesses)
      add("beside",
          counted(A.companions->accesses, A.companions->sameRegion ? "other access" : "other iteration") +
              (A.companions->accesses == 1 ? " uses" : " use") +
              " these sectors too: " + percent(A.companions->sectorEfficiency) + " of their bytes together");
    mean(amount(A.mean.lines, "line") + " and " + amount(A.mean.sectors, "sector"));
  }

  std::string efficiency(uint64_t Count, unsigned Bytes) const {
    const double Fraction = double(F.usedBytes) / double(Count * Bytes);
    return utostr(Count) + ": useful " + counted(F.usedBytes, "byte") + " / hauled " + utostr(Count) + " x " +
           utostr(Bytes) + " = " + percent(Fraction);
  }

  void ideal(unsigned Bytes, double Ideal, double Needed, StringRef Unit) {
    add("ideal",
        product() + " / " + utostr(Bytes) + (A.activeLanes * A.width % Bytes ? ", rounded up, = " : " = ") +
            counted(uint64_t(Ideal), Unit) + (Needed < Ideal ? "; fewer do, since lanes share bytes" : ""));
  }

  void shared() {
    std::string Sum;
    unsigned Wavefronts = 0, Ways = 0;
    for (const TouchedPhase &Phase : F.phases) {
      Sum += (Sum.empty() ? "" : " + ") + utostr(Phase.wavefronts);
      Wavefronts += Phase.wavefronts;
      Ways = std::max(Ways, Phase.wavefronts);
    }
    const bool SumShown = F.phases.size() > 1 && F.phases.size() <= MostPhases;
    if (F.mergedPhases)
      add("merged", "neighbouring phases go together, since lanes in pairs read the same address");
    add("waves", (SumShown ? Sum + " = " : std::string()) + counted(Wavefronts, "wavefront"));
    ideal(Banks * BankBytes, A.worst.idealWavefronts, Wavefronts, "wavefront");
    add("ways", Ways < 2 ? "1: no bank has more than one word to give at a time"
                         : utostr(Ways) + ": the most different words of one bank at a time");
    mean(amount(A.mean.wavefronts, "wavefront"));
  }

  void local() {
    distinct("word i of neighbouring threads lies side by side, so one index for all lanes is coalesced");
    add("sectors", number(A.worst.sectors) + " of 32 bytes; ideal: " + number(A.worst.idealSectors) + "; " +
                       percent(A.worst.sectorEfficiency) + " of their bytes are used");
    mean(amount(A.mean.sectors, "sector"));
  }

  void distinct(StringRef Why) { add("distinct", counted(F.addresses.size(), "address") + ": " + Why.str()); }

  void atomic() {
    unsigned Most = 0;
    for (const TouchedAddress &Each : F.addresses)
      Most = std::max(Most, unsigned(std::popcount(Each.lanes)));
    std::string Text =
        counted(F.addresses.size(), "address") + " for " + counted(A.activeLanes, "lane") + "; " +
        (Most == 1 ? "no two lanes share one" : "up to " + utostr(Most) + " lanes share one and take turns");
    if (A.atomic && A.atomic->lanesPerAddress > Most)
      Text += "; in another request up to " + utostr(A.atomic->lanesPerAddress);
    add("atomic", Text);
  }

  void mean(const std::string &Amount) { add("mean", Amount + " per request"); }
};

} // namespace

std::vector<Fact> report::costFacts(const ExplainedAccess &E) { return CostFacts(E).list(); }

std::string report::conflictText(const TouchedPhase &Phase) {
  if (Phase.wavefronts < 2)
    return "";
  const WordsOfBanks Of = wordsOf(Phase);
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
  return "bank " + utostr(Bank) + " has " + counted(Words.size(), "different word") + " to give" +
         (Even ? ", " + utostr(uint64_t(Step)) + " words apart," : "") + " to " + lanesNamed(Lanes) +
         (Others ? (Others == 1 ? "; so has " : "; so have ") + counted(Others, "other bank")
                 : std::string());
}

//===-- The instance ------------------------------------------------------------===//

/// "512 requests, 4096 sectors (ideal 2048)"
static std::string totalText(const Access &A) {
  std::string Text = counted(A.total->requests, "request");
  if (A.space == Space::Global || A.space == Space::Local)
    Text += ", " + counted(A.total->sectors, "sector") + " (ideal " + utostr(A.total->idealSectors) + ")";
  else if (A.space == Space::Shared)
    Text += ", " + counted(A.total->wavefronts, "wavefront");
  return Text;
}

std::string report::instanceText(const ExplainedAccess &E) {
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
