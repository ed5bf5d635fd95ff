#!/usr/bin/env python3
"""Many files in one run: order, repetitions, headers that several files share, progress, interruption."""
import json
import os
import pty
import re
import signal
import subprocess

import harness
from harness import STRIDE, ToolTest

HEADER = '''#pragma once
template <typename T> __global__ void copy(T *out, const T *in) { out[threadIdx.x] = in[2 * threadIdx.x]; }
__global__ void fill(float *out) { out[threadIdx.x] = 1; }
'''


class ManyFiles(ToolTest):
    def files(self, count):
        # Of different sizes, so that they neither start nor end in the order of the list.
        return [self.write(f'k{i}.cu', STRIDE.replace('stride', f'stride{i}') + '// filler\n' * (i * 7 % 5) * 300)
                for i in range(count)]

    def test_order(self):
        names = self.files(6)
        expected = self.run_tool('--format=json', '-j1', *names).stdout
        self.assertEqual([k['name'] for k in json.loads(expected)['kernels']], [f'stride{i}' for i in range(6)])
        for jobs in ('-j2', '-j5', '-j0'):
            self.assertEqual(self.run_tool('--format=json', jobs, *names).stdout, expected)

    def test_repeated_files(self):
        name, = self.files(1)
        report = self.report(name, f'./{name}', self.path(name))
        self.assertEqual((report['summary']['files'], len(report['kernels']), len(report['findings'])), (1, 1, 1))

    def test_repeated_entries(self):
        names = self.files(2)
        self.database('build', [(names[0], ['-DA']), (names[1], []), (names[0], ['-DB'])])
        self.assertEqual(self.report('-p', 'build')['summary']['files'], 2)

    def test_one_bad_file(self):
        names = self.files(2)
        names.insert(1, self.write('broken.cu', harness.BROKEN))
        run = self.run_tool('--format=json', *names, 'absent.cu', status=2)
        report = self.checked(json.loads(run.stdout))
        self.assertEqual([k['name'] for k in report['kernels']], ['stride0', 'stride1'])
        self.assertIn('broken.cu: no kernel could be analysed', run.stderr)
        self.assertIn("no such file: 'absent.cu'", run.stderr)


class SharedHeaders(ToolTest):
    def test_kernel_reported_once(self):
        self.write('copy.cuh', HEADER)
        names = [self.write(f'{n}.cu', f'#include "copy.cuh"\nvoid {n}(float *o, float *i) {{ copy<<<1, 256>>>(o, i); }}\n')
                 for n in 'abc']
        report = self.report(*names)
        # Launched from three places, and each launch is analysed; the finding is one.
        self.assertEqual(sorted(k['name'] for k in report['kernels']), ['copy', 'copy', 'copy', 'fill'])
        self.assertEqual(len(report['findings']), 1)

    def test_launched_in_one_of_the_files(self):
        self.write('copy.cuh', HEADER)
        names = [self.write('a.cu', '#include "copy.cuh"\n'),
                 self.write('b.cu', '#include "copy.cuh"\nvoid b(float *o) { fill<<<1, 64>>>(o); }\n'),
                 self.write('c.cu', '#include "copy.cuh"\n')]
        kernel, = self.report(*names)['kernels']
        self.assertEqual((kernel['block'], kernel['blockOrigin']), ([64, 1, 1], 'launch'))

    def test_launch_of_unknown_shape_stays(self):
        """What a launch leaves open is assumed, beside the launch that does not."""
        name = self.write('a.cu', HEADER + 'void a(float *o, int n) { fill<<<1, 64>>>(o); fill<<<1, n>>>(o); }\n')
        self.assertEqual(sorted(k['blockOrigin'] for k in self.report(name)['kernels']), ['assumed', 'launch'])

    def test_same_name_in_two_files(self):
        """Two kernels that look alike but are not in a header stay two."""
        names = [self.write(f'{n}.cu', STRIDE) for n in 'ab']
        self.assertEqual(len(self.report(*names)['kernels']), 2)


