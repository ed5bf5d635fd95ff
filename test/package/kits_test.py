#!/usr/bin/env python3
"""The files for CI systems: their shell lines run on a small repository, so that they cannot rot."""
import json
import os
import re
import shutil

import package
from harness import CLEAN, STRIDE
from package import ROOT, PackageTest

import yaml  # Debian's python3-yaml

NVCC = shutil.which('nvcc') or shutil.which('/usr/local/cuda/bin/nvcc')
EXAMPLE = ['src/copy.cu', 'src/transpose.cu']  # of examples/cmake, those with a finding
BASELINE = '.warplint-baseline.json'


class KitTest(PackageTest):
    def setUp(self):
        super().setUp()
        self.write('src/k.cu', STRIDE)
        self.write('CMakeLists.txt', 'cmake_minimum_required(VERSION 3.25)\nproject(sample LANGUAGES CXX)\nadd_library(s s.cpp)\n')
        self.write('s.cpp', '')
        self.database('build', [('src/k.cu', [])])
        # What the package puts on the PATH, with the tests' declarations; apt-get and what else needs a network are recorded.
        self.write('bin/warplint', f'#!/bin/sh\nexec {package.harness.TOOL} "$@" --no-cuda\n')
        self.write('bin/apt-get', '#!/bin/sh\necho "$@" >>apt-get.log\n')
        for name in ('warplint', 'apt-get'):
            os.chmod(self.path('bin/' + name), 0o755)
        self.environment = {**os.environ, 'PATH': self.path('bin') + ':' + os.environ['PATH'], 'HOME': self.folder,
                            'GIT_CONFIG_GLOBAL': self.path('gitconfig'), 'GIT_AUTHOR_NAME': 'a', 'GIT_AUTHOR_EMAIL': 'a@b',
                            'GIT_COMMITTER_NAME': 'a', 'GIT_COMMITTER_EMAIL': 'a@b'}
        self.git('init', '-q')
        self.git('add', 'src', 'CMakeLists.txt', 's.cpp')
        self.git('commit', '-qm', 'first')

    def git(self, *words):
        return self.run_command('git', *words, env=self.environment)

    def shell(self, script, status=0, **environment):
        """As GitHub and GitLab run a step: they end at the first failure."""
        return self.run_command('bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', script, status=status,
                                env={**self.environment, **environment})

    def take_example(self):
        """A CUDA project that has not been configured, in place of the sources and the database."""
        if not NVCC:
            self.skipTest('nvcc is not installed')
        shutil.rmtree(self.path('build'))
        shutil.rmtree(self.path('src'))
        shutil.copytree(f'{ROOT}/examples/cmake', self.folder, dirs_exist_ok=True)
        self.git('add', '.')
        self.git('commit', '-qm', 'example')
        self.environment.update(CUDACXX=NVCC, CMAKE_PREFIX_PATH=self.install())

    def add_finding(self):
        self.write('src/k.cu', STRIDE + STRIDE.replace('stride', 'second').replace('launch', 'launch2'))

    def write_baseline(self):
        self.shell(f'warplint -p build --write-baseline={BASELINE}')


class GitHub(KitTest):
    def setUp(self):
        super().setUp()
        with open(f'{ROOT}/ci/github/warplint.yml', encoding='utf-8') as file:
            self.workflow = yaml.safe_load(file)
        self.job = self.workflow['jobs']['warplint']
        self.steps = self.job['steps']

    def run_steps(self, failing=None):
        for step in self.steps:
            if 'run' in step:
                self.shell(step['run'], status=1 if step.get('name') == failing else 0, **self.job['env'])
                if step.get('name') == failing:
                    return

    def test_structure(self):
        self.assertEqual(self.workflow['permissions']['security-events'], 'write')
        self.assertIn('pull_request', self.workflow[True])  # YAML 1.1 reads 'on' so
        upload = self.steps[-1]
        self.assertTrue(upload['uses'].startswith('github/codeql-action/upload-sarif@'))
        self.assertEqual(upload['if'], 'always()')
        self.sarif = upload['with']['sarif_file']
        self.assertIn(f'--output={self.sarif}', ''.join(step.get('run', '') for step in self.steps))

    def test_steps(self):
        self.run_steps()
        log = json.loads(self.read('warplint.sarif'))
        self.assertEqual([r['ruleId'] for r in log['runs'][0]['results']], ['global-stride'])
        self.assertIn(self.job['env']['WARPLINT_PACKAGE'], self.read('apt-get.log'))

    def test_configures_where_there_is_no_database(self):
        self.take_example()
        self.run_steps()
        results = json.loads(self.read('warplint.sarif'))['runs'][0]['results']
        self.assertEqual(sorted(r['locations'][0]['physicalLocation']['artifactLocation']['uri'] for r in results), EXAMPLE)

    def test_gate(self):
        self.write_baseline()
        self.run_steps()
        self.add_finding()
        self.run_steps(failing='Analyse')
        self.assertTrue(json.loads(self.read('warplint.sarif'))['runs'][0]['results'])  # for the upload


