//===-- host.h - Enough of CUDA to run a kernel's threads one by one on the CPU -----------===//
//
// The truth that the tool's numbers are held against: the kernel itself, compiled as plain C++. Every thread of every
// block runs alone; the compiler's coverage hooks tell each load and store; what the lanes of a warp do at one place for
// the n-th time is one request. So it is no reference for kernels whose lanes talk to each other, or whose loops skip
// accesses in some lanes (`continue`): those are compared by the random kernels of test/unit/kernel.
//
//===----------------------------------------------------------------------------------------===//
#ifndef WARPLINT_TEST_TRUTH_HOST_H
#define WARPLINT_TEST_TRUTH_HOST_H
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
using std::max;
using std::min;

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
// One section for all, so that an address says what it is; its start is aligned as a block's shared memory is.
#define __shared__ static __attribute__((section("warp_shared"), aligned(128)))
#define __constant__ static

typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef int int2 __attribute__((ext_vector_type(2)));
typedef int int4 __attribute__((ext_vector_type(4)));
struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  dim3(unsigned X = 1, unsigned Y = 1, unsigned Z = 1) : x(X), y(Y), z(Z) {}
};
inline uint3 threadIdx, blockIdx;
inline dim3 blockDim, gridDim;
inline constexpr int warpSize = 32;

