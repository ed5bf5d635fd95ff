#!/usr/bin/env python3
"""The manual page and the shells' completions have the options that --help has, and work in their programs."""
import os
import pty
import re
import select
import shutil
import subprocess
import time

import package
from package import PackageTest



class Texts(PackageTest):
    def options(self):
        text = self.run_tool('--help', toolkit=True).stdout
        return set(re.findall(r'^  +--?([\w-]+)', text, re.M)) - {'help-list'}  # LLVM shows this one in --help alone

    def completion(self, shell):
        name = {'bash': 'warplint', 'zsh': '_warplint', 'fish': 'warplint.fish'}[shell]
        self.write(name, self.run_tool(f'--completion={shell}', toolkit=True).stdout)
        return name

    def needs(self, program):
        if not shutil.which(program):
            self.skipTest(f'{program} is not installed')

    def test_every_option_is_in_a_group(self):
        text = self.run_tool('--help', toolkit=True).stdout
        groups = re.findall(r'^(\S.*):$', text, re.M)
        for group in ('Cache', 'Checks', 'Fixes', 'GPU', 'Input', 'Output'):
            self.assertIn(group, groups)
        self.assertNotIn('warplint options', groups, 'an option is missing in groups() of tools/warplint/Help.cpp')
        self.assertGreater(len(self.options()), 40)

    def test_bash_names_every_option(self):
        words = re.search(r"-W '(merge [^']*)'", self.read(self.completion('bash'))).group(1).split()[1:]
        self.assertEqual({word.strip('-=') for word in words}, self.options())

    def test_zsh_names_every_option(self):
        self.assertEqual(set(re.findall(r"^  '--?([\w-]+)", self.read(self.completion('zsh')), re.M)), self.options())

    def test_fish_names_every_option(self):
        text = self.read(self.completion('fish'))
        self.assertEqual(set(re.findall(r'^complete -c warplint -[sl] ([\w-]+)', text, re.M)), self.options())

    def test_manual_names_every_option(self):
        text = self.read_page()
        options = text.split('.SH OPTIONS')[1].split('.SH ')[0]
        names = {name.replace('\\-', '-').strip('-') for name in re.findall(r'^\\fB(\\-[^\\]*(?:\\-[^\\]*)*)\\fR', options, re.M)}
        self.assertEqual(names, self.options())

    def read_page(self, tool='', template='warplint/warplint.1'):
        self.run_command('cmake', f'-DTOOL={package.harness.TOOL}{tool}', f'-DTEMPLATE={package.ROOT}/tools/{template}.in',
                         f'-DOUT={self.folder}', '-DVERSION=1.2.3', '-P', f'{package.ROOT}/cmake/package/texts.cmake')
        return self.read(os.path.basename(template))

    def well_formed(self, name, option):
        self.needs('man')
        self.assertIn('1.2.3', self.read(name))
        run = self.run_command('man', '--warnings', '-l', name, env={**os.environ, 'LC_ALL': 'C.UTF-8', 'MANWIDTH': '100'})
        self.assertEqual(run.stderr, '')
        self.assertIn(option, run.stdout)
        self.assertNotIn('@', run.stdout)

    def test_manual_page_is_well_formed(self):
        self.read_page()
        self.well_formed('warplint.1', '--warnings-as-errors=GLOBS')

    def test_manual_page_of_replay(self):
        text = self.read_page('-replay', 'replay/warplint-replay.1')
        self.well_formed('warplint-replay.1', '--max-warps=N')
        shown = self.run_tool('--help', tool=package.harness.TOOL + '-replay', toolkit=True).stdout
        options = text.split('.SH OPTIONS')[1].split('.SH ')[0]
        self.assertEqual({name.replace('\\-', '-').strip('-') for name in re.findall(r'^\\fB(\\-[^\\]*(?:\\-[^\\]*)*)\\fR', options, re.M)},
                         set(re.findall(r'^  +--?([\w-]+)', shown, re.M)) - {'help-list'})

    def complete(self, line):
        self.completion('bash')
        self.write('k.cu', '')
        self.write('notes.txt', '')
        script = f'''source ./warplint; COMP_LINE={line!r}; COMP_POINT=${{#COMP_LINE}}; COMP_CWORD=1
            _warplint warplint; printf '%s\\n' "${{COMPREPLY[@]}}"'''
        return self.run_command('bash', '--norc', '-c', script).stdout.split()

    def test_bash_completes(self):
        self.assertEqual(self.complete('warplint --form'), ['--format='])
        self.assertEqual(self.complete('warplint --format=s'), ['sarif'])
        self.assertEqual(self.complete('warplint --explain=shared-t'), ['shared-tile-column'])
        self.assertEqual(self.complete('warplint -'), [w for w in self.complete('warplint -') if w.startswith('-')])
        self.assertEqual(self.complete('warplint k'), ['k.cu'])
        self.assertEqual(self.complete('warplint n'), [])
        self.assertEqual(self.complete('warplint --output=n'), ['notes.txt'])
        self.assertEqual(self.complete('warplint me'), ['merge'])

    def test_zsh_completes(self):
        self.needs('zsh')
        self.completion('zsh')
        self.run_command('zsh', '-f', '-n', '_warplint')
        output = self.press('zsh -f -i', f'PS1=; cd {self.folder!r}; fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D\n'
                            'warplint --explain-a\t', until='--explain-access=')
        self.assertIn('--explain-access=', output)

    def press(self, shell, keys, until):
        """What a shell shows in a terminal in which someone types; until these words come, or a minute is over."""
        master, slave = pty.openpty()
        with subprocess.Popen(shell.split(), stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                              env={**os.environ, 'TERM': 'dumb', 'HOME': self.folder}) as process:
            os.close(slave)
            os.write(master, keys.encode())
            output, end = '', time.monotonic() + 60
            while until not in output and time.monotonic() < end:
                if select.select([master], [], [], 1)[0]:
                    output += os.read(master, 4096).decode('utf-8', 'replace')
            process.kill()
        os.close(master)
        return output

    def test_fish_completes(self):
        self.needs('fish')
        name = self.completion('fish')
        env = {**os.environ, 'HOME': self.folder, 'XDG_CONFIG_HOME': self.folder}
        run = self.run_command('fish', '--no-config', '-c', f'source {name}; complete -C "warplint --format="', env=env)
        self.assertEqual(run.stderr, '')
        self.assertEqual(sorted(line.split('\t')[0] for line in run.stdout.splitlines()), ['--format=' + each for each in ('github', 'gitlab', 'html', 'json', 'sarif', 'text')])
        run = self.run_command('fish', '--no-config', '-c', f'source {name}; complete -C "warplint --no-r"', env=env)
        self.assertTrue(run.stdout.startswith('--no-result-cache\t'), run.stdout)


if __name__ == '__main__':
    package.main()
