"""Field arithmetic with floating-point limbs, as in the host's AVX2 and FMA code: exact values, and bounds by interval analysis.

    table = Table("bn254_fp", 5)
    exact = Residues(table, Exact(table))
    exact.product(exact.constant(3), exact.constant(5))  # its digits are doubles, its value is 15/R modulo p
    bounds = Residues(table, Bounds(table))
    bounds.product(bounds.normal(), bounds.normal())  # digits and value are intervals; OutOfBounds if a step may fail

A residue is L signed digits of W bits, each a double: L = 5, W = 51 or L = 8, W = 48. R = 2^(W L), and a product is x y / R
modulo p:

1. Column k < 2 L - 1 is the sum of all x_i y_j with i + j = k. Its sum starts at a constant between 2^(W + 52) and 2^(W + 53),
   where the unit in the last place of a double is 2^W. Adding a product rounds it to a multiple of 2^W. The rounding
   error is exact in a double and is added to the column's low part.
2. A column is its low part and 2^-W of the sum of the column below. Of columns 0 ... L - 2 digits are made: what rounds to a
   multiple of 2^W is carried to the next column.
3. Folding: digit i is multiplied by 2^(-W (L - 1 - i)) modulo p and added to columns L - 1 ... 2 L - 2.
4. Montgomery's quotient q = -column / p modulo 2^W, the column being the lowest that is left. Adding q p makes it a
   multiple of 2^W.
5. Columns L ... 2 L - 2 and what comes from below are the digits of the result. L = 5 subtracts the nearest multiple of p.
   All digits are carried at once.

The steps are written once. `Exact` does them with doubles, `Bounds` with intervals, so that the analysis is of what the model
does. `Bounds` checks of every step for all operands within their bounds:

- a column's sum does not fall below 2^(W + 52), so that it stays a multiple of 2^W. It may exceed 2^(W + 53): the unit is
  2^(W + 1) there, which is a multiple of 2^W too, and the low part takes up to 2^W instead of 2^(W - 1);
- every other number is exact: an integer multiple of a unit, and at most 2^53 of them.

An element's value is an integer that no instruction computes; it follows from the steps' equations. `Exact` checks that
the digits have it, and `Bounds` takes from it the bound of the highest digit, which intervals alone would lose.

Normal elements are what a product takes in any case. `NORMAL` has their bounds; a product or a reduced element keeps within
them. In six and eight digits a product is not reduced: its value is at most 1.6 p if one factor is normal and the other one a sum
of two, but 1.86 p if both are sums (BLS12-381). What else a modulus admits is in test_doubles.py.
"""

from dataclasses import dataclass
from fractions import Fraction

import field

WIDTHS = {5: 51, 6: 48, 8: 48}
#: Where a column's sum starts, where a rounding and where the product of the quotient: in units of 2^(2 W - 2).
STARTS = {5: (12.75, 12.25, 14.0), 6: (96.0, 96.0, 96.0), 8: (96.0, 96.0, 96.0)}
#: The same in five digits for a modulus of at least three quarters of R.
STARTS_OF_LARGE = (13.0, 12.25, 14.0)
#: Bounds of a normal element: of all digits but the highest, and of the value over p.
NORMAL = {5: (2**50 + 4, Fraction(52, 100)), 6: (2**47 + 16, Fraction(16, 10)), 8: (2**47 + 16, Fraction(16, 10))}
#: Columns whose products are made together, of a product and of a square; upper columns that are folded into together.
GROUPS = {
    5: ([range(4), range(4, 9)], [range(3), range(3, 6), range(6, 9)]),
    6: ([range(5), range(5, 9)],) * 2,
    8: ([range(4), range(4, 7), range(7, 11)],) * 2,
}
FOLDED = {5: [range(4, 7), range(7, 9)], 6: [range(5, 9), range(9, 11)], 8: [range(7, 11), range(11, 15)]}


class OutOfBounds(Exception):
    """A step may lose bits; the message names it."""


