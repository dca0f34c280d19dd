"""Tests the Go module for gnark's users: gnark and its contracts verify proofs that proofmill made with gnark's keys, and an ECDSA verification is
measured beside gnark's prover. gnark is fetched and compiled for this."""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from test_go import HERE, ROOT, example, installed, tested, version

#: Compiles contracts and calls them in an EVM.
EVM = ROOT / "interop/evm.mjs"
#: More than any verification takes.
GAS = 5_000_000

MODULE = HERE.parent / "gnark"
NEEDED = tuple(map(int, re.search(r"^go (\d+)\.(\d+)", (MODULE / "go.mod").read_text(), re.M).groups()))

#: The number of the page's example with a prover of one's own.
OWN_PROVER = 2

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
        self.assertEqual(tested(MODULE, EXAMPLE.replace("EXAMPLE", example(OWN_PROVER))), "")

    def run_test(self, name, **variables):
        """Runs one of the module's tests without the race detector, and returns its output."""
        with installed(MODULE, "package gnark_test\n") as environment:
            command = ["go", "test", "-count=1", "-timeout=60m", "-v", "-run", f"^{name}$", "."]
            done = subprocess.run(command, cwd=MODULE, env={**environment, **variables}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_an_ecdsa_verification_beside_gnark(self):
        figures = self.run_test("TestECDSA", PROOFMILL_TEST_LONG="1")
        self.assertIn("times as long", figures)
        print(figures)

    @unittest.skipIf(not EVM.exists(), "interop/evm.mjs is missing")
    def test_gnarks_contracts_accept_our_proofs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "contracts.json"
            self.run_test("TestContracts", PROOFMILL_TEST_CONTRACTS=str(path))
            contracts = json.loads(path.read_text())
        self.assertEqual(len(contracts), 4)
        sources = {name: contract["source"] for name, contract in contracts.items()}
        functions = evm(sources, [])["contracts"]
        calls = []
        for name, contract in contracts.items():
            proof, public = bytes.fromhex(contract["proof"]), list(map(int, contract["public"]))
            selector = functions[name]["functions"][f"verifyProof(bytes,uint256[{len(public)}])"]
            calls.append([name, calldata(selector, proof, public), GAS])
            # Each point in another place, another input, and a proof that is too short.
            altered = [proof[:at] + bytes([proof[at] ^ 1]) + proof[at + 1:] for at in range(31, len(proof), 32)]
            calls += [[name, calldata(selector, other, public), GAS] for other in [*altered, proof[:-64]]]
            calls.append([name, calldata(selector, proof, [public[0] ^ 1, *public[1:]]), GAS])
        results = evm(sources, calls)["results"]
        for at, ((name, data, _), (returned, gas)) in enumerate(zip(calls, results)):
            is_right = at == 0 or calls[at - 1][0] != name
            self.assertEqual(returned, "0x" if is_right else None, f"{name}, call {at}")
            if is_right:
                print(f"{name}: {gas} gas")


def evm(sources, calls):
    """Compiles sources and makes calls `(source, data, gas)`. Returns the reply of evm.mjs."""
    sys.path.insert(0, str(ROOT / "interop"))
    from programs import PACKAGES

    settings = {"optimizer": {"enabled": True, "runs": 200}}
    request = {"sources": sources, "settings": settings, "hardfork": "prague", "calls": calls}
    done = subprocess.run(["node", str(EVM), str(PACKAGES)], input=json.dumps(request), stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def calldata(selector, proof, public):
    """Encodes a call of verifyProof(bytes, uint256[n])."""
    words = [32 * (1 + len(public)), *public, len(proof)]
    return f"0x{selector}" + "".join(f"{word:064x}" for word in words) + proof.hex() + "00" * (-len(proof) % 32)


if __name__ == "__main__":
    unittest.main()
