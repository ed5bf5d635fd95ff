// Cell D: one active lane still moves a whole transaction: 4 of 128 bytes.
__global__ void lonely(const float *in, float *out) {
  if (threadIdx.x == 0)
    out[blockIdx.x * 32] = in[blockIdx.x * 32]; // EXPECT: clean (global 1 transactions 1 sectors) [efficiency=0.03125 activeLanes=1 confidence=exact]
}

void launch(const float *in, float *out) { lonely<<<64, 32>>>(in, out); }
