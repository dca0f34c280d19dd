// Package proofmill makes and verifies Groth16 proofs, computes MSMs, NTTs and Poseidon hashes, and verifies ECDSA signatures and Equihash
// headers, on this machine's processor or on a card.
//
// It stands on the C library: `python3 tools/clib.py --prefix FOLDER` installs it, and PKG_CONFIG_PATH=FOLDER/lib/pkgconfig finds it.
// Numbers are canonical and little-endian. An invalid proof, signature or header is an answer, never an error.
package proofmill

// #cgo pkg-config: proofmill
// #include <stdlib.h>
// #include <proofmill.h>
import "C"

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

// Status says what kind of error there was: the numbers of proofmill.h.
type Status int

// What can go wrong.
const (
	ErrArgument      Status = C.PROOFMILL_ARGUMENT
	ErrUnsupported   Status = C.PROOFMILL_UNSUPPORTED
	ErrOpen          Status = C.PROOFMILL_OPEN
	ErrFailed        Status = C.PROOFMILL_FAILED
	ErrLost          Status = C.PROOFMILL_LOST
	ErrTimedOut      Status = C.PROOFMILL_TIMED_OUT
	ErrCancelled     Status = C.PROOFMILL_CANCELLED
	ErrIO            Status = C.PROOFMILL_IO
	ErrFile          Status = C.PROOFMILL_FILE
	ErrDoesNotVerify Status = C.PROOFMILL_DOES_NOT_VERIFY
	ErrShortBuffer   Status = C.PROOFMILL_SHORT_BUFFER
	ErrBug           Status = C.PROOFMILL_BUG
)

// Error is why there is no answer. Its text names the argument.
type Error struct {
	Status Status
	Text   string
}

func (e *Error) Error() string { return e.Text }

// status is C's enumeration, as cgo sees it.
type status = uint32

// call keeps a call and the question for its error on one thread, since the text belongs to a thread.
func call(body func() status) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if ended := body(); ended != C.PROOFMILL_OK {
		return &Error{Status(ended), C.GoString(C.proofmill_last_error())}
	}
	return nil
}

func wrong(argument, problem string) error {
	return &Error{ErrArgument, argument + ": " + problem}
}

// bytes points at a slice's first byte; nil for none.
func bytes(slice []byte) *C.uint8_t {
	return (*C.uint8_t)(unsafe.SliceData(slice))
}

// Version is that of the library.
func Version() string { return C.GoString(C.proofmill_version()) }

// Device answers requests, from any number of goroutines.
type Device struct{ handle *C.proofmill_device }

// Open opens the device that a URI names: "cpu:", "cpu:?threads=4", "sim:card", "cuda:0".
func Open(uri string) (*Device, error) {
	text := C.CString(uri)
	defer C.free(unsafe.Pointer(text))
	var handle *C.proofmill_device
	if err := call(func() status { return C.proofmill_device_open(text, &handle) }); err != nil {
		return nil, err
	}
	device := &Device{handle}
	runtime.SetFinalizer(device, (*Device).Close)
	return device, nil
}

// Close frees the device; later calls say that it is closed.
func (d *Device) Close() {
	C.proofmill_device_close(d.handle)
	d.handle = nil
	runtime.SetFinalizer(d, nil)
}

// Info is what a device says of itself.
type Info struct {
	URI          string   `json:"uri"`
	Kind         string   `json:"kind"`
	Description  string   `json:"description"`
	Capabilities []string `json:"capabilities"`
	Queue        int      `json:"queue"`
}

// Info asks the device what it is.
func (d *Device) Info() (Info, error) {
	defer runtime.KeepAlive(d)
	var info Info
	err := document(&info, func(text *C.char, length *C.size_t) status { return C.proofmill_device_info(d.handle, text, length) })
	return info, err
}

// Devices are the URIs of all devices that could be opened here.
func Devices() ([]string, error) {
	var uris []string
	err := document(&uris, func(text *C.char, length *C.size_t) status { return C.proofmill_devices(text, length) })
	return uris, err
}

