// CASE 27: a 4-byte load through a pointer to 2-byte halves at an odd element offset
// REQUIRES: toolkit
// SOURCE: apache/tvm issue #8540 ("CUDA misaligned address when vectorizing float16": element offset 3*t+1)
// PATTERN: the address is 2 mod 4 for even threads: hardware fault, not just slow.
// BLOCK: (32)  TYPES: half read as unsigned  FIX: scalar loads, or vectorise only when the offset is even
// HARNESS: launch(G<half>(4096), G<half>(4096))
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void slice(half *out, const half *in) {
  int t = threadIdx.x;
  unsigned v = *(const unsigned *)(in + t * 3 + 1); // EXPECT: misaligned-vector (4-byte load, 2-byte aligned)
  *(unsigned *)(out + t * 2) = v;                   // EXPECT: clean
}

void launch(half *out, const half *in) { slice<<<1, 32>>>(out, in); }
