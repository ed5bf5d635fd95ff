//===-- Output.cpp - What was measured, for people and programs -----------------------===//
#include "tools/replay/program/Output.h"
#include "analyzer/report/Report.h"
#include "tools/options/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace warplint;
using namespace warplint::replay;
using options::printable;
using result::Space;

namespace {

//===-- Pieces of text ------------------------------------------------------------===//

std::string shown(const std::string &File, const OutputOptions &How) {
  StringRef Name(File);
  if (!How.relativeTo.empty() && Name.consume_front(How.relativeTo) && Name.consume_front("/"))
    return printable(Name);
  return printable(File);
}

std::string at(const result::Place &P, const OutputOptions &How) {
  if (P.file.empty())
    return "";
  std::string Text = shown(P.file, How);
  if (P.line)
    Text += ":" + utostr(P.line) + (P.column ? ":" + utostr(P.column) : "");
  return Text;
}

template <typename Extents> std::string extents(const Extents &All) {
  std::string Text = utostr(All[0]);
  if (All[1] > 1 || All[2] > 1)
    Text += "x" + utostr(All[1]);
  if (All[2] > 1)
    Text += "x" + utostr(All[2]);
  return Text;
}

std::string number(double Value) {
  if (Value == std::trunc(Value))
    return utostr(uint64_t(Value));
  std::string Text;
  raw_string_ostream(Text) << format("%.2f", Value);
  return Text;
}

//===-- Tables -----------------------------------------------------------------------===//

/// Rows of cells; every column is as wide as its widest cell, the last one takes what is left.
class Table {
public:
  explicit Table(std::vector<std::string> Head) { Rows.push_back(std::move(Head)); }
  void add(std::vector<std::string> Row) { Rows.push_back(std::move(Row)); }

