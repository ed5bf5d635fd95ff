#!/usr/bin/env python3
"""Replays a CUDA file of test/inputs and holds warplint's analysis against what its kernels really did.

usage: oracle.py --replay WARPLINT-REPLAY [--no-cuda] FILE

A file without `main` has a function `launches(pointers..., integers...)`, which makes the launches: pointers are buffers of their
own, with as much room below their start as above. Integers come from the command line, so the analysis does not know them: each
line `// SIZES: n=100 m=7` is a run. What is called exact must hold in all of them, what is assumed in those that fulfil the
assumptions. A line whose `// EXPECT:` says neither `unknown` nor `assumed` must have numbers, and be exact where no sizes are given.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

# What is never right.
FAULTS = ('exact-wrong', 'assumed-wrong', 'missing', 'other-width')
# Of each buffer, in bytes: indices wrap at 32 bits. None of it is used before it is touched.
ROOM = 1 << 41


def split_arguments(text):
    parts, depth = [''], 0
    for character in text:
        depth += (character in '([{<') - (character in ')]}>')
        if character == ',' and depth == 0:
            parts.append('')
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def program_around(file, parameters):
    """A program that calls the file's launches."""
    integers = iter(range(1, 100))
    arguments = [f'Buffer()' if '*' in parameter else f'atoll(argv[{next(integers)}])' for parameter in parameters]
    return f'''#include "{file}"
#include <cuda_runtime.h>
#include <stdlib.h>
#include <sys/mman.h>
namespace {{
struct Buffer {{
  template <typename T> operator T *() const {{
    void *p = mmap(nullptr, {ROOM}ull, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED || cudaHostRegister(p, {ROOM}ull, cudaHostRegisterMapped) != cudaSuccess)
      exit(3);
    return (T *)((char *)p + {ROOM // 2}ull);
  }}
}};
}}
int main(int, char **argv) {{
  (void)argv;
  launches({', '.join(arguments)});
  return cudaDeviceSynchronize() != cudaSuccess;
}}
'''


def problems_of(comparison, file, source, with_sizes):
    for entry in comparison['accesses']:
        if entry['file'] != file:
            continue
        where = f"{file}:{entry['line']}:{entry['column']}: {entry['space']} {entry['operation']} {entry['expression']}: "
        said = (re.search(r'// EXPECT:(.*)', source[entry['line'] - 1]) or ['', ''])[1]
        verdict = entry['verdict']
        if verdict in FAULTS:
            yield where + verdict + ': ' + entry['difference'] + (f" {entry['assumptions']}" if entry['assumptions'] else '')
        elif verdict == 'unknown' and 'unknown' not in said:
            yield where + 'unknown: ' + entry.get('reason', '')
        elif entry.get('confidence') == 'assumed' and not with_sizes and 'assumed' not in said and 'unknown' not in said:
            yield where + f"only assumed: {entry['assumptions']}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--replay', required=True)
    parser.add_argument('--no-cuda', action='store_true')
    parser.add_argument('file')
    args = parser.parse_args()
    file = os.path.realpath(args.file)
    with open(file, encoding='utf-8') as opened:
        text = opened.read()
    source = text.splitlines()
    with tempfile.TemporaryDirectory() as folder:
        program, trials = file, [{}]
        if not re.search(r'\bmain\s*\(', text):
            parameters = split_arguments(re.search(r'void launches\((.*?)\)', text, re.S)[1])
            program = os.path.join(folder, 'program.cu')
            with open(program, 'w', encoding='utf-8') as out:
                out.write(program_around(file, parameters))
            names = [re.split(r'\W', parameter)[-1] for parameter in parameters if '*' not in parameter]
            sizes = [dict(item.split('=') for item in line.split()) for line in re.findall(r'^// SIZES: (.*)$', text, re.M)]
            if names and not sizes:
                sys.exit(f'{file}: no line of `// SIZES:` says what {names} are')
            trials = [{name: trial[name] for name in names} for trial in sizes] or [{}]
        problems, counts = [], collections.Counter()
        for trial in trials:
            command = [args.replay, '--compare', '--format=json'] + ['--no-cuda'] * args.no_cuda
            run = subprocess.run(command + [program, '--', *trial.values()], capture_output=True, text=True, timeout=600, check=False)
            if not run.stdout or run.returncode == 2:
                sys.exit(f'{run.stderr}\nthe program could not be replayed (status {run.returncode})')
            report = json.loads(run.stdout)
            problems += [f"{e['file']}:{e['line']}: {e['kind']}: {e['message']}" for e in report['errors']]
            if report['program']['status']:
                problems.append(f"the program exited with status {report['program']['status']}")
            comparison = report['comparison']
            where = ' with ' + ' '.join(f'{name}={value}' for name, value in trial.items()) if trial else ''
            problems += [problem + where for problem in problems_of(comparison, file, source, bool(trial))]
            problems += [f'{file}: the analysis has no {missing}{where}' for missing in comparison['notAnalysed']]
            counts.update(comparison['counts'])
    for problem in problems:
        print(problem)
    print(f'{dict(counts)}, {len(problems)} problems')
    return 1 if problems or not counts else 0


if __name__ == '__main__':
    sys.exit(main())
