"""The field processor: executes the words of a program image on plain integers, cycle for cycle.

The image is what the generator writes beside the circuit's Verilog (image.json); the instruction word is
spec/micro/word.toml. A register holds the canonical integer of its residue. The model of time:

- a context's next word is available two cycles after it began the previous one, three after a `take`;
- contexts are dealt to the multipliers in turn, each multiplier with a linear unit and a way out of its own; of
  the contexts that are ready for a unit the one with the oldest job goes, one context a unit and cycle;
- a result can be read by words that begin `mul` or `linear` cycles later, and is in its register two cycles after that;
- one canonical value at a time for each multiplier, `canonical` cycles each.

    python3 spec/model/micro.py target/rtl/micro_toy/image.json inverse x=5        # its answer and the trace
"""

import argparse
import json
import tomllib
from collections import deque
from dataclasses import dataclass
from pathlib import Path

LAYOUT = tomllib.loads((Path(__file__).resolve().parents[1] / "micro/word.toml").read_text())
PRODUCTS, SUMS = LAYOUT["banks"].index("products"), LAYOUT["banks"].index("sums")
BITS = {name: bits for part in ("common", "linear") for name, bits in LAYOUT[part]}
FLAGS = 1 << BITS["flag"]
ANY = (1 << BITS["wait_mul"]) - 1
WRITE = 2


def decode(word):
    """The fields of a word by name."""
    fields, at = {}, 0

    def read(part):
        nonlocal at
        for name, bits in LAYOUT[part]:
            fields[name] = word >> at & (1 << bits) - 1
            at += bits
    read("common")
    if not fields["unit"]:
        read("mul")
        return fields
    read("linear")
    fields["operation"] = LAYOUT["operations"][fields["operation"]]
    read("jump" if fields["operation"] in ("jump", "end") else "sum")
    return fields


@dataclass(frozen=True)
class Job:
    """What a job brings. `lists`: for each list its items (magnitude, is it negative, count or None) by place; `given`: the flags
    that come with them."""

    program: int
    numbers: list
    elements: list
    lists: tuple = ()
    given: int = 0


@dataclass(frozen=True)
class Line:
    """One line of the trace: a value on its way into a register, in the cycle in which it is written."""

    cycle: int
    context: int
    word: int
    bank: int
    register: int
    value: int

    def __str__(self):
        return f"{self.cycle} context {self.context} word {self.word} {LAYOUT['banks'][self.bank]}[{self.register}] = {self.value:#x}"


class Context:
    def __init__(self):
        self.present_at = self.word = self.next = self.counter = None
        self.over = self.exact = False
        self.on_their_way = [0, 0]
        self.digits = [(0, False), (0, False)]
        self.flags = 0
        self.results = {}
        self.job = None
        self.left = None  # items of each list, once the job is fed
        self.registers = [[0] * 64, [0] * 64]


