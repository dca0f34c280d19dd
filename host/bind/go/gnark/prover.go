// Package gnark makes Groth16 proofs for gnark's circuits with gnark's proving keys, over BN254 and BLS12-381, on a device of proofmill. The proofs
// are gnark's own values: gnark verifies them, and writes and reads them.
//
// gnark solves the circuit; the sums and transforms are done on the device.
package gnark

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"slices"

	"github.com/consensys/gnark/backend/groth16"
	groth16_bls12381 "github.com/consensys/gnark/backend/groth16/bls12-381"
	groth16_bn254 "github.com/consensys/gnark/backend/groth16/bn254"
	"github.com/consensys/gnark/backend/witness"
	"github.com/consensys/gnark/constraint"
	cs_bls12381 "github.com/consensys/gnark/constraint/bls12-381"
	cs_bn254 "github.com/consensys/gnark/constraint/bn254"
	"github.com/consensys/gnark/constraint/solver"

	"proofmill"
)

// Prover makes proofs for one circuit with one key, whose points are resident on the device. Goroutines may share it.
type Prover struct {
	system    constraint.ConstraintSystem
	verifying groth16.VerifyingKey
	key       *key
	prove     func(solution any) (groth16.Proof, error)
}

// NewProver brings a key to a device. With a verifying key, every proof is verified before it is returned; nil leaves that to the caller.
// Circuits with commitments are refused.
func NewProver(device *proofmill.Device, system constraint.ConstraintSystem, proving groth16.ProvingKey, verifying groth16.VerifyingKey) (*Prover, error) {
	p := &Prover{system: system, verifying: verifying}
	var err error
	switch pk := proving.(type) {
	case *groth16_bn254.ProvingKey:
		if _, same := system.(*cs_bn254.R1CS); !same {
			return nil, fmt.Errorf("system: %T, and the key is on bn254", system)
		}
		if len(pk.CommitmentKeys) > 0 {
			return nil, errCommitments
		}
		p.key, err = bring(device, "bn254", parts{
			a: points(pk.G1.A), b1: points(pk.G1.B), k: points(pk.G1.K), z: points(pk.G1.Z), b2: points(pk.G2.B),
			alpha: point(&pk.G1.Alpha), beta1: point(&pk.G1.Beta), delta1: point(&pk.G1.Delta), beta2: point(&pk.G2.Beta), delta2: point(&pk.G2.Delta),
			noA: pk.InfinityA, noB: pk.InfinityB, size: int(pk.Domain.Cardinality), public: system.GetNbPublicVariables(),
		})
		coset := pk.Domain.FrMultiplicativeGen
		p.prove = func(solution any) (groth16.Proof, error) {
			s := solution.(*cs_bn254.R1CSSolution)
			made, err := prove(p.key, coset, s.A, s.B, s.C, s.W)
			if err != nil {
				return nil, err
			}
			proof := new(groth16_bn254.Proof)
			return proof, errors.Join(read(&proof.Ar, made.a), read(&proof.Bs, made.b), read(&proof.Krs, made.c))
		}
	case *groth16_bls12381.ProvingKey:
		if _, same := system.(*cs_bls12381.R1CS); !same {
			return nil, fmt.Errorf("system: %T, and the key is on bls12_381", system)
		}
		if len(pk.CommitmentKeys) > 0 {
			return nil, errCommitments
		}
		p.key, err = bring(device, "bls12_381", parts{
			a: points(pk.G1.A), b1: points(pk.G1.B), k: points(pk.G1.K), z: points(pk.G1.Z), b2: points(pk.G2.B),
			alpha: point(&pk.G1.Alpha), beta1: point(&pk.G1.Beta), delta1: point(&pk.G1.Delta), beta2: point(&pk.G2.Beta), delta2: point(&pk.G2.Delta),
			noA: pk.InfinityA, noB: pk.InfinityB, size: int(pk.Domain.Cardinality), public: system.GetNbPublicVariables(),
		})
		coset := pk.Domain.FrMultiplicativeGen
		p.prove = func(solution any) (groth16.Proof, error) {
			s := solution.(*cs_bls12381.R1CSSolution)
			made, err := prove(p.key, coset, s.A, s.B, s.C, s.W)
			if err != nil {
				return nil, err
			}
			proof := new(groth16_bls12381.Proof)
			return proof, errors.Join(read(&proof.Ar, made.a), read(&proof.Bs, made.b), read(&proof.Krs, made.c))
		}
	default:
		return nil, fmt.Errorf("proving: %T; keys are on bn254 and bls12_381", proving)
	}
	return p, err
}

