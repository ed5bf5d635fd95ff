// A by-value parameter that the kernel writes to keeps what it was passed with everywhere else.
struct Sizes {
  int step;
  int pitch;
  int table[4];
  const float *in;
  float *out;
};

__device__ void widen(Sizes &s) { s.step = 2; }

__global__ void written(Sizes s) {
  __shared__ float tile[1024];
  s.step = 3;
  s.out[threadIdx.x] = s.in[threadIdx.x * s.step];  // EXPECT: clean (global 1 transactions 4 sectors) [base=s.out confidence=exact]; global 3 transactions 12 sectors [base=s.in confidence=exact]
  s.out[threadIdx.x * s.pitch] = 0;                 // EXPECT: global 32 transactions 32 sectors [confidence=assumed assumptions=s.pitch]
  s.out[threadIdx.x] = tile[threadIdx.x * s.pitch]; // EXPECT: clean (global 1 transactions 4 sectors) [operation=store confidence=exact]; unknown [reason=s.pitch space=shared]
}
__global__ void writtenByHelper(Sizes s) {
  widen(s);
  s.out[threadIdx.x * s.step] = 0;  // EXPECT: global 2 transactions 8 sectors [confidence=exact]
  s.out[threadIdx.x * s.pitch] = 0; // EXPECT: global 32 transactions 32 sectors [confidence=assumed assumptions=s.pitch]
}
__global__ void writtenSomewhere(Sizes s, const int *at) {
  s.table[at[threadIdx.x]] = 1;
  s.out[threadIdx.x * s.table[0]] = 0; // EXPECT: unknown [reason=s]
}
__global__ void readOnly(Sizes s) {
  s.out[threadIdx.x * s.pitch] = 0; // EXPECT: global 32 transactions 32 sectors [confidence=assumed assumptions=s.pitch]
}

void launch(Sizes s, const int *at) {
  written<<<1, 32>>>(s);
  writtenByHelper<<<1, 32>>>(s);
  writtenSomewhere<<<1, 32>>>(s, at);
  readOnly<<<1, 32>>>(s);
}
