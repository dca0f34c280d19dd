"""The transform: by definition, fast, and in the engine's passes."""

import random
import unittest

import ntt
from ntt import GOLDILOCKS


class Transform(unittest.TestCase):
    def test_fast_is_the_definition_and_its_inverse_undoes_it(self):
        source = random.Random(1)
        for name in ("goldilocks", "bn254_fr", "bls12_381_fr"):
            field = ntt.field(name)
            for log in range(7):
                x = [source.randrange(field.p) for _ in range(1 << log)]
                g = source.randrange(1, field.p)
                values = ntt.transform(field, x, coset=g)
                self.assertEqual(values, ntt.definition(field, ntt.scaled(field, x, g), field.root(log)))
                self.assertEqual(ntt.transform(field, values, inverse=True, coset=g), x)

    def test_the_passes_make_the_transform(self):
        source = random.Random(2)
        for log in (6, 7, 8, 9, 11, 12, 13, 14):
            x = [source.randrange(GOLDILOCKS.p) for _ in range(1 << log)]
            g = source.randrange(1, GOLDILOCKS.p)
            values = ntt.run(x, shift=g)
            self.assertEqual(values, ntt.transform(GOLDILOCKS, x, coset=g), log)
            shift, scale = (pow(y, -1, GOLDILOCKS.p) for y in (g, len(x)))
            self.assertEqual(ntt.run(values, inverse=True, shift=shift, scale=scale), x, log)

    def test_steps_of_radix_4_make_the_transform(self):
        source = random.Random(3)
        for name in ("bn254_fr", "bls12_381_fr"):
            field = ntt.field(name)
            for log in range(1, 9):
                x = [source.randrange(field.p) for _ in range(1 << log)]
                g = source.randrange(1, field.p)
                values = ntt.transform(field, x, coset=g)
                shift, scale = (pow(y, -1, field.p) for y in (g, len(x)))
                for pass_log in (3, 4, 8):
                    self.assertEqual(ntt.run(x, shift=g, field=field, pass_log=pass_log), values, (name, log))
                    self.assertEqual(ntt.run(values, True, shift, scale, field, pass_log), x, (name, log))

    def test_the_quotient_times_the_vanishing_polynomial_is_a_b_less_c(self):
        """By polynomials: c is a b at the powers of the root, so x^n - 1 divides what is left."""
        source = random.Random(4)
        for name in ("bn254_fr", "bls12_381_fr"):
            field, log = ntt.field(name), 3
            p, n = field.p, 1 << log
            a, b = ([source.randrange(p) for _ in range(n)] for _ in range(2))
            c = [x * y % p for x, y in zip(a, b)]
            left = [0] * 2 * n
            polynomials = [ntt.transform(field, x, inverse=True) for x in (a, b, c)]
            for i, x in enumerate(polynomials[0]):
                for j, y in enumerate(polynomials[1]):
                    left[i + j] += x * y
            for i, z in enumerate(polynomials[2]):
                left[i] -= z
            h = [x % p for x in left[n:]]  # (x^n - 1) h has the coefficients of h in its upper half, and less h in its lower one
            self.assertEqual([-x % p for x in h], [x % p for x in left[:n]])
            g = field.root(log + 1)
            scale = pow(g, n, p) - 1
            wanted = [x * scale % p for x in ntt.transform(field, h, coset=g)]
            self.assertEqual(ntt.quotient(field, a, b, c, g), wanted)

    def test_i_is_a_power_of_z(self):
        """BLS12-381: z^6 = -1 modulo r = z^4 - z^2 + 1, so z^3 is a root of order 4."""
        field, z = ntt.field("bls12_381_fr"), -0xD201000000010000
        self.assertIn(field.root(2), [sign * z**3 % field.p for sign in (1, -1)])

    def test_2_to_the_39_is_the_root_of_order_64(self):
        self.assertEqual(GOLDILOCKS.root(6), pow(2, 39, GOLDILOCKS.p))

    def test_sizes_that_cannot_be_are_named(self):
        for log in (5, 37):
            with self.assertRaisesRegex(ValueError, f"log: {log} is not between 6 and 36"):
                ntt.columns(log)
        with self.assertRaisesRegex(ValueError, "elements: 3 is not a power of two"):
            ntt.log_of([1, 2, 3])


if __name__ == "__main__":
    unittest.main()
