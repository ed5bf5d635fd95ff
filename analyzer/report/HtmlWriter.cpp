//===-- HtmlWriter.cpp - The report for people -----------------------------------===//
//
// The findings first, the worst on top, each with its source and its picture; then the kernels, the roofline,
// every access by what it wastes, and the pages of the rules.
//
//===----------------------------------------------------------------------===//
#include "analyzer/report/AccessFacts.h"
#include "analyzer/report/CostKeys.h"
#include "analyzer/report/Counts.h"
#include "analyzer/report/Html.h"
#include "analyzer/report/HtmlPage.h"
#include "analyzer/report/HtmlPicture.h"
#include "analyzer/report/HtmlSource.h"
#include "analyzer/report/HtmlText.h"
#include "analyzer/report/KernelWords.h"
#include "analyzer/report/ShownText.h"
#include "analyzer/report/Table.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

using namespace warplint;
using namespace warplint::report;
using namespace warplint::result;
using llvm::raw_ostream;
using llvm::StringRef;
using llvm::utostr;

namespace {

//===-- What the page is made of ---------------------------------------------===//

/// The number that an access of a space is judged by, its ideal and their names.
struct Judged {
  const char *unit = ""; ///< "sector"
  double takes = 0, ideal = 0;
  double useful() const { return takes > 0 ? std::min(1.0, ideal / takes) : 1; }
};

std::optional<Judged> judged(const Access &A) {
  if (A.confidence == Confidence::Unknown)
    return std::nullopt;
  switch (A.space) {
  case Space::Global:
  case Space::Local:
    return Judged{"sector", A.worst.sectors, A.worst.idealSectors};
  case Space::Shared:
    return Judged{"wavefront", A.worst.wavefronts, A.worst.idealWavefronts};
  case Space::Constant:
    return Judged{"address", A.worst.distinctAddresses, 1};
  case Space::Unknown:
    break;
  }
  return std::nullopt;
}

std::string unitsOf(double Count, StringRef Unit) {
  return number(Count) + " " + Unit.str() + (Count == 1 ? "" : Unit == "address" ? "es" : "s");
}

using Spot = std::tuple<StringRef, unsigned, unsigned>;
Spot spotOf(const Place &P) { return {P.file, P.line, P.column}; }

/// Accesses of one place whose numbers are the same in several kernels, or several times in one.
struct AccessRow {
  const Kernel *kernel = nullptr;
  const Access *access = nullptr;
  size_t count = 0;
  std::vector<const Kernel *> kernels; ///< each once
  double waste = 0;
  size_t number = 0;   ///< in the table, from 1 on
  std::string picture; ///< id of the card that shows it; "": none does
};

/// All that is shown of an access: those that differ in it are rows of their own.
std::string shownOf(const Access &A) {
  std::string Key;
  llvm::raw_string_ostream OS(Key);
  OS << A.place.file << '\0' << A.place.line << ' ' << A.place.column << '\0' << A.expression << '\0'
     << int(A.operation) << int(A.mechanism) << int(A.space) << int(A.confidence) << A.removed << ' '
     << A.width << ' ' << A.activeLanes << ' ' << A.activeMask << '\0' << A.base << '\0' << A.offset << '\0'
     << A.reason << '\0' << A.loop;
  for (const std::string &Assumption : A.assumptions)
    OS << '\0' << Assumption;
  if (A.iterations)
    OS << '\0' << *A.iterations;
  for (const CostKey &Each : costKeys(A.space))
    OS << '\0' << A.worst.*Each.member << ' ' << A.mean.*Each.member;
  if (A.total)
    OS << '\0' << A.total->requests << ' ' << A.total->sectors << ' ' << A.total->idealSectors << ' '
       << A.total->wavefronts;
  return Key;
}

/// The most wasteful first.
std::vector<AccessRow> rowsOf(const result::Report &R) {
  std::vector<AccessRow> Rows;
  std::map<std::string, size_t> Known;
  for (const Kernel &K : R.kernels)
    for (const Access &A : K.accesses) {
      const auto [At, New] = Known.try_emplace(shownOf(A), Rows.size());
      if (New)
        Rows.push_back({&K, &A, 0, {}, A.removed ? -2 : waste(A), 0, ""});
      AccessRow &Row = Rows[At->second];
      ++Row.count;
      if (Row.kernels.empty() || Row.kernels.back() != &K)
        Row.kernels.push_back(&K);
    }
  llvm::stable_sort(Rows, [](const AccessRow &A, const AccessRow &B) { return A.waste > B.waste; });
  for (size_t I = 0; I < Rows.size(); ++I)
    Rows[I].number = I + 1;
  return Rows;
}

//===-- The writer -------------------------------------------------------------===//

class HtmlWriter {
  raw_ostream &OS;
  const result::Report &R;
  const HtmlOptions &Options;
  SourceTexts Sources;
  std::vector<AccessRow> Rows;
  std::multimap<Spot, AccessRow *> RowsAt;
  std::vector<size_t> Order;                      ///< of the findings, the worst first
  std::vector<const Kernel *> Kernels;            ///< the most wasteful first
  std::map<const Kernel *, size_t> NumberOf;      ///< of a kernel, from 1 on
  std::map<Spot, std::vector<size_t>> FindingsAt; ///< positions in `Order`
  size_t Pictures = 0;
  size_t UnreadPlaces = 0; ///< findings whose source cannot be read

public:
  HtmlWriter(raw_ostream &Stream, const result::Report &Report, const SourceReader &Read,
             const HtmlOptions &TheOptions)
      : OS(Stream), R(Report), Options(TheOptions), Sources(Read), Rows(rowsOf(Report)),
        Order(worstFirst(Report.findings)) {
    for (AccessRow &Row : Rows)
      RowsAt.emplace(spotOf(Row.access->place), &Row);
    for (size_t I = 0; I < Order.size(); ++I)
      FindingsAt[spotOf(R.findings[Order[I]].place)].push_back(I);
    rankKernels();
  }

