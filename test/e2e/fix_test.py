#!/usr/bin/env python3
"""Fixes, from the command line: what is offered, what is applied, and what the file is afterwards."""
import os
import shutil
import stat
import subprocess
import unittest

import harness
from harness import CONFLICT, INPUTS, ToolTest, tile

APPLY = next((path for path in (shutil.which('clang-apply-replacements-22'), '/usr/lib/llvm-22/bin/clang-apply-replacements')
              if path and os.path.exists(path)), None)

FLAT = tile(body='float *all = &tile[0][0]; if (y == 0) all[x] += all[x + 32];')
SIZEOF = tile(read='tile[x][y] + sizeof(tile)')
# Rows are read as float4 and columns one by one: 33 words apart, a float4 would be misaligned.
VECTOR_ROWS = '''__global__ void mixed(float *out) {
  __shared__ __align__(16) float t[32][32];
  const int l = threadIdx.x;
  float4 v = *reinterpret_cast<float4 *>(&t[l >> 3][(l & 7) * 4]);
  float c = t[l][5];
  out[l] = v.x + v.y + v.z + v.w + c;
}
void launch(float *out) { mixed<<<1, 32>>>(out); }
'''


class FixTest(ToolTest):
    def costs(self, report):
        """Per access, in order: what one request costs."""
        return [(kernel['name'], access['line'], access['expression'],
                 access.get('wavefronts', access.get('sectors')), access['confidence'])
                for kernel in report['kernels'] for access in kernel['accesses']]

    def check_fix(self, source, before, after, *options):
        """--fix changes `before` to `after` and nothing else, cures the findings, makes nothing worse, and is done then."""
        name = self.write('fixed.cu', source)
        old = self.report(name)
        self.assertIn(CONFLICT, [f['rule'] for f in old['findings']])
        self.assertEqual(self.read(name), source, 'a plain run changed the file')
        self.run_tool('--show-fixes', name)
        self.assertEqual(self.read(name), source, '--show-fixes changed the file')

        run = self.run_tool('--fix', *options, name)
        self.assertIn('warplint: applied 1 fix\n', run.stderr)
        self.assertEqual(source.count(before), 1)
        self.assertEqual(self.read(name), source.replace(before, after))

        new = self.report(name)
        self.assertEqual(new['errors'], [])
        self.assertNotIn(CONFLICT, [f['rule'] for f in new['findings']])
        self.assertLess(len(new['findings']), len(old['findings']))
        self.assertEqual([key[:3] for key in self.costs(old)], [key[:3] for key in self.costs(new)])
        for was, now in zip(self.costs(old), self.costs(new)):
            self.assertLessEqual(now[3], was[3], now)
            self.assertEqual(now[4], was[4], now)

        run = self.run_tool('--fix', *options, name)
        self.assertIn('warplint: applied 0 fixes\n', run.stderr)
        self.assertEqual(self.read(name), source.replace(before, after), 'a second --fix changed the file')

    def check_unfixed(self, source, *options):
        """There is a finding, and --fix leaves the file alone."""
        name = self.write('unfixed.cu', source)
        finding, = [f for f in self.report(name)['findings'] if f['rule'] == CONFLICT]
        self.assertEqual(finding['fixes'], [])
        run = self.run_tool('--fix', *options, name)
        self.assertIn('applied 0 fixes', run.stderr)
        self.assertEqual(self.read(name), source)
        return run

    def input(self, name):
        with open(os.path.join(INPUTS, name), encoding='utf-8') as file:
            return file.read()


