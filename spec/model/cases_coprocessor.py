"""Vectors of the coprocessor: programs, and their changes of a memory that is the same for all cases.

Each instruction is tested on each type, in one program per instruction, so a result of one type is not an operand of the next. A case lists the
slots that changed. The published programs are those of zcash-fpga's tests.
"""

import coprocessor
from cases import Cases, painted, painted_number
from cases_equihash_verify import random_bytes
from coprocessor import FACTS, FIELDS, NUMBER, P, TYPES, Instruction, Machine, Slot, flat

#: Where results go, and where lines are, behind which memories of 512 slots end.
OUT, LINES = 144, (1 << 9) - coprocessor.LINES
PUBLISHED = coprocessor.WIRE["data"]["log2_slots"]
#: Instructions with an operand whose type matters.
TYPED = ("send_interrupt", "sub", "add", "mul", "inv", "point_mult", "miller_loop", "final_exp", "ate_pairing", "point_check", "point_affine", "point_add",
         "miller_lines")


class Memory:
    """Values by name, one after the other from slot 0 on."""

    def __init__(self):
        self.slots, self.at = [], {}

    def add(self, name, kind, value):
        self.at[name] = len(self.slots)
        self.slots += [Slot(number, NUMBER[kind]) for number in (value if isinstance(value, list) else flat(value))]

    def point(self, name, group, label):
        """A multiple of the generator, in both forms."""
        point = FACTS.group(group).mul(painted_number(FACTS.r, label), FACTS.generator(group))
        self.both_forms(name, group, point, painted(FIELDS[coprocessor.field_of(group)], f"{label} z"))

    def both_forms(self, name, group, point, z):
        f, kind = FIELDS[coprocessor.field_of(group)], {"g1": "fp", "g2": "fp2"}[group]
        zz = f.mul(z, z)
        self.add(f"{name}_af", f"{kind}_af", point)
        self.add(f"{name}_jb", f"{kind}_jb", (f.mul(point[0], zz), f.mul(point[1], f.mul(zz, z)), z))


def outside(group, label):
    """A point of the curve that is not in the subgroup."""
    f = FIELDS[coprocessor.field_of(group)]
    x = painted(f, label)
    while not (found := FACTS.group(group).with_x(x)) or FACTS.in_subgroup(group, found[0]):
        x = f.add(x, f.one)
    return found[0]


def memory():
    made = Memory()
    made.add("ten", "scalar", [10])
    made.add("zero", "scalar", [0])
    made.add("r", "scalar", [FACTS.r])
    made.add("long", "scalar", [painted_number(1 << coprocessor.VALUE_BITS, "coprocessor long")])
    for name in "ab":
        made.add(f"scalar_{name}", "scalar", [painted_number(FACTS.r, f"coprocessor scalar {name}")])
        for kind, field in (("fe", "fp"), ("fe2", "fp2"), ("fe12", "fp12")):
            made.add(f"{kind}_{name}", kind, painted(FIELDS[field], f"coprocessor {kind} {name}"))
    made.add("fe_zero", "fe", [0])
    made.add("fe12_zero", "fe12", [0] * 12)
    made.add("modulus", "fe", [P])
    for group in ("g1", "g2"):
        for name in "ab":
            made.point(f"{group}_{name}", group, f"coprocessor {group} {name}")
        kind = {"g1": "fp", "g2": "fp2"}[group]
        each = TYPES[NUMBER[f"{kind}_af"]]["slots"] // 2
        made.add(f"{group}", f"{kind}_af", FACTS.generator(group))
        made.add(f"{group}_opposite", f"{kind}_af", FACTS.group(group).neg(FACTS.generator(group)))
        made.add(f"{group}_none_af", f"{kind}_af", [0] * 2 * each)
        made.add(f"{group}_none_jb", f"{kind}_jb", [5] * 2 * each + [0] * each)
        made.add(f"{group}_outside", f"{kind}_af", outside(group, f"coprocessor {group} outside"))
        made.add(f"{group}_off", f"{kind}_af", [1] * 2 * each)
        made.add(f"{group}_origin", f"{kind}_jb", [0] * 2 * each + [1] + [0] * (each - 1))
        made.add(f"{group}_large", f"{kind}_jb", [1] * (3 * each - 1) + [P])
        made.add(f"{group}_untyped", "scalar", FACTS.generator(group))
    if len(made.slots) > OUT:
        raise ValueError(f"coprocessor: {len(made.slots)} slots reach into the results from {OUT} on")
    made.slots += [Slot()] * (LINES - len(made.slots))
    made.add("lines", "fe2", coprocessor.lines(FACTS.group("g2").mul(painted_number(FACTS.r, "coprocessor g2 a"), FACTS.generator("g2"))))
    return made


