"""The MSM engine at the level of packets: its form of points, its memory, its answers.

    engine = Engine(Geometry.of("toy"))
    engine.write({"index": 0, "address": 0, "channel": 0, "data": ...})   # fields of a command -> fields of its reply

`Geometry` has the values of the registers; `slices` and `point_of` are the two forms of points in spec/wire/msm.toml. The
model answers a run at once, so a cancellation always comes too late and the queue is never full, and without a clock, so counts of cycles
are 0. A RESET leaves the memory as it is.
"""

import functools
import tomllib
from dataclasses import dataclass

import curve as curves
import msm
from field import SPEC, number

WIRE = msm.WIRE
STATUS = WIRE["status"]
GRANULE, SLICE, SCALAR = 1024, 64, 32  # bytes: of a write, and what addresses are multiples of; of a slice; of a scalar


@dataclass(frozen=True)
class Geometry:
    """The registers of a block that never change, by their names there; the curve by its name."""

    curve: str
    adders: int
    least_window: int
    most_window: int
    channels: int
    memory: int
    coordinates: int
    digits: int
    stored_digit: int
    digit_bytes: int
    base: int

    @staticmethod
    def of(name, adders=1, most_window=4, memory=1 << 20, digit_bytes=None):
        """What follows from a curve, and for the rest a toy's figures; a digit of a sum may be 2 bits longer than a stored one."""
        curve = curves.load(name)
        fact = tomllib.loads((SPEC / f"fields/{curve.fp.name}.toml").read_text()).get("base_z")
        base = number(fact["z"]) if fact else 0
        digits = len(fact["polynomial"]) - 1 if fact else 1
        bits = (abs(base) // 2 if fact else curve.fp.p - 1).bit_length() + 1  # and the sign
        stored = -(-bits // 8)
        in_memory = 3 if "edwards" in curve.fact else 2
        channels = 1 if in_memory * digits * stored <= SLICE else in_memory
        return Geometry(name, adders, 2, most_window, channels, memory, in_memory + 1, digits, stored, digit_bytes or -(-(bits + 2) // 8), base)

    @functools.cached_property
    def facts(self):
        return curves.load(self.curve)

    @functools.cached_property
    def is_edwards(self):
        return "edwards" in self.facts.fact

    @functools.cached_property
    def group(self):
        """The group in which the engine adds: that of the Edwards form where the curve has one."""
        return self.facts.edwards_map.edwards if self.is_edwards else self.facts.group("g1")

    @property
    def in_memory(self):
        """Coordinates of a point in memory: x and y, in Edwards form x, y and x y."""
        return self.coordinates - 1

    @property
    def sum_bytes(self):
        return self.coordinates * self.digits * self.digit_bytes

    def plan(self, window_bits):
        return msm.Plan(msm.Windows(self.facts.r, window_bits), self.adders, self.most_window - 1)

    # A coordinate.

    def digits_of(self, value):
        """The canonical digits of an element: of the residue of least magnitude, each but the last of least magnitude."""
        p, found = self.facts.fp.p, []
        rest = value - p if self.digits > 1 and 2 * value > p else value
        for _ in range(self.digits - 1):
            digit = rest % abs(self.base)
            digit -= abs(self.base) if 2 * digit > abs(self.base) else 0
            found.append(digit)
            rest = (rest - digit) // self.base
        return [*found, rest]

    def value_of(self, digits):
        """Returns the element of any digits."""
        return sum(digit * self.base**i for i, digit in enumerate(digits)) % self.facts.fp.p

    def encode(self, value, size):
        return b"".join(digit.to_bytes(size, "little", signed=True) for digit in self.digits_of(value))

    def decode(self, data, size):
        return self.value_of([int.from_bytes(data[i:i + size], "little", signed=True) for i in range(0, len(data), size)])

    # A point.

    def slices(self, point):
        """A point of `group` as the channels have it: `channels` times 64 bytes."""
        if point is None:
            return [bytes(SLICE)] * self.channels
        values = (*point, self.facts.fp.mul(*point))[:self.in_memory]
        parts = [self.encode(value, self.stored_digit) for value in values]
        parts = parts if self.channels > 1 else [b"".join(parts)]
        return [part.ljust(SLICE, b"\0") for part in parts]

    def point_of(self, slices):
        """The inverse. What is no point gives one that is none either."""
        if not self.is_edwards and not any(map(any, slices)):
            return None
        size = self.digits * self.stored_digit
        data = [slices[i][:size] if self.channels > 1 else slices[0][size * i:size * (i + 1)] for i in range(2)]
        return tuple(self.decode(part, self.stored_digit) for part in data)

    def is_stored(self, slices):
        """May a point's digits be those of one that was written? Others could lead sums out of their bounds."""
        size, most = self.stored_digit, abs(self.base) // 2 if self.base else self.facts.fp.p - 1
        bytes_of = self.digits * size * (1 if self.channels > 1 else self.in_memory)
        digits = (int.from_bytes(part[i:i + size], "little", signed=True) for part in slices for i in range(0, bytes_of, size))
        return all((-most if self.base else 0) <= digit <= most for digit in digits)

    def sum_of(self, data):
        """Returns the point of a reply's `sum`. Raises ValueError if it is invalid."""
        size = self.digits * self.digit_bytes
        x, y, z, *t = (self.decode(data[i:i + size], self.digit_bytes) for i in range(0, len(data), size))
        f = self.facts.fp
        if z == 0:
            if self.is_edwards or x or not y:
                raise ValueError(f"sum: ({x}, {y}, {z}) is no point")
            return None
        point = (f.mul(x, f.inverse(z)), f.mul(y, f.inverse(z)))
        if not self.group.contains(point) or t and f.mul(x, y) != f.mul(z, t[0]):
            raise ValueError("sum: not on the curve")
        return point

    def sum_bytes_of(self, point):
        """A `sum` for a point; a card's may be another one."""
        x, y, z = (0, 1, 0) if point is None else (*point, 1)
        return b"".join(self.encode(value, self.digit_bytes) for value in (x, y, z, self.facts.fp.mul(x, y))[:self.coordinates])


class Engine:
    def __init__(self, geometry):
        self.geometry = geometry
        self.pieces = {}  # (channel, address) -> 1024 bytes that were written; the rest is zero

    def write(self, command):
        address, channel = command["address"], command["channel"]
        bad = channel > self.geometry.channels or address % GRANULE or address + GRANULE > self.geometry.memory
        if not bad:
            self.pieces[channel, address] = command["data"]
        return {"index": command["index"], "status": STATUS["refused" if bad else "done"]}

    def is_sound(self, run):
        """May a run begin?"""
        ends = run["points"] + SLICE * run["count"], run["scalars"] + SCALAR * run["count"]
        aligned = run["points"] % GRANULE == run["scalars"] % GRANULE == 0
        return aligned and max(ends) <= self.geometry.memory and self.geometry.least_window <= run["window_bits"] <= self.geometry.most_window

    def run(self, command):
        counts = dict.fromkeys(("accumulation", "tail", "tail_additions"), 0)
        head = {"index": command["index"], "status": STATUS["done"], **counts}
        if not self.is_sound(command):
            return {**head, "status": STATUS["refused"], "sum": bytes(self.geometry.sum_bytes)}
        if not self.is_stored(command["points"], command["count"]):
            return {**head, "status": STATUS["memory_fault"], "sum": bytes(self.geometry.sum_bytes)}
        return {**head, "sum": self.geometry.sum_bytes_of(self.sum(command["points"], command["scalars"], command["count"]))}

    def slices(self, points, count):
        """The slices of each point of a run."""
        channels = [self.read(channel, points, SLICE * count) for channel in range(self.geometry.channels)]
        return [tuple(data[SLICE * i:SLICE * (i + 1)] for data in channels) for i in range(count)]

    def is_stored(self, points, count):
        """Has memory nothing but points there?"""
        return all(map(self.geometry.is_stored, self.slices(points, count)))

    def sum(self, points, scalars, count):
        """What a run that is sound adds up."""
        numbers = self.read(self.geometry.channels, scalars, SCALAR * count)
        found = [self.geometry.point_of(slices) for slices in self.slices(points, count)]
        ks = [int.from_bytes(numbers[SCALAR * i:SCALAR * (i + 1)], "little") for i in range(count)]
        return msm.total(self.geometry.group, found, ks)

    def cancel(self, command):
        return {"index": command["index"], "status": STATUS["refused"]}

    def read(self, channel, address, size):
        """From a multiple of 1024 on."""
        pieces = (self.pieces.get((channel, at), bytes(GRANULE)) for at in range(address, address + size, GRANULE))
        return b"".join(pieces)[:size]
