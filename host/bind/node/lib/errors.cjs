// Errors. Each has a `code`, and an `argument` if one is wrong.
"use strict";

/** An error of proving, verifying or reading: `code`, `argument`, and for a malformed file `file`, `section` and `offset`. */
class ProofmillError extends Error {
  constructor({ message, ...rest }) {
    super(message);
    for (const [key, value] of Object.entries(rest)) {
      if (value !== undefined && value !== null) this[key] = value;
    }
  }
}
Object.defineProperty(ProofmillError.prototype, "name", { value: "ProofmillError", configurable: true, writable: true });

/** The error of work that an AbortSignal has cancelled, as in Node's own functions. */
class AbortError extends Error {
  constructor(signal) {
    super("The operation was aborted", { cause: signal.reason });
    this.code = "ABORT_ERR";
  }
}
Object.defineProperty(AbortError.prototype, "name", { value: "AbortError", configurable: true, writable: true });

/** Returns a TypeError about an argument of a wrong type. */
function wrongType(argument, expected, value) {
  const message = `${argument}: ${expected} is expected, not ${shown(value)}`;
  return Object.assign(new TypeError(message), { code: "ERR_INVALID_ARG_TYPE", argument });
}

/** Returns an error about an argument of a wrong value. */
function wrongValue(argument, problem) {
  return new ProofmillError({ code: "PROOFMILL_ARGUMENT", argument, message: `${argument}: ${problem}` });
}

/** Describes a value by its type. The value itself may be secret. */
function shown(value) {
  if (value === null || value === undefined) return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  let name;
  try {
    name = value.constructor?.name;
  } catch {
    name = undefined;
  }
  return typeof name === "string" && name !== "" ? `an object of the class ${name}` : "an object";
}

module.exports = { AbortError, ProofmillError, wrongType, wrongValue };
