#!/usr/bin/env python3
"""What a kernel does and moves, counted by hand: FLOP by type, bytes, distinct bytes, trip counts in symbols."""
import os
import shutil
import unittest

import harness
from harness import ToolTest

# Each kernel's block and grid are in `launch` below it, or there is no launch.
ARITHMETIC = '''
__global__ void types(float *f, double *d) {
  int i = blockIdx.x * 256 + threadIdx.x;
  f[i] = f[i] * 2.0f + 1.0f;                  // 2 fp32; 8 bytes
  d[i] = fma(d[i], 3.0, 1.0) - 2.0;           // 3 fp64; 16 bytes
}
__global__ void functions(float *f) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float x = f[i];
  f[i] = sqrtf(x) + expf(x) / x + fabsf(x) + fmaxf(x, 1.0f); // 3 special; 3 additions
}
__global__ void atomic(float *sum, const float *x) {
  atomicAdd(sum, x[threadIdx.x]);             // 1 fp32; 4 bytes read, 4 added to
}
struct V { float x, y, z; };
__device__ V cross(V a, V b) {                // 9
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
__global__ void calls(V *v) {
  int i = blockIdx.x * 256 + threadIdx.x;
  V a = v[2 * i];
  for (int k = 0; k < 10; ++k)
    a = cross(a, v[2 * i + 1]);               // 90; the vectors are read whole: 12 bytes, and 12 each time
  v[2 * i] = a;                               // 12
}
void launch(float *f, double *d, V *v) {
  types<<<16, 256>>>(f, d);
  functions<<<16, 256>>>(f);
  atomic<<<16, 256>>>(f, f);
  calls<<<16, 256>>>(v);
}
'''

LOOPS = '''
__global__ void constant(float *x) {
  float s = 0;
  for (int i = 0; i < 100; ++i)               // 100 times 1 + 7 * 2
    for (s += 1, i += 0; ; ) {
      for (int j = 0; j < 7; ++j)
        s = s * 0.5f + 1.0f;
      break;
    }
  x[threadIdx.x] = s;
}
__global__ void long_loop(float *x) {
  float s = 0;
  for (int i = 0; i < 100000; i += 4)         // 25000 times 1: more than are followed
    s += 0.5f;
  x[threadIdx.x] = s;
}
__global__ void tree(float *x) {
  __shared__ float t[256];
  t[threadIdx.x] = x[threadIdx.x];
  for (int s = 128; s > 0; s >>= 1) {
    __syncthreads();
    if (threadIdx.x < s)
      t[threadIdx.x] += t[threadIdx.x + s];   // 255 additions of 256 threads
  }
  if (threadIdx.x == 0)
    x[0] = t[0];                              // 4 bytes of 256 threads, beside 4 of each
}
__global__ void symbolic(float *x, int n, int m) {
  float s = 0;
  for (int i = 0; i < n; ++i)
    for (int j = m; j > 0; j -= 2)            // n * m / 2 times 2
      s = s * 0.5f + x[i];                    // 4 bytes each time
  x[threadIdx.x] = s;
}
__global__ void grid_stride(float *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    x[i] = x[i] * 2.0f;                       // n / (gridDim.x * 256) times 1 and 8 bytes
}
__global__ void known_stride(float *x) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 10000; i += gridDim.x * blockDim.x)
    x[i] = x[i] * 2.0f;                       // 10000 times over 1024 threads
}
__global__ void tiles(float *x, int n) {
  float s = 0;
  for (int t = 0; t < (n + 31) / 32; ++t)     // n / 32 times 32
    for (int k = 0; k < 32; ++k)
      s += 1.0f;
  x[threadIdx.x] = s;
}
__global__ void by_data(const int *end, float *x) {
  float s = 0;
  for (int j = 0; j < end[threadIdx.x]; ++j)
    s += 1.0f;
  x[threadIdx.x] = s;
}
__global__ void two_by_data(const int *end, const float *x, float *y) {
  float s = 0;
  for (int j = 0; j < end[0]; ++j) s += 1.0f; for (int j = 0; j < end[1]; ++j) s = x[j];
  y[threadIdx.x] = s;
}
__global__ void triangle(float *x, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j)
      s += 1.0f;
  x[threadIdx.x] = s;
}
__global__ void guarded(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  x[i] += 1.0f;
}
__global__ void half_guarded(float *x) {
  if (threadIdx.x < 64)
    x[threadIdx.x] += 1.0f;                   // 64 of 256 threads
}
__global__ void do_while(float *x) {
  float s = 0;
  int i = 0;
  do {
    s += 1.0f;
  } while (++i < 12);
  x[threadIdx.x] = s;
}
void launch(float *x, int n) {
  constant<<<1, 256>>>(x);
  long_loop<<<1, 256>>>(x);
  tree<<<1, 256>>>(x);
  symbolic<<<1, 256>>>(x, n, n / 7);
  known_stride<<<4, 256>>>(x);
  half_guarded<<<1, 256>>>(x);
  do_while<<<1, 256>>>(x);
}
'''

