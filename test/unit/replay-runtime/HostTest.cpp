//===-- HostTest.cpp - What host code calls ------------------------------------------------------===//
#include "test/unit/replay-runtime/Device.h"
#include "tools/replay/runtime/HostCall.h"
#include "tools/replay/runtime/Properties.h"
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <unistd.h>

using namespace warplint::replay;
using namespace warplint::replay::test;

extern "C" {
void **__cudaRegisterFatBinary(void *);
int __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
int cudaLaunchKernel(const void *, Dim3, Dim3, void **, size_t, Stream);
int cudaMemcpy(void *, const void *, size_t, int);
int cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int);
int cudaMemset(void *, int, size_t);
int cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
int cudaDeviceSynchronize();
const char *cudaGetErrorName(int);
int cudaFuncSetAttribute(const void *, int, int);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);
int cudaHostRegister(void *, size_t, unsigned);
int cudaHostUnregister(void *);
}

namespace {
Site StoreSite;
int DeviceVariable[4];
char HostShadow;
char Stub, OtherStub;

void addKernel(void **A) {
  const int N = *static_cast<int *>(A[1]);
  const uint32_t I = block() * warplintReplayThread->blockDim[0] + thread();
  if (int(I) < N)
    store(StoreSite, key(1), argument<int>(A) + I, int(I) + DeviceVariable[0]);
}

const Parameter Parameters[] = {{8, 1}, {4, 0}};
const Kernel Kernels[] = {{"_Z3addPii", "add(int *, int)", "/add.cu", 1, 2, Parameters, 0, addKernel, addKernel}};
const Variable Variables[] = {{"offset", DeviceVariable, sizeof DeviceVariable, VariableSpace::Global}};
const Module TheModule = {"module 1\n", &StoreSite, 1, Kernels, 1, Variables, 1};

class Host : public testing::Test {
protected:
  static void SetUpTestSuite() {
    StoreSite = site(SiteOperation::Store);
    warplintReplayRegister(&TheModule);
    struct {
      int magic, version;
      const void *data;
      void *unused;
    } Wrapper{0, 1, "module 1\nand what follows", nullptr};
    void **Handle = __cudaRegisterFatBinary(&Wrapper);
    ASSERT_TRUE(Handle);
    __cudaRegisterFunction(Handle, &Stub, nullptr, "_Z3addPii", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterVar(Handle, &HostShadow, nullptr, "offset", 0, 16, 0, 0);
  }
  void SetUp() override { cudaDeviceReset(); }

  int add(int *To, int N, Dim3 Grid = {4, 1, 1}, Dim3 Block = {64, 1, 1}, size_t Shared = 0) {
    void *Arguments[] = {&To, &N};
    return cudaLaunchKernel(&Stub, Grid, Block, Arguments, Shared, nullptr);
  }
};
} // namespace

TEST_F(Host, KernelsRunWithTheirArgumentsAndVariables) {
  Buffer<int> Data(256);
  const int Offset = 1000;
  EXPECT_EQ(cudaMemcpyToSymbol(&HostShadow, &Offset, 4, 0, 1), Success);
  EXPECT_EQ(add(Data.data, 200), Success);
  EXPECT_EQ(cudaDeviceSynchronize(), Success);
  int Copy[256];
  EXPECT_EQ(cudaMemcpy(Copy, Data.data, sizeof Copy, 2), Success);
  EXPECT_EQ(Copy[199], 1199);
  EXPECT_EQ(Copy[200], 0);
}

TEST_F(Host, VariablesHaveASize) {
  const int Five[5] = {};
  EXPECT_EQ(cudaMemcpyToSymbol(&HostShadow, Five, 20, 0, 1), ErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(&OtherStub, Five, 4, 0, 1), ErrorInvalidSymbol);
}

TEST_F(Host, AKernelThatIsNotThere) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaLaunchKernel(&OtherStub, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr), ErrorInvalidDeviceFunction);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("none of the replayed files"));
  EXPECT_EQ(cudaGetLastError(), ErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaGetLastError(), Success);
}

