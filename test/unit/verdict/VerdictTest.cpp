//===-- VerdictTest.cpp - What is known of a kernel, and what is not ---------===//
#include "analyzer/driver/Verdict.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace warplint;
using namespace warplint::driver;
using namespace warplint::result;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

Amount n() { return Amount::symbol("n"); }

Access globalLoad(const char *Expression, unsigned Line, int Loop) {
  Access A;
  A.place = {"/src/a.cu", Line, 5, Line, 9};
  A.expression = Expression;
  A.space = Space::Global;
  A.loop = Loop;
  A.confidence = Confidence::Exact;
  return A;
}

Kernel kernel(std::array<unsigned, 3> Block = {256, 1, 1}) {
  Kernel K;
  K.name = "k";
  K.signature = "k(float *, int)";
  K.symbol = "_Z1kPfi";
  K.place = {"/src/a.cu", 1, 17, 1, 18};
  K.block = Block;
  K.blockOrigin = BlockOrigin::Launch;
  K.arch = "sm_80";
  return K;
}

/// sum += a[row * n + k] * b[k * n + column], without tiles.
Kernel naiveProduct() {
  Kernel K = kernel({32, 32, 1});
  K.loops.push_back({});
  K.accesses = {globalLoad("a[row * n + k]", 5, 0), globalLoad("b[k * n + column]", 6, 0),
                globalLoad("c[i]", 8, -1)};
  K.work.fp32 = n() * 2;
  K.work.integer = n() * 10;
  K.work.requested = n() * 8 + 4;
  K.work.hauled = n() * 5 + 4;
  K.work.lines = n() * 10;
  K.work.useful = n() * 5;
  K.work.threads = Amount::symbol("gridDim.x") * 1024;
  K.reuse = {{"a", "a[row * n + k]", K.accesses[0].place, 32, "threadIdx.x", true, 4},
             {"b", "b[k * n + column]", K.accesses[1].place, 32, "threadIdx.y", true, 4}};
  return K;
}

/// The same with tiles of 32 x 32 in shared memory.
Kernel tiledProduct() {
  Kernel K = naiveProduct();
  K.reuse.clear();
  K.work.requested = n() * 0.25 + 4;
  K.work.tileEdge = 32;
  K.work.tileName = "TILE";
  K.staticShared = 8192;
  return K;
}

/// The worked example's GPU: 20 FLOP in the time of a byte.
Machine example() {
  Machine M;
  M.gpu = *model::findGpu("seed-20-1");
  return M;
}

Kernel judged(Kernel K, const Machine &M) {
  judge(K, M);
  return K;
}

//===-- Roofline -------------------------------------------------------------===//

TEST(Roofline, NaiveProductOfTheWorkedExample) {
  const Kernel K = judged(naiveProduct(), example());
  EXPECT_EQ(K.roofline->gpu, "seed-20-1");
  EXPECT_EQ(K.roofline->intensity, 0.25);
  EXPECT_EQ(K.roofline->intensityText, "0.25");
  EXPECT_EQ(K.roofline->machineBalance, 20);
  EXPECT_EQ(K.roofline->boundBy, "memory");
  EXPECT_EQ(K.roofline->crossoverTile, 80u);
  EXPECT_EQ(K.roofline->attainableFlops, 0.25e12);
  EXPECT_EQ(K.roofline->reason, "");
}

TEST(Roofline, TiledProductOfTheWorkedExample) {
  const Kernel K = judged(tiledProduct(), example());
  EXPECT_EQ(K.roofline->intensity, 8);
  EXPECT_EQ(K.roofline->intensityText, "TILE/4");
  EXPECT_EQ(K.roofline->boundBy, "memory");
  EXPECT_EQ(K.roofline->crossoverTile, 80u);
  EXPECT_FALSE(K.roofline->suggestedTile);
}

TEST(Roofline, WithoutANameOfTheEdgeItIsT) {
  Kernel K = tiledProduct();
  K.work.tileName = "";
  EXPECT_EQ(judged(K, example()).roofline->intensityText, "T/4");
  K.work.requested = n() * (1.0 / 64);
  EXPECT_EQ(judged(K, example()).roofline->intensityText, "4*T");
}

TEST(Roofline, LargeEnoughTilesAreBoundByArithmetic) {
  Kernel K = tiledProduct();
  K.work.tileEdge = 80;
  K.work.requested = n() * 0.1;
  EXPECT_EQ(judged(K, example()).roofline->boundBy, "compute");
  K.work.tileEdge = 79;
  K.work.requested = n() * (8.0 / 79);
  EXPECT_EQ(judged(K, example()).roofline->boundBy, "memory");
}

