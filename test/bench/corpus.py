#!/usr/bin/env python3
"""What becomes of the files of a code base: how many are analysed whole, in part, not at all, and what stood in the way.

    test/bench/corpus.py [--tool build/bin/warplint] [--every N] [-j N] [--list] FOLDER_OR_FILE... [-- compiler flags]

Every .cu file below the folders is run by itself ('{dir}' in a flag is the file's folder), so that a crash is the
file's own. A kernel that is left out because of errors is named by the tool; that is what "partly" and "none" count.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LEFT_OUT = re.compile(r"^kernel '.*' is not analysed")
KINDS = (
    ('a header is missing', re.compile(r'file not found')),
    ('a name or member is not declared', re.compile(r'undeclared|unknown type name|no member named|no type named|no template named|does not name')),
    ('no function fits a call', re.compile(r'no matching|no viable|too (many|few) arguments|candidate')),
    ('host code in device code or the reverse', re.compile(r'reference to __|host function|device function|__device__|__host__|__global__')),
    ('ambiguous or defined twice', re.compile(r'ambiguous|redefinition|redeclar|conflicting|different')),
    ('#error or static_assert', re.compile(r'static assertion|static_assert|^"|#error')),
    ('time or size limit', re.compile(r'limit|too large|seconds')),
    ('the analysis crashed', re.compile(r'crash|signal|overflow')),
)


def sources(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
        for folder, _, names in sorted(os.walk(path)):
            for name in sorted(names):
                if name.endswith('.cu'):
                    yield os.path.join(folder, name)


def analyse(tool, file, flags):
    command = [tool, '--quiet', '--format=json', file, '--', *(flag.replace('{dir}', os.path.dirname(file)) for flag in flags)]
    try:
        run = subprocess.run(command, capture_output=True, timeout=900, check=False)
        report = json.loads(run.stdout) if run.stdout else None
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        run, report = None, None
    return file, run.returncode if run else None, report


def outcome(file, status, report):
    if report is None or status is None or status < 0:
        return 'crashed'
    left_out = sum(bool(LEFT_OUT.match(error['message'])) for error in report['errors'])
    if report['kernels']:
        return 'partly' if left_out else 'all'
    if left_out or status == 2:
        return 'none'
    return 'no kernel'  # defined, or instantiated


def kind(message):
    return next((name for name, pattern in KINDS if pattern.search(message)), 'other')


def main():
    arguments, flags = sys.argv[1:], []
    if '--' in arguments:
        at = arguments.index('--')
        arguments, flags = arguments[:at], arguments[at + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--tool', default=os.path.join(ROOT, 'build', 'bin', 'warplint'))
    parser.add_argument('--every', type=int, default=1, help='only every Nth file')
    parser.add_argument('-j', type=int, default=os.cpu_count())
    parser.add_argument('--list', action='store_true', help='name the files that are not analysed whole, with their first error')
    parser.add_argument('paths', nargs='+')
    options = parser.parse_args(arguments)

    files = list(sources(options.paths))[::options.every]
    outcomes, errors, files_with, numbers = collections.Counter(), collections.Counter(), collections.Counter(), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for file, status, report in pool.map(lambda file: analyse(options.tool, file, flags), files):
            result = outcome(file, status, report)
            outcomes[result] += 1
            kinds = collections.Counter()
            for error in (report or {}).get('errors', []):
                if LEFT_OUT.match(error['message']):
                    numbers['left out'] += 1
                else:
                    kinds[kind(error['message'])] += 1
            errors.update(kinds)
            files_with.update(kinds.keys())
            if report:
                for key in ('kernels', 'accesses', 'exact', 'assumed', 'unknown', 'findings'):
                    numbers[key] += report['summary'][key]
            if options.list and result in ('partly', 'none', 'crashed'):
                first = next((e['message'] for e in (report or {}).get('errors', []) if not LEFT_OUT.match(e['message'])), '')
                print(f'{result:8} {file}: {first[:150]}', flush=True)

    print(f'{len(files)} files: ' + ', '.join(f'{outcomes[key]} {key}' for key in ('all', 'partly', 'none', 'no kernel', 'crashed')))
    print(f"{numbers['kernels']} kernel instances analysed, {numbers['left out']} kernels left out; {numbers['accesses']} accesses: "
          f"{numbers['exact']} exact, {numbers['assumed']} assumed, {numbers['unknown']} unknown; {numbers['findings']} findings")
    for name, count in errors.most_common():
        print(f'{count:7} errors in {files_with[name]:4} files: {name}')


if __name__ == '__main__':
    main()
