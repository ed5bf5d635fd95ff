#include "Builders.h"
#include "gtest/gtest.h"

using namespace warplint::rules;
using namespace warplint::rules::test;

//===-- global-stride ----------------------------------------------------------===//

TEST(GlobalStride, SaysHowFarApartAndWhatItCosts) {
  Access A = global([](int L) { return 128 * L; }, {32, 32, 4, 0.125});
  A.offset = "128*threadIdx.x + 32768*blockIdx.x";
  A.laneIsSlowIndex = true; // nothing runs faster than the lane: a stride all the same
  EXPECT_EQ(text(findingsOf(A)), "warning: global load strides 32 elements between lanes: 32 transactions "
                                 "and 32 sectors where 4 sectors "
                                 "would do [global-stride]\n"
                                 "9: lane t reads in + 128*t + ... (block 256 from the launch at line 12)\n"
                                 "9: lay the elements that a warp wants next to each other, or load all of "
                                 "them with neighbouring lanes on "
                                 "neighbouring elements and exchange them through shared memory");
}

TEST(GlobalStride, OfTwoIsMediumAndOfEightIsHigh) {
  const auto Two = findingsOf(global([](int L) { return 8 * L; }, {2, 8, 4, 0.5}));
  ASSERT_EQ(rulesOf(Two), "global-stride");
  EXPECT_EQ(Two[0].impact, Impact::Medium);
  const auto Eight = findingsOf(global([](int L) { return 32 * L; }, {8, 32, 4, 0.125}));
  ASSERT_EQ(rulesOf(Eight), "global-stride");
  EXPECT_EQ(Eight[0].impact, Impact::High);
}

TEST(GlobalStride, NamesTheSymbol) {
  Access A = global([](int L) { return 4096 * 4 * L; }, {32, 32, 4, 0.125});
  A.operation = Operation::Store;
  A.base = "out";
  A.offset = "4*ld*threadIdx.x + 1024*ld*blockIdx.x + 4";
  A.laneStrideText = "ld";
  A.strideIsSymbolic = A.laneIsSlowIndex = true;
  A.confidence = Confidence::Assumed;
  A.assumptions = {"ld is a multiple of 32"};
  const auto F = findingsOf(A);
  ASSERT_EQ(rulesOf(F), "global-stride");
  EXPECT_EQ(F[0].message,
            "global store strides ld elements between lanes: 32 transactions and 32 sectors where 4 "
            "sectors would do");
  EXPECT_EQ(F[0].notes[0].message,
            "lane t writes out + 4*ld*t + ... (block 256 from the launch at line 12); assumed: "
            "ld is a multiple of 32");
}

TEST(GlobalStride, NumbersOfAssumedSizesAreNotShown) {
  // dilated[(id % height) * width + id / height] where 28672 was taken for width.
  Access A = global([](int L) { return 114688 * L; }, {32, 32, 4, 0.125});
  A.confidence = Confidence::Assumed;
  A.laneStride.reset();
  A.offset = "4*width*((threadIdx.x + 176*blockIdx.x) % height)";
  const auto F = findingsOf(A);
  ASSERT_EQ(rulesOf(F), "global-stride");
  EXPECT_EQ(F[0].message.find("28672"), std::string::npos);
  EXPECT_EQ(F[0].notes[0].message.find("114688"), std::string::npos);
  A.confidence = Confidence::Exact; // a number of the launch
  A.laneStride = 114688;
  EXPECT_NE(findingsOf(A).at(0).message.find("28672"), std::string::npos);
}

TEST(GlobalStride, LanesThatShareElementsLoseAgainstTheIdeal) {
  // in[threadIdx.x / 8 * 8]: four elements of two bytes in three sectors, where two would hold one for each
  // lane.
  Access A = global([](int L) { return L / 8 * 16 + 24; }, {1, 3, 2, 8.0 / 96});
  A.width = 2;
  const auto F = findingsOf(A);
  ASSERT_EQ(F.size(), 1u);
  EXPECT_EQ(F[0].severity, Severity::Note);
  A.worst.sectors = 8;
  A.worst.sectorEfficiency = 1.0 / 32;
  EXPECT_EQ(findingsOf(A).at(0).severity, Severity::Warning);
}

