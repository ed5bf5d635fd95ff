#!/usr/bin/env python3
"""Runs warplint on a CUDA file and compares its JSON report with the expectations in the file's comments.

usage: expect.py --tool WARPLINT [--schema SCHEMA] [--no-cuda] FILE

A line's expectations stand in a trailing comment, one per access (or kernel instance), separated by ';':
  // EXPECT: global L transactions S sectors [tags]   an access with these worst-request numbers, and a finding
  // EXPECT: shared K-way [tags]                      an access with this conflict, and a finding
  // EXPECT: clean [tags]                             accesses are reported, and no warning or error
  // EXPECT: clean (global L transactions S sectors)  the same, and these numbers
  // EXPECT: silent [tags]                            accesses are reported, and no finding, not even a note
  // EXPECT: constant N-way                           constant memory with N distinct addresses
  // EXPECT: unknown [tags]                           an access without numbers
  // EXPECT: misaligned-vector (...)                  a finding of misaligned-vector-cast
Tags are free words, except: `benign` needs no finding, and key=value demands that the same access has that JSON value
(rule=NAME, severity=NAME: that the line has a finding of that rule, of that severity; reason=TEXT, assumptions=TEXT, base=TEXT: that it
holds this text, blanks written as _).
A line '// ASSUME: n=34 m=5' gives run-time values; '// OPTIONS: ...' adds options; '// REQUIRES: toolkit' skips the file
where no CUDA toolkit is (exit 77), '// REQUIRES: libraries' with --no-cuda.
Failures too: an exact access with numbers that no expectation of its line has, a warning on a line without expectations, and
an error of the compiler.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys

NUMBERS = re.compile(r'global (\d+) transactions? (\d+) sectors?')
WAYS = re.compile(r'shared (\d+)-way')


def expectations(path):
    found = {}
    for number, line in enumerate(open(path, encoding='utf-8'), 1):
        match = re.search(r'//\s*EXPECT:\s*(.*)$', line)
        if match and not line.lstrip().startswith('//'):
            found[number] = [item.strip() for item in match.group(1).split(';') if item.strip()]
    return found


def tags_of(item):
    match = re.search(r'\[([^\]]*)\]', item)
    words = match.group(1).split() if match else []
    return words, dict(word.split('=', 1) for word in words if '=' in word and word.split('=')[0] in KEYS)


KEYS = {'efficiency', 'sectorEfficiency', 'confidence', 'activeLanes', 'wavefronts', 'idealWavefronts', 'conflictWays',
        'sectors', 'idealSectors', 'distinctAddresses', 'rule', 'severity', 'iterations', 'offset', 'width', 'space', 'operation',
        'instruction', 'removed', 'reason', 'assumptions', 'base'}


def has_values(access, values):
    for key, want in values.items():
        if key in ('rule', 'severity'):
            continue
        got = access.get(key)
        if key in ('reason', 'assumptions', 'base'):  # a part of it, blanks written as _
            if want.replace('_', ' ') not in str(got):
                return False
        elif isinstance(got, (int, float)) and not isinstance(got, bool):
            if abs(float(want) - got) > 1e-9:
                return False
        elif str(got) != want:
            return False
    return True


def check(item, accesses, findings, line_has_problem):
    """An error text, or None."""
    words, values = tags_of(item)
    if 'severity' in values and not any(f['severity'] == values['severity'] for f in findings):
        return f"no finding of severity {values['severity']}, but {[(f['rule'], f['severity']) for f in findings]}"
    loud = [f for f in findings if f['severity'] in ('warning', 'error')]
    numbers, ways = NUMBERS.search(item), WAYS.search(item)
    if 'rule' in values and not any(f['rule'] == values['rule'] for f in findings):
        return f"no finding of {values['rule']}, but {[f['rule'] for f in findings]}"
    if item.startswith('misaligned-vector'):
        return None if any('misaligned-vector' in f['rule'] for f in findings) else 'no misaligned-vector-cast finding'
    if item.startswith('('):
        return None
    if not accesses and '(texture)' not in item:
        return 'no access is reported'
    candidates = [a for a in accesses if has_values(a, values)]
    if item.startswith('unknown'):
        hit = [a for a in candidates if a['confidence'] == 'unknown' and 'lines' not in a and 'wavefronts' not in a]
        return None if hit else 'a number where none can be known'
    constant = re.search(r'constant (\d+)-way', item)
    if constant:
        got = [a.get('distinctAddresses') for a in accesses if a['space'] == 'constant']
        return None if int(constant[1]) in got else f'distinct addresses {got}'
    if numbers:
        want = (int(numbers[1]), int(numbers[2]))
        if not any((a.get('lines'), a.get('sectors')) == want for a in candidates if a['space'] != 'shared'):
            return f"got {[(a.get('lines'), a.get('sectors'), a['confidence'], a.get('reason', '')) for a in accesses]}"
    elif ways:
        if not any(a.get('conflictWays') == int(ways[1]) for a in candidates if a['space'] == 'shared'):
            return f"got {[(a.get('conflictWays'), a['confidence'], a.get('reason', '')) for a in accesses]}"
    elif values and not candidates and '(texture)' not in item:
        shown = [{key: a.get(key) for key in values} for a in accesses]
        return f'got {shown}'
    if item.startswith('silent'):
        return f"false alarm: {findings[0]['rule']}: {findings[0]['message']}" if findings else None
    if item.startswith('clean'):
        return f"false alarm: {loud[0]['rule']}: {loud[0]['message']}" if loud and not line_has_problem else None
    return 'no finding' if not findings and 'benign' not in words else None


def wrong_exact(items, accesses):
    numbers = {(int(a), int(b)) for item in items for a, b in NUMBERS.findall(item)}
    ways = {int(a) for item in items for a in WAYS.findall(item)}
    clean = any(item.startswith('clean') for item in items)
    if any(item.startswith(('misaligned', 'unknown', '(', 'constant')) for item in items):
        return
    for a in accesses:
        if a['confidence'] != 'exact':
            continue
        if a['space'] == 'shared':
            if a['conflictWays'] not in ways and not (a['conflictWays'] == 1 and (clean or not ways)):
                yield f"exact, but wrong: {a['conflictWays']}-way"
        elif 'lines' in a:
            got = (a['lines'], a['sectors'])
            if got not in numbers and not ((clean or not numbers) and a['sectors'] <= a['idealSectors']):
                yield f'exact, but wrong: {got[0]} transactions {got[1]} sectors'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tool', required=True)
    parser.add_argument('--schema')
    parser.add_argument('--no-cuda', action='store_true')
    parser.add_argument('file')
    args = parser.parse_args()
    text = open(args.file, encoding='utf-8').read()
    toolkit = any(os.path.exists(os.path.join(d, 'include', 'cuda_runtime.h'))
                  for d in (os.environ.get('CUDA_PATH', ''), os.environ.get('CUDA_HOME', ''), '/usr/local/cuda') if d)
    if re.search(r'^// REQUIRES: toolkit', text, re.M) and not toolkit:
        print(f'{args.file}: skipped: no CUDA toolkit is installed')
        return 77
    if args.no_cuda and re.search(r'^// REQUIRES: libraries', text, re.M):
        print(f'{args.file}: skipped: the built-in declarations take no place of libraries')
        return 77
    command = [args.tool, '--format=json', '--quiet']
    if args.no_cuda:
        command.append('--no-cuda')
    for match in re.finditer(r'^// ASSUME: (.*)$', text, re.M):
        command += [f'--assume={item}' for item in match[1].split()]
    for match in re.finditer(r'^// OPTIONS: (.*)$', text, re.M):
        command += match[1].split()
    run = subprocess.run(command + [args.file], capture_output=True, text=True, timeout=300)
    try:
        report = json.loads(run.stdout)
    except ValueError:
        print(f'{args.file}: no JSON (exit {run.returncode}): {run.stderr.strip()[-400:]}')
        return 1
    problems = [f"{e['file']}:{e['line']}: error: {e['message']}" for e in report['errors']]
    if args.schema:
        import jsonschema
        schema = json.load(open(args.schema))
        for error in jsonschema.Draft7Validator(schema).iter_errors(report):
            problems.append(f"schema: {'/'.join(map(str, error.path))}: {error.message[:200]}")
    name = os.path.basename(args.file)
    accesses, findings = collections.defaultdict(list), collections.defaultdict(list)
    for kernel in report['kernels']:
        for access in kernel['accesses']:
            if os.path.basename(access['file']) == name:
                accesses[access['line']].append(access)
    for finding in report['findings']:
        if os.path.basename(finding['file']) == name:
            findings[finding['line']].append(finding)
    expected = expectations(args.file)
    for line, items in sorted(expected.items()):
        problems += [f'{line}: {text}; expected {items}' for text in wrong_exact(items, accesses[line])]
        has_problem = any(not item.startswith('clean') for item in items)
        for item in items:
            error = check(item, accesses[line], findings[line], has_problem)
            if error:
                problems.append(f'{line}: {item}: {error}')
    for line in findings:
        for finding in findings[line]:
            if line not in expected and finding['severity'] in ('warning', 'error'):
                problems.append(f"{line}: unexpected {finding['rule']}: {finding['message']}")
    for problem in problems:
        print(f'{args.file}:{problem}' if problem[0].isdigit() else problem)
    print(f'{sum(map(len, expected.values()))} expectations, {len(problems)} problems')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
