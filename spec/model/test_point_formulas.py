"""Every point formula against the affine law, for all pairs of points of the toy curves, in many representatives each."""

import random
import unittest

import columns
import curve
import formula
from test_formula import altered

TOY = curve.load("toy")
EVEN = curve.load("toy_edwards")  # as a Weierstrass curve of even order, and in Edwards form
FP = TOY.fp
INVERSE = [None] + [FP.inverse(a) for a in range(1, FP.p)]


class Homogeneous:
    """A kind of coordinates: a point's representative with a scale, and the point of a formula's outputs."""

    @staticmethod
    def of(point, z):
        return (0, z, 0) if point is None else (point[0] * z % FP.p, point[1] * z % FP.p, z)

    @staticmethod
    def read(values):
        """The point, None for the identity, "nothing" where no point has these coordinates."""
        x, y, z = values
        if z == 0:
            return None if x == 0 and y != 0 else "nothing"
        return (x * INVERSE[z] % FP.p, y * INVERSE[z] % FP.p)


class Xyzz:
    @staticmethod
    def of(point, z):
        z2, z3 = z * z % FP.p, z**3 % FP.p
        return (z2, z3, 0, 0) if point is None else (point[0] * z2 % FP.p, point[1] * z3 % FP.p, z2, z3)

    @staticmethod
    def read(values):
        x, y, zz, zzz = values
        if (zz**3 - zzz**2) % FP.p != 0 or zz == 0 and x == 0:
            return "nothing"
        return None if zz == 0 else (x * INVERSE[zz] % FP.p, y * INVERSE[zzz] % FP.p)


class Jacobian:
    @staticmethod
    def of(point, z):
        x, y, zz, _ = Xyzz.of(point, z)
        return (x, y, z if zz else 0)

    @staticmethod
    def read(values):
        x, y, z = values
        return Xyzz.read((x, y, z * z % FP.p, z**3 % FP.p))


class Lazy:
    """Jacobian coordinates whose last differences are left to the reader: X = XA - 2 XB, Y = YA - YB."""

    @staticmethod
    def of(point, z):
        x, y, scale = Jacobian.of(point, z)
        xb, yb = (3 * z + 1) % FP.p, (5 * z + 2) % FP.p
        return ((x + 2 * xb) % FP.p, xb, (y + yb) % FP.p, yb, scale)

    @staticmethod
    def read(values):
        xa, xb, ya, yb, z = values
        return Jacobian.read(((xa - 2 * xb) % FP.p, (ya - yb) % FP.p, z))


class Extended:
    @staticmethod
    def of(point, z):
        x, y = point
        return (x * z % FP.p, y * z % FP.p, z, x * y * z % FP.p)

    @staticmethod
    def read(values):
        x, y, z, t = values
        if z == 0 or (x * y - z * t) % FP.p != 0:
            return "nothing"
        return (x * INVERSE[z] % FP.p, y * INVERSE[z] % FP.p)


def sums(group):
    """Pair of points -> their sum; None also where the Edwards law has none, which `read` never gives there."""
    table = {}
    for p in group.points():
        for q in group.points():
            try:
                table[p, q] = group.add(p, q)
            except ZeroDivisionError:
                table[p, q] = None
    return table


SUMS = {"toy": sums(TOY.group("g1")), "even": sums(EVEN.group("g1"))}
EDWARDS = EVEN.edwards_map.edwards
SUMS["edwards"] = sums(EDWARDS)


def scales(table):
    """All of them; every seventh for the larger curve, whose pairs are many."""
    return range(1, FP.p) if table is SUMS["toy"] else range(1, FP.p, 7)


def wrong_sums(program, table, coordinates, second=None, constants=None):
    """The pairs whose sum a formula gives wrong, for at least one representative.

    The first point has scales z; the second has 5 z, or is in the form that `second` gives, which knows no identity.
    """
    pairs, cases = [], []
    for pair in table:
        if second and pair[1] is None:
            continue
        for z in scales(table):
            other = second(pair[1]) if second else coordinates.of(pair[1], z * 5 % FP.p)
            pairs.append(pair)
            cases.append(coordinates.of(pair[0], z) + other)
    found = columns.evaluate(FP, program, cases, constants)
    return {pair for pair, values in zip(pairs, found) if coordinates.read(values) != table[pair]}


def wrong_doubles(program, table, coordinates, constants=None):
    """Returns the points whose double by a formula is wrong. The inputs omit T1, which Edwards doublings do not read."""
    points = [(p, z) for p, q in table if p == q for z in scales(table)]
    cases = [coordinates.of(p, z)[:len(program.inputs)] for p, z in points]
    found = columns.evaluate(FP, program, cases, constants)
    return {p for (p, _), values in zip(points, found) if coordinates.read(values) != table[p, p]}


def b3(which):
    return {"b3": FP.scale(3, (TOY if which == "toy" else EVEN).group("g1").b)}