class Book(Cases):
    def __init__(self):
        super().__init__("coprocessor")
        self.memory = memory()

    def case(self, id, comment, tags, *program, start=1, limit=100, data=(), log2_data=PUBLISHED):
        """Of instructions from `start` on: an opcode and operands, slots by number or by name. `data`: (slot, value) that the memory, of
        2^`log2_data` slots, has besides."""
        machine = Machine(log2_data)
        machine.data[:len(self.memory.slots)] = self.memory.slots[:len(machine.data)]
        instructions = [Instruction(opcode, *map(self.place, operands)) for opcode, *operands in program]
        machine.program[start:start + len(instructions)] = instructions
        for at, slot in data:
            machine.data[at] = slot
        before, machine.pointer = list(machine.data), start
        if not machine.run(limit) and "endless" not in tags:
            raise ValueError(f"coprocessor: {id} does not end")
        name = {number: name for name, number in coprocessor.ERRORS.items()}
        changed = [[i, slot.to_bytes().hex()] for i, (slot, old) in enumerate(zip(machine.data, before, strict=True)) if slot != old]
        self.add(
            id, comment, tags, program=[self.text(instruction) for instruction in instructions], start=start,
            data=[[at, slot.to_bytes().hex()] for at, slot in data], changed=changed,
            pointer=machine.pointer, error=machine.error and [name[machine.error[0]], machine.error[1]],
            sent=[packet.hex() for packet in machine.sent], limit=limit, steps=machine.steps, **({"log2_data": log2_data} if log2_data != PUBLISHED else {}))
        return machine

    def place(self, operand):
        return self.memory.at[operand] if isinstance(operand, str) else operand

    @staticmethod
    def text(instruction):
        name = coprocessor.OPCODES.get(instruction.opcode, {"name": hex(instruction.opcode)})["name"]
        return f"{name} {instruction.a} {instruction.b} {instruction.c}"


#: A value of each type.
OF_TYPE = {
    "scalar": "scalar_a", "fe": "fe_a", "fe2": "fe2_a", "fe12": "fe12_a", "fp_af": "g1_a_af", "fp_jb": "g1_a_jb", "fp2_af": "g2_a_af", "fp2_jb": "g2_a_jb",
}
UNTYPED = {"g1": "g1_untyped", "g2": "g2_untyped", "point": "g2_untyped"}
SECOND = {"scalar": "scalar_b", "fe": "fe_b", "fe2": "fe2_b", "fe12": "fe12_b", "fp_af": "g1_b_af", "fp_jb": "g1_b_jb", "fp2_af": "g2_b_af", "fp2_jb": "g2_b_jb"}


def each_type(book):
    """Every opcode of `TYPED` on every type of every operand whose type matters; the other operand is a good one."""
    good = {"g1": "g1_b_jb", "g2": "g2_b_af", "element": None, "point": None, "slot": "ten", "index": 0x1234, "lines": "lines"}
    for name in TYPED:
        opcode = coprocessor.OPCODES[coprocessor.OPCODE[name]]
        roles = [opcode[operand] for operand in "abc" if operand in opcode]
        for i, role in enumerate(roles):
            if role not in ("value", "element", *coprocessor.OF_NUMBERS, *coprocessor.POINTS) or (role == "element" and i == 1):
                continue
            for kind, value in OF_TYPE.items():
                if kind == "scalar":
                    value = UNTYPED.get(role, value)
                operands = []
                for j, other in enumerate(roles):
                    usual = good.get(other) or (SECOND[kind] if name != "point_add" or kind != "scalar" else "g2_b_jb")
                    operands.append(value if j == i else OUT if other.startswith("to ") else usual)
                book.case(f"{name.replace('_', '-')}-{'abc'[i]}-{kind.replace('_', '-')}", f"{name} with {kind} for {'abc'[i]}", "type", (name, *operands))


