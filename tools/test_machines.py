"""Tests of tools/machines.py that need no target."""

import unittest

import machines



def function(name, start, instructions):
    """Returns the disassembly of a function."""
    lines = "".join(f"  {start + 4 * i:x}:\t{instruction}\n" for i, instruction in enumerate(instructions))
    return f"\n{start:016x} <proofmill_algebra::field::multiply::{name}>:\n{lines}"


HIGH = "umulh\tx0, x1, x2"
#: The second one has the path of other moduli in it: the branch to it is not taken, and the one past it is.
LISTING = "".join([
    function("portable_product", 0x401000, [*[HIGH] * 32, "ret"]),
    function("portable_product", 0x402000, ["tbnz\tx9, #63, 402128 <there>", *[HIGH] * 72, "b\t402134 <end>", HIGH, HIGH, "b.ne\t402128 <there>", "ret"]),
    function("other", 0x403000, [HIGH, HIGH]),
])


class Machines(unittest.TestCase):
    def test_products_are_told_apart_by_their_size(self):
        self.assertEqual(machines.instructions_of_products(LISTING), {4: 33, 6: 75})

    def test_each_emulated_machine_has_what_it_needs(self):
        for machine in machines.MACHINES:
            self.assertEqual(bool(machine.emulator), bool(machine.linker and machine.packages), machine.target)
        self.assertTrue([machine for machine in machines.MACHINES if machine.quick])

    def test_an_unknown_target_is_a_reason(self):
        self.assertTrue(machines.missing_target("no-such-target"))


if __name__ == "__main__":
    unittest.main()
