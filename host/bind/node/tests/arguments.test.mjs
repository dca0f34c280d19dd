// Bad values of every argument: a rejection that names it, and a process that goes on.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Prover, ProofmillError, VerifyingKey, WitnessCalculator, calculateWitness, fullProve, prove, verify } from "proofmill";

import { GROTH16, INPUT, PLONK, values } from "./setting.mjs";

const cyclic = {};
cyclic.cyclic = cyclic;
const trap = new Proxy({}, { ownKeys: () => { throw new RangeError("of the proxy"); }, get: () => undefined });
/** Values of no use for any argument. */
const NONSENSE = [undefined, null, 0, NaN, -1n, true, Symbol("s"), () => 1, [], {}, [[]], "", "\0", "no/such/file", new Uint8Array(0), new Uint8Array(100).fill(7), new Date(0), new Map(), cyclic, trap, new URL("https://example.org/key"), new Float64Array(4), new Proxy([], {})];

/** Asserts that a promise rejects with an error of this argument. */
async function refused(promise, argument, about) {
  await assert.rejects(promise, (error) => {
    if (error instanceof RangeError && error.message === "of the proxy") return true;
    assert.ok(error instanceof TypeError || error instanceof ProofmillError, `${about}: ${error.stack}`);
    assert.equal(typeof error.code, "string", about);
    assert.match(error.argument ?? "", argument, `${about}: ${error.message}`);
    assert.doesNotMatch(error.message, /panic/);
    return true;
  }, about);
}

function shown(value) {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return typeof value;
  }
}

let made;
async function setting() {
  made ??= (async () => {
    const prover = await Prover.open(GROTH16.zkey);
    const calculator = await WitnessCalculator.open(GROTH16.wasm);
    const key = await VerifyingKey.open(GROTH16.vkey);
    return { prover, calculator, key, ...(await prover.prove(GROTH16.wtns)) };
  })();
  return made;
}

