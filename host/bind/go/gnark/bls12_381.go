package gnark

import (
	"errors"
	"runtime"
	"weak"

	curve "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr/hash_to_field"
	"github.com/consensys/gnark/backend"
	"github.com/consensys/gnark/backend/groth16"
	gnark "github.com/consensys/gnark/backend/groth16/bls12-381"
	"github.com/consensys/gnark/backend/witness"
	"github.com/consensys/gnark/constraint"
	cs "github.com/consensys/gnark/constraint/bls12-381"
)

// onBls12381 are the types of BLS12-381.
var onBls12381 = suite{
	name: "bls12_381",
	isSystem: func(system constraint.ConstraintSystem) bool {
		r1cs, same := system.(*cs.R1CS)
		return same && r1cs != nil
	},
	isVerifying: func(verifying groth16.VerifyingKey) bool {
		vk, same := verifying.(*gnark.VerifyingKey)
		return same && vk != nil
	},
	prove: proveBls12381,
}

func fromBls12381(pk *gnark.ProvingKey) *source {
	delta1 := point(&pk.G1.Delta)
	convert := func() parts {
		p := parts{
			curve: onBls12381.name, size: int(pk.Domain.Cardinality), noA: pk.InfinityA, noB: pk.InfinityB,
			a: points(pk.G1.A), b1: points(pk.G1.B), k: points(pk.G1.K), z: points(pk.G1.Z), b2: points(pk.G2.B),
			alpha: point(&pk.G1.Alpha), beta1: point(&pk.G1.Beta), delta1: delta1, beta2: point(&pk.G2.Beta), delta2: point(&pk.G2.Delta),
			shift: encode([]fr.Element{pk.Domain.FrMultiplicativeGen}, nil),
			scale: inverseOfVanishing(pk.Domain.FrMultiplicativeGen, int(pk.Domain.Cardinality)),
		}
		for _, commitment := range pk.CommitmentKeys {
			p.bases, p.sigma = append(p.bases, points(commitment.Basis)), append(p.sigma, points(commitment.BasisExpSigma))
		}
		return p
	}
	onFree := func(call func()) { runtime.AddCleanup(pk, func(call func()) { call() }, call) }
	return &source{suite: &onBls12381, delta1: delta1, weak: weak.Make(pk), onFree: onFree, parts: convert}
}

func proveBls12381(k *key, c *circuit, full witness.Witness, config backend.ProverConfig) (groth16.Proof, error) {
	made, err := prove[fr.Element, *fr.Element, curve.G1Affine](k, c, full, config, field[fr.Element]{
		solution: func(solved any) (a, b, c, wires []fr.Element) {
			s := solved.(*cs.R1CSSolution)
			return s.A, s.B, s.C, s.W
		},
		hash: fr.Hash, toField: hash_to_field.New,
	})
	if err != nil {
		return nil, err
	}
	proof := &gnark.Proof{Commitments: make([]curve.G1Affine, len(made.commitments))}
	problems := []error{read(&proof.Ar, made.a), read(&proof.Bs, made.b), read(&proof.Krs, made.c), read(&proof.CommitmentPok, made.knowledge)}
	for i, commitment := range made.commitments {
		problems = append(problems, read(&proof.Commitments[i], commitment))
	}
	return proof, errors.Join(problems...)
}
