#!/usr/bin/env python3
"""The kernel as a whole through the tool: roofline, occupancy, efficiency, --report and the options about them."""
import os
import pty
import re
import shutil
import subprocess
import unittest

import harness
from harness import CLEAN, ToolTest

# The worked example: a product of matrices without and with tiles of 32 x 32, and a kernel with nothing to reuse.
PRODUCT = '''constexpr int TILE = 32;
__global__ void naive(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
__global__ void tiled(const float *a, const float *b, float *c, int n) {
  __shared__ float ta[TILE][TILE], tb[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float sum = 0;
  for (int t = 0; t < n; t += TILE) {
    ta[y][x] = a[row * n + t + x];
    tb[y][x] = b[(t + y) * n + column];
    __syncthreads();
    for (int k = 0; k < TILE; ++k)
      sum += ta[y][k] * tb[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
__global__ void add(const float *x, const float *y, float *z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  z[i] = x[i] + y[i];
}
void launch(const float *a, const float *b, float *c, int n) {
  dim3 block(32, 32), grid(n / 32, n / 32);
  naive<<<grid, block>>>(a, b, c, n);
  tiled<<<grid, block>>>(a, b, c, n);
  add<<<4096, 256>>>(a, b, c);
}
'''

# What needs something of an SM. The log is nvcc 13.0's for this very text, for sm_80 and sm_90:
#   nvcc -Xptxas -v -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -c needs.cu
NEEDS = '''template <int T> __global__ void fixed(float *x) {
  __shared__ float tile[T];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[T - 1 - threadIdx.x];
}
__global__ void dynamic(float *x) {
  extern __shared__ float pool[];
  pool[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = pool[255 - threadIdx.x];
}
__global__ void __launch_bounds__(256, 4) bounded(float *x) { x[threadIdx.x] *= 2; }
namespace inner {
static __global__ void hidden(float *x) { x[threadIdx.x] += 1; }
}
void launch(float *x, int bytes) {
  fixed<4096><<<64, 256>>>(x);
  dynamic<<<64, 256, 40000>>>(x);
  dynamic<<<64, 256, bytes>>>(x);
  bounded<<<64, 256>>>(x);
  inner::hidden<<<64, 96>>>(x);
}
'''
LOG = os.path.join(harness.ROOT, 'test', 'e2e', 'data', 'needs.log')


class VerdictTest(ToolTest):
    def kernels(self, *arguments, **options):
        """By name; launches of one kernel one after the other."""
        found = {}
        for kernel in self.report(*arguments, **options)['kernels']:
            found.setdefault(kernel['name'], []).append(kernel)
        return found


