"""Poseidon compared with other libraries: `python3 tools/digests.py [--long]`, the tests of interop/hashes.

neptune has its tree builders only where it also has OpenCL. It gets a library of that name without a device (interop/hashes/opencl.c), so
that no driver is needed.
"""

import argparse
import os
import subprocess

from place import ROOT, TARGET, Failed, main

CRATE = ROOT / "interop/hashes"


def opencl():
    """Builds the stand-in library and returns its folder."""
    folder = TARGET / "hashes/opencl"
    folder.mkdir(parents=True, exist_ok=True)
    library, compiled = folder / "libOpenCL.a", folder / "opencl.o"
    library.unlink(missing_ok=True)
    compiler = os.environ.get("CC", "cc")
    for command in ([compiler, "-c", CRATE / "opencl.c", "-o", compiled], ["ar", "rcs", library, compiled]):
        if subprocess.run(command).returncode != 0:
            raise Failed(f"{command[0]} cannot make {library}")
    return folder


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--long", action="store_true", help="every arity with 100,000 preimages, and the tree of 16 MiB, instead of a few")
    arguments = parser.parse_args()
    folders = [str(opencl()), os.environ.get("LIBRARY_PATH", "")]
    # Only the best level is compared with them: the vectors cover the others.
    found = {**os.environ, "PROOFMILL_BUILD": "native", "CARGO_TARGET_DIR": str(TARGET / "hashes"), "LIBRARY_PATH": ":".join(filter(None, folders))}
    command = ["cargo", "test", "--quiet", "--manifest-path", str(CRATE / "Cargo.toml")]
    long = ["--features", "every", "--", "--include-ignored"] if arguments.long else []
    done = subprocess.run([*command, *long], cwd=ROOT, env=found)
    if done.returncode != 0:
        raise Failed("the tests of interop/hashes failed")


if __name__ == "__main__":
    main(cli)
