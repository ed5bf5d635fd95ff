// Kernels whose shared wavefronts Nsight Compute counted on real GPUs, as published (test/e2e/calibration.json has the
// readings). Each kernel's one shared load is the instruction that was measured.
#include <cuda_runtime.h>

// The interleaved reduction: 256 threads, one element each, 2^20 elements.
__global__ void reduceInterleaved(const float *in, float *out) {
  __shared__ float sdata[256];
  unsigned tid = threadIdx.x;
  sdata[tid] = in[blockIdx.x * blockDim.x + tid]; // EXPECT: clean
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    unsigned index = 2 * s * tid;
    if (index < blockDim.x)
      sdata[index] += sdata[index + s]; // EXPECT: shared 8-way [confidence=exact wavefronts=8]
    __syncthreads();
  }
  if (tid == 0)
    out[blockIdx.x] = sdata[0]; // EXPECT: clean
}

__global__ void lds128Rows(float4 *out) {
  __shared__ float rows[32][32];
  int t = threadIdx.x;
  out[t] = *reinterpret_cast<const float4 *>(&rows[t][0]); // EXPECT: shared 8-way [confidence=exact wavefronts=32]
}

__global__ void lds128Contiguous(float4 *out) {
  __shared__ float4 s[32];
  out[threadIdx.x] = s[threadIdx.x]; // EXPECT: clean [confidence=exact wavefronts=4]
}

__global__ void lds64Contiguous(float2 *out) {
  __shared__ float2 s[32];
  out[threadIdx.x] = s[threadIdx.x]; // EXPECT: clean [confidence=exact wavefronts=2]
}

__global__ void lds64Halves(float2 *out) {
  __shared__ float2 s[32];
  out[threadIdx.x] = s[threadIdx.x / 2]; // EXPECT: clean [confidence=exact wavefronts=1]
}

// Byte 64 of a line, by two lanes only.
__global__ void lds128Lanes15And16(float4 *out) {
  __shared__ float4 s[32];
  int t = threadIdx.x;
  if (t == 15 || t == 16)
    out[t] = s[4]; // EXPECT: clean [confidence=exact wavefronts=2]; global 2 transactions 2 sectors [benign]
}

__global__ void lds128Lanes0And15(float4 *out) {
  __shared__ float4 s[32];
  int t = threadIdx.x;
  if (t == 0 || t == 15)
    out[t] = s[4]; // EXPECT: clean [confidence=exact wavefronts=1]; global 2 transactions 2 sectors [benign]
}

__global__ void lds128Pairs(float4 *out) {
  __shared__ float4 s[32];
  int t = threadIdx.x;
  out[t] = s[(t / 8) * 2 + ((t % 8) / 2) % 2]; // EXPECT: clean [confidence=exact wavefronts=2]
}

__global__ void lds128MixedPairs(float4 *out) {
  __shared__ float4 s[32];
  int t = threadIdx.x;
  out[t] = s[t < 16 ? (t / 8) * 2 + ((t % 8) / 2) % 2 : (t / 8) * 2 + (t % 8) % 2]; // EXPECT: clean [confidence=exact wavefronts=4]
}

__global__ void lds128Quads(float4 *out) {
  __shared__ float4 s[32];
  int t = threadIdx.x;
  out[t] = s[(t / 16) * 4 + (t % 16) / 8 + ((t % 8) / 4) * 8]; // EXPECT: shared 2-way [confidence=exact wavefronts=4]
}

void launches(float *in, float *out, float4 *out4, float2 *out2) {
  reduceInterleaved<<<(1 << 20) / 256, 256>>>(in, out);
  lds128Rows<<<1, 32>>>(out4);
  lds128Contiguous<<<1, 32>>>(out4);
  lds64Contiguous<<<1, 32>>>(out2);
  lds64Halves<<<1, 32>>>(out2);
  lds128Lanes15And16<<<1, 32>>>(out4);
  lds128Lanes0And15<<<1, 32>>>(out4);
  lds128Pairs<<<1, 32>>>(out4);
  lds128MixedPairs<<<1, 32>>>(out4);
  lds128Quads<<<1, 32>>>(out4);
}
