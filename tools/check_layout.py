"""Checks rules of the repository layout that no compiler checks (see ARCHITECTURE.md):

- dependencies: a Scala package names only packages below it; a Rust crate depends only on crates below it; neither
  side reads the other's files;
- counterparts: an operation has its wire file, its model, its vectors, its engine, its request, its CPU implementation and its
  driver, all under the same name; an operation whose wire file has `planned = true` must not have an engine or a driver;
- names: a Scala class that is a circuit shares its name with no class of another package, because it becomes a Verilog module;
- ports: each port of a circuit has a comment of its own, on its line or directly above it, except in `formal`, whose
  circuits are harnesses of proofs;
- registries: no file contains the host of a package registry, because that is a setting of the machine;
- unsafe code: each `unsafe` block and implementation has a comment with its reason, and docs/design/unsafe.md lists their number by crate;
- temporary names: no source makes a name in the shared folder for temporary files, where another user could have made it before.
"""

import argparse
import re
import subprocess
import tomllib
from pathlib import Path

from place import ROOT, main

#: Scala package -> packages it may name, besides itself. `Design` turns circuits into Verilog; only `top` and `formal` use it.
SCALA_DEPENDENCIES = {"spec": set(), "stream": {"spec"}, "arith": {"spec", "stream"}}
SCALA_DEPENDENCIES["field"] = SCALA_DEPENDENCIES["arith"] | {"arith"}
SCALA_DEPENDENCIES["curve"] = SCALA_DEPENDENCIES["micro"] = SCALA_DEPENDENCIES["field"] | {"field"}
SCALA_DEPENDENCIES["pairing"] = SCALA_DEPENDENCIES["micro"] | {"micro"}
SCALA_DEPENDENCIES["hash"] = SCALA_DEPENDENCIES["arith"] | {"arith"}
SCALA_DEPENDENCIES["engine"] = SCALA_DEPENDENCIES["curve"] | {"curve", "micro", "pairing", "hash"}
SCALA_DEPENDENCIES["shell"] = SCALA_DEPENDENCIES["engine"] | {"engine"}
SCALA_DEPENDENCIES["top"] = SCALA_DEPENDENCIES["shell"] | {"shell", "Design"}
SCALA_DEPENDENCIES["formal"] = SCALA_DEPENDENCIES["top"]

#: Rust crate -> crates that its library may depend on. Tests (dev-dependencies) may use every crate but the ends.
RUST_DEPENDENCIES = {"spec": set(), "algebra": {"spec"}, "op": {"algebra"}}
RUST_DEPENDENCIES["cpu"] = RUST_DEPENDENCIES["cuda"] = RUST_DEPENDENCIES["remote"] = RUST_DEPENDENCIES["pool"] = RUST_DEPENDENCIES["proof"] = {"algebra", "op"}
RUST_DEPENDENCIES["witness"] = {"algebra", "op", "proof"}
RUST_DEPENDENCIES["card"] = {"algebra", "op", "spec"}
RUST_DEPENDENCIES["device"] = {"algebra", "op", "cpu", "card", "cuda", "pool", "remote"}
RUST_DEPENDENCIES["testkit"] = {"algebra", "op", "card", "spec"}
RUST_DEPENDENCIES["proofmill"] = RUST_DEPENDENCIES["device"] | {"device", "proof", "witness"}
RUST_DEPENDENCIES["zcash"] = {"algebra", "op", "proof", "proofmill"}
RUST_DEPENDENCIES["serve"] = {"proofmill"}
RUST_DEPENDENCIES["cli"] = RUST_DEPENDENCIES["proofmill"] | {"proofmill", "serve", "testkit", "zcash"}
RUST_DEPENDENCIES["c"] = RUST_DEPENDENCIES["node"] = RUST_DEPENDENCIES["proofmill"] | {"proofmill", "testkit"}
RUST_DEPENDENCIES["python"] = RUST_DEPENDENCIES["c"] | {"zcash"}
RUST_DEPENDENCIES["wasm"] = {"proof"}
RUST_DEPENDENCIES["trial"] = {"cpu", "proof"}
RUST_DEPENDENCIES["bench"] = RUST_DEPENDENCIES["bodies"] = RUST_DEPENDENCIES["c"] | {"zcash"}
ENDS = {"cli", "serve", "bench", "bodies", "c", "node", "python", "trial", "wasm"}

