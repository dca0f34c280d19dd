"""The pairings by definition: the laws, the value that is published for BLS12-381, and the one from the formulas."""

import unittest

import curve
from pairing import Pairing
from test_pairing_formulas import PUBLISHED
from test_pairing_formulas import Pairing as Formulas


def generators(pairing):
    return pairing.facts.generator("g1"), pairing.facts.generator("g2")


def flat(value):
    return [part for half in value for pair in half for part in pair]


class Values(unittest.TestCase):
    def test_published_value(self):
        pairing = Pairing("bls12_381")
        self.assertEqual(flat(pairing(*generators(pairing))), [int(line, 16) for line in PUBLISHED.split()])

    def test_same_as_by_formulas(self):
        pairing = Pairing("bls12_377")
        self.assertEqual(pairing(*generators(pairing)), Formulas(curve.load("bls12_377"))(*generators(pairing)))


class Laws(unittest.TestCase):
    def test_bilinear_on_bn254(self):
        pairing = Pairing("bn254")
        (g1, g2), f = generators(pairing), pairing.fp12
        moved = pairing(pairing.facts.group("g1").mul(6, g1), pairing.facts.group("g2").mul(-5, g2))
        value = pairing(g1, g2)
        self.assertEqual(f.mul(moved, f.power(value, 30)), f.one)
        self.assertNotEqual(value, f.one)
        self.assertEqual(f.power(value, pairing.facts.r), f.one)

    def test_identities(self):
        pairing = Pairing("bn254")
        g1, g2 = generators(pairing)
        self.assertEqual([pairing(None, g2), pairing(g1, None)], [pairing.fp12.one] * 2)


if __name__ == "__main__":
    unittest.main()
