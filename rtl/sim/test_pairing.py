"""The pairing processor in Verilator: published values, random jobs against the towers' model, and every cycle against the machine's model.

`python3 rtl/sim/test_pairing.py` runs it with the multiplier's behavioural model, and one multiplication in Fp12 and one square with the multiplier's circuit;
PROOFMILL_LONG=1 has that compute a whole pairing. PROOFMILL_SEED repeats a run.

`python3 rtl/sim/test_pairing.py --cycles` prints the cycles of each program alone and in a stream.
"""

import json
import os
import random
import sys
import unittest
from functools import cache

import unit
from unit import ROOT, Unit, rtl

sys.path.insert(0, str(ROOT / "spec/model"))

import cases_coprocessor  # noqa: E402
import coprocessor  # noqa: E402
import curve  # noqa: E402
import pairing  # noqa: E402
import pairing_processor  # noqa: E402
from pairing_processor import Job, Machine  # noqa: E402
from test_pairing_formulas import PUBLISHED  # noqa: E402

TWIN, STRUCTURE = "pairing_bls12_381_twin", "pairing_bls12_381"
LONG = "PROOFMILL_LONG" in os.environ
SEED = unit.seed() if __name__ == "__main__" else 1
WRITE, START, READ = range(3)

FACTS = curve.load("bls12_381")
P, FP2, FP12 = FACTS.fp.p, FACTS.tower.fp2, FACTS.tower.fp12
built = cache(Unit)

#: Of the generators, c0.c0.c0, c0.c0.c1, c0.c1.c0, ..., c1.c2.c1: the Miller value, which zcash-fpga's circuit gives in simulation, and the pairing.
VALUES = {"miller_loop": """
05194f5785436c8debf0eb2bab4c6ef3de7dc0633c85769173777b782bf897fa45025fd03e7be941123c4ee19910e62e
0e760e96f911ae38a6042da82d7b0e30787864e725e9d5462d224c91c4497104d838d566d894564bc19e09d8af706c3f
0751a051e0beb4a0e2351a7527d813b371e189056307d718a446e4016a3df787568a842f3401768dc03b966bd1db90ac
0cbc592a19a3f60c9938676b257b9c01ed9d708f9428b29e272a811d13d734485970d9d3f1c097b12bfa3d1678096b1d
159ef660e2d84185f55c0ccae1dd7f8f71b12c0beb7a431fede9e62794d9154e9a0ce4715f64b032492459076224c99b
087d1320fe5bad5c2d8e12c49e6aff41a0b80e1497bbe85682e22ed853f256041bdf97ef02bdb5d80a5f9bc31d85f25e
1427e91ee8eff7e7187d560c375f5da3a9f0f162192ac4277bff1b14f560355e0b5cf069f452ab4d35ce11b39facc280
0465162c766430cf4a98e217e3d765643118598715cc2538c56e933f0528f56dd6ac82507df446545a2fde77349ad37e
05cfef8c26f3886e502008fc1fd74b86d400c32cb432323f994c060db185e9f8519cf76afcc9969379c2967f2f6ba36a
12b091c5b34124368d2e95a7fd6cfa3b456447e49cd298de506572c5f3afb8727f2a186f0ea14bf5eed2171c4568b5c5
0198faba7d94607ce154e6a711ef859a5c4623722d4136c961a801c2b984aae5838a532aae5c2211660d3b8689b8f015
049eaeacea5c5e9ad17ab1909cb31c653b0cb7184cc9187f77a934b1189b088d4ca64d0ff60eb0b6be8805757ba3df04
""", "ate_pairing": PUBLISHED}


@cache
def image(config=TWIN):
    return json.loads((rtl.generate(config) / "image.json").read_text())


#: Where the unit has operand d, and what stands there and behind operand b at first, for walks through a table.
CHECKS = 240
BEHIND = [3 * i + 1 for i in range(16)]


def named(key):
    return [int(text, 16) for text in VALUES[key].split()]


def flat(element):
    return [element] if isinstance(element, int) else [number for part in element for number in flat(part)]


