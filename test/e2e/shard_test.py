#!/usr/bin/env python3
"""A run in shards, and the merging of reports."""
import json
import os

import harness
from harness import BROKEN, CLEAN, STRIDE, ToolTest, tile

# Kernels of a header: instances and launches are spread over the files that include it.
HEADER = '''#pragma once
template <typename T> __global__ void copy(T *out, const T *in, int s) { out[threadIdx.x] = in[s * threadIdx.x]; }
template <typename T> __global__ void column(T *out) {
  __shared__ T tile[32][32];
  tile[threadIdx.y][threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.y] = tile[threadIdx.x][threadIdx.y];
}
__global__ void fill(float *out) { out[2 * threadIdx.x] = 1; } // NOLINT
__global__ void twice(float *out) { out[2 * threadIdx.x] = 1; out[2 * threadIdx.x + 1] = 1; }
// NOLINTEND
'''


class ShardTest(ToolTest):
    def project(self, count=12):
        """A project with a database: files on their own, and files that share a header."""
        self.write('include/copy.cuh', HEADER)
        names = []
        for i in range(count):
            type_name = ('float', 'double', 'short')[i % 3]
            text = f'''#include "../include/copy.cuh"
__global__ void own{i}(float *out) {{ out[{i % 4 + 1} * threadIdx.x] = {i}; }}
void launch{i}({type_name} *p, float *f, int n) {{
  copy<<<{i % 2 + 1}, {64 << i % 3}>>>(p, p, {2 + i % 3});
  column<<<1, dim3(32, {i % 5 + 4})>>>(p);
  own{i}<<<{i + 1}, 128>>>(f);
  {'fill<<<1, 64>>>(f);' if i == count - 1 else ''} {'twice<<<1, n>>>(f);' if i % 2 else ''}
}}
'''
            names.append(self.write(f'src/f{i}.cu', text))
        self.database('build', [(name, []) for name in names])
        return names

    def shards(self, count, *arguments, form='json', status=(0, 1)):
        names = []
        for i in range(1, count + 1):
            names.append(f'shard{i}.{form}')
            run = self.run_tool(f'--shard={i}/{count}', f'--format={form}', f'--output={names[-1]}', '-p', 'build', *arguments, status=None)
            self.assertIn(run.returncode, status, run.stderr)
            if form == 'json':
                self.checked(json.loads(self.read(names[-1])))
        return names

    def merge(self, *arguments, status=0):
        return self.run_tool('merge', *arguments, status=status, toolkit=True)  # no option about CUDA is one of merge's


class Split(ShardTest):
    def units(self, name):
        return [unit['file'] for unit in json.loads(self.read(name))['shard']['units']]

    def test_each_file_once(self):
        names = [self.path(name) for name in self.project(11)]
        for count in (1, 3, 4):
            parts = [self.units(name) for name in self.shards(count)]
            self.assertEqual(sorted(sum(parts, [])), sorted(names))
            self.assertLessEqual(max(map(len, parts)) - min(map(len, parts)), 1)

    def test_neither_order_nor_folder_matters(self):
        names = self.project(8)
        first = [self.units(name) for name in self.shards(3)]
        self.database('build', [(name, []) for name in reversed(names)])
        again = [self.units(name) for name in self.shards(3)]
        self.assertEqual([sorted(part) for part in again], [sorted(part) for part in first])
        os.rename(self.path('src'), self.path('old'))
        other = os.path.join(self.folder, 'moved')
        os.mkdir(other)
        os.rename(self.path('old'), os.path.join(other, 'src'))
        os.rename(self.path('include'), os.path.join(other, 'include'))
        self.folder, whole = other, self.folder
        self.database('build', [(name, []) for name in names])
        moved = [[os.path.relpath(file, other) for file in self.units(name)] for name in self.shards(3)]
        self.folder = whole
        self.assertEqual(moved, [sorted((os.path.relpath(file, whole) for file in part), key=names.index) for part in first])

    def test_a_new_file_moves_few(self):
        def parts(names):
            self.database('build', [(name, []) for name in names])
            return {file: i for i, name in enumerate(self.shards(4)) for file in self.units(name)}
        names = [self.write(f'f{i}.cu', '\n') for i in range(40)]
        before, after = parts(names[:-1]), parts(names)
        self.assertLessEqual(sum(before[file] != after[file] for file in before), 3)

    def test_empty_shard(self):
        self.project(2)
        name = self.write('one.cu', STRIDE)
        parts = [self.run_tool(f'--shard={i}/2', '--format=json', name) for i in (1, 2)]
        empty, = (run for run in parts if not self.checked(json.loads(run.stdout))['kernels'])
        self.assertRegex(empty.stderr, r'note: shard [12]/2 has none of the 1 file\n')
        self.assertEqual(json.loads(empty.stdout)['summary']['files'], 0)

    def test_bad_values(self):
        name = self.write('one.cu', STRIDE)
        for value in ('0/2', '3/2', '1', '1/', '/2', 'a/b', '1/2/3', '-1/2', '1/0'):
            self.fails(f'--shard={value}', name, says=[f'--shard={value}: expected I/N'])


