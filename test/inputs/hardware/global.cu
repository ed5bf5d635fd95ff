// What published readings leave open about global memory: whether sectors that two quarter-warps of a 16-byte access share are
// counted once, and how atomics of several lanes on one address are counted. tools/replay/hardware compares these kernels with a
// GPU's counters.
#include <cuda_runtime.h>

// All four quarter-warps read the same line.
__global__ void quartersShareALine(float4 *out, const float4 *in) {
  int t = threadIdx.x;
  out[t] = in[t % 8]; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}

// Two lanes of one quarter read one element, and so neighbouring quarters share nothing.
__global__ void pairsOfLanes(float4 *out, const float4 *in) {
  int t = threadIdx.x;
  out[t] = in[t / 2]; // EXPECT: clean (global 2 transactions 8 sectors) [confidence=exact]
}

// Each sector is shared by lanes of two quarter-warps.
__global__ void sectorsOfTwoQuarters(float4 *out, const float4 *in) {
  int t = threadIdx.x;
  out[t] = in[t % 16 * 2 + t / 16]; // EXPECT: clean (global 4 transactions 16 sectors) [confidence=exact]
}

__global__ void halvesShareEightBytes(float2 *out, const float2 *in) {
  int t = threadIdx.x;
  out[t] = in[t % 16]; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}

__global__ void quartersStoreOneLine(float4 *out, const float4 *in) {
  int t = threadIdx.x;
  out[t % 8] = in[t]; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}

// The value differs from lane to lane, so that the compiler cannot add up first.
__global__ void atomicOwn(int *out, const int *in) {
  int t = threadIdx.x;
  atomicAdd(&out[t], in[t]); // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}

__global__ void atomicPairs(int *out, const int *in) {
  int t = threadIdx.x;
  atomicAdd(&out[t / 2], in[t]); // EXPECT: clean (global 1 transaction 2 sectors) [confidence=exact]
}

__global__ void atomicScattered(int *out, const int *in) {
  int t = threadIdx.x;
  atomicAdd(&out[t * 32], in[t]); // EXPECT: clean [space=global operation=load]; global 32 transactions 32 sectors [confidence=exact]
}

__global__ void atomicResult(int *out, const int *in) {
  int t = threadIdx.x;
  int mine = in[t];
  int old = atomicExch(&out[t / 8], mine); // EXPECT: global 1 transactions 1 sectors [rule=atomic-contention severity=warning]
  out[64 + t] = old;
}

void launches(float4 *out4, float4 *in4, float2 *out2, float2 *in2, int *out, int *in) {
  quartersShareALine<<<1, 32>>>(out4, in4);
  pairsOfLanes<<<1, 32>>>(out4, in4);
  sectorsOfTwoQuarters<<<1, 32>>>(out4, in4);
  halvesShareEightBytes<<<1, 32>>>(out2, in2);
  quartersStoreOneLine<<<1, 32>>>(out4, in4);
  atomicOwn<<<1, 32>>>(out, in);
  atomicPairs<<<1, 32>>>(out, in);
  atomicScattered<<<1, 32>>>(out, in);
  atomicResult<<<1, 32>>>(out, in);
}
