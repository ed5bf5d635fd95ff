#!/usr/bin/env python3
"""How much time warplint spends after Clang's parse, as a share of the parse, measured side by side in each run.

usage: analysis_share.py WARPLINT [-n RUNS] FILE_OR_DIR... [-- compiler flags]
Prints a line per file (median of RUNS) and the share over all files. Nothing is asserted: machines differ, ratios less.
"""
import os
import re
import statistics
import subprocess
import sys


def main():
    arguments = sys.argv[1:]
    flags = []
    if '--' in arguments:
        flags = arguments[arguments.index('--'):]
        arguments = arguments[:arguments.index('--')]
    runs = 3
    if '-n' in arguments:
        at = arguments.index('-n')
        runs = int(arguments[at + 1])
        del arguments[at:at + 2]
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    tool, files = arguments[0], []
    for path in arguments[1:]:
        if os.path.isdir(path):
            files += sorted(os.path.join(path, f) for f in os.listdir(path) if f.endswith('.cu'))
        else:
            files.append(path)
    parse_sum = analysis_sum = 0.0
    for file in files:
        samples = []
        for _ in range(runs):
            done = subprocess.run([tool, '--format=json', f'--output={os.devnull}', file, *flags], capture_output=True,
                                  text=True, env={**os.environ, 'WARPLINT_TIMES': '1'})
            match = re.search(r'parse ([\d.]+) s, analysis ([\d.]+) s', done.stderr)
            if match:
                samples.append((float(match[1]), float(match[2])))
        if not samples:
            print(f'{"-":>8} {"-":>8} {"-":>7}  {file}')
            continue
        parse = statistics.median(p for p, _ in samples)
        analysis = statistics.median(a for _, a in samples)
        parse_sum += parse
        analysis_sum += analysis
        print(f'{parse:8.3f} {analysis:8.3f} {100 * analysis / parse:6.1f} %  {file}')
    if parse_sum:
        print(f'{parse_sum:8.3f} {analysis_sum:8.3f} {100 * analysis_sum / parse_sum:6.1f} %  all '
              '(seconds of parse, seconds after it, share)')
    return 0


if __name__ == '__main__':
    sys.exit(main())
