// Cell E: all lanes read one word. Global: one transaction of which DRAM moved 4 useful bytes. Shared: one cycle.
__global__ void broadcast(const float *in, float *out) {
  __shared__ float s[32];
  s[threadIdx.x] = 1.f; // EXPECT: clean
  __syncthreads();
  float g = in[0]; // EXPECT: clean (global 1 transactions 1 sectors) [efficiency=0.03125 confidence=exact]
  float h = s[0];  // EXPECT: clean [wavefronts=1 conflictWays=1 confidence=exact]
  out[threadIdx.x] = g + h; // EXPECT: clean
}

void launch(const float *in, float *out) { broadcast<<<1, 32>>>(in, out); }