/** For each function and argument: a call with a value in its place, and values that are allowed there. */
const ARGUMENTS = {
  "Prover.open key": [/^key$/, (_, value) => Prover.open(value)],
  "Prover.open options": [/^options/, (_, value) => Prover.open(GROTH16.zkey, value), (value) => isOptions(value)],
  "Prover.open device": [/^(options\.)?device$/, (_, device) => Prover.open(GROTH16.zkey, { device }), (value) => value === undefined],
  "Prover.open threads": [/^options\.threads$/, (_, threads) => Prover.open(GROTH16.zkey, { threads }), (value) => value === undefined],
  "Prover.open resident": [/^options\.resident$/, (_, resident) => Prover.open(GROTH16.zkey, { resident }), (value) => value === undefined || value === true],
  "Prover.open selfCheck": [/^options\.selfCheck$/, (_, selfCheck) => Prover.open(GROTH16.zkey, { selfCheck }), (value) => value === undefined || value === true],
  "prover.prove witness": [/^witness/, ({ prover }, value) => prover.prove(value)],
  "prover.prove options": [/^options/, ({ prover }, value) => prover.prove(GROTH16.wtns, value), (value) => isOptions(value)],
  "prover.prove signal": [/^options\.signal$/, ({ prover }, signal) => prover.prove(GROTH16.wtns, { signal }), (value) => value === undefined],
  "prover.prove onProgress": [/^options\.onProgress$/, ({ prover }, onProgress) => prover.prove(GROTH16.wtns, { onProgress }), (value) => value === undefined || typeof value === "function"],
  "prover.fullProve input": [/^input/, ({ prover, calculator }, value) => prover.fullProve(value, calculator)],
  "prover.fullProve wasm": [/^wasm$/, ({ prover }, value) => prover.fullProve(INPUT, value)],
  "prover.fullProve a signal": [/^input/, ({ prover, calculator }, secret) => prover.fullProve({ secret, addend: 5 }, calculator), (value) => [0, -1n, true].includes(value)],
  "prover.prove wasm": [/^wasm$/, ({ prover }, wasm) => prover.prove({ wasm, input: INPUT })],
  "prover.prove input": [/^input/, ({ prover, calculator: wasm }, input) => prover.prove({ wasm, input })],
  "WitnessCalculator.open wasm": [/^wasm$/, (_, value) => WitnessCalculator.open(value)],
  "WitnessCalculator.open maxBytes": [/^(options\.maxBytes|wasm)$/, (_, maxBytes) => WitnessCalculator.open(GROTH16.wasm, { maxBytes }), (value) => value === undefined],
  "WitnessCalculator.open maxSeconds": [/^options\.maxSeconds$/, (_, maxSeconds) => WitnessCalculator.open(GROTH16.wasm, { maxSeconds }), (value) => value === undefined],
  "calculator.calculate input": [/^input/, ({ calculator }, value) => calculator.calculate(value)],
  "VerifyingKey.open key": [/^verifyingKey/, (_, value) => VerifyingKey.open(value)],
  "key.verify publicSignals": [/^publicSignals/, ({ key, proof }, value) => key.verify(value, proof)],
  "key.verify a signal": [/^publicSignals/, ({ key, proof, publicSignals }, value) => key.verify([value, ...publicSignals.slice(1)], proof), (value) => value === 0],
  "key.verify proof": [/^proof/, ({ key, publicSignals }, value) => key.verify(publicSignals, value)],
  "key.verify a coordinate": [/^proof/, ({ key, publicSignals, proof }, value) => key.verify(publicSignals, { ...proof, pi_a: [value, proof.pi_a[1], "1"] })],
  "key.findInvalid claims": [/^claims/, ({ key }, value) => key.findInvalid(value), (value) => Array.isArray(value) && value.length === 0],
  "key.findInvalid a proof": [/^claims\[1\]/, ({ key, publicSignals, proof }, value) => key.findInvalid([{ publicSignals, proof }, { publicSignals, proof: value }])],
  "prove key": [/^key$/, (_, value) => prove(value, GROTH16.wtns)],
  "prove witness": [/^witness/, (_, value) => prove(GROTH16.zkey, value)],
  "prove options": [/^options/, (_, value) => prove(GROTH16.zkey, GROTH16.wtns, value), (value) => isOptions(value)],
  "fullProve input": [/^input/, ({ prover }, value) => fullProve(value, GROTH16.wasm, prover)],
  "fullProve wasm": [/^wasm$/, ({ prover }, value) => fullProve(INPUT, value, prover)],
  "fullProve key": [/^key$/, ({ calculator }, value) => fullProve(INPUT, calculator, value)],
  "calculateWitness wasm": [/^wasm$/, (_, value) => calculateWitness(value, INPUT)],
  "calculateWitness input": [/^input/, ({ calculator }, value) => calculateWitness(calculator, value)],
  "verify verifyingKey": [/^verifyingKey/, ({ publicSignals, proof }, value) => verify(value, publicSignals, proof)],
};

function isOptions(value) {
  return value === undefined || (typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value) && value !== cyclic && value !== trap);
}

for (const [name, [argument, call, allowed]] of Object.entries(ARGUMENTS)) {
  test(`nonsense for ${name}`, async () => {
    const context = await setting();
    for (const value of NONSENSE) {
      if (allowed?.(value)) continue;
      await refused(call(context, value), argument, `${name} = ${shown(value)}`);
    }
  });
}

test("numbers of options have limits", async () => {
  for (const threads of [-1, 0, 1.5, 1025, Infinity, "2"]) await refused(Prover.open(GROTH16.zkey, { threads }), /^options\.threads$/);
  for (const maxBytes of [-1, 0, 1.5, 2 ** 33]) await refused(WitnessCalculator.open(GROTH16.wasm, { maxBytes }), /^options\.maxBytes$/);
  for (const maxSeconds of [-1, 0, NaN, Infinity, 1e300]) await refused(WitnessCalculator.open(GROTH16.wasm, { maxSeconds }), /^options\.maxSeconds$/);
  await refused(Prover.open(GROTH16.zkey, { thread: 1 }), /^options\.thread$/);
  await refused(Prover.open(GROTH16.zkey, { device: "abacus:" }), /^device$/);
  await refused(Prover.open(GROTH16.zkey, { device: "cpu:?threads=x" }), /^device$/);
});

test("inputs: fractions, depth, unknown and missing signals", async () => {
  const { calculator } = await setting();
  let deep = [1];
  for (let i = 0; i < 100_000; i++) deep = [deep];
  const sparse = [];
  sparse.length = 3;
  for (const secret of [1.5, NaN, Infinity, "1.5", "", "three", null, deep, [1, 2], new Uint8Array(1), new Date(0), sparse]) {
    await refused(calculator.calculate({ secret, addend: 5 }), /^input/, shown(typeof secret));
  }
  await refused(calculator.calculate({ secret: 3 }), /^input$/);
  await refused(calculator.calculate({ ...INPUT, third: 1 }), /^input$/);
  await refused(calculator.calculate(Buffer.from('{"secret": 3, "addend": 5')), /^input$/);
});

