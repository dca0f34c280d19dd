"""Compiles proofmill for other systems and processors, and runs it in emulators: `python3 tools/machines.py [--long]`.

1. cargo checks the command, and with it the library, for Windows; warnings are errors. The smallest program that proves with Groth16
   (tools/trial) runs on AArch64, if an emulator and a linker can be installed.
2. `--long` checks every target with all features, and the C library. Where an emulator and a linker can be installed, it compiles the command,
   makes and verifies a proof of each protocol in a folder whose name has a space and letters outside ASCII, and runs the tests of `TESTED`.
   On AArch64 it also counts the instructions of the field products.

Targets come from rustup, the other programs from Debian if this runs as root. What cannot be installed is SKIPPED by name.
"""

import argparse
import os
import re
import shutil
import subprocess
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

from place import BUILT, ROOT, TARGET, Failed, main, run


@dataclass(frozen=True)
class Machine:
    target: str
    quick: bool = False      # checked in `make test`; the others differ from these in processor or in system only
    trial: bool = False      # proves in `make test`
    linker: str = ""
    emulator: tuple = ()     # the command that runs its programs
    packages: tuple = ()     # of Debian, with linker and emulator
    suffix: str = ""         # of a program


MACHINES = [
    Machine("aarch64-apple-darwin"),
    Machine("x86_64-pc-windows-gnu", quick=True, linker="x86_64-w64-mingw32-gcc", emulator=("wine",),
            packages=("gcc-mingw-w64-x86-64-win32", "wine", "wine64"), suffix=".exe"),
    Machine("x86_64-apple-darwin"),
    Machine("aarch64-unknown-linux-gnu", trial=True, linker="aarch64-linux-gnu-gcc", emulator=("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"),
            packages=("gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross", "qemu-user")),
]


def features_without_c():
    """Returns the default features of the command and of the C library that link no C: a check for a system has no compiler for it."""
    found = []
    for package in ("cli", "bind/c"):
        manifest = tomllib.loads((ROOT / "host" / package / "Cargo.toml").read_text())
        found += [f"{manifest['package']['name']}/{feature}" for feature in manifest["features"]["default"] if feature != "zcash"]
    return found


#: Features of the quick check: those with code for a system. The rest of the dependencies takes most of the time of a full one.
QUICK = ["--package", "proofmill-cli", "--no-default-features", "--features", "card,cuda,dev,remote"]
FULL = ["--package", "proofmill-cli", "--package", "proofmill-c", "--no-default-features", "--features", ",".join(features_without_c())]
#: The smallest program that proves, and options with which it takes least to compile (docs/decisions/0078-a-trial-of-one-proof.md).
TRIAL = ["--package", "proofmill-trial",
         *(word for option in ("opt-level=0", "package.proofmill-algebra.opt-level=0", 'panic="abort"') for word in ("--config", f"profile.dev.{option}"))]
#: Features of the command that proves in an emulator.
RUNS = ["--package", "proofmill-cli", "--no-default-features", "--features", "card,dev"]
#: Packages whose unit tests run in an emulator.
TESTED = ["--package", "proofmill-algebra", "--package", "proofmill-op", "--lib"]
#: A folder as a person may name it.
FOLDER = "Prüfung 証明 1"
#: Libraries of Windows that Wine 8 lacks, compiled from tools/wine.
DLLS = TARGET / "wine"
#: Limbs -> instructions of a product in the assembly of others, and the most that ours may have: 1.15 times the smaller number
#: (docs/decisions/0074-products-on-aarch64.md).
PRODUCTS = {4: 181, 6: 380}


