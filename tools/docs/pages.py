"""The pages of docs/ that are written from what the programs say, and the marked parts of those that people write."""
import json
import os
import re

from programs import Shell

REMEDY = 'ninja -C build docs'
NOTICE = f'<!-- Written by `{REMEDY}`; change {{source}} instead. -->\n'
# <!-- generated: KIND ARGUMENTS -->, what is generated, <!-- end -->
MARKED = re.compile(r'^<!-- generated: (\S+)(?: ([^\n]*))? -->\n(.*?)^<!-- end -->$', re.M | re.S)
COMMAND = re.compile(r'^\$ (.*)\n', re.M)
LANGUAGES = {'.cu': 'cuda', '.py': 'python'}
CONCEPTS = {  # what a check's page needs, by the first word of its name
    'global': 'global-memory', 'shared': 'shared-memory', 'misaligned': 'alignment', 'constant': 'constant-memory',
    'local': 'local-memory', 'atomic': 'atomics', 'launch': 'warps-and-requests', 'kernel': 'roofline', 'cost': 'ideal-and-efficiency'}


def fenced(text, language=''):
    return f'```{language}\n{text.rstrip()}\n```\n'


def anchor(heading):
    """As GitHub, GitLab and most others make it of a heading."""
    return re.sub(r'[^\w\- ]', '', heading.strip().lower()).replace(' ', '-')


def rule_file(name):
    return 'rules/' + ''.join(word.capitalize() for word in name.split('-')) + '.cpp'


def default_of(check):
    """Warnings are what becomes notes where little is lost."""
    return f'{"on" if check.on else "off"}, {"by impact" if check.severity == "warning" else check.severity}'


def fix_of(check):
    """Fixes are told of by a section of the check's own page."""
    return 'by `--fix`' if check.section('Fix') else 'none'


def related(check, checks):
    """The checks that a page names, and those whose pages name it."""
    return [other.name for other in checks
            if other is not check and (f'`{other.name}`' in check.page or f'`{check.name}`' in other.page)]


def rule_page(check, checks):
    title, body = check.page.strip().split('\n', 1)
    options = ''.join(f'| `{check.name}.{option}` | `{value}` |\n' for option, value in check.presets.items())
    links = [f'[{name}]({name}.md)' for name in related(check, checks)]
    if concept := CONCEPTS.get(check.name.split('-')[0]):
        links.append(f'[{concept.replace("-", " ")}](../concepts.md#{concept})')
    links.append('[all checks](README.md)')
    return (NOTICE.format(source=f'the first comment of {rule_file(check.name)}') + f'''{title}

{check.summary}.

| default | fix |
|---|---|
| {default_of(check)} | {fix_of(check)} |
{body.rstrip()}

| option in `.warplint` | preset |
|---|---|
{options}
## See also
{', '.join(links)}
''')


def rule_table(checks, folder=''):
    rows = ''.join(f'| [`{check.name}`]({folder}{check.name}.md) | {default_of(check)} | {fix_of(check)} | {check.summary} |\n'
                   for check in checks)
    return '| check | default | fix | finds |\n|---|---|---|---|\n' + rows


def meaning(value):
    """What the schema says of one key: its description, and what values there are."""
    texts = [value['description'].rstrip('.')] if 'description' in value else []
    if 'enum' in value:
        texts.append(', '.join('null' if each is None else f'`{each}`' for each in value['enum']))
    if 'const' in value:
        texts.append(f'`{json.dumps(value["const"])}`')
    for each in [value, value.get('items', {}), *value.get('anyOf', [])]:
        if '$ref' in each:
            texts.append(('each: ' if each is value.get('items') else '') + each['$ref'].split('/')[-1])
    kind = value.get('type', [])
    if not texts:
        texts.append(kind if isinstance(kind, str) else ' or '.join(kind))
    return '; '.join(texts)


def option_list(groups, mentions):
    text = ''
    for title, options in groups:
        text += f'\n### {"Options" if title == "warplint options" else title}\n\n'
        for option in options:
            pages = ', '.join(f'[{page.removesuffix(".md")}]({page})' for page in mentions(option.name))
            text += f'- `{option.name}{option.value}`: {option.text}' + (f' ({pages})' if pages else '') + '\n'
            text += ''.join(f'  - `{value}`: {meaning}\n' for value, meaning in option.choices)
    return text


def options_page(programs, mentions):
    text = NOTICE.format(source='the options in tools/') + '# Options\n\n'
    text += '''What `--help` prints, with the pages that say more. What a project decides once belongs into
[`.warplint`](configuration.md); the command line wins over it.
'''
    for words in ('warplint', 'warplint merge', 'warplint-replay'):
        text += f'\n## {words}\n' + option_list(programs.options(*words.split()), mentions if words == 'warplint' else lambda _: [])
    return text


