// Arrays carved out of one dynamic shared array, and shared objects of every kind, lie where their offsets put them.
extern __shared__ char bytes[];

__global__ void carved(float *out) {
  float *a = (float *)bytes;                  // 64 floats
  double *d = (double *)(a + blockDim.x);     // behind them
  float2 *v = (float2 *)(bytes + 1024);
  int t = threadIdx.x;
  a[t] = 1;       // EXPECT: clean [conflictWays=1 wavefronts=1 width=4 confidence=exact]
  a[2 * t] = 1;   // EXPECT: shared 2-way [confidence=exact]
  d[t] = 2;       // EXPECT: clean [conflictWays=1 wavefronts=2 width=8 confidence=exact]
  d[2 * t] = 2;   // EXPECT: shared 2-way [wavefronts=4 confidence=exact]
  v[t].x = 3;     // EXPECT: shared 2-way [width=4 confidence=exact]
  v[t] = make_float2(1, 2); // EXPECT: clean [conflictWays=1 wavefronts=2 width=8 confidence=exact]
  volatile float *w = a + blockDim.x;
  w[t] = 4;       // EXPECT: clean [conflictWays=1 confidence=exact]
  float &alias = a[4 * t];
  alias = 5;      // EXPECT: shared 4-way [confidence=exact]
  out[t] = a[t];  // EXPECT: clean
}

// The pitch is the launch's: 33 words are free of conflicts, 32 are one bank.
__global__ void pitched(float *out, int good, int bad) {
  float *a = (float *)bytes;
  int t = threadIdx.x;
  a[t * good] = 1; // EXPECT: clean [conflictWays=1 confidence=exact]
  a[t * bad] = 1;  // EXPECT: shared 32-way [confidence=exact]
  out[t] = a[t];   // EXPECT: clean
}

union Either {
  float f[32];
  double d[16];
};
struct Parts {
  float row[32];
  int tile[32][32], padded[32][33];
};
struct __attribute__((packed)) Packed {
  char tag;
  float value;
};
struct alignas(32) Wide {
  float x, y, z;
};

__global__ void objects(float *out, const Packed *in) {
  __shared__ Either either;
  __shared__ Parts parts;
  __shared__ char chars[256];
  __shared__ float3 threes[32];
  __shared__ Wide wides[32];
  int t = threadIdx.x;
  either.f[t] = 1;        // EXPECT: clean [conflictWays=1 confidence=exact]
  either.d[t & 15] = 1;   // EXPECT: clean [conflictWays=1 confidence=exact]
  parts.row[t] = 1;       // EXPECT: clean [conflictWays=1 confidence=exact]
  parts.tile[t][3] = 1;   // EXPECT: shared 32-way [confidence=exact]
  parts.padded[t][3] = 1; // EXPECT: clean [conflictWays=1 confidence=exact]
  chars[t] = 1;           // EXPECT: clean [conflictWays=1 width=1 confidence=exact]
  chars[8 * t] = 1;       // EXPECT: shared 2-way [width=1 confidence=exact]
  threes[t].x = 1;        // EXPECT: clean [conflictWays=1 confidence=exact]
  wides[t].x = 1;         // EXPECT: shared 8-way [confidence=exact]
  // A packed member is read byte by byte: lane t's at 5t+1, over 157 bytes.
  out[t] = in[t].value + either.f[t]; // EXPECT: global 2 transactions 5 sectors [width=1 confidence=exact]; clean (global 1 transactions 4 sectors)
}

void launch(float *out, const Packed *in) {
  carved<<<1, 64, 8192>>>(out);
  pitched<<<1, 64, 16384>>>(out, 33, 32);
  objects<<<1, 32>>>(out, in);
}