  void write() {
    writePageStart(OS, "warplint: " + title());
    header();
    findings();
    kernels();
    roofline();
    accesses();
    pictures();
    rules();
    problems();
    writePageEnd(OS);
  }

private:
  //===-- Order ------------------------------------------------------------===//

  void rankKernels() {
    std::map<const Kernel *, double> Waste;
    for (const Kernel &K : R.kernels) {
      Kernels.push_back(&K);
      for (const Access &A : K.accesses)
        if (!A.removed)
          Waste[&K] = std::max(Waste[&K], waste(A));
    }
    llvm::stable_sort(Kernels, [&](const Kernel *A, const Kernel *B) { return Waste[A] > Waste[B]; });
    for (size_t I = 0; I < Kernels.size(); ++I)
      NumberOf[Kernels[I]] = I + 1;
  }

  /// The row that a finding speaks of: of its kernel's where there is one, the worst of them.
  AccessRow *rowOf(const Finding &F) {
    AccessRow *Best = nullptr;
    bool BestIsOfKernel = false;
    const auto [First, Last] = RowsAt.equal_range(spotOf(F.place));
    for (auto It = First; It != Last; ++It) {
      AccessRow *Row = It->second;
      if (!F.expression.empty() && Row->access->expression != F.expression)
        continue;
      const bool OfKernel =
          llvm::any_of(Row->kernels, [&](const Kernel *K) { return K->signature == F.kernel; });
      if (!Best || (OfKernel && !BestIsOfKernel) ||
          (OfKernel == BestIsOfKernel && Row->waste > Best->waste)) {
        Best = Row;
        BestIsOfKernel = OfKernel;
      }
    }
    return Best;
  }

  //===-- Pieces -----------------------------------------------------------===//

  std::string fileName(StringRef File) const { return htmlText(shownName(File, Options.relativeTo)); }
  std::string at(const Place &P) const {
    if (P.file.empty())
      return "";
    return fileName(P.file) +
           (P.valid() ? ":" + utostr(P.line) + (P.column ? ":" + utostr(P.column) : "") : "");
  }
  static std::string nameOf(const Kernel &K) {
    constexpr unsigned Most = 80;
    return htmlText(cutTo(shortName(K), Most, /*KeepEnd=*/true));
  }
  std::string linkTo(const Kernel &K) const {
    const size_t Number = NumberOf.at(&K);
    return Number > Options.maxKernels ? nameOf(K)
                                       : "<a href=\"#k" + utostr(Number) + "\">" + nameOf(K) + "</a>";
  }
  static std::string badge(const Finding &F) {
    const char *Shown = F.severity == Severity::Error ? spelling(F.severity) : spelling(F.impact);
    return std::string("<span class=\"badge ") + Shown + "\">" + Shown + "</span>";
  }

