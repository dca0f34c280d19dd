// Compiled only: the types of `require`.
import proofmill = require("proofmill");
import snarkjs = require("proofmill/snarkjs");

export async function all(): Promise<string> {
  const prover: proofmill.Prover = await proofmill.Prover.open("circuit.zkey");
  const { proof, publicSignals }: proofmill.Proved = await prover.prove("witness.wtns");
  // @ts-expect-error: signals are an array
  await proofmill.verify("verification_key.json", "1", proof);
  return snarkjs.groth16.exportSolidityCallData(proof, publicSignals);
}
