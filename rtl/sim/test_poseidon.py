"""The engine poseidon against the model, in Verilator, through the C interface of spec/wire/sim.h.

`python3 rtl/sim/test_poseidon.py [--seconds N] [--seed N] [CARD ...]`, for each card:

  1. Every vector of the card's arities and strengths alone, and all of them at once, in order and shuffled.
  2. Values not below the modulus, at every place of a state: refused by their number, and without a trace in what comes behind.
  3. One state of an arity between others: rows that are not full are closed all the same, after a bounded time.
  4. Commands in every cycle around the one in which a row is closed without more of them.
  5. RESET at many moments of a hash: nothing is left of it.
  6. Layers: trees, of every count up to some rows, of memories that take their time; elements that are refused; fields out of their ranges;
     errors of the memory, in reads and in writes; RESET at many moments of a layer. All of the memory that is written is read.
  7. Rounds of traffic for so many seconds, and one at least: states, commands of the memory, malformed packets, STATUS and RESET in random order, with random gaps and
     back-pressure. Every reply is the model's, in the order of the commands of all arities and strengths together, none missing, none too many.

The `done` counter is what was answered. A round depends only on the seed and the rounds before it.
"""

import functools
import json
import sys

import trial
from card import RESET, ROOT, header, keeps_of
from traffic import Ledger, random_packet

sys.path.insert(0, str(ROOT / "spec/model"))

import poseidon_card as model  # noqa: E402
import wire  # noqa: E402

CARDS = ["poseidon_small_twin", "poseidon_twin"]
NUMBERS = {strength: it["number"] for strength, it in model.HASHES.items()}
REGISTERS = {register["name"]: register["offset"] for register in model.WIRE["block"]["registers"]}
P = model.instance(2).p
#: More cycles than a hash takes alone, whatever its arity.
LONGEST = 12_000

#: More than a layer of these tests does.
LAYER = 20 * LONGEST

#: Cycles that a row waits for more states.
PATIENCE = 64

MEMORY = model.OF_MEMORY
GRANULE = model.GRANULE

#: Bytes of the memory that are used.
ROOM = 16 * GRANULE

reply_to = functools.lru_cache(1 << 14)(wire.poseidon_reply)


class Digests(Ledger):
    """A ledger with one engine for all commands; `layers` is the model of its memory."""

    def __init__(self, lengths, hashes, layers):
        """`hashes`: the numbers of their commands."""
        self.hashes, self.layers = hashes, layers
        super().__init__(lengths)

    def numbers(self):
        return {*self.hashes, *(command["number"] for command in MEMORY.values())}

    def takes(self, command, length):
        return (command in self.hashes and length in self.lengths) or any((command, length) == (it["number"], it["len"]) for it in MEMORY.values())

    def engine(self, length):
        return "poseidon"

    def streams(self):
        return {"poseidon": []}

    def answer(self, length, command):
        number = int.from_bytes(command[4:8], "little")
        for name, it in MEMORY.items():
            if it["number"] == number:
                return wire.layers_reply(name, getattr(self.layers, name)(wire.fields_of(it["fields"], command)))
        reply = reply_to(command[:8] + bytes(8) + command[16:])  # for index 0
        return reply[:8] + command[8:16] + reply[16:]


def vectors(arities, strength):
    """Strength, state and digest of each."""
    cases = json.loads((ROOT / f"spec/vectors/poseidon/bls12_381_{strength}.json").read_text())["cases"]
    for case in cases:
        arity, (domain, *length) = case["arity"], case["domain"].split()
        if arity in arities:
            instance = model.instance(arity, strength)
            tag = instance.constant_length(int(*length)) if length else getattr(instance, domain)
            preimage = [int(x, 16) for x in case["preimage"]]
            yield strength, [tag, *preimage, *[0] * (arity - len(preimage))], int(case["digest"], 16)


