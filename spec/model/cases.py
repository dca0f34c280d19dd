"""Builds a list of vectors: unique ids, numbers as text, and values derived from labels."""

from cases_equihash_verify import random_bytes


def text(value):
    """Formats a number as 0x…, an element of an extension as the list of its coefficients, and None as None."""
    if isinstance(value, int):
        return hex(value)
    return value and [text(part) for part in value]


def painted(ring, label):
    """Returns a pseudo-random element. Every coefficient is derived from the label and its place."""
    if not hasattr(ring, "p"):
        return tuple(painted(ring.base, f"{label}.{i}") for i in range(ring.degree))
    return painted_number(ring.p, label)


def painted_number(bound, label):
    """Returns a number below a bound: `random_bytes` of the label, 128 bits more than needed, little-endian, reduced."""
    return int.from_bytes(random_bytes(label, (bound.bit_length() + 7) // 8 + 16), "little") % bound


class Cases:
    def __init__(self, where):
        self.where, self.found = where, []

    def add(self, id, comment, tags, **what):
        if any(case["id"] == id for case in self.found):
            raise ValueError(f"{self.where}: case {id} stands twice")
        self.found.append({"id": id, "comment": comment, **what, "tags": tags.split()})