TEST_F(Host, ShapesThatNoGpuTakes) {
  Buffer<int> Data(256);
  testing::internal::CaptureStderr();
  EXPECT_EQ(add(Data.data, 1, {1, 1, 1}, {2048, 1, 1}), ErrorInvalidConfiguration);
  EXPECT_EQ(add(Data.data, 1, {0, 1, 1}), ErrorInvalidConfiguration);
  EXPECT_EQ(add(Data.data, 1, {1, 1, 1}, {1, 1, 1}, 60 << 10), ErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(&Stub, 8, 64 << 10), Success);
  EXPECT_EQ(add(Data.data, 1, {1, 1, 1}, {1, 1, 1}, 60 << 10), Success);
  testing::internal::GetCapturedStderr();
}

TEST_F(Host, FailuresStayUntilTheDeviceIsReset) {
  Buffer<int> Data(8);
  const_cast<RuntimeOptions &>(runtime().options).output = "/dev/null"; // so that the kernel's accesses are seen
  testing::internal::CaptureStderr();
  EXPECT_EQ(add(Data.data, 9), Success); // launches are asynchronous
  const_cast<RuntimeOptions &>(runtime().options).output = nullptr;
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("/kernel.cu:7:3: error: store of 4 bytes"));
  EXPECT_EQ(cudaDeviceSynchronize(), ErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), ErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), ErrorIllegalAddress);
  void *P;
  EXPECT_EQ(cudaMalloc(&P, 4), ErrorIllegalAddress);
  EXPECT_EQ(cudaDeviceReset(), Success);
  EXPECT_EQ(cudaDeviceSynchronize(), Success);
}

TEST_F(Host, CopiesStayWithinAllocations) {
  Buffer<int> Data(8);
  int Here[9] = {};
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaMemcpy(Data.data, Here, 32, 1), Success);
  EXPECT_EQ(cudaMemcpy(Data.data, Here, 36, 1), ErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(Here, Data.data + 1, 32, 2), ErrorInvalidValue);
  EXPECT_EQ(cudaMemset(Data.data, 0, 33), ErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(Here, Here, 4, 1), ErrorInvalidValue); // no device memory
  EXPECT_EQ(cudaMemcpy(Here, Here + 1, 4, 4), Success);       // by address: host to host
  testing::internal::GetCapturedStderr();
}

TEST_F(Host, RowsAreCopiedWithTheirPitches) {
  Buffer<char> Data(64);
  const char From[] = "abcdefgh";
  EXPECT_EQ(cudaMemcpy2D(Data.data, 32, From, 4, 3, 2, 1), Success);
  EXPECT_EQ(Data.data[2], 'c');
  EXPECT_EQ(Data.data[3], 0);
  EXPECT_EQ(Data.data[32], 'e');
  EXPECT_EQ(cudaMemcpy2D(Data.data, 2, From, 4, 3, 2, 1), 12);
}

TEST_F(Host, RegisteredMemoryIsTheDevicesToo) {
  static Site S;
  S = site();
  static int Mine[32];
  auto Kernel = [](void **) { load(S, key(1), Mine + thread()); };
  EXPECT_TRUE(run(Kernel, nullptr).failure);
  EXPECT_EQ(cudaHostRegister(Mine, sizeof Mine, 0), Success);
  EXPECT_FALSE(run(Kernel, nullptr).failure);
  EXPECT_EQ(cudaHostUnregister(Mine), Success);
  EXPECT_EQ(cudaHostUnregister(Mine), ErrorHostMemoryNotRegistered);
}

TEST_F(Host, Occupancy) {
  int Blocks = 0;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&Blocks, &Stub, 256, 0), Success);
  EXPECT_EQ(Blocks, 8); // 64 warps
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&Blocks, &Stub, 256, 40 << 10);
  EXPECT_EQ(Blocks, 4); // 164 KiB of shared memory, 41 each
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&Blocks, &Stub, 32, 0);
  EXPECT_EQ(Blocks, 32);
}

TEST_F(Host, ErrorNames) {
  EXPECT_STREQ(cudaGetErrorName(700), "cudaErrorIllegalAddress");
  EXPECT_STREQ(cudaGetErrorName(123456), "unrecognized error code");
}

//===-- The file ------------------------------------------------------------===//

