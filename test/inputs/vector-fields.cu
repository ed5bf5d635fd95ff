// The compiler joins what one region reads of a structure that is as aligned as it is long, up to 16 bytes, into one access;
// one field alone stays a scalar access, and a structure that is less aligned than long is read field by field.
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

// What nvcc 13 writes into PTX: ld.v4.u8 each time, though fields that were read are written before the next is.
__global__ void pixels(const uchar4 *in, uchar4 *image, const ushort2 *couples, int *out, int frame) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const uchar4 &pixel = in[i];
  out[i] = pixel.x + pixel.z; // EXPECT: clean (global 1 transactions 4 sectors) [confidence=exact width=4 operation=load]; clean [operation=store]
  image[i].x = image[i].x * frame; // EXPECT: clean (global 1 transactions 4 sectors) [confidence=exact width=4 operation=load]; global 1 transactions 4 sectors [width=1 operation=store]
  image[i].y = image[i].y * frame; // EXPECT: clean (global 1 transactions 4 sectors) [operation=load removed=True]; global 1 transactions 4 sectors [width=1 operation=store]
  out[i] = couples[i].x + couples[i].y; // EXPECT: clean (global 1 transactions 4 sectors) [confidence=exact width=4 operation=load]; clean [operation=store]
}

__global__ void one_of_pixel(const uchar4 *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i].y; // EXPECT: global 1 transactions 4 sectors [confidence=exact width=1 rule=global-aos]; clean
}

void launch(const float4 *in, float2 *pairs, const Loose *l, float *out, uchar4 *image, ushort2 *couples) {
  pixels<<<8, 128>>>(image, image, couples, (int *)out, 3);
  one_of_pixel<<<8, 128>>>(image, (int *)out);
  joined<<<8, 128>>>(in, pairs, out);
  single<<<8, 128>>>(in, out);
  loose<<<8, 128>>>(l, out);
  written_between<<<8, 128>>>(pairs);
}
