"""The fields: primes, generators, base-z forms, and the model's own arithmetic on the toy."""

import tomllib
import unittest

import field
from field import SPEC, number

FIELDS = [field.load(name) for name in field.names()]
FACTS = {name: tomllib.loads((SPEC / f"fields/{name}.toml").read_text()) for name in field.names()}


def is_probable_prime(n):
    """Miller and Rabin with the first 24 primes as bases; a published modulus is not made to deceive it."""
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89):
        if base % n == 0:
            continue
        powers = [pow(base, odd << i, n) for i in range(twos)]
        if powers[0] != 1 and n - 1 not in powers:
            return False
    return True


class Facts(unittest.TestCase):
    def test_names_and_primes(self):
        for name, fact in FACTS.items():
            self.assertEqual(fact["name"], name)
            self.assertTrue(is_probable_prime(number(fact["modulus"])), name)

    def test_a_generator_makes_every_root_of_unity_of_two_power_order(self):
        for one in FIELDS:
            if generator := FACTS[one.name].get("generator"):
                self.assertFalse(one.is_square(generator), one.name)

    def test_generators_of_the_toys_make_everything(self):
        for name in ("toy_fp", "toy_fr", "toy_edwards_fr", "toy_bn_fp", "toy_bn_fr"):
            p = field.load(name).p
            self.assertEqual(len({pow(FACTS[name]["generator"], i, p) for i in range(p - 1)}), p - 1)

    def test_base_z_forms(self):
        for name, fact in FACTS.items():
            if form := fact.get("base_z"):
                value = sum(c * number(form["z"])**i for i, c in enumerate(form["polynomial"]))
                self.assertEqual(value, form["divisor"] * number(fact["modulus"]), name)


class Arithmetic(unittest.TestCase):
    toy = field.load("toy_fp")

    def test_every_square_root_and_inverse_of_the_toy(self):
        squares = {a * a % 97: min(a, -a % 97) for a in range(97)}
        for a in range(97):
            self.assertEqual(self.toy.sqrt(a), squares.get(a))
            self.assertEqual(self.toy.is_square(a), a in squares)
            if a:
                self.assertEqual(self.toy.mul(a, self.toy.inverse(a)), 1)

    def test_roots_and_inverses_of_the_others(self):
        for one in FIELDS:
            for a in (2, 3, 12345 % one.p, one.p - 2):
                square = one.mul(a, a)
                self.assertEqual(one.sqrt(square), min(a, one.neg(a)))
                self.assertEqual(one.mul(one.inverse(a), a), 1)

    def test_zero_has_no_inverse(self):
        with self.assertRaisesRegex(ZeroDivisionError, "toy_fp: zero has no inverse"):
            self.toy.inverse(0)

    def test_decoding_is_canonical(self):
        for one in FIELDS:
            self.assertEqual(one.decode(one.encode(one.p - 1)), one.p - 1)
            for bad, reason in ((one.p.to_bytes(one.bytes, "little"), "not reduced"), (bytes(one.bytes + 1), "wrong length"), (b"", "wrong length")):
                with self.assertRaisesRegex(ValueError, reason):
                    one.decode(bad)


if __name__ == "__main__":
    unittest.main()
