// Cell F: a 24-byte record. One field costs 6 transactions at 16.7 %; all six fields 36, where six arrays would take 6.
struct Particle {
  float x, y, z, vx, vy, vz;
};

__global__ void one_field(const Particle *p, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = p[i].x; // EXPECT: global 6 transactions 24 sectors [efficiency=0.16666666666666666 confidence=exact rule=global-aos]; clean
}

__global__ void six_fields(const Particle *p, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  s += p[i].x;  // EXPECT: global 6 transactions 24 sectors [confidence=exact rule=global-aos]
  s += p[i].y;  // EXPECT: global 6 transactions 24 sectors [confidence=exact rule=global-aos]
  s += p[i].z;  // EXPECT: global 6 transactions 24 sectors [confidence=exact rule=global-aos]
  s += p[i].vx; // EXPECT: global 6 transactions 24 sectors [confidence=exact rule=global-aos]
  s += p[i].vy; // EXPECT: global 6 transactions 24 sectors [confidence=exact rule=global-aos]
  s += p[i].vz; // EXPECT: global 6 transactions 24 sectors [confidence=exact rule=global-aos]
  out[i] = s;   // EXPECT: clean
}

__global__ void six_arrays(const float *x, const float *y, const float *z, const float *vx, const float *vy,
                           const float *vz, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  s += x[i];  // EXPECT: clean (global 1 transactions 4 sectors)
  s += y[i];  // EXPECT: clean (global 1 transactions 4 sectors)
  s += z[i];  // EXPECT: clean (global 1 transactions 4 sectors)
  s += vx[i]; // EXPECT: clean (global 1 transactions 4 sectors)
  s += vy[i]; // EXPECT: clean (global 1 transactions 4 sectors)
  s += vz[i]; // EXPECT: clean (global 1 transactions 4 sectors)
  out[i] = s; // EXPECT: clean
}

void launch(const Particle *p, const float *a, float *out) {
  one_field<<<64, 32>>>(p, out);
  six_fields<<<64, 32>>>(p, out);
  six_arrays<<<64, 32>>>(a, a, a, a, a, a, out);
}
