"""The vector files: they keep to their schema, and they hold what was wished for."""

import json
import unittest

import equihash_verify as equihash
import schema
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


class Shell(unittest.TestCase):
    def test_replies_say_their_length(self):
        for name in ("wire/shell.json", "wire/shell_toy.json"):
            for case in FILES[name]["cases"]:
                for exchange in case["exchanges"]:
                    reply = bytes.fromhex(exchange["reply"])
                    self.assertEqual(int.from_bytes(reply[:4], "little"), len(reply), case["id"])


if __name__ == "__main__":
    unittest.main()
