"""The module in clang-tidy: the same findings as the tool's, and clang-tidy's own ways with them."""
import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

import harness
from harness import BROKEN, INPUTS, STRIDE, ToolTest, tile

CLANG_TIDY = shutil.which('clang-tidy-22') or shutil.which('/usr/lib/llvm-22/bin/clang-tidy')
MODULE = os.environ.get('WARPLINT_TIDY_MODULE', '')
SHARE = os.environ.get('WARPLINT_TIDY_SHARE', '')
FLAGS = [f'--config={SHARE}/no-toolkit.cfg', '--cuda-gpu-arch=sm_80', '-std=c++17']

BOTH = STRIDE + tile().replace('launch', 'launch_turn')

DIAGNOSTIC = re.compile(r'^(?P<file>/[^:]*):(?P<line>\d+):(?P<column>\d+): (?P<level>\w+): (?P<message>.*)$')
CHECK = re.compile(r'^(?P<message>.*) \[(?P<check>[\w,.#-]+)\]$')


def inputs():
    """A good part of test/inputs: those that need what Clang alone does not take are the tool's business."""
    files = sorted(glob.glob(os.path.join(INPUTS, '*.cu')))
    for folder in ('guards', 'index', 'launches', 'loops', 'memory', 'seeds'):
        files += sorted(glob.glob(os.path.join(INPUTS, folder, '*.cu')))
    return files + sorted(glob.glob(os.path.join(INPUTS, 'cases', '*.cu')))[::3]


MATMUL = '''__global__ void matmul(const float *a, const float *b, float *c, int n) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
void launch(const float *a, const float *b, float *c) { matmul<<<dim3(64, 64), dim3(16, 16)>>>(a, b, c, 1024); }
'''


# Ten thousand kernels: their code alone takes more than a second.
SLOW = ''.join(f'__global__ void k{i}(float *out, const float *in) {{ out[2 * threadIdx.x] = in[3 * threadIdx.x] + in[{i}]; }}\n'
               for i in range(10000))


class TidyTest(ToolTest):
    def setUp(self):
        if not MODULE:
            self.skipTest('the module is not built: it needs the headers of clang-tidy')
        if not CLANG_TIDY:
            self.skipTest('clang-tidy-22 is not installed')
        super().setUp()

    def tidy(self, *files, checks='warplint-*', options=(), flags=(), config='', status=0):
        """What clang-tidy says: (file, line, column, level, check, message), and its notes as (line, message)."""
        command = [CLANG_TIDY, f'--load={MODULE}', f'--checks=-*,{checks}', '--header-filter=.*', *options]
        if config:
            command.append(f'--config={config}')
        run = subprocess.run([*command, *files, '--', *FLAGS, *flags], capture_output=True, text=True, cwd=self.folder, timeout=600,
                             check=False)
        self.assertEqual(run.returncode, status, f'{command} {files}\n{run.stdout}\n{run.stderr}')
        self.output = run.stdout
        found = []
        for line in run.stdout.splitlines():
            match = DIAGNOSTIC.match(line)
            if not match:
                continue
            if match['level'] == 'note':
                found[-1][-1].append((int(match['line']), match['message']))
                continue
            check = CHECK.match(match['message'])
            found.append((match['file'], int(match['line']), int(match['column']), match['level'], check['check'], check['message'], []))
        return found

    def expected(self, file, *options):
        """The same from the tool's report."""
        found = []
        for finding in self.report('--checks=*', *options, file, status=None)['findings']:
            notes = [(note.get('line') or finding['line'], note['message']) for note in finding['notes']]
            level = 'remark' if finding['severity'] == 'note' else 'warning'
            found.append((finding['file'], finding['line'], finding['column'], level, 'warplint-' + finding['rule'],
                          finding['message'], notes))
        return found

    def agree(self, found, wanted):
        self.assertEqual(sorted(found), sorted(wanted))


