package gnark

import (
	"errors"
	"hash"
	"math/big"
	"slices"
	"sync"

	"github.com/consensys/gnark/backend"
	"github.com/consensys/gnark/backend/witness"
	"github.com/consensys/gnark/constraint"
	"github.com/consensys/gnark/constraint/solver"
	"github.com/consensys/gnark/frontend/cs"

	proofmill "github.com/proofmill/proofmill/host/bind/go"
)

// foldingDomain separates the hash that combines the proofs of knowledge, as in gnark.
const foldingDomain = "G16-BSB22"

// field has the functions of gnark's packages for one scalar field.
type field[E any] struct {
	// solution returns a, b, c and the wires of a solved system.
	solution func(solved any) (a, b, c, wires []E)
	// hash hashes to elements.
	hash func(message, domain []byte, count int) ([]E, error)
	// toField returns the hash that gnark uses if the options bring none.
	toField func(domain []byte) hash.Hash
}

// made are the points of a proof.
type made struct {
	a, b, c     []byte
	commitments [][]byte
	knowledge   []byte // the combined proof of knowledge of the commitments; nil without commitments
}

// prove computes, with H = (A B - C) / (X^n - 1) by its coefficients,
//
//	A = alpha + sum w_i A_i + r delta                              in G1
//	B = beta + sum w_i B_i + s delta                               in G2, and as B1 in G1
//	C = sum over i of w_i K_i + sum h_j Z_j + s A + r B1 - r s delta
//
// (ePrint 2016/260, section 3.2; K has the private wires that no commitment covers), and for commitment number j, over its committed wires,
//
//	D_j = sum w_i P_ji                 while the circuit is solved: the hash of D_j is the value of a wire
//	E   = sum over j of x^j sum w_i (sigma P_ji)
//
// (ePrint 2022/1072). x is a hash of the values of the commitments' wires.
func prove[E any, P element[E], G any, PG encoded[G]](k *key, c *circuit, full witness.Witness, config backend.ProverConfig, of field[E]) (*made, error) {
	committed := &committer[E, P, G, PG]{key: k, circuit: c, hash: config.HashToFieldFn}
	if committed.hash == nil {
		committed.hash = of.toField([]byte(constraint.CommitmentDst))
	}
	committed.points, committed.scalars = make([][]byte, len(c.commitments)), make([][]byte, len(c.commitments))
	defer func() { wipe(committed.scalars...) }()
	placeholder := solver.GetHintID(cs.Bsb22CommitmentComputePlaceholder)
	solved, err := c.system.Solve(full, append(slices.Clone(config.SolverOpts), solver.OverrideHint(placeholder, committed.hint))...)
	if err != nil {
		return nil, err
	}
	a, b, products, wires := of.solution(solved)
	defer wipe(a, b, products, wires)
	on := &session[E, P]{key: k}
	result := &made{commitments: committed.points}
	result.knowledge = on.knowledge(committed.scalars, c.commitments, wires, of)
	h := on.quotient(a, b, products)
	defer wipe(h)

	secret := make([]E, 3)
	defer wipe(secret)
	r, s, rs := &secret[0], &secret[1], &secret[2]
	for _, scalar := range []*E{r, s} {
		if _, err := P(scalar).SetRandom(); err != nil {
			return nil, err
		}
	}
	P(rs).Neg(P(rs).Mul(r, s))
	blinding := encode[E, P](secret, nil)
	defer wipe(blinding)
	rBytes, sBytes, rsBytes := blinding[:32], blinding[32:64], blinding[64:]

	sumA := on.msm(k.basesA, encode[E, P](wires, k.wiresA))
	sumB1 := on.msm(k.basesB1, encode[E, P](wires, k.wiresB))
	sumB2 := on.msm(k.basesB2, encode[E, P](wires, k.wiresB))
	sumK := on.msm(k.basesK, encode[E, P](wires, c.wiresK))
	sumZ := on.msm(k.basesZ, h[:32*(k.size-1)])
	result.a = on.combine("_g1", term{k.alpha, one}, term{sumA, one}, term{k.delta1, rBytes})
	b1 := on.combine("_g1", term{k.beta1, one}, term{sumB1, one}, term{k.delta1, sBytes})
	result.b = on.combine("_g2", term{k.beta2, one}, term{sumB2, one}, term{k.delta2, sBytes})
	result.c = on.combine("_g1", term{sumK, one}, term{sumZ, k.scale}, term{result.a, sBytes}, term{b1, rBytes}, term{k.delta1, rsBytes})
	return result, on.failed
}

// committer computes commitments while the solver runs.
type committer[E any, P element[E], G any, PG encoded[G]] struct {
	key     *key
	circuit *circuit
	lock    sync.Mutex // the solver may call the hint for several commitments at a time
	hash    hash.Hash
	points  [][]byte
	scalars [][]byte // of the committed wires
}

