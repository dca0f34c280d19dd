"""The point adders in Verilator against the affine law of spec/model.

`python3 rtl/sim/test_point_adders.py [-v] [CLASS ...]`; PROOFMILL_LONG=1 for the structural adders of the real curves.

  1. Toy adders: every pair of points, in several representatives.
  2. Adders of the real curves: thousands of pairs of the whole domain, every exceptional case among them. A
     coordinate's digits are one of the many representatives that its bound allows, often one at the bound.
  3. What comes out goes in again as it is.
  4. The formula on operands that are no points, every digit at an end of its range as likely as between.

Latency and the valid that rides along are checked on the way: operands come with gaps.
"""

import functools
import os
import random
import sys
import tomllib
import unittest
from pathlib import Path

import unit

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "spec/model"))

import curve  # noqa: E402
import field  # noqa: E402
import formula  # noqa: E402

SEED = unit.seed()
LONG = bool(os.environ.get("PROOFMILL_LONG"))
Unit = functools.cache(unit.Unit)


class Representatives:
    """The ways to write a residue in a port's digits: d(0) + d(1) z + …, with as much of z moved between them as the digits' bounds allow."""

    def __init__(self, port, source):
        self.port, self.source = port, source
        fact = tomllib.loads((field.SPEC / f"fields/{port.field}.toml").read_text())
        if port.digits == 1:
            self.relations = [(0, port.modulus, ())]
        else:
            # One z(i) is 1 of digit i + 1; of the last digit, what the polynomial folds z^n to.
            polynomial = fact["base_z"]["polynomial"][:-1]
            carries = [(i, port.base, ((i + 1, 1),)) for i in range(port.digits - 1)]
            self.relations = [*carries, (port.digits - 1, port.base, tuple(enumerate(-c for c in polynomial)))]

    def of(self, value):
        """Digits of a residue, chosen at random; a digit is drawn towards an end of its range or anywhere."""
        port, digits = self.port, list(self.port.digits_of(value))
        for digit, step, others in self.source.sample(self.relations, len(self.relations)):
            goal = self.source.choice([port.low, port.high, self.source.randint(port.low, port.high)])
            moved = list(digits)
            count = (goal - digits[digit]) // step
            moved[digit] += count * step
            for other, weight in others:
                moved[other] -= count * weight
            if all(port.low <= d <= port.high for d in moved):
                digits = moved
        assert port.value(digits) == value % port.modulus
        return tuple(digits)


class Points:
    """Points of `group`. The components of coordinates are the values of ports: in a prime field the coordinates themselves."""

    def components(self, coordinates):
        return tuple(coordinates)

    def coordinates(self, components):
        return tuple(components)

    def step_on(self, source):
        """A step from the point before, the step doubled at times."""
        self.last = self.group.add(self.last, self.step)
        if source.randrange(4) == 0:
            self.step = self.group.add(self.step, self.step)
        return self.last


class Projective(Points):
    """(X : Y : Z) of y^2 = x^3 + b; the identity is (0 : 1 : 0)."""

    def __init__(self, which, group="g1"):
        self.curve = curve.load(which)
        self.p, self.group = self.curve.fp.p, self.curve.group(group)
        self.identity = None

    def constants(self):
        return {"b3": 3 * self.group.b % self.p}

    def element(self, source):
        """Any coordinate."""
        return source.randrange(self.p)

    def point(self, source):
        """Any point but the identity: the order of the whole curve is odd, so the addition is complete on all of it."""
        while True:
            if found := self.group.with_x(self.element(source)):
                return source.choice(found)

    def points(self):
        return self.group.points()

    def left(self, point, scale):
        x, y, z = (*point, 1) if point else (0, 1, 0)
        return x * scale % self.p, y * scale % self.p, z * scale % self.p

    def right(self, point, source):
        """An affine point or the identity, Z2 a bit."""
        return (*point, 1) if point else (0, 1, 0)

    def stands_for(self, values, point):
        (x, y, z), f = values, self.group.field
        if point is None:
            return x == f.zero and z == f.zero and y != f.zero
        return z != f.zero and (x, y) == (f.mul(point[0], z), f.mul(point[1], z))


