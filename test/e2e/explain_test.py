#!/usr/bin/env python3
"""--explain-access: pictures against golden text, their counts against the JSON report, and wrong use.

The golden texts in explain/ were drawn by the tool and then checked by hand, lane by lane: a changed picture is looked at the same way.
"""
import collections
import fcntl
import glob
import os
import pty
import re
import struct
import subprocess
import termios

import harness
from harness import BROKEN, INPUTS, STRIDE, ToolTest

SEEDS = os.path.join(INPUTS, 'seeds')
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'explain')

# Golden text: folder, file, words before the access on its line, the access.
PICTURES = {
    'consecutive': (SEEDS, 'A-consecutive.cu', 'float v = ', 'in[i]'),
    'stride-2': (SEEDS, 'B-stride-2.cu', 'out[i] = ', 'in[2 * i]'),
    'stride-32': (SEEDS, 'C-stride-32.cu', 'out[i] = ', 'in[32 * i]'),
    'one-lane': (SEEDS, 'D-one-active-lane.cu', '= ', 'in[blockIdx.x * 32]'),
    'broadcast': (SEEDS, 'E-broadcast.cu', 'float g = ', 'in[0]'),
    'shared-broadcast': (SEEDS, 'E-broadcast.cu', 'float h = ', 's[0]'),
    'array-of-structs': (SEEDS, 'F-array-of-structs.cu', 'out[i] = ', 'p[i].x'),
    'tile-column': (SEEDS, 'G-tile-column.cu', 'float v = ', 'tile[threadIdx.x][threadIdx.y]; // EXPECT: shared'),
    'padded-column': (SEEDS, 'G-tile-column.cu', 'float v = ', 'tile[threadIdx.x][threadIdx.y]; // EXPECT: clean'),
    'interleaved-rgb': (SEEDS, 'H-interleaved-rgb.cu', 'out[i] = ', 'rgb[3 * i]'),
    'misaligned': (SEEDS, 'J-misaligned-base.cu', ' = ', 'in[threadIdx.x + 16]'),
    'bytes-of-one-bank': (SEEDS, 'bank-of-byte-70.cu', 'char same_bank = ', 's['),
    'float4-global': (GOLDEN, 'kernels.cu', ' = ', 'in[threadIdx.x];\n  pairs'),
    'float4-shared': (GOLDEN, 'kernels.cu', '', 'quads[threadIdx.x] ='),
    'double-column': (GOLDEN, 'kernels.cu', '', 'pairs[threadIdx.x][0] ='),
    'merged-phases': (GOLDEN, 'kernels.cu', 'twice = ', 'quads[threadIdx.x / 2]'),
    'constant': (GOLDEN, 'kernels.cu', ' = ', 'table[threadIdx.x % 4]'),
    'atomic': (GOLDEN, 'kernels.cu', '', 'atomicAdd(&bins'),
    'data': (GOLDEN, 'kernels.cu', '', 'bins[keys[threadIdx.x]]'),
    'instances': (GOLDEN, 'kernels.cu', ' = ', 'in[Step * threadIdx.x]'),
    'unknown-pitch': (GOLDEN, 'kernels.cu', ' = ', 'in[threadIdx.x * pitch]'),
    'some-lanes': (GOLDEN, 'kernels.cu', ' = ', 'in[threadIdx.x];\n}'),
}


def place_of(folder, file, before, access):
    """FILE:LINE:COLUMN of an access, by the text around it."""
    with open(os.path.join(folder, file), encoding='utf-8') as source:
        text = source.read()
    at = text.index(before + access) + len(before)
    return f'{file}:{text.count(chr(10), 0, at) + 1}:{at - text.rfind(chr(10), 0, at)}'


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


class Pictures(ToolTest):
    def test_golden(self):
        for name, (folder, *where) in PICTURES.items():
            with self.subTest(name):
                run = self.run_tool('--quiet', '--explain-access=' + place_of(folder, *where), cwd=folder)
                self.assertEqual(run.stdout, read(os.path.join(GOLDEN, name + '.txt')))
                self.assertEqual(run.stderr, '')

    def test_every_golden_text_is_used(self):
        self.assertEqual({os.path.basename(path) for path in glob.glob(os.path.join(GOLDEN, '*.txt'))},
                         {name + '.txt' for name in PICTURES})


