"""Formulas of the tower against the schoolbook, and lines against their geometry."""

import itertools
import random
import unittest
from dataclasses import replace

import columns
import curve
import formula
from curve import Weierstrass

SEED = 20261121
CURVES = [curve.load(name) for name in ("toy", "bn254", "bls12_381", "bls12_377")]
TOY = CURVES[0]


def load(name):
    return formula.load(name)


def random_element(ring, rng):
    if hasattr(ring, "p"):
        return rng.randrange(ring.p)
    return tuple(random_element(ring.base, rng) for _ in range(ring.degree))


def named(letter, value):
    return {f"{letter}{i}": part for i, part in enumerate(value)}


def flat(a):
    """The six Fp2 coefficients of an element of Fp12."""
    return a[0] + a[1]


class Fp2OfTheToy(unittest.TestCase):
    """All elements; for products all first factors with 97 second ones.

    What a program and the schoolbook differ by is a polynomial of degree at most 2 in each letter, so three values
    for each letter prove already that it is zero; this is more.
    """

    elements = list(TOY.tower.fp2.elements())
    fp2 = TOY.tower.fp2

    def test_squares(self):
        expected = [self.fp2.mul(a, a) for a in self.elements]
        self.assertEqual(columns.evaluate(TOY.fp, load("fp2_sqr"), self.elements, {"beta": self.fp2.nonresidue}), expected)

    def test_squares_with_i(self):
        expected = [((x * x - y * y) % 97, 2 * x * y % 97) for x, y in self.elements]
        self.assertEqual(columns.evaluate(TOY.fp, load("fp2_sqr_i"), self.elements), expected)

    def test_products(self):
        others = self.elements[::97] + [(1, 1)]
        cases = [a + b for a in self.elements for b in others]
        expected = [self.fp2.mul(case[:2], case[2:]) for case in cases]
        self.assertEqual(columns.evaluate(TOY.fp, load("fp2_mul"), cases, {"beta": self.fp2.nonresidue}), expected)

    def test_products_with_constants(self):
        for k in ((0, 0), (1, 0), (0, 1), (5, 2), (96, 13)):
            expected = [self.fp2.mul(a, k) for a in self.elements]
            bound = {"beta": self.fp2.nonresidue, "k0": k[0], "k1": k[1]}
            self.assertEqual(columns.evaluate(TOY.fp, load("fp2_mul_constant"), self.elements, bound), expected)

    def test_products_with_the_field_below(self):
        cases = [a + (b,) for a in self.elements for b in (0, 1, 2, 50, 96)]
        expected = [self.fp2.mul((x, y), (b, 0)) for x, y, b in cases]
        self.assertEqual(columns.evaluate(TOY.fp, load("fp2_mul_fp"), cases), expected)

    def test_norms_make_inverses(self):
        norms = columns.evaluate(TOY.fp, load("fp2_norm"), self.elements, {"beta": self.fp2.nonresidue})
        for (x, y), (norm,) in zip(self.elements, norms):
            self.assertEqual(self.fp2.mul((x, y), (x, -y % 97)), (norm, 0))
            self.assertEqual(norm == 0, (x, y) == (0, 0))


