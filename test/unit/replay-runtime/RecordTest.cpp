//===-- RecordTest.cpp - Which lanes make one request, and what may be touched -----------------===//
#include "test/unit/replay-runtime/Device.h"
#include <set>

using namespace warplint::replay;
using namespace warplint::replay::test;
using testing::HasSubstr;

//===-- Grouping ------------------------------------------------------------===//

TEST(Grouping, NeighboursAreOneRequest) {
  static Site S;
  S = site();
  Buffer<int> Data(64);
  auto Kernel = [](void **A) { load(S, key(1), argument<int>(A) + thread()); };
  const Outcome O = run(Kernel, Data.data, {.block = {64, 1, 1}});
  const SiteCounts *C = O.counts(S, Space::Global);
  ASSERT_TRUE(C);
  EXPECT_EQ(C->requests, 2u);
  EXPECT_EQ(C->worst.sectors, 4);
  EXPECT_EQ(C->worst.lines, 1);
  EXPECT_EQ(C->sum.sectors, 8);
  EXPECT_EQ(O.configuration.recordedWarps, 2u);
}

TEST(Grouping, StridesCostSectors) {
  static Site S;
  S = site();
  Buffer<int> Data(32 * 32);
  auto Kernel = [](void **A) { load(S, key(1), argument<int>(A) + 32 * thread()); };
  const Outcome O = run(Kernel, Data.data);
  EXPECT_EQ(O.counts(S, Space::Global)->worst.sectors, 32);
  EXPECT_EQ(O.counts(S, Space::Global)->worst.idealSectors, 4);
}

TEST(Grouping, DivergenceWithinALoopMakesTwoOfEach) {
  static Site Even, Odd;
  Even = site();
  Odd = site();
  Buffer<int> Data(32);
  auto Kernel = [](void **A) {
    for (uint64_t I = 0; I < 4; ++I)
      if ((I + thread()) & 1)
        load(Odd, key(1, I), argument<int>(A) + thread());
      else
        load(Even, key(2, I), argument<int>(A) + thread());
  };
  const Outcome O = run(Kernel, Data.data);
  EXPECT_EQ(O.counts(Odd, Space::Global)->requests + O.counts(Even, Space::Global)->requests, 8u);
  EXPECT_EQ(O.counts(Odd, Space::Global)->maxLanes, 16u);
  EXPECT_EQ(O.configuration.duplicates, 0u);
}

TEST(Grouping, LanesThatLeaveALoopEarlyDoNotShiftTheOthers) {
  static Site S;
  S = site();
  Buffer<int> Data(64);
  auto Kernel = [](void **A) {
    for (uint64_t I = 0; I < thread() % 4 + 1; ++I)
      load(S, key(1, I), argument<int>(A) + I);
  };
  const Outcome O = run(Kernel, Data.data);
  const SiteCounts *C = O.counts(S, Space::Global);
  EXPECT_EQ(C->requests, 4u);
  EXPECT_EQ(C->lanes, 32u + 24 + 16 + 8);
  EXPECT_EQ(C->sum.sectors, 4);
}

TEST(Grouping, TheSameLaneWithTheSameKeyIsAnotherRequest) {
  static Site S;
  S = site();
  Buffer<int> Data(32);
  auto Kernel = [](void **A) {
    load(S, key(1), argument<int>(A) + thread());
    if (thread() < 4)
      load(S, key(1), argument<int>(A) + thread());
  };
  const Outcome O = run(Kernel, Data.data);
  EXPECT_EQ(O.counts(S, Space::Global)->lanes, 36u);
  EXPECT_EQ(O.configuration.duplicates, 4u); // lanes 0 to 3, each before the others came
}

