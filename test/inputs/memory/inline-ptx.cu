// Inline PTX is run: addresses that it computes, predicates, and every instruction that touches memory.
__device__ unsigned sharedAddress(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__global__ void plain(const float *in, float *out) {
  __shared__ float s[256];
  int t = threadIdx.x, old;
  float x, y, z, w;
  asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(in + 4 * t)); // EXPECT: clean (global 4 transactions 16 sectors) [width=16 confidence=exact]
  asm volatile("st.global.cs.f32 [%0], %1;" ::"l"(out + 2 * t), "f"(x)); // EXPECT: global 2 transactions 8 sectors [operation=store confidence=exact]
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(y) : "r"(sharedAddress(&s[2 * t]))); // EXPECT: shared 2-way [operation=load confidence=exact]
  asm volatile("st.shared.f32 [%0+128], %1;" ::"r"(sharedAddress(&s[t])), "f"(y)); // EXPECT: clean [conflictWays=1 operation=store confidence=exact]
  asm volatile("{ .reg .u64 full; .reg .u32 small; cvta.to.shared.u64 full, %0; cvt.u32.u64 small, full; st.shared.f32 [small], %1; }" ::"l"(&s[4 * t]), "f"(y)); // EXPECT: shared 4-way [operation=store confidence=exact]
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(out + t), "f"(z)); // EXPECT: clean (global 1 transactions 4 sectors) [operation=atomic confidence=exact]
  asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(out + t), "r"(1)); // EXPECT: clean (global 1 transactions 4 sectors) [operation=atomic confidence=exact]
  out[old] = w; // EXPECT: unknown [reason=is_read_from_memory]
}

// Only the lanes whose predicate holds take part; one on data is said.
__global__ void predicated(const float *in, float *out, const int *flag) {
  int t = threadIdx.x, data = flag[t]; // EXPECT: clean
  float x = 0, y = 0;
  asm volatile("{ .reg .pred p; setp.lt.s32 p, %2, 8; @p ld.global.f32 %0, [%1]; }" : "+f"(x) : "l"(in + t), "r"(t)); // EXPECT: clean (global 1 transactions 1 sectors) [activeLanes=8 confidence=exact]
  asm volatile("{ .reg .pred p; setp.lt.s32 p, %2, 8; @!p ld.global.f32 %0, [%1]; }" : "+f"(x) : "l"(in + t), "r"(t)); // EXPECT: clean (global 1 transactions 3 sectors) [activeLanes=24 confidence=exact]
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %2, 0; @p ld.global.f32 %0, [%1]; }" : "+f"(y) : "l"(in + t), "r"(data)); // EXPECT: clean (global 1 transactions 4 sectors) [confidence=assumed assumptions=depends_on_data]
  out[t] = x + y; // EXPECT: clean
}

// Both sides of a copy; lanes whose source is empty read nothing.
__global__ void copies(const float *in) {
  __shared__ alignas(16) float s[512];
  int t = threadIdx.x;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(sharedAddress(&s[4 * t])), "l"(in + 4 * t)); // EXPECT: clean (global 4 transactions 16 sectors) [instruction=cp.async operation=load confidence=exact]; clean [conflictWays=1 wavefronts=4 operation=store]
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(sharedAddress(&s[2 * t])), "l"(in + 2 * t), "n"(4)); // EXPECT: global 2 transactions 8 sectors [instruction=cp.async operation=load confidence=exact]; shared 2-way [operation=store]
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(sharedAddress(&s[t])), "l"(in + t), "r"(t < 16 ? 4 : 0)); // EXPECT: clean (global 1 transactions 2 sectors) [activeLanes=16 operation=load confidence=exact]; clean [conflictWays=1 activeLanes=32 operation=store]
}

// Eight lanes give the rows of a matrix: 128-byte rows meet in the same banks, 144-byte rows do not.
__global__ void matrices(unsigned *out) {
  __shared__ alignas(16) unsigned short dense[64 * 64], padded[64 * 72];
  int lane = threadIdx.x;
  unsigned a, b, c, d;
  unsigned conflict = sharedAddress(&dense[(lane & 15) * 64 + (lane >> 4) * 8]), free = sharedAddress(&padded[(lane & 15) * 72 + (lane >> 4) * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(conflict)); // EXPECT: shared 8-way [instruction=ldmatrix wavefronts=32 confidence=exact]
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(conflict)); // EXPECT: shared 8-way [wavefronts=16 activeLanes=16 confidence=exact]
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(conflict)); // EXPECT: shared 8-way [wavefronts=8 activeLanes=8 confidence=exact]
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(free)); // EXPECT: clean [instruction=ldmatrix wavefronts=4 conflictWays=1 confidence=exact]
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(conflict), "r"(a), "r"(b), "r"(c), "r"(d)); // EXPECT: shared 8-way [operation=store wavefronts=32 confidence=exact]
  out[lane] = a + b + c + d; // EXPECT: clean
}

// What has no cost here is there all the same, and says why.
__global__ void opaque(cudaTextureObject_t texture, cudaSurfaceObject_t surface, const int *in, int *out, unsigned barrier) {
  __shared__ alignas(128) int s[256];
  out[threadIdx.x] = tex1Dfetch<int>(texture, threadIdx.x); // EXPECT: unknown [reason=texture_fetches_are_not_analysed]
  surf2Dwrite(1.f, surface, 4 * threadIdx.x, 0); // EXPECT: unknown [reason=surface_accesses_are_not_analysed operation=store]
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(sharedAddress(s)), "l"(in), "r"(1024), "r"(barrier)); // EXPECT: unknown [reason=TMA space=global operation=load]; unknown [reason=TMA space=shared operation=store]
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier));
}

void launch(float *f, int *i, unsigned *u) {
  plain<<<1, 32>>>(f, f);
  predicated<<<1, 32>>>(f, f, i);
  copies<<<1, 32>>>(f);
  matrices<<<1, 32>>>(u);
  opaque<<<1, 32>>>(0, 0, i, i, 0);
}
