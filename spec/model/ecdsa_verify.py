"""ecdsa_verify: the executable meaning of every bit of the error mask, written to be read, not to be fast.

SEC 1 version 2.0, section 4.1.4, from the digest on: with u1 = z / s and u2 = r / s modulo n, the signature (r, s) of the
digest z under the key Q is valid when R = u1 G + u2 Q is not the identity and its x coordinate is r modulo n. The key
comes as two coordinates, so the identity cannot be one.

What is wrong is looked for in three steps, and only a step that finds nothing leads to the next: the ranges of all
five integers, the curve's equation, the sum. The numbers come from spec/curves and spec/wire. Everything works on any
curve of prime order with a = 0: on the toy every signature can be tried.
"""

import tomllib
from dataclasses import astuple, dataclass

import curve
from field import SPEC

WIRE = tomllib.loads((SPEC / "wire/ecdsa_verify.toml").read_text())
COMMAND = WIRE["command"]

#: Name of an error -> its bit as a mask.
ERROR = {name: 1 << error["bit"] for name, error in WIRE["errors"].items()}
SECP256K1 = curve.load(WIRE["curve"]["name"])

FIELD_BYTES = 32


@dataclass(frozen=True)
class Signature:
    """A signature, the digest that it signs, and the key: integers of 256 bits, in the order of the command."""

    s: int
    r: int
    hash: int
    qx: int
    qy: int

    @property
    def key(self):
        return (self.qx, self.qy)

    def to_bytes(self):
        """Returns the five integers in the form of a command: little-endian, concatenated."""
        return b"".join(value.to_bytes(FIELD_BYTES, "little") for value in astuple(self))

    @staticmethod
    def from_bytes(data):
        """The inverse of `to_bytes`."""
        if len(data) != 5 * FIELD_BYTES:
            raise ValueError(f"signature: {len(data)} bytes, expected {5 * FIELD_BYTES}")
        return Signature(*(int.from_bytes(data[i:i + FIELD_BYTES], "little") for i in range(0, len(data), FIELD_BYTES)))


def out_of_range(signature, c):
    """Returns the names of the integers' faults, which need no curve arithmetic."""
    found = {
        "out_of_range_r": not 0 < signature.r < c.r,
        "out_of_range_s": not 0 < signature.s < c.r,
        "invalid_key": max(signature.key) >= c.fp.p,
    }
    return {name for name, wrong in found.items() if wrong}


def multiples(signature, c):
    """(u1, u2) of a signature whose s is in range."""
    inverse = c.fr.inverse(signature.s)
    return signature.hash * inverse % c.r, signature.r * inverse % c.r


def wrong_sum(signature, c):
    """The name of what is wrong with R, or nothing: the key is on the curve and the ranges are right."""
    u1, u2 = multiples(signature, c)
    group = c.group("g1")
    total = group.add(group.mul(u1, c.generator("g1")), group.mul(u2, signature.key))
    if total is None:
        return {"x_infinity_point"}
    return {"failed_sig_ver"} if total[0] % c.r != signature.r else set()


def faults(signature, c=SECP256K1):
    """The names of everything that is wrong with a signature; each comes with failed_sig_ver."""
    found = out_of_range(signature, c)
    if not found and not c.group("g1").contains(signature.key):
        found = {"invalid_key"}
    if not found:
        found = wrong_sum(signature, c)
    return found | {"failed_sig_ver"} if found else found


def verify(signature, c=SECP256K1):
    """The error mask of a signature: 0 is valid."""
    return sum(ERROR[name] for name in faults(signature, c))


def sign(z, d, k, c=SECP256K1):
    """The signature of a digest under the private key d with the nonce k, for test cases; None where r or s is 0.

    SEC 1 version 2.0, section 4.1.3. Not for secrets.
    """
    group, generator = c.group("g1"), c.generator("g1")
    r = group.mul(k, generator)[0] % c.r
    s = (z + r * d) * c.fr.inverse(k) % c.r
    return Signature(s, r, z, *group.mul(d, generator)) if r and s else None
