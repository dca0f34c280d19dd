"""A card behind the model of AWS F2's shell (f2_shell.h), and its host: spec/wire/slot_rings.toml, as host/card/src/transport speaks it.

    with F2(library) as card:
        card.open(1)
        card.send(header(8, STATUS))
        card.recv()
"""

import ctypes
import struct
import tomllib
from collections import deque

from card import ROOT
from test_xdma import BEAT, FORMAT, Xdma

WIRE = tomllib.loads((ROOT / "spec/wire/slot_rings.toml").read_text())
ROOM, REGISTERS, STATE = WIRE["room"], WIRE["registers"], WIRE["state"]
PACKETS, DOOR = WIRE["stream"]["packets"], WIRE["stream"]["door"]
PAGE = ROOM["pages"]["slot"]
DESCRIPTOR = "<HHHH"
assert [WIRE["descriptor"][name]["offset"] for name in ("session", "number", "bytes", "last")] == [0, 2, 4, 6]
BASE = 0x7_6543_2000  # of the host's room
ALONE = bytes(BEAT - struct.calcsize(DESCRIPTOR))


def register(name, stream=0):
    return REGISTERS["base"] + REGISTERS[name]["offset"] + stream * REGISTERS[name].get("stride", 0)


def place(region, stream, slot):
    it = ROOM[region]
    return it["base"] + stream * it["stride"] + slot * it["slot"]


class Stream:
    """The host's state of a stream."""

    def __init__(self):
        self.outgoing = deque()  # (bytes, last) of pages that have no slot yet
        self.sent = self.taken = self.read = self.freed = 0
        self.incoming = b""
        self.whole = deque()


