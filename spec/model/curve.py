"""Curves in affine coordinates: the chord and tangent law, the Edwards law, and the map between them.

A point is a pair of field elements; the identity of a Weierstrass curve is None, that of an Edwards curve is
(0, 1). The numbers come from spec/curves.
"""

import tomllib
from dataclasses import dataclass, field as attribute

import field
from field import SPEC, number
from tower import Tower


class Group:
    """What follows from add, neg and identity."""

    def mul(self, k, point):
        """k times a point, for any integer k, from the most significant bit on."""
        if k < 0:
            return self.mul(-k, self.neg(point))
        result = self.identity
        for bit in f"{k:b}":
            result = self.add(result, result)
            if bit == "1":
                result = self.add(result, point)
        return result

    def points(self):
        """All of them; for toys."""
        found = [point for x in self.field.elements() for point in self.with_x(x)]
        return found if self.identity in found else [self.identity, *found]


@dataclass(frozen=True)
class Weierstrass(Group):
    """y^2 = x^3 + b over any field."""

    field: object
    b: object
    identity = None

    def right_side(self, x):
        f = self.field
        return f.add(f.mul(x, f.mul(x, x)), self.b)

    def contains(self, point):
        return point is None or self.field.mul(point[1], point[1]) == self.right_side(point[0])

    def with_x(self, x):
        """The points with an x: none, one or two, the one with the smaller y first."""
        y = self.field.sqrt(self.right_side(x))
        if y is None:
            return []
        return sorted({(x, y), (x, self.field.neg(y))}, key=lambda point: self.field.sort_key(point[1]))

    def neg(self, point):
        return point and (point[0], self.field.neg(point[1]))

    def slope(self, p, q):
        """Of the line through two points, the tangent where they are equal; not for opposite points."""
        f = self.field
        if p == q:
            return f.mul(f.scale(3, f.mul(p[0], p[0])), f.inverse(f.scale(2, p[1])))
        return f.mul(f.sub(q[1], p[1]), f.inverse(f.sub(q[0], p[0])))

    def add(self, p, q):
        if p is None or q is None:
            return q if p is None else p
        if p == self.neg(q):
            return None
        f, slope = self.field, self.slope(p, q)
        x = f.sub(f.sub(f.mul(slope, slope), p[0]), q[0])
        return (x, f.sub(f.mul(slope, f.sub(p[0], x)), p[1]))


@dataclass(frozen=True)
class Edwards(Group):
    """a x^2 + y^2 = 1 + d x^2 y^2. Where d is a square, some sums lie at infinity: they raise ZeroDivisionError."""

    field: object
    a: object
    d: object

    @property
    def identity(self):
        return (self.field.zero, self.field.one)

    def contains(self, point):
        f = self.field
        xx, yy = f.mul(point[0], point[0]), f.mul(point[1], point[1])
        return f.add(f.mul(self.a, xx), yy) == f.add(f.one, f.mul(self.d, f.mul(xx, yy)))

    def with_x(self, x):
        return [(x, y) for y in self.field.elements() if self.contains((x, y))]

    def neg(self, point):
        return (self.field.neg(point[0]), point[1])

    def add(self, p, q):
        f = self.field
        (x1, y1), (x2, y2) = p, q
        t = f.mul(self.d, f.mul(f.mul(x1, x2), f.mul(y1, y2)))
        x = f.add(f.mul(x1, y2), f.mul(x2, y1))
        y = f.sub(f.mul(y1, y2), f.mul(self.a, f.mul(x1, x2)))
        return (f.mul(x, f.inverse(f.add(f.one, t))), f.mul(y, f.inverse(f.sub(f.one, t))))