// document reads a JSON text of a length that the library knows: it is asked for twice.
func document(into any, ask func(*C.char, *C.size_t) status) error {
	var length C.size_t
	err := call(func() status { return ask(nil, &length) })
	if e, short := err.(*Error); !short || e.Status != ErrShortBuffer {
		return err
	}
	text := make([]byte, length)
	if err := call(func() status { return ask((*C.char)(unsafe.Pointer(bytes(text))), &length) }); err != nil {
		return err
	}
	return json.Unmarshal(text[:length-1], into)
}

// Check is what is looked at in points before anything is computed.
type Check int32

// Checks, each with those before it.
const (
	CheckNothing  Check = C.PROOFMILL_CHECK_NOTHING
	CheckCurve    Check = C.PROOFMILL_CHECK_CURVE
	CheckSubgroup Check = C.PROOFMILL_CHECK_SUBGROUP
)

// PointBytes is the size of a point of a group, such as "bn254_g1": x and y.
func PointBytes(group string) (int, error) {
	name := C.CString(group)
	defer C.free(unsafe.Pointer(name))
	var size C.size_t
	err := call(func() status { return C.proofmill_msm_point_bytes(name, &size) })
	return int(size), err
}

// MSM is the sum of k_i P_i. Scalars have 32 bytes each and are below r.
func (d *Device) MSM(group string, points, scalars []byte, check Check) ([]byte, error) {
	defer runtime.KeepAlive(d)
	size, err := PointBytes(group)
	if err != nil {
		return nil, err
	}
	name := C.CString(group)
	defer C.free(unsafe.Pointer(name))
	result := make([]byte, size)
	err = call(func() status {
		return C.proofmill_msm(d.handle, name, C.int32_t(check), bytes(points), C.size_t(len(points)), bytes(scalars), C.size_t(len(scalars)),
			bytes(result), C.size_t(size))
	})
	return result, err
}

// Bases are points that are resident on a device.
type Bases struct {
	handle *C.proofmill_bases
	point  int
}

// Bases makes points resident, in at most `room` bytes with precomputed multiples; 0 for the points alone.
func (d *Device) Bases(group string, points []byte, check Check, room uint) (*Bases, error) {
	defer runtime.KeepAlive(d)
	size, err := PointBytes(group)
	if err != nil {
		return nil, err
	}
	name := C.CString(group)
	defer C.free(unsafe.Pointer(name))
	var handle *C.proofmill_bases
	err = call(func() status {
		return C.proofmill_bases_open(d.handle, name, C.int32_t(check), C.size_t(room), bytes(points), C.size_t(len(points)), &handle)
	})
	if err != nil {
		return nil, err
	}
	bases := &Bases{handle, size}
	runtime.SetFinalizer(bases, (*Bases).Close)
	return bases, nil
}

// Close frees the bases.
func (b *Bases) Close() {
	C.proofmill_bases_close(b.handle)
	b.handle = nil
	runtime.SetFinalizer(b, nil)
}

// MSM computes one MSM for each list of scalars.
func (b *Bases) MSM(lists ...[]byte) ([][]byte, error) {
	defer runtime.KeepAlive(b)
	var scalars []byte
	for i, list := range lists {
		if len(list) != len(lists[0]) {
			return nil, wrong("scalars", fmt.Sprintf("list %d has %d bytes, list 0 has %d", i, len(list), len(lists[0])))
		}
		scalars = append(scalars, list...)
	}
	results := make([]byte, len(lists)*b.point)
	err := call(func() status {
		return C.proofmill_bases_msm(b.handle, C.size_t(len(lists)), bytes(scalars), C.size_t(len(scalars)), bytes(results), C.size_t(len(results)))
	})
	if err != nil {
		return nil, err
	}
	points := make([][]byte, len(lists))
	for i := range points {
		points[i] = results[i*b.point : (i+1)*b.point : (i+1)*b.point]
	}
	return points, nil
}

// NTT transforms elements in place, in natural order: from coefficients to values, or back. The shift of a coset is one element, or nil.
func (d *Device) NTT(field string, elements []byte, inverse bool, shift []byte) error {
	defer runtime.KeepAlive(d)
	name := C.CString(field)
	defer C.free(unsafe.Pointer(name))
	return call(func() status {
		return C.proofmill_ntt(d.handle, name, C.bool(inverse), bytes(shift), C.size_t(len(shift)), bytes(elements), C.size_t(len(elements)))
	})
}

