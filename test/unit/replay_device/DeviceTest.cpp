//===-- DeviceTest.cpp - What translated device code tells the runtime ----------===//
#include "Replayed.h"
#include "gmock/gmock.h"
#include <numeric>
#include <utility>

using namespace warplint::replay;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

namespace {

struct Memory {
  alignas(256) float data[4096];
  void *pointer = data;
  Memory() { std::iota(data, data + 4096, 0.0f); }
};

TEST(Device, VectorAdditionComputesAndRecords) {
  Replayed R(R"(__global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
})");
  ASSERT_EQ(R.problem, "");
  Memory A, B, C;
  int N = 40;
  R.run("add", {&A.pointer, &B.pointer, &C.pointer, &N}, 64);
  EXPECT_EQ(C.data[39], 78);
  EXPECT_EQ(C.data[40], 40); // not touched
  EXPECT_THAT(R.lanesAt(4), ElementsAre(32, 32, 32, 8, 8, 8));
  for (const Request &Each : R.at(4)) {
    EXPECT_EQ(Each.site->width, 4u);
    EXPECT_STREQ(Each.site->file, "/replayed/test.cu");
    EXPECT_STREQ(Each.site->function, "add(float const*, float const*, float*, int)");
  }
  EXPECT_EQ(R.at(4)[0].site->column, 12u);
  ASSERT_TRUE(R.module);
  EXPECT_EQ(R.module->siteCount, 3u);
  const Kernel &K = *R.kernel("add");
  EXPECT_EQ(K.line, 1u);
  ASSERT_EQ(K.parameterCount, 4u);
  EXPECT_EQ(K.parameters[0].isPointer, 1u);
  EXPECT_EQ(K.parameters[3].size, 4u);
  EXPECT_EQ(K.parameters[3].isPointer, 0u);
}

TEST(Device, PlainVersionComputesTheSameAndRecordsNothing) {
  Replayed R(R"(__device__ float twice(const float *p) { return *p * 2; }
__global__ void k(float *a) { a[threadIdx.x] = twice(a + threadIdx.x); }
)");
  ASSERT_EQ(R.problem, "");
  Memory A;
  R.run("k", {&A.pointer}, 32, false);
  EXPECT_EQ(A.data[31], 62);
  EXPECT_THAT(R.at(1), IsEmpty());
  EXPECT_THAT(R.at(2), IsEmpty());
  R.run("k", {&A.pointer}, 32, true);
  EXPECT_THAT(R.lanesAt(1), ElementsAre(32));
}

TEST(Device, PlainVersionAsksWhatItHasNotBeenAllowed) {
  Replayed R(R"(__device__ float twice(const float *p) { return *p * 2; }
__global__ void k(float *a) { a[threadIdx.x] = twice(a + threadIdx.x); }
)");
  ASSERT_EQ(R.problem, "");
  Memory A;
  const auto At = [&](unsigned I) { return uint64_t(A.pointer) + 4 * I; };
  auto AskedBy = [&](unsigned Threads) {
    R.run("k", {&A.pointer}, Threads, false);
    return std::exchange(told.checks, {});
  };
  told = {};
  EXPECT_THAT(AskedBy(2), ElementsAre(Pair(1, At(0)), Pair(2, At(0)), Pair(1, At(1)), Pair(2, At(1))));
  told.allowed = {At(0), 4 * 4, 3}; // the first four
  EXPECT_THAT(AskedBy(4), ElementsAre(Pair(1, At(0)), Pair(2, At(0))));
  EXPECT_THAT(AskedBy(4), IsEmpty());
  EXPECT_THAT(AskedBy(5), ElementsAre(Pair(1, At(4)), Pair(2, At(4))));
  float *Odd = reinterpret_cast<float *>(At(0) + 2);
  R.run("k", {&Odd}, 1, false);
  EXPECT_THAT(told.checks, ElementsAre(Pair(1, At(0) + 2), Pair(2, At(0) + 2)));
  told = {};
}

//===--- Grouping -------------------------------------------------------------===//

TEST(Device, IterationsOfALoopAreRequestsOfTheirOwn) {
  Replayed R(R"(__global__ void k(float *a, int n) {
  int t = threadIdx.x;
  for (int i = 0; i < n; ++i) {
    if ((i + t) & 1)
      a[t] = i;
    a[t + 32] = i;
  }
  a[t + 64] = 1;
})");
  ASSERT_EQ(R.problem, "");
  Memory A;
  int N = 8;
  R.run("k", {&A.pointer, &N});
  EXPECT_THAT(R.lanesAt(5), testing::AllOf(SizeIs(8), Each(16)));
  EXPECT_THAT(R.lanesAt(6), testing::AllOf(SizeIs(8), Each(32)));
  EXPECT_THAT(R.lanesAt(8), ElementsAre(32));
}

