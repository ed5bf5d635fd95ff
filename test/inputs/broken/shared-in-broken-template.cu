// An object in shared memory of a class template that cannot be instantiated, in a lambda of a kernel template. Host code that
// launches the kernel uses it; that is no reason to generate code for it. The sound kernel beside it is analysed.
template <class T> struct Tile {
  T row[32][32];
  __device__ Tile() {
    for (void i = 0; i < 32; ++i)
      row[i][0] = 1;
  }
};
template <class T> __global__ void broken(T *out, const T *in) {
  __shared__ Tile<T> tile;
  int x = threadIdx.x, y = threadIdx.y;
  auto generic = [&](auto i) {
    __shared__ Tile<T> inner;
    inner.row[i][0] = 2;
    return in[i];
  };
  out[y * 32 + x] = tile.row[x][y] + generic(x);
}
__shared__ Tile<float> everywhere;
__global__ void sound(float *out, const float *in) {
  __shared__ float tile[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * 32 + x]; // EXPECT: clean (global 1 transactions 4 sectors)
  __syncthreads();
  out[y * 32 + x] = tile[x][y]; // EXPECT: shared 32-way [confidence=exact]
}
void launch(float *out, const float *in) {
  broken<<<1, dim3(32, 32)>>>(out, in);
  sound<<<1, dim3(32, 32)>>>(out, in);
}
