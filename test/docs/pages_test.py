#!/usr/bin/env python3
"""What README.md, docs/ and the files handed out with them say exists. Every checker has a twin that sees it fail."""
import glob
import json
import os
import re
import shutil
import subprocess

import documentation
from documentation import ROOT, DocumentationTest
import check  # from tools/docs
from harness import STRIDE

CHECKS = ['global-stride', 'global-aos', 'shared-tile-column']
OPTIONS = {'warplint': {'-p', '--fix', '--checks', '--launcher', '--shard'}, 'warplint merge': {'--format'}, 'warplint-replay': {'--link'}}


def read(*path):
    with open(os.path.join(ROOT, *path), encoding='utf-8') as file:
        return file.read()


def block(page, language):
    """The first block of code of a page in a language."""
    return re.search(rf'^```{language}\n(.*?)^```', read('docs', page), re.M | re.S).group(1)


class RealPages(DocumentationTest):
    def setUp(self):
        super().setUp()
        self.texts = check.shipped(ROOT)

    def test_nothing_is_wrong(self):
        self.assertEqual(check.check_all(ROOT, self.programs), [])

    def test_all_kinds_of_files_are_looked_at(self):
        for name in ('README.md', 'docs/ci.md', 'docs/rules/README.md', '.pre-commit-hooks.yaml', 'ci/github/warplint.yml',
                     'ci/gitlab/.gitlab-ci.yml', 'examples/cmake/CMakeLists.txt', 'cmake/package/warplint.cmake'):
            self.assertIn(name, self.texts)

    def test_index_has_every_page(self):
        index = self.texts['docs/README.md']
        for path in glob.glob(os.path.join(ROOT, 'docs', '*.md')):
            if os.path.basename(path) != 'README.md':
                self.assertIn(f']({os.path.basename(path)})', index)

    def test_every_option_is_on_the_options_page(self):
        page = self.texts['docs/options.md']
        for words in ('warplint', 'warplint merge', 'warplint-replay'):
            part = re.search(rf'^## {words}\n(.*?)(?=^## |\Z)', page, re.M | re.S).group(1)
            shown = re.findall(r'^- `(--?[\w-]+)', part, re.M)
            options = {option.name for _, options in self.programs.options(*words.split()[:2]) for option in options}
            self.assertEqual(set(shown), options)
            self.assertEqual(len(shown), len(set(shown)))

    def test_every_check_option_is_explained(self):
        presets = self.programs.presets()
        self.assertGreater(len(presets), 10)
        for name, options in presets.items():
            explained = self.programs.ask('warplint', f'--explain={name}').split('\n## Options\n')[1]
            for option in options:
                self.assertIn(f'`{option}`', explained, name)

    def test_every_configuration_key_is_explained(self):
        keys, kernel_keys = self.programs.configuration_keys()
        page = self.texts['docs/configuration.md']
        self.assertEqual(set(re.findall(r'^\| `(\w+)` \|', page, re.M)), set(keys))
        row = re.search(r'^\| `Kernels` .*', page, re.M).group()
        for key in kernel_keys:
            self.assertIn(f'`{key}`', row)

    def test_checks_with_fixes_say_how_safe_they_are(self):
        for check_ in self.programs.checks():
            source = read('rules', ''.join(word.capitalize() for word in check_.name.split('-')) + '.cpp')
            self.assertEqual(bool(check_.section('Fix')), 'fixes.push_back' in source, check_.name)
            if check_.section('Fix'):
                self.assertRegex(check_.section('Fix'), r'(?i)\b(un)?safe\b')

    def test_every_example_is_shown(self):
        pages = ''.join(text for name, text in self.texts.items() if name.endswith('.md'))
        for path in os.listdir(os.path.join(ROOT, 'docs', 'examples')):
            if path != 'README.md':
                self.assertRegex(pages, rf'(?m)^(\$ .*\b|<!-- generated: file ){re.escape(path)}\b')


