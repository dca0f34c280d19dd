"""The engine vdf against the model, in Verilator, through the C interface of spec/wire/sim.h.

`python3 rtl/sim/test_vdf.py [--seconds N] [--seed N] [CARD ...]`, for each card:

  1. Moduli of the card's size and smaller ones: squarings from an input, continued and from another input; states bit by bit.
  2. Many squarings in one command, and their cycles: as many each as the register reports.
  3. Constants out of order, commands without constants or a state, fields out of their ranges: nothing is changed by them.
  4. RESET at many moments: nothing is left, and the next modulus is right.
  5. Rounds of traffic for so many seconds: loads, squarings, malformed packets, STATUS and RESET in random order, with random gaps and
     back-pressure. Every reply is the model's, none missing, none too many.

The counters are what was answered and squared. `--cycles` measures the cycles of a squaring instead.
"""

import json
import random
import sys

import trial
from card import RESET, ROOT, Card, header, keeps_of
from traffic import Ledger, random_packet

sys.path.insert(0, str(ROOT / "spec/model"))

import vdf_card as model  # noqa: E402
import wire  # noqa: E402
from cases_vdf import RSA  # noqa: E402

CARDS = ["vdf_64", "vdf_64_two", "vdf_1024_twin"]
REGISTERS = {register["name"]: register["offset"] for register in model.WIRE["block"]["registers"]}
NUMBERS = {it["number"]: name for name, it in model.COMMANDS.items()}
ROWS = ROOT / "target/bench/cycles-vdf.json"
#: Cycles, and whose.
PUBLISHED = (4, "winner of the VDF Alliance's FPGA competition, round 2, 158.6 MHz on its board")
#: Squarings of the long run of a card of 64 bits, and of others.
LONG = {64: 10_000}
OTHERS = 200


class States(Ledger):
    """A ledger whose engine answers as the model does."""

    def __init__(self, length, engine):
        self.engine_model = engine
        super().__init__([length])

    def numbers(self):
        return set(NUMBERS)

    def takes(self, command, length):
        return command in NUMBERS and length in self.lengths

    def engine(self, length):
        return "vdf"

    def streams(self):
        return {"vdf": []}

    def sent(self, packet, keeps):
        kind = super().sent(packet, keeps)
        if kind == "reset":
            self.engine_model.reset()
        return kind

    def answer(self, length, command):
        name = NUMBERS[int.from_bytes(command[4:8], "little")]
        found = getattr(self.engine_model, name)(wire.vdf_fields(name, command))
        return wire.vdf_reply(name, self.engine_model.geometry, found)


