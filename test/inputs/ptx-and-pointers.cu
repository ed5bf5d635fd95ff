// Loads written in PTX cost what other loads cost, and a kernel behind a pointer has the launch's shape.
__global__ void in_ptx(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v, w;
  asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(v) : "l"(in + i));      // EXPECT: clean (global 1 transactions 4 sectors) [confidence=exact]
  asm volatile("ld.global.f32 %0, [%1+4];" : "=f"(w) : "l"(in + 32 * i)); // EXPECT: global 32 transactions 32 sectors [confidence=exact]
  out[i] = v + w; // EXPECT: clean
}

__global__ void rows(float *m) {
  m[threadIdx.y * blockDim.x + threadIdx.x] = 1.f; // EXPECT: clean (global 1 transactions 4 sectors) [confidence=exact]
}

__global__ void columns(float *m) {
  m[threadIdx.x * blockDim.y + threadIdx.y] = 1.f; // EXPECT: global 16 transactions 32 sectors [confidence=exact]
}

void launch(const float *in, float *out, int which) {
  in_ptx<<<8, 128>>>(in, out);
  void (*kernel)(float *) = nullptr;
  switch (which) {
  case 0:
    kernel = &rows;
    break;
  default:
    kernel = &columns;
  }
  dim3 block(32, 16);
  kernel<<<4, block>>>(out);
}
