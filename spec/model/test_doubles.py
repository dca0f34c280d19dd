"""Doubles lose no bit: bounds for every modulus and operand that the host has, and the model against integers."""

import functools
import itertools
import random
import unittest
from fractions import Fraction

from doubles import NORMAL, STARTS, Bounds, Exact, Interval, OutOfBounds, Residues, Table, magnitude

FIVE = ["bn254_fp", "bn254_fr", "bls12_377_fr", "bls12_381_fr", "pasta_fp", "pasta_fq", "toy_fp", "toy_fr"]
EIGHT = ["bls12_381_fp", "bls12_377_fp", "toy_fp", "toy_fr"]
#: Of pairings one at a time.
SIX = ("bn254_fp", 6)
ALL = [(name, 5) for name in FIVE] + [SIX] + [(name, 8) for name in EIGHT]
#: Coordinates of points: products of normal elements and sums. So large a modulus as this one has no room for sums.
NORMAL_ONLY = ("bls12_381_fr", 5)
COORDINATES = [each for each in ALL if each != NORMAL_ONLY]
#: Of the extensions by u^2 = -n: n, and the bound of what is squared over p. The square of u^2 = -1 is not reduced.
PAIRS = {("bn254_fp", 5): (1, Fraction(52, 100)), SIX: (1, Fraction(13, 10)), ("bls12_381_fp", 8): (1, Fraction(13, 10)), ("bls12_377_fp", 8): (5, Fraction(16, 10))}
#: Bounds of what is added in rows, as in `NORMAL`.
ROW = (2**47 + 32, NORMAL[8][1])
#: Of a number in scalar code's form.
PLAIN = {5: 2**51 - 1, 6: 2**48 - 1, 8: 2**48 - 1}


def bounds_of(name, count, starts=None):
    table = Table(name, count, starts)
    return Residues(table, Bounds(table))


def exact_of(name, count, starts=None):
    table = Table(name, count, starts)
    return Residues(table, Exact(table))


def plain(on):
    """All numbers from 0 to p - 1 in digits that are not negative."""
    digits = [Interval(0, PLAIN[on.table.count])] * on.table.count
    return on.element(digits, Interval(0, on.table.p - 1))


