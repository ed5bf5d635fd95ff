//===-- ShapesTest.cpp - Warps of blocks, and boxes ---------------------------===//
#include "analyzer/kernel/Shapes.h"
#include "gtest/gtest.h"
#include <functional>
#include <random>
#include <set>

using namespace warplint::kernel;

/// 32 consecutive linear thread ids are a warp; every warp of the block comes up exactly once.
static void check(std::array<unsigned, 3> B) {
  SCOPED_TRACE(std::to_string(B[0]) + "x" + std::to_string(B[1]) + "x" + std::to_string(B[2]));
  const unsigned Threads = B[0] * B[1] * B[2];
  std::set<unsigned> Warps;
  for (const WarpShape &S : warpShapes(B)) {
    for (int64_t Z = S.warps[WarpZ].low; Z <= S.warps[WarpZ].high; ++Z)
      for (int64_t Y = S.warps[WarpY].low; Y <= S.warps[WarpY].high; ++Y)
        for (int64_t X = S.warps[WarpX].low; X <= S.warps[WarpX].high; ++X) {
          const std::array<int64_t, 3> At{X, Y, Z};
          int64_t First = -1;
          for (unsigned L = 0; L < 32; ++L) {
            if (!(S.lanes >> L & 1))
              continue;
            std::array<int64_t, 3> T;
            for (unsigned Axis = 0; Axis < 3; ++Axis) {
              T[Axis] = S.thread[Axis][L] + S.scale[Axis] * At[Axis];
              ASSERT_GE(T[Axis], 0);
              ASSERT_LT(T[Axis], int64_t(B[Axis]));
            }
            int64_t Id = T[0] + T[1] * B[0] + T[2] * B[0] * B[1];
            if (First < 0)
              First = Id - L;
            ASSERT_EQ(Id, First + L);
          }
          ASSERT_GE(First, 0);
          ASSERT_EQ(First % 32, 0);
          ASSERT_TRUE(Warps.insert(unsigned(First / 32)).second);
          unsigned Left = Threads - unsigned(First);
          ASSERT_EQ(S.lanes, Left >= 32 ? AllLanes : (LaneMask(1) << Left) - 1);
        }
  }
  ASSERT_EQ(Warps.size(), (Threads + 31) / 32);
}

TEST(Shapes, EveryWarpOnce) {
  // Every shape up to 256 threads; beyond that, every 7th, and all with a side that is a power of two.
  unsigned N = 0;
  for (unsigned X = 1; X <= 1024; ++X)
    for (unsigned Y = 1; X * Y <= 1024; ++Y)
      for (unsigned Z = 1; X * Y * Z <= 1024 && Z <= 64; ++Z)
        if (X * Y * Z <= 256 || ++N % 7 == 0 || (X & (X - 1)) == 0)
          ASSERT_NO_FATAL_FAILURE(check({X, Y, Z}));
}

TEST(Shapes, WithoutPartitions) {
  std::mt19937 Random(1);
  auto Inside = [](const Box &B, const std::array<int64_t, 6> &P) {
    for (unsigned D = 0; D < DimensionCount; ++D)
      if (P[D] < B[D].low || P[D] > B[D].high)
        return false;
    return true;
  };
  for (unsigned Round = 0; Round < 500; ++Round) {
    Box Whole, Part;
    for (unsigned D = 0; D < DimensionCount; ++D) {
      int64_t Low = Random() % 5, Size = 1 + Random() % 4;
      Whole[D] = {Low, Low + Size - 1};
      int64_t A = Low + int64_t(Random() % Size), B = Low + int64_t(Random() % Size);
      Part[D] = {std::min(A, B), std::max(A, B)};
    }
    std::vector<Box> Rest = without(Whole, Part);
    std::array<int64_t, 6> P;
    std::function<void(unsigned)> Walk = [&](unsigned D) {
      if (D < DimensionCount) {
        for (P[D] = Whole[D].low; P[D] <= Whole[D].high; ++P[D])
          Walk(D + 1);
        return;
      }
      unsigned In = Inside(Part, P);
      for (const Box &B : Rest)
        In += Inside(B, P);
      ASSERT_EQ(In, 1u);
    };
    ASSERT_NO_FATAL_FAILURE(Walk(0));
    double Volume = 0, Size = 1;
    auto VolumeOf = [](const Box &B) {
      double V = 1;
      for (const Interval &I : B)
        V *= I.size();
      return V;
    };
    for (const Box &B : Rest)
      Volume += VolumeOf(B);
    Size = VolumeOf(Whole);
    ASSERT_EQ(Volume + VolumeOf(Part), Size);
  }
}
