"""Sums of small multiples with floating-point limbs, as in the host's Poseidon with AVX2 and FMA: exact values, and bounds.

`combination` is that of `lanes/doubles/combination.rs`: normal elements times integers, and a constant, less the nearest multiple of p. Columns
are made as in `doubles`; every few terms the low parts give their carries to the sums. The multiple of p is estimated from the two
highest columns.

As there, the steps are written once: on `Exact` they are done with doubles, on `Bounds` with intervals.
"""

from fractions import Fraction

import doubles
from doubles import Interval, Residues, Table

#: So many terms are added before the low parts give their carries away.
TERMS = 4


class Exact(doubles.Exact):
    def carried(self, total, low, step):
        """The sum with what of the low part is a multiple of 2^W, and the rest."""
        following = total + low
        return self.kept(following, low - (following - total))

    def estimated(self, highest, below, value, missing, step):
        """The multiple of p nearest to the two highest columns, in units of the highest digit."""
        return self.multiple(self.kept(highest + below), step)

    def remaining(self, value, multiple):
        return value - int(multiple) * self.table.p

    def highest(self, x, y, lower, value, step):
        """The sum of what is left of the highest column, and the rest."""
        return self.kept(x + y)


class Bounds(doubles.Bounds):
    def carried(self, total, low, step):
        return self.kept(*self.start_and(total, low, step))

    def estimated(self, highest, below, value, missing, step):
        """What the estimate misses: half a unit in the last place of the sum, the lower columns, the error of a constant; and the
        half of rounding to an integer.
        """
        table, per_top = self.table, Fraction(self.table.per_top)
        weight = 1 << table.width * (table.count - 1)
        total = (highest + below).magnitude
        rounding = Fraction(1 << total.bit_length(), 1 << 54)
        error = (rounding + Fraction(missing.magnitude, weight)) * per_top + total * abs(per_top - Fraction(weight, table.p))
        self.error = Fraction(1, 2) + error
        bound = int(Fraction(value.magnitude, table.p) + self.error) + 1
        self.checked("multiple", step, 1 - Fraction(bound, 2**51))
        return self.kept(Interval.around(bound))

    def remaining(self, value, multiple):
        return Interval.around(self.error * self.table.p)

    def highest(self, x, y, lower, value, step):
        """Bounds the rest of the highest column by the value and the other digits, because intervals do not cancel it."""
        weight = 1 << self.table.width * (self.table.count - 1)
        return self.kept(self.exact((value - lower).over(weight), step))


class Combinations(Residues):
    """What the host does with elements, and combinations."""

    def combination(self, terms, factors, plus):
        table, on = self.table, self.on
        count, last = table.count, table.count - 1
        start = on.constant(table.start)
        sums, lows = [start] * count, list(plus.digits)
        for j, (term, factor) in enumerate(zip(terms, factors)):
            for k in range(count):
                if j and j % TERMS == 0:
                    sums[k], lows[k] = on.carried(sums[k], lows[k], f"column {k}, carry before term {j}")
                sums[k], lows[k] = on.product(sums[k], lows[k], on.constant(factor), term.digits[k], f"column {k}, term {j}")

        def above(k):
            return on.minus(sums[k], start, f"column {k}, above")

        def with_above(k):
            return on.plus_down(lows[k], above(k - 1), f"column {k} with what is above the one below")

        def value_of(lower):
            return table.value([on.as_integer(digit) for digit in lower])

        value = plus.value
        for term, factor in zip(terms, factors):
            value = value + term.value * factor
        missing = value_of([lows[0], *map(with_above, range(1, last))])
        multiple = on.estimated(above(last), with_above(last), value, missing, "multiple of p")
        for k in range(count):
            modulus = on.constant(table.modulus[k])
            sums[k], lows[k] = on.product(sums[k], lows[k], -multiple, modulus, f"column {k}, multiple of p")
        digits = [lows[0], *map(with_above, range(1, count))]
        value = on.remaining(value, multiple)
        digits[last] = on.highest(above(last), digits[last], value_of(digits[:last]), value, "highest digit")
        return self.carried(self.element(digits, value))


def combinations(on):
    """On `Exact` or on `Bounds`, of the scalars of BLS12-381."""
    table = Table("bls12_381_fr", 5)
    return Combinations(table, on(table))