class Terminal(ToolTest):
    def on_terminal(self, *arguments, interrupt_after=None):
        """Exit status, stdout, and what a terminal shows of stderr; Ctrl-C once that has `interrupt_after`."""
        reader, writer = pty.openpty()
        with open(self.path('stdout'), 'wb') as out:  # a pipe that nobody reads meanwhile would fill up
            run = subprocess.Popen([harness.TOOL, '--no-cuda', *arguments], cwd=self.folder, stdout=out, stderr=writer)
        os.close(writer)
        shown = b''
        while True:
            try:
                data = os.read(reader, 4096)
            except OSError:  # the end of a terminal
                break
            if not data:
                break
            shown += data
            if interrupt_after and interrupt_after in shown:
                run.send_signal(signal.SIGINT)
                interrupt_after = None
        os.close(reader)
        run.wait(timeout=60)
        return run.returncode, self.read('stdout'), shown.decode().replace('\r', '')

    def test_progress(self):
        names = [self.write('one.cu', STRIDE), self.write('two.cu', harness.CLEAN)]
        _, _, shown = self.on_terminal('-j1', *names)
        self.assertRegex(shown, r'(?m)^\[1/2\] one\.cu: 1 kernel, 1 finding$')
        self.assertRegex(shown, r'(?m)^\[2/2\] two\.cu: 1 kernel, 0 findings$')
        _, _, shown = self.on_terminal('--quiet', *names)
        self.assertEqual(shown, '')

    def test_no_progress_elsewhere(self):
        names = [self.write('one.cu', STRIDE), self.write('two.cu', STRIDE)]
        self.assertNotIn('[1/2]', self.run_tool(*names).stderr)

    def test_interrupted(self):
        """Ctrl-C: a valid report of the files that were done, the other files named as missing by number."""
        names = [self.write(f'k{i:03}.cu', '#include <algorithm>\n#include <string>\n' + STRIDE.replace('stride', f'stride{i}'))
                 for i in range(200)]
        status, out, _ = self.on_terminal('--no-cache', '--format=json', '-j2', *names, interrupt_after=b'[3/200]')
        self.assertEqual(status, 130)
        report = self.checked(json.loads(out))
        done = report['summary']['files']
        self.assertTrue(3 <= done < 200, done)
        self.assertEqual((len(report['kernels']), len(report['findings'])), (done, done))
        self.assertIn(f'interrupted: {200 - done} of 200 files were not analysed', [e['message'] for e in report['errors']])

    def test_interrupted_fix_changes_nothing(self):
        names = [self.write(f'k{i:03}.cu', '#include <algorithm>\n#include <string>\n' + harness.tile()) for i in range(200)]
        status, _, shown = self.on_terminal('--no-cache', '--fix', '-j2', *names, interrupt_after=b'[3/200]')
        self.assertEqual(status, 130, shown)
        self.assertNotRegex(shown, re.compile('applied'))
        self.assertTrue(all('[32][33]' not in self.read(name) for name in names))

    def test_interrupted_while_fixes_are_tried(self):
        """Ctrl-C once all files are done, while the fixed copies are analysed."""
        names = [self.write(f'k{i:03}.cu', '#include <algorithm>\n#include <string>\n' + harness.tile()) for i in range(40)]
        # To a file: nobody reads the pipe meanwhile.
        status, _, shown = self.on_terminal('--no-cache', '--format=json', '--output=out.json', '--fix', '-j2', *names, interrupt_after=b'[40/40]')
        self.assertEqual(status, 130, shown)
        self.assertNotIn('applied', shown)
        self.assertIn('interrupted: the fixes were not tried out', [e['message'] for e in json.loads(self.read('out.json'))['errors']])
        self.assertTrue(all('[32][33]' not in self.read(name) for name in names))


