// Package gnark makes Groth16 proofs for gnark's circuits with gnark's proving keys, over BN254, BLS12-381 and BLS12-377, on a device of
// proofmill. gnark solves the circuit, verifies the proofs, and writes and reads them; the device computes the MSMs and NTTs. Circuits may
// have commitments (Bowe, Gabizon, Green, ePrint 2022/1072): range checks, lookups and emulated fields make them.
//
// [NewProver] loads a key to a device of the caller. [Prove] has the arguments of gnark's function, and loads each key once per process.
//
// Witnesses are overwritten wherever this package has them: the solution of the circuit, committed values, scalars and the quotient. gnark's
// own values, such as the caller's witness.Witness and the numbers that the solver passes to hints, are gnark's.
package gnark

import (
	"fmt"

	"github.com/consensys/gnark/backend"
	"github.com/consensys/gnark/backend/groth16"
	"github.com/consensys/gnark/backend/witness"
	"github.com/consensys/gnark/constraint"

	proofmill "github.com/proofmill/proofmill/host/bind/go"
)

// Prover makes proofs for one circuit with one key, whose points are resident on the device. Goroutines may share it.
type Prover struct {
	suite     *suite
	key       *key
	circuit   *circuit
	verifying groth16.VerifyingKey
}

// NewProver loads a key to a device, and checks its points. With a verifying key, every proof is verified before it is returned; nil leaves
// that to the caller.
func NewProver(device *proofmill.Device, system constraint.ConstraintSystem, proving groth16.ProvingKey, verifying groth16.VerifyingKey) (*Prover, error) {
	source, err := sourceOf(system, proving)
	if err != nil {
		return nil, err
	}
	key, err := load(device, source.parts())
	if err != nil {
		return nil, err
	}
	p := &Prover{suite: source.suite, key: key, verifying: verifying}
	if p.circuit, err = key.match(system); err == nil && verifying != nil {
		err = p.checkVerifying()
	}
	if err != nil {
		key.close()
		return nil, err
	}
	return p, nil
}

// checkVerifying returns an error if the verifying key is on another curve or for another number of public inputs or commitments.
func (p *Prover) checkVerifying() error {
	if !p.suite.isVerifying(p.verifying) {
		return invalid("verifying", "%T for a key on %s", p.verifying, p.suite.name)
	}
	// Without the constant, with one input for each commitment.
	expected := p.circuit.public - 1 + len(p.circuit.commitments)
	if found := p.verifying.NbPublicWitness(); found != expected {
		return invalid("verifying", "a key for %d public inputs and commitments; the circuit has %d", found, expected)
	}
	return nil
}

// Prove makes a proof for a full witness. Options are those of gnark's prover: its solver's, and the hash from commitments to the field, with
// which the proof is also verified. A proof that does not verify is proofmill.ErrDoesNotVerify: the keys do not belong together, or the
// device is wrong.
func (p *Prover) Prove(full witness.Witness, options ...backend.ProverOption) (groth16.Proof, error) {
	if p == nil || p.key == nil {
		return nil, &proofmill.Error{Kind: proofmill.ErrClosed, Message: "prover: is not open"}
	}
	config, err := configured(full, options)
	if err != nil {
		return nil, err
	}
	proof, err := p.suite.prove(p.key, p.circuit, full, config)
	if err != nil {
		return nil, err
	}
	if p.verifying == nil {
		return proof, nil
	}
	public, err := full.Public()
	if err != nil {
		return nil, err
	}
	if err := groth16.Verify(proof, p.verifying, public, backend.WithVerifierHashToFieldFunction(config.HashToFieldFn)); err != nil {
		return nil, fmt.Errorf("%w: %w", proofmill.ErrDoesNotVerify, err)
	}
	return proof, nil
}

// Close frees the key on the device. Returns nil.
func (p *Prover) Close() error {
	if p != nil && p.key != nil {
		p.key.close()
	}
	return nil
}

// configured applies options of gnark's prover. Those of its PLONK prover have no effect, as in gnark.
func configured(full witness.Witness, options []backend.ProverOption) (backend.ProverConfig, error) {
	if full == nil {
		return backend.ProverConfig{}, invalid("full", "is nil")
	}
	for i, option := range options {
		if option == nil {
			return backend.ProverConfig{}, invalid("options", "number %d is nil", i)
		}
	}
	config, err := backend.NewProverConfig(options...)
	if err != nil {
		return config, invalid("options", "%v", err)
	}
	return config, nil
}

// invalid returns the error of an argument.
func invalid(argument, format string, values ...any) error {
	return &proofmill.Error{Kind: proofmill.ErrArgument, Message: argument + ": " + fmt.Sprintf(format, values...)}
}
