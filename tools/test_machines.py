"""Tests of tools/machines.py that need no target."""

import unittest

import machines

PRODUCT = "  401000:\tumulh\tx0, x1, x2\n"
LISTING = f"""
0000000000401000 <proofmill_algebra::field::multiply::portable_product>:
{PRODUCT * 32}  401080:\tret

0000000000402000 <proofmill_algebra::field::multiply::portable_product>:
{PRODUCT * 72}  402120:\tadds\tx0, x1, x2
  402124:\tret

0000000000403000 <proofmill_algebra::field::multiply::other>:
{PRODUCT * 2}"""


class Machines(unittest.TestCase):
    def test_products_are_told_apart_by_their_size(self):
        self.assertEqual(machines.instructions_of_products(LISTING), {4: 33, 6: 74})

    def test_each_emulated_machine_has_what_it_needs(self):
        for machine in machines.MACHINES:
            self.assertEqual(bool(machine.emulator), bool(machine.linker and machine.packages), machine.target)
        self.assertTrue([machine for machine in machines.MACHINES if machine.quick])

    def test_an_unknown_target_is_a_reason(self):
        self.assertTrue(machines.missing_target("no-such-target"))


if __name__ == "__main__":
    unittest.main()
