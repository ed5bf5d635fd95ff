"""Headers and fragments: analysed through a unit that includes them, and nothing else of it is reported."""
from harness import BROKEN, CLEAN, CONFLICT, STRIDE, ToolTest, main, tile

# A template: no instance, and no block, without a unit that launches it.
TURN = '''#pragma once
template <int Width> __global__ void turn(float *out, const float *in) {
  __shared__ float tile[Width][Width];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * Width + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * Width + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
'''
USER = '''#include "../include/turn.cuh"
void launch_turn(float *out, const float *in) { turn<32><<<1, dim3(32, 32)>>>(out, in); }
'''


class Headers(ToolTest):
    def setUp(self):
        super().setUp()
        self.write('include/turn.cuh', TURN)

    def kernels(self, report):
        return [(kernel['name'], kernel['block'], kernel['blockOrigin']) for kernel in report['kernels']]

    def test_template_with_its_launch(self):
        # The unit's own kernel, finding and error are not the header's.
        self.write('src/turn.cu', USER + STRIDE + BROKEN)
        self.database('build', [('src/turn.cu', [])])
        report = self.report('-p', 'build', 'include/turn.cuh')
        self.assertEqual(self.kernels(report), [('turn', [32, 32, 1], 'launch')])
        self.assertEqual([f['rule'] for f in report['findings']], [CONFLICT])
        self.assertEqual(report['errors'], [])
        self.assertEqual(self.kernels(self.report('-p', 'build', 'src/turn.cu'))[1], ('stride', [256, 1, 1], 'launch'))

    def test_without_a_unit_there_is_no_instance(self):
        report = self.report('include/turn.cuh')
        self.assertEqual(self.kernels(report), [])
        self.assertEqual(report['errors'], [])

    def test_which_command(self):
        self.write('src/turn.cu', USER)
        self.database('build', [('src/turn.cu', [])])
        run = self.run_tool('-p', 'build', 'include/turn.cuh')
        self.assertIn(f"note: 'include/turn.cuh' is analysed through '{self.path('src/turn.cu')}', which includes it", run.stderr)
        self.assertNotIn('note: ', self.run_tool('--quiet', '-p', 'build', 'include/turn.cuh').stderr)

    def test_another_unit_has_the_instance(self):
        self.write('src/turn.cu', '#include "../include/turn.cuh"\n' + CLEAN)
        self.write('src/user.cu', USER)
        self.database('build', [('src/turn.cu', []), ('src/user.cu', [])])
        run = self.run_tool('-p', 'build', 'include/turn.cuh')
        self.assertIn(CONFLICT, run.stdout)
        self.assertIn('src/user.cu', run.stderr)
        self.assertNotIn('src/turn.cu', run.stderr)

    def test_unit_that_does_not_show_it(self):
        """The scan ignores conditions; the kernel is found in the header by itself."""
        self.write('include/stride.cuh', STRIDE)
        self.write('src/user.cu', '#if 0\n#include "../include/stride.cuh"\n#endif\n' + tile())
        self.database('build', [('src/user.cu', [])])
        report = self.report('-p', 'build', 'include/stride.cuh')
        self.assertEqual(self.kernels(report), [('stride', [256, 1, 1], 'launch')])
        self.assertIn('is analysed by itself', self.run_tool('-p', 'build', 'include/stride.cuh').stderr)

    def test_neighbour_without_a_database(self):
        self.write('include/user.cu', USER)
        self.assertEqual(self.kernels(self.report('include/turn.cuh')), [('turn', [32, 32, 1], 'launch')])
        self.assertEqual(self.kernels(self.report('include/turn.cuh', '--')), [('turn', [32, 32, 1], 'launch')])

    def test_program_that_another_includes(self):
        """A profiler or a test may include a whole program, whose kernels are all in headers: it is analysed by itself then."""
        program = '#include "include/stride.cuh"\nint main() { launch(nullptr, nullptr); }\n'
        self.write('include/stride.cuh', STRIDE)
        self.write('program.cu', program)
        self.write('profile.cu', '#define TESTING\n#include "program.cu"\n' + tile())
        report = self.report('program.cu', '--', '-I.')
        self.assertEqual(self.kernels(report), [('stride', [256, 1, 1], 'launch')])
        # A header has no kernels but its own.
        self.write('include/all.cuh', '#include "stride.cuh"\n')
        self.write('profile.cu', '#include "include/all.cuh"\n' + tile())
        self.assertEqual(self.kernels(self.report('include/all.cuh', '--', '-I.')), [])

    def test_fragment(self):
        """A .cu that cannot stand alone."""
        self.write('src/part_kernel.cu', 'elem total(elem *a);\n__global__ void part(elem *out) { out[2 * threadIdx.x] = 1; }\n')
        self.write('src/main.cu', 'typedef float elem;\n#include "part_kernel.cu"\nvoid go(float *o) { part<<<1, 64>>>(o); }\n')
        report = self.report('src/part_kernel.cu')
        self.assertEqual(self.kernels(report), [('part', [64, 1, 1], 'launch')])
        self.assertEqual(report['errors'], [])
        self.database('build', [('src/main.cu', [])])
        self.assertEqual(self.kernels(self.report('-p', 'build', 'src/part_kernel.cu')), [('part', [64, 1, 1], 'launch')])
        # By itself, as its own entry would have it, it is broken.
        self.database('build', [('src/main.cu', []), ('src/part_kernel.cu', [])])
        self.assertNotEqual(self.report('-p', 'build', 'src/part_kernel.cu', status=None)['errors'], [])

    def test_header_without_kernels(self):
        self.write('include/helpers.cuh', '__device__ inline float twice(float x) { return 2 * x; }\n')
        self.write('src/user.cu', '#include "../include/helpers.cuh"\n' + BROKEN)
        self.database('build', [('src/user.cu', [])])
        report = self.report('-p', 'build', 'include/helpers.cuh')
        self.assertEqual((report['kernels'], report['errors']), ([], []), "the unit's error is not the header's")
        self.write('include/helpers.cuh', '__device__ inline float twice(float x) { return undeclared; }\n')
        report = self.report('-p', 'build', 'include/helpers.cuh')
        self.assertEqual([error['line'] for error in report['errors']], [1])

    def test_broken_kernel(self):
        """A sound kernel of the unit does not excuse the header's."""
        self.write('include/broken.cuh', BROKEN)
        self.write('src/user.cu', '#include "../include/broken.cuh"\n' + CLEAN)
        self.database('build', [('src/user.cu', [])])
        self.fails_with_report('-p', 'build', 'include/broken.cuh', says=['include/broken.cuh: no kernel could be analysed'])

    def test_unit_that_is_too_broken(self):
        self.write('include/kernel.cuh', 'template <class T> __global__ void k(T *out, missing m) { out[0] = m; }\n')
        self.write('src/user.cu', '#include "../include/kernel.cuh"\n' + BROKEN)
        self.database('build', [('src/user.cu', [])])
        self.fails_with_report('-p', 'build', 'include/kernel.cuh', says=['include/kernel.cuh: no kernel could be analysed'])

    def fails_with_report(self, *arguments, says):
        run = self.run_tool(*arguments, status=2)
        for words in says:
            self.assertIn(words, run.stderr)

    def test_reported_once(self):
        self.write('src/turn.cu', USER)
        self.database('build', [('src/turn.cu', [])])
        for files in (['include/turn.cuh', 'src/turn.cu'], ['src/turn.cu', 'include/turn.cuh']):
            self.assertEqual(self.rules('-p', 'build', *files), [CONFLICT])

    def test_fix_in_a_header(self):
        self.write('include/tile.cuh', tile().replace('void launch', '#if 0\nvoid launch') + '#endif\n')
        unit = '#include "../include/tile.cuh"\nvoid go(float *o, const float *i) { turn<<<64, dim3(32, 32)>>>(o, i, 1024); }\n'
        self.write('src/user.cu', unit)
        self.database('build', [('src/user.cu', [])])
        self.run_tool('-p', 'build', '--fix', 'include/tile.cuh')
        self.assertIn('tile[32][33]', self.read('include/tile.cuh'))
        self.assertEqual(self.read('src/user.cu'), unit)
        self.assertEqual(self.rules('-p', 'build', 'include/tile.cuh'), [])


if __name__ == '__main__':
    main()
