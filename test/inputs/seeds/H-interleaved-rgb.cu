// Cell H: the red channel of interleaved RGB floats takes 3 transactions at 33.3 %; planar takes 1.
__global__ void red_interleaved(const float *rgb, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = rgb[3 * i]; // EXPECT: global 3 transactions 12 sectors [efficiency=0.3333333333333333 confidence=exact]; clean
}

__global__ void red_planar(const float *red, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = red[i]; // EXPECT: clean (global 1 transactions 4 sectors) [efficiency=1 confidence=exact]
}

void launch(const float *rgb, float *out) {
  red_interleaved<<<64, 32>>>(rgb, out);
  red_planar<<<64, 32>>>(rgb, out);
}
