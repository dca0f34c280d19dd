// Runs jobs of the native half as promises, with signals and progress.
"use strict";

const { AbortError, ProofmillError, wrongType } = require("./errors.cjs");

/** Returns the signal and the progress callback of options, checked. */
function control({ signal, onProgress }) {
  if (signal !== undefined && !isSignal(signal)) throw wrongType("options.signal", "an AbortSignal", signal);
  if (onProgress !== undefined && typeof onProgress !== "function") throw wrongType("options.onProgress", "a function", onProgress);
  if (signal?.aborted) throw new AbortError(signal);
  return { signal, onProgress };
}

function isSignal(value) {
  return typeof value === "object" && value !== null && typeof value.aborted === "boolean" && typeof value.addEventListener === "function";
}

/** Returns the exception for an error of the native half. */
function errorOf({ file, section, offset, ...rest }) {
  return new ProofmillError(file ? { ...rest, file, section, offset } : rest);
}

/**
 * Starts a job: `begin` receives the callback and returns the job. The promise has the value that the job has under `name`. The signal, or an
 * exception of the progress callback, rejects it at once and cancels the job.
 */
function run(name, { signal, onProgress }, begin) {
  return new Promise((resolve, reject) => {
    let job;
    let settled = false;
    const settle = (settler, value) => {
      if (settled) return;
      settled = true;
      signal?.removeEventListener("abort", abort);
      settler(value);
    };
    const cancel = (error) => {
      settle(reject, error);
      job?.cancel();
    };
    const abort = () => cancel(new AbortError(signal));
    job = begin((step, fraction) => {
      if (step === undefined || step === null) {
        const outcome = job.take();
        if (outcome.error) settle(reject, errorOf(outcome.error));
        else settle(resolve, outcome[name]);
      } else if (onProgress && !settled) {
        try {
          onProgress(step, fraction);
        } catch (error) {
          cancel(error);
        }
      }
    });
    signal?.addEventListener("abort", abort, { once: true });
  });
}

module.exports = { control, run };