class WorkedExample(VerdictTest):
    def setUp(self):
        super().setUp()
        self.name = self.write('product.cu', PRODUCT)

    def roofline(self, kernel, *arguments):
        return self.kernels(*arguments, self.name)[kernel][0]['roofline']

    def test_naive(self):
        found = self.roofline('naive', '--gpu=seed-20-1')
        self.assertEqual((found['flopsPerThread'], found['bytesPerThread']), ('2*n', '8*n + 4'))
        self.assertEqual((found['intensity'], found['machineBalance'], found['boundBy'], found['crossoverTile']),
                         (0.25, 20, 'memory', 80))
        self.assertEqual(sorted(each['base'] for each in found['reuse'] if each['inLoop']), ['a', 'b'])
        self.assertEqual({each['threads'] for each in found['reuse']}, {32})
        tile = found['suggestedTile']
        self.assertEqual((tile['edge'], tile['bytes'], tile['budget'], tile['intensity']), (32, 8192, 49152, 8))
        self.assertEqual((tile['largerEdge'], tile['largerBytes'], tile['resultsPerThread']), (64, 32768, 4))

    def test_tiled(self):
        found = self.roofline('tiled', '--gpu=seed-20-1')
        self.assertEqual((found['intensity'], found['intensityText'], found['boundBy'], found['crossoverTile']),
                         (8, 'TILE/4', 'memory', 80))
        self.assertIsNone(found['suggestedTile'])

    def test_by_hand_is_the_same_machine(self):
        self.assertEqual(self.roofline('naive', '--gpu=peak=20e12,bw=1e12')['machineBalance'], 20)
        self.assertEqual(self.roofline('naive', '--gpu=peak=20e12,bw=1e12')['gpu'], 'custom')
        # A machine that does fewer FLOP in the time of a byte.
        self.assertEqual(self.roofline('tiled', '--gpu=peak=4e12,bw=1e12')['boundBy'], 'compute')
        self.assertEqual(self.roofline('tiled', '--gpu=peak=4e12,bw=1e12')['crossoverTile'], 16)

    def test_streaming(self):
        found = self.roofline('add', '--gpu=seed-20-1')
        self.assertEqual((found['boundBy'], found['evenWhenCached'], found['crossoverTile'], found['suggestedTile']),
                         ('memory', True, None, None))
        self.assertEqual(found['launch'], {'threads': 1 << 20, 'flops': 1 << 20, 'bytes': 12 << 20, 'hauled': 12 << 20,
                                           'distinct': 12 << 20})
        self.assertAlmostEqual(found['secondsFloor'], (12 << 20) / 1e12)

    def test_without_a_gpu_there_is_no_verdict(self):
        found = self.roofline('naive')
        self.assertEqual((found['intensity'], found['gpu'], found['boundBy'], found['machineBalance']), (0.25, None, None, None))
        self.assertIn('--gpu', found['reason'])

    def test_given_sizes_make_numbers(self):
        found = self.roofline('naive', '--gpu=seed-20-1', '--assume=n=1024')
        self.assertEqual((found['flopsPerThread'], found['bytesPerThread']), (2048, 8196))
        self.assertAlmostEqual(found['intensity'], 2048 / 8196)

    def test_rule(self):
        on = '--checks=-*,kernel-bandwidth-bound'
        findings = self.report('--gpu=seed-20-1', on, self.name)['findings']
        self.assertEqual([(f['rule'], f['line']) for f in findings], [('kernel-bandwidth-bound', 2), ('kernel-bandwidth-bound', 9)])
        self.assertIn('0.25 FLOP for each byte it asks for, 20', findings[0]['message'])
        self.assertIn('80 x 80', ' '.join(note['message'] for note in findings[0]['notes']))
        self.assertIn('register blocking', ' '.join(note['message'] for note in findings[1]['notes']))
        self.assertEqual(self.rules('--gpu=peak=1e12,bw=10e12', on, self.name), [])
        self.assertNotIn('kernel-bandwidth-bound', self.rules('--gpu=seed-20-1', self.name))

    def test_rule_without_a_gpu_says_what_it_needs(self):
        run = self.run_tool('--checks=kernel-bandwidth-bound', self.name)
        self.assertEqual(run.stderr.count('kernel-bandwidth-bound needs to know the GPU: --gpu=NAME'), 1)
        self.assertNotIn('kernel-bandwidth-bound', run.stdout)
        self.assertNotIn('needs to know', self.run_tool(self.name).stderr)
        self.assertNotIn('needs to know', self.run_tool('--gpu=a100', '--checks=kernel-bandwidth-bound', self.name).stderr)


