"""Functions of many numbers against py_ecc on random arguments: signatures that py_ecc makes, its pairings, and proofs of ours in its equation.
Poseidon, which it does not have, is held to the model in spec/model."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import hypothesis.strategies as st
import proofmill
from check_proofs import PROOFMILL, ROOT
from hypothesis import HealthCheck, given, settings
from py_ecc import optimized_bls12_381, optimized_bn128
from py_ecc.bls import G2ProofOfPossession
from py_ecc.secp256k1 import secp256k1

sys.path.insert(0, str(ROOT / "spec/model"))
import poseidon  # noqa: E402

#: py_ecc takes a second for a signature or a pairing.
FEW = settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])
LIBRARIES = {"bn128": ("bn254", optimized_bn128), "bls12381": ("bls12_381", optimized_bls12_381)}


def encoded(*numbers):
    return b"".join(number.to_bytes(32, "big") for number in numbers)


class Signatures(unittest.TestCase):
    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(st.tuples(st.integers(1, secp256k1.N - 1), st.binary(min_size=32, max_size=32), st.booleans()), min_size=1, max_size=5))
    def test_ecdsa(self, cases):
        items = []
        for secret, digest, right in cases:
            x, y = secp256k1.privtopub(encoded(secret))
            _, r, s = secp256k1.ecdsa_raw_sign(digest, encoded(secret))
            signed = digest if right else bytes([digest[0] ^ 1]) + digest[1:]
            items.append((bytes([2 + y % 2]) + encoded(x), encoded(r, s), signed))
        verdicts = proofmill.ecdsa_verify_batch(items, form="compact")
        self.assertEqual([bool(verdict) for verdict in verdicts], [right for *_, right in cases])

    @FEW
    @given(st.lists(st.tuples(st.integers(1, optimized_bls12_381.curve_order - 1), st.binary(max_size=80), st.booleans()), min_size=1, max_size=2))
    def test_bls(self, cases):
        given = []
        for secret, message, right in cases:
            key, signature = G2ProofOfPossession.SkToPk(secret), G2ProofOfPossession.Sign(secret, message)
            given.append((key, message if right else message + b"!", signature))
            self.assertEqual(proofmill.bls_verify(*given[-1]), right)
        wrong = [number for number, (*_, right) in enumerate(cases) if not right]
        self.assertEqual(proofmill.bls_find_invalid(given), wrong)


class Pairings(unittest.TestCase):
    @FEW
    @given(st.integers(1, 2**64), st.integers(1, 2**64), st.sampled_from(sorted(LIBRARIES)))
    def test_products_that_are_one(self, a, b, name):
        curve, theirs = LIBRARIES[name]

        def plain(point):
            return tuple(tuple(part.coeffs) if hasattr(part, "coeffs") else part.n for part in theirs.normalize(point))
        left = [theirs.multiply(theirs.G1, a), theirs.neg(theirs.multiply(theirs.G1, b))]
        right = [theirs.multiply(theirs.G2, b), theirs.multiply(theirs.G2, a)]
        one = theirs.pairing(right[0], left[0]) * theirs.pairing(right[1], left[1])
        self.assertEqual(one, theirs.FQ12.one())
        ours = [plain(point) for point in left], [tuple(tuple(int(n) for n in part) for part in plain(point)) for point in right]
        ours = [tuple(int(n) for n in point) for point in ours[0]], ours[1]
        self.assertTrue(proofmill.pairing_is_one(curve, *ours))
        self.assertFalse(proofmill.pairing_is_one(curve, ours[0], ours[1][::-1]) and a != b)


class Proofs(unittest.TestCase):
    def test_the_equation_holds_in_py_ecc(self):
        for name, (curve, theirs) in LIBRARIES.items():
            with self.subTest(curve), tempfile.TemporaryDirectory() as folder:
                command = [PROOFMILL, "dev", "circuit", "chain", "--curve", curve, "--constraints", "40", "--out", folder]
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                made = proofmill.prove(Path(folder) / "INSECURE.zkey", Path(folder) / "witness.wtns")
                key = json.loads((Path(folder) / "verification_key.json").read_text())
                for public_inputs, holds in ((made.public_inputs, True), ([str(int(value) + 1) for value in made.public_inputs], False)):
                    self.assertEqual(groth16(theirs, key, made.proof, public_inputs), holds)
                    self.assertEqual(proofmill.verify(key, proofmill.Proof(made.proof, public_inputs)), holds)


def groth16(theirs, key, proof, public_inputs):
    """e(A, B) = e(alpha, beta) e(IC(public_inputs), gamma) e(C, delta)."""
    def g1(point):
        return tuple(theirs.FQ(int(part)) for part in point)

    def g2(point):
        return tuple(theirs.FQ2([int(number) for number in part]) for part in point)
    inputs = g1(key["IC"][0])
    for value, point in zip(public_inputs, key["IC"][1:], strict=True):
        inputs = theirs.add(inputs, theirs.multiply(g1(point), int(value)))
    right = theirs.FQ12.one()
    for q, p in ((g2(key["vk_beta_2"]), g1(key["vk_alpha_1"])), (g2(key["vk_gamma_2"]), inputs), (g2(key["vk_delta_2"]), g1(proof["pi_c"]))):
        right *= theirs.pairing(q, p)
    return theirs.pairing(g2(proof["pi_b"]), g1(proof["pi_a"])) == right


class Hashes(unittest.TestCase):
    @settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.sampled_from([2, 4, 8, 11]), st.integers(1, 3), st.randoms(use_true_random=False))
    def test_poseidon_is_the_models(self, arity, count, chance):
        preimages = [chance.randrange(optimized_bls12_381.curve_order) for _ in range(arity * count)]
        model = poseidon.Instance(arity)
        expected = [model.hash(preimages[start:start + arity]) for start in range(0, len(preimages), arity)]
        self.assertEqual(proofmill.poseidon(preimages, arity=arity), expected)


if __name__ == "__main__":
    unittest.main()
