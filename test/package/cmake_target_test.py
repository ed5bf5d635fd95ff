#!/usr/bin/env python3
"""examples/cmake with CMake, ninja, make and nvcc: warplint_add_target(), and warplint as the compiler's launcher."""
import json
import os
import re
import shutil
import time

import package
from harness import STRIDE
from package import ROOT, PackageTest

NVCC = shutil.which('nvcc') or shutil.which('/usr/local/cuda/bin/nvcc')
COPY = 'src/copy.cu:5:'
TRANSPOSE = 'src/transpose.cu:8:'


class ExampleTest(PackageTest):
    generator = 'Ninja'

    def setUp(self):
        super().setUp()
        if not NVCC:
            self.skipTest('nvcc is not installed')
        shutil.copytree(f'{ROOT}/examples/cmake', self.path('source'))
        self.configure()

    def configure(self, *options):
        self.run_command('cmake', '-S', 'source', '-B', 'build', '-G', self.generator, f'-DCMAKE_CUDA_COMPILER={NVCC}',
                         f'-DCMAKE_PREFIX_PATH={self.install()}', *options)

    def build(self, target, status=0):
        run = self.run_command('cmake', '--build', 'build', '--target', target, status=status)
        return run.stdout + run.stderr

    def edit(self, name, old, new):
        text = self.read(name)
        self.assertIn(old, text)
        time.sleep(1.1)  # make's clock
        self.write(name, text.replace(old, new))

    def steps(self, output):
        return sorted(re.findall(r'(?:\] |^)warplint (src/\S+|\S+\.sarif)$', re.sub(r'\x1b\[[\d;]*m', '', output), re.M))


class Target(ExampleTest):
    def test_only_what_changed(self):
        output = self.build('lint')
        self.assertEqual(self.steps(output), ['src/copy.cu', 'src/transpose.cu', 'warplint.sarif'])
        self.assertIn(COPY, output)
        self.assertIn(TRANSPOSE, output)
        self.assertIn('2 findings in 2 kernels', output)
        self.assertIn('global-stride', self.read('build/warplint.sarif'))

        output = self.build('lint')
        self.assertEqual(self.steps(output), [])
        self.assertIn(COPY, output)  # of unchanged files, too

        self.edit('source/src/transpose.cu', 'tile[Edge][Edge]', 'tile[Edge][Edge + 1]')
        output = self.build('lint')
        self.assertEqual(self.steps(output), ['src/transpose.cu', 'warplint.sarif'])
        self.assertNotIn(TRANSPOSE, output)
        result, = json.loads(self.read('build/warplint.sarif'))['runs'][0]['results']
        self.assertEqual(result['ruleId'], 'global-stride')
        self.assertEqual(result['locations'][0]['physicalLocation']['artifactLocation']['uri'], 'src/copy.cu')

        self.edit('source/include/transpose.h', 'Edge = 32', 'Edge = 16')
        self.assertEqual(self.steps(self.build('lint')), ['src/copy.cu', 'src/transpose.cu', 'warplint.sarif'])

        self.edit('source/CMakeLists.txt', 'COPY_STEP=2', 'COPY_STEP=1')
        output = self.build('lint')
        self.assertIn('src/copy.cu', self.steps(output))
        self.assertNotIn(COPY, output)

    def test_configuration(self):
        self.write('source/.warplint', 'Checks: -global-stride\n')
        self.assertNotIn(COPY, self.build('lint'))
        self.edit('source/.warplint', '-global-stride', '-global-gather')
        self.assertIn(COPY, self.build('lint'))
        self.edit('source/.warplint', 'Checks: -global-gather', 'WarningsAsErrors: global-stride')
        output = self.build('lint', status=None if self.generator != 'Ninja' else 1)
        self.assertIn(f'{COPY}', output)
        self.assertIn('error', output)

    def test_gate(self):
        output = self.build('lint-gate', status=1 if self.generator == 'Ninja' else 2)
        self.assertIn(TRANSPOSE, output)
        self.assertNotIn(COPY, output)  # OPTIONS
        self.edit('source/src/transpose.cu', 'tile[Edge][Edge]', 'tile[Edge][Edge + 1]')
        self.build('lint-gate')

    def test_mistakes(self):
        for call, says in (('warplint_add_target(x TARGETS none)', "no target 'none'"), ('warplint_add_target(x TARGET y)', 'unknown argument'),
                           ('warplint_add_target(x OPTIONS $<$<CONFIG:Debug>:--block=64>)', 'no generator expressions'),
                           ('add_custom_target(y)\nwarplint_add_target(x TARGETS y)', 'no CUDA source')):
            self.write('bad/CMakeLists.txt', f'cmake_minimum_required(VERSION 3.25)\nproject(b LANGUAGES NONE)\nfind_package(warplint)\n{call}\n')
            run = self.run_command('cmake', '-S', 'bad', '-B', 'bad-build', '-G', self.generator,
                                   f'-DCMAKE_PREFIX_PATH={self.path("installed")}', status=1)
            self.assertIn(says, ' '.join(run.stderr.split()))


