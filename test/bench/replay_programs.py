#!/usr/bin/env python3
"""Runs public CUDA programs under warplint-replay up to their own verdict, and compares what was measured with the analysis.

usage: replay_programs.py --tool WARPLINT-REPLAY --samples DIR --rodinia DIR --hec DIR [--only REGEX] [--time-limit S]

The folders are checkouts of NVIDIA/cuda-samples, yuhc/gpu-rodinia and zjin-lcf/HeCBench; PROGRAMS says which programs, with arguments small
enough for a CPU. Prints a line per program and the sums: accesses compared, agreed exactly, agreed under assumptions, disagreed by kind.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import time

# Code base, folder, sources, arguments, what the program prints when it finds its results right ("": its exit status says it).
PROGRAMS = [
    ('samples', '0_Introduction/vectorAdd', 'vectorAdd.cu', '', 'Test PASSED'),
    ('samples', '0_Introduction/matrixMul', 'matrixMul.cu', '-wA=64 -hA=64 -wB=64 -hB=64', 'Result = PASS'),
    ('samples', '0_Introduction/simpleTemplates', 'simpleTemplates.cu', '', '0 differences|Test OK|OK'),
    ('samples', '0_Introduction/simpleVoteIntrinsics', 'simpleVoteIntrinsics.cu', '', 'OK'),
    ('samples', '0_Introduction/simpleAtomicIntrinsics', 'simpleAtomicIntrinsics.cu simpleAtomicIntrinsics_cpu.cpp', '', 'returned OK'),
    ('samples', '0_Introduction/simpleCooperativeGroups', 'simpleCooperativeGroups.cu', '', 'Sum of all ranks'),
    ('samples', '0_Introduction/simpleZeroCopy', 'simpleZeroCopy.cu', '', ''),
    ('samples', '0_Introduction/asyncAPI', 'asyncAPI.cu', '', ''),
    ('samples', '0_Introduction/clock', 'clock.cu', '', ''),
    ('samples', '0_Introduction/template', 'template.cu template_cpu.cpp', '', ''),
    ('samples', '0_Introduction/fp16ScalarProduct', 'fp16ScalarProduct.cu', '', ''),
    ('samples', '0_Introduction/simpleAWBarrier', 'simpleAWBarrier.cu', '', 'PASSED'),
    ('samples', '0_Introduction/simpleOccupancy', 'simpleOccupancy.cu', '', 'PASSED'),
    ('samples', '0_Introduction/simplePrintf', 'simplePrintf.cu', '', ''),
    ('samples', '0_Introduction/systemWideAtomics', 'systemWideAtomics.cu', '', 'returned OK'),
    ('samples', '2_Concepts_and_Techniques/inlinePTX', 'inlinePTX.cu', '', 'Test Successful'),
    ('samples', '2_Concepts_and_Techniques/reduction', 'reduction.cpp reduction_kernel.cu', '--n=65536 --kernel=0', 'Test passed'),
    ('samples', '2_Concepts_and_Techniques/reductionMultiBlockCG', 'reductionMultiBlockCG.cu', '--n=16384', 'GPU result'),
    ('samples', '2_Concepts_and_Techniques/scalarProd', 'scalarProd.cu scalarProd_cpu.cpp', '', 'Test passed'),
    ('samples', '2_Concepts_and_Techniques/shfl_scan', 'shfl_scan.cu', '', ''),
    ('samples', '2_Concepts_and_Techniques/threadFenceReduction', 'threadFenceReduction.cu', '--n=65536', 'GPU result = 0.003899649251'),
    ('samples', '2_Concepts_and_Techniques/histogram', 'histogram256.cu histogram64.cu histogram_gold.cpp main.cpp', '--sizemult=0.01', 'Test passed'),
    ('samples', '3_CUDA_Features/binaryPartitionCG', 'binaryPartitionCG.cu', '', 'Sum of Odds = '),
    ('samples', '3_CUDA_Features/warpAggregatedAtomicsCG', 'warpAggregatedAtomicsCG.cu', '', 'PASSED'),
    ('samples', '3_CUDA_Features/newdelete', 'newdelete.cu', '', ''),
    ('samples', '5_Domain_Specific/quasirandomGenerator',
     'quasirandomGenerator.cpp quasirandomGenerator_gold.cpp quasirandomGenerator_kernel.cu', '', r'L1 norm: \d\.\d+E-(08|1\d)'),
    ('samples', '5_Domain_Specific/SobolQRNG', 'sobol.cpp sobol_gold.cpp sobol_gpu.cu sobol_primitives.cpp', '1000 10', ''),
    ('samples', '5_Domain_Specific/binomialOptions', 'binomialOptions.cpp binomialOptions_gold.cpp binomialOptions_kernel.cu', '', 'passed'),
    ('samples', '6_Performance/transpose', 'transpose.cu', '-dimX=128 -dimY=128', 'Test passed'),
    ('samples', '6_Performance/LargeKernelParameter', 'LargeKernelParameter.cu', '', 'passed'),
    ('rodinia', 'cuda/lud/cuda', 'lud.cu lud_kernel.cu ../common/common.c', '-s 64 -v', ''),
    ('rodinia', 'cuda/pathfinder', 'pathfinder.cu', '256 32 8', ''),
    ('rodinia', 'cuda/gaussian', 'gaussian.cu', '-s 16', ''),
    ('hec', 'adam-cuda', 'main.cu', '1000 10 4', 'PASS'),
    ('hec', 'axpby-cuda', 'main.cu', '1', 'PASS'),
    ('hec', 'bincount-cuda', 'main.cu', '10000 1', 'PASS'),
    ('hec', 'bitpermute-cuda', 'main.cu', '1', 'PASS'),
    ('hec', 'complex-cuda', 'main.cu', '10000 1', 'PASS'),
    ('hec', 'cross-cuda', 'main.cu', '1000 1', 'PASS'),
    ('hec', 'entropy-cuda', 'main.cu', '64 64 1', 'PASS'),
    ('hec', 'heat2d-cuda', 'main.cu', '64 64 2', 'PASS'),
    ('hec', 'laplace3d-cuda', 'main.cu', '64 32 16 2 1', 'PASS'),
    ('hec', 'matrix-rotate-cuda', 'main.cu', '64 2', 'PASS'),
    ('hec', 'merge-cuda', 'main.cu', '1000 1', 'PASS'),
    ('hec', 'reverse-cuda', 'main.cu', '2', 'PASS'),
    ('hec', 'scatter-cuda', 'main.cu', '10000 1', 'PASS'),
    ('hec', 'softmax-cuda', 'main.cu', '64 128 1 1', 'PASS'),
    ('hec', 'stddev-cuda', 'main.cu', '128 256 1', 'PASS'),
    ('hec', 'threadfence-cuda', 'main.cu', '1 10000', 'PASS'),
    ('hec', 'topk-cuda', 'main.cu', '64 1', 'PASS'),
    ('hec', 'wyllie-cuda', 'main.cu', '1000 1 1', 'PASS'),
    ('hec', 'glu-cuda', 'main.cu', '3 16 1', 'PASS'),
    ('hec', 'flip-cuda', 'main.cu', '3 16 1', 'PASS'),
    ('hec', 'romberg-cuda', 'main.cu', '128 64 1', 'PASS'),
    ('hec', 'burger-cuda', 'main.cu', '64 64 2', 'PASS'),
    ('hec', 'hausdorff-cuda', 'main.cu', '500 500 1', 'PASS'),
]
BASES = {'samples': 'Samples', 'rodinia': '', 'hec': 'src'}


def flags(base, root, folder):
    """As --extra-arg, what the code base's own build gives."""
    include = {'samples': [os.path.join(root, 'Common'), os.path.join(folder, '..', 'inc'), os.path.join(folder, 'inc')],
               'rodinia': [folder, os.path.join(folder, '..'), os.path.join(folder, '..', 'common'), os.path.join(root, 'common')],
               'hec': [folder, os.path.join(folder, '..', 'include')]}[base]
    return [f'--extra-arg=-I{path}' for path in include] + ([] if base == 'rodinia' else ['--extra-arg=-std=c++17'])


