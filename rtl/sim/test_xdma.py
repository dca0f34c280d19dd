"""A card behind a DMA bridge for PCIe, in Verilator: three clocks, the port to the memory, and resets of either side.

`python3 rtl/sim/test_xdma.py [--seconds N] [--seed N]` drives the card `xdma_msm_toy` (`make sim` makes it) and checks:

  packets   of every length through beats of 64 bytes: STATUS, RESET and what is ignored, with gaps and back-pressure
  transfers random writes and reads of the memory, packed and not, against a plain model, while packets pass
  refusals  headers without magic, kind or place; transfers that are too short and too long; errors of the memory
  bridge    reset at any moment, or left by its host: the memory's bursts end whole, registers of a card in reset answer with an error, and the
            card works afterwards
  memory    reset at any moment, and dead: transfers and runs end with an error, and all works afterwards
  silent    a memory that takes and never answers: an error for each request, a card that can be reset in every way, and all works once the memory was
"""

import argparse
import ctypes
import os
import random
import struct
import time
import tomllib

from card import BLOCKS, IGNORE, REPLY, RESET, ROOT, STATUS, WIRE, Card, header, power_up_by, status_of

DOOR = tomllib.loads((ROOT / "spec/wire/memory_door.toml").read_text())
BEAT, GRANULE = DOOR["beat"]["bytes"], 1024
MAGIC = DOOR["header"]["magic"]["value"]
WRITE, READ = DOOR["kind"]["write"], DOOR["kind"]["read"]
DONE, REFUSED, FAULT, LENGTH = (DOOR["status"][name] for name in ("done", "refused", "memory_fault", "length"))
MSM = tomllib.loads((ROOT / "spec/wire/msm.toml").read_text())
CHANNELS, SIZE = 2, 1 << 20
PATIENCE = 1 << 16  # of the firewalls, in cycles
SLAVE_ERROR = 2
CONTROL = BLOCKS + next(r["offset"] for r in WIRE["block"]["registers"] if r["name"] == "control")
FORMAT = "<IIQQIIII24x"
BRIDGE, MEMORY, HOST = 0, 1, 2


def ask(kind, index, channel, address, beats, slice_bytes=BEAT, magic=MAGIC):
    return struct.pack(FORMAT, magic, kind, index, address, beats, channel, slice_bytes, 0)


def packed(data):
    """What a packed write brings: 48 bytes of each beat, and zeros to the end of the last beat."""
    slices = b"".join(data[i : i + 48] for i in range(0, len(data), BEAT))
    return slices + bytes(-len(slices) % BEAT)