TEST(Roofline, WithoutAGpuThereIsAnIntensityAndNoVerdict) {
  const Kernel K = judged(naiveProduct(), {});
  EXPECT_EQ(K.roofline->gpu, "");
  EXPECT_EQ(K.roofline->intensity, 0.25);
  EXPECT_EQ(K.roofline->boundBy, "");
  EXPECT_FALSE(K.roofline->machineBalance);
  EXPECT_FALSE(K.roofline->crossoverTile);
  EXPECT_THAT(K.roofline->reason, HasSubstr("--gpu"));
}

TEST(Roofline, WhatIsIncompleteHasNoNumbers) {
  Kernel K = naiveProduct();
  K.work.incomplete = "what p[i] touches is not known";
  K = judged(K, example());
  EXPECT_FALSE(K.roofline->intensity);
  EXPECT_EQ(K.roofline->boundBy, "");
  EXPECT_EQ(K.roofline->reason, K.work.incomplete);
  EXPECT_FALSE(K.eta->coalesce);
}

TEST(Roofline, GlobalAccessesThatCameToNothingAreNoWork) {
  Kernel K = kernel();
  K.accesses = {globalLoad("in[i]", 3, -1)};
  K.work.fp32 = 5;
  EXPECT_THAT(judged(K, example()).roofline->reason, HasSubstr("could not be decided"));
  EXPECT_FALSE(judged(K, example()).roofline->intensity);
  K.accesses[0].removed = true;
  EXPECT_THAT(judged(K, example()).roofline->reason, HasSubstr("no traffic"));
}

TEST(Roofline, SizesThatDoNotCancelStayInTheText) {
  Kernel K = naiveProduct();
  K.work.fp32 = n() * 2 + Amount::symbol("m") * 3;
  K = judged(K, example());
  EXPECT_FALSE(K.roofline->intensity);
  EXPECT_EQ(K.roofline->intensityText, "(3*m + 2*n)/(8*n)");
  EXPECT_THAT(K.roofline->reason, HasSubstr("--assume"));
}

TEST(Roofline, ACopyIsBoundByMemoryAndHasNoTileToCrossOver) {
  Kernel K = kernel();
  K.accesses = {globalLoad("in[i]", 3, -1)};
  K.work.integer = 6;
  K.work.requested = 8;
  K.work.threads = 1024;
  K.work.distinct = 8192;
  K = judged(K, example());
  EXPECT_EQ(K.roofline->intensity, 0);
  EXPECT_EQ(K.roofline->boundBy, "memory");
  EXPECT_TRUE(K.roofline->evenWhenCached);
  EXPECT_FALSE(K.roofline->crossoverTile);
  EXPECT_FALSE(K.roofline->suggestedTile);
}

TEST(Roofline, ALaunchTakesItsDistinctBytesAtLeast) {
  Kernel K = kernel();
  K.work.fp32 = 100;
  K.work.requested = 1000;
  K.work.threads = 1e6;
  EXPECT_FALSE(judged(K, example()).roofline->secondsFloor);
  K.work.distinct = 4e6; // 1e12 bytes per second
  EXPECT_DOUBLE_EQ(*judged(K, example()).roofline->secondsFloor,
                   5e-6); // 1e8 FLOP at 2e13 per second are more
  EXPECT_FALSE(judged(K, example()).roofline->evenWhenCached);
  K.work.distinct = 4e8;
  EXPECT_DOUBLE_EQ(*judged(K, example()).roofline->secondsFloor, 4e-4);
  EXPECT_TRUE(judged(K, example()).roofline->evenWhenCached);
}

TEST(Roofline, OtherArithmeticMayTakeLonger) {
  Kernel K = kernel();
  K.work.fp32 = 10;
  K.work.requested = 12;
  K.work.special = 1;
  EXPECT_EQ(judged(K, example()).roofline->boundBy, "memory"); // 74 FLOP's time against 240
  K.work.special = 5;
  EXPECT_EQ(judged(K, example()).roofline->boundBy, "");
  EXPECT_THAT(judged(K, example()).roofline->reason, HasSubstr("special functions"));
  K.work.special = 0;
  K.work.integer = 1000;
  EXPECT_EQ(judged(K, example()).roofline->boundBy, "");
  EXPECT_THAT(judged(K, example()).roofline->reason, HasSubstr("integer"));
}

