"""The formulas at work together: the optimal ate pairing of BLS12-381, against its published value.

The loop is that of draft-irtf-cfrg-pairing-friendly-curves-11, appendix A.2; the final exponent is the plain
(p^12 - 1) / r times 3, as the libraries take it. BLS12-377 has the loop on a D-twist.
"""

import unittest

import curve
import formula
from curve import number

#: e(g1, g2) as the libraries RELIC, blst and zkcrypto's bls12_381 have it, coefficient by coefficient.
PUBLISHED = """
1250ebd871fc0a92a7b2d83168d0d727272d441befa15c503dd8e90ce98db3e7b6d194f60839c508a84305aaca1789b6
089a1c5b46e5110b86750ec6a532348868a84045483c92b7af5af689452eafabf1a8943e50439f1d59882a98eaa0170f
1368bb445c7c2d209703f239689ce34c0378a68e72a6b3b216da0e22a5031b54ddff57309396b38c881c4c849ec23e87
193502b86edb8857c273fa075a50512937e0794e1e65a7617c90d8bd66065b1fffe51d7a579973b1315021ec3c19934f
01b2f522473d171391125ba84dc4007cfbf2f8da752f7c74185203fcca589ac719c34dffbbaad8431dad1c1fb597aaa5
018107154f25a764bd3c79937a45b84546da634b8f6be14a8061e55cceba478b23f7dacaa35c8ca78beae9624045b4b6
19f26337d205fb469cd6bd15c3d5a04dc88784fbb3d0b2dbdea54d43b2b73f2cbb12d58386a8703e0f948226e47ee89d
06fba23eb7c5af0d9f80940ca771b6ffd5857baaf222eb95a7d2809d61bfe02e1bfd1b68ff02f0b8102ae1c2d5d5ab1a
11b8b424cd48bf38fcef68083b0b0ec5c81a93b330ee1a677d0d15ff7b984e8978ef48881e32fac91b93b47333e2ba57
03350f55a7aefcd3c31b4fcb6ce5771cc6a0e9786ab5973320c806ad360829107ba810c5a09ffdd9be2291a0c25a99a2
04c581234d086a9902249b64728ffd21a189e87935a954051c7cdba7b3872629a4fafc05066245cb9108f0242d0fe3ef
0f41e58663bf08cf068672cbd01a7ec73baca4d72ca93544deff686bfd6df543d48eaa24afe47e1efde449383b676631
"""


class Pairing:
    """The pairing of a BLS curve, every step a formula of spec/formulas."""

    def __init__(self, facts):
        self.facts, self.tower = facts, facts.tower
        self.program = {name: formula.load(name) for name in formula.names()}
        self.by_line = self.program[facts.fact["formulas"]["fp12_mul_line"]]
        self.constants = {"xi": self.tower.xi, "v": self.tower.fp6.root, "b3": self.tower.fp2.scale(3, facts.group("g2").b)}

    def run(self, name, ring, *inputs):
        program = self.program[name]
        return program.evaluate(ring, dict(zip(program.inputs, inputs, strict=True)), self.constants)

    def times_line(self, f, line, p):
        """f times a line's value at p, a point of g1."""
        fp2 = self.tower.fp2
        y, x, rest = fp2.scale(p[1], line[0]), fp2.scale(p[0], line[1]), line[2]
        places = (rest, x, y) if self.facts.is_m_twist else (y, x, rest)
        flat = self.by_line.evaluate(fp2, dict(zip(self.by_line.inputs, f[0] + f[1] + places, strict=True)), self.constants)
        return (flat[:3], flat[3:])

    def miller(self, p, q):
        z, fp2 = number(self.facts.fact["parameter"]["z"]), self.tower.fp2
        f, t = self.tower.fp12.one, (*q, fp2.one)
        for bit in f"{abs(z):b}"[1:]:
            f = self.run("fp12_sqr", self.tower.fp6, *f)
            *t, ly, lx, l1 = self.run("line_dbl", fp2, *t)
            f = self.times_line(f, (ly, lx, l1), p)
            if bit == "1":
                *t, ly, lx, l1 = self.run("line_add", fp2, *t, *q)
                f = self.times_line(f, (ly, lx, l1), p)
        return self.tower.conjugate(f) if z < 0 else f

    def final(self, f):
        """f^(3 (p^12 - 1) / r): first p^6 - 1 and p^2 + 1, then the rest with cyclotomic squares."""
        fp12, p = self.tower.fp12, self.facts.fp.p
        f = fp12.mul(self.tower.conjugate(f), fp12.inverse(f))
        f = fp12.mul(fp12.power(f, p * p), f)
        result = f
        for bit in f"{3 * (p**4 - p**2 + 1) // self.facts.r:b}"[1:]:
            flat = self.run("fp12_cyclotomic_sqr", self.tower.fp2, *result[0], *result[1])
            result = (flat[:3], flat[3:])
            if bit == "1":
                result = self.run("fp12_mul", self.tower.fp6, *result, *f)
        return result

    def __call__(self, p, q):
        return self.final(self.miller(p, q))


class Values(unittest.TestCase):
    def test_published_value(self):
        facts = curve.load("bls12_381")
        value = Pairing(facts)(facts.generator("g1"), facts.generator("g2"))
        found = [part for half in value for pair in half for part in pair]
        self.assertEqual(found, [int(line, 16) for line in PUBLISHED.split()])

    def test_bilinear_on_a_d_twist(self):
        facts = curve.load("bls12_377")
        pairing, g1, g2 = Pairing(facts), facts.generator("g1"), facts.generator("g2")
        moved = pairing(facts.group("g1").mul(6, g1), facts.group("g2").mul(5, g2))
        self.assertEqual(moved, pairing(facts.group("g1").mul(30, g1), g2))
        self.assertNotEqual(moved, facts.tower.fp12.one)

    def test_jacobian_lines_are_the_homogeneous_ones(self):
        """The same points, and the same lines up to a factor."""
        facts = curve.load("bls12_381")
        pairing, group, fp2 = Pairing(facts), facts.group("g2"), facts.tower.fp2
        q, t = facts.generator("g2"), group.mul(9, facts.generator("g2"))
        z = (3, 5)
        z2 = fp2.mul(z, z)
        z3 = fp2.mul(z2, z)
        jacobian = (fp2.mul(t[0], z2), fp2.mul(t[1], z3), z)
        for step, others, to in (("dbl", (), group.add(t, t)), ("add", q, group.add(t, q))):
            *_, ly, lx, l1 = pairing.run(f"line_{step}", fp2, *t, fp2.one, *others)
            x, y, z, my, mx, m1 = pairing.run(f"line_{step}_jacobian", fp2, *jacobian, *others)
            inverse = fp2.inverse(z)
            squared = fp2.mul(inverse, inverse)
            self.assertEqual((fp2.mul(x, squared), fp2.mul(y, fp2.mul(squared, inverse))), to)
            for a, b in ((mx, lx), (m1, l1)):
                self.assertEqual(fp2.mul(a, ly), fp2.mul(b, my))
            self.assertNotEqual(my, fp2.zero)


if __name__ == "__main__":
    unittest.main()
