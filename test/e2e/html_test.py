#!/usr/bin/env python3
"""The HTML report: well-formed, self-contained, and with the numbers of the JSON report."""
import base64
import collections
import hashlib
import re
import xml.etree.ElementTree as ElementTree

import harness
from harness import BROKEN, CLEAN, STRIDE, ToolTest, tile

# Text that would be markup, would run, or would hide what stands there. The file's name has what file names may have.
HOSTILE_NAME = 'a <img src=x onerror=alert(1)> "\'&\u202e.cu'
HOSTILE = '''template <class T, char C> __global__ void stride(T *out, const T *in) {
  out[threadIdx.x] = in[2 * threadIdx.x]; // </script><img src=x onerror=alert(1)> ]]> &amp; \u202e \x1b[31m \xff <!--
}
struct Tag { float x; operator float() const { return x; } };
template __global__ void stride<float, '<'>(float *, const float *);
'''.encode('utf-8').replace('\u00ff'.encode(), b'\xff')

GATHER = '''__global__ void gather(float *out, const float *in, const int *index) {
  out[threadIdx.x] = in[index[threadIdx.x]];
}
void launch(float *out, const float *in, const int *index) { gather<<<8, 256>>>(out, in, index); }
'''


class Page:
    """A parsed report, and what holds for each of them."""

    def __init__(self, test, text):
        self.test, self.text = test, text
        self.root = ElementTree.fromstring(text)  # fails where the page is not well-formed
        self.ids = [e.get('id') for e in self.root.iter() if e.get('id')]
        test.assertEqual([i for i, n in collections.Counter(self.ids).items() if n > 1], [])
        self.by_id = {e.get('id'): e for e in self.root.iter() if e.get('id')}
        self.check_links()
        self.check_policy()

    def check_links(self):
        for element in self.root.iter():
            self.test.assertNotIn(element.tag, {'img', 'iframe', 'link', 'object', 'embed', 'base', 'form', 'use', 'image'})
            for name, value in element.attrib.items():
                self.test.assertFalse(name.startswith('on') or name in {'src', 'style', 'srcdoc', 'action'}, f'{element.tag} {name}')
                if name.endswith('href'):
                    self.test.assertEqual(value[0], '#')
                    self.test.assertIn(value[1:], self.by_id)

    def check_policy(self):
        head = self.root.find('head')
        policy = next(m.get('content') for m in head.iter('meta') if m.get('http-equiv') == 'Content-Security-Policy')
        self.test.assertTrue(policy.startswith("default-src 'none'"))
        self.test.assertNotIn('unsafe', policy)
        for tag in ('style', 'script'):
            element, = self.root.iter(tag)
            digest = base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode()
            self.test.assertIn(f"{tag}-src 'sha256-{digest}'", policy)
            self.test.assertNotRegex(element.text, r'https?:|url\(|@import')
        self.test.assertEqual(self.text.count('</script>'), 1)

    def rows(self, name):
        """Of a table: each row as a dictionary by headings, with the row itself."""
        table = next((t for t in self.root.iter('table') if name in t.get('class', '').split()), None)
        if table is None:
            return []
        headings = [words(h) for h in table.find('thead').iter('th')]
        return [dict(zip(headings, [words(cell) for cell in row])) | {'row': row} for row in table.find('tbody')]

    def findings(self):
        return [d for d in self.root.iter('details') if d.get('class') == 'finding']


def words(element):
    return ' '.join(''.join(element.itertext()).split())


def boxes(svg, name):
    """How many boxes of one colour a picture has."""
    return sum(p.get('d').count('M') for p in svg.iter('path') if p.get('class') == name)


