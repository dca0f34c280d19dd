"""proofmill and snarkjs read the same from the constraints of circom, and find the same witnesses wrong."""

import json
import re
import tempfile
import unittest
from pathlib import Path

import circuits
from programs import circom, done, proofmill, snarkjs

#: A term of snarkjs or proofmill: an optional coefficient and an optional name.
TERM = re.compile(r"([-+]?)\s*(\d+)?\*?([A-Za-z_][\w.\[\]]*)?")
#: A constraint of either.
CONSTRAINT = re.compile(r"\[ (.*?)\] \* \[ (.*?)\] - \[ (.*?)\] = 0$", re.M)
#: Lines of `snarkjs r1cs info`, and names in ours.
INFO = {"Wires": "variables", "Constraints": "constraints", "Private Inputs": "private_inputs", "Labels": "labels", "Outputs": "outputs"}


def sum_of(text, variables, r, has_one):
    """Returns the coefficients below r by variable. snarkjs writes the 1 behind a constant's coefficient (`has_one`)."""
    found = {}
    for sign, number, name in TERM.findall(text.strip()):
        if number or name:
            if has_one and not name:
                number = number.removesuffix("1")
            variable = variables[name] if name else 0
            coefficient = int(number or "1") * (-1 if sign == "-" else 1)
            found[variable] = (found.get(variable, 0) + coefficient) % r
    return {variable: coefficient for variable, coefficient in found.items() if coefficient}


def constraints(text, variables, r, has_one=False):
    return [[sum_of(part, variables, r, has_one) for part in parts] for parts in CONSTRAINT.findall(text)]


class Constraints:
    """The constraints of a circuit, and a witness."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.r1cs, wasm = circom(cls.circuit, cls.prime, cls.folder)
        cls.sym, cls.wtns = cls.r1cs.with_suffix(".sym"), circuits.witness(cls.folder, wasm, cls.values)
        lines = (line.split(",") for line in cls.sym.read_text().splitlines())
        cls.variables = {name: int(variable) for _, variable, _, name in lines}

    def checked(self, wtns, *more):
        """The outcome of our check."""
        return proofmill("witness", "check", self.r1cs, wtns, "--sym", self.sym, *more)

    def test_both_describe_the_same(self):
        ours, theirs = json.loads(done(proofmill("r1cs", "info", self.r1cs, "--json"))), done(snarkjs("r1cs", "info", self.r1cs))
        for name, own in INFO.items():
            with self.subTest(name):
                self.assertEqual(ours[own], int(re.search(rf"# of {name}: (\d+)", theirs)[1]))
        self.assertEqual(ours["public_inputs"] - ours["outputs"], int(re.search(r"# of Public Inputs: (\d+)", theirs)[1]))

    def test_both_print_the_same(self):
        ours = done(proofmill("r1cs", "print", self.r1cs, "--sym", self.sym))
        theirs = done(snarkjs("r1cs", "print", self.r1cs, self.sym))
        ours, theirs = constraints(ours, self.variables, self.r), constraints(theirs, self.variables, self.r, has_one=True)
        self.assertGreater(len(ours), 100)
        self.assertEqual(len(ours), len(theirs))
        for number, (own, other) in enumerate(zip(ours, theirs)):
            self.assertEqual(own, other, number)

    def test_both_accept_the_witness(self):
        self.assertEqual(self.checked(self.wtns).returncode, 0)
        self.assertIn("WITNESS IS CORRECT", done(snarkjs("wtns", "check", self.r1cs, self.wtns)))

    def test_both_find_a_wrong_value(self):
        content = self.wtns.read_bytes()
        count = json.loads(done(proofmill("r1cs", "info", self.r1cs, "--json")))["variables"]
        printed = constraints(done(proofmill("r1cs", "print", self.r1cs, "--sym", self.sym)), self.variables, self.r)
        wrong = self.folder / "wrong.wtns"
        for variable in (1, count // 3, count - 1):
            with self.subTest(variable):
                changed = bytearray(content)
                changed[len(content) - 32 * (count - variable)] ^= 1
                wrong.write_bytes(changed)
                self.assertEqual(snarkjs("wtns", "check", self.r1cs, wrong).returncode, 1)
                result = self.checked(wrong, "--json", "--max", "1000")
                self.assertEqual(result.returncode, 1)
                report = json.loads(result.stdout)
                found = [violation["constraint"] for violation in report["violations"]]
                self.assertEqual((report["valid"], report["violated"]), (False, len(found)))
                self.assertGreater(len(found), 0)
                for number in found:
                    self.assertTrue(any(variable in part for part in printed[number]), number)


class PoseidonChain(Constraints, unittest.TestCase):
    circuit, prime, values = "poseidon_chain", "bn128", {"secret": "20260721"}
    r = 21888242871839275222246405745257275088548364400416034343698204186575808495617


class SquaresOverBls12381(Constraints, unittest.TestCase):
    circuit, prime, values = "squares", "bls12381", {"secret": "3", "addend": "5"}
    r = 52435875175126190479447740508185965837690552500527637822603658699938581184513


class CustomGates(unittest.TestCase):
    def test_custom_gates_are_named_and_not_checked(self):
        with tempfile.TemporaryDirectory() as folder:
            r1cs, wasm = circom("custom_gates", "bn128", Path(folder))
            report = json.loads(done(proofmill("r1cs", "info", r1cs, "--json")))
            self.assertEqual((report["custom_gates"], report["custom_gate_uses"]), (["Range", "Range"], 2))
            made = circuits.witness(Path(folder), wasm, {"value": "200"})
            result = proofmill("witness", "check", r1cs, made)
            self.assertEqual(result.returncode, 0)
            self.assertIn("custom gates are not checked: 2 uses", result.stdout)


if __name__ == "__main__":
    unittest.main()
