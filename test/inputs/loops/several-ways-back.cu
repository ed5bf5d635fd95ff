// A loop that goes on by several ways: which of them was taken decides what its variables are, and with that how often what
// comes later runs. Where a size taken as large decided the way, the counts rest on it.
__global__ void bySize(float *out, const float *in, int m) {
  const int n = m >> 3;
  int i = 0, k = 0;
  float sum = 0;
  while (true) {
    if (k < n) {
      i = 1;
      k = n;
      continue;
    }
    sum += in[threadIdx.x]; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=assumed]
    if (++i >= 2)
      break;
  }
  out[threadIdx.x] = sum; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}

// The way does not depend on sizes.
__global__ void byCount(float *out, const float *in, int n) {
  int i = 0, k = 0;
  float sum = 0;
  while (true) {
    if (k < 1) {
      i = 1;
      k = 2;
      continue;
    }
    sum += in[threadIdx.x]; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
    if (++i >= 2)
      break;
  }
  if (n > 5)
    sum *= 2;
  out[threadIdx.x] = sum; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}

void launch(float *out, const float *in, int n) {
  bySize<<<1, 256>>>(out, in, n);
  byCount<<<1, 256>>>(out, in, n);
}