HEAD = re.compile(r'^\S.*: note: (?:(global|shared|constant|local) )?(load|store|atomic)(?: in a memory space that is not known)?'
                  r'(?: \([\w.]+\))?(?:, (\d+) bytes? per lane)?')
COUNTS = {'lines': r'  lines    (\d+): useful', 'sectors': r'  sectors  (\d+)', 'wavefronts': r'  waves    (?:[\d + ]+ = )?(\d+) wavefront',
          'conflictWays': r'  ways     (\d+):', 'distinctAddresses': r'  distinct (\d+) address'}
KEYS = {'global': ('lines', 'sectors'), 'shared': ('wavefronts', 'conflictWays'), 'constant': ('distinctAddresses',), 'local': ('sectors',),
        'unknown': ()}


def results_of(text):
    """What an explanation says, in the report's terms: {(space, operation, width, confidence, counts)}; and what is wrong in it."""
    found, wrong = set(), []
    space = operation = width = None
    body = []

    def flush():
        lines = [re.match(r'  result   (exact|assumed|unknown)', line) for line in body]
        confidence = [match[1] for match in lines if match]
        if not confidence:
            return
        counts = {key: int(match[1]) for key in KEYS[space] for line in body if (match := re.match(COUNTS[key], line))}
        found.add((space, operation, width, confidence[0], *sorted(counts.items())))
        boxes = [int(used) for line in body for used in re.findall(r'(\d+)/32 B\b', line)]
        if boxes and not any(' more lines' in line for line in body):
            useful = {int(match[1]) for line in body if (match := re.match(r'  (?:lines|sectors)  +\d+: useful (\d+) byte', line))}
            if len(boxes) != counts['sectors'] or useful != {sum(boxes)}:
                wrong.append(f'{len(boxes)} boxes with {sum(boxes)} bytes: {counts}, {useful}')
            if sum(line.startswith(('  +', '  line ')) for line in body) != counts['lines']:
                wrong.append(f'rows: {counts}')
        if space == 'shared' and not any(' more turns' in line or ' more phase' in line for line in body):
            turns = sum(line.startswith('  turn ') for line in body)
            if confidence[0] != 'unknown' and turns != counts['wavefronts']:
                wrong.append(f'{turns} turns: {counts}')

    for line in text.splitlines():
        if match := HEAD.match(line):
            flush()
            body = []
            space, operation, width = match[1] or 'unknown', match[2], int(match[3] or 0)
        elif line.startswith('  kernel ') and any(known.startswith('  result ') for known in body):
            flush()
            body = []
        else:
            body.append(line)
    flush()
    return found, wrong


def results_in(accesses):
    """The same of the JSON report."""
    found = set()
    for access in accesses:
        known = access['confidence'] != 'unknown'
        counts = {key: access[key] for key in KEYS[access['space']]} if known else {}
        found.add((access['space'], access['operation'], access['width'], access['confidence'], *sorted(counts.items())))
    return found


class Counts(ToolTest):
    def test_inputs(self):
        """At places that have, between them, every sort of result in every folder of the inputs."""
        checked, geometries = 0, set()
        for file in sorted(glob.glob(os.path.join(INPUTS, '**', '*.cu'), recursive=True)):
            by_line = collections.defaultdict(list)
            for kernel in self.report(file, status=None)['kernels']:
                for access in kernel['accesses']:
                    by_line[access['file'], access['line']].append(access)
            for (name, line), accesses in by_line.items():
                expected = results_in(accesses)
                sorts = {(os.path.dirname(file), *result) for result in expected}
                if sorts <= geometries:
                    continue
                geometries |= sorts
                checked += 1
                with self.subTest(f'{name}:{line}'):
                    run = self.run_tool('--quiet', f'--explain-access={name}:{line}', file)
                    found, wrong = results_of(run.stdout)
                    self.assertEqual(found, expected)
                    self.assertEqual(wrong, [])
        self.assertGreater(checked, 200)

    def test_parser_of_the_explanation(self):
        """The comparison above sees a picture that is wrong."""
        text = read(os.path.join(GOLDEN, 'stride-2.txt'))
        found, wrong = results_of(text)
        self.assertEqual((found, wrong), ({('global', 'load', 4, 'exact', ('lines', 2), ('sectors', 8))}, []))
        for old, new in (('|0-3      16/32 B|', '|                |'), ('16/32 B', '12/32 B'), ('\n  +128 ', '\n       ')):
            self.assertNotEqual(results_of(text.replace(old, new))[1], [], new)
        text = read(os.path.join(GOLDEN, 'double-column.txt')).replace(' more turns', '')
        self.assertNotEqual(results_of(text)[1], [])