  void print(raw_ostream &OS, unsigned Width) const {
    std::vector<size_t> Widths(Rows.front().size());
    for (const auto &Row : Rows)
      for (size_t I = 0; I < Row.size(); ++I)
        Widths[I] = std::max(Widths[I], Row[I].size());
    for (const auto &Row : Rows) {
      std::string Line = " ";
      for (size_t I = 0; I + 1 < Row.size(); ++I)
        Line += " " + std::string(Widths[I] - Row[I].size(), ' ') + Row[I];
      std::string Last = "  " + Row.back();
      constexpr size_t Least = 16;
      if (Width && Line.size() + Last.size() > Width && Last.size() > Least)
        Last = Last.substr(0, std::max(Least, Width > Line.size() + 3 ? Width - Line.size() - 3 : 0)) + "...";
      OS << Line << Last << '\n';
    }
  }

private:
  std::vector<std::vector<std::string>> Rows;
};

std::string what(const result::Access &A) {
  std::string Text = spelling(A.operation);
  if (A.mechanism != result::Mechanism::Plain)
    Text += std::string(" (") + spelling(A.mechanism) + ")";
  return Text + " " + (A.expression.empty() ? "of " + utostr(A.width) + " bytes" : printable(A.expression));
}

std::string lineOf(const result::Access &A) {
  return A.place.column ? utostr(A.place.line) + ":" + utostr(A.place.column) : utostr(A.place.line);
}

void sectorTable(raw_ostream &OS, ArrayRef<const MeasuredAccess *> All, const OutputOptions &How) {
  Table T({"line", "requests", "lanes", "lines", "mean", "sectors", "mean", "total", "ideal", "access"});
  for (const MeasuredAccess *M : All) {
    const result::Access &A = M->access;
    T.add({lineOf(A), utostr(M->sums.requests), number(A.activeLanes), number(A.worst.lines),
           number(A.mean.lines), number(A.worst.sectors), number(A.mean.sectors), utostr(M->sums.sectors),
           utostr(M->sums.idealSectors), what(A)});
  }
  T.print(OS, How.width);
}

void wavefrontTable(raw_ostream &OS, ArrayRef<const MeasuredAccess *> All, const OutputOptions &How) {
  Table T({"line", "requests", "lanes", "ways", "mean", "wavefronts", "mean", "total", "ideal", "access"});
  for (const MeasuredAccess *M : All) {
    const result::Access &A = M->access;
    T.add({lineOf(A), utostr(M->sums.requests), number(A.activeLanes), number(A.worst.conflictWays),
           number(A.mean.conflictWays), number(A.worst.wavefronts), number(A.mean.wavefronts),
           utostr(M->sums.wavefronts), utostr(M->sums.idealWavefronts), what(A)});
  }
  T.print(OS, How.width);
}

void addressTable(raw_ostream &OS, ArrayRef<const MeasuredAccess *> All, const OutputOptions &How) {
  Table T({"line", "requests", "lanes", "addresses", "mean", "access"});
  for (const MeasuredAccess *M : All) {
    const result::Access &A = M->access;
    T.add({lineOf(A), utostr(M->sums.requests), number(A.activeLanes), number(A.worst.distinctAddresses),
           number(A.mean.distinctAddresses), what(A)});
  }
  T.print(OS, How.width);
}

void writeHeading(raw_ostream &OS, const MeasuredKernel &M, const OutputOptions &How) {
  const result::Kernel &K = M.kernel;
  OS << at({K.place.file, K.place.line, 0, 0, 0}, How) << ": " << printable(K.signature) << "\n  grid "
     << extents(K.grid.value_or(std::array<uint64_t, 3>{1, 1, 1})) << ", block " << extents(K.block);
  if (M.cluster != std::array<unsigned, 3>{1, 1, 1})
    OS << ", cluster " << extents(M.cluster);
  if (K.dynamicShared.value_or(0))
    OS << ", " << *K.dynamicShared << " bytes of dynamic shared memory";
  for (const auto &[Name, Value] : K.arguments)
    OS << ", " << printable(Name) << "=" << Value;
  if (M.argumentsVary)
    OS << ", several sets of arguments";
  OS << "; " << M.launches << (M.launches == 1 ? " launch" : " launches");
  if (M.complete)
    OS << ", " << M.recordedWarps << " warps\n";
  else
    OS << ", recorded " << M.recordedWarps << " of " << M.warps << " warps in " << M.recordedLaunches
       << (M.recordedLaunches == 1 ? " launch" : " launches") << '\n';
  if (M.duplicates)
    OS << "  note: loops that cannot be told apart: " << M.duplicates
       << " requests may be counted as several\n";
}

void writeKernel(raw_ostream &OS, const MeasuredKernel &M, const OutputOptions &How) {
  writeHeading(OS, M, How);
  struct Part {
    Space space;
    const char *title;
    void (*write)(raw_ostream &, ArrayRef<const MeasuredAccess *>, const OutputOptions &);
  };
  constexpr Part Parts[] = {
      {Space::Global, "global memory: lines and sectors of the worst request, mean, total", sectorTable},
      {Space::Shared, "shared memory: ways and wavefronts of the worst request, mean, total", wavefrontTable},
      {Space::Constant, "constant memory: distinct addresses of the worst request, mean", addressTable},
      {Space::Local, "local memory: lines and sectors of the worst request, mean, total", sectorTable}};
  for (const Part &Each : Parts) {
    // By file: lines of several make no sense in one column.
    std::map<std::string, std::vector<const MeasuredAccess *>> Files;
    for (const MeasuredAccess &A : M.accesses)
      if (A.access.space == Each.space)
        Files[A.access.place.file].push_back(&A);
    for (auto &[File, All] : Files) {
      stable_sort(All,
                  [](const MeasuredAccess *L, const MeasuredAccess *R) { return L->excess() > R->excess(); });
      OS << "  " << Each.title << (File == M.kernel.place.file ? "" : " (" + shown(File, How) + ")") << '\n';
      Each.write(OS, All, How);
    }
  }
  if (M.accesses.empty())
    OS << "  no access of memory\n";
}

//===-- JSON ---------------------------------------------------------------------------===//

json::Object costJson(result::Space Where, const result::Cost &C) {
  switch (Where) {
  case result::Space::Shared:
    return json::Object{{"conflictWays", C.conflictWays}, {"wavefronts", C.wavefronts}};
  case result::Space::Constant:
    return json::Object{{"distinctAddresses", C.distinctAddresses}};
  default:
    return json::Object{{"lines", C.lines}, {"sectors", C.sectors}};
  }
}

json::Value accessJson(const Comparison &C) {
  const result::Access &A = C.said;
  json::Object O{{"verdict", spelling(C.verdict)},
                 {"kernel", json::fixUTF8(C.kernel)},
                 {"block", json::Array{C.block[0], C.block[1], C.block[2]}},
                 {"file", json::fixUTF8(A.place.file)},
                 {"line", A.place.line},
                 {"column", A.place.column},
                 {"expression", json::fixUTF8(A.expression)},
                 {"operation", spelling(A.operation)},
                 {"space", spelling(C.measured ? C.measured->space : A.space)},
                 {"difference", json::fixUTF8(C.difference)}};
  if (C.grid)
    O["grid"] = json::Array{(*C.grid)[0], (*C.grid)[1], (*C.grid)[2]};
  if (C.measured)
    O["measured"] = costJson(C.measured->space, C.measured->worst);
  if (!isMissing(C.verdict)) {
    O["confidence"] = spelling(A.confidence);
    if (A.confidence != result::Confidence::Unknown)
      O["predicted"] = costJson(A.space, A.worst);
  }
  json::Array Assumptions;
  for (const std::string &Text : A.assumptions)
    Assumptions.push_back(json::fixUTF8(Text));
  O["assumptions"] = std::move(Assumptions);
  if (A.confidence == result::Confidence::Unknown && !A.reason.empty())
    O["reason"] = json::fixUTF8(A.reason);
  return O;
}

json::Object comparisonJson(const ComparisonResult &R) {
  json::Object Counts;
  for (const auto &[Each, Count] : R.counts)
    Counts[spelling(Each)] = Count;
  json::Array All, NotAnalysed, NotRun;
  for (const Comparison &C : R.all)
    All.push_back(accessJson(C));
  for (const std::string &Text : R.notAnalysed)
    NotAnalysed.push_back(json::fixUTF8(Text));
  for (const std::string &Text : R.notRun)
    NotRun.push_back(json::fixUTF8(Text));
  return json::Object{{"accesses", std::move(All)},
                      {"counts", std::move(Counts)},
                      {"configurations", R.configurations},
                      {"notAnalysed", std::move(NotAnalysed)},
                      {"notRun", std::move(NotRun)}};
}

/// Beside the report's own keys: how much of the configuration was recorded.
void addLaunches(json::Object &O, const MeasuredKernel &M) {
  O["measured"] = true;
  O["launches"] = M.launches;
  O["recordedLaunches"] = M.recordedLaunches;
  O["warps"] = M.warps;
  O["recordedWarps"] = M.recordedWarps;
  O["complete"] = M.complete;
  O["duplicates"] = M.duplicates;
  O["unalignedPointers"] = M.unalignedPointers;
  O["argumentsVary"] = M.argumentsVary;
  O["cluster"] = json::Array{M.cluster[0], M.cluster[1], M.cluster[2]};
}

json::Object errorJson(const ReplayError &E) {
  json::Object O{{"kind", E.kind},
                 {"message", json::fixUTF8(E.message)},
                 {"kernel", json::fixUTF8(E.kernel)},
                 {"file", json::fixUTF8(E.place.file)},
                 {"line", E.place.line},
                 {"column", E.place.column}};
  if (E.block)
    O["block"] = json::Array{(*E.block)[0], (*E.block)[1], (*E.block)[2]};
  if (E.thread)
    O["thread"] = json::Array{(*E.thread)[0], (*E.thread)[1], (*E.thread)[2]};
  return O;
}

} // namespace

