//===-- RuntimeTest.cpp - Threads that wait for each other -----------------------------------===//
#include "test/unit/replay-runtime/Device.h"

using namespace warplint::replay;
using namespace warplint::replay::test;
using testing::HasSubstr;

//===-- Barriers ------------------------------------------------------------===//

TEST(Barrier, EverybodyArrivesBeforeAnybodyGoesOn) {
  Buffer<int> Out(256);
  auto Kernel = [](void **A) {
    int *Shared = reinterpret_cast<int *>(warplintReplayThread->shared);
    Shared[thread()] = int(thread());
    warplintReplayBarrier(0, 0);
    argument<int>(A)[thread()] = Shared[255 - thread()];
  };
  EXPECT_FALSE(run(Kernel, Out.data, {.block = {256, 1, 1}, .staticShared = 1024}).failure);
  for (int I = 0; I < 256; ++I)
    EXPECT_EQ(Out.data[I], 255 - I);
}

TEST(Barrier, WithoutOneLaterThreadsHaveNotWritten) {
  Buffer<int> Out(256);
  auto Kernel = [](void **A) {
    int *Shared = reinterpret_cast<int *>(warplintReplayThread->shared);
    Shared[thread()] = int(thread());
    argument<int>(A)[thread()] = Shared[255 - thread()];
  };
  run(Kernel, Out.data, {.block = {256, 1, 1}, .staticShared = 1024});
  EXPECT_EQ(Out.data[0], 0);
}

TEST(Barrier, ThreadsThatEndedCountAsArrived) {
  Buffer<int> Out(64);
  auto Kernel = [](void **A) {
    if (thread() >= 40)
      return;
    warplintReplayBarrier(0, 0);
    argument<int>(A)[thread()] = 1;
  };
  EXPECT_FALSE(run(Kernel, Out.data, {.block = {64, 1, 1}}).failure);
  EXPECT_EQ(Out.data[39], 1);
  EXPECT_EQ(Out.data[40], 0);
}

TEST(Barrier, HalfABlockAtAnotherBarrierIsADeadlock) {
  auto Kernel = [](void **) { warplintReplayBarrier(thread() < 32 ? 1 : 2, 64); };
  const Outcome O = run(Kernel, nullptr, {.block = {64, 1, 1}});
  ASSERT_TRUE(O.failure);
  EXPECT_EQ(O.failure->kind, "deadlock");
  EXPECT_THAT(O.failure->message, HasSubstr("64 wait at a barrier"));
}

TEST(Barrier, NamedBarriersCountTheirThreads) {
  auto Kernel = [](void **) { warplintReplayBarrier(thread() < 32 ? 1 : 2, 32); };
  EXPECT_FALSE(run(Kernel, nullptr, {.block = {64, 1, 1}}).failure);
}

TEST(Barrier, ALastWarpThatIsNotFullCountsWhole) {
  auto Kernel = [](void **) { warplintReplayBarrier(1, 64); };
  EXPECT_FALSE(run(Kernel, nullptr, {.block = {48, 1, 1}}).failure);
}

TEST(Barrier, ProducersArriveAndConsumersWait) {
  Buffer<int> Out(64);
  auto Kernel = [](void **A) {
    int *Shared = reinterpret_cast<int *>(warplintReplayThread->shared);
    if (thread() >= 32) {
      Shared[thread() - 32] = int(thread());
      warplintReplayBarrierArrive(3, 64);
      return;
    }
    warplintReplayBarrier(3, 64);
    argument<int>(A)[thread()] = Shared[thread()];
  };
  EXPECT_FALSE(run(Kernel, Out.data, {.block = {64, 1, 1}, .staticShared = 128}).failure);
  EXPECT_EQ(Out.data[31], 63);
}

TEST(Barrier, Reductions) {
  Buffer<uint32_t> Out(64 * 3);
  auto Kernel = [](void **A) {
    for (uint32_t Kind = 0; Kind < 3; ++Kind)
      argument<uint32_t>(A)[Kind * 64 + thread()] = warplintReplayBarrierReduce(Kind, 0, 0, thread() % 4 == 0);
  };
  run(Kernel, Out.data, {.block = {64, 1, 1}});
  EXPECT_EQ(Out.data[5], 16u);
  EXPECT_EQ(Out.data[64 + 5], 0u);
  EXPECT_EQ(Out.data[128 + 5], 1u);
}

