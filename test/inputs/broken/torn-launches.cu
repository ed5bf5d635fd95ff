// Launches as nvcc takes them and Clang does not: torn brackets, braced dimensions. Each gives its shape, which is exact.
template <class T> __global__ void column(T *a) { // eight rows apart, so that a block's shape shows
  a[threadIdx.x * 8] = 1; // EXPECT: global 8 transactions 32 sectors [confidence=exact activeLanes=32]
}
__global__ void half(float *a) {
  a[threadIdx.x * 8] = 1; // EXPECT: global 4 transactions 16 sectors [confidence=exact activeLanes=32]
}
__global__ void quarter(float *a) {
  a[threadIdx.x * 8] = 1; // EXPECT: global 2 transactions 8 sectors [confidence=exact activeLanes=32]
}
__global__ void few(float *a) {
  a[threadIdx.x * 8] = 1; // EXPECT: global 1 transactions 4 sectors [confidence=exact activeLanes=32 benign]
}
template <int N> struct Number {
  static constexpr int value = N;
};
template <class A> struct Of {
  A a;
};

void launches(float *a, unsigned n) {
  column<float><<<1, {32}>>>(a);
  half<< <n, dim3(Number<Number<16>::value>::value, 2)>> >(a);
  quarter << <
      {n, 2}, {8, 4, 1,},
      0 >> >(a);
  few<<<{}, {4, 2, 4}, {}, {}>>>(a);
  Of<Of<Of<int> > > nested; // closes no launch
  (void)nested;
  const char *text = "few<< <1, {2}>> >(a)"; // nor does few<< <1, {2}>> >(a)
  (void)text;
}
// SIZES: n=5
