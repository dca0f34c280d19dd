// Verifies the proofs of cases.json. Runs in Node and in a browser: `run` takes the package and returns lines about what is wrong.

// What a verification comes to: true, false, or the argument that an error names.
function outcome(verifier, { key, publicSignals, proof }) {
  try {
    return verifier.verify(key, publicSignals, proof);
  } catch (error) {
    if (error.name !== "ProofmillError" || !error.message || !["PROOFMILL_FILE", "PROOFMILL_ARGUMENT"].includes(error.code)) {
      return `${error.name}: ${error.message}`;
    }
    return error.argument;
  }
}

function expectThrown(wrong, what, work, parts) {
  try {
    work();
    wrong.push(`${what}: no error`);
  } catch (error) {
    for (const [name, value] of Object.entries(parts)) {
      if (error[name] !== value) wrong.push(`${what}: ${name} is ${error[name]}, not ${value}: ${error.message}`);
    }
  }
}

export async function run({ load, verify, ProofmillError }, cases) {
  const wrong = [];
  const verifier = await load();
  for (const { name, expected, ...texts } of cases) {
    const found = outcome(verifier, texts);
    if (found !== expected) wrong.push(`${name}: ${found}, not ${expected}`);
  }
  const { key, publicSignals, proof } = cases[0];
  const parsed = [key, publicSignals, proof].map((text) => JSON.parse(text));
  const encoded = [key, publicSignals, proof].map((text) => new TextEncoder().encode(text));
  if (!(await verify(...parsed)) || !(await verify(...encoded))) wrong.push("objects and bytes differ from texts");
  if (!(await verify(parsed[0], parsed[1].map(BigInt), parsed[2]))) wrong.push("BigInts differ from texts");
  expectThrown(wrong, "undefined", () => verifier.verify(key, undefined, proof), { name: "TypeError", code: "ERR_INVALID_ARG_TYPE", argument: "publicSignals" });
  expectThrown(wrong, "null", () => verifier.verify(null, publicSignals, proof), { name: "TypeError", argument: "verifyingKey" });
  const circular = [];
  circular.push(circular);
  expectThrown(wrong, "circular", () => verifier.verify(key, circular, proof), { name: "TypeError", argument: "publicSignals" });
  expectThrown(wrong, "no JSON", () => verifier.verify(key, publicSignals, "{"), { code: "PROOFMILL_FILE", argument: "proof", section: "JSON", offset: 0 });
  expectThrown(wrong, "empty", () => verifier.verify("", publicSignals, proof), { code: "PROOFMILL_FILE", argument: "verifyingKey" });
  expectThrown(wrong, "too long", () => verifier.verify(key, publicSignals, " ".repeat(1 << 20)), { code: "PROOFMILL_FILE", argument: "proof" });
  expectThrown(wrong, "deep", () => verifier.verify(key, publicSignals, "[".repeat(60000)), { code: "PROOFMILL_FILE", argument: "proof" });
  if (!verifier.verify(key, publicSignals, proof)) wrong.push("no verification after errors");
  await verify(key, publicSignals, "[]").then(() => wrong.push("no error"), (error) => error instanceof ProofmillError || wrong.push(String(error)));
  return wrong;
}