// hint computes the value of a commitment's wire: a hash of the commitment and of the committed public wires and commitments. Its inputs are the
// number of the commitment, those values, and the values of the committed private wires.
func (c *committer[E, P, G, PG]) hint(_ *big.Int, inputs, outputs []*big.Int) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	number := int(inputs[0].Int64())
	shape := c.circuit.commitments[number]
	hashed, committed := inputs[1:1+len(shape.PublicAndCommitmentCommitted)], inputs[1+len(shape.PublicAndCommitmentCommitted):]
	scalars := make([]byte, 32*len(committed))
	c.scalars[number] = scalars
	for i, value := range committed {
		slices.Reverse(value.FillBytes(scalars[32*i : 32*i+32]))
	}
	bytes, err := c.key.commitments[number].bases.MSM(scalars)
	if err != nil {
		return err
	}
	var point G
	if err := read[G, PG](&point, bytes); err != nil {
		return err
	}
	c.points[number] = bytes
	c.hash.Write(constraint.SerializeCommitment(PG(&point).Marshal(), hashed, 32))
	digest := c.hash.Sum(nil)
	c.hash.Reset()
	var element E
	P(&element).SetBytes(digest[:min(32, c.hash.Size())])
	P(&element).BigInt(outputs[0])
	return nil
}

// session computes on the device of a key. After a failure it computes nothing more.
type session[E any, P element[E]] struct {
	key    *key
	failed error
}

// msm computes an MSM and overwrites its scalars.
func (s *session[E, P]) msm(bases *proofmill.ResidentBases, scalars []byte) (result []byte) {
	defer wipe(scalars)
	if s.failed == nil {
		result, s.failed = bases.MSM(scalars)
	}
	return result
}

// term is a point times a scalar.
type term struct{ point, scalar []byte }

// one is the scalar 1.
var one = append([]byte{1}, make([]byte, 31)...)

// combine computes a sum of few terms.
func (s *session[E, P]) combine(group string, terms ...term) (result []byte) {
	var points []byte
	scalars := make([]byte, 0, 32*len(terms))
	defer func() { wipe(scalars) }()
	for _, term := range terms {
		points, scalars = append(points, term.point...), append(scalars, term.scalar...)
	}
	if s.failed == nil {
		result, s.failed = s.key.device.MSM(s.key.curve+group, points, scalars, proofmill.CheckSubgroup)
	}
	return result
}

// knowledge computes the combined proof of knowledge of all commitments. The MSMs overwrite the scalars.
func (s *session[E, P]) knowledge(scalars [][]byte, commitments constraint.Groth16Commitments, wires []E, of field[E]) []byte {
	if len(commitments) == 0 || s.failed != nil {
		return nil
	}
	if slices.ContainsFunc(scalars, func(list []byte) bool { return list == nil }) {
		s.failed = errors.New("gnark's solver did not compute every commitment")
		return nil
	}
	var hashed []byte
	for _, commitment := range commitments {
		hashed = append(hashed, P(&wires[commitment.CommitmentIndex]).Marshal()...)
	}
	challenge, err := of.hash(hashed, []byte(foldingDomain), 1)
	if err != nil {
		s.failed = err
		return nil
	}
	powers := make([]E, len(commitments))
	P(&powers[0]).SetOne()
	for i := range powers[1:] {
		P(&powers[i+1]).Mul(&powers[i], &challenge[0])
	}
	terms := make([]term, len(commitments))
	for i := range terms {
		terms[i] = term{s.msm(s.key.commitments[i].sigma, scalars[i]), encode[E, P](powers[i:i+1], nil)}
	}
	return s.combine("_g1", terms...)
}

// quotient returns H by its coefficients, times g^n - 1. The caller overwrites it.
func (s *session[E, P]) quotient(a, b, c []E) (h []byte) {
	lists := make([][]byte, 3)
	defer func() { wipe(lists...) }()
	for i, list := range [][]E{a, b, c} {
		lists[i] = make([]byte, 32*s.key.size)
		encodeTo[E, P](lists[i], list, nil)
	}
	name := s.key.curve + "_fr"
	if s.failed == nil {
		h, s.failed = s.key.device.Quotient(name, s.key.shift, lists[0], lists[1], lists[2])
	}
	if s.failed == nil {
		s.failed = s.key.device.NTT(name, h, true, s.key.shift)
	}
	if s.failed != nil {
		wipe(h)
		return make([]byte, 32*s.key.size)
	}
	return h
}

// wipe overwrites lists.
func wipe[E any](lists ...[]E) {
	for _, list := range lists {
		clear(list)
	}
}
