//===-- Touched.h - A request's footprint, as pictures lay it out -----*- C++ -*-===//
//
// Shared by the pictures for terminals and those for browsers: sectors by line, words by bank.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_REPORT_TOUCHED_H
#define WARPLINT_ANALYZER_REPORT_TOUCHED_H

#include "analyzer/result/Footprint.h"
#include "llvm/ADT/STLExtras.h"
#include <array>
#include <vector>

namespace warplint::report {

constexpr unsigned LineBytes = 128, SectorBytes = 32, SectorsOfLine = LineBytes / SectorBytes;
constexpr unsigned Banks = 32, BankBytes = 4;

/// The touched sectors of one line, by their number; null where one is not touched.
struct TouchedLine {
  int64_t Number = 0;
  std::array<const result::TouchedSector *, SectorsOfLine> Sectors{};

  unsigned sectors() const {
    return unsigned(llvm::count_if(Sectors, [](auto *S) { return S != nullptr; }));
  }
  unsigned usedBytes() const {
    unsigned Bytes = 0;
    for (const result::TouchedSector *S : Sectors)
      Bytes += S ? S->usedBytes : 0;
    return Bytes;
  }
};

/// Points into the footprint.
inline std::vector<TouchedLine> linesOf(const result::Footprint &F) {
  std::vector<TouchedLine> Lines;
  for (const result::TouchedSector &S : F.sectors) {
    if (Lines.empty() || Lines.back().Number != S.line)
      Lines.push_back({S.line, {}});
    Lines.back().Sectors[S.number] = &S;
  }
  return Lines;
}

/// What each bank has to give in a phase, one word a turn. Points into the phase.
using WordsOfBanks = std::array<std::vector<const result::TouchedWord *>, Banks>;
inline WordsOfBanks wordsOf(const result::TouchedPhase &Phase) {
  WordsOfBanks Of;
  for (const result::TouchedWord &W : Phase.words)
    Of[W.bank].push_back(&W);
  return Of;
}

} // namespace warplint::report

#endif
