"""Combinations with floating-point limbs lose no bit: bounds for every width of Poseidon, and the model against integers."""

import itertools
import random
import unittest

from doubles import NORMAL, Interval, OutOfBounds
from poseidon import ARITIES, MOST_SCALED_WIDTH, Instance, Scaled
from poseidon_doubles import Bounds, Exact, combinations


def rows(width):
    """Of the scaled matrix."""
    return Scaled(Instance(width - 1)).matrix()


#: The largest row of each width is the first.
LARGEST = {arity + 1: rows(arity + 1)[0] for arity in ARITIES if arity < MOST_SCALED_WIDTH}


def constant(on):
    """Any number between -p/2 and p/2 in digits nearest to 0."""
    return on.element([Interval.around(1 << on.table.width - 1)] * on.table.count, Interval.around(on.table.p // 2))


class Proofs(unittest.TestCase):
    def test_combinations_are_normal(self):
        for row in LARGEST.values():
            self.assertLess(sum(row), 1 << 47)
            on = combinations(Bounds)
            result = on.combination([on.normal()] * len(row), row, constant(on))
            self.assertTrue(on.is_normal(result), len(row))

    def test_larger_factors_are_refused(self):
        on = combinations(Bounds)
        with self.assertRaisesRegex(OutOfBounds, "multiple"):
            on.combination([on.normal()] * 12, [1 << 48] * 12, constant(on))

    def test_more_terms_without_carries_are_refused(self):
        on = combinations(Bounds)
        on.combination([on.normal()] * 4, [1 << 40] * 4, constant(on))
        lows = [on.on.constant(0)] * 5
        with self.assertRaisesRegex(OutOfBounds, "low part"):
            for turn in range(9):
                _, lows[0] = on.on.product(on.on.constant(on.table.start), lows[0], on.on.constant(1 << 40), on.normal().digits[0], f"term {turn}")


class Model(unittest.TestCase):
    def check(self, terms, factors, plus):
        on = combinations(Exact)
        found = on.combination([on.element(digits, on.table.value(digits)) for digits in terms], factors, on.constant(plus))
        wanted = plus + sum(factor * on.table.value(digits) for factor, digits in zip(factors, terms))
        self.assertEqual((found.value - wanted) % on.table.p, 0)
        self.assertTrue(on.is_normal(found))

    def extremes(self, on):
        """Elements with the largest digits of either sign, and numbers around 0 and p/2."""
        digit, p = NORMAL[5][0], on.table.p
        whole = [[float(sign * digit)] * 4 + [float(sign * on.table.modulus[4] * 51 // 100)] for sign in (1, -1)]
        mixed = [[float((-1) ** (j + turn) * digit) for j in range(4)] + [0.0] for turn in (0, 1)]
        return whole + mixed + [[float(x) for x in on.table.digits(value)] for value in (0, 1, -1, p // 2, -(p // 2))]

    def test_edges(self):
        on = combinations(Exact)
        for row in LARGEST.values():
            for first, second in itertools.product(self.extremes(on), repeat=2):
                self.check([first, second] * (len(row) // 2) + [first] * (len(row) % 2), row, on.table.p // 2)

    def test_random(self):
        source, on = random.Random(12), combinations(Exact)
        half = on.table.p // 2
        for row in LARGEST.values():
            for _ in range(20):
                terms = [[float(x) for x in on.table.digits(source.randint(-half, half))] for _ in row]
                self.check(terms, row, source.randint(-half, half))


if __name__ == "__main__":
    unittest.main()
