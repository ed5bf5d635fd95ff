//===-- Builders.h - Results written by hand --------------------------*- C++ -*-===//
//
// Short ways to write down the accesses of the labelled cases. Costs are given as numbers, not computed, so
// that the rules are tested against the model's contract and not against themselves.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TEST_RULES_BUILDERS_H
#define WARPLINT_TEST_RULES_BUILDERS_H

#include "rules/Rules.h"
#include <bit>
#include <functional>

namespace warplint::rules::test {

using namespace result;

inline Kernel kernel(std::string Name = "k", std::array<unsigned, 3> Block = {256, 1, 1}) {
  Kernel K;
  K.name = Name;
  K.signature = Name + "(const float *, float *, int)";
  K.place = {"/src/a.cu", 3, 17, 3, 20};
  K.block = Block;
  K.blockOrigin = BlockOrigin::Launch;
  K.blockNote = "launch at line 12";
  K.launch = {"/src/a.cu", 12, 3, 12, 30};
  return K;
}

struct Numbers {
  double lines, sectors, ideal, used; ///< `used`: sectorEfficiency
};

/// A 4-byte global load of `in`; lane l touches byte At(l).
inline Access global(std::function<int64_t(int)> At, Numbers N, unsigned Line = 9) {
  Access A;
  A.place = {"/src/a.cu", Line, 11, Line, 20};
  A.expression = "in[i]";
  A.space = Space::Global;
  A.base = "in";
  A.width = 4;
  A.confidence = Confidence::Exact;
  A.activeLanes = A.maxActiveLanes = 32;
  A.activeMask = ~0u;
  A.blockSize = 256;
  A.worst.lines = N.lines;
  A.worst.sectors = N.sectors;
  A.worst.idealSectors = N.ideal;
  A.worst.sectorEfficiency = N.used;
  A.mean = A.worst;
  // Enough for patterns that are aligned already; tests of shifted ones say otherwise.
  A.alignedLines = N.lines;
  A.alignedSectors = N.sectors;
  for (int Lane = 0; Lane != 32; ++Lane)
    A.laneOffsets[Lane] = At(Lane);
  const int64_t Step = A.laneOffsets[1] - A.laneOffsets[0];
  bool OneStep = true;
  for (int Lane = 1; Lane != 32; ++Lane)
    OneStep &= A.laneOffsets[Lane] - A.laneOffsets[Lane - 1] == Step;
  if (OneStep)
    A.laneStride = Step;
  return A;
}

/// Only the lanes of `Mask` take part.
inline Access masked(Access A, uint32_t Mask) {
  A.activeMask = Mask;
  A.activeLanes = A.maxActiveLanes = std::popcount(Mask);
  return A;
}

/// A 4-byte shared load of `tile`.
inline Access shared(std::function<int64_t(int)> At, double Wavefronts, double Ideal, double Ways,
                     unsigned Width = 4) {
  Access A = global(At, {});
  A.expression = "tile[i]";
  A.space = Space::Shared;
  A.base = "tile";
  A.width = Width;
  A.worst = {};
  A.worst.wavefronts = Wavefronts;
  A.worst.idealWavefronts = Ideal;
  A.worst.conflictWays = Ways;
  A.mean = A.worst;
  return A;
}

/// `float tile[EDGE][EDGE]` on line 4, its last extent at byte 100.
inline TileInfo tile(std::vector<uint64_t> Extents = {32, 32}, unsigned ElementSize = 4) {
  TileInfo T;
  T.name = "tile";
  T.extents = Extents;
  T.elementSize = ElementSize;
  T.declaration = {"/src/a.cu", 4, 20, 4, 24};
  T.declarationText = "[EDGE][EDGE]";
  T.innermostExtent = Place{"/src/a.cu", 4, 31, 4, 35};
  T.innermostOffset = 100;
  T.innermostText = "EDGE";
  return T;
}

/// What the default rules say of one access in one kernel.
inline std::vector<Finding> findingsOf(Access A, Kernel K = kernel(), std::string Checks = "") {
  K.accesses.push_back(std::move(A));
  return run({K}, Selection(Checks));
}

/// The names of the rules that speak, in order, separated by spaces.
inline std::string rulesOf(const std::vector<Finding> &Findings) {
  std::string Names;
  for (const Finding &F : Findings)
    Names += (Names.empty() ? "" : " ") + F.rule;
  return Names;
}

/// A finding as text: severity, message, rule, then its notes.
inline std::string text(const Finding &F) {
  std::string Text = std::string(spelling(F.severity)) + ": " + F.message + " [" + F.rule + "]";
  for (const Note &N : F.notes)
    Text += "\n" + std::to_string(N.place.line) + ": " + N.message;
  return Text;
}
inline std::string text(const std::vector<Finding> &Findings) {
  std::string Text;
  for (const Finding &F : Findings)
    Text += (Text.empty() ? "" : "\n") + text(F);
  return Text;
}

} // namespace warplint::rules::test

#endif