  void heading(StringRef Id, StringRef Text) { OS << "<h2 id=\"" << Id << "\">" << Text << "</h2>\n"; }
  void paragraph(const std::string &Html) { OS << "<p>" << Html << "</p>\n"; }
  void leftOut(size_t Count, StringRef What) {
    if (Count)
      paragraph("<b>" + utostr(Count) + " more</b> " + What.str() +
                " are left out of this page; <code>--format=json</code> has all of them.");
  }
  void facts(const std::vector<Fact> &Facts) {
    for (const Fact &Each : Facts)
      if (!Each.text.empty())
        OS << "<dt>" << htmlWords(Each.label) << "</dt><dd>" << htmlWords(Each.text) << "</dd>\n";
  }
  void tableStart(StringRef Class, llvm::ArrayRef<const char *> Headings, unsigned FirstNumber,
                  unsigned EndNumber) {
    OS << "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" << Class
       << "\"><table class=\"sortable " << Class << "\">\n<thead><tr>";
    for (unsigned I = 0; I < Headings.size(); ++I)
      OS << "<th scope=\"col\"" << (I >= FirstNumber && I < EndNumber ? " class=\"r\"" : "") << ">"
         << Headings[I] << "</th>";
    OS << "</tr></thead>\n<tbody>\n";
  }
  void tableEnd() { OS << "</tbody>\n</table></div>\n"; }
  /// A cell that sorts by a number.
  void cell(const std::optional<double> &Value, const std::string &Html) {
    OS << "<td class=\"r\"";
    if (Value) {
      OS << " data-v=\"" << llvm::format("%.6g", *Value) << '"';
    }
    OS << ">" << (Html.empty() ? "-" : Html) << "</td>";
  }

  //===-- The top ----------------------------------------------------------===//

  std::string title() const {
    std::set<StringRef> Files;
    for (const Kernel &K : R.kernels)
      Files.insert(K.place.file);
    if (Files.size() == 1)
      return escaped(shownName(*Files.begin(), Options.relativeTo));
    return counted(R.files, "file");
  }

  /// What all kernels have in common, or all that there is: "sm_80", "sm_80, sm_90".
  template <typename Getter> std::string each(Getter Get) const {
    std::set<std::string> Values;
    for (const Kernel &K : R.kernels)
      if (std::string Value = Get(K); !Value.empty())
        Values.insert(std::move(Value));
    return llvm::join(Values, ", ");
  }

  /// From JSON reports, of whose kernels only the accesses are read?
  bool isRead() const {
    return llvm::any_of(R.kernels, [](const Kernel &K) { return !K.written.empty(); });
  }

  void header() {
    OS << "<header>\n<h1>" << htmlWords(title()) << "</h1>\n";
    const std::string Arch = each([](const Kernel &K) { return K.arch; });
    const std::string Gpu =
        each([](const Kernel &K) { return K.roofline ? K.roofline->gpu : std::string(); });
    OS << "<p class=\"faint\">What the memory accesses of CUDA kernels cost, one warp's request at a time. "
          "warplint "
       << htmlWords(Options.version) << (Arch.empty() ? "" : "; compiled for " + htmlWords(Arch));
    if (!isRead())
      OS << (Gpu.empty() ? "; no GPU is chosen (<code>--gpu=NAME</code>)" : "; rated for " + htmlWords(Gpu));
    OS << ".</p>\n";
    tiles();
    OS << "<p id=\"summary\">" << htmlWords(summaryLine(R)) << "</p>\n";
    const size_t Failures =
        llvm::count_if(Options.notes, [](const RunNote &N) { return N.level == Severity::Error; });
    if (const size_t Count = R.errors.size() + Failures)
      OS << "<p class=\"problem\"><b>" << counted(Count, "error")
         << "</b>: what they are about may be missing here. <a href=\"#problems\">See below</a></p>\n";
    if (!Options.explain)
      OS << "<p class=\"problem\">This page was made from JSON reports: it has neither pictures nor the "
            "kernels' work, occupancy and "
            "roofline; <code>--format=html</code> of the analysis itself has them. Source lines are those of "
            "the files as they are now.</p>\n";
    OS << "<nav aria-label=\"Parts of the page\"><a href=\"#findings\">Findings</a><a "
          "href=\"#kernels\">Kernels</a>"
          "<a href=\"#accesses\">Accesses</a><a href=\"#rules\">Rules</a></nav>\n</header>\n";
  }

