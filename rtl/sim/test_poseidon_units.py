"""The parts of the engine poseidon that have a behavioural model, in Verilator, against plain integers and spec/model/poseidon.py.

`python3 rtl/sim/test_poseidon_units.py`: the linear layer is the scaled matrix and an addition, for every width of a configuration; the entry is
the identity, or the way from Montgomery form, and an addition. Circuits and behavioural models return the same bits. Structural layers of whole configurations only with
PROOFMILL_LONG=1. PROOFMILL_SEED repeats a run.
"""

import os
import random
import unittest
from functools import cache

import unit
from unit import ROOT, Unit, rtl, sys

sys.path.insert(0, str(ROOT / "spec/model"))

import poseidon  # noqa: E402

SEED = unit.seed()
LONG = bool(os.environ.get("PROOFMILL_LONG"))
ROWS, LIKELY = 200, 40

#: Configuration -> the widths by code, and the elements of a row.
LAYERS = {
    "poseidon_small": ([3, 3], 3), "poseidon_2": ([3], 12), "poseidon_4": ([5], 10), "poseidon_8": ([9], 9), "poseidon_11": ([12], 12),
    "poseidon": ([3, 5, 9, 12] * 2, 12),
}
STRUCTURAL = list(LAYERS) if LONG else ["poseidon_small"]

#: What the entry divides by.
ENTRIES = {"poseidon_entry": 1, "poseidon_entry_montgomery": 1 << 256}

built = cache(Unit)


def setUpModule():
    """Generates all units at once."""
    rtl.generate_all([*(f"linear_{name}_twin" for name in LAYERS), *(f"linear_{name}" for name in STRUCTURAL), *(name + twin for name in ENTRIES for twin in ("", "_twin"))])


@cache
def matrix(width):
    return poseidon.Scaled(poseidon.Instance(width - 1)).matrix()


def places(width, elements):
    """Places of a row by state."""
    blocks = elements // width
    return [range(block * (elements // blocks), block * (elements // blocks) + width) for block in range(blocks)]


def digits(port, source, i):
    """Of a port: its ends in all combinations at first, then anything."""
    if i < LIKELY:
        return tuple((port.low, port.high)[source.randrange(2)] for _ in range(port.digits))
    return port.draw(source)


class Linear(unittest.TestCase):
    def operands(self, ports, widths, elements):
        source, found = random.Random(SEED), []
        for i in range(ROWS):
            code = source.randrange(len(widths))
            used = {place for state in places(widths[code], elements) for place in state}
            row = [digits(port, source, i) if place in used else (0,) * port.digits for place, port in enumerate(ports[:elements])]
            found.append((*row, *(digits(port, source, i) for port in ports[elements:2 * elements]), code))
        return found

    def check(self, name, config):
        widths, elements = LAYERS[config]
        circuit = built(name)
        operands = self.operands(circuit.operands, widths, elements)
        outcome = circuit.run(operands, seed=SEED)
        self.assertEqual(set(outcome.latencies), {circuit.latency}, f"{name}: latency")
        ports, p = circuit.operands, circuit.results[0].modulus
        for operand, result in zip(operands, outcome.results, strict=True):
            values = [port.value(digits) for port, digits in zip(ports[:-1], operand)]
            row, constants, width = values[:elements], values[elements:], widths[operand[-1]]
            for state in places(width, elements):
                for line, place in zip(matrix(width), state):
                    wanted = sum(a * row[j] for a, j in zip(line, state)) + constants[place]
                    port = circuit.results[place]
                    self.assertEqual(port.value(result[place]), wanted % p, (name, operand))
                    self.assertTrue(all(port.low <= digit <= port.high for digit in result[place]), name)
        return operands, outcome

    def test_every_layer(self):
        for config in LAYERS:
            with self.subTest(config):
                self.check(f"linear_{config}_twin", config)

    def test_twins_are_the_circuits(self):
        for config in STRUCTURAL:
            with self.subTest(config):
                operands, wanted = self.check(f"linear_{config}", config)
                found = built(f"linear_{config}_twin").run(operands, seed=SEED)
                self.assertEqual((found.results, found.latencies), (wanted.results, wanted.latencies), config)


class Entry(unittest.TestCase):
    def check(self, name, divisor):
        circuit, source = built(name), random.Random(SEED)
        constant, result = circuit.operands[1], circuit.results[0]
        p, top = result.modulus, 1 << 256
        values = {(k * p + step) % top for k in (0, 1, 2) for step in (-2, -1, 0, 1, 2)}
        values |= {(sign << bit) % top for bit in range(257) for sign in (1, -1)} | {0, top - 1}
        values = sorted(values) + [source.randrange(top) for _ in range(2000)]
        operands = [(value, digits(constant, source, i)) for i, value in enumerate(values)]
        outcome = circuit.run(operands, seed=SEED)
        self.assertEqual(set(outcome.latencies), {circuit.latency})
        for (value, added), (found,) in zip(operands, outcome.results, strict=True):
            self.assertEqual(result.value(found), (value * pow(divisor, -1, p) + constant.value(added)) % p, value)
            self.assertTrue(all(result.low <= digit <= result.high for digit in found))
        twin = built(f"{name}_twin").run(operands, seed=SEED)
        self.assertEqual((twin.results, twin.latencies), (outcome.results, outcome.latencies))

    def test_integers_and_the_twin(self):
        for name, divisor in ENTRIES.items():
            with self.subTest(name):
                self.check(name, divisor)


if __name__ == "__main__":
    unittest.main()
