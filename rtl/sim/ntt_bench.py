"""The commands of a simulated card's NTT engine, one after the other."""

import json
import struct
import sys

from card import REPLY, ROOT, header

sys.path.insert(0, str(ROOT / "spec/model"))

import ntt  # noqa: E402

COMMANDS, STATUS, DIRECTIONS = ntt.WIRE["commands"], ntt.WIRE["status"], ntt.WIRE["directions"]
WRITE, RUN, READ = (COMMANDS[name]["number"] for name in ("write", "run", "read"))
GRANULE, BEAT = 1024, 64  # bytes
ELEMENTS, SCRATCH = 1 << 20, 1 << 26  # addresses
REGISTERS = {r["name"]: r["offset"] for r in ntt.WIRE["block"]["registers"]}
FIELDS = {facts["number"]: name for name, facts in ntt.WIRE["fields"].items()}


def run_of(log, inverse=False, count=1, shift=1, scale=1, elements=ELEMENTS, scratch=SCRATCH):
    """A run's fields behind its index."""
    return struct.pack("<QQIIQ", elements, scratch, log, inverse, count) + shift.to_bytes(32, "little") + scale.to_bytes(32, "little")


class Engine:
    """The engine's commands, one after the other. With `outside` elements are put into the card's memory and looked at there without the card, at
    once: as packets they take several times as many cycles as a transform.
    """

    def __init__(self, card, outside=False):
        self.card, self.index, self.outside = card, 0, outside
        manifest = json.loads(card.lib.pm_sim_manifest())
        place, engine = next((place, engine) for place, engine in enumerate(manifest["engines"]) if engine["op"] == "ntt")
        self.block = engine["block"]
        name = FIELDS[self.register("field")]
        self.field, self.element = ntt.field(name), ntt.WIRE["fields"][name]["element"]
        self.channels, self.lanes = self.register("channels"), self.register("lanes")
        behind = sum(other["parameters"]["channels"] + 1 for other in manifest["engines"][place + 1:] if other["op"] == "msm")
        self.first = len(manifest["memories"]) - self.channels - behind  # its channels are the card's last ones, but for those of sums in G2

    def register(self, name):
        return self.card.read(self.block + REGISTERS[name])

    def ask(self, length, number, body, limit=10_000_000):
        self.index += 1
        self.card.send(header(length, number) + struct.pack("<Q", self.index) + body)
        reply = self.card.recv(limit)
        assert reply is not None, "no reply"
        command = {WRITE: "write", RUN: "run", READ: "read"}[number]
        assert reply[:16] == header(COMMANDS[command]["reply_len"], REPLY | number) + struct.pack("<Q", self.index), reply[:24].hex()
        return reply[16:]

    def put(self, address, channel, data):
        return self.ask(24 + GRANULE, WRITE, struct.pack("<Q", address | channel << 56) + data.ljust(GRANULE, b"\0"))[0]

    def get(self, address, channel):
        status, = struct.unpack("<Q", (reply := self.ask(24, READ, struct.pack("<Q", address | channel << 56)))[:8])
        return status, reply[8:]

    def load(self, elements, address=ELEMENTS):
        data = b"".join(x.to_bytes(self.element, "little") for x in elements)
        for channel in range(self.channels):
            mine = b"".join(data[at:at + BEAT] for at in range(BEAT * channel, len(data), BEAT * self.channels))
            if self.outside:
                self.card.poke(self.first + channel, address, mine + bytes(-len(mine) % GRANULE))
                continue
            for at in range(0, len(mine), GRANULE):
                assert self.put(address + at, channel, mine[at:at + GRANULE]) == STATUS["done"]

    def store(self, count, address=ELEMENTS):
        found = bytearray(count * self.element)
        for channel in range(self.channels):
            starts = range(BEAT * channel, len(found), BEAT * self.channels)
            data = self.read(channel, address, BEAT * len(starts))
            for i, at in enumerate(starts):
                part = data[BEAT * i:BEAT * (i + 1)]
                found[at:at + BEAT] = part[:len(found) - at]
        return [int.from_bytes(found[at:at + self.element], "little") for at in range(0, len(found), self.element)]

    def read(self, channel, address, count):
        """So many bytes of a channel, and what is behind them in their granule."""
        if self.outside:
            return self.card.peek(self.first + channel, address, count)
        found = [self.get(address + at, channel) for at in range(0, count, GRANULE)]
        assert all(status == STATUS["done"] for status, _ in found)
        return b"".join(part for _, part in found)

    def run(self, *facts, **more):
        """Status, element, and cycles of first and last passes of the run that `run_of` describes."""
        return struct.unpack("<4Q", self.ask(112, RUN, run_of(*facts, **more)))

    def quotient(self, lists, shift, scale, target=None):
        """The chain of Groth16 on three lists of values, in the card from the elements to the end, or to the channel of scalars: status and cycles of
        the inverse transforms, the forward ones, and of a b - c."""
        log = ntt.log_of(lists[0])
        self.load([x for one in lists for x in one])
        last = ("a_b_less_c", SCRATCH) if target is None else ("a_b_less_c_to_scalars", target)
        found = [self.run(log, True, 3, shift, scale), self.run(log, False, 3), self.run(log, DIRECTIONS[last[0]], 3, scratch=last[1])]
        return found[-1][0], [first + last for _, _, first, last in found]

    def sampled(self, log, source, inverse=False, shift=1, scale=1):
        """Cycles of the passes of a large transform: of elements that are nearly all 0, of whose results some are checked. The memory is as new."""
        p, w = self.field.p, pow(self.field.root(log), -1 if inverse else 1, self.field.p)
        count = GRANULE * self.channels // self.element  # elements of a granule of each channel
        blocks = (1 << log) // count
        elements = {}
        for block in (0, source.randrange(1, blocks)):
            some = [source.randrange(p) for _ in range(count)]
            self.load(some, ELEMENTS + GRANULE * block)
            elements |= {count * block + j: x for j, x in enumerate(some)}
        fits = self.element << log <= self.channels * (SCRATCH - ELEMENTS)
        status, _, first, last = self.run(log, inverse, shift=shift, scale=scale, scratch=SCRATCH if fits else 1 << 29)
        assert status == STATUS["done"], status
        for block in (0, blocks - 1, source.randrange(blocks)):
            found = self.store(count, ELEMENTS + GRANULE * block)
            for i, value in enumerate(found, count * block):
                wanted = sum(x * scale * pow(shift, i if inverse else j, p) * pow(w, i * j, p) for j, x in elements.items()) % p
                assert value == wanted, (log, inverse, i)
        return first, last
