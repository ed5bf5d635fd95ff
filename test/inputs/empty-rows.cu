// Rows without elements: GNU C++ has them, and no access of them has a place in a row.
__global__ void nothing(float *out, int n) {
  __shared__ float tile[32][0];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = 1;
  out[y * n + x] = tile[y][x]; // EXPECT: clean
}
void launch(float *out) { nothing<<<4, dim3(32, 8)>>>(out, 64); }
