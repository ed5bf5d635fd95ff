#!/usr/bin/env python3
"""What a finding and an access say beside the numbers: the call that leads into a helper, the text of an offset."""
import os

import harness
from harness import ToolTest

HELPERS = '''__device__ void put(float *a, int i) { a[i * 32] = 1; }
__device__ void twice(float *a) { put(a, threadIdx.x); }
__global__ void direct(float *a) { a[threadIdx.x * 32] = 1; }
__global__ void called(float *a) { put(a, threadIdx.x); }
__global__ void nested(float *b) {
  twice(b);
}
void launches(float *a) { direct<<<1, 64>>>(a); KERNEL<<<1, 64>>>(a); }
'''

OFFSETS = '''__global__ void offsets(float *a, int n, int w) {
  a[__mul24(threadIdx.x, w)] = 1;
  a[n / w * 4 + threadIdx.x] = 1;
  a[n / w / 4 * 4 + threadIdx.x] = 1;
  a[(n % w) / 4 + threadIdx.x] = 1;
  a[(n & ~31) + threadIdx.x] = 1;
}
void launch(float *a, int n, int w) { offsets<<<1, 64>>>(a, n, w); }
'''


LIBRARY = '''#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ bool positive(const int *x) {
  return x[threadIdx.x] > 0; }
__global__ void barrier(float *x, const int *y) {
  cg::this_grid().sync();
  auto tile = cg::binary_partition(cg::tiled_partition<32>(cg::this_thread_block()), y[threadIdx.x] > 0);
  if (tile.size() > 3)
    x[0] = 1;
}
'''


class Words(ToolTest):
    def calls(self, kernel):
        """By line of a finding: the lines of the calls that its notes name."""
        report = self.report(self.write('helpers.cu', HELPERS.replace('KERNEL', kernel)))
        return {f['line']: [n['line'] for n in f['notes'] if n['message'] == 'called from here'] for f in report['findings']}

    def test_call_of_a_helper(self):
        self.assertEqual(self.calls('called'), {1: [4], 3: []})

    def test_outermost_call(self):
        self.assertEqual(self.calls('nested<<<1, 64>>>(a); nested'), {1: [6], 3: []})

    def test_offsets(self):
        kernel, = self.report(self.write('offsets.cu', OFFSETS))['kernels']
        self.assertEqual([access['offset'] for access in kernel['accesses']],
                         ['4*w*threadIdx.x', '4*threadIdx.x + 16*`n / w`', '4*threadIdx.x + 16*(`n / w` / 4)',
                          '4*threadIdx.x + 4*((n % w) / 4)', '4*threadIdx.x + 4*(n & -32)'])

    def test_assumption_about_a_remainder(self):
        source = OFFSETS.replace('a[(n & ~31) + threadIdx.x] = 1;', 'for (int i = 0; i < (n & 3); ++i) a[32 * i + threadIdx.x] = 1;')
        kernel, = self.report(self.write('remainder.cu', source))['kernels']
        self.assertIn('mod(n, 4) is 0', kernel['accesses'][-1]['assumptions'])

    def test_code_of_a_library(self):
        # The barrier's own memory is not listed, and a condition in the library is at the user's call of it.
        if not os.path.exists('/usr/local/cuda/include/cooperative_groups.h'):
            self.skipTest('no toolkit')
        kernel, = self.report(self.write('library.cu', LIBRARY), toolkit=True)['kernels']
        self.assertEqual(sorted(access['line'] for access in kernel['accesses']), [7, 9])
        conditions = [text.split(' depends')[0] for text in kernel['accesses'][-1]['assumptions'] if 'on data' in text]
        self.assertEqual(conditions[-1], 'the condition at line 8')
        self.assertNotIn('the condition at line 68', conditions)

    def test_calls_that_are_not_followed(self):
        source = '''typedef int (*Pick)(const int *);
__device__ int own(const int *p) { return p[threadIdx.x]; }
__device__ Pick picks[2] = {own, own};
__global__ void k(int *out, const int *in, int n) {
  Pick pick = PICK;
  out[threadIdx.x] = pick(in) + pick(in);
}
'''
        self.write('known.cu', source.replace('PICK', 'own'))
        self.write('unknown.cu', source.replace('PICK', 'picks[n]'))
        self.assertEqual(self.run_tool('known.cu').stderr.count('not followed'), 0)
        self.assertEqual(len([a for k in self.report('known.cu')['kernels'] for a in k['accesses'] if a['line'] == 2]), 1)
        for run in range(2): # the second comes from the cache
            note, = [line for line in self.run_tool('unknown.cu').stderr.splitlines() if 'not followed' in line]
            self.assertIn('unknown.cu:6:22: the call is not followed', note)
            self.assertIn('and so for 1 more', note)
        calls = [a for k in self.report('unknown.cu')['kernels'] for a in k['accesses'] if 'not followed' in a.get('reason', '')]
        self.assertEqual([(a['line'], a['expression'], a['confidence']) for a in calls], [(6, 'pick(in)', 'unknown')] * 2)


if __name__ == '__main__':
    harness.main()
