// Signals, terminated workers and ended processes: a promise settles, and the process goes on.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
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
    await assert.rejects(abortIn(prover, step), { ...ABORTED, cause: "enough" });
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
  const module = createRequire(import.meta.url).resolve("proofmill");
  const worker = new Worker(code, { eval: true, workerData: { module, zkey: LARGE.zkey, wtns: LARGE.wtns } });
  await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  return worker;
}

test("workers prove at the same time, and are terminated in the middle", async () => {
  const prover = await Prover.open(LARGE.zkey);
  for (let round = 0; round < 2; round++) {
    const workers = await Promise.all([proving(), proving()]);
    const own = prover.prove(LARGE.wtns);
    await new Promise((resolve) => setTimeout(resolve, 40 * round));
    await Promise.all(workers.map((worker) => worker.terminate()));
    assert.equal((await own).publicSignals.length, prover.publicSignals);
  }
});

/** Runs a program in a process of its own, beside the package. */
function program(code) {
  const whole = `const files = ${JSON.stringify({ zkey: LARGE.zkey, wtns: LARGE.wtns })}; ${code}`;
  const options = { cwd: fileURLToPath(new URL(".", import.meta.url)), encoding: "utf8", timeout: 600_000 };
  return spawnSync(process.execPath, ["--input-type=module", "--eval", whole], options);
}

test("a process may end in the middle of a proof", () => {
  const starts = "import { Prover } from 'proofmill'; const prover = await Prover.open(files.zkey); const proofs = [1, 2, 3].map(() => prover.prove(files.wtns, { onProgress: () => ended() }));";
  const ends = {
    "by process.exit": [`${starts} function ended() { process.exit(7); }`, 7],
    "by an exception": [`${starts} function ended() { setImmediate(() => { throw new Error("of the program"); }); }`, 1],
    "by its last promise": [`${starts} function ended() {} await Promise.all(proofs);`, 0],
    "without waiting": ["import { Prover } from 'proofmill'; Prover.open(files.zkey).then((prover) => prover.prove(files.wtns)).then(() => process.exit(5));", 5],
  };
  for (const [name, [code, status]] of Object.entries(ends)) {
    const ended = program(code);
    assert.deepEqual([ended.signal, ended.status], [null, status], `${name}: ${ended.stderr}`);
  }
});

test("workers that alone load the module may end, by themselves and terminated", () => {
  const inner = (onProgress) => `
    const { parentPort, workerData } = await import("node:worker_threads");
    const { Prover } = await import("proofmill");
    const prover = await Prover.open(workerData.zkey);
    for (let i = 0; i < 3; i++) prover.prove(workerData.wtns, { onProgress: () => ${onProgress} });`;
  const code = `
    import { Worker } from "node:worker_threads";
    for (const inner of ${JSON.stringify([inner("process.exit(3)"), inner("parentPort.postMessage(1)")])}) {
      for (let i = 0; i < 3; i++) {
        const worker = new Worker(inner, { eval: true, workerData: files });
        worker.on("message", () => worker.terminate());
        await new Promise((resolve, reject) => worker.on("exit", resolve).on("error", reject));
      }
    }
    process.exit(9);`;
  const ended = program(code);
  assert.deepEqual([ended.signal, ended.status], [null, 9], ended.stderr);
});
