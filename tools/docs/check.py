#!/usr/bin/env python3
"""Looks for what pages say and is not so: links that lead nowhere, options, checks and configuration keys that do not exist.

Each function takes texts by their names and returns problems, "FILE:LINE: what is wrong". Run as a program it looks at
README.md, docs/, and what is handed out with them.
"""
import argparse
import fnmatch
import os
import re
import sys

import generate
from pages import anchor
from programs import Programs

# Programs whose options are theirs, by a command's first word; in front of ours they only run it.
OTHERS = {'apt-get', 'bear', 'clang', 'clang-tidy', 'clang-tidy-22', 'cmake', 'cpack', 'ctest', 'curl', 'git', 'grep', 'make', 'ncu',
          'ninja', 'nvcc', 'pre-commit', 'sed', 'sort', 'tools/bootstrap', 'uniq'}
# Options of other programs that pages name without their program.
THEIRS = {
    '--build', '--target', '--install', '--prefix',  # cmake
    '--build-only', '--readings', '--test', '--help',  # scripts of the sources
    '--cuda-device-only', '--cuda-feature', '--cuda-gpu-arch', '--cuda-host-only',  # clang
    '--load',  # clang-tidy
    '--resource-usage',  # nvcc
}
TEXTS = ('.md', '.yml', '.yaml', '.cmake', '.txt', '.in')


def shipped(root):
    """Everything that users read and copy, by its path from the root."""
    names = ['README.md', '.pre-commit-hooks.yaml']
    for folder in ('docs', 'ci', 'examples', 'cmake/package'):
        for place, _, files in os.walk(os.path.join(root, folder)):
            names += [os.path.relpath(os.path.join(place, file), root) for file in files if file.endswith(TEXTS)]
    texts = {}
    for name in sorted(names):
        with open(os.path.join(root, name), encoding='utf-8') as file:
            texts[name] = file.read()
    return texts


def pages_of(texts):
    return {name: text for name, text in texts.items() if name.endswith('.md')}


def place(name, text, at):
    return f'{name}:{text.count(chr(10), 0, at) + 1}'


FENCE = re.compile(r'^```.*?^```', re.M | re.S)


def without_fences(text):
    """Blanks in place of blocks of code, so that places stay."""
    return FENCE.sub(lambda match: re.sub(r'[^\n]', ' ', match[0]), text)


def anchors(text):
    result, seen = set(), {}
    for heading in re.findall(r'^#+ (.*)$', without_fences(text), re.M):
        name = anchor(heading)
        count = seen[name] = seen.get(name, -1) + 1
        result.add(f'{name}-{count}' if count else name)
    return result


def dead_links(texts, root):
    """Relative links to files that are not there, and to headings that are not on their page."""
    problems = []
    for name, text in pages_of(texts).items():
        for match in re.finditer(r'\]\(([^)\s]+)\)', without_fences(text)):
            target, _, heading = match[1].partition('#')
            if re.match(r'https?:', match[1]):
                continue
            path = os.path.normpath(os.path.join(os.path.dirname(name), target)) if target else name
            if path not in texts and not os.path.exists(os.path.join(root, path)):
                problems.append(f'{place(name, text, match.start())}: dead link: {match[1]}')
            elif heading and heading not in anchors(texts.get(path, '')):
                problems.append(f'{place(name, text, match.start())}: no such heading: {match[1]}')
    return problems


def commands(text):
    """Pieces of code as (place, piece): code in lines, and lines of code blocks up to what a shell takes for the end of a command."""
    prose = without_fences(text)
    for match in re.finditer(r'`([^`\n]+)`', prose):
        yield match.start(1), match[1]
    for block in [*FENCE.finditer(text), *re.finditer(r'^(?: {4}.*\n)+', prose, re.M)]:
        for match in re.finditer(r'[^\n|;&]+', re.sub(r'\\\n', '  ', block[0])):
            yield block.start() + match.start(), match[0]


