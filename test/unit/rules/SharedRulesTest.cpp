#include "Builders.h"
#include "gtest/gtest.h"

using namespace warplint::rules;
using namespace warplint::rules::test;

static Access column(TileInfo T = tile(), unsigned Width = 4, Numbers = {}) {
  const int64_t Row = int64_t(T.extents.back()) * T.elementSize;
  Access A = shared([=](int L) { return Row * L; }, 32, 1, 32, Width);
  A.expression = "tile[threadIdx.x][threadIdx.y + j]";
  A.offset = "128*threadIdx.x + 4*threadIdx.y + 4*j";
  A.tile = T;
  A.laneSelectsRow = true;
  return A;
}

//===-- shared-tile-column --------------------------------------------------------===//

TEST(SharedTileColumn, NamesTheRowsAndThePad) {
  const auto F = findingsOf(column(), kernel("transpose", {32, 8, 1}));
  EXPECT_EQ(text(F),
            "warning: shared load of a tile column is a 32-way bank conflict: 32 wavefronts where 1 would do "
            "[shared-tile-column]\n"
            "4: rows of 'tile' are 32 words apart, so a column stays in one bank; pad to [32][33]\n"
            "9: lane t reads tile + 128*t + ... (block 32x8 from the launch at line 12)");
  EXPECT_EQ(F[0].impact, Impact::High);
}

TEST(SharedTileColumn, OffersThePadAsAFix) {
  const auto F = findingsOf(column());
  ASSERT_EQ(F.at(0).fixes.size(), 1u);
  const Fix &Pad = F[0].fixes[0];
  EXPECT_EQ(Pad.title, "pad the rows of 'tile': [32][32] -> [32][33]");
  EXPECT_EQ(Pad.safety, FixSafety::Safe);
  EXPECT_FALSE(Pad.verified);
  ASSERT_EQ(Pad.edits.size(), 1u);
  EXPECT_EQ(Pad.edits[0].offset, 100u);
  EXPECT_EQ(Pad.edits[0].length, 4u);
  EXPECT_EQ(Pad.edits[0].text, "EDGE + 1");
  EXPECT_EQ(Pad.before.conflictWays, 32);
  EXPECT_EQ(Pad.after.conflictWays, 1);
}

TEST(SharedTileColumn, FlatUseMakesTheFixUnsafe) {
  TileInfo T = tile();
  T.usedFlat = true;
  EXPECT_EQ(findingsOf(column(T)).at(0).fixes.at(0).safety, FixSafety::Unsafe);
}

TEST(SharedTileColumn, NoFixWithoutTheExtentInPlainSight) {
  TileInfo T = tile();
  T.innermostExtent.reset();
  const auto F = findingsOf(column(T));
  ASSERT_EQ(rulesOf(F), "shared-tile-column");
  EXPECT_TRUE(F[0].fixes.empty());
}

TEST(SharedTileColumn, PadsByAsManyElementsAsRemoveTheConflict) {
  // double [32][32]: 16-way per half-warp, one element of 8 bytes cures it.
  Access Doubles = column(tile({32, 32}, 8), 8);
  Doubles.worst.wavefronts = 32;
  Doubles.worst.idealWavefronts = 2;
  Doubles.worst.conflictWays = 16;
  EXPECT_EQ(findingsOf(Doubles).at(0).notes[0].message,
            "rows of 'tile' are 64 words apart, so a column stays in one bank; pad to [32][33]");
  // half [32][32]: rows of 16 words.
  Access Halves = column(tile({32, 32}, 2), 2);
  Halves.worst.wavefronts = Halves.worst.conflictWays = 16;
  EXPECT_EQ(
      findingsOf(Halves).at(0).notes[0].message,
      "rows of 'tile' are 16 words apart, so the lanes of a warp start in only 2 banks; pad to [32][33]");
  // float [16][80] under a 16x8 block, written and read by columns: 81 leaves 2-way, 82 nothing.
  Access Two = column(tile({16, 80}));
  for (int L = 0; L != 32; ++L)
    Two.laneOffsets[L] = L % 16 * 320 + L / 16 * 4;
  Two.worst.wavefronts = Two.worst.conflictWays = 8;
  EXPECT_EQ(findingsOf(Two).at(0).fixes.at(0).title, "pad the rows of 'tile': [16][80] -> [16][82]");
}

TEST(SharedTileColumn, KeepsVectorRowsAligned) {
  Kernel K = kernel();
  Access Row = shared([](int L) { return L / 4 * 128 + L % 4 * 32; }, 8, 4, 2, 16);
  Row.tile = tile();
  Row.place.line = 8;
  K.accesses = {Row};
  const auto F = findingsOf(column(), K, "-*,shared-tile-column");
  ASSERT_EQ(rulesOf(F), "shared-tile-column");
  EXPECT_EQ(F[0].notes[0].message,
            "rows of 'tile' are 32 words apart, so a column stays in one bank; pad to [32][36], "
            "which leaves a 4-way conflict");
}

