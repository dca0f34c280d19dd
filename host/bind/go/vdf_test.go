package proofmill_test

import (
	"encoding/json"
	"math/big"
	"testing"

	proofmill "github.com/proofmill/proofmill/host/bind/go"
)

// rsa1024 is a number of the RSA Factoring Challenge.
const rsa1024 = "135066410865995223349603216278805969938881475605667027524485143851526510604859533833940287150571909441798207282164471551373680419703" +
	"964191743046496589274256239341020864383202110372958725762358509643110564073501508187510676594629205563685529475213500852879416377328" +
	"533906109750544334999811150056977236890927563"

func TestVDF(t *testing.T) {
	device := opened(t)
	modulus, _ := new(big.Int).SetString(rsa1024, 10)
	five := big.NewInt(5)
	output, err := device.EvaluateVDF(modulus, five, 300)
	if err != nil {
		t.Fatal(err)
	}
	wanted := new(big.Int).Exp(five, new(big.Int).Lsh(big.NewInt(1), 300), modulus)
	if negative := new(big.Int).Sub(modulus, wanted); negative.Cmp(wanted) < 0 {
		wanted = negative
	}
	if output.Cmp(wanted) != 0 {
		t.Errorf("%x, not %x", output, wanted)
	}
	proof, err := device.ProveVDF(modulus, five, 300, 0)
	if err != nil {
		t.Fatal(err)
	}
	for squarings, isValid := range map[uint64]bool{300: true, 301: false} {
		proof.Squarings = squarings
		text, err := json.Marshal(proof)
		if err != nil {
			t.Fatal(err)
		}
		if valid, err := proofmill.VerifyVDF(text); err != nil || valid != isValid {
			t.Errorf("%d squarings: %v, %v", squarings, valid, err)
		}
	}
	_, err = device.EvaluateVDF(big.NewInt(35), five, 1)
	refused(t, err, proofmill.ErrArgument, "modulus: has 6 bits")
	_, err = device.EvaluateVDF(nil, five, 1)
	refused(t, err, proofmill.ErrArgument, "modulus: is nil or negative")
	_, err = device.ProveVDF(modulus, big.NewInt(-5), 1, 0)
	refused(t, err, proofmill.ErrArgument, "input: is nil or negative")
	_, err = proofmill.VerifyVDF([]byte("{}"))
	refused(t, err, proofmill.ErrArgument, "proof: missing field")
}
