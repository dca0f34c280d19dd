package proofmill

// #include <proofmill.h>
import "C"

import (
	"encoding/json"
	"math/big"
)

const (
	vdfOutputBytes = 1027
	vdfProofBytes  = 4360
)

// VDFProof is a proof of Wesolowski for y = x^(2^t) modulo N. Its JSON form is that of the command `proofmill vdf`.
type VDFProof struct {
	Scheme    string `json:"scheme"`
	Modulus   string `json:"modulus"`
	Input     string `json:"input"`
	Squarings uint64 `json:"squarings"`
	// Output is the smaller of y and N - y: 0x and hex digits.
	Output string `json:"output"`
	Proof  string `json:"proof"`
}

// EvaluateVDF computes y = x^(2^squarings) modulo N and returns the smaller of y and N - y.
func (d *Device) EvaluateVDF(modulus, input *big.Int, squarings uint64) (*big.Int, error) {
	text, err := d.vdf(modulus, input, vdfOutputBytes, func(device *C.proofmill_device, n, x, out *C.char, size *C.size_t) status {
		return C.proofmill_vdf_evaluate(device, n, x, C.uint64_t(squarings), out, size)
	})
	if err != nil {
		return nil, err
	}
	output, _ := new(big.Int).SetString(text, 0)
	return output, nil
}

// ProveVDF evaluates and proves y = x^(2^squarings) modulo N. maxBytes limits the memory of the proof; 0 is the default of 256 MiB.
func (d *Device) ProveVDF(modulus, input *big.Int, squarings, maxBytes uint64) (*VDFProof, error) {
	text, err := d.vdf(modulus, input, vdfProofBytes, func(device *C.proofmill_device, n, x, out *C.char, size *C.size_t) status {
		return C.proofmill_vdf_prove(device, n, x, C.uint64_t(squarings), C.uint64_t(maxBytes), out, size)
	})
	if err != nil {
		return nil, err
	}
	proof := new(VDFProof)
	return proof, json.Unmarshal([]byte(text), proof)
}

func (d *Device) vdf(modulus, input *big.Int, size int, compute func(device *C.proofmill_device, n, x, out *C.char, size *C.size_t) status) (string, error) {
	n, err := vdfNumber("modulus", modulus)
	if err != nil {
		return "", err
	}
	x, err := vdfNumber("input", input)
	if err != nil {
		return "", err
	}
	out := make([]C.char, size)
	length := C.size_t(size)
	if err := d.use(func(device *C.proofmill_device) status { return compute(device, n, x, &out[0], &length) }); err != nil {
		return "", err
	}
	return C.GoString(&out[0]), nil
}

func vdfNumber(argument string, number *big.Int) (*C.char, error) {
	if number == nil || number.Sign() < 0 {
		return nil, invalid(argument, "is nil or negative")
	}
	return cString(argument, number.String())
}

// VerifyVDF verifies a proof as JSON: of Wesolowski or Pietrzak modulo N, or of Chia's VDF.
func VerifyVDF(proof []byte) (bool, error) {
	text, err := cString("proof", string(proof))
	if err != nil {
		return false, err
	}
	var valid C.bool
	err = call(func() status { return C.proofmill_vdf_verify(text, &valid) })
	return bool(valid), err
}