class Places(ToolTest):
    def test_line_and_column(self):
        name = self.write('stride.cu', STRIDE)
        heads = lambda text: re.findall(r'^stride\.cu:(\d+:\d+): note: global (\w+)', text, re.MULTILINE)
        self.assertEqual(heads(self.run_tool('--explain-access=stride.cu:2').stdout), [('2:3', 'store'), ('2:22', 'load')])
        for column, operation in ((3, 'store'), (18, 'store'), (22, 'load'), (40, 'load')):
            self.assertEqual([what for _, what in heads(self.run_tool(f'--explain-access={name}:2:{column}').stdout)], [operation], column)

    def test_nested_accesses(self):
        """The column inside of a[b[i]] means the inner one."""
        name = self.write('nested.cu', '__global__ void k(int *a, const int *b) {\n  a[b[threadIdx.x]] = 1;\n}\n')
        self.assertIn("store, 4 bytes per lane, to 'a'", self.run_tool(f'--explain-access={name}:2:3').stdout)
        inner = self.run_tool(f'--explain-access={name}:2:7').stdout
        self.assertIn("load, 4 bytes per lane, from 'b'", inner)
        self.assertNotIn("to 'a'", inner)

    def test_both_sides_of_an_update(self):
        name = self.write('update.cu', '__global__ void k(float *a) {\n  a[threadIdx.x] += 1;\n}\n')
        text = self.run_tool(f'--explain-access={name}:2:5').stdout
        self.assertIn("global load, 4 bytes per lane, from 'a'", text)
        self.assertIn("global store, 4 bytes per lane, to 'a'", text)

    def test_line_inside_an_access(self):
        name = self.write('long.cu', '__global__ void k(float *a) {\n  a[threadIdx.x\n      + 1\n    ] = 1;\n}\n')
        for place in ('2', '3', '4', '3:7'):
            self.assertIn('long.cu:2:3: note: global store', self.run_tool(f'--explain-access={name}:{place}').stdout, place)

    def test_helper_in_a_header(self):
        """A header is explained through what includes it; a helper's access says where it was called."""
        self.write('get.cuh', '__device__ inline float get(const float *in, int i) {\n  return in[2 * i];\n}\n')
        name = self.write('use.cu', '#include "get.cuh"\n__global__ void k(float *out, const float *in) {\n'
                                    '  out[threadIdx.x] = get(in, threadIdx.x);\n}\n')
        text = self.run_tool('--explain-access=get.cuh:2', name).stdout
        self.assertIn("get.cuh:2:10: note: global load, 4 bytes per lane, from 'in'", text)
        self.assertIn('called   from use.cu:3:22', text)
        # Without another file named, one that includes it is looked for.
        self.assertEqual(self.run_tool('--explain-access=get.cuh:2').stdout, text)
        self.write('alone/get.cuh', self.read('get.cuh'))
        run = self.fails('--explain-access=alone/get.cuh:2', says=['alone/get.cuh:2: no kernel that was analysed reads or writes memory in this',
                                                                   '--explain-access=alone/get.cuh:2 FILE.cu'])
        self.assertNotIn('note: an access', run.stderr)
        self.database('build', [('use.cu', [])])
        self.assertEqual(self.run_tool('-p', 'build', '--explain-access=get.cuh:2').stdout, text)
        self.assertIn("to 'out'", self.run_tool('-p', 'build', '--explain-access=use.cu:3:3').stdout)

    def test_kernel_in_a_header(self):
        """Through the database no other file need be named."""
        self.write('k.cuh', '__global__ void k(float *out) {\n  out[2 * threadIdx.x] = 1;\n}\n')
        self.write('main.cu', '#include "k.cuh"\nvoid f(float *out) { k<<<1, 96>>>(out); }\n')
        self.database('build', [('main.cu', [])])
        text = self.run_tool('-p', 'build', '--explain-access=k.cuh:2').stdout
        self.assertEqual(text.count('  kernel '), 1)
        self.assertIn('block 96 from the launch', text)
        self.assertIn('neighbours are 2 elements apart', text)

    def test_links_and_dots(self):
        self.write('stride.cu', STRIDE)
        os.symlink('stride.cu', self.path('link.cu'))
        os.mkdir(self.path('sub'))
        for name in ('sub/../stride.cu', './stride.cu', self.path('stride.cu')):
            self.assertIn('2:22: note: global load', self.run_tool(f'--explain-access={name}:2:22').stdout, name)
        self.assertIn('2:22: note: global load', self.run_tool('--explain-access=link.cu:2:22', 'stride.cu').stdout)

    def test_colons_in_names(self):
        """The place is read from the right; of two readings, the one counts whose file is there."""
        name = self.write('a:2.cu', STRIDE)
        self.assertIn('a:2.cu:2:22: note:', self.run_tool(f'--explain-access={name}:2:22').stdout)
        self.write('b.cu', STRIDE)
        os.symlink('b.cu', self.path('b.cu:2'))
        self.assertIn('note: global load', self.run_tool('--explain-access=b.cu:2:22').stdout)
        os.rename(self.path('b.cu'), self.path('c.cu'))
        os.remove(self.path('b.cu:2'))
        self.write('b.cu:2', STRIDE)
        run = self.run_tool('--explain-access=b.cu:2:2', '--', '-x', 'cuda', status=None)
        self.assertNotIn("no such file: 'b.cu'", run.stderr)


