"""The engine's way against the sum itself on the toys, and the forms of points on every curve."""

import itertools
import random
import unittest

import curve as curves
import msm
from msm_card import GRANULE, SCALAR, SLICE, STATUS, Engine, Geometry

NAMES = list(msm.WIRE["curves"])
GROUPS = [(name, int(which[1])) for name in NAMES for which in curves.load(name).groups]  # with the register's number
TOYS = [(name, group) for name, group in GROUPS if name.startswith("toy")]


def subgroup(geometry):
    """All points of order r or 1, in the engine's form of the curve."""
    found = [geometry.law.identity]
    while len(found) < geometry.facts.r:
        found.append(geometry.law.add(found[-1], geometry.generator))
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
        for name, group in TOYS:
            geometry = Geometry.of(name, group)
            points = subgroup(geometry)
            for adders, bits, count in itertools.product((1, 2, 3), range(2, 5), (0, 1, 2, 5, 40)):
                plan = msm.Plan(msm.Windows(geometry.facts.r, bits), adders, 3)
                some = source.choices(points, k=count)
                scalars = [source.randrange(geometry.facts.r) for _ in some]
                wanted = msm.total(geometry.law, some, scalars)
                self.assertEqual(msm.by_buckets(geometry.law, some, scalars, plan), wanted, (name, adders, bits, count))

    def test_one_on_a_real_curve(self):
        facts = curves.load("bls12_377")
        group, g = facts.group("g1"), facts.generator("g1")
        points, scalars = [g, group.neg(g), None, group.mul(5, g)], [facts.r - 1, 1 << 252, 7, 3 << 100]
        plan = msm.Plan(msm.Windows(facts.r, 9), 2, 10)
        self.assertEqual(msm.by_buckets(group, points, scalars, plan), msm.total(group, points, scalars))


class Forms(unittest.TestCase):
    def test_of_the_wire(self):
        """Channels, digits and bytes that the document names; they do not depend on the group."""
        expected = {"bn254": (1, 1, 32), "bls12_381": (2, 6, 8), "bls12_377": (2, 6, 8), "pallas": (1, 1, 32), "vesta": (1, 1, 32),
                    "toy": (1, 1, 1), "toy_bn": (1, 1, 1)}
        for name, group in GROUPS:
            it = Geometry.of(name, group)
            self.assertEqual((it.channels, it.digits, it.stored_digit), expected[name], (name, group))

    def test_a_point_of_g2(self):
        """c0 of all coordinates as a point of G1, then c1."""
        for name in ("toy_bn", "bn254", "bls12_381", "bls12_377"):
            geometry = Geometry.of(name, 2)
            (x0, x1), (y0, y1) = geometry.generator
            in_g1 = Geometry.of(name)
            expected = [a + b for a, b in zip(in_g1.slices_of((x0, y0)), in_g1.slices_of((x1, y1)), strict=True)]
            self.assertEqual(geometry.slices(geometry.generator), expected)
            self.assertEqual(geometry.sum_bytes, 2 * in_g1.sum_bytes)

    def test_there_and_back(self):
        for name, group in GROUPS:
            geometry = Geometry.of(name, group)
            p, law, generator = geometry.facts.fp.p, geometry.law, geometry.generator
            for value in (0, 1, p - 1, p // 2, p // 2 + 1, 3 * p // 7):
                digits = geometry.digits_of(value)
                self.assertEqual(geometry.value_of(digits), value)
                self.assertTrue(all(2 * abs(digit) <= abs(geometry.base) for digit in digits[:-1]))
            points = subgroup(geometry) if (name, group) in TOYS else [law.identity, generator, law.neg(generator), law.mul(12345, generator)]
            self.assertEqual(len(set(map(tuple, map(geometry.slices, points)))), len(points))
            for point in points:
                slices = geometry.slices(point)
                self.assertTrue(geometry.is_stored(slices))
                self.assertEqual(geometry.point_of(slices), point)
                self.assertEqual(geometry.sum_of(geometry.sum_bytes_of(point)), point)
                self.assertEqual({len(part) for part in slices}, {SLICE * group})

    def test_every_digit_is_checked(self):
        """The first digit outside the range is found in each place that a stored point uses, and in no other."""
        for name, group in GROUPS:
            geometry = Geometry.of(name, group)
            least, most = geometry.digit_range
            size, end = geometry.stored_digit, geometry.stored_digit * geometry.slice_digits
            for channel, at in itertools.product(range(geometry.channels), range(0, geometry.point_bytes - size + 1, size)):
                for digit, is_stored in ((least, True), (most, True), (least - 1, False), (most + 1, False)):
                    slices = [bytearray(geometry.point_bytes) for _ in range(geometry.channels)]
                    slices[channel][at:at + size] = digit.to_bytes(size, "little", signed=True)
                    self.assertEqual(geometry.is_stored(slices), is_stored or at % SLICE >= end, (name, group, channel, at, digit))

    def test_what_is_no_sum_is_refused(self):
        for name, group in GROUPS:
            geometry = Geometry.of(name, group)
            with self.assertRaises(ValueError):
                geometry.sum_of(bytes(geometry.sum_bytes))
            from_integer = geometry.law.field.from_integer
            good = geometry.sum_bytes_of((from_integer(2), from_integer(4)))
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


class AnswersInG2(unittest.TestCase):
    def setUp(self):
        self.engine = Engine(Geometry.of("toy_bn", 2, memory=1 << 12))

    def run_of(self, **changes):
        return self.engine.run({"index": 6, "points": 0, "scalars": 0, "count": 0, "window_bits": 2, **changes})

    def test_a_point_takes_two_slices(self):
        done, refused = STATUS["done"], STATUS["refused"]
        self.assertEqual([self.run_of(count=n)["status"] for n in (32, 33, 1 << 57)], [done, refused, refused])
        self.assertEqual([self.run_of(points=1024, count=n)["status"] for n in (24, 25)], [done, refused])

    def test_runs_add_multiples_of_all_points(self):
        geometry = self.engine.geometry
        points, r = subgroup(geometry), geometry.facts.r
        for start in range(0, r, 8):
            part = points[start:start + 8]
            data = b"".join(geometry.slices(point)[0] for point in part).ljust(GRANULE, b"\0")
            self.engine.write({"index": 1, "address": 1024, "channel": 0, "data": data})
            for k in range(0, r, 5):
                scalars = [(k + i) % r for i in range(8)]
                data = b"".join(scalar.to_bytes(SCALAR, "little") for scalar in scalars).ljust(GRANULE, b"\0")
                self.engine.write({"index": 2, "address": 2048, "channel": 1, "data": data})
                reply = self.run_of(points=1024, scalars=2048, count=8)
                expected = sum((start + i) * scalar for i, scalar in enumerate(scalars[:len(part)])) % r
                self.assertEqual(geometry.sum_of(reply["sum"]), points[expected])

    def test_a_digit_of_either_component_is_checked(self):
        geometry = self.engine.geometry
        for at in (0, 1, SLICE, SLICE + 1):
            data = bytearray(geometry.slices(geometry.generator)[0].ljust(GRANULE, b"\0"))
            data[at] = geometry.facts.fp.p
            self.engine.write({"index": 1, "address": 0, "channel": 0, "data": bytes(data)})
            self.assertEqual(self.run_of(count=1)["status"], STATUS["memory_fault"])


if __name__ == "__main__":
    unittest.main()
