#!/usr/bin/env python3
"""Runs the kernels of a CUDA file on the CPU, thread by thread, and holds warplint's report against what they did.

usage: truth.py --tool WARPLINT --compiler CLANG++ --symbolizer LLVM-SYMBOLIZER [--no-cuda] [--write] FILE

The file's function `launches(pointers...)` makes the launches: their grids, blocks and arguments are constants. Every access
that warplint calls exact must have the numbers of the run: the worst request's, and the launch's totals where it gives them.
An access whose line says `confidence=exact` in its expectations must be exact, a line without `[benign]`, `unknown` or
`assumed` in them must at least have numbers (expect.py reads the same comments). --write puts `// EXPECT:` comments with the
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


def as_host(text):
    """The file as plain C++, every line where it was."""
    def launch(match):
        grid, block = split_arguments(match[3])[:2]
        call = f'truth::launch({grid}, {block}, "{match[1]}", [&] {{ {match[1]}{match[2]}({match[4]}); }});'
        return call + '\n' * (match[0].count('\n') - call.count('\n'))
    text = LAUNCH.sub(launch, HEADERS.sub('', text))
    parameters = re.search(r'void launches\((.*?)\)', text, re.S)[1]
    count = len(split_arguments(parameters)) if parameters.strip() else 0
    return text + '\nint main() { launches(' + ', '.join(f'truth::Buffer{{{n}}}' for n in range(count)) + '); }\n'


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
        rows = [line.split() for line in subprocess.run([program], capture_output=True, text=True, check=True,
                                                        timeout=240).stdout.splitlines()]
        addresses = sorted({row[1] for row in rows})
        found = subprocess.run([args.symbolizer, '--output-style=JSON', f'--obj={program}'] + addresses,
                               capture_output=True, text=True, check=True).stdout
        lines = {}
        for entry in json.loads(found):
            frames = [f for f in entry['Symbol'] if f['FileName'] == name]
            if frames:
                lines[entry['Address']] = frames[0]['Line']
        return [Row(row[0], lines[row[1]], row[2], row[3], *map(int, row[4:])) for row in rows if row[1] in lines]


def worst_of(row):
    return (row.ways, row.wavefronts) if row.space == 'shared' else (row.lines, row.sectors)


def totals_of(row):
    shared = row.space == 'shared'
    return row.requests, 0 if shared else row.all_sectors, 0 if shared else row.all_ideal, row.all_wavefronts if shared else 0


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
    truth = collections.defaultdict(list)
    for row in run_on_cpu(args, text):
        truth[row.line, row.operation].append(row)

    command = [args.tool, '--format=json', '--quiet'] + ['--no-cuda'] * args.no_cuda + [args.file]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=300).stdout)
    problems = [f"{e['file']}:{e['line']}: error: {e['message']}" for e in report['errors']]
    got = collections.defaultdict(list)
    counts = collections.Counter()
    for kernel in report['kernels']:
        for access in kernel['accesses']:
            if os.path.basename(access['file']) == os.path.basename(args.file):
                got[access['line'], access['operation']].append((kernel, access))
    source = text.splitlines()
    for (line, operation), rows in sorted(truth.items()):
        accesses = got.get((line, operation), [])
        if not accesses:
            problems.append(f'{args.file}:{line}: a {operation} happens that is not reported')
        wanted = {(row.space, row.width, worst_of(row)) for row in rows}
        sums = collections.Counter()
        for row in rows:
            sums.update(dict(enumerate(totals_of(row))))
        said = re.search(r'// EXPECT:(.*)', source[line - 1])
        for kernel, access in accesses:
            counts[access['confidence']] += 1
            if access['confidence'] == 'unknown':
                if not said or 'unknown' not in said[1]:
                    problems.append(f"{args.file}:{line}: unknown: {access['reason']}; the run says {wanted}")
                continue
            shared = access['space'] == 'shared'
            numbers = (access['conflictWays'], access['wavefronts']) if shared else (access['lines'], access['sectors'])
            if (access['space'], access['width'], numbers) not in wanted:
                problems.append(f"{args.file}:{line}: {access['confidence']}, but wrong: {access['space']} "
                                f"{access['width']} bytes {numbers}; the run says {wanted}; {access['assumptions']}")
            elif access['confidence'] != 'exact' and (not said or 'assumed' not in said[1]):
                problems.append(f"{args.file}:{line}: only assumed: {access['assumptions']}")
        totals = [access.get('total') for _, access in accesses]
        if accesses and all(totals):
            total = [sum(t[key] for t in totals) for key in ('requests', 'sectors', 'idealSectors', 'wavefronts')]
            counts['with totals'] += 1
            if total != [sums[n] for n in range(4)]:
                problems.append(f'{args.file}:{line}: totals {total}; the run says {[sums[n] for n in range(4)]}')
    for (line, operation), accesses in sorted(got.items()):
        if (line, operation) not in truth and any('sectors' in a or 'wavefronts' in a for _, a in accesses if a['space'] != 'constant'):
            problems.append(f'{args.file}:{line}: a {operation} is reported that never happens')
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