class F2(Xdma):
    """The interfaces of any card, through the rings. `freeing`: number of pages after which the host reports that it has read them. `between`: a
    function of a stream and a slot's number that is called between the writes of a slot's data and of its descriptor.
    """

    def __init__(self, library):
        super().__init__(library)
        u64, size, sim = ctypes.c_uint64, ctypes.c_size_t, ctypes.c_void_p
        for name, result, arguments in [
            ("pcis_write", ctypes.c_int, [sim, u64, ctypes.c_char_p, size]),
            ("pcis_pending", size, [sim]),
            ("pcim_memory", ctypes.c_int, [sim, u64, ctypes.c_char_p, size]),
            ("pcim_written", u64, [sim]),
        ]:
            function = getattr(self.lib, f"pm_sim_{name}")
            function.restype, function.argtypes = result, arguments
        self.memory = ctypes.create_string_buffer(ROOM["bytes"])
        self.reach(True)
        self.session, self.freeing = 0, 1
        self.between = lambda stream, number: None
        self.slots = self.read_always("slots")

    def reach(self, there):
        """Maps the host's memory for PCIM, or unmaps it."""
        assert self.lib.pm_sim_pcim_memory(self.sim, BASE, self.memory, ROOM["bytes"] if there else 0) == 0

    # Registers that always answer.

    def read_always(self, name, stream=0):
        return self.read(register(name, stream))

    def state(self):
        return self.read_always("state")

    def await_state(self, bits, cycles=4000):
        """Waits until none of these is set."""
        end = self.cycles() + cycles
        while self.state() & bits:
            assert self.cycles() < end, f"state {self.state():x}"
            self.run(50)

    def cycles(self):
        return self.lib.pm_sim_cycles(self.sim)

    # Opening.

    def close(self, cycles=4000):
        self.write(register("session"), 0)
        self.await_state(STATE["resetting"], cycles)

    def open(self, session, cycles=4000, pause=0):
        """The steps of docs/design/wire.md; `pause` cycles between closing and opening."""
        assert self.read_always("magic") == REGISTERS["magic"]["value"] and self.read_always("layout") == REGISTERS["layout"]["value"]
        assert session not in (0, self.read_always("session")), "a session of its own"
        self.close(cycles)
        ctypes.memset(self.memory, 0, ROOM["pages"]["base"])
        quiet = self.lib.pm_sim_pcim_written(self.sim)
        self.write(register("base_low"), BASE & 0xFFFFFFFF)
        self.write(register("base_high"), BASE >> 32)
        self.run(pause)
        assert self.lib.pm_sim_pcim_written(self.sim) == quiet, "a closed card writes"
        self.session, self.streams = session, [Stream(), Stream()]
        self.write(register("session"), session)
        self.await_state(STATE["resetting"] | STATE["down"])

    def start_anew(self):
        self.open(self.session + 1)

    # Pages.

    def store(self, offset, data, session=None):
        address = (self.session if session is None else session) * ROOM["bytes"] + offset
        assert self.lib.pm_sim_pcis_write(self.sim, address, data, len(data)) == 0

    def describe(self, stream, number, size, last, session=None):
        named = self.session if session is None else session
        self.store(place("descriptors", stream, number % self.slots), struct.pack(DESCRIPTOR, named, number % 65536, size, last), session)

    def put_page(self, stream, number, data, last):
        self.store(place("pages", stream, number % self.slots), data.ljust(-(-len(data) // 8) * 8, b"\xee"))
        self.between(stream, number)
        self.describe(stream, number, len(data), last)

    def queue(self, stream, data):
        pages = [data[i : i + PAGE] for i in range(0, len(data), PAGE)]
        self.streams[stream].outgoing.extend((page, page is pages[-1]) for page in pages)
        self.push(stream)

    def push(self, stream):
        it = self.streams[stream]
        while it.outgoing:
            if it.sent - it.taken == self.slots:
                value = self.read_always("taken", stream)
                assert value >> 16 == self.session
                it.taken += (value - it.taken) % 65536
                assert it.taken <= it.sent, "more taken than there was"
                if it.sent - it.taken == self.slots:
                    return
            self.put_page(stream, it.sent, *it.outgoing.popleft())
            it.sent += 1

    def pull(self, stream):
        it = self.streams[stream]
        while True:
            at = place("descriptors", stream, it.read % self.slots)
            line = self.seen(at, BEAT)
            session, number, size, last = struct.unpack(DESCRIPTOR, line[: -len(ALONE)])
            if (session, number) != (self.session, it.read % 65536):
                return
            assert line[-len(ALONE) :] == ALONE and 1 <= size <= PAGE and last in (0, 1) and (last or size % BEAT == 0), line.hex()
            at = place("pages", stream, it.read % self.slots)
            it.incoming += self.seen(at, size)
            it.read += 1
            if last:
                it.whole.append(it.incoming)
                it.incoming = b""
            if it.read - it.freed >= self.freeing:
                self.free(stream)

    def seen(self, at, size):
        """Returns bytes that the card has written to the host's memory."""
        return ctypes.string_at(ctypes.addressof(self.memory) + at, size)

    def free(self, stream):
        it = self.streams[stream]
        it.freed = it.read
        self.write(register("freed", stream), self.session << 16 | it.freed % 65536)

    def await_whole(self, stream, cycles):
        """The next transfer of a stream; None when none came."""
        end = self.cycles() + cycles
        while True:
            for s in (PACKETS, DOOR):
                self.push(s)
                self.pull(s)
            if self.streams[stream].whole:
                return self.streams[stream].whole.popleft()
            if self.cycles() >= end:
                return None
            self.lib.pm_sim_run(self.sim, min(200, end - self.cycles()), 4)
            self.check()

    # The doors of any card.

    def send(self, packet, keeps=None):
        assert keeps is None
        self.queue(PACKETS, packet)

    def recv(self, cycles=100_000):
        return self.await_whole(PACKETS, cycles)

    def transfer(self, data):
        self.queue(DOOR, data)

    def answer(self, cycles=300_000):
        answer = self.await_whole(DOOR, cycles)
        return answer and (struct.unpack(FORMAT, answer[-BEAT:]), answer[:-BEAT])
