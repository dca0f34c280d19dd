/** A verification_key.json, public.json or proof.json: the object, its JSON, or the bytes of its JSON. */
export type Json = object | string | Uint8Array;

/** An argument that is malformed, or a failure of the verifier. */
export class ProofmillError extends Error {
  readonly name: "ProofmillError";
  /** A malformed text; values that do not fit the key; the file of the module; a defect of the verifier. */
  readonly code: "PROOFMILL_FILE" | "PROOFMILL_ARGUMENT" | "PROOFMILL_IO" | "PROOFMILL_INTERNAL";
  /** The argument that is wrong. */
  readonly argument?: "verifyingKey" | "publicSignals" | "proof";
  /** The path of the malformed JSON value. */
  readonly section?: string;
  /** The byte of the JSON at which it is. */
  readonly offset?: number;
}

/** A loaded verifier. */
export interface Verifier {
  /**
   * Returns whether the proof is valid for these public signals. The key names the protocol: Groth16, PLONK or FFLONK.
   * Throws a ProofmillError for malformed arguments, and a TypeError for arguments of another type.
   */
  verify(verifyingKey: Json, publicSignals: Json, proof: Json): boolean;
}

/**
 * Loads the verifier, from `proofmill.wasm` beside this file if no source is given.
 */
export function load(source?: BufferSource | WebAssembly.Module | Promise<BufferSource | WebAssembly.Module>): Promise<Verifier>;

/** Verifies a proof as Verifier.verify does. The first call loads the verifier. */
export function verify(verifyingKey: Json, publicSignals: Json, proof: Json): Promise<boolean>;
