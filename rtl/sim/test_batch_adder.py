"""The adder of affine points in frames, in Verilator, against the affine law of spec/model, and its cycles against spec/model/batch_affine.py.

`python3 rtl/sim/test_batch_adder.py [-v] [CLASS ...]`; PROOFMILL_SEED repeats a run.

  1. The toy: every pair of points, identities, equal and opposite points among them, in frames of many sizes.
  2. Real curves: thousands of pairs, every exceptional case among them. Coordinates' digits are often at an end of their range.
  3. What comes out goes in again as it is.
  4. Operands that are no points, or have the same x with another y: the sums of other pairs are right.
"""

import functools
import os
import random
import sys
import unittest
from pathlib import Path

import unit

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "spec/model"))

import batch_affine  # noqa: E402
import curve  # noqa: E402
from test_point_adders import Representatives  # noqa: E402

SEED = unit.seed()
LONG = bool(os.environ.get("PROOFMILL_LONG"))
Unit = functools.cache(unit.Unit)


class Bench:
    """An adder with pairs of points: None is the identity."""

    def __init__(self, config, which):
        self.unit, self.which = Unit(config), which
        self.source = random.Random(f"{SEED} {config}")
        self.group = curve.load(which).group("g1")
        self.p = self.group.field.p
        ports = {port.name: port for port in self.unit.operands}
        self.slots = 1 << (6 if which == "toy" else 12)
        self.ways = [Representatives(ports[name], self.source) for name in ("X1", "Y1")]
        self.ends = ports["X1"], ports["Y1"]

    def point(self):
        while True:
            if found := self.group.with_x(self.source.randrange(self.p)):
                return self.source.choice(found)

    def operand(self, point):
        """A point's ports; the coordinates of the identity are anything."""
        if point is None:
            return 1, *(port.draw(self.source) for port in self.ends)
        return 0, *(way.of(value) for way, value in zip(self.ways, point))

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
        (is_identity,), x, y = sum_
        return None if is_identity else tuple(port.value(digits) for port, digits in zip(self.ends, (x, y)))

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
    config = "batch_add_toy"

    def setUp(self):
        self.bench = Bench(self.config, "toy")

    def test_every_pair_of_points(self):
        points = [*self.bench.group.points()]
        self.assertEqual(len(points), 79)
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
        group = self.bench.group
        self.bench.group = type("Wrong", (), {"add": staticmethod(lambda p, q: group.add(group.add(p, q), (1, 43)))})
        with self.assertRaises(AssertionError):
            self.bench.check(self, pairs)


class ToyModel(Toy):
    config = "batch_add_toy_twin"


class Bn254(unittest.TestCase):
    which, config = "bn254", "batch_add_bn254_twin"

    def setUp(self):
        self.bench = Bench(self.config, self.which)

    def test_all_kinds(self):
        for gaps, refusals in ((0, 0), (128, 0), (0, 128)):
            self.bench.check(self, self.bench.pairs(4000), gaps=gaps, refusals=refusals)

    def test_doublings_only(self):
        points = [self.bench.point() for _ in range(40)]
        _, outcome = self.bench.check(self, [(p, p) for p in points * 150])
        print(f"{self.which}: 6000 doublings, {max(outcome.left) - min(outcome.entered)} cycles")

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
                left = (0, *(port.draw(self.bench.source) for port in self.bench.ends))
                if i % 2:
                    right = (0, left[1], self.bench.ends[1].draw(self.bench.source))  # the same x
            operands.append((left, right))
        found, _ = self.bench.run(operands)
        for i, (sum_, (p, q)) in enumerate(zip(found, pairs, strict=True)):
            self.assertIsNotNone(sum_)
            if i not in strange:
                self.assertEqual(self.bench.value(sum_), self.bench.group.add(p, q))

    def test_a_pair_in_each_cycle(self):
        points = [self.bench.point() for _ in range(200)]
        pairs = [(p, q) for p in points for q in points if p != q][:20_000]
        _, outcome = self.bench.check(self, pairs)
        cycles = outcome.entered[-1] - outcome.entered[0]
        longest = max(left - into for into, left in zip(sorted(outcome.entered), sorted(outcome.left)))
        print(f"{self.which}: {len(pairs)} pairs in {cycles} cycles, the last sum {longest} cycles later at most")
        self.assertLessEqual(cycles, 1.001 * len(pairs))

    def test_a_pair_alone(self):
        latencies = []
        for _ in range(40):
            _, outcome = self.bench.check(self, [(self.bench.point(), self.bench.point())])
            latencies += outcome.latencies
        print(f"{self.which}: a pair alone takes {min(latencies)} to {max(latencies)} cycles, the model {batch_affine.Shape.of(self.which).alone} at most")
        self.assertLessEqual(max(latencies), batch_affine.Shape.of(self.which).alone + 60)


class Bls12_381(Bn254):
    which, config = "bls12_381", "batch_add_bls12_381_twin"


class Structural(unittest.TestCase):
    @unittest.skipUnless(LONG, "PROOFMILL_LONG=1 builds and runs these")
    def test_structural_multipliers(self):
        for which in ("bn254", "bls12_381"):
            Bench(f"batch_add_{which}", which).check(self, Bench(f"batch_add_{which}", which).pairs(300))


if __name__ == "__main__":
    unittest.main()
