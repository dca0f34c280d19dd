// Package proofmill makes and verifies Groth16, PLONK and FFLONK proofs, computes MSMs, NTTs, Poseidon hashes and pairings, and verifies ECDSA and BLS
// signatures and Equihash headers, on the CPU or on an accelerator.
//
// It calls the C library, which `python3 tools/clib.py --prefix FOLDER` installs and which PKG_CONFIG_PATH=FOLDER/lib/pkgconfig finds.
//
// Numbers are canonical and little-endian. An invalid proof, signature or header is a result, not an error. Errors are values of
// [*Error]; compare them with the variables Err… by [errors.Is].
//
// Goroutines may share every type of this package. Close may be called at any time, also more than once: calls under way end as usual,
// later ones return [ErrClosed].
package proofmill

// #cgo pkg-config: proofmill
// #include <proofmill.h>
import "C"

import (
	"runtime"
	"strings"
	"unsafe"
)

// Version returns the version of the library.
func Version() string { return C.GoString(C.proofmill_version()) }

// status is C's enumeration, as cgo has it.
type status = uint32

// call runs a function of the library on one thread, to which the message of a failure belongs.
func call(body func() status) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if ended := body(); ended != C.PROOFMILL_OK {
		return &Error{Kind: kind(ended), Message: C.GoString(C.proofmill_last_error())}
	}
	return nil
}

// start returns the address of a slice's first byte; nil for a nil slice.
func start(slice []byte) *C.uint8_t {
	return (*C.uint8_t)(unsafe.SliceData(slice))
}

// length returns the length of a slice.
func length(slice []byte) C.size_t { return C.size_t(len(slice)) }

// cString returns a text that ends with a zero byte, in memory of Go, since the library keeps no text. A zero byte within the text would
// hide the rest, and is an error.
func cString[T string | []byte](argument string, text T) (*C.char, error) {
	if strings.IndexByte(string(text), 0) >= 0 {
		return nil, invalid(argument, "contains a zero byte")
	}
	ended := append([]byte(text), 0)
	return (*C.char)(unsafe.Pointer(&ended[0])), nil
}
