"""The road of a circom circuit in examples/circom: it ends well, and prints each step, its seconds and those of snarkjs.

By one protocol; by all in the long tests."""

import math
import os
import re
import sys
import unittest

from programs import ROOT
from place import run  # found by way of programs


class Road(unittest.TestCase):
    def test_each_step_of_each_protocol(self):
        # One proof of each application: snarkjs takes seconds for one of PLONK or FFLONK.
        protocols = ["groth16", "plonk", "fflonk"] if os.environ.get("PROOFMILL_LONG") else ["plonk"]
        output = run([sys.executable, ROOT / "examples/circom/road.py", *protocols, "--proofs", 1])
        print(output)
        self.assertEqual(re.findall(r"^(\w+), preimage$", output, re.M), protocols)
        self.assertEqual(output.count("the contract accepts the proof"), len(protocols))
        compared = re.findall(r"^ +[\d.]+ s +[\d.]+ s  ", output, re.M)
        self.assertGreaterEqual(len(compared), math.ceil(25 / 3 * len(protocols)))
        self.assertGreaterEqual(len(re.findall(r"^    exit code [12]: .", output, re.M)), math.ceil(50 / 3 * len(protocols)))


if __name__ == "__main__":
    unittest.main()
