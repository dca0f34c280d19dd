// Compiled only: the types of `import`.
import proofmill, { AbortError, Prover, ProofmillError, VerifyingKey, WitnessCalculator, calculateWitness, devices, fullProve, prove, verify, version } from "proofmill";
import type { Proof, Proved, VerificationKey } from "proofmill";
import * as snarkjs from "proofmill/snarkjs";
import { fflonk, groth16, plonk, wtns, zKey } from "proofmill/snarkjs";

export async function all(key: VerificationKey): Promise<Proof> {
  const prover: Prover = await Prover.open("circuit.zkey", { device: "cpu:", threads: 2, resident: true, selfCheck: false });
  const calculator: WitnessCalculator = await WitnessCalculator.open(new URL("file:///circuit.wasm"), { maxBytes: 1e9, maxSeconds: 5 });
  const { signal } = new AbortController();
  const proved: Proved = await prover.prove(Buffer.from(""), { signal, onProgress: (step: string, part: number) => void [step, part] });
  await prover.prove({ wasm: calculator, input: { a: 1n, b: ["2", 3, true], c: [{ x: 4 }] } });
  await prover.prove([1n, "2", 3]);
  await prover.fullProve({ a: 1 }, "circuit.wasm");
  await fullProve({ a: 1 }, calculator, prover, { threads: 1, maxSeconds: 1, signal });
  await prove(new Uint8Array(1), await calculateWitness("circuit.wasm", { a: 1 }));
  const opened: VerifyingKey = await VerifyingKey.open(key);
  const invalid: number[] = await opened.findInvalid([proved]);
  const valid: boolean = await verify(opened, proved.publicSignals, proved.proof);
  const names: string[] = [...devices(), version, prover.curve, prover.protocol, proofmill.version, String(valid), String(invalid.length)];
  try {
    await prover.prove("witness.wtns");
  } catch (error) {
    if (error instanceof ProofmillError && error.code === "PROOFMILL_FILE") names.push(error.file ?? "", error.argument ?? "", String(error.offset));
    if (error instanceof AbortError) names.push(error.code);
  }
  await groth16.fullProve({ a: 1 }, "circuit.wasm", { type: "mem", data: new Uint8Array(1) }, undefined, undefined, { singleThread: true });
  const calldata: string = await plonk.exportSolidityCallData(proved.proof, proved.publicSignals);
  const { proof, publicSignals } = await snarkjs.fflonk.prove("circuit.zkey", "witness.wtns");
  await fflonk.exportSolidityCallData(publicSignals, proof);
  await wtns.calculate({ a: 1 }, "circuit.wasm", { type: "mem" });
  await fflonk.verify(await zKey.exportVerificationKey("circuit.zkey"), [calldata], proof);

  // @ts-expect-error: fflonk has the other order
  await fflonk.exportSolidityCallData(proof, publicSignals);
  // @ts-expect-error: a function is no input
  await prover.fullProve({ a: () => 1 }, calculator);
  // @ts-expect-error: no such option
  await Prover.open("circuit.zkey", { thread: 1 });
  // @ts-expect-error: a number is no key
  await Prover.open(5);
  // @ts-expect-error: no public constructor
  new Prover();
  return proved.proof;
}
