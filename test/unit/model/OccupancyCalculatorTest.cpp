//===-- OccupancyCalculatorTest.cpp - Occupancy against NVIDIA's calculator --===//
//
// CUDA toolkits have a header that computes occupancy. It is read from the toolkit that is installed and is
// no part of warplint; without one this test is not built (CMakeLists.txt says so).
//
// Known differences, which the configurations here leave out:
// - 256 registers a thread: possible for the calculator, but no compiler gives more than 255.
// - More static shared memory than 48 KiB: possible for the calculator, but ptxas refuses it.
//
//===----------------------------------------------------------------------===//
#include "analyzer/model/Occupancy.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <climits>
#include <cuda_occupancy.h>
#include <random>
#include <string>

using namespace warplint::model;

namespace {

cudaOccDeviceProp deviceOf(const SmLimits &L) {
  cudaOccDeviceProp P;
  P.computeMajor = int(L.sm / 10);
  P.computeMinor = int(L.sm % 10);
  P.maxThreadsPerBlock = int(L.maxThreadsPerBlock);
  P.maxThreadsPerMultiprocessor = int(L.maxWarps * 32);
  P.regsPerBlock = P.regsPerMultiprocessor = int(L.registers);
  P.warpSize = 32;
  P.sharedMemPerBlock = L.sharedBytesPerBlock;
  P.sharedMemPerMultiprocessor = L.sharedBytes;
  P.numSms = 1;
  P.sharedMemPerBlockOptin = L.sharedBytesPerBlockOptIn;
  P.reservedSharedMemPerBlock = L.reservedSharedBytes;
  return P;
}

cudaOccFuncAttributes functionOf(const BlockNeeds &N) {
  cudaOccFuncAttributes F;
  F.maxThreadsPerBlock = INT_MAX;
  F.numRegs = int(*N.registersPerThread);
  F.sharedSizeBytes = N.staticSharedBytes;
  F.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN; // what cudaFuncSetAttribute sets, for as much as is asked
  F.maxDynamicSharedSizeBytes = *N.dynamicSharedBytes;
  F.numBlockBarriers = int(N.barriers);
  return F;
}

std::string numbered(const char *Name, int Number) {
  return std::string(Name) + " " + std::to_string(Number) + " ";
}

int orUnlimited(std::optional<unsigned> Blocks) { return Blocks ? int(*Blocks) : INT_MAX; }

/// The limits that bound the result, in the calculator's bits.
unsigned limiterBits(const Occupancy &O) {
  return (O.limitedBy(Resource::Warps) ? OCC_LIMIT_WARPS : 0u) |
         (O.limitedBy(Resource::Registers) ? OCC_LIMIT_REGISTERS : 0u) |
         (O.limitedBy(Resource::SharedMemory) ? OCC_LIMIT_SHARED_MEMORY : 0u) |
         (O.limitedBy(Resource::Blocks) ? OCC_LIMIT_BLOCKS : 0u) |
         (O.limitedBy(Resource::Barriers) ? OCC_LIMIT_BARRIERS : 0u);
}

/// What of the result is not the calculator's; "" when they agree. Everything but the number of blocks is
/// compared for blocks that can be launched, the calculator's other fields being of no meaning for the rest.
std::string difference(const Occupancy &O, const cudaOccResult &R) {
  std::string Text;
  const auto Same = [&](const char *Name, int Ours, int Theirs) {
    if (Ours != Theirs)
      Text += numbered(Name, Ours) + numbered("not", Theirs);
  };
  Same("blocks", int(O.activeBlocks), R.activeBlocksPerMultiprocessor);
  Same("by warps", orUnlimited(O.by(Resource::Warps)), R.blockLimitWarps);
  if (O.activeBlocks == 0)
    return Text;
  Same("by registers", orUnlimited(O.by(Resource::Registers)), R.blockLimitRegs);
  Same("by shared memory", orUnlimited(O.by(Resource::SharedMemory)), R.blockLimitSharedMem);
  Same("by blocks", orUnlimited(O.by(Resource::Blocks)), R.blockLimitBlocks);
  Same("registers", int(O.registersPerBlock), R.allocatedRegistersPerBlock);
  Same("shared bytes", int(O.sharedBytesPerBlock), int(R.allocatedSharedMemPerBlock));
  // We leave barriers out where blocks are as scarce.
  const bool Barriers = R.blockLimitBarriers < R.blockLimitBlocks;
  Same("by barriers", orUnlimited(O.by(Resource::Barriers)), Barriers ? R.blockLimitBarriers : INT_MAX);
  // The calculator keeps the bits of what was scarcest before barriers were looked at.
  if (!Barriers)
    Same("limiters", int(limiterBits(O)), int(R.limitingFactors & ~unsigned(OCC_LIMIT_BARRIERS)));
  return Text;
}

/// Compares configurations and counts; the first few that differ are printed.
class Comparison {
public:
  unsigned Compared = 0, Agreed = 0, Launchable = 0;

