// Matrix transpose through a shared tile, as most first versions are written.
#define EDGE 32

__global__ void transpose(float *out, const float *in, int n) {
  __shared__ float tile[EDGE][EDGE];
  int x = blockIdx.x * EDGE + threadIdx.x;
  int y = blockIdx.y * EDGE + threadIdx.y;
  for (int j = 0; j < EDGE; j += 8)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * EDGE + threadIdx.x;
  y = blockIdx.x * EDGE + threadIdx.y;
  for (int j = 0; j < EDGE; j += 8)
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

void launch(float *out, const float *in) {
  const int n = 1024;
  dim3 grid(n / EDGE, n / EDGE), block(EDGE, 8);
  transpose<<<grid, block>>>(out, in, n);
}
