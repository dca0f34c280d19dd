"""Field arithmetic against plain integers, in Verilator: every multiplier, adder, subtractor and reduction, the multipliers' behavioural
models, and the conversions of inputs and outputs.

`python3 rtl/sim/test_multipliers.py` builds each unit once (tools/sim.py keeps it) and streams operands through it, one a cycle.
A result must represent the right residue, every digit of it must be within the bound that the generator promises, and its latency must be
exactly that of the manifest. A behavioural model must return the same bits for the same operands.

Units on canonical integers return the least residue. Toy fields: every pair of factors. The others: edges (0, 1, -1, bounds, neighbours of multiples of p and of powers of two; digits at
their ends in all combinations of signs) and random operands. PROOFMILL_SEED repeats a run.
"""

import itertools
import json
import os
import random
import unittest
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import unit
from unit import Unit, meaning, rtl, sim

LONG_RUN = bool(os.environ.get("PROOFMILL_LONG"))


def is_chosen(name):
    """Whether this run has a unit: that of Pasta, which no card has, only the long tests; of those on canonical integers a few."""
    if LONG_RUN:
        return True
    return "_canonical_" not in name and not any(word in name for word in ("pasta", "pallas", "vesta")) or "toy" in name or name in CANONICAL_SHORT


#: Units on canonical integers in the short tests, beside those of toys: one digit, base z, a sparse prime.
CANONICAL_SHORT = ("modmul_canonical_bn254_fp", "modmul_canonical_bls12_381_fr", "modadd_canonical_bls12_381_fr", "modsub_canonical_goldilocks")


UNITS = list(filter(is_chosen, rtl.units()))
CANONICAL = [name for name in UNITS if "_canonical_" in name]
FIELDS = sorted(name.removeprefix("modadd_") for name in UNITS if name.startswith("modadd_") and name not in CANONICAL)
TOYS = [field for field in FIELDS if field.startswith("toy")]
#: All that the generator has as units.
MULTIPLIERS = [name.removeprefix("modmul_") for name in UNITS if name.startswith("modmul_") and not name.endswith("_twin") and name not in CANONICAL]
MONTGOMERY = [name for name in MULTIPLIERS if name.startswith("montgomery_")]
MICRO = [name for name in MULTIPLIERS if name.startswith("micro_")]  # those of the other field processors
EARLY = [name for name in MULTIPLIERS if name.startswith("early_")]
LONG = [name for name in MULTIPLIERS if name.startswith("long_")]  # the pairing processor's, which does not reduce its products
PAIRS = 22_000
SEED = unit.seed()

built = cache(Unit)


def setUpModule():
    """Builds two units at a time; what is there already costs nothing."""
    names = [name for name in UNITS if name.split("_")[0] in ("modmul", "modadd", "modsub", "reduce", "canonical")]
    rtl.generate_all(names)
    with ThreadPoolExecutor(2) as workers:
        list(workers.map(sim.build, names))


def residue(port, digits):
    """Returns the integer that digits represent, times the port's scale; Port.value without the division."""
    total = 0
    for digit in reversed(digits):
        total = total * port.base + digit
    return total


