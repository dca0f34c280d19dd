"""circomlib's Poseidon and Poseidon2: published values, and where the numbers come from."""

import json
import unittest

import permutation
import published
from permutation import circom, is_safe, poseidon2

INSTANCES = ("poseidon2_bn254", "poseidon2_goldilocks")


class Published(unittest.TestCase):
    def setUp(self):
        self.found = json.loads((published.FOLDER / "permutation.json").read_text())

    def test_circomlib(self):
        for preimage, digest in self.found["poseidon_circom"]:
            self.assertEqual(circom(len(preimage)).hash(preimage), int(digest, 16))

    def test_poseidon2(self):
        for name in INSTANCES:
            for state, wanted in self.found[name]:
                self.assertEqual(poseidon2(name, len(state)).permutation(state), [int(x, 16) for x in wanted])


class Derivation(unittest.TestCase):
    def test_the_inner_matrix_is_the_first_safe_candidate(self):
        for name in INSTANCES:
            for width in permutation.widths(name):
                it = poseidon2(name, width)
                if it.candidate is not None:
                    safe = [is_safe(diagonal, it.p) for diagonal in it.candidates]
                    self.assertEqual(safe, [False] * it.candidate + [True], f"{name} {width}")

    def test_polynomials(self):
        """x^2 + 1 is irreducible modulo 7, x^2 + 3 x + 2 is not; the polynomial of a matrix has the matrix as a root."""
        self.assertTrue(permutation.is_coprime([1, 0, 1], [3, 1], 7))
        self.assertFalse(permutation.is_coprime([2, 3, 1], [1, 1], 7))
        diagonal, p = [3, 5, 6], 101
        matrix = [[diagonal[i] if i == j else 1 for j in range(3)] for i in range(3)]
        total, power = [[0] * 3 for _ in range(3)], [[int(i == j) for j in range(3)] for i in range(3)]
        for coefficient in permutation.characteristic(diagonal, p):
            total = [[(a + coefficient * b) % p for a, b in zip(*rows)] for rows in zip(total, power)]
            power = [[sum(a * matrix[k][j] for k, a in enumerate(row)) % p for j in range(3)] for row in power]
        self.assertEqual(total, [[0] * 3] * 3)

    def test_cauchy_numbers_of_circom_differ(self):
        for arity in (1, 2, 16):
            it = circom(arity)
            self.assertEqual(len({tuple(row) for row in it.outer}), it.width)
            self.assertEqual(len(set(zip(*it.outer))), it.width)


if __name__ == "__main__":
    unittest.main()
