#!/usr/bin/env python3
"""warplint --launcher: the compile command runs untouched, and what it compiled is analysed."""
import os
import shutil
import signal
import subprocess
import sys

import harness
from harness import BROKEN, CLEAN, STRIDE, ToolTest

NVCC = shutil.which('nvcc') or shutil.which('/usr/local/cuda/bin/nvcc')
FINDING = 'k.cu:2:22: warning: '
PARAMETRIC = STRIDE.replace('2 * ', 'STEP * ')


class LauncherTest(ToolTest):
    def setUp(self):
        super().setUp()
        self.write('k.cu', STRIDE)
        self.nvcc = self.compiler('exit 0')

    def compiler(self, script, name='nvcc'):
        """A stand-in that leaves its words in 'words', each with a NUL behind it."""
        name = self.path(self.write(name, f'#!/bin/sh\nprintf "%s\\0" "$@" >>words\n{script}\n'))
        os.chmod(name, 0o755)
        return name

    def words(self):
        """The words of the only run of the compiler; None where it did not run."""
        if not os.path.exists(self.path('words')):
            return None
        words = self.bytes('words').decode().split('\0')[:-1]
        os.remove(self.path('words'))
        return words

    def launch(self, *command, options=(), **more):
        return self.run_tool('--launcher', *options, *command, **more)

    def start(self, *command, **more):
        return subprocess.Popen([harness.TOOL, '--no-cuda', '--launcher', *command], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **more)