class Twisted(Projective):
    """(X : Y : Z) in G2. A coordinate is c0 + c1 u, and has a port for c0 and one for c1."""

    def __init__(self, which):
        super().__init__(which, "g2")
        self.step = self.last = super().point(random.Random(SEED))

    def element(self, source):
        return source.randrange(self.p), source.randrange(self.p)

    def point(self, source):
        """Any point but the identity; in Fp2 a square root takes as long as hundreds of additions."""
        return self.step_on(source) or self.point(source)

    def components(self, coordinates):
        return tuple(component for coordinate in coordinates for component in coordinate)

    def coordinates(self, components):
        return tuple(zip(components[::2], components[1::2], strict=True))


class Extended(Points):
    """(X : Y : Z : T) of -x^2 + y^2 = 1 + d x^2 y^2, T = XY/Z; the second operand is (y - x, y + x, 2 d x y)."""

    def __init__(self, which):
        self.curve = curve.load(which)
        self.p, self.group = self.curve.fp.p, self.curve.edwards_map.edwards
        self.identity = self.group.identity
        self.step = self.last = self.curve.edwards_map.forth(self.curve.generator("g1"))

    def constants(self):
        return {"k": 2 * self.group.d % self.p}

    def point(self, source):
        """A point of the subgroup, on which the addition is complete."""
        return self.step_on(source)

    def points(self):
        return self.group.points()

    def left(self, point, scale):
        x, y = point
        return x * scale % self.p, y * scale % self.p, scale, x * y * scale % self.p

    def right(self, point, source):
        x, y = point
        return (y - x) % self.p, (y + x) % self.p, 2 * self.group.d * x * y % self.p

    def stands_for(self, values, point):
        x, y, z, t = values
        return z != 0 and (x - point[0] * z) % self.p == 0 and (y - point[1] * z) % self.p == 0 and (x * y - z * t) % self.p == 0


class General(Projective):
    """Both operands (X : Y : Z)."""

    def right(self, point, source):
        return self.left(point, source.randrange(1, self.p))


class GeneralExtended(Extended):
    """Both operands (X : Y : Z : T)."""

    def right(self, point, source):
        return self.left(point, source.randrange(1, self.p))


class Bench:
    """An adder under test with the points that it adds."""

    def __init__(self, config, program, points):
        self.unit, self.program, self.points = Unit(config), formula.load(program), points
        self.source = random.Random(f"{SEED} {config}")
        self.ways = [Representatives(port, self.source) if port.field else None for port in self.unit.operands]
        names = [port.name for port in self.unit.operands]
        assert tuple(names) == self.program.inputs, f"{config} does not take what {program} does"
        self.fed = len(self.unit.results)

    def digits(self, values, ports=slice(None)):
        return tuple(ways.of(value) if ways else value for ways, value in zip(self.ways[ports], values, strict=True))

    def operand(self, p, q):
        scale = self.source.randrange(1, self.points.p)
        return self.digits((*self.points.left(p, scale), *self.points.right(q, self.source)))

    def run(self, operands):
        """Results as canonical integers and as digits; every one must come after the unit's latency."""
        outcome = self.unit.run(operands, gaps=self.source.choice([0, 20, 128]), seed=self.source.randrange(1 << 30))
        assert set(outcome.latencies) == {self.unit.latency}, "a result did not come when it should"
        values = [tuple(port.value(d) for port, d in zip(self.unit.results, digits)) for digits in outcome.results]
        return values, outcome.results

    def wrong(self, pairs):
        """The pairs of which the sum is wrong, and the digits of all sums."""
        values, digits = self.run([self.operand(p, q) for p, q in pairs])
        return [pair for pair, found in zip(pairs, values) if not self.points.stands_for(found, self.points.group.add(*pair))], digits

    def wrong_again(self, firsts, digits, seconds):
        """Adds to sums as they came out; the pairs that are wrong."""
        right = [self.digits(self.points.right(q, self.source), slice(self.fed, None)) for q in seconds]
        values, _ = self.run([left + more for left, more in zip(digits, right, strict=True)])
        sums = [(self.points.group.add(*pair), q) for pair, q in zip(firsts, seconds)]
        return [pair for pair, found in zip(sums, values) if not self.points.stands_for(found, self.points.group.add(*pair))]

    def pairs(self, count):
        """Random pairs, and for every point that is drawn its exceptional cases."""
        group, identity, found = self.points.group, self.points.identity, []
        while len(found) < count:
            p, q = self.points.point(self.source), self.points.point(self.source)
            found += [(p, q), (q, p), (p, p), (p, group.neg(p)), (identity, p), (p, identity), (identity, identity), (p, q), (group.neg(q), p)]
        return found

    def wrong_residues(self, count):
        """How often the formula is wrong on operands that are no points."""
        operands = [
            tuple(port.draw(self.source) if port.field else (self.source.randrange(2),) for port in self.unit.operands)
            for _ in range(count)
        ]
        fp, constants, wrong = self.points.curve.fp, self.points.constants(), 0
        for operand, found in zip(operands, self.run(operands)[0]):
            values = {p.name: p.value(d) if p.field else d[0] for p, d in zip(self.unit.operands, operand)}
            wrong += found != self.program.evaluate(fp, values, constants)
        return wrong


