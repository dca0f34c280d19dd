// Package gnark makes Groth16 proofs for gnark's circuits with gnark's proving keys, over BN254 and BLS12-381, on a device of proofmill. gnark
// solves the circuit, verifies the proofs, and writes and reads them; the device computes the MSMs and NTTs.
//
// Witnesses are overwritten wherever this package has them. gnark's own values, such as the caller's witness.Witness, are the caller's.
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

	proofmill "github.com/proofmill/proofmill/host/bind/go"
)

// Prover makes proofs for one circuit with one key, whose points are resident on the device. Goroutines may share it.
type Prover struct {
	system    constraint.ConstraintSystem
	verifying groth16.VerifyingKey
	key       *key
	prove     func(solution any) (groth16.Proof, error)
}

// NewProver loads a key to a device, and checks its points. With a verifying key, every proof is verified before it is returned; nil leaves
// that to the caller. Circuits with commitments are rejected.
func NewProver(device *proofmill.Device, system constraint.ConstraintSystem, proving groth16.ProvingKey, verifying groth16.VerifyingKey) (*Prover, error) {
	p := &Prover{system: system, verifying: verifying}
	var err error
	switch pk := proving.(type) {
	case *groth16_bn254.ProvingKey:
		if r1cs, same := system.(*cs_bn254.R1CS); !same || r1cs == nil || pk == nil {
			return nil, invalid("system", "%T for a key on bn254", system)
		}
		p.key, err = load(device, system, "bn254", parts{
			a: points(pk.G1.A), b1: points(pk.G1.B), k: points(pk.G1.K), z: points(pk.G1.Z), b2: points(pk.G2.B),
			alpha: point(&pk.G1.Alpha), beta1: point(&pk.G1.Beta), delta1: point(&pk.G1.Delta), beta2: point(&pk.G2.Beta), delta2: point(&pk.G2.Delta),
			noA: pk.InfinityA, noB: pk.InfinityB, size: int(pk.Domain.Cardinality), commitments: len(pk.CommitmentKeys),
		})
		coset := pk.Domain.FrMultiplicativeGen
		p.prove = func(solution any) (groth16.Proof, error) {
			s := solution.(*cs_bn254.R1CSSolution)
			defer wipe(s.A, s.B, s.C, s.W)
			made, err := prove(p.key, coset, s.A, s.B, s.C, s.W)
			if err != nil {
				return nil, err
			}
			proof := new(groth16_bn254.Proof)
			return proof, errors.Join(read(&proof.Ar, made.a), read(&proof.Bs, made.b), read(&proof.Krs, made.c))
		}
	case *groth16_bls12381.ProvingKey:
		if r1cs, same := system.(*cs_bls12381.R1CS); !same || r1cs == nil || pk == nil {
			return nil, invalid("system", "%T for a key on bls12_381", system)
		}
		p.key, err = load(device, system, "bls12_381", parts{
			a: points(pk.G1.A), b1: points(pk.G1.B), k: points(pk.G1.K), z: points(pk.G1.Z), b2: points(pk.G2.B),
			alpha: point(&pk.G1.Alpha), beta1: point(&pk.G1.Beta), delta1: point(&pk.G1.Delta), beta2: point(&pk.G2.Beta), delta2: point(&pk.G2.Delta),
			noA: pk.InfinityA, noB: pk.InfinityB, size: int(pk.Domain.Cardinality), commitments: len(pk.CommitmentKeys),
		})
		coset := pk.Domain.FrMultiplicativeGen
		p.prove = func(solution any) (groth16.Proof, error) {
			s := solution.(*cs_bls12381.R1CSSolution)
			defer wipe(s.A, s.B, s.C, s.W)
			made, err := prove(p.key, coset, s.A, s.B, s.C, s.W)
			if err != nil {
				return nil, err
			}
			proof := new(groth16_bls12381.Proof)
			return proof, errors.Join(read(&proof.Ar, made.a), read(&proof.Bs, made.b), read(&proof.Krs, made.c))
		}
	default:
		return nil, invalid("proving", "%T; supported are keys on bn254 and bls12_381", proving)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Prove makes a proof for a full witness; options are those of gnark's solver. A proof that does not verify is
// proofmill.ErrDoesNotVerify: the keys do not belong together, or the device is wrong.
func (p *Prover) Prove(full witness.Witness, options ...solver.Option) (groth16.Proof, error) {
	if p == nil || p.key == nil {
		return nil, &proofmill.Error{Kind: proofmill.ErrClosed, Message: "prover: is not open"}
	}
	if full == nil {
		return nil, invalid("full", "is nil")
	}
	solution, err := p.system.Solve(full, options...)
	if err != nil {
		return nil, err
	}
	proof, err := p.prove(solution)
	if err != nil {
		return nil, err
	}
	if p.verifying == nil {
		return proof, nil
	}
	public, err := full.Public()
	if err != nil {
		return nil, err
	}
	if err := groth16.Verify(proof, p.verifying, public); err != nil {
		return nil, fmt.Errorf("%w: %w", proofmill.ErrDoesNotVerify, err)
	}
	return proof, nil
}

// Close frees the key on the device. Returns nil.
func (p *Prover) Close() error {
	if p != nil && p.key != nil {
		p.key.close()
	}
	return nil
}

// parts are gnark's key in bytes of proofmill.
type parts struct {
	a, b1, k, z, b2                     []byte
	alpha, beta1, delta1, beta2, delta2 []byte
	noA, noB                            []bool // wires without a point
	size                                int    // of the domain
	public                              int    // wires, the constant among them
	commitments                         int
}

// key is gnark's key on a device.
type key struct {
	parts
	device                  *proofmill.Device
	curve                   string
	basesA, basesB1, basesK *proofmill.ResidentBases
	basesZ, basesB2         *proofmill.ResidentBases
}

// invalid returns the error of an argument.
func invalid(argument, format string, values ...any) error {
	return &proofmill.Error{Kind: proofmill.ErrArgument, Message: argument + ": " + fmt.Sprintf(format, values...)}
}

// check returns an error if a key is not for a circuit.
func (p *parts) check(system constraint.ConstraintSystem, g1, g2 int) error {
	wires := system.GetNbPublicVariables() + system.GetNbSecretVariables() + system.GetNbInternalVariables()
	count := func(omitted []bool) int {
		left := 0
		for _, is := range omitted {
			if !is {
				left++
			}
		}
		return left
	}
	switch {
	case p.commitments > 0:
		return invalid("proving", "a circuit with commitments, which are not supported")
	case len(p.noA) != wires || len(p.noB) != wires:
		return invalid("proving", "a key for %d wires; the circuit has %d", len(p.noA), wires)
	case p.size < system.GetNbConstraints() || bits.OnesCount(uint(p.size)) != 1:
		return invalid("proving", "a key for %d constraints; the circuit has %d", p.size, system.GetNbConstraints())
	case len(p.a) != g1*count(p.noA), len(p.b1) != g1*count(p.noB), len(p.b2) != g2*count(p.noB), len(p.k) != g1*(wires-p.public), len(p.z) != g1*(p.size-1):
		return invalid("proving", "the numbers of its points do not fit the circuit")
	}
	return nil
}

func load(device *proofmill.Device, system constraint.ConstraintSystem, curve string, parts parts) (*key, error) {
	parts.public = system.GetNbPublicVariables()
	if err := parts.check(system, len(parts.alpha), len(parts.beta2)); err != nil {
		return nil, err
	}
	k := &key{parts: parts, device: device, curve: curve}
	for _, one := range []struct {
		bases **proofmill.ResidentBases
		group string
		list  *[]byte
	}{
		{&k.basesA, "_g1", &k.a}, {&k.basesB1, "_g1", &k.b1}, {&k.basesK, "_g1", &k.k}, {&k.basesZ, "_g1", &k.z}, {&k.basesB2, "_g2", &k.b2},
	} {
		bases, err := device.LoadBases(curve+one.group, *one.list, proofmill.CheckSubgroup, 0)
		if err != nil {
			k.close()
			return nil, err
		}
		*one.bases, *one.list = bases, nil
	}
	return k, nil
}

func (k *key) close() {
	for _, bases := range []*proofmill.ResidentBases{k.basesA, k.basesB1, k.basesK, k.basesZ, k.basesB2} {
		bases.Close()
	}
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
	secret := make([]E, 3)
	defer clear(secret)
	r, s, rs := &secret[0], &secret[1], &secret[2]
	if _, err := P(r).SetRandom(); err != nil {
		return nil, err
	}
	if _, err := P(s).SetRandom(); err != nil {
		return nil, err
	}
	P(rs).Neg(P(rs).Mul(r, s))
	var one E
	P(&one).SetOne()

	var failed error
	// Overwrites the scalars.
	msm := func(bases *proofmill.ResidentBases, scalars []byte) (result []byte) {
		defer clear(scalars)
		if failed == nil {
			result, failed = bases.MSM(scalars)
		}
		return result
	}
	combine := func(group string, points [][]byte, factors ...*E) (result []byte) {
		scalars := make([]byte, 32*len(factors))
		defer clear(scalars)
		for i, factor := range factors {
			put[E, P](scalars[32*i:], factor)
		}
		if failed == nil {
			result, failed = k.device.MSM(k.curve+group, slices.Concat(points...), scalars, proofmill.CheckSubgroup)
		}
		return result
	}
	sumA := msm(k.basesA, encode[E, P](wires, k.noA))
	sumB1, sumB2 := msm(k.basesB1, encode[E, P](wires, k.noB)), msm(k.basesB2, encode[E, P](wires, k.noB))
	sumK, sumZ := msm(k.basesK, encode[E, P](wires[k.public:], nil)), msm(k.basesZ, h)

	ar := combine("_g1", [][]byte{k.alpha, sumA, k.delta1}, &one, &one, r)
	bs1 := combine("_g1", [][]byte{k.beta1, sumB1, k.delta1}, &one, &one, s)
	bs := combine("_g2", [][]byte{k.beta2, sumB2, k.delta2}, &one, &one, s)
	krs := combine("_g1", [][]byte{sumK, sumZ, ar, bs1, k.delta1}, &one, &one, s, r, rs)
	if failed != nil {
		return nil, failed
	}
	return &made{ar, bs, krs}, nil
}

// quotient returns H by its coefficients, in gnark's order: by their numbers with the bits reversed, without the highest, which is 0.
func quotient[E any, P element[E]](k *key, coset E, a, b, c []E) ([]byte, error) {
	n, field, shift := k.size, k.curve+"_fr", make([]byte, 32)
	put[E, P](shift, &coset)
	moved := make([][]byte, 3)
	kept := false
	for i := range moved {
		moved[i] = make([]byte, 32*n)
		defer func() {
			if i > 0 || !kept {
				clear(moved[i])
			}
		}()
	}
	for i, values := range [][]E{a, b, c} {
		for j := range values {
			put[E, P](moved[i][32*j:], &values[j])
		}
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
			if err := get[E, P](element, moved[i][at:]); err != nil {
				return nil, err
			}
		}
		P(&x).Mul(&x, &y)
		P(&x).Sub(&x, &z)
		P(&x).Mul(&x, &inverse)
		put[E, P](moved[0][at:], &x)
	}
	if err := k.device.NTT(field, moved[0], true, shift); err != nil {
		return nil, err
	}
	h, spare := moved[0], 64-bits.TrailingZeros(uint(n))
	for i := range n {
		if j := int(bits.Reverse64(uint64(i)) >> spare); n > 1 && i < j {
			for at := range 32 {
				h[32*i+at], h[32*j+at] = h[32*j+at], h[32*i+at]
			}
		}
	}
	kept = true
	return h[:32*(n-1)], nil
}

// encode returns the elements that are not omitted, least significant byte first, in one allocation. The caller overwrites it.
func encode[E any, P element[E]](elements []E, omitted []bool) []byte {
	bytes := make([]byte, 32*len(elements))
	at := 0
	for i := range elements {
		if omitted == nil || !omitted[i] {
			put[E, P](bytes[at:], &elements[i])
			at += 32
		}
	}
	return bytes[:at]
}

// put writes the 32 bytes of an element, least significant byte first.
func put[E any, P element[E]](to []byte, element *E) {
	bytes := P(element).Bytes()
	for i, b := range bytes {
		to[31-i] = b
	}
	clear(bytes[:])
}

// get reads the 32 bytes of an element.
func get[E any, P element[E]](element *E, from []byte) error {
	var bytes [32]byte
	for i := range bytes {
		bytes[i] = from[31-i]
	}
	err := P(element).SetBytesCanonical(bytes[:])
	clear(bytes[:])
	return err
}

// wipe overwrites elements.
func wipe[E any, L ~[]E](lists ...L) {
	for _, list := range lists {
		clear(list)
	}
}

// encoded is a pointer to a point.
type encoded[T any] interface {
	*T
	Marshal() []byte
	Unmarshal([]byte) error
	IsInfinity() bool
}

// point returns x and y, least significant byte first, in G2 the coefficient of 1 first; zeros for the identity.
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

// read sets a point of a proof, which is the identity by chance only.
func read[T any, P encoded[T]](p P, bytes []byte) error {
	bytes = slices.Clone(bytes)
	slices.Reverse(bytes[:len(bytes)/2])
	slices.Reverse(bytes[len(bytes)/2:])
	return p.Unmarshal(bytes)
}
