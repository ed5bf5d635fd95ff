#include <cuda_runtime.h>
#include <vector>

__global__ void gather(float *out, const float *in, const int *order, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[order[i]];
}

int main() {
  const int n = 1024;
  std::vector<int> order(n);
  for (int i = 0; i < n; ++i)
    order[i] = i * 7 % n; // neighbours are seven elements apart
  float *out, *in;
  int *indices;
  cudaMalloc(&out, n * sizeof(float));
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&indices, n * sizeof(int));
  cudaMemcpy(indices, order.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  gather<<<n / 256, 256>>>(out, in, indices, n);
  return cudaDeviceSynchronize();
}
