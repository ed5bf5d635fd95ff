// A small library of kernels that run what their users hand them.
#pragma once
#pragma GCC system_header
#include <cuda_runtime.h>

namespace library {
template <class Body> __global__ void forKernel(int n, Body body) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    body(i);
}
template <class Body> void parallelFor(int n, Body body) { forKernel<<<(n + 255) / 256, 256>>>(n, body); }

template <class Body> __global__ void strideKernel(int n, Body body) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    body(i);
}
template <class Body> void gridStrideFor(int n, Body body) { strideKernel<<<8, 128>>>(n, body); }

template <class Body> __global__ void rowsKernel(int rows, int columns, Body body) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns)
    body(row, column);
}
template <class Body> void parallelFor2d(int rows, int columns, Body body) {
  rowsKernel<<<dim3((columns + 31) / 32, (rows + 7) / 8), dim3(32, 8)>>>(rows, columns, body);
}

// Its own accesses are nobody's but the library's.
template <class In, class Out, class Function> __global__ void transformKernel(In in, Out out, int n, Function function) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i * 4] = function(in[i * 4]);
}
template <class In, class Out, class Function> void transform(In in, Out out, int n, Function function) {
  transformKernel<<<(n + 127) / 128, 128>>>(in, out, n, function);
}
} // namespace library