class Findings(TidyTest):
    def test_same_as_the_tool(self):
        """Many translation units in one process: nothing of one may show in the next."""
        files = inputs()
        with ThreadPoolExecutor(2) as pool:
            wanted = list(pool.map(self.expected, files))
        found = self.tidy(*files)
        self.assertGreater(len(found), 50)
        for file, of_tool in zip(files, wanted):
            with self.subTest(file=os.path.relpath(file, INPUTS)):
                self.agree([each for each in found if each[0] == file], of_tool)

    def test_header(self):
        self.write('kernels.cuh', '#pragma once\n' + STRIDE.splitlines()[0] + '\n' + STRIDE.splitlines()[1] + '\n}\n')
        self.write('main.cu', '#include "kernels.cuh"\nvoid f(float *a, float *b) { stride<<<1, 256>>>(a, b); }\n')
        found = self.tidy('main.cu')
        self.assertEqual([(os.path.basename(each[0]), each[1], each[4]) for each in found],
                         [('kernels.cuh', 3, 'warplint-global-stride')])
        self.agree(found, self.expected('main.cu'))

    def test_kernel_that_launches(self):
        self.write('a.cu', STRIDE + """__global__ void outer(float *out, const float *in) { stride<<<1, 64>>>(out, in); }
void start(float *out, const float *in) { outer<<<1, 32>>>(out, in); }
""")
        found = self.tidy('a.cu')
        self.agree(found, self.expected('a.cu'))
        self.assertEqual(len(found), 1)

    def test_contracts(self):
        promise = '  // warplint: expect sectors<=%d\n  out[threadIdx.x] = in[2'
        self.write('broken.cu', STRIDE.replace('  out[threadIdx.x] = in[2', promise % 4))
        self.write('kept.cu', STRIDE.replace('  out[threadIdx.x] = in[2', promise % 8))
        found = self.tidy('broken.cu', checks='warplint-cost-contract')
        self.assertEqual(len(found), 1, self.output)
        self.agree(found, self.expected('broken.cu', '--checks=-*,cost-contract'))
        self.assertEqual(self.tidy('kept.cu', checks='warplint-cost-contract'), [])

    def test_only_the_enabled_checks(self):
        self.write('both.cu', BOTH)
        self.assertEqual([each[4] for each in self.tidy('both.cu', checks='warplint-global-*')], ['warplint-global-stride'])
        self.assertEqual([each[4] for each in self.tidy('both.cu', checks='warplint-shared-*')], ['warplint-shared-tile-column'])


    def test_out_of_time(self):
        """The analysis of one file ends with its time: what was left out is told, and the next file has its findings."""
        self.write('slow.cu', SLOW)
        self.write('a.cu', STRIDE)
        self.needs_crash_recovery()
        found = self.tidy('slow.cu', 'a.cu', config='{CheckOptions: {warplint.FileTimeLimit: 1}}')
        self.assertEqual([each[4] for each in found if each[0] == self.path('a.cu')], ['warplint-global-stride'])
        left = [each[5] for each in found if each[0] == self.path('slow.cu') and 'not analysed' in each[5]]
        self.assertIn('time limit of 1 s; the option warplint.FileTimeLimit sets it', ' '.join(left))
        self.assertLessEqual(len(left), 21)


class Ways(TidyTest):
    """What clang-tidy does with any check."""

    def test_nolint(self):
        self.write('plain.cu', STRIDE)
        self.write('silent.cu', STRIDE.replace('];', ']; // NOLINT(warplint-global-stride)', 1))
        self.write('other.cu', STRIDE.replace('];', ']; // NOLINT(warplint-global-aos)', 1))
        self.assertEqual(len(self.tidy('plain.cu')), 1)
        self.assertEqual(self.tidy('silent.cu'), [])
        self.assertEqual(len(self.tidy('other.cu')), 1)

    def test_warnings_as_errors(self):
        self.write('a.cu', STRIDE)
        found = self.tidy('a.cu', options=['--warnings-as-errors=warplint-global-*'], status=1)
        self.assertEqual([(each[3], each[4]) for each in found], [('error', 'warplint-global-stride,-warnings-as-errors')])
        self.tidy('a.cu', options=['--warnings-as-errors=warplint-shared-*'])

    def test_list_checks(self):
        run = subprocess.run([CLANG_TIDY, f'--load={MODULE}', '--checks=-*,warplint-*', '--list-checks'], capture_output=True, text=True,
                             check=True)
        named = {line.strip() for line in run.stdout.splitlines() if line.startswith('    ')}
        rules = re.findall(r'^    ([a-z-]+)', self.run_tool('--list-checks').stdout, re.M)
        self.assertEqual(named, {'warplint-' + rule for rule in rules})


