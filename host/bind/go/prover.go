package proofmill

// #include <proofmill.h>
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"unsafe"
)

// Prover is a proving key on a device, for many proofs.
type Prover struct{ handle *handle }

// OpenProver opens a .zkey file for Groth16, PLONK or FFLONK on the device of a URI. The file is mapped: it must not change while the prover is open. If resident,
// the points of the key stay loaded on the device.
func OpenProver(uri, zkeyPath string, resident bool) (*Prover, error) {
	path, err := cString("zkeyPath", zkeyPath)
	if err != nil {
		return nil, err
	}
	return openProver(uri, func(device *C.char, opened **C.proofmill_prover) status {
		return C.proofmill_prover_open(device, path, C.bool(resident), opened)
	})
}

// OpenProverBytes opens the bytes of a .zkey file, which are copied, as OpenProver does.
func OpenProverBytes(uri string, zkey []byte, resident bool) (*Prover, error) {
	return openProver(uri, func(device *C.char, opened **C.proofmill_prover) status {
		return C.proofmill_prover_open_bytes(device, start(zkey), length(zkey), C.bool(resident), opened)
	})
}

func openProver(uri string, open func(*C.char, **C.proofmill_prover) status) (*Prover, error) {
	device, err := cString("uri", uri)
	if err != nil {
		return nil, err
	}
	var opened *C.proofmill_prover
	if err := call(func() status { return open(device, &opened) }); err != nil {
		return nil, err
	}
	free := func(object unsafe.Pointer) { C.proofmill_prover_close((*C.proofmill_prover)(object)) }
	return &Prover{own("prover", unsafe.Pointer(opened), free)}, nil
}

func (p *Prover) use(body func(*C.proofmill_prover) status) error {
	if p == nil || p.handle == nil {
		return unopened("prover")
	}
	return p.handle.use(func(object unsafe.Pointer) status { return body((*C.proofmill_prover)(object)) })
}

// Close frees the prover. Proofs under way continue. Returns nil.
func (p *Prover) Close() error {
	if p != nil && p.handle != nil {
		p.handle.close()
	}
	return nil
}

// Proof is a proof and its public inputs: the content of proof.json and public.json as snarkjs writes them.
type Proof struct {
	Proof        []byte
	PublicInputs []byte
}

// sizes suffice for every proof of a prover.
type sizes struct{ proof, publicInputs C.size_t }

func (p *Prover) sizes() (sizes, error) {
	var s sizes
	err := p.use(func(prover *C.proofmill_prover) status {
		return C.proofmill_prover_sizes(prover, &s.proof, &s.publicInputs)
	})
	return s, err
}

// read gets a proof in buffers of these sizes.
func (s sizes) read(get func(proof *C.char, proofLength *C.size_t, publicInputs *C.char, publicInputsLength *C.size_t) error) (Proof, error) {
	proof, publicInputs := make([]byte, s.proof), make([]byte, s.publicInputs)
	err := get((*C.char)(unsafe.Pointer(start(proof))), &s.proof, (*C.char)(unsafe.Pointer(start(publicInputs))), &s.publicInputs)
	if err != nil {
		return Proof{}, err
	}
	return Proof{proof[:s.proof-1], publicInputs[:s.publicInputs-1]}, nil
}

// Prove makes a proof for the bytes of a .wtns file. The proof is verified before it is returned.
func (p *Prover) Prove(witness []byte) (Proof, error) {
	sizes, err := p.sizes()
	if err != nil {
		return Proof{}, err
	}
	return sizes.read(func(proof *C.char, proofLength *C.size_t, publicInputs *C.char, publicInputsLength *C.size_t) error {
		return p.use(func(prover *C.proofmill_prover) status {
			return C.proofmill_prove(prover, start(witness), length(witness), nil, nil, proof, proofLength, publicInputs, publicInputsLength)
		})
	})
}

// Start starts a proof for the bytes of a .wtns file, which are copied, and returns at once. The prover may be closed meanwhile.
func (p *Prover) Start(witness []byte) (*Proving, error) {
	return p.start(func(started **C.proofmill_proving) error {
		return p.use(func(prover *C.proofmill_prover) status {
			return C.proofmill_prove_start(prover, start(witness), length(witness), nil, nil, started)
		})
	})
}

func (p *Prover) start(submit func(**C.proofmill_proving) error) (*Proving, error) {
	sizes, err := p.sizes()
	if err != nil {
		return nil, err
	}
	var started *C.proofmill_proving
	if err := submit(&started); err != nil {
		return nil, err
	}
	free := func(object unsafe.Pointer) { C.proofmill_proving_close((*C.proofmill_proving)(object)) }
	return &Proving{own("proving", unsafe.Pointer(started), free), sizes}, nil
}

