// proofmill for Node: proofs with the files of circom and snarkjs. index.d.cts documents the interface.
"use strict";

const { count, integer, isSource, json, object, option, options, source, withInput, withWitness } = require("./lib/arguments.cjs");
const { AbortError, ProofmillError, wrongType, wrongValue } = require("./lib/errors.cjs");
const { control, run } = require("./lib/jobs.cjs");
const native = require("./lib/native.cjs").load();

const CONTROL = ["signal", "onProgress"];
const PROVER = ["device", "threads", "resident", "selfCheck"];
const LIMITS = ["maxBytes", "maxSeconds"];
const MAX_THREADS = 1024;
/** The argument of constructors that only this module has. */
const OWN = Symbol("proofmill");

function own(key, name) {
  if (key !== OWN) throw Object.assign(new TypeError(`${name} has no public constructor: use ${name}.open`), { code: "ERR_ILLEGAL_CONSTRUCTOR" });
}

function pick(given, names) {
  return Object.fromEntries(names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]));
}

/** Returns the native half of a calculator, for provers. */
let nativeOf;

class WitnessCalculator {
  #native;

  constructor(key, calculator) {
    own(key, "WitnessCalculator");
    this.#native = calculator;
  }

  static async open(wasm, given) {
    const opened = options(given, [...LIMITS, "signal"]);
    const file = source("wasm", wasm);
    const bytes = count("maxBytes", opened.maxBytes, 1, 2 ** 32);
    const seconds = option("maxSeconds", opened.maxSeconds, "number");
    if (seconds !== undefined && !(seconds > 0 && seconds <= 1e9)) throw wrongValue("options.maxSeconds", "not a number above 0, up to 10^9");
    const calculator = await run("calculator", control(opened), (callback) => native.openCalculator(file, bytes, seconds, callback));
    return new WitnessCalculator(OWN, calculator);
  }

  get curve() {
    return this.#native.curve;
  }

  get values() {
    return this.#native.values;
  }