//--- Intrinsics -----------------------------------------------------------------
inline int __mul24(int A, int B) { return int(unsigned(A << 8 >> 8) * unsigned(B << 8 >> 8)); }
inline unsigned __umul24(unsigned A, unsigned B) { return (A & 0xffffff) * (B & 0xffffff); }
inline int __mulhi(int A, int B) { return int(int64_t(A) * B >> 32); }
inline unsigned __umulhi(unsigned A, unsigned B) { return unsigned(uint64_t(A) * B >> 32); }
inline unsigned long long __umul64hi(unsigned long long A, unsigned long long B) {
  return (unsigned long long)((unsigned __int128)A * B >> 64);
}
inline long long __mul64hi(long long A, long long B) { return (long long)((__int128)A * B >> 64); }
inline int __popc(unsigned V) { return std::popcount(V); }
inline int __popcll(unsigned long long V) { return std::popcount(V); }
inline int __clz(int V) { return std::countl_zero(unsigned(V)); }
inline int __clzll(long long V) { return std::countl_zero((unsigned long long)V); }
inline int __ffs(int V) { return __builtin_ffs(V); }
inline int __ffsll(long long V) { return __builtin_ffsll(V); }
inline unsigned __brev(unsigned V) { return __builtin_bitreverse32(V); }
inline unsigned long long __brevll(unsigned long long V) { return __builtin_bitreverse64(V); }
inline unsigned __funnelshift_l(unsigned Low, unsigned High, unsigned N) {
  return unsigned(((uint64_t(High) << 32 | Low) << (N & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned Low, unsigned High, unsigned N) {
  return unsigned((uint64_t(High) << 32 | Low) >> (N & 31));
}
inline unsigned __funnelshift_lc(unsigned Low, unsigned High, unsigned N) {
  return unsigned(((uint64_t(High) << 32 | Low) << min(N, 32u)) >> 32);
}
inline unsigned __funnelshift_rc(unsigned Low, unsigned High, unsigned N) {
  return unsigned((uint64_t(High) << 32 | Low) >> min(N, 32u));
}
inline unsigned __byte_perm(unsigned X, unsigned Y, unsigned S) { // [PTX ISA, prmt]
  uint64_t Both = uint64_t(Y) << 32 | X;
  unsigned R = 0;
  for (unsigned I = 0; I < 4; ++I) {
    unsigned Selector = S >> (4 * I) & 15, Byte = unsigned(Both >> (8 * (Selector & 7))) & 255;
    R |= (Selector & 8 ? (Byte & 128 ? 255u : 0u) : Byte) << (8 * I);
  }
  return R;
}
inline int __sad(int A, int B, unsigned C) { return int(unsigned(std::abs(A - B)) + C); }
inline unsigned __usad(unsigned A, unsigned B, unsigned C) { return (A > B ? A - B : B - A) + C; }
inline int __hadd(int A, int B) { return int((int64_t(A) + B) >> 1); }
inline int __rhadd(int A, int B) { return int((int64_t(A) + B + 1) >> 1); }
inline unsigned __uhadd(unsigned A, unsigned B) { return unsigned((uint64_t(A) + B) >> 1); }
inline int __float2int_rd(float V) { return int(std::floor(V)); }
inline int __float2int_rn(float V) { return int(std::nearbyint(V)); }
inline int __float2int_ru(float V) { return int(std::ceil(V)); }
inline int __float2int_rz(float V) { return int(V); }
inline float __int2float_rn(int V) { return float(V); }
inline float __fdividef(float A, float B) { return A / B; }
inline unsigned __float_as_uint(float V) { return std::bit_cast<unsigned>(V); }
inline void __syncthreads() {}
inline void __syncwarp(unsigned = ~0u) {}
template <typename T> T __ldg(const T *P) { return *P; }

inline unsigned truthLinear() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
inline unsigned truthLane() { return truthLinear() % 32; }

namespace cooperative_groups {
template <unsigned N> struct thread_block_tile {
  static unsigned thread_rank() { return truthLinear() % N; }
  static constexpr unsigned size() { return N; }
  static constexpr unsigned num_threads() { return N; }
  static unsigned meta_group_rank() { return truthLinear() / N; }
  static unsigned meta_group_size() { return (blockDim.x * blockDim.y * blockDim.z + N - 1) / N; }
  static void sync() {}
};
struct thread_block {
  static unsigned thread_rank() { return truthLinear(); }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned num_threads() { return size(); }
  static uint3 thread_index() { return threadIdx; }
  static uint3 group_index() { return blockIdx; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
  static void sync() {}
};
struct grid_group {
  static unsigned long long block_rank() {
    return blockIdx.x + gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  }
  static unsigned long long thread_rank() { return block_rank() * thread_block::size() + truthLinear(); }
  static unsigned long long size() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * thread_block::size();
  }
  static unsigned long long num_threads() { return size(); }
};
inline thread_block this_thread_block() { return {}; }
inline grid_group this_grid() { return {}; }
template <unsigned N, typename G> thread_block_tile<N> tiled_partition(const G &) { return {}; }
} // namespace cooperative_groups

namespace truth {
inline constexpr uintptr_t GlobalBase = uintptr_t(1) << 40, GlobalRoom = uintptr_t(1) << 37;
inline constexpr unsigned Buffers = 12;

/// A pointer argument of whatever type: a buffer of its own, with as much room below its start as above.
struct Buffer {
  unsigned number;
  template <typename T> operator T *() const {
    return reinterpret_cast<T *>(GlobalBase + number * GlobalRoom + GlobalRoom / 2);
  }
};

void begin(const char *Kernel);
void thread(unsigned Linear); ///< what follows is done by this thread; the block's threads come in order
void endThread();
void endBlock();
void end(); ///< prints the costs of every place

template <typename Call> void launch(dim3 Grid, dim3 Block, const char *Name, Call Kernel) {
  gridDim = Grid, blockDim = Block;
  begin(Name);
  for (unsigned B = 0; B < Grid.x * Grid.y * Grid.z; ++B) {
    blockIdx = {B % Grid.x, B / Grid.x % Grid.y, B / (Grid.x * Grid.y)};
    for (unsigned T = 0; T < Block.x * Block.y * Block.z; ++T) {
      threadIdx = {T % Block.x, T / Block.x % Block.y, T / (Block.x * Block.y)};
      thread(T);
      Kernel();
      endThread();
    }
    endBlock();
  }
  end();
}
} // namespace truth

#endif
