"""Proofs from inputs, and keys of both protocols, with a generator of circom; and the examples of the page."""

import json
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

import proofmill

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "tools"))

import circom_files  # noqa: E402


def with_factor(factor):
    return {"factors": [factor] + [5] * 59}


class FullProve(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = circom_files.folder()
        cls.calculator = proofmill.WitnessCalculator(cls.files / "circuit.wasm", max_bytes=64 << 20, max_seconds=60)
        cls.inputs = json.loads((cls.files / "input.json").read_text())

    def refused(self, error, message, inputs, prover=None, calculator=None):
        prover = prover or proofmill.Prover(self.files / "plonk.zkey")
        with self.assertRaises(error) as raised:
            prover.full_prove(calculator or self.calculator, inputs)
        self.assertIn(message, str(raised.exception))

    def test_both_protocols_and_every_form_of_inputs(self):
        path = self.files / "input.json"
        for protocol in circom_files.PROTOCOLS:
            prover = proofmill.Prover(self.files / f"{protocol}.zkey")
            self.assertEqual((prover.protocol, prover.curve, prover.verifying_key.protocol), (protocol, "bn254", protocol))
            self.assertEqual(prover.verification_key, json.loads((self.files / f"{protocol}.json").read_text()))
            numbers = {"factors": tuple(map(int, self.inputs["factors"]))}
            for inputs in (self.inputs, numbers, path.read_text(), path.read_bytes(), bytearray(path.read_bytes()), path, str(path)):
                made = prover.full_prove(self.calculator, inputs)
                self.assertTrue(proofmill.verify(prover.verification_key, made))
            witness = prover.prove_batch([self.files / "witness.wtns"] * 2)
            self.assertEqual(prover.verifying_key.find_invalid([made, *witness, proofmill.Proof(made.proof, ["1"])]), [3])
            self.assertEqual(made.public_inputs, witness[0].public_inputs)
            made = proofmill.full_prove(self.files / f"{protocol}.zkey", (self.files / "circuit.wasm").read_bytes(), self.inputs)
            self.assertTrue(proofmill.verify(self.files / f"{protocol}.json", made))
        self.assertEqual((self.calculator.curve, self.calculator.values), ("bn254", 120))

    def test_progress_begins_with_the_witness_and_bars_end(self):
        class Bar:
            total, done = 100, 0.0

            def update(self, more):
                self.done += more

        for protocol in circom_files.PROTOCOLS:
            prover, steps, bars = proofmill.Prover(self.files / f"{protocol}.zkey"), [], [Bar(), Bar()]
            prover.full_prove(self.calculator, self.inputs, progress=lambda step, part: steps.append((step, part)))
            self.assertEqual(steps[:2], [("witness", 0.0), ("witness", 1.0)])
            self.assertEqual(steps[-1], ("check", 1.0))
            prover.full_prove(self.calculator, self.inputs, progress=bars[0])
            prover.prove(self.files / "witness.wtns", progress=bars[1])
            for bar in bars:
                self.assertAlmostEqual(bar.done, 100)

    def test_wrong_inputs_are_named(self):
        for message, inputs in (
            ("assert failed: Error in template Factors_0 line: 10", with_factor(1)),
            ("inputs: signal `factors` has 1 values; the circuit has 60", {"factors": 3}),
            ("inputs: signal `factor` is not an input of the circuit", {"factor": 3}),
            ("inputs: 60 of 60 input values are missing; given are none", {}),
            ("inputs: ", {"factors": {1, 2}}),
            ("inputs: int; expected", 5),
        ):
            self.refused(proofmill.ArgumentError, message, inputs)
        for message, inputs in (
            ("inputs: JSON, byte 0", b"{"),
            ("inputs: JSON, byte 0", b""),
            ("inputs: inputs, byte 0: not an object of signals", b"[]"),
            ("inputs: factors, value 0, byte 13: not an integer", with_factor(2.5)),
            ("inputs: ", "/nowhere/input.json"),
        ):
            self.refused(proofmill.FileError, message, inputs)
        with tempfile.TemporaryDirectory() as folder:
            command = [circom_files.PROOFMILL, "dev", "circuit", "chain", "--constraints", 60, "--out", folder]
            circom_files.run(command)
            self.refused(proofmill.ArgumentError, "circuit.wasm: a witness has ", self.inputs, proofmill.Prover(f"{folder}/INSECURE.zkey"))

    def test_wrong_generators_are_named(self):
        wasm = self.files / "circuit.wasm"
        for error, message, arguments, limits in (
            (proofmill.ArgumentError, "limits: ", [wasm], {"max_bytes": 65536}),
            (proofmill.ArgumentError, "max_bytes: -1", [wasm], {"max_bytes": -1}),
            (proofmill.ArgumentError, "max_bytes: float", [wasm], {"max_bytes": 1.0}),
            (proofmill.ArgumentError, "max_seconds: -1", [wasm], {"max_seconds": -1}),
            (proofmill.ArgumentError, "max_seconds: NaN", [wasm], {"max_seconds": float("nan")}),
            (proofmill.ArgumentError, "max_seconds: str", [wasm], {"max_seconds": "1"}),
            (proofmill.ArgumentError, "wasm: int", [5], {}),
            (proofmill.FileError, "/nowhere/c.wasm", ["/nowhere/c.wasm"], {}),
            (proofmill.FileError, "wasm: module, byte 0", [b"{}"], {}),
        ):
            with self.subTest(message), self.assertRaises(error) as raised:
                proofmill.WitnessCalculator(*arguments, **limits)
            self.assertIn(message, str(raised.exception))

    def test_the_example_of_the_page(self):
        text, = (text for text in re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/use/python.md").read_text(), re.S | re.M) if "full_prove" in text)
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            for name, to in (("circuit.zkey", "plonk.zkey"), ("circuit.wasm", "circuit.wasm"), ("input.json", "input.json")):
                (Path(folder) / name).symlink_to(self.files / to)
            os.chdir(folder)
            try:
                exec(compile(text, "docs/use/python.md", "exec"), {})
            finally:
                os.chdir(before)


if __name__ == "__main__":
    unittest.main()
