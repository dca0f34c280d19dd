"""The form of the programs: what is refused and how, costs as stated, flattening, and a name for everything in the curves."""

import re
import tomllib
import unittest
from dataclasses import replace

import curve
import formula
from cases import painted
from field import PrimeField

ALL = {name: formula.load(name) for name in formula.names()}
MALFORMED = tomllib.loads((formula.FOLDER / "malformed.toml").read_text())
GOOD = MALFORMED["good"]
KINDS = {"multiplication": "mul", "squaring": "sqr"}


def stated_cost(program):
    """The cost that a program's comment ends with, such as `11 multiplications, 2 by b3.`"""
    sentence = program.comment.rstrip(".").rpartition(". ")[2]
    cost = {"mul": 0, "sqr": 0, "constant": 0}
    for part in sentence.split(", "):
        match = re.fullmatch(r"(\d+) (?:(multiplication|squaring)s?|by [\w ]+)", part)
        if not match:
            raise ValueError(f"{program.name}: `{part}` is no cost")
        cost[KINDS.get(match[2], "constant")] += int(match[1])
    return cost


def altered(program):
    """The program with one line wrong, for every line: + for -, - for +, + for *, one more in a factor, a sign lost."""
    swap = {"add": "sub", "sub": "add", "mul": "add"}
    for place, line in enumerate(program.lines):
        if line.op == "scale":
            wrong = replace(line, left=line.left + 1)
        elif line.op == "neg":
            wrong = replace(line, op="scale", left=1, right=line.left)
        else:
            wrong = replace(line, op=swap[line.op])
        yield replace(program, lines=program.lines[:place] + (wrong,) + program.lines[place + 1:])


class Form(unittest.TestCase):
    def test_the_example_is_good(self):
        program = formula.parse(GOOD, "f.slp")
        self.assertEqual(program.evaluate(PrimeField("f", 97), {"a": 5, "b": 6}, {"k": 7}), (210 % 97,))
        self.assertEqual(dict(program.cost()), {"mul": 1, "constant": 1})

    def test_refusals_name_the_place(self):
        for case in MALFORMED["case"]:
            with self.subTest(case["new"]):
                self.assertIn(case["old"], GOOD)
                with self.assertRaisesRegex(formula.Malformed, re.escape("f.slp" + case["says"])):
                    formula.parse(GOOD.replace(case["old"], case["new"]), "f.slp")

    def test_a_file_is_called_what_its_formula_is_called(self):
        for name, program in ALL.items():
            self.assertEqual(program.name, name)


class Cost(unittest.TestCase):
    def test_as_stated(self):
        for name, program in ALL.items():
            counted = program.cost()
            self.assertEqual(stated_cost(program), {kind: counted[kind] for kind in ("mul", "sqr", "constant")}, name)

    def test_published_counts_of_base_field_multiplications(self):
        """Aranha et al., ePrint 2010/526, tables 1 and 3, and Granger and Scott: with 3 for a product in Fp2 and 2 for a square."""
        published = {"fp6_mul": 18, "fp6_sqr": 12, "fp12_mul": 54, "fp12_sqr": 36, "fp12_cyclotomic_sqr": 18, "fp12_mul_034": 39, "fp12_mul_014": 39}
        for name, count in published.items():
            program = ALL[name]
            while program.over:
                program = formula.flatten(program, {"fp2_sqr": "fp2_sqr_i"})
            self.assertEqual(program.cost()["mul"], count, name)


class PlantedFaults(unittest.TestCase):
    def test_a_wrong_line_changes_an_output(self):
        """So a test or a vector that compares outputs sees it, whichever line it is."""
        tower = curve.load("bn254").tower
        for name, program in ALL.items():
            ring = getattr(tower, program.over or "fp")
            bound = {constant: painted(ring, f"constant {constant}") for constant in program.constants}
            values = {letter: painted(ring, letter) for letter in program.inputs}
            right = program.evaluate(ring, values, bound)
            for place, wrong in enumerate(altered(program)):
                self.assertNotEqual(wrong.evaluate(ring, values, bound), right, f"{name}, line {place}")


class Flattened(unittest.TestCase):
    """A program gives the same in the tower as its base-field lines do."""

    def test_one_and_two_floors(self):
        for which in ("toy", "bls12_377", "bls12_381"):
            facts = curve.load(which)
            for name, program in ALL.items():
                if program.over:
                    self.check(facts, program)
            self.check(facts, ALL["rcb_madd"], "fp2")

    def check(self, facts, program, over=None):
        tower, over = facts.tower, program.over or over
        ring = getattr(tower, over)
        constants = {"xi": tower.xi, "v": tower.fp6.root, "b3": (5, 7)}
        values = {name: painted(ring, name) for name in program.inputs}
        expected = program.evaluate(ring, values, constants)
        flat, bound = formula.flatten(program, facts.fact["formulas"], over), values
        while True:
            bound = {f"{name}_{i}": part for name, value in bound.items() for i, part in enumerate(value)}
            expected = tuple(part for value in expected for part in value)
            if not flat.over:
                break
            self.assertEqual(flat.evaluate(tower.fp2, bound, constants), expected)
            flat = formula.flatten(flat, facts.fact["formulas"])
        below = {"beta": tower.beta, "xi_0": tower.xi[0], "xi_1": tower.xi[1], "b3_0": 5, "b3_1": 7}
        self.assertEqual(flat.evaluate(facts.fp, bound, below), expected, program.name)


class Choices(unittest.TestCase):
    def test_every_formula_that_a_curve_names_is_there(self):
        for which in curve.names():
            for role, name in curve.load(which).fact["formulas"].items():
                self.assertIn(name, ALL, f"{which}: {role}")

    def test_squares_without_beta_only_where_beta_is_minus_one(self):
        for which in curve.names():
            facts = curve.load(which)
            if facts.fact["formulas"].get("fp2_sqr") == "fp2_sqr_i":
                self.assertEqual(facts.tower.beta, facts.fp.p - 1, which)

    def test_lines_stand_where_the_twist_puts_them(self):
        for which in curve.names():
            facts = curve.load(which)
            if "g2" in facts.groups:
                self.assertEqual(facts.fact["formulas"]["fp12_mul_line"], "fp12_mul_014" if facts.is_m_twist else "fp12_mul_034", which)


if __name__ == "__main__":
    unittest.main()
