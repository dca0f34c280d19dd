"""The engine equihash_solve against the model, in Verilator, through the C interface of spec/wire/sim.h.

`python3 rtl/sim/test_equihash_solve.py [--seconds N] [--seed N] [CARD ...]`, for each card:

The narrow card lacks space for some strings and candidates; of its headers only that is examined: what it returns is the model's, and the rest
is counted. For the others:

  1. Headers of the vectors, of the card's parameters: their solutions. Other headers: every candidate of the model, and no other.
  2. Numbers above the last candidate, reserved bits: refused, and the candidates remain.
  3. Another personalisation.
  4. Memory behind HBM, with gaps and with high latency: the same candidates.
  5. Errors of the memory while strings are written or read, and while a candidate is read: reported; the next header is right.
  6. RESET at many moments: no candidate is left, and the next header is right.
  7. Rounds of traffic for so many seconds: headers, candidates, malformed packets, STATUS and RESET in random order, with random gaps and
     back-pressure. None missing, none too many.

`--cycles` measures the cycles of a header instead, behind an ideal memory and behind HBM.
"""

import json
import random
import struct
import sys

import trial
from card import RESET, ROOT, Card, header, keeps_of
from traffic import Ledger, random_packet

sys.path.insert(0, str(ROOT / "spec/model"))

import equihash_solve_card as model  # noqa: E402
import wire  # noqa: E402
from equihash_verify import load_params, unpack  # noqa: E402

CARDS = ["equihash_solve_48_5", "equihash_solve_48_5_wide", "equihash_solve_48_5_narrow", "equihash_solve_96_5"]
REGISTERS = {register["name"]: register["offset"] for register in model.WIRE["block"]["registers"]}
SOLVE, READ = (model.COMMANDS[name]["number"] for name in ("solve", "read"))
STATUS = model.STATUS
ROWS = ROOT / "target/bench/cycles-equihash_solve.json"
#: The largest parameters whose headers are many here.
SMALL = 48
#: Cycles of a header that is not solved by then.
PATIENCE = {48: 100_000, 96: 3_000_000}


class Answers(Ledger):
    """A ledger of an engine whose candidates come in any order."""

    def __init__(self, trial_of, lengths):
        self.trial, self.candidates = trial_of, []
        super().__init__(lengths)

    def numbers(self):
        return {SOLVE, READ}

    def takes(self, command, length):
        return {SOLVE: 156, READ: 24}.get(command) == length

    def engine(self, length):
        return "solver"

    def streams(self):
        return {"solver": []}

    def sent(self, packet, keeps):
        kind = super().sent(packet, keeps)
        if kind == "reset":
            self.candidates = []
        return kind

    def answer(self, length, command):
        if length == 156:
            self.candidates = self.trial.candidates(command[16:156])
            return self.trial.solved(command, len(self.candidates))
        number = int.from_bytes(command[16:24], "little")
        return (command[8:16], self.candidates if number < len(self.candidates) else None)

    def same(self, answer, reply):
        if isinstance(answer, bytes):
            return answer == reply
        index, candidates = answer
        status, leaves = self.trial.parsed(reply)
        if reply[:16] != self.trial.reply_head + index:
            return False
        if candidates is None:
            return status == STATUS["invalid"] and not any(leaves)
        return status == STATUS["done"] and model.in_order(leaves) in candidates