def missing_target(target):
    """Adds a target to the toolchain. Returns the reason if that is impossible."""
    if shutil.which("rustup") is None:
        installed = Path(run(["rustc", "--print", "sysroot"]).strip()) / "lib/rustlib" / target
        return None if installed.is_dir() else "there is no rustup"
    if target in run(["rustup", "target", "list", "--installed"]).split():
        return None
    added = subprocess.run(["rustup", "target", "add", target], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return None if added.returncode == 0 else f"rustup does not add it: {added.stdout.strip().splitlines()[-1]}"


def missing_programs(machine):
    """Installs linker and emulator. Returns the reason if that is impossible."""
    def missing():
        return [program for program in (machine.linker, *machine.emulator[:1]) if shutil.which(program) is None]
    if missing() and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["update"], ["install", "-y", "--no-install-recommends", *machine.packages]):
            subprocess.run(["apt-get", *command], env=quiet, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return f"there is no {' and no '.join(missing())}; Debian has them in {' '.join(machine.packages)}" if missing() else None


def build_dlls(machine):
    DLLS.mkdir(parents=True, exist_ok=True)
    for source in (ROOT / "tools/wine").glob("*.c"):
        run([machine.linker, "-shared", "-O1", "-o", DLLS / f"{source.stem}.dll", source, "-lbcrypt"])


def environment(machine):
    """Returns the environment in which cargo denies warnings, links and runs programs of a target."""
    name = machine.target.upper().replace("-", "_")
    found = {**os.environ, "RUSTFLAGS": "-D warnings", "CARGO_INCREMENTAL": "0", "WINEDEBUG": "-all", "WINEPATH": str(DLLS)}
    if machine.linker:
        found |= {f"CARGO_TARGET_{name}_LINKER": machine.linker, f"CARGO_TARGET_{name}_RUNNER": " ".join(machine.emulator),
                  f"CC_{machine.target}": machine.linker}
    return found


def cargo(machine, *arguments):
    command = ["cargo", *arguments, "--target", machine.target, "--quiet"]
    if subprocess.run(command, cwd=ROOT, env=environment(machine)).returncode != 0:
        raise Failed(f"{machine.target}: `{' '.join(command)}` fails")


def trial(machine):
    """Runs the smallest program that proves. Returns the number of checks."""
    reason = missing_target(machine.target) or missing_programs(machine)
    if reason:
        print(f"SKIPPED a proof on {machine.target}: {reason}")
        return 0
    cargo(machine, "build", *TRIAL)
    program = [*machine.emulator, BUILT / machine.target / "debug/proofmill-trial"]
    print(f"{machine.target}: {run(program, env=environment(machine)).strip()}")
    return 1


def prove(machine):
    """Makes a proof of each protocol with the command, verifies it, and refuses it for other public inputs. Returns the number of protocols."""
    cargo(machine, "build", *RUNS)
    program = [*machine.emulator, BUILT / machine.target / f"debug/proofmill{machine.suffix}"]

    def proofmill(status, *arguments):
        done = subprocess.run([str(part) for part in (*program, *arguments)], env=environment(machine), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              encoding="utf-8", errors="replace")
        if done.returncode != status:
            raise Failed(f"{machine.target}: proofmill {' '.join(map(str, arguments))} ended with {done.returncode}, not {status}: {done.stdout}")
        return done.stdout

    protocols = ["groth16", "plonk", "fflonk"]
    with tempfile.TemporaryDirectory() as folder:
        for protocol in protocols:
            here = Path(folder) / FOLDER / protocol
            here.mkdir(parents=True)
            key, public, proof = (here / name for name in ("verification_key.json", "public.json", "proof.json"))
            proofmill(0, "dev", "circuit", "chain", "--constraints", 100, "--protocol", protocol, "--out", here)
            proofmill(0, "prove", here / "INSECURE.zkey", here / "witness.wtns", "--output", proof, "--public", public)
            proofmill(0, "verify", key, public, proof)
            public.write_text(re.sub(r'"\d+"', '"1"', public.read_text(), count=1))
            proofmill(1, "verify", key, public, proof)
    if machine.suffix and "needs a Unix system" not in proofmill(2, "demo", "--device", "sim:"):
        raise Failed(f"{machine.target}: sim: does not name what it needs")
    return len(protocols)


def executed(body):
    """Returns the instructions of a function that a call executes if it takes no conditional branch: the path for moduli with space above them."""
    lines = {int(address, 16): words.split() for address, words in re.findall(r"^ *([0-9a-f]+):\t(.*)$", body, re.M)}
    found, at = [], min(lines)
    while lines[at][0] != "ret":
        found.append(lines[at][0])
        at = int(lines[at][1], 16) if lines[at][0] == "b" else at + 4
    return [*found, "ret"]


def instructions_of_products(listing):
    """Returns limbs -> instructions of a product in a disassembly. A product of n limbs has 2 n^2 `umulh`."""
    found = {}
    for name, body in re.findall(r"^[0-9a-f]+ <(.*)>:\n((?:.+\n)*)", listing, re.M):
        if "multiply::portable_product" in name:
            instructions = executed(body)
            found[round((instructions.count("umulh") / 2) ** 0.5)] = len(instructions)
    return found


def count_products(machine):
    """Counts the instructions of the products in the command. Returns the number of sizes."""
    program = BUILT / machine.target / "debug/proofmill"
    found = instructions_of_products(run(["aarch64-linux-gnu-objdump", "--disassemble", "--demangle", "--no-show-raw-insn", program]))
    for limbs, most in PRODUCTS.items():
        if found.get(limbs, most + 1) > most:
            raise Failed(f"{machine.target}: a product of {limbs} limbs has {found.get(limbs, 'no')} instructions; expected at most {most}")
        print(f"{machine.target}: a product of {limbs} limbs has {found[limbs]} instructions, at most {most}")
    return len(PRODUCTS)


def check(machine, packages):
    """Checks a target. Returns whether it is installed."""
    reason = missing_target(machine.target)
    if reason:
        print(f"SKIPPED {machine.target}: {reason}")
        return False
    cargo(machine, "check", *packages)
    print(f"{machine.target}: no warnings")
    return True


def execute(machine):
    """Runs programs of a target. Returns the number of checks."""
    reason = missing_target(machine.target) or missing_programs(machine)
    if reason:
        print(f"SKIPPED programs of {machine.target}: {reason}")
        return 0
    if machine.emulator == ("wine",):
        build_dlls(machine)
    checks = prove(machine)
    print(f"{machine.target}: proofs of {checks} protocols")
    if machine.target.startswith("aarch64"):
        checks += count_products(machine)
    cargo(machine, "test", *TESTED)
    return checks + 1


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--long", action="store_true", help="all targets with all features, and programs in emulators")
    long = parser.parse_args().long
    passed = 0
    for machine in MACHINES:
        if long or machine.quick:
            passed += check(machine, FULL if long else QUICK)
        if long and machine.emulator:
            passed += execute(machine)
        elif machine.trial:
            passed += trial(machine)
    print(f"{passed} passed, 0 failed")


if __name__ == "__main__":
    main(cli)
