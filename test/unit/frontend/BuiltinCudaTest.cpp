//===-- BuiltinCudaTest.cpp - Kernels without a toolkit -------------------===//
#include "Parsed.h"
#include "clang/AST/RecordLayout.h"
#include "gmock/gmock.h"

using namespace warplint::frontend;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

constexpr const char *Sample = R"cuda(
#include <cstdio>
#include <vector>
#include <algorithm>
#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>
#include <vector_types.h>

__constant__ float coefficients[16];
__device__ int counter;

__global__ void __launch_bounds__(256, 2) special(int *__restrict__ out, dim3 d) {
  out[0] = threadIdx.x + threadIdx.y + threadIdx.z + blockIdx.x + blockIdx.y + blockIdx.z;
  out[1] = blockDim.x + blockDim.y + blockDim.z + gridDim.x + gridDim.y + gridDim.z + warpSize + d.x;
  uint3 t = threadIdx; dim3 b = blockDim;
  out[2] = t.x + b.y;
}
__global__ void shared(const float4 *in, float *out) {
  __shared__ float tile[32][33];
  extern __shared__ float dynamic[];
  float4 v = in[threadIdx.x];
  float2 w = make_float2(v.x, v.y);
  tile[threadIdx.y][threadIdx.x] = w.x + w.y;
  dynamic[threadIdx.x] = coefficients[threadIdx.x & 15];
  __syncthreads();
  __syncwarp();
  out[threadIdx.x] = tile[threadIdx.x][threadIdx.y] + __ldg(out + 1) + dynamic[31 - threadIdx.x];
}
__global__ void functions(float *f, int *i, unsigned *u, unsigned long long *l, double *d) {
  atomicAdd(f, 1.0f); atomicAdd(i, 1); atomicAdd(u, 1u); atomicAdd(l, 1ull); atomicAdd(d, 1.0);
  atomicMin(i, 2); atomicMax(u, 3u); atomicCAS(i, 1, 2); atomicExch(f, 2.0f); atomicSub(i, 1); atomicInc(u, 5u);
  atomicAnd(u, 1u); atomicOr(u, 1u); atomicXor(u, 1u);
  f[0] = sqrtf(f[1]) + fabsf(f[2]) + expf(f[3]) + rsqrtf(f[4]) + fmaf(f[0], f[1], f[2]) + __expf(f[5]) + powf(f[0], 2.0f);
  d[0] = sqrt(d[1]) + fabs(d[2]) + exp(d[3]) + fmax(d[0], d[1]);
  i[0] = min(i[1], i[2]) + max(i[3], 4) + abs(i[4]); u[0] = min(u[1], 4u);
  f[6] = fminf(f[1], f[2]) + max(f[1], f[2]);
  i[5] = __shfl_sync(0xffffffff, i[6], 0) + __shfl_xor_sync(0xffffffffu, i[7], 16) + __shfl_down_sync(~0u, i[8], 1);
  f[7] = __shfl_up_sync(0xffffffff, f[8], 1);
  u[2] = __ballot_sync(0xffffffff, i[9] > 0) + __any_sync(~0u, i[0]) + __all_sync(~0u, i[1]) + __activemask();
  u[3] = __popc(u[4]) + __clz(i[4]) + __ffs(i[5]) + __brev(u[5]);
  __threadfence(); __threadfence_block();
  atomicAdd(&counter, 1);
  if (i[0] == 77) printf("%d\n", i[0]);
}
template <class T> __global__ void fill(T *a, T v, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i] = v;
}
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); exit(1); } } while (0)
int main() {
  std::vector<float> host(1024);
  float *p; int *q;
  CHECK(cudaMalloc(&p, 4096)); CHECK(cudaMalloc((void **)&q, 4096)); CHECK(cudaMallocManaged(&q, 16));
  CHECK(cudaMemcpy(p, host.data(), 4096, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyToSymbol(coefficients, host.data(), 64));
  cudaStream_t s; cudaStreamCreate(&s); cudaEvent_t e; cudaEventCreate(&e);
  dim3 grid(2, 2), block(32, 8);
  special<<<grid, block>>>(q, grid);
  shared<<<1, block, 4096, s>>>((const float4 *)p, p);
  functions<<<1, 32>>>(p, q, nullptr, nullptr, nullptr);
  fill<<<4, 256>>>(p, 1.0f, 1024); fill<int><<<4, 256>>>(q, 1, 4);
  CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize());
  cudaEventRecord(e); cudaEventSynchronize(e); cudaDeviceProp prop; cudaGetDeviceProperties(&prop, 0);
  cudaFree(p); cudaFree(q); cudaStreamDestroy(s);
  return std::max(1, 2) + min(3, 4);
}
)cuda";

/// "fill: llvm.nvvm.read.ptx.sreg.tid.x ..." per kernel: what it calls that has no body.
std::vector<std::string> callees(bool WithToolkit) {
  std::vector<std::string> Result;
  ParseOutcome Outcome = parseText(
      Sample,
      [&](Unit &U) {
        for (auto &[Function, Source] : U.kernels) {
          std::vector<std::string> Names;
          collectCallees(*Function, Names);
          Result.push_back(Function->getName().str() + ": " + llvm::join(Names, " "));
        }
      },
      WithToolkit);
  for (const warplint::result::Error &Each : Outcome.errors)
    ADD_FAILURE() << Each.place.file << ":" << Each.place.line << ": " << Each.message;
  return Result;
}

} // namespace

