"""The adder of affine points in frames, in Verilator, against the affine law of spec/model, and its cycles against spec/model/batch_affine.py.

`python3 rtl/sim/test_batch_adder.py [-v] [CLASS ...]`; PROOFMILL_SEED repeats a run, PROOFMILL_LONG=1 takes more units.

  1. The toys in G1 and G2: every pair of points of the group of prime order, identities, equal and opposite points among them, in frames of many
     sizes. In G2 also pairs of the whole curve, in particular of points one of whose components is 0 or the other point's.
  2. Real curves: thousands of pairs, every exceptional case among them. Coordinates' digits are often at an end of their range.
  3. What comes out goes in again as it is.
  4. Operands that are no points, or have the same x with another y: the sums of other pairs are right.
"""

import functools
import itertools
import os
import random
import sys
import unittest
from pathlib import Path

import unit

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "spec/model"))

import batch_affine  # noqa: E402
from test_point_adders import Projective, Representatives, Twisted  # noqa: E402

SEED = unit.seed()
LONG = bool(os.environ.get("PROOFMILL_LONG"))
Unit = functools.cache(unit.Unit)


class Bench:
    """An adder with pairs of points: None is the identity."""

    def __init__(self, config, points):
        self.unit, self.points, self.group = Unit(config), points, points.group
        self.source = random.Random(f"{SEED} {config}")
        self.ends = [port for port in self.unit.operands if port.name.startswith(("X1", "Y1"))]  # of a point
        self.ways = [Representatives(port, self.source) for port in self.ends]

    def point(self):
        return self.points.point(self.source)

    def operand(self, point):
        """A point's ports; the coordinates of the identity are anything."""
        if point is None:
            return 1, *self.anything()
        return 0, *(way.of(value) for way, value in zip(self.ways, self.points.components(point), strict=True))

    def anything(self):
        """Coordinates that are those of no point."""
        return [port.draw(self.source) for port in self.ends]

    def run(self, operands, **how):
        """Sums as ports by the place of their pair, and the outcome; every pair has one."""
        tagged = [(i, *left, *right) for i, (left, right) in enumerate(operands)]
        outcome = self.unit.run(tagged, seed=self.source.randrange(1 << 30), limit=len(operands) * 64 + 200_000, **how)
        found = [None] * len(operands)
        for (tag,), *sum_ in outcome.results:
            found[tag] = tuple(sum_)
        return found, outcome

    def value(self, sum_):
        """The point that a sum's ports represent."""
        (is_identity,), *digits = sum_
        return None if is_identity else self.points.coordinates([port.value(value) for port, value in zip(self.ends, digits, strict=True)])

    def check(self, test, pairs, **how):
        found, outcome = self.run([(self.operand(p), self.operand(q)) for p, q in pairs], **how)
        for sum_, (p, q) in zip(found, pairs, strict=True):
            test.assertIsNotNone(sum_, "a pair without a sum")
            test.assertEqual(self.value(sum_), self.group.add(p, q), (p, q))
        return found, outcome

    def pairs(self, count):
        """Pairs of all kinds: different, equal, opposite, and those with an identity."""
        def pair():
            p, kind = self.point(), self.source.randrange(16)
            return [(p, p), (p, self.group.neg(p)), (p, None), (None, p), (None, None)][kind] if kind < 5 else (p, self.point())
        return [pair() for _ in range(count)]


class Toy(unittest.TestCase):
    config, order = "batch_add_toy", 79

    def setUp(self):
        self.bench = Bench(self.config, Projective("toy"))

    def subgroup(self):
        """All points of prime order, and the identity."""
        return self.bench.group.points()

    def test_every_pair_of_points(self):
        points = self.subgroup()
        self.assertEqual(len(set(points)), self.order)
        for gaps, refusals in ((0, 0), (0, 200), (200, 0), (250, 100)):
            pairs = [(p, q) for p in points for q in points]
            self.bench.source.shuffle(pairs)
            self.bench.check(self, pairs, gaps=gaps, refusals=refusals)

    def test_frames_of_every_size(self):
        for count in range(1, 70):
            self.bench.check(self, self.bench.pairs(count))

    def test_one_kind_alone(self):
        p, q = self.bench.point(), None
        while q is None or q[0] == p[0]:
            q = self.bench.point()
        for pair in ((p, p), (p, self.bench.group.neg(p)), (p, None), (None, None), (p, q)):
            self.bench.check(self, [pair] * 1000)

    def test_a_wrong_sum_is_seen(self):
        pairs = self.bench.pairs(50)
        group, other = self.bench.group, self.bench.point()
        self.bench.group = type("Wrong", (), {"add": staticmethod(lambda p, q: group.add(group.add(p, q), other))})
        with self.assertRaises(AssertionError):
            self.bench.check(self, pairs)


