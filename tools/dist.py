"""Builds what people install: `python3 tools/dist.py [--profile NAME]`.

| in target/artifacts | content |
|---|---|
| proofmill-<version>-<target>.tar.gz | the stripped command, with the conformance suite and without INSECURE tools |
| proofmill_<version>_<architecture>.deb, Containerfile | the same for Debian, and a container with it |
| proofmill-c-<version>-<target>.tar.gz | the C library, shared and static, its headers, and a relocatable proofmill.pc |
| proofmill-<version>-….whl | the Python package, with the tags that its native half needs |
| proofmill-node-<version>-<target>.tgz | the npm package with the native half for this platform |
| proofmill-verifier-<version>.tgz | the npm package for browsers, for all platforms |

Each but the Containerfile contains both licences and THIRD-PARTY, which names every linked crate and contains its licence texts; beside it are its
SHA-256, for `sha256sum --check`, and a bill of materials (CycloneDX). The command is tested before it is packed. The same sources and the same
compiler result in the same tarballs.
"""

import argparse
import json
import shutil
import subprocess
import tempfile
import tomllib
from pathlib import Path

import artifacts
import clib
import deb
import setup
import wasm
from place import ROOT, Failed, main, output, run

#: The default ones without the INSECURE tools.
FEATURES = ["--no-default-features", "--features",
            ",".join(name for name in tomllib.loads((ROOT / "host/cli/Cargo.toml").read_text())["features"]["default"] if name != "dev")]
#: Builds the wheel.
MATURIN = ["maturin==1.16.0"]
MOST_BYTES = 30_000_000
PAGES = ["README.md", "CHANGELOG.md"]
#: The npm package: its sources, and Node's names of systems and architectures.
NODE = ROOT / "host/bind/node"
NODE_SOURCES = ["README.md", "index.*", "snarkjs.*", "lib/*.cjs"]
NODE_SYSTEMS = {"linux": "linux", "darwin": "darwin", "windows": "win32"}
NODE_PROCESSORS = {"x86_64": "x64", "aarch64": "arm64"}
NODE_LIBRARIES = {"linux": "libproofmill_node.so", "darwin": "libproofmill_node.dylib", "win32": "proofmill_node.dll"}
#: Verifies the proof of examples/groth16 with an installed package.
NODE_TRIAL = "require('proofmill').verify(...['verification_key','public','proof'].map((name)=>JSON.parse(require('fs').readFileSync(name+'.json')))).then((valid)=>process.exit(valid?0:1))"


def target():
    """Returns the compiler's default target triple."""
    return next(line.split()[1] for line in run(["rustc", "-vV"]).splitlines() if line.startswith("host:"))


