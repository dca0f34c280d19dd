// gnark-crypto's multi-scalar multiplications, for the bench to measure: a line of work in, its seconds out. What the
// fields of Work mean is told in ../../msm.rs.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/consensys/gnark-crypto/ecc"
	bls12377 "github.com/consensys/gnark-crypto/ecc/bls12-377"
	fr377 "github.com/consensys/gnark-crypto/ecc/bls12-377/fr"
	bls12381 "github.com/consensys/gnark-crypto/ecc/bls12-381"
	fr381 "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/consensys/gnark-crypto/ecc/bn254"
	fr254 "github.com/consensys/gnark-crypto/ecc/bn254/fr"
)

type Work struct {
	Library  string `json:"library"`
	Instance string `json:"instance"`
	Count    int    `json:"count"`
	Threads  int    `json:"threads"`
}

// A sum with this number of tasks.
type Task func(config ecc.MultiExpConfig) error

func main() {
	lines := bufio.NewScanner(os.Stdin)
	var kept Work
	var task Task
	for lines.Scan() {
		var work Work
		if err := json.Unmarshal(lines.Bytes(), &work); err != nil {
			fail(err)
		}
		if task == nil || work.Instance != kept.Instance || work.Count != kept.Count {
			runtime.GOMAXPROCS(runtime.NumCPU())
			if task = prepare(work); task == nil {
				fail(fmt.Errorf("no %s here", work.Instance))
			}
			kept = work
			runtime.GC()
		}
		runtime.GOMAXPROCS(work.Threads)
		start := time.Now()
		if err := task(ecc.MultiExpConfig{NbTasks: work.Threads}); err != nil {
			fail(err)
		}
		fmt.Printf("%e\n", time.Since(start).Seconds())
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// Multiples of the generator by scalars that are drawn, and scalars that are drawn; nothing of a group that is unknown.
func prepare(work Work) Task {
	switch work.Instance {
	case "bn254_g1", "bn254_g2":
		scalars := make(fr254.Vector, work.Count)
		scalars.MustSetRandom()
		_, _, g1, g2 := bn254.Generators()
		if work.Instance == "bn254_g1" {
			points := bn254.BatchScalarMultiplicationG1(&g1, scalars)
			var sum bn254.G1Jac
			return func(c ecc.MultiExpConfig) error { _, err := sum.MultiExp(points, scalars, c); return err }
		}
		points := bn254.BatchScalarMultiplicationG2(&g2, scalars)
		var sum bn254.G2Jac
		return func(c ecc.MultiExpConfig) error { _, err := sum.MultiExp(points, scalars, c); return err }
	case "bls12_381_g1", "bls12_381_g2":
		scalars := make(fr381.Vector, work.Count)
		scalars.MustSetRandom()
		_, _, g1, g2 := bls12381.Generators()
		if work.Instance == "bls12_381_g1" {
			points := bls12381.BatchScalarMultiplicationG1(&g1, scalars)
			var sum bls12381.G1Jac
			return func(c ecc.MultiExpConfig) error { _, err := sum.MultiExp(points, scalars, c); return err }
		}
		points := bls12381.BatchScalarMultiplicationG2(&g2, scalars)
		var sum bls12381.G2Jac
		return func(c ecc.MultiExpConfig) error { _, err := sum.MultiExp(points, scalars, c); return err }
	case "bls12_377_g1", "bls12_377_g2":
		scalars := make(fr377.Vector, work.Count)
		scalars.MustSetRandom()
		_, _, g1, g2 := bls12377.Generators()
		if work.Instance == "bls12_377_g1" {
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