// Poseidon is Filecoin's: a digest of 32 bytes for each preimage of `arity` elements.
func (d *Device) Poseidon(arity int, preimages []byte) ([]byte, error) {
	defer runtime.KeepAlive(d)
	if arity < 2 || arity > 36 {
		return nil, wrong("arity", fmt.Sprintf("is %d; expected 2 to 36", arity))
	}
	digests := make([]byte, len(preimages)/arity)
	err := call(func() status {
		return C.proofmill_poseidon(d.handle, C.size_t(arity), bytes(preimages), C.size_t(len(preimages)), bytes(digests), C.size_t(len(digests)))
	})
	return digests, err
}

// Signature is one on secp256k1: the key in a form of SEC 1, strict DER (or r and s of 32 bytes each, if Compact), and the digest.
type Signature struct {
	Key, Signature []byte
	Compact        bool
	Digest         [32]byte
}

// What is wrong with a signature.
const (
	ECDSARange        = C.PROOFMILL_ECDSA_R_OUT_OF_RANGE | C.PROOFMILL_ECDSA_S_OUT_OF_RANGE
	ECDSAFailed       = C.PROOFMILL_ECDSA_FAILED
	ECDSAInvalidKey   = C.PROOFMILL_ECDSA_INVALID_KEY
	ECDSABadSignature = C.PROOFMILL_ECDSA_BAD_SIGNATURE
	ECDSABadKey       = C.PROOFMILL_ECDSA_BAD_KEY
	ECDSAHighS        = C.PROOFMILL_ECDSA_HIGH_S
)

// ECDSAVerify says of each signature 0, or the bits of what is wrong. With lowS, an s above n / 2 is wrong.
func (d *Device) ECDSAVerify(signatures []Signature, lowS bool) ([]uint32, error) {
	defer runtime.KeepAlive(d)
	if len(signatures) == 0 {
		return nil, nil
	}
	// C may not be given Go memory that points to Go memory, unless that is pinned.
	var pinned runtime.Pinner
	defer pinned.Unpin()
	items := make([]C.proofmill_signature, len(signatures))
	for i, s := range signatures {
		item := &items[i]
		for _, part := range []struct {
			from []byte
			to   **C.uint8_t
		}{{s.Key, &item.key}, {s.Signature, &item.signature}} {
			if len(part.from) > 0 {
				pinned.Pin(&part.from[0])
				*part.to = bytes(part.from)
			}
		}
		item.key_length, item.signature_length = C.size_t(len(s.Key)), C.size_t(len(s.Signature))
		item.form = C.PROOFMILL_DER
		if s.Compact {
			item.form = C.PROOFMILL_COMPACT
		}
		for at, b := range s.Digest {
			item.digest[at] = C.uint8_t(b)
		}
	}
	outcomes := make([]uint32, len(signatures))
	err := call(func() status {
		return C.proofmill_ecdsa_verify(d.handle, C.bool(lowS), &items[0], C.size_t(len(items)), (*C.uint32_t)(&outcomes[0]))
	})
	return outcomes, err
}

// EquihashVerify says of each of `count` block headers, which stand one after the other, 0 or the bits of what is wrong. The network is
// "main", "test", "regtest", or "none": the difficulty is not checked.
func (d *Device) EquihashVerify(n, k uint32, network string, headers []byte, count int) ([]byte, error) {
	defer runtime.KeepAlive(d)
	if count < 0 {
		return nil, wrong("count", "is negative")
	}
	name := C.CString(network)
	defer C.free(unsafe.Pointer(name))
	verdicts := make([]byte, count)
	err := call(func() status {
		return C.proofmill_equihash_verify(d.handle, C.uint32_t(n), C.uint32_t(k), name, bytes(headers), C.size_t(len(headers)), bytes(verdicts),
			C.size_t(count))
	})
	return verdicts, err
}

// Prover is a proving key on a device, for many proofs and goroutines.
type Prover struct{ handle *C.proofmill_prover }

// OpenProver opens a .zkey file for the device that a URI names. A resident key is kept in the device's own form, for many proofs.
func OpenProver(uri, zkey string, resident bool) (*Prover, error) {
	path := C.CString(zkey)
	defer C.free(unsafe.Pointer(path))
	return openProver(uri, func(device *C.char, handle **C.proofmill_prover) status {
		return C.proofmill_prover_open(device, path, C.bool(resident), handle)
	})
}