class Options(ToolTest):
    def test_assumptions_and_given_values(self):
        """An assumed result names what makes it exact, and that does."""
        name = self.write('pitch.cu', '__global__ void k(float *a, int pitch) {\n  a[threadIdx.x * pitch] = 1;\n}\n')
        text = self.run_tool(f'--explain-access={name}:2').stdout
        for words in ('result   assumed: ', '--block=X[,Y[,Z]]', '--assume=pitch=VALUE', 'line 1 ', 'line 32'):
            self.assertIn(words, text)
        self.assertNotIn('  +128', text) # how far apart is not known
        text = self.run_tool('--block=32', '--assume=pitch=32', f'--explain-access={name}:2').stdout
        self.assertIn('result   exact, with pitch = 32 (given)\n', text)
        self.assertIn('  +3968 ', text)
        self.assertNotIn('try ', text)

    def test_checks(self):
        """Findings are those of the checks that are on."""
        name = self.write('stride.cu', STRIDE)
        self.assertIn('[global-stride]', self.run_tool(f'--explain-access={name}:2:22').stdout.replace('\n           ', ' '))
        self.assertIn('finding  none', self.run_tool('--checks=-*', f'--explain-access={name}:2:22').stdout)

    def test_output_file(self):
        name = self.write('stride.cu', STRIDE)
        text = self.run_tool(f'--explain-access={name}:2').stdout
        self.assertEqual(self.run_tool(f'--explain-access={name}:2', '--output=page.txt').stdout, '')
        self.assertEqual(self.read('page.txt'), text)

    def test_terminal_width(self):
        name = self.write('stride.cu', STRIDE)
        longest = {}
        for columns in (60, 80, 160):
            main, terminal = pty.openpty()
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 50, columns, 0, 0))
            environment = {key: value for key, value in os.environ.items() if key != 'COLUMNS'}
            command = [harness.TOOL, '--no-cuda', '--quiet', f'--explain-access={name}:2:22']
            with subprocess.Popen(command, stdout=terminal, cwd=self.folder, env=environment) as process:
                os.close(terminal)
                text = b''
                try:
                    while part := os.read(main, 65536):
                        text += part
                except OSError: # the other end is closed
                    pass
                os.close(main)
            self.assertEqual(process.returncode, 0)
            text = text.decode().replace('\r\n', '\n')
            longest[columns] = max(map(len, text.splitlines()[1:]))
            self.assertLessEqual(longest[columns], columns)
            self.assertEqual(results_of(text)[0], {('global', 'load', 4, 'exact', ('lines', 2), ('sectors', 8))})
            self.assertEqual('sector 0: 16 of 32 bytes, lanes 0-3' in text, columns == 60)
            self.assertEqual('|0000....1111....2222....3333....|' in text, columns == 160)
        self.assertGreater(longest[160], 140)

    def test_source_is_escaped(self):
        name = self.write('escape.cu', b'__global__ void k(float *a) {\n  a[threadIdx.x /* \x1b[31m \xe2\x80\xae \xff */] = 1;\n}\n')
        run = subprocess.run([harness.TOOL, '--no-cuda', f'--explain-access={name}:2'], capture_output=True, cwd=self.folder, check=True)
        self.assertIn(b'<U+001B>', run.stdout)
        for bad in (b'\x1b', b'\xe2\x80\xae', b'\xff'):
            self.assertNotIn(bad, run.stdout)

    def test_ascii(self):
        for path in glob.glob(os.path.join(GOLDEN, '*.txt')):
            self.assertTrue(read(path).isascii(), path)
            for line in read(path).splitlines():
                self.assertTrue(len(line) <= 80 or ': note: ' in line or re.match(' *[0-9]* [|] ', line), line)


