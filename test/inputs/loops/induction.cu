// Loops: what steps, by how much, from where, and how often. The truth is the kernel itself, run on the CPU (test/replay).
#include <cuda_runtime.h>

__global__ void gridStride(float *a, const float *b, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    a[i] = b[i]; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void gridStrideUnsigned(float *a, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    a[i] = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void chunkPerThread(float *a, int chunk) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
  for (int i = first; i < first + chunk; ++i)
    a[i] = 1; // EXPECT: global 12 transactions 32 sectors [confidence=exact]
}
__global__ void chunkPerWarp(float *a) {
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = 0; i < 4; ++i)
    a[(warp * 4 + i) * 32 + lane] = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void twoVariables(float *a) {
  for (int i = 0, j = threadIdx.x; i < 8; ++i, j += 32)
    a[j * 2 + i] = 1; // EXPECT: global 3 transactions 9 sectors [confidence=exact]
}
__global__ void oneDependsOnTheOther(float *a) {
  int j = threadIdx.x;
  for (int i = 0; i < 6; ++i) {
    a[j] = 1; // EXPECT: global 2 transactions 5 sectors [confidence=exact]
    j += i * 5;
  }
}
__global__ void pointerWalk(float *a) {
  float *p = a + threadIdx.x;
  for (int i = 0; i < 5; ++i) {
    *p = 1; // EXPECT: global 2 transactions 5 sectors [confidence=exact]
    p += 33;
  }
}
__global__ void pointerToEnd(float *a) {
  for (float *p = a + threadIdx.x, *end = a + 512; p < end; p += blockDim.x)
    *p = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void pointerByThread(float *a) {
  float *p = a;
  for (int i = 0; i < 5; ++i, p += threadIdx.x)
    *p = 1; // EXPECT: global 4 transactions 16 sectors [confidence=exact]
}
__global__ void halving(float *a) {
  for (int s = 64; s > 0; s >>= 1)
    a[threadIdx.x * s] = 1; // EXPECT: global 32 transactions 32 sectors [confidence=exact]
}
__global__ void doubling(float *a) {
  for (int s = 1; s <= 16; s *= 2)
    a[threadIdx.x * s] = 1; // EXPECT: global 16 transactions 32 sectors [confidence=exact]
}
__global__ void byThirds(float *a) {
  for (int s = 81; s > 1; s /= 3)
    a[threadIdx.x + s] = 1; // EXPECT: global 2 transactions 5 sectors [confidence=exact]
}
__global__ void backwards(float *a) {
  for (int i = 7; i >= 0; --i)
    a[threadIdx.x + i * 64] = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void startsAtLane(float *a) {
  for (int i = threadIdx.x; i < 100; i += 32)
    a[i] = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void endsAtLane(float *a) {
  for (int i = 0; i <= int(threadIdx.x % 8); ++i)
    a[i * 64 + threadIdx.x] = 1; // EXPECT: global 1 transaction 4 sectors [confidence=exact benign]
}
__global__ void lowerTriangle(float *a) {
  for (int j = 0; j < int(threadIdx.x); ++j)
    a[threadIdx.x * 64 + j] = 1; // EXPECT: global 32 transactions 32 sectors [confidence=exact]
}
__global__ void geometricFromLane(float *a) {
  for (int i = threadIdx.x + 1; i < 200; i *= 2)
    a[i] = 1; // EXPECT: global 7 transactions 24 sectors [confidence=exact]
}
__global__ void nested(float *a) {
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j)
      a[(i * 3 + j) * blockDim.x + threadIdx.x] = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void nestedTriangle(float *a) {
  for (int i = 0; i < 5; ++i)
    for (int j = i; j < 5; ++j)
      a[(threadIdx.x * 5 + i) * 5 + j] = 1; // EXPECT: global 25 transactions 32 sectors [confidence=exact]
}
__global__ void whileLoop(float *a, int n) {
  int i = threadIdx.x;
  while (i < n) {
    a[i] = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
    i += 64;
  }
}
__global__ void doWhile(float *a) {
  int i = 0;
  do
    a[i * 32 + threadIdx.x] = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
  while (++i < 6);
}
__global__ void breaksAtLane(float *a) {
  for (int i = 0; i < 10; ++i) {
    if (i > int(threadIdx.x & 3))
      break;
    a[i * 64 + threadIdx.x] = 1; // EXPECT: global 1 transaction 4 sectors [confidence=exact benign]
  }
}
__global__ void breaksForAll(float *a) {
  for (int i = 0;; ++i) {
    if (i * i > 40)
      break;
    a[i * 64 + threadIdx.x] = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
  }
}
__global__ void unrolled(float *a) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
    a[threadIdx.x * 4 + i] = 1; // EXPECT: global 4 transactions 16 sectors [confidence=exact]
}
__global__ void unrolledInPart(float *a) {
#pragma unroll 2
  for (int i = 0; i < 7; ++i)
    a[threadIdx.x + i * 64] = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
template <int N> __global__ void countOfTemplate(float *a) {
  for (int i = 0; i < N; ++i)
    a[threadIdx.x * N + i] = 1; // EXPECT: global 3 transactions 12 sectors [confidence=exact]
}
__global__ void longLoop(float *a) {
  for (int i = 0; i < 2048; ++i)
    a[i * 32 + threadIdx.x] = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void wideCounter(float *a) {
  for (size_t i = threadIdx.x; i < 300; i += blockDim.x)
    a[i] = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void unsignedDown(float *a) {
  for (unsigned i = 4; i-- > 0;)
    a[i * 64 + threadIdx.x] = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void stepOfArgument(float *a, int step) {
  for (int i = 0; i < 64; i += step)
    a[i + threadIdx.x] = 1; // EXPECT: clean (global 2 transactions 4 sectors) [confidence=exact]
}
__global__ void lanesOverRows(float *a, int rows, int columns) {
  for (int r = threadIdx.x; r < rows; r += blockDim.x)
    for (int c = 0; c < columns; ++c)
      a[r * columns + c] = 1; // EXPECT: global 32 transactions 32 sectors [confidence=exact]
}
__global__ void warpsOverRows(float *a, int rows, int columns) {
  for (int r = threadIdx.x / 32; r < rows; r += blockDim.x / 32)
    for (int c = threadIdx.x % 32; c < columns; c += 32)
      a[r * columns + c] = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void sharedColumns(float *out) {
  __shared__ float tile[64][32];
  float sum = 0;
  for (int i = 0; i < 32; ++i)
    sum += tile[threadIdx.x][i]; // EXPECT: shared 32-way [confidence=exact]
  out[threadIdx.x] = sum; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void sharedDiagonals(float *out) {
  __shared__ float tile[64][32];
  float sum = 0;
  for (int i = 0; i < 32; ++i)
    sum += tile[threadIdx.x][(i + threadIdx.x) % 32]; // EXPECT: clean [confidence=exact]
  out[threadIdx.x] = sum; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void sharedHalving(float *out) {
  __shared__ float s[256];
  for (int d = 128; d > 0; d >>= 1)
    if (threadIdx.x < d)
      s[threadIdx.x] += s[threadIdx.x + d]; // EXPECT: clean [confidence=exact]
  if (threadIdx.x == 0)
    out[blockIdx.x] = s[0]; // EXPECT: clean; clean (global 1 transaction 1 sector) [confidence=exact]
}
__global__ void scanUpSweep(float *out) {
  __shared__ float s[256];
  int offset = 1;
  for (int d = 128; d > 0; d >>= 1) {
    if (threadIdx.x < d)
      s[offset * (2 * threadIdx.x + 2) - 1] += s[offset * (2 * threadIdx.x + 1) - 1]; // EXPECT: shared 8-way [confidence=exact]
    offset *= 2;
  }
  out[threadIdx.x] = s[threadIdx.x]; // EXPECT: clean; clean (global 1 transaction 4 sectors) [confidence=exact]
}

void launches(float *a, float *b) {
  gridStride<<<3, 128>>>(a, b, 1000);
  gridStrideUnsigned<<<3, 128>>>(a, 1000);
  chunkPerThread<<<2, 64>>>(a, 12);
  chunkPerWarp<<<1, 128>>>(a);
  twoVariables<<<1, 32>>>(a);
  oneDependsOnTheOther<<<1, 64>>>(a);
  pointerWalk<<<1, 64>>>(a);
  pointerToEnd<<<1, 64>>>(a);
  pointerByThread<<<1, 64>>>(a);
  halving<<<1, 64>>>(a);
  doubling<<<1, 64>>>(a);
  byThirds<<<1, 64>>>(a);
  backwards<<<1, 64>>>(a);
  startsAtLane<<<1, 32>>>(a);
  endsAtLane<<<1, 64>>>(a);
  lowerTriangle<<<1, 64>>>(a);
  geometricFromLane<<<1, 64>>>(a);
  nested<<<1, 96>>>(a);
  nestedTriangle<<<1, 64>>>(a);
  whileLoop<<<1, 64>>>(a, 200);
  doWhile<<<1, 32>>>(a);
  breaksAtLane<<<1, 64>>>(a);
  breaksForAll<<<1, 64>>>(a);
  unrolled<<<1, 64>>>(a);
  unrolledInPart<<<1, 64>>>(a);
  countOfTemplate<3><<<1, 64>>>(a);
  longLoop<<<1, 32>>>(a);
  wideCounter<<<1, 64>>>(a);
  unsignedDown<<<1, 64>>>(a);
  stepOfArgument<<<1, 64>>>(a, 16);
  lanesOverRows<<<1, 64>>>(a, 200, 48);
  warpsOverRows<<<1, 128>>>(a, 10, 96);
  sharedColumns<<<1, 64>>>(a);
  sharedDiagonals<<<1, 64>>>(a);
  sharedHalving<<<4, 256>>>(a);
  scanUpSweep<<<2, 256>>>(a);
}
