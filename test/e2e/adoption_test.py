#!/usr/bin/env python3
"""Adopting it in a project: filters of headers and lines, --diff in git repositories, baselines, cost contracts."""
import json
import os
import re
import subprocess

import harness
from harness import CLEAN, STRIDE, ToolTest, tile

HEADER = '''#pragma once
template <int N> __global__ void spread(float *out, const float *in) {
  out[threadIdx.x] = in[N * threadIdx.x];
}
'''
USER = '''#include "{header}"
void go(float *out, const float *in) {{ spread<2><<<1, 256>>>(out, in); }}
'''


class Filters(ToolTest):
    def setUp(self):
        super().setUp()
        self.write('own/spread.cuh', HEADER)
        self.write('third/spread2.cuh', HEADER.replace('spread', 'spread2'))
        self.write('main.cu', USER.format(header='own/spread.cuh') + '#include "third/spread2.cuh"\n'
                   'void more(float *out, const float *in) { spread2<4><<<1, 256>>>(out, in); }\n' + STRIDE.replace('launch', 'other'))

    def files(self, *arguments, **options):
        return sorted(os.path.basename(finding['file']) for finding in self.report(*arguments, **options)['findings'])

    def test_header_filter(self):
        self.assertEqual(self.files('main.cu'), ['main.cu', 'spread.cuh', 'spread2.cuh'])
        for options, expected in ((['--header-filter=own/.*'], ['main.cu', 'spread.cuh']),
                                  (['--header-filter=nowhere'], ['main.cu']),
                                  (['--header-filter='], ['main.cu']),
                                  (['--header-filter=.*'], ['main.cu', 'spread.cuh', 'spread2.cuh']),
                                  (['--exclude-header-filter=/third/'], ['main.cu', 'spread.cuh']),
                                  (['--header-filter=\\.cuh$', '--exclude-header-filter=spread2'], ['main.cu', 'spread.cuh'])):
            with self.subTest(options):
                self.assertEqual(self.files(*options, 'main.cu'), expected)

    def test_a_header_that_is_named_is_no_header(self):
        self.database('build', [('main.cu', [])])
        self.assertEqual(self.files('-p', 'build', '--header-filter=', 'own/spread.cuh'), ['spread.cuh'])

    def test_excluded_findings_do_not_gate(self):
        self.run_tool('--warnings-as-errors=*', '--checks=-*,global-*', 'main.cu', status=1)
        self.write('only.cu', USER.format(header='own/spread.cuh'))
        self.run_tool('--warnings-as-errors=*', 'only.cu', status=1)
        self.run_tool('--warnings-as-errors=*', '--exclude-header-filter=spread', 'only.cu')

    def test_system_headers_are_never_shown(self):
        self.write('system.cu', USER.format(header='spread.cuh').replace('"', '<', 1).replace('"', '>', 1))
        self.assertEqual(self.files('system.cu', '--', '-Iown'), ['spread.cuh'])
        self.assertEqual(self.files('--header-filter=.*', 'system.cu', '--', '-isystem', 'own'), [])

    def test_line_filter(self):
        line = USER.count('\n') + 4
        for filter, expected in (([{'name': 'main.cu', 'lines': [[1, 2], [line, line]]}], ['main.cu']),
                                 ([{'name': 'main.cu', 'lines': [[1, line - 1]]}], []),
                                 ([{'name': 'own/spread.cuh'}, {'name': 'main.cu', 'lines': [[1, 1]]}], ['spread.cuh']),
                                 ([{'name': 'cuh'}], ['spread.cuh', 'spread2.cuh']), ([], ['main.cu', 'spread.cuh', 'spread2.cuh'])):
            with self.subTest(filter):
                self.assertEqual(self.files(f'--line-filter={json.dumps(filter)}', 'main.cu'), expected)

    def test_wrong_use(self):
        self.fails('--line-filter=[{"name":"a.cu",]', 'main.cu', says=['--line-filter', '1:17', 'expected e.g. [{'])
        self.fails('--line-filter=[{"name":"a.cu","lines":[[2,1]]}]', 'main.cu', says=['filter[0].lines[0]', 'first not after the last'])
        self.fails('--header-filter=a(b', 'main.cu', says=['--header-filter=a(b', 'not a regular expression'])
        self.fails('--exclude-header-filter=[', 'main.cu', says=['--exclude-header-filter=[', 'not a regular expression'])


