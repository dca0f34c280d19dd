"""Mistakes of a caller that could be mistaken for valid data: each raises an error that names the argument."""

import array
import ctypes
import decimal
import fractions
import hashlib
import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy
import proofmill
from check_proofs import PROOFMILL, ROOT
from proofmill.compat.py_ecc import bls12_381, bn128
from py_ecc import bn128 as ecc_bn128
from py_ecc import optimized_bn128

G1 = (1, 2)
G2 = bn128.G2
HEADER = bytes.fromhex((ROOT / "examples/headers/mainnet-346.hex").read_text().strip())


def limbs(numbers, width=32):
    return numpy.frombuffer(b"".join(number.to_bytes(width, "little") for number in numbers), "<u8").reshape(-1, width // 8)


def flat(point):
    return [number for part in point for number in (part if isinstance(part, tuple) else (part,))]


class Refusals(unittest.TestCase):
    def refused(self, said, call, *arguments, **options):
        with self.subTest(said=said), self.assertRaisesRegex(proofmill.ArgumentError, said):
            call(*arguments, **options)


class Shapes(Refusals):
    """Twenty scalars and points, as arrays of every wrong shape that has their size."""

    COUNT = 20

    def setUp(self):
        self.scalars = limbs(range(1, self.COUNT + 1))
        self.points = limbs(flat(G1) * self.COUNT).reshape(-1, 2, 4)
        self.expected = flat(bn128.multiply(G1, sum(range(1, self.COUNT + 1))))

    def test_scalars(self):
        for shape in ((4, 20), (2, 2, 20), (20, 2, 2), (80,), (10, 8), (40, 2), (20, 4, 1), (1, 20, 4), (8, 10)):
            self.refused(rf"scalars: an array of shape \({shape[0]},", proofmill.msm, "bn254_g1", self.points, self.scalars.reshape(shape))
        self.refused(r"scalars: an array of shape \(4, 20\); expected \(n, 4\)", proofmill.msm, "bn254_g1", self.points, self.scalars.T)
        self.refused(r"scalars: an array of shape \(20, 3\)", proofmill.msm, "bn254_g1", self.points, self.scalars[:, :3])
        self.refused(r"scalars: an array of shape \(\)", proofmill.msm, "bn254_g1", self.points, numpy.array(5, dtype=numpy.uint64))

    def test_points(self):
        shape = r"points: an array of shape .*; expected \(n, 2, 4\) or \(n, 8\)"
        for wrong in ((20, 4, 2), (8, 20), (4, 2, 20), (40, 4), (160,), (10, 16), (20, 2, 2, 2), (10, 4, 4), (10, 2, 2, 4)):
            self.refused(shape, proofmill.msm, "bn254_g1", self.points.reshape(wrong), self.scalars)
            self.refused(shape, proofmill.Device().bases, "bn254_g1", self.points.reshape(wrong))
        self.refused(shape, proofmill.msm, "bn254_g1", self.points.T, self.scalars)
        # Points of one group as those of another.
        self.refused(r"expected \(n, 2, 6\) or \(n, 12\)", proofmill.msm, "bls12_381_g1", self.points, self.scalars)
        self.refused(r"expected \(n, 2, 2, 4\) or \(n, 4, 4\)", proofmill.msm, "bn254_g2", self.points, self.scalars)

    def test_every_documented_shape_and_order_of_memory_gives_the_same(self):
        big, fortran = self.points.astype(">u8"), numpy.asfortranarray(self.points)
        wide = numpy.zeros((40, 2, 8), dtype=numpy.uint64)
        wide[::2, :, :4] = self.points
        padded = numpy.zeros((20, 8), dtype=numpy.uint64)
        padded[:, ::2] = self.scalars
        reverse = self.points[::-1][::-1]
        for points in (self.points, self.points.reshape(20, 8), big, fortran, wide[::2, :, :4], reverse):
            for scalars in (self.scalars, self.scalars.astype(">u8"), numpy.asfortranarray(self.scalars), padded[:, ::2]):
                found = proofmill.msm("bn254_g1", points, scalars)
                self.assertEqual(found.shape, points.shape[1:])
                self.assertEqual([int.from_bytes(found.reshape(2, 4)[i].tobytes(), "little") for i in (0, 1)], self.expected)

    def test_g2(self):
        points = limbs(flat(G2) * 3).reshape(3, 2, 2, 4)
        expected = limbs(flat(bn128.multiply(G2, 6)))
        for shape in ((3, 2, 2, 4), (3, 4, 4)):
            found = proofmill.msm("bn254_g2", points.reshape(shape), limbs([1, 2, 3]))
            self.assertEqual(found.shape, shape[1:])
            self.assertTrue((found.reshape(4, 4) == expected).all())
        bases = proofmill.Device().bases("bn254_g2", points)
        self.assertEqual(bases.msm(limbs([1, 2, 3])).shape, (2, 2, 4))
        for shape in ((3, 16), (3, 2, 8), (6, 2, 4), (12, 4), (6, 8)):
            self.refused("points: an array of shape", proofmill.msm, "bn254_g2", points.reshape(shape), limbs([1, 2, 3]))

    def test_transforms_and_hashes(self):
        elements = limbs(range(16))
        for shape in ((4, 16), (64,), (8, 8), (32, 2), (4, 4, 4)):
            self.refused(r"elements: an array of shape .*expected \(n, 4\)", proofmill.ntt, "bn254_fr", elements.reshape(shape))
        small = numpy.arange(8, dtype=numpy.uint64)
        self.assertEqual(proofmill.ntt("goldilocks", small).shape, (8,))
        self.assertEqual(proofmill.ntt("goldilocks", small.reshape(8, 1)).shape, (8, 1))
        self.assertEqual(proofmill.ntt("goldilocks", small).tolist(), proofmill.ntt("goldilocks", list(range(8))))
        for shape in ((2, 4), (1, 8), (4, 2)):
            self.refused(r"elements: .*expected \(n, 1\) or \(n,\)", proofmill.ntt, "goldilocks", small.reshape(shape))
        grouped = proofmill.poseidon(elements.reshape(4, 4, 4), 4)
        self.assertTrue((grouped == proofmill.poseidon(elements, arity=4)).all())
        for shape, arity in (((2, 8, 4), 4), ((8, 2, 4), 4), ((4, 16), 4), ((64,), 4)):
            self.refused(r"preimages: an array of shape .*expected \(n, 4\) or \(n, 4, 4\)", proofmill.poseidon, elements.reshape(shape), arity)

    def test_pairings(self):
        p, q = limbs(flat(G1)).reshape(1, 2, 4), limbs(flat(G2)).reshape(1, 2, 2, 4)
        self.assertEqual(proofmill.pairing("bn254", p, q).shape, (12, 4))
        self.refused("g1: an array of shape", proofmill.pairing, "bn254", q, p)
        self.refused("g2: an array of shape", proofmill.pairing, "bn254", p, q.reshape(1, 2, 8))
        self.refused("g1: an array of shape", proofmill.pairing_is_one, "bn254", p.reshape(1, 4, 2), q)

    def test_witnesses_and_lists(self):
        bases = proofmill.Device().bases("bn254_g1", self.points)
        self.refused(r"scalars: an array of shape \(4, 20\)", bases.msm, self.scalars.T)
        self.refused("scalars: 19 scalars for 20 points", bases.msm, self.scalars[1:])
        # Together they have the right length.
        self.refused(r"lists\[0\]: 19 scalars for 20 points", bases.msm_batch, [list(range(19)), list(range(21))])
        self.refused(r"lists\[0\]: an array of shape \(4,\)", bases.msm_batch, self.scalars)
        self.refused(r"lists\[0\]: int", bases.msm_batch, list(range(20)))
        self.assertEqual(len(bases.msm_batch(numpy.stack([self.scalars] * 3))), 3)


class Kinds(Refusals):
    """Values of another kind in place of numbers."""

    #: What it is, and how the refusal calls it.
    NO_INTEGERS = (
        (True, "bool"), (numpy.True_, "bool"), (1.0, "float"), (numpy.float64(1), "float64"), (decimal.Decimal(1), "Decimal"),
        (fractions.Fraction(1), "Fraction"), ("1", "str"), ("0x1", "str"), (b"1", "bytes"), (None, "NoneType"), (1j, "complex"),
        (numpy.array([1.5]), "ndarray"), (numpy.array([1, 2]), "ndarray"), ([1], "list"), ((1, 0), "tuple"), ({1}, "set"),
    )
    #: The same for lists.
    NO_LISTS = (
        ("12", "str"), (5, "int"), (None, "NoneType"), ({1, 2}, "set"), ({1: 2}, "dict"), (array.array("Q", [1, 2]), "array"),
        (array.array("B", bytes(64)), "array"), (memoryview(array.array("Q", [1] * 8)), "format 'Q'"), ((ctypes.c_uint64 * 8)(), "c_ulong"),
        (memoryview(numpy.zeros(8, ">u8")), "format '>Q'"),
    )
    #: The same for arrays.
    NO_LIMBS = ("int64", "uint32", "float64", "bool", "uint8", "complex128", "U3", "datetime64[s]")

    def test_no_integers(self):
        for value, kind in self.NO_INTEGERS:
            if value is not None:
                self.refused(rf"scalars\[1\]: {kind}", proofmill.msm, "bn254_g1", [G1, G1], [1, value])
                self.refused(rf"shift: {kind}" if kind != "bytes" else "shift: 1 bytes", proofmill.ntt, "bn254_fr", [1], shift=value)
            self.refused(rf"points\[0\].y: {kind}", proofmill.msm, "bn254_g1", [(1, value)], [1])
            self.refused(rf"elements\[0\]: {kind}", proofmill.ntt, "goldilocks", [value])
            self.refused(rf"preimages\[1\]: {kind}", proofmill.poseidon, [1, value], 2)
            self.refused(rf"arity: {kind}", proofmill.poseidon, [1, 1], value)
            self.refused(rf"max_bytes: {kind}", proofmill.Device().bases, "bn254_g1", [G1], max_bytes=value)
            self.refused(rf"n: {kind}", proofmill.equihash_verify_batch, HEADER, n=value)
            self.refused(rf"k: {kind}", proofmill.equihash_verify_batch, HEADER, k=value)
            self.refused(rf"n: {kind}", bn128.multiply, G1, value)
            if kind not in ("list", "tuple"):
                self.refused(rf"point.x: {kind}", bn128.double, (value, 2))
        self.refused("arity: -1", proofmill.poseidon, [1, 1], -1)
        self.refused("max_bytes: -1", proofmill.Device().bases, "bn254_g1", [G1], max_bytes=-1)
        self.refused("n: 4294967496", proofmill.equihash_verify_batch, HEADER, n=2**32 + 200)
        self.refused(r"scalars\[0\]: negative", proofmill.msm, "bn254_g1", [G1], [numpy.int64(-1)])

    def test_no_lists(self):
        for value, kind in self.NO_LISTS:
            self.refused(rf"scalars: .*{kind}", proofmill.msm, "bn254_g1", [G1, G1], value)
            self.refused(rf"points: .*{kind}", proofmill.msm, "bn254_g1", value, [1, 2])
            self.refused(rf"elements: .*{kind}", proofmill.ntt, "goldilocks", value)
            self.refused(rf"preimages: .*{kind}", proofmill.poseidon, value, 2)
            self.refused(rf"g1: .*{kind}", proofmill.pairing, "bn254", value, [G2])
            self.refused(rf"g2: .*{kind}", proofmill.pairing_is_one, "bn254", [G1], value)
        for kind in self.NO_LIMBS:
            values = numpy.zeros((4, 4), dtype=kind)
            self.refused("elements: an array of ", proofmill.ntt, "bn254_fr", values)
            self.refused("scalars: an array of ", proofmill.msm, "bn254_g1", [G1] * 4, values)
        masked = numpy.ma.masked_array(limbs([1]), mask=[[True] * 4])
        self.refused("elements: a masked array", proofmill.ntt, "bn254_fr", masked)

    def test_bytes_that_are_no_whole_numbers(self):
        self.refused("scalars: 33 bytes; expected a multiple of 32", proofmill.msm, "bn254_g1", [G1], bytes(33))
        self.refused("points: 65 bytes; expected a multiple of 64", proofmill.msm, "bn254_g1", bytes(65), [1])
        self.refused("points: 96 bytes; expected a multiple of 128", proofmill.msm, "bn254_g2", bytes(96), [1])
        self.refused("elements: 12 bytes; expected a multiple of 8", proofmill.ntt, "goldilocks", bytes(12))
        self.refused("preimages: 31 bytes; expected a multiple of 32", proofmill.poseidon, bytes(31), 2)
        self.refused("shift: 8 bytes; expected 32", proofmill.ntt, "bn254_fr", [1], shift=bytes(8))
        self.refused("g1: 63 bytes; expected a multiple of 64", proofmill.pairing, "bn254", bytes(63), b"")

    def test_points_of_another_form(self):
        for point, said in (
            ([1, 2, 1], r"points\[0\]: expected \(x, y\).*normalize projective points"), ([1], r"points\[0\]: expected \(x, y\)"),
            (7, r"points\[0\]: expected \(x, y\)"), (b"12", r"points\[0\]: expected"), ("12", r"points\[0\]: expected"),
            (G2, r"points\[0\].x: tuple"),
        ):
            self.refused(said, proofmill.msm, "bn254_g1", [point], [1])
        self.refused(r"points\[0\]: expected \(x, y\)", proofmill.msm, "bn254_g1", [1, 2], [1])
        self.refused(r"points\[0\].x: expected 2 numbers", proofmill.msm, "bn254_g2", [G1], [1])
        self.refused(r"points\[0\]: expected \(x, y\)", proofmill.msm, "bn254_g2", [flat(G2)], [1])
        self.refused("normalize projective points", proofmill.msm, "bn254_g1", [optimized_bn128.G1], [1])
        self.refused("point 0", proofmill.msm, "bn254_g1", [bls12_381.G1[::-1]][:0] + [(2, 1)], [1])
        self.refused("g1.*: expected|g1.*tuple", proofmill.pairing, "bn254", [G2], [G1])
        self.refused("more than 32 bytes|not on the curve", proofmill.msm, "bn254_g1", [bls12_381.G1], [1])

    def test_points_are_checked_unless_that_is_opted_out_of(self):
        wrong = [(1, 3)]
        for check in ({}, {"check": "subgroup"}, {"check": "curve"}):
            self.refused("not on the curve", proofmill.msm, "bn254_g1", wrong, [1], **check)
            self.refused("not on the curve", proofmill.Device().bases, "bn254_g1", wrong, **check)
        self.assertEqual(proofmill.msm("bn254_g1", wrong, [1], check="none"), (1, 3))
        # A point of G2's curve outside the subgroup: x = 2.
        for check in (None, ["subgroup"], "some", True):
            self.refused("check: ", proofmill.msm, "bn254_g1", [G1], [1], check=check)

    def test_words_and_flags(self):
        self.refused("group: ", proofmill.msm, b"bn254_g1", [G1], [1])
        self.refused("group: ", proofmill.msm, ["bn254_g1"], [G1], [1])
        self.refused("field: bytes", proofmill.ntt, b"goldilocks", [1])
        self.refused("field: |silver", proofmill.ntt, "silver", [1])
        self.refused("inverse: str", proofmill.ntt, "goldilocks", [1], inverse="no")
        self.refused("inverse: int", proofmill.ntt, "goldilocks", [1], inverse=0)
        self.refused("network: int", proofmill.equihash_verify_batch, HEADER, network=1)
        self.refused("network", proofmill.equihash_verify_batch, HEADER, network="Main")
        self.refused("low_s: str", proofmill.ecdsa_verify_batch, [], low_s="no")
        self.refused("form: 'DER'", proofmill.ecdsa_verify_batch, [], form="DER")
        self.refused("curve: ", proofmill.pairing, ["bn254"], [], [])
        self.refused("curve: ", proofmill.pairing_is_one, "bn128", [], [])
        self.refused("scheme", proofmill.bls_verify, b"", b"", b"", scheme="POP")
        self.refused("scheme", proofmill.bls_find_invalid, [], scheme=None)
        self.refused("uri: bytes", proofmill.Device, b"cpu:")
        self.refused("device: bytes", proofmill.msm, "bn254_g1", [], [], device=b"cpu:")

    def test_field_elements_are_converted(self):
        fq, fq2 = ecc_bn128.FQ, ecc_bn128.FQ2
        self.assertEqual(proofmill.msm("bn254_g1", [ecc_bn128.G1], [fq(3)]), bn128.multiply(G1, 3))
        self.assertEqual(proofmill.msm("bn254_g2", [ecc_bn128.G2], [3]), bn128.multiply(G2, 3))
        self.assertEqual(proofmill.ntt("bn254_fr", [fq(1), optimized_bn128.FQ(2)]), proofmill.ntt("bn254_fr", [1, 2]))
        self.assertEqual(proofmill.ntt("bn254_fr", [1, 2], shift=fq(5)), proofmill.ntt("bn254_fr", [1, 2], shift=5))
        self.assertEqual(proofmill.poseidon([fq(1), numpy.uint64(2)], 2), proofmill.poseidon([1, 2], arity=2))
        self.assertTrue(proofmill.pairing_is_one("bn254", [ecc_bn128.G1, ecc_bn128.neg(ecc_bn128.G1)], [ecc_bn128.G2] * 2))
        self.refused(r"scalars\[0\]: FQ2|scalars\[0\]: .*FQ2", proofmill.msm, "bn254_g1", [G1], [fq2([1, 2])])
        self.assertTrue(bn128.is_on_curve(ecc_bn128.G1, ecc_bn128.b) and bn128.is_on_curve(ecc_bn128.G2, ecc_bn128.b2))
        self.refused("b: not that of bn254", bn128.is_on_curve, G1, 4)

    def test_arrays_of_python_integers(self):
        scalars = numpy.array([1, 2**200, 3], dtype=object)
        points = numpy.array([list(G1)] * 3, dtype=object)
        self.assertEqual(proofmill.msm("bn254_g1", points, scalars), bn128.multiply(G1, 4 + 2**200))
        self.refused(r"scalars\[0\]: list", proofmill.msm, "bn254_g1", [G1], scalars.reshape(1, 3))
        self.refused(r"scalars\[0\]: float", proofmill.msm, "bn254_g1", [G1], numpy.array([1.5], dtype=object))


class Bytes(Refusals):
    """Other things in place of keys, signatures, digests and headers."""

    #: `bytes` of an integer are so many zeros, of a list its numbers, of an array its memory.
    NO_BYTES = ((32, "int"), ("00" * 32, "str.*fromhex"), ([0] * 32, "list"), (numpy.zeros(4, "u8"), "format 'L'"), (None, "NoneType"))

    def test_signatures(self):
        key, signature, digest = b"\2" + bytes(32), b"1", bytes(32)
        for value, said in self.NO_BYTES:
            for at, name in enumerate(("key", "signature", "digest")):
                item = [key, signature, digest]
                item[at] = value
                self.refused(rf"signatures\[1\]\.{name}: .*{said}", proofmill.ecdsa_verify_batch, [(key, signature, digest), tuple(item)])
            for at, name in enumerate(("key", "message", "signature")):
                item = [bytes(48), b"", bytes(96)]
                item[at] = value
                self.refused(rf"signatures\[0\]\.{name}: .*{said}", proofmill.bls_verify, *item)
                self.refused(rf"signatures\[0\]\.{name}: .*{said}", proofmill.bls_find_invalid, [item])
        self.refused(r"signatures\[0\]: expected", proofmill.ecdsa_verify_batch, (key, signature, digest))
        self.refused(r"signatures\[0\]: expected", proofmill.bls_find_invalid, (bytes(48), b"", bytes(96)))
        self.refused(r"signatures\[0\]: expected", proofmill.ecdsa_verify_batch, [b"abc"])
        self.refused(r"signatures\[0\]: expected", proofmill.bls_find_invalid, ["abc"])
        self.refused("signatures: bytes", proofmill.ecdsa_verify_batch, b"abc")
        self.refused("signatures: dict", proofmill.bls_find_invalid, {})
        self.refused(r"signatures\[0\]\.digest: 33 bytes", proofmill.ecdsa_verify_batch, [(digest, signature, key)])
        # A digest's hexadecimal digits are no digest, and a key's are none.
        self.refused(r"digest: 64 bytes", proofmill.ecdsa_verify_batch, [(key, signature, digest.hex().encode())])

    def test_an_order_that_the_lengths_allow_is_never_valid(self):
        lines = [json.loads(line) for line in (ROOT / "examples/signatures/mainnet.jsonl").read_text().splitlines()]
        item = next(item for item in lines if "message" in item or "digest" in item)
        digest = bytes.fromhex(item["digest"]) if "digest" in item else hashlib.sha256(hashlib.sha256(bytes.fromhex(item["message"])).digest()).digest()
        key, signature = bytes.fromhex(item["key"]), bytes.fromhex(item["der"])
        self.assertTrue(proofmill.ecdsa_verify_batch([(key, signature, digest)])[0])
        for wrong in ((signature, key, digest), (key, signature, digest[::-1]), (key[::-1], signature, digest)):
            self.assertFalse(proofmill.ecdsa_verify_batch([wrong])[0])
        self.assertFalse(proofmill.ecdsa_verify_batch([(key, signature, digest)], form="compact")[0])

    def test_headers(self):
        verify = proofmill.equihash_verify_batch
        self.assertTrue(all(verify(form)[0] for form in (HEADER, bytearray(HEADER), [HEADER], (memoryview(HEADER),), [numpy.frombuffer(HEADER, "u1")])))
        size = len(HEADER)
        self.refused(f"headers: {size - 1} bytes; expected a multiple of {size}", verify, HEADER[1:])
        self.refused(rf"headers\[0\]: {2 * size} bytes; expected {size}", verify, [HEADER + HEADER])
        # Two halves of other sizes, together two headers.
        self.refused(rf"headers\[0\]: {size - 1} bytes; expected {size}", verify, [HEADER[:-1], HEADER[-1:] + HEADER])
        self.refused("headers: str", verify, HEADER.hex())
        self.refused(r"headers\[0\]: str", verify, [HEADER.hex()])
        self.refused(rf"headers\[0\]: {2 * size} bytes", verify, [HEADER.hex().encode()])
        self.refused(r"headers\[0\]: int", verify, list(HEADER))
        self.refused(r"headers\[0\]: int", verify, numpy.frombuffer(HEADER, "u1"))
        self.refused("headers: memoryview with items of format 'I'", verify, memoryview(HEADER[:-3]).cast("I"))
        self.refused("headers: .*array", verify, array.array("B", HEADER))
        self.refused("headers: set", verify, {HEADER})
        self.refused("params", verify, HEADER, k=8)


class Files(Refusals):
    """Other things in place of keys, witnesses, proofs and public inputs."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        command = [PROOFMILL, "dev", "circuit", "chain", "--constraints", "20", "--out", cls.folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.prover = proofmill.Prover(cls.folder / "INSECURE.zkey")
        cls.wtns = (cls.folder / "witness.wtns").read_bytes()
        # The values follow two sections' heads, the prime and the count.
        raw = cls.wtns[-32 * (len(cls.wtns) // 32 - 2) :]
        cls.raw = raw[raw.index((1).to_bytes(32, "little")) :]
        cls.values = [int.from_bytes(cls.raw[at : at + 32], "little") for at in range(0, len(cls.raw), 32)]
        cls.key = cls.prover.verifying_key
        cls.made = cls.prover.prove(cls.wtns)

    def test_every_form_of_a_witness(self):
        array = numpy.frombuffer(self.raw, "<u8").reshape(-1, 4)
        fortran = numpy.asfortranarray(array)
        for form in (
            self.folder / "witness.wtns", str(self.folder / "witness.wtns"), self.wtns, bytearray(self.wtns), memoryview(self.wtns),
            self.values, tuple(self.values), iter(self.values), numpy.array(self.values, dtype=object), array, array.astype(">u8"), fortran,
            [ecc_bn128.FQ(value) if value < 1000 else value for value in self.values],
        ):
            with self.subTest(type(form)):
                made = self.prover.prove(form)
                self.assertTrue(self.key.verify(made))
                self.assertEqual(made.public_inputs, self.made.public_inputs)
        batch = self.prover.prove_batch([self.values, self.wtns, array, self.folder / "witness.wtns"])
        self.assertEqual(self.key.verify_batch(batch), [True] * 4)

    def test_no_witnesses(self):
        for witness, said in (
            (self.values[:-1], f"witness: has {len(self.values) - 1} values"), ([], "witness: no values"),
            ([2, *self.values[1:]], "witness: value 0 is not 1"), ([1, bn128.curve_order] + self.values[2:], "witness: value 1 is not below r"),
            ([1, 2**256], r"witness\[1\]: more than 32 bytes"), ([1, -1], r"witness\[1\]: negative"), ([1, 1.5], r"witness\[1\]: float"),
            ([1, "5"], r"witness\[1\]: str"), ([True], r"witness\[0\]: bool"), (5, "witness: int; expected a path"), (None, "witness: NoneType"),
            ({"a": 1}, "witness: dict; expected a path"), (set(self.values), "witness: set"), (memoryview(array.array("Q", [1])), "witness: .*format 'Q'"),
            (numpy.array(self.values[:3], dtype=float), "witness: an array of float64"),
            (numpy.frombuffer(self.raw, "<u8"), r"witness: an array of shape \(\d+,\)"),
            (numpy.frombuffer(self.raw, "<u8").reshape(-1, 4).T, r"witness: an array of shape \(4, "),
            (numpy.frombuffer(self.raw, "u1").reshape(-1, 32), "witness: an array of uint8"),
        ):
            self.refused(said, self.prover.prove, witness)
        self.refused(r"witnesses\[1\]\[1\]: str", self.prover.prove_batch, [self.values, [1, "5"]])
        self.refused(r"witnesses\[0\]: int", self.prover.prove_batch, self.values)
        self.refused("witnesses: str", self.prover.prove_batch, str(self.folder / "witness.wtns"))
        self.refused("witnesses: bytes", self.prover.prove_batch, self.wtns)

    def test_raw_values_are_named(self):
        for raw in (self.raw, b"".join(value.to_bytes(32, "big") for value in self.values)):
            with self.assertRaisesRegex(proofmill.FileError, rf"looks like {len(self.values)} raw values .*without a .wtns header.*list of integers"):
                self.prover.prove(raw)
        path = self.folder / "raw.bin"
        path.write_bytes(self.raw)
        with self.assertRaisesRegex(proofmill.FileError, "raw.bin.*looks like .* raw values"):
            self.prover.prove(path)
        with self.assertRaisesRegex(proofmill.FileError, "begins with 'zkey', not 'wtns'"):
            self.prover.prove(self.folder / "INSECURE.zkey")

    def test_other_arguments_of_provers(self):
        key = self.folder / "INSECURE.zkey"
        self.refused("device: Device", proofmill.Prover, key, device=proofmill.Device())
        self.refused("resident: int", proofmill.Prover, key, resident=1)
        self.refused("zkey: list", proofmill.Prover, [1])
        self.refused("zkey: memoryview.*format 'Q'", proofmill.Prover, memoryview(array.array("Q", [1])))
        self.refused("progress: int", self.prover.prove, self.wtns, progress=5)
        self.refused("progress: function", self.prover.prove_batch, [self.wtns], progress=lambda step, part: None)
        self.refused("errors: 'ignore'", self.prover.prove_batch, [self.wtns], errors="ignore")

    def test_proofs_and_public_inputs(self):
        proof, inputs, key = self.made.proof, self.made.public_inputs, self.prover.verification_key
        numbers = [int(value) for value in inputs]
        for form in (inputs, numbers, tuple(numbers), numpy.array(numbers, dtype=object), limbs(numbers), limbs(numbers).astype(">u8"),
                     json.dumps(numbers), json.dumps(inputs), json.dumps(inputs).encode(), [ecc_bn128.FQ(numbers[0])] if numbers[0] < 2**200 else numbers):
            self.assertTrue(proofmill.verify(key, proof, form))
        self.assertTrue(proofmill.verify({**key, "curve": "bn254"}, {**proof, "curve": "bn254"}, inputs))
        self.assertTrue(proofmill.verify(json.loads(json.dumps(key).replace('"1"', "1")), proof, inputs))
        for wrong, said in (([True], "bool"), ([1.0], "float"), (["0x1"], "'0x1' is not a decimal"), ([numbers[0] + bn128.curve_order], "not below"),
                            ([-1], "'-1' is not a decimal"), (5, "int"), ({1}, "set"), ([], "0 values"), (limbs(numbers).T, "shape"),
                            ([None], "NoneType"), (limbs(numbers).ravel(), "shape")):
            with self.subTest(wrong=wrong), self.assertRaisesRegex(proofmill.Error, f"public(_inputs)?.*{said}"):
                proofmill.verify(key, proof, wrong)
        self.refused("public_inputs: missing", proofmill.verify, key, proof)
        self.refused("verification_key: Proof", proofmill.verify, self.made, self.made)
        self.refused("verification_key: NoneType", proofmill.VerifyingKey, None)
        self.refused("proof: int", proofmill.verify, key, 5, inputs)
        for swapped in ((key, inputs, proof), (proof, key, inputs), (inputs, proof, key)):
            with self.assertRaises(proofmill.Error):
                proofmill.verify(*swapped)
        for text in ("{}", "[]", b"\xff", "[1", "nowhere.json", Path("nowhere.json")):
            with self.assertRaises(proofmill.FileError) as raised:
                proofmill.verify(key, text, inputs)
            for term in ("borrowed", "invalid type", "sequence", " map", "struct"):
                self.assertNotIn(term, str(raised.exception))
        with self.assertRaisesRegex(proofmill.ArgumentError, "proof: "):
            proofmill.verify(key, {**proof, "pi_a": [1.5, object(), 1]}, inputs)

    def test_prepared_keys(self):
        wrong = proofmill.Proof(self.made.proof, [str(int(self.made.public_inputs[0]) ^ 1)])
        text = json.dumps(self.prover.verification_key)
        for form in (self.prover.verification_key, text, text.encode(), self.folder / "verification_key.json", str(self.folder / "verification_key.json")):
            key = proofmill.VerifyingKey(form)
            self.assertEqual((key.curve, key.public_inputs), ("bn254", len(self.made.public_inputs)))
            self.assertTrue(key.verify(self.made) and proofmill.verify(key, self.made))
            self.assertFalse(key.verify(wrong) or proofmill.verify(key, wrong))
        pair = (self.made.proof, self.made.public_inputs)
        self.assertEqual(key.find_invalid([self.made, wrong, pair, wrong]), [1, 3])
        self.assertEqual(key.verify_batch(iter([self.made, wrong, pair])), [True, False, True])
        self.assertEqual((key.find_invalid([]), key.verify_batch([])), ([], []))
        self.refused(r"proofs\[0\]: dict; expected a Proof", key.verify_batch, [self.made.proof])
        self.refused("proofs: Proof", key.find_invalid, self.made)
        with self.assertRaisesRegex(proofmill.FileError, r"proofs\[1\]"):
            key.find_invalid([self.made, (self.made.public_inputs, self.made.proof["pi_a"])])
        with self.assertRaisesRegex(proofmill.ArgumentError, "proof 1"):
            key.find_invalid([self.made, (self.made.proof, [])])


class Names(unittest.TestCase):
    def test_dir_lists_what_is_public(self):
        self.assertEqual(sorted(proofmill.__all__), dir(proofmill))
        for name in dir(proofmill):
            value = getattr(proofmill, name)
            if name not in ("compat", "errors", "zcash", "__version__"):
                self.assertTrue(value.__module__.startswith("proofmill"), name)
                self.assertTrue(value.__doc__, name)


if __name__ == "__main__":
    unittest.main()
