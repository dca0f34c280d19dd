"""The vector files: they keep to their schema, and they hold what was wished for."""

import json
import unittest

import curve
import ecdsa_verify as ecdsa
import encoding
import equihash_verify as equihash
import field
import formula
import msm
import schema
from cases_msm import BASES, CURVES, DISTRIBUTIONS, PUBLISHED
from pairing import Pairing
from vectors import VECTORS

SCHEMA = json.loads((VECTORS / "schema.json").read_text())
FILES = {path.relative_to(VECTORS).as_posix(): json.loads(path.read_text()) for path in sorted(VECTORS.glob("*/*.json"))}


class Schema(unittest.TestCase):
    def test_every_file_keeps_to_it(self):
        self.assertGreaterEqual(len(FILES), 5)
        for name, content in FILES.items():
            self.assertEqual(schema.faults(content, SCHEMA, SCHEMA), [], name)

    def test_it_refuses_what_is_wrong(self):
        spoilers = {
            "mask too large": lambda case: case.update(mask=64),
            "mask a text": lambda case: case.update(mask="0"),
            "unknown key": lambda case: case.update(note="x"),
            "no id": lambda case: case.pop("id"),
            "odd hex": lambda case: case.update(edits=[{"offset": 1, "xor": "123"}]),
            "negative offset": lambda case: case.update(edits=[{"offset": -1, "xor": "12"}]),
            "unknown network": lambda case: case.update(network="moon"),
            "short limit": lambda case: case.update(network="limit:0x12"),
            "short personalisation": lambda case: case.update(personalisation="Zcash"),
            "both forms": lambda case: case.update(header="00"),
        }
        for name, spoil in spoilers.items():
            content = json.loads((VECTORS / "equihash_verify/144_5.json").read_text())
            spoil(content["cases"][0])
            self.assertNotEqual(schema.faults(content, SCHEMA, SCHEMA), [], name)

    def test_it_refuses_wrong_arithmetic_cases(self):
        spoilers = {
            "field/toy_fp.json": [
                lambda case: case.update(a=5), lambda case: case.update(a="0x05"), lambda case: case.update(a="-0x5"),
                lambda case: case.pop("mul"), lambda case: case.update(bytes="00"),
            ],
            "formula/bn254.json": [
                lambda case: case.update(ring="fp3"), lambda case: case.update(inputs=[]), lambda case: case.update(inputs=[["0x1"]]),
                lambda case: case.update(outputs=["1"]), lambda case: case.update(constants={"b3": 9}),
            ],
            "curve/toy.json": [
                lambda case: case.update(p=["0x1"]), lambda case: case.update(p=["0x1"] * 3), lambda case: case.update(p="0x1"),
                lambda case: case.update(operation="sub"), lambda case: case.update(k="0x1"),
            ],
            "encoding/secp256k1.json": [
                lambda case: case.update(form="hybrid"), lambda case: case.update(refused="not nice"), lambda case: case.update(bytes="0"),
                lambda case: case.update(group="g3"),
            ],
        }
        for name, spoils in spoilers.items():
            for i, spoil in enumerate(spoils):
                content = json.loads((VECTORS / name).read_text())
                spoil(content["cases"][0])
                self.assertNotEqual(schema.faults(content, SCHEMA, SCHEMA), [], f"{name}: spoiler {i}")

    def test_unknown_keywords_are_refused(self):
        with self.assertRaisesRegex(ValueError, "uniqueItems"):
            schema.faults([], {"uniqueItems": True}, {})


