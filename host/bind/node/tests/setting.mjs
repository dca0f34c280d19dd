// What the tests share: circuits that test_node.py has made in the folder PROOFMILL_TEST_DATA, and snarkjs.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { after } from "node:test";

const DATA = process.env.PROOFMILL_TEST_DATA;

function circuit(name, protocol, files) {
  const file = (base) => path.join(DATA, name, base);
  return {
    name,
    protocol,
    zkey: file(files.zkey ?? "circuit.zkey"),
    wtns: file("witness.wtns"),
    vkey: JSON.parse(readFileSync(file(files.vkey ?? "vkey.json"), "utf8")),
    vkeyPath: file(files.vkey ?? "vkey.json"),
    wasm: files.wasm && file(files.wasm),
  };
}

/** Circuits of circom with keys of snarkjs, and inputs. */
export const GROTH16 = circuit("groth16", "groth16", { wasm: "squares_js/squares.wasm" });
export const PLONK = circuit("plonk", "plonk", { wasm: "squares_js/squares.wasm" });
export const FFLONK = circuit("fflonk", "fflonk", { wasm: "squares_js/squares.wasm" });
export const PLONK_BLS = circuit("plonk_bls12_381", "plonk", { vkey: "verification_key.json" });
export const INPUT = { secret: "3", addend: "5" };
/** A circuit whose proof takes a moment. */
export const LARGE = circuit("large", "groth16", { zkey: "INSECURE.zkey", vkey: "verification_key.json" });

/** The values of a `.wtns` file as integers. */
export function values(wtns) {
  const bytes = readFileSync(wtns);
  const start = bytes.length - 32 * bytes.readUInt32LE(60);
  return Array.from({ length: (bytes.length - start) / 32 }, (_, i) =>
    [3, 2, 1, 0].reduce((value, limb) => (value << 64n) + bytes.readBigUInt64LE(start + 32 * i + 8 * limb), 0n),
  );
}

const require = createRequire(path.join(process.env.PROOFMILL_NODE_PACKAGES, "package.json"));
export const snarkjs = require("snarkjs");
// snarkjs's threads do not end by themselves.
after(async () => {
  await globalThis.curve_bn128?.terminate();
  await globalThis.curve_bls12381?.terminate();
});