class Checkers(DocumentationTest):
    def options(self, text, name='page.md'):
        return [problem.split(': ', 1)[1] for problem in check.missing_options({name: text}, OPTIONS)]

    def test_options(self):
        wrong = ['warplint has no option --fixx']
        self.assertEqual(self.options('`warplint --fixx k.cu`'), wrong)
        self.assertEqual(self.options('```sh\n$ warplint -p build --fixx\n```\n'), wrong)
        self.assertEqual(self.options('Text:\n\n    warplint --fixx\n'), wrong)
        self.assertEqual(self.options('```sh\ncat k.cu | warplint --fixx; true\n```\n'), wrong)
        self.assertEqual(self.options('`--fixx`'), ['no program has an option --fixx'])
        self.assertEqual(self.options('`warplint merge --shard=1/2`'), ['warplint merge has no option --shard'])
        self.assertEqual(self.options('`warplint-replay --fix`'), ['warplint-replay has no option --fix'])
        self.assertEqual(self.options('entry: warplint --fixx\n', 'hooks.yaml'), wrong)
        self.assertEqual(self.options('      - run: warplint --fixx\n', 'ci.yml'), wrong)

    def test_options_that_are_right(self):
        for text in ('`warplint --fix`', '`--fix`', '`warplint merge --format=json`', '`warplint-replay --link=-lpng`', '`nvcc --anything`',
                     '`warplint -p build k.cu -- --anything`', '`warplint --launcher nvcc --anything`', 'a --dash of text', '`git --anything`',
                     '    cmake --build build\n', '`--cuda-host-only`'):
            self.assertEqual(self.options(text), [], text)

    def test_place(self):
        self.assertEqual(check.missing_options({'docs/a.md': 'one\n\n`--fixx`\n'}, OPTIONS)[0].split(': ')[0], 'docs/a.md:3')

    def links(self, text):
        texts = {'docs/a.md': text, 'docs/b.md': '# Title\n\n## Two words, `code`\n\n## Again\n\n## Again\n\n```\n# comment\n```\n'}
        return [problem.split(': ', 1)[1] for problem in check.dead_links(texts, self.folder)]

    def test_links(self):
        self.write('ci/there.yml', '')
        for target in ('b.md', 'b.md#title', 'b.md#two-words-code', 'b.md#again-1', '../ci/there.yml', '#here', 'https://example.com/x'):
            self.assertEqual(self.links(f'# Here\n\n[text]({target}) [`code`]({target})\n'), [], target)
        self.assertEqual(self.links('[text](c.md)'), ['dead link: c.md'])
        self.assertEqual(self.links('[`code`](../ci/gone.yml)'), ['dead link: ../ci/gone.yml'])
        self.assertEqual(self.links('[text](b.md#three)'), ['no such heading: b.md#three'])
        self.assertEqual(self.links('[text](b.md#again-2)'), ['no such heading: b.md#again-2'])
        self.assertEqual(self.links('[text](b.md#comment)'), ['no such heading: b.md#comment'])
        self.assertEqual(self.links('[text](#there)'), ['no such heading: #there'])
        self.assertEqual(self.links('```\n[text](c.md)\n```\n'), [])

    def checks(self, text):
        return [problem.split(': ', 1)[1] for problem in check.missing_checks({'page.md': text}, CHECKS)]

    def test_checks(self):
        for text in ('`global-stride`', '`--checks=-global-*,shared-tile-column`', '// NOLINT(global-stride, global-aos)', '`shared-*`',
                     '`warplint-global-stride`', "--warnings-as-errors='*'", '`NOLINT(global-aos)`',
                     '[global](concepts.md#global-memory)', 'global-stride.Severity'):
            self.assertEqual(self.checks(text), [], text)
        self.assertEqual(self.checks('`global-strid`'), ['there is no check global-strid'])
        self.assertEqual(self.checks('`--explain=bank-conflict`'), ['there is no check bank-conflict'])
        self.assertEqual(self.checks("`--checks='-global-*,local-*'`"), ['there is no check local-*'])
        self.assertEqual(self.checks('// NOLINT(stride)'), ['there is no check stride'])

    def configurations(self, block_):
        return [problem.split(': ', 1)[1] for problem in check.wrong_configurations({'page.md': block_}, self.programs, {'Block'})]

    def test_configurations(self):
        self.assertEqual(self.configurations('```yaml .warplint\nChecks: global-gather\n```\n'), [])
        problem, = self.configurations('```yaml .warplint\nCheckz: global-gather\n```\n')
        self.assertIn("unknown key 'Checkz'", problem)
        problem, = self.configurations('```yaml .warplint\nCheckOptions: {global-stride.Nonsense: 1}\n```\n')
        self.assertIn('Nonsense', problem)
        self.assertEqual(self.configurations('```yaml\nChecks: a\n```\n'), ['say after "yaml" which file this belongs into'])
        tidy = '```yaml .clang-tidy\nCheckOptions:\n  {}: 1\n```\n'
        self.assertEqual(self.configurations(tidy.format('warplint.Block')), [])
        self.assertEqual(self.configurations(tidy.format('warplint-global-stride.Severity')), [])
        self.assertEqual(self.configurations(tidy.format('warplint.Blok')), ['the module reads no option Blok'])
        self.assertEqual(self.configurations(tidy.format('warplint-global-stride.Nonsense')),
                         ['the module reads no option global-stride.Nonsense'])


