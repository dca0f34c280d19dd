"""The road of a circom circuit in examples/circom: it ends well, and prints each step, its seconds and those of snarkjs."""

import re
import sys
import unittest

from programs import ROOT
from place import run  # found by way of programs


class Road(unittest.TestCase):
    def test_each_step_of_each_protocol(self):
        # One proof of each application: snarkjs takes seconds for one of PLONK or FFLONK.
        output = run([sys.executable, ROOT / "examples/circom/road.py", "--proofs", 1])
        print(output)
        self.assertEqual(re.findall(r"^(\w+), preimage$", output, re.M), ["groth16", "plonk", "fflonk"])
        self.assertEqual(output.count("the contract accepts the proof"), 3)
        compared = re.findall(r"^ +[\d.]+ s +[\d.]+ s  ", output, re.M)
        self.assertGreaterEqual(len(compared), 25)
        self.assertGreaterEqual(len(re.findall(r"^    exit code [12]: .", output, re.M)), 50)


if __name__ == "__main__":
    unittest.main()
