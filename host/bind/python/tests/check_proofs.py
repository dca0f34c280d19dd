"""Proofs, and the examples of the README, unchanged."""

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
PROOFMILL = Path(os.environ["PROOFMILL_PROGRAM"])


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
            self.assertTrue(proofmill.verify(files / "verification_key.json", json.dumps(made.proof), json.dumps(made.public_inputs)))
            other = proofmill.Proof(made.proof, [str(int(value) ^ 1) for value in made.public_inputs])
            self.assertFalse(proofmill.verify(prover.verification_key, other))

    def test_batches(self):
        files = self.folder / "bn"
        made = proofmill.prove_batch((files / "INSECURE.zkey").read_bytes(), [files / "witness.wtns"] * 3)
        self.assertEqual([proofmill.verify(files / "verification_key.json", proof) for proof in made], [True] * 3)
        self.assertEqual(len({json.dumps(proof.proof) for proof in made}), 3, "each has randomness of its own")

    def test_one_that_has_no_proof_is_no_hindrance_to_others(self):
        right = (self.folder / "bn/witness.wtns").read_bytes()
        wrong = right[:-32] + bytes([right[-32] ^ 1]) + right[-31:]
        prover = proofmill.Prover(self.folder / "bn/INSECURE.zkey", device="cpu:?threads=2")
        with self.assertRaises(proofmill.DoesNotVerifyError):
            prover.prove_batch([right, wrong])
        first, second, third, fourth = prover.prove_batch([right, wrong, b"", right], errors="return")
        self.assertTrue(all(proofmill.verify(prover.verification_key, made) for made in (first, fourth)))
        self.assertIsInstance(second, proofmill.DoesNotVerifyError)
        self.assertIsInstance(third, proofmill.FileError)
        self.assertIn("witnesses[2]", str(third))
        self.assertEqual(prover.prove_batch([]), [])

    def test_bars_go_to_their_end(self):
        class Bar:
            def __init__(self, total):
                self.total, self.n = total, 0

            def update(self, n):
                self.n += n

        prover = proofmill.Prover(self.folder / "bls/INSECURE.zkey")
        for bar, prove in ((Bar(1), prover.prove), (Bar(100), prover.prove), (Bar(None), prover.prove),
                           (Bar(3), lambda witness, progress: prover.prove_batch([witness] * 3, progress=progress))):
            prove(self.folder / "bls/witness.wtns", progress=bar)
            self.assertAlmostEqual(bar.n, bar.total or 1)

    def test_an_interrupt_gives_up_a_proof_and_a_batch(self):
        command = [PROOFMILL, "dev", "circuit", "chain", "--constraints", "30000", "--out", self.folder / "long"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        program = (
            "import os, signal, sys, threading, time, proofmill\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background commands ignore it\n"
            "prover = proofmill.Prover('INSECURE.zkey', device='cpu:?threads=1')\n"
            "def interrupt(*_):\n"
            "    global said\n"
            "    if 'said' not in globals():\n"
            "        said = time.process_time()\n"
            "        os.kill(os.getpid(), signal.SIGINT)\n"
            "class Bar:\n"
            "    update = interrupt\n"
            "try:\n"
            "    PROVE\n"
            "except KeyboardInterrupt:\n"
            "    print('interrupted', time.process_time() - said)\n"
        )
        for prove in ("prover.prove('witness.wtns', progress=interrupt)", "prover.prove_batch(['witness.wtns'] * 1000, progress=Bar())"):
            run = [sys.executable, "-c", program.replace("PROVE", prove)]
            done = subprocess.run(run, cwd=self.folder / "long", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
            word, seconds = done.stdout.split()
            self.assertEqual(word, "interrupted", done.stdout)
            self.assertLess(float(seconds), 2, "a proof goes on after the interrupt")  # of the processor

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
        self.assertEqual(len(examples), 4)
        first = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
        self.assertEqual(len(first), 1)
        examples.append("import proofmill; points, scalars = [(1, 2)], [5]\n" + first[0])
        work = self.folder / "readme"
        work.mkdir()
        (work / "circuit.zkey").symlink_to(self.folder / "bn/INSECURE.zkey")
        (work / "witness.wtns").symlink_to(self.folder / "bn/witness.wtns")
        for example in examples:
            done = subprocess.run([sys.executable, "-c", example], cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
