"""Optimal ate pairings by definition: lines through points over Fp12, and one plain power.

    e(P, Q) = f^(k (p^12 - 1) / r)

f is the product of the lines that the multiples of Q meet on the way to z Q (BLS curves) or (6 u + 2) Q, psi(Q) and -psi^2(Q) (BN curves), each at
P (Vercauteren, ePrint 2008/096). k = 3 for BLS curves and 2 u (6 u^2 + 3 u + 1) for BN curves is what the fast final exponentiations give (Hayashida,
Hayasaka, Teruya, ePrint 2020/875; Fuentes-Castaneda, Knapp, Rodriguez-Henriquez, SAC 2011). Points are affine, None is the identity.
"""

import curve
from curve import Weierstrass, number


class Pairing:
    def __init__(self, name):
        self.facts = curve.load(name)
        self.fp12, self.p = self.facts.tower.fp12, self.facts.fp.p
        self.over_fp12 = Weierstrass(self.fp12, self.embedded(self.facts.group("g1").b))

    @property
    def parameter(self):
        (value,) = self.facts.fact["parameter"].values()
        return number(value)

    @property
    def is_bn(self):
        return "u" in self.facts.fact["parameter"]

    def embedded(self, a):
        """An element of Fp or of Fp2 in Fp12."""
        tower = self.facts.tower
        a = a if isinstance(a, tuple) else tower.fp2.embed(a)
        return tower.fp12.embed(tower.fp6.embed(a))

    def untwisted(self, q):
        """Returns the point over Fp12 of a point of g2: (x, y) times (w^2, w^3), or divided by them on an M-twist."""
        f = self.fp12
        w = f.inverse(f.root) if self.facts.is_m_twist else f.root
        w2 = f.mul(w, w)
        return (f.mul(self.embedded(q[0]), w2), f.mul(self.embedded(q[1]), f.mul(w2, w)))

    def frobenius(self, q):
        return tuple(self.fp12.power(coordinate, self.p) for coordinate in q)

    def line(self, t, q, p):
        """The line through T and Q, the tangent where they are equal, at P."""
        f = self.fp12
        slope = self.over_fp12.slope(t, q)
        return f.sub(f.sub(p[1], t[1]), f.mul(slope, f.sub(p[0], t[0])))

    def miller(self, p, q):
        """The product of the lines."""
        f12, group = self.fp12, self.over_fp12
        p, q = tuple(self.embedded(c) for c in p), self.untwisted(q)
        n = 6 * self.parameter + 2 if self.is_bn else self.parameter
        f, t = f12.one, q
        for bit in f"{abs(n):b}"[1:]:
            f, t = f12.mul(f12.mul(f, f), self.line(t, t, p)), group.add(t, t)
            if bit == "1":
                f, t = f12.mul(f, self.line(t, q, p)), group.add(t, q)
        if n < 0:
            f = self.facts.tower.conjugate(f)
        if self.is_bn:
            once = self.frobenius(q)
            for q in (once, group.neg(self.frobenius(once))):
                f, t = f12.mul(f, self.line(t, q, p)), group.add(t, q)
        return f

    @property
    def exponent(self):
        u = self.parameter
        k = 2 * u * (6 * u * u + 3 * u + 1) if self.is_bn else 3
        return k * (self.p**12 - 1) // self.facts.r

    def __call__(self, p, q):
        """e(P, Q)."""
        if p is None or q is None:
            return self.fp12.one
        return self.fp12.power(self.miller(p, q), self.exponent)
