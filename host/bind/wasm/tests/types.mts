// Compiled only: the types of the package.
import { ProofmillError, load, verify } from "proofmill-verifier";
import type { Verifier } from "proofmill-verifier";

export async function all(key: object, module: WebAssembly.Module): Promise<boolean> {
  const verifier: Verifier = await load();
  await load(new Uint8Array(1));
  await load(module);
  try {
    return verifier.verify(key, ["1"], "{}") && (await verify(new Uint8Array(1), "[]", {}));
  } catch (error) {
    return error instanceof ProofmillError && error.argument === "proof" && error.offset === 1;
  }
}
