"""The npm package as its users have it: the tarball of `make dist` in a new folder, beside snarkjs and the compiler of TypeScript."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "interop")]

import artifacts  # noqa: E402
import circuits  # noqa: E402
import dist  # noqa: E402
import host  # noqa: E402
import node_packages  # noqa: E402
from memory_scan import remaining_in  # noqa: E402
from place import PRODUCTS, TARGET, run  # noqa: E402
from programs import PACKAGES, done, proofmill  # noqa: E402

PACKAGE = HERE.parent
QUIET = ["--offline", "--no-audit", "--no-fund", "--loglevel=error"]

def examples():
    """The JavaScript of docs/use/node.md."""
    return re.findall(r"^```js\n(.*?)^```", (ROOT / "docs/use/node.md").read_text(), re.S | re.M)


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        host.build_products()
        triple = dist.target()
        cls.library = dist.node_library(PRODUCTS, triple)
        cls.site, cls.data = TARGET / "test/node/site", TARGET / "test/node/data"
        shutil.rmtree(cls.site.parent, ignore_errors=True)
        cls.site.mkdir(parents=True)
        tarball = cls.site.parent / "proofmill.tgz"
        artifacts.pack(tarball, "package", dist.node_contents(cls.library, triple, "of a test"))
        run(["npm", "install", *QUIET, "--prefix", cls.site, tarball])
        cls.make_circuits()
        cls.environment = {**os.environ, "PROOFMILL_TEST_DATA": str(cls.data), "PROOFMILL_NODE_PACKAGES": str(PACKAGES.parent)}

    @classmethod
    def make_circuits(cls):
        values = {"secret": "3", "addend": "5"}
        for protocol, power in ("groth16", 10), ("plonk", 11), ("fflonk", 14):
            folder = cls.data / protocol
            folder.mkdir(parents=True)
            circuits.compiled(folder, "squares", values, power, protocol=protocol)
        shutil.copytree(ROOT / "host/proof/tests/snarkjs/plonk_bls12_381", cls.data / "plonk_bls12_381")
        done(proofmill("dev", "circuit", "sha256", "--constraints", 12000, "--out", cls.data / "large"))

    def test_the_installed_package(self):
        tests = sorted(HERE.glob("*.test.mjs"))
        for path in [HERE / "setting.mjs", *tests]:
            shutil.copy(path, self.site)
        result = subprocess.run(["node", "--test", *(path.name for path in tests)], cwd=self.site, env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        passed, failed = (int(re.search(rf"^\W*{word} (\d+)$", result.stdout, re.M)[1]) for word in ("pass", "fail"))
        print(*re.findall(r"ran \d+ proofs.*", result.stdout), f"Node: {passed} tests passed, {failed} failed", sep="\n")
        self.assertEqual((result.returncode, failed), (0, 0), result.stdout)
        self.assertGreater(passed, 60)

    def test_types_of_both_kinds_of_modules(self):
        packages = node_packages.folder(node_packages.TYPESCRIPT) / "node_modules"
        for name in ("types.mts", "types.cts"):
            shutil.copy(HERE / name, self.site)
        run(["node", packages / "typescript/bin/tsc", "--noEmit", "--strict", "--module", "nodenext", "--target", "es2022",
             "--types", "node", "--typeRoots", packages / "@types", "types.mts", "types.cts"], cwd=self.site)

    def test_the_examples_of_the_page(self):
        found = examples()
        self.assertGreaterEqual(len(found), 2)
        folder = self.site / "examples"
        folder.mkdir()
        for name, path in {"circuit.zkey": "circuit.zkey", "circuit.wasm": "squares_js/squares.wasm", "verification_key.json": "vkey.json", "witness.wtns": "witness.wtns"}.items():
            shutil.copy(self.data / "groth16" / path, folder / name)
        for number, text in enumerate(found):
            program = folder / f"example{number}.mjs"
            program.write_text(text)
            run(["node", program], cwd=folder)

    def test_no_value_of_a_witness_remains(self):
        """After proofs from inputs; where JavaScript holds the witness, the scan finds it."""
        folder = self.data / "groth16"
        shutil.copy(folder / "vkey.json", folder / "verification_key.json")  # where the scan reads the number of public signals
        program = shutil.copy(HERE / "memory.cjs", self.site)
        found = [remaining_in(["node", program, folder / "circuit.zkey", folder / "squares_js/squares.wasm", mode], folder / "witness.wtns") for mode in ("full", "kept")]
        self.assertEqual(found[0], 0)
        self.assertGreater(found[1], 100)

    def test_install_from_source(self):
        """With a cargo that copies a built library, and without any."""
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            source, programs = folder / "host/bind/node", folder / "bin"
            shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("native", "node_modules", "target"))
            programs.mkdir()
            for name in ("node", "npm", "sh", "env"):
                (programs / name).symlink_to(shutil.which(name))
            environment = {**os.environ, "PATH": str(programs), "CARGO_TARGET_DIR": str(folder / "built")}
            without = subprocess.run(["npm", "install", *QUIET], cwd=source, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertNotEqual(without.returncode, 0)
            self.assertIn("Rust 1.89 or newer and a C linker", without.stdout)
            made = folder / "built/release" / self.library.name
            made.parent.mkdir(parents=True)
            cargo = programs / "cargo"
            cargo.write_text(f"#!/bin/sh\necho \"$@\" > '{folder}/called'\n{shutil.which('cp')} '{self.library}' '{made}'\n")
            cargo.chmod(0o755)
            run(["npm", "install", *QUIET], cwd=source, env=environment)
            self.assertEqual((folder / "called").read_text().strip(), "build --release --locked --package proofmill-node")
            run(["node", "--eval", "require(process.argv[1]).devices()", source], env=environment)
            cargo.unlink()
            run(["npm", "install", *QUIET], cwd=source, env=environment)  # nothing to build

    def test_the_suite_of_snarkjs(self):
        checkout = os.environ.get("PROOFMILL_SNARKJS_DIR")
        if checkout is None:
            print("SKIPPED: PROOFMILL_SNARKJS_DIR names no checkout of snarkjs, so its own tests do not run")
            return
        print(run(["node", HERE / "snarkjs_suite.mjs", checkout, self.site / "node_modules/proofmill"]))


if __name__ == "__main__":
    unittest.main()
