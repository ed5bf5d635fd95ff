#!/usr/bin/env python3
"""The cache: an answer is the same with it and without it, whatever changed in between and whatever became of its folder."""
import glob
import os
import re
import subprocess

import harness
from harness import STRIDE, ToolTest

HEADER = '#pragma once\n#define STEP {step}\n'
SOURCE = '''#include "step.h"
__global__ void walk(float *out, const float *in) {
  out[threadIdx.x] = in[STEP * threadIdx.x];
}
void launch(float *out, const float *in) { walk<<<1, 256>>>(out, in); }
'''


class CacheTest(ToolTest):
    def cached(self, *arguments, parses=None, cache='cache', **options):
        """A report made with a cache folder; `parses`: whether files were parsed for it."""
        os.environ['WARPLINT_TIMES'] = '1'
        self.addCleanup(os.environ.pop, 'WARPLINT_TIMES', None)
        run = self.run_tool('--format=json', f'--cache-dir={cache}', *arguments, **options)
        if parses is not None:
            count, = re.findall(r'(\d+) from the cache', run.stderr)
            self.assertEqual(int(count) == 0, parses, run.stderr)
        return run.stdout

    def fresh(self, *arguments, **options):
        return self.run_tool('--format=json', '--no-cache', *arguments, **options).stdout

    def same(self, *arguments, parses):
        self.assertEqual(self.cached(*arguments, parses=parses), self.fresh(*arguments))

    def entries(self, cache='cache'):
        return sorted(glob.glob(glob.escape(self.path(cache)) + '/llvmcache-*'))

    def project(self, step=2):
        self.write('step.h', HEADER.format(step=step))
        return self.write('walk.cu', SOURCE)


class Results(CacheTest):
    def test_unchanged(self):
        name = self.project()
        self.same(name, parses=True)
        self.same(name, parses=False)
        text = self.run_tool('--cache-dir=cache', name).stdout
        self.assertIn('[global-stride]', text)
        self.assertEqual(text, self.run_tool('--no-cache', name).stdout)

    def test_every_kind_of_result(self):
        """Fields, tiles, companions, assumptions, unknowns: what rules and writers use comes back."""
        for name in ('transpose.cu', 'vector-fields.cu', 'ptx-and-pointers.cu'):
            file = os.path.join(harness.INPUTS, name)
            for parses in (True, False):
                self.same(file, parses=parses)

    def test_source_changed(self):
        name = self.project()
        self.cached(name)
        self.write('walk.cu', SOURCE.replace('STEP * ', ''))
        self.same(name, parses=True)
        self.same(name, parses=False)

    def test_header_changed(self):
        name = self.project()
        self.cached(name)
        self.write('step.h', HEADER.format(step=32))
        self.assertIn('"sectors": 32', self.cached(name, parses=True))

    def test_same_size_and_time(self):
        name = self.project(step=2)
        times = os.stat(self.path('step.h'))
        self.cached(name)
        self.write('step.h', HEADER.format(step=3))
        os.utime(self.path('step.h'), ns=(times.st_atime_ns, times.st_mtime_ns))
        self.same(name, parses=True)

    def test_touched(self):
        name = self.project()
        self.cached(name)
        os.utime(self.path('step.h'))
        self.write('walk.cu', SOURCE)
        self.same(name, parses=False)

    def test_missing_header_appears(self):
        self.write('walk.cu', SOURCE)
        self.cached('walk.cu', status=2)
        self.write('step.h', HEADER.format(step=2))
        self.same('walk.cu', parses=True)

    def test_header_put_before(self):
        self.write('b/step.h', HEADER.format(step=2))
        os.mkdir(self.path('a'))
        self.write('walk.cu', SOURCE)
        flags = ('walk.cu', '--', '-Ia', '-Ib')
        self.cached(*flags)
        self.write('a/step.h', HEADER.format(step=32))
        self.same(*flags, parses=True)

    def test_header_taken_away(self):
        name = self.project()
        self.cached(name)
        os.remove(self.path('step.h'))
        self.cached(name, parses=None, status=2)

    def test_options(self):
        name = self.project()
        for options in ((), ('--block=64',), ('--assume=n=5',), ('--arch=sm_90',), ('--extra-arg=-DX',)):
            self.same(*options, name, parses=True)
            self.same(*options, name, parses=False)

    def test_checks_are_not_part_of_it(self):
        name = self.project()
        self.cached(name)
        self.assertNotIn('global-stride', self.cached('--checks=-global-stride', name, parses=False))
        self.cached('--warnings-as-errors=*', name, parses=False, status=1)

    def test_nolint(self):
        name = self.project()
        self.cached(name)
        self.write(name, SOURCE.replace('threadIdx.x];', 'threadIdx.x]; // NOLINT'))
        self.assertNotIn('global-stride', self.cached(name))

    def test_errors_come_back(self):
        self.write('half.cu', harness.BROKEN + STRIDE)
        self.same('half.cu', parses=True)
        self.same('half.cu', parses=False)

    def test_environment(self):
        self.write('a/step.h', HEADER.format(step=2))
        self.write('b/step.h', HEADER.format(step=32))
        self.write('walk.cu', SOURCE)
        self.addCleanup(os.environ.pop, 'CPATH', None)
        for folder in ('a', 'b'):
            os.environ['CPATH'] = self.path(folder)
            self.same('walk.cu', parses=True)

    def test_fix(self):
        name = self.write('turn.cu', harness.tile())
        self.cached(name)
        self.run_tool('--cache-dir=cache', '--fix', name)
        self.assertIn('[32][33]', self.read(name))
        self.same(name, parses=None)

    def test_many_files(self):
        self.project()
        for i in range(4):
            self.write(f'walk{i}.cu', SOURCE.replace('walk', f'walk{i}'))
        names = [f'walk{i}.cu' for i in range(4)]
        self.same(*names, parses=True)
        self.same(*names, parses=False)
        self.write('step.h', HEADER.format(step=1))
        self.same(*names, parses=True)


