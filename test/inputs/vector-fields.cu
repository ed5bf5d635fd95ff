// The compiler joins what one region reads of an 8- or 16-byte aligned structure into one access; one field alone stays a
// scalar access, and a structure that is less aligned than long is read field by field.
struct Loose {
  float x, y;
};

__device__ float sum(const float4 &v) {
  return v.x + v.y + v.z + v.w; // EXPECT: clean (global 4 transactions 16 sectors) [confidence=exact width=16]
}

__global__ void joined(const float4 *in, const float2 *pairs, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = sum(in[i]);
  s += pairs[i].x + pairs[i].y; // EXPECT: clean (global 2 transactions 8 sectors) [confidence=exact width=8]
  out[i] = s;                   // EXPECT: clean
}

__global__ void single(const float4 *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i].z; // EXPECT: global 4 transactions 16 sectors [confidence=exact width=4 rule=global-aos]; clean
}

__global__ void loose(const Loose *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i].x + in[i].y; // EXPECT: global 2 transactions 8 sectors [confidence=exact width=4 rule=global-aos]; clean
}

__global__ void written_between(float2 *p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = p[i].x;  // EXPECT: global 2 transactions 8 sectors [confidence=exact width=4]
  p[i + 1].x = 2.f;  // EXPECT: global 3 transactions 9 sectors [confidence=exact width=4]
  float y = p[i].y;  // EXPECT: global 2 transactions 8 sectors [confidence=exact width=4]
  p[2 * i].x = x + y; // EXPECT: global 4 transactions 16 sectors [confidence=exact width=4]
}

void launch(const float4 *in, float2 *pairs, const Loose *l, float *out) {
  joined<<<8, 128>>>(in, pairs, out);
  single<<<8, 128>>>(in, out);
  loose<<<8, 128>>>(l, out);
  written_between<<<8, 128>>>(pairs);
}
