"""Additions in batches: every pair of the toy curve, other fields and G2, the number of products; every stream's sum, and its cycles."""

import itertools
import random
import unittest
from dataclasses import replace

import batch_affine
import curve as curves
from batch_affine import BatchAdder, BatchCore, Shape
from test_msm_core import blocks, filled

#: Latencies of a toy, so that streams of a few points meet in flight.
TOY = Shape(multiply=2, invert=3, prepare=1, linear=1, slots=4, capacity=12, aside=1)


class Counted:
    """A field that counts its products and inversions."""

    def __init__(self, field):
        self.field, self.products, self.inversions = field, 0, 0

    def __getattr__(self, name):
        return getattr(self.field, name)

    def mul(self, a, b):
        self.products += 1
        return self.field.mul(a, b)

    def inverse(self, a):
        self.inversions += 1
        return self.field.inverse(a)


class Additions(unittest.TestCase):
    def test_every_pair_of_the_toys(self):
        """In G2 of the subgroup."""
        facts = curves.load("toy_bn")
        subgroup = [facts.group("g2").mul(k, facts.generator("g2")) for k in range(facts.r)]
        toy = curves.load("toy").group("g1")
        for curve, points, order in ((toy, toy.points(), 79), (facts.group("g2"), subgroup, 97)):
            pairs = list(itertools.product(points, repeat=2))
            self.assertEqual(len(set(points)), order)
            expected = [curve.add(p, q) for p, q in pairs]
            for chains in (1, 2, 5, 34):
                self.assertEqual(batch_affine.sums(curve, pairs, chains), expected)
            for size in (0, 1, 2, 33, 34, 35):  # frames that are not whole rounds of the chains
                self.assertEqual(batch_affine.sums(curve, pairs[500:500 + size], 34), expected[500:500 + size])

    def test_pairs_of_the_whole_toy_of_g2(self):
        """Points whose x or y have a component in common among them, which are neither equal nor opposite."""
        source, curve = random.Random(4), curves.load("toy_bn").group("g2")
        points = source.sample(curve.points(), 400)
        pairs = [(p, source.choice(points)) for p in points for _ in range(20)]
        pairs += [(p, q) for p, q in itertools.product(points, repeat=2) if p and q and p != q and any(a == b for i in range(2) for a, b in zip(p[i], q[i]))]
        self.assertEqual(batch_affine.sums(curve, pairs, 13), [curve.add(p, q) for p, q in pairs])

    def test_other_curves_and_g2(self):
        source = random.Random(3)
        for name in ("bn254", "bls12_381"):
            facts = curves.load(name)
            for group in ("g1", "g2"):
                curve, base = facts.group(group), facts.generator(group)
                points = [curve.mul(source.randrange(1, 50), base) for _ in range(12)]
                pairs = [(source.choice(points), source.choice(points)) for _ in range(30)]
                pairs += [(points[0], points[0]), (points[0], curve.neg(points[0])), (None, points[1]), (points[1], None), (None, None)]
                self.assertEqual(batch_affine.sums(curve, pairs, 7), [curve.add(p, q) for p, q in pairs])

    def test_six_products_an_addition(self):
        facts = curves.load("bn254")
        group = facts.group("g1")
        points = [group.mul(k, facts.generator("g1")) for k in range(2, 102)]
        field = Counted(group.field)
        curve = curves.Weierstrass(field, group.b)
        chains = 34
        batch_affine.sums(curve, list(zip(points[::2], points[1::2], strict=True)), chains)
        self.assertEqual(field.inversions, 1)
        self.assertEqual(field.products, 6 * 50 + 3 * (chains - 1))