TEST(BuiltinCuda, SampleParses) {
  EXPECT_THAT(kernelsOf(Sample), ElementsAre("special", "shared", "functions", "fill", "fill"));
}

TEST(BuiltinCuda, SpecialRegistersAreRead) {
  std::string Special = callees(false).front();
  for (const char *Register : {"tid.x", "tid.y", "tid.z", "ctaid.x", "ntid.y", "nctaid.z"})
    EXPECT_THAT(Special, testing::HasSubstr(std::string("llvm.nvvm.read.ptx.sreg.") + Register));
}

TEST(BuiltinCuda, SameCodeAsWithAToolkit) {
  if (!haveToolkit())
    GTEST_SKIP() << "no CUDA toolkit";
  EXPECT_EQ(callees(false), callees(true));
}

TEST(BuiltinCuda, SizesAndAlignmentsOfVectorTypes) {
  std::string Checks;
  auto Type = [&](const std::string &Name, unsigned Size) {
    for (unsigned N = 1; N <= 4; ++N) {
      unsigned Align = N == 3 ? Size : std::min(16u, N * Size);
      std::string Full = Name + std::to_string(N);
      Checks += "static_assert(sizeof(" + Full + ") == " + std::to_string(N * Size) + " && alignof(" + Full +
                ") == " + std::to_string(Align) + ", \"" + Full + "\");\n";
      Checks += "__device__ " + Full + " g" + Full + "() { return make_" + Full + "(1" +
                std::string(N > 1 ? ", 2" : "") + (N > 2 ? ", 3" : "") + (N > 3 ? ", 4" : "") + "); }\n";
    }
  };
  for (const char *Name : {"char", "uchar"})
    Type(Name, 1);
  for (const char *Name : {"short", "ushort"})
    Type(Name, 2);
  for (const char *Name : {"int", "uint", "float"})
    Type(Name, 4);
  for (const char *Name : {"long", "ulong", "longlong", "ulonglong", "double"})
    Type(Name, 8);
  kernelsOf(Checks, false);
  if (haveToolkit())
    kernelsOf(Checks, true);
}

TEST(BuiltinCuda, GroupsHalvesAndTextures) {
  constexpr const char *Text = R"cuda(
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;
static_assert(sizeof(half) == 2 && alignof(half) == 2 && sizeof(half2) == 4 && alignof(half2) == 4, "layout");
__global__ void groups(float *a, int n) {
  cg::thread_block block = cg::this_thread_block();
  cg::grid_group grid = cg::this_grid();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  auto quad = cg::tiled_partition<4>(warp);
  for (int i = grid.thread_rank(); i < n; i += grid.size()) a[i] = warp.shfl_down(a[i], 1) + quad.shfl_xor(a[i], 2);
  float sum = cg::reduce(warp, a[block.thread_rank()], cg::plus<float>());
  if (warp.thread_rank() == 0 && warp.any(sum > 0)) a[warp.meta_group_rank()] = sum;
  cg::sync(block); block.sync(); warp.sync();
  auto active = cg::coalesced_threads();
  if (active.thread_rank() == 0) atomicAdd(a, active.size());
}
__global__ void halves(half *h, const half2 *h2, float *f) {
  half2 v = h2[threadIdx.x];
  f[threadIdx.x] = __half2float(h[threadIdx.x]) + __low2float(v) + __high2float(v);
  h[threadIdx.x] = __hadd(h[0], h[1]) * __float2half(2.0f) + __hfma(h[2], h[3], h[4]);
  v = __hadd2(v, __floats2half2_rn(1.0f, 2.0f));
  h[1] = __low2half(v);
}
__global__ void texture(float *o, cudaTextureObject_t t) { o[threadIdx.x] = tex1Dfetch<float>(t, 3) + tex2D<float>(t, 1.f, 2.f); }
)cuda";
  EXPECT_THAT(kernelsOf(Text), ElementsAre("groups", "halves", "texture"));
  if (haveToolkit())
    EXPECT_THAT(kernelsOf(Text, true), ElementsAre("groups", "halves", "texture"));
}

TEST(BuiltinCuda, WhatClangsHeadersLack) {
  constexpr const char *Text = R"cuda(
__global__ void child(int *a) { *a = 1; }
__global__ void k(float *a, int *i) {
  __stcs(a, 1.0f); __stcg(i, 2); __stwb(a + 1, 2.0f);
  a[2] = __ldca(a) + __ldlu(a) + isfinite(a[1]);
  child<<<1, 32>>>(i);
}
int host(float x, double d) { return isfinite(x) + isnan(d) + min(1, 2) + max(1u, 2u) + max(x, 2.0f) + max(d, x); }
)cuda";
  EXPECT_THAT(kernelsOf(Text), ElementsAre("child", "k"));
  if (haveToolkit())
    EXPECT_THAT(kernelsOf(Text, true), ElementsAre("child", "k"));
}
