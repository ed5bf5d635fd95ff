#!/usr/bin/env python3
"""Random kernels: the analysis against what replay measures. Prints a minimal kernel for each difference.

usage: random_test.py --tool WARPLINT-REPLAY [--count N] [--seed S] [--per-program N] [--no-cuda] [--keep DIR]

Kernel K of seed S is the same on every machine. A difference is an access that the analysis calls exact with numbers that are not
those of the run, or that happened and is not in the report. Exit status 1 when there is one; the programs are kept under --keep.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import kernels

FAULTS = ('exact-wrong', 'assumed-wrong', 'missing')


class Failed(Exception):
    """The tool could not do its job; the text is what it said."""


def compare(args, made, folder):
    """The comparison of a program of these kernels: its parts that are faults, and all counts."""
    path = os.path.join(folder, 'kernels.cu')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(kernels.program(made))
    run = subprocess.run([args.tool, '--compare', '--format=json'] + (['--no-cuda'] if args.no_cuda else []) + [path],
                         capture_output=True, text=True, errors='replace')
    try:
        report = json.loads(run.stdout)
    except ValueError:
        report = None
    if report is None or report['errors'] or len(report['kernels']) != len(made):
        raise Failed(f'{path}: status {run.returncode}\n{run.stderr[-3000:]}')
    comparison = report['comparison']
    if comparison['notAnalysed']:
        raise Failed(f"{path}: run, and not analysed: {comparison['notAnalysed']}")
    return [each for each in comparison['accesses'] if each['verdict'] in FAULTS], comparison['counts']


def report_fault(args, kernel, fault, folder):
    def fails(candidate):
        try:
            faults, _ = compare(args, [candidate], folder)
        except Failed:
            return False
        return any(each['verdict'] == fault['verdict'] for each in faults)

    smaller = kernels.shrunk(kernel, fails)
    faults, _ = compare(args, [smaller], folder)
    print(f"{fault['verdict']}: {fault['difference']}")
    print(kernels.program([smaller]))
    for each in faults:
        print(f"line {each['line']}: {each['verdict']}: {each['difference']}")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('--tool', required=True)
    parser.add_argument('--count', type=int, default=100)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--per-program', type=int, default=50)
    parser.add_argument('--no-cuda', action='store_true')
    parser.add_argument('--keep')
    args = parser.parse_args()
    bad, counts = 0, {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or temporary
        os.makedirs(folder, exist_ok=True)
        for first in range(0, args.count, args.per_program):
            numbers = range(first, min(first + args.per_program, args.count))
            made = [kernels.Generator(args.seed * 1000003 + n).kernel(f'k{n}') for n in numbers]
            faults, summary = compare(args, made, folder)
            for key, value in summary.items():
                counts[key] = counts.get(key, 0) + value
            for kernel in made:
                mine = [each for each in faults if each['kernel'].split('(')[0] == kernel.name]
                if mine:
                    bad += 1
                    report_fault(args, kernel, mine[0], folder)
    print(f'{args.count} kernels of seed {args.seed}: {bad} with a difference; accesses: '
          + ', '.join(f'{key} {value}' for key, value in counts.items() if value))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
