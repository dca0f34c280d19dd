"""The engine poseidon against the model, in Verilator, through the C interface of spec/wire/sim.h.

`python3 rtl/sim/test_poseidon.py [--seconds N] [--seed N] [--library PATH]...`, for each library:

  1. Every vector of the card's arities and of the standard strength alone, and all of them at once, in order and shuffled.
  2. Values not below the modulus, at every place of a state: refused by their number, and without a trace in what comes behind.
  3. One state of an arity between others: rows that are not full go on all the same, after a bounded time.
  4. Commands in every cycle around the one in which a row goes on without more of them.
  5. RESET at many moments of a hash: nothing is left of it.
  6. Rounds of traffic for so many seconds, and one at least: states, malformed packets, STATUS and RESET in random order, with random gaps and
     back-pressure. Every reply is the model's, in the order of the commands of all arities together, none missing, none too many.

The `done` counter is what was answered. A round depends only on the seed and the rounds before it.
"""

import argparse
import functools
import json
import random
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from card import RESET, ROOT, Card, header, keeps_of
from traffic import Ledger, random_packet

sys.path.insert(0, str(ROOT / "spec/model"))

import poseidon_card as model  # noqa: E402
import wire  # noqa: E402

LIBRARIES = [ROOT / f"target/sim/{name}.so" for name in ("poseidon_small_twin", "poseidon_twin")]
NUMBER = model.COMMAND["number"]
REGISTERS = {register["name"]: register["offset"] for register in model.WIRE["block"]["registers"]}
P = model.instance(2).p
#: More cycles than a hash takes alone, whatever its arity.
LONGEST = 12_000

#: Cycles that a row waits for more states.
PATIENCE = 64

#: Gaps before input words and refusals of output words, in 256ths of the cycles.
JITTERS = [(0, 0), (0, 0), (30, 0), (240, 0), (0, 128), (0, 253), (60, 60), (250, 250)]

reply_to = functools.lru_cache(1 << 14)(wire.poseidon_reply)


class Digests(Ledger):
    """A ledger with one engine for all lengths."""

    number = NUMBER

    def engine(self, length):
        return "poseidon"

    def answer(self, length, command):
        reply = reply_to(command[:8] + bytes(8) + command[16:])  # for index 0
        return reply[:8] + command[8:16] + reply[16:]


def vectors(arities):
    """States and digests of the standard strength."""
    cases = json.loads((ROOT / "spec/vectors/poseidon/bls12_381_standard.json").read_text())["cases"]
    for case in cases:
        arity, (domain, *length) = case["arity"], case["domain"].split()
        if arity in arities:
            instance = model.instance(arity)
            tag = instance.constant_length(int(*length)) if length else getattr(instance, domain)
            preimage = [int(x, 16) for x in case["preimage"]]
            yield [tag, *preimage, *[0] * (arity - len(preimage))], int(case["digest"], 16)


