"""Builds the npm package of the verifier for browsers and Node: `python3 tools/wasm.py`.

target/artifacts/proofmill-verifier-<version>.tgz contains the WebAssembly module, its JavaScript and types, both licences and THIRD-PARTY. It has no
native parts, so it is the same for all platforms. Beside it are its SHA-256 and a bill of materials.
"""

import json
import subprocess

import artifacts
from machines import missing_target
from place import BUILT, ROOT, Failed, main

PACKAGE = ROOT / "host/bind/wasm"
TRIPLE = "wasm32-unknown-unknown"
SOURCES = ["README.md", "index.mjs", "index.d.mts"]
#: The most bytes of the package.
MOST_BYTES = 400_000


def module():
    """Builds the module. Returns its path."""
    missing = missing_target(TRIPLE)
    if missing:
        raise Failed(f"{TRIPLE}: {missing}")
    command = ["cargo", "build", "--locked", "--quiet", "--profile", "wasm", "--target", TRIPLE, "--package", "proofmill-wasm"]
    if subprocess.run(command, cwd=ROOT).returncode != 0:
        raise Failed("cargo cannot build proofmill-wasm")
    return BUILT / TRIPLE / "wasm/proofmill_wasm.wasm"


def contents(module, packages):
    """Returns the files of the package."""
    return [("proofmill.wasm", 0o644, module.read_bytes()), *artifacts.licence_entries(artifacts.third_party(packages, "The WebAssembly module")),
            *((name, 0o644, (PACKAGE / name).read_bytes()) for name in ("package.json", *SOURCES))]


def package():
    """Builds and packs the package. Returns the path of the tarball."""
    version = json.loads((PACKAGE / "package.json").read_text())["version"]
    packages = artifacts.linked(TRIPLE, "proofmill-wasm")
    tarball = artifacts.write(f"proofmill-verifier-{version}.tgz", "package", contents(module(), packages), packages)
    size = tarball.stat().st_size
    if size > MOST_BYTES:
        raise Failed(f"{tarball}: {size} bytes, more than {MOST_BYTES}")
    return tarball


if __name__ == "__main__":
    main(lambda: package() and 0)