class Complete(unittest.TestCase):
    def test_every_pair_of_a_curve_of_odd_order(self):
        self.assertEqual(len(SUMS["toy"]), 79 * 79)
        self.assertEqual(wrong_sums(formula.load("rcb_add"), SUMS["toy"], Homogeneous, constants=b3("toy")), set())
        self.assertEqual(wrong_sums(formula.load("rcb_madd"), SUMS["toy"], Homogeneous, tuple, b3("toy")), set())
        self.assertEqual(wrong_sums(formula.load("rcb_madd_z01"), SUMS["toy"], Homogeneous, constants=b3("toy")), set())

    def test_on_a_curve_of_even_order_only_a_difference_of_order_2_is_wrong(self):
        group = EVEN.group("g1")
        expected = {(p, q) for p, q in SUMS["even"] if (difference := group.add(p, group.neg(q))) is not None and difference[1] == 0}
        self.assertEqual(len(expected), 3 * 112)
        self.assertEqual(wrong_sums(formula.load("rcb_add"), SUMS["even"], Homogeneous, constants=b3("even")), expected)
        mixed = {(p, q) for p, q in expected if q is not None}
        self.assertEqual(wrong_sums(formula.load("rcb_madd"), SUMS["even"], Homogeneous, tuple, b3("even")), mixed)

    def test_every_double(self):
        for which in ("toy", "even"):
            self.assertEqual(wrong_doubles(formula.load("rcb_dbl"), SUMS[which], Homogeneous, b3(which)), set())

    def test_doubles_with_a_scaled_z(self):
        """The same coordinates as `rcb_dbl`, Z in its two scales; every line counts."""
        facts = curve.load("bls12_381")
        fp, b = facts.fp, facts.group("g1").b
        root = pow(-3, (fp.p + 1) // 4, fp.p)
        first, second = 6, 12 * pow(root, -1, fp.p) % fp.p  # V = 6 Z, U = 12 / sqrt(-3) Z
        self.assertEqual((first**2, -3 * second**2 % fp.p), (9 * b, 144))
        source, plain, scaled = random.Random(1), formula.load("rcb_dbl"), formula.load("rcb_dbl_scaled")

        def right(program, x, y, z):
            x3, y3, z3 = (value % fp.p for value in plain.evaluate(fp, {"X1": x, "Y1": y, "Z1": z}, {"b3": 3 * b}))
            found = program.evaluate(fp, {"X1": x, "Y1": y, "V1": first * z % fp.p, "U1": second * z % fp.p})
            return [value % fp.p for value in found] == [x3, y3, first * z3 % fp.p, second * z3 % fp.p]

        points = [[source.randrange(fp.p) for _ in range(3)] for _ in range(20)] + [[0, 1, 0], [0, 2, 1]]
        self.assertTrue(all(right(scaled, *point) for point in points))
        for place, faulty in enumerate(altered(scaled)):
            self.assertFalse(all(right(faulty, *point) for point in points), f"line {place}")


class Incomplete(unittest.TestCase):
    """Wrong for the identity and for equal points, and for nothing else: opposite points are right."""

    def test_additions(self):
        expected = {(p, q) for p, q in SUMS["toy"] if p is None or q is None or p == q}
        for name, coordinates in (("jacobian_add", Jacobian), ("xyzz_add", Xyzz)):
            self.assertEqual(wrong_sums(formula.load(name), SUMS["toy"], coordinates), expected, name)

    def test_mixed_additions(self):
        expected = {(p, q) for p, q in SUMS["toy"] if q is not None and (p is None or p == q)}
        for name, coordinates in (("jacobian_madd", Jacobian), ("xyzz_madd", Xyzz), ("lazy_madd", Lazy)):
            self.assertEqual(wrong_sums(formula.load(name), SUMS["toy"], coordinates, tuple), expected, name)

    def test_doublings_are_right_for_every_point(self):
        for name, coordinates in (("jacobian_dbl", Jacobian), ("xyzz_dbl", Xyzz), ("lazy_dbl", Lazy)):
            for which in ("toy", "even"):
                self.assertEqual(wrong_doubles(formula.load(name), SUMS[which], coordinates), set(), name)

    def test_affine_wherever_there_is_an_inverse(self):
        for which in ("toy", "even"):
            pairs = [(p, q) for p, q in SUMS[which] if None not in (p, q) and p[0] != q[0]]
            found = columns.evaluate(FP, formula.load("affine_add"), [p + q + (INVERSE[(q[0] - p[0]) % FP.p],) for p, q in pairs])
            self.assertEqual(found, [SUMS[which][pair] for pair in pairs])
            points = [p for p, q in SUMS[which] if p == q and p is not None and p[1] != 0]
            found = columns.evaluate(FP, formula.load("affine_dbl"), [p + (INVERSE[2 * p[1] % FP.p],) for p in points])
            self.assertEqual(found, [SUMS[which][p, p] for p in points])


class CommonZ(unittest.TestCase):
    """Two points that share their Z: a formula gives their sum and the first one anew, for another Z that they share."""

    def test_additions_of_points_with_different_x(self):
        pairs = [(p, q) for p, q in SUMS["toy"] if None not in (p, q) and p[0] != q[0]]
        cases = [(*Jacobian.of(p, z)[:2], *Jacobian.of(q, z)[:2]) for p, q in pairs for z in (1, 7)]
        found = columns.evaluate(FP, formula.load("coz_zaddu"), cases)
        scales = [z for _ in pairs for z in (1, 7)]
        for (p, q), (x3, y3, x4, y4, h), z in zip((pair for pair in pairs for _ in range(2)), found, scales, strict=True):
            shared = z * h % FP.p
            self.assertEqual(Jacobian.read((x3, y3, shared)), SUMS["toy"][p, q])
            self.assertEqual(Jacobian.read((x4, y4, shared)), p)

    def test_opposite_points_have_no_z(self):
        opposite = [(p, q) for p, q in SUMS["toy"] if None not in (p, q) and p[0] == q[0]]
        found = columns.evaluate(FP, formula.load("coz_zaddu"), [p + q for p, q in opposite])
        self.assertEqual({h for *_, h in found}, {0})

    def test_doublings(self):
        for which in ("toy", "even"):
            points = [p for p, q in SUMS[which] if p == q and p is not None and p[1] != 0]
            for p, (x3, y3, x1, y1, *squares) in zip(points, columns.evaluate(FP, formula.load("coz_dblu"), points), strict=True):
                z = 2 * p[1] % FP.p
                self.assertEqual(Jacobian.read((x3, y3, z)), SUMS[which][p, p])
                self.assertEqual(Jacobian.read((x1, y1, z)), p)
                self.assertEqual(squares, [p[0] ** 2 % FP.p, p[1] ** 2 % FP.p])


class TwistedEdwards(unittest.TestCase):
    """Wrong exactly where the affine law divides by zero; never in the subgroup."""

    def setUp(self):
        self.exceptional = {pair for pair, total in SUMS["edwards"].items() if total is None}

    @staticmethod
    def precomputed(point):
        x, y = point
        return ((y - x) % FP.p, (y + x) % FP.p, 2 * EDWARDS.d * x * y % FP.p)

    def test_additions(self):
        k = {"k": FP.scale(2, EDWARDS.d)}
        self.assertEqual(wrong_sums(formula.load("hwcd_add"), SUMS["edwards"], Extended, constants=k), self.exceptional)
        self.assertEqual(wrong_sums(formula.load("hwcd_madd_precomputed"), SUMS["edwards"], Extended, self.precomputed), self.exceptional)

    def test_doublings(self):
        wrong = wrong_doubles(formula.load("hwcd_dbl"), SUMS["edwards"], Extended)
        self.assertEqual(wrong, {p for p, q in self.exceptional if p == q})

    def test_the_exceptional_pairs_have_a_sum_or_a_difference_at_infinity(self):
        group, forth, back = EVEN.group("g1"), EVEN.edwards_map.forth, EVEN.edwards_map.back
        expected = {
            (p, q) for p, q in SUMS["edwards"]
            if forth(group.add(back(p), back(q))) is None or forth(group.add(back(p), group.neg(back(q)))) is None
        }
        self.assertEqual(self.exceptional, expected)

    def test_none_of_them_has_odd_order(self):
        odd = {p for p, _ in SUMS["edwards"] if EVEN.in_subgroup("g1", EVEN.edwards_map.back(p))}
        self.assertEqual(len(odd), 7)
        self.assertFalse([pair for pair in self.exceptional if set(pair) & odd == set(pair)])


class PlantedFaults(unittest.TestCase):
    """A program with one line altered is found out, whichever line it is."""

    def test_every_line_counts(self):
        few = {pair: total for pair, total in list(SUMS["toy"].items())[500:540]}
        edwards = {pair: total for pair, total in list(SUMS["edwards"].items())[500:540]}
        k = {"k": FP.scale(2, EDWARDS.d)}
        for name, table, coordinates, second, constants in (
            ("rcb_add", few, Homogeneous, None, b3("toy")), ("rcb_madd_z01", few, Homogeneous, None, b3("toy")), ("rcb_madd", few, Homogeneous, tuple, b3("toy")),
            ("lazy_madd", few, Lazy, tuple, None), ("jacobian_madd", few, Jacobian, tuple, None), ("jacobian_add", few, Jacobian, None, None),
            ("xyzz_madd", few, Xyzz, tuple, None), ("xyzz_add", few, Xyzz, None, None),
            ("hwcd_add", edwards, Extended, None, k), ("hwcd_madd_precomputed", edwards, Extended, TwistedEdwards.precomputed, None),
        ):
            right = wrong_sums(formula.load(name), table, coordinates, second, constants)
            for place, faulty in enumerate(altered(formula.load(name))):
                self.assertNotEqual(wrong_sums(faulty, table, coordinates, second, constants), right, f"{name}, line {place}")


if __name__ == "__main__":
    unittest.main()
