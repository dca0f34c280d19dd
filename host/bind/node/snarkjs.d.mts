export * from "./snarkjs.cjs";
import * as snarkjs from "./snarkjs.cjs";
export default snarkjs;
