// Indices that were computed as floating-point numbers. The truth is the kernel itself, run on the CPU (test/replay).
#include <cuda_runtime.h>

__global__ void halved(int *out) { out[(int)(threadIdx.x * 0.5f)] = 1; } // EXPECT: clean (global 1 transaction 2 sectors) [confidence=exact]
__global__ void doubled(int *out) { out[(int)(threadIdx.x * 2.0)] = 1; } // EXPECT: global 2 transactions 8 sectors [confidence=exact]
__global__ void thirds(int *out) { out[(int)(float(threadIdx.x) / 3.0f)] = 1; } // EXPECT: clean (global 1 transaction 2 sectors) [confidence=exact]
__global__ void floored(int *out) { out[(unsigned)floorf(threadIdx.x * 1.5f)] = 1; } // EXPECT: global 2 transactions 6 sectors [confidence=exact]
__global__ void ceiling(int *out) { out[(int)ceil(threadIdx.x * 0.3)] = 1; } // EXPECT: clean (global 1 transaction 2 sectors) [confidence=exact]
__global__ void roundedToEven(int *out) { out[(int)rintf(threadIdx.x * 0.5f)] = 1; } // EXPECT: clean (global 2 transactions 3 sectors) [confidence=exact]
__global__ void negative(int *out) { out[(int)(-0.75f * (int(threadIdx.x) - 8)) + 64] = 1; } // EXPECT: clean (global 2 transactions 4 sectors) [confidence=exact]
__global__ void roots(int *out) { out[(int)sqrtf((float)(threadIdx.x * 16))] = 1; } // EXPECT: clean (global 1 transaction 3 sectors) [confidence=exact]
__global__ void triangle(int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int row = (int)((sqrtf(8.0f * i + 1.0f) - 1.0f) / 2.0f), column = i - row * (row + 1) / 2;
  out[row * 32 + column] = 1; // EXPECT: global 8 transactions 8 sectors [confidence=exact]
}
__global__ void ofBlock(int *out) { out[(int)(blockIdx.x * 0.5f) + threadIdx.x] = 1; } // EXPECT: global 2 transactions 5 sectors [confidence=exact]
__global__ void ofBlockAndThread(int *out) { out[(int)((blockIdx.x * blockDim.x + threadIdx.x) * 0.25f)] = 1; } // EXPECT: clean (global 1 transaction 1 sector) [confidence=exact]
__device__ float halfOf(float x) { return x * 0.5f; }
__global__ void inHelper(int *out) { out[(int)halfOf(float(threadIdx.x))] = 1; } // EXPECT: clean (global 1 transaction 2 sectors) [confidence=exact]
__global__ void inLoop(int *out) {
  for (int i = 0; i < 8; ++i)
    out[(int)((threadIdx.x + i) * 1.25f)] = 1; // EXPECT: global 2 transactions 6 sectors [confidence=exact]
}
__global__ void wide(long long *out) { out[(long long)(threadIdx.x * 1.5)] = 1; } // EXPECT: global 3 transactions 12 sectors [confidence=exact]

// Data is no index that anybody could know.
__global__ void ofData(int *out, const float *in) {
  out[(int)(in[threadIdx.x] * 0.5f)] = 1; // EXPECT: unknown [benign]; clean (global 1 transaction 4 sectors)
}
__global__ void ofDataInPart(int *out, const float *in) {
  out[(int)(in[threadIdx.x] * 0.5f + threadIdx.x)] = 1; // EXPECT: unknown [benign]; clean (global 1 transaction 4 sectors)
}

void launches(int *a, long long *w, float *f) {
  halved<<<1, 96>>>(a);
  doubled<<<1, 96>>>(a);
  thirds<<<1, 96>>>(a);
  floored<<<1, 96>>>(a);
  ceiling<<<1, 96>>>(a);
  roundedToEven<<<1, 96>>>(a);
  negative<<<1, 96>>>(a);
  roots<<<1, 96>>>(a);
  triangle<<<3, 96>>>(a);
  ofBlock<<<6, 96>>>(a);
  ofBlockAndThread<<<6, 96>>>(a);
  inHelper<<<1, 96>>>(a);
  inLoop<<<1, 96>>>(a);
  wide<<<1, 96>>>(w);
  ofData<<<1, 96>>>(a, f);
  ofDataInPart<<<1, 96>>>(a, f);
}