TEST(Device, LanesThatLeaveALoopEarlyMeetBehindIt) {
  Replayed R(R"(__global__ void k(float *a) {
  int t = threadIdx.x;
  for (int i = 0; i <= t; ++i)
    for (int j = 0; j < i % 3; ++j)
      a[t] += 1;
  a[t] = 0;
})");
  ASSERT_EQ(R.problem, "");
  Memory A;
  R.run("k", {&A.pointer});
  EXPECT_THAT(R.lanesAt(6), ElementsAre(32));
  unsigned Lanes = 0;
  for (unsigned Each : R.lanesAt(5))
    Lanes += Each;
  unsigned Iterations = 0, Requests = 0;
  for (unsigned I = 0; I < 32; ++I)
    for (unsigned J = 0; J < I % 3; ++J)
      Iterations += 32 - I, ++Requests;
  EXPECT_EQ(Lanes, 2 * Iterations); // a load and a store
  EXPECT_THAT(R.lanesAt(5), SizeIs(2 * Requests));
}

TEST(Device, CallsAreRequestsOfTheirOwn) {
  Replayed R(R"(__device__ void put(float *p) {
  *p = 1;
}
__global__ void k(float *a) {
  int t = threadIdx.x;
  put(a + t);
  if (t & 1)
    put(a + t);
  else
    put(a + t + 32);
  put((t & 1) ? a : a + t);
})");
  ASSERT_EQ(R.problem, "");
  Memory A;
  R.run("k", {&A.pointer});
  EXPECT_THAT(R.lanesAt(2), testing::UnorderedElementsAre(32, 16, 16, 32));
}

TEST(Device, DepthsOfARecursionAreRequestsOfTheirOwn) {
  Replayed R(R"(__device__ int down(float *p, int n) {
  p[n] = n;
  return n ? down(p, n - 1) + down(p, n - 1) : 1;
}
__global__ void k(float *a, int n) { a[threadIdx.x] = down(a + 64, n); }
)");
  ASSERT_EQ(R.problem, "");
  Memory A;
  int N = 3;
  R.run("k", {&A.pointer, &N});
  EXPECT_EQ(A.data[0], 8);
  EXPECT_THAT(R.lanesAt(2), testing::AllOf(SizeIs(1 + 2 + 4 + 8), Each(32)));
}

TEST(Device, JumpsIntoALoop) {
  Replayed R(R"(__global__ void k(float *a, int n) {
  int t = threadIdx.x, i = 0;
  if (n > 100)
    goto inside;
again:
  a[t] += 1;
inside:
  a[t + 32] += 1;
  if (++i < n)
    goto again;
})");
  ASSERT_EQ(R.problem, "");
  Memory A;
  int N = 4;
  R.run("k", {&A.pointer, &N}); // the hook checks that no lane comes twice
  EXPECT_THAT(R.lanesAt(6), testing::AllOf(SizeIs(8), Each(32)));
  EXPECT_THAT(R.lanesAt(8), testing::AllOf(SizeIs(8), Each(32)));
}

//===--- Shapes of accesses ---------------------------------------------------===//

TEST(Device, StructuresAreCopiedInAlignedPieces) {
  Replayed R(R"(struct Three { float x, y, z; };
struct __attribute__((aligned(16))) Four { float x, y, z, w; };
struct Pair { double a, b; };
__global__ void k(const Three *t, Three *t2, const Four *f, Four *f2, const Pair *p, Pair *p2) {
  int i = threadIdx.x;
  t2[i] = t[i + 1];
  f2[i] = f[i + 1];
  p2[i] = p[i + 1];
})");
  ASSERT_EQ(R.problem, "");
  Memory A, B;
  R.run("k", {&A.pointer, &B.pointer, &A.pointer, &B.pointer, &A.pointer, &B.pointer});
  auto Widths = [&](unsigned Line) {
    std::vector<unsigned> Result;
    for (const Request &Each : R.at(Line))
      Result.push_back(Each.site->width);
    return Result;
  };
  EXPECT_THAT(Widths(6), ElementsAre(4, 4, 4, 4, 4, 4));
  EXPECT_THAT(Widths(7), ElementsAre(16, 16));
  EXPECT_THAT(Widths(8), ElementsAre(8, 8, 8, 8));
  EXPECT_EQ(R.at(6)[0].site->mechanism, SiteMechanism::Memcpy);
}

