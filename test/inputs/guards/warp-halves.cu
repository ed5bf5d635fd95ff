// The halves of a warp, each synchronised for itself: both execute the same instructions, and so one request is both's, also where
// one half has long ended when the other comes.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

__device__ int sum(cooperative_groups::thread_group group, int *x, int value) {
  int lane = group.thread_rank();
  for (int i = group.size() / 2; i > 0; i /= 2) {
    x[lane] = value; // EXPECT: clean [confidence=exact wavefronts=1]
    group.sync();
    if (lane < i)
      value += x[lane + i]; // EXPECT: clean [confidence=exact wavefronts=1]
    group.sync();
  }
  return value;
}

__global__ void tiles(int *out) {
  __shared__ int x[64];
  auto tile = cooperative_groups::tiled_partition<16>(cooperative_groups::this_thread_block());
  out[threadIdx.x] = sum(tile, x + threadIdx.x / 16 * 16, threadIdx.x); // EXPECT: clean [confidence=exact sectors=4]
}

__global__ void halves(int *out) {
  __shared__ int x[64];
  int lane = threadIdx.x % 16;
  int *mine = x + threadIdx.x / 16 * 16;
  unsigned mask = 0xffffu << threadIdx.x / 16 % 2 * 16;
  int value = threadIdx.x;
  for (int i = 8; i > 0; i /= 2) {
    mine[lane] = value; // EXPECT: clean [confidence=exact wavefronts=1]
    __syncwarp(mask);
    if (lane < i)
      value += mine[lane + i]; // EXPECT: clean [confidence=exact wavefronts=1]
    __syncwarp(mask);
  }
  out[threadIdx.x] = value; // EXPECT: clean [confidence=exact sectors=4]
}

void launches(int *out) {
  tiles<<<1, 64>>>(out);
  halves<<<1, 64>>>(out);
}
