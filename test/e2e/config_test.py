#!/usr/bin/env python3
"""Configuration: .warplint files, --config and its kin, options of checks, unused NOLINT comments."""
import os
import re

import harness
from harness import CLEAN, CONFLICT, STRIDE, ToolTest, tile

ASSUMED = STRIDE.split('void launch')[0]
SYMBOLIC = '''__global__ void rows(float *out, const float *in, int n) {
  out[threadIdx.x] = in[threadIdx.x * n];
}
void launch(float *out, const float *in, int n) { rows<<<1, 256>>>(out, in, n); }
'''


class Lookup(ToolTest):
    """Which file holds for which source."""

    def test_nearest_folder_above_the_file(self):
        self.write('.warplint', 'Checks: -global-stride\n')
        for name in ('a.cu', 'sub/a.cu', 'sub/deep/a.cu'):
            self.assertEqual(self.rules(self.write(name, STRIDE)), [], name)
        self.write('sub/.warplint', '{}')
        self.assertEqual(self.rules('a.cu'), [])
        for name in ('sub/a.cu', 'sub/deep/a.cu'):
            self.assertEqual(self.rules(name), ['global-stride'], f'{name}: the nearest file, and no other')

    def test_inheriting(self):
        self.write('.warplint', 'Checks: -global-stride\nCheckOptions: {shared-tile-column.Severity: note}\n')
        self.write('sub/.warplint', 'InheritParentConfig: true\nChecks: global-gather\n')
        self.write('sub/a.cu', STRIDE + tile())
        finding, = self.report('sub/a.cu')['findings']
        self.assertEqual((finding['rule'], finding['severity']), (CONFLICT, 'note'))
        self.write('sub/.warplint', 'InheritParentConfig: true\nChecks: global-stride\n')
        self.assertEqual(self.rules('sub/a.cu'), ['global-stride', CONFLICT], 'checks are added at the end')

    def test_each_file_has_its_own(self):
        self.write('one/a.cu', STRIDE)
        self.write('two/b.cu', STRIDE)
        self.write('one/.warplint', 'Checks: -global-stride\n')
        self.write('two/.warplint', 'WarningsAsErrors: "*"\n')
        findings = self.report('one/a.cu', 'two/b.cu', status=1)['findings']
        self.assertEqual([(f['severity'], os.path.basename(f['file'])) for f in findings], [('error', 'b.cu')])

    def test_a_kernel_has_the_configuration_of_its_own_file(self):
        self.write('lib/stride.cuh', ASSUMED)
        main = self.write('main.cu', '#include "lib/stride.cuh"\nvoid launch(float *o, const float *i) { stride<<<1, 64>>>(o, i); }\n')
        self.assertEqual(self.rules(main), ['global-stride'])
        self.write('lib/.warplint', 'Checks: -global-stride\n')
        self.assertEqual(self.rules(main), [])
        self.write('lib/.warplint', 'Cheks: -global-stride\n')
        run = self.run_tool(main, status=2)
        self.assertIn(f"{self.path('lib/.warplint')}:1:1: unknown key 'Cheks'", run.stderr)

    def test_other_things_of_that_name(self):
        os.mkdir(self.path('.warplint'))
        self.write('a.cu', STRIDE)
        self.assertEqual(self.rules('a.cu'), ['global-stride'])
        os.rmdir(self.path('.warplint'))
        os.mkfifo(self.path('.warplint'))
        self.assertEqual(self.rules('a.cu'), ['global-stride'])

    def test_links(self):
        self.write('a.cu', STRIDE)
        os.symlink('shared.yaml', self.path('.warplint'))
        self.fails('a.cu', says=['.warplint: this link leads to no file'])
        self.write('shared.yaml', 'Checks: -global-stride\n')
        self.assertEqual(self.rules('a.cu'), [])


