package gnark

import (
	"bytes"
	"os"
	"runtime"
	"sync"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark/backend"
	"github.com/consensys/gnark/backend/groth16"
	"github.com/consensys/gnark/backend/witness"
	"github.com/consensys/gnark/constraint"

	proofmill "github.com/proofmill/proofmill/host/bind/go"
)

// The names of gnark's package groth16, so that a program can import this package in its place.
type (
	// Proof is gnark's proof.
	Proof = groth16.Proof
	// ProvingKey is gnark's proving key.
	ProvingKey = groth16.ProvingKey
	// VerifyingKey is gnark's verifying key.
	VerifyingKey = groth16.VerifyingKey
)

// Setup calls gnark's function.
func Setup(system constraint.ConstraintSystem) (ProvingKey, VerifyingKey, error) {
	return groth16.Setup(system)
}

// DummySetup calls gnark's function: a key for measurements, without a verifying key.
func DummySetup(system constraint.ConstraintSystem) (ProvingKey, error) {
	return groth16.DummySetup(system)
}

// Verify calls gnark's function.
func Verify(proof Proof, verifying VerifyingKey, public witness.Witness, options ...backend.VerifierOption) error {
	return groth16.Verify(proof, verifying, public, options...)
}

// NewProvingKey calls gnark's function: an empty key to read into.
func NewProvingKey(curve ecc.ID) ProvingKey { return groth16.NewProvingKey(curve) }

// NewVerifyingKey calls gnark's function: an empty key to read into.
func NewVerifyingKey(curve ecc.ID) VerifyingKey { return groth16.NewVerifyingKey(curve) }

// NewProof calls gnark's function: an empty proof to read into.
func NewProof(curve ecc.ID) Proof { return groth16.NewProof(curve) }

// NewCS calls gnark's function: an empty constraint system to read into.
func NewCS(curve ecc.ID) constraint.ConstraintSystem { return groth16.NewCS(curve) }

// Prove makes a proof as gnark's groth16.Prove does, with the same options, on cpu: or on the device that the environment variable
// PROOFMILL_DEVICE names. Goroutines may call it at the same time.
//
// The first call with a key loads its points to the device and checks them, which takes longer than a proof. Later calls share them, until the
// garbage collector frees the key. The proof is not verified: [NewProver] does that, and frees a key at a chosen time.
func Prove(system constraint.ConstraintSystem, proving ProvingKey, full witness.Witness, options ...backend.ProverOption) (Proof, error) {
	config, err := configured(full, options)
	if err != nil {
		return nil, err
	}
	source, err := sourceOf(system, proving)
	if err != nil {
		return nil, err
	}
	defer runtime.KeepAlive(proving)
	key, err := entryOf(source).loaded(source)
	if err != nil {
		return nil, err
	}
	circuit, err := key.match(system)
	if err != nil {
		return nil, err
	}
	return source.suite.prove(key, circuit, full, config)
}

// openDevice opens the device of Prove.
var openDevice = sync.OnceValues(func() (*proofmill.Device, error) {
	uri := os.Getenv("PROOFMILL_DEVICE")
	if uri == "" {
		uri = "cpu:"
	}
	return proofmill.Open(uri)
})

// entries are the keys that Prove loaded, by weak pointers to gnark's.
var (
	entries     = map[any]*entry{}
	entriesLock sync.Mutex
)

// entry is a key of Prove, once it is loaded. It has no pointer to gnark's key, which would never be freed.
type entry struct {
	lock sync.Mutex
	key  *key
}

// entryOf returns the entry of a key. When the garbage collector frees gnark's key, the entry and its points are freed.
func entryOf(source *source) *entry {
	entriesLock.Lock()
	defer entriesLock.Unlock()
	weak := source.weak
	found := entries[weak]
	if found == nil {
		found = new(entry)
		entries[weak] = found
		source.onFree(func() {
			entriesLock.Lock()
			defer entriesLock.Unlock()
			delete(entries, weak)
			found.free()
		})
	}
	return found
}

// loaded returns the key on the device. It loads it if this is the first call, if an earlier one failed, or if another key was read into
// gnark's value in the meantime.
func (e *entry) loaded(source *source) (*key, error) {
	e.lock.Lock()
	defer e.lock.Unlock()
	if e.key != nil && bytes.Equal(e.key.delta1, source.delta1) {
		return e.key, nil
	}
	device, err := openDevice()
	if err != nil {
		return nil, err
	}
	// Calls that still use an earlier key keep it until they end.
	e.key, err = load(device, source.parts())
	return e.key, err
}

func (e *entry) free() {
	e.lock.Lock()
	defer e.lock.Unlock()
	if e.key != nil {
		e.key.close()
	}
}
