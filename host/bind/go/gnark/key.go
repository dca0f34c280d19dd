package gnark

import (
	"math/bits"

	"github.com/consensys/gnark/constraint"

	proofmill "github.com/proofmill/proofmill/host/bind/go"
)

// parts are gnark's key in bytes of proofmill.
type parts struct {
	curve                               string
	a, b1, k, z, b2                     []byte
	alpha, beta1, delta1, beta2, delta2 []byte
	noA, noB                            []bool   // wires without a point
	bases, sigma                        [][]byte // of the commitments, and the same times sigma, for the proofs of knowledge
	size                                int      // n, of the domain
	shift, scale                        []byte   // g of the coset, and 1 / (g^n - 1)
}

// key is gnark's key on a device.
type key struct {
	parts
	device         *proofmill.Device
	wires          int
	wiresA, wiresB []uint32 // that have a point

	basesA, basesB1, basesK *proofmill.ResidentBases
	basesZ, basesB2         *proofmill.ResidentBases
	commitments             []commitmentKey
	counts                  struct{ a, b1, b2, k, z int }
}

// commitmentKey has the points of one commitment.
type commitmentKey struct {
	bases, sigma *proofmill.ResidentBases
	count        int
}

// load loads a key to a device, which checks its points.
func load(device *proofmill.Device, parts parts) (*key, error) {
	k := &key{parts: parts, device: device, wires: len(parts.noA), wiresA: present(parts.noA), wiresB: present(parts.noB)}
	k.noA, k.noB, k.bases, k.sigma = nil, nil, nil, nil
	g1, g2 := len(parts.alpha), len(parts.beta2)
	k.counts.a, k.counts.b1, k.counts.k, k.counts.z, k.counts.b2 = len(k.a)/g1, len(k.b1)/g1, len(k.k)/g1, len(k.z)/g1, len(k.b2)/g2
	switch {
	case len(parts.noB) != k.wires:
		return nil, invalid("proving", "%d wires in A and %d in B", k.wires, len(parts.noB))
	case bits.OnesCount(uint(k.size)) != 1:
		return nil, invalid("proving", "a domain of %d; expected a power of two", k.size)
	case k.counts.a != len(k.wiresA), k.counts.b1 != len(k.wiresB), k.counts.b2 != len(k.wiresB), k.counts.z != k.size-1:
		return nil, invalid("proving", "the numbers of its points do not fit its wires and constraints")
	}
	k.z = reordered(k.z, k.size, g1)
	if err := k.loadBases(parts.bases, parts.sigma); err != nil {
		k.close()
		return nil, err
	}
	return k, nil
}

// loadBases loads the points and drops their bytes.
func (k *key) loadBases(commitments, sigma [][]byte) (err error) {
	loaded := func(group string, points []byte) (bases *proofmill.ResidentBases) {
		if err == nil {
			bases, err = k.device.LoadBases(k.curve+group, points, proofmill.CheckSubgroup, 0)
		}
		return bases
	}
	k.basesA, k.a = loaded("_g1", k.a), nil
	k.basesB1, k.b1 = loaded("_g1", k.b1), nil
	k.basesK, k.k = loaded("_g1", k.k), nil
	k.basesZ, k.z = loaded("_g1", k.z), nil
	k.basesB2, k.b2 = loaded("_g2", k.b2), nil
	for i := range commitments {
		if len(commitments[i]) != len(sigma[i]) {
			return invalid("proving", "the points of commitment %d and of its proof of knowledge differ in number", i)
		}
		one := commitmentKey{loaded("_g1", commitments[i]), loaded("_g1", sigma[i]), len(commitments[i]) / len(k.alpha)}
		k.commitments = append(k.commitments, one)
	}
	return err
}

func (k *key) close() {
	for _, bases := range []*proofmill.ResidentBases{k.basesA, k.basesB1, k.basesK, k.basesZ, k.basesB2} {
		bases.Close()
	}
	for _, commitment := range k.commitments {
		commitment.bases.Close()
		commitment.sigma.Close()
	}
}

// circuit is a constraint system that fits a key.
type circuit struct {
	system      constraint.ConstraintSystem
	public      int      // wires, the constant among them
	wiresK      []uint32 // with a point in K: private, not committed, no commitments
	commitments constraint.Groth16Commitments
}

// match returns an error if the key is not for the circuit.
func (k *key) match(system constraint.ConstraintSystem) (*circuit, error) {
	c := &circuit{system: system, public: system.GetNbPublicVariables()}
	wires := c.public + system.GetNbSecretVariables() + system.GetNbInternalVariables()
	c.commitments, _ = system.GetCommitments().(constraint.Groth16Commitments)
	switch {
	case k.wires != wires:
		return nil, invalid("proving", "a key for %d wires; the circuit has %d", k.wires, wires)
	case k.size < system.GetNbConstraints():
		return nil, invalid("proving", "a key for %d constraints; the circuit has %d", k.size, system.GetNbConstraints())
	case len(k.commitments) != len(c.commitments):
		return nil, invalid("proving", "a key for %d commitments; the circuit has %d", len(k.commitments), len(c.commitments))
	}
	notK := make([]bool, wires)
	for i := range c.public {
		notK[i] = true
	}
	for i, commitment := range c.commitments {
		if found := k.commitments[i].count; found != len(commitment.PrivateCommitted) {
			return nil, invalid("proving", "a key for %d values of commitment %d; the circuit has %d", found, i, len(commitment.PrivateCommitted))
		}
		for _, wire := range append([]int{commitment.CommitmentIndex}, commitment.PrivateCommitted...) {
			notK[wire] = true
		}
	}
	if c.wiresK = present(notK); len(c.wiresK) != k.counts.k {
		return nil, invalid("proving", "a key for %d private wires; the circuit has %d", k.counts.k, len(c.wiresK))
	}
	return c, nil
}

// present returns the numbers of what is not omitted, an empty list if all is.
func present(omitted []bool) []uint32 {
	numbers := []uint32{}
	for i, is := range omitted {
		if !is {
			numbers = append(numbers, uint32(i))
		}
	}
	return numbers
}

// reordered returns the points of Z in the order of the coefficients of H. gnark has point i for the coefficient whose number has the bits of
// i reversed; there is none for the highest one, which is 0.
func reordered(z []byte, size, each int) []byte {
	ordered, spare := make([]byte, len(z)), 64-bits.TrailingZeros(uint(size))
	for i := range len(z) / each {
		j := int(bits.Reverse64(uint64(i)) >> spare)
		copy(ordered[j*each:(j+1)*each], z[i*each:])
	}
	return ordered
}
