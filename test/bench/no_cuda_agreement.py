#!/usr/bin/env python3
"""How much of what warplint reports with a CUDA toolkit it reports the same without one (--no-cuda).

usage: no_cuda_agreement.py WARPLINT FILE_OR_DIR... [-- compiler flags]
Prints per file how many of the accesses agree and why others do not, and the share over all files. An access agrees when
kernel, place, operation, instruction, space, width, confidence, offset and counts are the same. Kernels in the toolkit's
own headers (Thrust's and CUB's) cannot be there without it: the share is printed with them and without. Needs a toolkit,
in $CUDA_PATH or /usr/local/cuda.
"""
import collections
import json
import os
import subprocess
import sys

TOOLKIT = os.path.realpath(os.environ.get('CUDA_PATH', '/usr/local/cuda')) + os.sep
PLACE = ('line', 'column', 'operation')
REST = ('instruction', 'space', 'width', 'confidence', 'offset', 'lines', 'sectors', 'idealSectors', 'bankConflicts', 'ways',
        'wavefronts', 'idealWavefronts', 'total')


def report(tool, file, options, flags):
    done = subprocess.run([tool, '--format=json', '--quiet', *options, file, *flags], capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {'kernels': [], 'errors': [{'message': 'no report: ' + done.stderr.strip()[-200:]}]}


def accesses(result):
    """Kernel and access by place; several accesses may share one."""
    found = collections.defaultdict(list)
    for kernel in result['kernels']:
        for access in kernel['accesses']:
            key = (kernel['name'], kernel['line'], str(kernel['block']), access['file']) + tuple(access[k] for k in PLACE)
            found[key].append(tuple((k, json.dumps(access.get(k))) for k in REST))
    return found


def differences(expected, got):
    """Pairs (agreed, causes) of the accesses at one place."""
    left = list(got)
    agreed, causes = 0, []
    for access in expected:
        if access in left:
            left.remove(access)
            agreed += 1
    for access in [a for a in expected if a not in got][:len(expected) - agreed]:
        if not left:
            causes.append('not there')
            continue
        other = left.pop()
        name, mine, theirs = next((k, v, w) for (k, v), (_, w) in zip(access, other) if v != w)
        causes.append(f'{name} {mine} became {theirs}' if len(mine + theirs) < 90 else f'{name} differs')
    causes += ['not there'] * (len(expected) - agreed - len(causes))
    return agreed, causes


def of_toolkit(kernel):
    return os.path.realpath(kernel['file']).startswith(TOOLKIT)


def compare(tool, file, flags):
    expected, got = report(tool, file, [], flags), report(tool, file, ['--no-cuda'], flags)
    libraries = sum(len(k['accesses']) for k in expected['kernels'] if of_toolkit(k))
    expected['kernels'] = [k for k in expected['kernels'] if not of_toolkit(k)]
    mine, theirs = accesses(expected), accesses(got)
    total = agreed = 0
    causes = collections.Counter()
    kernels = {k['name'] for k in got['kernels']}
    for key, entries in mine.items():
        total += len(entries)
        if key[0] not in kernels:
            causes[f'kernel {key[0]} is missing'] += len(entries)
            continue
        same, why = differences(entries, theirs.get(key, []))
        agreed += same
        causes.update(why)
    known = {e['message'] for e in expected['errors']}
    errors = [e['message'] for e in got['errors'] if e['message'] not in known]
    return agreed, total, libraries, causes, errors


def main():
    arguments, flags = sys.argv[1:], ['--']
    if '--' in arguments:
        flags = arguments[arguments.index('--'):]
        arguments = arguments[:arguments.index('--')]
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    tool, files = arguments[0], []
    for path in arguments[1:]:
        if os.path.isdir(path):
            files += sorted(os.path.join(d, f) for d, _, names in os.walk(path) for f in names if f.endswith('.cu'))
        else:
            files.append(path)
    agreed = total = libraries = 0
    for file in files:
        same, of, theirs, causes, errors = compare(tool, file, flags)
        agreed, total, libraries = agreed + same, total + of, libraries + theirs
        print(f'{same:6} of {of:6}  {file}', flush=True)
        if theirs:
            print(f'{"":18}{theirs} in kernels of the toolkit')
        for cause, count in causes.most_common(5):
            print(f'{"":18}{count} x {cause}')
        for error in errors[:5]:
            print(f'{"":18}error: {error}')
    if total:
        print(f'{agreed} of {total} accesses agree: {100 * agreed / total:.1f} %; of all {total + libraries}, kernels of the '
              f"toolkit's headers among them: {100 * agreed / (total + libraries):.1f} %")
    return 0


if __name__ == '__main__':
    sys.exit(main())
