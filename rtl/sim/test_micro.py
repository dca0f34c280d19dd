"""The field processor in Verilator: its programs against the curves' model, and every cycle against the machine's model.

`python3 rtl/sim/test_micro.py` builds the toy's processors as they are, the large ones with behavioural multipliers (compared with the circuits by
test_multipliers.py); PROOFMILL_LONG=1 also builds secp256k1's as it is. The toy multiplies every point by every scalar, with one multiplier
and with two. All processors get edge cases and random jobs of all programs mixed, with and without gaps at their ports; an unknown program
gets a result, too. PROOFMILL_SEED repeats a run.

`python3 rtl/sim/test_micro.py --cycles` prints cycles a result, cycles of one job alone, and how busy the multipliers are.
"""

import os
import random
import subprocess
import sys
import unittest
from functools import cache

import unit
from unit import ROOT, Unit, rtl

sys.path.insert(0, str(ROOT / "spec/model"))

import curve  # noqa: E402
import micro  # noqa: E402

CONFIGS = {"toy": "micro_toy", "toy_two": "micro_toy_two", "secp256k1": "micro_secp256k1_twin",
           "secp256k1_two": "micro_secp256k1_two_twin", "bls12_381": "micro_bls12_381_twin"}
LONG = "PROOFMILL_LONG" in os.environ
SEED = unit.seed() if __name__ == "__main__" else 1
UNKNOWN = (1 << micro.FLAGS) - 1

built = cache(Unit)
curve_named = cache(curve.load)


def curve_of(name):
    return curve_named(name.removesuffix("_two"))


@cache
def image_of(name):
    return micro.load(rtl.generate(CONFIGS[name]) / "image.json")


def program(name, which):
    return [entry["name"] for entry in image_of(name)["entries"]].index(which)


def point_of(job):
    """The operand of a scalar multiplication: y = 0 represents the identity."""
    _, _, x, y = job
    return (x, y) if y else None


