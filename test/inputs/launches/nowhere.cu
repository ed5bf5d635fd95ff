// Kernels that nothing launches: a block as wide as a narrow tile that its threads fill, wherever that is declared.
#include <cuda_runtime.h>

__global__ void narrow(float *out, const float *in, int width) {
  __shared__ float tile[16][16];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * width + threadIdx.x]; // EXPECT: clean (global 2 transactions 4 sectors) [assumptions=from_the_extents_of_tile]
  __syncthreads();
  out[threadIdx.y * width + threadIdx.x] = tile[threadIdx.y][threadIdx.x]; // EXPECT: clean (global 2 transactions 4 sectors) [assumptions=from_the_extents_of_tile]
}
template <int N> __device__ float first(const float *in, int width) {
  __shared__ float tile[N][N];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * width + threadIdx.x];
  __syncthreads();
  return tile[threadIdx.y][threadIdx.x ^ 1];
}
__global__ void narrowInHelper(float *out, const float *in, int width) {
  out[threadIdx.y * width + threadIdx.x] = first<16>(in, width); // EXPECT: clean (global 2 transactions 4 sectors) [assumptions=from_the_extents_of_tile]
}
__global__ void wideInHelper(float *out, const float *in, int width) {
  out[threadIdx.y * width + threadIdx.x] = first<32>(in, width); // EXPECT: clean (global 1 transactions 4 sectors) [assumptions=threadIdx.y_is_used]
}
