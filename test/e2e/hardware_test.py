#!/usr/bin/env python3
"""tools/replay/hardware without a GPU: what it expects of readings, and what it says about them.

usage: hardware_test.py WARPLINT
"""
import os
import subprocess
import sys
import tempfile
import unittest

TOOL = sys.argv.pop(1)
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, 'tools', 'replay', 'hardware')

# One warp: a store of 32 floats to shared memory, a load of its every second one (16 banks, two words each), a store of 32 floats.
SOURCE = '''__global__ void evens(float *out) {
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x;
  s[threadIdx.x + 32] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[2 * threadIdx.x];
}
void launches(float *out) { evens<<<1, 32>>>(out); }
'''
READ = {
    'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum': 0,
    'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum': 0,
    'l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum': 4,
    'l1tex__t_requests_pipe_lsu_mem_global_op_st.sum': 1,
    'l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum': 0,
    'l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum': 0,
    'l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum': 0,
    'l1tex__t_requests_pipe_lsu_mem_global_op_red.sum': 0,
    'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum': 2,
    'smsp__inst_executed_op_shared_ld.sum': 1,
    'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum': 2,
    'smsp__inst_executed_op_shared_st.sum': 2,
}


def raw_page(read, kernel='evens(float *)'):
    """As the profiler prints it: its own lines, names, units, values."""
    row = lambda cells: ','.join(f'"{cell}"' for cell in cells)
    return '\n'.join(['==PROF== Connected to process 1', '==PROF== Profiling "evens": 0%....100% - 1 pass',
                      row(['ID', 'Process ID', 'Kernel Name', *read]), row(['', '', '', *['sector' for _ in read]]),
                      row(['0', '1', kernel, *[f'{value:,}' for value in read.values()]])]) + '\n'


class Hardware(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = os.path.join(temporary.name, 'inputs')
        os.mkdir(self.folder)
        self.source = self.write('evens.cu', SOURCE)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return path

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, f'--tool={TOOL}', *arguments], capture_output=True, text=True, timeout=120)

    def judge(self, page):
        self.write('inputs-evens.csv', page)
        return self.run_script('--readings', self.folder, self.source)

    def test_readings_that_agree(self):
        run = self.judge(raw_page(READ))
        self.assertEqual((run.returncode, run.stderr), (0, ''), run.stdout)
        self.assertEqual(run.stdout.count(': agrees'), 6)

    def test_reading_that_differs(self):
        name = 'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum'
        run = self.judge(raw_page(READ | {name: 1032}))
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn(f'evens: {name}: expected 2, read 1032: DIFFERS', run.stdout)
        self.assertEqual(run.stdout.count('DIFFERS'), 1)

    def test_readings_that_lack_something(self):
        without = {name: value for name, value in READ.items() if name != 'smsp__inst_executed_op_shared_st.sum'}
        for page, message in [(raw_page(without), 'no smsp__inst_executed_op_shared_st.sum'),
                              (raw_page(READ, 'odds(float *)'), "no kernel 'evens'"), ('==ERROR==\n', 'no table')]:
            run = self.judge(page)
            self.assertEqual(run.returncode, 2)
            self.assertIn(message, run.stderr)

    def test_no_readings_no_profiler(self):
        run = self.run_script('--readings', self.folder, self.source)
        self.assertEqual(run.returncode, 2)
        self.assertIn('inputs-evens.csv: No such file', run.stderr)
        run = self.run_script('--nvcc=/nowhere/nvcc', self.source)
        self.assertEqual(run.returncode, 2)
        self.assertIn("'/nowhere/nvcc' is not there", run.stderr)

    def test_what_is_not_exact_is_not_compared(self):
        unknown = self.write('unknown.cu', 'extern int n;\n' + SOURCE.replace('<<<1, 32>>>', '<<<n, 32>>>'))
        run = self.run_script('--readings', self.folder, unknown)
        self.assertEqual(run.returncode, 2)
        self.assertIn('not exact for a whole launch', run.stderr)


if __name__ == '__main__':
    unittest.main()
