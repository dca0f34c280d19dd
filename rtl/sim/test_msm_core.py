"""A core of the MSM engine in Verilator against the group law, and its cycles, in G2 against spec/model/batch_affine.py.

`python3 rtl/sim/test_msm_core.py [-v] [CLASS ...]`; PROOFMILL_SEED repeats a run, PROOFMILL_LONG=1 takes all curves' cores.

A session is a list of points and orders. Every point is a known multiple of the generator, so what an order's answer has to be is a
number modulo the group's order; the answer is compared with that multiple as a point, whatever its representative is.
"""

import os
import random
import unittest
from functools import cache

import unit
from unit import ROOT, sys

sys.path.insert(0, str(ROOT / "spec/model"))

import batch_affine  # noqa: E402
import curve as curves  # noqa: E402
from test_point_adders import General, Twisted  # noqa: E402

SEED = unit.seed()
LONG = bool(os.environ.get("PROOFMILL_LONG"))
TAIL, GATHER, CLEAR = range(3)
#: Cycles of a sum's way beside the adder.
BESIDE_ADDER = 3
#: Cycles a point that no order of points exceeds.
WORST = 2
Unit = cache(unit.Unit)


class Points:
    """Multiples of the generator as they lie in memory; `pool` of them are known."""

    def __init__(self, which, core, pool=256):
        names, facts = [port.name for port in core.results], curves.load(which)
        self.in_g2 = "X_c0" in names
        self.law = Twisted(which) if self.in_g2 else General(which)
        self.ports, self.order = core.results[:names.index("issues")], facts.r
        self.generator = facts.generator("g2" if self.in_g2 else "g1")
        point, self.known = self.law.group.identity, []
        for _ in range(min(pool, self.order)):
            self.known.append(point)
            point = self.law.group.add(point, self.generator)
        self.slices = core.operands[-1].digits
        self.stored = [self.in_memory(point) for point in self.known]

    def in_memory(self, point):
        """The slices of a point, as spec/wire/msm.toml defines them: in G2 those of c0 in all channels, then those of c1."""
        if point is None:
            return (0,) * self.slices
        if self.in_g2:
            return tuple(part for values in zip(*point, strict=True) for part in self.slices_of(values, self.slices // 2))
        return self.slices_of(point, self.slices)

    def slices_of(self, values, channels):
        """Values in Fp, one for each coordinate."""
        port = self.ports[0]
        size = (port.modulus.bit_length() + 8) // 8 if port.digits == 1 else 8
        words = [sum((digit & (1 << 8 * size) - 1) << 8 * size * i for i, digit in enumerate(port.digits_of(value))) for value in values]
        if channels > 1:
            return tuple(words)
        return (sum(word << 8 * size * port.digits * i for i, word in enumerate(words)),)

    def is_multiple(self, digits, k):
        values = self.law.coordinates([port.value(d) for port, d in zip(self.ports, digits)])
        return self.law.stands_for(values, self.law.group.mul(k % self.order, self.generator))


class Session:
    """What goes in, and what has to come out."""

    def __init__(self, config, which, source):
        self.core, self.source = Unit(config), source
        self.bucket_bits = next(port.width for port in self.core.operands if port.name == "bucket")
        self.points = points_of(which, config)
        self.operands, self.expected, self.acc, self.buckets = [], [], 0, {}

    def operand(self, k=0, negative=0, bucket=0, **order):
        parts = {"order": int(bool(order)), "kind": 0, "window_bits": 1, "windows": 1, "doublings": 0, "first": 0, **order, "bucket": bucket, "negative": negative}
        self.operands.append((*(parts[port.name] for port in self.core.operands[:-1]), self.points.stored[k]))

    def point(self):
        """A known multiple, and whether it is negated."""
        return self.source.randrange(len(self.points.known)), self.source.randrange(2)

    def items(self, buckets):
        for bucket in buckets:
            k, negative = self.point()
            self.operand(k, negative, bucket)
            self.buckets[bucket] = self.buckets.get(bucket, 0) + (-k if negative else k)

    def tail(self, window_bits, windows, after=0, first=1):
        size = 1 << window_bits - 1
        self.operand(kind=TAIL, window_bits=window_bits, windows=windows, doublings=after, first=first)
        acc = 0 if first else self.acc
        for window in range(windows - 1, -1, -1):
            acc = (acc << window_bits) + sum((j + 1) * self.buckets.pop(window * size + j, 0) for j in range(size))
        assert not self.buckets, "a point in a bucket of no window"
        self.acc = acc << after
        self.expected.append(self.acc)

    def gather(self):
        k, negative = self.point()
        self.operand(k, negative, kind=GATHER)
        self.acc += -k if negative else k
        self.expected.append(self.acc)

    def clear(self):
        self.operand(kind=CLEAR)
        self.buckets.clear()
        self.expected.append(self.acc)

    def run(self, test, gaps=0, refusals=0):
        """Runs it and checks all sums; (pairs, cycles, pairs of the order, its cycles) of each order."""
        limit = 4 * len(self.operands) + len(self.expected) * (600_000 if self.bucket_bits > 9 else 30_000) + 100_000
        limit = limit * batch_affine.INTERVAL[2 if self.points.in_g2 else 1] * 256 // (256 - gaps)
        outcome = self.core.run(self.operands, len(self.expected), gaps=gaps, refusals=refusals, seed=self.source.randrange(1 << 30), limit=limit)
        for i, (found, k) in enumerate(zip(outcome.results, self.expected)):
            test.assertTrue(self.points.is_multiple(found, k), f"answer {i} of {len(self.expected)}")
        return [tuple(port[0] for port in found[-4:]) for found in outcome.results]


@cache
def points_of(which, config):
    return Points(which, Unit(config))


def distributions(source, used, count):
    """Names and buckets of `count` points among the first `used` buckets."""
    yield "random", [source.randrange(used) for _ in range(count)]
    yield "one bucket", [used - 1] * count
    yield "alternating", [i % 2 * (used - 1) for i in range(count)]
    yield "in turn", [i % used for i in range(count)]
    yield "runs", [i // 7 * 5 % used for i in range(count)]
    yield "blocks thrice", [(i // 78 * 26 + i % 26) % min(used, 120) for i in range(count)]
    yield "few", [source.choice((0, used // 2, used - 1)) for _ in range(count)]
    yield "half in one", [source.choice((0, source.randrange(used))) for _ in range(count)]
    yield "none", []
    yield "one point", [source.randrange(used)]


class Toys(unittest.TestCase):
    def check(self, config, which, counts):
        """Every window size, with one, two and as many windows as there is space for, and every distribution."""
        source = random.Random(f"{SEED} {config}")
        for gaps, refusals in ((0, 0), (40, 128), (220, 0)):
            session = Session(config, which, source)
            for window_bits in range(1, session.bucket_bits + 2):
                room = 1 << session.bucket_bits - window_bits + 1
                for windows in sorted({1, min(2, room), min(3, room), room}):
                    for count in counts:
                        for _, buckets in distributions(source, windows << window_bits - 1, count):
                            session.items(buckets)
                            session.tail(window_bits, windows, source.choice((0, 0, 1, 2, 5, 30)), source.randrange(2) if session.expected else 1)
                            if source.randrange(8) == 0:
                                session.items(buckets)
                                session.clear()
                            if source.randrange(8) == 0:
                                session.gather()
            session.run(self, gaps, refusals)

    def test_toy(self):
        self.check("msm_core_toy", "toy", (1, 2, 3, 10, 100))

    def test_toy_twin(self):
        self.check("msm_core_toy_twin", "toy", (50,))

    def test_toy_in_g2(self):
        self.check("msm_core_toy_bn_g2", "toy_bn", (1, 2, 3, 10, 100))

    def test_few_slots(self):
        """So few that the adder refuses pairs, and that there is no more space for sums."""
        for config, which in (("msm_core_toy", "toy"), ("msm_core_toy_bn_g2", "toy_bn")):
            source = random.Random(f"{SEED} few slots {config}")
            session = Session(config, which, source)
            for buckets in (8, 2, 1):
                session.items([source.randrange(buckets) for _ in range(3000)])
                session.tail(4, 1)
            session.run(self, refusals=128)

    def test_levels_of_many_pairs(self):
        self.check("msm_core_toy_wide", "toy", (300,))

    def test_a_wrong_sum_is_seen(self):
        session = Session("msm_core_toy", "toy", random.Random(SEED))
        session.items([0, 1, 2])
        session.tail(3, 1)
        session.expected[0] += 1
        with self.assertRaises(AssertionError):
            session.run(self)


def measure(test, config, which, source, buckets):
    """Points for the buckets of one window and its tail: (pairs, cycles) of accumulation and tail."""
    session = Session(config, which, source)
    session.items(buckets)
    session.tail(session.bucket_bits + 1, 1)
    (issues, cycles, tail_issues, tail_cycles), = session.run(test)
    return (issues, cycles), (tail_issues, tail_cycles)


long_only = unittest.skipUnless(LONG, "PROOFMILL_LONG=1 builds and runs these")


class RealCurves:
    """A core of a real curve with 2^16 points; `which` names the curve. Cycles of a point, of the tail for an addition of it, and those in which no
    point is taken, in latencies of a sum."""

    which, config = "", ""
    full = 1 << 16
    each, tail, idle = 1.03, 2.5, 10

    def run_one(self, name, buckets):
        accumulation, tail = measure(self, self.config, self.which, self.source, buckets)
        print(f"{self.config}, {name}, {len(buckets)} points: {accumulation[1]} cycles, {accumulation[0]} pairs; tail {tail[1]} cycles, {tail[0]} pairs")
        return accumulation, tail

    def setUp(self):
        self.source = random.Random(f"{SEED} {self.which}")
        self.shape = batch_affine.Shape.of(self.which, g2=points_of(self.which, self.config).in_g2)
        self.latency = self.shape.alone  # of a sum that is alone, at most

    def max_cycles(self, buckets):
        """Those of points for random buckets."""
        return len(buckets) * self.each + self.idle * self.latency

    def test_random_points_at_one_a_slot(self):
        buckets = [self.source.randrange(1 << 15) for _ in range(self.full)]
        accumulation, tail = self.run_one("random", buckets)
        self.assertLessEqual(accumulation[1], self.max_cycles(buckets))
        self.assertLessEqual(tail[1], self.tail * tail[0])
        self.assertLess(tail[0], (1 << 16) + 2 * 16)

    def test_one_bucket_at_one_a_slot(self):
        accumulation, _ = self.run_one("one bucket", [self.source.randrange(1 << 15)] * self.full)
        rounds = self.latency.bit_length() + 1
        self.assertLessEqual(accumulation[1], self.shape.interval * self.full + 3 * rounds * (self.latency + BESIDE_ADDER))

    def test_any_distribution(self):
        for name, buckets in distributions(self.source, 1 << 15, 3000):
            accumulation, _ = self.run_one(name, buckets)
            self.assertLessEqual(accumulation[1], WORST * self.shape.interval * len(buckets) + 3 * self.idle * self.latency)

    def test_windows_side_by_side(self):
        session = Session(self.config, self.which, self.source)
        for window_bits, windows in ((12, 16), (10, 7), (6, 100), (2, 9)):
            session.items([self.source.randrange(windows << window_bits - 1) for _ in range(2000)])
            session.tail(window_bits, windows, after=self.source.randrange(40))
            session.gather()
        session.run(self)


class InG2(RealCurves):
    tail = 5

    def max_cycles(self, buckets):
        """Those of the model: a pair takes three cycles, and a point that is only written takes one."""
        model = batch_affine.BatchCore(15, self.shape)
        model.accumulate([(bucket, 1) for bucket in buckets])
        return self.each * model.cycles

    def test_a_write_needs_no_slot(self):
        count = 1 << 12
        accumulation, _ = self.run_one("different buckets", self.source.sample(range(1 << 15), count))
        self.assertEqual(accumulation[0], 0)
        self.assertLessEqual(accumulation[1], count + 100)


class Bn254(RealCurves, unittest.TestCase):
    which, config = "bn254", "msm_core_bn254_twin"


@long_only
class Bls12_381(RealCurves, unittest.TestCase):
    which, config = "bls12_381", "msm_core_bls12_381_twin"


@long_only
class Bls12_377(RealCurves, unittest.TestCase):
    which, config = "bls12_377", "msm_core_bls12_377_twin"


@long_only
class Bn254G2(InG2, unittest.TestCase):
    which, config = "bn254", "msm_core_bn254_g2_twin"


@long_only
class Bls12_381G2(InG2, unittest.TestCase):
    which, config = "bls12_381", "msm_core_bls12_381_g2_twin"


@long_only
class Bls12_377G2(InG2, unittest.TestCase):
    which, config = "bls12_377", "msm_core_bls12_377_g2_twin"


if __name__ == "__main__":
    unittest.main()
