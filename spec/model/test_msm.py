"""The engine's way against the sum itself on the toys, and the forms of points on every curve."""

import itertools
import random
import unittest

import curve as curves
import msm
from msm_card import GRANULE, SCALAR, SLICE, STATUS, Engine, Geometry

NAMES = list(msm.WIRE["curves"])


def subgroup(geometry):
    """All points of order r or 1, in the engine's form of the curve."""
    facts, group = geometry.facts, geometry.group
    step = facts.edwards_map.forth(facts.generator("g1")) if geometry.is_edwards else facts.generator("g1")
    found = [group.identity]
    while len(found) < facts.r:
        found.append(group.add(found[-1], step))
    return found


class Cut(unittest.TestCase):
    def test_digits_are_the_scalar(self):
        source = random.Random(1)
        for name in NAMES:
            r = curves.load(name).r
            for bits in range(2, 17):
                windows = msm.Windows(r, bits)
                self.assertGreaterEqual(r - 1 + windows.offset_of(windows.count - 1), 1 << bits * (windows.count - 1), (name, bits))
                for k in [0, 1, r - 1, r // 2, *(source.randrange(r) for _ in range(50))]:
                    digits = windows.digits(k)
                    self.assertEqual(sum(d << bits * w for w, d in enumerate(digits)), k)
                    self.assertTrue(all(-(1 << bits - 1) <= d < 1 << bits - 1 for d in digits))

    def test_counts_of_windows_of_16_bits(self):
        found = {name: msm.Windows(curves.load(name).r, 16).count for name in ("bn254", "bls12_381", "bls12_377")}
        self.assertEqual(found, {"bn254": 16, "bls12_381": 16, "bls12_377": 16})

    def test_every_window_has_one_adder_in_one_pass(self):
        for name, adders, bits in itertools.product(NAMES, (1, 2, 3), range(2, 17)):
            plan = msm.Plan(msm.Windows(curves.load(name).r, bits), adders, 15)
            firsts = [plan.first(turn, adder) for turn in range(plan.passes) for adder in range(adders)]
            self.assertEqual(firsts, list(range(0, len(firsts) * plan.group, plan.group)))
            self.assertGreaterEqual(len(firsts) * plan.group, plan.windows.count)
            self.assertLessEqual(plan.group << bits - 1, 1 << 15)


class Buckets(unittest.TestCase):
    def test_they_give_the_sum(self):
        source = random.Random(2)
        for name in ("toy", "toy_edwards"):
            geometry = Geometry.of(name)
            points = subgroup(geometry)
            for adders, bits, count in itertools.product((1, 2, 3), range(2, 5), (0, 1, 2, 5, 40)):
                plan = msm.Plan(msm.Windows(geometry.facts.r, bits), adders, 3)
                some = source.choices(points, k=count)
                scalars = [source.randrange(geometry.facts.r) for _ in some]
                wanted = msm.total(geometry.group, some, scalars)
                self.assertEqual(msm.by_buckets(geometry.group, some, scalars, plan), wanted, (name, adders, bits, count))

    def test_one_on_a_real_curve(self):
        facts = curves.load("bls12_377")
        group, g = facts.group("g1"), facts.generator("g1")
        points, scalars = [g, group.neg(g), None, group.mul(5, g)], [facts.r - 1, 1 << 252, 7, 3 << 100]
        plan = msm.Plan(msm.Windows(facts.r, 9), 2, 10)
        self.assertEqual(msm.by_buckets(group, points, scalars, plan), msm.total(group, points, scalars))


class Forms(unittest.TestCase):
    def test_of_the_wire(self):
        """Channels, digits and bytes that the document names."""
        found = {name: (it.channels, it.coordinates, it.digits, it.stored_digit) for name in NAMES for it in [Geometry.of(name)]}
        self.assertEqual(found, {
            "bn254": (1, 3, 1, 32), "bls12_381": (2, 3, 6, 8), "bls12_377": (3, 4, 6, 8), "pallas": (1, 3, 1, 32), "vesta": (1, 3, 1, 32),
            "toy": (1, 3, 1, 1), "toy_edwards": (1, 4, 1, 1),
        })

    def test_there_and_back(self):
        for name in NAMES:
            geometry = Geometry.of(name)
            p, group = geometry.facts.fp.p, geometry.group
            for value in (0, 1, p - 1, p // 2, p // 2 + 1, 3 * p // 7):
                digits = geometry.digits_of(value)
                self.assertEqual(geometry.value_of(digits), value)
                self.assertTrue(all(2 * abs(digit) <= abs(geometry.base) for digit in digits[:-1]))
            point = subgroup(geometry)[3] if p < 100 else geometry.facts.generator("g1")
            if geometry.is_edwards and p > 100:
                point = geometry.facts.edwards_map.forth(point)
            for it in (point, group.identity, group.add(point, point)):
                self.assertEqual(geometry.point_of(geometry.slices(it)), it)
                self.assertEqual(geometry.sum_of(geometry.sum_bytes_of(it)), it)
                self.assertEqual({len(part) for part in geometry.slices(it)}, {SLICE})

    def test_what_is_no_sum_is_refused(self):
        for name in NAMES:
            geometry = Geometry.of(name)
            with self.assertRaises(ValueError):
                geometry.sum_of(bytes(geometry.sum_bytes))
            good = geometry.sum_bytes_of((2, 3))
            with self.assertRaises(ValueError):
                geometry.sum_of(good)


class Answers(unittest.TestCase):
    def setUp(self):
        self.engine = Engine(Geometry.of("toy", memory=1 << 12))

    def write(self, **changes):
        command = {"index": 5, "address": 0, "channel": 0, "data": bytes(GRANULE), **changes}
        return self.engine.write(command)["status"]

    def run_status(self, **changes):
        return self.engine.run({"index": 6, "points": 0, "scalars": 0, "count": 0, "window_bits": 2, **changes})["status"]

    def test_refusals(self):
        done, refused = STATUS["done"], STATUS["refused"]
        self.assertEqual([self.write(channel=c) for c in (0, 1, 2, 255)], [done, done, refused, refused])
        self.assertEqual([self.write(address=a) for a in (3072, 4096, 512, 1, 1 << 55)], [done, refused, refused, refused, refused])
        self.assertEqual([self.run_status(window_bits=c) for c in (0, 1, 2, 4, 5, 1 << 40)], [refused, refused, done, done, refused, refused])
        self.assertEqual([self.run_status(count=n) for n in (64, 65, 1 << 63)], [done, refused, refused])
        self.assertEqual([self.run_status(points=1024, count=n) for n in (48, 49)], [done, refused])
        self.assertEqual([self.run_status(scalars=3072, count=n) for n in (32, 33)], [done, refused])
        self.assertEqual([self.run_status(points=a, scalars=b) for a, b in ((8, 0), (0, 64), (1 << 40, 0))], [refused] * 3)
        self.assertEqual(self.engine.cancel({"index": 1, "target": 6})["status"], refused)

    def test_a_run_adds_what_was_written(self):
        geometry = self.engine.geometry
        points = subgroup(geometry)
        chosen, scalars = [points[i] for i in (5, 0, 78, 5, 9)], [3, 70, 78, 1, 0]
        self.write(channel=0, address=1024, data=b"".join(geometry.slices(p)[0] for p in chosen).ljust(GRANULE, b"\0"))
        self.write(channel=1, address=2048, data=b"".join(k.to_bytes(SCALAR, "little") for k in scalars).ljust(GRANULE, b"\0"))
        reply = self.engine.run({"index": 9, "points": 1024, "scalars": 2048, "count": 5, "window_bits": 3})
        self.assertEqual(geometry.sum_of(reply["sum"]), points[(5 * 3 + 78 * 78 + 5) % 79])
        self.assertEqual(reply["index"], 9)


if __name__ == "__main__":
    unittest.main()
