struct Pixel { float r, g, b; };

__global__ void red(float *out, const Pixel *p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = p[i].r;
}
void launch(float *o, Pixel *p) { red<<<64, 256>>>(o, p); }
