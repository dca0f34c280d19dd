"""The rules of the house that no compiler checks (ARCHITECTURE.md tells them):

- arrows: a Scala package names only packages below it; a Rust crate depends only on crates below it; neither
  side reads the other's files;
- twins: an operation has its wire file, its model, its vectors, its engine, its request, its CPU implementation and its
  driver, all under the same name; a wire file that says `planned = true` stands before the engine, so neither engine nor
  driver may be there;
- names: the name of a circuit, a Scala class that is a component, is nothing else's in another package: it becomes a Verilog module's;
- no file says where packages are downloaded from: that is the business of the machine.
"""

import argparse
import re
import subprocess
import tomllib
from pathlib import Path

from place import ROOT, main

#: Scala room -> rooms it may name, besides itself. `Design` turns circuits into Verilog; the ends use it.
SCALA_ARROWS = {"spec": set(), "stream": {"spec"}, "arith": {"spec", "stream"}}
SCALA_ARROWS["field"] = SCALA_ARROWS["arith"] | {"arith"}
SCALA_ARROWS["curve"] = SCALA_ARROWS["micro"] = SCALA_ARROWS["field"] | {"field"}
SCALA_ARROWS["pairing"] = SCALA_ARROWS["micro"] | {"micro"}
SCALA_ARROWS["engine"] = SCALA_ARROWS["curve"] | {"curve", "micro", "pairing"}
SCALA_ARROWS["shell"] = SCALA_ARROWS["engine"] | {"engine"}
SCALA_ARROWS["top"] = SCALA_ARROWS["shell"] | {"shell", "Design"}
SCALA_ARROWS["formal"] = SCALA_ARROWS["top"]

#: Rust room -> rooms that its library may depend on. Tests (dev-dependencies) may use every room but the ends.
RUST_ARROWS = {"spec": set(), "algebra": {"spec"}, "op": {"algebra"}}
RUST_ARROWS["cpu"] = RUST_ARROWS["cuda"] = RUST_ARROWS["remote"] = RUST_ARROWS["pool"] = RUST_ARROWS["proof"] = {"algebra", "op"}
RUST_ARROWS["card"] = {"algebra", "op", "spec"}
RUST_ARROWS["device"] = {"algebra", "op", "cpu", "card", "cuda", "pool", "remote"}
RUST_ARROWS["testkit"] = {"algebra", "op", "card", "spec"}
RUST_ARROWS["proofmill"] = RUST_ARROWS["device"] | {"device", "proof"}
RUST_ARROWS["serve"] = {"proofmill"}
RUST_ARROWS["cli"] = RUST_ARROWS["proofmill"] | {"proofmill", "serve", "testkit"}
RUST_ARROWS["c"] = RUST_ARROWS["python"] = RUST_ARROWS["proofmill"] | {"proofmill", "testkit"}
RUST_ARROWS["bench"] = RUST_ARROWS["bodies"] = RUST_ARROWS["c"]
ENDS = {"cli", "serve", "bench", "bodies", "c", "python"}

#: Of every operation; and of those that a card offers.
TWINS = ["host/op/src/{op}.rs", "host/cpu/src/{op}.rs"]
CARD_TWINS = ["rtl/src/main/scala/proofmill/engine/{op}/*.scala", "host/card/src/driver/{op}.rs"]
SPEC_TWINS = ["spec/model/{op}.py", "spec/vectors/{op}/*.json"]

#: Registry hosts, in two halves so that this file does not name them. A lock file's name for an index is no host.
REGISTRIES = [("crates", "io"), ("pypi", "org"), ("pythonhosted", "org"), ("repo1.maven", "org"), ("repo.maven.apache", "org"),
              ("sonatype", "org"), ("npmjs", "org"), ("proxy.golang", "org"), ("deb.debian", "org"), ("archive.ubuntu", "com")]
HOSTS = re.compile("|".join(re.escape(".".join(halves)) for halves in REGISTRIES))
INDEX = re.compile(r'source = "registry\+https://github\.com/rust-lang/\w+\.\w+-index"')


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