TEST(GlobalStride, SpeaksOfPiecesWhereThereIsNoOneStride) {
  // u[(k % 2) * 64 + (k / 2) * pitch]: both ends of 16 rows.
  const auto F = findingsOf(global([](int L) { return (L % 2) * 256 + L / 2 * 2048; }, {32, 32, 4, 0.125}));
  ASSERT_EQ(rulesOf(F), "global-stride");
  EXPECT_EQ(F[0].message, "global load spreads 32 lanes over 32 separate places: 32 transactions and 32 "
                          "sectors where 4 sectors would do");
}

TEST(GlobalStride, CountsActiveLanes) {
  // if ((threadIdx.x & 7) == 0) out[i * 8] = v;
  Access A = masked(global([](int L) { return 32 * L; }, {4, 4, 1, 0.125}), 0x01010101);
  A.laneStride = 256;
  const auto F = findingsOf(A);
  ASSERT_EQ(rulesOf(F), "global-stride");
  EXPECT_EQ(F[0].message,
            "global load strides 64 elements between active lanes: 4 transactions and 4 sectors where 1 "
            "sector would do");
}

TEST(GlobalStride, IsSilentWithoutExcess) {
  EXPECT_EQ(rulesOf(findingsOf(global([](int L) { return 4 * L; }, {1, 4, 4, 1}))), "");
  EXPECT_EQ(rulesOf(findingsOf(global([](int L) { return 4 * (31 - L); }, {1, 4, 4, 1}))), "") << "reversed";
  EXPECT_EQ(rulesOf(findingsOf(global([](int L) { return 4 * (L * 5 % 32); }, {1, 4, 4, 1}))), "")
      << "permuted";
  EXPECT_EQ(rulesOf(findingsOf(global([](int) { return 128; }, {1, 1, 4, 0.125}))), "") << "broadcast";
  EXPECT_EQ(rulesOf(findingsOf(global([](int L) { return L / 16 * 4096 + L % 16 * 4; }, {2, 4, 4, 1}))), "")
      << "16-wide block";
  Access Vector = global([](int L) { return 16 * L; }, {4, 16, 16, 1});
  Vector.width = 16;
  EXPECT_EQ(rulesOf(findingsOf(Vector)), "") << "float4";
}

TEST(GlobalStride, IsSilentAboutWhatIsNotKnown) {
  Access A = global([](int L) { return 128 * L; }, {32, 32, 4, 0.125});
  A.confidence = Confidence::Unknown;
  EXPECT_EQ(rulesOf(findingsOf(A)), "");
  A.confidence = Confidence::Exact;
  A.removed = true;
  EXPECT_EQ(rulesOf(findingsOf(A)), "");
}

TEST(GlobalStride, OnAForcedPathIsANote) {
  Access A = global([](int L) { return 128 * L; }, {32, 32, 4, 0.125});
  A.forced = true;
  const auto F = findingsOf(A);
  ASSERT_EQ(rulesOf(F), "global-stride");
  EXPECT_EQ(F[0].severity, Severity::Note);
}

TEST(GlobalStride, OneActiveLaneIsSilent) {
  EXPECT_EQ(rulesOf(findingsOf(masked(global([](int L) { return 4 * L; }, {1, 1, 1, 0.125}), 1))), "");
}

//===-- global-row-per-thread -----------------------------------------------------===//

static Access rowPerThread() {
  Access A = global([](int L) { return 4 * 4096 * L; }, {32, 32, 4, 0.125});
  A.expression = "A[row * n + k]";
  A.base = "A";
  A.offset = "4*n*threadIdx.x + 128*n*blockIdx.x + 4*k";
  A.laneStrideText = "n";
  A.strideIsSymbolic = A.laneIsSlowIndex = true;
  A.loop = 0;
  return A;
}

TEST(GlobalRowPerThread, SuggestsToSwapInATwoDimensionalBlock) {
  EXPECT_EQ(
      text(findingsOf(rowPerThread(), kernel("mm", {32, 32, 1}))),
      "warning: global load gives each lane a row of its own, n elements from the next: 32 transactions and "
      "32 "
      "sectors where 4 sectors would do [global-row-per-thread]\n"
      "9: lane t reads A + 4*n*t + ... (block 32x32 from the launch at line 12)\n"
      "9: swap the roles of threadIdx.x and the index that runs along the row, or turn the block through a "
      "shared tile");
}

