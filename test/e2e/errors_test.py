#!/usr/bin/env python3
"""--fail-on-errors: what the exit status makes of errors in the code."""
import json

import harness
from harness import BROKEN, CLEAN, STRIDE, ToolTest

OPTION = '--fail-on-errors'


class FailOnErrors(ToolTest):
    def setUp(self):
        super().setUp()
        self.half = self.write('half.cu', STRIDE + BROKEN)
        self.clean = self.write('clean.cu', CLEAN)

    def test_code_that_was_read_in_part(self):
        without = self.run_tool('--format=json', self.half)
        run = self.run_tool('--format=json', OPTION, self.half, status=2)
        self.assertEqual(run.stdout, without.stdout)  # the report is whole
        self.assertEqual(run.stderr, without.stderr)
        self.assertIn(', 2 errors', run.stderr)

    def test_sound_code(self):
        self.run_tool(OPTION, self.clean)
        self.run_tool(OPTION, self.write('stride.cu', STRIDE))
        self.run_tool(OPTION, '--warnings-as-errors=*', 'stride.cu', status=1)

    def test_errors_count_before_findings(self):
        self.run_tool('--warnings-as-errors=*', self.half, status=1)
        self.run_tool(OPTION, '--warnings-as-errors=*', self.half, status=2)

    def test_errors_outside_of_kernels(self):
        name = self.write('host.cu', CLEAN + 'void host() { undeclared(); }\n')
        self.run_tool(name)
        self.run_tool(OPTION, name, status=2)

    def test_file_that_cannot_be_analysed(self):
        self.needs_crash_recovery()
        name = self.write('crash.cu', '#pragma clang __debug crash\n')
        for options in ((), (OPTION,)):
            report = self.report(*options, name, self.clean, status=2)
            self.assertEqual(len(report['kernels']), 1)

    def test_one_query(self):
        self.run_tool('--explain-access=half.cu:2')
        self.run_tool(OPTION, '--explain-access=half.cu:2', status=2)

    def test_merge(self):
        self.database('build', [(self.half, []), (self.clean, [])])
        names = []
        for index in (1, 2):
            names.append(f'{index}.json')
            self.run_tool(f'--shard={index}/2', '--format=json', f'--output={names[-1]}', '-p', 'build')
        merged = self.run_tool('merge', *names, toolkit=True)
        failed = self.run_tool('merge', OPTION, *names, toolkit=True, status=2)
        self.assertEqual((failed.stdout, failed.stderr), (merged.stdout, merged.stderr))
        self.assertEqual(len(json.loads(merged.stdout)['errors']), 2)
        self.run_tool('--format=json', '--output=clean.json', self.clean)
        self.run_tool('merge', OPTION, 'clean.json', toolkit=True)

    def test_merge_of_sarif_has_no_status(self):
        self.run_tool('--format=sarif', '--output=a.sarif', self.half)
        self.run_tool('merge', 'a.sarif', toolkit=True)
        self.fails('merge', OPTION, 'a.sarif', says=['--fail-on-errors is for reports of --format=json'], toolkit=True)


if __name__ == '__main__':
    harness.main()