def edges(book):
    for zero in ("fe_zero", "fe12_zero"):
        book.case(f"inv-{zero.replace('_', '-')}", "1 / 0 is 0", "edge", ("inv", zero, OUT))
    book.case("final-exp-zero", "0 for 0", "edge", ("final_exp", "fe12_zero", OUT))
    for group in ("g1", "g2"):
        for scalar in ("zero", "r", "long"):
            book.case(f"point-mult-{group}-{scalar}", "a scalar that is not reduced" if scalar != "zero" else "the identity", "edge", ("point_mult", scalar, group, OUT))
        book.case(f"point-mult-{group}-of-none", "multiples of the identity", "edge identity",
                  ("point_mult", "ten", f"{group}_none_af", OUT), ("point_mult", "ten", f"{group}_none_jb", OUT + 20))
        book.case(f"point-mult-{group}-outside", "no point of the subgroup", "edge subgroup", ("point_mult", "r", f"{group}_outside", OUT))
        book.case(f"point-add-{group}", "equal, opposite, the identity", "edge", ("point_add", group, group, OUT), ("point_add", group, f"{group}_opposite", OUT + 10),
                  ("point_add", f"{group}_none_jb", group, OUT + 20), ("point_add", group, f"{group}_none_af", OUT + 30),
                  ("point_add", f"{group}_a_jb", f"{group}_a_af", OUT + 40))
        for name in ("outside", "off", "origin", "none_af", "none_jb", "large", "opposite"):
            book.case(f"point-check-{group}-{name.replace('_', '-')}", "curve, subgroup, identity", "edge", ("point_check", f"{group}_{name}", OUT))
        book.case(f"point-affine-{group}-none", "the identity is (0, 0)", "edge identity", ("point_affine", f"{group}_none_jb", OUT))
        for name, operands in (("point_mult", ("ten", f"{group}_off", OUT)), ("point_affine", (f"{group}_off", OUT)), ("point_add", (group, f"{group}_off", OUT)),
                               ("miller_loop", (f"{group}_off" if group == "g1" else "g1", f"{group}_off" if group == "g2" else "g2", OUT))):
            book.case(f"{name.replace('_', '-')}-{group}-off", "refused: on no curve", "refused", (name, *operands))
    book.case("miller-loop-outside", "points of the curves, but not of the subgroups", "edge subgroup", ("miller_loop", "g1_outside", "g2_outside", OUT))
    book.case("pairing-identity", "1", "edge identity", ("ate_pairing", "g1_none_jb", "g2", OUT), ("ate_pairing", "g1", "g2_none_af", OUT + 12))
    book.case("opposite-pairing", "the inverse: the product is 1", "edge", ("ate_pairing", "g1_opposite", "g2", OUT), ("miller_loop", "g1", "g2", OUT + 12),
              ("final_exp", OUT + 12, OUT + 12), ("mul", OUT, OUT + 12, OUT))


def refused(book):
    book.case("unknown-opcodes", "skipped; the first error stays", "refused", (0x03, 1, 2, 3), (0xFF,), ("mul", 256, 0, OUT), ("copy_reg", 0, OUT))
    for name, operands in (("copy_reg", (256, 0)), ("copy_reg", (0, 0xFFFF)), ("jump", (256,)), ("jump_if_eq", (256, 0, 1)), ("jump_nonzero_sub", (256, "zero")),
                           ("send_interrupt", (256, 1)), ("mul", (0, 0, 256)), ("point_mult", (256, "g1", OUT))):
        book.case(f"no-such-slot-{name.replace('_', '-')}-{operands[0]}", "beyond the memory", "refused", (name, *operands))
    for name, operands in (("mul", ("fe12_a", "fe12_b", 245)), ("inv", ("fe2_a", 255)), ("sub", ("fe2_a", 255, OUT)), ("point_mult", ("ten", "g2", 251)),
                           ("miller_loop", ("g1", "g2", 250)), ("point_affine", ("g1", 255))):
        book.case(f"beyond-end-{name.replace('_', '-')}", "a value that goes on behind the last slot", "refused", (name, *operands))
    book.case("beyond-end-interrupt", "nothing is sent", "refused", ("send_interrupt", 255, 1), data=[(255, Slot(1, NUMBER["fe12"]))])
    for name, operands in (("add", ("modulus", "fe_a", OUT)), ("mul", ("fe_a", "modulus", OUT)), ("inv", ("modulus", OUT)), ("point_check", ("g2_large", OUT)),
                           ("point_mult", ("ten", "g1_large", OUT)), ("ate_pairing", ("g1_large", "g2", OUT)), ("miller_loop", ("g1_off", "g2_large", OUT))):
        book.case(f"not-reduced-{name.replace('_', '-')}", "a number that is not below p", "refused", (name, *operands))
    book.case("wrong-type-before-end", "the type of a value is looked at before its extent", "refused", ("final_exp", "g1", 250))
    book.case("groups-differ", "points of two curves", "refused", ("point_add", "g1", "g2", OUT))
    book.case("jump-refused", "goes on, does not jump", "refused", ("jump", 1000), ("copy_reg", "ten", OUT))


