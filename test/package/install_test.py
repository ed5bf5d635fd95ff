#!/usr/bin/env python3
"""cmake --install to any prefix, and the Debian package."""
import glob
import gzip
import os
import re
import shutil
import subprocess
import sys

import package
from harness import STRIDE
from package import ROOT, PackageTest

sys.path.insert(0, os.path.join(ROOT, 'tools', 'docs'))
import check  # noqa: E402

FILES = ['bin/warplint', 'bin/warplint-replay', 'lib/cmake/warplint/warplint.cmake', 'lib/cmake/warplint/warplintConfig.cmake',
         'lib/libwarplint_replay_runtime.a', 'share/bash-completion/completions/warplint', 'share/doc/warplint/README.md',
         'share/doc/warplint/ci/github/warplint.yml', 'share/doc/warplint/docs/rules/global-aos.md', 'share/fish/vendor_completions.d/warplint.fish',
         'share/man/man1/warplint.1.gz', 'share/man/man1/warplint-replay.1.gz',
         'share/warplint/warplint-report-1.schema.json', 'share/zsh/vendor-completions/_warplint']


class InstalledTest(PackageTest):
    def check_tree(self, prefix):
        for name in FILES:
            self.assertTrue(os.path.getsize(os.path.join(prefix, name)), name)

    def check_tool(self, prefix):
        self.write('k.cu', STRIDE)
        run = self.run_tool('k.cu', tool=os.path.join(prefix, 'bin', 'warplint'))
        self.assertIn('k.cu:2:22: warning', run.stdout)


class Install(InstalledTest):
    def test_any_prefix(self):
        prefix = self.install('a prefix')
        self.check_tree(prefix)
        self.check_tool(prefix)
        os.rename(prefix, self.path('moved'))
        self.check_tool(self.path('moved'))

    def test_links_of_the_pages(self):
        """What the pages link to is installed, too."""
        folder = self.install() + '/share/doc/warplint'
        pages = {}
        for path in [folder + '/README.md'] + glob.glob(folder + '/docs/**/*.md', recursive=True):
            with open(path, encoding='utf-8') as file:
                pages[os.path.relpath(path, folder)] = file.read()
        self.assertGreater(len(pages), 25)
        self.assertEqual(check.dead_links(pages, folder), [])
        os.remove(folder + '/ci/github/warplint.yml')
        self.assertNotEqual(check.dead_links(pages, folder), [])

    def test_nothing_names_the_build_folder(self):
        prefix = self.install()
        for name in glob.glob(prefix + '/lib/cmake/**/*', recursive=True) + glob.glob(prefix + '/share/**/*', recursive=True):
            if os.path.isfile(name):
                content = gzip.decompress(self.bytes(name)) if name.endswith('.gz') else self.bytes(name)
                self.assertNotIn(package.BUILD.encode(), content, name)

    def test_headers_beside_the_tool_come_first(self):
        prefix = self.install()
        os.makedirs(prefix + '/lib/clang/22/include')
        self.write('installed/lib/clang/22/include/__stddef_max_align_t.h', '')
        self.write('k.cu', STRIDE)
        run = self.run_tool('k.cu', '--no-cache', tool=prefix + '/bin/warplint', status=2)
        self.assertIn("'stddef.h' file not found", run.stdout)  # which the tool's own place has

    def test_find_package(self):
        prefix = self.install()
        self.write('p/CMakeLists.txt', '''cmake_minimum_required(VERSION 3.25)
project(p LANGUAGES NONE)
find_package(warplint 0.1 REQUIRED)
get_target_property(where warplint::warplint IMPORTED_LOCATION)
message(STATUS "at ${where}")
if(NOT COMMAND warplint_add_target)
  message(FATAL_ERROR "no function")
endif()
''')
        run = self.run_command('cmake', '-S', 'p', '-B', 'b', f'-DCMAKE_PREFIX_PATH={prefix}')
        self.assertIn(f'at {prefix}/bin/warplint', run.stdout)
        self.write('p/CMakeLists.txt', self.read('p/CMakeLists.txt').replace('0.1 ', '9 '))
        self.run_command('cmake', '-S', 'p', '-B', 'c', f'-DCMAKE_PREFIX_PATH={prefix}', status=1)


class Debian(InstalledTest):
    def setUp(self):
        super().setUp()
        for program in ('cpack', 'dpkg-deb', 'dpkg-shlibdeps'):
            if not shutil.which(program):
                self.skipTest(f'{program} is not installed')
        self.run_command('cpack', '-G', 'DEB', '--config', package.BUILD + '/CPackConfig.cmake', '-B', self.path('out'))
        self.package, = glob.glob(self.path('out/*.deb'))

    def needed_packages(self, program):
        """The packages whose libraries a program names."""
        dynamic = self.run_command('readelf', '-d', program).stdout
        listed = self.run_command('ldd', program).stdout
        result = set()
        for library in re.findall(r'NEEDED.*\[(.*)\]', dynamic):
            file = re.search(re.escape(library) + r' => (\S+)', listed) or re.search(r'(/\S*' + re.escape(library) + ')', listed)
            for name in (file.group(1), os.path.realpath(file.group(1))):
                owner = subprocess.run(['dpkg', '-S', name], capture_output=True, text=True, check=False).stdout
                if not owner and name.startswith('/lib/'):
                    owner = subprocess.run(['dpkg', '-S', '/usr' + name], capture_output=True, text=True, check=False).stdout
                if owner:
                    result.add(owner.split(':')[0])
                    break
            else:
                self.fail(f'no package has {file.group(1)}')
        return result

    def test_package(self):
        fields = dict(line.split(': ', 1) for line in self.run_command('dpkg-deb', '-f', self.package).stdout.splitlines() if ': ' in line)
        self.assertEqual(fields['Package'], 'warplint')
        self.assertRegex(os.path.basename(self.package), r'^warplint_[\d.]+_\w+\.deb$')
        depends = {each.split()[0].split(':')[0] for each in fields['Depends'].split(',')}
        self.assertLessEqual({'libclang-common-22-dev', 'libstdc++-12-dev'}, depends)  # headers of every parse
        self.run_command('dpkg', '-x', self.package, self.path('root'))
        self.check_tree(self.path('root/usr'))
        self.check_tool(self.path('root/usr'))
        for program in ('warplint', 'warplint-replay'):
            self.assertEqual(self.needed_packages(self.path('root/usr/bin/' + program)) - depends, set())
        run = self.run_command('readelf', '-d', self.path('root/usr/bin/warplint'))
        self.assertNotIn(package.BUILD, run.stdout)


if __name__ == '__main__':
    package.main()
