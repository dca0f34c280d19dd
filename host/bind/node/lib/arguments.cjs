// Checks arguments and converts them to strings and bytes for the native half.
"use strict";

const { fileURLToPath } = require("node:url");

const { wrongType, wrongValue } = require("./errors.cjs");

/** Maximum depth of arrays and objects. */
const MAX_DEPTH = 32;
const SCALAR_BYTES = 32;
const PATH_OR_BYTES = "a path, a file: URL or a Uint8Array";

/** Returns a path or bytes of a file that is named by a string, a URL, a Buffer or a Uint8Array. */
function source(argument, value) {
  if (value instanceof Uint8Array) return unshared(value);
  if (typeof value === "string") return pathOf(argument, value);
  if (value instanceof URL) {
    try {
      return pathOf(argument, fileURLToPath(value));
    } catch (error) {
      throw error.argument ? error : wrongValue(argument, error.message);
    }
  }
  throw wrongType(argument, PATH_OR_BYTES, value);
}

function pathOf(argument, path) {
  if (path === "") throw wrongValue(argument, "an empty path");
  if (path.includes("\0")) throw wrongValue(argument, "a path with a zero byte");
  return path;
}

/** Copies bytes of shared memory, which other threads may change. */
function unshared(bytes) {
  return bytes.buffer instanceof ArrayBuffer ? bytes : Uint8Array.prototype.slice.call(bytes);
}

function isSource(value) {
  return typeof value === "string" || value instanceof URL || value instanceof Uint8Array;
}

/** Returns a value as JSON. BigInts become strings; numbers must be integers, and become their exact value. */
function json(argument, value) {
  const parts = [];
  write(argument, value, MAX_DEPTH, parts);
  try {
    return parts.join("");
  } catch {
    throw wrongValue(argument, "too long as JSON");
  }
}

function write(place, value, depth, parts) {
  switch (typeof value) {
    case "string":
      parts.push(JSON.stringify(value));
      return;
    case "bigint":
      parts.push(`"${value}"`);
      return;
    case "boolean":
      parts.push(String(value));
      return;
    case "number":
      if (!Number.isInteger(value)) throw wrongValue(place, "a number that is not an integer");
      parts.push(String(BigInt(value)));
      return;
    case "object":
      if (value !== null && !ArrayBuffer.isView(value)) break;
    // falls through
    default:
      throw wrongType(place, "an integer (number, bigint or string), a boolean, an array or an object", value);
  }
  if (depth === 0) throw wrongValue(place, `nested more than ${MAX_DEPTH} levels deep`);
  if (Array.isArray(value)) {
    parts.push("[");
    for (let i = 0; i < value.length; i++) {
      if (i > 0) parts.push(",");
      write(`${place}[${i}]`, value[i], depth - 1, parts);
    }
    parts.push("]");
    return;
  }
  parts.push("{");
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.forEach(([key, member], i) => {
    parts.push(`${i > 0 ? "," : ""}${JSON.stringify(key)}:`);
    write(`${place}.${key}`, member, depth - 1, parts);
  });
  parts.push("}");
}

/** Calls a function with the bytes of a text, which are overwritten afterwards. */
function withBytes(text, use) {
  const bytes = Buffer.from(text);
  try {
    return use(bytes);
  } finally {
    bytes.fill(0);
  }
}

/** Calls a function with inputs of a circuit: a file of JSON, its bytes, or the bytes of an object's JSON. */
function withInput(value, use) {
  if (isSource(value)) return use(source("input", value));
  return withBytes(json("input", object("input", value)), use);
}

/** Calls a function with a witness: whether the bytes are bare values, and a path or bytes. */
function withWitness(witness, use) {
  if (isSource(witness)) return use(false, source("witness", witness));
  if (!Array.isArray(witness)) {
    throw wrongType("witness", `${PATH_OR_BYTES} of a .wtns file, an array of integers, or { wasm, input }`, witness);
  }
  const bytes = Buffer.alloc(witness.length * SCALAR_BYTES);
  try {
    for (let i = 0; i < witness.length; i++) scalar(`witness[${i}]`, witness[i], bytes.subarray(i * SCALAR_BYTES));
    return use(true, bytes);
  } finally {
    bytes.fill(0);
  }
}

/** Writes an integer from 0 to 2^256 - 1, little-endian. */
function scalar(place, value, into) {
  const number = integer(place, value);
  if (number < 0n || number >> 256n) throw wrongValue(place, "not an integer from 0 to 2^256 - 1");
  for (let i = 0; i < 4; i++) into.writeBigUInt64LE(BigInt.asUintN(64, number >> BigInt(64 * i)), 8 * i);
}

/** Returns an integer of a number, a bigint or a string as a BigInt. */
function integer(place, value) {
  if (typeof value === "bigint") return value;
  if (typeof value === "number" || (typeof value === "string" && value.trim() !== "")) {
    try {
      return BigInt(value);
    } catch {
      throw wrongValue(place, "not an integer");
    }
  }
  throw wrongType(place, "an integer (number, bigint or string)", value);
}

/** Returns an object that is neither an array nor bytes. */
function object(argument, value) {
  if (typeof value !== "object" || value === null || Array.isArray(value) || ArrayBuffer.isView(value)) {
    throw wrongType(argument, "an object", value);
  }
  return value;
}

/** Returns the options with these names; others are an error. */
function options(value, names) {
  if (value === undefined) return {};
  object("options", value);
  for (const name of Object.keys(value)) {
    if (!names.includes(name)) throw wrongValue(`options.${name}`, `no option; there are ${names.join(", ")}`);
  }
  return value;
}

function option(name, value, type) {
  if (value !== undefined && typeof value !== type) throw wrongType(`options.${name}`, `a ${type}`, value);
  return value;
}

/** Returns a number of an option that is an integer of this range. */
function count(name, value, least, most) {
  option(name, value, "number");
  if (value !== undefined && !(Number.isInteger(value) && value >= least && value <= most)) {
    throw wrongValue(`options.${name}`, `not an integer from ${least} to ${most}`);
  }
  return value;
}

module.exports = { count, integer, isSource, json, object, option, options, source, withInput, withWitness };
