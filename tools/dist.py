"""Builds what people install: `python3 tools/dist.py [--profile NAME]`.

| in target/dist | content |
|---|---|
| proofmill-<version>-<target>.tar.gz | the stripped command, with the conformance suite and without INSECURE tools |
| proofmill_<version>_<architecture>.deb, Containerfile | the same for Debian, and a container with it |
| proofmill-c-<version>-<target>.tar.gz | the C library, shared and static, its headers, and a relocatable proofmill.pc |
| proofmill-<version>-….whl | the Python package, with the tags that its native half needs |
| proofmill-node-<version>-<target>.tgz | the npm package with the native half for this platform |
| proofmill-verifier-<version>.tgz | the npm package for browsers, for all platforms |

Each but the wheel contains both licences and THIRD-PARTY, which names every linked crate and contains its licence texts. Beside each but the
Containerfile are its SHA-256, for `sha256sum --check`, and a bill of materials (CycloneDX). The command is tested before it is packed. The same sources and the same compiler
result in the same tarballs.
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
import tomllib
from pathlib import Path

import bill
import clib
import deb
import setup
from place import BUILT, ROOT, TARGET, Failed, main, run

#: The default ones without the INSECURE tools.
FEATURES = ["--no-default-features", "--features",
            ",".join(name for name in tomllib.loads((ROOT / "host/cli/Cargo.toml").read_text())["features"]["default"] if name != "dev")]
#: Builds the wheel.
MATURIN = ["maturin==1.16.0"]
MOST_BYTES = 30_000_000
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
            if isinstance(data, str):  # a link to a file beside it
                entry.type, entry.linkname = tarfile.SYMTYPE, data
                tar.addfile(entry)
            else:
                entry.size, entry.mode = len(data), mode
                tar.addfile(entry, io.BytesIO(data))


def build(profile, package, features=()):
    """Builds a package. Returns the folder of its output."""
    command = ["cargo", "build", "--locked", "--profile", profile, "--package", package, *features]
    if subprocess.run(command, cwd=ROOT).returncode != 0:
        raise Failed(f"cargo cannot build {package}")
    return BUILT / ("debug" if profile == "dev" else profile)


def write(tarball, folder, contents, packages):
    """Packs a tarball into target/dist, with what belongs beside it. Returns its path."""
    tarball = TARGET / "dist" / tarball
    tarball.parent.mkdir(parents=True, exist_ok=True)
    pack(tarball, folder, contents)
    accompany(tarball, packages)
    return tarball


def accompany(file, packages):
    """Writes the SHA-256 and the bill of materials of a file beside it."""
    checksum = hashlib.sha256(file.read_bytes()).hexdigest()
    file.with_name(file.name + ".sha256").write_text(f"{checksum}  {file.name}\n")
    file.with_name(file.name + ".cdx.json").write_text(bill.of(file.name, clib.version(), checksum, packages))
    print(f"{file.relative_to(ROOT)}: {file.stat().st_size} bytes; {len(packages)} crates of others")


def licence_entries(listing):
    """Returns the files with the licences, for the text of THIRD-PARTY."""
    return [("THIRD-PARTY", 0o644, listing.encode()),
            *((page, 0o644, (ROOT / page).read_bytes()) for page in PAGES if page.startswith("LICENSE"))]


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
            *licence_entries(listing),
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
    try_out_node(write(f"proofmill-node-{version}-{triple}.tgz", "package", contents, packages))


def command_contents(binary, packages):
    """Returns the files of the command's tarball."""
    return [(binary.name, 0o755, binary.read_bytes()), ("THIRD-PARTY", 0o644, third_party(packages).encode()),
            *((page, 0o644, (ROOT / page).read_bytes()) for page in PAGES)]


def command(profile, triple):
    """Builds, tests and packs the command: a tarball, and on Debian a package."""
    binary = build(profile, "proofmill-cli", FEATURES) / ("proofmill.exe" if "windows" in triple else "proofmill")
    size, packages = try_out(binary), linked(triple)
    name = f"proofmill-{clib.version()}-{triple}"
    write(f"{name}.tar.gz", name, command_contents(binary, packages), packages)
    print(f"the binary: {size} bytes")
    if "linux" not in triple or shutil.which("dpkg-deb") is None:
        print("SKIPPED: no dpkg-deb, so there is no package for Debian and no container")
        return
    package = deb.build(binary, clib.version(), third_party(packages), TARGET / "dist")
    accompany(package, packages)
    (TARGET / "dist/Containerfile").write_text((ROOT / "host/cli/Containerfile").read_text().replace("@package@", package.name))


def c_contents(prefix, packages):
    """Returns the files of the C library's tarball, from the folder in which tools/clib.py has installed it."""
    files = [(str(path.relative_to(prefix)), path.stat().st_mode & 0o777, path.readlink().name if path.is_symlink() else path.read_bytes())
             for path in sorted(prefix.rglob("*")) if not path.is_dir()]
    return [*files, *licence_entries(third_party(packages, "The library"))]


def c_library(profile, triple):
    """Builds and packs the C library."""
    if "linux" not in triple:
        print(f"SKIPPED: tools/clib.py does not know the libraries of {triple}")
        return
    packages = linked(triple, "proofmill-c", [])
    name = f"proofmill-c-{clib.version()}-{triple}"
    with tempfile.TemporaryDirectory() as folder:
        clib.install(Path(folder), profile, prefix="${pcfiledir}/../..")
        write(f"{name}.tar.gz", name, c_contents(Path(folder), packages), packages)


def wheel(profile, triple):
    """Builds the wheel."""
    with tempfile.TemporaryDirectory() as folder:
        run([setup.python_tool("maturin", MATURIN), "build", "--locked", "--profile", profile, "--manifest-path", ROOT / "host/bind/python/Cargo.toml",
             "--out", folder], cwd=ROOT)
        built = next(Path(folder).glob("*.whl"))
        accompany(Path(shutil.copy(built, TARGET / "dist")), linked(triple, "proofmill-python", []))


def cli():
    import wasm  # which imports this
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--profile", default="dist", help="cargo's profile (default: dist)")
    profile, triple = parser.parse_args().profile, target()
    for old in (TARGET / "dist").glob("proofmill[-_]*"):  # cargo's output for the profile `dist` is in the same folder
        old.unlink()
    command(profile, triple)
    c_library(profile, triple)
    wheel(profile, triple)
    node_package(profile, triple, clib.version())
    wasm.package()


if __name__ == "__main__":
    main(cli)
