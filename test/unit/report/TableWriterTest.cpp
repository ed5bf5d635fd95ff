//===-- TableWriterTest.cpp - The tables, column by column -------------------===//
#include "Sample.h"
#include "analyzer/report/Report.h"
#include "analyzer/report/Table.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace warplint::result;
using warplint::report::cutTo;
using warplint::report::Table;
using warplint::test::place;
using warplint::test::sampleReport;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

std::string tables(const Report &R, unsigned Width = 80) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  warplint::report::writeTables(OS, R, {Width, "/src"});
  return Text;
}

std::string tables(const Kernel &K, unsigned Width = 80) {
  Report R;
  R.kernels = {K};
  return tables(R, Width);
}

//===-- Layout ---------------------------------------------------------------===//

std::string laidOut(unsigned Width, std::set<std::string> *LeftOut = nullptr) {
  Table T({{"name", false, 0, true}, {"count", true, 1}, {"unit", false, 2}, {"nothing", true, 3}});
  T.add({"an expression of many words", "7", "", ""});
  T.add({"short", "12345", "bytes", ""});
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  std::set<std::string> Ignored;
  T.print(OS, 1, Width, LeftOut ? *LeftOut : Ignored);
  return Text;
}

TEST(Table, NumbersToTheRightAndNothingKnownLeftOut) {
  EXPECT_EQ(laidOut(80), " name                         count  unit\n"
                         " an expression of many words      7  -\n"
                         " short                        12345  bytes\n");
}

TEST(Table, TheFlexibleColumnGivesFirst) {
  std::set<std::string> LeftOut;
  EXPECT_EQ(laidOut(32, &LeftOut), " name               count  unit\n"
                                   " an expression ...      7  -\n"
                                   " short              12345  bytes\n");
  EXPECT_TRUE(LeftOut.empty());
}

TEST(Table, ThenWholeColumnsByRank) {
  std::set<std::string> LeftOut;
  EXPECT_EQ(laidOut(22, &LeftOut), " name            count\n"
                                   " an expressi...      7\n"
                                   " short           12345\n");
  EXPECT_THAT(LeftOut, ElementsAre("unit"));
  laidOut(10, &LeftOut);
  EXPECT_THAT(LeftOut, ElementsAre("count", "unit"));
}

TEST(Table, CutText) {
  EXPECT_EQ(cutTo("tile[threadIdx.x]", 10), "tile[th...");
  EXPECT_EQ(cutTo("tile", 4), "tile");
  EXPECT_EQ(cutTo("tile", 2), "..");
  EXPECT_EQ(cutTo("MatrixMulCUDA<32>", 12, true), "Matri...<32>");
  EXPECT_EQ(cutTo("\xe5\xad\x97\xe5\xad\x97\xe5\xad\x97", 5), "\xe5\xad\x97..."); // two columns each
  EXPECT_EQ(cutTo("\xe5\xad\x97\xe5\xad\x97\xe5\xad\x97\xe5\xad\x97", 7, true), "\xe5\xad\x97...\xe5\xad\x97");
}

//===-- The report ---------------------------------------------------------------===//

