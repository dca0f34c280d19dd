"""The coprocessor for BLS12-381: what every instruction does to its memory, on every type (spec/wire/coprocessor.toml).

    machine = Machine()
    machine.program[1] = Instruction("ate_pairing", 64, 66, 1)
    machine.store(64, "fp_af", p)
    machine.pointer = 1
    machine.run(limit=10)         # until it waits
    machine.load(1), machine.error, machine.sent

Values are integers for fp, and nested tuples as in `tower`; points are affine pairs, None is the identity. The Miller value depends on how
lines are scaled, so it is that of one algorithm: points in Jacobian coordinates, lines as in Beuchat et al., ePrint 2010/354, Algorithms 26
and 27, which the published card and several libraries have.
"""

import functools
import tomllib
from dataclasses import dataclass

import curve
from field import SPEC

WIRE = tomllib.loads((SPEC / "wire/coprocessor.toml").read_text())
WINDOW = {register["name"]: register["offset"] for register in WIRE["window"]["registers"]}
UNMAPPED = tomllib.loads((SPEC / "wire/shell.toml").read_text())["address_map"]["unmapped"]
TYPES = {kind["number"]: kind for kind in WIRE["types"]}
NUMBER = {kind["name"]: kind["number"] for kind in WIRE["types"]}
OPCODES = {opcode["number"]: opcode for opcode in WIRE["opcodes"]}
OPCODE = {opcode["name"]: opcode["number"] for opcode in WIRE["opcodes"]}
ERRORS = {error["name"]: error["number"] for error in WIRE["errors"]}
VALUE_BITS = WIRE["data"]["fields"][0]["bits"]
LOW = (1 << 64) - 1

FACTS = curve.load("bls12_381")
P = FACTS.fp.p
FIELDS = {"fp": FACTS.fp, "fp2": FACTS.tower.fp2, "fp12": FACTS.tower.fp12}
SLOTS = {"fp": 1, "fp2": 2, "fp12": 12}
Z = -int(FACTS.fact["parameter"]["z"], 16)  # without its sign
#: Types of an operand -> group, and is it jacobian?
AFFINE, JACOBIAN = False, True
OF_G1 = {"scalar": ("g1", AFFINE), "fe": ("g1", AFFINE), "fp_af": ("g1", AFFINE), "fp_jb": ("g1", JACOBIAN)}
OF_G2 = {"scalar": ("g2", AFFINE), "fe": ("g2", AFFINE), "fe2": ("g2", AFFINE), "fp2_af": ("g2", AFFINE), "fp2_jb": ("g2", JACOBIAN)}
OF_BOTH = {name: OF_G1[name] for name in ("fp_af", "fp_jb")} | {name: OF_G2[name] for name in ("scalar", "fe2", "fp2_af", "fp2_jb")}
POINTS = {"g1": OF_G1, "g2": OF_G2, "point": OF_BOTH}
OF_NUMBERS = {"fp12": ("scalar", "fe", "fe2", "fe12"), "lines": ("scalar", "fe", "fe2")}
LINES = WIRE["lines"]["count"] * WIRE["lines"]["slots"]
RESULTS = {("g1", AFFINE): "fp_af", ("g1", JACOBIAN): "fp_jb", ("g2", AFFINE): "fp2_af", ("g2", JACOBIAN): "fp2_jb"}


class Fault(Exception):
    """What is wrong with an instruction, by its name."""


def field_of(group):
    return "fp" if group == "g1" else "fp2"


def flat(element):
    """The coefficients, lowest first."""
    return [element] if isinstance(element, int) else [number for part in element for number in flat(part)]


def shaped(field, numbers):
    """The inverse: an element of a field from its coefficients."""
    if not hasattr(field, "base"):
        (number,) = numbers
        return number
    each = len(numbers) // field.degree
    return tuple(shaped(field.base, numbers[i * each:(i + 1) * each]) for i in range(field.degree))