class Merge(ShardTest):
    def test_shards_make_the_whole_report(self):
        self.project()
        whole = self.run_tool('--format=json', '-p', 'build', status=1)  # a NOLINTEND too many
        report = json.loads(whole.stdout)
        self.assertGreater(len(report['findings']), 8)
        self.assertEqual(len([e for e in report['errors'] if 'NOLINTEND' in e['message']]), 1)
        for count in (1, 2, 5):
            merged = self.merge(*reversed(self.shards(count)), status=1)
            self.assertEqual(merged.stdout, whole.stdout)
            self.assertEqual(merged.stderr, whole.stderr)

    def test_other_forms(self):
        self.project(6)
        names = self.shards(3)
        for form in ('text', 'sarif', 'github', 'gitlab'):
            self.assertEqual(self.merge(f'--format={form}', *names, status=1).stdout, self.run_tool(f'--format={form}', '-p', 'build', status=1).stdout)

    def test_with_fixes_and_errors(self):
        names = [self.write('tile.cu', tile()), self.write('stride.cu', STRIDE), self.write('broken.cu', STRIDE.replace('stride', 'good') + BROKEN)]
        self.database('build', [(name, []) for name in names])
        options = ('--show-fixes', '--warnings-as-errors=shared-*')
        whole = self.run_tool('--format=json', '-p', 'build', *options, status=1)
        report = json.loads(whole.stdout)
        self.assertTrue(any(f['fixes'] for f in report['findings']) and report['errors'])
        self.assertEqual(self.merge(*self.shards(3, *options), status=1).stdout, whole.stdout)

    def test_failures(self):
        self.database('build', [(self.write('a.cu', STRIDE), []), (self.write('b.cu', BROKEN), [])])
        merged = self.merge(*self.shards(2, status=(0, 2)), status=2)
        self.assertIn('b.cu: no kernel could be analysed', merged.stderr)
        self.assertEqual(len(self.checked(json.loads(merged.stdout))['kernels']), 1)

    def test_launches_of_other_shards_count(self):
        self.write('k.cuh', '__global__ void k(float *p);\n')
        names = [self.write('k.cu', '#include "k.cuh"\n__global__ void k(float *p) { p[2 * threadIdx.x] = 1; }\n'),
                 self.write('main.cu', '#include "k.cuh"\nvoid f(float *p) { k<<<1, 96>>>(p); }\n')]
        self.database('build', [(name, []) for name in names])
        merged = json.loads(self.merge(*self.shards(2)).stdout)
        self.assertEqual([k['block'] for k in merged['kernels']], [[96, 1, 1]])

    def test_whole_reports(self):
        """Of runs that overlap: each kernel and finding once, the worst of them."""
        names = [self.write(f'{n}.cu', STRIDE.replace('stride', n)) for n in 'abc']
        self.run_tool('--format=json', '--output=1.json', *names[:2])
        self.run_tool('--format=json', '--output=2.json', '--warnings-as-errors=*', *names[1:], status=1)
        report = self.checked(json.loads(self.merge('1.json', '2.json', status=1).stdout))
        self.assertEqual([k['name'] for k in report['kernels']], ['a', 'b', 'c'])
        self.assertEqual([f['severity'] for f in report['findings']], ['warning', 'error', 'error'])
        self.assertEqual(self.merge('1.json').stdout, self.read('1.json'))

    def test_same_configuration_launched_twice(self):
        name = self.write('a.cu', STRIDE.replace('stride<<<1, 256>>>(out, in);', 'stride<<<1, 256>>>(out, in); stride<<<1, 256>>>(out, in);'))
        self.run_tool('--format=json', '--output=1.json', name)
        self.assertEqual(self.merge('1.json', '1.json', '--quiet').stdout.replace('"files": 2', '"files": 1'), self.read('1.json'))

    def test_sarif(self):
        self.database('build', [(self.write(f'f{i}.cu', STRIDE.replace('stride', f'f{i}')), []) for i in range(5)])
        whole = json.loads(self.run_tool('--format=sarif', '-p', 'build').stdout)
        merged = json.loads(self.merge(*self.shards(2, form='sarif')).stdout)
        self.assertEqual(len(merged['runs'][0]['results']), 5)
        self.assertEqual(merged, whole)

    def test_output(self):
        self.project(2)
        names = self.shards(2)
        shown = self.merge(*names, status=1).stdout
        run = self.merge('--output=all.json', '--quiet', *names, status=1)
        self.assertEqual((run.stdout, run.stderr, self.read('all.json')), ('', '', shown))


