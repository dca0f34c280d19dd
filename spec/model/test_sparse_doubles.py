"""Six digits of 43 bits lose nothing: the bounds of secp256k1's doubles, and their model against integers."""

import random
import unittest

from doubles import Interval, OutOfBounds
from sparse_doubles import COUNT, MOST, NORMAL, WIDTH, bounds, exact


def sums(count):
    """Of so many normal elements."""
    return [Interval.around(count * bound) for bound in NORMAL]


class Proofs(unittest.TestCase):
    def test_products_of_sums_are_normal(self):
        for count in (1, 2, 3, 4, 9, 10):
            for other in range(1, MOST // count + 1):
                digits = bounds().product(sums(count), sums(other))
                for digit, bound in zip(digits, NORMAL, strict=True):
                    self.assertLessEqual(digit.magnitude, bound, (count, other))

    def test_larger_sums_are_refused(self):
        with self.assertRaisesRegex(OutOfBounds, "column"):
            bounds().product(sums(16), sums(16))

    def test_another_start_is_refused(self):
        with self.assertRaisesRegex(OutOfBounds, "column"):
            bounds(start=1.01).product(sums(10), sums(10))

    def test_numbers_of_words_are_sums_of_two(self):
        self.assertTrue(all((1 << WIDTH) - 1 <= 2 * bound for bound in NORMAL))


class Model(unittest.TestCase):
    def check(self, x, y):
        on = exact()
        digits = on.product(x, y)
        table = on.table
        self.assertEqual((table.value(digits) - table.value(x) * table.value(y)) % table.p, 0)
        for digit, bound in zip(digits, NORMAL, strict=True):
            self.assertLessEqual(abs(digit), bound)

    def test_edges(self):
        table = exact().table
        extremes = [table.digits(number) for number in (0, 1, table.p - 1, table.p, (1 << 256) - 1)]
        extremes += [[sign * count * bound for bound in NORMAL] for sign in (1, -1) for count in (1, 10)]
        extremes.append([(-1) ** j * 10 * bound for j, bound in enumerate(NORMAL)])
        for x in extremes:
            for y in extremes:
                self.check([float(digit) for digit in x], [float(digit) for digit in y])

    def test_random_sums(self):
        source = random.Random(7)
        for _ in range(300):
            count = source.choice((1, 2, 4, 9, 10))
            other = source.randint(1, MOST // count)
            x = [float(source.randint(-count * bound, count * bound)) for bound in NORMAL]
            y = [float(source.randint(-other * bound, other * bound)) for bound in NORMAL]
            self.assertEqual(len(x), COUNT)
            self.check(x, y)


if __name__ == "__main__":
    unittest.main()
