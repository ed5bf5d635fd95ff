#!/usr/bin/env python3
"""The command line: exit status, messages about wrong use, databases, suppression, output."""
import json
import os
import pty
import re
import shutil
import subprocess

import harness
from harness import BROKEN, CLEAN, CONFLICT, STRIDE, ToolTest, tile

SUMMARY = re.compile(r'^warplint: \d+ findings? in \d+ kernels? \(\d+ access(es)?: \d+ exact, \d+ assumed, \d+ unknown\)\n$')


class ExitStatus(ToolTest):
    def test_clean(self):
        self.assertEqual(self.run_tool(self.write('clean.cu', CLEAN)).stdout, '')

    def test_warnings(self):
        self.assertIn('[global-stride]', self.run_tool(self.write('stride.cu', STRIDE)).stdout)

    def test_warnings_as_errors(self):
        name = self.write('stride.cu', STRIDE)
        for globs, status in (('*', 1), ('global-stride', 1), ('warplint-global-stride', 1), ('global-*', 1),
                              ('shared-*,global-str*', 1), ('shared-*', 0), ('*,-global-stride', 0), ('', 0)):
            run = self.run_tool(f'--warnings-as-errors={globs}', name, status=status)
            self.assertIn('error: global load' if status else 'warning: global load', run.stdout)
            self.assertIn('[global-stride]', run.stdout)

    def test_errors_in_json(self):
        name = self.write('stride.cu', STRIDE)
        finding, = self.report('--warnings-as-errors=*', name, status=1)['findings']
        self.assertEqual(finding['severity'], 'error')

    def test_warnings_as_errors_does_not_turn_checks_on(self):
        name = self.write('stride.cu', STRIDE)
        self.run_tool('--checks=-global-stride', '--warnings-as-errors=*', name)

    def test_no_kernel_at_all_is_fine(self):
        self.assertEqual(self.report(self.write('host.cu', 'int one() { return 1; }\n'))['kernels'], [])
        self.run_tool(self.write('empty.cu', ''))

    def test_broken_beside_sound(self):
        """A sound kernel is reported beside a broken one, and the findings decide."""
        name = self.write('half.cu', BROKEN + STRIDE)
        for options, status in (((), 0), (('--warnings-as-errors=*',), 1)):
            report = self.report(*options, name, status=status)
            self.assertEqual([kernel['name'] for kernel in report['kernels']], ['stride'])
            self.assertEqual([finding['rule'] for finding in report['findings']], ['global-stride'])
            error, left_out = report['errors']
            self.assertEqual((error['file'], error['line'], error['column']), (self.path(name), 1, BROKEN.index('undeclared') + 1))
            self.assertIn("kernel 'broken' is not analysed", left_out['message'])
            self.assertIn("use of undeclared identifier 'undeclared'", error['message'])

    def test_broken_alone(self):
        name = self.write('broken.cu', BROKEN)
        run = self.run_tool(name, status=2)
        self.assertIn("broken.cu:1:57: error: use of undeclared identifier 'undeclared'\n", run.stdout)
        self.assertIn('broken.cu: no kernel could be analysed because of errors; fix them, or pass', run.stderr)
        self.assertNotIn('0 findings', run.stderr)
        report = self.report(name, status=2)
        self.assertEqual((report['kernels'], len(report['errors'])), ([], 2)) # the error, and the kernel left out

    def test_missing_header(self):
        name = self.write('header.cu', '#include "missing.h"\n' + STRIDE)
        report = self.report(name)
        self.assertEqual([finding['line'] for finding in report['findings']], [3])
        self.assertIn("'missing.h' file not found", report['errors'][0]['message'])

    def test_one_bad_file_of_two(self):
        name = self.write('stride.cu', STRIDE)
        run = self.run_tool('missing.cu', name, status=2)
        self.assertIn('[global-stride]', run.stdout)
        self.assertIn("no such file: 'missing.cu'", run.stderr)
        self.assertIn('1 finding in 1 kernel', run.stderr)


