// What lies behind a condition that large sizes do not fulfil is followed as if the condition held, with what is computed
// there.
struct Column {
  int offset;
  int last;
  int stride;
};

__device__ void mirror(int &d, int size) {
  if (d >= size)
    d = 2 * size - 2 - d;
}
__device__ void start(Column &c, int x, int size) {
  mirror(x, size);
  c.offset = threadIdx.x;
  c.stride = size;
  c.last = x;
}
__device__ float next(Column &c, const float *in, int size) {
  c.last += c.stride;
  if (c.last == size)
    c.stride = -c.stride; // decides on the stride, and not on the offset beside it
  return in[c.last]; // EXPECT: clean (global 1 transactions 4 sectors) [confidence=assumed assumptions=n_is_a_multiple]
}

__global__ void small(const float *in, float *out, int n) {
  __shared__ float tile[64];
  if (n < 16) {
    Column c;
    start(c, threadIdx.x, n);
    c.offset += 1;
    tile[c.offset] = next(c, in, n); // EXPECT: clean (shared 1-way) [confidence=assumed assumptions=holds_the_other_way]
    c.offset *= 2;
    tile[c.offset] = 0; // EXPECT: shared 2-way [confidence=assumed assumptions=holds_the_other_way]
  }
}
// The same in the light.
__global__ void large(const float *in, float *out, int n) {
  __shared__ float tile[64];
  Column c;
  start(c, threadIdx.x, n);
  c.offset += 1;
  tile[c.offset] = next(c, in, n); // EXPECT: clean (shared 1-way) [confidence=exact]
  c.offset *= 2;
  tile[c.offset] = 0; // EXPECT: shared 2-way [confidence=exact]
}
// What a condition decides on rests on it.
__global__ void changes(float *out, int n) {
  __shared__ float tile[64];
  Column c;
  c.offset = threadIdx.x;
  c.stride = 0;
  if (n < 16)
    c.offset = 2 * threadIdx.x;
  tile[c.offset] = 1; // EXPECT: clean (shared 1-way) [confidence=assumed assumptions=n_is_large]
}
// Of what data decides both sides are followed: inside one side its own writes hold, behind it neither does.
__global__ void byData(float *out, const float *d) {
  __shared__ float tile[128];
  Column c, e;
  if (d[threadIdx.x] > 0) {
    e.offset = threadIdx.x;
    e.offset += 1;
    tile[e.offset] = 1; // EXPECT: clean (shared 1-way)
    c.offset = threadIdx.x;
  } else {
    c.offset = 2 * threadIdx.x;
    tile[c.offset] = 1; // EXPECT: shared 2-way
    start(e, threadIdx.x, 64);
    tile[2 * e.offset] = 1; // EXPECT: shared 2-way
  }
  tile[c.offset] = 1; // EXPECT: unknown [reason=d[threadIdx.x]_>_0]
}

void launch(const float *in, float *out, int n) {
  small<<<1, 32>>>(in, out, n);
  large<<<1, 32>>>(in, out, n);
  changes<<<1, 32>>>(out, n);
  byData<<<1, 32>>>(out, in);
}
