// A matrix product without tiles in shared memory.
__global__ void naive(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
void launch(const float *a, const float *b, float *c, int n) {
  naive<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, b, c, n);
}
