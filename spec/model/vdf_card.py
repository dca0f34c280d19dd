"""The engine vdf: squarings in redundant digits, bit by bit as the circuit makes them, and its commands at the level of packets.

    geometry = Geometry(1024)
    engine = Engine(geometry)
    for position, constant in enumerate(geometry.constants_of(n)):
        engine.load({"index": 0, "position": position, "reserved": 0, "constant": constant})
    state = engine.square({"index": 1, "squarings": 10, "resume": 0, "input": x})["state"]
    assert state % n == pow(x, 2**10, n)

A square is added by columns of `radix` bits, in which every product is cut at the borders of columns. A digit is the lower bits of its
column and the carry of the column below, so that no carry goes further. The digits from number `low` on are replaced by their products
with constants.
"""

import tomllib
from dataclasses import dataclass
from functools import cached_property

from field import SPEC

WIRE = tomllib.loads((SPEC / "wire/vdf.toml").read_text())
COMMANDS = WIRE["commands"]
STATUS = WIRE["status"]


@dataclass(frozen=True)
class Geometry:
    """The numbers of a circuit: bits of a modulus, of a column and of a part of a constant."""

    bits: int
    radix: int = 16
    wide: int = 26

    @property
    def low(self):
        return self.bits // self.radix

    def digit_high(self, square):
        """The largest digit where a square has so many: in a column a bit has at most two words for each digit of the square."""
        return (1 << self.radix) - 1 + 2 * (square + 2)

    def reduced_high(self, square):
        """The largest state that is made of a square of so many digits."""
        kept = sum(self.digit_high(square) << self.radix * k for k in range(self.low))
        return kept + (square - self.low) * self.digit_high(square) * ((1 << self.bits) - 1)

    @cached_property
    def square_digits(self):
        count = 2 * self.low + 1
        while (self.reduced_high(count) ** 2).bit_length() > self.radix * count:
            count += 1
        return count

    @cached_property
    def largest(self):
        return self.reduced_high(self.square_digits)

    @property
    def digits(self):
        return -(-self.largest.bit_length() // self.radix)

    @property
    def constants(self):
        return self.square_digits - self.low

    @property
    def state_words(self):
        return -(-self.digits * self.radix // 64)

    def constants_of(self, n):
        return [(1 << self.bits + self.radix * j) % n for j in range(self.constants)]

    def value(self, digits):
        return sum(digit << self.radix * k for k, digit in enumerate(digits))

    def of_columns(self, columns):
        """The digits of columns; nothing is left above the highest one."""
        mask, carries = (1 << self.radix) - 1, [0, *(column >> self.radix for column in columns)]
        if carries[-1]:
            raise ValueError("a carry out of the highest column")
        found = [(column & mask) + carry for column, carry in zip(columns, carries)]
        if max(found) > self.digit_high(self.square_digits):
            raise ValueError("a digit beyond its bound")
        return found

    def add(self, columns, value, position):
        """Adds a word, cut at the borders of columns."""
        while value:
            step = self.radix - position % self.radix
            columns[position // self.radix] += (value & (1 << step) - 1) << position % self.radix
            value, position = value >> step, position + step

    def square(self, digits):
        """The first phase: the digits of the square of a state."""
        columns = [0] * (self.square_digits + 2)
        for i, a in enumerate(digits):
            for j in range(i, len(digits)):
                self.add(columns, a * digits[j] << (i != j), self.radix * (i + j))
        if any(columns[self.square_digits:]):
            raise ValueError("a square beyond its digits")
        return self.of_columns(columns[:self.square_digits])

    def reduce(self, square, constants, added=0):
        """The second phase: the digits of a number that is congruent to the square and the integer `added`."""
        columns = [*square[:self.low], *[0] * (self.digits + 3 - self.low)]
        self.add(columns, added, 0)
        for digit, constant in zip(square[self.low:], constants, strict=True):
            for position in range(0, self.bits, self.wide):
                self.add(columns, digit * (constant >> position & (1 << self.wide) - 1), position)
        if any(columns[self.digits:]):
            raise ValueError("a state beyond its digits")
        return self.of_columns(columns[:self.digits])


class Engine:
    """Constants and a state, and the commands: fields of a command to fields of its reply."""

    def __init__(self, geometry):
        self.geometry = geometry
        self.reset()

    def reset(self):
        self.constants, self.digits = [], None

    def load(self, fields):
        """An invalid command changes nothing."""
        position = fields["position"]
        if fields["reserved"] or position >= self.geometry.constants or position not in (0, len(self.constants)):
            return {"index": fields["index"], "status": STATUS["invalid"]}
        self.constants, self.digits = [*self.constants[:position], fields["constant"]], None
        return {"index": fields["index"], "status": STATUS["done"]}

    def square(self, fields):
        status = self.check(fields)
        if status == "done":
            if not fields["resume"]:
                zero = [0] * self.geometry.digits
                self.digits = self.geometry.reduce(self.geometry.square(zero), self.constants, fields["input"])
            for _ in range(fields["squarings"]):
                self.digits = self.geometry.reduce(self.geometry.square(self.digits), self.constants)
        state = self.geometry.value(self.digits) if status == "done" else 0
        return {"index": fields["index"], "status": STATUS[status], "state": state}

    def check(self, fields):
        if fields["squarings"] == 0 or fields["resume"] > 1:
            return "invalid"
        lacks = len(self.constants) != self.geometry.constants or fields["resume"] and self.digits is None
        return "missing" if lacks else "done"