class Repository(ToolTest):
    """--diff, in a repository of the test's own, with no configuration of the machine's."""

    def setUp(self):
        super().setUp()
        self.environment = dict(os.environ, GIT_CONFIG_GLOBAL='/dev/null', GIT_CONFIG_SYSTEM='/dev/null', HOME=self.folder)
        self.git('init', '-q', '-b', 'main')

    def git(self, *arguments):
        return subprocess.run(['git', '-c', 'user.name=Test', '-c', 'user.email=test@example.org', *arguments], cwd=self.folder,
                              env=self.environment, check=True, capture_output=True).stdout.decode()

    def commit(self, message='more'):
        self.git('add', '-A')
        self.git('commit', '-q', '-m', message)

    def places(self, *arguments, **options):
        return [(os.path.relpath(f['file'], self.folder), f['line']) for f in self.report(*arguments, **options)['findings']]

    def test_changed_lines(self):
        """Staged, not staged, in commits since; what was there before is not shown."""
        self.write('a.cu', STRIDE + STRIDE.replace('stride', 'second').replace('launch', 'go') + '\n\n')
        self.commit()
        self.assertEqual(self.places('--diff=HEAD', 'a.cu'), [])
        self.assertEqual(len(self.places('a.cu')), 2)
        self.write('a.cu', self.read('a.cu').replace('2 * ', '4 * ', 1))
        self.assertEqual(self.places('--diff=HEAD', 'a.cu'), [('a.cu', 2)])
        self.git('add', '-A')
        self.assertEqual(self.places('--diff=HEAD', 'a.cu'), [('a.cu', 2)])
        self.commit()
        self.assertEqual(self.places('--diff=HEAD', 'a.cu'), [])
        self.assertEqual(self.places('--diff=HEAD~1', 'a.cu'), [('a.cu', 2)])
        # Lines that only move are no change.
        self.write('a.cu', '\n\n\n' + self.read('a.cu'))
        self.assertEqual(self.places('--diff=HEAD', 'a.cu'), [])
        self.assertEqual(self.places('--diff=HEAD~1', 'a.cu'), [('a.cu', 5)])

    def test_gate(self):
        self.write('a.cu', STRIDE)
        self.commit()
        self.run_tool('--diff=HEAD', '--warnings-as-errors=*', 'a.cu')
        self.write('a.cu', self.read('a.cu').replace('2 * ', '4 * '))
        self.run_tool('--diff=HEAD', '--warnings-as-errors=*', 'a.cu', status=1)

    def test_untracked_files_are_new(self):
        self.write('a.cu', CLEAN)
        self.write('.gitignore', 'generated.cu\n')
        self.commit()
        self.write('new.cu', STRIDE)
        self.write('generated.cu', STRIDE)
        self.assertEqual(self.places('--diff=HEAD', 'a.cu', 'new.cu', 'generated.cu'), [('new.cu', 2)])

    def test_names(self):
        """Blanks, quotes, other letters, folders; files that are renamed, deleted, binary for git, with CRLF."""
        names = ['my kernels/k 1.cu', 'ä "q".cu', 'crlf.cu', 'binary.cu', 'was.cu', '-dash.cu']
        for name in names:
            self.write(name, STRIDE.replace('2 *', '1 *').replace('\n', '\r\n' if name == 'crlf.cu' else '\n') + '// filler\n' * 20)
        self.write('gone.cu', STRIDE)
        self.write('.gitattributes', 'binary.cu binary\n')
        self.commit()
        os.rename(self.path('was.cu'), self.path('is.cu'))
        os.remove(self.path('gone.cu'))
        names = ['is.cu' if name == 'was.cu' else name for name in names]
        for name in names:
            text = self.bytes(name).decode()
            self.write(name, '// first\n' + text.replace('1 *', '2 *'))
        self.git('add', '-A')
        for name in names:
            with self.subTest(name):
                self.assertEqual(self.places('--diff=HEAD', './' + name), [(name, 3)])

    def test_no_newline_at_the_end(self):
        self.write('a.cu', '// x\n' + STRIDE.rstrip('\n'))
        self.commit()
        self.write('a.cu', '// y\n' + STRIDE.rstrip('\n'))
        self.assertEqual(self.places('--diff=HEAD', 'a.cu'), [])
        self.write('a.cu', STRIDE.replace('2 *', '8 *').rstrip('\n'))
        self.assertEqual(self.places('--diff=HEAD', 'a.cu'), [('a.cu', 2)])

    def test_declarations_count(self):
        """A tile's declaration is changed, the access is not."""
        self.write('a.cu', tile('float tile[32][33]'))
        self.commit()
        self.assertEqual(self.places('--diff=HEAD', 'a.cu'), [])
        self.write('a.cu', tile('float tile[32][32]'))
        self.assertEqual(self.places('--diff=HEAD', 'a.cu'), [('a.cu', 7)])

    def test_branches(self):
        """REV... is since the branch left: what the other branch did since is not ours."""
        self.write('a.cu', STRIDE + '\n' * 9 + STRIDE.replace('stride', 'second').replace('launch', 'go'))
        self.commit()
        self.git('checkout', '-q', '-b', 'work')
        self.write('a.cu', self.read('a.cu').replace('2 *', '4 *', 1))
        self.commit()
        self.git('checkout', '-q', 'main')
        text = self.read('a.cu')
        self.write('a.cu', text[:20] + text[20:].replace('in[2 * threadIdx.x];\n}\nvoid go', 'in[8 * threadIdx.x];\n}\nvoid go'))
        self.commit()
        self.git('checkout', '-q', 'work')
        self.assertEqual(self.places('--diff=main...', 'a.cu'), [('a.cu', 2)])
        self.assertEqual(self.places('--diff=main', 'a.cu'), [('a.cu', 2), ('a.cu', 15)])

    def test_only_what_the_changes_touch_is_analysed(self):
        self.write('lib/spread.cuh', HEADER)
        self.write('lib/indirect.cuh', '#include "spread.cuh"\n')
        self.write('user.cu', USER.format(header='indirect.cuh'))
        self.write('a.cu', STRIDE)
        self.write('b.cu', STRIDE.replace('stride', 'b'))
        self.database('build', [('user.cu', ['-Ilib']), ('a.cu', []), ('b.cu', [])])
        self.commit()
        self.assertEqual(self.report('-p', 'build', '--diff=HEAD')['summary']['files'], 0)
        self.assertIn('no CUDA file of the database has changed', self.run_tool('-p', 'build', '--diff=HEAD').stderr)
        self.write('b.cu', self.read('b.cu').replace('2 *', '4 *'))
        report = self.report('-p', 'build', '--diff=HEAD')
        self.assertEqual((report['summary']['files'], [k['name'] for k in report['kernels']]), (1, ['b']))
        self.write('lib/spread.cuh', HEADER.replace('N * ', 'N  *  '))
        report = self.report('-p', 'build', '--diff=HEAD')
        self.assertEqual([(k['name']) for k in report['kernels']], ['spread', 'b'])
        self.assertEqual(self.places('-p', 'build', '--diff=HEAD'), [('b.cu', 2), ('lib/spread.cuh', 3)])
        # From a folder outside, by the database's files.
        self.assertEqual(self.places('-p', self.path('build'), '--diff=HEAD', cwd='/'), [('b.cu', 2), ('lib/spread.cuh', 3)])

    def test_wrong_use(self):
        self.write('a.cu', STRIDE)
        self.commit()
        for revision in ('nonsense', '--output=x', '', 'HEAD..main', 'HEAD:a.cu', '-h'):
            self.fails(f'--diff={revision}', 'a.cu', says=[f'--diff={revision}', 'revision', 'as in --diff=HEAD'])
        self.assertFalse(os.path.exists(self.path('x')))
        outside = os.path.realpath(self.folder + '/..') + '/outside.cu'
        self.addCleanup(os.remove, outside)
        with open(outside, 'w', encoding='utf-8') as file:
            file.write(STRIDE)
        self.fails('--diff=HEAD', outside, says=['not in the working tree of a git repository', 'leave out --diff'], cwd='/')

    def test_without_git(self):
        self.write('a.cu', STRIDE)
        environment = dict(os.environ, PATH=self.path('empty'))
        run = subprocess.run([harness.TOOL, '--no-cuda', '--diff=HEAD', 'a.cu'], cwd=self.folder, env=environment, capture_output=True,
                             check=False)
        self.assertEqual(run.returncode, 2)
        self.assertIn(b'--diff needs git', run.stderr)

    def test_as_a_hook(self):
        """git hands a hook its own folder and index by the environment."""
        self.write('sub/a.cu', CLEAN)
        self.commit()
        self.write('.git/hooks/pre-commit', f'#!/bin/sh\nexec "{harness.TOOL}" --no-cuda --warnings-as-errors=* --diff=HEAD sub/a.cu\n')
        os.chmod(self.path('.git/hooks/pre-commit'), 0o755)
        self.write('sub/a.cu', STRIDE)
        with self.assertRaises(subprocess.CalledProcessError) as refused:
            self.git('commit', '-q', '-a', '-m', 'worse')
        self.assertIn(b'[global-stride]', refused.exception.stdout + refused.exception.stderr)
        self.write('sub/a.cu', '// better\n' + CLEAN)
        self.git('commit', '-q', '-a', '-m', 'better')

    def trap(self):
        """A program that leaves a mark when it runs, and its file."""
        script, mark = self.path('evil program'), self.path('mark')
        self.write('evil program', f'#!/bin/sh\necho "$0 $@" >> "{mark}"\nif [ $# = 0 ]; then cat; fi\n')
        os.chmod(script, 0o755)
        return f"'{script}'", script, mark

    def springs(self, mark, *arguments):
        """Does git itself run it? Else the test would prove nothing."""
        subprocess.run(['git', *arguments], cwd=self.folder, env=self.environment, capture_output=True, check=False, stdin=subprocess.DEVNULL,
                       timeout=60)
        self.assertTrue(os.path.exists(mark), 'git does not run it')
        os.remove(mark)

    def test_nothing_of_a_repository_is_executed(self):
        """Whatever its configuration, attributes and hooks name."""
        command, script, mark = self.trap()
        self.write('a.cu', STRIDE)
        self.commit()
        self.write('.git/info/attributes', '*.cu filter=evil diff=evil\n')
        plain = ('diff', '--no-ext-diff', '--no-textconv', 'HEAD')
        for number, (settings, git) in enumerate(((['filter.evil.clean'], plain), (['filter.evil.process', 'filter.evil.required'], plain),
                                                  (['diff.evil.command'], ('diff', 'HEAD')), (['diff.evil.textconv'], ('diff', 'HEAD')),
                                                  (['diff.external'], ('diff', 'HEAD')), (['core.fsmonitor'], ('diff', 'HEAD')),
                                                  (['alias.co'], ('co',)))):
            with self.subTest(settings):
                self.write('a.cu', STRIDE.replace('2 *', f'{number + 3} *'))
                for key in settings:
                    self.git('config', key, 'true' if key.endswith('required') else '!' + command if key.startswith('alias') else
                             command)
                self.springs(mark, *git)
                self.assertEqual(self.places('--diff=HEAD', 'a.cu'), [('a.cu', 2)])
                self.assertFalse(os.path.exists(mark), os.path.exists(mark) and self.read('mark'))
                for key in settings:
                    self.git('config', '--unset', key)

    def test_filters_of_any_name(self):
        """One with '=', a blank and a dot; attributes of the working tree."""
        command, _, mark = self.trap()
        self.write('a.cu', STRIDE)
        self.commit()
        self.write('.gitattributes', '*.cu filter=e=v.il\n')
        self.git('config', 'filter.e=v.il.clean', command)
        self.write('a.cu', STRIDE.replace('2 *', '4 *'))
        self.springs(mark, 'diff', 'HEAD')
        self.assertEqual(self.places('--diff=HEAD', 'a.cu'), [('a.cu', 2)])
        self.assertFalse(os.path.exists(mark))

    def test_no_hook_hears_of_it(self):
        command, script, mark = self.trap()
        self.write('a.cu', STRIDE)
        self.commit()
        self.git('config', 'core.hooksPath', self.path('hooks'))
        os.makedirs(self.path('hooks'))
        os.symlink(script, self.path('hooks/post-index-change'))
        os.utime(self.path('a.cu'), (1, 1))
        self.springs(mark, 'diff', 'HEAD')
        os.utime(self.path('a.cu'), (2, 2))
        self.assertEqual(self.places('--diff=HEAD', 'a.cu'), [])
        self.assertFalse(os.path.exists(mark))

    def test_nothing_is_fetched(self):
        """A partial clone would fetch what is missing, by the program that its configuration names."""
        command, _, mark = self.trap()
        self.write('a.cu', STRIDE)
        self.commit()
        blob = self.git('rev-parse', 'HEAD:a.cu').strip()
        os.remove(self.path(f'.git/objects/{blob[:2]}/{blob[2:]}'))
        for key, value in (('core.repositoryFormatVersion', '1'), ('extensions.partialClone', 'origin'), ('remote.origin.promisor', 'true'),
                           ('remote.origin.url', self.path('elsewhere')), ('remote.origin.uploadpack', command)):
            self.git('config', key, value)
        os.makedirs(self.path('elsewhere'))
        self.write('a.cu', STRIDE.replace('2 *', '4 *'))
        self.springs(mark, 'diff', 'HEAD')
        self.fails('--diff=HEAD', 'a.cu', says=['cannot compare with'])
        self.assertFalse(os.path.exists(mark))

    def test_the_environment_changes_nothing(self):
        command, script, mark = self.trap()
        self.write('a.cu', STRIDE + '\n' + STRIDE.replace('stride', 'b').replace('launch', 'c'))
        self.commit()
        self.write('a.cu', self.read('a.cu').replace('2 *', '4 *', 1))
        for name, value in (('GIT_EXTERNAL_DIFF', script), ('GIT_DIFF_OPTS', '--unified=20'), ('GIT_CONFIG_PARAMETERS', "'color.diff'='always'"),
                            ('GIT_TRACE', '1'), ('GIT_PAGER', script)):
            os.environ[name] = value
            self.addCleanup(os.environ.pop, name)
        self.git('config', 'diff.mnemonicPrefix', 'true')
        self.git('config', 'diff.noprefix', 'true')
        self.git('config', 'color.ui', 'always')
        self.git('config', 'diff.context', '9')
        self.assertEqual(self.places('--diff=HEAD', 'a.cu'), [('a.cu', 2)])
        self.assertFalse(os.path.exists(mark))