var errCommitments = errors.New("proving: a circuit with commitments, which are not made here")

// ErrDoesNotVerify says that a proof was made and is wrong: the keys do not belong together, or the device is wrong.
var ErrDoesNotVerify = errors.New("the proof does not verify")

// Prove makes a proof for a full witness; options are those of gnark's solver.
func (p *Prover) Prove(full witness.Witness, options ...solver.Option) (groth16.Proof, error) {
	solution, err := p.system.Solve(full, options...)
	if err != nil {
		return nil, err
	}
	proof, err := p.prove(solution)
	if err != nil || p.verifying == nil {
		return proof, err
	}
	public, err := full.Public()
	if err != nil {
		return nil, err
	}
	if err := groth16.Verify(proof, p.verifying, public); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDoesNotVerify, err)
	}
	return proof, nil
}

// parts are gnark's key in bytes of proofmill.
type parts struct {
	a, b1, k, z, b2                     []byte
	alpha, beta1, delta1, beta2, delta2 []byte
	noA, noB                            []bool // wires without a point
	size, public                        int
}

// key is gnark's key on a device.
type key struct {
	parts
	device                  *proofmill.Device
	curve                   string
	basesA, basesB1, basesK *proofmill.Bases
	basesZ, basesB2         *proofmill.Bases
}

func bring(device *proofmill.Device, curve string, parts parts) (*key, error) {
	k := &key{parts: parts, device: device, curve: curve}
	for _, one := range []struct {
		bases **proofmill.Bases
		group string
		list  *[]byte
	}{
		{&k.basesA, "_g1", &k.a}, {&k.basesB1, "_g1", &k.b1}, {&k.basesK, "_g1", &k.k}, {&k.basesZ, "_g1", &k.z}, {&k.basesB2, "_g2", &k.b2},
	} {
		bases, err := device.Bases(curve+one.group, *one.list, proofmill.CheckCurve, 0)
		if err != nil {
			return nil, err
		}
		*one.bases, *one.list = bases, nil
	}
	return k, nil
}

// made are the points of a proof.
type made struct{ a, b, c []byte }

// element is a pointer to an element of Fr.
type element[E any] interface {
	*E
	Bytes() [32]byte
	SetBytesCanonical([]byte) error
	SetOne() *E
	SetRandom() (*E, error)
	Mul(x, y *E) *E
	Sub(x, y *E) *E
	Neg(x *E) *E
	Inverse(x *E) *E
	Exp(x E, k *big.Int) *E
}

// prove computes, with H = (A B - C) / (X^n - 1) by its coefficients,
//
//	A = alpha + sum w_i A_i + r delta                              in G1
//	B = beta + sum w_i B_i + s delta                               in G2, and as B1 in G1
//	C = sum over private i of w_i K_i + sum h_j Z_j + s A + r B1 - r s delta
func prove[E any, P element[E]](k *key, coset E, a, b, c, wires []E) (*made, error) {
	h, err := quotient[E, P](k, coset, a, b, c)
	if err != nil {
		return nil, err
	}
	var r, s, rs E
	if _, err := P(&r).SetRandom(); err != nil {
		return nil, err
	}
	if _, err := P(&s).SetRandom(); err != nil {
		return nil, err
	}
	P(&rs).Neg(P(&rs).Mul(&r, &s))
	var one E
	P(&one).SetOne()

	g1, g2 := k.curve+"_g1", k.curve+"_g2"
	var failed error
	sum := func(bases *proofmill.Bases, scalars []byte) []byte {
		if failed != nil {
			return nil
		}
		sums, err := bases.MSM(scalars)
		if failed = err; err != nil {
			return nil
		}
		return sums[0]
	}
	few := func(group string, points [][]byte, scalars ...*E) []byte {
		if failed != nil {
			return nil
		}
		var factors []byte
		for _, scalar := range scalars {
			factors = append(factors, little[E, P](scalar)...)
		}
		var result []byte
		result, failed = k.device.MSM(group, slices.Concat(points...), factors, proofmill.CheckNothing)
		return result
	}
	inB := list[E, P](wires, k.noB)
	sumA := sum(k.basesA, list[E, P](wires, k.noA))
	sumB1, sumB2 := sum(k.basesB1, inB), sum(k.basesB2, inB)
	sumK, sumZ := sum(k.basesK, list[E, P](wires[k.public:], nil)), sum(k.basesZ, h)

	ar := few(g1, [][]byte{k.alpha, sumA, k.delta1}, &one, &one, &r)
	bs1 := few(g1, [][]byte{k.beta1, sumB1, k.delta1}, &one, &one, &s)
	bs := few(g2, [][]byte{k.beta2, sumB2, k.delta2}, &one, &one, &s)
	krs := few(g1, [][]byte{sumK, sumZ, ar, bs1, k.delta1}, &one, &one, &s, &r, &rs)
	return &made{ar, bs, krs}, failed
}

