"""A card with the MSM engine, and an oracle beside it (msm_oracle.py).

    bench = Bench(card, rng)
    bench.place(points, at)                         # multiples of the generator by their factors
    bench.scalars([k, ...], at)
    bench.run(points=at, scalars=at, count=n, window_bits=c)
    bench.settle()                                  # every reply has come and is right

The oracle is spec/model's engine with the same memory. It takes commands when they are sent, as the card takes them in their order;
so what a run reads must not be written while it is outstanding. `run` waits until the queue has space; `press` does not. A sum that is not defined, since a scalar is not below r or a point is none, may
be anything.
"""

import json
import sys
from dataclasses import fields as fields_of

import trial
from card import IGNORE, REPLY, RESET, ROOT, STATUS, header, status_of

sys.path.insert(0, str(ROOT / "spec/model"))

import batch_affine  # noqa: E402
import msm  # noqa: E402
import wire  # noqa: E402
from msm_card import GRANULE, SCALAR, SLICE, Geometry  # noqa: E402
from msm_oracle import ANYTHING, CANCELLED, DONE, FULL, REFUSED, Multiples, Oracle  # noqa: E402

REGISTERS = {register["name"]: register for register in msm.WIRE["block"]["registers"]}
CURVES = {number: name for name, number in msm.WIRE["curves"].items()}