TEST(Device, LocalsAndDeadLoadsAreNoAccesses) {
  Replayed R(R"(struct Big { int v[64]; };
__global__ void k(Big b, int *o, const int *unused) {
  int local[4] = {1, 2, 3, 4};
  local[threadIdx.x & 3] += b.v[threadIdx.x];
  int dead = unused[threadIdx.x];
  o[threadIdx.x] = local[1] + b.v[2];
})");
  ASSERT_EQ(R.problem, "");
  int Big[64] = {7, 8, 9}, Out[32];
  void *O = Out, *None = nullptr;
  R.run("k", {Big, &O, &O});
  (void)None;
  EXPECT_EQ(R.module->siteCount, 1u);
  EXPECT_EQ(Out[1], 2 + 8 + 9);
}

TEST(Device, ArraysThatAreNoRegistersAreAccesses) {
  Replayed R(R"(__global__ void k(const int *in, int *o) {
  int open[300], known[4];
  for (int i = 0; i < 300; ++i)
    open[i] = in[i];
  for (int i = 0; i < 4; ++i)
    known[i] = in[i];
  o[threadIdx.x] = open[in[threadIdx.x]] +
                   known[2];
})");
  ASSERT_EQ(R.problem, "");
  int In[300], Out[32];
  std::iota(In, In + 300, 0);
  void *I = In, *O = Out;
  R.run("k", {&I, &O});
  EXPECT_EQ(Out[5], 7);
  EXPECT_EQ(R.at(4).size(), 2u * 300); // open[i] and in[i]
  EXPECT_EQ(R.at(6).size(), 4u);       // in[i] alone
  EXPECT_EQ(R.at(8).size(), 0u);
  unsigned Own = 0;
  for (const Request &Each : R.at(4))
    Own += !Each.site->throughPointer;
  EXPECT_EQ(Own, 300u);
}

TEST(Device, AtomicsVolatilesAndBarriers) {
  Replayed R(R"(__global__ void k(int *a, volatile int *flag) {
  atomicAdd(a, 1);
  if (threadIdx.x == 0)
    atomicCAS(a + 1, 5, 6);
  *flag = 1;
  __syncthreads();
})");
  ASSERT_EQ(R.problem, "");
  int Values[8] = {};
  void *A = Values, *Flag = Values + 4;
  R.run("k", {&A, &Flag});
  EXPECT_EQ(Values[0], 32);
  ASSERT_THAT(R.lanesAt(2), ElementsAre(32));
  EXPECT_EQ(R.at(2)[0].site->operation, SiteOperation::Atomic);
  EXPECT_THAT(R.lanesAt(4), ElementsAre(1));
  EXPECT_EQ(told.atomics, 33u);
  EXPECT_EQ(told.failedAtomics, 1u);
  EXPECT_EQ(told.volatileAccesses, 32u);
  EXPECT_EQ(told.barriers, 32u);
  EXPECT_EQ(R.at(5)[0].site->isVolatile, 1u);
  told = {};
  R.run("k", {&A, &Flag}, 32, false); // threads wait in the unrecorded version too
  EXPECT_EQ(told.volatileAccesses, 32u);
  EXPECT_EQ(told.atomics, 33u);
}

//===--- Shared memory --------------------------------------------------------===//

TEST(Device, InterleavedReductionHas150Wavefronts) {
  Replayed R(R"(__global__ void reduce(const float *in, float *out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    int i = 2 * d * t;
    if (i < 256)
      s[i] += s[i + d];
    __syncthreads();
  }
  if (t == 0)
    out[0] = s[0];
})");
  ASSERT_EQ(R.problem, "");
  Memory A, B;
  R.run("reduce", {&A.pointer, &B.pointer}, 256);
  EXPECT_EQ(R.sharedWavefronts(), 150u);
  EXPECT_EQ(R.kernel("reduce")->staticShared, 1024u);
}

TEST(Device, ColumnsOfATileConflictUnlessPadded) {
  for (int Padding : {0, 1}) {
    Replayed R("__global__ void k(float *o) {\n  __shared__ float t[32][32 + " + std::to_string(Padding) +
               "];\n  o[threadIdx.x] = t[threadIdx.x][3];\n}");
    ASSERT_EQ(R.problem, "");
    Memory A;
    R.run("k", {&A.pointer});
    EXPECT_EQ(R.sharedWavefronts(), Padding ? 1u : 32u);
  }
}