//===-- Lanes of a warp -----------------------------------------------------===//

TEST(Warp, ShuffleDownReduces) {
  Buffer<uint32_t> Out(64);
  auto Kernel = [](void **A) {
    uint32_t Sum = thread();
    for (uint32_t I = 0, Offset = 16; Offset; Offset /= 2, ++I)
      Sum += shuffle(1, Sum, Offset, key(1, I));
    argument<uint32_t>(A)[thread()] = Sum;
  };
  EXPECT_FALSE(run(Kernel, Out.data, {.block = {64, 1, 1}}).failure);
  EXPECT_EQ(Out.data[0], 496u);
  EXPECT_EQ(Out.data[32], 496u + 32 * 32);
}

TEST(Warp, ShuffleModes) {
  Buffer<uint64_t> Out(32 * 4);
  auto Kernel = [](void **A) {
    const uint32_t B[] = {3, 3, 5, 7}, C[] = {0, 31, 31, 31};
    for (uint32_t Mode = 0; Mode < 4; ++Mode)
      argument<uint64_t>(A)[Mode * 32 + lane()] =
          warplintReplayShuffle(Mode, ~0u, lane() + 100, B[Mode], C[Mode], key(1, Mode));
  };
  run(Kernel, Out.data);
  const uint64_t Yes = uint64_t(1) << 32;
  EXPECT_EQ(Out.data[2], 102u); // up: nobody is below
  EXPECT_EQ(Out.data[3], Yes | 100);
  EXPECT_EQ(Out.data[32 + 28], Yes | 131);
  EXPECT_EQ(Out.data[32 + 29], 129u);
  EXPECT_EQ(Out.data[64 + 8], Yes | 113);
  EXPECT_EQ(Out.data[96 + 8], Yes | 107);
}

TEST(Warp, ShuffleWithinSegments) {
  Buffer<uint64_t> Out(32);
  auto Kernel = [](void **A) { // width 8: c = (32 - 8) << 8 | 31
    argument<uint64_t>(A)[lane()] = warplintReplayShuffle(1, ~0u, lane(), 3, 24 << 8 | 31, key(1));
  };
  run(Kernel, Out.data);
  EXPECT_EQ(uint32_t(Out.data[4]), 7u);
  EXPECT_EQ(Out.data[5], 5u);
}

TEST(Warp, PartialMasksGoOnByThemselves) {
  Buffer<uint32_t> Out(32);
  auto Kernel = [](void **A) {
    if (lane() < 8)
      argument<uint32_t>(A)[lane()] = warplintReplayVote(3, 0xff, lane() & 1, key(1));
    else
      argument<uint32_t>(A)[lane()] = warplintReplayVote(3, 0xffffff00, 1, key(2));
  };
  EXPECT_FALSE(run(Kernel, Out.data).failure);
  EXPECT_EQ(Out.data[3], 0xaau);
  EXPECT_EQ(Out.data[9], 0xffffff00u);
}

TEST(Warp, LanesThatEndedAreNotWaitedFor) {
  Buffer<uint32_t> Out(32);
  auto Kernel = [](void **A) {
    if (lane() >= 10)
      return;
    argument<uint32_t>(A)[lane()] = warplintReplayVote(3, ~0u, 1, key(1));
  };
  EXPECT_FALSE(run(Kernel, Out.data).failure);
  EXPECT_EQ(Out.data[0], 0x3ffu);
  EXPECT_TRUE(runtime().warnings.empty());
}

TEST(Warp, LanesOfTheMaskThatNeverComeAreToldOf) {
  Buffer<uint32_t> Out(32);
  auto Kernel = [](void **A) {
    if (lane() < 16)
      argument<uint32_t>(A)[lane()] = warplintReplayVote(3, ~0u, 1, key(1));
    warplintReplayBarrier(0, 0);
  };
  EXPECT_FALSE(run(Kernel, Out.data).failure);
  EXPECT_EQ(Out.data[0], 0xffffu);
  EXPECT_EQ(runtime().warnings.size(), 1u);
  runtime().warnings.clear();
}

TEST(Warp, SyncWarpAtTwoPlaces) {
  auto Kernel = [](void **) { warplintReplaySyncWarp(~0u, key(lane() < 16 ? 1 : 2)); };
  EXPECT_FALSE(run(Kernel, nullptr).failure);
  EXPECT_TRUE(runtime().warnings.empty());
}

