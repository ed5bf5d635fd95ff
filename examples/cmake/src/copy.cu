#include "transpose.h"

// The step comes from the target's flags, so that only its compile command can tell.
__global__ void copyKernel(float *out, const float *in) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = in[COPY_STEP * (blockIdx.x * blockDim.x + threadIdx.x)];
}

void copy(float *out, const float *in, int n) { copyKernel<<<n / 256, 256>>>(out, in); }