/// What the runtime wrote of a program that ended as `End` does after one launch.
static std::string written(int (*Launch)(), void (*End)(), int ExitedWith, int KilledBy) {
  const std::string File = testing::TempDir() + "replay-runtime-" + std::to_string(getpid()) + ".json";
  auto Ended = [&](int Status) {
    return KilledBy ? testing::KilledBySignal(KilledBy)(Status) : testing::ExitedWithCode(ExitedWith)(Status);
  };
  EXPECT_EXIT(
      {
        const_cast<RuntimeOptions &>(runtime().options).output = File.c_str();
        Launch();
        End();
      },
      Ended, "");
  std::ifstream In(File);
  const std::string Text{std::istreambuf_iterator<char>(In), {}};
  std::remove(File.c_str());
  return Text;
}

static int launchSome() {
  Buffer<int> Data(256);
  int *To = Data.data, N = 200;
  void *Arguments[] = {&To, &N};
  return cudaLaunchKernel(&Stub, {5, 1, 1}, {64, 1, 1}, Arguments, 0, nullptr); // like no other test's
}

TEST_F(Host, TheFileOfAProgramThatExits) {
  const std::string Text = written(launchSome, [] { std::exit(3); }, 3, 0);
  EXPECT_THAT(Text, testing::HasSubstr("\"ended\":\"exit\""));
  EXPECT_THAT(Text, testing::HasSubstr("\"signature\":\"add(int *, int)\""));
  EXPECT_THAT(Text, testing::HasSubstr("{\"size\":4,\"bytes\":\"c8000000\"}"));
  EXPECT_THAT(Text, testing::HasSubstr("\"warps\":10,\"recordedWarps\":10,\"complete\":true"));
  // Warps 0 to 5 store 32 elements each, warp 6 stores 8.
  EXPECT_THAT(Text, testing::HasSubstr("\"total\":{\"requests\":7,\"lines\":7,\"sectors\":25,\"idealSectors\":25"));
}

TEST_F(Host, TheFileOfAProgramThatCrashes) {
  const std::string Text = written(launchSome, [] { std::raise(SIGSEGV); }, 0, SIGSEGV);
  EXPECT_THAT(Text, testing::HasSubstr("\"ended\":\"signal SIGSEGV\""));
  EXPECT_THAT(Text, testing::HasSubstr("\"requests\":7"));
}

TEST_F(Host, TheFileOfAProgramThatUsesWhatCannotBeReplayed) {
  const std::string Text =
      written([] { return 0; }, [] { warplintReplayUnsupported("a texture", "/a.cu", 7); }, UnsupportedStatus, 0);
  EXPECT_THAT(Text, testing::HasSubstr("\"ended\":\"unsupported\""));
  EXPECT_THAT(Text, testing::HasSubstr("\"message\":\"a texture cannot be replayed\",\"file\":\"/a.cu\",\"line\":7"));
}

TEST(GpuProperties, ChangesByName) {
  const Properties P("name=NVIDIA H100;major=9;nonsense;minor=x");
  EXPECT_EQ(P.name(), "NVIDIA H100");
  EXPECT_EQ(P.get("major"), 9);
  EXPECT_EQ(P.get("minor"), 0);
  EXPECT_EQ(P.get("warpSize"), 32);
  EXPECT_EQ(P.get("no such field"), 0);
}

//===-- printf --------------------------------------------------------------===//

static std::string printed(const char *Format, const void *Arguments) {
  testing::internal::CaptureStdout();
  warplintReplayPrintf(Format, Arguments);
  return testing::internal::GetCapturedStdout();
}

TEST(Printf, ArgumentsAreAligned) {
  struct {
    int a;
    long long b;
    int c;
    double d;
    const char *e;
  } Packed{1, -2, 'x', 2.5, "text"};
  EXPECT_EQ(printed("%d|%5lld|%c|%.2f|%-6s|100%%\n", &Packed), "1|   -2|x|2.50|text  |100%\n");
}

TEST(Printf, StarsAndSizes) {
  struct {
    int width;
    int a;
    size_t b;
    unsigned c;
  } Packed{5, 7, 1234567890123, 255};
  EXPECT_EQ(printed("%*d %zu %#x", &Packed), "    7 1234567890123 0xff");
}

TEST(Printf, WhatIsNoDirectiveStandsAsItIs) {
  EXPECT_EQ(printed("50%", nullptr), "50%");
  EXPECT_EQ(printed("%y", nullptr), "%y");
}
