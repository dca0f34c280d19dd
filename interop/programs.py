"""Runs the programs under test: circom and snarkjs as published, proofmill as built.

Each function waits until the program ends. `snarkjs` and `proofmill` return the finished process, whatever its exit code.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import node_packages  # noqa: E402
from place import PROFILE, PROOFMILL, Failed, run  # noqa: E402

INSTALLED = node_packages.folder()
PACKAGES = INSTALLED / "node_modules"
#: Simulated cards behind files like those of a PCIe card's driver, and in emulated slots of an F2 instance: examples of the tests' crate, which are built
#: with the tests.
CARDS, SLOTS = (ROOT / "target/debug/examples" / name for name in ("xdma", "f2"))
#: The keys, circuits and verifying keys of Semaphore, from its ceremony.
SEMAPHORE = PACKAGES / "@zk-kit/semaphore-artifacts"


def circom(circuit, prime, into):
    """Compiles interop/circuits/<circuit>.circom. Returns the paths of the constraints and of the witness program; the names of
    signals are `<circuit>.sym` beside the constraints."""
    source = ROOT / f"interop/circuits/{circuit}.circom"
    # The compiler finds included files in a folder below the one that it runs in, and nowhere else.
    run(["node", PACKAGES / "circom2/cli.js", source, "--r1cs", "--wasm", "--sym", "--O2", "--prime", prime, "-l", "node_modules", "-o", into], cwd=INSTALLED)
    return into / f"{circuit}.r1cs", into / f"{circuit}_js/{circuit}.wasm"


def outcome(command, **options):
    # Into a file: snarkjs ends before a pipe has taken all of its output.
    with tempfile.TemporaryFile("w+") as output:
        result = subprocess.run([str(part) for part in command], stdout=output, stderr=subprocess.STDOUT, **options)
        output.seek(0)
        return subprocess.CompletedProcess(result.args, result.returncode, output.read())


def snarkjs(*arguments):
    """Runs snarkjs. The exit code is 0 when done, or when a proof is valid."""
    return outcome(["node", PACKAGES / "snarkjs/build/cli.cjs", *arguments])


def proofmill(*arguments):
    """Runs proofmill. The exit code is 0 when done or when a proof is valid, 1 when it is invalid, 2 for wrong input."""
    return outcome([PROOFMILL, *arguments])


def max_memory(report):
    """Returns the bytes that a proof may take at most, by its report: its plan and a fifth. The unoptimised program itself is larger."""
    return 1.2 * report["planned_memory"] + (4 << 20) * (PROFILE == "dev")


@contextlib.contextmanager
def served(program, scheme, option, libraries):
    """Runs a program that serves the cards of these simulation libraries as device files. Yields the URI of all of them."""
    with subprocess.Popen([str(part) for part in (program, *libraries)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as cards:
        place = cards.stdout.readline().strip()
        if not place:
            raise Failed(f"{program} has ended")
        yield f"{scheme}:{','.join(str(number) for number in range(len(libraries)))}?{option}={place}"


def on_pcie(*libraries):
    return served(CARDS, "pcie", "prefix", libraries)


def on_f2(*libraries):
    """Serves simulated tops for F2."""
    return served(SLOTS, "f2", "emulated", libraries)


def emulates_gpus():
    """Returns whether the library of `cuda:emulated` is built. Raises `Failed` if PROOFMILL_CUDA_DIR names a folder without it."""
    gpus = json.loads(done(proofmill("doctor", "--json")))["gpus"]
    if gpus["emulation"] is None and "PROOFMILL_CUDA_DIR" in os.environ and Path(gpus["kernels"]).exists():
        raise Failed(f"{gpus['kernels']} has no emulation of these kernels")
    return gpus["emulation"] is not None


def done(result):
    """Returns the output of a program that must have succeeded."""
    if result.returncode != 0:
        raise Failed(f"{' '.join(result.args)[-300:]} ended with {result.returncode}: {result.stdout}")
    return result.stdout
