// gnark-crypto's vectors of scalars (AVX-512 IFMA where the processor has it) as a program for the bench: it reads a line of
// work and writes its seconds. The fields of Work are documented in ../works/src/algebra.rs.
package main

import (
	bls12381 "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	bn254 "github.com/consensys/gnark-crypto/ecc/bn254/fr"

	"proofmill/gnark-crypto-peer/lines"
)

type Work struct {
	Field  string `json:"field"`
	Task   string `json:"task"`
	Count  int    `json:"count"`
	Repeat int    `json:"repeat"`
}

func main() {
	lines.Answer(func(work Work) func() error {
		task := tasks(work)[work.Task]
		if task == nil {
			return nil
		}
		return lines.Repeated(work.Repeat, func() error { task(); return nil })
	})
}

// Returns the operations in a field, or nil for an unknown field.
func tasks(work Work) map[string]func() {
	switch work.Field {
	case "bls12_381_fr":
		a, b, c := make(bls12381.Vector, work.Count), make(bls12381.Vector, work.Count), make(bls12381.Vector, work.Count)
		a.MustSetRandom()
		b.MustSetRandom()
		return map[string]func(){
			"Multiply":    func() { c.Mul(a, b) },
			"Add":         func() { c.Add(a, b) },
			"BatchInvert": func() { c = bls12381.BatchInvert(a) },
		}
	case "bn254_fr":
		a, b, c := make(bn254.Vector, work.Count), make(bn254.Vector, work.Count), make(bn254.Vector, work.Count)
		a.MustSetRandom()
		b.MustSetRandom()
		return map[string]func(){
			"Multiply":    func() { c.Mul(a, b) },
			"Add":         func() { c.Add(a, b) },
			"BatchInvert": func() { c = bn254.BatchInvert(a) },
		}
	}
	return nil
}
