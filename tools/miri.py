"""Runs tests of pure code in Miri, which finds undefined behaviour: `python3 tools/miri.py`.

Miri interprets the code of a test, a thousand times slower than it runs: the tests are those of few steps. It has no assembly, no instructions of vectors
and no libraries of C. SKIPPED without a nightly toolchain with the components `miri` and `rust-src`.
"""

import os
import subprocess
import sys

from place import BUILT, ROOT, Failed, main

#: Package -> parts of the names of its unit tests.
TESTS = {"proofmill-op": ["secret::", "ticket::", "cancel::", "data::"]}
#: Tests that need what Miri lacks, a child process, or that take minutes in it: the trace of a panic.
SKIPPED = ["forked", "panics"]
INSTALL = "rustup toolchain install nightly --component miri --component rust-src"


def is_installed():
    try:
        return subprocess.run(["cargo", "+nightly", "miri", "--version"], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    except FileNotFoundError:
        return False


def cli():
    if not is_installed():
        print(f"SKIPPED: there is no Miri; `{INSTALL}` installs it")
        return 0
    # Pointers must not be made of numbers. The clock and the system's random numbers are those of the machine.
    environment = {**os.environ, "MIRIFLAGS": "-Zmiri-disable-isolation -Zmiri-strict-provenance", "CARGO_TARGET_DIR": str(BUILT / "miri"), "PROOFMILL_ISA": "portable"}
    for package, names in TESTS.items():
        skipped = [word for test in SKIPPED for word in ("--skip", test)]
        command = ["cargo", "+nightly", "miri", "test", "--package", package, "--lib", "--", *skipped, *names]
        print(f"--- {package}", flush=True)
        status = subprocess.run(command, cwd=ROOT, env=environment, stderr=sys.stdout).returncode
        if status != 0:
            raise Failed(f"{package}: Miri found a fault, or a test failed (status {status})")
    return 0


if __name__ == "__main__":
    main(cli)
