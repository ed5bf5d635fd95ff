// Matrix transpose through a shared tile, as most first versions are written, and the version that the fix makes of it.
#define EDGE 32

__global__ void transpose(float *out, const float *in, int n) {
  __shared__ float tile[EDGE][EDGE];
  int x = blockIdx.x * EDGE + threadIdx.x;
  int y = blockIdx.y * EDGE + threadIdx.y;
  for (int j = 0; j < EDGE; j += 8)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x]; // EXPECT: clean (global 1 transactions 4 sectors) [confidence=exact]
  __syncthreads();
  x = blockIdx.y * EDGE + threadIdx.x;
  y = blockIdx.x * EDGE + threadIdx.y;
  for (int j = 0; j < EDGE; j += 8)
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j]; // EXPECT: shared 32-way [rule=shared-tile-column confidence=exact]; clean (global 1 transactions 4 sectors)
}

__global__ void transpose_padded(float *out, const float *in, int n) {
  __shared__ float tile[EDGE][EDGE + 1];
  int x = blockIdx.x * EDGE + threadIdx.x;
  int y = blockIdx.y * EDGE + threadIdx.y;
  for (int j = 0; j < EDGE; j += 8)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x]; // EXPECT: clean
  __syncthreads();
  x = blockIdx.y * EDGE + threadIdx.x;
  y = blockIdx.x * EDGE + threadIdx.y;
  for (int j = 0; j < EDGE; j += 8)
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j]; // EXPECT: clean [wavefronts=1 conflictWays=1 confidence=exact]
}

void launch(float *out, const float *in) {
  const int n = 1024;
  dim3 grid(n / EDGE, n / EDGE), block(EDGE, 8);
  transpose<<<grid, block>>>(out, in, n);
  transpose_padded<<<grid, block>>>(out, in, n);
}