def line_coefficients(book):
    """Adds cases with precomputed line coefficients, in memories that can hold them."""
    def case(id, comment, tags, *program, data=()):
        book.case(f"miller-lines-{id}", comment, tags, *program, data=data, log2_data=9)

    case("pairing", "the pairing of both points", "value", ("miller_lines", "g1_a_af", "lines", OUT), ("final_exp", OUT, OUT + 12), ("ate_pairing", "g1_a_af", "g2_a_af", OUT + 24))
    case("jacobian", "by the affine form", "value", ("miller_lines", "g1_a_jb", "lines", OUT))
    case("untyped", "lines and a point of scalars", "value", ("miller_lines", "g1_untyped", "lines", OUT), data=[(LINES, Slot(book.memory.slots[LINES].value))])
    case("anything", "whatever the numbers are", "value", ("miller_lines", "g1_b_af", LINES - 1, OUT), ("miller_lines", "g1_outside", "lines", OUT + 12))
    case("largest", "p - 1 in the last slot", "edge", ("miller_lines", "g1", "lines", OUT), data=[(511, Slot(P - 1, NUMBER["fe2"]))])
    case("of-none", "the lines of the identity, which are 0", "edge identity", ("miller_lines", "g1", "lines", OUT), ("final_exp", OUT, OUT),
         data=[(LINES + i, Slot(0, NUMBER["fe2"])) for i in range(coprocessor.LINES)])
    case("identity", "1", "edge identity", ("miller_lines", "g1_none_af", "lines", OUT), ("miller_lines", "g1_none_jb", "lines", OUT + 12))
    case("onto-lines", "a result on top of lines", "edge", ("miller_lines", "g1", "lines", LINES + 100), ("miller_lines", "g1", "lines", OUT))
    case("end", "the last slots, and one beyond", "edge refused", ("miller_lines", "g1", "lines", OUT), ("miller_lines", "g1", LINES + 1, OUT + 12))
    case("not-reduced", "a number that is not below p, before a point that is on no curve", "refused", ("miller_lines", "g1_off", "lines", OUT), data=[(511, Slot(P, NUMBER["fe2"]))])
    case("off", "refused: on no curve", "refused", ("miller_lines", "g1_off", "lines", OUT))


def control(book):
    for kind, value in OF_TYPE.items():
        book.case(f"slots-{kind.replace('_', '-')}", "one slot, its type with it: copied, compared, counted down, sent", "type control",
                  ("copy_reg", value, OUT), ("jump_if_eq", 4, OUT, value), ("jump", 100), ("jump_nonzero_sub", 6, OUT), ("jump", 100), ("send_interrupt", OUT, 7))
    book.case("counts", "a loop that adds", "control",
              ("copy_reg", "fe_zero", OUT), ("copy_reg", "ten", OUT + 1), ("add", OUT, "fe_a", OUT), ("jump_nonzero_sub", 3, OUT + 1), ("send_interrupt", OUT, 0x8888))
    book.case("low-words", "only 64 bits are compared and tested", "control",
              ("jump_if_eq", 3, OUT, OUT + 1), ("jump", 100), ("jump_nonzero_sub", 100, OUT), ("jump_nonzero_sub", 6, OUT + 2), ("jump", 100), ("copy_reg", "ten", OUT + 9),
              data=[(OUT, Slot(7 << 64)), (OUT + 1, Slot(9 << 64)), (OUT + 2, Slot((3 << 64) + 1, NUMBER["fe"]))])
    book.case("not-equal", "goes on", "control", ("jump_if_eq", 100, "ten", "zero"), ("copy_reg", "ten", OUT))
    book.case("wraps", "from the last slot to slot 0", "control", ("copy_reg", "ten", OUT), start=255)
    book.case("waits-at-once", "nothing to do", "control", start=9)
    book.case("never-ends", "a jump to itself", "control endless", ("jump", 1))
    book.case("aliases", "results on top of operands", "control", ("mul", "fe12_a", "fe12_a", "fe12_a"), ("add", "fe2_a", "fe2_b", book.place("fe2_a") + 1), ("inv", "g1", "g1"))


