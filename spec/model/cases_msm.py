"""Vectors of msm: few points, and the scalars and bases that are awkward for some way of adding them up.

A file has points, as in spec/vectors/curve, and each case names its points by their numbers and states its scalars. The points are
multiples of the generator by known factors, so a sum is one multiplication; that this is the sum itself is the business of test_msm.py.
"""

import curve
import msm
import published
from cases import Cases, painted_number, text

CURVES = [name for name in msm.WIRE["curves"] if not name.startswith("toy")]
PAINTED = 24  # points besides identity, generator and its opposite


# Scalars, by the name of their distribution. Each is made of the order r, how many there are, a `draw` of a number below a bound, and
# the bits of a window where it goes after digits.


def repeated(digit, r, bits):
    """Returns the scalar whose lower digits are all equal; above negative digits there is a 1. It is below r."""
    top = (r.bit_length() - 2) // bits
    return sum(digit << bits * w for w in range(top)) + ((1 << bits * top) if digit < 0 else 0)


def one_bucket(r, count, draw, bits):
    return [repeated(1 + 5 % ((1 << bits - 1) - 1), r, bits)] * count


def two_buckets(r, count, draw, bits):
    return [repeated(1 + i % 2 % ((1 << bits - 1) - 1), r, bits) for i in range(count)]


def both_signs(r, count, draw, bits):
    return [repeated((1, -1)[i % 2], r, bits) for i in range(count)]


def lowest_digits(r, count, draw, bits):
    return [repeated(-(1 << bits - 1), r, bits)] * count


def highest_digits(r, count, draw, bits):
    return [repeated((1 << bits - 1) - 1, r, bits)] * count


def sparse(r, count, draw, bits):
    return [draw(r) if draw(10) == 0 else 0 for _ in range(count)]


def witness(r, count, draw, bits):
    """As in a Sapling spend: 43 % are 0 and 28 % are 1."""
    def one():
        kind = draw(100)
        return 0 if kind < 43 else 1 if kind < 71 else draw(r)
    return [one() for _ in range(count)]


