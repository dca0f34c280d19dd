package gnark_test

import (
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"hash"
	"math/big"
	"strings"
	"testing"

	"github.com/consensys/gnark-crypto/ecc"
	curve_bn254 "github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark/backend"
	groth16_bn254 "github.com/consensys/gnark/backend/groth16/bn254"
	"github.com/consensys/gnark/backend/witness"
	"github.com/consensys/gnark/constraint"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/std/lookup/logderivlookup"
	"github.com/consensys/gnark/std/math/emulated"
	"github.com/consensys/gnark/std/rangecheck"

	proofmill "github.com/proofmill/proofmill/host/bind/go"
	// In the place of gnark's package, as a program would have it.
	groth16 "github.com/proofmill/proofmill/host/bind/go/gnark"
)

var curves = []ecc.ID{ecc.BN254, ecc.BLS12_381, ecc.BLS12_377}

// ranges checks that a private and a public number have so many bits.
type ranges struct {
	X frontend.Variable
	Y frontend.Variable `gnark:",public"`
}

func (c *ranges) Define(api frontend.API) error {
	checker := rangecheck.New(api)
	checker.Check(c.X, 20)
	checker.Check(c.Y, 13)
	return nil
}

// table looks numbers up.
type table struct {
	At    [3]frontend.Variable
	Found [3]frontend.Variable `gnark:",public"`
}

func (c *table) Define(api frontend.API) error {
	squares := logderivlookup.New(api)
	for i := range 16 {
		squares.Insert(i * i)
	}
	for i, found := range squares.Lookup(c.At[:]...) {
		api.AssertIsEqual(found, c.Found[i])
	}
	return nil
}

// product multiplies in the base field of secp256k1.
type product struct {
	X, Y, Z emulated.Element[emulated.Secp256k1Fp]
}

func (c *product) Define(api frontend.API) error {
	field, err := emulated.NewField[emulated.Secp256k1Fp](api)
	if err != nil {
		return err
	}
	field.AssertIsEqual(field.Mul(&c.X, &c.Y), &c.Z)
	return nil
}

// several commits to private wires, to both kinds, to an earlier commitment, to wires that are committed already, and to public ones alone.
type several struct {
	X, Y, Z frontend.Variable
	P, Q    frontend.Variable `gnark:",public"`
}

func (c *several) Define(api frontend.API) error {
	committer := api.(frontend.Committer)
	var last frontend.Variable = 0
	for i, list := range [][]frontend.Variable{{c.X, c.Y}, {c.P, c.Z, c.Q}, {c.X, c.Z, c.P}, {c.Q}} {
		commitment, err := committer.Commit(append(list, last)...)
		if err != nil {
			return err
		}
		api.AssertIsDifferent(api.Mul(commitment, commitment), i)
		last = commitment
	}
	api.AssertIsEqual(api.Mul(c.X, c.Y), api.Add(c.P, api.Mul(c.Z, c.Q)))
	return nil
}

// open has no private inputs, and no other private wires either.
type open struct {
	P, Q frontend.Variable `gnark:",public"`
}

func (c *open) Define(api frontend.API) error {
	api.AssertIsBoolean(c.P)
	api.AssertIsBoolean(c.Q)
	return nil
}

// openRanges has no private inputs; its range check commits to public wires.
type openRanges struct {
	P, Q frontend.Variable `gnark:",public"`
}

func (c *openRanges) Define(api frontend.API) error {
	checker := rangecheck.New(api)
	checker.Check(c.P, 9)
	checker.Check(c.Q, 14)
	return nil
}

func secp256k1(x int64) emulated.Element[emulated.Secp256k1Fp] {
	return emulated.ValueOf[emulated.Secp256k1Fp](new(big.Int).Sub(emulated.Secp256k1Fp{}.Modulus(), big.NewInt(x)))
}

// cases are circuits, each with a satisfying assignment and its number of commitments.
var cases = []struct {
	name        string
	circuit     frontend.Circuit
	assignment  frontend.Circuit
	commitments int
}{
	{"rangecheck", &ranges{}, &ranges{X: 1<<20 - 1, Y: 1<<13 - 1}, 1},
	{"logderivlookup", &table{}, &table{At: [3]frontend.Variable{3, 15, 3}, Found: [3]frontend.Variable{9, 225, 9}}, 1},
	{"emulated", &product{}, &product{
		secp256k1(5), secp256k1(7), emulated.ValueOf[emulated.Secp256k1Fp](35)}, 1},
	{"several", &several{}, &several{X: 6, Y: 7, Z: 4, P: 2, Q: 10}, 4},
	{"no private wire", &open{}, &open{P: 1, Q: 0}, 0},
	{"no private input", &openRanges{}, &openRanges{P: 511, Q: 1}, 1},
}

func witnesses(t *testing.T, curve ecc.ID, assignment frontend.Circuit) (full, public witness.Witness) {
	t.Helper()
	full, err := frontend.NewWitness(assignment, curve.ScalarField())
	if err != nil {
		t.Fatal(err)
	}
	if public, err = full.Public(); err != nil {
		t.Fatal(err)
	}
	return full, public
}

func TestCommitments(t *testing.T) {
	device := opened(t)
	for _, curve := range curves {
		for _, c := range cases {
			made := compiled(t, curve, c.circuit)
			if found := len(made.system.GetCommitments().(constraint.Groth16Commitments)); found != c.commitments {
				t.Fatalf("%s: %d commitments", c.name, found)
			}
			full, public := witnesses(t, curve, c.assignment)
			prover, err := groth16.NewProver(device, made.system, made.proving, made.verifying)
			if err != nil {
				t.Fatalf("%s, %s: %v", curve, c.name, err)
			}
			for range 2 {
				proof, err := prover.Prove(full)
				if err != nil {
					t.Fatalf("%s, %s: %v", curve, c.name, err)
				}
				if err := groth16.Verify(proof, made.verifying, public); err != nil {
					t.Errorf("%s, %s: %v", curve, c.name, err)
				}
			}
			proof, err := groth16.Prove(made.system, made.proving, full)
			if err != nil {
				t.Fatalf("%s, %s: %v", curve, c.name, err)
			}
			if err := groth16.Verify(proof, made.verifying, public); err != nil {
				t.Errorf("%s, %s: %v", curve, c.name, err)
			}
			prover.Close()
		}
	}
}