class Toys(unittest.TestCase):
    def every_pair(self, bench, representatives):
        group, points = bench.points.group, bench.points.points()
        pairs = []
        for p in points:
            for q in points:
                try:
                    group.add(p, q)
                except ZeroDivisionError:  # even order, and the sum or the difference is at infinity
                    continue
                pairs += [(p, q)] * representatives
        wrong, _ = bench.wrong(pairs)
        self.assertEqual(wrong, [])
        self.assertEqual(bench.wrong_residues(20_000), 0)
        return len(pairs)

    def test_mixed(self):
        self.assertEqual(self.every_pair(Bench("point_add_toy", "rcb_madd_z01", Projective("toy")), 4), 4 * 79 * 79)

    def test_projective(self):
        self.assertEqual(self.every_pair(Bench("point_add_projective_toy", "rcb_add", General("toy")), 4), 4 * 79 * 79)

    def test_edwards(self):
        self.assertGreater(self.every_pair(Bench("point_add_toy_edwards", "hwcd_madd_precomputed", Extended("toy_edwards")), 4), 4 * 79 * 79)

    def test_extended(self):
        self.assertGreater(self.every_pair(Bench("point_add_extended_toy_edwards", "hwcd_add", GeneralExtended("toy_edwards")), 4), 4 * 79 * 79)

    def test_a_wrong_sum_is_seen(self):
        bench = Bench("point_add_toy", "rcb_madd_z01", Projective("toy"))
        p, q = bench.points.point(bench.source), bench.points.point(bench.source)
        values, _ = bench.run([bench.operand(p, q)])
        self.assertFalse(bench.points.stands_for(values[0], bench.points.group.add(p, bench.points.group.neg(q))))


class RealCurves:
    """Tests of every adder of a real curve; `suffix` selects the build."""

    suffix, count = "", 0

    def check(self, config, program, points):
        bench = Bench(config + self.suffix, program, points)
        pairs = bench.pairs(self.count)
        wrong, digits = bench.wrong(pairs)
        self.assertEqual(wrong, [])
        seconds = bench.source.sample([q for _, q in pairs], len(pairs))
        self.assertEqual(bench.wrong_again(pairs, digits, seconds), [])
        self.assertEqual(bench.wrong_residues(self.count // 2), 0)

    def test_bn254(self):
        self.check("point_add_bn254", "rcb_madd_z01", Projective("bn254"))

    def test_bls12_381(self):
        self.check("point_add_bls12_381", "rcb_madd_z01", Projective("bls12_381"))

    def test_bls12_377(self):
        self.check("point_add_bls12_377", "hwcd_madd_precomputed", Extended("bls12_377"))

    @unittest.skipUnless(LONG, "no card has these curves: PROOFMILL_LONG=1")
    def test_pallas(self):
        self.check("point_add_pallas", "rcb_madd_z01", Projective("pallas"))

    @unittest.skipUnless(LONG, "no card has these curves: PROOFMILL_LONG=1")
    def test_vesta(self):
        self.check("point_add_vesta", "rcb_madd_z01", Projective("vesta"))

    def test_projective_bn254(self):
        self.check("point_add_projective_bn254", "rcb_add", General("bn254"))

    def test_projective_bls12_381(self):
        self.check("point_add_projective_bls12_381", "rcb_add", General("bls12_381"))

    def test_extended_bls12_377(self):
        self.check("point_add_extended_bls12_377", "hwcd_add", GeneralExtended("bls12_377"))


class Models(RealCurves, unittest.TestCase):
    suffix, count = "_twin", 5_400


@unittest.skipUnless(LONG, "structural adders take long to build: PROOFMILL_LONG=1")
class Structural(RealCurves, unittest.TestCase):
    suffix, count = "", 540


if __name__ == "__main__":
    unittest.main()