class CommandLine(ToolTest):
    def setUp(self):
        super().setUp()
        self.write('a.cu', STRIDE)

    def test_checks_are_added_after_the_files(self):
        self.write('.warplint', 'Checks: "-*"\n')
        self.assertEqual(self.rules('a.cu'), [])
        self.assertEqual(self.rules('--checks=global-stride', 'a.cu'), ['global-stride'])
        self.write('.warplint', 'Checks: "global-stride"\n')
        self.assertEqual(self.rules('--checks=-*', 'a.cu'), [])

    def test_warnings_as_errors_are_added(self):
        self.write('.warplint', 'WarningsAsErrors: "*"\n')
        self.run_tool('a.cu', status=1)
        self.run_tool('--warnings-as-errors=-global-stride', 'a.cu')

    def test_inline(self):
        self.write('.warplint', 'Checks: -global-stride\n')
        self.assertEqual(self.rules('--config={}', 'a.cu'), ['global-stride'], 'the file is not looked for')
        self.assertEqual(self.rules('--config={InheritParentConfig: true}', 'a.cu'), [])
        self.assertEqual(self.rules('--config=', 'a.cu'), [], 'an empty one is none')
        self.assertEqual(self.rules("--config={InheritParentConfig: true, Checks: 'global-stride'}", 'a.cu'), ['global-stride'])

    def test_file(self):
        self.write('.warplint', '{}')
        self.write('conf/team.yaml', 'Checks: -global-stride\n')
        self.assertEqual(self.rules('--config-file=conf/team.yaml', 'a.cu'), [])
        self.fails('--config-file=conf/none.yaml', 'a.cu', says=['--config-file=conf/none.yaml: cannot be read: No such file'])
        self.fails('--config-file=conf', 'a.cu', says=['--config-file=conf: this is a folder'])
        self.fails('--config-file=conf/team.yaml', '--config={}', 'a.cu', says=['--config and --config-file exclude each other'])

    def test_errors_name_the_place_and_the_remedy(self):
        self.write('.warplint', '# ours\nChecks: global-strid\nUseColor: 7\n')
        self.fails('a.cu', says=[f"{self.path('.warplint')}:2:9: unknown check 'global-strid'; did you mean 'global-stride'?",
                                 '.warplint:3:11: \'UseColor\' is true or false, not \'7\''])
        self.fails('--config={Cheks: a}', 'a.cu', says=["--config:1:2: unknown key 'Cheks'; did you mean 'Checks'?"])
        self.write('bad.yaml', 'Checks: [a')
        self.fails('--config-file=bad.yaml', 'a.cu', says=['bad.yaml:1:', 'this is no YAML'])

    def test_hostile_files(self):
        for text in (b'Checks: ' + b'[' * 100000, b'- ' * 50000, b'Checks: a\0', b'\xff\xfeC\0', b'\tChecks: a', b'x: &x [*x, *x]',
                     b'#' * (1 << 21), b"HeaderFilterRegex: '" + b'(' * 12 + b'a' + b'{1,255})' * 12 + b"'"):
            self.write('.warplint', text)
            run = self.run_tool('a.cu', status=2)
            self.assertIn('.warplint:1:', run.stderr, text[:40])
            self.assertEqual(run.stdout, '')
        self.write('.warplint', b'\xef\xbb\xbfChecks: -global-stride\r\n')
        self.assertEqual(self.rules('a.cu'), [], 'as Windows writes it')

    def test_list_checks(self):
        self.write('.warplint', 'Checks: "-*,global-stride"\n')
        on = self.run_tool('--list-checks').stdout.split('Checks that are off')[0]
        self.assertEqual(re.findall(r'^    (\S+)', on, re.M), ['global-stride'])
        self.write('.warplint', 'Checks: "-*,global-strid"\n')
        self.fails('--list-checks', says=['.warplint:1:'])

    def test_colour(self):
        escape = '\x1b['
        self.assertNotIn(escape, self.run_tool('a.cu').stdout)
        self.write('.warplint', 'UseColor: true\n')
        self.assertIn(escape, self.run_tool('a.cu').stdout)
        self.assertNotIn(escape, self.run_tool('--use-color=0', 'a.cu').stdout)