class Trial(trial.Trial):
    """One card and its parameters."""

    def __init__(self, card, rng):
        super().__init__(card, rng)
        (engine,) = json.loads(card.lib.pm_sim_manifest())["engines"]
        self.block, self.parameters = engine["block"], engine["parameters"]
        self.params = load_params(f"{self.parameters['n']}_{self.parameters['k']}")
        self.read_bytes = 24 + 4 * self.params.indices
        self.reply_head = header(self.read_bytes, 1 << 31 | READ)
        said = [(packet["command"], packet["command_len"], packet["reply_len"]) for packet in engine["commands"]]
        assert said == [(SOLVE, 156, 32), (READ, 24, self.read_bytes)], engine
        for name in ("n", "k", "buckets", "capacity", "kept"):
            assert self.card.read(self.block + REGISTERS[name]) == self.parameters[name], name
        self.personalisation_now, self.known = self.params.personalisation, {}
        self.patience = PATIENCE[self.params.n]
        self.is_narrow = self.parameters["kept"] < 8
        self.CHECKS = ("space",) if self.is_narrow else ("vectors", "refusals", "personalisation", "memories", "faults", "cut")

    def candidates(self, head):
        """The model's candidates of the header."""
        key = (head, self.personalisation_now)
        if key not in self.known:
            self.known[key] = model.solve(self.params, head, self.personalisation_now)
        return self.known[key]

    def head(self):
        """A header; one of two if the model takes long."""
        return self.rng.randbytes(140) if self.params.n <= SMALL else self.rng.choice((bytes(140), bytes(range(140))))

    def solved(self, command, count, status="done", dropped=0):
        return header(32, 1 << 31 | SOLVE) + command[8:16] + struct.pack("<QII", STATUS[status], count, dropped)

    def parsed(self, reply):
        return int.from_bytes(reply[16:24], "little"), list(struct.unpack(f"<{self.params.indices}I", reply[24:]))

    def exchange(self, packet):
        self.card.send(packet)
        reply = self.card.recv(self.patience)
        assert reply is not None, f"no reply to {packet[:8].hex()}"
        return reply

    def solve(self, head):
        """Solves a header, whose candidates must be the model's; returns them."""
        wanted, index = self.candidates(head), self.rng.getrandbits(64)
        command = wire.solver_command("solve", index, header=head)
        reply = self.exchange(command)
        assert reply == self.solved(command, len(wanted)), f"{reply.hex()} for {len(wanted)} candidates"
        found = []
        for number in self.rng.sample(range(len(wanted)), len(wanted)):
            reply = self.exchange(wire.solver_command("read", index, number=number))
            status, leaves = self.parsed(reply)
            assert reply[:16] == self.reply_head + command[8:16] and status == STATUS["done"], reply[:24].hex()
            found.append(model.in_order(leaves))
        assert sorted(found) == wanted, f"{len(found)} other candidates"
        return wanted

    def space(self):
        """Strings and candidates without space are counted, and the others are right."""
        kept, most = self.parameters["kept"], 0
        for _ in range(60):
            head = self.head()
            command = wire.solver_command("solve", 3, header=head)
            reply = self.exchange(command)
            status, count, dropped = struct.unpack("<QII", reply[16:])
            assert status == STATUS["done"] and count <= kept and dropped > 0, reply.hex()
            most = max(most, count)
            for number in range(count):
                status, leaves = self.parsed(self.exchange(wire.solver_command("read", 3, number=number)))
                assert status == STATUS["done"] and model.in_order(leaves) in self.candidates(head), leaves
            self.refused(count)
        assert most == kept, f"{most} candidates"

    def vectors(self):
        path = ROOT / f"spec/vectors/equihash_solve/{self.params.n}_{self.params.k}.json"
        for case in json.loads(path.read_text())["cases"] if path.exists() else []:
            if case["personalisation"].encode() == self.params.personalisation:
                found = model.solutions(self.solve(bytes.fromhex(case["header"])))
                assert found == sorted(unpack(self.params, bytes.fromhex(it)) for it in case["solutions"]), case["id"]
        for _ in range(40 if self.params.n <= SMALL else 1):
            self.solve(self.head())

    def register(self, name):
        return self.card.read64(self.block + REGISTERS[name])

    def refused(self, number, reserved=0):
        reply = self.exchange(wire.solver_command("read", 5, number=number, reserved=reserved))
        status, leaves = self.parsed(reply)
        assert reply[:8] == self.reply_head and status == STATUS["invalid"] and not any(leaves), (number, reserved)

    def refusals(self):
        head = next(head for head in iter(self.head, None) if self.candidates(head))
        count = len(self.solve(head))
        for number, reserved in ((count, 0), (count + 1, 0), (64, 0), (1 << 31, 0), (0xFFFFFFFF, 0), (0, 1), (0, 1 << 31)):
            self.refused(number, reserved)
        status, leaves = self.parsed(self.exchange(wire.solver_command("read", 5, number=0)))
        assert status == STATUS["done"] and model.in_order(leaves) in self.candidates(head)

    def personalise(self, text):
        for i in (0, 4):
            self.card.write(self.block + REGISTERS["personalisation"] + i, int.from_bytes(text[i:i + 4], "little"))
        self.personalisation_now = text

    def personalisation(self):
        head = self.head()
        if self.params.n <= SMALL:
            self.personalise(b"Toy_PoW_")
            self.solve(head)
            self.personalise(self.params.personalisation)
        self.solve(head)

    def memories(self):
        head = self.head()
        for latency, gap, bursts in ((1, 0, 64), (500, 0, 64), (64, 200, 1)) if self.params.n <= SMALL else ((200, 0, 64),):
            assert self.card.lib.pm_sim_memory(self.card.sim, latency, gap, bursts) == 0
            self.patience *= 20
            self.solve(head)
            self.patience //= 20
        self.card.lib.pm_sim_memory(self.card.sim, 64, 0, 64)
        for kind in ("hbm", "ideal"):
            self.card.set_memory(kind)
            self.solve(head)

    def faults(self):
        """An error anywhere in the tables, and in those that a candidate is read from."""
        head = next(head for head in iter(self.head, None) if self.candidates(head))
        used, lib, sim = self.card.read64(self.block + REGISTERS["memory"]), self.card.lib, self.card.sim
        buckets, size = self.parameters["buckets"], 32 * self.parameters["capacity"]
        command = wire.solver_command("solve", 7, header=head)

        def fault(bucket):
            """An error of the first strings of a bucket; bucket 0 of table 1 follows the last one of table 0."""
            lib.pm_sim_memory_fault(sim, 0, bucket * size, bucket * size + 64)

        def reported(reply):
            assert reply == self.solved(command, 0, "memory_fault", int.from_bytes(reply[28:], "little")), reply.hex()
            self.solve(head)

        for _ in range(20 if self.params.n <= SMALL else 1):
            fault(self.rng.randrange(buckets * self.params.k))
            reply = self.exchange(command)
            lib.pm_sim_memory_fault(sim, 0, 0, 0)
            reported(reply)
        # Only a write fails: the last bucket of table 0 is written some cycles for each bucket after the last leaf, and read long after that.
        strings = self.register("strings") + (1 << self.params.index_bits)
        fault(buckets - 1)
        self.card.send(command)
        for _ in range(self.patience // 100):
            self.card.run(100)
            if self.register("strings") >= strings:
                break
        self.card.run(150 + 20 * buckets)
        lib.pm_sim_memory_fault(sim, 0, 0, 0)
        reported(self.card.recv(self.patience))
        lib.pm_sim_memory_fault(sim, 0, 0, used)
        status, _ = self.parsed(self.exchange(wire.solver_command("read", 7, number=0)))
        assert status == STATUS["memory_fault"], status
        lib.pm_sim_memory_fault(sim, 0, 0, 0)
        self.solve(head)

    def cut(self):
        last = self.patience if self.params.n > SMALL else 12_000
        waits = sorted(self.rng.randrange(last) for _ in range(30)) if self.params.n <= SMALL else [200_000]
        for wait in (*(range(0, 30, 10) if self.params.n <= SMALL else ()), *waits):
            head = self.head()
            self.card.send(wire.solver_command("solve", 1, header=head))
            self.card.run(wait)
            self.reset()
            self.refused(0)
            if self.params.n <= SMALL:
                self.solve(self.head())
        self.solve(head)

    def reset(self):
        self.card.send(header(8, RESET))
        while (reply := self.card.recv(5000)) != header(8, 1 << 31 | RESET):
            assert reply is not None, "no reply to RESET"

    def round(self):
        if self.params.n > SMALL:
            self.solve(self.rng.randbytes(140))
            return
        if self.is_narrow:
            self.space()
            return
        self.reset()  # the candidates of a header before
        rng, ledger = self.rng, Answers(self, [156, 24])
        self.card.lib.pm_sim_jitter(self.card.sim, rng.getrandbits(63), *rng.choice(trial.JITTERS))
        solves = 0
        for _ in range(rng.randrange(5, 30)):
            kind = rng.randrange(8)
            if kind < 2:
                packet = wire.solver_command("solve", rng.getrandbits(64), header=self.head())
            elif kind < 5:
                packet = wire.solver_command("read", rng.getrandbits(64), number=rng.randrange(6), reserved=rng.choice((0, 0, 0, 1)))
            elif kind == 5 and rng.random() < 0.2:
                packet = header(8, RESET)
            else:
                packet = None
            packet, keeps = random_packet(rng, [156, 24], rng.getrandbits(64), rng.choice((SOLVE, READ))) if packet is None else (packet, keeps_of(packet))
            sort = ledger.sent(packet, keeps)
            solves += sort == "engine"
            self.kinds[sort] += 1
            self.card.send(packet, keeps)
        ledger.check(self.card.replies(300 * 1000 + self.patience * (solves + 1)))
        self.card.lib.pm_sim_jitter(self.card.sim, 0, 0, 0)


def estimates(cycles, measured):
    """Returns computed rows of the larger parameters: their leaves enter as digests are made, at one leaf a cycle at most, and each
    round takes as many cycles for a string as those of the measured ones.
    """
    def entering(params):
        return max(1, measured.parameters["digest_cycles"] / params.indices_per_hash) * (1 << params.index_bits)

    params = measured.params
    each = (cycles - entering(params)) / (params.k << params.index_bits)
    rows = []
    for name in ("144_5", "200_9"):
        larger = load_params(name)
        value = entering(larger) + each * (larger.k << larger.index_bits)
        rows.append({"op": "equihash_solve", "instance": larger.name, "config": f"equihash_solve_{name}", "metric": "per header, hbm memory (computed)", "unit": "cycles",
                     "value": value, "published": None, "published_by": None, "kind": "computed"})
        print(f"{larger.name}: {value:,.0f} cycles per header, {each:.3f} per string in a round, computed from those of {params.name}")
    return rows


def measure(libraries, seed):
    """Prints the cycles of each card and writes its rows."""
    rows = []
    for library in libraries:
        with Card(library) as card:
            trial_of, rng = Trial(card, random.Random(seed)), random.Random(1)
            params, count = trial_of.params, 32 if trial_of.params.n <= SMALL else 4
            for memory in ("ideal", "hbm"):
                card.set_memory(memory)
                before = [card.read64(trial_of.block + REGISTERS[name]) for name in ("busy_cycles", "strings")]
                for _ in range(count):
                    trial_of.exchange(wire.solver_command("solve", 0, header=rng.randbytes(140)))
                cycles, strings = (card.read64(trial_of.block + REGISTERS[name]) - old for name, old in zip(("busy_cycles", "strings"), before))
                for metric, value in ((f"per header, mean of {count}, {memory} memory", cycles / count), (f"per string stored, {memory} memory", cycles / strings)):
                    rows.append({"op": "equihash_solve", "instance": params.name, "config": library.stem, "metric": metric, "unit": "cycles", "value": value,
                                 "published": None, "published_by": None, "kind": "measured"})
                    print(f"{params.name}: {value:,.2f} cycles {metric}")
                if memory == "hbm" and params.n > SMALL:
                    rows += estimates(cycles / count, trial_of)
    ROWS.parent.mkdir(parents=True, exist_ok=True)
    ROWS.write_text(json.dumps(rows, indent=1) + "\n")
    print(f"{ROWS}: {len(rows)} rows")
    return 0


if __name__ == "__main__":
    sys.exit(trial.main(Trial, __doc__, CARDS, measure=measure))