FOOTPRINTS = '''
__global__ void once(float *y, const float *x) {
  int i = blockIdx.x * 256 + threadIdx.x;
  y[i] = x[i];                                // 4096 threads: 16384 bytes and 16384
}
__global__ void again(float *x) {
  int i = blockIdx.x * 256 + threadIdx.x;
  x[i] = x[i] + 1;                            // read once, written once
}
__global__ void stencil(float *y, const float *x) {
  int i = blockIdx.x * 256 + threadIdx.x;
  y[i] = x[i] + x[i + 1] + x[i + 2];          // 16384, and two elements more
}
__global__ void rows(float *y, const float *x) {
  float s = 0;
  for (int k = 0; k < 50; ++k)
    s += x[threadIdx.x * 50 + k];             // each block the same 256 * 50 elements
  y[blockIdx.x * 256 + threadIdx.x] = s;
}
struct P { float x, y, z, w, u; };
__global__ void fields(float *y, const P *p) {
  int i = blockIdx.x * 256 + threadIdx.x;
  y[i] = p[i].x + p[i].z;                     // 8 of 20 bytes of 4096 structures
}
__global__ void everyone(float *y, const float *x) {
  float s = 0;
  for (int k = 0; k < 64; ++k)
    s += x[k];                                // 256 bytes for all
  y[blockIdx.x * 256 + threadIdx.x] = s;
}
__global__ void chunks(float *x) {
  int t = blockIdx.x * 256 + threadIdx.x;
  for (int k = 0; k < 8; ++k)
    x[t * 8 + k] = 0;                         // 4096 threads, 8 elements each
}
__global__ void gather(float *y, const float *x, const int *at) {
  int i = blockIdx.x * 256 + threadIdx.x;
  y[i] = x[at[i]];                            // nobody knows
}
void launch(float *y, const float *x, const P *p, const int *at) {
  once<<<16, 256>>>(y, x);
  again<<<16, 256>>>(y);
  stencil<<<16, 256>>>(y, x);
  rows<<<16, 256>>>(y, x);
  fields<<<16, 256>>>(y, p);
  everyone<<<16, 256>>>(y, x);
  chunks<<<16, 256>>>(y);
  gather<<<16, 256>>>(y, x, at);
}
'''

HALF = '''#include <cuda_fp16.h>
#include <mma.h>
__global__ void halves(__half2 *h) {
  int i = blockIdx.x * 256 + threadIdx.x;
  h[i] = __hfma2(h[i], h[i], h[i]);           // 2 fused ones: 4
}
__global__ void product(float *c) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fa, __float2half(1.0f));
  wmma::fill_fragment(fb, __float2half(1.0f));
  wmma::fill_fragment(fc, 0.0f);
  for (int i = 0; i < 4; ++i)
    wmma::mma_sync(fc, fa, fb, fc);           // 4 times 2 * 16 * 16 * 16, by 32 lanes
  c[threadIdx.x] = fc.x[0];
}
__global__ void tiles(const half *a, float *c) {
  using namespace nvcuda;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::load_matrix_sync(fc, c, 16, wmma::mem_row_major);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
void launch(__half2 *h, half *a, float *c) {
  halves<<<16, 256>>>(h);
  product<<<1, 32>>>(c);
  tiles<<<1, 32>>>(a, c);
}
'''


