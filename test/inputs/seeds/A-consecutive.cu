// Cell A: consecutive lanes read consecutive floats: one 128-byte transaction, every byte used.
__global__ void consecutive(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i]; // EXPECT: clean (global 1 transactions 4 sectors) [efficiency=1 sectorEfficiency=1 confidence=exact activeLanes=32]
  out[i] = v;      // EXPECT: clean (global 1 transactions 4 sectors) [efficiency=1 confidence=exact]
}

void launch(const float *in, float *out) { consecutive<<<64, 256>>>(in, out); }
