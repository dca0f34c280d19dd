"""The MSM engine at the level of packets: its form of points, its memory, its answers.

    engine = Engine(Geometry.of("toy"))   # in G1; Geometry.of("bn254", 2) is in G2
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
OFFSETS = {1: 0, 2: WIRE["command_offsets"]["g2"]}  # of the numbers of commands and replies, by group
GRANULE, SLICE, SCALAR = 1024, 64, 32  # bytes: of a write, and what addresses are multiples of; of a slice; of a scalar


def commands(group):
    """The commands of an engine in a group, by name."""
    numbers = ("number", "reply")
    return {name: command | {it: command[it] + OFFSETS[group] for it in numbers} for name, command in WIRE["commands"].items()}


@dataclass(frozen=True)
class Geometry:
    """The registers of a block that never change, by their names there; the curve by its name."""

    curve: str
    group: int
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
    def of(name, group=1, adders=1, most_window=4, memory=1 << 20, digit_bytes=None):
        """What follows from a curve and a group, and for the rest a toy's figures; a digit of a sum may be 2 bits longer than a stored one."""
        curve = curves.load(name)
        fact = tomllib.loads((SPEC / f"fields/{curve.fp.name}.toml").read_text()).get("base_z")
        base = number(fact["z"]) if fact else 0
        digits = len(fact["polynomial"]) - 1 if fact else 1
        bits = (abs(base) // 2 if fact else curve.fp.p - 1).bit_length() + 1  # and the sign
        stored = -(-bits // 8)
        channels = 1 if 2 * digits * stored <= SLICE else 2
        sum_digit = digit_bytes or -(-(bits + 2) // 8)
        return Geometry(name, group, adders, 2, most_window, channels, memory, 3, digits, stored, sum_digit, base)

    @functools.cached_property
    def facts(self):
        return curves.load(self.curve)

    @property
    def group_name(self):
        """g1 or g2, as in spec/curves."""
        return f"g{self.group}"

    @property
    def name(self):
        """Curve and group: bn254_g2."""
        return f"{self.curve}_{self.group_name}"

    @property
    def capability(self):
        """The name of its bit in spec/wire/shell.toml."""
        return f"msm_{self.curve}" if self.group == 1 else f"msm_{self.name}"

    @functools.cached_property
    def law(self):
        """The group in which the engine adds."""
        return self.facts.group(self.group_name)

    @functools.cached_property
    def generator(self):
        """That of the subgroup."""
        return self.facts.generator(self.group_name)

    @property
    def point_bytes(self):
        """Bytes of a point in each channel of points."""
        return SLICE * self.group

    @property
    def digit_range(self):
        """The least and the greatest digit of a stored coordinate."""
        most = abs(self.base) // 2
        return (-most, most) if self.base else (0, self.facts.fp.p - 1)

    @property
    def slice_digits(self):
        """Stored digits of a slice; zeros follow them."""
        return self.digits * (1 if self.channels > 1 else 2)

    @property
    def sum_bytes(self):
        return self.coordinates * self.group * self.digits * self.digit_bytes

    @property
    def commands(self):
        return commands(self.group)

    def plan(self, window_bits):
        return msm.Plan(msm.Windows(self.facts.r, window_bits), self.adders, self.most_window - 1)

    # An element of Fp; a coordinate, whose components they are.

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

    def components(self, coordinate):
        """c0 and c1 of a coordinate of G2; in G1 the coordinate alone."""
        return (coordinate,) if self.group == 1 else coordinate

    def coordinate(self, components):
        """The inverse."""
        return components[0] if self.group == 1 else tuple(components)

    # A point.

    def slices(self, point):
        """A point of `law` as the channels have it: for each of `channels` its slices, one for each component, 64 bytes each."""
        if point is None:
            return [bytes(self.point_bytes)] * self.channels
        found = [self.slices_of(component) for component in zip(*map(self.components, point), strict=True)]
        return [b"".join(slices) for slices in zip(*found, strict=True)]

    def slices_of(self, values):
        """One component of a point's coordinates as the channels have it."""
        parts = [self.encode(value, self.stored_digit) for value in values]
        parts = parts if self.channels > 1 else [b"".join(parts)]
        return [part.ljust(SLICE, b"\0") for part in parts]

    def point_of(self, slices):
        """The inverse. What is no point gives one that is none either."""
        if not any(map(any, slices)):
            return None
        found = [self.values_of([part[at:at + SLICE] for part in slices]) for at in range(0, self.point_bytes, SLICE)]
        return tuple(map(self.coordinate, zip(*found, strict=True)))

    def values_of(self, slices):
        """One component of x and y."""
        size = self.digits * self.stored_digit
        data = [slices[i][:size] if self.channels > 1 else slices[0][size * i:size * (i + 1)] for i in range(2)]
        return [self.decode(part, self.stored_digit) for part in data]

    def is_stored(self, slices):
        """May a point's digits be those of one that was written? Others could lead sums out of their bounds."""
        size, (least, most) = self.stored_digit, self.digit_range
        places = [at + size * i for at in range(0, self.point_bytes, SLICE) for i in range(self.slice_digits)]
        return all(least <= int.from_bytes(part[at:at + size], "little", signed=True) <= most for part in slices for at in places)

    def sum_of(self, data):
        """Returns the point of a reply's `sum`. Raises ValueError if it is invalid."""
        size, f = self.digits * self.digit_bytes, self.law.field
        parts = [self.decode(data[i:i + size], self.digit_bytes) for i in range(0, len(data), size)]
        x, y, z = (self.coordinate(parts[i:i + self.group]) for i in range(0, len(parts), self.group))
        if z == f.zero:
            if x != f.zero or y == f.zero:
                raise ValueError(f"sum: ({x}, {y}, {z}) is no point")
            return None
        point = (f.mul(x, f.inverse(z)), f.mul(y, f.inverse(z)))
        if not self.law.contains(point):
            raise ValueError("sum: not on the curve")
        return point

    def sum_bytes_of(self, point):
        """A `sum` for a point; a card's may be another one."""
        f = self.law.field
        values = (f.zero, f.one, f.zero) if point is None else (*point, f.one)
        return b"".join(self.encode(part, self.digit_bytes) for value in values for part in self.components(value))


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
        ends = run["points"] + self.geometry.point_bytes * run["count"], run["scalars"] + SCALAR * run["count"]
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
        size = self.geometry.point_bytes
        channels = [self.read(channel, points, size * count) for channel in range(self.geometry.channels)]
        return [tuple(data[size * i:size * (i + 1)] for data in channels) for i in range(count)]

    def is_stored(self, points, count):
        """Has memory nothing but points there?"""
        return all(map(self.geometry.is_stored, self.slices(points, count)))

    def sum(self, points, scalars, count):
        """What a run that is sound adds up."""
        numbers = self.read(self.geometry.channels, scalars, SCALAR * count)
        found = [self.geometry.point_of(slices) for slices in self.slices(points, count)]
        ks = [int.from_bytes(numbers[SCALAR * i:SCALAR * (i + 1)], "little") for i in range(count)]
        return msm.total(self.geometry.law, found, ks)

    def cancel(self, command):
        return {"index": command["index"], "status": STATUS["refused"]}

    def read(self, channel, address, size):
        """From a multiple of 1024 on."""
        pieces = (self.pieces.get((channel, at), bytes(GRANULE)) for at in range(address, address + size, GRANULE))
        return b"".join(pieces)[:size]