TEST(SharedTileColumn, DoesNotTradeColumnsForRows) {
  // float [16][16] in a flat block of 256: any pad makes the row accesses conflict.
  Kernel K = kernel();
  Access Row = shared([](int L) { return 4 * L; }, 1, 1, 1);
  Row.tile = tile({16, 16});
  K.accesses = {Row};
  Access Column = column(tile({16, 16}));
  for (int L = 0; L != 32; ++L)
    Column.laneOffsets[L] = L % 16 * 64 + L / 16 * 4;
  Column.worst.wavefronts = Column.worst.conflictWays = 8;
  const auto F = findingsOf(Column, K);
  ASSERT_EQ(rulesOf(F), "shared-tile-column");
  EXPECT_TRUE(F[0].fixes.empty());
  EXPECT_EQ(F[0].notes[0].message,
            "rows of 'tile' are 16 words apart, so the lanes of a warp start in only 4 banks; "
            "padding does not help without harm, so permute the columns instead: column c of row "
            "r at c ^ r");
}

TEST(SharedTileColumn, StaysWithinStaticSharedMemory) {
  Kernel K = kernel();
  K.staticShared = 48 * 1024;
  EXPECT_TRUE(findingsOf(column(), K).at(0).fixes.empty());
}

TEST(SharedTileColumn, PaddedAndAssumedPitchesAreSilent) {
  Access Padded = column(tile({32, 33}));
  Padded.worst.wavefronts = Padded.worst.conflictWays = 1;
  EXPECT_EQ(rulesOf(findingsOf(Padded)), "");
  Access Assumed = column();
  Assumed.confidence = Confidence::Assumed;
  EXPECT_EQ(rulesOf(findingsOf(Assumed)), "shared-tile-column") << "only the block shape is assumed";
  Assumed.strideIsSymbolic = true;
  EXPECT_EQ(rulesOf(findingsOf(Assumed)), "");
}

//===-- shared-bank-conflict ---------------------------------------------------------===//

TEST(SharedBankConflict, FlatRowsNeedAnOddPitch) {
  // d[i * 8 + k / 4]
  EXPECT_EQ(
      text(findingsOf(shared([](int L) { return 32 * L; }, 8, 1, 8), kernel("dot", {32, 4, 1}))),
      "warning: shared load is an 8-way bank conflict: 8 wavefronts where 1 would do [shared-bank-conflict]\n"
      "9: lane t reads tile + 32*t (block 32x4 from the launch at line 12); the lanes fall into 4 of the 32 "
      "banks\n"
      "9: make the pitch between lanes an odd number of words: 36 instead of 32 bytes");
}

TEST(SharedBankConflict, TileColumnsAreTheOtherRules) {
  EXPECT_EQ(rulesOf(findingsOf(column())), "shared-tile-column");
  Access Row = column();
  Row.laneSelectsRow = false;
  EXPECT_EQ(rulesOf(findingsOf(Row)), "shared-bank-conflict");
}

TEST(SharedBankConflict, ReductionsNameTheWorstStep) {
  // if (tid % (2 * s) == 0) x[tid * 32] at s = 2: 8 active lanes in one bank.
  Access A = masked(shared([](int L) { return 128 * L; }, 8, 1, 8), 0x11111111);
  A.worstIteration = "s = 2";
  A.mean.wavefronts = 4.5;
  const auto F = findingsOf(A);
  ASSERT_EQ(rulesOf(F), "shared-bank-conflict");
  EXPECT_EQ(F[0].notes[0].message,
            "lane t reads tile + 128*t (block 256 from the launch at line 12), worst at s = 2, "
            "4.5 wavefronts on average; the lanes fall into 1 of the 32 banks");
  EXPECT_EQ(F[0].notes[1].message,
            "let neighbouring lanes take neighbouring words at every step: halve the active lanes "
            "(threadIdx.x < s) instead of spreading them");
}

TEST(SharedBankConflict, ScansHaveTheirLanesTogetherAlready) {
  // x[offset * (2 * tid + 1) - 1] for tid < d at offset = 16: the remedy is not to halve the active lanes.
  Access A = masked(shared([](int L) { return 128 * L; }, 8, 1, 8), 0xff);
  A.worstIteration = "offset = 16";
  EXPECT_EQ(findingsOf(A).at(0).notes[1].message,
            "let neighbouring lanes take neighbouring words at every step: a reduction adds element t + s to "
            "element t for t < s, a scan adds i / 32 to each index i (or works within warps, by shuffles)");
}

TEST(SharedBankConflict, PartialWarpsAreNoReductions) {
  // for (k = t; k < 100; k += 128) r[k] = v[k]; of structures of 32 bytes: some lanes are idle, the pitch is
  // the array's.
  Access A = shared([](int L) { return 32 * L; }, 8, 1, 8);
  A.worstIteration = "k = 0";
  A.meanActiveLanes = 25;
  A.offset = "32*threadIdx.x + 4096*iteration";
  EXPECT_EQ(findingsOf(A).at(0).notes[1].message,
            "make the pitch between lanes an odd number of words: 36 instead of 32 bytes");
}

