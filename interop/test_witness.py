"""Witnesses that proofmill calculates with circom's WebAssembly generators are those of circom's own JavaScript."""

import json
import subprocess
import tempfile
import tomllib
import unittest
from pathlib import Path

import circuits
from programs import PROOFMILL, ROOT, circom, done, outcome, proofmill, snarkjs

R = int(tomllib.loads((ROOT / "spec/fields/bn254_fr.toml").read_text())["modulus"], 0)
#: Values of `signals.circom` in nested arrays, and a form for each.
NUMBERS = {
    "small integers": [1, 2, 3, 4, 5, 6],
    "decimal strings": ["1", "2", "3", "4", "5", "6"],
    "hexadecimal strings": ["0x1", "0xff", "0xABCDEF", f"{R - 1:#x}", f"{R + 5:#x}", f"{2**300:#x}"],
    "negative integers": [-1, -2, -3, -4, -5, -6],
    "negative strings": ["-1", f"-{R}", f"-{R + 1}", f"-{R - 1}", f"-{2**300}", "-0"],
    "numbers of r and more": [str(R), str(R + 1), str(2 * R), str(R * R), str(2**256), str(10**200)],
    "edges of short numbers": [str(2**31 - 1), str(2**31), str(R - 2**31), str(R - 2**31 - 1), str(2**32), str(2**64)],
    "white space and signs": [" 1", "2\n", "+3", "\t4 ", "0005", "+0"],
    "booleans": [True, False, True, True, False, True],
}
REST = {"point": {"x": "7", "y": [8, 9]}, "points": [{"x": 10, "y": [11, 12]}, {"x": 14, "y": [15, 16]}]}


def inputs(numbers, number=17):
    return {"number": number, "array": [numbers[:3], numbers[3:]], **REST}


