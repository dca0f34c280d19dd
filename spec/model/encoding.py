"""Points as bytes: SEC1 for secp256k1, the Zcash form (now IETF's) for BLS12-381; malformed input is refused with a named reason.

SEC1 (SEC 1 version 2.0, section 2.3.3 and 2.3.4): 00 is the identity; 02 or 03, then x: y is even or
odd; 04, then x and y. Big-endian.

Zcash (draft-irtf-cfrg-pairing-friendly-curves-11, appendix C): x, or x and y, big-endian, in Fp2 the coefficient of u
first. The three top bits of the first byte are flags: compressed, identity, and, where compressed, whether y is the
larger of the two roots (in Fp2 by the coefficient of u first).
"""

COMPRESSED, IDENTITY, LARGER = 0x80, 0x40, 0x20


class Refused(ValueError):
    """Not the encoding of a point; the text is one of REASONS."""


REASONS = ("wrong length", "wrong flags", "stray bits", "not reduced", "not on curve", "not in subgroup")


def demand(condition, reason):
    if not condition:
        raise Refused(reason)


def coordinate(field, data):
    """A field element from big-endian bytes, the last coefficient first."""
    if hasattr(field, "p"):
        value = int.from_bytes(data, "big")
        demand(value < field.p, "not reduced")
        return value
    half = len(data) // 2
    c1, c0 = coordinate(field.base, data[:half]), coordinate(field.base, data[half:])
    return (c0, c1)


def coordinate_bytes(field, a):
    if hasattr(field, "p"):
        return a.to_bytes(field.bytes, "big")
    return coordinate_bytes(field.base, a[1]) + coordinate_bytes(field.base, a[0])


def with_root(group, x, wanted):
    """The point with an x whose y is the wanted one of the two."""
    found = [point for point in group.with_x(x) if wanted(point[1])]
    demand(found, "not on curve")
    return found[0]


class Sec1:
    """The curve's order is prime, so every point is in the subgroup."""

    def __init__(self, curve):
        self.group = curve.group("g1")

    def encode(self, point, compressed):
        if point is None:
            return b"\x00"
        x, y = (coordinate_bytes(self.group.field, part) for part in point)
        return bytes([2 + point[1] % 2]) + x if compressed else b"\x04" + x + y

    def decode(self, data):
        """Decodes either form, which the first byte selects."""
        field, size = self.group.field, self.group.field.bytes
        lengths = {0: 1, 2: 1 + size, 3: 1 + size, 4: 1 + 2 * size}
        demand(data, "wrong length")
        demand(data[0] in lengths, "wrong flags")
        demand(len(data) == lengths[data[0]], "wrong length")
        if data[0] == 0:
            return None
        x = coordinate(field, data[1:1 + size])
        if data[0] != 4:
            return with_root(self.group, x, lambda y: y % 2 == data[0] % 2)
        point = (x, coordinate(field, data[1 + size:]))
        demand(self.group.contains(point), "not on curve")
        return point


class Zcash:
    def __init__(self, curve, which):
        self.curve, self.which, self.group = curve, which, curve.group(which)

    @property
    def size(self):
        """Bytes of a compressed point; twice as many otherwise."""
        return self.curve.fp.bytes * (2 if self.which == "g2" else 1)

    def is_larger(self, y):
        field = self.group.field
        return field.sort_key(y) > field.sort_key(field.neg(y))

    def encode(self, point, compressed):
        flags = COMPRESSED if compressed else 0
        if point is None:
            return bytes([flags | IDENTITY]) + bytes(self.size * (1 if compressed else 2) - 1)
        if compressed and self.is_larger(point[1]):
            flags |= LARGER
        data = b"".join(coordinate_bytes(self.group.field, part) for part in point[:1 if compressed else 2])
        return bytes([data[0] | flags]) + data[1:]

    def decode(self, data, compressed):
        """Decodes the form that the caller expects; the flag must agree."""
        demand(len(data) == self.size * (1 if compressed else 2), "wrong length")
        flags, data = data[0] & 0xE0, bytes([data[0] & 0x1F]) + data[1:]
        demand(bool(flags & COMPRESSED) == compressed, "wrong flags")
        demand(not flags & LARGER or compressed and not flags & IDENTITY, "wrong flags")
        if flags & IDENTITY:
            demand(not any(data), "stray bits")
            return None
        point = self.finite(data, flags)
        demand(self.curve.in_subgroup(self.which, point), "not in subgroup")
        return point

    def finite(self, data, flags):
        field = self.group.field
        if flags & COMPRESSED:
            return with_root(self.group, coordinate(field, data), lambda y: self.is_larger(y) == bool(flags & LARGER))
        point = (coordinate(field, data[:self.size]), coordinate(field, data[self.size:]))
        demand(self.group.contains(point), "not on curve")
        return point