class WithBaseline(ShardTest):
    """Shards that are put together and held against a baseline say what the whole run says of it, byte for byte."""

    def setUp(self):
        super().setUp()
        self.names = self.project()
        self.edit('include/copy.cuh', ('// NOLINTEND\n', ''))  # a header with an error says nothing of what is fixed
        self.run_tool('--write-baseline=base.json', '--quiet', '-p', 'build')

    def edit(self, name, *changes):
        text = self.read(name)
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        self.write(name, text)

    def change(self):
        """Something gets worse, something is new, and something is fixed: in files and in the header that several shards see."""
        self.edit('src/f0.cu', ('out[1 * threadIdx.x] = 0;', 'out[8 * threadIdx.x] = 0;'))
        self.edit('src/f1.cu', ('out[2 * threadIdx.x]', 'out[threadIdx.x]'))
        self.edit('include/copy.cuh', ('in[s * threadIdx.x]', 'in[threadIdx.x]'), ('out[2 * threadIdx.x + 1] = 1', 'out[16 * threadIdx.x] = 1'))

    def same(self, *options, status=1, count=3, shard_options=(), baseline=('--baseline=base.json',)):
        """The whole run's report."""
        whole = self.run_tool('--format=json', '-p', 'build', *baseline, *options, status=status)
        written = self.read('base.json')
        names = self.shards(count, *options, *shard_options)
        merged = self.merge(*baseline, *names, status=status)
        self.assertEqual(merged.stdout, whole.stdout)
        self.assertEqual(merged.stderr, whole.stderr)
        self.assertEqual(self.read('base.json'), written)
        return json.loads(whole.stdout)

    def counts(self, report):
        return tuple(report['summary']['baseline'][key] for key in ('new', 'fixed', 'remaining'))

    def test_nothing_changed(self):
        new, fixed, remaining = self.counts(self.same(status=0))
        self.assertEqual((new, fixed), (0, 0))
        self.assertGreater(remaining, 8)

    def test_changes(self):
        before = self.counts(self.same(status=0))[2]
        self.change()
        for count in (1, 3, 5):
            report = self.same(count=count)
            new, fixed, remaining = self.counts(report)
            self.assertGreaterEqual(new, 2)
            self.assertGreaterEqual(fixed, 2)
            self.assertLess(remaining, before)
            self.assertIn('copy.cuh', {os.path.basename(f['file']) for f in report['findings']})

    def test_shards_with_the_baseline(self):
        """Each is held against it, for its files, and merging starts afresh."""
        self.change()
        report = self.same(shard_options=['--baseline=base.json'])
        parts = [json.loads(self.read(f'shard{i}.json')) for i in (1, 2, 3)]
        for part in parts:
            shown = {(f['file'], f['line'], f['rule']) for f in part['findings']}
            self.assertLessEqual(shown, {(f['file'], f['line'], f['rule']) for f in report['findings']})
            self.assertLess(len(shown), sum(c['reported'] is not None for c in part['shard']['candidates']))
        # Of a header a shard cannot tell what is fixed.
        self.assertLess(sum(self.counts(part)[1] for part in parts), self.counts(report)[1])

    def test_a_shard_fails_by_what_is_new(self):
        self.assertEqual([self.run_tool(f'--shard={i}/2', '--baseline=base.json', '-p', 'build', status=None).returncode for i in (1, 2)], [0, 0])
        self.edit('src/f0.cu', ('out[1 * threadIdx.x] = 0;', 'out[8 * threadIdx.x] = 0;'))
        self.assertEqual(sum(self.run_tool(f'--shard={i}/2', '--baseline=base.json', '-p', 'build', status=None).returncode for i in (1, 2)), 1)

    def test_writing(self):
        self.change()
        self.run_tool('--quiet', '-p', 'build', '--baseline=base.json', '--write-baseline=whole.json')
        names = self.shards(3)
        run = self.merge('--baseline=base.json', '--write-baseline=merged.json', *names)
        self.assertIn('to the baseline merged.json', run.stderr)
        self.assertEqual(self.read('merged.json'), self.read('whole.json'))
        self.merge('--write-baseline=fresh.json', '--quiet', *names)
        self.run_tool('--quiet', '-p', 'build', '--write-baseline=whole.json')
        self.assertEqual(self.read('fresh.json'), self.read('whole.json'))

    def test_checks_that_are_off_fix_nothing(self):
        fixed = self.counts(self.same('--checks=-shared-*', status=0))[1]
        self.assertEqual(fixed, 0)
        self.same('--config={Checks: "-global-*"}', status=0)
        self.write('include/.warplint', 'Checks: "-global-stride"\n')
        self.assertEqual(self.counts(self.same(status=0))[1], 0)

    def test_errors_and_files(self):
        self.change()
        self.write('src/f1.cu', self.read('src/f1.cu') + BROKEN)
        self.same()
        names = self.names[:6]
        whole = self.run_tool('--format=json', '--baseline=base.json', '-p', 'build', *names, status=1)
        parts = []
        for i in (1, 2):
            parts.append(f'part{i}.json')
            self.run_tool(f'--shard={i}/2', '--format=json', f'--output={parts[-1]}', '-p', 'build', *names, status=None)
        self.assertEqual(self.merge('--baseline=base.json', *parts, status=1).stdout, whole.stdout)

    def test_other_forms(self):
        self.change()
        names = self.shards(3)
        for form in ('text', 'sarif', 'github', 'gitlab'):
            self.assertEqual(self.merge(f'--format={form}', '--baseline=base.json', *names, status=1).stdout,
                             self.run_tool(f'--format={form}', '--baseline=base.json', '-p', 'build', status=1).stdout)

    def refuses(self, *arguments, says):
        self.fails('merge', *arguments, says=says, toolkit=True)

    def test_wrong_use(self):
        names = self.shards(2)
        self.fails('--shard=1/2', '--write-baseline=base.json', '-p', 'build', says=["give it to 'warplint merge'"])
        self.refuses('--baseline=none.json', *names, says=["cannot read the baseline 'none.json'"])
        judged = self.shards(2, '--baseline=base.json')
        self.refuses(*judged, says=['shard1.json: was held against a baseline', 'give --baseline=FILE'])
        self.shards(2, '--line-filter=[{"name":"f1.cu"}]')
        self.refuses('--baseline=base.json', *names, says=['shard1.json: --line-filter, --diff or a header filter has left findings out'])
        self.shards(2, '--header-filter=none')
        self.refuses('--baseline=base.json', *names, says=['shard1.json: --line-filter, --diff or a header filter has left findings out'])
        self.shards(2)
        self.run_tool('--shard=2/2', '--checks=-shared-*', '--format=json', '--output=shard2.json', '-p', 'build', status=None)
        self.refuses('--baseline=base.json', *names, says=['shard2.json: the run had other --checks'])
        self.shards(2)
        os.rename(self.path('src'), self.path('moved'))
        self.refuses('--baseline=base.json', *names, says=['there is no ', 'takes the sources where they had them'])
        self.merge(*names)

    def test_whole_runs(self):
        name = self.write('one.cu', STRIDE)
        self.run_tool('--format=json', '--output=one.json', name)
        self.refuses('--baseline=base.json', 'one.json', says=['one.json: the report of a whole run does not have all'])
        self.run_tool('--format=json', '--output=one.json', '--baseline=base.json', name, status=1)
        self.refuses('one.json', says=['one.json: the report of a whole run does not have all'])
        self.run_tool('--format=sarif', '--output=one.sarif', name)
        self.refuses('--baseline=base.json', 'one.sarif', says=['not SARIF'])


