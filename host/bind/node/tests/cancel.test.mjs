// Signals, terminated workers and ended processes: a promise settles, and the process goes on.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { Worker } from "node:worker_threads";

import { AbortError, Prover, fullProve, prove } from "proofmill";

import { GROTH16, INPUT, LARGE } from "./setting.mjs";

const ABORTED = { name: "AbortError", code: "ABORT_ERR" };

/** Aborts a proof in this step. */
function abortIn(prover, step) {
  const controller = new AbortController();
  const onProgress = (name) => name === step && controller.abort("enough");
  return prover.prove(LARGE.wtns, { signal: controller.signal, onProgress });
}

test("a signal cancels a proof in any step", async () => {
  const prover = await Prover.open(LARGE.zkey);
  for (const step of ["rows", "quotient", "MSM A", "MSM H"]) {
    const start = performance.now();
    await assert.rejects(abortIn(prover, step), { ...ABORTED, cause: "enough" });
    assert.ok(performance.now() - start < 10_000);
  }
  assert.equal((await prover.prove(LARGE.wtns)).publicSignals.length, prover.publicSignals);
});

test("a signal that was aborted before starts nothing", async () => {
  const prover = await Prover.open(GROTH16.zkey);
  const signal = AbortSignal.abort();
  const rejected = [
    prover.prove(GROTH16.wtns, { signal }),
    prover.fullProve(INPUT, GROTH16.wasm, { signal }),
    prove(GROTH16.zkey, GROTH16.wtns, { signal }),
    fullProve(INPUT, GROTH16.wasm, GROTH16.zkey, { signal }),
    Prover.open(GROTH16.zkey, { signal }),
  ];
  for (const promise of rejected) await assert.rejects(promise, (error) => error instanceof AbortError && error.code === "ABORT_ERR");
});

test("a signal cancels proofs that wait, and leaves others", async () => {
  const prover = await Prover.open(LARGE.zkey);
  const controller = new AbortController();
  const cancelled = Array.from({ length: 30 }, () => prover.prove(LARGE.wtns, { signal: controller.signal }));
  const other = prover.prove(LARGE.wtns);
  controller.abort();
  for (const { status, reason } of await Promise.allSettled(cancelled)) assert.deepEqual([status, reason.name], ["rejected", "AbortError"]);
  assert.equal((await other).publicSignals.length, prover.publicSignals);
});

test("an exception of the progress callback rejects the proof", async () => {
  const prover = await Prover.open(LARGE.zkey);
  const problem = new Error("of the callback");
  const onProgress = () => {
    throw problem;
  };
  await assert.rejects(prover.prove(LARGE.wtns, { onProgress }), problem);
});

/** Runs a worker that starts proofs, and returns when it reports the first progress. */
async function proving() {
  const code = `
    const { parentPort, workerData } = require("node:worker_threads");
    const { Prover } = require(workerData.module);
    Prover.open(workerData.zkey).then((prover) => {
      const onProgress = () => parentPort.postMessage("progress");
      for (let i = 0; i < 5; i++) prover.prove(workerData.wtns, { onProgress });
    });`;
  const { createRequire } = await import("node:module");
  const module = createRequire(import.meta.url).resolve("proofmill");
  const worker = new Worker(code, { eval: true, workerData: { module, zkey: LARGE.zkey, wtns: LARGE.wtns } });
  await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  return worker;
}

test("workers prove at the same time, and are terminated in the middle", async () => {
  const prover = await Prover.open(LARGE.zkey);
  for (let round = 0; round < 4; round++) {
    const workers = await Promise.all([proving(), proving()]);
    const own = prover.prove(LARGE.wtns);
    await new Promise((resolve) => setTimeout(resolve, 40 * round));
    await Promise.all(workers.map((worker) => worker.terminate()));
    assert.equal((await own).publicSignals.length, prover.publicSignals);
  }
});

/** Runs a program with the package in a process of its own. */
function program(code) {
  const files = JSON.stringify({ zkey: LARGE.zkey, wtns: LARGE.wtns });
  const whole = `import { Prover } from "proofmill"; import { Worker } from "node:worker_threads"; const files = ${files}; ${code}`;
  return spawnSync(process.execPath, ["--input-type=module", "--eval", whole], { cwd: import.meta.dirname ?? new URL(".", import.meta.url).pathname, encoding: "utf8", timeout: 60_000 });
}

test("a process may end in the middle of a proof", () => {
  const starts = "const prover = await Prover.open(files.zkey); const proofs = [1, 2, 3].map(() => prover.prove(files.wtns, { onProgress: () => ended() }));";
  const ends = {
    "by process.exit": [`${starts} function ended() { process.exit(7); }`, 7],
    "by an exception": [`${starts} function ended() { setImmediate(() => { throw new Error("of the program"); }); }`, 1],
    "by its last promise": [`${starts} function ended() {} await Promise.all(proofs);`, 0],
    "without waiting": ["Prover.open(files.zkey).then((prover) => prover.prove(files.wtns)).then(() => process.exit(5));", 5],
  };
  for (const [name, [code, status]] of Object.entries(ends)) {
    const ended = program(code);
    assert.deepEqual([ended.signal, ended.status], [null, status], `${name}: ${ended.stderr}`);
  }
});

test("a worker that only it loads the module may end", () => {
  const inner = 'const { Prover } = require("proofmill"); Prover.open(process.env.ZKEY).then((prover) => prover.prove(process.env.WTNS, { onProgress: () => process.exit(0) }));';
  const code = `process.env.ZKEY = files.zkey; process.env.WTNS = files.wtns; for (let i = 0; i < 3; i++) await new Promise((resolve) => new Worker(${JSON.stringify(inner)}, { eval: true }).once("exit", resolve)); process.exit(9);`;
  const ended = program(code.replace("", ""));
  assert.deepEqual([ended.signal, ended.status], [null, 9], ended.stderr);
});
