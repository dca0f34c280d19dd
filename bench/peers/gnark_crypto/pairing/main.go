// gnark-crypto's products of pairings as a program for the bench: it reads a line of work and writes its seconds. The fields
// of Work are documented in ../../works/src/pairing.rs.
package main

import (
	"runtime"
	"sync"

	bls12377 "github.com/consensys/gnark-crypto/ecc/bls12-377"
	fr377 "github.com/consensys/gnark-crypto/ecc/bls12-377/fr"
	bls12381 "github.com/consensys/gnark-crypto/ecc/bls12-381"
	fr381 "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/consensys/gnark-crypto/ecc/bn254"
	fr254 "github.com/consensys/gnark-crypto/ecc/bn254/fr"

	"proofmill/gnark-crypto-peer/lines"
)

type Work struct {
	Instance string `json:"instance"`
	Count    int    `json:"count"`
	Threads  int    `json:"threads"`
	Repeat   int    `json:"repeat"`
}

func main() {
	lines.Answer(func(work Work) func() error {
		task := prepare(work)
		if task == nil {
			return nil
		}
		runtime.GOMAXPROCS(work.Threads)
		return lines.Repeated(work.Repeat, task)
	})
}

// Draws multiples of the generators. Returns nil for an unknown curve.
func prepare(work Work) func() error {
	switch work.Instance {
	case "bn254":
		scalars := make(fr254.Vector, work.Count)
		scalars.MustSetRandom()
		_, _, g1, g2 := bn254.Generators()
		p, q := bn254.BatchScalarMultiplicationG1(&g1, scalars), bn254.BatchScalarMultiplicationG2(&g2, scalars)
		return product(p, q, work.Threads, bn254.MillerLoop, bn254.FinalExponentiation)
	case "bls12_381":
		scalars := make(fr381.Vector, work.Count)
		scalars.MustSetRandom()
		_, _, g1, g2 := bls12381.Generators()
		p, q := bls12381.BatchScalarMultiplicationG1(&g1, scalars), bls12381.BatchScalarMultiplicationG2(&g2, scalars)
		return product(p, q, work.Threads, bls12381.MillerLoop, bls12381.FinalExponentiation)
	case "bls12_377":
		scalars := make(fr377.Vector, work.Count)
		scalars.MustSetRandom()
		_, _, g1, g2 := bls12377.Generators()
		p, q := bls12377.BatchScalarMultiplicationG1(&g1, scalars), bls12377.BatchScalarMultiplicationG2(&g2, scalars)
		return product(p, q, work.Threads, bls12377.MillerLoop, bls12377.FinalExponentiation)
	}
	return nil
}

// Computes the product: each thread has a share of the pairs, and one computes the final exponentiation.
func product[P, Q, GT any](
	p []P, q []Q, threads int, millerLoop func([]P, []Q) (GT, error), finalExponentiation func(*GT, ...*GT) GT,
) func() error {
	share := (len(p) + threads - 1) / threads
	return func() error {
		values, errors := make([]*GT, threads), make([]error, threads)
		var all sync.WaitGroup
		for thread := range threads {
			all.Go(func() {
				from, to := min(thread*share, len(p)), min((thread+1)*share, len(p))
				value, err := millerLoop(p[from:to], q[from:to])
				values[thread], errors[thread] = &value, err
			})
		}
		all.Wait()
		finalExponentiation(values[0], values[1:]...)
		for _, err := range errors {
			if err != nil {
				return err
			}
		}
		return nil
	}
}