class DumpAndVerify(ToolTest):
    FULL = '''Checks: '-*,global-*'
WarningsAsErrors: global-stride
HeaderFilterRegex: '.*'
CheckOptions:
  - {key: global-stride.MinExcessSectors, value: 9}
ExtraArgs: [-DX=1]
Kernels:
  - name: 'turn*'
    block: [32, 8]
Assume: {n: 32}
GPU: A100
'''

    def test_dump_reads_back_as_the_same(self):
        self.write('.warplint', self.FULL)
        first = self.run_tool('--dump-config', '--checks=shared-*', '--assume=turn:m=2').stdout
        for words in ("Checks: '-*,global-*,shared-*'", "global-stride.MinExcessSectors: '9'", "global-aos.MinExcessSectors: '1'",
                      "global-aos.Severity: 'default'", "  - '-DX=1'", 'block: [32, 8, 1]', "'turn:m': 2", "GPU: 'A100'"):
            self.assertIn(words, first)
        self.write('again/.warplint', first)
        self.assertEqual(self.run_tool('--dump-config', cwd=self.path('again')).stdout, first)
        self.assertEqual(self.run_tool('--dump-config', '--config-file=again/.warplint').stdout, first)

    def test_dump_is_of_the_first_file(self):
        self.write('sub/.warplint', 'Checks: -global-stride\n')
        self.assertIn("Checks: '-global-stride'", self.run_tool('--dump-config', 'sub/a.cu').stdout)
        self.assertIn("Checks: ''", self.run_tool('--dump-config').stdout)

    def test_dump_names_every_option_of_the_pages(self):
        dumped = set(re.findall(r'^  ([\w-]+\.\w+): ', self.run_tool('--dump-config').stdout, re.M))
        said = set()
        for check in re.findall(r'^    (\S+)', self.run_tool('--list-checks').stdout, re.M):
            page = self.run_tool(f'--explain={check}').stdout.split('## Options')[1]
            names = re.findall(r'`([A-Z]\w+)`(?: \(|:)', page)
            self.assertIn('Severity', names, check)
            said |= {f'{check}.{name}' for name in names}
        self.assertEqual(said, dumped)

    def test_verify(self):
        self.write('.warplint', self.FULL)
        self.assertEqual(self.run_tool('--verify-config').stdout, 'No config errors detected.\n')
        self.write('sub/.warplint', 'Checks: a\n')
        self.fails('--verify-config', 'x.cu', 'sub/x.cu', says=['sub/.warplint:1:9: unknown check'])
        self.fails('--verify-config', '--config={CheckOptions: {global-stride.Minimum: 1}}', says=["has no option 'Minimum'"])