TEST(Grouping, LongLoopsKeepTheirRequestsWhole) {
  static Site S;
  S = site();
  Buffer<int> Data(32);
  auto Kernel = [](void **A) {
    for (uint64_t I = 0; I < 5000; ++I)
      load(S, key(1, I), argument<int>(A) + thread());
  };
  const Outcome O = run(Kernel, Data.data);
  EXPECT_EQ(O.counts(S, Space::Global)->requests, 5000u);
  EXPECT_EQ(O.counts(S, Space::Global)->lanes, 32u * 5000);
}

TEST(Grouping, BarriersDoNotSplitWhatIsBehindThem) {
  static Site Before, After;
  Before = site();
  After = site(SiteOperation::Store);
  Buffer<int> Data(64);
  auto Kernel = [](void **A) {
    for (uint64_t I = 0; I < 3; ++I) {
      load(Before, key(1, I), argument<int>(A) + thread());
      warplintReplayBarrier(0, 0);
      if (thread() % 2)
        store(After, key(2, I), argument<int>(A) + thread(), 1);
    }
  };
  const Outcome O = run(Kernel, Data.data, {.block = {64, 1, 1}});
  EXPECT_EQ(O.counts(Before, Space::Global)->requests, 6u);
  EXPECT_EQ(O.counts(After, Space::Global)->requests, 6u);
  EXPECT_EQ(O.counts(After, Space::Global)->maxLanes, 16u);
}

TEST(Grouping, TheWorstRequestSaysWhereItWas) {
  static Site S;
  S = site();
  Buffer<int> Data(4096);
  auto Kernel = [](void **A) { load(S, key(1), argument<int>(A) + thread() * (block() == 2 ? 8 : 1)); };
  const Outcome O = run(Kernel, Data.data, {.grid = {4, 1, 1}, .block = {64, 1, 1}});
  const SiteCounts *C = O.counts(S, Space::Global);
  EXPECT_EQ(C->worst.sectors, 32);
  EXPECT_EQ(C->worstPlace.block.x, 2u);
  EXPECT_EQ(C->worstPlace.warp, 0u);
  EXPECT_EQ(C->worstRequest.address[1], 32);
  EXPECT_EQ(C->sum.sectors, 6 * 4 + 2 * 32);
}

TEST(Grouping, NothingIsRecordedWhereNothingIsAskedFor) {
  static Site S;
  S = site();
  Buffer<int> Data(32);
  auto Kernel = [](void **) {};
  const Outcome O = run(Kernel, Data.data, {.recorded = false});
  EXPECT_TRUE(O.configuration.counts.empty());
  EXPECT_EQ(O.configuration.recordedWarps, 0u);
}

//===-- Spaces --------------------------------------------------------------===//

TEST(Spaces, ColumnsOfASharedTile) {
  static Site Column, Padded;
  Column = site();
  Padded = site();
  auto Kernel = [](void **) {
    int *Shared = reinterpret_cast<int *>(warplintReplayThread->shared);
    load(Column, key(1), Shared + 32 * thread());
    load(Padded, key(2), Shared + 33 * thread());
  };
  const Outcome O = run(Kernel, nullptr, {.staticShared = 33 * 32 * 4});
  EXPECT_EQ(O.counts(Column, Space::Shared)->worst.wavefronts, 32);
  EXPECT_EQ(O.counts(Column, Space::Shared)->worst.conflictWays, 32);
  EXPECT_EQ(O.counts(Padded, Space::Shared)->worst.wavefronts, 1);
}

TEST(Spaces, MatrixRowsAreOneRequestOfTheirRows) {
  static Site Plain, Padded;
  Plain = site(SiteOperation::Load, 16, SiteMechanism::Ldmatrix);
  Padded = Plain;
  auto Kernel = [](void **) {
    char *Shared = warplintReplayThread->shared;
    warplintReplayMatrixRows(&Plain, key(1), Shared + 128 * lane(), 32);
    warplintReplayMatrixRows(&Padded, key(2), Shared + 144 * lane(), 16);
  };
  const Outcome O = run(Kernel, nullptr, {.staticShared = 144 * 32});
  EXPECT_EQ(O.counts(Plain, Space::Shared)->worst.wavefronts, 32);
  EXPECT_EQ(O.counts(Padded, Space::Shared)->worst.wavefronts, 2);
  EXPECT_EQ(O.counts(Padded, Space::Shared)->maxLanes, 16u);
}

