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

namespace {

/// Names and what they must be: sizes and alignments that costs depend on, checked against CUDA's own headers
/// too.
std::string layoutChecks() {
  struct Layout {
    const char *type;
    unsigned size, align;
  };
  static constexpr Layout Layouts[] = {
      {"dim3", 12, 4},
      {"half", 2, 2},
      {"half2", 4, 4},
      {"__half_raw", 2, 2},
      {"__half2_raw", 4, 4},
      {"__nv_bfloat16", 2, 2},
      {"__nv_bfloat162", 4, 4},
      {"__nv_fp8_e4m3", 1, 1},
      {"__nv_fp8_e5m2", 1, 1},
      {"__nv_fp8x2_e4m3", 2, 2},
      {"__nv_fp8x4_e5m2", 4, 4},
      {"double4_16a", 32, 16},
      {"double4_32a", 32, 32},
      {"longlong4_16a", 32, 16},
      {"ulonglong4_32a", 32, 32},
      {"long4_32a", 32, 32},
      {"cuComplex", 8, 8},
      {"cuDoubleComplex", 16, 16},
      {"cudaExtent", 24, 8},
      {"cudaPitchedPtr", 32, 8},
      {"cudaMemcpy3DParms", 160, 8},
      {"cudaLaunchAttribute", 72, 8},
      {"cudaTextureDesc", 72, 4},
      {"cudaTextureObject_t", 8, 8},
      {"cuda::barrier<cuda::thread_scope_block>", 8, 8},
      {"cuda::atomic<int>", 4, 4},
      {"cuda::atomic<unsigned long long>", 8, 8},
      {"curandState", 48, 8},
      {"curandStatePhilox4_32_10_t", 64, 16},
      {"curandStateMRG32k3a", 48, 8},
      {"CUtensorMap", 128, 128},
  };
  std::string Text =
      "#include <cooperative_groups.h>\n#include <cuComplex.h>\n#include <cuda.h>\n#include <cuda/atomic>\n"
      "#include <cuda/barrier>\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include <cuda_fp8.h>\n"
      "#include <curand_kernel.h>\n";
  for (const Layout &Each : Layouts)
    Text += std::string("static_assert(sizeof(") + Each.type + ") == " + std::to_string(Each.size) +
            ", \"size of " + Each.type + "\");\nstatic_assert(alignof(" + Each.type +
            ") == " + std::to_string(Each.align) + ", \"alignment of " + Each.type + "\");\n";
  return Text;
}

/// Parses with built-in declarations and, where there is one, with a toolkit.
void parsesBothWays(llvm::StringRef Text, std::vector<std::string> Kernels) {
  EXPECT_EQ(kernelsOf(Text), Kernels);
  if (haveToolkit())
    EXPECT_EQ(kernelsOf(Text, true), Kernels);
}

} // namespace

TEST(BuiltinCuda, LayoutsAreCudas) { parsesBothWays(layoutChecks(), {}); }

