"""Vectors of the formulas: inputs and outputs, coordinate for coordinate, on every curve with the required constants.

Points are those of the curve, so a function that computes the same by other lines passes too wherever its outputs
are the same polynomials. For exceptional inputs of incomplete formulas, the vectors have the outputs of the program.
An element is a number, or the list of its coefficients, lowest first; constants are those of the curve.
"""

import curve
import formula
from cases import Cases, painted, text

TOWER_CASES = 2
#: Pairs of multiples of the generator; 0 is the identity.
PAIRS = {"identities": (0, 0), "identityFirst": (0, 1), "identitySecond": (1, 0), "equal": (3, 3), "opposite": (3, -3), "different": (2, 4), "negative": (-2, 3)}
WITH_IDENTITY = ("identities", "identitySecond")


def homogeneous(f, point, z):
    return (f.zero, z, f.zero) if point is None else (f.mul(point[0], z), f.mul(point[1], z), z)


def xyzz(f, point, z):
    z2 = f.mul(z, z)
    z3 = f.mul(z, z2)
    return (z2, z3, f.zero, f.zero) if point is None else (f.mul(point[0], z2), f.mul(point[1], z3), z2, z3)


def jacobian(f, point, z):
    x, y, zz, _ = xyzz(f, point, z)
    return (x, y, f.zero if zz == f.zero else z)


def lazy(f, point, z):
    """Jacobian coordinates, the first two as differences: X = XA - 2 XB, Y = YA - YB."""
    (x, y, z), xb, yb = jacobian(f, point, z), f.mul(z, z), f.add(z, z)
    return (f.add(x, f.scale(2, xb)), xb, f.add(y, yb), yb, z)


def extended(f, point, z):
    x, y = point
    return (f.mul(x, z), f.mul(y, z), z, f.mul(f.mul(x, y), z))


FAMILIES = {"rcb": homogeneous, "jacobian": jacobian, "xyzz": xyzz, "hwcd": extended, "lazy": lazy}


def kind(name):
    """The tag of a formula's cases."""
    return "tower" if name.startswith("fp") else "line" if name.startswith("line") else "point"


class Book(Cases):
    """The cases of one curve."""

    def __init__(self, facts):
        super().__init__(facts.name)
        self.facts = facts

    def record(self, name, ring_name, id, comment, inputs, constants=None):
        """Evaluates a formula in a ring of the curve (fp, fp2, fp6) for inputs in the formula's order."""
        program = formula.load(name)
        ring = self.facts.fp if ring_name == "fp" else getattr(self.facts.tower, ring_name)
        bound = {key: value for key, value in (constants or {}).items() if key in program.constants}
        outputs = program.evaluate(ring, dict(zip(program.inputs, inputs, strict=True)), bound)
        self.add(f"{name.replace('_', '-')}-{ring_name}-{id}", comment, kind(name), formula=name,
                 ring=ring_name, constants={key: text(value) for key, value in bound.items()},
                 inputs=[text(value) for value in inputs], outputs=[text(value) for value in outputs])


