#!/usr/bin/env python3
"""warplint's time and memory beside clang's and clang-tidy's, measured in one run over the same files.

    test/bench/compare.py [--tool build/bin/warplint] [--repeat 3] [--no-growth] [FILE...] [-- compiler flags]

Without FILEs: the sources of test/inputs. For each file, in turn and repeatedly so that what else the machine does
falls on all alike: clang++-22 -fsyntax-only --cuda-device-only, clang-tidy-22 with one check (where installed), and
warplint with no cache, with an empty one, with CUDA's headers in it, and with the file's result in it. The fastest of
the repetitions counts. Then how warplint's time grows with the number of kernels, accesses and files.
"""
import argparse
import glob
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def measure(command, cwd=None):
    """Wall seconds, CPU seconds, peak memory in MiB, and exit status of one process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=cwd)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)  # it was waited for
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, process.returncode


def best(samples):
    return tuple(min(sample[i] for sample in samples) for i in range(3))


def mean(ratios):
    """The geometric one, as is right for ratios."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


class Contest:
    def __init__(self, tool, flags, folder):
        self.tool, self.flags, self.folder = tool, flags, folder
        self.clang = shutil.which('clang++-22') or '/usr/lib/llvm-22/bin/clang++'
        self.tidy = shutil.which('clang-tidy-22')
        self.has_toolkit = os.path.exists('/usr/local/cuda/include/cuda_runtime.h')
        # Clang's own parse as a user would ask for it; CUDA 13 has Thrust and libcu++ in a folder of their own.
        # With -nocudalib clang would take the toolkit for an old one, and fail at launches.
        self.parse = ['-x', 'cuda', '--cuda-device-only', '--cuda-gpu-arch=sm_80', '-w',
                      '-Wno-unknown-cuda-version', '-isystem', '/usr/local/cuda/include/cccl', *flags]

    def cache(self, name):
        return os.path.join(self.folder, name)

    def runs(self, file):
        """What is compared: a name, what to do before, the command."""
        def warplint(*options):
            return [self.tool, '--quiet', *options, file, *(['--', *self.flags] if self.flags else [])]

        def empty():
            shutil.rmtree(self.cache('cold'), ignore_errors=True)

        if self.has_toolkit:
            yield 'clang', None, [self.clang, '-fsyntax-only', *self.parse, file]
            if self.tidy:
                yield 'clang-tidy', None, [self.tidy, '--checks=-*,bugprone-integer-division', file, '--', *self.parse]
        yield 'warplint, no cache', None, warplint('--no-cache')
        yield 'warplint, cold cache', empty, warplint('--cache-dir=' + self.cache('cold'))
        yield 'warplint, header cache', None, warplint('--no-result-cache', '--cache-dir=' + self.cache('warm'))
        yield 'warplint, unchanged', None, warplint('--cache-dir=' + self.cache('warm'))

    def run(self, files, repeat):
        samples, self.failed = {}, {}
        for file in files:
            subprocess.run([self.tool, '--quiet', '--cache-dir=' + self.cache('warm'), file,
                            *(['--', *self.flags] if self.flags else [])], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        for _ in range(repeat):
            for file in files:
                for name, before, command in self.runs(file):
                    if before:
                        before()
                    samples.setdefault(name, {}).setdefault(file, []).append(measure(command))
                    # 1: findings at error level, where it is warplint that says so.
                    if samples[name][file][-1][3] not in ((0, 1) if name.startswith('warplint') else (0,)):
                        self.failed.setdefault(name, {})[file] = True
        return {name: {file: best(each) for file, each in by_file.items()} for name, by_file in samples.items()}


def failures(failed):
    """Who gives up early is fast."""
    for name, files in failed.items():
        names = ', '.join(os.path.relpath(file) for file in list(files)[:3])
        print(f'NOT COMPARABLE: {name} fails on {len(files)} of these files: {names}{", ..." if len(files) > 3 else ""}')


def table(results, base):
    print(f'{"":24}{"wall s":>9}{"cpu s":>9}{"peak MiB":>10}   ratios to {base}: wall, cpu, memory (geometric means over files)')
    for name, by_file in results.items():
        total = [sum(each[i] for each in by_file.values()) for i in range(2)]
        peak = max(each[2] for each in by_file.values())
        ratios = [mean([by_file[file][i] / max(results[base][file][i], 1e-3) for file in by_file]) for i in range(3)]
        print(f'{name:24}{total[0]:9.2f}{total[1]:9.2f}{peak:10.0f}   ' + '  '.join(f'{ratio:5.2f}' for ratio in ratios))


def kernel(number, accesses):
    body = ''.join(f'  out[{i} * n + threadIdx.x] = in[{i} * n + blockIdx.x * blockDim.x + threadIdx.x];\n' for i in range(accesses // 2))
    return (f'__global__ void k{number}(float *out, const float *in, int n) {{\n{body}}}\n'
            f'void launch{number}(float *out, const float *in, int n) {{ k{number}<<<128, 256>>>(out, in, n); }}\n')


def growth(tool, folder, repeat):
    cache = '--cache-dir=' + os.path.join(folder, 'warm')

    def seconds(*files, options=()):
        return best([measure([tool, '--quiet', '--no-result-cache', cache, *options, *files]) for _ in range(repeat)])[0]

    def write(name, text):
        name = os.path.join(folder, name)
        with open(name, 'w', encoding='utf-8') as file:
            file.write(text)
        return name

    seconds(write('warm.cu', kernel(0, 2)))
    start = seconds(write('empty.cu', ''))

    def series(title, sizes, time_of):
        print(f'\n{title:>12}{"wall s":>9}{"ms each":>9}')
        for size in sizes:
            wall = time_of(size)
            print(f'{size:12}{wall:9.3f}{1000 * max(wall - start, 0) / size:9.3f}')

    print(f'\nGrowth, with headers in the cache; an empty file takes {start:.3f} s, which is taken off below')
    series('kernels', (1, 10, 100, 1000), lambda n: seconds(write('kernels.cu', ''.join(kernel(i, 4) for i in range(n)))))
    series('accesses', (10, 100, 1000, 10000), lambda n: seconds(write('accesses.cu', kernel(0, n))))
    for jobs in ('-j1', '-j2'):
        files = [write(f'file{i}.cu', kernel(i, 20)) for i in range(64)]
        series(f'files {jobs}', (1, 8, 64), lambda n, jobs=jobs, files=files: seconds(*files[:n], options=(jobs,)))


def speedup(tool, files, flags, folder, repeat):
    """Two jobs beside one over the same files, without results from the cache."""
    def wall(jobs):
        return best([measure([tool, '--quiet', '--no-result-cache', '--cache-dir=' + os.path.join(folder, 'warm'), jobs, *files,
                              *(['--', *flags] if flags else [])]) for _ in range(repeat)])[0]
    one, two = wall('-j1'), wall('-j2')
    print(f'\n{len(files)} files in one run: {one:.2f} s with -j1, {two:.2f} s with -j2: {one / two:.2f} times as fast')


def main():
    arguments, flags = sys.argv[1:], []
    if '--' in arguments:
        at = arguments.index('--')
        arguments, flags = arguments[:at], arguments[at + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--tool', default=os.path.join(ROOT, 'build', 'bin', 'warplint'))
    parser.add_argument('--repeat', type=int, default=3)
    parser.add_argument('--no-growth', action='store_true')
    parser.add_argument('files', nargs='*')
    options = parser.parse_args(arguments)
    files = options.files or sorted(glob.glob(os.path.join(ROOT, 'test', 'inputs', '*.cu')) +
                                    glob.glob(os.path.join(ROOT, 'test', 'inputs', 'seeds', '*.cu')))
    files = [os.path.abspath(file) for file in files]
    tool = os.path.abspath(options.tool)
    with tempfile.TemporaryDirectory(prefix='warplint-bench-') as folder:
        contest = Contest(tool, flags, folder)
        results = contest.run(files, options.repeat)
        print(f'{len(files)} files, fastest of {options.repeat} runs each')
        failures(contest.failed)
        table(results, 'clang' if 'clang' in results else 'warplint, no cache')
        if 'clang-tidy' in results:
            print()
            table(results, 'clang-tidy')
        speedup(tool, files, flags, folder, options.repeat)
        if not options.no_growth:
            growth(tool, folder, options.repeat)


if __name__ == '__main__':
    main()
