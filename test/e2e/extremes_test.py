#!/usr/bin/env python3
"""Launches and indices at the ends of what numbers hold."""
import harness
from harness import ToolTest

LAUNCH = '''__global__ void k(float *a, int n) { a[threadIdx.x] = n; }
void launch(float *a) { k<<<dim3(%s), 32>>>(a, 1); }
'''
FAR = '''__global__ void k(float *a) { a[threadIdx.x %s] = 1; }
void launch(float *a) { k<<<1, 32>>>(a); }
'''
# 2^N calls. Not among the inputs that are mutated: a compiler that is led astray there takes 2^1024.
STEPS = '''template <int N> __device__ int leaves() { return leaves<N - 1>() + leaves<N - 1>(); }
template <> __device__ int leaves<0>() { return 1; }
__global__ void k(float *a) { a[threadIdx.x * (leaves<%d>() >> %d)] = 0; }
void launch(float *a) { k<<<1, 32>>>(a); }
'''


class Extremes(ToolTest):
    def access(self, source):
        kernel, = self.report(self.write('extreme.cu', source))['kernels']
        access, = kernel['accesses']
        return access

    def test_totals_of_a_large_grid(self):
        access = self.access(LAUNCH % '0x7fffffff, 2')
        self.assertEqual((access['confidence'], access['total']['requests'], access['total']['sectors']),
                         ('exact', 2 * 0x7fffffff, 8 * 0x7fffffff))

    def test_no_totals_beyond_what_sums_hold(self):
        access = self.access(LAUNCH % '0x7fffffff, 65535, 65535')
        self.assertEqual((access['confidence'], access['sectors'], access['total']), ('exact', 4, None))

    def test_index_beyond_any_memory(self):
        access = self.access(FAR % '* (1ll << 57)')
        self.assertEqual((access['confidence'], access['reason']), ('unknown', 'the index leads out of any memory'))

    def test_index_that_is_merely_far(self):
        access = self.access(FAR % '* (1ll << 40)')
        self.assertEqual((access['confidence'], access['lines']), ('exact', 32))

    def test_kernels_of_many_steps(self):
        access = self.access(STEPS % (16, 15))
        self.assertEqual((access['confidence'], access['lines'], access['sectors']), ('exact', 2, 8))

    def test_kernels_of_too_many_steps(self):
        access = self.access(STEPS % (23, 22))
        self.assertEqual(access['confidence'], 'unknown')
        self.assertIn('budget', access['reason'])


if __name__ == '__main__':
    harness.main()
