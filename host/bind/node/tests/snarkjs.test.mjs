// `proofmill/snarkjs` beside snarkjs: the same calls, the same results.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

import * as ours from "proofmill/snarkjs";

import { GROTH16, INPUT, PLONK, snarkjs } from "./setting.mjs";

const R = 21888242871839275222246405745257275088548364400416034343698204186575808495617n;

for (const circuit of [GROTH16, PLONK]) {
  const [mine, theirs] = [ours[circuit.protocol], snarkjs[circuit.protocol]];

  test(`${circuit.protocol}: each accepts the other's proofs, from files of all kinds`, async () => {
    const memory = (path) => ({ type: "mem", data: new Uint8Array(readFileSync(path)) });
    const proofs = [
      await mine.fullProve(INPUT, circuit.wasm, circuit.zkey),
      await mine.fullProve(INPUT, memory(circuit.wasm), memory(circuit.zkey), undefined, undefined, { singleThread: true }),
      await mine.prove(circuit.zkey, circuit.wtns),
      await mine.prove(memory(circuit.zkey), memory(circuit.wtns)),
      await mine.prove({ type: "file", fileName: circuit.zkey }, readFileSync(circuit.wtns)),
      await theirs.fullProve(INPUT, circuit.wasm, circuit.zkey),
    ];
    for (const made of proofs) {
      assert.deepEqual(Object.keys(made).sort(), ["proof", "publicSignals"]);
      assert.deepEqual(Object.keys(made.proof), Object.keys(proofs.at(-1).proof));
      assert.equal(await mine.verify(circuit.vkey, made.publicSignals, made.proof), true);
      assert.equal(await theirs.verify(circuit.vkey, made.publicSignals, made.proof), true);
    }
  });

  test(`${circuit.protocol}: call data of contracts`, async () => {
    const { proof, publicSignals } = await mine.prove(circuit.zkey, circuit.wtns);
    assert.equal(await mine.exportSolidityCallData(proof, publicSignals), await theirs.exportSolidityCallData(proof, publicSignals));
    assert.equal(await mine.exportSolidityCallData(proof, []), await theirs.exportSolidityCallData(proof, []));
    for (const bad of [undefined, null, 5, [], {}, { ...proof, pi_a: null, A: null }, { ...proof, pi_b: [1, 2], Z: ["x"] }]) {
      await assert.rejects(mine.exportSolidityCallData(bad, publicSignals), { argument: /^proof/ });
    }
    for (const bad of [undefined, null, 5, {}, ["x"], [null]]) await assert.rejects(mine.exportSolidityCallData(proof, bad), { argument: /^publicSignals/ });
  });

  test(`${circuit.protocol}: forgeries are false for both, and are logged`, async () => {
    const { proof, publicSignals } = await mine.prove(circuit.zkey, circuit.wtns);
    const point = circuit.protocol === "groth16" ? "pi_a" : "A";
    const cases = [
      [[String(BigInt(publicSignals[0]) + R), ...publicSignals.slice(1)], proof],
      [[BigInt(publicSignals[0]) + R, ...publicSignals.slice(1)], proof],
      [["-1", ...publicSignals.slice(1)], proof],
      [["1", ...publicSignals.slice(1)], proof],
      [publicSignals, { ...proof, [point]: ["1", "3", "1"] }],
      [publicSignals, { ...proof, [point]: ["1", "2", "1"] }],
    ];
    for (const [signals, forged] of cases) {
      const lines = [];
      assert.equal(await mine.verify(circuit.vkey, signals, forged, { error: (line) => lines.push(line) }), false);
      assert.equal(lines.length, 1);
      // snarkjs 0.7.6 throws for a negative signal in places.
      assert.notEqual(await theirs.verify(circuit.vkey, signals, forged).catch(() => false), true);
    }
    const hexadecimal = JSON.parse(JSON.stringify(proof), (_, value) => (typeof value === "string" && /^\d+$/.test(value) ? `0x${BigInt(value).toString(16)}` : value));
    assert.equal(await mine.verify(circuit.vkey, publicSignals.map((value) => `0x${BigInt(value).toString(16)}`), hexadecimal, { info() {} }), true);
  });

  test(`${circuit.protocol}: keys of another protocol are refused`, async () => {
    const other = circuit === GROTH16 ? PLONK : GROTH16;
    await assert.rejects(mine.prove(other.zkey, other.wtns), { argument: "zkey" });
    await assert.rejects(mine.fullProve(INPUT, other.wasm, other.zkey), { argument: "zkey" });
    await assert.rejects(mine.verify(other.vkey, [], {}), { argument: "verificationKey" });
    for (const bad of [undefined, null, 5, {}, { type: "mem" }, { type: "bigMem" }]) {
      await assert.rejects(mine.prove(bad, circuit.wtns), { argument: /key$/ });
      await assert.rejects(mine.prove(circuit.zkey, bad), { argument: /^witness/ });
      await assert.rejects(mine.fullProve(INPUT, bad, circuit.zkey), { argument: "wasm" });
    }
  });

  test(`${circuit.protocol}: witnesses and verification keys`, async () => {
    const [own, other] = [{ type: "mem" }, { type: "mem" }];
    await ours.wtns.calculate(INPUT, circuit.wasm, own);
    await snarkjs.wtns.calculate(INPUT, circuit.wasm, other);
    assert.deepEqual(own.data, other.data);
    assert.deepEqual(await ours.zKey.exportVerificationKey(circuit.zkey), circuit.vkey);
  });
}

test("fflonk is named and rejects", async () => {
  assert.deepEqual(Object.keys(ours.fflonk).sort(), Object.keys(ours.groth16).sort());
  for (const name of Object.keys(ours.fflonk)) await assert.rejects(ours.fflonk[name](), { code: "PROOFMILL_UNSUPPORTED", message: /not supported yet/ });
});

test("require has the same module", () => {
  const required = createRequire(import.meta.url)("proofmill/snarkjs");
  assert.equal(required.groth16, ours.groth16);
  assert.equal(ours.default, required);
});