TEST(Device, KernelsShareTheLayoutOfWhatBothUse) {
  Replayed R(R"(__device__ int *both() { __shared__ int x[40]; return x; }
__global__ void first(int *o) { __shared__ int a[100]; a[0] = 5; both()[0] = 6; o[0] = a[0]; o[1] = both()[0]; }
__global__ void second(int *o) { __shared__ char b[3]; extern __shared__ int dynamic[]; b[0] = 1; both()[0] = 2; dynamic[0] = 3;
  o[0] = b[0]; o[1] = both()[0]; o[2] = dynamic[0]; }
__global__ void none(int *o) { o[0] = 1; }
)");
  ASSERT_EQ(R.problem, "");
  EXPECT_EQ(R.kernel("first")->staticShared, 256u + 512u);
  EXPECT_EQ(R.kernel("second")->staticShared, 256u + 128u);
  EXPECT_EQ(R.kernel("none")->staticShared, 0u);
  int Out[3] = {};
  void *O = Out;
  R.run("first", {&O}, 1);
  EXPECT_THAT(Out, ElementsAre(5, 6, 0));
  R.run("second", {&O}, 1);
  EXPECT_THAT(Out, ElementsAre(1, 2, 3));
}

TEST(Device, SharedAddressesOfAssemblyAreOffsets) {
  Replayed R(R"(__global__ void k(float *o) {
  __shared__ float s[64];
  s[threadIdx.x + 1] = threadIdx.x;
  unsigned at = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]);
  float x;
  asm volatile("ld.shared.f32 %0, [%1+4];" : "=f"(x) : "r"(at));
  o[threadIdx.x] = x;
})");
  ASSERT_EQ(R.problem, "");
  Memory A;
  R.run("k", {&A.pointer});
  EXPECT_EQ(A.data[31], 31);
  EXPECT_THAT(R.lanesAt(6), ElementsAre(32));
}

//===--- The rest -------------------------------------------------------------===//

TEST(Device, VariablesKeepTheirNamesAndValues) {
  Replayed R(R"(__device__ int counter = 5;
__constant__ float table[3] = {1, 2, 3};
__global__ void k(float *o) { o[0] = counter + table[2]; }
)");
  ASSERT_EQ(R.problem, "");
  ASSERT_EQ(R.module->variableCount, 2u);
  EXPECT_STREQ(R.module->variables[0].name, "counter");
  EXPECT_EQ(R.module->variables[0].space, VariableSpace::Global);
  EXPECT_STREQ(R.module->variables[1].name, "table");
  EXPECT_EQ(R.module->variables[1].size, 12u);
  EXPECT_EQ(R.module->variables[1].space, VariableSpace::Constant);
  *static_cast<int *>(R.module->variables[0].address) = 10;
  Memory A;
  R.run("k", {&A.pointer}, 1);
  EXPECT_EQ(A.data[0], 13);
}

TEST(Device, WhatCannotBeReplayedSaysSoWhenItIsReached) {
  Replayed R(R"(__device__ void elsewhere();
__global__ void k(int *o, int which) {
  if (which == 1)
    asm volatile("wgmma.wait_group.sync.aligned 0;");
  if (which == 2)
    elsewhere();
  o[0] = 1;
})");
  ASSERT_EQ(R.problem, "");
  int Out = 0;
  void *O = &Out;
  for (int Which : {0, 1, 2})
    R.run("k", {&O, &Which}, 1);
  EXPECT_EQ(Out, 1);
  EXPECT_THAT(told.unsupported,
              ElementsAre("4: a tensor-core operation (the PTX instruction wgmma.wait_group.sync.aligned)",
                          HasSubstr("6: the device function elsewhere()")));
}

TEST(Device, KeysOfWarpOperationsFollowTheLoops) {
  Replayed R(R"(__global__ void k(int *o) {
  for (int i = 0; i < 3; ++i)
    o[0] += __shfl_sync(~0u, i, 0);
})");
  ASSERT_EQ(R.problem, "");
  int Out = 0;
  void *O = &Out;
  R.run("k", {&O}, 2);
  ASSERT_THAT(told.warpKeys, SizeIs(6));
  EXPECT_NE(told.warpKeys[0], told.warpKeys[1]);
  for (unsigned I = 0; I < 3; ++I)
    EXPECT_EQ(told.warpKeys[I], told.warpKeys[I + 3]);
}

} // namespace