class TargetWithMake(Target):
    generator = 'Unix Makefiles'


PROJECT = '''
cmake_minimum_required(VERSION 3.25)
set(CMAKE_CUDA_ARCHITECTURES 80)
project(several LANGUAGES CXX CUDA)
add_subdirectory(sub)
add_executable(app main.cpp)
add_library(inherited INTERFACE)
target_sources(inherited INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/inherited.cu>)
add_library(between INTERFACE)
target_link_libraries(between INTERFACE inherited)
target_link_libraries(app PRIVATE between)
target_sources(app PRIVATE "a b/late.cu")
add_custom_target(format COMMAND true SOURCES notes.cu)
'''
SUBPROJECT = '''
find_package(warplint REQUIRED)
add_custom_command(OUTPUT made.cu made.h COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/model.cu made.cu
                   COMMAND ${CMAKE_COMMAND} -E touch made.h)
add_library(generated OBJECT made.cu uses.cu made.h)
target_include_directories(generated PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
add_library(its::generated ALIAS generated)
warplint_add_target(lint TARGETS app its::generated FAIL_ON_FINDINGS)
warplint_add_target(lint-here)
'''


class Sources(PackageTest):
    """Where targets have their sources from: none is left out."""
    generator = 'Ninja'

    def setUp(self):
        super().setUp()
        if not NVCC:
            self.skipTest('nvcc is not installed')
        self.write('CMakeLists.txt', PROJECT)
        self.write('sub/CMakeLists.txt', SUBPROJECT)
        self.write('main.cpp', 'int main() {}\n')
        for name in ('inherited.cu', 'a b/late.cu', 'model.cu', 'sub/uses.cu', 'notes.cu'):
            include = '#include "made.h"' if 'uses' in name else ''
            kernel = os.path.basename(name)[:-3]
            self.write(name, f'{include}\n{STRIDE}'.replace('stride', kernel).replace('void launch', f'void of_{kernel}'))
        self.run_command('cmake', '-S', '.', '-B', 'build', '-G', self.generator, f'-DCMAKE_CUDA_COMPILER={NVCC}',
                         f'-DCMAKE_PREFIX_PATH={self.install()}')

    def findings(self, target, fails):
        run = self.run_command('cmake', '--build', 'build', '--target', target, status=None)
        self.assertEqual(run.returncode != 0, fails, run.stdout + run.stderr)
        self.assertNotIn('not found', run.stdout + run.stderr)
        return sorted(set(re.findall(r'^(\S.*):3:22: (?:warning|error)', run.stdout + run.stderr, re.M)))

    def test_all_sources(self):
        generated = ['build/sub/made.cu', 'sub/uses.cu']
        self.assertEqual(self.findings('lint', fails=True), sorted(['a b/late.cu', 'inherited.cu', *generated]))
        self.assertEqual(self.findings('lint-here', fails=False), generated)
        self.write('inherited.cu', self.read('inherited.cu').replace('2 * ', ''))
        self.assertNotIn('inherited.cu', self.findings('lint', fails=True))

    def test_errors_of_the_moment(self):
        """A file with errors is looked at again, whatever takes them away."""
        self.write('a b/late.cu', '#include "by_hand.h"' + self.read('a b/late.cu'))
        build = ('cmake', '--build', 'build', '--target', 'lint')
        run = self.run_command(*build, status=None)
        self.assertIn("'by_hand.h' file not found", run.stdout + run.stderr)
        self.write('a b/by_hand.h', '')
        run = self.run_command(*build, status=None)
        self.assertNotIn("file not found", run.stdout + run.stderr)
        self.assertIn('warplint a b/late.cu', run.stdout)
        if self.generator == 'Ninja':  # make may look once too often
            self.assertNotIn('warplint a b/late.cu', self.run_command(*build, status=None).stdout)


class SourcesWithMake(Sources):
    generator = 'Unix Makefiles'


class Launcher(ExampleTest):
    def test_build(self):
        self.configure(f'-DCMAKE_CUDA_COMPILER_LAUNCHER={package.harness.TOOL};--launcher')
        output = self.build('transposer')
        self.assertIn(COPY, output)
        self.assertIn(TRANSPOSE, output)
        self.assertTrue(os.path.exists(self.path('build/libtransposer.a')))
        self.assertIn(COPY, self.build('lint'))  # the launcher in the database is seen through
        self.configure(f'-DCMAKE_CUDA_COMPILER_LAUNCHER={package.harness.TOOL};--launcher;--warnings-as-errors=global-stride')
        self.assertIn(f'{COPY}', self.build('transposer', status=1))


if __name__ == '__main__':
    package.main()
