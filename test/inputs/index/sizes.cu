// Sizes that the code does not say. What is exact must hold for all of them, also for those that make unsigned numbers wrap; what is
// assumed for those that fulfil the assumptions. The truth is the kernel itself, run on the CPU with these sizes (test/replay).
// SIZES: n=4096 m=8192
// SIZES: n=4128 m=12288
// SIZES: n=5000 m=5004
// SIZES: n=4097 m=4099
// SIZES: n=1000 m=64
// SIZES: n=1 m=1
// SIZES: n=33 m=7
// SIZES: n=268435456 m=16
// SIZES: n=268435455 m=17
// SIZES: n=-1 m=-3
#include <cuda_runtime.h>

__global__ void pastSize(int *out, unsigned n) { out[n + threadIdx.x] = 1; }
__global__ void pastLargeSize(int *out, unsigned n) { out[32u * n + threadIdx.x] = 1; }
__global__ void pastLargeSizeOff(int *out, unsigned n) { out[32u * n + threadIdx.x + 16u] = 1; }
__global__ void wrapsInTheMiddle(int *out, unsigned n) { out[(n * 16u + threadIdx.x) >> 4] = 1; }
__global__ void evenSizes(int *out, unsigned n) { out[(2u * n + threadIdx.x) / 2u] = 1; }
__global__ void roundedSize(int *out, unsigned n) { out[(n & ~31u) + threadIdx.x] = 1; }
__global__ void remainderOfSize(int *out, unsigned n) { out[n % 32u + threadIdx.x] = 1; }
__global__ void lowBitsOfSize(int *out, unsigned n) { out[(n & 3u) + threadIdx.x] = 1; }
__global__ void shiftedSize(int *out, unsigned n) { out[(n >> 2) + threadIdx.x] = 1; }
__global__ void quotientOfSizes(int *out, unsigned n, unsigned m) { out[n / m + threadIdx.x] = 1; }
__global__ void largestOfSizes(int *out, unsigned n, unsigned m) { out[max(n, m) + threadIdx.x] = 1; }
__global__ void swizzledBySize(int *out, unsigned n) { out[threadIdx.x ^ n] = 1; }
__global__ void swizzledByLargeSize(int *out, unsigned n) { out[threadIdx.x ^ (n << 6)] = 1; }
__global__ void guardedBySize(int *out, int n) {
  if (int(threadIdx.x) < n)
    out[threadIdx.x] = 1;
}
__global__ void guardedByWrappedSize(int *out, unsigned n) {
  if (threadIdx.x < n - 1u)
    out[threadIdx.x] = 1;
}
__global__ void ring(int *out, unsigned n) { out[(threadIdx.x + 7u) % n] = 1; }
__global__ void ringOfLarge(int *out, unsigned n) { out[(blockIdx.x * 64u + threadIdx.x) % n] = 1; }
__global__ void rejoined(int *out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i / n * n + i % n] = 1;
}
__global__ void truncated(int *out, unsigned n) { out[(unsigned char)(n + threadIdx.x)] = 1; }
__global__ void truncatedMultiple(int *out, unsigned n) { out[(unsigned char)(256u * n + threadIdx.x)] = 1; }
__global__ void widened(int *out, unsigned n) { out[(unsigned long long)n * 32 + threadIdx.x] = 1; }
__global__ void negativeSize(int *out, int n) { out[(long long)-n * 32 + threadIdx.x] = 1; }
__global__ void sharedRow(int *out, unsigned n) {
  __shared__ int tile[1024];
  out[threadIdx.x] = tile[(n & 7u) * 64u + threadIdx.x];
}
__global__ void sharedRotated(int *out, unsigned n) {
  __shared__ int tile[1024];
  out[threadIdx.x] = tile[(n + threadIdx.x) & 63u]; // EXPECT: unknown [benign]; clean (global 1 transaction 4 sectors)
}
__global__ void loopOverSize(int *out, unsigned n) {
  for (unsigned i = 0; i < (n & 3u); ++i)
    out[i * 32u + threadIdx.x] = 1;
}

void launches(int *a, int n, int m) {
  pastSize<<<2, 64>>>(a, n);
  pastLargeSize<<<2, 64>>>(a, n);
  pastLargeSizeOff<<<2, 64>>>(a, n);
  wrapsInTheMiddle<<<2, 64>>>(a, n);
  evenSizes<<<2, 64>>>(a, n);
  roundedSize<<<2, 64>>>(a, n);
  remainderOfSize<<<2, 64>>>(a, n);
  lowBitsOfSize<<<2, 64>>>(a, n);
  shiftedSize<<<2, 64>>>(a, n);
  quotientOfSizes<<<2, 64>>>(a, n, m);
  largestOfSizes<<<2, 64>>>(a, n, m);
  swizzledBySize<<<2, 64>>>(a, n);
  swizzledByLargeSize<<<2, 64>>>(a, n);
  guardedBySize<<<2, 64>>>(a, n);
  guardedByWrappedSize<<<2, 64>>>(a, n);
  ring<<<2, 64>>>(a, n);
  ringOfLarge<<<2, 64>>>(a, n);
  rejoined<<<2, 64>>>(a, n);
  truncated<<<2, 64>>>(a, n);
  truncatedMultiple<<<2, 64>>>(a, n);
  widened<<<2, 64>>>(a, n);
  negativeSize<<<2, 64>>>(a, n);
  sharedRow<<<2, 64>>>(a, n);
  sharedRotated<<<2, 64>>>(a, n);
  loopOverSize<<<2, 64>>>(a, n);
}
