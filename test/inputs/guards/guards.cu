// Which lanes arrive at an access. The truth is the kernel itself, run on the CPU (test/replay).
#include <cuda_runtime.h>

__global__ void boundary(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void boundaryReturn(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  a[i] = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void boundary2d(float *a, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    a[y * w + x] = 1; // EXPECT: clean (global 3 transactions 4 sectors) [confidence=exact]
}
__global__ void boundaryOr(float *a, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  a[y * 64 + x] = 1; // EXPECT: clean (global 2 transactions 4 sectors) [confidence=exact]
}
__global__ void firstThread(float *a) {
  if (threadIdx.x == 0)
    a[blockIdx.x] = 1; // EXPECT: clean (global 1 transaction 1 sector) [confidence=exact]
}
__global__ void firstLane(float *a) {
  if (threadIdx.x % 32 == 0)
    a[blockIdx.x * 4 + threadIdx.x / 32] = 1; // EXPECT: clean (global 1 transaction 1 sector) [confidence=exact]
}
__global__ void lastLane(float *a) {
  if ((threadIdx.x & 31) == 31)
    a[threadIdx.x >> 5] = 1; // EXPECT: clean (global 1 transaction 1 sector) [confidence=exact]
}
__global__ void everySecond(float *a) {
  if (threadIdx.x % 2 == 0)
    a[threadIdx.x] = 1; // EXPECT: global 1 transaction 4 sectors [confidence=exact benign]
}
__global__ void firstWarp(float *a) {
  if (threadIdx.x < 32)
    a[threadIdx.x] = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void halfOfWarp(float *a) {
  if (threadIdx.x < 16)
    a[threadIdx.x] = 1; // EXPECT: clean (global 1 transaction 2 sectors) [confidence=exact]
  else
    a[threadIdx.x * 2] = 1; // EXPECT: global 2 transactions 8 sectors [confidence=exact]
}
__global__ void afterReturnOfSome(float *a) {
  if (threadIdx.x & 1)
    return;
  a[threadIdx.x * 4] = 1; // EXPECT: global 4 transactions 16 sectors [confidence=exact]
}
__global__ void shortCircuit(float *a, const float *b) {
  int i = threadIdx.x;
  if (i > 3 && b[i] >= 0 && i < 60) // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
    a[0] = 1; // EXPECT: clean (global 1 transaction 1 sector) [assumed]
}
__global__ void ternary(float *a, const float *b) {
  int i = threadIdx.x;
  float v = i < 8 ? b[i * 32] : 0.0f; // EXPECT: global 8 transactions 8 sectors [confidence=exact]
  a[i] = v; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void switched(float *a) {
  switch (threadIdx.x % 4) {
  case 0:
    a[threadIdx.x] = 1; // EXPECT: global 1 transaction 4 sectors [confidence=exact benign]
    break;
  case 1:
    a[threadIdx.x + 64] = 1; // EXPECT: global 1 transaction 4 sectors [confidence=exact benign]
  case 2:
    a[threadIdx.x + 128] = 1; // EXPECT: global 1 transaction 4 sectors [confidence=exact benign]
    break;
  default:
    a[threadIdx.x * 8] = 1; // EXPECT: global 8 transactions 8 sectors [confidence=exact]
  }
}
__global__ void switchOfBlock(float *a) {
  switch (blockIdx.x) {
  case 0:
    a[threadIdx.x] = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
    break;
  case 3:
    a[threadIdx.x * 2] = 1; // EXPECT: global 2 transactions 8 sectors [confidence=exact]
    break;
  default:
    a[threadIdx.x + 1] = 1; // EXPECT: global 2 transactions 5 sectors [confidence=exact]
  }
}
__global__ void powersInLoop(float *a) {
  for (int s = 1; s < 64; s *= 2)
    if (threadIdx.x % (2 * s) == 0)
      a[threadIdx.x] = 1; // EXPECT: global 1 transaction 4 sectors [confidence=exact]
}
__global__ void halvesInLoop(float *a) {
  for (int s = 64; s > 0; s >>= 1)
    if (threadIdx.x < s)
      a[threadIdx.x] = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void guardOfOuterLoop(float *a) {
  for (int i = threadIdx.x; i < 70; i += 32)
    for (int j = 0; j < 2; ++j)
      a[i + j * 128] = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void returnsInLoop(float *a) {
  for (int i = 0; i < 6; ++i) {
    if (threadIdx.x % 8 < i)
      return;
    a[i * 64 + threadIdx.x] = 1; // EXPECT: global 1 transaction 4 sectors [confidence=exact benign]
  }
}
__global__ void negated(float *a) {
  if (!(threadIdx.x > 5))
    a[threadIdx.x] = 1; // EXPECT: clean (global 1 transaction 1 sector) [confidence=exact]
}
__global__ void notEqual(float *a) {
  if (threadIdx.x != 7)
    a[threadIdx.x] = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void unsignedUnderflow(float *a) {
  if (threadIdx.x - 4 < 20u)
    a[threadIdx.x] = 1; // EXPECT: clean (global 1 transaction 3 sectors) [confidence=exact]
}
__global__ void halo(float *a) {
  __shared__ float tile[66];
  tile[threadIdx.x + 1] = 1; // EXPECT: clean [confidence=exact]
  if (threadIdx.x == 0)
    tile[0] = 1; // EXPECT: clean [confidence=exact]
  if (threadIdx.x == blockDim.x - 1)
    tile[65] = 1; // EXPECT: clean [confidence=exact]
  a[threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + 2]; // EXPECT: clean; clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void partialBlock(float *a) { a[threadIdx.x + blockIdx.x * 40] = 1; } // EXPECT: clean (global 2 transactions 4 sectors) [confidence=exact]
__global__ void neverTrue(float *a) {
  if (threadIdx.x > 1000)
    a[threadIdx.x * 32] = 1;
}
__global__ void diamond(float *a) {
  int i;
  if (threadIdx.x & 4)
    i = threadIdx.x * 3;
  else
    i = threadIdx.x + 200;
  a[i] = 1; // EXPECT: global 5 transactions 12 sectors [confidence=exact]
}
__device__ int early(int i) {
  if (i < 10)
    return i;
  return i * 2;
}
__global__ void returnsOfHelper(float *a) { a[early(threadIdx.x)] = 1; } // EXPECT: global 2 transactions 8 sectors [confidence=exact]

void launches(float *a, float *b) {
  boundary<<<4, 64>>>(a, 250);
  boundaryReturn<<<4, 64>>>(a, 195);
  boundary2d<<<dim3(3, 5), dim3(16, 8)>>>(a, 40, 35);
  boundaryOr<<<dim3(3, 5), dim3(16, 8)>>>(a, 40, 35);
  firstThread<<<4, 64>>>(a);
  firstLane<<<4, 128>>>(a);
  lastLane<<<4, 128>>>(a);
  everySecond<<<1, 64>>>(a);
  firstWarp<<<1, 128>>>(a);
  halfOfWarp<<<1, 64>>>(a);
  afterReturnOfSome<<<1, 64>>>(a);
  shortCircuit<<<1, 64>>>(a, b);
  ternary<<<1, 64>>>(a, b);
  switched<<<1, 64>>>(a);
  switchOfBlock<<<5, 64>>>(a);
  powersInLoop<<<1, 64>>>(a);
  halvesInLoop<<<1, 128>>>(a);
  guardOfOuterLoop<<<1, 32>>>(a);
  returnsInLoop<<<1, 64>>>(a);
  negated<<<1, 64>>>(a);
  notEqual<<<1, 64>>>(a);
  unsignedUnderflow<<<1, 64>>>(a);
  halo<<<2, 64>>>(a);
  partialBlock<<<3, 40>>>(a);
  neverTrue<<<2, 64>>>(a);
  diamond<<<1, 64>>>(a);
  returnsOfHelper<<<1, 64>>>(a);
}
