"""Each function against py_ecc or against plain Python, in every form of numbers; and what is refused."""

import doctest
import hashlib
import json
import os
import threading
import unittest
from pathlib import Path

import hypothesis.strategies as st
import measure_conversions
import numpy
import proofmill
from hypothesis import HealthCheck, given, settings
from proofmill.compat.py_ecc import bls12_381, bn128
from py_ecc import bls12_381 as ecc_bls12_381
from py_ecc import bn128 as ecc_bn128

ROOT = Path(__file__).resolve().parents[4]
P = 2**64 - 2**32 + 1
CURVES = ((bn128, ecc_bn128), (bls12_381, ecc_bls12_381))
#: Fields of transforms: modulus, and a generator of the multiplicative group.
FIELDS = (("goldilocks", P, 7), ("bn254_fr", ecc_bn128.curve_order, 5), ("bls12_381_fr", ecc_bls12_381.curve_order, 7))
FEW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def plain(point):
    """py_ecc's point with ints."""
    if point is None:
        return None
    return tuple(tuple(map(int, part.coeffs)) if hasattr(part, "coeffs") else int(part) for part in point)


class Curves(unittest.TestCase):
    def test_constants_are_py_eccs(self):
        for ours, theirs in CURVES:
            self.assertEqual((ours.curve_order, ours.field_modulus), (theirs.curve_order, theirs.field_modulus))
            self.assertEqual((ours.G1, ours.G2), (plain(theirs.G1), plain(theirs.G2)))
            for point in (ours.G1, ours.G2, None, theirs.G1, theirs.G2):
                self.assertTrue(ours.is_on_curve(point))
            self.assertFalse(ours.is_on_curve((ours.G1[0], 1)))
            self.assertFalse(ours.is_on_curve((ours.G2[0], (1, 0))))

    @FEW
    @given(st.integers(-(2**300), 2**300), st.integers(0, 2**64), st.sampled_from(CURVES), st.sampled_from(["G1", "G2"]))
    def test_multiples_and_sums(self, n, m, curves, group):
        ours, theirs = curves
        generator = getattr(theirs, group)
        p, q = theirs.multiply(generator, n % theirs.curve_order), theirs.multiply(generator, m)
        self.assertEqual(ours.multiply(generator, n), p)
        self.assertEqual(ours.multiply(plain(generator), n), plain(p))
        self.assertEqual(ours.add(p, q), theirs.add(p, q))
        self.assertEqual(ours.neg(q), None if q is None else theirs.neg(q))
        self.assertEqual(ours.double(p), None if p is None else theirs.double(p))
        self.assertTrue(ours.eq(ours.add(p, ours.neg(p)), None))

    def test_what_is_no_point_is_refused(self):
        for point, said in (((1, 3), "not on the curve"), ((1, 2, 3), "point: expected"), ((2**256, 2), r"points\[0\].x: more than 32"), ((-1, 2), "negative")):
            with self.assertRaisesRegex(proofmill.ArgumentError, said):
                bn128.multiply(point, 2)