void warplint::replay::writeTables(raw_ostream &OS, const Measurement &All, const OutputOptions &How) {
  for (const MeasuredKernel &M : All.kernels)
    writeKernel(OS, M, How);
  if (All.kernels.empty())
    OS << "no kernel was launched\n";
}

/// Every access of one configuration: what was measured, and what the analysis says of it.
static void writeSideBySide(raw_ostream &OS, ArrayRef<const Comparison *> Rows, const OutputOptions &How) {
  const Comparison &First = *Rows.front();
  OS << printable(First.kernel) << ", block " << extents(First.block)
     << (First.grid ? ", grid " + extents(*First.grid) : "") << ": the worst request\n";
  std::vector<std::array<std::string, 4>> Lines{{"access", "measured", "analysis", ""}};
  for (const Comparison *C : Rows) {
    const result::Access &Said = C->said;
    const bool HasNumbers = !isMissing(C->verdict) && Said.confidence != result::Confidence::Unknown;
    Lines.push_back({at(Said.place, How), C->measured ? costText(C->measured->space, C->measured->worst) : "-",
                     HasNumbers ? costText(Said.space, Said.worst) + ", " + spelling(Said.confidence) : "-",
                     what(Said)});
  }
  std::array<size_t, 3> Width{};
  for (const auto &Line : Lines)
    for (size_t I = 0; I < Width.size(); ++I)
      Width[I] = std::max(Width[I], Line[I].size());
  for (const auto &Line : Lines) {
    std::string Text = "  ";
    for (size_t I = 0; I < Width.size(); ++I)
      Text += Line[I] + std::string(Width[I] - Line[I].size() + 2, ' ');
    OS << StringRef(Text + Line[3]).take_front(How.width ? How.width : StringRef::npos).rtrim() << '\n';
  }
}

