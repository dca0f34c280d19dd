"""The Python package as its users have it: a wheel in a new virtual environment, beside py_ecc, numpy and tqdm."""

import csv
import os
import shutil
import subprocess
import sys
import unittest
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
sys.path.insert(0, str(ROOT / "tools"))

import artifacts  # noqa: E402
import dist  # noqa: E402
import host  # noqa: E402
import node_packages  # noqa: E402
import setup  # noqa: E402
from place import PROOFMILL, TARGET, run  # noqa: E402

#: What the examples and the tests use besides.
PACKAGES = ["maturin==1.16.0", "numpy==2.3.5", "py_ecc==8.0.0", "hypothesis==6.148.2", "tqdm==4.67.1",
            "ipykernel==7.4.0", "matplotlib==3.11.2", "nbclient==0.11.0", "ray==2.60.0"]
#: cargo for maturin: answers with the messages of the build of all products, so that nothing is compiled again.
CARGO = """#!/bin/sh
[ "$1" = rustc ] || exec "{cargo}" "$@"
exec cat "{messages}"
"""


class Wheel(unittest.TestCase):
    def test_the_wheel_in_its_environment(self):
        python = setup.python_tool("python", PACKAGES)
        programs = TARGET / "test/programs-python"
        programs.mkdir(parents=True, exist_ok=True)
        (programs / "messages").write_text(host.build_products())
        (programs / "cargo").write_text(CARGO.format(cargo=shutil.which("cargo"), messages=programs / "messages"))
        (programs / "cargo").chmod(0o755)
        environment = {**os.environ, "PROOFMILL_PROGRAM": str(PROOFMILL), "PATH": f"{python.parent}:{PROOFMILL.parent}:{node_packages.folder() / 'node_modules/.bin'}:{os.environ['PATH']}"}
        site, wheels = TARGET / "test/python", TARGET / "test/wheels"
        shutil.rmtree(wheels, ignore_errors=True)
        quick = ["--quiet", "--disable-pip-version-check", "--no-deps"]
        # pip would fetch maturin and make an environment for it; it is here.
        run([python, "-m", "pip", "wheel", *quick, "--no-build-isolation", "--wheel-dir", wheels / "built", "./host/bind/python"], cwd=ROOT,
            env={**environment, "PATH": f"{programs}:{environment['PATH']}"})
        wheel = dist.with_licences(next((wheels / "built").glob("*.whl")), dist.target(), wheels)
        self.check_licences(wheel)
        run([python, "-m", "pip", "install", *quick, "--no-index", "--upgrade", "--target", site, wheel], env=environment)
        checks = subprocess.run([python, "-m", "unittest", "discover", "-s", HERE, "-p", "check_*.py"], env={**environment, "PYTHONPATH": str(site)},
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(checks.stdout)
        self.assertEqual(checks.returncode, 0, checks.stdout)

    def check_licences(self, wheel):
        """Checks the licences in a wheel, and that its RECORD lists each file with its hash."""
        with zipfile.ZipFile(wheel) as file:
            contents = {name: file.read(name) for name in file.namelist()}
        (information,) = {name.split("/")[0] for name in contents if ".dist-info/" in name}
        licences = {"THIRD-PARTY", *artifacts.LICENCES}
        self.assertEqual({name.rsplit("/", 1)[1] for name in contents if name.startswith(f"{information}/licenses/")}, licences)
        third_party = contents[f"{information}/licenses/THIRD-PARTY"].decode()
        for package in ("pyo3", "wasmi", "snow"):
            self.assertRegex(third_party, rf"(?m)^{package} \d")
        head = contents[f"{information}/METADATA"].decode().split("\n\n")[0]
        self.assertEqual({line.split(": ")[1] for line in head.splitlines() if line.startswith("License-File: ")}, licences)
        record = list(csv.reader(contents[f"{information}/RECORD"].decode().splitlines()))
        self.assertEqual(sorted(name for name, _, _ in record), sorted(contents))
        for name, digest, size in record:
            if not name.endswith("/RECORD"):
                self.assertEqual((digest, size), (f"sha256={artifacts.wheel_digest(contents[name])}", str(len(contents[name]))), name)


if __name__ == "__main__":
    unittest.main()
