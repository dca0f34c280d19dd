"""msm: the sum of k_i P_i in a group of prime order r, and the algorithm of the engine.

`total` defines the sum. The engine cuts scalars into signed digits (`Windows`), deals the windows out to its
adders and to passes over the points (`Plan`), sums up the points of each digit in a bucket, and the buckets with
their weights (`by_buckets`): N. Pippenger, On the evaluation of powers and related problems, 1976. docs/rtl/msm.md explains the steps.
"""

import tomllib
from collections import defaultdict
from dataclasses import dataclass

from field import SPEC

WIRE = tomllib.loads((SPEC / "wire/msm.toml").read_text())


def total(group, points, scalars):
    """The sum itself; there are as many scalars as points, from none on."""
    found = group.identity
    for k, point in zip(scalars, points, strict=True):
        found = group.add(found, group.mul(k, point))
    return found


@dataclass(frozen=True)
class Windows:
    """Scalars below r in windows of c bits, each with a digit from -2^(c-1) to 2^(c-1) - 1.

    With K = sum of 2^(c w + c - 1) over all windows w, digit w of k is window w of k + K less 2^(c-1): the sum of d(w) 2^(c w) is k + K - K.
    """

    r: int
    bits: int

    @property
    def count(self):
        """W, the fewest that hold r - 1 + K."""
        found = 1
        while self.r - 1 + self.offset_of(found) >= 1 << self.bits * found:
            found += 1
        return found

    @property
    def offset(self):
        """K."""
        return self.offset_of(self.count)

    def offset_of(self, count):
        return sum(1 << self.bits * w + self.bits - 1 for w in range(count))

    def digits(self, k):
        """From the lowest window on. Of a scalar that is not below r what is above the highest window is lost."""
        half, moved = 1 << self.bits - 1, k + self.offset
        return [(moved >> self.bits * w & 2 * half - 1) - half for w in range(self.count)]


@dataclass(frozen=True)
class Plan:
    """Which windows an adder has in which pass: it has 2^bucket_bits buckets, a window needs 2^(c-1) of them."""

    windows: Windows
    adders: int
    bucket_bits: int

    @property
    def passes(self):
        return -(-self.windows.count // (self.adders << self.bucket_bits - self.windows.bits + 1))

    @property
    def group(self):
        """Windows of an adder in a pass."""
        return -(-self.windows.count // (self.adders * self.passes))

    def first(self, turn, adder):
        """The lowest window of an adder in a pass; those from W on have no digits. Passes are numbered from the lowest windows on."""
        return (turn * self.adders + adder) * self.group

    def doublings(self, turn, adder):
        """After a pass's windows: down to the next pass's, after the last pass down to bit 0."""
        windows = (self.adders - 1) * self.group if turn else adder * self.group
        return self.windows.bits * windows


def by_buckets(group, points, scalars, plan):
    """The sum as the engine finds it: passes from the highest windows down, adders side by side, their sums together at the end."""
    cut = [plan.windows.digits(k) for k in scalars]
    found = group.identity
    for adder in range(plan.adders):
        acc = group.identity
        for turn in reversed(range(plan.passes)):
            for w in reversed(range(plan.first(turn, adder), plan.first(turn, adder) + plan.group)):
                acc = group.add(group.mul(1 << plan.windows.bits, acc), window_sum(group, points, [digits[w] if w < len(digits) else 0 for digits in cut]))
            acc = group.mul(1 << plan.doublings(turn, adder), acc)
        found = group.add(found, acc)
    return found


def window_sum(group, points, digits):
    """The sum of d_i P_i by buckets: a bucket's weight is the number of its running sum's additions."""
    buckets = defaultdict(lambda: group.identity)
    for digit, point in zip(digits, points, strict=True):
        if digit:
            buckets[abs(digit)] = group.add(buckets[abs(digit)], point if digit > 0 else group.neg(point))
    running = found = group.identity
    for weight in range(max(buckets, default=0), 0, -1):
        running = group.add(running, buckets[weight])
        found = group.add(found, running)
    return found