TEST(Tables, At80Columns) {
  EXPECT_EQ(tables(sampleReport()),
            "\n"
            "kernel transpose(const float *, float *, int)\n"
            "  transpose.cu:1, block 32x8, grid 4x4, sm_80\n"
            "  at    global memory       op      lines  sectors  ideal  used  excess  result\n"
            "  5:42  in[(y + j) * n ...  load        2        5      4  80 %       0  exact\n"
            "  5:42  in[(y + j) * n ...  load        2        5      4  80 %       0  exact\n"
            "  5:42  in[order[x]]        atomic      -        -      -     -       -  unknown\n"
            "  at    shared memory              op    ways  wavefronts  ideal  times  result\n"
            "  8:28  tile[threadIdx.x][thre...  load    32          32      1      1  assumed\n"
            "  at    constant memory           op    addresses  times  result\n"
            "  8:28  weights[threadIdx.x % 3]  load          3      1  exact\n"
            "  unknown    5:42: the index is read from memory: order[x]\n"
            "  assumed    blocks are 32x8; n is a multiple of 32\n"
            "  removed    1 more that the compiler drops\n"
            "  work       2*n FLOP, 1 special function and 8*n + 4 bytes of global memory per\n"
            "             thread: 0.25 FLOP/byte; assumed: both sides of conditions on data\n"
            "             count\n"
            "  roofline   bound by memory, even if each byte is fetched once, by arithmetic\n"
            "             from tiles of 80 x 80 on; seed-20-1 does 20 FLOP in the time of a\n"
            "             byte; at most 250 GFLOP/s where nothing is cached; a launch takes\n"
            "             1.5 us or more\n"
            "  occupancy  at most 64 of 64 warps on an SM of sm_80 (8 blocks, 100 %), limited\n"
            "             by warps and shared memory; at most 64 registers per thread\n"
            "             (__launch_bounds__), which leave 50 % at least, 4,096 bytes of\n"
            "             shared memory per block; assumed: no dynamic shared memory: how\n"
            "             much a launch gives is not known\n"
            "  efficiency coalescing 50 % x caches not known x occupancy at most 100 % = at\n"
            "             most 50 %\n"
            "  reuse      in and other are read by several threads of a block each: a pair of\n"
            "             T x T tiles in shared memory would read them once; T = 32 takes\n"
            "             8,192 of 49,152 bytes and gives 8 FLOP/byte; T = 64 takes 32,768\n"
            "             and needs 4 results per thread\n"
            "\n"
            "kernel walk(int *)\n"
            "  transpose.cu:20, block 256 (assumed), sm_80\n"
            "  partial    the analysis is not complete: more than 1000000 steps\n"
            "\n"
            "2 kernels\n"
            "  kernel     block  FLOP    bytes  FLOP/byte  bound by  occupancy  efficiency\n"
            "  transpose  32x8    2*n  8*n + 4       0.25  memory     50-100 %     <= 50 %\n"
            "  walk       256       -        -          -  -                 -           -\n"
            "<=: an upper bound; registers or dynamic shared memory are not known\n"
            "(--registers=N, --ptxas-log=FILE).\n"
            "used: share of the moved bytes that a request asks for; times: executions by one\n"
            "warp; excess: sectors or wavefronts of a launch beyond the ideal; FLOP, bytes:\n"
            "of one thread, as if nothing were cached; efficiency: coalescing x caches\n"
            "(--cache-hit=SHARE) x occupancy.\n"
            "No room for: limit, times. --format=json has everything.\n");
}

