"""Units of the circuit in Verilator, from Python: operands in, results out.

    unit = Unit("modmul_bls12_381_fp")
    outcome = unit.run([(a, b), ...])       # each operand the digits of one port, or one integer where a port has one digit
    outcome.results                         # as the operands: a tuple of ports for each result
    outcome.latencies                       # cycles from operand to result

Ports are as the generator's manifest describes them: `Port.value` is the canonical integer that digits represent,
`Port.digits_of` the digits of an integer, and `Port.draw` digits between their bounds at random.
"""

import ctypes
import os
import random
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import rtl  # noqa: E402
import sim  # noqa: E402
from about import modulus  # noqa: E402


#: Cycles after the last result, in which no other may come: more than any pipeline's latency.
REST = 300


@dataclass(frozen=True)
class Port:
    """A value at a unit's port; without a field it is `digits` unsigned numbers of `width` bits."""

    name: str
    width: int
    digits: int
    field: str
    base: int
    scale: int
    low: int
    high: int
    signed: bool

    @property
    def bits(self):
        return self.width * self.digits

    @property
    def modulus(self):
        return modulus(self.field)

    def value(self, digits):
        """Returns the canonical integer that digits represent."""
        total = 0
        for digit in reversed(digits):
            total = total * self.base + digit
        return total * pow(self.scale, -1, self.modulus) % self.modulus

    def digits_of(self, value):
        """Digits of least magnitude that represent an integer."""
        rest, found = value * self.scale % self.modulus, []
        rest -= self.modulus if self.digits > 1 and 2 * rest > self.modulus else 0
        for _ in range(self.digits - 1):
            digit = rest % abs(self.base)
            digit -= abs(self.base) if 2 * digit > abs(self.base) else 0
            found.append(digit)
            rest = (rest - digit) // self.base
        return (*found, rest)

    def draw(self, source):
        """Digits at random, each at an end of its range, near zero, or anywhere between."""
        def digit():
            kind = source.randrange(8)
            if kind < 2:
                return (self.low, self.high)[kind]
            if kind == 2:
                return min(max(source.randrange(-2, 3), self.low), self.high)
            return source.randint(self.low, self.high)
        return tuple(digit() for _ in range(self.digits))

    def pack(self, digits):
        """The port's bits; an integer represents a single digit."""
        digits = (digits,) if isinstance(digits, int) else digits
        if len(digits) != self.digits:
            raise ValueError(f"{self.name}: {len(digits)} digits instead of {self.digits}")
        if self.field and not all(self.low <= digit <= self.high for digit in digits):
            raise ValueError(f"{self.name}: a digit is not between {self.low} and {self.high}")
        return sum((digit & (1 << self.width) - 1) << self.width * i for i, digit in enumerate(digits))

    def unpack(self, bits):
        """The digits."""
        found = [bits >> self.width * i & (1 << self.width) - 1 for i in range(self.digits)]
        if self.signed:
            found = [digit - (digit >> self.width - 1 << self.width) for digit in found]
        return tuple(found)


@dataclass(frozen=True)
class Outcome:
    results: list
    entered: list  # cycle of each operand, from the end of reset
    left: list     # cycle of each result

    @property
    def latencies(self):
        """Cycles from each operand to its result, where each operand has one result and they keep their order."""
        return [out - into for into, out in zip(self.entered, self.left, strict=True)]


#: What a unit of a field computes, of residues, by the first word of its kind.
MEANING = {
    "modmul": lambda a, b: a * b,
    "modadd": lambda a, b: a + b,
    "modsub": lambda a, b: a - b,
    "reduce": lambda a: a,
    "canonical": lambda a: a,
}


def meaning(kind):
    """What a unit of a field computes; KeyError for another unit."""
    return MEANING[kind.split("_")[0]]


class Run(ctypes.Structure):
    """`UnitRun` of rtl/sim/unit/shim.cpp."""

    _fields_ = [
        ("operands", ctypes.c_char_p), ("operand_count", ctypes.c_uint64), ("operand_words", ctypes.c_uint32),
        ("result_words", ctypes.c_uint32), ("results", ctypes.c_void_p), ("result_count", ctypes.c_uint64),
        ("entered", ctypes.c_void_p), ("left", ctypes.c_void_p), ("seed", ctypes.c_uint64),
        ("gaps", ctypes.c_uint32), ("refusals", ctypes.c_uint32), ("limit", ctypes.c_uint64), ("rest", ctypes.c_uint64),
    ]


class Unit:
    """A unit by its configuration's name; it is built when it is not there yet."""

    def __init__(self, config):
        self.config = config
        self.library = ctypes.CDLL(str(sim.build(config).resolve()))
        self.library.unit_run.restype = ctypes.c_uint64
        self.manifest = rtl.manifest(rtl.generate(config))
        self.operands = [self.port(entry) for entry in self.manifest["operands"]]
        self.results = [self.port(entry) for entry in self.manifest["results"]]
        self.latency = self.manifest["latency"] if self.manifest["latency"] >= 0 else None

    @staticmethod
    def port(entry):
        return Port(**{key: int(value) if key in ("base", "scale", "low", "high") else value for key, value in entry.items()})

    def run(self, operands, expected=None, gaps=0, refusals=0, seed=1, limit=None):
        """Streams operands through the unit from reset and collects `expected` results, by default one for each operand.

        `gaps` and `refusals`, of 256 cycles, are those without an offer and those in which no result is taken.
        RuntimeError when fewer come within `limit` cycles, or more.
        """
        expected = len(operands) if expected is None else expected
        limit = limit or 16 * len(operands) + 100_000
        into, out = (self.words(self.manifest[name]) for name in ("operands", "results"))
        data = b"".join(map(self.packed, operands))
        results = ctypes.create_string_buffer(4 * out * expected + 1)
        entered, left = (ctypes.c_uint64 * max(1, len(operands)))(), (ctypes.c_uint64 * max(1, expected))()
        run = Run(data, len(operands), into, out, ctypes.addressof(results), expected, ctypes.addressof(entered),
                  ctypes.addressof(left), seed, gaps, refusals, limit, REST)
        found = self.library.unit_run(ctypes.byref(run))
        if found != expected:
            raise RuntimeError(f"{self.config}: {found} of {expected} results after {limit} cycles")
        raw = results.raw
        return Outcome([self.unpacked(raw[4 * out * i:4 * out * (i + 1)]) for i in range(expected)], list(entered)[:len(operands)], list(left)[:expected])

    @staticmethod
    def words(entries):
        """32-bit values of all ports of one direction."""
        return sum(map(sim.port_words, entries))

    def packed(self, operand):
        """An operand as its ports' 32-bit values."""
        return b"".join(port.pack(digits).to_bytes(4 * sim.port_words(entry), "little")
                        for port, entry, digits in zip(self.operands, self.manifest["operands"], operand, strict=True))

    def unpacked(self, raw):
        found, place = [], 0
        for port, entry in zip(self.results, self.manifest["results"], strict=True):
            end = place + 4 * sim.port_words(entry)
            found.append(port.unpack(int.from_bytes(raw[place:end], "little")))
            place = end
        return tuple(found)


def seed():
    """A seed for a test's random operands, printed so that the run can be repeated with PROOFMILL_SEED."""
    chosen = int(os.environ.get("PROOFMILL_SEED", random.SystemRandom().randrange(1 << 32)))
    print(f"seed {chosen}")
    return chosen