class Sides(TidyTest):
    def test_host_side(self):
        self.write('a.cu', BOTH)
        found = self.tidy('a.cu', flags=['--cuda-host-only'])
        self.assertEqual(len(found), 1, self.output)
        self.assertIn('--extra-arg=--cuda-device-only', found[0][5])

    def test_not_cuda(self):
        self.write('a.cpp', 'int f(int *p) { return p[2]; }\n')
        run = subprocess.run([CLANG_TIDY, f'--load={MODULE}', '--checks=-*,warplint-*', 'a.cpp', '--'], capture_output=True, text=True,
                             cwd=self.folder, check=True)
        self.assertNotIn('warplint', run.stdout)

    def test_code_with_errors(self):
        self.write('a.cu', STRIDE + BROKEN)
        found = self.tidy('a.cu', status=1)
        self.assertEqual([each[3] for each in found if each[4].startswith('warplint-')], ['warning'])
        self.assertIn('code with errors', ' '.join(each[5] for each in found))
        self.assertNotIn('stride', ' '.join(each[4] for each in found))


class Fixes(TidyTest):
    def setUp(self):
        super().setUp()
        # clang-tidy cannot write into a folder with '%' in its name.
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix='warplint tidy'))
        self.addCleanup(shutil.rmtree, self.folder)

    VERIFY = '{CheckOptions: {warplint.VerifyFixes: true}}'

    def test_verified(self):
        for name in ('tidy.cu', 'tool.cu'):
            self.write(name, tile())
        self.tidy('tidy.cu', options=['--fix'], config=self.VERIFY)
        self.run_tool('--fix', 'tool.cu')
        self.assertEqual(self.read('tidy.cu'), self.read('tool.cu'))
        self.assertNotEqual(self.read('tidy.cu'), tile())

    def test_not_verified_not_offered(self):
        self.write('a.cu', tile())
        self.tidy('a.cu', options=['--fix'])
        self.assertEqual(self.read('a.cu'), tile())

    def test_fix_that_does_not_help(self):
        """Rows that are read as float4 would lose their alignment by one more element: not by this fix."""
        text = tile(body='float4 v = *reinterpret_cast<float4 *>(&tile[y][4 * (x % 8)]); out[0] = v.x;')
        for name in ('tidy.cu', 'tool.cu'):
            self.write(name, text)
        self.tidy('tidy.cu', options=['--fix'], config=self.VERIFY)
        self.run_tool('--fix', 'tool.cu')
        self.assertEqual(self.read('tidy.cu'), self.read('tool.cu'))
        self.assertNotIn('32 + 1]', self.read('tidy.cu'))

    def test_same_flags_again(self):
        """The second parse knows the macros and folders of the first."""
        self.write('include/edge.h', '#define EDGE 32\n')
        self.write('a.cu', '#include "edge.h"\n' + tile('float tile[EDGE][WIDTH]'))
        self.tidy('a.cu', options=['--fix'], config=self.VERIFY, flags=['-Iinclude', '-DWIDTH=EDGE'])
        self.assertIn('tile[EDGE][WIDTH + 1]', self.read('a.cu'))


