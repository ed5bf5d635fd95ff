// What the code says, and what it does not.
__global__ void rows(float *out, const float *in, const int *order, int pitch) {
  int x = threadIdx.x, y = blockIdx.x;
  out[y * 256 + x] = in[y * pitch + x];   // is a row a multiple of 32 elements?
  out[order[x]] = in[x];                  // only the data knows
}
void launch(float *out, const float *in, const int *order, int pitch) { rows<<<64, 256>>>(out, in, order, pitch); }
