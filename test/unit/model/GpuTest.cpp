//===-- GpuTest.cpp - The table of GPUs, and how users name one --------------===//
#include "analyzer/model/Gpu.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gmock/gmock.h"
#include <set>
#include <string>

using namespace warplint::model;
using testing::HasSubstr;
using testing::Not;
namespace json = llvm::json;

namespace {

std::string errorOf(llvm::StringRef Text) {
  llvm::Expected<Gpu> G = parseGpu(Text);
  return G ? "" : llvm::toString(G.takeError());
}

json::Value dataSheets() {
  auto Buffer = llvm::MemoryBuffer::getFile(WARPLINT_SOURCE_DIR "/test/unit/model/data/gpus.json");
  if (!Buffer)
    return nullptr;
  llvm::Expected<json::Value> Value = json::parse((*Buffer)->getBuffer());
  if (!Value) {
    ADD_FAILURE() << llvm::toString(Value.takeError());
    return nullptr;
  }
  return std::move(*Value);
}

/// A rate that the file gives in tera or giga.
double rate(const json::Object &Row, llvm::StringRef Key, double Unit) {
  return Row.getNumber(Key).value_or(0) * Unit;
}

void expectSameLimits(const json::Object &Row, const SmLimits &L) {
  constexpr unsigned KiB = 1024;
  EXPECT_EQ(L.maxWarps, Row.getInteger("max_warps_per_sm"));
  EXPECT_EQ(L.maxWarps * 32, Row.getInteger("max_threads_per_sm"));
  EXPECT_EQ(L.maxBlocks, Row.getInteger("max_blocks_per_sm"));
  EXPECT_EQ(L.maxThreadsPerBlock, Row.getInteger("max_threads_per_block"));
  EXPECT_EQ(L.registers, Row.getInteger("regs_per_sm"));
  EXPECT_EQ(L.maxRegistersPerThread, Row.getInteger("max_regs_per_thread"));
  EXPECT_EQ(L.sharedBytes, *Row.getInteger("smem_per_sm_kib") * KiB);
  EXPECT_EQ(L.sharedBytesPerBlock, *Row.getInteger("smem_per_block_static_kib") * KiB);
  EXPECT_EQ(L.sharedBytesPerBlockOptIn, *Row.getInteger("smem_per_block_optin_kib") * KiB);
}

void expectSameRates(const json::Object &Row, const Gpu &G) {
  EXPECT_EQ(G.smCount, Row.getInteger("sm_count"));
  EXPECT_EQ(double(G.l2Bytes), rate(Row, "l2_mib", 1 << 20));
  EXPECT_DOUBLE_EQ(G.bytesPerSecond, rate(Row, "mem_bw_gbs", 1e9));
  EXPECT_DOUBLE_EQ(G.fp32FlopsPerSecond, rate(Row, "fp32_tflops", 1e12));
  EXPECT_DOUBLE_EQ(G.fp64FlopsPerSecond.value_or(0), rate(Row, "fp64_tflops", 1e12));
  EXPECT_DOUBLE_EQ(G.tensorFp16FlopsPerSecond.value_or(0), rate(Row, "fp16_tensor_dense_tflops", 1e12));
  // Printed with two decimals.
  EXPECT_NEAR(G.fp32FlopsPerSecond / G.bytesPerSecond, rate(Row, "balance_fp32", 1), 0.0051);
}

TEST(GpuTable, HoldsTheDataSheets) {
  const json::Value File = dataSheets();
  ASSERT_TRUE(File.getAsObject());
  const json::Array &Rows = *File.getAsObject()->getArray("gpus");
  ASSERT_EQ(Rows.size(), 20u);
  ASSERT_EQ(gpus().size(), Rows.size() + 1); // and the worked examples' machine
  for (const json::Value &Value : Rows) {
    const json::Object &Row = *Value.getAsObject();
    SCOPED_TRACE(Row.getString("key")->str());
    const Gpu *G = findGpu(*Row.getString("key"));
    ASSERT_TRUE(G);
    EXPECT_EQ(G->key, *Row.getString("key"));
    EXPECT_EQ(G->name, *Row.getString("name"));
    EXPECT_EQ(std::to_string(G->sm / 10) + "." + std::to_string(G->sm % 10),
              *Row.getString("compute_capability"));
    EXPECT_EQ(findGpu(*Row.getString("name")), G);
    for (const json::Value &Alias : *Row.getArray("aliases"))
      EXPECT_EQ(findGpu(*Alias.getAsString()), G);
    expectSameRates(Row, *G);
    ASSERT_TRUE(G->limits());
    expectSameLimits(Row, *G->limits());
  }
}

TEST(GpuTable, AllocationFollowsTheGeneration) {
  for (const SmLimits &L : allSmLimits()) {
    SCOPED_TRACE(L.sm);
    EXPECT_EQ(L.partitions, L.sm == 60 ? 2u : 4u);
    EXPECT_EQ(L.reservedSharedBytes, L.sm >= 80 ? 1024u : 0u);
    EXPECT_EQ(L.sharedAllocationUnitBytes, L.sm >= 80 ? 128u : 256u);
    EXPECT_LE(L.sharedBytesPerBlockOptIn + L.reservedSharedBytes, L.sharedBytes);
    EXPECT_LE(L.sharedBytesPerBlock, L.sharedBytesPerBlockOptIn);
  }
}

TEST(GpuTable, EachNameMeansOneGpu) {
  for (const Gpu &G : gpus()) {
    EXPECT_EQ(findGpu(G.key), &G) << G.key.str();
    EXPECT_EQ(findGpu(G.name), &G) << G.name.str();
    for (llvm::StringRef Alias : G.aliases)
      if (!Alias.empty())
        EXPECT_EQ(findGpu(Alias), &G) << Alias.str();
  }
}

TEST(GpuTable, LimitsAscendAndAreNeverGuessed) {
  unsigned Before = 0;
  for (const SmLimits &L : allSmLimits()) {
    EXPECT_LT(Before, L.sm);
    Before = L.sm;
    EXPECT_EQ(smLimits(L.sm), &L);
    EXPECT_EQ(smLimits(L.sm + 100), nullptr);
  }
  EXPECT_EQ(smLimits(0), nullptr);
  EXPECT_EQ(smLimits(88), nullptr);
}

TEST(GpuName, IsWhatNvidiaSmiPrints) {
  EXPECT_EQ(findGpu("NVIDIA GeForce RTX 4090")->key, "rtx4090");
  EXPECT_EQ(findGpu("NVIDIA H100 80GB HBM3")->key, "h100-sxm");
  EXPECT_EQ(findGpu("NVIDIA A100-SXM4-40GB")->key, "a100-40-sxm");
  EXPECT_EQ(findGpu("Tesla T4")->key, "t4");
  EXPECT_EQ(findGpu("H100")->key, "h100-sxm");
  EXPECT_EQ(findGpu("rtx_3090")->key, "rtx3090");
  // Near is not the same.
  EXPECT_EQ(findGpu("rtx4080"), nullptr);
  EXPECT_EQ(findGpu("a1"), nullptr);
  EXPECT_EQ(findGpu(""), nullptr);
  EXPECT_EQ(findGpu("NVIDIA"), nullptr);
}

TEST(GpuName, WrongOnesGetASuggestion) {
  EXPECT_THAT(errorOf("rtx409"), HasSubstr("unknown GPU 'rtx409'; did you mean 'rtx4090'?"));
  EXPECT_THAT(errorOf("h10O"), HasSubstr("did you mean 'h100-sxm'?"));
  EXPECT_THAT(errorOf("agx"), HasSubstr("did you mean 'orin-agx-64'?"));
  EXPECT_THAT(errorOf("agx"), HasSubstr("--list-gpus"));
  for (llvm::StringRef Nothing : {"radeon-vii-instinct", "", "x", "nvidia"}) {
    EXPECT_THAT(errorOf(Nothing), HasSubstr("unknown GPU '" + Nothing.str() + "' (--list-gpus"));
    EXPECT_THAT(errorOf(Nothing), Not(HasSubstr("did you mean")));
  }
}

TEST(GpuByHand, PeakAndBandwidth) {
  for (llvm::StringRef Text :
       {"peak=20e12,bw=1e12", "bw=1e12, peak=20e12", "peak=20000000000000,bw=1000e9"}) {
    llvm::Expected<Gpu> G = parseGpu(Text);
    ASSERT_TRUE(bool(G)) << llvm::toString(G.takeError());
    EXPECT_EQ(G->fp32FlopsPerSecond, 20e12);
    EXPECT_EQ(G->bytesPerSecond, 1e12);
    EXPECT_FALSE(G->fp64FlopsPerSecond);
    EXPECT_EQ(G->limits(), nullptr);
  }
  llvm::Expected<Gpu> Double = parseGpu("peak=20e12,bw=1e12,fp64=10e12");
  ASSERT_TRUE(bool(Double)) << llvm::toString(Double.takeError());
  EXPECT_EQ(Double->fp64FlopsPerSecond, 10e12);
}

TEST(GpuByHand, ErrorsSayWhatWouldBeRight) {
  EXPECT_THAT(errorOf("peak=20e12"),
              HasSubstr("GPU 'peak=20e12' has no bw (byte/s); write peak=20e12,bw=1e12"));
  EXPECT_THAT(errorOf("bw=1e12"), HasSubstr("has no peak (FLOP/s)"));
  EXPECT_THAT(errorOf("peak=fast,bw=1e12"), HasSubstr("GPU peak: 'fast' is not a number"));
  EXPECT_THAT(errorOf("peak=,bw=1e12"), HasSubstr("GPU peak: '' is not a number"));
  EXPECT_THAT(errorOf("peak=inf,bw=1e12"), HasSubstr("'inf' is not a number"));
  EXPECT_THAT(errorOf("peak=nan,bw=1e12"), HasSubstr("'nan' is not a number"));
  EXPECT_THAT(errorOf("peak=20e12,bw=1e12,bw=2e12"), HasSubstr("GPU bw is given twice"));
  EXPECT_THAT(errorOf("peak=20e12,fp64=1e12,fp64=1e12,bw=1e12"), HasSubstr("GPU fp64 is given twice"));
  EXPECT_THAT(errorOf("peak=20e12,bandwidth=1e12"), HasSubstr("'bandwidth' is not known of a GPU"));
  EXPECT_THAT(errorOf("peak=20e12,bw=1e12,"), HasSubstr("'' is not known of a GPU"));
  // The units of data sheets.
  EXPECT_THAT(errorOf("peak=20,bw=1e12"),
              HasSubstr("GPU peak=20 is not the rate of any GPU; it is in FLOP/s"));
  EXPECT_THAT(errorOf("peak=20e12,bw=1000"),
              HasSubstr("GPU bw=1000 is not the rate of any GPU; it is in byte/s"));
  EXPECT_THAT(errorOf("peak=-20e12,bw=1e12"), HasSubstr("not the rate of any GPU"));
  EXPECT_THAT(errorOf("peak=20e12,bw=0"), HasSubstr("not the rate of any GPU"));
}

TEST(GpuListing, AlignedLines) {
  const std::vector<std::string> Lines = gpuListing();
  ASSERT_EQ(Lines.size(), gpus().size() + 1);
  for (const std::string &Line : Lines) {
    EXPECT_EQ(Line.size(), Lines.front().size()) << Line;
    EXPECT_LE(Line.size(), 110u) << Line;
  }
  EXPECT_EQ(Lines[0].substr(0, 3), "key");
  EXPECT_THAT(Lines, testing::Contains(testing::ContainsRegex(
                         "^h100-sxm +H100 SXM5 80GB +sm_90 +132 +67.0 +34.00 +3350 +20.0$")));
  EXPECT_THAT(Lines.back(), testing::ContainsRegex("^seed-20-1 .* - +- +20.0 +- +1000 +20.0$"));
}

} // namespace
