"""The pairing processor: executes the words of a program image on plain integers, cycle for cycle.

The image is what the generator writes beside the circuit's Verilog (image.json); the word is spec/pairing/word.toml. A register holds an
element of Fp2, a slot one of Fp. A word that reads a register that was never written, or whose new value is still on its way, is an
`Unready`: so a run proves that its words are scheduled well, for the order in which they began.

The model of time: a word is available the cycle after it was chosen; a context's next word begins when its gap is over; after a block's
last word come its drain, the next block's header and two cycles; of the ready contexts the one with the oldest job issues first, one with
a multiplier's word and one without; only the job that uses the inverter waits for it.

    python3 spec/model/pairing_processor.py target/rtl/pairing_bls12_381_twin/image.json fe12_mul      # its cycles, and those of its longest chain
"""

import argparse
import json
import tomllib
from collections import deque
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

LAYOUT = tomllib.loads((Path(__file__).resolve().parents[1] / "pairing/word.toml").read_text())
CONTROLS, OUTSIDES, ALSOS, TABLE = (LAYOUT[key] for key in ("controls", "outsides", "alsos", "table"))
TERMS, BITS_PER_CYCLE = 4, 8
OUTER, INNER, REST, SQUARE, STRETCH, PAIR = range(1, 7)
PRODUCTS, SUMS = 0, 1


class Unready(Exception):
    """A word reads a register without a value."""


def layout():
    """(name, bits) of all fields, lowest first."""
    for prefix, part in (("", "control"), ("next_", "info"), ("first_", "info"), ("", "mul"), ("a_", "register"), ("a2_", "second"),
                         ("b_", "register"), ("b2_", "second"), ("", "sum"), *((f"t{i}_", "term") for i in range(TERMS))):
        for name, bits in LAYOUT[part]:
            yield prefix + name, bits


def decode(word):
    """The fields of a word by name."""
    fields = {}
    for name, bits in layout():
        fields[name] = word & (1 << bits) - 1
        word >>= bits
    return fields


@dataclass(frozen=True)
class Info:
    mul: int = 0
    sum: int = 0
    hold: int = 0
    last: int = 1
    gap: int = 0

    @classmethod
    def of(cls, word, prefix):
        return cls(*(word[f"{prefix}_{name}"] for name, _ in LAYOUT["info"]))


@dataclass(frozen=True)
class Job:
    program: str
    operands: tuple  # first slots of a, b, c, and of d, if it is not the machine's
    digits: tuple = ()  # of a walk through a table, for each turn; digit i is always i if there are none
    loads: int = 12  # slots of entries that a turn reads, or pairs of them
    stride: int = TABLE["slots"]  # from an entry to the next one


@dataclass
class Context:
    """One job on its way; `held`: factors that were read a cycle ago."""

    job: Job
    number: int
    address: int
    info: Info = Info()
    following: Info = Info()
    gap: int = 0
    count: int = 0
    live: bool = True
    ending: bool = False
    inverse: int | None = None
    inverse_at: int | None = 0  # at first what is waited for is the verdict, which is there
    waiting: bool = False
    word: dict | None = None  # that arrives
    held: tuple | None = None
    taken: int = 0  # slots of entries that were read
    stack: list = field(default_factory=list)
    registers: dict = field(default_factory=dict)  # (bank, register) -> (value, cycle from which on it can be read)

    def ready(self):
        return self.live and self.gap == 0