TEST(GlobalRowPerThread, SuggestsToWalkByLanesInALoop) {
  Access A = rowPerThread();
  A.companions = Companions{0, 32, 32, 1.0, /*sameRegion=*/false};
  const auto F = findingsOf(A);
  ASSERT_EQ(rulesOf(F), "global-row-per-thread");
  EXPECT_EQ(F[0].impact, Impact::High) << "reuse across iterations never lowers it";
  ASSERT_EQ(F[0].notes.size(), 3u);
  EXPECT_EQ(F[0].notes[1].message,
            "let neighbouring lanes take neighbouring elements: walk the row with the lanes of a "
            "warp, or give each thread a column");
  EXPECT_EQ(F[0].notes[2].message,
            "over its iterations the loop uses 100 % of these sectors, which helps as far as the "
            "L1 cache keeps them for the whole warp");
}

TEST(GlobalRowPerThread, NeedsSomethingThatRunsFaster) {
  Access Chunk = global([](int L) { return 128 * L; }, {32, 32, 4, 0.125});
  Chunk.laneIsSlowIndex = true;
  Chunk.offset = "128*threadIdx.x + 4096*blockIdx.x + 4*iteration";
  EXPECT_EQ(rulesOf(findingsOf(Chunk)), "global-row-per-thread");
  Chunk.offset = "128*threadIdx.x + 4096*blockIdx.x";
  EXPECT_EQ(rulesOf(findingsOf(Chunk)), "global-stride");
  Access A = rowPerThread();
  A.offset = "4*n*threadIdx.x + 128*n*blockIdx.x + 1024*n*iteration";
  EXPECT_EQ(rulesOf(findingsOf(A)), "global-stride");
}

TEST(GlobalRowPerThread, IsSilentWhereRowsAreWholeSectors) {
  // dim3(2, 16), a[x * 1024 + y]: two runs of 64 bytes.
  Access A = global([](int L) { return L % 2 * 4096 + L / 2 * 4; }, {2, 4, 4, 1});
  A.laneIsSlowIndex = true;
  EXPECT_EQ(rulesOf(findingsOf(A)), "");
}

//===-- global-aos ------------------------------------------------------------------===//

static Access field(unsigned Size, unsigned Offset, unsigned Count, Numbers N) {
  Access A = global([=](int L) { return int64_t(Size) * L + Offset; }, N);
  A.expression = "p[i].x";
  A.base = "p";
  A.field = FieldInfo{"P", "x", Size, Offset, 4, Count};
  return A;
}

TEST(GlobalAos, TellsWhatSeparateArraysTake) {
  // Six floats: 36 transactions for all fields, 6 as separate arrays.
  EXPECT_EQ(text(findingsOf(field(24, 0, 6, {6, 24, 4, 1.0 / 6}))),
            "warning: global load of field 'x' of an array of 'P' strides 24 bytes between lanes: 6 "
            "transactions and 24 "
            "sectors where 4 sectors would do [global-aos]\n"
            "9: lane t reads p + 24*t (block 256 from the launch at line 12)\n"
            "9: with 'x' in an array of its own the access takes 1 transaction and 4 sectors instead of 6 "
            "and 24; all 6 "
            "fields take 6 transactions instead of 36");
}

TEST(GlobalAos, MembersOfPackedRecordsComeInPieces) {
  // struct { char tag; int value; short s; } without padding: four accesses, and one of an array of int.
  Access A = global([](int L) { return 7 * L + 1; }, {3, 7, 1, 32.0 / 224});
  A.width = 1;
  A.field = FieldInfo{"P", "value", 7, 1, 4, 3, 1, 4};
  const auto F = findingsOf(A);
  ASSERT_EQ(rulesOf(F), "global-aos");
  EXPECT_EQ(F[0].message,
            "global load of field 'value' of an array of 'P' strides 7 bytes between lanes, in 4 pieces "
            "of 1 byte, each: 3 transactions and 7 sectors where 1 sector would do");
  EXPECT_EQ(F[0].notes.back().message,
            "with 'value' in an array of its own the access takes 1 transaction and 4 "
            "sectors instead of 12 and 28");
  A.field->scalarSize = 1; // char value[4]: an element is one byte
  EXPECT_EQ(findingsOf(A).at(0).notes.back().message,
            "with 'value' in an array of its own the access takes 1 "
            "transaction and 1 sector instead of 3 and 7");
}

