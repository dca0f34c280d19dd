// Loads the native half of the package: `native/<platform>-<architecture>.node`.
"use strict";

const path = require("node:path");

/** The path of the native half for this platform. */
const file = path.join(__dirname, "..", "native", `${process.platform}-${process.arch}.node`);

function load() {
  try {
    return require(file);
  } catch (cause) {
    const remedy = "`npm rebuild proofmill` builds it in a source checkout, with Rust 1.89 or newer and a C linker";
    throw Object.assign(new Error(`proofmill: cannot load ${file}: ${cause.message}; ${remedy}`, { cause }), { code: "PROOFMILL_NATIVE" });
  }
}

module.exports = { file, load };