class HtmlTest(ToolTest):
    def page(self, *arguments, status=0, **options):
        return Page(self, self.run_tool('--format=html', *arguments, status=status, **options).stdout)

    def compared(self, *arguments, status=0):
        """The page, after its numbers are found to be those of the JSON report."""
        page, report = self.page(*arguments, status=status), self.report(*arguments, status=status)
        self.compare_accesses(page, report)
        self.compare_findings(page, report)
        self.assertEqual(len(page.rows('kernels')), len(report['kernels']))
        return page, report

    def compare_accesses(self, page, report):
        expected, shown = collections.Counter(), collections.Counter()
        for kernel in report['kernels']:
            for access in kernel['accesses']:
                takes = next((access[key] for key in ('wavefronts', 'sectors', 'distinctAddresses') if key in access), None)
                ideal = 1 if 'distinctAddresses' in access else access.get('idealWavefronts', access.get('idealSectors'))
                expected[f"{access['line']}:{access['column']}", access['expression'], f"{access['space']} {access['operation']}",
                         takes, ideal, access['confidence'], access['removed']] += 1
        for row in page.rows('accesses'):
            access = next(cell for cell in row['row'] if cell.get('data-n'))
            text = row['access'].split(row['reason'])[0] if 'reason' in row else row['access']
            link = row['row'][1].find('a')
            text = words(link) if link is not None else ' '.join((row['row'][1].text or '').split())
            takes = None if row['per request'] == '-' else float(row['per request'].split()[0].replace(',', ''))
            ideal = None if row['ideal'] == '-' else float(row['ideal'])
            shown[':'.join(row['at'].split(':')[-2:]), text, row['memory'], takes, ideal, row['result'].split(',')[0],
                  'removed' in row['result']] += int(access.get('data-n'))
        self.assertEqual(shown, expected)

    def compare_findings(self, page, report):
        shown = collections.Counter()
        for finding in page.findings():
            place = next(e for e in finding.find('summary') if e.get('class') == 'place')
            shown[words(finding.find('summary').find('b')), words(place).split(':', 1)[1]] += 1
        self.assertEqual(shown, collections.Counter((f['message'], f"{f['line']}:{f['column']}") for f in report['findings']))


class Numbers(HtmlTest):
    def test_global(self):
        page, report = self.compared(self.write('a.cu', STRIDE))
        finding, = page.findings()
        picture, = finding.iter('svg') if len(list(finding.iter('svg'))) == 1 else [s for s in finding.iter('svg') if s.get('class') == 'lines']
        read = next(a for a in report['kernels'][0]['accesses'] if a['operation'] == 'load')
        self.assertEqual((boxes(picture, 'w'), boxes(picture, 'u')), (read['sectors'], 32))
        mark, = finding.iter('mark')
        self.assertEqual(words(mark), 'in[2 * threadIdx.x]')
        self.assertEqual(finding.get('open'), 'open')

    def test_shared(self):
        page, report = self.compared(self.write('a.cu', tile()))
        finding = page.findings()[0]
        picture = next(s for s in finding.iter('svg') if s.get('class') == 'banks')
        self.assertEqual((boxes(picture, 'o'), boxes(picture, 'u'), boxes(picture, 'w')), (32, 1, 31))
        self.assertIn('bank 0 has 32 different words to give', words(finding))

    def test_padded_tile_wastes_nothing(self):
        page, _ = self.compared(self.write('a.cu', tile('float tile[32][33]')))
        self.assertEqual(page.findings(), [])
        self.assertIn('nothing to say', words(page.root))
        pictures = [s for s in page.root.iter('svg') if s.get('class') == 'banks']
        self.assertEqual([(boxes(p, 'o'), boxes(p, 'u'), boxes(p, 'w')) for p in pictures], [(1, 32, 0)] * 2)

    def test_unknown_has_its_reason_and_no_picture(self):
        page, _ = self.compared(self.write('a.cu', GATHER))
        row, = [r for r in page.rows('accesses') if r['result'] == 'unknown']
        self.assertIn('memory', row['access'])
        self.assertIsNone(row['row'][1].find('a'))
        self.assertEqual(page.rows('accesses')[-1]['#'], row['#'])  # nothing known of its waste: below the others

    def test_the_most_wasteful_comes_first(self):
        page, _ = self.compared(self.write('a.cu', STRIDE + STRIDE.replace('stride', 'other').replace('2 *', '32 *').replace('launch', 'go')))
        self.assertIn('32 *', page.rows('accesses')[0]['access'])
        self.assertIn('32 ', words(page.findings()[0].find('summary').find('b')))

    def test_every_input(self):
        """All that the tests have of CUDA: each page is well-formed and has the report's numbers."""
        import glob
        import os
        for name in sorted(glob.glob(os.path.join(harness.INPUTS, '*.cu')))[::6]:
            with self.subTest(name):
                run = self.run_tool('--format=html', name, status=None)
                report = self.run_tool('--format=json', name, status=None)
                self.assertEqual(run.returncode, report.returncode)
                page = Page(self, run.stdout)
                import json
                self.compare_accesses(page, json.loads(report.stdout))
                self.compare_findings(page, json.loads(report.stdout))


