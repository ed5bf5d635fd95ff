// Cell B: stride 2: the same 128 bytes spread over two transactions, half of each used.
__global__ void stride_two(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[2 * i]; // EXPECT: global 2 transactions 8 sectors [efficiency=0.5 confidence=exact rule=global-stride]; clean
}

void launch(const float *in, float *out) { stride_two<<<64, 256>>>(in, out); }
