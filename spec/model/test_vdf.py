"""The VDF's model: group laws of its proofs, what they refuse, and published primes."""

import unittest

import vdf

#: A product of two primes, whose order is known here.
P, Q = 1000003, 1000033
N = P * Q


class Evaluation(unittest.TestCase):
    def test_with_the_order_known_the_exponent_reduces(self):
        for t in (1, 2, 100, 1000):
            self.assertEqual(vdf.evaluate(N, 7, t), pow(7, pow(2, t, (P - 1) * (Q - 1)), N))


class Proofs(unittest.TestCase):
    def test_wesolowski(self):
        for t in (1, 2, 300, 777):
            x, y = 5, vdf.evaluate(N, 5, t)
            proof = vdf.prove(N, x, t)
            self.assertTrue(vdf.verify(N, x, y, t, proof))
            self.assertTrue(vdf.verify(N, x, N - y, t, proof), "the group is modulo sign")
            for wrong in ((x, y, t + 1, proof), (x, y + 1, t, proof), (x + 1, y, t, proof), (x, y, t, proof + 1)):
                self.assertFalse(vdf.verify(N, *wrong))

    def test_halvings(self):
        for t in (1, 2, 3, 7, 8, 100, 101):
            for last in (1, 4):
                x, y = 5, vdf.evaluate(N, 5, t)
                halvings = vdf.prove_by_halving(N, x, t, last)
                self.assertTrue(vdf.verify_by_halving(N, x, y, t, halvings))
                self.assertFalse(vdf.verify_by_halving(N, x, y + 1, t, halvings))
                self.assertFalse(vdf.verify_by_halving(N, x, y, t + 1, halvings))
                self.assertFalse(vdf.verify_by_halving(N, x, y, 1, [3]))


class Primes(unittest.TestCase):
    def test_small_numbers(self):
        primes = {n for n in range(2, 3000) if all(n % d for d in range(2, int(n**0.5) + 1))}
        self.assertEqual({n for n in range(3000) if vdf.is_probable_prime(n)}, primes)

    def test_what_hash_prime_finds(self):
        for seed in (b"\x00", b"seed", b"\xff" * 32):
            prime = vdf.hash_prime(seed, 264, [263])
            self.assertEqual(prime.bit_length(), 264)
            self.assertTrue(vdf.is_probable_prime(prime))


if __name__ == "__main__":
    unittest.main()