class Command(LauncherTest):
    def test_words_arrive_as_they_are(self):
        words = ['-c', 'k.cu', '-o', 'k.o', '', '-DTEXT="a b"', "it's", '$HOME', '--', '--launcher', '*', '-DX=\n']
        for separator in ([], ['--']):
            self.launch(*separator, self.nvcc, *words)
            self.assertEqual(self.words(), words)

    def test_environment_and_streams(self):
        self.compiler('cat; echo "$FROM_OUTSIDE" >&2; echo out')
        for command in (['-c', 'k.cu'], ['k.o', '-o', 'k']):
            run = subprocess.run([harness.TOOL, '--no-cuda', '--launcher', self.nvcc, *command], input=b'in\n', cwd=self.folder,
                                 capture_output=True, check=True, env={**os.environ, 'FROM_OUTSIDE': 'value'})
            self.assertEqual(run.stdout, b'in\nout\n')
            self.assertTrue(run.stderr.startswith(b'value\n'))

    def test_found_on_the_path(self):
        path = self.folder + os.pathsep + os.environ['PATH']
        subprocess.run([harness.TOOL, '--no-cuda', '--launcher', 'nvcc', '-c', 'k.cu'], cwd=self.folder, check=True,
                       capture_output=True, env={**os.environ, 'PATH': path})
        self.assertEqual(self.words(), ['-c', 'k.cu'])

    def test_exit_status(self):
        for status in (1, 2, 3, 77, 255):
            self.compiler(f'exit {status}')
            for command in (['-c', 'k.cu'], ['k.o']):
                run = self.launch(self.nvcc, *command, status=status)
                self.assertEqual(run.stderr, '')  # a failed compile command says itself what was wrong

    def test_signal(self):
        for number in (signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            self.compiler(f'kill -{int(number)} $$')
            for command in (['-c', 'k.cu'], ['k.o']):
                self.launch(self.nvcc, *command, status=-number)

    def test_signals_are_passed_on(self):
        for caught, status in ((False, -signal.SIGTERM), (True, 7)):
            trap = 'trap "exit 7" TERM; ' if caught else ''
            self.compiler(f'{trap}echo ready; sleep 60 >&- 2>&- & wait')
            for command in (['-c', 'k.cu'], ['k.o']):
                process = self.start(self.nvcc, *command)
                self.assertEqual(process.stdout.readline(), b'ready\n')
                process.send_signal(signal.SIGTERM)
                process.communicate(timeout=60)
                self.assertEqual(process.returncode, status)

    def test_signal_dispositions_are_passed_on(self):
        show = self.path(self.write('show.py', 'import signal\nprint(*(signal.getsignal(n) == signal.SIG_IGN for n in '
                                               '(signal.SIGHUP, signal.SIGINT, signal.SIGTERM)), signal.pthread_sigmask(0, []))\n'))
        self.compiler(f'exec {sys.executable} {show!r}')

        def ignore():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        for command in (['-c', 'k.cu'], ['k.o']):
            out, _ = self.start(self.nvcc, *command, preexec_fn=ignore).communicate(timeout=60)
            self.assertEqual(out.split(b' ', 3), [b'True', b'False', b'False', b'set()\n'])

    def test_no_such_compiler(self):
        for command in (['-c', 'k.cu'], ['k.o']):
            run = self.launch('./none/nvcc', *command, status=127)
            self.assertIn("cannot run './none/nvcc': No such file", run.stderr)
            self.assertNotIn('global-stride', run.stderr)
        os.chmod(self.nvcc, 0o644)
        self.assertIn('Permission denied', self.launch(self.nvcc, '-c', 'k.cu', status=126).stderr)

    def test_bad_options_stop_before_the_compiler(self):
        for options, says in ((['--checks=global-strid'], 'did you mean'), (['--block=x'], 'expected X'), (['--nonsense'], 'nonsense'),
                              (['--fix'], 'no use for --fix'), (['--fix-diff'], 'no use for --fix-diff'), (['--output=r'], 'no use for --output'), (['-p', '.'], 'no use for -p'),
                              (['--explain=global-stride'], 'no use for --explain')):
            run = self.launch(self.nvcc, '-c', 'k.cu', options=options, status=2)
            self.assertIn(says, run.stderr)
            self.assertIsNone(self.words())

    def test_misuse(self):
        self.assertIn('no compile command', self.run_tool('--launcher', status=2).stderr)
        self.assertIn('no compile command', self.run_tool('--launcher', '--', status=2).stderr)
        self.assertIn('before everything', self.run_tool('k.cu', '--launcher', status=2).stderr)

    def test_value_in_the_next_word_is_no_compiler(self):
        self.launch(self.nvcc, '-c', 'k.cu', options=['--checks', '-global-stride', '-j', '1'])
        self.assertEqual(self.words(), ['-c', 'k.cu'])


class Analysis(LauncherTest):
    def linted(self, *command):
        run = self.launch(self.nvcc, *command)
        self.assertEqual(run.stdout, '')
        return ':2:22: warning: ' in run.stderr

    def test_report_on_stderr(self):
        self.compiler('echo made')
        run = self.launch(self.nvcc, '-c', 'k.cu')
        self.assertEqual(run.stdout, 'made\n')
        self.assertTrue(run.stderr.startswith(FINDING), run.stderr)
        self.assertNotIn('finding', run.stderr)  # no summary for each file of a build

    def test_nothing_to_say(self):
        self.write('k.cu', CLEAN)
        self.assertEqual(self.launch(self.nvcc, '-c', 'k.cu').stderr, '')
        self.write('k.cu', 'int host() { return 1; }\n')
        self.assertEqual(self.launch(self.nvcc, '-c', 'k.cu', options=['--warnings-as-errors=*']).stderr, '')

    def test_errors_fail_the_build_step(self):
        run = self.launch(self.nvcc, '-c', 'k.cu', options=['--warnings-as-errors=*'], status=1)
        self.assertIn('k.cu:2:22: error: ', run.stderr)
        self.assertIsNotNone(self.words())
        self.launch(self.nvcc, '-c', 'k.cu', options=['--warnings-as-errors=shared-*'])

    def test_which_commands_compile(self):
        for command in ('-c k.cu -o k.o', '-dc k.cu', '--device-c k.cu', '-ptx k.cu', '-cubin k.cu', 'k.cu -o app', 'k.cu other.o -o app',
                        '-c -x cu k.cu', '-MD -MF k.d -c k.cu', '-Xcompiler -E -c k.cu', '-Xcompiler=-M -c k.cu', '@words.rsp'):
            self.write('words.rsp', '-c k.cu')
            self.assertTrue(self.linted(*command.split()), command)
        for command in ('-E k.cu', '-M k.cu', '-MM k.cu', '--preprocess k.cu', '-dlink k.o -o d.o', '-dlink k.cu', 'k.o -o app',
                        '--dryrun -c k.cu', '--version', '-c k.cpp', '-x c++ -c k.cu', '-c none.cu', '-DF=k.cu -c k.cpp', '-o k.cu k.o'):
            self.write('k.cpp', STRIDE)
            self.assertFalse(self.linted(*command.split()), command)
        self.assertIn('k.cpp:2:22: ', self.launch(self.nvcc, '-x', 'cu', '-c', 'k.cpp').stderr)

    def test_clang_commands(self):
        clang = self.compiler('exit 0', 'clang++')
        for command, linted in (('-c k.cu', True), ('--cuda-gpu-arch=sm_80 -x cuda -c k.cu', True), ('-S k.cu', True), ('-E k.cu', False),
                                ('-M k.cu', False), ('-MMD -MF d -c k.cu', True), ('-### -c k.cu', False)):
            self.assertEqual(FINDING in self.launch(clang, *command.split()).stderr, linted, command)

    def test_flags_of_the_command(self):
        self.write('k.cu', '#include "step.h"\n' + PARAMETRIC.split('\n', 1)[0] + ' // on one line\n' + PARAMETRIC.split('\n', 1)[1])
        self.write('inc/step.h', '')
        for step, lines in ((1, False), (2, True)):
            run = self.launch(self.nvcc, '-Iinc', f'-DSTEP={step}', '-arch=sm_90', '-c', 'k.cu')
            self.assertEqual('global-stride' in run.stderr, lines, run.stderr)
            self.assertNotIn('error', run.stderr)

    def test_flags_of_nvccs_environment(self):
        self.write('k.cu', PARAMETRIC)
        clang = self.compiler('exit 0', 'clang++')
        for variable in ('NVCC_PREPEND_FLAGS', 'NVCC_APPEND_FLAGS'):
            for compiler, found in ((self.nvcc, True), (clang, False)):
                run = self.start(compiler, '-c', 'k.cu', env={**os.environ, variable: '-DOTHER="a b" -DSTEP=2'})
                self.assertEqual(FINDING.encode() in run.communicate()[1], found, (variable, compiler))
                self.assertEqual(self.words(), ['-c', 'k.cu'])

    def test_several_sources(self):
        self.write('other.cu', STRIDE)
        run = self.launch(self.nvcc, 'k.cu', 'other.cu', '-o', 'app')
        self.assertIn(FINDING, run.stderr)
        self.assertIn('other.cu:2:22', run.stderr)

    def test_included_source_is_analysed_by_itself(self):
        # main.cu includes k.cu with other macros; what is compiled here has STEP=1.
        self.write('k.cu', PARAMETRIC)
        self.write('main.cu', '#undef STEP\n#define STEP 2\n#include "k.cu"\n')
        self.assertEqual(self.launch(self.nvcc, '-DSTEP=1', '-c', 'k.cu').stderr, '')

    def test_other_forms_go_to_stderr_too(self):
        run = self.launch(self.nvcc, '-c', 'k.cu', options=['--format=github'])
        self.assertEqual(run.stdout, '')
        self.assertIn('::warning file=k.cu,line=2', run.stderr)

    def test_what_cannot_be_analysed_fails_no_build(self):
        self.write('k.cu', BROKEN)
        errors = self.launch(self.nvcc, '-c', 'k.cu').stderr
        self.assertIn('undeclared', errors)
        self.assertIn('the compile command succeeded', errors)
        self.write('k.cu', STRIDE)
        self.assertNotIn('succeeded', self.launch(self.nvcc, '-c', 'k.cu').stderr)

    def test_what_cannot_be_analysed_fails_where_it_is_to(self):
        for text in (BROKEN, STRIDE + BROKEN):
            self.write('k.cu', text)
            run = self.launch(self.nvcc, '-c', 'k.cu', options=['--fail-on-errors'], status=2)
            self.assertIn('undeclared', run.stderr)
            self.assertNotIn('the compile command succeeded', run.stderr)
        self.write('k.cu', STRIDE)
        self.launch(self.nvcc, '-c', 'k.cu', options=['--fail-on-errors'])

    def test_baseline(self):
        """Known findings are no words in a build; new ones fail the step, as without the launcher."""
        self.run_tool('--write-baseline=base.json', 'k.cu')
        option = '--baseline=' + self.path('base.json')
        self.assertEqual(self.launch(self.nvcc, '-c', 'k.cu', options=[option]).stderr, '')
        self.write('k.cu', STRIDE.replace('2 *', '8 *'))
        self.assertIn('k.cu:2:22: warning: ', self.launch(self.nvcc, '-c', 'k.cu', options=[option], status=1).stderr)
        self.write('k.cu', CLEAN)
        self.assertEqual(self.launch(self.nvcc, '-c', 'k.cu', options=[option]).stderr, '')

    def test_baseline_that_cannot_be_read(self):
        run = self.launch(self.nvcc, '-c', 'k.cu', options=['--baseline=none.json'], status=2)
        self.assertIn("cannot read the baseline 'none.json'", run.stderr)
        self.assertIsNone(self.words())
        # One baseline of many compile commands, each of which would replace it.
        run = self.launch(self.nvcc, '-c', 'k.cu', options=['--write-baseline=base.json'], status=2)
        self.assertIn('no use for --write-baseline', run.stderr)
        self.assertIsNone(self.words())

    def test_wrong_configuration_fails(self):
        self.write('.warplint', 'Cheks: x\n')
        self.assertIn('.warplint:1', self.launch(self.nvcc, '-c', 'k.cu', status=2).stderr)

    def test_unchanged_file_comes_from_the_cache(self):
        before = os.listdir(self.folder)
        timed = {**os.environ, 'XDG_CACHE_HOME': self.path('cache')}
        outputs = [subprocess.run([harness.TOOL, '--no-cuda', '--launcher', self.nvcc, '-c', 'k.cu'], cwd=self.folder, env=timed,
                                  capture_output=True, check=True).stderr for _ in range(2)]
        self.assertIn(FINDING.encode(), outputs[0])
        self.assertEqual(outputs[0], outputs[1])
        self.assertEqual(sorted([*before, 'cache', 'words']), sorted(os.listdir(self.folder)))
        self.write('k.cu', CLEAN)
        run = subprocess.run([harness.TOOL, '--no-cuda', '--launcher', self.nvcc, '-c', 'k.cu'], cwd=self.folder, env=timed,
                             capture_output=True, check=True)
        self.assertEqual(run.stderr, b'')

    def test_launcher_in_a_database(self):
        self.write('k.cu', PARAMETRIC)
        self.write('build/compile_commands.json', '[{"directory": "%s", "file": "k.cu", "arguments": ["/opt/bin/warplint", "--launcher", '
                   '"--warnings-as-errors", "shared-*", "nvcc", "-DSTEP=2", "-c", "k.cu"]}]' % self.folder)
        self.assertEqual(self.rules('-p', 'build'), ['global-stride'])


class WithCcache(LauncherTest):
    def setUp(self):
        super().setUp()
        if not shutil.which('ccache'):
            self.skipTest('ccache is not installed')
        if not NVCC:
            self.skipTest('nvcc is not installed')
        self.environment = {**os.environ, 'CCACHE_DIR': self.path('ccache'), 'PATH': os.path.dirname(NVCC) + ':' + os.environ['PATH']}
        for name in [name for name in self.environment if name.startswith('CCACHE_') and name != 'CCACHE_DIR']:
            del self.environment[name]

    def build(self, *command):
        if os.path.exists(self.path('k.o')):
            os.remove(self.path('k.o'))
        run = subprocess.run([*command, '-c', 'k.cu', '-o', 'k.o'], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                             check=True, timeout=300)
        self.assertTrue(os.path.exists(self.path('k.o')))
        return run.stderr

    def statistic(self, name):
        stats = subprocess.run(['ccache', '--print-stats'], env=self.environment, capture_output=True, text=True, check=True).stdout
        return int(dict(line.split('\t') for line in stats.splitlines())[name])

    def test_in_front_of_ccache(self):
        outputs = [self.build(harness.TOOL, '--launcher', 'ccache', 'nvcc') for _ in range(2)]
        self.assertIn(FINDING, outputs[0])
        self.assertEqual(outputs[0], outputs[1])
        self.assertEqual(self.statistic('direct_cache_hit') + self.statistic('preprocessed_cache_hit'), 1)

    def test_behind_ccache_nothing_is_kept(self):
        for _ in range(2):
            self.assertIn(FINDING, self.build('ccache', harness.TOOL, '--launcher', 'nvcc'))
        self.assertEqual(self.statistic('direct_cache_hit') + self.statistic('preprocessed_cache_hit'), 0)


if __name__ == '__main__':
    harness.main()
