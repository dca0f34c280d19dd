"""Tests the C library as its users have it: installed in a folder, found by pkg-config, compiled without a warning."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
sys.path.insert(0, str(ROOT / "tools"))

import clib  # noqa: E402
from memory_scan import levels_of_bindings, remaining_in  # noqa: E402
from place import PROOFMILL, run  # noqa: E402

WARNINGS = ["-O1", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
#: Proofs on each level before memory is searched for the witness.
PROOFS = 20 if os.environ.get("PROOFMILL_LONG") else 8
LEAK = """#include <proofmill.h>
int main(void) {
    for (int times = 0; times < 10; times++) {
        struct proofmill_device *device;
        if (proofmill_device_open("cpu:?threads=1", &device)) return 0;
    }
    return 0;
}
"""


class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        clib.install(cls.folder / "installed", clib.built_for_tests())
        for name, constraints in (("circuit", 60), ("other", 30)):
            run([PROOFMILL, "dev", "circuit", "chain", "--constraints", constraints, "--out", cls.folder / name])
        cls.files = [cls.folder / "circuit" / name for name in ("INSECURE.zkey", "witness.wtns", "verification_key.json")]

    def compiled(self, source, *flags, sanitized=False):
        """Compiles a program of one source, linked with pkg-config's flags; `sanitized`: with AddressSanitizer's allocator, which the library uses, too."""
        compiler = {".c": ["cc", "-std=c99", "-pthread"], ".cpp": ["c++", "-std=c++20"]}[source.suffix]
        pc = self.folder / "installed/lib/pkgconfig"
        found = run(["pkg-config", "--cflags", "--libs", *flags, "proofmill"], env={**os.environ, "PKG_CONFIG_PATH": str(pc)}).split()
        program = self.folder / (source.name.replace(".", "_") + "-static" * bool(flags) + "-sanitized" * sanitized)
        if flags:  # the archive instead of the shared library of the same name
            found[found.index("-lproofmill")] = "-l:libproofmill.a"
        run([*compiler, *WARNINGS, *["-fsanitize=address"] * sanitized, source, *found, "-o", program])
        return program

    def ended(self, program, *arguments, before=(), **variables):
        environment = {**os.environ, "LD_LIBRARY_PATH": str(self.folder / "installed/lib"), **variables}
        return subprocess.run([*before, program, *arguments], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def right(self, expected, *programs, **how):
        done = self.ended(*programs, **how)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn(expected, done.stdout)

    def test_the_example_in_c_proves(self):
        program = self.compiled(ROOT / "host/bind/c/examples/prove.c")
        self.right("\nvalid\n", program, *self.files)
        for wrong, message in (
            (["/nowhere", *self.files[1:]], "open: /nowhere"),
            ([self.files[0], self.folder / "other/witness.wtns", self.files[2]], "prove: witness: has 32 values"),
            ([self.files[1], *self.files[1:]], "witness.wtns"),
        ):
            done = self.ended(program, *wrong)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(message, done.stdout)

    def test_the_pages_command_compiles(self):
        page = (ROOT / "docs/use/c.md").read_text()
        install, compile = re.search(r"^```\n(.*?)^```", page, re.S | re.M)[1].splitlines()
        self.assertRegex(install, r"^python3 tools/clib.py --prefix /opt/proofmill +#")  # which `setUpClass` did
        shutil.copy(ROOT / "host/bind/c/examples/prove.c", self.folder)
        run(["sh", "-c", compile.replace("/opt/proofmill", str(self.folder / "installed"))], cwd=self.folder)
        self.right("\nvalid\n", self.folder / "a.out", *self.files)

    def test_no_value_of_a_witness_remains_in_memory(self):
        circuit = self.folder / "large"
        run([PROOFMILL, "dev", "circuit", "chain", "--constraints", 16000, "--out", circuit])
        program = self.compiled(HERE / "memory.c")
        for level in levels_of_bindings():
            with self.subTest(level=level):
                variables = {"LD_LIBRARY_PATH": str(self.folder / "installed/lib"), "PROOFMILL_ISA": level}
                command = [program, circuit / "INSECURE.zkey", circuit / "witness.wtns", PROOFS]
                self.assertEqual(remaining_in(command, circuit / "witness.wtns", **variables), 0)

    def test_children_prove_after_a_fork_and_during_a_proof(self):
        self.right("all children proved", self.compiled(HERE / "fork.c"), *self.files)

    def test_the_static_library_links(self):
        self.right("\nvalid\n", self.compiled(ROOT / "host/bind/c/examples/prove.c", "--static"), *self.files)

    def test_the_example_in_cpp_computes(self):
        program = self.compiled(ROOT / "host/bind/c/examples/msm.cpp")
        self.right("correct\nrejected as expected: scalar", program)

    def test_the_example_in_cpp_proves(self):
        self.right("rejected as expected: witnesses[2]", self.compiled(ROOT / "host/bind/c/examples/batch.cpp"), *self.files)

    def test_wrong_arguments_are_rejected(self):
        self.right("all rejected", self.compiled(HERE / "edges.c"), self.folder / "circuit")

    def test_wrong_arguments_are_rejected_in_cpp(self):
        self.right("all rejected", self.compiled(HERE / "edges.cpp"), *self.files)

    def test_programs_for_rapidsnark_link(self):
        program = self.compiled(HERE / "shim.c")
        files = [*self.files[:2], self.folder / "other/witness.wtns", self.files[2]]
        self.right("compatible with rapidsnark", program, *files)
        done = self.ended(program, *files, PROOFMILL_DEVICE="moon:")
        self.assertIn("unknown scheme 'moon:'", done.stdout)

    def programs_that_free_everything(self, **how):
        """Returns the output expected of each program, and its command."""
        return (("all rejected", self.compiled(HERE / "edges.c", **how), self.folder / "circuit"),
                ("all rejected", self.compiled(HERE / "edges.cpp", **how), *self.files),
                ("\nvalid\n", self.compiled(ROOT / "host/bind/c/examples/prove.c", **how), *self.files))

    def test_nothing_leaks_or_is_freed_twice(self):
        for expected, *command in self.programs_that_free_everything(sanitized=True):
            self.right(expected, *command, ASAN_OPTIONS="detect_leaks=1")

    def test_a_leak_is_reported(self):
        source = self.folder / "leak.c"
        source.write_text(LEAK)
        done = self.ended(self.compiled(source, sanitized=True), ASAN_OPTIONS="detect_leaks=1")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("detected memory leaks", done.stdout)

    @unittest.skipUnless(os.environ.get("PROOFMILL_LONG"), "long: valgrind takes a minute and a half")
    def test_valgrind_finds_no_fault(self):
        valgrind = ["valgrind", "--quiet", "--leak-check=full", "--errors-for-leak-kinds=definite,indirect", "--error-exitcode=9"]
        for expected, *command in self.programs_that_free_everything():
            self.right(expected, *command, before=valgrind)


if __name__ == "__main__":
    unittest.main()