TEST(BuiltinCuda, Breadth) {
  constexpr const char *Text = R"cuda(
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/atomic>
#include <cuda/std/complex>
#include <mma.h>
#include <cuComplex.h>
#include <curand_kernel.h>
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/execution_policy.h>
namespace cg = cooperative_groups;
__global__ void halves(half *h, half2 *h2, __nv_bfloat16 *b, __nv_bfloat162 *b2, float *f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  half2 v = h2[i];
  h2[i + 4096] = __hfma2(v, h2[i], __float2half2_rn(2.0f));
  h[i] = h[i] + h[i + 1] * __float2half(3.f);
  h[i] += h[2];
  f[i] = (float)h[i] + __half2float(h[3]) + float(b[i]) + __bfloat162float(b[i + 2]);
  b[i] = __float2bfloat16(f[i]) * b[i];
  b2[i] = __hadd2(b2[i], b2[i + 1]);
  b2[i].x = b[3];
  if (h[5] > half(3.0)) h[7] = 3;
  atomicAdd(&h2[i], v);
  atomicAdd(h + i, h[9]);
  h[i] = __ldg(h + 5); h2[i] = __ldg(h2 + 5);
  h[2 * i] = hexp(h[i]); h[i] = __hmax(h[i], h[i + 1]);
  f[i] = __dp4a((int)threadIdx.x, 3, 4);
}
__global__ void groups(float *a, int n) {
  __shared__ float s[256];
  auto block = cg::this_thread_block();
  auto t = cg::tiled_partition<16>(block);
  auto tt = cg::tiled_partition<4>(t);
  a[t.meta_group_rank() * 32 + t.thread_rank()] = cg::reduce(t, a[block.thread_rank()], cg::plus<float>());
  a[tt.thread_rank()] = cg::inclusive_scan(tt, a[0]) + cg::exclusive_scan(tt, a[1], cg::plus<float>());
  cg::memcpy_async(block, s, a, sizeof(float) * 256);
  cg::wait(block);
  auto g = cg::coalesced_threads();
  if (g.thread_rank() == 0) a[cg::this_grid().thread_rank()] = s[0] + t.shfl_down(s[1], 1);
  cg::thread_block_tile<32> w = cg::tiled_partition<32>(block);
  cg::invoke_one(w, [&] { a[3] = 1; });
}
__global__ void copies(float4 *g) {
  __shared__ float4 s[256];
  __syncthreads();
  __pipeline_memcpy_async(&s[threadIdx.x], &g[threadIdx.x], 16);
  __pipeline_commit(); __pipeline_wait_prior(0);
  auto p = cuda::make_pipeline();
  p.producer_acquire();
  cuda::memcpy_async(&s[threadIdx.x], &g[threadIdx.x + 256], cuda::aligned_size_t<16>(16), p);
  p.producer_commit(); cuda::pipeline_consumer_wait_prior<0>(p); p.consumer_release();
  __syncthreads();
  g[threadIdx.x] = s[threadIdx.x ^ 1];
}
__global__ void atomics(int *a, cuda::atomic<int, cuda::thread_scope_device> *b) {
  cuda::atomic_ref<int, cuda::thread_scope_device> r(a[threadIdx.x]);
  r.fetch_add(1, cuda::memory_order_relaxed); r.store(3);
  b[threadIdx.x].fetch_add(2); b->load();
  atomicSub_block(a, 2);
}
__global__ void tensor(half *a, half *b, float *c) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, a, 16); wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  for (int i = 0; i < fc.num_elements; i++) fc.x[i] *= 2;
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
__global__ void numbers(curandState *s, float *out) {
  int i = threadIdx.x;
  curandState l = s[i];
  curand_init(1234, i, 0, &l);
  out[i] = curand_uniform(&l) + curand_normal(&l);
  s[i] = l;
}
__global__ void reduce(const int *in, int *out) {
  typedef cub::BlockReduce<int, 128> R;
  __shared__ typename R::TempStorage temp;
  int v = R(temp).Sum(in[threadIdx.x]);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}
struct F { __host__ __device__ float operator()(float x) const { return x * x; } };
int main() {
  thrust::device_vector<float> d(100, 1.0f); thrust::host_vector<float> h = d;
  thrust::sort(d.begin(), d.end()); thrust::sort(thrust::device, d.begin(), d.end());
  float r = thrust::reduce(d.begin(), d.end()) + thrust::reduce(d.begin(), d.end(), 0.0f, thrust::plus<float>());
  float *raw = thrust::raw_pointer_cast(d.data()); float *raw2 = thrust::raw_pointer_cast(&d[0]);
  h[0] = r; d[1] = 2; return raw == raw2;
}
)cuda";
  EXPECT_THAT(kernelsOf(Text),
              ElementsAre("halves", "groups", "copies", "atomics", "tensor", "numbers", "reduce"));
}

/// In one order and in the other: no header needs that another came before it.
TEST(BuiltinCuda, HeadersInAnyOrder) {
  std::string Forwards, Backwards;
  for (const char *Name : {"builtin_types.h",
                           "channel_descriptor.h",
                           "cooperative_groups.h",
                           "cooperative_groups/memcpy_async.h",
                           "cooperative_groups/reduce.h",
                           "cooperative_groups/scan.h",
                           "cub/cub.cuh",
                           "cublas_v2.h",
                           "cublasLt.h",
                           "cuComplex.h",
                           "cuda.h",
                           "cuda/atomic",
                           "cuda/barrier",
                           "cuda/pipeline",
                           "cuda/std/array",
                           "cuda/std/type_traits",
                           "cuda_bf16.h",
                           "cuda_fp16.h",
                           "cuda_fp8.h",
                           "cuda_gl_interop.h",
                           "cuda_pipeline.h",
                           "cuda_profiler_api.h",
                           "cuda_runtime.h",
                           "cuda_runtime_api.h",
                           "cufft.h",
                           "cufftXt.h",
                           "curand.h",
                           "curand_kernel.h",
                           "cusolverDn.h",
                           "cusparse.h",
                           "cutil.h",
                           "cutil_inline.h",
                           "cutil_math.h",
                           "device_functions.h",
                           "device_launch_parameters.h",
                           "driver_types.h",
                           "helper_cuda.h",
                           "helper_functions.h",
                           "helper_math.h",
                           "helper_timer.h",
                           "host_defines.h",
                           "math_constants.h",
                           "math_functions.h",
                           "mma.h",
                           "nccl.h",
                           "nvToolsExt.h",
                           "nvrtc.h",
                           "nvtx3/nvToolsExt.h",
                           "omp.h",
                           "sm_60_atomic_functions.h",
                           "texture_fetch_functions.h",
                           "thrust/device_vector.h",
                           "thrust/sort.h",
                           "vector_functions.h",
                           "vector_types.h",
                           "crt/device_functions.h"}) {
    std::string Line = "#include <" + std::string(Name) + ">\n";
    Forwards += Line + Line;
    Backwards.insert(0, Line);
  }
  kernelsOf(Forwards);
  kernelsOf(Backwards);
}

