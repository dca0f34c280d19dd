"""Signatures made to order: the multiples u1 and u2, the sum R, the key or the integers r, s and z are chosen, the rest follows.

All of them on secp256k1, from R = u1 G + u2 Q with u1 = z / s and u2 = r / s.
"""

from cases import painted_number
from ecdsa_verify import SECP256K1, Signature

GROUP, G = SECP256K1.group("g1"), SECP256K1.generator("g1")
P, N = SECP256K1.fp.p, SECP256K1.r
LAMBDA = SECP256K1.endomorphism[1]


def scalar(label):
    """A scalar painted from a label, never 0."""
    return 1 + painted_number(N - 1, f"ecdsa_verify {label}")


def times(k, point=G):
    return GROUP.mul(k % N, point)


def divided(a, b):
    """a / b modulo n."""
    return a * SECP256K1.fr.inverse(b % N) % N


def from_multiples(u1, u2, key, r=None):
    """Under a key, with chosen multiples; r is R's x coordinate modulo n where none is given."""
    if r is None:
        r = GROUP.add(times(u1), times(u2, key))[0] % N
    s = divided(r, u2)
    return Signature(s, r, u1 * s % N, *key)


def from_sum(total, u1, u2, r=None):
    """With chosen multiples and sum: the key is (R - u1 G) / u2."""
    key = times(divided(1, u2), GROUP.add(total, times(-u1)))
    return from_multiples(u1, u2, key, total[0] % N if r is None else r)


def recovered(total, s, z):
    """With chosen s, digest and sum: SEC 1 version 2.0, section 4.1.6."""
    r = total[0] % N
    return Signature(s, r, z, *times(divided(1, r), GROUP.add(times(s, total), times(-z))))


def point_near(x, step=1):
    """The point with the smaller y at the first x that has one: x, x + step, and so on."""
    while not (found := GROUP.with_x(x)):
        x += step
    return found[0]
