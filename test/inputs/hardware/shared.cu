// What published readings leave open about shared memory: how stores of 8 and 16 bytes, and loads on newer chips, are cut into
// phases, and which phases merge. tools/replay/hardware compares these kernels with a GPU's counters.
#include <cuda_runtime.h>

// Loads. Each warp fills its array first (a contiguous store), so that nothing is undefined and nothing can be dropped.

__global__ void load64Contiguous(float2 *out) {
  __shared__ float2 s[64];
  int t = threadIdx.x;
  s[t] = make_float2(t, t + 1);
  __syncthreads();
  out[t] = s[t]; // EXPECT: clean [confidence=exact wavefronts=2]
}

// Both halves read the same words: two phases of one wavefront each, unless phases merge.
__global__ void load64SameHalves(float2 *out) {
  __shared__ float2 s[64];
  int t = threadIdx.x;
  s[t] = make_float2(t, t + 1);
  __syncthreads();
  out[t] = s[t % 16]; // EXPECT: clean [confidence=exact wavefronts=2]
}

__global__ void load64Pairs(float2 *out) {
  __shared__ float2 s[64];
  int t = threadIdx.x;
  s[t] = make_float2(t, t + 1);
  __syncthreads();
  out[t] = s[t / 2]; // EXPECT: clean [confidence=exact wavefronts=1]
}

// The partner two lanes on reads the same.
__global__ void load64Twos(float2 *out) {
  __shared__ float2 s[64];
  int t = threadIdx.x;
  s[t] = make_float2(t, t + 1);
  __syncthreads();
  out[t] = s[t / 4 * 2 + t % 2]; // EXPECT: clean [confidence=exact wavefronts=1]
}

__global__ void load64Strided(float2 *out) {
  __shared__ float2 s[64];
  int t = threadIdx.x;
  s[t] = make_float2(t, t + 1);
  s[t + 32] = make_float2(t, t - 1);
  __syncthreads();
  out[t] = s[2 * t]; // EXPECT: shared 2-way [confidence=exact wavefronts=4]
}

__global__ void load128Contiguous(float4 *out) {
  __shared__ float4 s[64];
  int t = threadIdx.x;
  s[t] = make_float4(t, t + 1, t + 2, t + 3);
  __syncthreads();
  out[t] = s[t]; // EXPECT: clean [confidence=exact wavefronts=4]
}

__global__ void load128SameQuarters(float4 *out) {
  __shared__ float4 s[64];
  int t = threadIdx.x;
  s[t] = make_float4(t, t + 1, t + 2, t + 3);
  __syncthreads();
  out[t] = s[t % 8]; // EXPECT: clean [confidence=exact wavefronts=4]
}

__global__ void load128Pairs(float4 *out) {
  __shared__ float4 s[64];
  int t = threadIdx.x;
  s[t] = make_float4(t, t + 1, t + 2, t + 3);
  __syncthreads();
  out[t] = s[t / 2]; // EXPECT: clean [confidence=exact wavefronts=2]
}

__global__ void load128Strided(float4 *out) {
  __shared__ float4 s[64];
  int t = threadIdx.x;
  s[t] = make_float4(t, t + 1, t + 2, t + 3);
  s[t + 32] = make_float4(t, t - 1, t - 2, t - 3);
  __syncthreads();
  out[t] = s[2 * t]; // EXPECT: shared 2-way [confidence=exact wavefronts=8]
}

// Stores: taken not to merge.

__global__ void store64Pairs(float2 *out, float2 *in) {
  __shared__ float2 s[32];
  int t = threadIdx.x;
  s[t / 2] = in[t]; // EXPECT: clean [confidence=exact wavefronts=2]
  __syncthreads();
  out[t] = s[t / 2];
}

__global__ void store128Pairs(float4 *out, float4 *in) {
  __shared__ float4 s[32];
  int t = threadIdx.x;
  s[t / 2] = in[t]; // EXPECT: clean [confidence=exact wavefronts=4]
  __syncthreads();
  out[t] = s[t / 2];
}

__global__ void store128Strided(float4 *out, float4 *in) {
  __shared__ float4 s[64];
  int t = threadIdx.x;
  s[2 * t] = in[t]; // EXPECT: shared 2-way [confidence=exact wavefronts=8]
  __syncthreads();
  out[t] = s[2 * t]; // EXPECT: shared 2-way [confidence=exact wavefronts=8]
}

void launches(float2 *out2, float2 *in2, float4 *out4, float4 *in4) {
  load64Contiguous<<<1, 32>>>(out2);
  load64SameHalves<<<1, 32>>>(out2);
  load64Pairs<<<1, 32>>>(out2);
  load64Twos<<<1, 32>>>(out2);
  load64Strided<<<1, 32>>>(out2);
  load128Contiguous<<<1, 32>>>(out4);
  load128SameQuarters<<<1, 32>>>(out4);
  load128Pairs<<<1, 32>>>(out4);
  load128Strided<<<1, 32>>>(out4);
  store64Pairs<<<1, 32>>>(out2, in2);
  store128Pairs<<<1, 32>>>(out4, in4);
  store128Strided<<<1, 32>>>(out4, in4);
}
