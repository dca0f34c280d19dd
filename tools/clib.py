"""Installs the C library: `python3 tools/clib.py --prefix FOLDER [--profile NAME]`.

FOLDER/include gets the headers (proofmill.h, proofmill.hpp, rapidsnark's names in prover.h and verifier.h), FOLDER/lib the library,
shared and static, and proofmill.pc for pkg-config.
"""

import argparse
import os
import shutil
import tomllib
from pathlib import Path

import host
from place import PRODUCTS, ROOT, link, main, output, run

SOURCE = ROOT / "host/bind/c"
#: Libraries that the static library needs.
PRIVATE = "-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc"


def version():
    return tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]


def build(profile):
    """Builds the library and returns its folder."""
    run(["cargo", "build", "--quiet", "--profile", profile, "--package", "proofmill-c"], cwd=ROOT)
    return output(profile)


def install(folder, built, prefix=None):
    """Installs the library of the folder `built`. `prefix` is the folder that proofmill.pc names, if it is another one than `folder`."""
    number = version()
    include, library = folder / "include", folder / "lib"
    (library / "pkgconfig").mkdir(parents=True, exist_ok=True)
    shutil.copytree(SOURCE / "include", include, dirs_exist_ok=True)
    whole = f"libproofmill.so.{number}"
    shutil.copy(built / "libproofmill_c.so", library / whole)
    shutil.copy(built / "libproofmill_c.a", library / "libproofmill.a")
    link(library / f"libproofmill.so.{number.split('.')[0]}", whole)
    link(library / "libproofmill.so", whole)
    pc = (SOURCE / "proofmill.pc.in").read_text()
    for name, value in {"prefix": prefix or folder, "version": number, "private": PRIVATE}.items():
        pc = pc.replace(f"@{name}@", str(value))
    (library / "pkgconfig/proofmill.pc").write_text(pc)
    return library / whole


def built_for_tests():
    """Returns the folder of the library for tests: built together with the command, as in other stages; in the long tests alone, as users build it."""
    if os.environ.get("PROOFMILL_LONG"):
        return build("release")
    host.build_products()
    return PRODUCTS


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--prefix", type=Path, required=True, help="a folder, such as /usr/local")
    parser.add_argument("--profile", default="dist", help="cargo's: dist, as shipped, or release")
    chosen = parser.parse_args()
    print(install(chosen.prefix.absolute(), build(chosen.profile)))
    return 0


if __name__ == "__main__":
    main(cli)
