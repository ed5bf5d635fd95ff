//===-- Measurement.h - What a replayed program did --------------------*- C++ -*-===//
//
// The runtime's file (tools/replay/runtime/README.md) in the vocabulary of the report.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TOOLS_REPLAY_PROGRAM_MEASUREMENT_H
#define WARPLINT_TOOLS_REPLAY_PROGRAM_MEASUREMENT_H

#include "analyzer/result/Result.h"
#include "tools/replay/program/SourceFacts.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace warplint::replay {

/// Sums over the recorded warps of all recorded launches.
struct Sums {
  uint64_t requests = 0, lines = 0, sectors = 0, idealSectors = 0, wavefronts = 0, idealWavefronts = 0;
};

struct MeasuredAccess {
  result::Access access; ///< with worst, mean and total
  Sums sums;
  std::string function; ///< whose source it is
  bool isVolatile = false;
  std::array<uint64_t, 3> worstBlock{};
  unsigned worstWarp = 0;

  /// Sectors or wavefronts beyond what the best arrangement would need: what lists are ranked by.
  uint64_t excess() const;
};

/// A kernel with one configuration.
struct MeasuredKernel {
  result::Kernel kernel; ///< without its accesses
  std::string function;  ///< as MeasuredAccess::function names it
  std::vector<MeasuredAccess> accesses;
  std::array<unsigned, 3> cluster{1, 1, 1};
  uint64_t launches = 0, recordedLaunches = 0, warps = 0, recordedWarps = 0;
  uint64_t duplicates = 0; ///< requests of loops that cannot be told apart, counted as several
  bool complete = false;      ///< every warp of every launch was recorded to its end
  bool unalignedPointers = false; ///< a pointer argument is no multiple of 256 bytes, as allocations are
  bool argumentsVary = false; ///< several sets of values are counted together
};

/// Something that the program did wrong, or that could not be replayed.
struct ReplayError {
  std::string kind, message, kernel;
  result::Place place;
  std::optional<std::array<uint64_t, 3>> block, thread;
  /// An access where there is no memory for it?
  bool outOfBounds() const { return kind == "out-of-bounds" || kind == "misaligned"; }
};

struct Measurement {
  std::string ended, gpu;
  std::vector<MeasuredKernel> kernels;
  std::vector<ReplayError> errors;
  std::vector<std::string> warnings;
  /// Under this name in a report; totals and mean are of what was recorded.
  result::Report report() const;
};

/// Reads the runtime's file. Names, places and texts come from `Facts` where it knows them.
llvm::Expected<Measurement> readMeasurement(llvm::StringRef File, const SourceFacts &Facts);

/// Places of one access that the source tells apart by nothing: adds what `From` did to `Into`.
void merge(MeasuredAccess &Into, const MeasuredAccess &From);

/// Is request `A` worse than `B`, as the analysis ranks requests of a space?
bool worse(result::Space, const result::Cost &A, const result::Cost &B);

} // namespace warplint::replay

#endif