  void tile(size_t Number, const std::string &Text) {
    OS << "<li><b>" << Number << "</b>" << Text << "</li>\n";
  }

  void tiles() {
    std::map<Impact, size_t> By;
    for (const Finding &F : R.findings)
      ++By[F.impact];
    const Counts Accesses(R);
    OS << "<ul class=\"tiles\">\n";
    tile(By[Impact::High], "findings of high impact");
    tile(By[Impact::Medium], "of medium impact");
    tile(By[Impact::Low], "of low impact");
    tile(R.kernels.size(), "kernels and launches");
    tile(Accesses.accesses, "accesses: " + utostr(Accesses.exact) + " exact, " + utostr(Accesses.assumed) +
                                " assumed, " + utostr(Accesses.unknown) + " unknown");
    OS << "</ul>\n";
  }

  static const char *legend() {
    return "<p class=\"faint\"><span class=\"key ku\"></span>what lanes ask for "
           "<span class=\"key ks\"></span>several lanes ask for the same bytes "
           "<span class=\"key kw\"></span>moved for nothing, or turns beyond the first "
           "<span class=\"key\"></span>not moved; bank idle. Numbers in boxes are lanes, * is several.</p>\n";
  }

  //===-- Findings ---------------------------------------------------------===//

  void findings() {
    OS << "<main>\n";
    heading("findings", "Findings, the worst first");
    if (R.findings.empty())
      return paragraph("None: the checks that are on have nothing to say.");
    if (Options.explain)
      OS << legend();
    constexpr size_t Opened = 3;
    const size_t Shown = std::min(Order.size(), Options.maxFindings);
    for (size_t I = 0; I < Shown; ++I)
      finding(R.findings[Order[I]], I + 1, I < Opened);
    leftOut(Order.size() - Shown, "findings, of the least impact,");
    if (UnreadPlaces)
      paragraph("The source of " + counted(UnreadPlaces, "finding") +
                " cannot be read here, so its lines are not shown.");
    if (llvm::any_of(R.findings, [](const Finding &F) {
          return llvm::any_of(F.fixes, [](const Fix &X) { return !X.verified; });
        }))
      paragraph("For some findings there may be a fix: <code>--show-fixes</code> tries fixes out and shows "
                "those that help.");
  }

  void finding(const Finding &F, size_t Number, bool Open) {
    AccessRow *Row = rowOf(F);
    OS << "<details class=\"finding\"" << (Open ? " open=\"open\"" : "") << "><summary>" << badge(F);
    if (const auto Of = Row ? judged(*Row->access) : std::nullopt)
      OS << barOf(Of->useful());
    OS << "<b>" << htmlWords(F.message) << "</b> <span class=\"place\">" << at(F.place)
       << "</span></summary>\n<div class=\"target\" id=\"f" << Number << "\">\n";
    OS << "<p class=\"faint\">" << spelling(F.severity) << " of <a href=\"#rule-" << htmlText(F.rule) << "\">"
       << htmlWords(F.rule) << "</a>, " << spelling(F.confidence);
    if (!F.kernel.empty())
      OS << ", worst in <span class=\"code\">" << htmlWords(F.kernel) << "</span>";
    OS << "</p>\n";
    const std::string Source = htmlOfSource(Sources, F.place, /*Around=*/2);
    UnreadPlaces += Source.empty() && F.place.valid();
    OS << Source;
    if (Row)
      access(*Row, "f" + utostr(Number));
    for (const Note &N : F.notes)
      note(N, F.place);
    for (const Fix &X : F.fixes)
      if (X.verified)
        fix(X, F.space);
    OS << "</div></details>\n";
  }

  void note(const Note &N, const Place &Of) {
    const bool Elsewhere = N.place.valid() && (N.place.file != Of.file || N.place.line != Of.line);
    OS << "<p class=\"note\">" << htmlWords(N.message)
       << (Elsewhere ? " <span class=\"place\">" + at(N.place) + "</span>" : std::string()) << "</p>\n";
    if (Elsewhere)
      OS << htmlOfSource(Sources, N.place, /*Around=*/0);
  }