class Tables(unittest.TestCase):
    def test_constants(self):
        for name, count in ALL:
            table = Table(name, count)
            half = 1 << table.width - 1
            for i, fold in enumerate(table.folds):
                value = table.value(fold)
                self.assertEqual((value << table.width * (count - 1 - i)) % table.p, 1 % table.p)
                self.assertLessEqual(abs(value), table.p // 2)
                self.assertLessEqual(max(map(abs, fold[:-1])), half)
            self.assertEqual(table.value(table.modulus), table.p)
            self.assertEqual(table.negative_inverse * table.p % (2 * half), 2 * half - 1)
            for start in (table.start, table.round, table.quotient):
                self.assertTrue(float(half << 53) <= start < float(half << 54) and start % (2 * half) == 0)

    def test_a_modulus_above_r_is_refused(self):
        for name in ("secp256k1_fp", "secp256k1_fn"):
            with self.assertRaises(OutOfBounds):
                Table(name, 5)


class Proofs(unittest.TestCase):
    def assert_normal(self, on, *elements):
        for x in elements:
            self.assertTrue(on.is_normal(x), (on.table.name, on.table.count, x))

    def test_products_and_squares_of_normal_elements(self):
        for name, count in ALL:
            on = bounds_of(name, count)
            x = on.normal()
            self.assert_normal(on, on.product(x, x), on.square(x), on.reduced(x))

    def test_coordinates(self):
        """What affine/pair.rs does: products with a sum as either factor, and sums of two or three that are reduced."""
        for name, count in COORDINATES:
            on = bounds_of(name, count)
            x = on.normal()
            total = on.plus(x, x)
            self.assert_normal(on, on.product(x, total), on.product(total, x))
            self.assert_normal(on, on.reduced(on.less(x, x)), on.less_both(x, x, x), on.reduced(total))

    def test_extensions(self):
        """What extension.rs does: the product's other factor may be a sum, and a square's is as small as it has to be; norms."""
        for (name, count), (n, squared) in PAIRS.items():
            on = bounds_of(name, count)
            x = on.normal()
            pair, totals = [x, x], [on.plus(x, x)] * 2
            small = on.within(NORMAL[count][0], squared)
            products = on.pair_product(pair, pair, n) + on.pair_product(pair, totals, n)
            self.assert_normal(on, *products, *on.pair_square([small, small], n))
            settled = on.reduced(totals[0])
            norm = on.reduced(functools.reduce(on.plain_sum, [on.square(settled)] * (1 + n)))
            self.assert_normal(on, norm, on.product(norm, totals[0]))
            for x in [*products, on.product(on.carried(plain(on)), on.constant(on.table.from_words))]:
                self.assertLessEqual(x.value.magnitude, squared * on.table.p)

    def test_doors(self):
        """From scalar code's form and back, and to memory, where the highest of five digits has 51 bits with its sign."""
        for name, count in ALL:
            on = bounds_of(name, count)
            table = on.table
            to = on.product(on.carried(plain(on)), on.constant(table.from_words))
            self.assert_normal(on, to, on.product(on.normal(), on.constant(table.to_words)), on.constant(table.one))
            self.assertLess(on.normal().digits[-1].high, (1 << table.width - 1) - 1)

    def test_points_in_montgomery_form(self):
        """Plain integers are reduced, and two products lead to this form and to the integer itself."""
        for name, count in ALL:
            on = bounds_of(name, count)
            element = on.product(on.reduced(plain(on)), on.constant(on.table.from_words))
            integer = on.product(element, on.constant(1))
            self.assert_normal(on, element, integer)
            if not on.table.is_toy:
                self.assertLess(on.reduced(integer).value.magnitude, on.table.p)

    def test_zeros(self):
        """A multiple of p that is a normal element or a sum of two is one of -4 p ... 4 p, and its lowest digit determines it."""
        for name, count in ALL:
            on, exact = bounds_of(name, count), exact_of(name, count)
            p = on.table.p
            for x in (on.normal(), on.less(on.normal(), on.normal())):
                on.multiple_if_zero(x)
                self.assertLess(x.value.magnitude, 5 * p)
            for multiple in range(-4, 5):
                self.assertEqual(exact.multiple_if_zero(exact.constant(multiple * p)), -multiple)

    def test_bounds_of_the_documents(self):
        """Digits of sums and products, and of values in five digits."""
        for name, count in ALL:
            on = bounds_of(name, count)
            x = on.normal()
            total = on.less(x, x)
            digit = max(map(magnitude, total.digits[:-1]))
            self.assertLessEqual(digit, 2**50 + 4 if count == 5 else 2**48 + 32)
            if count == 5 and not on.table.is_toy:
                self.assertLess(on.product(x, x).value.magnitude, Fraction(500001, 1000000) * on.table.p)

    def sums(self, on, count):
        """Of so many normal elements, without carries."""
        return functools.reduce(on.plain_sum, [on.normal()] * count)

    def test_transforms(self):
        """What ntt/form does: plain integers and sums of up to four are reduced, and multiplied by normal factors."""
        for name in ("bn254_fr", "bls12_381_fr", "pasta_fp", "pasta_fq"):
            on = bounds_of(name, 5)
            x = on.normal()
            self.assert_normal(on, on.reduced(plain(on)), on.product(x, x))
            for count in (2, 3, 4):
                self.assert_normal(on, on.reduced(self.sums(on, count)))

    def test_pairings(self):
        """Small multiples in pairing/doubles.rs: 9 x in BN254 is 4 (2 x) + x, 5 x in BLS12-377 4 x + x."""
        for name, count in PAIRS:
            on = bounds_of(name, count)
            for multiple in (2, 3, 4, 5):
                self.assert_normal(on, on.reduced(self.sums(on, multiple)))

    def test_rows(self):
        """What doubles/row.rs does: sums of up to 24 elements that are normal or such a sum that was reduced are reduced, and
        multiplied in pairs."""
        for name, count in [SIX, ("bls12_381_fp", 8), ("bls12_377_fp", 8)]:
            on = bounds_of(name, count)
            digit, multiples = ROW
            row = on.within(digit, multiples)
            settled = on.reduced(functools.reduce(on.plain_sum, [row] * 24))
            self.assertLessEqual(max(map(magnitude, settled.digits[:-1])), digit)
            self.assertLessEqual(settled.value.magnitude, multiples * on.table.p)
            n, _ = PAIRS[name, count]
            self.assert_normal(on, *on.pair_product([settled] * 2, [settled] * 2, n), on.product(settled, settled))

    def test_a_sum_of_four_in_six_and_eight_digits(self):
        for name, count in [SIX, *((name, 8) for name in EIGHT)]:
            on = bounds_of(name, count)
            x = on.normal()
            total = on.less(x, x)
            on.product(on.carried_sum(x, x), on.carried_sum(total, total))
            on.product(total, total)


class Refusals(unittest.TestCase):
    def refused(self, kind, step, function, *arguments):
        with self.assertRaisesRegex(OutOfBounds, f"{step}.*: {kind} beyond"):
            function(*arguments)

    def test_sums(self):
        on = bounds_of(*NORMAL_ONLY)
        x = on.normal()
        total = on.less(x, x)
        self.refused("sum", "column 4, product", on.product, total, total)
        self.refused("sum", "column 4, product", on.product, total, x)
        self.refused("sum", "column 4, product", on.product, x, total)
        on = bounds_of("bn254_fr", 5)
        x = on.normal()
        self.refused("number", "digit 2 less the multiple", on.product, on.less(x, x), on.less(x, x))

    def test_a_sum_of_four_in_five_digits(self):
        on = bounds_of("bn254_fp", 5)
        x = on.normal()
        two, four = on.carried_sum(x, x), on.carried_sum(on.less(x, x), on.less(x, x))
        self.refused("sum", "column 4, product", on.product, two, four)
        self.refused("sum", "column 4, product", on.product, four, two)

    def test_rows(self):
        for name, count in [SIX, ("bls12_381_fp", 8), ("bls12_377_fp", 8)]:
            on = bounds_of(name, count)
            total = functools.reduce(on.plain_sum, [on.within(*ROW)] * 28)
            self.refused("number", "less the multiple of p", on.reduced, total)

    def test_digits_without_carries(self):
        for name in FIVE[:6]:
            on = bounds_of(name, 5)
            x = on.normal()
            self.refused("sum", "column", on.product, on.plain_difference(x, x), x)

    def test_starts(self):
        """Each of the constants, too low for the sum or too high for its low part."""
        right = STARTS[5]
        for name, place, wrong in (("bls12_381_fr", 0, 12.875), ("bls12_381_fr", 0, 13.25), ("pasta_fp", 0, 13.5), ("pasta_fp", 2, 12.875), ("bn254_fp", 0, 11.5),
                                   ("bn254_fr", 1, 11.0), ("bn254_fr", 1, 15.0), ("bn254_fp", 2, 11.5), ("bls12_377_fr", 0, 9.0)):
            starts = [wrong if i == place else start for i, start in enumerate(right)]
            on = bounds_of(name, 5, starts)
            with self.assertRaises(OutOfBounds, msg=(name, starts)):
                on.product(on.normal(), on.normal())
        for start in (64.0, 72.0):
            on = bounds_of("bls12_381_fp", 8, (start, start, 96.0))
            x = on.normal()
            with self.assertRaises(OutOfBounds):
                on.product(x, on.less(x, x))
        with self.assertRaises(OutOfBounds):
            bounds_of("bls12_381_fp", 8, (97.0, 96.0, 96.0))

    def test_a_product_that_was_wrong(self):
        """With 13.375, 12.5, 13 column 5 exceeds 2^53: two of its products make its sum exceed 2^104, where low parts are twice
        as large.
        """
        wrong = (13.375, 12.5, 13.0)
        x = 0x183144C37CC0A7FFA357791858FFF6AB6911EE1FFF0166C0A05BFFE8C4214CA3
        y = 0x3063CF3E7FDA97FFBA155D88DAFFFFCEBD421E5FFEFF8E35D94BFFE6DCD05340
        on = bounds_of("bn254_fp", 5, wrong)
        normal = on.normal()
        self.refused("number", "column 5", on.product, normal, on.less(normal, normal))
        for starts in (wrong, None):
            on = exact_of("bn254_fp", 5, starts)
            p = on.table.p
            self.assertTrue(2 * x <= p and y <= p)
            factors = on.constant(x), on.less(on.constant(y // 2), on.constant(y // 2 - y))
            if starts:
                with self.assertRaises(OutOfBounds):
                    on.product(*factors)
            else:
                self.assertEqual((on.product(*factors).value * on.table.r - x * y) % p, 0)


class Model(unittest.TestCase):
    def setUp(self):
        self.source = random.Random(6)

    def element(self, on):
        """A normal element: random, or with digits and a value that are as large as they may be."""
        table, (digit, multiples) = on.table, NORMAL[on.table.count]
        largest = int(multiples * table.p)
        if table.is_toy or self.source.random() < 0.4:
            few = [0, 1, -1, table.p // 2, -(table.p // 2), min(table.p - 1, largest)]
            return on.constant(self.source.choice([*few, self.source.randint(-largest, largest)]))
        signs = self.source.choice([(1,), (-1,), (1, -1)])
        sizes = [digit, digit - self.source.randrange(1 << 20), 1 << table.width - 1]
        digits = [self.source.choice(signs) * self.source.choice(sizes) for _ in range(table.count - 1)]
        top = (largest - abs(table.value(digits))) >> table.width * (table.count - 1)
        digits.append(self.source.choice(signs) * self.source.choice([top, top - 1, top // 2]))
        return on.element([float(digit) for digit in digits], table.value(digits))

    def assert_within(self, trace, intervals):
        self.assertEqual(len(trace), len(intervals))
        for number, interval in zip(trace, intervals):
            self.assertIn(int(number), interval)

    def test_products(self):
        """Each is x y / R and normal, and every number on the way is within its bounds."""
        cases = {
            "normal": lambda on, new: (new(), new()),
            "square": lambda on, new: (new(),) * 2,
            "sum": lambda on, new: (new(), on.less(new(), new())),
            "sum first": lambda on, new: (on.plus(new(), new()), new()),
        }
        for name, count in ALL:
            bounds, on = bounds_of(name, count), exact_of(name, count)
            for kind, operands in cases.items():
                if (name, count) == NORMAL_ONLY and "sum" in kind:
                    continue
                bounds.on.trace.clear()
                bounds.product(*operands(bounds, bounds.normal), is_square=kind == "square")
                for _ in range(100 if count < 8 else 50):
                    on.on.trace.clear()
                    x, y = operands(on, functools.partial(self.element, on))
                    z = on.product(x, y, is_square=kind == "square")
                    self.assertEqual((z.value * on.table.r - x.value * y.value) % on.table.p, 0)
                    self.assertTrue(on.is_normal(z))
                    self.assert_within(on.on.trace, bounds.on.trace)

    def test_every_pair_of_a_toy(self):
        on = exact_of("toy_fr", 5)
        for x, y in itertools.product(range(-39, 40), repeat=2):
            z = on.product(on.constant(x), on.constant(y))
            self.assertEqual((z.value * on.table.r - x * y) % 79, 0)

    def test_an_addition_of_points(self):
        """affine_add with this inverse, and the difference of the next one multiplied in."""
        for name, count in COORDINATES:
            on = exact_of(name, count)
            p, r = on.table.p, on.table.r
            for _ in range(10):
                x1, y1, x2, y2, inverse = (self.element(on) for _ in range(5))
                slope = on.product(inverse, on.less(y2, y1))
                x3 = on.less_both(on.square(slope), x1, x2)
                y3 = on.reduced(on.less(on.product(slope, on.less(x1, x3)), y1))
                self.assertEqual((slope.value * r - inverse.value * (y2.value - y1.value)) % p, 0)
                self.assertEqual(((x3.value + x1.value + x2.value) * r - slope.value**2) % p, 0)
                self.assertEqual(((y3.value + y1.value) * r - slope.value * (x1.value - x3.value)) % p, 0)
                self.assertTrue(on.is_normal(x3) and on.is_normal(y3))

    def test_extensions(self):
        for (name, count), (n, _) in PAIRS.items():
            on = exact_of(name, count)
            p, r = on.table.p, on.table.r
            for _ in range(20):
                a, b, c = ([self.element(on), self.element(on)] for _ in range(3))
                total = [on.less(*each) for each in zip(b, c)]
                for y, z in ((total, on.pair_product(a, total, n)), (a, on.pair_square(a, n))):
                    x0, x1, y0, y1 = (each.value for each in (*a, *y))
                    self.assertEqual((z[0].value * r - x0 * y0 + n * x1 * y1) % p, 0)
                    self.assertEqual((z[1].value * r - x0 * y1 - x1 * y0) % p, 0)

    def test_doors(self):
        for name, count in ALL:
            on = exact_of(name, count)
            table, mask = on.table, PLAIN[count]
            words = pow(2, 64 * -(-table.p.bit_length() // 64), table.p)
            for form in (0, 1, table.p - 1, self.source.randrange(table.p)):
                digits = [float(form >> table.width * j & mask) for j in range(count)]
                x = on.product(on.carried(on.element(digits, form)), on.constant(table.from_words))
                self.assertEqual((x.value * words - form * table.r) % table.p, 0)
                self.assertEqual((on.product(x, on.constant(table.to_words)).value - form) % table.p, 0)


if __name__ == "__main__":
    unittest.main()
