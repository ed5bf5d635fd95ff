#!/usr/bin/env python3
"""The forms for CI systems and code hosts: SARIF, GitHub's annotations, GitLab's code quality report."""
import glob
import json
import os
import re
import urllib.parse

import harness
from harness import BROKEN, CLEAN, CONFLICT, STRIDE, ToolTest, tile

# Copyright OASIS Open; as published at docs.oasis-open.org/sarif/sarif/v2.1.0.
SARIF_SCHEMA = os.path.join(harness.ROOT, 'test', 'e2e', 'schemas', 'sarif-schema-2.1.0.json')


class FormatTest(ToolTest):
    def sarif(self, *arguments, status=0, **options):
        run = self.run_tool('--format=sarif', *arguments, status=status, **options)
        return self.checked_sarif(json.loads(run.stdout))

    def checked_sarif(self, log):
        """Against the standard's schema, and against what GitHub asks for beyond it."""
        import jsonschema  # Debian's python3-jsonschema
        with open(SARIF_SCHEMA, encoding='utf-8') as file:
            errors = jsonschema.Draft4Validator(json.load(file)).iter_errors(log)
        self.assertEqual([f'{list(e.path)}: {e.message[:200]}' for e in errors], [])
        run, = log['runs']
        rules = run['tool']['driver']['rules']
        for rule in rules:
            for text in (rule['shortDescription'], rule['fullDescription'], rule['help']):
                self.assertTrue(text['text'].strip(), rule['id'])
            self.assertIn('## What it finds', rule['help']['markdown'])
        for result in run['results']:
            self.assertEqual(rules[result['ruleIndex']]['id'], result['ruleId'])
            region = result['locations'][0]['physicalLocation']['region']
            self.assertLess((region['startLine'], region['startColumn']), (region['endLine'], region['endColumn']))
            self.assertRegex(result['partialFingerprints']['primaryLocationLineHash'], r'^[0-9a-f]+:[1-9]\d*$')
            related = {location['id'] for location in result.get('relatedLocations', [])}
            links = re.findall(r'\]\((\d+)\)', result['message']['text'])
            self.assertEqual({int(link) for link in links}, related)
        return run

    def region_text(self, result):
        """The source text that a result's region covers, by columns of UTF-16."""
        place = result['locations'][0]['physicalLocation']
        text = self.read(urllib.parse.unquote(place['artifactLocation']['uri'])).encode('utf-16-le')
        line = text.split('\n'.encode('utf-16-le'))[place['region']['startLine'] - 1]
        return line[2 * (place['region']['startColumn'] - 1):2 * (place['region']['endColumn'] - 1)].decode('utf-16-le')


