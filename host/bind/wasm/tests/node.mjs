// `node node.mjs CASES` in a project with the package.

import { readFile } from "node:fs/promises";
import * as verifier from "proofmill-verifier";
import { run } from "./suite.mjs";

const cases = JSON.parse(await readFile(process.argv[2]));
const wrong = await run(verifier, cases);
console.log(wrong.join("\n"));
process.exit(wrong.length === 0 ? 0 : 1);