  void fix(const Fix &X, Space S) {
    OS << "<div class=\"fix\"><h4>Fix" << (X.safety == FixSafety::Unsafe ? " (may change the meaning)" : "")
       << ": " << htmlWords(X.title) << "</h4>\n";
    for (const CostKey &Key : costKeys(S))
      if (llvm::is_contained({"sectors", "wavefronts", "distinctAddresses"}, StringRef(Key.name)))
        paragraph("Tried out: " + number(X.before.*Key.member) + " to " + number(X.after.*Key.member) + " " +
                  (StringRef(Key.name) == "distinctAddresses" ? "addresses" : Key.name) + " per request.");
    OS << htmlOfEdits(Sources, X.edits) << "</div>\n";
  }

  //===-- One access -------------------------------------------------------===//

  /// Its picture and the arithmetic; a second time, a link to the first.
  void access(AccessRow &Row, const std::string &Id) {
    if (!Row.picture.empty()) {
      paragraph("The picture of this access is <a href=\"#" + Row.picture + "\">with another finding</a>.");
      return;
    }
    Row.picture = Id;
    ExplainedAccess E;
    E.kernel = Row.kernel;
    E.access = Row.access;
    E.block = "block " + blockOf(*Row.kernel);
    const bool Drawn = Options.explain && Pictures < Options.maxPictures + Options.maxOtherPictures;
    if (Options.explain)
      E = Options.explain(*Row.kernel, *Row.access);
    if (const std::string Picture = Drawn ? pictureOf(E) : ""; !Picture.empty()) {
      ++Pictures;
      OS << "<figure>" << Picture << "<figcaption>" << htmlWords(headline(*Row.access))
         << "</figcaption></figure>\n";
    } else if (Options.explain && !Drawn) {
      paragraph(
          "Not drawn: the page has as many pictures as it may. <code>--explain-access</code> draws it.");
    }
    OS << "<dl>\n";
    facts(addressFacts(E, Options.relativeTo));
    phases(E);
    facts(costFacts(E));
    facts(resultFacts(E));
    instances(Row, E);
    for (const std::string &Remedy : E.remedies)
      facts({{"try", Remedy}});
    OS << "</dl>\n";
  }

  void phases(const ExplainedAccess &E) {
    const auto &Phases = E.footprint.phases;
    for (size_t I = 0; I < std::min(Phases.size(), MostPhases); ++I)
      facts({{Phases.size() > 1 ? "phase " + utostr(I + 1) : "conflict", conflictText(Phases[I])}});
    if (Phases.size() > MostPhases)
      facts({{"phases", "the first " + utostr(MostPhases) + " of " + utostr(Phases.size()) + " are drawn"}});
    const bool Lists = E.access->space == Space::Constant || E.access->space == Space::Local;
    const auto &Addresses = E.footprint.addresses;
    for (size_t I = 0; Lists && I < std::min(Addresses.size(), MostAddresses); ++I)
      facts({{E.distancesKnown ? "+" + std::to_string(Addresses[I].offset) : "address",
              lanesNamed(Addresses[I].lanes)}});
    if (Lists && Addresses.size() > MostAddresses)
      facts({{"", utostr(Addresses.size() - MostAddresses) + " more addresses"}});
  }

  void instances(const AccessRow &Row, const ExplainedAccess &E) {
    constexpr size_t Most = 4;
    for (size_t I = 0; I < std::min(Row.kernels.size(), Most); ++I) {
      ExplainedAccess Other = E;
      Other.kernel = Row.kernels[I];
      if (I)
        Other.block = "block " + blockOf(*Other.kernel);
      facts({{"kernel", instanceText(Other)}});
    }
    if (Row.kernels.size() > Most)
      facts({{"", "and " + utostr(Row.kernels.size() - Most) + " more with the same result"}});
  }

  //===-- Kernels ------------------------------------------------------------===//

