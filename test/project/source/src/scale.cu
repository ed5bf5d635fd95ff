// Every line here that the compile command must explain is an error without it.
#include "module_limits.h"
#include <vendor/types.h>

#if !defined(ON_DEVICE) || !defined(FROM_HOST) || STEP != 2
#error definitions are lost
#endif
#if !defined(__CUDACC_RDC__) || !defined(__CUDACC_RELAXED_CONSTEXPR__) || !defined(__CUDACC_EXTENDED_LAMBDA__)
#error nvcc's own macros are lost
#endif
#ifndef CUDA_API_PER_THREAD_DEFAULT_STREAM
#error the default stream is lost
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 900
#error the architecture is lost
#endif
#if __cplusplus != 201703L || !defined(__STRICT_ANSI__)
#error the standard is lost
#endif
static_assert(sizeof(LABEL) == sizeof("two words"), "the definition with a blank is lost");
static_assert(sizeof(QUOTED) == sizeof("it's, so"), "the definition with quotes is lost");
static_assert(module_limit == 7, "include/module7 is lost");

__global__ void scale(vendor::element *out, const vendor::element *in) {
  out[threadIdx.x] = 2 * in[STEP * threadIdx.x];
}

void launch_scale(float *out, const float *in) { scale<<<1, 256>>>(out, in); }
