// Blocks whose rows are not warps: lane l of warp w is the thread x + y*Dx + z*Dx*Dy = 32w + l.
// OPTIONS: --checks=-launch-partial-warp
#include <cuda_runtime.h>

// Rows of 24: a warp has 24 threads of a row and 8 of the next, or 16 and 16; every part is whole sectors.
__global__ void rowsOf24(float *out) {
  out[threadIdx.y * 1024 + threadIdx.x] = 1; // EXPECT: clean (global 2 transactions 4 sectors) [confidence=exact activeLanes=32]
}

// Rows of 20: the worst warp has 8 threads of a row (2 sectors), 20 of the next (3) and 4 of one more (1).
__global__ void rowsOf20(float *out) {
  out[threadIdx.y * 1024 + threadIdx.x] = 1; // EXPECT: global 3 transactions 6 sectors [benign confidence=exact]
}

// 4x4x3: two layers to a warp, each four rows of 16 bytes, 32 bytes apart.
__global__ void layers(float *out) {
  out[threadIdx.z * 64 + threadIdx.y * 8 + threadIdx.x] = 1; // EXPECT: global 2 transactions 8 sectors [benign confidence=exact]
}

// 33x3: the second row begins at the last lane of the first warp; its end is a partial warp of 3 lanes.
__global__ void rowsOf33(float *out) {
  out[threadIdx.y * 33 + threadIdx.x] = 1; // EXPECT: clean (global 1 transactions 4 sectors) [confidence=exact]
}

// What a block of 5 leaves of a warp.
__global__ void five(float *out) {
  out[threadIdx.x] = 1; // EXPECT: clean (global 1 transactions 1 sectors) [confidence=exact activeLanes=5]
}

// One line of braces for each extent.
__global__ void braced(float *out) {
  out[threadIdx.x * 1024 + threadIdx.y] = 1; // EXPECT: clean (global 4 transactions 4 sectors) [confidence=exact]
}

void launch(float *out) {
  rowsOf24<<<1, dim3(24, 4)>>>(out);
  rowsOf20<<<1, dim3(20, 8)>>>(out);
  layers<<<1, dim3(4, 4, 3)>>>(out);
  rowsOf33<<<1, dim3(33, 3)>>>(out);
  five<<<1, 5>>>(out);
  braced<<<1, dim3{4, 8, 1}>>>(out);
}