TEST(Warp, SyncWarpMakesWritesSeen) {
  Buffer<int> Out(32);
  auto Kernel = [](void **A) {
    int *Shared = reinterpret_cast<int *>(warplintReplayThread->shared);
    Shared[lane()] = int(lane());
    warplintReplaySyncWarp(~0u, key(1));
    argument<int>(A)[lane()] = Shared[31 - lane()];
  };
  run(Kernel, Out.data, {.staticShared = 128});
  EXPECT_EQ(Out.data[0], 31);
}

TEST(Warp, ActiveMaskIsWhoStandsThere) {
  Buffer<uint32_t> Out(32);
  auto Kernel = [](void **A) {
    if (lane() % 3 == 0)
      argument<uint32_t>(A)[lane()] = warplintReplayActiveMask(key(1));
    warplintReplayBarrier(0, 0);
  };
  EXPECT_FALSE(run(Kernel, Out.data).failure);
  EXPECT_EQ(Out.data[3], 0x49249249u);
}

TEST(Warp, ActiveMasksOfTwoBranchesAreTwo) {
  Buffer<uint32_t> Out(32);
  auto Kernel = [](void **A) {
    argument<uint32_t>(A)[lane()] = warplintReplayActiveMask(key(lane() < 4 ? 1 : 2));
  };
  run(Kernel, Out.data);
  EXPECT_EQ(Out.data[0], 0xfu);
  EXPECT_EQ(Out.data[4], 0xfffffff0u);
}

TEST(Warp, MatchAndRedux) {
  Buffer<uint64_t> Out(32 * 4);
  auto Kernel = [](void **A) {
    uint64_t *Out = argument<uint64_t>(A);
    Out[lane()] = warplintReplayMatchAny(~0u, lane() / 8 | uint64_t(1) << 40, key(1));
    Out[32 + lane()] = warplintReplayMatchAll(~0u, lane() / 32, key(2));
    Out[64 + lane()] = warplintReplayMatchAll(~0u, lane() / 31, key(3));
    Out[96 + lane()] = warplintReplayRedux(3, ~0u, lane() - 7, key(4));
  };
  run(Kernel, Out.data);
  EXPECT_EQ(Out.data[9], 0xff00u);
  EXPECT_EQ(Out.data[32], uint64_t(1) << 32 | 0xffffffff);
  EXPECT_EQ(Out.data[64], 0u);
  EXPECT_EQ(uint32_t(Out.data[96]), uint32_t(-7));
}

//===-- Legacy code ---------------------------------------------------------===//

static void foldVolatile(int *Shared, uint32_t T, bool Hooks) {
  volatile int *S = Shared;
  for (uint32_t I = 0, Offset = 16; Offset; Offset /= 2, ++I) {
    if (Hooks) {
      const int Other = touchVolatile(&S[T + Offset], key(1, I));
      const int Mine = touchVolatile(&S[T], key(2, I));
      touchVolatile(&S[T], key(3, I)) = Mine + Other;
    } else {
      S[T] = S[T] + S[T + Offset];
    }
  }
}

TEST(Legacy, VolatileReductionsMoveTogether) {
  Buffer<int> Out(2);
  auto Kernel = [](void **A) {
    int *Shared = reinterpret_cast<int *>(warplintReplayThread->shared);
    Shared[thread()] = int(thread());
    warplintReplayBarrier(0, 0);
    if (thread() < 32) {
      foldVolatile(Shared, thread(), true);
      if (thread() == 0)
        argument<int>(A)[0] = Shared[0];
    }
  };
  EXPECT_FALSE(run(Kernel, Out.data, {.block = {64, 1, 1}, .staticShared = 512}).failure);
  EXPECT_EQ(Out.data[0], 496);
}

TEST(Legacy, WithoutTheHookTheSumIsWrong) {
  Buffer<int> Out(2);
  auto Kernel = [](void **A) {
    int *Shared = reinterpret_cast<int *>(warplintReplayThread->shared);
    Shared[thread()] = int(thread());
    warplintReplayBarrier(0, 0);
    if (thread() < 32) {
      foldVolatile(Shared, thread(), false);
      if (thread() == 0)
        argument<int>(A)[0] = Shared[0];
    }
  };
  run(Kernel, Out.data, {.block = {64, 1, 1}, .staticShared = 512});
  EXPECT_NE(Out.data[0], 496);
}

