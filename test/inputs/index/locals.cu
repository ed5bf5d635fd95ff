// Private arrays that are written where nobody knows: what is read back is not known either.
#include <cuda_runtime.h>

__global__ void writtenSomewhere(int *out) {
  int index[4] = {0, 0, 0, 0};
  index[clock() & 3] = 7;
  out[index[1] + threadIdx.x] = 1; // EXPECT: unknown [benign]
}
__device__ void put(int *where, int at) { where[at] = 7; }
__global__ void writtenSomewhereByHelper(int *out) {
  int index[4] = {0, 0, 0, 0};
  put(index, clock() & 3);
  out[index[1] + threadIdx.x] = 1; // EXPECT: unknown [benign]
}
__global__ void writtenHere(int *out) {
  int index[4] = {0, 0, 0, 0};
  put(index, 2);
  out[index[2] + threadIdx.x] = 1; // EXPECT: global 2 transactions 5 sectors [confidence=exact]
  out[index[1] + threadIdx.x] = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void writtenByLane(int *out) {
  int index[4] = {0, 0, 0, 0};
  index[threadIdx.x & 3] = 8;
  out[index[1] + threadIdx.x * 16] = 1; // EXPECT: global 16 transactions 32 sectors [confidence=exact]
}

void launchAll(int *out) {
  writtenSomewhere<<<2, 64>>>(out);
  writtenSomewhereByHelper<<<2, 64>>>(out);
  writtenHere<<<2, 64>>>(out);
  writtenByLane<<<2, 64>>>(out);
}