// ProveContext makes a proof as Prove does, and cancels it when the context is done. The error then matches both ErrCancelled and the
// context's error.
func (p *Prover) ProveContext(ctx context.Context, witness []byte) (Proof, error) {
	return wait(ctx, func() (*Proving, error) { return p.Start(witness) })
}

// wait waits for a proof that it starts, and cancels it when the context is done.
func wait(ctx context.Context, start func() (*Proving, error)) (Proof, error) {
	if ctx == nil {
		return Proof{}, invalid("ctx", "is nil")
	}
	proving, err := start()
	if err != nil {
		return Proof{}, err
	}
	defer proving.Close()
	stop := context.AfterFunc(ctx, func() { proving.Cancel() })
	defer stop()
	proof, err := proving.Wait()
	if errors.Is(err, ErrCancelled) && ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", err, ctx.Err())
	}
	return proof, err
}

// Proving is a proof in the background.
type Proving struct {
	handle *handle
	sizes  sizes
}

func (p *Proving) use(body func(*C.proofmill_proving) status) error {
	if p == nil || p.handle == nil {
		return unopened("proving")
	}
	return p.handle.use(func(object unsafe.Pointer) status { return body((*C.proofmill_proving)(object)) })
}

// Cancel cancels the proof: Wait then returns ErrCancelled. A finished proof is kept.
func (p *Proving) Cancel() error {
	return p.use(func(proving *C.proofmill_proving) status { return C.proofmill_proving_cancel(proving) })
}

// Wait waits for the proof and returns it. It may be called again.
func (p *Proving) Wait() (Proof, error) {
	if p == nil {
		return Proof{}, unopened("proving")
	}
	return p.sizes.read(func(proof *C.char, proofLength *C.size_t, publicInputs *C.char, publicInputsLength *C.size_t) error {
		return p.use(func(proving *C.proofmill_proving) status {
			return C.proofmill_proving_result(proving, proof, proofLength, publicInputs, publicInputsLength)
		})
	})
}

// Close cancels the proof if it has not ended, and frees it. A goroutine in Wait gets the proof or ErrCancelled. Returns nil.
func (p *Proving) Close() error {
	if p != nil && p.handle != nil {
		p.Cancel() // fails only if it is closed
		p.handle.close()
	}
	return nil
}

// Result is a proof of a batch, or its error.
type Result struct {
	Proof Proof
	Err   error
}

// ProveBatch makes a proof for the bytes of each .wtns file. With a key for Groth16 several are made at a time, each with its own working
// memory. A proof that fails does not affect the others.
func (p *Prover) ProveBatch(witnesses [][]byte) ([]Result, error) {
	sizes, err := p.sizes()
	if err != nil {
		return nil, err
	}
	// C must not be given memory of Go that points to memory of Go, unless the latter is pinned.
	var pinned runtime.Pinner
	defer pinned.Unpin()
	starts, lengths := make([]*C.uint8_t, len(witnesses)), make([]C.size_t, len(witnesses))
	for i, witness := range witnesses {
		if len(witness) > 0 {
			starts[i], lengths[i] = start(witness), length(witness)
			pinned.Pin(starts[i])
		}
	}
	var batch *C.proofmill_batch
	err = p.use(func(prover *C.proofmill_prover) status {
		return C.proofmill_prove_batch(prover, unsafe.SliceData(starts), unsafe.SliceData(lengths), C.size_t(len(witnesses)), nil, nil, &batch)
	})
	if err != nil {
		return nil, err
	}
	defer C.proofmill_batch_close(batch)
	results := make([]Result, len(witnesses))
	for i := range results {
		results[i].Proof, results[i].Err = sizes.read(func(proof *C.char, proofLength *C.size_t, publicInputs *C.char, publicInputsLength *C.size_t) error {
			return call(func() status {
				return C.proofmill_batch_proof(batch, C.size_t(i), proof, proofLength, publicInputs, publicInputsLength)
			})
		})
	}
	return results, nil
}

// Verify verifies a proof for Groth16, PLONK or FFLONK with the content of verification_key.json, which states the protocol.
func Verify(verificationKey []byte, proof Proof) (bool, error) {
	key, err := cString("verificationKey", verificationKey)
	if err != nil {
		return false, err
	}
	publicInputs, err := cString("proof.PublicInputs", proof.PublicInputs)
	if err != nil {
		return false, err
	}
	text, err := cString("proof.Proof", proof.Proof)
	if err != nil {
		return false, err
	}
	var valid C.bool
	err = call(func() status { return C.proofmill_verify(key, publicInputs, text, &valid) })
	return bool(valid), err
}
