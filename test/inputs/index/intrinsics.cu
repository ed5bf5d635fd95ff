// Integer intrinsics, ranks of groups and fast divisions in indices. The truth is the kernel itself, run on the CPU
// (test/replay).
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void mul24(int *out) { out[__mul24(blockIdx.x, blockDim.x) + threadIdx.x] = 1; } // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
__global__ void mul24Stride(int *out, int pitch) { out[__mul24(threadIdx.x, pitch)] = 1; } // EXPECT: global 7 transactions 28 sectors [confidence=exact]
__global__ void mul24Negative(int *out) { out[__mul24(int(threadIdx.x) - 8, 3) + 24] = 1; } // EXPECT: global 3 transactions 12 sectors [confidence=exact]
__global__ void mul24Truncates(int *out) { out[__mul24(threadIdx.x + (1 << 24), 2)] = 1; } // EXPECT: global 2 transactions 8 sectors [confidence=exact]
__global__ void umul24(int *out) { out[__umul24(blockIdx.x, blockDim.x) + threadIdx.x * 2u] = 1; } // EXPECT: global 2 transactions 8 sectors [confidence=exact]
__global__ void umul24Truncates(int *out) { out[__umul24(threadIdx.x | 0xff000000u, 2u)] = 1; } // EXPECT: global 2 transactions 8 sectors [confidence=exact]
__global__ void mulhiSigned(int *out) { out[__mulhi(int(threadIdx.x) - 8, 0x40000000) + 8] = 1; } // EXPECT: clean (global 1 transaction 2 sectors) [confidence=exact]
__global__ void umulhiQuotient(int *out) { out[__umulhi(threadIdx.x * 4, 0x55555556u)] = 1; } // EXPECT: global 2 transactions 6 sectors [confidence=exact]
__global__ void umulhiWide(int *out) { out[__umul64hi(threadIdx.x * 4ull, 0x5555555555555556ull)] = 1; } // EXPECT: global 2 transactions 6 sectors [confidence=exact]
__global__ void mulhiWide(int *out) { out[__mul64hi((long long)threadIdx.x - 8, 1ll << 62) + 8] = 1; } // EXPECT: clean (global 1 transaction 2 sectors) [confidence=exact]
__global__ void reversedBits(int *out) { out[__brev(threadIdx.x) >> 25] = 1; } // EXPECT: global 4 transactions 16 sectors [confidence=exact]
__global__ void reversedBits64(int *out) { out[__brevll(threadIdx.x) >> 57] = 1; } // EXPECT: global 4 transactions 16 sectors [confidence=exact]
__global__ void bitReversal5(int *out) { out[(threadIdx.x & ~31u) | __brev(threadIdx.x & 31) >> 27] = 1; } // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
__global__ void leadingZeros(int *out) { out[__clz(threadIdx.x)] = 1; } // EXPECT: clean (global 2 transactions 2 sectors) [confidence=exact]
__global__ void leadingZeros64(int *out) { out[__clzll(threadIdx.x)] = 1; } // EXPECT: clean (global 2 transactions 2 sectors) [confidence=exact]
__global__ void firstSet(int *out) { out[__ffs(threadIdx.x) * 8] = 1; } // EXPECT: global 2 transactions 6 sectors [confidence=exact]
__global__ void firstSet64(int *out) { out[__ffsll(threadIdx.x) * 8] = 1; } // EXPECT: global 2 transactions 6 sectors [confidence=exact]
__global__ void population(int *out) { out[__popc(threadIdx.x) * 8] = 1; } // EXPECT: global 2 transactions 6 sectors [confidence=exact]
__global__ void population64(int *out) { out[__popcll(threadIdx.x | 0xff00000000ull) * 8] = 1; } // EXPECT: global 2 transactions 6 sectors [confidence=exact]
__global__ void powerOfTwoBelow(int *out) { out[1 << (31 - __clz(threadIdx.x | 1))] = 1; } // EXPECT: clean (global 1 transaction 3 sectors) [confidence=exact]
__global__ void funnelLeft(int *out) { out[__funnelshift_l(threadIdx.x << 28, 0, 6)] = 1; } // EXPECT: global 2 transactions 8 sectors [confidence=exact]
__global__ void funnelRight(int *out) { out[__funnelshift_r(threadIdx.x * 16, 0, 2)] = 1; } // EXPECT: global 4 transactions 16 sectors [confidence=exact]
__global__ void rotated(int *out) { out[__funnelshift_l(threadIdx.x, threadIdx.x, 29) >> 26] = 1; } // EXPECT: global 2 transactions 8 sectors [confidence=exact]
__global__ void funnelByLane(int *out) { out[__funnelshift_r(0x10000, 0, threadIdx.x & 15)] = 1; } // EXPECT: global 13 transactions 15 sectors [confidence=exact]
__global__ void funnelClamped(int *out) { out[__funnelshift_rc(threadIdx.x, threadIdx.x * 2, 40)] = 1; } // EXPECT: global 2 transactions 8 sectors [confidence=exact]
__global__ void swappedBytes(int *out) { out[__byte_perm(threadIdx.x, 0, 0x0123) >> 24] = 1; } // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
__global__ void permutedBytes(int *out) { out[__byte_perm(threadIdx.x, blockIdx.x, 0x5540)] = 1; } // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
__global__ void sumOfDifferences(int *out) { out[__sad(threadIdx.x, 16, 3u)] = 1; } // EXPECT: global 2 transactions 5 sectors [confidence=exact]
__global__ void sumOfDifferencesUnsigned(int *out) { out[__usad(threadIdx.x, 16u, 3u)] = 1; } // EXPECT: global 2 transactions 5 sectors [confidence=exact]
__global__ void average(int *out) { out[__hadd(threadIdx.x, 7)] = 1; } // EXPECT: clean (global 2 transactions 3 sectors) [confidence=exact]
__global__ void averageUp(int *out) { out[__rhadd(int(threadIdx.x) - 20, 7) + 16] = 1; } // EXPECT: clean (global 2 transactions 3 sectors) [confidence=exact]
__global__ void averageUnsigned(int *out) { out[__uhadd(threadIdx.x, 7u)] = 1; } // EXPECT: clean (global 2 transactions 3 sectors) [confidence=exact]
__global__ void minimum(int *out) { out[min(threadIdx.x * 4, 100u)] = 1; } // EXPECT: global 4 transactions 13 sectors [confidence=exact]
__global__ void maximum(int *out) { out[max(int(threadIdx.x) - 20, 3)] = 1; } // EXPECT: global 2 transactions 5 sectors [confidence=exact]
__global__ void floatFloor(int *out) { out[__float2int_rd(threadIdx.x * 0.25f)] = 1; } // EXPECT: clean (global 1 transaction 1 sector) [confidence=exact]