  async calculate(input, given) {
    const checked = control(options(given, ["signal"]));
    return withInput(input, (bytes) => run("witness", checked, (callback) => this.#native.calculate(bytes, callback)));
  }

  static {
    nativeOf = (calculator) => calculator.#native;
  }
}

async function calculatorOf(wasm, given) {
  return wasm instanceof WitnessCalculator ? wasm : WitnessCalculator.open(wasm, pick(given, [...LIMITS, "signal"]));
}

class VerifyingKey {
  #native;

  constructor(key, verifying) {
    own(key, "VerifyingKey");
    this.#native = verifying;
  }

  static async open(key) {
    const file = isSource(key) ? source("verifyingKey", key) : Buffer.from(json("verifyingKey", object("verifyingKey", key)));
    return new VerifyingKey(OWN, await run("verifyingKey", {}, (callback) => native.openVerifyingKey(file, callback)));
  }

  get protocol() {
    return this.#native.protocol;
  }

  get curve() {
    return this.#native.curve;
  }

  get publicSignals() {
    return this.#native.publicSignals;
  }

  async verify(publicSignals, proof) {
    const claim = claimOf("", this.publicSignals, publicSignals, proof);
    return run("valid", {}, (callback) => this.#native.verify(claim, callback));
  }

  async findInvalid(claims) {
    if (!Array.isArray(claims)) throw wrongType("claims", "an array of { publicSignals, proof }", claims);
    const texts = Array.from(claims, (claim, i) => {
      const { publicSignals, proof } = object(`claims[${i}]`, claim);
      return claimOf(`claims[${i}].`, this.publicSignals, publicSignals, proof);
    });
    return run("numbers", {}, (callback) => this.#native.findInvalid(texts, callback));
  }
}

/** Returns the texts of so many public signals and a proof, under a prefix of their names. */
function claimOf(prefix, count, publicSignals, proof) {
  const name = `${prefix}publicSignals`;
  if (!Array.isArray(publicSignals)) throw wrongType(name, "an array of integers", publicSignals);
  if (publicSignals.length !== count) throw wrongValue(name, `${publicSignals.length} values, the key is for ${count}`);
  const signals = Array.from(publicSignals, (value, i) => integer(`${name}[${i}]`, value));
  return { publicSignals: json("", signals), proof: json(`${prefix}proof`, object(`${prefix}proof`, proof)) };
}

class Prover {
  #native;

  constructor(key, prover) {
    own(key, "Prover");
    this.#native = prover;
  }

  static async open(key, given) {
    const opened = options(given, [...PROVER, "signal"]);
    const file = source("key", key);
    const device = option("device", opened.device, "string") ?? "cpu:";
    const threads = count("threads", opened.threads, 1, MAX_THREADS);
    const resident = option("resident", opened.resident, "boolean") ?? false;
    const selfCheck = option("selfCheck", opened.selfCheck, "boolean") ?? true;
    const begin = (callback) => native.openProver(file, device, threads, resident, selfCheck, callback);
    return new Prover(OWN, await run("prover", control(opened), begin));
  }

  get protocol() {
    return this.#native.protocol;
  }

  get curve() {
    return this.#native.curve;
  }

  get publicSignals() {
    return this.#native.publicSignals;
  }

  get verifyingKey() {
    return new VerifyingKey(OWN, this.#native.verifyingKey());
  }

  exportVerificationKey() {
    return JSON.parse(this.#native.verificationKey());
  }

  async prove(witness, given) {
    if (isInputs(witness)) return this.fullProve(witness.input, witness.wasm, given);
    const checked = control(options(given, CONTROL));
    const begin = (isValues, bytes) => run("proof", checked, (callback) => this.#native.prove(isValues, bytes, callback));
    return proved(await withWitness(witness, begin));
  }

  async fullProve(input, wasm, given) {
    const checked = control(options(given, CONTROL));
    const calculator = nativeOf(await calculatorOf(wasm, checked));
    const begin = (bytes) => run("proof", control(checked), (callback) => this.#native.fullProve(calculator, bytes, callback));
    return proved(await withInput(input, begin));
  }
}

function isInputs(witness) {
  return typeof witness === "object" && witness !== null && !isSource(witness) && !Array.isArray(witness) && "wasm" in witness && "input" in witness;
}

/** Parses the texts of a proof. */
function proved({ proof, publicSignals, seconds }) {
  return { proof: JSON.parse(proof), publicSignals: JSON.parse(publicSignals), seconds };
}

async function proverOf(key, given) {
  return key instanceof Prover ? key : Prover.open(key, pick(given, [...PROVER, "signal"]));
}

async function prove(key, witness, given) {
  const checked = options(given, [...PROVER, ...CONTROL]);
  control(checked);
  return (await proverOf(key, checked)).prove(witness, pick(checked, CONTROL));
}

async function fullProve(input, wasm, key, given) {
  const checked = options(given, [...PROVER, ...CONTROL, ...LIMITS]);
  control(checked);
  const calculator = await calculatorOf(wasm, checked);
  return (await proverOf(key, checked)).fullProve(input, calculator, pick(checked, CONTROL));
}

async function calculateWitness(wasm, input, given) {
  const checked = options(given, [...LIMITS, "signal"]);
  return (await calculatorOf(wasm, checked)).calculate(input, pick(checked, ["signal"]));
}

async function verify(verifyingKey, publicSignals, proof) {
  const key = verifyingKey instanceof VerifyingKey ? verifyingKey : await VerifyingKey.open(verifyingKey);
  return key.verify(publicSignals, proof);
}

module.exports = {
  AbortError,
  Prover,
  ProofmillError,
  VerifyingKey,
  WitnessCalculator,
  calculateWitness,
  devices: () => native.devices(),
  fullProve,
  prove,
  verify,
  version: native.version(),
};
