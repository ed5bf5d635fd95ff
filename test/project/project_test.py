"""Databases of a real CMake project: that of `source`, captured once, and generated here where nvcc is.

captured/: what CMake 3.25 wrote for Ninja and for Makefiles (which put includes into response files), with @DIR@
for the folder of source/ and build/. Every line of src/scale.cu that the command must explain is an error without it.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), 'e2e'))
import harness
from harness import ToolTest

GENERATORS = {'ninja': ('Ninja', 'ninja'), 'makefiles': ('Unix Makefiles', 'make')}


class Project(ToolTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(os.path.join(HERE, 'source'), self.path('source'))

    def capture(self, name, change=lambda text: text):
        """The captured database of that name as build/, with the words of its commands changed."""
        origin = os.path.join(HERE, 'captured', name)
        for folder, _, files in os.walk(origin):
            for file in files:
                with open(os.path.join(folder, file), encoding='utf-8') as source:
                    text = source.read()
                where = os.path.join('build', os.path.relpath(folder, origin), file)
                self.write(where, text.replace('@DIR@', self.folder))
        database = self.path('build/compile_commands.json')
        with open(database, encoding='utf-8') as file:
            commands = json.load(file)
        for command in commands:
            command['command'] = change(command['command'])
        with open(database, 'w', encoding='utf-8') as file:
            json.dump(commands, file)

    def check(self, **options):
        run = self.run_tool('--format=json', '-p', 'build', **options)
        self.assertNotIn('note:', run.stderr)
        report = self.checked(json.loads(run.stdout))
        self.assertEqual(report['errors'], [])
        self.assertEqual(report['summary']['files'], 2)
        self.assertEqual(sorted((k['name'], tuple(k['block']), k['blockOrigin'], k['arch']) for k in report['kernels']),
                         [('scale', (256, 1, 1), 'launch', 'sm_90'), ('turn', (32, 32, 1), 'launch', 'sm_90')])
        self.assertEqual(sorted(f['rule'] for f in report['findings']), ['global-stride', 'shared-tile-column'])

    def check_header(self, **options):
        """A template in a header has its instance and its launch from the unit that includes it."""
        for extra in (['-p', 'build'], []):
            run = self.run_tool('--format=json', *extra, 'source/include/turn.cuh', **options)
            report = self.checked(json.loads(run.stdout))
            self.assertEqual([(k['name'], k['block'], k['blockOrigin']) for k in report['kernels']],
                             [('turn', [32, 32, 1], 'launch')])
            self.assertEqual(report['errors'], [])
            self.assertRegex(run.stderr, "turn.cuh' is analysed through '.*source/src/turn.cu', which includes it")


class Captured(Project):
    def setUp(self):
        super().setUp()
        # CMake escapes a folder's name where it needs to be; the captured words only hold plain ones.
        plain = os.path.realpath(tempfile.mkdtemp(prefix='warplint-project'))
        self.addCleanup(shutil.rmtree, plain)
        shutil.move(self.path('source'), plain)
        self.folder = plain

    def test_databases(self):
        for name in GENERATORS:
            with self.subTest(name):
                self.capture(name)
                self.check()
                self.check_header()

    def test_launchers(self):
        for launcher in ('ccache ', '/usr/bin/cmake -E env "A=b c" ccache ', 'nice -n 5 '):
            with self.subTest(launcher):
                self.capture('makefiles', lambda text, launcher=launcher: launcher + text)
                self.check()

    def test_every_word_counts(self):
        """What `check` relies on: without one of these, scale.cu has errors."""
        for word in ('-rdc=true', '--expt-relaxed-constexpr', '--extended-lambda', '-DFROM_HOST=1', '-std=c++17',
                     '--default-stream=per-thread', '-DON_DEVICE', '--options-file CMakeFiles/kernels.dir/includes_CUDA.rsp',
                     '--generate-code=arch=compute_90,code=[compute_90,sm_90]', '-DSTEP=2'):
            with self.subTest(word):
                def without(text, word=word):
                    if 'nvcc' in text:
                        self.assertIn(word, text)
                    return text.replace(word, '')
                self.capture('makefiles', without)
                run = self.run_tool('--format=json', '-p', 'build', 'source/src/scale.cu', status=None)
                self.assertNotEqual(json.loads(run.stdout)['errors'], [])


@unittest.skipUnless(shutil.which('cmake') and shutil.which('nvcc'), 'no cmake or no nvcc here')
class Generated(Project):
    def generate(self, name):
        generator, program = GENERATORS[name]
        if not shutil.which(program):
            self.skipTest(f'no {program} here')
        # The compilers are not what is tested: without these, each configuration compiles and links six programs.
        trusted = [f'-DCMAKE_{what}=1' for what in ('CXX_COMPILER_WORKS', 'CUDA_COMPILER_WORKS', 'CUDA_ABI_COMPILED')]
        run = subprocess.run(['cmake', '-S', 'source', '-B', 'build', '-G', generator, *trusted], cwd=self.folder,
                             capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_ninja(self):
        self.generate('ninja')
        self.check(toolkit=True)
        self.check_header(toolkit=True)

    def test_makefiles(self):
        self.generate('makefiles')
        self.check(toolkit=True)
        self.check_header(toolkit=True)


if __name__ == '__main__':
    harness.main()
