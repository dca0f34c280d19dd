// Makes and verifies proofs with snarkjs: `node from_snarkjs.mjs INPUT WASM ZKEY PROOFS PROTOCOL VERIFICATION_KEY`.
// With `proofmill/snarkjs` in the import, nothing else changes. Prints what application.mjs prints.

import { readFileSync } from "node:fs";

import * as snarkjs from "snarkjs";

const [input, wasm, zkey, proofs, protocol, verificationKey] = process.argv.slice(2);
const values = JSON.parse(readFileSync(input, "utf8"));
const key = JSON.parse(readFileSync(verificationKey, "utf8"));

for (let left = Number(proofs); left > 0; left--) {
  const start = performance.now();
  const { proof, publicSignals } = await snarkjs[protocol].fullProve(values, wasm, zkey);
  const seconds = (performance.now() - start) / 1000;
  if (!(await snarkjs[protocol].verify(key, publicSignals, proof))) throw new Error("the proof is invalid");
  if (left === 1) console.log(JSON.stringify({ seconds, publicSignals }));
}
process.exit(0); // snarkjs's threads do not end by themselves; `proofmill/snarkjs` does not need this line
