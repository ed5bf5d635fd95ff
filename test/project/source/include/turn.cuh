// Instances and launches of this kernel are in turn.cu alone.
#pragma once
#include <vendor/types.h>

template <int Width> __global__ void turn(vendor::element *out, const vendor::element *in) {
  __shared__ vendor::element tile[Width][Width];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * Width + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * Width + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
