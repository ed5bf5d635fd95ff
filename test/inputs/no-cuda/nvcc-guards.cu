// Headers of programs that are built for the host as well take CUDA's words away where it is not nvcc that reads them.
#if !defined(__NVCC__) && !defined(__HIPCC__)
#define __device__
#define __host__
#endif
__host__ __device__ int twice(int i);

__global__ void apart(float *out, const float *in) {
  float v = in[twice(threadIdx.x)]; // EXPECT: global 2 transactions 8 sectors
  out[threadIdx.x] = v;
}

__host__ __device__ int twice(int i) { return 2 * i; }
void launch(float *out, const float *in) { apart<<<4, 256>>>(out, in); }
