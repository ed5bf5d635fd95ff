//===-- Sample.h - A report written by hand -------------------------*- C++ -*-===//
//
// One report with every kind of object, for the writers' tests and for the schema's.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TEST_UNIT_REPORT_SAMPLE_H
#define WARPLINT_TEST_UNIT_REPORT_SAMPLE_H

#include "analyzer/result/Result.h"

namespace warplint::test {

inline result::Place place(const char *File, unsigned Line, unsigned Column, unsigned EndLine = 0,
                           unsigned EndColumn = 0) {
  result::Place P;
  P.file = File;
  P.line = Line;
  P.column = Column;
  P.endLine = EndLine;
  P.endColumn = EndColumn;
  return P;
}

/// The source that sampleReport speaks of, as /src/transpose.cu.
inline const char *sampleSource() {
  return "__global__ void transpose(const float *in, float *out, int n) {\n"
         "  __shared__ float tile[32][32];\n"
         "  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;\n"
         "  for (int j = 0; j < 32; j += 8)\n"
         "    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];\n"
         "  __syncthreads();\n"
         "  for (int j = 0; j < 32; j += 8)\n"
         "    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];\n"
         "}\n";
}

/// What is known of the kernel as a whole.
inline void rate(result::Kernel &K) {
  using namespace result;
  const Amount N = Amount::symbol("n");
  K.work.fp32 = N * 2;
  K.work.special = 1;
  K.work.integer = N * 10;
  K.work.requested = N * 8 + 4;
  K.work.hauled = N * 16;
  K.work.lines = N * 16;
  K.work.useful = N * 8;
  K.work.threads = 4096;
  K.work.distinct = N * 8192;
  K.work.assumptions = {"both sides of conditions on data count"};
  K.reuse = {{"in", "in[(y + j) * n + x]", place("/src/transpose.cu", 5, 42, 5, 61), 32, "threadIdx.x", true, 4},
             {"other", "other[x]", place("/src/transpose.cu", 6, 4, 6, 12), 8, "threadIdx.y", true, 4}};
  Roofline R;
  R.gpu = "seed-20-1";
  R.intensity = 0.25;
  R.intensityText = "0.25";
  R.machineBalance = 20;
  R.boundBy = "memory";
  R.evenWhenCached = true;
  R.crossoverTile = 80;
  R.attainableFlops = 0.25e12;
  R.secondsFloor = 1.5e-6;
  R.suggestedTile = TileSuggestion{{"in", "other"}, 4, 32, 8192, 49152, 8, 64, 32768, 4};
  K.roofline = R;
  Occupancy O;
  O.gpu = "sm_80";
  O.blocksPerSm = 8;
  O.warpsPerSm = O.maxWarps = 64;
  O.fraction = 1;
  O.leastBlocksPerSm = 4;
  O.leastFraction = 0.5;
  O.limiters = {"warps", "shared memory"};
  O.registerLimit = 64;
  O.registersOrigin = "__launch_bounds__";
  O.sharedBytes = 4096;
  O.atMost = true;
  O.assumptions = {"no dynamic shared memory: how much a launch gives is not known"};
  K.occupancy = O;
  K.eta = Eta{0.5, std::nullopt, std::nullopt, std::nullopt, 0.5};
}

inline result::Report sampleReport() {
  using namespace result;
  const char *File = "/src/transpose.cu";

  Access Global; // known in full
  Global.place = place(File, 5, 42, 5, 61);
  Global.expression = "in[(y + j) * n + x]";
  Global.space = Space::Global;
  Global.base = "in";
  Global.width = 4;
  Global.offset = "4*threadIdx.x + 4096*threadIdx.y";
  Global.confidence = Confidence::Exact;
  Global.activeLanes = 32;
  Global.iterations = 4;
  Global.worst.lines = 2;
  Global.worst.sectors = 5;
  Global.worst.idealSectors = 4;
  Global.worst.efficiency = 0.5;
  Global.worst.sectorEfficiency = 0.8;
  Global.mean.lines = 1.1;
  Global.mean.sectors = 4.5;
  Global.mean.idealSectors = 4;
  Global.mean.efficiency = 1.0 / 3;
  Global.mean.sectorEfficiency = 1;
  Global.total = Total{512, 2048, 2048, 0};

  Access Shared; // rests on assumptions, no total
  Shared.place = place(File, 8, 28, 8, 62);
  Shared.expression = "tile[threadIdx.x][threadIdx.y + j]";
  Shared.space = Space::Shared;
  Shared.base = "tile";
  Shared.width = 4;
  Shared.offset = "128*threadIdx.x + 4*threadIdx.y + 4*j";
  Shared.confidence = Confidence::Assumed;
  Shared.assumptions = {"blocks are 32x8", "n is a multiple of 32"};
  Shared.activeLanes = 32;
  Shared.worst.wavefronts = 32;
  Shared.worst.idealWavefronts = 1;
  Shared.worst.conflictWays = 32;
  Shared.mean = Shared.worst;

  Access Constant = Shared;
  Constant.expression = "weights[threadIdx.x % 3]";
  Constant.space = Space::Constant;
  Constant.base = "weights";
  Constant.assumptions.clear();
  Constant.confidence = Confidence::Exact;
  Constant.worst.distinctAddresses = 3;
  Constant.mean.distinctAddresses = 2.5;

  Access Local = Constant;
  Local.expression = "stack[depth]";
  Local.operation = Operation::Store;
  Local.space = Space::Local;
  Local.base = "stack";
  Local.removed = true;
  Local.worst = {};
  Local.worst.sectors = 32;
  Local.worst.idealSectors = 4;
  Local.worst.sectorEfficiency = 0.125;
  Local.mean = Local.worst;
  Local.mean.sectors = 18.5;

  Access Unknown = Global;
  Unknown.expression = "in[order[x]]";
  Unknown.operation = Operation::Atomic;
  Unknown.confidence = Confidence::Unknown;
  Unknown.reason = "the index is read from memory: order[x]";
  Unknown.offset = "";
  Unknown.iterations.reset();

  Access Copy = Global;
  Copy.mechanism = Mechanism::CpAsync;

  Kernel K;
  K.name = "transpose";
  K.signature = "transpose(const float *, float *, int)";
  K.place = place(File, 1, 17);
  K.block = {32, 8, 1};
  K.grid = {4, 4, 1};
  K.blockOrigin = BlockOrigin::Launch;
  K.dynamicShared = 0;
  K.arguments = {{"n", 1024}};
  K.arch = "sm_80";
  K.accesses = {Global, Shared, Constant, Local, Unknown, Copy};
  rate(K);

  Kernel Partial;
  Partial.name = "walk";
  Partial.signature = "walk(int *)";
  Partial.place = place(File, 20, 17);
  Partial.block = {256, 1, 1};
  Partial.arch = "sm_80";
  Partial.partial = true;
  Partial.partialReason = "more than 1000000 steps";

  Finding F;
  F.rule = "shared-tile-column";
  F.impact = Impact::High;
  F.message = "shared load of a tile column is a 32-way bank conflict: 32 wavefronts where 1 would do";
  F.place = Shared.place;
  F.kernel = K.signature;
  F.confidence = Confidence::Exact;
  F.space = Space::Shared;
  F.cost = Shared.worst;
  F.fingerprint = "5f1c9e0aa2b34d77";
  F.notes = {{"rows of 'tile' are 32 words apart, so a column stays in one bank; pad to [32][33]",
              place(File, 2, 20, 2, 24)},
             {"lane t reads tile + 128*t (block 32x8 from the launch at line 12)", Place()}};
  Fix Pad;
  Pad.title = "pad the rows of 'tile' to 33 elements";
  Pad.safety = FixSafety::Safe;
  Pad.edits = {{File, 93, 2, "33"}};
  Pad.before = Shared.worst;
  Pad.after.wavefronts = Pad.after.idealWavefronts = Pad.after.conflictWays = 1;
  Pad.verified = true;
  Fix Untried = Pad;
  Untried.title = "swizzle 'tile'";
  Untried.verified = false;
  F.fixes = {Pad, Untried};

  Finding Misaligned;
  Misaligned.rule = "global-misaligned";
  Misaligned.severity = Severity::Note;
  Misaligned.impact = Impact::Low;
  Misaligned.message = "5 sectors where 4 would do";
  Misaligned.place = Global.place;
  Misaligned.kernel = K.signature;
  Misaligned.space = Space::Global;
  Misaligned.cost = Global.worst;
  Misaligned.fingerprint = "00c3";
  Fix Shift;
  Shift.title = "start at a multiple of 8 elements";
  Shift.safety = FixSafety::Display;
  Shift.before = Global.worst;
  Shift.after = Global.mean;
  Shift.verified = true;
  Misaligned.fixes = {Shift};

  Report R;
  R.kernels = {K, Partial};
  R.findings = {F, Misaligned};
  R.errors = {{place(File, 3, 7), "unknown type name 'half'"}, {Place(), "no such file: missing.h"}};
  R.files = 1;
  return R;
}

/// The same as the report of one of three shards.
inline result::Report sampleShard() {
  using namespace result;
  Report R = sampleReport();
  R.kernels[0].unit = 3;
  R.kernels[0].launch = place("/src/main.cu", 40, 5);
  R.kernels[1].unit = 5;
  R.errors[0].unit = 5;
  Shard &S = R.shard.emplace();
  S.index = 2;
  S.count = 3;
  S.files = 7;
  S.units = {{3, "/src/transpose.cu"}, {5, "/src/walk.cu"}};
  S.candidates = {{R.findings[0], 0, false, Severity::Error}, {R.findings[1], 1, true, std::nullopt}};
  S.candidates[0].finding.expression = "tile[threadIdx.x][threadIdx.y + j]";
  S.candidates[0].finding.base = "tile";
  S.candidates[0].finding.excess = 0.5;
  S.failures = {"/src/x.cu: no"};
  S.badSuppressions = 1;
  S.wholeProject = S.filtered = true;
  S.checks = "-*,global-*";
  S.configuration = "{Checks: '*'}";
  R.baseline = {1, 2, 3};
  return R;
}

} // namespace warplint::test

#endif
