"""The engines of a real card against the model, in Verilator, through the C interface of spec/wire/sim.h.

`python3 rtl/sim/test_engines.py [--seconds N] [--seed N] [CARD ...]` drives each card (`make sim` makes them) in rounds:

  1. While the card is idle, every engine gets a personalisation and a powLimit, or keeps those that it has.
  2. Vectors, mutants of vectors, noise, malformed packets, STATUS and RESET go in, in random order, with random gaps and back-pressure.
  3. Every reply must be the one that spec/model gives under these settings, each engine's in order, none missing, none too many.
  4. The `done` counter of every engine must be the number of its replies since the last RESET.

A round depends only on the seed and the rounds before it; `--seconds`, for each card, limits their number.
"""

import functools
import json
import struct
import sys
from dataclasses import dataclass

import trial
from card import RESET, ROOT, header, keeps_of
from traffic import EQUIHASH, VERIFY, Ledger, random_packet

sys.path.insert(0, str(ROOT / "spec/model"))

import equihash_verify as equihash  # noqa: E402
from book import pow_limit  # noqa: E402

CARDS = ["card", "toy"]
REGISTERS = {register["name"]: register for register in EQUIHASH["block"]["registers"]}
HEADER = next(field["offset"] for field in EQUIHASH["command"]["fields"] if field["name"] == "header")

#: (personalisation, powLimit) of an engine after power-up and after RESET; no powLimit: the difficulty is not checked.
DEFAULTS = (REGISTERS["personalisation"]["reset"].encode(), equihash.POW_LIMIT[REGISTERS["pow_limit"]["reset"]])


@dataclass(frozen=True)
class Engine:
    """One engine of the card under test; its command's length identifies it."""

    params: equihash.Params
    length: int
    block: int
    headers: list
    settings: list  # pairs as DEFAULTS, those that the vectors were made for

    def address(self, name):
        return self.block + REGISTERS[name]["offset"]


def header_of(case, bases):
    """The header of a vector: in full, or a base and what is different."""
    if "header" in case:
        return bytes.fromhex(case["header"])
    found = bytearray.fromhex(bases[case["base"]])
    for edit in case["edits"]:
        for place, difference in enumerate(bytes.fromhex(edit["xor"]), edit["offset"]):
            found[place] ^= difference
    return bytes(found)


def engine_of(entry):
    """The engine of an entry in the manifest, with the vectors of its instance."""
    instance = entry["instance"].removeprefix("equihash_")
    vectors = json.loads((equihash.SPEC / f"vectors/{entry['op']}/{instance}.json").read_text())
    headers = [header_of(case, vectors["bases"]) for case in vectors["cases"]]
    settings = [(case["personalisation"].encode(), pow_limit(case["network"])) for case in vectors["cases"]]
    (packet,) = entry["commands"]
    return Engine(equihash.load_params(instance), packet["command_len"], entry["block"], headers, settings)


@functools.lru_cache(1 << 14)
def mask_of(params, block_header, personalisation, limit):
    return equihash.verify(params, block_header, personalisation, limit)


class Verdicts(Ledger):
    """A ledger whose engines answer with the model's mask under the settings of the moment."""

    def __init__(self, engines, settings):
        super().__init__(list(engines))
        self.engines, self.settings = engines, settings

    def answer(self, length, command):
        mask = mask_of(self.engines[length].params, command[HEADER:], *self.settings[length])
        return super().answer(length, command)[:-1] + bytes([mask])

    def sent(self, packet, keeps):
        kind = super().sent(packet, keeps)
        if kind == "reset":
            self.settings.update(dict.fromkeys(self.engines, DEFAULTS))
        return kind