class Sarif(FormatTest):
    def test_result(self):
        run = self.sarif(self.write('a.cu', STRIDE))
        result, = run['results']
        self.assertEqual((result['ruleId'], result['level'], result['kind']), ('global-stride', 'warning', 'fail'))
        self.assertEqual(self.region_text(result), 'in[2 * threadIdx.x]')
        self.assertEqual((result['properties']['sectors'], result['properties']['idealSectors']), (8, 4))
        self.assertTrue(run['invocations'][0]['executionSuccessful'])

    def test_nothing_found(self):
        run = self.sarif(self.write('a.cu', CLEAN))
        self.assertEqual(run['results'], [])
        listed = self.run_tool('--list-checks').stdout
        self.assertEqual({rule['id'] for rule in run['tool']['driver']['rules']}, set(re.findall(r'^    ([a-z]+(?:-[a-z]+)+)', listed, re.M)))

    def test_names_are_relative_to_the_repository(self):
        os.mkdir(self.path('.git'))
        name = self.write('src/sub dir/ä%.cu', STRIDE)
        os.mkdir(self.path('elsewhere'))
        run = self.sarif(f'../{name}', cwd=self.path('elsewhere'))
        location = run['results'][0]['locations'][0]['physicalLocation']['artifactLocation']
        self.assertEqual(location, {'uri': 'src/sub%20dir/%C3%A4%25.cu', 'uriBaseId': '%SRCROOT%'})
        base = run['originalUriBaseIds']['%SRCROOT%']['uri']
        self.assertEqual(urllib.parse.unquote(base), f'file://{self.folder}/')
        self.assertNotIn(' ', base)

    def test_work_tree(self):
        self.write('tree/.git', 'gitdir: /somewhere\n')
        run = self.sarif(self.write('tree/src/a.cu', STRIDE))
        self.assertEqual(run['results'][0]['locations'][0]['physicalLocation']['artifactLocation']['uri'], 'src/a.cu')

    def test_columns_are_utf16(self):
        text = STRIDE.replace('  out[threadIdx.x] =', '/* 😀é中 */ out[threadIdx.x] =')
        for prefix in ('', '\ufeff'):
            result, = self.sarif(self.write('a.cu', prefix + text))['results']
            self.assertEqual(self.region_text(result), 'in[2 * threadIdx.x]')

    def test_line_ends(self):
        """The hashes of a line do not depend on them."""
        hashes = {self.sarif(self.write('a.cu', STRIDE.replace('\n', end).encode()))['results'][0]['partialFingerprints']['primaryLocationLineHash']
                  for end in ('\n', '\r\n', '\r')}
        self.assertEqual(len(hashes), 1)

    def test_fix(self):
        name = self.write('a.cu', '// é😀\n' + tile().replace('float tile', '/*😀*/ float tile'))
        result, = (r for r in self.sarif('--show-fixes', name)['results'] if r['ruleId'] == CONFLICT)
        change, = result['fixes'][0]['artifactChanges']
        replacement, = change['replacements']
        region = replacement['deletedRegion']
        source = self.bytes(name)
        by_bytes = source[:region['byteOffset']] + replacement['insertedContent']['text'].encode() + source[region['byteOffset'] + region['byteLength']:]
        lines = source.decode().split('\n')
        self.assertEqual(region['startLine'], region['endLine'])
        line = lines[region['startLine'] - 1].encode('utf-16-le')
        lines[region['startLine'] - 1] = (line[:2 * (region['startColumn'] - 1)] + replacement['insertedContent']['text'].encode('utf-16-le')
                                          + line[2 * (region['endColumn'] - 1):]).decode('utf-16-le')
        self.assertEqual('\n'.join(lines).encode(), by_bytes)
        self.run_tool('--fix', name)
        self.assertEqual(self.bytes(name), by_bytes)
        self.assertNotIn('fixes', self.sarif(self.write('b.cu', tile()))['results'][0])  # not asked for, so not tried

    def test_errors_are_notifications(self):
        names = [self.write('a.cu', STRIDE), self.write('b.cu', BROKEN)]
        run = self.sarif(*names, status=2)
        invocation, = run['invocations']
        self.assertEqual((invocation['executionSuccessful'], invocation['exitCode']), (False, 2))
        messages = [n['message']['text'] for n in invocation['toolExecutionNotifications'] if n['level'] == 'error']
        self.assertIn("use of undeclared identifier 'undeclared'", messages)
        self.assertTrue(any('no kernel could be analysed' in m for m in messages), messages)
        self.assertEqual(len(run['results']), 1)

    def test_exit_code(self):
        run = self.sarif('--warnings-as-errors=*', self.write('a.cu', STRIDE), status=1)
        self.assertEqual((run['invocations'][0]['exitCode'], run['results'][0]['level']), (1, 'error'))

    def test_invalid_text(self):
        result, = self.sarif(self.write('a.cu', STRIDE.replace('in[', 'in/*\xff*/[').encode('latin-1')))['results']
        self.assertIn('message', result)

    def test_all_inputs(self):
        names = sorted(glob.glob(os.path.join(harness.INPUTS, 'cases', '*.cu')))[::4]
        self.assertGreater(len(names), 5)
        run = self.sarif('--checks=*', *names, status=None)
        self.assertGreater(len(run['results']), 10)
        report = self.report('--checks=*', *names, status=None)
        self.assertEqual([r['ruleId'] for r in run['results']], [f['rule'] for f in report['findings']])

    def test_output_is_written_as_a_whole(self):
        name = self.write('a.cu', STRIDE)
        for form in ('sarif', 'github', 'gitlab'):
            shown = self.run_tool(f'--format={form}', name).stdout
            self.write('out', 'old')
            self.assertEqual(self.run_tool(f'--format={form}', '--output=out', name).stdout, '')
            self.assertEqual(self.read('out'), shown)
            self.assertEqual([n for n in os.listdir(self.folder) if n.startswith('out')], ['out'])
            self.fails(f'--format={form}', '--output=absent/out', name, says=['absent/out', 'cannot write'])


class GitHub(FormatTest):
    def test_commands(self):
        os.mkdir(self.path('.git'))
        name = self.write('src/a,b.cu', STRIDE)
        line, = self.run_tool('--format=github', name).stdout.splitlines()
        self.assertRegex(line, r'^::warning file=src/a%2Cb\.cu,line=2,endLine=2,col=22,endColumn=41,title=warplint \(global-stride\)::'
                               r'[^%]*8 sectors where 4 sectors would do%0A[^\n]*$')

    def test_severities(self):
        name = self.write('a.cu', STRIDE)
        self.assertTrue(self.run_tool('--format=github', '--warnings-as-errors=*', name, status=1).stdout.startswith('::error file=a.cu,line=2,'))
        broken = self.run_tool('--format=github', self.write('b.cu', BROKEN), status=2).stdout
        self.assertTrue(broken.startswith("::error file=b.cu,line=1,col=57,title=warplint::use of undeclared identifier 'undeclared'\n"), broken)
        self.assertEqual(self.run_tool('--format=github', self.write('c.cu', CLEAN)).stdout, '')


class GitLab(FormatTest):
    def issues(self, *arguments, status=0):
        return json.loads(self.run_tool('--format=gitlab', *arguments, status=status).stdout)

    def test_issues(self):
        os.mkdir(self.path('.git'))
        names = [self.write('one/a.cu', STRIDE), self.write('two/a.cu', STRIDE)]
        issues = self.issues(*names)
        self.assertEqual([(i['check_name'], i['severity'], i['location']['path'], i['location']['lines']['begin']) for i in issues],
                         [('global-stride', 'minor', name, 2) for name in names])
        self.assertEqual(len({i['fingerprint'] for i in issues}), 2)
        self.write('one/a.cu', '\n\n' + STRIDE)
        moved = self.issues(*names)
        self.assertEqual([i['fingerprint'] for i in moved], [i['fingerprint'] for i in issues])
        self.assertEqual(self.issues(self.write('c.cu', CLEAN)), [])

    def test_severities(self):
        name = self.write('a.cu', tile())
        self.assertEqual({i['severity'] for i in self.issues(f'--checks=-*,{CONFLICT}', name)}, {'major'})
        self.assertEqual({i['severity'] for i in self.issues('--warnings-as-errors=*', f'--checks=-*,{CONFLICT}', name, status=1)}, {'critical'})


class UnknownFormat(ToolTest):
    def test_all_forms_are_named(self):
        self.fails('--format=xml', self.write('a.cu', CLEAN), says=['text or json or sarif or github or gitlab'])


if __name__ == '__main__':
    harness.main()
