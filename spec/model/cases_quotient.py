"""Vectors of the quotient: lists of values and what is left of a b - c on a coset, checked against polynomials that are multiplied out."""

import ntt
from cases import Cases, painted_number, text

FIELDS = ("goldilocks", "bn254_fr", "bls12_381_fr")
#: Logarithms of sizes. A card has some of them.
LOGS = (1, 2, 3, 6)


def at(field, coefficients, x):
    """The value of a polynomial."""
    value = 0
    for coefficient in reversed(coefficients):
        value = (value * x + coefficient) % field.p
    return value


class Book(Cases):
    """The cases of a field."""

    def __init__(self, name):
        super().__init__(f"quotient {name}")
        self.field = ntt.field(name)

    def case(self, id, comment, tags, lists, coset, root=None):
        field, log = self.field, ntt.log_of(lists[0])
        w = field.root(log) if root is None else root
        found = ntt.quotient(field, *lists, coset, w)
        polynomials = [ntt.transform(field, values, True, root=w) for values in lists]
        places = [coset * pow(w, i, field.p) % field.p for i in range(1 << log)]
        values = ([at(field, polynomial, x) for polynomial in polynomials] for x in places)
        if found != [(a * b - c) % field.p for a, b, c in values]:
            raise ValueError(f"{self.where}: {id}: not what the polynomials have there")
        self.add(id, comment, tags, root=text(root), coset=text(coset), lists=[[text(x) for x in values] for values in lists],
                 result=[text(x) for x in found])

    def cases(self):
        p = self.field.p

        def paint(label, log):
            return [[painted_number(p, f"{self.where} {label} {name} {i}") for i in range(1 << log)] for name in "abc"]
        for log in LOGS:
            shift = 2 + painted_number(p - 2, f"{self.where} shift {log}")
            lists = paint(log, log)
            self.case(f"{log}-any", f"2^{log} elements of all bits", "value", lists, shift)
            a, b, _ = lists
            satisfied = [a, b, [x * y % p for x, y in zip(a, b)]]
            self.case(f"{log}-satisfied", "c is a b, as in a witness that satisfies all constraints", "value", satisfied, shift)
        log, size = LOGS[-1], 1 << LOGS[-1]
        self.case("zeros", "all 0", "edge", [[0] * size] * 3, 7)
        self.case("largest", "all p - 1", "edge", [[p - 1] * size] * 3, 7)
        self.case("shift-1", "on the powers of the root themselves", "edge", paint("shift 1", log), 1)
        self.case("shift-largest", "the shift is p - 1", "edge", paint("largest shift", log), p - 1)
        self.case("other-root", "the cube of the standard root", "root", paint("root", log), 7, root=pow(self.field.root(log), 3, p))


def contents():
    """Name -> content of spec/vectors/quotient/<field>.json."""
    made = {}
    for name in FIELDS:
        book = Book(name)
        book.cases()
        made[name] = {"schema": "../schema.json", "op": "quotient", "field": name, "cases": book.found}
    return made