DISTRIBUTIONS = {
    "uniform": lambda r, count, draw, bits: [draw(r) for _ in range(count)],
    "zeros": lambda r, count, draw, bits: [0] * count,
    "ones": lambda r, count, draw, bits: [1] * count,
    "r-minus-1": lambda r, count, draw, bits: [r - 1] * count,
    "equal": lambda r, count, draw, bits: [draw(r)] * count,
    "one-bucket": one_bucket,
    "two-buckets": two_buckets,
    "both-signs": both_signs,
    "lowest-digits": lowest_digits,
    "highest-digits": highest_digits,
    "sparse": sparse,
    "witness": witness,
    "small": lambda r, count, draw, bits: [draw(min(r, 1 << 16)) for _ in range(count)],
    "powers-of-two": lambda r, count, draw, bits: [1 << draw(r.bit_length() - 1) for _ in range(count)],
    "edges": lambda r, count, draw, bits: [((r - 1) // 2, (r + 1) // 2, r - 2, 2, 0, 1, r - 1)[i % 7] for i in range(count)],
}

# Bases, by name: of `distinct` factors the same number of factors, 0 being the identity.
BASES = {
    "distinct": lambda factors: factors,
    "repeated": lambda factors: factors[:1] * len(factors),
    "opposite": lambda factors: [(-1) ** i * factors[i // 2] for i in range(len(factors))],
    "identity": lambda factors: [0] * len(factors),
    "some-identities": lambda factors: [factor if i % 3 else 0 for i, factor in enumerate(factors)],
}


class Draw:
    """Numbers below a bound, painted from a label and their place."""

    def __init__(self, label):
        self.label, self.count = label, 0

    def __call__(self, bound):
        self.count += 1
        return painted_number(bound, f"{self.label} {self.count}")


class Book(Cases):
    """The cases of one group."""

    def __init__(self, facts, which):
        super().__init__(f"{facts.name}_{which}")
        self.facts, self.which, self.group = facts, which, facts.group(which)
        self.points, self.factors = [], []
        for factor in (0, 1, -1):
            self.point(factor, self.group.mul(factor, facts.generator(which)))
        first, step = (1 + painted_number(facts.r - 1, f"msm {self.where} {what}") for what in ("first", "step"))
        point, more = (self.group.mul(k, facts.generator(which)) for k in (first, step))
        for i in range(PAINTED):
            self.point(first + i * step, point)
            point = self.group.add(point, more)
        for i in range(3, 3 + PAINTED // 2):
            self.point(-self.factors[i], self.group.neg(self.points[i]))

    def point(self, factor, point):
        self.factors.append(factor % self.facts.r)
        self.points.append(point)

    def case(self, id, comment, tags, factors, scalars):
        r = self.facts.r
        total = sum(k * factor for k, factor in zip(scalars, factors, strict=True)) % r
        self.add(id, comment, tags, points=[self.factors.index(factor % r) for factor in factors], scalars=[hex(k) for k in scalars],
                 sum=text(self.group.mul(total, self.facts.generator(self.which))))


def sizes(book, distinct):
    book.case("size-0", "the sum of nothing", "size", [], [])
    for count in (1, 2, 3, 100):
        scalars = DISTRIBUTIONS["uniform"](book.facts.r, count, Draw(f"msm {book.where} size {count}"), 8)
        book.case(f"size-{count}", "uniform scalars", "size", distinct(count), scalars)


def distributions(book, distinct):
    for name, make in DISTRIBUTIONS.items():
        scalars = make(book.facts.r, 20, Draw(f"msm {book.where} {name}"), 8)
        book.case(f"scalars-{name}", "20 points", "scalars", distinct(20), scalars)
    for bits in (4, 16):
        for name in ("one-bucket", "lowest-digits"):
            book.case(f"scalars-{name}-{bits}", f"the same for windows of {bits} bits", "scalars", distinct(8), DISTRIBUTIONS[name](book.facts.r, 8, None, bits))


def bases(book, distinct):
    r = book.facts.r
    for name, make in BASES.items():
        draw = Draw(f"msm {book.where} bases {name}")
        book.case(f"bases-{name}", "12 points", "bases", make(distinct(12)), [draw(r) for _ in range(12)])
    equal = draw(r)
    book.case("bases-opposite-scalars-equal", "what is in a bucket vanishes, again and again", "bases sum", BASES["opposite"](distinct(12)), [equal] * 12)
    book.case("bases-repeated-scalars-equal", "every addition to a bucket is a doubling, or the sum is", "bases sum", BASES["repeated"](distinct(12)), [equal] * 12)
    book.case("sum-is-the-identity", "k P + (r - k) P", "sum", distinct(1) * 2, [equal, r - equal])
    book.case("sum-is-a-doubling", "k P + k P", "sum", distinct(1) * 2, [equal, equal])
    book.case("sum-of-generators", "2 G + 3 G - 5 G", "sum", [1, 1, -1], [2, 3, 5])
    book.case("order-times", "(r - 1) G + G", "sum", [1, 1], [r - 1, 1])


#: Files of published cases, and who publishes them.
PUBLISHED = {"bn254_g1": "EIP-196", "bls12_381_g1": "EIP-2537", "bls12_381_g2": "EIP-2537"}


def published_content(name, source):
    """The cases of one group; scalars are reduced."""
    of_curve, which = name.rsplit("_", 1)
    facts = curve.load(of_curve)
    book, points = Cases(f"msm published {name}"), []

    def number(point):
        if point not in points:
            points.append(point)
        return points.index(point)

    for id, (data, output) in published.cases(name).items():
        terms = published.Reader(facts, data).many(lambda reader: (number(reader.point(which)), reader.scalar()))
        book.add(f"published-{id}", f"published with {source}", "published", points=[i for i, _ in terms],
                 scalars=[hex(k % facts.r) for _, k in terms], sum=text(published.Reader(facts, output).point(which)))
    return {"schema": "../schema.json", "op": "msm", "curve": of_curve, "group": which, "points": [text(point) for point in points], "cases": book.found}


def contents():
    """Name -> content of spec/vectors/msm/<curve>_<group>.json and, for published cases, <curve>_<group>_published.json."""
    made = {f"{name}_published": published_content(name, source) for name, source in PUBLISHED.items()}
    for name in CURVES:
        facts = curve.load(name)
        for which in facts.groups:
            book = Book(facts, which)
            chain = book.factors[3:3 + PAINTED]

            def distinct(count, chain=chain):
                return (chain * (count // len(chain) + 1))[:count]

            for chapter in (sizes, distributions, bases):
                chapter(book, distinct)
            made[book.where] = {"schema": "../schema.json", "op": "msm", "curve": name, "group": which,
                                "points": [text(point) for point in book.points], "cases": book.found}
    return made
