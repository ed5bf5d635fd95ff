//===-- Occupancy.cpp - How many warps an SM can hold ------------------------===//
#include "analyzer/model/Occupancy.h"
#include "analyzer/model/Model.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace warplint::model;

namespace {

/// Registers are given to whole warps, in units of 256.
constexpr unsigned RegisterUnit = 256;

/// A block that would not run on a chip with as many is not launched on the one that has fewer (sm_60)
/// either.
constexpr unsigned UsualPartitions = 4;

unsigned warpsOf(unsigned Threads) { return unsigned(divideCeil(uint64_t(Threads), uint64_t(WarpLanes))); }

bool canHaveThreads(const SmLimits &L, unsigned Threads) {
  return Threads > 0 && Threads <= L.maxThreadsPerBlock;
}

unsigned registersPerWarp(unsigned PerThread) {
  return unsigned(alignTo(uint64_t(PerThread) * WarpLanes, RegisterUnit));
}

/// A warp's registers lie in one partition, so what is left over in each does not add up to a warp.
unsigned blocksByRegisters(const SmLimits &L, unsigned Partitions, unsigned Warps, unsigned PerWarp) {
  return L.registers / Partitions / PerWarp * Partitions / Warps;
}

std::optional<unsigned> blocksByRegisters(const SmLimits &L, unsigned Warps, unsigned PerThread) {
  if (PerThread == 0)
    return std::nullopt;
  if (PerThread > L.maxRegistersPerThread)
    return 0;
  const unsigned PerWarp = registersPerWarp(PerThread);
  if (blocksByRegisters(L, UsualPartitions, Warps, PerWarp) == 0)
    return 0;
  return blocksByRegisters(L, L.partitions, Warps, PerWarp);
}

/// Static and dynamic shared memory; amounts that no SM has do not overflow the sum.
uint64_t sharedBytesOf(const BlockNeeds &Needs) {
  return SaturatingAdd(Needs.staticSharedBytes, Needs.dynamicSharedBytes.value_or(0));
}

bool canHaveShared(const SmLimits &L, const BlockNeeds &Needs) {
  // ptxas refuses more static shared memory, opt-in or not.
  return Needs.staticSharedBytes <= L.sharedBytesPerBlock &&
         sharedBytesOf(Needs) <= L.sharedBytesPerBlockOptIn;
}

void setShared(const SmLimits &L, const BlockNeeds &Needs, Occupancy &O) {
  std::optional<unsigned> &Blocks = O.blocksBy[size_t(Resource::SharedMemory)];
  if (!canHaveShared(L, Needs)) {
    Blocks = 0;
    return;
  }
  const uint64_t Bytes = sharedBytesOf(Needs);
  O.needsSharedOptIn = Bytes > L.sharedBytesPerBlock;
  O.sharedBytesPerBlock = alignTo(Bytes + L.reservedSharedBytes, L.sharedAllocationUnitBytes);
  if (O.sharedBytesPerBlock > 0)
    Blocks = unsigned(L.sharedBytes / O.sharedBytesPerBlock);
}

/// Blocks run out before barriers unless a block uses several.
std::optional<unsigned> blocksByBarriers(const SmLimits &L, unsigned PerBlock) {
  if (L.barriers == 0 || PerBlock == 0)
    return std::nullopt;
  const unsigned Blocks = L.barriers / PerBlock;
  return Blocks < L.maxBlocks ? std::optional(Blocks) : std::nullopt;
}

/// The most registers a thread can have when `Warps` are spread over `Partitions`.
unsigned registersFor(const SmLimits &L, unsigned Partitions, unsigned Warps) {
  const unsigned WarpsPerPartition = unsigned(divideCeil(uint64_t(Warps), uint64_t(Partitions)));
  return unsigned(alignDown(L.registers / Partitions / WarpsPerPartition, RegisterUnit)) / WarpLanes;
}

} // namespace

Occupancy warplint::model::occupancy(const SmLimits &L, const BlockNeeds &Needs) {
  Occupancy O;
  const auto Set = [&O](Resource R, std::optional<unsigned> Blocks) { O.blocksBy[size_t(R)] = Blocks; };
  O.maxWarps = L.maxWarps;
  Set(Resource::Blocks, L.maxBlocks);
  Set(Resource::Barriers, blocksByBarriers(L, Needs.barriers));
  setShared(L, Needs, O);
  if (!canHaveThreads(L, Needs.threads)) {
    Set(Resource::Warps, 0);
    return O;
  }
  const unsigned Warps = warpsOf(Needs.threads);
  Set(Resource::Warps, L.maxWarps / Warps);
  if (Needs.registersPerThread) {
    Set(Resource::Registers, blocksByRegisters(L, Warps, *Needs.registersPerThread));
    if (O.by(Resource::Registers) != 0)
      O.registersPerBlock = registersPerWarp(*Needs.registersPerThread) * Warps;
  }

  O.activeBlocks = L.maxBlocks;
  for (std::optional<unsigned> Blocks : O.blocksBy)
    O.activeBlocks = std::min(O.activeBlocks, Blocks.value_or(L.maxBlocks));
  O.activeWarps = O.activeBlocks * Warps;
  O.atMost = O.activeBlocks > 0 && (!Needs.registersPerThread || !Needs.dynamicSharedBytes);
  return O;
}

unsigned warplint::model::registersWithin(const SmLimits &L, unsigned Threads, unsigned Blocks) {
  if (!canHaveThreads(L, Threads))
    return 0;
  const unsigned Warps = warpsOf(Threads);
  const bool Possible = Blocks > 0 && Blocks <= L.maxBlocks && Blocks * Warps <= L.maxWarps;
  const unsigned Most = registersFor(L, L.partitions, (Possible ? Blocks : 1) * Warps);
  return std::min({Most, registersFor(L, UsualPartitions, Warps), L.maxRegistersPerThread});
}
