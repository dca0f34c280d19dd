"""Published test vectors: those that Ethereum's clients share for the precompiled contracts of EIP-196 and EIP-197 (BN254) and of EIP-2537
(BLS12-381), as far as the model supports them. They are numbers: points, scalars, sums, and whether a product of pairings is 1.

The files in `published` keep inputs and outputs as these proposals encode them: big-endian integers one after the other, a coordinate in 32 or 64
bytes, an element of Fp2 with its real part first, in EIP-197 last. The identity is all zeros. `eip2537.json` has the small cases of all of that proposal's operations, the failing
ones included; `hash_to_curve.json` those of RFC 9380.
"""

import json
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "published"
SCALAR = 32


def cases(name):
    """Name of a case -> input and output."""
    found = json.loads((FOLDER / f"{name}.json").read_text())
    return {id: (bytes.fromhex(case["input"]), bytes.fromhex(case["output"])) for id, case in found.items()}


class Reader:
    """Takes values from the front of some bytes, of points on a curve."""

    def __init__(self, facts, data):
        self.data, self.facts = data, facts
        self.coordinate, self.imaginary_first = (32, True) if facts.name == "bn254" else (64, False)

    def number(self, size):
        taken, self.data = self.data[:size], self.data[size:]
        return int.from_bytes(taken, "big")

    def scalar(self):
        """Any integer of 256 bits."""
        return self.number(SCALAR)

    def point(self, which):
        """A point of a group."""
        def element():
            if which == "g1":
                return self.number(self.coordinate)
            parts = (self.number(self.coordinate), self.number(self.coordinate))
            return parts[::-1] if self.imaginary_first else parts
        point = (element(), element())
        point = None if point in ((0, 0), ((0, 0), (0, 0))) else point
        if not self.facts.group(which).contains(point):
            raise ValueError(f"{point} is not on {self.facts.name} {which}")
        return point

    def many(self, read):
        """As often as there is something."""
        found = []
        while self.data:
            found.append(read(self))
        return found