TEST(GlobalAos, CompanionsLowerTheImpactAndBothNumbersAreGiven) {
  Access A = field(12, 4, 3, {3, 12, 4, 1.0 / 3});
  EXPECT_EQ(findingsOf(A).at(0).severity, Severity::Warning);
  A.companions = Companions{2, 3, 12, 1.0, true};
  const auto F = findingsOf(A);
  ASSERT_EQ(rulesOf(F), "global-aos");
  EXPECT_EQ(F[0].severity, Severity::Note);
  EXPECT_EQ(F[0].message,
            "global load of field 'x' of an array of 'P' strides 12 bytes between lanes: 3 transactions "
            "and 12 sectors where 4 sectors would do (33 % of the bytes used; 100 % together with 2 other "
            "accesses to the same lines)");
}

TEST(GlobalAos, OneCompanionOfSixDoesNotHelp) {
  Access A = field(24, 0, 6, {6, 24, 4, 1.0 / 6});
  A.companions = Companions{1, 6, 24, 1.0 / 3, true};
  const auto F = findingsOf(A);
  EXPECT_EQ(F.at(0).impact, Impact::High);
  EXPECT_NE(
      F[0].message.find("(17 % of the bytes used; 33 % together with the other access to the same lines)"),
      std::string::npos);
}

TEST(GlobalAos, ArraysInsideRecords) {
  // o[id].fruit[i] of struct { int fruit[512]; }
  Access A = global([](int L) { return 2048 * L; }, {32, 32, 4, 0.125});
  A.field = FieldInfo{"Orchard", "fruit", 2048, 0, 2048, 1};
  A.laneIsSlowIndex = true;
  A.offset = "2048*threadIdx.x + 4*iteration";
  EXPECT_EQ(rulesOf(findingsOf(A)), "global-aos");
  // o[i].tree[id]: the lanes walk inside the record.
  Access B = global([](int L) { return 4 * L; }, {1, 4, 4, 1});
  B.field = FieldInfo{"Shelf", "tree", 2048, 0, 2048, 1};
  EXPECT_EQ(rulesOf(findingsOf(B)), "");
}

TEST(GlobalAos, YieldsWhereTheRowIsTheProblem) {
  // p[row * n + k].x: separate arrays leave the lanes as far apart.
  Access A = rowPerThread();
  for (int L = 0; L != 32; ++L)
    A.laneOffsets[L] = 12 * 4096 * L;
  A.field = FieldInfo{"P", "x", 12, 0, 4, 3};
  EXPECT_EQ(rulesOf(findingsOf(A)), "global-row-per-thread");
}

TEST(GlobalAos, AlignedRecordsMayBeReadWhole) {
  const auto F = findingsOf(field(16, 8, 4, {4, 16, 4, 0.25}));
  ASSERT_EQ(rulesOf(F), "global-aos");
  EXPECT_EQ(F[0].notes.back().message,
            "where the fields are used together, one 16-byte access reads the whole of an "
            "'alignas(16)' structure without waste");
  Access Whole = field(16, 0, 4, {4, 16, 16, 1});
  Whole.width = 16;
  EXPECT_EQ(rulesOf(findingsOf(Whole)), "");
}

//===-- global-narrow ------------------------------------------------------------------===//

TEST(GlobalNarrow, RowsShorterThanASector) {
  // Bytes in a 16x16 block: two rows of 16 bytes.
  Access A = global([](int L) { return L / 16 * 1024 + L % 16; }, {2, 2, 1, 0.5});
  A.width = 1;
  EXPECT_EQ(text(findingsOf(A, kernel("invert", {16, 16, 1}))),
            "warning: global load touches rows of 16 bytes only, shorter than a sector: 2 transactions and 2 "
            "sectors "
            "where 1 sector would do [global-narrow]\n"
            "9: the lanes read in at separate places (block 16x16 from the launch at line 12)\n"
            "9: make the block wider in x, so that the rows of a warp fill whole sectors of 32 bytes, or let "
            "each thread "
            "take several neighbouring elements");
}

