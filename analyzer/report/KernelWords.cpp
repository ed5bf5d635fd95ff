//===-- KernelWords.cpp - What is known of kernels, in words -------------------===//
#include "analyzer/report/KernelWords.h"
#include "analyzer/report/ShownText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace warplint;
using namespace warplint::result;
using llvm::formatv;
using llvm::StringRef;

namespace warplint::report {

//===-- Numbers --------------------------------------------------------------===//

std::string number(double Value) {
  const double Rounded = std::round(Value * 10) / 10;
  if (!std::isfinite(Value) || std::abs(Value) >= 1e15)
    return formatv("{0}", llvm::format("%.3g", Value)).str();
  if (Rounded != std::round(Rounded))
    return formatv("{0:n}.{1}", int64_t(Rounded), int64_t(std::round(std::abs(Rounded) * 10)) % 10).str();
  return formatv("{0:n}", int64_t(Rounded)).str();
}

std::string percent(double Share) { return number(std::round(Share * 1000) / 10) + " %"; }

std::string ratio(double Value) { return formatv("{0}", llvm::format("%.3g", Value)).str(); }

std::string amount(const ShownWork::Shown &Of) {
  if (!Of)
    return "";
  const std::optional<double> Number = Of->number();
  return Number ? number(*Number) : words(text(*Of));
}

/// "1.5 us".
static std::string seconds(double Value) {
  static constexpr std::pair<double, const char *> Units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
  for (const auto &[Unit, Name] : Units)
    if (Value >= Unit)
      return ratio(Value / Unit) + " " + Name;
  return ratio(Value / 1e-9) + " ns";
}

std::string rate(double FlopsPerSecond) {
  return FlopsPerSecond < 1e12 ? ratio(FlopsPerSecond / 1e9) + " GFLOP/s"
                               : ratio(FlopsPerSecond / 1e12) + " TFLOP/s";
}

std::string extents(llvm::ArrayRef<uint64_t> Extents) {
  size_t Last = Extents.size();
  while (Last > 1 && Extents[Last - 1] == 1)
    --Last;
  return llvm::join(llvm::map_range(Extents.take_front(Last), [](uint64_t E) { return std::to_string(E); }),
                    "x");
}

std::string blockOf(const Kernel &K) {
  return extents(std::array<uint64_t, 3>{K.block[0], K.block[1], K.block[2]});
}

std::string shortName(const Kernel &K) {
  int Depth = 0;
  size_t End = 0;
  for (; End < K.signature.size(); ++End) {
    const char C = K.signature[End];
    if (C == '(' && Depth == 0)
      break;
    Depth += C == '<' ? 1 : C == '>' ? -1 : 0;
  }
  return words(End ? K.signature.substr(0, End) : K.name);
}

std::string list(const std::vector<std::string> &Texts, StringRef LastSeparator) {
  std::string All;
  for (size_t I = 0; I != Texts.size(); ++I)
    All += (I == 0 ? "" : I + 1 == Texts.size() ? LastSeparator.str() : ", ") + words(Texts[I]);
  return All;
}

//===-- Accesses -------------------------------------------------------------===//

std::optional<double> launchExcess(const Access &A) {
  if (!A.total)
    return std::nullopt;
  if (A.space == Space::Shared)
    return std::max(0.0, double(A.total->wavefronts) - double(A.total->requests) * A.mean.idealWavefronts);
  if (A.space == Space::Global || A.space == Space::Local)
    return std::max(0.0, double(A.total->sectors) - double(A.total->idealSectors));
  return std::nullopt;
}

double waste(const Access &A) {
  if (A.confidence == Confidence::Unknown)
    return -1;
  if (const auto Excess = launchExcess(A))
    return *Excess;
  const double Each = A.space == Space::Shared     ? A.worst.wavefronts - A.worst.idealWavefronts
                      : A.space == Space::Constant ? A.worst.distinctAddresses - 1
                                                   : A.worst.sectors - A.worst.idealSectors;
  return std::max(0.0, Each) * double(A.iterations.value_or(1));
}

std::string perWarp(const Access &A) {
  if (A.iterations)
    return number(double(*A.iterations));
  return A.loop < 0 ? "1" : "";
}

//===-- Sentences ------------------------------------------------------------===//

std::string occupancyCell(const Occupancy &O) {
  if (O.leastBlocksPerSm)
    return number(std::round(O.leastFraction * 100)) + "-" + percent(O.fraction);
  return (O.atMost ? "<= " : "") + percent(O.fraction);
}

std::string etaCell(const Eta &E) {
  if (E.total)
    return percent(*E.total);
  return E.coalesce || E.cache ? "<= " + percent(E.atMost) : "";
}

std::string workSentence(const Kernel &K) {
  const ShownWork W(K.work);
  if (!W.flops)
    return "not known: " + words(K.work.incomplete);
  std::string Text = amount(W.flops) + " FLOP";
  for (const auto &[Of, Name] :
       {std::pair(&W.fp64, "double precision"), {&W.fp16, "half precision"}, {&W.tensor, "on tensor cores"}})
    if (*Of && !(*Of)->isZero()) {
      const std::string Part = amount(*Of);
      Text += " (" + (Part == amount(W.flops) ? "" : Part + " of them ") + Name + ")";
    }
  if (W.special && !W.special->isZero())
    Text +=
        formatv(", {0} special {1}", amount(W.special), W.special->number() == 1 ? "function" : "functions");
  Text += formatv(" and {0} bytes of global memory per thread", amount(W.requested));
  const std::optional<Roofline> &R = K.roofline;
  if (R && R->intensity) {
    Text += ": " + ratio(*R->intensity) + " FLOP/byte";
    if (R->intensityText != ratio(*R->intensity) && K.work.tileEdge)
      Text += formatv(" = {0}, {1} being {2}", words(R->intensityText),
                      K.work.tileName.empty() ? "T" : words(K.work.tileName), *K.work.tileEdge);
  } else if (R && !R->intensityText.empty()) {
    Text += ": " + words(R->intensityText) + " FLOP/byte";
  }
  if (!K.work.assumptions.empty())
    Text += "; assumed: " + list(K.work.assumptions, ", ");
  return Text;
}

std::string rooflineSentence(const Roofline &R) {
  std::string Text;
  if (R.boundBy.empty())
    Text = "no verdict: " + words(R.reason);
  else if (R.boundBy == "memory")
    Text = std::string("bound by memory") + (R.evenWhenCached ? ", even if each byte is fetched once" : "");
  else
    Text = "bound by arithmetic";
  if (R.crossoverTile && R.boundBy == "memory")
    Text += formatv(", by arithmetic from tiles of {0} x {0} on", *R.crossoverTile);
  if (R.machineBalance)
    Text += formatv("; {0} does {1} FLOP in the time of a byte", words(R.gpu), ratio(*R.machineBalance));
  if (R.attainableFlops && *R.attainableFlops > 0)
    Text += formatv("; at most {0} where nothing is cached", rate(*R.attainableFlops));
  if (R.secondsFloor)
    Text += "; a launch takes " + seconds(*R.secondsFloor) + " or more";
  return Text;
}

static std::string registersSentence(const Occupancy &O) {
  if (O.registers)
    return formatv("{0} registers per thread ({1})", *O.registers, O.registersOrigin);
  if (O.registerLimit)
    return formatv("at most {0} registers per thread ({1})", *O.registerLimit, O.registersOrigin);
  return "registers are not known";
}

std::string occupancySentence(const Occupancy &O) {
  if (O.blocksPerSm == 0)
    return formatv("none: no SM of {0} holds such a block, for its {1}", words(O.gpu),
                   list(O.limiters, " and "));
  std::string Text = formatv("{0}{1} of {2} warps on an SM of {3} ({4} {5}, {6}), limited by {7}; {8}",
                             O.atMost ? "at most " : "", O.warpsPerSm, O.maxWarps, words(O.gpu),
                             O.blocksPerSm, O.blocksPerSm == 1 ? "block" : "blocks", percent(O.fraction),
                             list(O.limiters, " and "), registersSentence(O));
  if (O.leastBlocksPerSm)
    Text += formatv(", which leave {0} at least", percent(O.leastFraction));
  if (O.sharedBytes)
    Text += formatv(", {0} bytes of shared memory per block", number(double(O.sharedBytes)));
  if (!O.assumptions.empty())
    Text += "; assumed: " + list(O.assumptions, ", ");
  return Text;
}

std::string etaSentence(const Kernel &K) {
  const Eta &E = *K.eta;
  const auto Factor = [](const std::optional<double> &Share) {
    return Share ? percent(*Share) : "not known";
  };
  std::string Occupied = Factor(E.occupancy);
  if (!E.occupancy && K.occupancy)
    Occupied = "at most " + percent(K.occupancy->fraction);
  return formatv("coalescing {0} x caches {1} x occupancy {2} = {3}{4}",
                 E.coalesce                    ? percent(*E.coalesce)
                 : K.work.unknownIndex.empty() ? std::string("not known")
                                               : "not known (" + words(K.work.unknownIndex) + ")",
                 Factor(E.cache), Occupied, E.total ? "" : "at most ", percent(E.total.value_or(E.atMost)));
}

/// "A and B are read by 32 threads of a block each: ..."
static std::string tileSentence(const Kernel &K, const TileSuggestion &S) {
  std::set<unsigned> Threads;
  for (const Reuse &R : K.reuse)
    if (llvm::is_contained(S.arrays, R.base) && R.inLoop)
      Threads.insert(R.threads);
  const std::string Readers = Threads.size() == 1 ? std::to_string(*Threads.begin()) : "several";
  std::string Text = formatv(
      "{0} are read by {1} threads of a block each: {2} T x T tiles in shared memory would read them once; ",
      list(S.arrays, " and "), Readers, S.arrays.size() == 2 ? "a pair of" : "");
  if (!S.edge)
    return Text +
           formatv("not even T = 8 fits into the {0} bytes that are left of it", number(double(S.budget)))
               .str();
  Text +=
      formatv("T = {0} takes {1} of {2} bytes", S.edge, number(double(S.bytes)), number(double(S.budget)));
  if (S.intensity)
    Text += formatv(" and gives {0} FLOP/byte", ratio(*S.intensity));
  if (S.largerEdge)
    Text += formatv("; T = {0} takes {1} and needs {2} results per thread", S.largerEdge,
                    number(double(S.largerBytes)), S.resultsPerThread);
  return Text;
}

/// Arrays that all threads of a row or block read element by element, where no pair of tiles is suggested.
std::string reuseSentence(const Kernel &K) {
  if (K.roofline && K.roofline->suggestedTile)
    return tileSentence(K, *K.roofline->suggestedTile);
  std::map<std::string, unsigned> Readers;
  for (const Reuse &R : K.reuse)
    if (R.inLoop && R.threads > 1)
      Readers[R.base] = std::max(Readers[R.base], R.threads);
  std::vector<std::string> Parts;
  for (const auto &[Base, Threads] : Readers)
    Parts.push_back(formatv("{0} by {1}", words(Base), Threads));
  if (Parts.empty())
    return "";
  return formatv(
      "threads of a block that read the same element in a loop: {0}; through shared memory it would be "
      "read once",
      list(Parts, ", "));
}

} // namespace warplint::report