def program_of(piece, known):
    """Whose options a command has: ours, or None for another program's."""
    words = re.sub(r'^\s*(\$ |- run: |- |entry: )?', '', piece).strip('\'" ').split()
    words = [word for word in words if not re.match(r'\w+=', word)] or ['']
    program = os.path.basename(words[0]) if words[0] != 'tools/bootstrap' else words[0]
    if program == 'warplint' and len(words) > 1 and words[1] == 'merge':
        return 'warplint merge'
    return program if program in known else None if program in OTHERS else ''


def missing_options(texts, known):
    """Options of ours that do not exist. What follows a blank and `--` is a compiler's or a program's."""
    everything = set().union(*known.values()) | THEIRS
    problems = []
    for name, text in texts.items():
        pieces = commands(text) if name.endswith('.md') else ((m.start(), m[0]) for m in re.finditer(r'[^\n|;&]+', text))
        for at, piece in pieces:
            program = program_of(piece, known)
            if program is None:
                continue
            # The command that --launcher runs, and what comes after --, have options of their own.
            own = re.split(r' -- |--launcher +(?=[a-z])', piece)[0]
            for option in re.findall(r'(?<![\w-])--[a-z][a-z0-9-]*', own):
                if option not in (known.get(program) or everything):
                    who = f'{program} has no' if program else 'no program has an'
                    problems.append(f'{place(name, text, at)}: {who} option {option}')
    return problems


def missing_checks(texts, checks):
    """Names of checks, and globs of them, that match none."""
    kinds = '|'.join(sorted({check.split('-')[0] for check in checks}))
    problems = []
    for name, text in texts.items():
        found = [(m.start(1), m[1]) for m in re.finditer(rf'(?<![\w/#-])((?:{kinds})-[a-z-]*[a-z*])(?=[`\'",)\].: ])(?!\.[a-z])', text)]
        for option in re.finditer(r'(?:--(?:checks|warnings-as-errors|explain)=|NOLINT(?:NEXTLINE|BEGIN|END)?\()[\'"]?([\w,*-]+)', text):
            found += [(option.start(1), word.removeprefix('-').removeprefix('warplint-')) for word in option[1].split(',')
                      if re.search(r'[a-z]', word)]
        problems += [f'{place(name, text, at)}: there is no check {word}' for at, word in found if not fnmatch.filter(checks, word)]
    return problems


def yaml_blocks(text):
    """(place, file that it is for, content)"""
    return [(match.start(), match[1].strip(), match[2]) for match in re.finditer(r'^```yaml([^\n]*)\n(.*?)^```', text, re.M | re.S)]


def wrong_configurations(texts, programs, tidy_options=None):
    """Blocks of .warplint that the tool refuses, and options in .clang-tidy that are not read."""
    presets = {f'{check}.{option}' for check, options in programs.presets().items() for option in options}
    problems = []
    for name, text in pages_of(texts).items():
        for at, file, content in yaml_blocks(text):
            where = place(name, text, at)
            if not file:
                problems.append(f'{where}: say after "yaml" which file this belongs into')
            elif file == '.warplint':
                if refusal := programs.refusal(content):
                    problems.append(f'{where}: {refusal.strip()}')
            elif file == '.clang-tidy':
                for option in re.findall(r'^  warplint[-.]([\w.-]+):', content, re.M):
                    if option not in presets and option not in (tidy_options or ()):
                        problems.append(f'{where}: the module reads no option {option}')
    return problems


def check_all(root, programs):
    texts = shipped(root)
    with open(os.path.join(root, 'tools', 'tidy', 'TidyModule.cpp'), encoding='utf-8') as module:
        tidy_options = set(re.findall(r'"(?:warplint\.)?([A-Z]\w+)"', module.read()))
    return [*dead_links(texts, root), *missing_options(texts, programs.all_options()),
            *missing_checks(texts, list(programs.presets())), *wrong_configurations(texts, programs, tidy_options)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--warplint', required=True, help='the built tool')
    parser.add_argument('--replay', required=True, help='the built warplint-replay')
    arguments = parser.parse_args()
    programs = Programs(arguments.warplint, arguments.replay, os.path.join(generate.ROOT, 'docs', 'examples'))
    problems = check_all(generate.ROOT, programs)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
