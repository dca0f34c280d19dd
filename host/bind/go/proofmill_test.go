package proofmill_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"proofmill"
)

// The folder with the files of `proofmill dev circuit`.
var circuit = os.Getenv("PROOFMILL_TEST_CIRCUIT")

func opened(t *testing.T) *proofmill.Device {
	device, err := proofmill.Open("cpu:?threads=2")
	if err != nil {
		t.Fatal(err)
	}
	return device
}

func refused(t *testing.T, err error, status proofmill.Status, part string) {
	t.Helper()
	var told *proofmill.Error
	if !errors.As(err, &told) || told.Status != status || !strings.Contains(told.Text, part) {
		t.Errorf("%v; expected status %d and %q", err, status, part)
	}
}

func generators() []byte {
	points := make([]byte, 128)
	points[0], points[32], points[64], points[96] = 1, 2, 1, 2
	return points
}

func scalars(small ...byte) []byte {
	list := make([]byte, 32*len(small))
	for i, s := range small {
		list[32*i] = s
	}
	return list
}

func ExampleDevice_Bases() {
	device, err := proofmill.Open("cpu:")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	// The generator of G1 of BN254, (1, 2): 5 G and 2 G + 3 G.
	point := make([]byte, 64)
	point[0], point[32] = 1, 2
	bases, err := device.Bases("bn254_g1", append(point, point...), proofmill.CheckSubgroup, 0)
	if err != nil {
		log.Fatal(err)
	}
	sums, err := bases.MSM(scalars(5, 0), scalars(2, 3))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(bytes.Equal(sums[0], sums[1]))
	// Output: true
}

func TestDevices(t *testing.T) {
	device := opened(t)
	info, err := device.Info()
	if err != nil || info.Kind != "cpu" || len(info.Capabilities) == 0 {
		t.Errorf("%v, %v", info, err)
	}
	if uris, err := proofmill.Devices(); err != nil || len(uris) == 0 || uris[0] != "cpu:" {
		t.Errorf("%v, %v", uris, err)
	}
	_, err = proofmill.Open("gpu:")
	refused(t, err, proofmill.ErrArgument, "unknown scheme 'gpu:'")
	device.Close()
	device.Close()
	_, err = device.Info()
	refused(t, err, proofmill.ErrArgument, "device: is null")
}

func TestMSM(t *testing.T) {
	device := opened(t)
	eight, err := device.MSM("bn254_g1", generators(), scalars(5, 3), proofmill.CheckSubgroup)
	if err != nil {
		t.Fatal(err)
	}
	bases, err := device.Bases("bn254_g1", generators(), proofmill.CheckCurve, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	sums, err := bases.MSM(scalars(6, 2), scalars(0, 8))
	if err != nil || !bytes.Equal(sums[0], eight) || !bytes.Equal(sums[1], eight) {
		t.Errorf("%x, %v; expected %x", sums, err, eight)
	}
	if none, err := bases.MSM(); err != nil || len(none) != 0 {
		t.Errorf("%v, %v", none, err)
	}
	_, err = bases.MSM(scalars(1))
	refused(t, err, proofmill.ErrArgument, "scalars: 32 bytes")
	_, err = bases.MSM(scalars(1, 2), scalars(1))
	refused(t, err, proofmill.ErrArgument, "list 1 has 32 bytes")
	_, err = device.MSM("bn254_g3", nil, nil, proofmill.CheckNothing)
	refused(t, err, proofmill.ErrArgument, "bn254_g3")
	_, err = device.MSM("bn254_g1", generators(), bytes.Repeat([]byte{255}, 64), proofmill.CheckNothing)
	refused(t, err, proofmill.ErrArgument, "scalar")
}

func TestFromManyGoroutines(t *testing.T) {
	device := opened(t)
	var group sync.WaitGroup
	for i := 0; i < 16; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			name := fmt.Sprintf("bn254_g%d", 10+i)
			_, err := device.MSM(name, nil, nil, proofmill.CheckNothing)
			refused(t, err, proofmill.ErrArgument, name) // not what another goroutine got
		}(i)
	}
	group.Wait()
}