class Bench(trial.Trial):
    #: Cycles in which a reply must come where one is due; more than any run of these tests takes.
    patience = 20_000_000

    def __init__(self, card, rng):
        super().__init__(card, rng)
        manifest = json.loads(card.lib.pm_sim_manifest())
        engine = next(engine for engine in manifest["engines"] if engine["op"] == "msm")  # of two that in G1
        self.block = engine["block"]
        self.geometry = self.described()
        self.queue = self.register("queue")
        g = self.geometry
        assert g == Geometry.of(g.curve, g.group, g.adders, g.most_window, g.memory, g.digit_bytes), f"the registers say {g}"
        stripes = manifest.get("pcie", {}).get("stripes", 1)
        count = stripes * (g.channels + 1)
        assert manifest["memories"][:count] == [g.memory // stripes] * count, manifest["memories"]
        self.commands = g.commands
        self.names = {command["reply"]: name for name, command in self.commands.items()}
        said = {packet["command"]: (packet["command_len"], packet["reply_len"]) for packet in engine["commands"]}
        wanted = {it["number"]: (it["len"], it.get("reply_len", 48 + g.sum_bytes)) for it in self.commands.values()}
        assert said == wanted, said
        self.interval = batch_affine.INTERVAL[g.group]  # cycles of a pair in an adder
        self.multiples = Multiples(g)
        self.multiples.slices(0)
        self.oracle = Oracle(g, self.multiples)
        self.index, self.expected = 0, {}  # index -> (name, command, what the oracle says)
        self.controls = []  # numbers of the shell's replies that are due, in their order
        self.answered = []  # (name, command, reply's fields) in the order of replies, since the last `settle`
        self.done = 0  # runs answered since RESET

    # Registers.

    def register(self, name):
        register = REGISTERS[name]
        if register["access"] == "counter":
            return self.card.read64(self.block + register["offset"])
        words = [self.card.read(self.block + register["offset"] + 4 * i) for i in range(register["bits"] // 32)]
        return sum(word << 32 * i for i, word in enumerate(words))

    def described(self):
        values = {field.name: self.register(field.name) for field in fields_of(Geometry)}
        base = values["base"] - (values["base"] >> 127 << 128)
        return Geometry(**{**values, "curve": CURVES[values["curve"]], "base": base})

    # Commands.

    def send(self, name, **values):
        """Sends a command with a new index to the card and to the oracle; returns the index."""
        self.index += 1
        command = {field["name"]: 0 for field in self.commands[name]["fields"]} | values | {"index": self.index}
        self.expected[self.index] = (name, command, self.answer(name, command))
        self.card.send(wire.msm_command(name, self.geometry.group, **command))
        self.kinds[name] += 1
        return self.index

    def answer(self, name, command):
        """Returns (valid statuses, sum) of the oracle."""
        if name == "cancel":
            return {DONE, REFUSED}, None
        if name == "write":
            return {self.oracle.written(command)}, None
        status, total = self.oracle.ran(command)
        full = {FULL} if status != REFUSED and self.unanswered() >= self.queue else set()
        return {status} | full, total

    def unanswered(self):
        """Runs that were sent and not answered."""
        return sum(name == "run" for name, _, _ in self.expected.values())

    def write(self, channel, address, data):
        """Any bytes from a multiple of 1024 on, filled up with zeros."""
        for start in range(0, len(data), GRANULE):
            self.send("write", channel=channel, address=address + start, data=data[start:start + GRANULE].ljust(GRANULE, b"\0"))

    def place(self, factors, address):
        """Writes points, known by their factors."""
        found = [self.multiples.slices(factor) for factor in factors]
        for channel in range(self.geometry.channels):
            self.write(channel, address, b"".join(slices[channel] for slices in found))

    def scalars(self, scalars, address):
        self.write(self.geometry.channels, address, b"".join(k.to_bytes(SCALAR, "little") for k in scalars))

    def ends(self, address):
        """Runs of a point one of whose digits is the least or the greatest that is stored, or one beyond; from an address on."""
        g = self.geometry
        least, most = g.digit_range
        for i, digit in enumerate((least, most, least - 1, most + 1)):
            slices = [bytearray(part) for part in self.multiples.slices(1)]
            at = SLICE * self.rng.randrange(g.group) + g.stored_digit * self.rng.randrange(g.slice_digits)
            self.rng.choice(slices)[at:at + g.stored_digit] = digit.to_bytes(g.stored_digit, "little", signed=True)
            for channel, part in enumerate(slices):
                self.write(channel, address + GRANULE * i, bytes(part))
            self.run(points=address + GRANULE * i, count=1, window_bits=g.least_window)
        return list(self.statuses().values())

    def run(self, **values):
        while self.unanswered() >= self.queue:
            self.judge(self.receive())
        return self.press(**values)

    def press(self, **values):
        return self.send("run", **values)

    def cancel(self, target):
        return self.send("cancel", target=target)

    def disturb(self, kind, packet, keeps=None):
        """Sends a packet that is none of the engine's; `kind`: status, or ignore where it is no good one of the shell's either."""
        self.card.send(packet, keeps)
        self.controls.append(REPLY | STATUS if kind == "status" else IGNORE)
        self.kinds[kind] += 1

    def reset(self):
        """Sends RESET and takes what comes: of all that is outstanding some may still be answered before it, and nothing after it; what was not."""
        self.card.send(header(8, RESET))
        while (reply := self.receive()) != header(8, REPLY | RESET):
            self.judge(reply)
        for name, command, _ in self.expected.values():
            if name == "write":  # it may have happened or not
                self.oracle.pieces[command["channel"], command["address"]] = bytes(b"\xff" * GRANULE)
        lost = [command for _, command, _ in self.expected.values()]
        self.expected.clear()
        self.answered.clear()
        self.controls.clear()
        self.done = 0
        self.kinds["reset"] += 1
        return lost

    # Replies.

    def receive(self):
        reply = self.card.recv(self.patience)
        assert reply is not None, f"no reply to {list(self.expected.values())[:3]}; {self.card.lib.pm_sim_broken(self.card.sim)}"
        return reply

    def judge(self, reply):
        """Checks a reply and takes it off the list; its fields."""
        number = int.from_bytes(reply[4:8], "little")
        if number in (IGNORE, REPLY | STATUS):
            assert self.controls and self.controls.pop(0) == number, f"not due: {reply.hex()}"
            if number != IGNORE:
                status_of(reply)
            return None
        name = self.names.get(number)
        assert name and int.from_bytes(reply[:4], "little") == len(reply), f"reply {reply.hex()}"
        found = wire.msm_fields(name, reply, "reply_fields")
        asked, command, (statuses, total) = self.expected.pop(found["index"], (None, None, (None, None)))
        assert asked == name, f"reply of {name} to {found['index']}, which is {asked}"
        allowed = statuses | {CANCELLED} if name == "run" and REFUSED not in statuses else statuses
        assert found["status"] in allowed, f"{name} {command}: status {found['status']}"
        if name == "run":
            self.judge_sum(command, found, total)
        self.answered.append((name, command, found))
        return found

    def judge_sum(self, command, found, total):
        self.done += 1
        rest = (found["accumulation"], found["tail"], found["tail_additions"], found["sum"])
        if found["status"] != DONE:
            assert rest == (0, 0, 0, bytes(self.geometry.sum_bytes)), f"{command}: not done, but {found}"
        elif total is not ANYTHING:
            try:
                wrong = self.geometry.sum_of(found["sum"]) != total
            except ValueError as problem:
                wrong = problem
            assert not wrong, f"{command}: the sum is wrong: {wrong}"

    def settle(self):
        """Takes all replies that are due; (name, command, reply's fields) of the engine's, in their order."""
        while self.expected or self.controls:
            self.judge(self.receive())
        self.judge_cancels()
        found, self.answered = self.answered, []
        self.check_rules()
        return found

    def statuses(self):
        """Settles; status of each command by its index."""
        return {command["index"]: found["status"] for _, command, found in self.settle()}

    def timed(self, action):
        """Cycles of what an action sends, from the first word on."""
        begin = self.cycles()
        action()
        self.settle()
        return self.cycles() - begin

    def judge_cancels(self):
        """A run returns `cancelled` exactly if a cancellation of it is done."""
        cancelled = {command["index"] for name, command, found in self.answered if name == "run" and found["status"] == CANCELLED}
        done = {command["target"] for name, command, found in self.answered if name == "cancel" and found["status"] == DONE}
        assert cancelled == done, f"cancelled are runs {cancelled}, cancellations were done of {done}"

    def check_rules(self):
        broken = self.card.lib.pm_sim_broken(self.card.sim)
        assert broken is None, f"AXI4: {broken.decode()}"
        assert self.register("done") == self.done, f"{self.register('done')} runs counted, there were {self.done}"
        assert self.register("passes") == 0, "passes of no run"

    # Memory.

    def memory(self, latency=64, gap=0, bursts=64):
        assert self.card.lib.pm_sim_memory(self.card.sim, latency, gap, bursts) == 0

    def fault(self, channel=0, address=0, end=0):
        """Accesses to these bytes fail from now on, and no others; only where nothing is outstanding."""
        for where, start, stop in ((self.oracle.faulty[0], 0, 0), (channel, address, end)):
            assert self.card.lib.pm_sim_memory_fault(self.card.sim, where, start, stop) == 0
        self.oracle.faulty = channel, address, end