class WrongUse(ToolTest):
    """Exit status 2, words on stderr that say what is wrong and what to do, nothing on stdout."""

    def setUp(self):
        super().setUp()
        self.good = self.write('good.cu', CLEAN)

    def test_no_file(self):
        self.fails(says=['no input files', '-p DIR'])

    def test_missing_file(self):
        self.fails('missing.cu', says=["no such file: 'missing.cu'"])

    def test_folder(self):
        os.mkdir(self.path('folder.cu'))
        self.fails('folder.cu', says=["'folder.cu' is a folder", 'name files', '-p'])

    def test_other_languages(self):
        for name in ('host.cpp', 'notes.txt', 'plain'):
            self.write(name, 'int x;\n')
            self.fails(name, says=[f"not a CUDA file: '{name}'", '-x cuda'])
        self.run_tool('host.cpp', '--', '-x', 'cuda')

    def test_failure_gives_a_valid_report_or_none(self):
        self.write('host.cpp', 'int x;\n')
        os.mkdir(self.path('empty'))
        for arguments in (['missing.cu'], ['host.cpp'], ['-p', 'empty', self.good], ['-p', 'empty'], ['--bogus', self.good],
                          ['--checks=bogus', self.good], ['--block=0', self.good], []):
            run = self.run_tool('--format=json', *arguments, status=2)
            if run.stdout:
                self.assertEqual(self.checked(json.loads(run.stdout))['kernels'], [])
            self.assertIn('warplint: ', run.stderr)

    def test_unknown_option(self):
        self.fails('--bloc=32', self.good, says=["'--bloc=32'", "Did you mean '--block=32'?"])
        self.fails('--quite', self.good, says=["'--quite'", "Did you mean '--quiet'?"])
        self.fails('--zzzzzzzzzzzzzz', self.good, says=["'--zzzzzzzzzzzzzz'", '--help'])

    def test_bad_values(self):
        self.fails('--format=xml', self.good, says=['--format', "'xml'", 'expected text or json'])
        for option in ('-j', '--file-time-limit'):
            for value in ('many', '-1', '1.5', '', '99999999999'):
                self.fails(f'{option}={value}', self.good, says=[option, 'expected a number', f"'{value}'"])
        self.run_tool('--format=text', '-j2', '--file-time-limit=0', self.good)
        self.fails('--arch=sm_8x', self.good, says=["unknown architecture 'sm_8x'", '--arch=sm_80'])

    def test_unknown_check(self):
        for option in ('--checks', '--warnings-as-errors'):
            self.fails(f'{option}=global-strid', self.good,
                       says=[f"unknown check 'global-strid' in {option}; did you mean 'global-stride'?"])
            self.fails(f'{option}=-*,shared-tile-colum', self.good, says=["did you mean 'shared-tile-column'?"])
            self.fails(f'{option}=qqqqqqqq', self.good, says=["unknown check 'qqqqqqqq'", '--list-checks'])
            self.fails(f'{option}=nothing-*', self.good, says=["unknown check 'nothing-*'", '--list-checks'])
        self.fails('--explain=global-strid', says=["unknown check 'global-strid'; did you mean 'global-stride'?"])
        self.fails('--explain=', says=['unknown check', '--list-checks'])

    def test_bad_block(self):
        for block in ('0', '32,0', '2048', '32,64', '1,2,3,4', 'x', '', '32,', ',32', '-32', '32x8', '99999999999'):
            self.fails(f'--block={block}', self.good, says=[f'--block={block}: expected X', '1024 threads', 'e.g. --block=32,8'])
        for block in ('32', '32,8', '8,8,16', '1024'):
            self.run_tool(f'--block={block}', self.good)

    def test_bad_assumption(self):
        for item in ('n', 'n=', '=3', 'n=x', 'n=1.5', ':n=3', 'kernel:=3', 'n=99999999999999999999'):
            self.fails(f'--assume={item}', self.good, says=[f'--assume={item}: expected NAME=V', 'e.g. --assume=n=1024'])

    def test_assumption_that_meets_no_parameter(self):
        name = self.write('rows.cu', '__global__ void rows(float *a, int n) { a[threadIdx.x * n] = 0; }\n')
        self.assertNotIn('--assume', self.run_tool('--assume=n=7', name).stderr)
        self.assertNotIn('--assume', self.run_tool('--assume=rows:n=-0x10', name).stderr)
        for item in ('m=7', 'row:n=7', 'a=7'):
            self.assertIn(f'note: --assume={item}: no kernel', self.run_tool(f'--assume={item}', name).stderr)
            self.assertEqual(self.run_tool('--quiet', f'--assume={item}', name).stderr, '')

    def test_toolkit_that_is_none(self):
        os.mkdir(self.path('toolkit'))
        for folder in ('toolkit', 'missing'):
            self.fails(f'--cuda-path={folder}', self.good, toolkit=True,
                       says=[f"no CUDA toolkit in '{folder}'", 'include/cuda_runtime.h', '--no-cuda'])

    def test_stdout_that_takes_nothing(self):
        for arguments in (['--checks=*', self.write('stride.cu', STRIDE)], ['--list-checks'], ['--explain=global-stride']):
            with open('/dev/full', 'w', encoding='utf-8') as full:
                run = subprocess.run([harness.TOOL, '--no-cuda', *arguments], stdout=full, stderr=subprocess.PIPE, text=True,
                                     cwd=self.folder, check=False)
            self.assertEqual(run.returncode, 2)
            self.assertIn('warplint: error: cannot write to stdout: No space left on device', run.stderr)


