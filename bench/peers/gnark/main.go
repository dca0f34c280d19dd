// gnark's provers of Groth16 and PLONK, and its verifier of Groth16, as a program for the bench: it reads a line of work and writes its seconds. The fields of
// Work are documented in ../works/src/prove.rs and ../works/src/groth16.rs.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark/backend/groth16"
	"github.com/consensys/gnark/backend/witness"
	"github.com/consensys/gnark/constraint"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/frontend/cs/r1cs"
	"github.com/consensys/gnark/logger"
)

type Work struct {
	Op       string `json:"op"`
	Proofs   string `json:"proofs"`
	Protocol string `json:"protocol"`
	Curve    string `json:"curve"`
	LogSize  int    `json:"log_size"`
	Threads  int    `json:"threads"`
	Keys     string `json:"keys"`
}

var curves = map[string]ecc.ID{"bn254": ecc.BN254, "bls12_381": ecc.BLS12_381}

// A chain: x is squared and i is added in each step; the last constraint is the equality with the public result.
type chain struct {
	steps int
	Start frontend.Variable
	End   frontend.Variable `gnark:",public"`
}

func (c *chain) Define(api frontend.API) error {
	x := c.Start
	for i := range c.steps {
		x = api.Add(api.Mul(x, x), i)
	}
	api.AssertIsEqual(x, c.End)
	return nil
}

// The state for a size, prepared before the clock starts.
type task struct {
	system constraint.ConstraintSystem
	values witness.Witness
	prove  func() (verify func() error, err error)
}

func main() {
	logger.Disable()
	lines := bufio.NewScanner(os.Stdin)
	var kept *task
	var before Work
	var verified *claims
	var path string
	for lines.Scan() {
		var work Work
		check(json.Unmarshal(lines.Bytes(), &work))
		if work.Op == "groth16" {
			if verified == nil || path != work.Proofs {
				verified, path = readClaims(work.Proofs), work.Proofs
				runtime.GC()
			}
			runtime.GOMAXPROCS(1)
			fmt.Printf("%e\n", verified.seconds())
			continue
		}
		if kept == nil || before.Protocol != work.Protocol || before.Curve != work.Curve || before.LogSize != work.LogSize {
			kept = nil
			runtime.GOMAXPROCS(runtime.NumCPU())
			before = work
			switch work.Protocol {
			case "groth16":
				kept = prepare(work)
			case "plonk":
				kept = preparePlonk(work)
			default:
				check(fmt.Errorf("protocol: %q is unknown", work.Protocol))
			}
			runtime.GC()
		}
		runtime.GOMAXPROCS(work.Threads)
		fmt.Printf("%e\n", kept.seconds())
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Returns a proof's seconds without those of gnark's solver, which computes the witness: the other provers read the witness.
func (t *task) seconds() float64 {
	start := time.Now()
	_, err := t.system.Solve(t.values)
	check(err)
	solved := time.Now()
	verify, err := t.prove()
	check(err)
	proved := time.Now()
	check(verify())
	return (proved.Sub(solved) - solved.Sub(start)).Seconds()
}

func prepare(work Work) *task {
	steps := 1<<work.LogSize - 3
	curve := known(work.Curve)
	system, err := frontend.Compile(curve.ScalarField(), r1cs.NewBuilder, &chain{steps: steps})
	check(err)
	if want := steps + 1; system.GetNbConstraints() != want {
		check(fmt.Errorf("%d constraints, not %d", system.GetNbConstraints(), want))
	}
	values, shown := assigned(curve, steps)
	key, verifying := keys(work, curve, system)
	return &task{system, values, func() (func() error, error) {
		proof, err := groth16.Prove(system, key, values)
		return func() error { return groth16.Verify(proof, verifying, shown) }, err
	}}
}

func known(name string) ecc.ID {
	curve, known := curves[name]
	if !known {
		check(fmt.Errorf("curve: %q is unknown", name))
	}
	return curve
}

// Returns the values of a chain that starts with 3, and the public ones.
func assigned(curve ecc.ID, steps int) (values, shown witness.Witness) {
	r := curve.ScalarField()
	start := big.NewInt(3)
	x := new(big.Int).Set(start)
	for i := range steps {
		x.Mul(x, x).Add(x, big.NewInt(int64(i))).Mod(x, r)
	}
	values, err := frontend.NewWitness(&chain{Start: start, End: x}, r)
	check(err)
	shown, err = values.Public()
	check(err)
	return values, shown
}

// Returns the keys of a curve and a size, which are made once and then read.
func keys(work Work, curve ecc.ID, system constraint.ConstraintSystem) (groth16.ProvingKey, groth16.VerifyingKey) {
	name := filepath.Join(work.Keys, fmt.Sprintf("gnark-0.16.0-%s-chain-%d", work.Curve, work.LogSize))
	key, verifying := groth16.NewProvingKey(curve), groth16.NewVerifyingKey(curve)
	if file, err := os.Open(name); err == nil {
		defer file.Close()
		reader := bufio.NewReaderSize(file, 1<<20)
		_, err = verifying.UnsafeReadFrom(reader)
		check(err)
		check(key.ReadDump(reader))
		return key, verifying
	}
	key, verifying, err := groth16.Setup(system)
	check(err)
	check(whole(name, func(to io.Writer) error {
		if _, err := verifying.WriteRawTo(to); err != nil {
			return err
		}
		return key.WriteDump(to)
	}))
	return key, verifying
}

// Writes a file under a temporary name and renames it when it is complete.
func whole(name string, write func(io.Writer) error) error {
	scratch := fmt.Sprintf("%s-%d", name, os.Getpid())
	file, err := os.Create(scratch)
	if err != nil {
		return err
	}
	writer := bufio.NewWriterSize(file, 1<<20)
	if err := write(writer); err != nil {
		return err
	}
	if err := writer.Flush(); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(scratch, name)
}