  void kernels() {
    heading("kernels", "Kernels");
    if (Kernels.empty())
      return paragraph("No kernel was analysed.");
    const size_t Shown = std::min(Kernels.size(), Options.maxKernels);
    tableStart("kernels",
               {"#", "kernel", "at", "block", "findings", "coalescing", "occupancy", "FLOP/byte", "bound by",
                "FLOP", "bytes"},
               5, 8);
    for (size_t I = 0; I < Shown; ++I)
      kernelRow(*Kernels[I], I + 1);
    tableEnd();
    leftOut(Kernels.size() - Shown, "kernels, of the least waste,");
    paragraph("<span class=\"faint\">Coalescing: share of the moved 128-byte lines that is asked for. FLOP "
              "and bytes: of one thread, as if nothing were "
              "cached. A dash: not known; the kernel's own lines say why.</span>");
    for (size_t I = 0; I < Shown; ++I)
      kernelFacts(*Kernels[I], I + 1);
  }

  /// "1 high, 2 low", linked to the first.
  std::string findingsOf(const Kernel &K) const {
    std::set<size_t> Of;
    for (const Access &A : K.accesses)
      if (const auto Found = FindingsAt.find(spotOf(A.place)); Found != FindingsAt.end())
        Of.insert(Found->second.begin(), Found->second.end());
    for (size_t I = 0; I < Order.size(); ++I)
      if (const Finding &F = R.findings[Order[I]];
          F.kernel == K.signature && F.place.file == K.place.file && F.place.line == K.place.line)
        Of.insert(I);
    if (Of.empty())
      return "";
    std::vector<std::string> Parts;
    for (const Impact Each : {Impact::High, Impact::Medium, Impact::Low})
      if (const auto Count =
              llvm::count_if(Of, [&](size_t I) { return R.findings[Order[I]].impact == Each; }))
        Parts.push_back(utostr(uint64_t(Count)) + " " + spelling(Each));
    const std::string Text = llvm::join(Parts, ", ");
    return *Of.begin() < Options.maxFindings
               ? "<a href=\"#f" + utostr(*Of.begin() + 1) + "\">" + Text + "</a>"
               : Text;
  }

  void kernelRow(const Kernel &K, size_t Number) {
    OS << "<tr><td>" << Number << "</td><td class=\"code\">" << linkTo(K) << "</td><td class=\"place\">"
       << at(K.place) << "</td><td>" << blockOf(K)
       << (K.blockOrigin == BlockOrigin::Assumed ? " (assumed)" : "") << "</td><td>";
    const std::string Of = findingsOf(K);
    OS << (Of.empty() ? "-" : Of) << "</td>";
    const auto Coalesce = K.eta ? K.eta->coalesce : std::nullopt;
    cell(Coalesce, Coalesce ? barOf(*Coalesce) + percent(*Coalesce) : "");
    const std::optional<double> Occupied = K.occupancy ? std::optional(K.occupancy->fraction) : std::nullopt;
    cell(Occupied, !K.occupancy               ? ""
                   : K.occupancy->blocksPerSm ? htmlText(occupancyCell(*K.occupancy))
                                              : "none");
    const std::optional<double> Intensity = K.roofline ? K.roofline->intensity : std::nullopt;
    cell(Intensity, Intensity    ? ratio(*Intensity)
                    : K.roofline ? htmlWords(cutTo(words(K.roofline->intensityText), 24))
                                 : "");
    const std::string Bound = K.roofline ? K.roofline->boundBy : "";
    const ShownWork W(K.work);
    const bool Known = K.roofline.has_value();
    const auto Shown = [&](const ShownWork::Shown &Of2) {
      return Known ? htmlText(cutTo(amount(Of2), 24)) : std::string();
    };
    OS << "<td>" << (Bound.empty() ? "-" : htmlWords(Bound)) << "</td><td>" << Shown(W.flops) << "</td><td>"
       << Shown(W.requested) << "</td></tr>\n";
  }

  void kernelFacts(const Kernel &K, size_t Number) {
    OS << "<details><summary><span class=\"code\">" << Number << " " << nameOf(K)
       << "</span> <span class=\"place\">" << at(K.place) << "</span></summary><div class=\"target\" id=\"k"
       << Number << "\"><dl>\n";
    std::vector<Fact> Facts = {{"kernel", K.signature},
                               {"block", blockOf(K) + (K.blockNote.empty() ? "" : ": " + K.blockNote)}};
    if (K.grid)
      Facts.push_back({"grid", extents(*K.grid)});
    for (const auto &[Name, Value] : K.arguments)
      Facts.push_back({"argument", Name + " = " + std::to_string(Value)});
    if (K.partial)
      Facts.push_back({"partial", "the analysis is not complete: " + K.partialReason});
    if (K.roofline) {
      Facts.push_back({"work", workSentence(K)});
      if (!K.roofline->gpu.empty())
        Facts.push_back({"roofline", rooflineSentence(*K.roofline)});
      Facts.push_back({"occupancy", K.occupancy ? occupancySentence(*K.occupancy)
                                                : "not known: there are no figures for " + K.arch});
    }
    if (K.eta)
      Facts.push_back({"efficiency", etaSentence(K)});
    if (K.roofline)
      Facts.push_back({"reuse", reuseSentence(K)});
    facts(Facts);
    OS << "</dl></div></details>\n";
  }