class Applied(FixTest):
    def test_literal_extents(self):
        self.check_fix(self.input('seeds/G-tile-column.cu'), 'float tile[32][32]', 'float tile[32][33]')

    def test_named_extents(self):
        self.check_fix(self.input('transpose.cu'), 'float tile[EDGE][EDGE];', 'float tile[EDGE][EDGE + 1];')

    def test_template_extents(self):
        source = tile('T tile[N][N]').replace('__global__', 'template <typename T, int N> __global__')
        source = source.replace('turn<<<', 'turn<float, 32><<<')
        self.check_fix(source, 'T tile[N][N]', 'T tile[N][N + 1]')

    def test_unsafe_fixes_are_safe_ones_too(self):
        self.check_fix(tile(), 'tile[32][32]', 'tile[32][33]', '--unsafe-fixes')

    def test_line_ends_and_byte_order_mark_stay(self):
        source = '\ufeff' + tile().replace('\n', '\r\n')
        name = self.write('windows.cu', source)
        self.run_tool('--fix', name)
        self.assertEqual(self.bytes(name), source.replace('[32][32]', '[32][33]').encode())

    def test_text_after_wide_characters(self):
        source = '// größer → 龍\n' + tile()
        name = self.write('wide.cu', source)
        self.run_tool('--fix', name)
        self.assertEqual(self.read(name), source.replace('[32][32]', '[32][33]'))

    def test_two_tiles_at_once(self):
        source = tile('float other[32][32], tile[32][32]', body='other[y][x] = 1;', read='tile[x][y] + other[x][y]')
        name = self.write('two.cu', source)
        run = self.run_tool('--fix', name)
        self.assertIn('applied 2 fixes', run.stderr)
        self.assertEqual(self.read(name), source.replace('[32][32]', '[32][33]'))
        self.assertEqual(self.rules(name), [])

    def test_two_columns_of_one_tile_pad_it_once(self):
        source = tile(body='out += tile[x][0] > 0;')
        name = self.write('twice.cu', source)
        self.assertEqual(self.rules(name), [CONFLICT] * 2)
        self.run_tool('--fix', name)
        self.assertEqual(self.read(name), source.replace('[32][32]', '[32][33]'))
        self.assertEqual(self.rules(name), [])

    def test_shared_header_is_fixed_once(self):
        header = self.write('turn.cuh', tile().split('void launch')[0])
        launch = '#include "turn.cuh"\nvoid launch%s(float *out, const float *in) { turn<<<64, dim3(32, 32)>>>(out, in, 1024); }\n'
        names = [self.write(f'{n}.cu', launch % n) for n in 'ab']
        run = self.run_tool('--fix', *names)
        self.assertIn('applied 1 fix\n', run.stderr)
        self.assertIn('tile[32][33]', self.read(header))
        self.assertEqual(self.rules(*names), [])

    def test_only_selected_checks_fix(self):
        name = self.write('tile.cu', tile())
        self.run_tool('--fix', '--checks=-shared-tile-column', name)
        self.assertEqual(self.read(name), tile())

    def test_one_of_two_when_the_other_is_silenced(self):
        source = tile('float other[32][32], tile[32][32]', body='other[y][x] = 1;',
                      read='tile[x][y] // NOLINT(shared-*)\n    + other[x][y]')
        name = self.write('half.cu', source)
        self.run_tool('--fix', name)
        self.assertEqual(self.read(name), source.replace('other[32][32]', 'other[32][33]'))

    def test_output_of_a_quiet_fix(self):
        name = self.write('tile.cu', tile())
        run = self.run_tool('--fix', '--quiet', name)
        self.assertEqual(run.stderr, '')
        self.assertIn(f'[{CONFLICT}]', run.stdout)

    def test_result_compiles_as_written_by_the_compiler(self):
        """Clang accepts the fixed file too, without the tool's own handling of commands."""
        name = self.write('tile.cu', tile())
        self.run_tool('--fix', name)
        mock = self.write('mock.h', '''#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
struct dim3 { unsigned x, y, z; dim3(unsigned a, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {} };
struct Index { unsigned x, y, z; };
extern const __attribute__((device)) Index threadIdx;
__attribute__((device)) void __syncthreads();
extern "C" int cudaConfigureCall(dim3, dim3, unsigned long = 0, void * = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, unsigned long = 0, void * = 0);
''')
        run = subprocess.run(['/usr/lib/llvm-22/bin/clang', '-x', 'cuda', '--cuda-device-only', '-nocudainc', '-nocudalib',
                              '-Wno-unknown-cuda-version', '--cuda-gpu-arch=sm_80', '-include', mock, '-fsyntax-only', name],
                             cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ''))