class ToyModel(Toy):
    config = "batch_add_toy_twin"


@functools.cache
def twist():
    """All points of the toy's twist but the identity, by what is special about them: the components of x and y that are 0, and the rest."""
    found = {}
    for point in Twisted("toy_bn").points():
        for kind in [(axis, i) for axis in range(2) for i in range(2) if point[axis][i] == 0] or ["others"] if point else []:
            found.setdefault(kind, []).append(point)
    return found


class ToyG2(Toy):
    config, order = "batch_add_toy_bn_g2", 97

    def setUp(self):
        self.bench = Bench(self.config, Twisted("toy_bn"))

    def subgroup(self):
        generator = self.bench.points.curve.generator("g2")
        return [self.bench.group.mul(k, generator) for k in range(self.order)]

    def test_pairs_of_the_whole_curve(self):
        """Random pairs, and all pairs of some points with a component that is 0. The order is odd, so no y is 0."""
        kinds, source = twist(), self.bench.source
        self.assertEqual(sorted(map(str, kinds)), ["(0, 0)", "(0, 1)", "(1, 0)", "(1, 1)", "others"])
        every = [point for points in kinds.values() for point in points]
        pairs = [tuple(source.choices(every, k=2)) for _ in range(8000)]
        special = [point for kind, points in kinds.items() if kind != "others" for point in source.sample(points, 20)]
        pairs += itertools.product([*special, *map(self.bench.group.neg, special)], repeat=2)
        self.check(pairs)

    def test_points_that_share_a_component(self):
        """Differences and sums of coordinates that are not 0, but one of whose components is."""
        source = self.bench.source
        every = [point for points in twist().values() for point in points]
        for axis, i in itertools.product(range(2), repeat=2):
            same = {}
            for point in every:
                same.setdefault(point[axis][i], []).append(point)
            pairs = [tuple(source.sample(points, 2)) for points in same.values() for _ in range(20) if len(points) > 1]
            pairs += [(p, self.bench.group.neg(q)) for p, q in pairs]
            self.check(pairs)

    def check(self, pairs):
        self.bench.source.shuffle(pairs)
        for gaps, refusals in ((0, 0), (200, 100)):
            _, outcome = self.bench.check(self, pairs, gaps=gaps, refusals=refusals)
            self.assertGreaterEqual(least_distance(outcome), batch_affine.INTERVAL[2])


class ToyG2Model(ToyG2):
    config = "batch_add_toy_bn_g2_twin"


def least_distance(outcome):
    """Cycles from a pair to the next one at least."""
    return min(after - before for before, after in itertools.pairwise(outcome.entered))