class Analysis(ToolTest):
    """What a configuration tells the analysis."""

    def kernel(self, *arguments):
        return self.report(*arguments)['kernels'][0]

    def test_block(self):
        name = self.write('a.cu', ASSUMED)
        self.assertEqual(self.kernel(name)['blockOrigin'], 'assumed')
        self.write('.warplint', 'Kernels:\n  - name: other\n    block: 32\n  - name: str*\n    block: [64, 2]\n    grid: 5\n')
        kernel = self.kernel(name)
        self.assertEqual((kernel['block'], kernel['blockOrigin'], kernel['grid']), ([64, 2, 1], 'config', [5, 1, 1]))
        self.assertEqual({a['confidence'] for a in kernel['accesses']}, {'exact'})
        self.assertIn('(block 64x2 from .warplint:4)', self.run_tool(name).stdout)
        self.assertEqual(self.kernel('--block=96', name)['block'], [96, 1, 1], 'the option wins')
        self.assertEqual(self.kernel('--block=96', name)['blockOrigin'], 'option')
        self.assertIsNone(self.kernel('--block=96', name)['grid'], 'a grid goes with its block')

    def test_block_wins_over_the_launch_and_its_grid(self):
        name = self.write('a.cu', STRIDE)
        self.write('.warplint', 'Kernels: [{name: stride, block: 64}]\n')
        kernel = self.kernel(name)
        self.assertEqual((kernel['block'], kernel['blockOrigin'], kernel['grid']), ([64, 1, 1], 'config', None))
        self.write('.warplint', 'Kernels: [{name: strid, block: 64}]\n')
        self.assertEqual(self.kernel(name)['blockOrigin'], 'launch')

    def test_only_what_is_given(self):
        name = self.write('a.cu', tile('extern float tile[][32]').replace('__shared__ extern', 'extern __shared__'))
        self.write('.warplint', 'Kernels: [{name: turn, dynamicShared: 4096}]\n')
        kernel = self.kernel(name)
        self.assertEqual((kernel['blockOrigin'], kernel['dynamicShared']), ('launch', 4096))

    def test_signatures(self):
        name = self.write('a.cu', 'namespace n { template <int N> __global__ void k(float *p) { p[threadIdx.x * N] = 1; } }\n'
                                  'template __global__ void n::k<2>(float *);\ntemplate __global__ void n::k<4>(float *);\n')
        first, second = self.report(name)['kernels']
        self.write('.warplint', f"Kernels: [{{name: '{second['signature']}', block: 64}}, {{name: k, block: 96}}]\n")
        self.assertEqual([k['block'][0] for k in self.report(name)['kernels']], [96, 64])

    def test_assume(self):
        name = self.write('a.cu', SYMBOLIC)
        self.assertEqual(self.rules(name), ['global-stride'])
        self.write('.warplint', 'Assume: {n: 1}\n')
        self.assertEqual(self.rules(name), [])
        self.assertEqual(self.rules('--assume=n=2', name), ['global-stride'], 'the option wins')
        self.write('.warplint', "Assume: {'rows:n': 1}\n")
        self.assertEqual(self.rules(name), [])
        self.write('.warplint', "Assume: {'other:n': 1}\n")
        self.assertEqual(self.rules(name), ['global-stride'])

    def test_extra_arguments(self):
        source = '#ifdef PLAIN\n' + CLEAN + '#else\n' + STRIDE + '#endif\n'
        name = self.write('a.cu', source)
        self.assertEqual(self.rules(name), ['global-stride'])
        self.write('.warplint', 'ExtraArgs: [-DPLAIN]\n')
        self.assertEqual(self.rules(name), [])
        self.assertEqual(self.rules('--extra-arg=-UPLAIN', name), ['global-stride'], 'the option is the last word')
        self.write('.warplint', 'ExtraArgsBefore: [-DPLAIN]\n')
        self.assertEqual(self.rules(name), [])
        self.assertEqual(self.rules(name, '--', '-UPLAIN'), ['global-stride'])

    def test_nothing_is_executed(self):
        name = self.write('a.cu', STRIDE)
        self.write('.warplint', f"ExtraArgs: ['-fplugin={self.path('evil.so')}', '-Xclang', '-load', '-Xclang', 'evil.so']\n")
        self.assertEqual(self.rules(name), ['global-stride'])

    def test_the_cache_knows_what_changes_results(self):
        cache = f"--cache-dir={self.path('cache')}"
        name = self.write('a.cu', ASSUMED)
        for text, block in (('{}', 256), ('Kernels: [{name: stride, block: 64}]', 64), ('Kernels: [{name: stride, block: 96}]', 96),
                            ('Kernels: [{name: x, block: 96}]', 256), ('{}', 256)):
            self.write('.warplint', text)
            self.assertEqual(self.kernel(cache, name)['block'][0], block, text)
        self.write('.warplint', '\nKernels: [{name: stride, block: 64}]')
        self.assertIn('.warplint:2', self.run_tool(cache, name).stdout)


