"""The model against its own inverse on all of the toy, published signatures, and every way of being wrong."""

import unittest
from dataclasses import replace

import curve
import ecdsa_verify as ecdsa
from cases_ecdsa_verify import PUBLISHED
from ecdsa_verify import ERROR, SECP256K1, Signature

TOY = curve.load("toy")


class Toy(unittest.TestCase):
    def test_valid_is_what_some_nonce_signs(self):
        """Exhaustive in r and s: accepted are exactly the signatures that signing can make."""
        for d in (1, 5, TOY.r - 1):
            q = TOY.group("g1").mul(d, TOY.generator("g1"))
            for z in (0, 7, TOY.r):
                made = {(it.r, it.s) for k in range(1, TOY.r) if (it := ecdsa.sign(z, d, k, TOY))}
                accepted = {(r, s) for r in range(TOY.r) for s in range(TOY.r)
                            if ecdsa.verify(Signature(s, r, z, *q), TOY) == 0}
                self.assertEqual(accepted, made)
                self.assertGreater(len(made), 60)

    def test_only_points_are_keys(self):
        """Exhaustive: every pair of coordinates, and those just above the modulus."""
        points, bit = set(TOY.group("g1").points()), ERROR["invalid_key"]
        for x in range(TOY.fp.p + 2):
            for y in range(TOY.fp.p + 2):
                mask = ecdsa.verify(Signature(1, 1, 1, x, y), TOY)
                self.assertEqual(mask & bit == 0, (x, y) in points, (x, y))
                self.assertIn(mask, (0, ERROR["failed_sig_ver"], ERROR["failed_sig_ver"] | ERROR["x_infinity_point"], ERROR["failed_sig_ver"] | bit))

    def test_x_above_the_order_is_met(self):
        """Some nonces have an x coordinate that is not below n: r + n is then the one that matches."""
        above = [k for k in range(1, TOY.r) if TOY.group("g1").mul(k, TOY.generator("g1"))[0] >= TOY.r]
        self.assertGreater(len(above), 3)
        for k in above:
            signature = ecdsa.sign(3, 5, k, TOY)
            self.assertTrue(signature is None or ecdsa.verify(signature, TOY) == 0)


class Masks(unittest.TestCase):
    def setUp(self):
        self.good = PUBLISHED["tv1"]

    def mask(self, **changes):
        return ecdsa.verify(replace(self.good, **changes))

    def test_published_signatures(self):
        masks = {name: ecdsa.verify(signature) for name, signature in PUBLISHED.items()}
        self.assertEqual(masks, {"tv1": 0, "tv2": 0, "tv3": 0, "tv4": 0, "tv5": 0x0B})

    def test_ranges_are_all_checked_and_nothing_else_then(self):
        n, p = SECP256K1.r, SECP256K1.fp.p
        self.assertEqual(self.mask(r=0), 0x09)
        self.assertEqual(self.mask(r=n), 0x09)
        self.assertEqual(self.mask(s=0), 0x0A)
        self.assertEqual(self.mask(s=n), 0x0A)
        self.assertEqual(self.mask(qx=p), 0x28)
        self.assertEqual(self.mask(qy=p), 0x28)
        self.assertEqual(self.mask(r=n, s=0, qx=p), 0x2B)
        self.assertEqual(self.mask(r=0, qx=1, qy=1), 0x09, "the curve's equation is not looked at")

    def test_each_bit_has_its_meaning(self):
        self.assertEqual(self.mask(qy=self.good.qy ^ 1), 0x28)
        self.assertEqual(self.mask(qx=0, qy=0), 0x28)
        self.assertEqual(self.mask(hash=self.good.hash ^ 1), 0x08)
        self.assertEqual(self.mask(s=SECP256K1.r - self.good.s), 0, "a large s is as good as a small one")

    def test_bytes_are_little_endian_in_the_order_of_the_wire(self):
        data = self.good.to_bytes()
        self.assertEqual(len(data), ecdsa.COMMAND["len"] - 16)
        self.assertEqual(data[:32][::-1].hex(), f"{self.good.s:064x}")
        self.assertEqual(data[128:][::-1].hex(), f"{self.good.qy:064x}")
        self.assertEqual(Signature.from_bytes(data), self.good)
        with self.assertRaisesRegex(ValueError, "signature: 159 bytes"):
            Signature.from_bytes(data[1:])


if __name__ == "__main__":
    unittest.main()
