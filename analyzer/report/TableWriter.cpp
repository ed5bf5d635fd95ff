//===-- TableWriter.cpp - What kernels cost, as tables -----------------------===//
//
// For each kernel its accesses, the worst first, and what is known of it as a whole; then all kernels side by
// side. What is not known is a dash, with the reason below.
//
//===----------------------------------------------------------------------===//
#include "analyzer/report/KernelWords.h"
#include "analyzer/report/Report.h"
#include "analyzer/report/ShownText.h"
#include "analyzer/report/Table.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <map>
#include <set>

using namespace warplint;
using namespace warplint::result;
using namespace warplint::report;
using llvm::formatv;
using llvm::raw_ostream;
using llvm::StringRef;

namespace {

//===-- Accesses -------------------------------------------------------------===//

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
    sentence("reuse", reuseSentence(K));
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
