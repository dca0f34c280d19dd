package proofmill

// #include <proofmill.h>
import "C"

// Pairing computes the product of the pairings of points of G1 with as many points of G2, on "bn254" or "bls12_381": twelve numbers, the
// coefficients over Fp2 of 1, w, ..., w^5. Each point is checked to be in its subgroup.
func Pairing(curve string, g1, g2 []byte) ([]byte, error) {
	name, err := cString("curve", curve)
	if err != nil {
		return nil, err
	}
	// A curve without that group gets an empty buffer, and the error of the call below.
	point, _ := PointBytes(curve + "_g1")
	result := make([]byte, 6*point)
	err = call(func() status {
		return C.proofmill_pairing(name, start(g1), length(g1), start(g2), length(g2), start(result), length(result))
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// PairingIsOne returns whether the product of pairings is 1.
func PairingIsOne(curve string, g1, g2 []byte) (bool, error) {
	name, err := cString("curve", curve)
	if err != nil {
		return false, err
	}
	var one C.bool
	err = call(func() status {
		return C.proofmill_pairing_is_one(name, start(g1), length(g1), start(g2), length(g2), &one)
	})
	return bool(one), err
}

// BLSScheme is a scheme of draft-irtf-cfrg-bls-signature-05, section 3.
type BLSScheme int32

const (
	// BLSBasic is the basic scheme (ciphersuites ..._NUL_): Filecoin's and drand's.
	BLSBasic BLSScheme = C.PROOFMILL_BLS_BASIC
	// BLSMessageAugmentation signs the public key and the message (ciphersuites ..._AUG_).
	BLSMessageAugmentation BLSScheme = C.PROOFMILL_BLS_MESSAGE_AUGMENTATION
	// BLSProofOfPossession is the scheme with proofs of possession (ciphersuites ..._POP_): Ethereum's.
	BLSProofOfPossession BLSScheme = C.PROOFMILL_BLS_PROOF_OF_POSSESSION
)

// BLSVerify verifies a BLS signature of a message on BLS12-381. Points are compressed: a public key of 48 bytes and a signature of 96, or the
// other way round.
func BLSVerify(scheme BLSScheme, publicKey, message, signature []byte) (bool, error) {
	var valid C.bool
	err := call(func() status {
		return C.proofmill_bls_verify(C.int32_t(scheme), start(publicKey), length(publicKey), start(message), length(message), start(signature),
			length(signature), &valid)
	})
	return bool(valid), err
}