class HigherFloors(unittest.TestCase):
    """Random elements of every tower, and 0, 1 and the root that it adjoins."""

    def each(self, ring, letters, rounds=4):
        rng = random.Random(SEED)
        for _ in range(rounds):
            yield [random_element(ring, rng) for _ in range(letters)]
        if letters == 1:
            yield from ([ring.zero], [ring.one], [ring.root])

    def test_fp6(self):
        for facts in CURVES:
            tower, xi = facts.tower, {"xi": facts.tower.xi}
            fp2, fp6 = tower.fp2, tower.fp6
            zero = fp2.zero
            for a, b in self.each(fp6, 2):
                la, lb = named("a", a), named("b", b)
                self.assertEqual(load("fp6_mul").evaluate(fp2, la | lb, xi), fp6.mul(a, b))
                self.assertEqual(load("fp6_mul_01").evaluate(fp2, la | lb, xi), fp6.mul(a, (b[0], b[1], zero)))
                self.assertEqual(load("fp6_mul_1").evaluate(fp2, la | lb, xi), fp6.mul(a, (zero, b[1], zero)))
                self.assertEqual(load("fp6_mul_fp2").evaluate(fp2, la | {"b": b[0]}), fp6.mul(a, fp6.embed(b[0])))
            for (a,) in self.each(fp6, 1):
                la = named("a", a)
                self.assertEqual(load("fp6_sqr").evaluate(fp2, la, xi), fp6.mul(a, a))
                self.assertEqual(load("fp6_mul_v").evaluate(fp2, la, xi), fp6.mul(a, fp6.root))
                *others, norm = load("fp6_adjoint").evaluate(fp2, la, xi)
                self.assertEqual(fp6.mul(a, tuple(others)), fp6.embed(norm))
                self.assertEqual(norm == zero, a == fp6.zero)

    def test_fp12(self):
        for facts in CURVES:
            tower = facts.tower
            fp6, fp12, xi, v = tower.fp6, tower.fp12, {"xi": tower.xi}, {"v": tower.fp6.root}
            zero = tower.fp2.zero
            for a, b in self.each(fp12, 2):
                self.assertEqual(load("fp12_mul").evaluate(fp6, named("a", a) | named("b", b), v), fp12.mul(a, b))
                la = named("a", flat(a)) | named("b", flat(b))
                b014 = ((b[0][0], b[0][1], zero), (zero, b[1][1], zero))
                self.assertEqual(load("fp12_mul_014").evaluate(tower.fp2, la, xi), flat(fp12.mul(a, b014)))
                b014 = ((b[0][0], b[0][1], zero), (zero, tower.fp2.one, zero))
                self.assertEqual(load("fp12_mul_014_one").evaluate(tower.fp2, la, xi), flat(fp12.mul(a, b014)))
                b034 = ((b[0][0], zero, zero), (b[1][0], b[1][1], zero))
                self.assertEqual(load("fp12_mul_034").evaluate(tower.fp2, la, xi), flat(fp12.mul(a, b034)))
            for (a,) in self.each(fp12, 1):
                self.assertEqual(load("fp12_sqr").evaluate(fp6, named("a", a), v), fp12.mul(a, a))
                (norm,) = load("fp12_norm").evaluate(fp6, named("a", a), v)
                self.assertEqual(fp12.mul(a, tower.conjugate(a)), fp12.embed(norm))

    def test_cyclotomic_squares(self):
        for facts in CURVES[:2]:
            tower, rng = facts.tower, random.Random(SEED)
            fp12, q = tower.fp12, facts.fp.p
            for _ in range(3):
                a = random_element(fp12, rng)
                unitary = fp12.mul(tower.conjugate(a), fp12.inverse(a))
                cyclotomic = fp12.mul(fp12.power(unitary, q * q), unitary)
                square = load("fp12_cyclotomic_sqr").evaluate(tower.fp2, named("a", flat(cyclotomic)), {"xi": tower.xi})
                self.assertEqual(square, flat(fp12.mul(cyclotomic, cyclotomic)))
                elsewhere = load("fp12_cyclotomic_sqr").evaluate(tower.fp2, named("a", flat(a)), {"xi": tower.xi})
                self.assertNotEqual(elsewhere, flat(fp12.mul(a, a)))


