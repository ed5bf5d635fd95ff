// Lanes that update one address. Which updates the compiler merges was read off ptxas of CUDA 13.
#include <cuda_runtime.h>

__global__ void sums(const float *x, const int *k, float *sum, int *count, double *wide, unsigned long long *big) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(sum, x[i]);                       // EXPECT: clean [space=global operation=load]; global 1 transactions 1 sectors [rule=atomic-contention severity=warning]
  atomicAdd(wide, 1.0);                       // EXPECT: global 1 transactions 1 sectors [rule=atomic-contention severity=warning]
  atomicAdd(count, 1);                        // EXPECT: clean [rule=atomic-contention severity=note]
  atomicAdd(&count[blockIdx.x], k[i]);        // EXPECT: clean [rule=atomic-contention severity=note]
  atomicMax(count, k[i]);                     // EXPECT: clean [rule=atomic-contention severity=note]
  atomicAdd(big, 1ull);                       // EXPECT: clean [rule=atomic-contention severity=note]
  atomicAdd(big, (unsigned long long)i);      // EXPECT: global 1 transactions 1 sectors [rule=atomic-contention severity=warning]
  atomicAdd(&count[threadIdx.x / 32], 1);     // EXPECT: global 1 transactions 1 sectors [rule=atomic-contention severity=warning]
  atomicAdd(&sum[threadIdx.x / 4], x[i]);     // EXPECT: clean [rule=atomic-contention severity=note]
  atomicInc((unsigned *)count, 100);          // EXPECT: global 1 transactions 1 sectors [rule=atomic-contention severity=warning]
  const int old = atomicMin(count, k[i]);     // EXPECT: global 1 transactions 1 sectors [rule=atomic-contention severity=warning]; clean (global 1 transactions 4 sectors)
  sum[i] = old + atomicCAS(count, 0, 1);      // EXPECT: global 1 transactions 1 sectors [rule=atomic-contention severity=warning]; clean (global 1 transactions 4 sectors) [operation=store]
}

__global__ void silent(const int *bin, float *sum, int *count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&sum[i], 1.0f);   // EXPECT: silent [operation=atomic]
  atomicAdd(&count[bin[i]], 1); // EXPECT: unknown [benign]
  if (threadIdx.x == 0)
    atomicAdd(sum, 1.0f);     // EXPECT: silent [activeLanes=1]
  if (threadIdx.x % 32 == 0)
    atomicAdd(sum, 1.0f);     // EXPECT: silent [activeLanes=1]
}

__global__ void loops(const float *x, float *sum, int n) {
  for (int k = 0; k < n; ++k) {
    atomicAdd(&sum[k], x[threadIdx.x]);                   // EXPECT: global 1 transactions 1 sectors [rule=atomic-contention severity=warning]; clean [operation=load]
    atomicAdd(&sum[k * 256 + threadIdx.x / 4], 1.0f);     // EXPECT: global 1 transactions 1 sectors [rule=atomic-contention severity=warning]
    atomicAdd(&sum[k * 256 + threadIdx.x], 1.0f);         // EXPECT: silent [operation=atomic]
  }
}

__global__ void sometimes(const float *x, float *sum, int *count, int *list) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (x[i] > 0)                          // EXPECT: clean
    list[atomicAdd(count, 1)] = i;       // EXPECT: clean [operation=atomic rule=atomic-contention severity=note]; unknown [benign]
  if (x[i] > 1)                          // EXPECT: clean
    atomicAdd(sum, 1.0f);                // EXPECT: clean [rule=atomic-contention severity=note]
}

// One lane updates for those that are there.
__global__ void leaders(const float *x, float *sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (x[i] > 1) { // EXPECT: silent
    const unsigned here = __activemask();
    if (threadIdx.x % 32 == __ffs(here) - 1)
      atomicAdd(sum, (float)__popc(here)); // EXPECT: silent [activeLanes=1 confidence=assumed]
  }
}

// So does the first of those of which a vote says that they want to, whichever it is.
__global__ void votedLeaders(const int *x, int *count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const bool wanted = x[i] > 0; // EXPECT: silent
  const unsigned mask = __ballot_sync(~0u, wanted);
  if (lane == __ffs(mask) - 1)
    atomicAdd(count, __popc(mask)); // EXPECT: silent [operation=atomic]
  if (wanted && __popc(mask & ((1u << lane) - 1)) == 0)
    atomicAdd(count, __popc(mask)); // EXPECT: silent [operation=atomic]
  if (lane != __ffs(mask) - 1)
    atomicExch(count, i); // EXPECT: clean [rule=atomic-contention severity=note]
  if (wanted && __popc(mask & ((1u << lane) - 1)) < 4)
    atomicExch(count, i); // EXPECT: clean [rule=atomic-contention severity=note]
  if (mask & 1u << lane)
    atomicExch(count, i); // EXPECT: clean [rule=atomic-contention severity=note]
  if (lane != __ffs(mask) - 1)
    return;
  atomicExch(count, i); // EXPECT: silent [operation=atomic]
}

__global__ void inShared(const float *x, const int *k, float *out) {
  __shared__ int count[256];
  __shared__ float sum;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(count, 1);          // EXPECT: silent [space=shared operation=atomic]
  atomicMax(count, k[i]);       // EXPECT: silent [space=shared operation=atomic]
  atomicAdd(&sum, x[i]);        // EXPECT: shared 1-way [rule=atomic-contention severity=warning]
  atomicAdd(&count[threadIdx.x], 1); // EXPECT: silent [space=shared operation=atomic]
  __syncthreads();
  out[i] = sum + count[threadIdx.x]; // EXPECT: clean
}

void launch(const float *x, const int *k, float *sum, int *count, double *wide, unsigned long long *big) {
  sums<<<8, 256>>>(x, k, sum, count, wide, big);
  silent<<<8, 256>>>(k, sum, count);
  loops<<<8, 256>>>(x, sum, 100);
  sometimes<<<8, 256>>>(x, sum, count, count);
  leaders<<<8, 256>>>(x, sum);
  inShared<<<8, 256>>>(x, k, sum);
}
