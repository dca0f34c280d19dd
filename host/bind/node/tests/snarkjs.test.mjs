// `proofmill/snarkjs` beside snarkjs: the same calls, the same results.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

import * as ours from "proofmill/snarkjs";

import { FFLONK, GROTH16, INPUT, PLONK, snarkjs } from "./setting.mjs";

const R = 21888242871839275222246405745257275088548364400416034343698204186575808495617n;

/** Calls `exportSolidityCallData` with the arguments in the order of the protocol. */
function callData(functions, protocol, proof, publicSignals) {
  const given = protocol === "fflonk" ? [publicSignals, proof] : [proof, publicSignals];
  return functions.exportSolidityCallData(...given);
}

/** A proof with another point. */
function withPoint(protocol, proof, point) {
  if (protocol === "fflonk") return { ...proof, polynomials: { ...proof.polynomials, C1: point } };
  return { ...proof, [protocol === "groth16" ? "pi_a" : "A"]: point };
}

for (const circuit of [GROTH16, PLONK, FFLONK]) {
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
    const of = (functions, ...given) => callData(functions, circuit.protocol, ...given);
    assert.equal(await of(mine, proof, publicSignals), await of(theirs, proof, publicSignals));
    assert.equal(await of(mine, proof, []), await of(theirs, proof, []));
    const wrong = [{ pi_a: null, A: null, polynomials: null }, { pi_b: [1, 2], Z: ["x"], evaluations: { ...proof.evaluations, zw: "x" } }];
    for (const bad of [undefined, null, 5, [], {}, ...wrong.map((members) => ({ ...proof, ...members }))]) {
      await assert.rejects(of(mine, bad, publicSignals), { argument: /^proof/ });
    }
    for (const bad of [undefined, null, 5, {}, ["x"], [null]]) await assert.rejects(of(mine, proof, bad), { argument: /^publicSignals/ });
  });

  test(`${circuit.protocol}: forgeries are false for both, and are logged`, async () => {
    const { proof, publicSignals } = await mine.prove(circuit.zkey, circuit.wtns);
    const cases = [
      [[String(BigInt(publicSignals[0]) + R), ...publicSignals.slice(1)], proof],
      [[BigInt(publicSignals[0]) + R, ...publicSignals.slice(1)], proof],
      [["-1", ...publicSignals.slice(1)], proof],
      [["1", ...publicSignals.slice(1)], proof],
      [publicSignals, withPoint(circuit.protocol, proof, ["1", "3", "1"])],
      [publicSignals, withPoint(circuit.protocol, proof, ["1", "2", "1"])],
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

test("require has the same module", () => {
  const required = createRequire(import.meta.url)("proofmill/snarkjs");
  assert.equal(required.groth16, ours.groth16);
  assert.equal(ours.default, required);
});