class Twist:
    """y^2 = x^3 + b' over Fp2 with b' = b xi (M) or b / xi (D), and the way up to y^2 = x^3 + b over Fp12."""

    def __init__(self, tower, b, is_m):
        self.tower, self.is_m = tower, is_m
        fp2, fp12 = tower.fp2, tower.fp12
        factor = tower.xi if is_m else fp2.inverse(tower.xi)
        self.curve = Weierstrass(fp2, fp2.scale(b, factor))
        self.above = Weierstrass(fp12, fp12.from_integer(b))
        self.w2, self.w3 = fp12.mul(fp12.root, fp12.root), fp12.power(fp12.root, 3)
        self.scale = [fp12.inverse(w) if is_m else w for w in (self.w2, self.w3)]

    def up(self, a):
        return self.tower.fp12.embed(self.tower.fp6.embed(a))

    def untwisted(self, point):
        return tuple(self.tower.fp12.mul(self.up(part), scale) for part, scale in zip(point, self.scale))

    def line(self, coefficients, point):
        """The three coefficients at a point of g1, at their places in Fp12."""
        ly, lx, l1 = coefficients
        fp2, zero = self.tower.fp2, self.tower.fp2.zero
        x, y = fp2.scale(point[0], lx), fp2.scale(point[1], ly)
        return ((l1, x, zero), (zero, y, zero)) if self.is_m else ((y, zero, zero), (x, l1, zero))

    def is_line_through(self, value, p, q, point):
        """Is value the line through p and q (of the twist) at a point of g1, up to a factor in Fp2 and on the M-twist w^3?"""
        fp12 = self.tower.fp12
        p, q, (x, y) = self.untwisted(p), self.untwisted(q), (fp12.from_integer(c) for c in point)
        slope = self.above.slope(p, q)
        true = fp12.sub(fp12.sub(y, p[1]), fp12.mul(slope, fp12.sub(x, p[0])))
        if self.is_m:
            true = fp12.mul(true, self.w3)
        ratio = fp12.mul(value, fp12.inverse(true))
        return ratio == self.up(ratio[0][0])


class Lines(unittest.TestCase):
    def twists(self):
        rng = random.Random(SEED)
        toy = TOY.group("g1")
        for is_m in (True, False):
            twist = Twist(TOY.tower, toy.b, is_m)
            points = [point for a in range(40) for point in twist.curve.with_x((a, a * a % 97))]
            yield twist, rng.sample(points, 12), toy.points()[1:80:9]
        for facts in CURVES[1:]:
            group, g = facts.group("g2"), facts.generator("g2")
            twist = Twist(facts.tower, facts.group("g1").b, facts.is_m_twist)
            self.assertEqual(twist.curve.b, group.b)
            yield twist, [g, group.mul(7, g), group.mul(11, g)], [facts.generator("g1")]

    def homogeneous(self, fp2, point, z):
        return {"X1": fp2.mul(point[0], z), "Y1": fp2.mul(point[1], z), "Z1": z}

    def affine(self, fp2, values):
        z = fp2.inverse(values[2])
        return (fp2.mul(values[0], z), fp2.mul(values[1], z))

    def test_tangents(self):
        for twist, points, evaluated_at in self.twists():
            fp2 = twist.curve.field
            b3 = {"b3": fp2.scale(3, twist.curve.b)}
            for t, z in itertools.product(points, (fp2.one, (3, 5))):
                *total, ly, lx, l1 = load("line_dbl").evaluate(fp2, self.homogeneous(fp2, t, z), b3)
                self.assertEqual(self.affine(fp2, total), twist.curve.add(t, t))
                for point in evaluated_at:
                    self.assertTrue(twist.is_line_through(twist.line((ly, lx, l1), point), t, t, point))

    def test_chords(self):
        for twist, points, evaluated_at in self.twists():
            fp2 = twist.curve.field
            for (t, q), z in itertools.product(itertools.permutations(points[:6], 2), (fp2.one, (3, 5))):
                if t[0] == q[0]:
                    continue
                values = self.homogeneous(fp2, t, z) | {"X2": q[0], "Y2": q[1]}
                *total, ly, lx, l1 = load("line_add").evaluate(fp2, values)
                self.assertEqual(self.affine(fp2, total), twist.curve.add(t, q))
                for point in evaluated_at:
                    self.assertTrue(twist.is_line_through(twist.line((ly, lx, l1), point), t, q, point))

    def test_a_wrong_line_is_found_out(self):
        twist, points, evaluated_at = next(iter(self.twists()))
        fp2, program, t = twist.curve.field, load("line_dbl"), points[0]
        faulty = replace(program, lines=tuple(replace(line, left=2) if line.target == "lx" else line for line in program.lines))
        *_, ly, lx, l1 = faulty.evaluate(fp2, self.homogeneous(fp2, t, fp2.one), {"b3": fp2.scale(3, twist.curve.b)})
        self.assertFalse(all(twist.is_line_through(twist.line((ly, lx, l1), point), t, t, point) for point in evaluated_at))


if __name__ == "__main__":
    unittest.main()
