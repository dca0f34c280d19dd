"""The crates that are made to be published: `python3 tools/packages.py [--check] [--verify] [--semver]`.

--check packages each as cargo would for a registry, without compiling, and holds that none reads a file outside its own package
and that none is missing; --verify compiles each from its package too, which takes minutes. --semver holds the public interface of each
to that of `BASELINE`: `cargo semver-checks` finds what would break a program that was written for it. Without any: their names, in the
order in which they can be published.
"""

import argparse
import json
import os
import re
import subprocess
from pathlib import Path

from place import CACHE, ROOT, Failed, made_whole, main, run

#: The commit whose public interface is kept: that of the last release, or, before the first one, of the last intended break.
BASELINE = "84db11bd8fc34a8b5533f7834283a37bd009d47b"
#: The version of cargo-semver-checks, which is compiled into the user's cache folder on first use. It needs Rust 1.93.
SEMVER = "0.51.0"

#: Paths in the source that cargo does not look at: what a macro includes, what an attribute points at, what a build script joins.
INCLUDED = re.compile(r'(?:include_str!|include_bytes!|include!|#!?\[path =)\s*\(?\s*"([^"]+)"')
CLIMBS = re.compile(r'(?:CARGO_MANIFEST_DIR[^;]*?\.\./)|rerun-if-changed=\.\./')


def crates():
    """Members of the workspace that may be published, each after those that it depends on."""
    metadata = json.loads(run(["cargo", "metadata", "--format-version", "1", "--no-deps", "--offline"], cwd=ROOT))
    members = {package["name"]: package for package in metadata["packages"] if package["publish"] != []}
    ordered = {}

    def place(name):
        for dependency in members[name]["dependencies"]:
            if dependency["kind"] != "dev" and dependency["name"] in members and dependency["name"] != name:
                place(dependency["name"])
            elif dependency.get("path") and dependency["kind"] != "dev":
                raise Failed(f"{name} depends on {dependency['name']}, which is not published")
        ordered.setdefault(name, members[name])

    for name in sorted(members):
        place(name)
    return ordered


def faults(name, manifest):
    """Files that a package's source names and that do not travel with it; tests of the crate may read what they like."""
    folder = Path(manifest).parent
    listed = set(run(["cargo", "package", "--list", "--allow-dirty", "--offline", "--package", name], cwd=ROOT).split("\n"))
    for file in sorted(file for file in listed if file.endswith(".rs") and not file.startswith("tests/")):
        source = folder / file
        code = re.sub(r"(?m)^\s*//[/!] .*$", "", source.read_text())  # examples in comments run in the checkout
        for found in INCLUDED.finditer(code):
            if os.path.relpath(source.parent / found[1], folder) not in listed:
                yield f"{name}: {file} includes {found[1]}, which is not in the package"
        if CLIMBS.search(code):
            yield f"{name}: {file} reads what lies beside the package"


def check(found, verify):
    problems = [fault for name, package in found.items() for fault in faults(name, package["manifest_path"])]
    if problems:
        raise Failed("\n".join(problems))
    chosen = [word for name in found for word in ("--package", name)]
    command = ["cargo", "package", "--allow-dirty", "--offline", *([] if verify else ["--no-verify"]), *chosen]
    if subprocess.run(command, cwd=ROOT).returncode != 0:
        raise Failed("cargo does not accept them")
    print(f"{len(found)} crates, each whole: {', '.join(found)}")


def semver(found):
    """What of the interfaces at `BASELINE` is not there any more."""
    folder = CACHE / f"semver-checks-{SEMVER}"
    if not folder.is_dir():
        print(f"compiling cargo-semver-checks into {folder}, once: many minutes", flush=True)
        with made_whole(folder) as scratch:
            run(["cargo", "install", "cargo-semver-checks", "--version", SEMVER, "--locked", "--root", scratch])
    chosen = [word for name in found for word in ("--package", name)]
    command = [folder / "bin/cargo-semver-checks", "semver-checks", "--baseline-rev", BASELINE, "--release-type", "minor", *chosen]
    if subprocess.run(command, cwd=ROOT).returncode != 0:
        raise Failed(f"a public interface of {BASELINE} is broken: mend it, or, where that is meant, say so in CHANGELOG.md and move BASELINE")


def door():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--verify", action="store_true")
    parser.add_argument("--semver", action="store_true")
    asked = parser.parse_args()
    found = crates()
    if asked.semver:
        semver(found)
    elif asked.check or asked.verify:
        check(found, asked.verify)
    else:
        print("\n".join(found))


if __name__ == "__main__":
    main(door)
