"""The commands of a simulated card's NTT engine, one after the other."""

import struct
import sys

from card import BLOCKS, REPLY, ROOT, header

sys.path.insert(0, str(ROOT / "spec/model"))

import ntt  # noqa: E402

COMMANDS, STATUS = ntt.WIRE["commands"], ntt.WIRE["status"]
WRITE, RUN, READ = (COMMANDS[name]["number"] for name in ("write", "run", "read"))
P = ntt.GOLDILOCKS.p
GRANULE, BEAT = 1024, 8  # bytes; elements
ELEMENTS, SCRATCH = 1 << 20, 1 << 24  # addresses
CHANNELS = next(r["offset"] for r in ntt.WIRE["block"]["registers"] if r["name"] == "channels")


class Engine:
    """The engine's commands, one after the other."""

    def __init__(self, card):
        self.card, self.index = card, 0
        self.channels = card.read(BLOCKS + 0x1000 + CHANNELS)

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
        for channel in range(self.channels):
            mine = [x for i in range(0, len(elements), BEAT * self.channels) for x in elements[i + BEAT * channel:i + BEAT * (channel + 1)]]
            data = struct.pack(f"<{len(mine)}Q", *mine)
            for at in range(0, len(data), GRANULE):
                assert self.put(address + at, channel, data[at:at + GRANULE]) == STATUS["done"]

    def store(self, count, address=ELEMENTS):
        found = [0] * count
        for channel in range(self.channels):
            size = 8 * count // self.channels
            data = b""
            for at in range(0, size, GRANULE):
                status, part = self.get(address + at, channel)
                assert status == STATUS["done"]
                data += part
            mine = struct.unpack(f"<{size // 8}Q", data[:size])
            for i in range(0, len(mine), BEAT):
                at = i * self.channels + BEAT * channel
                found[at:at + BEAT] = mine[i:i + BEAT]
        return found

    def run(self, log, inverse=False, count=1, shift=1, scale=1, elements=ELEMENTS, scratch=SCRATCH):
        body = struct.pack("<QQIIQ", elements, scratch, log, inverse, count) + shift.to_bytes(32, "little") + scale.to_bytes(32, "little")
        return struct.unpack("<4Q", self.ask(112, RUN, body))