class LibraryBodies(ToolTest):
    """Bodies of the C++ library's host functions: passed over only where none of the user's code hangs on them."""

    PRELUDE = '''#include <algorithm>
#include <deque>
#include <functional>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>
template <int N> __global__ void k(float *p) { p[N * threadIdx.x] = 1; }
template <int N> void go() { k<N><<<1, 64>>>(nullptr); }
template <int N> struct Ctor { Ctor() { go<N>(); } };
template <int N> struct Dtor { ~Dtor() { go<N>(); } };
template <int N> struct Copy { Copy() = default; Copy(const Copy &) { go<N>(); } };
template <int N> struct Move { Move() = default; Move(Move &&) noexcept { go<N>(); } };
template <int N> struct Assign { Assign &operator=(const Assign &) { go<N>(); return *this; } };
template <int N> struct Del { void operator()(float *) const { go<N>(); } };
template <int N> struct Less { bool operator()(int a, int b) const { go<N>(); return a < b; } };
template <int N> struct Hash { size_t operator()(int a) const { go<N>(); return a; } };
template <int N> struct Out {
  template <class S> friend S &operator<<(S &s, const Out &) { go<N>(); return s; }
};
template <int N> using Int = std::integral_constant<int, N>;
'''
    USES = '''std::vector<Ctor<@>> v(4);
std::vector<Ctor<@>> v; v.resize(4);
std::vector<Dtor<@>> v;
std::vector<Dtor<@>> v(3); v.clear();
std::vector<Copy<@>> v, w(v);
std::vector<Move<@>> v; v.reserve(5);
std::vector<Assign<@>> v, w; v = w;
std::unique_ptr<float, Del<@>> p(nullptr);
std::unique_ptr<Dtor<@>> p;
auto p = std::make_unique<Ctor<@>>();
auto p = std::make_unique<Ctor<@>[]>(3);
auto p = std::make_shared<Dtor<@>>();
std::shared_ptr<float> p(new float, Del<@>());
std::map<int, Ctor<@>> m; m[3];
std::map<int, std::vector<Ctor<@>>> m; m[2].resize(4);
std::map<int, int, Less<@>> m; m.find(3);
std::set<int, Less<@>> s; s.insert(3);
std::unordered_map<int, int, Hash<@>> m; m.count(3);
std::unordered_map<int, Ctor<@>> m; m[1];
std::list<Ctor<@>> l(3);
std::list<Dtor<@>> l; l.pop_back();
std::deque<Dtor<@>> d; d.pop_front();
std::optional<Dtor<@>> o; o.reset();
std::variant<Dtor<@>, int> v; v = 3;
std::vector<std::unique_ptr<Dtor<@>>> v(2);
std::cout << Out<@>();
std::function<void(Int<@>)> f = [](auto n) { go<decltype(n)::value>(); };
std::thread t([](auto n) { go<decltype(n)::value>(); }, Int<@>());
std::visit([](auto n) { go<decltype(n)::value>(); }, std::variant<Int<@>>());
auto f = std::bind([](auto n) { go<decltype(n)::value>(); }, Int<@>()); f();
Int<@> a[1]; std::for_each(a, a + 1, [](auto n) { go<decltype(n)::value>(); });
std::generate((int *)0, (int *)0, [] { go<@>(); return 0; });
'''.splitlines()

    def test_instances_made_by_the_library(self):
        """Every use leads to a kernel instance of its own, through the library alone."""
        uses = [use.replace('@', str(number)) for number, use in enumerate(self.USES)]
        text = self.PRELUDE + ''.join(f'void use{i}() {{ {use} }}\n' for i, use in enumerate(uses))
        self.write('uses.cu', text)
        for standard in ('c++17', 'c++20'):
            report = self.report('uses.cu', '--', '-std=' + standard)
            self.assertEqual(report['errors'], [])
            shown = {kernel['signature'].partition('<')[2].partition('>')[0] for kernel in report['kernels']}
            self.assertEqual([use for i, use in enumerate(uses) if str(i) not in shown], [])

    def test_the_rest_is_passed_over(self):
        """What is wrong in a body that is not looked at is not told; that is how one sees it."""
        self.write('lib/plain.h', 'inline int plain() { return undeclared; }\n')
        self.write('lib/sstream', 'template <class C> struct text { int size() { return undeclared; } };\n')
        self.write('lib/box.h', 'template <class C> struct box { int size() { return undeclared; } };\n')
        for header, told in (('plain.h', 0), ('sstream', 0), ('box.h', 1)):
            self.write('use.cu', f'#include <{header}>\n' + harness.STRIDE)
            with self.subTest(header):
                self.assertEqual(len(self.report('use.cu', '--', '-isystem', 'lib')['errors']), told)


if __name__ == '__main__':
    harness.main()