#: Files of every operation; and of those that a card offers.
COUNTERPARTS = ["host/op/src/{op}.rs", "host/cpu/src/{op}.rs"]
CARD_COUNTERPARTS = ["rtl/src/main/scala/proofmill/engine/{op}/*.scala", "host/card/src/driver/{op}.rs"]
SPEC_COUNTERPARTS = ["spec/model/{op}.py", "spec/vectors/{op}/*.json"]

#: Registry hosts, in two halves so that this file does not contain them. A lock file's name of an index is not a host.
REGISTRIES = [("crates", "io"), ("pypi", "org"), ("pythonhosted", "org"), ("repo1.maven", "org"), ("repo.maven.apache", "org"),
              ("sonatype", "org"), ("npmjs", "org"), ("proxy.golang", "org"), ("deb.debian", "org"), ("archive.ubuntu", "com")]
HOSTS = re.compile("|".join(re.escape(".".join(halves)) for halves in REGISTRIES))
INDEX = re.compile(r'source = "registry\+https://github\.com/rust-lang/\w+\.\w+-index"')


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


def scala_dependencies(root):
    """Yields Scala sources that name a package above their own, or another engine."""
    base = root / "rtl/src/main/scala/proofmill"
    for path in sorted(base.glob("*/**/*.scala")):
        package, *below = path.relative_to(base).parts
        where = path.relative_to(root)
        if package not in SCALA_DEPENDENCIES:
            yield f"{where}: package {package} is not in the layout"
            continue
        named = re.findall(r"\bproofmill\.(?:(\w+)(?:\.(\w+))?|\{([^}]*)\})", without_comments(path.read_text()))
        for single, inner, group in named:
            for other in [single] if single else [name.split()[0].split(".")[0] for name in group.split(",") if name.strip()]:
                if other != package and other not in SCALA_DEPENDENCIES[package]:
                    yield f"{where}: {package} names {other}, which is not below it"
            if package == single == "engine" and len(below) > 1 and inner.islower() and inner != below[0]:
                yield f"{where}: engine {below[0]} names engine {inner}"


def rust_dependencies(root):
    """Yields crates that depend on a crate above them."""
    for manifest in sorted([*root.glob("spec/Cargo.toml"), *root.glob("host/*/Cargo.toml"), *root.glob("host/bind/*/Cargo.toml"), *root.glob("bench/Cargo.toml"), *root.glob("fuzz/bodies/Cargo.toml"), *root.glob("tools/trial/Cargo.toml")]):
        crate, where = manifest.parent.name, manifest.relative_to(root)
        if crate not in RUST_DEPENDENCIES:
            yield f"{where}: crate {crate} is not in the layout"
            continue
        content = tomllib.loads(manifest.read_text())
        tables = [content, *content.get("target", {}).values()]
        for table in tables:
            for kind in ("dependencies", "build-dependencies", "dev-dependencies"):
                below = set(RUST_DEPENDENCIES) - ENDS if kind == "dev-dependencies" else RUST_DEPENDENCIES[crate]
                for name in table.get(kind, {}):
                    other = name.removeprefix("proofmill-") if name != "proofmill" else name
                    if name.startswith("proofmill") and other not in below:
                        yield f"{where}: {crate} has {other} among its {kind}, which is not below it"


def two_roots(root):
    """Yields sources of one side that read the other side's files."""
    for side, other, pattern in (("host", "rtl", "*.rs"), ("rtl/src/main", "host", "*.scala")):
        for path in sorted((root / side).rglob(pattern)):
            if re.search(rf'"(?:\.\./)+{other}/', without_comments(path.read_text())):
                yield f"{path.relative_to(root)}: reads a file of {other}/; the two meet in spec/ only"