func TestUnsatisfiedCircuits(t *testing.T) {
	made := compiled(t, ecc.BN254, &ranges{})
	full, _ := witnesses(t, ecc.BN254, &ranges{X: 1 << 20, Y: 1})
	if _, err := groth16.Prove(made.system, made.proving, full); err == nil {
		t.Error("a number out of range was accepted")
	}
}

func TestTheCallersHash(t *testing.T) {
	device := opened(t)
	made := compiled(t, ecc.BN254, &several{})
	full, public := witnesses(t, ecc.BN254, &several{X: 6, Y: 7, Z: 4, P: 2, Q: 10})
	prover, err := groth16.NewProver(device, made.system, made.proving, made.verifying)
	if err != nil {
		t.Fatal(err)
	}
	// As long as an element, and shorter.
	for _, newHash := range []func() hash.Hash{sha256.New, sha1.New} {
		proof, err := prover.Prove(full, backend.WithProverHashToFieldFunction(newHash()))
		if err != nil {
			t.Fatal(err)
		}
		if err := groth16.Verify(proof, made.verifying, public, backend.WithVerifierHashToFieldFunction(newHash())); err != nil {
			t.Error(err)
		}
		if groth16.Verify(proof, made.verifying, public) == nil {
			t.Error("the proof verifies with another hash")
		}
	}
}

func TestAlteredCommitmentsDoNotVerify(t *testing.T) {
	made := compiled(t, ecc.BN254, &several{})
	full, public := witnesses(t, ecc.BN254, &several{X: 6, Y: 7, Z: 4, P: 2, Q: 10})
	proved, err := groth16.Prove(made.system, made.proving, full)
	if err != nil {
		t.Fatal(err)
	}
	proof := proved.(*groth16_bn254.Proof)
	points := []*curve_bn254.G1Affine{&proof.CommitmentPok}
	for i := range proof.Commitments {
		points = append(points, &proof.Commitments[i])
	}
	_, _, generator, _ := curve_bn254.Generators()
	for i, point := range points {
		kept := *point
		point.Add(point, &generator)
		if groth16.Verify(proof, made.verifying, public) == nil {
			t.Errorf("point %d was altered, and the proof verifies", i)
		}
		*point = kept
	}
	if err := groth16.Verify(proof, made.verifying, public); err != nil {
		t.Error(err)
	}
	proof.Commitments = proof.Commitments[:3]
	if groth16.Verify(proof, made.verifying, public) == nil {
		t.Error("the proof verifies without a commitment")
	}
}

func TestKeysOfOtherCommitments(t *testing.T) {
	device := opened(t)
	one, other := compiled(t, ecc.BN254, &several{}), compiled(t, ecc.BN254, &ranges{})
	full, _ := witnesses(t, ecc.BN254, &several{X: 6, Y: 7, Z: 4, P: 2, Q: 10})
	refused := func(err error, part string) {
		t.Helper()
		if !errors.Is(err, proofmill.ErrArgument) || !strings.HasPrefix(err.Error(), part) {
			t.Errorf("%v; expected %q", err, part)
		}
	}
	_, err := groth16.Prove(one.system, other.proving, full)
	refused(err, "proving: a key for ")
	_, err = groth16.Prove(other.system, one.proving, full)
	refused(err, "proving: a key for ")
	_, err = groth16.Prove(one.system, one.proving, nil)
	refused(err, "full: is nil")
	_, err = groth16.Prove(one.system, nil, full)
	refused(err, "proving: <nil>")
	_, err = groth16.Prove(nil, one.proving, full)
	refused(err, "system: <nil>")
	_, err = groth16.NewProver(device, one.system, one.proving, other.verifying)
	refused(err, "verifying: a key for ")

	// Keys that lack a commitment, or points of one.
	key := one.proving.(*groth16_bn254.ProvingKey)
	kept := key.CommitmentKeys
	damaged := *key
	damaged.CommitmentKeys = kept[:3]
	_, err = groth16.NewProver(device, one.system, &damaged, nil)
	refused(err, "proving: a key for 3 commitments; the circuit has 4")
	damaged.CommitmentKeys = append(kept[:0:0], kept...)
	damaged.CommitmentKeys[1].BasisExpSigma = kept[1].BasisExpSigma[1:]
	_, err = groth16.NewProver(device, one.system, &damaged, nil)
	refused(err, "proving: the points of commitment 1 ")
	damaged.CommitmentKeys[1].Basis = kept[1].Basis[1:]
	_, err = groth16.NewProver(device, one.system, &damaged, nil)
	refused(err, "proving: a key for ")
	damaged = *key
	damaged.G1.K = key.G1.K[1:]
	_, err = groth16.NewProver(device, one.system, &damaged, nil)
	refused(err, "proving: a key for ")
	damaged = *key
	damaged.G1.Z = key.G1.Z[1:]
	_, err = groth16.NewProver(device, one.system, &damaged, nil)
	refused(err, "proving: the numbers of its points ")
	damaged = *key
	damaged.InfinityB = key.InfinityB[1:]
	_, err = groth16.NewProver(device, one.system, &damaged, nil)
	refused(err, "proving: ")
}