// A table that the compiler folds and one in constant memory.
__constant__ int Permutation[8] = {3, 1, 4, 0, 5, 7, 2, 6};
__global__ void tableOfConstants(int *out) {
  const int Table[8] = {0, 64, 8, 72, 16, 80, 24, 88};
  out[Table[threadIdx.x & 7]] = 1; // EXPECT: global 2 transactions 8 sectors [confidence=exact]
}

/// A division by a number that is known to the host: multiply and shift.
struct FastDivmod {
  int divisor;
  unsigned multiplier, shift;
  __host__ __device__ void operator()(int &quotient, int &remainder, int source) const {
    quotient = divisor != 1 ? int(__umulhi(unsigned(source), multiplier) >> shift) : source;
    remainder = source - quotient * divisor;
  }
};
__global__ void fastDivision(int *out) {
  FastDivmod by{24, 0xaaaaaaabu, 4};
  int row, column;
  by(row, column, blockIdx.x * blockDim.x + threadIdx.x);
  out[row * 32 + column] = 1; // EXPECT: clean (global 2 transactions 4 sectors) [confidence=exact]
}
static __device__ __forceinline__ unsigned fastdiv(unsigned n, uint3 v) { return (__umulhi(n, v.x) + n) >> v.y; }
__global__ void fastDivisionInPieces(int *out) {
  uint3 v;
  v.x = 0x33333334u, v.y = 3, v.z = 7;
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, q = fastdiv(i, v);
  out[q * 8 + (i - q * 6)] = 1; // EXPECT: global 3 transactions 6 sectors [confidence=exact]
}

//--- Ranks ------------------------------------------------------------------------
__global__ void rankInBlock(int *out) { out[2 * cg::this_thread_block().thread_rank()] = 1; } // EXPECT: global 2 transactions 8 sectors [confidence=exact]
__global__ void rankInBlock2d(int *out) { out[cg::this_thread_block().thread_rank() * 3] = 1; } // EXPECT: global 3 transactions 12 sectors [confidence=exact]
__global__ void rankInTile(int *out) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  out[tile.thread_rank() * 16 + tile.meta_group_rank()] = 1; // EXPECT: global 4 transactions 8 sectors [confidence=exact]
}
__global__ void rankInWarp(int *out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  out[warp.meta_group_rank() * 64 + warp.thread_rank() + blockIdx.x * warp.meta_group_size()] = 1; // EXPECT: global 2 transactions 5 sectors [confidence=exact]
}
__global__ void leaderOfTile(int *out) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  if (tile.thread_rank() == 0)
    out[tile.meta_group_rank()] = 1; // EXPECT: clean (global 1 transaction 1 sector) [confidence=exact]
}
__global__ void rankInGrid(int *out) { out[cg::this_grid().thread_rank() * 2] = 1; } // EXPECT: global 2 transactions 8 sectors [confidence=exact]
__global__ void sizeOfGroups(int *out) {
  auto tile = cg::tiled_partition<4>(cg::this_thread_block());
  out[cg::this_thread_block().size() * blockIdx.x + tile.size() * threadIdx.x] = 1; // EXPECT: global 4 transactions 16 sectors [confidence=exact]
}
__global__ void indexInBlock(int *out) {
  auto block = cg::this_thread_block();
  out[block.thread_index().y * 64 + block.thread_index().x + block.group_index().x * 16] = 1; // EXPECT: clean (global 2 transactions 4 sectors) [confidence=exact]
}