class Work(ToolTest):
    def kernels(self, source, *options, toolkit=False):
        self.write('k.cu', source)
        report = self.report('k.cu', *options, toolkit=toolkit)
        return {kernel['name']: kernel for kernel in report['kernels']}

    def work(self, kernel):
        return kernel['roofline']['operationsPerThread']

    def test_arithmetic(self):
        found = self.kernels(ARITHMETIC)
        work = {name: self.work(kernel) for name, kernel in found.items()}
        self.assertEqual((work['types']['fp32'], work['types']['fp64'], work['types']['special']), (2, 3, 0))
        self.assertEqual(found['types']['roofline']['bytesPerThread'], 24)
        self.assertEqual((work['functions']['special'], work['functions']['fp32']), (3, 3))
        self.assertEqual(work['atomic']['fp32'], 1)
        self.assertEqual(found['atomic']['roofline']['bytesPerThread'], 8)
        self.assertEqual(work['calls']['fp32'], 90)
        self.assertEqual(found['calls']['roofline']['bytesPerThread'], 12 + 10 * 12 + 12)

    def test_loops(self):
        found = self.kernels(LOOPS)
        flops = {name: self.work(kernel)['fp32'] for name, kernel in found.items()}
        moved = {name: kernel['roofline']['bytesPerThread'] for name, kernel in found.items()}
        self.assertEqual(flops['constant'], 100 * (1 + 7 * 2))
        self.assertEqual(flops['long_loop'], 25000)
        self.assertEqual(flops['tree'], 255 / 256)
        self.assertEqual(moved['tree'], 4 + 4 / 256)
        self.assertEqual(flops['symbolic'], 'm*n')
        self.assertEqual(moved['symbolic'], '2*m*n + 4')
        self.assertEqual(flops['grid_stride'], '0.00390625*n/gridDim.x')
        self.assertEqual(moved['grid_stride'], '0.03125*n/gridDim.x')
        self.assertEqual(flops['known_stride'], 10000 / 1024)
        self.assertEqual(flops['tiles'], 'n')
        self.assertRegex(str(flops['by_data']), r'^\(iterations of the loop at line \d+\)$')
        # Two loops of one line have two counts: nothing follows for their ratio.
        self.assertIsInstance(found['two_by_data']['roofline']['intensity'], (str, type(None)))
        self.assertRegex(str(flops['triangle']), r'^\(iterations of the loop at line \d+\)\*n$')
        self.assertEqual((flops['guarded'], moved['guarded']), (1, 8))
        self.assertEqual((flops['half_guarded'], moved['half_guarded']), (0.25, 2))
        self.assertEqual(flops['do_while'], 12)

    def test_given_sizes_are_followed(self):
        flops = {name: self.work(kernel)['fp32']
                 for name, kernel in self.kernels(LOOPS, '--assume=n=64', '--assume=m=10').items()}
        self.assertEqual(flops['symbolic'], 64 * 5 * 2)
        self.assertEqual(flops['tiles'], 64)
        self.assertEqual(flops['triangle'], 64 * 65 / 2)

    def test_footprints(self):
        found = self.kernels(FOOTPRINTS)
        distinct = {name: kernel['roofline']['launch']['distinct'] for name, kernel in found.items()}
        self.assertEqual(distinct['once'], 2 * 16384)
        self.assertEqual(distinct['again'], 2 * 16384)
        self.assertEqual(distinct['stencil'], 16384 + 16384 + 8)
        self.assertEqual(distinct['rows'], 4 * 256 * 50 + 16384)
        self.assertEqual(distinct['fields'], 8 * 4096 + 16384)
        self.assertEqual(distinct['everyone'], 4 * 64 + 16384)
        self.assertEqual(distinct['chunks'], 4 * 8 * 4096)
        self.assertIsNone(distinct['gather'])

    def test_what_a_rare_condition_hides_is_said(self):
        found = self.kernels("""__global__ void rarely(float *x, const float *y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (n < 100)
    x[i] = y[2 * i];
  x[i] = 1;
}
__global__ void mostly(float *x, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n)
    x[i] += 1;
}
void launch(float *x, int n) { rarely<<<16, 256>>>(x, x, n); mostly<<<16, 256>>>(x, n); }
""")
        self.assertEqual(found['rarely']['roofline']['bytesPerThread'], 4)
        self.assertIn('what is done only where y[2 * i] at line 4 is reached does not count: large sizes make its condition unlikely',
                      found['rarely']['roofline']['assumptions'])
        self.assertEqual(found['mostly']['roofline']['assumptions'], [])

    def test_reuse(self):
        found = self.kernels(FOOTPRINTS)
        shared = {name: {each['base']: each['threads'] for each in kernel['roofline']['reuse']} for name, kernel in found.items()}
        self.assertEqual(shared['everyone'], {'x': 256})
        self.assertEqual(shared['stencil'], {'x': 2})  # 768 reads of 258 elements
        for name in ('once', 'again', 'rows', 'fields', 'chunks'):
            self.assertEqual(shared[name], {}, name)

    def test_half_precision_and_tensor_cores(self):
        for toolkit in [False] + ([True] if shutil.which('nvcc') or os.path.exists('/usr/local/cuda') else []):
            found = self.kernels(HALF, toolkit=toolkit)
            self.assertEqual(self.work(found['halves'])['fp16'], 4, toolkit)
            self.assertEqual(self.work(found['product'])['tensor'], 4 * 2 * 16 ** 3 / 32, toolkit)
            # How lanes share a fragment's bytes is not known: no numbers, and the reason.
            self.assertIsNone(found['tiles']['roofline']['bytesPerThread'], toolkit)
            self.assertIn('is not known', found['tiles']['roofline']['reason'], toolkit)


if __name__ == '__main__':
    harness.main()