func TestTransformsAndHashes(t *testing.T) {
	device := opened(t)
	elements := []byte{3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}
	kept, shift := bytes.Clone(elements), []byte{7, 0, 0, 0, 0, 0, 0, 0}
	for _, inverse := range []bool{false, true} {
		if err := device.NTT("goldilocks", elements, inverse, shift); err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(elements, kept) != inverse {
			t.Errorf("inverse %v: %v", inverse, elements)
		}
	}
	refused(t, device.NTT("goldilocks", elements[:8*1+4], false, nil), proofmill.ErrArgument, "elements")
	refused(t, device.NTT("goldilocks", elements, false, shift[:4]), proofmill.ErrArgument, "shift: 4 bytes")

	digest, err := device.Poseidon(2, scalars(0, 1))
	if err != nil || hex.EncodeToString(digest[:4]) != "ffe7029a" {
		t.Errorf("%x, %v", digest, err)
	}
	_, err = device.Poseidon(0, nil)
	refused(t, err, proofmill.ErrArgument, "arity: is 0")
}

func TestSignatures(t *testing.T) {
	device := opened(t)
	file, err := os.ReadFile("../../../examples/signatures/mainnet.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var given []proofmill.Signature
	for _, line := range strings.Split(strings.TrimSpace(string(file)), "\n") {
		var item struct{ Key, Der, Digest string }
		if err := json.Unmarshal([]byte(line), &item); err != nil {
			t.Fatal(err)
		}
		var signature proofmill.Signature
		signature.Key, _ = hex.DecodeString(item.Key)
		signature.Signature, _ = hex.DecodeString(item.Der)
		digest, _ := hex.DecodeString(item.Digest)
		copy(signature.Digest[:], digest)
		given = append(given, signature)
	}
	given = append(given, proofmill.Signature{Key: given[0].Key, Signature: given[0].Signature}, proofmill.Signature{Compact: true})
	outcomes, err := device.ECDSAVerify(given, false)
	if err != nil || len(outcomes) != len(given) {
		t.Fatal(outcomes, err)
	}
	count := len(given)
	for _, outcome := range outcomes[:count-2] {
		if outcome != 0 {
			t.Error(outcomes)
		}
	}
	if outcomes[count-2] != proofmill.ECDSAFailed || outcomes[count-1]&(proofmill.ECDSABadSignature|proofmill.ECDSABadKey) == 0 {
		t.Error(outcomes)
	}
	if none, err := device.ECDSAVerify(nil, true); err != nil || none != nil {
		t.Error(none, err)
	}
}

func TestHeaders(t *testing.T) {
	device := opened(t)
	file, err := os.ReadFile("../../../examples/headers/mainnet-346.hex")
	if err != nil {
		t.Fatal(err)
	}
	header, err := hex.DecodeString(strings.TrimSpace(string(file)))
	if err != nil {
		t.Fatal(err)
	}
	both := append(bytes.Clone(header), header...)
	both[0] ^= 1
	verdicts, err := device.EquihashVerify(200, 9, "main", both, 2)
	if err != nil || verdicts[0] == 0 || verdicts[1] != 0 {
		t.Errorf("%v, %v", verdicts, err)
	}
	_, err = device.EquihashVerify(200, 9, "main", both, 1)
	refused(t, err, proofmill.ErrArgument, "headers")
}

func TestProofs(t *testing.T) {
	if circuit == "" {
		t.Fatal("PROOFMILL_TEST_CIRCUIT is not set")
	}
	prover, err := proofmill.OpenProver("cpu:", filepath.Join(circuit, "INSECURE.zkey"), true)
	if err != nil {
		t.Fatal(err)
	}
	witness, err := os.ReadFile(filepath.Join(circuit, "witness.wtns"))
	if err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join(circuit, "verification_key.json"))
	if err != nil {
		t.Fatal(err)
	}
	proof, err := prover.Prove(witness)
	if err != nil {
		t.Fatal(err)
	}
	if valid, err := proofmill.Verify(key, proof); err != nil || !valid {
		t.Error(valid, err)
	}
	var public []string
	if err := json.Unmarshal(proof.Public, &public); err != nil || len(public) == 0 {
		t.Fatal(public, err)
	}
	public[0] = "1"
	proof.Public, _ = json.Marshal(public)
	if valid, err := proofmill.Verify(key, proof); err != nil || valid {
		t.Error(valid, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if proof, err = prover.ProveContext(ctx, witness); err != nil {
		t.Fatal(err)
	}
	if valid, err := proofmill.Verify(key, proof); err != nil || !valid {
		t.Error(valid, err)
	}
	cancel()
	if _, err = prover.ProveContext(ctx, witness); err != nil && err != context.Canceled {
		t.Error(err)
	}
	results, err := prover.ProveBatch([][]byte{witness, nil, witness, witness[:100], witness})
	if err != nil || len(results) != 5 {
		t.Fatal(results, err)
	}
	for i, result := range results {
		if i%2 == 1 {
			refused(t, result.Err, proofmill.ErrFile, fmt.Sprintf("witnesses[%d]", i))
		} else if valid, err := proofmill.Verify(key, result.Proof); result.Err != nil || err != nil || !valid {
			t.Error(i, result.Err, valid, err)
		}
	}
	_, err = prover.Prove(witness[:100])
	refused(t, err, proofmill.ErrFile, "witness")
	file, err := os.ReadFile(filepath.Join(circuit, "INSECURE.zkey"))
	if err != nil {
		t.Fatal(err)
	}
	if prover, err = proofmill.OpenProverBytes("cpu:", file, false); err != nil {
		t.Fatal(err)
	}
	if _, err = prover.Prove(witness); err != nil {
		t.Error(err)
	}
	_, err = proofmill.OpenProverBytes("cpu:", file[:100], false)
	refused(t, err, proofmill.ErrFile, "zkey")
	_, err = proofmill.OpenProver("cpu:", "/nowhere", false)
	refused(t, err, proofmill.ErrIO, "/nowhere")
	_, err = proofmill.Verify([]byte("{}"), proof)
	refused(t, err, proofmill.ErrFile, "verification_key")
}

func TestPairings(t *testing.T) {
	none, err := proofmill.Pairing("bls12_381", nil, nil)
	if err != nil || len(none) != 576 || none[0] != 1 || !bytes.Equal(none[1:], make([]byte, 575)) {
		t.Errorf("%x, %v", none, err)
	}
	one, err := proofmill.PairingIsOne("bn254", generators(), make([]byte, 256))
	if err != nil || !one {
		t.Error(one, err)
	}
	_, err = proofmill.Pairing("secp256k1", nil, nil)
	refused(t, err, proofmill.ErrArgument, "curve: 'secp256k1'")
	_, err = proofmill.PairingIsOne("bn254", generators(), nil)
	refused(t, err, proofmill.ErrArgument, "g2: 0 points")

	// A signature from Ethereum's consensus tests.
	key, _ := hex.DecodeString("a491d1b0ecd9bb917989f0e74f0dea0422eac4a873e5e2644f368dffb9a6e20fd6e10c1b77654d067c0618f6e5a7f79a")
	signature, _ := hex.DecodeString("b6ed936746e01f8ecf281f020953fbf1f01debd5657c4a383940b020b26507f6076334f91e2366c96e9ab279fb515809" +
		"0352ea1c5b0c9274504f4f0e7053af24802e51e4568d164fe986834f41e55c8e850ce1f98458c0cfc9ab380b55285a55")
	for message, expected := range map[string]bool{string(make([]byte, 32)): true, "": false} {
		valid, err := proofmill.BLSVerify(key, []byte(message), signature, true)
		if err != nil || valid != expected {
			t.Error(valid, err)
		}
	}
	_, err = proofmill.BLSVerify(key[1:], nil, signature, true)
	refused(t, err, proofmill.ErrArgument, "key")
}
