"""What the scripts of this folder share. Each takes the tool's path and the build folder; what follows is unittest's."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'e2e'))
import harness  # noqa: E402
from harness import ROOT, ToolTest  # noqa: E402

BUILD = ''


class PackageTest(ToolTest):
    def run_command(self, *command, status=0, **options):
        run = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False, **{'cwd': self.folder, **options})
        if status is not None:
            self.assertEqual(run.returncode, status, f'{command}\n{run.stdout}\n{run.stderr}')
        return run

    def install(self, prefix='installed'):
        """cmake --install; the path of what it made."""
        self.run_command('cmake', '--install', BUILD, '--prefix', self.path(prefix))
        return self.path(prefix)


def main():
    global BUILD
    BUILD = os.path.abspath(sys.argv.pop(2))
    harness.main()