class Databases(ToolTest):
    def setUp(self):
        super().setUp()
        # Without -DSTEP=2 there is nothing to say.
        source = '#ifndef STEP\n#define STEP 1\n#endif\n' + STRIDE.replace('2 *', 'STEP *')
        self.write('src/deep/one.cu', source)
        self.write('src/two.cu', source.replace('stride', 'other').replace('launch', 'start'))
        self.write('src/host.cpp', 'int main() {}\n')

    def fill(self, folder):
        self.database(folder, [('src/deep/one.cu', ['-DSTEP=2']), ('src/two.cu', ['-DSTEP=2']), ('src/host.cpp', [])])

    def names(self, report):
        return [os.path.relpath(finding['file'], self.folder) for finding in report['findings']]

    def test_flags_are_used(self):
        self.fill('build')
        self.assertEqual(self.rules('-p', 'build', 'src/two.cu'), ['global-stride'])
        self.assertEqual(self.rules('-p', 'build/compile_commands.json', 'src/two.cu'), ['global-stride'])

    def test_every_cuda_file(self):
        self.fill('build')
        report = self.report('-p', 'build')
        self.assertEqual(self.names(report), ['src/deep/one.cu', 'src/two.cu'])
        self.assertEqual(report['summary']['files'], 2)

    def test_found_upward(self):
        self.fill('.')
        self.assertEqual(self.rules('src/deep/one.cu'), ['global-stride'])
        self.assertEqual(self.rules('one.cu', cwd=self.path('src/deep')), ['global-stride'])

    def test_found_in_build_folder_upward(self):
        self.fill('build')
        self.assertEqual(self.rules('src/deep/one.cu'), ['global-stride'])

    def test_fixed_flags_replace_the_database(self):
        self.fill('.')
        self.assertEqual(self.rules('src/two.cu', '--'), [])
        self.assertEqual(self.rules('src/two.cu', '--', '-DSTEP=2'), ['global-stride'])
        self.assertEqual(self.rules('src/two.cu', '--', '-D', 'STEP=2'), ['global-stride'])
        self.assertEqual(self.rules('src/two.cu', '--', '-DX=1'), [])

    def test_extra_arguments(self):
        self.fill('.')
        self.assertEqual(self.rules('--extra-arg=-DSTEP=1', 'src/two.cu'), [], 'the last one wins')
        self.assertEqual(self.rules('--extra-arg-before=-DSTEP=1', 'src/two.cu'), ['global-stride'])

    def test_file_that_is_not_listed(self):
        self.fill('build')
        self.write('src/tow.cu', CLEAN)
        self.fails('-p', 'build', 'src/tow.cu',
                   says=["'src/tow.cu' is not in the compilation database", f"did you mean '{self.path('src/two.cu')}'?", 'leave out -p', 'after --'])
        self.write('src/another.cu', CLEAN)
        other = self.fails('-p', 'build', 'src/another.cu', says=["'src/another.cu' is not in", 'leave out -p', 'after --'])
        self.assertNotIn('did you mean', other.stderr, 'a file that is not like it at all')
        run = self.run_tool('src/tow.cu')
        self.assertIn("note: 'src/tow.cu' is not in", run.stderr)
        self.assertIn('using defaults', run.stderr)

    def test_toolkit_folders_do_not_mix_with_the_built_in_declarations(self):
        """CMake names a toolkit's folder as a library's; only a folder that is a toolkit's is left out."""
        for name in ('toolkit/cuda_runtime.h', 'toolkit/cuda_fp16.h', 'toolkit/cccl/cub/cub.cuh', 'own/cuda_fp16.h'):
            self.write(name, '#error found\n')
        self.write('toolkit/crt/host_defines.h', '')
        self.write('fp16.cu', '#include <cuda_runtime.h>\n#include <cuda_fp16.h>\n#include <cub/cub.cuh>\n' + STRIDE)
        for options in (['-isystem', 'toolkit', '-isystem', 'toolkit/cccl'], ['-Itoolkit', '-I', 'toolkit/cccl']):
            self.database('.', [('fp16.cu', options)])
            report = self.report('fp16.cu')
            self.assertEqual((report['errors'], len(report['kernels'])), ([], 1))
        self.database('.', [('fp16.cu', ['-Iown'])])
        self.assertEqual([e['message'] for e in self.report('fp16.cu')['errors']], ['found'])

    def test_header_takes_its_neighbours_command(self):
        self.fill('build')
        self.write('src/two.cuh', self.read('src/two.cu'))
        self.assertEqual(self.rules('-p', 'build', 'src/two.cuh'), ['global-stride'])

    def test_no_database(self):
        os.mkdir(self.path('empty'))
        for files in ([], ['src/two.cu'], ['src/two.cu', 'src/deep/one.cu']):
            run = self.fails('-p', 'empty', *files, says=["'empty' has no compile_commands.json", 'CMAKE_EXPORT_COMPILE_COMMANDS'])
            self.assertEqual(run.stderr.count('\n'), 1, 'said once')
            self.fails('-p', 'missing', *files, says=["the folder 'missing' does not exist"])

    def test_empty_database(self):
        self.database('build', [])
        for files in ([], ['src/two.cu']):
            self.fails('-p', 'build', *files, says=[self.path('build/compile_commands.json'), 'is empty', 'build the project'])

    def test_database_without_cuda(self):
        self.database('build', [('src/host.cpp', [])])
        self.fails('-p', 'build', says=[self.path('build/compile_commands.json'), 'lists no CUDA file'])
        self.fails('-p', 'build', 'src/two.cu', says=["'src/two.cu' is not in", 'lists no CUDA file'])

    def test_invalid_database(self):
        for text in ('[{', '{}', '[1]', '[{"file": "src/two.cu"}]', '', '\x00\x01'):
            self.write('build/compile_commands.json', text)
            for files in ([], ['src/two.cu']):
                self.fails('-p', 'build', *files, says=[self.path('build/compile_commands.json'), 'is not a compilation database'])

    def test_invalid_database_that_nobody_asked_for(self):
        self.write('compile_commands.json', '[{')
        self.assertIn('using defaults', self.run_tool('src/two.cu').stderr)

    def test_entry_whose_file_is_gone(self):
        self.database('build', [('src/gone.cu', []), ('src/two.cu', ['-DSTEP=2'])])
        run = self.run_tool('-p', 'build', status=2)
        self.assertIn('src/gone.cu', run.stderr)
        self.assertIn('[global-stride]', run.stdout)

    def test_commands_are_never_executed(self):
        commands = [{'directory': self.folder, 'file': 'src/two.cu',
                     'command': 'nvcc $(touch one) `touch two` -DSTEP=2 -c src/two.cu ; touch three && touch four'}]
        self.write('build/compile_commands.json', json.dumps(commands))
        subprocess.run([harness.TOOL, '--no-cuda', '-p', 'build'], cwd=self.folder, capture_output=True, check=False)
        self.assertEqual(sorted(os.listdir(self.folder)), ['build', 'src'])


