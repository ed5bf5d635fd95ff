//===-- ReportCheck.cpp - What every report must keep, whatever the source ----===//
#include "test/fuzz/mutate/ReportCheck.h"
#include "rules/Rules.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace llvm;
using warplint::result::Access;
using warplint::result::Confidence;
using warplint::result::Cost;
using warplint::result::Kernel;
using warplint::result::Place;
using warplint::result::Space;

namespace warplint::fuzz {

namespace {

/// The number of each line's bytes, for places.
class Lines {
public:
  explicit Lines(StringRef Text) {
    for (StringRef Rest = Text; !Rest.empty();) {
      const size_t End = std::min(Rest.find_first_of("\r\n"), Rest.size()); // to Clang, a \r alone ends a line too
      Lengths.push_back(End);
      Rest = Rest.drop_front(End);
      if (!Rest.consume_front("\r\n"))
        Rest = Rest.drop_front(Rest.empty() ? 0 : 1);
    }
  }
  bool has(const Place &P) const {
    return P.line <= Lengths.size() + 1 && (P.line == Lengths.size() + 1 || P.column <= lengthOf(P.line) + 1);
  }

private:
  size_t lengthOf(unsigned Line) const { return Lengths[Line - 1]; }
  std::vector<size_t> Lengths;
};

std::string problemOfGlobal(const Cost &C, unsigned Lanes, unsigned Width) {
  if (C.lines < 1 || C.sectors < C.lines || C.sectors > 4 * C.lines)
    return "lines and sectors contradict each other";
  // At any address, so in up to one sector more than the bytes fill.
  if (C.sectors > Lanes * ((Width + 31) / 32 + 1.0))
    return "more sectors than the lanes can touch";
  if (C.efficiency <= 0 || C.efficiency > 1 || C.sectorEfficiency <= 0 || C.sectorEfficiency > 1)
    return "an efficiency outside (0, 1]";
  if (C.sectorEfficiency < C.efficiency - 1e-9)
    return "sectors used worse than lines";
  return "";
}

std::string problemOfShared(const Cost &C) {
  if (C.wavefronts < 1 || C.idealWavefronts < 1 || C.conflictWays < 1)
    return "a shared request without wavefronts";
  return C.conflictWays > 32 ? "more than 32 ways of conflict" : "";
}

bool isFinite(const Cost &C) {
  for (const double Value : {C.lines, C.sectors, C.idealSectors, C.efficiency, C.sectorEfficiency,
                             C.wavefronts, C.idealWavefronts, C.conflictWays, C.distinctAddresses})
    if (!std::isfinite(Value) || Value < 0)
      return false;
  return true;
}

std::string problemOf(const Access &A) {
  if (A.activeLanes > 32)
    return "more than 32 active lanes";
  if (A.confidence == Confidence::Unknown)
    return A.reason.empty() ? "unknown without a reason" : "";
  if (!A.reason.empty())
    return "a known cost with a reason for not knowing it";
  if ((A.confidence == Confidence::Exact) != A.assumptions.empty())
    return "confidence contradicts the assumptions";
  if (A.removed)
    return "";
  if (!isFinite(A.worst) || !isFinite(A.mean))
    return "a cost that is no finite number";
  if (A.activeLanes == 0 || unsigned(popcount(A.activeMask)) != A.activeLanes)
    return "the mask has " + utostr(popcount(A.activeMask)) + " lanes of " + utostr(A.activeLanes);
  switch (A.space) {
  case Space::Global:
    return problemOfGlobal(A.worst, A.activeLanes, A.width);
  case Space::Shared:
    return problemOfShared(A.worst);
  case Space::Constant:
    return A.worst.distinctAddresses < 1 || A.worst.distinctAddresses > A.activeLanes
               ? "distinct addresses outside 1 to the active lanes"
               : "";
  case Space::Local:
  case Space::Unknown:
    return "";
  }
  return "";
}

std::string problemOf(const Kernel &K) {
  uint64_t Threads = 1;
  for (const unsigned Edge : K.block)
    Threads *= Edge;
  if (Threads == 0)
    return "a block without threads";
  for (const Access &A : K.accesses)
    if (A.loop >= int(K.loops.size()))
      return "an access in a loop that is not there";
  for (size_t I = 0; I < K.loops.size(); ++I)
    if (K.loops[I].parent >= int(K.loops.size()) || K.loops[I].parent == int(I))
      return "a loop within a loop that is not there";
  return K.name.empty() ? "a kernel without a name" : "";
}

std::string where(const Place &P) { return " at line " + utostr(P.line) + ":" + utostr(P.column); }

} // namespace

std::string problemOf(const result::Report &Report, StringRef Text) {
  const Lines Source(Text);
  for (const Kernel &K : Report.kernels) {
    if (std::string Problem = problemOf(K); !Problem.empty())
      return Problem + " in " + K.signature;
    if (!Source.has(K.place))
      return "a kernel outside its file" + where(K.place);
    for (const Access &A : K.accesses)
      if (std::string Problem = problemOf(A); !Problem.empty())
        return Problem + where(A.place) + " in " + K.signature + ": " + A.expression;
  }
  for (const result::Finding &F : Report.findings) {
    if (!rules::find(F.rule))
      return "a finding of the unknown rule " + F.rule;
    const bool SpeaksOfUnknown = F.rule == "global-gather";
    if (F.message.empty() || F.fingerprint.empty() || (F.confidence == Confidence::Unknown) != SpeaksOfUnknown)
      return "a finding of " + F.rule + " without words, fingerprint or basis" + where(F.place);
    if (!Source.has(F.place))
      return "a finding outside the file" + where(F.place);
    for (const result::Fix &Fix : F.fixes)
      for (const result::Edit &E : Fix.edits)
        if (uint64_t(E.offset) + E.length > Text.size())
          return "an edit outside the file" + where(F.place);
  }
  return "";
}

std::string problemOfJson(StringRef Json, const result::Report &Report) {
  Expected<json::Value> Root = json::parse(Json);
  if (!Root)
    return "the report is no JSON: " + toString(Root.takeError());
  const json::Object *Object = Root->getAsObject();
  const json::Array *Kernels = Object ? Object->getArray("kernels") : nullptr;
  const json::Array *Findings = Object ? Object->getArray("findings") : nullptr;
  if (!Kernels || !Findings)
    return "the report has no kernels or no findings";
  if (Kernels->size() != Report.kernels.size() || Findings->size() != Report.findings.size())
    return "the report has lost kernels or findings";
  return "";
}

} // namespace warplint::fuzz
