//===-- OccupancyTest.cpp - Occupancy against examples worked by hand --------===//
//
// OccupancyCalculatorTest.cpp compares many more with NVIDIA's own calculator, where there is one.
//
//===----------------------------------------------------------------------===//
#include "analyzer/model/Occupancy.h"
#include "gmock/gmock.h"
#include <cstdint>
#include <vector>

using namespace warplint::model;
using testing::ElementsAre;

namespace {

constexpr uint64_t KiB = 1024;

BlockNeeds needs(unsigned Threads, unsigned Registers, uint64_t StaticBytes = 0, uint64_t DynamicBytes = 0) {
  BlockNeeds N;
  N.threads = Threads;
  N.registersPerThread = Registers;
  N.staticSharedBytes = StaticBytes;
  N.dynamicSharedBytes = DynamicBytes;
  return N;
}

Occupancy on(unsigned Sm, const BlockNeeds &N) { return occupancy(*smLimits(Sm), N); }

std::vector<Resource> limiters(const Occupancy &O) {
  std::vector<Resource> Names;
  for (size_t R = 0; R < ResourceKinds; ++R)
    if (O.limitedBy(Resource(R)))
      Names.push_back(Resource(R));
  return Names;
}

TEST(Occupancy, FullSm) {
  // 8 warps of 32 * 32 registers: 16384 / 1024 = 16 warps a partition, 64 in all, which is every slot.
  const Occupancy O = on(80, needs(256, 32));
  EXPECT_EQ(O.activeBlocks, 8u);
  EXPECT_EQ(O.activeWarps, 64u);
  EXPECT_EQ(O.fraction(), 1.0);
  EXPECT_EQ(O.registersPerBlock, 8u * 1024);
  EXPECT_THAT(limiters(O), ElementsAre(Resource::Warps, Resource::Registers));
  EXPECT_FALSE(O.atMost);
}

TEST(Occupancy, Registers) {
  // 40 * 32 = 1280 registers a warp: 12 warps a partition, 48 in all: 6 blocks of 8.
  const Occupancy O = on(80, needs(256, 40));
  EXPECT_EQ(O.activeBlocks, 6u);
  EXPECT_EQ(O.fraction(), 0.75);
  EXPECT_THAT(limiters(O), ElementsAre(Resource::Registers));
  // 33 to 40 registers cost the same, 41 cost as much as 48.
  EXPECT_EQ(on(80, needs(256, 33)).activeBlocks, 6u);
  EXPECT_EQ(on(80, needs(256, 41)).activeBlocks, 5u);
  // Per partition: 16384 / 5376 = 3 warps, 12 in all, though 65536 / 5376 is 12.19 and 2 blocks of 6 fit.
  EXPECT_EQ(on(80, needs(192, 168)).activeBlocks, 2u);
  // 16384 / 4608 = 3: 12 warps, so a block of 13 is not there, though 13 * 4608 is less than 65536.
  EXPECT_EQ(on(80, needs(13 * 32, 144)).activeBlocks, 0u);
  EXPECT_THAT(limiters(on(80, needs(13 * 32, 144))), ElementsAre(Resource::Registers));
}

TEST(Occupancy, TooManyRegisters) {
  EXPECT_EQ(on(80, needs(256, 255)).activeBlocks, 1u);
  EXPECT_EQ(on(80, needs(512, 255)).activeBlocks, 0u);
  EXPECT_EQ(on(80, needs(32, 256)).activeBlocks, 0u); // ptxas has no more than 255
  EXPECT_EQ(on(80, needs(32, 256)).registersPerBlock, 0u);
  EXPECT_EQ(on(80, needs(1024, UINT32_MAX)).activeBlocks, 0u);
}

TEST(Occupancy, WarpSlots) {
  const Occupancy Ampere = on(86, needs(1024, 32)); // 32 of 48 warps
  EXPECT_EQ(Ampere.activeBlocks, 1u);
  EXPECT_DOUBLE_EQ(Ampere.fraction(), 2.0 / 3);
  EXPECT_THAT(limiters(Ampere), ElementsAre(Resource::Warps));
  EXPECT_EQ(on(75, needs(1024, 32)).fraction(), 1.0); // 32 of 32
  // A warp with one thread is a warp.
  EXPECT_EQ(on(80, needs(33, 16)).activeWarps, 64u);
  EXPECT_EQ(on(80, needs(33, 16)).activeBlocks, 32u);
  EXPECT_EQ(on(80, needs(65, 16)).activeBlocks, 21u);
}

TEST(Occupancy, BlockSlots) {
  const Occupancy O = on(80, needs(32, 16));
  EXPECT_EQ(O.activeBlocks, 32u);
  EXPECT_EQ(O.fraction(), 0.5);
  EXPECT_THAT(limiters(O), ElementsAre(Resource::Blocks));
  EXPECT_EQ(on(86, needs(32, 16)).activeBlocks, 16u);
  EXPECT_EQ(on(89, needs(32, 16)).activeBlocks, 24u);
  EXPECT_THAT(limiters(on(80, needs(64, 16))), ElementsAre(Resource::Warps, Resource::Blocks));
}

TEST(Occupancy, SharedMemory) {
  // 48 KiB and 1 KiB of the system's: 164 / 49 = 3.
  const Occupancy O = on(80, needs(256, 32, 48 * KiB));
  EXPECT_EQ(O.activeBlocks, 3u);
  EXPECT_EQ(O.sharedBytesPerBlock, 49 * KiB);
  EXPECT_EQ(O.fraction(), 0.375);
  EXPECT_THAT(limiters(O), ElementsAre(Resource::SharedMemory));
  // Before sm_80 nothing is the system's: 96 / 48 = 2.
  EXPECT_EQ(on(70, needs(256, 32, 48 * KiB)).activeBlocks, 2u);
  // Static and dynamic are one.
  EXPECT_EQ(on(80, needs(256, 32, 24 * KiB, 24 * KiB)).activeBlocks, 3u);
  // 40 KiB and the system's 1 KiB fit 4 times into 164 KiB; a byte more takes another unit of 128.
  EXPECT_EQ(on(80, needs(256, 32, 40 * KiB)).activeBlocks, 4u);
  EXPECT_EQ(on(80, needs(256, 32, 40 * KiB + 1)).activeBlocks, 3u);
  // Units of 256 bytes before: 64 KiB / 16 = 4096.
  EXPECT_EQ(on(75, needs(64, 16, 4096)).activeBlocks, 16u);
  EXPECT_EQ(on(75, needs(64, 16, 4097)).activeBlocks, 15u);
  EXPECT_EQ(on(75, needs(64, 16, 1)).sharedBytesPerBlock, 256u);
  // No shared memory is no limit before sm_80; after it the system's own is.
  EXPECT_FALSE(on(75, needs(64, 16)).by(Resource::SharedMemory));
  EXPECT_EQ(on(80, needs(64, 16)).by(Resource::SharedMemory), 164u);
}

TEST(Occupancy, SharedOptIn) {
  EXPECT_FALSE(on(80, needs(256, 32, 0, 48 * KiB)).needsSharedOptIn);
  EXPECT_TRUE(on(80, needs(256, 32, 0, 48 * KiB + 1)).needsSharedOptIn);
  EXPECT_TRUE(on(80, needs(256, 32, 1, 48 * KiB)).needsSharedOptIn);
  EXPECT_EQ(on(80, needs(256, 32, 0, 163 * KiB)).activeBlocks, 1u);
  const Occupancy TooMuch = on(80, needs(256, 32, 0, 163 * KiB + 1));
  EXPECT_EQ(TooMuch.activeBlocks, 0u);
  EXPECT_EQ(TooMuch.activeWarps, 0u);
  EXPECT_FALSE(TooMuch.needsSharedOptIn); // it would not help
  EXPECT_THAT(limiters(TooMuch), ElementsAre(Resource::SharedMemory));
  // Pascal has no opt-in, and static shared memory none anywhere.
  EXPECT_EQ(on(61, needs(256, 32, 0, 48 * KiB + 1)).activeBlocks, 0u);
  EXPECT_EQ(on(80, needs(256, 32, 48 * KiB + 1)).activeBlocks, 0u);
  // Sums that do not fit 64 bits.
  EXPECT_EQ(on(80, needs(256, 32, 48 * KiB, UINT64_MAX)).activeBlocks, 0u);
  EXPECT_EQ(on(80, needs(256, 32, UINT64_MAX, UINT64_MAX)).activeBlocks, 0u);
}

TEST(Occupancy, Barriers) {
  BlockNeeds N = needs(32, 16);
  N.barriers = 16;
  EXPECT_EQ(on(90, N).activeBlocks, 4u);
  EXPECT_THAT(limiters(on(90, N)), ElementsAre(Resource::Barriers));
  EXPECT_EQ(on(80, N).activeBlocks, 32u);
  EXPECT_EQ(on(100, N).activeBlocks, 4u);
  EXPECT_EQ(on(120, N).activeBlocks, 1u);
  N.barriers = 1; // __syncthreads() alone is never scarce
  EXPECT_THAT(limiters(on(120, N)), ElementsAre(Resource::Blocks));
  EXPECT_FALSE(on(120, N).by(Resource::Barriers));
}

TEST(Occupancy, PascalWithTwoPartitions) {
  // 88 * 32 = 2816 registers a warp: 11 in each of two partitions hold a block of 22 warps, but 5 in each of
  // four do not, and what other Pascal chips cannot run is not launched here.
  EXPECT_EQ(on(60, needs(22 * 32, 88)).activeBlocks, 0u);
  EXPECT_EQ(on(60, needs(20 * 32, 88)).activeBlocks, 1u);
  // 11 * 2 / 7 = 3 on two partitions, 5 * 4 / 7 = 2 on four.
  EXPECT_EQ(on(60, needs(7 * 32, 88)).activeBlocks, 3u);
  EXPECT_EQ(on(61, needs(7 * 32, 88)).activeBlocks, 2u);
}

TEST(Occupancy, ImpossibleBlocks) {
  for (unsigned Threads : {0u, 1025u, UINT32_MAX}) {
    const Occupancy O = on(80, needs(Threads, 32));
    EXPECT_EQ(O.activeBlocks, 0u);
    EXPECT_EQ(O.activeWarps, 0u);
    EXPECT_EQ(O.fraction(), 0);
    EXPECT_THAT(limiters(O), ElementsAre(Resource::Warps));
  }
}

TEST(Occupancy, UnknownNeedsGiveAnUpperBound) {
  BlockNeeds N = needs(256, 64, 16 * KiB);
  N.registersPerThread.reset();
  const Occupancy NoRegisters = on(80, N);
  EXPECT_TRUE(NoRegisters.atMost);
  EXPECT_FALSE(NoRegisters.by(Resource::Registers));
  EXPECT_EQ(NoRegisters.registersPerBlock, 0u);
  EXPECT_GE(NoRegisters.activeBlocks, on(80, needs(256, 64, 16 * KiB)).activeBlocks);
  N = needs(256, 64, 16 * KiB);
  N.dynamicSharedBytes.reset();
  EXPECT_TRUE(on(80, N).atMost);
  EXPECT_FALSE(on(80, needs(256, 64, 16 * KiB)).atMost);
  // Nothing is less than none.
  N = needs(2048, 64);
  N.registersPerThread.reset();
  EXPECT_FALSE(on(80, N).atMost);
}

TEST(RegistersWithin, WherePtxasStops) {
  // Read off ptxas 13.0 with kernels that would take more: __launch_bounds__(threads, blocks).
  struct {
    unsigned sm, threads, blocks, registers;
  } const Readings[] = {
      {80, 1024, 1, 64},  {80, 768, 1, 80},  {80, 256, 3, 80},  {80, 256, 4, 64},  {80, 96, 5, 128},
      {80, 160, 5, 72},   {80, 64, 16, 64},  {80, 32, 16, 128}, {80, 128, 9, 56},  {80, 416, 2, 72},
      {80, 1024, 2, 32},  {80, 32, 32, 64},  {86, 256, 3, 80},  {86, 160, 5, 72},  {86, 256, 1, 255},
      {120, 128, 9, 56},  {120, 416, 2, 72}, {75, 128, 3, 168}, {86, 1024, 2, 64}, // no such SM: 1 block
      {120, 1024, 2, 64}, {86, 32, 20, 255}, {86, 64, 17, 255}, {80, 32, 40, 255},
  };
  for (const auto &R : Readings)
    EXPECT_EQ(registersWithin(*smLimits(R.sm), R.threads, R.blocks), R.registers)
        << "sm_" << R.sm << " __launch_bounds__(" << R.threads << ", " << R.blocks << ")";
  EXPECT_EQ(registersWithin(*smLimits(80), 0, 1), 0u);
  EXPECT_EQ(registersWithin(*smLimits(80), 1025, 1), 0u);
  EXPECT_EQ(registersWithin(*smLimits(80), 256, 0), 255u);
  EXPECT_EQ(registersWithin(*smLimits(80), 1024, UINT32_MAX), 64u);
}

TEST(RegistersWithin, IsTheMostThatFits) {
  for (const SmLimits &L : allSmLimits())
    for (unsigned Warps = 1; Warps <= 32; ++Warps)
      for (unsigned Blocks = 1; Blocks <= L.maxBlocks && Blocks * Warps <= L.maxWarps; ++Blocks) {
        SCOPED_TRACE(testing::Message()
                     << "sm_" << L.sm << ", " << Blocks << " blocks of " << Warps << " warps");
        const unsigned Most = registersWithin(L, Warps * 32, Blocks);
        ASSERT_GE(occupancy(L, needs(Warps * 32, Most)).by(Resource::Registers).value(), Blocks);
        if (Most < L.maxRegistersPerThread)
          ASSERT_LT(occupancy(L, needs(Warps * 32, Most + 1)).by(Resource::Registers).value(), Blocks);
      }
}

} // namespace