TEST(Roofline, DoublesNeedTheirOwnPeak) {
  Kernel K = kernel();
  K.work.fp64 = 2;
  K.work.requested = 16;
  EXPECT_EQ(judged(K, example()).roofline->boundBy, "");
  EXPECT_THAT(judged(K, example()).roofline->reason, HasSubstr("fp64="));
  Machine M;
  M.gpu = *model::findGpu("a100");
  EXPECT_EQ(judged(K, M).roofline->boundBy, "memory");
}

// Traffic that a tile does not share does not fall with its edge.
TEST(Roofline, NoCrossoverWhereTheLoopAlsoStreams) {
  Kernel K = naiveProduct();
  K.accesses.push_back(globalLoad("d[k * n + i]", 7, 0));
  EXPECT_FALSE(judged(K, example()).roofline->crossoverTile);
  EXPECT_EQ(judged(K, example()).roofline->boundBy, "memory");
}

//===-- Tiles ----------------------------------------------------------------===//

TEST(Tile, TheLargestThatFitsAndTheNextWithSeveralResults) {
  const TileSuggestion S = *judged(naiveProduct(), example()).roofline->suggestedTile;
  EXPECT_THAT(S.arrays, ElementsAre("a", "b"));
  EXPECT_EQ(S.edge, 32u);
  EXPECT_EQ(S.bytes, 8192u);
  EXPECT_EQ(S.budget, 49152u);
  EXPECT_EQ(S.intensity, 8);
  EXPECT_EQ(S.largerEdge, 64u);
  EXPECT_EQ(S.largerBytes, 32768u);
  EXPECT_EQ(S.resultsPerThread, 4u);
}

TEST(Tile, WhatTheKernelHasLeftIsTheBudget) {
  Kernel K = naiveProduct();
  K.staticShared = 40000;
  K.dynamicShared = 8000;
  const TileSuggestion S = *judged(K, example()).roofline->suggestedTile;
  EXPECT_EQ(S.budget, 1152u);
  EXPECT_EQ(S.edge, 8u);
  EXPECT_EQ(S.largerEdge, 0u);
  K.staticShared = 49152;
  EXPECT_EQ(judged(K, example()).roofline->suggestedTile->edge, 0u);
}

TEST(Tile, OneArrayOrOneDirectionIsNoProduct) {
  Kernel K = naiveProduct();
  K.reuse.pop_back();
  EXPECT_FALSE(judged(K, example()).roofline->suggestedTile);
  K = naiveProduct();
  K.reuse[1].sameFor = K.reuse[0].sameFor;
  EXPECT_FALSE(judged(K, example()).roofline->suggestedTile);
  K = naiveProduct();
  K.reuse[1].inLoop = false;
  EXPECT_FALSE(judged(K, example()).roofline->suggestedTile);
  EXPECT_FALSE(judged(K, example()).roofline->crossoverTile);
}

TEST(Tile, OperandsMeetInOneLoop) {
  Kernel K = naiveProduct();
  K.loops.push_back({});
  K.accesses[1].loop = 1;
  EXPECT_FALSE(judged(K, example()).roofline->suggestedTile);
  EXPECT_FALSE(judged(K, example()).roofline->crossoverTile);
}

TEST(Tile, WithoutArithmeticThereIsNoProduct) {
  Kernel K = naiveProduct();
  K.work.fp32 = 0;
  EXPECT_FALSE(judged(K, example()).roofline->suggestedTile);
}

TEST(Tile, DoublesTakeTwiceTheRoom) {
  Kernel K = naiveProduct();
  for (Reuse &R : K.reuse)
    R.elementSize = 8;
  const TileSuggestion S = *judged(K, example()).roofline->suggestedTile;
  EXPECT_EQ(S.bytes, 16384u);
  EXPECT_EQ(S.largerEdge, 0u); // 64 x 64 would take 65536
}

//===-- Occupancy --------------------------------------------------------------===//

