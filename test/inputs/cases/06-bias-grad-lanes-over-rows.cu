// CASE 06: column sums where the 32 lanes of a warp walk down the rows
// REQUIRES: toolkit
// SOURCE: karpathy/llm.c commit 55fbd7e6adb7 ("faster matmul backward bias kernel that uses coalesced reads")
// PATTERN: old kernel - one warp per output column, lane l reads row l, l+32, ... of that column (stride OC floats);
//   new kernel - lane is the column, warp id is the row, partial sums meet in dynamic shared memory.
// BLOCK: (128)  TYPES: float  FIX: map lanes to columns
// HARNESS: launch(G<float>(768), G<float>(256 * 768), 256, 768)
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__global__ void colsum_slow(float *db, const float *dout, int rows, int OC) {
  cg::thread_block blk = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(blk);
  int col = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (col >= OC) return;
  float s = 0.f;
  for (int i = warp.thread_rank(); i < rows; i += warp.size())
    s += dout[i * OC + col]; // EXPECT: global 32 transactions 32 sectors [strided]
  for (int o = 16; o > 0; o >>= 1) s += warp.shfl_down(s, o);
  if (warp.thread_rank() == 0)
    db[col] += s; // EXPECT: clean [single-lane]
}

__global__ void colsum_fast(float *db, const float *dout, int rows, int OC) {
  extern __shared__ float part[];
  const int vstep = blockDim.x / warpSize;
  const int row = threadIdx.x >> 5;
  const int first = blockIdx.x * warpSize;
  const int lane = threadIdx.x & (warpSize - 1);
  const float *p = dout + first + lane;
  float s = 0.f;
  for (int j = row; j < rows; j += vstep)
    s += p[j * OC]; // EXPECT: clean
  part[lane + row * warpSize] = s; // EXPECT: clean
  __syncthreads();
  if (row == 0) {
    s = 0.f;
    for (int j = 0; j < vstep; j++)
      s += part[lane + j * warpSize]; // EXPECT: clean
    db[first + lane] += s; // EXPECT: clean
  }
}

void launch(float *db, const float *dout, int rows, int OC) {
  colsum_slow<<<OC / 4, 128>>>(db, dout, rows, OC);
  colsum_fast<<<OC / 32, 128, 128 * sizeof(float)>>>(db, dout, rows, OC);
}
