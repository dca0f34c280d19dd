package proofmill_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	proofmill "github.com/proofmill/proofmill/host/bind/go"
)

// generated is the folder with the files of tools/circom_files.py.
var generated = os.Getenv("PROOFMILL_TEST_GENERATED")

var _ io.Closer = (*proofmill.Calculator)(nil)

func generatedFile(t *testing.T, name string) []byte {
	t.Helper()
	bytes, err := os.ReadFile(filepath.Join(generated, name))
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

// withFactor returns inputs of which one factor has this value.
func withFactor(factor string) []byte {
	return []byte(`{"factors": [` + factor + strings.Repeat(", 5", 59) + "]}")
}

func openedPair(t *testing.T, protocol string) (*proofmill.Prover, *proofmill.Calculator) {
	t.Helper()
	prover, err := proofmill.OpenProver("cpu:", filepath.Join(generated, protocol+".zkey"), true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { prover.Close() })
	calculator, err := proofmill.OpenCalculatorBytes(generatedFile(t, "circuit.wasm"), proofmill.Limits{MaxBytes: 64 << 20, MaxTime: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { calculator.Close() })
	return prover, calculator
}

func TestProofsFromInputsWithKeysOfBothProtocols(t *testing.T) {
	inputs := generatedFile(t, "input.json")
	for _, protocol := range []string{"groth16", "plonk"} {
		prover, calculator := openedPair(t, protocol)
		key := generatedFile(t, protocol+".json")
		fromInputs, err := prover.FullProve(calculator, inputs)
		if err != nil {
			t.Fatal(err)
		}
		inContext, err := prover.FullProveContext(context.Background(), calculator, inputs)
		if err != nil {
			t.Fatal(err)
		}
		fromWitness, err := prover.Prove(generatedFile(t, "witness.wtns"))
		if err != nil {
			t.Fatal(err)
		}
		for _, proof := range []proofmill.Proof{fromInputs, inContext, fromWitness} {
			if valid, err := proofmill.Verify(key, proof); err != nil || !valid {
				t.Error(protocol, valid, err)
			}
		}
		fromInputs.PublicInputs = []byte(`["1"]`)
		if valid, err := proofmill.Verify(key, fromInputs); err != nil || valid {
			t.Error(protocol, valid, err)
		}
	}
}

func TestWrongInputsAreNamed(t *testing.T) {
	prover, calculator := openedPair(t, "plonk")
	for inputs, part := range map[string]string{
		string(withFactor("1")): "witness generator: wasm: assert failed: Error in template Factors_0 line: 10",
		`{"factors": 3}`:        "inputs: signal `factors` has 1 values; the circuit has 60",
		`{"factor": 3}`:         "inputs: signal `factor` is not an input of the circuit",
		`{}`:                    "inputs: 60 of 60 input values are missing",
	} {
		_, err := prover.FullProve(calculator, []byte(inputs))
		refused(t, err, proofmill.ErrArgument, part)
	}
	_, err := prover.FullProve(calculator, nil)
	refused(t, err, proofmill.ErrFile, "inputs: JSON, byte 0")
	_, err = prover.FullProve(calculator, withFactor("2.5"))
	refused(t, err, proofmill.ErrFile, "inputs: factors, value 0, byte 13")
	_, err = proofmill.OpenCalculator(filepath.Join(generated, "circuit.wasm"), proofmill.Limits{MaxBytes: 65536})
	refused(t, err, proofmill.ErrArgument, "needs more than the memory limit of 65536 bytes")
	_, err = proofmill.OpenCalculator(filepath.Join(generated, "circuit.wasm"), proofmill.Limits{MaxTime: -1})
	refused(t, err, proofmill.ErrArgument, "max_seconds: -")
	_, err = proofmill.OpenCalculator("c\x00.wasm", proofmill.Limits{})
	refused(t, err, proofmill.ErrArgument, "wasmPath: contains a zero byte")
	_, err = proofmill.OpenCalculatorBytes([]byte("{}"), proofmill.Limits{})
	refused(t, err, proofmill.ErrFile, "wasm: module, byte 0")
	_, err = openedProver(t).FullProve(calculator, withFactor("2"))
	refused(t, err, proofmill.ErrArgument, "wasm: a witness has ")
}

func TestCalculatorsAreClosedAndCancelled(t *testing.T) {
	prover, calculator := openedPair(t, "plonk")
	inputs := generatedFile(t, "input.json")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	// The proof may be finished before it is cancelled.
	_, err := prover.FullProveContext(ctx, calculator, inputs)
	if err != nil && !(errors.Is(err, proofmill.ErrCancelled) && errors.Is(err, context.Canceled)) {
		t.Error(err)
	}
	proving, err := prover.StartFull(calculator, inputs)
	if err != nil {
		t.Fatal(err)
	}
	defer proving.Close()
	calculator.Close()
	calculator.Close()
	if _, err := proving.Wait(); err != nil {
		t.Error(err)
	}
	_, err = prover.FullProve(calculator, inputs)
	refused(t, err, proofmill.ErrClosed, "calculator: is closed")
	_, err = prover.FullProve(nil, inputs)
	refused(t, err, proofmill.ErrClosed, "calculator: is not open")
	_, err = new(proofmill.Prover).StartFull(calculator, inputs)
	refused(t, err, proofmill.ErrClosed, "prover: is not open")
}
