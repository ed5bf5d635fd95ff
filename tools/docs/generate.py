#!/usr/bin/env python3
"""Writes the generated pages of docs/, and the marked parts of README.md and the other pages. `ninja -C build docs` runs it.

Other options: --check changes nothing and tells what is stale.
"""
import argparse
import os
import sys

import pages
from programs import Programs

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def write(written, root):
    for name, text in written.items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
    for problem in pages.stale(written, root):  # only those that are not written any more are left
        os.remove(os.path.join(root, problem.split(':')[0]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--warplint', required=True, help='the built tool')
    parser.add_argument('--replay', required=True, help='the built warplint-replay')
    parser.add_argument('--root', default=ROOT, help='where README.md and docs/ are; default: beside this script')
    parser.add_argument('--check', action='store_true', help='change nothing; exit status 1 where a page is stale')
    arguments = parser.parse_args()
    programs = Programs(arguments.warplint, arguments.replay, os.path.join(arguments.root, 'docs', 'examples'))
    written = pages.Generator(programs, arguments.root).generate()
    if not arguments.check:
        write(written, arguments.root)
        return 0
    problems = pages.stale(written, arguments.root)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        print(f'{len(problems)} stale; mend with: {pages.REMEDY}', file=sys.stderr)
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
