// What else the code around an access does with the same sectors tones a finding down: the copies of an unrolled loop's body
// are straight-line code, the iterations of another loop are only worded; neighbours of a stencil need no finding at all.
__global__ void chunks(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 4; ++j)
    sum += x[4 * i + j]; // EXPECT: global 4 transactions 16 sectors [severity=warning]
  for (int j = 0; j < n; ++j)
    sum += x[n * i + j]; // EXPECT: global 32 transactions 32 sectors [severity=warning rule=global-row-per-thread]
  y[i] = sum; // EXPECT: silent
}

__global__ void pairs(const double *x, double *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int j = 0; j < 2; ++j)
    y[2 * i + j] = x[i + 2048 * j]; // EXPECT: clean (global 4 transactions 16 sectors) [operation=store severity=note]; clean [operation=load]
}

__global__ void halfOfPairs(const double *x, double *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[2 * i] = x[i]; // EXPECT: global 4 transactions 16 sectors [operation=store severity=warning]; clean [operation=load]
}

__global__ void stencil(const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + 32;
  y[i] = x[i - 1] + x[i] + x[i + 1]; // EXPECT: silent (global 2 transactions 5 sectors); silent (global 1 transactions 4 sectors)
}

__global__ void shifted(const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i + 1]; // EXPECT: clean (global 2 transactions 5 sectors) [rule=global-misaligned severity=note]; clean [operation=store]
}

void launch(float *x, double *d, int n) {
  chunks<<<8, 256>>>(x, x + 8192, n);
  pairs<<<8, 256>>>(d, d + 8192);
  halfOfPairs<<<8, 256>>>(d, d + 8192);
  stencil<<<8, 256>>>(x, x + 8192);
  shifted<<<8, 256>>>(x, x + 8192);
}
