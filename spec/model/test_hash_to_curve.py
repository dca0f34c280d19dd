"""Hashing to curves: the points that RFC 9380 publishes (appendices J.9.1 and J.10.1), and what makes the maps right."""

import json
import unittest

import hash_to_curve
import published
from hash_to_curve import CURVE, Map, expand_message_xmd

VECTORS = json.loads((published.FOLDER / "hash_to_curve.json").read_text())


def point(which, case):
    def element(told):
        return tuple(int(c, 16) for c in told) if which == "g2" else int(told, 16)
    return element(case["x"]), element(case["y"])


class Published(unittest.TestCase):
    def test_points(self):
        for which, vectors in VECTORS.items():
            self.assertEqual(len(vectors["cases"]), 5)
            for case in vectors["cases"]:
                found = hash_to_curve.hash_to_curve(which, case["msg"].encode(), vectors["dst"].encode())
                self.assertEqual(found, point(which, case), case["msg"])

    def test_expansion(self):
        """Appendix K.1, the first one; a long tag is hashed."""
        dst = b"QUUX-V01-CS02-with-expander-SHA256-128"
        self.assertEqual(expand_message_xmd(b"", dst, 32).hex(), "68a985b87eb6b46952128911f2a4412bbc302a9d759667f87f7a21d803f07235")
        hashed = hash_to_curve.sha256(b"H2C-OVERSIZE-DST-" + bytes(256))
        self.assertEqual(expand_message_xmd(b"a", bytes(256), 40), expand_message_xmd(b"a", hashed, 40))


class Maps(unittest.TestCase):
    def test_points_of_the_curves(self):
        for which in ("g1", "g2"):
            to_curve, f = Map(which), CURVE.field(which)
            for u in [f.zero, f.one, f.from_integer(-1), *(f.from_integer(k) for k in range(2, 6))]:
                x, y = to_curve.simplified_swu(u)
                self.assertEqual(f.mul(y, y), to_curve.right_side(x))
                self.assertTrue(CURVE.group(which).contains(to_curve.isogeny((x, y))))

    def test_the_isogeny_is_a_homomorphism(self):
        for which in ("g1", "g2"):
            to_curve, f, group = Map(which), CURVE.field(which), CURVE.group(which)
            p, q = (to_curve.simplified_swu(f.from_integer(k)) for k in (2, 3))
            slope = f.mul(f.sub(q[1], p[1]), f.inverse(f.sub(q[0], p[0])))
            x = f.sub(f.sub(f.mul(slope, slope), p[0]), q[0])
            total = (x, f.sub(f.mul(slope, f.sub(p[0], x)), p[1]))
            self.assertEqual(to_curve.isogeny(total), group.add(to_curve.isogeny(p), to_curve.isogeny(q)))


if __name__ == "__main__":
    unittest.main()
