"""What the scripts of this folder share. Each takes the paths of warplint and warplint-replay; what follows is unittest's."""
import os
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(TESTS, 'e2e'), os.path.join(os.path.dirname(TESTS), 'tools', 'docs')]
import harness  # noqa: E402
from harness import ROOT, ToolTest  # noqa: E402
from programs import Programs  # noqa: E402

REPLAY = ''


class DocumentationTest(ToolTest):
    @classmethod
    def setUpClass(cls):
        cls.programs = Programs(harness.TOOL, REPLAY, os.path.join(ROOT, 'docs', 'examples'))


def main():
    global REPLAY
    REPLAY = os.path.abspath(sys.argv.pop(2))
    harness.main()