TEST(BuiltinCuda, OldAndNewArchitecturesAndStandards) {
  constexpr const char *Text = R"cuda(
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
namespace cg = cooperative_groups;
__global__ void k(__nv_bfloat162 *a, float *b) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  a[threadIdx.x] = __hadd2(a[threadIdx.x], a[0]);
  b[threadIdx.x] = cg::reduce(tile, b[0], cg::plus<float>()) + cg::tiled_partition(cg::coalesced_threads(), 4).size();
}
)cuda";
  for (std::vector<std::string> Flags : {std::vector<std::string>{"-arch=sm_60", "-std=c++14"},
                                         {"-arch=sm_90a", "-std=c++20"},
                                         {"-arch=sm_75", "-std=c++11"}}) {
    size_t Kernels = 0;
    ParseOutcome Outcome = parseText(
        Text, [&](Unit &U) { Kernels = U.kernels.size(); }, false, Flags);
    EXPECT_EQ(Kernels, 1u);
    for (const warplint::result::Error &Each : Outcome.errors)
      ADD_FAILURE() << Flags[0] << " " << Each.place.file << ":" << Each.place.line << ": " << Each.message;
  }
}

TEST(BuiltinCuda, HeadersThatAreNotThereAreErrors) {
  ParseOutcome Outcome;
  kernelsOf("#include <cuda_nothing.h>\n", false, &Outcome);
  EXPECT_EQ(Outcome.errors.size(), 1u);
}

TEST(MissingNames, AreFoundWhereNothingElseIs) {
  parsesBothWays(R"cuda(
texture<float, 2, cudaReadModeElementType> image;
texture<uchar4, 1, cudaReadModeNormalizedFloat> colours;
__global__ void k(float4 *a) { a[threadIdx.x] = tex1Dfetch(colours, 3); a[0].x = tex2D(image, 1.f, 2.f); }
template <class T> void host(T *p) {
  cudaBindTexture(0, colours, p, 4);
  cudaThreadSynchronize();
  cudaMemAdvise(p, 4, cudaMemAdviseSetReadMostly, 0);
}
int main() {
  host((int *)0);
  cudaDeviceProp p;
  return p.clockRate + p.kernelExecTimeoutEnabled + p.memoryClockRate;
}
)cuda",
                 {"k"});
}

TEST(MissingNames, GiveWayToTheProgramsOwn) {
  parsesBothWays(R"cuda(
template <class T> struct texture { T *p; };
struct textureReference { int x; };
texture<float> mine;
static inline __device__ float tex2D(texture<float> t, int i) { return t.p[i]; }
static cudaError_t cudaThreadSynchronize() { return cudaSuccess; }
static inline int cudaBindTexture(int) { return 1; }
static_assert(sizeof(cudaBindTexture(1)) == sizeof(int) && sizeof(textureReference) == sizeof(int), "mine");
static inline cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t) { return cudaSuccess; }
template <class T> __device__ T surface(T v) { return v; }
int persistingL2CacheMaxSize, clockRate;
#define checkCudaErrors(x) x
namespace ours { int cudaThreadExit(int); int call() { return cudaThreadExit(1); } }
__global__ void k(float *a, texture<float> t) { a[threadIdx.x] = surface(tex2D(t, threadIdx.x)); }
int main() {
  cudaDeviceProp p;
  p.persistingL2CacheMaxSize = clockRate;
  checkCudaErrors(cudaThreadSynchronize());
  cudaMemPrefetchAsync(0, 1, 2, 0);
}
)cuda",
                 {"k"});
}

TEST(MissingNames, OtherNamesStayUnknown) {
  ParseOutcome Outcome;
  kernelsOf("__global__ void k(float *a) { *a = tex9D(a); }\nint main() { cudaThreadNothing(); }", false,
            &Outcome);
  ASSERT_EQ(Outcome.errors.size(), 3u); // the third says that the kernel is left out
  EXPECT_NE(Outcome.errors[0].message.find("'tex9D'"), std::string::npos);
  EXPECT_NE(Outcome.errors[1].message.find("'cudaThreadNothing'"), std::string::npos);
  EXPECT_NE(Outcome.errors[2].message.find("kernel 'k' is not analysed"), std::string::npos);
}
