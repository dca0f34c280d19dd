"""Checks the crates to publish: `python3 tools/packages.py [--check] [--verify] [--semver]`.

--check packages each as cargo would for a registry, without compiling, and holds that none reads a file outside its own package
and that none is missing; --verify compiles each from its package too, which takes minutes. --semver holds the public interface of each,
with all features, to that of `BASELINE`: cargo-semver-checks finds what would break a program that was written for it. Without any: their
names, in the order in which they can be published.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

from place import CACHE, ROOT, TARGET, Failed, digest, made_whole, main, run

#: The commit with the public interface to keep: the last release, or, before the first one, the last intended break.
BASELINE = "721b761da08382b07024cbdc2e6008c7bf58982f"
#: The version of cargo-semver-checks, which is compiled into the user's cache folder on first use. It needs Rust 1.93.
SEMVER = "0.51.0"
#: Replaces its release profile, which optimises across its 400 crates and takes longer to compile than all checks together.
QUICKLY = {"CARGO_PROFILE_RELEASE_LTO": "off", "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16", "CARGO_PROFILE_RELEASE_OPT_LEVEL": "0"}
#: rustdoc's options for its input.
DESCRIBED = "-Z unstable-options --output-format json --document-private-items --document-hidden-items --cap-lints allow"

#: Paths in the source that cargo does not check: of including macros, of `path` attributes, of build scripts.
INCLUDED = re.compile(r'(?:include_str!|include_bytes!|include!|#!?\[path =)\s*\(?\s*"([^"]+)"')
CLIMBS = re.compile(r'(?:CARGO_MANIFEST_DIR[^;]*?\.\./)|rerun-if-changed=\.\./')


def crates(source=ROOT):
    """Returns the publishable members of a checkout's workspace, each after its dependencies."""
    metadata = json.loads(run(["cargo", "metadata", "--format-version", "1", "--no-deps", "--offline"], cwd=source))
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
    """Yields files that a package's source names and that are not in the package; tests of the crate may read any file."""
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


def semver_checks():
    """Returns the program, compiled on first use. An interrupted compilation is resumed."""
    folder = CACHE / f"semver-checks-{SEMVER}"
    if not folder.is_dir():
        print(f"compiling cargo-semver-checks into {folder}, once: some minutes", flush=True)
        with made_whole(folder) as scratch:
            command = ["cargo", "install", "cargo-semver-checks", "--version", SEMVER, "--locked", "--root", scratch, "--target-dir", TARGET / "semver-checks"]
            run(command, env={**os.environ, **QUICKLY})
        shutil.rmtree(TARGET / "semver-checks")
    return folder / "bin/cargo-semver-checks"


def libraries(found):
    """Returns the crates that others can depend on."""
    return {name: package for name, package in found.items() if any("lib" in target["kind"] for target in package["targets"])}


def describe(source, names, target, folder):
    """Writes rustdoc's descriptions of a checkout's crates into a folder, in one run. `target` must belong to that checkout only: files of
    another one would have the same names, and cargo would treat them as fresh.
    """
    chosen = [word for name in names for word in ("--package", name)]
    run(["cargo", "doc", "--quiet", "--no-deps", "--lib", "--all-features", *chosen], cwd=source,
        env={**os.environ, "RUSTC_BOOTSTRAP": "1", "RUSTDOCFLAGS": DESCRIBED, "CARGO_TARGET_DIR": str(target)})
    for name in names:
        shutil.copy(target / f"doc/{name.replace('-', '_')}.json", folder / f"{name}.json")


def baseline():
    """Returns a folder with rustdoc's descriptions of the crates at `BASELINE`, and their features in `features.json`. It uses the same
    versions of dependencies as the checkout, since changes of dependencies are no breaks of these crates.
    """
    folder = CACHE / f"interfaces-{digest(BASELINE, run(['rustc', '--version']), ROOT / 'Cargo.lock')}"
    if not folder.is_dir():
        with made_whole(folder) as scratch:
            source = scratch / "source"
            run(["git", "archive", "--output", scratch / "source.tar", BASELINE], cwd=ROOT)
            with tarfile.open(scratch / "source.tar") as archive:
                archive.extractall(source, filter="data")
            shutil.copy(ROOT / "Cargo.lock", source)
            then = libraries(crates(source))
            describe(source, then, scratch / "target", scratch)
            (scratch / "features.json").write_text(json.dumps({name: package["features"] for name, package in then.items()}))
            shutil.rmtree(source)
            shutil.rmtree(scratch / "target")
            (scratch / "source.tar").unlink()
    return folder


def lost(name, then, now):
    """Yields features that were removed, or removed from the default: rustdoc does not describe features."""
    for feature in sorted(then.keys() - now.keys()):
        yield f"{name}: the feature {feature} is not there any more"
    for feature in sorted(set(then.get("default", ())) - set(now.get("default", ()))):
        yield f"{name}: the feature {feature} is not on by default any more"


def semver(found):
    """Returns the removed parts of the interfaces at `BASELINE`."""
    program, then, now = semver_checks(), baseline(), TARGET / "interfaces/now"
    now.mkdir(parents=True, exist_ok=True)
    found = libraries(found)
    describe(ROOT, found, TARGET / "interfaces", now)
    broken = []
    for name, features in json.loads((then / "features.json").read_text()).items():
        if name not in found:
            broken.append(f"{name}: the crate is not there any more")
            continue
        broken += lost(name, features, found[name]["features"])
        print(f"{name}:", flush=True)
        command = [program, "semver-checks", "--baseline-rustdoc", then / f"{name}.json", "--current-rustdoc", now / f"{name}.json", "--release-type", "minor"]
        if subprocess.run(command, cwd=ROOT).returncode != 0:
            broken.append(f"{name}: see above")
    if broken:
        remedy = "restore it, or, if the break is intended, list it in CHANGELOG.md and move BASELINE"
        raise Failed("\n".join([f"a public interface of {BASELINE} is broken: {remedy}", *broken]))
    print(f"{len(found)} crates, whose interfaces of {BASELINE[:12]} hold")


def cli():
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
    main(cli)
