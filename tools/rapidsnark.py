"""Builds rapidsnark as a program for the bench from its public source, and prints its path.

LGPL-3 and therefore nowhere in this repository: the source goes to the user's cache folder, and so does what is
made of it. Where the machine cannot reach the repositories, `--source` names a checkout that has the submodule
depends/ffiasm. Needs git, cmake, nasm, a C++ compiler, GMP and nlohmann's JSON with their headers.
"""

import argparse
import ctypes.util
import os
import shutil
from pathlib import Path

from place import CACHE, ROOT, Failed, digest, main, made_whole, run

COMMIT = "81eddf1a536d26497b237c0b8a04fe90baf7e439"
REPOSITORY = "https://github.com/iden3/rapidsnark"
SERVER = ROOT / "bench/peers/rapidsnark/main.cpp"
#: Required program or header -> its Debian package.
PROGRAMS = {"cmake": "cmake", "nasm": "nasm", "g++": "g++", "make": "make", "git": "git"}
HEADERS = {"nlohmann/json.hpp": "nlohmann-json3-dev", "gmp.h": "libgmp-dev"}
LIBRARIES = {"gomp": "libgomp1"}
FLAGS = ["-O3", "-march=native"]


def missing():
    """Returns the Debian packages of missing programs and headers."""
    def header(name):
        return any(any(Path(root).glob(pattern)) for root in ("/usr/include", "/usr/local/include") for pattern in (name, f"*-linux-gnu/{name}"))
    return sorted({PROGRAMS[name] for name in PROGRAMS if shutil.which(name) is None}
                  | {HEADERS[name] for name in HEADERS if not header(name)}
                  | {LIBRARIES[name] for name in LIBRARIES if ctypes.util.find_library(name) is None})


def fetch(to):
    """Fetches the pinned commit with the submodule that the library needs."""
    quiet = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
    run(["git", "clone", "--quiet", "--no-checkout", REPOSITORY, to], env=quiet)
    run(["git", "checkout", "--quiet", COMMIT], cwd=to)
    run(["git", "submodule", "--quiet", "update", "--init", "depends/ffiasm"], cwd=to, env=quiet)


def build(source, to):
    """Builds the library with optimisation for this processor, and the bench's program on top of it."""
    made = to / "build"
    run(["cmake", "-S", source, "-B", made, "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CXX_FLAGS={' '.join(FLAGS)}"])
    run(["make", "-C", made, "-j2", "rapidsnarkStatic"])
    libraries = [made / f"src/lib{name}.a" for name in ("rapidsnark", "fr", "fq")]
    run(["g++", *FLAGS, f"-I{source}/src", SERVER, *libraries, "-lgmp", "-fopenmp", "-lpthread", "-o", to / "rapidsnark-peer"])


def program(given=None):
    """Returns the program's path. Builds it on first use."""
    final = CACHE / f"rapidsnark-{digest(SERVER, COMMIT, *FLAGS)}"
    if not final.is_dir():
        absent = missing()
        if absent:
            raise Failed(f"these are missing: {' '.join(absent)}. On Debian 12: sudo apt-get install {' '.join(absent)}")
        if given and not (given / "depends/ffiasm/c").is_dir():
            raise Failed(f"--source: {given} holds no depends/ffiasm/c, the submodule that rapidsnark needs")
        with made_whole(final) as scratch:
            source = scratch / "source"
            if given:
                shutil.copytree(given, source)
            else:
                try:
                    fetch(source)
                except Failed:
                    raise Failed("its source cannot be fetched; name a checkout with `python3 tools/rapidsnark.py --source`") from None
            build(source, scratch)
    return final / "rapidsnark-peer"


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=Path, help="a checkout of rapidsnark with its submodule depends/ffiasm")
    print(program(parser.parse_args().source))


if __name__ == "__main__":
    main(cli)
