// gnark-crypto's multi-scalar multiplications as a program for the bench: it reads a line of work and writes its seconds. The
// fields of Work are documented in ../../works/src/msm.rs.
package main

import (
	"runtime"

	"github.com/consensys/gnark-crypto/ecc"
	bls12377 "github.com/consensys/gnark-crypto/ecc/bls12-377"
	fr377 "github.com/consensys/gnark-crypto/ecc/bls12-377/fr"
	bls12381 "github.com/consensys/gnark-crypto/ecc/bls12-381"
	fr381 "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/consensys/gnark-crypto/ecc/bn254"
	fr254 "github.com/consensys/gnark-crypto/ecc/bn254/fr"

	"proofmill/gnark-crypto-peer/lines"
)

type Work struct {
	Sum
	Threads int `json:"threads"`
}

type Sum struct {
	Instance string `json:"instance"`
	Count    int    `json:"count"`
}

// An MSM with this number of tasks.
type Task func(config ecc.MultiExpConfig) error

func main() {
	tasks := lines.Kept(prepare)
	lines.Answer(func(work Work) func() error {
		task := tasks(work.Sum)
		if task == nil {
			return nil
		}
		runtime.GOMAXPROCS(work.Threads)
		return func() error { return task(ecc.MultiExpConfig{NbTasks: work.Threads}) }
	})
}

// Draws scalars and multiples of the generator. Returns nil for an unknown group.
func prepare(wanted Sum) Task {
	switch wanted.Instance {
	case "bn254_g1", "bn254_g2":
		scalars := make(fr254.Vector, wanted.Count)
		scalars.MustSetRandom()
		_, _, g1, g2 := bn254.Generators()
		if wanted.Instance == "bn254_g1" {
			points := bn254.BatchScalarMultiplicationG1(&g1, scalars)
			var sum bn254.G1Jac
			return func(c ecc.MultiExpConfig) error { _, err := sum.MultiExp(points, scalars, c); return err }
		}
		points := bn254.BatchScalarMultiplicationG2(&g2, scalars)
		var sum bn254.G2Jac
		return func(c ecc.MultiExpConfig) error { _, err := sum.MultiExp(points, scalars, c); return err }
	case "bls12_381_g1", "bls12_381_g2":
		scalars := make(fr381.Vector, wanted.Count)
		scalars.MustSetRandom()
		_, _, g1, g2 := bls12381.Generators()
		if wanted.Instance == "bls12_381_g1" {
			points := bls12381.BatchScalarMultiplicationG1(&g1, scalars)
			var sum bls12381.G1Jac
			return func(c ecc.MultiExpConfig) error { _, err := sum.MultiExp(points, scalars, c); return err }
		}
		points := bls12381.BatchScalarMultiplicationG2(&g2, scalars)
		var sum bls12381.G2Jac
		return func(c ecc.MultiExpConfig) error { _, err := sum.MultiExp(points, scalars, c); return err }
	case "bls12_377_g1", "bls12_377_g2":
		scalars := make(fr377.Vector, wanted.Count)
		scalars.MustSetRandom()
		_, _, g1, g2 := bls12377.Generators()
		if wanted.Instance == "bls12_377_g1" {
			points := bls12377.BatchScalarMultiplicationG1(&g1, scalars)
			var sum bls12377.G1Jac
			return func(c ecc.MultiExpConfig) error { _, err := sum.MultiExp(points, scalars, c); return err }
		}
		points := bls12377.BatchScalarMultiplicationG2(&g2, scalars)
		var sum bls12377.G2Jac
		return func(c ecc.MultiExpConfig) error { _, err := sum.MultiExp(points, scalars, c); return err }
	}
	return nil
}
