"""The card of Poseidon whose streams are those of TRIDENT's tester, in Verilator, against spec/model/poseidon.py.

`python3 rtl/sim/test_streams.py [--seconds N] [--seed N] [CARD ...]`, for each card:

  zeros      the published digests of preimages of zeros, under the published tags
  tester     files as the published tester reads and writes them: a hexadecimal word a line, each file sent several times
  malformed  states that are too short or too long, that end with the transfer or in the middle of an element, elements that are too large:
             each is answered by 32 bytes of ones, and the next state by its digest
  resets     RESET through the register, with states under way; then a transfer
  rounds     for some seconds: all of these in random order, in transfers of any length, with random gaps and back-pressure

An element x is x 2^256 mod r, little-endian, 32 bytes; the top bit of a state's last one is set. A state begins with its tag. A digest is an
element.
"""

import json
import sys

import trial
from card import BLOCKS, ROOT, WIRE, keeps_of
from shell_cards import library, rtl

sys.path.insert(0, str(ROOT / "spec/model"))

import poseidon_card as model  # noqa: E402

CARDS = ["poseidon_stream_small_twin"]
CONTROL = BLOCKS + next(r["offset"] for r in WIRE["block"]["registers"] if r["name"] == "control")
P = model.instance(2).p
R = 1 << 256
ELEMENT = model.ELEMENT
NONE = b"\xff" * ELEMENT

#: More cycles than a hash takes alone, whatever its arity.
LONGEST = 12_000

#: By arity, in Montgomery form as published: the tag of Merkle trees, and the digest of a preimage of zeros.
PUBLISHED = {
    2: (0x486E140D064F104ECCA4EFCFC634EFE0098E27EE0009D80600000005FFFFFFFA, 0x299FCDF5B798AA4D2204F0C9D6DD76DAD0BAFE046071AF8D962DB6DB54EAE66C),
    4: (0x0E5D6E47A2B2D9B1658B26F6C2232750348DDB9D0036242100000020FFFFFFDF, 0x12AE46383E7F019319150316FDDF67B015E16DE9BE4BF4A6FAB584153720028B),
    8: (0x0C59041B7AA57A3757C9E652D111EC48D5F04D67039BAE3300000232FFFFFDCD, 0x0E42F618199244AD68EACB81E55C9A45E5543C317E4A10B80841B1F48A840F5D),
    11: (0x23EDABA93B53FD378AB1B215EE71E1F173A82B081CF7B1A8000011A7FFFFEE58, 0x2AAD2797F54455B3DF11264B16E4644FEA3D7579B6F89DC8DA2D9B015C2F2DCB),
}


def element(value):
    return value.to_bytes(ELEMENT, "little")


def state_of(values, marked=True):
    """The bytes of a state whose integers are in Montgomery form."""
    data = bytearray(b"".join(map(element, values)))
    if marked:
        data[-1] |= 0x80
    return bytes(data)


def words_of(text):
    """The tester's file: words of 64 digits, the first digit highest."""
    return [int(line, 16) for line in text.splitlines()]