class WrongUse(ToolTest):
    def test_syntax(self):
        self.write('stride.cu', STRIDE)
        for place in ('', 'stride.cu', '2', ':2', 'stride.cu:', 'stride.cu:0', 'stride.cu:x', 'stride.cu:2:0', 'stride.cu:-1',
                      'stride.cu:99999999999'):
            self.fails(f'--explain-access={place}', says=['--explain-access='])

    def test_no_such_file(self):
        self.fails('--explain-access=missing.cu:3', says=["no such file: 'missing.cu'"])
        self.write('stride.cu', STRIDE)
        self.fails('--explain-access=missing.cuh:3', 'stride.cu', says=["no such file: 'missing.cuh'"])
        os.mkdir(self.path('folder'))
        self.fails('--explain-access=folder:3', says=["'folder' is a folder"])

    def test_no_access_there(self):
        name = self.write('stride.cu', STRIDE)
        run = self.fails(f'--explain-access={name}:4', says=['stride.cu:4: no kernel that was analysed reads or writes memory here',
                                                            'stride.cu:2:3: out[threadIdx.x]', 'stride.cu:2:22: in[2 * threadIdx.x]'])
        self.assertNotIn('the file has', run.stderr)
        self.fails(f'--explain-access={name}:2:20', says=['stride.cu:2:20: no kernel'])
        self.fails(f'--explain-access={name}:400', says=['the file has 4 lines'])

    def test_nothing_in_the_file(self):
        self.write('empty.cuh', '// nothing\n')
        self.fails('--explain-access=empty.cuh:1', self.write('stride.cu', STRIDE), says=['no kernel that was analysed', 'in this file'])

    def test_broken_code(self):
        """Where the kernel is left out because of errors, they are shown."""
        name = self.write('half.cu', BROKEN + STRIDE)
        run = self.fails(f'--explain-access={name}:1', says=["use of undeclared identifier 'undeclared'", 'half.cu:1: no kernel'])
        self.assertIn('half.cu:3:3: out[threadIdx.x]', run.stderr)
        run = self.run_tool(f'--explain-access={name}:3')
        self.assertIn('note: global load', run.stdout)
        self.assertIn('undeclared', run.stderr)

    def test_other_options(self):
        name = self.write('stride.cu', STRIDE)
        self.fails(f'--explain-access={name}:2', '--format=json', says=['--explain-access prints text alone'])
        for option in ('--fix', '--show-fixes', '--export-fixes=f.yaml'):
            self.fails(f'--explain-access={name}:2', option, says=['--explain-access changes and checks no fixes'])
        self.assertEqual(self.read(name), STRIDE)


if __name__ == '__main__':
    harness.main()
