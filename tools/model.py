"""Checks the executable specification: `python3 tools/model.py [--record] [--again]`.

Runs the tests of spec/model, and compares spec/vectors with what `make vectors` makes. Both take minutes and depend on nothing but Python and the files of
spec/ and examples/headers. Once they passed with `--record`, spec/model/checked.txt has the digest of these files, which are then checked again only with
`--again` and in the long tests.
"""

import argparse
import os
import subprocess
import sys

from place import ROOT, Failed, digest, main, write_whole

#: What the tests and the vectors depend on.
FOLDERS = [ROOT / "spec", ROOT / "examples/headers"]
CHECKED = ROOT / "spec/model/checked.txt"
#: Not of the specification, the model or the vectors: the crate that embeds them, and what Python compiles.
OTHERS = (".rs", ".pyc")
COMMANDS = [["-m", "unittest", "discover", "-s", "spec/model", "-p", "test_*.py"], ["spec/model/vectors.py", "--check"]]


def content():
    """Returns the digest of the files that are checked."""
    files = sorted(path for folder in FOLDERS for path in folder.rglob("*") if path.is_file() and path.suffix not in OTHERS and path.name not in (CHECKED.name, "Cargo.toml"))
    return digest(*(part for path in files for part in (path.relative_to(ROOT).as_posix(), path)))


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="record that these files have passed")
    parser.add_argument("--again", action="store_true", help="check files that have passed too")
    chosen = parser.parse_args()
    here = content()
    if not (chosen.again or chosen.record or os.environ.get("PROOFMILL_LONG")) and CHECKED.exists() and CHECKED.read_text().strip() == here:
        print(f"SKIPPED the model and its vectors: {CHECKED.relative_to(ROOT)} has the digest of these files, which passed")
        return 0
    for command in COMMANDS:
        if subprocess.run([sys.executable, *command], cwd=ROOT).returncode != 0:
            raise Failed(f"`python3 {' '.join(command)}` failed")
    if chosen.record:
        write_whole(CHECKED, here + "\n")
    return 0


if __name__ == "__main__":
    main(cli)
