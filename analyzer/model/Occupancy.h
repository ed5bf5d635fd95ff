//===-- Occupancy.h - How many warps an SM can hold ---------------*- C++ -*-===//
//
// How many blocks of a kernel are resident on one SM at the same time, what keeps more from it, and the share
// of the SM's warp slots that they fill: theoretical occupancy, in Nsight Compute's words. What a launch
// achieves can be less (few blocks, uneven work), never more.
//
// Sources: CUDA C++ Programming Guide, "Hardware Multithreading" and "Technical Specifications per Compute
// Capability". Allocation units, partitions and the barrier limit agree with the calculator of the CUDA
// toolkit, against which a test compares where a toolkit is installed. Assumed, as there: the driver gives
// shared memory as much of the L1 cache as the blocks ask for (no carve-out set by the program).
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_MODEL_OCCUPANCY_H
#define WARPLINT_ANALYZER_MODEL_OCCUPANCY_H

#include "analyzer/model/Gpu.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace warplint::model {

/// What one block of a kernel takes. What is not known is nullopt, never an invented number.
struct BlockNeeds {
  unsigned threads = 0;
  std::optional<unsigned> registersPerThread; ///< as `ptxas -v` prints them
  uint64_t staticSharedBytes = 0;
  std::optional<uint64_t> dynamicSharedBytes = 0; ///< third argument of the launch
  unsigned barriers = 1;                          ///< named barriers (bar.sync), __syncthreads() included
};

/// What can be scarce.
enum class Resource : uint8_t { Warps, Registers, SharedMemory, Blocks, Barriers };
inline constexpr size_t ResourceKinds = 5;

struct Occupancy {
  /// Blocks that an SM holds if nothing else is scarce; nullopt where the kernel takes none of it, or an
  /// amount that is not known. 0: such a block cannot be launched at all.
  std::array<std::optional<unsigned>, ResourceKinds> blocksBy;
  unsigned activeBlocks = 0;        ///< per SM: the least of blocksBy; 0: the launch fails
  unsigned activeWarps = 0;         ///< per SM
  unsigned maxWarps = 0;            ///< per SM
  bool atMost = false;              ///< a need is not known: the true values may be less
  unsigned registersPerBlock = 0;   ///< as allocated; 0 when not known or too many
  uint64_t sharedBytesPerBlock = 0; ///< as allocated, with the system's own; 0 when too many
  /// Runs only after cudaFuncSetAttribute(MaxDynamicSharedMemorySize), which is assumed to have happened.
  bool needsSharedOptIn = false;

  std::optional<unsigned> by(Resource R) const { return blocksBy[size_t(R)]; }
  /// More of this would allow another block, unless something else is as scarce. Several can hold.
  bool limitedBy(Resource R) const { return by(R) == activeBlocks; }
  double fraction() const { return maxWarps ? double(activeWarps) / maxWarps : 0; } ///< 0 to 1
};

Occupancy occupancy(const SmLimits &, const BlockNeeds &);

/// The most registers a thread may use so that `blocks` blocks of `threads` threads fit into an SM's
/// registers. This is where ptxas stops for __launch_bounds__(threads, blocks); without a second argument
/// blocks is 1. An SM that cannot hold that many such blocks counts as 1 too: ptxas warns and ignores it.
/// 0 for blocks that no SM runs.
unsigned registersWithin(const SmLimits &, unsigned threads, unsigned blocks);

} // namespace warplint::model

#endif
