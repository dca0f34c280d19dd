"""Tests the Go module for gnark's users: gnark verifies proofs that proofmill made with gnark's keys. gnark is fetched and compiled for this."""

import re
import unittest

from test_go import HERE, example, tested, version

MODULE = HERE.parent / "gnark"
NEEDED = tuple(map(int, re.search(r"^go (\d+)\.(\d+)", (MODULE / "go.mod").read_text(), re.M).groups()))

EXAMPLE = """package gnark_test

import (
	"testing"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark/backend/groth16"
	"github.com/consensys/gnark/frontend"

	"github.com/proofmill/proofmill/host/bind/go/gnark"
)

func TestTheExampleOfThePage(t *testing.T) {
	made := compiled(t, ecc.BN254, &chain{steps: 5})
	device, system, provingKey, verifyingKey := opened(t), made.system, made.proving, made.verifying
	fullWitness, err := frontend.NewWitness(assignment(5, ecc.BN254), ecc.BN254.ScalarField())
	if err != nil {
		t.Fatal(err)
	}
	publicWitness, err := fullWitness.Public()
	if err != nil {
		t.Fatal(err)
	}
	{
		EXAMPLE
		if err != nil {
			t.Fatal(err)
		}
	}
}
"""


@unittest.skipIf(version() < NEEDED, f"there is no Go of at least {'.'.join(map(str, NEEDED))}, which gnark wants")
class Gnark(unittest.TestCase):
    def test_gnark_verifies_our_proofs(self):
        self.assertEqual(tested(MODULE, EXAMPLE.replace("EXAMPLE", example(1))), "")


if __name__ == "__main__":
    unittest.main()