class ToCopy(DocumentationTest):
    """What pages give to copy works in the programs that it is for, where they are installed."""

    def setUp(self):
        super().setUp()
        self.write('k.cu', STRIDE)
        self.write('bin/warplint', f'#!/bin/sh\nexec {documentation.harness.TOOL} --no-cuda "$@"\n')
        os.chmod(self.path('bin/warplint'), 0o755)

    def needs(self, program):
        if not shutil.which(program):
            self.skipTest(f'{program} is not installed')

    def run_program(self, *command):
        environment = {**os.environ, 'PATH': self.path('bin') + ':' + os.environ['PATH'], 'HOME': self.folder}
        return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, cwd=self.folder, env=environment,
                              stdin=subprocess.DEVNULL)

    def test_ninja(self):
        self.needs('ninja')
        self.database('.', [('k.cu', [])])
        self.write('k.h', '')
        self.write('k.cu', '#include "k.h"\n' + STRIDE)
        self.write('build.ninja', block('build-systems.md', 'ninja') + 'build k.txt: warplint k.cu\n')
        self.assertEqual(self.run_program('ninja').returncode, 0)
        self.assertIn('k.cu:3:22: warning', self.read('k.txt'))
        self.assertIn('no work to do', self.run_program('ninja').stdout)
        self.write('k.h', '// changed\n')
        self.assertNotIn('no work to do', self.run_program('ninja').stdout)

    def test_vs_code(self):
        tasks = json.loads(block('editors.md', 'json'))
        pattern = tasks['tasks'][0]['problemMatcher']['pattern']
        found = [match for line in self.run_tool('--quiet', 'k.cu').stdout.splitlines() if (match := re.search(pattern['regexp'], line))]
        self.assertEqual(len(found), 1)  # notes stay in the terminal
        values = {key: found[0][pattern[key]] for key in ('file', 'line', 'column', 'severity', 'code')}
        self.assertEqual(values, {'file': 'k.cu', 'line': '2', 'column': '22', 'severity': 'warning', 'code': 'global-stride'})

    def test_vim(self):
        self.needs('vim')
        if '+quickfix' not in self.run_program('vim', '--version').stdout:
            self.skipTest('this vim has no quickfix list')
        self.write('compiler/warplint.vim', block('editors.md', 'vim'))
        shown = 'map(getqflist(), {_, e -> bufname(e.bufnr) . ":" . e.lnum . ":" . e.col . ":" . e.type})'
        self.run_program('vim', '-u', 'NONE', '-N', '-es', '-c', 'let &runtimepath .= "," . getcwd()', '-c', 'compiler warplint', '-c', 'make k.cu',
                        '-c', f'call writefile({shown}, "list.txt")', '-c', 'qa!')
        self.assertEqual(self.read('list.txt').splitlines()[:2], ['k.cu:2:22:w', 'k.cu:2:22:n'])

    def test_emacs(self):
        self.needs('emacs')
        self.write('out.txt', self.run_tool('--quiet', 'k.cu').stdout)
        self.write('warplint.el', block('editors.md', 'elisp'))
        self.write('test.el', r'''(load (expand-file-name "warplint.el"))
(require 'compile)
(with-temp-buffer
  (insert-file-contents "out.txt")
  (compilation-mode)
  (let ((inhibit-read-only t)) (compilation--ensure-parse (point-max)))
  (princ (format "%s %s\n" compilation-num-warnings-found (> compilation-num-infos-found 0))))
(with-current-buffer (find-file-noselect "k.cu")
  (fundamental-mode)
  (setq-local flymake-diagnostic-functions (list #'warplint-flymake))
  (flymake-mode 1)
  (flymake-start)
  (let ((turns 0))
    (while (and (< turns 600) (null (flymake-diagnostics)))
      (accept-process-output nil 0.1)
      (setq turns (1+ turns))))
  (dolist (each (flymake-diagnostics))
    (princ (format "%s %s\n" (line-number-at-pos (flymake-diagnostic-beg each)) (flymake-diagnostic-type each)))))
''')
        run = self.run_program('emacs', '-Q', '--batch', '-l', 'test.el')
        self.assertEqual(run.returncode, 0, run.stderr)
        lines = run.stdout.splitlines()
        self.assertEqual(lines[0], '1 t')
        self.assertIn('2 :warning', lines)


if __name__ == '__main__':
    documentation.main()