def operations(root):
    """Returns the operations: those with a wire file, and the modules of the registry of operations."""
    named = {path.stem for path in root.glob("spec/wire/*.toml")} - {"shell", "memory_door", "slot_rings"}
    registry = root / "host/op/src/registry.rs"
    text = without_comments(registry.read_text()) if registry.exists() else ""
    return sorted(named | set(re.findall(r"^ *\w+ = (\w+)::\w+;$", text, re.M)))


def counterparts(root):
    """Yields operations without one of their counterparts."""
    for op in operations(root):
        wire = root / f"spec/wire/{op}.toml"
        if not wire.exists():
            yield f"{op}: its spec/wire/{op}.toml is missing"
            continue
        planned = tomllib.loads(wire.read_text()).get("planned", False)
        for counterpart in COUNTERPARTS + ([] if planned else SPEC_COUNTERPARTS + CARD_COUNTERPARTS):
            pattern = counterpart.format(op=op)
            if not any(root.glob(pattern)):
                yield f"{op}: its {pattern} is missing"
        for counterpart in CARD_COUNTERPARTS if planned else []:
            pattern = counterpart.format(op=op)
            if any(root.glob(pattern)):
                yield f"spec/wire/{op}.toml: is planned, but {pattern} exists"


#: A class, trait or object at the top of a Scala file, with its parameters in up to three nested parentheses, and its superclass.
PARAMETERS = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
MADE = re.compile(rf"^(?:[\w\[\]]+ )*(?:class|trait|object) (\w+)(?:\[[^\]]*\])?\s*(?:{PARAMETERS}\s*)*(?:extends (\w+))?", re.M)
#: Base classes of circuits.
COMPONENTS = {"Component", "BlackBox"}


def names(root):
    """Yields circuits that share their name with a class of another package."""
    base = root / "rtl/src/main/scala"
    made = [(path.parent.relative_to(base), *found) for path in sorted(base.rglob("*.scala")) for found in MADE.findall(without_comments(path.read_text()))]
    circuits = set()
    while more := {name for _, name, kind in made if kind in COMPONENTS | circuits} - circuits:
        circuits |= more
    for name in sorted(circuits):
        packages = sorted({str(package) for package, other, _ in made if other == name})
        if len(packages) > 1:
            yield f"{name}: a circuit's name, but it is used in {' and in '.join(packages)}"


#: The beginning of the declaration of a port, or of several ports of one type. A direction is at most one line below its `val`.
DIRECTION = r"(?<![\w.])(?:in|out|inout|slave|master)\("
PORT = re.compile(rf"^ +(?:(?:private|override) )*val ([\w, ]+?)(?:: [^=\n]+)? =(?=[^\n]*{DIRECTION}|\n *{DIRECTION})", re.M)


def ports(root):
    """Yields ports without a comment. A comment above several declarations belongs to the first one only."""
    base = root / "rtl/src/main/scala/proofmill"
    for path in sorted(base.rglob("*.scala")):
        if path.relative_to(base).parts[0] == "formal":
            continue
        text = path.read_text()
        lines = text.splitlines()
        for found in PORT.finditer(text):
            first, last = (text.count("\n", 0, at) for at in (found.start(), statement_end(text, found.end())))
            above = lines[first - 1].strip()
            if not (above.startswith("//") or above.endswith("*/") or any("//" in line for line in lines[first : last + 1])):
                yield f"{path.relative_to(root)}:{first + 1}: the port {found[1]} has no comment that describes it"


def statement_end(text, start):
    """Returns the position of the end of the line that closes all parentheses after `start`, not counting those in comments."""
    depth, at = 0, start
    for line in text[start:].splitlines(keepends=True):
        code = line.split("//")[0]
        depth += code.count("(") - code.count(")")
        at += len(line)
        if depth <= 0 and code.strip():
            break
    return at - 1


def files_of(root):
    """Returns files that are in the repository or would be added to it."""
    listing = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root, stdout=subprocess.PIPE, check=True)
    return [root / name for name in listing.stdout.decode().split("\0") if name]