class Information(ToolTest):
    def checks(self):
        return re.findall(r'^    ([a-z-]+) +\S', self.run_tool('--list-checks').stdout, re.M)

    def test_list(self):
        run = self.run_tool('--list-checks')
        self.assertIn('Checks that are on:\n', run.stdout)
        self.assertIn('Checks that are off (turn on with --checks=NAME):\n', run.stdout)
        self.assertGreaterEqual(len(self.checks()), 10)
        on = self.run_tool('--list-checks', '--checks=-*,global-broadcast').stdout.split('Checks that are off')[0]
        self.assertEqual(re.findall(r'^    ([a-z-]+)', on, re.M), ['global-broadcast'])

    def test_explain_every_check(self):
        for name in self.checks():
            page = self.run_tool(f'--explain={name}').stdout
            self.assertTrue(page.startswith(f'# {name}\n\n## What it finds\n'), page[:80])
            headings = re.findall(r'^## (.*)$', page, re.M)
            fix = ['Fix'] if name == CONFLICT else []
            self.assertEqual(headings, ['What it finds', 'Why it costs', 'Example', 'Write instead', *fix, 'When it stays silent', 'Options'])
            self.assertEqual(page.count('```') % 2, 0)
            self.assertEqual(self.run_tool(f'--explain=warplint-{name}').stdout, page)
            self.assertEqual(self.run_tool('--explain', name).stdout, page)

    def test_version_and_help(self):
        self.assertRegex(self.run_tool('--version').stdout, r'^warplint \d+\.\d+\.\d+ \(LLVM 22\.\d+\.\d+\)\n$')
        text = self.run_tool('--help').stdout
        self.assertIn('USAGE: warplint [subcommand] [options] FILE... [-- compiler flags]', text)
        for option in ('-p', '--checks', '--warnings-as-errors', '--list-checks', '--explain', '--fix', '--unsafe-fixes',
                       '--export-fixes', '--show-fixes', '--format', '--output', '--block', '--assume', '--arch', '--cuda-path',
                       '--no-cuda', '--extra-arg', '--extra-arg-before', '-j', '--quiet', '--use-color'):
            self.assertRegex(text, rf'(?m)^  {option}\b')
        for line in text.splitlines():
            self.assertLess(len(line), 120)

    def test_single_dash(self):
        self.assertEqual(self.run_tool('-list-checks').stdout, self.run_tool('--list-checks').stdout)


