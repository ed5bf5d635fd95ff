#!/usr/bin/env python3
"""Kernels that other files launch: through functions that launch them, by declarations, with and without a database."""
import json
import os

from harness import ToolTest, main

HEADER = '''void run(float *out, dim3 grid, int threads);
'''
KERNEL = '''#include "run.h"
__global__ void k(float *out) { out[2 * threadIdx.x] = 1; }
void run(float *out, dim3 grid, int threads) { k<<<grid, dim3(threads, 2)>>>(out); }
'''
HOST = '''#include <cuda_runtime.h>
#include "run.h"
int main() { run(nullptr, 3, 48); }
'''
DECLARED = '''__global__ void k(float *out);
void other(float *out) { k<<<5, 96>>>(out); }
'''


class OtherFiles(ToolTest):
    def shapes(self, *arguments, **options):
        kernels = self.report(*arguments, **options)['kernels']
        return [(kernel['name'], tuple(kernel['block']), kernel['blockOrigin']) for kernel in kernels]

    def project(self, **sources):
        """Files and a database of them; 'main_cpp' is main.cpp, 'a__k_cu' is a/k.cu."""
        names = []
        for key, text in sources.items():
            stem, extension = key.replace('__', '/').rsplit('_', 1)
            names.append(self.write(f'{stem}.{extension}', text))
        commands = [{'directory': self.folder, 'file': name, 'arguments': ['nvcc' if name.endswith('.cu') else 'g++', '-c', name]}
                    for name in names if not name.endswith('.h')]
        self.write('build/compile_commands.json', json.dumps(commands))
        return names

    def test_a_function_called_from_a_host_file(self):
        self.project(run_h=HEADER, k_cu=KERNEL, main_cpp=HOST)
        for arguments in (['-p', 'build'], ['k.cu'], ['-p', 'build', 'k.cu']):
            report = self.report(*arguments)
            kernel, = report['kernels']
            self.assertEqual((kernel['block'], kernel['grid'], kernel['blockOrigin']), ([48, 2, 1], [3, 1, 1], 'launch'))
            self.assertEqual(kernel['accesses'][0]['confidence'], 'exact')
        text = self.run_tool('k.cu').stdout
        self.assertIn('block 48x2 from the launch at line 3, called at main.cpp:3', text)

    def test_without_a_caller_the_shape_is_assumed(self):
        self.project(run_h=HEADER, k_cu=KERNEL, main_cpp=HOST.replace('run(nullptr', 'void others(float *, int, int); others(nullptr'))
        self.assertEqual(self.shapes('k.cu'), [('k', (128, 2, 1), 'assumed')])
        self.assertIn("'threads' is a parameter of 'run', which nothing here calls", self.run_tool('k.cu').stdout)

    def test_what_is_not_constant_elsewhere_is_assumed(self):
        self.project(run_h=HEADER, k_cu=KERNEL, main_cpp=HOST.replace('main()', 'main(int argc, char **)').replace('48', 'argc'))
        self.assertEqual(self.shapes('k.cu'), [('k', (128, 2, 1), 'assumed')])

    def test_what_may_change_elsewhere_is_likely(self):
        self.project(run_h=HEADER, k_cu=KERNEL, main_cpp=HOST.replace('int main', 'int threads = 48;\nint main').replace(', 48', ', threads'))
        self.assertEqual(self.shapes('k.cu'), [('k', (48, 2, 1), 'assumed')])
        self.assertIn("'threads' is not constant in that call", self.run_tool('k.cu').stdout)

    def test_a_kernel_that_another_file_declares(self):
        kernel = '__global__ void k(float *out) { out[2 * threadIdx.x] = 1; }\n'
        self.project(k_cu=kernel, other_cu=DECLARED)
        self.assertEqual(self.shapes('-p', 'build'), [('k', (96, 1, 1), 'launch')])
        self.assertIn('block 96 from the launch at other.cu:2', self.run_tool('k.cu').stdout)
        # A kernel of the same name that only its own file can mean.
        self.write('k.cu', 'static ' + kernel)
        self.assertEqual(self.shapes('k.cu'), [('k', (256, 1, 1), 'assumed')])
        # Another kernel: it takes something else.
        self.write('k.cu', kernel.replace('float', 'double'))
        self.assertEqual(self.shapes('k.cu'), [('k', (256, 1, 1), 'assumed')])

    def test_files_of_one_run_without_a_database(self):
        self.write('k.cu', '__global__ void k(float *out) { out[2 * threadIdx.x] = 1; }\n')
        self.write('other.cu', DECLARED)
        self.assertEqual(self.shapes('k.cu', 'other.cu'), [('k', (96, 1, 1), 'launch')])
        self.assertEqual(self.shapes('other.cu', 'k.cu'), [('k', (96, 1, 1), 'launch')])
        self.assertEqual(self.shapes('k.cu'), [('k', (256, 1, 1), 'assumed')])

    def test_all_callers_count(self):
        self.project(run_h=HEADER, k_cu=KERNEL, main_cpp=HOST, b_cpp=HOST.replace('main()', 'f()').replace('48', '16'))
        self.assertEqual(self.shapes('k.cu'), [('k', (48, 2, 1), 'launch'), ('k', (16, 2, 1), 'launch')])

    def test_the_answer_follows_the_launching_file(self):
        self.project(run_h=HEADER, k_cu=KERNEL, main_cpp=HOST)
        cache = f'--cache-dir={self.path("cache")}'
        self.assertEqual(self.shapes('k.cu', cache), [('k', (48, 2, 1), 'launch')])
        self.assertEqual(self.shapes('k.cu', cache), [('k', (48, 2, 1), 'launch')])
        self.write('main.cpp', HOST.replace('48', '16'))
        self.assertEqual(self.shapes('k.cu', cache), [('k', (16, 2, 1), 'launch')])
        self.write('main.cpp', 'int main() {}\n')
        self.assertEqual(self.shapes('k.cu', cache), [('k', (128, 2, 1), 'assumed')])
        self.write('main.cpp', HOST)
        self.assertEqual(self.shapes('k.cu', cache), [('k', (48, 2, 1), 'launch')])

    def test_programs_with_functions_of_one_name(self):
        programs = {}
        for name, threads in (('a', '48'), ('b', '16')):
            programs.update({f'{name}__run_h': HEADER, f'{name}__k_cu': KERNEL, f'{name}__main_cpp': HOST.replace('48', threads)})
        self.project(**programs)
        self.assertEqual(self.shapes('a/k.cu'), [('k', (48, 2, 1), 'launch')])
        self.assertEqual(self.shapes('b/k.cu'), [('k', (16, 2, 1), 'launch')])
        # In one folder nothing tells them apart.
        self.write('a/k2.cu', KERNEL)
        self.database('build', [(os.path.join('a', file), []) for file in ('k.cu', 'k2.cu', 'main.cpp')])
        self.assertEqual(self.shapes('a/k.cu'), [('k', (128, 2, 1), 'assumed')])

    def test_the_number_of_jobs_makes_no_difference(self):
        sources = {'run_h': HEADER, 'k_cu': KERNEL}
        for number in range(6):
            sources[f'm{number}_cpp'] = HOST.replace('main()', f'f{number}()').replace('48', str(16 + number))
            sources[f'n{number}_cu'] = KERNEL.replace('run(', f'run{number}(') + f'void g{number}() {{ run{number}(nullptr, 1, 8); }}\n'
        self.project(**sources)
        reports = [self.run_tool('--format=json', '-p', 'build', f'-j{jobs}', '--no-cache').stdout for jobs in (1, 4)]
        self.assertEqual(reports[0], reports[1])

    def test_fixes_see_the_launches_of_other_files(self):
        tile = '''__global__ void turn(float *out, const float *in) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
'''
        self.project(k_cu=tile, other_cu='__global__ void turn(float *, const float *);\n'
                     'void f(float *a, float *b) { turn<<<1, dim3(32, 32)>>>(a, b); }\n')
        self.run_tool('--fix', 'k.cu', '-p', 'build')
        self.assertIn('tile[32][33]', self.read('k.cu'))


if __name__ == '__main__':
    main()