def fp12(numbers):
    pairs = list(zip(numbers[::2], numbers[1::2]))
    return (tuple(pairs[:3]), tuple(pairs[3:]))


class Session:
    """What is sent to the unit, and what comes back: values by slot, the cycle of each job's start and end."""

    def __init__(self, config=TWIN):
        self.config, self.words, self.shown = config, [], []
        self.programs = [entry["name"] for entry in image(config)["entries"]]

    def write(self, slot, numbers):
        self.words += [(WRITE, 0, slot + i, 0, 0, number) for i, number in enumerate(numbers)]
        return self

    def start(self, program, a, b, c):
        self.words.append((START, self.programs.index(program), a, b, c, 0))
        return self

    def read(self, slot, count):
        self.words += [(READ, 0, slot + i, 0, 0, 0) for i in range(count)]
        return self

    def run(self, **doors):
        answers = sum(word[0] != WRITE for word in self.words)
        outcome = built(self.config).run(self.words, expected=answers, limit=30_000 * len(self.words), **doors)
        self.started = [cycle for word, cycle in zip(self.words, outcome.entered) if word[0] == START]
        self.ended = [cycle for (done, _), cycle in zip(outcome.results, outcome.left) if done[0]]
        return [value[0] for done, value in outcome.results if not done[0]]


def one(program, a=(), b=(), count=12, config=TWIN, behind=0):
    """A single job's result, from slot `behind` of operand c on, and its cycles."""
    session = Session(config).write(0, a).write(32, b).write(64 + behind, [0] * count)
    for at in (44, CHECKS) if walks(program) else ():
        session.write(at, BEHIND)
    session.start(program, 0, 32, 64).read(64 + behind, count)
    return session.run(), session.ended[0] - session.started[0]


def walks(program):
    """Does it read a table at operand b, or a point at operand d?"""
    return program.endswith(("multiply", "table", "lines"))


def point(group, k):
    return flat(FACTS.group(group).mul(k, FACTS.generator(group)))


