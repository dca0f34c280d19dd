"""Proofs of PLONK for a key whose secret tau is known: any values become a valid proof, written from the paper (ePrint 2019/953, section 8.3).

Each commitment is a known multiple of the generator. The opening proofs are the quotients that satisfy the verifier's equation:

    W = (F - E) / (tau - zeta)        WW = (z - zw) / (tau - zeta omega)

F and E are those of the verifier without u. Values are hashed as they are written, so a value plus r, or a coordinate plus p, gives a proof that is
valid except for this encoding.
"""

import functools
import random
import sys

from programs import ROOT

sys.path.insert(0, str(ROOT / "spec/model"))

import curve  # noqa: E402
from keccak256 import keccak256  # noqa: E402

BN254 = curve.load("bn254")
R = BN254.r
LOG, PUBLIC, TAU, K1, K2 = 3, 2, 7, 2, 3
#: 5 is the least non-residue modulo r.
OMEGA = pow(5, (R - 1) >> LOG, R)
KEY, POINTS = ("Qm", "Ql", "Qr", "Qo", "Qc", "S1", "S2", "S3"), ("A", "B", "C", "Z", "T1", "T2", "T3")


@functools.cache
def multiple(factor):
    """x and y of a multiple of the generator, zeros for the identity."""
    return BN254.group("g1").mul(factor, BN254.generator("g1")) or (0, 0)


def hashed(*words):
    return int.from_bytes(keccak256(b"".join(word.to_bytes(32, "big") for word in words)), "big") % R


class Simulator:
    """A key, and what its proofs begin with: factors of the generator."""

    def __init__(self, seed):
        source = random.Random(seed)
        self.key = {name: source.randrange(R) for name in KEY}
        self.points = {name: source.randrange(R) for name in POINTS}
        self.evaluations = [source.randrange(R) for _ in range(6)]
        self.public_inputs = [source.randrange(R) for _ in range(PUBLIC)]

    def verifying_key(self):
        """The content of verification_key.json."""
        x_2 = BN254.group("g2").mul(TAU, BN254.generator("g2"))
        return {
            "protocol": "plonk", "curve": "bn128", "nPublic": PUBLIC, "power": LOG, "k1": str(K1), "k2": str(K2),
            **{name: [*map(str, multiple(factor)), "1"] for name, factor in self.key.items()},
            "X_2": [*([str(part) for part in coordinate] for coordinate in x_2), ["1", "0"]], "w": str(OMEGA),
        }

    def words(self, points=None, evaluations=None, public_inputs=None, added=None):
        """The arguments of a call. `added` is a number for words of points: what is added to a word, by its place among the arguments."""
        q_m, q_l, q_r, q_o, q_c, s_1, s_2, s_3 = self.key.values()
        factors = [*(points or self.points).values()]
        a_1, b_1, c_1, z_1, t_1, t_2, t_3 = factors
        raw, inputs = evaluations or self.evaluations, public_inputs or self.public_inputs
        a, b, c, s1, s2, zw = raw

        def coordinates(at, factor):
            return [coordinate + (added or {}).get(2 * at + i, 0) for i, coordinate in enumerate(multiple(factor))]

        commitments = [coordinates(at, factor) for at, factor in enumerate(factors)]
        key = [coordinate for factor in self.key.values() for coordinate in multiple(factor)]
        beta = hashed(*key, *inputs, *sum(commitments[:3], []))
        gamma = hashed(beta)
        alpha = hashed(beta, gamma, *commitments[3])
        zeta = hashed(alpha, *sum(commitments[4:], []))
        v = hashed(zeta, *raw)

        n = 1 << LOG
        vanishing = pow(zeta, n, R) - 1
        lagrange = [pow(OMEGA, i, R) * vanishing * pow(n * (zeta - pow(OMEGA, i, R)), -1, R) for i in range(PUBLIC)]
        permuted = alpha * (a + beta * s1 + gamma) * (b + beta * s2 + gamma) * zw
        identity = alpha * (a + beta * zeta + gamma) * (b + beta * K1 * zeta + gamma) * (c + beta * K2 * zeta + gamma)
        start = alpha**2 * lagrange[0]
        constant = sum(x * l for x, l in zip(inputs, lagrange)) + start + permuted * (c + gamma)
        f = a * b * q_m + a * q_l + b * q_r + c * q_o + q_c + (identity + start) * z_1 - permuted * beta * s_3
        f -= vanishing * (t_1 + (vanishing + 1) * t_2 + (vanishing + 1)**2 * t_3)
        f += v * a_1 + v**2 * b_1 + v**3 * c_1 + v**4 * s_1 + v**5 * s_2
        e = constant + v * a + v**2 * b + v**3 * c + v**4 * s1 + v**5 * s2
        w = (f - e) * pow(TAU - zeta, -1, R) % R
        w_omega = (z_1 - zw) * pow(TAU - zeta * OMEGA, -1, R) % R
        openings = [coordinates(len(POINTS) + i, factor) for i, factor in enumerate((w, w_omega))]
        return [*sum(commitments + openings, []), *raw, *inputs]


def proof(words):
    """The contents of proof.json and public.json for these arguments."""
    def point(at):
        x, y = words[at:at + 2]
        return ["0", "1", "0"] if (x, y) == (0, 0) else [str(x), str(y), "1"]

    points = {name: point(2 * at) for at, name in enumerate((*POINTS, "Wxi", "Wxiw"))}
    evaluations = {f"eval_{name}": str(words[18 + at]) for at, name in enumerate(("a", "b", "c", "s1", "s2", "zw"))}
    return {**points, **evaluations, "protocol": "plonk", "curve": "bn128"}, [str(value) for value in words[24:]]
