"""What the built programs say about themselves: their options, checks, pages and defaults, and what they print on examples."""
import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field

OPTION = re.compile(r'^  (--?[\w-]+)(=<.*?>| <.*?>)? +- (.*)$')
CHOICE = re.compile(r'^    =(\S+) +-   (.*)$')
HOME = '/home/me/project'  # where examples are, on the pages
SECONDS = 300


@dataclass
class Option:
    name: str  # "--block"
    value: str  # "=<X[,Y[,Z]]>", or " <N>"
    text: str
    choices: list = field(default_factory=list)  # (value, text)


@dataclass
class Check:
    name: str
    summary: str
    on: bool
    severity: str  # of its findings, where their impact is not low
    page: str  # Markdown, as --explain prints it
    presets: dict  # "MinWays": "2"

    def section(self, heading):
        found = re.search(rf'^## {heading}\n(.*?)(?=^## |\Z)', self.page, re.M | re.S)
        return found.group(1).strip() if found else ''


def parse_help(text):
    """The groups of LLVM's --help, in their order: [(title, [Option])]."""
    groups, option = [], None
    for line in text.split('\nOPTIONS:\n', 1)[1].splitlines():
        if re.match(r'^\S.*:$', line):
            groups.append((line[:-1], []))
        elif match := OPTION.match(line):
            option = Option(match[1], match[2] or '', match[3])
            groups[-1][1].append(option)
        elif match := CHOICE.match(line):
            option.choices.append((match[1], match[2].strip()))
        elif line.strip() and option:
            option.text += ' ' + line.strip()
    return groups


class Programs:
    """`warplint` and `warplint-replay` at these paths; examples run in copies of the folder `examples`."""

    def __init__(self, warplint, replay, examples):
        self.paths = {'warplint': os.path.abspath(warplint), 'warplint-replay': os.path.abspath(replay)}
        self.examples = examples

    def ask(self, program, *arguments):
        run = subprocess.run([self.paths[program], *arguments], capture_output=True, text=True, timeout=SECONDS, check=False)
        if run.returncode:
            raise RuntimeError(f'{program} {" ".join(arguments)}: exit status {run.returncode}\n{run.stderr}')
        return run.stdout

    def options(self, program, subcommand=None, hidden=False):
        words = [subcommand] if subcommand else []
        return parse_help(self.ask(program, *words, '--help-hidden' if hidden else '--help'))

    def all_options(self):
        """The names of all options, hidden ones too, by the words that they follow."""
        result = {}
        for words in ('warplint', 'warplint merge', 'warplint-replay'):
            result[words] = {option.name for _, options in self.options(*words.split(), hidden=True) for option in options}
        return result

    def presets(self):
        """The options of every check with their presets: {check: {option: preset}}."""
        result = {}
        text = self.ask('warplint', '--config={}', '--dump-config')
        for check, option, value in re.findall(r"^  ([\w-]+)\.(\w+): '(.*)'$", text, re.M):
            result.setdefault(check, {})[option] = value
        return result

    def checks(self):
        """Every check, in the order of the tool's table."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, 'k.cu')
            with open(file, 'w', encoding='utf-8') as out:
                out.write('__global__ void k() {}\n')
            log = json.loads(self.ask('warplint', '--no-cuda', '--config={}', '--format=sarif', file))
        presets, result = self.presets(), []
        for rule in log['runs'][0]['tool']['driver']['rules']:
            usual = rule['defaultConfiguration']
            result.append(Check(rule['id'], rule['shortDescription']['text'], usual['enabled'], usual['level'],
                                self.ask('warplint', f'--explain={rule["id"]}'), presets[rule['id']]))
        return result

    def configuration_keys(self):
        """The keys of .warplint, and those of its Kernels; the tool names them where it refuses another one."""
        return tuple(re.search(r'; expected (.*)', self.refusal(text)).group(1).split(', ')
                     for text in ('{?: 0}', '{Kernels: [{?: 0}]}'))

    def refusal(self, configuration):
        """What the tool says against a configuration; '' where it has nothing to say."""
        run = subprocess.run([self.paths['warplint'], f'--config={configuration}', '--verify-config'],
                             capture_output=True, text=True, timeout=SECONDS, check=False)
        return run.stderr if run.returncode else ''


class Shell:
    """A folder with copies of the examples in which commands run as their readers would run them, one after the other."""

    def __init__(self, programs):
        self.root = tempfile.mkdtemp(prefix='warplint-docs')
        self.folder = os.path.join(self.root, 'project')
        shutil.copytree(programs.examples, self.folder)
        tools = os.path.join(self.root, 'bin')
        os.mkdir(tools)
        for name, path in programs.paths.items():
            # What a page shows must not depend on the toolkit of the machine that made it.
            self.script(os.path.join(tools, name), f'''case " $* " in
*" merge "*) exec '{path}' "$@";;
*) exec '{path}' --no-cuda "$@";;
esac''')
        self.environment = {'PATH': tools + ':' + os.environ['PATH'], 'HOME': self.root, 'LC_ALL': 'C.UTF-8', 'TERM': 'dumb'}
        if 'XDG_CACHE_HOME' in os.environ:
            self.environment['XDG_CACHE_HOME'] = os.environ['XDG_CACHE_HOME']

    @staticmethod
    def script(path, text):
        with open(path, 'w', encoding='utf-8') as file:
            file.write(f'#!/bin/sh\n{text}\n')
        os.chmod(path, 0o755)

    def run(self, command):
        """What a terminal shows."""
        run = subprocess.run(['bash', '-c', command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.folder,
                             env=self.environment, text=True, timeout=SECONDS, check=False)
        return run.stdout.replace(self.folder, HOME)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.root)
