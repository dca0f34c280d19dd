"""The Go module for gnark's users: gnark verifies proofs that proofmill made with gnark's keys. gnark is fetched and compiled for this."""

import re
import unittest

from test_go import HERE, tested, version

MODULE = HERE.parent / "gnark"
NEEDED = tuple(map(int, re.search(r"^go (\d+)\.(\d+)", (MODULE / "go.mod").read_text(), re.M).groups()))


@unittest.skipIf(version() < NEEDED, f"there is no Go of at least {'.'.join(map(str, NEEDED))}, which gnark wants")
class Gnark(unittest.TestCase):
    def test_gnark_verifies_our_proofs(self):
        self.assertEqual(tested(MODULE), "")


if __name__ == "__main__":
    unittest.main()
