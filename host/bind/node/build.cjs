// Runs at `npm install`: nothing if the package has the native half for this platform, else a build from the source checkout.
// `node build.cjs --again` builds in any case.
"use strict";

const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const { file } = require("./lib/native.cjs");

const ROOT = path.join(__dirname, "..", "..", "..");
const LIBRARIES = { darwin: "libproofmill_node.dylib", win32: "proofmill_node.dll" };

function fail(problem) {
  console.error(`proofmill: ${problem}`);
  process.exit(1);
}

function build() {
  if (!fs.existsSync(path.join(__dirname, "Cargo.toml"))) {
    fail(`this package has no native half for ${process.platform}-${process.arch}; install it from a source checkout (host/bind/node)`);
  }
  console.error("proofmill: compiling the native half, some minutes");
  const cargo = spawnSync("cargo", ["build", "--release", "--locked", "--package", "proofmill-node"], { cwd: ROOT, stdio: "inherit" });
  if (cargo.error) fail(`cannot run cargo (${cargo.error.code}): the build needs Rust 1.89 or newer and a C linker`);
  if (cargo.status !== 0) fail("cargo failed: the build needs Rust 1.89 or newer and a C linker");
  const target = path.resolve(ROOT, process.env.CARGO_TARGET_DIR ?? "target");
  const library = path.join(target, "release", LIBRARIES[process.platform] ?? "libproofmill_node.so");
  fs.mkdirSync(path.dirname(file), { recursive: true });
  // Renamed into place: a process may have the old file mapped.
  fs.copyFileSync(library, `${file}.new`);
  fs.renameSync(`${file}.new`, file);
}

if (process.argv.includes("--again") || !fs.existsSync(file)) build();