TEST(SharedBankConflict, DiagonalsNeedAnotherRowLength) {
  // temp[m - t][t] of temp[17][17], at m = 14: the lanes are 16 words apart.
  Access A = masked(shared([](int L) { return 896 - 64 * L; }, 8, 1, 8), 0x7fff);
  A.tile = tile({17, 17});
  A.worstIteration = "m = 14";
  EXPECT_EQ(findingsOf(A).at(0).notes[1].message,
            "the lanes walk along a diagonal of 'tile': make its rows 18 instead of 17 elements long");
}

TEST(SharedBankConflict, APitchThatChangesIsNoArraysToPad) {
  // s[2 * t - (t & (stride - 1))] of a bitonic sort, at stride = 1: all lanes, and other strides behave otherwise.
  Access A = shared([](int L) { return 8 * L; }, 2, 1, 2);
  EXPECT_EQ(findingsOf(A).at(0).notes[1].message,
            "make the pitch between lanes an odd number of words: 12 instead of 8 bytes");
  A.worstIteration = "stride = 1";
  A.mean.wavefronts = 1.5;
  EXPECT_EQ(findingsOf(A).at(0).notes[1].message,
            "let neighbouring lanes take neighbouring words, or pad or permute the rows so that they "
            "start in different banks");
}

TEST(SharedBankConflict, WideTypesCountInsideTheirPhases) {
  // float4 s[t]: four phases, no conflict.
  EXPECT_EQ(rulesOf(findingsOf(shared([](int L) { return 16 * L; }, 4, 4, 1, 16))), "");
  // float4 rows 256 bytes apart.
  const auto F = findingsOf(shared([](int L) { return 256 * L; }, 32, 4, 8, 16));
  ASSERT_EQ(rulesOf(F), "shared-bank-conflict");
  EXPECT_EQ(F[0].message, "shared load is an 8-way bank conflict: 32 wavefronts where 4 would do");
  EXPECT_EQ(F[0].notes[1].message,
            "permute the 16-byte chunks of a row, chunk ^ (lane & 7), or pad each row by one chunk");
}

TEST(SharedBankConflict, StructuresInSharedMemory) {
  // a[t].x of struct { double v, x, y, z; }: 16 lanes per phase, 8 words apart.
  Access A = shared([](int L) { return 32 * L + 8; }, 8, 2, 4, 8);
  A.operation = Operation::Store;
  A.field = FieldInfo{"D4", "x", 32, 8, 8, 4};
  const auto F = findingsOf(A);
  ASSERT_EQ(rulesOf(F), "shared-bank-conflict");
  EXPECT_EQ(F[0].message,
            "shared store of field 'x' of an array of 'D4' is a 4-way bank conflict: 8 wavefronts where 2 "
            "would do");
  EXPECT_EQ(F[0].notes[1].message,
            "keep the fields of 'D4' in separate shared arrays, or pad it from 32 to 40 bytes");
  EXPECT_EQ(F[0].impact, Impact::Medium);
}

TEST(SharedBankConflict, TwoWordsOfOneBank) {
  // s[(t & 1) * 32 + 7] against s[t & 1]
  EXPECT_EQ(rulesOf(findingsOf(shared([](int L) { return L % 2 * 128 + 28; }, 2, 1, 2))),
            "shared-bank-conflict");
  EXPECT_EQ(rulesOf(findingsOf(shared([](int L) { return L % 2 * 4; }, 1, 1, 1))), "");
}

TEST(SharedBankConflict, NeverClaimsAnIdealThatIsMet) {
  // A merged 8-byte load: 2 wavefronts are the whole-warp ideal, 1 is what the lanes need.
  const auto F = findingsOf(shared([](int L) { return L / 2 * 16; }, 2, 2, 2, 8));
  EXPECT_EQ(F.at(0).message, "shared load is a 2-way bank conflict: 2 wavefronts where 1 would do");
}

TEST(SharedBankConflict, UnknownIsSilent) {
  Access A = shared([](int L) { return 128 * L; }, 32, 1, 32);
  A.confidence = Confidence::Unknown;
  EXPECT_EQ(rulesOf(findingsOf(A)), "");
}

//===-- misaligned-vector-cast ------------------------------------------------------------===//

TEST(MisalignedVectorCast, NamesTheByteThatFaults) {
  Access A = shared([](int L) { return 132 * L; }, 4, 16, 4, 16);
  A.faultOffset = 132;
  bool Found = false;
  for (const Finding &F : findingsOf(A))
    if (F.rule == "misaligned-vector-cast") {
      Found = true;
      EXPECT_EQ(F.severity, Severity::Error);
      EXPECT_EQ(F.message, "shared load of 16 bytes at an address that is not a multiple of 16 faults at run time");
    }
  EXPECT_TRUE(Found);
  A.faultOffset.reset();
  for (const Finding &F : findingsOf(A))
    EXPECT_NE(F.rule, "misaligned-vector-cast");
}