test("witnesses: values out of range, wrong numbers, wrong circuits", async () => {
  const { prover } = await setting();
  const numbers = values(GROTH16.wtns);
  for (const value of [-1n, 2n ** 256n, 2n ** 256n - 1n, 1.5, "x", null, undefined]) {
    await refused(prover.prove([1n, value, ...numbers.slice(2)]), /^witness/, String(value));
  }
  await refused(prover.prove(numbers.slice(1)), /^witness$/);
  await refused(prover.prove([...numbers, 0n]), /^witness$/);
  await refused(prover.prove([2n, ...numbers.slice(1)]), /^witness$/);
});

test("proofs of the other protocol", async () => {
  const { proof, publicSignals } = await setting();
  await refused(verify(PLONK.vkey, publicSignals, proof), /^proof$/);
  await refused(verify(GROTH16.vkey, publicSignals, (await prove(PLONK.zkey, PLONK.wtns)).proof), /^proof$/);
  await refused(verify(GROTH16.vkey, [...publicSignals, "1"], proof), /^publicSignals$/);
});

test("errors of files have section and byte", async () => {
  for (const circuit of [GROTH16, PLONK]) {
    const bytes = readFileSync(circuit.zkey);
    await assert.rejects(Prover.open(bytes.subarray(0, bytes.length - 1)), (error) => {
      assert.deepEqual([error.code, error.argument, error.file], ["PROOFMILL_FILE", "key", "key"]);
      return typeof error.section === "string" && Number.isInteger(error.offset);
    });
  }
  await assert.rejects(Prover.open("no/such/file"), { code: "PROOFMILL_IO", argument: "key" });
});

test("shortened and changed files end in an error or a proof that verifies", async () => {
  const witness = readFileSync(GROTH16.wtns);
  const key = readFileSync(GROTH16.zkey);
  const { prover } = await setting();
  const lengths = [0, 1, 3, 4, 8, 11, 12, 23, 24, 60, 75, 76, witness.length - 32, witness.length - 1];
  for (const length of lengths) await refused(prover.prove(witness.subarray(0, length)), /^witness$/, `${length} bytes`);
  for (let at = 0; at < 120; at += 7) {
    const changed = Buffer.from(witness);
    changed[at] ^= 0x41;
    await prover.prove(changed).then(
      ({ proof, publicSignals }) => verify(GROTH16.vkey, publicSignals, proof).then(assert.ok),
      (error) => assert.ok(error instanceof ProofmillError, error.stack),
    );
  }
  for (let i = 0; i < 40; i++) {
    const length = Math.floor((key.length * i) / 40);
    await refused(Prover.open(key.subarray(0, length)), /^key$/, `${length} bytes`);
    const changed = Buffer.from(key);
    changed[length] ^= 0x10;
    await Prover.open(changed).then(
      (other) => other.prove(GROTH16.wtns).then(() => {}, (error) => assert.ok(error instanceof ProofmillError, error.stack)),
      (error) => assert.ok(error instanceof ProofmillError, error.stack),
    );
  }
});

test("bytes may be changed after a call, shared or detached before it", async () => {
  const { prover } = await setting();
  const witness = readFileSync(GROTH16.wtns);
  const proof = prover.prove(witness);
  witness.fill(0);
  await proof;
  const shared = new Uint8Array(new SharedArrayBuffer(witness.length));
  shared.set(readFileSync(GROTH16.wtns));
  await prover.prove(shared);
  const detached = new Uint8Array(8);
  structuredClone(detached.buffer, { transfer: [detached.buffer] });
  await refused(prover.prove(detached), /^witness$/);
});

test("classes have no public constructor, methods no other receiver", async () => {
  for (const Class of [Prover, VerifyingKey, WitnessCalculator]) {
    assert.throws(() => new Class(), TypeError);
    assert.throws(() => Class.prototype.curve, TypeError);
  }
  await assert.rejects(Prover.prototype.prove.call({}, GROTH16.wtns), TypeError);
  await assert.rejects(Prover.prototype.prove.call(await VerifyingKey.open(GROTH16.vkey), GROTH16.wtns), TypeError);
});