class Written(FixTest):
    """How the file is replaced."""

    def test_permissions_stay(self):
        name = self.write('tile.cu', tile())
        for mode in (0o640, 0o755, 0o666):
            self.write(name, tile())
            os.chmod(self.path(name), mode)
            self.run_tool('--fix', name)
            self.assertIn('[32][33]', self.read(name))
            self.assertEqual(stat.S_IMODE(os.stat(self.path(name)).st_mode), mode)

    def test_symbolic_link_stays_and_its_target_is_fixed(self):
        self.write('real/tile.cu', tile())
        os.symlink('real/tile.cu', self.path('link.cu'))
        self.run_tool('--fix', 'link.cu')
        self.assertTrue(os.path.islink(self.path('link.cu')))
        self.assertEqual(self.read('real/tile.cu'), tile('float tile[32][33]'))

    def test_file_and_its_link_are_fixed_once(self):
        self.write('tile.cu', tile())
        os.symlink('tile.cu', self.path('link.cu'))
        self.run_tool('--fix', 'tile.cu', 'link.cu')
        self.assertEqual(self.read('tile.cu'), tile('float tile[32][33]'))

    def test_nothing_else_is_left_in_the_folder(self):
        self.write('tile.cu', tile())
        self.run_tool('--fix', '--export-fixes=fixes.yaml', '--output=report.txt', 'tile.cu')
        self.assertEqual(sorted(os.listdir(self.folder)), ['fixes.yaml', 'report.txt', 'tile.cu'])

    @unittest.skipIf(os.geteuid() == 0, 'root may write every file')
    def test_protected_file_is_left_alone(self):
        name = self.write('tile.cu', tile())
        os.chmod(self.path(name), 0o444)
        run = self.run_tool('--fix', name, status=2)
        self.assertIn('tile.cu: cannot write the fixes: ', run.stderr)
        self.assertEqual(self.read(name), tile())


class Offered(FixTest):
    def test_plain_run_offers_none(self):
        name = self.write('tile.cu', tile())
        finding, = self.report(name)['findings']
        self.assertEqual(finding['fixes'], [])
        self.assertNotIn('fix available', self.run_tool(name).stdout)
        self.assertIn('pad to [32][33]', self.run_tool(name).stdout, 'the remedy is worded all the same')

    def test_show_fixes_has_edit_and_costs(self):
        name = self.write('tile.cu', tile())
        finding, = self.report('--show-fixes', name)['findings']
        fix, = finding['fixes']
        source = tile()
        self.assertEqual(fix['edits'], [{'file': self.path(name), 'offset': source.index('[32][32]') + 5, 'length': 2, 'text': '33'}])
        self.assertEqual(fix['safety'], 'safe')
        self.assertEqual(fix['title'], "pad the rows of 'tile': [32][32] -> [32][33]")
        self.assertEqual(fix['before'], {'wavefronts': 32, 'idealWavefronts': 1, 'conflictWays': 32})
        self.assertEqual(fix['after'], {'wavefronts': 1, 'idealWavefronts': 1, 'conflictWays': 1})

    def test_costs_afterwards_are_those_of_the_fixed_file(self):
        name = self.write('tile.cu', tile())
        fix, = self.report('--show-fixes', name)['findings'][0]['fixes']
        self.run_tool('--fix', name)
        access, = [a for a in self.report(name)['kernels'][0]['accesses'] if a['expression'] == 'tile[x][y]']
        self.assertEqual({key: access[key] for key in fix['after']}, fix['after'])

    def test_text_names_the_fix(self):
        name = self.write('tile.cu', tile())
        self.assertIn("fix available: pad the rows of 'tile': [32][32] -> [32][33]", self.run_tool('--show-fixes', name).stdout)

    def test_unsafe_where_the_tile_is_used_flat(self):
        for source in (FLAT, SIZEOF):
            name = self.write('unsafe.cu', source)
            finding, = [f for f in self.report('--show-fixes', name)['findings'] if f['rule'] == CONFLICT]
            self.assertEqual([fix['safety'] for fix in finding['fixes']], ['unsafe'])
            run = self.check_unfixed(source)
            self.assertIn('--unsafe-fixes would fix 1 more finding', run.stderr)
            self.run_tool('--unsafe-fixes', name)
            self.assertEqual(self.read(name), source, '--unsafe-fixes alone applies nothing')
            self.check_fix(source, 'float tile[32][32]', 'float tile[32][33]', '--unsafe-fixes')

    def test_rows_that_are_read_as_vectors_stay_aligned(self):
        name = self.write('mixed.cu', VECTOR_ROWS)
        self.assertIn(CONFLICT, self.rules(name))
        for options in ((), ('--unsafe-fixes',)):
            self.run_tool('--fix', *options, name)
            self.assertIn(self.read(name), [VECTOR_ROWS.replace('t[32][32]', f't[32][{32 + pad}]') for pad in (0, 4, 8, 12, 16)])
            self.assertNotIn('misaligned-vector-cast', self.rules(name))

    def test_case_of_broken_alignment(self):
        source = self.input('cases/84-padding-breaks-alignment.cu')
        name = self.write('case.cu', source)
        self.run_tool('--fix', '--unsafe-fixes', name, status=1) # the instance with rows of 33 floats faults
        self.assertIn(self.read(name), [source] + [source.replace('t[32][P]', f't[32][P + {pad}]') for pad in (4, 8)])

    def test_narrow_tile_whose_rows_would_get_worse(self):
        run = self.check_unfixed(tile('float tile[16][16]', block='16, 16'), '--unsafe-fixes')
        self.assertNotIn('pad to', run.stdout)

    def test_tile_that_would_exceed_shared_memory(self):
        self.check_unfixed(tile('float tile[384][32]'), '--unsafe-fixes')

    def test_extent_that_a_signature_repeats(self):
        """A helper takes the tile by reference to [32][32]: padded, the file would not compile."""
        source = '__device__ float pick(float (&t)[32][32], int x, int y) { return t[x][y]; }\n' + tile(read='pick(tile, x, y)')
        self.check_unfixed(source, '--unsafe-fixes')

    def test_extent_in_a_macro(self):
        source = '#define TILE float tile[32][32]\n' + tile('TILE')
        self.check_unfixed(source, '--unsafe-fixes')

    def test_silenced_finding_is_not_fixed(self):
        for comment in ('NOLINT', 'NOLINT(shared-tile-column)', 'NOLINT(warplint-shared-*)'):
            source = tile().replace('tile[x][y];', f'tile[x][y]; // {comment}')
            name = self.write('silent.cu', source)
            self.assertIn('applied 0 fixes', self.run_tool('--fix', name).stderr)
            self.assertEqual(self.read(name), source)

    def test_broken_neighbour_does_not_stop_a_fix(self):
        source = tile() + harness.BROKEN
        name = self.write('mixed.cu', source)
        self.run_tool('--fix', name)
        self.assertEqual(self.read(name), source.replace('[32][32]', '[32][33]'))


