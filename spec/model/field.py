"""Prime fields: plain integers 0 … p-1, and operations of every finite field.

A ring is an object with zero, one, add, sub, mul, neg, scale and `from_integer`; a finite field has `order`,
`inverse` and `elements` too. Elements are plain integers in this module and tuples in `tower`. Everything is
written to be read, not to be fast. The moduli come from spec/fields.
"""

import tomllib
from pathlib import Path

SPEC = Path(__file__).resolve().parent.parent


def number(fact):
    """A number of a TOML file: an integer, or text such as "0x1f" or "-0x1f"."""
    return fact if isinstance(fact, int) else int(fact, 16)


class FiniteField:
    """What follows from zero, one, add, neg, mul, order, sort_key and candidates."""

    def sub(self, a, b):
        return self.add(a, self.neg(b))

    def scale(self, k, a):
        """k * a for an integer k."""
        return self.mul(self.from_integer(k), a)

    def power(self, a, exponent):
        result = self.one
        for bit in f"{exponent:b}":
            result = self.mul(result, result)
            if bit == "1":
                result = self.mul(result, a)
        return result

    def is_square(self, a):
        """Euler's criterion; zero is a square. The order is odd."""
        return self.power(a, (self.order - 1) // 2) in (self.zero, self.one)

    @property
    def non_square(self):
        return next(a for a in self.candidates() if not self.is_square(a))

    def sqrt(self, a):
        """A square root, or None: Tonelli and Shanks (Cohen, A Course in Computational Algebraic Number Theory, 1.5.1).

        Of the two roots it is the one that comes first as text: the smaller integer, in Fp2 by the last coordinate first.
        """
        if a == self.zero:
            return a
        if not self.is_square(a):
            return None
        odd, twos = self.order - 1, 0
        while odd % 2 == 0:
            odd, twos = odd // 2, twos + 1
        generator = self.power(self.non_square, odd)  # of the 2-Sylow group
        root, rest = self.power(a, (odd + 1) // 2), self.power(a, odd)  # root^2 = a * rest
        while rest != self.one:
            level, square = 0, rest
            while square != self.one:
                level, square = level + 1, self.mul(square, square)
            factor = self.power(generator, 1 << (twos - level - 1))
            root, rest = self.mul(root, factor), self.mul(rest, self.mul(factor, factor))
        return min(root, self.neg(root), key=self.sort_key)


class PrimeField(FiniteField):
    def __init__(self, name, p):
        self.name, self.p, self.order = name, p, p
        self.zero, self.one = 0, 1

    @property
    def bits(self):
        return self.p.bit_length()

    @property
    def bytes(self):
        return (self.bits + 7) // 8

    def from_integer(self, k):
        return k % self.p

    def elements(self):
        return range(self.p)

    def candidates(self):
        """Where to look for elements of a kind that every second or third one is of."""
        return range(1, self.p)

    def sort_key(self, a):
        return a

    def add(self, a, b):
        return (a + b) % self.p

    def neg(self, a):
        return -a % self.p

    def mul(self, a, b):
        return a * b % self.p

    def power(self, a, exponent):
        return pow(a, exponent, self.p)

    def inverse(self, a):
        """1 / a; zero has none."""
        if a == 0:
            raise ZeroDivisionError(f"{self.name}: zero has no inverse")
        return pow(a, -1, self.p)

    def decode(self, data):
        """Decodes little-endian bytes. Raises ValueError if they are too many, too few or not reduced."""
        if len(data) != self.bytes:
            raise ValueError("wrong length")
        value = int.from_bytes(data, "little")
        if value >= self.p:
            raise ValueError("not reduced")
        return value

    def encode(self, a):
        return a.to_bytes(self.bytes, "little")


def load(name):
    """The field of spec/fields/<name>.toml."""
    fact = tomllib.loads((SPEC / f"fields/{name}.toml").read_text())
    return PrimeField(fact["name"], number(fact["modulus"]))


def names():
    return sorted(path.stem for path in (SPEC / "fields").glob("*.toml"))