class UnusedValues(ToolTest):
    """Names that are meant for kernels and meet none are told, where all kernels were looked at."""
    UNUSED = "Kernels: [{name: strid, block: 64}, {name: 'str*', block: 64}]\nAssume: {'rows:m': 1, 'raws:n': 1, 'rows:n': 1}\n"

    def setUp(self):
        super().setUp()
        self.database('build', [(self.write('a.cu', STRIDE), []), (self.write('b.cu', SYMBOLIC.replace('launch', 'other')), [])])
        self.write('.warplint', self.UNUSED)

    def notes(self, *arguments, status=0):
        return [line for line in self.run_tool(*arguments, status=status).stderr.splitlines()
                if 'Kernels:' in line or 'Assume:' in line or '--assume=' in line]

    def test_of_a_configuration(self):
        name = self.path('.warplint')
        self.assertEqual(self.notes('-p', 'build'),
                         [f"warplint: note: {name}:1: Kernels: 'strid' matches no kernel of the project; --format=json lists their names",
                          f"warplint: note: {name}: Assume: 'raws:n': no kernel of that name was analysed",
                          f"warplint: note: {name}: Assume: 'rows:m': no kernel that was analysed has such an integer parameter"])
        self.write('.warplint', "Kernels: [{name: stride, block: 64}, {name: 'r?ws', block: 64}]\nAssume: {n: 1}\n")
        self.assertEqual(self.notes('-p', 'build'), [])

    def test_of_a_given_configuration(self):
        notes = self.notes('-p', 'build', '--config=' + self.UNUSED)
        self.assertEqual(len(notes), 3)
        self.assertIn("the configuration that was given: Assume: 'raws:n'", notes[1])

    def test_a_part_of_the_project_proves_nothing(self):
        self.assertEqual(self.notes('-p', 'build', 'a.cu'), [])
        self.assertEqual(self.notes('-p', 'build', '--shard=1/1'), [])
        self.assertEqual(self.notes('-p', 'build', '--quiet'), [])
        self.write('b.cu', SYMBOLIC.replace('launch', 'other') + harness.BROKEN)
        self.assertEqual(self.notes('-p', 'build'), [])

    def test_of_the_command_line(self):
        """Always: it was written for this run."""
        self.write('.warplint', '')
        self.assertEqual(self.notes('b.cu', '--assume=raws:n=1', '--assume=rows:n=1', '--assume=m=2'),
                         ['warplint: note: --assume=m=2: no kernel that was analysed has such an integer parameter',
                          'warplint: note: --assume=raws:n=1: no kernel of that name was analysed'])
        self.assertEqual(self.notes('b.cu', '--quiet', '--assume=raws:n=1'), [])