class OccupancyTest(VerdictTest):
    """Blocks and warps are those of cuda_occupancy.h of CUDA 13.0."""

    def setUp(self):
        super().setUp()
        self.name = self.write('needs.cu', NEEDS)

    def occupancy(self, kernel, *arguments, which=0):
        return self.kernels(*arguments, self.name)[kernel][which]['occupancy']

    def test_registers_by_option(self):
        for gpu, blocks, warps in (('t4', 4, 32), ('a100', 8, 64), ('rtx4090', 5, 40), ('h100-sxm', 8, 64)):
            found = self.occupancy('fixed', f'--gpu={gpu}', '--registers=32')
            self.assertEqual((found['blocksPerSm'], found['warpsPerSm'], found['atMost']), (blocks, warps, False), gpu)
            self.assertEqual((found['registers'], found['registersOrigin'], found['sharedBytes']), (32, '--registers', 16384))

    def test_dynamic_shared_memory(self):
        known = self.occupancy('dynamic', '--registers=32')
        self.assertEqual((known['blocksPerSm'], known['sharedBytes'], known['atMost'], known['limiters']),
                         (4, 40000, False, ['shared memory']))
        unknown = self.occupancy('dynamic', '--registers=32', which=1)
        self.assertEqual((unknown['blocksPerSm'], unknown['atMost']), (8, True))
        self.assertIn('dynamic shared memory', unknown['assumptions'][0])

    def test_launch_bounds_give_a_range(self):
        found = self.occupancy('bounded')
        self.assertEqual((found['registerLimit'], found['registersOrigin'], found['leastBlocksPerSm'], found['blocksPerSm']),
                         (64, '__launch_bounds__', 4, 8))

    def test_by_name(self):
        for name in ('bounded', 'inner::hidden', 'fixed'):
            kernels = self.kernels('--registers=100', f'--registers={name}=40', self.name)
            for kernel, launches in kernels.items():
                self.assertEqual({launch['occupancy']['registers'] for launch in launches},
                                 {40 if kernel == name.split(':')[-1] else 100}, (name, kernel))

    def test_log(self):
        kernels = self.kernels(f'--ptxas-log={LOG}', self.name)
        for kernel, registers, shared in (('fixed', 10, 16384), ('bounded', 8, 0), ('hidden', 8, 0)):
            found = kernels[kernel][0]['occupancy']
            self.assertEqual((found['registers'], found['registersOrigin'], found['sharedBytes'], found['atMost']),
                             (registers, 'ptxas log', shared, False), kernel)
            self.assertEqual(found['assumptions'], [])
        self.assertEqual(self.run_tool(f'--ptxas-log={LOG}', self.name).stderr.count('note:'), 0)

    def test_log_of_another_architecture(self):
        found = self.occupancy('bounded', f'--ptxas-log={LOG}', '--gpu=rtx4090')
        self.assertEqual(found['assumptions'], ['registers as the log has them for sm_80'])

    def test_log_of_other_code(self):
        name = self.write('clean.cu', CLEAN)
        run = self.run_tool(f'--ptxas-log={LOG}', name)
        self.assertIn('4 of 4 kernels in this log are not among those analysed', run.stderr)
        kernel, = self.report(f'--ptxas-log={LOG}', name)['kernels']
        self.assertIsNone(kernel['occupancy']['registers'])

    @unittest.skipUnless(shutil.which('nvcc') or os.path.exists('/usr/local/cuda/bin/nvcc'), 'skipped: no nvcc')
    def test_log_of_the_nvcc_that_is_installed(self):
        nvcc = shutil.which('nvcc') or '/usr/local/cuda/bin/nvcc'
        built = subprocess.run([nvcc, '-Xptxas', '-v', '-arch=sm_80', '-c', self.name, '-o', 'needs.o'], cwd=self.folder,
                               capture_output=True, text=True, check=True)
        self.write('build.log', built.stdout + built.stderr)
        for launches in self.kernels('--ptxas-log=build.log', self.name).values():
            self.assertEqual(launches[0]['occupancy']['registersOrigin'], 'ptxas log')
        self.assertEqual(self.run_tool('--ptxas-log=build.log', self.name).stderr.count('note:'), 0)

    def test_efficiency(self):
        kernel = self.kernels('--registers=32', '--cache-hit=0.8', self.name)['hidden'][0]
        self.assertEqual(kernel['eta']['coalesce'], 1)
        self.assertEqual(kernel['eta']['cache'], 0.8)
        self.assertEqual(kernel['eta']['occupancy'], 63 / 64)
        self.assertAlmostEqual(kernel['eta']['total'], 0.8 * 63 / 64)
        kernel = self.kernels('--registers=32', self.name)['hidden'][0]
        self.assertEqual((kernel['eta']['cache'], kernel['eta']['total'], kernel['eta']['atMost']), (None, None, 63 / 64))


class WrongUse(VerdictTest):
    def setUp(self):
        super().setUp()
        self.good = self.write('good.cu', CLEAN)

    def test_gpu(self):
        self.fails('--gpu=rtx409', self.good, says=["unknown GPU 'rtx409'", "did you mean 'rtx4090'?", '--list-gpus'])
        self.fails('--gpu=peak=20,bw=1', self.good, says=['--gpu', 'FLOP/s', 'peak=20e12'])
        self.fails('--gpu=', self.good, says=['--gpu', '--list-gpus'])

    def test_registers(self):
        for value in ('', '0', '256', 'many', '-1', 'k=', '=32', 'k=0', '1.5'):
            self.fails(f'--registers={value}', self.good, says=[f'--registers={value}: expected N or NAME=N', '255'])

    def test_log(self):
        self.fails('--ptxas-log=missing.log', self.good, says=['--ptxas-log=missing.log', 'No such file'])
        self.write('empty.log', '')
        self.write('other.log', b'\x00\xff\x1b[31m not a log\n' * 100)
        for name in ('empty.log', 'other.log'):
            run = self.fails(f'--ptxas-log={name}', self.good, says=[name, 'nvcc -Xptxas -v'])
            self.assertNotIn('\x1b', run.stderr)

    def test_cache_hit(self):
        for value in ('', '1.5', '-0.1', '80', 'high', 'nan'):
            self.fails(f'--cache-hit={value}', self.good, says=[f'--cache-hit={value}: expected a share from 0 to 1'])

    def test_names_that_meet_nothing(self):
        run = self.run_tool('--registers=bogus=32', '--registers=stride=32', self.good)
        self.assertIn('--registers=bogus=32: no kernel that was analysed has this name', run.stderr)
        self.assertNotIn('--registers=stride=32', run.stderr)
        self.assertNotIn('bogus', self.run_tool('--quiet', '--registers=bogus=32', self.good).stderr)


