#!/usr/bin/env python3
"""Many files in one run: order, repetitions, headers that several files share, progress, interruption."""
import json
import os
import pty
import re
import signal
import subprocess

import harness
from harness import STRIDE, ToolTest

HEADER = '''#pragma once
template <typename T> __global__ void copy(T *out, const T *in) { out[threadIdx.x] = in[2 * threadIdx.x]; }
__global__ void fill(float *out) { out[threadIdx.x] = 1; }
'''


class ManyFiles(ToolTest):
    def files(self, count):
        # Of different sizes, so that they neither start nor end in the order of the list.
        return [self.write(f'k{i}.cu', STRIDE.replace('stride', f'stride{i}') + '// filler\n' * (i * 7 % 5) * 300)
                for i in range(count)]

    def test_order(self):
        names = self.files(6)
        expected = self.run_tool('--format=json', '-j1', *names).stdout
        self.assertEqual([k['name'] for k in json.loads(expected)['kernels']], [f'stride{i}' for i in range(6)])
        for jobs in ('-j2', '-j5', '-j0'):
            self.assertEqual(self.run_tool('--format=json', jobs, *names).stdout, expected)

    def test_repeated_files(self):
        name, = self.files(1)
        report = self.report(name, f'./{name}', self.path(name))
        self.assertEqual((report['summary']['files'], len(report['kernels']), len(report['findings'])), (1, 1, 1))

    def test_repeated_entries(self):
        names = self.files(2)
        self.database('build', [(names[0], ['-DA']), (names[1], []), (names[0], ['-DB'])])
        self.assertEqual(self.report('-p', 'build')['summary']['files'], 2)

    def test_one_bad_file(self):
        names = self.files(2)
        names.insert(1, self.write('broken.cu', harness.BROKEN))
        run = self.run_tool('--format=json', *names, 'absent.cu', status=2)
        report = self.checked(json.loads(run.stdout))
        self.assertEqual([k['name'] for k in report['kernels']], ['stride0', 'stride1'])
        self.assertIn('broken.cu: no kernel could be analysed', run.stderr)
        self.assertIn("no such file: 'absent.cu'", run.stderr)


class SharedHeaders(ToolTest):
    def test_kernel_reported_once(self):
        self.write('copy.cuh', HEADER)
        names = [self.write(f'{n}.cu', f'#include "copy.cuh"\nvoid {n}(float *o, float *i) {{ copy<<<1, 256>>>(o, i); }}\n')
                 for n in 'abc']
        report = self.report(*names)
        # Launched from three places, and each launch is analysed; the finding is one.
        self.assertEqual(sorted(k['name'] for k in report['kernels']), ['copy', 'copy', 'copy', 'fill'])
        self.assertEqual(len(report['findings']), 1)

    def test_launched_in_one_of_the_files(self):
        self.write('copy.cuh', HEADER)
        names = [self.write('a.cu', '#include "copy.cuh"\n'),
                 self.write('b.cu', '#include "copy.cuh"\nvoid b(float *o) { fill<<<1, 64>>>(o); }\n'),
                 self.write('c.cu', '#include "copy.cuh"\n')]
        kernel, = self.report(*names)['kernels']
        self.assertEqual((kernel['block'], kernel['blockOrigin']), ([64, 1, 1], 'launch'))

    def test_launch_of_unknown_shape_stays(self):
        """What a launch leaves open is assumed, beside the launch that does not."""
        name = self.write('a.cu', HEADER + 'void a(float *o, int n) { fill<<<1, 64>>>(o); fill<<<1, n>>>(o); }\n')
        self.assertEqual(sorted(k['blockOrigin'] for k in self.report(name)['kernels']), ['assumed', 'launch'])

    def test_same_name_in_two_files(self):
        """Two kernels that look alike but are not in a header stay two."""
        names = [self.write(f'{n}.cu', STRIDE) for n in 'ab']
        self.assertEqual(len(self.report(*names)['kernels']), 2)


class Terminal(ToolTest):
    def on_terminal(self, *arguments, interrupt_after=None):
        """Exit status, stdout, and what a terminal shows of stderr; Ctrl-C once that has `interrupt_after`."""
        reader, writer = pty.openpty()
        run = subprocess.Popen([harness.TOOL, '--no-cuda', *arguments], cwd=self.folder, stdout=subprocess.PIPE, stderr=writer)
        os.close(writer)
        shown = b''
        while True:
            try:
                data = os.read(reader, 4096)
            except OSError:  # the end of a terminal
                break
            if not data:
                break
            shown += data
            if interrupt_after and interrupt_after in shown:
                run.send_signal(signal.SIGINT)
                interrupt_after = None
        os.close(reader)
        out = run.communicate(timeout=60)[0].decode()
        return run.returncode, out, shown.decode().replace('\r', '')

    def test_progress(self):
        names = [self.write('one.cu', STRIDE), self.write('two.cu', harness.CLEAN)]
        _, _, shown = self.on_terminal('-j1', *names)
        self.assertRegex(shown, r'(?m)^\[1/2\] one\.cu: 1 kernel, 1 finding$')
        self.assertRegex(shown, r'(?m)^\[2/2\] two\.cu: 1 kernel, 0 findings$')
        _, _, shown = self.on_terminal('--quiet', *names)
        self.assertEqual(shown, '')

    def test_no_progress_elsewhere(self):
        names = [self.write('one.cu', STRIDE), self.write('two.cu', STRIDE)]
        self.assertNotIn('[1/2]', self.run_tool(*names).stderr)

    def test_interrupted(self):
        """Ctrl-C: a valid report of the files that were done, the other files named as missing by number."""
        names = [self.write(f'k{i:03}.cu', '#include <algorithm>\n#include <string>\n' + STRIDE.replace('stride', f'stride{i}'))
                 for i in range(200)]
        status, out, _ = self.on_terminal('--no-cache', '--format=json', '-j2', *names, interrupt_after=b'[3/200]')
        self.assertEqual(status, 130)
        report = self.checked(json.loads(out))
        done = report['summary']['files']
        self.assertTrue(3 <= done < 200, done)
        self.assertEqual((len(report['kernels']), len(report['findings'])), (done, done))
        self.assertIn(f'interrupted: {200 - done} of 200 files were not analysed', [e['message'] for e in report['errors']])

    def test_interrupted_fix_changes_nothing(self):
        names = [self.write(f'k{i:03}.cu', '#include <algorithm>\n#include <string>\n' + harness.tile()) for i in range(200)]
        status, _, shown = self.on_terminal('--no-cache', '--fix', '-j2', *names, interrupt_after=b'[3/200]')
        self.assertEqual(status, 130, shown)
        self.assertNotRegex(shown, re.compile('applied'))
        self.assertTrue(all('[32][33]' not in self.read(name) for name in names))


if __name__ == '__main__':
    harness.main()
