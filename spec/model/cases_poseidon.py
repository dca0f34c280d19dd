"""Vectors of Poseidon: digests by arity and domain, edges of the field, and what others have published.

The published digests are those of 0, 1, 2, ... that the crate neptune tests itself with, and the one of four elements of
constant length.
"""

import json

import poseidon
import published
from cases import Cases, painted, text

#: Filecoin's, which have all cases; of the others there are two each.
FILECOIN = (2, 4, 8, 11)


class Book(Cases):
    """The cases of a strength."""

    def __init__(self, strength):
        super().__init__(f"poseidon {strength}")
        self.strength = strength
        self.published = json.loads((published.FOLDER / "poseidon.json").read_text())

    def arities(self):
        """All of the standard strength; of the other one those with published digests."""
        if self.strength == "standard":
            return list(poseidon.ARITIES)
        return [int(arity) for arity in self.published["merkle_tree"][self.strength]]

    def case(self, instance, id, comment, tags, preimage, domain="merkle_tree", tag=None):
        digest = instance.hash(preimage, tag)
        self.add(f"{instance.arity}-{id}", comment, tags, arity=instance.arity, domain=domain,
                 preimage=[text(x) for x in preimage], digest=text(digest))
        return digest

    def published_case(self, instance, id, domain, preimage, tag=None):
        wanted = self.published[domain][self.strength].get(str(instance.arity))
        if wanted and self.case(instance, id, "published with neptune", "published", preimage, domain, tag) != int(wanted, 16):
            raise ValueError(f"{self.where}: arity {instance.arity}: not the published digest")

    def cases(self, arity):
        instance = poseidon.Instance(arity, self.strength)
        largest = instance.p - 1

        def paint(label, count=arity):
            return [painted(instance.field, f"{self.where} {arity} {label} {i}") for i in range(count)]
        if str(arity) in self.published["merkle_tree"][self.strength]:
            self.published_case(instance, "counted", "merkle_tree", list(range(arity)))
        else:
            self.case(instance, "counted", "0, 1, 2, ...", "value", list(range(arity)))
        self.case(instance, "painted", "elements of all bits", "value", paint("painted"))
        if arity not in FILECOIN:
            return
        self.case(instance, "zeros", "all 0", "edge", [0] * arity)
        self.case(instance, "ones", "all 1", "edge", [1] * arity)
        self.case(instance, "largest", "all r - 1", "edge", [largest] * arity)
        self.case(instance, "mixed", "0 and r - 1 in turn", "edge", [largest * (i % 2) for i in range(arity)])
        self.case(instance, "encryption", "the tag of encryption", "domain", paint("encryption"), "encryption", instance.encryption)
        self.case(instance, "variable", "the tag of variable length", "domain", paint("variable"), "variable_length", instance.variable_length)
        for length in sorted({1, arity - 1, arity}):
            self.case(instance, f"length-{length}", "constant length", "domain", paint(f"length {length}", length),
                      f"constant_length {length}", instance.constant_length(length))
        if arity >= 4:
            self.published_case(instance, "length-of-four", "constant_length 4", list(range(4)), instance.constant_length(4))


def contents():
    """Name -> content of spec/vectors/poseidon/<instance>.json."""
    made = {}
    for strength in poseidon.STRENGTHS:
        book = Book(strength)
        for arity in book.arities():
            book.cases(arity)
        made[f"bls12_381_{strength}"] = {
            "schema": "../schema.json", "op": "poseidon", "instance": poseidon.FACTS["name"], "strength": strength, "cases": book.found,
        }
    return made