class CheckOptions(ToolTest):
    def findings(self, source, *options, status=0):
        config = '{CheckOptions: {' + ', '.join(options) + '}}'
        return self.report(f'--config={config}', self.write('a.cu', source), status=status)['findings']

    def one(self, source, *options, status=0):
        finding, = self.findings(source, *options, status=status)
        return finding

    def test_severity(self):
        self.assertEqual(self.one(STRIDE)['severity'], 'warning')
        self.assertEqual(self.one(STRIDE, 'global-stride.Severity: note')['severity'], 'note')
        self.assertEqual(self.one(STRIDE, 'global-stride.Severity: error', status=1)['severity'], 'error')
        self.assertEqual(self.one(STRIDE, 'global-stride.Severity: default')['severity'], 'warning')
        self.assertEqual(self.one(STRIDE, 'global-aos.Severity: error')['severity'], 'warning')
        self.run_tool("--config={WarningsAsErrors: '*', CheckOptions: {global-stride.Severity: note}}", 'a.cu')

    def test_least_excess(self):
        # 8 sectors where 4 would do.
        self.assertEqual(len(self.findings(STRIDE, 'global-stride.MinExcessSectors: 4')), 1)
        self.assertEqual(self.findings(STRIDE, 'global-stride.MinExcessSectors: 5'), [])

    def test_what_is_too_little_for_one_check_is_not_said_by_another(self):
        rows = SYMBOLIC.replace('threadIdx.x * n', 'threadIdx.x * n + k').replace('  out', '  for (int k = 0; k < n; ++k) out')
        finding = self.one(rows)
        self.assertEqual(finding['rule'], 'global-row-per-thread')
        self.assertEqual(self.findings(rows, 'global-row-per-thread.MinExcessSectors: 1000'), [])

    def test_impact(self):
        self.assertEqual(self.one(STRIDE)['impact'], 'medium')
        self.assertEqual(self.one(STRIDE, 'global-stride.HighImpactPercent: 50')['impact'], 'high')
        low = self.one(STRIDE, 'global-stride.MediumImpactPercent: 49')
        self.assertEqual((low['impact'], low['severity']), ('low', 'note'))

    def test_ways(self):
        four = tile('float tile[32][128]', read='tile[y][x * 4]')
        self.assertEqual(self.one(four)['rule'], 'shared-bank-conflict')
        self.assertEqual(len(self.findings(four, 'shared-bank-conflict.MinWays: 4')), 1)
        self.assertEqual(self.findings(four, 'shared-bank-conflict.MinWays: 5'), [])
        self.assertEqual(self.one(tile(), 'shared-tile-column.MinWays: 32')['rule'], CONFLICT)
        self.assertEqual(self.one(tile(), 'shared-tile-column.HighImpactWays: 33')['impact'], 'medium')

    def test_addresses(self):
        source = ('__constant__ float taps[64];\n__global__ void k(float *out) { out[threadIdx.x] = taps[threadIdx.x % 6]; }\n'
                  'void launch(float *out) { k<<<1, 256>>>(out); }\n')
        self.assertEqual(self.one(source)['impact'], 'medium')
        self.assertEqual(self.one(source, 'constant-divergent.HighImpactAddresses: 6')['impact'], 'high')
        self.assertEqual(self.one(source, 'constant-divergent.MediumImpactAddresses: 7')['impact'], 'low')
        self.assertEqual(self.findings(source, 'constant-divergent.MinAddresses: 7'), [])

    def test_lanes(self):
        source = ('__global__ void k(float *sum) { atomicAdd(&sum[threadIdx.x / 4], 1.0f); }\n'
                  'void launch(float *sum) { k<<<1, 256>>>(sum); }\n')
        self.assertEqual(self.one(source)['impact'], 'low')
        self.assertEqual(self.one(source, 'atomic-contention.ManyLanes: 4')['impact'], 'medium')
        self.assertEqual(self.findings(source, 'atomic-contention.MinLanes: 5'), [])

    def test_idle_lanes(self):
        source = CLEAN.replace('256', '100')  # 28 idle lanes of 128
        self.assertEqual(self.one(source)['impact'], 'low')
        self.assertEqual(self.findings(source, 'launch-partial-warp.MinIdleLanes: 29'), [])
        self.assertEqual(self.one(source, 'launch-partial-warp.MediumImpactPercent: 80')['impact'], 'medium')
        self.assertEqual(self.one(source, 'launch-partial-warp.HighImpactPercent: 79')['impact'], 'high')

    def test_lines(self):
        source = STRIDE.replace('2 * threadIdx.x', 'threadIdx.x + 8')
        self.assertEqual(self.one(source)['rule'], 'global-misaligned')
        self.assertEqual(self.findings(source, 'global-misaligned.IgnoreLines: true'), [])
        self.assertEqual(len(self.findings(source.replace('+ 8', '+ 1'), 'global-misaligned.IgnoreLines: true')), 1)

    def test_private_arrays(self):
        source = ('__global__ void k(float *out, const int *key) { float best[128]; for (int i = 0; i < 128; ++i) best[i] = out[i];\n'
                  '  out[threadIdx.x] = best[key[threadIdx.x]]; }\nvoid launch(float *o, const int *k_) { k<<<1, 256>>>(o, k_); }\n')
        self.assertEqual(self.one(source)['rule'], 'local-indexed-array')
        self.assertEqual(len(self.findings(source, 'local-indexed-array.MinBytes: 512')), 1)
        self.assertEqual(self.findings(source, 'local-indexed-array.MinBytes: 513'), [])


