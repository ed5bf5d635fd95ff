// Cell G: a column of [32][32] lies in one bank: 32 cycles instead of 1. One dummy column spreads it over all banks.
__global__ void column(float *out) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = 1.f; // EXPECT: clean [wavefronts=1 conflictWays=1 confidence=exact]
  __syncthreads();
  float v = tile[threadIdx.x][threadIdx.y]; // EXPECT: shared 32-way [wavefronts=32 idealWavefronts=1 confidence=exact rule=shared-tile-column]
  out[threadIdx.y * 32 + threadIdx.x] = v;  // EXPECT: clean
}

__global__ void padded_column(float *out) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = 1.f; // EXPECT: clean [wavefronts=1 conflictWays=1 confidence=exact]
  __syncthreads();
  float v = tile[threadIdx.x][threadIdx.y]; // EXPECT: clean [wavefronts=1 conflictWays=1 confidence=exact]
  out[threadIdx.y * 32 + threadIdx.x] = v;  // EXPECT: clean
}

void launch(float *out) {
  column<<<1, dim3(32, 32)>>>(out);
  padded_column<<<1, dim3(32, 32)>>>(out);
}
