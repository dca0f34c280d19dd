"""The parts of ecdsa_verify in front of the field processor, in Verilator, against plain integers and spec/model/ecdsa_items.py.

`python3 rtl/sim/test_ecdsa_units.py`: ranges, divisions, halves and items, exhaustive on the toy order, edges and random numbers on secp256k1's; with
gaps and refusals; numbers that never reach a part, such as s = 0, must end all the same. PROOFMILL_SEED repeats a run.
"""

import random
import unittest
from functools import cache

import unit
from unit import ROOT, Unit, sys

sys.path.insert(0, str(ROOT / "spec/model"))

import curve as curves  # noqa: E402
import ecdsa_items  # noqa: E402
from test_ecdsa_items import edges  # noqa: E402

SEED = unit.seed()
DIVISIONS = 20_000
#: Cycles that a division may take: two a bit and one, and those before and behind.
DIVISION_REST = 15

built = cache(Unit)


def numbers(scheme, source, count):
    """Integers of as many bits as n has, whatever they are: edges of n and of the whole range, then random ones."""
    top = 1 << scheme.bits
    wild = [top - 1, top - 2, scheme.n, scheme.n + 1, min(2 * scheme.n - 1, top - 1)]
    known = [value for value in wild + edges(scheme) if value < top]
    return (known + [source.randrange(top) for _ in range(max(0, count - len(known)))])[:max(count, 1)]