//--- Swizzles -----------------------------------------------------------------------
template <int B, int M, int S> __device__ int swizzle(int i) { return i ^ ((i & (((1 << B) - 1) << (M + S))) >> S); }
__global__ void swizzledColumn(int *out) {
  __shared__ int tile[32 * 32];
  int t = threadIdx.x;
  out[t] = tile[swizzle<5, 0, 5>(t * 32)]; // EXPECT: clean; clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void swizzledRows(float4 *out) {
  __shared__ float4 tile[8 * 8];
  int t = threadIdx.x;
  out[t] = tile[swizzle<3, 0, 3>((t % 8) * 8 + t / 8)]; // EXPECT: clean; clean (global 4 transactions 16 sectors) [confidence=exact]
}
__global__ void unswizzledRows(float4 *out) {
  __shared__ float4 tile[8 * 8];
  int t = threadIdx.x;
  out[t] = tile[(t % 8) * 8 + t / 8]; // EXPECT: shared 8-way; clean (global 4 transactions 16 sectors) [confidence=exact]
}

void launches(int *a, float4 *v) {
  mul24<<<4, 96>>>(a);
  mul24Stride<<<1, 96>>>(a, 7);
  mul24Negative<<<1, 96>>>(a);
  mul24Truncates<<<1, 96>>>(a);
  umul24<<<4, 96>>>(a);
  umul24Truncates<<<1, 96>>>(a);
  mulhiSigned<<<1, 96>>>(a);
  umulhiQuotient<<<1, 96>>>(a);
  umulhiWide<<<1, 96>>>(a);
  mulhiWide<<<1, 96>>>(a);
  reversedBits<<<1, 128>>>(a);
  reversedBits64<<<1, 128>>>(a);
  bitReversal5<<<1, 128>>>(a);
  leadingZeros<<<1, 128>>>(a);
  leadingZeros64<<<1, 128>>>(a);
  firstSet<<<1, 128>>>(a);
  firstSet64<<<1, 128>>>(a);
  population<<<1, 128>>>(a);
  population64<<<1, 128>>>(a);
  powerOfTwoBelow<<<1, 128>>>(a);
  funnelLeft<<<1, 128>>>(a);
  funnelRight<<<1, 128>>>(a);
  rotated<<<1, 128>>>(a);
  funnelByLane<<<1, 128>>>(a);
  funnelClamped<<<1, 128>>>(a);
  swappedBytes<<<1, 128>>>(a);
  permutedBytes<<<3, 128>>>(a);
  sumOfDifferences<<<1, 128>>>(a);
  sumOfDifferencesUnsigned<<<1, 128>>>(a);
  average<<<1, 128>>>(a);
  averageUp<<<1, 128>>>(a);
  averageUnsigned<<<1, 128>>>(a);
  minimum<<<1, 128>>>(a);
  maximum<<<1, 128>>>(a);
  floatFloor<<<1, 128>>>(a);
  tableOfConstants<<<1, 128>>>(a);
  fastDivision<<<6, 128>>>(a);
  fastDivisionInPieces<<<6, 128>>>(a);
  rankInBlock<<<2, 96>>>(a);
  rankInBlock2d<<<2, dim3(16, 6)>>>(a);
  rankInTile<<<2, 128>>>(a);
  rankInWarp<<<2, dim3(8, 16)>>>(a);
  leaderOfTile<<<2, 128>>>(a);
  rankInGrid<<<dim3(3, 2), 64>>>(a);
  sizeOfGroups<<<3, 64>>>(a);
  indexInBlock<<<3, dim3(16, 8)>>>(a);
  swizzledColumn<<<1, 32>>>(a);
  swizzledRows<<<1, 32>>>(v);
  unswizzledRows<<<1, 32>>>(v);
}
