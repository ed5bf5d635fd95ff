// CASE 31: two neighbouring halves loaded by two scalar loads, then by one half2 load
// REQUIRES: toolkit
// SOURCE: ggml-org/llama.cpp commit 13dca2a54a39 (#9816, 1.27x on H100): "replaces scalar with vector load instructions"
// PATTERN: x[2t] and x[2t+1]: each 2-byte load strides 4 bytes (4 sectors for 64 useful bytes); one half2 load asks for
//   the same 4 sectors once.
// BLOCK: (32,4)  TYPES: half  FIX: half2 load
// HARNESS: launch(G<half>(1 << 16), G<float>(1 << 14))
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void pairs_scalar(const half *x, float *y, int ncols) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  int k = row * ncols + 2 * threadIdx.x;
  float a = __half2float(x[k + 0]); // EXPECT: global 1 transactions 4 sectors [unvectorized]
  float b = __half2float(x[k + 1]); // EXPECT: global 1 transactions 4 sectors [unvectorized]
  y[row * 32 + threadIdx.x] = a + b; // EXPECT: clean
}

__global__ void pairs_vector(const half *x, float *y, int ncols) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  int k = row * ncols + 2 * threadIdx.x;
  half2 v = *(const half2 *)&x[k]; // EXPECT: clean
  y[row * 32 + threadIdx.x] = __low2float(v) + __high2float(v); // EXPECT: clean
}

void launch(const half *x, float *y) {
  pairs_scalar<<<16, dim3(32, 4)>>>(x, y, 64);
  pairs_vector<<<16, dim3(32, 4)>>>(x, y, 64);
}
