#!/usr/bin/env python3
"""How much of the accesses of a code base gets a number, and why the rest does not.

    test/bench/reasons.py [--tool build/bin/warplint] [--every N] [-j N] [--top N] [--keep REASON] FOLDER_OR_FILE... [-- compiler flags]

Prints the share of exact, assumed and unknown accesses, the same share among the accesses whose index does not come from
memory, and the most frequent reasons, with names and numbers taken out. --keep prints the accesses whose reason holds that text.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import sys

from corpus import ROOT, analyse, sources

# What only a run could tell: the index, or the pointer itself, is read from memory or made from what was read.
FROM_MEMORY = re.compile(r'read from memory|old value of the atomic|other lanes hold|depends on data')


def normalised(reason):
    """The reason without what is particular to its place."""
    reason = re.sub(r"'[^']*'", "'...'", reason)
    reason = re.sub(r'\b(depends on|line|column) [^,;]*?(?=,|;|$| was| ends| depends| holds)', r'\1 ...', reason)
    return re.sub(r'\d+(:\d+)?', 'N', reason)


def share(part, whole):
    return f'{part:7} ({100 * part / whole:5.1f} %)' if whole else f'{part:7}'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--tool', default=os.path.join(ROOT, 'build', 'bin', 'warplint'))
    parser.add_argument('--every', type=int, default=1, help='only every Nth file')
    parser.add_argument('-j', type=int, default=os.cpu_count())
    parser.add_argument('--top', type=int, default=15, help='how many reasons to print')
    parser.add_argument('--keep', help='print the accesses whose reason holds this text')
    parser.add_argument('paths', nargs='+')
    arguments, flags = sys.argv[1:], []
    if '--' in arguments:
        at = arguments.index('--')
        arguments, flags = arguments[:at], arguments[at + 1:]
    options = parser.parse_args(arguments)

    files = list(sources(options.paths))[::options.every]
    confidence, reasons, example = collections.Counter(), collections.Counter(), {}
    from_memory = 0
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for file, _, report in pool.map(lambda file: analyse(options.tool, file, flags), files):
            for kernel in (report or {}).get('kernels', []):
                for access in kernel['accesses']:
                    confidence[access['confidence']] += 1
                    if access['confidence'] != 'unknown':
                        continue
                    reason = access['reason']
                    from_memory += bool(FROM_MEMORY.search(reason))
                    key = normalised(reason)
                    reasons[key] += 1
                    place = f"{access['file']}:{access['line']}:{access['column']}"
                    example.setdefault(key, f"{place}: {access.get('expression', '')}")
                    if options.keep and options.keep in reason:
                        print(f"{place}: {access.get('expression', '')}: {reason}")

    total = sum(confidence.values())
    others = total - from_memory
    print(f'{len(files)} files, {total} accesses')
    for name in ('exact', 'assumed', 'unknown'):
        count = confidence[name]
        rest = count - from_memory if name == 'unknown' else count
        print(f'  {name:8}{share(count, total)}   without those whose index comes from memory{share(rest, others)}')
    for reason, count in reasons.most_common(options.top):
        print(f'{share(count, total)}  {reason[:170]}\n{"":20}{example[reason][:150]}')


if __name__ == '__main__':
    main()