/// Blocks and warps as CUDA 13's cuda_occupancy.h gives them.
struct Reference {
  unsigned threads, registers;
  uint64_t shared, dynamic;
  const char *arch;
  unsigned blocks, warps;
};
constexpr Reference References[] = {{256, 32, 0, 0, "sm_75", 4, 32},     {256, 32, 0, 0, "sm_80", 8, 64},
                                    {256, 32, 0, 0, "sm_89", 6, 48},     {256, 40, 0, 0, "sm_80", 6, 48},
                                    {1024, 64, 0, 0, "sm_90", 1, 32},    {1024, 32, 8192, 0, "sm_80", 2, 64},
                                    {1024, 32, 8192, 0, "sm_89", 1, 32}, {96, 168, 1000, 0, "sm_80", 4, 12},
                                    {32, 16, 0, 0, "sm_75", 16, 16},     {32, 16, 0, 0, "sm_80", 32, 32},
                                    {32, 16, 0, 0, "sm_89", 24, 24},     {128, 255, 0, 0, "sm_90", 2, 8},
                                    {256, 32, 0, 65536, "sm_75", 1, 8},  {256, 32, 0, 65536, "sm_80", 2, 16},
                                    {256, 32, 0, 65536, "sm_90", 3, 24}, {1024, 65, 0, 0, "sm_80", 0, 0}};

TEST(Occupancy, AsNvidiasCalculatorHasIt) {
  for (const Reference &R : References) {
    SCOPED_TRACE(std::string(R.arch) + ", " + std::to_string(R.threads) + " threads, " +
                 std::to_string(R.registers));
    Kernel K = kernel({R.threads, 1, 1});
    K.arch = R.arch;
    K.staticShared = R.shared;
    K.dynamicShared = R.dynamic;
    Machine M;
    M.registers = R.registers;
    const result::Occupancy O = *judged(K, M).occupancy;
    EXPECT_EQ(O.blocksPerSm, R.blocks);
    EXPECT_EQ(O.warpsPerSm, R.warps);
    EXPECT_FALSE(O.atMost);
    EXPECT_EQ(O.registersOrigin, "--registers");
    EXPECT_EQ(O.gpu, R.arch);
  }
}

TEST(Occupancy, TheGpuCountsMoreThanTheArchitecture) {
  Machine M;
  M.registers = 32;
  M.gpu = *model::findGpu("rtx4090");
  const result::Occupancy O = *judged(kernel(), M).occupancy;
  EXPECT_EQ(O.gpu, "rtx4090");
  EXPECT_EQ(O.maxWarps, 48u);
  M.gpu = llvm::cantFail(model::parseGpu("peak=20e12,bw=1e12"));
  EXPECT_EQ(judged(kernel(), M).occupancy->gpu, "sm_80");
}

TEST(Occupancy, WithoutRegistersItIsAtMost) {
  const result::Occupancy O = *judged(kernel(), {}).occupancy;
  EXPECT_EQ(O.fraction, 1);
  EXPECT_TRUE(O.atMost);
  EXPECT_FALSE(O.registers);
  EXPECT_THAT(O.limiters, ElementsAre("warps"));
}

TEST(Occupancy, LimitsOfRegistersGiveARange) {
  Kernel K = kernel();
  K.launchBoundsThreads = 256;
  K.launchBoundsBlocks = 4;
  result::Occupancy O = *judged(K, {}).occupancy;
  EXPECT_EQ(O.registerLimit, 64u);
  EXPECT_EQ(O.registersOrigin, "__launch_bounds__");
  EXPECT_EQ(O.leastBlocksPerSm, 4u);
  EXPECT_EQ(O.leastFraction, 0.5);
  EXPECT_EQ(O.fraction, 1);
  EXPECT_TRUE(O.atMost);
  K.launchBoundsBlocks = 8; // as many as there can be: nothing is open
  O = *judged(K, {}).occupancy;
  EXPECT_EQ(O.registerLimit, 32u);
  EXPECT_FALSE(O.leastBlocksPerSm);
  EXPECT_EQ(O.fraction, 1);
  EXPECT_FALSE(O.atMost);
  K.launchBoundsThreads.reset();
  K.maxRegisters = 40;
  O = *judged(K, {}).occupancy;
  EXPECT_EQ(O.registersOrigin, "maxnreg");
  EXPECT_EQ(O.leastBlocksPerSm, 6u);
}

