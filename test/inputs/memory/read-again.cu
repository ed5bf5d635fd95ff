// What a thread has read or written already the compiler keeps in a register, unless something may have changed it.
__global__ void again(const float *x, int *k, float *y, int limit) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float first = x[i]; // EXPECT: silent [removed=False]
  if (first > 0)
    y[i] = x[i] * x[i]; // EXPECT: silent [operation=store removed=False]; silent [operation=load removed=True]
  k[i] = abs(limit - i); // EXPECT: silent [removed=False]
  if (k[i] > limit)      // EXPECT: silent [operation=load removed=True]
    k[i] = 0;            // EXPECT: silent [removed=False]
}

__global__ void changed(float *x, float *y, volatile float *v, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float first = x[i];  // EXPECT: silent [removed=False]
  y[i] = first;              // EXPECT: silent
  const float second = x[i]; // EXPECT: silent [removed=False]
  __syncthreads();
  const float third = x[i];  // EXPECT: silent [removed=False]
  const float other = x[i + 32]; // EXPECT: silent [removed=False]
  float sum = v[i] + v[i];   // EXPECT: silent [removed=False]
  for (int j = 0; j < n; ++j)
    sum += y[i + 256 * j];   // EXPECT: silent [removed=False]
  y[i] = second + third + other + sum; // EXPECT: silent
}

void launch(float *x, int *k, float *y, int n) {
  again<<<8, 256>>>(x, k, y, n);
  changed<<<8, 256>>>(x, y, x, n);
}
