package gnark_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/backend"
	groth16_bn254 "github.com/consensys/gnark/backend/groth16/bn254"
	"github.com/consensys/gnark/backend/solidity"

	groth16 "github.com/proofmill/proofmill/host/bind/go/gnark"
)

// Writes gnark's contracts, and a proof for each, to the file that PROOFMILL_TEST_CONTRACTS names. tests/long_gnark.py calls the contracts.
func TestContracts(t *testing.T) {
	path := os.Getenv("PROOFMILL_TEST_CONTRACTS")
	if path == "" {
		t.Skip("PROOFMILL_TEST_CONTRACTS is not set")
	}
	type contract struct {
		Source string   `json:"source"`
		Proof  string   `json:"proof"`
		Public []string `json:"public"`
	}
	contracts := map[string]contract{}
	for _, c := range cases {
		if c.commitments > 1 {
			continue // gnark 0.16's contract refuses gnark's own proofs, too
		}
		made := compiled(t, ecc.BN254, c.circuit)
		full, public := witnesses(t, ecc.BN254, c.assignment)
		values := public.Vector().(fr.Vector)
		if len(values) == 0 {
			continue // gnark has no contract for no inputs
		}
		proof, err := groth16.Prove(made.system, made.proving, full, solidity.WithProverTargetSolidityVerifier(backend.GROTH16))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var source strings.Builder
		if err := made.verifying.ExportSolidity(&source); err != nil {
			t.Fatal(err)
		}
		one := contract{Source: source.String(), Proof: hex.EncodeToString(proof.(*groth16_bn254.Proof).MarshalSolidity())}
		for i := range values {
			one.Public = append(one.Public, values[i].String())
		}
		contracts[c.name] = one
	}
	text, err := json.Marshal(contracts)
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
