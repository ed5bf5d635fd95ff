#include "rules/Wording.h"
#include "rules/Geometry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>

namespace warplint::rules {

using namespace result;
using llvm::formatv;

/// From this share of used bytes on, the companions of an access are taken to use the lines.
static constexpr double MostOfTheLines = 0.75;

std::string number(double Value) {
  const double Rounded = std::round(Value * 10) / 10;
  if (Rounded == std::round(Rounded))
    return std::to_string(int64_t(Rounded));
  return formatv("{0:f1}", Rounded).str();
}

std::string count(double Number, llvm::StringRef Unit) {
  return number(Number) + " " + Unit.str() + (Number == 1 ? "" : "s");
}

std::string percent(double Fraction) { return std::to_string(int64_t(std::round(Fraction * 100))) + " %"; }

std::string nWay(double Ways) {
  const std::string Text = number(Ways);
  // "an eight", "an eleven", "an eighteen"; the other numbers up to 32 take "a".
  const bool An = Text == "8" || Text == "11" || Text == "18";
  return (An ? "an " : "a ") + Text + "-way";
}

std::string what(const Access &A) { return std::string(spelling(A.space)) + " " + spelling(A.operation); }

static bool companionsHelp(const Access &A) {
  return A.companions && A.companions->sameRegion && A.companions->accesses != 0 &&
         A.companions->sectorEfficiency > A.worst.sectorEfficiency + 0.005;
}

std::string globalCost(const Access &A) {
  std::string Text = formatv("{0} and {1} where {2} would do", count(A.worst.lines, "transaction"),
                             count(A.worst.sectors, "sector"), count(A.worst.idealSectors, "sector"));
  if (companionsHelp(A))
    Text += formatv(" ({0} of the bytes used; {1} together with {2} to the same lines)",
                    percent(A.worst.sectorEfficiency), percent(A.companions->sectorEfficiency),
                    A.companions->accesses == 1 ? std::string("the other access")
                                                : std::to_string(A.companions->accesses) + " other accesses");
  return Text;
}

std::string conflictCost(const Access &A) {
  // The whole-warp ideal does not see merged phases: never claim an ideal that the conflict already meets.
  const double Ideal = A.worst.idealWavefronts < A.worst.wavefronts
                           ? A.worst.idealWavefronts
                           : std::max(1.0, std::ceil(A.worst.wavefronts / A.worst.conflictWays));
  return formatv("{0} bank conflict: {1} where {2} would do", nWay(A.worst.conflictWays),
                 count(A.worst.wavefronts, "wavefront"), number(Ideal));
}

std::string block(const Kernel &K) {
  std::string Text = "block " + std::to_string(K.block[0]);
  if (K.block[1] > 1 || K.block[2] > 1)
    Text += "x" + std::to_string(K.block[1]);
  if (K.block[2] > 1)
    Text += "x" + std::to_string(K.block[2]);
  if (K.blockNote.empty())
    return K.blockOrigin == BlockOrigin::Assumed ? Text + ", assumed" : Text;
  const llvm::StringRef Note = K.blockNote;
  if (K.blockOrigin == BlockOrigin::Assumed)
    return Text + ", " + (Note.starts_with("assumed") ? "" : "assumed: ") + K.blockNote;
  return Text + " from " + (Note.starts_with("launch") ? "the " : "") + K.blockNote;
}

std::string stride(const Access &A) {
  if (A.strideIsSymbolic && !A.laneStrideText.empty())
    return A.laneStrideText + " elements";
  if (!A.laneStride || A.width == 0)
    return "";
  const int64_t Bytes = std::abs(*A.laneStride);
  return Bytes % A.width == 0 ? count(Bytes / A.width, "element") : count(Bytes, "byte");
}

/// "128*t", "4*n*t": what lane t adds to the base, or "" when it is not one product.
static std::string perLaneText(const Access &A) {
  if (A.strideIsSymbolic && !A.laneStrideText.empty()) {
    const bool Plain = llvm::all_of(
        A.laneStrideText, [](char C) { return llvm::isAlnum(C) || C == '_' || C == '.' || C == '*'; });
    std::string Factor = Plain ? A.laneStrideText : "(" + A.laneStrideText + ")";
    return (A.width == 1 ? "" : std::to_string(A.width) + "*") + Factor + "*t";
  }
  const Pattern P = patternOf(A);
  if (!P.perLane || isOfSample(A, *P.perLane))
    return "";
  return (*P.perLane == 1 ? "" : std::to_string(*P.perLane) + "*") + std::string("t");
}

/// What one lane does; what several do has no "s".
static llvm::StringRef verb(Operation O) {
  switch (O) {
  case Operation::Load:
    return "reads";
  case Operation::Store:
    return "writes";
  case Operation::Atomic:
    return "updates";
  }
  return "touches";
}

/// " + 4*i" behind a base; nothing for the base itself.
static std::string behindBase(const std::string &Offset) {
  return Offset.empty() || Offset == "0" ? "" : " + " + Offset;
}

std::string lanes(const Kernel &K, const Access &A) {
  const std::string Base = A.base.empty() ? "base" : A.base;
  std::string Text;
  if (A.activeLanes > 1 && patternOf(A).perLane == 0) {
    Text = formatv("all lanes {0} {1}{2}", verb(A.operation).drop_back(), Base, behindBase(A.offset));
  } else if (const std::string PerLane = perLaneText(A); !PerLane.empty()) {
    Text = formatv("lane t {0} {1} + {2}", verb(A.operation), Base, PerLane);
    if (terms(A.offset).size() > 1)
      Text += " + ...";
  } else if (!A.offset.empty()) {
    Text = formatv("each thread {0} {1} + {2}", verb(A.operation), Base, A.offset);
  } else {
    Text = formatv("the lanes {0} {1} at separate places", verb(A.operation).drop_back(), Base);
  }
  Text += " (" + block(K) + ")";
  if (!A.worstIteration.empty())
    Text += ", worst at " + A.worstIteration;
  const auto [Mean, Worst, Unit] =
      A.space == Space::Global || A.space == Space::Local
          ? std::tuple(A.mean.sectors, A.worst.sectors, "sectors")
      : A.space == Space::Constant
          ? std::tuple(A.mean.distinctAddresses, A.worst.distinctAddresses, "addresses")
          : std::tuple(A.mean.wavefronts, A.worst.wavefronts, "wavefronts");
  if (Mean > 0 && Mean < 0.9 * Worst)
    Text += ", " + number(Mean) + " " + Unit + " on average";
  if (A.confidence == Confidence::Assumed) {
    constexpr size_t Most = 3; // the report has them all
    size_t Shown = 0;
    for (const std::string &Assumption : A.assumptions) {
      if (llvm::StringRef(Assumption).starts_with("block ") && K.blockOrigin == BlockOrigin::Assumed)
        continue; // said above
      if (Shown++ < Most)
        Text += (Shown == 1 ? "; assumed: " : ", ") + Assumption;
    }
    if (Shown > Most)
      Text += ", ...";
  }
  return Text;
}

static Impact lower(Impact I) { return I == Impact::High ? Impact::Medium : Impact::Low; }

Impact impactOfShare(double Share, const Values &Set) {
  return Share <= double(Set["HighImpactPercent"]) / 100     ? Impact::High
         : Share <= double(Set["MediumImpactPercent"]) / 100 ? Impact::Medium
                                                             : Impact::Low;
}

Impact globalImpact(const Access &A, const Values &Set) {
  // Forced paths are ones that the launch's facts make unlikely: worth a remark, not a warning.
  if (A.forced)
    return Impact::Low;
  // A halo column or a handful of leaders: a few sectors too many, whatever their share.
  constexpr unsigned Handful = 4;
  if (A.activeLanes <= Handful && A.maxActiveLanes <= Handful && A.blockSize >= 32)
    return Impact::Low;
  // Lanes that share elements need fewer bytes than the ideal counts: what is lost is lost against the ideal.
  const double Used = std::max(A.worst.sectorEfficiency, A.worst.idealSectors / A.worst.sectors);
  const Impact I = impactOfShare(Used, Set);
  return companionsHelp(A) && A.companions->sectorEfficiency >= MostOfTheLines ? lower(I) : I;
}

Impact conflictImpact(const Access &A, const Values &Set) {
  if (A.forced)
    return Impact::Low;
  return A.worst.conflictWays >= double(Set["HighImpactWays"])     ? Impact::High
         : A.worst.conflictWays >= double(Set["MediumImpactWays"]) ? Impact::Medium
                                                                   : Impact::Low;
}

Severity severityOf(Impact I) { return I == Impact::Low ? Severity::Note : Severity::Warning; }

/// Excess sectors, wavefronts or constant requests times executions; one execution where the launch is not
/// known.
static double excessOf(const Access &A) {
  if (A.space == Space::Constant)
    return A.total ? std::max(0.0, A.mean.distinctAddresses - 1) * double(A.total->requests)
                   : std::max(0.0, A.worst.distinctAddresses - 1) * double(A.iterations.value_or(1));
  const bool Global = A.space == Space::Global || A.space == Space::Local;
  if (A.total) {
    const double Moved = Global ? double(A.total->sectors) : double(A.total->wavefronts);
    const double Ideal =
        Global ? double(A.total->idealSectors) : double(A.total->requests) * A.mean.idealWavefronts;
    return std::max(0.0, Moved - Ideal);
  }
  const double Excess =
      Global ? A.worst.sectors - A.worst.idealSectors : A.worst.wavefronts - A.worst.idealWavefronts;
  return std::max(0.0, Excess) * double(A.iterations.value_or(1));
}

Finding finding(const char *Rule, const Kernel &K, const Access &A, Impact I, std::string Message) {
  Finding F;
  F.rule = Rule;
  F.impact = I;
  F.severity = severityOf(I);
  F.message = std::move(Message);
  F.place = A.place;
  F.macros = A.macros;
  F.kernel = K.signature;
  F.confidence = A.confidence;
  F.expression = A.expression;
  F.space = A.space;
  F.cost = A.worst;
  F.excess = excessOf(A);
  F.notes.push_back({lanes(K, A), A.place});
  if (A.calledFrom.valid())
    F.notes.push_back({"called from here", A.calledFrom});
  return F;
}

void remedy(Finding &F, std::string Message) { F.notes.push_back({std::move(Message), F.place}); }

void noteReuse(Finding &F, const Access &A) {
  if (!A.companions || A.companions->sameRegion || A.companions->sectorEfficiency < MostOfTheLines)
    return;
  F.notes.push_back(
      {formatv("over its iterations the loop uses {0} of these sectors, which helps as far as the L1 "
               "cache keeps them for the whole warp",
               percent(A.companions->sectorEfficiency)),
       F.place});
}

} // namespace warplint::rules
