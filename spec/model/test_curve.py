"""The curves: every number of spec/curves is proved, and the model's laws are held to what is known of groups."""

import unittest

import curve

CURVES = {name: curve.load(name) for name in curve.names()}
TWISTS = {name: curve.load(name) for name in curve.twist_names()}
TOYS = [CURVES["toy"], CURVES["toy_edwards"]]


class Numbers(unittest.TestCase):
    def test_names_and_the_parameter(self):
        for name, facts in CURVES.items():
            self.assertEqual(facts.name, name)
            self.assertEqual(facts.fact["g1"]["a"], 0)
        u = curve.number(CURVES["bn254"].fact["parameter"]["u"])
        self.assertEqual(CURVES["bn254"].fp.p, 36 * u**4 + 36 * u**3 + 24 * u**2 + 6 * u + 1)
        self.assertEqual(CURVES["bn254"].r, 36 * u**4 + 36 * u**3 + 18 * u**2 + 6 * u + 1)
        self.assertEqual((CURVES["pallas"].fp.p, CURVES["pallas"].r), (CURVES["vesta"].r, CURVES["vesta"].fp.p))
        for name in ("bls12_381", "bls12_377"):
            z = curve.number(CURVES[name].fact["parameter"]["z"])
            self.assertEqual(CURVES[name].r, z**4 - z**2 + 1)
            self.assertEqual(3 * CURVES[name].fp.p, (z - 1)**2 * CURVES[name].r + 3 * z)
            self.assertEqual(3 * CURVES[name].cofactor("g1"), (z - 1)**2)

    def test_generators_have_order_r(self):
        for facts in (CURVES | TWISTS).values():
            for which in facts.groups:
                self.assertTrue(facts.in_subgroup(which, facts.generator(which)), f"{facts.name} {which}")

    def test_cofactors_lead_into_the_subgroup(self):
        """Also for points outside it; the whole order is within the Hasse bound."""
        for facts in (CURVES | TWISTS).values():
            for which in facts.groups:
                group, order = facts.group(which), facts.cofactor(which) * facts.r
                q = group.field.order
                self.assertLessEqual((order - q - 1)**2, 4 * q, facts.name)
                point = some_point(group)
                self.assertTrue(facts.in_subgroup(which, group.mul(facts.cofactor(which), point)))
                self.assertEqual(facts.in_subgroup(which, point), facts.cofactor(which) == 1)

    def test_endomorphisms(self):
        for facts in CURVES.values():
            beta, eigenvalue = facts.endomorphism
            x, y = facts.generator("g1")
            self.assertEqual(facts.group("g1").mul(eigenvalue, (x, y)), (facts.fp.mul(beta, x), y), facts.name)
            self.assertNotEqual(beta, 1)

    def test_towers_are_fields(self):
        """u^2 = beta, and X^6 - xi is irreducible where xi is neither a square nor a cube."""
        for facts in (CURVES | TWISTS).values():
            if "tower" not in facts.fact:
                continue
            fp2, xi = facts.tower.fp2, facts.tower.xi
            self.assertFalse(facts.fp.is_square(facts.tower.beta), facts.name)
            self.assertEqual(fp2.order % 6, 1)
            self.assertFalse(fp2.is_square(xi), facts.name)
            self.assertNotEqual(fp2.power(xi, (fp2.order - 1) // 3), fp2.one, facts.name)

    def test_twists(self):
        expected = {"bn254": False, "bls12_381": True, "bls12_377": False}
        self.assertEqual({name: facts.is_m_twist for name, facts in CURVES.items() if "g2" in facts.groups}, expected)


def some_point(group):
    return next(points[0] for x in group.field.candidates() if (points := group.with_x(x)))


class Toys(unittest.TestCase):
    def test_orders(self):
        for facts, order in zip(TOYS, (79, 112)):
            self.assertEqual(len(facts.group("g1").points()), order)
            self.assertEqual(facts.cofactor("g1") * facts.r, order)

    def test_group_laws(self):
        for facts in TOYS:
            group = facts.group("g1")
            points = group.points()
            for p in points:
                self.assertTrue(group.contains(p))
                self.assertEqual(group.add(p, group.neg(p)), None)
                self.assertEqual(group.mul(facts.cofactor("g1") * facts.r, p), None)
                for q in points:
                    self.assertTrue(group.contains(group.add(p, q)))
                    self.assertEqual(group.add(p, q), group.add(q, p))
            for p, q, t in zip(points, points[3:] + points[:3], points[17:] + points[:17]):
                self.assertEqual(group.add(group.add(p, q), t), group.add(p, group.add(q, t)))

    def test_the_generator_generates(self):
        for facts in TOYS:
            multiples = {facts.group("g1").mul(k, facts.generator("g1")) for k in range(facts.r)}
            self.assertEqual(len(multiples), facts.r)

    def test_negative_multiples(self):
        group, g = TOYS[0].group("g1"), TOYS[0].generator("g1")
        self.assertEqual(group.mul(-5, g), group.mul(74, g))


class ToyTwist(unittest.TestCase):
    """toy_bn in G2."""

    facts = TWISTS["toy_bn"]

    def test_the_parameter(self):
        u = 1
        self.assertEqual(self.facts.name, "toy_bn")
        self.assertEqual(self.facts.fp.p, 36 * u**4 + 36 * u**3 + 24 * u**2 + 6 * u + 1)
        self.assertEqual(self.facts.r, 36 * u**4 + 36 * u**3 + 18 * u**2 + 6 * u + 1)
        self.assertEqual(self.facts.cofactor("g2"), 2 * self.facts.fp.p - self.facts.r)

    def test_b_is_5_over_xi(self):
        fp2, tower = self.facts.tower.fp2, self.facts.tower
        self.assertEqual(fp2.mul(self.facts.group("g2").b, tower.xi), fp2.from_integer(5))

    def test_order(self):
        """No point has order 2. 97 points are multiples of the generator."""
        group, points = self.facts.group("g2"), self.facts.group("g2").points()
        self.assertEqual((len(points), len(set(points))), (97 * 109, 97 * 109))
        self.assertFalse(any(point[1] == group.field.zero for point in points if point))
        multiples = {group.mul(k, self.facts.generator("g2")) for k in range(97)}
        self.assertEqual(multiples, {point for point in points if group.mul(97, point) is None})
        self.assertEqual(len(multiples), 97)


class EdwardsCurves(unittest.TestCase):
    """Curves that have a twisted Edwards form and no other."""

    def test_every_file_is_of_one_kind(self):
        self.assertEqual(sorted(curve.names() + curve.twist_names() + curve.edwards_names()), curve.all_names())

    def test_addition_is_complete(self):
        """a is a square and d is none (Bernstein, Birkner, Joye, Lange, Peters, AFRICACRYPT 2008, section 6)."""
        for name in curve.edwards_names():
            group, _ = curve.load(name).twisted_edwards
            self.assertEqual(group.a, group.field.neg(1))
            self.assertTrue(group.field.is_square(group.a), name)
            self.assertFalse(group.field.is_square(group.d), name)

    def test_the_generator_generates_all_points(self):
        """Its order is h r with h a power of 2, which is within the Hasse bound."""
        for name in curve.edwards_names():
            facts, h = curve.load(name), curve.load(name).cofactor("twisted_edwards")
            group, generator = facts.twisted_edwards
            self.assertTrue(group.contains(generator), name)
            self.assertLessEqual((h * facts.r - facts.fp.p - 1)**2, 4 * facts.fp.p, name)
            self.assertEqual(group.mul(h * facts.r, generator), group.identity, name)
            self.assertEqual(h & (h - 1), 0, name)
            for part in (h * facts.r // 2, h):
                self.assertNotEqual(group.mul(part, generator), group.identity, name)

    def test_jubjub(self):
        """d of the protocol specification, section 5.4.9.3."""
        group, _ = curve.load("jubjub").twisted_edwards
        self.assertEqual(group.field.mul(group.d, 10241), group.field.neg(10240))


class EdwardsForms(unittest.TestCase):
    def test_the_constants_are_what_they_are_called(self):
        for name in ("bls12_377", "toy_edwards"):
            facts = CURVES[name]
            f, made = facts.fp, facts.edwards_map
            alpha, s, k = made.alpha, made.s, made.k
            self.assertEqual(facts.group("g1").right_side(alpha), 0)
            self.assertEqual(f.mul(f.mul(s, s), f.scale(3, f.mul(alpha, alpha))), 1)
            a, b = f.scale(3, f.mul(alpha, s)), s  # of the Montgomery curve b y^2 = x^3 + a x^2 + x
            self.assertEqual(f.mul(f.mul(k, k), b), f.neg(f.add(a, 2)))
            self.assertEqual(f.mul(made.edwards.d, f.add(a, 2)), f.sub(2, a))
            self.assertEqual(made.edwards.a, f.neg(1))
            self.assertTrue(f.is_square(made.edwards.d), "then some sums lie at infinity")

    def test_generators_go_there_and_back(self):
        for name in ("bls12_377", "toy_edwards"):
            facts = CURVES[name]
            image = facts.edwards_map.forth(facts.generator("g1"))
            self.assertTrue(facts.edwards_map.edwards.contains(image))
            self.assertEqual(facts.edwards_map.back(image), facts.generator("g1"))

    def test_published_generator_of_bls12_377(self):
        """The Edwards generator of the crate ark-bls12-377."""
        image = CURVES["bls12_377"].edwards_map.forth(CURVES["bls12_377"].generator("g1"))
        self.assertEqual(image, (
            71222569531709137229370268896323705690285216175189308202338047559628438110820800641278662592954630774340654489393,
            6177051365529633638563236407038680211609544222665285371549726196884440490905471891908272386851767077598415378235,
        ))

    def test_the_exceptional_points_are_the_ones_told(self):
        """Two more points with y = 0 and the two with t = -1 have no image; all have even order."""
        facts = CURVES["toy_edwards"]
        group, made = facts.group("g1"), facts.edwards_map
        lost = [p for p in group.points() if made.forth(p) is None]
        t = {p: facts.fp.mul(made.s, facts.fp.sub(p[0], made.alpha)) for p in lost}
        self.assertEqual(sorted((p[1] == 0, t[p] == 96) for p in lost), [(False, True)] * 2 + [(True, False)] * 2)
        for p in lost:
            self.assertNotEqual(group.mul(7, p), None)
        self.assertEqual(made.forth(None), (0, 1))
        self.assertEqual(made.forth((made.alpha, 0)), (0, 96))

    def test_the_map_is_a_homomorphism_wherever_it_is_defined(self):
        facts = CURVES["toy_edwards"]
        group, made = facts.group("g1"), facts.edwards_map
        images = {p: made.forth(p) for p in group.points()}
        self.assertEqual(set(images.values()) - {None}, set(made.edwards.points()))
        for p, image in images.items():
            if image is None:
                continue
            self.assertEqual(made.back(image), p)
            for q, other in images.items():
                total = images[group.add(p, q)]
                if other is not None:
                    try:
                        self.assertEqual(made.edwards.add(image, other), total)
                    except ZeroDivisionError:
                        continue

    def test_in_the_subgroup_of_bls12_377_too(self):
        facts = CURVES["bls12_377"]
        group, made, g = facts.group("g1"), facts.edwards_map, facts.generator("g1")
        image, exponent = made.forth(g), 0x1234567890ABCDEF1234567890ABCDEF
        self.assertEqual(made.edwards.mul(exponent, image), made.forth(group.mul(exponent, g)))


if __name__ == "__main__":
    unittest.main()