TEST(Occupancy, DynamicSharedMemoryMayBeUnknown) {
  Machine M;
  M.registers = 32;
  Kernel K = kernel();
  EXPECT_FALSE(judged(K, M).occupancy->atMost); // it names none
  K.usesDynamicShared = true;
  EXPECT_TRUE(judged(K, M).occupancy->atMost);
  EXPECT_FALSE(judged(K, M).eta->occupancy);
  K.dynamicShared = 40000;
  EXPECT_FALSE(judged(K, M).occupancy->atMost);
  EXPECT_EQ(judged(K, M).occupancy->blocksPerSm, 4u);
  EXPECT_THAT(judged(K, M).occupancy->limiters, ElementsAre("shared memory"));
  EXPECT_EQ(judged(K, M).occupancy->sharedBytes, 40000u);
}

TEST(Occupancy, AnArchitectureWithoutFiguresHasNone) {
  Kernel K = kernel();
  for (const char *Arch : {"sm_72", "", "compute_80", "sm_"}) {
    K.arch = Arch;
    EXPECT_FALSE(judged(K, {}).occupancy) << Arch;
  }
  K.arch = "sm_90a";
  EXPECT_TRUE(judged(K, {}).occupancy);
}

TEST(Occupancy, ByNameThenByLogThenForAll) {
  Machine M;
  M.registers = 10;
  EXPECT_EQ(judged(kernel(), M).occupancy->registers, 10u);
  auto Log =
      PtxasLog::parse("Compiling entry function '_Z1kPfi' for 'sm_75'\nUsed 20 registers, 2048 bytes smem\n");
  M.ptxas = std::make_shared<PtxasLog>(llvm::cantFail(std::move(Log)));
  const result::Occupancy O = *judged(kernel(), M).occupancy;
  EXPECT_EQ(O.registers, 20u);
  EXPECT_EQ(O.registersOrigin, "ptxas log");
  EXPECT_EQ(O.sharedBytes, 2048u);
  EXPECT_THAT(O.assumptions, ElementsAre(HasSubstr("sm_75")));
  for (const char *Name : {"k", "k(float *, int)"}) {
    Machine Named = M;
    Named.registersOf[Name] = 30;
    EXPECT_EQ(judged(kernel(), Named).occupancy->registers, 30u) << Name;
  }
  M.registersOf["kk"] = 30;
  EXPECT_EQ(judged(kernel(), M).occupancy->registers, 20u);
}

//===-- Efficiency -------------------------------------------------------------===//

TEST(Eta, TheProductOnlyOfWhatIsKnown) {
  Machine M = example();
  Kernel K = judged(naiveProduct(), M);
  EXPECT_EQ(K.eta->coalesce, 0.5);
  EXPECT_FALSE(K.eta->cache);
  EXPECT_FALSE(K.eta->occupancy);
  EXPECT_FALSE(K.eta->total);
  EXPECT_EQ(K.eta->atMost, 0.5);
  M.cacheHit = 0.8;
  M.registers = 64; // one block of 1024 threads: half
  K = judged(naiveProduct(), M);
  EXPECT_EQ(K.eta->occupancy, 0.5);
  EXPECT_DOUBLE_EQ(*K.eta->total, 0.2);
  EXPECT_DOUBLE_EQ(K.eta->atMost, 0.2);
}

TEST(Eta, AnUnknownIndexHasNoCoalescing) {
  Kernel K = naiveProduct();
  K.work.unknownIndex = "the index of x[col[j]] is not known";
  K = judged(K, example());
  EXPECT_FALSE(K.eta->coalesce);
  EXPECT_EQ(K.roofline->intensity, 0.25); // what is asked for is known
}

//===-- Notes --------------------------------------------------------------------===//

TEST(Notes, NamesThatMeetNoKernel) {
  Machine M;
  M.registersOf = {{"k", 32}, {"kernel", 32}};
  EXPECT_THAT(notesOn(M, {kernel()}), ElementsAre(HasSubstr("--registers=kernel=32")));
}

TEST(Notes, KernelsOfALogThatWereNotAnalysed) {
  Machine M;
  M.ptxasFile = "build.log";
  M.ptxas = std::make_shared<PtxasLog>(llvm::cantFail(
      PtxasLog::parse("Compiling entry function '_Z1kPfi' for 'sm_80'\nUsed 20 registers\n"
                      "Compiling entry function '_Z5otherv' for 'sm_80'\nUsed 20 registers\n")));
  EXPECT_THAT(notesOn(M, {kernel()}),
              ElementsAre("build.log: 1 of 2 kernels in this log is not among those analysed: "
                          "other()"));
  Kernel Other = kernel();
  Other.symbol = "_Z5otherv";
  EXPECT_THAT(notesOn(M, {kernel(), Other}), IsEmpty());
}

} // namespace
