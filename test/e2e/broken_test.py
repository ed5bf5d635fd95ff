#!/usr/bin/env python3
"""Files that are broken, or that break the tool: what is sound is reported, and the other files of a run are untouched."""
import os
import unittest

import harness
from harness import STRIDE, ToolTest


class BrokenCode(ToolTest):
    def test_kernels_that_are_left_out_are_named(self):
        broken = '__global__ void broken(float *out) { out[threadIdx.x] = undeclared; }\n'
        report = self.report(self.write('half.cu', STRIDE + broken))
        self.assertEqual([kernel['name'] for kernel in report['kernels']], ['stride'])
        self.assertEqual([(error['line'], error['message']) for error in report['errors']],
                         [(5, "use of undeclared identifier 'undeclared'"),
                          (5, "kernel 'broken' is not analysed because of the errors in it or in what it uses")])
        report = self.report(self.write('whole.cu', STRIDE + broken.replace('undeclared', '1')))
        self.assertEqual((len(report['kernels']), report['errors']), (2, []))

    def test_few_errors(self):
        """Each message once, and no more of one file than a person reads; JSON has more."""
        same = ''.join(f'void f{n}(Thing *);\n' for n in range(50))
        other = ''.join(f'Type{n} v{n};\n' for n in range(30))
        name = self.write('many.cu', same + other + '#include "thing.h"\n' + STRIDE)
        run = self.run_tool(name)
        self.assertEqual(run.stdout.count('error: '), 21)
        self.assertTrue(run.stdout.startswith("many.cu:81:10: error: 'thing.h' file not found\n"), run.stdout)
        self.assertIn("many.cu:1:9: error: unknown type name 'Thing' (and 49 more places)\n", run.stdout)
        self.assertIn('many.cu: error: 12 more errors are not shown; --format=json has them\n', run.stdout)
        self.assertIn('[global-stride]', run.stdout)
        self.assertEqual(len(self.report(name)['errors']), 32)

    def test_a_broken_helper_is_unknown(self):
        """What a helper without a body may have written is not known afterwards, however it gets there."""
        name = self.write('helper.cu', '''struct View { int *at; };
__device__ void change(View view) { *view.at = lost; }
__global__ void kernel(float *out) {
  int step = 1;
  View view{&step};
  out[threadIdx.x * step] = 1;
  change(view);
  out[threadIdx.x * step] = 2;
}
void launch(float *out) { kernel<<<1, 32>>>(out); }
''')
        kernel, = self.report(name)['kernels']
        found = {access['line']: (access['confidence'], access.get('sectors')) for access in kernel['accesses'] if access['base'] == 'out'}
        self.assertEqual(found, {6: ('exact', 4), 8: ('unknown', None)})

    def test_objects_of_broken_templates(self):
        """Code generation does not meet them, though host code that launches their kernel uses them."""
        name = self.write('objects.cu', STRIDE + '''template <class T> struct Tile {
  T row[32];
  __device__ Tile() { for (void i = 0; i < 32; ++i) row[i] = 1; }
};
template <class T> __global__ void broken(T *out) {
  __shared__ Tile<T> tile;
  auto generic = [&](auto i) {
    __shared__ Tile<T> inner;
    inner.row[i] = 2;
    return i;
  };
  out[threadIdx.x] = tile.row[generic(threadIdx.x)];
}
__shared__ Tile<float> everywhere;
void launch(float *out) { broken<<<1, 32>>>(out); }
''')
        report = self.report(name)
        self.assertEqual([kernel['name'] for kernel in report['kernels']], ['stride'])
        self.assertIn("kernel 'broken' is not analysed because of the errors in it or in what it uses",
                      [error['message'] for error in report['errors']])


class Limits(ToolTest):
    """Whatever one file does, the next one is analysed, and the run ends by itself."""

    def after(self, name, says, *options, status=2):
        report = self.report(*options, name, self.write('next.cu', STRIDE), status=status)
        self.assertEqual([kernel['name'] for kernel in report['kernels']], ['stride'])
        self.assertIn(says, ' '.join(error['message'] for error in report['errors'] if error['file'] == self.path(name)))

    def test_crashes(self):
        self.needs_crash_recovery()
        for pragma in ('crash', 'parser_crash', 'llvm_fatal_error'):
            name = self.write(pragma + '.cu', f'#pragma clang __debug {pragma}\n')
            self.after(name, 'Clang gave up' if pragma == 'llvm_fatal_error' else 'crashed')

    def test_stack_overflow(self):
        self.needs_crash_recovery()
        self.after(self.write('deep.cu', f'int deep = {"!" * 600000}1;\n'), 'very deep nesting')

    def test_time(self):
        self.needs_crash_recovery()
        template = 'template <int N, unsigned long M> struct X { X<N - 1, 2 * M> a; X<N - 1, 2 * M + 1> b; };\n' \
                   'template <unsigned long M> struct X<0, M> {};\nX<%d, 1> x;\n'
        self.after(self.write('slow.cu', template % 40), 'time limit of 5 s', '--file-time-limit=5')
        report = self.report('--file-time-limit=100', self.write('fast.cu', template % 4 + STRIDE))
        self.assertEqual((len(report['kernels']), report['errors']), (1, []))

    def test_standstill(self):
        """Where Clang never comes back to us, its thread is left behind. (Other builds of Clang crash here.)"""
        self.after(self.write('loop.cu', '#pragma clang __debug overflow_stack\n'), 'this file', '--file-time-limit=5')

    def test_files_that_are_no_files(self):
        os.mkfifo(self.path('pipe.cu'))
        os.mkfifo(self.path('pipe.h'))
        self.after('pipe.cu', 'it is not a regular file')
        name = self.write('includes.cu', '#include "pipe.h"\n#include "/dev/zero"\n' + STRIDE)
        report = self.report(name)
        self.assertEqual(len(report['kernels']), 1)
        self.assertEqual({error['file'] for error in report['errors'] if 'it is not a regular file' in error['message']},
                         {self.path('pipe.h'), '/dev/zero'})

    def test_a_kernel_without_end(self):
        """A function with branches without number costs its own accesses, not the file."""
        cases = ''.join(f'case {n}: out[{n}] = 1; break;\n' for n in range(10000))
        name = self.write('switch.cu', STRIDE + '__global__ void huge(float *out, int n) { switch (n) {\n' + cases + '} }\n')
        report = self.report(name)
        stride, huge = report['kernels']
        self.assertEqual(stride['accesses'][0]['confidence'], 'exact')
        self.assertEqual({access['confidence'] for access in huge['accesses']}, {'unknown'})
        self.assertIn('more branches than are allowed', huge['accesses'][0]['reason'])


if __name__ == '__main__':
    harness.main()
