"""Many cases at once: the ring of columns over a prime field, in which a formula is evaluated for all of a toy's points."""


class Columns:
    """Lists of one length, every place for itself."""

    def __init__(self, field, length):
        self.p, self.length = field.p, length

    def constant(self, value):
        return [value] * self.length

    def add(self, a, b):
        return [(x + y) % self.p for x, y in zip(a, b)]

    def sub(self, a, b):
        return [(x - y) % self.p for x, y in zip(a, b)]

    def mul(self, a, b):
        return [x * y % self.p for x, y in zip(a, b)]

    def neg(self, a):
        return [-x % self.p for x in a]

    def scale(self, k, a):
        return [k * x % self.p for x in a]


def evaluate(field, formula, cases, constants=None):
    """The outputs of a formula for many cases, each a tuple of inputs in the formula's order."""
    ring = Columns(field, len(cases))
    values = dict(zip(formula.inputs, map(list, zip(*cases))))
    bound = {name: ring.constant(value) for name, value in (constants or {}).items()}
    return list(zip(*formula.evaluate(ring, values, bound)))
