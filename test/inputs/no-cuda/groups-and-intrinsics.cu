// Indices that depend on what CUDA's own functions compute: the same numbers with a toolkit and without one.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__global__ void ranks(float *a, int n) {
  cg::thread_block block = cg::this_thread_block();
  auto eight = cg::tiled_partition<8>(block);
  auto warp = cg::tiled_partition<32>(block);
  a[block.thread_rank()] = 1;                                            // EXPECT: clean (global 1 transactions 4 sectors)
  a[cg::this_grid().thread_rank()] = 2;                                  // EXPECT: clean (global 1 transactions 4 sectors)
  a[8 * eight.meta_group_rank() + eight.thread_rank()] = 3;              // EXPECT: clean (global 1 transactions 4 sectors)
  a[32 * eight.meta_group_rank() + eight.thread_rank()] = 4;             // EXPECT: clean (global 4 transactions 4 sectors)
  auto pair = cg::tiled_partition<2>(eight); // its numbers are those within the eight
  a[32 * pair.meta_group_rank()] = 7;                                    // EXPECT: clean (global 4 transactions 4 sectors)
  a[32 * (cg::thread_block_tile<2>(pair).meta_group_rank())] = 7;        // EXPECT: clean (global 4 transactions 4 sectors)
  a[cg::this_grid().thread_index().x] = 8;                               // EXPECT: clean (global 1 transactions 4 sectors)
  a[32 * warp.thread_rank()] = 5;                                        // EXPECT: global 32 transactions 32 sectors
  a[eight.size() * eight.thread_rank()] = 6;                             // EXPECT: global 2 transactions 8 sectors
}
__global__ void integers(float *a) {
  int t = threadIdx.x;
  a[__mul24(t, 32)] = 1;                                                 // EXPECT: global 32 transactions 32 sectors
  a[__umul24(t, 1)] = 2;                                                 // EXPECT: clean (global 1 transactions 4 sectors)
  a[__popc(t)] = 3;                                                      // EXPECT: clean (global 1 transactions 1 sectors)
  a[32 * __clz(t & 31)] = 4;                                             // EXPECT: global 6 transactions 6 sectors
  a[__brev(t & 31) >> 27] = 5;                                           // EXPECT: clean (global 1 transactions 4 sectors)
  a[__ffs(t & 31)] = 6;                                                  // EXPECT: clean (global 1 transactions 1 sectors)
  a[min(t, 7) + max(t & 31, 24)] = 7;                                    // EXPECT: clean (global 2 transactions 2 sectors)
  a[__byte_perm(t, 0, 0x4440)] = 8;                                      // EXPECT: clean (global 1 transactions 4 sectors)
  a[__byte_perm(t & 31, 0, 0x4404)] = 8;                                 // EXPECT: global 32 transactions 32 sectors
  a[__funnelshift_l(0, t & 31, 3)] = 9;                                  // EXPECT: global 8 transactions 32 sectors
  a[__funnelshift_r(t << 5, 0, 5)] = 9;                                  // EXPECT: clean (global 1 transactions 4 sectors)
}
__global__ void halves(__half *h, __half2 *h2, __nv_bfloat162 *b2, float *f) {
  int t = threadIdx.x;
  h2[t] = __hadd2(h2[32 * t], h2[t + 128]);                              // EXPECT: global 32 transactions 32 sectors; clean (global 1 transactions 4 sectors)
  f[t] = __half2float(h[t]);                                             // EXPECT: clean (global 1 transactions 2 sectors)
  float x = __bfloat162float(b2[16 * t].x);                              // EXPECT: global 16 transactions 32 sectors
  f[t] = x;                                                              // EXPECT: clean (global 1 transactions 4 sectors)
}
__global__ void copies(float4 *g) {
  __shared__ float4 s[128];
  __pipeline_memcpy_async(&s[threadIdx.x], &g[8 * threadIdx.x], 16);     // EXPECT: global 32 transactions 32 sectors
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  g[threadIdx.x] = s[threadIdx.x];                                       // EXPECT: clean (global 4 transactions 16 sectors)
}
void launch(float *a, __half *h, __half2 *h2, __nv_bfloat162 *b2) {
  ranks<<<4, 128>>>(a, 1);
  integers<<<4, 128>>>(a);
  halves<<<4, 128>>>(h, h2, b2, a);
  copies<<<4, 128>>>((float4 *)a);
}