TEST(Spaces, AThreadsOwnArray) {
  static Site Uniform, Varying;
  Uniform = site();
  Varying = site();
  auto Kernel = [](void **) {
    int Array[64] = {};
    load(Uniform, key(1), &Array[5]);
    load(Varying, key(2), &Array[2 * thread()]);
  };
  const Outcome O = run(Kernel, nullptr);
  EXPECT_EQ(O.counts(Uniform, Space::Local)->worst.sectors, 4);
  EXPECT_EQ(O.counts(Varying, Space::Local)->worst.sectors, 32);
}

TEST(Spaces, AllocationsAreNotTakenForStacksOfLargeBlocks) {
  static Site S;
  S = site();
  Buffer<int> Data(1024);
  auto Kernel = [](void **A) { load(S, key(1), argument<int>(A) + thread()); };
  const Outcome O = run(Kernel, Data.data, {.grid = {4, 1, 1}, .block = {1024, 1, 1}, .together = true});
  EXPECT_FALSE(O.counts(S, Space::Local));
  EXPECT_EQ(O.counts(S, Space::Global)->lanes, 4096u);
}

TEST(Spaces, ConstantVariablesCountAddresses) {
  static Site Uniform, Varying;
  Uniform = site();
  Varying = site();
  static int Table[64];
  runtime().memory.add(uint64_t(Table), sizeof Table, ObjectKind::Constant, "Table");
  auto Kernel = [](void **) {
    load(Uniform, key(1), &Table[3]);
    load(Varying, key(2), &Table[thread() / 2]);
  };
  const Outcome O = run(Kernel, nullptr);
  runtime().memory.remove(uint64_t(Table), ObjectKind::Constant);
  EXPECT_EQ(O.counts(Uniform, Space::Constant)->worst.distinctAddresses, 1);
  EXPECT_EQ(O.counts(Varying, Space::Constant)->worst.distinctAddresses, 16);
}

TEST(Spaces, OnePlaceInTwoSpacesIsTwo) {
  static Site S;
  S = site();
  Buffer<int> Data(32);
  auto Kernel = [](void **A) {
    int *Shared = reinterpret_cast<int *>(warplintReplayThread->shared);
    load(S, key(1), (thread() < 16 ? Shared : argument<int>(A)) + thread());
  };
  const Outcome O = run(Kernel, Data.data, {.staticShared = 128});
  EXPECT_EQ(O.counts(S, Space::Shared)->maxLanes, 16u);
  EXPECT_EQ(O.counts(S, Space::Global)->maxLanes, 16u);
}

TEST(Spaces, LanesInTwoAllocationsAreOneRequest) {
  static Site S;
  S = site();
  Buffer<int> First(32), Second(32);
  static int *Both[2];
  Both[0] = First.data;
  Both[1] = Second.data;
  auto Kernel = [](void **) { load(S, key(1), Both[thread() & 1]); };
  const Outcome O = run(Kernel, nullptr);
  EXPECT_EQ(O.counts(S, Space::Global)->requests, 1u);
  EXPECT_EQ(O.counts(S, Space::Global)->worst.sectors, 2);
}

TEST(Spaces, AtomicsCountLanesPerAddress) {
  static Site S;
  S = site(SiteOperation::Atomic);
  Buffer<int> Data(32);
  auto Kernel = [](void **A) { load(S, key(1), argument<int>(A) + thread() % 4); };
  const Outcome O = run(Kernel, Data.data);
  EXPECT_EQ(O.counts(S, Space::Global)->lanesPerAddress, 8u);
  EXPECT_EQ(O.counts(S, Space::Global)->atomicAddresses, 4u);
}