@functools.cache
def miller(p, q):
    """The Miller value of two points before the last conjugation."""
    f2, f12 = FIELDS["fp2"], FIELDS["fp12"]

    def line(one, v, vw):
        """one + v xP v + vw yP v w."""
        return ((one, f2.scale(p[0], v), f2.zero), (f2.zero, f2.scale(p[1], vw), f2.zero))

    def double(x, y, z):
        xx, yy, zz = f2.mul(x, x), f2.mul(y, y), f2.mul(z, z)
        xyy, xx3 = f2.mul(x, yy), f2.scale(3, xx)
        x3 = f2.sub(f2.mul(xx3, xx3), f2.scale(8, xyy))
        z3 = f2.scale(2, f2.mul(y, z))
        y3 = f2.sub(f2.mul(f2.sub(f2.scale(4, xyy), x3), xx3), f2.scale(8, f2.mul(yy, yy)))
        one = f2.sub(f2.scale(2, f2.mul(x, xx3)), f2.scale(4, yy))
        return (x3, y3, z3), line(one, f2.scale(-2, f2.mul(xx3, zz)), f2.scale(2, f2.mul(z3, zz)))

    def add(x, y, z):
        zz = f2.mul(z, z)
        h = f2.sub(f2.mul(q[0], zz), x)
        r = f2.scale(2, f2.sub(f2.mul(q[1], f2.mul(zz, z)), y))
        hh = f2.scale(4, f2.mul(h, h))
        hhh, xhh = f2.mul(hh, h), f2.mul(hh, x)
        x3 = f2.sub(f2.sub(f2.mul(r, r), hhh), f2.scale(2, xhh))
        y3 = f2.sub(f2.mul(f2.sub(xhh, x3), r), f2.scale(2, f2.mul(y, hhh)))
        z3 = f2.scale(2, f2.mul(z, h))
        one = f2.scale(2, f2.sub(f2.mul(r, q[0]), f2.mul(q[1], z3)))
        return (x3, y3, z3), line(one, f2.scale(-2, r), f2.scale(2, z3))

    if p is None or q is None:
        return f12.one
    f, t = f12.one, (*q, f2.one)
    for bit in f"{Z:b}"[1:]:
        t, at = double(*t)
        f = f12.mul(f12.mul(f, f), at)
        if bit == "1":
            t, at = add(*t)
            f = f12.mul(f, at)
    return f


def lines(q):
    """The slots of a point's lines, as `miller_lines` takes them; of points of the subgroup."""
    f2, found = FIELDS["fp2"], []
    if q is None:
        return [0] * LINES

    def through(t, slope, x):
        """The line through t with a slope, and its third point's opposite; x: the second point's."""
        found.extend(flat((f2.sub(f2.mul(slope, t[0]), t[1]), f2.neg(slope))))
        x3 = f2.sub(f2.sub(f2.mul(slope, slope), t[0]), x)
        return x3, f2.sub(f2.mul(slope, f2.sub(t[0], x3)), t[1])

    t = q
    for bit in f"{Z:b}"[1:]:
        t = through(t, f2.mul(f2.scale(3, f2.mul(t[0], t[0])), f2.inverse(f2.scale(2, t[1]))), t[0])
        if bit == "1":
            t = through(t, f2.mul(f2.sub(t[1], q[1]), f2.inverse(f2.sub(t[0], q[0]))), q[0])
    return found


@functools.cache
def miller_at(p, numbers):
    """The Miller value of a point of G1 by the slots of lines; whatever they are."""
    f2, f12 = FIELDS["fp2"], FIELDS["fp12"]
    if p is None:
        return f12.one
    pairs = [numbers[i:i + 2] for i in range(0, len(numbers), 2)]
    ready, inverse = zip(pairs[::2], pairs[1::2], strict=True), FIELDS["fp"].inverse(p[1])

    def times_next(f):
        b0, b1 = next(ready)
        line = ((f2.scale(inverse, b0), f2.scale(p[0] * inverse, b1), f2.zero), (f2.zero, f2.one, f2.zero))
        return f12.mul(f, line)

    f = f12.one
    for bit in f"{Z:b}"[1:]:
        f = times_next(f12.mul(f, f))
        if bit == "1":
            f = times_next(f)
    return f


