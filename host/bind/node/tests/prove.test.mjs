// Proofs of both protocols from all forms of files, witnesses and inputs; snarkjs verifies them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import * as proofmill from "proofmill";
import standard, { Prover, VerifyingKey, WitnessCalculator, calculateWitness, fullProve, prove, verify } from "proofmill";

import { GROTH16, INPUT, LARGE, PLONK, PLONK_BLS, snarkjs, values } from "./setting.mjs";

/** The number of proofs that are requested at once. */
const MANY = process.env.PROOFMILL_LONG ? 100 : 30;

/** Asserts that proofmill and snarkjs accept a proof, and refuse it for another signal. */
async function accepted(circuit, { proof, publicSignals }) {
  const forged = [String(BigInt(publicSignals[0]) ^ 1n), ...publicSignals.slice(1)];
  assert.equal(await verify(circuit.vkey, publicSignals, proof), true);
  assert.equal(await verify(circuit.vkey, forged, proof), false);
  assert.equal(await snarkjs[circuit.protocol].verify(circuit.vkey, publicSignals, proof), true);
  assert.equal(await snarkjs[circuit.protocol].verify(circuit.vkey, forged, proof), false);
}

for (const circuit of [GROTH16, PLONK]) {
  test(`${circuit.name}: all forms of keys and witnesses`, async () => {
    const bytes = readFileSync(circuit.zkey);
    const keys = [circuit.zkey, pathToFileURL(circuit.zkey), bytes, new Uint8Array(bytes)];
    for (const key of keys) {
      const prover = await Prover.open(key);
      assert.deepEqual([prover.protocol, prover.curve, prover.publicSignals], [circuit.protocol, "bn254", circuit.vkey.nPublic]);
    }
    const prover = await Prover.open(circuit.zkey, { device: "cpu:", threads: 1, resident: true, selfCheck: true });
    assert.deepEqual(prover.exportVerificationKey(), circuit.vkey);
    const wtns = readFileSync(circuit.wtns);
    const numbers = values(circuit.wtns);
    const witnesses = [circuit.wtns, pathToFileURL(circuit.wtns), wtns, numbers, numbers.map(String), { wasm: circuit.wasm, input: INPUT }];
    let proved;
    for (const witness of witnesses) {
      proved = await prover.prove(witness);
      assert.equal(await prover.verifyingKey.verify(proved.publicSignals, proved.proof), true);
      assert.ok(proved.seconds > 0);
    }
    assert.deepEqual(numbers.slice(1, 1 + prover.publicSignals).map(String), proved.publicSignals);
    await accepted(circuit, proved);
  });

  test(`${circuit.name}: all forms of inputs`, async () => {
    const prover = await Prover.open(circuit.zkey);
    const calculator = await WitnessCalculator.open(circuit.wasm);
    assert.deepEqual([calculator.curve, calculator.values], ["bn254", values(circuit.wtns).length]);
    const inputs = [INPUT, { secret: 3n, addend: 5 }, { secret: "0x3", addend: ["5"] }, { secret: [3n], addend: [[5]] }, Buffer.from(JSON.stringify(INPUT))];
    for (const input of inputs) {
      const { publicSignals } = await prover.fullProve(input, calculator);
      assert.deepEqual(publicSignals, values(circuit.wtns).slice(1, 1 + prover.publicSignals).map(String));
      assert.ok((await calculator.calculate(input)).equals(readFileSync(circuit.wtns)));
    }
    await accepted(circuit, await fullProve(INPUT, readFileSync(circuit.wasm), circuit.zkey));
    await accepted(circuit, await prove(circuit.zkey, await calculateWitness(circuit.wasm, INPUT)));
  });
}

test("PLONK over BLS12-381", async () => {
  const proved = await prove(PLONK_BLS.zkey, PLONK_BLS.wtns);
  await accepted(PLONK_BLS, proved);
});

test("numbers are those of circom's JavaScript", async () => {
  const calculator = await WitnessCalculator.open(GROTH16.wasm);
  for (const secret of [2 ** 53, 1e21, -7, -0, true, "-5", 2n ** 300n, -(2n ** 255n), "0b101"]) {
    const theirs = { type: "mem" };
    await snarkjs.wtns.calculate({ secret, addend: 5 }, GROTH16.wasm, theirs);
    assert.ok((await calculator.calculate({ secret, addend: 5 })).equals(theirs.data), String(secret));
  }
});