class Trial:
    """One card, and what it must have counted."""

    def __init__(self, card, rng):
        self.card, self.rng = card, rng
        (engine,) = json.loads(card.lib.pm_sim_manifest())["engines"]
        self.block, self.parameters = engine["block"], engine["parameters"]
        self.arities = [arity for arity in range(32) if self.parameters["arities"] >> arity & 1]
        self.lengths = [model.command_len(arity) for arity in self.arities]
        assert [packet["command_len"] for packet in engine["commands"]] == self.lengths, engine
        assert self.register("arities") == self.parameters["arities"]
        self.vectors = list(vectors(self.arities))
        self.done, self.kinds = 0, Counter()

    def register(self, name):
        return self.card.read(self.block + REGISTERS[name])

    def exchange(self, packets, quiet=2 * LONGEST):
        """Sends packets; every reply must be the model's."""
        ledger = Digests(self.lengths)
        for packet in packets:
            ledger.sent(packet, keeps_of(packet))
            self.card.send(packet)
        ledger.check(self.card.replies(quiet))
        answered = len(ledger.epochs[-1]["poseidon"])
        self.done = answered + (self.done if len(ledger.epochs) == 1 else 0)
        assert self.card.read64(self.block + REGISTERS["done"]) == self.done

    def all_vectors(self):
        for i, (state, digest) in enumerate(self.vectors):
            self.card.send(wire.poseidon_command(i, state))
            reply = self.card.recv(LONGEST)
            assert reply == wire.packet(model.COMMAND["reply"], wire.word(i, 8) + bytes(8) + wire.word(digest, 32)), f"vector {i}: {reply}"
            assert self.register("last_latency") < LONGEST
            self.done += 1
        packets = [wire.poseidon_command(i, state) for i, (state, _) in enumerate(self.vectors)]
        for order in (packets, self.rng.sample(packets, len(packets))):
            self.exchange(order)

    def refusals(self):
        packets = []
        for arity in self.arities:
            good = wire.poseidon_command(arity, range(arity + 1))
            for place in range(arity + 1):
                for value in (P, P + 1, 2**256 - 1, P - 1):
                    packets.append(wire.poseidon_command(place, [value if i >= place else i for i in range(arity + 1)]))
                packets.append(good)
        self.exchange(packets)

    def lonely(self):
        """States of an arity alone between those of others, and counts of states that fill no row."""
        for count in range(1, 2 * self.parameters["partial_lanes"] + 2):
            for arity in self.arities:
                alone = self.rng.choice(self.arities)
                self.exchange([wire.poseidon_command(i, self.state(alone if i == count // 2 else arity)) for i in range(count)])

    def late(self):
        """A command in any cycle around the one in which its row goes on without it: once it was taken and the row closed at the same time."""
        ledger, arity = Digests(self.lengths), self.arities[0]
        for wait in range(3 * PATIENCE):
            packet = wire.poseidon_command(wait, self.state(arity))
            ledger.sent(packet, keeps_of(packet))
            self.card.send(packet)
            self.card.run(wait)
        ledger.check(self.card.replies(2 * LONGEST))
        self.done += 3 * PATIENCE

    def cut(self):
        for wait in (*range(10, 400, 30), *range(400, LONGEST, 1500)):
            before = [wire.poseidon_command(i, self.state(self.rng.choice(self.arities))) for i in range(10)]
            for packet in before:
                self.card.send(packet)
            self.card.run(wait)
            self.card.send(header(8, RESET))
            while (reply := self.card.recv(LONGEST)) != header(8, 1 << 31 | RESET):
                assert reply is not None and reply[4:8] == wire.word(model.COMMAND["reply"], 4), "not a reply from before RESET"
            self.done = 0
            self.exchange([wire.poseidon_command(i, self.state(arity)) for i, arity in enumerate(self.arities)])

    def state(self, arity):
        edges = (0, 1, P - 1, P - 2, 1 << 254)
        return [self.rng.choice(edges) if self.rng.random() < 0.3 else self.rng.randrange(P) for _ in range(arity + 1)]

    def command(self):
        rng = self.rng
        known = [state for state, _ in self.vectors]
        state = list(rng.choice(known)) if rng.random() < 0.5 else self.state(rng.choice(self.arities))
        if rng.random() < 0.1:
            state[rng.randrange(len(state))] = rng.choice([P, P + 1, rng.getrandbits(256), 2**256 - 1])
        packet = wire.poseidon_command(rng.getrandbits(64), state)
        return packet, keeps_of(packet)

    def traffic(self):
        """(bytes, keeps) of each packet of a round."""
        rng = self.rng
        resets, garbage = rng.choice([0, 0, 0, 0.03]), rng.choice([0, 0.2, 0.5])
        for _ in range(rng.choice([10, 30, 100])):
            if rng.random() < resets:
                yield header(8, RESET), b"\xff"
            elif rng.random() < garbage:
                yield random_packet(rng, self.lengths, rng.getrandbits(64), NUMBER)
            else:
                yield self.command()

    def hurry(self):
        gap, stall = self.rng.choice(JITTERS)
        self.card.jitter(self.rng.getrandbits(64), gap, stall)

    def round(self):
        ledger, bursts = Digests(self.lengths), self.rng.choice([0, 0, 0.2])
        self.hurry()
        for packet, keeps in self.traffic():
            self.kinds[ledger.sent(packet, keeps)] += 1
            self.card.send(packet, keeps)
            if self.rng.random() < bursts:
                self.card.run(self.rng.choice([1, 10, 100, 2000, 20_000]))
                self.hurry()
        ledger.check(self.card.replies(4 * LONGEST))
        answered = len(ledger.epochs[-1]["poseidon"])
        self.done = answered + (self.done if len(ledger.epochs) == 1 else 0)
        assert self.card.read64(self.block + REGISTERS["done"]) == self.done


def examine(library, seed, seconds):
    """All checks; whether all went well."""
    rounds = 0
    with Card(library) as card:
        trial = Trial(card, random.Random(seed))
        try:
            trial.all_vectors()
            trial.refusals()
            trial.lonely()
            trial.late()
            trial.cut()
            end = time.monotonic() + seconds
            while rounds == 0 or time.monotonic() < end:
                trial.round()
                rounds += 1
        except AssertionError as problem:
            traceback.print_exc(file=sys.stdout)
            print(f"FAILED: {library}, seed {seed}, round {rounds}: {problem}", flush=True)
            return False
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(trial.kinds.items()))
        print(f"{library.name}: {len(trial.vectors)} vectors, {rounds} rounds, {kinds}, {card.lib.pm_sim_cycles(card.sim):,} cycles", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=15, help="of rounds, for each library")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--library", type=Path, action="append", help="a card with this engine; more than one can be named; default: the twins of all arities and of a small one")
    chosen = parser.parse_args()
    seed = random.randrange(1 << 32) if chosen.seed is None else chosen.seed
    print(f"seed {seed}", flush=True)
    outcomes = [examine(library, seed, chosen.seconds) for library in chosen.library or LIBRARIES]
    print(f"{sum(outcomes)} passed, {len(outcomes) - sum(outcomes)} failed")
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