// quotient is H by its coefficients, in gnark's order: by their numbers with the bits reversed, without the highest, which is 0.
func quotient[E any, P element[E]](k *key, coset E, a, b, c []E) ([]byte, error) {
	n, field, shift := k.size, k.curve+"_fr", little[E, P](&coset)
	moved := make([][]byte, 3)
	for i, values := range [][]E{a, b, c} {
		moved[i] = append(list[E, P](values, nil), make([]byte, 32*(n-len(values)))...)
		if err := k.device.NTT(field, moved[i], true, nil); err != nil {
			return nil, err
		}
		if err := k.device.NTT(field, moved[i], false, shift); err != nil {
			return nil, err
		}
	}
	// x^n - 1 is the same everywhere on the coset.
	var one, inverse E
	P(&one).SetOne()
	P(&inverse).Exp(coset, big.NewInt(int64(n)))
	P(&inverse).Inverse(P(&inverse).Sub(&inverse, &one))
	for at := 0; at < 32*n; at += 32 {
		var x, y, z E
		for i, element := range []*E{&x, &y, &z} {
			if err := set[E, P](element, moved[i][at:at+32]); err != nil {
				return nil, err
			}
		}
		P(&x).Mul(&x, &y)
		P(&x).Sub(&x, &z)
		P(&x).Mul(&x, &inverse)
		copy(moved[0][at:], little[E, P](&x))
	}
	if err := k.device.NTT(field, moved[0], true, shift); err != nil {
		return nil, err
	}
	h, spare := moved[0], 64-bits.TrailingZeros(uint(n))
	for i := range n {
		if j := int(bits.Reverse64(uint64(i)) >> spare); n > 1 && i < j {
			var kept [32]byte
			copy(kept[:], h[32*i:])
			copy(h[32*i:32*i+32], h[32*j:32*j+32])
			copy(h[32*j:], kept[:])
		}
	}
	return h[:32*(n-1)], nil
}

// list are the elements, lowest byte first, but for those that are left out.
func list[E any, P element[E]](elements []E, without []bool) []byte {
	bytes := make([]byte, 0, 32*len(elements))
	for i := range elements {
		if without == nil || !without[i] {
			bytes = append(bytes, little[E, P](&elements[i])...)
		}
	}
	return bytes
}

func little[E any, P element[E]](element *E) []byte {
	bytes := P(element).Bytes()
	slices.Reverse(bytes[:])
	return bytes[:]
}

func set[E any, P element[E]](element *E, little []byte) error {
	var bytes [32]byte
	copy(bytes[:], little)
	slices.Reverse(bytes[:])
	return P(element).SetBytesCanonical(bytes[:])
}

// encoded is a pointer to a point.
type encoded[T any] interface {
	*T
	Marshal() []byte
	Unmarshal([]byte) error
	IsInfinity() bool
}

// point is x and y, lowest byte first, in G2 the coefficient of 1 first; zeros for the identity.
func point[T any, P encoded[T]](p P) []byte {
	bytes := p.Marshal()
	if p.IsInfinity() {
		return make([]byte, len(bytes))
	}
	slices.Reverse(bytes[:len(bytes)/2])
	slices.Reverse(bytes[len(bytes)/2:])
	return bytes
}

func points[T any, P encoded[T]](list []T) []byte {
	var bytes []byte
	for i := range list {
		bytes = append(bytes, point[T, P](&list[i])...)
	}
	return bytes
}

// read takes a point of a proof, which is never the identity but by chance.
func read[T any, P encoded[T]](p P, bytes []byte) error {
	bytes = slices.Clone(bytes)
	slices.Reverse(bytes[:len(bytes)/2])
	slices.Reverse(bytes[len(bytes)/2:])
	return p.Unmarshal(bytes)
}
