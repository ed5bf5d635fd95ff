// Members of packed records are read in pieces, whatever their address; a cast promises alignment that is not there.
#include <cuda_runtime.h>

struct __attribute__((packed)) Packed {
  char tag;
  int value;
};
#pragma pack(push, 1)
struct Pragma {
  short tag;
  double values[3];
};
#pragma pack(pop)
struct Outer {
  char tag;
  Packed inner[2];
};
struct Plain {
  int tag;
  float values[5];
};

__global__ void members(const Packed *packed, const Pragma *pragma, const Outer *outer, const Plain *plain, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = packed[i].value;    // EXPECT: global 2 transactions 5 sectors [rule=global-aos severity=warning width=1]
  sum += pragma[i].values[1];     // EXPECT: global 7 transactions 26 sectors [rule=global-aos severity=warning]
  sum += outer[i].inner[1].value; // EXPECT: global 4 transactions 11 sectors [rule=global-aos severity=warning]
  const float4 four = *reinterpret_cast<const float4 *>(plain[i].values); // EXPECT: misaligned-vector (24-byte records)
  sum += four.x + four.y + four.z + four.w;
  out[i] = sum;                   // EXPECT: clean
}

void launch(const Packed *packed, const Pragma *pragma, const Outer *outer, const Plain *plain, float *out) {
  members<<<8, 256>>>(packed, pragma, outer, plain, out);
}
