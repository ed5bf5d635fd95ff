#!/usr/bin/env python3
"""The cache: an answer is the same with it and without it, whatever changed in between and whatever became of its folder."""
import glob
import os
import re
import shutil
import subprocess
import time

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


class Stale(CacheTest):
    """Whatever changed since the last run, the answer is the one without a cache."""

    def changes(self, arguments, change, toolkit=False, status=0):
        """A change that matters; what was known before must not be said again."""
        before = self.cached(*arguments, toolkit=toolkit, status=None)
        change()
        after = self.cached(*arguments, toolkit=toolkit, status=status)
        self.assertEqual(after, self.fresh(*arguments, toolkit=toolkit, status=status))
        self.assertNotEqual(after, before)

    def environment(self, name, value):
        old = os.environ.get(name)
        self.addCleanup(lambda: os.environ.__setitem__(name, old) if old is not None else os.environ.pop(name, None))
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value

    def test_every_place_of_a_header(self):
        """A header put into a folder that is searched before the one that has it."""
        places = ['beside', 'quote', 'include', 'system', 'after']
        flags = ['-iquote', 'quote', '-I', 'include', '-isystem', 'system', '-idirafter', 'after']
        self.write('beside/walk.cu', SOURCE)
        for folder in places:
            os.makedirs(self.path(folder), exist_ok=True)
        steps = iter((2, 3, 5, 7, 11))
        self.write('after/step.h', HEADER.format(step=next(steps)))
        for folder in reversed(places[:-1]):
            with self.subTest(folder):
                self.changes(('beside/walk.cu', '--', *flags),
                             lambda folder=folder: self.write(folder + '/step.h', HEADER.format(step=next(steps))))

    def test_include_next(self):
        self.write('a/step.h', '#include_next <step.h>\n')
        self.write('c/step.h', HEADER.format(step=2))
        os.mkdir(self.path('b'))
        self.write('walk.cu', SOURCE.replace('"step.h"', '<step.h>'))
        self.changes(('walk.cu', '--', '-Ia', '-Ib', '-Ic'), lambda: self.write('b/step.h', HEADER.format(step=5)))

    def test_folder_appears(self):
        """... that the command names already."""
        self.write('b/step.h', HEADER.format(step=2))
        self.write('walk.cu', SOURCE)
        self.changes(('walk.cu', '--', '-Ia/deep', '-Ib'), lambda: self.write('a/deep/step.h', HEADER.format(step=5)))

    def test_forced_header(self):
        self.write('forced.h', HEADER.format(step=2))
        self.write('walk.cu', SOURCE.split('\n', 1)[1])
        for option in ('-include', '-imacros'):
            self.write('forced.h', HEADER.format(step=2))
            self.changes(('walk.cu', '--', option, 'forced.h'), lambda: self.write('forced.h', HEADER.format(step=5)))

    def test_has_include(self):
        self.write('walk.cu', '#if __has_include("big.h")\n#define STEP 8\n#else\n#define STEP 2\n#endif\n' + SOURCE.split('\n', 1)[1])
        self.changes(('walk.cu',), lambda: self.write('big.h', ''))
        self.changes(('walk.cu',), lambda: os.remove(self.path('big.h')))

    def test_embed(self):
        self.write('walk.cu', 'constexpr unsigned char Data[] = {\n#embed "data.bin"\n};\n#define STEP (Data[0] - 48)\n' + SOURCE.split('\n', 1)[1])
        self.write('data.bin', '2')
        self.changes(('walk.cu',), lambda: self.write('data.bin', '5'))

    def test_macro_names_header(self):
        self.write('two.h', HEADER.format(step=2))
        self.write('which.h', '#define WHICH "two.h"\n')
        self.write('five.h', HEADER.format(step=5))
        self.write('walk.cu', SOURCE.replace('"step.h"', '"which.h"\n#include WHICH'))
        self.changes(('walk.cu',), lambda: self.write('which.h', '#define WHICH "five.h"\n'))
        self.changes(('walk.cu',), lambda: self.write('five.h', HEADER.format(step=7)))

    def test_links(self):
        self.write('v2/step.h', HEADER.format(step=2))
        self.write('v5/step.h', HEADER.format(step=5))
        self.write('walk.cu', SOURCE)

        def point(link, target):
            os.symlink(target, self.path('new'))
            os.replace(self.path('new'), self.path(link))

        point('current', 'v2')
        self.changes(('walk.cu', '--', '-Icurrent'), lambda: point('current', 'v5'))
        point('step.h', 'v2/step.h')
        self.changes(('walk.cu',), lambda: point('step.h', 'v5/step.h'))
        self.changes(('walk.cu',), lambda: self.write('v5/step.h', HEADER.format(step=7)))
        point('step.h', 'nowhere')
        self.changes(('walk.cu', '--', '-Iv2'), lambda: self.write('nowhere', HEADER.format(step=11)))

    def test_replaced_by_rename(self):
        self.project(step=2)
        times = os.stat(self.path('step.h'))

        def replace():
            self.write('new.h', HEADER.format(step=3))
            os.utime(self.path('new.h'), ns=(times.st_atime_ns, times.st_mtime_ns))
            os.rename(self.path('new.h'), self.path('step.h'))

        self.changes(('walk.cu',), replace)

    def test_clock(self):
        """What rests on the time of day is not kept."""
        for name in ('__TIME__[7]', '__TIMESTAMP__[18]', '__DATE__[10]'):
            self.write('walk.cu', f'#define STEP (1 + {name} % 2)\n' + SOURCE.split('\n', 1)[1])
            with self.subTest(name):
                for _ in range(2):
                    self.cached('walk.cu', parses=True)
        self.write('walk.cu', '#define STEP 2 // __TIME__\n' + SOURCE.split('\n', 1)[1])
        self.cached('walk.cu', parses=True)
        self.cached('walk.cu', parses=False)

    def test_build_date(self):
        self.write('walk.cu', '#define STEP (1 + __DATE__[10] % 2)\n' + SOURCE.split('\n', 1)[1])
        self.environment('SOURCE_DATE_EPOCH', '0')
        self.changes(('walk.cu',), lambda: self.environment('SOURCE_DATE_EPOCH', '100000000'))

    def test_options_file(self):
        self.write('walk.cu', SOURCE.split('\n', 1)[1])
        self.write('flags.rsp', '-DSTEP=2')
        for flags in (('--options-file', 'flags.rsp'), ('-optf', 'flags.rsp'), ('@flags.rsp',)):
            self.write('flags.rsp', '-DSTEP=2')
            with self.subTest(flags):
                self.changes(('walk.cu', '--', *flags), lambda: self.write('flags.rsp', '-DSTEP=5'))

    def test_database(self):
        self.write('walk.cu', SOURCE.split('\n', 1)[1])
        self.database('.', [('walk.cu', ['-DSTEP=2'])])
        self.changes(('-p', '.', 'walk.cu'), lambda: self.database('.', [('walk.cu', ['-DSTEP=5'])]))
        self.database('a', [('walk.cu', ['-DSTEP=2'])])
        self.database('b', [('walk.cu', ['-DSTEP=7'])])
        for folder in ('a', 'b', 'a', 'b'):
            self.same('-p', folder, 'walk.cu', parses=None)

    def test_includer_changes(self):
        self.write('walk.cuh', SOURCE.split('\n', 1)[1])
        self.write('a.cu', '#define STEP 2\n#include "walk.cuh"\n')
        self.write('b.cu', '#define STEP 7\n')
        self.database('.', [('b.cu', []), ('a.cu', [])])
        self.changes(('-p', '.', 'walk.cuh'), lambda: self.write('a.cu', '#define STEP 5\n#include "walk.cuh"\n'))
        self.changes(('-p', '.', 'walk.cuh'), lambda: self.write('b.cu', '#define STEP 7\n#include "walk.cuh"\n'))
        self.changes(('-p', '.', 'walk.cuh'), lambda: self.write('b.cu', '#define STEP 7\n'))

    def test_fake_toolkit(self):
        """CUDA's headers: one of them changes, moves, is shadowed, or another toolkit is found."""
        if not os.path.exists('/usr/local/cuda/include/cuda_runtime.h'):
            self.skipTest('no toolkit')

        def toolkit(folder):
            for sub in ('bin', 'nvvm', 'include'):
                os.makedirs(self.path(f'{folder}/{sub}'))
            os.symlink('/usr/local/cuda/bin/nvcc', self.path(f'{folder}/bin/nvcc'))
            real = '/usr/local/cuda/include'
            for name in os.listdir(real):
                if name == 'cuda_runtime.h':
                    with open(f'{real}/{name}', encoding='utf-8') as file:
                        self.write(f'{folder}/include/{name}', file.read())
                else:
                    os.symlink(f'{real}/{name}', self.path(f'{folder}/include/{name}'))

        def step(folder, value):
            name = f'{folder}/include/cuda_runtime.h'
            text = self.read(name).split('//STEP')[0]
            self.write(name, text + f'//STEP\n#undef STEP\n#define STEP {value}\n')

        toolkit('one')
        toolkit('two')
        step('one', 2)
        step('two', 9)
        self.write('walk.cu', SOURCE.split('\n', 1)[1])
        for flags in ((), ('--', '-Ione/include'), ('--', '-isystem', 'one/include')):
            arguments = ('--cuda-path=one', 'walk.cu', *flags)
            step('one', 2)
            with self.subTest(flags):
                self.changes(arguments, lambda: step('one', 5), toolkit=True)
                os.utime(self.path('one/include/cuda_runtime.h'))
                self.assertEqual(self.cached(*arguments, toolkit=True), self.fresh(*arguments, toolkit=True))
                self.assertEqual(self.cached('--no-result-cache', *arguments, toolkit=True), self.fresh(*arguments, toolkit=True))
        self.environment('CUDA_PATH', self.path('one'))
        self.changes(('walk.cu',), lambda: self.environment('CUDA_PATH', self.path('two')), toolkit=True)
        self.environment('CUDA_PATH', None)
        self.environment('CUDA_HOME', None)
        self.environment('PATH', self.path('one/bin') + ':' + os.environ['PATH'])
        self.changes(('walk.cu',), lambda: self.environment('PATH', self.path('two/bin') + ':' + os.environ['PATH']), toolkit=True)

        def swap():
            os.rename(self.path('two'), self.path('old'))
            os.rename(self.path('one'), self.path('two'))

        self.changes(('walk.cu',), swap, toolkit=True)

    def test_fix_and_again(self):
        name = self.write('turn.cu', harness.tile())
        before = self.cached(name)
        self.run_tool('--cache-dir=cache', '--fix', name)
        fixed = self.cached(name)
        self.assertNotEqual(before, fixed)
        self.assertEqual(fixed, self.fresh(name))
        self.write('turn.cu', harness.tile())
        self.assertEqual(self.cached(name), before)


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

    def test_default_folder(self):
        """A relative or empty XDG_CACHE_HOME counts as none, as its specification says: nothing beside the sources."""
        name = self.project()
        home = self.path('home')
        os.mkdir(home)
        for variable in ('HOME', 'XDG_CACHE_HOME'):
            self.addCleanup(os.environ.__setitem__, variable, os.environ.get(variable, ''))
        os.environ['HOME'] = home
        for xdg in ('', 'below', './below'):
            os.environ['XDG_CACHE_HOME'] = xdg
            self.run_tool(name)
            self.assertEqual(sorted(os.listdir(self.folder)), ['home', 'step.h', 'walk.cu'])
        self.assertEqual(len(self.entries('home/.cache/warplint')), 2)
        for nowhere in ('', 'relative', '/proc/nothing'):
            os.environ['HOME'] = nowhere
            self.assertEqual(self.run_tool('--format=json', name).stdout, self.fresh(name))
            self.assertEqual(sorted(os.listdir(self.folder)), ['home', 'step.h', 'walk.cu'])

    def test_full_disk(self):
        name = self.project()
        limited = subprocess.run(['bash', '-c', 'trap "" XFSZ; ulimit -f 16; exec "$@"', 'bash', harness.TOOL, '--no-cuda',
                                  '--format=json', '--cache-dir=cache', name], cwd=self.folder, capture_output=True, check=False)
        self.assertEqual(limited.returncode, 0, limited.stderr)
        self.assertEqual(limited.stdout.decode(), self.fresh(name))
        left = os.listdir(self.path('cache'))
        self.assertEqual([file for file in left if 'new-' in file], [])
        for file in left:
            self.assertLess(os.path.getsize(self.path('cache/' + file)), 16 * 1024)

    def test_emptied_meanwhile(self):
        """Entries vanish while runs use them."""
        self.project()
        for i in range(6):
            self.write(f'walk{i}.cu', SOURCE.replace('walk', f'walk{i}'))
        names = [f'walk{i}.cu' for i in range(6)]
        expected = self.fresh(*names)
        for _ in range(3):
            run = subprocess.Popen([harness.TOOL, '--no-cuda', '--format=json', '-j4', '--cache-dir=cache', *names], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            while run.poll() is None:
                shutil.rmtree(self.path('cache'), ignore_errors=True)
                time.sleep(0.01)
            output, messages = run.communicate()
            self.assertEqual(output.decode(), expected, f'exit status {run.returncode}\n{messages.decode()}')

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
