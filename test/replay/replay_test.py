#!/usr/bin/env python3
"""warplint-replay as a command: what it prints, where, and its exit statuses.

usage: replay_test.py WARPLINT-REPLAY [unittest arguments]
"""
import json
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'e2e'))
import harness

VECTOR_ADD = '''#include <cstdio>
#include <cstdlib>
__global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}
int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000;
  const size_t bytes = n * sizeof(float);
  float *a, *b, *c, *h = (float *)malloc(bytes);
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMalloc(&c, bytes);
  for (int i = 0; i < n; ++i)
    h[i] = i;
  cudaMemcpy(a, h, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(b, h, bytes, cudaMemcpyHostToDevice);
  add<<<(n + 255) / 256, 256>>>(a, b, c, n);
  cudaMemcpy(h, c, bytes, cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < n; ++i)
    bad += h[i] != 2 * i;
  printf("%d of %d are wrong\\n", bad, n);
  return bad != 0;
}
'''
TRANSPOSE = '''#include <cuda_runtime.h>
__global__ void transpose(float *out, const float *in, int n) {
  __shared__ float tile[32][WIDTH];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 64 * 64 * 4);
  cudaMalloc(&out, 64 * 64 * 4);
  transpose<<<dim3(2, 2), dim3(32, 32)>>>(out, in, 64);
  return cudaDeviceSynchronize();
}
'''
BEYOND = '''#include <cuda_runtime.h>
__global__ void fill(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    p[i] = i;
}
int main() {
  int *p;
  cudaMalloc(&p, 256);
  fill<<<1, 128>>>(p, LAST);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 7;
}
'''


# More warps than are recorded; thread 33 of the block that is asked for takes the index that is asked for.
MIDDLE = '''#include <cstdlib>
constexpr int Threads = 64;
__device__ void put(float *p, int at, float value) {
  p[at] = value;
}
__global__ void global(float *p, int block, int index) {
  int i = blockIdx.x * Threads + threadIdx.x;
  put(p, blockIdx.x == block && threadIdx.x == 33 ? index : i, i);
}
__global__ void shared(float *p, int block, int index) {
  __shared__ float tile[Threads];
  tile[blockIdx.x == block && threadIdx.x == 33 ? index : threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[blockIdx.x * Threads + threadIdx.x] = tile[0];
}
__global__ void vectors(float *p, int block, int index) {
  int i = blockIdx.x * Threads + threadIdx.x;
  *(float2 *)(p + (blockIdx.x == block && threadIdx.x == 33 ? index : i / 2 * 2)) = make_float2(i, i);
}
int main(int argc, char **argv) {
  float *p;
  const int blocks = 6001, block = atoi(argv[1]);
  cudaMalloc(&p, blocks * Threads * sizeof(float));
  for (int i = 2; i + 1 < argc; i += 2) {
    void (*kernel)(float *, int, int) = *argv[i] == 'g' ? global : *argv[i] == 's' ? shared : vectors;
    kernel<<<blocks, Threads>>>(p, block, atoi(argv[i + 1]));
  }
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 7;
}
'''