class Divide(unittest.TestCase):
    def check(self, name, triples, **gaps):
        scheme, divide = ecdsa_items.load(name), built(f"ecdsa_divide_{name}")
        found = divide.run(triples, limit=len(triples) * 8 * (scheme.bits + 8), **gaps)
        for (z, r, s), ((u1,), (u2,)) in zip(triples, found.results):
            expected = scheme.scalars(z, r, s)
            self.assertEqual((u1, u2), (scheme.centred(expected[0]) % (1 << scheme.bits), expected[1]), (z, r, s))
        if not gaps:
            self.assertLessEqual(max(found.latencies), 2 * scheme.bits + DIVISION_REST)
        return found

    def test_every_toy_division(self):
        n = ecdsa_items.load("toy").n
        self.check("toy", [(a, (a + 39) % 128, s) for s in range(1, 128) if s % n for a in range(128)])

    def test_edges_and_random_numbers(self):
        scheme, source = ecdsa_items.load(), random.Random(SEED)
        values = numbers(scheme, source, DIVISIONS // 2)
        shuffled = [source.sample(values, len(values)) for _ in range(2)]
        triples = [(z, r, s) for z, r, s in zip(*shuffled, values) if s % scheme.n]
        triples += [tuple(source.randrange(1, scheme.n) for _ in range(3)) for _ in range(DIVISIONS - len(triples))]
        found = self.check("secp256k1", triples)
        print(f"division: {sum(found.latencies) / len(triples):.1f} cycles, {min(found.latencies)} to {max(found.latencies)}")

    def test_gaps_and_refusals(self):
        source = random.Random(SEED)
        triples = [tuple(source.randrange(1, 79) for _ in range(3)) for _ in range(1000)]
        for gaps, refusals in ((200, 0), (0, 250), (128, 128)):
            self.check("toy", triples, gaps=gaps, refusals=refusals)

    def test_an_s_without_an_inverse_ends(self):
        for name in ("toy", "secp256k1"):
            scheme = ecdsa_items.load(name)
            top = (1 << scheme.bits) - 1
            triples = [(z, r, s) for s in (0, scheme.n) for z in (0, 1, top) for r in (0, scheme.n, top)]
            good = (3, 5, 7)
            found = built(f"ecdsa_divide_{name}").run([triple for bad in triples for triple in (bad, good)])
            self.assertLessEqual(max(found.latencies), 2 * scheme.bits + DIVISION_REST)
            u1, u2 = scheme.scalars(*good)
            self.assertEqual(set(found.results[1::2]), {((scheme.centred(u1) % (top + 1),), (u2,))})


class GlvSplit(unittest.TestCase):
    def test_edges_and_random_numbers(self):
        for name in ("toy", "secp256k1"):
            scheme, split = ecdsa_items.load(name), built(f"ecdsa_split_{name}")
            values = numbers(scheme, random.Random(SEED), 5000)
            found = split.run([(u,) for u in values], limit=1_000_000)
            mask = (1 << split.results[0].width) - 1
            for u, (k1, k2) in zip(values, found.results):
                self.assertEqual((k1[0], k2[0]), tuple(k & mask for k in scheme.split(u)), u)
            print(f"split, {name}: {set(found.latencies)} cycles")


class Items(unittest.TestCase):
    def check(self, name, triples, **gaps):
        scheme, items = ecdsa_items.load(name), built(f"ecdsa_items_{name}")
        found = items.run(triples, limit=len(triples) * 16 * (scheme.bits + 16), **gaps)
        for triple, (q, q_size, g, g_size, u1_zero) in zip(triples, found.results):
            u1, u2 = scheme.scalars(*triple)
            self.assertEqual(u1_zero, (int(u1 == 0),))
            for digits, size, list, expected in ((q, q_size, "q", scheme.q_items(u2)), (g, g_size, "g", scheme.g_items(u1))):
                magnitudes = 2 * scheme.entries if list == "q" else scheme.windows << scheme.comb - 1
                bits = (magnitudes - 1).bit_length()
                packed = [item.magnitude | item.minus << bits | item.count << bits + 1 for item in expected]
                self.assertEqual((digits, size), ((*packed, *[0] * (len(digits) - len(packed))), (len(packed),)), (list, triple))
        return found

    def test_every_toy_scalar(self):
        n = ecdsa_items.load("toy").n
        self.check("toy", [(z, r, s) for z in range(n) for r in (1, 2, 78) for s in range(1, n)])

    def test_edges_and_random_numbers(self):
        scheme, source = ecdsa_items.load(), random.Random(SEED)
        values = edges(scheme)[1:]
        triples = [(u1 * s % scheme.n, u2 * s % scheme.n, s)
                   for u1, u2, s in zip([0, *values], source.sample(values, len(values)), source.sample(values, len(values)))]
        triples += [tuple(source.randrange(1, scheme.n) for _ in range(3)) for _ in range(2000)]
        found = self.check("secp256k1", triples)
        alone = [built("ecdsa_items_secp256k1").run([triple]).latencies[0] for triple in triples[-100:]]
        print(f"items: a job in {(found.left[-1] - found.left[-1001]) / 1000:.1f} cycles; alone {sum(alone) / 100:.1f}, {min(alone)} to {max(alone)}")

    def test_gaps_and_refusals(self):
        source = random.Random(SEED)
        triples = [tuple(source.randrange(1, 79) for _ in range(3)) for _ in range(1000)]
        for gaps, refusals in ((200, 0), (0, 250), (128, 128)):
            self.check("toy", triples, gaps=gaps, refusals=refusals)


class SignatureIntake(unittest.TestCase):
    def test_ranges(self):
        """Each number's ends and their neighbours in every word, with all others good; then everything at random."""
        curve, source = curves.load("secp256k1"), random.Random(SEED)
        n, p, top = curve.r, curve.fp.p, 1 << 256
        likely = {value % top for bound in (0, n, p, p - n, n // 2, top) for step in (-2, -1, 0, 1, 2) for value in [bound + step]}
        likely |= {bound + sign * (1 << bit) for bound in (n, p, p - n) for bit in range(0, 256, 32) for sign in (1, -1)}
        likely = sorted(value for value in likely if 0 <= value < top)
        good = (1, 1, 0, 1, 1)
        commands = [(*good[:i], value, *good[i + 1:]) for i in range(5) for value in likely]
        commands += [tuple(source.choice(likely) if source.random() < 0.7 else source.randrange(top) for _ in good) for _ in range(5000)]
        words = [(index, *(number >> 64 * i & (1 << 64) - 1 for number in command for i in range(4))) for index, command in enumerate(commands)]
        intake = built("ecdsa_intake")
        for gaps in ({}, {"gaps": 100}, {"refusals": 200}):
            found = intake.run([(word,) for command in words for word in command], len(commands), limit=2_000_000, **gaps)
            for index, (command, result) in enumerate(zip(commands, found.results)):
                s, r, z, qx, qy = command
                bits = (not 0 < r < n, not 0 < s < n, qx >= p or qy >= p, r < p - n)
                self.assertEqual([value for (value,) in result], [index, s, r, z, qx, qy, *map(int, bits)])


if __name__ == "__main__":
    unittest.main()
