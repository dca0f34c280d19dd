package proofmill

// #include <proofmill.h>
import "C"

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"unsafe"
)

// Device executes operations.
type Device struct{ handle *handle }

// Open opens the device of a URI: "cpu:", "cpu:?threads=4", "sim:card", "cuda:0".
func Open(uri string) (*Device, error) {
	text, err := cString("uri", uri)
	if err != nil {
		return nil, err
	}
	var opened *C.proofmill_device
	if err := call(func() status { return C.proofmill_device_open(text, &opened) }); err != nil {
		return nil, err
	}
	free := func(object unsafe.Pointer) { C.proofmill_device_close((*C.proofmill_device)(object)) }
	return &Device{own("device", unsafe.Pointer(opened), free)}, nil
}

func (d *Device) use(body func(*C.proofmill_device) status) error {
	if d == nil || d.handle == nil {
		return unopened("device")
	}
	return d.handle.use(func(object unsafe.Pointer) status { return body((*C.proofmill_device)(object)) })
}

// Close closes the device. Resident bases that were loaded to it keep what they need of it. Returns nil.
func (d *Device) Close() error {
	if d != nil && d.handle != nil {
		d.handle.close()
	}
	return nil
}

// Info describes a device.
type Info struct {
	URI          string   `json:"uri"`
	Kind         string   `json:"kind"`
	Description  string   `json:"description"`
	Capabilities []string `json:"capabilities"`
	Queue        int      `json:"queue"`
}

// Info returns the description of the device.
func (d *Device) Info() (Info, error) {
	return document[Info](func(text *C.char, size *C.size_t) error {
		return d.use(func(device *C.proofmill_device) status { return C.proofmill_device_info(device, text, size) })
	})
}

// Devices returns the URIs of all devices that can be opened on this machine.
func Devices() ([]string, error) {
	return document[[]string](func(text *C.char, size *C.size_t) error {
		return call(func() status { return C.proofmill_devices(text, size) })
	})
}

// document reads a JSON text whose length the library reports.
func document[T any](read func(*C.char, *C.size_t) error) (T, error) {
	var size C.size_t
	var value T
	var text []byte
	for {
		err := read((*C.char)(unsafe.Pointer(start(text))), &size)
		if errors.Is(err, errShortBuffer) {
			text = make([]byte, size)
			continue
		}
		if err == nil {
			err = json.Unmarshal(text[:size-1], &value)
		}
		return value, err
	}
}

// Check is a check of points before they are used. Coordinates must be below p in every case. Results for points that a check
// lets pass and that are not in the subgroup are undefined.
type Check int32

const (
	// CheckSubgroup checks that each point is on the curve and in the subgroup of order r: the default.
	CheckSubgroup Check = C.PROOFMILL_CHECK_SUBGROUP
	// CheckCurve checks that each point is on the curve.
	CheckCurve Check = C.PROOFMILL_CHECK_CURVE
	// CheckNone checks nothing: for points that were checked before.
	CheckNone Check = C.PROOFMILL_CHECK_NONE
)

// PointBytes returns the size of a point (x and y) of a group, such as "bn254_g1".
func PointBytes(group string) (int, error) {
	_, size, err := groupOf(group)
	return size, err
}

// groupOf returns the name of a group for C, and the size of its points.
func groupOf(group string) (*C.char, int, error) {
	name, err := cString("group", group)
	if err != nil {
		return nil, 0, err
	}
	var size C.size_t
	err = call(func() status { return C.proofmill_msm_point_bytes(name, &size) })
	return name, int(size), err
}

