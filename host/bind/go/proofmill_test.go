package proofmill_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	proofmill "github.com/proofmill/proofmill/host/bind/go"
)

// circuit is the folder with the files of `proofmill dev circuit`.
var circuit = os.Getenv("PROOFMILL_TEST_CIRCUIT")

// Everything that is opened is closed in the usual way.
var _ = []io.Closer{(*proofmill.Device)(nil), (*proofmill.ResidentBases)(nil), (*proofmill.Prover)(nil), (*proofmill.Proving)(nil)}

func opened(t *testing.T) *proofmill.Device {
	t.Helper()
	device, err := proofmill.Open("cpu:?threads=2")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { device.Close() })
	return device
}

func content(t *testing.T, name string) []byte {
	t.Helper()
	if circuit == "" {
		t.Fatal("PROOFMILL_TEST_CIRCUIT is not set")
	}
	bytes, err := os.ReadFile(filepath.Join(circuit, name))
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

func openedProver(t *testing.T) *proofmill.Prover {
	t.Helper()
	prover, err := proofmill.OpenProver("cpu:", filepath.Join(circuit, "INSECURE.zkey"), true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { prover.Close() })
	return prover
}

func refused(t *testing.T, err, kind error, part string) {
	t.Helper()
	var failure *proofmill.Error
	if !errors.Is(err, kind) || !errors.As(err, &failure) || !strings.Contains(failure.Message, part) {
		t.Errorf("%v; expected %v and %q", err, kind, part)
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

func ExampleDevice_LoadBases() {
	device, err := proofmill.Open("cpu:")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	// The generator of G1 of BN254, (1, 2): 5 G and 2 G + 3 G.
	point := make([]byte, 64)
	point[0], point[32] = 1, 2
	bases, err := device.LoadBases("bn254_g1", append(point, point...), proofmill.CheckSubgroup, 0)
	if err != nil {
		log.Fatal(err)
	}
	defer bases.Close()
	results, err := bases.MSMBatch(scalars(5, 0), scalars(2, 3))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(bytes.Equal(results[0], results[1]))
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
	if proofmill.Version() == "" {
		t.Error("no version")
	}
	_, err = proofmill.Open("gpu:")
	refused(t, err, proofmill.ErrArgument, "unknown scheme 'gpu:'")
	_, err = proofmill.Open("cpu:\x00?threads=0")
	refused(t, err, proofmill.ErrArgument, "uri: contains a zero byte")
	_, err = proofmill.Open("\xff")
	refused(t, err, proofmill.ErrArgument, "uri: is not UTF-8")
	_, err = proofmill.Open("sim:/nowhere/card.so")
	refused(t, err, proofmill.ErrOpen, "/nowhere/card.so")
	if errors.Is(err, proofmill.ErrArgument) {
		t.Error("an error has two kinds")
	}
}

func TestMSM(t *testing.T) {
	device := opened(t)
	eight, err := device.MSM("bn254_g1", generators(), scalars(5, 3), proofmill.CheckSubgroup)
	if err != nil {
		t.Fatal(err)
	}
	bases, err := device.LoadBases("bn254_g1", generators(), proofmill.CheckCurve, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer bases.Close()
	results, err := bases.MSMBatch(scalars(6, 2), scalars(0, 8))
	if err != nil || !bytes.Equal(results[0], eight) || !bytes.Equal(results[1], eight) {
		t.Errorf("%x, %v; expected %x", results, err, eight)
	}
	if one, err := bases.MSM(scalars(7, 1)); err != nil || !bytes.Equal(one, eight) {
		t.Errorf("%x, %v; expected %x", one, err, eight)
	}
	if none, err := bases.MSMBatch(); err != nil || len(none) != 0 {
		t.Errorf("%v, %v", none, err)
	}
	given := scalars(6, 2)
	if _, err := bases.MSMBatch(given); err != nil || !bytes.Equal(given, scalars(6, 2)) {
		t.Error("the caller's scalars were overwritten", err)
	}
	_, err = bases.MSM(scalars(1))
	refused(t, err, proofmill.ErrArgument, "scalars: 32 bytes")
	_, err = bases.MSM(nil)
	refused(t, err, proofmill.ErrArgument, "scalars: 0 bytes")
	_, err = bases.MSMBatch(scalars(1, 2), scalars(1))
	refused(t, err, proofmill.ErrArgument, "scalars: list 1 has 32 bytes")
	_, err = bases.MSMBatch(scalars(1), scalars(1, 2, 3)) // together as long as two lists
	refused(t, err, proofmill.ErrArgument, "scalars: list 1 has 96 bytes")
	_, err = device.MSM("bn254_g3", nil, nil, proofmill.CheckNone)
	refused(t, err, proofmill.ErrArgument, "group: 'bn254_g3'")
	_, err = device.MSM("bn254_g1\x00", nil, nil, proofmill.CheckNone)
	refused(t, err, proofmill.ErrArgument, "group: contains a zero byte")
	_, err = device.MSM("bn254_g1", generators(), bytes.Repeat([]byte{255}, 64), proofmill.CheckNone)
	refused(t, err, proofmill.ErrArgument, "scalar")
	_, err = device.MSM("bn254_g1", generators()[:127], scalars(1, 2), proofmill.CheckNone)
	refused(t, err, proofmill.ErrArgument, "points: 127 bytes")
	_, err = device.MSM("bn254_g1", generators(), scalars(1), proofmill.CheckNone)
	refused(t, err, proofmill.ErrArgument, "scalars: ")
	for _, check := range []proofmill.Check{3, -1} {
		_, err = device.MSM("bn254_g1", generators(), scalars(1, 2), check)
		refused(t, err, proofmill.ErrArgument, fmt.Sprintf("check: %d", check))
	}
	_, err = device.LoadBases("bn254_g1", generators(), proofmill.CheckSubgroup, -1)
	refused(t, err, proofmill.ErrArgument, "maxBytes: -1 is negative")
	_, err = device.LoadBases("bn254_g1", generators(), 7, 0)
	refused(t, err, proofmill.ErrArgument, "check: 7")
	_, err = device.LoadBases("bn254_g1", generators()[1:], proofmill.CheckSubgroup, 0)
	refused(t, err, proofmill.ErrArgument, "points: 127 bytes")
}

func TestPointsAreCheckedByDefault(t *testing.T) {
	device := opened(t)
	outside := generators()
	outside[32] = 3
	var check proofmill.Check
	_, err := device.MSM("bn254_g1", outside, scalars(1, 2), check)
	refused(t, err, proofmill.ErrArgument, "points: point 0 is not on the curve")
	_, err = device.LoadBases("bn254_g1", outside, check, 0)
	refused(t, err, proofmill.ErrArgument, "points: point 0 is not on the curve")
	if _, err = device.MSM("bn254_g1", outside, scalars(1, 2), proofmill.CheckNone); err != nil {
		t.Error(err)
	}
}

func TestFromManyGoroutines(t *testing.T) {
	device := opened(t)
	var group sync.WaitGroup
	for i := 0; i < 16; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			name := fmt.Sprintf("bn254_g%d", 10+i)
			_, err := device.MSM(name, nil, nil, proofmill.CheckNone)
			refused(t, err, proofmill.ErrArgument, name) // not another goroutine's message
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
	refused(t, device.NTT("goldilocks", elements[:8*1+4], false, nil), proofmill.ErrArgument, "elements: 12 bytes")
	refused(t, device.NTT("goldilocks", nil, false, nil), proofmill.ErrArgument, "elements")
	refused(t, device.NTT("goldilocks", elements, false, shift[:4]), proofmill.ErrArgument, "shift: 4 bytes")
	refused(t, device.NTT("goldilocks", elements, false, []byte{}), proofmill.ErrArgument, "shift: 0 bytes") // not: no coset
	refused(t, device.NTT("goldilocks", elements, false, make([]byte, 8)), proofmill.ErrArgument, "shift: is 0")
	refused(t, device.NTT("silver", elements, false, nil), proofmill.ErrArgument, "field: 'silver'")

	// a = b = x at 1 and -1, c = 1: a b - c is x^2 - 1, at 7 and at -7.
	a, c, seven := []byte{0: 1, 12: 0xff, 13: 0xff, 14: 0xff, 15: 0xff}, []byte{0: 1, 8: 1, 15: 0}, []byte{0: 7, 7: 0}
	values, err := device.Quotient("goldilocks", seven, a, a, c)
	if err != nil || !bytes.Equal(values, []byte{0: 48, 8: 48, 15: 0}) {
		t.Error(values, err)
	}
	rejected := func(kind error, part, field string, shift, a, b, c []byte) {
		t.Helper()
		_, err := device.Quotient(field, shift, a, b, c)
		refused(t, err, kind, part)
	}
	rejected(proofmill.ErrArgument, "b: 8 bytes; a has 16", "goldilocks", seven, a, a[:8], c)
	rejected(proofmill.ErrArgument, "c: 0 bytes; a has 16", "goldilocks", seven, a, a, nil)
	rejected(proofmill.ErrArgument, "a: ", "goldilocks", seven, nil, nil, nil)
	rejected(proofmill.ErrArgument, "shift: 0 bytes", "goldilocks", nil, a, a, c)
	rejected(proofmill.ErrArgument, "shift: is 0", "goldilocks", make([]byte, 8), a, a, c)
	rejected(proofmill.ErrArgument, "field: 'silver'", "silver", seven, a, a, c)

	digest, err := device.Poseidon(2, scalars(0, 1))
	if err != nil || hex.EncodeToString(digest[:4]) != "ffe7029a" {
		t.Errorf("%x, %v", digest, err)
	}
	for _, arity := range []int{0, 1, -2, 37, math.MinInt} {
		_, err = device.Poseidon(arity, nil)
		refused(t, err, proofmill.ErrArgument, fmt.Sprintf("arity: is %d", arity))
	}
	_, err = device.Poseidon(2, scalars(0, 1)[:63])
	refused(t, err, proofmill.ErrArgument, "preimages: 63 bytes")
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
	given = append(given, proofmill.Signature{Key: given[0].Key, Signature: given[0].Signature}, proofmill.Signature{Form: proofmill.FormCompact})
	outcomes, err := device.ECDSAVerifyBatch(given, false)
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
	if none, err := device.ECDSAVerifyBatch(nil, true); err != nil || len(none) != 0 {
		t.Error(none, err)
	}
	given[1].Form = 2
	_, err = device.ECDSAVerifyBatch(given, false)
	refused(t, err, proofmill.ErrArgument, "signatures[1].form: 2")
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
	verdicts, err := device.EquihashVerifyBatch(200, 9, "main", both, 2)
	if err != nil || verdicts[0]&proofmill.EquihashDifficulty == 0 || verdicts[1] != 0 {
		t.Errorf("%v, %v", verdicts, err)
	}
	for _, count := range []int{0, 1, 3} {
		_, err = device.EquihashVerifyBatch(200, 9, "main", both, count)
		refused(t, err, proofmill.ErrArgument, "headers: 2974 bytes")
	}
	for _, count := range []int{-1, math.MaxInt} {
		_, err = device.EquihashVerifyBatch(200, 9, "main", both, count)
		refused(t, err, proofmill.ErrArgument, fmt.Sprintf("count: is %d", count))
	}
	_, err = device.EquihashVerifyBatch(200, 8, "main", both, 2)
	refused(t, err, proofmill.ErrArgument, "n and k: (200,8)")
	_, err = device.EquihashVerifyBatch(200, 9, "moon", both, 2)
	refused(t, err, proofmill.ErrArgument, "network: 'moon'")
	_, err = device.EquihashVerifyBatch(200, 9, "main\x00", both, 2)
	refused(t, err, proofmill.ErrArgument, "network: contains a zero byte")
}

func TestEquihashSolve(t *testing.T) {
	device := opened(t)
	defer device.Close()
	header := bytes.Repeat([]byte{7}, 140)
	solved, err := device.EquihashSolve(48, 5, "", header, 0)
	if err != nil || len(solved) == 0 {
		t.Fatal(solved, err)
	}
	verdicts, err := device.EquihashVerifyBatch(48, 5, "none", bytes.Join(solved, nil), len(solved))
	if err != nil || !bytes.Equal(verdicts, make([]byte, len(solved))) {
		t.Error(verdicts, err)
	}
	less, err := device.EquihashSolve(48, 5, "ZcashPoW", header, 1<<20)
	if err != nil || !bytes.Equal(bytes.Join(less, nil), bytes.Join(solved, nil)) {
		t.Error(less, err)
	}
	_, err = device.EquihashSolve(48, 5, "Zcash", header, 0)
	refused(t, err, proofmill.ErrArgument, "personalisation: 5 bytes")
	_, err = device.EquihashSolve(48, 5, "", header[1:], 0)
	refused(t, err, proofmill.ErrArgument, "header: 139 bytes")
	_, err = device.EquihashSolve(200, 9, "", header, 1<<20)
	refused(t, err, proofmill.ErrArgument, "max_bytes: 1048576; (200,9) takes at least")
	_, err = device.EquihashSolve(48, 6, "", header, 0)
	refused(t, err, proofmill.ErrArgument, "n and k: (48,6)")
}

func TestProofs(t *testing.T) {
	prover, witness, key := openedProver(t), content(t, "witness.wtns"), content(t, "verification_key.json")
	proof, err := prover.Prove(witness)
	if err != nil {
		t.Fatal(err)
	}
	if valid, err := proofmill.Verify(key, proof); err != nil || !valid {
		t.Error(valid, err)
	}
	var inputs []string
	if err := json.Unmarshal(proof.PublicInputs, &inputs); err != nil || len(inputs) == 0 {
		t.Fatal(inputs, err)
	}
	inputs[0] = "1"
	other := proof
	other.PublicInputs, _ = json.Marshal(inputs)
	if valid, err := proofmill.Verify(key, other); err != nil || valid {
		t.Error(valid, err)
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
	if results, err := prover.ProveBatch(nil); err != nil || len(results) != 0 {
		t.Error(results, err)
	}
	for _, wrong := range [][]byte{nil, {}, witness[:100]} {
		_, err = prover.Prove(wrong)
		refused(t, err, proofmill.ErrFile, "witness")
		_, err = prover.Start(wrong)
		refused(t, err, proofmill.ErrFile, "witness")
	}
	// A value that no circuit of this kind has there: the proof would not verify.
	unsatisfied := bytes.Clone(witness)
	unsatisfied[len(unsatisfied)-32] ^= 1
	if _, err = prover.Prove(unsatisfied); !errors.Is(err, proofmill.ErrDoesNotVerify) {
		t.Error(err)
	}

	file := content(t, "INSECURE.zkey")
	again, err := proofmill.OpenProverBytes("cpu:", file, false)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if _, err = again.Prove(witness); err != nil {
		t.Error(err)
	}
	_, err = proofmill.OpenProverBytes("cpu:", file[:100], false)
	refused(t, err, proofmill.ErrFile, "zkey")
	_, err = proofmill.OpenProverBytes("cpu:", nil, false)
	refused(t, err, proofmill.ErrFile, "zkey")
	_, err = proofmill.OpenProver("cpu:", "/nowhere", false)
	refused(t, err, proofmill.ErrIO, "/nowhere")
	_, err = proofmill.OpenProver("cpu:", circuit+"/INSECURE.zkey\x00.old", false)
	refused(t, err, proofmill.ErrArgument, "zkeyPath: contains a zero byte")
	_, err = proofmill.OpenProver("moon:", circuit+"/INSECURE.zkey", false)
	refused(t, err, proofmill.ErrArgument, "unknown scheme 'moon:'")
	_, err = proofmill.Verify([]byte("{}"), proof)
	refused(t, err, proofmill.ErrFile, "verification_key")
	_, err = proofmill.Verify(append(bytes.Clone(key), 0, '}'), proof)
	refused(t, err, proofmill.ErrArgument, "verificationKey: contains a zero byte")
	_, err = proofmill.Verify(key, proofmill.Proof{Proof: append(bytes.Clone(proof.Proof), 0), PublicInputs: proof.PublicInputs})
	refused(t, err, proofmill.ErrArgument, "proof.Proof: contains a zero byte")
	_, err = proofmill.Verify(key, proofmill.Proof{Proof: proof.Proof, PublicInputs: append(bytes.Clone(proof.PublicInputs), 0)})
	refused(t, err, proofmill.ErrArgument, "proof.PublicInputs: contains a zero byte")
	_, err = proofmill.Verify(key, proofmill.Proof{})
	refused(t, err, proofmill.ErrFile, "public_inputs")
}

func TestContexts(t *testing.T) {
	prover, witness, key := openedProver(t), content(t, "witness.wtns"), content(t, "verification_key.json")
	ctx, cancel := context.WithCancel(context.Background())
	proof, err := prover.ProveContext(ctx, witness)
	if err != nil {
		t.Fatal(err)
	}
	if valid, err := proofmill.Verify(key, proof); err != nil || !valid {
		t.Error(valid, err)
	}
	// The proof may be finished before it is cancelled.
	cancel()
	if _, err = prover.ProveContext(ctx, witness); err != nil && !(errors.Is(err, context.Canceled) && errors.Is(err, proofmill.ErrCancelled)) {
		t.Error(err)
	}
	late, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	if _, err = prover.ProveContext(late, witness); err != nil && !(errors.Is(err, context.DeadlineExceeded) && errors.Is(err, proofmill.ErrCancelled)) {
		t.Error(err)
	}
	//lint:ignore SA1012 a mistake of the caller
	_, err = prover.ProveContext(nil, witness)
	refused(t, err, proofmill.ErrArgument, "ctx: is nil")
}

// What is closed, nil or was never opened returns an error; to close it again does nothing.
func TestClosed(t *testing.T) {
	witness := content(t, "witness.wtns")
	device, prover := opened(t), openedProver(t)
	bases, err := device.LoadBases("bn254_g1", generators(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	proving, err := prover.Start(witness)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := proving.Wait(); err != nil {
		t.Fatal(err)
	}
	for range [2]int{} {
		for _, closer := range []io.Closer{proving, prover, device} {
			if err := closer.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	// Bases keep what they need of their device.
	if _, err := bases.MSM(scalars(1, 2)); err != nil {
		t.Error(err)
	}
	bases.Close()
	bases.Close()
	devices(t, device, "device: is closed")
	devices(t, nil, "device: is not open")
	devices(t, new(proofmill.Device), "device: is not open")
	for problem, bases := range map[string]*proofmill.ResidentBases{"bases: is closed": bases, "bases: is not open": nil} {
		_, err = bases.MSM(nil)
		refused(t, err, proofmill.ErrClosed, problem)
		_, err = bases.MSMBatch()
		refused(t, err, proofmill.ErrClosed, problem)
		bases.Close()
	}
	for problem, prover := range map[string]*proofmill.Prover{"prover: is closed": prover, "prover: is not open": nil} {
		_, err = prover.Prove(witness)
		refused(t, err, proofmill.ErrClosed, problem)
		_, err = prover.Start(witness)
		refused(t, err, proofmill.ErrClosed, problem)
		_, err = prover.ProveContext(context.Background(), witness)
		refused(t, err, proofmill.ErrClosed, problem)
		_, err = prover.ProveBatch(nil)
		refused(t, err, proofmill.ErrClosed, problem)
		prover.Close()
	}
	for problem, proving := range map[string]*proofmill.Proving{"proving: is closed": proving, "proving: is not open": nil} {
		_, err = proving.Wait()
		refused(t, err, proofmill.ErrClosed, problem)
		refused(t, proving.Cancel(), proofmill.ErrClosed, problem)
		proving.Close()
	}
}

func devices(t *testing.T, device *proofmill.Device, problem string) {
	t.Helper()
	_, err := device.Info()
	refused(t, err, proofmill.ErrClosed, problem)
	_, err = device.MSM("bn254_g1", generators(), scalars(1, 2), 0)
	refused(t, err, proofmill.ErrClosed, problem)
	_, err = device.LoadBases("bn254_g1", generators(), 0, 0)
	refused(t, err, proofmill.ErrClosed, problem)
	refused(t, device.NTT("goldilocks", make([]byte, 8), false, nil), proofmill.ErrClosed, problem)
	_, err = device.Poseidon(2, nil)
	refused(t, err, proofmill.ErrClosed, problem)
	_, err = device.ECDSAVerifyBatch(nil, false)
	refused(t, err, proofmill.ErrClosed, problem)
	_, err = device.EquihashVerifyBatch(200, 9, "main", nil, 0)
	refused(t, err, proofmill.ErrClosed, problem)
	device.Close()
}

// Whatever goroutines do while another one closes, they get results or ErrClosed (of a proof: ErrCancelled). The race detector watches.
func TestCloseDuringCalls(t *testing.T) {
	witness := content(t, "witness.wtns")
	either := func(err error, kinds ...error) {
		for _, kind := range kinds {
			if err == nil || errors.Is(err, kind) {
				return
			}
		}
		t.Error(err)
	}
	for round := 0; round < 8; round++ {
		device, prover := opened(t), openedProver(t)
		bases, err := device.LoadBases("bn254_g1", generators(), 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		proving, err := prover.Start(witness)
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		begin := make(chan struct{})
		beside := func(body func()) {
			group.Add(1)
			go func() {
				defer group.Done()
				<-begin
				body()
			}()
		}
		for range [2]int{} {
			beside(func() {
				_, err := device.MSM("bn254_g1", generators(), scalars(1, 2), 0)
				either(err, proofmill.ErrClosed)
			})
			beside(func() {
				_, err := bases.MSMBatch(scalars(1, 2), scalars(3, 4))
				either(err, proofmill.ErrClosed)
			})
			beside(func() {
				_, err := prover.Prove(witness)
				either(err, proofmill.ErrClosed)
			})
			beside(func() {
				_, err := proving.Wait()
				either(err, proofmill.ErrClosed, proofmill.ErrCancelled)
			})
			beside(func() { either(proving.Cancel(), proofmill.ErrClosed) })
			beside(func() {
				proving.Close()
				prover.Close()
				bases.Close()
				device.Close()
			})
		}
		close(begin)
		group.Wait()
	}
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
	for _, curve := range []string{"secp256k1", "bls12_377", ""} {
		_, err = proofmill.Pairing(curve, nil, nil)
		refused(t, err, proofmill.ErrArgument, "curve: '"+curve+"'")
	}
	_, err = proofmill.Pairing("bn254\x00", nil, nil)
	refused(t, err, proofmill.ErrArgument, "curve: contains a zero byte")
	_, err = proofmill.PairingIsOne("bn254", generators(), nil)
	refused(t, err, proofmill.ErrArgument, "g2: 0 points")
	_, err = proofmill.PairingIsOne("bn254", generators()[:127], nil)
	refused(t, err, proofmill.ErrArgument, "g1: 127 bytes")
}

func TestBLS(t *testing.T) {
	// py_ecc's signatures of "abc" with the secret key 12345.
	key, _ := hex.DecodeString("8530c1bdc4cd6b1408be0933c4a41ac3513350eef36850b804708e1f338932ce01b655a163344a4500b281c8750c461f")
	signatures := map[proofmill.BLSScheme]string{
		proofmill.BLSBasic:               "a6b9c10670b188039b1051c5ae12bccd5f99a776174a856c25bd4df3a3ee27ba34a18ef7cbc5d5dcf115d5d016be120d14e5ec9913b48e532b4f25128711a6d7e9f6e5c3048f714cb83fa7576faa434e1d0195316a9997d1564521a0eedf1939",
		proofmill.BLSMessageAugmentation: "9494552e3b1249742163a5e1e58fb82d9799943eadd0f6ac13c98ce973794338d53b4c3e9c068d81b89b3e5314a2826d17930d53d4e0b14c46c46751d512c35c75d204cec3d78a726f1c985a0868620171c22269f5afd911b9d48c70e5076825",
		proofmill.BLSProofOfPossession:   "8394c19464494a42f148d9d25f5e3a9e13abe762b672247db8f3028c6f9f88120c2f39af6133fc75377d16a0c5033f1f1349d75bfac9dc804304da5a4c8588094b82446965232a9065178161976bd76f661bfcfa911a8279facf95104e6e42eb",
	}
	for madeWith, text := range signatures {
		signature, _ := hex.DecodeString(text)
		for scheme := range signatures {
			if valid, err := proofmill.BLSVerify(scheme, key, []byte("abc"), signature); err != nil || valid != (scheme == madeWith) {
				t.Error(madeWith, scheme, valid, err)
			}
		}
		if valid, err := proofmill.BLSVerify(madeWith, key, nil, signature); err != nil || valid {
			t.Error(valid, err)
		}
	}
	signature, _ := hex.DecodeString(signatures[proofmill.BLSBasic])
	_, err := proofmill.BLSVerify(3, key, nil, signature)
	refused(t, err, proofmill.ErrArgument, "scheme: 3")
	_, err = proofmill.BLSVerify(-1, key, nil, signature)
	refused(t, err, proofmill.ErrArgument, "scheme: -1")
	_, err = proofmill.BLSVerify(proofmill.BLSBasic, key[1:], nil, signature)
	refused(t, err, proofmill.ErrArgument, "public_key: 47 bytes")
	_, err = proofmill.BLSVerify(proofmill.BLSBasic, key, nil, signature[:48])
	refused(t, err, proofmill.ErrArgument, "signature: 48 bytes")
}