class Folder(CacheTest):
    def test_damaged_entries(self):
        name = self.project()
        expected = self.fresh(name)
        self.cached(name)
        entries = self.entries()
        self.assertEqual(len(entries), 2, entries)  # the headers and the result
        for damage in ('empty', 'cut', 'flipped', 'longer', 'folder'):
            for entry in entries:
                with open(entry, 'rb') as file:
                    data = bytearray(file.read())
                if damage == 'flipped':
                    data[len(data) // 2] ^= 1
                os.remove(entry)
                if damage == 'folder':
                    os.mkdir(entry)
                else:
                    with open(entry, 'wb') as file:
                        file.write({'empty': b'', 'cut': data[:-100], 'flipped': data, 'longer': data + b'x'}[damage])
            with self.subTest(damage):
                self.assertEqual(self.cached(name, parses=True), expected)
                if damage != 'folder':
                    self.assertEqual(self.cached(name, parses=False), expected)

    def test_not_a_folder(self):
        name = self.project()
        self.write('file', '')
        for cache in ('file', 'file/below', '/proc/warplint'):
            self.assertEqual(self.cached(name, cache=cache, parses=True), self.fresh(name))

    def test_read_only(self):
        if os.geteuid() == 0:
            self.skipTest('root writes to read-only folders')
        name = self.project()
        os.mkdir(self.path('cache'))
        os.chmod(self.path('cache'), 0o555)
        self.assertEqual(self.cached(name, parses=True), self.fresh(name))

    def test_no_cache(self):
        self.addCleanup(os.environ.__setitem__, 'XDG_CACHE_HOME', os.environ.get('XDG_CACHE_HOME', self.path('xdg')))
        os.environ['XDG_CACHE_HOME'] = self.path('xdg')
        name = self.project()
        self.run_tool('--no-cache', name)
        self.assertFalse(os.path.exists(self.path('xdg')))
        self.run_tool(name)  # the default folder
        self.assertEqual(len(self.entries('xdg/warplint')), 2)

    def test_no_result_cache(self):
        name = self.project()
        for _ in range(2):
            self.assertEqual(self.cached('--no-result-cache', name, parses=True), self.fresh(name))
        self.assertEqual(len(self.entries()), 1)

    def test_concurrent_runs(self):
        name = self.project()
        expected = self.fresh(name)
        runs = [subprocess.Popen([harness.TOOL, '--no-cuda', '--format=json', '--cache-dir=cache', name], cwd=self.folder,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(6)]
        for run in runs:
            self.assertEqual(run.communicate()[0].decode(), expected)
        self.assertEqual(self.cached(name, parses=False), expected)
        self.assertEqual(len(self.entries()), 2)


if __name__ == '__main__':
    harness.main()
