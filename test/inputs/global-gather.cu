// Indices that come from memory, from an atomic and from another lane.
// OPTIONS: --checks=global-gather
#include <cuda_runtime.h>

__device__ int columnOf(const int *column, int k) { return __ldg(&column[k]); }

__global__ void gather(const float *x, const int *column, const int *first, int *count, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = x[column[i]];                 // EXPECT: unknown [rule=global-gather]; clean (global 1 transactions 4 sectors)
  sum += x[columnOf(column, i)];            // EXPECT: unknown [rule=global-gather]
  sum += x[first[blockIdx.x] + column[i]];  // EXPECT: unknown [rule=global-gather]
  sum += x[__shfl_xor_sync(~0u, column[i], 1)]; // EXPECT: unknown [rule=global-gather]; clean (global 1 transactions 4 sectors)
  y[atomicAdd(&count[i], 1)] = sum;         // EXPECT: unknown [rule=global-gather]; clean [operation=atomic]
  y[first[blockIdx.x] + threadIdx.x] = sum; // EXPECT: clean [operation=store]
  y[i] = sum;                               // EXPECT: silent
}

void launch(const float *x, const int *column, int *count, float *y) { gather<<<8, 256>>>(x, column, column, count, y); }