class Trial(trial.Trial):
    """One card, and what it must have counted."""

    CHECKS = ("all_vectors", "refusals", "lonely", "late", "cut", "trees", "layers", "impossible", "faults", "cut_layers")

    def __init__(self, card, rng):
        super().__init__(card, rng)
        (engine,) = json.loads(card.lib.pm_sim_manifest())["engines"]
        self.block, self.parameters = engine["block"], engine["parameters"]
        self.arities = [arity for arity in range(32) if self.parameters["arities"] >> arity & 1]
        self.lengths = [model.command_len(arity) for arity in self.arities]
        said = [(packet["command"], packet["command_len"], packet["reply_len"]) for packet in engine["commands"]]
        self.strengths = [strength for bit, strength in enumerate(NUMBERS) if self.parameters["strengths"] >> bit & 1]
        hashes = [(NUMBERS[strength], length, model.COMMAND["reply_len"]) for strength in self.strengths for length in self.lengths]
        assert said == hashes + [(it["number"], it["len"], it["reply_len"]) for it in MEMORY.values()], engine
        for name in ("arities", "strengths"):
            assert self.register(name) == self.parameters[name]
        self.vectors = [vector for strength in self.strengths for vector in vectors(self.arities, strength)]
        self.memory = model.Engine(self.arities, self.parameters["memory"])
        self.done = 0

    def register(self, name):
        return self.card.read(self.block + REGISTERS[name])

    def exchange(self, packets):
        """Sends packets, of which none is RESET; every reply must be the model's."""
        packets, ledger = list(packets), self.ledger()
        for packet in packets:
            ledger.sent(packet, keeps_of(packet))
            self.card.send(packet)
        self.settle(ledger, self.replies(len(packets)))

    def replies(self, count):
        """So many replies, and those that are too many."""
        found = []
        while len(found) < count and (reply := self.card.recv(LAYER)) is not None:
            found.append(reply)
        return found + self.card.replies(PATIENCE)

    def ledger(self):
        return Digests(self.lengths, {NUMBERS[strength] for strength in self.strengths}, self.memory)

    def settle(self, ledger, replies):
        """Every reply has come and is right, and so is the count of them."""
        ledger.check(replies)
        answered = len(ledger.epochs[-1]["poseidon"])
        self.done = answered + (self.done if len(ledger.epochs) == 1 else 0)
        assert self.card.read64(self.block + REGISTERS["done"]) == self.done

    def all_vectors(self):
        for i, (strength, state, digest) in enumerate(self.vectors):
            self.card.send(wire.poseidon_command(i, state, strength))
            reply = self.card.recv(LONGEST)
            assert reply == wire.packet(model.HASHES[strength]["reply"], wire.word(i, 8) + bytes(8) + wire.word(digest, 32)), f"vector {i}: {reply}"
            assert self.register("last_latency") < LONGEST
            self.done += 1
        packets = [wire.poseidon_command(i, state, strength) for i, (strength, state, _) in enumerate(self.vectors)]
        for order in (packets, self.rng.sample(packets, len(packets))):
            self.exchange(order)

    def refusals(self):
        packets = []
        for arity in self.arities:
            good = wire.poseidon_command(arity, range(arity + 1))
            for place in range(arity + 1):
                for value in (P, P + 1, 2**256 - 1, P - 1):
                    state = [value if i >= place else i for i in range(arity + 1)]
                    packets += [wire.poseidon_command(place, state, strength) for strength in self.strengths]
                packets.append(good)
        self.exchange(packets)

    def lonely(self):
        """States of an arity alone between those of others, and counts of states that fill no row."""
        for count in range(1, 2 * self.parameters["partial_lanes"] + 2):
            for arity in self.arities:
                alone = self.rng.choice(self.arities)
                self.exchange([self.hash(i, alone if i == count // 2 else arity) for i in range(count)])

    def late(self):
        """A command in any cycle around the one in which its row is closed without it. A past fault: it was accepted and the row closed in the same cycle."""
        ledger, arity = self.ledger(), self.arities[0]
        for wait in range(3 * PATIENCE):
            packet = wire.poseidon_command(wait, self.state(arity))
            ledger.sent(packet, keeps_of(packet))
            self.card.send(packet)
            self.card.run(wait)
        self.settle(ledger, self.replies(3 * PATIENCE))

    def cut(self):
        for wait in (*range(10, 400, 30), *range(400, LONGEST, 1500)):
            before = [self.hash(i, self.rng.choice(self.arities)) for i in range(10)]
            for packet in before:
                self.card.send(packet)
            self.card.run(wait)
            self.card.send(header(8, RESET))
            while (reply := self.card.recv(LONGEST)) != header(8, 1 << 31 | RESET):
                assert reply is not None and reply[4:8] in {wire.word(it["reply"], 4) for it in model.HASHES.values()}, "not a reply from before RESET"
            self.done = 0
            self.exchange([wire.poseidon_command(i, self.state(arity)) for i, arity in enumerate(self.arities)])

    def hash(self, index, arity):
        """A command of any strength."""
        return wire.poseidon_command(index, self.state(arity), self.rng.choice(self.strengths))

    def state(self, arity):
        edges = (0, 1, P - 1, P - 2, 1 << 254)
        return [self.rng.choice(edges) if self.rng.random() < 0.3 else self.rng.randrange(P) for _ in range(arity + 1)]

    def command(self):
        rng = self.rng
        known = [state for _, state, _ in self.vectors]
        state = list(rng.choice(known)) if rng.random() < 0.5 else self.state(rng.choice(self.arities))
        if rng.random() < 0.1:
            state[rng.randrange(len(state))] = rng.choice([P, P + 1, rng.getrandbits(256), 2**256 - 1])
        packet = wire.poseidon_command(rng.getrandbits(64), state, rng.choice(self.strengths))
        return packet, keeps_of(packet)

    def traffic(self):
        """(bytes, keeps) of each packet of a round."""
        rng = self.rng
        resets, garbage = rng.choice([0, 0, 0, 0.03]), rng.choice([0, 0.2, 0.5])
        # What a RESET leaves of a layer that is cut is not defined, so there is either.
        layers = 0 if resets else rng.choice([0, 0.2, 0.8])
        if layers:
            yield from ((packet, keeps_of(packet)) for packet in self.fill())
        for _ in range(rng.choice([10, 30, 100])):
            if rng.random() < resets:
                yield header(8, RESET), b"\xff"
            elif rng.random() < garbage:
                yield random_packet(rng, self.lengths, rng.getrandbits(64), rng.choice(list(NUMBERS.values())))
            elif rng.random() < layers:
                packet = self.of_memory()
                yield packet, keeps_of(packet)
            else:
                yield self.command()

    # The memory.

    def fill(self, spoilt=0.0):
        """Writes of all that is used, each element wrong with this probability."""
        for address in range(0, ROOM, GRANULE):
            nodes = (self.rng.choice([P, 2**256 - 1]) if self.rng.random() < spoilt else self.rng.randrange(P) for _ in range(GRANULE // 32))
            yield wire.layers_command("write", index=address, address=address, data=b"".join(wire.word(node, 32) for node in nodes))

    def layer(self, start, to, count, arity, tag=None):
        tag = model.instance(arity).merkle_tree if tag is None else tag
        return wire.layers_command("layer", **{"index": self.rng.getrandbits(64), "from": start, "to": to, "count": count, "arity": arity, "tag": tag})

    def reads(self):
        return [wire.layers_command("read", index=address, address=address) for address in range(0, ROOM, GRANULE)]

    def of_memory(self):
        """Any such command whose layers fit in the memory."""
        rng, granules, arity = self.rng, ROOM // GRANULE, self.rng.choice(self.arities)
        kind = rng.random()
        if kind < 0.3:
            return rng.choice(list(self.fill(rng.choice([0, 0.01]))))
        if kind < 0.6:
            return rng.choice(self.reads())
        count = rng.randrange(1, 12)
        size = -(-32 * arity * count // GRANULE)
        start = rng.randrange(granules - size + 1)
        to = rng.choice([*range(start + 1), *range(start + size, granules)])
        return self.layer(GRANULE * start, GRANULE * to, count, arity, rng.choice([None, rng.randrange(P), P]))

    def trees(self):
        """Trees of each arity, each layer behind the one below, and the same in place; a root is what the model hashes."""
        for arity in self.arities:
            hashes, leaves = model.instance(arity), arity ** (4 if arity == 2 else 2)
            self.exchange(self.fill())
            nodes = [int.from_bytes(self.memory.load(32 * i, 32), "little") for i in range(leaves)]
            while len(nodes) > 1:
                nodes = [hashes.hash(nodes[i:i + arity]) for i in range(0, len(nodes), arity)]
            for step in (1, 0):
                start, count, place = 0, leaves // arity, 0
                packets = []
                while count:
                    to = start if step == 0 else ROOM // 2 + GRANULE * place
                    packets.append(self.layer(start, to, count, arity))
                    start, count, place = to, count // arity, place + 1
                self.exchange([*packets, *self.reads()])
                root = int.from_bytes(self.memory.load(start, 32), "little")
                assert root == nodes[0], f"arity {arity}: {root:#x}"

    def layers(self):
        """Counts that fill rows and granules and do not, with elements that are refused, whatever the memory's timing; hashes between."""
        for (latency, gap, bursts), counts in (((64, 0, 64), (1, 5, 32, 33)), ((1, 0, 64), (4,)), ((400, 200, 1), (5,))):
            assert self.card.lib.pm_sim_memory(self.card.sim, latency, gap, bursts) == 0
            for arity in self.arities:
                most = ROOM // 2 // 32 // arity
                for count in {*(min(count, most) for count in counts)}:
                    spoilt = self.rng.choice([0, 0.02])
                    hashes = [self.hash(i, self.rng.choice(self.arities)) for i in range(3)]
                    self.exchange([*self.fill(spoilt), hashes[0], self.layer(0, ROOM // 2, count, arity), *hashes[1:], *self.reads()])
        assert self.card.lib.pm_sim_memory(self.card.sim, 64, 0, 64) == 0

    def impossible(self):
        """Fields out of their ranges: answered, and nothing is done; what lies at the very end of the memory is not one of them."""
        end, arity = self.parameters["memory"], self.arities[0]
        fields = [{"from": 1}, {"from": GRANULE - 32}, {"from": end}, {"from": end - GRANULE, "count": 33}, {"to": 8}, {"to": end}, {"to": 1 << 63}, {"count": 0},
                  {"count": end // 32}, {"count": 1 << 59}, {"count": (1 << 64) - 1}, {"arity": 0}, {"arity": 3}, {"arity": arity + (1 << 32)}]
        bad = [wire.layers_command("layer", **{"index": i, "from": 0, "to": GRANULE, "count": 1, "arity": arity, "tag": 3} | wrong) for i, wrong in enumerate(fields)]
        places = (1, 1023, end, end + GRANULE, 1 << 63, (1 << 64) - 8)
        bad += [wire.layers_command("write", index=place, address=place, data=bytes(GRANULE)) for place in places]
        bad += [wire.layers_command("read", index=place, address=place) for place in places]
        last = [wire.layers_command("write", index=1, address=end - GRANULE, data=next(self.fill())[24:]), wire.layers_command("read", index=2, address=end - GRANULE),
                self.layer(end - GRANULE, 0, GRANULE // 32 // arity, arity), self.layer(0, end - GRANULE, 1, arity), wire.layers_command("read", index=2, address=end - GRANULE)]
        self.exchange([*self.fill(), *bad, *self.reads(), *last, *self.reads()])

    def faults(self):
        """The memory responds with errors: reported for each command that had one, and for no other."""
        arity = self.arities[0]
        self.exchange(self.fill())
        layer = self.layer(0, ROOM // 2, 40, arity)
        for begin, end, wanted in ((0, GRANULE, [3, 3, 0, 0, 3]), (ROOM // 2, ROOM // 2 + 64, [0, 0, 3, 3, 3]), (ROOM // 2 + GRANULE, ROOM, [0, 0, 0, 0, 3]), (0, 0, [0] * 5)):
            assert self.card.lib.pm_sim_memory_fault(self.card.sim, 0, begin, end) == 0
            packets = [list(self.fill())[0], self.reads()[0], list(self.fill())[ROOM // GRANULE // 2], self.reads()[ROOM // GRANULE // 2], layer]
            for packet in packets:
                self.card.send(packet)
            replies = self.replies(len(packets))
            assert [reply[16] for reply in replies] == wanted, f"{[reply[16] for reply in replies]} for errors from {begin} to {end}"
            assert not any(replies[1][24:]) == (wanted[1] == 3), "data of a read"
            self.done += len(packets)
        self.exchange([*self.fill(), layer, *self.reads()])

    def cut_layers(self):
        """RESET in every part of a layer, of a write and of a read; then a tree."""
        arity = self.arities[-1]
        for wait in (*range(0, 300, 25), *range(300, 2 * LONGEST, 2500)):
            for packet in (self.layer(0, ROOM // 2, 40, arity), *list(self.fill())[:2], *self.reads()[:2])[wait % 3:]:
                self.card.send(packet)
            self.card.run(wait)
            self.card.send(header(8, RESET))
            while (reply := self.card.recv(LONGEST)) != header(8, 1 << 31 | RESET):
                assert reply is not None, f"no reply to RESET after {wait} cycles"
            self.done = 0
            self.exchange([*self.fill(), self.layer(0, ROOM // 2, 3, arity), *self.reads()])

    def hurry(self):
        gap, stall = self.rng.choice(trial.JITTERS)
        self.card.jitter(self.rng.getrandbits(64), gap, stall)

    def round(self):
        ledger, bursts = self.ledger(), self.rng.choice([0, 0, 0.2])
        self.hurry()
        for packet, keeps in self.traffic():
            self.kinds[ledger.sent(packet, keeps)] += 1
            self.card.send(packet, keeps)
            if self.rng.random() < bursts:
                self.card.run(self.rng.choice([1, 10, 100, 2000, 20_000]))
                self.hurry()
        self.settle(ledger, self.card.replies(4 * LONGEST))


if __name__ == "__main__":
    sys.exit(trial.main(Trial, __doc__, CARDS))
