// Proves 20 times and waits: `node memory.cjs KEY WASM full|kept`. With `kept` JavaScript holds the witness.
"use strict";

const { Prover, calculateWitness } = require("proofmill");

const [key, wasm, mode] = process.argv.slice(2);
const input = { secret: "3", addend: "5" };

async function main() {
  const prover = await Prover.open(key);
  const witness = mode === "full" ? { wasm, input } : await calculateWitness(wasm, input);
  for (let i = 0; i < 20; i++) await prover.prove(witness);
  console.log("done");
  process.stdin.resume();
  process.stdin.on("end", () => process.exit(witness === undefined ? 1 : 0));
}

main();
