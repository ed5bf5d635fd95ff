// Kernels of a library that run the user's lambdas and functions: what the user wrote is named, what the library does is not.
#include "parallel_for.h"

struct Scale {
  float *a;
  const float *b;
  __device__ void operator()(int i) const {
    a[i] = b[i * 2]; // EXPECT: clean (global 1 transaction 4 sectors); global 2 transactions 8 sectors [rule=global-stride]
  }
};

struct Particle {
  float x, y, z, mass;
};

__device__ float heavy(const Particle *p, int i) {
  return p[i].mass; // EXPECT: global 4 transactions 16 sectors [rule=global-aos]
}

__device__ void column(float *a, int row, int columnNumber, int n) {
  a[columnNumber * n + row] = 1; // EXPECT: global 32 transactions 32 sectors
}

struct Square {
  const float *table;
  __device__ float operator()(float v) const {
    return v * table[threadIdx.x * 8]; // EXPECT: global 8 transactions 32 sectors [rule=global-stride]
  }
};

void calls(float *a, float *b, Particle *p) {
  library::parallelFor(1 << 20, [=] __device__(int i) {
    a[i * 32] = b[i]; // EXPECT: global 32 transactions 32 sectors [rule=global-stride]; clean (global 1 transaction 4 sectors)
  });
  library::parallelFor(1 << 20, [=] __device__(int i) {
    a[i] = b[i]; // EXPECT: clean (global 1 transaction 4 sectors)
  });
  library::parallelFor(1 << 16, Scale{a, b});
  library::gridStrideFor(4096, [=] __device__(int i) {
    a[i] = heavy(p, i); // EXPECT: clean (global 1 transaction 4 sectors)
  });
  library::gridStrideFor(4096, [=] __device__(int i) {
    for (int j = 0; j < 4; ++j)
      a[i * 4 + j] = 1; // EXPECT: global 4 transactions 16 sectors [rule=global-stride]
  });
  library::parallelFor2d(512, 1024, [=] __device__(int y, int x) {
    a[y * 1024 + x] = b[x * 512 + y]; // EXPECT: clean (global 1 transaction 4 sectors); global 32 transactions 32 sectors [rule=global-row-per-thread]
    column(a, y, x, 512);
  });
  library::transform(b, a, 1 << 12, Square{b});
}