def scala_arrows(root):
    """Scala sources that name a package above their own, or another engine."""
    base = root / "rtl/src/main/scala/proofmill"
    for path in sorted(base.glob("*/**/*.scala")):
        room, *below = path.relative_to(base).parts
        where = path.relative_to(root)
        if room not in SCALA_ARROWS:
            yield f"{where}: package {room} is not a room of the house"
            continue
        named = re.findall(r"\bproofmill\.(?:(\w+)(?:\.(\w+))?|\{([^}]*)\})", without_comments(path.read_text()))
        for single, inner, group in named:
            for other in [single] if single else [name.split()[0].split(".")[0] for name in group.split(",") if name.strip()]:
                if other != room and other not in SCALA_ARROWS[room]:
                    yield f"{where}: {room} names {other}, which is not below it"
            if room == single == "engine" and len(below) > 1 and inner.islower() and inner != below[0]:
                yield f"{where}: engine {below[0]} names engine {inner}"


def rust_arrows(root):
    """Crates that depend on a crate above them."""
    for manifest in sorted([*root.glob("spec/Cargo.toml"), *root.glob("host/*/Cargo.toml"), *root.glob("host/bind/*/Cargo.toml"), *root.glob("bench/Cargo.toml"), *root.glob("fuzz/bodies/Cargo.toml")]):
        room, where = manifest.parent.name, manifest.relative_to(root)
        if room not in RUST_ARROWS:
            yield f"{where}: crate {room} is not a room of the house"
            continue
        content = tomllib.loads(manifest.read_text())
        tables = [content, *content.get("target", {}).values()]
        for table in tables:
            for kind in ("dependencies", "build-dependencies", "dev-dependencies"):
                below = set(RUST_ARROWS) - ENDS if kind == "dev-dependencies" else RUST_ARROWS[room]
                for name in table.get(kind, {}):
                    other = name.removeprefix("proofmill-") if name != "proofmill" else name
                    if name.startswith("proofmill") and other not in below:
                        yield f"{where}: {room} has {other} among its {kind}, which is not below it"


def two_roots(root):
    """Sources of one side that read the other side's files."""
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


def twins(root):
    """Operations without one of their namesakes."""
    for op in operations(root):
        wire = root / f"spec/wire/{op}.toml"
        if not wire.exists():
            yield f"{op}: its twin spec/wire/{op}.toml is missing"
            continue
        planned = tomllib.loads(wire.read_text()).get("planned", False)
        for twin in TWINS + ([] if planned else SPEC_TWINS + CARD_TWINS):
            pattern = twin.format(op=op)
            if not any(root.glob(pattern)):
                yield f"{op}: its twin {pattern} is missing"
        for twin in CARD_TWINS if planned else []:
            pattern = twin.format(op=op)
            if any(root.glob(pattern)):
                yield f"spec/wire/{op}.toml: says planned, but {pattern} is there"


#: A class or the like at the top of a Scala file, its parameters in up to three pairs of parentheses in each other, and what it is a kind of.
PARAMETERS = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
MADE = re.compile(rf"^(?:[\w\[\]]+ )*(?:class|trait|object) (\w+)(?:\[[^\]]*\])?\s*(?:{PARAMETERS}\s*)*(?:extends (\w+))?", re.M)
#: The libraries' circuits.
COMPONENTS = {"Component", "BlackBox"}


def names(root):
    """Circuits that share their name with what is in another package."""
    base = root / "rtl/src/main/scala"
    made = [(path.parent.relative_to(base), *found) for path in sorted(base.rglob("*.scala")) for found in MADE.findall(without_comments(path.read_text()))]
    circuits = set()
    while more := {name for _, name, kind in made if kind in COMPONENTS | circuits} - circuits:
        circuits |= more
    for name in sorted(circuits):
        packages = sorted({str(package) for package, other, _ in made if other == name})
        if len(packages) > 1:
            yield f"{name}: a circuit's name, but it is used in {' and in '.join(packages)}"


def files_of(root):
    """Files that are in the repository or would be added to it."""
    listing = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root, stdout=subprocess.PIPE, check=True)
    return [root / name for name in listing.stdout.decode().split("\0") if name]


def registries(root):
    """Lines that name the host of a package registry."""
    for path in files_of(root):
        if not path.is_file():
            continue
        for number, line in enumerate(path.read_bytes().decode(errors="replace").splitlines(), 1):
            if HOSTS.search(line) and not (path.name == "Cargo.lock" and INDEX.fullmatch(line.strip())):
                yield f"{path.relative_to(root)}:{number}: names the host of a package registry"


CHECKS = [scala_arrows, rust_arrows, two_roots, twins, names, registries]


def door():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="another checkout")
    root = parser.parse_args().root
    faults = [fault for check in CHECKS for fault in check(root)]
    print("\n".join(faults) if faults else f"the house stands: {', '.join(check.__name__ for check in CHECKS)}")
    return 1 if faults else 0


if __name__ == "__main__":
    main(door)