class Suppression(ToolTest):
    def check(self, source, rules, status=0):
        self.assertEqual(self.rules(self.write('case.cu', source), status=status), rules)

    def on_line(self, comment):
        return STRIDE.replace('threadIdx.x];', f'threadIdx.x]; // {comment}')

    def before_line(self, comment):
        return STRIDE.replace('  out', f'  // {comment}\n  out')

    def test_line(self):
        for comment in ('NOLINT', 'NOLINT(global-stride)', 'NOLINT(warplint-global-stride)', 'NOLINT(global-*)', 'NOLINT(warplint-*)',
                        'NOLINT(shared-*, global-stride)', 'NOLINT(*)', 'NOLINT: the stride is meant'):
            self.check(self.on_line(comment), [])
        for comment in ('NOLINT(shared-tile-column)', 'NOLINT(shared-*)', 'NOLINT()', 'NOLINT(-global-stride)', 'NOLINT(global)',
                        'NOLINTNEXTLINE'):
            self.check(self.on_line(comment), ['global-stride'])
        self.check(self.before_line('NOLINT'), ['global-stride'])

    def test_next_line(self):
        for comment in ('NOLINTNEXTLINE', 'NOLINTNEXTLINE(global-stride)', 'NOLINTNEXTLINE(global-*)'):
            self.check(self.before_line(comment), [])
        for comment in ('NOLINTNEXTLINE(shared-*)', 'NOLINTNEXTLINE()'):
            self.check(self.before_line(comment), ['global-stride'])
        self.check(self.before_line('NOLINTNEXTLINE\n'), ['global-stride'])

    def test_block(self):
        for names in ('', '(global-stride)', '(global-*)'):
            self.check(f'// NOLINTBEGIN{names}\n{STRIDE}// NOLINTEND{names}\n', [])
        self.check(f'// NOLINTBEGIN(shared-*)\n{STRIDE}// NOLINTEND(shared-*)\n', ['global-stride'])
        self.check(f'// NOLINTBEGIN\n// NOLINTEND\n{STRIDE}', ['global-stride'])
        self.check(f'// NOLINTBEGIN\n// NOLINTBEGIN(shared-*)\n// NOLINTEND(shared-*)\n{STRIDE}// NOLINTEND\n', [])

    def test_silenced_is_no_error(self):
        self.run_tool('--warnings-as-errors=*', self.write('case.cu', self.on_line('NOLINT')))

    def test_unmatched_is_an_error(self):
        for source, line, word in ((f'// NOLINTBEGIN\n{STRIDE}', 1, 'NOLINTBEGIN'), (f'{STRIDE}// NOLINTEND\n', 5, 'NOLINTEND'),
                                   (f'// NOLINTBEGIN(global-*)\n{STRIDE}// NOLINTEND\n', 1, 'NOLINTBEGIN')):
            name = self.write('case.cu', source)
            report = self.report(name, status=1)
            self.assertEqual([finding['rule'] for finding in report['findings']], ['global-stride'], 'it silences nothing')
            error = report['errors'][0]
            self.assertEqual((error['line'], error['column']), (line, 4))
            self.assertIn(f"unmatched '{word}' comment", error['message'])
            self.assertIn(f"case.cu:{line}:4: error: unmatched '{word}' comment", self.run_tool(name, status=1).stdout)

    def test_macros(self):
        """A comment where a macro is defined counts for its uses, and one where it is used for this use."""
        macro = '#define AT(p) p[2 * threadIdx.x] // %s\n' + STRIDE.replace('in[2 * threadIdx.x]', 'AT(in)')
        self.check(macro % 'read', ['global-stride'])
        self.check(macro % 'NOLINT(global-stride)', [])
        self.check(macro % 'NOLINT(global-aos)', ['global-stride'])
        self.check((macro % 'read').replace('AT(in);', 'AT(in); // NOLINT'), [])
        around = macro.replace('AT(in)', 'TWICE(in)')
        for comment, rules in (('NOLINT', []), ('x', ['global-stride'])):
            self.check(f'#define TWICE(q) (AT(q) + 1) // {comment}\n' + around % 'read', rules)

    def test_finding_in_a_header(self):
        self.write('turn.cuh', self.on_line('NOLINT').split('void launch')[0])
        self.check('#include "turn.cuh"\nvoid launch(float *o, const float *i) { stride<<<1, 256>>>(o, i); }\n', [])