def registries(root):
    """Yields lines with the host of a package registry."""
    for path in files_of(root):
        if not path.is_file():
            continue
        for number, line in enumerate(path.read_bytes().decode(errors="replace").splitlines(), 1):
            if HOSTS.search(line) and not (path.name == "Cargo.lock" and INDEX.fullmatch(line.strip())):
                yield f"{path.relative_to(root)}:{number}: names the host of a package registry"


#: Comments, strings and characters of Rust.
NO_CODE = re.compile(r"""/\*.*?\*/|//[^\n]*|r(#+)".*?"\1|b?'(?:\\.|[^\\'\n])'|"(?:[^"\\]|\\.)*\"""", re.S)
UNSAFE = re.compile(r"\bunsafe\s*(?:\{|impl\b)")
REASON = "SAFETY"
#: Lines above a block in which its reason begins or ends: a block may be in the middle of a statement.
ABOVE = 5
#: Crates whose every block rests on the contract of one interface, and the file that states the contract.
CONTRACTS = {"host/bind/c": "host/bind/c/src/lib.rs"}
INVENTORY = "docs/design/unsafe.md"


def rust_sources(root):
    """Yields the crate, path and text of Rust sources."""
    for path in files_of(root):
        if path.suffix == ".rs" and path.is_file():
            crate = next((folder for folder in path.parents if (folder / "Cargo.toml").exists()), root)
            yield crate.relative_to(root).as_posix(), path, path.read_text()


def unsafe_code(root):
    """Yields `unsafe` blocks and implementations without a reason, and crates whose number of them is not that of the inventory."""
    counts = {}
    for crate, path, text in rust_sources(root):
        code = NO_CODE.sub(lambda found: "\n" * found[0].count("\n"), text)
        lines = text.splitlines()
        contract = root / CONTRACTS.get(crate, ".")
        is_covered = contract.is_file() and REASON in contract.read_text()
        for found in UNSAFE.finditer(code):
            counts[crate] = counts.get(crate, 0) + 1
            number = code.count("\n", 0, found.start())
            if not is_covered and not any(REASON in line for line in lines[max(0, number - ABOVE) : number + 1]):
                yield f"{path.relative_to(root)}:{number + 1}: unsafe code without a comment `// {REASON}: reason`"
    page = root / INVENTORY
    listed = {crate: int(count) for crate, count in re.findall(r"^\| `(\S+)` \| (\d+) \|", page.read_text() if page.exists() else "", re.M)}
    for crate in sorted(counts.keys() | listed.keys()):
        if counts.get(crate, 0) != listed.get(crate, 0):
            yield f"{INVENTORY}: {crate} has {counts.get(crate, 0)} unsafe blocks and implementations, but {listed.get(crate, 0)} are listed"


#: Functions and folders with which a name in the shared folder is made by hand. The crate and the module `tempfile` make random names.
SHARED = re.compile(r"\btemp_dir\(\)|\bgettempdir\(\)|\bmktemp\(|os\.tmpdir\(\)|\bos\.TempDir\(\)|\btmpnam\(")


def temporary_names(root):
    """Yields lines that make a name in the shared folder for temporary files. The bench's peers are run on machines of one user."""
    for path in files_of(root):
        if not path.is_relative_to(root / "bench/peers") and path.suffix in (".rs", ".py", ".go", ".js", ".mjs", ".c", ".cpp", ".hpp") and path.is_file() and path.name != Path(__file__).name:
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                if SHARED.search(line):
                    yield f"{path.relative_to(root)}:{number}: a name in the shared folder for temporary files; use a random one, of `tempfile` or its like"


CHECKS = [scala_dependencies, rust_dependencies, two_roots, counterparts, names, ports, registries, unsafe_code, temporary_names]


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="another checkout")
    root = parser.parse_args().root
    faults = [fault for check in CHECKS for fault in check(root)]
    print("\n".join(faults) if faults else f"no faults in the layout: {', '.join(check.__name__ for check in CHECKS)}")
    return 1 if faults else 0


if __name__ == "__main__":
    main(cli)
