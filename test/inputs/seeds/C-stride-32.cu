// Cell C: stride 32: every lane in a transaction of its own, 1/32 of each used.
__global__ void stride_thirty_two(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[32 * i]; // EXPECT: global 32 transactions 32 sectors [efficiency=0.03125 confidence=exact]; clean
}

void launch(const float *in, float *out) { stride_thirty_two<<<64, 256>>>(in, out); }