TEST(GlobalNarrow, HalvesReadOneByOne) {
  Access A = global([](int L) { return 4 * L; }, {1, 4, 2, 0.5});
  A.width = 2;
  A.companions = Companions{1, 1, 4, 1.0, true};
  const auto F = findingsOf(A);
  ASSERT_EQ(rulesOf(F), "global-narrow");
  EXPECT_EQ(F[0].message,
            "global load takes 2 of every 4 bytes that the thread uses: 1 transaction and 4 sectors where "
            "2 sectors would do (50 % of the bytes used; 100 % together with the other access to the "
            "same lines)");
  EXPECT_EQ(F[0].notes.back().message,
            "one aligned 4-byte access would fetch all of the thread's neighbouring elements");
  A.companions.reset();
  EXPECT_EQ(rulesOf(findingsOf(A)), "global-stride") << "the other half is never read";
}

TEST(GlobalNarrow, ElementsReadOneByOneInRowsOfABlock) {
  // a[y * n + x] = {0, 0} of struct { double re, im; }: each row of a 16x16 block stores every other double.
  Access A = global([](int L) { return L / 16 * 4096 + L % 16 * 16; }, {4, 16, 8, 0.5});
  A.width = 8;
  A.companions = Companions{1, 4, 16, 1.0, true};
  EXPECT_EQ(rulesOf(findingsOf(A, kernel("clear", {16, 16, 1}))), "global-narrow");
  A.companions.reset();
  EXPECT_EQ(findingsOf(A, kernel("clear", {16, 16, 1})).at(0).message,
            "global load strides 2 elements between most neighbouring lanes: 4 transactions and "
            "16 sectors where 8 sectors would do");
  A.companions = Companions{1, 4, 16, 1.0, true};
  // Rows of two lanes have no step that is theirs.
  Access Short = global([](int L) { return L / 2 * 4096 + L % 2 * 16; }, {16, 16, 8, 0.5});
  Short.width = 8;
  Short.companions = A.companions;
  const auto F = findingsOf(Short, kernel("clear", {2, 64, 1}));
  ASSERT_EQ(rulesOf(F), "global-stride");
  EXPECT_TRUE(F[0].message.starts_with("global load spreads 32 lanes over 32 separate places: ")) << F[0].message;
}

TEST(GlobalNarrow, PicksScatteredLanesApart) {
  // in[(t % 8) * pitch + t / 8]: pieces of 16 bytes, but neighbouring lanes are a row apart.
  EXPECT_EQ(rulesOf(findingsOf(global([](int L) { return L % 8 * 4096 + L / 8 * 4; }, {8, 8, 4, 0.5}))),
            "global-stride");
}

//===-- global-misaligned -----------------------------------------------------------------===//

static Access shifted(int64_t By, Numbers N, double AlignedSectors, double AlignedLines) {
  Access A = global([=](int L) { return By + 4 * L; }, N);
  A.alignedSectors = AlignedSectors;
  A.alignedLines = AlignedLines;
  return A;
}

TEST(GlobalMisaligned, ASectorTooManyIsANote) {
  EXPECT_EQ(
      text(findingsOf(shifted(4, {2, 5, 4, 0.8}, 4, 1))),
      "note: global load starts off a 32-byte sector: 2 transactions and 5 sectors where 4 sectors would do "
      "[global-misaligned]\n"
      "9: lane t reads in + 4*t (block 256 from the launch at line 12)\n"
      "9: start each warp on a multiple of 128 bytes; neighbouring warps share the sector at the seam, so "
      "the cache "
      "takes back most of the loss");
}

TEST(GlobalMisaligned, IsANoteHoweverNarrowTheElement) {
  Access A = global([](int L) { return L + 1; }, {1, 2, 1, 0.5});
  A.width = 1;
  const auto F = findingsOf(A);
  ASSERT_EQ(rulesOf(F), "global-misaligned");
  EXPECT_EQ(F[0].severity, Severity::Note);
}

