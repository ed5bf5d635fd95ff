// Objects in shared memory whose constructors and destructors nvcc leaves out. They are shared memory in kernels, in
// templates, in lambdas and in members alike.
struct Counter {
  int n;
  __device__ Counter() { n = 3; }
  __device__ ~Counter() { n = 0; }
};
template <class T> struct Tile {
  T row[32][32];
  __device__ Tile() {
    for (int i = 0; i < 32; ++i)
      row[i][0] = 1;
  }
};

__global__ void plain(float *out, const float *in) {
  __shared__ Tile<float> tile;
  __shared__ Counter counter, more[2];
  int x = threadIdx.x, y = threadIdx.y;
  tile.row[y][x] = in[y * 32 + x]; // EXPECT: clean (global 1 transactions 4 sectors)
  if (counter.n)                   // EXPECT: clean [space=shared]
    more[1].n = 1;                 // EXPECT: clean [space=shared]
  __syncthreads();
  out[y * 32 + x] = tile.row[x][y]; // EXPECT: shared 32-way [confidence=exact]
}

template <class T> __global__ void instance(T *out, const T *in) {
  __shared__ Tile<T> tile;
  __shared__ T padded[32][33];
  int x = threadIdx.x, y = threadIdx.y;
  auto generic = [&](auto i) {
    __shared__ Tile<T> inner;
    inner.row[i][0] = 2; // EXPECT: shared 32-way [confidence=exact]
    return padded[i][y]; // EXPECT: clean [space=shared confidence=exact]
  };
  tile.row[y][x] = in[y * 32 + x]; // EXPECT: clean (global 1 transactions 4 sectors)
  padded[y][x] = 1;                // EXPECT: clean [space=shared]
  __syncthreads();
  out[y * 32 + x] = tile.row[x][y] + generic(x); // EXPECT: shared 32-way [confidence=exact]
}

struct Worker {
  __device__ void late(float *out) {
    __shared__ Tile<float> tile;
    out[threadIdx.x] = tile.row[threadIdx.x][0]; // EXPECT: shared 32-way [confidence=exact]
  }
  template <class T> __device__ static void member(T *out) {
    __shared__ Tile<T> tile;
    out[threadIdx.x] = tile.row[0][threadIdx.x]; // EXPECT: clean [space=shared confidence=exact]
  }
};
__shared__ Tile<float> everywhere;
__global__ void members(float *out) {
  Worker().late(out);
  Worker::member(out);
  out[threadIdx.x] = everywhere.row[threadIdx.x][1]; // EXPECT: shared 32-way [confidence=exact]
}

void launch(float *out, const float *in) {
  plain<<<1, dim3(32, 32)>>>(out, in);
  instance<<<1, dim3(32, 32)>>>(out, in);
  members<<<1, 32>>>(out);
}