class EquihashVerify(unittest.TestCase):
    WANTED = {"200_9": 30, "144_5": 25, "48_5": 80}

    def files(self):
        for instance, count in self.WANTED.items():
            yield instance, count, FILES[f"equihash_verify/{instance}.json"]

    def test_enough_cases_with_names_of_their_own(self):
        for instance, count, content in self.files():
            ids = [case["id"] for case in content["cases"]]
            self.assertGreaterEqual(len(ids), count, instance)
            self.assertEqual(len(set(ids)), len(ids), instance)

    def test_every_bit_stands_in_some_mask_and_alone_where_it_can(self):
        """A repeated index that leaves everything else in order is out of reach for the large sets."""
        for instance, _, content in self.files():
            masks = {case["mask"] for case in content["cases"]}
            for name, bit in equihash.ERROR.items():
                self.assertTrue(any(mask & bit for mask in masks), (instance, name))
                if name != "duplicate_fnd" or instance == "48_5":
                    self.assertIn(bit, masks, (instance, name))

    def test_bases_and_edits_fit(self):
        for instance, _, content in self.files():
            total = equihash.load_params(instance).total_bytes
            for header in content["bases"].values():
                self.assertEqual(len(header), 2 * total, instance)
            for case in content["cases"]:
                if "header" in case:
                    self.assertEqual(len(case["header"]), 2 * total, case["id"])
                else:
                    self.assertIn(case["base"], content["bases"])
                for edit in case.get("edits", []):
                    self.assertLessEqual(edit["offset"] + len(edit["xor"]) // 2, total, case["id"])


class EcdsaVerify(unittest.TestCase):
    #: The published card's faults, and what the rooms of this house cut differently.
    NAMES = {
        "tv1", "tv2", "tv3", "tv4", "tv5", "r-plus-n-wraps", "sum-is-a-doubling-0", "sum-is-the-identity-0", "digest-zero", "digest-n", "s-zero", "r-zero",
        "s-large", "r-is-n", "s-is-n", "q-zero", "qx-is-p", "qy-is-p", "qx-plus-p", "qy-plus-p", "other-curve-0", "x-above-n-lowest", "x-above-n-highest",
        "r-plus-n-modulo-p-lowest", "key-g", "key-minus-g", "key-lambda-g", "key-2g", "u1-lambda", "u2-lambda", "u2-130", "u1-minus-130", "u2-k1-2",
    }

    def setUp(self):
        self.cases = FILES["ecdsa_verify/secp256k1.json"]["cases"]

    def test_wished_for_by_name(self):
        ids = [case["id"] for case in self.cases]
        self.assertGreaterEqual(len(ids), 300)
        self.assertEqual(len(set(ids)), len(ids))
        self.assertLessEqual(self.NAMES, set(ids))

    def test_every_mask_that_there_is(self):
        """A range of r or of s, a coordinate, or several of them; the curve; the identity; no match. Never the timeout."""
        failed, masks = ecdsa.ERROR["failed_sig_ver"], {case["mask"] for case in self.cases}
        self.assertLessEqual({0, failed} | {failed | bit for name, bit in ecdsa.ERROR.items() if name != "timeout_fail"}, masks)
        for mask in masks:
            self.assertFalse(mask & ecdsa.ERROR["timeout_fail"])
            self.assertTrue(mask == 0 or mask & failed, mask)

    def test_it_refuses_what_is_wrong(self):
        for spoil in ({"s": "0x" + "1" * 65}, {"r": "0x01"}, {"hash": 5}, {"qx": "-0x1"}, {"mask": 64}, {"note": "x"}):
            content = json.loads((VECTORS / "ecdsa_verify/secp256k1.json").read_text())
            content["cases"][0].update(spoil)
            self.assertNotEqual(schema.faults(content, SCHEMA, SCHEMA), [], spoil)


class Arithmetic(unittest.TestCase):
    """Every field, curve and formula has its cases, with names of their own and all that was wished for by name."""

    @staticmethod
    def cases(folder, name):
        return FILES[f"{folder}/{name}.json"]["cases"]

    def test_every_file_is_checked(self):
        for folder, names in (("field", field.names()), ("curve", curve.names()), ("formula", curve.names()), ("encoding", ["bls12_381", "secp256k1"])):
            self.assertEqual(sorted(name for name in FILES if name.startswith(f"{folder}/")), [f"{folder}/{name}.json" for name in names])
            for name in names:
                ids = [case["id"] for case in self.cases(folder, name)]
                self.assertEqual(len(set(ids)), len(ids), name)

    def test_every_formula_stands_somewhere_on_a_real_field(self):
        found = {case["formula"] for name in ("bn254", "bls12_381", "bls12_377", "secp256k1") for case in self.cases("formula", name)}
        self.assertEqual(found, set(formula.names()))

    def test_values_are_below_the_modulus(self):
        for name in field.names():
            p = field.load(name).p
            for case in self.cases("field", name):
                for key in ("a", "b", "add", "sub", "mul", "neg", "square", "inverse", "sqrt", "value"):
                    self.assertLess(int(case.get(key) or "0x0", 16), p, case["id"])

    def test_edges_of_scalars(self):
        for name in curve.names():
            r = curve.load(name).r
            scalars = {int(case["k"], 16) for case in self.cases("curve", name) if case["operation"] == "mul"}
            self.assertLessEqual({0, 1, 2, r - 1, r, r + 1, -1}, scalars, name)

    def test_every_reason_and_form(self):
        unreachable = {"secp256k1": {"stray bits", "not in subgroup"}, "bls12_381": set()}
        for name, never in unreachable.items():
            reasons = {case.get("refused") for case in self.cases("encoding", name)} - {None}
            self.assertEqual(reasons, set(encoding.REASONS) - never, name)
        forms = {(case["group"], case["form"], "point" in case) for case in self.cases("encoding", "bls12_381")}
        self.assertEqual(len(forms), 8)


class Msm(unittest.TestCase):
    def files(self):
        for name in CURVES:
            for which in curve.load(name).groups:
                yield name, which, FILES[f"msm/{name}_{which}.json"]

    def test_wished_for_by_name(self):
        names = {f"scalars-{name}" for name in DISTRIBUTIONS} | {f"bases-{name}" for name in BASES} | {f"size-{n}" for n in (0, 1, 2, 3, 100)}
        names |= {"sum-is-the-identity", "sum-is-a-doubling", "bases-opposite-scalars-equal", "bases-repeated-scalars-equal"}
        for name, which, content in self.files():
            ids = [case["id"] for case in content["cases"]]
            self.assertEqual(len(set(ids)), len(ids))
            self.assertLessEqual(names, set(ids), (name, which))

    def test_sums_are_those_of_the_definition(self):
        """Of all small cases; the others are sums of known multiples like them."""
        def element(value):
            return int(value, 16) if isinstance(value, str) else tuple(map(element, value))

        def point(value):
            return value and tuple(map(element, value))

        published = [(of.rsplit("_", 1), FILES[f"msm/{of}_published.json"]) for of in PUBLISHED]
        for name, which, content in [*self.files(), *((*of, content) for of, content in published)]:
            facts = curve.load(name)
            points = [point(value) for value in content["points"]]
            self.assertTrue(all(facts.group(which).contains(it) for it in points))
            few = [case for case in content["cases"] if len(case["points"]) <= (3 if which == "g1" else 2) or "published" in case["tags"]]
            self.assertGreaterEqual(len(few), 5)
            for case in few:
                found = msm.total(facts.group(which), [points[i] for i in case["points"]], [int(k, 16) for k in case["scalars"]])
                self.assertEqual(found, point(case["sum"]), case["id"])

    def test_scalars_are_below_the_order_and_as_many_as_points(self):
        for name, which, content in self.files():
            for case in content["cases"]:
                self.assertEqual(len(case["points"]), len(case["scalars"]))
                self.assertTrue(all(i < len(content["points"]) for i in case["points"]))
                self.assertTrue(all(int(k, 16) < curve.load(name).r for k in case["scalars"]), case["id"])

    def test_it_refuses_what_is_wrong(self):
        for spoil in ({"scalars": ["1"]}, {"points": [-1]}, {"sum": "0x1"}, {"sum": ["0x1"]}, {"note": "x"}):
            content = json.loads((VECTORS / "msm/bn254_g1.json").read_text())
            content["cases"][1].update(spoil)
            self.assertNotEqual(schema.faults(content, SCHEMA, SCHEMA), [], spoil)


class PairingFiles(unittest.TestCase):
    def test_one_value_is_that_of_the_definition_and_published_products_are_what_they_say(self):
        """Uses few pairs, because the definition is slow; test_pairing.py tests bilinearity."""
        def element(value):
            return int(value, 16) if isinstance(value, str) else tuple(map(element, value))

        def point(value):
            return value and element(value)

        for name, ids in {"bn254": ("full-multiples", "published-one-point", "published-jeff1"), "bls12_381": ("published-matter-0", "published-matter-16")}.items():
            pairing = Pairing(name)
            cases = {case["id"]: case for case in FILES[f"pairing/{name}.json"]["cases"]}
            for case in map(cases.get, ids):
                value = pairing.fp12.one
                for p, q in case["pairs"]:
                    value = pairing.fp12.mul(value, pairing(point(p), point(q)))
                self.assertEqual(value == pairing.fp12.one, case["is_one"], case["id"])
                if "value" in case:
                    self.assertEqual(value, element(case["value"]), case["id"])


class Shell(unittest.TestCase):
    def test_replies_say_their_length(self):
        for name in ("wire/shell.json", "wire/shell_toy.json", "wire/shell_ecdsa.json"):
            for case in FILES[name]["cases"]:
                for exchange in case["exchanges"]:
                    reply = bytes.fromhex(exchange["reply"])
                    self.assertEqual(int.from_bytes(reply[:4], "little"), len(reply), case["id"])


if __name__ == "__main__":
    unittest.main()