// OpenProverBytes does the same with the bytes of a .zkey file, which are copied.
func OpenProverBytes(uri string, zkey []byte, resident bool) (*Prover, error) {
	return openProver(uri, func(device *C.char, handle **C.proofmill_prover) status {
		return C.proofmill_prover_open_bytes(device, bytes(zkey), C.size_t(len(zkey)), C.bool(resident), handle)
	})
}

func openProver(uri string, open func(*C.char, **C.proofmill_prover) status) (*Prover, error) {
	device := C.CString(uri)
	defer C.free(unsafe.Pointer(device))
	var handle *C.proofmill_prover
	if err := call(func() status { return open(device, &handle) }); err != nil {
		return nil, err
	}
	prover := &Prover{handle}
	runtime.SetFinalizer(prover, (*Prover).Close)
	return prover, nil
}

// Close frees the prover.
func (p *Prover) Close() {
	C.proofmill_prover_close(p.handle)
	p.handle = nil
	runtime.SetFinalizer(p, nil)
}

// Proof is proof.json and public.json as snarkjs writes them.
type Proof struct {
	Proof, Public []byte
}

// Prove makes a proof for the bytes of a .wtns file. It is verified before it is returned.
func (p *Prover) Prove(witness []byte) (Proof, error) {
	defer runtime.KeepAlive(p)
	return texts(p.publicLength(), func(proof *C.char, proofLength *C.size_t, public *C.char, publicLength *C.size_t) status {
		return C.proofmill_prove(p.handle, bytes(witness), C.size_t(len(witness)), nil, nil, proof, proofLength, public, publicLength)
	})
}

// Start starts a proof for the bytes of a .wtns file and returns at once.
func (p *Prover) Start(witness []byte) (*Proving, error) {
	defer runtime.KeepAlive(p)
	var handle *C.proofmill_proving
	err := call(func() status {
		return C.proofmill_prove_start(p.handle, bytes(witness), C.size_t(len(witness)), nil, nil, &handle)
	})
	if err != nil {
		return nil, err
	}
	proving := &Proving{handle: handle, publicLength: p.publicLength()}
	runtime.SetFinalizer(proving, (*Proving).Close)
	return proving, nil
}

// ProveContext makes a proof as Prove does, and gives it up when the context is done: then the error is the context's.
func (p *Prover) ProveContext(ctx context.Context, witness []byte) (Proof, error) {
	proving, err := p.Start(witness)
	if err != nil {
		return Proof{}, err
	}
	defer proving.Close()
	stop := context.AfterFunc(ctx, proving.Cancel)
	defer stop()
	proof, err := proving.Wait()
	if e, told := err.(*Error); told && e.Status == ErrCancelled && ctx.Err() != nil {
		return Proof{}, ctx.Err()
	}
	return proof, err
}

// Proving is a proof that is being made.
type Proving struct {
	lock         sync.Mutex // of who cancels and who closes
	handle       *C.proofmill_proving
	publicLength C.size_t
}

// Cancel gives up the proof; one that is there stays.
func (p *Proving) Cancel() {
	p.lock.Lock()
	defer p.lock.Unlock()
	C.proofmill_proving_cancel(p.handle)
}

// Wait waits for the proof.
func (p *Proving) Wait() (Proof, error) {
	defer runtime.KeepAlive(p)
	return texts(p.publicLength, func(proof *C.char, proofLength *C.size_t, public *C.char, publicLength *C.size_t) status {
		return C.proofmill_proving_result(p.handle, proof, proofLength, public, publicLength)
	})
}

// Close frees the handle; a proof that is not there is given up.
func (p *Proving) Close() {
	p.lock.Lock()
	defer p.lock.Unlock()
	C.proofmill_proving_close(p.handle)
	p.handle = nil
	runtime.SetFinalizer(p, nil)
}

// Result is a proof of a batch, or why it could not be made.
type Result struct {
	Proof Proof
	Err   error
}