//===-- Bounds --------------------------------------------------------------===//

TEST(Bounds, OneElementBehindTheEnd) {
  static Site S;
  S = site(SiteOperation::Store);
  Buffer<int> Data(1000);
  auto Kernel = [](void **A) { store(S, key(1), argument<int>(A) + block() * 256 + thread(), 1); };
  const Outcome O = run(Kernel, Data.data, {.grid = {4, 1, 1}, .block = {256, 1, 1}});
  ASSERT_TRUE(O.failure);
  EXPECT_EQ(O.failure->code, ErrorIllegalAddress);
  EXPECT_EQ(O.failure->kind, "out-of-bounds");
  EXPECT_EQ(O.failure->site, &S);
  EXPECT_EQ(O.failure->block[0], 3u);
  EXPECT_EQ(O.failure->thread[0], 1000u - 768);
  EXPECT_THAT(O.failure->message, HasSubstr("store of 4 bytes"));
  EXPECT_THAT(O.failure->message, HasSubstr("0 bytes behind the end of an allocation of 4000 bytes (element 1000 of 1000)"));
}

//===-- Without recording -------------------------------------------------------===//

static Site Checked;

TEST(Checks, OneElementBehindTheEnd) {
  Checked = site(SiteOperation::Store);
  Buffer<int> Data(1000);
  auto Kernel = [](void **A) { storeChecked(Checked, argument<int>(A) + block() * 256 + thread(), 1); };
  const Outcome O = run(Kernel, Data.data, {.grid = {4, 1, 1}, .block = {256, 1, 1}, .recorded = false});
  ASSERT_TRUE(O.failure);
  EXPECT_EQ(O.failure->kind, "out-of-bounds");
  EXPECT_EQ(O.failure->site, &Checked);
  EXPECT_EQ(O.failure->block[0], 3u);
  EXPECT_EQ(O.failure->thread[0], 1000u - 768);
  EXPECT_THAT(O.failure->message, HasSubstr("(element 1000 of 1000)"));
  EXPECT_FALSE(run(Kernel, Data.data, {.grid = {3, 1, 1}, .block = {256, 1, 1}, .recorded = false}).failure);
}

TEST(Checks, WhatIsAllowedIsRemembered) {
  Checked = site(SiteOperation::Store);
  Buffer<int> Data(64);
  auto Kernel = [](void **A) { storeChecked(Checked, argument<int>(A) + thread(), 1); };
  EXPECT_FALSE(run(Kernel, Data.data, {.recorded = false}).failure);
  EXPECT_EQ(Checked.checked.begin, uint64_t(Data.data));
  EXPECT_EQ(Checked.checked.starts, 64u * 4 - 3);
  EXPECT_EQ(Checked.checked.misaligned, 3u);
}

TEST(Checks, SharedMemoryAndItsEnd) {
  Checked = site(SiteOperation::Store);
  auto Kernel = [](void **) {
    storeChecked(Checked, reinterpret_cast<int *>(warplintReplayThread->shared) + thread(), 1);
  };
  const Shapes Fits{.grid = {3, 1, 1}, .staticShared = 128, .recorded = false};
  EXPECT_FALSE(run(Kernel, nullptr, Fits).failure);
  const Outcome O = run(Kernel, nullptr, {.block = {33, 1, 1}, .staticShared = 128, .recorded = false});
  ASSERT_TRUE(O.failure);
  EXPECT_EQ(O.failure->thread[0], 32u);
}

TEST(Checks, Misaligned) {
  Checked = site(SiteOperation::Store);
  Buffer<int> Data(64);
  auto Kernel = [](void **A) {
    storeChecked(Checked, argument<int>(A), 1);
    storeChecked(Checked, reinterpret_cast<int *>(argument<char>(A) + 4 + (thread() == 5)), 1);
  };
  const Outcome O = run(Kernel, Data.data, {.recorded = false});
  ASSERT_TRUE(O.failure);
  EXPECT_EQ(O.failure->kind, "misaligned");
  EXPECT_EQ(O.failure->thread[0], 5u);
}

