// Private arrays: registers where every index is a constant in the end, local memory where one is not. What nvcc 13
// makes of each kernel was read off its stack frame (sm_80): none for those whose names begin with "registers".
#include <cuda_runtime.h>

__global__ void registersConstant(const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float window[9];
  for (int j = 0; j < 9; ++j)
    window[j] = x[j * 2048 + i]; // EXPECT: silent [space=global]
  float sum = 0;
  for (int j = 0; j < 9; ++j)
    sum += window[j] * window[8 - j];
  y[i] = sum; // EXPECT: silent
}

// Small arrays of 4-byte elements become selections.
__global__ void registersFew(const float *x, float *y, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float few[8];
  for (int j = 0; j < 8; ++j)
    few[j] = x[j * 2048 + i]; // EXPECT: silent
  y[i] = few[k] + few[threadIdx.x % 8]; // EXPECT: silent
}

// The buffer in use is the other one each time.
__global__ void registersBuffers(float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float buffer[2][4];
  int current = 0;
  for (int j = 0; j < 4; ++j)
    buffer[0][j] = y[j * 2048 + i]; // EXPECT: silent
  for (int step = 0; step < n; ++step) {
    for (int j = 0; j < 4; ++j)
      buffer[current ^ 1][j] = buffer[current][j] * 2 + 1;
    current ^= 1;
  }
  for (int j = 0; j < 4; ++j)
    y[j * 2048 + i] = buffer[current][j]; // EXPECT: silent
}

// The bounds of the inner loop are constants once the outer one is unrolled.
__global__ void registersSorted(const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value[8];
  for (int j = 0; j < 8; ++j)
    value[j] = x[j * 2048 + i]; // EXPECT: silent
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < 7 - a; ++b)
      if (value[b] > value[b + 1]) {
        const float swap = value[b];
        value[b] = value[b + 1];
        value[b + 1] = swap;
      }
  y[i] = value[0] - value[7]; // EXPECT: silent
}

__global__ void registersUpdatedOnce(const float *x, const int *key, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float many[48];
#pragma unroll
  for (int j = 0; j < 48; ++j)
    many[j] = x[j * 2048 + i]; // EXPECT: silent [space=global]
  many[key[i]] += 1.f; // EXPECT: silent [space=global]
#pragma unroll
  for (int j = 0; j < 48; ++j)
    y[j * 2048 + i] = many[j]; // EXPECT: silent [space=global]
}

// Two loads in a loop are too many for 16 elements, and for 8 an update in place is.
__global__ void twoInLoop(const float *x, const int *key, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float few[16];
#pragma unroll
  for (int j = 0; j < 16; ++j)
    few[j] = x[j * 2048 + i]; // EXPECT: clean
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j)
    sum += few[key[2 * j]] * few[key[2 * j + 1]]; // EXPECT: (local memory) [rule=local-indexed-array severity=warning]; clean [space=global]
  y[i] = sum; // EXPECT: silent
}

__global__ void smallHistogram(const int *data, int *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int count[8] = {};
#pragma unroll 1
  for (int j = 0; j < n; ++j)
    count[data[j * 2048 + i] & 7]++; // EXPECT: unknown [space=local rule=local-indexed-array severity=warning]; clean (global 1 transactions 4 sectors)
#pragma unroll
  for (int j = 0; j < 8; ++j)
    y[j * 2048 + i] = count[j]; // EXPECT: silent
}

__global__ void registersSmallHistogram(const int *data, int *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int count[4] = {};
#pragma unroll 1
  for (int j = 0; j < n; ++j)
    count[data[j * 2048 + i] & 3]++; // EXPECT: clean (global 1 transactions 4 sectors)
#pragma unroll
  for (int j = 0; j < 4; ++j)
    y[j * 2048 + i] = count[j]; // EXPECT: silent
}

__global__ void histogram(const int *data, int *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int count[16] = {};
  for (int j = 0; j < n; ++j)
    count[data[j * 2048 + i] & 15]++; // EXPECT: unknown [space=local rule=local-indexed-array severity=warning]; clean (global 1 transactions 4 sectors)
  y[i] = count[3]; // EXPECT: silent [space=local operation=load sectors=4 idealSectors=4]
}

// Elements of 8 bytes stay in memory however few they are.
__global__ void doubles(const double *x, double *y, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  double wide[4];
  for (int j = 0; j < 4; ++j)
    wide[j] = x[j * 2048 + i]; // EXPECT: silent [space=local width=8 sectors=8 idealSectors=8]
  y[i] = wide[k]; // EXPECT: clean [space=local rule=local-indexed-array severity=note]
}

__global__ void byLane(const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float table[8][8];
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < 8; ++b)
      table[a][b] = x[(8 * a + b) * 2048 + i]; // EXPECT: silent
  float sum = 0;
  for (int a = 0; a < 8; ++a)
    sum += table[a][threadIdx.x % 8]; // EXPECT: (local memory) [rule=local-indexed-array severity=warning]
  y[i] = sum; // EXPECT: silent
}

__global__ void notUnrolled(const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float chunk[32];
#pragma unroll 1
  for (int j = 0; j < 32; ++j)
    chunk[j] = x[j * 2048 + i]; // EXPECT: (local memory) [rule=local-indexed-array severity=warning]; clean (global 1 transactions 4 sectors)
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < 32; ++j)
    sum += chunk[j] * chunk[31 - j]; // EXPECT: silent [space=local sectors=4 idealSectors=4 iterations=32]
  y[i] = sum; // EXPECT: silent
}

// A table that is filled anew by each thread.
__global__ void table(const int *data, double *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const double tenths[8] = {0, .1, .2, .3, .4, .5, .6, .7};
  y[i] = tenths[data[i] & 7]; // EXPECT: unknown [space=local rule=local-indexed-array severity=note]
}

__device__ double pick(const double *from, int k) { return from[k]; } // EXPECT: clean [space=local rule=local-indexed-array]

__global__ void inFunction(const double *x, double *y, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  double own[3] = {x[i], x[i + 2048], x[i + 4096]}; // EXPECT: silent
  y[i] = pick(own, k); // EXPECT: silent
}

void launch(const float *x, const int *data, float *y, int n, double *d) {
  registersConstant<<<8, 256>>>(x, y);
  registersFew<<<8, 256>>>(x, y, n);
  registersBuffers<<<8, 256>>>(y, n);
  registersSorted<<<8, 256>>>(x, y);
  registersUpdatedOnce<<<8, 256>>>(x, data, y);
  twoInLoop<<<8, 256>>>(x, data, y, n);
  smallHistogram<<<8, 256>>>(data, (int *)y, n);
  registersSmallHistogram<<<8, 256>>>(data, (int *)y, n);
  histogram<<<8, 256>>>(data, (int *)y, n);
  doubles<<<8, 256>>>(d, d, n);
  byLane<<<8, 256>>>(x, y);
  notUnrolled<<<8, 256>>>(x, y);
  table<<<8, 256>>>(data, d);
  inFunction<<<8, 256>>>(d, d, n);
}