def run(args, base, folder, sources, arguments, passed):
    """(verdict, seconds, report or None) of one program."""
    root = getattr(args, base)
    path = os.path.join(root, BASES[base], folder)
    command = [os.path.abspath(args.tool), '--compare', '--format=json', f'--time-limit={args.time_limit}', *flags(base, root, path),
               *sources.split(), '--', *arguments.split()]
    start = time.time()
    done = subprocess.run(command, capture_output=True, text=True, errors='replace', cwd=path)
    seconds = time.time() - start
    try:
        report = json.loads(done.stdout)
    except ValueError:
        last = done.stderr.strip().splitlines()[-1:] or ['']
        return f'failed: {last[0][:150]}', seconds, None
    # With JSON on stdout the program's own output is on stderr.
    program = report['program']
    fine = re.search(passed, done.stderr) if passed else program['status'] == 0 and not program['problem']
    return 'passed' if fine else program['problem'] or 'not passed', seconds, report


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('--tool', required=True)
    for base in BASES:
        parser.add_argument(f'--{base}', required=True)
    parser.add_argument('--only', default='')
    parser.add_argument('--time-limit', type=int, default=180)
    args = parser.parse_args()
    sums, verdicts = collections.Counter(), collections.Counter()
    for base, folder, sources, arguments, passed in PROGRAMS:
        if not re.search(args.only, f'{base}/{folder}'):
            continue
        verdict, seconds, report = run(args, base, folder, sources, arguments, passed)
        verdicts[verdict.split(':')[0]] += 1
        counts = report['comparison']['counts'] if report else {}
        sums.update(counts)
        print(f'{base}/{folder}: {verdict}, {seconds:.1f} s: ' + ', '.join(f'{key} {value}' for key, value in counts.items() if value), flush=True)
    print(f'{dict(verdicts)}; {dict(sums)}')


if __name__ == '__main__':
    sys.exit(main())
