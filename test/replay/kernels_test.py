#!/usr/bin/env python3
"""The generator of random kernels: the same for a seed, and cut down to what makes a test fail."""
import unittest

import kernels


class Kernels(unittest.TestCase):
    def made(self, seed):
        return kernels.Generator(seed).kernel('k')

    def test_a_seed_is_a_kernel(self):
        self.assertEqual(self.made(5).lines(), self.made(5).lines())
        self.assertNotEqual(self.made(5).lines(), self.made(6).lines())

    def test_shrunk_to_what_fails(self):
        store = kernels.Statement('out[17] = sum;')
        for seed in range(20):
            kernel = self.made(seed)
            kernel.body.insert(len(kernel.body) // 2, kernels.Statement('for (int q = 0; q < 2; ++q)', [kernels.Statement('if (q)', [store])]))
            smaller = kernels.shrunk(kernel, lambda k: any('out[17] = sum;' in line for line in k.lines()))
            # Loops stay around what is in them: its index may be theirs.
            self.assertEqual([line.strip() for statement in smaller.body for line in statement.lines(0)],
                             ['for (int q = 0; q < 2; ++q) {', 'out[17] = sum;', '}'])

    def test_left_alone_when_nothing_fails(self):
        kernel = self.made(3)
        self.assertEqual(kernels.shrunk(kernel, lambda k: False).lines(), kernel.lines())


if __name__ == '__main__':
    unittest.main()
