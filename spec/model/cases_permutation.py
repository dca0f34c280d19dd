"""Vectors of circomlib's Poseidon and of Poseidon2: digests by arity, edges of the field, and published values.

The published ones are digests of circomlib's tests and of its ports to other languages, and permuted states of Poseidon2's authors and, for four
elements of BN254, of barretenberg.
"""

import json

import permutation
import published
from cases import Cases, painted, text


class Book(Cases):
    """The cases of an instance: preimages and what comes out, both as lists."""

    def __init__(self, name, arities, make, answer):
        super().__init__(name)
        self.arities, self.make, self.answer = arities, make, answer
        found = json.loads((published.FOLDER / "permutation.json").read_text())[name]
        self.published = [(preimage, [wanted] if isinstance(wanted, str) else wanted) for preimage, wanted in found]

    def case(self, it, arity, id, comment, tags, preimage):
        digest = self.answer(it, preimage)
        self.add(f"{arity}-{id}", comment, tags, arity=arity, preimage=[text(x) for x in preimage], digest=[text(x) for x in digest])
        return digest

    def cases(self):
        for arity in self.arities:
            it = self.make(arity)
            for number, (preimage, wanted) in enumerate((p, w) for p, w in self.published if len(p) == arity):
                if self.case(it, arity, f"published-{number}", "published", "published", preimage) != [int(x, 16) for x in wanted]:
                    raise ValueError(f"{self.where}: {preimage}: not what is published")
            self.case(it, arity, "painted", "elements of all bits", "value", [painted(it.field, f"{self.where} {arity} {i}") for i in range(arity)])
            self.case(it, arity, "zeros", "all 0", "edge", [0] * arity)
            self.case(it, arity, "largest", "all p - 1", "edge", [it.p - 1] * arity)
        return self.found


def books():
    yield "circom", Book("poseidon_circom", permutation.arities(), permutation.circom, lambda it, preimage: [it.hash(preimage)])
    for name in ("poseidon2_bn254", "poseidon2_goldilocks"):
        yield name, Book(name, permutation.widths(name), lambda width, name=name: permutation.poseidon2(name, width),
                         lambda it, state: it.permutation(state))


def contents():
    """Name -> content of spec/vectors/permutation/<instance>.json."""
    return {
        name: {"schema": "../schema.json", "op": "permutation", "instance": book.where, "cases": book.cases()}
        for name, book in books()
    }