class Exported(FixTest):
    def setUp(self):
        super().setUp()
        self.assertIsNotNone(APPLY, 'clang-apply-replacements 22 is not installed: apt-get install clang-tools-22')

    def apply(self):
        run = subprocess.run([APPLY, self.folder], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)

    def same_as_fix(self, *options, **sources):
        names = [self.write(f'{name}.cu', source) for name, source in sources.items()]
        self.run_tool('--fix', *options, *names)
        fixed = [self.bytes(name) for name in names]
        for name, source in sources.items():
            self.write(f'{name}.cu', source)
        self.run_tool('--export-fixes=fixes.yaml', *options, *names)
        self.assertEqual([self.read(name) for name in names], list(sources.values()), '--export-fixes alone changes no file')
        self.apply()
        self.assertEqual([self.bytes(name) for name in names], fixed)
        return fixed

    def test_same_result(self):
        for source in (tile(), self.input('transpose.cu'), tile().replace('\n', '\r\n')):
            fixed, = self.same_as_fix(tile=source)
            self.assertNotEqual(fixed, source.encode())

    def test_two_files_and_two_tiles(self):
        two = tile('float other[32][32], tile[32][32]', body='other[y][x] = 1;', read='tile[x][y] + other[x][y]')
        self.same_as_fix(one=tile(), two=two.replace('turn', 'turn_two').replace('launch', 'launch_two'))

    def test_unsafe_only_when_asked(self):
        safe, = self.same_as_fix(tile=FLAT)
        self.assertEqual(safe.decode(), FLAT)
        unsafe, = self.same_as_fix('--unsafe-fixes', tile=FLAT)
        self.assertEqual(unsafe.decode(), FLAT.replace('[32][32]', '[32][33]'))

    def test_contents(self):
        name = self.write('tile.cu', tile())
        self.run_tool('--export-fixes=fixes.yaml', name)
        text = self.read('fixes.yaml')
        self.assertRegex(text, 'DiagnosticName: +warplint-shared-tile-column')
        self.assertRegex(text, f"FileOffset: +{tile().index('tile[x][y]')}\n")
        self.assertIn("ReplacementText: '33'", text)

    def test_no_fixes_is_a_valid_file(self):
        name = self.write('clean.cu', harness.CLEAN)
        self.run_tool('--export-fixes=fixes.yaml', name)
        self.assertIn('Diagnostics:', self.read('fixes.yaml'))
        self.apply()
        self.assertEqual(self.read(name), harness.CLEAN)

    def test_file_that_cannot_be_written(self):
        name = self.write('tile.cu', tile())
        run = self.run_tool('--export-fixes=no/folder/fixes.yaml', name, status=2)
        self.assertIn('no/folder/fixes.yaml: cannot write the fixes: No such file or directory', run.stderr)