class UnusedSuppressions(ToolTest):
    def unused(self, source, *arguments, name='a.cu'):
        run = self.run_tool('--report-unused-suppressions', *arguments, self.write(name, source), status=None)
        return re.findall(r'a\.cu\w*:(\d+):\d+: (\S+) silences nothing of what was analysed', run.stderr)

    def line(self, comment, source=STRIDE):
        return source.replace('threadIdx.x];', f'threadIdx.x]; // {comment}')

    def test_what_silences_is_used(self):
        for comment in ('NOLINT(global-stride)', 'NOLINT(global-*)', 'NOLINT(warplint-*)', 'NOLINT(shared-tile-column, global-stride)'):
            self.assertEqual(self.unused(self.line(comment)), [], comment)
        self.assertEqual(self.unused(f'// NOLINTBEGIN(global-*)\n{STRIDE}// NOLINTEND(global-*)\n'), [])
        self.assertEqual(self.unused(STRIDE.replace('  out', '  // NOLINTNEXTLINE(global-stride)\n  out')), [])

    def test_what_silences_nothing_is_named(self):
        for comment in ('NOLINT(global-stride)', 'NOLINT(global-*)', 'NOLINT(warplint-global-aos)', 'NOLINT(cert-x,shared-tile-column)'):
            (line, text), = self.unused(self.line(comment, CLEAN))
            self.assertEqual((line, text), ('2', comment))
        self.assertEqual(self.unused(self.line('NOLINT(global-aos)')), [('2', 'NOLINT(global-aos)')])
        self.assertEqual(self.unused(f'// NOLINTBEGIN(shared-*)\n{STRIDE}// NOLINTEND(shared-*)\n'), [('1', 'NOLINTBEGIN(shared-*)')])
        self.assertEqual(self.unused(STRIDE.replace('  out', '  // NOLINTNEXTLINE(global-stride)\n\n  out')),
                         [('2', 'NOLINTNEXTLINE(global-stride)')])

    def test_others_concern(self):
        for comment in ('NOLINT', 'NOLINT(*)', 'NOLINT()', 'NOLINT(bugprone-*)', 'NOLINT(-global-stride)', 'NOLINTNEXTLINE'):
            self.assertEqual(self.unused(self.line(comment, CLEAN)), [], comment)

    def test_a_check_that_is_off_may_be_on_elsewhere(self):
        source = self.line('NOLINT(global-gather)', CLEAN)
        self.assertEqual(self.unused(source), [])
        self.assertEqual(len(self.unused(source, '--checks=global-gather')), 1)

    def test_only_when_asked(self):
        run = self.run_tool(self.write('a.cu', self.line('NOLINT(global-stride)', CLEAN)))
        self.assertNotIn('silences nothing', run.stderr)

    def test_nothing_is_said_of_a_file_with_errors(self):
        self.assertEqual(self.unused(harness.BROKEN + self.line('NOLINT(global-stride)', CLEAN)), [])

    def test_in_a_header(self):
        self.write('a.cuh', self.line('NOLINT(global-stride)', CLEAN).split('void launch')[0])
        run = self.run_tool('--report-unused-suppressions', '--quiet', self.write(
            'main.cu', '#include "a.cuh"\nvoid launch(float *o, const float *i) { stride<<<1, 256>>>(o, i); }\n'))
        self.assertIn('a.cuh:2:', run.stderr)


if __name__ == '__main__':
    harness.main()
