"""Extensions F[X]/(X^n - c) by the schoolbook, over any field: Fp2, Fp6 and Fp12 are made of them.

An element is the tuple of its coefficients, the constant one first, so Fp12 = ((a0, a1, a2), (a3, a4, a5)) with
pairs of integers inside. The formulas of spec/formulas are held to this, never the other way round.
"""

import itertools

from field import FiniteField


class Extension(FiniteField):
    def __init__(self, base, degree, nonresidue):
        self.base, self.degree, self.nonresidue = base, degree, nonresidue
        self.order = base.order**degree
        self.zero = (base.zero,) * degree
        self.one = self.embed(base.one)

    def embed(self, a):
        """The element of the field below as one of this field."""
        return (a,) + (self.base.zero,) * (self.degree - 1)

    @property
    def root(self):
        """X: u, v or w."""
        return (self.base.zero, self.base.one) + (self.base.zero,) * (self.degree - 2)

    def from_integer(self, k):
        return self.embed(self.base.from_integer(k))

    def elements(self):
        """All of them; for toys."""
        return [reversed_element[::-1] for reversed_element in itertools.product(self.base.elements(), repeat=self.degree)]

    def candidates(self):
        """X, X + 1, X + 2 …; the elements of the field below would all be squares where the degree is even."""
        return (self.add(self.root, self.from_integer(k)) for k in itertools.count())

    def sort_key(self, a):
        """The last coefficient counts first, as in the encodings of BLS12-381."""
        return [self.base.sort_key(part) for part in reversed(a)]

    def add(self, a, b):
        return tuple(self.base.add(x, y) for x, y in zip(a, b, strict=True))

    def neg(self, a):
        return tuple(self.base.neg(x) for x in a)

    def mul(self, a, b):
        base, product = self.base, list(self.zero)
        for (i, x), (j, y) in itertools.product(enumerate(a), enumerate(b)):
            term = base.mul(x, y)
            if i + j >= self.degree:
                term = base.mul(self.nonresidue, term)
            place = (i + j) % self.degree
            product[place] = base.add(product[place], term)
        return tuple(product)

    def inverse(self, a):
        """1 / a: the product of the other conjugates, divided by the norm."""
        others = self.other_conjugates(a)
        norm = self.mul(a, others)[0]
        return self.mul(others, self.embed(self.base.inverse(norm)))

    def other_conjugates(self, a):
        """With z a root of unity of order n below, the product of all a(z^i X) but a itself; -1 serves for n = 2."""
        if self.degree == 2:
            return (a[0], self.base.neg(a[1]))
        f, (a0, a1, a2) = self.base, a
        return (
            f.sub(f.mul(a0, a0), f.mul(self.nonresidue, f.mul(a1, a2))),
            f.sub(f.mul(self.nonresidue, f.mul(a2, a2)), f.mul(a0, a1)),
            f.sub(f.mul(a1, a1), f.mul(a0, a2)),
        )


class Tower:
    """Fp2, Fp6 and Fp12 over a prime field: u^2 = beta, v^3 = xi, w^2 = v."""

    def __init__(self, fp, beta, xi):
        self.fp = fp
        self.fp2 = Extension(fp, 2, fp.from_integer(beta))
        self.fp6 = Extension(self.fp2, 3, tuple(fp.from_integer(c) for c in xi))
        self.fp12 = Extension(self.fp6, 2, self.fp6.root)

    @property
    def beta(self):
        return self.fp2.nonresidue

    @property
    def xi(self):
        return self.fp6.nonresidue

    def conjugate(self, a):
        """a^(p^6) in Fp12."""
        return (a[0], self.fp6.neg(a[1]))
