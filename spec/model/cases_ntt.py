"""Vectors of the transform: small ones by definition over each field, in both directions, on and off cosets, and with another root."""

import ntt
from cases import Cases, painted_number, text

FIELDS = ("goldilocks", "bn254_fr", "bls12_381_fr")
#: Logarithms of sizes: all that the definition makes quickly, among them the least of a card.
LOGS = (0, 1, 2, 3, 6)


class Book(Cases):
    """The cases of a field."""

    def __init__(self, name):
        super().__init__(f"ntt {name}")
        self.field = ntt.field(name)

    def case(self, id, comment, tags, elements, inverse=False, coset=None, root=None):
        w = self.field.root(ntt.log_of(elements)) if root is None else root
        found = ntt.transform(self.field, elements, inverse, coset or 1, w)
        values, coefficients = (elements, found) if inverse else (found, elements)
        if ntt.definition(self.field, ntt.scaled(self.field, coefficients, coset or 1), w) != values:
            raise ValueError(f"{self.where}: {id}: not the definition")
        self.add(id, comment, tags, direction="inverse" if inverse else "forward", root=text(root), coset=text(coset),
                 elements=[text(x) for x in elements], result=[text(x) for x in found])

    def cases(self):
        p = self.field.p

        def paint(label, log):
            return [painted_number(p, f"{self.where} {label} {i}") for i in range(1 << log)]
        for log in LOGS:
            shift = 1 + painted_number(p - 1, f"{self.where} shift {log}")
            for inverse in (False, True):
                name = "inverse" if inverse else "forward"
                self.case(f"{log}-{name}", f"2^{log} elements of all bits", "value", paint(f"{log} {name}", log), inverse)
                self.case(f"{log}-{name}-coset", "the same on a coset", "coset", paint(f"{log} {name} coset", log), inverse, shift)
        log, size = LOGS[-1], 1 << LOGS[-1]
        self.case("zeros", "all 0", "edge", [0] * size)
        self.case("largest", "all p - 1", "edge", [p - 1] * size)
        self.case("first", "a single 1, at the beginning", "edge", [1] + [0] * (size - 1))
        self.case("last", "a single 1, at the end", "edge", [0] * (size - 1) + [1])
        self.case("shift-largest", "the shift is p - 1", "edge", paint("largest shift", log), coset=p - 1)
        self.case("other-root", "the cube of the standard root", "root", paint("root", log), root=pow(self.field.root(log), 3, p))


def contents():
    """Name -> content of spec/vectors/ntt/<field>.json."""
    made = {}
    for name in FIELDS:
        book = Book(name)
        book.cases()
        made[name] = {"schema": "../schema.json", "op": "ntt", "field": name, "cases": book.found}
    return made
