/** snarkjs's names for proving and verifying: change the import from `snarkjs` to `proofmill/snarkjs`. */

import { Input, Integer, Proof, VerificationKey } from "./index.cjs";

/** A file as snarkjs takes it. */
export type File = string | URL | Uint8Array | { type: "mem"; data?: Uint8Array } | { type: "file"; fileName: string };

export interface Logger {
  info?(message: string): void;
  error?(message: string): void;
}

export interface ProverOptions {
  /** Proves with one thread. */
  singleThread?: boolean;
}

interface Proofs {
  fullProve(
    input: Input,
    wasm: File,
    zkey: File,
    logger?: Logger,
    witnessOptions?: unknown,
    options?: ProverOptions,
  ): Promise<{ proof: Proof; publicSignals: string[] }>;
  prove(zkey: File, witness: File, logger?: Logger, options?: ProverOptions): Promise<{ proof: Proof; publicSignals: string[] }>;
  /** Returns false for an invalid or malformed proof, and for a signal that is not below r. */
  verify(verificationKey: VerificationKey, publicSignals: readonly Integer[], proof: Proof, logger?: Logger): Promise<boolean>;
}

export interface Functions extends Proofs {
  /** Returns the arguments of the verifier contract's `verifyProof`. */
  exportSolidityCallData(proof: Proof, publicSignals: readonly Integer[]): Promise<string>;
}

export interface FflonkFunctions extends Proofs {
  /** As for the other protocols, with the arguments in snarkjs's order. */
  exportSolidityCallData(publicSignals: readonly Integer[], proof: Proof): Promise<string>;
}

export const groth16: Functions;
export const plonk: Functions;
export const fflonk: FflonkFunctions;
export const wtns: {
  /** Calculates a witness into a file, or into `data` of `{ type: "mem" }`. */
  calculate(input: Input, wasm: File, witness: string | { type: "mem"; data?: Uint8Array } | { type: "file"; fileName: string }): Promise<void>;
};
export const zKey: {
  exportVerificationKey(zkey: File): Promise<VerificationKey>;
};
