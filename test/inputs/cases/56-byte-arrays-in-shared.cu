// CASE 56: byte and half elements at unit stride in shared memory
// REQUIRES: toolkit
// SOURCE: forums.developer.nvidia.com/t/shared-memory-bank-conflicts-with-byte-arrays/20553 (answer: no conflict since cc 2.x,
//   bytes of the same word are broadcast)
// PATTERN: several lanes share one 4-byte word: never a conflict; stride 4 bytes is one lane per bank; stride 128 bytes is 32-way.
// BLOCK: (128)  TYPES: unsigned char, half  FIX: none for unit stride
// HARNESS: launch(G<unsigned char>(4096), G<unsigned char>(4096))
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void bytes(const unsigned char *in, unsigned char *out) {
  __shared__ unsigned char s[32 * 128 + 128];
  __shared__ half h[128];
  s[threadIdx.x] = in[threadIdx.x]; // EXPECT: clean
  h[threadIdx.x] = __float2half(1.f); // EXPECT: clean
  __syncthreads();
  unsigned char a = s[127 - threadIdx.x];         // EXPECT: clean
  unsigned char b = s[(threadIdx.x & 31) * 4];    // EXPECT: clean
  unsigned char c = s[(threadIdx.x & 31) * 128];  // EXPECT: shared 32-way [bank]
  float d = __half2float(h[threadIdx.x ^ 3]);     // EXPECT: clean
  out[threadIdx.x] = a + b + c + (unsigned char)d; // EXPECT: clean
}

void launch(const unsigned char *in, unsigned char *out) { bytes<<<1, 128>>>(in, out); }