class Trial(trial.Trial):
    CHECKS = ("zeros", "tester", "malformed", "resets")

    def __init__(self, card, rng):
        super().__init__(card, rng)
        manifest = json.loads(card.lib.pm_sim_manifest())
        (engine,) = manifest["engines"]
        assert card.read(WIRE["identification"]["streams"]["offset"]) == WIRE["identification"]["streams"]["value"]
        self.arities = [arity for arity in range(32) if engine["parameters"]["arities"] >> arity & 1]

    def answer(self, values):
        """The digest of a state of integers in Montgomery form; ones for what is none."""
        if len(values) - 1 not in self.arities or any(value >= P for value in values):
            return NONE
        digest = model.instance(len(values) - 1).permutation([value * pow(R, -1, P) % P for value in values])[1]
        return element(digest * R % P)

    def state(self, arity):
        edges = (0, 1, P - 1, R % P)
        return [self.rng.choice(edges) if self.rng.random() < 0.2 else self.rng.randrange(P) for _ in range(arity + 1)]

    def good(self):
        """(bytes, answer) of a state."""
        values = self.state(self.rng.choice(self.arities))
        return state_of(values), self.answer(values)

    def replies(self, count=None):
        """So many answers, and those that are too many; without a count all that come."""
        found = []
        while count is not None and len(found) < count and (reply := self.card.recv(2 * LONGEST)) is not None:
            found.append(reply)
        return found + self.card.replies(LONGEST if count is None else 100)

    def exchange(self, parts, transfers=1):
        """Sends states in so many transfers, cut between them; every answer must be right."""
        size = max(1, -(-len(parts) // transfers))
        for first in range(0, len(parts), size):
            self.card.send(b"".join(data for data, _ in parts[first:first + size]))
        found, wanted = self.replies(len(parts)), [answer for _, answer in parts]
        assert found == wanted, f"{len(found)} answers, {len(wanted)} states; the first wrong one: {next((i for i, (a, b) in enumerate(zip(found, wanted)) if a != b), None)}"

    def zeros(self):
        for arity in self.arities:
            tag, digest = PUBLISHED[arity]
            self.exchange([(state_of([tag] + [0] * arity), element(digest))])

    def tester(self, transfers=3):
        """The published command: transfer_num, arity (which is t there), input file, output file."""
        for arity in self.arities:
            states = [[PUBLISHED[arity][0], *self.state(arity)[1:]] for _ in range(20)]
            source = "".join(f"{value:064X}\n" for state in states for value in state)
            wanted = "".join(f"{int.from_bytes(self.answer(state), 'little'):064X}\n" for state in states)
            words, t = words_of(source), arity + 1
            data = b"".join(state_of(words[i:i + t]) for i in range(0, len(words), t))
            for _ in range(transfers):
                self.card.send(data)
            found = "".join(f"{int.from_bytes(reply, 'little'):064X}\n" for reply in self.replies(transfers * len(states)))
            assert found == wanted * transfers, f"t = {t}"

    def spoilt(self):
        """(bytes, answer) of what is no state; the transfer ends behind it where it has no mark."""
        rng = self.rng
        kind = rng.randrange(4)
        if kind == 0:  # too short, too long, far too long
            count = rng.choice([n for n in (*range(1, 16), 40, 100) if n - 1 not in self.arities])
            return state_of([rng.randrange(P) for _ in range(count)]), NONE
        values = self.state(rng.choice(self.arities))
        if kind == 1:  # too large
            values[rng.randrange(len(values))] = rng.choice([P, P + 1, (1 << 255) - 1])
            return state_of(values), NONE
        data = state_of(values, marked=False)
        return (data if kind == 2 else data[:rng.randrange(1, len(data))]), NONE  # no mark; cut anywhere

    def malformed(self):
        marked, cut = [], []
        for count in (*range(1, 16), 30, 31, 32, 33, 64, 200):
            values = self.state(count - 1)
            marked += [self.good(), (state_of(values), self.answer(values)), self.good()]
            cut += [self.good(), (state_of(values, marked=False), NONE)]
        for arity in self.arities:
            for place in range(arity + 1):
                values = self.state(arity)
                values[place] = P
                marked += [self.good(), (state_of(values), NONE)]
            data = state_of(self.state(arity))
            cut += [part for end in range(1, len(data)) for part in (self.good(), (data[:end], NONE))]
        self.exchange([*marked, self.good()])
        self.exchange([*cut, self.good()], transfers=len(cut) + 1)
        for arity in self.arities:
            data = state_of(self.state(arity))
            keeps = bytearray(keeps_of(data))
            for place in range(len(keeps)):
                self.card.send(data, bytes(keeps[:place] + b"\x7f" + keeps[place + 1:]))
            assert self.replies(len(keeps)) == [NONE] * len(keeps), "words with gaps"
        self.exchange([self.good() for _ in range(10)])

    def resets(self):
        for wait in (*range(0, 100, 15), *range(100, LONGEST, 3000)):
            data = b"".join(self.good()[0] for _ in range(6))
            self.card.send(data[:self.rng.randrange(1, len(data))])
            self.card.run(wait)
            self.card.write(CONTROL, 1)
            found = self.replies()
            assert len(found) <= 7 and all(len(reply) == ELEMENT for reply in found), found
            self.exchange([self.good() for _ in range(3)])

    def round(self):
        gap, stall = self.rng.choice(trial.JITTERS)
        self.card.jitter(self.rng.getrandbits(64), gap, stall)
        wanted, transfer = [], b""
        for _ in range(self.rng.choice([5, 20, 60])):
            bad = self.rng.random() < 0.3
            data, answer = self.spoilt() if bad else self.good()
            self.kinds["malformed" if bad else "good"] += 1
            wanted.append(answer)
            transfer += data
            if len(data) % ELEMENT or not data[-1] & 0x80 or self.rng.random() < 0.2:
                self.card.send(transfer)
                transfer = b""
        if transfer:
            self.card.send(transfer)
        found = self.card.replies(4 * LONGEST)
        assert found == wanted, f"{len(found)} answers, {len(wanted)} states"


if __name__ == "__main__":
    sys.exit(trial.main(Trial, __doc__, CARDS, find=lambda name: library(rtl.generate(name))))