@dataclass(frozen=True)
class EdwardsMap:
    """The map from y^2 = x^3 + b to Edwards form and back, as described by spec/curves/bls12_377.toml."""

    edwards: Edwards
    alpha: int
    s: int
    k: int

    def forth(self, point):
        """The image of a point, None where it lies at infinity."""
        f = self.edwards.field
        if point is None:
            return self.edwards.identity
        t = f.mul(self.s, f.sub(point[0], self.alpha))
        if t == f.zero:
            return (f.zero, f.neg(f.one))
        if point[1] == f.zero or f.add(t, f.one) == f.zero:
            return None
        x = f.mul(f.mul(self.k, t), f.inverse(f.mul(self.s, point[1])))
        return (x, f.mul(f.sub(t, f.one), f.inverse(f.add(t, f.one))))

    def back(self, point):
        f = self.edwards.field
        if point == self.edwards.identity:
            return None
        if point[0] == f.zero:
            return (self.alpha, f.zero)
        t = f.mul(f.add(f.one, point[1]), f.inverse(f.sub(f.one, point[1])))
        y = f.mul(f.mul(self.k, t), f.inverse(f.mul(self.s, point[0])))
        return (f.add(f.mul(t, f.inverse(self.s)), self.alpha), y)


@dataclass(frozen=True)
class Curve:
    """One file of spec/curves, its numbers turned into fields, groups and points."""

    name: str
    fp: field.PrimeField
    fr: field.PrimeField
    fact: dict = attribute(repr=False, hash=False)

    @property
    def r(self):
        return self.fr.p

    @property
    def tower(self):
        fact = self.fact["tower"]
        return Tower(self.fp, number(fact["fp2"]), [number(c) for c in fact["fp6"]])

    def group(self, which):
        """g1 or g2 as a whole curve; `in_subgroup` tests for the subgroup of order r."""
        return Weierstrass(self.field(which), self.element(which, self.fact[which]["b"]))

    def field(self, which):
        return self.tower.fp2 if which == "g2" else self.fp

    def element(self, which, fact):
        if which == "g2":
            return tuple(self.fp.from_integer(number(c)) for c in fact)
        return self.fp.from_integer(number(fact))

    def generator(self, which):
        return tuple(self.element(which, self.fact[which][axis]) for axis in "xy")

    def cofactor(self, which):
        return number(self.fact[which]["cofactor"])

    def in_subgroup(self, which, point):
        group = self.group(which)
        return group.contains(point) and group.mul(self.r, point) is None

    @property
    def groups(self):
        return [which for which in ("g1", "g2") if which in self.fact]

    @property
    def endomorphism(self):
        """(beta, lambda): lambda (x, y) = (beta x, y) in g1."""
        return number(self.fact["endomorphism"]["beta"]), number(self.fact["endomorphism"]["lambda"])

    @property
    def edwards_map(self):
        fact = {key: self.fp.from_integer(number(value)) for key, value in self.fact["edwards"].items()}
        return EdwardsMap(Edwards(self.fp, fact["a"], fact["d"]), fact["alpha"], fact["s"], fact["k"])

    @property
    def twisted_edwards(self):
        """(curve, generator) of a curve that has no other form."""
        fact = {key: self.fp.from_integer(number(value)) for key, value in self.fact["twisted_edwards"].items()}
        return Edwards(self.fp, fact["a"], fact["d"]), (fact["x"], fact["y"])

    @property
    def is_m_twist(self):
        """Is g2's b that of g1 times xi (M), rather than divided by xi (D)?"""
        fp2 = self.tower.fp2
        b, twisted = fp2.embed(self.group("g1").b), self.group("g2").b
        if twisted == fp2.mul(b, self.tower.xi):
            return True
        if fp2.mul(twisted, self.tower.xi) == b:
            return False
        raise ValueError(f"{self.name}: g2 is no twist of g1 by xi")


def load(name):
    """The curve of spec/curves/<name>.toml."""
    fact = tomllib.loads((SPEC / f"curves/{name}.toml").read_text())
    return Curve(fact["name"], field.load(fact["base_field"]), field.load(fact["scalar_field"]), fact)


def names():
    """Names of the curves y^2 = x^3 + b over a prime field, some with a twist."""
    return [name for name in all_names() if "g1" in load(name).fact]


def twist_names():
    """Names of the files with a twist alone."""
    return [name for name in all_names() if load(name).groups == ["g2"]]


def edwards_names():
    """Names of the curves that have a twisted Edwards form and no other."""
    return [name for name in all_names() if "twisted_edwards" in load(name).fact]


def all_names():
    return sorted(path.stem for path in (SPEC / "curves").glob("*.toml"))
