#!/usr/bin/env python3
"""Runs the kernels of a CUDA file on the CPU, thread by thread, and holds warplint's report against what they did.

usage: truth.py --tool WARPLINT --compiler CLANG++ --symbolizer LLVM-SYMBOLIZER [--no-cuda] [--write] FILE

The file's function `launches(pointers...)` makes the launches: their grids, blocks and arguments are constants. Every access
that warplint calls exact must have the numbers of the run: the worst request's, and the launch's totals where it gives them.
An access whose line says `confidence=exact` in its expectations must be exact, a line without `[benign]`, `unknown` or
`assumed` in them must at least have numbers (expect.py reads the same comments). Where `launches` takes integers too, the tool does not know them, and each line
`// SIZES: n=100 m=7` is a run: what is exact must hold in all of them, what is assumed in those that fulfil "n is large" and "n is a
multiple of 32". --write puts `// EXPECT:` comments with the
numbers of the run at lines that have none.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LAUNCH = re.compile(r'([A-Za-z_][\w:]*)((?:<[^;{}]*?>)?)\s*<<<(.*?)>>>\s*\((.*?)\);', re.S)
HEADERS = re.compile(r'^#include <(cuda\w*|cooperative_groups)\.h>$', re.M)

Row = collections.namedtuple('Row', 'kernel line space operation width lines sectors ways wavefronts lanes ideal '
                                    'requests all_sectors all_ideal all_wavefronts')


def split_arguments(text):
    parts, depth = [''], 0
    for character in text:
        depth += (character in '([{') - (character in ')]}')
        if character == ',' and depth == 0:
            parts.append('')
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def launch_parameters(text):
    listed = re.search(r'void launches\((.*?)\)', text, re.S)[1]
    return split_arguments(listed) if listed.strip() else []


def as_host(text):
    """The file as plain C++, every line where it was; the program's arguments are the launches' integers."""
    def launch(match):
        grid, block = split_arguments(match[3])[:2]
        call = f'truth::launch({grid}, {block}, "{match[1]}", [&] {{ {match[1]}{match[2]}({match[4]}); }});'
        return call + '\n' * (match[0].count('\n') - call.count('\n'))
    text = LAUNCH.sub(launch, HEADERS.sub('', text))
    integers = iter(range(1, 100))
    arguments = [f'truth::Buffer{{{n}}}' if '*' in parameter else f'atoll(argv[{next(integers)}])'
                 for n, parameter in enumerate(launch_parameters(text))]
    return text + f'\nint main(int, char **argv) {{ launches({", ".join(arguments)}); }}\n'


def run_on_cpu(args, text):
    """The costs of every place that the file's kernels access, as Rows."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, 'kernel.cpp'), os.path.join(folder, 'kernel')
        name = os.path.abspath(args.file)
        with open(source, 'w', encoding='utf-8') as out:
            out.write(f'#line 1 "{name}"\n' + as_host(text))
        common = [args.compiler, '-std=c++20', '-w', f'-I{HERE}', '-ffp-contract=off']
        runtime = os.path.join(folder, 'runtime.o')
        subprocess.run(common + ['-O1', '-c', os.path.join(HERE, 'runtime.cpp'), '-o', runtime], check=True)
        kernel = os.path.join(folder, 'kernel.o')
        subprocess.run(common + ['-g', '-O0', '-fwrapv', '-fno-pie', '-include', 'host.h', f'-I{os.path.dirname(name)}',
                                 '-fsanitize-coverage=func,trace-pc,trace-loads,trace-stores', '-c', source, '-o', kernel],
                       check=True)
        subprocess.run([args.compiler, '-no-pie', kernel, runtime, '-o', program], check=True)
        names = [re.split(r'\W', parameter)[-1] for parameter in launch_parameters(text) if '*' not in parameter]
        trials = [dict(item.split('=') for item in line.split()) for line in re.findall(r'^// SIZES: (.*)$', text, re.M)]
        return [run_trial(args, program, name, {n: int(trial[n]) for n in names}) for trial in trials or [{}]]


def run_trial(args, program, name, sizes):
    run = subprocess.run([program] + [str(size) for size in sizes.values()], capture_output=True, text=True, check=True, timeout=240)
    rows = [line.split() for line in run.stdout.splitlines()]
    found = subprocess.run([args.symbolizer, '--output-style=JSON', f'--obj={program}'] + sorted({row[1] for row in rows}),
                           capture_output=True, text=True, check=True).stdout
    lines = {}
    for entry in json.loads(found):
        frames = [f for f in entry['Symbol'] if f['FileName'] == name]
        if frames:
            lines[entry['Address']] = frames[0]['Line']
    truth = collections.defaultdict(list)
    for row in rows:
        if row[1] in lines:
            row = Row(row[0], lines[row[1]], row[2], row[3], *map(int, row[4:]))
            truth[row.line, row.operation].append(row)
    return sizes, truth