TEST(Checks, MemoryThatDeviceCodeFreed) {
  Checked = site(SiteOperation::Store);
  auto Kernel = [](void **) {
    int *Own = static_cast<int *>(warplintReplayMalloc(64));
    storeChecked(Checked, Own, 1);
    warplintReplayFree(Own);
    if (thread() == 3)
      warplintReplayCheck(&Checked, uint64_t(Own));
    EXPECT_EQ(Checked.checked.starts, 0u);
  };
  const Outcome O = run(Kernel, nullptr, {.recorded = false});
  ASSERT_TRUE(O.failure);
  EXPECT_EQ(O.failure->thread[0], 3u);
}

//===-- With recording ----------------------------------------------------------===//

TEST(Bounds, TheLastElementIsInside) {
  static Site S;
  S = site(SiteOperation::Store);
  Buffer<int> Data(1024);
  auto Kernel = [](void **A) { store(S, key(1), argument<int>(A) + block() * 256 + thread(), 1); };
  EXPECT_FALSE(run(Kernel, Data.data, {.grid = {4, 1, 1}, .block = {256, 1, 1}}).failure);
}

TEST(Bounds, BeforeTheStart) {
  static Site S;
  S = site();
  Buffer<int> Data(16);
  auto Kernel = [](void **A) { load(S, key(1), argument<int>(A) + int(thread()) - 1); };
  const Outcome O = run(Kernel, Data.data, {.block = {8, 1, 1}});
  ASSERT_TRUE(O.failure);
  EXPECT_THAT(O.failure->message, HasSubstr("4 bytes before the start of an allocation of 64 bytes (element -1 of 16)"));
}

TEST(Bounds, ANullPointer) {
  static Site S;
  S = site();
  auto Kernel = [](void **) { load(S, key(1), reinterpret_cast<int *>(uint64_t(4))); };
  const Outcome O = run(Kernel, nullptr);
  ASSERT_TRUE(O.failure);
  EXPECT_THAT(O.failure->message, HasSubstr("a null pointer"));
}

TEST(Bounds, SharedMemory) {
  static Site S;
  S = site();
  auto Kernel = [](void **) {
    load(S, key(1), reinterpret_cast<int *>(warplintReplayThread->shared) + thread());
  };
  EXPECT_FALSE(run(Kernel, nullptr, {.staticShared = 128}).failure);
  S = site(); // knows the counts of a configuration that is gone; a program's configurations stay
  const Outcome O = run(Kernel, nullptr, {.block = {33, 1, 1}, .staticShared = 128});
  ASSERT_TRUE(O.failure);
  EXPECT_THAT(O.failure->message, HasSubstr("byte 128 of the block's 128 bytes of shared memory"));
}

TEST(Bounds, MisalignedVectors) {
  static Site Vector, Byte;
  Vector = site(SiteOperation::Load, 8);
  Byte = site(SiteOperation::Load, 1);
  Buffer<char> Data(64);
  auto Kernel = [](void **A) { warplintReplayAccess(&Vector, key(1), argument<char>(A) + 4); };
  const Outcome O = run(Kernel, Data.data);
  ASSERT_TRUE(O.failure);
  EXPECT_EQ(O.failure->code, ErrorMisalignedAddress);
  auto Bytes = [](void **A) { warplintReplayAccess(&Byte, key(1), argument<char>(A) + 3); };
  EXPECT_FALSE(run(Bytes, Data.data).failure);
}

TEST(Bounds, AFaultOfCodeWithoutHooks) {
  auto Kernel = [](void **) { *reinterpret_cast<volatile int *>(uint64_t(64) + thread()) = 1; };
  const Outcome O = run(Kernel, nullptr);
  ASSERT_TRUE(O.failure);
  EXPECT_EQ(O.failure->code, ErrorIllegalAddress);
  // The next kernel runs as if nothing had been.
  EXPECT_FALSE(run([](void **) {}, nullptr).failure);
}

