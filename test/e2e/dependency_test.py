#!/usr/bin/env python3
"""--dependency-file: what a report rests on, as make and ninja read it."""
import os
import subprocess

import harness
from harness import STRIDE, ToolTest

UNLAUNCHED = '#include "own.cuh"\n__global__ void fill(float *out) { out[2 * threadIdx.x] = SCALE; }\n'


class DependencyTest(ToolTest):
    def setUp(self):
        super().setUp()
        self.write('own.cuh', '#define SCALE 1\n')
        self.write('k.cu', UNLAUNCHED)

    def dependencies(self, *arguments, **options):
        self.run_tool('--output=out.json', '--format=json', '--dependency-file=out.d', *arguments, **options)
        target, rest = self.read('out.d').split(':', 1)
        self.assertEqual(target, 'out.json')
        names = [line.strip().replace('\\ ', ' ') for line in rest.split('\\\n') if line.strip()]
        self.assertEqual(names, sorted(set(names)))
        for name in names:  # a part like 'link/..' would lead elsewhere once a build system has taken it out
            self.assertTrue(os.path.isfile(os.path.normpath(name)), name)
        return {name[len(self.folder) + 1:] for name in names if name.startswith(self.folder)}

    def test_sources_headers_configuration(self):
        self.write('.warplint', 'Checks: -global-gather\n')
        self.write('near.cuh', '')
        wanted = {'k.cu', 'own.cuh', '.warplint'}
        self.assertEqual(self.dependencies('k.cu'), wanted)
        self.assertEqual(self.dependencies('k.cu'), wanted)  # from the cache
        self.assertEqual(self.dependencies('k.cu', '--no-cache'), wanted)

    def test_files_that_launches_are_looked_for_in(self):
        self.write('main.cu', '__global__ void fill(float *);\nvoid run(float *p) { fill<<<1, 64>>>(p); }\n')
        self.write('alone.cu', STRIDE)
        self.write('other.cpp', '')
        self.database('build', [(name, []) for name in ('k.cu', 'main.cu', 'alone.cu', 'other.cpp')])
        self.assertEqual(self.dependencies('-p', 'build', 'k.cu'), {'k.cu', 'own.cuh', 'main.cu', 'alone.cu', 'other.cpp'})
        self.assertEqual(self.dependencies('-p', 'build', 'alone.cu'), {'alone.cu'})  # says its block itself

    def test_configuration_file(self):
        self.write('my.yaml', 'Checks: -global-gather\n')
        self.run_tool('k.cu', '--config-file=my.yaml', '--output=o', '--dependency-file=o.d')
        self.assertIn(' my.yaml', self.read('o.d'))

    def test_make_reads_it(self):
        self.write('k $1#.cu', STRIDE)
        self.run_tool('k $1#.cu', '--output=o', '--dependency-file=o.d')
        self.write('Makefile', 'include o.d\no:\n\techo made\n')
        run = subprocess.run(['make', '-q', 'o'], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ''))
        subprocess.run(['touch', '-d', '+1 minute', 'k $1#.cu'], cwd=self.folder, check=True)
        self.assertEqual(subprocess.run(['make', '-q', 'o'], cwd=self.folder, check=False).returncode, 1)

    def test_needs_an_output(self):
        self.fails('k.cu', '--dependency-file=o.d', says=['--dependency-file needs --output'])


if __name__ == '__main__':
    harness.main()