class Output(ToolTest):
    def setUp(self):
        super().setUp()
        self.name = self.write('stride.cu', STRIDE)

    def test_clangs_form(self):
        lines = self.run_tool(self.name).stdout.splitlines()
        self.assertRegex(lines[0], r'^stride\.cu:2:22: warning: global load strides 2 elements .* \[global-stride\]$')
        self.assertEqual(lines[1], '    2 |   out[threadIdx.x] = in[2 * threadIdx.x];')
        self.assertEqual(lines[2], '      |                      ^~~~~~~~~~~~~~~~~~~')
        self.assertEqual(lines[1][lines[2].index('^'):lines[2].index('^') + lines[2].count('~') + 1], 'in[2 * threadIdx.x]')
        self.assertRegex(lines[3], r'^stride\.cu:2:22: note: ')
        self.assertIn('(block 256 from the launch at line 4)', lines[3])

    def test_caret_after_tabs_and_wide_characters(self):
        source = STRIDE.replace('  out[threadIdx.x] =', '\t/* 龍é */\tout[threadIdx.x] =')
        lines = self.run_tool(self.write('wide.cu', source)).stdout.splitlines()
        text, caret = lines[1], lines[2]
        before = text[:text.index('in[2')]
        self.assertEqual(caret.index('^'), len(before) + before.count('龍'), 'the dragon is two columns wide')

    def test_summary_on_stderr(self):
        run = self.run_tool(self.name)
        self.assertRegex(run.stderr, SUMMARY)
        self.assertNotIn('warplint: ', run.stdout)

    def test_quiet(self):
        for arguments in ([self.name], ['--format=json', self.name], ['--fix', self.name], ['-j', '2', self.name, self.name]):
            self.assertEqual(self.run_tool('--quiet', *arguments).stderr, '')
        self.assertEqual(self.run_tool('--quiet', self.name, toolkit=True).stderr, '')
        self.assertEqual(self.run_tool('--quiet', self.name).stdout, self.run_tool(self.name).stdout)
        self.assertIn('no such file', self.run_tool('--quiet', 'missing.cu', status=2).stderr, 'errors are no noise')

    def test_output_file(self):
        for options in ([], ['--format=json']):
            on_stdout = self.run_tool(*options, self.name).stdout
            run = self.run_tool(*options, '--output=report', self.name)
            self.assertEqual((run.stdout, self.read('report')), ('', on_stdout))
        self.assertEqual(self.run_tool('--output=-', self.name).stdout, self.run_tool(self.name).stdout)

    def test_output_file_is_replaced_whole(self):
        self.write('report', 'x' * 100000)
        os.symlink('report', self.path('link'))
        os.chmod(self.path('report'), 0o600)
        self.run_tool('--output=link', self.name)
        self.assertTrue(os.path.islink(self.path('link')))
        self.assertEqual(self.read('report'), self.run_tool(self.name).stdout)
        self.assertEqual(os.stat(self.path('report')).st_mode & 0o777, 0o600)

    def test_output_to_a_pipe_or_device(self):
        os.mkfifo(self.path('pipe'))
        with subprocess.Popen(['cat', 'pipe'], cwd=self.folder, stdout=subprocess.PIPE, text=True) as reader:
            self.run_tool('--output=pipe', self.name)
            self.assertEqual(reader.communicate(timeout=60)[0], self.run_tool(self.name).stdout)
        self.assertIn('pipe', os.listdir(self.folder))
        self.run_tool('--output=/dev/null', self.name)
        self.assertFalse(os.path.isfile('/dev/null'))
        self.assertEqual(self.run_tool('--output=/dev/stdout', self.name).stdout, self.run_tool(self.name).stdout)

    def test_output_that_cannot_be_written(self):
        for name, reason in (('no/folder', 'No such file or directory'), ('.', 'Is a directory'), ('/dev/full', 'No space left')):
            run = self.run_tool(f'--output={name}', self.name, status=2)
            self.assertIn(f'{name}: cannot write the report: {reason}', run.stderr)
        self.assertFalse(os.path.isfile('/dev/full'))

    def test_colour_only_when_asked(self):
        self.assertNotIn('\x1b', self.run_tool(self.name).stdout)
        self.assertNotIn('\x1b', self.run_tool('--use-color=false', self.name).stdout)
        for option in ('--use-color', '--use-color=true'):
            coloured = self.run_tool(option, self.name).stdout
            self.assertIn('\x1b[', coloured)
            self.assertEqual(re.sub(r'\x1b\[[0-9;]*m', '', coloured), self.run_tool(self.name).stdout)
        self.run_tool('--use-color', '--output=coloured', self.name)
        self.assertEqual(self.read('coloured'), coloured)
        self.assertNotIn('\x1b', self.run_tool('--use-color', '--format=json', self.name).stdout)

    def on_terminal(self, *arguments, **environment):
        """What appears when stdout is a terminal."""
        ours, its = pty.openpty()
        with subprocess.Popen([harness.TOOL, '--no-cuda', '--quiet', *arguments], cwd=self.folder, stdout=its,
                              env={**os.environ, 'TERM': 'xterm', **environment}) as process:
            os.close(its)
            shown = b''
            while True:
                try:
                    data = os.read(ours, 65536)
                except OSError: # EIO: the other end is closed
                    break
                if not data:
                    break
                shown += data
            process.wait()
        os.close(ours)
        return shown.decode()

    def test_colour_on_a_terminal(self):
        self.assertIn('\x1b[', self.on_terminal(self.name))
        self.assertNotIn('\x1b', self.on_terminal('--use-color=false', self.name))
        self.assertNotIn('\x1b', self.on_terminal(self.name, TERM='dumb'))

    def test_source_cannot_steer_the_terminal(self):
        evil = b'\x1b[31mred\x1b]0;title\x07 \xc2\x9b31m \xe2\x80\xae \xff \x08\x7f\r'
        source = STRIDE.encode().replace(b'threadIdx.x];', b'threadIdx.x]; // ' + evil)
        source += b'#warning "' + evil + b'"\n__global__ void bad(int *p) { *p = "\x1b[32m"; }\n'
        name = self.write('evil\x1b[31m\u009b.cu', source)
        for options in ([], ['--format=json'], ['--show-fixes']):
            run = subprocess.run([harness.TOOL, '--no-cuda', *options, name], cwd=self.folder, capture_output=True, check=False)
            wanted = rb'[\x00-\x09\x0b-\x1f]' # JSON's own rule for its strings
            if '--format=json' not in options:
                wanted += rb'|\x7f|\xc2[\x80-\x9f]|\xe2\x80\xae'
            for text in (run.stdout, run.stderr):
                self.assertEqual(re.findall(wanted, text), [], text)
                text.decode()
        self.assertIn(b'<U+001B>[31mred', self.run_tool(name).stdout.encode())
        for arguments in (['missing' + name], ['--checks=\x1b[31m', name], ['--block=\x1b[31m', name], ['--explain=\x1b[31m'],
                          ['-p', 'missing' + name], ['--arch=\x1b[31m', name]):
            self.assertNotIn('\x1b', self.run_tool(*arguments, status=2).stderr)

    def test_same_bytes_every_time(self):
        self.write('tile.cu', tile('float other[32][32], tile[32][32]', body='other[y][x] = 1;', read='tile[x][y] + other[x][y]'))
        for options in ([], ['--format=json'], ['--show-fixes', '--format=json'], ['--export-fixes=-']):
            runs = {self.run_tool(*options, 'tile.cu', self.name).stdout for _ in range(3)}
            self.assertEqual(len(runs), 1)

    def test_same_with_several_jobs(self):
        names = [self.write(f'{n}.cu', text) for n, text in
                 enumerate((STRIDE, CLEAN.replace('stride', 'clean').replace('launch', 'start'), tile(), BROKEN, BROKEN + STRIDE))]
        names.append('missing.cu')
        for options in ([], ['--format=json'], ['--show-fixes', '--format=json']):
            one = self.run_tool(*options, *names, status=2)
            for jobs in ('2', '0', '9'):
                many = self.run_tool('-j', jobs, *options, *names, status=2)
                self.assertEqual((many.stdout, many.stderr), (one.stdout, one.stderr))

    def test_order_is_that_of_the_files(self):
        names = [self.write(f'{n}.cu', STRIDE.replace('stride', f'stride_{n}').replace('launch', f'launch_{n}')) for n in 'ba']
        report = self.report(*names)
        self.assertEqual([kernel['name'] for kernel in report['kernels']], ['stride_b', 'stride_a'])

    def test_file_given_twice_counts_once(self):
        self.assertEqual(self.rules(self.name, self.name, self.path(self.name)), ['global-stride'])

    def test_json(self):
        """Against the schema: every input, broken code, and all that can be absent."""
        for folder, _, names in os.walk(os.path.join(harness.INPUTS, 'seeds')):
            for name in names:
                self.report('--show-fixes', os.path.join(folder, name))
        report = self.report('--checks=*', '--show-fixes', self.name, self.write('tile.cu', tile()), self.write('half.cu', BROKEN + CLEAN))
        self.assertEqual(report['schema'], 'warplint-report/1')
        self.assertIn(f"warplint {report['version']} ", self.run_tool('--version').stdout)
        self.assertEqual(report['summary']['findings'], len(report['findings']))
        self.assertEqual(report['summary']['kernels'], len(report['kernels']))
        self.assertTrue(all(os.path.isabs(finding['file']) for finding in report['findings']))

    def test_toolkit_or_not(self):
        """Where a toolkit is found it is used; the finding is the same."""
        self.assertEqual(self.rules(self.name, toolkit=True), self.rules(self.name))


