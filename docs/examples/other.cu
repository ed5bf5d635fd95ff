// Constant memory, local memory, atomics.
__constant__ float taps[16];

__global__ void other(float *out, const int *key, float *sum, int n) {
  float best[64];
  for (int k = 0; k < n; ++k)
    best[(k + threadIdx.x) % 64] = key[k * 256 + threadIdx.x];
  out[threadIdx.x] = best[n % 64] + taps[threadIdx.x % 16] + taps[n % 16];
  atomicAdd(sum, out[threadIdx.x]);
}
void launch(float *out, const int *key, float *sum, int n) { other<<<1, 256>>>(out, key, sum, n); }