class MergeErrors(ShardTest):
    def refuses(self, *arguments, says):
        self.fails('merge', *arguments, says=says, toolkit=True)

    def test_what_is_no_report(self):
        self.run_tool('--format=json', '--output=good.json', self.write('a.cu', STRIDE))
        self.refuses(says=['no reports'])
        self.refuses('good.json', 'absent.json', says=['absent.json: cannot be read'])
        self.refuses('good.json', self.write('text.json', 'a.cu:1:2: warning'), says=['text.json: no JSON'])
        self.refuses('good.json', self.write('other.json', '{"kernels": []}'), says=['other.json: neither a JSON report'])
        self.refuses(self.write('cut.json', self.read('good.json').replace('"width": 4', '"width": "4"')), says=['cut.json: ', 'width'])
        self.refuses(self.write('new.json', self.read('good.json').replace('"version": "', '"version": "9')), says=['new.json: written by warplint 9'])
        self.refuses(self.write('rule.json', self.read('good.json').replace('global-stride', 'global-stripe')), says=["rule.json: there is no check 'global-stripe'"])

    def test_mixed_kinds(self):
        name = self.write('a.cu', STRIDE)
        self.run_tool('--format=json', '--output=a.json', name)
        self.run_tool('--format=sarif', '--output=a.sarif', name)
        self.refuses('a.json', 'a.sarif', says=['a.sarif: not of the same form as a.json'])
        self.refuses('--format=json', 'a.sarif', says=['SARIF reports are merged to SARIF'])
        self.run_tool('--format=json', '--output=shard.json', '--shard=1/1', name)
        self.refuses('a.json', 'shard.json', says=["shard.json: a shard's report"])

    def test_incomplete_shards(self):
        self.project(4)
        names = self.shards(3)
        self.refuses(*names[:2], says=['shard 3/3 is missing'])
        self.refuses(*names, names[0], says=['shard1.json: shard 1/3, as shard1.json is'])
        self.run_tool('--format=json', '--output=other.json', '--shard=3/4', '-p', 'build', status=None)
        self.refuses(*names[:2], 'other.json', says=['other.json: shard 3/4 of 4 files is of another run'])
        report = json.loads(self.read(names[2]))
        report['shard']['units'][0]['position'] = json.loads(self.read(names[0]))['shard']['units'][0]['position']
        self.refuses(*names[:2], self.write('moved.json', json.dumps(report)), says=['not given the same list of files'])


if __name__ == '__main__':
    harness.main()
