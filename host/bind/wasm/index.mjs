// Verifies proofs of snarkjs in browsers and in Node. The interface of the module is described in src/lib.rs.

const MODULE = new URL("./proofmill.wasm", import.meta.url);

export class ProofmillError extends Error {
  constructor({ message, ...place }) {
    super(message);
    this.name = "ProofmillError";
    Object.assign(this, place);
  }
}

export async function load(source = undefined) {
  const module = await compiled(await (source ?? bytesOf(MODULE)));
  let instance = (await WebAssembly.instantiate(module)).exports;
  return {
    verify(verifyingKey, publicSignals, proof) {
      const texts = [bytes("verifyingKey", verifyingKey), bytes("publicSignals", publicSignals), bytes("proof", proof)];
      instance ??= new WebAssembly.Instance(module).exports;
      try {
        return verified(instance, texts);
      } catch (error) {
        if (error instanceof WebAssembly.RuntimeError) {
          instance = null; // its memory may be in any state
          throw new ProofmillError({ code: "PROOFMILL_INTERNAL", message: `the verifier stopped: ${error.message}` });
        }
        throw error;
      }
    },
  };
}

let shared;

export async function verify(verifyingKey, publicSignals, proof) {
  shared ??= load();
  const loaded = shared;
  try {
    return (await loaded).verify(verifyingKey, publicSignals, proof);
  } catch (error) {
    await loaded.catch(() => (shared = undefined)); // the next call loads it again
    throw error;
  }
}

async function bytesOf(url) {
  if (url.protocol === "file:") {
    const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ "node:fs/promises");
    return readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) {
    throw new ProofmillError({ code: "PROOFMILL_IO", message: `${url}: status ${response.status}` });
  }
  return response.arrayBuffer();
}

function compiled(source) {
  return source instanceof WebAssembly.Module ? source : WebAssembly.compile(source);
}

function bytes(argument, value) {
  if (value instanceof Uint8Array) {
    return value;
  }
  return new TextEncoder().encode(typeof value === "string" ? value : json(argument, value));
}

function json(argument, value) {
  if (typeof value !== "object" || value === null) {
    throw wrongType(argument, value === null ? "null" : typeof value);
  }
  try {
    return JSON.stringify(value, (_, part) => (typeof part === "bigint" ? part.toString() : part));
  } catch (error) {
    throw wrongType(argument, error.message);
  }
}

function wrongType(argument, found) {
  const error = new TypeError(`${argument}: ${found}; expected an object, or JSON as a string or a Uint8Array`);
  return Object.assign(error, { code: "ERR_INVALID_ARG_TYPE", argument });
}

function verified(wasm, [key, publicSignals, proof]) {
  const length = key.length + publicSignals.length + proof.length;
  const at = wasm.proofmill_reserve(length) >>> 0;
  if (at === 0) {
    throw new ProofmillError({ code: "PROOFMILL_ARGUMENT", message: `the arguments take ${length} bytes, for which there is no memory` });
  }
  const memory = new Uint8Array(wasm.memory.buffer, at, length);
  memory.set(key);
  memory.set(publicSignals, key.length);
  memory.set(proof, key.length + publicSignals.length);
  const result = wasm.proofmill_verify(key.length, publicSignals.length);
  if (result < 0) {
    const text = new Uint8Array(wasm.memory.buffer, wasm.proofmill_error() >>> 0, wasm.proofmill_error_bytes());
    throw new ProofmillError(JSON.parse(new TextDecoder().decode(text)));
  }
  return result === 1;
}