  //===-- Roofline -----------------------------------------------------------===//

  void roofline() {
    std::vector<RooflinePoint> Points;
    std::vector<Roof> Roofs;
    for (size_t I = 0; I < std::min(Kernels.size(), Options.maxKernels); ++I) {
      const std::optional<Roofline> &L = Kernels[I]->roofline;
      if (!L || !L->intensity || !L->attainableFlops || !L->machineBalance || *L->intensity <= 0 ||
          *L->attainableFlops <= 0 || *L->machineBalance <= 0)
        continue;
      const bool Memory = *L->intensity < *L->machineBalance;
      // The attainable rate is on the roof, which the balance shows the other part of.
      const double Bandwidth =
          Memory ? *L->attainableFlops / *L->intensity : *L->attainableFlops / *L->machineBalance;
      const double Peak = Memory ? Bandwidth * *L->machineBalance : *L->attainableFlops;
      Points.push_back({utostr(I + 1), shortName(*Kernels[I]), *L->intensity, *L->attainableFlops, Memory});
      if (llvm::none_of(Roofs, [&](const Roof &Known) {
            return std::abs(Known.flopsPerSecond / Peak - 1) < 1e-3 &&
                   std::abs(Known.bytesPerSecond / Bandwidth - 1) < 1e-3;
          }))
        Roofs.push_back({Peak, Bandwidth});
    }
    const std::string Picture = rooflineOf(Points, Roofs);
    if (Picture.empty())
      return;
    heading("roofline", "Roofline");
    OS << "<figure>" << Picture
       << "<figcaption>Kernels by their numbers above, at most as fast as the roof where nothing is cached: "
          "<span class=\"key kw\"></span>squares wait for memory, <span class=\"key ku\"></span>circles for "
          "arithmetic.";
    if (Points.size() < Kernels.size())
      OS << " Not drawn: " << counted(Kernels.size() - Points.size(), "kernel")
         << " without FLOP or of unknown work.";
    OS << "</figcaption></figure>\n";
  }

  //===-- Accesses -------------------------------------------------------------===//

  bool wantsPicture(const AccessRow &Row) const {
    return Options.explain && !Row.access->removed && Row.access->confidence != Confidence::Unknown &&
           Row.access->width;
  }

  void accesses() {
    choosePictures();
    heading("accesses", "Accesses, the most wasteful first");
    if (Rows.empty())
      return paragraph("None.");
    const size_t Shown = std::min(Rows.size(), Options.maxAccesses);
    tableStart("accesses",
               {"#", "access", "at", "kernel", "memory", "per request", "ideal", "useful", "times", "excess",
                "result"},
               5, 10);
    for (size_t I = 0; I < Shown; ++I)
      accessRow(Rows[I]);
    tableEnd();
    size_t Left = 0;
    for (size_t I = Shown; I < Rows.size(); ++I)
      Left += Rows[I].count;
    leftOut(Left, "accesses, of the least waste,");
    paragraph("<span class=\"faint\">Per request: of the worst request of a warp. Times: executions by one "
              "warp. Excess: sectors or wavefronts of a "
              "launch beyond the ideal, where its size is known. Rows are ordered by that, else by the waste "
              "of one warp.</span>");
  }

  /// Those that waste most, and some others to compare with.
  void choosePictures() {
    size_t Wasteful = Pictures, Others = 0;
    for (AccessRow &Row : Rows) {
      if (!Row.picture.empty() || !wantsPicture(Row))
        continue;
      size_t &Count = Row.waste > 0 ? Wasteful : Others;
      if (Count < (Row.waste > 0 ? Options.maxPictures : Options.maxOtherPictures)) {
        ++Count;
        Row.picture = "a" + utostr(Row.number);
      }
    }
  }

