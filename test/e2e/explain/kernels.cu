// What the worked examples of test/inputs/seeds leave out. explain_test.py looks at these lines.
__constant__ float table[64];

__global__ void wide(float4 *out, const float4 *in, const double *d) {
  __shared__ float4 quads[64];
  __shared__ double pairs[32][32];
  quads[threadIdx.x] = in[threadIdx.x];
  pairs[threadIdx.x][0] = d[threadIdx.x];
  __syncthreads();
  float4 twice = quads[threadIdx.x / 2];
  out[threadIdx.x] = twice;
}

__global__ void lookup(float *out) { out[threadIdx.x] = table[threadIdx.x % 4]; }

__global__ void histogram(int *bins, const int *keys) {
  atomicAdd(&bins[threadIdx.x / 8], 1);
  bins[keys[threadIdx.x]] = 1;
}

template <int Step> __global__ void step(float *out, const float *in) { out[threadIdx.x] = in[Step * threadIdx.x]; }

__global__ void rows(float *out, const float *in, int pitch) {
  out[threadIdx.x] = in[threadIdx.x * pitch];
}

__global__ void some(float *out, const float *in) {
  if (threadIdx.x % 4 == 1)
    out[threadIdx.x] = in[threadIdx.x];
}

void launch(float4 *quads, const double *d, int *bins, int *keys, float *f) {
  wide<<<1, 32>>>(quads, quads, d);
  lookup<<<1, 32>>>(f);
  histogram<<<1, 32>>>(bins, keys);
  step<1><<<1, 32>>>(f, f);
  step<1><<<1, 64>>>(f, f);
  step<3><<<2, 64>>>(f, f);
  some<<<1, 32>>>(f, f);
}
