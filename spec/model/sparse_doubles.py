"""Elements modulo p = 2^256 - C of secp256k1 with floating-point limbs, as in the host's AVX2 and FMA code: exact values, and bounds.

An element is six signed digits of 43 bits. Columns of products and their low parts are made as in `doubles`, with 43 for W. The
six upper columns' digits, each times 4 C = 2^258 modulo p, are added to the six lower columns. What is above the last of these is
folded once more, and all digits are carried at once.

As there, the steps are written once: `Exact` does them with doubles, `Bounds` with intervals.
"""

import field
from doubles import Bounds, Exact, Interval, fma

COUNT, WIDTH = 6, 43
#: Of a product: bounds of the lowest digit and of the others.
NORMAL = [1 << WIDTH] + [(1 << WIDTH - 1) + (1 << 8)] * (COUNT - 1)
#: Of how many normal elements one factor may be the sum, times how many the other: `MOST` of lanes/doubles/sparse.rs.
MOST = 120


class Table:
    """The constants, by the names of `doubles.Table`."""

    name, count, width = "secp256k1_fp", COUNT, WIDTH

    def __init__(self, start=1.5):
        self.p = field.load(self.name).p
        self.fold = 4 * ((1 << 256) - self.p)
        self.start = start * 2.0 ** (WIDTH + 52)

    def value(self, digits):
        """The number of these digits."""
        return sum(int(digit) << WIDTH * j for j, digit in enumerate(digits))

    def digits(self, number):
        """Of a number below 2^256, none of them negative."""
        return [number >> WIDTH * j & (1 << WIDTH) - 1 for j in range(COUNT)]


class Carries:
    """Division of a digit by 2^43, to the nearest integer: that, and what is left."""

    @staticmethod
    def exact(digit):
        nearest = 1.5 * 2.0**52
        carry = fma(digit, 2.0**-WIDTH, nearest) - nearest
        return carry, fma(-carry, 2.0**WIDTH, digit)

    @staticmethod
    def bounds(digit):
        half = 1 << WIDTH - 1
        return Interval((digit.low + half) >> WIDTH, (digit.high + half) >> WIDTH), Interval.around(half)


class Elements:
    """The product, on `Exact` or on `Bounds`."""

    def __init__(self, table, on):
        self.table, self.on = table, on
        self.carry = Carries.exact if isinstance(on, Exact) else Carries.bounds

    def columns(self, sums, lows, x, y, columns):
        """All x_i y_j with i + j among these columns."""
        for i in range(COUNT):
            for k in columns:
                if 0 <= k - i < COUNT:
                    sums[k], lows[k] = self.on.product(sums[k], lows[k], x[i], y[k - i], f"column {k}")

    def product(self, x, y):
        """The digits of x y."""
        on, zero = self.on, self.on.constant(0)
        start, fold = on.constant(self.table.start), on.constant(self.table.fold)
        sums, lows = [start] * (2 * COUNT - 1), [zero] * (2 * COUNT - 1)
        last = COUNT - 1

        def above(k):
            return on.minus(sums[k], start, f"above column {k}")

        self.columns(sums, lows, x, y, range(last, 2 * COUNT - 1))
        upper = [on.plus_down(low, above(k), f"upper digit {k}") for k, low in enumerate([*lows[COUNT:], zero], last)]
        of_last, sums[last], lows[last] = lows[last], start, zero
        self.columns(sums, lows, x, y, range(last))
        for k in range(COUNT):
            sums[k], lows[k] = on.product(sums[k], lows[k], upper[k], fold, f"fold {k}")
        digits = [lows[0]] + [on.plus_down(lows[k], above(k - 1), f"digit {k}") for k in range(1, COUNT)]
        digits[last] = on.plus(digits[last], of_last, f"digit {last}")
        highest = on.plus_down(zero, above(last), "above the digits")
        total, low = on.product(start, zero, highest, fold, "last fold")
        digits[0] = on.plus(digits[0], low, "digit 0 and the last fold")
        digits[1] = on.plus_down(digits[1], on.minus(total, start, "last fold"), "digit 1 and the last fold")
        carries, rests = zip(*map(self.carry, digits), strict=True)
        first = rests[0] + carries[last] * fold
        return [first] + [on.plus(rests[k], carries[k - 1], f"carry to {k}") for k in range(1, COUNT)]


def exact():
    """Returns the product with floats."""
    table = Table()
    return Elements(table, Exact(table))


def bounds(start=1.5):
    """Returns the product with intervals."""
    table = Table(start)
    return Elements(table, Bounds(table))