class Trial(trial.Trial):
    """One card, what it is set to, what it must have counted, and what has been sent so far."""

    def __init__(self, card, rng):
        super().__init__(card, rng)
        manifest = json.loads(card.lib.pm_sim_manifest())
        self.engines = {engine.length: engine for engine in map(engine_of, manifest["engines"])}
        self.settings = dict.fromkeys(self.engines, DEFAULTS)
        self.done = dict.fromkeys(self.engines, 0)
        assert self.engines, "a card without engines"

    def set_up(self, engine):
        """Draws and writes settings, those of vectors or random ones; or leaves them."""
        rng = self.rng
        if rng.random() < 0.2:
            return
        personalisation = rng.choice(engine.settings)[0] if rng.random() < 0.9 else rng.randbytes(8)
        limit = rng.choice(engine.settings)[1] if rng.random() < 0.8 else rng.choice([0, rng.getrandbits(256), *equihash.POW_LIMIT.values()])
        self.write(engine, "personalisation", int.from_bytes(personalisation, "little"))
        self.write(engine, "difficulty", int(limit is not None))
        self.write(engine, "pow_limit", rng.getrandbits(256) if limit is None else limit)
        self.settings[engine.length] = (personalisation, limit)

    def write(self, engine, name, value):
        for word in range(REGISTERS[name]["bits"] // 32):
            self.card.write(engine.address(name) + 4 * word, value >> 32 * word & 0xFFFFFFFF)

    def hurry(self):
        """Draws gaps and back-pressure; the cycles without a reply that then mean that none will come: twice the longest packet's."""
        gap, stall = self.rng.choice(trial.JITTERS)
        self.card.jitter(self.rng.getrandbits(64), gap, stall)
        return 6000 + 2 * (max(self.engines) // 8) * 256 // (256 - max(gap, stall))

    def command(self, engine):
        """(bytes, keeps) of a vector, a mutant or noise; sometimes padded to a whole word."""
        rng = self.rng
        block_header = bytearray(rng.choice(engine.headers))
        if rng.random() < 0.25:
            for _ in range(rng.randrange(1, 4)):
                block_header[rng.randrange(len(block_header))] ^= 1 << rng.randrange(8)
        elif rng.random() < 0.05:
            block_header = rng.randbytes(len(block_header))
        packet = header(engine.length, VERIFY) + struct.pack("<Q", rng.getrandbits(64)) + block_header
        keeps = keeps_of(packet)
        return packet, keeps[:-1] + b"\xff" if rng.random() < 0.2 else keeps

    def traffic(self):
        """(bytes, keeps) of each packet of a round."""
        rng, lengths = self.rng, list(self.engines)
        resets, garbage = rng.choice([0, 0, 0, 0.03, 0.1]), rng.choice([0, 0, 0.2, 0.5])
        among = rng.choice([lengths, *([length] for length in lengths)])
        for _ in range(rng.choice([10, 30, 100])):
            if rng.random() < resets:
                yield header(8, RESET), b"\xff"
            elif rng.random() < garbage:
                yield random_packet(rng, lengths, rng.getrandbits(64))
            else:
                yield self.command(self.engines[rng.choice(among)])

    def round(self):
        for engine in self.engines.values():
            self.set_up(engine)
        ledger = Verdicts(self.engines, self.settings)
        bursts, quiet = self.rng.choice([0, 0, 0.2]), self.hurry()
        for packet, keeps in self.traffic():
            self.kinds[ledger.sent(packet, keeps)] += 1
            self.card.send(packet, keeps)
            if self.rng.random() < bursts:
                self.card.run(self.rng.choice([1, 10, 100, 500, 2000]))
                quiet = self.hurry()
        ledger.check(self.card.replies(quiet))
        self.check_counters(ledger)

    def check_counters(self, ledger):
        for length, engine in self.engines.items():
            answered = len(ledger.epochs[-1][length])
            self.done[length] = answered + (self.done[length] if len(ledger.epochs) == 1 else 0)
            done = self.card.read64(engine.address("done"))
            assert done == self.done[length], f"{engine.params.name} counts {done} headers, there were {self.done[length]}"


if __name__ == "__main__":
    sys.exit(trial.main(Trial, __doc__, CARDS, seconds=10))