class Bn254(unittest.TestCase):
    which, config, group = "bn254", "batch_add_bn254_twin", 1

    def setUp(self):
        self.bench = Bench(self.config, Projective(self.which) if self.group == 1 else Twisted(self.which))
        self.shape = batch_affine.Shape.of(self.which, g2=self.group == 2)
        self.name = f"{self.which} G{self.group}"

    def test_all_kinds(self):
        for gaps, refusals in ((0, 0), (128, 0), (0, 128)):
            self.bench.check(self, self.bench.pairs(4000), gaps=gaps, refusals=refusals)

    def test_doublings_only(self):
        points = [self.bench.point() for _ in range(40)]
        _, outcome = self.bench.check(self, [(p, p) for p in points * 150])
        print(f"{self.name}: 6000 doublings, {max(outcome.left) - min(outcome.entered)} cycles")

    def test_sums_are_operands(self):
        pairs = self.bench.pairs(500)
        found, _ = self.bench.check(self, pairs)
        values = [self.bench.value(sum_) for sum_ in found]
        operands = [(tuple(a), tuple(b)) for a, b in zip(found, [*found[1:], found[0]])]
        again, _ = self.bench.run([((a[0][0], *a[1:]), (b[0][0], *b[1:])) for a, b in operands])
        for sum_, p, q in zip(again, values, [*values[1:], values[0]], strict=True):
            self.assertEqual(self.bench.value(sum_), self.bench.group.add(p, q))

    def test_operands_that_are_no_points(self):
        pairs = self.bench.pairs(2000)
        operands, strange = [], set()
        for i, (p, q) in enumerate(pairs):
            left, right = self.bench.operand(p), self.bench.operand(q)
            if i % 7 == 3:
                strange.add(i)
                left = (0, *self.bench.anything())
                if i % 2:  # the same x
                    right = (0, *(mine if port.name.startswith("X") else other for port, mine, other in zip(self.bench.ends, left[1:], self.bench.anything())))
            operands.append((left, right))
        found, _ = self.bench.run(operands)
        for i, (sum_, (p, q)) in enumerate(zip(found, pairs, strict=True)):
            self.assertIsNotNone(sum_)
            if i not in strange:
                self.assertEqual(self.bench.value(sum_), self.bench.group.add(p, q))

    def test_a_pair_in_each_slot(self):
        points = [self.bench.point() for _ in range(200)]
        pairs = [(p, q) for p in points for q in points if p != q][:20_000]
        _, outcome = self.bench.check(self, pairs)
        cycles = outcome.entered[-1] - outcome.entered[0]
        longest = max(left - outcome.entered[tag] for ((tag,), *_), left in zip(outcome.results, outcome.left, strict=True))
        print(f"{self.name}: {len(pairs)} pairs in {cycles} cycles, each sum at most {longest} cycles after its pair")
        self.assertGreaterEqual(least_distance(outcome), self.shape.interval)
        self.assertLessEqual(cycles, 1.001 * self.shape.interval * len(pairs))

    def test_a_pair_alone(self):
        latencies = []
        for _ in range(40):
            _, outcome = self.bench.check(self, [(self.bench.point(), self.bench.point())])
            latencies += outcome.latencies
        print(f"{self.name}: a pair alone takes {min(latencies)} to {max(latencies)} cycles, the model {self.shape.alone} at most")
        self.assertLessEqual(max(latencies), self.shape.alone + 60)


class Bls12_381(Bn254):
    which, config = "bls12_381", "batch_add_bls12_381_twin"


class Bls12_377(Bn254):
    which, config = "bls12_377", "batch_add_bls12_377_twin"

    def test_points_of_order_2(self):
        """The only curve with such a point over Fp: y is 0, and doubling it gives the identity."""
        alone, p = (self.bench.group.field.from_integer(-1), self.bench.group.field.zero), self.bench.point()
        self.assertTrue(self.bench.group.contains(alone))
        both = self.bench.group.add(alone, p)
        points = [None, alone, p, both, self.bench.group.neg(both)]
        self.bench.check(self, list(itertools.product(points, repeat=2)))


class InG2:
    """What is added in G2: points that share a component of x."""

    def test_points_that_share_a_component(self):
        f, source, pairs = self.bench.group.field, self.bench.source, []
        for i, shared in itertools.product(range(2), (0, 1, -1)):
            points = []
            for _ in range(10):
                x = f.base.from_integer(shared), source.randrange(f.base.p)
                points += self.bench.group.with_x(x[::-1] if i else x)[:1]
            pairs += itertools.permutations(points, 2)
        self.bench.check(self, pairs)


class Bn254G2(InG2, Bn254):
    config, group = "batch_add_bn254_g2_twin", 2


class Bls12_381G2(InG2, Bls12_381):
    config, group = "batch_add_bls12_381_g2_twin", 2


@unittest.skipUnless(LONG, "PROOFMILL_LONG=1 builds and runs these")
class Bls12_377G2(InG2, Bn254):
    which, config, group = "bls12_377", "batch_add_bls12_377_g2_twin", 2


class Structural(unittest.TestCase):
    @unittest.skipUnless(LONG, "PROOFMILL_LONG=1 builds and runs these")
    def test_structural_multipliers(self):
        for config, points in (("bn254", Projective("bn254")), ("bls12_381", Projective("bls12_381")),
                               ("bn254_g2", Twisted("bn254")), ("bls12_381_g2", Twisted("bls12_381"))):
            bench = Bench(f"batch_add_{config}", points)
            bench.check(self, bench.pairs(300))


if __name__ == "__main__":
    unittest.main()