class Baseline(ToolTest):
    """A baseline is written, the code changes, and only what is new is shown and fails."""

    def setUp(self):
        super().setUp()
        self.write('src/a.cu', STRIDE + STRIDE.replace('stride', 'second').replace('launch', 'go'))
        self.write('src/b.cu', tile())

    def run_with(self, *files, status=0, options=()):
        """(findings, summary) against the baseline."""
        report = self.report('--baseline=base.json', *options, *(files or ('src/a.cu', 'src/b.cu')), status=status)
        return [(os.path.basename(f['file']), f['line'], f['rule']) for f in report['findings']], report['summary']['baseline']

    def adopt(self, *files):
        return self.run_tool('--write-baseline=base.json', *(files or ('src/a.cu', 'src/b.cu')))

    def edit(self, name, *changes):
        text = self.read(name)
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new, 1)
        self.write(name, text)

    def test_written(self):
        run = self.adopt()
        self.assertEqual(run.stdout, '')
        self.assertIn('wrote 3 findings to the baseline base.json', run.stderr)
        text = self.read('base.json')
        self.assertEqual([e['file'] for e in json.loads(text)['findings']], ['src/a.cu', 'src/a.cu', 'src/b.cu'])
        self.assertEqual([len(re.findall('"fingerprint"', line)) for line in text.split('\n')], [0, 0, 0, 1, 1, 1, 0, 0, 0])
        self.adopt()
        self.assertEqual(self.read('base.json'), text)
        self.assertEqual(self.run_with(), ([], {'new': 0, 'fixed': 0, 'remaining': 3}))
        self.assertIn('against the baseline: 0 new, 0 fixed, 3 remaining', self.run_tool('--baseline=base.json', 'src/a.cu', 'src/b.cu').stderr)

    def test_headers_that_are_filtered_out_are_not_fixed(self):
        self.write('src/own.cuh', HEADER)
        self.write('src/c.cu', USER.format(header='own.cuh'))
        self.database('build', [('src/a.cu', []), ('src/b.cu', []), ('src/c.cu', [])])
        self.run_tool('-p', 'build', '--write-baseline=base.json')
        text = self.read('base.json')
        for option in ('--header-filter=', '--exclude-header-filter=own'):
            with self.subTest(option):
                report = self.report('-p', 'build', '--baseline=base.json', '--write-baseline=base.json', option)
                self.assertEqual(report['summary']['baseline']['fixed'], 0)
                self.assertEqual(self.read('base.json'), text)
        self.write('src/own.cuh', HEADER.replace('N *', ''))
        report = self.report('-p', 'build', '--baseline=base.json')
        self.assertEqual(report['summary']['baseline']['fixed'], 1)

    def test_a_baseline_of_brackets(self):
        self.write('base.json', '[' * 3000000)
        self.fails('--baseline=base.json', 'src/a.cu', says=['nested too deep'])
        self.adopt()
        self.write('base.json', '\ufeff' + self.read('base.json'))
        self.assertEqual(self.run_with(), ([], {'new': 0, 'fixed': 0, 'remaining': 3}))

    def test_errors_of_the_baseline_do_not_fail(self):
        self.run_tool('--warnings-as-errors=*', 'src/a.cu', status=1)
        self.run_tool('--warnings-as-errors=*', '--write-baseline=base.json', 'src/a.cu')
        self.run_tool('--warnings-as-errors=*', '--baseline=base.json', 'src/a.cu')

    def test_new_findings_fail(self):
        self.adopt()
        self.edit('src/a.cu', ('void launch', '__global__ void third(float *out, const float *in) {\n  out[4 * threadIdx.x] = in[threadIdx.x];\n}\n'
                               'void three(float *out, const float *in) { third<<<1, 256>>>(out, in); }\nvoid launch'))
        self.assertEqual(self.run_with(status=1), ([('a.cu', 5, 'global-stride')], {'new': 1, 'fixed': 0, 'remaining': 3}))
        self.edit('src/a.cu', ('out[4 * ', 'out['))
        self.assertEqual(self.run_with(), ([], {'new': 0, 'fixed': 0, 'remaining': 3}))

    def test_new_notes_are_shown_and_do_not_fail(self):
        self.adopt()
        self.edit('src/b.cu', ('dim3(32, 32)', 'dim3(32, 31)'))
        self.write('src/c.cu', CLEAN.replace('256', '250'))
        findings, counts = self.run_with('src/c.cu')
        self.assertEqual((findings, counts['new']), ([('c.cu', 4, 'launch-partial-warp')], 1))

    def test_moved_lines_and_reformatting_are_no_change(self):
        self.adopt()
        self.edit('src/a.cu', ('__global__', '// new first lines\n\n\n__global__'), ('in[2 * threadIdx.x]', 'in[ 2*threadIdx . x /* lane */ ]'))
        self.edit('src/b.cu', ('tile[x][y]', '\n      tile[x]\n      [y]'))
        self.assertEqual(self.run_with(), ([], {'new': 0, 'fixed': 0, 'remaining': 3}))

    def test_another_access_is_new(self):
        self.adopt()
        for change in (('in[2 * threadIdx.x]', 'in[2 * threadIdx.x + 8]'), ('stride', 'stridden'), ('const float *in', 'const float *from')):
            with self.subTest(change):
                before = self.read('src/a.cu')
                text = before.replace('stride', 'stridden') if change[0] == 'stride' else before.replace(change[0], change[1], 1)
                if 'from' in change[1]:
                    text = text.replace('= in[', '= from[', 1)
                self.write('src/a.cu', text)
                self.assertEqual(self.run_with(status=1), ([('a.cu', 2, 'global-stride')], {'new': 1, 'fixed': 1, 'remaining': 2}))
                self.write('src/a.cu', before)

    def test_worse_is_new(self):
        """The access's text is the same, a constant elsewhere is not."""
        self.write('src/a.cu', 'constexpr int step = 2;\n' + STRIDE.replace('2 *', 'step *'))
        self.adopt('src/a.cu')
        self.edit('src/a.cu', ('step = 2', 'step = 8'))
        report = self.report('--baseline=base.json', 'src/a.cu', status=1)
        self.assertIn('worse than in the baseline: 32 sectors, 8 there', [n['message'] for n in report['findings'][0]['notes']])
        self.assertEqual(report['summary']['baseline'], {'new': 1, 'fixed': 0, 'remaining': 0})
        self.adopt('src/a.cu')
        self.edit('src/a.cu', ('step = 8', 'step = 2'))
        self.assertEqual(self.run_with('src/a.cu'), ([], {'new': 0, 'fixed': 0, 'remaining': 1}))

    def test_fixed_findings_are_named(self):
        self.adopt()
        self.edit('src/b.cu', ('tile[32][32]', 'tile[32][33]'))
        run = self.run_tool('--baseline=base.json', 'src/a.cu', 'src/b.cu')
        self.assertIn("fixed since the baseline: src/b.cu: shared-tile-column of 'tile[x][y]' in 'turn(", run.stderr)
        self.assertIn('add --write-baseline=base.json', run.stderr)
        self.run_tool('--baseline=base.json', '--write-baseline=base.json', 'src/a.cu', 'src/b.cu')
        self.assertEqual(self.run_with(), ([], {'new': 0, 'fixed': 0, 'remaining': 2}))

    def test_moved_files(self):
        self.adopt()
        os.makedirs(self.path('lib'))
        os.rename(self.path('src/a.cu'), self.path('lib/renamed.cu'))
        run = self.run_tool('--baseline=base.json', 'lib/renamed.cu', 'src/b.cu')
        self.assertIn('note: moved since the baseline: src/a.cu -> lib/renamed.cu, with 2 findings\n', run.stderr)
        self.assertEqual(self.run_with('lib/renamed.cu', 'src/b.cu'), ([], {'new': 0, 'fixed': 0, 'remaining': 3}))
        # What changed on the way is seen.
        self.edit('lib/renamed.cu', ('second', 'other'), ('in[2 * threadIdx.x]', 'in[8 * threadIdx.x]'))
        self.assertEqual(self.run_with('lib/renamed.cu', 'src/b.cu', status=1)[1], {'new': 2, 'fixed': 0, 'remaining': 1})
        self.edit('lib/renamed.cu', ('other', 'second'))
        self.assertEqual(self.run_with('lib/renamed.cu', 'src/b.cu', status=1)[1]['new'], 2)  # half is not enough
        self.edit('lib/renamed.cu', ('in[8 * threadIdx.x]', 'in[2 * threadIdx.x]'))
        self.run_tool('--baseline=base.json', '--write-baseline=base.json', 'lib/renamed.cu', 'src/b.cu')
        self.assertEqual({e['file'] for e in json.loads(self.read('base.json'))['findings']}, {'lib/renamed.cu', 'src/b.cu'})
        self.assertNotIn('moved', self.run_tool('--baseline=base.json', 'lib/renamed.cu', 'src/b.cu').stderr)

    def test_copies_are_not_moved(self):
        self.adopt()
        self.write('src/copy.cu', self.read('src/a.cu').replace('launch', 'launch2').replace('go', 'go2'))
        findings, counts = self.run_with('src/a.cu', 'src/b.cu', 'src/copy.cu', status=1)
        self.assertEqual((counts['new'], {name for name, _, _ in findings}), (2, {'copy.cu'}))
        # Of two copies of a file that is gone, one is it.
        os.rename(self.path('src/a.cu'), self.path('src/also.cu'))
        self.assertEqual(self.run_with('src/also.cu', 'src/b.cu', 'src/copy.cu', status=1)[1], {'new': 2, 'fixed': 0, 'remaining': 3})
        # Nor is a file with other findings.
        os.remove(self.path('src/also.cu'))
        self.write('src/copy.cu', STRIDE.replace('2 *', '4 *'))
        self.assertEqual(self.run_with('src/b.cu', 'src/copy.cu', status=1)[1], {'new': 1, 'fixed': 0, 'remaining': 1})

    def test_other_files_and_checks_are_left_alone(self):
        self.adopt()
        self.assertEqual(self.run_with('src/a.cu'), ([], {'new': 0, 'fixed': 0, 'remaining': 2}))
        self.assertEqual(self.run_with(options=['--checks=-global-*']), ([], {'new': 0, 'fixed': 0, 'remaining': 1}))
        self.edit('src/a.cu', ('in[2 *', 'undeclared[2 *'))
        self.assertEqual(self.run_with()[1]['fixed'], 0)
        # What this run could not see stays in a new baseline.
        self.run_tool('--baseline=base.json', '--write-baseline=base.json', 'src/b.cu')
        self.assertEqual(len(json.loads(self.read('base.json'))['findings']), 3)
        self.run_tool('--write-baseline=base.json', 'src/b.cu')
        self.assertEqual(len(json.loads(self.read('base.json'))['findings']), 1)

    def test_headers_are_judged_by_the_whole_project(self):
        self.write('own.cuh', HEADER)
        self.write('two.cu', USER.format(header='own.cuh'))
        self.write('three.cu', '#include "own.cuh"\n')
        self.database('build', [('two.cu', []), ('three.cu', [])])
        self.run_tool('-p', 'build', '--write-baseline=base.json')
        self.assertEqual(self.run_with('three.cu')[1], {'new': 0, 'fixed': 0, 'remaining': 0})
        self.write('own.cuh', HEADER.replace('N * ', ''))
        report = self.report('-p', 'build', '--baseline=base.json')
        self.assertEqual(report['summary']['baseline'], {'new': 0, 'fixed': 1, 'remaining': 0})

    def test_elsewhere(self):
        """Another checkout, another current folder, a link: the names are relative to the baseline."""
        self.adopt()
        os.rename(self.path('src'), self.path('copy'))
        os.makedirs(self.path('clone'))
        os.rename(self.path('copy'), self.path('clone/src'))
        os.rename(self.path('base.json'), self.path('clone/base.json'))
        os.symlink(self.path('clone'), self.path('link'))
        for base, files in (('clone/base.json', ['clone/src/a.cu', 'clone/src/b.cu']), ('link/base.json', ['clone/src/a.cu', 'link/src/b.cu'])):
            report = self.report(f'--baseline={base}', *files)
            self.assertEqual(report['summary']['baseline'], {'new': 0, 'fixed': 0, 'remaining': 3})
        report = self.report('--baseline=../base.json', 'a.cu', 'b.cu', cwd=self.path('clone/src'))
        self.assertEqual(report['summary']['baseline'], {'new': 0, 'fixed': 0, 'remaining': 3})

    def test_same_names_in_two_folders(self):
        self.write('other/a.cu', self.read('src/a.cu'))
        self.adopt('src/a.cu', 'other/a.cu')
        self.assertEqual(self.run_with('src/a.cu'), ([], {'new': 0, 'fixed': 0, 'remaining': 2}))
        self.assertEqual(self.run_with('other/a.cu', 'src/a.cu'), ([], {'new': 0, 'fixed': 0, 'remaining': 4}))
        self.adopt('src/a.cu')
        self.assertEqual(self.run_with('other/a.cu', status=1)[1], {'new': 2, 'fixed': 0, 'remaining': 0})

    def test_repeats_are_counted(self):
        self.write('src/a.cu', STRIDE.replace('}', '  out[threadIdx.x + 256] = in[2 * threadIdx.x];\n}', 1))
        self.adopt('src/a.cu')
        self.edit('src/a.cu', ('  out[threadIdx.x] = in[2 * threadIdx.x];\n', ''))
        self.assertEqual(self.run_with('src/a.cu')[1], {'new': 0, 'fixed': 1, 'remaining': 1})
        self.edit('src/a.cu', ('}', '  out[threadIdx.x + 256] = in[2 * threadIdx.x];\n  out[threadIdx.x + 512] = in[2 * threadIdx.x];\n}'))
        self.assertEqual(self.run_with('src/a.cu', status=1)[1], {'new': 1, 'fixed': 0, 'remaining': 2})

    def test_wrong_use(self):
        self.fails('--baseline=base.json', 'src/a.cu', says=["cannot read the baseline 'base.json'", '--write-baseline=base.json'])
        for text, says in (('{', '[1:'), ('{}', 'no baseline'), ('{"schema":"warplint-baseline/9","findings":[]}', "'warplint-baseline/9'"),
                           ('{"schema":"warplint-baseline/1","findings":[{}]}', 'findings[0]')):
            self.write('base.json', text)
            self.fails('--baseline=base.json', 'src/a.cu', says=["cannot use the baseline 'base.json'", says])
        self.fails('--write-baseline=new.json', '--diff=HEAD', 'src/a.cu', says=['--write-baseline with --line-filter or --diff'])
        self.fails('--write-baseline=', 'src/a.cu', says=['expected the name of a file'])
        self.assertFalse(os.path.exists(self.path('new.json')))
        run = self.run_tool('--write-baseline=absent/new.json', 'src/a.cu', status=2)
        self.assertIn('absent/new.json: cannot write the baseline', run.stderr)


