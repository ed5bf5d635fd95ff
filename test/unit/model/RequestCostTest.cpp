//===-- RequestCostTest.cpp - One cost for all memories, and the order of requests -------------===//
#include "analyzer/model/RequestCost.h"
#include "gtest/gtest.h"

using namespace warplint::model;

static Request strided(unsigned Width, int64_t Stride, uint32_t Active = ~uint32_t(0)) {
  Request R;
  R.width = Width;
  R.active = Active;
  for (unsigned Lane = 0; Lane < WarpLanes; ++Lane)
    R.address[Lane] = int64_t(Lane) * Stride;
  return R;
}

TEST(RequestCost, EachMemoryHasItsNumbers) {
  const RequestCost Global = costOf(Memory::Global, strided(4, 8), true);
  EXPECT_EQ(Global.lines, 2);
  EXPECT_EQ(Global.sectors, 8);
  EXPECT_EQ(Global.idealSectors, 4);
  EXPECT_EQ(Global.wavefronts, 0);
  EXPECT_EQ(costOf(Memory::Shared, strided(4, 8), true).conflictWays, 2);
  EXPECT_EQ(costOf(Memory::Constant, strided(4, 8), true).distinctAddresses, 32);
  // One index for all threads is what local memory is laid out for.
  EXPECT_EQ(costOf(Memory::Local, strided(4, 0), true).sectors, 4);
}

TEST(RequestCost, LoadsMergePhasesAndMatricesDoNot) {
  const Request Pairs = strided(8, 0);
  EXPECT_EQ(costOf(Memory::Shared, Pairs, true).wavefronts, 1);
  EXPECT_EQ(costOf(Memory::Shared, Pairs, false).wavefronts, 2);
  EXPECT_EQ(costOf(Memory::Shared, strided(16, 0), true, /*IsMatrix=*/true).wavefronts, 4);
}

TEST(RequestCost, OrderOfRequests) {
  auto Worse = [](Memory Where, const RequestCost &A, unsigned LanesA, const RequestCost &B,
                  unsigned LanesB) {
    EXPECT_FALSE(worseThan(Where, A, LanesA, B, LanesB) && worseThan(Where, B, LanesB, A, LanesA));
    return worseThan(Where, A, LanesA, B, LanesB);
  };
  auto Sectors = [](double Count, double Ideal) {
    RequestCost C;
    C.sectors = Count;
    C.idealSectors = Ideal;
    return C;
  };
  // What is wasted comes first, be it of fewer sectors; then sectors; then fewer lanes.
  EXPECT_TRUE(Worse(Memory::Global, Sectors(2, 1), 8, Sectors(4, 4), 32));
  EXPECT_TRUE(Worse(Memory::Global, Sectors(4, 4), 32, Sectors(2, 2), 16));
  EXPECT_TRUE(Worse(Memory::Global, Sectors(4, 4), 31, Sectors(4, 4), 32));
  EXPECT_FALSE(Worse(Memory::Global, Sectors(4, 4), 32, Sectors(4, 4), 32));
  RequestCost Ways, Wavefronts;
  Ways.conflictWays = 3, Ways.wavefronts = 3;
  Wavefronts.conflictWays = 2, Wavefronts.wavefronts = 8;
  EXPECT_TRUE(Worse(Memory::Shared, Ways, 32, Wavefronts, 32));
  EXPECT_FALSE(Worse(Memory::Global, Ways, 32, Wavefronts, 32));
}
