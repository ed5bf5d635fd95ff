//===-- TableWriter.cpp - What kernels cost, as tables -----------------------===//
//
// For each kernel its accesses, the worst first, and what is known of it as a whole; then all kernels side by
// side. What is not known is a dash, with the reason below.
//
//===----------------------------------------------------------------------===//
#include "analyzer/report/Report.h"
#include "analyzer/report/ShownText.h"
#include "analyzer/report/ShownWork.h"
#include "analyzer/report/Table.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace warplint;
using namespace warplint::result;
using namespace warplint::report;
using llvm::formatv;
using llvm::raw_ostream;
using llvm::StringRef;

namespace {

//===-- Numbers --------------------------------------------------------------===//

/// "1,310,720"; "4.5".
std::string number(double Value) {
  const double Rounded = std::round(Value * 10) / 10;
  if (!std::isfinite(Value) || std::abs(Value) >= 1e15)
    return formatv("{0}", llvm::format("%.3g", Value)).str();
  if (Rounded != std::round(Rounded))
    return formatv("{0:n}.{1}", int64_t(Rounded), int64_t(std::round(std::abs(Rounded) * 10)) % 10).str();
  return formatv("{0:n}", int64_t(Rounded)).str();
}

std::string percent(double Share) { return number(std::round(Share * 1000) / 10) + " %"; }

/// FLOP/byte: "0.25", "8", "32.9".
std::string ratio(double Value) { return formatv("{0}", llvm::format("%.3g", Value)).str(); }

/// "2*n", "96"; "" where it is not known.
std::string amount(const ShownWork::Shown &Of) {
  if (!Of)
    return "";
  const std::optional<double> Number = Of->number();
  return Number ? number(*Number) : words(text(*Of));
}

/// "1.5 us".
std::string seconds(double Value) {
  static constexpr std::pair<double, const char *> Units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
  for (const auto &[Unit, Name] : Units)
    if (Value >= Unit)
      return ratio(Value / Unit) + " " + Name;
  return ratio(Value / 1e-9) + " ns";
}

/// "83.3 GFLOP/s".
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

/// With template arguments, without parameters: "apply<float, (kind)1>".
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

/// Sectors or wavefronts beyond the ideal of a whole launch, where that is known.
std::optional<double> launchExcess(const Access &A) {
  if (!A.total)
    return std::nullopt;
  if (A.space == Space::Shared)
    return std::max(0.0, double(A.total->wavefronts) - double(A.total->requests) * A.mean.idealWavefronts);
  if (A.space == Space::Global || A.space == Space::Local)
    return std::max(0.0, double(A.total->sectors) - double(A.total->idealSectors));
  return std::nullopt;
}

/// By what accesses are ranked: the launch's excess, else that of one warp. Not known: below all.
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

/// Executions by one warp.
std::string perWarp(const Access &A) {
  if (A.iterations)
    return number(double(*A.iterations));
  return A.loop < 0 ? "1" : "";
}

using Cells = std::vector<std::string>;

/// The columns between an access's text and how often it runs.
struct SpaceColumns {
  Space space;
  const char *title;
  std::vector<Table::Column> columns;
  Cells (*cells)(const Cost &);
};

const std::vector<SpaceColumns> &spaces() {
  static const std::vector<SpaceColumns> All = {
      {Space::Global,
       "global memory",
       {{"lines", true, 5}, {"sectors"}, {"ideal", true, 3}, {"used", true, 2}},
       [](const Cost &C) -> Cells {
         return {number(C.lines), number(C.sectors), number(C.idealSectors), percent(C.sectorEfficiency)};
       }},
      {Space::Shared,
       "shared memory",
       {{"ways"}, {"wavefronts", true, 2}, {"ideal", true, 3}},
       [](const Cost &C) -> Cells {
         return {number(C.conflictWays), number(C.wavefronts), number(C.idealWavefronts)};
       }},
      {Space::Constant,
       "constant memory",
       {{"addresses"}},
       [](const Cost &C) -> Cells { return {number(C.distinctAddresses)}; }},
      {Space::Local,
       "local memory",
       {{"sectors"}, {"ideal", true, 3}, {"used", true, 2}},
       [](const Cost &C) -> Cells {
         return {number(C.sectors), number(C.idealSectors), percent(C.sectorEfficiency)};
       }},
      {Space::Unknown, "memory of a kind that is not known", {}, [](const Cost &) -> Cells { return {}; }}};
  return All;
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

std::string registersSentence(const Occupancy &O) {
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
std::string tileSentence(const Kernel &K, const TileSuggestion &S) {
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

//===-- The writer -------------------------------------------------------------===//

class TableWriter {
  raw_ostream &OS;
  const report::TableOptions &Options;
  std::set<std::string> LeftOut; ///< headings of columns for which there is no room

  static constexpr unsigned Indent = 2;
  static constexpr unsigned LabelColumns = 11; ///< "occupancy" and blanks

public:
  TableWriter(raw_ostream &Stream, const report::TableOptions &TheOptions)
      : OS(Stream), Options(TheOptions) {}

  void kernel(const Kernel &K) {
    OS << '\n';
    printWrapped(OS, "kernel " + words(K.signature), Indent, Options.width);
    OS.indent(Indent);
    printWrapped(OS, heading(K), Indent, Options.width);
    if (K.partial)
      sentence("partial", "the analysis is not complete: " + words(K.partialReason));
    for (const SpaceColumns &S : spaces())
      accesses(K, S);
    facts(K);
  }

  void summary(const std::vector<Kernel> &Kernels) {
    if (Kernels.empty())
      return;
    Table T({{"kernel", false, 0, true, true},
             {"block", false, 6},
             {"FLOP", true, 5},
             {"bytes", true, 4},
             {"FLOP/byte", true, 0},
             {"bound by", false, 2},
             {"occupancy", true, 1},
             {"limit", false, 7},
             {"efficiency", true, 3}});
    for (const Kernel &K : Kernels)
      T.add(summaryRow(K));
    OS << '\n' << (Kernels.size() == 1 ? "1 kernel" : std::to_string(Kernels.size()) + " kernels") << '\n';
    T.print(OS, Indent, Options.width, LeftOut);
    if (llvm::any_of(Kernels, [](const Kernel &K) { return K.roofline && K.roofline->gpu.empty(); }))
      note("No GPU is chosen, so nothing is said of what bounds a kernel: --gpu=NAME (--list-gpus).");
    if (llvm::any_of(Kernels, [](const Kernel &K) { return K.occupancy && K.occupancy->atMost; }))
      note("<=: an upper bound; registers or dynamic shared memory are not known (--registers=N, "
           "--ptxas-log=FILE).");
    note("used: share of the moved bytes that a request asks for; times: executions by one warp; excess: "
         "sectors or "
         "wavefronts of a launch beyond the ideal; FLOP, bytes: of one thread, as if nothing were cached; "
         "efficiency: "
         "coalescing x caches (--cache-hit=SHARE) x occupancy.");
    if (!LeftOut.empty())
      note("No room for: " + list({LeftOut.begin(), LeftOut.end()}, ", ") +
           ". --format=json has everything.");
  }

private:
  void note(StringRef Text) { printWrapped(OS, Text, 0, Options.width); }

  void sentence(StringRef Label, StringRef Text) {
    if (Text.empty())
      return;
    OS.indent(Indent) << llvm::left_justify(Label, LabelColumns);
    printWrapped(OS, Text, Indent + LabelColumns, std::max(Options.width, Indent + LabelColumns + 20));
  }

  std::string fileName(StringRef File) const {
    SmallPath Name(File);
    if (!Options.relativeTo.empty() && llvm::sys::path::replace_path_prefix(Name, withSeparator(), ""))
      return escaped(Name);
    return escaped(File);
  }
  using SmallPath = llvm::SmallString<128>;
  std::string withSeparator() const {
    return Options.relativeTo + (StringRef(Options.relativeTo).ends_with("/") ? "" : "/");
  }

  std::string heading(const Kernel &K) const {
    std::string Text =
        K.place.valid() ? fileName(K.place.file) + ":" + std::to_string(K.place.line) + ", " : "";
    Text += "block " + blockOf(K);
    if (!K.blockNote.empty())
      Text += " (" + words(K.blockNote) + ")";
    else if (K.blockOrigin == BlockOrigin::Assumed)
      Text += " (assumed)";
    if (K.grid)
      Text += ", grid " + extents(*K.grid);
    return Text + ", " + words(K.arch);
  }

  /// "12:5"; with the file's name where it is not the kernel's.
  std::string at(const Kernel &K, const Place &P) const {
    if (!P.valid())
      return "";
    const std::string Spot = std::to_string(P.line) + ":" + std::to_string(P.column);
    return P.file == K.place.file ? Spot : escaped(llvm::sys::path::filename(P.file)) + ":" + Spot;
  }

  void accesses(const Kernel &K, const SpaceColumns &S) {
    std::vector<const Access *> Rows;
    for (const Access &A : K.accesses)
      if (A.space == S.space && !A.removed)
        Rows.push_back(&A);
    if (Rows.empty())
      return;
    std::stable_sort(Rows.begin(), Rows.end(),
                     [](const Access *A, const Access *B) { return waste(*A) > waste(*B); });

    std::vector<Table::Column> Columns = {{"at", false}, {S.title, false, 0, true}, {"op", false, 4}};
    Columns.insert(Columns.end(), S.columns.begin(), S.columns.end());
    const std::vector<Table::Column> Last = {{"times", true, 7}, {"excess", true, 1}, {"result", false, 6}};
    Columns.insert(Columns.end(), Last.begin(), Last.end());
    Table T(std::move(Columns));
    for (const Access *A : Rows) {
      Cells Row = {at(K, A->place), words(A->expression), spelling(A->operation)};
      const bool Known = A->confidence != Confidence::Unknown;
      const Cells Costs = Known ? S.cells(A->worst) : Cells(S.columns.size());
      Row.insert(Row.end(), Costs.begin(), Costs.end());
      const auto Excess = Known ? launchExcess(*A) : std::nullopt;
      Row.insert(Row.end(), {perWarp(*A), Excess ? number(*Excess) : "", spelling(A->confidence)});
      T.add(std::move(Row));
    }
    T.print(OS, Indent, Options.width, LeftOut);
  }

  /// The heading says it.
  static bool isAssumedBlock(const Kernel &K, StringRef Assumption) {
    return K.blockOrigin == BlockOrigin::Assumed && Assumption.starts_with("block ");
  }

  /// What keeps accesses from being known, with the places, and what the others rest on.
  void reasons(const Kernel &K) {
    std::vector<std::string> Order;
    std::map<std::string, std::string> Places;
    std::vector<std::string> Assumptions;
    for (const Access &A : K.accesses) {
      if (A.removed)
        continue;
      if (A.confidence == Confidence::Unknown) {
        std::string &At = Places[A.reason];
        if (At.empty())
          Order.push_back(A.reason);
        At += (At.empty() ? "" : ", ") + at(K, A.place);
      } else if (A.confidence == Confidence::Assumed) {
        for (const std::string &Each : A.assumptions)
          if (!llvm::is_contained(Assumptions, Each) && !isAssumedBlock(K, Each))
            Assumptions.push_back(Each);
      }
    }
    for (const std::string &Reason : Order)
      sentence("unknown", Places[Reason] + ": " + words(Reason));
    if (!Assumptions.empty())
      sentence("assumed", list(Assumptions, "; "));
  }

  void facts(const Kernel &K) {
    reasons(K);
    const auto Removed = llvm::count_if(K.accesses, [](const Access &A) { return A.removed; });
    if (Removed)
      sentence("removed", formatv("{0} more that the compiler drops", Removed).str());
    if (!K.roofline)
      return;
    sentence("work", workSentence(K));
    if (!K.roofline->gpu.empty())
      sentence("roofline", rooflineSentence(*K.roofline));
    sentence("occupancy", K.occupancy ? occupancySentence(*K.occupancy)
                                      : "not known: there are no figures for " + words(K.arch));
    if (K.eta)
      sentence("efficiency", etaSentence(K));
    sentence("reuse",
             K.roofline->suggestedTile ? tileSentence(K, *K.roofline->suggestedTile) : reuseSentence(K));
  }

  Cells summaryRow(const Kernel &K) const {
    constexpr unsigned MostOfAnAmount = 24;
    std::string Flops, Bytes, Intensity, Bound, Occupied, Limits;
    if (K.roofline) {
      const ShownWork W(K.work);
      Flops = cutTo(amount(W.flops), MostOfAnAmount);
      Bytes = cutTo(amount(W.requested), MostOfAnAmount);
      Intensity = K.roofline->intensity ? ratio(*K.roofline->intensity)
                                        : cutTo(words(K.roofline->intensityText), MostOfAnAmount);
      Bound = K.roofline->boundBy;
    }
    if (K.occupancy) {
      Occupied = K.occupancy->blocksPerSm ? occupancyCell(*K.occupancy) : "none";
      Limits = list(K.occupancy->limiters, ", ");
    }
    return {shortName(K), blockOf(K), Flops,
            Bytes,        Intensity,  Bound,
            Occupied,     Limits,     K.eta ? etaCell(*K.eta) : ""};
  }
};

} // namespace

void warplint::report::writeTables(raw_ostream &OS, const result::Report &Report,
                                   const TableOptions &Options) {
  TableWriter Writer(OS, Options);
  for (const Kernel &K : Report.kernels)
    Writer.kernel(K);
  Writer.summary(Report.kernels);
}
