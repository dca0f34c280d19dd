package gnark

import (
	"github.com/consensys/gnark/backend"
	"github.com/consensys/gnark/backend/groth16"
	groth16_bls12377 "github.com/consensys/gnark/backend/groth16/bls12-377"
	groth16_bls12381 "github.com/consensys/gnark/backend/groth16/bls12-381"
	groth16_bn254 "github.com/consensys/gnark/backend/groth16/bn254"
	"github.com/consensys/gnark/backend/witness"
	"github.com/consensys/gnark/constraint"
)

// suite is one of gnark's curves.
type suite struct {
	name        string
	isSystem    func(constraint.ConstraintSystem) bool
	isVerifying func(groth16.VerifyingKey) bool
	prove       func(*key, *circuit, witness.Witness, backend.ProverConfig) (groth16.Proof, error)
}

// source is a key of gnark.
type source struct {
	suite  *suite
	delta1 []byte            // differs between keys
	weak   any               // pointer to the key
	onFree func(call func()) // has the garbage collector call a function after it freed the key
	parts  func() parts      // converts the key
}

// sourceOf returns the key behind an interface.
func sourceOf(system constraint.ConstraintSystem, proving groth16.ProvingKey) (*source, error) {
	var found *source
	switch pk := proving.(type) {
	case *groth16_bn254.ProvingKey:
		if pk != nil {
			found = fromBn254(pk)
		}
	case *groth16_bls12381.ProvingKey:
		if pk != nil {
			found = fromBls12381(pk)
		}
	case *groth16_bls12377.ProvingKey:
		if pk != nil {
			found = fromBls12377(pk)
		}
	default:
		return nil, invalid("proving", "%T; supported are keys on bn254, bls12_381 and bls12_377", proving)
	}
	if found == nil {
		return nil, invalid("proving", "is nil")
	}
	if !found.suite.isSystem(system) {
		return nil, invalid("system", "%T for a key on %s", system, found.suite.name)
	}
	return found, nil
}
