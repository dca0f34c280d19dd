"""What the card's MSM engine has to answer: the model with sums that are known without adding points, and memory errors.

A point is known by its bytes: it is a (G), so the sum of all k a (G) needs one multiplication.
"""

import sys

from card import ROOT

sys.path.insert(0, str(ROOT / "spec/model"))

from msm_card import GRANULE, SCALAR, SLICE, STATUS, Engine  # noqa: E402

DONE, REFUSED, FAULT, CANCELLED, FULL = (STATUS[name] for name in ("done", "refused", "memory_fault", "cancelled", "full"))

ANYTHING = object()  # a sum that is not defined


class Multiples:
    """Multiples of the generator, in the engine's form of the curve."""

    def __init__(self, geometry):
        self.geometry, self.law, self.r = geometry, geometry.law, geometry.facts.r
        self.factors = {}  # slices of a point -> its factor
        self.known = {}  # factor -> slices
        self.points = {0: self.law.identity}

    def point(self, factor):
        factor %= self.r
        if factor not in self.points:
            opposite = self.points.get(self.r - factor)
            self.points[factor] = self.law.neg(opposite) if opposite else self.law.mul(factor, self.geometry.generator)
        return self.points[factor]

    def chain(self, first, step, count):
        """`count` factors, each one more step than the one before, whose points are made by one addition each."""
        found = [(first + step * i) % self.r for i in range(count)]
        point, more = self.point(first), self.point(step)
        for factor in found:
            self.points[factor] = point
            point = self.law.add(point, more)
        return found

    def slices(self, factor):
        factor %= self.r
        if factor not in self.known:
            self.known[factor] = tuple(self.geometry.slices(self.point(factor)))
            self.factors[self.known[factor]] = factor
        return self.known[factor]


class Oracle(Engine):
    """The model, whose sums are found by their factors."""

    def __init__(self, geometry, multiples):
        super().__init__(geometry)
        self.multiples = multiples
        self.faulty = (0, 0, 0)  # channel, from, to: what the memory answers with an error

    def written(self, command):
        """The status of a write; a beat that fails stays as it was."""
        channel, address, new = command["channel"], command["address"], command["data"]
        old = self.read(channel, address, GRANULE)
        status = self.write(command)["status"]
        if status == REFUSED or not self.fails(channel, address, GRANULE):
            return status
        beats = range(0, GRANULE, SLICE)
        self.pieces[channel, address] = b"".join((old if self.fails(channel, address + at, SLICE) else new)[at:at + SLICE] for at in beats)
        return FAULT

    def ran(self, command):
        """(status, sum) of a run that is not cancelled; no sum unless it is done."""
        count, channels, size = command["count"], self.geometry.channels, self.geometry.point_bytes
        if not self.is_sound(command):
            return REFUSED, None
        if any(self.fails(channel, command["points"], size * count) for channel in range(channels)) or self.fails(channels, command["scalars"], SCALAR * count):
            return FAULT, None
        if not self.is_stored(command["points"], count):
            return FAULT, None
        return DONE, self.sum(command["points"], command["scalars"], count)

    def fails(self, channel, address, size):
        """Is there a beat that the memory answers with an error?"""
        where, start, end = self.faulty
        return channel == where and size > 0 and start < address + -(-size // SLICE) * SLICE and address < end

    def sum(self, points, scalars, count):
        numbers = self.read(self.geometry.channels, scalars, SCALAR * count)
        total = 0
        for i, slices in enumerate(self.slices(points, count)):
            factor = self.multiples.factors.get(slices)
            k = int.from_bytes(numbers[SCALAR * i:SCALAR * (i + 1)], "little")
            if factor is None or k >= self.multiples.r:
                return ANYTHING
            total += k * factor
        return self.multiples.point(total)
