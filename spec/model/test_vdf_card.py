"""The engine vdf of the model: exhaustively in small digits, at the largest values, and its commands."""

import random
import unittest

from cases_vdf import RSA
from vdf_card import STATUS, Engine, Geometry


def loaded(geometry, n):
    engine = Engine(geometry)
    for position, constant in enumerate(geometry.constants_of(n)):
        told = engine.load({"index": position, "position": position, "reserved": 0, "constant": constant})
        assert told == {"index": position, "status": STATUS["done"]}
    return engine


def squared(engine, x, squarings, go_on=0):
    return engine.square({"index": 7, "squarings": squarings, "resume": go_on, "input": x})


class Squarings(unittest.TestCase):
    def test_every_input_of_every_small_modulus(self):
        geometry = Geometry(bits=8, radix=4, wide=5)
        for n in range(2, 256):
            engine = loaded(geometry, n)
            for x in range(0, n, 1 if n > 240 else 7):
                self.assertEqual(squared(engine, x, 3)["state"] % n, pow(x, 8, n))

    def test_moduli_of_the_factoring_challenge(self):
        for bits, n in RSA.items():
            engine = loaded(Geometry(bits), n)
            for x in (0, 1, 2, n - 1, random.Random(bits).randrange(n)):
                self.assertEqual(squared(engine, x, 2)["state"] % n, pow(x, 4, n))
            self.assertEqual(squared(engine, 0, 3, go_on=1)["state"] % n, pow(x, 32, n))

    def test_the_largest_digits_stay_within_their_bounds(self):
        """Digits that no squaring leaves, but every bound allows; the methods check their bounds."""
        for geometry in (Geometry(64), Geometry(1024), Geometry(8, 4, 5)):
            state, digits = geometry.largest, []
            for k in reversed(range(geometry.digits)):
                digits.insert(0, min(state >> geometry.radix * k, geometry.digit_high(geometry.square_digits)))
                state -= digits[0] << geometry.radix * k
            n = (1 << geometry.bits) - 1
            square = geometry.square(digits)
            self.assertEqual(geometry.value(square), geometry.value(digits) ** 2)
            reduced = geometry.reduce(square, geometry.constants_of(n), n)
            self.assertEqual(geometry.value(reduced) % n, geometry.value(square) % n)
            highest = [geometry.digit_high(geometry.square_digits)] * geometry.square_digits
            geometry.reduce(highest, [n] * geometry.constants)

    def test_moduli_of_fewer_bits(self):
        engine = loaded(Geometry(64), 35)
        self.assertEqual(squared(engine, 3, 1000)["state"] % 35, pow(3, 1 << 1000, 35))


class Commands(unittest.TestCase):
    def setUp(self):
        self.geometry = Geometry(64)
        self.n = 0xFFFFFFFB * 0xFFFFFFEF
        self.engine = loaded(self.geometry, self.n)

    def load(self, position, reserved=0):
        return self.engine.load({"index": 1, "position": position, "reserved": reserved, "constant": 5})["status"]

    def test_constants_enter_in_order(self):
        for position in (1, self.geometry.constants, 1 << 31):
            self.assertEqual(self.load(position), STATUS["invalid"])
        self.assertEqual(self.load(0, reserved=1), STATUS["invalid"])
        self.assertEqual(squared(self.engine, 3, 1)["state"], 9)
        self.assertEqual(self.load(0), STATUS["done"])
        self.assertEqual(self.load(2), STATUS["invalid"])
        self.assertEqual(squared(self.engine, 3, 1), {"index": 7, "status": STATUS["missing"], "state": 0})

    def test_a_state_belongs_to_its_modulus(self):
        self.assertEqual(squared(self.engine, 3, 1, go_on=1)["status"], STATUS["missing"])
        squared(self.engine, 3, 1)
        self.assertEqual(squared(self.engine, 0, 1, go_on=1)["state"], 81)
        for position, constant in enumerate(self.geometry.constants_of(self.n)):
            self.engine.load({"index": 0, "position": position, "reserved": 0, "constant": constant})
        self.assertEqual(squared(self.engine, 3, 1, go_on=1)["status"], STATUS["missing"])
        self.engine.reset()
        self.assertEqual(squared(self.engine, 3, 1)["status"], STATUS["missing"])

    def test_fields_out_of_range(self):
        for squarings, go_on in ((0, 0), (1, 2), (0, 1), (5, 1 << 31)):
            self.assertEqual(squared(self.engine, 3, squarings, go_on)["status"], STATUS["invalid"])


if __name__ == "__main__":
    unittest.main()
