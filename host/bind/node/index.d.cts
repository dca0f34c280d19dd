/**
 * proofmill for Node: Groth16, PLONK and FFLONK proofs with the files of circom and snarkjs.
 *
 * Work runs on threads of the package, never on the event loop; at most four proofs of a process run at a time, and the others wait in order.
 * Every error of an argument is a `TypeError` with the code `ERR_INVALID_ARG_TYPE`, or a `ProofmillError`; both name the `argument`.
 */

/** A file: its path, its `file:` URL, or its bytes. Paths are memory-mapped and must not change meanwhile; bytes are copied. */
export type Source = string | URL | Uint8Array;

/** An integer of any size. Strings are decimal, or `0x…`, `0o…`, `0b…`. Numbers are exact values: those above 2^53 are rounded by JavaScript. */
export type Integer = number | bigint | string;

/** The value of a signal, as in circom's JavaScript: integers are reduced modulo r. Objects are buses. */
export type InputValue = Integer | boolean | readonly InputValue[] | { readonly [field: string]: InputValue };

/** Input signals of a circuit: an object with a member for each, or a file of it as JSON. */
export type Input = { readonly [signal: string]: InputValue } | Source;

/** A witness: a `.wtns` file, all values in order, or a generator with its inputs. */
export type Witness = Source | readonly Integer[] | { wasm: Source | WitnessCalculator; input: Input };

export type Protocol = "groth16" | "plonk" | "fflonk";
export type Curve = "bn254" | "bls12_381";

/** A proof in snarkjs's form: the content of proof.json. */
export interface Proof {
  protocol: string;
  curve: string;
  [member: string]: unknown;
}

/** A verifying key in snarkjs's form: the content of verification_key.json. */
export interface VerificationKey {
  protocol: string;
  curve: string;
  nPublic: number;
  [member: string]: unknown;
}

/** A proof with its public signals. */
export interface Proved {
  proof: Proof;
  /** Decimal strings: the content of public.json. */
  publicSignals: string[];
  /** The time of the proof in seconds. */
  seconds: number;
}

export interface SignalOptions {
  /** Cancels the work. The promise rejects with an `AbortError` at once, and the threads end within some tens of milliseconds. */
  signal?: AbortSignal;
}

export interface ProveOptions extends SignalOptions {
  /** Called with a step and the fraction of it that is done, 0 to 1. Steps may overlap. An exception cancels the proof and rejects its promise. */
  onProgress?: (step: string, fraction: number) => void;
}

export interface ProverOptions {
  /** The URI of a device, `cpu:` by default. */
  device?: string;
  /** Threads of the processor, 1 to 1024; all by default. */
  threads?: number;
  /** Loads the points of the key into the device, for many proofs. */
  resident?: boolean;
  /** Verifies each proof before it is returned; true by default. */
  selfCheck?: boolean;
}

export interface CalculatorOptions {
  /** Maximum bytes of the generator's memory; 2 GiB by default. */
  maxBytes?: number;
  /** Maximum seconds of a calculation; 600 by default. */
  maxSeconds?: number;
}

/** A proving key on a device: opened once, for any number of proofs. */
export class Prover {
  private constructor();
  /** Opens a `.zkey` file of Groth16, PLONK or FFLONK. */
  static open(key: Source, options?: ProverOptions & SignalOptions): Promise<Prover>;
  readonly protocol: Protocol;
  readonly curve: Curve;
  /** The number of public signals. */
  readonly publicSignals: number;
  /** The verifying half of the key. */
  readonly verifyingKey: VerifyingKey;
  /** Returns the content of verification_key.json, as snarkjs exports it. */
  exportVerificationKey(): VerificationKey;
  /** Proves. Rejects with the code `PROOFMILL_DOES_NOT_VERIFY` if the witness does not satisfy the circuit. */
  prove(witness: Witness, options?: ProveOptions): Promise<Proved>;
  /** Calculates the witness for inputs and proves it. The witness does not enter JavaScript. */
  fullProve(input: Input, wasm: Source | WitnessCalculator, options?: ProveOptions): Promise<Proved>;
}

/** A verifying key, prepared for many proofs. */
export class VerifyingKey {
  private constructor();
  /** Opens a verification_key.json: its content, its bytes, or its path. */
  static open(key: VerificationKey | Source): Promise<VerifyingKey>;
  readonly protocol: Protocol;
  readonly curve: Curve;
  /** The number of public signals. */
  readonly publicSignals: number;
  /** Returns whether a proof is valid. Rejects if the proof or a signal is malformed, or a signal is not below r. */
  verify(publicSignals: readonly Integer[], proof: Proof): Promise<boolean>;
  /** Returns the indices of the proofs that are not valid, by one product of pairings for all. */
  findInvalid(claims: readonly { publicSignals: readonly Integer[]; proof: Proof }[]): Promise<number[]>;
}

/** A witness generator of circom 2, compiled to WebAssembly: opened once, for any number of inputs. It has no files, no network and no clock. */
export class WitnessCalculator {
  private constructor();
  /** Opens a `circuit_js/circuit.wasm`. */
  static open(wasm: Source, options?: CalculatorOptions & SignalOptions): Promise<WitnessCalculator>;
  readonly curve: Curve;
  /** The number of values of a witness. */
  readonly values: number;
  /** Calculates a witness. Returns the bytes of a `.wtns` file, which are secret. */
  calculate(input: Input, options?: SignalOptions): Promise<Buffer>;
}

/** Opens a key and proves once. Open a `Prover` for more than one proof. */
export function prove(key: Source | Prover, witness: Witness, options?: ProverOptions & ProveOptions): Promise<Proved>;

/** Calculates a witness and proves it once, with the arguments in snarkjs's order. */
export function fullProve(
  input: Input,
  wasm: Source | WitnessCalculator,
  key: Source | Prover,
  options?: ProverOptions & ProveOptions & CalculatorOptions,
): Promise<Proved>;

/** Calculates a witness. Returns the bytes of a `.wtns` file, which are secret. */
export function calculateWitness(
  wasm: Source | WitnessCalculator,
  input: Input,
  options?: CalculatorOptions & SignalOptions,
): Promise<Buffer>;

/** Returns whether a proof is valid. */
export function verify(
  verifyingKey: VerificationKey | Source | VerifyingKey,
  publicSignals: readonly Integer[],
  proof: Proof,
): Promise<boolean>;

/** Returns the URIs of the devices that can be opened on this machine. */
export function devices(): string[];

/** The version of the package. */
export const version: string;

export type ErrorCode =
  | "PROOFMILL_ARGUMENT"
  | "PROOFMILL_CANCELLED"
  | "PROOFMILL_DEVICE"
  | "PROOFMILL_DOES_NOT_VERIFY"
  | "PROOFMILL_FILE"
  | "PROOFMILL_INTERNAL"
  | "PROOFMILL_IO"
  | "PROOFMILL_TIMED_OUT"
  | "PROOFMILL_UNSUPPORTED";

/** An error of proving, verifying or reading. */
export class ProofmillError extends Error {
  constructor(fields: { message: string; code: ErrorCode; argument?: string });
  readonly code: ErrorCode;
  /** The argument that is wrong. */
  readonly argument?: string;
  /** The malformed file, or the argument that holds it, */
  readonly file?: string;
  /** its section, */
  readonly section?: string;
  /** and the byte. */
  readonly offset?: number;
}

/** The error of work that an AbortSignal has cancelled; `cause` is the signal's reason. */
export class AbortError extends Error {
  constructor(signal: AbortSignal);
  readonly code: "ABORT_ERR";
}
