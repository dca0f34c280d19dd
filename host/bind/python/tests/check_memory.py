"""No value of a witness remains in the memory of a Python process after its proofs."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "tools"))

from memory_scan import levels_of_bindings, remaining_in  # noqa: E402

CLIENT = """
import sys, proofmill
prover = proofmill.Prover(sys.argv[1])
for _ in range(20):
    prover.prove(sys.argv[2])
print("done", flush=True)
sys.stdin.read()
"""


class Memory(unittest.TestCase):
    def test_no_value_of_a_witness_remains(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["proofmill", "dev", "circuit", "chain", "--constraints", "16000", "--out", folder], check=True, stdout=subprocess.DEVNULL)
            key, witness = f"{folder}/INSECURE.zkey", f"{folder}/witness.wtns"
            for level in levels_of_bindings():
                with self.subTest(level=level):
                    self.assertEqual(remaining_in([sys.executable, "-c", CLIENT, key, witness], witness, PROOFMILL_ISA=level), 0)


if __name__ == "__main__":
    unittest.main()