class Trial(trial.Trial):
    """One card, its model, and what it must have counted."""

    CHECKS = ("moduli", "long", "refusals", "cut")

    def __init__(self, card, rng):
        super().__init__(card, rng)
        (engine,) = json.loads(card.lib.pm_sim_manifest())["engines"]
        self.block, self.parameters = engine["block"], engine["parameters"]
        self.geometry = model.Geometry(self.parameters["bits"])
        self.model = model.Engine(self.geometry)
        self.length = 24 + self.geometry.bits // 8
        said = [(packet["command"], packet["command_len"], packet["reply_len"]) for packet in engine["commands"]]
        lengths = {"load": 24, "square": 24 + 8 * self.geometry.state_words}
        assert said == [(it["number"], self.length, lengths[name]) for name, it in model.COMMANDS.items()], engine
        for name in ("bits", "constants", "state_words"):
            assert self.parameters[name] == getattr(self.geometry, name), name
            assert self.card.read(self.block + REGISTERS[name]) == self.parameters[name]
        self.period = self.parameters["squaring_cycles"]
        self.done = self.squared = 0

    def register(self, name):
        return self.card.read64(self.block + REGISTERS[name])

    def exchange(self, packets):
        """Sends packets, of which none is RESET; every reply must be the model's."""
        ledger = States(self.length, self.model)
        for packet in packets:
            ledger.sent(packet, keeps_of(packet))
            self.card.send(packet)
        ledger.check(self.card.replies(self.patience(packets)))
        self.done += len(packets)
        self.squared += sum(self.squarings(packet) for packet in packets)
        assert self.register("done") == self.done

    def squarings(self, packet):
        return int.from_bytes(packet[16:20], "little") if packet[4:8] == wire.word(model.COMMANDS["square"]["number"], 4) else 0

    def patience(self, packets):
        return 2000 + self.period * (2 + sum(self.squarings(packet) for packet in packets))

    def loads(self, n):
        return [wire.vdf_command("load", self.geometry, index=position, position=position, reserved=0, constant=constant)
                for position, constant in enumerate(self.geometry.constants_of(n))]

    def square(self, x, squarings, go_on=0):
        return wire.vdf_command("square", self.geometry, index=self.rng.getrandbits(64), squarings=squarings, resume=go_on, input=x)

    def modulus(self):
        """A modulus of the card's size, or of fewer bits."""
        bits = self.geometry.bits if self.rng.random() < 0.5 else self.rng.randrange(2, self.geometry.bits + 1)
        return max(2, self.rng.getrandbits(bits) | 1 << bits - 1 | 1)

    def moduli(self):
        top = (1 << self.geometry.bits) - 1
        for n in (top, top - 58, RSA.get(self.geometry.bits, 35), 35, self.modulus()):
            inputs = (0, 1, n - 1, top, self.rng.randrange(n))
            self.exchange([*self.loads(n), *(self.square(x, 1) for x in inputs), self.square(2, 3), self.square(5, 2, go_on=1)])
            assert self.model.geometry.value(self.model.digits) % n == pow(2, 32, n)
        assert self.register("squarings") == self.squared

    def long(self):
        """One command, and its cycles beyond those of one squaring."""
        count, n = LONG.get(self.geometry.bits, OTHERS), RSA.get(self.geometry.bits, (1 << self.geometry.bits) - 59)
        self.exchange([*self.loads(n), self.square(3, 1)])
        before = [self.register("busy_cycles")]
        self.exchange([self.square(7, 1)])
        before.append(self.register("busy_cycles"))
        self.exchange([self.square(7, count + 1)])
        one, many = before[1] - before[0], self.register("busy_cycles") - before[1]
        assert many - one == self.period * count, f"{many - one} cycles for {count} squarings"
        assert self.geometry.value(self.model.digits) % n == pow(7, 1 << count + 1, n)
        print(f"  {count} squarings of {self.geometry.bits} bits: {self.period} cycles each, {one - self.period} for a command")

    def refusals(self):
        n = self.modulus()
        loads = self.loads(n)
        self.exchange([self.square(3, 1), *loads[:-1], self.square(3, 1), loads[-1], self.square(3, 1, go_on=1), self.square(3, 1)])
        first, wrong = loads[0], []
        for position, reserved in ((1, 0), (self.geometry.constants, 0), (1 << 31, 0), (0, 1), (0, 1 << 31)):
            wrong.append(first[:16] + wire.word(position, 4) + wire.word(reserved, 4) + first[24:])
        for squarings, go_on in ((0, 0), (0, 1), (3, 2), (3, 1 << 31)):
            wrong.append(self.square(3, squarings, go_on))
        self.exchange([*wrong, self.square(3, 2, go_on=1), *loads[:2], self.square(3, 1, go_on=1), loads[0], loads[2]])

    def cut(self):
        for wait in (*range(0, 60, 7), 100, 500):
            n = self.modulus()
            for packet in [*self.loads(n), self.square(3, 100)][-1 - wait // 30:]:
                self.card.send(packet)
            self.card.run(wait)
            self.card.send(header(8, RESET))
            while (reply := self.card.recv(5000)) != header(8, 1 << 31 | RESET):
                assert reply is not None, "no reply to RESET"
            self.model.reset()
            self.done = self.squared = 0
            self.exchange([self.square(3, 1), *self.loads(n), self.square(3, 2)])

    def round(self):
        rng, ledger = self.rng, States(self.length, self.model)
        self.card.lib.pm_sim_jitter(self.card.sim, rng.getrandbits(63), *rng.choice(trial.JITTERS))
        loads = iter(self.loads(self.modulus()))
        total = 0
        if rng.random() < 0.5:  # otherwise few rounds have all constants of a long modulus
            for packet in loads:
                self.kinds[ledger.sent(packet, keeps_of(packet))] += 1
                self.card.send(packet)
        for _ in range(rng.randrange(5, 40)):
            kind = rng.randrange(8)
            packet = None
            if kind < 3 and (packet := next(loads, None)) is None:
                loads = iter(self.loads(self.modulus()))
            if kind in (3, 4):
                packet = self.square(rng.getrandbits(self.geometry.bits), rng.choice((0, 1, 2, 5)), rng.choice((0, 1, 1, 2)))
            if kind == 5 and rng.random() < 0.2:
                packet = header(8, RESET)
            if packet is None:
                packet, keeps = random_packet(rng, [self.length], rng.getrandbits(64), rng.choice(list(NUMBERS)))
                if self.squarings(packet) > 5:  # an engine is not kept busy for years
                    continue
            else:
                keeps = keeps_of(packet)
            total += self.squarings(packet)
            self.kinds[ledger.sent(packet, keeps)] += 1
            self.card.send(packet, keeps)
        ledger.check(self.card.replies(300 * (100 + self.length) + self.period * (total + 40)))
        self.card.lib.pm_sim_jitter(self.card.sim, 0, 0, 0)
        # A packet that belongs to no modulus yet.
        self.card.send(header(8, RESET))
        assert self.card.recv(5000) == header(8, 1 << 31 | RESET)
        self.model.reset()
        self.done = self.squared = 0


def measure(libraries, seed):
    """Prints the cycles of each card and writes its rows."""
    rows = []
    for library in libraries:
        with Card(library) as card:
            trial_of = Trial(card, random.Random(seed))
            trial_of.long()
            bits, cycles = trial_of.geometry.bits, trial_of.period
        published = PUBLISHED if bits == 1024 else None
        rows.append({
            "op": "vdf", "instance": f"vdf_{bits}", "config": library.stem, "metric": f"squaring modulo {bits} bits, in a long request", "unit": "cycles",
            "value": cycles, "published": published and published[0], "published_by": published and published[1], "kind": "measured",
        })
    ROWS.parent.mkdir(parents=True, exist_ok=True)
    ROWS.write_text(json.dumps(rows, indent=1) + "\n")
    print(f"{ROWS}: {len(rows)} rows")
    return 0


if __name__ == "__main__":
    sys.exit(trial.main(Trial, __doc__, CARDS, measure=measure))