def published(book):
    """zcash-fpga's start-up program; its slots have no types, as its test writes them."""
    g1, g2 = (flat(FACTS.generator(group)) for group in ("g1", "g2"))
    slots = [(66 + i, Slot(number)) for i, number in enumerate(g2)] + [(64 + i, Slot(number)) for i, number in enumerate(g1)] + [(0, Slot(10))]
    book.case("start-up", "published: two Miller loops, their product, one final exponentiation", "published",
              ("miller_loop", 64, 66, 1), ("miller_loop", 64, 66, 13), ("mul", 1, 13, 1), ("final_exp", 1, 1, 0), ("send_interrupt", 0, 123), ("send_interrupt", 1, 456),
              data=sorted(slots, key=lambda entry: entry[0]))
    book.case("affine", "the published recipe for x, and the one for y", "published",
              ("mul", book.place("g2_a_jb") + 4, book.place("g2_a_jb") + 4, OUT), ("inv", OUT, OUT), ("mul", "g2_a_jb", OUT, OUT + 2),
              ("inv", book.place("g2_a_jb") + 4, OUT + 6), ("mul", OUT, OUT + 6, OUT), ("mul", book.place("g2_a_jb") + 2, OUT, OUT + 4))
    book.case("twice", "the same pairing twice, and another one", "published",
              ("ate_pairing", "g1", "g2", OUT), ("ate_pairing", "g1", "g2", OUT + 12), ("ate_pairing", "g1_a_af", "g2_b_jb", OUT + 24), ("ate_pairing", "g1", "g2", OUT + 36))


def published_units(book):
    """What the test bench of zcash-fpga's circuit has besides: its programs' instructions and indices, on points and elements of ours."""
    book.case("unit-inverses", "published: inverses in Fp and Fp2, copied and sent", "published",
              ("inv", "fe_a", OUT), ("copy_reg", OUT, OUT + 1), ("send_interrupt", OUT + 1, 0x1234), ("inv", "fe2_a", OUT + 2), ("send_interrupt", OUT + 2, 0x5678))
    book.case("unit-chain", "published: a product, a sum and a difference, each of the one before", "published",
              ("mul", "fe2_a", "fe2_b", OUT), ("add", OUT, "fe2_a", OUT), ("sub", OUT, "fe2_b", OUT), ("send_interrupt", OUT, 0x1111))
    book.case("unit-multiples", "published: multiples in both groups", "published",
              ("point_mult", "scalar_a", "g1", OUT), ("point_mult", "scalar_a", "g2", OUT + 3), ("send_interrupt", OUT, 0x1111), ("send_interrupt", OUT + 3, 0x1111))
    book.case("unit-pairing", "published: a pairing, sent", "published", ("ate_pairing", "g1", "g2", OUT), ("send_interrupt", OUT, 0xBEEF))
    book.case("unit-control", "published: counts down, then goes on where numbers are equal", "published",
              ("copy_reg", "ten", OUT), ("copy_reg", "zero", OUT + 1), ("jump_nonzero_sub", 3, OUT), ("jump_if_eq", 6, OUT, OUT + 1), ("jump", 7),
              ("send_interrupt", OUT, 0x8888))
    book.case("unit-product", "published: a product of pairings with one final exponentiation", "published",
              ("miller_loop", "g1", "g2", OUT), ("miller_loop", "g1_a_af", "g2_b_af", OUT + 12), ("mul", OUT, OUT + 12, OUT), ("final_exp", OUT, OUT), ("send_interrupt", OUT, 456))


def painted_programs(book):
    """Instructions that a rule has chosen, among them those that are refused, that jump and that overwrite what others read."""
    numbers = [number for number in coprocessor.OPCODES if number not in (0x21, 0x22, 0x23)]
    for i in range(24):
        choices = iter(random_bytes(f"coprocessor program {i}", 4 * 7 * 20))
        def choose(most):
            return int.from_bytes(bytes(next(choices) for _ in range(4)), "little") % most
        program = []
        for at in range(20):
            number = numbers[choose(len(numbers))] if at else 0x01
            roles = [coprocessor.OPCODES[number].get(operand, "index") for operand in "abc"]
            def operand(role):
                if role == "target":
                    return 1 + choose(24)
                return OUT + choose(14) if choose(3) == 0 else choose(OUT)
            program.append((number, *map(operand, roles)))
        book.case(f"painted-{i}", "chosen by rule", "painted endless", *program, limit=60)


def contents():
    """Name -> content of spec/vectors/coprocessor/<curve>.json."""
    book = Book()
    for part in (published, published_units, each_type, edges, refused, line_coefficients, control, painted_programs):
        part(book)
    return {FACTS.name: {
        "schema": "../schema.json", "op": "coprocessor", "curve": FACTS.name, "memory": [slot.to_bytes().hex() for slot in book.memory.slots], "cases": book.found,
    }}