TEST(GlobalMisaligned, ALineTooManyIsANote) {
  const auto F = findingsOf(shifted(64, {2, 4, 4, 1}, 4, 1));
  ASSERT_EQ(rulesOf(F), "global-misaligned");
  EXPECT_EQ(F[0].severity, Severity::Note);
  EXPECT_EQ(
      F[0].message,
      "global load starts off a 128-byte line: 2 transactions where 1 would do, though no sector too many");
}

TEST(GlobalMisaligned, BoundaryChecksAreSilent) {
  // if (i > 4 && i < 29): the full warp is aligned.
  Access A = masked(global([](int L) { return 4 * L; }, {1, 4, 3, 0.75}), 0x1fffffe0);
  A.alignedSectors = 3;
  EXPECT_EQ(rulesOf(findingsOf(A)), "");
  // The same lanes of a shifted warp are not.
  Access B = masked(global([](int L) { return 4 * L + 4; }, {1, 4, 3, 0.75}), 0x00ffffff);
  B.alignedSectors = 3;
  EXPECT_EQ(rulesOf(findingsOf(B)), "global-misaligned");
}

TEST(GlobalMisaligned, RowsOfABlockShiftAlikeOrNot) {
  // An 8-wide block over rows: h[y * width + x + 1] with whole sectors a row, and rows of 1001 elements.
  auto Remedy = [](int64_t Pitch) {
    Access A = global([=](int L) { return L / 8 * Pitch + L % 8 * 4 + 4; }, {4, 8, 4, 0.5});
    return findingsOf(A).at(0).notes.back().message;
  };
  EXPECT_EQ(Remedy(4096), "the rows start on sectors and this access beside them: read shifted neighbours (a halo) "
                          "from a shared tile that was loaded aligned");
  EXPECT_EQ(Remedy(4004),
            "pad the length of the rows to whole sectors (a pitch), so that each row starts on one");
}

TEST(GlobalMisaligned, NeighboursOfAStencilAreSilent) {
  // x[i - 1] + x[i] + x[i + 1]: six sectors for three reads.
  Access A = shifted(4, {2, 5, 4, 0.8}, 4, 1);
  A.companions = Companions{2, 3, 6, 136.0 / 192, true};
  EXPECT_EQ(rulesOf(findingsOf(A)), "");
  // The other read is shifted as well, and of another row.
  A.companions = Companions{1, 4, 10, 0.8, true};
  EXPECT_EQ(rulesOf(findingsOf(A)), "global-misaligned");
  A.companions = Companions{2, 3, 6, 136.0 / 192, true};
  A.operation = Operation::Store;
  EXPECT_EQ(rulesOf(findingsOf(A)), "global-misaligned");
}

TEST(GlobalMisaligned, LinesDoNotMatterWhereLittleIsRead) {
  // ly[16 * blockIdx.y + threadIdx.y + 1]: two elements that the lanes share, at the end of a line.
  Access A = global([](int L) { return L < 16 ? 124 : 128; }, {2, 2, 4, 8.0 / 64});
  A.alignedLines = A.alignedSectors = 1;
  EXPECT_EQ(rulesOf(findingsOf(A)), "");
}

TEST(GlobalMisaligned, AWrapAroundIsNot) {
  // in[(i + 1) % n]: the last lane reads element 0.
  Access A = global([](int L) { return L == 31 ? 0 : 4096 - 124 + 4 * L; }, {2, 5, 4, 0.8});
  EXPECT_EQ(rulesOf(findingsOf(A)), "");
}

//===-- global-few-lanes --------------------------------------------------------------------===//

static Kernel loopKernel() {
  Kernel K = kernel();
  K.loops = {Loop{{}, -1, {}}, Loop{{}, 0, {}}};
  return K;
}

static Access everyFourthLane() {
  Access A = masked(global([](int L) { return 4 * L; }, {1, 4, 1, 0.25}), 0x11111111);
  A.laneStride = 16;
  A.loop = 0;
  return A;
}

TEST(GlobalFewLanes, InALoop) {
  EXPECT_EQ(text(findingsOf(everyFourthLane(), loopKernel())),
            "warning: global load in a loop that at most 8 of 32 lanes work in: 1 transaction and 4 sectors "
            "where 1 "
            "sector would do [global-few-lanes]\n"
            "9: lane t reads in + 4*t (block 256 from the launch at line 12)\n"
            "9: let neighbouring lanes do the work (threadIdx.x < s instead of threadIdx.x % (2*s) == 0), so "
            "that whole "
            "warps are busy or done");
}

