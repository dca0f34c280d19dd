"""The coprocessor on its card, in Verilator, through the register map and the command stream, against the model; and its cycles.

`python3 rtl/sim/test_coprocessor.py [--seconds N] [--rounds N] [--seed N] [CARD ...]` does with each card (`make sim` makes them):

  published  zcash-fpga's start-up program: its packets, values and pointer; the register map, memories cleared, words that are not committed
  vectors    spec/vectors/coprocessor: every opcode on every type, edges, refusals, control; memory, error, packets, pointer
  twice      the same pairing twice, and two different ones, back to back
  stream     pairings, Miller loops and final exponentiations that overlap, and those that read and write each other's slots; fewer cycles
  multiples  of points in the subgroups and outside, by scalars about the powers of the curve's parameter
  overlap    multiples that overlap, among pairings, of points inside and outside, none, and wrong ones, that read and write each other's slots; fewer cycles
  rewritten  a program that is overwritten as it waits and as it runs, and a pointer that is moved
  pressure   interrupts whose packets are not accepted
  reset      RESET in the middle of everything: memories, pointer and error are as at first, and what comes next is right
  rounds     random programs on random memories, slot by slot as the model leaves them; none hangs

and with a card of larger memories

  published  as above: at first it is a published card
  sizes      their registers; values, jumps, ends and refusals on all sizes, as the model has them
  vectors    those of larger memories
  lines      Miller loops with precomputed line coefficients, which overlap, of points of all kinds, that read and write each other's slots and lines; fewer cycles
  rounds     on memories of all sizes

`--cycles` measures instead: cycles of each instruction alone, by the register `last_cycles`.
"""

import itertools
import json
import random
import sys

import trial
from card import RESET, Card, header

sys.path.insert(0, str(trial.ROOT / "spec/model"))

import cases_coprocessor  # noqa: E402
import coprocessor  # noqa: E402
from coprocessor import ERRORS, FACTS, NUMBER, P, WINDOW, WIRE, Instruction, Machine, Slot, flat  # noqa: E402

CARDS = ["coprocessor_twin", "coprocessor_1024_twin"]
BOOK = json.loads((trial.ROOT / "spec/vectors/coprocessor/bls12_381.json").read_text())
UNMAPPED = coprocessor.UNMAPPED
BASE = coprocessor.tomllib.loads((trial.ROOT / "spec/wire/shell.toml").read_text())["address_map"]["coprocessor"]["base"]
REGISTERS = {register["name"]: register["offset"] for register in WIRE["block"]["registers"]}
DATA, INSTRUCTIONS = WIRE["data"], WIRE["instructions"]
OUT = 144
ROWS = trial.ROOT / "target/bench/cycles-coprocessor.json"
#: Of zcash-fpga's document.
PUBLISHED = {
    "mul fe12, residues": 270, "inv fe2, residues": 2685, "point_mult fp_af, residues": 49_800, "point_mult fp2_af, residues": 62_064,
    "point_mult fp_af, in a stream": 49_800, "point_mult fp2_af, in a stream": 62_064, "miller_loop fp_af, residues": 38_844, "ate_pairing fp_af, residues": 126_644, "ate_pairing fp_af, in a stream": 126_644,
    "ate_pairing fp_af, each further pair of a product": 38_844,
}
FURTHER = "ate_pairing fp_af, each further pair of a product, ready lines"
PUBLISHED[FURTHER] = PUBLISHED["ate_pairing fp_af, each further pair of a product"]
#: Cycles until a packet: a program may multiply a dozen points before it sends one.
LONGEST = 400_000


class Window:
    """The card's window: slots and registers, as `coprocessor.Window` has them of the model."""

    def __init__(self, card):
        self.card, self.page = card, 0
        most = self.register("most_log2")
        #: log2 of the most data slots and of the most instructions; None on a published card.
        self.most = None if most == UNMAPPED else (most & 0xFF, most >> 8)

    def data(self, at):
        """Where a data slot is; turns the page if need be."""
        page, within = divmod(at, 1 << DATA["log2_slots"])
        if page != self.page:
            self.write(WINDOW["page"], page)
            self.page = page
        return DATA["base"] + DATA["stride"] * within

    def sizes(self, log2_data, log2_instructions):
        """Selects the number of slots for programs, if this card has more than one size."""
        if self.most:
            self.write(WINDOW["log2_data"], log2_data)
            self.write(WINDOW["log2_instructions"], log2_instructions)

    def read(self, offset):
        return self.card.read(BASE + offset)

    def write(self, offset, word):
        self.card.write(BASE + offset, word)

    def register(self, name):
        return self.read(WINDOW[name])

    def put(self, at, slot):
        data, base = slot.to_bytes(), self.data(at)
        for byte in range(0, DATA["bytes"], 4):
            self.write(base + byte, int.from_bytes(data[byte:byte + 4], "little"))

    def slot(self, at):
        base = self.data(at)
        words = [self.read(base + byte) for byte in range(0, DATA["bytes"], 4)]
        return Slot.from_bytes(b"".join(word.to_bytes(4, "little") for word in words))

    def program(self, at, instructions):
        for i, instruction in enumerate(instructions):
            bits = int.from_bytes(instruction.to_bytes(), "little")
            self.write(INSTRUCTIONS["base"] + 8 * (at + i), bits & 0xFFFFFFFF)
            self.write(INSTRUCTIONS["base"] + 8 * (at + i) + 4, bits >> 32)

    def clear(self):
        self.write(WINDOW["clear"], 3)

    def go(self, at):
        self.write(WINDOW["pointer"], at)