test("a verifying key from its content, its bytes and its path", async () => {
  for (const circuit of [GROTH16, PLONK]) {
    const { proof, publicSignals } = await prove(circuit.zkey, circuit.wtns);
    for (const key of [circuit.vkey, circuit.vkeyPath, readFileSync(circuit.vkeyPath), await VerifyingKey.open(circuit.vkey)]) {
      assert.equal(await verify(key, publicSignals.map(BigInt), proof), true);
    }
    const key = await VerifyingKey.open(circuit.vkeyPath);
    assert.deepEqual([key.protocol, key.curve, key.publicSignals], [circuit.protocol, "bn254", circuit.vkey.nPublic]);
    const good = { publicSignals, proof };
    const bad = { publicSignals: ["1", ...publicSignals.slice(1)], proof };
    assert.deepEqual(await key.findInvalid([good, bad, good, bad]), [1, 3]);
    assert.deepEqual(await key.findInvalid([]), []);
  }
});

test("progress", async () => {
  for (const [circuit, step] of [[GROTH16, "MSM A"], [PLONK, "MSM wires"]]) {
    const steps = new Map();
    await prove(circuit.zkey, circuit.wtns, {
      onProgress: (name, fraction) => {
        assert.ok(fraction >= 0 && fraction <= 1);
        steps.set(name, Math.max(fraction, steps.get(name) ?? 0));
      },
    });
    assert.equal(steps.get(step), 1);
    assert.equal(steps.get("check"), 1);
  }
});

test("a witness of other inputs gives no proof", async () => {
  const numbers = values(GROTH16.wtns);
  numbers[numbers.length - 1] ^= 1n;
  await assert.rejects(prove(GROTH16.zkey, numbers), { name: "ProofmillError", code: "PROOFMILL_DOES_NOT_VERIFY" });
});

test("many proofs at once, beside a free event loop", async () => {
  const provers = await Promise.all([GROTH16, PLONK].map((circuit) => Prover.open(circuit.zkey)));
  const calculator = await WitnessCalculator.open(GROTH16.wasm); // of both keys
  let ticks = 0;
  const clock = setInterval(() => ticks++, 5);
  const start = performance.now();
  const proofs = await Promise.all(
    Array.from({ length: MANY }, (_, i) => provers[i % 2].fullProve(INPUT, calculator)),
  );
  const seconds = (performance.now() - start) / 1000;
  clearInterval(clock);
  for (const half of [0, 1]) {
    const claims = proofs.filter((_, i) => i % 2 === half);
    assert.deepEqual(await provers[half].verifyingKey.findInvalid(claims), []);
  }
  console.log(`ran ${MANY} proofs at once in ${seconds.toFixed(1)} s`);
  assert.ok(ticks >= 10, `${ticks} ticks in ${seconds} s`); // a blocked loop has none
});

test("verifications do not wait for proofs", async () => {
  const [prover, key] = await Promise.all([Prover.open(LARGE.zkey), VerifyingKey.open(LARGE.vkey)]);
  const { proof, publicSignals } = await prover.prove(LARGE.wtns);
  const controller = new AbortController();
  let ended = 0;
  const proofs = Array.from({ length: 8 }, () => prover.prove(LARGE.wtns, { signal: controller.signal }).then(() => ended++));
  assert.equal(await key.verify(publicSignals, proof), true);
  assert.ok(ended < 8);
  controller.abort();
  await Promise.allSettled(proofs);
});

test("require and import have the same classes", () => {
  const required = createRequire(import.meta.url)("proofmill");
  assert.equal(required.Prover, Prover);
  assert.equal(standard, required);
  assert.deepEqual(Object.keys(proofmill).filter((name) => name !== "default").sort(), Object.keys(required).sort());
  assert.ok(proofmill.devices().includes("cpu:"));
  const manifest = createRequire(import.meta.url)("proofmill/package.json");
  assert.equal(proofmill.version, manifest.version);
});
