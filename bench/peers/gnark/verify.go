package main

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"time"

	curve "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	groth16 "github.com/consensys/gnark/backend/groth16/bls12-381"
)

// A key and proofs. The fields are documented in ../works/src/groth16.rs.
type proofs struct {
	Alpha, Beta, Gamma, Delta string
	Ic                        []string
	Proofs                    []struct {
		Publics []string
		A, B, C string
	}
}

// The state that is prepared before the clock starts.
type claims struct {
	key     groth16.VerifyingKey
	proofs  []groth16.Proof
	publics []fr.Vector
}

// Returns the seconds of all verifications, one after the other: gnark has no batch verification.
func (c *claims) seconds() float64 {
	start := time.Now()
	for i := range c.proofs {
		check(groth16.Verify(&c.proofs[i], &c.key, c.publics[i]))
	}
	return time.Since(start).Seconds()
}

func readClaims(path string) *claims {
	text, err := os.ReadFile(path)
	check(err)
	var list [1]proofs
	check(json.Unmarshal(text, &list))
	from := list[0]
	c := &claims{proofs: make([]groth16.Proof, len(from.Proofs))}
	c.key.G1.Alpha = g1(from.Alpha)
	c.key.G2.Beta, c.key.G2.Gamma, c.key.G2.Delta = g2(from.Beta), g2(from.Gamma), g2(from.Delta)
	for _, point := range from.Ic {
		c.key.G1.K = append(c.key.G1.K, g1(point))
	}
	check(c.key.Precompute())
	for i, proof := range from.Proofs {
		c.proofs[i] = groth16.Proof{Ar: g1(proof.A), Krs: g1(proof.C), Bs: g2(proof.B)}
		publics := make(fr.Vector, len(proof.Publics))
		for j, value := range proof.Publics {
			publics[j].SetBytes(decoded(value))
		}
		c.publics = append(c.publics, publics)
	}
	return c
}

func decoded(text string) []byte {
	bytes, err := hex.DecodeString(text)
	check(err)
	return bytes
}

func g1(text string) (point curve.G1Affine) {
	_, err := point.SetBytes(decoded(text))
	check(err)
	return
}

func g2(text string) (point curve.G2Affine) {
	_, err := point.SetBytes(decoded(text))
	check(err)
	return
}
