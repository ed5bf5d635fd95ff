// CASE 07: triangular softmax backward, one thread per row start versus one warp per row
// REQUIRES: toolkit
// SOURCE: karpathy/llm.c commit e278112c1949 / PR #167 ("coalesced reading in attention backward pass")
// PATTERN: each lane starts its outer loop at its own row (t = lane), so the inner read walks 32 different rows at
//   once; the fix gives a whole warp to one row and strides lanes over the columns.
// BLOCK: (128)  TYPES: float  FIX: warp per row, lanes over the inner dimension
// HARNESS: launch(G<float>(256 * 256), G<float>(256 * 256), G<float>(256 * 256), 256)
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__global__ void back_slow(float *dp, const float *da, const float *a, int T) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= T) return;
  for (int t = k; t < T; t++) {
    const float *ar = a + t * T;
    const float *dr = da + t * T;
    float acc = 0.f;
    for (int u = 0; u <= t; u++) {
      float x = ar[u]; // EXPECT: global 32 transactions 32 sectors [strided]
      float y = dr[u]; // EXPECT: global 32 transactions 32 sectors [strided]
      acc += x * y;
    }
    dp[t * T + k] = acc; // EXPECT: global 32 transactions 32 sectors [strided]
  }
}

__global__ void back_fast(float *dp, const float *da, const float *a, int T) {
  cg::thread_block blk = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(blk);
  int k = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (k >= T) return;
  for (int t = k; t < T; t++) {
    const float *ar = a + t * T;
    const float *dr = da + t * T;
    float acc = 0.f;
    for (int u = warp.thread_rank(); u <= t; u += warp.size()) {
      float x = ar[u]; // EXPECT: clean
      float y = dr[u]; // EXPECT: clean
      acc += x * y;
    }
    if (warp.thread_rank() == 0)
      dp[t * T + k] = acc; // EXPECT: clean [single-lane]
  }
}

void launch(float *dp, const float *da, const float *a, int T) {
  back_slow<<<T / 128, 128>>>(dp, da, a, T);
  back_fast<<<T / 4, 128>>>(dp, da, a, T);
}
