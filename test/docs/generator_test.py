#!/usr/bin/env python3
"""The generator on a small tree: what it writes, and that what is stale is told of, with the remedy, and mended."""
import os
import subprocess
import sys

import documentation
from documentation import ROOT, DocumentationTest
from harness import STRIDE

PAGE = '''# Page

By hand: 2 sectors.

<!-- generated: console -->
```console
$ warplint --quiet k.cu | head -1
$ warplint --fix --quiet missing.cu; echo "status $?" >status.txt; pwd
$ cat status.txt
old output
```
<!-- end -->

<!-- generated: file k.cu -->
<!-- end -->

<!-- generated: check-options -->
<!-- end -->
'''


class GeneratorTest(DocumentationTest):
    def setUp(self):
        super().setUp()
        self.write('README.md', '# Read me\n\n<!-- generated: checks -->\n<!-- end -->\n')
        self.write('docs/page.md', PAGE)
        self.write('docs/examples/k.cu', STRIDE)

    def generate(self, *options, status=0):
        run = subprocess.run([sys.executable, os.path.join(ROOT, 'tools', 'docs', 'generate.py'), '--warplint', documentation.harness.TOOL,
                              '--replay', documentation.REPLAY, '--root', self.folder, *options],
                             capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(run.returncode, status, run.stderr)
        return run.stderr

    def test_console(self):
        self.generate()
        lines = self.read('docs/page.md').splitlines()
        at = lines.index('$ warplint --quiet k.cu | head -1')
        self.assertIn('k.cu:2:22: warning', lines[at + 1])
        self.assertIn('missing.cu', lines[at + 3])
        self.assertEqual(lines[at + 4], '/home/me/project')
        self.assertEqual(lines[at + 5:at + 7], ['$ cat status.txt', 'status 2'])
        self.assertNotIn('old output', lines)
        self.assertIn('By hand: 2 sectors.', lines)

    def test_other_marks(self):
        self.generate()
        page = self.read('docs/page.md')
        self.assertIn('```cuda\n' + STRIDE + '```\n', page)
        self.assertIn('| [`shared-tile-column`](rules/shared-tile-column.md#options) | `MinWays` (2), ', page)
        self.assertIn('| [`global-gather`](docs/rules/global-gather.md) | off, by impact | none | ', self.read('README.md'))

    def test_rule_page(self):
        self.generate()
        page = self.read('docs/rules/shared-tile-column.md')
        self.assertIn('| on, by impact | by `--fix` |', page)
        self.assertIn('\n## Fix\n', page)
        self.assertIn('| `shared-tile-column.HighImpactWays` | `8` |', page)
        self.assertIn('[shared-bank-conflict](shared-bank-conflict.md)', page.split('## See also')[1])
        self.assertIn('| on, error | none |', self.read('docs/rules/misaligned-vector-cast.md'))

    def test_options(self):
        self.write('docs/page.md', PAGE + '\n`--block=32` is explained here.\n')
        self.generate()
        page = self.read('docs/options.md')
        self.assertRegex(page, r'(?m)^- `--block=<X\[,Y\[,Z\]\]>`: Threads per block, .* \(\[page\]\(page\.md\)\)$')
        self.assertRegex(page, r'(?m)^- `--quiet`: [^\]]*$')  # in a console block alone
        self.assertIn('  - `sarif`: SARIF 2.1.0', page)

    def test_fresh_pages_are_fresh(self):
        self.generate()
        self.assertEqual(self.generate('--check'), '')

    def test_stale_pages_are_told_of_and_mended(self):
        self.generate()
        self.write('docs/page.md', self.read('docs/page.md').replace('8 sectors', '9 sectors'))
        self.write('docs/rules/global-aos.md', self.read('docs/rules/global-aos.md') + 'more\n')
        self.write('docs/rules/global-gone.md', '# global-gone\n')
        os.remove(self.path('docs/options.md'))
        said = self.generate('--check', status=1)
        for line in ('docs/page.md: is stale', 'docs/rules/global-aos.md: is stale', 'docs/options.md: is missing',
                     'docs/rules/global-gone.md: has no check any more', '4 stale; mend with: ninja -C build docs'):
            self.assertIn(line + '\n', said)
        self.generate()
        self.assertEqual(self.generate('--check'), '')
        self.assertIn('8 sectors', self.read('docs/page.md'))
        self.assertFalse(os.path.exists(self.path('docs/rules/global-gone.md')))

    def test_wrong_marks(self):
        self.write('docs/page.md', '<!-- generated: nonsense -->\n<!-- end -->\n')
        self.assertIn('docs/page.md: unknown mark "generated: nonsense"; known are', self.generate(status=1))
        self.write('docs/page.md', '<!-- generated: console -->\n```console\n```\n<!-- end -->\n')
        self.assertIn('docs/page.md: a console block without a command', self.generate(status=1))


if __name__ == '__main__':
    documentation.main()