def edges(port):
    """Digits that a port may have and that are likely to go wrong, the likeliest first."""
    p, top = port.modulus, port.high.bit_length()
    values = [0, 1, -1, port.low, port.low + 1, port.high, port.high - 1]
    values += [sign * (k * p + step) for sign in (1, -1) for k in (1, 2, 3) for step in (-1, 0, 1)]
    values += [sign * (2**k + step) for sign in (1, -1) for k in range(top, 0, -1) for step in (0, -1)]
    values = [value for value in values if port.low <= value <= port.high]
    if port.digits == 1:
        return [(value,) for value in values]
    signs = list(itertools.product((port.low, port.high), repeat=port.digits))
    single = [tuple(value if i == place else 0 for i in range(port.digits)) for value in values[:20] for place in range(port.digits)]
    least = [port.digits_of(value) for value in (0, 1, -1, p + 1, 2**(p.bit_length() - 1), p // 2)]
    return signs + [digits for digits in least if port.low <= min(digits) and max(digits) <= port.high] + single


def pairs(port, source):
    """At least PAIRS pairs of factors: edges with edges, then everything at random."""
    likely = edges(port)
    first = [(a, b) for a in likely[:70] for b in likely[:70]]
    first += [(a, b) if source.random() < 0.5 else (b, a) for a in likely[70:] for b in (source.choice(likely), port.draw(source), likely[0])]
    return first + [(port.draw(source), port.draw(source)) for _ in range(PAIRS - len(first))]


def every_pair(port):
    values = [(value,) for value in range(port.low, port.high + 1)]
    return list(itertools.product(values, values))


def kinds_of(manifest):
    """The multipliers inside a circuit, each as one text."""
    return [json.dumps(facts, sort_keys=True) for facts in manifest["multipliers"]]


class Arithmetic(unittest.TestCase):
    def check(self, name, operands, gaps=0):
        """Streams operands through a unit and looks at every result; the results."""
        circuit = built(name)
        outcome = circuit.run(operands, gaps=gaps, seed=SEED)
        self.assertEqual(set(outcome.latencies), {circuit.latency}, f"{name}: latency")
        port, (result,) = circuit.operands[0], circuit.results
        p, computed = result.modulus, meaning(circuit.manifest["unit"])
        # A product's scale is the product of its factors' scales divided by one of them.
        scale = port.scale if circuit.manifest["unit"] == "modmul_montgomery" else 1
        for operand, (digits,) in zip(operands, outcome.results, strict=True):
            wanted = computed(*(residue(port, digits) for digits in operand))
            if (residue(result, digits) * scale - wanted) % p or min(digits) < result.low or max(digits) > result.high:
                self.fail(f"{name}: {operand} gives {digits}, bound {result.low} to {result.high}")
        return outcome.results

    def multiplier(self, name, operands):
        results = self.check(f"modmul_{name}", operands)
        twin, circuit = built(f"modmul_{name}_twin"), built(f"modmul_{name}")
        self.assertEqual((twin.latency, twin.operands, twin.results), (circuit.latency, circuit.operands, circuit.results), f"{name}: twin")
        outcome = twin.run(operands, seed=SEED)
        self.assertEqual(set(outcome.latencies), {twin.latency}, f"{name}: the twin's latency")
        for operand, found, wanted in zip(operands, outcome.results, results, strict=True):
            if found != wanted:
                self.fail(f"{name}: for {operand} the twin has {found}, the circuit {wanted}")

    def test_toy_multipliers_take_every_pair(self):
        for name in [*TOYS, *(name for name in MONTGOMERY + MICRO if "toy" in name)]:
            with self.subTest(name):
                self.check(f"modmul_{name}", every_pair(built(f"modmul_{name}").operands[0]))

    def test_multipliers_and_twins(self):
        for name in MULTIPLIERS:
            with self.subTest(name):
                operands = pairs(built(f"modmul_{name}").operands[0], random.Random(f"{SEED} {name}"))
                self.assertGreaterEqual(len(operands), 20_000)
                self.multiplier(name, operands)

    def test_gaps_between_operands(self):
        for field in FIELDS + EARLY + LONG + MICRO:
            with self.subTest(field):
                port, source = built(f"modmul_{field}").operands[0], random.Random(SEED)
                self.check(f"modmul_{field}", [(port.draw(source), port.draw(source)) for _ in range(500)], gaps=128)

    def test_the_early_multiplier_is_early(self):
        for name in EARLY:
            self.assertLessEqual(built(f"modmul_{name}").latency, 8)

    def test_adders_subtractors_and_reductions(self):
        for kind, field in [*itertools.product(("modadd", "modsub", "reduce"), FIELDS), *(("reduce", name) for name in EARLY)]:
            with self.subTest(kind, field=field):
                ports, source = built(f"{kind}_{field}").operands, random.Random(f"{SEED} {kind} {field}")
                likely = edges(ports[0])[:400]
                operands = [tuple(edge if port is ports[-1] else port.draw(source) for port in ports) for edge in likely]
                operands += [tuple(port.draw(source) for port in ports) for _ in range(2000)]
                self.check(f"{kind}_{field}", operands)

    def test_operations_on_canonical_integers(self):
        """Operands and results from 0 to p - 1: a result is the least residue itself."""
        for name in CANONICAL:
            with self.subTest(name):
                circuit, source = built(name), random.Random(f"{SEED} {name}")
                port, (result,) = circuit.operands[0], circuit.results
                self.assertEqual((port.low, port.high, port.width, port.signed), (0, port.modulus - 1, port.modulus.bit_length(), False))
                self.assertEqual(result.high, port.high)
                operands = every_pair(port) if "toy" in name else [(a, b) for a in edges(port)[:40] for b in edges(port)[:40]]
                operands += [(port.draw(source), port.draw(source)) for _ in range(0 if "toy" in name else 2000)]
                self.check(name, operands, gaps=32)

    def test_canonical_integers(self):
        """Out of the circuit: the least residue, whatever the digits, and however long the taker waits."""
        for field in FIELDS:
            with self.subTest(field):
                circuit, source = built(f"canonical_{field}"), random.Random(f"{SEED} canonical {field}")
                port = circuit.operands[0]
                operands = [(digits,) for digits in edges(port)[:60]] + [(port.draw(source),) for _ in range(60)]
                outcome = circuit.run(operands, refusals=64, seed=SEED)
                for (digits,), ((found,),) in zip(operands, outcome.results, strict=True):
                    self.assertEqual(found, residue(port, digits) % port.modulus, f"{field}: {digits}")

    def test_integers_enter_base_z(self):
        """Into the circuit: Horner's rule with the multiplier over the integer's words, each of which is a digit 0."""
        for field in (field for field in FIELDS if "bls12" in field):
            with self.subTest(field):
                circuit, source = built(f"modmul_{field}_twin"), random.Random(f"{SEED} enter {field}")
                port = circuit.operands[0]
                p, above = port.modulus, (0,) * (port.digits - 1)
                values = [0, 1, p - 1, 2**64, 2**64 - 1, *(source.randrange(p) for _ in range(100))]
                words = [[value >> 64 * i & 2**64 - 1 for value in values] for i in range(-(-p.bit_length() // 64))]
                sums = [(word, *above) for word in words.pop()]
                while words:
                    products = circuit.run([(digits, (2**64, *above)) for digits in sums], seed=SEED).results
                    sums = [(digits[0] + word, *digits[1:]) for (digits,), word in zip(products, words.pop(), strict=True)]
                for value, digits in zip(values, sums, strict=True):
                    self.assertEqual(residue(port, digits) % p, value)


class Tops(unittest.TestCase):
    """Cards, and units that have multipliers inside."""

    def test_every_multiplier_is_among_these(self):
        """As the generator lists them for the circuits that `make test` simulates, with PROOFMILL_LONG=1 for all; a behavioural model has those of its circuit."""
        names = rtl.configs() + UNITS
        tops = [name for name in names if f"{name}_twin" not in names] if LONG_RUN else rtl.simulated(names)
        found = {folder.name: kinds_of(rtl.manifest(folder)) for folder in rtl.generate_all(tops)}
        here = [kind for name in MULTIPLIERS for kind in kinds_of(rtl.manifest(rtl.generate(f"modmul_{name}")))]
        self.assertEqual(len(here), len(MULTIPLIERS), "a unit has not one multiplier")
        here += [kind for name in CANONICAL for kind in kinds_of(rtl.manifest(rtl.generate(name)))]
        self.assertGreater(sum(len(kinds) for top, kinds in found.items() if not top.startswith("modmul_")), 20)
        missing = {kind: top for top, kinds in found.items() for kind in kinds if kind not in here}
        self.assertFalse(missing, "in no test")


if __name__ == "__main__":
    unittest.main()
