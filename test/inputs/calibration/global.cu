// Kernels whose sectors Nsight Compute counted on real GPUs, as published (test/e2e/calibration.json has the readings).
#include <cuda_runtime.h>

// Interleaved RGB to grey, 1920x1080, blocks of 16x16.
__global__ void rgb2bw(const unsigned char *rgb, unsigned char *grey, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    int pixel = y * width + x;
    unsigned char r = rgb[3 * pixel];     // EXPECT: global 4 transactions 4 sectors [confidence=exact]
    unsigned char g = rgb[3 * pixel + 1]; // EXPECT: global 4 transactions 4 sectors [confidence=exact]
    unsigned char b = rgb[3 * pixel + 2]; // EXPECT: global 4 transactions 4 sectors [confidence=exact]
    grey[pixel] = 0.21f * r + 0.71f * g + 0.07f * b; // EXPECT: global 2 transactions 2 sectors [confidence=exact benign]
  }
}

// Rows in, columns out, 8192x8192.
__global__ void naiveTranspose(const float *in, float *out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * n + y] = in[y * n + x]; // EXPECT: global 32 transactions 32 sectors; clean (global 1 transaction 4 sectors) [confidence=exact]
}

__global__ void offsetCopy(float *out, const float *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  out[i] = in[i]; // EXPECT: global 2 transactions 5 sectors [confidence=exact]
}

__global__ void naiveMatmul(const float *A, const float *B, float *C, int N) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < N; ++k)
    sum += A[row * N + k] * B[k * N + col]; // EXPECT: clean (global 2 transactions 2 sectors) [confidence=exact]; clean (global 1 transaction 2 sectors) [confidence=exact]
  C[row * N + col] = sum; // EXPECT: clean (global 2 transactions 4 sectors) [confidence=exact]
}

int main() {
  unsigned char *bytes, *grey;
  float *a, *b, *c;
  cudaMalloc(&bytes, 1920 * 1080 * 3);
  cudaMalloc(&grey, 1920 * 1080);
  cudaMalloc(&a, 8192ull * 8192 * 4);
  cudaMalloc(&b, 8192ull * 8192 * 4);
  cudaMalloc(&c, 1024 * 1024 * 4);
  rgb2bw<<<dim3((1920 + 15) / 16, (1080 + 15) / 16), dim3(16, 16)>>>(bytes, grey, 1920, 1080);
  naiveTranspose<<<dim3(8192 / 32, 8192 / 8), dim3(32, 8)>>>(a, b, 8192);
  offsetCopy<<<4096, 256>>>(a, b);
  naiveMatmul<<<dim3(1024 / 16, 1024 / 16), dim3(16, 16)>>>(a, b, c, 1024);
}