class Machine:
    def __init__(self, image):
        self.image = image
        self.p = image["modulus"]
        self.words = [decode(word) for word in image["words"]]
        self.latency = [image["mul"], image["linear"]]
        self.count_zero = {**decode(1), "operation": "count", "wait_mul": ANY, "wait_lin": ANY}

    def run(self, jobs, trace=None, limit=10**9):
        """Returns the answers to queued jobs, and the cycles in which they leave.

        A job is fed `feed` cycles after it entered; until then no other enters.
        """
        self.contexts = [Context() for _ in range(self.image["contexts"])]
        self.events = {}  # cycle -> functions to call before anything begins in it
        multipliers = self.image["multipliers"]
        self.waiting, self.busy_until, self.begun = set(), [-1] * multipliers, [0, 0]
        self.trace, oldest, free, running, rest = trace, 0, 0, 0, deque(jobs)
        answers, left, cycle, size, feed, feeding = [], [], 0, len(self.contexts), self.image.get("feed", 0), 0
        orders = [[[(first + i) % size for i in range(size) if (first + i) % multipliers == lane] for lane in range(multipliers)]
                  for first in range(size)]
        while len(left) < len(jobs) and cycle < limit:
            for event in self.events.pop(cycle, ()):
                event()
            chosen, settled = [], []
            for lane, own in enumerate(orders[oldest]):
                chosen += [next((k for k in own if self.ready(self.contexts[k], cycle, unit)), None) for unit in (0, 1)]
                settled += [next((k for k in own if k in self.waiting), None) if cycle > self.busy_until[lane] else None]
            leaves = self.contexts[oldest].over
            enters = running < size and rest and cycle >= feeding
            for k in chosen:
                if k is not None:
                    self.begin(k, cycle)
            for k in settled:
                if k is not None:
                    self.canonical(k, cycle)
            if leaves:
                answers.append(self.answer(self.contexts[oldest]))
                left.append(cycle)
                self.contexts[oldest].over = False
                oldest, running = (oldest + 1) % size, running - 1
            if enters:
                self.start(free, rest.popleft(), cycle)
                feeding = cycle + feed
                free, running = (free + 1) % size, running + 1
            cycle += 1
        return answers, left

    def at(self, cycle, event):
        self.events.setdefault(cycle, []).append(event)

    def start(self, k, job, cycle):
        context, known = self.contexts[k], job.program < len(self.image["entries"])
        context.job, context.results, context.flags, context.left = job, {}, 0 if known else (1 << FLAGS) - 1, None
        context.word = self.count_zero
        context.next = self.image["entries"][job.program]["address"] if known else len(self.words) - 1
        context.present_at = cycle + 1
        if "feed" in self.image:
            self.at(cycle + self.image["feed"], lambda: self.fed(context))

    def fed(self, context):
        context.left = [len(items) for items in context.job.lists]
        context.flags |= context.job.given << FLAGS - self.image["given"]

    @staticmethod
    def ready(context, cycle, unit):
        word = context.word
        return (context.present_at is not None and context.present_at <= cycle and word["unit"] == unit
                and context.on_their_way[unit] < ANY
                and context.on_their_way[PRODUCTS] <= word["wait_mul"] and context.on_their_way[SUMS] <= word["wait_lin"]
                and not (context.exact and word["wait_exact"])
                and not (context.left is None and (word.get("operation") == "take" or word.get("lists"))))

    def begin(self, k, cycle):
        context = self.contexts[k]
        word, address, operation = context.word, context.next - 1, context.word.get("operation")
        context.present_at = cycle + (3 if operation == "take" else 2)
        self.begun[word["unit"]] += 1
        if operation == "jump" and self.jumps(context, word):
            context.counter -= word["less"]
            context.next = word["value"]
        elif operation == "end":
            context.present_at = None
            self.at(cycle + 1, lambda: setattr(context, "over", True))
            return
        if word["unit"] == 0:
            product = self.sum(context, word, "a", "b") * self.sum(context, word, "c", "d") % self.p
            self.write(k, cycle, address, PRODUCTS, word["dst"], product)
        else:
            self.linear(k, context, word, cycle, address)
        self.fetch(context)

    def fetch(self, context):
        context.word = self.words[context.next]
        context.next += 1

    def jumps(self, context, word):
        tests = (True, context.counter == word["than"], context.counter > word["than"], False)
        lists = all(context.left[i] for i in range(len(context.left or ())) if word["lists"] >> i & 1)
        return self.when(context, word["when"], word["flag"]) and tests[word["test"]] and lists

    def term(self, context, word, letter):
        index = word[f"{letter}_reg"]
        minus = word[f"{letter}_minus"]
        if word.get(f"{letter}_lookup"):
            magnitude, negative = context.digits[word["digit"]]
            index += magnitude
            minus ^= word[f"{letter}_signed"] and negative
        times = (3 if word.get(f"{letter}_triple") else 1) << word[f"{letter}_shift"]
        value = context.registers[word[f"{letter}_bank"]][index] * times
        return -value if minus else value

    def sum(self, context, word, first, second):
        return self.term(context, word, first) + (self.term(context, word, second) if word[f"{second}_on"] else 0)

    @staticmethod
    def when(context, condition, number):
        flag = context.flags >> number & 1
        return (0, 1, flag, 1 - flag)[condition]

    def linear(self, k, context, word, cycle, address):
        operation, value = word["operation"], word["value"] + (context.counter if word["counted"] else 0)
        if operation == "count":
            context.counter = value
        elif operation == "digit":
            context.digits[word["digit"]] = self.digit(context, self.image["windows"][word["dst"]], value)
        elif operation == "take":
            self.take(context, word)
        elif operation in ("add", "settle"):
            total = sum(self.term(context, word, letter) for letter in "ab"
                        if self.when(context, word[f"{letter}_when"], word["flag"])) % self.p
            if operation == "add":
                self.write(k, cycle, address, SUMS, word["dst"], total)
            else:
                context.exact = True
                context.settles = (word["dst"], total * self.image["scale"] % self.p)
                self.at(cycle + self.latency[SUMS] + WRITE + 1, lambda: self.waiting.add(k))
        elif operation == "rom":
            self.write(k, cycle, address, SUMS, word["dst"], self.image["constants"][value])
        elif operation == "table":
            magnitude, negative = context.digits[word["digit"]]
            found = self.image["tables"][value][magnitude]
            self.write(k, cycle, address, SUMS, word["dst"], -found % self.p if word["a_signed"] and negative else found)
        elif operation == "load":
            element, part = divmod(value, self.image["slices"])
            bits = self.image["slice_bits"]
            piece = context.job.elements[element] >> bits * part & (1 << bits) - 1
            self.write(k, cycle, address, SUMS, word["dst"], piece * pow(self.image["scale"], -1, self.p) % self.p)

    @staticmethod
    def take(context, word):
        """The next item of a list, from its end; of an empty list 0."""
        left, items = context.left[word["dst"]], context.job.lists[word["dst"]]
        magnitude, negative, count = items[left - 1] if left else (0, False, None)
        context.left[word["dst"]] -= left > 0
        context.digits[word["digit"]] = (magnitude, negative)
        if count is not None:
            context.counter = count

    def digit(self, context, window, place):
        """Booth: the window as a signed number plus the bit below it; (magnitude, is it negative)."""
        bits = window["bits"]
        padded = context.job.numbers[window["number"]] << 1 >> bits * place & (1 << bits + 1) - 1
        digit = (padded >> 1) - (padded >> bits << bits) + (padded & 1)
        return abs(digit), digit < 0

    def write(self, k, cycle, address, bank, register, value):
        context = self.contexts[k]
        context.on_their_way[bank] += 1
        there = cycle + self.latency[bank]

        def arrive():
            context.on_their_way[bank] -= 1
            context.registers[bank][register] = value
            if self.trace is not None:
                self.trace.append(Line(there + WRITE, k, address, bank, register, value))
        self.at(there, arrive)

    def canonical(self, k, cycle):
        """One residue's canonical integer is made."""
        context = self.contexts[k]
        self.waiting.discard(k)
        done_at = cycle + self.image["canonical"]
        self.busy_until[k % self.image["multipliers"]] = done_at

        def done():
            place, value = context.settles
            if place < FLAGS:
                context.flags = context.flags & ~(1 << place) | (value == 0) << place
            else:
                context.results[place - FLAGS] = value
            context.exact = False
        self.at(done_at + 2, done)  # a flag is in its register when it is asked

    def answer(self, context):
        return (*(context.results.get(i, 0) for i in range(self.image["results"])), context.flags)


