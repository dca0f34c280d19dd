package gnark_test

import (
	"crypto/rand"
	"math/big"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark-crypto/ecc/secp256k1/ecdsa"
	upstream "github.com/consensys/gnark/backend/groth16"
	"github.com/consensys/gnark/constraint/solver"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/frontend/cs"
	"github.com/consensys/gnark/logger"
	"github.com/consensys/gnark/std/algebra/emulated/sw_emulated"
	"github.com/consensys/gnark/std/math/emulated"
	circuit_ecdsa "github.com/consensys/gnark/std/signature/ecdsa"

	groth16 "github.com/proofmill/proofmill/host/bind/go/gnark"
)

// signed knows a signature on secp256k1 by a public key.
type signed struct {
	Signature circuit_ecdsa.Signature[emulated.Secp256k1Fr]
	Digest    emulated.Element[emulated.Secp256k1Fr]
	Key       circuit_ecdsa.PublicKey[emulated.Secp256k1Fp, emulated.Secp256k1Fr] `gnark:",public"`
}

func (c *signed) Define(api frontend.API) error {
	c.Key.Verify(api, sw_emulated.GetSecp256k1Params(), &c.Digest, &c.Signature)
	return nil
}

func signature(t *testing.T) *signed {
	key, err := ecdsa.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	message := []byte("a message")
	bytes, err := key.Sign(message, nil)
	if err != nil {
		t.Fatal(err)
	}
	scalar := func(bytes []byte) emulated.Element[emulated.Secp256k1Fr] {
		return emulated.ValueOf[emulated.Secp256k1Fr](new(big.Int).SetBytes(bytes))
	}
	return &signed{
		Signature: circuit_ecdsa.Signature[emulated.Secp256k1Fr]{R: scalar(bytes[:32]), S: scalar(bytes[32:])},
		Digest:    emulated.ValueOf[emulated.Secp256k1Fr](ecdsa.HashToInt(message)),
		Key: circuit_ecdsa.PublicKey[emulated.Secp256k1Fp, emulated.Secp256k1Fr]{
			X: emulated.ValueOf[emulated.Secp256k1Fp](key.PublicKey.A.X), Y: emulated.ValueOf[emulated.Secp256k1Fp](key.PublicKey.A.Y)},
	}
}

// An ECDSA verification, beside gnark's prover on as many threads. Its key takes minutes: with PROOFMILL_TEST_LONG only.
func TestECDSA(t *testing.T) {
	if os.Getenv("PROOFMILL_TEST_LONG") == "" {
		t.Skip("PROOFMILL_TEST_LONG is not set")
	}
	logger.Disable()
	made := compiled(t, ecc.BN254, &signed{})
	full, public := witnesses(t, ecc.BN254, signature(t))
	seconds := func(work func() error) float64 {
		begin := time.Now()
		if err := work(); err != nil {
			t.Fatal(err)
		}
		return time.Since(begin).Seconds()
	}
	var proof groth16.Proof
	ours := func() (err error) {
		proof, err = groth16.Prove(made.system, made.proving, full)
		return err
	}
	loaded := seconds(ours)
	if err := groth16.Verify(proof, made.verifying, public); err != nil {
		t.Fatal(err)
	}
	// The solver alone, with a number in the place of the commitment.
	number := func(_ *big.Int, _, outputs []*big.Int) error {
		outputs[0].SetUint64(0x9e3779b97f4a7c15)
		return nil
	}
	alone := solver.OverrideHint(solver.GetHintID(cs.Bsb22CommitmentComputePlaceholder), number)
	var times [3][]float64
	for range 5 {
		for i, work := range []func() error{
			func() error { _, err := made.system.Solve(full, alone); return err },
			ours,
			func() error { _, err := upstream.Prove(made.system, made.proving, full); return err },
		} {
			times[i] = append(times[i], seconds(work))
		}
	}
	solving, here, there := slices.Min(times[0]), slices.Min(times[1]), slices.Min(times[2])
	t.Logf("%d constraints; solver %.3f s; then proofmill %.3f s, gnark %.3f s, %.2f times as long; the first proof with the key %.3f s",
		made.system.GetNbConstraints(), solving, here-solving, there-solving, (there-solving)/(here-solving), loaded)
}
