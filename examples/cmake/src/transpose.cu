#include "transpose.h"

__global__ void transposeKernel(float *out, const float *in, int n) {
  __shared__ float tile[Edge][Edge];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[(blockIdx.y * Edge + y) * n + blockIdx.x * Edge + x];
  __syncthreads();
  out[(blockIdx.x * Edge + y) * n + blockIdx.y * Edge + x] = tile[x][y];
}

void transpose(float *out, const float *in, int n) {
  transposeKernel<<<dim3(n / Edge, n / Edge), dim3(Edge, Edge)>>>(out, in, n);
}