class Machine:
    def __init__(self, image, slots=256, checks=240):
        self.image, self.p = image, int(image["modulus"], 16)
        self.words = [decode(int(word, 16)) for word in image["words"]]
        self.entries = {entry["name"]: entry["address"] for entry in image["entries"]}
        self.constants = [tuple(int(c, 16) for c in pair) for pair in image["constants"]]
        self.latency = {PRODUCTS: image["mul"], SUMS: image["sum"]}
        self.slots, self.turns, self.sums = [0] * slots, 0, 0
        self.checks = checks

    @cached_property
    def intake(self):
        """Cycles of an integer's way to a residue."""
        return -(-self.p.bit_length() // BITS_PER_CYCLE) + self.image["reduce"] + 5

    def run(self, jobs, limit=10_000_000):
        """The cycle in which each job is done, counted from that in which the first one is started; one a cycle is, as long as there are contexts."""
        jobs, contexts, done, held, cycle = deque(jobs), deque(), [], None, 0
        number = 0
        while jobs or contexts:
            begun = None
            if jobs and len(contexts) < self.image["contexts"]:
                job = jobs.popleft()
                begun = Context(job, number, self.entries[job.program])
                number += 1
            ready = [context for context in contexts if context.ready()]
            mul = held or next((c for c in ready if c.info.mul), None)
            sums = None if mul and mul.info.sum else next((c for c in ready if not c.info.mul), None)
            if mul and not mul.ready():
                raise Unready(f"cycle {cycle}: a word that must begin now cannot")
            held = mul if mul and mul.info.hold else None
            finished = contexts[0] if contexts and contexts[0].ending and contexts[0].gap == 0 else None
            for context in contexts:
                self.advance(context, context is mul or context is sums, cycle)
            if finished:
                contexts.popleft()
                done.append(cycle)
            if begun:
                contexts.append(begun)
            cycle += 1
            if cycle > limit:
                raise Unready(f"nothing ends within {limit} cycles")
        return done

    def advance(self, context, chosen, cycle):
        """What a clock edge does to a context."""
        word, context.word, waited = context.word, None, context.waiting
        if word:
            self.execute(context, word, cycle)
        context.gap = max(0, context.gap - 1)
        brought = Info.of(word, "next") if word else context.following
        context.following = brought
        if chosen:
            context.word = self.words[context.address]
            context.address += 1
            context.live, context.gap = not context.info.last, 0 if context.info.last else brought.gap
            context.info = brought
        if word:
            self.control(context, word)
        if waited and context.inverse_at is not None and context.inverse_at <= cycle:
            context.waiting = False
            self.header(context, context.address)

    def header(self, context, address):
        context.address, context.info, context.live = address, Info(), True

    def control(self, context, word):
        control = CONTROLS[word["control"]]
        if control == "none":
            return
        if control == "header":
            context.info, context.live = Info.of(word, "first"), True
            return
        context.gap = word["drain"]
        returns = control == "return" or control == "loop" and context.count == 1
        if returns:
            self.header(context, context.stack.pop())
        elif control == "loop":
            context.count -= 1
            self.header(context, word["target"])
        elif control in ("go", "call"):
            if control == "call":
                context.stack.append(context.address)
            context.count = word["count"]
            self.header(context, word["target"])
        elif control == "wait":
            context.waiting = True
        else:
            context.ending = True

    # What a word computes.

    def read(self, context, word, name, cycle):
        place = word[f"{name}_bank"], word[f"{name}_reg"]
        value, there = context.registers.get(place, (None, None))
        if value is None or there > cycle:
            raise Unready(f"cycle {cycle}, {context.job.program}, word {context.address - 1}: register {place} is not there")
        return value

    def result(self, bank, register, value, cycle):
        """What a word does to a register after it has read its operands."""
        return {(bank, register): (tuple(c % self.p for c in value), cycle + self.latency[bank])}

    def factor(self, context, word, name, cycle):
        a = self.read(context, word, name, cycle)
        if not word[f"{name}2_on"]:
            return a
        b, sign = self.read(context, word, f"{name}2", cycle), -1 if word[f"{name}2_minus"] else 1
        return tuple(x + sign * y for x, y in zip(a, b))

    def execute(self, context, word, cycle):
        results = self.multiply(context, word, cycle)
        if word["sum_on"]:
            results |= self.add(context, word, cycle)
        context.registers |= results

    def multiply(self, context, word, cycle):
        mode, result = word["mode"], None
        self.turns += mode != 0
        now = None
        if mode in (OUTER, STRETCH, PAIR) or mode == INNER and self.second(context):
            now = self.factor(context, word, "a", cycle), self.factor(context, word, "b", cycle)
        if mode in (INNER, REST):
            (a0, a1), (b0, b1) = context.held
            result = (a0 * b0 - a1 * b1, a0 * b1 + a1 * b0)
        elif mode == SQUARE:
            a0, a1 = self.factor(context, word, "a", cycle)
            result = ((a0 + a1) * (a0 - a1), 2 * a0 * a1)
        elif mode == STRETCH:
            (a0, a1), (b0, _) = now
            result = (a0 * b0, a1 * b0)
        elif mode == PAIR:
            (a0, a1), (b0, b1) = now
            result = (a0 * b0, a1 * b1)
        context.held = now
        if bool(word["mul_writes"]) != (result is not None):
            raise Unready(f"word {context.address - 1}: a product without a register, or a register without one")
        return self.result(PRODUCTS, word["mul_dst"], result, cycle) if result else {}

    def second(self, context):
        """Does the word after this one complete a second product?"""
        return self.words[context.address]["mode"] == REST

    def add(self, context, word, cycle):
        self.sums += 1
        total = list(self.outside(context, word))
        for i in range(TERMS):
            if word[f"t{i}_on"]:
                x0, x1 = self.read(context, word, f"t{i}", cycle)
                x1 = -x1 if word[f"t{i}_conj"] else x1
                x0, x1 = (x0 - x1, x0 + x1) if word[f"t{i}_xi"] else (x0, x1)
                k = (3 if word[f"t{i}_triple"] else 1) << word[f"t{i}_shift"]
                k = -k if word[f"t{i}_minus"] else k
                total = [total[0] + k * x0, total[1] + k * x1]
        also = ALSOS[word["also"]]
        if also in ("slots", "slot"):
            at = self.place(context, word)
            for i, coordinate in enumerate(total[:2 if also == "slots" else 1]):
                self.slots[(at + i) % len(self.slots)] = coordinate % self.p
        elif also == "inverter":
            context.inverse = pow(total[0], -1, self.p) if total[0] % self.p else 0
            context.inverse_at = cycle + self.inversion(total[0] % self.p)
        return self.result(SUMS, word["sum_dst"], total, cycle)

    def outside(self, context, word):
        kind, value = OUTSIDES[word["outside"]], word["value"]
        if kind == "slots":
            at = self.place(context, word)
            return self.slots[at], self.slots[(at + 1) % len(self.slots)]
        if kind == "slot":
            return self.slots[self.place(context, word)], 0
        if kind in ("entries", "entry"):
            at = self.entry(context, word)
            return self.slots[at], self.slots[(at + 1) % len(self.slots)] if kind == "entries" else 0
        if kind == "constant":
            return self.constants[value]
        if kind == "inverse":
            return context.inverse, 0
        return 0, 0

    def place(self, context, word):
        return ((*context.job.operands, self.checks)[word["base"]] + word["value"]) % len(self.slots)

    def entry(self, context, word):
        """A slot of the entry of a digit."""
        digit, slot = word["value"] >> 3, word["value"] & 7
        if context.job.digits:
            digits = context.job.digits[context.taken // context.job.loads]
            digit, context.taken = digits[digit], context.taken + 1
        operands = (*context.job.operands, self.checks)
        return (operands[word["base"]] + context.job.stride * digit + slot) % len(self.slots)

    def inversion(self, x):
        """Returns the cycles from the first word until its context continues: sum, canonical integer, division, residue."""
        return self.image["sum"] + self.image["canonical"] + self.division(x) + self.intake + 10

    def division(self, s):
        """Cycles of the plus-minus division of 1 by s, the reduction of the quotient included (rtl/.../field/Quotients.scala)."""
        n = self.p
        f, g, gap, d, e, cycles = n, s, 0, 0, 1, 0
        while g:
            odd, swap = g % 2, g % 2 and gap < 0
            sign = -1 if f & 2 == g & 2 else 1
            by = 4 if odd or not g & 2 else 2
            total, sum_ = (g + sign * f, e + sign * d) if odd else (g, e)
            gap = ~gap if swap else gap - (1 if odd or by == 2 else 2)
            f, d = (g, e) if swap else (f, d)
            g, e = total // by, next((sum_ + q * n) // by for q in (0, 1, 2, -1) if (sum_ + q * n) % by == 0)
            cycles += 1
        e += -d if f < 0 else d
        while not 0 <= e < n:
            e += n if e < 0 else -n
            cycles += 3  # it is chosen, made, then looked at
        return cycles


def longest_chain(image, program, division=451):
    """Cycles of a job's longest chain of operations that wait for each other's results: what it would take if no operation waited for a unit, a
    register, or its word. Each product in Fp2 has two turns, and the division of an inversion takes `division` cycles, as that by 2 does."""
    machine = Machine(image)
    mul, sums = (machine.latency[bank] for bank in (PRODUCTS, SUMS))
    there, held, inverse, longest = {}, 0, 0, 0
    address, count, stack = machine.entries[program], 0, []

    def operands(word, names):
        return max((there[word[f"{name}_bank"], word[f"{name}_reg"]] for name in names if word.get(f"{name}_on", 1)), default=0)

    while True:
        word, results = machine.words[address], {}
        address += 1
        mode, control = word["mode"], CONTROLS[word["control"]]
        if mode in (SQUARE, STRETCH, PAIR):
            results[PRODUCTS, word["mul_dst"]] = operands(word, ("a", "a2") if mode == SQUARE else ("a", "a2", "b", "b2")) + mul
        elif mode in (INNER, REST):
            results[PRODUCTS, word["mul_dst"]] = held + 1 + mul
        if mode == OUTER or mode == INNER and machine.words[address]["mode"] == REST:
            held = operands(word, ("a", "a2", "b", "b2"))
        if word["sum_on"]:
            begin = operands(word, [f"t{i}" for i in range(TERMS)])
            if OUTSIDES[word["outside"]] == "inverse":
                begin = max(begin, inverse)
            if ALSOS[word["also"]] == "inverter":
                inverse = begin + machine.inversion(0) + division
            results[SUMS, word["sum_dst"]] = begin + sums
        there |= results
        longest = max(longest, inverse, *results.values(), 0)
        if control == "end":
            return longest
        if control == "return" or control == "loop" and count == 1:
            address = stack.pop()
        elif control in ("go", "call"):
            if control == "call":
                stack.append(address)
            address, count = word["target"], word["count"]
        elif control == "loop":
            address, count = word["target"], count - 1


def alone(image, program):
    """Cycles of a job that needs no operands that make sense, from its start until it is done."""
    machine = Machine(image)
    machine.slots = [(3 * i + 1) % machine.p for i in range(256)]
    (cycles,) = machine.run([Job(program, (0, 32, 64))])
    return cycles, machine.turns, machine.sums


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("image", type=Path)
    parser.add_argument("programs", nargs="*")
    chosen = parser.parse_args()
    image = json.loads(chosen.image.read_text())
    print(f"{'program':22}{'cycles alone':>14}{'longest chain':>15}{'multiplier':>12}{'sums':>8}")
    for program in chosen.programs or [entry["name"] for entry in image["entries"]]:
        cycles, turns, sums = alone(image, program)
        print(f"{program:22}{cycles:>14,}{longest_chain(image, program):>15,}{turns:>12,}{sums:>8,}")


if __name__ == "__main__":
    main()
