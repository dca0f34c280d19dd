// The names of snarkjs.cjs for `import`.
import snarkjs from "./snarkjs.cjs";

export const { fflonk, groth16, plonk, wtns, zKey } = snarkjs;
export default snarkjs;
