//===-- MeasurementTest.cpp - The runtime's file ------------------------------------===//
#include "tools/replay/program/Measurement.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"

using namespace warplint;
using namespace warplint::replay;
using testing::HasSubstr;

namespace {

llvm::Expected<Measurement> read(llvm::StringRef Text) {
  llvm::SmallString<128> Name;
  int Descriptor = -1;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("measurement", "json", Descriptor, Name));
  llvm::raw_fd_ostream(Descriptor, /*shouldClose=*/true) << Text;
  llvm::Expected<Measurement> Result = readMeasurement(Name, SourceFacts());
  llvm::sys::fs::remove(Name);
  return Result;
}

std::string errorOf(llvm::Expected<Measurement> M) {
  return M ? std::string() : llvm::toString(M.takeError());
}

std::string withAccesses(const std::string &Accesses) {
  return R"json({"schema": "warplint-replay-measurement/1", "ended": "exit", "gpu": "G", "kernels": [{"name": "_Z1kPi",
    "signature": "k(int*)", "file": "/k.cu", "line": 3, "grid": [2,1,1], "block": [64,1,1], "dynamicShared": 0,
    "launches": 2, "recordedLaunches": 2, "warps": 8, "recordedWarps": 8, "complete": true, "accesses": [)json" +
         Accesses + "]}]}";
}

const char Quiet[] = R"({"file": "/k.cu", "line": 4, "column": 3, "operation": "load", "instruction": "plain",
  "space": "global", "width": 4, "activeLanes": 32, "lines": 1, "sectors": 4, "idealSectors": 4,
  "mean": {"lines": 1, "sectors": 4}, "total": {"requests": 2, "sectors": 8, "idealSectors": 8}})";
const char Loud[] = R"({"file": "/k.cu", "line": 4, "column": 3, "operation": "load", "instruction": "plain",
  "space": "global", "width": 4, "activeLanes": 32, "lines": 32, "sectors": 32, "idealSectors": 4,
  "mean": {"lines": 32, "sectors": 32}, "total": {"requests": 6, "sectors": 192, "idealSectors": 24}})";
const char Elsewhere[] = R"({"file": "/k.cu", "line": 9, "column": 3, "operation": "store", "instruction": "plain",
  "space": "shared", "width": 4, "wavefronts": 2, "idealWavefronts": 1, "conflictWays": 2,
  "total": {"requests": 6, "wavefronts": 12, "idealWavefronts": 6}})";

TEST(ReadMeasurement, PlacesOfOneAccessAreOne) {
  auto M = read(withAccesses(std::string(Quiet) + "," + Loud + "," + Elsewhere));
  ASSERT_TRUE(bool(M)) << llvm::toString(M.takeError());
  ASSERT_EQ(M->kernels.size(), 1u);
  ASSERT_EQ(M->kernels[0].accesses.size(), 2u);
  const MeasuredAccess &A = M->kernels[0].accesses[0];
  EXPECT_EQ(A.access.worst.sectors, 32);
  EXPECT_EQ(A.access.mean.sectors, (2 * 4 + 6 * 32) / 8.0);
  EXPECT_EQ(A.sums.requests, 8u);
  EXPECT_EQ(A.sums.sectors, 200u);
  EXPECT_EQ(A.excess(), 200u - 32u);
  EXPECT_EQ(M->kernels[0].accesses[1].excess(), 6u);
}

TEST(ReadMeasurement, CompleteIsExactAndSampledIsNot) {
  auto M = read(withAccesses(Quiet));
  ASSERT_TRUE(bool(M)) << llvm::toString(M.takeError());
  EXPECT_EQ(M->report().kernels[0].accesses[0].confidence, result::Confidence::Exact);
  M->kernels[0].complete = false;
  EXPECT_EQ(M->report().kernels[0].accesses[0].confidence, result::Confidence::Assumed);
  EXPECT_FALSE(M->report().kernels[0].accesses[0].assumptions.empty());
}

TEST(ReadMeasurement, Damaged) {
  EXPECT_THAT(errorOf(read("{\"schema\": ")), HasSubstr("damaged"));
  EXPECT_THAT(errorOf(read("{\"schema\": \"other/1\"}")), HasSubstr("another version"));
  EXPECT_THAT(errorOf(readMeasurement("/nowhere/measurement.json", SourceFacts())), HasSubstr("no measurement"));
}

} // namespace