def expected(name, job):
    """What a job's answer must be, by the curve's model."""
    p = curve_of(name).fp.p
    number, k, x, _ = job
    entries = image_of(name)["entries"]
    which = entries[number]["name"] if number < len(entries) else None
    if which == "scalar_mul":
        product = curve_of(name).group("g1").mul(k, point_of(job))
        return (*(product or (0, 0)), int(product is None))
    if which == "inverse":
        return (pow(x, -1, p) if x % p else 0, 0, int(x % p == 0))
    if which == "square_root":
        root = pow(x, (p + 1) // 4, p)
        return (root, 0, int((root * root - x) % p == 0))
    return (0, 0, UNKNOWN)


def run(name, jobs, config=None, **doors):
    outcome = built(config or CONFIGS[name]).run(jobs, limit=40_000 * len(jobs) + 200_000, **doors)
    return [tuple(digit for (digit,) in result) for result in outcome.results], outcome


def modelled(name, jobs, trace=None):
    return micro.Machine(image_of(name)).run([micro.Job(number, [k], [x, y]) for number, k, x, y in jobs], trace)


def edge_jobs(name):
    """Scalars and coordinates at their edges, and points whose multiples meet the exceptional cases."""
    found, c = [], curve_of(name)
    group, g, p, n = c.group("g1"), c.generator("g1"), c.fp.p, c.r
    bits = {port.name: port.bits for port in built(CONFIGS[name]).operands}
    scalars = [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, n // 2, n - 2, n - 1, n, n + 1, 2 * n + 1, (1 << bits["k"]) - 1, 1 << bits["k"] - 1,
               int("8" * (bits["k"] // 4), 16), int("7" * (bits["k"] // 4), 16)]
    points = [g, group.neg(g), None, group.mul(n - 2, g)]
    points += [(0, 2), (0, p - 2)] if name == "bls12_381" else []  # of order 3
    for point in points:
        found += [(program(name, "scalar_mul"), k % (1 << bits["k"]), *(point or (k, 0))) for k in scalars]
    elements = [0, 1, 2, p - 1, p - 2, p, (1 << bits["x"]) - 1, 1 << bits["x"] - 1, (p + 1) // 2, *(x for x in (p + 5,) if x >> bits["x"] == 0)]
    for number in range(1, 4):
        found += [(number, 0, x, 1) for x in elements]
    return found


def random_jobs(name, count, source):
    c, found = curve_of(name), []
    group, g = c.group("g1"), c.generator("g1")
    bits = {port.name: port.bits for port in built(CONFIGS[name]).operands}
    for _ in range(count):
        number = source.choice((0, 0, 1, 2, 3))
        point = group.mul(source.randrange(1, c.r), g)
        x, y = point if number == 0 else (source.getrandbits(bits["x"]), source.getrandbits(bits["y"]))
        found.append((number, source.getrandbits(bits["k"]), x, y))
    return found


class Programs(unittest.TestCase):
    def check(self, name, jobs, **doors):
        answers, outcome = run(name, jobs, **doors)
        for job, answer in zip(jobs, answers, strict=True):
            self.assertEqual(answer, expected(name, job), f"{name} {job}")
        return outcome

    def test_toy_every_scalar_every_point(self):
        group = curve_of("toy").group("g1")
        points = group.points()
        self.assertEqual(len(points), curve_of("toy").r)
        multiples = {point: [None] for point in points}
        for point, row in multiples.items():
            for _ in range(255):
                row.append(group.add(row[-1], point))
        jobs = [(0, k, *(point or (5, 0))) for k in range(256) for point in points]
        for name in ("toy", "toy_two"):
            answers, _ = run(name, jobs)
            for (_, k, x, y), answer in zip(jobs, answers, strict=True):
                product = multiples[(x, y) if y else None][k]
                self.assertEqual(answer, (*(product or (0, 0)), int(product is None)), f"{name}: {k} times {(x, y)}")

    def test_toy_every_inverse(self):
        for name in ("toy", "toy_two"):
            self.check(name, [(program(name, "inverse"), 0, x, 0) for x in range(128)])

    def test_edges(self):
        for name in CONFIGS:
            with self.subTest(name):
                self.check(name, edge_jobs(name))

    def test_random_jobs_with_gaps_and_refusals(self):
        for name in CONFIGS:
            for gaps, refusals in ((0, 0), (200, 0), (0, 250), (254, 128)):
                with self.subTest(name, gaps=gaps, refusals=refusals):
                    source = random.Random(f"{SEED} {name} {gaps}")
                    self.check(name, random_jobs(name, 40, source), gaps=gaps, refusals=refusals, seed=SEED)

    @unittest.skipUnless(LONG, "PROOFMILL_LONG=1 builds the structural processor")
    def test_structure(self):
        """The circuit of the multiplier instead of its behavioural model: the same results in the same cycles."""
        jobs = random_jobs("secp256k1", 12, random.Random(f"{SEED} structure"))
        twin, structure = run("secp256k1", jobs), run("secp256k1", jobs, config="micro_secp256k1")
        self.assertEqual(twin[0], structure[0])
        self.assertEqual(twin[1].left, structure[1].left)


class Cycles(unittest.TestCase):
    def test_every_answer_leaves_when_the_model_says(self):
        for name in CONFIGS:
            with self.subTest(name):
                jobs = random_jobs(name, 50, random.Random(f"{SEED} {name} cycles"))
                answers, outcome = run(name, jobs)
                model, left = modelled(name, jobs)
                self.assertEqual(answers, model)
                self.assertEqual(outcome.left, left)

    def test_the_trace_is_the_models(self):
        for name in ("toy", "toy_two"):
            jobs = random_jobs(name, 20, random.Random(f"{SEED} {name} trace"))
            trace = []
            modelled(name, jobs, trace)
            self.assertEqual([str(line) for line in in_order(traced(name, jobs))], [str(line) for line in in_order(trace)])

    def test_the_multiplier_is_busy(self):
        for name in ("secp256k1", "bls12_381"):
            with self.subTest(name):
                self.assertGreater(busy(name, "scalar_mul")["busy"], 0.93)


def traced(name, jobs):
    """The circuit's own trace, read from its output; elements as canonical integers."""
    return lines(image_of(name), f"import test_micro; test_micro.run({name!r}, {jobs!r}, config='micro_{name}_trace_twin')")


def lines(image, code):
    """The lines of the trace that some code has a circuit print, in a process of its own."""
    env = {**os.environ, "PYTHONPATH": str(ROOT / "rtl/sim")}
    printed = subprocess.run([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True, check=True).stdout
    found = []
    for row in printed.splitlines():
        words = row.split()
        if "trace" in words:
            cycle, context, word, bank, register, bits = (int(text, 16) for text in words[words.index("trace") + 1:])
            found.append(micro.Line(cycle, context, word, bank, register, micro.value_of(image, bank, bits)))
    return found


def in_order(lines):
    return sorted(lines, key=lambda line: (line.cycle, line.context, line.bank))


def busy(name, which, rounds=4):
    """Cycles a result with all contexts full, of one job alone, products a job, and their share of the cycles.

    Equal jobs come in rounds, which take some time to desynchronise: the first and the last are not counted.
    """
    image, c = image_of(name), curve_of(name)
    job = micro.Job(program(name, which), [c.r - 2], list(c.generator("g1")))
    machine = micro.Machine(image)
    (_, (alone,)), products = machine.run([job]), machine.begun[0]
    full = image["contexts"]
    _, left = machine.run([job] * rounds * full)
    each = (left[(rounds - 1) * full - 1] - left[full - 1]) / ((rounds - 2) * full)
    return {"each": each, "alone": alone, "products": products, "busy": products / each / image["multipliers"]}


def print_cycles():
    print(f"{'processor':15}{'program':14}{'words':>7}{'registers':>11}{'products':>10}{'cycles':>10}{'alone':>8}{'busy':>7}")
    for name in CONFIGS:
        for entry in image_of(name)["entries"]:
            found = busy(name, entry["name"], rounds=16 if entry["words"] < 400 else 4)
            registers = f"{entry['products']}+{entry['sums']}"
            print(f"{name:15}{entry['name']:14}{entry['words']:>7}{registers:>11}{found['products']:>10}{found['each']:>10.1f}"
                  f"{found['alone']:>8}{found['busy']:>7.3f}")
    subprocess.run([sys.executable, ROOT / "rtl/sim/test_micro_ecdsa.py", "--cycles"], check=True)


if __name__ == "__main__":
    if "--cycles" in sys.argv:
        print_cycles()
    else:
        unittest.main()
