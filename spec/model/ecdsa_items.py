"""What becomes of a signature's scalars before any point is added: u1 and u2 as lists of signed table entries.

    u1 = z / s,  u2 = r / s  modulo n;  R = u1 G + u2 Q

1. u2 Q (`q_items`). u2 = k1 + k2 lambda with halves of half the length (Gallant, Lambert, Vanstone, CRYPTO 2001; the
   lattice basis by Guide to Elliptic Curve Cryptography, algorithm 3.74), and each half in window-5 non-adjacent form:
   odd digits -15 … 15, at most one in any five places. Both are added to one accumulator, which is doubled in between.
2. u1 G (`g_items`). u1, or u1 - n where that is shorter, in Booth digits of 8 bits, -128 … 128. Every window has a
   table of its own, d 256^i G for d = 1 … 128, so nothing is doubled.

Lists are from the lowest place up, as the circuit writes them; they are taken from the last one down. All numbers
are computed from spec/curves. test_ecdsa_items.py computes that no sum on the way is of equal or opposite points.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import curve as curves

#: Bits that the circuit's serial multiplications take in a cycle.
DIGIT = 6
#: What a rounded quotient may be off by beyond one half: below 1 / 8 in all.
SLACK = Fraction(1, 8)


@dataclass(frozen=True)
class Item:
    """Add the entry `magnitude` of a table, negated if `minus`; then double `count` times."""

    magnitude: int
    minus: int
    count: int = 0


@dataclass(frozen=True)
class Scheme:
    """How the scalars of a curve with an endomorphism are cut.

    `window` is that of the non-adjacent form, `comb` the bits of a Booth digit.
    """

    n: int
    lam: int
    window: int = 5
    comb: int = 8

    @property
    def bits(self):
        return self.n.bit_length()

    @cached_property
    def basis(self):
        """Two short vectors (a, b) with a + b lambda = 0 mod n, such that (u, 0) is a sum of them with no negative factor."""
        rows = [(self.n, 0), (self.lam, 1)]  # (r, t): r = t lambda mod n
        while rows[-1][0]:
            (r0, t0), (r1, t1) = rows[-2:]
            rows.append((r0 % r1, t0 - r0 // r1 * t1))
        below = next(i for i, (r, _) in enumerate(rows) if r * r < self.n)
        first = (rows[below][0], -rows[below][1])
        second = min(((r, -t) for r, t in (rows[below - 1], rows[below + 1])), key=lambda v: v[0] ** 2 + v[1] ** 2)
        (a1, b1), (a2, b2) = first, second
        det = a1 * b2 - a2 * b1
        if b2 * det < 0:
            a1, b1 = -a1, -b1
        if b1 * det > 0:
            a2, b2 = -a2, -b2
        return (a1, b1), (a2, b2)

    @property
    def factors(self):
        """(u, 0) = u (f1 v1 + f2 v2) for the basis v1, v2: both in [0, 1)."""
        (a1, b1), (a2, b2) = self.basis
        det = a1 * b2 - a2 * b1
        return Fraction(b2, det), Fraction(-b1, det)

    @cached_property
    def digits(self):
        """Digits of u, from its highest on, that the quotients look at: as few as leave half the slack."""
        enough = (i for i in range(1, self.bits) if self.lost(i) * max(self.factors) <= SLACK / 2)
        return next(enough)

    def lost(self, digits):
        """The most that the bits of u below its highest digits can be."""
        return (1 << max(0, self.bits - DIGIT * digits)) - 1

    @property
    def drop(self):
        """Low bits of u that the quotients do not look at."""
        return self.lost(self.digits).bit_length()

    @property
    def shift(self):
        """The quotients' factors are integers over 2^shift; their rounding costs less than half the slack."""
        return DIGIT * self.digits + (1 / SLACK).numerator.bit_length() - 1

    @property
    def multipliers(self):
        return tuple(round(factor * (1 << self.drop + self.shift)) for factor in self.factors)

    @property
    def half_bound(self):
        """No half is larger in magnitude."""
        (a1, b1), (a2, b2) = self.basis
        return int((Fraction(1, 2) + SLACK) * max(abs(a1) + abs(a2), abs(b1) + abs(b2)))

    @property
    def half_bits(self):
        """A half's magnitude is below 2^half_bits."""
        return self.half_bound.bit_length()

    @property
    def entries(self):
        """Odd multiples of Q in a half's table."""
        return 1 << self.window - 2

    @property
    def windows(self):
        return -(-self.bits // self.comb)

    def split(self, u):
        """(k1, k2) with k1 + k2 lambda = u mod n, for 0 <= u < n."""
        (a1, b1), (a2, b2) = self.basis
        high, half = u >> self.drop, 1 << self.shift - 1
        c1, c2 = (high * m + half >> self.shift for m in self.multipliers)
        return u - c1 * a1 - c2 * a2, -c1 * b1 - c2 * b2

    def wnaf(self, k):
        """(place, digit) of the nonzero digits of any integer, from the lowest place up (Guide, algorithm 3.35)."""
        found, place = [], 0
        while k:
            if k & 1:
                digit = k & (1 << self.window) - 1
                digit -= digit >> self.window - 1 << self.window
                found.append((place, digit))
                k -= digit
            k, place = k >> 1, place + 1
        return found

    def q_items(self, u2):
        """Items of u2, from the lowest place up; of two at the same place k1's is the lower one. Entry i is (2i + 1) Q, then those of lambda Q."""
        digits = [(place, half, digit) for half, k in enumerate(self.split(u2)) for place, digit in self.wnaf(k)]
        found, last = [], 0
        for place, half, digit in sorted(digits):
            found.append(Item(half * self.entries + abs(digit) // 2, int(digit < 0), place - last))
            last = place
        return found

    def centred(self, u):
        """u or u - n, as a signed number of as many bits as n has."""
        return u - self.n if u >> self.bits - 1 else u

    def booth(self, u):
        """Digits of a signed number of `bits` bits, lowest first."""
        base, half = 1 << self.comb, 1 << self.comb - 1
        digits = []
        for place in range(self.windows):
            window, below = u >> self.comb * place, u << 1 >> self.comb * place & 1
            digits.append((window % base ^ half) - half + below)
        return digits

    def g_items(self, u1):
        """Items of u1, lowest window first; entry (window << comb - 1) + d - 1 is d 2^(comb window) G."""
        digits = enumerate(self.booth(self.centred(u1)))
        return [Item((window << self.comb - 1) + abs(d) - 1, int(d < 0)) for window, d in digits if d]

    def scalars(self, z, r, s):
        """(u1, u2), for s not 0 mod n."""
        inverse = pow(s, -1, self.n)
        return z * inverse % self.n, r * inverse % self.n


def load(name="secp256k1", **shape):
    curve = curves.load(name)
    return Scheme(curve.r, curve.endomorphism[1], **shape)