TEST(GlobalFewLanes, IsSilentBesideFullWarps) {
  Access A = everyFourthLane();
  A.loop = -1;
  EXPECT_EQ(rulesOf(findingsOf(A, loopKernel())), "") << "outside loops";
  Kernel K = loopKernel();
  Access Full = global([](int L) { return 4 * L; }, {1, 4, 4, 1}, 8);
  Full.loop = 1;
  K.accesses = {Full};
  EXPECT_EQ(rulesOf(findingsOf(everyFourthLane(), K)), "") << "a full warp in the loop inside";
  Access Small = everyFourthLane();
  Small.blockSize = 16;
  EXPECT_EQ(rulesOf(findingsOf(Small, loopKernel())), "") << "launch-partial-warp's business";
  Access Sometimes = everyFourthLane();
  Sometimes.maxActiveLanes = 32;
  EXPECT_EQ(rulesOf(findingsOf(Sometimes, loopKernel())), "");
  Access HalfOutside = masked(global([](int L) { return 4 * L; }, {1, 4, 2, 0.5}), 0x55555555);
  EXPECT_EQ(rulesOf(findingsOf(HalfOutside)), "") << "if (i % 2 == 0)";
}

//===-- global-broadcast ------------------------------------------------------------------------===//

TEST(GlobalBroadcast, IsOffByDefault) {
  Access A = global([](int) { return 64; }, {1, 1, 4, 0.125});
  A.loop = 0;
  EXPECT_EQ(rulesOf(findingsOf(A, loopKernel())), "");
  EXPECT_EQ(text(findingsOf(A, loopKernel(), "global-broadcast")),
            "note: global load gives all 32 lanes the same element: 13 % of the bytes moved are used "
            "[global-broadcast]\n"
            "9: put a table that every thread reads in the same order into __constant__ or shared memory");
  A.loop = -1;
  EXPECT_EQ(rulesOf(findingsOf(A, loopKernel(), "global-broadcast")), "");
}

//===-- launch-partial-warp -----------------------------------------------------------------------===//

TEST(LaunchPartialWarp, CountsIdleLanes) {
  EXPECT_EQ(text(run({kernel("pack", {100, 1, 1})}, Selection(""))),
            "note: block of 100 threads for 'pack' leaves 28 of the 32 lanes of its last warp idle, 22 % of "
            "all lanes "
            "[launch-partial-warp]\n"
            "12: choose a block size that is a multiple of 32: 128 instead of 100 threads");
  const auto Eight = run({kernel("pack", {4, 2, 1})}, Selection(""));
  ASSERT_EQ(rulesOf(Eight), "launch-partial-warp");
  EXPECT_EQ(Eight[0].severity, Severity::Warning);
  EXPECT_EQ(
      Eight[0].message,
      "block of 8 threads for 'pack' leaves 24 of the 32 lanes of its only warp idle, 75 % of all lanes");
  EXPECT_EQ(Eight[0].place.line, 12u);
}

TEST(LaunchPartialWarp, IsSilentForWholeWarpsAndAssumedBlocks) {
  EXPECT_EQ(rulesOf(run({kernel("pack", {96, 1, 1})}, Selection(""))), "");
  Kernel K = kernel("pack", {100, 1, 1});
  K.blockOrigin = BlockOrigin::Assumed;
  EXPECT_EQ(rulesOf(run({K}, Selection(""))), "");
}

TEST(LaunchPartialWarp, StandsAtTheKernelWhenThereIsNoLaunch) {
  Kernel K = kernel("pack", {100, 1, 1});
  K.blockOrigin = BlockOrigin::Option;
  K.launch = {};
  EXPECT_EQ(run({K}, Selection("")).at(0).place.line, 3u);
}

TEST(LaunchPartialWarp, ASerialKernelIsANote) {
  EXPECT_EQ(run({kernel("init", {1, 1, 1})}, Selection("")).at(0).severity, Severity::Note);
}