// ProveBatch makes a proof for each witness, several at a time, each in memory of its own. One that cannot be made is no hindrance to
// others.
func (p *Prover) ProveBatch(witnesses [][]byte) ([]Result, error) {
	defer runtime.KeepAlive(p)
	if len(witnesses) == 0 {
		return nil, nil
	}
	// C may keep no pointers to Go's memory within an array of its own, so the bytes are pinned.
	var pins runtime.Pinner
	defer pins.Unpin()
	starts, lengths := make([]*C.uint8_t, len(witnesses)), make([]C.size_t, len(witnesses))
	for i, witness := range witnesses {
		if len(witness) > 0 {
			starts[i], lengths[i] = bytes(witness), C.size_t(len(witness))
			pins.Pin(starts[i])
		}
	}
	var batch *C.proofmill_batch
	err := call(func() status {
		return C.proofmill_prove_batch(p.handle, &starts[0], &lengths[0], C.size_t(len(witnesses)), nil, nil, &batch)
	})
	if err != nil {
		return nil, err
	}
	defer C.proofmill_batch_close(batch)
	results := make([]Result, len(witnesses))
	for i := range results {
		results[i].Proof, results[i].Err = texts(p.publicLength(), func(proof *C.char, proofLength *C.size_t, public *C.char, publicLength *C.size_t) status {
			return C.proofmill_batch_proof(batch, C.size_t(i), proof, proofLength, public, publicLength)
		})
	}
	return results, nil
}

func (p *Prover) publicLength() C.size_t {
	var proof, public C.size_t
	C.proofmill_prover_sizes(p.handle, &proof, &public)
	return public
}

// texts asks for a proof, in buffers that are large enough.
func texts(publicLength C.size_t, ask func(*C.char, *C.size_t, *C.char, *C.size_t) status) (Proof, error) {
	proofLength := C.size_t(proofBytes)
	proof, public := make([]byte, proofLength), make([]byte, publicLength)
	err := call(func() status {
		return ask((*C.char)(unsafe.Pointer(bytes(proof))), &proofLength, (*C.char)(unsafe.Pointer(bytes(public))), &publicLength)
	})
	if err != nil {
		return Proof{}, err
	}
	return Proof{proof[:proofLength-1], public[:publicLength-1]}, nil
}

// proofBytes are enough for a proof as text.
const proofBytes = 2048

// Verify says whether a proof convinces, with the content of verification_key.json.
func Verify(verificationKey []byte, proof Proof) (bool, error) {
	key, public, text := C.CString(string(verificationKey)), C.CString(string(proof.Public)), C.CString(string(proof.Proof))
	defer C.free(unsafe.Pointer(key))
	defer C.free(unsafe.Pointer(public))
	defer C.free(unsafe.Pointer(text))
	var valid C.bool
	err := call(func() status { return C.proofmill_groth16_verify(key, public, text, &valid) })
	return bool(valid), err
}

// Pairing is the product of the pairings of points of G1 with as many of G2, on "bn254" or "bls12_381": twelve numbers, the coefficients over
// Fp2 of 1, w, ..., w^5.
func Pairing(curve string, g1, g2 []byte) ([]byte, error) {
	name := C.CString(curve)
	defer C.free(unsafe.Pointer(name))
	group := C.CString(curve + "_g1")
	defer C.free(unsafe.Pointer(group))
	var point C.size_t
	C.proofmill_msm_point_bytes(group, &point) // of another curve none: then the call below says what is wrong
	result := make([]byte, 6*point)
	err := call(func() status {
		return C.proofmill_pairing(name, bytes(g1), C.size_t(len(g1)), bytes(g2), C.size_t(len(g2)), bytes(result), C.size_t(len(result)))
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// PairingIsOne says whether that product is 1.
func PairingIsOne(curve string, g1, g2 []byte) (bool, error) {
	name := C.CString(curve)
	defer C.free(unsafe.Pointer(name))
	var one C.bool
	err := call(func() status {
		return C.proofmill_pairing_is_one(name, bytes(g1), C.size_t(len(g1)), bytes(g2), C.size_t(len(g2)), &one)
	})
	return bool(one), err
}

// BLSVerify says whether this is a BLS signature on BLS12-381 of the message, of Ethereum's scheme or of the basic one. Points are compressed.
func BLSVerify(key, message, signature []byte, proofOfPossession bool) (bool, error) {
	var valid C.bool
	err := call(func() status {
		return C.proofmill_bls_verify(C.bool(proofOfPossession), bytes(key), C.size_t(len(key)), bytes(message), C.size_t(len(message)),
			bytes(signature), C.size_t(len(signature)), &valid)
	})
	return bool(valid), err
}