void warplint::replay::writeComparison(raw_ostream &OS, const ComparisonResult &R, const OutputOptions &How) {
  std::vector<std::vector<const Comparison *>> Configurations;
  for (const Comparison &C : R.all) {
    auto Same = find_if(Configurations, [&](const auto &Rows) {
      return Rows.front()->kernel == C.kernel && Rows.front()->block == C.block && Rows.front()->grid == C.grid;
    });
    if (Same == Configurations.end())
      Configurations.push_back({&C});
    else
      Same->push_back(&C);
  }
  for (std::vector<const Comparison *> &Rows : Configurations) {
    stable_sort(Rows, [](const Comparison *A, const Comparison *B) {
      return std::tie(A->said.place.file, A->said.place.line, A->said.place.column) <
             std::tie(B->said.place.file, B->said.place.line, B->said.place.column);
    });
    writeSideBySide(OS, Rows, How);
  }
  for (const Comparison &C : R.all) {
    const bool Agreed = C.verdict >= Verdict::NotExecuted;
    if (Agreed && !How.verbose)
      continue;
    const result::Access &A = C.said;
    OS << at(A.place, How) << ": " << (C.verdict == Verdict::ExactWrong ? "error: " : "note: ")
       << words(C.verdict) << ": " << spelling(C.measured ? C.measured->space : A.space) << " " << what(A);
    if (!C.difference.empty())
      OS << ": " << C.difference;
    OS << " [" << printable(C.kernel) << ", block " << extents(C.block)
       << (C.grid ? ", grid " + extents(*C.grid) : "") << "]";
    if (C.verdict == Verdict::Unknown && !A.reason.empty())
      OS << " (" << printable(A.reason) << ")";
    else if (!A.assumptions.empty() && !isMissing(C.verdict))
      OS << " (assumed: " << printable(join(A.assumptions, "; ")) << ")";
    OS << '\n';
  }
  OS << "compared " << R.all.size() << " accesses in " << R.configurations << " kernel configurations:\n";
  for (const auto &[Each, Count] : R.counts)
    OS << "  " << left_justify(utostr(Count), 7) << words(Each) << '\n';
  for (const std::string &Text : R.notAnalysed)
    OS << "  the analysis has no configuration for " << printable(Text) << '\n';
  for (const std::string &Text : R.notRun)
    OS << "  never launched: " << printable(Text) << '\n';
}

void warplint::replay::writeJson(raw_ostream &OS, const Measurement &All, const ComparisonResult *Compared,
                                 const ProgramEnd &End, const char *Version) {
  std::string Text;
  raw_string_ostream Report(Text);
  report::writeJson(Report, All.report(), Version);
  Expected<json::Value> Parsed = json::parse(Text);
  json::Object Root = Parsed ? std::move(*Parsed->getAsObject()) : json::Object();
  consumeError(Parsed.takeError());
  Root["schema"] = "warplint-replay/1";
  Root.erase("findings");
  if (json::Array *Kernels = Root.getArray("kernels"))
    for (size_t I = 0; I < Kernels->size() && I < All.kernels.size(); ++I)
      if (json::Object *O = (*Kernels)[I].getAsObject())
        addLaunches(*O, All.kernels[I]);
  json::Array Errors;
  for (const ReplayError &E : All.errors)
    Errors.push_back(errorJson(E));
  Root["errors"] = std::move(Errors);
  Root["gpu"] = json::fixUTF8(All.gpu);
  Root["program"] =
      json::Object{{"status", End.status}, {"problem", json::fixUTF8(End.problem)}, {"ended", All.ended}};
  if (Compared)
    Root["comparison"] = comparisonJson(*Compared);
  OS << formatv("{0:2}", json::Value(std::move(Root))) << '\n';
}
