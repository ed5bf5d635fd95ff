// CASE 70: indices from cooperative groups ranks
// REQUIRES: toolkit
// SOURCE: idiom; NVIDIA/cuda-samples c94ff366 reductionMultiBlockCG and the cooperative-groups kernels of llm.c
// PATTERN: grid.thread_rank() in a grid-stride loop is unit stride even for a 2-D block; tile.thread_rank() is the lane.
// BLOCK: (16,16)  TYPES: double  FIX: none
// HARNESS: launch(G<double>(1 << 14), G<double>(1 << 14), 1 << 14)
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__global__ void cgsum(const double *in, double *out, int n) {
  cg::thread_block b = cg::this_thread_block();
  cg::grid_group g = cg::this_grid();
  __shared__ double s[256];
  double acc = 0;
  for (unsigned long long i = g.thread_rank(); i < n; i += g.size()) acc += in[i]; // EXPECT: clean (global 2 transactions 8 sectors)
  s[b.thread_rank()] = acc; // EXPECT: clean
  b.sync();
  cg::thread_block_tile<32> w = cg::tiled_partition<32>(b);
  double v = s[w.meta_group_rank() * 32 + w.thread_rank()]; // EXPECT: clean
  if (w.thread_rank() == 0) out[blockIdx.x * 8 + w.meta_group_rank()] = v; // EXPECT: clean
}

void launch(const double *in, double *out, int n) { cgsum<<<8, dim3(16, 16)>>>(in, out, n); }