def value_of(image, bank, bits):
    """Returns the canonical integer of a register's bits in the circuit."""
    width, total = image["widths"][bank], 0
    for i in reversed(range(image["digits"])):
        digit = bits >> width * i & (1 << width) - 1
        total = total * int(image["base"]) + digit - (digit >> width - 1 << width)
    return total * pow(image["scale"], -1, image["modulus"]) % image["modulus"]


def load(path):
    image = json.loads(Path(path).read_text())
    numbers = ("modulus", "scale")
    return {**image, **{key: int(image[key], 16) for key in numbers},
            "constants": [int(c, 16) for c in image["constants"]], "words": [int(w, 16) for w in image["words"]],
            "tables": [[int(element, 16) for element in table] for table in image["tables"]]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("image")
    parser.add_argument("program")
    parser.add_argument("operands", nargs="*", metavar="NAME=NUMBER")
    chosen = parser.parse_args()
    image, trace = load(chosen.image), []
    given = {name: int(value, 0) for name, value in (operand.split("=") for operand in chosen.operands)}
    program = [entry["name"] for entry in image["entries"]].index(chosen.program)
    job = Job(program, [given.get(n, 0) for n in image["numbers"]], [given.get(e, 0) for e in image["elements"]])
    answers, left = Machine(image).run([job], trace)
    print(*trace, sep="\n")
    print(f"answer {[hex(value) for value in answers[0]]} in cycle {left[0]}")


if __name__ == "__main__":
    main()