class Trial(trial.Trial):
    CHECKS = ("published", "vectors", "twice", "stream", "multiples", "overlap", "rewritten", "pressure", "reset")

    def __init__(self, card, rng):
        super().__init__(card, rng)
        self.window = Window(card)
        block = card.read(0x8000 + 8)
        assert card.read(block) == WIRE["block"]["type"], "the second block is not the coprocessor's"
        assert card.read(block + REGISTERS["window"]) == BASE
        self.block = block
        self.extensions = self.window.register("extensions")
        self.memory = [Slot()] * len(Machine().data)
        self.log2 = DATA["log2_slots"], INSTRUCTIONS["log2_slots"]
        self.instructions = 0
        self.sent = 0
        if self.window.most:
            self.CHECKS = ("published", "sizes", "vectors", "lines")

    def resize(self, *log2):
        """Memories of these sizes, cleared."""
        if log2 != self.log2:
            self.log2 = log2
            self.wait_at(0)
            self.window.sizes(*log2)
            self.memory = [Slot()] * (1 << log2[0])
            self.window.clear()

    def built(self, number):
        """Has this card the instruction?"""
        return number < 0x24 or self.extensions >> number - 0x24 & 1

    def set(self, slots):
        """Brings the card's memory to these slots; those that are right already are not written."""
        for at, (now, slot) in enumerate(zip(self.memory, slots, strict=True)):
            if now != slot:
                self.window.put(at, slot)
        self.memory = list(slots)

    def settle(self, expected, cycles=LONGEST):
        """Runs until so many packets have come and the machine waits at a slot; the packets."""
        packets = [self.card.recv(cycles) for _ in range(expected)]
        assert None not in packets, f"{packets.index(None)} of {expected} packets"
        return packets

    def wait(self, pointer, steps):
        """Until the pointer is there and so many instructions are counted."""
        for _ in range(2000):
            if self.counter("instructions") >= self.instructions + steps and self.window.register("pointer") == pointer:
                break
            self.card.run(500)
        else:
            raise AssertionError(f"the pointer is {self.window.register('pointer')} and not {pointer}, "
                                 f"{self.counter('instructions') - self.instructions} of {steps} instructions")

    def counter(self, name):
        return self.card.read64(self.block + REGISTERS[name])

    def play(self, program, start, machine, what, run=None, more=()):
        """Runs a program on the card, whose memory is `machine`'s; the model has its instructions already. Everything must be alike.

        `run` brings the model to its end, if the model itself does not.
        """
        self.set(machine.data)
        self.window.write(WINDOW["error"], 0)
        self.wait_at(start + len(program) + 7)
        for at, instruction in dict(more).items():
            self.window.program(at, [instruction])
        self.window.program(start, program)
        machine.pointer, machine.error, machine.sent, machine.steps = start, None, [], 0
        if run:
            run()
        else:
            assert machine.run(200), f"{what}: the model does not wait"
        self.window.go(start)
        packets = self.settle(len(machine.sent))
        self.wait(machine.pointer, machine.steps)
        assert packets == machine.sent, f"{what}: {[p.hex() for p in packets]}"
        self.same(machine, what)
        self.instructions += machine.steps
        self.sent += len(packets)
        assert self.counter("instructions") == self.instructions, f"{what}: instructions"
        assert self.counter("interrupts") == self.sent, f"{what}: interrupts"
        self.memory = list(machine.data)

    def same(self, machine, what, everywhere=False):
        number, slot = machine.error or (0, 0)
        found = self.window.register("error")
        assert found == number | slot << 16, f"{what}: error {found:#x}, not {number} of {slot}"
        for at, (slot, old) in enumerate(zip(machine.data, self.memory, strict=True)):
            if everywhere or slot != old or self.rng.randrange(64) == 0:
                found = self.window.slot(at)
                assert found == slot, f"{what}: slot {at} is {found}, not {slot}"

    # What must be right.

    def wait_at(self, at):
        """Makes the card wait at an unused slot, so that a program does not begin while it is written."""
        self.window.write(WINDOW["clear"], 1)
        self.window.go(at % (1 << self.log2[1]))

    def fresh(self):
        self.window.clear()
        self.memory = [Slot()] * len(self.memory)

    def published(self):
        window = self.window
        assert [window.read(offset) for offset in (0, 4, 8, 12, 16, 20, 0x18, 0x1C, 0x20, 0x40)] == [0x1000, 0x2000, 8, 8, 0, 0, 0xBEEF, 0xBEEF, 0xBEEF, 0]
        assert window.most or [window.read(offset) for offset in (0x1800, 0x1FFC, 0x48, 0x4C)] == [0xBEEF] * 4, "behind instruction memory and registers"
        case = next(case for case in BOOK["cases"] if case["id"] == "start-up")
        self.fresh()
        machine = Machine()
        for at, slot in case["data"]:
            machine.data[at] = Slot.from_bytes(bytes.fromhex(slot))
        self.run_case(case, machine)
        # Words of a slot and of an instruction that are not committed; the gap behind a slot.
        data = Slot(P - 1, 5).to_bytes()
        for byte in range(0, 44, 4):
            window.write(0x2000 + 64 * 200 + byte, int.from_bytes(data[byte:byte + 4], "little"))
            assert window.read(0x2000 + 64 * 200) == 0
        window.write(0x2000 + 64 * 200 + 44, int.from_bytes(data[44:], "little"))
        window.write(0x2000 + 64 * 200 + 48, 77)
        assert window.slot(200) == Slot(P - 1, 5) and window.read(0x2000 + 64 * 200 + 48) == 0
        window.write(0x1008 + 8 * 100, 0x11223312)
        assert window.read(0x1008 + 8 * 100) == 0
        window.write(0x100C + 8 * 100, 0xFF445566)
        assert (window.read(0x1008 + 8 * 100), window.read(0x100C + 8 * 100)) == (0x11223312, 0x445566)
        window.write(WINDOW["clear"], 1)
        assert window.read(0x1008 + 8 * 100) == 0 and window.slot(200) == Slot(P - 1, 5)
        window.write(WINDOW["clear"], 2)
        assert window.slot(200) == Slot() and window.slot(255) == Slot() and window.slot(1) == Slot()
        self.memory = [Slot()] * len(self.memory)

    def run_case(self, case, machine):
        """Runs a case of the vectors: `machine` has its memory, and is set to the final state in the file."""
        program = [self.instruction(text) for text in case["program"]]

        def run():
            machine.pointer, machine.steps, machine.sent = case["pointer"], case["steps"], [bytes.fromhex(packet) for packet in case["sent"]]
            machine.error = case["error"] and (ERRORS[case["error"][0]], case["error"][1])
            for at, slot in case["changed"]:
                machine.data[at] = Slot.from_bytes(bytes.fromhex(slot))

        self.play(program, case["start"], machine, case["id"], run)

    @staticmethod
    def instruction(text):
        name, *operands = text.split()
        return Instruction(int(name, 0) if name.startswith("0x") else name, *map(int, operands))

    def cases(self):
        """Those of this card's instructions and that end; of a card of larger memories, those that need them."""
        for case in BOOK["cases"]:
            if ("log2_data" in case) != bool(self.window.most):
                continue
            numbers = [self.instruction(text).opcode for text in case["program"]]
            if "endless" not in case["tags"] and all(self.built(n) or n not in coprocessor.OPCODES for n in numbers):
                yield case

    def vectors(self):
        usual = [Slot.from_bytes(bytes.fromhex(slot)) for slot in BOOK["memory"]]
        done = 0
        for case in self.cases():
            machine = Machine(case.get("log2_data", DATA["log2_slots"]))
            self.resize(len(machine.data).bit_length() - 1, INSTRUCTIONS["log2_slots"])
            machine.data = (usual + machine.data[len(usual):])[:len(machine.data)]
            for at, slot in case["data"]:
                machine.data[at] = Slot.from_bytes(bytes.fromhex(slot))
            self.run_case(case, machine)
            done += 1
        self.kinds["vectors"] += done

    def twice(self):
        self.fresh()
        machine = Machine()
        g1, g2 = (FACTS.generator(group) for group in ("g1", "g2"))
        machine.store(0, "fp_af", g1)
        machine.store(2, "fp2_af", g2)
        machine.store(6, "fp_af", FACTS.group("g1").mul(3, g1))
        program = [("ate_pairing", 0, 2, 32), ("ate_pairing", 0, 2, 44), ("ate_pairing", 6, 2, 56), ("miller_loop", 0, 2, 68), ("ate_pairing", 0, 2, 80)]
        program = [Instruction(*words) for words in program]
        machine.program[1:1 + len(program)] = program
        self.play(program, 1, machine, "pairings back to back")

    def stream(self):
        rng, made, machine = self.rng, [], Machine()
        self.fresh()
        points = [(FACTS.group("g1").mul(k, FACTS.generator("g1")), FACTS.group("g2").mul(k, FACTS.generator("g2"))) for k in (1, 2)]
        for i, (p, q) in enumerate(points):
            machine.store(6 * i, "fp_af", p)
            machine.store(6 * i + 2, "fp2_af", q)
        machine.store(12, "fp_af", (1, 1))
        machine.store(14, "fp_jb", (0, 1, 0))
        for i in range(16):
            targets = (40, 52, 64, 76, 82, 100)
            name = rng.choice(("miller_loop", "miller_loop", "ate_pairing", "ate_pairing", "final_exp", "mul"))
            if name == "final_exp":
                made.append(Instruction(name, rng.choice(targets), rng.choice(targets)))
            elif name == "mul":
                made.append(Instruction(name, *(rng.choice(targets) for _ in "abc")))
            else:
                made.append(Instruction(name, rng.choice((0, 0, 6, 6, 6, 12, 14)), rng.choice((2, 8)), rng.choice(targets)))
        machine.program[1:1 + len(made)] = made
        self.play(made, 1, machine, " ; ".join(f"{i.opcode:#x} {i.a} {i.b} {i.c}" for i in made))
        cycles = self.each([Instruction("ate_pairing", 6 * (i % 2), 2, 40 + 12 * (i % 12)) for i in range(16)])
        assert cycles < 11_000, f"{cycles:,.0f} cycles a pairing: they do not overlap"

    def each(self, program):
        """Cycles of an instruction on average, the first and the last ones included."""
        self.wait_at(200)
        self.window.program(1, program)
        self.window.go(1)
        begin = self.cycles()
        while self.window.register("pointer") != 1 + len(program):
            self.card.run(200)
            assert self.cycles() - begin < 100_000 * len(program), "the program does not end"
        self.instructions += len(program)
        self.memory = [None] * len(self.memory)
        return (self.cycles() - begin) / len(program)

    def overlap(self):
        rng, machine = self.rng, Machine()
        self.fresh()
        points = {}
        for group, kind, at in (("g1", "fp_af", 0), ("g2", "fp2_af", 2)):
            curve, seed = FACTS.group(group), f"overlap {rng.random()}"
            points[group] = curve.mul(rng.randrange(1, FACTS.r), FACTS.generator(group))
            machine.store(at, kind, points[group])
            machine.store(at + 6, kind, cases_coprocessor.outside(group, seed))
        machine.store(12, "fp_af", (0, 0))
        machine.store(14, "fp_af", (1, 1))
        machine.store(16, "fp_jb", (*points["g1"], 1))
        for at, scalar in zip(range(20, 24), (rng.randrange(FACTS.r), rng.randrange(1 << 16), 1 << 300, FACTS.r - 1), strict=True):
            machine.store(at, "scalar", [scalar])
        made = []
        for _ in range(14):
            name = rng.choice(("point_mult",) * 8 + ("miller_loop", "mul"))
            targets = (40, 43, 46, 50, 56, 62, 68, 100, rng.choice((0, 2, 20)))
            if name == "point_mult":
                operands = rng.choice((20, 20, 20, 21, 22, 23)), rng.choice((0, 0, 0, 2, 2, 2, 6, 8, 12, 14, 16, 40, 50)), rng.choice(targets)
            elif name == "miller_loop":
                operands = 0, 2, rng.choice((80, 100))
            else:
                operands = tuple(rng.choice(targets) for _ in "abc")
            made.append(Instruction(name, *operands))
        machine.program[1:1 + len(made)] = made
        self.play(made, 1, machine, " ; ".join(f"{i.opcode:#x} {i.a} {i.b} {i.c}" for i in made))
        self.fresh()
        for at, kind, group, most in ((0, "fp_af", "g1", 7_000), (2, "fp2_af", "g2", 4_500)):
            machine = Machine()
            machine.store(at, kind, points[group])
            machine.store(20, "scalar", [rng.randrange(FACTS.r)])
            self.set(machine.data)
            cycles = self.each([Instruction("point_mult", 20, at, 40 + 6 * i) for i in range(16)])
            assert cycles < most, f"{cycles:,.0f} cycles a multiple in {group}: they do not overlap"
            self.fresh()

    def multiples(self):
        """Scalars that are split into long digits, few, or none; points of order r, of an order prime to it, of order 3, and of neither."""
        self.fresh()
        x, r = 0xD201000000010000, FACTS.r
        edges = [0, 1, x - 1, x, x * x - 1, x * x, x * x + 1, x**3 - 1, x**3, x**4 - 1, r - 1, r, r + 1, (1 << 192) - 1, (1 << 255) - 19, (1 << 256) - 1, 1 << 256, (1 << 381) - 1]
        self.rng.shuffle(edges)
        edges = itertools.cycle(edges)
        for group, kind in (("g1", "fp_af"), ("g2", "fp2_af")):
            curve, generator = FACTS.group(group), FACTS.generator(group)
            inside = curve.mul(self.rng.randrange(1, r), generator)
            outside = cases_coprocessor.outside(group, f"multiples {self.rng.random()}")
            beside = curve.mul(r, outside)
            points = [inside, inside, outside, beside, curve.add(inside, beside)] + ([(0, 2)] if group == "g1" else [])
            for point in points:
                machine = Machine()
                machine.data = list(self.memory)
                machine.store(10, kind, point)
                for at in range(3):
                    machine.store(at, "scalar", [next(edges) if at < 2 else self.rng.randrange(r)])
                program = [Instruction("point_check", 10, 20)] + [Instruction("point_mult", at, 10, 30 + 6 * at) for at in range(3)]
                machine.program[1:1 + len(program)] = program
                self.play(program, 1, machine, f"multiples of {point} by {[machine.data[at].value for at in range(3)]}")

    def rewritten(self):
        self.fresh()
        window = self.window
        self.wait_at(200)
        window.put(0, Slot(7, 1))
        window.put(3, Slot(P - 2, 1))
        window.program(1, [Instruction("copy_reg", 0, 5), Instruction(0)])
        window.go(1)
        self.card.run(200)
        assert window.register("pointer") == 2 and window.slot(5) == Slot(7, 1)
        window.program(2, [Instruction("add", 5, 5, 5)])  # over the instruction at which it waits
        self.card.run(400)
        assert window.register("pointer") == 3 and window.slot(5) == Slot(14, 1)
        # A loop whose body is overwritten as it runs, and that is left by its pointer.
        window.program(20, [Instruction("add", 5, 3, 5), Instruction("jump", 20)])
        window.go(20)
        self.card.run(5000)
        window.program(20, [Instruction("copy_reg", 0, 6)])
        self.card.run(1000)
        assert window.slot(6) == Slot(7, 1)
        held = window.slot(5)
        assert held.kind == 1 and (14 - held.value) % P % 2 == 0
        window.go(100)
        self.card.run(300)
        assert window.register("pointer") == 100
        window.program(21, [Instruction("jump", 21)])
        window.go(20)
        self.card.run(300)
        assert window.register("pointer") == 21
        window.go(300)  # bits above are dropped
        self.card.run(300)
        assert window.register("pointer") == 44
        self.instructions = self.counter("instructions")
        self.memory = [None] * len(self.memory)

    def pressure(self):
        """Interrupts behind a host that takes nothing, then little."""
        self.fresh()
        machine = Machine()
        machine.store(0, "fe12", [self.rng.randrange(P) for _ in range(12)])
        machine.store(12, "scalar", [(1 << 381) - 1])
        machine.store(20, "fp2_jb", [self.rng.randrange(1 << 381) for _ in range(6)])
        program = [Instruction("send_interrupt", (0, 12, 20)[i % 3], i) for i in range(30)] + [Instruction("copy_reg", 12, 40)]
        machine.program[1:1 + len(program)] = program
        self.wait_at(200)
        self.window.program(1, program)
        self.set(machine.data)
        self.window.write(WINDOW["error"], 0)
        self.card.jitter(1, 0, 256)
        self.window.go(1)
        self.card.run(20_000)
        assert self.counter("instructions") - self.instructions < 30, "packets went somewhere"
        assert self.window.slot(12) == machine.data[12], "registers wait for packets"
        self.card.jitter(self.rng.getrandbits(64), 0, 240)
        machine.pointer = 1
        machine.run(100)
        assert self.settle(30) == machine.sent
        self.card.jitter(0, 0, 0)
        self.wait(machine.pointer, len(program))
        self.instructions += len(program)
        self.sent += 30
        self.same(machine, "back-pressure")
        self.memory = list(machine.data)

    def sizes(self):
        window, most = self.window, self.window.most
        registers = [WINDOW[name] for name in ("log2_data", "log2_instructions", "page")]
        assert [window.read(at) for at in registers] == [8, 8, 0], "at first it is a published card"
        window.go(0)
        for at, size in itertools.product(registers[:2], (0, 7, 1 << 8 | 8, 1 << 31)):
            window.write(at, size)
        for at, size in zip(registers, most, strict=False):
            window.write(at, size + 1)
        assert [window.read(at) for at in registers] == [8, 8, 0], "sizes that it has not"
        for log2 in itertools.product(*(range(8, size + 1) for size in most)):
            self.resize(*log2)
            self.card.run(100)
            assert tuple(window.read(at) for at in registers[:2]) == log2
            data, instructions = (1 << size for size in log2)
            machine = Machine(*log2)
            for at in range(3):  # in slots that differ by a page
                machine.store(at * data // 3, "fe", [self.rng.randrange(P)])
            machine.store(data - 13, "fe12", [self.rng.randrange(P) for _ in range(12)])
            machine.store(data - 1, "fe", [self.rng.randrange(P)])
            last = [Instruction("mul", data // 3, 2 * data // 3, data - 1), Instruction("mul", data - 13, data - 13, data - 13), Instruction("send_interrupt", data - 13, 9),
                    Instruction("jump", instructions - 2)]
            self.play_at(machine, instructions // 2 - 1, last, {instructions - 2: Instruction("copy_reg", data - 1, 1), instructions - 1: Instruction("add", 1, 1, 1)})
            for refused in (("copy_reg", data, 1), ("copy_reg", 1, data), ("mul", data - 11, data - 11, 1), ("send_interrupt", data - 11, 1), ("jump", instructions),
                            ("jump_if_eq", instructions, 1, 1), ("mul", 0xFFFF, 1, 1), ("inv", 1, 256 << 4)):
                machine.data[data - 11] = Slot(machine.data[data - 11].value, NUMBER["fe12"])
                self.play_at(machine, 3, [Instruction(*refused), Instruction("copy_reg", data - 1, data - 2)])
        self.resize(8, 8)

    def lines(self):
        rng, machine, table = self.rng, Machine(9, 8), 240
        self.resize(9, 8)
        g1, g2 = (FACTS.generator(group) for group in ("g1", "g2"))
        machine.store(0, "fp_af", FACTS.group("g1").mul(rng.randrange(FACTS.r), g1))
        machine.store(2, "fp2_af", g2)
        machine.store(6, "fp_af", FACTS.group("g1").mul(rng.randrange(FACTS.r), g1))
        machine.store(8, "fp_af", (0, 0))
        machine.store(10, "fp_af", (1, 1))
        machine.store(12, "fp_jb", (*FACTS.group("g1").mul(3, g1), 1))
        machine.store(15, "fe", [P])
        machine.store(table, "fe2", coprocessor.lines(FACTS.group("g2").mul(rng.randrange(FACTS.r), g2)))
        targets, made = (40, 52, 64, 76, 100, 150), []
        for _ in range(24):
            name = rng.choice((*["miller_lines"] * 6, "miller_loop", "final_exp", "mul", "copy_reg"))
            a, c = rng.choice((0, 0, 0, 6, 6, 6, 8, 10, 12, 14)), rng.choice(targets)
            if name == "miller_lines":
                made.append(Instruction(name, a, rng.choice((*[table] * 6, table + 1, table - 12)), rng.choice((*targets, table + 200))))
            elif name == "copy_reg":
                made.append(Instruction(name, rng.choice((*range(c, c + 12), 15)), rng.randrange(table, 1 << 9)))
            else:
                made.append(Instruction(name, *{"miller_loop": (a, 2), "final_exp": (c,), "mul": (c, rng.choice(targets))}[name], rng.choice(targets)))
        machine.program[1:1 + len(made)] = made
        before = list(machine.data)
        self.play(made, 1, machine, " ; ".join(f"{i.opcode:#x} {i.a} {i.b} {i.c}" for i in made))
        self.set(before)
        cycles = self.each([Instruction("miller_lines", 6 * (i % 2), table, 40 + 12 * (i % 12)) for i in range(16)])
        assert cycles < 3_300, f"{cycles:,.0f} cycles: they do not overlap"
        self.resize(8, 8)

    def play_at(self, machine, start, program, more=()):
        """Runs a program, with further instructions by slot."""
        machine.program[:] = [Instruction(0)] * len(machine.program)
        machine.program[start:start + len(program)] = program
        for at, instruction in dict(more).items():
            machine.program[at] = instruction
        self.play(program, start, machine, f"{program} of {len(machine.data)} and {len(machine.program)} slots", more=more)

    def reset(self):
        """What a program was at does not matter to the next."""
        machine, g1, g2 = Machine(), FACTS.generator("g1"), FACTS.generator("g2")
        machine.store(0, "fp_af", g1)
        machine.store(2, "fp2_af", g2)
        machine.store(8, "fe", [5])
        program = [Instruction("inv", 8, 9), Instruction("miller_loop", 0, 2, 20), Instruction("send_interrupt", 20, 1), Instruction("mul", 20, 20, 40), Instruction("jump", 300), Instruction("jump", 1)]
        after = [Instruction("mul", 8, 8, 9), Instruction("inv", 8, 10), Instruction("send_interrupt", 10, 3)]
        for cycles in (3, 60, 130, 200, 500, 700, 900, 1100, 3000, 9000, 9300, 9500, 9700, 10_000):
            self.set(machine.data)
            self.wait_at(200)
            self.window.program(1, program)
            self.window.go(1)
            self.card.run(cycles + self.rng.randrange(50))
            self.card.send(header(8, RESET))
            if cycles % 20 == 0:  # accesses while it is reset
                self.window.write(0x2000 + 64, 5)
                self.window.read(0x2000 + 64 * 20)
            replies = self.card.replies()
            assert replies[-1] == header(8, 0x80000000 | RESET), [reply.hex() for reply in replies]
            self.memory, self.instructions, self.sent = [Slot()] * len(self.memory), 0, 0
            assert self.window.register("pointer") == 0 and self.window.register("error") == 0
            blank = Machine()
            self.same(blank, "reset", everywhere=cycles == 60)
            assert self.window.read(0x1008) == 0
            blank.store(8, "fe", [5])
            blank.program[1:4] = after
            self.play(after, 1, blank, f"after a reset at {cycles}")
            self.fresh()

    # Random programs.

    def round(self):
        rng = self.rng
        if self.window.most:
            self.resize(*(rng.randint(8, most) for most in self.window.most))
        machine = Machine(*self.log2)
        data = len(machine.data)
        if None in self.memory:
            self.fresh()
        machine.data = list(self.memory)
        for _ in range(rng.choice((5, 20, 60))):
            value = rng.choice((0, 1, P - 1, P, rng.randrange(P), rng.randrange(P), rng.randrange(P), rng.randrange(1 << 381)))
            machine.data[rng.randrange(rng.choice((8, 40, data)))] = Slot(value, rng.randrange(8))
        # Points, some of them wrong.
        for group, base in (("g1", 200), ("g2", 220)):
            point = FACTS.group(group).mul(rng.randrange(FACTS.r), FACTS.generator(group))
            kind = "fp_af" if group == "g1" else "fp2_af"
            machine.store(base, rng.choice((kind, "scalar")), flat(point or (0, 0)))
        cheap = [n for n in coprocessor.OPCODES if n not in (0, 0x20, 0x21, 0x22, 0x23) and self.built(n)] + [0x03, 0x77]
        program, length = [], rng.choice((10, 20, 40))
        for at in range(1, length):
            number = rng.choice(cheap) if rng.random() < 0.99 else rng.choice([n for n in (0x20, 0x21, 0x22, 0x23) if self.built(n)])
            small = rng.choice((8, 40, data, data, data + 44))
            operands = [rng.randrange(small) for _ in range(3)]
            if number in (0x02, 0x04, 0x05):  # forward, so that it ends
                operands[0] = rng.choice((rng.randrange(at + 1, length + 1), rng.randrange(len(machine.program), 1 << 16)))
            if number >= 0x20 and rng.random() < 0.7:
                operands[:2] = [200, 220]
            program.append(Instruction(number, *operands))
        machine.program[1:1 + len(program)] = program
        self.play(program, 1, machine, " ; ".join(f"{i.opcode:#x} {i.a} {i.b} {i.c}" for i in program))
        self.kinds["instructions"] += machine.steps


def stream(card, window, name, a, b, slots, count=40):
    """Cycles an instruction whose results have so many slots, of many that follow each other; the first and the last round are not counted."""
    window.program(1, [Instruction(name, a, b, 40 + slots * (i % 12)) for i in range(count)] + [Instruction(0)])
    window.go(1)
    reached = {}
    while (pointer := window.register("pointer")) != 1 + count:
        reached.setdefault(pointer, card.lib.pm_sim_cycles(card.sim))
        card.run(20)
    first, last = 12, count - 10
    return (reached[last] - reached[first]) / (last - first)


def further(card, window, name="miller_loop", b=2, few=8, many=16):
    """Cycles that a pair more takes in a product of pairings: Miller loops, then products, then the final exponentiation."""
    def cycles(pairs):
        program = [Instruction(name, 0, b, 40 + 12 * i) for i in range(pairs)] + [Instruction("mul", 40, 40 + 12 * i, 40) for i in range(1, pairs)]
        window.go(200)  # where it waits while this is written
        window.program(1, [*program, Instruction("final_exp", 40, 40), Instruction(0)])
        window.go(1)
        begin = card.lib.pm_sim_cycles(card.sim)
        while window.register("pointer") != len(program) + 2:
            card.run(20)
            if card.lib.pm_sim_cycles(card.sim) - begin > LONGEST:
                raise AssertionError(f"{pairs} pairs have no product after {LONGEST} cycles")
        return card.lib.pm_sim_cycles(card.sim) - begin

    return (cycles(many) - cycles(few)) / (many - few)


def measure(libraries, seed):
    """Cycles of each instruction, its operands given as integers and then as results, on a published card, and of those that need a larger one;
    rows for `make report`."""
    made = []
    for library in libraries or map(trial.simulation, CARDS):
        with Card(library) as card:
            window = Window(card)
            found = with_lines(card, window) if window.most else of_instructions(card, window)
            config = library.stem.removesuffix("_twin")
            fields = {"op": "coprocessor", "instance": "bls12_381", "config": config, "unit": "cycles", "kind": "measured"}
            made += [{**fields, "metric": metric, "value": value, "published": PUBLISHED.get(metric), "published_by": metric in PUBLISHED and "zcash-fpga, its document" or None}
                     for metric, value in found.items()]
    ROWS.parent.mkdir(parents=True, exist_ok=True)
    ROWS.write_text(json.dumps(made, indent=1) + "\n")
    return 0


def of_instructions(card, window):
    found = {}
    g1, g2 = (FACTS.generator(group) for group in ("g1", "g2"))
    machine = Machine()
    source = random.Random(1)  # the same operands in every run: a division's time depends on them
    machine.store(0, "fp_af", g1)
    machine.store(2, "fp2_af", g2)
    machine.store(6, "fe12", [source.randrange(P) for _ in range(12)])
    machine.store(18, "fe2", [source.randrange(P) for _ in range(2)])
    machine.store(20, "fe", [source.randrange(P)])
    machine.store(21, "scalar", [source.randrange(1 << 254, FACTS.r)])
    extensions = window.register("extensions")
    rows = [*((name, at, 40 if name == "inv" else at) for at in (20, 18, 6) for name in ("add", "sub", "mul", "inv")),
            ("point_mult", 21, 0), ("point_mult", 21, 2), ("point_add", 0, 0), ("point_add", 2, 2), ("point_check", 0, 40), ("point_check", 2, 40),
            ("point_affine", 0, 40), ("point_affine", 2, 40), ("miller_loop", 0, 2), ("final_exp", 6, 40), ("ate_pairing", 0, 2)]
    print(f"{'instruction':14}{'type':>8}{'integers':>10}{'residues':>10}")
    for name, a, b in rows:
        number = coprocessor.OPCODE[name]
        if number >= 0x24 and not extensions >> number - 0x24 & 1:
            continue
        window.clear()
        for at, slot in enumerate(machine.data[:22]):
            window.put(at, slot)
        times = [alone(card, window, name, a, b) for _ in range(2)]
        kind = coprocessor.TYPES[machine.data[b if name == "point_mult" else a].kind]["name"]
        print(f"{name:14}{kind:>8}{times[0]:>10,}{times[1]:>10,}", flush=True)
        found[f"{name} {kind}, residues"] = times[1]
    for name, kind, a, b, slots in (("ate_pairing", "fp_af", 0, 2, 12), ("point_mult", "fp_af", 21, 0, 3), ("point_mult", "fp2_af", 21, 2, 6)):
        metric = f"{name} {kind}, in a stream"
        found[metric] = round(stream(card, window, name, a, b, slots))
        print(f"{metric:30}{found[metric]:>12,}", flush=True)
    found["ate_pairing fp_af, each further pair of a product"] = round(further(card, window))
    print(f"{'each further pair of a product':30}{found['ate_pairing fp_af, each further pair of a product']:>12,}", flush=True)
    return found


def with_lines(card, window, table=240):
    """Of products with the lines of a fixed point."""
    window.sizes(9, 8)
    machine = Machine(9, 8)
    machine.store(0, "fp_af", FACTS.generator("g1"))
    machine.store(table, "fe2", coprocessor.lines(FACTS.generator("g2")))
    for at, slot in enumerate(machine.data):
        window.put(at, slot)
    times = [alone(card, window, "miller_lines", 0, table) for _ in range(2)]
    print(f"{'miller_lines':14}{'fp_af':>8}{times[0]:>10,}{times[1]:>10,}", flush=True)
    found = {"miller_lines fp_af, residues": times[1], FURTHER: round(further(card, window, "miller_lines", table))}
    print(f"{'each further pair of a product':30}{found[FURTHER]:>12,}", flush=True)
    return found


def alone(card, window, name, a, b):
    """Cycles of an instruction with its result at 60."""
    window.go(200)
    window.program(1, [Instruction(name, a, b, 60)])
    window.go(1)
    for _ in range(400):
        card.run(500)
        if window.register("pointer") == 2:
            break
    assert window.register("error") == 0, name
    return window.register("last_cycles")


if __name__ == "__main__":
    sys.exit(trial.main(Trial, __doc__, CARDS, measure=measure))