  void accessRow(const AccessRow &Row) {
    const Access &A = *Row.access;
    const std::string Expression = htmlWords(cutTo(words(A.expression), 160));
    OS << "<tr><td>" << Row.number << "</td><td class=\"code\">"
       << (Row.picture.empty() ? Expression : "<a href=\"#" + Row.picture + "\">" + Expression + "</a>");
    if (A.confidence == Confidence::Unknown)
      OS << "<br/><span class=\"faint\">" << htmlWords(A.reason) << "</span>";
    OS << "</td><td class=\"place\">" << at(A.place) << "</td><td class=\"code\" data-n=\"" << Row.count
       << "\">" << linkTo(*Row.kernels.front());
    if (Row.kernels.size() > 1)
      OS << " and " << Row.kernels.size() - 1 << " more";
    else if (Row.count > 1)
      OS << ", " << Row.count << " times";
    OS << "</td><td>" << spelling(A.space) << " " << spelling(A.operation) << "</td>";
    const std::optional<Judged> Of = judged(A);
    cell(Of ? std::optional(Of->takes) : std::nullopt, Of ? unitsOf(Of->takes, Of->unit) : "");
    cell(Of ? std::optional(Of->ideal) : std::nullopt, Of ? number(Of->ideal) : "");
    cell(Of ? std::optional(Of->useful()) : std::nullopt,
         Of ? barOf(Of->useful()) + percent(Of->useful()) : "");
    OS << "<td class=\"r\">" << (perWarp(A).empty() ? "-" : perWarp(A)) << "</td>";
    const std::optional<double> Excess = A.removed || !Of ? std::nullopt : launchExcess(A);
    cell(Excess, Excess ? number(*Excess) : "");
    OS << "<td>" << spelling(A.confidence) << (A.removed ? ", removed by the compiler" : "")
       << "</td></tr>\n";
  }

  void pictures() {
    if (llvm::none_of(Rows, [](const AccessRow &Row) { return StringRef(Row.picture).starts_with("a"); }))
      return;
    heading("pictures", "Pictures of accesses without a finding");
    OS << legend();
    for (AccessRow &Row : Rows) {
      if (!StringRef(Row.picture).starts_with("a"))
        continue;
      const std::string Id = std::move(Row.picture);
      Row.picture.clear();
      OS << "<details class=\"access\"><summary>" << Row.number << " <span class=\"code\">"
         << htmlWords(cutTo(words(Row.access->expression), 160)) << "</span> <span class=\"place\">"
         << at(Row.access->place) << "</span></summary>\n<div class=\"target\" id=\"" << Id << "\">\n";
      access(Row, Id);
      OS << "</div></details>\n";
    }
  }

  //===-- The end --------------------------------------------------------------===//

  void rules() {
    std::set<std::string> Named;
    for (const Finding &F : R.findings)
      Named.insert(F.rule);
    heading("rules", "Rules of these findings");
    if (Named.empty())
      paragraph("None.");
    for (const std::string &Name : Named) {
      const auto Rule = llvm::find_if(Options.rules, [&](const RuleText &Each) { return Each.name == Name; });
      OS << "<details><summary><b>" << htmlWords(Name) << "</b>"
         << (Rule == Options.rules.end() ? "" : ": " + htmlWords(Rule->summary))
         << "</summary><div class=\"target\" id=\"rule-" << htmlText(Name) << "\">\n"
         << (Rule == Options.rules.end() ? "" : htmlOfMarkdown(Rule->page)) << "</div></details>\n";
    }
  }

  void problems() {
    if (!R.errors.empty() || !Options.notes.empty()) {
      heading("problems", "Errors and notes of the run");
      OS << "<ul>\n";
      for (const Error &E : firstErrors(R))
        OS << "<li><span class=\"place\">" << at(E.place) << "</span> error: " << htmlWords(E.message)
           << "</li>\n";
      for (const RunNote &N : Options.notes)
        OS << "<li>" << spelling(N.level) << ": " << htmlWords(N.message) << "</li>\n";
      OS << "</ul>\n";
    }
    OS << "</main>\n";
  }
};

} // namespace

void warplint::report::writeHtml(raw_ostream &OS, const result::Report &Report, const SourceReader &Read,
                                 const HtmlOptions &Options) {
  HtmlWriter(OS, Report, Read, Options).write();
}