def try_out(binary):
    """Checks that the binary runs, and that it names the omitted features."""
    run([binary, "verify", *(f"examples/groth16/{name}.json" for name in ("verification_key", "public", "proof"))], cwd=ROOT)
    run([binary, "selftest", "--filter", "equihash"])
    absent = subprocess.run([binary, "dev", "ptau", "--power", "4"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if absent.returncode != 2 or "build with --features dev" not in absent.stdout:
        raise Failed(f"`proofmill dev` of a build without it ended with {absent.returncode}: {absent.stdout}")
    size = binary.stat().st_size
    if size > MOST_BYTES:
        raise Failed(f"{binary}: {size} bytes, more than {MOST_BYTES}")
    return size


def build(profile, package, features=()):
    """Builds a package. Returns the folder of its output."""
    command = ["cargo", "build", "--locked", "--profile", profile, "--package", package, *features]
    if subprocess.run(command, cwd=ROOT).returncode != 0:
        raise Failed(f"cargo cannot build {package}")
    return output(profile)


def node_platform(triple):
    """Returns Node's names of the system and the processor of a target triple."""
    processor, *_ = triple.split("-")
    system = next((name for word, name in NODE_SYSTEMS.items() if word in triple), None)
    if system is None or processor not in NODE_PROCESSORS:
        raise Failed(f"no npm package for {triple}")
    return system, NODE_PROCESSORS[processor]


def node_library(folder, triple):
    """Returns the path of the native half in the output of cargo."""
    return folder / NODE_LIBRARIES[node_platform(triple)[0]]


def node_contents(library, triple, listing):
    """Returns the files of the npm package for a platform: it has no install script, and npm refuses it on other platforms."""
    system, processor = node_platform(triple)
    manifest = json.loads((NODE / "package.json").read_text()) | {"os": [system], "cpu": [processor]}
    del manifest["scripts"]
    sources = sorted(path for pattern in NODE_SOURCES for path in NODE.glob(pattern))
    return [("package.json", 0o644, (json.dumps(manifest, indent=2) + "\n").encode()),
            (f"native/{system}-{processor}.node", 0o755, library.read_bytes()),
            *artifacts.licence_entries(listing),
            *((str(path.relative_to(NODE)), 0o644, path.read_bytes()) for path in sources)]


def try_out_node(tarball):
    """Checks that npm installs the package and that it verifies a proof."""
    if shutil.which("npm") is None:
        print("SKIPPED: no npm, so the npm package is not tried")
        return
    with tempfile.TemporaryDirectory() as folder:
        run(["npm", "install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", folder, tarball])
        run(["node", "--eval", NODE_TRIAL.replace("'proofmill'", repr(f"{folder}/node_modules/proofmill"))], cwd=ROOT / "examples/groth16")


def node_package(profile, triple, version):
    """Builds and packs the npm package."""
    library = node_library(build(profile, "proofmill-node"), triple)
    packages = artifacts.linked(triple, "proofmill-node")
    contents = node_contents(library, triple, artifacts.third_party(packages, "The native half of the npm package"))
    try_out_node(artifacts.write(f"proofmill-node-{version}-{triple}.tgz", "package", contents, packages))


def command_contents(binary, listing):
    """Returns the files of the command's tarball, for the text of THIRD-PARTY."""
    return [(binary.name, 0o755, binary.read_bytes()), *artifacts.licence_entries(listing),
            *((page, 0o644, (ROOT / page).read_bytes()) for page in PAGES)]


def command_packages(triple):
    """Returns the third-party packages in the command, and the text of THIRD-PARTY."""
    packages = artifacts.linked(triple, "proofmill-cli", FEATURES)
    return packages, artifacts.third_party(packages, "The proofmill command")


def command(profile, triple):
    """Builds, tests and packs the command: a tarball, and on Debian a package."""
    binary = build(profile, "proofmill-cli", FEATURES) / ("proofmill.exe" if "windows" in triple else "proofmill")
    size = try_out(binary)
    packages, listing = command_packages(triple)
    name = f"proofmill-{clib.version()}-{triple}"
    artifacts.write(f"{name}.tar.gz", name, command_contents(binary, listing), packages)
    print(f"the binary: {size} bytes")
    if "linux" not in triple or shutil.which("dpkg-deb") is None:
        print("SKIPPED: no dpkg-deb, so there is no package for Debian and no container")
        return
    package = deb.build(binary, clib.version(), listing, artifacts.FOLDER)
    artifacts.accompany(package, packages)
    (artifacts.FOLDER / "Containerfile").write_text((ROOT / "host/cli/Containerfile").read_text().replace("@package@", package.name))


def c_contents(prefix, packages):
    """Returns the files of the C library's tarball, from the folder in which tools/clib.py has installed it."""
    files = [(str(path.relative_to(prefix)), path.stat().st_mode & 0o777, path.readlink().name if path.is_symlink() else path.read_bytes())
             for path in sorted(prefix.rglob("*")) if not path.is_dir()]
    return [*files, *artifacts.licence_entries(artifacts.third_party(packages, "The library"))]


def c_library(profile, triple):
    """Builds and packs the C library."""
    if "linux" not in triple:
        print(f"SKIPPED: tools/clib.py does not know the libraries of {triple}")
        return
    packages = artifacts.linked(triple, "proofmill-c")
    name = f"proofmill-c-{clib.version()}-{triple}"
    with tempfile.TemporaryDirectory() as folder:
        clib.install(Path(folder), clib.build(profile), prefix="${pcfiledir}/../..")
        artifacts.write(f"{name}.tar.gz", name, c_contents(Path(folder), packages), packages)


def with_licences(wheel, triple, folder):
    """Writes a copy of the wheel with the licences of what is linked into it. Returns its path."""
    packages = artifacts.linked(triple, "proofmill-python")
    entries = artifacts.licence_entries(artifacts.third_party(packages, "The native half of the wheel"))
    final = artifacts.add_to_wheel(wheel, entries, folder / wheel.name)
    artifacts.accompany(final, packages)
    return final


def wheel(profile, triple):
    """Builds the wheel."""
    with tempfile.TemporaryDirectory() as folder:
        run([setup.python_tool("maturin", MATURIN), "build", "--locked", "--profile", profile, "--manifest-path", ROOT / "host/bind/python/Cargo.toml",
             "--out", folder], cwd=ROOT)
        with_licences(next(Path(folder).glob("*.whl")), triple, artifacts.FOLDER)


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--profile", default="dist", help="cargo's profile (default: dist)")
    profile, triple = parser.parse_args().profile, target()
    shutil.rmtree(artifacts.FOLDER, ignore_errors=True)
    command(profile, triple)
    c_library(profile, triple)
    wheel(profile, triple)
    node_package(profile, triple, clib.version())
    wasm.package()


if __name__ == "__main__":
    main(cli)