class ReplayTest(harness.ToolTest):
    def setUp(self):
        super().setUp()
        self.write('add.cu', VECTOR_ADD)

    def accesses(self, report, operation=None):
        return [a for k in report['kernels'] for a in k['accesses'] if operation in (None, a['operation'])]

    def replay(self, *arguments, **options):
        return json.loads(self.run_tool('--format=json', *arguments, **options).stdout)

    def test_counts_of_a_vector_addition(self):
        report = self.replay('add.cu')
        self.assertEqual(report['schema'], 'warplint-replay/1')
        kernel, = report['kernels']
        self.assertEqual((kernel['name'], kernel['grid'], kernel['block'], kernel['arguments']), ('add', [4, 1, 1], [256, 1, 1], {'n': 1000}))
        self.assertTrue(kernel['measured'] and kernel['complete'])
        self.assertEqual(sorted(a['expression'] for a in kernel['accesses']), ['a[i]', 'b[i]', 'c[i]'])
        for access in kernel['accesses']:
            # 31 whole warps and one of 8 lanes.
            self.assertEqual(access['total'], {'requests': 32, 'sectors': 125, 'idealSectors': 125, 'wavefronts': 0})
            self.assertEqual((access['lines'], access['sectors']), (1, 4))

    def test_the_same_without_and_with_a_toolkit(self):
        if not shutil.which('nvcc') and not os.path.exists('/usr/local/cuda/include/cuda_runtime.h'):
            self.skipTest('no CUDA toolkit')
        self.assertEqual(self.replay('add.cu')['kernels'], self.replay('add.cu', toolkit=True)['kernels'])

    def test_padding_takes_the_conflict_away(self):
        self.write('t.cu', TRANSPOSE)
        for width, ways in ((32, 32), (33, 1)):
            report = self.replay(f'--extra-arg=-DWIDTH={width}', 't.cu')
            load, = [a for a in self.accesses(report, 'load') if a['space'] == 'shared']
            self.assertEqual((load['conflictWays'], load['wavefronts'], load['total']['wavefronts']), (ways, ways, 128 * ways))

    def test_tables(self):
        self.write('t.cu', TRANSPOSE)
        run = self.run_tool('--extra-arg=-DWIDTH=32', 't.cu')
        self.assertIn('t.cu:2: transpose(float *, const float *, int)', run.stdout)
        self.assertIn('grid 2x2, block 32x32, n=64; 1 launch, 128 warps', run.stdout)
        row, = [line for line in run.stdout.splitlines() if 'load tile[threadIdx.x][threadIdx.y]' in line]
        self.assertEqual(row.split()[:9], ['7:78', '128', '32', '32', '32', '32', '32', '4096', '128'])

    def test_output_of_the_program(self):
        run = self.run_tool('add.cu')
        self.assertTrue(run.stdout.startswith('0 of 1000 are wrong\n'), run.stdout)
        run = self.run_tool('--format=json', 'add.cu')
        self.assertTrue(run.stdout.startswith('{'), run.stdout)
        self.assertIn('0 of 1000 are wrong\n', run.stderr)

    def test_arguments_of_the_program(self):
        kernel, = self.replay('add.cu', '--', '77')['kernels']
        self.assertEqual((kernel['arguments'], kernel['grid']), ({'n': 77}, [1, 1, 1]))

    def test_status_of_the_program_is_a_note(self):
        self.write('seven.cu', 'int main() { return 7; }\n')
        run = self.run_tool('seven.cu')
        self.assertIn('note: the program exited with status 7', run.stderr)
        self.assertIn('no kernel was launched', run.stdout)
        self.assertEqual(self.replay('seven.cu')['program']['status'], 7)

    def test_compare_agrees(self):
        # What comes from the command line is assumed.
        self.assertEqual(self.replay('--compare', 'add.cu')['comparison']['counts'], {'agreed-assumed': 3})
        self.write('add.cu', VECTOR_ADD.replace('argc > 1 ? atoi(argv[1]) : 1000', '1000'))
        self.assertEqual(self.replay('--compare', 'add.cu')['comparison']['counts'], {'agreed-exact': 3})
        self.assertIn('3      agreed exactly', self.run_tool('--compare', 'add.cu').stdout)

    def test_compare_knows_what_exact_rests_on(self):
        """An allocation's start, or a pointer one element behind it."""
        source = '#include <cuda_runtime.h>\n__global__ void k(int *p) { p[threadIdx.x] = 1; }\n' \
                 'int main() { int *p; cudaMalloc(&p, 512); k<<<1, 32>>>(p + OFFSET); return cudaDeviceSynchronize(); }\n'
        for offset, counts in ((0, {'agreed-exact': 1}), (1, {'not-fulfilled': 1}), (64, {'agreed-exact': 1})):
            self.write('k.cu', source.replace('OFFSET', str(offset)))
            self.assertEqual(self.replay('--compare', 'k.cu')['comparison']['counts'], counts)

    def test_tables_of_mathematical_functions_are_not_the_programs(self):
        self.write('sine.cu', '''__global__ void k(double *x) { x[threadIdx.x] = sin(x[threadIdx.x] + 1e6 * threadIdx.x); }
int main() {
  double *x;
  cudaMalloc(&x, 1024);
  cudaMemset(x, 0, 1024);
  k<<<1, 32>>>(x);
  return cudaDeviceSynchronize();
}
''')
        for toolkit in (False, True):
            counts = self.replay('--compare', 'sine.cu', toolkit=toolkit)['comparison']['counts']
            self.assertEqual(counts, {'agreed-exact': 2})

    def test_compare_puts_the_two_side_by_side(self):
        first = next(each for each in self.replay('--compare', 'add.cu')['comparison']['accesses'] if each['operation'] == 'store')
        self.assertEqual((first['measured'], first['predicted']), ({'lines': 1, 'sectors': 4}, {'lines': 1, 'sectors': 4}))
        self.assertRegex(self.run_tool('--compare', 'add.cu').stdout, r'add\.cu:6:5 +1 line, 4 sectors +1 line, 4 sectors, \w+ +store c\[i\]')

    def test_compare_says_what_is_unknown(self):
        self.write('gather.cu', VECTOR_ADD.replace('a[i] + b[i]', 'a[(int)b[i]] + 1').replace('2 * i', 'i + 1'))
        report = self.replay('--compare', 'gather.cu')
        self.assertEqual(report['comparison']['counts'], {'agreed-assumed': 2, 'unknown': 1})

    def test_virtual_calls(self):
        """Followed where the class is known; else the call says so on both sides, and its own two loads have the call's place."""
        self.write('shapes.cu', '''struct Shape { __device__ virtual float area(const float *p) const = 0; };
struct Square : Shape {
  __device__ float area(const float *p) const override { return p[threadIdx.x]; }
};
__global__ void known(float *out, const float *in) {
  Square s;
  const Shape *p = &s;
  out[threadIdx.x] = p->area(in);
}
__global__ void make(Shape **shapes) { shapes[0] = new Square; }
__global__ void unknown(float *out, Shape **shapes, const float *in) {
  out[threadIdx.x] = shapes[0]
      ->area(in);
}
int main() {
  float *out, *in;
  Shape **shapes;
  cudaMalloc(&out, 128);
  cudaMalloc(&in, 128);
  cudaMalloc(&shapes, 8);
  make<<<1, 1>>>(shapes);
  if (KNOWN)
    known<<<1, 32>>>(out, in);
  else
    unknown<<<1, 32>>>(out, shapes, in);
  return cudaDeviceSynchronize();
}
''')
        def verdicts(known):
            comparison = self.replay('--compare', f'--extra-arg=-DKNOWN={known}', 'shapes.cu')['comparison']
            return sorted((a['line'], a['operation'], a['verdict']) for a in comparison['accesses'] if not a['kernel'].startswith('make'))
        self.assertEqual(verdicts(1), [(3, 'load', 'agreed-exact'), (8, 'load', 'agreed-exact'), (8, 'store', 'agreed-exact')])
        self.assertEqual(verdicts(0),
                         [(3, 'load', 'not-followed'), (12, 'load', 'agreed-exact'), (12, 'store', 'agreed-exact'), (13, 'load', 'agreed-assumed')])

    def test_outside_of_an_allocation(self):
        self.write('beyond.cu', BEYOND)
        run = self.run_tool('--extra-arg=-DLAST=64', 'beyond.cu', status=1)
        for words in ('beyond.cu:5:', 'fill(int', 'thread (64,0,0)', 'block (0,0,0)', 'status 7'):
            self.assertIn(words, run.stderr)
        report = self.replay('--extra-arg=-DLAST=64', 'beyond.cu', status=1)
        self.assertEqual([(e['kind'], e['line'], e['thread']) for e in report['errors']], [('out-of-bounds', 5, [64, 0, 0])])
        self.assertEqual(self.replay('--extra-arg=-DLAST=63', 'beyond.cu')['errors'], [])

    def middle(self, *arguments, status):
        self.write('middle.cu', MIDDLE)
        report = self.replay('middle.cu', '--', *map(str, arguments), status=status)
        for kernel in report['kernels']:
            self.assertEqual((kernel['warps'], kernel['complete']), (6001 * 2, False))
        return report

    def test_mistakes_in_a_block_that_is_not_sampled(self):
        block, count = 1501, 6001 * 64
        self.assertNotIn(block, {i * 6000 // 2047 for i in range(2048)}) # those that are
        for kernel, index, kind, line, says in (
                ('global', count, 'out-of-bounds', 4, f'(element {count} of {count})'),
                ('global', -1, 'out-of-bounds', 4, f'(element -1 of {count})'),
                ('shared', 64, 'out-of-bounds', 12, "byte 256 of the block's 256 bytes of shared memory"),
                ('vectors', 101, 'misaligned', 18, 'not a multiple of 8')):
            with self.subTest(kernel=kernel, index=index):
                error, = self.middle(block, kernel, index, status=1)['errors']
                self.assertEqual((error['kind'], error['line'], error['block'], error['thread']), (kind, line, [block, 0, 0], [33, 0, 0]))
                self.assertIn(kernel + '(float', error['kernel'])
                self.assertIn(says, error['message'])

    def test_no_mistake_in_a_block_that_is_not_sampled(self):
        right = ('global', 6001 * 64 - 1, 'global', 0, 'shared', 63, 'vectors', 100)
        self.assertEqual(self.middle(1501, *right, status=0)['errors'], [])

    def test_constants_that_the_host_writes(self):
        self.write('constants.cu', '''#include <cstdio>
static __constant__ float own[4];
__constant__ float all[4];
static __constant__ float begun[4] = {1, 2, 3, 4};
__global__ void k(float *out) { out[threadIdx.x] = own[threadIdx.x] + all[threadIdx.x] + begun[threadIdx.x]; }
int main() {
  float h[4] = {10, 20, 30, 40}, *out;
  cudaMalloc(&out, 16);
  cudaMemcpyToSymbol(own, h, 16);
  cudaMemcpyToSymbol(all, h, 16);
  k<<<1, 4>>>(out);
  cudaMemcpyToSymbol(begun, h, 16);
  cudaMemcpy(h, out, 16, cudaMemcpyDeviceToHost);
  printf("%g", h[3]);
  k<<<1, 4>>>(out);
  cudaMemcpy(h, out, 16, cudaMemcpyDeviceToHost);
  printf(" %g\\n", h[3]);
}
''')
        self.assertEqual(self.run_tool('constants.cu').stdout.splitlines()[0], '84 120')

    def test_what_cannot_be_replayed(self):
        self.write('tensor.cu', '''__global__ void k(float *out, bool wanted) {
  float d[4] = {};
  if (wanted)
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(0));
  out[threadIdx.x] = d[0];
}
int main(int argc, char **) {
  float *out;
  cudaMalloc(&out, 1024);
  k<<<1, 32>>>(out, argc > 1);
  return cudaDeviceSynchronize();
}
''')
        reached = self.run_tool('tensor.cu', '--', 'wanted', status=2)
        self.assertRegex(reached.stderr, r'tensor\.cu:4: error: a tensor-core operation \(the PTX instruction mma\.sync.*\) cannot be replayed')
        self.run_tool('tensor.cu') # not reached

    def test_errors_of_the_compiler(self):
        self.write('bad.cu', '__global__ void k(int *p) { *p = undeclared; }\nint main() {}\n')
        self.fails('bad.cu', says=["bad.cu:1:", "use of undeclared identifier 'undeclared'"])
        self.write('bad.cu', '__global__ void k(int *p) {}\nint main() {\n  return undeclared;\n}\n')
        self.fails('bad.cu', says=["bad.cu:3:", "use of undeclared identifier 'undeclared'"])

    def test_bad_names_and_options(self):
        self.fails('none.cu', says=["no such file: 'none.cu'"])
        self.fails(says=['no input files'])
        self.fails('--max-warps=x', 'add.cu', says=["expected a number from 0 on, not 'x'"])
        self.fails('--format=xml', 'add.cu', says=['expected text or json'])

    def test_what_is_not_there_at_link(self):
        self.write('lonely.cu', 'void elsewhere(int);\nint main() { elsewhere(1); }\n')
        self.fails('lonely.cu', says=['elsewhere(int)', 'name the other files'])

    def test_several_files(self):
        """Kernels and variables of the same names in two of them, and a plain file that calls both."""
        for name, value in (('one', 1), ('two', 2)):
            self.write(name + '.cu', f'''#include <cuda_runtime.h>
__constant__ int value = {value};
static __global__ void set(int *p) {{ p[{value} * threadIdx.x] = value; }}
int {name}() {{
  int *p, h;
  cudaMalloc(&p, 4096);
  set<<<1, 32>>>(p);
  cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
  return h;
}}
''')
        self.write('main.cpp', '#include <cstdio>\n#include <cuda_runtime.h>\nint one(); int two();\n'
                               'int main() { dim3 unused(1); std::printf("%d %d\\n", one(), two()); }\n')
        run = self.run_tool('--format=json', 'one.cu', 'main.cpp', 'two.cu')
        self.assertIn('1 2\n', run.stderr)
        kernels = json.loads(run.stdout)['kernels']
        self.assertEqual([os.path.basename(k['file']) for k in kernels], ['one.cu', 'two.cu'])
        self.assertEqual([a['sectors'] for k in kernels for a in k['accesses'] if a['operation'] == 'store'], [4, 8])

    def test_device_code_of_several_files(self):
        self.write('helper.cu', '__device__ int twice(const int *p) { return 2 * p[threadIdx.x]; }\n')
        self.write('main.cu', '''#include <cuda_runtime.h>
#include <cstdio>
extern __device__ int twice(const int *);
__global__ void k(int *out, const int *in) { out[threadIdx.x] = twice(in); }
int main() {
  int *in, *out, h[32];
  cudaMalloc(&in, 128);
  cudaMalloc(&out, 128);
  for (int i = 0; i < 32; ++i)
    h[i] = i;
  cudaMemcpy(in, h, 128, cudaMemcpyHostToDevice);
  k<<<1, 32>>>(out, in);
  cudaMemcpy(h, out, 128, cudaMemcpyDeviceToHost);
  std::printf("%d\\n", h[31]);
}
''')
        run = self.run_tool('--format=json', 'main.cu', 'helper.cu')
        self.assertIn('62\n', run.stderr)
        report = json.loads(run.stdout)
        self.assertEqual(sorted(os.path.basename(a['file']) for a in self.accesses(report)), ['helper.cu', 'main.cu'])

    def test_a_sample_of_a_large_grid(self):
        report = self.replay('--max-warps=64', 'add.cu', '--', '1000000')
        kernel, = report['kernels']
        self.assertFalse(kernel['complete'])
        self.assertLessEqual(kernel['recordedWarps'], 64)
        self.assertEqual({a['confidence'] for a in kernel['accesses']}, {'assumed'})
        self.assertTrue(self.replay('--max-warps=0', 'add.cu', '--', '100000')['kernels'][0]['complete'])

    def test_time_limit(self):
        self.write('forever.cu', '__global__ void k(volatile int *p) { while (!*p) {} }\n'
                                 'int main() { int *p; cudaMalloc(&p, 4); k<<<1, 1>>>(p); return cudaDeviceSynchronize(); }\n')
        run = self.run_tool('--time-limit=2', 'forever.cu', status=2)
        self.assertIn('ended after 2 s', run.stderr)

    def test_the_gpu_that_the_program_sees(self):
        self.write('gpu.cu', '''#include <cstdio>
int main() {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  printf("%s, %d.%d, %d\\n", p.name, p.major, p.minor, p.multiProcessorCount);
}
''')
        for said, seen in (([], 'NVIDIA A100-SXM4-40GB, 8.0, 108'), (['--gpu=rtx4090'], 'GeForce RTX 4090, 8.9, 128'),
                           (['--gpu=major=9;minor=0'], 'NVIDIA A100-SXM4-40GB, 9.0, 108')):
            self.assertEqual(self.run_tool(*said, 'gpu.cu').stdout.splitlines()[0], seen)
        self.assertIn("'rtx409'", self.run_tool('--gpu=rtx409', 'gpu.cu', status=2).stderr)

    def test_keeps_what_it_made(self):
        self.run_tool('--keep=made', 'add.cu')
        self.assertTrue(os.access(self.path('made/program'), os.X_OK))
        self.assertTrue(os.path.exists(self.path('made/measurement.json')))

    def test_flags_of_the_database(self):
        self.write('t.cu', TRANSPOSE)
        self.database('build', [('t.cu', ['-DWIDTH=33'])])
        report = self.replay('-p', 'build', 't.cu')
        self.assertEqual({a['conflictWays'] for a in self.accesses(report) if a['space'] == 'shared'}, {1})

    def test_nothing_of_a_command_is_run(self):
        trap = os.path.join(self.folder, 'trap')
        self.write('trap', '#!/bin/sh\ntouch sprung\n')
        os.chmod(trap, 0o755)
        commands = [{'directory': self.folder, 'file': 'add.cu', 'arguments': [trap, '-ccbin', trap, '-c', 'add.cu']}]
        self.write('build/compile_commands.json', json.dumps(commands))
        self.run_tool('-p', 'build', 'add.cu', status=None)
        self.assertFalse(os.path.exists(self.path('sprung')))


if __name__ == '__main__':
    harness.main()