@functools.cache
def final_exponentiation(f):
    """f^(-3 (p^12 - 1) / r): to the power of 1 - p^6, which is f / conj(f), of p^2 + 1 and of the rest."""
    f12 = FIELDS["fp12"]
    if f == f12.zero:
        return f
    f = f12.mul(f, f12.inverse(FACTS.tower.conjugate(f)))
    return f12.power(f12.mul(squared_frobenius(f), f), 3 * (P**4 - P**2 + 1) // FACTS.r)


def squared_frobenius(f):
    """f^(p^2): a coefficient of w^i is multiplied by xi^(i (p^2 - 1) / 6)."""
    f2 = FIELDS["fp2"]
    root = f2.power(FACTS.tower.xi, (P * P - 1) // 6)
    return tuple(tuple(f2.mul(part, f2.power(root, 2 * j + i)) for j, part in enumerate(half)) for i, half in enumerate(f))


@dataclass(frozen=True)
class Instruction:
    """An opcode, by name or number, and its operands."""

    opcode: int
    a: int = 0
    b: int = 0
    c: int = 0

    def __post_init__(self):
        object.__setattr__(self, "opcode", OPCODE.get(self.opcode, self.opcode))

    def to_bytes(self):
        return bytes([self.opcode]) + b"".join(operand.to_bytes(2, "little") for operand in (self.a, self.b, self.c)) + b"\0"

    @classmethod
    def from_bytes(cls, data):
        return cls(data[0], *(int.from_bytes(data[at:at + 2], "little") for at in (1, 3, 5)))


@dataclass(frozen=True)
class Slot:
    """An integer of 381 bits and the number of a type."""

    value: int = 0
    kind: int = 0

    def to_bytes(self):
        return (self.value | self.kind << VALUE_BITS).to_bytes(WIRE["data"]["bytes"], "little")

    @classmethod
    def from_bytes(cls, data):
        bits = int.from_bytes(data, "little")
        return cls(bits & (1 << VALUE_BITS) - 1, bits >> VALUE_BITS)


class Machine:
    """Memories, pointer, the first error as (its number, its slot), and the packets that were sent."""

    def __init__(self, log2_data=WIRE["data"]["log2_slots"], log2_instructions=WIRE["instructions"]["log2_slots"]):
        self.data = [Slot()] * (1 << log2_data)
        self.program = [Instruction(0)] * (1 << log2_instructions)
        self.pointer, self.error, self.sent, self.steps = 0, None, [], 0

    def store(self, at, kind, value):
        """Puts a value, a list of coefficients or nested tuples, into slots of a type."""
        for i, number in enumerate(value if isinstance(value, list) else flat(value)):
            self.data[at + i] = Slot(number, NUMBER[kind])

    def load(self, at):
        """The numbers of the value that begins in a slot."""
        return [slot.value for slot in self.data[at:at + TYPES[self.data[at].kind]["slots"]]]

    def run(self, limit):
        """Runs until it waits, or for `limit` instructions. Returns whether it waits."""
        for _ in range(limit):
            if not self.step():
                return True
        return self.program[self.pointer].opcode == 0

    def step(self):
        """One instruction; False if it waits."""
        instruction = self.program[self.pointer]
        if instruction.opcode == 0:
            return False
        self.steps += 1
        following = (self.pointer + 1) % len(self.program)
        try:
            jump = Execution(self, instruction).result()
            self.pointer = following if jump is None else jump
        except Fault as fault:
            self.error = self.error or (ERRORS[str(fault)], self.pointer)
            self.pointer = following
        return True


class Execution:
    """One instruction: `result` changes the memory and gives the target of a jump, or raises a Fault and changes nothing."""

    def __init__(self, machine, instruction):
        self.machine, self.instruction = machine, instruction
        self.opcode = OPCODES.get(instruction.opcode)
        if self.opcode is None:
            raise Fault("unknown_opcode")
        self.role = {operand: self.opcode.get(operand, "") for operand in "abc"}
        self.at = {operand: getattr(instruction, operand) for operand in "abc"}
        self.used = [operand for operand in "abc" if self.role[operand]]

    def kind(self, operand):
        return TYPES[self.machine.data[self.at[operand]].kind]

    def result(self):
        self.slots_exist()
        self.types_fit()
        self.values_end()
        return getattr(self, self.opcode["name"])()

    def slots_exist(self):
        for operand in self.used:
            memory = {"target": self.machine.program, "index": range(1 << 16)}.get(self.role[operand], self.machine.data)
            if self.at[operand] >= len(memory):
                raise Fault("no_such_slot")

    def types_fit(self):
        for operand in self.used:
            role = self.role[operand]
            types = OF_NUMBERS.get(role) or POINTS.get(role)
            if types is not None and self.kind(operand)["name"] not in types:
                raise Fault("wrong_type")
        if self.opcode["name"] == "point_add" and self.form("a")[0] != self.form("b")[0]:
            raise Fault("wrong_type")

    def values_end(self):
        for operand in self.used:
            if self.role[operand] not in ("target", "index") and self.at[operand] + self.extent(operand) > len(self.machine.data):
                raise Fault("beyond_end")

    def form(self, operand):
        """Group, and is it jacobian?"""
        return POINTS[self.role[operand]][self.kind(operand)["name"]]

    def extent(self, operand):
        """How many slots an operand takes."""
        role = self.role[operand]
        if role in ("slot", "to slot"):
            return 1
        if role in ("fp12", "to fp12"):
            return SLOTS["fp12"]
        if role == "lines":
            return LINES
        if role == "value":
            return self.kind(operand)["slots"]
        if role in ("element", "to element"):
            return SLOTS[self.kind("a")["field"]]
        if role in ("to jacobian", "to affine"):
            return TYPES[NUMBER[self.point_result(operand)]]["slots"]
        group, jacobian = self.form(operand)
        return SLOTS[field_of(group)] * (3 if jacobian else 2)

    def point_result(self, operand):
        source = "b" if self.role["b"] == "point" else "a"
        return RESULTS[self.form(source)[0], self.role[operand] == "to jacobian"]

    # Values that are read.

    def numbers(self, operand):
        at = self.at[operand]
        found = [slot.value for slot in self.machine.data[at:at + self.extent(operand)]]
        if any(number >= P for number in found):
            raise Fault("not_reduced")
        return found

    def element(self, operand):
        return shaped(self.field, self.numbers(operand))

    @property
    def field(self):
        return FIELDS[self.kind("a")["field"]]

    def coordinates(self, operand):
        """Group and affine point; of a point that is on no curve as well."""
        group, jacobian = self.form(operand)
        numbers, f = self.numbers(operand), FIELDS[field_of(group)]
        each = SLOTS[field_of(group)]
        x, y, *z = (shaped(f, numbers[i:i + each]) for i in range(0, len(numbers), each))
        if not jacobian:
            return group, None if (x, y) == (f.zero, f.zero) else (x, y)
        if z == [f.zero]:
            return group, None
        inverse = f.inverse(z[0])
        square = f.mul(inverse, inverse)
        return group, (f.mul(x, square), f.mul(y, f.mul(square, inverse)))

    def points(self, *operands):
        """Those of several operands: first all have to be reduced, then all on their curves."""
        found = [self.coordinates(operand) for operand in operands]
        if not all(FACTS.group(group).contains(point) for group, point in found):
            raise Fault("not_on_curve")
        return [point for _, point in found]

    # Values that are written.

    def put(self, operand, kind, value):
        self.machine.store(self.at[operand], kind, value)

    def put_element(self, operand, value):
        self.put(operand, self.kind("a")["name"], value)

    def put_jacobian(self, operand, point):
        group = "g1" if self.point_result(operand) == "fp_jb" else "g2"
        f = FIELDS[field_of(group)]
        self.put(operand, self.point_result(operand), (f.one, f.one, f.zero) if point is None else (*point, f.one))

    # The instructions.

    def slot(self, operand):
        return self.machine.data[self.at[operand]]

    def copy_reg(self):
        self.machine.data[self.at["b"]] = self.slot("a")

    def jump(self):
        return self.at["a"]

    def jump_if_eq(self):
        return self.at["a"] if (self.slot("b").value ^ self.slot("c").value) & LOW == 0 else None

    def jump_nonzero_sub(self):
        slot = self.slot("b")
        if slot.value & LOW == 0:
            return None
        self.machine.data[self.at["b"]] = Slot(slot.value - 1, slot.kind)
        return self.at["a"]

    def send_interrupt(self):
        self.machine.sent.append(interrupt(self.at["b"], self.slot("a").kind, self.machine.load(self.at["a"])))

    def sub(self):
        a, b = self.element("a"), self.element("b")
        self.put_element("c", self.field.sub(a, b))

    def add(self):
        a, b = self.element("a"), self.element("b")
        self.put_element("c", self.field.add(a, b))

    def mul(self):
        a, b = self.element("a"), self.element("b")
        self.put_element("c", self.field.mul(a, b))

    def inv(self):
        a = self.element("a")
        self.put_element("b", a if a == self.field.zero else self.field.inverse(a))

    def point_mult(self):
        group = FACTS.group(self.form("b")[0])
        (point,) = self.points("b")
        self.put_jacobian("c", group.mul(self.slot("a").value, point))

    def miller_loop(self):
        self.put("c", "fe12", miller(*self.points("a", "b")))

    def miller_lines(self):
        numbers = tuple(self.numbers("b"))
        self.put("c", "fe12", miller_at(*self.points("a"), numbers))

    def final_exp(self):
        self.put("b", "fe12", final_exponentiation(shaped(FIELDS["fp12"], self.numbers("a"))))

    def ate_pairing(self):
        self.put("c", "fe12", final_exponentiation(miller(*self.points("a", "b"))))

    def point_check(self):
        which, point = self.coordinates("a")
        group = FACTS.group(which)
        on_curve = group.contains(point)
        in_subgroup = on_curve and group.mul(FACTS.r, point) is None
        self.put("b", "scalar", on_curve | in_subgroup << 1 | (point is None) << 2)

    def point_affine(self):
        f = FIELDS[field_of(self.form("a")[0])]
        (point,) = self.points("a")
        self.put("b", self.point_result("b"), (f.zero, f.zero) if point is None else point)

    def point_add(self):
        p, q = self.points("a", "b")
        self.put_jacobian("c", FACTS.group(self.form("a")[0]).add(p, q))


def interrupt(index, kind, numbers):
    """The packet, whose length field does not count the value."""
    packet = WIRE["interrupt"]
    head = packet["len"].to_bytes(4, "little") + packet["number"].to_bytes(4, "little")
    body = b"".join(Slot(number).to_bytes() for number in numbers)
    return head + index.to_bytes(4, "little") + bytes([kind, 0, 0, 0]) + body


class Window:
    """A machine behind its registers: 32-bit words at byte offsets from the window's beginning on. Words that are not committed yet are kept,
    as in the card. The model has no clock, so `last_cycles` is 0, and what runs is done when `run` is called. Its memories are those of the
    published card.
    """

    def __init__(self, machine):
        assert (len(machine.data), len(machine.program)) == (1 << WIRE["data"]["log2_slots"], 1 << WIRE["instructions"]["log2_slots"])
        self.machine = machine
        self.low, self.words = 0, [0] * (WIRE["data"]["commit"] // 4)

    def place(self, table, memory, offset):
        """(number of the slot, byte in it), or None."""
        facts = WIRE[table]
        inside = offset - facts["base"]
        return divmod(inside, facts["stride"]) if 0 <= inside < facts["stride"] * len(memory) else None

    def read(self, offset):
        machine = self.machine
        if at := self.place("data", machine.data, offset):
            return int.from_bytes(machine.data[at[0]].to_bytes().ljust(WIRE["data"]["stride"], b"\0")[at[1]:at[1] + 4], "little")
        if at := self.place("instructions", machine.program, offset):
            return int.from_bytes(machine.program[at[0]].to_bytes()[at[1]:at[1] + 4], "little")
        number, slot = machine.error or (0, 0)
        return {
            WINDOW["instruction_base"]: WIRE["instructions"]["base"], WINDOW["data_base"]: WIRE["data"]["base"],
            WINDOW["log2_data"]: len(machine.data).bit_length() - 1, WINDOW["log2_instructions"]: len(machine.program).bit_length() - 1,
            WINDOW["pointer"]: machine.pointer, WINDOW["last_cycles"]: 0, WINDOW["error"]: number | slot << 16,
            WINDOW["extensions"]: sum(1 << number - 0x24 for number in OPCODES if number >= 0x24),
        }.get(offset, UNMAPPED)

    def write(self, offset, word):
        machine = self.machine
        if at := self.place("data", machine.data, offset):
            if at[1] < WIRE["data"]["commit"]:
                self.words[at[1] // 4] = word
            elif at[1] == WIRE["data"]["commit"]:
                machine.data[at[0]] = Slot.from_bytes(b"".join(word.to_bytes(4, "little") for word in [*self.words, word]))
        elif at := self.place("instructions", machine.program, offset):
            if at[1] == 0:
                self.low = word
            else:
                machine.program[at[0]] = Instruction.from_bytes((self.low | word << 32).to_bytes(8, "little"))
        elif offset == WINDOW["clear"]:
            if word & 1:
                machine.program[:] = [Instruction(0)] * len(machine.program)
            if word & 2:
                machine.data[:] = [Slot()] * len(machine.data)
        elif offset == WINDOW["pointer"]:
            machine.pointer = word % len(machine.program)
        elif offset == WINDOW["error"]:
            machine.error = None
