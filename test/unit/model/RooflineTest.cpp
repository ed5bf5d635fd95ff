//===-- RooflineTest.cpp - The worked matrix product, and every GPU's roof ---===//
#include "analyzer/model/Roofline.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace warplint::model;

namespace {

const Gpu &example() { return *findGpu("seed-20-1"); }

Work fp32(double Flops, double Bytes) {
  Work W;
  W.fp32Flops = Flops;
  W.bytes = Bytes;
  return W;
}

/// A whole product of N x N matrices of floats in tiles: 2 N^3 FLOP, 8 N^3 / Edge bytes.
Work product(double N, double Edge) { return fp32(2 * N * N * N, 8 * N * N * N / Edge); }

//===-- The worked example -------------------------------------------------===//

TEST(WorkedExample, NaiveProductIsAQuarterFlopPerByte) {
  EXPECT_EQ(tiledIntensity(1, 4), 0.25);
  const Roofline R = *roofline(example(), product(1024, 1));
  EXPECT_EQ(R.intensity, 0.25);
  EXPECT_EQ(R.machineBalance, 20);
  EXPECT_EQ(R.bound, Bound::Memory);
  EXPECT_EQ(R.attainableFlopsPerSecond, 0.25e12);
  EXPECT_EQ(R.secondsFloor, 8.0 * 1024 * 1024 * 1024 / 1e12);
}

TEST(WorkedExample, TileOfThirtyTwoIsStillBoundByMemory) {
  for (unsigned Edge : {2u, 8u, 16u, 32u, 64u, 80u})
    EXPECT_EQ(tiledIntensity(Edge, 4), Edge / 4.0);
  const Roofline R = *roofline(example(), product(1024, 32));
  EXPECT_EQ(R.intensity, 8);
  EXPECT_EQ(R.bound, Bound::Memory);
  EXPECT_EQ(R.attainableFlopsPerSecond, 8e12);
  // 32 times less traffic than the naive product, so 32 times the speed.
  EXPECT_EQ(roofline(example(), product(1024, 1))->secondsFloor / R.secondsFloor, 32);
}

TEST(WorkedExample, CrossoverAtEighty) {
  EXPECT_EQ(crossoverEdge(0.25, 1, 20), 80u);
  EXPECT_EQ(crossoverEdge(8, 32, 20), 80u);
  // Per output element, in the loop over N: 2 FLOP and 8 / T bytes.
  EXPECT_EQ(roofline(example(), fp32(2, 8.0 / 79))->bound, Bound::Memory);
  EXPECT_EQ(roofline(example(), fp32(2, 8.0 / 80))->bound, Bound::Compute);
  EXPECT_EQ(roofline(example(), product(1000, 80))->bound, Bound::Compute);
  EXPECT_EQ(roofline(example(), product(1000, 79))->bound, Bound::Memory);
  EXPECT_EQ(*roofline(example(), product(1000, 160))->attainableFlopsPerSecond, 20e12);
}

TEST(WorkedExample, TilesOfEightyDoNotFitIntoSharedMemory) {
  const uint64_t Static = smLimits(80)->sharedBytesPerBlock;
  EXPECT_EQ(tilePairBytes(80, 4), 51200u);
  EXPECT_GT(tilePairBytes(80, 4), Static);
  EXPECT_LE(tilePairBytes(32, 4), Static);
  EXPECT_EQ(tilePairBytes(UINT64_MAX, 4), UINT64_MAX);
}

TEST(WorkedExample, ByHandIsTheSameMachine) {
  llvm::Expected<Gpu> G = parseGpu("peak=20e12,bw=1e12");
  ASSERT_TRUE(bool(G));
  EXPECT_EQ(roofline(*G, product(64, 32))->machineBalance, 20);
  EXPECT_EQ(roofline(*G, product(64, 32))->secondsFloor, roofline(example(), product(64, 32))->secondsFloor);
}

//===-- Any machine --------------------------------------------------------===//

TEST(Roofline, IsTheLesserOfPeakAndSlope) {
  for (const Gpu &G : gpus())
    for (double Intensity = 1.0 / 64; Intensity < 2048; Intensity *= 2) {
      SCOPED_TRACE(G.key.str() + " at " + std::to_string(Intensity));
      const Roofline R = *roofline(G, fp32(Intensity * 4096, 4096));
      EXPECT_EQ(R.intensity, Intensity);
      EXPECT_EQ(R.machineBalance, G.fp32FlopsPerSecond / G.bytesPerSecond);
      EXPECT_EQ(R.attainableFlopsPerSecond, std::min(G.fp32FlopsPerSecond, Intensity * G.bytesPerSecond));
      EXPECT_EQ(R.bound, Intensity >= *R.machineBalance ? Bound::Compute : Bound::Memory);
      EXPECT_NEAR(*R.attainableFlopsPerSecond * R.secondsFloor, Intensity * 4096, 1e-9 * Intensity * 4096);
    }
}

TEST(Roofline, TheSlowestPipeCounts) {
  const Gpu &H100 = *findGpu("h100");
  Work W = fp32(67e12, 1e9);
  W.fp64Flops = 68e12; // two seconds, beside one of FP32
  const Roofline R = *roofline(H100, W);
  EXPECT_EQ(R.pipe, Pipe::Fp64);
  EXPECT_EQ(R.secondsFloor, 2);
  EXPECT_EQ(R.machineBalance, 34e12 / 3350e9);
  EXPECT_EQ(R.bound, Bound::Compute);
  EXPECT_DOUBLE_EQ(*R.attainableFlopsPerSecond, (67e12 + 68e12) / 2);
  W.fp64Flops = 30e12;
  EXPECT_EQ(roofline(H100, W)->pipe, Pipe::Fp32);
  EXPECT_EQ(roofline(H100, W)->secondsFloor, 1);
  // Tensor cores: 989 TFLOP/s, so the same traffic bounds by memory much longer.
  Work Tensor;
  Tensor.tensorFp16Flops = 100;
  Tensor.bytes = 1;
  EXPECT_EQ(roofline(H100, Tensor)->bound, Bound::Memory);
  EXPECT_EQ(roofline(H100, Tensor)->pipe, Pipe::TensorFp16);
  EXPECT_EQ(roofline(H100, fp32(100, 1))->bound, Bound::Compute);
}

TEST(Roofline, ArithmeticOfUnknownPeakProvesNoMemoryBound) {
  Work W = fp32(1, 1);
  EXPECT_EQ(roofline(example(), W)->bound, Bound::Memory);
  W.fp64Flops = 1; // no FP64 peak there
  EXPECT_EQ(roofline(example(), W)->bound, std::nullopt);
  EXPECT_EQ(roofline(example(), W)->machineBalance, 20);
  W.fp64Flops = 0;
  W.more = true;
  EXPECT_EQ(roofline(example(), W)->bound, std::nullopt);
  // More arithmetic does not make it less bound by arithmetic.
  W.fp32Flops = 100;
  EXPECT_EQ(roofline(example(), W)->bound, Bound::Compute);
  Work Double;
  Double.fp64Flops = 1;
  Double.bytes = 1;
  const Roofline R = *roofline(example(), Double);
  EXPECT_EQ(R.pipe, Pipe::Fp64);
  EXPECT_EQ(R.machineBalance, std::nullopt);
  EXPECT_EQ(R.bound, std::nullopt);
  EXPECT_EQ(R.intensity, 1);
  EXPECT_EQ(R.secondsFloor, 1e-12);
  // With a peak there is an answer.
  llvm::Expected<Gpu> G = parseGpu("peak=20e12,bw=1e12,fp64=10e12");
  ASSERT_TRUE(bool(G));
  EXPECT_EQ(roofline(*G, Double)->bound, Bound::Memory);
  EXPECT_EQ(roofline(*G, Double)->machineBalance, 10);
}

TEST(Roofline, OtherArithmeticIsRatedAtItsSlowest) {
  const Gpu &A100 = *findGpu("a100"), &Rtx4090 = *findGpu("rtx4090"); // balances of 9.6 and 82
  OtherWork Other;
  EXPECT_FALSE(mayOutlastMemory(A100, fp32(0, 4), Other));
  Other.integerOps = 18; // two FLOP each on the A100, four on the other; 4 bytes are 38 and 328
  EXPECT_FALSE(mayOutlastMemory(A100, fp32(0, 4), Other));
  Other.integerOps = 20;
  EXPECT_TRUE(mayOutlastMemory(A100, fp32(0, 4), Other));
  EXPECT_FALSE(mayOutlastMemory(Rtx4090, fp32(0, 4), Other));
  Other.integerOps = 83;
  EXPECT_TRUE(mayOutlastMemory(Rtx4090, fp32(0, 4), Other));
  // Addresses of the operands.
  EXPECT_FALSE(mayOutlastMemory(A100, fp32(11, 4), Other));
  EXPECT_TRUE(mayOutlastMemory(A100, fp32(10, 4), Other));
  Other = {};
  Other.specialOps = 1;
  EXPECT_TRUE(mayOutlastMemory(A100, fp32(0, 4), Other));
  EXPECT_FALSE(mayOutlastMemory(A100, fp32(0, 8), Other));
  Other = {};
  Other.fp16Flops = 4;
  EXPECT_FALSE(mayOutlastMemory(A100, fp32(0, 1), Other));
  EXPECT_TRUE(mayOutlastMemory(*findGpu("gtx1080ti"), fp32(0, 1), Other)); // 1/64 of its FP32
}

TEST(Roofline, LimitingCases) {
  const Roofline Copy = *roofline(example(), fp32(0, 8));
  EXPECT_EQ(Copy.intensity, 0);
  EXPECT_EQ(Copy.bound, Bound::Memory);
  EXPECT_EQ(Copy.attainableFlopsPerSecond, 0);
  EXPECT_EQ(Copy.machineBalance, 20);
  const Roofline NoTraffic = *roofline(example(), fp32(8, 0));
  EXPECT_EQ(NoTraffic.intensity, std::nullopt);
  EXPECT_EQ(NoTraffic.bound, Bound::Compute);
  EXPECT_EQ(NoTraffic.attainableFlopsPerSecond, 20e12);
  const Roofline Nothing = *roofline(example(), fp32(0, 0));
  EXPECT_EQ(Nothing.bound, std::nullopt);
  EXPECT_EQ(Nothing.secondsFloor, 0);
  EXPECT_EQ(Nothing.attainableFlopsPerSecond, std::nullopt);
}

TEST(Roofline, NoAnswerToNonsense) {
  const double Infinity = std::numeric_limits<double>::infinity();
  for (double Bad : {-1.0, Infinity, std::nan("")}) {
    EXPECT_FALSE(roofline(example(), fp32(Bad, 1)));
    EXPECT_FALSE(roofline(example(), fp32(1, Bad)));
  }
  EXPECT_FALSE(roofline(Gpu(), fp32(1, 1)));
}

TEST(Crossover, RoundsUpAndNotForRounding) {
  EXPECT_EQ(crossoverEdge(0.25, 1, 20.1), 81u);
  EXPECT_EQ(crossoverEdge(0.25, 1, 19.9), 80u);
  EXPECT_EQ(crossoverEdge(0.1, 1, 0.3), 3u);   // 0.3 / 0.1 is 2.9999999999999996 in binary
  EXPECT_EQ(crossoverEdge(0.03, 1, 0.9), 30u); // 30.000000000000004
  EXPECT_EQ(crossoverEdge(100, 1, 20), 1u);    // bound by arithmetic without any tile
  // Half the bytes per element, twice the intensity, half the edge.
  EXPECT_EQ(crossoverEdge(tiledIntensity(1, 2), 1, 20), 40u);
  // The edge is where the verdict changes, on every GPU.
  for (const Gpu &G : gpus()) {
    const double Balance = G.fp32FlopsPerSecond / G.bytesPerSecond;
    const uint64_t Edge = crossoverEdge(0.25, 1, Balance).value();
    EXPECT_EQ(roofline(G, fp32(double(Edge), 4))->bound, Bound::Compute) << G.key.str();
    EXPECT_EQ(roofline(G, fp32(double(Edge - 1), 4))->bound, Bound::Memory) << G.key.str();
  }
}

TEST(Crossover, NoneWithoutIntensity) {
  EXPECT_EQ(crossoverEdge(0, 1, 20), std::nullopt);
  EXPECT_EQ(crossoverEdge(-1, 1, 20), std::nullopt);
  EXPECT_EQ(crossoverEdge(std::nan(""), 1, 20), std::nullopt);
  EXPECT_EQ(crossoverEdge(0.25, 0, 20), std::nullopt);
  EXPECT_EQ(crossoverEdge(0.25, 1, 0), std::nullopt);
  EXPECT_EQ(crossoverEdge(1e-300, 1, 20), std::nullopt);
}

//===-- Efficiencies -------------------------------------------------------===//

TEST(Efficiency, ProductOfThree) {
  const Efficiency E{0.5, 0.8, 0.75};
  EXPECT_DOUBLE_EQ(E.total().value(), 0.3);
  EXPECT_DOUBLE_EQ(E.atMost(), 0.3);
  EXPECT_EQ((Efficiency{1, 1, 1}).total(), 1);
  EXPECT_EQ((Efficiency{0, 1, 1}).total(), 0);
}

TEST(Efficiency, NotKnownIsNotOne) {
  const Efficiency E{0.5, std::nullopt, 0.75};
  EXPECT_EQ(E.total(), std::nullopt);
  EXPECT_EQ(E.atMost(), 0.375);
  EXPECT_EQ(Efficiency().total(), std::nullopt);
  EXPECT_EQ(Efficiency().atMost(), 1);
  for (double Bad : {-0.1, 1.1, std::nan("")}) {
    EXPECT_EQ((Efficiency{Bad, 1, 1}).total(), std::nullopt);
    EXPECT_EQ((Efficiency{Bad, 1, 0.5}).atMost(), 0.5);
  }
}

} // namespace
