// Makes and verifies proofs with `proofmill`: `node application.mjs INPUT WASM ZKEY PROOFS`.
// Key and generator are opened once, as in a service. Prints the seconds of the last proof and what was proved, as JSON.

import { readFileSync } from "node:fs";

import { Prover, WitnessCalculator } from "proofmill";

const [input, wasm, zkey, proofs] = process.argv.slice(2);
const values = JSON.parse(readFileSync(input, "utf8"));
const prover = await Prover.open(zkey);
const calculator = await WitnessCalculator.open(wasm);

for (let left = Number(proofs); left > 0; left--) {
  const start = performance.now();
  const { proof, publicSignals } = await prover.fullProve(values, calculator);
  const seconds = (performance.now() - start) / 1000;
  if (!(await prover.verifyingKey.verify(publicSignals, proof))) throw new Error("the proof is invalid");
  if (left === 1) console.log(JSON.stringify({ seconds, publicSignals }));
}