class Contracts(ToolTest):
    """`warplint: expect` in comments, and --expect."""

    def contract(self, text, *options, status, **more):
        """Messages of cost-contract over a file of this text."""
        self.write('c.cu', text)
        report = self.report(*options, 'c.cu', status=status, **more)
        found = [f for f in report['findings'] if f['rule'] == 'cost-contract']
        self.assertEqual({f['severity'] for f in found} - {'error', 'note'}, set())
        return [(f['line'], f['message']) for f in found]

    def stride(self, comment, factor=2):
        return STRIDE.replace('2 *', f'{factor} *').replace('threadIdx.x];', f'threadIdx.x]; // warplint: {comment}')

    def test_kept_and_broken(self):
        self.assertEqual(self.contract(self.stride('expect[in] sectors<=8, efficiency>=0.5'), status=0), [])
        self.assertEqual(self.contract(self.stride('expect[in] sectors<=4'), status=1),
                         [(2, "expected sectors<=4 of 'in[2 * threadIdx.x]', found 8")])
        self.assertEqual(self.contract(self.stride('expect sectors<=4', 1), status=0), [])

    def test_tiles(self):
        text = tile(read='tile[x][y]').replace('out[y * n + x] =', '// warplint: expect conflictWays==1\n  out[y * n + x] =')
        self.assertEqual(self.contract(text, status=1), [(8, "expected conflictWays==1 of 'tile[x][y]', found 32")])
        self.assertEqual(self.contract(text.replace('[32][32]', '[32][33]'), status=0), [])

    def test_kernels(self):
        text = '// warplint: expect efficiency>=0.8\n' + STRIDE
        self.assertEqual(self.contract(text, status=1),
                         [(2, "expected efficiency>=0.8 of the kernel 'stride', over 2 global accesses, found 0.666667")])
        self.assertEqual(self.contract(text.replace('0.8', '0.66'), status=0), [])
        self.assertEqual(self.contract(text.replace('2 *', '1 *'), status=0), [])

    def test_options(self):
        self.assertEqual(self.contract(STRIDE, '--expect=stride: sectors<=8', '--expect=str*: lines<=2', status=0), [])
        self.assertEqual(self.contract(STRIDE, '--expect=stride: sectors<=4', status=1),
                         [(2, "expected sectors<=4 of 'in[2 * threadIdx.x]', found 8 (--expect)")])
        run = self.run_tool('--expect=strid: sectors<=4', 'c.cu', status=2)
        self.assertIn("--expect='strid: sectors<=4': no kernel of that name was analysed", run.stderr)
        self.fails('--expect=stride', 'c.cu', says=['expected KERNEL: TERMS'])
        self.fails('--expect=:sectors<=4', 'c.cu', says=['expected KERNEL: TERMS'])
        self.fails('--expect=stride: sector<=4', 'c.cu', says=['column 9', "did you mean 'sectors'?"])

    def test_every_instance_and_launch(self):
        text = '''template <int N> __global__ void k(float *out, const float *in) {
  out[threadIdx.x] = in[N * threadIdx.x]; // warplint: expect[in] sectors<=8
}
void go(float *out, const float *in) { k<1><<<1, 256>>>(out, in); k<2><<<1, 256>>>(out, in); %s }
'''
        self.assertEqual(self.contract(text % '', status=0), [])
        self.assertEqual(self.contract(text % 'k<4><<<1, 256>>>(out, in); k<8><<<1, 256>>>(out, in);', status=1),
                         [(2, "expected sectors<=8 of 'in[N * threadIdx.x]', found 32")])

    def test_costs_that_are_not_known(self):
        text = '''__global__ void k(float *out, const float *in, const int *index) {
  out[threadIdx.x] = in[index[threadIdx.x]]; // warplint: expect[%s] sectors<=4
}
void go(float *out, const float *in, const int *index) { k<<<1, 256>>>(out, in, index); }
'''
        (line, message), = self.contract(text % 'in', status=1)
        self.assertEqual(line, 2)
        self.assertRegex(message, r"^cannot be checked: expected sectors<=4 of 'in\[index\[threadIdx\.x\]\]', whose cost is not known: .")
        self.assertEqual(self.contract(text % 'index', status=0), [])

    def test_contracts_about_nothing(self):
        (line, message), = self.contract(CLEAN + '// warplint: expect sectors<=4\nint x;\n', status=1)
        self.assertEqual(line, 5)
        self.assertIn('no analysed memory access is where this contract stands', message)
        (line, message), = self.contract(self.stride('expect conflictWays==1', 1), status=1)
        self.assertIn('only accesses of global memory are here, which have no conflictWays', message)
        (line, message), = self.contract('#ifdef FAST\n' + self.stride('expect sectors<=4') + '#endif\n' + CLEAN, status=0)
        self.assertIn('perhaps because of the #if around it', message)
        self.assertEqual(len(self.contract('#ifdef FAST\n' + self.stride('expect sectors<=4') + '#endif\n' + CLEAN.replace('stride', 'c').replace('launch', 'l'), '--extra-arg=-DFAST', status=1)), 1)

    def test_words_that_are_not_understood(self):
        for comment, says in (('expect sector<=4', "unknown key 'sector'; did you mean 'sectors'?"), ('expect sectors=4', 'expected <=, >=, ==, < or >'),
                              ('expect sectors<=4 or so', "expected ','"), ('expects sectors<=4', "it begins with 'warplint: expect'")):
            with self.subTest(comment):
                (line, message), = self.contract(self.stride(comment, 1), status=1)
                self.assertEqual(line, 2)
                self.assertIn(says, message)
        finding, = self.report('c.cu', status=1)['findings']
        self.assertEqual(finding['column'], self.read('c.cu').split('\n')[1].index('warplint:') + 1)

    def test_beginnings_that_are_misspelt(self):
        """One that was passed over would hold nobody to anything."""
        for marker in ('Warplint: expect', 'warplint expect', 'warplint : expect', 'wraplint: expect', 'warp-lint: expect', 'warplint:'):
            with self.subTest(marker):
                (line, message), = self.contract(self.stride('expect sectors<=99').replace('warplint: expect', marker), status=1)
                self.assertEqual(line, 2)
                self.assertIn("it begins with 'warplint: expect'", message)
        for prose in ('warplint expects a contract here', 'what warplint: says', 'the `warplint: expect sectors<=4` above', 'expect sectors<=4'):
            with self.subTest(prose):
                self.assertEqual(self.contract(self.stride('expect').replace('warplint: expect', prose), status=0), [])

    BRANCHED = """__global__ void k(float *out, const float *in, int n) {
  if (n > 3)
    out[threadIdx.x] = in[2 * threadIdx.x]; // warplint: expect[in] sectors<=%d
}
void go(float *out, const float *in) { %s }
"""
    RUNS, IDLE = 'k<<<1, 256>>>(out, in, 5); ', 'k<<<1, 256>>>(out, in, 1); '

    def test_launches_that_make_no_access(self):
        self.assertEqual(self.contract(self.BRANCHED % (8, self.RUNS + self.IDLE), status=0), [])
        self.assertEqual(self.contract(self.BRANCHED % (4, self.RUNS + self.IDLE), status=1), [(3, "expected sectors<=4 of 'in[2 * threadIdx.x]', found 8")])
        (line, message), = self.contract(self.BRANCHED % (8, self.IDLE), status=1)
        self.assertIn('never executed', message)
        of_kernel = (self.BRANCHED % (8, self.RUNS + self.IDLE)).replace(' // warplint: expect[in] sectors<=8', '')
        self.assertEqual(self.contract(of_kernel, '--expect=k: sectors<=8, efficiency>=0.6', status=0), [])
        self.assertEqual(len(self.contract(of_kernel, '--expect=k: efficiency>=0.7', status=1)), 1)

    def test_whole_statements(self):
        """A comment on a line of its own speaks of all of it."""
        kernel = """__global__ void k(float *out, const float *in, int n) {{
  int t = threadIdx.x;
  // warplint: expect sectors<={limit}
{statement}
}}
void go(float *out, const float *in, int n) {{ k<<<1, 256>>>(out, in, n); }}
"""
        for statement in ('float4 v{in[t],\n in[2 * t], 0, 0}; out[t] = v.x + v.y;', 'float v[] = {in[t],\n in[2 * t]}; out[t] = v[0] + v[1];',
                          'out[t] = float2{in[t],\n in[2 * t]}.y;', 'auto f = [&](int i) { return in[i] +\n in[2 * i]; };\n out[t] = f(t);',
                          'if (n) out[t] = 1;\n else out[t] = in[2 * t];'):
            with self.subTest(statement):
                self.assertEqual(self.contract(kernel.format(limit=8, statement=statement), status=0), [])
                (line, message), = self.contract(kernel.format(limit=4, statement=statement), status=1)
                self.assertEqual(line, 5)
                self.assertIn('found 8', message)
        (line, message), = self.contract(kernel.format(limit=8, statement='if (n) {\n out[t] = in[2 * t];\n }'), status=1)
        self.assertIn('no analysed memory access', message)

    def test_colons_in_expectations(self):
        text = 'namespace a { __device__ float g[1024]; }\n' + STRIDE.replace('in[2 *', 'a::g[2 *')
        self.assertEqual(self.contract(text, '--expect=stride: [a::g[2 * threadIdx.x]] sectors<=8', status=0), [])
        self.assertEqual(len(self.contract(text, '--expect=stride:[a::g[2 * threadIdx.x]] sectors<=4', status=1)), 1)

    def test_helpers(self):
        text = """template <typename T> __device__ T load(const T *from) { return *from; }
__global__ void k(float *out, const float *in) {
  out[threadIdx.x] = load(in + 2 * threadIdx.x); // warplint: expect sectors<=%d
}
void go(float *out, const float *in) { k<<<1, 256>>>(out, in); }
"""
        self.assertEqual(self.contract(text % 4, status=1), [(3, "expected sectors<=4 of '*from', found 8")])
        self.assertEqual(self.contract(text % 8, status=0), [])

    def test_strings_are_no_comments(self):
        self.assertEqual(self.contract(CLEAN + 'const char *text = "// warplint: expect sectors<=4";\n', status=0), [])

    def test_headers(self):
        self.write('own.cuh', HEADER.replace(';\n}', '; // warplint: expect[in] sectors<=4\n}'))
        self.write('user.cu', USER.format(header='own.cuh'))
        finding, = [f for f in self.report('user.cu', status=1)['findings'] if f['rule'] == 'cost-contract']
        self.assertEqual((os.path.basename(finding['file']), finding['line']), ('own.cuh', 3))
        self.run_tool('--exclude-header-filter=own', 'user.cu')

    def test_headers_of_helpers(self):
        """Their accesses are seen with the kernels that call them."""
        self.write('load.cuh', '#pragma once\ntemplate <typename T> __device__ T load(const T *from) {\n  return *from; // warplint: expect sectors<=4\n}\n')
        self.write('user.cu', '#include "load.cuh"\n' + STRIDE.replace('in[2 * threadIdx.x]', 'load(in + 2 * threadIdx.x)'))
        self.database('build', [('user.cu', [])])
        finding, = [f for f in self.report('-p', 'build', status=1)['findings'] if f['rule'] == 'cost-contract']
        self.assertEqual((os.path.basename(finding['file']), finding['line']), ('load.cuh', 3))
        self.run_tool('-p', 'build', 'load.cuh')

    def test_what_does_not_silence_them(self):
        text = self.stride('expect[in] sectors<=4 NOLINT').replace(' NOLINT', '').replace('// warplint', '// NOLINT warplint')
        self.assertEqual(len(self.contract(text, status=1)), 1)
        self.run_tool('--write-baseline=base.json', 'c.cu', status=1)
        self.assertEqual(json.loads(self.read('base.json'))['findings'], [])
        self.run_tool('--baseline=base.json', 'c.cu', status=1)
        self.run_tool('--line-filter=[{"name":"other.cu"}]', 'c.cu', status=1)
        self.run_tool('--checks=-cost-contract', 'c.cu')

    def test_explained(self):
        self.assertIn('# cost-contract', self.run_tool('--explain=cost-contract').stdout)
        self.assertIn('cost-contract', self.run_tool('--list-checks').stdout)


if __name__ == '__main__':
    harness.main()
