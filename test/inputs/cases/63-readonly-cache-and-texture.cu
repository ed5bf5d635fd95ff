// CASE 63: reads through __ldg and through a texture object
// REQUIRES: toolkit
// SOURCE: idiom; Rodinia kmeans (tex1Dfetch of features) and the 8 __ldg call sites in HeCBench
// PATTERN: __ldg(&a[i]) has the same transaction rules as a[i]; a texture fetch is outside the global-memory model.
// BLOCK: (256)  TYPES: float  FIX: __ldg of a strided address is still strided
// HARNESS: launch(G<float>(1 << 18), G<float>(4096), 0)
#include <cuda_runtime.h>

__global__ void via_ldg(const float *__restrict__ a, float *o, cudaTextureObject_t tex) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = __ldg(&a[i]);      // EXPECT: clean
  float y = __ldg(a + i * 64); // EXPECT: global 32 transactions 32 sectors [strided]
  float z = tex1Dfetch<float>(tex, i * 64); // EXPECT: clean (texture)
  o[i] = x + y + z; // EXPECT: clean
}

void launch(const float *a, float *o, cudaTextureObject_t tex) { via_ldg<<<16, 256>>>(a, o, tex); }
