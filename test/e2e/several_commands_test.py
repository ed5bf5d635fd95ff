#!/usr/bin/env python3
"""Code that a project compiles several times in different ways: no way of it is left out."""
import json

from harness import STRIDE, ToolTest, main

PARAMETRIC = STRIDE.replace('2 * ', 'STEP * ')
STEPS = (['-DSTEP=1'], ['-DSTEP=2'])


class OneFile(ToolTest):
    def test_commands_that_differ(self):
        self.write('k.cu', PARAMETRIC)
        for flags in (STEPS, reversed(STEPS)):
            self.database('build', [('k.cu', each) for each in flags])
            for inputs in ([], ['k.cu']):
                report = self.report('-p', 'build', *inputs)
                self.assertEqual([finding['rule'] for finding in report['findings']], ['global-stride'])
                self.assertEqual(sorted(max(access['sectors'] for access in kernel['accesses']) for kernel in report['kernels']), [4, 8])
                self.run_tool('-p', 'build', '--warnings-as-errors=*', *inputs, status=1)

    def test_commands_that_do_not_matter(self):
        self.write('k.cu', PARAMETRIC)
        for flags in ([['-DSTEP=1'], ['-DSTEP=1']], [['-DSTEP=1', '-o', 'a.o'], ['-DSTEP=1', '-o', 'b.o', '-Xcompiler', '-fPIC']],
                      [['-DSTEP=1'], ['-DSTEP=1', '-DOTHER']]):
            self.database('build', [('k.cu', each) for each in flags])
            report = self.report('-p', 'build', '--warnings-as-errors=*')
            self.assertEqual((len(report['kernels']), report['findings']), (1, []))

    def test_one_that_does_not_compile(self):
        self.write('k.cu', PARAMETRIC)
        self.database('build', [('k.cu', []), ('k.cu', ['-DSTEP=2'])])
        report = self.report('-p', 'build')
        self.assertEqual([finding['rule'] for finding in report['findings']], ['global-stride'])
        self.assertTrue(any('STEP' in error['message'] for error in report['errors']), report['errors'])


class KernelOfAHeader(ToolTest):
    def test_files_that_make_other_code_of_it(self):
        self.write('k.cuh', PARAMETRIC.replace('void launch', 'inline void launch'))
        for name in ('a.cu', 'b.cu'):
            self.write(name, f'#include "k.cuh"\nvoid of_{name[0]}(float *out, const float *in) {{ launch(out, in); }}\n')
        for first, second, findings, kernels in ((1, 2, ['global-stride'], 2), (2, 1, ['global-stride'], 2), (1, 1, [], 1)):
            self.database('build', [('a.cu', [f'-DSTEP={first}']), ('b.cu', [f'-DSTEP={second}'])])
            report = self.report('-p', 'build')
            self.assertEqual(([finding['rule'] for finding in report['findings']], len(report['kernels'])), (findings, kernels))
            # The same from shards.
            for index in (1, 2):
                self.run_tool('-p', 'build', '--format=json', f'--shard={index}/2', f'--output={index}.json')
            self.assertEqual(json.loads(self.run_tool('merge', '1.json', '2.json', toolkit=True).stdout), report)


if __name__ == '__main__':
    main()