// MSM computes the sum of k_i P_i. Points are x and y; scalars have 32 bytes each and are below r.
func (d *Device) MSM(group string, points, scalars []byte, check Check) ([]byte, error) {
	name, size, err := groupOf(group)
	if err != nil {
		return nil, err
	}
	result := make([]byte, size)
	err = d.use(func(device *C.proofmill_device) status {
		return C.proofmill_msm(device, name, C.int32_t(check), start(points), length(points), start(scalars), length(scalars), start(result), length(result))
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// ResidentBases are points that are resident on a device, for many MSMs.
type ResidentBases struct {
	handle *handle
	point  int
}

// LoadBases loads points to the device, with precomputed multiples in at most maxBytes; 0 loads the points alone.
func (d *Device) LoadBases(group string, points []byte, check Check, maxBytes int) (*ResidentBases, error) {
	if maxBytes < 0 {
		return nil, invalid("maxBytes", fmt.Sprintf("%d is negative", maxBytes))
	}
	name, size, err := groupOf(group)
	if err != nil {
		return nil, err
	}
	var loaded *C.proofmill_bases
	err = d.use(func(device *C.proofmill_device) status {
		return C.proofmill_bases_load(device, name, C.int32_t(check), C.size_t(maxBytes), start(points), length(points), &loaded)
	})
	if err != nil {
		return nil, err
	}
	free := func(object unsafe.Pointer) { C.proofmill_bases_close((*C.proofmill_bases)(object)) }
	return &ResidentBases{own("bases", unsafe.Pointer(loaded), free), size}, nil
}

// Close frees the bases. Returns nil.
func (b *ResidentBases) Close() error {
	if b != nil && b.handle != nil {
		b.handle.close()
	}
	return nil
}

// MSM computes one MSM.
func (b *ResidentBases) MSM(scalars []byte) ([]byte, error) {
	return b.msm(1, scalars)
}

// MSMBatch computes one MSM for each list of scalars. All lists have the same length.
func (b *ResidentBases) MSMBatch(lists ...[]byte) ([][]byte, error) {
	each := 0
	for i, list := range lists {
		if each = len(lists[0]); len(list) != each {
			return nil, invalid("scalars", fmt.Sprintf("list %d has %d bytes, list 0 has %d", i, len(list), each))
		}
	}
	// Scalars may be secret: the copy is allocated once and overwritten.
	scalars := make([]byte, 0, each*len(lists))
	for _, list := range lists {
		scalars = append(scalars, list...)
	}
	defer clear(scalars)
	results, err := b.msm(len(lists), scalars)
	if err != nil {
		return nil, err
	}
	points := make([][]byte, len(lists))
	for i := range points {
		points[i] = results[i*b.point : (i+1)*b.point : (i+1)*b.point]
	}
	return points, nil
}

func (b *ResidentBases) msm(count int, scalars []byte) ([]byte, error) {
	if b == nil || b.handle == nil {
		return nil, unopened("bases")
	}
	results := make([]byte, count*b.point)
	err := b.handle.use(func(object unsafe.Pointer) status {
		return C.proofmill_bases_msm_batch((*C.proofmill_bases)(object), C.size_t(count), start(scalars), length(scalars), start(results), length(results))
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}

// NTT transforms elements in place, in natural order: from coefficients to values, or back if inverse. The shift of a coset is one
// element; nil for no coset.
func (d *Device) NTT(field string, elements []byte, inverse bool, shift []byte) error {
	name, err := cString("field", field)
	if err != nil {
		return err
	}
	return d.use(func(device *C.proofmill_device) status {
		return C.proofmill_ntt(device, name, C.bool(inverse), start(shift), length(shift), start(elements), length(elements))
	})
}

// Quotient computes a b - c on the coset with this shift g, one element, for polynomials below degree n by their n values at the powers of the
// root of unity. Where a b = c at all of these, the results are the values of (a b - c) / (x^n - 1) times g^n - 1.
func (d *Device) Quotient(field string, shift, a, b, c []byte) ([]byte, error) {
	for _, list := range []struct {
		name   string
		length int
	}{{"b", len(b)}, {"c", len(c)}} {
		if list.length != len(a) {
			return nil, invalid(list.name, fmt.Sprintf("%d bytes; a has %d", list.length, len(a)))
		}
	}
	name, err := cString("field", field)
	if err != nil {
		return nil, err
	}
	result := make([]byte, len(a))
	err = d.use(func(device *C.proofmill_device) status {
		return C.proofmill_quotient(device, name, start(shift), length(shift), start(a), start(b), start(c), length(a), start(result), length(result))
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// Poseidon hashes with Filecoin's Poseidon over the scalars of BLS12-381: a digest of 32 bytes for each preimage of arity elements, 2 to 36.
func (d *Device) Poseidon(arity int, preimages []byte) ([]byte, error) {
	if arity < 2 || arity > 36 {
		return nil, invalid("arity", fmt.Sprintf("is %d; expected 2 to 36", arity))
	}
	digests := make([]byte, len(preimages)/arity)
	err := d.use(func(device *C.proofmill_device) status {
		return C.proofmill_poseidon(device, C.size_t(arity), start(preimages), length(preimages), start(digests), length(digests))
	})
	if err != nil {
		return nil, err
	}
	return digests, nil
}

// SignatureForm is the encoding of an ECDSA signature.
type SignatureForm int32

const (
	// FormDER is strict DER, without the hash type byte.
	FormDER SignatureForm = C.PROOFMILL_FORM_DER
	// FormCompact is r and s of 32 bytes each, most significant byte first.
	FormCompact SignatureForm = C.PROOFMILL_FORM_COMPACT
)

// Signature is an ECDSA signature on secp256k1, its public key as in SEC 1, and the digest that it signs.
type Signature struct {
	Key       []byte
	Signature []byte
	Form      SignatureForm
	Digest    [32]byte
}

// Bits of what is wrong with an ECDSA signature, as in proofmill.h.
const (
	ECDSAROutOfRange  uint32 = C.PROOFMILL_ECDSA_R_OUT_OF_RANGE
	ECDSASOutOfRange  uint32 = C.PROOFMILL_ECDSA_S_OUT_OF_RANGE
	ECDSAInfinity     uint32 = C.PROOFMILL_ECDSA_INFINITY
	ECDSAFailed       uint32 = C.PROOFMILL_ECDSA_FAILED
	ECDSAInvalidKey   uint32 = C.PROOFMILL_ECDSA_INVALID_KEY
	ECDSABadSignature uint32 = C.PROOFMILL_ECDSA_BAD_SIGNATURE
	ECDSABadKey       uint32 = C.PROOFMILL_ECDSA_BAD_KEY
	ECDSAHighS        uint32 = C.PROOFMILL_ECDSA_HIGH_S
)

// ECDSAVerifyBatch verifies signatures. It returns for each 0, or the bits of what is wrong. With lowS, an s above n / 2 is wrong.
func (d *Device) ECDSAVerifyBatch(signatures []Signature, lowS bool) ([]uint32, error) {
	// C must not be given memory of Go that points to memory of Go, unless the latter is pinned.
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
				*part.to = start(part.from)
			}
		}
		item.key_length, item.signature_length = length(s.Key), length(s.Signature)
		item.form = C.int32_t(s.Form)
		for at, b := range s.Digest {
			item.digest[at] = C.uint8_t(b)
		}
	}
	outcomes := make([]uint32, len(signatures))
	err := d.use(func(device *C.proofmill_device) status {
		return C.proofmill_ecdsa_verify_batch(device, C.bool(lowS), unsafe.SliceData(items), C.size_t(len(items)), (*C.uint32_t)(unsafe.SliceData(outcomes)))
	})
	if err != nil {
		return nil, err
	}
	return outcomes, nil
}

// Bits of what is wrong with a block header, as in proofmill.h.
const (
	EquihashDifficulty byte = C.PROOFMILL_EQUIHASH_DIFFICULTY
	EquihashXOR        byte = C.PROOFMILL_EQUIHASH_XOR
	EquihashOrder      byte = C.PROOFMILL_EQUIHASH_ORDER
	EquihashZeros      byte = C.PROOFMILL_EQUIHASH_ZEROS
	EquihashDuplicate  byte = C.PROOFMILL_EQUIHASH_DUPLICATE
	EquihashSize       byte = C.PROOFMILL_EQUIHASH_SIZE
)

// EquihashSolve finds the solutions of a block header, the 140 bytes before the solution, and returns each as a whole header, which
// EquihashVerifyBatch takes. The personalisation has 8 bytes, or is empty for Zcash's. maxBytes limits the memory of cpu:, where less takes
// more time; 0 is the default of 1.7 GB, of which (200,9) takes some 110 MB.
func (d *Device) EquihashSolve(n, k uint32, personalisation string, header []byte, maxBytes uint64) ([][]byte, error) {
	if personalisation == "" {
		personalisation = "ZcashPoW"
	}
	if len(personalisation) != 8 {
		return nil, invalid("personalisation", fmt.Sprintf("%d bytes; expected 8", len(personalisation)))
	}
	var solved []byte
	var size, count C.size_t
	for {
		solved = make([]byte, size)
		err := d.use(func(device *C.proofmill_device) status {
			return C.proofmill_equihash_solve(device, C.uint32_t(n), C.uint32_t(k), start([]byte(personalisation)), start(header), length(header), C.uint64_t(maxBytes), start(solved), &size, &count)
		})
		if err == nil {
			break
		}
		if int(size) <= len(solved) || !errors.Is(err, errShortBuffer) {
			return nil, err
		}
	}
	headers := make([][]byte, count)
	for i := range headers {
		each := int(size) / len(headers)
		headers[i] = solved[i*each : (i+1)*each : (i+1)*each]
	}
	return headers, nil
}

// EquihashVerifyBatch verifies count block headers, one after the other. It returns for each 0, or the bits of what is wrong. The network
// is "main", "test", "regtest", or "none", which does not check the difficulty.
func (d *Device) EquihashVerifyBatch(n, k uint32, network string, headers []byte, count int) ([]byte, error) {
	if count < 0 || count > len(headers) {
		return nil, invalid("count", fmt.Sprintf("is %d; headers has %d bytes", count, len(headers)))
	}
	name, err := cString("network", network)
	if err != nil {
		return nil, err
	}
	verdicts := make([]byte, count)
	err = d.use(func(device *C.proofmill_device) status {
		return C.proofmill_equihash_verify_batch(device, C.uint32_t(n), C.uint32_t(k), name, start(headers), length(headers), start(verdicts), length(verdicts))
	})
	if err != nil {
		return nil, err
	}
	return verdicts, nil
}
