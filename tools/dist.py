"""Builds the distribution of the command and the npm package: `python3 tools/dist.py [--profile NAME]`.

target/dist/proofmill-<version>-<target>.tar.gz contains the stripped binary, README, CHANGELOG, both licences and THIRD-PARTY, which
names every linked crate and contains its licence texts. A file beside it has its SHA-256, for `sha256sum --check`.
The binary has the conformance suite and no INSECURE tools, and is tested before it is packed. The same sources and the same
compiler result in the same tarball.

target/dist/proofmill-node-<version>-<target>.tgz is the npm package with the native half for this platform and the same texts.
"""

import argparse
import gzip
import hashlib
import io
import json
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from place import BUILT, ROOT, TARGET, Failed, main, run

FEATURES = ["--no-default-features", "--features", "bench,bls12_377,card,cuda,pasta,remote,selftest,serve"]
MOST_BYTES = 20_000_000
PAGES = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"]
#: The npm package: its sources, and Node's names of systems and architectures.
NODE = ROOT / "host/bind/node"
NODE_SOURCES = ["README.md", "index.*", "snarkjs.*", "lib/*.cjs"]
NODE_SYSTEMS = {"linux": "linux", "darwin": "darwin", "windows": "win32"}
NODE_PROCESSORS = {"x86_64": "x64", "aarch64": "arm64"}
NODE_LIBRARIES = {"linux": "libproofmill_node.so", "darwin": "libproofmill_node.dylib", "win32": "proofmill_node.dll"}
#: Verifies the proof of examples/groth16 with an installed package.
NODE_TRIAL = "require('proofmill').verify(...['verification_key','public','proof'].map((name)=>JSON.parse(require('fs').readFileSync(name+'.json')))).then((valid)=>process.exit(valid?0:1))"
LICENCE_FILES = ("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")


def target():
    """Returns the compiler's default target triple."""
    return next(line.split()[1] for line in run(["rustc", "-vV"]).splitlines() if line.startswith("host:"))


def linked(triple, package="proofmill-cli", features=FEATURES):
    """Returns the third-party packages whose code is in the binary: no macros, no build scripts, no dependencies of tests only."""
    tree = run(["cargo", "tree", "--locked", "--package", package, *features, "--target", triple, "--edges", "normal,no-proc-macro",
                "--prefix", "none", "--format", "{p}"], cwd=ROOT)
    names = {tuple(line.split()[:2]) for line in tree.splitlines()}
    metadata = json.loads(run(["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", triple], cwd=ROOT))
    ours = set(metadata["workspace_members"])
    packages = (package for package in metadata["packages"] if package["id"] not in ours)
    found = [package for package in packages if (package["name"], f"v{package['version']}") in names]
    return sorted(found, key=lambda package: (package["name"], package["version"]))


def licences(package):
    """Returns the licence texts of a package."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(file for file in folder.iterdir() if file.is_file() and file.name.upper().startswith(LICENCE_FILES))
    return [file.read_text(errors="replace").strip() for file in files]


def third_party(packages, whole="The proofmill command"):
    """Returns the list of crates, then each licence text once, with its crates."""
    texts = {}
    lines = [f"{whole} contains code of the Rust standard library (MIT OR Apache-2.0) and of these crates, under their own licences.",
             "Their texts follow.", ""]
    for package in packages:
        name = f"{package['name']} {package['version']}"
        lines.append(f"{name:<32} {package['license'] or 'see its licence text'}")
        for text in licences(package):
            texts.setdefault(text, []).append(name)
    for text, names in texts.items():
        lines += ["", "=" * 100, ", ".join(names), "=" * 100, text]
    return "\n".join(lines) + "\n"


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


def pack(tarball, folder, contents):
    """Writes a tarball of (name, mode, bytes) that does not depend on the time or the user."""
    with open(tarball, "wb") as raw, gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
        for name, mode, data in contents:
            entry = tarfile.TarInfo(f"{folder}/{name}")
            entry.size, entry.mode = len(data), mode
            tar.addfile(entry, io.BytesIO(data))


def build(profile, package, features=()):
    """Builds a package. Returns the folder of its output."""
    command = ["cargo", "build", "--locked", "--profile", profile, "--package", package, *features]
    if subprocess.run(command, cwd=ROOT).returncode != 0:
        raise Failed(f"cargo cannot build {package}")
    return BUILT / ("debug" if profile == "dev" else profile)


def write(tarball, folder, contents):
    """Packs a tarball into target/dist, with its SHA-256 beside it. Returns its path."""
    tarball = TARGET / "dist" / tarball
    tarball.parent.mkdir(parents=True, exist_ok=True)
    pack(tarball, folder, contents)
    checksum = hashlib.sha256(tarball.read_bytes()).hexdigest()
    tarball.with_name(tarball.name + ".sha256").write_text(f"{checksum}  {tarball.name}\n")
    return tarball


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


def node_contents(library, triple, texts):
    """Returns the files of the npm package for a platform: it has no install script, and npm refuses it on other platforms."""
    system, processor = node_platform(triple)
    manifest = json.loads((NODE / "package.json").read_text()) | {"os": [system], "cpu": [processor]}
    del manifest["scripts"]
    sources = sorted(path for pattern in NODE_SOURCES for path in NODE.glob(pattern))
    return [("package.json", 0o644, (json.dumps(manifest, indent=2) + "\n").encode()),
            (f"native/{system}-{processor}.node", 0o755, library.read_bytes()),
            ("THIRD-PARTY", 0o644, texts.encode()),
            *((page, 0o644, (ROOT / page).read_bytes()) for page in PAGES if page.startswith("LICENSE")),
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
    packages = linked(triple, "proofmill-node", [])
    contents = node_contents(library, triple, third_party(packages, "The native half of the npm package"))
    tarball = write(f"proofmill-node-{version}-{triple}.tgz", "package", contents)
    try_out_node(tarball)
    print(f"{tarball.relative_to(ROOT)}: {tarball.stat().st_size} bytes; the native half {library.stat().st_size}; {len(packages)} crates of others")


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--profile", default="dist", help="cargo's profile (default: dist)")
    profile = parser.parse_args().profile
    binary = build(profile, "proofmill-cli", FEATURES) / "proofmill"
    size, triple = try_out(binary), target()
    version = run([binary, "--version"]).split()[1]
    packages = linked(triple)
    name = f"proofmill-{version}-{triple}"
    tarball = write(f"{name}.tar.gz", name, [("proofmill", 0o755, binary.read_bytes()), ("THIRD-PARTY", 0o644, third_party(packages).encode()),
                                             *((page, 0o644, (ROOT / page).read_bytes()) for page in PAGES)])
    print(f"{tarball.relative_to(ROOT)}: {tarball.stat().st_size} bytes; the binary {size}; {len(packages)} crates of others")
    node_package(profile, triple, version)


if __name__ == "__main__":
    main(cli)
