"""Vectors of pairings: products of few, by their pairs of points, with the value, and whether it is 1.

Points are multiples of the generators by known factors, so a value is a power of that of the generators, which is computed by definition once; that a
pairing is bilinear is tested by test_pairing.py. Published cases only state whether a product is 1.
"""

import curve
import published
from cases import Cases, painted_number, text
from pairing import Pairing

CURVES = ("bn254", "bls12_381", "bls12_377")


class Book(Cases):
    """The cases of one curve."""

    def __init__(self, name):
        super().__init__(f"pairing {name}")
        self.facts, self.pairing = curve.load(name), Pairing(name)
        self.generator_value = self.pairing(self.facts.generator("g1"), self.facts.generator("g2"))

    def point(self, which, factor):
        return self.facts.group(which).mul(factor, self.facts.generator(which))

    def painted(self, label):
        return painted_number(self.facts.r, f"{self.where} {label}")

    def case(self, id, comment, tags, *factors):
        """Of pairs of factors."""
        pairs = [[text(self.point("g1", a)), text(self.point("g2", b))] for a, b in factors]
        exponent = sum(a * b for a, b in factors) % self.facts.r
        value = self.pairing.fp12.power(self.generator_value, exponent)
        self.add(id, comment, tags, pairs=pairs, is_one=exponent == 0, value=text(value))

    def published_case(self, id, source, data, output):
        def pair(reader):
            return [text(reader.point("g1")), text(reader.point("g2"))]
        pairs = published.Reader(self.facts, data).many(pair)
        self.add(id, f"published with {source}", "published", pairs=pairs, is_one=bool(int.from_bytes(output, "big")))


def values(book):
    r = book.facts.r
    a, b, c, d = (book.painted(label) for label in "abcd")
    book.case("generators", "the value by definition", "value", (1, 1))
    book.case("small-multiples", "2 and 3", "value", (2, 3))
    book.case("full-multiples", "factors of all bits", "value", (a, b))
    book.case("opposite-first", "the inverse", "value", (r - 1, 1))
    book.case("opposite-second", "the same", "value", (1, r - 1))
    book.case("identity-first", "on the first side", "identity", (0, b))
    book.case("identity-second", "on the second side", "identity", (a, 0))
    book.case("identities", "on both", "identity", (0, 0))
    book.case("none", "a product of nothing", "product")
    book.case("cancels", "e(P, Q) e(-P, Q)", "product", (a, b), (r - a, b))
    book.case("bilinear", "e(a P, b Q) e(-a b P, Q)", "product", (a, b), (r - a * b % r, 1))
    book.case("equal-pairs", "a square", "product", (a, b), (a, b))
    groth16 = [(a, b), (c, d), (d, 3), (-(a * b + c * d + 3 * d) % r, 1)]
    book.case("four-that-cancel", "as a proof of Groth16", "product", *groth16)
    book.case("four-that-do-not", "as a wrong one", "product", *groth16[:-1], (5, 1))
    many = [(i * a % r, (i + 1) * b % r) for i in range(9)]
    book.case("nine-with-identities", "more than eight lanes, two of them nowhere", "product identity", *many[:4], (c, 0), *many[4:])


def contents():
    """Name -> content of spec/vectors/pairing/<curve>.json."""
    sources = {"bn254": "EIP-197", "bls12_381": "EIP-2537"}
    made = {}
    for name in CURVES:
        book = Book(name)
        values(book)
        for id, (data, output) in (published.cases(f"{name}_pairing") if name in sources else {}).items():
            book.published_case(f"published-{id}", sources[name], data, output)
        made[name] = {"schema": "../schema.json", "op": "pairing", "curve": name, "cases": book.found}
    return made