class Signals(unittest.TestCase):
    """All forms of inputs, and errors, with the generator of one circuit."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        _, cls.wasm = circom("signals", "bn128", cls.folder)

    def calculated(self, values, *options):
        wanted, ours = self.folder / "input.json", self.folder / "ours.wtns"
        wanted.write_text(values if isinstance(values, str) else json.dumps(values))
        ours.unlink(missing_ok=True)
        return proofmill("witness", "calculate", self.wasm, wanted, "-o", ours, *options), ours

    def generated(self):
        """The witness of the JavaScript that circom writes beside the generator."""
        theirs = self.folder / "theirs.wtns"
        theirs.unlink(missing_ok=True)
        result = outcome(["node", self.wasm.parent / "generate_witness.js", self.wasm, self.folder / "input.json", theirs])
        return result, theirs

    def test_witnesses_are_those_of_circom(self):
        for name, numbers in NUMBERS.items():
            with self.subTest(name):
                result, ours = self.calculated(inputs(numbers))
                done(result)
                theirs = self.generated()[1]
                self.assertEqual(ours.read_bytes(), theirs.read_bytes())

    def test_integers_of_json_are_exact(self):
        """JavaScript rounds integers of JSON above 2^53; proofmill does not."""
        result, ours = self.calculated(inputs([2**53 + 1, R + 1, -(2**70), 10**100, 0, 1]))
        done(result)
        exact = ours.read_bytes()
        done(self.calculated(inputs([str(2**53 + 1), str(R + 1), str(-(2**70)), str(10**100), 0, 1]))[0])
        self.assertEqual(ours.read_bytes(), exact)

    def test_a_failed_assertion_has_the_lines_of_circom(self):
        result, ours = self.calculated(inputs([1, 2, 3, 4, 5, 6], 13))
        self.assertEqual((result.returncode, ours.exists()), (2, False))
        theirs = self.generated()[0]
        lines = [line.strip() for line in theirs.stdout.splitlines() if line.startswith("Error in template")]
        self.assertEqual(len(lines), 2, theirs.stdout)
        self.assertIn("assert failed: " + "; ".join(lines), result.stdout)

    def test_wrong_signals_are_named(self):
        good = inputs([1, 2, 3, 4, 5, 6])
        short = {**good, "array": [[1, 2, 3], [4, 5]]}
        long = {**good, "number": [1, 2]}
        more = {**good, "other": 1}
        flat = {**good, "point": {"x": 1, "y": [1, 2], "z": 3}}
        missing = {name: value for name, value in good.items() if name != "number"}
        cases = {
            "signal `array` has 5 values; the circuit has 6": short,
            "signal `number` has 2 values; the circuit has 1": long,
            "signal `other` is not an input of the circuit": more,
            "signal `point.z` is not an input of the circuit": flat,
            "1 of 16 input values are missing; given are `array` (6), `point.x` (1), `point.y` (2), `points[0].x` (1)": missing,
        }
        for message, values in cases.items():
            with self.subTest(message):
                result, ours = self.calculated(values)
                self.assertEqual((result.returncode, ours.exists()), (2, False))
                self.assertIn(message, result.stdout)
                self.assertNotEqual(self.generated()[0].returncode, 0)

    def test_values_that_are_no_integers_are_refused(self):
        for value in (1.5, None, "abc", "1.0", "-0x1", {"x": 1}):
            with self.subTest(value):
                result, _ = self.calculated(inputs([1, 2, 3, 4, 5, 6], value))
                self.assertEqual(result.returncode, 2)
                self.assertIn("number", result.stdout)
                self.assertNotEqual(self.generated()[0].returncode, 0)

    def test_logs_are_shown_on_request_only(self):
        values = inputs([1, 2, 3, 4, 5, 6], 314159)
        self.assertNotIn("314159", done(self.calculated(values)[0]))
        self.assertIn("number 314159", done(self.calculated(values, "--log")[0]))

    def test_inputs_and_witness_may_be_pipes(self):
        result, ours = self.calculated(inputs([1, 2, 3, 4, 5, 6]))
        done(result)
        with open(self.folder / "input.json") as stdin:
            command = [PROOFMILL, "witness", "calculate", self.wasm, "-", "-o", "-"]
            piped = subprocess.run(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
        self.assertEqual(piped.stdout, ours.read_bytes())

    def test_a_key_of_another_circuit_is_refused(self):
        made = circuits.own(self.folder, "chain", 30)
        self.calculated(inputs([1, 2, 3, 4, 5, 6]))
        result = proofmill("prove", made.zkey, "--wasm", self.wasm, "--input", self.folder / "input.json", "-o", self.folder / "none.json")
        self.assertEqual((result.returncode, (self.folder / "none.json").exists()), (2, False))
        self.assertIn("a witness has", result.stdout)


class Circuits(unittest.TestCase):
    """The circuits of the other tests: the witness of snarkjs, byte by byte, and a proof of it in one command."""

    def agrees(self, maker):
        made = circuits.shared(maker)
        wasm, values = next(made.zkey.parent.glob("*_js/*.wasm")), made.zkey.parent / "input.json"
        with tempfile.TemporaryDirectory() as folder:
            ours, proof, public = (Path(folder) / name for name in ("ours.wtns", "proof.json", "public.json"))
            done(proofmill("witness", "calculate", wasm, values, "-o", ours))
            self.assertEqual(ours.read_bytes(), made.wtns.read_bytes())
            done(proofmill("prove", made.zkey, "--wasm", wasm, "--input", values, "-o", proof, "--public", public))
            done(proofmill("verify", made.vkey, public, proof))
            done(snarkjs("groth16", "verify", made.vkey, public, proof))

    def test_sha256(self):
        """Without a proof: snarkjs makes a key of this size for a minute."""
        with tempfile.TemporaryDirectory() as folder:
            _, wasm = circom("sha256", "bn128", Path(folder))
            theirs, ours = circuits.witness(Path(folder), wasm, {"message": list(circuits.MESSAGE)}), Path(folder) / "ours.wtns"
            done(proofmill("witness", "calculate", wasm, Path(folder) / "input.json", "-o", ours))
            self.assertEqual(ours.read_bytes(), theirs.read_bytes())

    def test_merkle(self):
        self.agrees(circuits.merkle)

    def test_poseidon_chain(self):
        self.agrees(circuits.poseidon_chain)

    def test_squares_over_bls12_381(self):
        self.agrees(circuits.squares)


if __name__ == "__main__":
    unittest.main()
