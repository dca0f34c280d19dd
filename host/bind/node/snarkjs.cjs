// snarkjs's names: an application that proves and verifies with snarkjs changes its import to `proofmill/snarkjs`.
//
// | name | arguments, in snarkjs's order |
// |---|---|
// | `fullProve` of `groth16`, `plonk`, `fflonk` | input, wasm, zkey, logger, witness options, prover options |
// | `prove` of these | zkey, witness, logger, prover options |
// | `verify` of these | verification key, public signals, proof, logger |
// | `exportSolidityCallData` of `groth16`, `plonk` | proof, public signals |
// | `fflonk.exportSolidityCallData` | public signals, proof |
// | `wtns.calculate` | input, wasm, witness |
// | `zKey.exportVerificationKey` | zkey, logger |
//
// Files are what snarkjs takes: a path, a Uint8Array, `{ type: "mem", data }` or `{ type: "file", fileName }`.
"use strict";

const fs = require("node:fs/promises");

const { Prover, ProofmillError, VerifyingKey, calculateWitness } = require("./index.cjs");
const { integer, object } = require("./lib/arguments.cjs");
const { wrongType, wrongValue } = require("./lib/errors.cjs");

/** Returns what proofmill reads of a file as snarkjs takes it. */
function file(argument, value) {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array || value instanceof URL) return value;
  if (value.type === "mem" && value.data instanceof Uint8Array) return value.data;
  if (value.type === "file" && typeof value.fileName === "string") return value.fileName;
  throw wrongType(argument, 'a path, a Uint8Array, { type: "mem", data } or { type: "file", fileName }', value);
}

/** Opens a proving key of this protocol. `singleThread` is snarkjs's option. */
async function open(protocol, zkey, given) {
  const threads = given?.singleThread ? 1 : undefined;
  const prover = await Prover.open(file("zkey", zkey), { threads });
  if (protocol && prover.protocol !== protocol) {
    throw wrongValue("zkey", `a key for ${prover.protocol}, not for ${protocol}`);
  }
  return prover;
}

/** Returns proof and public signals as snarkjs does. */
async function only(proving) {
  const { proof, publicSignals } = await proving;
  return { proof, publicSignals };
}

/** Returns a value with integers in place of hexadecimal strings, which snarkjs reads, too. */
function decimal(value) {
  if (typeof value === "string") return /^0x[0-9a-f]+$/i.test(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(decimal);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, decimal(member)]));
}

/** Errors of the proof or the public signals: snarkjs returns false for a point that is not on the curve, and for an alias of a signal. */
function isOfClaim(error) {
  return error instanceof ProofmillError && (error.argument === "proof" || error.argument === "publicSignals");
}

/** snarkjs's functions of a protocol. `words` returns the parts of the call data, lists of numbers. */
function functions(protocol, words) {
  async function prove(zkey, witness, logger, given) {
    const prover = await open(protocol, zkey, given);
    return only(prover.prove(file("witness", witness)));
  }

  async function fullProve(input, wasm, zkey, logger, witnessOptions, given) {
    const prover = await open(protocol, zkey, given);
    return only(prover.fullProve(input, file("wasm", wasm)));
  }

  async function verify(verificationKey, publicSignals, proof, logger) {
    const key = await VerifyingKey.open(object("verificationKey", verificationKey));
    if (key.protocol !== protocol) throw wrongValue("verificationKey", `a key for ${key.protocol}, not for ${protocol}`);
    let valid = false;
    try {
      valid = await key.verify(publicSignals, decimal(object("proof", proof)));
      if (!valid) logger?.error?.("Invalid proof");
    } catch (error) {
      if (!isOfClaim(error)) throw error;
      logger?.error?.(error.message);
    }
    if (valid) logger?.info?.("OK!");
    return valid;
  }

  async function exportSolidityCallData(proof, publicSignals) {
    object("proof", proof);
    if (!Array.isArray(publicSignals)) throw wrongType("publicSignals", "an array of integers", publicSignals);
    const signals = publicSignals.map((value, i) => word(`publicSignals[${i}]`, value)).join(",");
    try {
      return words(proof, signals);
    } catch (error) {
      if (error.argument) throw error;
      throw wrongValue("proof", `not a proof of ${protocol}: ${error.message}`);
    }
  }

  return { exportSolidityCallData, fullProve, prove, verify };
}

/** Returns a number as a quoted 32-byte word. */
function word(place, value) {
  return `"0x${integer(place, value).toString(16).padStart(64, "0")}"`;
}

/** Returns the words of a point in G1, with a separator. */
function point(place, [x, y], separator) {
  return [x, y].map((value) => word(place, value)).join(separator);
}

function groth16CallData({ pi_a, pi_b, pi_c }, signals) {
  const g1 = (place, coordinates) => `[${point(place, coordinates, ", ")}]`;
  const [x, y] = pi_b;
  const g2 = [x, y].map(([real, imaginary]) => g1("proof.pi_b", [imaginary, real])).join(",");
  return `${g1("proof.pi_a", pi_a)},[${g2}],${g1("proof.pi_c", pi_c)},[${signals}]`;
}

function plonkCallData(proof, signals) {
  // snarkjs has a space after the first number only.
  const [first, ...rest] = ["A", "B", "C", "Z", "T1", "T2", "T3", "Wxi", "Wxiw"];
  const points = [point(`proof.${first}`, proof[first], ", "), ...rest.map((name) => point(`proof.${name}`, proof[name], ","))];
  const values = ["eval_a", "eval_b", "eval_c", "eval_s1", "eval_s2", "eval_zw"].map((name) => word(`proof.${name}`, proof[name]));
  return `[${[...points, ...values].join(",")}][${signals}]`;
}

function fflonkCallData({ polynomials, evaluations }, signals) {
  const points = ["C1", "C2", "W1", "W2"].map((name) => point(`proof.polynomials.${name}`, polynomials[name], ","));
  const names = ["ql", "qr", "qm", "qo", "qc", "s1", "s2", "s3", "a", "b", "c", "z", "zw", "t1w", "t2w", "inv"];
  const values = names.map((name) => word(`proof.evaluations.${name}`, evaluations[name]));
  // snarkjs has no quotes, and a space after the first number only.
  return `[${[...points, ...values].join(",").replace(",", ", ")}],[${signals}]`.replaceAll('"', "");
}

const fflonk = functions("fflonk", fflonkCallData);

async function calculate(input, wasm, witness) {
  const bytes = await calculateWitness(file("wasm", wasm), input);
  if (typeof witness === "object" && witness !== null && witness.type === "mem") {
    witness.data = new Uint8Array(bytes);
  } else {
    const path = file("witness", witness);
    if (typeof path !== "string") throw wrongType("witness", 'a path or { type: "mem" }', witness);
    await fs.writeFile(path, bytes, { mode: 0o600 });
  }
}

async function exportVerificationKey(zkey) {
  return (await open(undefined, zkey)).exportVerificationKey();
}

module.exports = {
  // snarkjs has this order of arguments for this protocol only.
  fflonk: { ...fflonk, exportSolidityCallData: (publicSignals, proof) => fflonk.exportSolidityCallData(proof, publicSignals) },
  groth16: functions("groth16", groth16CallData),
  plonk: functions("plonk", plonkCallData),
  wtns: { calculate },
  zKey: { exportVerificationKey },
};
