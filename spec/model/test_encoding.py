"""Encodings: published ones, there and back, and that a point has exactly one in each form."""

import unittest

import curve
from encoding import REASONS, Refused, Sec1, Zcash

SECP = curve.load("secp256k1")
BLS = curve.load("bls12_381")
#: Compressed multiples of the generator. SEC 2, section 2.4.1, for the first; the others stand in many test suites.
SECP_MULTIPLES = {
    1: "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
    2: "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
    3: "02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9",
}
#: The generators' encodings, and public keys of the secret keys 2 and 3 in the minimal-public-key scheme of BLS signatures.
BLS_G1_MULTIPLES = {
    0: "c0" + 47 * "00",
    1: "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb",
    2: "a572cbea904d67468808c8eb50a9450c9721db309128012543902d0ac358a62ae28f75bb8f1c7c42c39a8c5529bf0f4e",
    3: "89ece308f9d1f0131765212deca99697b112d61f9be9a5f1f3780a51335b3ff981747a0b2ca2179b96d2c0c9024e5224",
}
BLS_G2_MULTIPLES = {
    0: "c0" + 95 * "00",
    1: "93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e"
       "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8",
}


class Published(unittest.TestCase):
    def test_sec1(self):
        for k, data in SECP_MULTIPLES.items():
            point = SECP.group("g1").mul(k, SECP.generator("g1"))
            self.assertEqual(Sec1(SECP).encode(point, True).hex(), data)
            self.assertEqual(Sec1(SECP).decode(bytes.fromhex(data)), point)

    def test_zcash(self):
        for which, published in (("g1", BLS_G1_MULTIPLES), ("g2", BLS_G2_MULTIPLES)):
            form = Zcash(BLS, which)
            for k, data in published.items():
                point = BLS.group(which).mul(k, BLS.generator(which))
                self.assertEqual(form.encode(point, True).hex(), data)
                self.assertEqual(form.decode(bytes.fromhex(data), True), point)


class OneEach(unittest.TestCase):
    """A flipped bit gives a refusal or another point, of which these bytes are then the encoding."""

    def check(self, encode, decode, data):
        refused = set()
        for bit in range(8 * len(data)):
            changed = bytearray(data)
            changed[bit // 8] ^= 0x80 >> bit % 8
            try:
                self.assertEqual(encode(decode(bytes(changed))), bytes(changed))
            except Refused as refusal:
                refused.add(str(refusal))
        self.assertLessEqual(refused, set(REASONS))
        return refused

    def test_sec1(self):
        form, g = Sec1(SECP), SECP.generator("g1")
        for compressed in (True, False):
            self.check(lambda point: form.encode(point, compressed), form.decode, form.encode(g, compressed))

    def test_zcash(self):
        for which, compressed in (("g1", True), ("g1", False), ("g2", False)):
            form = Zcash(BLS, which)
            for point in (BLS.generator(which), None):
                data = form.encode(point, compressed)
                refused = self.check(lambda p: form.encode(p, compressed), lambda d: form.decode(d, compressed), data)
                self.assertIn("wrong flags", refused)


if __name__ == "__main__":
    unittest.main()