  void compare(const SmLimits &L, const cudaOccDeviceProp &Device, const BlockNeeds &N) {
    const cudaOccFuncAttributes Function = functionOf(N);
    const cudaOccDeviceState State;
    cudaOccResult Result{};
    ++Compared;
    const cudaOccError Status = cudaOccMaxActiveBlocksPerMultiprocessor(
        &Result, &Device, &Function, &State, int(N.threads), *N.dynamicSharedBytes);
    ASSERT_EQ(Status, CUDA_OCC_SUCCESS) << "sm_" << L.sm;
    const Occupancy O = occupancy(L, N);
    Launchable += O.activeBlocks > 0;
    const std::string Difference = difference(O, Result);
    Agreed += Difference.empty();
    if (!Difference.empty() && Compared - Agreed <= 5)
      ADD_FAILURE() << "sm_" << L.sm << ", " << N.threads << " threads, " << *N.registersPerThread
                    << " registers, " << N.staticSharedBytes << " + " << *N.dynamicSharedBytes << " bytes, "
                    << N.barriers << " barriers: " << Difference;
  }

  /// Also that the comparison was not of blocks that fail, nearly all.
  void expectAgreement() const {
    printf("%u of %u configurations agree, %u of them can be launched\n", Agreed, Compared, Launchable);
    EXPECT_EQ(Agreed, Compared);
    EXPECT_GT(Launchable, Compared / 4);
  }
};

/// Half of the amounts lie at a step: where one block more or less fits.
class Configurations {
  std::mt19937 Random{20260101};

  uint64_t upTo(uint64_t Last) { return std::uniform_int_distribution<uint64_t>(0, Last)(Random); }

  /// Shared bytes of which `Blocks` fit, or nearly.
  uint64_t step(const SmLimits &L) {
    const uint64_t Share = L.sharedBytes / (1 + upTo(L.maxBlocks)) + upTo(2);
    return Share > L.reservedSharedBytes ? Share - L.reservedSharedBytes - 1 : 0;
  }

public:
  BlockNeeds next(const SmLimits &L) {
    BlockNeeds N;
    N.threads = upTo(1) ? unsigned(32 * (1 + upTo(31))) : unsigned(1 + upTo(1055));
    N.registersPerThread = unsigned(upTo(20) ? upTo(upTo(1) ? 64 : 255) : 257 + upTo(50));
    N.staticSharedBytes = upTo(1) ? upTo(upTo(1) ? 8192 : L.sharedBytesPerBlock) : 0;
    const uint64_t Total = upTo(1) ? step(L) : upTo(upTo(3) ? 16384 : L.sharedBytesPerBlockOptIn + 4096);
    N.dynamicSharedBytes = Total > N.staticSharedBytes && upTo(3) ? Total - N.staticSharedBytes : 0;
    N.barriers = unsigned(upTo(1) ? 1 : upTo(16));
    return N;
  }
};

TEST(OccupancyCalculator, RandomConfigurationsOfEveryGpu) {
  constexpr unsigned EachGpu = 5000;
  Comparison All;
  Configurations Random;
  for (const Gpu &G : gpus()) {
    const SmLimits *L = G.limits();
    if (!L) // the worked examples' machine
      continue;
    const cudaOccDeviceProp Device = deviceOf(*L);
    for (unsigned I = 0; I < EachGpu; ++I)
      All.compare(*L, Device, Random.next(*L));
  }
  EXPECT_EQ(All.Compared, 20 * EachGpu);
  All.expectAgreement();
}

TEST(OccupancyCalculator, EveryBlockSizeAndRegisterCount) {
  Comparison All;
  for (const SmLimits &L : allSmLimits()) {
    const cudaOccDeviceProp Device = deviceOf(L);
    BlockNeeds N;
    for (N.threads = 1; N.threads <= 1056; N.threads += N.threads % 32 == 0 ? 1 : 31)
      for (unsigned Registers = 0; Registers <= 255; ++Registers) {
        N.registersPerThread = Registers;
        All.compare(L, Device, N);
      }
  }
  All.expectAgreement();
}

} // namespace
