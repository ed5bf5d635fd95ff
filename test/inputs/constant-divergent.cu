// Constant memory, indexed by the loop, by the warp and by the lane; arrays in kernel parameters.
// OPTIONS: --checks=global-gather
#include <cuda_runtime.h>

__constant__ float taps[64];
__constant__ int2 pairs[64];

__global__ void constants(const int *data, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = taps[threadIdx.x % 16]; // EXPECT: constant 16-way [rule=constant-divergent severity=warning]
  sum += taps[threadIdx.x % 4];       // EXPECT: constant 4-way [rule=constant-divergent severity=note]
  sum += taps[threadIdx.x & 31 ^ 5];  // EXPECT: constant 32-way [rule=constant-divergent severity=warning]
  sum += pairs[threadIdx.x / 4].x;    // EXPECT: constant 8-way [rule=constant-divergent severity=warning]
  sum += taps[threadIdx.x / 32];      // EXPECT: silent [distinctAddresses=1]
  sum += taps[blockIdx.x % 7];        // EXPECT: silent [distinctAddresses=1]
  sum += taps[n];                     // EXPECT: silent [distinctAddresses=1]
  for (int k = 0; k < 9; ++k)
    sum += taps[k];                   // EXPECT: silent [distinctAddresses=1 iterations=9]
  if (threadIdx.x % 32 == 3)
    sum += taps[threadIdx.x % 16];    // EXPECT: silent [distinctAddresses=1 activeLanes=1]
  sum += taps[data[blockIdx.x]];      // EXPECT: silent [distinctAddresses=1]
  sum += taps[data[i] & 63];          // EXPECT: unknown [benign]
  out[i] = sum;                       // EXPECT: clean
}

struct Table {
  float value[16];
  int length;
  __device__ float at(int i) const { return value[i]; }
};

__global__ void parameters(Table table, float *out) {
  float sum = table.value[threadIdx.x % 16]; // EXPECT: constant 16-way [rule=constant-divergent]
  for (int k = 0; k < table.length; ++k)
    sum += table.value[k];                   // EXPECT: silent [space=constant distinctAddresses=1]
  out[threadIdx.x] = sum;                    // EXPECT: clean
}

// What is written, or reached through its address, is a thread's own copy.
__global__ void copies(Table table, Table other, float *out) {
  table.value[3] = 1;
  out[threadIdx.x] = table.value[threadIdx.x % 16] + other.at(threadIdx.x % 16); // EXPECT: clean
}

void launch(const int *data, float *out) {
  constants<<<8, 256>>>(data, out, 5);
  parameters<<<8, 256>>>(Table(), out);
  copies<<<8, 256>>>(Table(), Table(), out);
}
