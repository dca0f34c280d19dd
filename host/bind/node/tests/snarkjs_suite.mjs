// Runs the Groth16 and PLONK parts of snarkjs's own test suite against `proofmill/snarkjs`: `node snarkjs_suite.mjs CHECKOUT PACKAGE`.
//
// CHECKOUT is a checkout of snarkjs's sources with its dependencies in `node_modules`; PACKAGE is the installed package. test/fullprocess.js is
// executed as it is, but for the import of snarkjs: there the functions of `proofmill/snarkjs` replace those of the same names. Setup and
// ceremony remain snarkjs's. snarkjs is GPL-3: nothing of it is part of proofmill.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";

const [checkout, installed] = process.argv.slice(2).map((name) => path.resolve(name));
const here = path.join(checkout, "test");
const merged = path.join(here, "proofmill_main.mjs");
const suite = path.join(here, "proofmill_fullprocess.mjs");
const ours = pathToFileURL(path.join(installed, "snarkjs.mjs"));

writeFileSync(merged, `
import * as snarkjs from "../main.js";
import * as ours from ${JSON.stringify(ours.href)};
export * from "../main.js";
export const counts = {};
function counted(part, theirs) {
  const replaced = Object.entries(ours[part]).map(([name, own]) => [name, (...given) => {
    counts[part + "." + name] = (counts[part + "." + name] ?? 0) + 1;
    return own(...given);
  }]);
  return { ...theirs, ...Object.fromEntries(replaced) };
}
export const groth16 = counted("groth16", snarkjs.groth16);
export const plonk = counted("plonk", snarkjs.plonk);
export const wtns = counted("wtns", snarkjs.wtns);
export const zKey = counted("zKey", snarkjs.zKey);
`);
writeFileSync(suite, readFileSync(path.join(here, "fullprocess.js"), "utf8").replaceAll("../main.js", "./proofmill_main.mjs"));
process.chdir(checkout);
// mocha's names; its context has a time limit, which these tests set to none.
Object.assign(globalThis, { it, before, after, describe: (name, body) => describe(name, () => body.call({ timeout() {} })) });
await import(pathToFileURL(suite));
after(async () => {
  const { counts } = await import(pathToFileURL(merged));
  console.log(`calls of proofmill: ${JSON.stringify(counts)}`);
  rmSync(merged);
  rmSync(suite);
});
