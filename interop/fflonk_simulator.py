"""Proofs of FFLONK for a key whose secret tau is known: any values become a valid proof, written from the papers (ePrint 2021/1167, section 7; the
batched opening of ePrint 2020/081, section 4).

Each commitment is a known multiple of the generator. W2 is the quotient that satisfies the verifier's equation:

    W2 = (C0 - R0(y) + f1 (C1 - R1(y)) + f2 (C2 - R2(y)) - Z0(y) W1) / (tau - y)

R_i(y) is interpolated by Lagrange polynomials from the values of C_i at roots of zeta and zeta omega, and `inv` inverts every denominator on the way.
Values are hashed as they are written, so a value plus r, or a coordinate plus p, gives a proof that is valid except for this encoding.
"""

import random

from plonk_simulator import BN254, K1, K2, LOG, OMEGA, PUBLIC, R, TAU, hashed, multiple

POINTS = ("C1", "C2", "W1", "W2")
EVALUATIONS = ("ql", "qr", "qm", "qo", "qc", "s1", "s2", "s3", "a", "b", "c", "z", "zw", "t1w", "t2w", "inv")


def root(order):
    """A primitive root of unity; 5 is the least non-residue modulo r."""
    return pow(5, (R - 1) // order, R)


#: A third root of omega, n being a power of two: omega^(1/3 modulo n).
OMEGA_3 = pow(OMEGA, pow(3, -1, 1 << LOG), R)


def roots(first, order):
    return [first * pow(root(order), i, R) % R for i in range(order)]


class Denominators:
    """The product of the denominators by which a verifier divides."""

    def __init__(self):
        self.product = 1

    def inverse(self, value):
        self.product = self.product * value % R
        return pow(value, -1, R)

    def interpolated(self, values, vanishing_factor, y):
        """The value at y of the polynomial with these values. `vanishing_factor` is the product of x_i - x_j by x_i."""
        vanishing = 1
        for x in values:
            vanishing = vanishing * (y - x) % R
        return sum(value * vanishing * self.inverse(vanishing_factor(x) * (y - x) % R) for x, value in values.items()) % R


class Simulator:
    """A key, and what its proofs begin with: factors of the generator."""

    def __init__(self, seed):
        source = random.Random(seed)
        self.c0 = source.randrange(R)
        self.points = {name: source.randrange(R) for name in POINTS[:3]}
        self.evaluations = [source.randrange(R) for _ in EVALUATIONS[:-1]]
        self.public_inputs = [source.randrange(R) for _ in range(PUBLIC)]

    def verifying_key(self):
        """The content of verification_key.json."""
        x_2 = BN254.group("g2").mul(TAU, BN254.generator("g2"))
        return {
            "protocol": "fflonk", "curve": "bn128", "nPublic": PUBLIC, "power": LOG, "k1": str(K1), "k2": str(K2), "w": str(OMEGA),
            "w3": str(pow(root(3), 2, R)), "w4": str(root(4)), "w8": str(root(8)), "wr": str(OMEGA_3),
            "X_2": [*([str(part) for part in coordinate] for coordinate in x_2), ["1", "0"]], "C0": [*map(str, multiple(self.c0)), "1"],
        }

    def words(self, points=None, evaluations=None, public_inputs=None, added=None, scale=1):
        """The arguments of a call. `added` is what is added to words, by their place among the arguments: before they are hashed for points.
        With a `scale`, `inv` is a multiple of the inverse, and W2 is valid for a verifier that takes its inverses from `inv` unchecked."""
        added = added or {}
        c_1, c_2, w_1 = (points or self.points).values()
        raw, inputs = evaluations or self.evaluations, public_inputs or self.public_inputs
        ql, qr, qm, qo, qc, s1, s2, s3, a, b, c, z, zw, t1w, t2w = raw

        def coordinates(at, factor):
            return [coordinate + added.get(2 * at + i, 0) for i, coordinate in enumerate(multiple(factor))]

        c1, c2, w1 = (coordinates(at, factor) for at, factor in enumerate((c_1, c_2, w_1)))
        beta = hashed(*multiple(self.c0), *inputs, *c1)
        gamma = hashed(beta)
        seed = hashed(gamma, *c2)
        zeta = pow(seed, 24, R)
        alpha = hashed(seed, *raw)
        y = hashed(alpha, *w1)

        divided, n = Denominators(), 1 << LOG
        by_vanishing = scale * divided.inverse(pow(zeta, n, R) - 1)
        by_lagrange = [scale * pow(OMEGA, i, R) * divided.inverse(n * (zeta - pow(OMEGA, i, R)) % R) for i in range(PUBLIC)]
        t0 = (ql * a + qr * b + qm * a * b + qo * c + qc) * by_vanishing - sum(x * l for x, l in zip(inputs, by_lagrange))
        t1 = (z - 1) * by_lagrange[0]
        t2 = (a + beta * zeta + gamma) * (b + beta * K1 * zeta + gamma) * (c + beta * K2 * zeta + gamma) * z
        t2 = (t2 - (a + beta * s1 + gamma) * (b + beta * s2 + gamma) * (c + beta * s3 + gamma) * zw) * by_vanishing

        def combined(values, x):
            return sum(value * pow(x, i, R) for i, value in enumerate(values)) % R

        def at_roots(values, first):
            return {x: combined(values, x) for x in roots(first, len(values))}

        h8, h4, h3, g3 = (pow(seed, 3, R), pow(seed, 6, R), pow(seed, 8, R), pow(seed, 8, R) * OMEGA_3 % R)
        r0 = divided.interpolated(at_roots((ql, qr, qo, qm, qc, s1, s2, s3), h8), lambda x: 8 * pow(x, 7, R), y)
        r1 = divided.interpolated(at_roots((a, b, c, t0), h4), lambda x: 4 * pow(x, 3, R), y)
        values = at_roots((z, t1, t2), h3) | at_roots((zw, t1w, t2w), g3)
        other = {pow(h3, 3, R): pow(g3, 3, R), pow(g3, 3, R): pow(h3, 3, R)}
        r2 = divided.interpolated(values, lambda x: 3 * x * x * (pow(x, 3, R) - other[pow(x, 3, R)]), y)
        at_zeta = combined((z, t1, t2), y)
        r2 = at_zeta + scale * (r2 - at_zeta)

        z_0, z_1, z_2 = pow(y, 8, R) - zeta, pow(y, 4, R) - zeta, (pow(y, 3, R) - zeta) * (pow(y, 3, R) - zeta * OMEGA)
        f_1, f_2 = scale * alpha * z_0 * divided.inverse(z_1), scale * alpha**2 * z_0 * divided.inverse(z_2)
        w_2 = (self.c0 - r0 + f_1 * (c_1 - r1) + f_2 * (c_2 - r2) - z_0 * w_1) * pow(TAU - y, -1, R) % R
        inverse = scale * pow(divided.product, -1, R) % R + added.get(23, 0)
        return [*c1, *c2, *w1, *coordinates(3, w_2), *raw, inverse, *inputs]


def proof(words):
    """The contents of proof.json and public.json for these arguments."""
    def point(at):
        x, y = words[at:at + 2]
        return ["0", "1", "0"] if (x, y) == (0, 0) else [str(x), str(y), "1"]

    points = {name: point(2 * at) for at, name in enumerate(POINTS)}
    evaluations = {name: str(words[8 + at]) for at, name in enumerate(EVALUATIONS)}
    return {"polynomials": points, "evaluations": evaluations, "protocol": "fflonk", "curve": "bn128"}, [str(value) for value in words[24:]]
