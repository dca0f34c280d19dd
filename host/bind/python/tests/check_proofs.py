"""Proofs, and the examples of the README as they stand there."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import proofmill

ROOT = Path(__file__).resolve().parents[4]
PROOFMILL = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/proofmill"


class Proofs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        for name, curve, constraints in (("bn", "bn254", 60), ("bls", "bls12_381", 60), ("other", "bn254", 30)):
            command = [PROOFMILL, "dev", "circuit", "chain", "--curve", curve, "--constraints", str(constraints), "--out", cls.folder / name]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def test_proofs_convince(self):
        for name, curve in (("bn", "bn254"), ("bls", "bls12_381")):
            files = self.folder / name
            prover = proofmill.Prover(files / "INSECURE.zkey")
            self.assertEqual(prover.curve, curve)
            self.assertEqual(prover.verification_key, json.loads((files / "verification_key.json").read_text()))
            steps = []
            made = prover.prove((files / "witness.wtns").read_bytes(), progress=lambda step, part: steps.append((step, part)))
            self.assertTrue(steps and all(0 <= part <= 1 for _, part in steps))
            self.assertTrue(proofmill.verify(prover.verification_key, made))
            self.assertTrue(proofmill.verify(files / "verification_key.json", json.dumps(made.proof), json.dumps(made.public)))
            other = proofmill.Proof(made.proof, [str(int(value) ^ 1) for value in made.public])
            self.assertFalse(proofmill.verify(prover.verification_key, other))

    def test_batches(self):
        files = self.folder / "bn"
        made = proofmill.prove_batch((files / "INSECURE.zkey").read_bytes(), [files / "witness.wtns"] * 3)
        self.assertEqual([proofmill.verify(files / "verification_key.json", proof) for proof in made], [True] * 3)
        self.assertEqual(len({json.dumps(proof.proof) for proof in made}), 3, "each has randomness of its own")

    def test_what_is_refused(self):
        key, other = self.folder / "bn/INSECURE.zkey", self.folder / "other/witness.wtns"
        for expected, said, attempt in (
            (proofmill.FileError, "nowhere", lambda: proofmill.Prover("/nowhere")),
            (proofmill.FileError, "zkey", lambda: proofmill.Prover(b"zkey")),
            (proofmill.ArgumentError, "witness: has 32 values", lambda: proofmill.prove(key, other)),
            (proofmill.FileError, "witness", lambda: proofmill.prove(key, b"")),
            (proofmill.ArgumentError, "gpu:", lambda: proofmill.prove(key, other, device="gpu:")),
            (proofmill.FileError, "verification_key", lambda: proofmill.verify("{}", "{}", "[]")),
            (proofmill.ArgumentError, "zkey: int", lambda: proofmill.Prover(7)),
        ):
            with self.assertRaisesRegex(expected, said):
                attempt()

    def test_a_progress_that_fails_spoils_no_proof(self):
        files = self.folder / "bn"
        hook, sys.unraisablehook, seen = sys.unraisablehook, lambda raised: seen.append(raised.exc_type), []
        try:
            made = proofmill.prove(files / "INSECURE.zkey", files / "witness.wtns", progress=lambda: None)
        finally:
            sys.unraisablehook = hook
        self.assertIn(TypeError, seen)
        self.assertTrue(proofmill.verify(files / "verification_key.json", made))

    def test_the_examples_of_the_readme(self):
        text = (Path(__file__).resolve().parents[1] / "README.md").read_text()
        examples = re.findall(r"```python\n(.*?)```", text, re.S)
        self.assertEqual(len(examples), 3)
        work = self.folder / "readme"
        work.mkdir()
        (work / "circuit.zkey").symlink_to(self.folder / "bn/INSECURE.zkey")
        (work / "witness.wtns").symlink_to(self.folder / "bn/witness.wtns")
        for example in examples:
            done = subprocess.run([sys.executable, "-c", example], cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
