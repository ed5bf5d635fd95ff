//===-- Sampling.h - Which blocks of a launch are recorded ----------------------------*- C++ -*-===//
//
// The first, the last, and as many between as the budget has room for, evenly spread.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TOOLS_REPLAY_RUNTIME_SAMPLING_H
#define WARPLINT_TOOLS_REPLAY_RUNTIME_SAMPLING_H

#include <cstdint>
#include <vector>

namespace warplint::replay {

/// Indices of blocks, ascending: `Count` of `Blocks`, all when there are no more.
std::vector<uint64_t> spread(uint64_t Blocks, uint64_t Count);

/// What remains of the warps that may be recorded. 0: no limit.
struct WarpBudget {
  uint64_t perLaunch = 0, total = 0;

  /// How many blocks of a launch to record when `Used` warps are recorded already; `FirstOfItsKind`: nothing
  /// is known of its configuration yet.
  uint64_t blocks(uint64_t Blocks, uint64_t WarpsPerBlock, uint64_t Used, bool FirstOfItsKind) const;
};

} // namespace warplint::replay

#endif