TEST(Legacy, AVolatileSharedFlagOfAnotherWarpIsSeen) {
  auto Kernel = [](void **) {
    volatile int *Flag = reinterpret_cast<int *>(warplintReplayThread->shared);
    if (thread() < 32) {
      for (uint64_t I = 0; touchVolatile(Flag, key(1, I)) == 0; ++I) {
      }
    } else if (thread() == 63) {
      touchVolatile(Flag, key(2)) = 1;
    }
  };
  EXPECT_FALSE(run(Kernel, nullptr, {.block = {64, 1, 1}, .staticShared = 128}).failure);
}

//===-- Spinning ------------------------------------------------------------===//

TEST(Spinning, ALockWithinAWarp) {
  Buffer<int> Memory(2); // lock, counter
  auto Kernel = [](void **A) {
    int *M = argument<int>(A);
    for (bool Done = false; !Done;) {
      const bool Got = M[0] == 0;
      if (Got)
        M[0] = 1;
      warplintReplayAtomic(&M[0], !Got);
      if (!Got)
        continue;
      const int Before = M[1];
      warplintReplayYield(); // the others try meanwhile
      M[1] = Before + 1;
      M[0] = 0;
      warplintReplayAtomic(&M[0], 0);
      Done = true;
    }
  };
  EXPECT_FALSE(run(Kernel, Memory.data, {.grid = {2, 1, 1}, .block = {64, 1, 1}}).failure);
  EXPECT_EQ(Memory.data[1], 128);
}

TEST(Spinning, AnExchangeThatNeverFailsInName) {
  Buffer<int> Memory(2);
  auto Kernel = [](void **A) {
    int *M = argument<int>(A);
    auto Exchange = [&](int V) {
      const int Old = M[0];
      M[0] = V;
      warplintReplayAtomic(&M[0], 0);
      return Old;
    };
    while (Exchange(1) != 0) {
    }
    const int Before = M[1];
    warplintReplayYield();
    M[1] = Before + 1;
    Exchange(0);
  };
  EXPECT_FALSE(run(Kernel, Memory.data, {.block = {64, 1, 1}}).failure);
  EXPECT_EQ(Memory.data[1], 64);
}

/// One thread of each block tells the others' of it, and waits for theirs.
static void meetGrid(void **A) {
  int *Arrived = argument<int>(A);
  warplintReplayBarrier(0, 0);
  if (thread() == 0) {
    ++*Arrived;
    warplintReplayAtomic(Arrived, 0);
    while (touchVolatile(Arrived, 0) != 4) {
    }
  }
  warplintReplayBarrier(0, 0);
}

TEST(Spinning, BlocksThatRunTogetherMeet) {
  Buffer<int> Arrived(1);
  EXPECT_FALSE(run(meetGrid, Arrived.data, {.grid = {4, 1, 1}, .block = {64, 1, 1}, .together = true}).failure);
}

TEST(Spinning, CooperativeLaunchesHaveAPlaceToMeet) {
  Buffer<uint64_t> Out(1);
  auto Kernel = [](void **A) {
    *argument<uint64_t>(A) = uint64_t(warplintReplayEnvironmentRegister(1)) << 32 | warplintReplayEnvironmentRegister(2);
  };
  run(Kernel, Out.data, {.together = true});
  EXPECT_EQ(*Out.data, uint64_t(&runtime().gridWorkspace));
  run(Kernel, Out.data);
  EXPECT_EQ(*Out.data, 0u);
}

TEST(Spinning, ClustersWaitForEachOther) {
  Buffer<uint32_t> Out(8);
  auto Kernel = [](void **A) {
    uint32_t *Mine = reinterpret_cast<uint32_t *>(warplintReplayThread->shared);
    if (thread() == 0)
      *Mine = block();
    warplintReplayClusterArrive();
    warplintReplayClusterWait();
    const uint32_t Other = warplintReplayThread->clusterRank ^ 1;
    if (thread() == 0)
      argument<uint32_t>(A)[block()] = *static_cast<uint32_t *>(warplintReplayClusterShared(Mine, Other));
    warplintReplayClusterArrive();
    warplintReplayClusterWait();
  };
  EXPECT_FALSE(
      run(Kernel, Out.data, {.grid = {8, 1, 1}, .block = {64, 1, 1}, .cluster = {2, 1, 1}, .staticShared = 128})
          .failure);
  EXPECT_EQ(Out.data[0], 1u);
  EXPECT_EQ(Out.data[7], 6u);
}
