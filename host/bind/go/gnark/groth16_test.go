package gnark

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/consensys/gnark-crypto/ecc"
	groth16_bn254 "github.com/consensys/gnark/backend/groth16/bn254"
	"github.com/consensys/gnark/backend/witness"
	"github.com/consensys/gnark/constraint"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/frontend/cs/r1cs"
	"github.com/consensys/gnark/logger"
)

// root knows the square root of a public number; a commitment covers it.
type root struct {
	X frontend.Variable
	Y frontend.Variable `gnark:",public"`
}

func (c *root) Define(api frontend.API) error {
	commitment, err := api.(frontend.Committer).Commit(c.X)
	api.AssertIsDifferent(commitment, 0)
	api.AssertIsEqual(api.Mul(c.X, c.X), c.Y)
	return err
}

func entriesCount() int {
	entriesLock.Lock()
	defer entriesLock.Unlock()
	return len(entries)
}

// proved makes proofs with one key from several goroutines, and verifies them. The key is garbage afterwards.
func proved(t *testing.T, system constraint.ConstraintSystem, full, public witness.Witness) {
	proving, verifying, err := Setup(system)
	if err != nil {
		t.Fatal(err)
	}
	prove := func() {
		proof, err := Prove(system, proving, full)
		if err != nil {
			t.Error(err)
			return
		}
		if err := Verify(proof, verifying, public); err != nil {
			t.Error(err)
		}
	}
	before := entriesCount()
	var running sync.WaitGroup
	for range 4 {
		running.Go(prove)
	}
	running.Wait()
	source, err := sourceOf(system, proving)
	if err != nil {
		t.Fatal(err)
	}
	first := entryOf(source).key
	prove()
	if entryOf(source).key != first || entriesCount() != before+1 {
		t.Error("the key was loaded again")
	}

	// The value gets another key.
	other, verifyingOther, err := Setup(system)
	if err != nil {
		t.Fatal(err)
	}
	*proving.(*groth16_bn254.ProvingKey) = *other.(*groth16_bn254.ProvingKey)
	verifying = verifyingOther
	prove()
	if entriesCount() != before+1 {
		t.Error("a second entry for the same value")
	}
	runtime.KeepAlive(proving)
}

func TestKeysAreSharedAndFreed(t *testing.T) {
	logger.Disable()
	system, err := frontend.Compile(ecc.BN254.ScalarField(), r1cs.NewBuilder, &root{})
	if err != nil {
		t.Fatal(err)
	}
	full, err := frontend.NewWitness(&root{X: 3, Y: 9}, ecc.BN254.ScalarField())
	if err != nil {
		t.Fatal(err)
	}
	public, err := full.Public()
	if err != nil {
		t.Fatal(err)
	}
	proved(t, system, full, public)
	for deadline := time.Now().Add(120 * time.Second); entriesCount() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d keys are never freed", entriesCount())
		}
		runtime.GC()
	}
}
