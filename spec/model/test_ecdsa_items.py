"""The cut of the scalars: every sum of items is its scalar, halves stay within their bound, and no sum on the way is exceptional."""

import itertools
import random
import unittest
from fractions import Fraction

import curve as curves
import ecdsa_items
from ecdsa_items import SLACK

SCHEME = ecdsa_items.load()
TOY = ecdsa_items.load("toy")
N = SCHEME.n


def edges(scheme):
    """Scalars likely to go wrong: near 0, n, powers of two, multiples of lambda, the middle, and where a quotient rounds."""
    near = range(-3, 4)
    places = [0, scheme.n // 2, scheme.lam, scheme.lam**2, 1 << scheme.bits - 1, *(1 << i for i in range(scheme.bits))]
    places += [int((i + Fraction(1, 2)) / factor) for factor in scheme.factors if factor for i in (0, 1, 2, 3)]
    places += [-(1 << i) * scheme.lam for i in range(0, scheme.bits, 8)]
    densest = sum(1 << i for i in range(0, scheme.half_bits + 1, scheme.window))
    places += [sign1 * densest + sign2 * densest * scheme.lam for sign1 in (1, -1) for sign2 in (1, -1)]
    return sorted({(place + step) % scheme.n for place in places for step in near})


def q_sum(scheme, items):
    """The scalar that items add up to, as the program takes them."""
    total = 0
    for item in reversed(items):
        half, entry = divmod(item.magnitude, scheme.entries)
        total += (-1 if item.minus else 1) * (2 * entry + 1) * (scheme.lam if half else 1)
        total <<= item.count
    return total % scheme.n


def g_sum(scheme, items):
    total = 0
    for item in items:
        window, entry = divmod(item.magnitude, 1 << scheme.comb - 1)
        total += (-1 if item.minus else 1) * (entry + 1 << scheme.comb * window)
    return total


class Cut(unittest.TestCase):
    def check(self, scheme, u):
        halves = scheme.split(u)
        self.assertEqual((halves[0] + halves[1] * scheme.lam - u) % scheme.n, 0)
        self.assertLessEqual(max(map(abs, halves)), scheme.half_bound)
        items = scheme.q_items(u)
        self.assertEqual(q_sum(scheme, items), u)
        self.assertLessEqual(len(items), 2 * (scheme.half_bits // scheme.window + 1))
        self.assertLessEqual(max((item.count for item in items), default=0), scheme.half_bits)
        self.assertLess(max((item.magnitude for item in items), default=0), 2 * scheme.entries)
        items = scheme.g_items(u)
        self.assertEqual(g_sum(scheme, items), scheme.centred(u))
        self.assertLess(max((item.magnitude for item in items), default=0), scheme.windows << scheme.comb - 1)

    def test_every_toy_scalar(self):
        for window, comb in ((2, 2), (3, 3), (5, 8)):
            scheme = ecdsa_items.load("toy", window=window, comb=comb)
            for u in range(scheme.n):
                self.check(scheme, u)

    def test_edges_and_random_scalars(self):
        for window, comb in ((5, 8), (6, 8), (4, 6)):
            scheme = ecdsa_items.load(window=window, comb=comb)
            for u in edges(scheme) + [random.Random(i).randrange(N) for i in range(1000)]:
                self.check(scheme, u)

    def test_no_list_is_too_short(self):
        """A half's digits are at a distance of `window` places, and above place half_bits there is none: digits up to place p add up to 2^p less
        the largest digit at every place below, at least. Some scalar fills the list of u2."""
        largest, top = (1 << SCHEME.window - 1) - 1, SCHEME.half_bits
        least = (1 << top + 1) - sum(largest << place for place in range(top + 1 - SCHEME.window, -1, -SCHEME.window))
        self.assertGreater(least, SCHEME.half_bound)
        most = 2 * (top // SCHEME.window + 1)
        self.assertEqual(max(len(SCHEME.q_items(u)) for u in edges(SCHEME)), most)

    def test_only_zero_has_no_items(self):
        for scheme in (SCHEME, TOY):
            self.assertEqual((scheme.q_items(0), scheme.g_items(0)), ([], []))
        self.assertTrue(all(TOY.q_items(u) and TOY.g_items(u) for u in range(1, TOY.n)))

    def test_entries_are_multiples_on_the_curve(self):
        """The items of a scalar, added up as points of the toy curve."""
        curve = curves.load("toy")
        group, q = curve.group("g1"), curve.generator("g1")
        for u in range(TOY.n):
            total = None
            for item in reversed(TOY.q_items(u)):
                half, entry = divmod(item.magnitude, TOY.entries)
                point = group.mul(2 * entry + 1, q)
                point = (curve.endomorphism[0] * point[0] % curve.fp.p, point[1]) if half and point else point
                total = group.add(total, group.neg(point) if item.minus else point)
                total = group.mul(1 << item.count, total)
            self.assertEqual(total, group.mul(u, q))


class NoException(unittest.TestCase):
    """Why incomplete formulas do: no accumulator ever meets the identity, its summand or its summand's opposite.

    The order is an odd prime, so that doubling is never exceptional. `x` below is an accumulator's scalar.
    """

    def test_basis_is_one_of_the_lattice(self):
        for scheme in (SCHEME, TOY):
            (a1, b1), (a2, b2) = scheme.basis
            self.assertEqual([(a + b * scheme.lam) % scheme.n for a, b in scheme.basis], [0, 0])
            self.assertEqual(abs(a1 * b2 - a2 * b1), scheme.n)  # nothing of the lattice is missing

    def test_quotients_are_off_by_less_than_the_slack(self):
        """Against factor times u: bits of u that are not looked at, and what the rounded multiplier differs by."""
        for scheme in (SCHEME, TOY):
            for factor, multiplier in zip(scheme.factors, scheme.multipliers):
                truncated = factor * ((1 << scheme.drop) - 1)
                rounded = abs(multiplier - factor * (1 << scheme.drop + scheme.shift)) * (1 << scheme.bits - scheme.drop) / (1 << scheme.shift)
                self.assertLessEqual(truncated + rounded, SLACK)

    def test_sums_in_the_chain_of_q(self):
        """x = (x1, x2) represents x1 + x2 lambda. Let digit d of half h be added at place p.

        |xi 2^p| <= |ki| + 2^p (15 + 15 / 32 + …), so |xi| < half_bound + 16. x_h has only digits from place p + 5 on: it is
        a multiple of 32, and not ±d. So x ∓ d e_h is not (0, 0); x is not, because the lowest digit in it is odd. Both are shorter than every
        other vector of the lattice, so neither is 0 mod n.
        """
        (a1, b1), (a2, b2) = SCHEME.basis
        longest = SCHEME.half_bound + 2 * (1 << SCHEME.window - 1)
        # i and j of a vector i v1 + j v2 by Cramer's rule, for vectors no longer than `longest`
        i_bound = (abs(a2) + abs(b2)) * longest // N
        j_bound = (abs(a1) + abs(b1)) * longest // N
        pairs = itertools.product(range(-i_bound, i_bound + 1), range(-j_bound, j_bound + 1))
        norms = [max(abs(i * a1 + j * a2), abs(i * b1 + j * b2)) for i, j in pairs if (i, j) != (0, 0)]
        self.assertTrue(all(norm > longest for norm in norms))
        self.assertGreater(len(norms), 0)
        for u in edges(SCHEME):
            for k in SCHEME.split(u):
                places = [place for place, _ in SCHEME.wnaf(k)]
                self.assertTrue(all(above - below >= SCHEME.window for below, above in zip(places, places[1:])))

    def test_sums_in_the_chain_of_g(self):
        """From the top window down: x is a multiple of 256^(i+1), the summand d 256^i with 0 < |d| <= 128, so that their sum and
        difference are not 0; and |x| + |d| 256^i < n, so that they are not 0 mod n."""
        base, digit = 1 << SCHEME.comb, 1 << SCHEME.comb - 1
        for window in range(SCHEME.windows - 1):  # the topmost has nothing to be added to
            rest = sum(digit * base**i for i in range(window + 1))  # of |u1 - x|
            self.assertLess((1 << SCHEME.bits - 1) + rest + digit * base**window, N)
        for u in edges(SCHEME):
            self.assertLessEqual(abs(SCHEME.centred(u)), 1 << SCHEME.bits - 1)
            self.assertLessEqual(max(map(abs, SCHEME.booth(SCHEME.centred(u)))), digit)


if __name__ == "__main__":
    unittest.main()