class Diff(FixTest):
    """--fix-diff: applied, it gives what --fix gives, byte for byte."""

    def apply(self, how, diff, folder):
        command = {'git': ['git', 'apply', '-'], 'patch': ['patch', '-p1', '--quiet', '--no-backup-if-mismatch']}[how]
        # In no repository, and not in one above the test's folder.
        environment = dict(os.environ, GIT_CEILING_DIRECTORIES=os.path.dirname(self.folder))
        run = subprocess.run(command, input=diff, cwd=folder, env=environment, capture_output=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, b''), run.stdout)

    def same_as_fix(self, sources, *options, files=None, cwd='.', applied_in=None, changed=1, links=()):
        """The diff."""
        files = files or list(sources)

        def fresh(folder):
            for name, text in sources.items():
                self.write(os.path.join(folder, name), text)
            for name, target in links:
                os.symlink(target, self.path(os.path.join(folder, name)))
            return os.path.normpath(self.path(os.path.join(folder, cwd)))
        bytes_of = lambda folder: {name: self.bytes(os.path.join(folder, name)) for name in sources}

        self.run_tool('--fix', *options, *files, cwd=fresh('fix'))
        folder = fresh('plain')
        before = bytes_of('plain')
        run = subprocess.run([harness.TOOL, '--no-cuda', '--fix-diff', *options, *files], cwd=folder, capture_output=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(bytes_of('plain'), before, '--fix-diff changed a file')
        self.assertEqual(sum(before[name] != text for name, text in bytes_of('fix').items()), changed)
        for how in ('git', 'patch'):
            shutil.rmtree(self.path('plain'))
            fresh('plain')
            if changed:
                self.apply(how, run.stdout, self.path(os.path.join('plain', applied_in or cwd)))
            self.assertEqual(bytes_of('plain'), bytes_of('fix'), how)
        shutil.rmtree(self.path('plain'))
        shutil.rmtree(self.path('fix'))
        self.stderr = run.stderr.decode()
        return run.stdout.decode()

    def test_one_file(self):
        diff = self.same_as_fix({'tile.cu': tile()})
        self.assertEqual(diff.splitlines()[:5], ['--- a/tile.cu', '+++ b/tile.cu', '@@ -1,5 +1,5 @@',
                                                 ' __global__ void turn(float *out, const float *in, int n) {', '-  __shared__ float tile[32][32];'])
        self.assertIn('warplint: the diff has 1 fix\n', self.stderr)
        self.assertIn(f'[{CONFLICT}]', self.stderr)

    def test_nothing_to_fix(self):
        self.assertEqual(self.same_as_fix({'clean.cu': harness.CLEAN}, changed=0), '')
        self.assertIn('warplint: the diff has 0 fixes\n', self.stderr)

    def test_line_ends(self):
        self.same_as_fix({'crlf.cu': '\ufeff' + tile().replace('\n', '\r\n')})
        self.same_as_fix({'mixed.cu': tile().replace('\n', '\r\n', 4)})
        for text in (tile(), tile().replace('\n', '\r\n')):
            short = text.split('void launch')[0].rstrip('\r\n')
            self.same_as_fix({'short.cuh': short, 'a.cu': '#include "short.cuh"\nvoid f(float *p) { turn<<<64, dim3(32, 32)>>>(p, p, 1024); }\n'},
                             files=['a.cu'])
        # The change is in the line that has no end.
        self.same_as_fix({'one.cu': tile().replace('\n', ' ').rstrip()})

    def test_several_files_and_hunks(self):
        two = tile('float other[32][32], tile[32][32]', body='other[y][x] = 1;', read='tile[x][y] + other[x][y]')
        more = two + '// filler\n' * 9 + tile().replace('turn', 'third').replace('launch', 'go')
        diff = self.same_as_fix({'a.cu': tile(), 'sub/b.cu': more.replace('turn', 'turn_two').replace('launch', 'launch_two'),
                                 'clean.cu': harness.CLEAN}, changed=2)
        self.assertEqual((diff.count('--- a/'), diff.count('@@ -')), (2, 3))

    def test_header_of_two_files_is_there_once(self):
        launch = '#include "inc/turn.cuh"\nvoid launch%s(float *out, const float *in) { turn<<<64, dim3(32, 32)>>>(out, in, 1024); }\n'
        diff = self.same_as_fix({'inc/turn.cuh': tile().split('void launch')[0], 'a.cu': launch % 'a', 'b.cu': launch % 'b'},
                                files=['a.cu', 'b.cu'])
        self.assertEqual(diff.count('+++ b/inc/turn.cuh'), 1)

    def test_names(self):
        self.same_as_fix({'my kernels/tile one.cu': tile()})
        self.same_as_fix({'größe.cu': tile()})
        self.same_as_fix({'a "quoted" \\ name.cu': tile()})

    def test_folders(self):
        self.same_as_fix({'src/tile.cu': tile()}, files=['tile.cu'], cwd='src')
        self.assertNotIn('relative to', self.stderr)
        self.same_as_fix({'src/tile.cu': tile(), 'build/x': ''}, files=['../src/tile.cu'], cwd='build', applied_in='.')
        self.assertIn(f'the names in the diff are relative to {self.path("plain")}, since some files are not below', self.stderr)
        self.same_as_fix({'src/tile.cu': tile(), 'src2/tile.cu': tile()}, files=['tile.cu', '../src2/tile.cu'], cwd='src', applied_in='.',
                         changed=2)

    def test_in_a_folder_of_a_repository(self):
        self.write('sub/tile.cu', tile())
        subprocess.run(['git', 'init', '-q'], cwd=self.folder, check=True)
        diff = subprocess.run([harness.TOOL, '--no-cuda', '--fix-diff', 'tile.cu'], cwd=self.path('sub'), capture_output=True, check=True)
        self.apply('git', diff.stdout, self.path('sub'))
        self.assertEqual(self.read('sub/tile.cu'), tile('float tile[32][33]'))

    def test_symbolic_link(self):
        diff = self.same_as_fix({'real/tile.cu': tile()}, files=['link.cu', 'real/tile.cu'], links=[('link.cu', 'real/tile.cu')])
        self.assertEqual(diff.count('+++ '), 1)
        self.assertIn('+++ b/real/tile.cu', diff)

    def test_unsafe_only_when_asked(self):
        self.assertEqual(self.same_as_fix({'flat.cu': FLAT}, changed=0), '')
        self.assertIn('the diff has 0 fixes; --unsafe-fixes would fix 1 more finding', self.stderr)
        self.same_as_fix({'flat.cu': FLAT}, '--unsafe-fixes')

    def test_exit_status_and_report_are_those_of_a_run_without(self):
        name = self.write('tile.cu', tile())
        without = self.run_tool('--show-fixes', '--warnings-as-errors=*', name, status=1)
        run = self.run_tool('--fix-diff', '--warnings-as-errors=*', name, status=1)
        self.assertTrue(run.stdout.startswith('--- a/tile.cu\n'))
        self.assertEqual(run.stderr.replace('warplint: the diff has 1 fix\n', ''), without.stdout + without.stderr)
        quiet = self.run_tool('--fix-diff', '--quiet', '--output=report.txt', name)
        self.assertEqual((quiet.stdout, quiet.stderr), (run.stdout, ''))
        self.assertIn(CONFLICT, self.read('report.txt'))

    def test_json_goes_to_stderr(self):
        name = self.write('tile.cu', tile())
        run = self.run_tool('--fix-diff', '--quiet', '--format=json', name)
        self.assertEqual(run.stderr, self.run_tool('--show-fixes', '--quiet', '--format=json', name).stdout)

    def test_wrong_use(self):
        name = self.write('tile.cu', tile())
        self.fails('--fix', '--fix-diff', name, says=['--fix-diff prints what --fix would change', 'give one of them'])
        self.assertEqual(self.read(name), tile())
        self.fails('--output=-', '--fix-diff', name, says=['--fix-diff has stdout for itself'])
        self.fails('--explain-access=tile.cu:4', '--fix-diff', name, says=['leave --fix, --fix-diff'])


if __name__ == '__main__':
    harness.main()
