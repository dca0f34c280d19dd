"""Tests proofs from inputs, and keys of both protocols, in C and C++: with a generator of circom."""

import re
import unittest

from test_c import HERE, ROOT, Library  # finds tools
import circom_files


class FullProve(Library):
    def test_the_example_proves_with_keys_of_both_protocols(self):
        program, files = self.compiled(ROOT / "host/bind/c/examples/full_prove.c"), circom_files.folder()
        for protocol in circom_files.PROTOCOLS:
            with self.subTest(protocol):
                names = [f"{protocol}.zkey", "circuit.wasm", "input.json", f"{protocol}.json"]
                self.right("\nvalid\n", program, *(files / name for name in names))

    def test_errors_name_the_argument(self):
        program, files = self.compiled(HERE / "full_prove.cpp"), circom_files.folder()
        (self.folder / "circuit.zkey").symlink_to(files / "plonk.zkey")
        (self.folder / "circuit.wasm").symlink_to(files / "circuit.wasm")
        command = ["env", "-C", self.folder]
        self.right("all as expected\n", program, files, self.folder / "circuit/INSECURE.zkey", before=command)

    def test_the_example_of_the_page_is_tested(self):
        lines, = re.findall(r"^```cpp\n(.*?)^```", (ROOT / "docs/use/c.md").read_text(), re.S | re.M)
        tested = (HERE / "full_prove.cpp").read_text()
        for line in lines.splitlines():
            self.assertIn(f"    {line}\n", tested)


# The tests of the base class are in test_c.py.
def load_tests(loader, tests, pattern):
    del tests, pattern
    own = [name for name in vars(FullProve) if name.startswith("test_")]
    return unittest.TestSuite(map(FullProve, own))


if __name__ == "__main__":
    unittest.main()