class GitLab(KitTest):
    def setUp(self):
        super().setUp()
        with open(f'{ROOT}/ci/gitlab/.gitlab-ci.yml', encoding='utf-8') as file:
            self.job = yaml.safe_load(file)['warplint']

    def run_job(self, status=0):
        lines = [*self.job['before_script'], *self.job['script']]
        return self.shell('\n'.join(lines), status=status, CI_PROJECT_DIR=self.folder, **self.job['variables'])

    def report(self):
        return json.loads(self.read(self.job['artifacts']['reports']['codequality']))

    def test_job(self):
        self.run_job()
        self.assertEqual([each['location']['path'] for each in self.report()], ['src/k.cu'])
        self.assertEqual(self.job['artifacts']['when'], 'always')

    def test_configures_where_there_is_no_database(self):
        self.take_example()
        self.run_job()
        self.assertEqual(sorted(each['location']['path'] for each in self.report()), EXAMPLE)

    def test_gate(self):
        self.write_baseline()
        self.run_job()
        self.assertEqual(self.report(), [])
        self.add_finding()
        self.run_job(status=1)
        self.assertEqual(len(self.report()), 1)


class PreCommit(KitTest):
    def setUp(self):
        super().setUp()
        with open(f'{ROOT}/.pre-commit-hooks.yaml', encoding='utf-8') as file:
            self.hook, = yaml.safe_load(file)

    def test_structure(self):
        self.assertEqual(self.hook['id'], 'warplint')
        self.assertEqual(self.hook['language'], 'system')
        for name, wanted in (('a.cu', True), ('d/a.cuh', True), ('a.cpp', False), ('a.cu.in', False), ('acu', False)):
            self.assertEqual(bool(re.search(self.hook['files'], name)), wanted, name)

    def test_entry(self):
        self.shell(self.hook['entry'] + ' src/k.cu')
        self.shell(self.hook['entry'] + " '--warnings-as-errors=*' src/k.cu", status=1)

    def test_with_pre_commit(self):
        if not shutil.which('pre-commit'):
            self.skipTest('pre-commit is not installed')
        hooks = self.path('hooks')
        os.mkdir(hooks)
        shutil.copy(f'{ROOT}/.pre-commit-hooks.yaml', hooks)
        for words in (['init', '-q'], ['add', '.'], ['commit', '-qm', 'hooks']):
            self.run_command('git', *words, cwd=hooks, env=self.environment)
        revision = self.run_command('git', 'rev-parse', 'HEAD', cwd=hooks, env=self.environment).stdout.strip()
        self.write('.pre-commit-config.yaml', f'''repos:
- repo: '{hooks}'
  rev: {revision}
  hooks:
  - id: warplint
    args: ['--warnings-as-errors=*']
''')
        self.git('add', '.pre-commit-config.yaml')
        run = self.run_command('pre-commit', 'run', '--all-files', status=1, env=self.environment)
        self.assertIn('src/k.cu:2:22: error', run.stdout)
        self.write('src/k.cu', CLEAN)
        self.git('add', 'src/k.cu')
        self.run_command('pre-commit', 'run', '--all-files', env=self.environment)


if __name__ == '__main__':
    package.main()
