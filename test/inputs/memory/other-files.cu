// Functions that user code declares and another file of the program defines: what they access is missing, and the call says
// so. Functions of CUDA's headers and of the language that have no body here are no such calls.
#include <cuda_runtime.h>
#include <stdio.h>

extern __device__ float elsewhere(const float *p, int i);
__device__ float later(const float *p, int i);
__device__ __attribute__((const)) float pure(float x);
template <typename T> __device__ T twice(const T *p, int i);

__global__ void calls(float *out, const float *in) {
  int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = elsewhere(in, i); // EXPECT: clean (global 1 transaction 4 sectors); unknown [reason=elsewhere]
}

__global__ void calledTemplate(float *out, const float *in) {
  int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = twice(in, i); // EXPECT: clean (global 1 transaction 4 sectors); unknown [reason=twice]
}

__global__ void complete(float *out, const float *in) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float x = later(in, i) + pure(in[i]) + sqrtf(in[i]) + __expf(in[i]) + powf(in[i], 1.5f); // EXPECT: clean (global 1 transaction 4 sectors)
  if (x > 1e9f)
    printf("%d\n", i);
  out[i] = x; // EXPECT: clean (global 1 transaction 4 sectors)
}

__device__ float later(const float *p, int i) {
  return p[i]; // EXPECT: clean (global 1 transaction 4 sectors)
}

void launch(float *out, const float *in) {
  calls<<<64, 256>>>(out, in);
  calledTemplate<<<64, 256>>>(out, in);
  complete<<<64, 256>>>(out, in);
}
