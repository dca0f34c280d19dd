"""The coprocessor: published values, its control flow, and that no program stops it."""

import random
import unittest

import coprocessor
from cases_coprocessor import outside
from coprocessor import FACTS, FIELDS, OPCODE, P, WIRE, Instruction, Machine, Slot, Window, flat
from pairing import Pairing
from test_pairing_formulas import PUBLISHED

G1, G2 = FACTS.generator("g1"), FACTS.generator("g2")
#: zcash-fpga's document and software name them; the other constants of the machine are read from the file.
OPCODES = {"noop_wait": 0, "copy_reg": 1, "jump": 2, "jump_if_eq": 4, "jump_nonzero_sub": 5, "send_interrupt": 6, "sub": 0x10, "add": 0x11, "mul": 0x12,
           "inv": 0x13, "point_mult": 0x20, "miller_loop": 0x21, "final_exp": 0x22, "ate_pairing": 0x23}
#: The first coefficient of the Miller value of the generators, as the published circuit computes it in simulation.
MILLER = 0x05194F5785436C8DEBF0EB2BAB4C6EF3DE7DC0633C85769173777B782BF897FA45025FD03E7BE941123C4EE19910E62E


def machine(*program, start=1):
    made = Machine()
    made.program[start:start + len(program)] = [Instruction(*instruction) for instruction in program]
    made.pointer = start
    return made