def points(book, which):
    """Additions and doublings of g1 or g2 in every kind of coordinates."""
    facts = book.facts
    group, g, ring = facts.group(which), facts.generator(which), "fp2" if which == "g2" else "fp"
    f = group.field
    constants = {"b3": f.scale(3, group.b)}
    for id, (a, b) in PAIRS.items():
        p, q = group.mul(a, g), group.mul(b, g)
        for family in ("rcb", "jacobian", "xyzz"):
            z1, z2 = (painted(f, f"{facts.name} {which} {family} {id} z{i}") for i in (1, 2))
            coordinates = FAMILIES[family]
            book.record(f"{family}_add", ring, id, f"{which}: {a} g and {b} g", coordinates(f, p, z1) + coordinates(f, q, z2), constants)
            if family == "rcb":
                with_bit = homogeneous(f, q, f.one)
                book.record("rcb_madd_z01", ring, id, f"{which}: {a} g and {b} g", coordinates(f, p, z1) + with_bit, constants)
            if id not in WITH_IDENTITY:
                book.record(f"{family}_madd", ring, id, f"{which}: {a} g and {b} g", coordinates(f, p, z1) + q, constants)
                book.record(f"{family}_dbl", ring, id, f"{which}: {a} g", coordinates(f, p, z1), constants)
                if (facts.name, which, family) == ("bls12_381", "g1", "rcb"):
                    x, y, z = coordinates(f, p, z1)
                    root = pow(-3, (f.p + 1) // 4, f.p)
                    book.record("rcb_dbl_scaled", ring, id, f"{which}: {a} g", (x, y, f.scale(6, z), f.mul(f.scale(12, z), f.inverse(root))))
        if id not in WITH_IDENTITY:
            z = painted(f, f"{facts.name} {which} coz {id} z")
            book.record("coz_zaddu", ring, id, f"{which}: {a} g and {b} g", jacobian(f, p, z)[:2] + jacobian(f, q, z)[:2])
            book.record("coz_dblu", ring, id, f"{which}: {b} g", q)
            book.record("lazy_madd", ring, id, f"{which}: {a} g and {b} g", lazy(f, p, z) + q)
            book.record("lazy_dbl", ring, id, f"{which}: {a} g", lazy(f, p, z))
        if id in ("different", "negative"):
            book.record("affine_add", ring, id, f"{which}: {a} g and {b} g", p + q + (f.inverse(f.sub(q[0], p[0])),))
            book.record("affine_dbl", ring, id, f"{which}: {a} g", p + (f.inverse(f.scale(2, p[1])),))
            chord = (f.inverse(f.sub(q[0], p[0])), f.mul(p[0], p[0]), f.zero)
            tangent = (f.inverse(f.scale(2, p[1])), f.mul(p[0], p[0]), f.one)
            book.record("affine_sum", ring, id, f"{which}: {a} g and {b} g", p + q + chord)
            book.record("affine_sum", ring, f"{id}Double", f"{which}: {a} g and {a} g", p + p + tangent)


def edwards(book):
    facts = book.facts
    made, f, g = facts.edwards_map, facts.fp, facts.generator("g1")
    group, k = facts.group("g1"), f.scale(2, facts.edwards_map.edwards.d)
    for id, (a, b) in PAIRS.items():
        p, q = made.forth(group.mul(a, g)), made.forth(group.mul(b, g))
        z1, z2 = (painted(f, f"{facts.name} hwcd {id} z{i}") for i in (1, 2))
        precomputed = (f.sub(q[1], q[0]), f.add(q[1], q[0]), f.mul(k, f.mul(q[0], q[1])))
        book.record("hwcd_add", "fp", id, f"{a} g and {b} g", extended(f, p, z1) + extended(f, q, z2), {"k": k})
        book.record("hwcd_madd_precomputed", "fp", id, f"{a} g and {b} g", extended(f, p, z1) + precomputed)
        book.record("hwcd_dbl", "fp", id, f"{a} g", extended(f, p, z1)[:3])


def lines(book):
    """Steps of the ate pairing; on the toy they are taken as polynomials, with no curve behind."""
    facts, f = book.facts, book.facts.tower.fp2
    if "g2" in facts.groups:
        group, g = facts.group("g2"), facts.generator("g2")
        b, pairs = group.b, [(group.mul(k, g), group.mul(k + 1, g)) for k in (1, 2, 7)]
    else:
        b, pairs = f.scale(5, facts.tower.xi), [((painted(f, f"line {i} x"), painted(f, f"line {i} y")), (f.root, f.one)) for i in range(3)]
    for i, (p, q) in enumerate(pairs):
        z = painted(f, f"{facts.name} line {i} z")
        book.record("line_dbl", "fp2", str(i), "a tangent", homogeneous(f, p, z), {"b3": f.scale(3, b)})
        book.record("line_add", "fp2", str(i), "a chord", homogeneous(f, p, z) + q)
        book.record("line_dbl_jacobian", "fp2", str(i), "a tangent", jacobian(f, p, z))
        book.record("line_add_jacobian", "fp2", str(i), "a chord", jacobian(f, p, z) + q)


def tower(book):
    """Every formula that computes in the tower, on painted elements, zeros and ones."""
    facts = book.facts
    made = facts.tower
    constants = {"beta": made.beta, "xi": made.xi, "v": made.fp6.root, "k0": made.xi[0], "k1": made.xi[1]}
    for name in formula.names():
        if not name.startswith("fp") or (name == "fp2_sqr_i" and made.beta != facts.fp.neg(1)):
            continue
        program = formula.load(name)
        ring_name = program.over or "fp"
        ring = facts.fp if ring_name == "fp" else getattr(made, ring_name)
        for i in range(TOWER_CASES):
            inputs = [painted(ring, f"{facts.name} {name} {i} {letter}") for letter in program.inputs]
            book.record(name, ring_name, f"painted{i}", "painted elements", inputs, constants)
        book.record(name, ring_name, "zeros", "all zero", [ring.zero] * len(program.inputs), constants)
        book.record(name, ring_name, "largest", "all coefficients p - 1", [largest(ring)] * len(program.inputs), constants)


def largest(ring):
    return ring.p - 1 if hasattr(ring, "p") else (largest(ring.base),) * ring.degree


def contents():
    """Name -> content of spec/vectors/formula/<name>.json."""
    made = {}
    for name in curve.names():
        facts = curve.load(name)
        book = Book(facts)
        for which in facts.groups:
            points(book, which)
        if "edwards" in facts.fact:
            edwards(book)
        if "tower" in facts.fact:
            tower(book)
            lines(book)
        made[name] = {"schema": "../schema.json", "op": "formula", "curve": name, "cases": book.found}
    return made
