#!/usr/bin/env python3
"""Whole-launch totals against what Nsight Compute counted on real GPUs: calibration.json, test/inputs/calibration.

usage: calibration_test.py WARPLINT
"""
import json
import os
import subprocess
import sys
import unittest

TOOL = sys.argv.pop(1)
HERE = os.path.dirname(os.path.abspath(__file__))
INPUTS = os.path.join(HERE, '..', 'inputs', 'calibration')


def total(accesses, key):
    return sum(access['total'][key] for access in accesses)


def bytes_per_sector(accesses):
    moved = sum(access['mean']['sectorEfficiency'] * 32 * access['total']['sectors'] for access in accesses)
    return moved / total(accesses, 'sectors')


def loads(accesses):
    return [access for access in accesses if access['operation'] == 'load']


METRICS = { # of a kernel's global and shared accesses
    'sectors': lambda g, s: total(g, 'sectors'),
    'excessive sectors': lambda g, s: total(g, 'sectors') - total(g, 'idealSectors'),
    'bytes per load sector': lambda g, s: bytes_per_sector(loads(g)),
    'wavefronts': lambda g, s: total(s, 'wavefronts'),
    'excessive wavefronts': lambda g, s: sum(a['total']['wavefronts'] - a['mean']['idealWavefronts'] * a['total']['requests']
                                             for a in s),
    'shared load requests': lambda g, s: total(loads(s), 'requests'),
    'wavefronts per shared load': lambda g, s: total(loads(s), 'wavefronts') / total(loads(s), 'requests'),
}


class Calibration(unittest.TestCase):
    def check(self, options):
        with open(os.path.join(HERE, 'calibration.json'), encoding='utf-8') as file:
            readings = json.load(file)['readings']
        kernels = {}
        for name in sorted({reading['file'] for reading in readings}):
            run = subprocess.run([TOOL, '--format=json', '--quiet'] + options + [os.path.join(INPUTS, name)],
                                 capture_output=True, text=True, timeout=300)
            for kernel in json.loads(run.stdout)['kernels']:
                kernels[name, kernel['name']] = kernel['accesses']
        for reading in readings:
            with self.subTest(reading=reading['name']):
                accesses = kernels[reading['file'], reading['kernel']]
                self.assertEqual({access['confidence'] for access in accesses}, {'exact'})
                got = METRICS[reading['metric']]([a for a in accesses if a['space'] == 'global'],
                                                 [a for a in accesses if a['space'] == 'shared'])
                self.assertAlmostEqual(got, reading['published'], places=6)

    def test_as_found(self):
        self.check([])

    def test_without_toolkit(self):
        self.check(['--no-cuda'])


unittest.main()