TEST(Tables, At40Columns) {
  EXPECT_EQ(tables(sampleReport(), 40),
            "\n"
            "kernel transpose(const float *, float\n"
            "  *, int)\n"
            "  transpose.cu:1, block 32x8, grid 4x4,\n"
            "  sm_80\n"
            "  at    global memory    sectors  excess\n"
            "  5:42  in[(y + j) *...        5       0\n"
            "  5:42  in[(y + j) *...        5       0\n"
            "  5:42  in[order[x]]           -       -\n"
            "  at    shared memory   ways  wavefronts\n"
            "  8:28  tile[thread...    32          32\n"
            "  at    constant memory  op    addresses\n"
            "  8:28  weights[thre...  load          3\n"
            "  unknown    5:42: the index is read\n"
            "             from memory: order[x]\n"
            "  assumed    blocks are 32x8; n is a\n"
            "             multiple of 32\n"
            "  removed    1 more that the compiler\n"
            "             drops\n"
            "  work       2*n FLOP, 1 special\n"
            "             function and 8*n + 4 bytes\n"
            "             of global memory per\n"
            "             thread: 0.25 FLOP/byte;\n"
            "             assumed: both sides of\n"
            "             conditions on data count\n"
            "  roofline   bound by memory, even if\n"
            "             each byte is fetched once,\n"
            "             by arithmetic from tiles of\n"
            "             80 x 80 on; seed-20-1 does\n"
            "             20 FLOP in the time of a\n"
            "             byte; at most 250 GFLOP/s\n"
            "             where nothing is cached; a\n"
            "             launch takes 1.5 us or more\n"
            "  occupancy  at most 64 of 64 warps on\n"
            "             an SM of sm_80 (8 blocks,\n"
            "             100 %), limited by warps\n"
            "             and shared memory; at most\n"
            "             64 registers per thread\n"
            "             (__launch_bounds__), which\n"
            "             leave 50 % at least, 4,096\n"
            "             bytes of shared memory per\n"
            "             block; assumed: no dynamic\n"
            "             shared memory: how much a\n"
            "             launch gives is not known\n"
            "  efficiency coalescing 50 % x caches\n"
            "             not known x occupancy at\n"
            "             most 100 % = at most 50 %\n"
            "  reuse      in and other are read by\n"
            "             several threads of a block\n"
            "             each: a pair of T x T tiles\n"
            "             in shared memory would read\n"
            "             them once; T = 32 takes\n"
            "             8,192 of 49,152 bytes and\n"
            "             gives 8 FLOP/byte; T = 64\n"
            "             takes 32,768 and needs 4\n"
            "             results per thread\n"
            "\n"
            "kernel walk(int *)\n"
            "  transpose.cu:20, block 256 (assumed),\n"
            "  sm_80\n"
            "  partial    the analysis is not\n"
            "             complete: more than 1000000\n"
            "             steps\n"
            "\n"
            "2 kernels\n"
            "  kernel     FLOP/byte  occupancy\n"
            "  transpose       0.25   50-100 %\n"
            "  walk               -          -\n"
            "<=: an upper bound; registers or dynamic\n"
            "shared memory are not known\n"
            "(--registers=N, --ptxas-log=FILE).\n"
            "used: share of the moved bytes that a\n"
            "request asks for; times: executions by\n"
            "one warp; excess: sectors or wavefronts\n"
            "of a launch beyond the ideal; FLOP,\n"
            "bytes: of one thread, as if nothing were\n"
            "cached; efficiency: coalescing x caches\n"
            "(--cache-hit=SHARE) x occupancy.\n"
            "No room for: FLOP, block, bound by,\n"
            "bytes, efficiency, ideal, limit, lines,\n"
            "op, result, times, used. --format=json\n"
            "has everything.\n");
}