class Whole(HtmlTest):
    def test_roofline(self):
        name = self.write('a.cu', STRIDE.replace('in[2 * threadIdx.x]', '3 * in[2 * threadIdx.x] + 1'))
        page = self.page('--gpu=A100', name)
        picture, = [s for s in page.root.iter('svg') if s.get('class') == 'roofline']
        self.assertEqual(boxes(picture, 'w m'), 1)  # a square: memory bounds it
        self.assertEqual(page.rows('kernels')[0]['bound by'], 'memory')
        self.assertNotIn('roofline', {s.get('class') for s in self.page(name).root.iter('svg')})

    def test_kernel_has_its_findings(self):
        page = self.page(self.write('a.cu', STRIDE + CLEAN.replace('stride', 'clean').replace('launch', 'go')))
        by_name = {row['kernel']: row['findings'] for row in page.rows('kernels')}
        self.assertEqual(by_name, {'stride': '1 medium', 'clean': '-'})

    def test_fixes_that_were_tried(self):
        name = self.write('a.cu', tile())
        page = self.page('--show-fixes', name)
        removed, = {words(e) for e in page.root.iter('del')}
        added, = {words(e) for e in page.root.iter('ins')}
        self.assertEqual((removed, added), ('- __shared__ float tile[32][32];', '+ __shared__ float tile[32][33];'))
        self.assertIn('32 to 1 wavefronts', words(page.root))
        self.assertEqual(list(self.page(name).root.iter('ins')), [])

    def test_rules_have_their_pages(self):
        page = self.page(self.write('a.cu', STRIDE))
        rule = page.by_id['rule-global-stride']
        self.assertIn('What it finds', [words(h) for h in rule.iter('h5')])
        self.assertNotIn('`', words(rule))
        self.assertNotIn('rule-shared-tile-column', page.by_id)

    def test_same_bytes(self):
        name = self.write('a.cu', tile())
        self.assertEqual(*[self.run_tool('--format=html', '--gpu=A100', name).stdout for _ in range(2)])

    def test_status_and_output(self):
        name = self.write('a.cu', STRIDE)
        shown = self.run_tool('--format=html', '--warnings-as-errors=*', name, status=1).stdout
        run = self.run_tool('--format=html', '--warnings-as-errors=*', '--output=out.html', name, status=1)
        self.assertEqual((run.stdout, self.read('out.html')), ('', shown))
        self.run_tool('--format=html', self.write('b.cu', BROKEN), status=2)

    def test_errors_are_said(self):
        page = self.page('a.cu', self.write('b.cu', BROKEN), status=None) if self.write('a.cu', STRIDE) else None
        self.assertIn('undeclared', words(page.root))
        self.assertIn('problems', page.by_id)
        self.assertNotIn('problems', self.page('a.cu').by_id)

    def test_nothing_to_show(self):
        page = self.page(self.write('a.cu', 'int main() { return 0; }\n'), status=None)
        self.assertEqual((page.findings(), page.rows('accesses')), ([], []))


class Hostile(HtmlTest):
    def test_nothing_becomes_markup(self):
        page = self.page(self.write(HOSTILE_NAME, HOSTILE))
        self.assertTrue(page.findings())
        source = next(words(p) for p in page.root.iter('pre') if list(p.iter('mark')))
        self.assertIn('</script><img src=x onerror=alert(1)> ]]> &amp; <U+202E> <U+001B>[31m <FF> <!--', source)
        self.assertIn('a <img src=x onerror=alert(1)> "\'&<U+202E>.cu', words(page.root.find('.//h1')))
        self.assertIn("stride<float, '<'>", words(page.root))
        self.assertNotRegex(page.text, '[\u202e\x1b\ufffd]')


class Merged(HtmlTest):
    def test_shards(self):
        for name, text in (('a.cu', STRIDE), ('b.cu', tile())):
            self.write(name, text)
        for i in (1, 2):
            self.run_tool('--format=json', f'--shard={i}/2', f'--output={i}.json', '--gpu=A100', 'a.cu', 'b.cu', status=0)
        merged = Page(self, self.run_tool('merge', '--format=html', '1.json', '2.json', toolkit=True).stdout)
        report = self.report('--gpu=A100', 'a.cu', 'b.cu')
        self.compare_accesses(merged, report)
        self.compare_findings(merged, report)
        self.assertIn('neither pictures nor', words(merged.root))
        self.assertEqual([s for s in merged.root.iter('svg') if s.get('class') in ('lines', 'banks')], [])
        self.assertEqual(len([m for m in merged.root.iter('mark')]), len(list(self.page('a.cu', 'b.cu').root.iter('mark'))))

    def test_source_that_is_gone(self):
        import os
        self.run_tool('--format=json', '--output=1.json', self.write('a.cu', STRIDE))
        os.remove(self.path('a.cu'))
        page = Page(self, self.run_tool('merge', '--format=html', '1.json', toolkit=True).stdout)
        self.assertIn('The source of 1 finding cannot be read here', words(page.root))
        self.assertEqual(list(page.root.iter('mark')), [])


if __name__ == '__main__':
    harness.main()