class Xdma(Card):
    """A card with the memory port."""

    def __init__(self, library):
        super().__init__(library)
        for name, result, arguments in [
            ("door_send", ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]),
            ("door_recv", ctypes.c_size_t, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]),
            ("reset", ctypes.c_int, [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64]),
        ]:
            function = getattr(self.lib, f"pm_sim_{name}")
            function.restype, function.argtypes = result, arguments

    def transfer(self, data):
        assert self.lib.pm_sim_door_send(self.sim, data, len(data)) == 0

    def answer(self, cycles=300_000):
        """(header's fields, data) of the next answer; None when none came."""
        self.lib.pm_sim_run(self.sim, cycles, 2)
        self.check()
        room = ctypes.create_string_buffer(1 << 20)
        n = self.lib.pm_sim_door_recv(self.sim, room, len(room))
        if not n:
            return None
        assert n % BEAT == 0
        return struct.unpack(FORMAT, room.raw[n - BEAT : n]), room.raw[: n - BEAT]

    def status(self, data):
        """Of the answer to this transfer, whose header it echoes."""
        self.transfer(data)
        answer = self.answer()
        assert answer is not None, "no answer"
        fields, rest = answer
        assert fields[:7] == struct.unpack(FORMAT, data[:BEAT])[:7] or fields[7] == REFUSED, (fields, data[:BEAT].hex())
        return fields[7], rest

    def put(self, index, channel, address, data, pack=False):
        body = packed(data) if pack else data
        return self.status(ask(WRITE, index, channel, address, len(data) // BEAT, 48 if pack else BEAT) + body)[0]

    def get(self, index, channel, address, beats):
        return self.status(ask(READ, index, channel, address, beats))

    def reset(self, which, cycles):
        assert self.lib.pm_sim_reset(self.sim, which, cycles) == 0

    def start_anew(self):
        """As another host does."""
        self.reset(BRIDGE, 50)
        self.run(600)

    def patient(self, ask):
        """What `ask` returns, and how long it took."""
        begin = self.lib.pm_sim_cycles(self.sim)
        return ask(), self.lib.pm_sim_cycles(self.sim) - begin

    def command(self, name, *fields):
        """Status of a command of the MSM engine."""
        command = MSM["commands"][name]
        self.send(header(command["len"], command["number"]) + b"".join(fields))
        reply = self.recv()
        assert reply is not None and reply[4:8] == struct.pack("<I", command["reply"]), reply
        return reply[16]

    def reset_alone(self):
        self.send(header(8, RESET))
        while (reply := self.recv()) != header(8, REPLY | RESET):
            assert reply is not None, "no answer to RESET"

    def try_read(self, address):
        """(AXI response, value)."""
        value = ctypes.c_uint32()
        return self.lib.pm_sim_reg_read(self.sim, address, ctypes.byref(value), 100_000), value.value

    def check(self):
        broken = self.lib.pm_sim_broken(self.sim)
        assert broken is None, broken.decode()

    def drain(self):
        """Lets everything end that was begun, and forgets its answers."""
        while self.recv(3000) is not None or self.answer(3000) is not None:
            pass

    def works(self, rng):
        """Packets, registers, memory port."""
        self.send(header(8, RESET))
        while (reply := self.recv(200_000)) != header(8, REPLY | RESET):
            assert reply is not None, "no answer to RESET"
        self.send(header(8, STATUS))
        status_of(self.recv())
        assert self.try_read(0x0800) == (0, 0x4C4D5250)
        data = rng.randbytes(GRANULE)
        assert self.put(1, 1, 5 * GRANULE, data) == DONE
        assert self.get(2, 1, 5 * GRANULE, 16) == (DONE, data)


def packets(make, rng, seconds):
    with make() as card:
        for length in range(1, 200):
            card.jitter(rng.getrandbits(32), rng.choice([0, 100]), rng.choice([0, 100]))
            packet = (header(length, 0xFE) + rng.randbytes(200))[:length]
            card.send(packet)
            if length % 7 == 0:
                card.send(header(8, STATUS))
            reply = card.recv()
            assert reply is not None and reply[:8] == header(16, IGNORE) and reply[8:] == packet[:8].ljust(8, b"\0"), (length, reply)
            if length % 7 == 0:
                status_of(card.recv())
        card.works(rng)
    return "199 lengths"


def transfers(make, rng, seconds):
    memory = {}
    begin, transfers = time.monotonic(), 0
    with make() as card:
        while time.monotonic() - begin < seconds or transfers < 100:
            transfers += 1
            if transfers % 10 == 1:
                card.jitter(rng.getrandbits(32), rng.choice([0, 0, 128]), rng.choice([0, 0, 128]))
                card.lib.pm_sim_memory(card.sim, rng.choice([1, 20, 200]), rng.choice([0, 100]), rng.choice([1, 4, 64]))
            channel, granule = rng.randrange(CHANNELS), rng.randrange(SIZE // GRANULE - 8)
            beats = rng.choice([1, 2, 3, 15, 16, 17, 64, rng.randrange(1, 8 * 16)])
            pack = rng.random() < 0.5
            data = b"".join(rng.randbytes(48) + bytes(16) if pack else rng.randbytes(64) for _ in range(beats))
            card.send(header(8, STATUS))
            assert card.put(transfers, channel, granule * GRANULE, data, pack) == DONE
            for i in range(beats):
                memory[channel, granule * 16 + i] = data[BEAT * i : BEAT * (i + 1)]
            status_of(card.recv())
            channel, at = rng.choice(list(memory))
            beats = rng.randrange(1, 100)
            first = at // 16 * 16
            beats = min(beats, SIZE // BEAT - first)
            expected = b"".join(memory.get((channel, first + i), bytes(BEAT)) for i in range(beats))
            assert card.get(rng.getrandbits(64), channel, first * BEAT, beats) == (DONE, expected)
        counted = card.read64(BLOCKS + 2 * 0x1000 + 0x18)
        assert counted and card.read(BLOCKS + 2 * 0x1000) == DOOR["block"]["type"]
    return f"{transfers} writes and reads"


def refusals(make, rng, seconds):
    data = rng.randbytes(4 * GRANULE)
    with make() as card:
        refused = lambda *arguments, body=b"", **more: card.status(ask(*arguments, **more) + body)
        end = SIZE // BEAT
        cases = [(WRITE, 1, CHANNELS, 0, 1), (WRITE, 1, 0, 64, 1), (WRITE, 1, 0, SIZE, 1), (WRITE, 1, 0, 0, 0), (WRITE, 1, 0, 1 << 40, 1),
                 (WRITE, 1, 1 << 31, 0, 1), (WRITE, 1, 0, 0, 1 << 31), (3, 1, 0, 0, 1), (0, 1, 0, 0, 1), (WRITE, 1, 0, SIZE - GRANULE, 17),
                 (READ, 1, CHANNELS, 0, 1), (READ, 1, 0, SIZE - GRANULE, 17), (READ, 1, 0, 32, 1), (READ, 1, 0, 0, end + 1)]
        for case in cases:
            for body in (b"", data):
                assert refused(*case, body=body) == (REFUSED, b""), case
        assert refused(WRITE, 1, 0, 0, 1, slice_bytes=32, body=data) == (REFUSED, b"")
        assert refused(WRITE, 1, 0, 0, 1, magic=MAGIC ^ 1, body=data) == (REFUSED, b"")
        assert card.get(3, 0, 0, 64) == (DONE, bytes(64 * BEAT)), "nothing was written"
        assert card.get(3, 0, SIZE - GRANULE, 16)[0] == DONE

        # Too short: what was there is written, and nothing else. Too long: likewise.
        assert card.put(1, 1, 0, b"\xff" * len(data)) == DONE
        for beats in (0, 1, 5, 16, 20, 40):
            assert card.status(ask(WRITE, 4, 1, 0, 64) + data[: BEAT * beats])[0] == LENGTH
            assert card.get(5, 1, 0, 64) == (DONE, data[: BEAT * beats] + b"\xff" * (len(data) - BEAT * beats)), beats
        assert card.status(ask(WRITE, 4, 1, 0, 16) + data)[0] == LENGTH
        assert card.get(5, 1, 0, 16) == (DONE, data[:GRANULE])
        assert card.status(ask(READ, 4, 1, 0, 16) + data) == (LENGTH, data[:GRANULE])

        # Errors of the memory.
        assert card.lib.pm_sim_memory_fault(card.sim, 1, GRANULE, GRANULE + 1) == 0
        assert card.put(6, 1, 0, data) == FAULT and card.get(7, 1, 0, 64)[0] == FAULT
        assert card.put(8, 1, 2 * GRANULE, data) == DONE and card.get(9, 1, 2 * GRANULE, 64) == (DONE, data)
        assert card.lib.pm_sim_memory_fault(card.sim, 1, 0, 0) == 0
        card.works(rng)
    return f"{2 * len(cases) + 2} refused"


def begun(card, rng):
    """Something under way: writes and reads of the memory port, packets."""
    card.jitter(rng.getrandbits(32), rng.choice([0, 60]), rng.choice([0, 60]))
    for _ in range(rng.randrange(1, 4)):
        channel, address = rng.randrange(CHANNELS), GRANULE * rng.randrange(64)
        beats = rng.randrange(1, 200)
        if rng.random() < 0.5:
            card.transfer(ask(READ, 9, channel, address, beats))
        else:
            card.transfer(ask(WRITE, 9, channel, address, beats) + rng.randbytes(BEAT * beats))
        card.send(header(8, STATUS))
    card.run(rng.randrange(0, 800))


def bridge(make, rng, seconds):
    begin, turns = time.monotonic(), 0
    with make() as card:
        while time.monotonic() - begin < seconds or turns < 20:
            turns += 1
            begun(card, rng)
            if turns % 2:
                card.reset(BRIDGE, rng.choice([1, 3, 50, 400]))
                response, _ = card.try_read(0x0800)
                assert response == SLAVE_ERROR, "registers of a card in reset"
                card.run(500)
            else:
                card.reset(HOST, 0)
                card.send(header(8, 0xFE))  # ends a packet that may be half sent
                assert card.lib.pm_sim_reg_write(card.sim, CONTROL, 1, 1000) == 0
                while card.read(CONTROL) & 1:
                    card.recv(100)
            card.jitter(1, 0, 0)
            card.drain()
            card.works(rng)
    return f"{turns} resets"


def memory(make, rng, seconds):
    begin, turns, failed = time.monotonic(), 0, 0
    with make() as card:
        while time.monotonic() - begin < seconds or turns < 20:
            turns += 1
            begun(card, rng)
            length = rng.choice([40, 80, 2000])
            card.reset(MEMORY, length)
            assert card.try_read(0x0800) == (0, 0x4C4D5250), "registers are the card's"
            while (answer := card.answer(20_000)) is not None:
                assert answer[0][7] in (DONE, FAULT), answer[0]
                failed += answer[0][7] == FAULT
            card.jitter(1, 0, 0)
            card.run(length + 200)
            card.drain()
            card.works(rng)
        # Dead: it is answered for.
        card.reset(MEMORY, 1 << 40)
        card.run(200)
        assert card.put(1, 0, 0, rng.randbytes(4096)) == FAULT and card.get(2, 0, 0, 64)[0] == FAULT
        card.reset(MEMORY, 40)
        card.run(400)
        card.works(rng)
    assert failed, "no transfer was cut"
    return f"{turns} resets, {failed} transfers cut"


def silent(make, rng, seconds):
    with make() as card:

        def hush(latency=1 << 31):
            assert card.lib.pm_sim_memory(card.sim, latency, 0, rng.choice([1, 64])) == 0

        def heal():
            assert card.lib.pm_sim_memory(card.sim, 64, 0, 64) == 0
            card.reset(MEMORY, 40)
            card.run(400)
            card.drain()
            card.works(rng)

        data, index = rng.randbytes(GRANULE), struct.pack("<Q", 1)
        asked = [
            (0, lambda: card.put(1, 0, 0, data)),
            (1, lambda: card.get(2, 1, 0, 64)[0]),
            (0, lambda: card.command("write", index, bytes(8), data)),
            (1, lambda: card.command("run", index, bytes(16), struct.pack("<QQ", 20, 2))),
        ]
        for channel, ask_it in asked:
            hush()
            status, cycles = card.patient(ask_it)
            assert status == FAULT and PATIENCE < cycles < PATIENCE + 3000, (status, cycles)
            # Whatever comes later, and RESET, needs no patience.
            _, cycles = card.patient(card.reset_alone)
            assert cycles < 3000, cycles
            status, cycles = card.patient(lambda: card.put(3, channel, 0, data))
            assert status == FAULT and cycles < 3000, (status, cycles)
            heal()
        # Reset while it is waited for: by packet and by register in the firewall's time; by another host at once, and memory is an error again.
        for kind in (RESET, CONTROL, None):
            hush()
            card.transfer(ask(READ, 9, 0, 0, 100))
            card.transfer(ask(WRITE, 9, 1, 0, 16) + data)
            card.run(rng.randrange(500, 3000))
            if kind == RESET:
                _, cycles = card.patient(card.reset_alone)
            elif kind == CONTROL:
                card.write(CONTROL, 1)
                _, cycles = card.patient(lambda: next(n for n in range(PATIENCE) if not card.read(CONTROL)))
            else:
                card.start_anew()
                cycles = 0
                assert card.put(3, 1, 0, data) == FAULT
            assert cycles < PATIENCE + 1000, cycles
            card.send(header(8, STATUS))
            status_of(card.recv())
            assert card.try_read(0x0800) == (0, 0x4C4D5250)
            heal()
        # Slow, and another host before it has answered: it gets its own data, once the memory has ended.
        hush(20_000)
        card.transfer(ask(READ, 9, 0, 0, 100))
        card.transfer(ask(WRITE, 9, 1, 0, 16) + data)
        card.run(2000)
        card.start_anew()
        hush(64)
        fresh = rng.randbytes(GRANULE)
        assert card.put(4, 1, 0, fresh) == DONE and card.get(5, 1, 0, 16) == (DONE, fresh)
        card.works(rng)
    return f"{len(asked) + 4} times"


def main(make, about, checks):
    """The command line of a test program: `make` makes a card; a check gets it, a random generator and seconds."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3, help="for each check that has random turns")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("checks", nargs="*", metavar="CHECK")
    chosen = parser.parse_args()
    seed = chosen.seed if chosen.seed is not None else random.SystemRandom().getrandbits(32)
    print(f"seed {seed}")
    power_up_by(seed)
    for check in checks:
        if not chosen.checks or check.__name__ in chosen.checks:
            begin = time.monotonic()
            print(f"{check.__name__}: {check(make, random.Random(seed), chosen.seconds)} ({time.monotonic() - begin:.1f} s)", flush=True)


if __name__ == "__main__":
    LIBRARY = os.environ.get("PROOFMILL_XDMA") or ROOT / "target/sim/xdma_msm_toy.so"
    main(lambda: Xdma(LIBRARY), __doc__, (packets, transfers, refusals, bridge, memory, silent))
