package proofmill

// #include <proofmill.h>
import "C"

import (
	"context"
	"time"
	"unsafe"
)

// Calculator is a witness generator of circom 2, for many proofs.
type Calculator struct{ handle *handle }

// Limits bounds a witness generator. Zero fields mean the defaults.
type Limits struct {
	MaxBytes uint64        // of memory; 2 GiB by default
	MaxTime  time.Duration // of each calculation; 10 minutes by default
}

// OpenCalculator opens a .wasm file that circom --wasm writes.
func OpenCalculator(wasmPath string, limits Limits) (*Calculator, error) {
	path, err := cString("wasmPath", wasmPath)
	if err != nil {
		return nil, err
	}
	return openCalculator(func(opened **C.proofmill_calculator) status {
		return C.proofmill_calculator_open(path, C.size_t(limits.MaxBytes), C.double(limits.MaxTime.Seconds()), opened)
	})
}

// OpenCalculatorBytes opens the bytes of a .wasm file as OpenCalculator does.
func OpenCalculatorBytes(wasm []byte, limits Limits) (*Calculator, error) {
	return openCalculator(func(opened **C.proofmill_calculator) status {
		seconds := C.double(limits.MaxTime.Seconds())
		return C.proofmill_calculator_open_bytes(start(wasm), length(wasm), C.size_t(limits.MaxBytes), seconds, opened)
	})
}

func openCalculator(open func(**C.proofmill_calculator) status) (*Calculator, error) {
	var opened *C.proofmill_calculator
	if err := call(func() status { return open(&opened) }); err != nil {
		return nil, err
	}
	free := func(object unsafe.Pointer) { C.proofmill_calculator_close((*C.proofmill_calculator)(object)) }
	return &Calculator{own("calculator", unsafe.Pointer(opened), free)}, nil
}

// Close frees the generator. Proofs under way continue. Returns nil.
func (c *Calculator) Close() error {
	if c != nil && c.handle != nil {
		c.handle.close()
	}
	return nil
}

// use calls the library with a prover and the generator.
func (c *Calculator) use(p *Prover, body func(*C.proofmill_prover, *C.proofmill_calculator) status) error {
	if c == nil || c.handle == nil {
		return unopened("calculator")
	}
	var outer error
	err := p.use(func(prover *C.proofmill_prover) status {
		ended := status(C.PROOFMILL_OK)
		outer = c.handle.use(func(object unsafe.Pointer) status {
			ended = body(prover, (*C.proofmill_calculator)(object))
			return ended
		})
		return ended
	})
	if err == nil {
		err = outer
	}
	return err
}

// FullProve calculates the witness for the inputs of the circuit, makes a proof and verifies it. The inputs are JSON with a value for each
// input signal. An error names the signal, or the failed assertion with its template and line.
func (p *Prover) FullProve(calculator *Calculator, inputs []byte) (Proof, error) {
	sizes, err := p.sizes()
	if err != nil {
		return Proof{}, err
	}
	return sizes.read(func(proof *C.char, proofLength *C.size_t, publicInputs *C.char, publicInputsLength *C.size_t) error {
		return calculator.use(p, func(prover *C.proofmill_prover, calculator *C.proofmill_calculator) status {
			return C.proofmill_full_prove(prover, calculator, text(inputs), length(inputs), nil, nil, proof, proofLength, publicInputs, publicInputsLength)
		})
	})
}

// StartFull starts a calculation and a proof as FullProve does, and returns at once. The inputs are copied. The prover and the generator
// may be closed meanwhile.
func (p *Prover) StartFull(calculator *Calculator, inputs []byte) (*Proving, error) {
	return p.start(func(started **C.proofmill_proving) error {
		return calculator.use(p, func(prover *C.proofmill_prover, calculator *C.proofmill_calculator) status {
			return C.proofmill_full_prove_start(prover, calculator, text(inputs), length(inputs), nil, nil, started)
		})
	})
}

// FullProveContext makes a proof as FullProve does, and cancels it when the context is done. The error then matches both ErrCancelled and
// the context's error.
func (p *Prover) FullProveContext(ctx context.Context, calculator *Calculator, inputs []byte) (Proof, error) {
	return wait(ctx, func() (*Proving, error) { return p.StartFull(calculator, inputs) })
}

// text returns the address of a slice's first byte as C's characters.
func text(slice []byte) *C.char { return (*C.char)(unsafe.Pointer(unsafe.SliceData(slice))) }
