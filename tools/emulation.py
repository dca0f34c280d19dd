"""Builds the emulation of GPUs for tests: `python3 tools/emulation.py [--sanitize]`, after `tools/host.py --build`.

The GPU's kernels become a library in target/cuda/tests, which PROOFMILL_CUDA_DIR names in `make test`. With --sanitize they become one with
AddressSanitizer in target/cuda/asan, and tests of `proofmill-cuda` run on it. Without a C++ compiler, either is SKIPPED.
"""

import argparse
import os
import shutil
from pathlib import Path

import cuda
import host
from place import BUILT, TARGET, Failed, main, private_folder, run

#: The folder in which tests expect it.
FOLDER = TARGET / "cuda/tests"
SANITIZED = TARGET / "cuda/asan"
#: Long tests that launch no additional kernel.
LONG = ["every_distribution", "equal_and_opposite", "every_arity", "random_products"]


def library(folder, sanitize):
    """Builds the library. An example that was built with the tests writes its sources."""
    names = dict(line.split() for line in run([BUILT / "debug/examples/write_kernels", cuda.SOURCES]).splitlines())
    file = names.pop("emulated")
    private_folder(folder)
    return cuda.emulated(folder, names, file, sanitize)


def sanitized(compiler):
    """Runs the tests on the library with AddressSanitizer, whose run-time library comes first in the process."""
    program = next((program for program in host.programs() if program.name == "cuda/all"), None)
    if not program:
        raise Failed("there is no test program cuda/all")
    library(SANITIZED, True)
    preload = Path(run([compiler, "-print-file-name=libasan.so"]).strip())
    if not preload.is_absolute():
        raise Failed(f"{compiler} has no libasan.so")
    skipped = [word for test in LONG for word in ("--skip", test)]
    return host.run(program, skipped, least=1, LD_PRELOAD=str(preload), ASAN_OPTIONS="detect_leaks=0", PROOFMILL_CUDA_DIR=str(SANITIZED))


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sanitize", action="store_true", help="with AddressSanitizer, and tests on it")
    sanitize = parser.parse_args().sanitize
    compiler = os.environ.get("CXX", "g++")
    if shutil.which(compiler) is None:
        print(f"SKIPPED: the emulation of GPUs needs a C++ compiler, and there is no {compiler}")
        return 0
    if sanitize:
        return 0 if sanitized(compiler) else 1
    print(library(FOLDER, False))
    return 0


if __name__ == "__main__":
    main(cli)