class Options(TidyTest):
    UNLAUNCHED = STRIDE.rsplit('void launch', 1)[0]

    def test_block(self):
        self.write('a.cu', self.UNLAUNCHED)
        found = self.tidy('a.cu', config="{CheckOptions: {warplint.Block: '64'}}")
        self.agree(found, self.expected('a.cu', '--block=64'))
        self.assertIn('block 64', str(found))
        self.assertNotIn('block 64', str(self.tidy('a.cu')))

    def test_assume(self):
        self.write('a.cu', '''__global__ void pitched(float *out, const float *in, int n) { out[threadIdx.x] = in[threadIdx.x * n]; }
void launch(float *out, const float *in, int n) { pitched<<<1, 256>>>(out, in, n); }
''')
        found = self.tidy('a.cu', config="{CheckOptions: {warplint.Assume: 'n=2'}}")
        self.agree(found, self.expected('a.cu', '--assume=n=2'))
        self.assertNotEqual(found, self.tidy('a.cu'))
        self.assertEqual(self.tidy('a.cu', config="{CheckOptions: {warplint.Assume: 'pitched:n=1'}}"), [])

    def test_option_of_a_check(self):
        self.write('a.cu', tile(declaration='float tile[32][34]'))
        self.assertIn('2-way', str(self.tidy('a.cu')))
        self.assertEqual(self.tidy('a.cu', config="{CheckOptions: {warplint-shared-tile-column.MinWays: 4}}"), [])
        found = self.tidy('a.cu', config="{CheckOptions: {warplint-shared-tile-column.Severity: note}}")
        self.assertEqual([each[3] for each in found], ['remark'])

    def test_facts_of_the_project(self):
        """What a project has written down of its launches holds here, too; its list of checks does not."""
        self.write('a.cu', self.UNLAUNCHED)
        self.write('.warplint', 'Checks: -global-stride\nKernels: [{name: stride, block: 96}]\n')
        self.assertIn('block 96', str(self.tidy('a.cu')))
        found = self.tidy('a.cu', config="{CheckOptions: {warplint.Block: '64'}}")
        self.assertIn('block 64', str(found))

    def test_gpu(self):
        self.write('a.cu', MATMUL)
        check = 'warplint-kernel-bandwidth-bound'
        self.assertEqual(self.tidy('a.cu', checks=check), [])
        found = self.tidy('a.cu', checks=check, config="{CheckOptions: {warplint.GPU: 'A100'}}")
        self.agree(found, self.expected('a.cu', '--checks=-*,kernel-bandwidth-bound', '--gpu=A100'))
        self.assertEqual(len(found), 1)

    def test_dump_and_verify(self):
        run = subprocess.run([CLANG_TIDY, f'--load={MODULE}', '--checks=-*,warplint-*', '--dump-config',
                              '--config={CheckOptions: {warplint-global-stride.MinExcessSectors: 5}}'],
                             capture_output=True, text=True, check=True, cwd=self.folder)
        options = dict(re.findall(r'^ *(warplint[\w.-]*): *(.*)$', run.stdout, re.M))
        self.assertEqual(options['warplint-global-stride.MinExcessSectors'].strip("'"), '5')
        self.assertEqual(options['warplint-shared-tile-column.Severity'], 'default')
        self.write('.clang-tidy', 'CheckOptions: {warplint.Block: 64, warplint.Blok: 1}\n')
        run = subprocess.run([CLANG_TIDY, f'--load={MODULE}', '--checks=-*,warplint-*', '--verify-config'], capture_output=True, text=True,
                             cwd=self.folder, check=False)
        self.assertIn("'warplint.Blok'", run.stdout + run.stderr)
        self.assertNotIn("option 'warplint.Block'", run.stdout + run.stderr)

    def test_mistakes(self):
        self.write('a.cu', STRIDE)
        for option, words in (("warplint.Block: '0'", 'at most 1024 threads'), ("warplint.Assume: 'n'", 'NAME=V'),
                              ("warplint.GPU: 'A1000'", 'A1000'), ('warplint.VerifyFixes: maybe', 'true or false'),
                              ('warplint-global-stride.MinExcessSectors: many', 'expected a number')):
            with self.subTest(option):
                self.tidy('a.cu', config='{CheckOptions: {' + option + '}}')
                self.assertIn(words, self.output)


if __name__ == '__main__':
    harness.main()