class Msm(unittest.TestCase):
    @FEW
    @given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, bn128.curve_order - 1)), max_size=12), st.sampled_from(CURVES))
    def test_the_three_forms_agree_with_py_ecc(self, terms, curves):
        ours, theirs = curves
        points = [plain(theirs.multiply(theirs.G1, n)) for n, _ in terms]
        scalars = [k for _, k in terms]
        total = plain(theirs.multiply(theirs.G1, sum(n * k for n, k in terms) % theirs.curve_order))
        group, width = f"{ours.name}_g1", 32 if ours is bn128 else 48
        self.assertEqual(proofmill.msm(group, points, scalars), total)
        packed = b"".join(n.to_bytes(width, "little") for point in points for n in (point or (0, 0)))
        packed_scalars = b"".join(k.to_bytes(32, "little") for k in scalars)
        expected = b"".join(n.to_bytes(width, "little") for n in (total or (0, 0)))
        self.assertEqual(proofmill.msm(group, packed, packed_scalars), expected)
        self.assertEqual(proofmill.msm(group, memoryview(packed), bytearray(packed_scalars)), expected)
        arrays = numpy.frombuffer(packed, "<u8").reshape(-1, 2, width // 8), numpy.frombuffer(packed_scalars, "<u8").reshape(-1, 4)
        self.assertEqual(proofmill.msm(group, *arrays).tobytes(), expected)
        bases = proofmill.Device().bases(group, points)
        self.assertEqual(len(bases), len(points))
        self.assertEqual(bases.msm(scalars), total)
        self.assertEqual(bases.msm_batch([scalars, scalars]), [total, total])
        self.assertEqual(bases.msm_batch([]), [])

    def test_g2(self):
        theirs = ecc_bls12_381
        points = [plain(theirs.multiply(theirs.G2, n)) for n in (1, 5, 9)]
        self.assertEqual(proofmill.msm("bls12_381_g2", points, [3, 0, 7]), plain(theirs.multiply(theirs.G2, 66)))

    def test_arrays_of_other_numbers_and_orders(self):
        points = numpy.zeros((4, 2, 8), dtype=numpy.uint64)
        points[:, 0, 0], points[:, 1, 0] = 1, 2
        strided = points[::2, :, :4]
        self.assertFalse(strided.flags.c_contiguous)
        self.assertEqual(proofmill.msm("bn254_g1", strided, [1, 2])[0][0], bn128.multiply((1, 2), 3)[0] % 2**64)
        with self.assertRaisesRegex(proofmill.ArgumentError, "points: an array of int64; expected uint64 limbs of shape"):
            proofmill.msm("bn254_g1", points.astype(numpy.int64), [1])
        with self.assertRaisesRegex(proofmill.ArgumentError, "scalars: an array of float64"):
            proofmill.msm("bn254_g1", [(1, 2)], numpy.zeros(4))

    def test_what_is_refused(self):
        for arguments, said in (
            (("bn254_g3", [], []), "group: 'bn254_g3' is unknown"),
            (("bn254_g1", [(1, 2)], [bn128.curve_order]), "scalar"),
            (("bn254_g1", [(1, 2)], [-1]), r"scalars\[0\]: negative"),
            (("bn254_g1", [(1, 2)], [2**256]), r"scalars\[0\]: more than 32 bytes"),
            (("bn254_g1", [(1, 2)], ["1"]), r"scalars\[0\]: str"),
            (("bn254_g1", [(1, 2)], [1, 2]), "scalars"),
            (("bn254_g1", b"12", b""), "points: 2 bytes"),
            (("bn254_g1", 7, []), "points: int"),
        ):
            with self.assertRaisesRegex(proofmill.ArgumentError, said):
                proofmill.msm(*arguments)
        with self.assertRaisesRegex(ValueError, "check: 'some'"):
            proofmill.msm("bn254_g1", [], [], check="some")


class Transforms(unittest.TestCase):
    @FEW
    @given(st.integers(0, 6), st.randoms(use_true_random=False), st.integers(1, P - 1), st.sampled_from(FIELDS))
    def test_they_are_the_definition(self, log, chance, shift, given):
        (field, p, generator), n = given, 1 << log
        elements = [chance.randrange(p) for _ in range(n)]
        root = pow(generator, (p - 1) >> log, p)
        found = proofmill.ntt(field, elements, shift=shift)
        self.assertEqual(found, [sum(c * pow(shift * pow(root, i, p), j, p) for j, c in enumerate(elements)) % p for i in range(n)])
        self.assertEqual(proofmill.ntt(field, found, shift=shift, inverse=True), elements)
        packed = b"".join(number.to_bytes(8 if p == P else 32, "little") for number in elements)
        array = numpy.frombuffer(packed, "<u8").reshape(n, -1)
        expected = b"".join(number.to_bytes(8 if p == P else 32, "little") for number in found)
        self.assertEqual(proofmill.ntt(field, packed, shift=shift), expected)
        self.assertEqual(proofmill.ntt(field, array, shift=shift).tobytes(), expected)

    def test_what_is_refused(self):
        for elements, options, said in (([1, 2, 3], {}, "power of two"), ([P], {}, "element"), ([2**64], {}, r"elements\[0\]"), ([1], {"shift": 0}, "coset")):
            with self.assertRaisesRegex(proofmill.ArgumentError, said):
                proofmill.ntt("goldilocks", elements, **options)
        with self.assertRaisesRegex(proofmill.ArgumentError, "silver"):
            proofmill.ntt("silver", [1])


class Hashes(unittest.TestCase):
    def test_vectors(self):
        digest = proofmill.poseidon([0, 1, 2, 3], arity=2)
        self.assertEqual(len(digest), 2)
        self.assertEqual(digest[0].to_bytes(32, "little")[:4], bytes.fromhex("ffe7029a"))
        array = numpy.zeros((4, 4), dtype=numpy.uint64)
        array[:, 0] = numpy.arange(4)
        self.assertEqual(proofmill.poseidon(array, arity=2).tobytes(), b"".join(d.to_bytes(32, "little") for d in digest))
        for arity, said in ((1, "arity"), (37, "arity"), (3, "preimages"), (-1, "arity")):
            with self.assertRaisesRegex(proofmill.ArgumentError, said):
                proofmill.poseidon([0, 1], arity=arity)


class Verdicts(unittest.TestCase):
    def test_signatures(self):
        lines = (ROOT / "examples/signatures/mainnet.jsonl").read_text().splitlines()
        items = [json.loads(line) for line in lines]
        items = [item for item in items if "digest" in item or "message" in item]
        self.assertTrue(items)
        given = [(bytes.fromhex(item["key"]), bytes.fromhex(item["der"]), digest(item)) for item in items]
        verdicts = proofmill.ecdsa_verify_batch(given)
        self.assertTrue(all(verdicts), verdicts)
        key, signature, hashed = given[0]
        wrong = proofmill.ecdsa_verify_batch([(key, signature, bytes(32)), (key[:-1], signature, hashed), (key, b"", hashed)])
        self.assertEqual([verdict.errors for verdict in wrong], [("failed_sig_ver",), ("bad_key",), ("bad_signature",)])
        for bad, said in (((key, signature), r"signatures\[0\]"), ((key, signature, b""), "digest: 0 bytes"), (None, r"signatures\[0\]")):
            with self.assertRaisesRegex(proofmill.ArgumentError, said):
                proofmill.ecdsa_verify_batch([bad])

    def test_headers(self):
        header = bytes.fromhex((ROOT / "examples/headers/mainnet-346.hex").read_text().strip())
        self.assertEqual([str(verdict) for verdict in proofmill.equihash_verify_batch([header, header])], ["valid", "valid"])
        other = bytearray(header)
        other[0] ^= 1
        self.assertIn("xor_non_zero", proofmill.equihash_verify_batch(other)[0].errors)
        with self.assertRaisesRegex(proofmill.ArgumentError, "headers"):
            proofmill.equihash_verify_batch(header[:-1])
        with self.assertRaisesRegex(proofmill.ArgumentError, "params"):
            proofmill.equihash_verify_batch(header, n=200, k=8)

    def test_blocks(self):
        blocks = [(ROOT / f"examples/blocks/mainnet-{height}.hex").read_bytes() for height in (949496, 1687113)]
        verifier = proofmill.zcash.BlockVerifier("main")
        first, second = verifier.verify(b"\n".join(blocks))
        self.assertEqual([(report.height, report.verdict, report.invalid) for report in (first, second)],
                         [(949496, "incomplete", ()), (1687113, "incomplete", ())])
        self.assertEqual([str(finding).split(":")[0] for finding in first.not_checked], ["commitment"])
        self.assertEqual({it.verdict for it in second.transactions} & {"invalid"}, set())
        damaged = bytearray(bytes.fromhex(blocks[0].decode().strip()))
        damaged[40] ^= 1
        (report,) = verifier.verify(damaged)
        self.assertEqual((report.verdict, [finding.part for finding in report.invalid][-1]), ("invalid", "merkle_root"))
        malformed, again = verifier.verify(b"hello\n" + blocks[0])
        self.assertEqual((malformed.verdict, again.height), ("malformed", 949496))
        self.assertIn("line", malformed.problem)
        verifier.add_output("00" * 32, 0, 1, b"")
        for call, said in (
            (lambda: verifier.verify(5), "blocks"),
            (lambda: verifier.add_output("00", 0, 1, b""), "txid"),
            (lambda: verifier.add_output("00" * 32, 2**32, 1, b""), "index"),
            (lambda: verifier.add_output("00" * 32, 0, 2**63, b""), "value"),
            (lambda: proofmill.zcash.BlockVerifier("regtest"), "network"),
        ):
            with self.assertRaisesRegex(proofmill.ArgumentError, said):
                call()


class Devices(unittest.TestCase):
    def test_they_are_named(self):
        self.assertIn("cpu:", proofmill.devices())
        device = proofmill.Device("cpu:?threads=1")
        self.assertEqual((device.info.uri, device.info.kind), ("cpu:?threads=1", "cpu"))
        self.assertIn("msm (bn254_g1)", device.info.capabilities)
        with self.assertRaisesRegex(proofmill.ArgumentError, "gpu:"):
            proofmill.Device("gpu:")
        with self.assertRaisesRegex(proofmill.ArgumentError, "device: int"):
            proofmill.msm("bn254_g1", [], [], device=3)

    def test_what_conversions_cost_can_be_measured(self):
        measured = measure_conversions.milliseconds(proofmill.Device("cpu:?threads=1"), 8, 1)
        self.assertTrue(measured.keys() == {"array", "bytes", "ints"} and all(0 < taken < 1e3 for taken in measured.values()), measured)

    def test_the_interpreter_goes_on_meanwhile(self):
        ticks, stop = [], threading.Event()

        def tick():
            while not stop.wait(0.001):
                ticks.append(None)

        clock = threading.Thread(target=tick)
        elements = numpy.zeros((1 << 18, 4), dtype=numpy.uint64)
        clock.start()
        try:
            before = len(ticks)
            for _ in range(8):
                proofmill.ntt("bn254_fr", elements)
            self.assertGreater(len(ticks), before + 5)
        finally:
            stop.set()
            clock.join()

    def test_the_documented_example(self):
        self.assertEqual(doctest.testmod(proofmill).failed, 0)


def digest(item):
    if "digest" in item:
        return bytes.fromhex(item["digest"])
    once = hashlib.sha256(bytes.fromhex(item["message"])).digest()
    return hashlib.sha256(once).digest() if item.get("hash") == "sha256d" else once


class Pairings(unittest.TestCase):
    BN = 4965661367192848881
    #: w^6 is so much more than u, and ours is so high a power of py_ecc's, which takes the loop of BLS12-381 without its sign.
    NUMBERS = {"bn254": (9, 2 * BN * (6 * BN * BN + 3 * BN + 1)), "bls12_381": (1, -3)}

    def test_values_are_powers_of_py_eccs(self):
        # py_ecc takes 8 s for each.
        for (ours, theirs), a in list(zip(CURVES, (5, 7)))[0 if os.environ.get("PROOFMILL_LONG") else 1:]:
            more, power = self.NUMBERS[ours.name]
            p, q = theirs.multiply(theirs.G1, a), theirs.multiply(theirs.G2, a + 1)
            found = proofmill.pairing(ours.name, [plain(p)], [plain(q)])
            pairs = list(zip(found[::2], found[1::2]))
            found = [(x - more * y) % ours.field_modulus for x, y in pairs] + [y for _, y in pairs]
            expected = theirs.pairing(q, p) ** (power % theirs.curve_order)
            self.assertEqual(found, [int(number) for number in expected.coeffs])

    @settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.integers(1, 2**64), st.integers(1, 2**64), st.sampled_from(CURVES))
    def test_pairings_are_bilinear(self, a, b, curves):
        ours, _ = curves
        left = [ours.multiply(ours.G1, a), ours.multiply(ours.G1, -a * b)]
        right = [ours.multiply(ours.G2, b), ours.G2]
        self.assertTrue(proofmill.pairing_is_one(ours.name, left, right))
        self.assertEqual(proofmill.pairing(ours.name, left, right), [1] + [0] * 11)
        left[1] = ours.multiply(ours.G1, -a * b - 1)
        self.assertFalse(proofmill.pairing_is_one(ours.name, left, right))
        self.assertTrue(proofmill.pairing_is_one(ours.name, [left[0], None], [None, right[0]]))

    def test_what_is_no_pair_is_refused(self):
        for curve, g1, g2, said in (
            ("bn254", [bn128.G1], [], "g2: 0 points, and 1 of G1"), ("secp256k1", [], [], "curve: 'secp256k1'"),
            ("bn254", [(1, 3)], [bn128.G2], "g1: point 0"), ("bn254", bytes(63), b"", "g1: 63 bytes"),
        ):
            with self.assertRaisesRegex(proofmill.ArgumentError, said):
                proofmill.pairing(curve, g1, g2)

    def test_signatures(self):
        key = bytes.fromhex("a491d1b0ecd9bb917989f0e74f0dea0422eac4a873e5e2644f368dffb9a6e20fd6e10c1b77654d067c0618f6e5a7f79a")
        signature = bytes.fromhex(
            "b6ed936746e01f8ecf281f020953fbf1f01debd5657c4a383940b020b26507f6076334f91e2366c96e9ab279fb515809"
            "0352ea1c5b0c9274504f4f0e7053af24802e51e4568d164fe986834f41e55c8e850ce1f98458c0cfc9ab380b55285a55")
        self.assertTrue(proofmill.bls_verify(key, bytes(32), signature))
        self.assertFalse(proofmill.bls_verify(key, bytes(31), signature))
        self.assertFalse(proofmill.bls_verify(key, bytes(32), signature, scheme="basic"))
        several = [(key, message, signature) for message in (bytes(32), b"", bytes(32), bytes(33))]
        self.assertEqual(proofmill.bls_find_invalid(several), [1, 3])
        for given, said in (([(key[1:], b"", signature)], r"signatures\[0\]"), ([(key, b"", key)], r"signatures\[0\]")):
            with self.assertRaisesRegex(proofmill.ArgumentError, said):
                proofmill.bls_find_invalid(given)


if __name__ == "__main__":
    unittest.main()