TEST(Tables, At200Columns) {
  EXPECT_EQ(tables(sampleReport(), 200),
            "\n"
            "kernel transpose(const float *, float *, int)\n"
            "  transpose.cu:1, block 32x8, grid 4x4, sm_80\n"
            "  at    global memory        op      lines  sectors  ideal  used  times  excess  result\n"
            "  5:42  in[(y + j) * n + x]  load        2        5      4  80 %      4       0  exact\n"
            "  5:42  in[(y + j) * n + x]  load        2        5      4  80 %      4       0  exact\n"
            "  5:42  in[order[x]]         atomic      -        -      -     -      1       -  unknown\n"
            "  at    shared memory                       op    ways  wavefronts  ideal  times  result\n"
            "  8:28  tile[threadIdx.x][threadIdx.y + j]  load    32          32      1      1  assumed\n"
            "  at    constant memory           op    addresses  times  result\n"
            "  8:28  weights[threadIdx.x % 3]  load          3      1  exact\n"
            "  unknown    5:42: the index is read from memory: order[x]\n"
            "  assumed    blocks are 32x8; n is a multiple of 32\n"
            "  removed    1 more that the compiler drops\n"
            "  work       2*n FLOP, 1 special function and 8*n + 4 bytes of global memory per thread: 0.25 FLOP/byte; assumed: both sides of conditions on data count\n"
            "  roofline   bound by memory, even if each byte is fetched once, by arithmetic from tiles of 80 x 80 on; seed-20-1 does 20 FLOP in the time of a byte; at most 250 GFLOP/s where nothing is cached; a\n"
            "             launch takes 1.5 us or more\n"
            "  occupancy  at most 64 of 64 warps on an SM of sm_80 (8 blocks, 100 %), limited by warps and shared memory; at most 64 registers per thread (__launch_bounds__), which leave 50 % at least, 4,096 bytes\n"
            "             of shared memory per block; assumed: no dynamic shared memory: how much a launch gives is not known\n"
            "  efficiency coalescing 50 % x caches not known x occupancy at most 100 % = at most 50 %\n"
            "  reuse      in and other are read by several threads of a block each: a pair of T x T tiles in shared memory would read them once; T = 32 takes 8,192 of 49,152 bytes and gives 8 FLOP/byte; T = 64\n"
            "             takes 32,768 and needs 4 results per thread\n"
            "\n"
            "kernel walk(int *)\n"
            "  transpose.cu:20, block 256 (assumed), sm_80\n"
            "  partial    the analysis is not complete: more than 1000000 steps\n"
            "\n"
            "2 kernels\n"
            "  kernel     block  FLOP    bytes  FLOP/byte  bound by  occupancy  limit                 efficiency\n"
            "  transpose  32x8    2*n  8*n + 4       0.25  memory     50-100 %  warps, shared memory     <= 50 %\n"
            "  walk       256       -        -          -  -                 -  -                              -\n"
            "<=: an upper bound; registers or dynamic shared memory are not known (--registers=N, --ptxas-log=FILE).\n"
            "used: share of the moved bytes that a request asks for; times: executions by one warp; excess: sectors or wavefronts of a launch beyond the ideal; FLOP, bytes: of one thread, as if nothing were\n"
            "cached; efficiency: coalescing x caches (--cache-hit=SHARE) x occupancy.\n");
}

TEST(Tables, NoLineIsWiderThanAskedFor) {
  for (unsigned Width : {40u, 50u, 60u, 79u, 80u, 100u, 132u, 200u}) {
    const std::string Text = tables(sampleReport(), Width);
    llvm::SmallVector<llvm::StringRef, 64> Lines;
    llvm::StringRef(Text).split(Lines, '\n');
    for (llvm::StringRef Line : Lines)
      EXPECT_LE(warplint::report::columnsOf(Line), Width) << Line.str();
  }
}

TEST(Tables, WorstFirst) {
  Report R = sampleReport();
  Access Worse = R.kernels[0].accesses[0];
  Worse.place.line = 6;
  Worse.expression = "worse[32 * x]";
  Worse.total->sectors += 1000;
  R.kernels[0].accesses.push_back(Worse);
  const std::string Text = tables(R);
  EXPECT_LT(Text.find("worse[32 * x]"), Text.find("in[(y + j)"));
  EXPECT_THAT(Text, HasSubstr("1,000"));
}