def fulfils(assumptions, sizes):
    """Do these sizes fulfil what a result rests on? None: it rests on something else."""
    for text in assumptions:
        match = re.fullmatch(r'(\w+) is (?:a multiple of (\d+)|large)', text)
        if not match or match[1] not in sizes:
            return None
        if sizes[match[1]] < 4096 or sizes[match[1]] % int(match[2] or 1):
            return False
    return True


def worst_of(row):
    return (row.ways, row.wavefronts) if row.space == 'shared' else (row.lines, row.sectors)


def totals_of(row):
    shared = row.space == 'shared'
    return row.requests, 0 if shared else row.all_sectors, 0 if shared else row.all_ideal, row.all_wavefronts if shared else 0


def compare(name, source, got, truth, sizes):
    """The problems of the report (accesses by line and operation) with one run."""
    where = ' with ' + ' '.join(f'{n}={size}' for n, size in sizes.items()) if sizes else ''
    problems = []
    for (line, operation), rows in sorted(truth.items()):
        accesses = got.get((line, operation), [])
        if not accesses:
            problems.append(f'{name}:{line}: a {operation} happens that is not reported')
        wanted = {(row.space, row.width, worst_of(row)) for row in rows}
        sums = collections.Counter()
        for row in rows:
            sums.update(dict(enumerate(totals_of(row))))
        said = (re.search(r'// EXPECT:(.*)', source[line - 1]) or ['', ''])[1]
        for _, access in accesses:
            if access['confidence'] == 'unknown':
                if 'unknown' not in said:
                    problems.append(f"{name}:{line}: unknown: {access['reason']}; the run says {wanted}")
                continue
            holds = fulfils(access['assumptions'], sizes)
            shared = access['space'] == 'shared'
            numbers = (access['conflictWays'], access['wavefronts']) if shared else (access['lines'], access['sectors'])
            if (holds or access['confidence'] == 'exact' or not sizes) and (access['space'], access['width'], numbers) not in wanted:
                problems.append(f"{name}:{line}: {access['confidence']}, but wrong{where}: {access['space']} "
                                f"{access['width']} bytes {numbers}; the run says {wanted}; {access['assumptions']}")
            elif access['confidence'] != 'exact' and not sizes and 'assumed' not in said:
                problems.append(f"{name}:{line}: only assumed: {access['assumptions']}")
        totals = [access.get('total') for _, access in accesses]
        if accesses and all(totals):
            total = [sum(t[key] for t in totals) for key in ('requests', 'sectors', 'idealSectors', 'wavefronts')]
            if total != [sums[n] for n in range(4)]:
                problems.append(f'{name}:{line}: totals {total}; the run{where} says {[sums[n] for n in range(4)]}')
    for (line, operation), accesses in sorted(got.items()):
        if (line, operation) not in truth and any('sectors' in a or 'wavefronts' in a for _, a in accesses
                                                  if a['space'] != 'constant' and a['confidence'] == 'exact'):
            problems.append(f'{name}:{line}: a {operation} is reported that never happens{where}')
    return problems


def expectation(rows):
    items = []
    for row in rows:
        if row.space == 'shared':
            item = f'shared {row.ways}-way' if row.ways > 1 else 'clean'
        else:
            item = f'global {row.lines} transaction{"s" * (row.lines > 1)} {row.sectors} sector{"s" * (row.sectors > 1)}'
            if row.sectors <= row.ideal:
                item = f'clean ({item})'
        if item not in items:
            items.append(item)
    return '; '.join(items) + ' [confidence=exact]'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tool', required=True)
    parser.add_argument('--compiler', required=True)
    parser.add_argument('--symbolizer', required=True)
    parser.add_argument('--no-cuda', action='store_true')
    parser.add_argument('--write', action='store_true')
    parser.add_argument('file')
    args = parser.parse_args()
    text = open(args.file, encoding='utf-8').read()
    trials = run_on_cpu(args, text)

    command = [args.tool, '--format=json', '--quiet'] + ['--no-cuda'] * args.no_cuda + [args.file]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=300).stdout)
    problems = [f"{e['file']}:{e['line']}: error: {e['message']}" for e in report['errors']]
    got = collections.defaultdict(list)
    for kernel in report['kernels']:
        for access in kernel['accesses']:
            if os.path.basename(access['file']) == os.path.basename(args.file):
                got[access['line'], access['operation']].append((kernel, access))
    source = text.splitlines()
    for sizes, truth in trials:
        problems += compare(args.file, source, got, truth, sizes)
    counts = collections.Counter(access['confidence'] for accesses in got.values() for _, access in accesses)
    truth = trials[0][1]
    if args.write:
        by_line = collections.defaultdict(list)
        for (line, _), rows in sorted(truth.items()):
            by_line[line] += rows
        for line, rows in by_line.items():
            if '// EXPECT:' not in source[line - 1]:
                source[line - 1] += ' // EXPECT: ' + expectation(rows)
        with open(args.file, 'w', encoding='utf-8') as out:
            out.write('\n'.join(source) + '\n')
    for problem in problems:
        print(problem)
    print(f'{len(truth)} accesses, {dict(counts)}, {len(problems)} problems')
    return 1 if problems or not truth else 0


if __name__ == '__main__':
    sys.exit(main())