class Sums(unittest.TestCase):
    def test_every_short_stream(self):
        for shape in (TOY, replace(TOY, interval=3)):
            for length in range(7):
                for buckets in itertools.product(range(4), repeat=length):
                    core = BatchCore(2, shape)
                    expected = filled(core, buckets)
                    core.tail(3, 1)
                    self.assertEqual((core.acc, {bucket: value for bucket, value in core.buckets.items() if value}), (expected, {}), buckets)

    def test_streams_that_fill_everything(self):
        """Frames, the capacity and sums set aside at their limits; gaps between points."""
        source = random.Random(8)
        for slots, capacity, aside, interval in itertools.product((1, 4), (4, 12), (0, 3), (1, 3)):
            shape = Shape(2, 5, 1, 1, slots, capacity, aside, interval)
            for used in (1, 2, 8):
                items = [(source.randrange(used), source.randrange(1, 1000)) if source.randrange(4) else None for _ in range(300)]
                core = BatchCore(3, shape)
                core.accumulate(items)
                core.tail(4, 1, after=2)
                self.assertEqual(core.acc, sum((item[0] + 1) * item[1] for item in items if item) << 2, shape)
                self.assertLessEqual(max(core.adder.frames), slots)

    def test_the_order_of_sums(self):
        """Frames leave in order, the pairs of one in reverse; never more are inside than the capacity."""
        adder = BatchAdder(TOY)
        expected, found, number = [], [], 0
        while len(found) < 60:
            head = adder.head
            enters = adder.is_ready and adder.inside < TOY.capacity and number < 60
            adder.cycle((number, number, 1000) if enters else None, take=head is not None)
            number += enters
            found += [head] if head else []
            self.assertLessEqual(adder.inside, TOY.capacity)
        start = 0
        for size in adder.frames:
            expected += reversed(range(start, start + size))
            start += size
        self.assertEqual(found, [(n, n + 1000) for n in expected])


class Cycles(unittest.TestCase):
    def test_one_point_in_each_slot(self):
        """When the buckets are full, for random buckets, one and two; with few, points and sums want the same bank more often."""
        source, count = random.Random(1), 1 << 16
        for curve, g2 in (("bn254", False), ("bls12_381", False), ("bls12_381", True)):  # in G2 writes need no slot
            for draw, most in ((lambda: source.randrange(1 << 14), 1.07), (lambda: 7, 1.01), (lambda: source.randrange(2), 1.05), (lambda: source.randrange(40), 1.3)):
                shape = Shape.of(curve, g2)
                core = BatchCore(14, shape)
                core.accumulate([(draw(), source.randrange(1, 1 << 60)) for _ in range(count)])
                begin = core.cycles
                taken = core.accumulate([(draw(), source.randrange(1, 1 << 60)) for _ in range(count)]) - begin
                self.assertLessEqual(taken / count, shape.interval if g2 else most, (curve, g2, most))

    def test_a_write_needs_no_slot(self):
        """Points for different buckets take a cycle each in G2; so do those that come while a frame is full."""
        count = 1 << 13
        core = BatchCore(14, Shape.of("bn254", g2=True))
        self.assertEqual(core.accumulate([(bucket, 1) for bucket in range(count)]), count)
        self.assertEqual(core.issues, 0)
        core = BatchCore(3, replace(TOY, slots=1, invert=50))
        self.assertEqual(core.accumulate([(bucket, 1) for bucket in (0, 0, 1, 1, 2, 3, 4, 5)]), 8)

    def test_doublings_cost_the_seventh_multiplier_only(self):
        """Equal points: each pair is a doubling at first, and the squares share a multiplier with the tree."""
        core = BatchCore(14, Shape.of("bn254"))
        count = 1 << 15
        self.assertLess(core.accumulate([(source % 3, 5) for source in range(count)]) / count, 1.6)

    def test_no_order_takes_twice_as_long(self):
        for size, times in ((26, 3), (500, 2), (2000, 3)):
            core = BatchCore(14, Shape.of("bn254"))
            buckets = blocks(30_000, size, times, 4 * size)
            filled_values = [(bucket, 1 + i) for i, bucket in enumerate(buckets)]
            self.assertLess(core.accumulate(filled_values) / len(buckets), 2, (size, times))


if __name__ == "__main__":
    unittest.main()
