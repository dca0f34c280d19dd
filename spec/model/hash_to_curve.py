"""Hashing to the groups of BLS12-381 (RFC 9380), by the definitions: spec/hashes/hash_to_curve_bls12_381.toml has the numbers.

    hash_to_curve("g2", message, dst)     # a point of the subgroup
"""

import hashlib
import tomllib

import curve
from curve import number
from field import SPEC

FACTS = tomllib.loads((SPEC / "hashes/hash_to_curve_bls12_381.toml").read_text())
CURVE = curve.load(FACTS["curve"])
BLOCK = hashlib.sha256().block_size


def sha256(data):
    return hashlib.sha256(data).digest()


def expand_message_xmd(message, dst, count):
    """So many bytes: section 5.3.1. A tag of more than 255 bytes is hashed."""
    if len(dst) > 255:
        dst = sha256(b"H2C-OVERSIZE-DST-" + dst)
    dst += bytes([len(dst)])
    first = sha256(bytes(BLOCK) + message + count.to_bytes(2, "big") + b"\0" + dst)
    blocks = [sha256(first + b"\x01" + dst)]
    for i in range(2, -(-count // len(first)) + 1):
        mixed = bytes(a ^ b for a, b in zip(first, blocks[-1], strict=True))
        blocks.append(sha256(mixed + bytes([i]) + dst))
    return b"".join(blocks)[:count]


def hash_to_field(which, message, dst, count=2):
    """Section 5.2."""
    degree, size = (2 if which == "g2" else 1), FACTS["bytes"]
    data = expand_message_xmd(message, dst, count * degree * size)
    numbers = [int.from_bytes(data[at:at + size], "big") % CURVE.fp.p for at in range(0, len(data), size)]
    return numbers if degree == 1 else list(zip(numbers[::2], numbers[1::2], strict=True))


def is_odd(a):
    """sgn0, section 4.1: the parity of the first coefficient that is not 0."""
    coefficients = a if isinstance(a, tuple) else (a,)
    return next((c % 2 for c in coefficients if c), 0)


class Map:
    """From a field to a point of the curve, not of the subgroup."""

    def __init__(self, which):
        self.field, self.fact, self.which = CURVE.field(which), FACTS[which], which
        self.a, self.b, self.z = (self.element(self.fact[key]) for key in "abz")

    def element(self, fact):
        return CURVE.element(self.which, fact)

    def right_side(self, x):
        """x^3 + a x + b on E'."""
        f = self.field
        return f.add(f.mul(x, f.add(f.mul(x, x), self.a)), self.b)

    def simplified_swu(self, u):
        """Section 6.6.2: a point of E'."""
        f = self.field
        zuu = f.mul(self.z, f.mul(u, u))
        t = f.add(f.mul(zuu, zuu), zuu)
        if t == f.zero:
            x = f.mul(self.b, f.inverse(f.mul(self.z, self.a)))
        else:
            x = f.mul(f.neg(f.mul(self.b, f.inverse(self.a))), f.add(f.one, f.inverse(t)))
        if not f.is_square(self.right_side(x)):
            x = f.mul(zuu, x)
        y = f.sqrt(self.right_side(x))
        return x, y if is_odd(y) == is_odd(u) else f.neg(y)

    def polynomial(self, name, x):
        f, value = self.field, self.field.zero
        for coefficient in reversed(self.fact[name]):
            value = f.add(f.mul(value, x), self.element(coefficient))
        return value

    def isogeny(self, point):
        """From E' to the curve; the identity for the points of its kernel."""
        f, (x, y) = self.field, point
        x_den, y_den = self.polynomial("x_den", x), self.polynomial("y_den", x)
        if f.zero in (x_den, y_den):
            return None
        return (f.mul(self.polynomial("x_num", x), f.inverse(x_den)), f.mul(f.mul(y, self.polynomial("y_num", x)), f.inverse(y_den)))

    def __call__(self, u):
        return self.isogeny(self.simplified_swu(u))


def effective_cofactor(which):
    """Section 8.8: 1 - z, and 3 (z^2 - 1) times the cofactor of G2."""
    z = number(CURVE.fact["parameter"]["z"])
    return 1 - z if which == "g1" else 3 * (z * z - 1) * CURVE.cofactor("g2")


def hash_to_curve(which, message, dst):
    """Section 3."""
    group, to_curve = CURVE.group(which), Map(which)
    p, q = (to_curve(u) for u in hash_to_field(which, message, dst))
    return group.mul(effective_cofactor(which), group.add(p, q))
