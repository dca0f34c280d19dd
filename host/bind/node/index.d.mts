export * from "./index.cjs";
import * as proofmill from "./index.cjs";
export default proofmill;