TEST(Bounds, FreedMemoryIsOutside) {
  static Site S;
  S = site();
  auto Kernel = [](void **A) { load(S, key(1), argument<int>(A)); };
  Buffer<int> Other(4);
  int *Data;
  {
    Buffer<int> Gone(4);
    Data = Gone.data;
  }
  EXPECT_TRUE(run(Kernel, Data).failure);
}

TEST(Bounds, HeapOfDeviceCode) {
  static Site S;
  S = site(SiteOperation::Store);
  auto Kernel = [](void **) {
    int *Mine = static_cast<int *>(warplintReplayMalloc(16));
    store(S, key(1), Mine + 3, 1);
    warplintReplayFree(Mine);
  };
  EXPECT_FALSE(run(Kernel, nullptr).failure);
  auto Behind = [](void **) { store(S, key(1), static_cast<int *>(warplintReplayMalloc(16)) + 4, 1); };
  EXPECT_TRUE(run(Behind, nullptr).failure);
}

TEST(Bounds, EndlessRecursion) {
  struct Deep {
    static int down(volatile int *N) {
      volatile char Space[512];
      Space[0] = 1;
      return *N ? down(N) + Space[0] : 0;
    }
  };
  auto Kernel = [](void **A) { Deep::down(argument<int>(A)); };
  Buffer<int> Forever(1);
  *Forever.data = 1;
  const Outcome O = run(Kernel, Forever.data);
  ASSERT_TRUE(O.failure);
  EXPECT_THAT(O.failure->message, HasSubstr("stack overflowed"));
}

TEST(Failures, TrapsAndAssertions) {
  const Outcome Trap = run([](void **) { warplintReplayTrap(); }, nullptr);
  ASSERT_TRUE(Trap.failure);
  EXPECT_EQ(Trap.failure->code, ErrorLaunchFailure);
  testing::internal::CaptureStderr();
  const Outcome Assert = run(
      [](void **) {
        if (thread() == 3)
          warplintReplayAssertFail("x > 0", "a.cu", 12, "void f()");
      },
      nullptr);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "a.cu:12: void f(): block: [0,0,0], thread: [3,0,0] Assertion `x > 0` failed.\n");
  ASSERT_TRUE(Assert.failure);
  EXPECT_EQ(Assert.failure->code, ErrorAssert);
}

//===-- Sampling ------------------------------------------------------------===//

TEST(Sampling, FirstLastAndEvenlyBetween) {
  EXPECT_THAT(spread(10, 4), testing::ElementsAre(0, 3, 6, 9));
  EXPECT_THAT(spread(3, 7), testing::ElementsAre(0, 1, 2));
  EXPECT_THAT(spread(9, 1), testing::ElementsAre(0));
  EXPECT_THAT(spread(9, 0), testing::IsEmpty());
  const std::vector<uint64_t> Many = spread(uint64_t(1) << 40, 1000);
  EXPECT_EQ(std::set<uint64_t>(Many.begin(), Many.end()).size(), 1000u);
  EXPECT_EQ(Many.back(), (uint64_t(1) << 40) - 1);
}

TEST(Sampling, Budgets) {
  const WarpBudget B{100, 1000};
  EXPECT_EQ(B.blocks(50, 8, 0, true), 12u);
  EXPECT_EQ(B.blocks(5, 8, 0, true), 5u);
  EXPECT_EQ(B.blocks(50, 8, 960, true), 5u);
  EXPECT_EQ(B.blocks(50, 8, 1000, true), 1u);
  EXPECT_EQ(B.blocks(50, 8, 1000, false), 0u);
  EXPECT_EQ(WarpBudget{}.blocks(1000000, 32, 12345678, false), 1000000u);
}
