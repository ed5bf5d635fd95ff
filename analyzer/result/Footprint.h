//===-- Footprint.h - What one request touches, lane by lane ------*- C++ -*-===//
//
// The worst request of an access in detail: its sectors, the words that it wants of each bank, its addresses.
// For people who ask about one access: reports over all of them have the counts alone.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_RESULT_FOOTPRINT_H
#define WARPLINT_ANALYZER_RESULT_FOOTPRINT_H

#include <array>
#include <cstdint>
#include <vector>

namespace warplint::result {

/// A 32-byte sector of global memory that a request touches.
struct TouchedSector {
  static constexpr uint8_t Nobody = 0xff, Several = 0xfe;
  int64_t line = 0;                ///< which 128-byte line; 0 is the lowest that the request touches
  unsigned number = 0;             ///< 0 to 3: which sector of the line
  uint32_t lanes = 0;              ///< a mask
  unsigned usedBytes = 0;          ///< bytes that at least one lane touches
  std::array<uint8_t, 32> owner{}; ///< of each byte: the lane that touches it, Several or Nobody
};

/// A 4-byte word of shared memory that a phase of a request touches.
struct TouchedWord {
  int64_t word = 0; ///< in words from the lowest that the request touches
  unsigned bank = 0;
  uint32_t lanes = 0; ///< a mask, of lanes of the phase
};

/// Lanes that are served together.
struct TouchedPhase {
  uint32_t lanes = 0;             ///< the active ones
  std::vector<TouchedWord> words; ///< by bank, then ascending
  unsigned wavefronts = 0;        ///< the most words that one bank has to give
};

struct TouchedAddress {
  int64_t offset = 0; ///< bytes from the lowest address
  uint32_t lanes = 0;
};

struct Footprint {
  std::vector<TouchedSector> sectors;    ///< global: ascending
  std::vector<TouchedPhase> phases;      ///< shared: those with an active lane
  bool mergedPhases = false;             ///< shared: fewer than the width asks for, as lanes share addresses
  std::vector<TouchedAddress> addresses; ///< every space: the lanes' first bytes, ascending
  unsigned usedBytes = 0;                ///< global: distinct bytes
};

} // namespace warplint::result

#endif
