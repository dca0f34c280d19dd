"""Builds the distribution of the command: `python3 tools/dist.py [--profile NAME]`.

target/dist/proofmill-<version>-<target>.tar.gz contains the stripped binary, README, CHANGELOG, both licences and THIRD-PARTY, which
names every linked crate and contains its licence texts. A file beside it has its SHA-256, for `sha256sum --check`.
The binary has the conformance suite and no INSECURE tools, and is tested before it is packed. The same sources and the same
compiler result in the same tarball.
"""

import argparse
import gzip
import hashlib
import io
import json
import subprocess
import tarfile
from pathlib import Path

from place import ROOT, TARGET, Failed, main, run

FEATURES = ["--no-default-features", "--features", "bench,bls12_377,card,cuda,pasta,remote,selftest,serve"]
MOST_BYTES = 20_000_000
PAGES = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"]
LICENCE_FILES = ("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")


def target():
    """Returns the compiler's default target triple."""
    return next(line.split()[1] for line in run(["rustc", "-vV"]).splitlines() if line.startswith("host:"))


def linked(triple):
    """Returns the third-party packages whose code is in the binary: no macros, no build scripts, no dependencies of tests only."""
    tree = run(["cargo", "tree", "--locked", "--package", "proofmill-cli", *FEATURES, "--target", triple, "--edges", "normal,no-proc-macro",
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


def third_party(packages):
    """Returns the list of crates, then each licence text once, with its crates."""
    texts = {}
    lines = ["The proofmill command contains code of the Rust standard library (MIT OR Apache-2.0) and of these crates, under their own licences.",
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


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--profile", default="dist", help="cargo's profile (default: dist)")
    profile = parser.parse_args().profile
    command = ["cargo", "build", "--locked", "--profile", profile, "--package", "proofmill-cli", *FEATURES]
    if subprocess.run(command, cwd=ROOT).returncode != 0:
        raise Failed("cargo cannot build the command")
    binary = TARGET / ("debug" if profile == "dev" else profile) / "proofmill"
    size, triple = try_out(binary), target()
    version = run([binary, "--version"]).split()[1]
    packages = linked(triple)
    name = f"proofmill-{version}-{triple}"
    (TARGET / "dist").mkdir(parents=True, exist_ok=True)
    tarball = TARGET / "dist" / f"{name}.tar.gz"
    pack(tarball, name, [("proofmill", 0o755, binary.read_bytes()), ("THIRD-PARTY", 0o644, third_party(packages).encode()),
                         *((page, 0o644, (ROOT / page).read_bytes()) for page in PAGES)])
    checksum = hashlib.sha256(tarball.read_bytes()).hexdigest()
    tarball.with_name(tarball.name + ".sha256").write_text(f"{checksum}  {tarball.name}\n")
    print(f"{tarball.relative_to(ROOT)}: {tarball.stat().st_size} bytes; the binary {size}; {len(packages)} crates of others")


if __name__ == "__main__":
    main(cli)