def element(source, count):
    edges = (0, 1, 2, P - 1, P - 2, (P + 1) // 2, 1 << 380)
    return [source.choice(edges) if source.randrange(4) == 0 else source.randrange(P) for _ in range(count)]


class Published(unittest.TestCase):
    def test_generators(self):
        operands = point("g1", 1), point("g2", 1)
        self.assertEqual(one("miller_loop", *operands)[0], named("miller_loop"))
        self.assertEqual(one("final_exp", named("miller_loop"))[0], named("ate_pairing"))
        self.assertEqual(one("ate_pairing", *operands)[0], named("ate_pairing"))

    def test_the_same_twice_and_different_ones_without_a_reset(self):
        session = Session().write(0, point("g1", 1)).write(8, point("g2", 1)).write(16, point("g1", 3))
        session.start("ate_pairing", 0, 8, 32).start("ate_pairing", 0, 8, 48).start("ate_pairing", 16, 8, 64).read(32, 44)
        found = session.run()
        cube = fp12(named("ate_pairing"))
        cube = FP12.mul(cube, FP12.mul(cube, cube))
        self.assertEqual(found[:12], named("ate_pairing"))
        self.assertEqual(found[16:28], named("ate_pairing"))
        self.assertEqual(found[32:44], flat(cube))

    def test_product_of_two_pairings(self):
        session = Session().write(0, point("g1", 1)).write(8, point("g2", 1))
        session.start("miller_loop", 0, 8, 32).start("miller_loop", 0, 8, 48).read(32, 1)
        session.start("fe12_mul", 32, 48, 32).read(32, 1).start("final_exp", 32, 0, 32).read(32, 12)
        square = FP12.mul(*[fp12(named("ate_pairing"))] * 2)
        self.assertEqual(session.run()[2:], flat(square))


class Values(unittest.TestCase):
    def test_pairings_of_random_points(self):
        source = random.Random(f"{SEED} pairings")
        paired = pairing.Pairing("bls12_381")
        k, m = source.randrange(1, FACTS.r), source.randrange(1, FACTS.r)
        found, _ = one("ate_pairing", point("g1", k), point("g2", m))
        p, q = (FACTS.group(g).mul(n, FACTS.generator(g)) for g, n in (("g1", k), ("g2", m)))
        self.assertEqual(found, flat(paired(p, q)))

    def test_final_exponentiation_of_anything(self):
        numbers = element(random.Random(f"{SEED} final"), 12)
        exponent = 3 * (P**12 - 1) // FACTS.r
        self.assertEqual(one("final_exp", numbers)[0], flat(FP12.inverse(FP12.power(fp12(numbers), exponent))))
        self.assertEqual(one("final_exp", [0] * 12)[0], [0] * 12)

    def test_field_operations(self):
        """Random jobs of all small programs, many at once, with and without gaps at the ports."""
        fields = {"fe": (FACTS.fp, 1), "fe2": (FP2, 2), "fe12": (FP12, 12)}
        shape = {1: lambda n: n[0], 2: tuple, 12: fp12}
        for gaps, refusals in ((0, 0), (200, 100)):
            source = random.Random(f"{SEED} field {gaps}")
            for _ in range(6):
                session, expected = Session(), []
                for i in range(5):
                    name = source.choice(list(fields))
                    field, count = fields[name]
                    operation = source.choice(["add", "sub", "mul", "inv", "sqr"] if name == "fe12" else ["add", "sub", "mul", "inv"])
                    a, b, at = element(source, count), element(source, count), 50 * i
                    x, y = shape[count](a), shape[count](b)
                    result = {
                        "add": lambda: field.add(x, y), "sub": lambda: field.add(x, field.neg(y)), "mul": lambda: field.mul(x, y),
                        "inv": lambda: field.inverse(x) if any(a) else x, "sqr": lambda: field.mul(x, x),
                    }[operation]()
                    session.write(at, a).write(at + 12, b).start(f"{name}_{operation}", at, at + 12, at + 24)
                    expected.append((at + 24, flat(result)))
                for slot, numbers in expected:
                    session.read(slot, len(numbers))
                self.assertEqual(session.run(gaps=gaps, refusals=refusals, seed=SEED), [n for _, numbers in expected for n in numbers])

    def test_streams(self):
        """More jobs than contexts, none like the one before: nothing of an earlier job is left in a context."""
        source = random.Random(f"{SEED} streams")
        numbers = element(source, 40)
        session = Session().write(0, numbers)
        for i in range(40):
            session.start("fe_inv", i, 0, 40 + i)
        self.assertEqual(session.read(40, 40).run(), [pow(n, -1, P) if n else 0 for n in numbers])

        session, contexts = Session().write(8, point("g2", 1)), image()["contexts"]
        multiples = [source.randrange(1, 1000) for _ in range(contexts + 3)]
        for i, k in enumerate(multiples):
            session.write(16 + 2 * i, point("g1", k)).start("ate_pairing", 16 + 2 * i, 8, 64 + 12 * i)
        found = session.read(64, 12 * len(multiples)).run()
        for i, k in enumerate(multiples):
            self.assertEqual(found[12 * i:12 * i + 12], flat(FP12.power(fp12(named("ate_pairing")), k)), k)

    def test_structure(self):
        """The circuits of the multipliers instead of their behavioural models: the same results in the same cycles."""
        source = random.Random(f"{SEED} structure")
        a, b = element(source, 12), element(source, 12)
        for program in ("fe12_mul", "fe12_sqr"):
            self.assertEqual(one(program, a, b), one(program, a, b, config=STRUCTURE), program)

    @unittest.skipUnless(LONG, "PROOFMILL_LONG=1 computes a pairing with the structural multipliers")
    def test_structure_pairs(self):
        operands = point("g1", 1), point("g2", 1)
        found = one("ate_pairing", *operands, config=STRUCTURE)
        self.assertEqual(found[0], named("ate_pairing"))
        self.assertEqual(found, one("ate_pairing", *operands))


class Multiples(unittest.TestCase):
    """The programs of points on the model's machine: multiples by digits, and who is in the subgroup."""

    X = 0xD201000000010000
    TABLE = 100
    UPPER, RESULT = TABLE + 48, TABLE + 96

    def multiple(self, group, point, k):
        """A machine that has made a multiple of an affine point by a scalar's digits, as the coprocessor splits it."""
        machine = Machine(image(), slots=512)
        machine.slots[0:4] = (point + [0] * 4)[:4]
        operands = self.TABLE, self.TABLE, self.UPPER, 0
        if group == "g1":
            k1, k0 = divmod(k, self.X**2 - 1)
            digits = tuple(tuple((k0 >> i & 1) + 2 * (k1 >> i & 1) + 4 * (self.X**2 >> i & 1) for i in (t, t + 1)) for t in range(0, 130, 2))
            machine.run([Job("g1_multiply", operands, digits, loads=6)])
        else:
            parts = [k // self.X**i % self.X for i in range(4)]
            digits = tuple(tuple(part >> 4 * i & 15 for part in parts) for i in reversed(range(16)))
            machine.run([Job("g2_multiply", operands, digits)])
        return machine

    def test_multiples(self):
        source = random.Random(f"{SEED} multiples")
        for group, base, size in (("g1", self.X**2, 1), ("g2", self.X, 2)):
            for k in (0, 1, 2, base - 1, base, FACTS.r - 1, source.randrange(FACTS.r)):
                m = source.randrange(1, FACTS.r)
                machine = self.multiple(group, point(group, m), k)
                machine.run([Job(f"{group}_finish", (self.RESULT, 0, self.RESULT))])
                expected = point(group, k * m % FACTS.r) + [1] if k else [1] + [0] * (size - 1) + [1] + [0] * size
                self.assertEqual(machine.slots[self.RESULT:self.RESULT + 2 * size + 1], expected, (group, k, m))

    def test_table(self):
        """The multiples 0 to 15, up to a factor."""
        machine = Machine(image(), slots=512)
        machine.slots[0:4] = point("g2", 5)
        machine.run([Job("g2_table", (self.TABLE, self.TABLE, self.UPPER, 0))])
        for k in range(16):
            at = self.TABLE + pairing_processor.TABLE["slots"] * k
            x, y, z = (tuple(machine.slots[at + i:at + i + 2]) for i in (0, 2, 4))
            if k == 0:
                self.assertEqual((x, z), ((0, 0), (0, 0)))
            else:
                self.assertEqual(flat([FP2.mul(c, FP2.inverse(z)) for c in (x, y)]), point("g2", 5 * k), k)

    def test_subgroups(self):
        source = random.Random(f"{SEED} subgroups")
        for group, size in (("g1", 1), ("g2", 2)):
            outside = cases_coprocessor.outside(group, f"{SEED} {group}")
            beside = FACTS.group(group).mul(FACTS.r, outside)
            inside = point(group, source.randrange(1, FACTS.r))
            for affine, member in ((inside, True), (flat(outside), False), (flat(beside), False), ([0, 2], False)):
                if len(affine) != 2 * size:
                    continue
                machine, at = self.multiple(group, affine, source.randrange(FACTS.r)), self.RESULT + 3 * size
                self.assertEqual(not any(machine.slots[at:at + size]), member, (group, affine))
                if group == "g2":
                    machine.run([Job("g2_subgroup", (0, 0, at))])
                    self.assertEqual(not any(machine.slots[at:at + 2]), member, affine)


class PrecomputedLines(unittest.TestCase):
    """The Miller loop with precomputed line coefficients, on the model's machine."""

    TABLE, LACKS = 240, 900

    def test_pairings(self):
        source = random.Random(f"{SEED} lines")
        p, q = point("g1", source.randrange(1, FACTS.r)), FACTS.group("g2").mul(source.randrange(1, FACTS.r), FACTS.generator("g2"))
        lines, stride = coprocessor.lines(q), coprocessor.WIRE["lines"]["slots"]
        machine = Machine(image(), slots=1024)
        machine.slots[0:2], machine.slots[self.TABLE:self.TABLE + len(lines)] = p, lines
        digits = tuple((i,) for i in range(coprocessor.WIRE["lines"]["count"] + 1))
        machine.run([Job("miller_lines", (0, self.TABLE, 64, self.LACKS), digits, loads=2, stride=stride)])
        self.assertEqual(machine.slots[self.LACKS], 0)
        self.assertEqual(machine.slots[64:76], flat(coprocessor.miller_at(tuple(p), tuple(lines))))
        machine.run([Job("final_exp", (64, 0, 64))])
        self.assertEqual(machine.slots[64:76], flat(pairing.Pairing("bls12_381")(tuple(p), q)))


class Cycles(unittest.TestCase):
    def test_every_program_takes_what_the_model_says(self):
        """And the model refuses words that read what is not there yet."""
        source = random.Random(f"{SEED} cycles")
        for program in (entry["name"] for entry in image()["entries"]):
            with self.subTest(program):
                a, b = element(source, 12), element(source, 12)
                machine = Machine(image())
                machine.slots[0:12], machine.slots[32:44] = a, b
                machine.slots[44:60], machine.slots[CHECKS:] = BEHIND, BEHIND
                (cycles,) = machine.run([Job(program, (0, 32, 64))])
                count, behind = {"fe": 1, "fe2": 2}.get(program.split("_")[0], 12), 48 if program.endswith("multiply") else 0
                self.assertEqual(one(program, a, b, count, behind=behind), (machine.slots[64 + behind:64 + behind + count], cycles))
                self.assertLess(pairing_processor.longest_chain(image(), program, division=0), cycles)

    def test_the_longest_chain_of_a_product(self):
        """Two loads, a product, which has two turns in Fp2 but one in Fp, and a store."""
        latency = Machine(image()).latency
        for program, turns in (("fe_mul", 1), ("fe2_mul", 2)):
            chain = 2 * latency[pairing_processor.SUMS] + latency[pairing_processor.PRODUCTS] + turns - 1
            self.assertEqual(pairing_processor.longest_chain(image(), program), chain)

    def test_every_answer_of_a_stream_leaves_when_the_model_says(self):
        session = Session().write(0, point("g1", 5)).write(8, point("g2", 7))
        jobs = [Job("miller_loop" if i % 3 else "fe12_mul", (0, 8, 32 + 16 * (i % 8))) for i in range(20)]
        for job in jobs:
            session.start(job.program, *job.operands)
        session.run()
        left = [cycle - session.started[0] for cycle in session.ended]
        self.assertEqual(left, Machine(image()).run(jobs))

    def test_the_multipliers_are_busy(self):
        self.assertLess(stream("ate_pairing"), 7_800)


def stream(program, jobs=32):
    """Cycles a result with all contexts full; the first and the last round are not counted."""
    contexts = image()["contexts"]
    session = Session().write(0, point("g1", 1)).write(8, point("g2", 1)).write(16, named("ate_pairing"))
    a = 0 if program in ("miller_loop", "ate_pairing") else 16
    for i in range(jobs):
        session.start(program, a, 8, 48 + 16 * (i % 8))
    session.run()
    return (session.ended[-contexts - 1] - session.ended[contexts - 1]) / (jobs - 2 * contexts)


def print_cycles():
    print(f"{'program':14}{'alone':>10}{'stream':>10}{'multiplier':>12}{'sums':>8}")
    for entry in image()["entries"]:
        name = entry["name"]
        machine = Machine(image())
        machine.run([Job(name, (0, 8, 64))])
        big = name in ("miller_loop", "ate_pairing")
        alone = one(name, point("g1", 1) if big else named("ate_pairing"), point("g2", 1) if big else named("ate_pairing"))[1]
        print(f"{name:14}{alone:>10,}{stream(name, 32 if big or name == 'final_exp' else 64):>10,.0f}{machine.turns:>12,}{machine.sums:>8,}")


if __name__ == "__main__":
    if "--cycles" in sys.argv:
        print_cycles()
    else:
        unittest.main()
