"""What the scripts of this folder share: running the tool in a folder of its own, over sources written there.

Every script takes the tool's path as its first argument; what follows is unittest's.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCHEMA = os.path.join(ROOT, 'analyzer', 'report', 'warplint-report-1.schema.json')
INPUTS = os.path.join(ROOT, 'test', 'inputs')
TOOL = ''

CONFLICT = 'shared-tile-column'

# A stride of two, a finding of global-stride on line 2.
STRIDE = '''__global__ void stride(float *out, const float *in) {
  out[threadIdx.x] = in[2 * threadIdx.x];
}
void launch(float *out, const float *in) { stride<<<1, 256>>>(out, in); }
'''
CLEAN = STRIDE.replace('2 * ', '')
BROKEN = '__global__ void broken(float *out) { out[threadIdx.x] = undeclared; }\n'


def tile(declaration='float tile[32][32]', body='', read='tile[x][y]', block='32, 32'):
    """A kernel that writes rows and reads columns of a tile."""
    return f'''__global__ void turn(float *out, const float *in, int n) {{
  __shared__ {declaration};
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * n + x];
  __syncthreads();
  {body}
  out[y * n + x] = {read};
}}
void launch(float *out, const float *in) {{ turn<<<64, dim3({block})>>>(out, in, 1024); }}
'''


class ToolTest(unittest.TestCase):
    maxDiff = None

    def needs_crash_recovery(self):
        """In a build with a sanitizer the tool does not recover: the sanitizer's report is worth more than a run that goes on."""
        with open(TOOL, 'rb') as tool:
            if b'__asan_init' in tool.read():
                self.skipTest('a build with a sanitizer does not recover from crashes')

    def setUp(self):
        # The name's '%' and blank are as CI systems write branch names into folders.
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix='warplint e2e%2F'))
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), 'wb') as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return name

    def read(self, name):
        with open(self.path(name), encoding='utf-8', newline='') as file:
            return file.read()

    def bytes(self, name):
        with open(self.path(name), 'rb') as file:
            return file.read()

    def database(self, folder, entries):
        """compile_commands.json with these (file, flags) entries, all in the test's folder."""
        commands = [{'directory': self.folder, 'file': file, 'arguments': ['nvcc', *flags, '-c', file]} for file, flags in entries]
        return self.write(os.path.join(folder, 'compile_commands.json'), json.dumps(commands))

    def run_tool(self, *arguments, status=0, tool=None, cwd=None, toolkit=False):
        """Runs with the built-in declarations, unless a toolkit is the point, and checks the exit status."""
        arguments = [*([] if toolkit else ['--no-cuda']), *arguments]
        run = subprocess.run([tool or TOOL, *arguments], capture_output=True, cwd=cwd or self.folder, timeout=300, check=False)
        run.stdout, run.stderr = run.stdout.decode('utf-8', 'replace'), run.stderr.decode('utf-8', 'replace')
        if status is not None:
            self.assertEqual(run.returncode, status, f'{arguments}\n{run.stdout}\n{run.stderr}')
        return run

    def report(self, *arguments, status=0, **options):
        run = self.run_tool('--format=json', *arguments, status=status, **options)
        return self.checked(json.loads(run.stdout))

    def checked(self, report):
        import jsonschema  # Debian's python3-jsonschema
        with open(SCHEMA, encoding='utf-8') as file:
            errors = jsonschema.Draft7Validator(json.load(file)).iter_errors(report)
        self.assertEqual([f'{list(e.path)}: {e.message}' for e in errors], [])
        return report

    def rules(self, *arguments, **options):
        return [finding['rule'] for finding in self.report(*arguments, **options)['findings']]

    def fails(self, *arguments, says, status=2, **options):
        """The tool refuses: the words are on stderr, and stdout has no report, or an empty one."""
        run = self.run_tool(*arguments, status=status, **options)
        self.assertEqual(run.stdout, '')
        for words in says:
            self.assertIn(words, run.stderr)
        return run


def main():
    global TOOL
    if len(sys.argv) < 2:
        sys.exit(f'usage: {sys.argv[0]} WARPLINT [unittest arguments]')
    TOOL = os.path.abspath(sys.argv.pop(1))
    unittest.main(module='__main__')