class Generator:
    def __init__(self, programs, root):
        self.programs, self.root = programs, root
        self.checks = programs.checks()
        self.kinds = {'console': self.console, 'file': self.file, 'checks': self.check_table, 'check-options': self.check_options,
                      'gpus': self.gpus, 'schema': self.schema}

    def hand_written(self):
        """README.md and what is in docs/ beside the written pages, as {path: text}."""
        names = ['README.md'] + sorted(f'docs/{name}' for name in os.listdir(os.path.join(self.root, 'docs')) if name.endswith('.md'))
        result = {}
        for name in names:
            with open(os.path.join(self.root, name), encoding='utf-8') as file:
                text = file.read()
            if not text.startswith(NOTICE.split('{')[0]):
                result[name] = text
        return result

    def generate(self):
        """Every page that is written here, and every one with marked parts: {path: text}."""
        written = self.hand_written()
        pages = {name: self.fill(name, text) for name, text in written.items()}
        for check in self.checks:
            pages[f'docs/rules/{check.name}.md'] = rule_page(check, self.checks)
        pages['docs/rules/README.md'] = (NOTICE.format(source='rules/') + '''# Checks

`warplint --list-checks` lists them, `warplint --explain=CHECK` prints a page. "On, by impact" means: runs unless it is switched off,
and its findings are warnings where much is lost and [notes](../concepts.md#impact-and-severity) where little is.
[A project's file](../configuration.md) can change both.

''' + rule_table(self.checks))

        def mentions(option):
            """The pages of docs/ that speak of an option; those whose examples use it are no help."""
            found = re.compile(rf'(?<![\w-]){re.escape(option)}(?![\w-])')
            return [os.path.basename(name) for name, text in written.items()
                    if not name.endswith('README.md') and found.search(MARKED.sub('', text))]
        pages['docs/options.md'] = options_page(self.programs, mentions)
        return pages

    def fill(self, name, text):
        with Shell(self.programs) as shell:
            def replace(match):
                kind, arguments, old = match[1], match[2] or '', match[3]
                if kind not in self.kinds:
                    raise RuntimeError(f'{name}: unknown mark "generated: {kind}"; known are {", ".join(self.kinds)}')
                head = match[0].split('\n', 1)[0]
                return f'{head}\n{self.kinds[kind](name, arguments, old, shell)}<!-- end -->'
            return MARKED.sub(replace, text)

    def console(self, name, _arguments, old, shell):
        """The commands are the page's, what they print is theirs."""
        commands = COMMAND.findall(old)
        if not commands:
            raise RuntimeError(f'{name}: a console block without a command ("$ ...")')
        lines = []
        for command in commands:
            lines += [f'$ {command}', *(line.rstrip() for line in shell.run(command).splitlines())]
        return fenced('\n'.join(lines), 'console')

    def file(self, _, arguments, _old, shell):
        with open(os.path.join(shell.folder, arguments), encoding='utf-8') as file:
            return fenced(file.read(), LANGUAGES[os.path.splitext(arguments)[1]])

    def check_table(self, name, *_):
        return rule_table(self.checks, 'docs/rules/' if name == 'README.md' else 'rules/')

    def check_options(self, *_):
        rows = ''.join(f'| [`{check.name}`](rules/{check.name}.md#options) | ' +
                       ', '.join(f'`{option}` ({value})' for option, value in check.presets.items() if option != 'Severity') + ' |\n'
                       for check in self.checks if len(check.presets) > 1)
        return '| check | options (presets) |\n|---|---|\n' + rows

    def schema(self, _, arguments, *_rest):
        """The keys of a part of the JSON report, or of the report itself."""
        with open(os.path.join(self.root, 'analyzer', 'report', 'warplint-report-1.schema.json'), encoding='utf-8') as file:
            schema = json.load(file)
        part = schema if arguments == 'report' else schema['definitions'][arguments]
        rows = ''.join(f'| `{key}` | {meaning(value)} |\n' for key, value in part['properties'].items())
        return '| key | says |\n|---|---|\n' + rows

    def gpus(self, *_):
        return fenced(self.programs.ask('warplint', '--list-gpus'))


def stale(pages, root):
    """The pages that are not as they would be written, and those that would not be written any more."""
    result = []
    for name, text in pages.items():
        path = os.path.join(root, name)
        if not os.path.exists(path):
            result.append(f'{name}: is missing')
        else:
            with open(path, encoding='utf-8') as file:
                if file.read() != text:
                    result.append(f'{name}: is stale')
    folder = os.path.join(root, 'docs', 'rules')
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if f'docs/rules/{name}' not in pages:
            result.append(f'docs/rules/{name}: has no check any more')
    return result