class Values(unittest.TestCase):
    def test_pairing_of_the_generators(self):
        made = machine(("ate_pairing", 0, 2, 10), ("miller_loop", 0, 2, 30), ("final_exp", 30, 42))
        made.store(0, "fp_af", G1)
        made.store(2, "fp2_af", G2)
        self.assertTrue(made.run(10))
        self.assertEqual(made.load(10), [int(line, 16) for line in PUBLISHED.split()])
        self.assertEqual(made.load(30)[0], MILLER)
        self.assertEqual(made.load(42), made.load(10))

    def test_final_exponentiation_is_a_plain_power(self):
        f12 = FIELDS["fp12"]
        f = (((3, 1), (4, 1), (5, 9)), ((2, 6), (5, 3), (5, 8)))
        self.assertEqual(coprocessor.final_exponentiation(f), f12.power(f12.inverse(f), 3 * ((P**12 - 1) // FACTS.r)))

    def test_miller_values_are_those_of_the_pairing_by_definition(self):
        """Lines scaled by elements of Fp2, and no conjugation at the end: final exponentiations take both away."""
        pairing = Pairing("bls12_381")
        p, q = FACTS.group("g1").mul(5, G1), FACTS.group("g2").mul(-7, G2)
        by_definition = FACTS.tower.conjugate(pairing.miller(p, q))
        self.assertEqual(coprocessor.final_exponentiation(coprocessor.miller(p, q)), coprocessor.final_exponentiation(by_definition))

    def test_line_coefficients(self):
        """Their Miller values differ from others by what final exponentiations take away; of the identity they are 0."""
        p, q = FACTS.group("g1").mul(5, G1), FACTS.group("g2").mul(-7, G2)
        for point, expected in ((q, coprocessor.miller(p, q)), (None, FIELDS["fp12"].one)):
            found = coprocessor.miller_at(p, tuple(coprocessor.lines(point)))
            self.assertEqual(coprocessor.final_exponentiation(found), coprocessor.final_exponentiation(expected))
        self.assertEqual(coprocessor.miller_at(None, tuple(coprocessor.lines(q))), FIELDS["fp12"].one)

    def test_opcodes_are_those_of_the_published_software(self):
        self.assertEqual({name: OPCODE[name] for name in OPCODES}, OPCODES)
        self.assertEqual(sorted(OPCODE.values())[-4:], [0x24, 0x25, 0x26, 0x27])

    def test_outside_is_outside(self):
        for group in ("g1", "g2"):
            point = outside(group, f"test {group}")
            self.assertTrue(FACTS.group(group).contains(point) and not FACTS.in_subgroup(group, point))


class Programs(unittest.TestCase):
    def test_a_program_that_is_rewritten_while_it_waits(self):
        made = machine(("copy_reg", 0, 5))
        made.store(0, "fe", [7])
        self.assertTrue(made.run(10))
        self.assertEqual((made.pointer, made.load(5)), (2, [7]))
        made.program[2] = Instruction("add", 5, 5, 5)
        self.assertTrue(made.run(10))
        self.assertEqual((made.pointer, made.load(5)), (3, [14]))

    def test_an_error_leaves_everything_as_it_was(self):
        made = machine(("mul", 0, 300, 5), ("jump", 300), ("send_interrupt", 255, 3))
        made.data[255] = Slot(0, 3)
        before = list(made.data)
        self.assertTrue(made.run(10))
        self.assertEqual((made.data, made.sent, made.pointer, made.error), (before, [], 4, (2, 1)))

    def test_random_programs_never_stop_the_machine(self):
        """Any word is an instruction; slots keep their form."""
        rng = random.Random(19)
        cheap = [number for number in range(0x14)] + [0x25, 0x26]
        for _ in range(100):
            made = machine(*((rng.choice(cheap), *(rng.randrange(rng.choice((8, 40, 300))) for _ in "abc")) for _ in range(40)))
            made.data = [Slot(rng.choice((0, 1, P - 1, P, rng.randrange(P))), rng.randrange(8)) for _ in made.data]
            for _ in range(60):
                pointer, waits = made.pointer, made.program[made.pointer].opcode == 0
                self.assertEqual(made.step(), not waits)
                self.assertTrue(not waits or pointer == made.pointer)
            self.assertTrue(all(slot.value >> coprocessor.VALUE_BITS == 0 and slot.kind < 8 for slot in made.data))


class Registers(unittest.TestCase):
    def test_the_published_map(self):
        window = Window(Machine())
        self.assertEqual([window.read(offset) for offset in (0, 4, 8, 12, 16, 20, 0x18, 0x1C, 0x20, 0x40)], [0x1000, 0x2000, 8, 8, 0, 0, 0xBEEF, 0xBEEF, 0xBEEF, 0])

    def test_slots_are_committed_by_their_last_word(self):
        window = Window(Machine())
        data, word = WIRE["data"], Slot(P - 1, 5).to_bytes()
        for at in range(0, data["bytes"], 4):
            self.assertEqual(window.read(data["base"] + 64 * 200), 0)
            window.write(data["base"] + 64 * 200 + at, int.from_bytes(word[at:at + 4], "little"))
        self.assertEqual(window.machine.data[200], Slot(P - 1, 5))
        self.assertEqual([window.read(data["base"] + 64 * 200 + at) for at in (0, 44, 48, 60)], [(P - 1) & 0xFFFFFFFF, (P - 1) >> 352 | 5 << 29, 0, 0])
        bits = int.from_bytes(Instruction("mul", 0x1234, 0x5678, 0x9ABC).to_bytes(), "little")
        self.assertEqual(bits, 0x009A_BC56_7812_3412)
        window.write(0x1008, bits & 0xFFFFFFFF)
        self.assertEqual(window.machine.program[1], Instruction(0))
        window.write(0x100C, bits >> 32 | 0xFF << 24)
        self.assertEqual((window.machine.program[1].c, window.read(0x100C)), (0x9ABC, bits >> 32))

    def test_pointer_clear_and_error(self):
        window = Window(machine((3,)))
        window.machine.run(5)
        self.assertEqual(window.read(0x40), 1 | 1 << 16)
        window.write(0x40, 0)
        window.write(0x10, 0x1FF)
        self.assertEqual([window.read(offset) for offset in (0x40, 0x10)], [0, 0xFF])
        window.machine.store(3, "fe", [1])
        window.write(0, 1)
        self.assertEqual((window.machine.program[1].opcode, window.machine.load(3)), (0, [1]))
        window.write(0, 2)
        self.assertEqual(window.machine.data[3], Slot())


class Shapes(unittest.TestCase):
    def test_flat_and_shaped(self):
        for name, field in FIELDS.items():
            numbers = list(range(1, coprocessor.SLOTS[name] + 1))
            self.assertEqual(flat(coprocessor.shaped(field, numbers)), numbers)


if __name__ == "__main__":
    unittest.main()
