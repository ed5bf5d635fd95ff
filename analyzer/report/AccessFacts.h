//===-- AccessFacts.h - One access, in words --------------------------*- C++ -*-===//
//
// What pictures of an access have beside them: where its lanes go, and the arithmetic from the picture to the
// counts. The counts are those of the picture, so that a reader can check one against the other.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_REPORT_ACCESSFACTS_H
#define WARPLINT_ANALYZER_REPORT_ACCESSFACTS_H

#include "analyzer/report/AccessPicture.h"
#include <string>
#include <vector>

namespace warplint::report {

/// A sentence under a short label. The text may hold names of the source, and is to be made safe by who shows
/// it.
struct Fact {
  std::string label, text;
};

/// "global load, 4 bytes per lane, from 'in'"
std::string headline(const result::Access &);
/// Address, lanes, which request is the worst.
std::vector<Fact> addressFacts(const ExplainedAccess &, llvm::StringRef RelativeTo);
/// How sure the numbers are, and what they rest on.
std::vector<Fact> resultFacts(const ExplainedAccess &);
/// From the picture to the counts; nothing where they are not known.
std::vector<Fact> costFacts(const ExplainedAccess &);
/// What the busiest bank has to do; "" where no bank has more than one word to give.
std::string conflictText(const result::TouchedPhase &);
/// The kernel's instance and what the access comes to in all.
std::string instanceText(const ExplainedAccess &);

/// "1 lane", "2 lanes".
std::string counted(uint64_t Count, llvm::StringRef One);
/// "0-7,9": the lanes of a mask.
std::string lanesText(uint32_t Mask);
std::string lanesNamed(uint32_t Mask);
std::string placeText(const result::Place &, llvm::StringRef RelativeTo);

/// Pictures show no more of a request.
constexpr size_t MostPhases = 4, MostAddresses = 8;

} // namespace warplint::report

#endif