class Tables(VerdictTest):
    def setUp(self):
        super().setUp()
        self.name = self.write('product.cu', PRODUCT)

    def tables(self, *arguments, columns=None, name=None):
        environment = {key: value for key, value in os.environ.items() if key != 'COLUMNS'}
        if columns:
            environment['COLUMNS'] = str(columns)
        run = subprocess.run([harness.TOOL, '--no-cuda', '--report', *arguments, name or self.name], cwd=self.folder,
                             env=environment, capture_output=True, text=True, check=True)
        return run.stdout

    def test_only_when_asked_for(self):
        self.assertNotIn('FLOP/byte', self.run_tool(self.name).stdout)
        self.assertIn('FLOP/byte', self.tables())

    def test_after_the_findings(self):
        text = self.tables('--gpu=seed-20-1', '--checks=kernel-bandwidth-bound')
        self.assertLess(text.rindex('[kernel-bandwidth-bound]'), text.index('\nkernel naive('))
        self.assertLess(text.index('\nkernel naive('), text.index('\n3 kernels\n'))

    def test_summary_row(self):
        text = self.tables('--gpu=seed-20-1', '--registers=32', columns=120)
        self.assertRegex(text, r'(?m)^  naive +32x32 +2\*n +8\*n \+ 4 +0\.25 +memory +100 % +warps, registers +<= 51\.6 %$')
        self.assertRegex(text, r'(?m)^  add +256 +1 +12 +0\.0833 +memory +100 % +warps, registers +<= 100 %$')
        self.assertIn('8 FLOP/byte = TILE/4, TILE being 32', text)

    def test_width(self):
        for columns in (40, 80, 200):
            text = self.tables('--gpu=seed-20-1', '--checks=-*', columns=columns)
            widest = max(map(len, text.splitlines()))
            self.assertLessEqual(widest, columns)
            self.assertGreater(widest, columns / 2)
        # Without a terminal, and with a COLUMNS that is none, it is 80.
        self.assertEqual(self.tables(), self.tables(columns=80))
        self.assertEqual(self.tables(columns='wide'), self.tables(columns=80))

    def test_terminal(self):
        parent, child = pty.openpty()
        self.addCleanup(os.close, parent)
        subprocess.run(['stty', 'cols', '100', 'rows', '40'], stdin=child, check=True)
        environment = {key: value for key, value in os.environ.items() if key != 'COLUMNS'}
        run = subprocess.Popen([harness.TOOL, '--no-cuda', '--report', '--checks=-*', '--use-color=0', self.name], cwd=self.folder,
                               env=environment, stdout=child, stderr=subprocess.DEVNULL)
        os.close(child)
        output = b''
        while True:
            try:
                more = os.read(parent, 65536)
            except OSError:
                break
            if not more:
                break
            output += more
        self.assertEqual(run.wait(), 0)
        self.assertEqual(output.decode().replace('\r', ''), self.tables('--checks=-*', columns=100))

    def test_to_a_file(self):
        self.run_tool('--report', '--output=report.txt', self.name)
        self.assertIn('\n3 kernels\n', self.read('report.txt'))

    def test_unknown_accesses_have_their_reason(self):
        name = self.write('gather.cu', '''__global__ void gather(float *y, const float *x, const int *index) {
  y[threadIdx.x] = x[index[threadIdx.x]];
}
void launch(float *y, const float *x, const int *index) { gather<<<1, 256>>>(y, x, index); }
''')
        text = self.tables(name=name)
        self.assertRegex(text, r'(?m)^  2:20  x\[index\[\S* +load +- +- +-')
        self.assertRegex(text, r'(?m)^  unknown    2:20: ')
        self.assertIn('coalescing not known', text)

    def test_nothing_of_the_source_steers_the_terminal(self):
        name = self.write('evil.cu', '__global__ void k(float *x) { x[threadIdx.x /* \x1b[31m */] = 0; }\n')
        text = self.tables(name=name, columns=200)
        self.assertNotIn('\x1b', text)
        self.assertIn('<U+001B>', text)

    def test_list_gpus(self):
        run = self.run_tool('--list-gpus')
        self.assertRegex(run.stdout, r'(?m)^key +name +arch')
        self.assertRegex(run.stdout, r'(?m)^a100-80-sxm ')
        for line in run.stdout.splitlines()[1:]:
            self.run_tool('--quiet', '--checks=-*', f'--gpu={line.split()[0]}', self.name)


if __name__ == '__main__':
    harness.main()
