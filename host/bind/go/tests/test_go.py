"""Tests the Go module as its users have it: beside an installed C library that pkg-config finds."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
sys.path.insert(0, str(ROOT / "tools"))

import circom_files  # noqa: E402
import clib  # noqa: E402
from place import PROOFMILL, run  # noqa: E402

#: A test that is an example of docs/use/go.md, and what the example takes from the program around it.
EXAMPLE = """package proofmill_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	proofmill "github.com/proofmill/proofmill/host/bind/go"
)

func TestTheExampleOfThePage(t *testing.T) {
	ctx, points, scalars, others := context.Background(), generators(), scalars(5, 3), scalars(6, 2)
	prover, err := proofmill.OpenProver("cpu:", filepath.Join(circuit, "INSECURE.zkey"), true)
	if err != nil {
		t.Fatal(err)
	}
	witness, err := os.ReadFile(filepath.Join(circuit, "witness.wtns"))
	if err != nil {
		t.Fatal(err)
	}
	// What the example opens is in this folder.
	home, err := os.Getwd()
	if err != nil || os.Chdir(generated) != nil {
		t.Fatal(generated, err)
	}
	defer os.Chdir(home)
	{
		EXAMPLE
		if err != nil || len(results) != 2 || len(proof.Proof) == 0 {
			t.Fatal(results, proof, err)
		}
	}
}
"""


def example(number):
    """The Go of docs/use/go.md."""
    return re.findall(r"^```go\n(.*?)^```", (ROOT / "docs/use/go.md").read_text(), re.S | re.M)[number]


def version():
    """Returns the version of Go, such as (1, 21); () without Go."""
    if shutil.which("go") is None:
        return ()
    return tuple(map(int, re.findall(r"go(\d+)\.(\d+)", run(["go", "version"]))[0]))


@contextmanager
def installed(module, program):
    """Yields the environment in which a module is tested beside the C library, with one test more."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "page_test.go").write_text(program)
        (folder / "overlay.json").write_text(json.dumps({"Replace": {str(module / "page_test.go"): str(folder / "page_test.go")}}))
        clib.install(folder / "installed", clib.built_for_tests())
        run([PROOFMILL, "dev", "circuit", "chain", "--constraints", 60, "--out", folder / "circuit"])
        library = folder / "installed/lib"
        yield {**os.environ, "PKG_CONFIG_PATH": str(library / "pkgconfig"), "LD_LIBRARY_PATH": str(library), "GOFLAGS": f"-mod=mod -overlay={folder / 'overlay.json'}",
               "GOTOOLCHAIN": "local", "PROOFMILL_TEST_CIRCUIT": str(folder / "circuit"),
               "PROOFMILL_TEST_GENERATED": str(circom_files.folder()),
               # Go caches the output of pkg-config, unless the folder is another one.
               "CGO_CFLAGS": f"-O2 -I{folder / 'installed/include'}"}


def tested(module, program):
    """Vets and tests a module with one test more, under the race detector, and checks its format; returns what is wrong."""
    with installed(module, program) as environment:
        for command in (["go", "vet", "./..."], ["go", "test", "-race", "-count=1", "./..."]):
            done = subprocess.run(command, cwd=module, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode != 0:
                return done.stdout
        return run(["gofmt", "-l", "."], cwd=module)


@unittest.skipIf(version() < (1, 21), "there is no Go of at least 1.21")
class Module(unittest.TestCase):
    def test_the_module(self):
        self.assertEqual(tested(HERE.parent, EXAMPLE.replace("EXAMPLE", example(0))), "")


if __name__ == "__main__":
    unittest.main()