TEST(Tables, NothingReachesTheTerminalAsAControlSequence) {
  Report R = sampleReport();
  const std::string Bad = "a\x1b[31m\nb\xff";
  Kernel &K = R.kernels[0];
  K.signature = K.blockNote = K.arch = K.place.file = Bad;
  K.work.fp32 = Amount::symbol(Bad);
  K.work.assumptions = K.occupancy->assumptions = {Bad};
  K.roofline->gpu = K.roofline->intensityText = K.occupancy->gpu = Bad;
  K.reuse[0].base = K.reuse[1].base = Bad;
  K.roofline->suggestedTile->arrays = {Bad, Bad};
  R.kernels[1].partialReason = Bad;
  for (Access &A : K.accesses) {
    A.expression = A.reason = A.place.file = Bad;
    A.assumptions = {Bad};
  }
  for (const bool HasTile : {true, false}) {
    if (!HasTile)
      K.roofline->suggestedTile.reset();
    const std::string Text = tables(R);
    EXPECT_THAT(Text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(Text, Not(HasSubstr("\xff")));
    EXPECT_THAT(Text, HasSubstr("<U+001B>"));
  }
}

TEST(Tables, NoKernelsNoTables) { EXPECT_EQ(tables(Report()), ""); }

//===-- What is said of a kernel ---------------------------------------------------===//

Kernel rated() { return sampleReport().kernels[0]; }

TEST(Sentences, WithoutAGpu) {
  Kernel K = rated();
  K.roofline->gpu = K.roofline->boundBy = "";
  K.roofline->machineBalance.reset();
  const std::string Text = tables(K);
  EXPECT_THAT(Text, Not(HasSubstr("roofline")));
  EXPECT_THAT(Text, HasSubstr("No GPU is chosen"));
  EXPECT_THAT(tables(rated()), Not(HasSubstr("No GPU is chosen")));
}

TEST(Sentences, NoVerdictHasAReason) {
  Kernel K = rated();
  K.roofline->boundBy = "";
  K.roofline->reason = "integer arithmetic may take longer than the memory";
  EXPECT_THAT(tables(K, 200), HasSubstr("no verdict: integer arithmetic may take longer than the memory"));
}

TEST(Sentences, WorkThatIsNotKnown) {
  Kernel K = rated();
  K.work.incomplete = "what p[i] touches is not known";
  K.roofline->intensity.reset();
  K.roofline->intensityText = "";
  const std::string Text = tables(K, 200);
  EXPECT_THAT(Text, HasSubstr("not known: what p[i] touches is not known"));
  EXPECT_THAT(Text, Not(HasSubstr("2*n")));
}

TEST(Sentences, Occupancy) {
  Kernel K = rated();
  EXPECT_THAT(tables(K, 200), HasSubstr("50-100 %"));
  K.occupancy->leastBlocksPerSm.reset();
  EXPECT_THAT(tables(K, 200), HasSubstr("<= 100 %"));
  K.occupancy->atMost = false;
  K.occupancy->registers = 32;
  K.occupancy->registersOrigin = "ptxas log";
  EXPECT_THAT(tables(K, 200), Not(HasSubstr("<= 100 %")));
  EXPECT_THAT(tables(K, 200), HasSubstr("32 registers per thread (ptxas log)"));
  K.occupancy->blocksPerSm = 0;
  K.occupancy->limiters = {"shared memory"};
  EXPECT_THAT(tables(K, 200), HasSubstr("none: no SM of sm_80 holds such a block, for its shared memory"));
  K.occupancy.reset();
  EXPECT_THAT(tables(K, 200), HasSubstr("there are no figures for sm_80"));
}

TEST(Sentences, Efficiency) {
  Kernel K = rated();
  K.eta = Eta{0.5, 0.8, 0.5, 0.2, 0.2};
  EXPECT_THAT(tables(K, 200), HasSubstr("coalescing 50 % x caches 80 % x occupancy 50 % = 20 %"));
}

TEST(Sentences, Tiles) {
  Kernel K = rated();
  EXPECT_THAT(tables(K, 300), HasSubstr("in and other are read by several threads of a block each"));
  K.reuse[1].threads = 32;
  EXPECT_THAT(tables(K, 300),
              HasSubstr("in and other are read by 32 threads of a block each: a pair of T x T tiles in shared memory would "
                        "read them once; T = 32 takes 8,192 of 49,152 bytes and gives 8 FLOP/byte; T = 64 takes 32,768 "
                        "and needs 4 results per thread\n"));
  K.roofline->suggestedTile.reset();
  EXPECT_THAT(tables(K, 300), HasSubstr("in by 32, other by 32"));
}

TEST(Sentences, TiledIntensity) {
  Kernel K = rated();
  K.work.tileEdge = 32;
  K.roofline->intensity = 8;
  K.roofline->intensityText = "T/4";
  EXPECT_THAT(tables(K, 200), HasSubstr("8 FLOP/byte = T/4, T being 32"));
}

} // namespace