class Places(ToolTest):
    """Where the tool and its files are makes no difference."""

    def setUp(self):
        super().setUp()
        self.name = self.write('stride.cu', STRIDE)
        self.write('elsewhere/keep', '')

    def test_through_a_link(self):
        os.symlink(harness.TOOL, self.path('elsewhere/lint'))
        self.assertEqual(self.run_tool(self.name, tool=self.path('elsewhere/lint')).stdout, self.run_tool(self.name).stdout)
        self.assertEqual(self.run_tool(self.name, tool='elsewhere/lint').stdout, self.run_tool(self.name).stdout)

    def test_by_its_name_on_the_path(self):
        os.symlink(harness.TOOL, self.path('elsewhere/lint'))
        environment = {**os.environ, 'PATH': self.path('elsewhere') + ':' + os.environ['PATH']}
        self.assertEqual(shutil.which('lint', path=environment['PATH']), self.path('elsewhere/lint'))
        run = subprocess.run(['lint', '--no-cuda', self.name], cwd=self.folder, env=environment, capture_output=True, text=True,
                             check=False)
        self.assertEqual((run.returncode, run.stdout), (0, self.run_tool(self.name).stdout))

    def test_from_another_folder(self):
        run = self.run_tool('../stride.cu', cwd=self.path('elsewhere'))
        self.assertTrue(run.stdout.startswith(f'{self.path(self.name)}:2:22: warning: '), 'not below: the whole name')
        run = self.run_tool(self.path(self.name))
        self.assertTrue(run.stdout.startswith('stride.cu:2:22: warning: '), 'below: the short name')
        self.assertEqual(self.report('../stride.cu', cwd=self.path('elsewhere')), self.report(self.name))

    def test_names_with_odd_characters(self):
        for name in ("it's.cu", 'a b.cu', 'größe.cu', '-dash.cu', '%s.cu', 'semi;colon.cu', '@at.cu', 'sub/../up.cu'):
            os.makedirs(self.path('sub'), exist_ok=True)
            self.write(name, STRIDE)
            given = f'./{name}' if name.startswith(('-', '@')) else name
            self.assertEqual(self.rules(given), ['global-stride'], name)

    def test_file_behind_a_link(self):
        os.symlink('stride.cu', self.path('link.cu'))
        self.assertEqual(self.rules('link.cu'), ['global-stride'])


if __name__ == '__main__':
    harness.main()
