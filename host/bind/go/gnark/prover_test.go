package gnark_test

import (
	"bytes"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark/backend"
	"github.com/consensys/gnark/backend/groth16"
	groth16_bn254 "github.com/consensys/gnark/backend/groth16/bn254"
	"github.com/consensys/gnark/constraint"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/frontend/cs/r1cs"
	"github.com/consensys/gnark/logger"

	proofmill "github.com/proofmill/proofmill/host/bind/go"
	"github.com/proofmill/proofmill/host/bind/go/gnark"
)

// chain squares x and adds i, step by step; some wires are in one matrix only.
type chain struct {
	steps int
	Start frontend.Variable
	End   frontend.Variable `gnark:",public"`
	Twice frontend.Variable `gnark:",public"`
}

func (c *chain) Define(api frontend.API) error {
	x := c.Start
	for i := range c.steps {
		x = api.Add(api.Mul(x, x), i)
	}
	api.AssertIsEqual(x, c.End)
	api.AssertIsEqual(api.Add(c.Start, c.Start), c.Twice)
	return nil
}

func assignment(steps int, curve ecc.ID) *chain {
	start := big.NewInt(3)
	x := new(big.Int).Set(start)
	for i := range steps {
		x.Mul(x, x).Add(x, big.NewInt(int64(i))).Mod(x, curve.ScalarField())
	}
	return &chain{Start: start, End: x, Twice: 6}
}

type made struct {
	system    constraint.ConstraintSystem
	proving   groth16.ProvingKey
	verifying groth16.VerifyingKey
}

func compiled(t *testing.T, curve ecc.ID, circuit frontend.Circuit) made {
	t.Helper()
	system, err := frontend.Compile(curve.ScalarField(), r1cs.NewBuilder, circuit)
	if err != nil {
		t.Fatal(err)
	}
	proving, verifying, err := groth16.Setup(system)
	if err != nil {
		t.Fatal(err)
	}
	return made{system, proving, verifying}
}

func opened(t *testing.T) *proofmill.Device {
	logger.Disable()
	device, err := proofmill.Open("cpu:?threads=2")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { device.Close() })
	return device
}

func TestGnarkVerifiesOurProofs(t *testing.T) {
	device := opened(t)
	for _, curve := range curves {
		for _, steps := range []int{1, 2, 5, 61, 1000} {
			circuit := compiled(t, curve, &chain{steps: steps})
			// The key as it comes from a file of gnark.
			var file bytes.Buffer
			if _, err := circuit.proving.WriteTo(&file); err != nil {
				t.Fatal(err)
			}
			proving := groth16.NewProvingKey(curve)
			if _, err := proving.ReadFrom(&file); err != nil {
				t.Fatal(err)
			}
			prover, err := gnark.NewProver(device, circuit.system, proving, nil)
			if err != nil {
				t.Fatal(err)
			}
			full, err := frontend.NewWitness(assignment(steps, curve), curve.ScalarField())
			if err != nil {
				t.Fatal(err)
			}
			public, err := full.Public()
			if err != nil {
				t.Fatal(err)
			}
			proof, err := prover.Prove(full)
			if err != nil {
				t.Fatalf("%s, %d steps: %v", curve, steps, err)
			}
			if err := groth16.Verify(proof, circuit.verifying, public); err != nil {
				t.Errorf("%s, %d steps: %v", curve, steps, err)
			}
			// As a file of gnark, and back.
			if _, err := proof.WriteTo(&file); err != nil {
				t.Fatal(err)
			}
			again := groth16.NewProof(curve)
			if _, err := again.ReadFrom(&file); err != nil {
				t.Fatal(err)
			}
			if err := groth16.Verify(again, circuit.verifying, public); err != nil {
				t.Error(err)
			}
			other := assignment(steps, curve)
			other.Twice = 7
			wrong, _ := frontend.NewWitness(other, curve.ScalarField(), frontend.PublicOnly())
			if groth16.Verify(proof, circuit.verifying, wrong) == nil {
				t.Error("the proof verifies with other public inputs")
			}
			if _, err := prover.Prove(public); err == nil {
				t.Error("a witness without its private part was accepted")
			}
		}
	}
}

func TestRejections(t *testing.T) {
	device := opened(t)
	one, other := compiled(t, ecc.BN254, &chain{steps: 5}), compiled(t, ecc.BN254, &chain{steps: 5})
	full, err := frontend.NewWitness(assignment(5, ecc.BN254), ecc.BN254.ScalarField())
	if err != nil {
		t.Fatal(err)
	}
	prover, err := gnark.NewProver(device, one.system, one.proving, one.verifying)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := prover.Prove(full); err != nil {
		t.Error(err)
	}
	// Closed, and never opened.
	prover.Close()
	prover.Close()
	for _, prover := range []*gnark.Prover{prover, new(gnark.Prover), nil} {
		if _, err := prover.Prove(full); !errors.Is(err, proofmill.ErrClosed) {
			t.Error(err)
		}
		prover.Close()
	}
	// A key for another circuit, on the same curve.
	larger := compiled(t, ecc.BN254, &chain{steps: 6})
	refused := func(system constraint.ConstraintSystem, proving groth16.ProvingKey, part string) {
		t.Helper()
		if _, err := gnark.NewProver(device, system, proving, nil); !errors.Is(err, proofmill.ErrArgument) || !strings.Contains(err.Error(), part) {
			t.Errorf("%v; expected %q", err, part)
		}
	}
	refused(one.system, larger.proving, "proving: a key for ")
	refused(larger.system, one.proving, "proving: a key for ")
	refused(one.system, nil, "proving: <nil>")
	refused(nil, one.proving, "system: <nil>")
	refused(one.system, (*groth16_bn254.ProvingKey)(nil), "proving: is nil")
	refused(one.system, groth16.NewProvingKey(ecc.BLS12_381), "system: ")
	refused(one.system, groth16.NewProvingKey(ecc.BN254), "proving: a domain of 0")
	refused(one.system, groth16.NewProvingKey(ecc.BW6_761), "proving: ")
	if _, err := gnark.NewProver(nil, one.system, one.proving, nil); !errors.Is(err, proofmill.ErrClosed) {
		t.Error(err)
	}
	// A verifying key of another ceremony.
	prover, err = gnark.NewProver(device, one.system, one.proving, other.verifying)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := prover.Prove(full); !errors.Is(err, proofmill.ErrDoesNotVerify) {
		t.Error(err)
	}
	if _, err := prover.Prove(nil); !errors.Is(err, proofmill.ErrArgument) {
		t.Error(err)
	}
	// Verifying keys that cannot belong to the circuit.
	for _, verifying := range []groth16.VerifyingKey{groth16.NewVerifyingKey(ecc.BLS12_381), (*groth16_bn254.VerifyingKey)(nil), groth16.NewVerifyingKey(ecc.BN254)} {
		if _, err := gnark.NewProver(device, one.system, one.proving, verifying); !errors.Is(err, proofmill.ErrArgument) || !strings.HasPrefix(err.Error(), "verifying: ") {
			t.Error(err)
		}
	}
	// Options.
	for _, option := range []backend.ProverOption{nil, backend.WithIcicleAcceleration()} {
		if _, err := prover.Prove(full, option); !errors.Is(err, proofmill.ErrArgument) || !strings.HasPrefix(err.Error(), "options: ") {
			t.Error(err)
		}
	}
}
