// The names of index.cjs for `import`. There is one module for both, so that classes are the same.
import proofmill from "./index.cjs";

export const {
  AbortError,
  Prover,
  ProofmillError,
  VerifyingKey,
  WitnessCalculator,
  calculateWitness,
  devices,
  fullProve,
  prove,
  verify,
  version,
} = proofmill;
export default proofmill;