class Table:
    """The constants of a modulus."""

    def __init__(self, name, count, starts=None):
        self.name, self.p = name, field.load(name).p
        self.count, self.width = count, WIDTHS[count]
        self.r = 1 << self.width * count
        if self.p > self.r:
            raise OutOfBounds(f"{name}: p is above 2^{self.width * count}")
        self.folds = [self.digits(self.nearest(pow(2, -self.width * (count - 1 - i), self.p))) for i in range(count - 1)]
        self.modulus = self.digits(self.p)
        self.negative_inverse = self.centred(-pow(self.p, -1, 1 << self.width))
        approximate = 0.0
        for j in range(7):
            approximate += float(self.p >> 64 * j & 2**64 - 1) * 2.0 ** (64 * j)
        self.per_top = 2.0 ** (self.width * (count - 1)) / approximate
        self.start, self.round, self.quotient = (start * 2.0 ** (2 * self.width - 2) for start in starts or self.starts)
        if count != 5 and self.start != self.round:
            raise OutOfBounds(f"columns of {count} digits have no new start")
        words = 64 * -(-self.p.bit_length() // 64)
        self.from_words = self.nearest(self.r * self.r * pow(2, -words, self.p))
        self.to_words = self.nearest(1 << words)
        self.one = self.nearest(self.r)

    @property
    def starts(self):
        return STARTS_OF_LARGE if self.count == 5 and 4 * self.p >= 3 * self.r else STARTS[self.count]

    @property
    def is_toy(self):
        """So small a modulus has no highest digit to reduce by."""
        return self.p.bit_length() <= self.width * (self.count - 1)

    def nearest(self, a):
        """a modulo p, the one nearest to 0."""
        a %= self.p
        return a if a <= self.p // 2 else a - self.p

    def centred(self, a):
        """a modulo 2^W, the one nearest to 0."""
        half = 1 << self.width - 1
        return (a + half) % (2 * half) - half

    def digits(self, value):
        """Digits nearest to 0; the highest takes all that is left."""
        digits, rest = [], abs(value)
        for _ in range(self.count - 1):
            digits.append(-self.centred(-rest))
            rest = rest - digits[-1] >> self.width
        return [digit if value >= 0 else -digit for digit in [*digits, rest]]

    def value(self, digits):
        """The number of these digits: integers, intervals, or doubles that are integers."""
        return sum((digit if isinstance(digit, Interval) else int(digit)) * (1 << self.width * j) for j, digit in enumerate(digits))


@dataclass(frozen=True)
class Interval:
    """The multiples of a unit from low to high."""

    low: int
    high: int
    unit: int = 1

    @classmethod
    def of(cls, x):
        return x if isinstance(x, Interval) else cls(int(x), int(x), 1)

    @classmethod
    def around(cls, bound, unit=1):
        """All that is at most `bound` in absolute value."""
        return cls(-int(bound), int(bound), unit)

    @property
    def magnitude(self):
        return max(-self.low, self.high)

    def __neg__(self):
        return Interval(-self.high, -self.low, self.unit)

    def __add__(self, other):
        other = Interval.of(other)
        return Interval(self.low + other.low, self.high + other.high, min(self.unit, other.unit))

    __radd__ = __add__

    def __sub__(self, other):
        return self + -Interval.of(other)

    def __mul__(self, other):
        other = Interval.of(other)
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(ends), max(ends), self.unit * other.unit)

    __rmul__ = __mul__

    def multiples(self, unit):
        """Those of them that are multiples of this unit."""
        return Interval(-(-self.low // unit) * unit, self.high // unit * unit, unit)

    def over(self, divisor):
        """Over a number that divides all that is meant."""
        return Interval(-(-self.low // divisor), self.high // divisor, max(self.unit // divisor, 1))

    def __and__(self, other):
        return Interval(max(self.low, other.low), min(self.high, other.high), max(self.unit, other.unit))

    def __contains__(self, x):
        return self.low <= x <= self.high and x % self.unit == 0


def magnitude(number):
    return number.magnitude if isinstance(number, Interval) else abs(number)


def fma(x, y, z):
    """x y + z, rounded once: Python rounds a quotient of integers to the nearest double, and ties to even."""
    (a, b), (c, d), (e, f) = (number.as_integer_ratio() for number in (x, y, z))
    return (a * c * f + e * b * d) / (b * d * f)


class Exact:
    """The operations with floats. `trace` records each result."""

    def __init__(self, table):
        self.table, self.down = table, 2.0**-table.width
        self.trace = []

    def kept(self, *numbers):
        self.trace.extend(numbers)
        return numbers if len(numbers) > 1 else numbers[0]

    constant = staticmethod(float)

    def product(self, total, low, x, y, step, vanishes=False):
        """A column's sum and low part, with another product; the low part that vanishes becomes a multiple of 2^W."""
        following = fma(x, y, total)
        return self.kept(following, low + fma(x, y, total - following))

    def rounded(self, x, step):
        """What rounds to a multiple of 2^W, on top of the constant; and the rest."""
        total = x + self.table.round
        return self.kept(total, x + (self.table.round - total))

    def plus(self, x, y, step):
        return self.kept(x + y)

    def minus(self, x, y, step):
        return self.kept(x - y)

    def plus_down(self, x, above, step):
        """x + above / 2^W."""
        return self.kept(fma(above, self.down, x))

    def minus_multiple(self, x, multiple, j, step, limit):
        """x less a multiple of digit j of the modulus."""
        return self.kept(fma(-multiple, self.table.modulus[j], x))

    def excesses(self, lows, digits, unfolded):
        return None

    def limits(self, excesses, remainder):
        return [None] * self.table.count

    def multiple(self, top, step):
        """How many p an element has, from its highest digit."""
        nearest = 1.5 * 2.0**52
        return self.kept(fma(top, self.table.per_top, nearest) - nearest)

    def over(self, value, divisor):
        """A value over a number that divides it."""
        if value % divisor:
            raise OutOfBounds("the lowest column did not vanish")
        return value // divisor

    def remainder(self, value, multiple, top, lower):
        """The value less the multiple of p."""
        return value - int(multiple) * self.table.p

    as_integer = staticmethod(int)

    def bounded(self, digits, value):
        """The digits, which have this value."""
        if self.table.value(digits) != value:
            raise OutOfBounds("the digits have lost bits")
        return digits


class Bounds:
    """The same on intervals. `room` has of each step what is left: of a column's sum in units of 2^(2 W - 2), of others 1 minus
    the part of 2^53 that is used.
    """

    def __init__(self, table):
        self.table = table
        self.unit = 1 << table.width
        self.floor = self.unit << 52
        self.trace, self.room = [], {}

    kept = Exact.kept
    constant = staticmethod(Interval.of)

    def checked(self, kind, step, room):
        self.room[kind, step] = min(room, self.room.get((kind, step), room))
        if room < 0:
            raise OutOfBounds(f"{self.table.name}, {self.table.count} digits: {step}: {kind} beyond its bound by {float(-room):.4g}")

    def exact(self, x, step):
        """x, which is a double."""
        self.checked("number", step, 1 - Fraction(x.magnitude, x.unit << 53))
        return x

    def start_and(self, total, x, step):
        """Returns a rounded sum with a unit of at least 2^W, and the rounding error of x."""
        exactly = total + x
        self.checked("sum", step, Fraction(exactly.low - self.floor, self.unit * self.unit // 4))
        following = Interval(int(float(exactly.low)), int(float(exactly.high)), self.unit)
        # The nearest double is nearer than half a unit, and not farther than the sum before, a double too.
        rest = min(1 << exactly.high.bit_length() - 54, x.magnitude)
        self.exact(Interval.around(x.magnitude + rest, self.unit), step)
        return following, Interval.around(rest)

    def product(self, total, low, x, y, step, vanishes=False):
        following, rest = self.start_and(total, x * y, step)
        low += rest
        if vanishes:
            low = low.multiples(self.unit)
        return self.kept(following, self.exact(low, f"{step}, low part"))

    def rounded(self, x, step):
        return self.kept(*self.start_and(Interval.of(self.table.round), x, step))

    def plus(self, x, y, step):
        return self.kept(self.exact(x + y, step))

    def minus(self, x, y, step):
        if y.low == y.high and y.low % x.unit == 0:
            y = Interval(y.low, y.high, x.unit)
        return self.kept(self.exact(x - y, step))

    def plus_down(self, x, above, step):
        if above.unit % self.unit:
            raise OutOfBounds(f"{self.table.name}: {step}: not a multiple of 2^{self.table.width}")
        return self.kept(self.exact(x + above.over(self.unit), step))

    def minus_multiple(self, x, multiple, j, step, limit):
        found = x - multiple * self.table.modulus[j]
        return self.kept(self.exact(found & limit if limit else found, step))

    def excesses(self, lows, digits, unfolded):
        """By how much digits of a product may differ from p_j / p of its value; of five digits, before it is reduced.

        Intervals forget that from a large value a large multiple of p is subtracted. Of the value less the multiple p_j / p is
        small, and the quotient adds nothing to the difference. A digit is the low part of its column, and over 2^W what
        the column below has of folds and quotient, and fewer than eight numbers of at most 2^53.
        """
        table, found = self.table, []
        for j, low in enumerate(lows):
            part = Fraction(table.modulus[j], table.p)
            bound = low.magnitude + abs(part) * Fraction(unfolded.magnitude, table.r) + Fraction(8 << 53, self.unit)
            for digit, fold in zip(digits, table.folds):
                bound += digit.magnitude * abs(fold[j] - part * table.value(fold)) / self.unit
            found.append(bound)
        return found

    def limits(self, excesses, remainder):
        """Returns the bounds of digits after the value was reduced to the remainder, except for the highest digit, whose bound is computed by `bounded`."""
        parts = [Fraction(abs(digit), self.table.p) for digit in self.table.modulus]
        known = [Interval.around(excess + part * remainder.magnitude) for excess, part in zip(excesses or [], parts)]
        return known + [None] * (self.table.count - len(known))

    def multiple(self, top, step):
        per_top = Fraction(self.table.per_top)
        found = Interval(round(top.low * per_top), round(top.high * per_top))
        self.checked("multiple", step, 1 - Fraction(found.magnitude, 2**51))
        return self.kept(found)

    def over(self, value, divisor):
        return value.over(divisor)

    def remainder(self, value, multiple, top, lower):
        """The multiple is at most 1/2 from the highest digit over p, which is a double that has been rounded."""
        p, weight = self.table.p, 1 << self.table.width * (self.table.count - 1)
        bound = Fraction(p, 2) + top.magnitude * abs(weight - Fraction(self.table.per_top) * p) + lower.magnitude
        return (value - multiple * p) & Interval.around(bound)

    as_integer = staticmethod(Interval.of)

    def bounded(self, digits, value):
        """The highest digit is what the value and the others leave to it; and so is the next one where that is nothing."""
        digits = list(digits)
        for j in reversed(range(len(digits))):
            digits[j] &= (value - self.table.value(digits[:j])).over(1 << self.table.width * j)
            if digits[j].magnitude:
                break
        return digits


@dataclass(frozen=True)
class Element:
    digits: list
    value: object  # an integer or an interval
    excesses: list | None = None  # of a product before it is reduced: see Bounds


class Residues:
    """The host's operations on elements, with floats or with intervals."""

    def __init__(self, table, arithmetic):
        self.table, self.on = table, arithmetic

    def element(self, digits, value, excesses=None):
        return Element(self.on.bounded(digits, value), value, excesses)

    def constant(self, value):
        """An integer in digits nearest to 0."""
        return self.element([self.on.constant(digit) for digit in self.table.digits(value)], self.on.as_integer(value))

    def within(self, digit, multiples):
        """Any element of at most so many p with this bound of its lower digits: for intervals only."""
        value = Interval.around(multiples * self.table.p)
        return self.element([*[Interval.around(digit)] * (self.table.count - 1), value], value)

    def normal(self):
        return self.within(*NORMAL[self.table.count])

    def is_normal(self, x):
        digit, multiples = NORMAL[self.table.count]
        return magnitude(x.value) <= multiples * self.table.p and all(magnitude(lower) <= digit for lower in x.digits[:-1])

    # Products: `define!` of product.rs.

    def multiplied(self, x, y, is_square):
        """Digits and value of x y / R, before they are reduced or carried."""
        table, on = self.table, self.on
        count, last = table.count, table.count - 1
        start, around, zero = on.constant(table.start), on.constant(table.round), on.constant(0)
        sums, lows, highs, digits = {}, {}, {}, []
        carry = None

        def columns(group):
            for i, factor in enumerate(x.digits):
                twice = on.plus(factor, factor, f"twice digit {i}") if is_square else factor
                for k in group:
                    j = k - i
                    if 0 <= j < count and (not is_square or i <= j):
                        if i == 0 or j == last:
                            sums[k], lows[k] = start, zero
                        by = twice if i < j else factor
                        sums[k], lows[k] = on.product(sums[k], lows[k], by, y.digits[j], f"column {k}, product of digits {i} and {j}")

        def from_below(k):
            lows[k] = on.plus_down(lows[k], carry, f"column {k} with the carry")
            lows[k] = on.plus_down(lows[k], highs[k - 1], f"column {k} with what is above the one below")

        for group in GROUPS[count][is_square]:
            columns(group)
            for k in group:
                if k >= last and count != 5:
                    continue
                highs[k] = on.minus(sums[k], start, f"column {k}, above")
                column = lows[k]
                if k > 0 and not (count == 5 and k == last):
                    column = on.plus_down(column, highs[k - 1], f"column {k} with what is above the one below")
                if k < last:
                    total, rest = on.rounded(column, f"column {k}, carry")
                    above = on.minus(total, around, f"column {k}, carry")
                    digits.append(rest if k == 0 else on.plus_down(rest, carry, f"column {k}, digit"))
                    carry = above
                else:
                    sums[k], lows[k] = on.rounded(column, f"column {k}, new start")
                    if k == last:
                        from_below(k)
        for group in FOLDED[count]:
            if count != 5 and group[0] > last:
                columns(group)
            for i, digit in enumerate(digits):
                for k in group:
                    fold = on.constant(table.folds[i][k - last])
                    sums[k], lows[k] = on.product(sums[k], lows[k], digit, fold, f"column {k}, fold of digit {i}")
            if group[0] == last:
                if count != 5:
                    from_below(last)
                by = on.constant(table.negative_inverse)
                _, quotient = on.product(on.constant(table.quotient), zero, lows[last], by, "quotient")
        for k in range(last, 2 * count - 1):
            modulus = on.constant(table.modulus[k - last])
            sums[k], lows[k] = on.product(sums[k], lows[k], quotient, modulus, f"column {k}, quotient times p", vanishes=k == last)
        result = []
        above = on.minus(sums[last], around, f"column {last}, above at the end")
        for k in range(count, 2 * count - 1):
            column = on.plus_down(lows[k], above, f"column {k} at the end")
            if k == count:
                column = on.plus_down(column, lows[last], f"column {k} with the one that vanishes")
            above = on.minus(sums[k], around, f"column {k}, above at the end")
            result.append(column)
        if count == 5:
            above = on.plus(above, highs[2 * count - 2], "highest digit")
        result.append(on.plus_down(zero, above, "highest digit"))

        integers = [on.as_integer(digit) for digit in digits]
        folded = on.as_integer(quotient) * table.p
        for digit, fold in zip(integers, table.folds):
            folded += digit * table.value(fold)
        unfolded = x.value * y.value - table.value(integers)
        excesses = on.excesses([lows[k] for k in range(count, 2 * count - 1)], integers, unfolded) if count == 5 else None
        return self.element(result, on.over(unfolded + folded * (1 << table.width * last), table.r), excesses)

    def product(self, x, y, is_square=False):
        result = self.multiplied(x, y, is_square)
        return self.reduced_by_top(result) if self.table.count == 5 else self.carried(result)

    def square(self, x):
        return self.product(x, x, is_square=True)

    def carried(self, x):
        on, digits, carry = self.on, [], None
        for j, digit in enumerate(x.digits):
            total, rest = on.rounded(digit, f"digit {j}, carry")
            above = on.minus(total, on.constant(self.table.round), f"digit {j}, carry")
            rest = rest if j + 1 < self.table.count else digit
            digits.append(rest if j == 0 else on.plus_down(rest, carry, f"digit {j} with the carry"))
            carry = above
        return self.element(digits, x.value)

    def reduced_by_top(self, x):
        on, top = self.on, x.digits[-1]
        multiple = on.multiple(top, "multiple of p")
        lower = self.table.value([on.as_integer(digit) for digit in x.digits[:-1]])
        remainder = on.remainder(x.value, multiple, top, lower)
        digits = [
            on.minus_multiple(digit, multiple, j, f"digit {j} less the multiple of p", limit)
            for j, (digit, limit) in enumerate(zip(x.digits, on.limits(x.excesses, remainder)))
        ]
        return self.carried(self.element(digits, remainder))

    # Sums: doubles.rs.

    def reduced(self, x):
        return self.product(self.carried(x), self.constant(self.table.one)) if self.table.is_toy else self.reduced_by_top(x)

    def plain_sum(self, x, y):
        return self.element([self.on.plus(a, b, "sum of digits") for a, b in zip(x.digits, y.digits)], x.value + y.value)

    def plain_difference(self, x, y):
        return self.element([self.on.minus(a, b, "difference of digits") for a, b in zip(x.digits, y.digits)], x.value - y.value)

    def carried_sum(self, x, y):
        return self.carried(self.plain_sum(x, y))

    def as_sum(self, x):
        return self.carried(x) if self.table.count == 5 else x

    def plus(self, x, y):
        return self.as_sum(self.plain_sum(x, y))

    def less(self, x, y):
        return self.as_sum(self.plain_difference(x, y))

    def less_multiple(self, x, n, y):
        for _ in range(n):
            x = self.plain_difference(x, y)
        return self.reduced(x)

    def less_both(self, x, y, z):
        return self.reduced(self.plain_difference(self.plain_difference(x, y), z))

    def multiple_if_zero(self, x):
        """Which multiple of -p an element would be that is one, by its lowest digit."""
        on, table = self.on, self.table
        _, lowest = on.rounded(x.digits[0], "lowest digit")
        by = on.constant(table.negative_inverse)
        return on.product(on.constant(table.round), on.constant(0), lowest, by, "multiple of an element that is 0")[1]

    # The quadratic extension by u^2 = -n: extension.rs.

    def pair_product(self, a, b, n):
        """Returns a b, where b may be a sum. With five digits, b0 + b1 is reduced, because a sum of four elements could overflow."""
        v0, v1 = self.product(a[0], b[0]), self.product(a[1], b[1])
        b_sum = self.reduced(self.plain_sum(*b)) if self.table.count == 5 else self.carried_sum(*b)
        v2 = self.product(self.carried_sum(*a), b_sum)
        return [self.less_multiple(v0, n, v1), self.less_both(v2, v0, v1)]

    def pair_square(self, a, n):
        if n != 1:
            return self.pair_product(a, a, n)
        c0 = self.product(self.carried_sum(*a), self.less(*a))
        return [c0, self.product(self.carried_sum(a[0], a[0]), a[1])]
